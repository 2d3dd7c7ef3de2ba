//! What the tree of a workspace looked like when its files were read.

use serde::{Deserialize, Serialize};
use vise_workspace::{SkipReason, Stat};
use xxhash_rust::xxh3::{Xxh3, xxh3_64};

use crate::tier::ImportedTool;

/// Within this many nanoseconds a file may change twice and show one time.
const GRAIN: i64 = 2_000_000_000;

/// By which a changed file or folder is told from an unchanged one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub(crate) struct Stamp {
    pub(crate) size: u64,
    /// When the content changed, in nanoseconds since 1970.
    pub(crate) modified: i64,
    /// When anything changed. Nobody can set this time, so it shows an edit that keeps size and time.
    pub(crate) changed: i64,
    pub(crate) inode: u64,
}

impl Stamp {
    pub(crate) fn of(stat: &Stat) -> Self {
        let time = |time: i128| i64::try_from(time).unwrap_or(i64::MAX);
        Self { size: stat.len, modified: time(stat.modified), changed: time(stat.changed), inode: stat.inode }
    }

    /// Whether a change after `recorded`, the time before anything was read, may leave the same stamp.
    pub(crate) fn is_racy(&self, recorded: i64) -> bool {
        let since = recorded.saturating_sub(GRAIN);
        // A file that claims to be from the future tells nothing by that time, and the other one is enough.
        let ahead = recorded.saturating_add(GRAIN);
        self.changed >= since || (since..=ahead).contains(&self.modified)
    }
}

/// Why a file is left out. The list is closed: answers carry these words.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Why {
    /// It holds a NUL byte.
    Binary,
    /// It is longer than `max_file_bytes`.
    TooLarge,
    /// A program wrote its lines.
    Minified,
    /// The system does not let us read it.
    Unreadable,
    /// It was there when the folder was listed.
    Vanished,
    /// A folder, a device, a pipe or a socket.
    NotAFile,
    /// Parsing it takes too many steps.
    Budget,
    /// Its name, or that of a folder around it, is not UTF-8.
    NotUtf8Name,
}

impl Why {
    const ALL: [Self; 8] = [
        Self::Binary,
        Self::TooLarge,
        Self::Minified,
        Self::Unreadable,
        Self::Vanished,
        Self::NotAFile,
        Self::Budget,
        Self::NotUtf8Name,
    ];

    /// The word for it in answers.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Binary => "binary",
            Self::TooLarge => "too_large",
            Self::Minified => "minified",
            Self::Unreadable => "unreadable",
            Self::Vanished => "vanished",
            Self::NotAFile => "not_a_file",
            Self::Budget => "budget",
            Self::NotUtf8Name => "not_utf8_name",
        }
    }

    pub(crate) fn from_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|why| why.as_str() == word)
    }

    /// Whether the file's content alone says so, whatever the system and the options.
    pub(crate) fn is_lasting(self) -> bool {
        matches!(self, Self::Binary | Self::Minified | Self::Budget)
    }
}

impl From<SkipReason> for Why {
    fn from(reason: SkipReason) -> Self {
        match reason {
            SkipReason::Binary => Self::Binary,
            SkipReason::TooLarge => Self::TooLarge,
            SkipReason::Minified => Self::Minified,
            SkipReason::Unreadable => Self::Unreadable,
            SkipReason::Vanished => Self::Vanished,
            SkipReason::NotAFile => Self::NotAFile,
        }
    }
}

/// A file that was looked at: a source, a file that says how the project is put together, or one that might have been a
/// script.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct FileEntry {
    /// Relative to the root, with `/`.
    pub(crate) path: String,
    pub(crate) stamp: Stamp,
    /// Whether a later change may not show in the stamp.
    pub(crate) racy: bool,
    /// Of the content; zeros where it was not read.
    pub(crate) hash: [u8; 32],
    /// None of a file that is no source.
    pub(crate) language: Option<String>,
    pub(crate) skipped: Option<Why>,
    pub(crate) lines: u32,
}

impl FileEntry {
    /// Whether the file has symbols.
    pub(crate) fn is_source(&self) -> bool {
        self.language.is_some() && self.skipped.is_none()
    }

    /// Whether the other says the same of a file's content.
    pub(crate) fn same_content(&self, other: &Self) -> bool {
        (self.hash, &self.language, self.skipped) == (other.hash, &other.language, other.skipped)
    }
}

/// A file that decides what is ignored.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct IgnoreEntry {
    /// Absolute, as the system spells it.
    pub(crate) path: Vec<u8>,
    /// None where there is no such file.
    pub(crate) stamp: Option<Stamp>,
    pub(crate) racy: bool,
}

/// A folder that was listed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct FolderEntry {
    /// Relative to the root, with `/`; empty for the root.
    pub(crate) path: String,
    pub(crate) stamp: Stamp,
    pub(crate) racy: bool,
    /// The files in it that decide what is ignored.
    pub(crate) ignores: Vec<IgnoreEntry>,
}

/// A tree.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub(crate) struct Tree {
    /// What the tree depends on besides the files: options, extractor, version.
    pub(crate) fingerprint: u64,
    /// Sorted by path.
    pub(crate) folders: Vec<FolderEntry>,
    /// The ignore files outside of the root.
    pub(crate) outer: Vec<IgnoreEntry>,
    /// Sorted by path.
    pub(crate) files: Vec<FileEntry>,
    /// What could not be listed, sorted by path.
    pub(crate) unlisted: Vec<(String, Why)>,
    /// Lines of ignore files that do not parse.
    pub(crate) warnings: Vec<String>,
    /// What was imported when the generation was made.
    pub(crate) tiers: Tiers,
}

/// What a generation owes to other programs' indexes.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub(crate) struct Tiers {
    /// The store's number for what was imported; 0 for nothing.
    pub(crate) stamp: u64,
    /// Who said something, and of how many files it holds.
    pub(crate) tools: Vec<ImportedTool>,
}

impl Tree {
    /// The files that have symbols.
    pub(crate) fn sources(&self) -> impl Iterator<Item = &FileEntry> {
        self.files.iter().filter(|file| file.is_source())
    }

    /// The file with this path.
    pub(crate) fn file(&self, path: &str) -> Option<&FileEntry> {
        let found = self.files.binary_search_by(|file| (*file.path).cmp(path)).ok()?;
        self.files.get(found)
    }

    /// A number for all that the graph is made of: two trees that share it have the same graph.
    pub(crate) fn content(&self) -> u64 {
        let mut hasher = Xxh3::new();
        for file in &self.files {
            for part in [file.path.as_bytes(), file.language.as_deref().unwrap_or_default().as_bytes(), &file.hash] {
                hasher.update(&(part.len() as u64).to_le_bytes());
                hasher.update(part);
            }
            hasher.update(&[file.skipped.map_or(0, |why| why as u8 + 1)]);
        }
        hasher.digest()
    }

    /// As bytes, with their sum.
    pub(crate) fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = postcard::to_stdvec(self).unwrap_or_default();
        bytes.extend(xxh3_64(&bytes).to_le_bytes());
        bytes
    }

    /// The other way round; none where the bytes are not what they were.
    pub(crate) fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let (rest, sum) = bytes.split_last_chunk::<8>()?;
        if u64::from_le_bytes(*sum) != xxh3_64(rest) {
            return None;
        }
        postcard::from_bytes(rest).ok()
    }
}

/// The folder that a path is in.
pub(crate) fn parent(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

/// The last part of a path.
pub(crate) fn name(path: &str) -> &str {
    path.rsplit_once('/').map_or(path, |(_, name)| name)
}
