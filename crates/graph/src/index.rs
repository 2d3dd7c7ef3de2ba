//! The index of a workspace: opened, and brought up to date first.
//!
//! Every opening looks at the whole tree ([`check`]): at each file, each folder and each ignore file once. If nothing
//! changed the stored generation is the answer. Otherwise the folders that changed are listed ([`survey`]), the files
//! that changed are read and, where their content is not known, parsed ([`examine`]), and the facts of all files are
//! resolved into a new generation ([`refresh`]). A store that is damaged, in use or not to be had costs time and a
//! warning, never the answer.

mod check;
mod examine;
mod imports;
mod kept;
mod lone;
mod project;
mod refresh;
mod survey;
pub(crate) mod tree;

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use vise_syntax::{Language, OverBudget, Registry};
use vise_workspace::WalkOptions;
use xxhash_rust::xxh3::Xxh3;

use crate::facts::FileFacts;
use crate::graph::{Damaged, Graph};
use crate::resolution::Resolution;
use crate::source::{ProjectFile, SourceFile};
use crate::tier::ImportedTool;

pub use imports::{add_import, remove_import};
pub use tree::Why;

/// The most files unless the configuration says otherwise.
pub const MAX_FILES: usize = 200_000;
/// Longer files are left out unless the configuration says otherwise.
pub const MAX_FILE_BYTES: u64 = 10 << 20;
/// The most bytes that all stores take unless the configuration says otherwise.
pub const MAX_STORE_BYTES: u64 = 2 << 30;

/// What is indexed, and where it is kept.
#[derive(Debug, Clone)]
pub struct Options {
    /// `$XDG_CACHE_HOME` or what stands for it; none to keep nothing.
    pub cache_home: Option<PathBuf>,
    /// Changes with everything that a file's facts or language depend on besides its content and path: queries,
    /// grammars, language descriptions, our version.
    pub extractor: u64,
    /// Files to leave out, as globs from the root.
    pub exclude: Vec<String>,
    /// Read no ignore file.
    pub no_ignore: bool,
    /// Take hidden names too.
    pub hidden: bool,
    /// How many threads list folders; 0 is as many as there are processors.
    pub threads: usize,
    /// More files are an error.
    pub max_files: usize,
    /// Unless this says that they are meant.
    pub yes: bool,
    /// Longer files are left out.
    pub max_file_bytes: u64,
    /// Stores of other workspaces are removed until all take no more.
    pub max_store_bytes: u64,
    /// How long another process that writes is waited for.
    pub lock_wait: Duration,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            cache_home: None,
            extractor: 0,
            exclude: Vec::new(),
            no_ignore: false,
            hidden: false,
            threads: 0,
            max_files: MAX_FILES,
            yes: false,
            max_file_bytes: MAX_FILE_BYTES,
            max_store_bytes: MAX_STORE_BYTES,
            lock_wait: Duration::from_secs(10),
        }
    }
}

/// Facts from a text; none for a language of which nothing is looked for.
pub type Extract<'a> = dyn Fn(&Language, &[u8], &str) -> Result<Option<FileFacts>, OverBudget> + Sync + 'a;
/// Edges from the facts of all files, which are sorted by path; the answer has a row for each, in the same order.
pub type Resolve<'a> = dyn Fn(&[SourceFile<'_>], &[ProjectFile]) -> Resolution + 'a;

/// A question to the facts of all files, which are sorted by path.
pub type Question<'a> = dyn FnMut(&[SourceFile<'_>], &[ProjectFile]) + 'a;

/// What is done between reading files and writing a generation.
pub struct Steps<'a> {
    /// What a file says, from its language, its text and its path.
    pub extract: &'a Extract<'a>,
    /// What leads where.
    pub resolve: &'a Resolve<'a>,
}

/// An index that is up to date.
#[derive(Debug)]
pub struct Opened {
    /// The graph.
    pub graph: Arc<Graph>,
    /// What went wrong without being in the way.
    pub warnings: Vec<String>,
    /// Files that are left out, sorted by path.
    pub skipped: Vec<Skipped>,
    /// Other programs whose indexes were imported, sorted by name.
    pub imports: Vec<ImportedTool>,
    /// What was done.
    pub report: Report,
    /// How many bytes the store takes.
    pub store_bytes: u64,
    /// The number of the generation; 0 of one that is not kept.
    pub generation: u64,
}

/// A file that is left out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Skipped {
    /// Relative to the root, with `/`.
    pub file: String,
    /// Why.
    pub why: Why,
}

/// What an opening did.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Report {
    /// Files that were parsed.
    pub parsed: usize,
    /// Files whose facts were known.
    pub reused: usize,
    /// Files that are no longer there.
    pub removed: usize,
}

/// Why there is no answer.
#[derive(Debug)]
pub enum Error {
    /// The tree cannot be walked.
    Workspace(vise_workspace::Error),
    /// There are more files than is likely to be meant.
    TooManyFiles {
        /// So many were found.
        found: usize,
        /// So many are allowed.
        max_files: usize,
    },
    /// There is more than a graph can hold.
    Graph(Damaged),
    /// An import cannot be kept.
    Store(String),
    /// The caller asked to stop.
    Cancelled,
}

impl Error {
    /// What the error means for whoever asked.
    pub fn kind(&self) -> vise_workspace::ErrorKind {
        match self {
            Self::Workspace(error) => error.kind(),
            Self::TooManyFiles { .. } => vise_workspace::ErrorKind::BadInput,
            Self::Graph(_) | Self::Store(_) => vise_workspace::ErrorKind::Unavailable,
            Self::Cancelled => vise_workspace::ErrorKind::Cancelled,
        }
    }

    /// What would do, where there is something.
    pub fn hint(&self) -> Option<&'static str> {
        match self {
            Self::TooManyFiles { .. } => Some("`--yes` indexes them all; `--root` and `[graph] exclude` narrow it"),
            Self::Workspace(_) | Self::Graph(_) | Self::Store(_) | Self::Cancelled => None,
        }
    }
}

impl From<vise_workspace::Error> for Error {
    fn from(error: vise_workspace::Error) -> Self {
        match error {
            vise_workspace::Error::Cancelled => Self::Cancelled,
            error => Self::Workspace(error),
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Workspace(error) => error.fmt(f),
            Self::TooManyFiles { found, max_files } => {
                write!(f, "there are {found} files to index, and `max_files` is {max_files}")
            }
            Self::Graph(error) => write!(f, "the graph is too large to be put together: {error}"),
            Self::Store(why) => write!(f, "the import cannot be kept: {why}"),
            Self::Cancelled => f.write_str("cancelled"),
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Workspace(error) => Some(error),
            Self::Graph(error) => Some(error),
            Self::TooManyFiles { .. } | Self::Store(_) | Self::Cancelled => None,
        }
    }
}

/// Opens the index of the workspace at `root`, brought up to date.
///
/// `progress` is told how many of how many files were looked at, from any thread; `cancelled` is asked at every file.
///
/// # Errors
/// See [`Error`]. Nothing about the store is one.
pub fn open(
    root: &Path,
    options: &Options,
    registry: &Registry,
    steps: &Steps<'_>,
    progress: &(dyn Fn(usize, usize) + Sync),
    cancelled: &(dyn Fn() -> bool + Sync),
) -> Result<Opened, Error> {
    index(root, options, registry, steps, progress, cancelled)?.open()
}

/// Asks the facts of all files something that the graph does not hold. They are taken from the store as far as they are
/// there; what changed since is read again, and not kept. Gives what went wrong without being in the way.
///
/// # Errors
/// As [`open`].
pub fn facts(
    root: &Path,
    options: &Options,
    registry: &Registry,
    steps: &Steps<'_>,
    cancelled: &(dyn Fn() -> bool + Sync),
    question: &mut Question<'_>,
) -> Result<Vec<String>, Error> {
    index(root, options, registry, steps, &|_, _| {}, cancelled)?.facts(question)
}

fn index<'a>(
    root: &Path,
    options: &'a Options,
    registry: &'a Registry,
    steps: &'a Steps<'a>,
    progress: &'a (dyn Fn(usize, usize) + Sync),
    cancelled: &'a (dyn Fn() -> bool + Sync),
) -> Result<refresh::Index<'a>, Error> {
    let root = vise_workspace::discover_root(root, Some(Path::new("")))?;
    let globs = options.exclude.iter().map(|glob| format!("!{glob}")).collect();
    let walk = WalkOptions { no_ignore: options.no_ignore, hidden: options.hidden, globs, threads: options.threads };
    Ok(refresh::Index {
        fingerprint: fingerprint(options),
        root,
        options,
        walk,
        registry,
        steps,
        progress,
        cancelled,
        store: None,
        warnings: Vec::new(),
    })
}

/// What a stored tree depends on besides the files.
fn fingerprint(options: &Options) -> u64 {
    let Options { extractor, exclude, no_ignore, hidden, max_file_bytes, .. } = options;
    let mut hasher = Xxh3::new();
    // The number is that of the stored form of a tree.
    for number in [1, *extractor, *max_file_bytes, u64::from(*no_ignore), u64::from(*hidden)] {
        hasher.update(&number.to_le_bytes());
    }
    for glob in exclude {
        hasher.update(glob.as_bytes());
        hasher.update(&[0xFF]);
    }
    hasher.digest()
}

#[cfg(test)]
mod tests;
