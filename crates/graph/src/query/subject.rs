//! Which symbols a name, a qualified name or a place means.

use std::borrow::Cow;

use crate::graph::Graph;
use crate::kinds::SymbolKind;

/// What separates the parts of a qualified name, in whatever language.
const SEPARATORS: [char; 5] = [':', '.', '#', '/', '\\'];

/// The symbols that a text means, in the order of their places: all of them, so that whoever asked can choose.
///
/// The text is a name, the end of a qualified name with any separators, `FILE::` before one of these, `FILE:LINE`, or
/// the path of a file. Type arguments do not matter. A name means a file's top-level code only where it means nothing
/// else, and a constructor that is called like its type is part of the type.
pub fn resolve(graph: &Graph, text: &str) -> Vec<u32> {
    let text = text.trim();
    if let Some(found) = at_place(graph, text) {
        return found;
    }
    let mut found = spelled(graph, text);
    if found.is_empty() {
        found = in_file(graph, text);
    }
    if found.is_empty() {
        found = graph.file_named(text).and_then(|file| module_of(graph, file)).into_iter().collect();
    }
    found
}

/// As [`resolve`]; a name with `*` (any number of letters) or `?` (one letter) is a pattern over names.
pub fn find(graph: &Graph, text: &str) -> Vec<u32> {
    let found = resolve(graph, text);
    let is_pattern = found.is_empty() && text.contains(['*', '?']);
    if !is_pattern {
        return found;
    }
    // A pattern without capital letters does not look at them, as in an editor's search.
    let fold = !text.chars().any(char::is_uppercase);
    let pattern: Vec<char> = text.trim().chars().collect();
    let mut all: Vec<u32> = graph
        .names()
        .filter(|name| fits(&pattern, &if fold { Cow::Owned(name.to_lowercase()) } else { Cow::Borrowed(*name) }))
        .flat_map(|name| graph.named(name))
        .filter(|ix| graph.symbol(*ix).kind != SymbolKind::Module)
        .collect();
    all.sort_unstable();
    all
}

/// Whether a name fits a pattern of letters, `*` and `?`.
fn fits(pattern: &[char], name: &str) -> bool {
    let name: Vec<char> = name.chars().collect();
    let (mut p, mut n) = (0, 0);
    // Where the last `*` stands, and how far the name had come when it was met.
    let mut star: Option<(usize, usize)> = None;
    while n < name.len() {
        match pattern.get(p) {
            Some('*') => {
                star = Some((p, n));
                p += 1;
            }
            Some(c) if *c == '?' || *c == name[n] => {
                p += 1;
                n += 1;
            }
            _ => match star {
                Some((at, from)) => {
                    star = Some((at, from + 1));
                    p = at + 1;
                    n = from + 1;
                }
                None => return false,
            },
        }
    }
    pattern[p..].iter().all(|c| *c == '*')
}

/// `FILE:LINE`, where FILE is one of the graph: what starts there, else the innermost symbol around it. A column
/// behind the line is passed over, so that a location of another tool will do.
fn at_place(graph: &Graph, text: &str) -> Option<Vec<u32>> {
    let (rest, last) = text.rsplit_once(':')?;
    let last: u32 = last.parse().ok()?;
    if let Some(file) = graph.file_named(rest) {
        return Some(at_line(graph, file, last));
    }
    let (file, line) = rest.rsplit_once(':')?;
    let line: u32 = line.parse().ok()?;
    graph.file_named(file).map(|file| at_line(graph, file, line))
}

fn at_line(graph: &Graph, file: u32, line: u32) -> Vec<u32> {
    let view = graph.file(file);
    // A file's last line end is no line, but an editor shows one.
    if line == 0 || line > view.lines.saturating_add(1) {
        return Vec::new();
    }
    let module = module_of(graph, file);
    let inside = |ix: &u32| {
        let symbol = graph.symbol(*ix);
        Some(*ix) != module && symbol.start_line.min(symbol.line) <= line && line <= symbol.end_line.max(symbol.line)
    };
    let around: Vec<u32> = view.symbols.clone().filter(inside).collect();
    let starts = |ix: &u32| {
        let symbol = graph.symbol(*ix);
        symbol.line == line || symbol.start_line == line
    };
    // Of those that start on the line the outermost, which comes first; with two side by side nobody can tell.
    let starting: Vec<u32> = around.iter().copied().filter(starts).collect();
    if !starting.is_empty() {
        let outer = |ix: &u32| !is_within_any(graph, *ix, &starting);
        return starting.iter().copied().filter(outer).collect();
    }
    let innermost = around.iter().copied().min_by_key(|ix| {
        let symbol = graph.symbol(*ix);
        (symbol.end_line.saturating_sub(symbol.start_line), std::cmp::Reverse(*ix))
    });
    innermost.or(module).into_iter().collect()
}

fn is_within_any(graph: &Graph, ix: u32, others: &[u32]) -> bool {
    let outer = |ix: &u32| graph.symbol(*ix).container;
    std::iter::successors(outer(&ix), outer).take(graph.symbols() as usize).any(|container| others.contains(&container))
}

/// The top-level code of a file.
pub(crate) fn module_of(graph: &Graph, file: u32) -> Option<u32> {
    let first = graph.file(file).symbols.next()?;
    (graph.symbol(first).kind == SymbolKind::Module).then_some(first)
}

/// The symbols that a name or qualified name means, tried as it is, then without what does not matter in it.
fn spelled(graph: &Graph, text: &str) -> Vec<u32> {
    let mut found = by_suffix(graph, text, None);
    let bare = without_type_arguments(text);
    if found.is_empty() {
        found = by_suffix(graph, &bare, None);
    }
    // `f()` and `f(x: int)` mean `f`.
    if found.is_empty()
        && let Some((name, _)) = bare.split_once('(').filter(|_| bare.ends_with(')'))
    {
        found = by_suffix(graph, name, None);
    }
    if found.is_empty()
        && let Some(inside) = bare.strip_prefix("crate::")
    {
        found = by_suffix(graph, inside, None);
    }
    found
}

/// `FILE::NAME`, `FILE#NAME`, `FILE:NAME`.
fn in_file(graph: &Graph, text: &str) -> Vec<u32> {
    for separator in ["::", "#", ":"] {
        if let Some((path, name)) = text.split_once(separator)
            && let Some(file) = graph.file_named(path)
        {
            return by_suffix(graph, &without_type_arguments(name), Some(file));
        }
    }
    Vec::new()
}

/// The symbols whose qualified name ends with a text, whatever the separators in both, in the order of their places.
fn by_suffix(graph: &Graph, text: &str, file: Option<u32>) -> Vec<u32> {
    let mut found: Vec<u32> = Vec::new();
    // A name may hold separators itself (a test's title, an operator), so every way to split is tried.
    let splits = text.match_indices(SEPARATORS).map(|(at, separator)| at + separator.len());
    for at in [0].into_iter().chain(splits) {
        let (before, name) = text.split_at(at);
        if name.is_empty() {
            continue;
        }
        for ix in graph.named(name) {
            let symbol = graph.symbol(ix);
            let fits_file = file.is_none_or(|file| file == symbol.file_ix);
            if fits_file && (at == 0 || has_around(symbol.qualified, symbol.name, before)) {
                found.push(ix);
            }
        }
    }
    found.sort_unstable();
    found.dedup();
    narrowed(graph, found)
}

/// Whether the parts of `before` are the last ones before the name in a qualified name.
fn has_around(qualified: &str, name: &str, before: &str) -> bool {
    let around = qualified.strip_suffix(name).unwrap_or(qualified);
    let around = without_type_arguments(around);
    let before = without_type_arguments(before);
    let mut have = parts(&around).rev();
    parts(&before).rev().all(|part| have.next() == Some(part))
}

fn parts(text: &str) -> impl DoubleEndedIterator<Item = &str> {
    text.split(SEPARATORS).map(str::trim).filter(|part| !part.is_empty())
}

/// Top-level code gives way to everything else, and a constructor to its type.
fn narrowed(graph: &Graph, mut found: Vec<u32>) -> Vec<u32> {
    let is_module = |ix: &u32| graph.symbol(*ix).kind == SymbolKind::Module;
    if found.iter().any(|ix| !is_module(ix)) {
        found.retain(|ix| !is_module(ix));
    }
    let all = found.clone();
    found.retain(|ix| {
        let symbol = graph.symbol(*ix);
        symbol.kind != SymbolKind::Constructor || symbol.container.is_none_or(|around| !all.contains(&around))
    });
    found
}

/// The text without `<…>` in pairs. An arrow and an operator's name are no pairs.
pub(crate) fn without_type_arguments(text: &str) -> Cow<'_, str> {
    if !text.contains('<') || text.contains("operator") {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    let mut depth = 0usize;
    let mut last = ' ';
    for c in text.chars() {
        match c {
            '<' => depth += 1,
            '>' if depth > 0 && !matches!(last, '-' | '=') => depth -= 1,
            c if depth == 0 => out.push(c),
            _ => {}
        }
        last = c;
    }
    // What is left open was no pair.
    if depth > 0 || out.is_empty() { Cow::Borrowed(text) } else { Cow::Owned(out) }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{graph, names, one};
    use super::*;

    fn store() -> Graph {
        graph(
            "src/disk.py
  class Store 1-20
    constructor Store 2-3
    method save 5-9
    method load 11-12
  function save 22-30
    function inner 24-26
src/net.py
  class Store 1-9
    method save 2-4
  function disk 12-13
spec.ts
  test saves:a.b/c 3-4
  class Vec 6-9
    method push 7-8
",
        )
    }

    #[track_caller]
    fn means(text: &str, expected: &[&str]) {
        let graph = store();
        assert_eq!(names(&graph, &resolve(&graph, text)), expected, "{text}");
    }

    #[test]
    fn a_name_means_every_symbol_that_has_it() {
        means("save", &["disk.Store.save", "disk.save", "net.Store.save"]);
        means("load", &["disk.Store.load"]);
        means("Load", &[]);
        means("", &[]);
    }

    #[test]
    fn the_end_of_a_qualified_name_with_any_separators() {
        for text in
            ["disk.Store.save", "disk::Store::save", "disk/Store#save", "disk\\Store.save", " disk.Store.save() "]
        {
            means(text, &["disk.Store.save"]);
        }
        means("Store.save", &["disk.Store.save", "net.Store.save"]);
        means("tore.save", &[]);
        means("net.save", &[]);
        means("crate::disk::save", &["disk.save"]);
    }

    #[test]
    fn type_arguments_do_not_matter() {
        means("Vec<T>::push", &["spec.Vec.push"]);
        means("Vec<Map<K, V>>.push(item)", &["spec.Vec.push"]);
        assert_eq!(without_type_arguments("operator<"), "operator<");
        assert_eq!(without_type_arguments("a < b"), "a < b");
        assert_eq!(without_type_arguments("F<fn() -> X>::y"), "F::y");
    }

    #[test]
    fn a_name_with_separators_in_it() {
        means("saves:a.b/c", &["spec.saves:a.b/c"]);
        means("spec.saves:a.b/c", &["spec.saves:a.b/c"]);
    }

    #[test]
    fn top_level_code_gives_way_and_a_constructor_to_its_type() {
        means("disk", &["net.disk"]);
        means("spec", &["spec"]);
        means("Store", &["disk.Store", "net.Store"]);
        means("Store.Store", &["disk.Store.Store"]);
    }

    #[test]
    fn files_and_lines() {
        means("src/disk.py:5", &["disk.Store.save"]);
        means("src/disk.py:7", &["disk.Store.save"]);
        means("src/disk.py:7:13", &["disk.Store.save"]);
        means("src/disk.py:4", &["disk.Store"]);
        means("src/disk.py:25", &["disk.save.inner"]);
        means("src/disk.py:21", &["disk"]);
        means("src/disk.py:0", &[]);
        means("src/disk.py:5000", &[]);
        means("src/gone.py:5", &[]);
        means("src/net.py::Store.save", &["net.Store.save"]);
        means("src/net.py#save", &["net.Store.save"]);
        means("src/net.py", &["net"]);
    }

    #[test]
    fn of_several_on_a_line_the_outermost() {
        let graph = graph("a.ts\n  class A 1-1\n    method f 1-1\n  function g 3-3\n  function h 3-3\n");
        assert_eq!(names(&graph, &resolve(&graph, "a.ts:1")), ["a.A"]);
        assert_eq!(names(&graph, &resolve(&graph, "a.ts:3")), ["a.g", "a.h"]);
        assert_eq!(graph.symbol(one(&graph, "A.f")).line, 1);
    }

    #[test]
    fn patterns() {
        let graph = store();
        assert_eq!(names(&graph, &find(&graph, "*oa?")), ["disk.Store.load"]);
        assert_eq!(names(&graph, &find(&graph, "store")), [""; 0]);
        assert_eq!(names(&graph, &find(&graph, "st*")).len(), 3);
        assert_eq!(names(&graph, &find(&graph, "ST*")), [""; 0]);
        assert!(fits(&['*', 'a', '*', 'b'], "xaxxb") && !fits(&['*', 'a', '*', 'b'], "xaxxbx") && fits(&['*'], ""));
    }
}
