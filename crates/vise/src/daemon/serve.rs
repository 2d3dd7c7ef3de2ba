//! The daemon's process: it listens, answers, sweeps, and goes when nobody needs it.

use std::collections::HashMap;
use std::fs::{self, File, OpenOptions};
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use vise_dap::{Call, Sessions};
use vise_lsp::CancellationToken;
use vise_peer::{GuardProgram, Janitor};
use vise_tools::{ErrorKind, Registry, ToolError};

use super::place::Place;
use super::pools::Pools;
use super::wire::{self, Build, Cancel, Frames, Greeting, Reply, Request, Said, VERSION, What};
use crate::config::Settings;
use crate::environment::{Around, Configured, configured, languages};

/// The daemon ends after so long without a question, unless the configuration says otherwise.
const IDLE: Duration = Duration::from_secs(900);
/// How often it looks after itself.
const TICK: Duration = Duration::from_millis(250);
/// How often it looks which servers are idle and what they weigh.
const SWEEP: Duration = Duration::from_secs(1);
/// How often it forgets which programs the machine has.
const MEMORY_OF_PROGRAMS: Duration = Duration::from_secs(60);

/// What all threads of the daemon share.
struct Shared {
    root: PathBuf,
    place: Place,
    registry: Arc<Registry>,
    pools: Pools,
    sessions: OnceLock<Sessions>,
    guard: GuardProgram,
    build: Build,
    began: Instant,
    /// How long it stays without a question, as the configuration said when it was read last.
    idle: Mutex<Duration>,
    /// When the last question was done.
    used: Mutex<Instant>,
    /// The questions that are being answered, by a number of our own.
    pending: Mutex<HashMap<u64, Pending>>,
    numbers: AtomicU64,
    ending: AtomicBool,
    /// Conversations that were told that the project's code is off.
    told: Mutex<std::collections::HashSet<String>>,
}

/// A question that is being answered.
struct Pending {
    id: u64,
    to: Writer,
}

/// Where answers go, one at a time.
type Writer = Arc<Mutex<UnixStream>>;

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Serves a workspace until nobody needs it any more. That another daemon serves it already is no error: it will do.
///
/// # Errors
/// When it cannot listen.
pub(crate) fn serve(root: PathBuf, data: Option<&Path>, stop: &AtomicBool) -> Result<(), ToolError> {
    let around = Around::ours();
    let cannot = |what: &str, error: io::Error| ToolError::new(ErrorKind::Unavailable, format!("{what}: {error}"));
    // A terminal that closes must not end us; that we lead a group already is as good.
    let _ = rustix::process::setsid();
    let place = Place::of(&root, &around).map_err(|error| cannot("no place for a socket", error))?;
    let Some(_lock) = only_one(&place.lock).map_err(|error| cannot("no lock can be had", error))? else {
        return Ok(());
    };
    let registry = Arc::new(languages(data)?);
    // What an earlier daemon left when it was killed goes first. That it cannot be looked for is no reason not to start.
    let _ = Janitor::new(&place.records).sweep();
    let listener = listen(&place.socket).map_err(|error| cannot("the socket cannot be made", error))?;
    let program = std::env::current_exe().map_err(|error| cannot("our own program is not known", error))?;
    let guard = GuardProgram { program, arguments: vec!["guard".into()] };
    let shared = Arc::new(Shared {
        pools: Pools::new(root.clone(), registry.clone(), guard.clone(), place.records.clone()),
        root,
        place,
        registry,
        sessions: OnceLock::new(),
        guard,
        build: Build::ours(),
        began: Instant::now(),
        idle: Mutex::new(IDLE),
        used: Mutex::new(Instant::now()),
        pending: Mutex::default(),
        numbers: AtomicU64::new(0),
        ending: AtomicBool::new(false),
        told: Mutex::default(),
    });
    // A configuration that cannot be read is complained of to who asks.
    let _ = shared.configured(&around);
    let ours = fs::symlink_metadata(&shared.place.socket).ok().map(|data| inode(&data));
    let accepting = shared.clone();
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let shared = accepting.clone();
            std::thread::spawn(move || shared.converse(stream));
        }
    });
    shared.look_after(ours, stop);
    // From here on whoever asks finds no socket, waits for the lock, and starts another daemon.
    let _ = fs::remove_file(&shared.place.socket);
    let debugged = shared.sessions.get().map(Sessions::end_all).unwrap_or_default();
    for survivor in shared.pools.stop_all().into_iter().chain(debugged) {
        super::log(&around, &format!("could not be ended: {survivor}"));
    }
    Ok(())
}

/// The lock of the only daemon; none where there is one already.
fn only_one(path: &Path) -> io::Result<Option<File>> {
    let file = OpenOptions::new().create(true).truncate(false).write(true).open(path)?;
    match file.try_lock() {
        Ok(()) => Ok(Some(file)),
        Err(fs::TryLockError::WouldBlock) => Ok(None),
        Err(fs::TryLockError::Error(error)) => Err(error),
    }
}

/// Listens where only we may connect. What lies there is left of one that was killed: we hold the lock.
fn listen(socket: &Path) -> io::Result<UnixListener> {
    match fs::remove_file(socket) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    let listener = UnixListener::bind(socket)?;
    fs::set_permissions(socket, fs::Permissions::from_mode(0o600))?;
    Ok(listener)
}

fn inode(data: &fs::Metadata) -> (u64, u64) {
    use std::os::unix::fs::MetadataExt;
    (data.dev(), data.ino())
}

impl Shared {
    /// Sweeps and waits until it is time to go.
    fn look_after(&self, socket: Option<(u64, u64)>, stop: &AtomicBool) {
        let (mut looked, mut swept) = (Instant::now(), Instant::now());
        while !self.ending.load(Ordering::SeqCst) && !stop.load(Ordering::Relaxed) {
            std::thread::sleep(TICK);
            if swept.elapsed() > SWEEP {
                swept = Instant::now();
                self.pools.sweep();
            }
            self.tell_progress();
            if looked.elapsed() > MEMORY_OF_PROGRAMS {
                looked = Instant::now();
                self.pools.look_again();
            }
            // A session ends by itself, and is not left before.
            let pending = !lock(&self.pending).is_empty() || !self.debugged().is_empty();
            let idle = lock(&self.used).elapsed();
            // Where the workspace or the socket is gone nobody can ask any more.
            let found = fs::symlink_metadata(&self.place.socket).ok().map(|data| inode(&data));
            let orphaned = !self.root.is_dir() || found != socket;
            if !pending && (idle > *lock(&self.idle) || orphaned) {
                return;
            }
        }
    }

    /// The configuration as it is now, which also says how long the daemon stays.
    fn configured(&self, around: &Around) -> Result<Configured, ToolError> {
        let configured = configured(&self.root, around, &self.registry)?;
        *lock(&self.idle) = configured.config.daemon_idle.unwrap_or(IDLE);
        Ok(configured)
    }

    fn tell_progress(&self) {
        let pending = lock(&self.pending);
        if pending.is_empty() {
            return;
        }
        let Some(busy) = self.pools.busy() else { return };
        for one in pending.values() {
            let reply = Reply { id: one.id, what: Said::Progress(busy.clone()) };
            // One that reads nothing must not keep the others waiting; its own thread finds out that it is gone.
            if let Ok(mut stream) = one.to.try_lock() {
                let _ = wire::send(&mut stream, &reply);
            }
        }
    }

    /// Talks with one client until it goes. What it asked and did not wait for is called off.
    fn converse(self: Arc<Shared>, stream: UnixStream) {
        if !is_ours(&stream) {
            return;
        }
        let Ok(reading) = stream.try_clone() else { return };
        // A client that takes nothing for so long is as good as gone.
        let _ = stream.set_write_timeout(Some(Duration::from_secs(10)));
        let writer: Writer = Arc::new(Mutex::new(stream));
        let greeting = Greeting { v: VERSION, build: self.build.clone(), pid: std::process::id() };
        if wire::send(&mut lock(&writer), &greeting).is_err() {
            return;
        }
        let mut frames = Frames::new(reading);
        let asked: Arc<Mutex<HashMap<u64, CancellationToken>>> = Arc::default();
        while let Ok(Some(frame)) = frames.next() {
            if let Ok(Cancel { cancel, .. }) = serde_json::from_slice(&frame) {
                if let Some(token) = lock(&asked).get(&cancel) {
                    token.cancel();
                }
                continue;
            }
            match serde_json::from_slice::<Request>(&frame) {
                Ok(request) => {
                    let token = CancellationToken::new();
                    lock(&asked).insert(request.id, token.clone());
                    let (shared, writer, asked) = (self.clone(), writer.clone(), asked.clone());
                    std::thread::spawn(move || {
                        let id = request.id;
                        shared.answer(request, &writer, &token);
                        lock(&asked).remove(&id);
                    });
                }
                Err(error) => {
                    let id = serde_json::from_slice::<Value>(&frame).ok().and_then(|value| value["id"].as_u64());
                    let error = ToolError::bad_input(format!("this is no question that a daemon knows: {error}"));
                    let what = Said::Error(serde_json::to_value(&error).unwrap_or_default());
                    if wire::send(&mut lock(&writer), &Reply { id: id.unwrap_or(0), what }).is_err() {
                        break;
                    }
                }
            }
        }
        lock(&asked).values().for_each(CancellationToken::cancel);
    }

    fn answer(&self, request: Request, writer: &Writer, cancel: &CancellationToken) {
        let (id, began, name) = (request.id, Instant::now(), request.what.name());
        let number = self.numbers.fetch_add(1, Ordering::Relaxed);
        // To be asked how it is, or to end, is no work.
        let works = !matches!(request.what, What::Status | What::Stop { .. });
        if works {
            lock(&self.pending).insert(number, Pending { id, to: writer.clone() });
        }
        let done = Done { shared: self, number };
        let answer = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| self.work(request, cancel)));
        let answer = answer.unwrap_or_else(|_| Err(ToolError::new(ErrorKind::Internal, "the daemon has a bug")));
        drop(done);
        let what = match answer {
            Ok(report) => Said::Report(report),
            Err(error) => Said::Error(serde_json::to_value(&error).unwrap_or_default()),
        };
        let waited = match &what {
            Said::Report(report) => serde_json::from_value(report["waited"].clone()).unwrap_or(Duration::ZERO),
            _ => Duration::ZERO,
        };
        // A client that is gone does not want its answer.
        let _ = wire::send(&mut lock(writer), &Reply { id, what });
        if works {
            let (all, server) = (began.elapsed().as_micros(), waited.as_micros());
            super::log(&Around::ours(), &format!("{name}: {all} us, {server} us of them a server's"));
        }
    }

    fn work(&self, request: Request, cancel: &CancellationToken) -> Result<Value, ToolError> {
        let Request { v, conversation, root, env, what, .. } = request;
        if v != VERSION {
            return Err(ToolError::new(
                ErrorKind::Unavailable,
                format!("the daemon speaks version {VERSION}, not {v}"),
            ));
        }
        if root != self.root {
            let (ours, theirs) = (self.root.display(), root.display());
            return Err(ToolError::bad_input(format!("this is the daemon of `{ours}`, not of `{theirs}`")));
        }
        let internal = |error: serde_json::Error| ToolError::new(ErrorKind::Internal, error.to_string());
        match what {
            What::Status => Ok(self.status()),
            What::Stop { if_idle } => {
                let pending = lock(&self.pending).len();
                let debugged = self.debugged().len();
                if if_idle && pending + debugged > 0 {
                    let message = format!("the daemon is busy with {pending} questions and {debugged} debug sessions");
                    return Err(ToolError::new(ErrorKind::Unavailable, message));
                }
                self.ending.store(true, Ordering::SeqCst);
                Ok(json!({"stopping": true}))
            }
            What::Lsp(query) => {
                let settings = self.settings(&env)?;
                let mut answer = self.pools.ask(&query, &settings, cancel)?;
                answer.notes.extend(self.careful(&settings, conversation));
                serde_json::to_value(answer).map_err(internal)
            }
            What::Debug(call) => {
                // Where it works is not for the caller to say.
                let call = Call { root: self.root.clone(), ..*call };
                let most = self.settings(&env)?.debug.max_sessions;
                let report = self.sessions(most)?.call(&conversation, &call, cancel)?;
                serde_json::to_value(report).map_err(internal)
            }
            What::Snapshot(check) | What::Overlay(check) => {
                let settings = self.settings(&env)?;
                let mut answer = self.pools.check(&check, &settings, cancel)?;
                answer.notes.extend(self.careful(&settings, conversation));
                serde_json::to_value(answer).map_err(internal)
            }
        }
    }

    /// The debug sessions; there are none before the first question about one.
    fn sessions(&self, most: usize) -> Result<&Sessions, ToolError> {
        if let Some(sessions) = self.sessions.get() {
            return Ok(sessions);
        }
        let settings = vise_dap::Settings {
            guard: self.guard.clone(),
            records: Some(self.place.records.clone()),
            scratch: self.place.scratch.clone(),
            max_sessions: most,
        };
        let sessions = Sessions::new(settings, &self.registry).map_err(|error| {
            ToolError::new(ErrorKind::Unavailable, format!("no thread or folder for debug sessions: {error}"))
        })?;
        Ok(self.sessions.get_or_init(|| sessions))
    }

    /// The debug sessions that hold a slot.
    fn debugged(&self) -> Vec<vise_dap::SessionStatus> {
        self.sessions.get().map(Sessions::status).unwrap_or_default()
    }

    fn settings(&self, around: &Around) -> Result<Settings, ToolError> {
        self.configured(around)?.settings(&self.registry, around)
    }

    /// Says once a conversation that the project's own code is off.
    fn careful(&self, settings: &Settings, conversation: String) -> Option<String> {
        let said = "this checkout is not trusted: servers run without its build scripts, macros and own programs; \
                    `vise trust` changes that";
        (!settings.trusted && lock(&self.told).insert(conversation)).then(|| said.to_owned())
    }

    fn status(&self) -> Value {
        json!({
            "running": true,
            "pid": std::process::id(),
            "version": self.build.shown(),
            "root": self.root,
            "socket": self.place.socket,
            "age_seconds": self.began.elapsed().as_secs(),
            "idle_seconds": lock(&self.used).elapsed().as_secs(),
            "pending": lock(&self.pending).len(),
            "servers": self.pools.status(),
            "sessions": self.debugged().into_iter().map(|one| json!({
                "session": one.session, "state": one.state, "program": one.program,
            })).collect::<Vec<_>>(),
        })
    }
}

/// A question is done, whatever came of it.
struct Done<'s> {
    shared: &'s Shared,
    number: u64,
}

impl Drop for Done<'_> {
    fn drop(&mut self) {
        // Only one that did work counts as use.
        if lock(&self.shared.pending).remove(&self.number).is_some() {
            *lock(&self.shared.used) = Instant::now();
        }
    }
}

/// Whether the other side is a process of ours. The folder lets nobody else in; this is the second lock.
fn is_ours(stream: &UnixStream) -> bool {
    #[cfg(target_os = "linux")]
    {
        rustix::net::sockopt::socket_peercred(stream).is_ok_and(|peer| peer.uid == rustix::process::getuid())
    }
    #[cfg(not(target_os = "linux"))]
    {
        let _ = stream;
        true
    }
}
