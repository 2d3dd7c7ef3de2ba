//! What depends on a symbol, near and far, and which tests reach it.

use crate::graph::Graph;
use crate::kinds::{EdgeKind, Evidence, SymbolKind};

use super::{is_test, reach, with_members};

/// A symbol that depends on what was asked about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Affected {
    /// The symbol.
    pub symbol: u32,
    /// How many steps away, at least.
    pub depth: u32,
    /// The weakest evidence on the surest of the shortest paths.
    pub evidence: Evidence,
}

/// A test that reaches a symbol.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TestReach {
    /// The test.
    pub symbol: u32,
    /// How many steps away, at least.
    pub distance: u32,
}

/// Everything that may have to change when these symbols do, by depth and place; at most `depth` steps away.
///
/// A type or namespace includes its members, and a file's top-level code everything in the file. Who calls through an
/// interface depends on the implementors as far as there are `dispatch` edges; who takes a method's place in a subclass
/// depends on the method.
pub fn impact(graph: &Graph, subjects: &[u32], depth: Option<u32>) -> Vec<Affected> {
    reach::reverse(graph, &whole(graph, subjects), depth, |edge| edge.kind != EdgeKind::Contains)
}

/// What a change of several symbols reaches.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Reach {
    /// What depends on them, without themselves.
    pub affected: Vec<Affected>,
    /// The tests among them and those that reach them.
    pub tests: Vec<TestReach>,
}

/// What a change of these symbols reaches. A type includes its members here too, but top-level code stands for itself
/// alone: who imports a file does not depend on each of its lines.
pub fn reach_of_changed(graph: &Graph, symbols: &[u32], depth: Option<u32>) -> Reach {
    let is_module = |ix: &&u32| graph.symbol(**ix).kind == SymbolKind::Module;
    let named: Vec<u32> = symbols.iter().filter(|ix| !is_module(ix)).copied().collect();
    let whole = with_members(graph, &named);
    let affected = reach::reverse(graph, &whole, depth, |edge| edge.kind != EdgeKind::Contains);
    let changed = whole.iter().filter(|ix| is_test(&graph.symbol(**ix)));
    let mut all: Vec<TestReach> = changed.map(|ix| TestReach { symbol: *ix, distance: 0 }).collect();
    all.sort_unstable_by_key(|test| test.symbol);
    all.extend(tests(graph, &named));
    Reach { affected, tests: all }
}

/// The tests from which a call may come to these symbols, the nearest first.
///
/// What a test reaches is what may run: an import alone is not, nor is a method whose place another took.
pub fn tests(graph: &Graph, subjects: &[u32]) -> Vec<TestReach> {
    let runs = |kind: EdgeKind| !matches!(kind, EdgeKind::Contains | EdgeKind::Imports | EdgeKind::Overrides);
    let reached = reach::reverse(graph, &whole(graph, subjects), None, |edge| runs(edge.kind));
    let tests = reached.into_iter().filter(|one| is_test(&graph.symbol(one.symbol)));
    tests.map(|one| TestReach { symbol: one.symbol, distance: one.depth }).collect()
}

/// What a symbol stands for when it is asked about.
fn whole(graph: &Graph, subjects: &[u32]) -> Vec<u32> {
    let mut all = subjects.to_vec();
    for &ix in subjects {
        let symbol = graph.symbol(ix);
        if symbol.kind == SymbolKind::Module {
            all.extend(graph.file(symbol.file_ix).symbols.filter(|inside| *inside != ix));
        }
    }
    with_members(graph, &all)
}

#[cfg(test)]
mod tests {
    use super::super::testing::{graph, one};
    use super::*;

    fn reached(graph: &Graph, subject: &str, depth: Option<u32>) -> Vec<String> {
        let shown =
            |one: &Affected| format!("{} {} {}", graph.symbol(one.symbol).qualified, one.depth, one.evidence.as_str());
        impact(graph, &[one(graph, subject)], depth).iter().map(shown).collect()
    }

    #[test]
    fn depth_is_the_fewest_steps_and_evidence_the_weakest_of_the_surest() {
        let graph = graph(
            "a.py
  function leaf 1-2
  function left 3-4
  function right 5-6
  function top 7-8
  function far 9-10
left > leaf: calls unique_name @3
right > leaf: calls import @5
top > left: calls scope @7
top > right: calls receiver @8
far > top: calls scope @9
far > leaf: calls ambiguous @10
leaf > far: calls scope @1
",
        );
        let all =
            ["a.left 1 unique_name", "a.right 1 import", "a.top 2 receiver", "a.far 3 receiver"].map(str::to_owned);
        assert_eq!(reached(&graph, "leaf", None), all);
        // With no room for the sure way the ambiguous one is better than silence.
        let near = ["a.left 1 unique_name", "a.right 1 import", "a.far 1 ambiguous"].map(str::to_owned);
        assert_eq!(reached(&graph, "leaf", Some(1)), near);
        assert_eq!(reached(&graph, "leaf", Some(0)), [""; 0]);
    }

    #[test]
    fn what_only_an_ambiguous_step_reaches_is_ambiguous_with_all_behind_it() {
        let graph = graph(
            "a.py
  function leaf 1-2
  function maybe 3-4
  function behind 5-6
maybe > leaf: calls ambiguous @3
behind > maybe: calls scope @5
",
        );
        assert_eq!(reached(&graph, "leaf", None), ["a.maybe 1 ambiguous", "a.behind 2 ambiguous"]);
    }

    #[test]
    fn containment_is_not_dependency() {
        let graph = graph(
            "coin.py
  class Coin 1-9
    method zero 2-3
purse.py
  class Purse 2-20
    method open 3-4
    method drain 5-6
    method idle 7-8
user.py
  function use 2-3
purse.py > Coin: imports import @1
Purse.open > Coin: instantiates import @4
Purse.drain > Coin.zero: calls import @6
use > purse.py: imports import @2
use > Purse: instantiates import @3
",
        );
        let whole = ["purse 1 import", "purse.Purse.open 1 import", "purse.Purse.drain 1 import"];
        assert_eq!(reached(&graph, "Coin", None), whole);
        assert_eq!(reached(&graph, "Coin.zero", None), ["purse.Purse.drain 1 import"]);
        // A file that is asked about stands for everything in it.
        assert_eq!(reached(&graph, "purse.py", None), ["user.use 1 import"]);
    }

    #[test]
    fn through_an_interface() {
        let graph = graph(
            "a.ts
  interface Shape 1-3
    method area 2-2 abstract
  class Square 5-9
    method area 6-7
  function total 11-13
Square > Shape: implements scope @5
Square.area > Shape.area: overrides scope @6
total > Shape.area: calls receiver @12
total > Square.area: calls dispatch @12
",
        );
        assert_eq!(reached(&graph, "Square.area", None), ["a.total 1 dispatch"]);
        assert_eq!(reached(&graph, "Shape.area", None), ["a.Square.area 1 scope", "a.total 1 receiver"]);
    }

    #[test]
    fn tests_that_may_run_it() {
        let graph = graph(
            "app.py
  function leaf 1-2
  function mid 3-4
  function top 5-6
  class Base 8-12
    method run 9-10
tests/t.py
  function test_top 3-4 test
  function test_other 5-6 test
  function helper 7-8
  class Sub 10-12
    method run 11-12
  function test_run 14-15 test
mid > leaf: calls scope @4
top > mid: calls scope @6
test_top > top: calls import @4
tests/t.py > top: imports import @1
test_other > helper: calls scope @6
t.Sub.run > Base.run: overrides import @11
test_run > t.Sub.run: calls receiver @15
",
        );
        let found = |subject: &str| {
            let shown = |one: &TestReach| format!("{} {}", graph.symbol(one.symbol).name, one.distance);
            tests(&graph, &[one(&graph, subject)]).iter().map(shown).collect::<Vec<String>>()
        };
        assert_eq!(found("leaf"), ["test_top 3"]);
        assert_eq!(found("helper"), ["test_other 1"]);
        assert_eq!(found("Base.run"), [""; 0]);
        assert_eq!(found("Sub.run"), ["test_run 1"]);
    }
}
