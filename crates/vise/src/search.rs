//! `vise ast-grep`: shows what the search finds as it comes.

use std::io;
use std::ops::ControlFlow;

use serde::Serialize;
use vise_tools::{
    ErrorKind, FoundIn, Role, Session, Summary, TextOptions, ToolError, json_lines, shown, summary_line, summary_text,
    text_of,
};

use crate::cli::Search;
use crate::output::{Failure, Output};
use crate::progress::Progress;
use crate::run::Exit;

/// How many files' matches are turned into text at once: enough for all threads, and little memory.
const AT_ONCE: usize = 32;

/// The line of JSON for a file with `--count` and `--files`.
#[derive(Serialize)]
struct FileLine<'a> {
    file: &'a str,
    matches: usize,
}

pub(crate) fn run(
    search: &Search,
    session: &mut Session,
    json: bool,
    output: &mut Output,
    progress: &Progress,
) -> Result<Exit, Failure> {
    if search.stdin {
        let text = standard_input(session.max_file_bytes)?;
        if text.contains(&0) {
            return Err(ToolError::bad_input("the standard input holds NUL bytes: it is no text").into());
        }
        session.piped = Some(text);
    }
    let around = search.around.unwrap_or(0);
    let options = TextOptions {
        paint: output.paint,
        before: search.before.unwrap_or(around),
        after: search.after.unwrap_or(around),
        match_lines: None,
    };
    let of_files = search.count || search.files;
    // Where files are listed, the limit is one of files.
    let (max, mut files_left) = match search.input.max {
        Some(max) if of_files => (None, max),
        max => (max, usize::MAX),
    };
    let mut files_cut = false;
    let mut written: io::Result<()> = Ok(());
    let summary = search.input.search(session, max, &mut |found: Vec<FoundIn>| {
        for found in found.chunks(AT_ONCE) {
            let lines = if of_files {
                files_cut |= found.len() > files_left;
                let shown = &found[..found.len().min(files_left)];
                files_left -= shown.len();
                file_lines(shown, search, json, output)
            } else if json {
                json_lines(found)
            } else {
                text_of(found, &options)
            };
            let on_terminal = output.on_terminal;
            let mut write = || {
                lines.iter().try_for_each(|line| output.data(line))?;
                if on_terminal { output.flush() } else { Ok(()) }
            };
            written = if on_terminal { progress.aside(write) } else { write() };
            if written.is_err() {
                return ControlFlow::Break(());
            }
        }
        ControlFlow::Continue(())
    });
    progress.finish();
    written?;
    let mut summary = summary?;
    summary.truncated |= files_cut;
    if json {
        output.data(&summary_line(&summary))?;
        output.flush()?;
    } else {
        say(&summary, search, output)?;
    }
    Ok(if summary.matches > 0 { Exit::Found } else { Exit::Nothing })
}

fn say(summary: &Summary, search: &Search, output: &mut Output) -> io::Result<()> {
    let mut words = String::new();
    if let (true, Some(max)) = (summary.truncated, search.input.max) {
        words = format!("only the first {max} are shown (`--max`)\n");
    }
    words.push_str(&summary_text(summary, output.words_paint));
    if output.verbose {
        for skip in &summary.skipped {
            words.push_str(&format!("skipped, {}: {}\n", skip.why.replace('_', " "), shown(skip.file.as_bytes())));
        }
        for reading in &summary.readings {
            words.push_str(&format!("rung {}: {}, {} matches\n", reading.rung, reading.reading, reading.matches));
        }
    }
    output.words(&words)
}

fn file_lines(found: &[FoundIn], search: &Search, json: bool, output: &Output) -> Vec<Vec<u8>> {
    let line = |found: &FoundIn| {
        let matches = found.matches.len();
        if json {
            let mut line = serde_json::to_vec(&FileLine { file: &found.file, matches }).unwrap_or_default();
            line.push(b'\n');
            return line;
        }
        let file = output.paint.words(Role::Path, &shown(found.file.as_bytes()));
        if search.count { format!("{file}:{matches}\n").into_bytes() } else { format!("{file}\n").into_bytes() }
    };
    found.iter().map(line).collect()
}

/// The text on the standard input, as long as it is not longer than a file may be.
pub(crate) fn standard_input(max_bytes: u64) -> Result<Vec<u8>, ToolError> {
    use std::io::Read as _;
    let mut text = Vec::new();
    io::stdin().lock().take(max_bytes.saturating_add(1)).read_to_end(&mut text).map_err(|error| {
        ToolError::new(ErrorKind::Unavailable, format!("the standard input cannot be read: {error}"))
    })?;
    if text.len() as u64 > max_bytes {
        let message = format!("the standard input is longer than {max_bytes} bytes");
        return Err(ToolError::bad_input(message).hint("`max_file_bytes` of `[search]` in the configuration says so"));
    }
    Ok(text)
}
