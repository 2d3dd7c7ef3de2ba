//! What a server finds wrong with a file: what it answers, and what it sends of its own accord.

use std::path::Path;
use std::time::Duration;

use serde_json::{Value, json};
use vise_syntax::servers::Quirk;

use super::ask::{Asked, Remarks};
use super::live::Look;
use crate::answer::{Outcome, Query, State};
use crate::convert;
use crate::error::Error;
use crate::session::{Checking, Failure, Freshness, SETTLE, Session};
use crate::uri;

/// So long after a change an answer is asked for twice.
const UNSURE: Duration = Duration::from_secs(1);
/// And so often at most.
const MOST_PULLS: usize = 6;
/// How long sets may go on coming once a checker is done.
const SETTLED: Duration = Duration::from_secs(1);
/// How long it is waited for what another file's change may bring.
pub(super) const DOUBT: Duration = Duration::from_millis(1500);

impl Asked<'_> {
    pub(super) async fn diagnose(&self, query: &Query, remarks: &mut Remarks) -> Result<Outcome, Error> {
        let path = self.file_of(query)?;
        let (items, state) = self.raw_diagnostics(path, self.diagnostics).await?;
        if state == State::Timeout {
            remarks
                .notes
                .push(format!("{} did not confirm in time: not checked, and neither clean nor broken", self.id()));
        }
        let uri = uri::of(path);
        let found = self.read(remarks, |reader| convert::diagnostics(&uri, &items, reader));
        remarks.incomplete |= state != State::Fresh;
        remarks.notes.extend(self.still_checking());
        Ok(Outcome::Diagnostics(found, state))
    }

    /// The diagnostics of a file as the server sent them: what it answers, and what it sends of its own accord.
    /// They are waited for so long.
    pub(super) async fn raw_diagnostics(&self, path: &Path, allowed: Duration) -> Result<(Vec<Value>, State), Error> {
        let method = "textDocument/diagnostic";
        let identifiers: Vec<Value> = self.live.with(|session, _| {
            session.capabilities.options(method).map(|options| options["identifier"].clone()).collect()
        });
        if self.has(Quirk::AsksTsserver) {
            self.gate().await;
            if let Some(items) = self.by_tsserver(path).await? {
                return Ok((items, State::Fresh));
            }
        }
        if identifiers.is_empty() {
            return Ok(self.pushed(path, allowed).await);
        }
        self.gate().await;
        self.settle(allowed).await;
        let checks = self.live.with(|session, _| session.checks.are_there());
        if checks {
            self.checked(allowed).await;
        }
        let mut items = Vec::new();
        for identifier in identifiers {
            items.extend(self.pulled(path, &identifier).await?);
        }
        let settled = |session: &mut Session, now| match session.published.freshness(path, now) {
            Freshness::Settling(at) => Look::At(at),
            _ => Look::Found(()),
        };
        if checks {
            // What the checker found comes about when it says that it is done.
            self.live.until(SETTLED, settled).await;
            // It says nothing of a file of which it finds the same again.
            let found = self.live.with(|session, _| session.published.latest(path).to_vec());
            // What both find is one thing, and the checker says more of it.
            items.retain(|own| !found.iter().any(|known| is_same(own, known)));
            items.extend(found);
        } else if let Freshness::Fresh(pushed) = self.live.with(|session, now| session.published.freshness(path, now)) {
            items.extend(pushed);
        }
        Ok((items, State::Fresh))
    }

    /// What the server answers for a file. Shortly after a change some answer with nothing while they begin anew, so that an
    /// answer counts once the next one is the same, and nothing was called old meanwhile.
    async fn pulled(&self, path: &Path, identifier: &Value) -> Result<Vec<Value>, Error> {
        let mut last = None;
        for _ in 0..MOST_PULLS {
            let before = self.live.with(|session, _| session.published.refreshes());
            let prepare = |session: &mut Session| {
                let mut params = json!({"textDocument": {"uri": session.documents.uri(path)}});
                if !identifier.is_null() {
                    params["identifier"] = identifier.clone();
                }
                params
            };
            let result = self.request("textDocument/diagnostic", true, prepare).await?;
            let items = result["items"].as_array().cloned().unwrap_or_default();
            let now = self.live.age();
            let quiet = self.live.with(|session, _| session.published.refreshes()) == before;
            if quiet && (now > self.live.told() + UNSURE || last.as_ref() == Some(&items)) {
                return Ok(items);
            }
            last = Some(items);
            tokio::time::sleep(SETTLE / 2).await;
        }
        Ok(last.unwrap_or_default())
    }

    /// Some answer at once after a change, and of the text before it. So it is waited until nothing was told for a moment.
    async fn settle(&self, allowed: Duration) {
        let at = self.live.told() + SETTLE;
        let look = |_: &mut Session, now| if now >= at { Look::Found(()) } else { Look::At(at) };
        self.live.until(allowed.min(SETTLE), look).await;
    }

    /// What the program behind the server finds wrong with a file, in the protocol's words; none where it cannot be asked.
    async fn by_tsserver(&self, path: &Path) -> Result<Option<Vec<Value>>, Error> {
        let mut items = Vec::new();
        for command in ["syntacticDiagnosticsSync", "semanticDiagnosticsSync"] {
            let arguments = json!([command, {"file": path}]);
            let params = json!({"command": "typescript.tsserverRequest", "arguments": arguments});
            let result = self.timed("workspace/executeCommand", true, |_| params).await;
            let result = match result {
                Ok(result) => result,
                Err(Failure::Refused(_)) => return Ok(None),
                Err(failure) => return Err(self.in_words("workspace/executeCommand", &failure)),
            };
            let Some(body) = result["body"].as_array() else { return Ok(None) };
            items.extend(body.iter().map(convert::tsserver_diagnostic));
        }
        Ok(Some(items))
    }

    /// Waits for the checker of saved files, if the server runs one.
    async fn checked(&self, allowed: Duration) {
        let look = |session: &mut Session, now| match session.checks.phase(now) {
            Checking::Done => Look::Found(()),
            Checking::Waiting(Some(over)) => Look::At(over),
            Checking::Waiting(None) => Look::Later,
        };
        self.live.until(allowed, look).await;
    }

    /// A note, where the checker of saved files is not done.
    pub(super) fn still_checking(&self) -> Option<String> {
        let done = self.live.with(|session, now| session.checks.phase(now) == Checking::Done);
        let id = self.id();
        (!done).then(|| format!("{id} is still checking what was saved; what that finds comes with a later answer"))
    }

    async fn pushed(&self, path: &Path, allowed: Duration) -> (Vec<Value>, State) {
        let look = |session: &mut Session, now| match session.published.freshness(path, now) {
            Freshness::Fresh(items) => Look::Found(items),
            Freshness::Settling(at) => Look::At(at),
            Freshness::Unconfirmed(_) | Freshness::Nothing => Look::Later,
        };
        // Most changes of other files change nothing here, and then nothing comes.
        let (doubted, waited) =
            self.live.with(|session, _| (session.published.is_doubted(path), session.published.was_waited_for(path)));
        let allowed = match (doubted, waited) {
            (false, _) => allowed,
            (true, false) => allowed.min(DOUBT),
            (true, true) => Duration::ZERO,
        };
        if let Some(items) = self.live.until(allowed, look).await {
            return (items, State::Fresh);
        }
        self.live.with(|session, now| {
            if doubted {
                session.published.waited(path);
            }
            match session.published.freshness(path, now) {
                Freshness::Unconfirmed(items) => (items, State::Unconfirmed),
                _ => (session.published.latest(path).to_vec(), State::Timeout),
            }
        })
    }
}

/// Whether two diagnostics are about the same rule at the same place.
fn is_same(one: &Value, other: &Value) -> bool {
    one["code"].is_string() && one["code"] == other["code"] && one["range"]["start"] == other["range"]["start"]
}
