//! A symbol and what is around it as a drawing: callers to the left, callees to the right.
//!
//! **What it is.** [`View::around`] chooses the symbols, [`Layout`] gives them places, and [`html`], [`svg`] and [`dot`]
//! write them down. All are pure: the same graph gives the same bytes.
//!
//! **What to read first.** [`View`], then `layout`.
//!
//! **What it will never do.** A page fetches nothing and runs nothing but its own script, whatever the names in the code
//! are: every text goes through [`crate::export::Escaped`], or into JSON without a `<`.

mod dot;
mod html;
mod layout;
mod svg;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};

use crate::graph::{Edge, Graph};
use crate::kinds::{EdgeKind, Evidence};
use crate::query::{with_constructors, with_members};

pub use dot::dot;
pub use html::html;
pub use layout::Layout;
pub use svg::svg;

/// How many steps are shown unless the question says otherwise.
pub const DEPTH: u32 = 2;
/// How many symbols are shown unless the question says otherwise.
pub const MAX_SHOWN: usize = 150;

/// The symbols and edges of a drawing.
#[derive(Debug, Default)]
pub struct View {
    /// Those it is about, then by distance.
    pub nodes: Vec<Node>,
    /// In the order of their ends; of a pair and a kind one.
    pub edges: Vec<Line>,
    /// How many symbols there was no room for, by column.
    pub left_out: BTreeMap<i32, usize>,
}

/// A symbol in a drawing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Node {
    /// Its number in the graph.
    pub ix: u32,
    /// 0 of what the drawing is about, below 0 for what depends on it, above for what it depends on.
    pub column: i32,
}

/// One or more uses of one symbol by another, all of one kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Line {
    /// The node that uses.
    pub from: usize,
    /// The node that is used.
    pub to: usize,
    /// The surest of them.
    pub edge: Edge,
    /// How many there are.
    pub uses: usize,
}

/// Whether edges of a kind are drawn. Containment is no dependency, and an import says nothing of a symbol.
fn is_drawn(kind: EdgeKind) -> bool {
    !matches!(kind, EdgeKind::Contains | EdgeKind::Imports)
}

impl View {
    /// What is around some symbols: at most `depth` steps each way and `max` symbols, the nearest first. A type stands for
    /// its members in what it uses, and for its constructors in what uses it.
    pub fn around(graph: &Graph, subjects: &[u32], depth: u32, max: usize) -> Self {
        let shown = subjects.len().min(max.max(1));
        let mut view = Self::default();
        view.nodes.extend(subjects[..shown].iter().map(|ix| Node { ix: *ix, column: 0 }));
        if shown < subjects.len() {
            view.left_out.insert(0, subjects.len() - shown);
        }
        let subjects = &subjects[..shown];
        // Members and constructors are drawn as the type that they stand for.
        let mut stand_in: BTreeMap<u32, u32> = BTreeMap::new();
        for subject in subjects {
            let parts = with_members(graph, &[*subject]).into_iter().chain(with_constructors(graph, &[*subject]));
            stand_in.extend(parts.map(|part| (part, *subject)));
        }
        stand_in.extend(subjects.iter().map(|subject| (*subject, *subject)));
        let mut placed: BTreeSet<u32> = stand_in.keys().copied().collect();
        let (mut left, mut right) = (with_constructors(graph, subjects), with_members(graph, subjects));
        for step in 1..=i32::try_from(depth).unwrap_or(i32::MAX) {
            let callers = ring(graph, &left, &placed, |ix| graph.into(ix).collect(), |edge| edge.from);
            placed.extend(&callers);
            let callees = ring(graph, &right, &placed, |ix| graph.out(ix).collect(), |edge| edge.to);
            placed.extend(&callees);
            if callers.is_empty() && callees.is_empty() {
                break;
            }
            let room = max.saturating_sub(view.nodes.len());
            // Where there is not enough room each side gets half, and what the other does not need.
            let half = room / 2;
            let take_left = callers.len().min(room - half.min(callees.len()));
            let take_right = callees.len().min(room - take_left);
            for (found, take, column) in [(&callers, take_left, -step), (&callees, take_right, step)] {
                view.nodes.extend(found[..take].iter().map(|ix| Node { ix: *ix, column }));
                if take < found.len() {
                    view.left_out.insert(column, found.len() - take);
                }
            }
            (left, right) = (callers[..take_left].to_vec(), callees[..take_right].to_vec());
        }
        view.connect(graph, &stand_in);
        view
    }

    /// Finds the edges between the nodes.
    fn connect(&mut self, graph: &Graph, stand_in: &BTreeMap<u32, u32>) {
        let places: BTreeMap<u32, usize> = self.nodes.iter().enumerate().map(|(at, node)| (node.ix, at)).collect();
        let place = |ix: u32| places.get(stand_in.get(&ix).unwrap_or(&ix)).copied();
        let sources: BTreeSet<u32> = places.keys().chain(stand_in.keys()).copied().collect();
        let mut lines: BTreeMap<(usize, usize, EdgeKind), (Edge, usize)> = BTreeMap::new();
        for ix in sources {
            for edge in graph.out(ix).filter(|edge| is_drawn(edge.kind)) {
                let (Some(from), Some(to)) = (place(edge.from), place(edge.to)) else { continue };
                let inside = from == to && (edge.from != edge.to || edge.from != self.nodes[from].ix);
                if inside {
                    continue;
                }
                let (best, uses) = lines.entry((from, to, edge.kind)).or_insert((edge, 0));
                *uses += 1;
                if edge.evidence < best.evidence {
                    *best = edge;
                }
            }
        }
        self.edges = lines.into_iter().map(|((from, to, _), (edge, uses))| Line { from, to, edge, uses }).collect();
    }

    /// What is left out, in words; none where nothing is.
    pub fn note(&self) -> Option<String> {
        let part = |(column, count): (&i32, &usize)| {
            let symbols = if *count == 1 { "1 symbol".to_owned() } else { format!("{count} symbols") };
            match column {
                0 => format!("{symbols} of the name"),
                column => {
                    let side = if *column < 0 { "left" } else { "right" };
                    format!("{symbols} {} to the {side}", steps(column.unsigned_abs()))
                }
            }
        };
        let parts: Vec<String> = self.left_out.iter().map(part).collect();
        (!parts.is_empty()).then(|| format!("not shown: {}, and what lies behind", parts.join(", ")))
    }

    /// The kinds of line that its edges are drawn with: dashes, evidences, and what they mean.
    fn lines(&self) -> Vec<(Option<&'static str>, String, &'static str)> {
        let evidences: BTreeSet<Evidence> = self.edges.iter().map(|line| line.edge.evidence).collect();
        let mut lines: Vec<(Option<&'static str>, String, &'static str)> = Vec::new();
        for evidence in evidences {
            match lines.last_mut() {
                Some((dashes, names, _)) if dashes.is_none() && self::dashes(evidence).is_none() => {
                    names.push_str(", ");
                    names.push_str(evidence.as_str());
                }
                _ => lines.push((dashes(evidence), evidence.as_str().to_owned(), meaning(evidence))),
            }
        }
        lines
    }

    /// The kinds of its edges.
    fn kinds(&self) -> BTreeSet<EdgeKind> {
        self.edges.iter().map(|line| line.edge.kind).collect()
    }

    /// Whether there are so many edges that each must be faint.
    fn is_dense(&self) -> bool {
        self.edges.len() > 160
    }
}

fn steps(count: u32) -> String {
    if count == 1 { "1 step".to_owned() } else { format!("{count} steps") }
}

/// What is one step further than some symbols, the surest first, then in the order of the graph.
fn ring(
    graph: &Graph,
    from: &[u32],
    placed: &BTreeSet<u32>,
    edges: impl Fn(u32) -> Vec<Edge>,
    end: impl Fn(&Edge) -> u32,
) -> Vec<u32> {
    let mut found: BTreeMap<u32, Evidence> = BTreeMap::new();
    for edge in from.iter().flat_map(|ix| edges(*ix)).filter(|edge| is_drawn(edge.kind)) {
        let ix = end(&edge);
        if !placed.contains(&ix) && !graph.symbol(ix).name.is_empty() {
            let known = found.entry(ix).or_insert(edge.evidence);
            *known = edge.evidence.min(*known);
        }
    }
    let mut ring: Vec<(Evidence, u32)> = found.into_iter().map(|(ix, evidence)| (evidence, ix)).collect();
    ring.sort_unstable();
    ring.into_iter().map(|(_, ix)| ix).collect()
}

/// The pattern of a line, as lengths of dashes and gaps, by how sure it is; none for a whole line.
fn dashes(evidence: Evidence) -> Option<&'static str> {
    match evidence {
        Evidence::Compiler | Evidence::Scope | Evidence::Import | Evidence::Receiver => None,
        Evidence::Dispatch => Some("9 4"),
        Evidence::Callback => Some("9 3 2 3"),
        Evidence::UniqueName => Some("5 4"),
        Evidence::Ambiguous => Some("1.5 4"),
    }
}

/// What an evidence means, in few words.
fn meaning(evidence: Evidence) -> &'static str {
    match evidence {
        Evidence::Compiler | Evidence::Scope | Evidence::Import | Evidence::Receiver => "resolved",
        Evidence::Dispatch => "may run an implementation",
        Evidence::Callback => "handed over, called there",
        Evidence::UniqueName => "the only one of its name",
        Evidence::Ambiguous => "one of several",
    }
}

/// The label of a symbol: its name, behind that of the type that it is in.
fn label(graph: &Graph, ix: u32) -> String {
    let symbol = graph.symbol(ix);
    match symbol.container.map(|around| graph.symbol(around)) {
        Some(around) if around.container.is_some() => format!("{}.{}", around.name, symbol.name),
        _ => symbol.name.to_owned(),
    }
}
