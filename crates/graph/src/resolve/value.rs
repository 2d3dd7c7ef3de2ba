//! What an expression may stand for: a small set of abstract values, each with how sure we are of it.

use std::sync::Arc;

use crate::facts::ExprId;
use crate::kinds::Evidence;
use crate::resolution::GlobalSymbol;

use super::world::Atom;

/// One thing that an expression may stand for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Value {
    /// A function, type or namespace itself.
    Symbol(GlobalSymbol),
    /// A method together with its receiver.
    Bound(GlobalSymbol),
    /// An instance of a type; `true` if it is of no subtype.
    Instance(GlobalSymbol, bool),
    /// The base part of an instance of this type.
    Super(GlobalSymbol),
    /// A file's top level.
    Module(u32),
    /// A package.
    Package(u32),
    /// What a dictionary, object or list literal made.
    Object(u32, ExprId),
    /// A value of a generic type from outside, by the expression that says so.
    Typed(u32, ExprId),
    /// A value of a type that is written as a list or object of types (`(A, B)`, `[]T`, `{ run: F }`).
    Listed(u32, ExprId),
    /// What a generator gives when it is called.
    Iterator(GlobalSymbol),
    /// Something from outside.
    External,
}

/// A value and the weakest link on the way to it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Entry {
    /// The value.
    pub(crate) value: Value,
    /// How it was come by.
    pub(crate) via: Evidence,
}

/// What an expression may stand for, sorted, each value once with its best evidence.
///
/// A set holds no more than [`SURE`] values that are not mere candidates, and no more than [`CANDIDATES`] in all (a
/// container of many kinds of thing says nothing of one of them). One that would hold more is "anything", which is empty
/// and stays so. That keeps the sets of a program finite; and what values are added in which order makes no difference.
///
/// Most sets are empty or hold one value, and there is one for every expression of a project: hence the small form, and
/// that longer ones are shared until one is added to.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) enum Set {
    #[default]
    Empty,
    One(Entry),
    Many(Arc<Vec<Entry>>),
    Anything,
}

/// The most values surer than candidates that an expression may have before it may be anything.
const SURE: usize = 8;
/// The most values that it may have, candidates and all.
const CANDIDATES: usize = 32;

impl Set {
    pub(crate) fn one(value: Value, via: Evidence) -> Self {
        Self::One(Entry { value, via })
    }

    fn entries(&self) -> &[Entry] {
        match self {
            Self::Empty | Self::Anything => &[],
            Self::One(entry) => std::slice::from_ref(entry),
            Self::Many(entries) => entries,
        }
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = Entry> + '_ {
        self.entries().iter().copied()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.entries().is_empty()
    }

    /// Whether the set was given up because it grew too long.
    pub(crate) fn is_anything(&self) -> bool {
        matches!(self, Self::Anything)
    }

    pub(crate) fn has_external(&self) -> bool {
        self.iter().any(|entry| entry.value == Value::External)
    }

    /// Adds a value; says whether that changed the set.
    pub(crate) fn add(&mut self, value: Value, via: Evidence) -> bool {
        let entry = Entry { value, via };
        match self {
            Self::Anything => return false,
            Self::Empty => *self = Self::One(entry),
            Self::One(one) if one.value == value => {
                if one.via <= via {
                    return false;
                }
                one.via = via;
            }
            Self::One(one) => {
                let both = if one.value < value { vec![*one, entry] } else { vec![entry, *one] };
                *self = Self::Many(Arc::new(both));
            }
            Self::Many(entries) => {
                match entries.binary_search_by(|entry| entry.value.cmp(&value)) {
                    Ok(at) if entries[at].via <= via => return false,
                    Ok(at) => Arc::make_mut(entries)[at].via = via,
                    Err(at) => Arc::make_mut(entries).insert(at, entry),
                }
                if entries.len() > SURE && is_too_long(entries) {
                    *self = Self::Anything;
                }
            }
        }
        true
    }

    /// Adds all of another set; says whether that changed this one.
    pub(crate) fn join(&mut self, other: &Self) -> bool {
        match (&*self, other) {
            (Self::Anything, _) | (_, Self::Empty) => return false,
            (Self::Empty, _) | (_, Self::Anything) => {
                *self = other.clone();
                return true;
            }
            _ => {}
        }
        let mut changed = false;
        for entry in other.entries() {
            changed |= self.add(entry.value, entry.via);
        }
        changed
    }

    /// The same values, each with other evidence.
    fn map(&self, via: impl Fn(&Entry) -> Evidence) -> Self {
        let changed = |entry: &Entry| Entry { via: via(entry), ..*entry };
        match self {
            Self::One(entry) => Self::One(changed(entry)),
            Self::Many(entries) if entries.iter().any(|entry| via(entry) != entry.via) => {
                Self::Many(Arc::new(entries.iter().map(changed).collect()))
            }
            other => other.clone(),
        }
    }

    /// The same values, none surer than this.
    pub(crate) fn at_most(&self, via: Evidence) -> Self {
        self.map(|entry| entry.via.max(via))
    }

    /// The same values as something that was handed over: functions are callbacks from now on.
    pub(crate) fn handed_over(&self) -> Self {
        self.map(|entry| match entry.value {
            Value::Symbol(_) | Value::Bound(_) | Value::Object(..) => entry.via.max(Evidence::Callback),
            _ => entry.via,
        })
    }
}

fn is_too_long(entries: &[Entry]) -> bool {
    let sure = entries.iter().filter(|entry| entry.via != Evidence::Ambiguous).count();
    sure > SURE || entries.len() > CANDIDATES
}

/// A place that values are kept in between expressions and files. Each is owned by the file that declares it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Slot {
    /// What was assigned to a symbol.
    Symbol(GlobalSymbol),
    /// What a function gives back.
    Return(GlobalSymbol),
    /// What iterating over what a function gives back gives.
    Yield(GlobalSymbol),
    /// A variable or parameter: file, number.
    Variable(u32, u32),
    /// The value of an expression that a file offers.
    Expr(u32, ExprId),
    /// A key of what a literal made.
    Key(u32, ExprId, Atom),
    /// What was put under keys that are not known.
    AnyKey(u32, ExprId),
    /// All that was put into what a literal made.
    All(u32, ExprId),
    /// An attribute that was set on a function, type or module from outside its definition.
    Attribute(GlobalSymbol, Atom),
}

impl Slot {
    /// The file that owns the slot.
    pub(crate) fn file(self) -> u32 {
        match self {
            Self::Symbol(symbol) | Self::Return(symbol) | Self::Yield(symbol) | Self::Attribute(symbol, _) => {
                symbol.file
            }
            Self::Variable(file, _)
            | Self::Expr(file, _)
            | Self::Key(file, _, _)
            | Self::AnyKey(file, _)
            | Self::All(file, _) => file,
        }
    }
}
