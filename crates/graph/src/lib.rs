//! The code graph: what is here, and what depends on it.
//!
//! **What it is.** One pass over each file's tree gives [`facts`]; [`resolve`] turns the facts of all files into edges,
//! each with the evidence for it; the [`Graph`] answers questions about them.
//!
//! **What to read first.** [`kinds`] (the closed sets), [`facts`] (what a file says), then `docs/graph.md`.
//!
//! **What it will never do.** It knows no types that the text does not show, and guesses none: what it could not
//! resolve is counted, not linked. It writes nothing but its own store.

pub mod export;
mod extract;
pub mod facts;
pub mod graph;
pub mod index;
pub mod kinds;
#[cfg(feature = "scip")]
mod places;
pub mod query;
pub mod resolution;
pub mod resolve;
mod rules;
#[cfg(test)]
mod sample;
pub mod source;
pub mod sql;
mod store;
mod texts;
pub mod tier;
pub mod view;

/// Changes with the code of this crate and of the parser's side of `vise_syntax`: facts and graphs that were stored under
/// another are not this build's.
pub const CODE: &str = env!("VISE_GRAPH_CODE");

/// The optional parts that this crate was built with.
pub const FEATURES: &[&str] = &[
    #[cfg(feature = "bundled")]
    "bundled-sqlite",
    #[cfg(feature = "parquet")]
    "parquet",
    #[cfg(feature = "scip")]
    "scip",
];

pub use extract::{dump, extract, facts_of};
pub use graph::{BuiltFile, Damaged, Edge, FileView, Graph, Meta, SymbolView};
pub use kinds::{EdgeKind, Evidence, SymbolKind};
pub use rules::Rules;
