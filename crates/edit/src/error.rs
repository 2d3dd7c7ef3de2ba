//! What can go wrong at the gate.

use crate::{Reason, Refusal, State};
use std::fmt;
use std::io;
use std::path::PathBuf;
use vise_text::Conflict;

/// Why a change was not prepared or not resolved. Nothing was written, but for [`Error::HalfUndone`].
#[derive(Debug)]
pub enum Error {
    /// No proposal has this id.
    NoSuchProposal(String),
    /// What was given is no id and no beginning of one.
    BadId(String),
    /// The beginning of an id that several proposals share.
    AmbiguousId {
        /// As it was given.
        id: String,
        /// The proposals.
        candidates: Vec<String>,
    },
    /// The proposal was decided the other way before.
    Decided {
        /// The proposal.
        id: String,
        /// What it is now.
        state: State,
    },
    /// Only what was accepted can be undone.
    NotAccepted {
        /// The proposal.
        id: String,
        /// What it is.
        state: State,
    },
    /// Nothing was accepted that could be undone.
    NothingToUndo,
    /// What was chosen of a proposal cannot be accepted by itself.
    BadChoice {
        /// The proposal.
        id: String,
        /// Why not.
        why: String,
    },
    /// Files are no longer what they were when the change was computed: all of them are listed.
    Stale {
        /// The proposal; none while preparing.
        id: Option<String>,
        /// The files, as answers call them, in order.
        files: Vec<String>,
    },
    /// The proposal is too old to be accepted.
    Expired(String),
    /// Everything, or a part without which the rest must not be, is refused.
    Refused(Vec<Refusal>),
    /// A step names a file that is not there.
    NoSuchFile(String),
    /// Edits of one file contradict each other.
    Overlap {
        /// The file.
        file: String,
        /// How.
        conflict: Conflict,
    },
    /// The result is what is there already.
    NoChange,
    /// A stored proposal cannot be understood, or its bytes are not those that were stored.
    Damaged {
        /// The proposal.
        id: String,
        /// What is wrong.
        why: String,
    },
    /// The system failed.
    System {
        /// What was being done, in words that fit before the path.
        doing: &'static str,
        /// To what.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// A step failed, and the way back was not clean.
    HalfUndone {
        /// The files that could not be brought back: they still have their new content. Often none.
        files: Vec<String>,
        /// Hidden files that were left: ones that could not be removed, and displaced bytes of somebody else's that
        /// exist nowhere else. Nothing of ours will remove them.
        kept: Vec<PathBuf>,
        /// The error that made us go back.
        cause: Box<Error>,
    },
}

/// What an [`Error`] means for whoever asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Fix the question.
    BadInput,
    /// Look elsewhere.
    NotFound,
    /// Prepare again.
    Stale,
    /// We will not.
    Refused,
    /// This machine does not let us.
    Unavailable,
    /// Our fault.
    Internal,
}

impl Kind {
    /// The word for it in answers.
    pub fn as_str(self) -> &'static str {
        match self {
            Kind::BadInput => "bad_input",
            Kind::NotFound => "not_found",
            Kind::Stale => "stale",
            Kind::Refused => "refused",
            Kind::Unavailable => "unavailable",
            Kind::Internal => "internal",
        }
    }
}

impl Error {
    /// What the error means for whoever asked.
    pub fn kind(&self) -> Kind {
        match self {
            Error::BadId(_) | Error::AmbiguousId { .. } | Error::Decided { .. } | Error::Overlap { .. } => {
                Kind::BadInput
            }
            Error::NotAccepted { .. } | Error::BadChoice { .. } => Kind::BadInput,
            Error::NoSuchProposal(_) | Error::NothingToUndo | Error::NoSuchFile(_) | Error::NoChange => Kind::NotFound,
            Error::Stale { .. } | Error::Expired(_) => Kind::Stale,
            Error::Refused(_) => Kind::Refused,
            Error::System { .. } => Kind::Unavailable,
            // Everything is back; merely something of somebody else's was put aside.
            Error::HalfUndone { files, cause, .. } if files.is_empty() => cause.kind(),
            Error::Damaged { .. } | Error::HalfUndone { .. } => Kind::Internal,
        }
    }

    /// The files that diverged, or that could not be brought back.
    pub fn files(&self) -> &[String] {
        match self {
            Error::HalfUndone { files, cause, .. } if files.is_empty() => cause.files(),
            Error::Stale { files, .. } | Error::HalfUndone { files, .. } => files,
            _ => &[],
        }
    }

    /// What was refused.
    pub fn refusals(&self) -> &[Refusal] {
        match self {
            Error::Refused(refusals) => refusals,
            _ => &[],
        }
    }

    /// What would help, where something would.
    pub fn hint(&self) -> Option<String> {
        match self {
            Error::NoSuchProposal(_) => Some("`vise proposals` lists what there is".to_owned()),
            Error::BadId(_) => Some("an id is 12 hexadecimal digits; the first 6 or more will do".to_owned()),
            Error::AmbiguousId { candidates, .. } => Some(format!("one of `{}`", candidates.join("`, `"))),
            Error::Stale { .. } | Error::Expired(_) => Some("prepare the change again".to_owned()),
            Error::BadChoice { id, .. } => {
                Some(format!("`vise show {id} --format json` lists its `places` and `files`"))
            }
            Error::Refused(refusals) if refusals.iter().any(|one| one.reason == Reason::RecoveryBlocked) => {
                Some("mend what is in the way, then `vise recover`".to_owned())
            }
            Error::System { source, .. } => match source.kind() {
                io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => Some("make room and try again".to_owned()),
                _ => None,
            },
            Error::HalfUndone { .. } => {
                Some("the old bytes of every file are kept with the proposal in the state folder".to_owned())
            }
            _ => None,
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::NoSuchProposal(id) => write!(f, "no proposal `{id}`"),
            Error::BadId(id) => write!(f, "`{id}` is no proposal's id"),
            Error::AmbiguousId { id, candidates } => write!(f, "`{id}` begins {} ids", candidates.len()),
            Error::Decided { id, state } => write!(f, "proposal `{id}` is {state} already"),
            Error::NotAccepted { id, state } => write!(f, "proposal `{id}` is {state}, so there is nothing to undo"),
            Error::NothingToUndo => f.write_str("nothing was accepted in this workspace that could be undone"),
            Error::BadChoice { id, why } => write!(f, "proposal `{id}`: {why}"),
            Error::Stale { id: Some(id), files } => {
                write!(f, "nothing was written: since proposal `{id}` was prepared, {} changed", Names(files))
            }
            Error::Stale { id: None, files } => write!(f, "{} changed while the edit was computed", Names(files)),
            Error::Expired(id) => write!(f, "proposal `{id}` has expired"),
            Error::Refused(refusals) => match refusals.as_slice() {
                [one] => write!(f, "refused: {one}"),
                [first, ..] => write!(f, "refused, at {} places; the first is {first}", refusals.len()),
                [] => f.write_str("refused"),
            },
            Error::NoSuchFile(file) => write!(f, "no such file: `{file}`"),
            Error::Overlap { file, conflict } => write!(f, "`{file}`: {conflict}"),
            Error::NoChange => f.write_str("nothing would change"),
            Error::Damaged { id, why } => write!(f, "proposal `{id}` is damaged: {why}"),
            Error::System { doing, path, source } => write!(f, "{doing} `{}` failed: {source}", path.display()),
            Error::HalfUndone { files, kept, cause } => {
                write!(f, "{cause}")?;
                if !files.is_empty() {
                    write!(f, "; and then the way back failed for {}", Names(files))?;
                }
                kept.iter().try_for_each(|path| write!(f, "; displaced bytes are in `{}`", path.display()))
            }
        }
    }
}

/// Names in backticks: all of them, because a caller may see nothing but the message.
struct Names<'a>(&'a [String]);

impl fmt::Display for Names<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, name) in self.0.iter().enumerate() {
            let separator = if at == 0 { "" } else { ", " };
            write!(f, "{separator}`{name}`")?;
        }
        Ok(())
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Error::System { source, .. } => Some(source),
            Error::Overlap { conflict, .. } => Some(conflict),
            Error::HalfUndone { cause, .. } => Some(cause),
            _ => None,
        }
    }
}
