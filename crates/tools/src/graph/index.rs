//! The index of a session's workspace, brought up to date.

use std::hash::{Hash, Hasher};
use std::sync::{Mutex, OnceLock, PoisonError};

use rustc_hash::{FxHashMap, FxHasher};
use vise_graph::facts::FileFacts;
use vise_graph::index::{self, Opened, Options, Steps};
use vise_graph::resolve::resolve;
use vise_graph::{Rules, facts_of};
use vise_syntax::{Language, OverBudget, Registry};

use crate::{Session, ToolError};

/// Opens the index: the files are looked at first, and what changed is read again.
pub(super) fn open(session: &Session) -> Result<Opened, ToolError> {
    let compiled = Compiled::new(&session.registry);
    let extract = |language: &Language, text: &[u8], path: &str| compiled.extract(language, text, path);
    let steps = Steps { extract: &extract, resolve: &resolve };
    let progress = |done, of| session.report(done, of);
    let stopped = || session.stopped();
    let mut opened = index::open(&session.root, &options(session), &session.registry, &steps, &progress, &stopped)?;
    opened.warnings.extend(compiled.complaints.into_inner().unwrap_or_else(PoisonError::into_inner));
    Ok(opened)
}

/// Asks the facts of all files, which have been indexed, something that the graph does not hold.
pub(super) fn facts(session: &Session, question: &mut index::Question<'_>) -> Result<Vec<String>, ToolError> {
    let compiled = Compiled::new(&session.registry);
    let extract = |language: &Language, text: &[u8], path: &str| compiled.extract(language, text, path);
    let steps = Steps { extract: &extract, resolve: &resolve };
    let stopped = || session.stopped();
    Ok(index::facts(&session.root, &options(session), &session.registry, &steps, &stopped, question)?)
}

/// What of the session concerns the index.
pub(super) fn options(session: &Session) -> Options {
    let graph = &session.graph;
    Options {
        cache_home: Some(session.cache_home.clone()),
        extractor: fingerprint(&session.registry),
        exclude: graph.exclude.clone(),
        no_ignore: session.walk.no_ignore,
        hidden: session.walk.hidden,
        threads: session.walk.threads,
        max_files: graph.max_files,
        yes: graph.yes,
        max_file_bytes: graph.max_file_bytes,
        max_store_bytes: graph.max_store_bytes,
        ..Options::default()
    }
}

/// The rules of the languages, each compiled when the first of its files is read.
struct Compiled<'r> {
    rules: FxHashMap<&'r str, OnceLock<Option<Rules>>>,
    complaints: Mutex<Vec<String>>,
}

impl<'r> Compiled<'r> {
    fn new(registry: &'r Registry) -> Self {
        let rules = registry.languages().map(|language| (language.name(), OnceLock::new())).collect();
        Self { rules, complaints: Mutex::default() }
    }

    fn extract(&self, language: &Language, text: &[u8], path: &str) -> Result<Option<FileFacts>, OverBudget> {
        let Some(cell) = self.rules.get(language.name()) else { return Ok(None) };
        let Some(rules) = cell.get_or_init(|| self.compile(language)) else { return Ok(None) };
        facts_of(language, rules, text, path).map(Some)
    }

    /// Queries that are not understood leave their language out, which is said once.
    fn compile(&self, language: &Language) -> Option<Rules> {
        Rules::compile(language).unwrap_or_else(|error| {
            let complaint = format!("files of {} are left out of the graph: {error}", language.name());
            self.complaints.lock().unwrap_or_else(PoisonError::into_inner).push(complaint);
            None
        })
    }
}

/// A number that is another one when the facts of a file may be others though its text is the same.
fn fingerprint(registry: &Registry) -> u64 {
    let mut hasher = FxHasher::default();
    (env!("CARGO_PKG_VERSION"), vise_graph::CODE).hash(&mut hasher);
    for language in registry.languages() {
        let d = &language.description;
        (&d.name, &d.grammar, &d.extensions, &d.filenames, &d.shebangs, language.kind_count()).hash(&mut hasher);
        format!("{:?}", d.graph).hash(&mut hasher);
        for query in &language.queries {
            (&query.file, query.text.as_bytes()).hash(&mut hasher);
        }
    }
    hasher.finish()
}
