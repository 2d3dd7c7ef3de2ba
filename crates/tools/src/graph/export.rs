//! `graph export`: the whole graph in another program's form.

use std::io::{self, Write};

use vise_graph::export::{self, Form, Head, Unplaced};
use vise_workspace::{ReadOptions, read};

use super::index;
use crate::text::count;
use crate::{ErrorKind, Session, ToolError};

/// What an export writes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
#[value(rename_all = "lower")]
pub enum ExportForm {
    /// One JSON object a line: `meta`, then symbols, then edges, in a stable order
    Jsonl,
    /// GraphML, for Gephi, yEd and NetworkX
    Graphml,
    /// Graphviz; of a large graph its files
    Dot,
    /// Mermaid; of a large graph its files
    Mermaid,
    /// A tags file for editors
    Ctags,
    /// A SCIP index, for Sourcegraph, Glean and others: definitions and uses with their columns
    Scip,
    /// Parquet files in a folder: symbols and edges, packages, what they offer and what is used from outside
    Parquet,
}

/// An export that was written.
#[derive(Debug)]
pub struct Exported {
    /// What went wrong without being in the way.
    pub warnings: Vec<String>,
    /// Whether the graph had anything in it.
    pub is_empty: bool,
}

impl ExportForm {
    fn stream(self) -> Option<Form> {
        Some(match self {
            Self::Jsonl => Form::Jsonl,
            Self::Graphml => Form::Graphml,
            Self::Dot => Form::Dot,
            Self::Mermaid => Form::Mermaid,
            Self::Ctags => Form::Ctags,
            Self::Scip | Self::Parquet => return None,
        })
    }

    /// Writes the graph of the session's workspace as one stream.
    ///
    /// # Errors
    /// When the files cannot be looked at, or the form is not one stream. The inner result is the output's.
    pub fn write(self, session: &Session, out: &mut dyn Write) -> Result<io::Result<Exported>, ToolError> {
        if self == Self::Scip {
            return scip(session, out);
        }
        let form = self.stream().ok_or_else(|| {
            ToolError::bad_input("`parquet` is several files").hint("`--out FOLDER` says where they go")
        })?;
        let opened = index::open(session)?;
        let exported = Exported { is_empty: opened.graph.files() == 0, warnings: opened.warnings };
        Ok(export::write(&opened.graph, form, out).map(|()| exported))
    }

    /// The files of a form that is several, each with its name.
    ///
    /// # Errors
    /// When the files cannot be looked at, or the form is one stream.
    pub fn files(self, session: &Session) -> Result<(Exported, NamedFiles), ToolError> {
        if self != Self::Parquet {
            return Err(ToolError::bad_input("only `parquet` is several files"));
        }
        let opened = index::open(session)?;
        let mut tables = Ok(Vec::new());
        let warnings = index::facts(session, &mut |files, projects| {
            tables = export::parquet::tables(&opened.graph, files, projects);
        })?;
        let tables = tables
            .map_err(|error| ToolError::new(ErrorKind::Internal, format!("the tables could not be made: {error}")))?;
        let mut exported = Exported { is_empty: opened.graph.files() == 0, warnings: opened.warnings };
        exported
            .warnings
            .extend(warnings.into_iter().filter(|warning| !exported.warnings.contains(warning)).collect::<Vec<_>>());
        Ok((exported, tables))
    }
}

/// Writes a SCIP index. Where names stand is read off the files.
fn scip(session: &Session, out: &mut dyn Write) -> Result<io::Result<Exported>, ToolError> {
    let opened = index::open(session)?;
    let options = ReadOptions { max_bytes: session.graph.max_file_bytes, named: true };
    let text = |path: &str| read(&session.root.join(path), &options).ok();
    let root = uri(session.root.as_os_str().as_encoded_bytes());
    let head = Head { root: &root, version: env!("CARGO_PKG_VERSION") };
    let written = export::write_scip(&opened.graph, head, &text, out);
    Ok(written.map(|unplaced| {
        let mut warnings = opened.warnings;
        warnings.extend(left_out(unplaced));
        Exported { is_empty: opened.graph.files() == 0, warnings }
    }))
}

/// Says what an index does not have.
fn left_out(unplaced: Unplaced) -> Option<String> {
    let Unplaced { definitions, uses, files } = unplaced;
    let parts = [
        (definitions, count(definitions, "definition", "definitions")),
        (uses, count(uses, "use", "uses")),
        (files, count(files, "file that cannot be read", "files that cannot be read")),
    ];
    let parts: Vec<String> = parts.into_iter().filter(|(number, _)| *number > 0).map(|(_, words)| words).collect();
    let why = "their names do not stand on their lines";
    (!parts.is_empty()).then(|| format!("not in the index: {}; {why}", parts.join(", ")))
}

/// An absolute path as a URI.
fn uri(path: &[u8]) -> String {
    let mut uri = "file://".to_owned();
    for byte in path {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b'-' | b'_' | b'.' | b'~' => uri.push(char::from(*byte)),
            _ => uri.push_str(&format!("%{byte:02X}")),
        }
    }
    uri
}

/// Files by their names.
pub type NamedFiles = Vec<(&'static str, Vec<u8>)>;
