//! One conversation with one server, without a process, a clock or a thread.
//!
//! Messages, texts and the time go in; [`Action`]s come out. The time is how long ago the conversation began. Whoever
//! runs a session sends what it says, in order, calls [`Session::tick`] when [`Session::deadline`] has come, and hands answers
//! to those who asked.

mod asked;
mod capabilities;
mod checks;
mod documents;
mod published;
mod ready;
mod watched;

#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::time::Duration;

use serde_json::{Value, json};
use vise_text::PositionEncoding;

use crate::message::{self, CONTENT_MODIFIED, Incoming, REQUEST_CANCELLED, ResponseError, SERVER_CANCELLED};
use crate::uri;
use vise_syntax::servers::ReadyRule;

pub(crate) use capabilities::Capabilities;
pub(crate) use checks::{Checking, Checks};
pub(crate) use documents::{Documents, MOST_OPEN, Text};
pub(crate) use published::{Freshness, Published, SETTLE};
pub(crate) use ready::{Phase, Readiness};
pub(crate) use watched::{FileChange, Watched};

/// What a conversation needs to know before it begins.
#[derive(Debug, Clone)]
pub(crate) struct Opening {
    /// The server's name, for words.
    pub(crate) server: String,
    /// The folder that it works on.
    pub(crate) root: PathBuf,
    /// Our own process, at whose end it should go.
    pub(crate) process: u32,
    /// What answers `workspace/configuration`.
    pub(crate) settings: Value,
    /// The endings of its files, with their dot: what it hears of where it does not say of what it wants to hear.
    pub(crate) extensions: Vec<String>,
    pub(crate) init_options: Value,
    pub(crate) ready: ReadyRule,
    /// Errors in its log that mean that the program behind it is gone.
    pub(crate) fatal_logs: Vec<String>,
    /// How the tokens of progress begin that belong to a checker of saved files; none where none runs.
    pub(crate) check_progress: Option<String>,
    /// How long the answer to `initialize` may take.
    pub(crate) start: Duration,
}

/// What is to be done for a session, in order.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Action {
    /// This goes to the server.
    Send(Value),
    /// A request of ours is done.
    Answer(Ticket, Result<Value, Failure>),
    /// The server answered `initialize`, or did not.
    Started(Result<(), Failure>),
    /// The server is of no use any more, for this reason, and must be started anew.
    Restart(String),
    /// Something that a person may want to know about; never an answer.
    Log(String),
}

/// A request of ours, from the first attempt to the last.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Ticket(u64);

/// Why a request has no answer.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Failure {
    /// The server says no.
    Refused(ResponseError),
    /// It said nothing for this long.
    TimedOut(Duration),
    /// It went away, for this reason.
    Gone(String),
}

/// How a request is made.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Asking {
    /// When the answer is of no use any more.
    pub(crate) until: Duration,
    /// Whether it is asked again when the server says that the text changed meanwhile. What prepares a change is not:
    /// its caller plans anew.
    pub(crate) again: bool,
}

#[derive(Debug)]
struct Pending {
    ticket: Ticket,
    method: String,
    params: Value,
    asked: Duration,
    asking: Asking,
    attempts: u32,
}

/// How often a request is made again, and how long the first wait is.
const ATTEMPTS: u32 = 5;
const PAUSE: Duration = Duration::from_millis(200);
/// So many requests in a row without an answer, and the server counts as stuck.
const SILENCES: u32 = 2;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stage {
    New,
    Starting(Ticket),
    Running,
    Stopping(Ticket),
    Stopped,
}

/// A conversation.
#[derive(Debug)]
pub(crate) struct Session {
    opening: Opening,
    stage: Stage,
    next_id: i64,
    next_ticket: u64,
    pending: BTreeMap<i64, Pending>,
    /// Requests to be made again, and when.
    later: Vec<(Duration, Pending)>,
    silences: u32,
    pub(crate) capabilities: Capabilities,
    pub(crate) documents: Documents,
    pub(crate) watched: Watched,
    pub(crate) readiness: Readiness,
    pub(crate) published: Published,
    pub(crate) checks: Checks,
    /// Tokens of progress that is under way, with what it is about.
    progress: BTreeMap<String, String>,
    /// Edits that the server wanted to make while a command of ours ran; `None` while none does.
    collected: Option<Vec<Value>>,
    warned: BTreeSet<String>,
    actions: Vec<Action>,
}

impl Session {
    pub(crate) fn new(opening: Opening) -> Session {
        Session {
            readiness: Readiness::new(opening.ready.clone()),
            checks: Checks::new(opening.check_progress.clone()),
            watched: Watched::new(opening.root.clone(), opening.extensions.clone()),
            opening,
            stage: Stage::New,
            next_id: 1,
            next_ticket: 1,
            pending: BTreeMap::new(),
            later: Vec::new(),
            silences: 0,
            capabilities: Capabilities::default(),
            documents: Documents::default(),
            published: Published::default(),
            progress: BTreeMap::new(),
            collected: None,
            warned: BTreeSet::new(),
            actions: Vec::new(),
        }
    }

    /// What is to be done since the last call.
    pub(crate) fn drain(&mut self) -> Vec<Action> {
        std::mem::take(&mut self.actions)
    }

    /// What the columns of the server's positions count.
    pub(crate) fn encoding(&self) -> PositionEncoding {
        self.capabilities.encoding()
    }

    /// Begins the conversation.
    pub(crate) fn initialize(&mut self, now: Duration) {
        let root = uri::of(&self.opening.root);
        let name = self.opening.root.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        let mut params = json!({
            "processId": self.opening.process,
            "clientInfo": {"name": "vise", "version": env!("CARGO_PKG_VERSION")},
            "rootUri": root,
            "rootPath": self.opening.root.to_string_lossy(),
            "workspaceFolders": [{"uri": root, "name": name}],
            "capabilities": capabilities::declared(),
        });
        if !self.opening.init_options.is_null() {
            params["initializationOptions"] = self.opening.init_options.clone();
        }
        let asking = Asking { until: now + self.opening.start, again: false };
        let ticket = self.ask("initialize", params, asking, now);
        self.stage = Stage::Starting(ticket);
    }

    /// Makes a request.
    pub(crate) fn ask(&mut self, method: &str, params: Value, asking: Asking, now: Duration) -> Ticket {
        let ticket = Ticket(self.next_ticket);
        self.next_ticket += 1;
        self.send_request(Pending { ticket, method: method.to_owned(), params, asked: now, asking, attempts: 1 });
        ticket
    }

    fn send_request(&mut self, pending: Pending) {
        let id = self.next_id;
        self.next_id += 1;
        self.send(message::request(id, &pending.method, &pending.params));
        self.pending.insert(id, pending);
    }

    fn send(&mut self, message: Value) {
        self.actions.push(Action::Send(message));
    }

    pub(crate) fn notify(&mut self, method: &str, params: Value) {
        self.send(message::notification(method, &params));
    }

    /// Nobody waits for this request any more.
    pub(crate) fn cancel(&mut self, ticket: Ticket) {
        self.later.retain(|(_, pending)| pending.ticket != ticket);
        if let Some(id) = self.pending.iter().find(|(_, pending)| pending.ticket == ticket).map(|(id, _)| *id) {
            self.pending.remove(&id);
            self.notify("$/cancelRequest", json!({"id": id}));
        }
    }

    /// How many requests wait for an answer.
    pub(crate) fn waiting(&self) -> usize {
        self.pending.len() + self.later.len()
    }

    /// Asks the server to go. Its answer, or its silence, is followed by `exit`.
    pub(crate) fn shutdown(&mut self, patience: Duration, now: Duration) {
        if self.stage == Stage::Running {
            let ticket = self.ask("shutdown", Value::Null, Asking { until: now + patience, again: false }, now);
            self.stage = Stage::Stopping(ticket);
        } else {
            self.stage = Stage::Stopped;
        }
    }

    /// Whether everything polite is said.
    pub(crate) fn is_stopped(&self) -> bool {
        self.stage == Stage::Stopped
    }

    /// The server is gone: whoever waits hears so.
    pub(crate) fn end(&mut self, why: &str, now: Duration) {
        let later = self.later.drain(..).map(|(_, pending)| pending.ticket);
        let waiting: Vec<Ticket> = self.pending.values().map(|pending| pending.ticket).chain(later).collect();
        self.pending.clear();
        for ticket in waiting {
            self.finish(ticket, Err(Failure::Gone(why.to_owned())), now);
        }
        self.stage = Stage::Stopped;
    }

    /// When [`tick`](Self::tick) has something to do next.
    pub(crate) fn deadline(&self) -> Option<Duration> {
        let pending = self.pending.values().map(|pending| pending.asking.until);
        pending.chain(self.later.iter().map(|(at, _)| *at)).min()
    }

    /// Does what is due: requests that are to be made again are, those that took too long are called off.
    pub(crate) fn tick(&mut self, now: Duration) {
        let (due, later) = std::mem::take(&mut self.later).into_iter().partition(|(at, _)| *at <= now);
        self.later = later;
        for (_, pending) in due {
            self.send_request(pending);
        }
        let late: Vec<i64> =
            self.pending.iter().filter(|(_, pending)| pending.asking.until <= now).map(|(id, _)| *id).collect();
        for id in late {
            let Some(pending) = self.pending.remove(&id) else { continue };
            self.notify("$/cancelRequest", json!({"id": id}));
            self.finish(pending.ticket, Err(Failure::TimedOut(now.saturating_sub(pending.asked))), now);
            self.silences += 1;
        }
        if self.silences >= SILENCES && self.stage == Stage::Running {
            self.silences = 0;
            let why = format!("{SILENCES} requests in a row had no answer");
            self.actions.push(Action::Restart(why));
        }
    }

    /// Reads a message of the server.
    pub(crate) fn receive(&mut self, body: &[u8], now: Duration) {
        match Incoming::read(body) {
            Ok(Incoming::Request { id, method, params }) => self.asked(&id, &method, &params),
            Ok(Incoming::Notification { method, params }) => self.told(&method, &params, now),
            Ok(Incoming::Response { id, result }) => self.answered(id, result, now),
            Err(why) => self.log(&why),
        }
    }

    fn log(&mut self, text: &str) {
        let text = format!("{}: {text}", self.opening.server);
        self.actions.push(Action::Log(text));
    }

    fn answered(&mut self, id: i64, result: Result<Value, ResponseError>, now: Duration) {
        // The answer to what was called off comes late, or not at all.
        let Some(mut pending) = self.pending.remove(&id) else { return };
        self.silences = 0;
        match result {
            Err(error) if pending.asking.again && may_ask_again(&error) && pending.attempts <= ATTEMPTS => {
                let at = now + PAUSE * pending.attempts;
                if at < pending.asking.until {
                    pending.attempts += 1;
                    self.later.push((at, pending));
                } else {
                    self.finish(pending.ticket, Err(Failure::Refused(error)), now);
                }
            }
            result => self.finish(pending.ticket, result.map_err(Failure::Refused), now),
        }
    }

    fn finish(&mut self, ticket: Ticket, result: Result<Value, Failure>, now: Duration) {
        match self.stage {
            Stage::Starting(start) if start == ticket => {
                let started = match result {
                    Ok(result) => {
                        self.capabilities.set(result.get("capabilities").cloned().unwrap_or_default());
                        self.stage = Stage::Running;
                        self.notify("initialized", json!({}));
                        if !self.opening.settings.is_null() {
                            let settings = self.opening.settings.clone();
                            self.notify("workspace/didChangeConfiguration", json!({"settings": settings}));
                        }
                        self.readiness.started(now);
                        Ok(())
                    }
                    Err(failure) => {
                        self.stage = Stage::Stopped;
                        Err(failure)
                    }
                };
                self.actions.push(Action::Started(started));
            }
            Stage::Stopping(stop) if stop == ticket => {
                self.stage = Stage::Stopped;
                self.notify("exit", Value::Null);
            }
            _ => self.actions.push(Action::Answer(ticket, result)),
        }
    }
}

/// Whether the same question may have an answer a moment later.
fn may_ask_again(error: &ResponseError) -> bool {
    match error.code {
        CONTENT_MODIFIED | REQUEST_CANCELLED => true,
        SERVER_CANCELLED => error.data.get("retriggerRequest").and_then(Value::as_bool) != Some(false),
        _ => false,
    }
}
