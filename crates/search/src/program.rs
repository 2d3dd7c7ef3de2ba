//! A compiled reading: a flat list of steps over the numbers of kinds.

use std::sync::Arc;

use vise_syntax::{FieldId, KindId};

use crate::matches::ReadingName;

/// One step of a match. "The item" is the next child that has not been accounted for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Op {
    /// The item is of this kind, with this text between its children if there is any; go below it.
    Open { kind: KindId, field: FieldId, between: Box<[u8]> },
    /// The item is of this kind and its text is read again in a scaffold; go below what it was read as.
    Reread { kind: KindId, field: FieldId },
    /// Some item of this kind, wherever it stands among its siblings; go below it.
    Attribute { kind: KindId },
    /// What is left may go unmentioned (`rest`: whatever it is); go back up behind the node.
    Close { rest: bool },
    /// The item is a named token with this text; `quote`: whatever quotes it has. A keyword that may be written in any
    /// case has no text here: its kind says it.
    Leaf { kind: KindId, field: FieldId, text: Box<[u8]>, quote: bool },
    /// The item is this unnamed token; its kind says its text (a language may have keywords in any case).
    Unnamed { kind: KindId, field: FieldId },
    /// The item is a string with this prefix and content.
    Text { kind: KindId, field: FieldId, prefix: Box<[u8]>, content: Content },
    /// The item is any named node, but in none of the fields `not`, which the pattern has other nodes for.
    One { slot: Option<Slot>, field: FieldId, not: Box<[FieldId]> },
    /// The item is any node, unnamed ones too.
    Token { slot: Option<Slot>, field: FieldId },
    /// Any number of items. With a container: the items of one such child, or no child at all.
    Many { slot: Option<Slot>, container: Option<KindId> },
    /// All attributes that no other step took.
    Attributes { slot: Option<Slot> },
    /// Go on with the next step; if that fails, with the one at this place.
    Either { other: usize },
    /// Go on at this place.
    Jump { to: usize },
    /// The pattern matches.
    Done,
}

/// A place for what a metavariable stands for.
pub(crate) type Slot = usize;

/// What a string must hold.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Content {
    /// This.
    Literal(Box<[u8]>),
    /// Anything; bound if there is a slot.
    Any(Option<Slot>),
}

/// Where a match may begin.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Root {
    /// At a node of this kind. `statement`: only where it stands as a statement.
    Kind { kind: KindId, statement: bool },
    /// At any named node. `statement`: only at an expression that is a statement.
    Any { statement: bool },
    /// At any sibling; the pattern spans several. `listed`: in a list of statements or members; else in a node of
    /// the kind that it was read in.
    Run { parent: KindId, listed: bool },
}

impl Root {
    /// The kind of node, where there is one.
    pub(crate) fn kind(&self) -> Option<KindId> {
        match self {
            Self::Kind { kind, .. } => Some(*kind),
            Self::Any { .. } | Self::Run { .. } => None,
        }
    }
}

/// Text that every match contains.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Literal {
    /// The bytes.
    pub text: Box<[u8]>,
    /// Whether letters beside it would make another word of it.
    pub word: bool,
    /// How far below the root (or below the run's parent) the token is.
    pub depth: usize,
    /// For a run: the element that it is in, if no `$$$` stands before that.
    pub element: Option<usize>,
}

/// A reading of a pattern, ready to run.
#[derive(Debug, Clone)]
pub(crate) struct Program {
    /// What the reading is called.
    pub name: ReadingName,
    /// Where it may begin.
    pub root: Root,
    /// The steps.
    pub ops: Vec<Op>,
    /// What every match contains, rarest first as far as one can tell.
    pub literals: Vec<Literal>,
    /// For each step, the slots that are bound before it and looked at after it.
    pub live: Vec<Box<[Slot]>>,
    /// The name for each slot.
    pub slots: Vec<Arc<str>>,
    /// For each step, the part of the pattern that it stands for, for reports.
    pub shown: Vec<Arc<str>>,
}

impl Program {
    /// Whether two readings would match the same.
    pub(crate) fn same_as(&self, other: &Self) -> bool {
        self.root == other.root && self.ops == other.ops
    }
}
