//! Structural search and rewrite: where does this shape occur, and what would replace it.
//!
//! What it is: a [`Pattern`] is source text with metavariables, read by the grammar of the files in one of the
//! language's scaffolds and compiled to a `program`; [`Pattern::find`] gives the matches in a parsed document;
//! [`rewrite`](rewrite::rewrite) gives the edits that put a [`Template`](rewrite::Template) in their place.
//!
//! Read first: `docs/patterns.md` (what a pattern means), then `ladder` (how it is read), `program` and
//! `machine` (how it is matched), `find` (where it is tried).
//!
//! It never reads or writes a file, starts a thread or looks at the clock, and it never recurses on the depth of a
//! tree. It knows nothing of proposals.

#![deny(clippy::disallowed_methods, clippy::disallowed_types)]

mod compile;
mod describe;
mod find;
mod harvest;
mod items;
mod ladder;
mod machine;
pub mod matches;
pub mod metavariable;
mod pattern;
mod prefilter;
mod program;
pub mod rewrite;
mod scaffold;
mod settle;
mod strings;
mod tokens;

pub use describe::DescribedReading;
pub use ladder::{Context, NoReading};
pub use matches::{Binding, Bound, Captured, Found, Kept, Match, ReadingName};
pub use metavariable::Kind;
pub use pattern::{NearMiss, Options, Pattern, PatternError, keep_having, keep_inside};
