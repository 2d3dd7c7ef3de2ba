//! What a tool is given beside its input: where it works and with what.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, SystemTime};

use vise_graph::index;
use vise_syntax::Registry;
use vise_workspace::WalkOptions;

use crate::{ErrorKind, Living, ToolError};

/// How far work has come: files done, files in all.
pub type Progress = Arc<dyn Fn(usize, usize) + Send + Sync>;

/// Words about what is waited for.
pub type Saying = Arc<dyn Fn(&str) + Send + Sync>;

/// Where tools work. A clone works in the same place; what it is asked may have its own `stop` and `progress`.
#[derive(Clone)]
pub struct Session {
    /// The root of the workspace, without links. Answers name files relative to it.
    pub root: PathBuf,
    /// The folder that relative paths of an input are taken from.
    pub folder: PathBuf,
    /// The languages.
    pub registry: Arc<Registry>,
    /// `$XDG_STATE_HOME`: proposals are kept below it.
    pub state_home: PathBuf,
    /// `$XDG_CACHE_HOME`: the code graph is kept below it.
    pub cache_home: PathBuf,
    /// What the code graph takes in.
    pub graph: GraphOptions,
    /// Which files are looked at.
    pub walk: WalkOptions,
    /// Longer files are skipped.
    pub max_file_bytes: u64,
    /// The most matches, and the longest diff in lines, that an agent is shown at once.
    pub max_per_answer: usize,
    /// Text that is searched in place of files.
    pub piped: Option<Vec<u8>>,
    /// Set by somebody else to make the work stop.
    pub stop: Arc<AtomicBool>,
    /// Language servers, where they can be reached from here.
    pub living: Option<Arc<dyn Living>>,
    /// Whose question this is: what is new is new to a conversation.
    pub conversation: String,
    /// How long diagnostics are waited for around a write.
    pub diagnostics: Duration,
    /// Told how far work has come.
    pub progress: Option<Progress>,
    /// Told what is waited for, in a few words.
    pub saying: Option<Saying>,
    /// The clock.
    pub now: fn() -> SystemTime,
}

/// What the code graph takes in (`[graph]` of the configuration).
#[derive(Debug, Clone)]
pub struct GraphOptions {
    /// Globs from the root of files to leave out.
    pub exclude: Vec<String>,
    /// More files are an error.
    pub max_files: usize,
    /// Unless they are meant (`--yes`).
    pub yes: bool,
    /// Longer files are left out.
    pub max_file_bytes: u64,
    /// What the graphs of all workspaces may take on disk.
    pub max_store_bytes: u64,
}

impl Default for GraphOptions {
    fn default() -> Self {
        let index::Options { exclude, max_files, yes, max_file_bytes, max_store_bytes, .. } = index::Options::default();
        Self { exclude, max_files, yes, max_file_bytes, max_store_bytes }
    }
}

/// Longer files are skipped unless the configuration says otherwise.
pub const MAX_FILE_BYTES: u64 = 10 * 1024 * 1024;
/// The most matches that an agent is shown at once unless the configuration says otherwise.
pub const MAX_PER_ANSWER: usize = 100;

impl Session {
    /// A session at a root, with nothing but the defaults: all languages that are built in, and no language servers.
    ///
    /// # Errors
    /// When a language's description does not fit its grammar, which is a bug.
    pub fn new(root: PathBuf, state_home: PathBuf, cache_home: PathBuf) -> Result<Self, ToolError> {
        let registry = Registry::embedded().map_err(|error| ToolError::new(ErrorKind::Internal, error))?;
        Ok(Self {
            folder: root.clone(),
            root,
            registry: Arc::new(registry),
            state_home,
            cache_home,
            graph: GraphOptions::default(),
            walk: WalkOptions::default(),
            max_file_bytes: MAX_FILE_BYTES,
            max_per_answer: MAX_PER_ANSWER,
            piped: None,
            stop: Arc::default(),
            living: None,
            conversation: String::new(),
            diagnostics: Duration::ZERO,
            progress: None,
            saying: None,
            now: SystemTime::now,
        })
    }

    /// Whether somebody asked to stop.
    pub fn stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    pub(crate) fn go_on(&self) -> Result<(), ToolError> {
        if self.stopped() { Err(ToolError::cancelled()) } else { Ok(()) }
    }

    /// Tells whoever looks what is waited for.
    pub fn say(&self, what: &str) {
        if let Some(saying) = &self.saying {
            saying(what);
        }
    }

    pub(crate) fn report(&self, done: usize, of: usize) {
        if let Some(progress) = &self.progress {
            progress(done, of);
        }
    }

    /// The paths of an input as absolute ones; the session's folder where there are none.
    pub(crate) fn paths(&self, given: &[PathBuf]) -> Vec<PathBuf> {
        if given.is_empty() {
            return vec![self.folder.clone()];
        }
        given.iter().map(|path| vise_workspace::absolute(&self.folder, path)).collect()
    }
}
