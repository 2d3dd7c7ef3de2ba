//! The files of a workspace: find them, read them, and the few steps by which they are written.
//!
//! **What it is.** [`discover_root`] and [`walk()`] say which files there are (ignore rules, hidden names, globs, named
//! paths), [`read()`] gives a file's bytes or the reason why not, and [`Files`] is every system call that the edit gate
//! makes, as a trait, so that a test can make the third of them fail. [`git_changes`] asks git what differs.
//!
//! **What to read first.** [`walk()`] (`walk.rs`), then [`Files`] (`files.rs`) with [`Disk`] (`disk.rs`), which is real, and
//! [`Memory`] (`memory.rs`), whose power can be cut.
//!
//! **What it will never do.** It drops no file silently: what a walk or a read leaves out comes back with its reason.
//! It knows nothing of proposals or languages, and it decides no write: that is the gate's.

mod disk;
mod error;
mod files;
mod git;
mod list;
mod memory;
mod read;
mod root;
mod walk;

pub use disk::{Disk, Held};
pub use error::{Error, ErrorKind};
pub use files::{Files, Kind, Lock, Stage, Stat, unsupported};
pub use git::{GitChange, GitLines, git_changes, git_head};
pub use list::{Listing, ignore_files, list, outer_ignore_files};
pub use memory::Memory;
pub use read::{MINIFIED_LONGEST_LINE, MINIFIED_MEAN_LINE, MINIFIED_MINIMUM, ReadOptions, SkipReason, read};
pub use root::{absolute, discover_root, shown_path};
pub use walk::{Skipped, Walk, WalkOptions, WalkedFile, walk};
