//! The lines of a text as the protocol counts them: also a lone `\r` ends one, which it does nowhere else in the house.

use std::ops::Range;

use lsp_types::{Position, Range as LspRange};
use vise_text::PositionEncoding;

/// Where the lines of a text start.
#[derive(Debug, Clone, Default)]
pub(crate) struct Lines {
    starts: Vec<usize>,
}

/// A position that names no place of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct OutOfRange {
    line: u32,
    character: u32,
    lines: usize,
}

impl std::fmt::Display for OutOfRange {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "line {}, column {} of a text of {} lines", self.line + 1, self.character + 1, self.lines)
    }
}

impl Lines {
    pub(crate) fn new(text: &[u8]) -> Lines {
        let mut starts = vec![0];
        for at in memchr(text) {
            if text[at] == b'\n' || text.get(at + 1) != Some(&b'\n') {
                starts.push(at + 1);
            }
        }
        Lines { starts }
    }

    /// The range of a line without its end.
    fn content(&self, text: &[u8], line: usize) -> Option<Range<usize>> {
        let start = *self.starts.get(line)?;
        let end = self.starts.get(line + 1).copied().unwrap_or(text.len());
        let content = match text.get(start..end)? {
            [content @ .., b'\r', b'\n'] | [content @ .., b'\n' | b'\r'] => content,
            content => content,
        };
        Some(start..start + content.len())
    }

    /// The offset of a position. A column past the end of its line is the end, as the protocol says; one inside a
    /// character is the character's start. A line that does not exist is the end of the text.
    pub(crate) fn offset(&self, text: &[u8], position: Position, encoding: PositionEncoding) -> usize {
        let Some(content) = self.content(text, position.line as usize) else { return text.len() };
        let wanted = position.character as usize;
        let mut seen = 0;
        let mut at = content.start;
        for (len, units) in characters(&text[content.clone()], encoding) {
            seen += units;
            if seen > wanted {
                return at;
            }
            at += len;
        }
        content.end
    }

    /// The range of an edit, where nothing may be guessed.
    ///
    /// # Errors
    /// When an end is on no line, or the range is reversed. Two ends are let through that many servers send: the start of the
    /// line after the last, and from the very start to any line past the end, which is the whole text.
    pub(crate) fn edit_range(
        &self,
        text: &[u8],
        range: LspRange,
        encoding: PositionEncoding,
    ) -> Result<Range<usize>, OutOfRange> {
        let whole = range.start == Position::new(0, 0);
        let end_of = |position: Position, whole: bool| {
            let line = position.line as usize;
            let past = line >= self.starts.len();
            if past && !whole && !(line == self.starts.len() && position.character == 0) {
                let Position { line, character } = position;
                return Err(OutOfRange { line, character, lines: self.starts.len() });
            }
            Ok(self.offset(text, position, encoding))
        };
        let (start, end) = (end_of(range.start, false)?, end_of(range.end, whole)?);
        if range.start > range.end {
            let Position { line, character } = range.end;
            return Err(OutOfRange { line, character, lines: self.starts.len() });
        }
        Ok(start..end)
    }

    /// The position of an offset; one inside a character or a line's end is where that starts.
    pub(crate) fn position(&self, text: &[u8], offset: usize, encoding: PositionEncoding) -> Position {
        let line = self.starts.partition_point(|start| *start <= offset) - 1;
        let content = self.content(text, line).unwrap_or(text.len()..text.len());
        let mut column = 0;
        let mut at = content.start;
        for (len, units) in characters(&text[content], encoding) {
            if at + len > offset {
                break;
            }
            at += len;
            column += units;
        }
        Position::new(u32::try_from(line).unwrap_or(u32::MAX), u32::try_from(column).unwrap_or(u32::MAX))
    }
}

fn memchr(text: &[u8]) -> impl Iterator<Item = usize> + '_ {
    text.iter().enumerate().filter(|(_, byte)| matches!(byte, b'\n' | b'\r')).map(|(at, _)| at)
}

/// The length in bytes and in units of each character; a byte that belongs to none counts as one.
fn characters(text: &[u8], encoding: PositionEncoding) -> impl Iterator<Item = (usize, usize)> + '_ {
    text.utf8_chunks().flat_map(move |chunk| {
        let valid = chunk.valid().chars().map(move |c| {
            let units = match encoding {
                PositionEncoding::Utf8 => c.len_utf8(),
                PositionEncoding::Utf16 => c.len_utf16(),
                PositionEncoding::Utf32 => 1,
            };
            (c.len_utf8(), units)
        });
        valid.chain(chunk.invalid().iter().map(|_| (1, 1)))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const UTF16: PositionEncoding = PositionEncoding::Utf16;

    fn range(start: (u32, u32), end: (u32, u32)) -> LspRange {
        LspRange::new(Position::new(start.0, start.1), Position::new(end.0, end.1))
    }

    #[test]
    fn three_line_ends_and_no_other() {
        let text = "a\rb\r\nc\u{2028}d\n".as_bytes();
        let lines = Lines::new(text);
        assert_eq!(lines.starts, [0, 2, 5, 11]);
        assert_eq!(lines.offset(text, Position::new(1, 9), UTF16), 3);
        assert_eq!(lines.offset(text, Position::new(9, 9), UTF16), 11);
    }

    #[test]
    fn columns_are_rounded_down_and_found_again() {
        let text = "São 😀x".as_bytes();
        let lines = Lines::new(text);
        assert_eq!(lines.offset(text, Position::new(0, 5), UTF16), 5);
        for (encoding, column) in [(PositionEncoding::Utf8, 9), (UTF16, 6), (PositionEncoding::Utf32, 5)] {
            assert_eq!(lines.offset(text, Position::new(0, column), encoding), 9);
            assert_eq!(lines.position(text, 9, encoding), Position::new(0, column));
        }
        assert_eq!(lines.position(text, 7, UTF16), Position::new(0, 4));
    }

    #[test]
    fn the_range_of_an_edit_is_not_guessed() {
        let text = b"ab";
        let lines = Lines::new(text);
        assert_eq!(lines.edit_range(text, range((0, 0), (9999, 0)), UTF16), Ok(0..2));
        assert_eq!(lines.edit_range(text, range((0, 1), (1, 0)), UTF16), Ok(1..2));
        assert_eq!(lines.edit_range(text, range((0, 1), (0, 7)), UTF16), Ok(1..2));
        let out = lines.edit_range(text, range((5, 0), (5, 1)), UTF16).unwrap_err();
        assert_eq!(out.to_string(), "line 6, column 1 of a text of 1 lines");
        assert!(lines.edit_range(text, range((0, 1), (2, 0)), UTF16).is_err());
        assert!(lines.edit_range(text, range((0, 2), (0, 1)), UTF16).is_err());
    }
}
