//! A walk in parts, for who remembers what it found: folder by folder, with the files whose content decides what is
//! ignored.

use crate::walk::{Found, overrides, visit};
use crate::{Error, Skipped, WalkOptions, WalkedFile};
use std::fs;
use std::path::{Path, PathBuf};

/// What is in some folders.
#[derive(Clone, Debug, Default)]
pub struct Listing {
    /// The files, sorted bytewise by `shown`; each path once.
    pub files: Vec<WalkedFile>,
    /// The folders that were listed and the folders in them, sorted; each path once.
    pub folders: Vec<PathBuf>,
    /// What was to be found and could not be had, sorted likewise.
    pub skipped: Vec<Skipped>,
    /// Lines of ignore files that do not parse.
    pub warnings: Vec<String>,
}

/// Lists `folders`, which are absolute: what is in them, and where `deep` everything below.
///
/// All is left out that [`walk`](crate::walk()) of the root leaves out, provided that it would enter `folders`. A folder
/// that is gone is among `skipped`. What changes while it is listed may be found or not.
pub fn list(
    root: &Path,
    folders: &[PathBuf],
    deep: bool,
    options: &WalkOptions,
    cancelled: &(dyn Fn() -> bool + Sync),
) -> Result<Listing, Error> {
    let overrides = overrides(root, &options.globs)?;
    let depth = (!deep).then_some(1);
    let mut found = visit(folders, depth, overrides, options, cancelled, Found::default())?;
    let mut folders = std::mem::take(&mut found.folders);
    folders.sort();
    folders.dedup();
    let walk = found.finish(root);
    Ok(Listing { files: walk.files, folders, skipped: walk.skipped, warnings: walk.warnings })
}

/// The files that decide what is ignored in `folder` and below, where they are there; the one inside of `.git` wherever
/// there is a `.git`, since nothing about the folder shows when it comes.
pub fn ignore_files(folder: &Path) -> Vec<PathBuf> {
    let mut files: Vec<PathBuf> = [".gitignore", ".ignore"].map(|name| folder.join(name)).into();
    files.retain(|file| file.symlink_metadata().is_ok());
    let git = folder.join(".git");
    match git.metadata() {
        Ok(metadata) if metadata.is_file() => files.extend(common_git_folder(&git).map(|git| git.join(EXCLUDE))),
        Ok(_) => files.push(git.join(EXCLUDE)),
        Err(_) => {}
    }
    files
}

/// The files outside of `root` that decide what is ignored in it, whether they are there or not: those of the folders
/// around it, and the user's.
pub fn outer_ignore_files(root: &Path) -> Vec<PathBuf> {
    let mut files: Vec<PathBuf> = ignore::gitignore::gitconfig_excludes_path().into_iter().collect();
    for folder in root.ancestors().skip(1) {
        files.extend([".gitignore", ".ignore"].map(|name| folder.join(name)));
        let git = folder.join(".git");
        let common = if git.is_file() { common_git_folder(&git) } else { None };
        files.push(common.unwrap_or(git).join(EXCLUDE));
    }
    files
}

const EXCLUDE: &str = "info/exclude";

/// The git folder that a worktree, whose `.git` is a file, shares with others. It is spelt as the `ignore` crate
/// spells it, since that is what reads the file in it.
fn common_git_folder(git: &Path) -> Option<PathBuf> {
    let text = fs::read_to_string(git).ok()?;
    let own = PathBuf::from(text.lines().next()?.strip_prefix("gitdir: ")?);
    let common = fs::read_to_string(own.join("commondir")).ok()?;
    Some(own.join(common.lines().next()?))
}
