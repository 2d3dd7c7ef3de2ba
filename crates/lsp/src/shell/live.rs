//! A server that runs: a session behind a lock, and the tasks that carry its messages.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::{Duration, Instant};

use serde_json::Value;
use tokio::sync::{Notify, mpsc, oneshot, watch};
use vise_peer::{Incoming, Peer, Start};

use crate::session::{Action, Asking, Failure, Opening, Session, Ticket};

/// How many lines of what the server says beside its answers are kept.
const LOGS: usize = 50;
/// How long a server may take to say goodbye, and then to go.
const GOODBYE: Duration = Duration::from_secs(2);
const GRACE: Duration = Duration::from_millis(500);

/// A running server.
pub(crate) struct Live {
    inner: Mutex<Inner>,
    epoch: Instant,
    out: mpsc::UnboundedSender<Outgoing>,
    peer: Arc<Peer>,
    /// Counts what came in; whoever waits for a change of the session looks again.
    heard: watch::Sender<u64>,
    /// A deadline may have come nearer.
    sooner: Notify,
    /// Held while texts are brought up to date, so that each is read and sent once.
    pub(super) turn: tokio::sync::Mutex<()>,
    /// Held by every question, and alone by one that puts texts before the server that are not those of the disk.
    pub(super) overlay: tokio::sync::RwLock<()>,
}

/// What the writer is given.
enum Outgoing {
    Message(Vec<u8>),
    /// Whoever waits for this hears that everything before it is written.
    Mark(oneshot::Sender<()>),
}

struct Inner {
    session: Session,
    waiting: HashMap<Ticket, oneshot::Sender<Result<Value, Failure>>>,
    started: Option<oneshot::Sender<Result<(), Failure>>>,
    gone: Option<String>,
    logs: VecDeque<String>,
    /// When it was last told of a text, or of a change on disk.
    told: Duration,
}

impl Live {
    /// Starts a server and waits until it said what it can.
    pub(crate) async fn start(start: Start, opening: Opening) -> Result<Arc<Live>, String> {
        let server = opening.server.clone();
        let (peer, incoming) = Peer::start(start).await.map_err(|error| format!("`{server}`: {error}"))?;
        let peer = Arc::new(peer);
        let (out, queue) = mpsc::unbounded_channel();
        let (started, said) = oneshot::channel();
        let live = Arc::new(Live {
            inner: Mutex::new(Inner {
                session: Session::new(opening),
                waiting: HashMap::new(),
                started: Some(started),
                gone: None,
                logs: VecDeque::new(),
                told: Duration::ZERO,
            }),
            epoch: Instant::now(),
            out,
            peer: peer.clone(),
            heard: watch::channel(0).0,
            sooner: Notify::new(),
            turn: tokio::sync::Mutex::new(()),
            overlay: tokio::sync::RwLock::new(()),
        });
        tokio::spawn(write(peer, queue, Arc::downgrade(&live)));
        tokio::spawn(read(incoming, Arc::downgrade(&live)));
        tokio::spawn(watch_the_time(Arc::downgrade(&live)));
        live.with(|session, now| session.initialize(now));
        match said.await {
            Ok(Ok(())) => Ok(live),
            Ok(Err(failure)) => {
                let why = match failure {
                    Failure::Refused(error) => format!("it refuses to start: {error}"),
                    Failure::TimedOut(waited) => {
                        format!("it did not answer `initialize` within {} s", waited.as_secs())
                    }
                    Failure::Gone(why) => why,
                };
                live.die(&why);
                Err(format!("`{server}` did not start: {why}"))
            }
            Err(_) => Err(format!("`{server}` did not start")),
        }
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Runs something on the session and does what the session then wants done.
    pub(crate) fn with<R>(&self, work: impl FnOnce(&mut Session, Duration) -> R) -> R {
        let mut inner = self.lock();
        let result = work(&mut inner.session, self.epoch.elapsed());
        self.perform(&mut inner);
        result
    }

    /// Everything is handed on while the lock is held, so that messages leave in the order in which they were made.
    fn perform(&self, inner: &mut Inner) {
        for action in inner.session.drain() {
            match action {
                Action::Send(message) => {
                    // Where the writer is gone, so is the server, and whoever waits hears that.
                    let _ = self.out.send(Outgoing::Message(message.to_string().into_bytes()));
                }
                Action::Answer(ticket, result) => {
                    if let Some(waiting) = inner.waiting.remove(&ticket) {
                        let _ = waiting.send(result);
                    }
                }
                Action::Started(result) => {
                    if let Some(started) = inner.started.take() {
                        let _ = started.send(result);
                    }
                }
                Action::Restart(why) => inner.gone = Some(why),
                Action::Log(line) => {
                    inner.logs.truncate(LOGS - 1);
                    inner.logs.push_front(line);
                }
            }
        }
        self.sooner.notify_one();
        if let Some(why) = inner.gone.clone()
            && !inner.session.is_stopped()
        {
            inner.session.end(&why, self.epoch.elapsed());
            self.end_tree();
            return self.perform(inner);
        }
        self.heard.send_modify(|count| *count += 1);
    }

    /// The server is of no use any more.
    pub(crate) fn die(&self, why: &str) {
        let mut inner = self.lock();
        inner.gone.get_or_insert_with(|| why.to_owned());
        let why = inner.gone.clone().unwrap_or_default();
        inner.session.end(&why, self.epoch.elapsed());
        self.perform(&mut inner);
        drop(inner);
        self.end_tree();
    }

    /// Why the server is gone, once one of its streams is: how it ended and the last of what it said, or else `why`. A stream
    /// ends a moment before the process does.
    async fn last_words(&self, why: &str) -> String {
        let exit = tokio::time::timeout(GRACE, self.peer.exited()).await;
        let ended = exit.map_or_else(|_| why.to_owned(), |exit| format!("it ended with {exit}"));
        // Once the whole tree is gone nobody writes to its standard error any more.
        let _ = tokio::time::timeout(GRACE, self.peer.ended()).await;
        let tail = self.peer.stderr();
        let last = tail.text.trim().lines().rev().take(5).collect::<Vec<_>>();
        if last.is_empty() {
            return ended;
        }
        format!("{ended}, and said: {}", last.into_iter().rev().collect::<Vec<_>>().join("\n"))
    }

    fn end_tree(&self) {
        let peer = self.peer.clone();
        tokio::spawn(async move { peer.stop(Duration::ZERO).await });
    }

    /// Why the server is of no use any more, if it is not.
    pub(crate) fn gone(&self) -> Option<String> {
        self.lock().gone.clone()
    }

    /// It is told of a text, or of a change on disk.
    pub(crate) fn tell_time(&self) {
        let now = self.epoch.elapsed();
        self.lock().told = now;
    }

    /// When it was last told of something, counted from its start.
    pub(crate) fn told(&self) -> Duration {
        self.lock().told
    }

    /// What the server said beside its answers, the latest first.
    pub(crate) fn logs(&self) -> Vec<String> {
        self.lock().logs.iter().cloned().collect()
    }

    pub(crate) fn pid(&self) -> u32 {
        self.peer.pid()
    }

    pub(crate) fn age(&self) -> Duration {
        self.epoch.elapsed()
    }

    pub(crate) fn memory(&self) -> u64 {
        self.peer.memory().bytes
    }

    /// Makes a request, once `prepare` said with what; and waits for the answer. A future that is dropped calls the
    /// request off.
    pub(crate) async fn request(
        self: &Arc<Live>,
        method: &str,
        allowed: Duration,
        again: bool,
        prepare: impl FnOnce(&mut Session) -> Value,
    ) -> Result<Value, Failure> {
        let (answer, answered) = oneshot::channel();
        let ticket = {
            let mut inner = self.lock();
            let now = self.epoch.elapsed();
            if let Some(why) = &inner.gone {
                return Err(Failure::Gone(why.clone()));
            }
            let params = prepare(&mut inner.session);
            let ticket = inner.session.ask(method, params, Asking { until: now + allowed, again }, now);
            inner.waiting.insert(ticket, answer);
            self.perform(&mut inner);
            ticket
        };
        let _calls_off = CallsOff { live: self.clone(), ticket };
        answered.await.unwrap_or_else(|_| Err(Failure::Gone("it was stopped".to_owned())))
    }

    /// Waits until `look` finds something in the session, and looks whenever something came in; at most so long.
    pub(crate) async fn until<R>(
        &self,
        allowed: Duration,
        mut look: impl FnMut(&mut Session, Duration) -> Look<R>,
    ) -> Option<R> {
        let deadline = tokio::time::Instant::now() + allowed;
        let mut heard = self.heard.subscribe();
        loop {
            heard.mark_unchanged();
            let again = match self.lock_and_look(&mut look) {
                Look::Found(found) => return Some(found),
                Look::At(at) => self.epoch + at,
                Look::Later => self.epoch + Duration::from_secs(1 << 30),
            };
            if self.gone().is_some() {
                return None;
            }
            let at = deadline.min(again.into());
            tokio::select! {
                _ = heard.changed() => {}
                () = tokio::time::sleep_until(at) => {
                    if at == deadline {
                        return match self.lock_and_look(&mut look) {
                            Look::Found(found) => Some(found),
                            Look::At(_) | Look::Later => None,
                        };
                    }
                }
            }
        }
    }

    fn lock_and_look<R>(&self, look: &mut impl FnMut(&mut Session, Duration) -> Look<R>) -> Look<R> {
        look(&mut self.lock().session, self.epoch.elapsed())
    }

    /// Says goodbye and sees to it that the whole tree is gone.
    pub(crate) async fn stop(&self) -> Vec<String> {
        self.with(|session, now| session.shutdown(GOODBYE, now));
        let stopped = |session: &mut Session, _| if session.is_stopped() { Look::Found(()) } else { Look::Later };
        self.until(GOODBYE + GRACE, stopped).await;
        self.lock().gone.get_or_insert_with(|| "it was stopped".to_owned());
        let (mark, written) = oneshot::channel();
        if self.out.send(Outgoing::Mark(mark)).is_ok() {
            // What cannot be written by then never will be.
            let _ = tokio::time::timeout(GRACE, written).await;
        }
        self.peer.close_input();
        // One that was told to exit mostly does, without being killed.
        let _ = tokio::time::timeout(GRACE, self.peer.exited()).await;
        let ending = self.peer.stop(GRACE).await;
        ending.survivors.iter().map(|process| format!("{process:?}")).collect()
    }
}

/// What a look at a session found.
pub(crate) enum Look<R> {
    /// What was looked for.
    Found(R),
    /// Nothing; it may be there at this time although nothing came in.
    At(Duration),
    /// Nothing.
    Later,
}

struct CallsOff {
    live: Arc<Live>,
    ticket: Ticket,
}

impl Drop for CallsOff {
    fn drop(&mut self) {
        let mut inner = self.live.lock();
        // Where the answer came there is nothing to call off.
        if inner.waiting.remove(&self.ticket).is_some() {
            inner.session.cancel(self.ticket);
            self.live.perform(&mut inner);
        }
    }
}

async fn write(peer: Arc<Peer>, mut queue: mpsc::UnboundedReceiver<Outgoing>, live: Weak<Live>) {
    while let Some(outgoing) = queue.recv().await {
        match outgoing {
            Outgoing::Message(body) => {
                if let Err(error) = peer.send(&body).await {
                    if let Some(live) = live.upgrade() {
                        let why = live.last_words(&error.to_string()).await;
                        live.die(&why);
                    }
                    return;
                }
            }
            Outgoing::Mark(mark) => drop(mark.send(())),
        }
    }
}

async fn read(mut incoming: Incoming, live: Weak<Live>) {
    loop {
        let frame = incoming.next().await;
        let Some(live) = live.upgrade() else { return };
        match frame {
            Some(Ok(body)) => live.with(|session, now| session.receive(&body, now)),
            Some(Err(error)) => return live.die(&error.to_string()),
            None => {
                let why = live.last_words("it closed its output").await;
                return live.die(&why);
            }
        }
    }
}

/// Wakes the session when one of its deadlines has come.
async fn watch_the_time(live: Weak<Live>) {
    loop {
        let Some(strong) = live.upgrade() else { return };
        if strong.gone().is_some() {
            return;
        }
        let deadline = strong.lock().session.deadline().map(|at| strong.epoch + at);
        let sleep = deadline.unwrap_or_else(|| Instant::now() + Duration::from_secs(3600));
        let sooner = async {
            // Holds the server for as long as it waits, so not longer than a moment.
            strong.sooner.notified().await;
        };
        tokio::select! {
            () = sooner => {}
            () = tokio::time::sleep_until(sleep.min(Instant::now() + Duration::from_millis(500)).into()) => {
                if deadline.is_some_and(|at| at <= Instant::now()) {
                    strong.with(|session, now| session.tick(now));
                }
            }
        }
    }
}
