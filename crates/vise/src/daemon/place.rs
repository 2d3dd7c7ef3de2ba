//! Where a workspace's daemon is found: one socket a workspace, in a folder of ours alone.

use std::fs;
use std::io;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};

use vise_tools::ContentHash;

use crate::environment::Around;

/// The longest path that a socket may have.
const LONGEST: usize = 107;

/// The files of a workspace's daemon.
#[derive(Debug, Clone)]
pub(crate) struct Place {
    /// Where it listens.
    pub(crate) socket: PathBuf,
    /// Held by the daemon for as long as it lives.
    pub(crate) lock: PathBuf,
    /// Held by whoever starts one.
    pub(crate) start: PathBuf,
    /// By which a later daemon ends the processes that an earlier one left.
    pub(crate) records: PathBuf,
    /// What debug sessions need for as long as they last.
    pub(crate) scratch: PathBuf,
}

impl Place {
    /// The place for a workspace's root, which is without links.
    ///
    /// # Errors
    /// When there is no folder that belongs to us alone.
    pub(crate) fn of(root: &Path, around: &Around) -> io::Result<Place> {
        let hash = ContentHash::of(root.as_os_str().as_encoded_bytes()).to_hex();
        let name = &hash[..16];
        let mut folder = around.runtime.clone().unwrap_or_else(|| around.state_home.clone()).join("vise");
        if folder.as_os_str().len() + name.len() + ".sock".len() + 1 > LONGEST {
            // The folder's own name stands in for its path, so that two users' folders stay apart.
            let own = ContentHash::of(folder.as_os_str().as_encoded_bytes()).to_hex();
            folder = std::env::temp_dir().join(format!("vise-{}", &own[..16]));
        }
        private(&folder)?;
        let file = |ending: &str| folder.join(format!("{name}.{ending}"));
        Ok(Place {
            socket: file("sock"),
            lock: file("lock"),
            start: file("start"),
            records: folder.join("trees"),
            scratch: folder.clone(),
        })
    }
}

/// Makes a folder that nobody else may look into, or finds that it is one.
fn private(folder: &Path) -> io::Result<()> {
    fs::DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
    let data = fs::symlink_metadata(folder)?;
    let refuse = |why: &str| Err(io::Error::other(format!("`{}` {why}", folder.display())));
    if !data.is_dir() {
        return refuse("is no folder");
    }
    if data.uid() != rustix::process::getuid().as_raw() {
        return refuse("belongs to somebody else");
    }
    if data.permissions().mode() & 0o077 != 0 {
        fs::set_permissions(folder, fs::Permissions::from_mode(0o700))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_is_short_private_and_a_workspaces_own() {
        let folder = tempfile::tempdir().unwrap();
        let deep = folder.path().join("x".repeat(120));
        for (runtime, state) in [(Some(folder.path().join("run")), "unused"), (None, "state"), (Some(deep), "unused")] {
            let around = Around { runtime, state_home: folder.path().join(state), ..Around::default() };
            let (one, other) =
                (Place::of(Path::new("/a"), &around).unwrap(), Place::of(Path::new("/b"), &around).unwrap());
            assert!(one.socket.as_os_str().len() <= LONGEST);
            assert_ne!(one.socket, other.socket);
            assert_eq!(one.socket, Place::of(Path::new("/a"), &around).unwrap().socket);
            let home = one.socket.parent().unwrap();
            assert_eq!(home.metadata().unwrap().permissions().mode() & 0o777, 0o700);
        }
    }

    #[test]
    fn a_folder_that_others_may_read_is_closed() {
        let folder = tempfile::tempdir().unwrap();
        let open = folder.path().join("vise");
        fs::create_dir(&open).unwrap();
        fs::set_permissions(&open, fs::Permissions::from_mode(0o755)).unwrap();
        private(&open).unwrap();
        assert_eq!(open.metadata().unwrap().permissions().mode() & 0o777, 0o700);
        fs::write(folder.path().join("file"), "").unwrap();
        assert!(private(&folder.path().join("file")).is_err());
    }
}
