//! Why there is no answer.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::answer::{Place, State};

/// What an error means for whoever asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// The question is wrong.
    BadInput,
    /// There is no such thing.
    NotFound,
    /// It was so at an earlier stop.
    Stale,
    /// We will not.
    Refused,
    /// This machine lacks it.
    Unavailable,
    /// No adapter can.
    Unsupported,
    /// The adapter failed.
    Peer,
    /// Whoever asked does not want the answer any more.
    Cancelled,
    /// Our fault.
    Internal,
}

/// Why there is no answer, and what would do.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Error {
    /// What it means.
    pub kind: Kind,
    /// What was found.
    pub message: String,
    /// What would do.
    pub hint: Option<String>,
    /// The session that is in the way.
    pub session: Option<Box<Holder>>,
}

/// A session that is in the way of another.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Holder {
    /// Its name.
    pub session: String,
    /// What it debugs.
    pub program: String,
    /// Where it is.
    pub state: State,
    /// How many times it stopped.
    pub stop: u64,
    /// Where it stands.
    pub at: Option<Place>,
    /// How old it is.
    pub age_s: f64,
    /// How long it may last.
    pub time_left_s: f64,
}

impl Error {
    pub(crate) fn new(kind: Kind, message: impl Into<String>) -> Error {
        Error { kind, message: message.into(), hint: None, session: None }
    }

    pub(crate) fn bad_input(message: impl Into<String>) -> Error {
        Error::new(Kind::BadInput, message)
    }

    pub(crate) fn not_found(message: impl Into<String>) -> Error {
        Error::new(Kind::NotFound, message)
    }

    pub(crate) fn peer(message: impl Into<String>) -> Error {
        Error::new(Kind::Peer, message)
    }

    pub(crate) fn cancelled() -> Error {
        Error::new(Kind::Cancelled, "stopped before the end, as asked")
    }

    #[must_use]
    pub(crate) fn hint(mut self, hint: impl Into<String>) -> Error {
        self.hint = Some(hint.into());
        self
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Error {}
