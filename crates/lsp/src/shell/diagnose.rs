//! What a server finds wrong with a file: what it answers, and what it sends of its own accord.

use std::path::Path;
use std::time::Duration;

use serde_json::{Value, json};

use super::ask::{Asked, Remarks};
use super::live::Look;
use crate::answer::{Outcome, Query, State};
use crate::convert;
use crate::error::Error;
use crate::session::{Freshness, Session};
use crate::uri;

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
