//! What lives longer than a call: language servers and debug sessions, which a workspace's daemon keeps for everybody. A tool sees a trait, and
//! does not know whether the servers are in its own process or behind a socket.

use std::collections::BTreeSet;
use std::path::PathBuf;

use rayon::prelude::*;
use regex::bytes::Regex;
use serde::{Deserialize, Serialize};
use vise_lsp::{Answer, Check, CheckAnswer, NoServer, Query, Words};
use vise_workspace::{ReadOptions, WalkOptions, walk};

use crate::{ErrorKind, Session, ToolError};

/// Language servers and debug sessions, wherever they run.
pub trait Living: Send + Sync {
    /// Asks the server of the question's file.
    ///
    /// # Errors
    /// Why there is no answer: nobody serves such files, the server is not there or cannot do this, or it failed.
    fn ask(&self, query: &Query, session: &Session) -> Result<Answer, ToolError>;

    /// Looks at files, each with its server. What nobody could look at is said in the answer.
    ///
    /// # Errors
    /// When nothing living can be reached.
    fn check(&self, check: &Check, session: &Session) -> Result<CheckAnswer, ToolError>;

    /// Who serves the files that are here.
    ///
    /// # Errors
    /// When the configuration or the workspace cannot be read.
    fn servers(&self, session: &Session) -> Result<Vec<ServedFiles>, ToolError>;

    /// Does something with the debug session of this conversation.
    ///
    /// # Errors
    /// Why it cannot be done.
    fn debug(&self, op: &vise_dap::Op, session: &Session) -> Result<vise_dap::Report, ToolError>;

    /// The debug adapters that are known, and whether they can be used here.
    ///
    /// # Errors
    /// When the configuration cannot be read.
    fn adapters(&self, session: &Session) -> Result<Vec<vise_dap::AdapterStatus>, ToolError>;
}

/// The files of one ending in a workspace, and who serves them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ServedFiles {
    /// The ending, with its dot.
    pub extension: String,
    /// How many there are.
    pub files: usize,
    /// One of them, absolute.
    pub sample: PathBuf,
    /// The server that is asked first.
    pub server: Option<String>,
    /// The folder that it works on.
    pub root: Option<PathBuf>,
    /// Its program.
    pub program: Option<PathBuf>,
    /// Servers that would serve them and cannot be used, each with the reason and how it is installed.
    pub unusable: Vec<String>,
}

/// The files of a workspace that hold a word, found by looking.
#[derive(Debug, Clone)]
pub struct WordFiles {
    /// The workspace.
    pub root: PathBuf,
}

impl Words for WordFiles {
    fn files_with(&self, word: &str) -> Vec<PathBuf> {
        // A word boundary is where letters begin or end; at a sign there is none to ask for.
        let boundary = |edge: Option<char>| if edge.is_some_and(char::is_alphanumeric) { r"\b" } else { "" };
        let (before, after) = (boundary(word.chars().next()), boundary(word.chars().next_back()));
        let Ok(pattern) = Regex::new(&format!("{before}{}{after}", regex::escape(word))) else { return Vec::new() };
        let Ok(files) = walk(&self.root, &[], &WalkOptions::default(), &|| false) else { return Vec::new() };
        let options = ReadOptions { max_bytes: crate::MAX_FILE_BYTES, named: false };
        let holds = |path: &PathBuf| vise_workspace::read(path, &options).is_ok_and(|bytes| pattern.is_match(&bytes));
        let mut found: Vec<PathBuf> = files.files.into_par_iter().map(|file| file.path).filter(holds).collect();
        found.sort();
        found
    }
}

impl Session {
    /// Those that live longer than this call.
    pub(crate) fn living(&self) -> Result<&dyn Living, ToolError> {
        self.living.as_deref().ok_or_else(|| {
            ToolError::new(ErrorKind::Unavailable, "neither servers nor debuggers can be reached from here")
        })
    }
}

impl From<vise_lsp::Error> for ToolError {
    fn from(error: vise_lsp::Error) -> ToolError {
        use vise_lsp::Error;
        let kind = match error {
            Error::BadQuery(_) => ErrorKind::BadInput,
            Error::NotFound(_) => ErrorKind::NotFound,
            Error::Unsupported(_) => ErrorKind::Unsupported,
            Error::Unavailable(_) => ErrorKind::Unavailable,
            Error::Refused(_) => ErrorKind::Refused,
            Error::Failed(_) => ErrorKind::Peer,
            Error::Cancelled => return ToolError::cancelled(),
        };
        ToolError::new(kind, error.to_string())
    }
}

impl From<NoServer> for ToolError {
    fn from(error: NoServer) -> ToolError {
        let known: Vec<String> = match &error {
            NoServer::NotThere(_, unusable) => unusable.iter().map(|one| one.install.clone()).collect(),
            NoServer::Unclaimed(_) | NoServer::Conflict(..) => Vec::new(),
        };
        let (kind, hint) = match &error {
            NoServer::Unclaimed(_) => (ErrorKind::Unsupported, "`vise doctor` lists what can be asked here".to_owned()),
            NoServer::Conflict(..) => (ErrorKind::Refused, "the configuration decides who is asked first".to_owned()),
            NoServer::NotThere(..) => {
                let ways: BTreeSet<&str> = known.iter().map(String::as_str).collect();
                let ways: Vec<&str> = ways.into_iter().collect();
                (ErrorKind::Unavailable, format!("install one of them: {}", ways.join("; ")))
            }
        };
        ToolError::new(kind, error.to_string()).hint(hint)
    }
}
