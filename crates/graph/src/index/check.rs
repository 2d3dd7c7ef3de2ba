//! Whether a tree is still what it was: one look at every file, every folder and every ignore file.

use std::ffi::OsStr;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use rayon::prelude::*;
use vise_workspace::{Disk, Files, Held, Kind, Stat, outer_ignore_files};

use super::tree::{IgnoreEntry, Stamp, Tree};

/// So many looks are one piece of work; a look takes about a microsecond.
const PIECE: usize = 64;

/// What a second look at something said.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Seen {
    /// It is as it was.
    Same,
    /// It changed, or may have.
    Other,
    /// It is gone, or something else is in its place.
    Gone,
}

/// What of a tree still holds.
#[derive(Debug)]
pub(super) struct Checked {
    /// For each folder of the tree.
    pub(super) folders: Vec<Seen>,
    /// For each file of the tree.
    pub(super) files: Vec<Seen>,
    /// Whether what is ignored may be something else now.
    pub(super) ignored_differs: bool,
}

impl Checked {
    /// Whether nothing changed.
    pub(super) fn is_fresh(&self) -> bool {
        !self.ignored_differs && self.folders.iter().chain(&self.files).all(|seen| *seen == Seen::Same)
    }
}

/// Looks at everything that a tree knows.
pub(super) fn check(root: &Path, tree: &Tree, no_ignore: bool) -> Checked {
    let held = Held::new(root);
    let stat = |path: &str| match &held {
        Ok(held) => held.stat(path),
        Err(_) => Disk.stat(&join(root, path)),
    };
    let folders = tree.folders.par_iter().with_min_len(PIECE);
    let folders = folders.map(|folder| seen(stat(&folder.path), Kind::Folder, folder.stamp, folder.racy));
    let files = tree.files.par_iter().with_min_len(PIECE);
    let files = files.map(|file| seen(stat(&file.path), Kind::File, file.stamp, file.racy));
    let (folders, files) = rayon::join(|| folders.collect(), || files.collect());
    Checked { folders, files, ignored_differs: tree.folders.is_empty() || !no_ignore && ignored_differs(root, tree) }
}

fn ignored_differs(root: &Path, tree: &Tree) -> bool {
    let outer = outer_ignore_files(root);
    let paths = outer.iter().map(|path| path.as_os_str().as_bytes());
    if !paths.eq(tree.outer.iter().map(|entry| entry.path.as_slice())) {
        return true;
    }
    let inner = tree.folders.iter().flat_map(|folder| &folder.ignores);
    inner.chain(&tree.outer).any(|entry| entry.racy || stamp(entry_path(entry)) != entry.stamp)
}

/// A path below the root.
pub(super) fn join(root: &Path, path: &str) -> PathBuf {
    // Joining nothing would add a slash.
    if path.is_empty() { root.to_owned() } else { root.join(path) }
}

pub(super) fn entry_path(entry: &IgnoreEntry) -> &Path {
    Path::new(OsStr::from_bytes(&entry.path))
}

/// The entries of files that decide what is ignored.
pub(super) fn ignore_entries(paths: Vec<PathBuf>, recorded: i64) -> Vec<IgnoreEntry> {
    let entry = |path: PathBuf| {
        let stamp = stamp(&path);
        let racy = stamp.is_some_and(|stamp| stamp.is_racy(recorded));
        IgnoreEntry { path: path.into_os_string().into_encoded_bytes(), stamp, racy }
    };
    paths.into_iter().map(entry).collect()
}

/// The stamp of an ignore file, of a link that of what it leads to, since that is what is read.
fn stamp(path: &Path) -> Option<Stamp> {
    let stat = Disk.stat(path).ok()?;
    if stat.kind != Kind::Link {
        return Some(Stamp::of(&stat));
    }
    let target = Disk.canonical(path).and_then(|path| Disk.stat(&path));
    Some(target.map_or(Stamp::of(&stat), |target| Stamp::of(&target)))
}

fn seen(stat: io::Result<Stat>, kind: Kind, was: Stamp, racy: bool) -> Seen {
    match stat {
        Ok(stat) if stat.kind != kind => Seen::Gone,
        Ok(stat) if Stamp::of(&stat) == was && !racy => Seen::Same,
        Ok(_) => Seen::Other,
        Err(error) if error.kind() == io::ErrorKind::NotFound => Seen::Gone,
        // What cannot be looked at is for the listing of its folder to tell.
        Err(_) => Seen::Other,
    }
}
