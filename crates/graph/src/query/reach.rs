//! Walks against the direction of edges.

use crate::graph::{Edge, Graph};
use crate::kinds::{Evidence, SymbolKind};

use super::Affected;

const NOT_YET: u32 = u32::MAX;

/// What a walk knows of the symbols.
struct Walk<'g> {
    graph: &'g Graph,
    depth: Vec<u32>,
    evidence: Vec<Evidence>,
    /// Symbols by their depth.
    levels: Vec<Vec<u32>>,
    most: u32,
}

/// All symbols from which edges lead to the subjects, without these, by depth and place.
///
/// `depth` is the number of steps on a shortest path, `evidence` the weakest on the surest of the shortest paths. An
/// ambiguous step is taken only to reach what nothing else reaches. Top-level code is an end: a file that imports
/// another is not affected by a use in that other's top-level code.
pub(super) fn reverse(
    graph: &Graph,
    subjects: &[u32],
    most: Option<u32>,
    follow: impl Fn(&Edge) -> bool,
) -> Vec<Affected> {
    let symbols = graph.symbols() as usize;
    let mut walk = Walk {
        graph,
        depth: vec![NOT_YET; symbols],
        evidence: vec![Evidence::Compiler; symbols],
        levels: vec![Vec::new()],
        most: most.unwrap_or(NOT_YET),
    };
    for &ix in subjects {
        if let Some(depth) = walk.depth.get_mut(ix as usize)
            && *depth == NOT_YET
        {
            *depth = 0;
            walk.levels[0].push(ix);
        }
    }
    walk.sure(&follow);
    walk.ambiguous(&follow);
    let reached = walk.levels.iter().skip(1).flatten();
    let mut all: Vec<Affected> = reached
        .map(|&symbol| {
            let at = symbol as usize;
            Affected { symbol, depth: walk.depth[at], evidence: walk.evidence[at] }
        })
        .collect();
    all.sort_unstable_by_key(|one| (one.depth, one.symbol));
    all
}

impl Walk<'_> {
    /// Level by level, so that all shortest paths to a symbol are known before it is gone on from.
    fn sure(&mut self, follow: &impl Fn(&Edge) -> bool) {
        let mut level = 0;
        while level < self.levels.len() && (level as u32) < self.most {
            let mut next = Vec::new();
            for at in 0..self.levels[level].len() {
                let to = self.levels[level][at];
                if self.is_end(to, level) {
                    continue;
                }
                let graph = self.graph;
                for edge in graph.into(to).filter(|edge| edge.evidence != Evidence::Ambiguous && follow(edge)) {
                    let weakest = edge.evidence.max(self.evidence[to as usize]);
                    let Some(depth) = self.depth.get_mut(edge.from as usize) else { continue };
                    let known = &mut self.evidence[edge.from as usize];
                    if *depth == NOT_YET {
                        *depth = level as u32 + 1;
                        *known = weakest;
                        next.push(edge.from);
                    } else if *depth == level as u32 + 1 {
                        *known = weakest.min(*known);
                    }
                }
            }
            level += 1;
            if !next.is_empty() {
                self.levels.push(next);
            }
        }
    }

    /// From everything that is known, by depth, over the edges that were left out.
    fn ambiguous(&mut self, follow: &impl Fn(&Edge) -> bool) {
        let mut level = 0;
        while level < self.levels.len() && (level as u32) < self.most {
            for at in 0..self.levels[level].len() {
                let to = self.levels[level][at];
                if self.is_end(to, level) {
                    continue;
                }
                let unsure = self.evidence[to as usize] == Evidence::Ambiguous;
                let graph = self.graph;
                let edges = graph.into(to).filter(|edge| unsure || edge.evidence == Evidence::Ambiguous);
                for edge in edges.filter(follow) {
                    let Some(depth) = self.depth.get_mut(edge.from as usize) else { continue };
                    if *depth != NOT_YET {
                        continue;
                    }
                    *depth = level as u32 + 1;
                    self.evidence[edge.from as usize] = Evidence::Ambiguous;
                    if self.levels.len() == level + 1 {
                        self.levels.push(Vec::new());
                    }
                    self.levels[level + 1].push(edge.from);
                }
            }
            level += 1;
        }
    }

    fn is_end(&self, ix: u32, level: usize) -> bool {
        level > 0 && self.graph.symbol(ix).kind == SymbolKind::Module
    }
}
