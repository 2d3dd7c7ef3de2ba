//! What depends on itself in a circle.

use crate::graph::Graph;
use crate::kinds::{EdgeKind, Evidence};

use super::callers::is_call;

/// A largest set in which each member leads to every other.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Cycle {
    /// Numbers of files or symbols: of a single ring in the order of its edges, from the first on, else in order.
    pub members: Vec<u32>,
    /// Whether it is a single ring.
    pub ring: bool,
}

/// Circles of files that import each other. All imports count, also those inside functions.
pub fn file_cycles(graph: &Graph) -> Vec<Cycle> {
    let mut next: Vec<Vec<u32>> = vec![Vec::new(); graph.files() as usize];
    for ix in 0..graph.symbols() {
        for edge in graph.out(ix).filter(|edge| edge.kind == EdgeKind::Imports) {
            let to = graph.symbol(edge.to).file_ix;
            if edge.file != to
                && let Some(row) = next.get_mut(edge.file as usize)
            {
                row.push(to);
            }
        }
    }
    rings(next)
}

/// Circles of symbols that call each other. A function that calls itself is no circle, and ambiguous edges make none.
pub fn symbol_cycles(graph: &Graph) -> Vec<Cycle> {
    let calls = |ix: u32| {
        let edges = graph.out(ix).filter(|edge| is_call(edge.kind) && edge.evidence != Evidence::Ambiguous);
        edges.map(|edge| edge.to).filter(|to| *to != ix).collect()
    };
    rings((0..graph.symbols()).map(calls).collect())
}

/// The strongly connected parts with more than one member, by Tarjan's method with a stack of its own.
fn rings(mut next: Vec<Vec<u32>>) -> Vec<Cycle> {
    const NOT_YET: u32 = u32::MAX;
    for row in &mut next {
        row.sort_unstable();
        row.dedup();
    }
    let count = next.len();
    let mut order = vec![NOT_YET; count];
    let mut low = vec![0u32; count];
    let mut open = vec![false; count];
    let mut stack: Vec<u32> = Vec::new();
    let mut number = 0;
    let mut found = Vec::new();
    for start in 0..count as u32 {
        if order[start as usize] != NOT_YET {
            continue;
        }
        // A member with how many of its edges were followed.
        let mut walk: Vec<(u32, usize)> = vec![(start, 0)];
        while let Some((at, followed)) = walk.last_mut() {
            let ix = *at as usize;
            if *followed == 0 && order[ix] == NOT_YET {
                order[ix] = number;
                low[ix] = number;
                number += 1;
                stack.push(*at);
                open[ix] = true;
            }
            if let Some(&to) = next[ix].get(*followed) {
                *followed += 1;
                let to = to as usize;
                if to >= count {
                    continue;
                }
                if order[to] == NOT_YET {
                    walk.push((to as u32, 0));
                } else if open[to] {
                    low[ix] = low[ix].min(order[to]);
                }
                continue;
            }
            let done = *at;
            walk.pop();
            if let Some((before, _)) = walk.last() {
                let before = *before as usize;
                low[before] = low[before].min(low[ix]);
            }
            if low[ix] == order[ix] {
                let from = stack.iter().rposition(|member| *member == done).unwrap_or(0);
                let ring = stack.split_off(from);
                ring.iter().for_each(|member| open[*member as usize] = false);
                if ring.len() > 1 {
                    found.push(in_order(ring, &next));
                }
            }
        }
    }
    found.sort_unstable();
    found
}

/// A ring in the order of its edges, other sets sorted.
fn in_order(mut members: Vec<u32>, next: &[Vec<u32>]) -> Cycle {
    members.sort_unstable();
    let mut ring = Vec::with_capacity(members.len());
    let mut at = members[0];
    loop {
        ring.push(at);
        let mut inside = next[at as usize].iter().filter(|to| members.binary_search(to).is_ok());
        match (inside.next(), inside.next()) {
            (Some(&to), None) if to == members[0] && ring.len() == members.len() => {
                return Cycle { members: ring, ring: true };
            }
            (Some(&to), None) if ring.len() < members.len() => at = to,
            _ => return Cycle { members, ring: false },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{graph, names};
    use super::*;

    #[test]
    fn files_that_import_each_other() {
        let graph = graph(
            "a.py
  function f 2-3
b.py
c.py
d.py
e.py
c.py > a.py: imports import @1
a.py > b.py: imports import @1
b.py > c.py: imports import @1
d.py > a.py: imports import @1
f > e.py: imports import @2
e.py > f: references import @1
",
        );
        let cycles = file_cycles(&graph);
        let paths: Vec<Vec<&str>> =
            cycles.iter().map(|cycle| cycle.members.iter().map(|file| graph.file(*file).path).collect()).collect();
        assert_eq!(paths, [["a.py", "b.py", "c.py"]]);
    }

    #[test]
    fn symbols_that_call_each_other() {
        let graph = graph(
            "a.py
  function z 1-2
  function even 3-4
  function odd 5-6
  function alone 7-8
  function p 9-10
  function q 11-12
even > odd: calls scope @3
odd > even: calls scope @5
z > even: calls scope @1
alone > alone: calls scope @7
p > q: calls scope @9
q > p: calls ambiguous @11
",
        );
        let cycles = symbol_cycles(&graph);
        assert_eq!(cycles.iter().map(|cycle| names(&graph, &cycle.members)).collect::<Vec<_>>(), [["a.even", "a.odd"]]);
    }

    #[test]
    fn two_rings_that_share_a_member_are_one_set() {
        let found = |next: Vec<Vec<u32>>| {
            rings(next).into_iter().map(|cycle| (cycle.members, cycle.ring)).collect::<Vec<(Vec<u32>, bool)>>()
        };
        assert_eq!(found(vec![vec![1, 2], vec![0], vec![0]]), [(vec![0, 1, 2], false)]);
        assert_eq!(found(vec![vec![2], vec![0], vec![1]]), [(vec![0, 2, 1], true)]);
        assert_eq!(found(vec![vec![1], vec![0], vec![3], vec![2], vec![4]]), [(vec![0, 1], true), (vec![2, 3], true)]);
        assert_eq!(found(vec![vec![9], vec![]]), []);
    }

    #[test]
    fn a_long_ring_needs_no_deep_stack() {
        let count = 300_000;
        let ring = rings((0..count).map(|ix| vec![(ix + 1) % count]).collect());
        assert_eq!(ring[0].members.len(), count as usize);
    }
}
