//! `vise write`, `edit` and `apply-patch`: the flags, and the text that comes by the standard input.

use std::path::PathBuf;
use std::sync::atomic::Ordering;

use clap::Args;
use vise_tools::{Action, ApplyPatch, Edit, Input as _, PlainReport, Session, ToolError, Write};

use crate::output::{Failure, Output};
use crate::run::{Exit, answer};
use crate::search::standard_input;
use crate::stop;

/// `edit`: with a text, or with a symbol.
#[derive(Debug, Args)]
#[command(override_usage = "vise edit [OPTIONS] <FILE> <OLD> <NEW>\n       \
    vise edit [OPTIONS] --symbol <SYMBOL> <--replace|--before|--after|--delete> < TEXT")]
pub(crate) struct EditFlags {
    /// The file
    #[arg(value_name = "FILE", required_unless_present = "symbol", conflicts_with = "symbol")]
    path: Option<PathBuf>,
    /// The text that is there, exactly; it must be there once
    #[arg(value_name = "OLD", required_unless_present = "symbol", allow_hyphen_values = true)]
    old: Option<String>,
    /// The text to put in its place
    #[arg(value_name = "NEW", required_unless_present = "symbol", allow_hyphen_values = true)]
    new: Option<String>,
    /// Replace every place of OLD
    #[arg(long, conflicts_with = "symbol")]
    all: bool,
    /// Change a symbol: a name, the end of a qualified name, or FILE:LINE
    #[arg(long, value_name = "SYMBOL", requires = "action")]
    symbol: Option<String>,
    /// The file of the symbol, where several symbols have the name
    #[arg(long, value_name = "FILE", requires = "symbol")]
    file: Option<PathBuf>,
    #[command(flatten)]
    action: ActionFlags,
    /// Stop at the proposal
    #[arg(long)]
    prepare: bool,
}

/// What to do with a symbol; the text comes by the standard input.
#[derive(Debug, Args)]
#[group(id = "action", multiple = false, requires = "symbol")]
struct ActionFlags {
    /// Put the text on the standard input in place of the symbol's definition
    #[arg(long)]
    replace: bool,
    /// Put the text on the standard input before the symbol and the comments above it
    #[arg(long)]
    before: bool,
    /// Put the text on the standard input after the symbol
    #[arg(long)]
    after: bool,
    /// Remove the symbol and the comments above it
    #[arg(long)]
    delete: bool,
}

impl EditFlags {
    fn input(&self, session: &Session) -> Result<Edit, ToolError> {
        let flags = &self.action;
        let action = [
            (flags.replace, Action::Replace),
            (flags.before, Action::Before),
            (flags.after, Action::After),
            (flags.delete, Action::Delete),
        ];
        let action = action.into_iter().find_map(|(given, action)| given.then_some(action));
        let text = match action {
            None | Some(Action::Delete) => None,
            Some(_) => Some(String::from_utf8(standard_input(session.max_file_bytes)?).map_err(|_| {
                ToolError::bad_input("the text on the standard input is not UTF-8")
                    .hint("`vise write` takes any bytes, as the whole content of a file")
            })?),
        };
        Ok(Edit {
            file: self.path.clone().or_else(|| self.file.clone()),
            old: self.old.clone(),
            new: self.new.clone(),
            all: self.all,
            symbol: self.symbol.clone(),
            action,
            text,
            prepare: self.prepare,
        })
    }
}

pub(crate) fn edit(flags: &EditFlags, session: &Session, json: bool, output: &mut Output) -> Result<Exit, Failure> {
    let input = flags.input(session)?;
    say(writing(|| input.run(session))?, json, output, Exit::Nothing)
}

pub(crate) fn write(input: &Write, session: &Session, json: bool, output: &mut Output) -> Result<Exit, Failure> {
    let input = Write { text: standard_input(session.max_file_bytes)?, ..input.clone() };
    // A file that has the text already is as it was asked for.
    say(writing(|| input.run(session))?, json, output, Exit::Found)
}

pub(crate) fn patch(input: &ApplyPatch, session: &Session, json: bool, output: &mut Output) -> Result<Exit, Failure> {
    let input = ApplyPatch { patch: standard_input(session.max_file_bytes)?, ..input.clone() };
    say(writing(|| input.run(session))?, json, output, Exit::Nothing)
}

/// Runs something that writes files: from its start to its end only the gate itself may stop, which finishes or takes
/// back what it began.
pub(crate) fn writing<T>(run: impl FnOnce() -> T) -> T {
    stop::WRITING.store(true, Ordering::SeqCst);
    let done = run();
    stop::WRITING.store(false, Ordering::SeqCst);
    done
}

fn say(report: PlainReport, json: bool, output: &mut Output, idle: Exit) -> Result<Exit, Failure> {
    answer(output, json, &report, |output| report.text(output.paint, None).into_bytes())?;
    Ok(if matches!(report, PlainReport::Nothing(_)) { idle } else { Exit::Found })
}
