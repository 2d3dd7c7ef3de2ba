//! The one place that reads the environment, and builds a session of it.

use std::env;
use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::SystemTime;

use vise_tools::{ErrorKind, MAX_FILE_BYTES, MAX_PER_ANSWER, Registry, Session, ToolError, WalkOptions, discover_root};

use crate::cli::{Global, Reach};
use crate::config::{self, Config};

/// A folder of the XDG specification: its variable, or a folder below the home folder.
fn folder(variable: &str, below_home: &str) -> PathBuf {
    let set = env::var_os(variable).map(PathBuf::from).filter(|path| path.is_absolute());
    set.unwrap_or_else(|| env::home_dir().unwrap_or_else(|| PathBuf::from("/")).join(below_home))
}

/// `$XDG_STATE_HOME`.
pub(crate) fn state_home() -> PathBuf {
    folder("XDG_STATE_HOME", ".local/state")
}

/// Whether the environment says that this checkout may be trusted.
fn trusted() -> bool {
    env::var_os("VISE_TRUST") == Some(OsString::from("1"))
}

/// Everything that a tool is given beside its input.
pub(crate) fn session(
    global: &Global,
    reach: &Reach,
    stop: Arc<AtomicBool>,
) -> Result<(Session, Vec<String>), ToolError> {
    let cwd = env::current_dir().and_then(|cwd| cwd.canonicalize()).map_err(|error| {
        ToolError::new(ErrorKind::Unavailable, format!("the current folder cannot be used: {error}"))
    })?;
    let root = discover_root(&cwd, global.root.as_deref())?;
    // A root that was named and does not hold the current folder is where the user wants to work.
    let folder_of_paths = if cwd.starts_with(&root) { cwd } else { root.clone() };
    let mut warnings = Vec::new();
    let config = config(&root, &mut warnings)?;
    let mut registry = Registry::embedded().map_err(|error| ToolError::new(ErrorKind::Internal, error))?;
    if let Some(data) = &global.data {
        registry.add_folder(data).map_err(|error| ToolError::bad_input(format!("`--data`: {error}")))?;
    }
    for library in &config.languages {
        registry.add_library(&library.library, &library.data).map_err(|error| {
            ToolError::bad_input(format!("`[languages.{}]` in `{}`: {error}", library.name, library.file.display()))
        })?;
    }
    let session = Session {
        folder: folder_of_paths,
        root,
        registry: Arc::new(registry),
        state_home: state_home(),
        cache_home: folder("XDG_CACHE_HOME", ".cache"),
        graph: config.graph,
        walk: WalkOptions {
            no_ignore: reach.no_ignore,
            hidden: reach.hidden,
            globs: reach.glob.clone(),
            threads: global.threads.min(256),
        },
        max_file_bytes: config.max_file_bytes.unwrap_or(MAX_FILE_BYTES),
        max_per_answer: config.max_per_answer.unwrap_or(MAX_PER_ANSWER),
        piped: None,
        stop,
        progress: None,
        now: SystemTime::now,
    };
    Ok((session, warnings))
}

fn config(root: &std::path::Path, warnings: &mut Vec<String>) -> Result<Config, ToolError> {
    let mut config = Config::default();
    config::read(&mut config, &folder("XDG_CONFIG_HOME", ".config").join("vise/config.toml"), true, warnings)?;
    config::read(&mut config, &root.join("vise.toml"), trusted(), warnings)?;
    Ok(config)
}
