//! One test, run so that it stops where it fails; and what became of it.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use serde_json::json;
use vise_syntax::adapters::Dialect;

use super::build::{Cargo, cargo_test, shortened};
use super::case::{Case, seconds};
use super::find::{self, Found};
use super::live::{ANSWER, Live};
use super::look::{Shot, Want, shot};
use super::ops::settle;
use super::start::Setup;
use super::target::folder;
use super::{ENDING, Shared};
use crate::answer::{Build, EndedBy, Mode, Report, State, Verdict};
use crate::call::{Call, Failure, Framework, Launch, StopOn, Target};
use crate::error::{Error, Kind};
use crate::recipe::{Job, PYTEST_PLUGIN, PYTEST_PLUGIN_NAME};
use crate::session::{Run, Session};
use crate::verdict;

/// How long a test may take to end after it failed.
const AFTER: Duration = Duration::from_secs(10);
/// How many stops are looked at that may be the failure.
const STOPS: usize = 20;

/// A test that can be started.
pub(crate) struct Plan {
    job: Job,
    found: Found,
    build: Option<Build>,
    /// The last part of its name, by which its own frame is known.
    leaf: String,
    /// The title of a Node test.
    title: Option<String>,
    notes: Vec<String>,
}

/// What is known of a test before it runs.
enum Planned {
    Ready(Box<Plan>),
    Known(Verdict, Option<Build>, Vec<String>),
}

/// Who runs a test: by its file's ending, else by the nearest manifest.
pub(crate) fn framework(call: &Call, folder: &Path, test: &str, wanted: Option<Framework>) -> Result<Framework, Error> {
    if let Some(framework) = wanted {
        return Ok(framework);
    }
    let file = Path::new(test.split("::").next().unwrap_or(test));
    let ending = file.extension().map(|ending| ending.to_string_lossy().to_lowercase()).unwrap_or_default();
    match ending.as_str() {
        "py" => return Ok(Framework::Pytest),
        "js" | "mjs" | "cjs" | "ts" | "mts" | "cts" => return Ok(Framework::Node),
        "rs" => {
            return Err(Error::bad_input(format!("`{test}` names a file; a Rust test is named by its path"))
                .hint("`[crate::]path::to::test`"));
        }
        _ => {}
    }
    // A Go test may name its folder, which may have a manifest of its own.
    let from = test.split_once("::").map(|(dir, _)| folder.join(dir)).filter(|dir| dir.is_dir());
    for up in from.as_deref().unwrap_or(folder).ancestors().take_while(|up| up.starts_with(&call.root)) {
        if up.join("Cargo.toml").is_file() {
            return Ok(Framework::Cargo);
        }
        if up.join("go.mod").is_file() {
            return Ok(Framework::Go);
        }
    }
    Err(Error::bad_input(format!(
        "nobody can be told to run `{test}`: it names no file, and there is no `Cargo.toml` or `go.mod` up to the root"
    ))
    .hint("`FILE.py::NAME`, `[crate::]path::to::test`, `[DIR::]TestName`, `FILE.js::title`; or `--framework`"))
}

impl Shared {
    /// Runs one test and says what was true where it failed.
    pub(crate) async fn failure(&self, conversation: &str, call: &Call, failure: &Failure) -> Result<Report, Error> {
        let folder = folder(call, failure.cwd.as_deref())?;
        let framework = framework(call, &folder, &failure.test, failure.framework)?;
        let case = self.reserve(conversation, call, failure.test.clone())?;
        let report = self.failure_in(&case, call, failure, framework, &folder).await;
        if !failure.keep || report.is_err() {
            case.close(Some(if report.is_err() { EndedBy::Adapter } else { EndedBy::End }));
            case.gone().await;
        }
        let mut report = report.inspect_err(|_| self.forget(&case))?;
        let head = case.report("failure");
        (report.state, report.time_left_s, report.ended_by) = (head.state, head.time_left_s, head.ended_by);
        if !failure.keep && report.state == State::Exited {
            // Whether the program or we came first is nobody's business: the session is over, because it is not kept.
            (report.state, report.ended_by) = (State::Ended, Some(EndedBy::End));
        }
        report.exit_code = Some(head.exit_code.flatten());
        (report.signal, report.exit_code_from, report.never_hit) = (head.signal, head.exit_code_from, head.never_hit);
        (report.test, report.framework) = (Some(failure.test.clone()), Some(framework.as_str().to_owned()));
        Ok(report)
    }

    async fn failure_in(
        &self,
        case: &Arc<Case>,
        call: &Call,
        failure: &Failure,
        framework: Framework,
        folder: &Path,
    ) -> Result<Report, Error> {
        let budget = failure.build.unwrap_or(call.build);
        let plan = match self.plan(case, call, &failure.test, framework, folder, &failure.env, budget).await? {
            Planned::Ready(plan) => *plan,
            Planned::Known(verdict, build, notes) => {
                let mut report = case.report("failure");
                case.fill(&mut report, None, true);
                report.notes = notes;
                return Ok(judged(report, verdict, None, build.unwrap_or_default()));
            }
        };
        let launch = Launch {
            target: Target::Test(failure.test.clone()),
            args: Vec::new(),
            cwd: None,
            env: failure.env.clone(),
            breaks: Vec::new(),
            stop_on: StopOn::Uncaught,
            exprs: failure.exprs.clone(),
            wait: failure.timeout,
            lifetime: None,
            adapter: None,
        };
        let begun = Instant::now();
        let title = plan.title.clone();
        let change = move |setup: &mut Setup| change(setup, title.as_deref());
        let wide = Call { build: budget, ..call.clone() };
        let started = self.start(case, &wide, &plan.found, plan.job.clone(), &launch, Some(&change)).await;
        let built = plan.build.clone().unwrap_or_default();
        let live = match started {
            Ok(live) => live,
            // What does not compile is the adapter's to tell where it is the one that builds.
            Err(error) if framework == Framework::Go && error.message.contains("\n") => {
                let mut report = case.report("failure");
                case.fill(&mut report, None, true);
                let words = error.message.split_once('\n').map_or("", |(_, words)| words);
                let build = Build { seconds: seconds(begun.elapsed()), text: Some(shortened(words)) };
                return Ok(judged(report, Verdict::BuildFailed, None, build));
            }
            Err(error) => return Err(error),
        };
        let built =
            if framework == Framework::Go { Build { seconds: seconds(begun.elapsed()), text: None } } else { built };
        // Whoever keeps it gets the time of a session; else it is over soon after the test is.
        let most = failure.timeout + AFTER;
        case.lives(if failure.keep { call.lifetime.max(most) } else { most + Duration::from_secs(5) });
        let want = Want { exprs: &failure.exprs, ..Want::default() };
        let (found, in_time) = watch(case, &live, framework, &plan, failure, want).await?;
        if live.see(Session::run) == Run::Over {
            let _ = tokio::time::timeout(ENDING, case.gone()).await;
        }
        let mut report = case.report("failure");
        live.take_errors();
        let (text, code) = live.see(|session| (session.output.text(), session.end().code));
        let outcome = verdict::Outcome { stopped: found.is_some(), in_time, code, output: &text };
        let verdict = verdict::judge(framework, &outcome);
        let found = found.filter(|_| verdict == Verdict::Failed || verdict == Verdict::Timeout);
        if verdict == Verdict::Timeout {
            case.close(Some(EndedBy::Timeout));
        }
        let stopped = found.is_some();
        report.notes.extend(plan.notes);
        case.fill(&mut report, found, true);
        let mode = stopped.then(|| if framework == Framework::Pytest { Mode::PostMortem } else { Mode::Live });
        Ok(judged(report, verdict, mode, built))
    }

    /// Starts a test like a program, so that breakpoints in it can be reached.
    pub(crate) async fn launch_test(
        &self,
        conversation: &str,
        call: &Call,
        launch: &Launch,
        framework: Framework,
        folder: PathBuf,
    ) -> Result<Report, Error> {
        let Target::Test(test) = &launch.target else { return Err(Error::bad_input("there is no test to start")) };
        let case = self.reserve(conversation, call, test.clone())?;
        let planned = self.plan(&case, call, test, framework, &folder, &launch.env, call.build).await;
        let refused = |error: Error| {
            case.close(Some(EndedBy::Adapter));
            self.forget(&case);
            error
        };
        let plan = match planned.map_err(refused)? {
            Planned::Ready(plan) => plan,
            Planned::Known(verdict, build, notes) => {
                let text = build.and_then(|build| build.text).unwrap_or_default();
                let words = serde_json::to_value(verdict).ok().and_then(|word| word.as_str().map(str::to_owned));
                let message =
                    format!("`{test}` cannot be started: {} {text} {}", words.unwrap_or_default(), notes.join("; "));
                let kind = if verdict == Verdict::NoSuchTest { Kind::NotFound } else { Kind::BadInput };
                return Err(refused(Error::new(kind, message.trim().to_owned())));
            }
        };
        let mut job = plan.job;
        job.args.extend(launch.args.iter().cloned());
        self.launch_job(&case, call, launch, &plan.found, job).await
    }

    #[expect(clippy::too_many_arguments, reason = "each is another thing, and there is one place that calls it twice")]
    async fn plan(
        &self,
        case: &Arc<Case>,
        call: &Call,
        test: &str,
        framework: Framework,
        folder: &Path,
        env: &[(String, String)],
        budget: Duration,
    ) -> Result<Planned, Error> {
        let adapter = |target: Target, id: &str| find::adapter(&self.presets, call, &target, Some(id));
        let leaf = test.rsplit([':', '/']).next().unwrap_or(test).to_owned();
        let mut plan = Plan {
            job: Job { folder: folder.to_owned(), env: env.to_vec(), test: true, ..Job::default() },
            found: match framework {
                Framework::Pytest => adapter(Target::Module("pytest".to_owned()), "debugpy")?,
                Framework::Cargo => adapter(Target::Test(test.to_owned()), "lldb-dap")?,
                Framework::Go => adapter(Target::Test(test.to_owned()), "delve")?,
                Framework::Node => adapter(Target::Test(test.to_owned()), "js-debug")?,
            },
            build: None,
            leaf,
            title: None,
            notes: Vec::new(),
        };
        match framework {
            Framework::Pytest => {
                if let Some(note) = pytest(case, call, test, folder, &mut plan)? {
                    return Ok(note);
                }
            }
            Framework::Cargo => {
                let (cargo, build) = cargo_test(self, call, folder, test, env, budget).await?;
                match cargo {
                    Cargo::Found(found) if found.ignored => {
                        let notes = vec![format!("`{}` is ignored", found.name)];
                        return Ok(Planned::Known(Verdict::Skipped, Some(build), notes));
                    }
                    Cargo::Found(found) => {
                        let arguments = [found.name.as_str(), "--exact", "--nocapture", "--test-threads=1"];
                        plan.job.args = arguments.map(str::to_owned).to_vec();
                        plan.job.program = Some(found.executable);
                        plan.job.folder = found.folder;
                        plan.build = Some(build);
                    }
                    Cargo::Failed => return Ok(Planned::Known(Verdict::BuildFailed, Some(build), Vec::new())),
                    Cargo::TimedOut => {
                        let notes = vec![format!("the build took longer than {} s", budget.as_secs_f64())];
                        return Ok(Planned::Known(Verdict::Timeout, Some(build), notes));
                    }
                    Cargo::None(near) => {
                        let known = (!near.is_empty()).then(|| format!("there are: {}", near.join(" ")));
                        return Ok(Planned::Known(Verdict::NoSuchTest, Some(build), known.into_iter().collect()));
                    }
                }
            }
            Framework::Go => {
                let (dir, name) = test.rsplit_once("::").map_or((None, test), |(dir, name)| (Some(dir), name));
                let dir = dir.map_or_else(|| folder.to_owned(), |dir| folder.join(dir));
                if !find::has_go_files(&dir) {
                    let notes = vec![format!("there are no Go files in `{}`", dir.display())];
                    return Ok(Planned::Known(Verdict::NoSuchTest, None, notes));
                }
                let parts: Vec<String> = name.split('/').map(|part| format!("^{}$", regex::escape(part))).collect();
                plan.job.args = vec!["-test.run".to_owned(), parts.join("/"), "-test.v".to_owned()];
                plan.job.folder.clone_from(&dir);
                plan.job.program = Some(dir);
                plan.job.go_test = true;
                plan.leaf = name.split('/').next().unwrap_or(name).to_owned();
            }
            Framework::Node => {
                let (file, title) = test.split_once("::").map_or((test, None), |(file, title)| (file, Some(title)));
                let Ok(path) = std::fs::canonicalize(folder.join(file)) else {
                    return Ok(Planned::Known(Verdict::NoSuchTest, None, vec![format!("there is no file `{file}`")]));
                };
                plan.job.program = Some(path);
                plan.title = title.map(str::to_owned);
            }
        }
        Ok(Planned::Ready(Box::new(plan)))
    }
}

/// What is told to the adapter of a Node test beside the usual.
fn change(setup: &mut Setup, title: Option<&str>) {
    if setup.dialect == Dialect::JsDebug
        && let Some(title) = title
    {
        // A title may be a path of titles; the innermost is what is looked for.
        let title = title.rsplit("::").next().unwrap_or(title);
        let pattern = format!("^{}$", regex::escape(title));
        setup.launch["runtimeArgs"] = json!(["--test-reporter=spec", format!("--test-name-pattern={pattern}")]);
    }
}

/// The job of a pytest test; or what is known of it already.
fn pytest(case: &Case, call: &Call, test: &str, folder: &Path, plan: &mut Plan) -> Result<Option<Planned>, Error> {
    let file = test.split("::").next().unwrap_or(test);
    if !folder.join(file).exists() {
        return Ok(Some(Planned::Known(Verdict::NoSuchTest, None, vec![format!("there is no file `{file}`")])));
    }
    let all = find::interpreters(call, folder);
    let adapters = Some(plan.found.program.clone()).filter(|_| plan.found.arguments.iter().any(|one| one == "-m"));
    // What lies beside an adapter's own program is the Python that it is installed in.
    let beside = plan.found.program.parent().map(|bin| bin.join("python")).filter(|path| path.is_file());
    let candidates = all.iter().cloned().chain(adapters).chain(beside);
    let python = candidates.into_iter().find(|python| find::has_module(python, "pytest", call));
    let Some(python) = python else {
        let tried: Vec<String> = all.iter().map(|path| path.display().to_string()).collect();
        return Err(Error::new(Kind::Unavailable, format!("no Python here has `pytest`; tried {}", tried.join(", ")))
            .hint("install it into the project's `.venv`"));
    };
    if let Some(first) = all.first().filter(|first| **first != python) {
        plan.notes.push(format!("`{}` has no pytest; `{}` runs the test", first.display(), python.display()));
    }
    std::fs::write(case.scratch.join(format!("{PYTEST_PLUGIN_NAME}.py")), PYTEST_PLUGIN)
        .map_err(|error| Error::new(Kind::Internal, format!("the plugin cannot be written: {error}")))?;
    let mut args: Vec<String> = ["-q", "-p", "no:cacheprovider", "-p", PYTEST_PLUGIN_NAME].map(str::to_owned).to_vec();
    // Neither workers nor a tracer of its own may come between the test and us; an option is known only where its
    // plugin is.
    if find::has_module(&python, "xdist", call) {
        args.push("-n0".to_owned());
    }
    if find::has_module(&python, "pytest_cov", call) {
        args.push("--no-cov".to_owned());
    }
    args.push(test.to_owned());
    let given = plan.job.env.iter().rev().find(|(name, _)| name == "PYTHONPATH").map(|(_, value)| value.clone());
    let known =
        given.or_else(|| find::variable(&call.env, "PYTHONPATH").map(|path| path.to_string_lossy().into_owned()));
    let path = [Some(case.scratch.display().to_string()), known].into_iter().flatten().collect::<Vec<_>>().join(":");
    plan.job.env.retain(|(name, _)| name != "PYTHONPATH");
    plan.job.env.push(("PYTHONPATH".to_owned(), path));
    plan.job.env.push(("PYTHONDONTWRITEBYTECODE".to_owned(), "1".to_owned()));
    (plan.job.module, plan.job.args, plan.job.python) = (Some("pytest".to_owned()), args, Some(python));
    Ok(None)
}

/// Lets a test run until it is over, and keeps the look at the stop that is its failure; and whether it took no longer
/// than it may.
async fn watch(
    case: &Arc<Case>,
    live: &Arc<Live>,
    framework: Framework,
    plan: &Plan,
    failure: &Failure,
    want: Want<'_>,
) -> Result<(Option<Shot>, bool), Error> {
    let mut deadline = tokio::time::Instant::now() + failure.timeout;
    let mut kept: Option<Shot> = None;
    for _ in 0..STOPS * 10 {
        match settle(case, live, deadline).await {
            Run::Over => return Ok((kept, true)),
            Run::Starting | Run::Running => {
                if kept.is_none() {
                    kept = last_look(case, live, want).await;
                    return Ok((kept, false));
                }
                return Ok((kept, true));
            }
            Run::Stopped => {}
        }
        let found = shot(live, &case.root, want).await?;
        if is_failure(framework, plan, &found) {
            let text = found.stop.exception.clone();
            match &mut kept {
                None => {
                    kept = Some(found);
                    deadline = deadline.min(tokio::time::Instant::now() + AFTER);
                }
                // A panic is first told as a failure, with nothing that says why.
                Some(first) if framework == Framework::Go => {
                    if let Some(exception) = text.filter(|text| text.kind != "test failure") {
                        first.stop.exception = Some(exception);
                    }
                }
                // What a test handled itself came before what it did not.
                Some(first) if matches!(framework, Framework::Cargo | Framework::Node) => *first = found,
                Some(_) => {}
            }
            if failure.keep {
                return Ok((kept, true));
            }
        }
        let halt = live.see(|session| session.halt().clone());
        live.with(|session: &mut Session| session.resume(halt.number));
        if let Err(why) = live.request(halt.line, "continue", json!({"threadId": halt.thread}), ANSWER).await
            && live.see(Session::run) != Run::Over
        {
            return Err(why.error(live, "continue"));
        }
    }
    Ok((kept, true))
}

/// Where a test that takes too long is.
async fn last_look(case: &Arc<Case>, live: &Arc<Live>, want: Want<'_>) -> Option<Shot> {
    let line = live.see(Session::main);
    let threads = live.request(line, "threads", serde_json::Value::Null, Duration::from_secs(2)).await.ok()?;
    let thread = threads["threads"][0]["id"].clone();
    live.request(line, "pause", json!({"threadId": thread}), Duration::from_secs(2)).await.ok()?;
    let soon = tokio::time::Instant::now() + Duration::from_secs(3);
    match settle(case, live, soon).await {
        Run::Stopped => shot(live, &case.root, want).await.ok(),
        _ => None,
    }
}

/// Whether a stop may be the test's failure.
fn is_failure(framework: Framework, plan: &Plan, found: &Shot) -> bool {
    let stop = &found.stop;
    if stop.reason != "exception" && stop.reason != "signal" {
        return false;
    }
    let kind = stop.exception.as_ref().map_or("", |exception| exception.kind.as_str());
    let at = stop.at.as_ref();
    match framework {
        // An error that is passed on is the test's failure only where it leaves the test itself.
        Framework::Cargo if kind == "Err" => at.is_some_and(|at| at.function.ends_with(&format!("::{}", plan.leaf))),
        // Whatever a library throws and handles has no frame of the user on top; a failed assertion is thrown by the
        // library's `assert`.
        Framework::Node => {
            let user = at.is_some_and(|at| {
                at.file.as_deref().is_some_and(|file| !file.starts_with('<') && !file.starts_with("node:"))
            });
            let asserts = kind.contains("AssertionError");
            user && (asserts || at.is_some_and(|at| at.frame == 0))
        }
        _ => true,
    }
}

fn judged(mut report: Report, verdict: Verdict, mode: Option<Mode>, build: Build) -> Report {
    report.verdict = Some(verdict);
    report.mode = Some(mode);
    report.resumable = Some(mode == Some(Mode::Live));
    if report.stopped.is_none() {
        report.stopped = Some(None);
    }
    report.build = Some(build);
    report
}
