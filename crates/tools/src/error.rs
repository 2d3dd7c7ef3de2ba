//! What a tool says when it cannot do what was asked.

use std::borrow::Cow;
use std::fmt;

use serde::ser::{SerializeMap, Serializer};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// What an error means for whoever asked. The words are those of the contract.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ErrorKind {
    /// Fix the question.
    BadInput,
    /// Look elsewhere.
    NotFound,
    /// Prepare again.
    Stale,
    /// We will not, and why.
    Refused,
    /// This machine lacks it.
    Unavailable,
    /// The language or server cannot.
    Unsupported,
    /// A server or adapter failed.
    Peer,
    /// Our fault.
    Internal,
}

impl ErrorKind {
    /// The word for it in answers.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::BadInput => "bad_input",
            Self::NotFound => "not_found",
            Self::Stale => "stale",
            Self::Refused => "refused",
            Self::Unavailable => "unavailable",
            Self::Unsupported => "unsupported",
            Self::Peer => "peer",
            Self::Internal => "internal",
        }
    }
}

/// An answer that is an error: lower case, the offending thing in backticks, what was found, what would do.
#[derive(Debug, Clone)]
pub struct ToolError {
    /// What it means.
    pub kind: ErrorKind,
    /// What was found.
    pub message: String,
    /// What would do.
    pub hint: Option<String>,
    /// Whatever else a program may want to know (`files`, `candidates`, `refused`): keys of the error object.
    pub more: Vec<(Cow<'static, str>, Value)>,
}

impl ToolError {
    /// An error without a hint.
    pub fn new(kind: ErrorKind, message: impl Into<String>) -> Self {
        Self { kind, message: message.into(), hint: None, more: Vec::new() }
    }

    /// The question is wrong.
    pub fn bad_input(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::BadInput, message)
    }

    /// The same error, with what would do.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// The same error, with one more key.
    #[must_use]
    pub fn with(mut self, key: &'static str, value: impl Serialize) -> Self {
        // Values of ours have string keys only, so turning them into JSON cannot fail.
        self.more.push((key.into(), serde_json::to_value(value).unwrap_or(Value::Null)));
        self
    }

    /// The error that an error object says.
    pub fn from_json(object: &Value) -> Self {
        let kind = ErrorKind::deserialize(&object["kind"]).unwrap_or(ErrorKind::Internal);
        let text = |key: &str| object[key].as_str().map(str::to_owned);
        let more = object.as_object().into_iter().flatten();
        let more = more.filter(|(key, _)| !["kind", "message", "hint"].contains(&key.as_str()));
        Self {
            kind,
            message: text("message").unwrap_or_else(|| "an error without words".to_owned()),
            hint: text("hint"),
            more: more.map(|(key, value)| (key.clone().into(), value.clone())).collect(),
        }
    }

    /// The caller asked to stop.
    pub fn cancelled() -> Self {
        Self::new(ErrorKind::Unavailable, "stopped before the end, as asked")
    }
}

/// The error object of the contract, without the `{"error": …}` around it.
impl Serialize for ToolError {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("kind", &self.kind)?;
        map.serialize_entry("message", &self.message)?;
        map.serialize_entry("hint", &self.hint)?;
        for (key, value) in &self.more {
            map.serialize_entry(key, value)?;
        }
        map.end()
    }
}

impl fmt::Display for ToolError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)?;
        self.hint.iter().try_for_each(|hint| write!(f, "\n{hint}"))
    }
}

impl std::error::Error for ToolError {}

impl From<vise_workspace::Error> for ToolError {
    fn from(error: vise_workspace::Error) -> Self {
        match error.kind() {
            vise_workspace::ErrorKind::BadInput => Self::bad_input(error.to_string()),
            vise_workspace::ErrorKind::Unavailable => Self::new(ErrorKind::Unavailable, error.to_string()),
            vise_workspace::ErrorKind::Cancelled => Self::cancelled(),
        }
    }
}

impl From<vise_graph::index::Error> for ToolError {
    fn from(error: vise_graph::index::Error) -> Self {
        let kind = match error.kind() {
            vise_workspace::ErrorKind::BadInput => ErrorKind::BadInput,
            vise_workspace::ErrorKind::Unavailable => ErrorKind::Unavailable,
            vise_workspace::ErrorKind::Cancelled => return Self::cancelled(),
        };
        Self { hint: error.hint().map(str::to_owned), ..Self::new(kind, error.to_string()) }
    }
}

impl From<vise_edit::Error> for ToolError {
    fn from(error: vise_edit::Error) -> Self {
        let kind = match error.kind() {
            vise_edit::Kind::BadInput => ErrorKind::BadInput,
            vise_edit::Kind::NotFound => ErrorKind::NotFound,
            vise_edit::Kind::Stale => ErrorKind::Stale,
            vise_edit::Kind::Refused => ErrorKind::Refused,
            vise_edit::Kind::Unavailable => ErrorKind::Unavailable,
            vise_edit::Kind::Internal => ErrorKind::Internal,
        };
        let mut answer = Self { hint: error.hint(), ..Self::new(kind, error.to_string()) };
        // A stale answer has the key even where nothing changed but the time.
        if kind == ErrorKind::Stale || !error.files().is_empty() {
            answer = answer.with("files", error.files());
        }
        if !error.refusals().is_empty() {
            answer = answer.with("refused", error.refusals());
        }
        if let vise_edit::Error::AmbiguousId { candidates, .. } = &error {
            answer = answer.with("candidates", candidates);
        }
        answer
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_survives_the_way_as_json() {
        let error = ToolError::new(ErrorKind::Stale, "`a` changed").hint("again").with("files", ["a"]);
        let there = serde_json::to_value(&error).unwrap();
        let back = ToolError::from_json(&there);
        assert_eq!(serde_json::to_value(&back).unwrap(), there);
        assert_eq!(ToolError::from_json(&Value::Null).kind, ErrorKind::Internal);
    }
}
