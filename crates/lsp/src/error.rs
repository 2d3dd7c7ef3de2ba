//! Why there is no answer.

use std::fmt;

use serde::{Deserialize, Serialize};

/// Why a question has no answer. The kinds are those of the tools' errors.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Error {
    /// The question is not complete, or makes no sense.
    BadQuery(String),
    /// What is asked about is not there.
    NotFound(String),
    /// The server cannot do this.
    Unsupported(String),
    /// This machine lacks what it takes, or has too much to do.
    Unavailable(String),
    /// It could be done and is not, for a reason.
    Refused(String),
    /// The server failed.
    Failed(String),
    /// Nobody wants the answer any more.
    Cancelled,
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::BadQuery(why)
            | Error::NotFound(why)
            | Error::Unsupported(why)
            | Error::Unavailable(why)
            | Error::Refused(why)
            | Error::Failed(why) => f.write_str(why),
            Error::Cancelled => f.write_str("cancelled"),
        }
    }
}

impl std::error::Error for Error {}
