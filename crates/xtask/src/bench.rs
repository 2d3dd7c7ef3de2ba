//! `cargo xtask bench search`: what a search costs, as ratios to ast-grep over the same files.
//!
//! Machines are small and noisy, so nothing here is a time to compare with another day's: runs are paired (ours,
//! theirs, ours, theirs, …), each pair gives a ratio, and the median of the ratios is printed. Beside it stand the
//! numbers of matches: a fast wrong answer is no answer.

use std::collections::BTreeSet;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

use serde_json::Value;

use crate::corpora::{CORPORA, Corpus};
use crate::lock;
use crate::run::{Result, cargo, create_dir, shown, step};

#[derive(clap::Args)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    what: What,
}

#[derive(clap::Subcommand)]
enum What {
    /// Structural search against ast-grep
    Search(SearchArguments),
}

#[derive(clap::Args)]
struct SearchArguments {
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
    let What::Search(arguments) = &arguments.what;
    let vise = match &arguments.vise {
        Some(file) => file.canonicalize().map_err(|error| format!("`{}`: {error}", file.display()))?,
        None => {
            step(cargo().args(["build", "--release", "-p", "vise"]))?;
            crate::target().join("release").join("vise")
        }
    };
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
            pairs.push((cost(&ours, Stdio::null())?, cost(&theirs, Stdio::null())?));
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
        command.args(&self.arguments).current_dir(&self.folder).stdin(Stdio::null());
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
    cost(search, File::create(output).map_err(|error| failed(&error))?.into())?;
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

/// Seconds.
struct Cost {
    cpu: f64,
    wall: f64,
}

fn cost(search: &Search, output: Stdio) -> Result<Cost> {
    let mut command = search.command();
    let start = Instant::now();
    let child = command
        .stdout(output)
        .stderr(Stdio::null())
        .spawn()
        .map_err(|error| format!("cannot start `{}`: {error}", shown(&command)))?;
    let (status, cpu) = wait(child.id())?;
    let wall = start.elapsed().as_secs_f64();
    // Both say 1 for "nothing found".
    match status {
        0 | 1 => Ok(Cost { cpu, wall }),
        status => Err(format!("`{}` failed with status {status}; run it by hand to see why", shown(&command))),
    }
}

/// Waits for a child and gives its exit status (above 255: a signal) and the CPU seconds it used, user and system.
///
/// `std` waits without telling the cost, and the total over all children would count the ones before.
fn wait(id: u32) -> Result<(i32, f64)> {
    let mut status = 0;
    // SAFETY: `rusage` is plain numbers, for which zero is a value.
    let mut used: libc::rusage = unsafe { std::mem::zeroed() };
    let id = libc::pid_t::try_from(id).map_err(|error| error.to_string())?;
    loop {
        // SAFETY: both pointers are to live values of the types that wait4 fills; the child is ours and nobody
        // else waits for it, since its `Child` is only dropped.
        let waited = unsafe { libc::wait4(id, &raw mut status, 0, &raw mut used) };
        if waited == id {
            break;
        }
        let error = std::io::Error::last_os_error();
        if error.kind() != std::io::ErrorKind::Interrupted {
            return Err(format!("cannot wait for a child: {error}"));
        }
    }
    #[expect(clippy::cast_precision_loss, reason = "seconds and microseconds are far below 2^52")]
    let seconds = |time: libc::timeval| time.tv_sec as f64 + time.tv_usec as f64 / 1e6;
    let code = if libc::WIFEXITED(status) { libc::WEXITSTATUS(status) } else { 256 + libc::WTERMSIG(status) };
    Ok((code, seconds(used.ru_utime) + seconds(used.ru_stime)))
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    let middle = values.len() / 2;
    if values.len() % 2 == 1 { values[middle] } else { f64::midpoint(values[middle - 1], values[middle]) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_median_of_an_even_number_is_between_the_middle_two() {
        assert!((median(vec![3.0, 1.0, 2.0]) - 2.0).abs() < 1e-9);
        assert!((median(vec![4.0, 1.0, 2.0, 3.0]) - 2.5).abs() < 1e-9);
    }

    #[test]
    fn a_match_is_a_place_and_a_summary_is_none() {
        let line = r#"{"file":"./a.py","range":{"byteOffset":{"start":3,"end":9}}}"#;
        assert_eq!(place(&serde_json::from_str(line).unwrap()), Some(("a.py".into(), 3, 9)));
        assert_eq!(place(&serde_json::from_str(r#"{"summary":{"matches":1}}"#).unwrap()), None);
    }

    #[test]
    #[expect(clippy::zombie_processes, reason = "`wait` is what this test is about")]
    fn a_child_is_waited_for_with_its_cost() {
        let child = Command::new("sh")
            .args(["-c", "i=0; while [ $i -lt 20000 ]; do i=$((i+1)); done; exit 3"])
            .spawn()
            .unwrap();
        let (status, cpu) = wait(child.id()).unwrap();
        assert_eq!(status, 3);
        assert!(cpu > 0.0);
    }

    #[test]
    fn every_row_names_a_corpus() {
        for (name, ..) in PATTERNS {
            assert!(CORPORA.iter().any(|corpus| corpus.name == name), "{name}");
        }
    }
}
