//! From a symbol, a file and a line to places to ask about.

use std::ops::Range;

use vise_syntax::{Language, parse_once, visit};
use vise_text::LineIndex;

/// The part of a qualified name that stands in the text where it is used.
pub(crate) fn last_segment(symbol: &str) -> &str {
    let symbol = symbol.trim().trim_end_matches("()").trim_end_matches('!');
    symbol.rsplit(['.', ':', '#', '/']).find(|part| !part.is_empty()).unwrap_or(symbol)
}

/// What a word stands in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Within {
    Code,
    String,
    Comment,
}

/// Where `name` stands in the text as a whole word, best guess first: in code before in strings before in comments, and
/// there the nearest to `line` (from 1) first. Nothing says which one was meant, so they are tried in order.
pub(crate) fn occurrences(text: &[u8], language: Option<&Language>, name: &str, line: Option<usize>) -> Vec<usize> {
    let found = words(text, name.as_bytes());
    if found.is_empty() {
        return found;
    }
    let regions = language.map(|language| regions(text, language)).unwrap_or_default();
    let index = LineIndex::new(text);
    let mut ranked: Vec<(Within, usize, usize)> = found
        .into_iter()
        .map(|at| {
            let within = regions.iter().rev().find(|(range, _)| range.contains(&at));
            let distance = line.map_or(0, |line| (index.line_of(at) + 1).abs_diff(line));
            (within.map_or(Within::Code, |(_, within)| *within), distance, at)
        })
        .collect();
    ranked.sort_unstable();
    ranked.into_iter().map(|(_, _, at)| at).collect()
}

/// Whether a byte may be part of a word: of a name, that is, in any language. Bytes of other alphabets count.
fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$') || byte >= 0x80
}

/// The offsets of whole words.
pub(crate) fn words(text: &[u8], name: &[u8]) -> Vec<usize> {
    let Some(first) = name.first() else { return Vec::new() };
    let mut found = Vec::new();
    let mut from = 0;
    while let Some(at) = text.get(from..).and_then(|rest| rest.iter().position(|byte| byte == first)) {
        let at = from + at;
        let end = at + name.len();
        let before = at.checked_sub(1).map(|before| text[before]);
        let apart = |byte: Option<u8>, edge: u8| !byte.is_some_and(|byte| is_word(byte) && is_word(edge));
        if text.get(at..end) == Some(name)
            && apart(before, *first)
            && apart(text.get(end).copied(), name[name.len() - 1])
        {
            found.push(at);
        }
        from = at + 1;
    }
    found
}

/// The strings and comments of a text, in order; code inside of a string (an interpolation) comes after it.
fn regions(text: &[u8], language: &Language) -> Vec<(Range<usize>, Within)> {
    let mut regions = Vec::new();
    // A text that takes too long to parse has no regions, and everything in it counts as code.
    let _ = parse_once(language, text, |document| {
        visit(document.root(), |node| {
            let kind = node.kind_id();
            if language.comments.contains(kind) {
                regions.push((node.range(), Within::Comment));
                return false;
            }
            if language.strings.contains(kind) {
                regions.push((node.range(), Within::String));
                return true;
            }
            let name = node.kind();
            if node.is_named() && (name.contains("interpolation") || name.contains("substitution")) {
                regions.push((node.range(), Within::Code));
            }
            true
        });
    });
    regions
}

#[cfg(test)]
mod tests {
    use super::*;
    use vise_syntax::Registry;

    #[test]
    fn the_last_segment_is_what_stands_in_the_text() {
        for (symbol, last) in
            [("a::b::C", "C"), ("A.b", "b"), ("A#b", "b"), ("pkg/T.m()", "m"), ("plain", "plain"), ("r::#x", "x")]
        {
            assert_eq!(last_segment(symbol), last);
        }
    }

    #[test]
    fn whole_words_alone() {
        assert_eq!(words(b"ab abc a ab_ ab$ xab ab", b"ab"), [0, 21]);
        assert_eq!(words("éab ab".as_bytes(), b"ab"), [5]);
        assert_eq!(words(b"$x #x x", b"$x"), [0]);
        assert_eq!(words(b"a", b""), [0usize; 0]);
    }

    #[test]
    fn code_comes_before_strings_and_comments_and_near_before_far() {
        let text = b"# greet\ndef greet(): pass\nx = 'greet'\ngreet()\ny = f'{greet}'\n";
        let registry = Registry::embedded().unwrap();
        let language = registry.by_name("python").unwrap();
        let lines = |line| {
            let index = LineIndex::new(text);
            let found = occurrences(text, Some(language), "greet", line);
            found.into_iter().map(|at| index.line_of(at) + 1).collect::<Vec<_>>()
        };
        assert_eq!(lines(Some(3)), [2, 4, 5, 3, 1]);
        assert_eq!(lines(Some(5)), [5, 4, 2, 3, 1]);
        assert_eq!(lines(None), [2, 4, 5, 3, 1]);
        let plain = occurrences(text, None, "greet", Some(1));
        assert_eq!(plain.len(), 5);
    }
}
