//! One question to one server: bring its texts up to date, find the places to ask about, ask, and judge the answer.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, PoisonError};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use vise_syntax::Registry;
use vise_syntax::servers::Quirk;

use super::Server;
use super::disk::{self, DiskTexts};
use super::live::Live;
use crate::anchor;
use crate::answer::{Answer, Operation, Outcome, Query};
use crate::convert::Reader;
use crate::error::Error;
use crate::gate::Words;
use crate::session::{Failure, FileChange, MOST_OPEN, Session, Text};

/// So many places of a name are asked about, one after the other.
const MOST_TRIES: usize = 12;

/// A question on its way.
pub(super) struct Asked<'a> {
    pub(super) live: Arc<Live>,
    pub(super) server: &'a Server,
    pub(super) workspace: &'a Path,
    pub(super) registry: &'a Registry,
    pub(super) words: &'a dyn Words,
    pub(super) ready: Duration,
    pub(super) diagnostics: Duration,
    /// Whether code of the project may run.
    pub(super) trusted: bool,
    /// How long the server took for the requests so far, in nanoseconds.
    pub(super) waited: AtomicU64,
}

/// Where to ask: a place of a document.
#[derive(Debug, Clone)]
pub(super) struct Place {
    pub(super) path: PathBuf,
    pub(super) offset: usize,
    /// The name that stands there.
    pub(super) name: Option<String>,
    /// The version of the text that the offset is of.
    version: Option<i64>,
}

/// What a question learns on its way.
#[derive(Default)]
pub(super) struct Remarks {
    pub(super) notes: Vec<String>,
    pub(super) incomplete: bool,
    /// Files that came or changed since the last question and that the server has not open: it reads them by itself.
    pub(super) news: Vec<PathBuf>,
}

impl Asked<'_> {
    /// The answer. Where the text moved under the question, because somebody else's brought a newer one, it begins anew.
    pub(super) async fn answer(&self, query: &Query) -> Result<Answer, Error> {
        let _disk = self.live.overlay.read().await;
        for _ in 0..MOST_MOVES {
            match self.attempt(query).await {
                Err(error) if error == moved() => {}
                answer => return answer,
            }
        }
        Err(moved())
    }

    async fn attempt(&self, query: &Query) -> Result<Answer, Error> {
        let mut remarks = Remarks::default();
        self.check_offered(query)?;
        self.sync(query.file.as_deref(), &mut remarks).await?;
        let outcome = match &query.operation {
            Operation::Diagnostics => self.diagnose(query, &mut remarks).await?,
            Operation::DocumentSymbol => self.document_symbols(query, &mut remarks).await?,
            Operation::WorkspaceSymbol => self.workspace_symbols(query, &mut remarks).await?,
            Operation::Hover | Operation::Signature => self.say(query).await?,
            Operation::IncomingCalls | Operation::OutgoingCalls | Operation::Supertypes | Operation::Subtypes => {
                self.hierarchy(query, &mut remarks).await?
            }
            Operation::Rename { new_name } => self.rename(query, new_name, &mut remarks).await?,
            Operation::RenameFile { to } => self.rename_file(query, to, &mut remarks).await?,
            Operation::CodeActions { kind, apply } => {
                self.code_actions(query, kind.as_deref(), *apply, &mut remarks).await?
            }
            _ => self.locations(query, &mut remarks).await?,
        };
        if let Some(trouble) = self.live.with(|session, _| session.readiness.trouble().map(str::to_owned)) {
            remarks.notes.push(format!("{} says of itself: {trouble}", self.id()));
        }
        let (outcome, truncated) = capped(outcome, query.max);
        let Remarks { notes, incomplete, .. } = remarks;
        let waited = Duration::from_nanos(self.waited.load(Ordering::Relaxed));
        Ok(Answer { server: self.id().to_owned(), outcome, notes, incomplete, truncated, waited })
    }

    pub(super) fn id(&self) -> &str {
        &self.server.spec.id
    }

    pub(super) fn has(&self, quirk: Quirk) -> bool {
        self.server.spec.quirks.contains(&quirk)
    }

    pub(super) fn allowed(&self) -> Duration {
        Duration::from_secs(self.server.spec.request_timeout_seconds)
    }

    pub(super) fn can(&self, method: &str) -> bool {
        self.live.with(|session, _| session.capabilities.supports(method))
    }

    fn check_offered(&self, query: &Query) -> Result<(), Error> {
        let method = query.operation.method();
        // Diagnostics are sent unasked by who offers no method for them.
        if query.operation == Operation::Diagnostics || self.can(method) {
            return Ok(());
        }
        let (id, name) = (self.id(), query.operation.name());
        Err(Error::Unsupported(format!("`{id}` does not offer `{name}`; `vise graph` may answer from the source")))
    }

    /// Brings the server up to date with the disk: the documents that it has open, the file that the question is about, and
    /// one message about every other file that changed.
    pub(super) async fn sync(&self, file: Option<&Path>, remarks: &mut Remarks) -> Result<(), Error> {
        let _turn = self.live.turn.lock().await;
        let changes = {
            let mut files = self.server.files.lock().unwrap_or_else(PoisonError::into_inner);
            files.changes(&self.server.root)
        };
        // New files first, so that who imports them is judged with them.
        self.live.with(|session, _| session.files_changed(&changes));
        let mut changed = !changes.is_empty();
        for path in self.live.with(|session, _| session.documents.paths()) {
            match disk::read(&path) {
                Ok(bytes) => changed |= self.send_text(&path, &bytes)?,
                Err(_) => self.live.with(|session, _| session.close(&path)),
            }
        }
        if changed {
            self.live.tell_time();
            self.live.with(|session, _| session.published.doubt());
        }
        let ours = |path: &Path| self.server.spec.language_of(path).is_some();
        let news = |path: &PathBuf, change| change != FileChange::Deleted && ours(path) && !self.is_open(path);
        remarks.news =
            changes.iter().filter(|(path, change)| news(path, *change)).map(|(path, _)| path.clone()).collect();
        if self.has(Quirk::ReadsOnOpen) {
            for path in remarks.news.iter().take(MOST_OPEN) {
                if let Ok(bytes) = disk::read(path) {
                    self.send_text(path, &bytes)?;
                    self.live.with(|session, _| session.close(path));
                }
            }
        }
        if self.has(Quirk::NewFilesUnseen)
            && changes.iter().any(|(path, change)| *change == FileChange::Created && ours(path))
        {
            remarks.incomplete = true;
            remarks.notes.push(format!("{} does not see files that are newer than its start", self.id()));
        }
        if let Some(path) = file {
            let bytes = disk::read(path)
                .map_err(|why| Error::NotFound(format!("`{}` cannot be read: {why}", path.display())))?;
            self.send_text(path, &bytes)?;
        }
        Ok(())
    }

    fn is_open(&self, path: &Path) -> bool {
        self.live.with(|session, _| session.documents.is_open(path))
    }

    pub(super) fn send_text(&self, path: &Path, bytes: &[u8]) -> Result<bool, Error> {
        let language = self.server.spec.language_of(path).unwrap_or("plaintext");
        let sent = self.live.with(|session, _| session.sync(path, language, bytes));
        if sent == Ok(true) {
            self.live.tell_time();
        }
        let shown = path.display();
        sent.map_err(|_| Error::Refused(format!("`{shown}` is not UTF-8, so no server can be sent it")))
    }

    /// Makes sure that a file is open, for a question about a place in it.
    pub(super) fn open(&self, path: &Path) -> Result<(), Error> {
        if self.is_open(path) {
            return Ok(());
        }
        let bytes =
            disk::read(path).map_err(|why| Error::NotFound(format!("`{}` cannot be read: {why}", path.display())))?;
        self.send_text(path, &bytes).map(|_| ())
    }

    pub(super) fn texts(&self) -> DiskTexts {
        let open = self.live.with(|session, _| {
            let paths = session.documents.paths().into_iter();
            paths.filter_map(|path| Some((path.clone(), session.documents.text(&path)?))).collect::<HashMap<_, _>>()
        });
        DiskTexts { open }
    }

    /// Converts a result with the texts as they are now.
    pub(super) fn read<R>(&self, remarks: &mut Remarks, work: impl FnOnce(&mut Reader<'_>) -> R) -> R {
        let texts = self.texts();
        let encoding = self.live.with(|session, _| session.encoding());
        let mut reader = Reader::new(self.workspace, encoding, &texts);
        let result = work(&mut reader);
        remarks.notes.extend(reader.note());
        result
    }

    /// Asks, and says what went wrong in words.
    pub(super) async fn request(
        &self,
        method: &str,
        again: bool,
        prepare: impl FnOnce(&mut Session) -> Value,
    ) -> Result<Value, Error> {
        self.timed(method, again, prepare).await.map_err(|failure| self.in_words(method, &failure))
    }

    /// Makes a request, and counts how long the server took.
    pub(super) async fn timed(
        &self,
        method: &str,
        again: bool,
        prepare: impl FnOnce(&mut Session) -> Value,
    ) -> Result<Value, Failure> {
        let began = Instant::now();
        let result = self.live.request(method, self.allowed(), again, prepare).await;
        self.waited.fetch_add(u64::try_from(began.elapsed().as_nanos()).unwrap_or(u64::MAX), Ordering::Relaxed);
        result
    }

    pub(super) fn in_words(&self, method: &str, failure: &Failure) -> Error {
        let id = self.id();
        Error::Failed(match failure {
            Failure::Refused(error) => format!("`{id}` refuses `{method}`: {error}"),
            Failure::TimedOut(waited) => format!("`{id}` did not answer `{method}` within {} s", waited.as_secs()),
            Failure::Gone(why) => format!("`{id}` is gone: {why}"),
        })
    }

    /// Asks about a place. No answer, and a refusal that is about the place, are both nothing: the next place may do.
    pub(super) async fn at(&self, place: &Place, method: &str, more: Value, again: bool) -> Result<Value, Error> {
        let mut stale = false;
        let prepare = |session: &mut Session| {
            stale = place.is_stale(session);
            position_params(session, place, more)
        };
        match self.timed(method, again, prepare).await {
            _ if stale => Err(moved()),
            Ok(result) => Ok(result),
            Err(Failure::Refused(_)) => Ok(Value::Null),
            Err(failure) => Err(self.in_words(method, &failure)),
        }
    }

    pub(super) fn file_of<'q>(&self, query: &'q Query) -> Result<&'q Path, Error> {
        let name = query.operation.name();
        query.file.as_deref().ok_or_else(|| Error::BadQuery(format!("`{name}` needs a file")))
    }

    /// The places that a question may be about, best guess first.
    pub(super) fn places(&self, query: &Query) -> Result<Vec<Place>, Error> {
        let path = self.file_of(query)?;
        let (text, version) =
            self.live.with(|session, _| (session.documents.text(path), session.documents.version(path)));
        let text = text.unwrap_or_else(|| Text::new(b""));
        let place = |offset, name| Place { path: path.to_owned(), offset, name, version };
        let name = query.symbol.as_deref().map(|symbol| anchor::last_segment(symbol).to_owned());
        if let (Some(line), Some(column)) = (query.line, query.column) {
            let index = vise_text::LineIndex::new(&text.bytes);
            let content = index.line_content(&text.bytes, line.saturating_sub(1));
            let content = content.ok_or_else(|| {
                Error::NotFound(format!("`{}` has {} lines, and no line {line}", path.display(), index.line_count()))
            })?;
            let shown = String::from_utf8_lossy(&text.bytes[content.clone()]);
            let offset = shown.chars().take(column.saturating_sub(1)).map(char::len_utf8).sum::<usize>();
            return Ok(vec![place((content.start + offset).min(content.end), name)]);
        }
        let Some(name) = name else {
            return Err(Error::BadQuery(format!(
                "`{}` needs a symbol with its file, or a line with a column",
                query.operation.name()
            )));
        };
        let language = self.registry.by_path(path);
        let found = anchor::occurrences(&text.bytes, language.map(|l| &**l), &name, query.line);
        if found.is_empty() {
            return Err(Error::NotFound(format!("`{name}` does not stand in `{}`", path.display())));
        }
        Ok(found.into_iter().take(MOST_TRIES).map(|offset| place(offset, Some(name.clone()))).collect())
    }
}

impl Place {
    /// Whether the server has another text by now.
    pub(super) fn is_stale(&self, session: &Session) -> bool {
        session.documents.version(&self.path) != self.version
    }
}

/// A question whose text moved so often is given up.
const MOST_MOVES: usize = 3;

pub(super) fn moved() -> Error {
    Error::Failed("the file changes faster than it can be asked about; ask again".to_owned())
}

/// What a request about a place takes.
pub(super) fn position_params(session: &mut Session, place: &Place, more: Value) -> Value {
    let encoding = session.encoding();
    let text = session.documents.text(&place.path);
    let position = text.map(|text| text.position(place.offset, encoding)).unwrap_or_default();
    let mut params = json!({
        "textDocument": {"uri": session.documents.uri(&place.path)},
        "position": {"line": position.line, "character": position.character},
    });
    for (key, value) in more.as_object().into_iter().flatten() {
        params[key.as_str()] = value.clone();
    }
    params
}

/// Whether a result says nothing: the servers have many words for that.
pub(super) fn is_nothing(result: &Value) -> bool {
    match result {
        Value::Null => true,
        Value::Array(items) => items.is_empty(),
        _ => false,
    }
}

/// At most so many items, and whether there were more.
fn capped(mut outcome: Outcome, max: usize) -> (Outcome, bool) {
    fn cut<T>(list: &mut Vec<T>, max: usize) -> bool {
        let more = list.len() > max;
        list.truncate(max);
        more
    }
    let truncated = match &mut outcome {
        Outcome::Locations(list) => cut(list, max),
        Outcome::Symbols(list) | Outcome::Types(list) => cut(list, max),
        Outcome::Calls(list) => cut(list, max),
        Outcome::Diagnostics(list, _) => cut(list, max),
        Outcome::Actions(_) | Outcome::Hover(_) | Outcome::Change(_) => false,
    };
    (outcome, truncated)
}
