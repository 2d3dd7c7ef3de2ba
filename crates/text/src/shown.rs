//! Text made fit for a reader: decoded, and unable to command a terminal.

use std::fmt::Write as _;

/// `text` as a string in which every byte that is no valid UTF-8 is one U+FFFD. (The standard library's lossy decoding
/// may show several bytes as one, and then columns would not count what is seen.)
pub fn lossy(text: &[u8]) -> String {
    let mut out = String::with_capacity(text.len());
    for chunk in text.utf8_chunks() {
        out.push_str(chunk.valid());
        out.extend(chunk.invalid().iter().map(|_| char::REPLACEMENT_CHARACTER));
    }
    out
}

/// `text` as a string that a terminal shows as it is: tab and `\n` stay, other control characters and those that
/// reorder or hide text are written as `\u{…}`, and `\r` before `\n` is left to stand as it changes nothing.
pub fn shown(text: &[u8]) -> String {
    let decoded = lossy(text);
    if !decoded.chars().any(commands) {
        return decoded;
    }
    let mut out = String::with_capacity(decoded.len() + 16);
    let mut rest = decoded.chars().peekable();
    while let Some(c) = rest.next() {
        let ends_line = c == '\r' && rest.peek() == Some(&'\n');
        if commands(c) && !ends_line {
            // Writing to a string cannot fail.
            let _ = write!(out, "\\u{{{:x}}}", u32::from(c));
        } else {
            out.push(c);
        }
    }
    out
}

/// Whether a character can move the cursor, change colours, or make text look like other text.
fn commands(c: char) -> bool {
    match c {
        '\t' | '\n' => false,
        // Bidirectional controls and isolates, and the marks that go with them.
        '\u{061c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => true,
        // Line and paragraph separators, which some terminals take for line ends.
        '\u{2028}' | '\u{2029}' => true,
        // Tag characters are invisible and carry hidden text.
        '\u{e0000}'..='\u{e007f}' => true,
        c => c.is_control(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_text_is_untouched() {
        assert_eq!(shown("a\tb é\n\r\n".as_bytes()), "a\tb é\n\r\n");
    }

    #[test]
    fn commands_are_escaped() {
        assert_eq!(shown(b"\x1b[31mred\x07\r"), "\\u{1b}[31mred\\u{7}\\u{d}");
        assert_eq!(shown("\u{9b}31m \u{202e}x\u{2069} \u{7f}".as_bytes()), "\\u{9b}31m \\u{202e}x\\u{2069} \\u{7f}");
    }

    #[test]
    fn every_invalid_byte_is_seen() {
        assert_eq!(shown(b"a\xE2\x82b"), "a\u{fffd}\u{fffd}b");
    }
}
