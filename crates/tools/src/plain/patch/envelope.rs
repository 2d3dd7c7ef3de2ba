//! The form that begins `*** Begin Patch`: files by name, hunks by their lines and by lines above them, no numbers.

use std::path::PathBuf;

use super::{FilePatch, Hunk, Mark, Name, malformed};
use crate::ToolError;

const BEGIN: &[u8] = b"*** Begin Patch";
const END: &[u8] = b"*** End Patch";

/// Whether a patch has this form.
pub(super) fn is_one(patch: &[u8]) -> bool {
    let mut lines = patch.split(|byte| *byte == b'\n').map(<[u8]>::trim_ascii_end);
    lines.find(|line| !line.is_empty()) == Some(BEGIN)
}

/// Reads a patch of this form.
pub(super) fn read(patch: &[u8]) -> Result<Vec<FilePatch>, ToolError> {
    let mut files: Vec<FilePatch> = Vec::new();
    // What the lines that follow belong to.
    let mut kind = None;
    let mut begun = false;
    let mut ended = false;
    // Empty lines at the end of a hunk that have no mark: before a header they are no lines of the file.
    let mut bare = 0;
    // Where the frame of the patch has `\r`, its lines have one that is not theirs.
    let crlf = patch.split(|byte| *byte == b'\n').any(|line| line.starts_with(b"*** ") && line.ends_with(b"\r"));
    for (at, line) in patch.split(|byte| *byte == b'\n').enumerate() {
        let number = at + 1;
        let line = if crlf { line.strip_suffix(b"\r").unwrap_or(line) } else { line };
        if !begun {
            begun = line.trim_ascii_end() == BEGIN;
            continue;
        }
        if ended {
            if line.trim_ascii().is_empty() {
                continue;
            }
            return Err(malformed(number, "there is more after `*** End Patch`"));
        }
        if line.starts_with(b"*** ") || line.starts_with(b"@@") {
            drop_bare(files.last_mut(), std::mem::take(&mut bare));
        }
        if line.trim_ascii_end() == END {
            ended = true;
            continue;
        }
        if let Some((word, name)) = header(line) {
            kind = Some(word);
            let name = Some(name);
            files.push(match word {
                Kind::Add => FilePatch { line: number, to: name, ..FilePatch::default() },
                Kind::Delete => FilePatch { line: number, from: name, unseen: true, ..FilePatch::default() },
                Kind::Update => FilePatch { line: number, from: name.clone(), to: name, ..FilePatch::default() },
            });
            continue;
        }
        if kind.is_none() && line.trim_ascii().is_empty() {
            continue;
        }
        let (Some(kind), Some(file)) = (kind, files.last_mut()) else {
            return Err(malformed(
                number,
                "a line `*** Add File: `, `*** Update File: ` or `*** Delete File: ` is missing",
            ));
        };
        match kind {
            Kind::Add => added(file, number, line)?,
            Kind::Delete if line.trim_ascii().is_empty() => {}
            Kind::Delete => return Err(malformed(number, "nothing follows `*** Delete File: `")),
            Kind::Update => updated(file, number, line, &mut bare)?,
        }
    }
    if !ended {
        return Err(malformed(patch.split(|byte| *byte == b'\n').count(), "`*** End Patch` is missing"));
    }
    for file in &files {
        if let Some(hunk) = file.hunks.iter().find(|hunk| hunk.lines.is_empty()) {
            return Err(malformed(hunk.line, "the hunk has no lines"));
        }
        if file.from.is_some() && file.from == file.to && file.hunks.is_empty() {
            return Err(malformed(file.line, "it changes nothing"));
        }
    }
    Ok(files)
}

#[derive(Clone, Copy)]
enum Kind {
    Add,
    Delete,
    Update,
}

fn header(line: &[u8]) -> Option<(Kind, Name)> {
    let headers = [
        (Kind::Add, &b"*** Add File: "[..]),
        (Kind::Delete, b"*** Delete File: "),
        (Kind::Update, b"*** Update File: "),
    ];
    headers.into_iter().find_map(|(kind, word)| Some((kind, name(line.strip_prefix(word)?))))
}

fn name(text: &[u8]) -> Name {
    let path = PathBuf::from(String::from_utf8_lossy(text.trim_ascii()).into_owned());
    Name { plain: path.clone(), given: path }
}

fn drop_bare(file: Option<&mut FilePatch>, bare: usize) {
    if let Some(hunk) = file.and_then(|file| file.hunks.last_mut()) {
        hunk.lines.truncate(hunk.lines.len().saturating_sub(bare));
    }
}

fn added(file: &mut FilePatch, number: usize, line: &[u8]) -> Result<(), ToolError> {
    if file.hunks.is_empty() {
        file.hunks.push(Hunk { line: number, ..Hunk::default() });
    }
    let Some(hunk) = file.hunks.last_mut() else { return Ok(()) };
    match line.split_first() {
        Some((b'+', rest)) => hunk.lines.push((Mark::Added, rest.to_vec())),
        _ if line.trim_ascii().is_empty() => {}
        _ => return Err(malformed(number, "a line of a file that is made begins with `+`")),
    }
    Ok(())
}

fn updated(file: &mut FilePatch, number: usize, line: &[u8], bare: &mut usize) -> Result<(), ToolError> {
    if let Some(to) = line.strip_prefix(b"*** Move to: ") {
        if !file.hunks.is_empty() || file.from != file.to {
            return Err(malformed(number, "`*** Move to: ` follows `*** Update File: `, once"));
        }
        file.to = Some(name(to));
        return Ok(());
    }
    if line.trim_ascii_end() == b"*** End of File" {
        return match file.hunks.last_mut() {
            Some(hunk) => {
                hunk.at_end = true;
                Ok(())
            }
            None => Err(malformed(number, "`*** End of File` ends a hunk")),
        };
    }
    if let Some(anchor) = line.strip_prefix(b"@@") {
        // Anchors in a row narrow the place down, the outermost first.
        let opens = file.hunks.last().is_none_or(|hunk| !hunk.lines.is_empty());
        if opens {
            file.hunks.push(Hunk { line: number, ..Hunk::default() });
        }
        let anchor = anchor.trim_ascii();
        if let Some(hunk) = file.hunks.last_mut().filter(|_| !anchor.is_empty()) {
            hunk.anchors.push(anchor.to_vec());
        }
        return Ok(());
    }
    if file.hunks.is_empty() {
        file.hunks.push(Hunk { line: number, ..Hunk::default() });
    }
    let Some(hunk) = file.hunks.last_mut() else { return Ok(()) };
    let (mark, rest) = match line.split_first() {
        Some((b'+', rest)) => (Mark::Added, rest),
        Some((b'-', rest)) => (Mark::Removed, rest),
        Some((b' ', rest)) => (Mark::Context, rest),
        None => (Mark::Context, line),
        Some(_) => return Err(malformed(number, "a line of a hunk begins with `+`, `-` or a blank")),
    };
    *bare = if line.is_empty() { *bare + 1 } else { 0 };
    hunk.lines.push((mark, rest.to_vec()));
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_and_hunks_are_read() {
        let patch = "*** Begin Patch\n*** Add File: new.txt\n+one\n+\n*** Update File: a.py\n*** Move to: b.py\n\
            @@ class A\n@@ def f\n x\n\n-y\n+z\n*** End of File\n\n*** Delete File: gone\n*** End Patch\n";
        assert!(is_one(patch.as_bytes()));
        let files = read(patch.as_bytes()).unwrap();
        let names: Vec<_> = files
            .iter()
            .map(|file| [&file.from, &file.to].map(|name| name.as_ref().map(|name| name.plain.display().to_string())))
            .collect();
        let some = |name: &str| Some(name.to_owned());
        assert_eq!(names, [[None, some("new.txt")], [some("a.py"), some("b.py")], [some("gone"), None]]);
        assert_eq!(files[0].hunks[0].lines, [(Mark::Added, b"one".to_vec()), (Mark::Added, Vec::new())]);
        let hunk = &files[1].hunks[0];
        assert_eq!((hunk.anchors.len(), hunk.lines.len(), hunk.at_end), (2, 4, true));
        assert_eq!(hunk.lines[1], (Mark::Context, Vec::new()));
    }

    #[test]
    fn what_is_no_patch_says_where() {
        for (patch, word) in [
            ("*** Begin Patch\n", "End Patch"),
            ("*** Begin Patch\nx\n*** End Patch", "line 2"),
            ("*** Begin Patch\n*** Add File: a\nx\n*** End Patch", "line 3"),
            ("*** Begin Patch\n*** Update File: a\n*** End Patch", "changes nothing"),
            ("*** Begin Patch\n*** Update File: a\n@@ x\n*** End Patch", "no lines"),
            ("*** Begin Patch\n*** End Patch\nmore", "more after"),
        ] {
            let error = read(patch.as_bytes()).unwrap_err();
            assert!(error.message.contains(word), "{patch}: {}", error.message);
        }
    }
}
