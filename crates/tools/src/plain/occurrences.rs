//! Where one text stands in another, line ends aside.

use std::ops::Range;

use memchr::memmem::Finder;

/// Enough places to say that there are too many.
const ENOUGH: usize = 1000;

/// A text in which another is looked for. Where what is looked for has no `\r`, one before a `\n` is passed over.
pub(super) struct Haystack<'t> {
    text: &'t [u8],
    /// The text without each `\r` before a `\n`, with the offsets in it before which one was left out.
    plain: Option<(Vec<u8>, Vec<usize>)>,
}

impl<'t> Haystack<'t> {
    pub(super) fn new(text: &'t [u8], needle: &[u8]) -> Self {
        let plain =
            (needle.contains(&b'\n') && !needle.contains(&b'\r') && memchr::memmem::find(text, b"\r\n").is_some())
                .then(|| {
                    let mut plain = Vec::with_capacity(text.len());
                    let mut left_out = Vec::new();
                    for (at, byte) in text.iter().enumerate() {
                        if *byte == b'\r' && text.get(at + 1) == Some(&b'\n') {
                            left_out.push(plain.len());
                        } else {
                            plain.push(*byte);
                        }
                    }
                    (plain, left_out)
                });
        Self { text, plain }
    }

    /// Every place of `needle`, those that overlap too; at most [`ENOUGH`].
    pub(super) fn all(&self, needle: &[u8]) -> Vec<Range<usize>> {
        self.places(needle, 1, ENOUGH)
    }

    /// The places of `needle` from the left, none of which overlap.
    pub(super) fn disjoint(&self, needle: &[u8]) -> Vec<Range<usize>> {
        self.places(needle, needle.len().max(1), usize::MAX)
    }

    fn places(&self, needle: &[u8], step: usize, limit: usize) -> Vec<Range<usize>> {
        let text = self.plain.as_ref().map_or(self.text, |(plain, _)| plain.as_slice());
        let finder = Finder::new(needle);
        let mut found = Vec::new();
        let mut from = 0;
        while let Some(at) = text.get(from..).and_then(|rest| finder.find(rest)) {
            let start = from + at;
            found.push(self.original(start)..self.original(start + needle.len()));
            from = start + step;
            if found.len() == limit {
                break;
            }
        }
        found
    }

    /// Where an offset of the plain text lies in the original. An offset at a line end lies before all of it.
    fn original(&self, offset: usize) -> usize {
        let left_out = self.plain.as_ref().map_or(0, |(_, left_out)| left_out.partition_point(|at| *at < offset));
        offset + left_out
    }
}

/// Where `needle` would stand if white space at both ends of its lines did not matter: the line, from 1, of the first
/// such place.
pub(super) fn near(text: &[u8], needle: &[u8]) -> Option<usize> {
    let trimmed = |text: &'_ [u8]| -> Vec<Vec<u8>> {
        text.split(|byte| *byte == b'\n').map(|line| line.trim_ascii().to_vec()).collect()
    };
    let wanted = trimmed(needle.trim_ascii());
    if wanted.iter().all(Vec::is_empty) {
        return None;
    }
    trimmed(text).windows(wanted.len()).position(|lines| lines == wanted).map(|at| at + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, needle: &str, all: &[&str], disjoint: usize) {
        let haystack = Haystack::new(text.as_bytes(), needle.as_bytes());
        let found: Vec<&str> = haystack.all(needle.as_bytes()).into_iter().map(|range| &text[range]).collect();
        assert_eq!(found, all);
        assert_eq!(haystack.disjoint(needle.as_bytes()).len(), disjoint);
    }

    #[test]
    fn places_are_found_line_ends_aside() {
        check("a b a", "a", &["a", "a"], 2);
        check("x\r\ny\nz", "x\ny\n", &["x\r\ny\n"], 1);
        check("x\r\ny\r\n", "\ny", &["\r\ny"], 1);
        // A needle with its own line ends means them.
        check("x\r\ny\n", "x\ny\r\n", &[], 0);
        check("x\r\r\ny", "x\ny", &[], 0);
        check("foo\nfoo\nfoo\n", "foo\nfoo\n", &["foo\nfoo\n", "foo\nfoo\n"], 1);
        check("aé", "é", &["é"], 1);
    }

    #[test]
    fn what_differs_in_white_space_only_is_near() {
        assert_eq!(near(b"a\n  if x:\n\ty()\n", b"if x:\n    y()"), Some(2));
        assert_eq!(near(b"a\n", b"b"), None);
        assert_eq!(near(b"a\n", b"  "), None);
    }
}
