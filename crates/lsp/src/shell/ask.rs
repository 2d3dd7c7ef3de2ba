//! One question to one server: bring its texts up to date, find the places to ask about, ask, and judge the answer.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError};
use std::time::Duration;

use serde_json::{Value, json};
use vise_syntax::Registry;
use vise_syntax::servers::Quirk;

use super::Server;
use super::disk::{self, DiskTexts};
use super::live::{Live, Look};
use crate::anchor;
use crate::answer::{Answer, Location, Operation, Outcome, Query, State, Symbol};
use crate::convert::{self, Reader};
use crate::error::Error;
use crate::gate::{self, Verdict, Words};
use crate::session::{Failure, FileChange, Freshness, Phase, Session, Text};
use crate::uri;

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
}

/// Where to ask: a place of a document.
#[derive(Debug, Clone)]
pub(super) struct Place {
    pub(super) path: PathBuf,
    pub(super) offset: usize,
    /// The name that stands there.
    pub(super) name: Option<String>,
}

/// What a question learns on its way.
#[derive(Default)]
pub(super) struct Remarks {
    pub(super) notes: Vec<String>,
    pub(super) incomplete: bool,
}

impl Asked<'_> {
    /// The answer.
    pub(super) async fn answer(&self, query: &Query) -> Result<Answer, Error> {
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
        let Remarks { notes, incomplete } = remarks;
        Ok(Answer { server: self.id().to_owned(), outcome, notes, incomplete, truncated })
    }

    pub(super) fn id(&self) -> &str {
        &self.server.spec.id
    }

    fn has(&self, quirk: Quirk) -> bool {
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
    async fn sync(&self, file: Option<&Path>, remarks: &mut Remarks) -> Result<(), Error> {
        let _turn = self.live.turn.lock().await;
        for path in self.live.with(|session, _| session.documents.paths()) {
            match disk::read(&path) {
                Ok(bytes) => self.send_text(&path, &bytes)?,
                Err(_) => self.live.with(|session, _| session.close(&path)),
            }
        }
        let changes = {
            let mut files = self.server.files.lock().unwrap_or_else(PoisonError::into_inner);
            files.changes(&self.server.root)
        };
        self.live.with(|session, _| session.files_changed(&changes));
        let ours = |path: &Path| self.server.spec.language_of(path).is_some();
        let news = |path: &PathBuf, change| change != FileChange::Deleted && ours(path) && !self.is_open(path);
        if self.has(Quirk::ReadsOnOpen) {
            for (path, _) in changes.iter().filter(|(path, change)| news(path, *change)).take(50) {
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

    pub(super) fn send_text(&self, path: &Path, bytes: &[u8]) -> Result<(), Error> {
        let language = self.server.spec.language_of(path).unwrap_or("plaintext");
        let sent = self.live.with(|session, _| session.sync(path, language, bytes));
        let shown = path.display();
        sent.map(|_| ()).map_err(|_| Error::Refused(format!("`{shown}` is not UTF-8, so no server can be sent it")))
    }

    /// Makes sure that a file is open, for a question about a place in it.
    pub(super) fn open(&self, path: &Path) -> Result<(), Error> {
        if self.is_open(path) {
            return Ok(());
        }
        let bytes =
            disk::read(path).map_err(|why| Error::NotFound(format!("`{}` cannot be read: {why}", path.display())))?;
        self.send_text(path, &bytes)
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
        self.live.request(method, self.allowed(), again, prepare).await.map_err(|failure| self.in_words(method, &failure))
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
        let prepare = |session: &mut Session| position_params(session, place, more);
        match self.live.request(method, self.allowed(), again, prepare).await {
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
        let text = self.live.with(|session, _| session.documents.text(path)).unwrap_or_else(|| Text::new(b""));
        let place = |offset, name| Place { path: path.to_owned(), offset, name };
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

    /// Waits for the server's index, as far as the server says anything of it.
    pub(super) async fn gate(&self) -> bool {
        let look = |session: &mut Session, now| match session.readiness.phase(now) {
            Phase::Ready | Phase::Unknown => Look::Found(()),
            Phase::Waiting(Some(over)) => Look::At(over),
            Phase::Waiting(None) => Look::Later,
        };
        self.live.until(self.ready, look).await.is_some()
    }

    fn incomplete(&self, remarks: &mut Remarks, others: usize) {
        remarks.incomplete = true;
        let more = if others > 0 { format!(" ({others} other files contain the name)") } else { String::new() };
        remarks.notes.insert(0, format!("note: {} is still indexing; results may be incomplete{more}", self.id()));
    }

    /// The answer of the first place that has one, and the place. A question that reaches far is asked again while the
    /// answer looks like that of a server that is still reading.
    pub(super) async fn first(
        &self,
        query: &Query,
        method: &str,
        more: Value,
        remarks: &mut Remarks,
    ) -> Result<(Value, Place), Error> {
        let places = self.places(query)?;
        let far = query.operation.reaches_far();
        let mut ready = true;
        if far {
            ready = self.gate().await;
        }
        let mut answer = self.try_places(&places, method, &more).await?;
        if !far && answer.is_none() && !self.is_settled() {
            // Nothing, from a server that may not have read the project: it is asked again once it has.
            ready = self.gate().await;
            answer = self.try_places(&places, method, &more).await?;
        }
        if far && !self.live.with(|session, _| session.readiness.is_proven()) {
            let budget = if self.live.with(|session, _| session.readiness.is_immediate()) {
                Duration::from_secs(1).min(self.ready)
            } else {
                self.ready
            };
            let others = self.check_against_words(query, &places, method, &more, budget, &mut answer).await?;
            if others > 0 {
                let says_ready = self.live.with(|session, now| session.readiness.phase(now) == Phase::Ready);
                if !says_ready {
                    ready = false;
                    self.incomplete(remarks, others);
                }
            }
        } else if !ready {
            self.incomplete(remarks, 0);
        }
        if !ready && !remarks.incomplete {
            self.incomplete(remarks, 0);
        }
        match answer {
            Some(answer) => Ok(answer),
            None => Ok((Value::Null, places[0].clone())),
        }
    }

    fn is_settled(&self) -> bool {
        self.live.with(|session, now| !matches!(session.readiness.phase(now), Phase::Waiting(_)))
    }

    async fn try_places(&self, places: &[Place], method: &str, more: &Value) -> Result<Option<(Value, Place)>, Error> {
        for place in places {
            let result = self.at(place, method, more.clone(), true).await?;
            if !is_nothing(&result) {
                return Ok(Some((result, place.clone())));
            }
        }
        Ok(None)
    }

    /// Asks again while the answer is in the anchor's file alone and other files hold the name; at most so long. Gives back
    /// how many other files hold it, if that is how it ended.
    async fn check_against_words(
        &self,
        query: &Query,
        places: &[Place],
        method: &str,
        more: &Value,
        budget: Duration,
        answer: &mut Option<(Value, Place)>,
    ) -> Result<usize, Error> {
        let over = tokio::time::Instant::now() + budget;
        let Some(name) = places[0].name.clone() else { return Ok(0) };
        let anchor = self.file_of(query)?;
        let mut holding: Option<Vec<PathBuf>> = None;
        for attempt in 0.. {
            let named = answer.as_ref().map(|(value, _)| files_in(value)).unwrap_or_default();
            let verdict = gate::judge(named.iter().map(PathBuf::as_path), anchor, || {
                let served = |path: &PathBuf| self.server.spec.language_of(path).is_some();
                let look = || self.words.files_with(&name).into_iter().filter(served).collect();
                holding.get_or_insert_with(look).clone()
            });
            match verdict {
                Verdict::FarReaching => {
                    self.live.with(|session, _| session.readiness.prove());
                    return Ok(0);
                }
                Verdict::Local => return Ok(0),
                Verdict::Suspicious(others) => {
                    if tokio::time::Instant::now() >= over {
                        // A name that is common and local costs this wait once.
                        self.live.with(|session, _| session.readiness.prove());
                        return Ok(others);
                    }
                }
            }
            tokio::time::sleep_until((tokio::time::Instant::now() + gate::pause(attempt)).min(over)).await;
            *answer = self.try_places(places, method, more).await?;
        }
        Ok(0)
    }

    async fn locations(&self, query: &Query, remarks: &mut Remarks) -> Result<Outcome, Error> {
        let method = query.operation.method();
        let references = query.operation == Operation::FindReferences;
        let more = if references { json!({"context": {"includeDeclaration": true}}) } else { json!({}) };
        let (result, place) = self.first(query, method, more, remarks).await?;
        let mut found = self.read(remarks, |reader| convert::locations(&result, reader));
        if references {
            if self.can("textDocument/definition") {
                let defined = self.at(&place, "textDocument/definition", json!({}), true).await?;
                let defined = self.read(remarks, |reader| convert::locations(&defined, reader));
                for location in &mut found {
                    location.definition = defined.iter().any(|at| same_place(at, location));
                }
            }
            self.keep_ours(&mut found, &place.path, remarks);
        } else if query.operation == Operation::GoToDefinition {
            found.iter_mut().for_each(|location| location.definition = true);
        }
        Ok(Outcome::Locations(found))
    }

    /// Drops references in files that are ignored or outside, and says how many.
    fn keep_ours(&self, found: &mut Vec<Location>, anchor: &Path, remarks: &mut Remarks) {
        let before = found.len();
        found.retain(|location| self.is_ours(&self.workspace.join(&location.file), anchor));
        let dropped = before - found.len();
        if dropped > 0 {
            remarks.notes.push(format!("{dropped} references in ignored files or outside of the workspace are left out"));
        }
    }

    pub(super) fn is_ours(&self, path: &Path, anchor: &Path) -> bool {
        let files = self.server.files.lock().unwrap_or_else(PoisonError::into_inner);
        path == anchor || files.has(path)
    }

    async fn say(&self, query: &Query) -> Result<Outcome, Error> {
        let method = query.operation.method();
        let convert = if query.operation == Operation::Hover { convert::hover } else { convert::signature };
        let places = self.places(query)?;
        for waited in [false, true] {
            for place in &places {
                let mut place = place.clone();
                if query.operation == Operation::Signature
                    && let Some(name) = place.name.as_ref().filter(|_| query.column.is_none())
                {
                    // What a call takes is asked behind its parenthesis.
                    place.offset += name.len() + 1;
                }
                if let Some(text) = convert(&self.at(&place, method, json!({}), true).await?) {
                    return Ok(Outcome::Hover(Some(text)));
                }
            }
            if waited || self.is_settled() || !self.gate().await {
                break;
            }
        }
        Ok(Outcome::Hover(None))
    }

    async fn document_symbols(&self, query: &Query, remarks: &mut Remarks) -> Result<Outcome, Error> {
        let path = self.file_of(query)?;
        let prepare = |session: &mut Session| json!({"textDocument": {"uri": session.documents.uri(path)}});
        let result = self.request("textDocument/documentSymbol", true, prepare).await?;
        let uri = uri::of(path);
        Ok(Outcome::Symbols(self.read(remarks, |reader| convert::symbols(&result, Some(&uri), reader))))
    }

    async fn workspace_symbols(&self, query: &Query, remarks: &mut Remarks) -> Result<Outcome, Error> {
        let wanted = query.symbol.as_deref().map(anchor::last_segment).filter(|wanted| !wanted.is_empty());
        let Some(wanted) = wanted else {
            return Err(Error::BadQuery("`workspaceSymbol` needs a name to look for".to_owned()));
        };
        if self.has(Quirk::NeedsOpenFile) && self.live.with(|session, _| session.documents.paths().is_empty()) {
            let serves = |path: &Path| self.server.spec.language_of(path).is_some();
            let first = {
                let files = self.server.files.lock().unwrap_or_else(PoisonError::into_inner);
                files.first(serves).map(Path::to_owned)
            };
            if let Some(path) = first {
                self.open(&path)?;
            }
        }
        if !self.gate().await {
            self.incomplete(remarks, 0);
        }
        let params = json!({"query": wanted});
        let mut result = self.request("workspace/symbol", true, |_| params.clone()).await?;
        let proven = self.live.with(|session, _| session.readiness.is_proven());
        if is_nothing(&result) && !proven {
            let over = tokio::time::Instant::now() + self.ready;
            let holding = self.words.files_with(wanted).len();
            for attempt in 0.. {
                if holding == 0 || tokio::time::Instant::now() >= over || !is_nothing(&result) {
                    break;
                }
                tokio::time::sleep_until((tokio::time::Instant::now() + gate::pause(attempt)).min(over)).await;
                result = self.request("workspace/symbol", true, |_| params.clone()).await?;
            }
            if is_nothing(&result) && holding > 0 {
                self.live.with(|session, _| session.readiness.prove());
                self.incomplete(remarks, holding);
            }
        }
        let mut found: Vec<Symbol> = self.read(remarks, |reader| convert::symbols(&result, None, reader));
        let before = found.len();
        found.retain(|symbol| self.is_ours(&self.workspace.join(&symbol.file), Path::new("")));
        if found.len() < before {
            let dropped = before - found.len();
            remarks.notes.push(format!("{dropped} symbols in ignored files or outside of the workspace are left out"));
        }
        // The best match first: servers look for parts of names, too.
        found.sort_by_key(|symbol| !convert::same_name(&symbol.name, wanted));
        Ok(Outcome::Symbols(found))
    }

    async fn hierarchy(&self, query: &Query, remarks: &mut Remarks) -> Result<Outcome, Error> {
        let prepare = query.operation.method();
        let (mut result, place) = self.first_item(query, prepare, remarks).await?;
        if is_nothing(&result) && self.can("textDocument/definition") {
            // At a use or an import some servers have no item, though they know where its definition is.
            let defined = self.at(&place, "textDocument/definition", json!({}), true).await?;
            let defined = self.read(remarks, |reader| convert::locations(&defined, reader));
            if let Some(at) = defined.iter().find(|at| !at.outside_workspace) {
                let path = self.workspace.join(&at.file);
                self.open(&path)?;
                let there = Query { file: Some(path), line: Some(at.line), column: Some(at.column), ..query.clone() };
                result = self.first_item(&there, prepare, remarks).await?.0;
            }
        }
        let items: Vec<Value> =
            convert::hierarchy(&result, place.name.as_deref()).into_iter().cloned().collect();
        if items.is_empty() {
            remarks.notes.push(format!("{} has no item of that name at this place", self.id()));
        }
        let (mut calls, mut types) = (Vec::new(), Vec::new());
        for item in items {
            let here = item.get("uri").and_then(Value::as_str).unwrap_or_default().to_owned();
            let (method, key) = match query.operation {
                Operation::IncomingCalls => ("callHierarchy/incomingCalls", "from"),
                Operation::OutgoingCalls => ("callHierarchy/outgoingCalls", "to"),
                Operation::Supertypes => ("typeHierarchy/supertypes", ""),
                _ => ("typeHierarchy/subtypes", ""),
            };
            let result = self.request(method, true, |_| json!({"item": item})).await?;
            if key.is_empty() {
                types.extend(self.read(remarks, |reader| convert::symbols(&result, None, reader)));
            } else {
                calls.extend(self.read(remarks, |reader| convert::calls(&result, key, &here, reader)));
            }
        }
        Ok(match query.operation {
            Operation::IncomingCalls | Operation::OutgoingCalls => Outcome::Calls(calls),
            _ => Outcome::Types(types),
        })
    }

    /// The items at the first place where there is one of the asked name. The index is waited for, but an item lies in its
    /// own file, so that it cannot be compared with the files that hold the name.
    async fn first_item(
        &self,
        query: &Query,
        method: &str,
        remarks: &mut Remarks,
    ) -> Result<(Value, Place), Error> {
        let places = self.places(query)?;
        if !self.gate().await && !remarks.incomplete {
            self.incomplete(remarks, 0);
        }
        self.prove_by_references(&places).await?;
        for place in &places {
            let result = self.at(place, method, json!({}), true).await?;
            if !convert::hierarchy(&result, place.name.as_deref()).is_empty() {
                return Ok((result, place.clone()));
            }
        }
        Ok((Value::Null, places[0].clone()))
    }

    /// Sees to it that a server which does not say when it is ready has read the other files, by what can be compared.
    pub(super) async fn prove_by_references(&self, places: &[Place]) -> Result<usize, Error> {
        if !self.can("textDocument/references") || self.live.with(|session, _| session.readiness.is_proven()) {
            return Ok(0);
        }
        let more = json!({"context": {"includeDeclaration": true}});
        let mut answer = self.try_places(places, "textDocument/references", &more).await?;
        let query = Query {
            operation: Operation::FindReferences,
            file: Some(places[0].path.clone()),
            symbol: None,
            line: None,
            column: None,
            max: usize::MAX,
        };
        self.check_against_words(&query, places, "textDocument/references", &more, self.ready, &mut answer).await
    }

    async fn diagnose(&self, query: &Query, remarks: &mut Remarks) -> Result<Outcome, Error> {
        let path = self.file_of(query)?;
        let (items, state) = self.raw_diagnostics(path).await?;
        if state == State::Timeout {
            remarks.notes.push(format!("{} did not confirm in time: not checked, and neither clean nor broken", self.id()));
        }
        let uri = uri::of(path);
        let found = self.read(remarks, |reader| convert::diagnostics(&uri, &items, reader));
        remarks.incomplete |= state != State::Fresh;
        Ok(Outcome::Diagnostics(found, state))
    }

    /// The diagnostics of a file as the server sent them: what it answers, and what it sends of its own accord.
    pub(super) async fn raw_diagnostics(&self, path: &Path) -> Result<(Vec<Value>, State), Error> {
        let method = "textDocument/diagnostic";
        let identifiers: Vec<Value> = self.live.with(|session, _| {
            session.capabilities.options(method).map(|options| options["identifier"].clone()).collect()
        });
        if identifiers.is_empty() {
            return Ok(self.pushed(path).await);
        }
        self.gate().await;
        let mut items = Vec::new();
        for identifier in identifiers {
            let before = self.live.with(|session, _| session.published.refreshes());
            for _ in 0..2 {
                let result = self
                    .request(method, true, |session| {
                        let mut params = json!({"textDocument": {"uri": session.documents.uri(path)}});
                        if !identifier.is_null() {
                            params["identifier"] = identifier.clone();
                        }
                        params
                    })
                    .await?;
                let own = result["items"].as_array().cloned().unwrap_or_default();
                if self.live.with(|session, _| session.published.refreshes()) == before || own == items {
                    items.extend(own);
                    break;
                }
            }
        }
        let pushed = self.live.with(|session, now| session.published.freshness(path, now));
        if let Freshness::Fresh(pushed) = pushed {
            items.extend(pushed);
        }
        Ok((items, State::Fresh))
    }

    async fn pushed(&self, path: &Path) -> (Vec<Value>, State) {
        let look = |session: &mut Session, now| match session.published.freshness(path, now) {
            Freshness::Fresh(items) => Look::Found(items),
            Freshness::Settling(at) => Look::At(at),
            Freshness::Unconfirmed(_) | Freshness::Nothing => Look::Later,
        };
        if let Some(items) = self.live.until(self.diagnostics, look).await {
            return (items, State::Fresh);
        }
        self.live.with(|session, now| match session.published.freshness(path, now) {
            Freshness::Unconfirmed(items) => (items, State::Unconfirmed),
            _ => (session.published.latest(path).to_vec(), State::Timeout),
        })
    }
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

/// The files that a result names.
fn files_in(result: &Value) -> Vec<PathBuf> {
    let items = match result {
        Value::Array(items) => items.as_slice(),
        one => std::slice::from_ref(one),
    };
    let uri = |item: &Value| item["uri"].as_str().or_else(|| item["targetUri"].as_str()).map(str::to_owned);
    items.iter().filter_map(uri).filter_map(|uri| uri::path(&uri)).collect()
}

fn same_place(one: &Location, other: &Location) -> bool {
    (&one.file, one.line, one.column) == (&other.file, other.line, other.column)
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
