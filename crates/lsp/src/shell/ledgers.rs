//! The ledgers of conversations, on disk: a conversation outlives every process that speaks for it.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Seek, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use vise_text::ContentHash;

use crate::ledger::Ledger;

/// A ledger that nobody looked at for so long belongs to a conversation that is over.
const LIFETIME: Duration = Duration::from_secs(7 * 86_400);

/// Where ledgers are kept.
#[derive(Debug, Clone)]
pub struct Ledgers {
    folder: PathBuf,
}

impl Ledgers {
    /// The ledgers in `folder`, which need not exist yet.
    pub fn new(folder: impl Into<PathBuf>) -> Ledgers {
        Ledgers { folder: folder.into() }
    }

    /// Works on the ledger of a conversation about a workspace; nobody else does meanwhile. One that cannot be read, because
    /// its last writer was killed, is a new one.
    ///
    /// # Errors
    /// When it cannot be kept.
    pub fn with<R>(&self, root: &Path, conversation: &str, work: impl FnOnce(&mut Ledger) -> R) -> io::Result<R> {
        let named = [root.as_os_str().as_encoded_bytes(), b"\0", conversation.as_bytes()].concat();
        let name = &ContentHash::of(&named).to_hex()[..32];
        let path = self.folder.join(name);
        let mut file = match open(&path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                fs::DirBuilder::new().recursive(true).mode(0o700).create(&self.folder)?;
                self.forget_old_ones();
                open(&path)?
            }
            file => file?,
        };
        file.lock()?;
        let mut text = Vec::new();
        file.read_to_end(&mut text)?;
        let mut ledger = serde_json::from_slice(&text).unwrap_or_default();
        let result = work(&mut ledger);
        file.rewind()?;
        file.set_len(0)?;
        file.write_all(&serde_json::to_vec(&ledger)?)?;
        Ok(result)
    }

    fn forget_old_ones(&self) {
        let Ok(entries) = fs::read_dir(&self.folder) else { return };
        for entry in entries.flatten() {
            let modified = entry.metadata().and_then(|data| data.modified());
            if modified.is_ok_and(|at| SystemTime::now().duration_since(at).is_ok_and(|age| age > LIFETIME)) {
                // Left over, it would be looked at the next time.
                let _ = fs::remove_file(entry.path());
            }
        }
    }
}

fn open(path: &Path) -> io::Result<File> {
    OpenOptions::new().read(true).write(true).create(true).truncate(false).mode(0o600).open(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ledger_is_a_conversations_and_a_workspaces_own() {
        let folder = tempfile::tempdir().unwrap();
        let ledgers = Ledgers::new(folder.path().join("state/ledgers"));
        let root = Path::new("/r");
        let seen = |conversation: &str, root: &Path| {
            ledgers.with(root, conversation, |ledger| {
                let knew = ledger.knows("a");
                ledger.take("a", &[]);
                knew
            })
        };
        assert!(!seen("one", root).unwrap());
        assert!(seen("one", root).unwrap());
        assert!(!seen("two", root).unwrap());
        assert!(!seen("one", Path::new("/s")).unwrap());
        for entry in fs::read_dir(folder.path().join("state/ledgers")).unwrap() {
            fs::write(entry.unwrap().path(), "{\"fil").unwrap();
        }
        assert!(!seen("one", root).unwrap(), "what is cut off is as good as none");
        assert!(seen("one", root).unwrap());
    }
}
