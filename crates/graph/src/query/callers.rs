//! The edges around a symbol: callers, callees, references.

use rustc_hash::FxHashSet;

use crate::graph::{Edge, Graph};
use crate::kinds::{EdgeKind, SymbolKind};

use super::{with_constructors, with_members};

/// The edges of an answer, and what could not become one.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Uses {
    /// In the order of the place of use: file, line.
    pub edges: Vec<Edge>,
    /// Calls that may belong here and could not be resolved.
    pub unresolved: u32,
    /// Calls that lead outside the workspace.
    pub external: u32,
}

/// Who calls these symbols or makes instances of them. `unresolved` counts the calls by their names, anywhere, of
/// which nobody knows where they lead, and `external` those that are known to lead outside.
pub fn callers(graph: &Graph, subjects: &[u32]) -> Uses {
    uses(graph, subjects, incoming(graph, subjects, is_call))
}

/// Every way in which these symbols are used: each edge to them. `unresolved` and `external` count as in [`callers`].
pub fn references(graph: &Graph, subjects: &[u32]) -> Uses {
    uses(graph, subjects, incoming(graph, subjects, |kind| kind != EdgeKind::Contains))
}

fn uses(graph: &Graph, subjects: &[u32], edges: Vec<Edge>) -> Uses {
    let external = called_names(graph, subjects).map(|name| graph.external_calls(name)).sum();
    Uses { edges, unresolved: missed_calls(graph, subjects), external }
}

/// Whom these symbols call, and what they make instances of; of a type also its members. `unresolved` and `external`
/// count the calls in them that have no edge.
pub fn callees(graph: &Graph, subjects: &[u32]) -> Uses {
    let mut uses = Uses::default();
    for ix in with_members(graph, subjects) {
        uses.edges.extend(graph.out(ix).filter(|edge| is_call(edge.kind)));
        let (unresolved, external) = graph.misses(ix);
        uses.unresolved += unresolved;
        uses.external += external;
    }
    uses.edges.sort_by_key(by_place);
    uses.edges.dedup();
    uses
}

pub(crate) fn is_call(kind: EdgeKind) -> bool {
    matches!(kind, EdgeKind::Calls | EdgeKind::Instantiates)
}

/// Edges to the symbols, and to the constructors of types among them. Where one use has an edge to the type and one to
/// its constructor, only the type's is given: it is what was asked about.
fn incoming(graph: &Graph, subjects: &[u32], wanted: impl Fn(EdgeKind) -> bool) -> Vec<Edge> {
    let mut edges: Vec<Edge> = Vec::new();
    let mut made: FxHashSet<(u32, u32, u32)> = FxHashSet::default();
    for &ix in subjects {
        for edge in graph.into(ix).filter(|edge| wanted(edge.kind)) {
            if edge.kind == EdgeKind::Instantiates {
                made.insert((edge.from, edge.file, edge.line));
            }
            edges.push(edge);
        }
    }
    for ix in with_constructors(graph, subjects).into_iter().skip(subjects.len()) {
        let new = |edge: &Edge| !made.contains(&(edge.from, edge.file, edge.line));
        edges.extend(graph.into(ix).filter(|edge| wanted(edge.kind)).filter(new));
    }
    edges.sort_by_key(by_place);
    edges.dedup();
    edges
}

fn by_place(edge: &Edge) -> (u32, u32, Edge) {
    (edge.file, edge.line, *edge)
}

/// How many calls by the names of these symbols, anywhere, could not be resolved.
pub fn missed_calls(graph: &Graph, subjects: &[u32]) -> u32 {
    called_names(graph, subjects).map(|name| graph.missed_calls(name)).sum()
}

/// The names by which these symbols are called, each once. A constructor is called by its type's name.
fn called_names<'g>(graph: &'g Graph, subjects: &[u32]) -> impl Iterator<Item = &'g str> {
    let mut names: Vec<&str> = subjects
        .iter()
        .map(|ix| {
            let symbol = graph.symbol(*ix);
            let around = symbol.container.filter(|_| symbol.kind == SymbolKind::Constructor);
            around.map_or(symbol.name, |around| graph.symbol(around).name)
        })
        .collect();
    names.sort_unstable();
    names.dedup();
    names.into_iter()
}

#[cfg(test)]
mod tests {
    use super::super::testing::{graph, names, one};
    use super::*;

    fn bank() -> Graph {
        graph(
            "coin.py
  class Coin 1-20
    constructor __init__ 2-3
    method zero 5-7
    method spend 9-12
  class Rare 22-30
    constructor __init__ 23-24
purse.py
  function open 3-6
  function drain 8-9
open > Coin: instantiates import @4
open > Coin.__init__: calls import @4
open > Coin: references import @5
drain > Coin.zero: calls import @9
Coin.zero > Coin: instantiates scope @6
Coin.zero > Coin.__init__: calls scope @6
Rare.__init__ > Coin.__init__: calls receiver @24
Rare > Coin: extends scope @22
purse.py > Coin: imports import @1
Coin.spend ? spend call @10
drain ? spend call @9
drain ? print external @9
drain ? spend reference @9
",
        )
    }

    fn ends(graph: &Graph, uses: &Uses) -> Vec<String> {
        let shown = |edge: &Edge| format!("{} {}", graph.symbol(edge.from).qualified, edge.kind.as_str());
        uses.edges.iter().map(shown).collect()
    }

    #[test]
    fn who_makes_instances_calls_the_type() {
        let graph = bank();
        let found = callers(&graph, &[one(&graph, "Coin")]);
        assert_eq!(
            ends(&graph, &found),
            ["coin.Coin.zero instantiates", "coin.Rare.__init__ calls", "purse.open instantiates"]
        );
        let of_constructor = callers(&graph, &[one(&graph, "Coin.__init__")]);
        assert_eq!(of_constructor.edges.len(), 3);
    }

    #[test]
    fn references_are_all_uses() {
        let graph = bank();
        let found = ends(&graph, &references(&graph, &[one(&graph, "Coin")]));
        for edge in ["coin.Rare extends", "purse imports", "purse.open references", "purse.open instantiates"] {
            assert!(found.iter().any(|found| found == edge), "{edge} {found:?}");
        }
        assert_eq!(found.len(), 6);
    }

    #[test]
    fn callees_of_a_type_are_those_of_its_members() {
        let graph = bank();
        let found = callees(&graph, &[one(&graph, "Coin")]);
        assert_eq!(found.edges.len(), 2);
        assert_eq!((found.unresolved, found.external), (1, 0));
        let found = callees(&graph, &[one(&graph, "drain")]);
        assert_eq!(names(&graph, &[found.edges[0].to]), ["coin.Coin.zero"]);
        assert_eq!((found.unresolved, found.external), (1, 1));
    }

    #[test]
    fn calls_that_may_belong_here_are_counted_by_name() {
        let graph = bank();
        let found = callers(&graph, &[one(&graph, "spend")]);
        assert_eq!((found.unresolved, found.external), (2, 0));
        assert_eq!(callers(&graph, &[one(&graph, "zero")]).unresolved, 0);
    }

    #[test]
    fn several_subjects_keep_their_edges_apart() {
        let graph = bank();
        let both = resolve_all(&graph, "__init__");
        let found = callers(&graph, &both);
        assert_eq!(both.len(), 2);
        assert!(found.edges.iter().all(|edge| both.contains(&edge.to)));
    }

    fn resolve_all(graph: &Graph, text: &str) -> Vec<u32> {
        super::super::resolve(graph, text)
    }
}
