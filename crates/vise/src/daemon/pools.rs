//! The language servers of a workspace, as its daemon keeps them: one pool, and what is known of the machine.

use std::collections::HashMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use serde_json::{Value, json};
use vise_lsp::{
    Answer, CancellationToken, Check, CheckAnswer, Choice, Error, Machine, Pool, PoolLimits, PoolSettings, Query,
    Selection, ServerSpec, select,
};
use vise_peer::GuardProgram;
use vise_tools::{ErrorKind, Registry, ToolError, WordFiles};

use crate::config::{LspConfig, Settings};

/// What a daemon keeps of language servers.
pub(crate) struct Pools {
    root: PathBuf,
    registry: Arc<Registry>,
    guard: GuardProgram,
    records: PathBuf,
    /// The pool, with what it was made for; another trust or other limits make another one.
    pool: Mutex<Option<(PoolKey, Arc<Pool>)>>,
    machines: Mutex<HashMap<(OsString, bool), Arc<Machine>>>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct PoolKey {
    trusted: bool,
    max_servers: usize,
    max_memory_percent: u64,
    ready: Duration,
    diagnostics: Duration,
}

impl Pools {
    pub(crate) fn new(root: PathBuf, registry: Arc<Registry>, guard: GuardProgram, records: PathBuf) -> Pools {
        Pools { root, registry, guard, records, pool: Mutex::default(), machines: Mutex::default() }
    }

    /// Answers a question.
    pub(crate) fn ask(
        &self,
        query: &Query,
        settings: &Settings,
        cancel: &CancellationToken,
    ) -> Result<Answer, ToolError> {
        let file = query.file.as_deref().ok_or_else(|| ToolError::bad_input("a question needs a file"))?;
        let machine = self.machine(settings);
        let selection = select(&settings.servers, file, &self.root, &*machine)?;
        let allowed = allowed(&selection.candidates, &settings.lsp);
        let pool = self.pool(settings)?;
        Ok(pool.ask(&selection.candidates, query, &self.words(), allowed, cancel)?)
    }

    /// Looks at files, each with its servers.
    pub(crate) fn check(
        &self,
        check: &Check,
        settings: &Settings,
        cancel: &CancellationToken,
    ) -> Result<CheckAnswer, ToolError> {
        let machine = self.machine(settings);
        let pool = self.pool(settings)?;
        let mut answer = CheckAnswer::default();
        let mut groups: Vec<Group<'_>> = Vec::new();
        let files = check.files.iter().map(|file| (file, None));
        for (file, text) in files.chain(check.overlay.iter().map(|(file, text)| (file, Some(text)))) {
            match select(&settings.servers, file, &self.root, &*machine) {
                Ok(Selection { candidates, additional, .. }) => {
                    put(&mut groups, check, candidates, file, text);
                    additional.into_iter().for_each(|one| put(&mut groups, check, vec![one], file, text));
                }
                Err(none) => answer.unchecked.push((vise_tools::shown_path(&self.root, file), none.into())),
            }
        }
        // Each server on its own: one that is slow or broken hides nothing that another one says.
        let words = self.words();
        let results: Vec<_> = std::thread::scope(|scope| {
            let (pool, words) = (&pool, &words);
            let ask = move |group: &Group<'_>| pool.check(&group.choices, &group.check, words, check.allowed, cancel);
            let running: Vec<_> = groups.iter().map(|group| scope.spawn(move || ask(group))).collect();
            running
                .into_iter()
                .map(|thread| thread.join().unwrap_or_else(|_| Err(Error::Failed("a bug".into()))))
                .collect()
        });
        for (group, result) in groups.iter().zip(results) {
            match result {
                Ok(found) => {
                    answer.checked.extend(found.checked);
                    answer.unchecked.extend(found.unchecked);
                    answer.notes.extend(found.notes);
                }
                Err(Error::Cancelled) => return Err(ToolError::cancelled()),
                Err(error) => {
                    let files = group.check.files.iter().chain(group.check.overlay.iter().map(|(file, _)| file));
                    answer
                        .unchecked
                        .extend(files.map(|file| (vise_tools::shown_path(&self.root, file), error.clone())));
                }
            }
        }
        answer.notes.sort();
        answer.notes.dedup();
        answer.checked.sort_by(|a, b| (&a.file, &a.server).cmp(&(&b.file, &b.server)));
        Ok(answer)
    }

    fn words(&self) -> WordFiles {
        WordFiles { root: self.root.clone() }
    }

    fn machine(&self, settings: &Settings) -> Arc<Machine> {
        let key = (settings.path.clone(), settings.trusted);
        let mut machines = self.machines.lock().unwrap_or_else(PoisonError::into_inner);
        let machine = || Arc::new(Machine::new(settings.path.clone(), self.root.clone(), settings.trusted));
        machines.entry(key).or_insert_with(machine).clone()
    }

    fn pool(&self, settings: &Settings) -> Result<Arc<Pool>, ToolError> {
        let lsp = &settings.lsp;
        let key = PoolKey {
            trusted: settings.trusted,
            max_servers: lsp.max_servers,
            max_memory_percent: lsp.max_memory_percent,
            ready: lsp.ready,
            diagnostics: lsp.diagnostics,
        };
        let mut current = self.pool.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((known, pool)) = &*current
            && *known == key
        {
            return Ok(pool.clone());
        }
        let settings = PoolSettings {
            guard: self.guard.clone(),
            records: Some(self.records.clone()),
            workspace: self.root.clone(),
            trusted: key.trusted,
            limits: PoolLimits { max_servers: key.max_servers, max_memory: memory(key.max_memory_percent) },
            ready: key.ready,
            diagnostics: key.diagnostics,
        };
        let pool = Pool::new(settings, self.registry.clone()).map_err(|error| {
            ToolError::new(ErrorKind::Unavailable, format!("no thread can be started for language servers: {error}"))
        })?;
        let pool = Arc::new(pool);
        let former = current.replace((key, pool.clone()));
        drop(current);
        if let Some((_, former)) = former {
            // Whoever is still being answered by it keeps it until then; what it started goes with it.
            former.stop_all();
        }
        Ok(pool)
    }

    fn current(&self) -> Option<Arc<Pool>> {
        self.pool.lock().unwrap_or_else(PoisonError::into_inner).as_ref().map(|(_, pool)| pool.clone())
    }

    /// Ends servers that were idle for long enough.
    pub(crate) fn sweep(&self) {
        if let Some(pool) = self.current() {
            pool.sweep();
        }
    }

    /// Forgets which programs there are: some may have come.
    pub(crate) fn look_again(&self) {
        let machines = self.machines.lock().unwrap_or_else(PoisonError::into_inner);
        machines.values().for_each(|machine| machine.look_again());
    }

    /// Ends all servers; gives back what could not be ended.
    pub(crate) fn stop_all(&self) -> Vec<String> {
        self.current().map(|pool| pool.stop_all()).unwrap_or_default()
    }

    /// The servers that run.
    pub(crate) fn status(&self) -> Vec<Value> {
        let servers = self.current().map(|pool| pool.status()).unwrap_or_default();
        servers
            .into_iter()
            .map(|one| {
                json!({
                    "server": one.server, "root": one.root, "pid": one.pid, "memory_bytes": one.memory,
                    "pending": one.waiting, "busy_with": one.busy_with, "age_seconds": one.age.as_secs(), "logs": one.logs,
                })
            })
            .collect()
    }

    /// What the servers say that they are busy with, if they are.
    pub(crate) fn busy(&self) -> Option<String> {
        let servers = self.current()?.status();
        servers.into_iter().find_map(|one| Some(format!("{}: {}", one.server, one.busy_with.first()?)))
    }
}

/// The files that the same servers serve.
struct Group<'s> {
    choices: Vec<Choice<'s>>,
    check: Check,
}

/// Puts a file, or the text that stands in for it, to those that the same servers serve.
fn put<'s>(groups: &mut Vec<Group<'s>>, check: &Check, choices: Vec<Choice<'s>>, file: &Path, text: Option<&String>) {
    let same = |one: &Choice<'_>, other: &Choice<'_>| one.server.id == other.server.id && one.root == other.root;
    let all = |known: &[Choice<'_>]| {
        known.len() == choices.len() && known.iter().zip(&choices).all(|(one, other)| same(one, other))
    };
    let at = groups.iter().position(|group| all(&group.choices)).unwrap_or_else(|| {
        let check = Check { files: Vec::new(), overlay: Vec::new(), ..check.clone() };
        groups.push(Group { choices, check });
        groups.len() - 1
    });
    match text {
        Some(text) => groups[at].check.overlay.push((file.to_owned(), text.clone())),
        None => groups[at].check.files.push(file.to_owned()),
    }
}

/// How long a question may take in all: a start, the index, and the question itself.
fn allowed(candidates: &[Choice<'_>], lsp: &LspConfig) -> Duration {
    let one = |choice: &Choice<'_>| {
        let spec: &ServerSpec = choice.server;
        Duration::from_secs(spec.start_timeout_seconds + 2 * spec.request_timeout_seconds)
    };
    candidates.iter().map(one).max().unwrap_or_default() + 2 * lsp.ready
}

/// The share of this machine's memory, in bytes.
fn memory(percent: u64) -> u64 {
    #[cfg(target_os = "linux")]
    {
        let info = rustix::system::sysinfo();
        let all = u64::from(info.mem_unit).saturating_mul(info.totalram);
        all / 100 * percent
    }
    // Elsewhere nobody tells without foreign code, and the number of servers is the limit.
    #[cfg(not(target_os = "linux"))]
    {
        let _ = percent;
        u64::MAX
    }
}
