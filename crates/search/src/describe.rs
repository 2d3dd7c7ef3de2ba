//! A compiled reading in words, for those who want to know how a pattern is matched (`vise dump --pattern`).

use vise_syntax::{FieldId, KindId, Language};
use vise_text::lossy;

use crate::matches::ReadingName;
use crate::program::{Content, Op, Program, Root, Slot};

/// A reading of a pattern in words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DescribedReading {
    /// What it is called.
    pub name: ReadingName,
    /// Where it is looked for.
    pub root: String,
    /// Words that every match contains.
    pub literals: Vec<String>,
    /// The steps of the match, indented by the depth in the tree.
    pub steps: Vec<String>,
}

pub(crate) fn describe(language: &Language, program: &Program) -> DescribedReading {
    let mut depth = 0_usize;
    let mut steps = Vec::with_capacity(program.ops.len());
    for op in &program.ops {
        if matches!(op, Op::Close { .. }) {
            depth = depth.saturating_sub(1);
        }
        steps.push(format!("{}{}", "  ".repeat(depth.min(40)), step(language, program, op)));
        if matches!(op, Op::Open { .. } | Op::Reread { .. } | Op::Attribute { .. }) {
            depth += 1;
        }
    }
    let root = match &program.root {
        Root::Kind { kind, statement: false } => language.kind_name(*kind).to_owned(),
        Root::Kind { kind, statement: true } => format!("{}, as a statement", language.kind_name(*kind)),
        Root::Any { statement: true } => "any expression that is a statement".to_owned(),
        Root::Any { statement: false } => "any named node".to_owned(),
        Root::Run { .. } => "a run of siblings".to_owned(),
    };
    let literals = program.literals.iter().map(|literal| lossy(&literal.text)).collect();
    DescribedReading { name: program.name.clone(), root, literals, steps }
}

fn step(language: &Language, program: &Program, op: &Op) -> String {
    let kind = |kind: &KindId| language.kind_name(*kind);
    let with_field = |id: &FieldId, words: String| match language.field_name(*id).filter(|_| *id != 0) {
        Some(name) => format!("{name}: {words}"),
        None => words,
    };
    let slot = |slot: &Option<Slot>| slot.and_then(|slot| program.slots.get(slot)).map_or("_", |name| &**name);
    match op {
        Op::Open { kind: id, field, .. } => with_field(field, format!("({}", kind(id))),
        Op::Reread { kind: id, field } => with_field(field, format!("({}, its text read again", kind(id))),
        Op::Attribute { kind: id } => format!("({}, wherever it stands", kind(id)),
        Op::Close { rest: false } => ")".to_owned(),
        Op::Close { rest: true } => "…)".to_owned(),
        Op::Leaf { kind: id, field, text, .. } => with_field(field, format!("{} `{}`", kind(id), lossy(text))),
        Op::Unnamed { kind: id, field } => with_field(field, format!("`{}`", kind(id))),
        Op::Text { kind: id, field, prefix, content } => {
            let content = match content {
                Content::Literal(text) => format!("`{}`", lossy(text)),
                Content::Any(bound) => format!("${}", slot(bound)),
            };
            let prefix = if prefix.is_empty() { String::new() } else { format!(" prefix `{}`", lossy(prefix)) };
            with_field(field, format!("{}{prefix} with content {content}", kind(id)))
        }
        Op::One { slot: bound, field, .. } => with_field(field, format!("${}", slot(bound))),
        Op::Token { slot: bound, field } => with_field(field, format!("$${}", slot(bound))),
        Op::Many { slot: bound, container: None } => format!("$$${}", slot(bound)),
        Op::Many { slot: bound, container: Some(id) } => format!("$$${} in {}, or none", slot(bound), kind(id)),
        Op::Attributes { slot: bound } => format!("$$${}, all other attributes", slot(bound)),
        Op::Either { other } => format!("or else from step {other}"),
        Op::Jump { to } => format!("go on at step {to}"),
        Op::Done => "match".to_owned(),
    }
}
