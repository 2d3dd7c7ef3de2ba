//! Writes the new text from the plans, in one pass, and notes where everything went.

use std::ops::Range;

use rustc_hash::FxHashSet;
use vise_text::line_ending_at;

use super::facts::Facts;
use super::forest::{Forest, Live};
use super::layout::{self, BYTE_ORDER_MARK, Unit, blanks};
use super::plan::{Part, Plan};
use super::template::{Gap, Template};

/// What is needed to write.
pub(super) struct Printer<'p> {
    pub source: &'p [u8],
    pub template: &'p Template,
    pub forest: &'p Forest<'p>,
    pub facts: &'p Facts,
    pub plans: &'p [Plan],
    /// The file's unit of indentation.
    pub unit: Option<Unit>,
    /// Where each line of the source begins; no search for it must depend on the length of a line.
    pub lines: Vec<usize>,
}

/// What was decided in earlier rounds.
#[derive(Default, Clone)]
pub(super) struct Choices {
    /// Captures in parentheses: the match, and the item of the template.
    pub captures: FxHashSet<(usize, usize)>,
    /// Whole replacements in parentheses.
    pub wholes: FxHashSet<usize>,
    /// Replacements with a terminator in front of them.
    pub before: FxHashSet<usize>,
    /// Replacements with a terminator behind them.
    pub after: FxHashSet<usize>,
    /// Line breaks of the template that stand in a string: nothing is added to them.
    pub verbatim: FxHashSet<usize>,
    /// White space of the source that would stand in a string: the template's is taken.
    pub plain: FxHashSet<(usize, usize)>,
    /// Outer matches that are left alone in this round.
    pub disabled: FxHashSet<usize>,
}

/// The new text.
#[derive(Default)]
pub(super) struct Printed {
    pub text: Vec<u8>,
    pub wholes: Vec<Whole>,
    pub captures: Vec<Capture>,
    pub breaks: Vec<Break>,
}

/// Where a replacement went.
pub(super) struct Whole {
    pub live: usize,
    pub range: Range<usize>,
    /// Without a terminator that was put in front or behind.
    pub inner: Range<usize>,
}

/// Where a captured text went.
pub(super) struct Capture {
    pub live: usize,
    pub area: usize,
    pub item: usize,
    /// Without parentheses.
    pub range: Range<usize>,
    /// For a list, where its elements went; none for what a nested replacement covers.
    pub elements: Vec<Option<Range<usize>>>,
}

/// A line that begins in text that is not copied as it was.
pub(super) struct Break {
    pub live: usize,
    pub item: usize,
    /// Where the line begins.
    pub offset: usize,
    /// The white space is the source's.
    pub layout: bool,
}

/// The text would be far larger than the old one (a metavariable used twice, nested many times).
pub(super) struct TooLarge;

/// How much the text may grow.
const LARGEST: usize = 256 << 20;

struct Base {
    old: Range<usize>,
    new: Vec<u8>,
}

enum Frame<'p> {
    Match { live: usize, part: usize, base: Base, start: usize, inner: usize },
    Area { live: usize, area: usize, part: &'p Part, base: Base, at: usize, child: usize, start: usize, bounds: Bounds },
}

/// Ends of the elements of a list, as they are passed.
struct Bounds {
    old: Vec<Range<usize>>,
    new: Vec<(Option<usize>, Option<usize>)>,
    /// The first that is not passed.
    next: usize,
}

struct Writer<'p> {
    printer: &'p Printer<'p>,
    choices: &'p Choices,
    out: Printed,
    /// A comment that ends with its line was written.
    pending: bool,
    /// Such a comment that is yet to be written: a separator goes in front of it.
    held: Option<Range<usize>>,
    /// Where the line being written begins.
    line: usize,
    /// The line end of the source's line that begins here.
    eol: &'static [u8],
    eol_line: Option<usize>,
    parentheses: (&'p str, &'p str),
}

impl Printer<'_> {
    /// Where the line at an offset begins, and where its line end is, or the last one if it has none.
    fn line(&self, offset: usize) -> (usize, usize) {
        let after = self.lines.partition_point(|start| *start <= offset);
        let start = self.lines[..after].last().copied().unwrap_or(0);
        let end = self.lines.get(after).or(self.lines[..after].last()).copied().unwrap_or(0);
        (start, end.saturating_sub(1))
    }

    /// Writes the text.
    pub(super) fn print(&self, choices: &Choices) -> Result<Printed, TooLarge> {
        let parenthesis = &self.template.language.description.parenthesis;
        let mut writer = Writer {
            printer: self,
            choices,
            out: Printed::default(),
            pending: false,
            held: None,
            line: 0,
            eol: b"\n",
            eol_line: None,
            parentheses: parenthesis.split_once('§').unwrap_or(("", "")),
        };
        let mut at = 0;
        for root in self.forest.roots.iter().filter(|root| !choices.disabled.contains(root)) {
            let live = &self.forest.live[*root];
            writer.raw(&self.source[at..live.range.start]);
            writer.root(*root)?;
            at = live.range.end;
        }
        writer.raw(&self.source[at..]);
        Ok(writer.out)
    }
}

impl<'p> Writer<'p> {
    fn root(&mut self, root: usize) -> Result<(), TooLarge> {
        let mut stack = vec![self.open(root)];
        while let Some(frame) = stack.pop() {
            if self.out.text.len() > LARGEST + self.printer.source.len() {
                return Err(TooLarge);
            }
            match frame {
                Frame::Match { live, part, base, start, inner } => match self.printer.plans[live].parts.get(part) {
                    None => self.close(live, start, inner),
                    Some(here) => {
                        let area = self.part(live, here, &base);
                        stack.push(Frame::Match { live, part: part + 1, base, start, inner });
                        stack.extend(area);
                    }
                },
                Frame::Area { live, area, part, base, at, child, start, bounds } => {
                    self.area(&mut stack, live, area, part, base, at, child, start, bounds);
                }
            }
        }
        Ok(())
    }

    fn live(&self, live: usize) -> &'p Live<'p> {
        &self.printer.forest.live[live]
    }

    fn open(&mut self, live: usize) -> Frame<'p> {
        let from = self.live(live).range.start;
        self.settle();
        let (line, end) = self.printer.line(from);
        if self.eol_line != Some(line) {
            self.eol_line = Some(line);
            self.eol = line_ending_at(self.printer.source, end).as_bytes();
        }
        let base = self.base(from);
        let start = self.out.text.len();
        if self.choices.before.contains(&live) {
            self.raw(self.printer.template.language.description.terminator.as_bytes());
        }
        let inner = self.out.text.len();
        if self.choices.wholes.contains(&live) {
            self.raw(self.parentheses.0.as_bytes());
        }
        Frame::Match { live, part: 0, base, start, inner }
    }

    fn close(&mut self, live: usize, start: usize, inner: usize) {
        self.release();
        if self.choices.wholes.contains(&live) {
            self.raw(self.parentheses.1.as_bytes());
        }
        let end = self.out.text.len();
        if self.choices.after.contains(&live) {
            self.raw(self.printer.template.language.description.terminator.as_bytes());
        }
        self.out.wholes.push(Whole { live, range: start..self.out.text.len(), inner: inner..end });
    }

    /// Writes a part of a replacement, or opens the area that it is.
    fn part(&mut self, live: usize, part: &'p Part, base: &Base) -> Option<Frame<'p>> {
        match part {
            Part::Word(range) => {
                let word = &self.printer.template.words[range.clone()];
                let description = &self.printer.template.language.description;
                let separator =
                    word != description.terminator && description.separators.iter().any(|known| known == word);
                let held = if separator { self.held.take() } else { None };
                self.raw(word.as_bytes());
                self.held = held;
            }
            Part::Gap(item) => self.gap(live, *item, base),
            Part::Source(range) => self.copy(range.clone(), base),
            Part::Layout(range, item) => {
                if self.choices.plain.contains(&(live, *item)) {
                    self.gap(live, *item, base);
                } else {
                    self.copy(range.clone(), base);
                    let offset = self.line;
                    self.out.breaks.push(Break { live, item: *item, offset, layout: true });
                }
            }
            Part::Area { area, item, lead, .. } => {
                for comment in lead {
                    let base = self.base(comment.start);
                    self.copy(comment.clone(), &base);
                }
                if item.is_some_and(|item| self.choices.captures.contains(&(live, item))) {
                    self.raw(self.parentheses.0.as_bytes());
                }
                let range = self.live(live).areas[*area].range.clone();
                let elements = &self.printer.facts.matches[live].areas[*area].elements;
                let old: Vec<Range<usize>> = if item.is_some() && elements.len() > 1 {
                    elements.iter().map(|element| element.range.clone()).collect()
                } else {
                    Vec::new()
                };
                let bounds = Bounds { new: vec![(None, None); old.len()], old, next: 0 };
                // What the source has here begins with its own text, which no break may be put into.
                let base = self.base(range.start);
                return Some(Frame::Area {
                    live,
                    area: *area,
                    part,
                    base,
                    at: range.start,
                    child: 0,
                    start: usize::MAX,
                    bounds,
                });
            }
        }
        None
    }

    #[expect(clippy::too_many_arguments, reason = "the fields of a frame that was taken apart")]
    fn area(
        &mut self,
        stack: &mut Vec<Frame<'p>>,
        live: usize,
        area: usize,
        part: &'p Part,
        base: Base,
        at: usize,
        child: usize,
        start: usize,
        mut bounds: Bounds,
    ) {
        let here = &self.live(live).areas[area];
        let first = start == usize::MAX;
        if first {
            self.settle();
        }
        let start = if first { self.out.text.len() } else { start };
        let next = here.children.get(child).copied();
        let until = next.map_or(here.range.end, |next| self.live(next).range.start);
        let mut from = at;
        while let Some(element) = bounds.old.get(bounds.next).cloned() {
            let new = &mut bounds.new[bounds.next];
            if new.0.is_none() && element.start >= from && element.start <= until {
                self.copy(from..element.start, &base);
                from = element.start;
                new.0 = Some(self.out.text.len());
            }
            if element.end > until {
                break;
            }
            if element.end >= from {
                self.copy(from..element.end, &base);
                from = element.end;
                new.1 = Some(self.out.text.len());
            }
            bounds.next += 1;
        }
        self.copy(from..until, &base);
        if let Some(next) = next {
            let at = self.live(next).range.end;
            stack.push(Frame::Area { live, area, part, base, at, child: child + 1, start, bounds });
            let frame = self.open(next);
            stack.push(frame);
            return;
        }
        let Part::Area { item, trail, .. } = part else { return };
        let end = self.out.text.len();
        if let Some(item) = item {
            let elements = bounds
                .new
                .iter()
                .map(|(start, end)| match (start, end) {
                    (Some(start), Some(end)) if start < end => Some(*start..*end),
                    _ => None,
                })
                .collect();
            self.out.captures.push(Capture { live, area, item: *item, range: start..end, elements });
            if self.choices.captures.contains(&(live, *item)) {
                self.raw(self.parentheses.1.as_bytes());
            }
        }
        for comment in trail {
            self.release();
            if self.ends_line(comment) {
                self.held = Some(comment.clone());
            } else {
                let base = self.base(comment.start);
                self.copy(comment.clone(), &base);
            }
        }
    }

    /// Writes a comment that was held back.
    fn release(&mut self) {
        if let Some(comment) = self.held.take() {
            let base = self.base(comment.start);
            self.copy(comment, &base);
            self.pending = true;
        }
    }

    /// Whether a comment reaches to the end of its line whatever follows.
    fn ends_line(&self, comment: &Range<usize>) -> bool {
        let source = self.printer.source;
        let text = &source[comment.clone()];
        let behind = source[comment.end..].trim_ascii_start();
        let gap = source.len() - comment.end - behind.len();
        let line_ends = behind.is_empty() || memchr::memchr(b'\n', &source[comment.end..comment.end + gap]).is_some();
        let closers: [&[u8]; 9] = [b"*/", b"-->", b"]]", b"-}", b"*)", b"|#", b"#>", b"%}", b"=#"];
        line_ends && !closers.iter().any(|closer| text.ends_with(closer))
    }

    /// White space of the template.
    fn gap(&mut self, live: usize, item: usize, base: &Base) {
        let gap: &Gap = &self.printer.template.items[item].gap;
        if gap.breaks == 0 {
            self.raw(gap.text.as_bytes());
            return;
        }
        if self.choices.verbatim.contains(&item) {
            for (at, line) in gap.text.split('\n').enumerate() {
                if at > 0 {
                    self.raw(self.eol);
                }
                self.raw(line.as_bytes());
            }
        } else {
            for _ in 0..gap.breaks {
                self.raw(self.eol);
            }
            let indent = layout::convert(gap.indent(), self.printer.template.unit, self.printer.unit);
            self.raw(&base.new);
            self.raw(&indent);
        }
        let offset = self.line;
        self.out.breaks.push(Break { live, item, offset, layout: false });
    }

    /// Copies source; lines that begin in it are moved as far as its first line was.
    fn copy(&mut self, range: Range<usize>, base: &Base) {
        let source = self.printer.source;
        let old = &source[base.old.clone()];
        if old == base.new.as_slice() {
            self.raw(&source[range]);
            return;
        }
        let mut at = range.start;
        while let Some(newline) = memchr::memchr(b'\n', &source[at..range.end]) {
            let line = at + newline + 1;
            self.raw(&source[at..line]);
            at = line;
            let text = &source[line..];
            let blank = text.get(blanks(text)).is_none_or(|byte| matches!(byte, b'\n' | b'\r'));
            if text.starts_with(old) && !blank && !self.in_literal(line) && line + old.len() <= range.end {
                self.raw(&base.new);
                at = line + old.len();
            }
        }
        self.raw(&source[at..range.end]);
    }

    fn in_literal(&self, offset: usize) -> bool {
        let literals = &self.printer.facts.literals;
        let after = literals.partition_point(|literal| literal.start < offset);
        after.checked_sub(1).is_some_and(|at| literals[at].end > offset)
    }

    /// The indentation of the source's line at an offset, and that of the line being written.
    fn base(&self, offset: usize) -> Base {
        let (start, _) = self.printer.line(offset);
        let old = start..start + blanks(&self.printer.source[start..]);
        let new = self.out.text[self.line..self.line + blanks(&self.out.text[self.line..])].to_vec();
        Base { old, new }
    }

    /// Ends the line of a comment that reaches to its end.
    fn settle(&mut self) {
        self.release();
        if std::mem::take(&mut self.pending) {
            let mut line = self.eol.to_vec();
            line.extend_from_slice(&self.out.text[self.line..self.line + blanks(&self.out.text[self.line..])]);
            self.raw(&line);
        }
    }

    fn raw(&mut self, bytes: &[u8]) {
        let mut bytes = bytes;
        if !bytes.is_empty() {
            self.release();
        }
        if self.pending && !bytes.is_empty() {
            let skipped = blanks(bytes);
            match bytes.get(skipped) {
                None => return,
                Some(b'\n' | b'\r') => self.pending = false,
                Some(_) => {
                    self.settle();
                    bytes = &bytes[skipped..];
                }
            }
        }
        if let Some(newline) = memchr::memrchr(b'\n', bytes) {
            self.line = self.out.text.len() + newline + 1;
        } else if self.out.text.is_empty() && bytes.starts_with(BYTE_ORDER_MARK) {
            self.line = BYTE_ORDER_MARK.len();
        }
        self.out.text.extend_from_slice(bytes);
    }
}
