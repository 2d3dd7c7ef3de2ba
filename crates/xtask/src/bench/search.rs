//! `cargo xtask bench search`: what a search costs, as ratios to ast-grep over the same files.
//!
//! Machines are small and noisy, so nothing here is a time to compare with another day's: runs are paired (ours,
//! theirs, ours, theirs, …), each pair gives a ratio, and the median of the ratios is printed. Beside it stand the
//! numbers of matches: a fast wrong answer is no answer.

use std::collections::BTreeSet;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::Value;

use crate::corpora::{CORPORA, Corpus};
use crate::lock;
use crate::run::{Result, create_dir, shown};

use super::cost::{Cost, cost, median};

#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// How many pairs of runs a pattern gets
    #[arg(long, default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..=1000))]
    runs: u32,
    /// Only rows whose corpus, kind or pattern contains this
    #[arg(long, value_name = "TEXT", default_value = "")]
    only: String,
    /// List the places that only one of the two finds, at most this many a pattern
    #[arg(long, value_name = "N", default_value_t = 0)]
    differences: usize,
    /// Measure this binary instead of building the one of this workspace
    #[arg(long, value_name = "FILE")]
    vise: Option<PathBuf>,
}

/// The rows: corpus, what the pattern is an example of, pattern.
///
/// A "literal" is a word of the pattern that must be in a file for the pattern to match there. ast-grep's `$$$` never
/// gives back what it took, so it finds nothing for the lists read from their end; they cost it the same.
const PATTERNS: [(&str, &str, &str); 15] = [
    ("django", "absent literal", "absent_everywhere($A)"),
    ("django", "rare literal", "get_random_secret_key()"),
    ("django", "common literal", "self.assertEqual($A, $B)"),
    ("django", "no literal, repeated", "$A == $A"),
    ("django", "no literal", "$F($$$A)"),
    ("django", "list", "isinstance($A, $$$REST)"),
    ("django", "list, from its end", "isinstance($$$A, $B)"),
    ("rust-analyzer", "absent literal", "absent_everywhere($A)"),
    ("rust-analyzer", "rare literal", "catch_unwind($$$A)"),
    ("rust-analyzer", "uncommon literal", "iter::repeat($A)"),
    ("rust-analyzer", "common literal", "$X.unwrap()"),
    ("rust-analyzer", "no literal, repeated", "$A == $A"),
    ("rust-analyzer", "no literal", "$F($$$A)"),
    ("rust-analyzer", "list", "check_assist($A, $$$REST)"),
    ("rust-analyzer", "list, from its end", "check_assist($$$A, $B)"),
];

pub(crate) fn run(arguments: &Arguments) -> Result {
    let vise = super::vise(arguments.vise.as_deref())?;
    let ast_grep = lock::ast_grep()?;
    let scratch = crate::target().join("bench");
    create_dir(&scratch)?;

    println!(
        "vise / ast-grep {}: medians of {} paired runs; below 1 is cheaper",
        lock::version("ast-grep-cli")?,
        arguments.runs
    );
    println!("{:<14} {:<21} {:>6} {:>6}  {:>17}  pattern", "corpus", "kind", "CPU", "wall", "matches");
    for (name, kind, pattern) in PATTERNS {
        if ![name, kind, pattern].iter().any(|text| text.contains(arguments.only.as_str())) {
            continue;
        }
        let Some(corpus) = CORPORA.iter().find(|corpus| corpus.name == name) else { continue };
        let ours = ours(&vise, corpus, pattern)?;
        let theirs = theirs(&ast_grep, corpus, pattern)?;

        // The first run of each is not timed: it warms the page cache and says what is found.
        let (found, expected) = (places(&ours, &scratch.join("ours"))?, places(&theirs, &scratch.join("theirs"))?);
        let mut pairs = Vec::new();
        for _ in 0..arguments.runs {
            pairs.push((cost(&mut ours.command(), Stdio::null())?, cost(&mut theirs.command(), Stdio::null())?));
        }
        let ratio = |of: fn(&Cost) -> f64| median(pairs.iter().map(|(a, b)| of(a) / of(b)).collect());
        let (cpu, wall) = (ratio(|cost| cost.cpu), ratio(|cost| cost.wall));
        let differ = if found == expected { "=" } else { "≠" };
        let matches = format!("{} {differ} {}", found.len(), expected.len());
        println!("{name:<14} {kind:<21} {cpu:>6.2} {wall:>6.2}  {matches:>17}  {pattern}");
        for (who, places) in [("vise", found.difference(&expected)), ("ast-grep", expected.difference(&found))] {
            for (file, start, end) in places.take(arguments.differences) {
                println!("    only {who}: {file} bytes {start}..{end}");
            }
        }
    }
    Ok(())
}

/// A search that can be run many times.
struct Search {
    program: PathBuf,
    arguments: Vec<String>,
    folder: PathBuf,
}

impl Search {
    fn command(&self) -> Command {
        let mut command = Command::new(&self.program);
        command.args(&self.arguments).current_dir(&self.folder);
        command
    }
}

fn ours(vise: &Path, corpus: &Corpus, pattern: &str) -> Result<Search> {
    let arguments = ["ast-grep", "-l", corpus.language, "--json", pattern, "."];
    Ok(Search { program: vise.into(), arguments: arguments.map(String::from).into(), folder: corpus.ready()? })
}

fn theirs(ast_grep: &Path, corpus: &Corpus, pattern: &str) -> Result<Search> {
    let arguments = ["run", "--lang", corpus.language, "--json=stream", "--pattern", pattern, "."];
    Ok(Search { program: ast_grep.into(), arguments: arguments.map(String::from).into(), folder: corpus.ready()? })
}

/// The places found: file, start and end in bytes. Both print one match a line, with the same keys for these.
fn places(search: &Search, output: &Path) -> Result<BTreeSet<(String, u64, u64)>> {
    let failed = |error: &dyn std::fmt::Display| format!("`{}`: {error}", output.display());
    cost(&mut search.command(), File::create(output).map_err(|error| failed(&error))?.into())?;
    let bytes = std::fs::read(output).map_err(|error| failed(&error))?;
    std::fs::remove_file(output).map_err(|error| failed(&error))?;
    let mut places = BTreeSet::new();
    for line in bytes.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()) {
        let value: Value = serde_json::from_slice(line)
            .map_err(|error| format!("`{}` printed a line that is no JSON: {error}", shown(&search.command())))?;
        places.extend(place(&value));
    }
    Ok(places)
}

/// The place that a line of output tells of; none for our summary.
fn place(line: &Value) -> Option<(String, u64, u64)> {
    let file = line["file"].as_str()?;
    let offsets = &line["range"]["byteOffset"];
    Some((file.strip_prefix("./").unwrap_or(file).to_string(), offsets["start"].as_u64()?, offsets["end"].as_u64()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_match_is_a_place_and_a_summary_is_none() {
        let line = r#"{"file":"./a.py","range":{"byteOffset":{"start":3,"end":9}}}"#;
        assert_eq!(place(&serde_json::from_str(line).unwrap()), Some(("a.py".into(), 3, 9)));
        assert_eq!(place(&serde_json::from_str(r#"{"summary":{"matches":1}}"#).unwrap()), None);
    }

    #[test]
    fn every_row_names_a_corpus() {
        for (name, ..) in PATTERNS {
            assert!(CORPORA.iter().any(|corpus| corpus.name == name), "{name}");
        }
    }
}
