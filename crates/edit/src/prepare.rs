//! From a draft to a proposal: capture, check, replay, store.

use crate::replay::{Captured, Replayed, Step, Stuck, replay, shown};
use crate::slot::digest;
use crate::{Candidate, Draft, Error, Guard, Moment, OldRange, Place, Proposal, Reason, Refusal, State, Store};
use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::{Path, PathBuf};
use vise_text::{ContentHash, FileOp, LineIndex, PlacedEdit};
use vise_workspace::{Files, Kind, absolute};

/// Captures every file that `draft` touches and stores what accepting would write. Nothing in the workspace changes.
///
/// A file that the gate's rules or `guard` refuse is left out and listed, together with whatever is grouped with it.
pub fn prepare(
    store: &Store,
    root: &Path,
    draft: Draft,
    created: Moment,
    guard: &Guard<'_>,
) -> Result<Proposal, Error> {
    let files = store.files();
    let root = files.canonical(root).map_err(system("finding", root))?;
    let mut work = Work {
        gate: Gate { files, root: &root, state: store.real_folder(), allow_read_only: draft.allow_read_only },
        steps: Vec::new(),
        captured: BTreeMap::new(),
        out: BTreeSet::new(),
        groups: BTreeSet::new(),
        judged: BTreeSet::new(),
        refused: draft.refused,
    };
    work.capture(draft.ops)?;
    let replayed = loop {
        work.drop_refused();
        if draft.all_or_nothing && !work.refused.is_empty() {
            return Err(Error::Refused(work.refused));
        }
        let replayed = replay(&work.steps, &work.captured).map_err(stuck)?;
        if !work.judge(&replayed, guard) {
            break replayed;
        }
    };
    if replayed.slots.is_empty() {
        return Err(if work.refused.is_empty() { Error::NoChange } else { Error::Refused(work.refused) });
    }
    let mut refused = work.refused;
    refused.sort_by(|a, b| a.file.cmp(&b.file).then(a.line.cmp(&b.line)));
    let Replayed { slots, placed, texts, .. } = replayed;
    let mut proposal = Proposal {
        id: store.new_id()?,
        digest: digest(&slots),
        root,
        created,
        state: State::Pending,
        slots,
        pieces: placed.iter().map(|placed| placed.piece).collect(),
        places: places(placed),
        dropped_comments: draft.dropped_comments,
        refused,
        rematches: draft.rematches,
        not_converged: draft.not_converged,
        notes: draft.notes,
        texts,
    };
    store.save(&mut proposal)?;
    Ok(proposal)
}

/// Gives places and groups their ids in the order in which a reader meets them.
fn places(placed: Vec<crate::replay::Placed>) -> Vec<Place> {
    let mut ids: BTreeMap<String, usize> = BTreeMap::new();
    let mut groups = 0;
    let mut next = || {
        groups += 1;
        groups
    };
    let mut out = Vec::with_capacity(placed.len());
    for (at, placed) in placed.into_iter().enumerate() {
        let group = match placed.group {
            Some(label) => *ids.entry(label).or_insert_with(&mut next),
            None => next(),
        };
        out.push(Place {
            id: format!("p{}", at + 1),
            group: format!("g{group}"),
            file: shown(&placed.path),
            line: placed.line,
            old_range: OldRange { start: placed.range.start, end: placed.range.end },
            text: placed.text,
            what: placed.what,
        });
    }
    out
}

fn stuck(stuck: Stuck) -> Error {
    match stuck {
        Stuck::Stale(files) => {
            let mut files: Vec<String> = files.iter().map(|path| shown(path)).collect();
            files.sort();
            Error::Stale { id: None, files }
        }
        Stuck::NoSuchFile(path) => Error::NoSuchFile(shown(&path)),
        Stuck::Overlap(path, conflict) => Error::Overlap { file: shown(&path), conflict },
    }
}

/// An error of the system while `doing` something to `path`.
pub(crate) fn system(doing: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Error {
    move |source| Error::System { doing, path: path.to_owned(), source }
}

/// A draft on its way through the gate.
struct Work<'a> {
    gate: Gate<'a>,
    steps: Vec<Step>,
    captured: BTreeMap<PathBuf, Option<Captured>>,
    /// Files that are left as they are.
    out: BTreeSet<PathBuf>,
    /// Labels of groups that lost a member.
    groups: BTreeSet<String>,
    /// Results that the guard has passed: it may parse, so it is asked once.
    judged: BTreeSet<(PathBuf, Option<ContentHash>)>,
    refused: Vec<Refusal>,
}

impl Work<'_> {
    /// Finds and reads every file that a step names.
    fn capture(&mut self, ops: Vec<FileOp>) -> Result<(), Error> {
        for op in ops {
            let given = op.paths().0.to_owned();
            let moves = matches!(op, FileOp::Delete { .. } | FileOp::Rename { .. });
            let splices = matches!(op, FileOp::Splice { .. });
            let mut found = Vec::new();
            let (first, second) = op.paths();
            for path in [Some(first), second].into_iter().flatten() {
                match self.gate.locate(path, moves && path == first)? {
                    Ok(path) => {
                        self.capture_file(&path, splices)?;
                        found.push(path);
                    }
                    Err(refusal) => {
                        // The step goes, and with it whatever else is about a file of that name.
                        let path = PathBuf::from(&refusal.file);
                        self.out.insert(path.clone());
                        self.refuse(refusal);
                        found.push(path);
                    }
                }
            }
            let mut found = found.into_iter();
            let (path, to) = (found.next().unwrap_or_default(), found.next().unwrap_or_default());
            let op = match op {
                FileOp::Create { text, executable, .. } => FileOp::Create { path, text, executable },
                FileOp::Delete { .. } => FileOp::Delete { path },
                FileOp::Rename { .. } => FileOp::Rename { from: path, to },
                FileOp::SetExecutable { executable, .. } => FileOp::SetExecutable { path, executable },
                FileOp::Splice { old, edits, .. } => FileOp::Splice { path, old, edits },
            };
            self.steps.push(Step { op, given });
        }
        self.refuse_aliases();
        Ok(())
    }

    fn capture_file(&mut self, path: &Path, splices: bool) -> Result<(), Error> {
        if !self.captured.contains_key(path) {
            match self.gate.capture(path)? {
                Ok(file) => {
                    self.captured.insert(path.to_owned(), file);
                }
                Err(refusal) => {
                    self.captured.insert(path.to_owned(), None);
                    self.out.insert(path.to_owned());
                    self.refuse(refusal);
                }
            }
        }
        let binary = matches!(self.captured.get(path), Some(Some(file)) if file.bytes.contains(&0));
        if splices && binary && self.out.insert(path.to_owned()) {
            self.refuse(Refusal::of_file(shown(path), Reason::Binary, "the file is binary"));
        }
        Ok(())
    }

    /// One file under two names that are neither links nor hard links: a bind mount. Writing one would change both.
    fn refuse_aliases(&mut self) {
        let mut seen: BTreeMap<(u64, u64), PathBuf> = BTreeMap::new();
        let mut refusals = Vec::new();
        for (path, file) in &self.captured {
            let Some(file) = file else { continue };
            match seen.get(&(file.stat.device, file.stat.inode)) {
                Some(first) => {
                    let why = format!("it is the same file as `{}`", shown(first));
                    refusals.push((path.clone(), Refusal::of_file(shown(path), Reason::AliasedTarget, why)));
                    let why = format!("it is the same file as `{}`", shown(path));
                    refusals.push((first.clone(), Refusal::of_file(shown(first), Reason::AliasedTarget, why)));
                }
                None => {
                    seen.insert((file.stat.device, file.stat.inode), path.clone());
                }
            }
        }
        for (path, refusal) in refusals {
            self.out.insert(path);
            self.refuse(refusal);
        }
    }

    fn refuse(&mut self, refusal: Refusal) {
        if !self.refused.contains(&refusal) {
            self.refused.push(refusal);
        }
    }

    /// Removes the steps of files that are out and the edits of groups that lost a member, and whatever depends on
    /// them, and lists what goes.
    fn drop_refused(&mut self) {
        loop {
            let before = (self.out.len(), self.groups.len());
            for step in &self.steps {
                let (path, to) = step.op.paths();
                let out = self.out.contains(path) || to.is_some_and(|to| self.out.contains(to));
                if out {
                    self.out.insert(path.to_owned());
                    self.out.extend(to.map(Path::to_owned));
                }
                if let (true, FileOp::Splice { edits, .. }) = (out, &step.op) {
                    self.groups.extend(edits.iter().filter_map(|edit| edit.group.clone()));
                }
            }
            if before == (self.out.len(), self.groups.len()) {
                break;
            }
        }
        let mut listed = Vec::new();
        for step in std::mem::take(&mut self.steps) {
            let (path, to) = step.op.paths();
            let file = shown(path);
            if self.out.contains(path) {
                let named = |file: &str| self.refused.iter().any(|refusal| refusal.file == file);
                if !named(&file) && !to.is_some_and(|to| named(&shown(to))) {
                    let why = "it belongs together with what is refused";
                    listed.push(Refusal::of_file(file, Reason::Group, why));
                }
                continue;
            }
            match step.op {
                FileOp::Splice { path, old, edits } => {
                    let (gone, edits): (Vec<_>, Vec<_>) = edits
                        .into_iter()
                        .partition(|edit| edit.group.as_ref().is_some_and(|group| self.groups.contains(group)));
                    listed.extend(gone.iter().map(|edit| self.refused_member(&path, old, edit)));
                    if !edits.is_empty() {
                        self.steps.push(Step { op: FileOp::Splice { path, old, edits }, given: step.given });
                    }
                }
                op => self.steps.push(Step { op, given: step.given }),
            }
        }
        listed.into_iter().for_each(|refusal| self.refuse(refusal));
        let out = &self.out;
        self.captured.retain(|path, _| !out.contains(path));
    }

    fn refused_member(&self, path: &Path, old: ContentHash, edit: &PlacedEdit) -> Refusal {
        let captured = self.captured.get(path).and_then(Option::as_ref);
        let line = captured
            .filter(|file| ContentHash::of(&file.bytes) == old)
            .map(|file| LineIndex::new(&file.bytes).line_of(edit.edit.range.start) + 1);
        let why = "it belongs together with a place that is refused".to_owned();
        Refusal { file: shown(path), line, why, reason: Reason::Group }
    }

    /// Asks the guard about every result; says whether something is refused that was not before.
    fn judge(&mut self, replayed: &Replayed, guard: &Guard<'_>) -> bool {
        let before = self.out.len();
        for path in &replayed.exist {
            self.out.insert(path.clone());
            self.refuse(Refusal::of_file(shown(path), Reason::Exists, "it exists already"));
        }
        if self.out.len() > before {
            return true;
        }
        for slot in &replayed.slots {
            let result = (slot.path.clone(), slot.new.as_ref().map(|new| new.hash));
            if self.judged.contains(&result) {
                continue;
            }
            let text = |hash| replayed.texts.get(hash).map(Vec::as_slice);
            let file = slot.shown();
            let candidate = Candidate {
                file: &file,
                old: slot.old.as_ref().and_then(|old| text(&old.hash)),
                new: slot.new.as_ref().and_then(|new| text(&new.hash)),
            };
            let refusals = guard(&candidate);
            if refusals.is_empty() {
                self.judged.insert(result);
            } else {
                self.out.insert(slot.path.clone());
                refusals.into_iter().for_each(|refusal| self.refuse(refusal));
            }
        }
        self.out.len() > before
    }
}

/// The rules about which paths may be written at all.
struct Gate<'a> {
    files: &'a dyn Files,
    root: &'a Path,
    state: Option<PathBuf>,
    allow_read_only: bool,
}

impl Gate<'_> {
    /// Where `given` really is, relative to the root. A file reached through a link is the file, not the link; a step
    /// that `moves` a name must not be about a link, since it is unclear which of the two is meant.
    fn locate(&self, given: &Path, moves: bool) -> Result<Result<PathBuf, Refusal>, Error> {
        let path = absolute(self.root, given);
        let name = vise_workspace::shown_path(self.root, &path);
        let refuse = |reason, why: &str| Ok(Err(Refusal::of_file(name.clone(), reason, why)));
        let real = match self.files.stat(&path) {
            Ok(stat) if stat.kind == Kind::Link && moves => {
                return refuse(Reason::NotAFile, "it is a symbolic link, which is not moved or removed");
            }
            Ok(_) => match self.files.canonical(&path) {
                Ok(real) => real,
                Err(error) if error.kind() == io::ErrorKind::NotFound => {
                    return refuse(Reason::OutsideWorkspace, "it is a link that leads nowhere");
                }
                Err(error) => return Err(system("finding", &path)(error)),
            },
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                match real_parent(self.files, &path).map_err(system("finding", &path))? {
                    Some(real) => real,
                    None => {
                        return refuse(Reason::OutsideWorkspace, "a folder on its way is a link that leads nowhere");
                    }
                }
            }
            Err(error) if error.kind() == io::ErrorKind::NotADirectory => {
                return refuse(Reason::NotAFile, "a file is on its way where a folder should be");
            }
            Err(error) => return Err(system("finding", &path)(error)),
        };
        let Ok(inside) = real.strip_prefix(self.root) else {
            return refuse(Reason::OutsideWorkspace, "it lies outside the workspace");
        };
        if inside.as_os_str().is_empty() {
            return refuse(Reason::NotAFile, "it is the root of the workspace");
        }
        let ours = |part: &std::ffi::OsStr| {
            let staged = part.as_encoded_bytes().starts_with(b".vise-");
            part.eq_ignore_ascii_case(".git") || part.eq_ignore_ascii_case(".vise") || staged
        };
        if inside.components().any(|part| ours(part.as_os_str())) {
            return refuse(Reason::Protected, "nothing in `.git` or `.vise` is edited");
        }
        if self.state.as_ref().is_some_and(|state| real.starts_with(state)) {
            return refuse(Reason::Protected, "our own state is not edited");
        }
        Ok(Ok(inside.to_owned()))
    }

    /// Reads the file at `path`, relative to the root; none where there is none.
    fn capture(&self, path: &Path) -> Result<Result<Option<Captured>, Refusal>, Error> {
        let real = self.root.join(path);
        let refuse = |reason, why: &str| Ok(Err(Refusal::of_file(shown(path), reason, why)));
        let folder = existing_parent(self.files, &real).map_err(system("finding", &real))?;
        if !self.files.is_writable(&folder).map_err(system("looking at", &folder))? {
            return refuse(Reason::ReadOnly, "its folder may not be written");
        }
        let stat = match self.files.stat(&real) {
            Ok(stat) => stat,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Ok(None)),
            Err(error) => return Err(system("looking at", &real)(error)),
        };
        if stat.kind != Kind::File {
            return refuse(Reason::NotAFile, "it is no regular file");
        }
        if stat.links > 1 {
            return refuse(Reason::HardLinked, "it has further names, which would keep the old text");
        }
        if stat.mode & 0o222 == 0 && !self.allow_read_only {
            return refuse(Reason::ReadOnly, "it is read-only");
        }
        let bytes = self.files.read(&real).map_err(system("reading", &real))?;
        Ok(Ok(Some(Captured { bytes, stat })))
    }
}

/// The innermost folder above `path` that exists.
pub(crate) fn existing_parent(files: &dyn Files, path: &Path) -> io::Result<PathBuf> {
    for folder in path.ancestors().skip(1) {
        match files.stat(folder) {
            Ok(_) => return Ok(folder.to_owned()),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(error),
        }
    }
    Err(io::ErrorKind::NotFound.into())
}

/// `path`, which does not exist, with the links in the folders above it resolved; none where one of them leads nowhere.
fn real_parent(files: &dyn Files, path: &Path) -> io::Result<Option<PathBuf>> {
    let folder = existing_parent(files, path)?;
    let real = match files.canonical(&folder) {
        Ok(real) => real,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error),
    };
    Ok(Some(real.join(path.strip_prefix(&folder).unwrap_or(path))))
}
