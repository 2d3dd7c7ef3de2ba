//! `cargo xtask tidy`: the rules of the house that no compiler checks.
//!
//! Every check is a function from a `Tree` (paths and texts, no disk) to complaints, so that its tests are three
//! lines; `cargo test -p xtask` also runs them all over this very workspace.

mod code;
mod docs;
mod languages;
mod manifests;
mod sources;
mod tree;

use crate::run::Result;
use tree::Tree;

/// One broken rule, at a place.
#[derive(Debug, PartialEq)]
struct Complaint {
    path: String,
    /// 1-based; 0 where the whole file is meant.
    line: usize,
    message: String,
}

impl Complaint {
    fn new(path: &str, line: usize, message: impl Into<String>) -> Complaint {
        Complaint { path: path.to_string(), line, message: message.into() }
    }
}

impl std::fmt::Display for Complaint {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.line {
            0 => write!(f, "{}: {}", self.path, self.message),
            line => write!(f, "{}:{line}: {}", self.path, self.message),
        }
    }
}

type Check = fn(&Tree) -> Vec<Complaint>;

/// Every rule, by the name that `tidy` prints.
const CHECKS: [(&str, Check); 11] = [
    ("files are at most 600 lines", sources::file_sizes),
    ("nothing is left to do, every exception has a reason", sources::leftovers),
    ("words: public names", sources::losing_words),
    ("words: headings", docs::losing_words),
    ("no paths of one machine", sources::machine_paths),
    ("arrows: manifests stay within ARCHITECTURE.md's table", manifests::arrows),
    ("dependencies that only one crate may name", manifests::owned_dependencies),
    ("pure crates deny what clippy.toml bans", manifests::pure_crates),
    ("docs/dependencies.md has a line for every dependency", manifests::dependency_lines),
    ("every language has its data and its corpus", languages::complete),
    ("links in the documentation resolve", docs::links),
];

pub(crate) fn run() -> Result {
    let complaints = all(&Tree::read(&crate::root())?);
    for (rule, complaint) in &complaints {
        eprintln!("{complaint}\n    rule: {rule}");
    }
    match complaints.len() {
        0 => {
            eprintln!("tidy: {} rules hold", CHECKS.len());
            Ok(())
        }
        count => Err(format!("tidy: {count} places break a rule of the house")),
    }
}

fn all(tree: &Tree) -> Vec<(&'static str, Complaint)> {
    CHECKS.iter().flat_map(|(rule, check)| check(tree).into_iter().map(|complaint| (*rule, complaint))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_workspace_is_tidy() {
        let complaints = all(&Tree::read(&crate::root()).unwrap());
        let text = complaints.iter().map(|(rule, complaint)| format!("{complaint} (rule: {rule})\n"));
        assert!(complaints.is_empty(), "\n{}", text.collect::<String>());
    }
}
