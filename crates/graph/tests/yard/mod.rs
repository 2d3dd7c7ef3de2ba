//! A workspace on disk, indexed with the real languages, for tests that need texts beside the graph.

#![allow(dead_code, reason = "each test file uses some of it")]

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use vise_graph::facts::FileFacts;
use vise_graph::index::{self, Opened, Options, Steps};
use vise_graph::resolve::resolve;
use vise_graph::{Edge, Graph, Rules, facts_of};
use vise_syntax::{Language, OverBudget, Registry};

pub(crate) struct Yard {
    _dir: tempfile::TempDir,
    pub(crate) root: PathBuf,
    pub(crate) options: Options,
}

struct Languages {
    registry: Registry,
    rules: BTreeMap<String, Option<Rules>>,
}

fn languages() -> &'static Languages {
    static LANGUAGES: OnceLock<Languages> = OnceLock::new();
    LANGUAGES.get_or_init(|| {
        let registry = Registry::embedded().unwrap();
        let wanted = ["rust", "python", "typescript", "java", "c"];
        let rules = wanted.map(|name| (name.to_owned(), Rules::compile(registry.by_name(name).unwrap()).unwrap()));
        Languages { rules: rules.into(), registry }
    })
}

fn extract(language: &Language, text: &[u8], path: &str) -> Result<Option<FileFacts>, OverBudget> {
    match languages().rules.get(language.name()) {
        Some(Some(rules)) => facts_of(language, rules, text, path).map(Some),
        _ => Ok(None),
    }
}

impl Yard {
    pub(crate) fn new(files: &[(&str, &str)]) -> Self {
        let dir = tempfile::tempdir().unwrap();
        let top = dir.path().canonicalize().unwrap();
        let options = Options { cache_home: Some(top.join("cache")), ..Options::default() };
        fs::create_dir(top.join("root")).unwrap();
        let yard = Self { root: top.join("root"), options, _dir: dir };
        for (path, text) in files {
            yard.write(path, text);
        }
        yard
    }

    pub(crate) fn write(&self, path: &str, text: &str) {
        let path = self.root.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    pub(crate) fn text(&self, path: &str) -> Option<Vec<u8>> {
        fs::read(self.root.join(path)).ok()
    }

    #[track_caller]
    pub(crate) fn open(&self) -> Opened {
        let opened = open(&self.root, &self.options);
        assert_eq!(opened.warnings, [] as [&str; 0]);
        opened
    }
}

pub(crate) fn open(root: &Path, options: &Options) -> Opened {
    let steps = Steps { extract: &extract, resolve: &resolve };
    index::open(root, options, &languages().registry, &steps, &|_, _| {}, &|| false).unwrap()
}

/// An edge in words: `a.py:3 f calls a.py::g import`.
pub(crate) fn edge(graph: &Graph, edge: &Edge) -> String {
    let (from, to) = (graph.symbol(edge.from), graph.symbol(edge.to));
    let (kind, evidence) = (edge.kind.as_str(), edge.evidence.as_str());
    format!("{}:{} {} {kind} {}::{} {evidence}", graph.file(edge.file).path, edge.line, from.name, to.file, to.name)
}

/// All edges of a graph in words, containment left out, in order.
pub(crate) fn edges(graph: &Graph) -> Vec<String> {
    (0..graph.symbols()).flat_map(|ix| graph.out(ix)).map(|one| edge(graph, &one)).collect()
}
