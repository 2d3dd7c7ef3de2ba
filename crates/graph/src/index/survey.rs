//! Which files there are: what a check left of a tree, and what is new.

use std::path::{Path, PathBuf};

use rayon::prelude::*;
use rustc_hash::FxHashSet;
use vise_syntax::Registry;
use vise_workspace::{Disk, Files, Kind, Listing, SkipReason, WalkOptions, ignore_files, list, outer_ignore_files};

use super::check::{Checked, Seen, ignore_entries, join};
use super::tree::{FileEntry, FolderEntry, Stamp, Tree, Why, name, parent};
use super::{Error, project};

/// A tree whose changed files are still to be looked at.
#[derive(Debug)]
pub(super) struct Survey {
    /// Folders and everything else but files. Its files are those that did not change.
    pub(super) tree: Tree,
    /// The others.
    pub(super) looks: Vec<Look>,
}

/// A file that is new or changed.
#[derive(Debug)]
pub(super) struct Look {
    pub(super) path: String,
    /// What was known of it.
    pub(super) old: Option<FileEntry>,
}

/// What a survey needs to know.
pub(super) struct Surveyor<'a> {
    pub(super) root: &'a Path,
    pub(super) walk: &'a WalkOptions,
    pub(super) registry: &'a Registry,
    /// The time before anything was looked at.
    pub(super) recorded: i64,
    pub(super) cancelled: &'a (dyn Fn() -> bool + Sync),
}

impl Surveyor<'_> {
    /// Finds the files, with a walk only where the check says so.
    pub(super) fn survey(&self, old: Tree, checked: &Checked) -> Result<Survey, Error> {
        if checked.ignored_differs {
            return self.whole(old, checked);
        }
        if checked.folders.iter().all(|seen| *seen == Seen::Same) {
            return Ok(sorted(old, checked, &[], |_| true));
        }
        match self.parts(&old, checked)? {
            Some(parts) => Ok(self.put_together(old, checked, &parts)),
            None => self.whole(old, checked),
        }
    }

    /// Walks the root.
    fn whole(&self, old: Tree, checked: &Checked) -> Result<Survey, Error> {
        let listing = self.list(&[self.root.to_owned()], true)?;
        let outer = if self.walk.no_ignore { Vec::new() } else { outer_ignore_files(self.root) };
        let paths = self.paths(&listing);
        let tree = Tree {
            folders: self.folders(&listing.folders),
            outer: ignore_entries(outer, self.recorded),
            unlisted: self.unlisted(&listing),
            warnings: listing.warnings,
            ..old
        };
        let is_listed = |path: &str| paths.binary_search_by(|known| (**known).cmp(path)).is_ok();
        Ok(sorted(tree, checked, &paths, is_listed))
    }

    /// Lists the folders that changed; none where that shows that more must be looked at.
    fn parts(&self, old: &Tree, checked: &Checked) -> Result<Option<Parts>, Error> {
        let changed = old.folders.iter().zip(&checked.folders).filter(|(_, seen)| **seen == Seen::Other);
        let places: Vec<PathBuf> = changed.map(|(folder, _)| join(self.root, &folder.path)).collect();
        let mut shallow = self.list(&places, false)?;
        let asked: FxHashSet<&PathBuf> = places.iter().collect();
        let (listed, children): (Vec<_>, Vec<_>) =
            std::mem::take(&mut shallow.folders).into_iter().partition(|folder| asked.contains(folder));
        let listed = self.folders(&listed);
        let same_ignores = |folder: &FolderEntry| {
            let before = find(&old.folders, &folder.path, |folder| &folder.path);
            let paths =
                |folder: &FolderEntry| folder.ignores.iter().map(|entry| entry.path.clone()).collect::<Vec<_>>();
            before.is_some_and(|before| paths(before) == paths(folder))
        };
        if !listed.iter().all(same_ignores) {
            return Ok(None);
        }
        let known = |path: &str| find(&old.folders, path, |folder| &folder.path).is_some();
        let (seen, new): (Vec<_>, Vec<_>) =
            children.into_iter().partition(|path| self.relative(path).is_some_and(known));
        let mut seen: Vec<String> = seen.iter().filter_map(|path| self.relative(path)).map(str::to_owned).collect();
        seen.extend(listed.iter().map(|folder| folder.path.clone()));
        seen.sort();
        let deep = self.list(&new, true)?;
        Ok(Some(Parts { listed, seen, new: self.folders(&deep.folders), shallow, deep }))
    }

    fn put_together(&self, old: Tree, checked: &Checked, parts: &Parts) -> Survey {
        let is_listed = |path: &str| find(&parts.listed, path, |folder| &folder.path).is_some();
        let is_seen = |path: &String| parts.seen.binary_search(path).is_ok();
        // A folder stays if the one around it stays and, where that was listed, has it still. The order of paths has
        // every folder before those in it.
        let mut gone: Vec<&str> = Vec::new();
        for (FolderEntry { path, .. }, seen) in old.folders.iter().zip(&checked.folders) {
            let lost = *seen == Seen::Gone
                || *seen == Seen::Other && !is_listed(path)
                || gone.binary_search(&parent(path)).is_ok()
                || is_listed(parent(path)) && !is_seen(path);
            if lost {
                gone.push(path);
            }
        }
        let stays = |folder: &str| gone.binary_search(&folder).is_err();
        let mut paths = self.paths(&parts.shallow);
        paths.extend(self.paths(&parts.deep));
        paths.sort();
        let holds = |path: &str| {
            let folder = parent(path);
            stays(folder) && (!is_listed(folder) || paths.binary_search_by(|known| (**known).cmp(path)).is_ok())
        };

        let untouched = |folder: &str| stays(folder) && !is_listed(folder);
        let mut folders: Vec<FolderEntry> =
            old.folders.iter().filter(|folder| untouched(&folder.path)).cloned().collect();
        folders.extend(parts.listed.iter().chain(&parts.new).cloned());
        folders.sort_by(|a, b| a.path.cmp(&b.path));
        let mut unlisted: Vec<(String, Why)> =
            old.unlisted.iter().filter(|(path, _)| untouched(path) && untouched(parent(path))).cloned().collect();
        unlisted.extend(self.unlisted(&parts.shallow));
        unlisted.extend(self.unlisted(&parts.deep));
        unlisted.sort();
        unlisted.dedup();
        let mut warnings = old.warnings.clone();
        warnings.extend(parts.shallow.warnings.iter().chain(&parts.deep.warnings).cloned());
        warnings.sort();
        warnings.dedup();
        let outer = old.outer.clone();
        let tree = Tree { folders, outer, unlisted, warnings, ..old.clone() };
        sorted(tree, checked, &paths, holds)
    }

    fn list(&self, folders: &[PathBuf], deep: bool) -> Result<Listing, Error> {
        Ok(list(self.root, folders, deep, self.walk, self.cancelled)?)
    }

    fn relative<'p>(&self, path: &'p Path) -> Option<&'p str> {
        path.strip_prefix(self.root).ok()?.to_str()
    }

    fn folders(&self, paths: &[PathBuf]) -> Vec<FolderEntry> {
        let entry = |path: &PathBuf| {
            let stat = Disk.stat(path).ok().filter(|stat| stat.kind == Kind::Folder)?;
            let stamp = Stamp::of(&stat);
            let ignores = if self.walk.no_ignore { Vec::new() } else { ignore_files(path) };
            Some(FolderEntry {
                path: self.relative(path)?.to_owned(),
                stamp,
                racy: stamp.is_racy(self.recorded),
                ignores: ignore_entries(ignores, self.recorded),
            })
        };
        let mut folders: Vec<FolderEntry> = paths.par_iter().filter_map(entry).collect();
        folders.sort_by(|a, b| a.path.cmp(&b.path));
        folders
    }

    /// The paths of the files that may be of interest.
    fn paths(&self, listing: &Listing) -> Vec<String> {
        let paths = listing.files.iter().filter_map(|file| self.relative(&file.path));
        paths.filter(|path| self.is_candidate(name(path))).map(str::to_owned).collect()
    }

    /// A name without a dot may be that of a script, which its first line tells.
    fn is_candidate(&self, name: &str) -> bool {
        self.registry.by_path(Path::new(name)).is_some() || project::is_project_file(name) || !name.contains('.')
    }

    fn unlisted(&self, listing: &Listing) -> Vec<(String, Why)> {
        let skipped = listing.skipped.iter().filter(|skipped| skipped.why != SkipReason::Vanished);
        let named = listing.files.iter().filter(|file| self.relative(&file.path).is_none());
        let named = named.filter(|file| self.registry.by_path(Path::new(name(&file.shown))).is_some());
        skipped
            .map(|skipped| (skipped.file.clone(), skipped.why.into()))
            .chain(named.map(|file| (file.shown.clone(), Why::NotUtf8Name)))
            .collect()
    }
}

/// What listing some folders gave.
struct Parts {
    /// Those folders, sorted.
    listed: Vec<FolderEntry>,
    /// Those folders, and the folders in them that were known, sorted.
    seen: Vec<String>,
    /// The folders in them that were not known, and all below.
    new: Vec<FolderEntry>,
    shallow: Listing,
    deep: Listing,
}

fn find<'t, T>(sorted: &'t [T], path: &str, key: impl Fn(&T) -> &String) -> Option<&'t T> {
    let found = sorted.binary_search_by(|one| key(one).as_bytes().cmp(path.as_bytes())).ok()?;
    sorted.get(found)
}

/// Sorts the files of a tree into those that stay as they are and those to look at. `listed` are paths that were found;
/// `kept` says of a path that was known whether it is still there.
fn sorted(mut tree: Tree, checked: &Checked, listed: &[String], kept: impl Fn(&str) -> bool) -> Survey {
    let old = std::mem::take(&mut tree.files);
    let mut looks: Vec<Look> = Vec::new();
    for path in listed {
        if find(&old, path, |entry| &entry.path).is_none() {
            looks.push(Look { path: path.clone(), old: None });
        }
    }
    for (entry, seen) in old.into_iter().zip(&checked.files) {
        match seen {
            _ if !kept(&entry.path) => {}
            Seen::Same => tree.files.push(entry),
            // One that is gone and was listed came back in between.
            Seen::Other | Seen::Gone => looks.push(Look { path: entry.path.clone(), old: Some(entry) }),
        }
    }
    Survey { tree, looks }
}
