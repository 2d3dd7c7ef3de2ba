//! An index is what its tree is, whatever happens to the tree, to the store, and to those who write it.

mod changes;
mod crowd;
mod damage;
mod limits;

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::time::Duration;

use vise_syntax::Registry;

use super::*;
use crate::sample::{extract, resolve};

fn registry() -> &'static Registry {
    static REGISTRY: OnceLock<Registry> = OnceLock::new();
    REGISTRY.get_or_init(|| Registry::embedded().unwrap())
}

/// A workspace and a cache folder beside it.
struct Bench {
    _dir: tempfile::TempDir,
    root: PathBuf,
    options: Options,
}

impl Bench {
    fn new(files: &[(&str, &str)]) -> Self {
        let dir = tempfile::tempdir().unwrap();
        let top = dir.path().canonicalize().unwrap();
        fs::create_dir(top.join("root")).unwrap();
        let bench = Self { root: top.join("root"), options: options(&top), _dir: dir };
        for (path, text) in files {
            bench.write(path, text);
        }
        bench
    }

    fn at(&self, path: &str) -> PathBuf {
        self.root.join(path)
    }

    fn write(&self, path: &str, text: impl AsRef<[u8]>) {
        fs::create_dir_all(self.at(path).parent().unwrap()).unwrap();
        fs::write(self.at(path), text).unwrap();
    }

    /// The folder of the store.
    fn store(&self) -> PathBuf {
        let stores = self.options.cache_home.as_ref().unwrap().join("vise/graph");
        fs::read_dir(stores).unwrap().next().unwrap().unwrap().path()
    }

    fn names(&self) -> Vec<String> {
        let entries = fs::read_dir(self.store()).unwrap();
        let mut names: Vec<String> = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    /// The only file of the store whose name begins so.
    fn stored(&self, start: &str) -> PathBuf {
        let found: Vec<String> = self.names().into_iter().filter(|name| name.starts_with(start)).collect();
        assert_eq!(found.len(), 1, "{found:?}");
        self.store().join(&found[0])
    }

    fn try_open(&self) -> Result<Opened, Error> {
        sample_open(&self.root, &self.options)
    }

    /// Opens the index, which must say the same as one that is made from nothing.
    #[track_caller]
    fn open(&self) -> Opened {
        let opened = self.try_open().unwrap();
        let clean = sample_open(&self.root, &Options { cache_home: None, ..self.options.clone() }).unwrap();
        assert_eq!(says(&opened.graph), says(&clean.graph));
        assert!(opened.graph.bytes() == clean.graph.bytes(), "the same symbols and edges in other bytes");
        assert_eq!(opened.skipped, clean.skipped);
        opened
    }

    /// Opens it, with so many files parsed, known and removed.
    #[track_caller]
    fn check(&self, parsed: usize, reused: usize, removed: usize) -> Opened {
        let opened = self.open();
        assert_eq!(opened.report, Report { parsed, reused, removed });
        assert_eq!(opened.warnings, [] as [&str; 0]);
        opened
    }

    /// Lets everything be so old that times tell changes. Files cannot be given another time of change, so the tree is
    /// opened until it was seen to be quiet for long enough.
    fn settle(&self) {
        std::thread::sleep(Duration::from_millis(2100));
        self.try_open().unwrap();
    }
}

fn options(top: &Path) -> Options {
    Options { cache_home: Some(top.join("cache")), ..Options::default() }
}

fn sample_open(root: &Path, options: &Options) -> Result<Opened, Error> {
    let steps = Steps { extract: &extract, resolve: &resolve };
    open(root, options, registry(), &steps, &|_, _| {}, &|| false)
}

/// Symbols and edges in words.
fn says(graph: &Graph) -> BTreeSet<String> {
    let symbol = |ix| {
        let symbol = graph.symbol(ix);
        format!("{}:{} {} {}", symbol.file, symbol.line, symbol.kind.as_str(), symbol.qualified)
    };
    let mut said = BTreeSet::new();
    for ix in 0..graph.symbols() {
        said.insert(format!("{} {:?}", symbol(ix), graph.misses(ix)));
        said.extend(
            graph.out(ix).map(|edge| {
                format!("{} -> {} at {} {}", symbol(ix), symbol(edge.to), edge.line, edge.evidence.as_str())
            }),
        );
    }
    said
}

/// The names of those who call a name.
fn callers(graph: &Graph, name: &str) -> Vec<String> {
    let mut callers: Vec<String> =
        graph.named(name).flat_map(|ix| graph.into(ix)).map(|edge| graph.symbol(edge.from).name.to_owned()).collect();
    callers.sort();
    callers
}
