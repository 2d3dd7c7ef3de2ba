//! What can be wrong with bytes that should be frames.

use std::fmt;

/// How much of what was found an error shows.
const EXCERPT: usize = 200;

/// Why there are no more frames. It is final: the decoder that said so says it again.
///
/// Excerpts are printable and at most a line long: see [`Error::excerpt`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Error {
    /// A line is a `Content-Length` header, but what it says is no number of bytes.
    BadLength {
        /// The line.
        found: String,
    },
    /// Two `Content-Length` headers of one frame differ.
    TwoLengths {
        /// What the first said, in bytes.
        first: usize,
        /// What the second said, in bytes.
        second: usize,
    },
    /// A frame would be larger than the limit.
    TooLarge {
        /// The length that was announced, as it was written.
        found: String,
        /// The largest body that would do, in bytes.
        limit: usize,
    },
    /// No whole header within the limit.
    NoHeader {
        /// How what came instead begins.
        found: String,
        /// The most bytes that may stand between two bodies.
        limit: usize,
    },
    /// The bytes ended inside a header.
    EndInHeader {
        /// The header's last line so far; empty when it ended behind a whole line.
        found: String,
    },
    /// The bytes ended inside a body.
    EndInBody {
        /// How many bytes of the body came.
        got: usize,
        /// How many were announced.
        length: usize,
    },
}

impl Error {
    /// The first 200 bytes of `bytes` as one printable line: control characters are escaped, and what is not UTF-8
    /// is replaced. The sign `…` stands for what was cut off.
    pub fn excerpt(bytes: &[u8]) -> String {
        let mut text = String::new();
        for character in String::from_utf8_lossy(&bytes[..bytes.len().min(EXCERPT)]).chars() {
            // Characters that turn the direction of writing could show a line as something that it is not.
            let turns =
                matches!(character, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
            if character.is_control() || turns {
                text.extend(character.escape_default());
            } else {
                text.push(character);
            }
        }
        if bytes.len() > EXCERPT {
            text.push('…');
        }
        text
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::BadLength { found } => {
                write!(f, "the header `{found}` gives no length; `Content-Length: N` with N in decimal digits would do")
            }
            Error::TwoLengths { first, second } => write!(
                f,
                "one frame has two lengths, `{first}` and `{second}`; one `Content-Length` header a frame would do"
            ),
            Error::TooLarge { found, limit } => {
                write!(f, "a frame of `{found}` bytes was announced; at most {limit} would do")
            }
            Error::NoHeader { found, limit } => write!(
                f,
                "no `Content-Length` header within {limit} bytes, but `{found}`; only frames belong on this stream"
            ),
            Error::EndInHeader { found } if found.is_empty() => {
                f.write_str("the stream ended in a header; a blank line and the body should have followed")
            }
            Error::EndInHeader { found } => {
                write!(f, "the stream ended in a header, after `{found}`; the rest and the body should have followed")
            }
            Error::EndInBody { got, length } => {
                write!(f, "the stream ended after `{got}` of a body's {length} bytes; the rest should have followed")
            }
        }
    }
}

impl std::error::Error for Error {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn excerpts_are_short_and_printable() {
        assert_eq!(Error::excerpt("a\r\n\u{1b}[1mé\u{202e}".as_bytes()), "a\\r\\n\\u{1b}[1mé\\u{202e}");
        assert_eq!(Error::excerpt(b"\xff"), "\u{fffd}");
        assert_eq!(Error::excerpt(&[b'x'; 200]), "x".repeat(200));
        assert_eq!(Error::excerpt(&[b'x'; 201]), "x".repeat(200) + "…");
    }
}
