//! What a change breaks, by the word of a language server: before it is written, and after.

use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_json::json;
use vise_edit::{Proposal, Report};
use vise_lsp::{Check, CheckAnswer, Checked, Diagnostic, Ledger, Ledgers, Severity, State};
use vise_workspace::absolute;

use crate::accept::NOT_CHECKED;
use crate::paint::Paint;
use crate::{Session, ToolError, graph, lsp};

/// What a proposal would break.
#[derive(Debug, Clone, Default)]
pub(crate) struct Foreseen {
    /// What it would bring; none where nobody could look.
    pub(crate) diagnostics: Option<Vec<Diagnostic>>,
    /// Who looked.
    pub(crate) by: Vec<String>,
    /// What was not looked at, and why.
    pub(crate) notes: Vec<String>,
}

impl Foreseen {
    /// The words behind a proposal's diff.
    pub(crate) fn write(&self, out: &mut String, paint: Paint) {
        lsp::foreseen_text(out, self, paint);
    }
}

/// So many files that depend on changed ones are looked at too.
const DEPENDENTS: usize = 30;
/// A look ahead may start a server and wait for its index.
const AHEAD: Duration = Duration::from_secs(120);

/// Puts a proposal's texts before the servers in place of the files', and says what is wrong then and is not now. The disk
/// stays as it is, and so do the proposal's files.
pub(crate) fn foresee(proposal: &Proposal, session: &Session) -> Foreseen {
    let mut foreseen = Foreseen::default();
    if let Err(error) = look_ahead(proposal, session, &mut foreseen) {
        foreseen.notes.push(format!("what it would break is not known: {}", error.message));
    }
    foreseen
}

fn look_ahead(proposal: &Proposal, session: &Session, foreseen: &mut Foreseen) -> Result<(), ToolError> {
    let living = session.living()?;
    let (mut overlay, mut now) = (Vec::new(), Vec::new());
    for slot in &proposal.slots {
        let path = session.root.join(&slot.path);
        if slot.old.is_some() {
            now.push(path.clone());
        }
        match proposal.new_text(slot).map(std::str::from_utf8) {
            Some(Ok(text)) => overlay.push((path, text.to_owned())),
            Some(Err(_)) => foreseen.notes.push(format!("`{}` is not UTF-8 and is not looked at", slot.shown())),
            None => foreseen.notes.push(format!("that `{}` will be gone cannot be shown to a server", slot.shown())),
        }
    }
    let changed = proposal.files();
    match graph::dependents(session, &changed, DEPENDENTS) {
        Ok((files, left)) => {
            now.extend(files.iter().map(|file| session.root.join(file)));
            if left > 0 {
                foreseen.notes.push(format!("{left} more files depend on the changed ones and are not looked at"));
            }
        }
        Err(error) => foreseen.notes.push(format!("files that depend on the changed ones are not known: {error}")),
    }
    let before = Check { files: now.clone(), overlay: Vec::new(), others: false, allowed: AHEAD };
    let before = living.check(&before, session)?;
    now.retain(|path| !overlay.iter().any(|(over, _)| over == path));
    let created: Vec<String> =
        proposal.slots.iter().filter(|slot| slot.old.is_none()).map(|slot| slot.shown()).collect();
    let after = living.check(&Check { files: now, overlay, others: false, allowed: AHEAD }, session)?;
    let mut new = Vec::new();
    let mut any = false;
    for one in &after.checked {
        let was = before.checked.iter().find(|was| was.file == one.file && was.server == one.server);
        let known = match was {
            // One that was not confirmed was said of the same text before another file changed, and nothing came since.
            Some(was) if was.state != State::Timeout => Some(&was.diagnostics[..]),
            None if created.contains(&one.file) => Some(&[][..]),
            _ => None,
        };
        match known.filter(|_| one.state == State::Fresh) {
            Some(known) => {
                any = true;
                add(&mut foreseen.by, &one.server);
                new.extend(Ledger::default().take_change(&one.file, known, &one.diagnostics));
            }
            // Of one that would not be written it is no news that nothing came.
            None if changed.contains(&one.file) => foreseen.notes.push(unconfirmed(one)),
            None => {}
        }
    }
    foreseen.notes.extend(unchecked(&after));
    for note in before.notes.into_iter().chain(after.notes) {
        add(&mut foreseen.notes, &note);
    }
    foreseen.diagnostics = any.then(|| worth_telling(new));
    Ok(())
}

/// A proposal as JSON has it, with what it would break.
pub(crate) fn report(proposal: &Proposal, foreseen: Option<&Foreseen>) -> Report {
    let mut report = proposal.report();
    if let Some(foreseen) = foreseen {
        report.diagnostics = foreseen.diagnostics.as_ref().map(|new| new.iter().map(|one| json!(one)).collect());
        report
            .notes
            .extend(foreseen.by.iter().map(|server| format!("checked by {server}, before anything is written")));
        report.notes.extend(foreseen.notes.iter().cloned());
    }
    report
}

/// How long a look around a write may take in all. The client's own limit comes first, and says what it is about.
fn within(session: &Session) -> Duration {
    session.diagnostics + Duration::from_secs(1)
}

/// What the servers say of some files before they are written.
pub(crate) struct Before {
    /// The files, absolute, each with whether it is there.
    files: Vec<(PathBuf, bool)>,
    answer: Option<Result<CheckAnswer, ToolError>>,
}

/// What a write brought.
#[derive(Debug, Clone, Default)]
pub(crate) struct Brought {
    /// What is new; none where nobody could look.
    pub(crate) diagnostics: Option<Vec<Diagnostic>>,
    /// What was not looked at, and why.
    pub(crate) notes: Vec<String>,
}

/// Asks the servers of files that are about to be written. It is waited for as long as the configuration says and no
/// longer: nothing here keeps a file from being written.
pub(crate) fn before(files: &[String], session: &Session) -> Before {
    let files: Vec<(PathBuf, bool)> = files
        .iter()
        .map(|file| absolute(&session.root, Path::new(file)))
        .map(|path| (path.is_file(), path))
        .map(|(there, path)| (path, there))
        .collect();
    let there: Vec<PathBuf> = files.iter().filter(|(_, there)| *there).map(|(path, _)| path.clone()).collect();
    let check = Check { files: there, overlay: Vec::new(), others: true, allowed: within(session) };
    let answer = session.living.as_deref().map(|living| living.check(&check, session));
    Before { files, answer }
}

impl Before {
    /// Asks again, once the files are written.
    pub(crate) fn after(self, session: &Session) -> Brought {
        let mut brought = Brought::default();
        let (Some(living), Some(before)) = (session.living.as_deref(), self.answer) else {
            brought.notes.push(format!("{NOT_CHECKED}no language server can be reached from here"));
            return brought;
        };
        let before = match before {
            Ok(before) => before,
            Err(error) => {
                brought.notes.push(format!("{NOT_CHECKED}{}", error.message));
                return brought;
            }
        };
        // One that is gone is named too: its server is asked what others say of that.
        let files: Vec<PathBuf> = self.files.iter().map(|(path, _)| path.clone()).collect();
        let is_gone = |path: &Path| !path.is_file();
        let gone = files.iter().all(|path| is_gone(path));
        let check = Check { files, overlay: Vec::new(), others: true, allowed: within(session) };
        let after = match living.check(&check, session) {
            Ok(mut after) => {
                after.unchecked.retain(|(file, _)| !is_gone(&absolute(&session.root, Path::new(file))));
                after
            }
            Err(error) => {
                brought.notes.push(format!("{NOT_CHECKED}{}", error.message));
                return brought;
            }
        };
        let written = |file: &str| {
            let path = absolute(&session.root, Path::new(file));
            self.files.iter().find(|(known, _)| *known == path).map(|(_, there)| *there)
        };
        let judged = with_ledger(session, |ledger| judge(ledger, &before, &after, &written, gone));
        let (new, any, notes) = judged.unwrap_or_else(|error| {
            let (new, any, mut notes) = judge(&mut Ledger::default(), &before, &after, &written, gone);
            notes.push(format!("what this conversation has seen cannot be kept: {error}"));
            (new, any, notes)
        });
        brought.diagnostics = any.then(|| worth_telling(new));
        brought.notes.extend(notes);
        brought.notes.extend(unchecked(&after));
        for note in after.notes {
            add(&mut brought.notes, &note);
        }
        if brought.diagnostics.is_none() && brought.notes.is_empty() {
            brought.notes.push(format!("{NOT_CHECKED}no language server said anything of the files that it has open"));
        }
        brought
    }
}

/// `written`: of a file that was written, whether it was there before. `gone`: none of them is there any more.
///
/// What is new after a write: by what was known before it, and where that is not known by what this conversation saw last.
fn judge(
    ledger: &mut Ledger,
    before: &CheckAnswer,
    after: &CheckAnswer,
    written: &dyn Fn(&str) -> Option<bool>,
    gone: bool,
) -> (Vec<Diagnostic>, bool, Vec<String>) {
    let (mut new, mut any, mut notes) = (Vec::new(), false, Vec::new());
    for one in &after.checked {
        let key = key(one);
        if one.state != State::Fresh {
            // Of one that was not written it is no news that nothing came.
            if written(&one.file).is_some() {
                notes.push(unconfirmed(one));
            }
            continue;
        }
        let was = before.checked.iter().find(|was| was.file == one.file && was.server == one.server);
        match was {
            // One that was not confirmed was said of the same text before another file changed, and nothing came since.
            Some(was) if was.state != State::Timeout => {
                new.extend(ledger.take_change(&key, &was.diagnostics, &one.diagnostics));
            }
            _ if written(&one.file) == Some(false) => new.extend(ledger.take_change(&key, &[], &one.diagnostics)),
            _ if ledger.knows(&key) => new.extend(ledger.take(&key, &one.diagnostics)),
            _ => {
                notes
                    .push(format!("`{}` is not checked: {} was not ready before it was written", one.file, one.server));
                continue;
            }
        }
        // That a neighbour is well says nothing of what was written, unless that is gone.
        any |= written(&one.file).is_some() || gone;
    }
    (new, any, notes)
}

/// A file's name in the ledger: what two servers say of it is told apart.
pub(crate) fn key(one: &Checked) -> String {
    format!("{}\0{}", one.file, one.server)
}

/// Works on what this conversation has seen.
pub(crate) fn with_ledger<R>(session: &Session, work: impl FnOnce(&mut Ledger) -> R) -> std::io::Result<R> {
    let ledgers = Ledgers::new(session.state_home.join("vise/ledgers"));
    ledgers.with(&session.root, &session.conversation, work)
}

/// Sorted, each once, and without what only greys a text out.
pub(crate) fn worth_telling(mut new: Vec<Diagnostic>) -> Vec<Diagnostic> {
    new.retain(|one| one.severity != Severity::Hint);
    let place = |one: &Diagnostic| (one.file.clone(), one.line, one.column, one.severity, one.message.clone());
    new.sort_by_key(place);
    new.dedup_by_key(|one| place(one));
    new
}

/// Why a file's diagnostics are not told.
pub(crate) fn unconfirmed(one: &Checked) -> String {
    let Checked { file, server, .. } = one;
    match one.state {
        State::Timeout => format!("`{file}` is not checked: {server} said nothing of it in time"),
        _ => format!("`{file}` is not checked: {server} did not confirm that it has read it"),
    }
}

/// The files that nobody looked at, in sentences: one for each reason.
pub(crate) fn unchecked(answer: &CheckAnswer) -> Vec<String> {
    let mut reasons: Vec<(&vise_lsp::Error, Vec<&str>)> = Vec::new();
    for (file, why) in &answer.unchecked {
        match reasons.iter_mut().find(|(known, _)| *known == why) {
            Some((_, files)) => files.push(file),
            None => reasons.push((why, vec![file])),
        }
    }
    let sentence = |(why, files): (&vise_lsp::Error, Vec<&str>)| {
        let more = if files.len() > 1 { format!(" and {} more", files.len() - 1) } else { String::new() };
        format!("{NOT_CHECKED}`{}`{more}: {why}", files[0])
    };
    reasons.into_iter().map(sentence).collect()
}

fn add(list: &mut Vec<String>, one: &str) {
    if !list.iter().any(|known| known == one) {
        list.push(one.to_owned());
    }
}
