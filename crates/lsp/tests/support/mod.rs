//! A workspace, a pool, and questions to it in one line each.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;
use tempfile::TempDir;
use vise_lsp::{
    Answer, CancellationToken, Choice, Error, Operation, Outcome, Pool, PoolLimits, PoolSettings, Query, ServerConfig,
    ServerSpec, Words, configure, presets,
};
use vise_syntax::Registry;

/// A scratch workspace with servers.
pub(crate) struct World {
    pub(crate) folder: TempDir,
    pub(crate) root: PathBuf,
    pub(crate) pool: Pool,
    pub(crate) spec: ServerSpec,
}

/// Looks into every file, as an index would.
pub(crate) struct Grep<'a>(pub(crate) &'a Path);

impl Words for Grep<'_> {
    fn files_with(&self, word: &str) -> Vec<PathBuf> {
        let mut found = Vec::new();
        let mut folders = vec![self.0.to_owned()];
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
                let path = entry.path();
                if path.is_dir() {
                    folders.push(path);
                } else if fs::read_to_string(&path)
                    .unwrap_or_default()
                    .split(|c: char| !c.is_alphanumeric() && c != '_')
                    .any(|w| w == word)
                {
                    found.push(path);
                }
            }
        }
        found.sort();
        found
    }
}

impl World {
    /// A workspace with these files and a server of the presets, changed by a configuration.
    pub(crate) fn new(files: &[(&str, &str)], server: &str, config: ServerConfig) -> World {
        World::patient(files, server, config, Duration::from_secs(20))
    }

    fn patient(files: &[(&str, &str)], server: &str, config: ServerConfig, patience: Duration) -> World {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap().join("w");
        for (name, text) in files {
            let path = root.join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        let registry = Arc::new(Registry::embedded().unwrap());
        let mut specs = presets(&registry);
        configure(&mut specs, &BTreeMap::from([(server.to_owned(), config)])).unwrap();
        let spec = specs.into_iter().find(|spec| spec.id == server).unwrap();
        let settings = PoolSettings {
            guard: vise_peer::GuardProgram {
                program: env!("CARGO_BIN_EXE_lsp-helper").into(),
                arguments: vec!["guard".into()],
            },
            records: None,
            workspace: root.clone(),
            trusted: true,
            limits: PoolLimits { max_servers: 4, max_memory: 8 << 30 },
            ready: patience,
            diagnostics: patience / 4,
        };
        let pool = Pool::new(settings, registry).unwrap();
        World { folder, root, pool, spec }
    }

    /// One whose server does what a plan says. `id` is the preset whose way of being ready it has.
    pub(crate) fn planned(files: &[(&str, &str)], id: &str, plan: &Value) -> World {
        let mut world = World::patient(files, id, ServerConfig::default(), Duration::from_secs(6));
        let place = world.folder.path().to_owned();
        let text = plan.to_string().replace("$R", &format!("file://{}", world.root.display()));
        fs::write(place.join("plan.json"), text).unwrap();
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/children/server.py");
        world.spec.command = ["python3", "-u"]
            .into_iter()
            .map(PathBuf::from)
            .chain([script, place.join("plan.json"), place.join("log")])
            .map(|part| part.display().to_string())
            .collect();
        world
    }

    pub(crate) fn ask_as(&self, spec: &ServerSpec, query: &Query) -> Result<Answer, Error> {
        let choice = self.choice(spec, self.root.clone());
        let allowed = Duration::from_secs(120);
        self.pool.ask(&[choice], query, &Grep(&self.root), allowed, &CancellationToken::new())
    }

    /// A server without a search for it: its command names its program.
    pub(crate) fn choice<'s>(&self, spec: &'s ServerSpec, root: PathBuf) -> Choice<'s> {
        Choice { server: spec, root, program: PathBuf::from(&spec.command[0]) }
    }

    pub(crate) fn query(&self, operation: Operation, symbol: &str, file: &str, line: usize) -> Query {
        Query {
            operation,
            file: Some(self.root.join(file)).filter(|_| !file.is_empty()),
            symbol: Some(symbol.to_owned()).filter(|symbol| !symbol.is_empty()),
            line: Some(line).filter(|line| *line > 0),
            column: None,
            max: 200,
            include_ignored: false,
        }
    }

    pub(crate) fn ask(&self, operation: Operation, symbol: &str, file: &str, line: usize) -> Result<Answer, Error> {
        self.ask_as(&self.spec, &self.query(operation, symbol, file, line))
    }

    /// The places of an answer as `file:line:column`, a definition with a star.
    pub(crate) fn places(&self, operation: Operation, symbol: &str, file: &str, line: usize) -> (Vec<String>, Answer) {
        let answer = self.ask(operation, symbol, file, line).unwrap();
        let Outcome::Locations(found) = &answer.outcome else { panic!("{answer:?}") };
        let star = |definition: bool| if definition { "*" } else { "" };
        let shown = found.iter().map(|at| format!("{}:{}:{}{}", at.file, at.line, at.column, star(at.definition)));
        (shown.collect(), answer)
    }

    pub(crate) fn write(&self, file: &str, text: &str) {
        fs::write(self.root.join(file), text).unwrap();
    }

    /// The methods of the messages that a planned server received, with the messages.
    pub(crate) fn received(&self) -> Vec<(String, Value)> {
        let log = fs::read_to_string(self.folder.path().join("log")).unwrap_or_default();
        let read = |line: &str| {
            let message: Value = serde_json::from_str(line).unwrap();
            (message["method"].as_str().unwrap_or("answer").to_owned(), message)
        };
        log.lines().map(read).collect()
    }

    /// How often it received this.
    pub(crate) fn count(&self, method: &str) -> usize {
        self.received().iter().filter(|(received, _)| received == method).count()
    }
}

impl Drop for World {
    fn drop(&mut self) {
        let survivors = self.pool.stop_all();
        if !std::thread::panicking() {
            assert_eq!(survivors, Vec::<String>::new());
        }
    }
}
