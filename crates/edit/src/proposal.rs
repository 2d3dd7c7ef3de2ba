//! A prepared change.

use crate::diff::{Version, unified_diff};
use crate::{DroppedComment, Moment, Piece, Place, Refusal, Slot};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt;
use std::path::PathBuf;
use vise_text::ContentHash;

/// Where a proposal stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum State {
    /// Nothing was decided.
    Pending,
    /// Its new bytes were written.
    Accepted,
    /// It was turned down.
    Discarded,
    /// It was written, and then taken back.
    Undone,
    /// Nothing was decided in time.
    Expired,
}

/// A change with the bytes of every file before and after it.
#[derive(Clone, Debug)]
pub struct Proposal {
    /// 12 hexadecimal digits.
    pub id: String,
    /// The root of its workspace, without links.
    pub root: PathBuf,
    /// When it was prepared.
    pub created: Moment,
    /// The hash over all slots.
    pub digest: ContentHash,
    /// Where it stands.
    pub state: State,
    /// One a path, sorted by path.
    pub slots: Vec<Slot>,
    /// The replaced places, in the order of files and offsets.
    pub places: Vec<Place>,
    /// What each place needs to be taken by itself.
    pub pieces: Vec<Piece>,
    /// Comments that are lost, with consent.
    pub dropped_comments: Vec<DroppedComment>,
    /// What is left as it is.
    pub refused: Vec<Refusal>,
    /// How many new matches the pattern would find in the result.
    pub rematches: usize,
    /// The producer stopped before it came to rest.
    pub not_converged: bool,
    /// Whatever else a reviewer should know.
    pub notes: Vec<String>,
    /// The captured and the new texts by their hashes.
    pub texts: Texts,
}

/// Texts by their hashes.
pub type Texts = BTreeMap<ContentHash, Vec<u8>>;

impl Proposal {
    /// How many changes there are.
    pub fn changes(&self) -> usize {
        self.slots.iter().map(|slot| slot.changes).sum()
    }

    /// The paths, as answers call them, in order.
    pub fn files(&self) -> Vec<String> {
        self.slots.iter().map(Slot::shown).collect()
    }

    /// The bytes of a slot before the change.
    pub fn old_text(&self, slot: &Slot) -> Option<&[u8]> {
        self.texts.get(&slot.old.as_ref()?.hash).map(Vec::as_slice)
    }

    /// The bytes of a slot after the change.
    pub fn new_text(&self, slot: &Slot) -> Option<&[u8]> {
        self.texts.get(&slot.new.as_ref()?.hash).map(Vec::as_slice)
    }

    /// The numbers of the places of a file.
    pub(crate) fn places_of(&self, slot: &Slot) -> Vec<usize> {
        let file = slot.shown();
        let places = self.places.iter().enumerate();
        places.filter(|(_, place)| place.file == file).map(|(at, _)| at).collect()
    }

    /// The whole change as a unified diff that `git apply` takes at the root.
    pub fn diff(&self) -> Vec<u8> {
        let mut out = Vec::new();
        for slot in &self.slots {
            let captured = slot.old.as_ref().is_some_and(|old| old.identity.mode & 0o100 != 0);
            let old = self.old_text(slot).map(|bytes| Version { bytes, executable: captured });
            let new = self.new_text(slot).map(|bytes| Version { bytes, executable: self.becomes_executable(slot) });
            unified_diff(&mut out, &slot.path, old, new);
        }
        out
    }

    fn becomes_executable(&self, slot: &Slot) -> bool {
        let Some(new) = &slot.new else { return false };
        let like = || {
            let path = new.like.as_ref()?;
            let like = if *path == slot.path { slot } else { self.slots.iter().find(|other| other.path == *path)? };
            Some(like.old.as_ref()?.identity.mode & 0o100 != 0)
        };
        new.executable.or_else(like).unwrap_or(false)
    }
}

impl fmt::Display for State {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            State::Pending => "pending",
            State::Accepted => "accepted",
            State::Discarded => "discarded",
            State::Undone => "undone",
            State::Expired => "expired",
        })
    }
}
