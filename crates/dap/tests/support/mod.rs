//! A workspace, sessions, and calls to them in one line each.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use tempfile::TempDir;
use vise_dap::{
    AdapterConfig, Call, CancellationToken, Error, Failure, Go, How, Launch, Look, Op, Report, Sessions, Settings,
    Spot, StopOn, Target,
};
use vise_peer::GuardProgram;
use vise_syntax::Registry;

/// A scratch workspace with sessions.
pub(crate) struct World {
    pub(crate) folder: TempDir,
    pub(crate) root: PathBuf,
    pub(crate) sessions: Sessions,
    pub(crate) env: Vec<(OsString, OsString)>,
    pub(crate) adapters: BTreeMap<String, AdapterConfig>,
}

/// The folder with the adapters that `cargo xtask test` installs.
pub(crate) fn tools() -> PathBuf {
    std::env::var_os("DAP_TOOLS").map(PathBuf::from).expect("`DAP_TOOLS` names the folder with the debug adapters")
}

pub(crate) const SECOND: Duration = Duration::from_secs(1);

impl World {
    pub(crate) fn new() -> World {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap().join("w");
        fs::create_dir(&root).unwrap();
        let settings = Settings {
            guard: GuardProgram { program: env!("CARGO_BIN_EXE_dap-helper").into(), arguments: vec!["guard".into()] },
            records: Some(folder.path().join("records")),
            scratch: folder.path().join("s"),
            max_sessions: 4,
        };
        let sessions = Sessions::new(settings, &Registry::embedded().unwrap()).unwrap();
        let mut adapters = BTreeMap::new();
        let mut name = |id: &str, command: &[&Path]| {
            let command = Some(command.iter().map(|part| part.display().to_string()).collect());
            adapters.insert(id.to_owned(), AdapterConfig { command, ..AdapterConfig::default() });
        };
        let tools = tools();
        name("debugpy", &[&tools.join("python/bin/python"), Path::new("-m"), Path::new("debugpy.adapter")]);
        name("js-debug", &[Path::new("node"), &tools.join("js-debug/vsDebugServer.cjs")]);
        let mut env: Vec<_> = std::env::vars_os().filter(|(name, _)| name != "PATH").collect();
        let path = std::env::var("PATH").unwrap();
        env.push(("PATH".into(), format!("{}:{path}", tools.join("python/bin").display()).into()));
        World { root, sessions, env, adapters, folder }
    }

    pub(crate) fn write(&self, file: &str, text: &str) -> PathBuf {
        let path = self.root.join(file);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, text).unwrap();
        path
    }

    pub(crate) fn call_of(&self, op: Op) -> Call {
        Call {
            root: self.root.clone(),
            folder: self.root.clone(),
            env: self.env.clone(),
            adapters: self.adapters.clone(),
            lifetime: 120 * SECOND,
            idle: 120 * SECOND,
            build: 120 * SECOND,
            op,
        }
    }

    pub(crate) fn ask(&self, op: Op) -> Result<Report, Error> {
        let answer = self.sessions.call("c", &self.call_of(op), &CancellationToken::new());
        if let Ok(report) = &answer {
            let json = serde_json::to_string(report).unwrap();
            assert!(json.len() <= 12_288, "{}", json.len());
            assert_eq!(serde_json::from_str::<Report>(&json).unwrap(), *report, "it goes through a socket");
        }
        answer
    }

    pub(crate) fn failure(&self, test: &str, exprs: &[&str]) -> Report {
        self.ask(Op::Failure(failure(test, exprs))).unwrap_or_else(|error| panic!("{test}: {error:?}"))
    }

    pub(crate) fn launch(&self, program: &str, breaks: &[(&str, usize)]) -> Report {
        self.try_launch(program, breaks).unwrap_or_else(|error| panic!("{program}: {error:?}"))
    }

    pub(crate) fn try_launch(&self, program: &str, breaks: &[(&str, usize)]) -> Result<Report, Error> {
        let breaks = breaks.iter().map(|(file, line)| self.spot(file, *line)).collect();
        self.ask(Op::Launch(Launch { breaks, ..launch(program) }))
    }

    pub(crate) fn spot(&self, file: &str, line: usize) -> Spot {
        let asked = format!("{file}:{line}");
        Spot { asked, file: self.root.join(file), line, by_line: true, hit: None, condition: None }
    }

    pub(crate) fn go(&self, how: How) -> Report {
        self.ask(Op::Go(go(how))).unwrap()
    }

    pub(crate) fn look(&self, look: Look) -> Result<Report, Error> {
        self.ask(Op::Look(look))
    }

    pub(crate) fn eval(&self, expr: &str, effects: bool) -> vise_dap::Expr {
        let look = Look { exprs: vec![expr.to_owned()], effects, ..Look::default() };
        self.look(look).unwrap().stopped.unwrap().unwrap().exprs[0].clone()
    }

    pub(crate) fn end(&self) -> Report {
        self.ask(Op::End).unwrap()
    }
}

pub(crate) fn failure(test: &str, exprs: &[&str]) -> Failure {
    Failure {
        test: test.to_owned(),
        cwd: None,
        framework: None,
        exprs: exprs.iter().map(|expr| (*expr).to_owned()).collect(),
        env: Vec::new(),
        keep: false,
        timeout: 60 * SECOND,
        build: None,
    }
}

pub(crate) fn launch(program: &str) -> Launch {
    Launch {
        target: Target::Program(program.into()),
        args: Vec::new(),
        cwd: None,
        env: Vec::new(),
        breaks: Vec::new(),
        stop_on: StopOn::Uncaught,
        exprs: Vec::new(),
        wait: 30 * SECOND,
        lifetime: None,
        adapter: None,
    }
}

pub(crate) fn go(how: How) -> Go {
    Go { how, to: None, count: 1, exprs: Vec::new(), wait: 30 * SECOND }
}

/// A variable of the frame in focus.
pub(crate) fn local(report: &Report, name: &str) -> String {
    let at = at(report);
    let vars = at.locals.as_deref().unwrap_or_default();
    vars.iter().find(|var| var.name == name).unwrap_or_else(|| panic!("no `{name}` in {vars:?}")).value.clone()
}

/// The frame in focus.
pub(crate) fn at(report: &Report) -> &vise_dap::Frame {
    stop(report).at.as_ref().unwrap_or_else(|| panic!("{report:?}"))
}

/// The stop.
pub(crate) fn stop(report: &Report) -> &vise_dap::Stop {
    report.stopped.as_ref().and_then(Option::as_ref).unwrap_or_else(|| panic!("it does not stand still: {report:?}"))
}

/// Where it stands: file, line and function.
pub(crate) fn place(report: &Report) -> (String, usize, String) {
    let at = at(report);
    (at.file.clone().unwrap_or_default(), at.line, at.function.clone())
}
