//! The corpus of structural search: every case of `tests/<language>/search/*.md` and every example of `docs/patterns.md`.
//!
//! Read first: `docs/testing.md` for the format, then `markdown` (Markdown into cases), `carets` (what a source says
//! about its matches), `check` (one case run). `corpus_format` holds the tests of the format itself.
//!
//! How a corpus is found, run and reported is in `tests/corpus`, which the corpus of the code graph shares.

use std::path::Path;
use std::process::ExitCode;

use vise_syntax::Registry;

mod carets;
mod check;
#[path = "../../../../tests/corpus/fences.rs"]
mod fences;
mod markdown;
mod options;
mod rewriting;
#[path = "../../../../tests/corpus/runner.rs"]
mod runner;

use fences::Problem;
use markdown::{Case, Kind, cases};
use runner::{Corpus, File, Heading, Outcome, files_of};

struct SearchCorpus {
    registry: Registry,
    /// The names of the languages.
    languages: Vec<String>,
}

impl Corpus for SearchCorpus {
    type Case = Case;

    fn files(&self, root: &Path) -> Vec<File> {
        let mut files = files_of(root, "search");
        let manual = root.join("docs").join("patterns.md");
        if manual.is_file() {
            files.push(File { name: "docs/patterns.md".to_string(), path: manual, language: None });
        }
        files
    }

    fn cases(&self, file: &File, text: &str) -> Result<Vec<Case>, Problem> {
        let kind = match &file.language {
            Some(language) => Kind::Corpus { language },
            None => Kind::Manual { languages: &self.languages },
        };
        cases(text, &kind)
    }

    fn heading<'c>(&self, case: &'c Case) -> Heading<'c> {
        Heading { title: &case.title, line: case.line, fixme: case.fixme.as_deref() }
    }

    fn run(&self, case: &Case) -> Outcome {
        check::run(&self.registry, case)
    }
}

fn main() -> ExitCode {
    match Registry::embedded() {
        Ok(registry) => {
            let languages = registry.languages().map(|language| language.name().to_string()).collect();
            runner::run(&SearchCorpus { registry, languages })
        }
        Err(message) => {
            println!("the embedded languages cannot be read: {message}");
            ExitCode::FAILURE
        }
    }
}
