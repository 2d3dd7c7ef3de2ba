//! The one place that reads the environment, and builds a session of it.

use std::env;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::SystemTime;

use serde::{Deserialize, Serialize};
use vise_tools::{ErrorKind, MAX_FILE_BYTES, MAX_PER_ANSWER, Registry, Session, ToolError, WalkOptions, discover_root};

use crate::cli::{Global, Reach};
use crate::config::{self, Config, From, Settings};
use crate::daemon::Remote;
use crate::trust;

/// What of the environment counts. It goes to the daemon with each question, so that it sees what who asks would see.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Around {
    /// `PATH`.
    pub(crate) path: OsString,
    /// The home folder.
    pub(crate) home: PathBuf,
    /// `$XDG_CONFIG_HOME`.
    pub(crate) config_home: PathBuf,
    /// `$XDG_STATE_HOME`: proposals, trust and what conversations have seen.
    pub(crate) state_home: PathBuf,
    /// `$XDG_CACHE_HOME`: the code graph.
    pub(crate) cache_home: PathBuf,
    /// `$XDG_RUNTIME_DIR`, where there is one.
    pub(crate) runtime: Option<PathBuf>,
    /// Whether `VISE_TRUST` says that any checkout is trusted.
    pub(crate) trust: bool,
}

impl Around {
    /// Ours.
    pub(crate) fn ours() -> Around {
        let home = env::home_dir().unwrap_or_else(|| PathBuf::from("/"));
        let set = |variable: &str| env::var_os(variable).map(PathBuf::from).filter(|path| path.is_absolute());
        let folder = |variable: &str, below: &str| set(variable).unwrap_or_else(|| home.join(below));
        Around {
            path: env::var_os("PATH").unwrap_or_default(),
            config_home: folder("XDG_CONFIG_HOME", ".config"),
            state_home: folder("XDG_STATE_HOME", ".local/state"),
            cache_home: folder("XDG_CACHE_HOME", ".cache"),
            runtime: set("XDG_RUNTIME_DIR").filter(|path| path.is_dir()),
            trust: env::var_os("VISE_TRUST") == Some(OsString::from("1")),
            home,
        }
    }
}

/// What the configuration of a workspace says.
pub(crate) struct Configured {
    pub(crate) config: Config,
    /// Whether code of the project may run.
    pub(crate) trusted: bool,
    pub(crate) warnings: Vec<String>,
}

impl Configured {
    /// What language servers need of it.
    ///
    /// # Errors
    /// When a server that it adds lacks what it needs.
    pub(crate) fn settings(&self, registry: &Registry, around: &Around) -> Result<Settings, ToolError> {
        let servers = self.config.lsp.over(vise_lsp::presets(registry)).map_err(ToolError::bad_input)?;
        Ok(Settings { servers, lsp: self.config.lsp.clone(), trusted: self.trusted, path: around.path.clone() })
    }
}

/// Reads the user's configuration and the project's.
pub(crate) fn configured(root: &Path, around: &Around, registry: &Registry) -> Result<Configured, ToolError> {
    let (mut config, mut warnings) = (Config::default(), Vec::new());
    let presets: Vec<String> = vise_lsp::presets(registry).into_iter().map(|spec| spec.id).collect();
    let own = around.config_home.join("vise/config.toml");
    config::read(&mut config, &own, From::User, &presets, &mut warnings)?;
    let trusted = trust::is_trusted(root, around, &config.trusted_roots);
    config::read(&mut config, &root.join("vise.toml"), From::Checkout { trusted }, &presets, &mut warnings)?;
    Ok(Configured { config, trusted, warnings })
}

/// The languages that are built in, and those of `--data`.
pub(crate) fn languages(data: Option<&Path>) -> Result<Registry, ToolError> {
    let mut registry = Registry::embedded().map_err(|error| ToolError::new(ErrorKind::Internal, error))?;
    if let Some(data) = data {
        registry.add_folder(data).map_err(|error| ToolError::bad_input(format!("`--data`: {error}")))?;
    }
    Ok(registry)
}

/// Everything that a tool is given beside its input. `may_ask`: whether the person at the terminal may be asked to trust
/// the checkout.
pub(crate) fn session(
    global: &Global,
    reach: &Reach,
    may_ask: bool,
    stop: Arc<AtomicBool>,
) -> Result<(Session, Vec<String>), ToolError> {
    let cwd = env::current_dir().and_then(|cwd| cwd.canonicalize()).map_err(|error| {
        ToolError::new(ErrorKind::Unavailable, format!("the current folder cannot be used: {error}"))
    })?;
    let root = discover_root(&cwd, global.root.as_deref())?;
    // A root that was named and does not hold the current folder is where the user wants to work.
    let folder = if cwd.starts_with(&root) { cwd } else { root.clone() };
    let conversation = global.conversation.clone().unwrap_or_else(conversation);
    let languages = Arc::new(languages(global.data.as_deref())?);
    if may_ask {
        let around = Around::ours();
        let roots = configured(&root, &around, &languages)?.config.trusted_roots;
        trust::ask_once(&root, &around, &roots)?;
    }
    session_at(Place { root, folder, conversation }, &languages, global, reach, stop)
}

/// Where somebody works, and who it is.
pub(crate) struct Place {
    /// The root of the workspace, without links.
    pub(crate) root: PathBuf,
    /// The folder that relative paths are taken from.
    pub(crate) folder: PathBuf,
    /// Whose questions these are.
    pub(crate) conversation: String,
}

/// Everything that a tool is given beside its input, for a place that is known. `languages`: those without the user's own.
pub(crate) fn session_at(
    place: Place,
    languages: &Arc<Registry>,
    global: &Global,
    reach: &Reach,
    stop: Arc<AtomicBool>,
) -> Result<(Session, Vec<String>), ToolError> {
    let Place { root, folder, conversation } = place;
    let around = Around::ours();
    let configured = configured(&root, &around, languages)?;
    let mut registry = languages.clone();
    if !configured.config.languages.is_empty() {
        registry = Arc::new(with_libraries(&configured.config.languages, global.data.as_deref())?);
    }
    let settings = configured.settings(&registry, &around)?;
    let diagnostics = settings.lsp.diagnostics;
    let Configured { config, warnings, .. } = configured;
    let session = Session {
        folder,
        registry,
        state_home: around.state_home.clone(),
        cache_home: around.cache_home.clone(),
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
        living: Some(Arc::new(Remote::new(root.clone(), around, settings, global.data.clone()))),
        root,
        conversation,
        diagnostics,
        progress: None,
        saying: None,
        now: SystemTime::now,
    };
    Ok((session, warnings))
}

/// The languages, and those that the user brings.
fn with_libraries(libraries: &[config::UserLanguage], data: Option<&Path>) -> Result<Registry, ToolError> {
    let mut registry = languages(data)?;
    for library in libraries {
        registry.add_library(&library.library, &library.data).map_err(|error| {
            ToolError::bad_input(format!("`[languages.{}]` in `{}`: {error}", library.name, library.file.display()))
        })?;
    }
    Ok(registry)
}

/// Whose question this is where nobody says: the terminal session or agent that started us, told from a later one of the
/// same number by when it began.
pub(crate) fn conversation() -> String {
    if let Some(set) = env::var("VISE_CONVERSATION").ok().filter(|set| !set.is_empty()) {
        return set;
    }
    let parent = std::os::unix::process::parent_id();
    let session = rustix::process::Pid::from_raw(parent.try_into().unwrap_or(0));
    let session = rustix::process::getsid(session).map_or(parent, |pid| pid.as_raw_nonzero().get().unsigned_abs());
    format!("{session}-{}", began(session).unwrap_or_default())
}

/// When a process began, in the system's own count.
fn began(process: u32) -> Option<String> {
    let stat = std::fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    // The name stands in parentheses and may hold anything; the start is the 20th field behind it.
    stat.rsplit_once(')')?.1.split_whitespace().nth(19).map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_began_once() {
        let ours = began(std::process::id());
        assert_eq!(ours, began(std::process::id()));
        #[cfg(target_os = "linux")]
        assert!(ours.is_some_and(|ticks| ticks.parse::<u64>().is_ok()));
        assert_eq!(began(0), None);
    }
}
