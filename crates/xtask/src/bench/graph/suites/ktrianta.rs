//! ktrianta's benchmark for Rust: above a call stand a comment line with its kind, one with the path of its target, and
//! words. Each annotated call is an expectation; calls without such a comment are not counted.

use std::collections::BTreeSet;
use std::path::Path;

use super::super::score::{Counted, Expected, Place};
use super::{Case, Reading, files_below, text};
use crate::run::Result;

pub(super) fn cases(suite: &Path) -> Result<Vec<Case>> {
    let files = files_below(&suite.join("src"))?;
    let mut expected = BTreeSet::new();
    for (file, path) in files.iter().filter(|(_, path)| path.ends_with(".rs")) {
        expected.extend(annotated(&text(file)?, path));
    }
    let readings = vec![Reading::new("", expected, Counted::Lines)];
    Ok(vec![Case { group: "rust".to_string(), name: "src".to_string(), files, readings }])
}

fn annotated(text: &str, file: &str) -> Vec<Expected> {
    let lines: Vec<&str> = text.lines().map(str::trim).collect();
    let mut found = Vec::new();
    for (at, line) in lines.iter().enumerate() {
        let Some(comment) = line.strip_prefix("// ") else { continue };
        let kind = ["static function call", "static method call", "instance method call", "function pointer call"];
        let above_is_comment = at > 0 && lines[at - 1].starts_with("//");
        if above_is_comment || !kind.iter().any(|kind| comment.starts_with(kind)) {
            continue;
        }
        let Some(target) = lines.get(at + 1).and_then(|line| line.strip_prefix("// ")) else { continue };
        let comments = lines[at..].iter().take_while(|line| line.starts_with("//")).count();
        let first = at + comments;
        let goes_on = |line: &&&str| !line.ends_with([';', '}']) && !line.starts_with("//");
        let length = lines[first..].iter().take_while(goes_on).count();
        let ends_here = lines.get(first + length).is_some_and(|line| !line.starts_with("//"));
        let last = (first + length).saturating_sub(usize::from(!ends_here)).max(first);
        let line = |index: usize| u64::try_from(index + 1).unwrap_or(u64::MAX);
        let from = Place::Used { file: file.to_string(), first: line(first), last: line(last) };
        let path = plain(target);
        // A pointer's target is told by its type only, and the standard library is not in the graph.
        let is_path = !path.contains(' ') && !path.starts_with("std::");
        let to = if is_path { Place::Path(path) } else { Place::Unnamed(path) };
        found.push(Expected { from, to });
    }
    found
}

/// A path with types in the place of `{impl Trait for Type}` and `<Type as Trait>`, where the trait's method is meant.
fn plain(target: &str) -> String {
    let between = |open: &str, middle: &str, close: &str| {
        let (before, rest) = target.split_once(open)?;
        let (inside, after) = rest.split_once(close)?;
        let (_, last) = inside.split_once(middle)?;
        Some(format!("{before}{last}{after}"))
    };
    between("{impl ", " for ", "}").or_else(|| between("<", " as ", ">")).unwrap_or_else(|| target.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_comment_names_the_target_of_the_call_below() {
        let text = "fn f() {\n    // static function call\n    // a::lib::g\n    // Words about a call.\n    let x = g(\n        1,\n    );\n}\n";
        let [edge] = &annotated(text, "a.rs")[..] else { panic!() };
        assert_eq!(edge.from, Place::Used { file: "a.rs".to_string(), first: 5, last: 7 });
        assert_eq!(edge.to, Place::Path("a::lib::g".to_string()));
        let pointer = "// function pointer call\n// for<'r> fn(&'r T) -> u32\nfun(foo)\n";
        assert!(matches!(annotated(pointer, "a.rs")[0].to, Place::Unnamed(_)));
        let chain =
            "// static function call\n// a::f\nlet x = f()\n    // static function call\n    // a::g\n    + g();\n";
        let [f, g] = &annotated(chain, "a.rs")[..] else { panic!() };
        assert_eq!(f.from, Place::Used { file: "a.rs".to_string(), first: 3, last: 3 });
        assert_eq!(g.from, Place::Used { file: "a.rs".to_string(), first: 6, last: 6 });
    }

    #[test]
    fn implementations_in_paths_are_types() {
        assert_eq!(plain("a::fat::{impl Foo for Fat}::method"), "a::fat::Fat::method");
        assert_eq!(plain("<T as a::Bound>::method"), "a::Bound::method");
        assert_eq!(plain("a::f::<b::One>"), "a::f::<b::One>");
    }
}
