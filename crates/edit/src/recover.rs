//! Bringing files back, or forward, after a commit that did not end: by what the names hold, whatever happened to them.
//!
//! The same steps serve a commit that fails in our hands and one that a crash cut short. They look, for each path, at
//! what is there and at what is under the hidden name beside it. Bytes that are neither the old nor the new ones are
//! somebody else's: they are never overwritten and never removed.

use crate::journal::{Found, Journal, Manifest, Step};
use crate::prepare::system;
use crate::{Error, Reason, Refusal, Store};
use serde::Serialize;
use std::io;
use std::path::{Component, Path, PathBuf};
use vise_text::ContentHash;
use vise_workspace::{Files, Kind, shown_path, unsupported};

/// A commit that was found unfinished and is over now.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Recovered {
    /// Its id.
    pub tx: String,
    /// The proposal that it was of.
    pub proposal: Option<String>,
    /// Where its files are now.
    pub to: Side,
    /// Files that are not, because somebody else wrote to them.
    pub conflicts: Vec<Conflict>,
}

/// The bytes before a commit, or those after it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Side {
    /// As before.
    Old,
    /// As accepted.
    New,
}

/// A file that somebody else wrote to in the middle of a commit. Old and new bytes are with the proposal.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Conflict {
    /// The file.
    pub file: String,
    /// Where bytes of somebody else's are that have no other name.
    pub kept: Option<PathBuf>,
}

/// Brings every unfinished commit of the workspace at `root` to an end. With `wait` it waits for one that is just being
/// made; without, it leaves that alone.
pub fn recover(store: &Store, root: &Path, wait: bool) -> Result<Vec<Recovered>, Error> {
    let files = store.files();
    let root = files.canonical(root).map_err(system("finding", root))?;
    let workspace = store.workspace_folder(&root);
    if Journal::new(store, &workspace).unfinished()?.is_empty() {
        return Ok(Vec::new());
    }
    let lock = workspace.join("lock");
    let held = if wait { files.lock(&lock).map(Some) } else { files.try_lock(&lock) };
    match held.map_err(system("locking", &lock))? {
        Some(_lock) => recover_locked(store, &workspace),
        None => Ok(Vec::new()),
    }
}

/// The same for whoever has the lock.
pub(crate) fn recover_locked(store: &Store, workspace: &Path) -> Result<Vec<Recovered>, Error> {
    let journal = Journal::new(store, workspace);
    let mut recovered = Vec::new();
    for (tx, found) in journal.unfinished()? {
        let (manifest, ready) = match found {
            // Its own record was being written: nothing else had begun.
            Found::Intent(None) => {
                journal.end(&tx);
                continue;
            }
            Found::Intent(Some(manifest)) => (manifest, false),
            Found::Ready(manifest) => (manifest, true),
            Found::Lost => return Err(blocked(&tx, "its record is damaged")),
        };
        let done = finish(store, workspace, &manifest, ready).map_err(|error| match error {
            Error::System { doing, path, source } => {
                blocked(&tx, &format!("{doing} `{}` failed: {source}", path.display()))
            }
            error => error,
        })?;
        journal.end(&tx);
        recovered.push(done);
    }
    Ok(recovered)
}

/// What could not be looked at is not touched either.
fn blocked(tx: &str, why: &str) -> Error {
    let why = format!("an interrupted commit (`{tx}`) cannot be brought to an end: {why}");
    Error::Refused(vec![Refusal::of_file("", Reason::RecoveryBlocked, why)])
}

fn finish(store: &Store, workspace: &Path, manifest: &Manifest, ready: bool) -> Result<Recovered, Error> {
    let files = store.files();
    let folder = workspace.join("proposals").join(&manifest.proposal);
    let decided = ready && store.outcome(&folder)?.is_some_and(|outcome| outcome.tx.as_ref() == Some(&manifest.tx));
    let mut conflicts = Vec::new();
    let steps: Box<dyn Iterator<Item = &Step>> =
        if decided { Box::new(manifest.steps.iter()) } else { Box::new(manifest.steps.iter().rev()) };
    for step in steps {
        if !is_ours(files, &manifest.root, step).map_err(system("looking at", &step.path))? {
            conflicts.push(Conflict { file: shown_path(Path::new(""), &step.path), kept: None });
            continue;
        }
        let outcome = match (decided, ready) {
            (true, _) => forward(files, &manifest.root, step),
            (false, true) => back(files, &manifest.root, step),
            (false, false) => drop_staged(files, &manifest.root, step),
        };
        conflicts.extend(outcome.map_err(system("recovering", &manifest.root.join(&step.path)))?);
    }
    if let Some(parent) = &manifest.parent {
        store.end_revision(&workspace.join("proposals").join(parent), decided)?;
    }
    if !decided {
        remove_folders(files, manifest);
    }
    sync(files, manifest)?;
    let to = if decided { Side::New } else { Side::Old };
    Ok(Recovered { tx: manifest.tx.clone(), proposal: Some(manifest.proposal.clone()), to, conflicts })
}

/// Whether a recorded path is one that we may write: below the root, with no link on its way, and no place of ours or
/// git's. A checkout cannot make us write elsewhere, and a folder that has become a link since is not followed.
fn is_ours(files: &dyn Files, root: &Path, step: &Step) -> io::Result<bool> {
    let plain = |path: &Path| {
        path.components().all(|part| match part {
            Component::Normal(part) => !part.eq_ignore_ascii_case(".git"),
            _ => false,
        })
    };
    let beside = step.path.parent() == step.stage.parent();
    if !plain(&step.path) || !plain(&step.stage) || !beside {
        return Ok(false);
    }
    let Some(folder) = step.path.parent().map(|folder| root.join(folder)) else { return Ok(false) };
    match files.canonical(&folder) {
        Ok(real) => Ok(real == folder),
        // A folder that was to be made and is not there: nothing is in it.
        Err(error) if is_absent(&error) => Ok(true),
        Err(error) => Err(error),
    }
}

pub(crate) fn remove_folders(files: &dyn Files, manifest: &Manifest) {
    for folder in manifest.made.iter().rev() {
        // Somebody may have put a file of theirs there.
        let _ = again(|| files.remove_folder(&manifest.root.join(&folder.0)));
    }
}

/// Makes durable what recovery did, before the record is removed that would let it be done again.
fn sync(files: &dyn Files, manifest: &Manifest) -> Result<(), Error> {
    let mut folders: Vec<PathBuf> = manifest
        .steps
        .iter()
        .filter_map(|step| step.path.parent())
        .chain(manifest.made.iter().filter_map(|folder| folder.0.parent()))
        .map(|folder| manifest.root.join(folder))
        .collect();
    folders.sort();
    folders.dedup();
    for folder in folders {
        match files.sync_folder(&folder) {
            Err(error) if !is_absent(&error) => return Err(system("syncing", &folder)(error)),
            _ => {}
        }
    }
    Ok(())
}

/// What a name holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Held {
    Nothing,
    File {
        hash: ContentHash,
        inode: (u64, u64),
    },
    /// A folder, a link, a device.
    Other,
}

fn look(files: &dyn Files, path: &Path) -> io::Result<Held> {
    let stat = match again(|| files.stat(path)) {
        Ok(stat) => stat,
        Err(error) if is_absent(&error) => return Ok(Held::Nothing),
        Err(error) => return Err(error),
    };
    if stat.kind != Kind::File {
        return Ok(Held::Other);
    }
    match again(|| files.read(path)) {
        Ok(bytes) => Ok(Held::File { hash: ContentHash::of(&bytes), inode: (stat.device, stat.inode) }),
        Err(error) if is_absent(&error) => Ok(Held::Nothing),
        Err(error) => Err(error),
    }
}

impl Held {
    fn is(self, hash: Option<ContentHash>) -> bool {
        matches!(self, Held::File { hash: held, .. } if Some(held) == hash)
    }

    fn inode(self) -> Option<(u64, u64)> {
        match self {
            Held::File { inode, .. } => Some(inode),
            _ => None,
        }
    }

    /// Whether it is our new file; where the bytes do not tell, the old one is known by its number.
    fn is_new(self, step: &Step) -> bool {
        self.is(step.new) && !(step.old == step.new && self.inode() == step.inode)
    }
}

/// The name that the old file has where names cannot be exchanged.
pub(crate) fn second_name(stage: &Path) -> PathBuf {
    let mut second = stage.to_owned().into_os_string();
    second.push("-old");
    PathBuf::from(second)
}

/// Removes what was staged for a step that was not made.
pub(crate) fn drop_staged(files: &dyn Files, root: &Path, step: &Step) -> io::Result<Option<Conflict>> {
    remove(files, &root.join(&step.stage))?;
    Ok(None)
}

fn remove(files: &dyn Files, path: &Path) -> io::Result<()> {
    match again(|| files.unlink(path)) {
        Err(error) if !is_absent(&error) => Err(error),
        _ => Ok(()),
    }
}

/// Brings one path back to what it held before, unless somebody else's bytes are there.
pub(crate) fn back(files: &dyn Files, root: &Path, step: &Step) -> io::Result<Option<Conflict>> {
    let (path, stage) = (root.join(&step.path), root.join(&step.stage));
    let second = second_name(&stage);
    let conflict = |kept: Option<&Path>| {
        let kept = kept.map(Path::to_owned);
        Ok(Some(Conflict { file: shown_path(Path::new(""), &step.path), kept }))
    };
    let live = look(files, &path)?;
    if step.old.is_none() {
        let staged = look(files, &stage)?;
        if live.is_new(step) && (staged == Held::Nothing || staged.inode() == live.inode()) {
            if staged != Held::Nothing {
                remove(files, &stage)?;
            }
            // Moved aside first: a check of the name and then its removal would leave a gap for somebody's save.
            again(|| files.rename_new(&path, &stage))?;
            if !look(files, &stage)?.is(step.new) {
                again(|| files.rename_new(&stage, &path))?;
                return Ok(None);
            }
        }
        remove(files, &stage)?;
        return Ok(None);
    }
    let aside = look(files, &second)?;
    if aside != Held::Nothing {
        // Names could not be exchanged, so the old file has a second one.
        if live.is_new(step) && live.inode() != aside.inode() {
            again(|| files.rename(&second, &path))?;
        } else if live == Held::Nothing {
            again(|| files.rename_new(&second, &path))?;
        } else if live.inode() == aside.inode() {
            remove(files, &second)?;
        } else if aside.is(step.old) {
            remove(files, &second)?;
            remove(files, &stage)?;
            return conflict(None);
        } else {
            return conflict(Some(&second));
        }
        return remove(files, &stage).map(|()| None);
    }
    let staged = look(files, &stage)?;
    if staged == Held::Nothing {
        return Ok(None);
    }
    if staged.is_new(step) {
        // It was not swapped, or is swapped back.
        return remove(files, &stage).map(|()| None);
    }
    // What lies under the hidden name was displaced.
    if live == Held::Nothing {
        return again(|| files.rename_new(&stage, &path)).map(|()| None);
    }
    if live.inode() == staged.inode() {
        return remove(files, &stage).map(|()| None);
    }
    if step.new.is_some() && live.is_new(step) {
        match again(|| files.exchange(&stage, &path)) {
            Err(error) if unsupported(&error) => return again(|| files.rename(&stage, &path)).map(|()| None),
            result => result?,
        }
        if look(files, &stage)?.is_new(step) {
            return remove(files, &stage).map(|()| None);
        }
        // Somebody saved in the instant between look and exchange; their file goes back.
        again(|| files.exchange(&stage, &path))?;
    }
    // Somebody else's file is there now. The old bytes are with the proposal; others exist nowhere else.
    if look(files, &stage)?.is(step.old) {
        remove(files, &stage)?;
        return if live.is(step.old) { Ok(None) } else { conflict(None) };
    }
    conflict(Some(&stage))
}

/// Brings one path to what was accepted, if it is not there already, and removes what was displaced.
fn forward(files: &dyn Files, root: &Path, step: &Step) -> io::Result<Option<Conflict>> {
    let (path, stage) = (root.join(&step.path), root.join(&step.stage));
    let (live, staged) = (look(files, &path)?, look(files, &stage)?);
    let is_old = live.is(step.old) && !live.is_new(step);
    match (step.old.is_some(), step.new.is_some()) {
        (true, true) if is_old && staged.is_new(step) => match again(|| files.exchange(&stage, &path)) {
            Err(error) if unsupported(&error) => again(|| files.rename(&stage, &path))?,
            result => result?,
        },
        (false, true) if live == Held::Nothing && staged.is_new(step) => again(|| files.rename_new(&stage, &path))?,
        (true, false) if is_old && staged == Held::Nothing => again(|| files.rename_new(&path, &stage))?,
        _ => {}
    }
    for name in [&stage, &second_name(&stage)] {
        match tidy(files, step, name)? {
            Tidied::Gone => {}
            Tidied::Kept => {
                let file = shown_path(Path::new(""), &step.path);
                return Ok(Some(Conflict { file, kept: Some(name.clone()) }));
            }
        }
    }
    Ok(None)
}

pub(crate) enum Tidied {
    Gone,
    /// It holds bytes that nobody reviewed and nobody has elsewhere.
    Kept,
}

/// Removes a displaced file, unless somebody wrote to it.
pub(crate) fn tidy(files: &dyn Files, step: &Step, displaced: &Path) -> io::Result<Tidied> {
    match look(files, displaced)? {
        Held::Nothing => Ok(Tidied::Gone),
        held if held.is(step.old) || held.is(step.new) => remove(files, displaced).map(|()| Tidied::Gone),
        _ => Ok(Tidied::Kept),
    }
}

pub(crate) fn is_absent(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}

/// Tries a step of the way back, or of tidying up, a second time: giving up there costs more than trying again.
pub(crate) fn again<T, E>(mut step: impl FnMut() -> Result<T, E>) -> Result<T, E> {
    step().or_else(|_| step())
}
