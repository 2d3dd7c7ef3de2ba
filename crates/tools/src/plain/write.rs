//! `write`: a whole file.

use std::path::{Path, PathBuf};

use schemars::JsonSchema;
use serde::Deserialize;
use vise_edit::Draft;
use vise_text::{ContentHash, Edit, FileOp, PlacedEdit};

use super::{PlainReport, Target, bytes, propose};
use crate::{Input, Session, ToolError};

/// Make a file, or give it a new content, through the gate.
#[derive(Debug, Clone, clap::Args, Deserialize, JsonSchema)]
pub struct Write {
    /// The file
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
    /// All of its content
    #[arg(skip)]
    #[serde(deserialize_with = "bytes")]
    #[schemars(with = "String")]
    pub text: Vec<u8>,
    /// Stop at the proposal
    #[arg(long)]
    #[serde(default)]
    pub prepare: bool,
}

impl Input for Write {
    type Report = PlainReport;

    /// Writes the file, or prepares it.
    ///
    /// # Errors
    /// When the file may not be written, or is not what it was when it was read.
    fn run(&self, session: &Session) -> Result<PlainReport, ToolError> {
        let op = whole(session, &self.file, self.text.clone())?;
        propose(session, Draft { ops: vec![op], ..Draft::default() }, self.prepare)
    }
}

/// Prepares a proposal that gives files these contents, all of them or none.
///
/// # Errors
/// When a file may not be written.
pub fn propose_files(session: &Session, files: Vec<(PathBuf, Vec<u8>)>) -> Result<PlainReport, ToolError> {
    let ops = files.into_iter().map(|(file, text)| whole(session, &file, text)).collect::<Result<_, _>>()?;
    propose(session, Draft { ops, ..Draft::default() }, true)
}

/// What gives a file this content, whether it is there or not.
fn whole(session: &Session, file: &Path, text: Vec<u8>) -> Result<FileOp, ToolError> {
    let Target { path, text: old, .. } = Target::read(session, &session.folder, file)?;
    Ok(match old {
        None => FileOp::Create { path, text, executable: false },
        Some(old) => {
            let edit = Edit { range: 0..old.len(), text };
            FileOp::Splice { path, old: ContentHash::of(&old), edits: vec![PlacedEdit::new(edit)] }
        }
    })
}
