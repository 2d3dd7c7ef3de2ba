//! Which symbols a change of text touches.

use crate::graph::Graph;
use crate::kinds::SymbolKind;

use super::subject::module_of;

/// A file that changed, as it is now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChangedFile {
    /// Relative to the root, with `/`.
    pub file: String,
    /// Which of its lines.
    pub lines: ChangedLines,
}

/// The lines of a file that changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ChangedLines {
    /// All of them: the file is new.
    All,
    /// First and last line of each stretch, from 1. Where lines are gone the last one before them stands for them.
    Some(Vec<(u32, u32)>),
}

/// The innermost symbols around the lines that changed, in order; in a new file every symbol.
pub fn touched(graph: &Graph, changes: &[ChangedFile]) -> Vec<u32> {
    let mut all = Vec::new();
    for change in changes {
        let Some(file) = graph.file_named(&change.file) else { continue };
        let symbols = graph.file(file).symbols;
        match &change.lines {
            ChangedLines::All => all.extend(symbols),
            ChangedLines::Some(stretches) => {
                for &(first, last) in stretches {
                    let last = last.min(graph.file(file).lines.max(first));
                    innermost(graph, file, first, last, &mut all);
                }
            }
        }
    }
    all.sort_unstable();
    all.dedup();
    // Of a file that defines and uses nothing (a page, a table of settings) there is nothing to be said.
    let says_something = |ix: u32| {
        let symbol = graph.symbol(ix);
        symbol.kind != SymbolKind::Module
            || graph.file(symbol.file_ix).symbols.len() > 1
            || graph.out(ix).chain(graph.into(ix)).next().is_some()
    };
    all.retain(|ix| says_something(*ix));
    all
}

/// For each line of a stretch the symbol with the fewest lines around it.
fn innermost(graph: &Graph, file: u32, first: u32, last: u32, all: &mut Vec<u32>) {
    let module = module_of(graph, file);
    let around: Vec<(u32, u32, u32)> = graph
        .file(file)
        .symbols
        .filter(|ix| Some(*ix) != module)
        .map(|ix| graph.symbol(ix))
        .map(|symbol| (symbol.start_line.min(symbol.line), symbol.end_line.max(symbol.line), symbol.ix))
        .filter(|(start, end, _)| *start <= last && first <= *end)
        .collect();
    let mut line = first.max(1);
    while line <= last {
        let on = around.iter().filter(|(start, end, _)| *start <= line && line <= *end);
        let found = on.min_by_key(|(start, end, ix)| (end - start, std::cmp::Reverse(*ix)));
        all.extend(found.map(|(_, _, ix)| *ix).or(module));
        // The next line on which another answer is possible.
        let starts = around.iter().map(|(start, _, _)| *start);
        let ends = around.iter().map(|(_, end, _)| end.saturating_add(1));
        line = starts.chain(ends).filter(|next| *next > line).min().unwrap_or(u32::MAX);
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{graph, names};
    use super::*;

    #[test]
    fn the_innermost_symbols_around_the_lines() {
        let graph = graph(
            "a.py
  class A 3-20
    method f 4-8
    method g 10-20
  function h 22-30
b.py
  function new 1-2
c.py
",
        );
        let at = |file: &str, lines: ChangedLines| {
            names(&graph, &touched(&graph, &[ChangedFile { file: file.to_owned(), lines }]))
        };
        let some = |first, last| ChangedLines::Some(vec![(first, last)]);
        assert_eq!(at("a.py", some(5, 5)), ["a.A.f"]);
        assert_eq!(at("a.py", some(9, 9)), ["a.A"]);
        assert_eq!(at("a.py", some(8, 10)), ["a.A", "a.A.f", "a.A.g"]);
        assert_eq!(at("a.py", some(1, 1)), ["a"]);
        assert_eq!(at("a.py", some(25, 9999)), ["a", "a.h"]);
        assert_eq!(at("a.py", ChangedLines::Some(vec![(5, 5), (23, 24), (6, 6)])), ["a.A.f", "a.h"]);
        assert_eq!(at("b.py", ChangedLines::All), ["b", "b.new"]);
        assert_eq!(at("c.py", ChangedLines::All), [""; 0]);
        assert_eq!(at("gone.py", ChangedLines::All), [""; 0]);
    }
}
