//! What is answered: the values of `docs/debugging.md`, as they go through a socket and as the contract prints them.

use serde::{Deserialize, Deserializer, Serialize};

/// Where a session is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum State {
    /// The program stands still and can be looked at.
    Stopped,
    /// It runs.
    Running,
    /// It ended by itself.
    Exited,
    /// It was ended.
    Ended,
    /// There is no session.
    #[default]
    None,
}

/// What ended a session whose program did not end by itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[expect(missing_docs, reason = "the words say it")]
pub enum EndedBy {
    End,
    Lifetime,
    Idle,
    Adapter,
    Client,
    Timeout,
    Wedged,
}

/// What became of a test.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[expect(missing_docs, reason = "the words say it")]
pub enum Verdict {
    Failed,
    Passed,
    Skipped,
    BuildFailed,
    NoSuchTest,
    DidNotStop,
    Timeout,
}

/// Whether the program can go on from where it was looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Mode {
    /// It stands at the failure.
    Live,
    /// The failure has already unwound; its frames are kept.
    PostMortem,
}

/// An answer. A field in two layers is one that is `null` in some answers and absent in others.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Report {
    /// What was asked.
    pub op: String,
    /// Where the session is.
    pub state: State,
    /// Its name.
    pub session: Option<String>,
    /// How many times it stopped so far.
    pub stop: Option<u64>,
    /// How long it may still last, in seconds.
    pub time_left_s: Option<f64>,
    /// The adapter's id.
    pub adapter: Option<String>,
    /// What is debugged.
    pub program: Option<String>,
    /// What else is to be known.
    pub notes: Vec<String>,
    /// What is not shown whole.
    pub capped: Vec<Capped>,
    /// `failure`: what became of the test.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub verdict: Option<Verdict>,
    /// `failure`: the test.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub test: Option<String>,
    /// `failure`: who runs it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub framework: Option<String>,
    /// `failure`: whether the program stood at the failure.
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "given")]
    pub mode: Option<Option<Mode>>,
    /// `failure`: whether it can go on from there.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub resumable: Option<bool>,
    /// Where it stopped.
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "given")]
    pub stopped: Option<Option<Stop>>,
    /// `go`: what is not as it was at the last stop.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub changed: Option<Vec<Changed>>,
    /// `look`: what was expanded.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expanded: Option<Vec<Expanded>>,
    /// The program's exit code, once it ended.
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "given")]
    pub exit_code: Option<Option<i64>>,
    /// The signal that ended it.
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "given")]
    pub signal: Option<Option<String>>,
    /// Who told the exit code.
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "given")]
    pub exit_code_from: Option<Option<String>>,
    /// What ended the session.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ended_by: Option<EndedBy>,
    /// Breakpoints at which it never stopped.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub never_hit: Option<Vec<Break>>,
    /// Breakpoints that are worth a word; with `breaks`, all.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub breakpoints: Option<Vec<Break>>,
    /// What the program wrote since the last answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub output: Option<Output>,
    /// `failure`: how the build went.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub build: Option<Build>,
    /// `output`: what the program wrote.
    #[serde(flatten)]
    pub written: Option<Output>,
    /// `end`: the processes that did not go by themselves.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub killed: Option<Vec<Process>>,
    /// `end`: the processes that are still there.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub survivors: Option<Vec<Process>>,
    /// `status`: where it stands.
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "given")]
    pub at: Option<Option<Place>>,
    /// `status`: how old the session is, in seconds.
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "given")]
    pub age_s: Option<Option<f64>>,
    /// `status`: who runs what.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pids: Option<Pids>,
    /// `status`: whose session it is.
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "given")]
    pub conversation: Option<Option<String>>,
}

/// What is there, if only as `null`.
fn given<'de, T: Deserialize<'de>, D: Deserializer<'de>>(deserializer: D) -> Result<Option<T>, D::Error> {
    T::deserialize(deserializer).map(Some)
}

/// Something that is not shown whole.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Capped {
    /// What.
    pub what: String,
    /// How much of it is shown.
    pub shown: usize,
    /// How much there is.
    pub of: usize,
    /// The call that shows more of it.
    pub narrow: String,
}

/// A stop.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Stop {
    /// `breakpoint`, `exception`, `signal`, `step`, `pause` or `entry`.
    pub reason: String,
    /// The breakpoint's id.
    pub breakpoint: Option<u64>,
    /// The exception.
    pub exception: Option<Exception>,
    /// The signal.
    pub signal: Option<String>,
    /// The thread that stopped.
    pub thread: Thread,
    /// The frame to look at first.
    pub at: Option<Frame>,
    /// Its callers in the user's code, innermost first.
    pub frames: Vec<Frame>,
    /// How many frames are not shown.
    pub hidden_frames: usize,
    /// What was to be evaluated.
    pub exprs: Vec<Expr>,
}

/// An exception.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Exception {
    /// Its type.
    #[serde(rename = "type")]
    pub kind: String,
    /// What it says.
    pub message: String,
}

/// A thread.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Thread {
    /// The adapter's id of it.
    pub id: i64,
    /// Its name.
    pub name: String,
    /// How many threads there are.
    pub of: usize,
}

/// A frame of the stack.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Frame {
    /// Its index in the whole stack, from 0 for the innermost.
    pub frame: usize,
    /// The stop and the index: a name that is refused once the program went on.
    pub handle: String,
    /// The function.
    pub function: String,
    /// The file, relative to the root where it is inside.
    pub file: Option<String>,
    /// The line, from 1.
    pub line: usize,
    /// The lines around it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source: Option<Vec<SourceLine>>,
    /// Its variables.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub locals: Option<Vec<Var>>,
}

/// A line of source.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SourceLine {
    /// Its number, from 1.
    pub line: usize,
    /// Its text.
    pub text: String,
    /// Whether it is the frame's line.
    #[serde(default, skip_serializing_if = "is_false")]
    pub here: bool,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks with a reference")]
fn is_false(value: &bool) -> bool {
    !value
}

/// A variable.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Var {
    /// Its name.
    pub name: String,
    /// Its value, as the adapter formats it.
    pub value: String,
    /// Its type.
    #[serde(rename = "type")]
    pub kind: Option<String>,
    /// What to give to `--expand` or `--expr`.
    pub path: String,
    /// How many children it has, where the adapter says.
    pub size: Option<usize>,
    /// Its children.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub children: Option<Vec<Var>>,
    /// Whether the value is cut.
    #[serde(default, skip_serializing_if = "is_false")]
    pub cut: bool,
    /// Whether the value is withheld.
    #[serde(default, skip_serializing_if = "is_false")]
    pub redacted: bool,
}

/// What an expression gave.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Expr {
    /// The expression.
    pub expr: String,
    /// Its value.
    pub value: Option<String>,
    /// Its type.
    #[serde(rename = "type")]
    pub kind: Option<String>,
    /// Why there is none.
    pub error: Option<ExprError>,
    /// Whether the value is cut.
    #[serde(default, skip_serializing_if = "is_false")]
    pub cut: bool,
    /// Whether the value is withheld.
    #[serde(default, skip_serializing_if = "is_false")]
    pub redacted: bool,
}

/// Why an expression has no value.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ExprError {
    /// `refused`, `bad_input` or `peer`.
    pub kind: String,
    /// What was found.
    pub message: String,
    /// What would do.
    pub hint: Option<String>,
    /// Whether the session can only be ended now.
    #[serde(default, skip_serializing_if = "is_false")]
    pub wedged: bool,
}

/// A breakpoint.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Break {
    /// Its number, from 1.
    pub id: u64,
    /// What was asked for.
    pub asked: String,
    /// The file.
    pub file: String,
    /// The line that was asked for; none where a symbol was.
    pub asked_line: Option<usize>,
    /// The line where it is.
    pub line: Option<usize>,
    /// Whether the adapter says that it can be reached.
    pub verified: bool,
    /// Whether it is on another line than asked.
    pub moved: bool,
    /// How often the program stopped at it.
    pub hits: u64,
    /// Its condition.
    pub condition: Option<String>,
    /// What is wrong with that, where the adapter tells.
    pub condition_error: Option<String>,
    /// What the adapter says of it.
    pub message: Option<String>,
}

/// A part of what the program wrote.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Output {
    /// The text.
    pub text: String,
    /// Where it begins, in bytes since the program's start.
    pub from: u64,
    /// Where it ends: the next cursor.
    pub next: u64,
    /// How many bytes before it are lost.
    pub dropped: u64,
}

/// A variable that changed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Changed {
    /// Its name.
    pub name: String,
    /// What it was; none where it is new.
    pub before: Option<String>,
    /// What it is; none where it is gone.
    pub after: Option<String>,
}

/// A value with its parts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Expanded {
    /// The path that was given.
    pub path: String,
    /// Its value.
    pub value: Option<String>,
    /// Its type.
    #[serde(rename = "type")]
    pub kind: Option<String>,
    /// How many children it has.
    pub size: Option<usize>,
    /// The first of them.
    pub children: Vec<Var>,
    /// Why there is nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<ExprError>,
}

/// How a build went.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Build {
    /// How long it took.
    pub seconds: f64,
    /// What the compiler said, when it failed.
    pub text: Option<String>,
}

/// A process.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Process {
    /// Its id.
    pub pid: u32,
    /// How it was called.
    pub argv0: String,
}

/// A line of a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Place {
    /// The file.
    pub file: Option<String>,
    /// The line, from 1.
    pub line: usize,
}

/// Who runs what.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pids {
    /// Us.
    pub daemon: Option<u32>,
    /// The guard.
    pub supervisor: Option<u32>,
    /// The adapter.
    pub adapter: Option<u32>,
    /// The program.
    pub debuggee: Option<u32>,
}
