//! Writing a proposal: all of it or none of it.
//!
//! The order is what makes it so. What is going to be done is written down first (`journal.rs`). Everything that can fail
//! for lack of space or rights happens next, on hidden files beside the targets ([`Commit::stage`]), and is made durable.
//! Then each target changes places with its staged file in one system call, and what came out is compared with what was
//! captured ([`Commit::swap`]): a check before the swap would leave a gap in which somebody's save is lost, a check of
//! what was displaced leaves none. Then folders are synced and displaced files looked at once more, for writers that
//! held them open. Only then is the decision recorded. Any error before that walks back over the same steps, in the same
//! way as the recovery after a crash does (`recover.rs`).

use crate::journal::{self, Folder, Journal, Manifest};
use crate::prepare::{existing_parent, system};
use crate::recover::{self, Tidied, again, is_absent, second_name};
use crate::{Error, Proposal, Reason, Refusal, Slot, Store};
use std::collections::BTreeSet;
use std::io;
use std::path::{Path, PathBuf};
use vise_text::ContentHash;
use vise_workspace::{Files, Kind, unsupported};

/// Up to this many new files are synced one by one; more, by the device.
const SYNCED_ONE_BY_ONE: usize = 8;

/// Where one slot stands in the commit.
struct Step<'a> {
    slot: &'a Slot,
    path: PathBuf,
    /// The hidden name beside the target. It holds the new file before the swap and, where file systems can exchange
    /// names, the displaced one after it.
    stage: PathBuf,
    /// There is a new file of ours under the hidden name.
    staged: bool,
    /// The target was changed.
    swapped: bool,
    /// Where the displaced file is, once there is one.
    displaced: Option<PathBuf>,
}

/// A commit on its way.
struct Commit<'a> {
    files: &'a dyn Files,
    proposal: &'a Proposal,
    steps: Vec<Step<'a>>,
    /// What is written down; its steps are those above, one by one.
    manifest: Manifest,
    journal: Journal<'a>,
    /// Every new file is complete, and it is written down that it is.
    ready: bool,
    /// The folder of the proposal.
    folder: &'a Path,
}

/// What a commit is made for.
pub(crate) struct Site<'a> {
    pub(crate) store: &'a Store,
    /// The folder of the proposal in the store.
    pub(crate) folder: &'a Path,
    /// The workspace's folder of the store, which is locked.
    pub(crate) workspace: &'a Path,
    /// The folder of the proposal of which this one is a part, if it is one.
    pub(crate) parent: Option<&'a Path>,
}

/// Brings every slot of `proposal` from old to new, and then calls `seal` with the id of the commit, which records the
/// decision. Gives notes on what could not be tidied up afterwards. On an error everything is as it was, unless the
/// error says otherwise.
pub(crate) fn commit<T>(
    site: &Site<'_>,
    proposal: &Proposal,
    seal: impl FnOnce(&str) -> Result<T, Error>,
) -> Result<(T, Vec<String>), Error> {
    let mut commit = Commit::new(site, proposal)?;
    commit.verify()?;
    let tx = commit.manifest.tx.clone();
    let sealed = commit.stage().and_then(|()| commit.swap()).and_then(|()| commit.settle()).and_then(|()| seal(&tx));
    let end_revision = |decided| match &site.parent {
        Some(parent) => again(|| site.store.end_revision(parent, decided)),
        None => Ok(()),
    };
    match sealed {
        Ok(sealed) => {
            let (mut notes, tidied) = commit.tidy();
            match end_revision(true) {
                Ok(()) if tidied => commit.journal.end(&tx),
                // The record of the commit stays, and the next command does what is left.
                Ok(()) => {}
                Err(error) => notes.push(format!("the rest of the proposal is not ready yet: {error}")),
            }
            Ok((sealed, notes))
        }
        Err(error) => {
            // A revision that stays behind is dropped when the next one is written.
            let _ = end_revision(false);
            Err(commit.roll_back(error))
        }
    }
}

impl<'a> Commit<'a> {
    fn new(site: &'a Site<'a>, proposal: &'a Proposal) -> Result<Commit<'a>, Error> {
        let files = site.store.files();
        let number = files.random().map_err(system("drawing a name below", &proposal.root))?;
        let tx = format!("{number:016x}");
        let mut slots: Vec<&Slot> = proposal.slots.iter().collect();
        // Names are freed before they are taken, so that a name may change hands.
        slots.sort_by_key(|slot| match (&slot.old, &slot.new) {
            (_, None) => 0,
            (Some(_), Some(_)) => 1,
            (None, Some(_)) => 2,
        });
        let parent = site.parent.and_then(Path::file_name).map(|id| id.to_string_lossy().into_owned());
        let mut manifest = Manifest::new(tx, proposal.root.clone(), proposal.id.clone(), parent);
        let mut steps = Vec::with_capacity(slots.len());
        for (number, slot) in slots.into_iter().enumerate() {
            let stage = slot.path.with_file_name(format!(".vise-{}-{number}", manifest.tx));
            let (path, hidden) = (proposal.root.join(&slot.path), proposal.root.join(&stage));
            steps.push(Step { slot, path, stage: hidden, staged: false, swapped: false, displaced: None });
            manifest.steps.push(journal::Step {
                path: slot.path.clone(),
                stage,
                old: slot.old.as_ref().map(|old| old.hash),
                new: slot.new.as_ref().map(|new| new.hash),
                inode: None,
            });
        }
        let journal = Journal::new(site.store, site.workspace);
        Ok(Commit { files, proposal, steps, manifest, journal, ready: false, folder: site.folder })
    }

    /// Compares every file with what was captured. Only bytes count: a file that was merely touched is no other file.
    fn verify(&mut self) -> Result<(), Error> {
        let mut diverged = Vec::new();
        let mut refused = Vec::new();
        for (at, step) in self.steps.iter().enumerate() {
            if !self.is_as_captured(step)? {
                diverged.push(step.slot.shown());
                continue;
            }
            if step.slot.new.is_some() {
                let missing = missing_folders(self.files, &step.path)?;
                for folder in missing {
                    let inside = folder.strip_prefix(&self.proposal.root).unwrap_or(folder);
                    let inside = Folder(inside.to_owned());
                    if !self.manifest.made.contains(&inside) {
                        self.manifest.made.push(inside);
                    }
                }
            }
            if step.slot.old.is_some() {
                let stat = self.files.stat(&step.path).map_err(system("looking at", &step.path))?;
                self.manifest.steps[at].inode = Some((stat.device, stat.inode));
                if stat.links > 1 {
                    let why = "since it was captured it got further names, which would keep the old text";
                    refused.push(Refusal::of_file(step.slot.shown(), Reason::HardLinked, why));
                }
            }
        }
        if !diverged.is_empty() {
            return Err(self.stale(diverged));
        }
        if refused.is_empty() { Ok(()) } else { Err(Error::Refused(refused)) }
    }

    fn is_as_captured(&self, step: &Step<'_>) -> Result<bool, Error> {
        // A folder on the way that has become a link would lead us elsewhere.
        let folder = match existing_parent(self.files, &step.path) {
            Ok(folder) => folder,
            // A file lies where a folder was, or was to be.
            Err(error) if is_absent(&error) => return Ok(false),
            Err(error) => return Err(system("looking at", &step.path)(error)),
        };
        if self.files.stat(&folder).map_err(system("looking at", &folder))?.kind != Kind::Folder {
            return Ok(false);
        }
        if self.files.canonical(&folder).map_err(system("finding", &folder))? != folder {
            return Ok(false);
        }
        let stat = match self.files.stat(&step.path) {
            Ok(stat) => stat,
            Err(error) if is_absent(&error) => return Ok(step.slot.old.is_none()),
            Err(error) => return Err(system("looking at", &step.path)(error)),
        };
        let Some(old) = &step.slot.old else { return Ok(false) };
        if stat.kind != Kind::File || stat.len != old.len {
            return Ok(false);
        }
        match self.files.read(&step.path) {
            Ok(bytes) => Ok(ContentHash::of(&bytes) == old.hash),
            Err(error) if is_absent(&error) => Ok(false),
            Err(error) => Err(system("reading", &step.path)(error)),
        }
    }

    fn stale(&self, mut files: Vec<String>) -> Error {
        files.sort();
        Error::Stale { id: Some(self.proposal.id.clone()), files }
    }

    /// Writes every new file under its hidden name, complete with owner, mode and attributes, and makes it durable.
    fn stage(&mut self) -> Result<(), Error> {
        self.journal.begin(&self.manifest)?;
        let many = self.steps.len() > SYNCED_ONE_BY_ONE;
        for folder in &self.manifest.made {
            let folder = self.proposal.root.join(&folder.0);
            self.files.make_folder(&folder, 0o777).map_err(system("making", &folder))?;
        }
        for at in 0..self.steps.len() {
            let step = &self.steps[at];
            let Some(new) = &step.slot.new else { continue };
            let Some(text) = self.proposal.new_text(step.slot) else {
                let why = format!("the new text of `{}` is missing", step.slot.shown());
                return Err(Error::Damaged { id: self.proposal.id.clone(), why });
            };
            let stage = step.stage.clone();
            let like = new.like.as_ref().map(|like| self.proposal.root.join(like));
            let executable = new.executable;
            // A file like another starts private and gets its mode at the end; a new one has what the user's mask
            // leaves of the usual bits.
            let mode = match (&like, executable) {
                (Some(_), _) => 0o600,
                (None, Some(true)) => 0o777,
                (None, _) => 0o666,
            };
            let mut file = self.files.create_new(&stage, mode).map_err(system("making a file beside", &stage))?;
            self.steps[at].staged = true;
            file.write_all(text).map_err(system("writing", &stage))?;
            if let Some(like) = like {
                file.copy_metadata(&like).map_err(system("copying owner, mode and attributes of", &like))?;
                if let Some(executable) = executable {
                    let mode = self.files.stat(&like).map_err(system("looking at", &like))?.mode;
                    // Whoever may read a program may run it.
                    let mode = if executable { mode | (mode & 0o444) >> 2 } else { mode & !0o111 };
                    file.set_mode(mode).map_err(system("setting the mode of", &stage))?;
                }
            }
            if let Some(mode) = new.mode {
                file.set_mode(mode).map_err(system("setting the mode of", &stage))?;
            }
            if !many {
                file.sync().map_err(system("syncing", &stage))?;
            }
        }
        if many { self.sync_devices() } else { self.sync_few() }?;
        self.journal.ready(&self.manifest.tx)?;
        self.ready = true;
        Ok(())
    }

    /// Makes the names of the staged files durable, and the proposal, from which the old bytes can be had back.
    fn sync_few(&self) -> Result<(), Error> {
        for folder in self.folders() {
            self.files.sync_folder(folder).map_err(system("syncing", folder))?;
        }
        let texts = self.folder.join("texts");
        let slots = self.steps.iter().map(|step| step.slot);
        let hashes = slots.flat_map(|slot| {
            [slot.old.as_ref().map(|old| old.hash), slot.new.as_ref().map(|new| new.hash)].into_iter().flatten()
        });
        let stored: BTreeSet<PathBuf> = hashes.map(|hash| texts.join(hash.to_hex())).collect();
        for file in stored.iter().chain([&self.folder.join("record.json")]) {
            self.files.sync_file(file).map_err(system("syncing", file))?;
        }
        for folder in [&texts, self.folder, self.folder.parent().unwrap_or(self.folder)] {
            self.files.sync_folder(folder).map_err(system("syncing", folder))?;
        }
        Ok(())
    }

    /// The folders in which names change; a new folder's own name lies in the folder above it.
    fn folders(&self) -> BTreeSet<&Path> {
        let made = self.manifest.made.iter().filter_map(|folder| folder.0.parent());
        let changed = self.manifest.steps.iter().filter_map(|step| step.path.parent());
        let inside: BTreeSet<&Path> = made.chain(changed).collect();
        // Every path here was joined to the root once, so each of these is an ancestor of a step's path.
        self.steps
            .iter()
            .flat_map(|step| step.path.ancestors())
            .filter(|folder| folder.strip_prefix(&self.proposal.root).is_ok_and(|folder| inside.contains(folder)))
            .collect()
    }

    /// Makes all staged files and the proposal durable, one sync for each device that they lie on.
    fn sync_devices(&self) -> Result<(), Error> {
        let mut devices = BTreeSet::new();
        let staged = self.steps.iter().filter(|step| step.staged).map(|step| (step.path.parent(), &*step.stage));
        for (folder, file) in staged.chain([(None, self.folder)]) {
            let folder = folder.unwrap_or(self.folder);
            let stat = self.files.stat(file).map_err(system("looking at", file))?;
            if !devices.insert(stat.device) {
                continue;
            }
            match self.files.sync_device(folder) {
                Ok(()) => {}
                Err(error) if unsupported(&error) => return self.sync_staged(),
                Err(error) => return Err(system("syncing the device of", folder)(error)),
            }
        }
        Ok(())
    }

    fn sync_staged(&self) -> Result<(), Error> {
        for step in self.steps.iter().filter(|step| step.staged) {
            self.files.sync_file(&step.stage).map_err(system("syncing", &step.stage))?;
        }
        self.sync_few()
    }

    /// Puts every new file in its place and checks, one by one, that what it displaced is what was captured.
    fn swap(&mut self) -> Result<(), Error> {
        for at in 0..self.steps.len() {
            let step = &mut self.steps[at];
            match (&step.slot.old, &step.slot.new) {
                (None, _) => match self.files.rename_new(&step.stage, &step.path) {
                    Ok(()) => {
                        step.staged = false;
                        step.swapped = true;
                    }
                    Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                        let diverged = vec![step.slot.shown()];
                        return Err(self.stale(diverged));
                    }
                    Err(error) => return Err(system("naming", &step.path)(error)),
                },
                (Some(_), None) => match self.files.rename_new(&step.path, &step.stage) {
                    Ok(()) => {
                        step.swapped = true;
                        step.displaced = Some(step.stage.clone());
                    }
                    Err(error) if is_absent(&error) => {
                        let diverged = vec![step.slot.shown()];
                        return Err(self.stale(diverged));
                    }
                    Err(error) => return Err(system("removing", &step.path)(error)),
                },
                (Some(_), Some(_)) => match exchange(self.files, step) {
                    Ok(()) => {}
                    Err(error) if is_absent(&error) => {
                        let diverged = vec![step.slot.shown()];
                        return Err(self.stale(diverged));
                    }
                    Err(error) => return Err(system("replacing", &step.path)(error)),
                },
            }
            let step = &self.steps[at];
            if !displaced_is_old(self.files, step)? {
                let diverged = vec![step.slot.shown()];
                return Err(self.stale(diverged));
            }
        }
        Ok(())
    }

    /// Makes the new names durable, and looks once more at what was displaced: whoever held a file open may have
    /// written into it after it was checked, and those bytes must not go.
    fn settle(&self) -> Result<(), Error> {
        for folder in self.folders() {
            self.files.sync_folder(folder).map_err(system("syncing", folder))?;
        }
        let mut diverged = Vec::new();
        for step in &self.steps {
            if !displaced_is_old(self.files, step)? {
                diverged.push(step.slot.shown());
            }
        }
        if diverged.is_empty() { Ok(()) } else { Err(self.stale(diverged)) }
    }

    /// After the decision is recorded: removes the displaced files. Nothing here can undo the commit any more, so what
    /// goes wrong becomes a note; and bytes that nobody reviewed and nobody has elsewhere are kept. Says also whether all
    /// was done that can be.
    fn tidy(&self) -> (Vec<String>, bool) {
        let mut notes = Vec::new();
        let mut tidied = true;
        for (step, written) in self.steps.iter().zip(&self.manifest.steps) {
            let Some(displaced) = &step.displaced else { continue };
            match recover::tidy(self.files, written, displaced) {
                Ok(Tidied::Gone) => {}
                Ok(Tidied::Kept) => notes.push(format!(
                    "somebody wrote to the old `{}` after it was replaced; those bytes are in `{}`",
                    step.slot.shown(),
                    displaced.display()
                )),
                Err(error) => {
                    tidied = false;
                    notes.push(format!("`{}` was left behind: {error}", displaced.display()));
                }
            }
        }
        (notes, tidied)
    }

    /// Brings everything back, the last step first, and gives the error to report: `cause`, unless something could not
    /// be brought back. Then the record of the commit stays, so that a later recovery tries again.
    fn roll_back(&mut self, cause: Error) -> Error {
        let mut files = Vec::new();
        let mut kept = Vec::new();
        for (step, written) in self.steps.iter().zip(&self.manifest.steps).rev() {
            if !step.staged && !step.swapped {
                continue;
            }
            let way = if self.ready { recover::back } else { recover::drop_staged };
            match way(self.files, &self.proposal.root, written) {
                Ok(conflict) => kept.extend(conflict.and_then(|conflict| conflict.kept)),
                Err(_) => {
                    if step.swapped {
                        files.push(step.slot.shown());
                    }
                    kept.extend(step.displaced.clone().or(step.staged.then(|| step.stage.clone())));
                }
            }
        }
        recover::remove_folders(self.files, &self.manifest);
        if files.is_empty() && kept.is_empty() {
            self.journal.end(&self.manifest.tx);
            return cause;
        }
        files.sort();
        Error::HalfUndone { files, kept, cause: Box::new(cause) }
    }
}

/// The folders above `path` that do not exist, the outermost first.
fn missing_folders<'p>(files: &dyn Files, path: &'p Path) -> Result<Vec<&'p Path>, Error> {
    let exists = existing_parent(files, path).map_err(system("looking at", path))?;
    let mut missing: Vec<&Path> = path.ancestors().skip(1).take_while(|folder| **folder != *exists).collect();
    missing.reverse();
    Ok(missing)
}

/// Lets a target and its staged file change places. Where the file system cannot do that in one step, the old file
/// first gets a second name, so that it is never out of reach.
fn exchange(files: &dyn Files, step: &mut Step<'_>) -> io::Result<()> {
    match files.exchange(&step.stage, &step.path) {
        Ok(()) => {
            step.staged = false;
            step.swapped = true;
            step.displaced = Some(step.stage.clone());
            return Ok(());
        }
        Err(error) if unsupported(&error) => {}
        Err(error) => return Err(error),
    }
    let second = second_name(&step.stage);
    files.link(&step.path, &second)?;
    if let Err(error) = files.rename(&step.stage, &step.path) {
        again(|| files.unlink(&second))?;
        return Err(error);
    }
    step.staged = false;
    step.swapped = true;
    step.displaced = Some(second);
    Ok(())
}

/// Whether what a step displaced, if anything, has the captured bytes.
fn displaced_is_old(files: &dyn Files, step: &Step<'_>) -> Result<bool, Error> {
    let (Some(displaced), Some(old)) = (&step.displaced, &step.slot.old) else { return Ok(true) };
    match files.stat(displaced) {
        Ok(stat) if stat.kind != Kind::File => return Ok(false),
        Ok(_) => {}
        Err(error) => return Err(system("looking at", displaced)(error)),
    }
    let bytes = files.read(displaced).map_err(system("reading", displaced))?;
    Ok(ContentHash::of(&bytes) == old.hash)
}
