//! Language servers: what they know, asked by symbol, file and line.
//!
//! **What it is.** [`select`] says which servers serve a file, and [`Pool::ask`] asks the first that starts: a [`Query`] of a closed set goes in,
//! an [`Answer`] of a closed set comes out. There is no other way to a server, so nothing else reaches one. A change that a
//! server proposes comes out as file operations for the edit gate; nothing is written here.
//!
//! **What to read first.** `docs/language-servers.md`. Then `session/mod.rs`, the conversation with one server as a pure
//! state machine; `gate.rs`, why the first answers of a server are not believed; `edits.rs`, what a change must be. The
//! processes are in `shell.rs` and below.
//!
//! **What it will never do.** It applies no edit and runs no command of a server but for the edit that it proposes. It
//! sleeps for no fixed time, and it never calls an answer complete that came while a server was still reading files. It
//! looks at no text but that of the disk: there are no unsaved buffers.

#![cfg(unix)]

mod anchor;
mod answer;
mod convert;
mod edits;
mod error;
mod gate;
mod ledger;
mod lines;
mod message;
mod pool;
mod preset;
mod session;
mod shell;
mod survey;
mod uri;

pub use answer::{
    Answer, Call, Check, CheckAnswer, Checked, CodeAction, Diagnostic, Location, Operation, Outcome, Query, Severity,
    State, Symbol,
};
pub use error::Error;
pub use gate::Words;
pub use ledger::Ledger;
pub use pool::PoolLimits;
pub use preset::{
    Choice, NoServer, Selection, ServerConfig, ServerSpec, Surroundings, Unusable, configure, presets, select,
};
pub use shell::{Ledgers, Machine, Pool, PoolSettings, ServerStatus};
pub use survey::{Served, survey};
pub use tokio_util::sync::CancellationToken;
