//! `apply_patch`: a diff, as git and diff write it, or in the form that begins `*** Begin Patch`.
//!
//! A patch is read (`unified.rs`, `envelope.rs`), then each hunk is given its place in the file as it is (`fit.rs`):
//! lines must be there exactly, line ends aside, though they may have moved. What a patch says of modes and names is
//! done or refused, and nothing of it is passed over.

mod envelope;
mod fit;
mod unified;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use schemars::JsonSchema;
use serde::Deserialize;
use vise_edit::{Draft, Reason, Refusal};
use vise_text::{ContentHash, Edit, FileOp, PlacedEdit, apply};
use vise_workspace::absolute;

use super::{PlainReport, Target, bytes, check_encoding, propose, refused};
use crate::{ErrorKind, Input, Session, ToolError};
use fit::{Misfit, fit};

/// Apply a unified diff, or a patch in the `*** Begin Patch` form, through the gate.
#[derive(Debug, Clone, clap::Args, Deserialize, JsonSchema)]
pub struct ApplyPatch {
    /// The patch
    #[arg(skip)]
    #[serde(deserialize_with = "bytes")]
    #[schemars(with = "String")]
    pub patch: Vec<u8>,
    /// Stop at the proposal
    #[arg(long)]
    #[serde(default)]
    pub prepare: bool,
}

/// What a patch does to one file.
#[derive(Debug, Default, PartialEq)]
struct FilePatch {
    /// The line of the patch on which it begins, from 1.
    line: usize,
    /// The file before and after; none where there is none.
    from: Option<Name>,
    to: Option<Name>,
    /// The file goes whatever it holds: the form that agents send shows none of its lines.
    unseen: bool,
    /// Whether the new file may be run, where the patch says so.
    executable: Option<bool>,
    hunks: Vec<Hunk>,
    /// What the patch asks for and the gate does not do.
    refusal: Option<(Reason, &'static str)>,
}

/// A path as a patch spells it.
#[derive(Debug, Clone, PartialEq)]
struct Name {
    /// Without the prefix that git puts before it (`a/`, `b/`), where it has one.
    plain: PathBuf,
    given: PathBuf,
}

/// Lines that belong together.
#[derive(Debug, Default, PartialEq)]
struct Hunk {
    /// The line of the patch on which it begins, from 1.
    line: usize,
    /// The line of the old file, from 1, on which it says that it begins.
    at: Option<usize>,
    /// Lines that stand above its place, the outermost first.
    anchors: Vec<Vec<u8>>,
    /// Without their line ends.
    lines: Vec<(Mark, Vec<u8>)>,
    /// The last line of the old file, and of the new one, has no line end; none where the patch does not tell.
    open: Option<(bool, bool)>,
    /// It stands at the end of the file.
    at_end: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Mark {
    Context,
    Removed,
    Added,
}

/// The error for a patch that cannot be read.
fn malformed(line: usize, why: impl std::fmt::Display) -> ToolError {
    ToolError::bad_input(format!("line {line} of the patch: {why}")).hint("nothing was written")
}

impl Input for ApplyPatch {
    type Report = PlainReport;

    /// Applies the patch, or prepares it.
    ///
    /// # Errors
    /// When the patch cannot be read, when it does not fit the files, when it fits at several places.
    fn run(&self, session: &Session) -> Result<PlainReport, ToolError> {
        let files =
            if envelope::is_one(&self.patch) { envelope::read(&self.patch)? } else { unified::read(&self.patch)? };
        if files.is_empty() {
            return Err(ToolError::bad_input("no change is found in the patch")
                .hint("it is a unified diff (`---`, `+++`, `@@`) or begins with `*** Begin Patch`"));
        }
        let mut work = Work { session, texts: BTreeMap::new(), draft: Draft::default() };
        for file in &files {
            work.file(file)?;
        }
        propose(session, work.draft, self.prepare)
    }
}

/// A patch that is being applied, so far in memory.
struct Work<'s> {
    session: &'s Session,
    /// What the files hold by now.
    texts: BTreeMap<PathBuf, Option<Vec<u8>>>,
    draft: Draft,
}

impl Work<'_> {
    fn file(&mut self, patch: &FilePatch) -> Result<(), ToolError> {
        let from = patch.from.as_ref().map(|name| self.path(name)).transpose()?;
        let to = match (&patch.to, &from) {
            (None, _) => None,
            (Some(_), Some(from)) if patch.from == patch.to => Some(from.clone()),
            (Some(name), _) => Some(absolute(&self.session.root, &name.plain)),
        };
        let shown = from.as_ref().or(to.as_ref()).map(|path| vise_workspace::shown_path(&self.session.root, path));
        let shown = shown.unwrap_or_default();
        if let Some((reason, why)) = patch.refusal {
            return Err(refused(Refusal::of_file(shown, reason, why)));
        }
        match (from, to) {
            (None, None) => Err(malformed(patch.line, "it names no file")),
            (None, Some(to)) => self.create(patch, to),
            (Some(from), to) => {
                let Some(old) = self.texts.get(&from).cloned().flatten() else {
                    return Err(ToolError::bad_input(format!("no such file: `{shown}`"))
                        .hint("the patch changes it; paths are taken from the root of the workspace"));
                };
                let new = self.splice(patch, &from, &shown, old)?;
                let Some(to) = to else {
                    if !new.is_empty() && !patch.unseen {
                        return Err(self.stale(&shown, patch.line, "it removes the file, which has more lines"));
                    }
                    self.draft.ops.push(FileOp::Delete { path: from.clone() });
                    self.texts.insert(from, None);
                    return Ok(());
                };
                if to != from {
                    self.draft.ops.push(FileOp::Rename { from: from.clone(), to: to.clone() });
                    self.texts.insert(from, None);
                }
                if let Some(executable) = patch.executable {
                    self.draft.ops.push(FileOp::SetExecutable { path: to.clone(), executable });
                }
                self.texts.insert(to, Some(new));
                Ok(())
            }
        }
    }

    fn create(&mut self, patch: &FilePatch, to: PathBuf) -> Result<(), ToolError> {
        let mut text = Vec::new();
        for hunk in &patch.hunks {
            if hunk.lines.iter().any(|(mark, _)| *mark != Mark::Added) {
                return Err(malformed(hunk.line, "a file that is made has added lines only"));
            }
            for (_, line) in &hunk.lines {
                text.extend_from_slice(line);
                text.push(b'\n');
            }
            if hunk.open.is_some_and(|(_, new)| new) {
                text.pop();
            }
        }
        let executable = patch.executable.unwrap_or(false);
        self.draft.ops.push(FileOp::Create { path: to.clone(), text: text.clone(), executable });
        self.texts.insert(to, Some(text));
        Ok(())
    }

    /// Gives the hunks of a file their places, and the text that they make.
    fn splice(&mut self, patch: &FilePatch, path: &Path, file: &str, old: Vec<u8>) -> Result<Vec<u8>, ToolError> {
        if patch.hunks.is_empty() {
            return Ok(old);
        }
        let fitted = fit(&old, &patch.hunks).map_err(|misfit| self.misfit(file, misfit))?;
        for moved in fitted.moved {
            let (line, from, to) = (moved.line, moved.from, moved.to);
            self.draft
                .notes
                .push(format!("`{file}`: the hunk at line {line} of the patch fits at line {to}, not {from}"));
        }
        let edits: Vec<Edit> = fitted.edits.iter().map(|(_, edit)| edit.clone()).collect();
        for edit in &edits {
            check_encoding(file, &old, &edit.text)?;
        }
        let new = apply(&old, &edits)
            .map_err(|conflict| vise_edit::Error::Overlap { file: file.to_owned(), conflict })
            .map_err(ToolError::from)?;
        let count = self.draft.ops.len();
        let edits = fitted.edits.into_iter().map(|(hunk, edit)| {
            let group = Some(format!("{count}:{hunk}"));
            PlacedEdit { group, ..PlacedEdit::new(edit) }
        });
        let edits: Vec<PlacedEdit> = edits.collect();
        if !edits.is_empty() {
            self.draft.ops.push(FileOp::Splice { path: path.to_owned(), old: ContentHash::of(&old), edits });
        }
        Ok(new)
    }

    fn misfit(&self, file: &str, misfit: Misfit) -> ToolError {
        match misfit {
            Misfit::Nowhere { line } => self.stale(file, line, "its lines are not in the file"),
            Misfit::NoPlace { line } => {
                let why = format!("the hunk at line {line} of the patch has no line that says where it belongs");
                refused(Refusal::of_file(file, Reason::Ambiguous, why))
                    .hint("make the diff with lines of context around each change")
            }
            Misfit::Several { line, at } => {
                let named: Vec<String> = at.iter().take(10).map(ToString::to_string).collect();
                let message = format!(
                    "the hunk at line {line} of the patch fits `{file}` at {} places: lines {}",
                    at.len(),
                    named.join(", ")
                );
                let refusals: Vec<Refusal> = at
                    .iter()
                    .map(|line| Refusal {
                        file: file.to_owned(),
                        line: Some(*line),
                        why: "the hunk fits here too".to_owned(),
                        reason: Reason::Ambiguous,
                    })
                    .collect();
                ToolError::new(ErrorKind::Refused, message)
                    .hint("give more lines of context, or the right line in its `@@` line")
                    .with("refused", refusals)
                    .with("lines", at)
            }
        }
    }

    fn stale(&self, file: &str, line: usize, why: &str) -> ToolError {
        ToolError::new(ErrorKind::Stale, format!("the hunk at line {line} of the patch does not fit `{file}`: {why}"))
            .hint("nothing was written; read the file again, and make the patch from what it holds now")
            .with("files", [file])
    }

    /// The file that a name means, which is read if it was not yet: with or without git's prefix, from the root or
    /// from the current folder, whichever is there.
    fn path(&mut self, name: &Name) -> Result<PathBuf, ToolError> {
        let (root, folder) = (self.session.root.clone(), self.session.folder.clone());
        let mut candidates = vec![absolute(&root, &name.plain)];
        for (folder, path) in [(&folder, &name.plain), (&root, &name.given), (&folder, &name.given)] {
            let path = absolute(folder, path);
            if !candidates.contains(&path) {
                candidates.push(path);
            }
        }
        for path in &candidates {
            if !self.texts.contains_key(path) {
                let target = Target::read(self.session, &root, path)?;
                self.texts.insert(path.clone(), target.text);
            }
            if self.texts.get(path).is_some_and(Option::is_some) {
                return Ok(path.clone());
            }
        }
        Ok(candidates.swap_remove(0))
    }
}
