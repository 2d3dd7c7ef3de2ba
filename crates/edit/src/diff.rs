//! The unified diff of a proposal, as `git apply` takes it.
//!
//! A diff is bytes, because files are. A file that is changed begins with `---` and `+++`; where those two lines cannot
//! say what happens (a file is made, removed, emptied, or gets another mode) git's own header goes before them.

use similar::{Algorithm, DiffOp, DiffTag, capture_diff_slices, group_diff_ops};
use std::io::Write as _;
use std::path::Path;

/// Lines of context around a change.
const CONTEXT: usize = 3;

/// A file before or after a change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Version<'a> {
    /// Its bytes.
    pub bytes: &'a [u8],
    /// Whether it may be run as a program.
    pub executable: bool,
}

/// Appends the diff of one file to `out`: `path` is relative to the root; a version is absent where there is no file.
/// Nothing is appended where nothing differs.
pub fn unified_diff(out: &mut Vec<u8>, path: &Path, old: Option<Version<'_>>, new: Option<Version<'_>>) {
    if old == new {
        return;
    }
    let old_bytes = old.map_or(&[][..], |version| version.bytes);
    let new_bytes = new.map_or(&[][..], |version| version.bytes);
    let same_bytes = old_bytes == new_bytes;
    let (a, b) = (quoted(b"a/", path), quoted(b"b/", path));
    let changes_mode = matches!((old, new), (Some(old), Some(new)) if old.executable != new.executable);
    // Without git's header a file that is empty on one side would be taken for one that is made or removed.
    if old.is_none() || new.is_none() || changes_mode || old_bytes.is_empty() || new_bytes.is_empty() {
        line(out, &[b"diff --git ", &a, b" ", &b]);
    }
    match (old, new) {
        (None, Some(new)) => line(out, &[b"new file mode ", mode(new)]),
        (Some(old), None) => line(out, &[b"deleted file mode ", mode(old)]),
        (Some(old), Some(new)) if changes_mode => {
            line(out, &[b"old mode ", mode(old)]);
            line(out, &[b"new mode ", mode(new)]);
        }
        _ => {}
    }
    if same_bytes {
        return;
    }
    if old_bytes.contains(&0) || new_bytes.contains(&0) {
        let a = if old.is_some() { &a[..] } else { b"/dev/null" };
        let b = if new.is_some() { &b[..] } else { b"/dev/null" };
        line(out, &[b"Binary files ", a, b" and ", b, b" differ"]);
        return;
    }
    header(out, b"--- ", old.is_some().then_some(&a));
    header(out, b"+++ ", new.is_some().then_some(&b));
    let old_lines: Vec<&[u8]> = old_bytes.split_inclusive(|byte| *byte == b'\n').collect();
    let new_lines: Vec<&[u8]> = new_bytes.split_inclusive(|byte| *byte == b'\n').collect();
    for hunk in group_diff_ops(capture_diff_slices(Algorithm::Histogram, &old_lines, &new_lines), CONTEXT) {
        print_hunk(out, &hunk, &old_lines, &new_lines);
    }
}

fn print_hunk(out: &mut Vec<u8>, ops: &[DiffOp], old: &[&[u8]], new: &[&[u8]]) {
    let (Some(first), Some(last)) = (ops.first(), ops.last()) else { return };
    let old_range = first.old_range().start..last.old_range().end;
    let new_range = first.new_range().start..last.new_range().end;
    // Writing to a vector cannot fail.
    let _ = write!(out, "@@ -");
    range(out, &old_range);
    let _ = write!(out, " +");
    range(out, &new_range);
    line(out, &[b" @@"]);
    for op in ops {
        if op.tag() == DiffTag::Equal {
            print_lines(out, b' ', old.get(op.old_range()));
        } else {
            print_lines(out, b'-', old.get(op.old_range()));
            print_lines(out, b'+', new.get(op.new_range()));
        }
    }
}

fn print_lines(out: &mut Vec<u8>, mark: u8, lines: Option<&[&[u8]]>) {
    for text in lines.unwrap_or_default() {
        out.push(mark);
        out.extend_from_slice(text);
        if !text.ends_with(b"\n") {
            out.extend_from_slice(b"\n\\ No newline at end of file\n");
        }
    }
}

/// A range of lines as hunk headers have it: from 1, the length left out where it is 1, and an empty range named by
/// the line before it.
fn range(out: &mut Vec<u8>, lines: &std::ops::Range<usize>) {
    // Writing to a vector cannot fail.
    let _ = match lines.len() {
        0 => write!(out, "{},0", lines.start),
        1 => write!(out, "{}", lines.start + 1),
        len => write!(out, "{},{len}", lines.start + 1),
    };
}

fn header(out: &mut Vec<u8>, mark: &[u8], name: Option<&Vec<u8>>) {
    match name {
        // A tab ends a name that has blanks, which would else be taken for a time stamp.
        Some(name) if name.contains(&b' ') && !name.starts_with(b"\"") => line(out, &[mark, name, b"\t"]),
        Some(name) => line(out, &[mark, name]),
        None => line(out, &[mark, b"/dev/null"]),
    }
}

fn line(out: &mut Vec<u8>, parts: &[&[u8]]) {
    parts.iter().for_each(|part| out.extend_from_slice(part));
    out.push(b'\n');
}

fn mode(version: Version<'_>) -> &'static [u8] {
    if version.executable { b"100755" } else { b"100644" }
}

/// A path with its prefix, in C's quotes where it has bytes that a header line cannot hold as they are.
fn quoted(prefix: &[u8], path: &Path) -> Vec<u8> {
    let name = path.as_os_str().as_encoded_bytes();
    let plain = |byte: &u8| !matches!(byte, 0..0x20 | 0x7f | b'"' | b'\\');
    if name.iter().all(plain) && std::str::from_utf8(name).is_ok() {
        return [prefix, name].concat();
    }
    let mut out = [b"\"", prefix].concat();
    for byte in name {
        match byte {
            b'"' | b'\\' => out.extend_from_slice(&[b'\\', *byte]),
            b'\n' => out.extend_from_slice(b"\\n"),
            b'\t' => out.extend_from_slice(b"\\t"),
            b'\r' => out.extend_from_slice(b"\\r"),
            0x20..0x7f => out.push(*byte),
            _ => {
                // Writing to a vector cannot fail.
                let _ = write!(out, "\\{byte:03o}");
            }
        }
    }
    out.push(b'"');
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(path: &str, old: Option<&str>, new: Option<&str>, expected: &str) {
        let version = |text: &'static str| Version { bytes: text.as_bytes(), executable: false };
        let leak = |text: Option<&str>| text.map(|text| version(String::from(text).leak()));
        let mut out = Vec::new();
        unified_diff(&mut out, Path::new(path), leak(old), leak(new));
        assert_eq!(String::from_utf8_lossy(&out), expected);
    }

    #[test]
    fn a_change() {
        check(
            "src/a.ts",
            Some("1\n2\n3\n4\n5\n"),
            Some("1\n2\n3\n4\nfive"),
            "--- a/src/a.ts\n+++ b/src/a.ts\n@@ -2,4 +2,4 @@\n 2\n 3\n 4\n-5\n+five\n\\ No newline at end of file\n",
        );
    }

    #[test]
    fn made_and_removed() {
        let header = "diff --git a/f b/f\n";
        check(
            "f",
            None,
            Some("x\n"),
            &format!("{header}new file mode 100644\n--- /dev/null\n+++ b/f\n@@ -0,0 +1 @@\n+x\n"),
        );
        check(
            "f",
            Some("x\n"),
            None,
            &format!("{header}deleted file mode 100644\n--- a/f\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n"),
        );
        check("f", None, Some(""), &format!("{header}new file mode 100644\n"));
        check("f", Some("same"), Some("same"), "");
    }

    #[test]
    fn names_are_quoted_where_they_must_be() {
        assert_eq!(quoted(b"a/", Path::new("é x")), "a/é x".as_bytes());
        assert_eq!(quoted(b"a/", Path::new("a\"b\n\x01")), b"\"a/a\\\"b\\n\\001\"");
    }
}
