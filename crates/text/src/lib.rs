//! Text as bytes: offsets, ranges, lines, positions, edits and hashes.
//!
//! **What it is.** The values every other crate speaks in. A text is `&[u8]`, because files are bytes and not all of
//! them are UTF-8; an offset counts bytes, a range is half-open; a position is a line and a column in one of the three
//! encodings that language servers use. An [`Edit`] replaces a range, [`Edits`] are disjoint and sorted, and a
//! [`FileOp`] is what `search` and `lsp` return and `edit` takes.
//!
//! **What to read first.** [`LineIndex`] (`line.rs`), then [`Edits`] (`edit.rs`), whose rules about touching and
//! equal ranges decide what a rewrite means.
//!
//! **What it will never do.** No IO: no files, no clock, no environment. It never decodes a text lossily and writes it
//! back: bytes outside an edit are the same bytes by construction.
#![deny(clippy::disallowed_methods, clippy::disallowed_types)]

mod distance;
mod edit;
mod ending;
mod hash;
mod line;
mod op;
mod shown;

pub use distance::letters_apart;
pub use edit::{Conflict, Edit, Edits, apply};
pub use ending::{LineEnding, dominant_line_ending, line_ending_at, with_line_ending};
pub use hash::{ContentHash, NotAHash};
pub use line::{LineIndex, Position, PositionEncoding, PositionError};
pub use op::{FileOp, PlacedEdit};
pub use shown::{lossy, shown};
