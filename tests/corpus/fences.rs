//! Markdown as a list of prose lines and fences: what every corpus is read from.

use std::ops::Range;

/// What is wrong with a corpus, or with what a case of it says.
#[derive(Debug, PartialEq)]
pub(crate) struct Problem {
    /// 1-based line of the Markdown.
    pub(crate) line: usize,
    pub(crate) message: String,
}

impl Problem {
    pub(crate) fn new(line: usize, message: impl Into<String>) -> Problem {
        Problem { line, message: message.into() }
    }
}

/// A fence's contents.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Fence {
    /// The first word of the info string.
    pub(crate) tag: String,
    /// The second one.
    pub(crate) language: Option<String>,
    /// The lines between the ticks, counted from 0 in the Markdown: what an update replaces.
    pub(crate) body: Range<usize>,
    /// How far the fence is indented; its lines are stripped of that much.
    pub(crate) indent: usize,
    /// The lines, each with its line end.
    pub(crate) text: String,
}

impl Fence {
    /// 1-based line of the opening ticks.
    pub(crate) fn line(&self) -> usize {
        self.body.start
    }
}

/// A part of a Markdown file.
#[derive(Debug, PartialEq)]
pub(crate) enum Block<'t> {
    /// A line of prose, and its 1-based number.
    Prose(&'t str, usize),
    Fence(Fence),
}

/// The parts of a Markdown file, in order.
pub(crate) fn blocks(text: &str) -> Result<Vec<Block<'_>>, Problem> {
    let lines: Vec<&str> = text.lines().collect();
    let mut blocks = Vec::new();
    let mut at = 0;
    while let Some(line) = lines.get(at) {
        match opening(line) {
            Some((indent, ticks, info)) => {
                let fence = fence(&lines, at, indent, ticks, info)?;
                at = fence.body.end + 1;
                blocks.push(Block::Fence(fence));
            }
            None => {
                at += 1;
                blocks.push(Block::Prose(line, at));
            }
        }
    }
    Ok(blocks)
}

/// The title, if a line of prose is a heading.
pub(crate) fn heading(line: &str) -> Option<&str> {
    let title = line.trim_start_matches('#');
    (title.len() < line.len() && title.starts_with(' ')).then(|| title.trim())
}

/// The reason, if a line of prose says that its case asserts a wrong answer.
pub(crate) fn fixme(line: &str) -> Option<&str> {
    line.trim_start().strip_prefix("fixme:").map(str::trim)
}

/// Indent, number of ticks and info string of a line that opens a fence.
fn opening(line: &str) -> Option<(usize, usize, &str)> {
    let start = line.trim_start_matches(' ');
    let info = start.trim_start_matches('`');
    let ticks = start.len() - info.len();
    (ticks >= 3 && !info.contains('`')).then(|| (line.len() - start.len(), ticks, info.trim()))
}

fn fence(lines: &[&str], at: usize, indent: usize, ticks: usize, info: &str) -> Result<Fence, Problem> {
    let closes = |line: &&str| {
        let line = line.trim();
        line.len() >= ticks && line.bytes().all(|byte| byte == b'`')
    };
    let length = lines[at + 1..].iter().position(closes);
    let length = length.ok_or_else(|| Problem::new(at + 1, "this fence is not closed"))?;
    let body = at + 1..at + 1 + length;
    let mut words = info.split_whitespace();
    let mut text = String::new();
    for line in &lines[body.clone()] {
        let spaces = line.len() - line.trim_start_matches(' ').len();
        text.push_str(&line[spaces.min(indent)..]);
        text.push('\n');
    }
    let tag = words.next().unwrap_or_default().to_string();
    Ok(Fence { tag, language: words.next().map(String::from), body, indent, text })
}
