//! The folders that a client has open.

// The protocol lets go of roots in 2026-07-28; clients of before have them, and there is nothing else to ask.
#![expect(deprecated, reason = "clients of today speak of their roots this way")]

use std::path::PathBuf;
use std::time::Duration;

use rmcp::service::{Peer, RoleServer};

/// A client may take so long to say what it has open.
const ALLOWED: Duration = Duration::from_secs(5);

/// What the client has open, in its order; none where it does not say.
pub(super) async fn of_client(peer: &Peer<RoleServer>) -> Vec<PathBuf> {
    let knows = peer.peer_info().is_some_and(|client| client.capabilities.roots.is_some());
    if !knows {
        return Vec::new();
    }
    let Ok(Ok(list)) = tokio::time::timeout(ALLOWED, peer.list_roots()).await else { return Vec::new() };
    let folder = |uri: &str| path_of(uri).and_then(|path| path.canonicalize().ok()).filter(|path| path.is_dir());
    let mut roots = Vec::new();
    for root in list.roots.iter().filter_map(|root| folder(&root.uri)) {
        if !roots.contains(&root) {
            roots.push(root);
        }
    }
    roots
}

/// The path of a `file` URI; none of another one.
pub(super) fn path_of(uri: &str) -> Option<PathBuf> {
    use std::os::unix::ffi::OsStringExt as _;
    let rest = uri.strip_prefix("file://")?;
    let path = rest.strip_prefix("localhost").unwrap_or(rest);
    if !path.starts_with('/') {
        return None;
    }
    let bytes = path.as_bytes();
    let (mut out, mut at) = (Vec::with_capacity(bytes.len()), 0);
    while let Some(&byte) = bytes.get(at) {
        if byte == b'%' {
            let hex = std::str::from_utf8(bytes.get(at + 1..at + 3)?).ok()?;
            out.push(u8::from_str_radix(hex, 16).ok()?);
            at += 3;
        } else {
            out.push(byte);
            at += 1;
        }
    }
    // A path cannot hold NUL.
    (!out.contains(&0)).then(|| std::ffi::OsString::from_vec(out).into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn file_uris_are_paths() {
        let path = |uri: &str| path_of(uri).map(|path| path.display().to_string());
        assert_eq!(path("file:///home/me").as_deref(), Some("/home/me"));
        assert_eq!(path("file://localhost/a%20b/%C3%A9").as_deref(), Some("/a b/é"));
        for other in ["https://x/y", "file://other/x", "file:///a%2", "file:///a%zz", "file:///a%00", "/home"] {
            assert_eq!(path(other), None, "{other}");
        }
    }
}
