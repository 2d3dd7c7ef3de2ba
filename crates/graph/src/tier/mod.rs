//! What compilers say: uses of names, and where each is defined, kept beside what we found by ourselves.
//!
//! A tool's index is read once ([`read_scip`]) and kept file by file, with the hash of the content that it is about. When
//! a generation is made, what was said of files that are still the same becomes edges with the evidence `compiler`
//! (`apply`); the facts, and the edges that resolving gives, never change, so that a file that changes, or an import that
//! is removed, leaves what there was without it.

mod apply;
#[cfg(feature = "scip")]
mod read;

use serde::{Deserialize, Serialize};

pub(crate) use apply::apply;
#[cfg(feature = "scip")]
pub use read::{LeftOut, MAX_INDEX_BYTES, ReadError, ScipIndex, read_scip};

/// The hash of a file's content in the form in which it is kept.
pub(crate) type Hash = [u64; 4];

/// A hash as it is kept.
pub(crate) fn hash_words(hash: &[u8; 32]) -> Hash {
    let mut words = [0; 4];
    for (word, bytes) in words.iter_mut().zip(hash.as_chunks::<8>().0) {
        *word = u64::from_le_bytes(*bytes);
    }
    words
}

/// What a tool says of one file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ImportedFile {
    /// Relative to the root, with `/`.
    pub path: String,
    /// Of the content that it is about.
    pub hash: [u8; 32],
    /// What it says.
    pub uses: FileUses,
}

/// The names that a file uses.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct FileUses {
    /// Names and paths, each once.
    texts: Vec<String>,
    /// The files that definitions are in: path and content.
    files: Vec<(u32, Hash)>,
    /// What is used: its definitions.
    targets: Vec<Vec<Definition>>,
    /// In the order of the text.
    uses: Vec<Use>,
}

impl FileUses {
    /// How many names are used.
    pub fn len(&self) -> usize {
        self.uses.len()
    }

    /// Whether none is.
    pub fn is_empty(&self) -> bool {
        self.uses.is_empty()
    }

    fn text(&self, number: u32) -> &str {
        self.texts.get(number as usize).map_or("", String::as_str)
    }
}

/// Where something is defined.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
struct Definition {
    /// Of [`FileUses::files`].
    file: u32,
    /// Line from 1.
    line: u32,
    /// What stands there, of [`FileUses::texts`]; nothing where it is the file itself.
    name: u32,
    /// Of the definitions with that name on that line, from 0: which,
    which: u32,
    /// and of how many.
    of: u32,
}

/// A name in the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
struct Use {
    /// Line from 1.
    line: u32,
    /// What stands there, of [`FileUses::texts`].
    name: u32,
    /// Of [`FileUses::targets`].
    target: u32,
    /// Whether the tool says that it is imported here.
    import: bool,
}

/// What is kept of a file, packed.
#[derive(Debug, Clone)]
pub(crate) struct TierRow {
    pub(crate) path: String,
    pub(crate) hash: [u8; 32],
    pub(crate) tool: String,
    pub(crate) version: String,
    pub(crate) packed: Vec<u8>,
}

/// A tool whose index was imported.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ImportedTool {
    /// Its name.
    pub tool: String,
    /// Its version.
    pub version: String,
    /// How many files it spoke of.
    pub files: usize,
    /// How many of them are still what they were.
    pub matching: usize,
}

/// The tools of rows, which are in the order of their tools, with how many of their files pass.
pub(crate) fn tools(rows: &[TierRow], mut matches: impl FnMut(&TierRow) -> bool) -> Vec<ImportedTool> {
    let mut tools: Vec<ImportedTool> = Vec::new();
    for row in rows {
        let same = |tool: &ImportedTool| (&tool.tool, &tool.version) == (&row.tool, &row.version);
        if !tools.last().is_some_and(same) {
            let (tool, version) = (row.tool.clone(), row.version.clone());
            tools.push(ImportedTool { tool, version, files: 0, matching: 0 });
        }
        if let Some(tool) = tools.last_mut() {
            tool.files += 1;
            tool.matching += usize::from(matches(row));
        }
    }
    tools
}
