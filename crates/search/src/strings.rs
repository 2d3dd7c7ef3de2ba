//! Plain strings: the text between the quotes, whatever the quotes.

use std::ops::Range;

use vise_syntax::Node;

/// A string's text, taken apart.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct PlainString<'t> {
    /// Letters and signs in front of the quote (`r`, `f`, `b`, `@`); they have a meaning.
    pub prefix: &'t [u8],
    /// The raw text between the quotes, as a range of the whole string.
    pub content: Range<usize>,
}

/// Takes apart the text of a string; `None` when it is not of the form prefix, quote, content, quote.
///
/// The quotes may be `'`, `"` or a backtick, one or three, and may stand in `#`s, as in Rust and Swift.
pub(crate) fn split(text: &[u8]) -> Option<PlainString<'_>> {
    let is_quote = |byte: &u8| matches!(byte, b'"' | b'\'' | b'`');
    let open = text.iter().position(is_quote)?;
    let prefix_end = text[..open].iter().rposition(|byte| *byte != b'#').map_or(0, |last| last + 1);
    let (prefix, hashes) = (&text[..prefix_end], open - prefix_end);
    if !prefix.iter().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'@' | b'$' | b'_')) {
        return None;
    }
    let quote = text[open];
    let end = text.len().checked_sub(hashes)?;
    if !text[end..].iter().all(|byte| *byte == b'#') {
        return None;
    }
    let three = |part: &[u8]| part.len() >= 3 && part.iter().all(|byte| *byte == quote);
    let width = if end >= open + 6 && three(&text[open..open + 3]) && three(&text[end - 3..end]) { 3 } else { 1 };
    if end < open + 2 * width || text[end - 1] != quote {
        return None;
    }
    Some(PlainString { prefix, content: open + width..end - width })
}

/// Whether a token of a string is one of its ends: a prefix and quotes.
pub(crate) fn is_quote(text: &[u8]) -> bool {
    text.last().is_some_and(|byte| matches!(byte, b'"' | b'\'' | b'`')) && without_quotes(text).len() <= 3
}

/// The prefix of a string's first token.
pub(crate) fn without_quotes(text: &[u8]) -> &[u8] {
    let end = text.iter().rposition(|byte| !matches!(byte, b'"' | b'\'' | b'`')).map_or(0, |last| last + 1);
    &text[..end]
}

/// Whether a string node has no interpolation: nothing with parts of its own stands in it.
pub(crate) fn is_plain(node: Node<'_>) -> bool {
    node.children().iter().all(|(child, _)| !child.is_named() || child.child_count() == 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parts(text: &str) -> Option<(&str, &str)> {
        let string = split(text.as_bytes())?;
        Some((std::str::from_utf8(string.prefix).unwrap(), &text[string.content]))
    }

    #[test]
    fn takes_strings_apart() {
        assert_eq!(parts(r#""a""#), Some(("", "a")));
        assert_eq!(parts("''"), Some(("", "")));
        assert_eq!(parts(r#"rb'\d'"#), Some(("rb", r"\d")));
        assert_eq!(parts(r##"r#"a"b"#"##), Some(("r", r#"a"b"#)));
        assert_eq!(parts(r#""""a"b""""#), Some(("", r#"a"b"#)));
        assert_eq!(parts(r#""""#), Some(("", "")));
        assert_eq!(parts("abc"), None);
        assert_eq!(parts(r#"""#), None);
    }
}
