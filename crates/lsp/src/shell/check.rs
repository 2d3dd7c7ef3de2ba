//! What is wrong with several files at once, as they are on disk or as they would be.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use futures_util::StreamExt as _;
use tokio::time::Instant;

use super::ask::{Asked, Remarks};
use super::diagnose::DOUBT;
use super::disk;
use super::live::Live;
use crate::answer::{Check, CheckAnswer, Checked, State};
use crate::convert;
use crate::error::Error;
use crate::uri;

impl Asked<'_> {
    /// The diagnostics of the files. Texts that stand in for those of the disk are taken back before anybody else's
    /// question is answered, whatever becomes of this one.
    pub(super) async fn check(&self, check: &Check) -> Result<CheckAnswer, Error> {
        if check.overlay.is_empty() {
            let _disk = self.live.overlay.read().await;
            let _together = Together::new(&self.live, check);
            return self.look(check).await;
        }
        let _alone = self.live.overlay.write().await;
        let _together = Together::new(&self.live, check);
        let _back = TakesBack { live: self.live.clone(), asked: self, paths: paths_of(&check.overlay) };
        self.look(check).await
    }

    async fn look(&self, check: &Check) -> Result<CheckAnswer, Error> {
        // What is known by then is worth more than an error that says that the time is over.
        let over_all = Instant::now() + check.allowed.saturating_sub(MARGIN);
        let mut remarks = Remarks::default();
        self.sync(None, &mut remarks).await?;
        let mut unread = Vec::new();
        let over = |path: &Path| check.overlay.iter().any(|(over, _)| over == path);
        for path in check.files.iter().filter(|path| !over(path)) {
            match disk::read(path) {
                Ok(bytes) => {
                    if self.send_text(path, &bytes).is_err() {
                        unread.push((path, Error::Refused("it is not UTF-8, so no server can be sent it".to_owned())));
                    }
                }
                Err(why) => unread.push((path, Error::NotFound(why.to_owned()))),
            }
        }
        let mut changed = false;
        for (path, text) in &check.overlay {
            let language = self.server.spec.language_of(path).unwrap_or("plaintext");
            // A string is Unicode, which is all that is asked of it.
            changed |= self.live.with(|session, _| session.overlay(path, language, text.as_bytes())) == Ok(true);
        }
        if changed {
            self.live.tell_time();
            self.live.with(|session, _| session.published.doubt());
        }
        let mut files: Vec<PathBuf> = check.files.iter().filter(|path| !is_in(&unread, path)).cloned().collect();
        files.extend(check.overlay.iter().map(|(path, _)| path.clone()));
        files.sort();
        files.dedup();
        let mut checked = Vec::new();
        let until = Until { sent: Instant::now() + self.diagnostics, all: over_all };
        self.look_at(&files, until, &mut remarks, &mut checked).await?;
        if check.others {
            let mut others = self.live.with(|session, _| session.documents.paths());
            others.retain(|path| !files.contains(path));
            // Most of them say nothing new, and that is not waited for one by one.
            let sent = Instant::now() + DOUBT;
            self.look_at(&others, Until { sent, all: over_all.min(sent) }, &mut remarks, &mut checked).await?;
        }
        remarks.notes.extend(self.still_checking());
        if let Some(checker) = self.server.spec.disk_checker.as_ref().map(|checker| &checker.name) {
            if !self.trusted {
                remarks.notes.push(format!("`{checker}` was not run: this checkout is not trusted"));
            } else if !check.overlay.is_empty() {
                remarks.notes.push(format!("`{checker}` reads the disk, so it was not run on what is not written yet"));
            }
        }
        let shown = |path: &Path| vise_workspace::shown_path(self.workspace, path);
        let unchecked = unread.into_iter().map(|(path, why)| (shown(path), why)).collect();
        Ok(CheckAnswer { checked, unchecked, notes: remarks.notes })
    }
}

/// So much of the time is left for the answer itself.
const MARGIN: Duration = Duration::from_millis(500);
/// So many files are asked about at once: a server may have several threads, and its queue is not ours to fill.
const AT_ONCE: usize = 4;

/// How long files are looked at.
#[derive(Debug, Clone, Copy)]
struct Until {
    /// What a server sends by itself is waited for until then.
    sent: Instant,
    /// No file is asked about any more.
    all: Instant,
}

impl Asked<'_> {
    /// The diagnostics of open files. Who comes behind the time is looked at once: what was sent of it by then is known, and
    /// it is not asked about.
    async fn look_at(
        &self,
        files: &[PathBuf],
        until: Until,
        remarks: &mut Remarks,
        checked: &mut Vec<Checked>,
    ) -> Result<(), Error> {
        let pulls = self.can("textDocument/diagnostic");
        let look = |path: &PathBuf| {
            let path = path.clone();
            async move {
                let now = Instant::now();
                if pulls && now >= until.all {
                    return Ok((path, (Vec::new(), State::Timeout)));
                }
                let left = until.sent.saturating_duration_since(now);
                self.raw_diagnostics(&path, left).await.map(|found| (path, found))
            }
        };
        let mut found = futures_util::stream::iter(files.iter().map(look)).buffered(AT_ONCE);
        while let Some(one) = found.next().await {
            let (path, (items, state)) = one?;
            let uri = uri::of(&path);
            let diagnostics = self.read(remarks, |reader| convert::diagnostics(&uri, &items, reader));
            let file = vise_workspace::shown_path(self.workspace, &path);
            // What did not come in time is no finding, and no clean file either.
            let diagnostics = if state == State::Timeout { Vec::new() } else { diagnostics };
            checked.push(Checked { file, server: self.id().to_owned(), state, diagnostics });
        }
        Ok(())
    }
}

fn paths_of(overlay: &[(PathBuf, String)]) -> Vec<PathBuf> {
    overlay.iter().map(|(path, _)| path.clone()).collect()
}

fn is_in(unread: &[(&PathBuf, Error)], path: &Path) -> bool {
    unread.iter().any(|(known, _)| *known == path)
}

/// Keeps all files of a check open until it is done: what one says may depend on the text of any other.
struct Together {
    live: Arc<Live>,
}

impl Together {
    fn new(live: &Arc<Live>, check: &Check) -> Together {
        live.with(|session, _| session.keep_open(check.files.len() + check.overlay.len()));
        Together { live: live.clone() }
    }
}

impl Drop for Together {
    fn drop(&mut self) {
        self.live.with(|session, _| session.keep_open(0));
    }
}

/// Gives a server the texts of the disk again, also where the question was called off.
struct TakesBack<'a> {
    live: Arc<Live>,
    asked: &'a Asked<'a>,
    paths: Vec<PathBuf>,
}

impl Drop for TakesBack<'_> {
    fn drop(&mut self) {
        for path in &self.paths {
            let back = disk::read(path).is_ok_and(|bytes| self.asked.send_text(path, &bytes).is_ok());
            if !back {
                self.live.with(|session, _| session.close(path));
            }
        }
        self.live.with(|session, _| session.published.doubt());
    }
}
