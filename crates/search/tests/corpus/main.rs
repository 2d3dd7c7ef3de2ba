//! The corpus: every case of `tests/<language>/search/*.md` and every example of `docs/patterns.md`.
//!
//! Read first: `docs/testing.md` for the format, then `markdown` (Markdown into cases), `carets` (what a source says
//! about its matches), `check` (one case run). `corpus_format` holds the tests of the format itself.
//!
//! It never skips a case: one that is known to be wrong asserts the wrong answer, with a `fixme:` line.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use vise_syntax::Registry;

mod carets;
mod check;
mod markdown;
mod options;
mod rewriting;

use check::{Outcome, Update};
use markdown::{Case, Kind, Problem, cases};

/// A Markdown file, and the language it is about; none for a manual.
struct File {
    /// From the root, with `/`.
    name: String,
    path: PathBuf,
    language: Option<String>,
}

#[derive(Default)]
struct Tally {
    passed: usize,
    fixme: usize,
    filtered: usize,
    failures: Vec<String>,
    /// What is printed besides.
    lines: Vec<String>,
}

fn main() -> ExitCode {
    let started = Instant::now();
    let (flags, filters) = arguments(std::env::args().skip(1));
    if flags.iter().any(|flag| flag == "--ignored") {
        println!("test result: ok. 0 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s");
        return ExitCode::SUCCESS;
    }
    let list = flags.iter().any(|flag| flag == "--list");
    let update = std::env::var_os("UPDATE").is_some_and(|value| value == "1");
    let registry = match Registry::embedded() {
        Ok(registry) => registry,
        Err(message) => {
            println!("the embedded languages cannot be read: {message}");
            return ExitCode::FAILURE;
        }
    };

    // A panic is a failure of its case; where it happened is all that is wanted of it.
    std::panic::set_hook(Box::new(|panic| eprintln!("{panic}")));
    let files = files(&root());
    let mut tally = Tally::default();
    for part in each_on_all_cores(&files, |file| run_file(&registry, file, &filters, update, list)) {
        part.lines.iter().for_each(|line| println!("{line}"));
        tally.passed += part.passed;
        tally.fixme += part.fixme;
        tally.filtered += part.filtered;
        tally.failures.extend(part.failures);
    }
    if tally.passed + tally.filtered + tally.failures.len() == 0 && !list {
        tally.failures.push(format!("no case was found below `{}`", root().display()));
    }
    if list {
        return ExitCode::SUCCESS;
    }
    if !tally.failures.is_empty() {
        println!("\nfailures:\n");
        tally.failures.iter().for_each(|failure| println!("{failure}"));
    }
    let Tally { passed, fixme, filtered, failures, .. } = &tally;
    let failed = failures.len();
    println!("\ncorpus: {passed} passed, {failed} failed ({fixme} passed with a fixme: known to be wrong)");
    println!(
        "\ntest result: {}. {passed} passed; {failed} failed; 0 ignored; 0 measured; {filtered} filtered out; finished in {:.2}s",
        if failed == 0 { "ok" } else { "FAILED" },
        started.elapsed().as_secs_f64()
    );
    if failed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Flags and filters. cargo hands the same words to every test binary, so the harness's flags are let pass.
fn arguments(mut words: impl Iterator<Item = String>) -> (Vec<String>, Vec<String>) {
    let (mut flags, mut filters) = (Vec::new(), Vec::new());
    while let Some(word) = words.next() {
        if ["--test-threads", "--skip", "--format", "--color", "--logfile", "-Z"].contains(&word.as_str()) {
            words.next();
        } else if word.starts_with('-') {
            flags.push(word);
        } else {
            filters.push(word);
        }
    }
    (flags, filters)
}

fn root() -> PathBuf {
    let package = std::env::var_os("CARGO_MANIFEST_DIR").unwrap_or_else(|| env!("CARGO_MANIFEST_DIR").into());
    Path::new(&package).ancestors().nth(2).map(PathBuf::from).unwrap_or_default()
}

fn files(root: &Path) -> Vec<File> {
    let mut files = Vec::new();
    for folder in entries(&root.join("tests")) {
        let language = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
        for path in entries(&folder.join("search")) {
            if path.extension().is_some_and(|extension| extension == "md") {
                let name = path.file_name().unwrap_or_default().to_string_lossy();
                files.push(File {
                    name: format!("tests/{language}/search/{name}"),
                    path,
                    language: Some(language.clone()),
                });
            }
        }
    }
    let manual = root.join("docs").join("patterns.md");
    if manual.is_file() {
        files.push(File { name: "docs/patterns.md".to_string(), path: manual, language: None });
    }
    files
}

/// The paths in a folder, sorted; none where it is not there.
fn entries(folder: &Path) -> Vec<PathBuf> {
    let listing = std::fs::read_dir(folder).into_iter().flatten();
    let mut paths: Vec<PathBuf> = listing.filter_map(|entry| entry.ok().map(|entry| entry.path())).collect();
    paths.sort();
    paths
}

/// The results of a function for each item, in order, whichever thread came to it.
fn each_on_all_cores<T: Sync, R: Send>(items: &[T], run: impl Fn(&T) -> R + Sync) -> Vec<R> {
    let next = AtomicUsize::new(0);
    let results = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(|| {
                loop {
                    let index = next.fetch_add(1, Ordering::Relaxed);
                    let Some(item) = items.get(index) else { break };
                    let result = run(item);
                    results.lock().unwrap_or_else(PoisonError::into_inner).push((index, result));
                }
            });
        }
    });
    let mut results = results.into_inner().unwrap_or_else(PoisonError::into_inner);
    results.sort_by_key(|(index, _)| *index);
    results.into_iter().map(|(_, result)| result).collect()
}

fn run_file(registry: &Registry, file: &File, filters: &[String], update: bool, list: bool) -> Tally {
    let mut tally = Tally::default();
    let languages: Vec<String> = registry.languages().map(|language| language.name().to_string()).collect();
    let kind = match &file.language {
        Some(language) => Kind::Corpus { language },
        None => Kind::Manual { languages: &languages },
    };
    let text = std::fs::read_to_string(&file.path).map_err(|error| Problem::new(0, error.to_string()));
    let (text, cases) = match text.and_then(|text| cases(&text, &kind).map(|cases| (text, cases))) {
        Ok(read) => read,
        Err(Problem { line, message }) => {
            tally.failures.push(format!("{}:{line}: {message}", file.name));
            return tally;
        }
    };
    let mut updates = Vec::new();
    for case in &cases {
        if !filters.is_empty() && !filters.iter().any(|filter| is_meant(file, case, filter)) {
            tally.filtered += 1;
            continue;
        }
        if list {
            tally.lines.push(format!("{}:{}: {}: test", file.name, case.line, case.title));
            continue;
        }
        let outcome = catch_unwind(AssertUnwindSafe(|| check::run(registry, case))).unwrap_or_else(|_| Outcome {
            problems: vec![Problem::new(case.line, "panicked; what it said is above")],
            updates: Vec::new(),
        });
        if outcome.problems.is_empty() {
            tally.passed += 1;
            tally.fixme += usize::from(case.fixme.is_some());
        } else {
            tally.failures.push(failure(file, case, &outcome));
        }
        updates.extend(outcome.updates);
    }
    if update && !updates.is_empty() {
        tally.lines.push(match std::fs::write(&file.path, updated(&text, updates)) {
            Ok(()) => format!("updated {}", file.name),
            Err(error) => format!("cannot update {}: {error}", file.name),
        });
    }
    tally
}

/// A filter is a language, or a part of `tests/rust/search/calls.md: Title`.
fn is_meant(file: &File, case: &Case, filter: &str) -> bool {
    match &file.language {
        Some(language) if language == filter => true,
        // `c` alone is the language, not every name with a c in it.
        _ => filter.len() > 2 && format!("{}: {}", file.name, case.title).contains(filter),
    }
}

fn failure(file: &File, case: &Case, outcome: &Outcome) -> String {
    let mut text = format!("{}:{}: {}", file.name, case.line, case.title);
    if let Some(reason) = &case.fixme {
        text.push_str(&format!("\n    fixme: {reason} (if the answer is right now, update it and remove this line)"));
    }
    for Problem { line, message } in &outcome.problems {
        text.push_str(&format!("\n    {}:{line}: {}", file.name, message.replace('\n', "\n        ")));
    }
    text
}

/// The Markdown with the contents of some fences replaced.
fn updated(text: &str, mut updates: Vec<Update>) -> String {
    let mut lines: Vec<String> = text.lines().map(String::from).collect();
    // From the end, so that the numbers of the lines before stay true.
    updates.sort_by_key(|update| std::cmp::Reverse(update.body.start));
    for update in updates {
        let indent = " ".repeat(update.indent);
        let new =
            update.text.lines().map(|line| if line.is_empty() { String::new() } else { format!("{indent}{line}") });
        lines.splice(update.body, new.collect::<Vec<_>>());
    }
    lines.into_iter().map(|line| line + "\n").collect()
}
