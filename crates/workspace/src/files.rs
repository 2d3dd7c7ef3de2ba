//! Every system call that changes a file, as a trait.
//!
//! The edit gate does nothing to a disk but through this, so a test can make any one call fail, and a later test can
//! model what a power cut leaves. Each method is one step that can fail by itself; none retries or cleans up.

use std::ffi::OsString;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

/// What is at a path; a link is not followed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stat {
    /// The device it lies on.
    pub device: u64,
    /// Its number there.
    pub inode: u64,
    /// What it is.
    pub kind: Kind,
    /// Its permission bits, with set-user-id, set-group-id and sticky.
    pub mode: u32,
    /// How many names it has.
    pub links: u64,
    /// Its owner.
    pub owner: u32,
    /// Its group.
    pub group: u32,
    /// How many bytes it holds.
    pub len: u64,
    /// When its content changed, in nanoseconds since 1970.
    pub modified: i128,
    /// When anything about it changed, in nanoseconds since 1970.
    pub changed: i128,
}

/// What kind of thing a path names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A regular file.
    File,
    /// A folder.
    Folder,
    /// A symbolic link.
    Link,
    /// A device, a pipe, a socket.
    Other,
}

/// A lock on a file, held until it is dropped or the process ends; of files in memory nothing.
#[derive(Debug)]
pub struct Lock(pub(crate) Option<File>);

impl Drop for Lock {
    fn drop(&mut self) {
        // Closing the file unlocks it too; an error here changes nothing.
        let _ = self.0.as_ref().map(File::unlock);
    }
}

/// The steps by which files are read and changed. Paths are absolute.
pub trait Files: Send + Sync {
    /// What is at `path`; a link there is not followed.
    fn stat(&self, path: &Path) -> io::Result<Stat>;

    /// `path` with every link in it resolved.
    fn canonical(&self, path: &Path) -> io::Result<PathBuf>;

    /// Whether the folder `path` lets us make and remove names.
    fn is_writable(&self, path: &Path) -> io::Result<bool>;

    /// The content of the regular file at `path`; a link there is not followed, a pipe is an error.
    fn read(&self, path: &Path) -> io::Result<Vec<u8>>;

    /// The names in the folder `path`, in no order.
    fn list(&self, path: &Path) -> io::Result<Vec<OsString>>;

    /// Makes the file `path`, which must not exist, with the permission bits `mode` less the process's mask.
    fn create_new(&self, path: &Path, mode: u32) -> io::Result<Box<dyn Stage>>;

    /// Moves `from` over `to`.
    fn rename(&self, from: &Path, to: &Path) -> io::Result<()>;

    /// Moves `from` to `to`, which must not exist.
    fn rename_new(&self, from: &Path, to: &Path) -> io::Result<()>;

    /// Lets the files at `a` and `b` change places in one step. Not every file system can: see [`unsupported`].
    fn exchange(&self, a: &Path, b: &Path) -> io::Result<()>;

    /// Gives the file `from` the second name `to`, which must not exist.
    fn link(&self, from: &Path, to: &Path) -> io::Result<()>;

    /// Removes the name `path` of a file.
    fn unlink(&self, path: &Path) -> io::Result<()>;

    /// Makes the folder `path`, which must not exist, with the permission bits `mode` less the process's mask.
    fn make_folder(&self, path: &Path, mode: u32) -> io::Result<()>;

    /// Removes the folder `path`, which must be empty.
    fn remove_folder(&self, path: &Path) -> io::Result<()>;

    /// Makes content and metadata of the file `path` durable.
    fn sync_file(&self, path: &Path) -> io::Result<()>;

    /// Makes all files of the device on which `folder` lies durable, which beats syncing many of them one by one. Not
    /// every system can: see [`unsupported`].
    fn sync_device(&self, folder: &Path) -> io::Result<()>;

    /// Makes the names in the folder `path` durable.
    fn sync_folder(&self, path: &Path) -> io::Result<()>;

    /// Waits for the lock file `path`, which is made if need be, and locks it.
    fn lock(&self, path: &Path) -> io::Result<Lock>;

    /// The same without waiting: none where somebody else has it.
    fn try_lock(&self, path: &Path) -> io::Result<Option<Lock>>;

    /// A number that nobody can guess.
    fn random(&self) -> io::Result<u64>;
}

/// A new file that is being written under a name of ours.
pub trait Stage: Send {
    /// Appends all of `bytes`.
    fn write_all(&mut self, bytes: &[u8]) -> io::Result<()>;

    /// Gives the file the owner, group, extended attributes (access lists are among them) and mode of the file at
    /// `from`. What cannot be kept is an error, never dropped.
    fn copy_metadata(&mut self, from: &Path) -> io::Result<()>;

    /// Gives the file exactly the permission bits `mode`.
    fn set_mode(&mut self, mode: u32) -> io::Result<()>;

    /// Makes content and metadata durable.
    fn sync(&mut self) -> io::Result<()>;
}

/// Whether an error of [`Files::exchange`], [`Files::rename_new`] or [`Files::sync_device`] means that the system lacks
/// the operation, so that another way is to be tried.
pub fn unsupported(error: &io::Error) -> bool {
    // EINVAL is what Linux says when the file system takes no flags of renameat2.
    matches!(error.kind(), io::ErrorKind::Unsupported | io::ErrorKind::InvalidInput)
}
