//! `Content-Length` frames from bytes and back.
//!
//! **What it is.** A [`Decoder`] is a state machine: bytes go in, in chunks of any size, and frames come out, the same
//! ones however the bytes were cut. It holds at most one header and one body. [`encode()`] is the way back, and the
//! feature `codec` offers both to `tokio_util`.
//!
//! **What to read first.** The table in `docs/peers.md` says what becomes of every oddity on the wire; `header.rs`
//! decides on a line, `decode.rs` on what follows it.
//!
//! **What it will never do.** It reads nothing and waits for nothing, and it knows neither JSON nor any protocol: a
//! frame's body is bytes. It never guesses where a frame may have started after one was broken: an [`Error`] is final.

#![deny(clippy::disallowed_methods, clippy::disallowed_types)]

#[cfg(feature = "codec")]
mod codec;
mod decode;
mod encode;
mod error;
mod header;

#[cfg(feature = "codec")]
pub use codec::{Codec, CodecError};
pub use decode::{Decoder, Junk, Limits};
pub use encode::encode;
pub use error::Error;
