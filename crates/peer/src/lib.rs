//! A child process that speaks frames, and the certain end of everything it starts.
//!
//! **What it is.** [`Peer::start`] runs a program under a guard: a process of our own that outlives us for as long as
//! it takes to end the program's whole tree. Frames go in by [`Peer::send`] and come out of [`Incoming`]; reading,
//! writing and standard error are three tasks, none of which waits for another.
//!
//! **What to read first.** `docs/peers.md`: what survives what, and every limit. Then `guard/mod.rs` (the other side of
//! the control socket), `guard/sweep.rs` (how a tree is ended), and `peer.rs`.
//!
//! **What it will never do.** It knows no protocol: ids, sequence numbers and polite goodbyes belong to `lsp` and `dap`.
//! It runs no shell, ends no process by its name, and never takes the end of a stream for the end of a process.
//!
//! Linux is what is tested. Other Unix systems have no subreaper; the code for them walks parents and asks `ps`, and is
//! untested. On anything else the crate is empty.

#![cfg(unix)]

mod deadline;
mod environment;
mod error;
mod guard;
mod input;
mod janitor;
mod output;
mod peer;
mod processes;
mod start;
mod supervisor;
mod tail;

pub use deadline::{Cut, Deadline};
pub use environment::{NONCE, scrubbed};
pub use error::Error;
pub use guard::{Exit, Named, close_inherited, guard_main};
pub use janitor::Janitor;
pub use output::Incoming;
pub use peer::{Ending, Memory, Peer, Status};
pub use start::{GuardProgram, Limits, Start};
pub use tail::StderrTail;
