//! The files that the server wants to hear of.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use globset::{GlobBuilder, GlobMatcher};
use serde_json::{Value, json};

use super::Session;
use crate::uri;

/// What became of a file on disk.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum FileChange {
    Created = 1,
    Changed = 2,
    Deleted = 3,
}

impl FileChange {
    /// Its bit in a watcher's mask.
    fn bit(self) -> i64 {
        1 << (self as i64 - 1)
    }
}

/// The patterns of all registrations.
#[derive(Debug)]
pub(crate) struct Watched {
    root: PathBuf,
    extensions: Vec<String>,
    registered: BTreeMap<String, Vec<Watcher>>,
}

#[derive(Debug)]
struct Watcher {
    /// What a relative pattern is relative to; `None` where the pattern is for whole paths.
    base: Option<PathBuf>,
    glob: GlobMatcher,
    kinds: i64,
}

impl Watched {
    pub(super) fn new(root: PathBuf, extensions: Vec<String>) -> Watched {
        Watched { root, extensions, registered: BTreeMap::new() }
    }

    /// Takes a registration; gives back the patterns that are none.
    pub(super) fn register(&mut self, id: &str, options: &Value) -> Vec<String> {
        let mut bad = Vec::new();
        let mut watchers = Vec::new();
        for watcher in options["watchers"].as_array().map_or(&[][..], Vec::as_slice) {
            match self.watcher(watcher) {
                Some(watcher) => watchers.push(watcher),
                None => bad.push(watcher["globPattern"].to_string()),
            }
        }
        self.registered.insert(id.to_owned(), watchers);
        bad
    }

    pub(super) fn unregister(&mut self, id: &str) {
        self.registered.remove(id);
    }

    fn watcher(&self, watcher: &Value) -> Option<Watcher> {
        let pattern = &watcher["globPattern"];
        let (base, glob) = match pattern.as_str() {
            Some(glob) if glob.starts_with('/') => (None, glob),
            Some(glob) => (Some(self.root.clone()), glob),
            None => {
                let base = &pattern["baseUri"];
                let base = base.as_str().or_else(|| base["uri"].as_str()).and_then(uri::path)?;
                (Some(base), pattern["pattern"].as_str()?)
            }
        };
        let glob = GlobBuilder::new(glob).literal_separator(true).build().ok()?.compile_matcher();
        Some(Watcher { base, glob, kinds: watcher["kind"].as_i64().unwrap_or(7) })
    }

    /// Whether the server is to hear that this became of this file. One that registered nothing hears of its own files:
    /// there are some that listen all the same.
    pub(crate) fn wants(&self, path: &Path, change: FileChange) -> bool {
        if self.registered.is_empty() {
            let ending = path.extension().map(|ending| format!(".{}", ending.to_string_lossy().to_lowercase()));
            return ending.is_some_and(|ending| self.extensions.contains(&ending));
        }
        self.registered.values().flatten().any(|watcher| {
            watcher.kinds & change.bit() != 0
                && match &watcher.base {
                    Some(base) => path.strip_prefix(base).is_ok_and(|inside| watcher.glob.is_match(inside)),
                    None => watcher.glob.is_match(path),
                }
        })
    }
}

impl Session {
    /// Tells the server what became of files, as far as it wants to hear of it: in one message, or in none.
    pub(crate) fn files_changed(&mut self, changes: &[(PathBuf, FileChange)]) {
        let wanted = changes.iter().filter(|(path, change)| self.watched.wants(path, *change));
        let changes: Vec<Value> =
            wanted.map(|(path, change)| json!({"uri": self.documents.uri(path), "type": *change as i64})).collect();
        if !changes.is_empty() {
            self.notify("workspace/didChangeWatchedFiles", json!({"changes": changes}));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_of_every_shape() {
        let mut watched = Watched::new("/r".into(), vec![".rs".into()]);
        let bad = watched.register(
            "1",
            &json!({"watchers": [
                {"globPattern": "**/*.py", "kind": 1},
                {"globPattern": "/abs/**/{a,b}.json"},
                {"globPattern": {"baseUri": "file:///r/sub", "pattern": "*.toml"}},
                {"globPattern": {"baseUri": {"uri": "file:///other%20one", "name": "x"}, "pattern": "**"}, "kind": 6},
                {"globPattern": 7},
                {"globPattern": "a{"},
            ]}),
        );
        assert_eq!(bad, ["7", "\"a{\""]);
        let wants = |path: &str, change| watched.wants(Path::new(path), change);
        use FileChange::{Changed, Created, Deleted};
        assert!(wants("/r/a.py", Created) && wants("/r/x/y/a.py", Created) && !wants("/r/a.py", Changed));
        assert!(!wants("/elsewhere/a.py", Created));
        assert!(wants("/abs/x/y/b.json", Deleted) && !wants("/abs/c.json", Deleted));
        assert!(wants("/r/sub/a.toml", Changed) && !wants("/r/sub/x/a.toml", Changed) && !wants("/r/a.toml", Changed));
        assert!(wants("/other one/x/y", Deleted) && !wants("/other one/x", Created));
        watched.unregister("1");
        let wants = |path: &str, change| watched.wants(Path::new(path), change);
        assert!(!wants("/r/a.py", Created) && wants("/r/a.RS", Deleted) && !wants("/r/rs", Created));
    }
}
