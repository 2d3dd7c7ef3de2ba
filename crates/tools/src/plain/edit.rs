//! `edit`: one text replaced by another, or a symbol.

use std::path::PathBuf;

use clap::ValueEnum;
use schemars::JsonSchema;
use serde::Deserialize;
use vise_edit::{Draft, Reason, Refusal};
use vise_text::{ContentHash, FileOp, LineIndex, PlacedEdit, line_ending_at, with_line_ending};

use super::occurrences::{Haystack, near};
use super::{PlainReport, Target, check_encoding, propose, symbol};
use crate::{ErrorKind, Input, Session, ToolError};

/// How many places an error names in words.
const NAMED: usize = 10;

/// Replace a text that stands in a file once by another, or change a symbol, through the gate.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Edit {
    /// The file
    pub file: Option<PathBuf>,
    /// The text that is there
    pub old: Option<String>,
    /// The text to put in its place
    pub new: Option<String>,
    /// Replace every place of `old`
    pub all: bool,
    /// A name, the end of a qualified name (`Store.save`), or FILE:LINE
    pub symbol: Option<String>,
    /// What to do with the symbol
    pub action: Option<Action>,
    /// The text for `action`
    pub text: Option<String>,
    /// Stop at the proposal
    pub prepare: bool,
}

/// What to do with a symbol.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum, Deserialize, JsonSchema)]
#[value(rename_all = "snake_case")]
#[serde(rename_all = "snake_case")]
pub enum Action {
    /// Put `text` in place of its definition.
    Replace,
    /// Put `text` before its definition and the comments above it.
    Before,
    /// Put `text` after its definition.
    After,
    /// Remove its definition and the comments above it.
    Delete,
}

impl Input for Edit {
    type Report = PlainReport;

    /// Makes the edit, or prepares it.
    ///
    /// # Errors
    /// When the text is not there, or several times; when the symbol is not there, or several have the name.
    fn run(&self, session: &Session) -> Result<PlainReport, ToolError> {
        let op = match (&self.symbol, &self.file) {
            (Some(symbol), _) => self.of_symbol(symbol, session)?,
            (None, Some(file)) => self.of_text(Target::read(session, &session.folder, file)?)?,
            (None, None) => {
                return Err(ToolError::bad_input("`file` is missing").hint("an edit is of a `file` or of a `symbol`"));
            }
        };
        propose(session, Draft { ops: vec![op], ..Draft::default() }, self.prepare)
    }
}

impl Edit {
    fn of_text(&self, target: Target) -> Result<FileOp, ToolError> {
        let missing = |key: &str| ToolError::bad_input(format!("`{key}` is missing"));
        if self.action.is_some() {
            return Err(missing("symbol").hint("`action` says what to do with a symbol"));
        }
        let old = self.old.as_deref().ok_or_else(|| missing("old"))?.as_bytes();
        let new = self.new.as_deref().ok_or_else(|| missing("new"))?.as_bytes();
        if old.is_empty() {
            return Err(ToolError::bad_input("the old text is empty").hint("`write` makes or fills a file"));
        }
        if old == new {
            return Err(ToolError::bad_input("the old text and the new text are the same"));
        }
        let (path, file, text) = target.existing()?;
        check_encoding(&file, &text, new)?;
        let haystack = Haystack::new(&text, old);
        let mut places = haystack.all(old);
        if places.is_empty() {
            return Err(not_there(&file, &text, old));
        }
        if places.len() > 1 && !self.all {
            let lines = LineIndex::new(&text);
            return Err(ambiguous(&file, places.iter().map(|place| lines.line_of(place.start) + 1)));
        }
        if self.all {
            places = haystack.disjoint(old);
        }
        let edits = places.into_iter().map(|range| {
            // Text that ends its lines plainly takes the line ends of the place.
            let plain = !new.contains(&b'\r') && new.contains(&b'\n');
            let text = if plain { with_line_ending(new, line_ending_at(&text, range.start)) } else { new.to_vec() };
            PlacedEdit::new(vise_text::Edit { range, text })
        });
        Ok(FileOp::Splice { path, old: ContentHash::of(&text), edits: edits.collect() })
    }

    fn of_symbol(&self, symbol: &str, session: &Session) -> Result<FileOp, ToolError> {
        if self.old.is_some() || self.new.is_some() || self.all {
            return Err(ToolError::bad_input("`old`, `new` and `all` do not go with `symbol`")
                .hint("with `symbol` there are `action` and `text`"));
        }
        let Some(action) = self.action else {
            return Err(ToolError::bad_input("`action` is missing").hint("one of `replace before after delete`"));
        };
        let text = match (action, self.text.as_deref()) {
            (Action::Delete, Some(text)) if !text.is_empty() => {
                return Err(ToolError::bad_input("`text` does not go with `delete`"));
            }
            (Action::Delete, _) => "",
            (_, Some(text)) if !text.trim().is_empty() => text,
            _ => return Err(ToolError::bad_input("`text` is missing").hint("`delete` is the action without a text")),
        };
        symbol::change(session, symbol, self.file.as_deref(), action, text)
    }
}

fn not_there(file: &str, text: &[u8], old: &[u8]) -> ToolError {
    let error = ToolError::new(ErrorKind::NotFound, format!("the old text is not in `{file}`"));
    match near(text, old) {
        Some(line) => error.hint(format!("at line {line} it is with other white space; copy it from the file")),
        None => error.hint("nothing was written; read the file again, and copy the text from it"),
    }
}

/// The error for a text that stands in a file several times.
fn ambiguous(file: &str, lines: impl Iterator<Item = usize>) -> ToolError {
    let lines: Vec<usize> = lines.collect();
    let named: Vec<String> = lines.iter().take(NAMED).map(ToString::to_string).collect();
    let more = if lines.len() > NAMED { ", …" } else { "" };
    let refusals: Vec<Refusal> = lines
        .iter()
        .map(|line| Refusal {
            file: file.to_owned(),
            line: Some(*line),
            why: "the old text is here too".to_owned(),
            reason: Reason::Ambiguous,
        })
        .collect();
    let message = format!("the old text is in `{file}` {} times, at lines {}{more}", lines.len(), named.join(", "));
    ToolError::new(ErrorKind::Refused, message)
        .hint("give more of the text around the one that is meant, or replace all of them (`all`)")
        .with("refused", refusals)
        .with("lines", lines)
}
