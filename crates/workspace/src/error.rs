//! What can be wrong with a question about files.

use std::fmt;
use std::io;
use std::path::PathBuf;

/// A question that cannot be answered. A single file that cannot be had is no error but a
/// [`SkipReason`](crate::SkipReason).
#[derive(Debug)]
pub enum Error {
    /// No such path.
    NoSuchPath(PathBuf),
    /// A folder was needed.
    NotAFolder(PathBuf),
    /// A glob does not parse.
    BadGlob {
        /// As it was given.
        glob: String,
        /// What is wrong with it.
        why: String,
    },
    /// A path that was asked for by name cannot be looked at.
    Unreadable {
        /// The path.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// No git keeps the folder.
    NotACheckout(PathBuf),
    /// Git knows no such revision.
    NoRevision(String),
    /// Git cannot be started.
    NoGit(io::Error),
    /// Git did not do what it was asked.
    GitFailed {
        /// Its command.
        what: String,
        /// What it says.
        why: String,
    },
    /// The caller asked to stop.
    Cancelled,
}

/// What an [`Error`] means for whoever asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ErrorKind {
    /// The question is wrong.
    BadInput,
    /// The machine does not let us.
    Unavailable,
    /// The caller asked to stop.
    Cancelled,
}

impl Error {
    /// What the error means for whoever asked.
    pub fn kind(&self) -> ErrorKind {
        match self {
            Error::NoSuchPath(_) | Error::NotAFolder(_) | Error::BadGlob { .. } => ErrorKind::BadInput,
            Error::NotACheckout(_) | Error::NoRevision(_) => ErrorKind::BadInput,
            Error::Unreadable { .. } | Error::NoGit(_) | Error::GitFailed { .. } => ErrorKind::Unavailable,
            Error::Cancelled => ErrorKind::Cancelled,
        }
    }

    /// The error for `path`, which was asked for by name.
    pub(crate) fn of_named(path: PathBuf, source: io::Error) -> Error {
        match source.kind() {
            io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => Error::NoSuchPath(path),
            _ => Error::Unreadable { path, source },
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::NoSuchPath(path) => write!(f, "no such path: `{}`", path.display()),
            Error::NotAFolder(path) => write!(f, "`{}` is not a folder", path.display()),
            Error::BadGlob { glob, why } => write!(f, "the glob `{glob}` does not parse: {why}"),
            Error::Unreadable { path, source } => write!(f, "`{}` cannot be read: {source}", path.display()),
            Error::NotACheckout(path) => write!(f, "`{}` is not in a git checkout", path.display()),
            Error::NoRevision(revision) => write!(f, "git knows no revision `{revision}`"),
            Error::NoGit(source) => write!(f, "git cannot be started: {source}"),
            Error::GitFailed { what, why } => write!(f, "`git {what}` failed: {why}"),
            Error::Cancelled => f.write_str("cancelled"),
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Error::Unreadable { source, .. } | Error::NoGit(source) => Some(source),
            _ => None,
        }
    }
}
