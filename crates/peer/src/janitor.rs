//! Trees whose owner and guard were both killed, found at the next start.

use crate::guard::{Named, sweep};
use crate::processes;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// A folder with one record a living tree: its mark, and who owns it.
#[derive(Clone, Debug)]
pub struct Janitor {
    folder: PathBuf,
}

/// The record of one tree.
#[derive(Debug)]
pub(crate) struct Record(PathBuf);

impl Record {
    pub(crate) fn remove(self) {
        // Left over, it would be looked at once more, and nothing would be found.
        let _ = fs::remove_file(self.0);
    }
}

impl Janitor {
    /// The janitor of `folder`, which need not exist yet.
    pub fn new(folder: impl Into<PathBuf>) -> Janitor {
        Janitor { folder: folder.into() }
    }

    /// Records that this process owns the tree with that mark.
    pub(crate) fn record(&self, nonce: &str) -> io::Result<Record> {
        fs::create_dir_all(&self.folder)?;
        let owner = std::process::id();
        let identity =
            processes::identity(owner).ok_or_else(|| io::Error::other("the system does not tell who we are"))?;
        let path = self.folder.join(nonce);
        fs::write(&path, format!("{owner}\n{identity}\n"))?;
        Ok(Record(path))
    }

    /// Ends what is left of every tree whose owner is dead, and says what that was. To be called before the first
    /// start; it does nothing to trees whose owner lives, and nothing to those of another boot or another space of ids.
    ///
    /// # Errors
    /// When the folder cannot be read. That there is none is no error: nothing was ever recorded.
    pub fn sweep(&self) -> io::Result<Vec<Named>> {
        let entries = match fs::read_dir(&self.folder) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            entries => entries?,
        };
        let mut killed = Vec::new();
        for entry in entries {
            let path = entry?.path();
            let nonce = path.file_name().and_then(|name| name.to_str()).filter(|name| is_nonce(name));
            let Some(nonce) = nonce.filter(|_| owner_is_dead(&path)) else { continue };
            let swept = sweep::kill(|| processes::marked(nonce), || std::thread::sleep(sweep::PAUSE));
            killed.extend(swept.killed);
            if swept.survivors.is_empty() {
                Record(path).remove();
            }
        }
        Ok(killed)
    }
}

fn is_nonce(name: &str) -> bool {
    name.len() == 32 && name.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// Whether the owner that a record names is certainly gone, and gone from here.
fn owner_is_dead(record: &Path) -> bool {
    let Ok(text) = fs::read_to_string(record) else { return false };
    let Some((pid, identity)) = text.trim_end().split_once('\n') else { return false };
    let Ok(pid) = pid.parse() else { return false };
    // The last word is the moment of its start; what stands before says where that counts.
    let place = |identity: &str| identity.rsplit_once(' ').map(|(place, _)| place.to_string());
    let here = processes::identity(std::process::id());
    here.as_deref().and_then(place) == place(identity) && processes::identity(pid).as_deref() != Some(identity)
}

#[cfg(test)]
mod tests {
    use super::*;

    const NONCE: &str = "00112233445566778899aabbccddeeff";

    #[test]
    fn a_record_of_ours_stays_and_one_of_the_dead_goes() {
        let folder = tempfile::tempdir().unwrap();
        let janitor = Janitor::new(folder.path().join("peers"));
        assert_eq!(janitor.sweep().unwrap(), []);
        let record = janitor.record(NONCE).unwrap();
        let path = record.0.clone();
        assert_eq!(janitor.sweep().unwrap(), []);
        assert!(path.exists(), "its owner lives");

        let text = fs::read_to_string(&path).unwrap();
        let other_boot = text.replacen('\n', "\nx", 1);
        fs::write(&path, other_boot).unwrap();
        assert_eq!(janitor.sweep().unwrap(), []);
        assert!(path.exists(), "of another boot: not ours to judge");

        let other_start = format!("{}0\n", text.trim_end());
        fs::write(&path, other_start).unwrap();
        assert_eq!(janitor.sweep().unwrap(), []);
        assert!(!path.exists(), "its owner's id is another's by now");
    }
}
