//! Unified diffs, with git's headers or without.

use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;
use std::path::PathBuf;

use vise_edit::Reason;

use super::{FilePatch, Hunk, Mark, Name, malformed};
use crate::ToolError;

/// Prefixes that git puts before paths, by what it compares.
const PREFIXES: &[u8] = b"abciow";

/// Reads a diff. What stands between the parts about files (a message, an index line) is passed over.
pub(super) fn read(patch: &[u8]) -> Result<Vec<FilePatch>, ToolError> {
    let raw: Vec<&[u8]> = patch.split(|byte| *byte == b'\n').collect();
    // Where the headers end in `\r`, somebody turned the line ends of the whole patch.
    let is_header = |line: &&[u8]| line.starts_with(b"+++ ") || line.starts_with(b"@@ -") || line.starts_with(b"diff ");
    let headers = raw.iter().filter(|line| is_header(line));
    let crlf = headers.clone().count() > 0 && headers.into_iter().all(|line| line.ends_with(b"\r"));
    let lines = raw.into_iter().map(|line| if crlf { line.strip_suffix(b"\r").unwrap_or(line) } else { line });
    let mut reader = Reader { lines: lines.collect(), at: 0, files: Vec::new(), git: None };
    reader.read()?;
    let mut files = reader.files;
    files.retain(|file| {
        let says_something = file.from != file.to || file.executable.is_some() || file.refusal.is_some();
        says_something || !file.hunks.is_empty()
    });
    Ok(files)
}

struct Reader<'p> {
    lines: Vec<&'p [u8]>,
    at: usize,
    files: Vec<FilePatch>,
    /// The line of the header of git's under which we are; its file is the last one, and has no `---` yet.
    git: Option<usize>,
}

impl<'p> Reader<'p> {
    fn line(&self, at: usize) -> &'p [u8] {
        self.lines.get(at).copied().unwrap_or_default()
    }

    fn read(&mut self) -> Result<(), ToolError> {
        while self.at < self.lines.len() {
            let (line, number) = (self.line(self.at), self.at + 1);
            if let Some(names) = line.strip_prefix(b"diff --git ") {
                self.git = Some(self.at);
                let (from, to) = git_names(names).unzip();
                self.files.push(FilePatch { line: number, from, to, ..FilePatch::default() });
            } else if line.starts_with(b"--- ") && self.line(self.at + 1).starts_with(b"+++ ") {
                self.names()?;
                self.at += 1;
            } else if line.starts_with(b"@@") && !self.files.is_empty() {
                self.hunk()?;
                continue;
            } else if self.git.is_some() && self.extended(line)? {
                // It is noted.
            } else if self.files.last().is_some_and(|file| !file.hunks.is_empty()) {
                let is_change = line.starts_with(b"+") || (line.starts_with(b"-") && line.trim_ascii_end() != b"--");
                if is_change && !line.starts_with(b"--- ") && !line.starts_with(b"+++ ") && self.is_after_hunk() {
                    return Err(malformed(number, "the hunk above has more lines than its `@@` line says"));
                }
            }
            self.at += 1;
        }
        Ok(())
    }

    /// Whether the line before is one of a hunk.
    fn is_after_hunk(&self) -> bool {
        let before = self.line(self.at.wrapping_sub(1));
        matches!(before.first(), Some(b'+' | b'-' | b' ' | b'\\'))
    }

    /// A line of git's own header; false for any other.
    fn extended(&mut self, line: &[u8]) -> Result<bool, ToolError> {
        let number = self.at + 1;
        let Some(file) = self.files.last_mut() else { return Ok(false) };
        let value = |word: &[u8]| line.strip_prefix(word);
        if let Some(mode) = value(b"new file mode ") {
            file.from = None;
            set_mode(file, mode, number)?;
        } else if value(b"deleted file mode ").is_some() {
            file.to = None;
        } else if let Some(mode) = value(b"new mode ") {
            set_mode(file, mode, number)?;
        } else if let Some(mode) = value(b"old mode ") {
            check_kind(file, mode, number)?;
        } else if let Some(path) = value(b"rename from ") {
            file.from = Some(bare(path));
        } else if let Some(path) = value(b"rename to ") {
            file.to = Some(bare(path));
        } else if value(b"copy from ").is_some() || value(b"copy to ").is_some() {
            file.refusal = Some((Reason::Other, "the patch copies a file, which is not done here; write the copy"));
        } else if line.starts_with(b"GIT binary patch") || line.starts_with(b"Binary files ") {
            file.refusal = Some((Reason::Binary, "the patch is of a binary file"));
        } else {
            return Ok(false);
        }
        Ok(true)
    }

    /// The two lines that name the old and the new file.
    fn names(&mut self) -> Result<(), ToolError> {
        let (old, new) = (&self.line(self.at)[4..], &self.line(self.at + 1)[4..]);
        let (old, new) = (header_name(old), header_name(new));
        let number = self.at + 1;
        if old.path.is_none() && new.path.is_none() {
            return Err(malformed(number, "it names no file"));
        }
        if self.git.take().is_some() {
            // The lines above have said what is made, removed or moved; these must not say otherwise.
            let Some(file) = self.files.last_mut() else { return Ok(()) };
            if file.from.is_none() && file.to.is_none() {
                (file.from, file.to) = both(old.path, new.path);
            } else if old.path.is_none() {
                file.from = None;
            } else if new.path.is_none() {
                file.to = None;
            }
            return Ok(());
        }
        let next = self.line(self.at + 2);
        let (mut from, mut to) = both(old.path, new.path);
        // diff -N names a file that is not there, and dates it to the beginning of time.
        if old.is_epoch && next.starts_with(b"@@ -0,0 ") {
            from = None;
        }
        if new.is_epoch && next.windows(6).any(|part| part == b" +0,0 ") {
            to = None;
        }
        // Of two names of a file that stays, the old one counts: diff is given `a.orig` and `a`, or two folders.
        if let (Some(old), Some(new)) = (&from, &to)
            && old != new
        {
            to = Some(new.clone());
            from = to.clone();
        }
        self.files.push(FilePatch { line: number, from, to, ..FilePatch::default() });
        Ok(())
    }

    fn hunk(&mut self) -> Result<(), ToolError> {
        let number = self.at + 1;
        let header = self.line(self.at);
        self.at += 1;
        let ranges = ranges(header);
        if ranges.is_none() && header.starts_with(b"@@ -") {
            return Err(malformed(number, "the `@@` line is none: `@@ -LINE,COUNT +LINE,COUNT @@`"));
        }
        let mut hunk = Hunk { line: number, at: ranges.map(|(at, ..)| at).filter(|at| *at > 0), ..Hunk::default() };
        let (mut old, mut new) = ranges.map_or((usize::MAX, usize::MAX), |(_, old, new)| (old, new));
        let (mut old_open, mut new_open) = (false, false);
        while self.at < self.lines.len() {
            let line = self.line(self.at);
            if line.starts_with(b"\\") {
                // It is about the line before.
                match hunk.lines.last() {
                    Some((Mark::Removed, _)) => old_open = true,
                    Some((Mark::Added, _)) => new_open = true,
                    Some((Mark::Context, _)) => (old_open, new_open) = (true, true),
                    None => return Err(malformed(self.at + 1, "it is about no line")),
                }
                self.at += 1;
                continue;
            }
            if old == 0 && new == 0 {
                break;
            }
            let last = self.at + 1 == self.lines.len();
            let (mark, rest) = match line.split_first() {
                Some((b' ', rest)) => (Mark::Context, rest),
                Some((b'-', rest)) if ranges.is_some() || !line.starts_with(b"--- ") => (Mark::Removed, rest),
                Some((b'+', rest)) => (Mark::Added, rest),
                // Some programs take the blank off an empty line.
                None if !last && ranges.is_some() => (Mark::Context, line),
                _ if line == b"\r" && ranges.is_some() => (Mark::Context, line),
                _ if ranges.is_none() => break,
                _ => {
                    let why = format!("the hunk at line {number} has fewer lines than its `@@` line says");
                    return Err(malformed(self.at + 1, why));
                }
            };
            let take = |count: &mut usize| count.checked_sub(1).map(|less| *count = less);
            let counted = match mark {
                Mark::Context => take(&mut old).and(take(&mut new)),
                Mark::Removed => take(&mut old),
                Mark::Added => take(&mut new),
            };
            if counted.is_none() {
                let why = format!("the hunk at line {number} has other lines than its `@@` line says");
                return Err(malformed(self.at + 1, why));
            }
            hunk.lines.push((mark, rest.to_vec()));
            self.at += 1;
        }
        if ranges.is_some() && (old > 0 || new > 0) {
            return Err(malformed(self.at, format!("the hunk at line {number} ends before its last line")));
        }
        if hunk.lines.is_empty() {
            return Err(malformed(number, "the hunk has no lines"));
        }
        hunk.open = Some((old_open, new_open));
        if let Some(file) = self.files.last_mut() {
            file.hunks.push(hunk);
        }
        Ok(())
    }
}

/// The first old line and the numbers of old and new lines that a hunk's header says.
fn ranges(header: &[u8]) -> Option<(usize, usize, usize)> {
    let text = std::str::from_utf8(header.strip_prefix(b"@@ -")?).ok();
    let lossy;
    let text = match text {
        Some(text) => text,
        None => {
            lossy = String::from_utf8_lossy(header.strip_prefix(b"@@ -")?);
            &lossy
        }
    };
    let (ranges, _) = text.split_once(" @@")?;
    let (old, new) = ranges.split_once(" +")?;
    let range = |text: &str| match text.split_once(',') {
        Some((start, len)) => Some((start.parse::<usize>().ok()?, len.parse::<usize>().ok()?)),
        None => Some((text.parse().ok()?, 1)),
    };
    let ((at, old), (_, new)) = (range(old)?, range(new)?);
    Some((at, old, new))
}

fn set_mode(file: &mut FilePatch, mode: &[u8], number: usize) -> Result<(), ToolError> {
    check_kind(file, mode, number)?;
    file.executable = Some(mode.ends_with(b"755"));
    Ok(())
}

fn check_kind(file: &mut FilePatch, mode: &[u8], number: usize) -> Result<(), ToolError> {
    match mode.trim_ascii() {
        b"100644" | b"100755" => {}
        b"120000" => file.refusal = Some((Reason::NotAFile, "the patch is of a symbolic link")),
        b"160000" => file.refusal = Some((Reason::NotAFile, "the patch is of a submodule")),
        mode => {
            let mode = String::from_utf8_lossy(mode).into_owned();
            return Err(malformed(number, format!("`{mode}` is no mode of a file that git has")));
        }
    }
    Ok(())
}

/// A name in a `---` or `+++` line.
struct HeaderName {
    /// None for `/dev/null`.
    path: Option<Vec<u8>>,
    /// Its date is the beginning of time.
    is_epoch: bool,
}

fn header_name(text: &[u8]) -> HeaderName {
    let (path, rest) = match unquoted(text) {
        Some((path, rest)) => (path, rest.to_vec()),
        None => {
            let end = text.iter().position(|byte| *byte == b'\t').unwrap_or(text.len());
            (text[..end].trim_ascii_end().to_vec(), text[end..].to_vec())
        }
    };
    let dated = |date: &[u8]| rest.windows(date.len()).any(|part| part == date);
    let is_epoch = dated(b"1970-01-01") || dated(b"1969-12-31");
    HeaderName { path: (path != b"/dev/null").then_some(path), is_epoch }
}

/// A path in C's quotes, as git writes unusual ones, and what follows it.
fn unquoted(text: &[u8]) -> Option<(Vec<u8>, &[u8])> {
    let mut rest = text.strip_prefix(b"\"")?;
    let mut path = Vec::new();
    loop {
        let (&byte, after) = rest.split_first()?;
        rest = after;
        match byte {
            b'"' => return Some((path, rest)),
            b'\\' => {
                let (&escape, after) = rest.split_first()?;
                rest = after;
                path.push(match escape {
                    b'n' => b'\n',
                    b't' => b'\t',
                    b'r' => b'\r',
                    b'a' => 7,
                    b'b' => 8,
                    b'v' => 11,
                    b'f' => 12,
                    b'0'..=b'3' => {
                        let digits = rest.get(..2)?;
                        rest = &rest[2..];
                        let digit = |byte: u8| char::from(byte).to_digit(8).and_then(|digit| u8::try_from(digit).ok());
                        (escape - b'0') * 64 + digit(digits[0])? * 8 + digit(digits[1])?
                    }
                    other => other,
                });
            }
            byte => path.push(byte),
        }
    }
}

/// A path that has no prefix.
fn bare(text: &[u8]) -> Name {
    let path = unquoted(text).map_or_else(|| text.to_vec(), |(path, _)| path);
    Name { plain: path_of(&path), given: path_of(&path) }
}

fn path_of(bytes: &[u8]) -> PathBuf {
    PathBuf::from(OsString::from_vec(bytes.to_vec()))
}

/// A path without git's prefix, where it has one: a letter and a slash.
fn without_prefix(path: &[u8]) -> Option<(u8, &[u8])> {
    match path {
        [letter, b'/', rest @ ..] if PREFIXES.contains(letter) && !rest.is_empty() => Some((*letter, rest)),
        _ => None,
    }
}

/// Two names of one file, of which git's prefixes are taken off if both have one and they differ.
fn both(old: Option<Vec<u8>>, new: Option<Vec<u8>>) -> (Option<Name>, Option<Name>) {
    let prefix = |path: &Option<Vec<u8>>| path.as_ref().map(|path| without_prefix(path).map(|(letter, _)| letter));
    let prefixed = match (prefix(&old), prefix(&new)) {
        (Some(Some(old)), Some(Some(new))) => old != new,
        (Some(Some(_)), None) | (None, Some(Some(_))) => true,
        _ => false,
    };
    let name = |path: Vec<u8>| {
        let plain = without_prefix(&path).filter(|_| prefixed).map_or(&path[..], |(_, rest)| rest);
        Name { plain: path_of(plain), given: path_of(&path) }
    };
    (old.map(name), new.map(name))
}

/// The names in a line `diff --git a/x b/x`. Without quotes a blank may be part of a name, so the two are told apart by
/// being the same; where they are not, other lines name the file.
fn git_names(text: &[u8]) -> Option<(Name, Name)> {
    let halves = |at: usize| {
        let (old, new) = (&text[..at], text.get(at + 1..)?);
        let old = unquoted(old).map_or_else(|| old.to_vec(), |(path, _)| path);
        let new = unquoted(new).map_or_else(|| new.to_vec(), |(path, _)| path);
        let (old, new) = both(Some(old), Some(new));
        old.zip(new)
    };
    let blanks = text.iter().enumerate().filter(|(_, byte)| **byte == b' ').map(|(at, _)| at);
    blanks.filter_map(halves).find(|(old, new)| old.plain == new.plain).map(|(old, _)| (old.clone(), old))
}

#[cfg(test)]
mod tests;
