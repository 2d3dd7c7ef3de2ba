//! Places to stop at, as they are written: `FILE:LINE [text "T"] [hit N] [if COND]` or `SYMBOL [hit N] [if COND]`.

use std::sync::LazyLock;

use regex::Regex;

use crate::error::Error;
use crate::expr::{self, Refusal};

/// A place as it is written; a file is not looked for yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Written {
    /// Where.
    pub place: Place,
    /// What stands on the line.
    pub text: Option<String>,
    /// Stop at this hit.
    pub hit: Option<u64>,
    /// Stop only where this holds.
    pub condition: Option<String>,
}

/// Where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Place {
    /// A line of a file.
    Line(String, usize),
    /// A symbol.
    Symbol(String),
}

#[expect(clippy::unwrap_used, reason = "the pattern is a constant, and a test compiles it")]
static FORM: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r#"(?s)^\s*(.+?)(?:\s+text\s+"((?:[^"\\]|\\.)*)")?(?:\s+hit\s+(\S+))?(?:\s+if\s+(.+?))?\s*$"#).unwrap()
});

/// A line of a file, as it is written.
///
/// # Errors
/// When it is none.
pub fn place(text: &str) -> Result<(String, usize), Error> {
    match text.rsplit_once(':') {
        Some((file, line)) if !file.is_empty() && line.parse::<usize>().is_ok_and(|line| line > 0) => {
            Ok((file.to_owned(), line.parse().unwrap_or(1)))
        }
        _ => Err(Error::bad_input(format!("`{text}` is no place; `FILE:LINE` with a line from 1 would do"))),
    }
}

/// Reads a place to stop at.
///
/// # Errors
/// When it is none, and when its condition cannot be read or may have effects.
pub fn read(text: &str) -> Result<Written, Error> {
    let form = "`FILE:LINE [text \"T\"] [hit N] [if COND]` or `SYMBOL [hit N] [if COND]` would do";
    let bad = |what: &str| Error::bad_input(format!("`{text}` is no breakpoint: {what}")).hint(form);
    let parts = Some(text.trim())
        .filter(|text| !text.is_empty())
        .and_then(|text| FORM.captures(text))
        .ok_or_else(|| bad("it is empty"))?;
    let hit = match parts.get(3).map(|hit| hit.as_str()) {
        None => None,
        Some(hit) => Some(
            hit.parse().ok().filter(|hit| *hit > 0).ok_or_else(|| bad(&format!("`hit {hit}` is no number from 1")))?,
        ),
    };
    let condition = parts.get(4).map(|condition| condition.as_str().trim().to_owned());
    match condition.as_deref().map(expr::check) {
        Some(Err(Refusal::Syntax(at))) => return Err(bad(&format!("its condition cannot be read at `{at}`"))),
        Some(Err(Refusal::Effects(what))) => {
            return Err(bad(&format!("its condition may change the program: `{what}`")));
        }
        Some(Ok(())) | None => {}
    }
    let (at, expected) = (parts.get(1).map_or("", |at| at.as_str()), parts.get(2));
    let last = at.rsplit_once(':').map(|(before, last)| (before.ends_with(':'), last));
    let place = match last {
        // `a::b` is a symbol; `a:b` is neither.
        Some((false, number)) if number.is_empty() || number.starts_with(|c: char| c.is_ascii_digit() || c == '-') => {
            let (file, line) = place(at).map_err(|_| bad(&format!("`{number}` is no line from 1")))?;
            Place::Line(file, line)
        }
        _ if at.split_whitespace().count() > 1 => return Err(bad("there are words too many")),
        _ if expected.is_some() => return Err(bad("`text` belongs to a line of a file")),
        _ => Place::Symbol(at.to_owned()),
    };
    let expected = expected.map(|text| text.as_str().replace("\\\"", "\"").replace("\\\\", "\\"));
    Ok(Written { place, text: expected, hit, condition })
}

/// The line that is meant: the one that was asked for where the expected text is on it, else the nearest with it.
///
/// # Errors
/// When no line has it, or there is no such line.
pub fn line_with(source: &str, line: usize, expected: Option<&str>, shown: &str) -> Result<usize, Error> {
    let lines: Vec<&str> = source.lines().collect();
    let Some(expected) = expected else {
        if line > lines.len() {
            let count = lines.len();
            return Err(Error::bad_input(format!("`{shown}` has no line {line}; it has {count}")));
        }
        return Ok(line);
    };
    let found =
        (1..=lines.len()).filter(|at| lines[at - 1].contains(expected)).min_by_key(|at| (at.abs_diff(line), *at));
    found.ok_or_else(|| Error::bad_input(format!("no line of `{shown}` has the text `{expected}`")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(file: &str, line: usize) -> Written {
        Written { place: Place::Line(file.to_owned(), line), text: None, hit: None, condition: None }
    }

    #[test]
    fn every_part_in_its_place() {
        assert_eq!(read("app.py:12").unwrap(), line("app.py", 12));
        assert_eq!(read(" a b/c.py:1 ").unwrap(), line("a b/c.py", 1));
        let all = read(r#"app.py:12 text "x = \"1\"" hit 3 if n > 2 and xs[0] == 'if'"#).unwrap();
        assert_eq!((all.text.as_deref(), all.hit), (Some("x = \"1\""), Some(3)));
        assert_eq!(all.condition.as_deref(), Some("n > 2 and xs[0] == 'if'"));
        let symbol = read("stats::mean hit 2").unwrap();
        assert_eq!((symbol.place, symbol.hit), (Place::Symbol("stats::mean".to_owned()), Some(2)));
        assert_eq!(read("A.b").unwrap().place, Place::Symbol("A.b".to_owned()));
        assert_eq!(read("C:\\x.py:3").unwrap().place, Place::Line("C:\\x.py".to_owned(), 3));
    }

    #[test]
    fn what_is_no_breakpoint_says_so() {
        for text in [
            "",
            "  ",
            "a.py:0",
            "a.py:-1",
            "a.py:",
            "a.py:1x",
            "a.py:1 hit 0",
            "a.py:1 hit x",
            "a.py:1 if",
            "f g",
            "a.py:1 if f(",
            "a.py:1 if x =",
            "a.py:1 if f()",
            "f text \"x\"",
        ] {
            let error = read(text).expect_err(text);
            assert!(error.message.contains('`') && error.hint.is_some(), "{text}: {error}");
        }
    }

    #[test]
    fn the_expected_text_finds_its_line() {
        let source = "a\nb\nc\nb\n";
        assert_eq!(line_with(source, 2, Some("b"), "f").unwrap(), 2);
        assert_eq!(line_with(source, 4, Some("c"), "f").unwrap(), 3);
        assert!(line_with(source, 1, Some("z"), "f").is_err());
        assert!(line_with(source, 5, None, "f").unwrap_err().message.contains("it has 4"));
    }
}
