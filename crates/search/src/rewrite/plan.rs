//! What one replacement consists of: words of the template, captured text, and what else of the source stays.

use std::ops::Range;

use super::align::{SourceItem, align, source_items};
use super::facts::{Facts, MatchFacts, Token};
use super::forest::{AreaOf, Live};
use super::layout::{white, white_end};
use super::template::{Template, What};
use crate::matches::{Before, Bound};

/// A part of a replacement.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Part {
    /// A word of the template: a range of its words.
    Word(Range<usize>),
    /// The white space in front of this item of the template.
    Gap(usize),
    /// Text of the source.
    Source(Range<usize>),
    /// White space of the source in place of that in front of this item of the template.
    Layout(Range<usize>, usize),
    /// An area of the match, where this item of the template stands for it, with the comments that go with it.
    Area { area: usize, item: Option<usize>, lead: Vec<Range<usize>>, trail: Vec<Range<usize>> },
}

/// A replacement before it is written.
#[derive(Debug, Default)]
pub(super) struct Plan {
    pub parts: Vec<Part>,
    /// Comments for which there is no place.
    pub lost: Vec<Range<usize>>,
}

/// Why there is no replacement.
#[derive(Debug)]
pub(super) struct Refused {
    pub reason: &'static str,
    pub why: String,
}

/// Plans the replacement of a match.
pub(super) fn plan(source: &[u8], live: &Live<'_>, facts: &MatchFacts, template: &Template) -> Result<Plan, Refused> {
    let (wanted, gaps) = wanted_items(source, live, template);
    let items = source_items(source, live, &facts.tokens);
    let found = align(source, live, template, &wanted, &items);
    let comments = facts.tokens.iter().filter(|token| token.comment).cloned().collect();
    let planner =
        Planner { source, live, facts, template, wanted, gaps, items, found, comments, plan: Plan::default() };
    planner.run()
}

/// The items of the template that this match fills, and for each the item whose gap stands in front of it.
fn wanted_items(source: &[u8], live: &Live<'_>, template: &Template) -> (Vec<usize>, Vec<usize>) {
    let description = &template.language.description;
    let terminator = description.terminator.as_str();
    let separator = |item: usize| {
        template
            .word(item)
            .is_some_and(|word| word != terminator && description.separators.iter().any(|known| known == word))
    };
    let mut wanted: Vec<(usize, usize)> = Vec::new();
    let mut gap = None;
    let mut skip = false;
    let mut count = template.items.len();
    if count > 1
        && !terminator.is_empty()
        && template.word(count - 1) == Some(terminator)
        && (description.asi || ends_with_terminator(source, live, terminator))
    {
        count -= 1;
    }
    for item in 0..count {
        if std::mem::take(&mut skip) {
            continue;
        }
        let empty = match &template.items[item].what {
            What::Hole(hole) => is_empty_list(live, &template.holes[*hole].name),
            What::Word(_) => false,
        };
        if !empty {
            wanted.push((item, gap.take().unwrap_or(item)));
            continue;
        }
        // With nothing for `$$$X`, one separator beside it goes too.
        if wanted.last().is_some_and(|(last, _)| separator(*last)) {
            wanted.pop();
        } else if item + 1 < count && separator(item + 1) {
            skip = true;
            gap = Some(gap.unwrap_or(item));
        }
    }
    wanted.into_iter().unzip()
}

fn is_empty_list(live: &Live<'_>, name: &str) -> bool {
    matches!(live.found.binding(name), Some(Bound::Many { elements, .. }) if elements.is_empty())
}

/// Whether the source has its own terminator behind, or at the end of, what is replaced.
fn ends_with_terminator(source: &[u8], live: &Live<'_>, terminator: &str) -> bool {
    let behind = source.get(live.range.end..).unwrap_or_default();
    let gap = behind.iter().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
    behind[gap..].starts_with(terminator.as_bytes())
}

struct Planner<'p> {
    source: &'p [u8],
    live: &'p Live<'p>,
    facts: &'p MatchFacts,
    template: &'p Template,
    wanted: Vec<usize>,
    gaps: Vec<usize>,
    items: Vec<SourceItem>,
    found: Vec<Option<usize>>,
    /// Comments that have no place yet.
    comments: Vec<Token>,
    plan: Plan,
}

/// Comments that go with an area.
#[derive(Default, Clone)]
struct Company {
    lead: Vec<Range<usize>>,
    trail: Vec<Range<usize>>,
}

impl Planner<'_> {
    fn run(mut self) -> Result<Plan, Refused> {
        if self.is_same() {
            // Nothing but white space could differ.
            let range = self.live.range.clone();
            self.push_source(&range);
            return Ok(self.plan);
        }
        let shared: Vec<Option<Range<usize>>> = (0..self.wanted.len()).map(|at| self.shared_gap(at)).collect();
        let within =
            |range: &Range<usize>| shared.iter().flatten().any(|gap| gap.start <= range.start && range.end <= gap.end);
        self.comments.retain(|comment| !within(&comment.range));
        let mut kept: Vec<Vec<usize>> = vec![Vec::new(); self.wanted.len() + 1];
        let mut from = 0;
        for area in 0..self.live.areas.len() {
            if let AreaOf::Kept(index) = self.live.areas[area].what
                && !within(&self.live.areas[area].range)
            {
                from = self.place_kept(area, index, from)?;
                kept[from].push(area);
            }
        }
        let mut company = self.attach();
        for at in 0..self.wanted.len() {
            if let Some(gap) = &shared[at] {
                self.push_source(gap);
            } else if kept[at].is_empty() {
                self.push_gap(at);
            } else {
                self.push_kept(at, &kept[at], &mut company);
            }
            self.push_item(at, &mut company)?;
        }
        let end = self.wanted.len();
        self.push_kept(end, &kept[end], &mut company);
        self.plan.lost = std::mem::take(&mut self.comments).into_iter().map(|comment| comment.range).collect();
        for (area, facts) in self.live.areas.iter().zip(&self.facts.areas) {
            if !area.used {
                self.plan.lost.extend(facts.comments.iter().cloned());
            }
        }
        self.plan.lost.sort_by_key(|range| range.start);
        Ok(self.plan)
    }

    /// Whether the template has all that the match has, and nothing else.
    fn is_same(&self) -> bool {
        let mut next = 0;
        self.found.iter().enumerate().all(|(at, found)| {
            let Some(item) = *found else { return false };
            let same = item == next || item == next + 1 && at > 0 && self.is_trailing_separator(at, next, item);
            next = item + 1;
            same
        }) && next == self.items.len()
    }

    fn text(&self, range: Range<usize>) -> &[u8] {
        self.source.get(range).unwrap_or_default()
    }

    fn gap(&self, at: usize) -> &super::template::Gap {
        &self.template.items[self.gaps[at]].gap
    }

    /// The text between this item and the one in front of it, when both stand side by side in the source too, and
    /// there is more between them than blanks.
    fn shared_gap(&self, at: usize) -> Option<Range<usize>> {
        let before = self.found[at.checked_sub(1)?]?;
        let here = self.found[at]?;
        if self.gap(at).breaks > 0 || self.items[here].inner {
            return None;
        }
        let gap = self.items[before].range.end..self.items[here].range.start;
        let trailing = here == before + 2 && self.is_trailing_separator(at, before + 1, here);
        if (here != before + 1 && !trailing) || gap.start > gap.end {
            return None;
        }
        let text = self.text(gap.clone());
        if !trailing && text.iter().all(|byte| matches!(byte, b' ' | b'\t')) {
            return None;
        }
        // What the tree does not show (the text of a string) may lie between tokens.
        let mut rest = gap.start;
        let known = self.facts.tokens.iter().map(|token| &token.range);
        let kept = self.live.areas.iter().map(|area| &area.range).filter(|range| !range.is_empty());
        let mut inside: Vec<&Range<usize>> =
            known.chain(kept).filter(|range| range.start >= gap.start && range.end <= gap.end).collect();
        inside.sort_by_key(|range| range.start);
        for range in inside {
            if !self.is_white(rest..range.start) {
                return None;
            }
            rest = range.end;
        }
        self.is_white(rest..gap.end).then_some(gap)
    }

    /// A separator behind the last element, which patterns do not look at: like a terminator, it is the file's own.
    fn is_trailing_separator(&self, at: usize, separator: usize, closing: usize) -> bool {
        let description = &self.template.language.description;
        let (separator, bracket) = (&self.items[separator], &self.items[closing]);
        let text = self.text(separator.range.clone());
        // In parentheses that nothing is in front of, it makes a tuple of one element.
        let opening = at.checked_sub(2).and_then(|opening| self.template.word(self.wanted[opening]));
        let alone = opening == Some("(") && (at == 2 || !self.gap(at - 2).text.is_empty() || self.is_sign(at - 3));
        separator.area.is_none()
            && bracket.area.is_none()
            && !alone
            && description.terminator.as_bytes() != text
            && description.separators.iter().any(|known| known.as_bytes() == text)
            && matches!(self.text(bracket.range.clone()), b")" | b"]" | b"}" | b">")
    }

    /// Whether an item of the template is a sign that an operand follows.
    fn is_sign(&self, at: usize) -> bool {
        self.template.word(self.wanted[at]).is_some_and(|word| {
            !word.chars().all(super::template::is_word) && !matches!(word, ")" | "]" | "}" | ">" | "!" | "?")
        })
    }

    fn is_white(&self, range: Range<usize>) -> bool {
        self.text(range).iter().all(u8::is_ascii_whitespace)
    }

    /// Where a kept child goes: in front of this item of the template, not in front of `from`.
    fn place_kept(&self, area: usize, index: usize, from: usize) -> Result<usize, Refused> {
        let end = self.live.areas[area].range.end;
        let next = self.items.iter().position(|item| item.range.start >= end);
        if let Some(next) = next
            && let Some(at) = self.found.iter().position(|found| *found == Some(next))
            && at >= from
        {
            return Ok(at);
        }
        let refused = |what: &str| Refused {
            reason: "kept_child",
            why: format!(
                "`{}` is not mentioned by the pattern, and the template has no {what} to keep it in front of",
                shown(self.text(self.live.areas[area].range.clone()))
            ),
        };
        match &self.live.found.kept[index].before {
            Before::End => Ok(self.wanted.len()),
            Before::Metavariable(name) => (from..self.wanted.len())
                .find(|at| match &self.template.items[self.wanted[*at]].what {
                    What::Hole(hole) => *self.template.holes[*hole].name == **name,
                    What::Word(_) => false,
                })
                .ok_or_else(|| refused(&format!("`${name}`"))),
            Before::Token(token) => (from..self.wanted.len())
                .find(|at| self.spells(*at, token))
                .ok_or_else(|| refused(&format!("`{token}`"))),
        }
    }

    /// Whether the words from here on, joined, are this token.
    fn spells(&self, at: usize, token: &str) -> bool {
        let mut rest = token;
        for (offset, item) in self.wanted[at..].iter().enumerate() {
            let Some(word) = self.template.word(*item) else { return false };
            if offset > 0 && !self.gap(at + offset).text.is_empty() {
                return false;
            }
            match rest.strip_prefix(word) {
                Some("") => return true,
                Some(more) => rest = more,
                None => return false,
            }
        }
        false
    }

    /// Gives each comment to the captured or kept text that it stands beside.
    fn attach(&mut self) -> Vec<Company> {
        let mut company = vec![Company::default(); self.live.areas.len()];
        let mut things: Vec<(Range<usize>, Option<usize>)> =
            self.items.iter().map(|item| (item.range.clone(), item.area)).collect();
        let kept = |area: usize| matches!(self.live.areas[area].what, AreaOf::Kept(_));
        things.extend(
            (0..self.live.areas.len())
                .filter(|area| kept(*area))
                .map(|area| (self.live.areas[area].range.clone(), Some(area))),
        );
        things.sort_by_key(|(range, _)| range.start);
        let separators = &self.template.language.description.separators;
        let all: Vec<Range<usize>> =
            self.facts.tokens.iter().filter(|token| token.comment).map(|token| token.range.clone()).collect();
        let usable = |area: Option<usize>| area.filter(|area| self.live.areas[*area].used);
        self.comments.retain(|comment| {
            let range = &comment.range;
            let next = things.partition_point(|(thing, _)| thing.start < range.end);
            let following = usable(things.get(next).and_then(|(_, area)| *area));
            let mut previous = next;
            let line = self.source[..range.start].iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
            let ends_line = white_line_end(self.source.get(range.end..).unwrap_or_default());
            while previous > 0
                && things[previous - 1].1.is_none()
                && separators.iter().any(|known| {
                    known.as_bytes() == self.source.get(things[previous - 1].0.clone()).unwrap_or_default()
                })
            {
                previous -= 1;
            }
            let on_line = previous.checked_sub(1).map(|at| &things[at]).filter(|(thing, _)| thing.end > line);
            let beside = on_line.filter(|_| ends_line).and_then(|(_, area)| usable(*area));
            let directly = usable(next.checked_sub(1).and_then(|at| things[at].1));
            let front = range.start - white_end(&self.source[..range.start]);
            let front =
                all.iter().rev().find(|other| other.end <= range.start).map_or(front, |other| front.max(other.end));
            let trail = front..range.end;
            match (beside, following, directly) {
                (Some(area), ..) => company[area].trail.push(trail),
                (None, Some(area), _) => {
                    company[area].lead.push(range.start..range.end + white(&self.source[range.end..]));
                }
                (None, None, Some(area)) => company[area].trail.push(trail),
                (None, None, None) => return true,
            }
            false
        });
        company
    }

    /// Copies source, with rewritten matches in the areas that it takes in.
    fn push_source(&mut self, range: &Range<usize>) {
        let mut start = range.start;
        for (area, here) in self.live.areas.iter().enumerate() {
            if here.range.is_empty() || !here.used || here.range.start < start || here.range.end > range.end {
                continue;
            }
            self.plan.parts.push(Part::Source(start..here.range.start));
            self.plan.parts.push(Part::Area { area, item: None, lead: Vec::new(), trail: Vec::new() });
            start = here.range.end;
        }
        self.plan.parts.push(Part::Source(start..range.end));
    }

    /// The white space in front of an item: the template's, but a list that is on several lines stays so.
    fn push_gap(&mut self, at: usize) {
        let gap = self.gaps[at];
        if at == 0 {
            return;
        }
        let word = |found: Option<usize>, known: &[u8]| {
            found
                .map(|item| &self.items[item])
                .filter(|item| item.area.is_none() && item.range.len() == 1)
                .filter(|item| known.contains(&self.source[item.range.start]))
        };
        if self.gap(at).breaks == 0 {
            let after = word(self.found[at - 1], b"([{,").map(|item| {
                let end = item.range.end;
                end..end + white(self.source.get(end..).unwrap_or_default())
            });
            let before = word(self.found[at], b")]}").map(|item| {
                let start = item.range.start;
                start - white_end(&self.source[..start])..start
            });
            let layout = [before, after].into_iter().flatten().find(|range| {
                range.start >= self.live.range.start
                    && range.end <= self.live.range.end
                    && memchr::memchr(b'\n', self.text(range.clone())).is_some()
            });
            if let Some(range) = layout {
                self.plan.parts.push(Part::Layout(range, gap));
                return;
            }
        }
        self.plan.parts.push(Part::Gap(gap));
    }

    fn push_kept(&mut self, at: usize, areas: &[usize], company: &mut [Company]) {
        for (index, &area) in areas.iter().enumerate() {
            let range = self.live.areas[area].range.clone();
            let before = white_end(&self.source[..range.start]);
            let after = white(self.source.get(range.end..).unwrap_or_default());
            if index == 0 && at > 0 && range.start > self.live.range.start {
                self.plan.parts.push(Part::Source(range.start - before..range.start));
            }
            let Company { lead, trail } = std::mem::take(&mut company[area]);
            self.plan.parts.push(Part::Area { area, item: None, lead, trail });
            if at == self.wanted.len() {
                continue;
            }
            let last = index + 1 == areas.len();
            if last && at > 0 && self.gap(at).breaks > 0 {
                self.plan.parts.push(Part::Gap(self.gaps[at]));
            } else {
                self.plan.parts.push(Part::Source(range.end..(range.end + after).min(self.live.range.end)));
            }
        }
    }

    fn push_item(&mut self, at: usize, company: &mut [Company]) -> Result<(), Refused> {
        let item = self.wanted[at];
        let hole = match &self.template.items[item].what {
            What::Word(word) => {
                if let Some(quotes) = self.own_quotes(item)? {
                    // The words of the template's quotes but the first make way for the source's quotes.
                    if !quotes.is_empty() {
                        self.plan.parts.push(Part::Source(quotes));
                    }
                } else if !self.is_second_terminator(item) {
                    self.plan.parts.push(Part::Word(word.clone()));
                }
                return Ok(());
            }
            What::Hole(hole) => &self.template.holes[*hole],
        };
        let Some(area) = self.live.area_of(&hole.name) else {
            return Err(Refused {
                reason: "unbound",
                why: format!("`{}{}` stands for nothing here", hole.kind.sigil(), hole.name),
            });
        };
        if hole.in_text && hole.quotes.is_none() && matches!(self.live.bound(area), Some(Bound::Content(_))) {
            let content = self.text(self.live.areas[area].range.clone());
            if content.iter().any(|byte| b"\\\"'`".contains(byte)) {
                return Err(Refused {
                    reason: "ambiguous",
                    why: format!("`{}` may mean something else in the template's string", shown(content)),
                });
            }
        }
        let Company { lead, trail } = std::mem::take(&mut company[area]);
        self.plan.parts.push(Part::Area { area, item: Some(item), lead, trail });
        Ok(())
    }

    /// Whether this is a terminator behind a capture that ends with one.
    fn is_second_terminator(&self, item: usize) -> bool {
        let terminator = self.template.language.description.terminator.as_bytes();
        if terminator.is_empty() || self.template.word(item).map(str::as_bytes) != Some(terminator) {
            return false;
        }
        let parts = self.plan.parts.iter().rev();
        let last = parts.into_iter().find(|part| !matches!(part, Part::Gap(_)));
        match last {
            Some(Part::Area { area, .. }) => self.text(self.live.areas[*area].range.clone()).ends_with(terminator),
            _ => false,
        }
    }

    /// The quotes of the source, when this item belongs to quotes of the template that cannot hold what they should.
    fn own_quotes(&self, item: usize) -> Result<Option<Range<usize>>, Refused> {
        for hole in &self.template.holes {
            let Some((open, close)) = &hole.quotes else { continue };
            if !open.contains(&item) && !close.contains(&item) {
                continue;
            }
            let Some(area) = self.live.area_of(&hole.name) else { return Ok(None) };
            let content = self.live.areas[area].range.clone();
            if !matches!(self.live.bound(area), Some(Bound::Content(_))) {
                return Ok(None);
            }
            let Some(string) = self.facts.areas[area].string.clone() else { return Ok(None) };
            let (source_open, source_close) = (string.start..content.start, content.end..string.end);
            let spelled: String = open.clone().filter_map(|item| self.template.word(item)).collect();
            let special = |byte: &u8| b"\\\"'`$#%{}\n\r@~".contains(byte);
            if self.text(source_open.clone()) == spelled.as_bytes() || !self.text(content).iter().any(special) {
                return Ok(None);
            }
            let first = item == open.start || item == close.start;
            let own = if open.contains(&item) { source_open } else { source_close };
            return Ok(Some(if first { own } else { 0..0 }));
        }
        Ok(None)
    }
}

/// Whether only blanks follow up to the end of the line.
fn white_line_end(text: &[u8]) -> bool {
    let blanks = text.iter().take_while(|byte| matches!(byte, b' ' | b'\t' | b'\r')).count();
    text.get(blanks).is_none_or(|byte| *byte == b'\n')
}

/// The start of a text, on one line.
pub(super) fn shown(text: &[u8]) -> String {
    let text = String::from_utf8_lossy(text);
    let line: String = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(60) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line,
    }
}

/// Comments of a match whose text may not vanish: its own and those in the areas that are used.
pub(super) fn kept_comments<'f>(facts: &'f Facts, range: &Range<usize>) -> &'f [Range<usize>] {
    let from = facts.comments.partition_point(|comment| comment.start < range.start);
    let to = facts.comments.partition_point(|comment| comment.start < range.end);
    &facts.comments[from..to.max(from)]
}
