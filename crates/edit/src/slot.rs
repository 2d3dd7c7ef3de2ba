//! One path of a proposal: what was there, and what shall be.

use crate::record::{hex, path_text};
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};
use vise_text::ContentHash;
use vise_workspace::{Stat, shown_path};

/// One path, before and after. A proposal has each path once; a move is a slot that goes and one that comes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Slot {
    /// Relative to the root, without links in it.
    #[serde(with = "path_text")]
    pub path: PathBuf,
    /// What was captured; none where there was nothing.
    pub old: Option<Old>,
    /// What is to be there; none where there is to be nothing.
    pub new: Option<New>,
    /// How many changes the producer counts here: replaced matches, and one for each step that is about a whole file.
    pub changes: usize,
}

/// A captured file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Old {
    /// The hash of its bytes.
    #[serde(with = "hex")]
    pub hash: ContentHash,
    /// How many they were.
    pub len: u64,
    /// Which file it was. Never compared at accept (a touched file is not stale): it is a tie-break for recovery.
    pub identity: Identity,
}

/// What a file system says of a file beside its bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Identity {
    /// The device.
    pub device: u64,
    /// The number on it.
    pub inode: u64,
    /// The permission bits.
    pub mode: u32,
    /// How many names.
    pub links: u64,
    /// The owner.
    pub owner: u32,
    /// The group.
    pub group: u32,
    /// When the content changed.
    pub modified: Nanoseconds,
    /// When anything about it changed.
    pub changed: Nanoseconds,
}

/// Nanoseconds since 1970; 64 bits hold them until the year 2262.
type Nanoseconds = i64;

/// A file to be.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct New {
    /// The hash of its bytes.
    #[serde(with = "hex")]
    pub hash: ContentHash,
    /// How many they are.
    pub len: u64,
    /// The file whose owner, mode and attributes it takes: itself, or the one it is moved from. None for a new file.
    #[serde(with = "path_text::option")]
    pub like: Option<PathBuf>,
    /// Whether it may be run, where that is decided by the change.
    pub executable: Option<bool>,
    /// The permission bits of a file that comes back.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mode: Option<u32>,
}

impl Slot {
    /// The path as answers call it: with `/`, and U+FFFD for what is not UTF-8.
    pub fn shown(&self) -> String {
        shown_path(Path::new(""), &self.path)
    }

    /// Whether accepting the slot would leave everything as it is.
    pub(crate) fn is_idle(&self) -> bool {
        match (&self.old, &self.new) {
            (None, None) => true,
            (Some(old), Some(new)) => {
                let executable = old.identity.mode & 0o100 != 0;
                let same_mode = new.executable.is_none_or(|wanted| wanted == executable);
                old.hash == new.hash && same_mode && new.like.as_ref() == Some(&self.path)
            }
            _ => false,
        }
    }

    /// Adds what decides the slot's outcome to the digest. Lengths go first, so that no two lists read the same.
    fn digest(&self, out: &mut Vec<u8>) {
        let mut bytes = |bytes: &[u8]| {
            out.extend_from_slice(&(bytes.len() as u64).to_le_bytes());
            out.extend_from_slice(bytes);
        };
        bytes(self.path.as_os_str().as_encoded_bytes());
        bytes(self.old.as_ref().map_or(&[][..], |old| old.hash.as_bytes()));
        bytes(self.new.as_ref().map_or(&[][..], |new| new.hash.as_bytes()));
        let like = self.new.as_ref().and_then(|new| new.like.as_ref());
        bytes(like.map_or(&[][..], |like| like.as_os_str().as_encoded_bytes()));
        bytes(match self.new.as_ref().and_then(|new| new.executable) {
            None => b"",
            Some(false) => b"-",
            Some(true) => b"x",
        });
    }
}

/// The hash of a sorted list of slots: what a reviewer's consent is bound to.
pub(crate) fn digest(slots: &[Slot]) -> ContentHash {
    let mut out = b"vise proposal 1\n".to_vec();
    for slot in slots {
        slot.digest(&mut out);
    }
    ContentHash::of(&out)
}

impl From<&Stat> for Identity {
    fn from(stat: &Stat) -> Identity {
        let nanoseconds = |value: i128| i64::try_from(value).unwrap_or(i64::MAX);
        Identity {
            device: stat.device,
            inode: stat.inode,
            mode: stat.mode,
            links: stat.links,
            owner: stat.owner,
            group: stat.group,
            modified: nanoseconds(stat.modified),
            changed: nanoseconds(stat.changed),
        }
    }
}
