//! `graph import`: what compilers say, from the index that one of them made.

use std::fmt;

use serde::Serialize;
use vise_graph::Evidence;
use vise_graph::index::{Opened, add_import, remove_import};
use vise_graph::tier::{ReadError, read_scip};
use vise_text::shown;
use vise_workspace::{ReadOptions, read};

use super::index;
use crate::text::count;
use crate::{ErrorKind, Session, ToolError};

/// A longer index is not read.
pub const MAX_INDEX_BYTES: u64 = vise_graph::tier::MAX_INDEX_BYTES;

/// So many files that are left out are named in the text.
const SHOWN: usize = 5;

/// What to import, or whose import to remove.
#[derive(Debug, Clone)]
pub enum Import {
    /// Take over what a SCIP index says.
    Index {
        /// What its file is called.
        name: String,
        /// Its content.
        bytes: Vec<u8>,
        /// What the tool is to be called; the index says it, mostly.
        tool: Option<String>,
    },
    /// Forget what a tool said.
    Remove {
        /// Its name.
        tool: String,
    },
}

/// What an import came to.
#[derive(Debug, Clone, Serialize)]
pub struct ImportReport {
    /// The tool.
    pub tool: String,
    /// Its version; none where its import was removed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    /// How many files it speaks of, or spoke of.
    pub files: usize,
    /// Files of the index that are of no use.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub left_out: Option<Vec<LeftOutRow>>,
    /// How many edges a compiler vouches for now, whichever.
    pub compiler_edges: usize,
    /// The number of the generation that knows.
    pub generation: u64,
    /// What went wrong without being in the way.
    #[serde(skip)]
    pub warnings: Vec<String>,
}

/// A file of an index that is of no use.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct LeftOutRow {
    /// Relative to the root, with `/`.
    pub file: String,
    /// `not_indexed` or `other_content`.
    pub why: &'static str,
}

impl Import {
    /// Imports or removes, and brings the graph up to date.
    ///
    /// # Errors
    /// When it is no index, or is about other files; when no import of the tool is there; when
    /// nothing can be kept. Then everything is as it was.
    pub fn run(&self, session: &Session) -> Result<ImportReport, ToolError> {
        match self {
            Self::Index { name, bytes, tool } => add(session, name, bytes, tool.as_deref()),
            Self::Remove { tool } => remove(session, tool),
        }
    }
}

fn add(session: &Session, name: &str, bytes: &[u8], tool: Option<&str>) -> Result<ImportReport, ToolError> {
    let name = shown(name.as_bytes());
    let opened = index::open(session)?;
    let options = ReadOptions { max_bytes: session.graph.max_file_bytes, named: true };
    let text = |path: &str| {
        opened.graph.file_named(path)?;
        read(&session.root.join(path), &options).ok()
    };
    let index = read_scip(bytes, &session.root, &text).map_err(|error| not_read(&name, &error))?;
    let tool = tool.unwrap_or(&index.tool).trim();
    if tool.is_empty() {
        let error = ToolError::bad_input(format!("`{name}` does not say which tool made it"));
        return Err(error.hint("`--tool NAME` does"));
    }
    let row = |(file, why): &(String, vise_graph::tier::LeftOut)| LeftOutRow { file: file.clone(), why: why.as_str() };
    let left_out: Vec<LeftOutRow> = index.left_out.iter().map(row).collect();
    if index.files.is_empty() {
        let stale = left_out.iter().any(|row| row.why == "other_content");
        let (kind, what, hint) = match stale {
            true => (ErrorKind::Stale, "the files are not those that it was made of", "make the index again"),
            false => {
                (ErrorKind::BadInput, "it speaks of no file of this workspace", "`--root` says where its files are")
            }
        };
        let files: Vec<&str> = left_out.iter().map(|row| &*row.file).collect();
        return Err(ToolError::new(kind, format!("`{name}`: {what}")).hint(hint).with("files", files));
    }
    session.go_on()?;
    drop(opened);
    let stopped = || session.stopped();
    add_import(&session.root, &index::options(session), (tool, &index.version), &index.files, &stopped)?;
    let opened = index::open(session)?;
    let report = ImportReport {
        tool: tool.to_owned(),
        version: Some(index.version),
        files: index.files.len(),
        left_out: Some(left_out),
        ..report(opened)
    };
    Ok(report)
}

fn remove(session: &Session, tool: &str) -> Result<ImportReport, ToolError> {
    // Opening mends whatever may be wrong with the store.
    let opened = index::open(session)?;
    let known: Vec<String> = opened.imports.iter().map(|import| import.tool.clone()).collect();
    drop(opened);
    let files = remove_import(&session.root, &index::options(session), tool, &|| session.stopped())?;
    if files == 0 {
        let error = ToolError::new(ErrorKind::NotFound, format!("nothing of `{tool}` is imported"));
        let names: Vec<String> = known.iter().map(|tool| format!("`{tool}`")).collect();
        let hint = if names.is_empty() { "nothing is".to_owned() } else { format!("there is {}", names.join(", ")) };
        return Err(error.hint(hint).with("suggestions", known));
    }
    Ok(ImportReport { tool: tool.to_owned(), files, ..report(index::open(session)?) })
}

/// What a graph has of compilers.
fn report(opened: Opened) -> ImportReport {
    let graph = &opened.graph;
    let edges = (0..graph.symbols()).flat_map(|ix| graph.out(ix));
    ImportReport {
        tool: String::new(),
        version: None,
        files: 0,
        left_out: None,
        compiler_edges: edges.filter(|edge| edge.evidence == Evidence::Compiler).count(),
        generation: opened.generation,
        warnings: opened.warnings,
    }
}

fn not_read(name: &str, error: &ReadError) -> ToolError {
    let answer = ToolError::bad_input(format!("`{name}`: {error}"));
    match error {
        ReadError::NotAnIndex(_) => {
            answer.hint("an index comes from `rust-analyzer scip`, `scip-python index` and the like")
        }
        ReadError::Path(_) | ReadError::Range(_) => answer,
    }
}

impl fmt::Display for ImportReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (tool, files) = (shown(self.tool.as_bytes()), count(self.files, "file", "files"));
        match &self.version {
            Some(version) => writeln!(f, "imported    {files} of {tool} {}", shown(version.as_bytes()))?,
            None => writeln!(f, "removed     {files} of {tool}")?,
        }
        for why in ["not_indexed", "other_content"] {
            let rows = self.left_out.iter().flatten().filter(|row| row.why == why);
            let mut names: Vec<String> = rows.map(|row| shown(row.file.as_bytes())).collect();
            let count = names.len();
            if count > SHOWN {
                names.truncate(SHOWN);
                names.push("…".to_owned());
            }
            if count > 0 {
                writeln!(f, "left out    {count} {}: {}", why.replace('_', " "), names.join(", "))?;
            }
        }
        writeln!(f, "edges       {} that a compiler vouches for", self.compiler_edges)
    }
}
