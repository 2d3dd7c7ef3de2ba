//! `vise graph`: the questions to the code graph as commands.

mod view;

use std::io::{self, Read as _};
use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::{Args, Subcommand};
use vise_tools::{
    ErrorKind, ExportForm, Graph, GraphOp, GraphReport, Import, MAX_INDEX_BYTES, Session, ToolError, shown,
};

use crate::output::{Failure, Output};
use crate::progress::Progress;
use crate::run::{Exit, answer};

/// Ask the code graph what is here and what depends on it
#[derive(Debug, Args)]
pub(crate) struct Ask {
    #[command(subcommand)]
    question: Question,
    #[command(flatten)]
    shared: Shared,
}

/// Flags that every question takes.
#[derive(Debug, Args)]
#[command(next_help_heading = "Of every question")]
struct Shared {
    /// Of several symbols with the name take all, instead of listing them
    #[arg(long, global = true)]
    all: bool,
    /// Cut the answer to about N tokens
    #[arg(long, global = true, value_name = "N")]
    tokens: Option<usize>,
    /// Give at most N rows of each list
    #[arg(long, global = true, value_name = "N")]
    max: Option<usize>,
    /// Index more files than `max_files` of the configuration allows
    #[arg(long, global = true)]
    yes: bool,
    /// Answer again whenever the files change, until interrupted
    #[arg(long, global = true)]
    watch: bool,
}

/// What is asked about.
#[derive(Debug, Args)]
struct Symbol {
    /// A name, the end of a qualified name (`Store.save`, any separators), or FILE:LINE
    #[arg(value_name = "SYM")]
    symbol: String,
}

/// Where to look.
#[derive(Debug, Args)]
struct Place {
    /// A file or folder; the whole workspace if there is none
    #[arg(value_name = "PATH")]
    path: Option<PathBuf>,
}

#[derive(Debug, Subcommand)]
enum Question {
    /// Index what changed, and say what there is; every question does so by itself
    Index,
    /// Say what is indexed, and what is left out
    Status,
    /// Find symbols by name
    Find {
        /// A name, the end of a qualified name, or a pattern: `*` any number of letters, `?` one
        #[arg(value_name = "NAME")]
        name: String,
    },
    /// List what a file or folder defines
    Outline {
        #[command(flatten)]
        place: Place,
        /// So many levels deep
        #[arg(long, value_name = "N")]
        depth: Option<u32>,
    },
    /// Show the files and symbols that matter most, as many as fit
    Map(Place),
    /// List the symbols that most depends on
    Hubs,
    /// Show a symbol with its source, callers, callees and tests
    Context(Symbol),
    /// List who calls a symbol or makes instances of it
    Callers(Symbol),
    /// List what a symbol calls or makes instances of
    Callees(Symbol),
    /// List every use of a symbol
    References(Symbol),
    /// List everything that depends on a symbol, near and far
    Impact {
        #[command(flatten)]
        symbol: Symbol,
        /// At most so many steps away
        #[arg(long, value_name = "N")]
        depth: Option<u32>,
    },
    /// Show how one symbol comes to another
    Path {
        /// Where it begins
        #[arg(value_name = "FROM")]
        from: String,
        /// Where it ends
        #[arg(value_name = "TO")]
        to: String,
    },
    /// List functions and types that nothing uses
    Unused(Place),
    /// List circles of files that import each other
    Cycles {
        /// Of symbols that call each other
        #[arg(long)]
        symbols: bool,
    },
    /// List the tests that reach a symbol
    Tests(Symbol),
    /// Draw a symbol with what depends on it to the left and what it depends on to the right
    View {
        #[command(flatten)]
        symbol: Symbol,
        /// So many steps each way; 2 by default
        #[arg(long, value_name = "N")]
        depth: Option<u32>,
        #[command(flatten)]
        target: view::Target,
    },
    /// Write the whole graph in another program's form
    Export {
        /// Which
        #[arg(long, value_enum)]
        format: ExportForm,
        /// The file to write, of `parquet` the folder; the standard output if there is none
        #[arg(long, value_name = "PATH")]
        out: Option<PathBuf>,
    },
    /// Take over what a compiler knows: edges of its SCIP index count more than any other
    #[command(group(clap::ArgGroup::new("import").required(true).args(["file", "remove"])))]
    Import {
        /// The index, as `rust-analyzer scip`, `scip-python index` and the like make it
        #[arg(value_name = "FILE")]
        file: Option<PathBuf>,
        /// What to call the tool; by default what the index calls it
        #[arg(long, value_name = "NAME", requires = "file")]
        tool: Option<String>,
        /// Forget what TOOL said; `status` lists the tools
        #[arg(long, value_name = "TOOL")]
        remove: Option<String>,
    },
    /// Ask in SQL: tables `symbols`, `edges`, `references` and `files`, to read only
    Sql {
        /// One statement: `SELECT name, file FROM symbols WHERE kind = 'class'`
        #[arg(value_name = "STATEMENT")]
        sql: String,
    },
    /// List what the changes since a revision touch: symbols, what depends on them, tests
    Diff {
        /// The revision that the working tree is compared with; HEAD by default
        #[arg(value_name = "REV")]
        rev: Option<String>,
        /// Of what depends on it, at most so many steps away
        #[arg(long, value_name = "N")]
        depth: Option<u32>,
    },
}

impl Ask {
    /// The tool's input, unless it is not a question.
    fn input(&self) -> Option<Graph> {
        let Shared { all, tokens, max, .. } = self.shared;
        let ask = Graph { all, tokens, max, ..Graph::default() };
        let about = |op, symbol: &Symbol| Graph { op, symbol: Some(symbol.symbol.clone()), ..ask.clone() };
        let at = |op, place: &Place| Graph { op, path: place.path.clone(), ..ask.clone() };
        Some(match &self.question {
            Question::Export { .. } | Question::Import { .. } | Question::View { .. } => return None,
            Question::Index => Graph { op: GraphOp::Index, ..ask },
            Question::Status => Graph { op: GraphOp::Status, ..ask },
            Question::Find { name } => Graph { op: GraphOp::Find, symbol: Some(name.clone()), ..ask },
            Question::Outline { place, depth } => Graph { depth: *depth, ..at(GraphOp::Outline, place) },
            Question::Map(place) => at(GraphOp::Map, place),
            Question::Hubs => Graph { op: GraphOp::Hubs, ..ask },
            Question::Context(symbol) => about(GraphOp::Context, symbol),
            Question::Callers(symbol) => about(GraphOp::Callers, symbol),
            Question::Callees(symbol) => about(GraphOp::Callees, symbol),
            Question::References(symbol) => about(GraphOp::References, symbol),
            Question::Impact { symbol, depth } => Graph { depth: *depth, ..about(GraphOp::Impact, symbol) },
            Question::Path { from, to } => {
                Graph { op: GraphOp::Path, symbol: Some(from.clone()), to: Some(to.clone()), ..ask }
            }
            Question::Unused(place) => at(GraphOp::Unused, place),
            Question::Cycles { symbols } => Graph { op: GraphOp::Cycles, symbols: *symbols, ..ask },
            Question::Tests(symbol) => about(GraphOp::Tests, symbol),
            Question::Sql { sql } => Graph { op: GraphOp::Sql, sql: Some(sql.clone()), ..ask },
            Question::Diff { rev, depth } => Graph { op: GraphOp::Diff, rev: rev.clone(), depth: *depth, ..ask },
        })
    }
}

pub(crate) fn run(
    ask: &Ask,
    session: &mut Session,
    json: bool,
    output: &mut Output,
    progress: &Progress,
) -> Result<Exit, Failure> {
    session.graph.yes = ask.shared.yes;
    if let Question::Export { format, out } = &ask.question {
        return export(*format, out.as_deref(), session, output, progress);
    }
    match &ask.question {
        Question::Import { remove: Some(tool), .. } => {
            return import(&Import::Remove { tool: tool.clone() }, session, json, output, progress);
        }
        Question::Import { file: Some(file), tool, .. } => {
            let index = index(session, file, tool.clone())?;
            return import(&index, session, json, output, progress);
        }
        Question::View { symbol, depth, target } => {
            let Shared { all, max, .. } = ask.shared;
            let input = Graph { symbol: Some(symbol.symbol.clone()), depth: *depth, all, max, ..Graph::default() };
            return view::run(&input, target, session, json, output, progress);
        }
        _ => {}
    }
    let Some(input) = ask.input() else { return Ok(Exit::Nothing) };
    let report = input.ask(session);
    progress.finish();
    let report = report?;
    show(&report, json, output)?;
    if !ask.shared.watch {
        return Ok(if report.is_empty() { Exit::Nothing } else { Exit::Found });
    }
    session.progress = None;
    watch(&input, session, json, output, report)
}

/// Writes the graph to a file, a folder of files, or the standard output. What is written goes where the shell would put
/// it, though questions are asked from the root that was named.
fn export(
    format: ExportForm,
    path: Option<&Path>,
    session: &Session,
    output: &mut Output,
    progress: &Progress,
) -> Result<Exit, Failure> {
    let exported = match (format, path) {
        (ExportForm::Parquet, Some(folder)) => {
            let (exported, files) = format.files(session)?;
            std::fs::create_dir_all(folder).map_err(|error| cannot_write(folder, &error))?;
            for (name, bytes) in files {
                let path = folder.join(name);
                std::fs::write(&path, bytes).map_err(|error| cannot_write(&path, &error))?;
            }
            exported
        }
        (_, Some(path)) => {
            let mut bytes = Vec::new();
            let exported = format.write(session, &mut bytes)??;
            std::fs::write(path, bytes).map_err(|error| cannot_write(path, &error))?;
            exported
        }
        (_, None) => format.write(session, &mut Data(output))??,
    };
    progress.finish();
    for warning in &exported.warnings {
        output.warn(warning);
    }
    Ok(if exported.is_empty { Exit::Nothing } else { Exit::Found })
}

/// Takes over an index, or forgets one.
fn import(
    import: &Import,
    session: &Session,
    json: bool,
    output: &mut Output,
    progress: &Progress,
) -> Result<Exit, Failure> {
    let report = import.run(session);
    progress.finish();
    let report = report?;
    for warning in &report.warnings {
        output.warn(warning);
    }
    answer(output, json, &report, |_| report.to_string().into_bytes())?;
    Ok(Exit::Found)
}

/// Reads an index.
fn index(session: &Session, file: &Path, tool: Option<String>) -> Result<Import, ToolError> {
    let name = file.display().to_string();
    let failed = |error: io::Error| match error.kind() {
        io::ErrorKind::NotFound => ToolError::bad_input(format!("no such file: `{name}`")),
        _ => ToolError::new(ErrorKind::Unavailable, format!("`{name}` cannot be read: {error}")),
    };
    let opened = std::fs::File::open(session.folder.join(file)).map_err(failed)?;
    if !opened.metadata().map_err(failed)?.is_file() {
        return Err(ToolError::bad_input(format!("`{name}` is not a file")));
    }
    let mut bytes = Vec::new();
    opened.take(MAX_INDEX_BYTES + 1).read_to_end(&mut bytes).map_err(failed)?;
    if bytes.len() as u64 > MAX_INDEX_BYTES {
        let error = ToolError::bad_input(format!("`{name}` is longer than {} MB", MAX_INDEX_BYTES >> 20));
        return Err(error.hint("make an index of each part of the project, and import one after the other"));
    }
    Ok(Import::Index { name, bytes, tool })
}

fn cannot_write(path: &Path, error: &io::Error) -> ToolError {
    ToolError::new(ErrorKind::Unavailable, format!("`{}` cannot be written: {error}", path.display()))
}

/// The data of a command as something to write to.
struct Data<'o>(&'o mut Output);

impl io::Write for Data<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.data(bytes)?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

fn show(report: &GraphReport, json: bool, output: &mut Output) -> Result<(), Failure> {
    for warning in report.warnings() {
        output.warn(warning);
    }
    answer(output, json, report, |output| report.text(output.paint).into_bytes())?;
    Ok(())
}

/// How long the files are left alone between two looks.
const PAUSE: Duration = Duration::from_secs(1);
/// How soon an interrupt is seen.
const TICK: Duration = Duration::from_millis(50);

/// Looks at the files again and again, and answers whenever they changed.
fn watch(
    input: &Graph,
    session: &Session,
    json: bool,
    output: &mut Output,
    first: GraphReport,
) -> Result<Exit, Failure> {
    let mut last = Said::Answer(first.generation());
    drop(first);
    loop {
        output.flush()?;
        let mut waited = Duration::ZERO;
        while waited < PAUSE && !session.stopped() {
            std::thread::sleep(TICK);
            waited += TICK;
        }
        if session.stopped() {
            return Ok(Exit::Found);
        }
        match input.ask(session) {
            // Where no generation can be kept its number says nothing, but then each look reads the changed files.
            Ok(report) => {
                let now = Said::Answer(report.generation());
                if last != now || report.changed {
                    show(&report, json, output)?;
                    last = now;
                }
            }
            Err(_) if session.stopped() => return Ok(Exit::Found),
            // A symbol that is gone may come back with the next edit.
            Err(error) => {
                let now = Said::Error(error.message.clone());
                if last != now {
                    say(&error, json, output)?;
                    last = now;
                }
            }
        }
    }
}

/// What was said last, so that it is not said twice.
#[derive(PartialEq, Eq)]
enum Said {
    Answer(u64),
    Error(String),
}

fn say(error: &ToolError, json: bool, output: &mut Output) -> io::Result<()> {
    if json {
        let mut line = serde_json::to_vec(&serde_json::json!({ "error": error })).unwrap_or_default();
        line.push(b'\n');
        return output.data(&line);
    }
    output.words(&format!("{}\n", shown(error.to_string().as_bytes())))
}
