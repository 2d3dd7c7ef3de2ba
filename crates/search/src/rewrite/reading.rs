//! What a template is on its own: an expression, a statement, or neither.

use std::ops::Range;

use vise_syntax::{Document, KindId, Language, Node, RungName, parse};

use super::template::{Template, What};
use crate::metavariable::Kind;

/// What the grammar makes of a template.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Reading {
    /// Kinds of the node that the template is where an expression, a type or a pattern stands, widest first.
    pub expression: Vec<KindId>,
    /// In the place of a statement the template is one or more statements, no bare expression.
    pub statement: bool,
    /// It is a metavariable and nothing else.
    pub lone: bool,
    /// For each hole, whether it stands in the text of a string or comment; empty when nothing reads the template.
    pub in_text: Vec<bool>,
}

/// Forms of stand-ins that are tried for the holes of a template.
const FORMS: usize = 4;

struct Filled {
    text: String,
    hole: Range<usize>,
    stand_ins: Vec<Range<usize>>,
}

/// Reads a template.
pub(super) fn read(language: &Language, template: &Template) -> Reading {
    let mut reading = Reading {
        lone: matches!(template.items.as_slice(), [item] if matches!(item.what, What::Hole(_))),
        ..Reading::default()
    };
    if template.items.is_empty() {
        return reading;
    }
    for rung in [RungName::Expression, RungName::Type, RungName::Pattern] {
        let scaffolds = language.rungs().filter(|(name, _)| *name == rung).flat_map(|(_, scaffolds)| scaffolds);
        for scaffold in scaffolds {
            if reading.expression.is_empty() {
                read_expression(language, template, scaffold, &mut reading);
            }
        }
    }
    let statements = language
        .rungs()
        .filter(|(name, _)| matches!(name, RungName::Statement | RungName::Member | RungName::TopLevel))
        .flat_map(|(_, scaffolds)| scaffolds);
    for scaffold in statements {
        for end in ["", language.description.terminator.as_str()] {
            if !reading.statement {
                read_statement(language, template, (scaffold.0, &format!("{end}{}", scaffold.1)), end, &mut reading);
            }
        }
    }
    reading
}

fn read_expression(language: &Language, template: &Template, scaffold: (&str, &str), reading: &mut Reading) {
    for form in 0..FORMS {
        let Some(filled) = fill(language, template, scaffold, form) else { return };
        let Ok(document) = parse(language, filled.text.as_bytes()) else { return };
        if document.root().has_error() {
            continue;
        }
        note_holes(&document, &filled, reading);
        let path = path_to(document.root(), &filled.hole);
        let exact: Vec<Node<'_>> =
            path.into_iter().skip(1).filter(|node| node.range() == filled.hole && node.is_named()).collect();
        if exact.last().is_some_and(|node| !is_list(language, *node))
            && !exact.iter().any(|node| language.expression_statements.contains(node.kind_id()))
        {
            reading.expression = exact.iter().map(|node| node.kind_id()).collect();
            return;
        }
    }
}

fn read_statement(
    language: &Language,
    template: &Template,
    scaffold: (&str, &str),
    terminator: &str,
    reading: &mut Reading,
) {
    for form in 0..FORMS {
        let Some(filled) = fill(language, template, scaffold, form) else { return };
        let Ok(document) = parse(language, filled.text.as_bytes()) else { return };
        if document.root().has_error() {
            continue;
        }
        note_holes(&document, &filled, reading);
        let far = filled.hole.start..filled.hole.end + terminator.len();
        let path = path_to(document.root(), &filled.hole);
        let exact: Vec<Node<'_>> = path
            .into_iter()
            .skip(1)
            .filter(|node| node.is_named() && (node.range() == filled.hole || node.range() == far))
            .collect();
        reading.statement = !exact.iter().any(|node| {
            language.expression_statements.contains(node.kind_id()) || reading.expression.contains(&node.kind_id())
        });
        return;
    }
}

/// Whether a node is elements with separators between them and no brackets around: several things, not one.
fn is_list(language: &Language, node: Node<'_>) -> bool {
    let children = node.children();
    children.first().is_some_and(|(first, _)| first.is_named())
        && children.iter().any(|(child, _)| !child.is_named() && language.separators.contains(child.kind_id()))
}

fn note_holes(document: &Document<'_>, filled: &Filled, reading: &mut Reading) {
    if !reading.in_text.is_empty() {
        return;
    }
    let language = document.language;
    let is_text =
        |node: &Node<'_>| language.strings.contains(node.kind_id()) || language.comments.contains(node.kind_id());
    reading.in_text = filled
        .stand_ins
        .iter()
        .map(|range| {
            let path = path_to(document.root(), range);
            let exact = path.iter().rev().find(|node| node.range() == *range);
            let around = path.iter().rev().find(|node| node.range() != *range);
            exact.is_some_and(is_text) || around.is_some_and(is_text)
        })
        .collect();
}

/// The nodes that hold a range, from the root down.
fn path_to<'t>(root: Node<'t>, range: &Range<usize>) -> Vec<Node<'t>> {
    let mut path = vec![root];
    let mut node = root;
    loop {
        let below = node.children().into_iter().map(|(child, _)| child);
        let holds =
            |child: &Node<'t>| child.start() <= range.start && child.end() >= range.end && child.start() < child.end();
        match below.into_iter().find(holds) {
            Some(child) => {
                path.push(child);
                node = child;
            }
            None => return path,
        }
    }
}

/// The template in a scaffold, with stand-ins of one form. `None` when there is no other such form.
fn fill(language: &Language, template: &Template, (before, after): (&str, &str), form: usize) -> Option<Filled> {
    let line = &before[before.rfind('\n').map_or(0, |at| at + 1)..];
    let indent = if line.trim().is_empty() { line } else { "" };
    let forms = |kind: Kind| match kind {
        Kind::One => &language.description.stand_ins.single,
        Kind::Many => &language.description.stand_ins.ellipsis,
        Kind::Token => &language.description.stand_ins.token,
    };
    if form > 0 && !template.holes.iter().any(|hole| forms(hole.kind).len() > form) {
        return None;
    }
    let terminator = language.description.terminator.as_str();
    let last = template.items.len().checked_sub(1)?;
    let mut text = before.to_owned();
    let mut stand_ins = Vec::new();
    for (at, item) in template.items.iter().enumerate() {
        if at == last && at > 0 && !terminator.is_empty() && template.word(at) == Some(terminator) {
            break;
        }
        text.push_str(&item.gap.text.replace('\n', &format!("\n{indent}")));
        match &item.what {
            What::Word(range) => text.push_str(&template.words[range.clone()]),
            What::Hole(hole) => {
                let forms = forms(template.holes[*hole].kind);
                let plain = template.holes[*hole].glued || template.holes[*hole].quotes.is_some();
                let form = forms.get(form).or_else(|| forms.first()).filter(|_| !plain);
                let form = form.map_or("§", String::as_str);
                let number = stand_ins.len();
                let start = text.len();
                let sign = form.find(['§', '¶']).unwrap_or(0);
                let written = form.replace('§', &format!("vmz{number}z")).replace('¶', &format!("Vmz{number}z"));
                let word = written.len() + '§'.len_utf8() - form.len();
                text.push_str(&written);
                stand_ins.push(if form.contains(['§', '¶']) {
                    start + sign..start + sign + word
                } else {
                    start..text.len()
                });
            }
        }
    }
    let hole = before.len()..text.len();
    text.push_str(after);
    Some(Filled { text, hole, stand_ins })
}
