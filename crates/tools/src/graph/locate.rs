//! Where a symbol is defined, for whoever changes it.

use std::path::Path;

use vise_graph::{Graph as CodeGraph, SymbolKind, SymbolView};
use vise_workspace::{absolute, shown_path};

use super::index;
use super::subject::{candidates, subjects};
use crate::{ErrorKind, Session, ToolError};

/// A definition, with what else has a name on its lines.
pub(crate) struct Located {
    /// From the root.
    pub(crate) file: String,
    pub(crate) language: String,
    pub(crate) name: String,
    pub(crate) qualified: String,
    /// The line of its name, from 1.
    pub(crate) line: usize,
    /// Its first and last line.
    pub(crate) lines: (usize, usize),
    /// Names of symbols that are not part of it and have a line in common with it, each with the line of the name.
    pub(crate) beside: Vec<(String, usize)>,
}

/// Finds the one symbol that `text` means, in `file` where one is given.
pub(crate) fn locate(session: &Session, text: &str, file: Option<&Path>) -> Result<Located, ToolError> {
    let opened = index::open(session)?;
    let graph = &opened.graph;
    let mut found = subjects(session, graph, text, true)?;
    if let Some(file) = file {
        let file = shown_path(&session.root, &absolute(&session.folder, file));
        found.retain(|ix| graph.symbol(*ix).file == file);
        if found.is_empty() {
            let message = format!("no symbol in `{file}` is called `{text}`");
            return Err(ToolError::new(crate::ErrorKind::NotFound, message)
                .hint("`graph` with `outline` lists what a file defines"));
        }
    }
    let [ix] = found[..] else { return Err(candidates(graph, text, &found, found.len())) };
    let symbol = graph.symbol(ix);
    if symbol.kind == SymbolKind::Module {
        return Err(ToolError::bad_input(format!("`{text}` is a whole file")).hint("`write` gives it a new content"));
    }
    let lines = (symbol.start_line.min(symbol.line) as usize, symbol.end_line.max(symbol.line) as usize);
    let beside = graph.file(symbol.file_ix).symbols.map(|other| graph.symbol(other)).filter(|other| {
        let first = other.start_line.min(other.line) as usize;
        let last = other.end_line.max(other.line) as usize;
        let within = first > lines.0 && last < lines.1;
        // What is around shares a line only if it begins or ends on one.
        let around = first < lines.0 && last > lines.1;
        let apart = last < lines.0 || first > lines.1;
        other.kind != SymbolKind::Module && !within && !around && !apart && !is_part(graph, *other, ix)
    });
    Ok(Located {
        file: symbol.file.to_owned(),
        language: symbol.language.to_owned(),
        name: symbol.name.to_owned(),
        qualified: symbol.qualified.to_owned(),
        line: symbol.line as usize,
        lines,
        beside: beside.map(|other| (other.name.to_owned(), other.line as usize)).collect(),
    })
}

/// Whether `other` is the symbol `ix` or something in it.
fn is_part(graph: &CodeGraph, other: SymbolView<'_>, ix: u32) -> bool {
    let outer = |at: &u32| graph.symbol(*at).container;
    std::iter::successors(Some(other.ix), outer).take(graph.symbols() as usize).any(|at| at == ix)
}

/// The files and lines of everything that `text` means, for whoever wants to stop there.
pub(crate) fn definitions(session: &Session, text: &str) -> Result<Vec<(String, usize)>, ToolError> {
    let opened = index::open(session)?;
    let graph = &opened.graph;
    // A name that nothing has is a mistake in the question here.
    let found =
        subjects(session, graph, text, true).map_err(|error| ToolError { kind: ErrorKind::BadInput, ..error })?;
    let place = |ix: u32| {
        let symbol = graph.symbol(ix);
        (symbol.file.to_owned(), symbol.line as usize)
    };
    let mut places: Vec<_> = found.into_iter().map(place).collect();
    places.sort();
    places.dedup();
    Ok(places)
}
