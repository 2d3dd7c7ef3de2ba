//! Lines, columns and positions of a text.
//!
//! A text need not be UTF-8. Wherever characters are counted, each byte that belongs to no well-formed sequence counts
//! as one character (it is shown as U+FFFD), so that columns stay meaningful and offsets stay true.

use std::fmt;
use std::ops::Range;

/// Where the lines of a text start. It holds no text; methods that look at bytes take the same text again.
///
/// `\n` ends a line and `\r\n` does; a lone `\r` does not. A text that ends in a line end has an empty last line, and
/// the empty text has one line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LineIndex {
    /// Never empty: the first line starts at 0.
    starts: Vec<usize>,
    len: usize,
}

/// What a column counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PositionEncoding {
    /// Bytes.
    Utf8,
    /// UTF-16 code units, the default of the language server protocol.
    Utf16,
    /// Unicode scalar values.
    Utf32,
}

/// A place between two characters: both numbers start at 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Position {
    /// The line.
    pub line: usize,
    /// How many units of the encoding lie before the place in its line.
    pub column: usize,
}

/// Why an offset or a position names no place of the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PositionError {
    /// The offset is past the end of the text.
    PastEnd {
        /// The offset asked for.
        offset: usize,
        /// The length of the text.
        len: usize,
    },
    /// The text has fewer lines.
    NoSuchLine {
        /// The line asked for, from 0.
        line: usize,
        /// How many lines there are.
        lines: usize,
    },
    /// The line is shorter. Its line end does not belong to it, so no position lies between `\r` and `\n`.
    PastLineEnd {
        /// The line, from 0.
        line: usize,
        /// The column asked for.
        column: usize,
        /// The length of the line in the same units.
        len: usize,
    },
    /// The place is inside a character, or inside `\r\n`.
    InsideCharacter {
        /// Where that character starts.
        start: usize,
    },
}

impl LineIndex {
    /// Finds the lines of `text`.
    pub fn new(text: &[u8]) -> LineIndex {
        let mut starts = vec![0];
        starts.extend(memchr::memchr_iter(b'\n', text).map(|at| at + 1));
        LineIndex { starts, len: text.len() }
    }

    /// How many lines there are; at least one.
    pub fn line_count(&self) -> usize {
        self.starts.len()
    }

    /// The line that holds `offset`, from 0. An offset past the end belongs to the last line.
    pub fn line_of(&self, offset: usize) -> usize {
        self.starts.partition_point(|start| *start <= offset) - 1
    }

    /// Where `line` starts.
    pub fn line_start(&self, line: usize) -> Option<usize> {
        self.starts.get(line).copied()
    }

    /// The range of `line` with its line end.
    pub fn line_range(&self, line: usize) -> Option<Range<usize>> {
        let start = self.line_start(line)?;
        Some(start..self.starts.get(line + 1).copied().unwrap_or(self.len))
    }

    /// The range of `line` without its line end.
    pub fn line_content(&self, text: &[u8], line: usize) -> Option<Range<usize>> {
        let range = self.line_range(line)?;
        let bytes = text.get(range.clone())?;
        let content = match bytes {
            [content @ .., b'\r', b'\n'] | [content @ .., b'\n'] => content,
            content => content,
        };
        Some(range.start..range.start + content.len())
    }

    /// How many Unicode scalar values lie between the start of the line and `offset`. A byte that is no valid UTF-8
    /// counts as one; an offset inside a character has that character's column; one past the end has the end's.
    pub fn column_scalar(&self, text: &[u8], offset: usize) -> usize {
        let offset = offset.min(self.len);
        let line = self.line_of(offset);
        let range = self.line_range(line).unwrap_or(0..self.len);
        characters(text.get(range.clone()).unwrap_or_default())
            .take_while(|character| range.start + character.start + character.len <= offset)
            .count()
    }

    /// The position of `offset`.
    pub fn position(&self, text: &[u8], offset: usize, encoding: PositionEncoding) -> Result<Position, PositionError> {
        if offset > self.len {
            return Err(PositionError::PastEnd { offset, len: self.len });
        }
        let line = self.line_of(offset);
        let content = self.content_or_end(text, line);
        if offset > content.end {
            return Err(PositionError::InsideCharacter { start: content.end });
        }
        let mut column = 0;
        for character in characters(text.get(content.clone()).unwrap_or_default()) {
            let start = content.start + character.start;
            if start >= offset {
                break;
            }
            if start + character.len > offset {
                return Err(PositionError::InsideCharacter { start });
            }
            column += character.units(encoding);
        }
        Ok(Position { line, column })
    }

    /// The offset of `position`.
    pub fn offset(&self, text: &[u8], position: Position, encoding: PositionEncoding) -> Result<usize, PositionError> {
        let Position { line, column } = position;
        if line >= self.line_count() {
            return Err(PositionError::NoSuchLine { line, lines: self.line_count() });
        }
        let content = self.content_or_end(text, line);
        let mut seen = 0;
        for character in characters(text.get(content.clone()).unwrap_or_default()) {
            let start = content.start + character.start;
            if seen == column {
                return Ok(start);
            }
            seen += character.units(encoding);
            if seen > column {
                return Err(PositionError::InsideCharacter { start });
            }
        }
        if seen == column {
            return Ok(content.end);
        }
        Err(PositionError::PastLineEnd { line, column, len: seen })
    }

    /// The content of a line that exists; where `text` is not the indexed text, something empty instead of a panic.
    fn content_or_end(&self, text: &[u8], line: usize) -> Range<usize> {
        self.line_content(text, line).unwrap_or(self.len..self.len)
    }
}

/// A character of a text: a scalar value, or one byte that belongs to none.
struct Character {
    start: usize,
    len: usize,
    utf16: usize,
}

impl Character {
    fn units(&self, encoding: PositionEncoding) -> usize {
        match encoding {
            PositionEncoding::Utf8 => self.len,
            PositionEncoding::Utf16 => self.utf16,
            PositionEncoding::Utf32 => 1,
        }
    }
}

fn characters(text: &[u8]) -> impl Iterator<Item = Character> {
    let mut start = 0;
    let mut character = move |len, utf16| {
        let character = Character { start, len, utf16 };
        start += len;
        character
    };
    text.utf8_chunks()
        .flat_map(|chunk| {
            let valid = chunk.valid().chars().map(|c| (c.len_utf8(), c.len_utf16()));
            valid.chain(chunk.invalid().iter().map(|_| (1, 1)))
        })
        .map(move |(len, utf16)| character(len, utf16))
}

impl fmt::Display for PositionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PositionError::PastEnd { offset, len } => write!(f, "offset {offset} is past the end ({len} bytes)"),
            PositionError::NoSuchLine { line, lines } => write!(f, "line {} of {lines} does not exist", line + 1),
            PositionError::PastLineEnd { line, column, len } => {
                write!(f, "column {} is past the end of line {} (length {len})", column + 1, line + 1)
            }
            PositionError::InsideCharacter { start } => write!(f, "inside the character at byte {start}"),
        }
    }
}

impl std::error::Error for PositionError {}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const ENCODINGS: [PositionEncoding; 3] = [PositionEncoding::Utf8, PositionEncoding::Utf16, PositionEncoding::Utf32];

    #[test]
    fn only_newlines_end_lines() {
        let text = b"a\rb\r\nc\n";
        let index = LineIndex::new(text);
        assert_eq!(index.line_count(), 3);
        assert_eq!(index.line_range(0), Some(0..5));
        assert_eq!(index.line_content(text, 0), Some(0..3));
        assert_eq!(index.line_content(text, 1), Some(5..6));
        assert_eq!(index.line_range(2), Some(7..7));
        assert_eq!(index.line_range(3), None);
        assert_eq!((index.line_of(4), index.line_of(5), index.line_of(7), index.line_of(99)), (0, 1, 2, 2));
    }

    #[test]
    fn the_empty_text_has_one_line() {
        let index = LineIndex::new(b"");
        assert_eq!((index.line_count(), index.line_range(0), index.line_of(0)), (1, Some(0..0), 0));
    }

    #[test]
    fn an_invalid_byte_is_one_column() {
        // A cut-off three-byte sequence is two invalid bytes, although lossy decoding shows one U+FFFD for it.
        let text = b"\xE2\x82x\xFFy\xC3\xA9z";
        let index = LineIndex::new(text);
        let columns: Vec<usize> = (0..=text.len()).map(|offset| index.column_scalar(text, offset)).collect();
        assert_eq!(columns, [0, 1, 2, 3, 4, 5, 5, 6, 7]);
    }

    #[test]
    fn columns_differ_by_encoding() {
        let text = "é𝒳b\r\n".as_bytes();
        let index = LineIndex::new(text);
        let columns = ENCODINGS.map(|encoding| index.position(text, 6, encoding).map(|at| at.column));
        assert_eq!(columns, [Ok(6), Ok(3), Ok(2)]);
        assert_eq!(
            index.offset(text, Position { line: 0, column: 2 }, PositionEncoding::Utf16),
            Err(PositionError::InsideCharacter { start: 2 })
        );
        assert_eq!(index.position(text, 3, PositionEncoding::Utf32), Err(PositionError::InsideCharacter { start: 2 }));
        assert_eq!(index.position(text, 8, PositionEncoding::Utf32), Err(PositionError::InsideCharacter { start: 7 }));
        assert_eq!(
            index.offset(text, Position { line: 0, column: 4 }, PositionEncoding::Utf32),
            Err(PositionError::PastLineEnd { line: 0, column: 4, len: 3 })
        );
    }

    #[test]
    fn another_text_is_no_panic() {
        let index = LineIndex::new(b"one\ntwo\n");
        for offset in 0..12 {
            index.column_scalar(b"x", offset);
            let _ = index.position(b"x", offset, PositionEncoding::Utf16);
            let _ = index.offset(b"", Position { line: 1, column: offset }, PositionEncoding::Utf16);
        }
    }

    fn any_text() -> impl Strategy<Value = Vec<u8>> {
        let piece = prop_oneof![
            Just(b"\n".to_vec()),
            Just(b"\r\n".to_vec()),
            Just(b"\r".to_vec()),
            Just("é".as_bytes().to_vec()),
            Just("𝒳".as_bytes().to_vec()),
            Just(b"\xE2\x82".to_vec()),
            Just(b"ab".to_vec()),
            any::<u8>().prop_map(|byte| vec![byte]),
        ];
        proptest::collection::vec(piece, 0..40).prop_map(|pieces| pieces.concat())
    }

    proptest! {
        #[test]
        fn positions_round_trip(text in any_text()) {
            let index = LineIndex::new(&text);
            for offset in 0..=text.len() {
                for encoding in ENCODINGS {
                    match index.position(&text, offset, encoding) {
                        Ok(position) => prop_assert_eq!(index.offset(&text, position, encoding), Ok(offset)),
                        Err(PositionError::InsideCharacter { start }) => prop_assert!(start < offset),
                        Err(error) => prop_assert!(false, "{}", error),
                    }
                }
            }
        }

        #[test]
        fn lines_cover_the_text(text in any_text()) {
            let index = LineIndex::new(&text);
            let mut end = 0;
            for line in 0..index.line_count() {
                let range = index.line_range(line).unwrap_or(9..9);
                prop_assert_eq!(range.start, end);
                end = range.end;
                for offset in range {
                    prop_assert_eq!(index.line_of(offset), line);
                }
            }
            prop_assert_eq!(end, text.len());
        }
    }
}
