//! One replaced place of a proposal.

use serde::{Deserialize, Serialize};

/// A place that is changed: the unit that a reviewer may choose.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Place {
    /// `p1`, `p2`, … in the order of files and offsets.
    pub id: String,
    /// `g1`, `g2`, …: places of one group are made together or not at all.
    pub group: String,
    /// The file as it is called afterwards.
    pub file: String,
    /// The line on which the replaced text starts, from 1.
    pub line: usize,
    /// The replaced bytes of the text that the edit was made against, which is the captured one unless earlier steps
    /// of the same change had edited the file already.
    pub old_range: OldRange,
    /// What stands there afterwards; bytes that are no UTF-8 show as U+FFFD.
    pub text: String,
    /// What is done, in a few words.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub what: String,
}

/// A half-open range of bytes, as JSON writes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct OldRange {
    /// The first byte.
    pub start: usize,
    /// The byte after the last.
    pub end: usize,
}
