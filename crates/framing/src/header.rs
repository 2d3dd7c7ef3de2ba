//! What one line between two bodies is.

const NAME: &[u8] = b"content-length";

/// A line, judged by itself. Its line feed is not part of it.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Line<'l> {
    /// Nothing, or only the carriage return before the line feed.
    Blank,
    /// A `Content-Length` header.
    Length {
        /// Its digits.
        digits: &'l [u8],
        /// What stands before it on the same line: a program printed it and did not end its line.
        junk: &'l [u8],
    },
    /// A `Content-Length` header whose value is no number.
    Bad,
    /// Anything else: another header or junk, which is decided by whether the length was already seen.
    Other,
}

/// What `line` is.
///
/// The header may stand behind something else on its line, since programs print without ending the line. Where the
/// name stands more than once, the last place counts: the first may be the beginning of a line that was never finished.
pub(crate) fn classify(line: &[u8]) -> Line<'_> {
    let line = trim_return(line);
    if line.is_empty() {
        return Line::Blank;
    }
    if let Some(start) = (0..line.len()).rev().find(|&start| starts_with_name(&line[start..])) {
        let rest = line[start + NAME.len()..].trim_ascii_start();
        if let Some((b':', value)) = rest.split_first() {
            let digits = value.trim_ascii();
            if !digits.is_empty() && digits.iter().all(u8::is_ascii_digit) {
                return Line::Length { digits, junk: line[..start].trim_ascii() };
            }
            if line[..start].trim_ascii().is_empty() {
                return Line::Bad;
            }
        }
    }
    Line::Other
}

/// Whether a stream that ends in this unfinished line ends in a header, and not in junk.
pub(crate) fn may_become_length(line: &[u8]) -> bool {
    let line = trim_return(line).trim_ascii_start();
    let common = line.len().min(NAME.len());
    common > 0 && line[..common].eq_ignore_ascii_case(&NAME[..common])
}

fn starts_with_name(bytes: &[u8]) -> bool {
    bytes.get(..NAME.len()).is_some_and(|start| start.eq_ignore_ascii_case(NAME))
}

fn trim_return(line: &[u8]) -> &[u8] {
    line.strip_suffix(b"\r").unwrap_or(line)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn length<'l>(digits: &'l str, junk: &'l str) -> Line<'l> {
        Line::Length { digits: digits.as_bytes(), junk: junk.as_bytes() }
    }

    #[test]
    fn lengths_in_every_spelling() {
        for line in ["Content-Length: 12", "content-length:12", "CONTENT-LENGTH : 12 ", "  Content-Length:\t12\r"] {
            assert_eq!(classify(line.as_bytes()), length("12", ""), "{line:?}");
        }
        assert_eq!(classify(b"Content-Length: 007"), length("007", ""));
    }

    #[test]
    fn junk_before_the_length_on_its_line() {
        assert_eq!(classify(b"loading... Content-Length: 3\r"), length("3", "loading..."));
        assert_eq!(classify(b"Content-LenContent-Length: 3"), length("3", "Content-Len"));
        assert_eq!(classify(b"Content-Length: Content-Length: 3"), length("3", "Content-Length:"));
    }

    #[test]
    fn values_that_are_no_length() {
        for line in ["Content-Length:", "content-length: -1", "Content-Length: 1, 1", "Content-Length: 0x10"] {
            assert_eq!(classify(line.as_bytes()), Line::Bad, "{line:?}");
        }
    }

    #[test]
    fn lines_about_lengths_are_no_headers() {
        for line in ["Content-Length", "no Content-Length: here", "Content-Type: x", "Content-Lengths: 3", "\u{e9}"] {
            assert_eq!(classify(line.as_bytes()), Line::Other, "{line:?}");
        }
        assert_eq!(classify(b""), Line::Blank);
        assert_eq!(classify(b"\r"), Line::Blank);
        assert_eq!(classify(b" "), Line::Other);
    }

    #[test]
    fn unfinished_lines() {
        assert!(may_become_length(b"Con") && may_become_length(b"content-length: 1"));
        assert!(!may_become_length(b"") && !may_become_length(b"\r") && !may_become_length(b"Contents"));
    }
}
