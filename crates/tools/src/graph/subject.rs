//! The symbols that a question is about, or the error that says why there are none.

use std::path::Path;

use serde::{Serialize, Serializer};
use vise_graph::Graph as CodeGraph;
use vise_graph::query::{self, SymbolJson};
use vise_text::shown;
use vise_workspace::{absolute, shown_path};

use crate::{ErrorKind, Session, ToolError};

/// How many names an error suggests.
const SUGGESTIONS: usize = 8;
/// How many candidates an error shows in words; its JSON has all.
const CANDIDATES: usize = 20;

/// The symbols that a text means: one, or with `all` any number but none.
pub(super) fn subjects(session: &Session, graph: &CodeGraph, text: &str, all: bool) -> Result<Vec<u32>, ToolError> {
    let found = query::resolve(graph, &from_root(session, graph, text));
    match found.len() {
        0 => Err(not_found(graph, &from_root(session, graph, text))),
        1 => Ok(found),
        _ if all => Ok(found),
        count => Err(candidates(graph, text, &found, count)),
    }
}

/// The text with its file, if it names one from the current folder, as answers name it.
pub(super) fn from_root(session: &Session, graph: &CodeGraph, text: &str) -> String {
    let ends = [text.len()].into_iter().chain(text.match_indices([':', '#']).map(|(at, _)| at));
    for end in ends {
        let (path, rest) = text.split_at(end);
        let named = shown_path(&session.root, &absolute(&session.folder, Path::new(path)));
        if !path.is_empty() && graph.file_named(&named).is_some() {
            return format!("{named}{rest}");
        }
    }
    text.to_owned()
}

/// Nothing has the name.
pub(super) fn not_found(graph: &CodeGraph, text: &str) -> ToolError {
    if let Some(error) = no_place(graph, text) {
        return error.with("suggestions", Symbols { graph, symbols: &[] });
    }
    let near = query::suggest(graph, text, SUGGESTIONS);
    let error = ToolError::new(ErrorKind::NotFound, format!("no symbol is called `{text}`"));
    let hint = if near.is_empty() {
        "`outline` lists what a file or folder defines, `find` takes patterns (`*Store*`)".to_owned()
    } else {
        format!("these are near:\n{}", lines(graph, &near).join("\n"))
    };
    error.hint(hint).with("suggestions", Symbols { graph, symbols: &near })
}

/// The error for FILE:LINE that leads nowhere.
fn no_place(graph: &CodeGraph, text: &str) -> Option<ToolError> {
    let (path, line) = text.rsplit_once(':')?;
    let line: u32 = line.parse().ok()?;
    let error = |message| Some(ToolError::new(ErrorKind::NotFound, message));
    match graph.file_named(path) {
        Some(file) => {
            let lines = graph.file(file).lines;
            error(format!("`{path}` has no line {line}: it has {lines}"))
        }
        None if path.contains(['/', '.']) => {
            let error = error(format!("there is no file `{path}` in the graph"))?;
            Some(error.hint("files are named from the root; `status` lists what is left out"))
        }
        None => None,
    }
}

pub(super) fn candidates(graph: &CodeGraph, text: &str, found: &[u32], count: usize) -> ToolError {
    let mut listed = lines(graph, &found[..count.min(CANDIDATES)]);
    if count > CANDIDATES {
        listed.push(format!("  … and {} more", count - CANDIDATES));
    }
    ToolError::bad_input(format!("`{text}` means {count} symbols"))
        .hint(format!(
            "say which, by more of its qualified name or as FILE:LINE, or take all of them (`all`):\n{}",
            listed.join("\n")
        ))
        .with("candidates", Symbols { graph, symbols: found })
}

/// A line for each symbol: where it is, what it is.
fn lines(graph: &CodeGraph, symbols: &[u32]) -> Vec<String> {
    let line = |ix: &u32| {
        let symbol = graph.symbol(*ix);
        let text = format!("  {}:{}  {} {}", symbol.file, symbol.line, symbol.kind.as_str(), symbol.qualified);
        shown(text.as_bytes())
    };
    symbols.iter().map(line).collect()
}

struct Symbols<'g> {
    graph: &'g CodeGraph,
    symbols: &'g [u32],
}

impl Serialize for Symbols<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.symbols.iter().map(|ix| SymbolJson { graph: self.graph, ix: *ix }))
    }
}
