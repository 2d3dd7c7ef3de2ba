//! `vise debug`: what can be typed, turned into the tool's input.

use std::path::PathBuf;

use clap::{Args, Subcommand};
use vise_tools::{Debug, DebugFramework, DebugHow, DebugOp, DebugStopOn, Input as _, Session};

use crate::output::{Failure, Output};
use crate::progress::Progress;
use crate::run::{Exit, answer};

#[derive(Debug, Args)]
pub(crate) struct DebugFlags {
    #[command(subcommand)]
    pub(crate) op: DebugCommand,
}

#[derive(Debug, Clone, Subcommand)]
pub(crate) enum DebugCommand {
    /// Run one test and say what was true where it failed
    Failure {
        /// `FILE.py[::CLASS]::NAME`, `[crate::]path::to::test`, `[DIR::]TestName[/sub]` or `FILE.js::title`
        test: String,
        /// The folder it runs in
        #[arg(long, value_name = "D")]
        cwd: Option<PathBuf>,
        /// Who runs it, where its name does not say so
        #[arg(long, value_enum)]
        framework: Option<DebugFramework>,
        /// Evaluate at the failure (repeatable)
        #[arg(long, value_name = "E", allow_hyphen_values = true)]
        expr: Vec<String>,
        /// Add to its environment (repeatable)
        #[arg(long, value_name = "K=V")]
        env: Vec<String>,
        /// Keep the session, stopped at the failure
        #[arg(long)]
        keep: bool,
        /// Seconds it may take
        #[arg(long, value_name = "S", default_value_t = 60.0)]
        timeout: f64,
        /// Seconds its build may take
        #[arg(long, value_name = "S")]
        build: Option<f64>,
    },
    /// Start a program and wait until it stops
    Launch {
        /// The program: a file of a known language, a folder with Go files, or a program of the machine
        #[arg(required_unless_present_any = ["module", "test"], conflicts_with_all = ["module", "test"])]
        program: Option<PathBuf>,
        /// A module of Python in its place
        #[arg(long, value_name = "M", conflicts_with = "test")]
        module: Option<String>,
        /// A test in its place
        #[arg(long, value_name = "TEST")]
        test: Option<String>,
        /// An argument for it (repeatable)
        #[arg(long, value_name = "A", allow_hyphen_values = true)]
        arg: Vec<String>,
        /// The folder it runs in
        #[arg(long, value_name = "D")]
        cwd: Option<PathBuf>,
        /// Add to its environment (repeatable)
        #[arg(long, value_name = "K=V")]
        env: Vec<String>,
        /// Stop here: `FILE:LINE [text "T"] [hit N] [if COND]` or `SYMBOL [hit N] [if COND]` (repeatable)
        #[arg(long = "break", value_name = "B")]
        breaks: Vec<String>,
        /// At which exceptions to stop, or at the entry
        #[arg(long, value_enum, default_value_t = DebugStopOn::Uncaught)]
        stop_on: DebugStopOn,
        /// Evaluate at the stop (repeatable)
        #[arg(long, value_name = "E", allow_hyphen_values = true)]
        expr: Vec<String>,
        /// Seconds to wait for a stop
        #[arg(long, value_name = "S", default_value_t = 30.0)]
        wait: f64,
        /// Seconds it may live, whatever is asked of it
        #[arg(long, value_name = "S")]
        lifetime: Option<f64>,
        /// The adapter, where the program does not say which
        #[arg(long, value_name = "ID")]
        adapter: Option<String>,
    },
    /// Let the program go on
    Go {
        /// How far
        #[arg(value_enum)]
        how: DebugHow,
        /// `to`: where to
        #[arg(value_name = "FILE:LINE", required_if_eq("how", "to"))]
        place: Option<String>,
        /// How many times, at most 20
        #[arg(long, value_name = "N", default_value_t = 1)]
        count: u32,
        /// Evaluate at the stop (repeatable)
        #[arg(long, value_name = "E", allow_hyphen_values = true)]
        expr: Vec<String>,
        /// Seconds to wait for a stop
        #[arg(long, value_name = "S", default_value_t = 30.0)]
        wait: f64,
    },
    /// Make the program stand still
    Pause {
        /// Evaluate there (repeatable)
        #[arg(long, value_name = "E", allow_hyphen_values = true)]
        expr: Vec<String>,
    },
    /// Look at where the program stands
    Look {
        /// A frame: `N`, or `S.N` of the stop S
        #[arg(long, value_name = "N|S.N")]
        frame: Option<String>,
        /// Show a value with its parts (repeatable)
        #[arg(long, value_name = "PATH")]
        expand: Vec<String>,
        /// Evaluate there (repeatable)
        #[arg(long, value_name = "E", allow_hyphen_values = true)]
        expr: Vec<String>,
        /// Let expressions call functions and change the program
        #[arg(long)]
        effects: bool,
    },
    /// List, set and clear breakpoints
    Breaks {
        /// A new one (repeatable)
        #[arg(long, value_name = "B")]
        set: Vec<String>,
        /// The number of one, or `all` (repeatable)
        #[arg(long, value_name = "ID|all")]
        clear: Vec<String>,
    },
    /// Read what the program wrote
    Output {
        /// From this cursor on
        #[arg(long, value_name = "CURSOR")]
        since: Option<u64>,
    },
    /// End the session and everything it started
    End,
    /// Say whether there is a session, and where it stands
    Status,
}

impl DebugCommand {
    fn input(&self) -> Debug {
        match self.clone() {
            Self::Failure { test, cwd, framework, expr, env, keep, timeout, build } => Debug {
                op: DebugOp::Failure,
                test: Some(test),
                cwd,
                framework,
                expr,
                env,
                keep,
                timeout: Some(timeout),
                build,
                ..Debug::default()
            },
            Self::Launch { program, module, test, arg, cwd, env, breaks, stop_on, expr, wait, lifetime, adapter } => {
                Debug {
                    op: DebugOp::Launch,
                    program,
                    module,
                    test,
                    arg,
                    cwd,
                    env,
                    breaks,
                    stop_on: Some(stop_on),
                    expr,
                    wait: Some(wait),
                    lifetime,
                    adapter,
                    ..Debug::default()
                }
            }
            Self::Go { how, place, count, expr, wait } => Debug {
                op: DebugOp::Go,
                how: Some(how),
                place,
                count: Some(count),
                expr,
                wait: Some(wait),
                ..Debug::default()
            },
            Self::Pause { expr } => Debug { op: DebugOp::Pause, expr, ..Debug::default() },
            Self::Look { frame, expand, expr, effects } => {
                Debug { op: DebugOp::Look, frame, expand, expr, effects, ..Debug::default() }
            }
            Self::Breaks { set, clear } => Debug { op: DebugOp::Breaks, set, clear, ..Debug::default() },
            Self::Output { since } => Debug { op: DebugOp::Output, since, ..Debug::default() },
            Self::End => Debug { op: DebugOp::End, ..Debug::default() },
            Self::Status => Debug { op: DebugOp::Status, ..Debug::default() },
        }
    }
}

/// `vise debug`.
pub(crate) fn run(
    flags: &DebugFlags,
    session: &Session,
    json: bool,
    output: &mut Output,
    progress: &Progress,
) -> Result<Exit, Failure> {
    let report = flags.op.input().run(session);
    progress.finish();
    let report = report?;
    answer(output, json, &report, |_| report.to_string().into_bytes())?;
    Ok(if report.found_nothing() { Exit::Nothing } else { Exit::Found })
}
