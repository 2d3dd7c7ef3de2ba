//! What is said of a file in few bytes, each file's on their own.

use std::cell::RefCell;

use serde::Serialize;
use serde::de::DeserializeOwned;
use xxhash_rust::xxh3::xxh3_64_with_seed;
use zstd::bulk::{Compressor, Decompressor};

use super::columns::{read, write};

/// Little is gained by more.
const LEVEL: i32 = 1;
/// The sum, then the length of what is packed.
const HEAD: usize = 12;

thread_local! {
    /// What it takes to pack is large, so each thread keeps one.
    static PACKER: RefCell<Option<Compressor<'static>>> = const { RefCell::new(None) };
    static UNPACKER: RefCell<Option<Decompressor<'static>>> = const { RefCell::new(None) };
}

/// Packs what is said of a file whose content has this hash. `None` where memory does not suffice.
pub(crate) fn pack<T: Serialize>(said: &T, hash: &[u8; 32]) -> Option<Vec<u8>> {
    let plain = write(said).ok()?;
    let packed = PACKER.with_borrow_mut(|packer| {
        if packer.is_none() {
            *packer = Some(Compressor::new(LEVEL).ok()?);
        }
        packer.as_mut()?.compress(&plain).ok()
    })?;
    let mut bytes = vec![0; 8];
    bytes.extend(u32::try_from(plain.len()).ok()?.to_le_bytes());
    bytes.extend(packed);
    let sum = sum(&bytes[8..], hash);
    bytes[..8].copy_from_slice(&sum.to_le_bytes());
    Some(bytes)
}

/// What is said of a file whose content has this hash; `None` where the bytes are not what [`pack`] made of it.
pub(crate) fn unpack<T: DeserializeOwned>(bytes: &[u8], hash: &[u8; 32]) -> Option<T> {
    let (stored, rest) = bytes.split_first_chunk::<8>()?;
    if u64::from_le_bytes(*stored) != sum(rest, hash) {
        return None;
    }
    let len = u32::from_le_bytes(*bytes.get(8..HEAD)?.first_chunk::<4>()?);
    let plain = UNPACKER.with_borrow_mut(|unpacker| {
        if unpacker.is_none() {
            *unpacker = Some(Decompressor::new().ok()?);
        }
        unpacker.as_mut()?.decompress(bytes.get(HEAD..)?, len as usize).ok()
    })?;
    read(&plain).ok()
}

/// The sum binds what is said to the content that it is of.
fn sum(bytes: &[u8], hash: &[u8; 32]) -> u64 {
    let seed = hash.first_chunk::<8>().map_or(0, |start| u64::from_le_bytes(*start));
    xxh3_64_with_seed(bytes, seed)
}
