//! Questions to the graph, each a function of its read view: numbers of symbols and edges in, numbers out.
//!
//! A question knows nothing of files, terminals or budgets. What it gives is complete and in a fixed order; cutting it
//! to what somebody can read, and turning numbers into words, is the caller's work ([`SymbolJson`] and [`EdgeJson`]
//! are the contract's forms).
//!
//! Three rules hold for all of them. Containment is not dependency: a file is not affected because a function in it
//! is. A type stands for its members where it is what was asked about, and only there. And an edge with the evidence
//! `ambiguous` never takes the place of a sure one: a walk uses it only to reach what nothing else reaches.

mod callers;
mod cycles;
mod impact;
mod json;
mod outline;
mod path;
mod rank;
mod reach;
mod subject;
mod suggest;
mod touched;
mod unused;

#[cfg(test)]
pub(crate) mod testing;

pub use callers::{Uses, callees, callers, missed_calls, references};
pub use cycles::{Cycle, file_cycles, symbol_cycles};
pub use impact::{Affected, Reach, TestReach, impact, reach_of_changed, tests};
pub use json::{EdgeJson, SymbolJson, id_text};
pub use outline::{Outlined, files_below, members};
pub use path::path;
pub use rank::{Hub, Ranks, hubs};
pub use subject::{find, resolve};
pub use suggest::suggest;
pub use touched::{ChangedFile, ChangedLines, touched};
pub use unused::{Unused, unused};

use crate::facts::flag;
use crate::graph::{Graph, SymbolView};
use crate::kinds::SymbolKind;

/// Whether a symbol is a test that can be run, rather than a helper or the file of one.
pub fn is_test(symbol: &SymbolView<'_>) -> bool {
    symbol.kind == SymbolKind::Test || (symbol.kind.is_callable() && symbol.flags & flag::TEST != 0)
}

/// The symbols with everything that is defined inside those of them that are types, and inside namespaces.
pub(crate) fn with_members(graph: &Graph, subjects: &[u32]) -> Vec<u32> {
    let mut all = subjects.to_vec();
    let mut seen: rustc_hash::FxHashSet<u32> = all.iter().copied().collect();
    let mut at = 0;
    while let Some(&ix) = all.get(at) {
        at += 1;
        let kind = graph.symbol(ix).kind;
        if kind.is_type() || kind == SymbolKind::Namespace {
            all.extend(graph.children(ix).filter(|child| seen.insert(*child)));
        }
    }
    all
}

/// The symbols with the constructors of those of them that are types.
pub(crate) fn with_constructors(graph: &Graph, subjects: &[u32]) -> Vec<u32> {
    let mut all = subjects.to_vec();
    for &ix in subjects {
        if graph.symbol(ix).kind.is_type() {
            let constructor = |child: &u32| graph.symbol(*child).kind == SymbolKind::Constructor;
            all.extend(graph.children(ix).filter(constructor).filter(|child| !subjects.contains(child)));
        }
    }
    all
}
