//! Where a name stands on a line of a text: edges carry their lines, other programs want columns.

use vise_text::LineIndex;

/// A text by its lines.
pub(crate) struct Page<'t> {
    text: &'t [u8],
    lines: LineIndex,
}

impl<'t> Page<'t> {
    pub(crate) fn new(text: &'t [u8]) -> Self {
        Self { text, lines: LineIndex::new(text) }
    }

    /// A line without its end, from 1; nothing where there is no such line.
    pub(crate) fn line(&self, number: u32) -> &'t [u8] {
        let line = (number as usize).checked_sub(1);
        let range = line.and_then(|line| self.lines.line_content(self.text, line));
        range.and_then(|range| self.text.get(range)).unwrap_or_default()
    }
}

/// Where a name stands on a line as a whole word, in bytes: first the places outside of double quotes, then those
/// inside, each in the order of the text.
pub(crate) fn places(line: &[u8], name: &str) -> Vec<usize> {
    let name = name.as_bytes();
    let (Some(first), Some(last)) = (name.first(), name.last()) else { return Vec::new() };
    let (mut outside, mut inside) = (Vec::new(), Vec::new());
    let (mut quoted, mut escaped) = (false, false);
    for (at, byte) in line.iter().enumerate() {
        let begins = line[at..].starts_with(name) && !joins(line[..at].last(), first);
        if begins && !joins(line.get(at + name.len()), last) {
            if quoted { &mut inside } else { &mut outside }.push(at);
        }
        match byte {
            b'\\' if quoted => escaped = !escaped,
            b'"' if !escaped => quoted = !quoted,
            _ => escaped = false,
        }
    }
    outside.extend(inside);
    outside
}

/// Whether a byte beside a name's outermost one makes it part of a longer word.
fn joins(beside: Option<&u8>, outermost: &u8) -> bool {
    is_word(*outermost) && beside.is_some_and(|beside| is_word(*beside))
}

/// Whether a byte belongs to a word. Letters outside of ASCII do, and what else is there is rare beside a name.
pub(crate) fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte >= 0x80
}

/// The word at the start of a text.
pub(crate) fn first_word(text: &[u8]) -> &str {
    let end = text.iter().position(|byte| !is_word(*byte)).unwrap_or(text.len());
    std::str::from_utf8(&text[..end]).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_stand_as_whole_words() {
        assert_eq!(places(b"save(saved, _save, save)", "save"), [0, 19]);
        assert_eq!(places("sauvé = sauv".as_bytes(), "sauv"), [9]);
        assert_eq!(places(b"x = \"save \\\" save\"; save()", "save"), [20, 5, 13]);
        assert_eq!(places(b"empty?(a) if a.empty?", "empty?"), [0, 15]);
        assert_eq!(places(b"anything", ""), [] as [usize; 0]);
    }

    #[test]
    fn lines_are_counted_from_1() {
        let page = Page::new(b"one\r\ntwo\nlast");
        let lines: Vec<&[u8]> = (0..5).map(|line| page.line(line)).collect();
        assert_eq!(lines, [&b""[..], b"one", b"two", b"last", b""]);
        assert_eq!(first_word(b"abc_1 = 2"), "abc_1");
    }
}
