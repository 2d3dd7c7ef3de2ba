//! The files that depend on files, for who wants to know what a change may break.

use std::collections::{BTreeMap, HashSet};

use super::index;
use crate::{Session, ToolError};

/// The files that use something of `files`, those with the most uses first, at most so many; and how many were left out.
pub(crate) fn dependents(session: &Session, files: &[String], most: usize) -> Result<(Vec<String>, usize), ToolError> {
    let opened = index::open(session)?;
    let graph: &vise_graph::Graph = &opened.graph;
    let changed: HashSet<u32> = files.iter().filter_map(|file| graph.file_named(file)).collect();
    let mut uses: BTreeMap<u32, usize> = BTreeMap::new();
    for file in &changed {
        for edge in graph.file(*file).symbols.flat_map(|symbol| graph.into(symbol)) {
            let from = graph.symbol(edge.from).file_ix;
            if !changed.contains(&from) {
                *uses.entry(from).or_default() += 1;
            }
        }
    }
    let mut found: Vec<(u32, usize)> = uses.into_iter().collect();
    found.sort_by_key(|(file, uses)| (std::cmp::Reverse(*uses), *file));
    let left = found.len().saturating_sub(most);
    Ok((found.into_iter().take(most).map(|(file, _)| graph.file(file).path.to_owned()).collect(), left))
}
