//! A conversation with its lines: the session behind a lock, and the tasks that carry its messages.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;

use futures_util::{SinkExt, StreamExt};
use serde_json::Value;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::sync::{mpsc, oneshot, watch};
use tokio_util::codec::Framed;
use vise_framing::{Codec, Limits};
use vise_peer::{Incoming, Peer};

use super::start::Setup;
use crate::error::Error;
use crate::session::{Action, Failure, Run, Session, Ticket};

/// How long an adapter may take to answer.
pub(crate) const ANSWER: Duration = Duration::from_secs(15);

/// The longest message of an adapter.
pub(crate) fn limits() -> Limits {
    Limits { body: 16 * 1024 * 1024, ..Limits::default() }
}

/// An adapter that runs.
pub(crate) struct Live {
    inner: Mutex<Inner>,
    /// Counts what came in; whoever waits for a change looks again.
    heard: watch::Sender<u64>,
    pub(crate) peer: Arc<Peer>,
    /// Where another line can be opened.
    pub(crate) socket: Option<PathBuf>,
    /// What is said at the beginning of every line.
    pub(crate) setup: Setup,
    /// How much of standard error was taken as the program's output, where both share it.
    errors: Mutex<Option<u64>>,
}

struct Inner {
    session: Session,
    waiting: HashMap<Ticket, oneshot::Sender<Result<Value, Failure>>>,
    outs: Vec<mpsc::UnboundedSender<Vec<u8>>>,
}

/// Why a request was not answered as it should.
#[derive(Debug, Clone)]
pub(crate) enum Unanswered {
    /// The adapter refuses.
    Refused(String),
    /// It is gone.
    Gone(String),
    /// It says nothing.
    Silent(Duration),
}

impl From<Failure> for Unanswered {
    fn from(failure: Failure) -> Unanswered {
        match failure {
            Failure::Refused(why) => Unanswered::Refused(why),
            Failure::Gone(why) => Unanswered::Gone(why),
        }
    }
}

impl Unanswered {
    /// As an error of a request.
    pub(crate) fn error(&self, live: &Live, what: &str) -> Error {
        match self {
            Unanswered::Refused(why) => Error::peer(format!("the adapter refuses `{what}`: {why}")),
            Unanswered::Gone(why) => live.lost(why),
            Unanswered::Silent(waited) => {
                let seconds = waited.as_secs_f64();
                live.lost(&format!("the adapter did not answer `{what}` within {seconds} s"))
            }
        }
    }
}

impl Live {
    /// A conversation whose first line is not there yet.
    pub(crate) fn new(peer: Arc<Peer>, socket: Option<PathBuf>, setup: Setup, shared_errors: bool) -> Arc<Live> {
        Arc::new(Live {
            inner: Mutex::new(Inner { session: Session::new(), waiting: HashMap::new(), outs: Vec::new() }),
            heard: watch::channel(0).0,
            peer,
            socket,
            setup,
            errors: Mutex::new(shared_errors.then_some(0)),
        })
    }

    /// The first line, over the adapter's own streams.
    pub(crate) fn over_streams(self: &Arc<Live>, mut incoming: Incoming) {
        let mut queue = self.new_out();
        let (peer, writer, reader) = (self.peer.clone(), Arc::downgrade(self), Arc::downgrade(self));
        tokio::spawn(async move {
            while let Some(body) = queue.recv().await {
                if let Err(error) = peer.send(&body).await {
                    return close(&writer, 0, &error.to_string());
                }
            }
        });
        tokio::spawn(async move {
            loop {
                match incoming.next().await {
                    Some(Ok(body)) => {
                        let Some(live) = reader.upgrade() else { return };
                        live.with(|session| session.receive(0, &body));
                    }
                    Some(Err(error)) => return close(&reader, 0, &error.to_string()),
                    None => return close(&reader, 0, "the adapter closed its output"),
                }
            }
        });
        self.watch_the_process();
    }

    /// A line over a socket; the program's output comes beside it.
    pub(crate) fn over_socket(
        self: &Arc<Live>,
        line: usize,
        stream: impl AsyncRead + AsyncWrite + Send + Unpin + 'static,
    ) {
        let mut queue = self.new_out();
        let (mut sink, mut stream) = Framed::new(stream, Codec::new(limits())).split();
        let (writer, reader) = (Arc::downgrade(self), Arc::downgrade(self));
        tokio::spawn(async move {
            while let Some(body) = queue.recv().await {
                if let Err(error) = sink.send(body).await {
                    return close(&writer, line, &error.to_string());
                }
            }
        });
        tokio::spawn(async move {
            loop {
                match stream.next().await {
                    Some(Ok(body)) => {
                        let Some(live) = reader.upgrade() else { return };
                        live.with(|session| session.receive(line, &body));
                    }
                    Some(Err(error)) => return close(&reader, line, &error.to_string()),
                    None => return close(&reader, line, "the adapter closed its connection"),
                }
            }
        });
        if line == 0 {
            self.watch_the_process();
        }
    }

    /// Takes what the adapter writes as the program's output, or drops it.
    pub(crate) fn take_output(self: &Arc<Live>, mut incoming: Incoming, is_the_programs: bool) {
        let live = Arc::downgrade(self);
        tokio::spawn(async move {
            while let Some(Ok(bytes)) = incoming.next().await {
                let Some(live) = live.upgrade() else { return };
                if is_the_programs {
                    live.with(|session| session.wrote(&bytes));
                }
            }
        });
    }

    /// The end of a stream is no end of a process, and the other way round: a grandchild may hold the stream.
    fn watch_the_process(self: &Arc<Live>) {
        let (peer, live) = (self.peer.clone(), Arc::downgrade(self));
        tokio::spawn(async move {
            let exit = peer.exited().await;
            // What it wrote last may still be in the pipe.
            tokio::time::sleep(Duration::from_millis(100)).await;
            close(&live, 0, &format!("the adapter ended with {exit}"));
        });
    }

    fn new_out(&self) -> mpsc::UnboundedReceiver<Vec<u8>> {
        let (out, queue) = mpsc::unbounded_channel();
        self.lock().outs.push(out);
        queue
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Runs something on the session and does what the session then wants done.
    pub(crate) fn with<R>(self: &Arc<Live>, work: impl FnOnce(&mut Session) -> R) -> R {
        let mut inner = self.lock();
        let result = work(&mut inner.session);
        for action in inner.session.drain() {
            match action {
                Action::Send(line, message) => {
                    // Where the writer is gone the line is being closed, and whoever waits hears that.
                    if let Some(out) = inner.outs.get(line) {
                        let _ = out.send(message.to_string().into_bytes());
                    }
                }
                Action::Answer(ticket, result) => {
                    if let Some(waiting) = inner.waiting.remove(&ticket) {
                        let _ = waiting.send(result);
                    }
                }
                Action::Child(request, configuration) => {
                    tokio::spawn(super::start::child(self.clone(), request, configuration));
                }
            }
        }
        drop(inner);
        self.heard.send_modify(|count| *count += 1);
        result
    }

    /// Looks at the session.
    pub(crate) fn see<R>(&self, look: impl FnOnce(&Session) -> R) -> R {
        look(&self.lock().session)
    }

    /// Makes a request and gives what its answer will come by: requests leave in the order of the calls.
    pub(crate) fn send(
        self: &Arc<Live>,
        line: usize,
        command: &str,
        arguments: &Value,
    ) -> oneshot::Receiver<Result<Value, Failure>> {
        let (answer, answered) = oneshot::channel();
        let mut inner = self.lock();
        let ticket = inner.session.ask(line, command, arguments);
        inner.waiting.insert(ticket, answer);
        drop(inner);
        self.with(|_| ());
        answered
    }

    /// Makes a request and waits for its answer.
    pub(crate) async fn request(
        self: &Arc<Live>,
        line: usize,
        command: &str,
        arguments: Value,
        allowed: Duration,
    ) -> Result<Value, Unanswered> {
        let answered = self.send(line, command, &arguments);
        match tokio::time::timeout(allowed, answered).await {
            Ok(Ok(answer)) => Ok(answer?),
            Ok(Err(_)) => Err(Unanswered::Gone("the session ended".to_owned())),
            Err(_) => Err(Unanswered::Silent(allowed)),
        }
    }

    /// Waits until `look` finds something, and looks whenever something came in; at most so long.
    pub(crate) async fn until<R>(&self, allowed: Duration, mut look: impl FnMut(&Session) -> Option<R>) -> Option<R> {
        let deadline = tokio::time::Instant::now() + allowed;
        let mut heard = self.heard.subscribe();
        loop {
            heard.mark_unchanged();
            if let Some(found) = self.see(&mut look) {
                return Some(found);
            }
            tokio::select! {
                _ = heard.changed() => {}
                () = tokio::time::sleep_until(deadline) => return self.see(&mut look),
            }
        }
    }

    /// Waits until the program stands still or is over.
    pub(crate) async fn rest(&self, allowed: Duration) -> Run {
        let rest = |session: &Session| Some(session.run()).filter(|run| matches!(run, Run::Stopped | Run::Over));
        self.until(allowed, rest).await.unwrap_or(Run::Running)
    }

    /// The error of an adapter that is of no use any more, with its last words.
    pub(crate) fn lost(&self, why: &str) -> Error {
        let tail = self.peer.stderr().text;
        let words: Vec<&str> = tail.trim().lines().rev().take(8).collect();
        let words = words.into_iter().rev().collect::<Vec<_>>().join("\n");
        let said = if words.is_empty() { String::new() } else { format!(", and said: {words}") };
        Error::peer(format!("{why}{said}"))
    }

    /// Takes what came on standard error as the program's output, where the program writes there, too.
    pub(crate) fn take_errors(self: &Arc<Live>) {
        let mut seen = self.errors.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(count) = seen.as_mut() else { return };
        let tail = self.peer.stderr();
        let new = usize::try_from(tail.total - *count).unwrap_or(usize::MAX).min(tail.text.len());
        *count = tail.total;
        let mut from = tail.text.len() - new;
        while !tail.text.is_char_boundary(from) {
            from += 1;
        }
        if new > 0 {
            self.with(|session| session.wrote(&tail.text.as_bytes()[from..]));
        }
    }
}

fn close(live: &Weak<Live>, line: usize, why: &str) {
    if let Some(live) = live.upgrade() {
        live.with(|session| session.close(line, why));
    }
}
