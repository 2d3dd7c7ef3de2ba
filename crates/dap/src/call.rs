//! What is asked: one call of a closed set, with everything that it needs of its caller.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use serde::{Deserialize, Serialize};

/// A call, and who makes it.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Call {
    /// The workspace, without links. Answers name files relative to it.
    pub root: PathBuf,
    /// The folder that the program and the files of breakpoints are taken from.
    pub folder: PathBuf,
    /// The caller's environment: the program gets this one, not ours.
    pub env: Vec<(OsString, OsString)>,
    /// `[debug.adapters]` of the configuration.
    pub adapters: BTreeMap<String, AdapterConfig>,
    /// How long a program may last, unless the call says otherwise.
    pub lifetime: Duration,
    /// How long it may stand still without being asked anything.
    pub idle: Duration,
    /// How long a build may take, unless the call says otherwise.
    pub build: Duration,
    /// What is asked.
    pub op: Op,
}

/// `[debug.adapters.ID]` of a configuration.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct AdapterConfig {
    /// The program and its arguments.
    pub command: Option<Vec<String>>,
    /// Added to its environment.
    pub env: BTreeMap<String, String>,
    /// Whether it may be used at all.
    pub enabled: Option<bool>,
}

/// What can be asked.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Op {
    /// Run one test, and say what was true where it failed.
    Failure(Failure),
    /// Start a program and wait until it stops.
    Launch(Launch),
    /// Let it go on.
    Go(Go),
    /// Make it stand still.
    Pause {
        /// What to evaluate there.
        exprs: Vec<String>,
    },
    /// Look at where it stands.
    Look(Look),
    /// Set and clear breakpoints.
    Breaks {
        /// New ones.
        set: Vec<Spot>,
        /// The numbers of old ones, or `all`.
        clear: Vec<String>,
    },
    /// Read what the program wrote.
    Output {
        /// From this cursor on; else from the beginning.
        since: Option<u64>,
    },
    /// End the session.
    End,
    /// Say whether there is one.
    Status,
}

impl Op {
    /// Its name.
    pub fn name(&self) -> &'static str {
        match self {
            Op::Failure(_) => "failure",
            Op::Launch(_) => "launch",
            Op::Go(_) => "go",
            Op::Pause { .. } => "pause",
            Op::Look(_) => "look",
            Op::Breaks { .. } => "breaks",
            Op::Output { .. } => "output",
            Op::End => "end",
            Op::Status => "status",
        }
    }
}

/// One test.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Failure {
    /// The test, as its framework names it.
    pub test: String,
    /// The folder it runs in; else the caller's.
    pub cwd: Option<PathBuf>,
    /// Who runs it, where that cannot be told.
    pub framework: Option<Framework>,
    /// What to evaluate at the failure.
    pub exprs: Vec<String>,
    /// Added to the environment.
    pub env: Vec<(String, String)>,
    /// Whether the session stays.
    pub keep: bool,
    /// How long the test may take.
    pub timeout: Duration,
    /// How long its build may take.
    pub build: Option<Duration>,
}

/// Who runs tests.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[expect(missing_docs, reason = "the words say it")]
pub enum Framework {
    Pytest,
    Cargo,
    Go,
    Node,
}

impl Framework {
    /// Its word.
    pub fn as_str(self) -> &'static str {
        match self {
            Framework::Pytest => "pytest",
            Framework::Cargo => "cargo",
            Framework::Go => "go",
            Framework::Node => "node",
        }
    }
}

/// What is started.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Target {
    /// A file or a folder.
    Program(PathBuf),
    /// A Python module.
    Module(String),
    /// A test, run without stopping at its failure by itself.
    Test(String),
}

/// A start.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Launch {
    /// What.
    pub target: Target,
    /// Its arguments.
    pub args: Vec<String>,
    /// The folder it runs in; else the caller's.
    pub cwd: Option<PathBuf>,
    /// Added to the environment.
    pub env: Vec<(String, String)>,
    /// Where to stop.
    pub breaks: Vec<Spot>,
    /// At which exceptions to stop, or at the entry.
    pub stop_on: StopOn,
    /// What to evaluate at the stop.
    pub exprs: Vec<String>,
    /// How long to wait for a stop.
    pub wait: Duration,
    /// How long the program may last.
    pub lifetime: Option<Duration>,
    /// Which adapter, where that cannot be told.
    pub adapter: Option<String>,
}

/// At what a program stops besides breakpoints.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum StopOn {
    /// At an exception that nobody handles.
    #[default]
    Uncaught,
    /// At nothing.
    None,
    /// At every exception that is raised.
    Raised,
    /// At its first line.
    Entry,
}

/// A place to stop at. A symbol is looked up by the caller, so here is always a file and a line.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Spot {
    /// How it was asked for.
    pub asked: String,
    /// The file, absolute.
    pub file: PathBuf,
    /// The line, from 1.
    pub line: usize,
    /// Whether a line was asked for, and not a symbol.
    pub by_line: bool,
    /// Stop at this hit.
    pub hit: Option<u64>,
    /// Stop only where this holds.
    pub condition: Option<String>,
}

/// How a program goes on.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Go {
    /// How far.
    pub how: How,
    /// Where to, for `to`: an absolute file and a line.
    pub to: Option<(PathBuf, usize)>,
    /// How many times.
    pub count: u32,
    /// What to evaluate at the stop.
    pub exprs: Vec<String>,
    /// How long to wait for a stop.
    pub wait: Duration,
}

/// How far a program goes on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum How {
    /// To the next stop.
    #[default]
    Continue,
    /// Over a line.
    Over,
    /// Into a call.
    In,
    /// Out of the function.
    Out,
    /// To a line.
    To,
}

/// A look.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Look {
    /// Which frame: `N`, or `S.N` of the stop S.
    pub frame: Option<String>,
    /// Values to show with their parts.
    pub expand: Vec<String>,
    /// What to evaluate.
    pub exprs: Vec<String>,
    /// Whether that may change the program.
    pub effects: bool,
}
