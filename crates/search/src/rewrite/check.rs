//! Looks whether the new text says what was meant: every captured node a node again, every replacement in one piece.

use std::ops::Range;

use rustc_hash::{FxHashMap, FxHashSet};
use vise_syntax::{Document, Injections, KindId, Language, Node, TreeArena};

use super::facts::{Around, Facts, continues, is_comment, is_container, terminated};
use super::forest::Forest;
use super::print::{Capture, Choices, Printed, Whole};
use super::template::Template;
use super::walk::walk;
use crate::matches::Bound;

/// What is wrong with a new text.
#[derive(Default)]
pub(super) struct Report {
    /// Errors in the tree.
    pub errors: Vec<Range<usize>>,
    /// Captures that are not what they were: match, item of the template, and whether they are one node all the same.
    pub captures: Vec<(usize, usize, bool)>,
    /// Replacements that are not in one piece, and whether they are bearable where parentheses do not help.
    pub wholes: Vec<(usize, bool)>,
    /// Replacements that the statement in front of them takes in.
    pub joined: Vec<usize>,
    /// Replacements that take in the statement behind them.
    pub joining: Vec<usize>,
    /// Line breaks of the template that stand in a string.
    pub verbatim: Vec<usize>,
    /// White space of the source that stands in a string.
    pub plain: Vec<(usize, usize)>,
}

/// What is compared.
pub(super) struct Checker<'c> {
    pub template: &'c Template,
    pub forest: &'c Forest<'c>,
    pub facts: &'c Facts,
    /// The old text.
    pub source: &'c [u8],
}

/// Nodes with one range.
#[derive(Default)]
struct Seen {
    kinds: Vec<KindId>,
    nodes: usize,
    /// The widest is a statement, member or item.
    listed: bool,
}

impl Checker<'_> {
    /// Checks a new text.
    pub(super) fn check(&self, document: &Document<'_>, printed: &Printed, choices: &Choices) -> Report {
        let language = document.language;
        let mut report = Report {
            errors: vise_syntax::errors(document.root()).iter().map(|node| node.range()).collect(),
            ..Report::default()
        };
        let mut sought = Sought::default();
        for capture in &printed.captures {
            sought.add(&capture.range);
            capture.elements.iter().flatten().for_each(|range| sought.add(range));
        }
        for whole in &printed.wholes {
            sought.add(&whole.inner);
            sought.add(&terminated(document, whole.inner.clone()));
            sought.add(&self.with_tail(whole));
        }
        let next = self.next_statements(language, printed, choices);
        let mut starts: FxHashSet<usize> = next.iter().map(|(_, offset)| *offset).collect();
        if language.description.asi {
            starts.extend(printed.wholes.iter().map(|whole| whole.inner.start));
            starts.extend(printed.captures.iter().map(|capture| capture.range.start));
        }
        sought.points.extend(starts.iter().copied());
        sought.points.extend(printed.breaks.iter().map(|line| line.offset));
        sought.points.sort_unstable();
        let seen = look(document, &sought, &starts);
        let mut mistaken: FxHashSet<usize> = FxHashSet::default();
        for capture in &printed.captures {
            if let Some(present) = self.is_amiss(language, capture, &sought, &seen) {
                report.captures.push((capture.live, capture.item, present));
            } else if self.is_node(capture) && is_mistakable(document, &capture.range, &seen) {
                mistaken.insert(capture.range.start);
                report.captures.push((capture.live, capture.item, false));
            }
        }
        if language.description.asi {
            // Inner ones come first, and one pair of parentheses is enough.
            for whole in printed.wholes.iter().filter(|whole| self.is_whole_checked(whole.live)) {
                let old = document_text(self.source, &self.forest.live[whole.live].range);
                let new = is_mistakable(document, &whole.inner, &seen) && !opens_statement(old);
                if new && mistaken.insert(whole.inner.start) {
                    report.wholes.push((whole.live, false));
                }
            }
        }
        self.check_wholes(document, printed, &sought, &seen, &mut report);
        if language.description.asi {
            let torn = |whole: &Whole| {
                self.facts.matches[whole.live].place.starts_statement
                    && continues(document_text(document.source, &whole.inner))
                    && !seen.starts.contains_key(&whole.inner.start)
            };
            report.joined.extend(printed.wholes.iter().filter(|whole| torn(whole)).map(|whole| whole.live));
            let lost = next.iter().filter(|(_, offset)| !seen.starts.contains_key(offset));
            report.joining.extend(lost.map(|(live, _)| *live));
        }
        for line in &printed.breaks {
            let after = seen.literals.partition_point(|literal| literal.start < line.offset);
            let inside = after.checked_sub(1).is_some_and(|at| seen.literals[at].end > line.offset);
            if inside && line.layout {
                report.plain.push((line.live, line.item));
            } else if inside && !choices.verbatim.contains(&line.item) {
                report.verbatim.push(line.item);
            }
        }
        report
    }

    /// For each outer replacement, where the statement behind it begins in the new text.
    fn next_statements(&self, language: &Language, printed: &Printed, choices: &Choices) -> Vec<(usize, usize)> {
        if !language.description.asi {
            return Vec::new();
        }
        let new: FxHashMap<usize, &Whole> = printed.wholes.iter().map(|whole| (whole.live, whole)).collect();
        let roots: Vec<(Range<usize>, &Whole)> = self
            .forest
            .roots
            .iter()
            .filter(|root| !choices.disabled.contains(root))
            .filter_map(|root| Some((self.forest.live[*root].range.clone(), *new.get(root)?)))
            .collect();
        let map = |offset: usize| {
            let after = roots.partition_point(|(old, _)| old.end <= offset);
            match after.checked_sub(1).map(|at| &roots[at]) {
                Some((old, whole)) => {
                    // Where another replacement begins, a terminator in front of it does not count.
                    let here = whole.range.end + (offset - old.end);
                    match roots.get(after) {
                        Some((old, whole)) if old.start == offset => whole.inner.start,
                        _ => here,
                    }
                }
                None => offset,
            }
        };
        roots
            .iter()
            .filter_map(|(_, whole)| {
                let next = self.facts.matches[whole.live].place.next_statement?;
                Some((whole.live, map(next)))
            })
            .collect()
    }

    /// Whether a captured text is not what it was; if so, whether it is one node at least.
    fn is_amiss(&self, language: &Language, capture: &Capture, sought: &Sought, seen: &Looked) -> Option<bool> {
        let item = &self.template.items[capture.item].what;
        let super::template::What::Hole(hole) = item else { return None };
        let hole = &self.template.holes[*hole];
        let live = &self.forest.live[capture.live];
        let area = &live.areas[capture.area];
        let elements = &self.facts.matches[capture.live].areas[capture.area].elements;
        if matches!(live.bound(capture.area), Some(Bound::Content(_))) {
            let inside = seen.literals_around(&capture.range);
            return (hole.in_text && !inside).then_some(false);
        }
        if hole.in_text || elements.iter().any(|element| element.kinds.is_empty()) {
            return None;
        }
        if hole.glued {
            // It makes a name together with what it touches; only a name can do that.
            return (!elements.iter().all(|element| element.leaf)).then_some(false);
        }
        match elements.as_slice() {
            [] => None,
            [element] => {
                let child = area.children.first().map(|child| &self.forest.live[*child]);
                if child.is_some_and(|child| child.range == area.range && self.is_whole_checked(area.children[0])) {
                    return None;
                }
                let found = sought.get(&capture.range).map(|at| &seen.nodes[at]);
                let changed = language.description.significant_indentation
                    && area.children.is_empty()
                    && found.is_some_and(|found| {
                        found.kinds.first() == element.kinds.first() && found.nodes != element.nodes
                    });
                let right = found.is_some_and(|found| is_same(language, &element.kinds, element.leaf, found));
                (!right || changed).then(|| !changed && found.is_some_and(|found| !found.kinds.is_empty()))
            }
            _ => {
                let missing = |range: &Range<usize>| sought.get(range).is_none_or(|at| seen.nodes[at].kinds.is_empty());
                capture.elements.iter().flatten().any(missing).then_some(false)
            }
        }
    }

    /// A replacement with what the old node had behind the match (a terminator, a comment).
    fn with_tail(&self, whole: &Whole) -> Range<usize> {
        let live = &self.forest.live[whole.live];
        whole.inner.start..whole.inner.end + live.found.whole.end.saturating_sub(live.range.end)
    }

    /// Whether a capture is one node, which could be put into parentheses.
    fn is_node(&self, capture: &Capture) -> bool {
        let super::template::What::Hole(hole) = self.template.items[capture.item].what else { return false };
        let hole = &self.template.holes[hole];
        let live = &self.forest.live[capture.live];
        let area = &live.areas[capture.area];
        let elements = &self.facts.matches[capture.live].areas[capture.area].elements;
        let covered = area.children.first().is_some_and(|child| self.forest.live[*child].range == area.range);
        !hole.in_text && !hole.glued && !covered && matches!(elements.as_slice(), [element] if !element.leaf)
    }

    /// Whether the replacement of a match has to be one piece.
    fn is_whole_checked(&self, live: usize) -> bool {
        let place = &self.facts.matches[live].place;
        place.found && !self.forest.live[live].found.partial
    }

    fn check_wholes(
        &self,
        document: &Document<'_>,
        printed: &Printed,
        sought: &Sought,
        seen: &Looked,
        report: &mut Report,
    ) {
        let language = document.language;
        let reading = &self.template.reading;
        let mut torn: Vec<&Whole> = Vec::new();
        for whole in printed.wholes.iter().filter(|whole| self.is_whole_checked(whole.live)) {
            let place = &self.facts.matches[whole.live].place;
            // A template that ends as a statement does is one, where the match was one.
            let ended = reading.statement || self.template.ends_statement();
            let free = reading.expression.is_empty() || reading.lone || place.statement && ended;
            // The template may be read as one thing where the pattern was another (a call, an enum's variant).
            let old = self.forest.live[whole.live].found.kind;
            let right = [whole.inner.clone(), terminated(document, whole.inner.clone()), self.with_tail(whole)]
                .iter()
                .filter_map(|range| sought.get(range))
                .map(|at| &seen.nodes[at])
                .any(|found| {
                    if free || found.kinds.contains(&old) {
                        !found.kinds.is_empty()
                    } else {
                        is_same(language, &reading.expression, false, found)
                    }
                });
            if !right {
                torn.push(whole);
            }
        }
        if torn.is_empty() {
            return;
        }
        torn.sort_by_key(|whole| (whole.inner.start, std::cmp::Reverse(whole.inner.end)));
        let around = around(document, &torn);
        for (whole, kind) in torn.iter().zip(around) {
            let place = &self.facts.matches[whole.live].place;
            let bearable = kind.is_some() && kind == place.parent;
            let other = reading.expression.is_empty() || place.statement && reading.statement;
            if !other || !bearable {
                report.wholes.push((whole.live, bearable));
            }
        }
    }
}

/// Whether an expression would be taken for a block or a declaration where it begins a statement or the body of an
/// arrow function. The grammar is more lenient than the language is.
fn is_mistakable(document: &Document<'_>, range: &Range<usize>, seen: &Looked) -> bool {
    if !document.language.description.asi || !opens_statement(document_text(document.source, range)) {
        return false;
    }
    let begins = seen.starts.get(&range.start).copied().unwrap_or(false);
    let arrow = document.source[..range.start].trim_ascii_end().ends_with(b"=>");
    begins || arrow && document.source.get(range.start) == Some(&b'{') && !seen.blocks.contains(&range.start)
}

/// Whether a text begins as a block or a declaration does.
fn opens_statement(text: &[u8]) -> bool {
    let word = text.iter().take_while(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$')).count();
    text.starts_with(b"{") || matches!(&text[..word], b"function" | b"class") || {
        let rest = text[word..].trim_ascii_start();
        &text[..word] == b"async" && rest.starts_with(b"function")
    }
}

fn document_text<'t>(source: &'t [u8], range: &Range<usize>) -> &'t [u8] {
    source.get(range.clone()).unwrap_or_default()
}

/// Whether nodes found at a range can be what was meant.
fn is_same(language: &Language, kinds: &[KindId], leaf: bool, found: &Seen) -> bool {
    if found.kinds.is_empty() {
        return false;
    }
    if leaf || found.kinds.iter().any(|kind| kinds.contains(kind)) {
        return true;
    }
    // Many grammars have two names for one thing (an array, an array pattern). But what was a value and is now a
    // block or a statement is another thing.
    !found.listed && !found.kinds.iter().any(|kind| language.containers.contains(*kind))
}

#[derive(Default)]
struct Sought {
    ranges: FxHashMap<(usize, usize), usize>,
    /// Offsets that the walk has to come to.
    points: Vec<usize>,
}

impl Sought {
    fn add(&mut self, range: &Range<usize>) {
        let next = self.ranges.len();
        self.ranges.entry((range.start, range.end)).or_insert(next);
        self.points.push(range.start);
    }

    fn get(&self, range: &Range<usize>) -> Option<usize> {
        self.ranges.get(&(range.start, range.end)).copied()
    }
}

struct Looked {
    /// For each sought range.
    nodes: Vec<Seen>,
    /// Offsets at which a statement, member or item begins.
    /// Whether that is an expression in the place of a statement.
    starts: FxHashMap<usize, bool>,
    /// Strings and comments, none in another.
    literals: Vec<Range<usize>>,
    /// Sought offsets at which a block begins.
    blocks: FxHashSet<usize>,
}

impl Looked {
    fn literals_around(&self, range: &Range<usize>) -> bool {
        let after = self.literals.partition_point(|literal| literal.start < range.start);
        after.checked_sub(1).is_some_and(|at| self.literals[at].end > range.end)
    }
}

fn look(document: &Document<'_>, sought: &Sought, starts: &FxHashSet<usize>) -> Looked {
    let language = document.language;
    let mut looked = Looked {
        nodes: std::iter::repeat_with(Seen::default).take(sought.ranges.len()).collect(),
        starts: FxHashMap::default(),
        literals: Vec::new(),
        blocks: FxHashSet::default(),
    };
    let arena = TreeArena::new();
    let injections = Injections::new(document, &arena);
    walk(&injections, &sought.points, |levels, node| {
        let next = sought.points.partition_point(|point| *point < node.start());
        if node.start() >= node.end() || sought.points.get(next).is_none_or(|point| *point >= node.end()) {
            return false;
        }
        let parent = levels.last().map(|level| level.parent);
        let listed = parent.is_some_and(|parent| is_container(language, parent, levels));
        if let Some(at) = sought.get(&node.range()) {
            let seen = &mut looked.nodes[at];
            if !node.is_error() {
                seen.listed |= seen.kinds.is_empty() && listed;
                seen.kinds.push(node.kind_id());
                seen.nodes = seen.nodes.max(node.descendant_count());
            }
        }
        if listed && node.is_named() && !node.is_extra() && starts.contains(&node.start()) {
            looked.starts.insert(node.start(), language.expression_statements.contains(node.kind_id()));
        }
        if language.containers.contains(node.kind_id()) && starts.contains(&node.start()) {
            looked.blocks.insert(node.start());
        }
        let literal = language.strings.contains(node.kind_id()) || is_comment(language, node, document.source);
        if literal && looked.literals.last().is_none_or(|known| known.end <= node.start()) {
            looked.literals.push(node.range());
        }
        true
    });
    looked
}

/// For each range, sorted by start, the deepest node that holds it.
fn around(document: &Document<'_>, torn: &[&Whole]) -> Vec<Option<Around>> {
    let mut kinds = vec![None; torn.len()];
    let arena = TreeArena::new();
    let injections = Injections::new(document, &arena);
    let points: Vec<usize> = torn.iter().map(|whole| whole.inner.start).collect();
    walk(&injections, &points, |_, node: Node<'_>| {
        let from = torn.partition_point(|whole| whole.inner.start < node.start());
        let mut any = false;
        for (at, whole) in torn.iter().enumerate().skip(from) {
            if whole.inner.start >= node.end() {
                break;
            }
            if whole.inner.end <= node.end() {
                kinds[at] = Some(Around {
                    kind: node.kind_id(),
                    before: node.start() < whole.inner.start,
                    after: node.end() > terminated(document, whole.inner.clone()).end,
                });
                any = true;
            }
        }
        any
    });
    kinds
}

/// The texts of the comments in each of these ranges, sorted by start and disjoint, with the number of each.
pub(super) fn comments_in(document: &Document<'_>, ranges: &[Range<usize>]) -> Vec<FxHashMap<Vec<u8>, usize>> {
    let mut found: Vec<FxHashMap<Vec<u8>, usize>> = vec![FxHashMap::default(); ranges.len()];
    let arena = TreeArena::new();
    let injections = Injections::new(document, &arena);
    walk(&injections, &[], |levels, node| {
        let at = ranges.partition_point(|range| range.end <= node.start());
        let Some(range) = ranges.get(at).filter(|range| range.start < node.end()) else { return levels.is_empty() };
        if is_comment(document.language, node, document.source) {
            if range.start <= node.start() {
                *found[at].entry(comment_text(document.text(node.range()))).or_default() += 1;
            }
            return false;
        }
        true
    });
    found
}

/// The text of a comment; some grammars count the line end to it.
pub(super) fn comment_text(text: &[u8]) -> Vec<u8> {
    text.trim_ascii_end().to_vec()
}
