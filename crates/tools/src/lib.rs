//! Every agent-facing tool, declared once: its input, page, effect, run and report.
//!
//! **What it is.** A tool is a flat input struct (its doc comments are the flags' help and the schema at once), a page
//! that says when to use it and when not, and an [`Input::run`], which gives a report or a [`ToolError`]. A report
//! is the contract's JSON through `Serialize` and what people and agents read through `Display`. [`TOOLS`] is the whole
//! product on one screen.
//!
//! **What to read first.** [`TOOLS`], then [`AstGrep`] (`ast_grep.rs`) and the pipeline under it (`look.rs`), then
//! [`Session`].
//!
//! **What it will never do.** It writes no file but through the edit gate, prints nothing, reads no environment and no
//! arguments, and has no thread of its own: rayon's do the work.

mod accept;
mod ast_edit;
mod ast_grep;
mod check;
mod columns;
mod dump;
mod error;
mod filters;
mod foresee;
mod graph;
mod json;
mod living;
mod look;
mod lsp;
mod near;
mod nearest;
mod paint;
mod plain;
mod proposal_text;
mod proposals;
mod query;
mod schema;
mod session;
mod tally;
mod text;
mod tool;

pub use accept::{Diagnostics, ResolveReport};
pub use ast_edit::{AstEdit, AstEditReport};
pub use ast_grep::{AstGrep, AstGrepReport, json_lines, summary_line, text_of};
pub use check::{CheckFiles, CheckReport};
pub use dump::{Dump, DumpReport};
pub use error::{ErrorKind, ToolError};
pub use filters::{Filters, Rung};
pub use graph::{
    Drawn, ExportForm, Exported, Graph, GraphOp, GraphReport, Import, ImportReport, MAX_INDEX_BYTES, NamedFiles,
    ViewForm,
};
pub use living::{Living, ServedFiles, WordFiles};
pub use look::FoundIn;
pub use lsp::{Lsp, LspOperation, LspReport};
pub use near::Near;
pub use nearest::nearest;
pub use paint::{Paint, Role};
pub use plain::{Action, ApplyPatch, Edit, PlainReport, Write, propose_files};
pub use proposals::{
    Decision, Proposals, ProposalsReport, Recover, RecoverReport, Resolve, Show, ShowReport, Undo, recover_first,
};
pub use session::{GraphOptions, MAX_FILE_BYTES, MAX_PER_ANSWER, Progress, Saying, Session};
pub use tally::{ReadingCount, Skip, Summary};
pub use text::{TextOptions, summary as summary_text};
pub use tool::{Answer, Effect, Input, TOOLS, Tool};
/// What the code graph was built with.
pub use vise_graph::FEATURES;
pub use vise_syntax::{Allocator, Registry, set_allocator};
pub use vise_text::{ContentHash, shown};
pub use vise_workspace::{WalkOptions, discover_root, shown_path, walk};
