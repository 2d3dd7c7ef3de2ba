//! Where hunks belong in a text.
//!
//! A hunk's old lines must be there as they are, line ends aside. Where the patch says, or shifted as far as the hunk
//! before it: that is its place. Else it must be the only one: of twins nobody knows which is meant.

use std::ops::Range;

use vise_text::{Edit, line_ending_at};

use super::{Hunk, Mark};

/// Hunks with their places.
#[derive(Debug, Default)]
pub(super) struct Fitted {
    /// Each with the number of its hunk.
    pub(super) edits: Vec<(usize, Edit)>,
    pub(super) moved: Vec<Moved>,
}

/// A hunk that is not where it says.
#[derive(Debug)]
pub(super) struct Moved {
    /// Its line in the patch.
    pub(super) line: usize,
    /// The line of the file that it says, and the one it is at.
    pub(super) from: usize,
    pub(super) to: usize,
}

/// Why a hunk has no place; `line` is its line in the patch.
#[derive(Debug, PartialEq)]
pub(super) enum Misfit {
    /// Its lines are nowhere.
    Nowhere { line: usize },
    /// Nothing in it tells where it belongs.
    NoPlace { line: usize },
    /// Its lines are at all of these lines of the file.
    Several { line: usize, at: Vec<usize> },
}

/// A text in lines.
struct Lines<'t> {
    text: &'t [u8],
    /// The patch has `\r` of its own, so its lines mean what they say to the last byte.
    exact: bool,
    /// With their line ends.
    lines: Vec<Range<usize>>,
}

impl<'t> Lines<'t> {
    fn new(text: &'t [u8], exact: bool) -> Self {
        let mut lines = Vec::new();
        let mut start = 0;
        for line in text.split_inclusive(|byte| *byte == b'\n') {
            lines.push(start..start + line.len());
            start += line.len();
        }
        Self { text, exact, lines }
    }

    /// Where a line begins; past the last one, the end of the text.
    fn start(&self, line: usize) -> usize {
        self.lines.get(line).map_or(self.text.len(), |range| range.start)
    }

    /// A line without its end.
    fn bare(&self, line: usize) -> &'t [u8] {
        let line = &self.text[self.lines[line].clone()];
        line.strip_suffix(b"\n").unwrap_or(line)
    }

    /// Whether the last line has no end.
    fn is_open(&self) -> bool {
        self.text.last().is_some_and(|byte| *byte != b'\n')
    }

    /// Whether the old lines of a hunk stand at `start`.
    fn has(&self, hunk: &Hunk, old: &[&[u8]], start: usize) -> bool {
        let Some(end) = start.checked_add(old.len()).filter(|end| *end <= self.lines.len()) else { return false };
        let same = |at: usize, wanted: &[u8]| {
            let line = self.bare(start + at);
            // A `\r` in the text that the patch does not have is part of the line's end, not of its text.
            line == wanted || (!self.exact && line.strip_suffix(b"\r") == Some(wanted))
        };
        let reaches_end = end == self.lines.len() && !old.is_empty();
        let ends_alike = match hunk.open {
            Some((open, _)) => open == (reaches_end && self.is_open()),
            None => true,
        };
        ends_alike
            && (!hunk.at_end || end == self.lines.len())
            && old.iter().enumerate().all(|(at, wanted)| same(at, wanted))
    }
}

/// Finds the place of every hunk, in order, and gives the edits that they are.
pub(super) fn fit(text: &[u8], hunks: &[Hunk]) -> Result<Fitted, Misfit> {
    let exact = hunks.iter().flat_map(|hunk| &hunk.lines).any(|(_, line)| line.ends_with(b"\r"));
    let lines = Lines::new(text, exact);
    let mut out = Fitted::default();
    // How far the hunk before was from where it said, and where it ended.
    let mut drift = 0isize;
    let mut from = 0;
    for (number, hunk) in hunks.iter().enumerate() {
        let old: Vec<&[u8]> =
            hunk.lines.iter().filter(|(mark, _)| *mark != Mark::Added).map(|(_, line)| line.as_slice()).collect();
        let start = place(&lines, hunk, &old, from, drift)?;
        if let Some(at) = hunk.at.filter(|_| !old.is_empty()) {
            drift = start as isize - at as isize + 1;
            if drift != 0 {
                out.moved.push(Moved { line: hunk.line, from: at, to: start + 1 });
            }
        }
        edits(&lines, hunk, start, number, &mut out.edits);
        from = start + old.len();
    }
    Ok(out)
}

fn place(lines: &Lines<'_>, hunk: &Hunk, old: &[&[u8]], from: usize, drift: isize) -> Result<usize, Misfit> {
    let mut from = from;
    // Whether each anchor is the only line of its kind from where it was looked for.
    let mut anchored = !hunk.anchors.is_empty();
    for anchor in &hunk.anchors {
        let wanted = anchor.trim_ascii();
        let below = |is_it: &dyn Fn(&[u8]) -> bool| -> Vec<usize> {
            (from..lines.lines.len()).filter(|line| is_it(lines.bare(*line).trim_ascii())).take(2).collect()
        };
        let mut found = below(&|line| line == wanted);
        if found.is_empty() {
            // `class A` is how people write of the line `class A:`.
            found = below(&|line| line.starts_with(wanted));
        }
        let Some(&first) = found.first() else { return Err(Misfit::Nowhere { line: hunk.line }) };
        anchored &= found.len() == 1;
        from = first + 1;
    }
    if old.is_empty() {
        return match () {
            () if lines.text.is_empty() => Ok(0),
            () if hunk.at_end => Ok(lines.lines.len()),
            () if anchored => Ok(from),
            () => Err(Misfit::NoPlace { line: hunk.line }),
        };
    }
    let said = hunk.at.and_then(|at| at.saturating_sub(1).checked_add_signed(drift)).filter(|at| *at >= from);
    if let Some(at) = said.filter(|at| lines.has(hunk, old, *at)) {
        return Ok(at);
    }
    let last = lines.lines.len().saturating_sub(old.len());
    let found: Vec<usize> = (from..=last).filter(|at| lines.has(hunk, old, *at)).collect();
    match found[..] {
        [] => Err(Misfit::Nowhere { line: hunk.line }),
        [one] => Ok(one),
        [first, ..] if anchored => Ok(first),
        _ => Err(Misfit::Several { line: hunk.line, at: found.iter().map(|at| at + 1).collect() }),
    }
}

/// The edits of a hunk that stands at `start`: one for each run of removed and added lines.
fn edits(lines: &Lines<'_>, hunk: &Hunk, start: usize, number: usize, out: &mut Vec<(usize, Edit)>) {
    let mut at = start;
    let mut run: Option<(usize, Vec<&[u8]>)> = None;
    let last_added = hunk.lines.iter().rposition(|(mark, _)| *mark != Mark::Removed);
    let mut closes = true;
    for (index, (mark, line)) in hunk.lines.iter().enumerate() {
        match mark {
            Mark::Context => {
                out.extend(run.take().map(|(first, added)| (number, edit(lines, hunk, first..at, &added, true))));
                at += 1;
            }
            Mark::Removed => {
                run.get_or_insert((at, Vec::new()));
                at += 1;
            }
            Mark::Added => {
                run.get_or_insert((at, Vec::new())).1.push(line);
                closes = !(Some(index) == last_added && hunk.open.is_some_and(|(_, new)| new));
            }
        }
    }
    out.extend(run.map(|(first, added)| (number, edit(lines, hunk, first..at, &added, closes))));
}

/// Puts `added` in the place of some lines. `closes`: whether the last added line gets a line end.
fn edit(lines: &Lines<'_>, hunk: &Hunk, removed: Range<usize>, added: &[&[u8]], closes: bool) -> Edit {
    let range = lines.start(removed.start)..lines.start(removed.end);
    let ending = if lines.exact { b"\n" } else { line_ending_at(lines.text, range.start).as_bytes() };
    let mut text = Vec::new();
    for line in added {
        text.extend_from_slice(line);
        text.extend_from_slice(ending);
    }
    let strip = |text: &mut Vec<u8>| {
        let len = text.strip_suffix(b"\n").map_or(text.len(), |rest| rest.strip_suffix(b"\r").unwrap_or(rest).len());
        text.truncate(len);
    };
    if !closes {
        strip(&mut text);
    }
    // A patch that does not tell about the last line end leaves it as it is.
    if hunk.open.is_none() && range.end == lines.text.len() && lines.is_open() && !text.is_empty() {
        strip(&mut text);
        if range.is_empty() {
            text.splice(0..0, ending.iter().copied());
        }
    }
    Edit { range, text }
}

#[cfg(test)]
mod tests {
    use super::*;
    use vise_text::apply;

    /// A hunk as a diff has it: the line that it says, and its lines.
    fn hunk(at: usize, lines: &str) -> Hunk {
        let lines = lines.split('\n').map(|line| {
            let mark = match line.as_bytes().first() {
                Some(b'-') => Mark::Removed,
                Some(b'+') => Mark::Added,
                _ => Mark::Context,
            };
            (mark, line.as_bytes().get(1..).unwrap_or_default().to_vec())
        });
        Hunk {
            line: 1,
            at: (at > 0).then_some(at),
            lines: lines.collect(),
            open: Some((false, false)),
            ..Hunk::default()
        }
    }

    #[track_caller]
    fn check(text: &str, hunks: &[Hunk], expected: &str) {
        let fitted = fit(text.as_bytes(), hunks).unwrap();
        let edits: Vec<Edit> = fitted.edits.into_iter().map(|(_, edit)| edit).collect();
        assert_eq!(String::from_utf8(apply(text.as_bytes(), &edits).unwrap()).unwrap(), expected);
    }

    #[test]
    fn hunks_fit_where_they_say_or_where_alone() {
        check("a\nb\nc\n", &[hunk(2, "-b\n+B")], "a\nB\nc\n");
        check("x\ny\na\nb\nc\n", &[hunk(1, " a\n-b\n+B\n c")], "x\ny\na\nB\nc\n");
        // The second follows the shift of the first, to the first twin.
        check("x\na\nb\nb\n", &[hunk(1, "-a"), hunk(2, "-b\n+B")], "x\nB\nb\n");
        check("b\nb\n", &[hunk(2, "-b\n+B")], "b\nB\n");
    }

    #[test]
    fn twins_are_refused() {
        let text = "b\nx\nb\n";
        assert_eq!(fit(text.as_bytes(), &[hunk(2, "-b")]).unwrap_err(), Misfit::Several { line: 1, at: vec![1, 3] });
        assert_eq!(fit(text.as_bytes(), &[hunk(0, "-b")]).unwrap_err(), Misfit::Several { line: 1, at: vec![1, 3] });
        assert_eq!(fit(text.as_bytes(), &[hunk(1, "-c")]).unwrap_err(), Misfit::Nowhere { line: 1 });
        assert_eq!(fit(text.as_bytes(), &[hunk(1, "+c")]).unwrap_err(), Misfit::NoPlace { line: 1 });
        check("", &[hunk(0, "+c")], "c\n");
        // An anchor that is there once decides.
        let anchors = vec![b"x".to_vec()];
        check(text, &[Hunk { anchors, at: None, ..hunk(0, "-b\n+B") }], "b\nx\nB\n");
    }

    #[test]
    fn line_ends_are_the_files() {
        check("a\r\nb\r\n", &[hunk(1, "-a\n+A\n+B\n b")], "A\r\nB\r\nb\r\n");
        check("a\r\nb\r\n", &[hunk(1, "-a\r\n+A\r\n b\r")], "A\r\nb\r\n");
        check("a\nb\n", &[hunk(1, "-a\n+A\n b")], "A\nb\n");
    }

    #[test]
    fn the_last_line_end_is_told_or_kept() {
        let with = |open, lines| Hunk { open, ..hunk(1, lines) };
        check("a", &[with(Some((true, true)), "-a\n+b")], "b");
        check("a", &[with(Some((true, false)), "-a\n+b")], "b\n");
        check("a\n", &[with(Some((false, true)), "-a\n+b")], "b");
        assert!(fit(b"a", &[with(Some((false, false)), "-a\n+b")]).is_err());
        check("a", &[with(None, "-a\n+b")], "b");
        check("a", &[with(None, " a\n+b")], "a\nb");
        check("x\r\na", &[with(None, " a\n+b")], "x\r\na\r\nb");
        check("x\na", &[with(None, " x\n-a")], "x\n");
    }
}
