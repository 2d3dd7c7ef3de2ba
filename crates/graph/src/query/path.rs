//! How one symbol comes to another.

use crate::graph::{Edge, Graph};
use crate::kinds::{EdgeKind, Evidence};

use super::with_members;

/// The fewest edges that lead from one of `from` to one of `to`, in order; empty where there is no way.
///
/// The edges are calls, instantiations and references. A type stands for its members at both ends. Ambiguous edges are
/// used only where there is no way without one; of several ways of one length the surest edges win, nearest the end
/// first.
pub fn path(graph: &Graph, from: &[u32], to: &[u32]) -> Vec<Edge> {
    let (from, to) = (with_members(graph, from), with_members(graph, to));
    let sure = search(graph, &from, &to, false);
    if sure.is_empty() { search(graph, &from, &to, true) } else { sure }
}

fn search(graph: &Graph, from: &[u32], to: &[u32], ambiguous: bool) -> Vec<Edge> {
    let symbols = graph.symbols() as usize;
    let mut depth: Vec<u32> = vec![u32::MAX; symbols];
    let mut by: Vec<Option<Edge>> = vec![None; symbols];
    let mut is_end = vec![false; symbols];
    for ix in to {
        if let Some(end) = is_end.get_mut(*ix as usize) {
            *end = true;
        }
    }
    let mut level: Vec<u32> = Vec::new();
    for &ix in from {
        if let Some(at) = depth.get_mut(ix as usize)
            && *at == u32::MAX
        {
            *at = 0;
            level.push(ix);
        }
    }
    let mut steps = 0;
    while !level.is_empty() {
        steps += 1;
        let mut next = Vec::new();
        let mut found: Option<Edge> = None;
        for &ix in &level {
            for edge in graph.out(ix).filter(|edge| leads(edge, ambiguous)) {
                let to = edge.to as usize;
                let better = |known: &Option<Edge>| known.is_none_or(|known| rank(&edge) < rank(&known));
                if is_end.get(to) == Some(&true) && depth[to] != 0 && better(&found) {
                    found = Some(edge);
                }
                match depth.get(to) {
                    Some(&u32::MAX) => {
                        depth[to] = steps;
                        by[to] = Some(edge);
                        next.push(edge.to);
                    }
                    Some(&at) if at == steps && better(&by[to]) => by[to] = Some(edge),
                    _ => {}
                }
            }
        }
        if let Some(last) = found {
            return walked_back(last, &by);
        }
        level = next;
    }
    Vec::new()
}

fn walked_back(last: Edge, by: &[Option<Edge>]) -> Vec<Edge> {
    let mut edges = vec![last];
    let mut at = last.from;
    while let Some(Some(edge)) = by.get(at as usize) {
        edges.push(*edge);
        at = edge.from;
    }
    edges.reverse();
    edges
}

fn leads(edge: &Edge, ambiguous: bool) -> bool {
    let kind = matches!(edge.kind, EdgeKind::Calls | EdgeKind::Instantiates | EdgeKind::References);
    kind && (ambiguous || edge.evidence != Evidence::Ambiguous)
}

/// The surer, the smaller; a call before a reference.
fn rank(edge: &Edge) -> (Evidence, EdgeKind, u32, u32) {
    (edge.evidence, edge.kind, edge.from, edge.line)
}

#[cfg(test)]
mod tests {
    use super::super::testing::{graph, one};
    use super::path;
    use crate::graph::Graph;

    fn way(graph: &Graph, from: &str, to: &str) -> Vec<String> {
        let edges = path(graph, &[one(graph, from)], &[one(graph, to)]);
        let start = edges.first().map(|edge| edge.from);
        let all = start.into_iter().chain(edges.iter().map(|edge| edge.to));
        all.map(|ix| graph.symbol(ix).name.to_owned()).collect()
    }

    #[test]
    fn the_fewest_steps() {
        let graph = graph(
            "file.py
  function a 1-2
  function b 3-4
  function c 5-6
  function d 7-8
  function lone 9-10
  class T 11-20
    method m 12-13
a > b: calls scope @1
b > c: calls scope @3
c > d: calls scope @5
a > c: references scope @2
a > d: calls ambiguous @2
d > lone: imports scope @7
d > T.m: calls receiver @8
",
        );
        assert_eq!(way(&graph, "a", "d"), ["a", "c", "d"]);
        assert_eq!(way(&graph, "d", "a"), [""; 0]);
        assert_eq!(way(&graph, "a", "lone"), [""; 0]);
        assert_eq!(way(&graph, "a", "a"), [""; 0]);
        assert_eq!(way(&graph, "c", "T"), ["c", "d", "m"]);
    }

    #[test]
    fn an_ambiguous_way_is_the_last_resort() {
        let graph = graph("file.py\n  function a 1-2\n  function b 3-4\na > b: calls ambiguous @1\n");
        assert_eq!(way(&graph, "a", "b"), ["a", "b"]);
    }
}
