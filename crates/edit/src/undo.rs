//! Taking back what was accepted.

use crate::commit::{Site, commit};
use crate::recover::recover_locked;
use crate::resolve::{Outcome, Resolution, UNSURE, seal};
use crate::{Error, Moment, New, Old, Proposal, Slot, State, Store};
use std::path::Path;

/// Writes the old bytes of an accepted proposal back: of the one that `id` stands for, else of the last one that was
/// accepted in the workspace at `root`. Every file must hold what was accepted, or nothing is written.
///
/// Asked twice it gives the recorded answer.
pub fn undo(store: &Store, root: &Path, id: Option<&str>, now: Moment) -> Result<Resolution, Error> {
    let folder = match id {
        Some(id) => store.find(id)?,
        None => store.find(&store.last_accepted(root)?)?,
    };
    let workspace = store.workspace_of(&folder);
    let _lock = store.lock(&workspace)?;
    recover_locked(store, &workspace)?;
    let id = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let outcome = match store.outcome(&folder)? {
        Some(outcome) if outcome.state == State::Undone => return Ok(outcome.recorded(id)),
        Some(outcome) if outcome.state == State::Accepted => outcome,
        Some(outcome) => return Err(Error::NotAccepted { id, state: outcome.state }),
        None => return Err(Error::NotAccepted { id, state: State::Pending }),
    };
    let proposal = reversed(store.load(&folder, now)?);
    let files = proposal.files();
    let site = Site { store, folder: &folder, workspace: &workspace, parent: None };
    let (durability, mut notes) = commit(&site, &proposal, |tx| {
        let outcome = Outcome { state: State::Undone, at: now, tx: Some(tx.to_owned()), ..outcome.clone() };
        seal(store, &folder, &outcome)
    })?;
    notes.extend((!durability.is_durable()).then(|| UNSURE.to_owned()));
    Ok(Resolution { notes, durability, ..Resolution::of(id, State::Undone, files) })
}

/// The proposal that leads from the new bytes to the old ones.
fn reversed(proposal: Proposal) -> Proposal {
    let was_executable = |slot: &Slot| slot.old.as_ref().map(|old| old.identity.mode & 0o100 != 0);
    // A file that was moved comes back from where it is.
    let from = |slot: &Slot| {
        let moved = proposal.slots.iter().find(|other| {
            let like = other.new.as_ref().and_then(|new| new.like.as_ref());
            like == Some(&slot.path) && (other.path == slot.path || other.old.is_none())
        });
        moved.map(|other| other.path.clone())
    };
    let slots = proposal.slots.iter().map(|slot| {
        let like = from(slot);
        let set_mode = slot.new.as_ref().is_some_and(|new| new.executable.is_some());
        let new = slot.old.as_ref().map(|old| New {
            hash: old.hash,
            len: old.len,
            executable: was_executable(slot).filter(|_| set_mode && like.is_some()),
            mode: like.is_none().then_some(old.identity.mode),
            like,
        });
        let old = slot.new.as_ref().map(|new| Old {
            hash: new.hash,
            len: new.len,
            // Only its bytes are compared; which file it is now is found when it is written.
            identity: slot.old.as_ref().map(|old| old.identity).unwrap_or_default(),
        });
        Slot { path: slot.path.clone(), old, new, changes: slot.changes }
    });
    let slots = slots.collect();
    Proposal { slots, ..proposal }
}
