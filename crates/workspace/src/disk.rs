//! The real files.

use crate::files::{Files, Kind, Lock, Stage, Stat, unsupported};
use rustix::fs::{Access, AtFlags, CWD, FileType, Gid, Mode, OFlags, RenameFlags, Uid, XattrFlags};
use rustix::io::Errno;
use std::ffi::{CStr, OsString};
use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};

/// The files of this machine.
#[derive(Clone, Copy, Debug, Default)]
pub struct Disk;

/// A folder that is held open, for looking at many things below it: what leads to the folder is not walked again each time.
#[derive(Debug)]
pub struct Held(OwnedFd);

impl Held {
    /// Holds a folder.
    ///
    /// # Errors
    /// Those of the system; one that is no folder.
    pub fn new(folder: &Path) -> io::Result<Self> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        Ok(Self(rustix::fs::open(folder, flags, Mode::empty())?))
    }

    /// As [`Files::stat`], of something below the folder; an empty path is the folder.
    ///
    /// # Errors
    /// Those of the system.
    pub fn stat(&self, path: &str) -> io::Result<Stat> {
        let path = if path.is_empty() { "." } else { path };
        Ok(stat_of(&rustix::fs::statat(&self.0, path, AtFlags::SYMLINK_NOFOLLOW)?))
    }
}

impl Files for Disk {
    fn stat(&self, path: &Path) -> io::Result<Stat> {
        let stat = rustix::fs::lstat(path)?;
        Ok(stat_of(&stat))
    }

    fn canonical(&self, path: &Path) -> io::Result<PathBuf> {
        fs::canonicalize(path)
    }

    fn is_writable(&self, path: &Path) -> io::Result<bool> {
        match rustix::fs::accessat(CWD, path, Access::WRITE_OK | Access::EXEC_OK, AtFlags::EACCESS) {
            Ok(()) => Ok(true),
            Err(Errno::ACCESS | Errno::ROFS | Errno::PERM) => Ok(false),
            Err(error) => Err(error.into()),
        }
    }

    fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
        let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOFOLLOW | OFlags::NOCTTY | OFlags::CLOEXEC;
        let mut file = File::from(rustix::fs::open(path, flags, Mode::empty())?);
        let metadata = file.metadata()?;
        if !metadata.is_file() {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "not a regular file"));
        }
        let mut bytes = Vec::with_capacity(usize::try_from(metadata.len()).unwrap_or(0).saturating_add(1));
        file.read_to_end(&mut bytes)?;
        Ok(bytes)
    }

    fn list(&self, path: &Path) -> io::Result<Vec<OsString>> {
        fs::read_dir(path)?.map(|entry| entry.map(|entry| entry.file_name())).collect()
    }

    fn create_new(&self, path: &Path, mode: u32) -> io::Result<Box<dyn Stage>> {
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let file = File::from(rustix::fs::open(path, flags, mode_of(mode))?);
        Ok(Box::new(DiskStage { file }))
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        fs::rename(from, to)
    }

    fn rename_new(&self, from: &Path, to: &Path) -> io::Result<()> {
        let error = match rustix::fs::renameat_with(CWD, from, CWD, to, RenameFlags::NOREPLACE) {
            Ok(()) => return Ok(()),
            Err(error) => io::Error::from(error),
        };
        if !unsupported(&error) {
            return Err(error);
        }
        // A second name and then the removal of the first does the same wherever files may have two names: `link`
        // never replaces.
        self.link(from, to)?;
        let Err(error) = self.unlink(from) else { return Ok(()) };
        // An error means that nothing was done.
        self.unlink(to)?;
        Err(error)
    }

    fn exchange(&self, a: &Path, b: &Path) -> io::Result<()> {
        Ok(rustix::fs::renameat_with(CWD, a, CWD, b, RenameFlags::EXCHANGE)?)
    }

    fn link(&self, from: &Path, to: &Path) -> io::Result<()> {
        Ok(rustix::fs::linkat(CWD, from, CWD, to, AtFlags::empty())?)
    }

    fn unlink(&self, path: &Path) -> io::Result<()> {
        fs::remove_file(path)
    }

    fn make_folder(&self, path: &Path, mode: u32) -> io::Result<()> {
        Ok(rustix::fs::mkdir(path, mode_of(mode))?)
    }

    fn remove_folder(&self, path: &Path) -> io::Result<()> {
        fs::remove_dir(path)
    }

    fn sync_file(&self, path: &Path) -> io::Result<()> {
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
        File::from(rustix::fs::open(path, flags, Mode::empty())?).sync_all()
    }

    #[cfg(target_os = "linux")]
    fn sync_device(&self, folder: &Path) -> io::Result<()> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        Ok(rustix::fs::syncfs(rustix::fs::open(folder, flags, Mode::empty())?)?)
    }

    #[cfg(not(target_os = "linux"))]
    fn sync_device(&self, _: &Path) -> io::Result<()> {
        Err(io::ErrorKind::Unsupported.into())
    }

    fn sync_folder(&self, path: &Path) -> io::Result<()> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        match File::from(rustix::fs::open(path, flags, Mode::empty())?).sync_all() {
            // Some file systems have no such thing for folders and say so; there is nothing more to be done there.
            Err(error) if unsupported(&error) => Ok(()),
            result => result,
        }
    }

    fn lock(&self, path: &Path) -> io::Result<Lock> {
        let file = lock_file(path)?;
        file.lock()?;
        Ok(Lock(Some(file)))
    }

    fn try_lock(&self, path: &Path) -> io::Result<Option<Lock>> {
        let file = lock_file(path)?;
        match file.try_lock() {
            Ok(()) => Ok(Some(Lock(Some(file)))),
            Err(fs::TryLockError::WouldBlock) => Ok(None),
            Err(fs::TryLockError::Error(error)) => Err(error),
        }
    }

    fn random(&self) -> io::Result<u64> {
        let mut bytes = [0; 8];
        getrandom::fill(&mut bytes).map_err(|error| io::Error::other(error.to_string()))?;
        Ok(u64::from_ne_bytes(bytes))
    }
}

fn lock_file(path: &Path) -> io::Result<File> {
    let flags = OFlags::RDWR | OFlags::CREATE | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    Ok(File::from(rustix::fs::open(path, flags, mode_of(0o600))?))
}

struct DiskStage {
    file: File,
}

impl Stage for DiskStage {
    fn write_all(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.file.write_all(bytes)
    }

    fn copy_metadata(&mut self, from: &Path) -> io::Result<()> {
        let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOFOLLOW | OFlags::NOCTTY | OFlags::CLOEXEC;
        let source = File::from(rustix::fs::open(from, flags, Mode::empty())?);
        let theirs = stat_of(&rustix::fs::fstat(&source)?);
        let ours = stat_of(&rustix::fs::fstat(&self.file)?);
        if (ours.owner, ours.group) != (theirs.owner, theirs.group) {
            let owner = (ours.owner != theirs.owner).then(|| Uid::from_raw(theirs.owner));
            let group = (ours.group != theirs.group).then(|| Gid::from_raw(theirs.group));
            rustix::fs::fchown(&self.file, owner, group)?;
        }
        copy_attributes(&source, &self.file)?;
        // Last, because a change of owner clears set-user-id.
        self.set_mode(theirs.mode)
    }

    fn set_mode(&mut self, mode: u32) -> io::Result<()> {
        Ok(rustix::fs::fchmod(&self.file, mode_of(mode))?)
    }

    fn sync(&mut self) -> io::Result<()> {
        self.file.sync_all()
    }
}

/// Copies extended attributes; an attribute that is there already with the same value (a security label that the
/// system gave both files) is left alone.
fn copy_attributes(from: &File, to: &File) -> io::Result<()> {
    let names = match grow(|buffer| rustix::fs::flistxattr(from, buffer)) {
        Err(Errno::OPNOTSUPP | Errno::NOSYS) => return Ok(()),
        names => names?,
    };
    for name in names.split_inclusive(|byte| *byte == 0) {
        let name = CStr::from_bytes_with_nul(name)
            .map_err(|_| io::Error::new(io::ErrorKind::InvalidData, "an attribute without a name"))?;
        // Sums of the old content, which the system makes anew.
        if name == c"security.ima" || name == c"security.evm" {
            continue;
        }
        let value = match grow(|buffer| rustix::fs::fgetxattr(from, name, buffer)) {
            // Removed since it was listed.
            Err(error) if is_no_attribute(error) => continue,
            value => value?,
        };
        if grow(|buffer| rustix::fs::fgetxattr(to, name, buffer)).is_ok_and(|ours| ours == value) {
            continue;
        }
        rustix::fs::fsetxattr(to, name, &value, XattrFlags::empty()).map_err(|error| {
            let error = io::Error::from(error);
            io::Error::new(error.kind(), format!("the attribute `{}` cannot be kept: {error}", name.to_string_lossy()))
        })?;
    }
    Ok(())
}

#[cfg(target_os = "linux")]
fn is_no_attribute(error: Errno) -> bool {
    error == Errno::NODATA
}

#[cfg(not(target_os = "linux"))]
fn is_no_attribute(error: Errno) -> bool {
    error == Errno::NOATTR
}

/// Calls `get` with larger and larger buffers until its answer fits.
fn grow(mut get: impl FnMut(&mut [u8]) -> rustix::io::Result<usize>) -> rustix::io::Result<Vec<u8>> {
    let mut buffer = vec![0; 256];
    loop {
        match get(&mut buffer) {
            Ok(len) => {
                buffer.truncate(len);
                return Ok(buffer);
            }
            Err(Errno::RANGE) if buffer.len() < 1 << 20 => buffer.resize(buffer.len() * 4, 0),
            Err(error) => return Err(error),
        }
    }
}

fn mode_of(mode: u32) -> Mode {
    Mode::from_raw_mode((mode & 0o7777) as rustix::fs::RawMode)
}

#[allow(clippy::unnecessary_cast, clippy::cast_lossless, reason = "the width of these fields differs between systems")]
fn stat_of(stat: &rustix::fs::Stat) -> Stat {
    let kind = match FileType::from_raw_mode(stat.st_mode as _) {
        FileType::RegularFile => Kind::File,
        FileType::Directory => Kind::Folder,
        FileType::Symlink => Kind::Link,
        _ => Kind::Other,
    };
    Stat {
        device: stat.st_dev as u64,
        inode: stat.st_ino as u64,
        kind,
        mode: stat.st_mode as u32 & 0o7777,
        links: stat.st_nlink as u64,
        owner: stat.st_uid as u32,
        group: stat.st_gid as u32,
        len: u64::try_from(stat.st_size).unwrap_or(0),
        modified: nanoseconds(stat.st_mtime as i128, stat.st_mtime_nsec as i128),
        changed: nanoseconds(stat.st_ctime as i128, stat.st_ctime_nsec as i128),
    }
}

fn nanoseconds(seconds: i128, nanoseconds: i128) -> i128 {
    seconds * 1_000_000_000 + nanoseconds
}
