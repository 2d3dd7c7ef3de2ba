//! An empty template: what goes with a match when it is deleted (its line, a separator, a marker).

use std::ops::Range;

use rustc_hash::{FxHashMap, FxHashSet};
use vise_syntax::{Injections, KindId, Language, Node, TreeArena, parse};
use vise_text::{Edit, apply};

use super::facts::{continues, is_comment, is_container};
use super::guilt::{Budget, errors_in, guilty};
use super::layout::{blanks, line_start, white, white_end};
use super::plan::shown;
use super::rounds::{Attempt, Rows};
use super::template::Template;
use super::walk::{Level, walk};
use super::{Dropped, Place, RewriteOptions, Rewritten};
use crate::matches::Match;

/// Deletes the matches for which `wanted` holds.
pub(super) fn attempt(
    injections: &Injections<'_, '_>,
    matches: &[Match],
    template: &Template,
    options: &RewriteOptions,
    budget: &Budget,
    wanted: &dyn Fn(usize) -> bool,
) -> Attempt {
    let document = injections.document();
    let source = document.source;
    let mut refused: Rows = Vec::new();
    let outer = outer(matches, source.len(), wanted, &mut refused);
    let Found { targets, lists, comments } = find(injections, matches, &outer);
    for (at, target) in targets.iter().enumerate() {
        if target.as_ref().is_some_and(|target| target.broken) {
            refused.push((outer[at], "broken", "it stands in text that the grammar cannot read".to_owned()));
        }
    }
    if !options.allow_comment_loss {
        for (at, comment) in &comments {
            let why = format!("the comment `{}` would be lost", shown(&source[comment.clone()]));
            refused.push((outer[*at], "comment", why));
        }
    }
    let removals = removals(source, &template.language, matches, &outer, &targets, &lists, &mut refused);
    if !refused.is_empty() {
        return Attempt::Refused(refused);
    }
    let old_errors = document.error_count();
    let text = removed(source, &removals, &FxHashSet::default());
    if errors_in(document.language, &text) > old_errors {
        let all: Vec<usize> = (0..removals.len()).collect();
        let guilty = guilty(&all, old_errors, |left_out| {
            let text = removed(source, &removals, left_out);
            budget.take(text.len()).then(|| errors_in(document.language, &text))
        });
        let why = "without it the text would have an error".to_owned();
        let rows = guilty.iter().flat_map(|at| &removals[*at].matches);
        return Attempt::Refused(rows.map(|index| (*index, "parse", why.clone())).collect());
    }
    let strange = misread(document.language, &text, &removals);
    if !strange.is_empty() {
        let why = "without it what is around it would mean something else".to_owned();
        let rows = strange.iter().flat_map(|at| &removals[*at].matches);
        return Attempt::Refused(rows.map(|index| (*index, "parse", why.clone())).collect());
    }
    let mut done = Rewritten { text, ..Rewritten::default() };
    for removal in &removals {
        let changes = removal.matches.len();
        done.changes += changes;
        done.edits.push(Edit { range: removal.range.clone(), text: Vec::new() });
        done.places.push(Place { range: removal.range.clone(), text: Vec::new(), changes });
    }
    done.dropped_comments =
        comments.into_iter().map(|(_, range)| Dropped { offset: range.start, text: source[range].to_vec() }).collect();
    Attempt::Done(done)
}

/// The matches that stand in no other, by start.
fn outer(matches: &[Match], len: usize, wanted: &dyn Fn(usize) -> bool, refused: &mut Rows) -> Vec<usize> {
    let mut order: Vec<usize> = (0..matches.len()).filter(|index| wanted(*index)).collect();
    order.sort_by_key(|index| {
        let range = &matches[*index].range;
        (range.start, std::cmp::Reverse(range.end), *index)
    });
    let mut outer: Vec<usize> = Vec::new();
    for index in order {
        let range = &matches[index].range;
        let end = outer.last().map_or(0, |last| matches[*last].range.end);
        if range.start >= end && range.end <= len && range.start < range.end {
            outer.push(index);
        } else if range.end > end {
            refused.push((index, "overlap", "it overlaps a match that begins before it".to_owned()));
        }
    }
    outer
}

/// A match in the tree.
struct Target {
    broken: bool,
    /// The list of children that it is in, and its first and last place there.
    list: usize,
    first: usize,
    last: usize,
    /// The widest node, or the run, that is nothing but the match.
    span: Range<usize>,
}

/// The children of a node in which a match stands.
struct List {
    children: Vec<Child>,
    range: Range<usize>,
    kind: KindId,
    container: bool,
    root: bool,
}

struct Child {
    range: Range<usize>,
    what: What,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum What {
    Named,
    Comment,
    Separator,
    Terminator,
    Marker,
    Token,
}

struct Found {
    /// For each outer match; none for a header or a match that is not in the tree.
    targets: Vec<Option<Target>>,
    lists: Vec<List>,
    /// Comments in what is deleted, each with the place of its match among the outer ones.
    comments: Vec<(usize, Range<usize>)>,
}

fn find(injections: &Injections<'_, '_>, matches: &[Match], outer: &[usize]) -> Found {
    let document = injections.document();
    let (language, source) = (document.language, document.source);
    let mut found = Found { targets: outer.iter().map(|_| None).collect(), lists: Vec::new(), comments: Vec::new() };
    let mut known: FxHashMap<usize, usize> = FxHashMap::default();
    let points: Vec<usize> = outer.iter().map(|index| matches[*index].range.start).collect();
    walk(injections, &points, |levels, node| {
        let at = outer.partition_point(|index| matches[*index].range.end <= node.start());
        let Some(here) = outer.get(at).map(|index| &matches[*index]) else { return false };
        if node.start() >= node.end() || here.range.start >= node.end() {
            return false;
        }
        let whole = here.whole.end.max(here.range.end);
        if found.targets[at].is_none() && node.start() == here.range.start && node.end() <= whole {
            found.targets[at] = target(language, source, levels, node, here, &mut known, &mut found.lists);
        }
        if is_comment(language, node, source) {
            if node.start() >= here.range.start {
                found.comments.push((at, node.range()));
            }
            return false;
        }
        true
    });
    found
}

fn target(
    language: &Language,
    source: &[u8],
    levels: &[Level<'_>],
    node: Node<'_>,
    found: &Match,
    known: &mut FxHashMap<usize, usize>,
    lists: &mut Vec<List>,
) -> Option<Target> {
    if found.partial {
        return None;
    }
    let mut span = found.range.clone();
    if node.end() > span.end {
        span.end = node.end();
    }
    let mut level = levels.len().checked_sub(1)?;
    while level > 0 {
        let parent = levels[level].parent;
        let behind = source.get(span.end..parent.end()).unwrap_or_default().trim_ascii();
        let terminated = behind == language.description.terminator.as_bytes()
            && language.expression_statements.contains(parent.kind_id());
        let same = parent.start() == span.start && (parent.end() == span.end || terminated);
        if !same || language.containers.contains(parent.kind_id()) {
            break;
        }
        span = parent.range();
        level -= 1;
    }
    let here = &levels[level];
    let list = *known.entry(here.parent.id()).or_insert_with(|| {
        let children = here
            .children
            .iter()
            .map(|(child, _)| Child { range: child.range(), what: what(language, source, *child) })
            .filter(|child| !child.range.is_empty() && !is_blank(source, &child.range))
            .collect();
        lists.push(List {
            children,
            range: here.parent.range(),
            kind: here.parent.kind_id(),
            container: is_container(language, here.parent, levels),
            root: level == 0,
        });
        lists.len() - 1
    });
    let children = &lists[list].children;
    let first = children.partition_point(|child| child.range.start < span.start);
    let last = children.partition_point(|child| child.range.end <= span.end).checked_sub(1)?.max(first);
    children.get(last)?;
    let broken = node.is_error() || levels.iter().any(|level| level.parent.is_error());
    Some(Target { broken, list, first, last, span })
}

fn is_blank(source: &[u8], range: &Range<usize>) -> bool {
    source.get(range.clone()).unwrap_or_default().trim_ascii().is_empty()
}

fn what(language: &Language, source: &[u8], node: Node<'_>) -> What {
    let kind = node.kind_id();
    if is_comment(language, node, source) {
        What::Comment
    } else if node.is_named() {
        What::Named
    } else if node.kind() == language.description.terminator {
        What::Terminator
    } else if language.separators.contains(kind) {
        What::Separator
    } else if language.markers.contains(kind) {
        What::Marker
    } else {
        What::Token
    }
}

/// A piece of text that goes, with the matches in it.
struct Removal {
    range: Range<usize>,
    matches: Vec<usize>,
    /// The range and kind of the node around that stays, where that has to be the same as before.
    parent: Option<(Range<usize>, KindId)>,
    /// Where the statement behind begins.
    next: Option<usize>,
}

fn removals(
    source: &[u8],
    language: &Language,
    matches: &[Match],
    outer: &[usize],
    targets: &[Option<Target>],
    lists: &[List],
    refused: &mut Rows,
) -> Vec<Removal> {
    let mut by_list: Vec<Vec<usize>> = lists.iter().map(|_| Vec::new()).collect();
    let mut removals: Vec<Removal> = Vec::new();
    for (at, target) in targets.iter().enumerate() {
        match target {
            Some(target) => by_list[target.list].push(at),
            None => removals.push(Removal {
                range: matches[outer[at]].range.clone(),
                matches: vec![outer[at]],
                parent: None,
                next: None,
            }),
        }
    }
    for (list, members) in lists.iter().zip(&by_list) {
        // Elements that stand side by side go together, with one separator less than they are.
        let mut gone = 0;
        let mut groups: Vec<(usize, usize, Vec<usize>, Range<usize>)> = Vec::new();
        for target in members.iter().filter_map(|at| targets[*at].as_ref().map(|target| (*at, target))) {
            let (at, target) = target;
            gone += (target.first..=target.last)
                .filter(|child| list.children.get(*child).is_some_and(|child| child.what == What::Named))
                .count();
            let joins = groups.last().is_some_and(|(_, last, ..)| {
                *last < target.first
                    && list.children[*last + 1..target.first]
                        .iter()
                        .all(|child| matches!(child.what, What::Separator | What::Terminator))
                    && target.first - *last <= 2
                    && !list.container
            });
            match groups.last_mut() {
                Some((_, last, rows, span)) if joins => {
                    *last = target.last;
                    rows.push(outer[at]);
                    span.end = target.span.end;
                }
                _ => groups.push((target.first, target.last, vec![outer[at]], target.span.clone())),
            }
        }
        let all = list.children.iter().filter(|child| child.what == What::Named).count();
        if language.description.significant_indentation && list.container && !list.root && gone >= all {
            let why = "without it the block would be empty".to_owned();
            refused.extend(members.iter().map(|at| (outer[*at], "parse", why.clone())));
        }
        let mut next = None;
        let mut behind = list.children.len();
        for (first, last, matches, span) in groups.into_iter().rev() {
            let range = removal(source, list, first, last, &span);
            // The first that stays of what is behind.
            let staying = list.children.get(last + 1..behind).unwrap_or_default().iter();
            next = staying.map(|child| (child.what, child.range.start)).find(|(what, _)| *what == What::Named).or(next);
            behind = first;
            let next = next.map(|(_, start)| start).filter(|start| {
                language.description.asi && list.container && continues(source.get(*start..).unwrap_or_default())
            });
            let parent = (!list.container && !list.root).then(|| (list.range.clone(), list.kind));
            removals.push(Removal { range, matches, parent, next });
        }
    }
    removals.sort_by_key(|removal| (removal.range.start, removal.range.end));
    let mut merged: Vec<Removal> = Vec::new();
    for removal in removals {
        match merged.last_mut() {
            Some(last) if removal.range.start < last.range.end => {
                last.range.end = last.range.end.max(removal.range.end);
                last.matches.extend(removal.matches);
                last.parent = None;
                last.next = removal.next;
            }
            _ => merged.push(removal),
        }
    }
    merged
}

/// What goes with the children from `first` to `last`.
fn removal(source: &[u8], list: &List, first: usize, last: usize, span: &Range<usize>) -> Range<usize> {
    let solid = |child: &&Child| child.what != What::Comment;
    let next = list.children.get(last + 1..).unwrap_or_default().iter().find(solid);
    let previous = list.children.get(..first).unwrap_or_default().iter().rev().find(solid);
    let next_is = |what: What| next.is_some_and(|next| next.what == what);
    let previous_is = |what: What| previous.is_some_and(|previous| previous.what == what);
    let mut range = span.clone();
    if next_is(What::Terminator)
        && list.container
        && let Some(next) = next
    {
        range.end = next.range.end;
        return lines(source, &range).unwrap_or_else(|| beside(source, range));
    }
    if next_is(What::Separator)
        && let Some(next) = next
    {
        range.end = next.range.end;
        if let Some(lines) = lines(source, &range) {
            return lines;
        }
        let more = list
            .children
            .iter()
            .skip_while(|child| child.range.start < range.end)
            .any(|child| child.what == What::Named);
        if !more && previous_is(What::Separator) {
            range.start -= white_end(&source[..range.start]);
        } else if more {
            range.end += white(&source[range.end..]);
        }
        return range;
    }
    if previous_is(What::Separator)
        && let Some(previous) = previous
    {
        return previous.range.start..range.end;
    }
    if previous_is(What::Marker)
        && let Some(previous) = previous
    {
        let start = previous.range.start;
        return start - white_end(&source[..start])..range.end;
    }
    lines(source, &range).unwrap_or_else(|| beside(source, range))
}

/// The whole lines of a range that has them to itself.
fn lines(source: &[u8], range: &Range<usize>) -> Option<Range<usize>> {
    let start = line_start(source, range.start);
    let end = range.end + blanks(&source[range.end..]);
    if !is_blank(source, &(start..range.start)) {
        return None;
    }
    match &source[end..] {
        [b'\n', ..] => Some(start..end + 1),
        [b'\r', b'\n', ..] => Some(start..end + 2),
        // The last line had no line end; the one that becomes the last shall have none.
        [] => {
            let before = source[..start].strip_suffix(b"\n").unwrap_or(&source[..start]);
            let before = before.strip_suffix(b"\r").unwrap_or(before);
            Some(before.len()..end)
        }
        _ => None,
    }
}

/// A range with the blanks on one side.
fn beside(source: &[u8], range: Range<usize>) -> Range<usize> {
    let start = line_start(source, range.start);
    if is_blank(source, &(start..range.start)) {
        return range.start..range.end + blanks(&source[range.end..]);
    }
    let before = source[..range.start].iter().rev().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
    range.start - before..range.end
}

fn removed(source: &[u8], removals: &[Removal], left_out: &FxHashSet<usize>) -> Vec<u8> {
    let edits: Vec<Edit> = removals
        .iter()
        .enumerate()
        .filter(|(at, _)| !left_out.contains(at))
        .map(|(_, removal)| Edit { range: removal.range.clone(), text: Vec::new() })
        .collect();
    apply(source, &edits).unwrap_or_else(|_| source.to_vec())
}

/// Removals around which the new text is read as something else.
fn misread(language: &Language, text: &[u8], removals: &[Removal]) -> Vec<usize> {
    let mut gone = 0;
    let ends: Vec<(usize, usize)> = removals
        .iter()
        .map(|removal| {
            gone += removal.range.len();
            (removal.range.end, gone)
        })
        .collect();
    let map = |offset: usize| {
        let after = ends.partition_point(|(end, _)| *end <= offset);
        let gone = after.checked_sub(1).map_or(0, |at| ends[at].1);
        let start = removals.get(after).map_or(offset, |removal| removal.range.start.min(offset));
        start - gone
    };
    let mut sought: FxHashMap<(usize, usize), Vec<(usize, KindId)>> = FxHashMap::default();
    let mut starts: FxHashMap<usize, Vec<usize>> = FxHashMap::default();
    for (at, removal) in removals.iter().enumerate() {
        if let Some((range, kind)) = &removal.parent
            && map(range.start) < map(range.end)
        {
            sought.entry((map(range.start), map(range.end))).or_default().push((at, *kind));
        }
        if let Some(next) = removal.next {
            starts.entry(map(next)).or_default().push(at);
        }
    }
    let Ok(document) = parse(language, text) else { return (0..removals.len()).collect() };
    let arena = TreeArena::new();
    let injections = Injections::new(&document, &arena);
    let mut points: Vec<usize> = sought.keys().map(|(start, _)| *start).chain(starts.keys().copied()).collect();
    points.sort_unstable();
    walk(&injections, &points, |levels, node| {
        let next = points.partition_point(|point| *point < node.start());
        if points.get(next).is_none_or(|point| *point >= node.end()) {
            return false;
        }
        if let Some(rows) = sought.get_mut(&(node.start(), node.end())) {
            rows.retain(|(_, kind)| *kind != node.kind_id());
        }
        if levels.last().is_some_and(|level| is_container(language, level.parent, levels)) && node.is_named() {
            starts.remove(&node.start());
        }
        true
    });
    let mut strange: Vec<usize> =
        sought.into_values().flatten().map(|(at, _)| at).chain(starts.into_values().flatten()).collect();
    strange.sort_unstable();
    strange.dedup();
    strange
}
