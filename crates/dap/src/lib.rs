//! Debug adapters: one session a conversation, and a whole look at every stop.
//!
//! **What it is.** [`Sessions::call`] takes a [`Call`] of a closed set and gives a [`Report`]. A call that makes the program
//! stop answers with everything that is worth knowing there: the reason, the place with its source, the callers, the
//! variables, expressions, breakpoints, what the program wrote. Nothing that a session started is left when it ends.
//!
//! **What to read first.** `docs/debugging.md`. Then `session/mod.rs`, the conversation with an adapter as a pure state
//! machine; `shell/case.rs`, a session with its process; `shell/look.rs`, how a stop becomes an answer; `shell/start.rs`,
//! the order in which things are said; `recipe.rs`, how a test is made to stop at its failure.
//!
//! **What it will never do.** It never lets a program live beyond its lifetime, whatever is asked of it meanwhile. It
//! ends no session so that another can begin. It evaluates nothing that may change the program unless it is told to, and
//! it never evaluates what an adapter would take for a command. It writes no file of the user.

#![cfg(unix)]

mod answer;
mod call;
mod cap;
mod error;
mod expr;
mod frames;
mod recipe;
mod redact;
mod ring;
mod session;
mod shell;
mod spot;
mod values;
mod verdict;

pub use answer::{
    Break, Build, Capped, Changed, EndedBy, Exception, Expanded, Expr, ExprError, Frame, Mode, Output, Pids, Place,
    Process, Report, SourceLine, State, Stop, Thread, Var, Verdict,
};
pub use call::{AdapterConfig, Call, Failure, Framework, Go, How, Launch, Look, Op, Spot, StopOn, Target};
pub use error::{Error, Holder, Kind};
pub use shell::{AdapterStatus, SessionStatus, Sessions, Settings, survey};
pub use spot::{Place as WrittenPlace, Written, line_with, place, read as read_spot};
pub use tokio_util::sync::CancellationToken;
