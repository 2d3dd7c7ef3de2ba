//! Breakpoints as they are written, looked up: files on the disk, symbols in the code graph.

use std::fs;
use std::path::{Path, PathBuf};

use vise_dap::{Spot, WrittenPlace, line_with, place, read_spot};
use vise_workspace::{absolute, shown_path};

use crate::graph::definitions;
use crate::{Session, ToolError};

/// The places to stop at; a symbol that several things are called by is all of them.
pub(super) fn spots(session: &Session, given: &[String]) -> Result<Vec<Spot>, ToolError> {
    let mut all = Vec::new();
    for asked in given {
        let written = read_spot(asked)?;
        let spot = |file: PathBuf, line: usize, by_line: bool| Spot {
            asked: asked.clone(),
            file,
            line,
            by_line,
            hit: written.hit,
            condition: written.condition.clone(),
        };
        match &written.place {
            WrittenPlace::Line(file, line) => {
                let (path, source) = existing(session, file)?;
                let found = line_with(&source, *line, written.text.as_deref(), file)
                    .or_else(|error| if written.text.is_none() { Ok(*line) } else { Err(error) })?;
                all.push(spot(path, found, true));
            }
            WrittenPlace::Symbol(symbol) => {
                for (file, line) in definitions(session, symbol)? {
                    let path = absolute(&session.root, Path::new(&file));
                    let line = match fs::read(&path) {
                        Ok(bytes) if file.ends_with(".py") => first_statement(&String::from_utf8_lossy(&bytes), line),
                        _ => line,
                    };
                    all.push(spot(path, line, false));
                }
            }
        }
    }
    Ok(all)
}

/// A line of a file that is there.
pub(super) fn line(session: &Session, given: &str) -> Result<(PathBuf, usize), ToolError> {
    let (file, line) = place(given)?;
    let (path, source) = existing(session, &file)?;
    let line = line_with(&source, line, None, &file)?;
    Ok((path, line))
}

fn existing(session: &Session, file: &str) -> Result<(PathBuf, String), ToolError> {
    let path = absolute(&session.folder, Path::new(file));
    let missing = |_| {
        ToolError::bad_input(format!("there is no file `{}` to stop in", shown_path(&session.root, &path)))
            .hint("files are named from the current folder, else from the root")
    };
    // Adapters compare paths as text, and what runs has none with links in it.
    let real = path.canonicalize().map_err(missing)?;
    let bytes = fs::read(&real).map_err(missing)?;
    Ok((real, String::from_utf8_lossy(&bytes).into_owned()))
}

/// The line of the first statement in a function of Python that is named on `line`: at its header the program stops when
/// it is defined, not when it is called.
fn first_statement(source: &str, line: usize) -> usize {
    let lines: Vec<&str> = source.lines().collect();
    let (mut depth, mut at) = (0i64, line.saturating_sub(1));
    while let Some(text) = lines.get(at) {
        let code = text.split('#').next().unwrap_or_default().trim_end();
        depth += code.matches(['(', '[', '{']).count() as i64 - code.matches([')', ']', '}']).count() as i64;
        if depth <= 0 && code.ends_with(':') {
            break;
        }
        if depth <= 0 && code.contains("):") {
            return line;
        }
        at += 1;
    }
    let mut quoted: Option<&str> = None;
    for (index, text) in lines.iter().enumerate().skip(at + 1) {
        let text = text.trim();
        if let Some(quote) = quoted {
            if text.contains(quote) {
                quoted = None;
            }
            continue;
        }
        if text.is_empty() || text.starts_with('#') {
            continue;
        }
        let bare = text.trim_start_matches(['r', 'R', 'u', 'b']);
        match ["\"\"\"", "'''"].into_iter().find(|quote| bare.starts_with(quote)) {
            Some(quote) => quoted = (!bare[3..].contains(quote)).then_some(quote),
            None if bare.starts_with(['"', '\'']) => {}
            None => return index + 1,
        }
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_function_of_python_begins_behind_its_header() {
        let source = "@dec\ndef f(a,\n      b):  # why\n    \"\"\"Says\n    so.\"\"\"\n\n    # and\n    return a\n\ndef g(): return 1\n\ndef h(x):\n    'doc'\n    y = 1\n";
        assert_eq!(first_statement(source, 2), 8);
        assert_eq!(first_statement(source, 10), 10);
        assert_eq!(first_statement(source, 12), 14);
        assert_eq!(first_statement("def f(", 1), 1);
    }
}
