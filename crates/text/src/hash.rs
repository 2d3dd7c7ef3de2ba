//! The hash that names a content.

use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// The BLAKE3 hash of some bytes. Two texts with the same hash are taken to be the same text.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct ContentHash([u8; 32]);

/// A string that was expected to be 64 hexadecimal digits and is not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotAHash(pub String);

impl ContentHash {
    /// The hash of `bytes`.
    pub fn of(bytes: &[u8]) -> ContentHash {
        ContentHash(*blake3::hash(bytes).as_bytes())
    }

    /// The hash whose raw value is `raw`.
    pub fn from_bytes(raw: [u8; 32]) -> ContentHash {
        ContentHash(raw)
    }

    /// The raw value.
    pub fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }

    /// The hash written as 64 hexadecimal digits, upper or lower case.
    pub fn from_hex(hex: &str) -> Result<ContentHash, NotAHash> {
        let digits = hex.as_bytes();
        if digits.len() != 64 {
            return Err(NotAHash(hex.to_owned()));
        }
        let mut raw = [0; 32];
        for (byte, pair) in raw.iter_mut().zip(digits.chunks_exact(2)) {
            match (digit(pair[0]), digit(pair[1])) {
                (Some(high), Some(low)) => *byte = high << 4 | low,
                _ => return Err(NotAHash(hex.to_owned())),
            }
        }
        Ok(ContentHash(raw))
    }

    /// 64 lower-case hexadecimal digits.
    pub fn to_hex(&self) -> String {
        self.to_string()
    }
}

fn digit(byte: u8) -> Option<u8> {
    char::from(byte).to_digit(16).and_then(|value| u8::try_from(value).ok())
}

impl FromStr for ContentHash {
    type Err = NotAHash;

    fn from_str(hex: &str) -> Result<ContentHash, NotAHash> {
        ContentHash::from_hex(hex)
    }
}

impl TryFrom<String> for ContentHash {
    type Error = NotAHash;

    fn try_from(hex: String) -> Result<ContentHash, NotAHash> {
        ContentHash::from_hex(&hex)
    }
}

impl From<ContentHash> for String {
    fn from(hash: ContentHash) -> String {
        hash.to_hex()
    }
}

impl fmt::Display for ContentHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for ContentHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ContentHash({self})")
    }
}

impl fmt::Display for NotAHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}` is not a content hash: expected 64 hexadecimal digits", self.0)
    }
}

impl std::error::Error for NotAHash {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hex_round_trips() {
        let hash = ContentHash::of(b"abc");
        assert_eq!(ContentHash::from_hex(&hash.to_hex()), Ok(hash));
        assert_eq!(ContentHash::from_hex(&hash.to_hex().to_uppercase()), Ok(hash));
        assert_eq!(hash.to_hex(), "6437b3ac38465133ffb63b75273a8db548c558465d79db03fd359c6cd5bd9d85");
    }

    #[test]
    fn what_is_no_hash_is_an_error() {
        for bad in ["", "12", &"g".repeat(64), &"é".repeat(32), &"+1".repeat(32)] {
            assert_eq!(ContentHash::from_hex(bad), Err(NotAHash(bad.to_owned())));
        }
    }
}
