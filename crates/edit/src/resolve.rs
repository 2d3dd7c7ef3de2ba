//! Deciding on a proposal.

use crate::commit::{Site, commit};
use crate::part::{Cut, cut};
use crate::prepare::system;
use crate::recover::recover_locked;
use crate::{Candidate, Error, Guard, Moment, Proposal, State, Store};
use serde::{Deserialize, Serialize};
use std::io;
use std::path::Path;

/// After this many seconds without a decision a proposal can no longer be accepted.
pub const LIFETIME_SECONDS: u64 = 7 * 86_400;

/// What to do with a proposal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Decision {
    /// Write it.
    Accept,
    /// Never write it.
    Discard,
}

/// Whether a decision survives a power cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Durability {
    /// It does, as far as the disk keeps its promises.
    Durable,
    /// The last sync failed: everything is written, and it may not survive a power cut.
    Unknown,
}

/// What was decided, as `vise resolve --json` prints it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Resolution {
    /// The id.
    pub proposal: String,
    /// What it is now.
    pub state: State,
    /// The files that were written; none for a discarded proposal.
    pub files: Vec<String>,
    /// Left out where it is as it should be.
    #[serde(skip_serializing_if = "Durability::is_durable")]
    pub durability: Durability,
    /// What waits still, of a proposal of which a part was accepted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rest: Option<Rest>,
    /// What could not be tidied up.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
}

/// The next revision of a proposal of which a part was accepted.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Rest {
    /// The id, which is the one that it had.
    pub proposal: String,
    /// The hash that consent is bound to.
    pub digest: String,
    /// The places that are left, by their ids.
    pub places: Vec<String>,
    /// The files that are left.
    pub files: Vec<String>,
}

/// A decision as it is written.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Outcome {
    pub(crate) state: State,
    pub(crate) files: Vec<String>,
    pub(crate) at: Moment,
    /// The commit that it decides, if files were written.
    #[serde(default)]
    pub(crate) tx: Option<String>,
}

/// The note on a decision that may not survive.
pub(crate) const UNSURE: &str = "everything is written, but the last sync failed: it may not survive a power cut";

impl Outcome {
    /// The answer that was given when it was decided.
    pub(crate) fn recorded(self, proposal: String) -> Resolution {
        Resolution::of(proposal, self.state, self.files)
    }
}

impl Resolution {
    pub(crate) fn of(proposal: String, state: State, files: Vec<String>) -> Resolution {
        Resolution { proposal, state, files, durability: Durability::Durable, rest: None, notes: Vec::new() }
    }
}

impl Durability {
    /// Whether nothing needs to be said.
    pub fn is_durable(&self) -> bool {
        *self == Durability::Durable
    }
}

/// Accepts or discards the proposal that `id` stands for. Asked twice for the same, it gives the recorded answer and
/// does nothing.
///
/// Accepting writes every file or none: if any differs from what was captured, all that do are named and nothing is
/// written; if any step fails, everything is brought back.
pub fn resolve(store: &Store, id: &str, decision: Decision, now: Moment) -> Result<Resolution, Error> {
    let folder = store.find(id)?;
    // One decision at a time in a workspace: the lock lies beside its proposals.
    let workspace = store.workspace_of(&folder);
    let _lock = store.lock(&workspace)?;
    recover_locked(store, &workspace)?;
    let id = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
    if let Some(outcome) = store.outcome(&folder)? {
        return match (outcome.state, decision) {
            (State::Accepted, Decision::Accept) | (State::Discarded, Decision::Discard) => Ok(outcome.recorded(id)),
            (state, _) => Err(Error::Decided { id, state }),
        };
    }
    match decision {
        Decision::Discard => {
            let outcome = Outcome { state: State::Discarded, files: Vec::new(), at: now, tx: None };
            let durability = seal(store, &folder, &outcome)?;
            Ok(Resolution { durability, ..Resolution::of(id, State::Discarded, Vec::new()) })
        }
        Decision::Accept => {
            let proposal = store.load(&folder, now)?;
            if proposal.state == State::Expired {
                return Err(Error::Expired(id));
            }
            let site = Site { store, folder: &folder, workspace: &workspace, parent: None };
            accept(&site, &proposal, now)
        }
    }
}

/// Accepts a part of the proposal that `id` stands for: the places (by their ids) and files that `only` names, and what
/// belongs together with them. They are written as a proposal of their own, under a new id, all of it or nothing; what
/// is left is the next revision of the proposal, under the same id and with the same ids of places. Both become so in
/// one step. A part that is all of it is the proposal itself.
///
/// `guard` judges the texts of the part, which nobody has seen yet.
pub fn accept_part(
    store: &Store,
    id: &str,
    only: &[String],
    guard: &Guard<'_>,
    now: Moment,
) -> Result<Resolution, Error> {
    let folder = store.find(id)?;
    let workspace = store.workspace_of(&folder);
    let lock = store.lock(&workspace)?;
    recover_locked(store, &workspace)?;
    let proposal = store.load(&folder, now)?;
    match proposal.state {
        State::Pending => {}
        State::Expired => return Err(Error::Expired(proposal.id)),
        state => return Err(Error::Decided { id: proposal.id, state }),
    }
    let (mut chosen, rest) = match cut(&proposal, only)? {
        Cut::Whole => {
            drop(lock);
            return resolve(store, id, Decision::Accept, now);
        }
        Cut::Parts { chosen, rest } => (chosen, rest),
    };
    let refused: Vec<_> = chosen
        .slots
        .iter()
        .flat_map(|slot| {
            guard(&Candidate { file: &slot.shown(), old: chosen.old_text(slot), new: chosen.new_text(slot) })
        })
        .collect();
    if !refused.is_empty() {
        return Err(Error::Refused(refused));
    }
    chosen.id = store.new_id()?;
    chosen.created = now;
    store.save(&mut chosen)?;
    let part = workspace.join("proposals").join(&chosen.id);
    let site = Site { store, folder: &part, workspace: &workspace, parent: Some(&folder) };
    let resolution = store.write_revision(&folder, &rest).and_then(|()| accept(&site, &chosen, now));
    match resolution {
        Ok(resolution) => {
            let places = rest.places.iter().map(|place| place.id.clone()).collect();
            let (proposal, digest, files) = (rest.id.clone(), rest.digest.to_hex(), rest.files());
            Ok(Resolution { rest: Some(Rest { proposal, digest, places, files }), ..resolution })
        }
        Err(error) => {
            // A commit that is still to be recovered asks for it.
            if !matches!(error, Error::HalfUndone { .. }) {
                store.forget(&part);
            }
            Err(match error {
                Error::Stale { files, .. } => Error::Stale { id: Some(proposal.id), files },
                error => error,
            })
        }
    }
}

fn accept(site: &Site<'_>, proposal: &Proposal, now: Moment) -> Result<Resolution, Error> {
    let written = proposal.files();
    let (durability, mut notes) = commit(site, proposal, |tx| {
        let outcome = Outcome { state: State::Accepted, files: written.clone(), at: now, tx: Some(tx.to_owned()) };
        seal(site.store, site.folder, &outcome)
    })?;
    notes.extend((!durability.is_durable()).then(|| UNSURE.to_owned()));
    Ok(Resolution { notes, durability, ..Resolution::of(proposal.id.clone(), State::Accepted, written) })
}

/// Records a decision in one step: its file is complete before it has its name. An error means that nothing is
/// recorded.
pub(crate) fn seal(store: &Store, folder: &Path, outcome: &Outcome) -> Result<Durability, Error> {
    let files = store.files();
    let path = folder.join("outcome.json");
    let number = files.random().map_err(system("drawing a name beside", &path))?;
    let stage = folder.join(format!(".outcome-{number:016x}"));
    let json = serde_json::to_vec(outcome).map_err(|error| system("writing", &path)(io::Error::other(error)))?;
    let written = (|| {
        let mut file = files.create_new(&stage, 0o600)?;
        file.write_all(&json)?;
        file.sync()?;
        files.rename(&stage, &path)
    })();
    if let Err(error) = written {
        // A network file system may report an error for a rename that it did. What the folder holds decides.
        if files.read(&path).ok().as_deref() != Some(&json) {
            let _ = files.unlink(&stage).or_else(|_| files.unlink(&stage));
            return Err(system("recording the decision in", &path)(error));
        }
    }
    // A failed sync cannot be repeated with any meaning: the system may have dropped what it could not write.
    Ok(match files.sync_folder(folder) {
        Ok(()) => Durability::Durable,
        Err(_) => Durability::Unknown,
    })
}
