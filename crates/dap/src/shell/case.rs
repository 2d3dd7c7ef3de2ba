//! One session with its process: its clock, its end, and what it answers with.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use serde_json::json;
use tokio::sync::watch;
use vise_syntax::adapters::Dialect;

use super::live::Live;
use super::look::{Shot, shown};
use crate::answer::{Break, Changed, EndedBy, Pids, Place, Process, Report, State};
use crate::cap;
use crate::error::{Error, Holder, Kind};
use crate::session::{Run, Session};

/// How long an adapter may take to end politely.
const POLITE: Duration = Duration::from_millis(1500);
/// How long what the program wrote last may take to arrive.
const LAST_WORDS: Duration = Duration::from_millis(300);

/// A session.
pub(crate) struct Case {
    /// Its name.
    pub(crate) name: String,
    /// Whose it is.
    pub(crate) conversation: String,
    /// What is debugged.
    pub(crate) program: String,
    /// The workspace.
    pub(crate) root: PathBuf,
    /// A folder of its own, gone with it.
    pub(crate) scratch: PathBuf,
    adapter: OnceLock<String>,
    live: OnceLock<Arc<Live>>,
    born: Instant,
    clock: Mutex<Clock>,
    told: Mutex<Told>,
    closing: Mutex<Option<Option<EndedBy>>>,
    closed: watch::Sender<Option<Closed>>,
    stuck: AtomicBool,
}

struct Clock {
    /// When it ends, whatever happens; none while it is being built.
    deadline: Option<Instant>,
    /// When somebody last asked something.
    touched: Instant,
    idle: Duration,
}

/// What the last answers told.
#[derive(Default)]
struct Told {
    cursor: u64,
    function: String,
    locals: Vec<(String, String)>,
    breaks: Vec<Break>,
    at: Option<Place>,
}

/// How it ended.
#[derive(Debug, Clone, Default)]
pub(crate) struct Closed {
    pub(crate) killed: Vec<Process>,
    pub(crate) survivors: Vec<Process>,
}

impl Case {
    pub(crate) fn new(
        name: String,
        conversation: &str,
        program: String,
        root: &Path,
        scratch: PathBuf,
        idle: Duration,
    ) -> Case {
        let now = Instant::now();
        Case {
            name,
            conversation: conversation.to_owned(),
            program,
            root: root.to_owned(),
            scratch,
            adapter: OnceLock::new(),
            live: OnceLock::new(),
            born: now,
            clock: Mutex::new(Clock { deadline: None, touched: now, idle }),
            told: Mutex::default(),
            closing: Mutex::new(None),
            closed: watch::channel(None).0,
            stuck: AtomicBool::new(false),
        }
    }

    /// Its adapter runs from here on.
    pub(crate) fn runs(&self, adapter: &str, live: Arc<Live>) {
        let _ = self.adapter.set(adapter.to_owned());
        let _ = self.live.set(live);
    }

    /// The program starts now: its lifetime begins, and nothing makes it longer.
    pub(crate) fn lives(&self, lifetime: Duration) {
        lock(&self.clock).deadline.get_or_insert(Instant::now() + lifetime);
    }

    /// Somebody asks something.
    pub(crate) fn touch(&self) {
        lock(&self.clock).touched = Instant::now();
    }

    /// What runs it, if it does by now.
    pub(crate) fn live(&self) -> Option<&Arc<Live>> {
        self.live.get()
    }

    fn see<R>(&self, look: impl FnOnce(&Session) -> R) -> Option<R> {
        self.live().map(|live| live.see(look))
    }

    /// Where it is.
    pub(crate) fn state(&self) -> State {
        match *lock(&self.closing) {
            Some(Some(_)) => State::Ended,
            Some(None) => State::Exited,
            None => match self.see(Session::run) {
                Some(Run::Stopped) => State::Stopped,
                Some(Run::Over) => State::Exited,
                Some(Run::Starting | Run::Running) | None => State::Running,
            },
        }
    }

    /// Whether it holds the slot of its conversation.
    pub(crate) fn is_open(&self) -> bool {
        lock(&self.closing).is_none()
    }

    /// Ends what has to end: what is over, and what lived or stood still for too long.
    pub(crate) async fn watch(self: Arc<Case>) {
        let mut closed = self.closed.subscribe();
        loop {
            let tick = Duration::from_millis(100);
            let over = async {
                match self.live() {
                    Some(live) => live.until(tick, |session| (session.run() == Run::Over).then_some(())).await,
                    None => {
                        tokio::time::sleep(tick).await;
                        None
                    }
                }
            };
            let over = tokio::select! {
                _ = closed.wait_for(Option::is_some) => return,
                over = over => over.is_some(),
            };
            if over {
                return self.close(self.cause());
            }
            self.check_the_clock();
        }
    }

    /// Why it is over: by itself, or because the adapter died.
    fn cause(&self) -> Option<EndedBy> {
        let died = |session: &Session| {
            let told = session.end().code.is_some() || (0..session.lines()).any(|line| session.is_terminated(line));
            !told && session.gone(0).is_some()
        };
        self.see(died).unwrap_or(false).then_some(EndedBy::Adapter)
    }

    fn check_the_clock(self: &Arc<Case>) {
        let now = Instant::now();
        let clock = lock(&self.clock);
        let spent = clock.deadline.is_some_and(|deadline| now >= deadline);
        let idle = now.duration_since(clock.touched) >= clock.idle;
        drop(clock);
        if spent {
            self.close(Some(EndedBy::Lifetime));
        } else if idle && self.state() == State::Stopped {
            self.close(Some(EndedBy::Idle));
        }
    }

    /// Begins the end; the first reason counts.
    pub(crate) fn close(self: &Arc<Case>, by: Option<EndedBy>) {
        let mut closing = lock(&self.closing);
        if closing.is_none() {
            *closing = Some(by);
            tokio::spawn(self.clone().end(by));
        }
    }

    async fn end(self: Arc<Case>, by: Option<EndedBy>) {
        let mut closed = Closed::default();
        if let Some(live) = self.live() {
            match by {
                None | Some(EndedBy::Adapter) => {
                    let over = |session: &Session| session.is_over(session.main()).then_some(());
                    live.until(LAST_WORDS, over).await;
                    // It tells the exit code last, in words, and sometimes only when it is asked to go.
                    if live.setup.dialect == Dialect::Delve && live.see(|session| session.end().code.is_none()) {
                        goodbye(live).await;
                    }
                    tokio::time::sleep(Duration::from_millis(20)).await;
                }
                Some(_) => goodbye(live).await,
            }
            live.take_errors();
            let ending = live.peer.stop(Duration::ZERO).await;
            // What is in the pipe by then is read in a moment.
            tokio::time::sleep(Duration::from_millis(20)).await;
            live.take_errors();
            let named = |all: Vec<vise_peer::Named>| {
                all.into_iter().map(|one| Process { pid: one.pid, argv0: one.name }).collect()
            };
            (closed.killed, closed.survivors) = (named(ending.killed), named(ending.survivors));
            live.with(|session| (0..session.lines()).for_each(|line| session.close(line, "the session ended")));
        }
        // What is in it is ours, and nobody is left who could need it.
        let _ = std::fs::remove_dir_all(&self.scratch);
        self.closed.send_replace(Some(closed));
    }

    /// Waits until nothing of it is left.
    pub(crate) async fn gone(&self) -> Closed {
        let mut closed = self.closed.subscribe();
        let gone = closed.wait_for(Option::is_some).await;
        gone.ok().and_then(|closed| closed.clone()).unwrap_or_default()
    }

    /// An adapter that did not answer an expression may do so again.
    pub(crate) async fn recovers(&self) -> bool {
        if !self.stuck.load(Ordering::Relaxed) {
            return true;
        }
        let Some(live) = self.live() else { return true };
        let line = live.see(|session| session.halt().line);
        let answer = live.request(line, "threads", serde_json::Value::Null, Duration::from_secs(1)).await;
        self.stuck.store(answer.is_err(), Ordering::Relaxed);
        answer.is_ok()
    }

    /// The session as it stands in the way of another.
    pub(crate) fn holder(&self) -> Holder {
        Holder {
            session: self.name.clone(),
            program: self.program.clone(),
            state: self.state(),
            stop: self.see(Session::stops).unwrap_or(0),
            at: self.place(),
            age_s: seconds(self.born.elapsed()),
            time_left_s: self.time_left().unwrap_or(0.0),
        }
    }

    /// Where it stands, as far as that was looked at.
    pub(crate) fn place(&self) -> Option<Place> {
        lock(&self.told).at.clone().filter(|_| self.state() == State::Stopped)
    }

    fn time_left(&self) -> Option<f64> {
        let deadline = lock(&self.clock).deadline?;
        Some(seconds(deadline.saturating_duration_since(Instant::now())))
    }

    /// Its age in seconds.
    pub(crate) fn age(&self) -> f64 {
        seconds(self.born.elapsed())
    }

    /// Who runs what.
    pub(crate) fn pids(&self) -> Pids {
        let open = self.closed.borrow().is_none();
        let live = self.live().filter(|_| open);
        Pids {
            daemon: Some(std::process::id()),
            supervisor: live.map(|live| live.peer.guard()),
            adapter: live.map(|live| live.peer.pid()),
            debuggee: live.and_then(|live| live.see(Session::process)),
        }
    }

    /// The breakpoints.
    pub(crate) fn breaks(&self) -> Vec<Break> {
        let show = |path: &Path| shown(path, &self.root);
        self.see(|session| session.table.rows().iter().map(|row| row.answer(&show)).collect()).unwrap_or_default()
    }

    /// The head of an answer, and how it ended where it did.
    pub(crate) fn report(&self, op: &str) -> Report {
        let state = self.state();
        let closed = matches!(state, State::Exited | State::Ended);
        let mut report = Report {
            op: op.to_owned(),
            state,
            session: Some(self.name.clone()),
            stop: self.see(Session::stops).filter(|stops| *stops > 0),
            time_left_s: self.time_left().filter(|_| !closed),
            adapter: self.adapter.get().cloned(),
            program: Some(self.program.clone()),
            ..Report::default()
        };
        if closed {
            let by = (*lock(&self.closing)).flatten();
            let (code, signal, from) = self.exit();
            (report.exit_code, report.signal, report.exit_code_from) = (Some(code), Some(signal), Some(from));
            report.ended_by = by;
            report.never_hit = Some(self.breaks().into_iter().filter(|one| one.hits == 0).collect());
        }
        report
    }

    /// The exit code, the signal, and who told.
    fn exit(&self) -> (Option<i64>, Option<String>, Option<String>) {
        let Some(live) = self.live() else { return (None, None, None) };
        let (code, from) = live.see(|session| (session.end().code, session.end().from));
        let last = live.see(|session| crate::values::signal(&session.halt().description));
        let from = from.map(str::to_owned);
        match (live.setup.dialect, code) {
            // It tells a signal as a byte below zero, and leaves out that it is one.
            (Dialect::Debugpy, Some(code)) if signal_of(256 - code).is_some() => {
                (None, signal_of(256 - code).map(str::to_owned), from)
            }
            (Dialect::LldbDap, Some(code)) if signal_of(code).is_some() && last.as_deref() == signal_of(code) => {
                (None, last, from)
            }
            (Dialect::LldbDap, Some(code @ 9)) => (None, signal_of(code).map(str::to_owned), from),
            _ => (code, None, from),
        }
    }

    /// Puts into an answer what a look found, what the program wrote since the last one, and what changed of breakpoints.
    pub(crate) fn fill(&self, report: &mut Report, shot: Option<Shot>, all_breaks: bool) {
        if let Some(live) = self.live() {
            live.take_errors();
        }
        let mut told = lock(&self.told);
        let output = self.see(|session| session.output.tail(told.cursor, cap::TAIL)).unwrap_or_default();
        if output.dropped > 0 && output.from > told.cursor {
            let (shown, of) = (output.text.len(), (output.next - told.cursor) as usize);
            let narrow = format!("vise debug output --since {}", told.cursor);
            report.capped.push(crate::answer::Capped { what: "output".to_owned(), shown, of, narrow });
        }
        told.cursor = output.next;
        report.output = Some(output);
        let breaks = self.breaks();
        let news = |one: &&Break| all_breaks || one.moved || !one.verified || !told.breaks.contains(one);
        report.breakpoints = Some(breaks.iter().filter(news).cloned().collect());
        told.breaks = breaks;
        if let Some(shot) = shot {
            let at = shot.stop.at.clone().unwrap_or_default();
            let locals: Vec<(String, String)> =
                at.locals.into_iter().flatten().map(|var| (var.name, var.value)).collect();
            if report.op == "go" {
                report.changed =
                    Some(if told.function == at.function { changes(&told.locals, &locals) } else { Vec::new() });
            }
            (told.function, told.locals) = (at.function, locals);
            told.at = Some(Place { file: at.file, line: at.line });
            self.stuck.fetch_or(shot.stuck, Ordering::Relaxed);
            report.notes.extend(shot.notes);
            report.capped.extend(shot.capped);
            if report.op == "look" {
                report.expanded = Some(shot.expanded);
            }
            report.stopped = Some(Some(shot.stop));
        } else if report.op == "go" {
            report.changed = Some(Vec::new());
        }
    }
}

fn changes(before: &[(String, String)], after: &[(String, String)]) -> Vec<Changed> {
    let value = |all: &[(String, String)], name: &str| {
        all.iter().find(|(known, _)| known == name).map(|(_, value)| value.clone())
    };
    let mut names: Vec<&String> = after.iter().map(|(name, _)| name).collect();
    names.extend(before.iter().map(|(name, _)| name).filter(|name| value(after, name).is_none()));
    let changed = names.into_iter().map(|name| Changed {
        name: name.clone(),
        before: value(before, name),
        after: value(after, name),
    });
    changed.filter(|one| one.before != one.after).take(cap::VARS).collect()
}

fn signal_of(number: i64) -> Option<&'static str> {
    Some(match number {
        4 => "SIGILL",
        6 => "SIGABRT",
        7 => "SIGBUS",
        8 => "SIGFPE",
        9 => "SIGKILL",
        11 => "SIGSEGV",
        15 => "SIGTERM",
        _ => return None,
    })
}

/// Asks an adapter to end the program and itself; what it makes of that does not matter.
async fn goodbye(live: &Arc<Live>) {
    let said = async {
        let line = live.see(Session::main);
        if live.see(|session| session.can(line, "supportsTerminateRequest") && session.run() == Run::Running) {
            let _ = live.request(line, "terminate", json!({}), POLITE / 3).await;
        }
        let _ = live.request(line, "disconnect", json!({"terminateDebuggee": true}), POLITE).await;
    };
    tokio::select! {
        _ = tokio::time::timeout(POLITE, said) => {}
        _ = live.peer.exited() => {}
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Seconds with one digit behind the point.
pub(crate) fn seconds(duration: Duration) -> f64 {
    (duration.as_secs_f64() * 10.0).round() / 10.0
}

/// Why a wedged session does nothing more.
pub(crate) fn wedged() -> Error {
    Error::new(Kind::Peer, "the adapter has not answered since an expression got stuck").hint("`vise debug end`")
}
