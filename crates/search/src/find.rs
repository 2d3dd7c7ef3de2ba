//! Where a program is tried: at the ancestors of its rarest literal, or everywhere.

use std::ops::Range;

use rustc_hash::FxHashSet;
use vise_syntax::{Cursor, Injections, Node};

use crate::machine::{Conditions, Farthest, Machine, Outcome};
use crate::matches::Match;
use crate::prefilter::Prefilter;
use crate::program::{Program, Root};

/// How deep macros in macros are read again; each level is parsed anew.
const MAX_REREAD: usize = 8;

/// One reading, to be tried in a document.
pub(crate) struct Finder<'p, 'd, 's> {
    program: &'p Program,
    machine: Machine<'p, 'd, 's>,
    /// How far above a place of the literal the root may be, in levels.
    window: usize,
    /// For a run: the element that has the literal in it.
    element: usize,
    seen: FxHashSet<(usize, u32)>,
    /// What was found, by start, longer first.
    pub(crate) matches: Vec<Match>,
    /// Some place took too many steps.
    pub(crate) over_budget: bool,
}

/// Runs several readings over a document; those that look for the same literal walk it together.
pub(crate) fn find<'p, 'd, 's>(
    readings: impl Iterator<Item = (&'p Program, &'p Prefilter)>,
    conditions: &'p Conditions,
    injections: &'p Injections<'d, 's>,
    exact: bool,
) -> Vec<Finder<'p, 'd, 's>> {
    let finders = readings.map(|(program, prefilter)| (Finder::new(program, conditions, injections, exact), prefilter));
    search(finders.collect(), injections)
}

/// The attempt that came farthest, in a document without a match.
pub(crate) fn farthest(
    program: &Program,
    prefilter: &Prefilter,
    conditions: &Conditions,
    injections: &Injections<'_, '_>,
    exact: bool,
) -> Option<Farthest> {
    let mut finder = Finder::new(program, conditions, injections, exact);
    finder.machine.farthest = Some(Farthest::default());
    let finders = search(vec![(finder, prefilter)], injections);
    finders.first()?.machine.farthest.filter(|farthest| farthest.found != (0, 0))
}

fn search<'p, 'd, 's>(
    finders: Vec<(Finder<'p, 'd, 's>, &'p Prefilter)>,
    injections: &'p Injections<'d, 's>,
) -> Vec<Finder<'p, 'd, 's>> {
    let source = injections.document().source;
    let mut finders: Vec<_> = finders
        .into_iter()
        .map(|(mut finder, prefilter)| {
            let run = matches!(finder.program.root, Root::Run { .. });
            let places = if !prefilter.passes(source) {
                Places::None
            } else if let Some((literal, at)) = prefilter.rarest(source, |literal| !run || literal.element.is_some()) {
                // Seeing through statements may put a level between each two levels of the pattern, a string's
                // text lies a level below the string, and a reread node has one more.
                finder.window = 2 * literal.depth + 4;
                finder.element = literal.element.unwrap_or(0);
                Places::Of(literal.text.clone(), at)
            } else {
                Places::All
            };
            (finder, places)
        })
        .collect();
    let root = injections.document().root();
    for first in 0..finders.len() {
        let places = std::mem::replace(&mut finders[first].1, Places::None);
        let mut group = Vec::new();
        for (index, (finder, own)) in finders.iter_mut().enumerate().skip(first) {
            if index == first || *own == places {
                *own = Places::None;
                group.push(finder);
            }
        }
        let mut walk = Walk { finders: group, injections };
        match places {
            Places::None => {}
            Places::Of(_, at) => walk.at_places(root, &mut Vec::new(), &at, 0),
            Places::All => walk.everywhere(root, 0),
        }
    }
    let mut finders: Vec<Finder<'p, 'd, 's>> = finders.into_iter().map(|(finder, _)| finder).collect();
    for finder in &mut finders {
        finder.matches.sort_by_key(|found| (found.range.start, std::cmp::Reverse(found.range.end)));
        finder.matches.dedup_by(|later, first| later.range == first.range && later.kind == first.kind);
    }
    finders
}

/// Where a reading is looked for.
#[derive(PartialEq)]
enum Places {
    /// The document lacks what every match contains.
    None,
    /// Around these places of this literal.
    Of(Box<[u8]>, Vec<usize>),
    /// At every node.
    All,
}

/// A walk through a document for readings that are looked for at the same places.
struct Walk<'w, 'p, 'd, 's> {
    finders: Vec<&'w mut Finder<'p, 'd, 's>>,
    injections: &'p Injections<'d, 's>,
}

impl<'d> Walk<'_, '_, 'd, '_> {
    /// Tries the nodes around each place, with one cursor that only moves forward.
    fn at_places(&mut self, root: Node<'d>, path: &mut Vec<Node<'d>>, places: &[usize], depth: usize) {
        let base = path.len();
        let mut cursor = root.walk();
        path.push(root);
        let mut next = 0;
        while next < places.len() {
            let place = places[next];
            next += 1;
            // What the path shares with the one before was looked at then.
            let shared = descend(&mut cursor, path, place).max(base);
            let reread = path[shared..].iter().position(|node| self.injections.covers(*node)).map(|at| shared + at);
            if let Some(at) = reread
                && depth < MAX_REREAD
                && let Some(inside) = self.injections.read(path[at])
            {
                // All places in this node at once, so that it is walked once.
                let end = path[at].end();
                let here = next - 1;
                while next < places.len() && places[next] < end {
                    next += 1;
                }
                let mut below = path[..=at].to_vec();
                self.at_places(inside, &mut below, &places[here..next], depth + 1);
                continue;
            }
            for finder in &mut self.finders {
                let first = path.len().saturating_sub(finder.window + 1);
                for index in (first..path.len()).rev() {
                    finder.try_at(path[index], index.checked_sub(1).map(|parent| path[parent]), Some(place));
                }
            }
        }
        path.truncate(base);
    }

    /// Tries every node at and below one.
    fn everywhere(&mut self, root: Node<'d>, depth: usize) {
        let mut cursor = root.walk();
        let mut parents: Vec<Node<'d>> = Vec::new();
        loop {
            let node = cursor.node();
            for finder in &mut self.finders {
                finder.try_at(node, parents.last().copied(), None);
            }
            let inside =
                if depth < MAX_REREAD && self.injections.covers(node) { self.injections.read(node) } else { None };
            if let Some(inside) = inside {
                self.everywhere(inside, depth + 1);
            } else if cursor.first_child() {
                parents.push(node);
                continue;
            }
            while !cursor.next_sibling() {
                if !cursor.parent() {
                    return;
                }
                parents.pop();
            }
        }
    }
}

impl<'p, 'd, 's> Finder<'p, 'd, 's> {
    fn new(program: &'p Program, conditions: &'p Conditions, injections: &'p Injections<'d, 's>, exact: bool) -> Self {
        Self {
            program,
            machine: Machine::new(program, conditions, injections, exact),
            window: 0,
            element: 0,
            seen: FxHashSet::default(),
            matches: Vec::new(),
            over_budget: false,
        }
    }

    /// Tries the program at a node, or for a run in the list of its children.
    ///
    /// `near`: a byte that the element with the literal must hold.
    fn try_at(&mut self, node: Node<'d>, parent: Option<Node<'d>>, near: Option<usize>) {
        match self.program.root {
            Root::Kind { kind, statement } => {
                if node.kind_id() == kind && (!statement || self.stands_as_statement(parent)) {
                    self.attempt_node(node);
                }
            }
            Root::Any { statement } => {
                let kinds = &self.machine.document.language.expression_statements;
                let stands = !statement || parent.is_some_and(|parent| kinds.contains(parent.kind_id()));
                if stands && node.is_named() && !node.is_error() && node.start() < node.end() {
                    self.attempt_node(node);
                }
            }
            Root::Run { parent, listed } => {
                let language = self.machine.document.language;
                let kind = node.kind_id();
                let list = language.containers.contains(kind) || language.header_kinds.contains(kind);
                if kind == parent || listed && list {
                    self.runs(node, near);
                }
            }
        }
    }

    fn stands_as_statement(&self, parent: Option<Node<'d>>) -> bool {
        let language = self.machine.document.language;
        parent.is_some_and(|parent| {
            let kind = parent.kind_id();
            language.expression_statements.contains(kind) || language.containers.contains(kind)
        })
    }

    fn attempt_node(&mut self, node: Node<'d>) {
        if self.seen.insert((node.id(), 0)) {
            let outcome = self.machine.at_node(node);
            self.take(outcome);
        }
    }

    fn runs(&mut self, parent: Node<'d>, near: Option<usize>) {
        if parent.child_count() < 2 {
            return;
        }
        self.machine.lists.trim();
        let list = self.machine.lists.of(parent);
        let items = self.machine.lists.items(list);
        let starts: Range<usize> = match near {
            None => 0..items.len(),
            Some(place) => {
                let at = items.partition_point(|item| item.node.end() <= place);
                // As many elements back as the pattern has in front of this one; what may go unmentioned
                // between them is passed over.
                let mut back = 0;
                let mut start = at;
                while start > 0 && back < self.element {
                    start -= 1;
                    if !items[start].separator && items[start].optional == 0 {
                        back += 1;
                    }
                }
                if back < self.element || at >= items.len() { 0..0 } else { start..start + 1 }
            }
        };
        for at in starts {
            let item = self.machine.lists.items(list)[at];
            if item.separator || !self.seen.insert((parent.id(), at as u32 + 1)) {
                continue;
            }
            let outcome = self.machine.at_sibling(list, at as u32);
            self.take(outcome);
        }
    }

    fn take(&mut self, outcome: Outcome) {
        match outcome {
            Outcome::Match(found) => self.matches.push(*found),
            Outcome::No => {}
            Outcome::OverBudget => self.over_budget = true,
        }
    }
}

/// Moves the cursor, forward only, to the deepest node that holds a byte, and keeps the path to it.
///
/// A byte may lie between the children of a node (a scalar's text between its quotes): then the path ends at one of
/// them, and the node is on it. Returns how many nodes, from the root on, the path had before.
fn descend<'d>(cursor: &mut Cursor<'d>, path: &mut Vec<Node<'d>>, place: usize) -> usize {
    let mut shared = path.len();
    loop {
        let node = cursor.node();
        if node.end() > place {
            if node.start() > place || !cursor.first_child() {
                return shared;
            }
            path.push(cursor.node());
            continue;
        }
        // The node ends before the byte: its next sibling, or that of the nearest ancestor that has one.
        while !cursor.next_sibling() {
            if !cursor.parent() {
                return shared;
            }
            path.pop();
            shared = shared.min(path.len());
            if cursor.node().end() > place {
                return shared;
            }
        }
        if let Some(top) = path.last_mut() {
            *top = cursor.node();
            shared = shared.min(path.len() - 1);
        }
    }
}

/// Keeps the matches that stand inside (or hold) one of these ranges, or those that do not.
pub(crate) fn filter(matches: &mut Vec<Match>, ranges: &[Range<usize>], inside: bool, wanted: bool) {
    // Ranges nest or are apart. Sorted by start, with the farthest end so far, "is there one around this" is a
    // binary search; likewise, by end, "is there one in it".
    let mut by_start: Vec<&Range<usize>> = ranges.iter().collect();
    by_start.sort_by_key(|range| (range.start, std::cmp::Reverse(range.end)));
    let starts: Vec<usize> = by_start.iter().map(|range| range.start).collect();
    matches.retain(|found| {
        let own = &found.range;
        let is = if inside {
            by_start[..starts.partition_point(|start| *start <= own.start)]
                .iter()
                .rev()
                .any(|range| range.end >= own.end && (range.start, range.end) != (own.start, own.end))
        } else {
            by_start[starts.partition_point(|start| *start < own.start)..]
                .iter()
                .take_while(|range| range.start < own.end)
                .any(|range| range.end <= own.end && (range.start, range.end) != (own.start, own.end))
        };
        is == wanted
    });
}
