//! How hashes and paths are written in records.

/// A content hash as hexadecimal digits.
pub(crate) mod hex {
    use serde::{Deserialize, Deserializer, Serializer, de::Error as _};
    use vise_text::ContentHash;

    pub(crate) fn serialize<S: Serializer>(hash: &ContentHash, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(hash)
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<ContentHash, D::Error> {
        let text = String::deserialize(deserializer)?;
        ContentHash::from_hex(&text).map_err(D::Error::custom)
    }
}

/// A path as text: what is not UTF-8, and `%` itself, is `%` and two hexadecimal digits, so that every path comes back
/// as it was.
pub(crate) mod path_text {
    use serde::{Deserialize, Deserializer, Serializer, de::Error as _};
    use std::ffi::OsString;
    use std::fmt::Write as _;
    use std::os::unix::ffi::{OsStrExt, OsStringExt};
    use std::path::{Path, PathBuf};

    pub(crate) fn encode(path: &Path) -> String {
        let mut out = String::new();
        for chunk in path.as_os_str().as_bytes().utf8_chunks() {
            for (at, part) in chunk.valid().split('%').enumerate() {
                out.push_str(if at > 0 { "%25" } else { "" });
                out.push_str(part);
            }
            for byte in chunk.invalid() {
                // Writing to a string cannot fail.
                let _ = write!(out, "%{byte:02x}");
            }
        }
        out
    }

    pub(crate) fn decode(text: &str) -> Option<PathBuf> {
        let mut parts = text.split('%');
        let mut bytes = parts.next().unwrap_or_default().as_bytes().to_vec();
        for part in parts {
            let digits = part.get(..2).filter(|digits| digits.bytes().all(|digit| digit.is_ascii_hexdigit()))?;
            bytes.push(u8::from_str_radix(digits, 16).ok()?);
            bytes.extend_from_slice(part.get(2..).unwrap_or_default().as_bytes());
        }
        Some(PathBuf::from(OsString::from_vec(bytes)))
    }

    pub(crate) fn serialize<S: Serializer>(path: &Path, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&encode(path))
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<PathBuf, D::Error> {
        let text = String::deserialize(deserializer)?;
        decode(&text).ok_or_else(|| D::Error::custom(format!("`{text}` is no escaped path")))
    }

    /// The same for a path that may be absent.
    pub(crate) mod option {
        use super::{decode, encode};
        use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error as _};
        use std::path::PathBuf;

        pub(crate) fn serialize<S: Serializer>(path: &Option<PathBuf>, serializer: S) -> Result<S::Ok, S::Error> {
            path.as_deref().map(encode).serialize(serializer)
        }

        pub(crate) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<PathBuf>, D::Error> {
            Option::<String>::deserialize(deserializer)?
                .map(|text| decode(&text).ok_or_else(|| D::Error::custom(format!("`{text}` is no escaped path"))))
                .transpose()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::path_text::{decode, encode};
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;
    use std::path::Path;

    #[test]
    fn every_path_comes_back() {
        for bytes in [&b"a/b.rs"[..], b"50%/\xff\xfe", "é/µ".as_bytes(), b"%25", b""] {
            let path = Path::new(OsStr::from_bytes(bytes));
            assert_eq!(decode(&encode(path)).as_deref(), Some(path));
        }
        assert_eq!(encode(Path::new(OsStr::from_bytes(b"50%\xff"))), "50%25%ff");
        assert_eq!(
            (decode("%"), decode("%2"), decode("%zz"), decode("%+1"), decode("%é")),
            (None, None, None, None, None)
        );
    }
}
