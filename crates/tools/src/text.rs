//! Matches and counts as people and agents read them.

use std::fmt::Write as _;
use std::ops::Range;

use vise_search::Match;
use vise_text::shown;

use crate::columns::Columns;
use crate::json::at_character;
use crate::look::FoundIn;
use crate::paint::{Paint, Role};
use crate::tally::Summary;

/// How matches are shown.
#[derive(Debug, Clone, Default)]
pub struct TextOptions {
    /// Colours.
    pub paint: Paint,
    /// Lines shown before a match.
    pub before: usize,
    /// Lines shown after a match.
    pub after: usize,
    /// A match of more lines is cut.
    pub match_lines: Option<usize>,
}

/// A line longer than this, in bytes, is cut to what lies around the match.
const LONGEST_LINE: usize = 2000;
/// What is left to each side of a match in a line that is cut.
const AROUND: usize = 200;

/// The matches of one file: `path:line:column  text`, context lines as `path-line-  text`.
pub(crate) fn matches(found: &FoundIn, options: &TextOptions) -> Vec<u8> {
    let mut writer = Writer {
        columns: Columns::new(&found.source),
        source: &found.source,
        file: shown(found.file.as_bytes()),
        options,
        out: String::new(),
        next: 0,
    };
    for (at, (_, one)) in found.matches.iter().enumerate() {
        // Context does not run into the next match, which shows its lines itself.
        let next = found.matches.get(at + 1).map(|(_, next)| next.range.start);
        writer.one(one, next);
    }
    writer.out.into_bytes()
}

struct Writer<'a> {
    columns: Columns<'a>,
    source: &'a [u8],
    file: String,
    options: &'a TextOptions,
    out: String,
    /// The first line that was not shown yet.
    next: usize,
}

impl Writer<'_> {
    fn one(&mut self, one: &Match, next: Option<usize>) {
        let range = &one.range;
        let (first, column) = self.columns.place(range.start);
        let last = self.columns.lines.line_of(range.end.max(range.start + 1) - 1);
        let context = self.options.before + self.options.after > 0;
        let before = first.saturating_sub(self.options.before).max(self.next.min(first));
        if context && !self.out.is_empty() && before > self.next {
            self.out.push_str("--\n");
        }
        for line in before..first {
            self.context(line);
        }
        let paint = self.options.paint;
        let file = paint.words(Role::Path, &self.file);
        let number = paint.words(Role::Number, &(first + 1).to_string());
        let _ = write!(self.out, "{file}:{number}:{}  ", column + 1);
        let lines = last - first + 1;
        let given = self.options.match_lines.map_or(lines, |most| most.min(lines));
        for line in first..first + given {
            if line > first {
                self.out.push_str("    ");
            }
            self.line(line, range, first == line);
        }
        if given < lines {
            let _ = writeln!(self.out, "    … {} more lines", lines - given);
        }
        self.next = self.next.max(last + 1);
        let limit = next.map_or(usize::MAX, |next| self.columns.lines.line_of(next));
        let end = (last + 1 + self.options.after).min(self.columns.lines.line_count()).min(limit);
        for line in self.next..end {
            self.context(line);
        }
        self.next = self.next.max(end);
    }

    fn context(&mut self, line: usize) {
        let range = self.columns.lines.line_content(self.source, line).unwrap_or(0..0);
        // The empty line behind the last line end is no line.
        if range.is_empty() && range.start == self.source.len() {
            return;
        }
        let paint = self.options.paint;
        let file = paint.words(Role::Path, &self.file);
        let cut = range.start..range.end.min(at_character(self.source, range.start + LONGEST_LINE));
        let _ = writeln!(self.out, "{file}-{}-  {}", line + 1, self.text(cut));
    }

    /// A line of a match, the matched part in colour. The first line's indentation is left out.
    fn line(&mut self, line: usize, matched: &Range<usize>, first: bool) {
        let whole = self.columns.lines.line_content(self.source, line).unwrap_or(0..0);
        let mut start = whole.start;
        if first {
            let indent = self.source.get(whole.clone()).unwrap_or_default();
            start += indent.iter().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
        }
        let matched = matched.start.max(start).min(whole.end)..matched.end.min(whole.end).max(start);
        let (mut from, mut to) = (start, whole.end);
        if to - from > LONGEST_LINE {
            from = at_character(self.source, from.max(matched.start.saturating_sub(AROUND)));
            to = to.min(at_character(self.source, (matched.end + AROUND).min(matched.start + LONGEST_LINE)));
        }
        let paint = self.options.paint;
        let inside = matched.start.min(to)..matched.end.min(to).max(matched.start.min(to));
        let cut = [if from > start { "…" } else { "" }, if to < whole.end { "…" } else { "" }];
        let _ = writeln!(
            self.out,
            "{}{}{}{}{}",
            cut[0],
            self.text(from..inside.start),
            paint.words(Role::Match, &self.text(inside.clone())),
            self.text(inside.end..to),
            cut[1]
        );
    }

    fn text(&self, range: Range<usize>) -> String {
        shown(self.source.get(range).unwrap_or_default())
    }
}

/// The counts and whatever else should be known, a line each.
pub fn summary(summary: &Summary, paint: Paint) -> String {
    let mut out = String::new();
    let files = count(summary.files_searched, "file", "files");
    let _ = if summary.matches == 0 {
        write!(out, "no match in {files} searched")
    } else {
        let matches = count(summary.matches, "match", "matches");
        write!(out, "{} in {} ({files} searched)", matches, count(summary.files, "file", "files"))
    };
    let given: Vec<_> = summary.readings.iter().filter(|reading| reading.given).collect();
    let names: Vec<_> = given.iter().map(|reading| format!("{}, rung {}", reading.reading, reading.rung)).collect();
    if let Some(first) = names.first() {
        let more = match names.len() - 1 {
            0 => String::new(),
            more => format!(" and {}", count(more, "more reading", "more readings")),
        };
        let _ = write!(out, "; read as {first}{more}");
    }
    out.push('\n');
    if summary.switched {
        let first = summary.readings.iter().find(|reading| !reading.given);
        if let Some(first) = first {
            let _ = writeln!(out, "as {} (rung {}), the first reading, nothing matches", first.reading, first.rung);
        }
    }
    for note in notes_of(summary) {
        let (head, rest) = note.split_once(':').unwrap_or(("", &note));
        let _ = match head {
            "skipped" | "warning" => writeln!(out, "{}:{}", paint.words(Role::Warning, head), shown(rest.as_bytes())),
            _ => writeln!(out, "{}", shown(note.as_bytes())),
        };
    }
    if let Some(near) = &summary.near_miss {
        let _ = writeln!(
            out,
            "nearest: {}:{}  {}\n  the pattern goes on with `{}`, there {}",
            shown(near.file.as_bytes()),
            near.line,
            shown(near.text.as_bytes()),
            shown(near.wanted.as_bytes()),
            if near.found.is_empty() {
                "the node ends".to_owned()
            } else {
                format!("stands `{}` (line {})", shown(near.found.as_bytes()), near.found_line)
            }
        );
    }
    out
}

/// A number and what it counts.
pub(crate) fn count(number: usize, one: &str, many: &str) -> String {
    format!("{number} {}", if number == 1 { one } else { many })
}

/// What should be known beside the counts, a line each: other readings, files that were not looked at.
pub(crate) fn notes_of(summary: &Summary) -> Vec<String> {
    let mut notes = Vec::new();
    for reading in summary.readings.iter().filter(|reading| !reading.given && reading.more > 0) {
        let places = count(reading.more, "more place", "more places");
        notes.push(format!("also read as {}: {places} (`--context {}`)", reading.reading, reading.rung));
    }
    if !summary.not_read_by.is_empty() {
        notes.push(format!("not a pattern of {}, whose files were not searched", summary.not_read_by.join(", ")));
    }
    // A number for each reason, and names as long as they are few.
    let mut reasons: Vec<(&str, Vec<&str>)> = Vec::new();
    for skip in &summary.skipped {
        match reasons.iter_mut().find(|(why, _)| *why == skip.why) {
            Some((_, files)) => files.push(&skip.file),
            None => reasons.push((skip.why, vec![&skip.file])),
        }
    }
    for (why, files) in reasons {
        let mut names: Vec<_> = files.iter().take(3).map(|file| format!("`{file}`")).collect();
        if files.len() > 3 {
            names.push("…".to_owned());
        }
        notes.push(format!("skipped: {} {}: {}", files.len(), why.replace('_', " "), names.join(", ")));
    }
    if let Some(first) = summary.not_utf8.first() {
        let files = count(summary.not_utf8.len(), "file is", "files are");
        notes.push(format!("{files} not UTF-8 and searched as bytes (`{first}`)"));
    }
    notes.extend(summary.warnings.iter().map(|warning| format!("warning: {warning}")));
    notes
}
