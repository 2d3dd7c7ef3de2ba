//! `lsp`: what a language server knows, asked by symbol, file and line.

mod find;
mod json;
mod words;

use std::fmt;
use std::path::{Path, PathBuf};

use clap::ValueEnum;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize, Serializer};
use vise_edit::{Draft, Proposal, Store, prepare};
use vise_lsp::{Answer, Operation, Outcome, Query};
use vise_text::FileOp;
use vise_workspace::{absolute, shown_path};

use crate::foresee::{self, Foreseen};
use crate::paint::Paint;
use crate::proposal_text::{self, DIFF_LINES};
use crate::{ErrorKind, Input, Session, ToolError};

/// Ask the language server: types, exact references, what is wrong, safe renames.
#[derive(Debug, Clone, Default, clap::Args, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Lsp {
    /// What to ask
    #[arg(value_enum)]
    pub operation: LspOperation,
    /// The symbol; `workspaceSymbol`: text to search for
    #[arg(allow_hyphen_values = true)]
    pub symbol: Option<String>,
    /// A file where it stands
    #[arg(long)]
    pub file: Option<PathBuf>,
    /// The line, or one near it
    #[arg(long, value_name = "N")]
    pub line: Option<usize>,
    /// Its column, never needed
    #[arg(long, value_name = "N")]
    pub column: Option<usize>,
    /// `rename`: the new name; `renameFile`: the new path, from the root
    #[arg(long, value_name = "NAME")]
    pub new_name: Option<String>,
    /// `codeActions`: only of this kind (`quickfix`)
    #[arg(long)]
    pub kind: Option<String>,
    /// `codeActions`: prepare the action of this number
    #[arg(long, value_name = "N")]
    pub apply: Option<usize>,
    /// Let a change touch ignored files
    #[arg(long)]
    pub include_ignored: bool,
    /// Say what the change would break
    #[arg(long)]
    pub check: bool,
    /// Items at most
    #[arg(long, value_name = "N")]
    pub max: Option<usize>,
}

/// What can be asked of a language server. Nothing else reaches one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum, Deserialize, Serialize, JsonSchema)]
#[value(rename_all = "camelCase")]
#[serde(rename_all = "camelCase")]
#[expect(missing_docs, reason = "the names are the protocol's, and say it")]
pub enum LspOperation {
    GoToDefinition,
    GoToDeclaration,
    GoToTypeDefinition,
    GoToImplementation,
    FindReferences,
    #[default]
    Hover,
    DocumentSymbol,
    WorkspaceSymbol,
    IncomingCalls,
    OutgoingCalls,
    Supertypes,
    Subtypes,
    Diagnostics,
    Rename,
    RenameFile,
    CodeActions,
    Signature,
}

/// So many items, unless the question says otherwise.
const MAX: usize = 200;

/// What the server said.
#[derive(Debug)]
pub struct LspReport {
    operation: LspOperation,
    answer: Answer,
    /// The change, prepared.
    change: Option<Change>,
}

/// A change that a server proposes.
#[derive(Debug)]
struct Change {
    proposal: Proposal,
    /// What it would break, where that was asked for.
    foreseen: Option<Foreseen>,
}

impl Input for Lsp {
    type Report = LspReport;

    /// Asks.
    ///
    /// # Errors
    /// When the question lacks what it needs, when several symbols have the name, when nobody serves such files or the server
    /// cannot do this, and when a change is refused.
    fn run(&self, session: &Session) -> Result<LspReport, ToolError> {
        let mut query = self.query(session)?;
        let living = session.living()?;
        if query.file.is_none() {
            query = find::anchor(living, query, session)?;
        }
        let mut answer = living.ask(&query, session)?;
        let change = match &mut answer.outcome {
            Outcome::Change(ops) => Some(std::mem::take(ops)),
            _ => None,
        };
        let change = change.map(|ops| self.prepare(ops, &answer, session)).transpose()?;
        Ok(LspReport { operation: self.operation, answer, change })
    }

    fn found_nothing(report: &LspReport) -> bool {
        report.is_empty()
    }
}

impl Lsp {
    /// The question, complete but for a symbol's file.
    fn query(&self, session: &Session) -> Result<Query, ToolError> {
        let name = self.operation.name();
        let needs = |what: &str| {
            Err(ToolError::bad_input(format!("`{name}` needs {what}"))
                .hint("a place is a symbol with the file and, where it stands there more than once, the line"))
        };
        let file = self.file.as_deref().map(|file| existing(session, file)).transpose()?;
        let symbol = self.symbol.clone().filter(|symbol| !symbol.trim().is_empty());
        let missing = match self.operation {
            LspOperation::DocumentSymbol | LspOperation::Diagnostics => file.is_none().then_some("`file`"),
            LspOperation::RenameFile => (file.is_none() || self.new_name.is_none()).then_some("`file` and `new_name`"),
            LspOperation::CodeActions => (file.is_none() || self.line.is_none()).then_some("`file` and `line`"),
            LspOperation::WorkspaceSymbol => symbol.is_none().then_some("`symbol`, the text to search for"),
            LspOperation::Rename if self.new_name.is_none() => Some("`new_name`"),
            _ => {
                let place = file.is_some() && self.line.is_some() && self.column.is_some();
                (symbol.is_none() && !place).then_some("`symbol`")
            }
        };
        if let Some(what) = missing {
            return needs(what);
        }
        for (number, what) in [(self.line, "line"), (self.column, "column"), (self.apply, "apply")] {
            if number == Some(0) {
                return Err(ToolError::bad_input(format!("`{what}` counts from 1, and is 0")));
            }
        }
        Ok(Query {
            operation: self.closed(session)?,
            file,
            symbol,
            line: self.line,
            column: self.column,
            max: self.max.unwrap_or(MAX),
            include_ignored: self.include_ignored,
        })
    }

    fn closed(&self, session: &Session) -> Result<Operation, ToolError> {
        let new_name = || self.new_name.clone().unwrap_or_default();
        Ok(match self.operation {
            LspOperation::GoToDefinition => Operation::GoToDefinition,
            LspOperation::GoToDeclaration => Operation::GoToDeclaration,
            LspOperation::GoToTypeDefinition => Operation::GoToTypeDefinition,
            LspOperation::GoToImplementation => Operation::GoToImplementation,
            LspOperation::FindReferences => Operation::FindReferences,
            LspOperation::Hover => Operation::Hover,
            LspOperation::Signature => Operation::Signature,
            LspOperation::DocumentSymbol => Operation::DocumentSymbol,
            LspOperation::WorkspaceSymbol => Operation::WorkspaceSymbol,
            LspOperation::IncomingCalls => Operation::IncomingCalls,
            LspOperation::OutgoingCalls => Operation::OutgoingCalls,
            LspOperation::Supertypes => Operation::Supertypes,
            LspOperation::Subtypes => Operation::Subtypes,
            LspOperation::Diagnostics => Operation::Diagnostics,
            LspOperation::Rename => {
                let new_name = new_name();
                if new_name.trim().is_empty() || new_name.chars().any(|c| c.is_whitespace() || c.is_control()) {
                    return Err(ToolError::bad_input(format!("`{new_name}` is no name")));
                }
                Operation::Rename { new_name }
            }
            LspOperation::RenameFile => {
                let to = absolute(&session.root, Path::new(&new_name()));
                if to.symlink_metadata().is_ok() {
                    let shown = shown_path(&session.root, &to);
                    return Err(ToolError::new(ErrorKind::Refused, format!("`{shown}` exists already"))
                        .hint("a file is not moved over another one"));
                }
                Operation::RenameFile { to }
            }
            LspOperation::CodeActions => Operation::CodeActions { kind: self.kind.clone(), apply: self.apply },
        })
    }

    fn prepare(&self, ops: Vec<FileOp>, answer: &Answer, session: &Session) -> Result<Change, ToolError> {
        let draft = Draft { ops, notes: answer.notes.clone(), ..Draft::default() };
        let store = Store::open(&session.state_home);
        let proposal = prepare(&store, &session.root, draft, (session.now)().into(), &|_| Vec::new())?;
        let foreseen = self.check.then(|| foresee::foresee(&proposal, session));
        Ok(Change { proposal, foreseen })
    }
}

/// A file that is there, absolute.
fn existing(session: &Session, file: &Path) -> Result<PathBuf, ToolError> {
    let path = absolute(&session.folder, file);
    match path.metadata() {
        Ok(data) if data.is_file() => Ok(path),
        Ok(_) => Err(ToolError::bad_input(format!("`{}` is no file", file.display()))),
        Err(error) => Err(ToolError::bad_input(format!("`{}` cannot be read: {error}", file.display()))),
    }
}

impl LspOperation {
    /// Its name in questions and answers.
    fn name(self) -> String {
        self.to_possible_value().map(|value| value.get_name().to_owned()).unwrap_or_default()
    }
}

impl LspReport {
    /// Whether there is nothing to be told.
    pub fn is_empty(&self) -> bool {
        match &self.answer.outcome {
            Outcome::Locations(found) => found.is_empty(),
            Outcome::Hover(text) => text.is_none(),
            Outcome::Symbols(found) | Outcome::Types(found) => found.is_empty(),
            Outcome::Calls(found) => found.is_empty(),
            Outcome::Actions(found) => found.is_empty(),
            // That nothing is wrong is an answer.
            Outcome::Diagnostics(..) => false,
            Outcome::Change(_) => self.change.is_none(),
        }
    }

    /// The answer as text. `limit`: the most lines of a diff that are shown.
    pub fn text(&self, paint: Paint, limit: Option<usize>) -> String {
        match &self.change {
            Some(Change { proposal, foreseen }) => {
                let mut out = proposal_text::proposal(proposal, paint, limit);
                if let Some(foreseen) = foreseen {
                    foreseen.write(&mut out, paint);
                }
                out
            }
            None => words::answer(self.operation, &self.answer, paint),
        }
    }
}

impl Serialize for LspReport {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Some(Change { proposal, foreseen }) = &self.change else {
            return json::answer(self.operation, &self.answer, serializer);
        };
        foresee::report(proposal, foreseen.as_ref()).serialize(serializer)
    }
}

impl fmt::Display for LspReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text(Paint::default(), Some(DIFF_LINES)))
    }
}

pub(crate) use words::{diagnostic as diagnostic_text, foreseen as foreseen_text};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_operation_is_called_the_same_everywhere() {
        for operation in LspOperation::value_variants() {
            assert_eq!(serde_json::to_value(operation).unwrap(), serde_json::Value::String(operation.name()));
        }
    }
}
