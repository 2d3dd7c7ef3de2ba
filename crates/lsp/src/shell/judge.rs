//! Whether an answer is the whole answer: the index is waited for, and what looks like the answer of a server that is still
//! reading is asked for again. What looks so is said in `gate.rs`.

use std::path::PathBuf;
use std::time::Duration;

use serde_json::{Value, json};
use tokio::time::Instant;

use super::ask::{Asked, Place, Remarks, is_nothing};
use super::live::Look;
use crate::answer::{Operation, Query};
use crate::error::Error;
use crate::gate::{self, Verdict};
use crate::session::{Phase, Session};
use crate::uri;

/// How long a server may take to read a file that it was told of.
const NEWS: Duration = Duration::from_secs(1);

impl Asked<'_> {
    /// Waits for the server's index, as far as the server says anything of it.
    pub(super) async fn gate(&self) -> bool {
        let look = |session: &mut Session, now| match session.readiness.phase(now) {
            Phase::Ready | Phase::Unknown => Look::Found(()),
            Phase::Waiting(Some(over)) => Look::At(over),
            Phase::Waiting(None) => Look::Later,
        };
        self.live.until(self.ready, look).await.is_some()
    }

    pub(super) fn incomplete(&self, remarks: &mut Remarks, others: usize) {
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
                    self.incomplete(remarks, others);
                }
            }
        }
        if !ready && !remarks.incomplete {
            self.incomplete(remarks, 0);
        }
        if far {
            self.wait_for_news(&places, method, &more, remarks, &mut answer).await?;
        }
        match answer {
            Some(answer) => Ok(answer),
            None => Ok((Value::Null, places[0].clone())),
        }
    }

    pub(super) fn is_settled(&self) -> bool {
        self.live.with(|session, now| !matches!(session.readiness.phase(now), Phase::Waiting(_)))
    }

    pub(super) async fn try_places(
        &self,
        places: &[Place],
        method: &str,
        more: &Value,
    ) -> Result<Option<(Value, Place)>, Error> {
        for place in places {
            let result = self.at(place, method, more.clone(), true).await?;
            if !is_nothing(&result) {
                return Ok(Some((result, place.clone())));
            }
        }
        Ok(None)
    }

    /// Asks again while a file that just came or changed holds the name and is not in the answer: it takes a server a moment
    /// to read it. That the name stands in a comment there costs that moment once.
    async fn wait_for_news(
        &self,
        places: &[Place],
        method: &str,
        more: &Value,
        remarks: &Remarks,
        answer: &mut Option<(Value, Place)>,
    ) -> Result<(), Error> {
        let Some(name) = places[0].name.as_deref().filter(|_| !remarks.news.is_empty()) else { return Ok(()) };
        let holding = self.words.files_with(name);
        let expected: Vec<&PathBuf> = remarks.news.iter().filter(|path| holding.contains(path)).collect();
        let over = Instant::now() + NEWS;
        for attempt in 0.. {
            let named = answer.as_ref().map(|(value, _)| files_in(value)).unwrap_or_default();
            if expected.iter().all(|path| named.contains(path)) || Instant::now() >= over {
                break;
            }
            tokio::time::sleep_until((Instant::now() + gate::pause(attempt) / 3).min(over)).await;
            *answer = self.try_places(places, method, more).await?;
        }
        Ok(())
    }

    /// Asks again while the answer is in the anchor's file alone and other files hold the name; at most so long. Gives back
    /// how many other files hold it, if that is how it ended.
    pub(super) async fn check_against_words(
        &self,
        query: &Query,
        places: &[Place],
        method: &str,
        more: &Value,
        budget: Duration,
        answer: &mut Option<(Value, Place)>,
    ) -> Result<usize, Error> {
        let over = Instant::now() + budget;
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
                    if Instant::now() >= over {
                        // A name that is common and local costs this wait once.
                        self.live.with(|session, _| session.readiness.prove());
                        return Ok(others);
                    }
                }
            }
            tokio::time::sleep_until((Instant::now() + gate::pause(attempt)).min(over)).await;
            *answer = self.try_places(places, method, more).await?;
        }
        Ok(0)
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
            include_ignored: false,
        };
        self.check_against_words(&query, places, "textDocument/references", &more, self.ready, &mut answer).await
    }
}

/// The files that a result names.
pub(super) fn files_in(result: &Value) -> Vec<PathBuf> {
    let items = match result {
        Value::Array(items) => items.as_slice(),
        one => std::slice::from_ref(one),
    };
    let uri = |item: &Value| item["uri"].as_str().or_else(|| item["targetUri"].as_str()).map(str::to_owned);
    items.iter().filter_map(uri).filter_map(|uri| uri::path(&uri)).collect()
}
