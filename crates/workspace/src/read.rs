//! Reading a file that is to be searched.

use rustix::fs::{Mode, OFlags};
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

/// A file may be called minified only from this size on: a short file is cheap to search whatever its lines are.
pub const MINIFIED_MINIMUM: usize = 64 * 1024;
/// Lines this long on average are written by a program.
pub const MINIFIED_MEAN_LINE: usize = 500;
/// A line longer than this is written by a program, whatever the other lines are: a bundle under a licence header.
pub const MINIFIED_LONGEST_LINE: usize = 100_000;

/// What a read allows.
#[derive(Clone, Copy, Debug)]
pub struct ReadOptions {
    /// Longer files are skipped.
    pub max_bytes: u64,
    /// The user named this file, so it is read even where it looks minified.
    pub named: bool,
}

/// Why a file is left out. The list is closed: answers carry these words.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SkipReason {
    /// It holds a NUL byte.
    Binary,
    /// It is longer than allowed.
    TooLarge,
    /// A program wrote its lines.
    Minified,
    /// The system does not let us read it.
    Unreadable,
    /// It was there when the folder was listed.
    Vanished,
    /// A folder, a device, a pipe or a socket.
    NotAFile,
}

impl SkipReason {
    /// The word for it in answers.
    pub fn as_str(self) -> &'static str {
        match self {
            SkipReason::Binary => "binary",
            SkipReason::TooLarge => "too_large",
            SkipReason::Minified => "minified",
            SkipReason::Unreadable => "unreadable",
            SkipReason::Vanished => "vanished",
            SkipReason::NotAFile => "not_a_file",
        }
    }

    /// The reason that an error of the system amounts to.
    pub(crate) fn of(error: &io::Error) -> SkipReason {
        match error.kind() {
            io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => SkipReason::Vanished,
            io::ErrorKind::IsADirectory => SkipReason::NotAFile,
            _ => SkipReason::Unreadable,
        }
    }
}

/// The bytes of the regular file at `path` (links are followed), or why it is left out.
pub fn read(path: &Path, options: &ReadOptions) -> Result<Vec<u8>, SkipReason> {
    let (file, len) = open(path).map_err(|error| SkipReason::of(&error))?.ok_or(SkipReason::NotAFile)?;
    if len > options.max_bytes {
        return Err(SkipReason::TooLarge);
    }
    // The file may grow while it is read, so the limit is enforced on what comes, not on what was promised.
    let mut bytes = Vec::with_capacity(usize::try_from(len).unwrap_or(0) + 1);
    let limit = options.max_bytes.saturating_add(1);
    file.take(limit).read_to_end(&mut bytes).map_err(|error| SkipReason::of(&error))?;
    if bytes.len() as u64 > options.max_bytes {
        return Err(SkipReason::TooLarge);
    }
    if bytes.contains(&0) {
        return Err(SkipReason::Binary);
    }
    if !options.named && is_minified(&bytes) {
        return Err(SkipReason::Minified);
    }
    Ok(bytes)
}

/// Opens a regular file and gives its length; `None` for anything else. A pipe without a writer would block an
/// ordinary open for ever, so the open does not wait and the type is checked on what was opened.
fn open(path: &Path) -> io::Result<Option<(File, u64)>> {
    let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
    let file = match rustix::fs::open(path, flags, Mode::empty()) {
        Ok(descriptor) => File::from(descriptor),
        // A socket cannot be opened at all; say what it is and not that it is missing.
        Err(error) => match path.metadata() {
            Ok(metadata) if !metadata.is_file() && !metadata.is_dir() => return Ok(None),
            _ => return Err(error.into()),
        },
    };
    let metadata = file.metadata()?;
    Ok(metadata.is_file().then_some((file, metadata.len())))
}

fn is_minified(bytes: &[u8]) -> bool {
    if bytes.len() < MINIFIED_MINIMUM {
        return false;
    }
    let (lines, longest) = bytes.split(|byte| *byte == b'\n').fold((0, 0), |(lines, longest): (usize, usize), line| {
        (lines + usize::from(!line.is_empty()), longest.max(line.len()))
    });
    longest > MINIFIED_LONGEST_LINE || bytes.len() / lines.max(1) > MINIFIED_MEAN_LINE
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    const ANY: ReadOptions = ReadOptions { max_bytes: 1 << 20, named: false };

    #[test]
    fn what_can_be_read() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("f");
        fs::write(&path, b"caf\xE9\r\n").unwrap();
        assert_eq!(read(&path, &ANY), Ok(b"caf\xE9\r\n".to_vec()));
        assert_eq!(read(&path, &ReadOptions { max_bytes: 6, ..ANY }).map(|bytes| bytes.len()), Ok(6));
        assert_eq!(read(&path, &ReadOptions { max_bytes: 5, ..ANY }), Err(SkipReason::TooLarge));
        fs::write(&path, b"a\0b").unwrap();
        assert_eq!(read(&path, &ANY), Err(SkipReason::Binary));
        assert_eq!(read(&dir.path().join("gone"), &ANY), Err(SkipReason::Vanished));
        assert_eq!(read(&path.join("below"), &ANY), Err(SkipReason::Vanished));
        assert_eq!(read(dir.path(), &ANY), Err(SkipReason::NotAFile));
    }

    #[test]
    fn pipes_devices_and_sockets_do_not_hang() {
        let dir = tempfile::tempdir().unwrap();
        let pipe = dir.path().join("pipe");
        rustix::fs::mkfifoat(rustix::fs::CWD, &pipe, Mode::RUSR | Mode::WUSR).unwrap();
        assert_eq!(read(&pipe, &ANY), Err(SkipReason::NotAFile));
        assert_eq!(read(Path::new("/dev/zero"), &ANY), Err(SkipReason::NotAFile));
        let socket = dir.path().join("socket");
        let _listener = std::os::unix::net::UnixListener::bind(&socket).unwrap();
        assert_eq!(read(&socket, &ANY), Err(SkipReason::NotAFile));
    }

    #[test]
    fn minified_files_are_left_out_unless_named() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("bundle.js");
        let bundle = format!("// licence\n{}\n", "x;".repeat(60_000));
        let wide = "y".repeat(600) + "\n";
        for text in [bundle, wide.repeat(200)] {
            fs::write(&path, &text).unwrap();
            assert_eq!(read(&path, &ANY), Err(SkipReason::Minified));
            assert_eq!(read(&path, &ReadOptions { named: true, ..ANY }), Ok(text.into_bytes()));
        }
        fs::write(&path, "z".repeat(60_000)).unwrap();
        assert!(read(&path, &ANY).is_ok());
        fs::write(&path, "let a = 1;\n".repeat(20_000)).unwrap();
        assert!(read(&path, &ANY).is_ok());
    }
}
