//! What is to be run, found on the disk; and folders of our own.

use std::ffi::OsString;
use std::fs;
use std::io;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_json::Value;
use tokio::time::Instant;
use vise_syntax::adapters::Dialect;

use super::case::Case;
use super::failure::framework;
use super::find::{self, Found};
use super::live::{Live, Unanswered};
use super::look::Want;
use super::ops::{at_rest, running_note, settle, too_many};
use super::start::{Opening, begin, open};
use super::{Setup, Shared};
use crate::answer::{EndedBy, Report};
use crate::call::{Call, Launch, Target};
use crate::error::{Error, Kind};
use crate::recipe::{self, Job};

/// A name that no session of late had.
pub(crate) fn new_name() -> Result<String, Error> {
    let mut bytes = [0; 3];
    getrandom::fill(&mut bytes).map_err(|error| Error::new(Kind::Internal, format!("no random number: {error}")))?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}

/// How the folders of sessions begin.
const SCRATCH: &str = "debug-";

/// A folder that only we can read.
pub(crate) fn make_scratch(folder: &Path, name: &str) -> Result<PathBuf, Error> {
    let path = folder.join(format!("{SCRATCH}{}-{name}", std::process::id()));
    let made = fs::DirBuilder::new().recursive(true).mode(0o700).create(&path);
    made.map_err(|error| Error::new(Kind::Internal, format!("no folder `{}`: {error}", path.display())))?;
    Ok(path)
}

/// Removes what processes that are gone left.
pub(crate) fn clear_scratch(folder: &Path) -> io::Result<()> {
    let entries = match fs::read_dir(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        entries => entries?,
    };
    for entry in entries.flatten() {
        let name = entry.file_name();
        let owner = name.to_str().and_then(|name| name.strip_prefix(SCRATCH)?.split_once('-')?.0.parse::<u32>().ok());
        if owner
            .is_some_and(|owner| owner != std::process::id() && !Path::new("/proc").join(owner.to_string()).exists())
        {
            let _ = fs::remove_dir_all(entry.path());
        }
    }
    Ok(())
}

/// The folder that a program runs in.
pub(crate) fn folder(call: &Call, cwd: Option<&Path>) -> Result<PathBuf, Error> {
    let folder = call.folder.join(cwd.unwrap_or_else(|| Path::new("")));
    let folder = fs::canonicalize(&folder)
        .map_err(|_| Error::bad_input(format!("there is no folder `{}`", folder.display())))?;
    if !folder.is_dir() {
        return Err(Error::bad_input(format!("`{}` is no folder", folder.display())));
    }
    if !folder.starts_with(&call.root) {
        let root = call.root.display();
        return Err(Error::bad_input(format!("`{}` is outside of the workspace `{root}`", folder.display())));
    }
    Ok(folder)
}

/// A Python for the program, if a Python runs it.
pub(crate) fn python(call: &Call, folder: &Path) -> Option<PathBuf> {
    find::interpreters(call, folder).into_iter().next()
}

/// Rust's formatters, where there is a compiler that has any.
pub(crate) fn formatters(call: &Call) -> Option<PathBuf> {
    let rustc = find::program("rustc", &call.env)?;
    let sysroot = find::asked(&rustc, &["--print", "sysroot"], call)?;
    let folder = Path::new(sysroot.trim()).join("lib/rustlib/etc");
    folder.join("lldb_lookup.py").is_file().then_some(folder)
}

/// What a call asks to run is read before anything starts.
fn checked(call: &Call, target: &Target) -> Result<Target, Error> {
    let Target::Program(program) = target else { return Ok(target.clone()) };
    let path = call.folder.join(program);
    let path = fs::canonicalize(&path)
        .map_err(|_| Error::not_found(format!("there is no program `{}`", program.display())))?;
    Ok(Target::Program(path))
}

impl Shared {
    /// Starts a program and waits until it stops.
    pub(crate) async fn launch(&self, conversation: &str, call: &Call, launch: &Launch) -> Result<Report, Error> {
        let folder = folder(call, launch.cwd.as_deref())?;
        if let Target::Test(test) = &launch.target {
            let failure = framework(call, &folder, test, None)?;
            return self.launch_test(conversation, call, launch, failure, folder).await;
        }
        let target = checked(call, &launch.target)?;
        let found = find::adapter(&self.presets, call, &target, launch.adapter.as_deref())?;
        let (program, module) = match target {
            Target::Program(path) => (Some(path), None),
            Target::Module(name) => (None, Some(name)),
            Target::Test(_) => (None, None),
        };
        let shown = match (&module, &launch.target) {
            (Some(module), _) => module.clone(),
            (None, Target::Program(path)) => path.display().to_string(),
            (None, _) => String::new(),
        };
        let job = Job { program, module, args: launch.args.clone(), folder, env: launch.env.clone(), ..Job::default() };
        let case = self.reserve(conversation, call, shown)?;
        self.launch_job(&case, call, launch, &found, job).await
    }

    /// Starts what is known by now, and answers with the first stop.
    pub(crate) async fn launch_job(
        &self,
        case: &Arc<Case>,
        call: &Call,
        launch: &Launch,
        found: &Found,
        job: Job,
    ) -> Result<Report, Error> {
        let lifetime = launch.lifetime.unwrap_or(call.lifetime);
        let started = self.start(case, call, found, job, launch, None).await;
        let live = match started {
            Ok(live) => live,
            Err(error) => {
                case.close(Some(EndedBy::Adapter));
                case.gone().await;
                self.forget(case);
                return Err(error);
            }
        };
        case.lives(lifetime);
        settle(case, &live, Instant::now() + launch.wait).await;
        let mut report = at_rest(case, "launch", Want { exprs: &launch.exprs, ..Want::default() }, true).await?;
        running_note(&mut report, launch.wait);
        Ok(report)
    }

    /// A session that never was is none to ask.
    pub(crate) fn forget(&self, case: &Arc<Case>) {
        self.lock().retain(|_, known| !Arc::ptr_eq(known, case));
    }

    /// Starts an adapter and the program under it. `change` has the last word on what is told to it.
    pub(crate) async fn start(
        &self,
        case: &Arc<Case>,
        call: &Call,
        found: &Found,
        mut job: Job,
        launch: &Launch,
        change: Option<&(dyn Fn(&mut Setup) + Sync)>,
    ) -> Result<Arc<Live>, Error> {
        let dialect = found.preset.speaks;
        job.scratch.clone_from(&case.scratch);
        match dialect {
            Dialect::Debugpy if job.python.is_none() => job.python = python(call, &job.folder),
            Dialect::LldbDap => job.formatters = formatters(call),
            _ => {}
        }
        let mut setup = recipe::setup(dialect, &job, launch.stop_on, call.build);
        if let Some(change) = change {
            change(&mut setup);
        }
        let given = job.env.iter().map(|(name, value)| (OsString::from(name), OsString::from(value)));
        let opening = Opening {
            guard: &self.settings.guard,
            records: self.settings.records.as_deref(),
            found,
            setup,
            base: call.env.clone(),
            env: recipe::environment().into_iter().chain(given).collect(),
            folder: &job.folder,
            scratch: &case.scratch,
        };
        let live = open(opening).await?;
        case.runs(&found.preset.id, live.clone());
        if !live.with(|session| launch.breaks.iter().all(|spot| session.table.set(spot))) {
            return Err(too_many());
        }
        let arguments: Value = live.setup.launch.clone();
        match begin(&live, 0, "launch", arguments).await {
            Ok(()) => Ok(live),
            Err(Unanswered::Refused(why)) => {
                live.take_errors();
                let console = live.see(|session| session.console.clone());
                let said = format!("{console}{}", live.see(|session| session.output.text()));
                let said = said.trim();
                let why = if said.is_empty() { why } else { format!("{why}\n{}", crate::cap::middle(said, 4000).0) };
                Err(Error::peer(format!("the adapter does not start the program: {why}")))
            }
            Err(why) => Err(why.error(&live, "launch")),
        }
    }
}
