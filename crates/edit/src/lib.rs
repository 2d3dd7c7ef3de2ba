//! The edit gate: every change is prepared, reviewed, and then accepted whole or not at all.
//!
//! **What it is.** [`prepare()`] turns a [`Draft`] (file steps against captured texts) into a [`Proposal`] that holds the
//! old and the new bytes of every file and is kept in a [`Store`]; [`resolve()`] accepts or discards it. Accepting
//! compares every file with what was captured, writes all of them or none, and rolls back when any step fails.
//!
//! **What to read first.** `docs/edits.md` for what is promised; then [`Draft`] (`draft.rs`), `replay.rs` (how steps
//! become one [`Slot`] a path) and `commit.rs` (the order of the system calls, which is the heart of it).
//!
//! **What it will never do.** It computes no match and no edit, and nothing at resolve that was not reviewed: accepted
//! bytes are stored bytes. It never re-bases a stale proposal. It reads no clock and no environment, and it touches a
//! disk only through [`vise_workspace::Files`].

mod commit;
mod diff;
mod draft;
mod error;
mod journal;
mod moment;
mod part;
mod place;
mod prepare;
mod proposal;
mod record;
mod recover;
mod replay;
mod report;
mod resolve;
mod slot;
mod store;
mod undo;

pub use diff::{Version, unified_diff};
pub use draft::{Candidate, Draft, DroppedComment, Guard, Reason, Refusal, no_guard};
pub use error::{Error, Kind};
pub use moment::Moment;
pub use part::Piece;
pub use place::{OldRange, Place};
pub use prepare::prepare;
pub use proposal::{Proposal, State, Texts};
pub use recover::{Conflict, Recovered, Side, recover};
pub use report::{Report, ReportedFile, Summary};
pub use resolve::{Decision, Durability, LIFETIME_SECONDS, Resolution, Rest, accept_part, resolve};
pub use slot::{Identity, New, Old, Slot};
pub use store::Store;
pub use undo::undo;
