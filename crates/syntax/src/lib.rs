//! Languages as data, and parsing.
//!
//! What it is: the one place that knows tree-sitter. A [`Language`] is a compiled-in grammar (or a user's
//! library) with a `language.toml`; [`parse`] turns bytes into a [`Document`], always, with its errors.
//!
//! Read first: [`description`] (what a language file may say), then [`node`], then [`parse`].
//!
//! It never recurses on the depth of a tree, never reads a file outside `shell.rs`, and knows nothing of patterns,
//! symbols or edits.

pub mod adapters;
pub mod description;
mod grammars;
mod inject;
mod language;
mod memory;
pub mod node;
mod parse;
mod registry;
pub mod rules;
pub mod servers;
mod shell;

pub use description::RungName;
pub use inject::{Injections, TreeArena};
pub use language::{KindSet, Language, Query};
pub use memory::{Allocator, set_allocator};
pub use node::{Cursor, FieldId, KindId, Node, visit};
pub use parse::{Document, MAX_BYTES, OverBudget, errors, parse, parse_fragment, parse_once};
pub use registry::Registry;
