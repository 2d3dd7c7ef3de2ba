//! `debug`: a program or a test under a debugger, one session a conversation.

mod places;
mod text;

use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

use clap::ValueEnum;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize, Serializer};
use vise_dap::{Failure, Framework, Go, How, Kind, Launch, Look, Op, Report, StopOn, Target, Verdict};
use vise_workspace::absolute;

use crate::tool::Input;
use crate::{ErrorKind, Session, ToolError};

/// Run a program or a test under a debugger.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(default)]
#[schemars(transform = terse)]
pub struct Debug {
    /// What to do
    pub op: DebugOp,
    /// failure, launch: `FILE.py::NAME`, `[crate::]path::to::test`, `[DIR::]TestName`, `FILE.js::title`
    pub test: Option<String>,
    /// launch: a file or folder
    pub program: Option<PathBuf>,
    /// launch: a Python module
    pub module: Option<String>,
    /// Arguments of the program
    pub arg: Vec<String>,
    /// The folder it runs in
    pub cwd: Option<PathBuf>,
    /// `K=V` for its environment
    pub env: Vec<String>,
    /// failure: who runs the test
    pub framework: Option<DebugFramework>,
    /// launch: breakpoints
    #[serde(rename = "break")]
    pub breaks: Vec<String>,
    /// launch: at which exceptions to stop
    pub stop_on: Option<DebugStopOn>,
    /// Expressions to evaluate at the stop
    pub expr: Vec<String>,
    /// failure: keep the session
    pub keep: bool,
    /// failure: seconds the test may take
    pub timeout: Option<f64>,
    /// failure: seconds its build may take
    pub build: Option<f64>,
    /// launch, go: seconds to wait for a stop
    pub wait: Option<f64>,
    /// launch: seconds the program may live
    pub lifetime: Option<f64>,
    /// launch: the adapter
    pub adapter: Option<String>,
    /// go: how far
    pub how: Option<DebugHow>,
    /// go to: `FILE:LINE`
    pub place: Option<String>,
    /// go: how many times, at most 20
    pub count: Option<u32>,
    /// look: a frame, `N` or `STOP.N`
    pub frame: Option<String>,
    /// look: values to show with their parts
    pub expand: Vec<String>,
    /// look: let expressions change the program
    pub effects: bool,
    /// breaks: new breakpoints
    pub set: Vec<String>,
    /// breaks: their numbers, or `all`
    pub clear: Vec<String>,
    /// output: from this cursor on
    pub since: Option<u64>,
}

/// Takes out the words of the keys: the page says what each operation takes, and a list of tools has to be small.
fn terse(schema: &mut schemars::Schema) {
    let properties = schema.get_mut("properties").and_then(serde_json::Value::as_object_mut);
    for property in properties.into_iter().flat_map(|all| all.values_mut()).filter_map(|one| one.as_object_mut()) {
        property.remove("description");
    }
}

/// What to do with a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[expect(missing_docs, reason = "the words say it, and `vise_dap::Op` has them in full")]
pub enum DebugOp {
    Failure,
    Launch,
    Go,
    Pause,
    Look,
    Breaks,
    Output,
    End,
    #[default]
    Status,
}

/// Who runs a test.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[expect(missing_docs, reason = "the words say it")]
pub enum DebugFramework {
    Pytest,
    Cargo,
    Go,
    Node,
}

/// At what a program stops besides breakpoints.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[expect(missing_docs, reason = "the words say it, and `vise_dap::StopOn` has them in full")]
pub enum DebugStopOn {
    #[default]
    Uncaught,
    None,
    Raised,
    Entry,
}

/// How far a program goes on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[expect(missing_docs, reason = "the words say it, and `vise_dap::How` has them in full")]
pub enum DebugHow {
    #[default]
    Continue,
    Over,
    In,
    Out,
    To,
}

/// What became of it.
#[derive(Debug)]
pub struct DebugReport(Report);

/// How long to wait for a stop.
const WAIT: f64 = 30.0;
/// How long a test may take.
const TIMEOUT: f64 = 60.0;
/// The longest life of a program, in seconds.
const LIFETIME: f64 = 900.0;

impl Input for Debug {
    type Report = DebugReport;

    fn run(&self, session: &Session) -> Result<DebugReport, ToolError> {
        let op = self.op(session)?;
        Ok(DebugReport(session.living()?.debug(&op, session)?))
    }

    fn found_nothing(report: &DebugReport) -> bool {
        report.found_nothing()
    }
}

impl Debug {
    fn op(&self, session: &Session) -> Result<Op, ToolError> {
        Ok(match self.op {
            DebugOp::Failure => {
                let test = self.test.clone().filter(|test| !test.trim().is_empty());
                Op::Failure(Failure {
                    test: test.ok_or_else(|| ToolError::bad_input("`failure` needs `test`"))?,
                    cwd: self.cwd(session),
                    framework: self.framework.map(framework),
                    exprs: self.expr.clone(),
                    env: self.env()?,
                    keep: self.keep,
                    timeout: seconds("timeout", self.timeout.unwrap_or(TIMEOUT), 300.0)?,
                    build: self.build.map(|build| seconds("build", build, LIFETIME)).transpose()?,
                })
            }
            DebugOp::Launch => self.launch(session)?,
            DebugOp::Go => {
                let count = self.count.unwrap_or(1);
                if !(1..=20).contains(&count) {
                    return Err(ToolError::bad_input(format!("`count` is 1 to 20, not `{count}`")));
                }
                let how = self.how.unwrap_or_default();
                let to = match (how, &self.place) {
                    (DebugHow::To, Some(place)) => Some(places::line(session, place)?),
                    (DebugHow::To, None) => return Err(ToolError::bad_input("`go to` needs a `FILE:LINE`")),
                    (_, Some(place)) => {
                        return Err(ToolError::bad_input(format!("only `go to` takes a place such as `{place}`")));
                    }
                    (_, None) => None,
                };
                let wait = seconds("wait", self.wait.unwrap_or(WAIT), LIFETIME)?;
                Op::Go(Go { how: far(how), to, count, exprs: self.expr.clone(), wait })
            }
            DebugOp::Pause => Op::Pause { exprs: self.expr.clone() },
            DebugOp::Look => Op::Look(Look {
                frame: self.frame.clone(),
                expand: self.expand.clone(),
                exprs: self.expr.clone(),
                effects: self.effects,
            }),
            DebugOp::Breaks => Op::Breaks { set: places::spots(session, &self.set)?, clear: self.clear.clone() },
            DebugOp::Output => Op::Output { since: self.since },
            DebugOp::End => Op::End,
            DebugOp::Status => Op::Status,
        })
    }

    fn launch(&self, session: &Session) -> Result<Op, ToolError> {
        let target = match (&self.program, &self.module, &self.test) {
            (Some(program), None, None) => Target::Program(program.clone()),
            (None, Some(module), None) => Target::Module(module.clone()),
            (None, None, Some(test)) => Target::Test(test.clone()),
            (None, None, None) => return Err(ToolError::bad_input("`launch` needs `program`, `module` or `test`")),
            _ => return Err(ToolError::bad_input("`launch` takes one of `program`, `module` and `test`")),
        };
        Ok(Op::Launch(Launch {
            target,
            args: self.arg.clone(),
            cwd: self.cwd(session),
            env: self.env()?,
            breaks: places::spots(session, &self.breaks)?,
            stop_on: match self.stop_on.unwrap_or_default() {
                DebugStopOn::Uncaught => StopOn::Uncaught,
                DebugStopOn::None => StopOn::None,
                DebugStopOn::Raised => StopOn::Raised,
                DebugStopOn::Entry => StopOn::Entry,
            },
            exprs: self.expr.clone(),
            wait: seconds("wait", self.wait.unwrap_or(WAIT), LIFETIME)?,
            lifetime: self.lifetime.map(lifetime_of).transpose()?,
            adapter: self.adapter.clone(),
        }))
    }

    fn cwd(&self, session: &Session) -> Option<PathBuf> {
        self.cwd.as_ref().map(|cwd| absolute(&session.folder, cwd))
    }

    fn env(&self) -> Result<Vec<(String, String)>, ToolError> {
        let pair = |given: &String| match given.split_once('=') {
            Some((name, value)) if !name.is_empty() => Ok((name.to_owned(), value.to_owned())),
            _ => Err(ToolError::bad_input(format!("`env` takes `K=V`, not `{given}`"))),
        };
        self.env.iter().map(pair).collect()
    }
}

fn seconds(name: &str, given: f64, most: f64) -> Result<Duration, ToolError> {
    if given.is_finite() && (0.0..=most).contains(&given) {
        return Ok(Duration::from_secs_f64(given));
    }
    Err(ToolError::bad_input(format!("`{name}` is 0 to {most} seconds, not `{given}`")))
}

fn lifetime_of(given: f64) -> Result<Duration, ToolError> {
    if given < 1.0 {
        return Err(ToolError::bad_input(format!("`lifetime` is 1 to {LIFETIME} seconds, not `{given}`")));
    }
    seconds("lifetime", given, LIFETIME)
}

fn framework(framework: DebugFramework) -> Framework {
    match framework {
        DebugFramework::Pytest => Framework::Pytest,
        DebugFramework::Cargo => Framework::Cargo,
        DebugFramework::Go => Framework::Go,
        DebugFramework::Node => Framework::Node,
    }
}

fn far(how: DebugHow) -> How {
    match how {
        DebugHow::Continue => How::Continue,
        DebugHow::Over => How::Over,
        DebugHow::In => How::In,
        DebugHow::Out => How::Out,
        DebugHow::To => How::To,
    }
}

impl DebugReport {
    /// Whether a test did anything but fail: the command line tells that by its exit code.
    pub fn found_nothing(&self) -> bool {
        self.0.verdict.is_some_and(|verdict| verdict != Verdict::Failed)
    }
}

impl Serialize for DebugReport {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.serialize(serializer)
    }
}

impl fmt::Display for DebugReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&text::of(&self.0))
    }
}

impl From<vise_dap::Error> for ToolError {
    fn from(error: vise_dap::Error) -> ToolError {
        let kind = match error.kind {
            Kind::BadInput => ErrorKind::BadInput,
            Kind::NotFound => ErrorKind::NotFound,
            Kind::Stale => ErrorKind::Stale,
            Kind::Refused => ErrorKind::Refused,
            Kind::Unavailable => ErrorKind::Unavailable,
            Kind::Unsupported => ErrorKind::Unsupported,
            Kind::Peer => ErrorKind::Peer,
            Kind::Internal => ErrorKind::Internal,
            Kind::Cancelled => return ToolError::cancelled(),
        };
        let mut answer = ToolError { hint: error.hint, ..ToolError::new(kind, error.message) };
        if let Some(session) = error.session {
            answer = answer.with("session", session);
        }
        answer
    }
}
