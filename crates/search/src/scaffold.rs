//! A fragment put into a scaffold: stand-ins for its metavariables, one parse, and the nodes it was read as.

use std::ops::Range;

use vise_syntax::{Document, Language, Node, errors, parse_fragment};

use crate::items::is_blank;
use crate::metavariable::{Kind, Piece};

/// Which stand-in is taken for each metavariable of the fragment, by its place among the alternatives.
pub(crate) type Choice = Vec<usize>;

/// What stands for a metavariable in a scaffolded text.
#[derive(Debug, Clone)]
pub(crate) struct StandIn {
    /// The place among the fragment's pieces.
    pub piece: usize,
    /// The whole stand-in.
    pub range: Range<usize>,
    /// The same without the separator that it may end with.
    pub bare: Range<usize>,
    /// The unique word in it; the same as `range` for a trial operator.
    pub word: Range<usize>,
}

/// The text of a fragment in a scaffold.
#[derive(Debug, Clone)]
pub(crate) struct Scaffolded {
    pub text: String,
    /// The fragment.
    pub hole: Range<usize>,
    /// Bytes appended to the fragment: a terminator, or what completes a header.
    pub appended: usize,
    pub stand_ins: Vec<StandIn>,
    /// For each piece, where it begins in the text.
    starts: Vec<usize>,
}

/// The alternatives for a metavariable of this kind.
pub(crate) fn alternatives(language: &Language, kind: Kind) -> &[String] {
    let stand_ins = &language.description.stand_ins;
    match kind {
        Kind::One => &stand_ins.single,
        Kind::Many => &stand_ins.ellipsis,
        Kind::Token => &stand_ins.token,
    }
}

impl Scaffolded {
    /// Puts the pieces of a fragment between two texts.
    pub(crate) fn new(
        language: &Language,
        pieces: &[Piece],
        choice: &Choice,
        (before, after): (&str, &str),
        appended: &str,
    ) -> Self {
        // Later lines of the fragment are as deep as the hole, for languages where that counts.
        let line = &before[before.rfind('\n').map_or(0, |at| at + 1)..];
        let indent = if language.description.significant_indentation && line.trim().is_empty() { line } else { "" };
        let mut text = before.to_owned();
        let mut stand_ins = Vec::new();
        let mut starts = Vec::new();
        let mut number = 0;
        for (index, piece) in pieces.iter().enumerate() {
            starts.push(text.len());
            match piece {
                Piece::Text(piece, _) if indent.is_empty() => text.push_str(piece),
                Piece::Text(piece, _) => text.push_str(&piece.replace('\n', &format!("\n{indent}"))),
                Piece::Hole(hole) => {
                    let form = alternatives(language, hole.kind).get(choice[number]).map_or("§", String::as_str);
                    let start = text.len();
                    // One word for one name: a closing tag must say what the opening one says.
                    let same = |piece: &Piece| matches!(piece, Piece::Hole(known) if known.name == hole.name);
                    let first = hole.name.as_ref().and_then(|_| pieces.iter().position(same)).unwrap_or(index);
                    let lower = format!("vmz{first}z");
                    let unique = form.replace('§', &lower).replace('¶', &format!("Vmz{first}z"));
                    text.push_str(&unique);
                    let range = start..text.len();
                    let word = form.find(['§', '¶']).map_or(range.clone(), |at| start + at..start + at + lower.len());
                    // A separator that the stand-in ends with is no part of it.
                    let body = unique.trim_end_matches(|c: char| {
                        c.is_whitespace()
                            || language.description.separators.iter().any(|s| s.len() == 1 && s.starts_with(c))
                    });
                    let bare = start..start + body.len();
                    stand_ins.push(StandIn { piece: index, range, bare, word });
                    number += 1;
                }
            }
        }
        let hole = before.len()..text.len();
        text.push_str(appended);
        text.push_str(after);
        Self { text, hole, appended: appended.len(), stand_ins, starts }
    }

    /// Parses the text. `None` when that takes too much work.
    pub(crate) fn parse<'s>(&'s self, language: &'s Language) -> Option<Document<'s>> {
        parse_fragment(language, self.text.as_bytes()).ok()
    }

    /// The byte of the pattern that a byte of the text comes from.
    pub(crate) fn pattern_offset(&self, pieces: &[Piece], offset: usize) -> usize {
        let index = self.starts.partition_point(|start| *start <= offset).saturating_sub(1);
        match pieces.get(index) {
            None => 0,
            Some(Piece::Hole(hole)) => {
                if index + 1 == pieces.len() && offset >= self.hole.end {
                    hole.range.end
                } else {
                    hole.range.start
                }
            }
            Some(Piece::Text(_, range)) => (range.start + offset - self.starts[index]).min(range.end),
        }
    }
}

/// What is wrong with a tree: how much, and where first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Badness {
    /// Errors, and the bytes in them.
    pub amount: usize,
    /// Offset of the first.
    pub first: usize,
}

/// How bad a parsed scaffold is; `None` when it is clean.
pub(crate) fn badness(document: &Document<'_>) -> Option<Badness> {
    if !document.root().has_error() {
        return None;
    }
    let errors = errors(document.root());
    let amount = errors.iter().map(|node| 1 + node.range().len()).sum();
    // An error node begins where the parser began to be lost, which is often far in front of the culprit; the last
    // leaf that it could still read is nearer.
    let first = errors.iter().map(|node| first_stray(*node)).min().unwrap_or(0);
    Some(Badness { amount, first })
}

fn first_stray(error: Node<'_>) -> usize {
    let children = error.children();
    match children.iter().find(|(child, _)| child.is_error()) {
        Some((inner, _)) if error.is_error() => inner.start(),
        _ => error.start(),
    }
}

/// The nodes that a fragment was read as.
#[derive(Debug)]
pub(crate) struct Chosen<'t> {
    /// The elements: one node, or a run of siblings.
    pub nodes: Vec<Node<'t>>,
    /// The widest node that is exactly the fragment, for a single node.
    pub widest: Option<Node<'t>>,
    /// The end of the fragment's nodes includes what was appended.
    pub needs_appended: bool,
    /// The node that holds a run.
    pub parent: Option<Node<'t>>,
}

/// Finds the node, or the run of siblings, that is exactly the fragment (or the fragment and what was appended).
pub(crate) fn choose<'t>(language: &Language, document: &'t Document<'_>, text: &Scaffolded) -> Option<Chosen<'t>> {
    let (start, end) = (text.hole.start, text.hole.end);
    let far = end + text.appended;
    let root = document.root();
    let mut path = vec![root];
    let mut top = root;
    while let Some(child) = covering(top, start, end) {
        path.push(child);
        top = child;
    }
    for end in [end, far] {
        let exact: Vec<Node<'t>> = path.iter().skip(1).copied().filter(|node| node.range() == (start..end)).collect();
        if let Some(deepest) = exact.iter().rev().find(|node| node.is_named()) {
            let listed = elements(language, *deepest);
            let undelimited = language.containers.contains(deepest.kind_id())
                && listed.first().is_some_and(|first| first.start() == start);
            if undelimited && listed.len() > 1 {
                let needs_appended = end > text.hole.end;
                return Some(Chosen { nodes: listed, widest: None, needs_appended, parent: Some(*deepest) });
            }
            let widest = exact
                .iter()
                .copied()
                .find(|node| {
                    node.is_named()
                        && !language.containers.contains(node.kind_id())
                        && !language.expression_statements.contains(node.kind_id())
                })
                .unwrap_or(*deepest);
            return Some(Chosen {
                nodes: vec![*deepest],
                widest: Some(widest),
                needs_appended: end > text.hole.end,
                parent: None,
            });
        }
        if far == text.hole.end {
            break;
        }
    }
    // No node is just the fragment: siblings may be, side by side.
    let parent = *path.last()?;
    let run: Vec<Node<'t>> = parent
        .children()
        .into_iter()
        .map(|(node, _)| node)
        .filter(|node| node.start() >= start && node.end() <= far && node.start() < node.end())
        .collect();
    let (first, last) = (run.first()?, run.last()?);
    if first.start() != start || (last.end() != end && last.end() != far) {
        return None;
    }
    let significant: Vec<Node<'t>> = run
        .into_iter()
        .filter(|node| !node.is_extra() && !language.comments.contains(node.kind_id()))
        .filter(|node| !language.separators.contains(node.kind_id()) && !is_blank(*node, text.text.as_bytes()))
        .collect();
    if significant.is_empty() || !significant.iter().all(|node| node.is_named()) {
        return None;
    }
    let widest = if significant.len() == 1 { Some(significant[0]) } else { None };
    let needs_appended = significant.last().is_some_and(|node| node.end() > end);
    Some(Chosen { nodes: significant, widest, needs_appended, parent: Some(parent) })
}

/// Whether a named node was made of nothing but appended text: then the fragment lacks that node.
pub(crate) fn lacks_a_part(chosen: &Chosen<'_>, text: &Scaffolded) -> bool {
    let mut lacks = false;
    for node in &chosen.nodes {
        vise_syntax::visit(*node, |node| {
            lacks |= node.is_named() && node.start() >= text.hole.end && node.start() < node.end();
            node.end() > text.hole.end
        });
    }
    lacks
}

fn covering<'t>(node: Node<'t>, start: usize, end: usize) -> Option<Node<'t>> {
    let mut cursor = node.walk();
    if !cursor.first_child() {
        return None;
    }
    loop {
        let child = cursor.node();
        if child.start() <= start && child.end() >= end && child.start() < child.end() {
            return Some(child);
        }
        if child.start() > start || !cursor.next_sibling() {
            return None;
        }
    }
}

/// The named children that are no comments.
fn elements<'t>(language: &Language, node: Node<'t>) -> Vec<Node<'t>> {
    node.children()
        .into_iter()
        .map(|(child, _)| child)
        .filter(|child| child.is_named() && !child.is_extra() && !language.comments.contains(child.kind_id()))
        .collect()
}
