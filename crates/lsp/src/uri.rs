//! File URIs and paths. One file has many spellings as a URI, so files are compared by their paths, and a URI that came
//! from a server is only ever sent back to it as it was.

use std::path::{Path, PathBuf};

/// The URI of an absolute path, as most servers spell it themselves.
pub(crate) fn of(path: &Path) -> String {
    use std::fmt::Write as _;
    use std::os::unix::ffi::OsStrExt as _;
    let mut uri = String::from("file://");
    for byte in path.as_os_str().as_bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' => uri.push(char::from(*byte)),
            byte => {
                let _ = write!(uri, "%{byte:02X}");
            }
        }
    }
    uri
}

/// The path that a URI names; `None` where it is of another scheme, or of another machine.
pub(crate) fn path(uri: &str) -> Option<PathBuf> {
    use std::os::unix::ffi::OsStringExt as _;
    let rest = uri.strip_prefix("file:").or_else(|| uri.strip_prefix("FILE:"))?;
    let rest = match rest.strip_prefix("//") {
        Some(rest) => {
            let slash = rest.find('/')?;
            (slash == 0 || rest[..slash].eq_ignore_ascii_case("localhost")).then(|| &rest[slash..])?
        }
        None => rest,
    };
    let rest = rest.split(['?', '#']).next().unwrap_or(rest);
    if !rest.starts_with('/') {
        return None;
    }
    let bytes = rest.as_bytes();
    let mut decoded = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while at < bytes.len() {
        let digits = bytes.get(at + 1..at + 3).and_then(|two| std::str::from_utf8(two).ok());
        match digits.and_then(|two| u8::from_str_radix(two, 16).ok()) {
            Some(byte) if bytes[at] == b'%' => {
                decoded.push(byte);
                at += 3;
            }
            _ => {
                decoded.push(bytes[at]);
                at += 1;
            }
        }
    }
    Some(PathBuf::from(std::ffi::OsString::from_vec(decoded)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn four_spellings_are_one_file() {
        let file = Path::new("/w/(x) [id] @é#.ts");
        assert_eq!(of(file), "file:///w/%28x%29%20%5Bid%5D%20%40%C3%A9%23.ts");
        for uri in [
            "file:///w/%28x%29%20%5Bid%5D%20%40%C3%A9%23.ts",
            "file:///w/(x)%20[id]%20@%C3%A9%23.ts",
            "file:///w/%28x%29%20%5bid%5d%20@%c3%a9%23.ts",
            "file:/w/(x) [id] @é%23.ts",
            "file://localhost/w/(x) [id] @é%23.ts",
        ] {
            assert_eq!(path(uri).as_deref(), Some(file), "{uri}");
        }
    }

    #[test]
    fn what_is_no_file_has_no_path() {
        for uri in ["jdt://contents/a.class", "untitled:Untitled-1", "deno:/x", "file://host/x", "file:x", ""] {
            assert_eq!(path(uri), None, "{uri}");
        }
        assert_eq!(path("file:///a%2").as_deref(), Some(Path::new("/a%2")));
    }
}
