//! Reading a generation: small ones whole, large ones as the system brings them in.

use std::fs::File;
use std::io::{self, Read as _};
use std::path::Path;

use memmap2::Mmap;

/// From this size on a file is mapped: then its pages are the system's and count once for all who read it.
const MAPPED: u64 = 64 * 1024 * 1024;

/// The content of a file.
pub(super) enum Read {
    Bytes(Vec<u8>),
    Mapped(Mmap),
}

pub(super) fn read(path: &Path) -> io::Result<Read> {
    let mut file = File::open(path)?;
    let len = file.metadata()?.len();
    if len < MAPPED {
        let mut bytes = Vec::with_capacity(usize::try_from(len).unwrap_or(0) + 1);
        file.read_to_end(&mut bytes)?;
        return Ok(Read::Bytes(bytes));
    }
    // SAFETY: mapped bytes must not change while they are borrowed. The file got its name after it was written whole,
    // nobody of ours writes to it again, and removing its name leaves its content. Its folder is open to this user
    // only. Whatever is read from it is checked against the file's sums and bounds, so that other bytes are an error.
    let map = unsafe { Mmap::map(&file) }?;
    Ok(Read::Mapped(map))
}
