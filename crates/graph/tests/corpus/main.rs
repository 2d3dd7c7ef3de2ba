//! The corpus of the code graph: every case of `tests/<language>/graph/*.md`.
//!
//! Read first: `docs/testing.md` for the format, then `case` (Markdown into cases), `marks` (what caret lines say),
//! `seen` (what was found, in the same terms), `compare` and `questions`. `corpus_format` holds the tests of the format
//! itself.
//!
//! It never touches a disk for a case: its files are parsed, extracted and resolved as values.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::ExitCode;

use vise_syntax::Registry;

mod case;
mod compare;
#[path = "../../../../tests/corpus/fences.rs"]
mod fences;
mod house;
mod marks;
mod questions;
#[path = "../../../../tests/corpus/runner.rs"]
mod runner;
mod seen;
mod update;

use case::{Case, cases};
use fences::Problem;
use house::House;
use runner::{Corpus, File, Heading, Outcome, files_of};

struct GraphCorpus {
    house: House,
    /// The first file name ending of each language, by its names.
    extensions: BTreeMap<String, String>,
}

impl Corpus for GraphCorpus {
    type Case = Case;

    fn files(&self, root: &Path) -> Vec<File> {
        files_of(root, "graph")
    }

    fn cases(&self, _: &File, text: &str) -> Result<Vec<Case>, Problem> {
        cases(text, |tag| self.extensions.get(tag).cloned())
    }

    fn heading<'c>(&self, case: &'c Case) -> Heading<'c> {
        Heading { title: &case.title, line: case.line, fixme: case.fixme.as_deref() }
    }

    fn run(&self, case: &Case) -> Outcome {
        let mut outcome = Outcome::default();
        match self.house.see(case) {
            Ok((seen, files)) => {
                for (file, of) in files.iter().enumerate() {
                    let problems = compare::differences(&seen, file, of);
                    let silent = !case.says_something();
                    if !problems.is_empty() || silent {
                        outcome.update(&of.fence, update::render(&seen, file, of, &problems, silent));
                    }
                    outcome.problems.extend(problems);
                }
                for fence in &case.questions {
                    let (problems, text) = questions::check(&seen, fence);
                    if !problems.is_empty() {
                        outcome.update(fence, text);
                    }
                    outcome.problems.extend(problems);
                }
                if !case.says_something() {
                    outcome.problems.push(Problem::new(case.line, "this case says nothing about its files"));
                }
            }
            Err(problem) => outcome.problems.push(problem),
        }
        outcome
    }
}

fn main() -> ExitCode {
    // What the checkout says now, so that whoever edits a query need not compile.
    let read = Registry::embedded().and_then(|mut registry| {
        registry.add_folder(&runner::root())?;
        Ok(registry)
    });
    let registry = match read {
        Ok(registry) => registry,
        Err(message) => {
            println!("the languages cannot be read: {message}");
            return ExitCode::FAILURE;
        }
    };
    let mut extensions = BTreeMap::new();
    for language in registry.languages() {
        if let Some(extension) = language.description.extensions.first() {
            extensions.insert(language.name().to_string(), extension.clone());
        }
    }
    runner::run(&GraphCorpus { house: House::new(registry), extensions })
}
