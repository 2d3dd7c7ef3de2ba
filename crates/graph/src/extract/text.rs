//! Texts as facts hold them: names without quotes, headers on one line.

use crate::rules::Part;

/// The text of a text part: without quotes, and a symbol (`:name`) without its colon.
pub(super) fn plain(text: &[u8], part: Part) -> &[u8] {
    if matches!(part, Part::Modifiers) {
        return text;
    }
    if let [b':', rest @ ..] = text
        && part != Part::Source
        && rest.first() != Some(&b':')
    {
        return plain(rest, part);
    }
    if let ([b'<', inside @ .., b'>'], Part::Source) = (text, part) {
        return inside;
    }
    let Some(quote) = text.last().copied().filter(|quote| b"\"'`".contains(quote)) else {
        return match (text, part) {
            ([name @ .., b':'], Part::Name | Part::Key) if !name.ends_with(b":") => name,
            _ => text,
        };
    };
    // Letters before a string say how it is to be read.
    let Some(first) = text.iter().position(|byte| !byte.is_ascii_alphabetic()) else { return text };
    let mut inside = &text[first..];
    if inside.len() < 2 || inside[0] != quote {
        return text;
    }
    let triple = [quote; 3];
    let width = if inside.len() >= 6 && inside.starts_with(&triple) && inside.ends_with(&triple) { 3 } else { 1 };
    inside = &inside[width..inside.len() - width];
    inside
}

/// A path in source text without white space and comments at line ends.
pub(super) fn compact(text: &[u8]) -> Vec<u8> {
    text.iter().copied().filter(|byte| !byte.is_ascii_whitespace()).collect()
}

/// The longest header.
const HEADER: usize = 160;

/// A header on one line, white space as single spaces, at most 160 characters.
pub(super) fn header(text: &[u8], has_body: bool) -> String {
    let mut line = String::with_capacity(text.len().min(HEADER + 4));
    let mut length = 0;
    // More bytes than the longest header can have are not even looked at.
    let text = &text[..text.len().min(16 * HEADER)];
    for word in String::from_utf8_lossy(text).split_whitespace() {
        if length >= HEADER - 1 {
            line.push('…');
            return line;
        }
        if length > 0 {
            line.push(' ');
            length += 1;
        }
        for sign in word.chars() {
            if length >= HEADER - 1 {
                line.push('…');
                return line;
            }
            line.push(sign);
            length += 1;
        }
    }
    if has_body {
        let kept = line.trim_end_matches(['{', ':', '=', '>', ' ']).len();
        // `=>` goes, but not the end of `Vec<T>`.
        let kept = if line[kept..].contains('>') && !line[kept..].contains("=>") {
            kept + line[kept..].rfind('>').map_or(0, |at| at + 1)
        } else {
            kept
        };
        line.truncate(kept);
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_parts_lose_their_quotes() {
        for (text, part, expected) in [
            ("\"a\"", Part::Source, "a"),
            ("'a'", Part::Key, "a"),
            ("`a b`", Part::Name, "a b"),
            ("r\"a\"", Part::Source, "a"),
            ("\"\"\"a\"\"\"", Part::Key, "a"),
            ("<stdio.h>", Part::Source, "stdio.h"),
            (":name", Part::Name, "name"),
            ("name:", Part::Key, "name"),
            ("::a", Part::Source, "::a"),
            ("x'", Part::Name, "x'"),
            ("\"", Part::Name, "\""),
            ("", Part::Name, ""),
        ] {
            assert_eq!(plain(text.as_bytes(), part), expected.as_bytes(), "{text}");
        }
    }

    #[test]
    fn headers_are_one_short_line() {
        assert_eq!(header(b"def f(\n    a,\n    b\n):\n    ", true), "def f( a, b )");
        assert_eq!(header(b"fn f() -> Vec<T> {", true), "fn f() -> Vec<T>");
        assert_eq!(header(b"const f = (x) => {", true), "const f = (x)");
        assert_eq!(header("x = ".repeat(100).as_bytes(), false).chars().count(), 160);
    }
}
