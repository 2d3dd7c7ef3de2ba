//! Where proposals are kept.
//!
//! `<state home>/vise/<hash of the root>/proposals/<id>/` holds `record.json` (everything but the texts and the
//! decision; it never changes), `texts/<hash>` (each captured and each new text once) and, once decided,
//! `outcome.json`. A folder is filled under a hidden name and then renamed, so an id that can be found is complete.

use crate::prepare::system;
use crate::proposal::Texts;
use crate::record::{hex, path_text};
use crate::resolve::{LIFETIME_SECONDS, Outcome};
use crate::slot::digest;
use crate::{DroppedComment, Error, Moment, Piece, Place, Proposal, Refusal, Slot, State, Summary};
use serde::{Deserialize, Serialize};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use vise_text::ContentHash;
use vise_workspace::{Disk, Files, Kind, Lock};

/// Digits of an id, and how few of them may stand for it.
const ID_DIGITS: usize = 12;
const PREFIX_DIGITS: usize = 6;
/// The record that a proposal gets when a part of it is accepted.
pub(crate) const NEXT: &str = ".next.json";
/// Decided or not, a proposal is forgotten after this many seconds.
const KEPT_SECONDS: u64 = 30 * 86_400;

/// The proposals of all workspaces of this user.
#[derive(Clone)]
pub struct Store {
    folder: PathBuf,
    files: Arc<dyn Files>,
}

/// A proposal as it is written.
#[derive(Debug, Serialize, Deserialize)]
struct Record {
    version: u32,
    id: String,
    #[serde(with = "path_text")]
    root: PathBuf,
    created: Moment,
    #[serde(with = "hex")]
    digest: ContentHash,
    slots: Vec<Slot>,
    places: Vec<Place>,
    #[serde(default)]
    pieces: Vec<Piece>,
    dropped_comments: Vec<DroppedComment>,
    refused: Vec<Refusal>,
    rematches: usize,
    not_converged: bool,
    notes: Vec<String>,
}

impl Record {
    /// What is written of a proposal beside its texts.
    fn of(proposal: &Proposal) -> Result<Vec<u8>, Error> {
        let record = Record {
            version: 1,
            id: proposal.id.clone(),
            root: proposal.root.clone(),
            created: proposal.created,
            digest: proposal.digest,
            slots: proposal.slots.clone(),
            places: proposal.places.clone(),
            pieces: proposal.pieces.clone(),
            dropped_comments: proposal.dropped_comments.clone(),
            refused: proposal.refused.clone(),
            rematches: proposal.rematches,
            not_converged: proposal.not_converged,
            notes: proposal.notes.clone(),
        };
        serde_json::to_vec(&record).map_err(|error| Error::Damaged { id: proposal.id.clone(), why: error.to_string() })
    }
}

impl Store {
    /// The store below `state_home`, which is `$XDG_STATE_HOME` or what stands for it.
    pub fn open(state_home: &Path) -> Store {
        Store::with_files(state_home, Arc::new(Disk))
    }

    /// The same with files of the caller's, for tests that make steps fail.
    pub fn with_files(state_home: &Path, files: Arc<dyn Files>) -> Store {
        Store { folder: state_home.join("vise"), files }
    }

    pub(crate) fn files(&self) -> &dyn Files {
        &*self.files
    }

    /// The state folder without links, where it exists.
    pub(crate) fn real_folder(&self) -> Option<PathBuf> {
        self.files.canonical(&self.folder).ok()
    }

    /// The folder of the workspace at `root`, which has no links in it.
    pub(crate) fn workspace_folder(&self, root: &Path) -> PathBuf {
        let hash = ContentHash::of(root.as_os_str().as_encoded_bytes()).to_hex();
        self.folder.join(hash.get(..16).unwrap_or(&hash))
    }

    /// The workspace's folder of the one of a proposal.
    pub(crate) fn workspace_of(&self, proposal: &Path) -> PathBuf {
        proposal.parent().and_then(Path::parent).unwrap_or(proposal).to_owned()
    }

    /// Waits until nobody else decides anything in a workspace.
    pub(crate) fn lock(&self, workspace: &Path) -> Result<Lock, Error> {
        let lock = workspace.join("lock");
        self.files.lock(&lock).map_err(system("locking", &lock))
    }

    /// The id of the proposal that was accepted last in the workspace at `root` and is not undone.
    pub fn last_accepted(&self, root: &Path) -> Result<String, Error> {
        let root = self.files.canonical(root).map_err(system("finding", root))?;
        let proposals = self.workspace_folder(&root).join("proposals");
        let mut last: Option<(i128, String)> = None;
        for id in self.names(&proposals)? {
            let folder = proposals.join(&id);
            // One that cannot be read can still be undone by its id, which says what is wrong with it.
            let Ok(Some(outcome)) = self.outcome(&folder) else { continue };
            let Ok(stat) = self.files.stat(&folder.join("outcome.json")) else { continue };
            let later = last.as_ref().is_none_or(|(at, _)| stat.modified > *at);
            if outcome.state == State::Accepted && later {
                last = Some((stat.modified, id));
            }
        }
        last.map(|(_, id)| id).ok_or(Error::NothingToUndo)
    }

    /// Writes the next revision of a proposal beside its record; nothing is changed by that.
    pub(crate) fn write_revision(&self, folder: &Path, next: &Proposal) -> Result<(), Error> {
        let texts = folder.join("texts");
        for (hash, text) in &next.texts {
            let path = texts.join(hash.to_hex());
            match self.files.read(&path) {
                Ok(known) if known == *text => continue,
                // What an attempt left behind that was cut short.
                Ok(_) => self.files.unlink(&path).map_err(system("removing", &path))?,
                Err(_) => {}
            }
            self.write(&path, text)?;
            self.files.sync_file(&path).map_err(system("syncing", &path))?;
        }
        let path = folder.join(NEXT);
        match self.files.unlink(&path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(system("removing", &path)(error)),
            _ => {}
        }
        self.write(&path, &Record::of(next)?)?;
        self.files.sync_file(&path).map_err(system("syncing", &path))?;
        for folder in [&texts, folder] {
            self.files.sync_folder(folder).map_err(system("syncing", folder))?;
        }
        Ok(())
    }

    /// Puts the next revision of a proposal in its place, and keeps the one before; or drops it.
    pub(crate) fn end_revision(&self, folder: &Path, decided: bool) -> Result<(), Error> {
        let (next, record) = (folder.join(NEXT), folder.join("record.json"));
        let done = (|| {
            if !decided {
                return self.files.unlink(&next);
            }
            self.files.stat(&next)?;
            let old = ContentHash::of(&self.files.read(&record)?).to_hex();
            // Where files have one name only, or it is kept already, the revision before is not kept again.
            let _ = self.files.link(&record, &folder.join(format!("record-{}.json", old.get(..16).unwrap_or(&old))));
            self.files.rename(&next, &record)?;
            self.files.sync_folder(folder)
        })();
        match done {
            // It is done already.
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
            done => done.map_err(system("renaming", &next)),
        }
    }

    /// Removes a proposal that nobody was told of.
    pub(crate) fn forget(&self, folder: &Path) {
        // What is left is swept when its time is over.
        let _ = self.remove_tree(folder);
    }

    pub(crate) fn new_id(&self) -> Result<String, Error> {
        let number = self.files.random().map_err(system("drawing an id below", &self.folder))?;
        Ok(format!("{:012x}", number >> 16))
    }

    /// Writes a new proposal; in the unlikely case that its id is taken it gets another.
    pub(crate) fn save(&self, proposal: &mut Proposal) -> Result<(), Error> {
        let proposals = self.workspace_folder(&proposal.root).join("proposals");
        self.make_folders(&proposals)?;
        self.sweep(&proposals, proposal.created);
        while self.folders_of(&proposal.id)?.into_iter().any(|(id, _)| id == proposal.id) {
            proposal.id = self.new_id()?;
        }
        let hidden = proposals.join(format!(".new-{}", proposal.id));
        let written = self.write_new(&hidden, proposal).and_then(|()| {
            let folder = proposals.join(&proposal.id);
            // Should somebody have made the same id in between, the system refuses to move over a folder that is not empty.
            self.files.rename(&hidden, &folder).map_err(system("naming", &folder))
        });
        if written.is_err() {
            // What is left of a failed attempt is in nobody's way; the next sweep tries again.
            let _ = self.remove_tree(&hidden);
        }
        written
    }

    fn write_new(&self, folder: &Path, proposal: &Proposal) -> Result<(), Error> {
        let texts = folder.join("texts");
        self.files.make_folder(folder, 0o700).map_err(system("making", folder))?;
        self.files.make_folder(&texts, 0o700).map_err(system("making", &texts))?;
        for (hash, text) in &proposal.texts {
            self.write(&texts.join(hash.to_hex()), text)?;
        }
        let json = Record::of(proposal)?;
        self.write(&folder.join("record.json"), &json)
    }

    /// Writes a new file of ours. Texts are not synced: they are checked against their hashes when they are read, and
    /// a proposal that a power cut damaged is prepared again.
    fn write(&self, path: &Path, bytes: &[u8]) -> Result<(), Error> {
        let mut stage = self.files.create_new(path, 0o600).map_err(system("making", path))?;
        stage.write_all(bytes).map_err(system("writing", path))
    }

    pub(crate) fn make_folders(&self, path: &Path) -> Result<(), Error> {
        let mut missing = Vec::new();
        for folder in path.ancestors() {
            match self.files.stat(folder) {
                Ok(_) => break,
                Err(error) if error.kind() == io::ErrorKind::NotFound => missing.push(folder),
                Err(error) => return Err(system("looking at", folder)(error)),
            }
        }
        for folder in missing.into_iter().rev() {
            match self.files.make_folder(folder, 0o700) {
                Err(error) if error.kind() != io::ErrorKind::AlreadyExists => {
                    return Err(system("making", folder)(error));
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// Forgets old proposals. It is a courtesy to the disk, so its errors are nobody's.
    fn sweep(&self, proposals: &Path, now: Moment) {
        for name in self.files.list(proposals).unwrap_or_default() {
            let folder = proposals.join(&name);
            let Ok(stat) = self.files.stat(&folder) else { continue };
            let changed = u64::try_from(stat.modified / 1_000_000_000).unwrap_or(0);
            let age = now.since(Moment { seconds: changed });
            let forgotten = if name.as_encoded_bytes().starts_with(b".") {
                // A hidden folder of today may belong to somebody who is just filling it.
                age > 86_400
            } else {
                // The folder's time only says whether it is worth asking the record.
                age > KEPT_SECONDS && self.record(&folder).is_ok_and(|record| now.since(record.created) > KEPT_SECONDS)
            };
            if forgotten {
                let _ = self.remove_tree(&folder);
            }
        }
    }

    /// Removes a proposal's folder; nothing of ours is nested deeper.
    fn remove_tree(&self, folder: &Path) -> io::Result<()> {
        for name in self.files.list(folder)? {
            let path = folder.join(name);
            if self.files.stat(&path)?.kind == Kind::Folder {
                for inner in self.files.list(&path)? {
                    self.files.unlink(&path.join(inner))?;
                }
                self.files.remove_folder(&path)?;
            } else {
                self.files.unlink(&path)?;
            }
        }
        self.files.remove_folder(folder)
    }

    /// The folders of the proposals whose ids begin with `prefix`, in whatever workspace, with their ids.
    fn folders_of(&self, prefix: &str) -> Result<Vec<(String, PathBuf)>, Error> {
        let mut found = Vec::new();
        for workspace in self.names(&self.folder)? {
            let proposals = self.folder.join(workspace).join("proposals");
            for id in self.names(&proposals)? {
                if id.starts_with(prefix) {
                    found.push((id.clone(), proposals.join(id)));
                }
            }
        }
        found.sort();
        Ok(found)
    }

    /// The names in a folder of ours that are not hidden; none where there is no such folder.
    fn names(&self, folder: &Path) -> Result<Vec<String>, Error> {
        match self.files.list(folder) {
            Ok(names) => {
                let names = names.into_iter().filter_map(|name| name.into_string().ok());
                Ok(names.filter(|name| !name.starts_with('.')).collect())
            }
            Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {
                Ok(Vec::new())
            }
            Err(error) => Err(system("listing", folder)(error)),
        }
    }

    /// The folder of the one proposal that `id` stands for.
    pub(crate) fn find(&self, id: &str) -> Result<PathBuf, Error> {
        let id = id.trim().to_ascii_lowercase();
        let digits = id.bytes().all(|byte| byte.is_ascii_hexdigit());
        if !digits || !(PREFIX_DIGITS..=ID_DIGITS).contains(&id.len()) {
            return Err(Error::BadId(id));
        }
        let mut found = self.folders_of(&id)?;
        match found.len() {
            0 => Err(Error::NoSuchProposal(id)),
            1 => Ok(found.remove(0).1),
            _ => Err(Error::AmbiguousId { id, candidates: found.into_iter().map(|(id, _)| id).collect() }),
        }
    }

    /// The proposal that `id`, or a beginning of at least six digits, stands for.
    pub fn proposal(&self, id: &str, now: Moment) -> Result<Proposal, Error> {
        self.load(&self.find(id)?, now)
    }

    /// Reads the proposal in `folder` and checks every byte of it against its hash.
    pub(crate) fn load(&self, folder: &Path, now: Moment) -> Result<Proposal, Error> {
        let record = self.record(folder)?;
        let damaged = |why: String| Error::Damaged { id: record.id.clone(), why };
        if digest(&record.slots) != record.digest {
            return Err(damaged("its record does not fit its digest".to_owned()));
        }
        let leaves = |slot: &&Slot| {
            let like = slot.new.as_ref().and_then(|new| new.like.as_ref());
            !is_inside(&slot.path) || like.is_some_and(|like| !is_inside(like))
        };
        if let Some(slot) = record.slots.iter().find(leaves) {
            return Err(damaged(format!("`{}` is no path below the root", slot.shown())));
        }
        let mut texts = Texts::new();
        for slot in &record.slots {
            let hashes = [slot.old.as_ref().map(|old| old.hash), slot.new.as_ref().map(|new| new.hash)];
            for hash in hashes.into_iter().flatten() {
                let path = folder.join("texts").join(hash.to_hex());
                let text = self.files.read(&path).map_err(system("reading", &path))?;
                if ContentHash::of(&text) != hash {
                    return Err(damaged(format!("the stored text of `{}` is not what was stored", slot.shown())));
                }
                texts.insert(hash, text);
            }
        }
        let state = self.state(folder, record.created, now)?;
        Ok(Proposal {
            id: record.id,
            root: record.root,
            created: record.created,
            digest: record.digest,
            state,
            slots: record.slots,
            places: record.places,
            pieces: record.pieces,
            dropped_comments: record.dropped_comments,
            refused: record.refused,
            rematches: record.rematches,
            not_converged: record.not_converged,
            notes: record.notes,
            texts,
        })
    }

    fn record(&self, folder: &Path) -> Result<Record, Error> {
        let path = folder.join("record.json");
        let json = self.files.read(&path).map_err(system("reading", &path))?;
        serde_json::from_slice(&json).map_err(|error| {
            let id = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
            Error::Damaged { id, why: error.to_string() }
        })
    }

    fn state(&self, folder: &Path, created: Moment, now: Moment) -> Result<State, Error> {
        Ok(match self.outcome(folder)? {
            Some(outcome) => outcome.state,
            None if now.since(created) > LIFETIME_SECONDS => State::Expired,
            None => State::Pending,
        })
    }

    /// What was decided, if something was.
    pub(crate) fn outcome(&self, folder: &Path) -> Result<Option<Outcome>, Error> {
        let path = folder.join("outcome.json");
        match self.files.read(&path) {
            Ok(json) => serde_json::from_slice(&json).map(Some).map_err(|error| {
                let id = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
                Error::Damaged { id, why: error.to_string() }
            }),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(system("reading", &path)(error)),
        }
    }

    /// The proposals of the workspace at `root`, the newest first. One that cannot be read is left out: it can still
    /// be asked for by its id, which says what is wrong with it.
    pub fn list(&self, root: &Path, now: Moment) -> Result<Vec<Summary>, Error> {
        let root = self.files.canonical(root).map_err(system("finding", root))?;
        let proposals = self.workspace_folder(&root).join("proposals");
        let mut found = Vec::new();
        for id in self.names(&proposals)? {
            let folder = proposals.join(id);
            let Ok(record) = self.record(&folder) else { continue };
            let Ok(state) = self.state(&folder, record.created, now) else { continue };
            found.push((record, state));
        }
        found.sort_by(|(a, _), (b, _)| b.created.cmp(&a.created).then(a.id.cmp(&b.id)));
        Ok(found
            .into_iter()
            .map(|(record, state)| Summary {
                changes: record.slots.iter().map(|slot| slot.changes).sum(),
                files: record.slots.iter().map(Slot::shown).collect(),
                created: record.created.to_string(),
                proposal: record.id,
                state,
            })
            .collect())
    }
}

/// Whether a recorded path stays below the root whatever the record says.
fn is_inside(path: &Path) -> bool {
    path.components().all(|part| matches!(part, std::path::Component::Normal(_))) && path.components().next().is_some()
}
