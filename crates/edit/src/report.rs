//! Proposals as JSON has them: the keys are those of the contract, to the letter.

use crate::{DroppedComment, Place, Proposal, Refusal, State};
use serde::Serialize;
use sha2::{Digest, Sha256};
use std::fmt::Write as _;
use vise_text::lossy;

/// What `vise ast-edit --json` and `vise show --format json` print.
#[derive(Clone, Debug, Serialize)]
pub struct Report {
    /// The id.
    pub proposal: String,
    /// How many changes: replaced matches, nested ones too, and steps about whole files.
    pub changes: usize,
    /// One a path, bytewise sorted.
    pub files: Vec<ReportedFile>,
    /// The unified diff; bytes that are no UTF-8 show as U+FFFD.
    pub diff: String,
    /// Comments that are lost, with consent.
    pub dropped_comments: Vec<DroppedComment>,
    /// What is left as it is.
    pub refused: Vec<Refusal>,
    /// What a checker says; null where none was asked. The gate asks none: its caller puts this in.
    pub diagnostics: Option<Vec<serde_json::Value>>,
    /// The hash that consent is bound to.
    pub digest: String,
    /// Where it stands.
    pub state: State,
    /// The replaced places.
    pub places: Vec<Place>,
    /// The producer stopped before it came to rest.
    pub not_converged: bool,
    /// How many new matches the pattern would find in the result.
    pub rematches: usize,
    /// Whatever else a reviewer should know.
    pub notes: Vec<String>,
}

/// A file of a [`Report`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ReportedFile {
    /// Relative to the root.
    pub path: String,
    /// How many changes.
    pub changes: usize,
    /// SHA-256 of the new bytes, of the old ones for a deletion.
    pub sha256: String,
}

/// A line of `vise proposals`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Summary {
    /// The id.
    pub proposal: String,
    /// Where it stands.
    pub state: State,
    /// How many changes.
    pub changes: usize,
    /// The paths, relative to the root.
    pub files: Vec<String>,
    /// When it was prepared, RFC 3339.
    pub created: String,
}

impl Proposal {
    /// The proposal as JSON has it.
    pub fn report(&self) -> Report {
        Report {
            proposal: self.id.clone(),
            changes: self.changes(),
            files: self
                .slots
                .iter()
                .map(|slot| ReportedFile {
                    path: slot.shown(),
                    changes: slot.changes,
                    sha256: sha256(self.new_text(slot).or_else(|| self.old_text(slot)).unwrap_or_default()),
                })
                .collect(),
            diff: lossy(&self.diff()),
            dropped_comments: self.dropped_comments.clone(),
            refused: self.refused.clone(),
            diagnostics: None,
            digest: self.digest.to_hex(),
            state: self.state,
            places: self.places.clone(),
            not_converged: self.not_converged,
            rematches: self.rematches,
            notes: self.notes.clone(),
        }
    }
}

fn sha256(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().fold(String::with_capacity(64), |mut out, byte| {
        // Writing to a string cannot fail.
        let _ = write!(out, "{byte:02x}");
        out
    })
}

#[cfg(test)]
mod tests {
    #[test]
    fn sha256_is_the_well_known_one() {
        assert_eq!(super::sha256(b"abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    }
}
