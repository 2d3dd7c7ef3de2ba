//! `graph export`: the whole graph in another program's form.

use std::io::{self, Write};

use vise_graph::export::{self, Form};

use super::index;
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
            Self::Parquet => return None,
        })
    }

    /// Writes the graph of the session's workspace as one stream.
    ///
    /// # Errors
    /// When the files cannot be looked at, or the form is not one stream. The inner result is the output's.
    pub fn write(self, session: &Session, out: &mut dyn Write) -> Result<io::Result<Exported>, ToolError> {
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

/// Files by their names.
pub type NamedFiles = Vec<(&'static str, Vec<u8>)>;
