//! Line ends: which one a place uses, and text rewritten to use it.

/// How a line ends. A lone `\r` ends no line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum LineEnding {
    /// `\n`
    Lf,
    /// `\r\n`
    CrLf,
}

impl LineEnding {
    /// Its bytes.
    pub fn as_bytes(self) -> &'static [u8] {
        match self {
            LineEnding::Lf => b"\n",
            LineEnding::CrLf => b"\r\n",
        }
    }
}

/// The line end that most lines of `text` have; none where no line ends. The first line's decides a draw.
pub fn dominant_line_ending(text: &[u8]) -> Option<LineEnding> {
    let mut first = None;
    let (mut lf, mut crlf) = (0usize, 0usize);
    for at in memchr::memchr_iter(b'\n', text) {
        let ending = ending_of(text, at);
        first.get_or_insert(ending);
        match ending {
            LineEnding::Lf => lf += 1,
            LineEnding::CrLf => crlf += 1,
        }
    }
    match lf.cmp(&crlf) {
        std::cmp::Ordering::Less => Some(LineEnding::CrLf),
        std::cmp::Ordering::Equal => first,
        std::cmp::Ordering::Greater => Some(LineEnding::Lf),
    }
}

/// The line end to use for text inserted at `offset`: that of the line there; in a last line without one, the dominant
/// one; `\n` where no line ends at all.
pub fn line_ending_at(text: &[u8], offset: usize) -> LineEnding {
    let offset = offset.min(text.len());
    if let Some(after) = memchr::memchr(b'\n', &text[offset..]) {
        return ending_of(text, offset + after);
    }
    dominant_line_ending(text).unwrap_or(LineEnding::Lf)
}

/// `text` with every line end turned into `ending`. A lone `\r` stays.
pub fn with_line_ending(text: &[u8], ending: LineEnding) -> Vec<u8> {
    let mut new = Vec::with_capacity(text.len());
    for (at, line) in text.split(|byte| *byte == b'\n').enumerate() {
        if at > 0 {
            if new.last() == Some(&b'\r') {
                new.pop();
            }
            new.extend_from_slice(ending.as_bytes());
        }
        new.extend_from_slice(line);
    }
    new
}

/// The ending whose `\n` is at `newline`.
fn ending_of(text: &[u8], newline: usize) -> LineEnding {
    if newline > 0 && text[newline - 1] == b'\r' { LineEnding::CrLf } else { LineEnding::Lf }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_majority_dominates() {
        assert_eq!(dominant_line_ending(b"a"), None);
        assert_eq!(dominant_line_ending(b"a\rb"), None);
        assert_eq!(dominant_line_ending(b"a\r\nb\nc\r\n"), Some(LineEnding::CrLf));
        assert_eq!(dominant_line_ending(b"a\nb\r\n"), Some(LineEnding::Lf));
    }

    #[test]
    fn the_local_line_decides() {
        let text = b"a\r\nb\nc";
        let at = |offset| line_ending_at(text, offset);
        assert_eq!(
            [at(0), at(1), at(2), at(3), at(5), at(99)].map(|e| e == LineEnding::CrLf),
            [true, true, true, false, true, true]
        );
        assert_eq!(line_ending_at(b"", 0), LineEnding::Lf);
    }

    #[test]
    fn line_ends_are_turned() {
        assert_eq!(with_line_ending(b"a\nb\r\nc\rd\n", LineEnding::CrLf), b"a\r\nb\r\nc\rd\r\n");
        assert_eq!(with_line_ending(b"a\nb\r\nc\rd\r\n", LineEnding::Lf), b"a\nb\nc\rd\n");
        assert_eq!(with_line_ending(b"", LineEnding::CrLf), b"");
        assert_eq!(with_line_ending(b"\n", LineEnding::CrLf), b"\r\n");
    }
}
