//! Plain edits: `write`, `edit` and `apply_patch`. Each prepares a proposal like every other change, and accepts it at
//! once unless it is asked to stop there.

mod edit;
mod occurrences;
mod patch;
mod symbol;
mod write;

use std::fmt;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use vise_edit::{Draft, Proposal, Reason, Refusal, Store, no_guard, prepare};
use vise_text::{FileOp, shown};
use vise_workspace::{ReadOptions, SkipReason, absolute, read, shown_path};

use crate::accept::{ResolveReport, accept};
use crate::paint::Paint;
use crate::proposal_text::{self, DIFF_LINES};
use crate::{ErrorKind, Session, ToolError};

pub use edit::{Action, Edit};
pub use patch::ApplyPatch;
pub use write::{Write, propose_files};

/// What became of a plain edit.
#[derive(Debug)]
pub enum PlainReport {
    /// Every file is already as it should be.
    Nothing(String),
    /// It waits for a decision.
    Prepared(Box<Proposal>),
    /// It is written.
    Written(ResolveReport),
}

impl PlainReport {
    /// The report as text. `limit`: the most lines of the diff that are shown.
    pub fn text(&self, paint: Paint, limit: Option<usize>) -> String {
        match self {
            Self::Nothing(why) => format!("nothing to change: {}\n", shown(why.as_bytes())),
            Self::Prepared(proposal) => proposal_text::proposal(proposal, paint, limit),
            Self::Written(resolved) => resolved.to_string(),
        }
    }
}

impl fmt::Display for PlainReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text(Paint::default(), Some(DIFF_LINES)))
    }
}

impl Serialize for PlainReport {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        struct Nothing<'a> {
            proposal: (),
            state: (),
            files: [(); 0],
            diagnostics: (),
            notes: [&'a str; 1],
        }
        match self {
            Self::Nothing(why) => {
                Nothing { proposal: (), state: (), files: [], diagnostics: (), notes: [why] }.serialize(serializer)
            }
            Self::Prepared(proposal) => proposal.report().serialize(serializer),
            Self::Written(resolved) => resolved.serialize(serializer),
        }
    }
}

/// Prepares a change, and accepts it unless only a proposal is wanted.
fn propose(session: &Session, draft: Draft, prepare_only: bool) -> Result<PlainReport, ToolError> {
    session.go_on()?;
    if let Some(op) = draft.ops.iter().find(|op| holds_nul(op)) {
        let file = shown_path(&session.root, op.paths().0);
        return Err(refused(Refusal::of_file(file, Reason::Binary, "the new text holds a NUL byte")));
    }
    let store = Store::open(&session.state_home);
    // Half of what somebody wrote down is not what they meant.
    let draft = Draft { all_or_nothing: true, ..draft };
    let proposal = match prepare(&store, &session.root, draft, (session.now)().into(), &no_guard) {
        Ok(proposal) => proposal,
        Err(vise_edit::Error::NoChange) => {
            return Ok(PlainReport::Nothing("the files have these texts already".to_owned()));
        }
        Err(error) => return Err(error.into()),
    };
    if prepare_only {
        return Ok(PlainReport::Prepared(Box::new(proposal)));
    }
    let mut report = accept(session, &store, &proposal.id, &[])?;
    report.resolution.notes.splice(0..0, proposal.notes);
    Ok(PlainReport::Written(report))
}

fn holds_nul(op: &FileOp) -> bool {
    match op {
        FileOp::Create { text, .. } => text.contains(&0),
        FileOp::Splice { edits, .. } => edits.iter().any(|placed| placed.edit.text.contains(&0)),
        _ => false,
    }
}

/// A file that an edit names.
struct Target {
    path: PathBuf,
    /// As answers call it.
    file: String,
    /// What it holds; none where there is no file.
    text: Option<Vec<u8>>,
}

impl Target {
    /// Reads the file that `given` names from `folder`.
    fn read(session: &Session, folder: &Path, given: &Path) -> Result<Self, ToolError> {
        let path = absolute(folder, given);
        let file = shown_path(&session.root, &path);
        let options = ReadOptions { max_bytes: session.max_file_bytes, named: true };
        let reason = match read(&path, &options) {
            Ok(text) => return Ok(Self { path, file, text: Some(text) }),
            Err(SkipReason::Vanished) => return Ok(Self { path, file, text: None }),
            Err(reason) => reason,
        };
        let (reason, why) = match reason {
            SkipReason::Binary => (Reason::Binary, "the file is binary".to_owned()),
            SkipReason::TooLarge => {
                (Reason::TooLarge, format!("the file is longer than {} bytes", session.max_file_bytes))
            }
            SkipReason::NotAFile => (Reason::NotAFile, "it is no regular file".to_owned()),
            _ => {
                let message = format!("`{file}` cannot be read");
                return Err(ToolError::new(ErrorKind::Unavailable, message));
            }
        };
        Err(refused(Refusal::of_file(file, reason, why)))
    }

    /// What the file holds; that it is not there is a wrong question.
    fn existing(self) -> Result<(PathBuf, String, Vec<u8>), ToolError> {
        match self.text {
            Some(text) => Ok((self.path, self.file, text)),
            None => Err(ToolError::bad_input(format!("no such file: `{}`", self.file))
                .hint("`write` makes a file; paths are taken from the current folder")),
        }
    }
}

fn refused(refusal: Refusal) -> ToolError {
    vise_edit::Error::Refused(vec![refusal]).into()
}

/// New text that is not ASCII has no bytes of its own in a file whose encoding nobody knows.
fn check_encoding(file: &str, old: &[u8], new: &[u8]) -> Result<(), ToolError> {
    if new.is_ascii() || std::str::from_utf8(old).is_ok() {
        return Ok(());
    }
    let why = "the file is not UTF-8, and the new text is not ASCII, so its bytes are not known";
    Err(refused(Refusal::of_file(file, Reason::NotUtf8Template, why)))
}

/// A text of an input as bytes: on a command line it need not be UTF-8.
fn bytes<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<u8>, D::Error> {
    String::deserialize(deserializer).map(String::into_bytes)
}
