//! Which symbols matter most: PageRank over the edges.

use crate::facts::flag;
use crate::graph::Graph;
use crate::kinds::{EdgeKind, Evidence, SymbolKind};

use super::callers::is_call;

/// Rounds of the iteration; the order of the first hundreds is settled well before.
const ROUNDS: usize = 20;
/// The share of a symbol's rank that it hands on.
const DAMPING: f64 = 0.85;
/// The share of that which a test hands to what it uses; the rest goes to all alike.
const TEST: f64 = 0.2;

/// The ranks of all symbols. They come to 1 together.
#[derive(Debug, Clone, PartialEq)]
pub struct Ranks {
    symbols: Vec<f64>,
}

/// A symbol that much depends on.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Hub {
    /// The symbol.
    pub symbol: u32,
    /// Its rank.
    pub rank: f64,
    /// How many symbols call it or make an instance of it; of what cannot be called, how many use it.
    pub callers: usize,
}

impl Ranks {
    /// Ranks the symbols: one is the higher, the more and the higher those are that depend on it.
    ///
    /// What depends on nothing hands its rank on to all alike; so does a symbol whose edges weigh nothing, and with no
    /// edge at all every rank is the same.
    pub fn of(graph: &Graph) -> Self {
        let count = graph.symbols() as usize;
        if count == 0 {
            return Self { symbols: Vec::new() };
        }
        let even = 1.0 / count as f64;
        // The edges once, as start, target and share: twenty rounds read them faster from here than from the graph.
        let mut starts = Vec::with_capacity(count + 1);
        let mut edges: Vec<(u32, f64)> = Vec::new();
        for ix in 0..graph.symbols() {
            starts.push(edges.len());
            let from = edges.len();
            let symbol = graph.symbol(ix);
            // What tests lean on is no more important for it.
            let of_test = if symbol.flags & flag::TEST != 0 { TEST } else { 1.0 };
            let outgoing = graph.out(ix).filter(|edge| edge.kind != EdgeKind::Contains && edge.to != ix);
            edges.extend(outgoing.map(|edge| (edge.to, weight(edge.kind, edge.evidence))));
            let sum: f64 = edges[from..].iter().map(|(_, weight)| weight).sum();
            edges[from..].iter_mut().for_each(|(_, weight)| *weight *= of_test / sum);
        }
        starts.push(edges.len());
        let mut ranks = vec![even; count];
        for _ in 0..ROUNDS {
            let mut next = vec![0.0; count];
            let mut loose = 0.0;
            for (ix, rank) in ranks.iter().enumerate() {
                let mut kept = *rank;
                for (to, share) in &edges[starts[ix]..starts[ix + 1]] {
                    if let Some(sum) = next.get_mut(*to as usize) {
                        *sum += rank * share;
                        kept -= rank * share;
                    }
                }
                loose += kept;
            }
            let base = (1.0 - DAMPING + DAMPING * loose) * even;
            next.iter_mut().for_each(|rank| *rank = base + DAMPING * *rank);
            ranks = next;
        }
        Self { symbols: ranks }
    }

    /// The rank of a symbol.
    pub fn symbol(&self, ix: u32) -> f64 {
        self.symbols.get(ix as usize).copied().unwrap_or(0.0)
    }

    /// The rank of a file: that of its symbols together.
    pub fn file(&self, graph: &Graph, file: u32) -> f64 {
        graph.file(file).symbols.map(|ix| self.symbol(ix)).sum()
    }

    /// Symbols worth showing, the highest first: no top-level code, no members that merely hold a value.
    pub fn sorted(&self, graph: &Graph) -> Vec<u32> {
        let shown = |ix: &u32| {
            let symbol = graph.symbol(*ix);
            !symbol.name.is_empty()
                && !matches!(symbol.kind, SymbolKind::Module | SymbolKind::Field | SymbolKind::Property)
        };
        let mut all: Vec<u32> = (0..graph.symbols()).filter(shown).collect();
        all.sort_by(|a, b| self.symbol(*b).total_cmp(&self.symbol(*a)).then(a.cmp(b)));
        all
    }
}

/// How much of its rank a symbol hands on over an edge, beside its other edges.
fn weight(kind: EdgeKind, evidence: Evidence) -> f64 {
    let kind = match kind {
        // A file imports what its functions use, which have their own edges.
        EdgeKind::Imports => 0.25,
        EdgeKind::References => 0.5,
        _ => 1.0,
    };
    let evidence = match evidence {
        Evidence::Ambiguous => 0.1,
        Evidence::Dispatch | Evidence::UniqueName | Evidence::Callback => 0.5,
        _ => 1.0,
    };
    kind * evidence
}

/// The symbols that matter most and have anything depend on them, at most so many.
pub fn hubs(graph: &Graph, ranks: &Ranks, most: usize) -> Vec<Hub> {
    let used = |ix: &u32| graph.into(*ix).any(|edge| edge.from != *ix);
    let hub = |symbol: u32| {
        let callable = graph.symbol(symbol).kind.is_callable();
        let counts = |kind| if callable { is_call(kind) } else { kind != EdgeKind::Imports };
        let edges = graph.into(symbol).filter(|edge| counts(edge.kind) && edge.from != symbol);
        let mut callers: Vec<u32> = edges.map(|edge| edge.from).collect();
        callers.sort_unstable();
        callers.dedup();
        Hub { symbol, rank: ranks.symbol(symbol), callers: callers.len() }
    };
    ranks.sorted(graph).into_iter().filter(used).take(most).map(hub).collect()
}

#[cfg(test)]
mod tests {
    use super::super::testing::{graph, names, one};
    use super::*;

    #[test]
    fn what_more_depends_on_ranks_higher() {
        let graph = graph(
            "a.py
  function hub 1-2
  function user 3-4
  function other 5-6
  function lone 7-8
user > hub: calls scope @3
other > hub: calls scope @5
other > user: calls scope @6
other > lone: calls ambiguous @6
hub > hub: calls scope @1
",
        );
        let ranks = Ranks::of(&graph);
        assert_eq!(names(&graph, &ranks.sorted(&graph)), ["a.hub", "a.user", "a.lone", "a.other"]);
        let sum: f64 = (0..graph.symbols()).map(|ix| ranks.symbol(ix)).sum();
        assert!((sum - 1.0).abs() < 1e-9, "{sum}");
        let hubs = hubs(&graph, &ranks, 2);
        assert_eq!((hubs[0].symbol, hubs[0].callers, hubs.len()), (one(&graph, "hub"), 2, 2));
    }

    #[test]
    fn without_edges_all_are_alike() {
        let graph = graph("a.py\n  function one 1-2\n  function two 3-4\n");
        let ranks = Ranks::of(&graph);
        assert!((ranks.symbol(1) - ranks.symbol(2)).abs() < 1e-12 && ranks.symbol(1) > 0.0);
        assert!((ranks.file(&graph, 0) - 1.0).abs() < 1e-9);
        assert!(super::hubs(&graph, &ranks, 9).is_empty());
        let none = super::super::testing::graph("");
        assert!(Ranks::of(&none).sorted(&none).is_empty());
    }
}
