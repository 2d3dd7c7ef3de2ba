//! Caret lines: what a source says about its matches, and what is compared with it.

use super::fences::Problem;

/// A source without its caret lines, and what they said.
#[derive(Debug, PartialEq)]
pub(crate) struct Marked {
    pub(crate) source: String,
    pub(crate) marks: Vec<Mark>,
}

/// One run of carets: a match that is expected.
#[derive(Debug, PartialEq)]
pub(crate) struct Mark {
    /// 1-based line of the carets in the Markdown.
    pub(crate) at: usize,
    /// Lines count from 0 in the source, columns in characters from 0.
    pub(crate) line: usize,
    pub(crate) start: usize,
    pub(crate) end: End,
    pub(crate) note: Note,
}

/// Where a mark says that its match ends.
#[derive(Debug, PartialEq)]
pub(crate) enum End {
    /// In this column of the same line.
    Column(usize),
    /// At the end of the line, which is this column, or on a later line.
    OpenFrom(usize),
}

/// What stands behind the carets.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Note {
    pub(crate) partial: bool,
    /// The kind of node that the pattern was read as.
    pub(crate) reading: Option<String>,
    pub(crate) bindings: Vec<(String, Value)>,
}

/// What a metavariable is bound to.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Value {
    One(String),
    Many(Vec<String>),
    Unbound,
}

/// A match as the search found it, in the terms of a mark.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Seen {
    /// Byte offsets in the source.
    pub(crate) start: usize,
    pub(crate) end: usize,
    pub(crate) partial: bool,
    pub(crate) reading: String,
    pub(crate) bindings: Vec<(String, Value)>,
}

/// Signs that start a line comment somewhere. A caret line may begin with one, so that an editor shows it as a comment.
const LEADERS: [&str; 6] = ["//", "#", "--", ";", "%", "*"];

/// Takes the caret lines out of a fence's text, whose first line is line `first` (1-based) of the Markdown.
pub(crate) fn split(text: &str, first: usize) -> Result<Marked, Problem> {
    let mut source: Vec<&str> = Vec::new();
    let mut marks = Vec::new();
    for (index, line) in text.lines().enumerate() {
        let at = first + index;
        let Some((runs, note)) = runs(line) else {
            source.push(line);
            continue;
        };
        let Some(marked) = source.last() else {
            return Err(Problem::new(at, "carets mark the line above them, and there is none"));
        };
        let note = read_note(note).map_err(|message| {
            Problem::new(at, format!("{message} (is this line source? A caret may not be its first sign)"))
        })?;
        let length = marked.chars().count();
        let last = runs.len() - 1;
        let mut note = Some(note);
        for (index, (start, end)) in runs.into_iter().enumerate() {
            let end = if end < length { End::Column(end) } else { End::OpenFrom(length) };
            // The note is about the run it stands behind.
            let note = if index == last { note.take().unwrap_or_default() } else { Note::default() };
            marks.push(Mark { at, line: source.len() - 1, start, end, note });
        }
    }
    let source = source.iter().flat_map(|line| [line, "\n"]).collect();
    Ok(Marked { source, marks })
}

/// The caret runs of a caret line, in columns, and the note behind them.
fn runs(line: &str) -> Option<(Vec<(usize, usize)>, &str)> {
    let indent = line.len() - line.trim_start().len();
    let leader = LEADERS.iter().find(|leader| line[indent..].starts_with(**leader)).map_or(0, |leader| leader.len());
    let mut found: Vec<(usize, usize)> = Vec::new();
    let mut rest = &line[indent + leader..];
    let mut column = line[..indent + leader].chars().count();
    loop {
        let spaces = rest.chars().take_while(|c| c.is_whitespace()).count();
        rest = rest.trim_start();
        column += spaces;
        let carets = rest.len() - rest.trim_start_matches('^').len();
        if carets == 0 {
            return (!found.is_empty()).then_some((found, rest.trim_end()));
        }
        found.push((column, column + carets));
        rest = &rest[carets..];
        column += carets;
    }
}

fn read_note(note: &str) -> Result<Note, String> {
    let mut read = Note::default();
    let mut rest = note.trim();
    while !rest.is_empty() {
        let word = rest.len() - rest.trim_start_matches(|c: char| c.is_alphanumeric() || c == '_').len();
        let (name, after) = (&rest[..word], rest[word..].trim_start());
        rest = match name {
            "partial" => {
                read.partial = true;
                after
            }
            "as" => {
                let end = after.find(',').unwrap_or(after.len());
                read.reading = Some(after[..end].trim().to_string());
                &after[end..]
            }
            _ => {
                let value = after.strip_prefix('=').filter(|_| !name.is_empty());
                let value = value.ok_or_else(|| format!("cannot read the note at `{rest}`"))?;
                let (value, after) = read_value(value.trim_start())?;
                read.bindings.push((name.to_string(), value));
                after
            }
        };
        rest = rest.trim_start();
        rest = match rest.strip_prefix(',') {
            Some(rest) => rest.trim_start(),
            None if rest.is_empty() => rest,
            None => return Err(format!("expected a comma before `{rest}`")),
        };
    }
    Ok(read)
}

fn read_value(text: &str) -> Result<(Value, &str), String> {
    if let Some(rest) = text.strip_prefix("unbound") {
        return Ok((Value::Unbound, rest));
    }
    let Some(mut rest) = text.strip_prefix('[') else {
        let (one, rest) = read_code(text)?;
        return Ok((Value::One(one), rest));
    };
    let mut many = Vec::new();
    loop {
        rest = rest.trim_start_matches([' ', ',']);
        if let Some(rest) = rest.strip_prefix(']') {
            return Ok((Value::Many(many), rest));
        }
        let (one, after) = read_code(rest)?;
        many.push(one);
        rest = after;
    }
}

/// Text between ticks; two or more where the text has ticks itself, as in Markdown.
fn read_code(text: &str) -> Result<(String, &str), String> {
    let inside = text.trim_start_matches('`');
    let ticks = "`".repeat(text.len() - inside.len());
    if ticks == "``" {
        return Ok((String::new(), inside));
    }
    let end = if ticks.is_empty() { None } else { inside.find(&ticks) };
    let end = end.ok_or_else(|| format!("expected text between ticks at `{text}`"))?;
    let code = &inside[..end];
    let code = if ticks.len() > 1 { code.trim_matches(' ') } else { code };
    Ok((code.to_string(), &inside[end + ticks.len()..]))
}

/// What differs between the marks and what was found: a line of the Markdown and a sentence each.
pub(crate) fn differences(marked: &Marked, seen: &[Seen], first: usize) -> Vec<Problem> {
    let mut problems = Vec::new();
    let mut left: Vec<&Seen> = seen.iter().collect();
    for mark in &marked.marks {
        let fits = |seen: &&&Seen| {
            position(&marked.source, seen.start) == (mark.line, mark.start) && ends(mark, seen, &marked.source)
        };
        // Where several matches have the same range, the one with the right bindings is meant.
        let fitting: Vec<&Seen> = left.iter().filter(fits).copied().collect();
        let wrongs = |seen: &Seen| wrong_notes(&mark.note, seen);
        let Some(best) = fitting.into_iter().min_by_key(|seen| wrongs(seen).len()) else {
            let same_start = left.iter().find(|seen| position(&marked.source, seen.start) == (mark.line, mark.start));
            let other = same_start.map_or(String::new(), |seen| {
                format!("; a match starts there, but it is {}", quoted(&marked.source[seen.start..seen.end]))
            });
            problems.push(Problem::new(mark.at, format!("no match where the carets are{other}")));
            continue;
        };
        problems.extend(wrongs(best).into_iter().map(|message| Problem::new(mark.at, message)));
        left.retain(|seen| !std::ptr::eq(*seen, best));
    }
    // A match that a missed mark already told of is not told twice.
    left.retain(|seen| {
        let starts_at = |mark: &Mark| position(&marked.source, seen.start) == (mark.line, mark.start);
        !marked.marks.iter().any(|mark| starts_at(mark) && problems.iter().any(|problem| problem.line == mark.at))
    });
    for seen in left {
        let (line, _) = position(&marked.source, seen.start);
        let message = format!("a match without carets: {}", quoted(&marked.source[seen.start..seen.end]));
        problems.push(Problem::new(line_in_markdown(marked, line, first), message));
    }
    problems
}

/// Where a line of the source stands in the Markdown: below it by the caret lines before it.
fn line_in_markdown(marked: &Marked, line: usize, first: usize) -> usize {
    let mut caret_lines: Vec<usize> = marked.marks.iter().filter(|mark| mark.line < line).map(|mark| mark.at).collect();
    caret_lines.dedup();
    first + line + caret_lines.len()
}

/// Line and column of an offset.
fn position(source: &str, offset: usize) -> (usize, usize) {
    let before = &source[..offset];
    let start = before.rfind('\n').map_or(0, |at| at + 1);
    (before.matches('\n').count(), before[start..].chars().count())
}

fn ends(mark: &Mark, seen: &Seen, source: &str) -> bool {
    let (line, column) = position(source, seen.end);
    match mark.end {
        End::Column(end) => (line, column) == (mark.line, end),
        End::OpenFrom(length) => line > mark.line || (line == mark.line && column == length),
    }
}

fn wrong_notes(note: &Note, seen: &Seen) -> Vec<String> {
    let mut wrong = Vec::new();
    if note.partial != seen.partial {
        let (is, is_not) = ("is partial", "is not partial");
        wrong.push(format!("this match {}", if seen.partial { is } else { is_not }));
    }
    if let Some(reading) = note.reading.as_ref().filter(|reading| **reading != seen.reading) {
        wrong.push(format!("read as `{}`, not as `{reading}`", seen.reading));
    }
    for (name, expected) in &note.bindings {
        let found =
            seen.bindings.iter().find(|(bound, _)| bound == name).map_or(Value::Unbound, |(_, value)| value.clone());
        if !same(expected, &found) {
            wrong.push(format!("{name} = {}, not {}", shown(&found), shown(expected)));
        }
    }
    wrong
}

fn same(expected: &Value, found: &Value) -> bool {
    // `…` at the end stands for the rest, since a note has one line only.
    let same_text = |expected: &String, found: &String| match expected.strip_suffix('…') {
        Some(start) => found.starts_with(start),
        None => expected == found,
    };
    match (expected, found) {
        (Value::One(expected), Value::One(found)) => same_text(expected, found),
        (Value::Many(expected), Value::Many(found)) => {
            expected.len() == found.len()
                && expected.iter().zip(found).all(|(expected, found)| same_text(expected, found))
        }
        (expected, found) => expected == found,
    }
}

/// A value as a note writes it.
fn shown(value: &Value) -> String {
    match value {
        Value::One(text) => quoted(text),
        Value::Many(texts) => format!("[{}]", texts.iter().map(|text| quoted(text)).collect::<Vec<_>>().join(", ")),
        Value::Unbound => "unbound".to_string(),
    }
}

/// Text between ticks, on one line.
fn quoted(text: &str) -> String {
    let line = match text.split_once('\n') {
        Some((line, _)) => format!("{line}…"),
        None => text.to_string(),
    };
    match line.contains('`') {
        true => format!("``` {line} ```"),
        false => format!("`{line}`"),
    }
}

/// The source with caret lines for what was found: what an update writes.
pub(crate) fn render(source: &str, seen: &[Seen]) -> String {
    let mut out = String::new();
    for (number, line) in source.lines().enumerate() {
        out.push_str(line);
        out.push('\n');
        for seen in seen {
            let ((from, start), (to, end)) = (position(source, seen.start), position(source, seen.end));
            if from != number {
                continue;
            }
            let width = if to == from { end - start } else { line.chars().count() - start };
            // Tabs stay tabs, so that the carets stand below what they mark.
            out.extend(line.chars().take(start).map(|c| if c == '\t' { '\t' } else { ' ' }));
            out.push_str(&"^".repeat(width.max(1)));
            let partial = seen.partial.then(|| "partial".to_string());
            let bindings = seen.bindings.iter().map(|(name, value)| format!("{name} = {}", shown(value)));
            let note = partial.into_iter().chain(bindings).collect::<Vec<_>>().join(", ");
            if !note.is_empty() {
                out.push(' ');
                out.push_str(&note);
            }
            out.push('\n');
        }
    }
    out
}
