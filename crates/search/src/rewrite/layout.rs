//! Indentation: what a file's unit is, and how a template's own is turned into it.

/// The white space that one level of indentation is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Unit {
    /// A tab.
    Tab,
    /// This many spaces.
    Spaces(usize),
}

/// Lines that are looked at to find a file's unit.
const SAMPLED_LINES: usize = 20_000;

/// What some editors put at the start of a file; it is no part of the first line.
pub(super) const BYTE_ORDER_MARK: &[u8] = b"\xEF\xBB\xBF";

/// Where the lines of a text begin.
pub(super) fn line_starts(text: &[u8]) -> Vec<usize> {
    let first = if text.starts_with(BYTE_ORDER_MARK) { BYTE_ORDER_MARK.len() } else { 0 };
    std::iter::once(first).chain(memchr::memchr_iter(b'\n', text).map(|newline| newline + 1)).collect()
}

/// Where the line that holds `offset` begins; a byte order mark is no part of it.
pub(super) fn line_start(text: &[u8], offset: usize) -> usize {
    match memchr::memrchr(b'\n', &text[..offset.min(text.len())]) {
        Some(newline) => newline + 1,
        None if text.starts_with(BYTE_ORDER_MARK) && offset >= BYTE_ORDER_MARK.len() => BYTE_ORDER_MARK.len(),
        None => 0,
    }
}

/// How many spaces and tabs a text begins with.
pub(super) fn blanks(text: &[u8]) -> usize {
    text.iter().take_while(|byte| matches!(byte, b' ' | b'\t')).count()
}

/// How many bytes of white space a text begins with, line breaks included.
pub(super) fn white(text: &[u8]) -> usize {
    text.iter().take_while(|byte| byte.is_ascii_whitespace()).count()
}

/// How many bytes of white space a text ends with.
pub(super) fn white_end(text: &[u8]) -> usize {
    text.iter().rev().take_while(|byte| byte.is_ascii_whitespace()).count()
}

/// The unit of a file: the most common step inwards from one line to the next.
pub(super) fn file_unit(text: &[u8]) -> Option<Unit> {
    let mut steps = [0_usize; 17];
    let mut tabs = 0_usize;
    let mut last: &[u8] = b"";
    for line in text.split(|byte| *byte == b'\n').take(SAMPLED_LINES) {
        let indent = &line[..blanks(line)];
        if line[indent.len()..].trim_ascii().is_empty() {
            continue;
        }
        if let Some(step) = indent.strip_prefix(last) {
            match step {
                [] => {}
                [b'\t'] => tabs += 1,
                // One blank is what aligns the stars of a comment.
                [_, _, ..] if step.iter().all(|byte| *byte == b' ') && step.len() < steps.len() => {
                    steps[step.len()] += 1;
                }
                _ => {}
            }
        }
        last = indent;
    }
    let mut best: Option<(usize, usize)> = None;
    for (width, count) in steps.iter().enumerate() {
        if *count > best.map_or(0, |(_, count)| count) {
            best = Some((width, *count));
        }
    }
    match best {
        Some((_, count)) if tabs >= count => Some(Unit::Tab),
        Some((width, _)) => Some(Unit::Spaces(width)),
        None if tabs > 0 => Some(Unit::Tab),
        None => None,
    }
}

/// The unit of a template: its smallest step inwards.
pub(super) fn template_unit<'a>(indents: impl Iterator<Item = &'a str>) -> Option<Unit> {
    let mut smallest: Option<usize> = None;
    let mut last = 0;
    for indent in indents {
        if indent.contains('\t') {
            return Some(Unit::Tab);
        }
        if let Some(step) = indent.len().checked_sub(last)
            && step > 0
        {
            smallest = Some(smallest.map_or(step, |known| known.min(step)));
        }
        last = indent.len();
    }
    smallest.map(Unit::Spaces)
}

/// Writes an indentation of the template with the unit of the file.
pub(super) fn convert(indent: &str, from: Option<Unit>, to: Option<Unit>) -> Vec<u8> {
    let (Some(from), Some(to)) = (from, to) else { return indent.as_bytes().to_vec() };
    let (depth, rest) = match from {
        Unit::Tab => {
            let tabs = indent.bytes().filter(|byte| *byte == b'\t').count();
            (tabs, indent.len() - tabs)
        }
        Unit::Spaces(width) => (indent.len() / width, indent.len() % width),
    };
    let mut converted = match to {
        Unit::Tab => vec![b'\t'; depth],
        Unit::Spaces(width) => vec![b' '; depth * width],
    };
    converted.extend(std::iter::repeat_n(b' ', rest));
    converted
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_the_unit_of_a_file() {
        assert_eq!(file_unit(b"a\n    b\n        c\n    d\n"), Some(Unit::Spaces(4)));
        assert_eq!(file_unit(b"a\n  b\n    c\n  d\ne\n        f\n"), Some(Unit::Spaces(2)));
        assert_eq!(file_unit(b"a\n\tb\n\t\tc\n"), Some(Unit::Tab));
        assert_eq!(file_unit(b"/*\n * a\n */\na\n"), None);
    }

    #[test]
    fn turns_one_unit_into_another() {
        let four = Some(Unit::Spaces(4));
        assert_eq!(convert("  ", Some(Unit::Spaces(2)), four), b"    ");
        assert_eq!(convert("   ", Some(Unit::Spaces(2)), four), b"     ");
        assert_eq!(convert("\t\t", Some(Unit::Tab), four), b"        ");
        assert_eq!(convert("    ", Some(Unit::Spaces(2)), Some(Unit::Tab)), b"\t\t");
        assert_eq!(convert("  ", Some(Unit::Spaces(2)), None), b"  ");
    }

    #[test]
    fn finds_the_unit_of_a_template() {
        assert_eq!(template_unit(["", "  ", "    ", "  "].into_iter()), Some(Unit::Spaces(2)));
        assert_eq!(template_unit(["", "\t"].into_iter()), Some(Unit::Tab));
        assert_eq!(template_unit(["", ""].into_iter()), None);
    }
}
