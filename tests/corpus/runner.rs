//! A test binary without a harness: finds a corpus, runs its cases on all cores, reports in cargo's words.
//!
//! Used by the corpora of structural search and of the code graph, which say what a case is and how it is run.
//!
//! It never skips a case: one that is known to be wrong asserts the wrong answer, with a `fixme:` line.

use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use super::fences::{Fence, Problem};

/// What a corpus holds and how a case of it is run.
pub(crate) trait Corpus: Sync {
    type Case;

    /// The files, those of languages first.
    fn files(&self, root: &Path) -> Vec<File>;

    /// The cases of a file.
    fn cases(&self, file: &File, text: &str) -> Result<Vec<Self::Case>, Problem>;

    /// What a case is called, where it stands, and why it is known to be wrong.
    fn heading<'c>(&self, case: &'c Self::Case) -> Heading<'c>;

    fn run(&self, case: &Self::Case) -> Outcome;
}

/// A Markdown file, and the language it is about; none for a manual.
pub(crate) struct File {
    /// From the root, with `/`.
    pub(crate) name: String,
    pub(crate) path: PathBuf,
    pub(crate) language: Option<String>,
}

/// What a report says of a case.
pub(crate) struct Heading<'c> {
    pub(crate) title: &'c str,
    /// 1-based line of the Markdown.
    pub(crate) line: usize,
    pub(crate) fixme: Option<&'c str>,
}

/// What a case came to.
#[derive(Default)]
pub(crate) struct Outcome {
    pub(crate) problems: Vec<Problem>,
    pub(crate) updates: Vec<Update>,
}

/// New contents for a fence.
pub(crate) struct Update {
    pub(crate) body: Range<usize>,
    pub(crate) indent: usize,
    pub(crate) text: String,
}

impl Outcome {
    /// What an update would write into a fence.
    pub(crate) fn update(&mut self, fence: &Fence, text: String) {
        self.updates.push(Update { body: fence.body.clone(), indent: fence.indent, text });
    }
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

/// What the command line asks for.
struct Request {
    filters: Vec<String>,
    list: bool,
    update: bool,
}

pub(crate) fn run(corpus: &impl Corpus) -> ExitCode {
    let started = Instant::now();
    let (flags, filters) = arguments(std::env::args().skip(1));
    if flags.iter().any(|flag| flag == "--ignored") {
        println!("test result: ok. 0 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s");
        return ExitCode::SUCCESS;
    }
    let list = flags.iter().any(|flag| flag == "--list");
    let request = Request { filters, list, update: std::env::var_os("UPDATE").is_some_and(|value| value == "1") };

    // A panic is a failure of its case; where it happened is all that is wanted of it.
    std::panic::set_hook(Box::new(|panic| eprintln!("{panic}")));
    let files = corpus.files(&root());
    let mut tally = Tally::default();
    for part in each_on_all_cores(&files, |file| run_file(corpus, file, &request)) {
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

/// The folder that holds the workspace's `Cargo.toml`.
pub(crate) fn root() -> PathBuf {
    let package = std::env::var_os("CARGO_MANIFEST_DIR").unwrap_or_else(|| env!("CARGO_MANIFEST_DIR").into());
    Path::new(&package).ancestors().nth(2).map(PathBuf::from).unwrap_or_default()
}

/// The Markdown files in `tests/<language>/<feature>`.
pub(crate) fn files_of(root: &Path, feature: &str) -> Vec<File> {
    let mut files = Vec::new();
    for folder in entries(&root.join("tests")) {
        let language = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
        for path in entries(&folder.join(feature)) {
            if path.extension().is_some_and(|extension| extension == "md") {
                let name = path.file_name().unwrap_or_default().to_string_lossy();
                files.push(File {
                    name: format!("tests/{language}/{feature}/{name}"),
                    path,
                    language: Some(language.clone()),
                });
            }
        }
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

fn run_file<C: Corpus>(corpus: &C, file: &File, request: &Request) -> Tally {
    let mut tally = Tally::default();
    let text = std::fs::read_to_string(&file.path).map_err(|error| Problem::new(0, error.to_string()));
    let (text, cases) = match text.and_then(|text| corpus.cases(file, &text).map(|cases| (text, cases))) {
        Ok(read) => read,
        Err(Problem { line, message }) => {
            tally.failures.push(format!("{}:{line}: {message}", file.name));
            return tally;
        }
    };
    let mut updates = Vec::new();
    for case in &cases {
        let heading = corpus.heading(case);
        if !request.filters.is_empty() && !request.filters.iter().any(|filter| is_meant(file, heading.title, filter)) {
            tally.filtered += 1;
            continue;
        }
        if request.list {
            tally.lines.push(format!("{}:{}: {}: test", file.name, heading.line, heading.title));
            continue;
        }
        let outcome = catch_unwind(AssertUnwindSafe(|| corpus.run(case))).unwrap_or_else(|_| Outcome {
            problems: vec![Problem::new(heading.line, "panicked; what it said is above")],
            updates: Vec::new(),
        });
        if outcome.problems.is_empty() {
            tally.passed += 1;
            tally.fixme += usize::from(heading.fixme.is_some());
        } else {
            tally.failures.push(failure(file, &heading, &outcome));
        }
        updates.extend(outcome.updates);
    }
    if request.update && !updates.is_empty() {
        tally.lines.push(match std::fs::write(&file.path, updated(&text, updates)) {
            Ok(()) => format!("updated {}", file.name),
            Err(error) => format!("cannot update {}: {error}", file.name),
        });
    }
    tally
}

/// A filter is a language, or a part of `tests/rust/search/calls.md: Title`.
fn is_meant(file: &File, title: &str, filter: &str) -> bool {
    match &file.language {
        Some(language) if language == filter => true,
        // `c` alone is the language, not every name with a c in it.
        _ => filter.len() > 2 && format!("{}: {title}", file.name).contains(filter),
    }
}

fn failure(file: &File, heading: &Heading<'_>, outcome: &Outcome) -> String {
    let mut text = format!("{}:{}: {}", file.name, heading.line, heading.title);
    if let Some(reason) = heading.fixme {
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
