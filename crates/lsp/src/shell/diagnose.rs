//! What a server finds wrong with a file: what it answers, and what it sends of its own accord.

use std::path::Path;
use std::time::Duration;

use serde_json::{Value, json};

use super::ask::{Asked, Remarks};
use super::live::Look;
use crate::answer::{Outcome, Query, State};
use crate::convert;
use crate::error::Error;
use crate::session::{Checking, Freshness, Session};
use crate::uri;

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
        if identifiers.is_empty() {
            return Ok(self.pushed(path, allowed).await);
        }
        self.gate().await;
        let checks = self.live.with(|session, _| session.checks.are_there());
        if checks {
            self.checked(allowed).await;
        }
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
