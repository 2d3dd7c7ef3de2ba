//! What one walk over the old tree tells about each match: its own tokens, its comments, the place it stands in.

use std::ops::Range;

use rustc_hash::FxHashMap;
use vise_syntax::{Document, Injections, KindId, Language, Node};

use super::forest::{Forest, Owner, Owners, by_key};
use super::walk::{Level, walk};
use crate::matches::Bound;

/// The facts about the matches of a forest.
pub(super) struct Facts {
    /// One for each live match.
    pub matches: Vec<MatchFacts>,
    /// Strings and comments of more than one line, by start, none in another.
    pub literals: Vec<Range<usize>>,
    /// Ranges of comments in what is replaced, by start.
    pub comments: Vec<Range<usize>>,
}

/// The facts about a match.
#[derive(Default)]
pub(super) struct MatchFacts {
    /// Tokens and comments outside every area, in order.
    pub tokens: Vec<Token>,
    /// For each area.
    pub areas: Vec<AreaFacts>,
    pub place: Place,
}

/// A leaf of the tree, or a comment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Token {
    pub range: Range<usize>,
    pub comment: bool,
}

/// The facts about an area of a match.
#[derive(Default)]
pub(super) struct AreaFacts {
    /// For each captured node, the kinds of the nodes that have just its range, widest first.
    pub elements: Vec<Element>,
    pub comments: Vec<Range<usize>>,
    /// The string around the content of a string.
    pub string: Option<Range<usize>>,
}

/// A captured node.
#[derive(Default, Clone)]
pub(super) struct Element {
    pub range: Range<usize>,
    pub kinds: Vec<KindId>,
    /// It is one token.
    pub leaf: bool,
    pub nodes: usize,
}

/// Where a match stands.
#[derive(Default)]
pub(super) struct Place {
    /// Whether the match was found in the tree at all.
    pub found: bool,
    /// Below an error.
    pub broken: bool,
    /// The match is a statement or member, or the expression that one consists of.
    pub statement: bool,
    /// The match is the start of a statement.
    pub starts_statement: bool,
    /// Start of the statement behind the one that the match stands in.
    pub next_statement: Option<usize>,
    /// The statement, member or item that the match stands in; empty where there is none.
    pub around: Range<usize>,
    /// The first node around that is more than the match.
    pub parent: Option<Around>,
}

/// The node around a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Around {
    pub kind: KindId,
    /// It begins before the text.
    pub before: bool,
    /// It ends behind the text and its terminator.
    pub after: bool,
}

/// Whether a node is a comment, or anything else that may stand anywhere and says something.
pub(super) fn is_comment(language: &Language, node: Node<'_>, source: &[u8]) -> bool {
    if language.comments.contains(node.kind_id()) {
        return true;
    }
    if !node.is_extra() || !node.is_named() || node.is_error() {
        return false;
    }
    // A backslash in front of a line break is white space that a grammar names.
    let text = source.get(node.range()).unwrap_or_default();
    !text.iter().all(|byte| byte.is_ascii_whitespace() || *byte == b'\\')
}

/// A range and the terminator behind it.
pub(super) fn terminated(document: &Document<'_>, range: Range<usize>) -> Range<usize> {
    let terminator = document.language.description.terminator.as_bytes();
    let behind = document.source.get(range.end..).unwrap_or_default();
    let gap = behind.iter().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
    if !terminator.is_empty() && behind[gap..].starts_with(terminator) {
        range.start..range.end + gap + terminator.len()
    } else {
        range
    }
}

/// Whether a text can go on with what is on the line above it, where nothing ends that.
pub(super) fn continues(text: &[u8]) -> bool {
    text.first().is_some_and(|byte| b"([`+-/*<".contains(byte))
}

/// Whether the children of a node are statements, members or items.
pub(super) fn is_container(language: &Language, node: Node<'_>, levels: &[Level<'_>]) -> bool {
    language.containers.contains(node.kind_id()) || levels.first().is_none_or(|level| level.parent == node)
}

/// Collects the facts.
pub(super) fn collect(injections: &Injections<'_, '_>, forest: &Forest<'_>) -> Facts {
    let document = injections.document();
    let (language, source) = (document.language, document.source);
    let owners = forest.owners();
    let mut facts = Facts { matches: Vec::new(), literals: Vec::new(), comments: Vec::new() };
    for live in &forest.live {
        let areas = (0..live.areas.len())
            .map(|area| AreaFacts { elements: elements(live.bound(area)), comments: Vec::new(), string: None })
            .collect();
        facts.matches.push(MatchFacts { areas, ..MatchFacts::default() });
    }
    let mut sought = Sought::new(forest);
    // They are sorted by where they begin.
    let points: Vec<usize> = forest.live.iter().map(|live| live.range.start).collect();
    walk(injections, &points, |levels, node| {
        if node.start() >= node.end() || !owners.touch(&node.range()) {
            return levels.is_empty();
        }
        sought.place(document, forest, &mut facts, levels, node);
        sought.captured(&mut facts, node);
        let comment = is_comment(language, node, source);
        let literal = comment || language.strings.contains(node.kind_id());
        if literal {
            sought.content(&mut facts, node);
            let text = source.get(node.range()).unwrap_or_default();
            if memchr::memchr(b'\n', text).is_some()
                && facts.literals.last().is_none_or(|known| known.end <= node.start())
            {
                facts.literals.push(node.range());
            }
        }
        if comment || node.child_count() == 0 {
            if node.is_extra() && !comment {
                return false;
            }
            note_token(&mut facts, &owners, source, node.range(), comment);
            return false;
        }
        true
    });
    facts
}

fn note_token(facts: &mut Facts, owners: &Owners, source: &[u8], range: Range<usize>, comment: bool) {
    if comment {
        facts.comments.push(range.clone());
    }
    let mut start = range.start;
    // A capture may be a part of a token (the content of a string that the grammar leaves whole).
    while start < range.end {
        let (owner, end) = owners.at(start);
        let part = start..end.min(range.end);
        let blank = source.get(part.clone()).unwrap_or_default().trim_ascii().is_empty();
        start = part.end;
        match owner {
            Owner::Match(live) if !blank => facts.matches[live].tokens.push(Token { range: part, comment }),
            Owner::Area(live, area) if comment => facts.matches[live].areas[area].comments.push(part),
            _ => {}
        }
    }
}

fn elements(bound: Option<&Bound>) -> Vec<Element> {
    let element = |range: &Range<usize>| Element { range: range.clone(), ..Element::default() };
    match bound {
        Some(Bound::One(node)) => vec![element(&node.range)],
        Some(Bound::Many { elements, .. }) => elements.iter().map(|node| element(&node.range)).collect(),
        Some(Bound::Content(_)) | None => Vec::new(),
    }
}

/// A match, its area, and the place among that area's elements.
type ElementAt = (usize, usize, usize);

/// Ranges that the walk looks out for.
struct Sought {
    /// Start of a match → matches that begin there, the last one outermost.
    starts: FxHashMap<usize, Vec<usize>>,
    /// Captured range → match, area and element.
    captured: FxHashMap<(usize, usize), Vec<ElementAt>>,
    /// Contents of strings by start, each with its match and area.
    contents: Vec<(Range<usize>, usize, usize)>,
}

impl Sought {
    fn new(forest: &Forest<'_>) -> Self {
        let live = || forest.live.iter().enumerate();
        let starts = by_key(live().rev().map(|(at, live)| (live.range.start, at)));
        let areas = || live().flat_map(|(at, live)| (0..live.areas.len()).map(move |area| (at, live, area)));
        let captured = by_key(areas().flat_map(|(at, live, area)| {
            elements(live.bound(area))
                .into_iter()
                .enumerate()
                .map(move |(index, element)| ((element.range.start, element.range.end), (at, area, index)))
        }));
        let mut contents: Vec<_> = areas()
            .filter(|(_, live, area)| matches!(live.bound(*area), Some(Bound::Content(_))))
            .map(|(at, live, area)| (live.areas[area].range.clone(), at, area))
            .collect();
        contents.sort_by_key(|(range, at, _)| (range.start, *at));
        Self { starts, captured, contents }
    }

    /// Notes where the matches stand that begin with this node.
    fn place(
        &mut self,
        document: &Document<'_>,
        forest: &Forest<'_>,
        facts: &mut Facts,
        levels: &[Level<'_>],
        node: Node<'_>,
    ) {
        let Some(pending) = self.starts.get_mut(&node.start()) else { return };
        // The walk meets wide nodes first, and the last of the list is the widest match.
        while let Some(&at) = pending.last() {
            let live = &forest.live[at];
            let whole = live.found.whole.end.max(live.range.end);
            if node.end() > whole {
                break;
            }
            pending.pop();
            facts.matches[at].place = place(document, levels, node, &live.range, whole);
        }
    }

    fn captured(&mut self, facts: &mut Facts, node: Node<'_>) {
        for (live, area, index) in self.captured.get(&(node.start(), node.end())).into_iter().flatten() {
            let element = &mut facts.matches[*live].areas[*area].elements[*index];
            element.kinds.push(node.kind_id());
            element.leaf = node.child_count() == 0;
            element.nodes = element.nodes.max(node.descendant_count());
        }
    }

    fn content(&mut self, facts: &mut Facts, node: Node<'_>) {
        let from = self.contents.partition_point(|(range, ..)| range.start <= node.start());
        for (range, live, area) in &self.contents[from..] {
            if range.start >= node.end() {
                break;
            }
            if range.end < node.end() {
                facts.matches[*live].areas[*area].string = Some(node.range());
            }
        }
    }
}

fn place(document: &Document<'_>, levels: &[Level<'_>], node: Node<'_>, range: &Range<usize>, whole: usize) -> Place {
    let (language, source) = (document.language, document.source);
    let mut place = Place { found: true, ..Place::default() };
    place.broken = node.is_error() || levels.last().is_some_and(|level| level.broken);
    let holds_expression =
        |node: Node<'_>| language.expression_statements.contains(node.kind_id()) && node.start() == range.start;
    if let Some(level) = levels.last() {
        place.statement =
            holds_expression(node) || holds_expression(level.parent) || is_container(language, level.parent, levels);
    }
    place.parent = levels
        .iter()
        .rev()
        .map(|level| level.parent)
        .find(|parent| {
            let wider = parent.start() < range.start || parent.end() > whole;
            wider && !holds_expression(*parent)
        })
        .or_else(|| levels.first().map(|level| level.parent))
        .map(|parent| Around {
            kind: parent.kind_id(),
            before: parent.start() < range.start,
            after: parent.end() > terminated(document, range.start..whole).end,
        });
    if let Some(level) = levels.last().and_then(|level| levels.get(level.listing)) {
        place.around = level.current().map_or(0..0, Node::range);
        place.starts_statement = level.current().is_some_and(|statement| statement.start() == range.start);
        place.next_statement = level.children[level.index() + 1..]
            .iter()
            .map(|(next, _)| *next)
            .find(|next| next.is_named() && !next.is_extra() && next.start() >= whole)
            .map(Node::start)
            .filter(|start| {
                let between = source.get(range.end..*start).unwrap_or_default();
                let behind = source.get(*start..).unwrap_or_default();
                language.description.asi && (continues(behind) || memchr::memchr(b'\n', between).is_none())
            });
    }
    place
}
