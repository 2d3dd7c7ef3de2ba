//! Whose code a frame is, and what its function is called.

use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use regex::Regex;
use serde_json::Value;

/// A frame as the adapter tells it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Told {
    /// Its index in the stack.
    pub(crate) index: usize,
    /// The adapter's id of it.
    pub(crate) id: i64,
    /// Its function.
    pub(crate) function: String,
    /// Its file.
    pub(crate) path: Option<PathBuf>,
    /// Its line.
    pub(crate) line: usize,
    /// Whether it is code of the workspace.
    pub(crate) user: bool,
}

#[expect(clippy::unwrap_used, reason = "the pattern is a constant, and a test compiles it")]
static HASH: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"::h[0-9a-f]{16}$").unwrap());

/// How Rust's older names write what a symbol cannot hold.
const MANGLED: [(&str, &str); 11] = [
    ("$u7b$", "{"),
    ("$u7d$", "}"),
    ("$LT$", "<"),
    ("$GT$", ">"),
    ("$u20$", " "),
    ("$C$", ", "),
    ("$RF$", "&"),
    ("$BP$", "*"),
    ("$u5b$", "["),
    ("$u5d$", "]"),
    ("..", "::"),
];

/// The frames of a `stackTrace` response.
pub(crate) fn read(response: &Value, root: &Path) -> Vec<Told> {
    let frames = response["stackFrames"].as_array().map(Vec::as_slice).unwrap_or_default();
    let told = frames.iter().enumerate().map(|(index, frame)| {
        let path = frame["source"]["path"].as_str().map(PathBuf::from);
        let label = frame["presentationHint"] == "label";
        let user = !label && path.as_deref().is_some_and(|path| is_user(path, root));
        Told {
            index,
            id: frame["id"].as_i64().unwrap_or(-1),
            function: function(frame["name"].as_str().unwrap_or("?")),
            path,
            line: frame["line"].as_u64().unwrap_or(0) as usize,
            user,
        }
    });
    told.collect()
}

/// Whether a file is code of the workspace, and not of a library that lies in it.
pub(crate) fn is_user(path: &Path, root: &Path) -> bool {
    let Ok(inside) = path.strip_prefix(root) else { return false };
    !inside.components().any(|part| {
        let part = part.as_os_str().to_string_lossy();
        matches!(part.as_ref(), "site-packages" | "dist-packages" | "node_modules" | "vendor" | ".cargo" | ".rustup")
    }) && path.is_absolute()
}

/// A function's name without what adapters and compilers add to it.
pub(crate) fn function(name: &str) -> String {
    let name = name.strip_suffix(" (Current frame)").unwrap_or(name);
    let name = name.strip_prefix("global.").unwrap_or(name);
    let name = HASH.replace(name, "");
    let mut plain = name.into_owned();
    if plain.contains('$') {
        for (mangled, meant) in MANGLED {
            plain = plain.replace(mangled, meant);
        }
        plain = plain.trim_start_matches("_<").to_owned();
    }
    if plain.len() > 200 { plain.chars().take(200).chain(['…']).collect() } else { plain }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn whose_a_frame_is() {
        let root = Path::new("/w");
        for (path, ours) in [
            ("/w/a.py", true),
            ("/w/src/é.rs", true),
            ("/w/.venv/lib/python3.11/site-packages/pytest/x.py", false),
            ("/w/node_modules/x/i.js", false),
            ("/rustc/abc/library/core/src/panicking.rs", false),
            ("<node_internals>/a.js", false),
            ("/wider/a.py", false),
        ] {
            assert_eq!(is_user(Path::new(path), root), ours, "{path}");
        }
    }

    #[test]
    fn names_are_plain() {
        assert_eq!(function("mean (Current frame)"), "mean");
        assert_eq!(function("x::tests::it_works::h0123456789abcdef"), "x::tests::it_works");
        assert_eq!(function("x::main::_$u7b$$u7b$closure$u7d$$u7d$"), "x::main::_{{closure}}");
        assert_eq!(function("é").len(), 2);
    }

    #[test]
    fn a_frame_may_lack_everything() {
        let told = read(
            &json!({"stackFrames": [{"id": 7}, {"name": "f", "line": 3, "source": {"path": "/w/a.c"}}]}),
            Path::new("/w"),
        );
        assert_eq!((told[0].line, told[0].user, told[1].user, told[1].index), (0, false, true, 1));
        assert!(read(&json!(null), Path::new("/w")).is_empty());
    }
}
