//! What is in a file or folder.

use crate::graph::Graph;

/// What lies deeper than this is shown as if it lay here: nesting has no end, a reader's stack has one.
const DEEPEST: u32 = 64;

/// A symbol of an outline with what is in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outlined {
    /// The symbol.
    pub symbol: u32,
    /// What is defined inside, in the order of the text.
    pub children: Vec<Outlined>,
}

/// The files of a folder and its folders, or the file itself; every file for an empty path.
pub fn files_below(graph: &Graph, path: &str) -> Vec<u32> {
    if let Some(file) = graph.file_named(path) {
        return vec![file];
    }
    let is_below = |file: &u32| {
        let rest = graph.file(*file).path.strip_prefix(path);
        path.is_empty() || rest.is_some_and(|rest| rest.starts_with('/'))
    };
    (0..graph.files()).filter(is_below).collect()
}

/// The symbols of a file as they lie in each other; its top-level code is left out. `depth`: how deep, from 1.
pub fn members(graph: &Graph, file: u32, depth: Option<u32>) -> Vec<Outlined> {
    let range = graph.file(file).symbols;
    let start = range.start;
    let is_shown = |ix: &u32| *ix != start && range.contains(ix);
    // What has its container in another file (the second part of a class) stands on its own here.
    let container = |ix: u32| graph.symbol(ix).container.filter(|outer| *outer != ix && is_shown(outer));
    let mut rows: Vec<(u32, u32, Option<u32>)> = Vec::new();
    for ix in range.clone().filter(is_shown) {
        let chain: Vec<u32> =
            std::iter::successors(container(ix), |outer| container(*outer)).take(range.len()).collect();
        let level = chain.len() as u32 + 1;
        let too_deep = level.saturating_sub(DEEPEST) as usize;
        let around = chain.get(too_deep).copied();
        let level = level.min(DEEPEST);
        if depth.is_none_or(|depth| level <= depth) {
            rows.push((level, ix, around));
        }
    }
    // The deepest first: whatever is in a symbol is complete before the symbol is put away.
    rows.sort_by_key(|(level, ix, _)| (std::cmp::Reverse(*level), *ix));
    let mut inside: Vec<Vec<Outlined>> = vec![Vec::new(); range.len()];
    let mut top = Vec::new();
    for (_, symbol, around) in rows {
        let one = Outlined { symbol, children: std::mem::take(&mut inside[(symbol - start) as usize]) };
        match around {
            Some(around) => inside[(around - start) as usize].push(one),
            None => top.push(one),
        }
    }
    top
}

#[cfg(test)]
mod tests {
    use super::super::testing::graph;
    use super::*;

    fn spelled(graph: &Graph, all: &[Outlined]) -> String {
        let one = |one: &Outlined| {
            let inside =
                if one.children.is_empty() { String::new() } else { format!("({})", spelled(graph, &one.children)) };
            format!("{}{inside}", graph.symbol(one.symbol).name)
        };
        all.iter().map(one).collect::<Vec<String>>().join(" ")
    }

    #[test]
    fn symbols_lie_in_each_other() {
        let graph = graph(
            "src/a.py
  class A 1-9
    method f 2-4
      function inner 3-3
    method g 5-6
  function h 11-12
src/b/c.py
  function c 1-2
srcs.py
",
        );
        assert_eq!(spelled(&graph, &members(&graph, 0, None)), "A(f(inner) g) h");
        assert_eq!(spelled(&graph, &members(&graph, 0, Some(1))), "A h");
        assert_eq!(spelled(&graph, &members(&graph, 0, Some(2))), "A(f g) h");
        assert_eq!(files_below(&graph, "src"), [0, 1]);
        assert_eq!(files_below(&graph, "src/b/c.py"), [1]);
        assert_eq!(files_below(&graph, ""), [0, 1, 2]);
        assert_eq!(files_below(&graph, "sr"), [0; 0]);
    }

    #[test]
    fn nesting_has_an_end() {
        let mut text = "a.py\n".to_owned();
        for depth in 1..=300 {
            text.push_str(&format!("{}function f{depth} 1-9\n", "  ".repeat(depth)));
        }
        let graph = graph(&text);
        let top = members(&graph, 0, None);
        let mut at = &top;
        let mut levels = 0;
        while let Some(first) = at.first() {
            levels += 1;
            at = &first.children;
        }
        assert_eq!(levels, DEEPEST);
    }
}
