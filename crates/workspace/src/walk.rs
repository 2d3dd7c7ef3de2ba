//! Which files there are.

use crate::{Error, SkipReason, absolute, shown_path};
use ignore::overrides::{Override, OverrideBuilder};
use ignore::{DirEntry, ParallelVisitor, ParallelVisitorBuilder, WalkBuilder, WalkState};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

/// What a walk looks at.
#[derive(Clone, Debug, Default)]
pub struct WalkOptions {
    /// Read no ignore file.
    pub no_ignore: bool,
    /// Take hidden names too.
    pub hidden: bool,
    /// Globs in the order given: a file is taken where the last that matches it takes it, `!` in front excludes. They
    /// count more than ignore files and hidden names. Where one takes files, those that none matches are left out.
    pub globs: Vec<String>,
    /// How many threads list folders; 0 is as many as there are processors.
    pub threads: usize,
}

/// The files found, and those that were to be found and could not be had.
#[derive(Clone, Debug, Default)]
pub struct Walk {
    /// Sorted bytewise by `shown`; each path once.
    pub files: Vec<WalkedFile>,
    /// Sorted likewise.
    pub skipped: Vec<Skipped>,
    /// Lines of ignore files that do not parse.
    pub warnings: Vec<String>,
}

/// A file to look at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WalkedFile {
    /// Absolute.
    pub path: PathBuf,
    /// As it is called in answers: relative to the root with `/`, absolute outside it.
    pub shown: String,
    /// The user named this very file.
    pub named: bool,
}

/// A path that is left out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Skipped {
    /// As it is called in answers.
    pub file: String,
    /// Why.
    pub why: SkipReason,
}

/// Finds the files at and below `paths` (the root's own where there are none); relative ones are taken from `root`.
///
/// Ignore files count inside and outside of git. A named file is always taken, a named folder always entered. Links
/// met on the way are not followed, named ones are; `.git` is never entered. `cancelled` is asked at every entry.
pub fn walk(
    root: &Path,
    paths: &[PathBuf],
    options: &WalkOptions,
    cancelled: &(dyn Fn() -> bool + Sync),
) -> Result<Walk, Error> {
    let overrides = overrides(root, &options.globs)?;
    let mut found = Found::default();
    let mut folders = Vec::new();
    let root_only = [root.to_owned()];
    for path in if paths.is_empty() { &root_only[..] } else { paths } {
        let path = absolute(root, path);
        let metadata = path.metadata().map_err(|source| Error::of_named(path.clone(), source))?;
        if metadata.is_dir() {
            folders.push(path);
        } else if metadata.is_file() {
            found.files.push((path, true));
        } else {
            found.skipped.push((path, SkipReason::NotAFile));
        }
    }
    Ok(visit(&folders, None, overrides, options, cancelled, found)?.finish(root))
}

/// Adds to `found` what there is in `folders`, `depth` levels deep.
pub(crate) fn visit(
    folders: &[PathBuf],
    depth: Option<usize>,
    overrides: Override,
    options: &WalkOptions,
    cancelled: &(dyn Fn() -> bool + Sync),
    found: Found,
) -> Result<Found, Error> {
    let Some((first, rest)) = folders.split_first() else { return Ok(found) };
    let mut builder = WalkBuilder::new(first);
    for folder in rest {
        builder.add(folder);
    }
    builder
        .hidden(!options.hidden)
        .ignore(!options.no_ignore)
        .git_ignore(!options.no_ignore)
        .git_global(!options.no_ignore)
        .git_exclude(!options.no_ignore)
        .parents(!options.no_ignore)
        .require_git(false)
        .follow_links(false)
        .max_depth(depth)
        .overrides(overrides)
        .threads(options.threads)
        .filter_entry(|entry| entry.file_name() != OsStr::new(".git"));
    let total = Mutex::new(found);
    let stopped = AtomicBool::new(false);
    builder.build_parallel().visit(&mut Visitors { total: &total, stopped: &stopped, cancelled });
    if stopped.into_inner() {
        return Err(Error::Cancelled);
    }
    Ok(total.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner))
}

pub(crate) fn overrides(root: &Path, globs: &[String]) -> Result<Override, Error> {
    let mut builder = OverrideBuilder::new(root);
    for glob in globs {
        builder.add(glob).map_err(|why| Error::BadGlob { glob: glob.clone(), why: why.to_string() })?;
    }
    builder.build().map_err(|why| Error::BadGlob { glob: globs.join(" "), why: why.to_string() })
}

#[derive(Default)]
pub(crate) struct Found {
    pub(crate) files: Vec<(PathBuf, bool)>,
    /// Folders that were met, those that were asked for included.
    pub(crate) folders: Vec<PathBuf>,
    skipped: Vec<(PathBuf, SkipReason)>,
    warnings: Vec<String>,
}

impl Found {
    pub(crate) fn finish(self, root: &Path) -> Walk {
        let mut files: Vec<WalkedFile> = self
            .files
            .into_iter()
            .map(|(path, named)| WalkedFile { shown: shown_path(root, &path), path, named })
            .collect();
        // A file that was both named and met counts as named: of equal paths the named one sorts first and is kept.
        files.sort_by(|a, b| {
            a.shown.as_bytes().cmp(b.shown.as_bytes()).then(a.path.cmp(&b.path)).then(b.named.cmp(&a.named))
        });
        files.dedup_by(|next, kept| next.path == kept.path);
        let mut skipped: Vec<Skipped> =
            self.skipped.into_iter().map(|(path, why)| Skipped { file: shown_path(root, &path), why }).collect();
        skipped.sort_by(|a, b| a.file.as_bytes().cmp(b.file.as_bytes()).then(a.why.cmp(&b.why)));
        skipped.dedup();
        let mut warnings = self.warnings;
        warnings.sort();
        warnings.dedup();
        Walk { files, skipped, warnings }
    }
}

/// Makes one visitor a thread; each keeps what it finds to itself until it is done.
struct Visitors<'a> {
    total: &'a Mutex<Found>,
    stopped: &'a AtomicBool,
    cancelled: &'a (dyn Fn() -> bool + Sync),
}

struct Visitor<'a> {
    found: Found,
    total: &'a Mutex<Found>,
    stopped: &'a AtomicBool,
    cancelled: &'a (dyn Fn() -> bool + Sync),
}

impl<'a> ParallelVisitorBuilder<'a> for Visitors<'a> {
    fn build(&mut self) -> Box<dyn ParallelVisitor + 'a> {
        Box::new(Visitor {
            found: Found::default(),
            total: self.total,
            stopped: self.stopped,
            cancelled: self.cancelled,
        })
    }
}

impl ParallelVisitor for Visitor<'_> {
    fn visit(&mut self, entry: Result<DirEntry, ignore::Error>) -> WalkState {
        if (self.cancelled)() {
            self.stopped.store(true, Ordering::Relaxed);
            return WalkState::Quit;
        }
        match entry {
            Ok(entry) => {
                if let Some(error) = entry.error() {
                    self.found.warnings.push(error.to_string());
                }
                match entry.file_type() {
                    Some(kind) if kind.is_file() => self.found.files.push((entry.into_path(), false)),
                    Some(kind) if kind.is_dir() => self.found.folders.push(entry.into_path()),
                    _ => {}
                }
            }
            Err(error) => {
                let why = error.io_error().map_or(SkipReason::Unreadable, SkipReason::of);
                match path_of(&error) {
                    Some(path) => self.found.skipped.push((path.to_owned(), why)),
                    None => self.found.warnings.push(error.to_string()),
                }
            }
        }
        WalkState::Continue
    }
}

impl Drop for Visitor<'_> {
    fn drop(&mut self) {
        let mut total = self.total.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        total.files.append(&mut self.found.files);
        total.folders.append(&mut self.found.folders);
        total.skipped.append(&mut self.found.skipped);
        total.warnings.append(&mut self.found.warnings);
    }
}

/// The path that an error of the walk is about.
fn path_of(error: &ignore::Error) -> Option<&Path> {
    match error {
        ignore::Error::WithPath { path, .. } => Some(path),
        ignore::Error::Loop { child, .. } => Some(child),
        ignore::Error::WithDepth { err, .. } | ignore::Error::WithLineNumber { err, .. } => path_of(err),
        ignore::Error::Partial(errors) => errors.iter().find_map(path_of),
        _ => None,
    }
}
