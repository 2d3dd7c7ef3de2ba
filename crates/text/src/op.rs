//! What may happen to a file.

use crate::{ContentHash, Edit};
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};

/// One step of a change. `search` and `lsp` return such steps and `edit` takes them; a later step sees what the
/// earlier ones did, so "edit, rename, edit again" means what it says.
///
/// A path is absolute or relative to the root of the workspace.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum FileOp {
    /// Makes a file that does not exist yet. To replace a whole file, splice its whole range.
    Create {
        /// The new file.
        path: PathBuf,
        /// Its content.
        text: Vec<u8>,
        /// Whether it may be run as a program.
        executable: bool,
    },
    /// Removes a file.
    Delete {
        /// The file.
        path: PathBuf,
    },
    /// Moves a file to a name that is free.
    Rename {
        /// The old name.
        from: PathBuf,
        /// The new name.
        to: PathBuf,
    },
    /// Changes whether a file may be run as a program.
    SetExecutable {
        /// The file.
        path: PathBuf,
        /// Whether it may.
        executable: bool,
    },
    /// Replaces ranges of a file.
    Splice {
        /// The file.
        path: PathBuf,
        /// The hash of the text that the ranges are ranges of. Another text there is a stale edit.
        old: ContentHash,
        /// The edits, in any order.
        edits: Vec<PlacedEdit>,
    },
}

/// An edit with what a reviewer needs to know of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlacedEdit {
    /// The edit.
    pub edit: Edit,
    /// Edits with the same label, in whatever file, are made together or not at all. None stands alone.
    pub group: Option<String>,
    /// What is done here, in a few words for a reviewer: the rule, the old name. May be empty.
    pub what: String,
    /// How many matches this edit replaces: one, and one more for each match nested in it that it rewrites too.
    pub matches: usize,
}

impl PlacedEdit {
    /// An edit that stands alone and replaces one match.
    pub fn new(edit: Edit) -> PlacedEdit {
        PlacedEdit { edit, group: None, what: String::new(), matches: 1 }
    }
}

impl FileOp {
    /// The file as it is called before the step, and after it where that differs.
    pub fn paths(&self) -> (&Path, Option<&Path>) {
        match self {
            FileOp::Create { path, .. }
            | FileOp::Delete { path }
            | FileOp::SetExecutable { path, .. }
            | FileOp::Splice { path, .. } => (path, None),
            FileOp::Rename { from, to } => (from, Some(to)),
        }
    }
}
