//! Outside suites: programs with call graphs that others wrote down, run from copies outside this repository.
//!
//! Each file in `suites/` reads one suite's format into cases; what they have in common is here. Formats and licences:
//! `docs/testing.md`.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use crate::run::{Result, create_dir, remove_dir};

use super::export::Export;
use super::score::{Counted, Expected, Question, Score, score};

mod jelly;
mod ktrianta;
mod ops;
mod pycg;

/// A program and its call graph.
pub(super) struct Case {
    /// The row that it is added up in.
    group: String,
    name: String,
    /// Each file's place, and its path in the case.
    files: Vec<(PathBuf, String)>,
    readings: Vec<Reading>,
}

/// A case's expectations, counted in one way.
struct Reading {
    /// Behind the group's name; empty for the suite's own way.
    suffix: &'static str,
    question: Question,
}

impl Reading {
    /// Without edges that are neither right nor wrong.
    fn new(suffix: &'static str, expected: BTreeSet<Expected>, counted: Counted) -> Reading {
        Reading { suffix, question: Question { expected, neutral: BTreeSet::new(), counted } }
    }
}

/// A suite: how its folder is known, and how its cases are read.
struct Suite {
    name: &'static str,
    /// A folder inside that tells it.
    mark: &'static str,
    cases: fn(&Path) -> Result<Vec<Case>>,
}

const SUITES: [Suite; 4] = [
    Suite { name: "pycg", mark: "micro-benchmark/snippets", cases: pycg::cases },
    Suite { name: "ops", mark: "tests/benchmarks/resolution/fixtures", cases: ops::cases },
    Suite { name: "jelly", mark: "tests/micro", cases: jelly::cases },
    Suite { name: "ktrianta", mark: "src/static_dispatch", cases: ktrianta::cases },
];

pub(super) fn run(vise: &Path, folders: &[PathBuf], only: &str, differences: usize) -> Result {
    println!(
        "{:<9} {:<22} {:>5} {:>8} {:>6} {:>6} {:>9} {:>6}",
        "suite", "group", "cases", "expected", "found", "right", "precision", "recall"
    );
    for (suite, folder) in recognised(folders)? {
        let mut cases = (suite.cases)(&folder)?;
        cases.retain(|case| format!("{} {} {}", suite.name, case.group, case.name).contains(only));
        let mut rows: BTreeMap<String, Score> = BTreeMap::new();
        for case in &cases {
            // A case that cannot be answered finds nothing; the others are worth knowing.
            let export = export(vise, suite, case).unwrap_or_else(|message| {
                eprintln!("{message}");
                Export::default()
            });
            for reading in &case.readings {
                let scored = score(&export, &reading.question);
                let group = format!("{}{}", case.group, reading.suffix);
                if differences > 0 && !(scored.missing.is_empty() && scored.wrong.is_empty()) {
                    println!("  {} {group} {}", suite.name, case.name);
                    scored.missing.iter().take(differences).for_each(|edge| println!("    missing {edge}"));
                    scored.wrong.iter().take(differences).for_each(|edge| println!("    wrong   {edge}"));
                }
                rows.entry(group).or_default().add(scored.score);
            }
        }
        for (group, score) in &rows {
            print_row(suite.name, group, score);
        }
        if rows.len() > 2 {
            let mut total = Score::default();
            rows.values().for_each(|score| total.add(*score));
            print_row(suite.name, "all", &total);
        }
    }
    Ok(())
}

fn print_row(suite: &str, group: &str, score: &Score) {
    let percent = |value: Option<f64>| value.map_or("-".to_string(), |value| format!("{value:.3}"));
    println!(
        "{suite:<9} {group:<22} {:>5} {:>8} {:>6} {:>6} {:>9} {:>6}",
        score.cases,
        score.expected,
        score.found,
        score.right,
        percent(score.precision()),
        percent(score.recall())
    );
}

/// The suites in the folders: each is one, or holds some.
fn recognised(folders: &[PathBuf]) -> Result<Vec<(&'static Suite, PathBuf)>> {
    let mut found = Vec::new();
    for folder in folders {
        let mut candidates = vec![folder.clone()];
        candidates.extend(crate::corpora::entries(folder)?);
        let before = found.len();
        for candidate in candidates {
            let suite = SUITES.iter().find(|suite| candidate.join(suite.mark).is_dir());
            found.extend(suite.map(|suite| (suite, candidate)));
        }
        if found.len() == before {
            let marks: Vec<&str> = SUITES.iter().map(|suite| suite.mark).collect();
            let folder = folder.display();
            return Err(format!("`{folder}` is no suite that is known here: none holds {}", marks.join(" or ")));
        }
    }
    Ok(found)
}

/// The graph of a case's files alone, laid out in a scratch folder.
fn export(vise: &Path, suite: &Suite, case: &Case) -> Result<Export> {
    let scratch = crate::target().join("bench").join("suite");
    remove_dir(&scratch)?;
    let folder = scratch.join("case");
    create_dir(&folder)?;
    for (from, path) in &case.files {
        let to = folder.join(path);
        create_dir(to.parent().unwrap_or(&folder))?;
        std::fs::copy(from, &to).map_err(|error| format!("cannot copy `{}`: {error}", from.display()))?;
    }
    let export = Export::of(vise, &folder, &scratch.join("state"));
    export.map_err(|message| format!("{} {}: {message}", suite.name, case.name))
}

/// The files below a folder, with their paths in it.
fn files_below(folder: &Path) -> Result<Vec<(PathBuf, String)>> {
    let mut found = Vec::new();
    let mut folders = vec![(folder.to_path_buf(), String::new())];
    while let Some((folder, prefix)) = folders.pop() {
        for path in crate::corpora::entries(&folder)? {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            let inside = format!("{prefix}{name}");
            if path.is_dir() {
                folders.push((path, format!("{inside}/")));
            } else {
                found.push((path, inside));
            }
        }
    }
    found.sort();
    Ok(found)
}

fn json(file: &Path) -> Result<serde_json::Value> {
    serde_json::from_str(&text(file)?).map_err(|error| format!("`{}`: {error}", file.display()))
}

fn text(file: &Path) -> Result<String> {
    let bytes = std::fs::read(file).map_err(|error| format!("`{}`: {error}", file.display()))?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}
