//! Which workspace a call is about, and the session that its tool is given.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use serde_json::{Map, Value};
use vise_tools::{ErrorKind, Registry, Session, ToolError, discover_root};

use super::list::Here;
use super::roots::path_of;
use crate::cli::{Global, Reach};
use crate::environment::{self, Place};

/// What all calls have in common.
pub(super) struct Workspaces {
    global: Global,
    languages: Arc<Registry>,
}

impl Workspaces {
    pub(super) fn new(global: Global) -> Result<Self, ToolError> {
        let languages = Arc::new(environment::languages(global.data.as_deref())?);
        Ok(Self { global, languages })
    }

    /// The names of all languages.
    pub(super) fn languages(&self) -> Vec<&str> {
        self.languages.languages().map(|language| language.name()).collect()
    }

    /// A session at a root. Relative paths are taken from there, so that what an answer names can be asked about as it
    /// stands.
    pub(super) fn session(
        &self,
        root: PathBuf,
        conversation: &str,
        stop: Arc<AtomicBool>,
    ) -> Result<(Session, Vec<String>), ToolError> {
        let place = Place { folder: root.clone(), root, conversation: conversation.to_owned(), stays: true };
        environment::session_at(place, &self.languages, &self.global, &Reach::default(), stop)
    }

    /// The root where nobody names one: that of the command line, else the client's only one, else the enclosing one of
    /// the folder that we were started in.
    pub(super) fn default_root(&self, clients: &[PathBuf]) -> Result<PathBuf, ToolError> {
        if let ([only], None) = (clients, &self.global.root) {
            return Ok(only.clone());
        }
        let cwd = std::env::current_dir().and_then(|cwd| cwd.canonicalize()).map_err(|error| {
            ToolError::new(ErrorKind::Unavailable, format!("the current folder cannot be used: {error}"))
        })?;
        Ok(discover_root(&cwd, self.global.root.as_deref())?)
    }

    /// All roots that are known without being named.
    pub(super) fn known(&self, clients: &[PathBuf]) -> Result<Vec<PathBuf>, ToolError> {
        if self.global.root.is_some() || clients.is_empty() {
            return Ok(vec![self.default_root(clients)?]);
        }
        Ok(clients.to_vec())
    }

    /// What of the tools can work in these workspaces. One that cannot be looked at offers nothing.
    pub(super) fn here(&self, clients: &[PathBuf]) -> Here {
        let (mut servers, mut adapters) = (BTreeSet::new(), BTreeSet::new());
        for root in self.known(clients).unwrap_or_default() {
            let session = self.session(root, "", Arc::new(AtomicBool::new(false)));
            let Ok((session, _)) = session else { continue };
            let served = session.living.as_ref().and_then(|living| living.servers(&session).ok());
            servers.extend(served.unwrap_or_default().into_iter().filter_map(|one| one.server));
            let found = session.living.as_ref().and_then(|living| living.adapters(&session).ok());
            adapters.extend(found.unwrap_or_default().into_iter().filter(|one| one.program.is_ok()).map(|one| one.id));
        }
        Here { servers: servers.into_iter().collect(), adapters: adapters.into_iter().collect() }
    }

    /// The root that a call is about. `named` is its `root`, `input` the rest.
    pub(super) fn root_of(
        &self,
        named: Option<&Value>,
        input: &Map<String, Value>,
        clients: &[PathBuf],
    ) -> Result<PathBuf, ToolError> {
        match named {
            None | Some(Value::Null) => {}
            Some(Value::String(text)) => return self.named(text, clients),
            Some(other) => return Err(ToolError::bad_input(format!("`root` takes a text, not `{other}`"))),
        }
        let known = self.known(clients)?;
        let [first, _, ..] = known.as_slice() else { return self.default_root(clients) };
        // A proposal is found whatever the workspace.
        if input.contains_key("proposal") {
            return Ok(first.clone());
        }
        let paths: Vec<&Path> = paths_of(input).collect();
        let holds = |root: &&PathBuf| paths.iter().any(|path| holds(root, path));
        let mut holding: Vec<&PathBuf> = known.iter().filter(holds).collect();
        // Of roots in each other the inner one is meant.
        holding.sort_by_key(|root| std::cmp::Reverse(root.as_os_str().len()));
        match holding.as_slice() {
            [only] => Ok((*only).clone()),
            [inner, others @ ..] if others.iter().all(|other| inner.starts_with(other)) => Ok((*inner).clone()),
            _ => {
                let roots: Vec<String> = known.iter().map(|root| root.display().to_string()).collect();
                let list: Vec<String> = roots.iter().map(|root| format!("`{root}`")).collect();
                let message = format!("{} workspaces are open, and the call says not which", roots.len());
                let error = ToolError::bad_input(message).with("candidates", &roots);
                Err(error.hint(format!("give `root`, one of {}", list.join(", "))))
            }
        }
    }

    fn named(&self, text: &str, clients: &[PathBuf]) -> Result<PathBuf, ToolError> {
        let path = match path_of(text) {
            Some(path) => path,
            None if text.starts_with("file:") => return Err(ToolError::bad_input(format!("`{text}` is no path"))),
            None => PathBuf::from(text),
        };
        // The last name of an open workspace will do.
        let by_name = clients.iter().filter(|root| root.file_name() == Some(path.as_os_str())).collect::<Vec<_>>();
        if let [only] = by_name.as_slice() {
            return Ok((*only).clone());
        }
        let base = if path.is_absolute() { PathBuf::from("/") } else { self.default_root(clients)? };
        Ok(discover_root(&base, Some(&base.join(path)))?)
    }
}

/// The paths in an input.
fn paths_of(input: &Map<String, Value>) -> impl Iterator<Item = &Path> {
    let values = ["paths", "path", "file", "files"].into_iter().filter_map(|key| input.get(key));
    let texts = values.flat_map(|value| match value {
        Value::Array(list) => list.iter().filter_map(Value::as_str).collect(),
        other => other.as_str().into_iter().collect::<Vec<_>>(),
    });
    texts.map(Path::new)
}

fn holds(root: &Path, path: &Path) -> bool {
    if path.is_absolute() { path.starts_with(root) } else { root.join(path).symlink_metadata().is_ok() }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use serde_json::json;

    use super::*;
    use crate::cli::Color;

    fn workspaces() -> Workspaces {
        let global = Global {
            threads: 0,
            data: None,
            json: false,
            root: None,
            color: Color::Never,
            conversation: None,
            quiet: true,
            verbose: false,
        };
        Workspaces::new(global).unwrap()
    }

    #[test]
    fn the_workspace_is_named_or_told_by_a_path() {
        let folder = tempfile::tempdir().unwrap();
        let top = folder.path().canonicalize().unwrap();
        let (a, b) = (top.join("a"), top.join("b"));
        fs::create_dir_all(a.join("src")).unwrap();
        fs::create_dir_all(&b).unwrap();
        fs::write(b.join("only.py"), "x = 1\n").unwrap();
        let (workspaces, roots) = (workspaces(), [a.clone(), b.clone()]);
        let root = |named: Value, input: Value| workspaces.root_of(Some(&named), input.as_object().unwrap(), &roots);

        assert_eq!(root(json!(b.to_str()), json!({})).unwrap(), b);
        assert_eq!(root(json!("b"), json!({})).unwrap(), b);
        assert_eq!(root(json!(format!("file://{}", a.display())), json!({})).unwrap(), a);
        assert_eq!(root(Value::Null, json!({"file": "only.py"})).unwrap(), b);
        assert_eq!(root(Value::Null, json!({"paths": [a.join("src")]})).unwrap(), a);
        assert_eq!(root(Value::Null, json!({"proposal": "123456"})).unwrap(), a);
        let error = root(Value::Null, json!({"op": "map"})).unwrap_err();
        assert!(error.message.starts_with("2 workspaces are open"), "{error}");
        assert!(root(json!("/no/such/folder"), json!({})).is_err());
        assert!(root(json!(3), json!({})).unwrap_err().message.contains("`root` takes a text"));
    }

    #[test]
    fn of_workspaces_in_each_other_the_inner_one_is_meant() {
        let folder = tempfile::tempdir().unwrap();
        let top = folder.path().canonicalize().unwrap();
        let inner = top.join("inner");
        fs::create_dir(&inner).unwrap();
        let roots = [top.clone(), inner.clone()];
        let root = |input: Value| workspaces().root_of(None, input.as_object().unwrap(), &roots);
        assert_eq!(root(json!({"file": inner.join("a.rs")})).unwrap(), inner);
        assert_eq!(root(json!({"file": top.join("a.rs")})).unwrap(), top);
    }
}
