//! What can go wrong with a peer.

use std::fmt;
use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

/// Why a peer was not started, or why it cannot be talked to any more.
///
/// It can be cloned, because one broken pipe is the answer to everything that was queued for it.
#[derive(Clone, Debug)]
pub enum Error {
    /// The folder to work in is none.
    NoFolder(PathBuf),
    /// The guard cannot be started.
    NoGuard {
        /// Its program.
        program: PathBuf,
        /// What the system says.
        source: Arc<io::Error>,
    },
    /// The guard ended before it said whether the child runs.
    GuardLost,
    /// The child's program cannot be started.
    NotStarted {
        /// The program.
        program: String,
        /// What the system says.
        source: Arc<io::Error>,
    },
    /// The child was not running within this time.
    StartTimedOut(Duration),
    /// The child does not read: nothing more went into its standard input for this long. The stream is broken, since
    /// half a frame may be in it.
    InputStuck {
        /// How long not one byte was taken.
        waited: Duration,
        /// How many bytes of the frame were taken before.
        written: usize,
        /// How many it has.
        length: usize,
    },
    /// The child's standard input is closed: by us, or because the child closed it or ended.
    InputClosed,
    /// What the child writes are no frames.
    Framing(vise_framing::Error),
    /// The system failed us.
    Io {
        /// What was tried.
        what: &'static str,
        /// What the system says.
        source: Arc<io::Error>,
    },
}

impl Error {
    pub(crate) fn io(what: &'static str) -> impl FnOnce(io::Error) -> Error {
        move |source| Error::Io { what, source: Arc::new(source) }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::NoFolder(path) => write!(f, "`{}` is no folder; a child needs one to work in", path.display()),
            Error::NoGuard { program, source } => {
                write!(f, "the guard `{}` cannot be started: {source}; without it nothing is run", program.display())
            }
            Error::GuardLost => f.write_str("the guard ended before the child ran; starting again may do"),
            Error::NotStarted { program, source } if source.kind() == io::ErrorKind::NotFound => {
                write!(f, "there is no program `{program}`; install it, or name it by its path")
            }
            Error::NotStarted { program, source } => write!(f, "`{program}` cannot be started: {source}"),
            Error::StartTimedOut(allowed) => {
                write!(f, "the child was not running within `{allowed:?}`; the machine may be overloaded")
            }
            Error::InputStuck { waited, written, length } => write!(
                f,
                "the child took `{written}` of {length} bytes and then none for {waited:?}; it must be started anew"
            ),
            Error::InputClosed => f.write_str("the child's standard input is closed; it must be started anew"),
            Error::Framing(error) => error.fmt(f),
            Error::Io { what, source } => write!(f, "cannot {what}: {source}"),
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Error::NoGuard { source, .. } | Error::NotStarted { source, .. } | Error::Io { source, .. } => Some(source),
            _ => None,
        }
    }
}
