//! Writing a proposal: all of it or none of it.
//!
//! The order is what makes it so. Everything that can fail for lack of space or rights happens first, on hidden files
//! beside the targets ([`Commit::stage`]). Then each target changes places with its staged file in one system call, and
//! what came out is compared with what was captured ([`Commit::swap`]): a check before the swap would leave a gap in
//! which somebody's save is lost, a check of what was displaced leaves none. Then folders are synced and displaced
//! files looked at once more, for writers that held them open. Only then is the decision recorded. Any error before
//! that walks back over the same steps ([`Commit::roll_back`]).
//!
//! A crash in the middle is not covered: that takes a journal, which is to be written between staging and swapping.

use crate::prepare::{existing_parent, system};
use crate::{Error, Proposal, Reason, Refusal, Slot};
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
    /// Folders that had to be made, the outermost first.
    made: Vec<PathBuf>,
}

/// Brings every slot of `proposal` from old to new, and then calls `seal`, which records the decision. Gives notes on
/// what could not be tidied up afterwards. On an error everything is as it was, unless the error says otherwise.
pub(crate) fn commit<T>(
    files: &dyn Files,
    proposal: &Proposal,
    seal: impl FnOnce() -> Result<T, Error>,
) -> Result<(T, Vec<String>), Error> {
    let mut commit = Commit::new(files, proposal)?;
    commit.verify()?;
    let sealed = commit.stage().and_then(|()| commit.swap()).and_then(|()| commit.settle()).and_then(|()| seal());
    match sealed {
        Ok(sealed) => Ok((sealed, commit.tidy())),
        Err(error) => Err(commit.roll_back(error)),
    }
}

impl<'a> Commit<'a> {
    fn new(files: &'a dyn Files, proposal: &'a Proposal) -> Result<Commit<'a>, Error> {
        let mut steps = Vec::with_capacity(proposal.slots.len());
        for slot in &proposal.slots {
            let path = proposal.root.join(&slot.path);
            let number = files.random().map_err(system("drawing a name beside", &path))?;
            let stage = path.with_file_name(format!(".vise-{number:016x}"));
            steps.push(Step { slot, path, stage, staged: false, swapped: false, displaced: None });
        }
        // Names are freed before they are taken, so that a name may change hands.
        steps.sort_by_key(|step| match (&step.slot.old, &step.slot.new) {
            (_, None) => 0,
            (Some(_), Some(_)) => 1,
            (None, Some(_)) => 2,
        });
        Ok(Commit { files, proposal, steps, made: Vec::new() })
    }

    /// Compares every file with what was captured. Only bytes count: a file that was merely touched is no other file.
    fn verify(&self) -> Result<(), Error> {
        let mut diverged = Vec::new();
        let mut refused = Vec::new();
        for step in &self.steps {
            if !self.is_as_captured(step)? {
                diverged.push(step.slot.shown());
            } else if step.slot.old.is_some() {
                let stat = self.files.stat(&step.path).map_err(system("looking at", &step.path))?;
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
        let many = self.steps.iter().filter(|step| step.slot.new.is_some()).count() > SYNCED_ONE_BY_ONE;
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
            self.make_folders(&stage)?;
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
            if !many {
                file.sync().map_err(system("syncing", &stage))?;
            }
        }
        if many { self.sync_devices() } else { Ok(()) }
    }

    /// Makes all staged files durable, one sync for each device that they lie on.
    fn sync_devices(&self) -> Result<(), Error> {
        let mut devices = BTreeSet::new();
        for step in self.steps.iter().filter(|step| step.staged) {
            let folder = step.path.parent().unwrap_or(&self.proposal.root);
            let stat = self.files.stat(&step.stage).map_err(system("looking at", &step.stage))?;
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
        Ok(())
    }

    /// Makes the folders above `path` that do not exist.
    fn make_folders(&mut self, path: &Path) -> Result<(), Error> {
        let exists = existing_parent(self.files, path).map_err(system("looking at", path))?;
        let mut missing: Vec<&Path> = path.ancestors().skip(1).take_while(|folder| **folder != *exists).collect();
        missing.reverse();
        for folder in missing {
            self.files.make_folder(folder, 0o777).map_err(system("making", folder))?;
            self.made.push(folder.to_owned());
        }
        Ok(())
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
        let mut folders: BTreeSet<&Path> = self.steps.iter().filter_map(|step| step.path.parent()).collect();
        // A new folder's own name lies in the folder above it.
        folders.extend(self.made.iter().filter_map(|folder| folder.parent()));
        for folder in folders {
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
    /// goes wrong becomes a note; and bytes that nobody reviewed and nobody has elsewhere are kept.
    fn tidy(&self) -> Vec<String> {
        let mut notes = Vec::new();
        for step in &self.steps {
            let Some(displaced) = &step.displaced else { continue };
            match again(|| displaced_is_old(self.files, step)) {
                Ok(true) => {
                    if let Err(error) = again(|| self.files.unlink(displaced)) {
                        notes.push(format!("`{}` could not be removed: {error}", displaced.display()));
                    }
                }
                Ok(false) => notes.push(format!(
                    "somebody wrote to the old `{}` after it was replaced; those bytes are in `{}`",
                    step.slot.shown(),
                    displaced.display()
                )),
                Err(error) => notes.push(format!("`{}` was left behind: {error}", displaced.display())),
            }
        }
        notes
    }

    /// Brings everything back, the last step first, and gives the error to report: `cause`, unless something could not
    /// be brought back.
    fn roll_back(&mut self, cause: Error) -> Error {
        let mut files = Vec::new();
        let mut kept = Vec::new();
        for step in self.steps.iter_mut().rev() {
            if step.swapped && restore(self.files, step).is_err() {
                files.push(step.slot.shown());
                kept.extend(step.displaced.clone());
                continue;
            }
            // A displaced file is left only where somebody else's file stands in its place. Its bytes are stored with
            // the proposal; if they are not those that were captured they exist nowhere else.
            if let Some(displaced) = &step.displaced {
                match again(|| displaced_is_old(self.files, step)) {
                    Ok(true) if again(|| self.files.unlink(displaced)).is_ok() => {}
                    _ => kept.push(displaced.clone()),
                }
            }
            if step.staged && again(|| self.files.unlink(&step.stage)).is_err() {
                kept.push(step.stage.clone());
            }
        }
        for folder in self.made.iter().rev() {
            // Somebody may have put a file of theirs there.
            let _ = again(|| self.files.remove_folder(folder));
        }
        if files.is_empty() && kept.is_empty() {
            return cause;
        }
        files.sort();
        Error::HalfUndone { files, kept, cause: Box::new(cause) }
    }
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
    let mut second = step.stage.clone().into_os_string();
    second.push("-old");
    let second = PathBuf::from(second);
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

/// Brings one swapped target back. Somebody else's bytes are never overwritten: where the target is no longer what we
/// put there, it stays.
fn restore(files: &dyn Files, step: &mut Step<'_>) -> io::Result<()> {
    let new = step.slot.new.as_ref().map(|new| new.hash);
    let live = again(|| match files.read(&step.path) {
        Ok(bytes) => Ok(Some(ContentHash::of(&bytes))),
        Err(error) if is_absent(&error) => Ok(None),
        Err(error) => Err(error),
    })?;
    if live != new {
        if let (None, Some(displaced)) = (live, &step.displaced) {
            // Somebody removed ours; what we displaced goes back.
            again(|| files.rename_new(displaced, &step.path))?;
            step.displaced = None;
        }
        step.swapped = false;
        return Ok(());
    }
    match step.displaced.take() {
        // A file was made: it goes back under its hidden name, from which it is removed.
        None => {
            again(|| files.rename_new(&step.path, &step.stage))?;
            step.staged = true;
        }
        // A file was removed: its name is free, as was just seen.
        Some(displaced) if new.is_none() => {
            if let Err(error) = again(|| files.rename_new(&displaced, &step.path)) {
                let theirs = error.kind() == io::ErrorKind::AlreadyExists;
                step.displaced = Some(displaced);
                return if theirs { Ok(()) } else { Err(error) };
            }
        }
        Some(displaced) => {
            let result = again(|| match files.exchange(&displaced, &step.path) {
                Err(error) if unsupported(&error) => files.rename(&displaced, &step.path).map(|()| false),
                result => result.map(|()| true),
            });
            match result {
                Ok(exchanged) => {
                    step.staged = exchanged;
                    // The file that came out is ours, under the name that the displaced one had.
                    step.stage = displaced;
                    if exchanged && !holds(files, &step.stage, new) {
                        // Somebody saved in the instant between look and exchange; their file goes back.
                        again(|| files.exchange(&step.stage, &step.path))?;
                        step.staged = false;
                        step.displaced = Some(step.stage.clone());
                    }
                }
                Err(error) => {
                    step.displaced = Some(displaced);
                    return Err(error);
                }
            }
        }
    }
    step.swapped = false;
    Ok(())
}

/// Whether the file at `path` has the content `hash`; a file that cannot be read is taken to have it.
fn holds(files: &dyn Files, path: &Path, hash: Option<ContentHash>) -> bool {
    again(|| files.read(path)).map_or(true, |bytes| Some(ContentHash::of(&bytes)) == hash)
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

fn is_absent(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}

/// Tries a step of the way back, or of tidying up, a second time: giving up there costs more than trying again.
fn again<T, E>(mut step: impl FnMut() -> Result<T, E>) -> Result<T, E> {
    step().or_else(|_| step())
}
