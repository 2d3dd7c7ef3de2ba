//! Servers as processes. Everything that waits, starts or reads is below here; what it decides is decided elsewhere.

mod ask;
mod change;
mod check;
mod diagnose;
mod disk;
mod judge;
mod ledgers;
mod live;
mod look;

use std::collections::HashMap;
use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::atomic::AtomicU64;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use serde_json::Value;
use tokio::runtime::{Builder, Runtime};
use tokio_util::sync::CancellationToken;
use vise_peer::{Cut, Deadline, GuardProgram, Limits, Start};
use vise_syntax::Registry;

use crate::answer::{Answer, Check, CheckAnswer, Query};
use crate::error::Error;
use crate::gate::Words;
use crate::pool::{Decision, Key, PoolLimits, Shelf};
use crate::preset::{Choice, ServerSpec};
use crate::session::Opening;

use ask::Asked;
use disk::FileTable;
use live::Live;

pub use disk::Machine;
pub use ledgers::Ledgers;

/// How servers are run.
#[derive(Debug, Clone)]
pub struct PoolSettings {
    /// Who guards them.
    pub guard: GuardProgram,
    /// The folder of records by which a later start ends what an earlier one left.
    pub records: Option<PathBuf>,
    /// The workspace: what is outside of it is marked in answers. Without links.
    pub workspace: PathBuf,
    /// Whether code of the project may be run.
    pub trusted: bool,
    /// How much may run.
    pub limits: PoolLimits,
    /// How long an index is waited for before an answer is given with a note.
    pub ready: Duration,
    /// How long diagnostics are waited for.
    pub diagnostics: Duration,
}

/// All servers of this process, shared by everybody who asks.
pub struct Pool {
    runtime: Runtime,
    shared: Arc<Shared>,
}

/// What a start needs that goes on although nobody waits for it any more.
struct Shared {
    settings: PoolSettings,
    registry: Arc<Registry>,
    shelf: Mutex<Shelf>,
    servers: Mutex<HashMap<Key, Arc<Server>>>,
    /// All are to end: who is being started is given up, and nobody is started any more.
    ending: CancellationToken,
    epoch: Instant,
}

/// What is known of a server that runs.
#[derive(Debug, Clone)]
pub struct ServerStatus {
    /// Its name.
    pub server: String,
    /// Its root.
    pub root: PathBuf,
    /// Its process.
    pub pid: u32,
    /// What it and all that it started take of memory, in bytes.
    pub memory: u64,
    /// How long it has been running.
    pub age: Duration,
    /// How many requests it has not answered yet.
    pub waiting: usize,
    /// What it says that it is busy with.
    pub busy_with: Vec<String>,
    /// What it said beside its answers, the latest first.
    pub logs: Vec<String>,
}

/// One server: the process, or none yet.
struct Server {
    spec: ServerSpec,
    root: PathBuf,
    program: PathBuf,
    live: tokio::sync::Mutex<Option<Arc<Live>>>,
    /// Why it did not start: then it is one that nobody is given any more.
    failed: Mutex<Option<String>>,
    files: Mutex<FileTable>,
}

impl Server {
    fn new(choice: &Choice<'_>, trusted: bool) -> Server {
        let (mut spec, root, program) = (choice.server.clone(), choice.root.clone(), choice.program.clone());
        // The server runs it, to ask where its libraries are.
        if let Some(interpreter) = disk::interpreter(&root).filter(|_| trusted) {
            spec.use_interpreter(&interpreter);
        }
        if let Some(folder) = spec.packaged.as_ref().and_then(|packaged| disk::packaged(packaged, &program)) {
            spec.use_packaged(&folder);
        }
        Server {
            spec,
            root,
            program,
            live: tokio::sync::Mutex::new(None),
            failed: Mutex::default(),
            files: Mutex::default(),
        }
    }
}

impl Shared {
    async fn ask_twice<T>(
        self: &Arc<Shared>,
        server: &Arc<Server>,
        key: &Key,
        words: &dyn Words,
        work: &impl AsyncFn(&Asked<'_>) -> Result<T, Error>,
    ) -> Result<T, Error> {
        let mut first = true;
        loop {
            // A start is everybody's: it goes on although the one who asked first does not wait for it.
            let start = self.clone().live(server.clone(), key.clone());
            let live = tokio::spawn(start).await.map_err(|error| Error::Failed(error.to_string()))??;
            let asked = Asked {
                live: live.clone(),
                server,
                workspace: &self.settings.workspace,
                registry: &self.registry,
                words,
                ready: self.settings.ready,
                diagnostics: self.settings.diagnostics,
                trusted: self.settings.trusted,
                waited: AtomicU64::new(0),
            };
            let answer = work(&asked).await;
            match live.gone() {
                Some(_) if first => first = false,
                _ => return answer,
            }
        }
    }

    /// The server's process, started where there is none. Who comes meanwhile waits for the same one.
    async fn live(self: Arc<Shared>, server: Arc<Server>, key: Key) -> Result<Arc<Live>, Error> {
        let mut live = server.live.lock().await;
        if let Some(live) = live.as_ref().filter(|live| live.gone().is_none()) {
            return Ok(live.clone());
        }
        // Who waited for a start that failed does not try it again, one after the other.
        if let Some(why) = server.failed.lock().unwrap_or_else(PoisonError::into_inner).clone() {
            return Err(Error::Unavailable(why));
        }
        // What the server reads from now on is what it is told the changes of.
        *server.files.lock().unwrap_or_else(PoisonError::into_inner) = FileTable::default();
        server.files.lock().unwrap_or_else(PoisonError::into_inner).changes(&server.root);
        let (settings, init_options) = server.spec.told(self.settings.trusted);
        let opening = Opening {
            server: server.spec.id.clone(),
            root: server.root.clone(),
            process: std::process::id(),
            settings,
            extensions: server.spec.extensions.keys().cloned().collect(),
            init_options,
            ready: server.spec.ready.clone(),
            fatal_logs: server.spec.fatal_logs.clone(),
            // Where the project is not trusted the checker is off.
            check_progress: server.spec.check_progress.clone().filter(|_| self.settings.trusted),
            start: Duration::from_secs(server.spec.start_timeout_seconds),
        };
        let started = tokio::select! {
            biased;
            () = self.ending.cancelled() => Err(format!("`{}` was given up while it started", server.spec.id)),
            started = Live::start(self.start_of(&server), opening) => started,
        };
        match started {
            Ok(started) => {
                self.shelf().started(&key);
                *live = Some(started.clone());
                Ok(started)
            }
            Err(why) => {
                *server.failed.lock().unwrap_or_else(PoisonError::into_inner) = Some(why.clone());
                self.shelf().failed(&key, why.clone(), self.epoch.elapsed());
                self.servers().remove(&key);
                Err(Error::Unavailable(why))
            }
        }
    }

    fn start_of(&self, server: &Server) -> Start {
        let env = server.spec.env.iter().map(|(name, value)| (name.into(), value.into())).collect();
        Start {
            guard: self.settings.guard.clone(),
            program: server.program.clone().into(),
            arguments: server.spec.command.iter().skip(1).map(OsString::from).collect(),
            folder: server.root.clone(),
            base: None,
            env,
            framed: true,
            limits: Limits::default(),
            records: self.settings.records.clone(),
        }
    }

    fn key(&self, choice: &Choice<'_>) -> Key {
        let spec = choice.server;
        let (settings, options) = spec.told(self.settings.trusted);
        let command = (&choice.program, &spec.command, &spec.env);
        let told = Value::from(vec![settings, options]);
        // Two spellings of a root are one; one that cannot be resolved is its own.
        let root = choice.root.canonicalize().unwrap_or_else(|_| choice.root.clone());
        Key { server: spec.id.clone(), settings: format!("{told}{command:?}"), root }
    }

    fn shelf(&self) -> std::sync::MutexGuard<'_, Shelf> {
        self.shelf.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn servers(&self) -> std::sync::MutexGuard<'_, HashMap<Key, Arc<Server>>> {
        self.servers.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Pool {
    /// A pool without servers.
    ///
    /// # Errors
    /// When the system gives us no threads.
    pub fn new(settings: PoolSettings, registry: Arc<Registry>) -> std::io::Result<Pool> {
        let runtime = Builder::new_multi_thread().worker_threads(2).thread_name("lsp").enable_all().build()?;
        let (shelf, servers) = (Mutex::default(), Mutex::default());
        let shared = Arc::new(Shared {
            settings,
            registry,
            shelf,
            servers,
            ending: CancellationToken::new(),
            epoch: Instant::now(),
        });
        Ok(Pool { runtime, shared })
    }

    /// Asks the first of the candidates that can be started; they are started where they do not run yet. Blocks until the
    /// answer is there, `allowed` is over or `cancel` says so; it must not be called on a thread of an asynchronous runtime.
    ///
    /// # Errors
    /// Why there is no answer: the first candidate's reason. A server that died is started anew once, and asked again.
    pub fn ask(
        &self,
        candidates: &[Choice<'_>],
        query: &Query,
        words: &dyn Words,
        allowed: Duration,
        cancel: &CancellationToken,
    ) -> Result<Answer, Error> {
        let work = async |asked: &Asked<'_>| asked.answer(query).await;
        let (mut answer, first) = self.work(candidates, words, allowed, cancel, &work)?;
        answer.notes.extend(first);
        Ok(answer)
    }

    /// Looks at files, as [`ask`](Self::ask) asks: what the first of the candidates that can be started finds wrong with them.
    ///
    /// # Errors
    /// As for a question. A file that cannot be looked at is no error; the notes name it.
    pub fn check(
        &self,
        candidates: &[Choice<'_>],
        check: &Check,
        words: &dyn Words,
        allowed: Duration,
        cancel: &CancellationToken,
    ) -> Result<CheckAnswer, Error> {
        let work = async |asked: &Asked<'_>| asked.check(check).await;
        let (mut answer, first) = self.work(candidates, words, allowed, cancel, &work)?;
        answer.notes.extend(first);
        Ok(answer)
    }

    /// What the first candidate that starts says; and why an earlier one did not, if there was one.
    fn work<T>(
        &self,
        candidates: &[Choice<'_>],
        words: &dyn Words,
        allowed: Duration,
        cancel: &CancellationToken,
        work: &impl AsyncFn(&Asked<'_>) -> Result<T, Error>,
    ) -> Result<(T, Option<String>), Error> {
        let deadline = Instant::now() + allowed;
        let mut first = None;
        for choice in candidates {
            let left = deadline.saturating_duration_since(Instant::now());
            match self.work_one(choice, words, left, cancel, work) {
                Err(Error::Unavailable(why)) => {
                    first.get_or_insert(why);
                }
                Ok(found) => return Ok((found, first)),
                Err(error) => return Err(error),
            }
        }
        Err(Error::Unavailable(first.unwrap_or_else(|| "no server was given to ask".to_owned())))
    }

    fn work_one<T>(
        &self,
        choice: &Choice<'_>,
        words: &dyn Words,
        allowed: Duration,
        cancel: &CancellationToken,
        work: &impl AsyncFn(&Asked<'_>) -> Result<T, Error>,
    ) -> Result<T, Error> {
        let spec = choice.server;
        if !self.shared.settings.trusted && spec.refuses_untrusted {
            let id = &spec.id;
            return Err(Error::Unavailable(format!(
                "`{id}` cannot be kept from running code of the project; `vise trust` allows that"
            )));
        }
        let key = self.shared.key(choice);
        let idle = Duration::from_secs(spec.idle_seconds);
        let (server, ended) = {
            // Both under one lock, so that who is told to use a server finds it.
            let mut shelf = self.shared.shelf();
            match shelf.decide(&key, idle, self.shared.settings.limits, self.shared.epoch.elapsed()) {
                Decision::Use => (self.shared.servers().get(&key).cloned(), Vec::new()),
                Decision::Start(ended) => {
                    let server = Arc::new(Server::new(choice, self.shared.settings.trusted));
                    self.shared.servers().insert(key.clone(), server.clone());
                    (Some(server), ended)
                }
                Decision::Refuse(why) => return Err(Error::Unavailable(why)),
            }
        };
        for ended in ended {
            self.stop(&ended);
        }
        let Some(server) = server else {
            return Err(Error::Unavailable(format!("`{}` is just being ended; ask again", spec.id)));
        };
        let answer = self.runtime.block_on(async {
            let work = self.shared.ask_twice(&server, &key, words, work);
            match Deadline::after(allowed).cut(cancel, work).await {
                Ok(answer) => answer,
                Err(Cut::Cancelled) => Err(Error::Cancelled),
                Err(cut) => Err(Error::Failed(format!("`{}`: {cut}", spec.id))),
            }
        });
        self.shared.shelf().settled(&key, self.shared.epoch.elapsed());
        answer
    }

    /// Ends the servers that were idle for long enough, and weighs the others. To be called now and then.
    pub fn sweep(&self) {
        let swept = self.shared.shelf().sweep(self.shared.epoch.elapsed());
        for key in swept {
            self.stop(&key);
        }
        for (key, live) in self.running() {
            let memory = live.memory();
            self.shared.shelf().weighs(&key, memory);
        }
    }

    fn running(&self) -> Vec<(Key, Arc<Live>)> {
        let servers: Vec<(Key, Arc<Server>)> =
            self.shared.servers().iter().map(|(key, server)| (key.clone(), server.clone())).collect();
        // One that is just being started is not running yet.
        let live = |server: &Server| server.live.try_lock().ok().and_then(|live| live.clone());
        servers.into_iter().filter_map(|(key, server)| Some((key, live(&server)?))).collect()
    }

    /// The servers that run.
    pub fn status(&self) -> Vec<ServerStatus> {
        let mut status: Vec<ServerStatus> = self
            .running()
            .into_iter()
            .filter(|(_, live)| live.gone().is_none())
            .map(|(key, live)| {
                let (waiting, busy_with) = live.with(|session, _| {
                    (session.waiting(), session.busy_with().into_iter().map(str::to_owned).collect())
                });
                let (pid, memory, age, logs) = (live.pid(), live.memory(), live.age(), live.logs());
                ServerStatus { server: key.server, root: key.root, pid, memory, age, waiting, busy_with, logs }
            })
            .collect();
        status.sort_by(|a, b| (&a.server, &a.root).cmp(&(&b.server, &b.root)));
        status
    }

    fn stop(&self, key: &Key) {
        let server = self.shared.servers().remove(key);
        if let Some(server) = server {
            self.runtime.block_on(async {
                if let Some(live) = server.live.lock().await.take() {
                    live.stop().await;
                }
            });
        }
    }

    /// Ends all servers for good, politely first; gives back what could not be ended.
    pub fn stop_all(&self) -> Vec<String> {
        self.shared.ending.cancel();
        let servers: Vec<Arc<Server>> = self.shared.servers().drain().map(|(_, server)| server).collect();
        *self.shared.shelf() = Shelf::default();
        self.runtime.block_on(async {
            let mut stopping = Vec::new();
            for server in servers {
                if let Some(live) = server.live.lock().await.take() {
                    stopping.push(tokio::spawn(async move { live.stop().await }));
                }
            }
            let mut survivors = Vec::new();
            for stopped in stopping {
                survivors.extend(stopped.await.unwrap_or_default());
            }
            survivors
        })
    }
}
