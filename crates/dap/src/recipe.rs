//! What is told to an adapter: how a program is started, and how a test is made to stop at its failure.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_json::{Value, json};
use vise_syntax::adapters::Dialect;

use crate::call::StopOn;
use crate::shell::Setup;

/// What is run, once everything about it is known.
#[derive(Debug, Clone, Default)]
pub(crate) struct Job {
    /// The file or folder.
    pub(crate) program: Option<PathBuf>,
    /// The module of Python.
    pub(crate) module: Option<String>,
    /// Its arguments.
    pub(crate) args: Vec<String>,
    /// The folder it works in.
    pub(crate) folder: PathBuf,
    /// What was asked to be added to its environment.
    pub(crate) env: Vec<(String, String)>,
    /// The Python that runs it.
    pub(crate) python: Option<PathBuf>,
    /// The folder with Rust's formatters.
    pub(crate) formatters: Option<PathBuf>,
    /// Whether it is a folder of Go tests.
    pub(crate) go_test: bool,
    /// A folder of ours, for what an adapter builds.
    pub(crate) scratch: PathBuf,
    /// Whether it is a test, and so where to stop.
    pub(crate) test: bool,
}

/// How long an adapter may take to start a program that is built already.
const START: Duration = Duration::from_secs(30);

/// What the environment of every program has: nothing that waits for a person or asks the network.
pub(crate) fn environment() -> Vec<(OsString, OsString)> {
    [
        ("TERM", "dumb"),
        ("NO_COLOR", "1"),
        ("RUST_BACKTRACE", "0"),
        ("DEBUGINFOD_URLS", ""),
        // An evaluation that does not end is interrupted, so that the session lives on.
        ("PYDEVD_INTERRUPT_THREAD_TIMEOUT", "2"),
        ("PYDEVD_WARN_EVALUATION_TIMEOUT", "1.5"),
        ("PYDEVD_DISABLE_FILE_VALIDATION", "1"),
    ]
    .map(|(name, value)| (name.into(), value.into()))
    .to_vec()
}

/// What is told to an adapter of this kind.
pub(crate) fn setup(dialect: Dialect, job: &Job, stop_on: StopOn, build: Duration) -> Setup {
    let mut setup = Setup {
        dialect,
        launch: json!({"cwd": job.folder, "args": job.args, "stopOnEntry": stop_on == StopOn::Entry, "env": env(&job.env)}),
        filters: Vec::new(),
        options: Vec::new(),
        functions: Vec::new(),
        build: START,
    };
    let uncaught = matches!(stop_on, StopOn::Uncaught | StopOn::Entry);
    match dialect {
        Dialect::Debugpy => python(&mut setup, job, stop_on),
        Dialect::LldbDap => native(&mut setup, job, stop_on, uncaught),
        Dialect::Gdb => {
            setup.launch["program"] = json!(job.program);
            setup.launch["stopAtBeginningOfMainSubprogram"] = json!(stop_on == StopOn::Entry);
            if uncaught {
                setup.functions = vec!["__rustc::rust_panic".to_owned()];
            }
        }
        Dialect::Delve => {
            let built = job.program.as_deref().is_some_and(Path::is_file)
                && job.program.as_deref().and_then(Path::extension).is_none_or(|extension| extension != "go");
            let mode = if job.go_test {
                "test"
            } else if built {
                "exec"
            } else {
                "debug"
            };
            setup.launch["mode"] = mode.into();
            setup.launch["program"] = json!(job.program);
            setup.launch["stackTraceDepth"] = crate::cap::FETCHED.into();
            if !built {
                // In the source tree it would stay when the adapter is killed.
                setup.launch["output"] = json!(job.scratch.join("__debug_bin"));
                setup.build = build;
            }
            setup.filters = Vec::new();
            if job.test {
                setup.functions = vec!["testing.(*common).Fail".to_owned()];
            }
        }
        Dialect::JsDebug => node(&mut setup, job, stop_on),
    }
    setup
}

fn env(given: &[(String, String)]) -> Value {
    Value::Object(given.iter().map(|(name, value)| (name.clone(), value.clone().into())).collect())
}

fn python(setup: &mut Setup, job: &Job, stop_on: StopOn) {
    let launch = &mut setup.launch;
    match &job.module {
        Some(module) => launch["module"] = module.clone().into(),
        None => launch["program"] = json!(job.program),
    }
    launch["console"] = "internalConsole".into();
    launch["justMyCode"] = true.into();
    launch["redirectOutput"] = true.into();
    // A child that is Python, too, would wait for ever for somebody to look at it.
    launch["subProcess"] = false.into();
    if let Some(python) = &job.python {
        launch["python"] = json!([python]);
    }
    setup.filters = match stop_on {
        StopOn::Uncaught | StopOn::Entry => vec!["uncaught".to_owned()],
        StopOn::Raised => vec!["raised".to_owned(), "uncaught".to_owned()],
        StopOn::None => Vec::new(),
    };
}

fn native(setup: &mut Setup, job: &Job, stop_on: StopOn, uncaught: bool) {
    let launch = &mut setup.launch;
    launch["program"] = json!(job.program);
    // A program that reads its input would hang on the terminal that it is given.
    let mut before = vec!["settings set target.input-path /dev/null".to_owned()];
    if job.test {
        // A test that returns an error does not panic.
        before.push("breakpoint set --func-regex from_residual".to_owned());
    }
    launch["preRunCommands"] = json!(before);
    if let Some(folder) = &job.formatters {
        launch["initCommands"] = json!([
            format!("command script import \"{}\"", folder.join("lldb_lookup.py").display()),
            format!("command source -s 1 \"{}\"", folder.join("lldb_commands").display()),
        ]);
    }
    if uncaught || stop_on == StopOn::Raised {
        setup.functions = vec!["rust_panic".to_owned()];
    }
    if stop_on == StopOn::Raised {
        setup.filters = vec!["cpp_throw".to_owned()];
    }
}

fn node(setup: &mut Setup, job: &Job, stop_on: StopOn) {
    let launch = &mut setup.launch;
    launch["type"] = "pwa-node".into();
    launch["request"] = "launch".into();
    launch["program"] = json!(job.program);
    launch["console"] = "internalConsole".into();
    launch["outputCapture"] = "std".into();
    launch["skipFiles"] = json!([]);
    launch["sourceMaps"] = true.into();
    launch["__workspaceFolder"] = json!(job.folder);
    if job.test {
        // The runner of tests catches what a test throws, so nothing is ever uncaught. What a test handles itself is
        // told apart by who is above it.
        setup.options = vec![json!({"filterId": "all"})];
        setup.filters = vec!["all".to_owned()];
        launch["runtimeArgs"] = json!(["--test-reporter=spec"]);
        return;
    }
    setup.filters = match stop_on {
        StopOn::Uncaught | StopOn::Entry => vec!["uncaught".to_owned()],
        StopOn::Raised => vec!["all".to_owned(), "uncaught".to_owned()],
        StopOn::None => Vec::new(),
    };
}

/// What pytest loads: it stops at the very moment at which pytest has an exception in hand, and so never at one that a test
/// expects. It writes nothing.
pub(crate) const PYTEST_PLUGIN: &str = r#"import threading

import pytest


@pytest.hookimpl(tryfirst=True)
def pytest_exception_interact(node, call, report):
    info = getattr(call, "excinfo", None)
    if info is None:
        return
    try:
        import pydevd

        debugger = pydevd.get_global_debugger()
        thread = threading.current_thread()
        state = debugger.set_additional_thread_info(thread)
    except Exception:
        return
    state.is_tracing += 1
    try:
        debugger.stop_on_unhandled_exception(debugger, thread, state, (info.type, info.value, info.tb))
    finally:
        state.is_tracing -= 1
"#;

/// The name under which it is loaded.
pub(crate) const PYTEST_PLUGIN_NAME: &str = "vise_stop_at_failure";
