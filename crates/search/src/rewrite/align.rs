//! What of the source is still there in the template: the tokens of both, side by side.

use std::ops::Range;

use super::facts::Token;
use super::forest::{AreaOf, Live};
use super::template::{Template, What, is_word};

/// A word, a sign or a captured text of a match.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct SourceItem {
    pub range: Range<usize>,
    /// The area, for a captured text.
    pub area: Option<usize>,
    /// It is inside the same token as the item in front of it.
    pub inner: bool,
}

/// Products of lengths above which no common part in the middle is looked for.
const LARGEST: usize = 1 << 20;

/// The items of a match: its own tokens in the words that a template is made of, and what is captured.
pub(super) fn source_items(source: &[u8], live: &Live<'_>, tokens: &[Token]) -> Vec<SourceItem> {
    let mut items = Vec::new();
    let mut areas = live
        .areas
        .iter()
        .enumerate()
        .filter(|(_, area)| !area.range.is_empty() && matches!(area.what, AreaOf::Binding(_)))
        .map(|(at, area)| SourceItem { range: area.range.clone(), area: Some(at), inner: false })
        .peekable();
    for token in tokens.iter().filter(|token| !token.comment) {
        while let Some(area) = areas.next_if(|area| area.range.start < token.range.start) {
            items.push(area);
        }
        let text = source.get(token.range.clone()).unwrap_or_default();
        let mut at = 0;
        let mut inner = false;
        while at < text.len() {
            let len = word_len(&text[at..]);
            if !text[at].is_ascii_whitespace() {
                let start = token.range.start + at;
                items.push(SourceItem { range: start..start + len, area: None, inner });
                inner = true;
            }
            at += len;
        }
    }
    items.extend(areas);
    items
}

/// Length of the word or sign that a text begins with, as the template's are cut.
fn word_len(text: &[u8]) -> usize {
    let is_part = |byte: &u8| !byte.is_ascii() || is_word(char::from(*byte));
    text.iter().take_while(|byte| is_part(byte)).count().max(1)
}

/// For each of the template's items, the item of the source that it stands for.
pub(super) fn align(
    source: &[u8],
    live: &Live<'_>,
    template: &Template,
    wanted: &[usize],
    items: &[SourceItem],
) -> Vec<Option<usize>> {
    let areas: Vec<Option<usize>> = template.holes.iter().map(|hole| live.area_of(&hole.name)).collect();
    let same = |a: usize, b: usize| match (&template.items[wanted[a]].what, items[b].area) {
        (What::Word(word), None) => {
            source.get(items[b].range.clone()) == Some(&template.words.as_bytes()[word.clone()])
        }
        (What::Hole(hole), Some(area)) => areas[*hole] == Some(area),
        _ => false,
    };
    // Brackets hold more together than words do, and words more than what is moved about.
    let weight = |b: usize| match items[b].area {
        Some(_) => 1,
        None if source.get(items[b].range.start).is_some_and(|byte| b"()[]{}".contains(byte)) => 4,
        None => 2,
    };
    let mut found = vec![None; wanted.len()];
    let mut front = 0;
    while front < wanted.len().min(items.len()) && same(front, front) {
        found[front] = Some(front);
        front += 1;
    }
    let (mut a_end, mut b_end) = (wanted.len(), items.len());
    while a_end > front && b_end > front && same(a_end - 1, b_end - 1) {
        a_end -= 1;
        b_end -= 1;
        found[a_end] = Some(b_end);
    }
    let (rows, columns) = (a_end - front, b_end - front);
    if rows == 0 || columns == 0 || rows.saturating_mul(columns) > LARGEST {
        return found;
    }
    let mut best = vec![0_u32; (rows + 1) * (columns + 1)];
    let cell = |a: usize, b: usize| a * (columns + 1) + b;
    for a in (0..rows).rev() {
        for b in (0..columns).rev() {
            let skip = best[cell(a + 1, b)].max(best[cell(a, b + 1)]);
            let take = if same(front + a, front + b) { best[cell(a + 1, b + 1)] + weight(front + b) } else { 0 };
            best[cell(a, b)] = skip.max(take);
        }
    }
    let (mut a, mut b) = (0, 0);
    while a < rows && b < columns {
        let here = best[cell(a, b)];
        if same(front + a, front + b) && here == best[cell(a + 1, b + 1)] + weight(front + b) {
            found[front + a] = Some(front + b);
            a += 1;
            b += 1;
        } else if here == best[cell(a + 1, b)] {
            a += 1;
        } else {
            b += 1;
        }
    }
    found
}
