//! Jelly's micro tests: `tests/micro/CASE.json` holds what a run of the program called, as functions' positions.
//!
//! Read twice, as PyCG's: all functions, and `named`, where an anonymous function's calls are those of the function
//! around it and only named functions are callees. What one run called is not all that may be called: precision here is
//! a lower bound.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use serde_json::Value;

use super::super::score::{Counted, Expected, Place};
use super::{Case, Reading, json, text};
use crate::run::Result;

pub(super) fn cases(suite: &Path) -> Result<Vec<Case>> {
    let folder = suite.join("tests/micro");
    let mut cases = Vec::new();
    for file in crate::corpora::entries(&folder)? {
        let name = file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        if file.extension().is_none_or(|extension| extension != "json") {
            continue;
        }
        let graph = json(&file)?;
        if graph["fun2fun"].is_array()
            && let Some(case) = case(&folder, &name, &graph)?
        {
            cases.push(case);
        }
    }
    Ok(cases)
}

/// A case; none where one of its files is not there.
fn case(folder: &Path, name: &str, graph: &Value) -> Result<Option<Case>> {
    let paths: Vec<&str> = graph["files"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    let files: Vec<(PathBuf, String)> = paths.iter().map(|path| (folder.join(path), (*path).to_string())).collect();
    if files.iter().any(|(file, _)| !file.is_file()) {
        return Ok(None);
    }
    let sources = files.iter().map(|(file, _)| text(file)).collect::<Result<Vec<_>>>()?;
    let Some(functions) = functions(graph, &sources) else { return Ok(None) };
    let pair = |pair: &Value| {
        let end = |index: usize| usize::try_from(pair[index].as_u64()?).ok();
        Some((end(0)?, end(1)?))
    };
    let pairs: Vec<(usize, usize)> = graph["fun2fun"].as_array().into_iter().flatten().filter_map(pair).collect();
    let readings = vec![
        Reading::new("", expected(&pairs, &functions, &paths, false), Counted::All),
        Reading::new(" named", expected(&pairs, &functions, &paths, true), Counted::All),
    ];
    Ok(Some(Case { group: "javascript".to_string(), name: name.to_string(), files, readings }))
}

/// A function's place, from 1.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Function {
    file: usize,
    /// Line and column.
    start: (u64, u64),
    end: (u64, u64),
    kind: Kind,
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Kind {
    TopLevel,
    Named,
    Anonymous,
}

fn functions(graph: &Value, sources: &[String]) -> Option<Vec<Function>> {
    let mut functions: Vec<Function> = Vec::new();
    for position in graph["functions"].as_array()? {
        let numbers: Vec<u64> = position.as_str()?.split(':').map_while(|number| number.parse().ok()).collect();
        let [file, line, column, end_line, end_column] = numbers[..] else { return None };
        let file = usize::try_from(file).ok()?;
        let first_of_file = functions.iter().all(|function| function.file != file);
        let kind = if first_of_file && (line, column) == (1, 1) {
            Kind::TopLevel
        } else if has_name(sources.get(file)?, line, column) {
            Kind::Named
        } else {
            Kind::Anonymous
        };
        functions.push(Function { file, start: (line, column), end: (end_line, end_column), kind });
    }
    Some(functions)
}

/// Whether the text at a function says its name: its own, or that of what it is assigned to.
fn has_name(source: &str, line: u64, column: u64) -> bool {
    let at = |number: u64| usize::try_from(number).unwrap_or(usize::MAX).saturating_sub(1);
    let line = source.lines().nth(at(line)).unwrap_or_default();
    let before: String = line.chars().take(at(column)).collect();
    let rest: String = line.chars().skip(at(column)).collect();
    let rest = rest.trim_start_matches("async ");
    if let Some(rest) = rest.strip_prefix("function") {
        let name = rest.trim_start_matches(['*', ' ']);
        if name.starts_with(|sign: char| sign.is_alphabetic() || sign == '_' || sign == '$') {
            return true;
        }
    } else if !rest.starts_with('(') && !rest.split(['(', ')']).next().unwrap_or_default().contains("=>") {
        // A class, a method or an accessor; an arrow with one bare parameter has its arrow before any parenthesis.
        return true;
    }
    let before = before.trim_end();
    before.ends_with('=') || before.ends_with(':')
}

fn expected(pairs: &[(usize, usize)], functions: &[Function], paths: &[&str], named: bool) -> BTreeSet<Expected> {
    let place = |function: &Function| {
        let file = paths.get(function.file).copied().unwrap_or_default().to_string();
        let ((first, _), (last, _)) = (function.start, function.end);
        match function.kind {
            Kind::TopLevel => Place::Lines { file, first: 0, last: 0 },
            Kind::Named => Place::Lines { file, first, last },
            Kind::Anonymous => Place::Unnamed(format!("{file}:{first}")),
        }
    };
    let around = |inner: &Function| {
        let holds = |outer: &&Function| {
            outer.file == inner.file && outer.kind == Kind::Named && outer.start < inner.start && inner.end <= outer.end
        };
        let innermost = functions.iter().filter(holds).max_by_key(|outer| outer.start);
        innermost.or_else(|| functions.iter().find(|outer| outer.file == inner.file && outer.kind == Kind::TopLevel))
    };
    let edges = pairs.iter().filter_map(|(from, to)| {
        let (from, to) = (functions.get(*from)?, functions.get(*to)?);
        let from = if named && from.kind == Kind::Anonymous { around(from)? } else { from };
        let meant = !named || to.kind != Kind::Anonymous;
        meant.then(|| Expected { from: place(from), to: place(to) })
    });
    edges.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const SOURCE: &str =
        "function f() {}\nconst g = () => f();\n[1].map(x => f());\nclass C {\n  m() { return 1; }\n}\n";

    #[test]
    fn a_function_has_a_name_or_not() {
        assert!(has_name(SOURCE, 1, 1), "a declaration");
        assert!(has_name(SOURCE, 2, 11), "an arrow that is assigned");
        assert!(!has_name(SOURCE, 3, 9), "an argument");
        assert!(has_name(SOURCE, 5, 3), "a method");
    }

    #[test]
    fn calls_of_anonymous_functions_are_read_both_ways() {
        let graph = serde_json::json!({"functions": ["0:1:1:6:2", "0:1:1:1:16", "0:3:9:3:17"]});
        let functions = functions(&graph, &[SOURCE.to_string()]).unwrap();
        let kinds: Vec<Kind> = functions.iter().map(|function| function.kind).collect();
        assert_eq!(kinds, [Kind::TopLevel, Kind::Named, Kind::Anonymous]);
        let pairs = [(0, 2), (2, 1)];
        assert_eq!(expected(&pairs, &functions, &["a.js"], false).len(), 2);
        let lines = |first, last| Place::Lines { file: "a.js".to_string(), first, last };
        let named: Vec<Expected> = expected(&pairs, &functions, &["a.js"], true).into_iter().collect();
        assert_eq!(named, [Expected { from: lines(0, 0), to: lines(1, 1) }]);
    }
}
