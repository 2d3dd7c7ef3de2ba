//! What can be asked, and what is answered: both are closed sets.

use std::borrow::Cow;
use std::path::PathBuf;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use vise_text::FileOp;

use crate::error::Error;

/// Everything that can be asked of a language server. No other request reaches one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[expect(missing_docs, reason = "the names are the contract's, and say it")]
pub enum Operation {
    GoToDefinition,
    GoToDeclaration,
    GoToTypeDefinition,
    GoToImplementation,
    FindReferences,
    Hover,
    Signature,
    DocumentSymbol,
    WorkspaceSymbol,
    IncomingCalls,
    OutgoingCalls,
    Supertypes,
    Subtypes,
    Diagnostics,
    Rename {
        /// The symbol's new name.
        new_name: String,
    },
    RenameFile {
        /// The file's new path, absolute.
        to: PathBuf,
    },
    CodeActions {
        /// Actions of this kind, and of those below it, alone.
        kind: Option<String>,
        /// The action to prepare, by its number in the list from 1; else they are listed.
        apply: Option<usize>,
    },
}

impl Operation {
    /// The name as users type it.
    pub fn name(&self) -> &'static str {
        match self {
            Operation::GoToDefinition => "goToDefinition",
            Operation::GoToDeclaration => "goToDeclaration",
            Operation::GoToTypeDefinition => "goToTypeDefinition",
            Operation::GoToImplementation => "goToImplementation",
            Operation::FindReferences => "findReferences",
            Operation::Hover => "hover",
            Operation::Signature => "signature",
            Operation::DocumentSymbol => "documentSymbol",
            Operation::WorkspaceSymbol => "workspaceSymbol",
            Operation::IncomingCalls => "incomingCalls",
            Operation::OutgoingCalls => "outgoingCalls",
            Operation::Supertypes => "supertypes",
            Operation::Subtypes => "subtypes",
            Operation::Diagnostics => "diagnostics",
            Operation::Rename { .. } => "rename",
            Operation::RenameFile { .. } => "renameFile",
            Operation::CodeActions { .. } => "codeActions",
        }
    }

    /// The method that a server must offer.
    pub(crate) fn method(&self) -> &'static str {
        match self {
            Operation::GoToDefinition => "textDocument/definition",
            Operation::GoToDeclaration => "textDocument/declaration",
            Operation::GoToTypeDefinition => "textDocument/typeDefinition",
            Operation::GoToImplementation => "textDocument/implementation",
            Operation::FindReferences => "textDocument/references",
            Operation::Hover => "textDocument/hover",
            Operation::Signature => "textDocument/signatureHelp",
            Operation::DocumentSymbol => "textDocument/documentSymbol",
            Operation::WorkspaceSymbol => "workspace/symbol",
            Operation::IncomingCalls | Operation::OutgoingCalls => "textDocument/prepareCallHierarchy",
            Operation::Supertypes | Operation::Subtypes => "textDocument/prepareTypeHierarchy",
            Operation::Diagnostics => "textDocument/diagnostic",
            Operation::Rename { .. } => "textDocument/rename",
            Operation::RenameFile { .. } => "workspace/willRenameFiles",
            Operation::CodeActions { .. } => "textDocument/codeAction",
        }
    }

    /// Whether its answer may lie in any file, so that an index that is not complete makes it wrong.
    pub(crate) fn reaches_far(&self) -> bool {
        matches!(
            self,
            Operation::FindReferences
                | Operation::GoToImplementation
                | Operation::IncomingCalls
                | Operation::Subtypes
                | Operation::Rename { .. }
        )
    }
}

/// A question. A place in code is a symbol with a file and a line; nobody has to know a column.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Query {
    /// What is asked.
    pub operation: Operation,
    /// The file, absolute.
    pub file: Option<PathBuf>,
    /// A name, bare or qualified; for the symbols of a workspace, what they are searched by.
    pub symbol: Option<String>,
    /// The line, from 1.
    pub line: Option<usize>,
    /// The column in characters, from 1, for who has one.
    pub column: Option<usize>,
    /// How many items are given back at most.
    pub max: usize,
    /// Whether a change may touch files that the project ignores.
    pub include_ignored: bool,
}

/// A place in code.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Location {
    /// The file: relative to the root with `/`, absolute outside of it, else a URI.
    pub file: String,
    /// Line from 1.
    pub line: usize,
    /// Column in characters, from 1.
    pub column: usize,
    /// The line's text; empty where the file cannot be read.
    pub text: String,
    /// Whether this is where the symbol is defined.
    pub definition: bool,
    /// Whether the file is not one of the workspace.
    pub outside_workspace: bool,
}

/// A symbol, as a server lists it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Symbol {
    /// Its name, in the server's spelling.
    pub name: String,
    /// What it is, in lower case (`function`, `struct`).
    pub kind: Cow<'static, str>,
    /// The file, as in [`Location`].
    pub file: String,
    /// Line from 1; none where the server did not say.
    pub line: Option<usize>,
    /// Column in characters, from 1, likewise.
    pub column: Option<usize>,
    /// What it is in, where that is told by name.
    pub container: Option<String>,
    /// What is in it.
    pub children: Vec<Symbol>,
}

/// Who calls, or is called, and where.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Call {
    /// The other side.
    pub symbol: Symbol,
    /// The places of the calls.
    pub from: Vec<Location>,
}

/// How bad it is. A diagnostic that does not say counts as an error.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[expect(missing_docs, reason = "the names are the protocol's")]
pub enum Severity {
    Error,
    Warning,
    Information,
    Hint,
}

/// What a server finds wrong.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Diagnostic {
    /// The file, as in [`Location`].
    pub file: String,
    /// Line from 1.
    pub line: usize,
    /// Column in characters, from 1.
    pub column: usize,
    /// How bad it is.
    pub severity: Severity,
    /// The rule's name or number.
    pub code: Option<String>,
    /// What is wrong.
    pub message: String,
    /// Who found it.
    pub source: Option<String>,
}

/// What is known of the diagnostics that came.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum State {
    /// They are about the text as it is.
    Fresh,
    /// They may be about an older one.
    Unconfirmed,
    /// None came in time.
    Timeout,
}

/// Something that a server offers to do.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CodeAction {
    /// Its number in the list, from 1.
    pub index: usize,
    /// What it would do.
    pub title: String,
    /// Its kind in the protocol's words.
    pub kind: Option<String>,
    /// Whether the server thinks that it is the one to take.
    pub preferred: bool,
}

/// The answer proper.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Outcome {
    /// Places, sorted, each once.
    Locations(Vec<Location>),
    /// What is said of a symbol, or nothing.
    Hover(Option<String>),
    /// Symbols.
    Symbols(Vec<Symbol>),
    /// Calls.
    Calls(Vec<Call>),
    /// Types.
    Types(Vec<Symbol>),
    /// Diagnostics, and what they are worth.
    Diagnostics(Vec<Diagnostic>, State),
    /// What the server offers to do.
    Actions(Vec<CodeAction>),
    /// A change, for the edit gate. Nothing is written.
    Change(Vec<FileOp>),
}

/// An answer, with what one should know of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Answer {
    /// The server's name.
    pub server: String,
    /// The answer.
    pub outcome: Outcome,
    /// Sentences.
    pub notes: Vec<String>,
    /// Whether there may be more that the server does not know of yet.
    pub incomplete: bool,
    /// Whether items were left out, because there were more than [`Query::max`].
    pub truncated: bool,
    /// How long the server itself took for it: from when a request is handed to it to when its answer is there.
    pub waited: Duration,
}

/// A question about many files at once: what is wrong with them, as they are or as they would be.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Check {
    /// The files, absolute.
    pub files: Vec<PathBuf>,
    /// Texts that stand in for those of the disk while this is answered, for files that need not exist yet.
    pub overlay: Vec<(PathBuf, String)>,
    /// Whether the other documents that the server has open are looked at too: what changed may break them.
    pub others: bool,
    /// How long this may take in all, starts of servers included.
    pub allowed: Duration,
}

/// What is known of one file of a [`Check`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Checked {
    /// The file, as in [`Location`].
    pub file: String,
    /// Who looked.
    pub server: String,
    /// What the diagnostics are worth.
    pub state: State,
    /// What is wrong.
    pub diagnostics: Vec<Diagnostic>,
}

/// The answer to a [`Check`].
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct CheckAnswer {
    /// What is known of the files, in the order of their names.
    pub checked: Vec<Checked>,
    /// The files that nobody looked at, each with the reason.
    pub unchecked: Vec<(String, Error)>,
    /// Sentences, each once.
    pub notes: Vec<String>,
}
