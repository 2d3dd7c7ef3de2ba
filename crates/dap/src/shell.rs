//! Sessions as processes. Everything that waits, starts or reads is below here; what it decides is decided elsewhere.

mod build;
mod case;
mod evaluate;
mod failure;
mod find;
mod live;
mod look;
mod ops;
mod start;
mod target;

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::runtime::{Builder, Runtime};
use tokio_util::sync::CancellationToken;
use vise_peer::{GuardProgram, Janitor};
use vise_syntax::Registry;
use vise_syntax::adapters::AdapterPreset;

use crate::answer::{EndedBy, Report, State};
use crate::call::{Call, Op};
use crate::cap;
use crate::error::{Error, Kind};

use case::Case;
pub(crate) use start::Setup;

/// How sessions are run.
#[derive(Debug, Clone)]
pub struct Settings {
    /// Who guards them.
    pub guard: GuardProgram,
    /// The folder of records by which a later start ends what an earlier one left.
    pub records: Option<PathBuf>,
    /// A folder for their sockets and what they build; its path must be short. What an earlier start left there goes.
    pub scratch: PathBuf,
    /// How many there may be.
    pub max_sessions: usize,
}

/// All sessions of this process: at most one a conversation.
pub struct Sessions {
    runtime: Runtime,
    shared: Arc<Shared>,
}

struct Shared {
    settings: Settings,
    presets: Vec<AdapterPreset>,
    cases: Mutex<HashMap<String, Arc<Case>>>,
}

/// What is known of a session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SessionStatus {
    /// Its name.
    pub session: String,
    /// Whose it is.
    pub conversation: String,
    /// Where it is.
    pub state: State,
    /// What is debugged.
    pub program: String,
}

/// An adapter, and whether it can be used here.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AdapterStatus {
    /// Its name.
    pub id: String,
    /// Its program, or why it cannot be used.
    pub program: Result<PathBuf, String>,
    /// How it is installed.
    pub install: String,
}

/// Which adapters can be used, as `vise doctor` and the tool's description tell.
pub fn survey(registry: &Registry, call: &Call) -> Vec<AdapterStatus> {
    let all = find::presets(registry).into_iter().map(|preset| AdapterStatus {
        program: find::find(&preset, call).map(|found| found.program),
        id: preset.id,
        install: preset.install,
    });
    all.collect()
}

impl Sessions {
    /// No session yet. What an earlier process left behind is ended first.
    ///
    /// # Errors
    /// When the system gives us no threads, or no folder.
    pub fn new(settings: Settings, registry: &Registry) -> std::io::Result<Sessions> {
        let runtime = Builder::new_multi_thread().worker_threads(2).thread_name("dap").enable_all().build()?;
        if let Some(records) = &settings.records {
            Janitor::new(records).sweep()?;
        }
        target::clear_scratch(&settings.scratch)?;
        let presets = find::presets(registry);
        let shared = Arc::new(Shared { settings, presets, cases: Mutex::default() });
        Ok(Sessions { runtime, shared })
    }

    /// Does what is asked. Blocks until the answer is there or `cancel` says so: then a `launch` or `failure` ends what it
    /// began, and everything else is let be. It must not be called on a thread of an asynchronous runtime.
    ///
    /// # Errors
    /// Why there is no answer.
    pub fn call(&self, conversation: &str, call: &Call, cancel: &CancellationToken) -> Result<Report, Error> {
        self.runtime.block_on(async {
            let begins = matches!(call.op, Op::Launch(_) | Op::Failure(_));
            let before = self.shared.case(conversation).map(|case| case.name.clone());
            tokio::select! {
                biased;
                answer = self.shared.answer(conversation, call) => answer.map(cap::fit),
                () = cancel.cancelled() => {
                    let began = self.shared.case(conversation).filter(|case| begins && Some(&case.name) != before.as_ref());
                    if let Some(case) = began {
                        case.close(Some(EndedBy::Client));
                        case.gone().await;
                    }
                    Err(Error::cancelled())
                }
            }
        })
    }

    /// Ends the session of a conversation that is over.
    pub fn end_conversation(&self, conversation: &str) {
        self.runtime.block_on(async {
            if let Some(case) = self.shared.case(conversation) {
                case.close(Some(EndedBy::Client));
                case.gone().await;
            }
        });
        self.shared.lock().remove(conversation);
    }

    /// Ends all of them, and names what could not be ended.
    pub fn end_all(&self) -> Vec<String> {
        let cases: Vec<Arc<Case>> = self.shared.lock().drain().map(|(_, case)| case).collect();
        self.runtime.block_on(async {
            cases.iter().for_each(|case| case.close(Some(EndedBy::End)));
            let mut survivors = Vec::new();
            for case in cases {
                let closed = case.gone().await;
                survivors.extend(closed.survivors.into_iter().map(|one| format!("{} ({})", one.argv0, one.pid)));
            }
            survivors
        })
    }

    /// The sessions that hold a slot.
    pub fn status(&self) -> Vec<SessionStatus> {
        let status = |case: &Arc<Case>| SessionStatus {
            session: case.name.clone(),
            conversation: case.conversation.clone(),
            state: case.state(),
            program: case.program.clone(),
        };
        let mut all: Vec<_> = self.shared.lock().values().filter(|case| case.is_open()).map(status).collect();
        all.sort_by(|a, b| a.session.cmp(&b.session));
        all
    }
}

impl Drop for Sessions {
    fn drop(&mut self) {
        // Nothing of them may outlive us, and their scratch folders neither.
        self.end_all();
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, HashMap<String, Arc<Case>>> {
        self.cases.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn case(&self, conversation: &str) -> Option<Arc<Case>> {
        self.lock().get(conversation).cloned()
    }

    /// Takes the slot of a conversation.
    fn reserve(&self, conversation: &str, call: &Call, program: String) -> Result<Arc<Case>, Error> {
        let mut cases = self.lock();
        if let Some(case) = cases.get(conversation).filter(|case| case.is_open()) {
            let holder = case.holder();
            let place = holder.at.as_ref().and_then(|at| Some(format!(", at {}:{}", at.file.as_deref()?, at.line)));
            let message = format!(
                "the session `{}` debugs `{}`{}; there is one session a conversation",
                holder.session,
                holder.program,
                place.unwrap_or_default()
            );
            let error = Error::new(Kind::Refused, message).hint("`vise debug end` ends it");
            return Err(Error { session: Some(Box::new(holder)), ..error });
        }
        let open = cases.values().filter(|case| case.is_open()).count();
        if open >= self.settings.max_sessions {
            let hint = "end one of them, or raise `max_sessions` under `[debug]`";
            return Err(Error::new(Kind::Refused, format!("{open} sessions of other conversations run")).hint(hint));
        }
        let name = target::new_name()?;
        let scratch = target::make_scratch(&self.settings.scratch, &name)?;
        let case = Arc::new(Case::new(name, conversation, program, &call.root, scratch, call.idle));
        cases.insert(conversation.to_owned(), case.clone());
        tokio::spawn(case.clone().watch());
        Ok(case)
    }

    async fn answer(&self, conversation: &str, call: &Call) -> Result<Report, Error> {
        match &call.op {
            Op::Launch(launch) => return self.launch(conversation, call, launch).await,
            Op::Failure(failure) => return self.failure(conversation, call, failure).await,
            _ => {}
        }
        let name = call.op.name();
        let Some(case) = self.case(conversation) else {
            return match &call.op {
                Op::End | Op::Status => Ok(Self::nothing(name, conversation)),
                _ => Err(Error::not_found("this conversation has no session").hint("`vise debug launch` starts one")),
            };
        };
        case.touch();
        let report = ops::answer(&case, &call.op, call).await;
        case.touch();
        report
    }

    fn nothing(op: &str, conversation: &str) -> Report {
        let mut report = Report { op: op.to_owned(), ..Report::default() };
        if op == "status" {
            (report.at, report.age_s, report.breakpoints) = (Some(None), Some(None), Some(Vec::new()));
            let daemon = Some(std::process::id());
            report.pids = Some(crate::answer::Pids { daemon, ..crate::answer::Pids::default() });
            report.conversation = Some(Some(conversation.to_owned()));
        } else {
            (report.exit_code, report.killed, report.survivors) = (Some(None), Some(Vec::new()), Some(Vec::new()));
        }
        report
    }
}

/// How long somebody waits for the end of what is ending anyway.
const ENDING: Duration = Duration::from_secs(10);
