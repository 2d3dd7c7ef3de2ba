//! From arguments to an exit code: what every command has in common.

use std::io;
use std::panic::{self, AssertUnwindSafe};
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

use clap::Parser;
use clap::error::ErrorKind as Clap;
use serde::Serialize;
use vise_tools::{ErrorKind, Input as _, Paint, ToolError, recover_first};

use crate::cli::{Cli, Command, Format, Global, Reach, ShowFlags};
use crate::environment::{self, Around};
use crate::output::{Failure, Output, show_error};
use crate::progress::Progress;
use crate::stop::{self, INTERRUPTED};
use crate::{daemon, doctor, graph, mcp, plain, search, tour, trust};

/// How a command ends that does not fail.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Exit {
    /// Found, or done.
    Found,
    /// The answer is empty.
    Nothing,
}

/// What the panic said, for the report.
static PANIC: Mutex<String> = Mutex::new(String::new());

pub(crate) fn main() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => return refuse(&error),
    };
    let json = cli.global.json;
    let stop = stop::listen();
    panic::set_hook(Box::new(|info| {
        *PANIC.lock().unwrap_or_else(PoisonError::into_inner) = info.to_string();
    }));
    // Over this protocol the standard output is nobody's but the protocol's, and no JSON of ours may stand in it.
    if let Command::Mcp(mcp) = &cli.command {
        let outcome = start(&cli.global).and_then(|()| mcp::run(mcp, &cli.global, stop.clone()));
        return end(outcome, &stop, false, Output::words_paint_of(cli.global.color));
    }
    let mut output = Output::new(cli.global.color, cli.global.quiet, cli.global.verbose);
    let paint = output.words_paint;
    let stopped = stop.clone();
    let outcome = panic::catch_unwind(AssertUnwindSafe(|| {
        let exit = start(&cli.global).and_then(|()| run(cli, stop, &mut output))?;
        output.flush()?;
        Ok(exit)
    }));
    let _ = output.flush();
    drop(output);
    let outcome: Result<Exit, Failure> = outcome.unwrap_or_else(|_| Err(bug().into()));
    end(outcome, &stopped, json, paint)
}

/// The error for a panic, the last one that there was.
pub(crate) fn bug() -> ToolError {
    let what = PANIC.lock().unwrap_or_else(PoisonError::into_inner).clone();
    let error = ToolError::new(ErrorKind::Internal, format!("vise has a bug: {}", what.replace('\n', " ")));
    error.hint("please report it, with the command and, if you may, the file")
}

fn end(outcome: Result<Exit, Failure>, stopped: &AtomicBool, json: bool, paint: Paint) -> ExitCode {
    match outcome {
        Ok(Exit::Found) => ExitCode::SUCCESS,
        Ok(Exit::Nothing) => ExitCode::from(1),
        Err(_) if stopped.load(Ordering::Relaxed) => ExitCode::from(INTERRUPTED),
        // Who closed the pipe has seen enough.
        Err(Failure::Output(error)) if error.kind() == io::ErrorKind::BrokenPipe => ExitCode::SUCCESS,
        Err(Failure::Output(error)) => {
            let message = format!("the output cannot be written: {error}");
            let _ = show_error(&ToolError::new(ErrorKind::Unavailable, message), false, paint);
            ExitCode::from(2)
        }
        Err(Failure::Tool(error)) => {
            let _ = show_error(&error, json, paint);
            ExitCode::from(if error.kind == ErrorKind::NotFound { 1 } else { 2 })
        }
    }
}

/// What clap says: help and version are answers, everything else is bad input.
fn refuse(error: &clap::Error) -> ExitCode {
    let asked = matches!(error.kind(), Clap::DisplayHelp | Clap::DisplayVersion);
    let before_dashes = std::env::args_os().skip(1).take_while(|argument| argument != "--");
    let json = before_dashes.into_iter().any(|argument| argument == "--json");
    if asked || !json {
        let _ = error.print();
        return ExitCode::from(if asked { 0 } else { 2 });
    }
    let text = error.to_string();
    let mut lines = text.trim().lines().map(str::trim).filter(|line| !line.is_empty());
    let message = lines.next().unwrap_or_default().trim_start_matches("error: ").replace('\'', "`");
    let hint = lines.collect::<Vec<_>>().join(" ");
    let _ = show_error(&ToolError::bad_input(message).hint(hint), true, Paint::default());
    ExitCode::from(2)
}

fn start(global: &Global) -> Result<(), Failure> {
    // More threads than this only wait for each other.
    let threads = global.threads.min(256);
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build_global();
    pool.map_err(|error| ToolError::new(ErrorKind::Unavailable, format!("no threads can be started: {error}")).into())
}

fn run(
    mut cli: Cli,
    stop: std::sync::Arc<std::sync::atomic::AtomicBool>,
    output: &mut Output,
) -> Result<Exit, Failure> {
    let dir = match &mut cli.command {
        Command::Tour(tour) => tour.dir.take(),
        Command::Trust(trust) => trust.dir.take(),
        _ => None,
    };
    if dir.is_some() {
        cli.global.root = dir;
    }
    // What these say and do does not depend on where they are run.
    match &cli.command {
        Command::Completions(completions) => return completions.run(output),
        Command::Man(man) => return man.run(output),
        Command::Hook(hook) => return hook.run(&cli.global, stop, output),
        _ => {}
    }
    let none = Reach::default();
    let reach = match &cli.command {
        Command::AstGrep(search) => &search.reach,
        Command::AstEdit(edit) => &edit.reach,
        _ => &none,
    };
    let may_ask = matches!(cli.command, Command::Lsp(_) | Command::Check(_)) && !cli.global.json && !cli.global.quiet;
    let (mut session, warnings) = environment::session(&cli.global, reach, may_ask, stop)?;
    for warning in &warnings {
        output.warn(warning);
    }
    // The files that a command is about to look at are those of one side of a commit.
    if !matches!(cli.command, Command::Recover(_)) {
        match plain::writing(|| recover_first(&session)) {
            Ok(report) if report.recovered.is_empty() => {}
            Ok(report) => output.warn(report.to_string().trim_end()),
            Err(error) => output.warn(&error.to_string()),
        }
    }
    let progress = Progress::new(cli.global.quiet);
    session.progress = progress.callback();
    session.saying = progress.saying();
    let json = cli.global.json;
    match &cli.command {
        Command::Graph(ask) => graph::run(ask, &mut session, json, output, &progress),
        Command::AstGrep(input) => search::run(input, &mut session, json, output, &progress),
        Command::AstEdit(edit) => {
            let report = edit.input.run(&session);
            progress.finish();
            let report = report?;
            let text = |output: &Output| report.text(output.paint, None).into_bytes();
            answer(output, json, &report, text)?;
            Ok(if report.proposal.is_some() { Exit::Found } else { Exit::Nothing })
        }
        Command::Lsp(input) => {
            let report = input.run(&session);
            progress.finish();
            let report = report?;
            answer(output, json, &report, |output| report.text(output.paint, None).into_bytes())?;
            Ok(if report.is_empty() { Exit::Nothing } else { Exit::Found })
        }
        Command::Check(input) => {
            let report = input.run(&session);
            progress.finish();
            let report = report?;
            answer(output, json, &report, |output| report.text(output.paint).into_bytes())?;
            // As linters do: nothing to report is success.
            Ok(if report.is_clean() { Exit::Found } else { Exit::Nothing })
        }
        Command::Daemon(command) => daemon::run(command.what, &cli.global, &session, output),
        Command::Doctor => doctor::run(&cli.global, &session, output),
        Command::Trust(_) => {
            trust::trust(&session.root, &Around::ours())?;
            let root = session.root.display().to_string();
            answer(output, json, &serde_json::json!({"trusted": root}), |_| {
                format!("`{root}` is trusted, for as long as its configuration stays as it is\n").into_bytes()
            })?;
            Ok(Exit::Found)
        }
        Command::Write(input) => plain::write(input, &session, json, output),
        Command::Edit(flags) => plain::edit(flags, &session, json, output),
        Command::ApplyPatch(input) => plain::patch(input, &session, json, output),
        Command::Proposals(input) => {
            let report = input.run(&session)?;
            answer(output, json, &report, |output| report.text(output.paint).into_bytes())?;
            Ok(if report.proposals.is_empty() { Exit::Nothing } else { Exit::Found })
        }
        Command::Show(ShowFlags { input, format }) => {
            let report = input.run(&session)?;
            let json = json || *format == Format::Json;
            answer(output, json, &report, |output| match format {
                Format::Patch => report.patch(),
                _ => report.text(output.paint, None).into_bytes(),
            })?;
            Ok(Exit::Found)
        }
        Command::Resolve(input) => {
            let report = plain::writing(|| input.run(&session))?;
            answer(output, json, &report, |_| report.to_string().into_bytes())?;
            Ok(Exit::Found)
        }
        Command::Undo(input) => {
            let report = plain::writing(|| input.run(&session))?;
            answer(output, json, &report, |_| report.to_string().into_bytes())?;
            Ok(Exit::Found)
        }
        Command::Recover(input) => {
            let report = plain::writing(|| input.run(&session))?;
            answer(output, json, &report, |_| report.to_string().into_bytes())?;
            Ok(Exit::Found)
        }
        Command::Init(init) => init.run(&session, json, output),
        // They have no session of their own, and were run above.
        Command::Mcp(_) | Command::Hook(_) | Command::Completions(_) | Command::Man(_) => Ok(Exit::Found),
        Command::Tour(_) => {
            session.progress = None;
            tour::run(session, &cli.global, output)
        }
        Command::Dump(input) => {
            let report = input.run(&session)?;
            answer(output, json, &report, |_| report.to_string().into_bytes())?;
            Ok(Exit::Found)
        }
    }
}

/// Prints a report as one JSON object, or as text.
pub(crate) fn answer(
    output: &mut Output,
    json: bool,
    report: &impl Serialize,
    text: impl FnOnce(&Output) -> Vec<u8>,
) -> io::Result<()> {
    if json {
        serde_json::to_writer(JsonOut(output), report).map_err(io::Error::from)?;
        return output.data(b"\n");
    }
    let text = text(output);
    output.data(&text)
}

/// The output as a writer of data.
struct JsonOut<'a>(&'a mut Output);

impl io::Write for JsonOut<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.data(bytes).map(|()| bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}
