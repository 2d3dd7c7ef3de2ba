//! What a producer of changes hands to the gate.

use serde::{Deserialize, Serialize};
use std::fmt;
use vise_text::FileOp;

/// A change as its producer computed it, not yet checked against the gate's rules.
#[derive(Clone, Debug, Default)]
pub struct Draft {
    /// The steps, in order: a later one sees what the earlier ones did.
    pub ops: Vec<FileOp>,
    /// Files that may not be written are changed all the same and keep their mode.
    pub allow_read_only: bool,
    /// One refused file refuses everything: half a rename is worse than none. Otherwise a refused file is listed and
    /// the rest is prepared.
    pub all_or_nothing: bool,
    /// Comments that the change loses, with the user's consent.
    pub dropped_comments: Vec<DroppedComment>,
    /// Places that the producer itself would not change.
    pub refused: Vec<Refusal>,
    /// How many new matches the change's own pattern would find in its result.
    pub rematches: usize,
    /// The producer stopped before its passes came to rest.
    pub not_converged: bool,
    /// Whatever else a reviewer should know.
    pub notes: Vec<String>,
}

/// A comment that is lost.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DroppedComment {
    /// The file, as answers call it.
    pub file: String,
    /// The line, from 1.
    pub line: usize,
    /// The comment.
    pub text: String,
}

/// A file or place that is left as it is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Refusal {
    /// The file, as answers call it.
    pub file: String,
    /// The line, from 1; none where the whole file is meant.
    pub line: Option<usize>,
    /// The reason in words.
    pub why: String,
    /// The reason as a word.
    pub reason: Reason,
}

/// Why something is refused, as a word that programs can rely on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Reason {
    /// The file has further names, which a replacement would leave behind.
    HardLinked,
    /// The path, or a link on its way, leaves the workspace.
    OutsideWorkspace,
    /// The file or its folder may not be written.
    ReadOnly,
    /// Two paths of the change are the same file.
    AliasedTarget,
    /// An ignored file that was not named.
    Ignored,
    /// The content is not text.
    Binary,
    /// The file is longer than allowed.
    TooLarge,
    /// New text that is not ASCII for a file that is not UTF-8.
    NotUtf8Template,
    /// The place is not the only one that fits.
    Ambiguous,
    /// `.git` and our own state are no place for edits.
    Protected,
    /// A folder, a device, a pipe or a socket.
    NotAFile,
    /// The file to be made exists already.
    Exists,
    /// It belongs together with a place that is refused.
    Group,
    /// A comment would be lost.
    CommentLoss,
    /// The result would have more syntax errors.
    SyntaxError,
    /// The captured code would not be in the result.
    CaptureLoss,
    /// The edits of the file overlap.
    Overlap,
    /// A commit that was interrupted cannot be brought to an end.
    RecoveryBlocked,
    /// Something else, said in words.
    Other,
}

/// A file as it would become, for a [`Guard`] to judge.
#[derive(Clone, Copy, Debug)]
pub struct Candidate<'a> {
    /// The file, as answers call it.
    pub file: &'a str,
    /// Its bytes before; none for a new file.
    pub old: Option<&'a [u8]>,
    /// Its bytes after; none for a deleted file.
    pub new: Option<&'a [u8]>,
}

/// A judge of results: what it refuses is left out of the proposal. The gate knows no language, so whoever prepares
/// hands in the check that re-parses.
pub type Guard<'a> = dyn Fn(&Candidate<'_>) -> Vec<Refusal> + 'a;

/// The guard that refuses nothing.
pub fn no_guard(_: &Candidate<'_>) -> Vec<Refusal> {
    Vec::new()
}

impl Reason {
    /// The word.
    pub fn as_str(self) -> &'static str {
        match self {
            Reason::HardLinked => "hard_linked",
            Reason::OutsideWorkspace => "outside_workspace",
            Reason::ReadOnly => "read_only",
            Reason::AliasedTarget => "aliased_target",
            Reason::Ignored => "ignored",
            Reason::Binary => "binary",
            Reason::TooLarge => "too_large",
            Reason::NotUtf8Template => "not_utf8_template",
            Reason::Ambiguous => "ambiguous",
            Reason::Protected => "protected",
            Reason::NotAFile => "not_a_file",
            Reason::Exists => "exists",
            Reason::Group => "group",
            Reason::CommentLoss => "comment_loss",
            Reason::SyntaxError => "syntax_error",
            Reason::CaptureLoss => "capture_loss",
            Reason::Overlap => "overlap",
            Reason::RecoveryBlocked => "recovery_blocked",
            Reason::Other => "other",
        }
    }
}

impl Refusal {
    /// A refusal of a whole file.
    pub fn of_file(file: impl Into<String>, reason: Reason, why: impl Into<String>) -> Refusal {
        Refusal { file: file.into(), line: None, why: why.into(), reason }
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            // It is about no file.
            None if self.file.is_empty() => f.write_str(&self.why),
            Some(line) => write!(f, "`{}:{line}`: {}", self.file, self.why),
            None => write!(f, "`{}`: {}", self.file, self.why),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reasons_read_the_same_in_json() {
        for reason in [Reason::HardLinked, Reason::NotUtf8Template, Reason::NotAFile, Reason::CommentLoss] {
            assert_eq!(serde_json::to_value(reason).unwrap(), reason.as_str());
        }
    }
}
