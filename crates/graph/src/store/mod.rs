//! Where the index of a workspace is kept between two questions.
//!
//! `<cache home>/vise/graph/<hash of the root>/` holds `facts.sqlite` (what each file says, see [`facts`]),
//! `graph.N.bin` (a generation of the graph), `tree.N.bin` (what the tree looked like when its files were read),
//! `CURRENT` (which two of them count) and `writer.lock`. Generations and trees never change once they have their
//! names, `TIERS` has another number whenever something was imported or removed (see [`tiers`]), and `CURRENT` is
//! replaced in one step, so whoever reads takes no lock and sees one moment, and whoever is
//! killed while writing leaves the moment before. All of it may be thrown away at any time.

mod columns;
pub(crate) mod facts;
mod map;
pub(crate) mod pack;
pub(crate) mod tiers;

use std::fs::{self, DirBuilder, File, OpenOptions, TryLockError};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use vise_text::ContentHash;
use xxhash_rust::xxh3::xxh3_64;

use crate::graph::Graph;

const CURRENT: &str = "CURRENT";
const LOCK: &str = "writer.lock";
const FACTS: &str = "facts.sqlite";
const TIERS: &str = "TIERS";
/// Names of files that are being written begin so.
const ASIDE: &str = ".new-";
/// How long a lock that somebody else has is left alone between two attempts.
const PAUSE: Duration = Duration::from_millis(10);
/// Reading says that a store is in use; more often than this it need not be written down.
const TOUCH_SECONDS: u64 = 3600;

/// The folder of one workspace.
#[derive(Debug)]
pub(crate) struct Store {
    folder: PathBuf,
}

/// Which generation and which tree count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Current {
    pub(crate) graph: u64,
    pub(crate) tree: u64,
}

/// The right to write, until it is dropped or the process ends.
#[derive(Debug)]
pub(crate) struct WriterLock {
    _file: File,
}

/// Why a stored file is of no use.
#[derive(Debug)]
pub(crate) enum Unreadable {
    /// It is not there: somebody wrote a newer one.
    Gone,
    /// It is not what was written.
    Damaged,
}

/// The time, in nanoseconds since 1970, as files carry it.
pub(crate) fn now() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_nanos()).unwrap_or(i64::MAX)
}

impl Store {
    /// The store of the workspace at `root`, which has no links in it. Its folders are made where they are missing.
    pub(crate) fn open(cache_home: &Path, root: &Path) -> io::Result<Self> {
        let hash = ContentHash::of(root.as_os_str().as_encoded_bytes()).to_hex();
        let folder = stores(cache_home).join(&hash[..16]);
        DirBuilder::new().recursive(true).mode(0o700).create(&folder)?;
        Ok(Self { folder })
    }

    pub(crate) fn folder(&self) -> &Path {
        &self.folder
    }

    pub(crate) fn facts_path(&self) -> PathBuf {
        self.folder.join(FACTS)
    }

    /// What counts now; none where nothing was written yet.
    pub(crate) fn current(&self) -> Result<Current, Unreadable> {
        let bytes = fs::read(self.folder.join(CURRENT)).map_err(unreadable)?;
        read_current(&bytes).ok_or(Unreadable::Damaged)
    }

    /// The bytes of a tree, as [`Store::publish`] was given them.
    pub(crate) fn tree(&self, current: Current) -> Result<Vec<u8>, Unreadable> {
        fs::read(self.folder.join(tree_name(current.tree))).map_err(unreadable)
    }

    /// A generation.
    pub(crate) fn graph(&self, current: Current) -> Result<Graph, Unreadable> {
        let read = map::read(&self.folder.join(graph_name(current.graph))).map_err(unreadable)?;
        let graph = match read {
            map::Read::Bytes(bytes) => Graph::from_bytes(bytes),
            map::Read::Mapped(map) => Graph::from_held(Box::new(map)),
        };
        graph.map_err(|_| Unreadable::Damaged)
    }

    /// A number that is another one whenever other programs' indexes were imported or removed.
    pub(crate) fn tiers(&self) -> u64 {
        let text = fs::read_to_string(self.folder.join(TIERS)).unwrap_or_default();
        text.trim().parse().unwrap_or(0)
    }

    /// Makes every generation that there is one of other imports. This comes before a change of the imports, so that
    /// whoever is killed in between leaves a generation to be made again, and nothing worse.
    pub(crate) fn change_tiers(&self, _lock: &WriterLock) -> io::Result<()> {
        let next = now().cast_unsigned().max(self.tiers().saturating_add(1));
        self.write(TIERS, format!("{next}\n").as_bytes())
    }

    /// Waits at most `wait` for the right to write; none where somebody else has it for longer.
    pub(crate) fn lock(&self, wait: Duration, cancelled: &dyn Fn() -> bool) -> io::Result<Option<WriterLock>> {
        let path = self.folder.join(LOCK);
        let start = Instant::now();
        loop {
            let file = OpenOptions::new().read(true).write(true).create(true).truncate(false).mode(0o600).open(&path);
            let file = match file {
                // Whoever made room on the disk removed the folder.
                Err(error) if error.kind() == io::ErrorKind::NotFound && start.elapsed() <= wait => {
                    self.make_again()?;
                    continue;
                }
                file => file?,
            };
            match file.try_lock() {
                Ok(()) if file.metadata()?.nlink() > 0 => return Ok(Some(WriterLock { _file: file })),
                // It was removed before it was ours: then this is the lock of nothing.
                Ok(()) => self.make_again()?,
                Err(TryLockError::WouldBlock) if start.elapsed() < wait && !cancelled() => std::thread::sleep(PAUSE),
                Err(TryLockError::WouldBlock) => return Ok(None),
                Err(TryLockError::Error(error)) => return Err(error),
            }
        }
    }

    fn make_again(&self) -> io::Result<()> {
        DirBuilder::new().recursive(true).mode(0o700).create(&self.folder)
    }

    /// Writes a tree and, unless that of `old` still holds, a generation; from then on they count. What counted before
    /// is removed: whoever has it open keeps it.
    pub(crate) fn publish(
        &self,
        _lock: &WriterLock,
        old: Option<Current>,
        graph: Option<&[u8]>,
        tree: &[u8],
    ) -> io::Result<Current> {
        let next = self.largest_number().max(old.map_or(0, |old| old.graph.max(old.tree))) + 1;
        let current =
            Current { graph: if graph.is_none() { old.map_or(next, |old| old.graph) } else { next }, tree: next };
        if let Some(bytes) = graph {
            self.write(&graph_name(current.graph), bytes)?;
        }
        self.write(&tree_name(current.tree), tree)?;
        self.write(CURRENT, write_current(current).as_bytes())?;
        File::open(&self.folder)?.sync_all()?;
        self.sweep(current);
        Ok(current)
    }

    /// Writes a file under another name, and gives it its own when it is whole.
    fn write(&self, name: &str, bytes: &[u8]) -> io::Result<()> {
        let aside = self.folder.join(format!("{ASIDE}{name}"));
        let mut file = OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(&aside)?;
        let written = file.write_all(bytes).and_then(|()| file.sync_all());
        let named = written.and_then(|()| fs::rename(&aside, self.folder.join(name)));
        if named.is_err() {
            // On a full disk every byte counts; if it cannot be removed the next writer will.
            let _ = fs::remove_file(&aside);
        }
        named
    }

    /// Removes what neither counts nor is in the making. Errors leave it for the next time.
    fn sweep(&self, current: Current) {
        for name in self.names() {
            let old = number(&name, "graph.").is_some_and(|number| number != current.graph)
                || number(&name, "tree.").is_some_and(|number| number != current.tree);
            if old || name.starts_with(ASIDE) {
                let _ = fs::remove_file(self.folder.join(name));
            }
        }
    }

    fn largest_number(&self) -> u64 {
        let numbers = self.names().into_iter().filter_map(|name| number(&name, "graph.").or(number(&name, "tree.")));
        numbers.max().unwrap_or(0)
    }

    fn names(&self) -> Vec<String> {
        let entries = fs::read_dir(&self.folder).into_iter().flatten().flatten();
        entries.filter_map(|entry| entry.file_name().into_string().ok()).collect()
    }

    /// Moves damaged files out of the way, each over the last one of its kind.
    pub(crate) fn set_aside(&self, _lock: &WriterLock, damage: Damage, current: Option<Current>) {
        let names = match damage {
            Damage::Current => vec![(CURRENT.to_owned(), CURRENT)],
            Damage::Tree => current.map(|current| (tree_name(current.tree), "tree")).into_iter().collect(),
            Damage::Graph => current.map(|current| (graph_name(current.graph), "graph")).into_iter().collect(),
            Damage::Facts => vec![(FACTS.to_owned(), "facts")],
        };
        for (name, kind) in names {
            let from = self.folder.join(name);
            if fs::rename(&from, self.folder.join(format!("{kind}.damaged"))).is_err() {
                let _ = fs::remove_file(&from);
            }
        }
        if damage == Damage::Facts {
            // They belong to the file that is gone, and a new one must not take them for its own.
            for ending in ["-wal", "-shm", "-journal"] {
                let _ = fs::remove_file(self.folder.join(format!("{FACTS}{ending}")));
            }
        }
    }

    /// How many bytes the store takes.
    pub(crate) fn bytes(&self) -> u64 {
        folder_bytes(&self.folder)
    }

    /// Notes that the store is in use.
    pub(crate) fn touch(&self) {
        let path = self.folder.join(CURRENT);
        let old = fs::metadata(&path).and_then(|metadata| metadata.modified()).ok();
        let age = old.and_then(|old| SystemTime::now().duration_since(old).ok());
        if age.is_some_and(|age| age.as_secs() > TOUCH_SECONDS) {
            // A store that cannot be written to cannot be removed for want of use either.
            let _ = File::options().append(true).open(path).and_then(|file| file.set_modified(SystemTime::now()));
        }
    }

    /// Removes the stores of other workspaces, those first that were not used for the longest time, until all take no
    /// more than `max_bytes`. Those that are being written to stay.
    pub(crate) fn make_room(&self, max_bytes: u64) {
        let own = self.bytes();
        let Some(stores) = self.folder.parent() else { return };
        let mut others = Vec::new();
        for entry in fs::read_dir(stores).into_iter().flatten().flatten() {
            let folder = entry.path();
            if folder != self.folder && entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                let used = fs::metadata(folder.join(CURRENT)).or_else(|_| fs::metadata(&folder));
                let used = used.and_then(|metadata| metadata.modified()).unwrap_or(UNIX_EPOCH);
                others.push((used, folder_bytes(&folder), folder));
            }
        }
        others.sort();
        let mut total = others.iter().fold(own, |total, (_, bytes, _)| total.saturating_add(*bytes));
        for (_, bytes, folder) in others {
            if total <= max_bytes {
                break;
            }
            let other = Self { folder };
            if let Ok(Some(_lock)) = other.lock(Duration::ZERO, &|| false)
                && fs::remove_dir_all(&other.folder).is_ok()
            {
                total -= bytes;
            }
        }
    }
}

/// What of a store is damaged.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Damage {
    Current,
    Tree,
    Graph,
    Facts,
}

fn stores(cache_home: &Path) -> PathBuf {
    cache_home.join("vise").join("graph")
}

fn unreadable(error: io::Error) -> Unreadable {
    if error.kind() == io::ErrorKind::NotFound { Unreadable::Gone } else { Unreadable::Damaged }
}

fn graph_name(number: u64) -> String {
    format!("graph.{number}.bin")
}

fn tree_name(number: u64) -> String {
    format!("tree.{number}.bin")
}

/// The number in a name that begins with `kind`.
fn number(name: &str, kind: &str) -> Option<u64> {
    name.strip_prefix(kind)?.strip_suffix(".bin")?.parse().ok()
}

fn write_current(current: Current) -> String {
    let text = format!("{} {}", graph_name(current.graph), tree_name(current.tree));
    format!("{text} {:016x}\n", xxh3_64(text.as_bytes()))
}

fn read_current(bytes: &[u8]) -> Option<Current> {
    let text = std::str::from_utf8(bytes).ok()?;
    let mut words = text.split_ascii_whitespace();
    let current = Current { graph: number(words.next()?, "graph.")?, tree: number(words.next()?, "tree.")? };
    (write_current(current) == text).then_some(current)
}

fn folder_bytes(folder: &Path) -> u64 {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    entries.filter_map(|entry| entry.metadata().ok()).map(|metadata| metadata.len()).sum()
}

#[cfg(test)]
mod tests;
