//! What a search finds: ranges of the document, so that a match outlives the tree that it was found in.

use std::ops::Range;

use vise_syntax::{KindId, RungName};

/// A place that the pattern matches.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Match {
    /// What is shown, and what a rewrite replaces: no terminator of a statement, and of a header the header only.
    pub range: Range<usize>,
    /// The matched node, or the matched run of siblings, whole.
    pub whole: Range<usize>,
    /// The kind of the matched node; of a run, that of its first element.
    pub kind: KindId,
    /// How many siblings the pattern spans.
    pub siblings: usize,
    /// Whether the pattern is a header, so that the rest of the node is not part of the match.
    pub partial: bool,
    /// What the metavariables stand for, in the order of their first appearance in the pattern.
    pub bindings: Vec<Binding>,
    /// Children that the pattern does not mention, in order: a rewrite keeps them.
    pub kept: Vec<Kept>,
}

impl Match {
    /// What a metavariable stands for.
    pub fn binding(&self, name: &str) -> Option<&Bound> {
        self.bindings.iter().find(|binding| &*binding.name == name).map(|binding| &binding.bound)
    }
}

/// A metavariable and what it stands for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Binding {
    /// The name without its dollars.
    pub name: std::sync::Arc<str>,
    /// What it stands for.
    pub bound: Bound,
}

/// What a metavariable stands for in one match.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Bound {
    /// One node (`$X`, `$$OP`).
    One(Captured),
    /// The text between the quotes of a string (`"$S"`); may be empty.
    Content(Range<usize>),
    /// Any number of siblings (`$$$X`).
    Many {
        /// The elements; separators are none.
        elements: Vec<Captured>,
        /// From the first element to the last, separators and comments between them included; empty at the
        /// place where elements could stand when there are none.
        span: Range<usize>,
    },
}

impl Bound {
    /// All that is bound, as one range.
    pub fn span(&self) -> Range<usize> {
        match self {
            Self::One(node) => node.range.clone(),
            Self::Content(range) | Self::Many { span: range, .. } => range.clone(),
        }
    }
}

/// A node that a metavariable stands for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Captured {
    /// Where it is.
    pub range: Range<usize>,
    /// What it is.
    pub kind: KindId,
}

/// A child of a matched node that the pattern does not mention.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Kept {
    /// Where it is, its marker (`->`) included.
    pub range: Range<usize>,
    /// What stands behind it.
    pub before: Before,
}

/// The part of the pattern that a kept child stands in front of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Before {
    /// This token of the pattern, as the pattern spells it.
    Token(String),
    /// This metavariable (the name without its dollars).
    Metavariable(String),
    /// Nothing: the child is the last part of the match.
    End,
}

/// The matches of one reading in one document.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Found {
    /// For each reading of the pattern, its matches by start, longer first.
    pub readings: Vec<Vec<Match>>,
    /// At one place at least, matching was given up after too many steps.
    pub over_budget: bool,
}

/// How a pattern was read, as reports name it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReadingName {
    /// The rung of the ladder.
    pub rung: RungName,
    /// The kind of node.
    pub kind: String,
    /// Whether only a header was given.
    pub partial: bool,
}
