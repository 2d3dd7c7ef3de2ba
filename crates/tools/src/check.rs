//! `vise check`: what the language servers find wrong with files, all of it or what is new to a conversation.

use std::fmt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::{Serialize, Serializer};
use serde_json::json;
use vise_lsp::{Check, CheckAnswer, Checked, Diagnostic, Ledger, State};
use vise_workspace::{absolute, git_changes, git_head};

use crate::foresee::{key, unchecked, unconfirmed, with_ledger, worth_telling};
use crate::living::Living;
use crate::lsp::diagnostic_text;
use crate::paint::{Paint, Role};
use crate::{ErrorKind, Session, ToolError};

/// Ask the language servers what is wrong with files.
#[derive(Debug, Clone, Default, clap::Args)]
pub struct CheckFiles {
    /// The files; without any, those that differ from git's HEAD
    #[arg(value_name = "FILE")]
    pub files: Vec<PathBuf>,
    /// Only what this conversation has not seen yet; the first time, what the file at HEAD does not have
    #[arg(long)]
    pub new: bool,
    /// Take what there is as seen, and report nothing
    #[arg(long, conflicts_with = "new")]
    pub prime: bool,
}

/// What was found.
#[derive(Debug)]
pub struct CheckReport {
    diagnostics: Vec<Diagnostic>,
    state: State,
    checked: Vec<Checked>,
    incomplete: bool,
    notes: Vec<String>,
}

/// A check may start servers and wait for their indexes.
const ALLOWED: Duration = Duration::from_secs(120);

impl CheckFiles {
    /// Asks.
    ///
    /// # Errors
    /// When a file is not there, when nobody serves any of them, and when no server can be reached.
    pub fn run(&self, session: &Session) -> Result<CheckReport, ToolError> {
        let files = self.paths(session)?;
        if files.is_empty() {
            let notes = vec!["no file differs from git's HEAD".to_owned()];
            return Ok(CheckReport::of(Vec::new(), CheckAnswer { notes, ..CheckAnswer::default() }));
        }
        let living = session.living()?;
        let check = Check { files, overlay: Vec::new(), others: false, allowed: ALLOWED };
        let mut answer = living.check(&check, session)?;
        if self.files.is_empty() {
            // Of all that differs, what no server is for is nobody's business.
            answer.unchecked.retain(|(_, why)| !matches!(why, vise_lsp::Error::Unsupported(_)));
        }
        if answer.checked.is_empty()
            && let Some((_, why)) = answer.unchecked.first()
        {
            return Err(ToolError::from(why.clone()).hint("`vise doctor` lists what can be checked here"));
        }
        if !self.new && !self.prime {
            let all = answer.checked.iter().flat_map(|one| one.diagnostics.clone()).collect();
            return Ok(CheckReport::of(all, answer));
        }
        let kept = |error: std::io::Error| {
            ToolError::new(ErrorKind::Unavailable, format!("what this conversation has seen cannot be kept: {error}"))
        };
        if self.prime {
            with_ledger(session, |ledger| {
                fresh(&answer).for_each(|one| drop(ledger.take(&key(one), &one.diagnostics)));
            })
            .map_err(kept)?;
            return Ok(CheckReport::of(Vec::new(), answer));
        }
        let unknown = with_ledger(session, |ledger| {
            fresh(&answer).filter(|one| !ledger.knows(&key(one))).map(|one| one.file.clone()).collect::<Vec<_>>()
        })
        .map_err(kept)?;
        let (first, notes) = baseline(&unknown, living, session)?;
        let new = with_ledger(session, |ledger| {
            let take = |one: &Checked| new_of(ledger, one, &first);
            fresh(&answer).flat_map(take).collect::<Vec<_>>()
        })
        .map_err(kept)?;
        let mut report = CheckReport::of(new, answer);
        report.notes.extend(notes);
        Ok(report)
    }

    fn paths(&self, session: &Session) -> Result<Vec<PathBuf>, ToolError> {
        if self.files.is_empty() {
            let changes = git_changes(&session.root, None)?;
            let paths = changes.into_iter().map(|change| session.root.join(change.file));
            return Ok(paths.filter(|path| path.is_file()).collect());
        }
        let existing = |file: &PathBuf| {
            let path = absolute(&session.folder, file);
            if path.is_file() {
                Ok(path)
            } else {
                Err(ToolError::bad_input(format!("there is no file `{}`", file.display())))
            }
        };
        self.files.iter().map(existing).collect()
    }
}

fn fresh(answer: &CheckAnswer) -> impl Iterator<Item = &Checked> {
    answer.checked.iter().filter(|one| one.state == State::Fresh)
}

/// What of a file is new: beside what was last seen of it, and the first time beside what it had at HEAD. A file whose
/// baseline nobody could tell brings nothing: better silent than blamed for what was there before.
fn new_of(ledger: &mut Ledger, one: &Checked, first: &[Checked]) -> Vec<Diagnostic> {
    let key = key(one);
    if ledger.knows(&key) {
        return ledger.take(&key, &one.diagnostics);
    }
    let before = first.iter().find(|first| first.file == one.file && first.server == one.server);
    match before.filter(|before| before.state == State::Fresh) {
        Some(before) => ledger.take_change(&key, &before.diagnostics, &one.diagnostics),
        None => {
            ledger.take(&key, &one.diagnostics);
            Vec::new()
        }
    }
}

/// What is wrong with files as they are at HEAD, put before the servers as overlays; untracked ones have nothing.
fn baseline(
    files: &[String],
    living: &dyn Living,
    session: &Session,
) -> Result<(Vec<Checked>, Vec<String>), ToolError> {
    let (mut overlay, mut notes) = (Vec::new(), Vec::new());
    for file in files {
        let text = git_head(&session.root, file)?.unwrap_or_default();
        match String::from_utf8(text) {
            Ok(text) => overlay.push((absolute(&session.root, Path::new(file)), text)),
            Err(_) => notes.push(format!("`{file}` at HEAD is not UTF-8; what it brought is not known")),
        }
    }
    if overlay.is_empty() {
        return Ok((Vec::new(), notes));
    }
    let check = Check { files: Vec::new(), overlay, others: false, allowed: ALLOWED };
    let answer = living.check(&check, session)?;
    let missed = answer.checked.iter().filter(|one| one.state != State::Fresh);
    notes.extend(missed.map(|one| format!("what `{}` had at HEAD is not known; nothing of it is reported", one.file)));
    Ok((answer.checked, notes))
}

impl CheckReport {
    fn of(diagnostics: Vec<Diagnostic>, answer: CheckAnswer) -> CheckReport {
        let state = answer.checked.iter().map(|one| one.state).max().unwrap_or(State::Fresh);
        let mut notes: Vec<String> =
            answer.checked.iter().filter(|one| one.state != State::Fresh).map(unconfirmed).collect();
        notes.extend(unchecked(&answer));
        notes.extend(answer.notes);
        let incomplete = state != State::Fresh || !answer.unchecked.is_empty();
        CheckReport { diagnostics: worth_telling(diagnostics), state, checked: answer.checked, incomplete, notes }
    }

    /// Whether there is nothing to report.
    pub fn is_clean(&self) -> bool {
        self.diagnostics.is_empty()
    }

    /// The report as text.
    pub fn text(&self, paint: Paint) -> String {
        let mut out = String::new();
        for note in &self.notes {
            out.push_str(&format!("{}: {}\n", paint.words(Role::Faint, "note"), vise_text::shown(note.as_bytes())));
        }
        self.diagnostics.iter().for_each(|one| diagnostic_text(&mut out, one, paint));
        out
    }
}

impl Serialize for CheckReport {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let checked: Vec<_> = self
            .checked
            .iter()
            .map(|one| json!({"file": one.file, "server": one.server, "state": one.state}))
            .collect();
        json!({
            "diagnostics": self.diagnostics,
            "state": self.state,
            "checked": checked,
            "incomplete": self.incomplete,
            "notes": self.notes,
        })
        .serialize(serializer)
    }
}

impl fmt::Display for CheckReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text(Paint::default()))
    }
}
