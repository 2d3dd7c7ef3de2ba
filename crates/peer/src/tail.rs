//! The end of what a child wrote to standard error.

use std::collections::VecDeque;

/// The last bytes of a stream, and how many there were.
#[derive(Debug)]
pub(crate) struct Tail {
    bytes: VecDeque<u8>,
    limit: usize,
    lines: usize,
    total: u64,
}

/// What is left of a child's standard error.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StderrTail {
    /// The last lines. What is not UTF-8 is replaced, and control characters are as the child wrote them.
    pub text: String,
    /// How many bytes the child wrote in all.
    pub total: u64,
}

impl Tail {
    /// A tail of at most `limit` bytes and `lines` lines.
    pub(crate) fn new(limit: usize, lines: usize) -> Tail {
        Tail { bytes: VecDeque::new(), limit, lines, total: 0 }
    }

    pub(crate) fn push(&mut self, chunk: &[u8]) {
        self.total += chunk.len() as u64;
        let chunk = &chunk[chunk.len().saturating_sub(self.limit)..];
        let excess = (self.bytes.len() + chunk.len()).saturating_sub(self.limit);
        self.bytes.drain(..excess);
        self.bytes.extend(chunk);
    }

    pub(crate) fn read(&self) -> StderrTail {
        let mut bytes: Vec<u8> = self.bytes.iter().copied().collect();
        if self.total > bytes.len() as u64 {
            // The cut may be inside a character: its bytes that continue it would be shown as something that is not there.
            let inside = bytes.iter().take(3).take_while(|byte| **byte & 0xc0 == 0x80).count();
            bytes.drain(..inside);
        }
        let text = String::from_utf8_lossy(&bytes);
        let ends = text.strip_suffix('\n').unwrap_or(&text).rmatch_indices('\n');
        let start = ends.map(|(at, _)| at + 1).nth(self.lines.saturating_sub(1)).unwrap_or(0);
        StderrTail { text: text[start..].to_string(), total: self.total }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(limit: usize, lines: usize, chunks: &[&[u8]]) -> (String, u64) {
        let mut tail = Tail::new(limit, lines);
        for chunk in chunks {
            tail.push(chunk);
            assert!(tail.bytes.len() <= limit);
        }
        let read = tail.read();
        (read.text, read.total)
    }

    #[test]
    fn the_last_bytes_stay() {
        assert_eq!(read(4, 9, &[b"ab", b"cd"]), ("abcd".into(), 4));
        assert_eq!(read(4, 9, &[b"ab", b"cd", b"e"]), ("bcde".into(), 5));
        assert_eq!(read(4, 9, &[b"abcdefgh"]), ("efgh".into(), 8));
        assert_eq!(read(4, 9, &[]), (String::new(), 0));
    }

    #[test]
    fn the_last_lines_stay() {
        assert_eq!(read(99, 2, &[b"a\nb\nc\n"]), ("b\nc\n".into(), 6));
        assert_eq!(read(99, 2, &[b"a\nb\nc"]), ("b\nc".into(), 5));
        assert_eq!(read(99, 3, &[b"a\nb\nc"]), ("a\nb\nc".into(), 5));
    }

    #[test]
    fn cut_characters_and_other_bytes_do_no_harm() {
        assert_eq!(read(3, 9, &["aé!é".as_bytes()]), ("!é".into(), 6));
        assert_eq!(read(2, 9, &["é".as_bytes(), b"!"]), ("!".into(), 3));
        assert_eq!(read(9, 9, &[b"\xffa"]), ("\u{fffd}a".into(), 2));
    }
}
