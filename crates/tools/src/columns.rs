//! Lines and columns of many places in one text, without counting a long line again for each of them.

use std::cell::OnceCell;

use vise_text::LineIndex;

/// How far apart, in bytes, the counts of characters are kept.
const STEP: usize = 1024;
/// A line up to this offset is looked at for being plain, which is cheaper than looking up a count.
const SHORT: usize = 4096;

/// Lines and columns of a text.
pub(crate) struct Columns<'t> {
    text: &'t [u8],
    pub lines: LineIndex,
    /// Byte offset and number of characters before it, every [`STEP`] bytes or a little more; made when first needed.
    counts: OnceCell<Vec<(usize, usize)>>,
}

impl<'t> Columns<'t> {
    pub(crate) fn new(text: &'t [u8]) -> Self {
        Self { text, lines: LineIndex::new(text), counts: OnceCell::new() }
    }

    /// Line and column of an offset, both from 0. A column counts Unicode scalar values, an invalid byte as one.
    pub(crate) fn place(&self, offset: usize) -> (usize, usize) {
        let line = self.lines.line_of(offset);
        let start = self.lines.line_start(line).unwrap_or(0);
        let before = self.text.get(start..offset).unwrap_or_default();
        if before.len() <= SHORT && before.is_ascii() {
            return (line, before.len());
        }
        (line, self.characters_before(offset) - self.characters_before(start))
    }

    fn characters_before(&self, offset: usize) -> usize {
        let counts = self.counts.get_or_init(|| counts(self.text));
        let known = counts.partition_point(|(at, _)| *at <= offset);
        let (at, characters) = known.checked_sub(1).and_then(|index| counts.get(index)).unwrap_or(&(0, 0));
        let between = self.text.get(*at..offset).unwrap_or_default();
        let count: usize =
            between.utf8_chunks().map(|chunk| chunk.valid().chars().count() + chunk.invalid().len()).sum();
        characters + count
    }
}

fn counts(text: &[u8]) -> Vec<(usize, usize)> {
    let mut counts = Vec::with_capacity(text.len() / STEP + 1);
    let (mut at, mut characters) = (0, 0);
    let mut note = |at: usize, characters: usize| {
        if counts.last().is_none_or(|(last, _)| at >= last + STEP) {
            counts.push((at, characters));
        }
    };
    for chunk in text.utf8_chunks() {
        for character in chunk.valid().chars() {
            note(at, characters);
            at += character.len_utf8();
            characters += 1;
        }
        for _ in chunk.invalid() {
            note(at, characters);
            at += 1;
            characters += 1;
        }
    }
    counts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_those_of_the_line_index() {
        let piece = "añ𝒳b\u{fffd}".as_bytes();
        let mut text = Vec::new();
        for number in 0..1400 {
            text.extend_from_slice(piece);
            text.extend_from_slice(b"\xff\xe2\x82");
            if number % 600 == 599 {
                text.push(b'\n');
            }
        }
        let (columns, lines) = (Columns::new(&text), LineIndex::new(&text));
        for chunk in text.utf8_chunks() {
            for (at, _) in chunk.valid().char_indices() {
                let offset = chunk.valid().as_ptr() as usize - text.as_ptr() as usize + at;
                assert_eq!(columns.place(offset), (lines.line_of(offset), lines.column_scalar(&text, offset)));
            }
        }
    }

    #[test]
    fn plain_text_is_not_counted() {
        let columns = Columns::new(b"ab\ncd");
        assert_eq!(columns.place(4), (1, 1));
        assert!(columns.counts.get().is_none());
    }
}
