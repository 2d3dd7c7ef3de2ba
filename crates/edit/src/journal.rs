//! What is written down before anything is changed, so that a crash can be undone.
//!
//! A commit is described by a [`Manifest`] in `tx/<id>.intent` before its first file is made, and the same file is called
//! `tx/<id>.ready` from the moment at which all new files are complete and durable. Nothing is swapped before that, so
//! of an intent only hidden files have to go. Whether a commit was decided is said by the outcome of its proposal, which
//! carries the id of the transaction: one rename decides.

use crate::prepare::system;
use crate::record::path_text;
use crate::{Error, Store};
use serde::{Deserialize, Serialize};
use std::io;
use std::path::{Path, PathBuf};
use vise_text::ContentHash;
use vise_workspace::Files;

/// A commit as it is written down.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Manifest {
    version: u32,
    /// 16 hexadecimal digits.
    pub(crate) tx: String,
    /// The root of the workspace.
    #[serde(with = "path_text")]
    pub(crate) root: PathBuf,
    /// The proposal whose outcome decides.
    pub(crate) proposal: String,
    /// The proposal of which this one is a part, if it is one: its next revision waits beside its record.
    pub(crate) parent: Option<String>,
    /// In the order in which they are made.
    pub(crate) steps: Vec<Step>,
    /// Folders to be made, the outermost first, relative to the root.
    pub(crate) made: Vec<Folder>,
}

/// One path of a commit. Paths are relative to the root.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Step {
    #[serde(with = "path_text")]
    pub(crate) path: PathBuf,
    /// The hidden name beside it. It holds the new file before the swap and, where file systems can exchange names, the
    /// displaced one after it.
    #[serde(with = "path_text")]
    pub(crate) stage: PathBuf,
    #[serde(with = "hash")]
    pub(crate) old: Option<ContentHash>,
    #[serde(with = "hash")]
    pub(crate) new: Option<ContentHash>,
    /// Device and number of the old file: the tie-break where old and new bytes are the same.
    pub(crate) inode: Option<(u64, u64)>,
}

/// A folder of a manifest.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub(crate) struct Folder(#[serde(with = "path_text")] pub(crate) PathBuf);

mod hash {
    use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error as _};
    use vise_text::ContentHash;

    pub(crate) fn serialize<S: Serializer>(hash: &Option<ContentHash>, serializer: S) -> Result<S::Ok, S::Error> {
        hash.map(|hash| hash.to_hex()).serialize(serializer)
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<ContentHash>, D::Error> {
        let text = Option::<String>::deserialize(deserializer)?;
        text.map(|text| ContentHash::from_hex(&text).map_err(D::Error::custom)).transpose()
    }
}

impl Manifest {
    pub(crate) fn new(tx: String, root: PathBuf, proposal: String, parent: Option<String>) -> Manifest {
        Manifest { version: 1, tx, root, proposal, parent, steps: Vec::new(), made: Vec::new() }
    }

    /// The manifest and its hash, without which it does not count.
    fn to_bytes(&self) -> io::Result<Vec<u8>> {
        let mut bytes = serde_json::to_vec(self).map_err(io::Error::other)?;
        let end = format!("\nEND {}\n", ContentHash::of(&bytes));
        bytes.extend_from_slice(end.as_bytes());
        Ok(bytes)
    }

    /// None of bytes that are not all there.
    fn from_bytes(bytes: &[u8]) -> Option<Manifest> {
        let at = bytes.iter().position(|byte| *byte == b'\n')?;
        let (json, end) = bytes.split_at(at);
        let hash = std::str::from_utf8(end).ok()?.strip_prefix("\nEND ")?.strip_suffix('\n')?;
        (ContentHash::from_hex(hash).ok()? == ContentHash::of(json)).then_some(())?;
        serde_json::from_slice(json).ok().filter(|manifest: &Manifest| manifest.version == 1)
    }
}

/// How far a commit had come that was interrupted.
#[derive(Debug)]
pub(crate) enum Found {
    /// It had not got beyond making hidden files, or not even to that where there is no manifest.
    Intent(Option<Manifest>),
    /// It was about to swap, had begun to, or was done but for tidying up.
    Ready(Manifest),
    /// It was, and nobody can read any more what it was.
    Lost,
}

/// The commits of a workspace that are on their way.
pub(crate) struct Journal<'a> {
    files: &'a dyn Files,
    /// The workspace's folder of the store.
    workspace: &'a Path,
    folder: PathBuf,
}

impl<'a> Journal<'a> {
    pub(crate) fn new(store: &'a Store, workspace: &'a Path) -> Journal<'a> {
        Journal { files: store.files(), workspace, folder: workspace.join("tx") }
    }

    fn file(&self, tx: &str, ending: &str) -> PathBuf {
        self.folder.join(format!("{tx}.{ending}"))
    }

    /// Writes down what is going to be done.
    pub(crate) fn begin(&self, manifest: &Manifest) -> Result<(), Error> {
        let path = self.file(&manifest.tx, "intent");
        (|| {
            match self.files.stat(&self.folder) {
                Ok(_) => {}
                Err(error) if error.kind() == io::ErrorKind::NotFound => self.make_folder()?,
                Err(error) => return Err(error),
            }
            let mut file = self.files.create_new(&path, 0o600)?;
            file.write_all(&manifest.to_bytes()?)
        })()
        .map_err(system("writing", &path))
    }

    /// Makes the folder of the journal. What is written there must be found after a power cut, so the names of the
    /// folders above it are made durable first: that the folder exists says that they are.
    fn make_folder(&self) -> io::Result<()> {
        for folder in self.workspace.ancestors().skip(1).take(3) {
            self.files.sync_folder(folder)?;
        }
        self.files.make_folder(&self.folder, 0o700)
    }

    /// Says, durably, that every new file is complete: from here on a crash is brought back file by file.
    pub(crate) fn ready(&self, tx: &str) -> Result<(), Error> {
        let (intent, ready) = (self.file(tx, "intent"), self.file(tx, "ready"));
        (|| {
            self.files.sync_file(&intent)?;
            self.files.rename(&intent, &ready)?;
            self.files.sync_folder(&self.folder)?;
            self.files.sync_folder(self.workspace)
        })()
        .map_err(system("writing", &ready))
    }

    /// Forgets a commit that is over. If that fails the next recovery finds nothing left to do.
    pub(crate) fn end(&self, tx: &str) {
        for ending in ["intent", "ready"] {
            let path = self.file(tx, ending);
            let _ = self.files.unlink(&path).or_else(|_| self.files.unlink(&path));
        }
    }

    /// The commits that did not end, each with its id.
    pub(crate) fn unfinished(&self) -> Result<Vec<(String, Found)>, Error> {
        let names = match self.files.list(&self.folder) {
            Ok(names) => names,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            Err(error) => return Err(system("listing", &self.folder)(error)),
        };
        let mut found = Vec::new();
        for name in names.into_iter().filter_map(|name| name.into_string().ok()) {
            let Some((tx, ending)) = name.split_once('.') else { continue };
            let path = self.folder.join(&name);
            let manifest = || -> Result<_, Error> {
                let bytes = self.files.read(&path).map_err(system("reading", &path))?;
                Ok(Manifest::from_bytes(&bytes).filter(|manifest| manifest.tx == tx))
            };
            let state = match ending {
                "intent" => Found::Intent(manifest()?),
                "ready" => manifest()?.map_or(Found::Lost, Found::Ready),
                _ => continue,
            };
            found.push((tx.to_owned(), state));
        }
        found.sort_by(|(a, _), (b, _)| a.cmp(b));
        Ok(found)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_manifest_counts_only_whole() {
        let mut manifest = Manifest::new("0".repeat(16), "/w".into(), "1".repeat(12), None);
        let hash = Some(ContentHash::of(b"x"));
        manifest.steps.push(Step {
            path: "a\u{e9}%".into(),
            stage: ".vise-0".into(),
            old: None,
            new: hash,
            inode: Some((1, 2)),
        });
        manifest.made.push(Folder("d".into()));
        let bytes = manifest.to_bytes().unwrap();
        assert_eq!(Manifest::from_bytes(&bytes), Some(manifest));
        for len in 0..bytes.len() {
            assert_eq!(Manifest::from_bytes(&bytes[..len]), None, "{len}");
        }
        let mut zeros = bytes.clone();
        zeros[3] = 0;
        assert_eq!(Manifest::from_bytes(&zeros), None);
    }
}
