//! The places of one file that values are kept in, and what it reads from and writes to those of others.

use std::sync::{PoisonError, RwLock};

use rustc_hash::FxHashMap;

use crate::facts::{ExprId, ParameterKind};
use crate::kinds::SymbolKind;

use super::names::{Denoted, Names};
use super::value::{Set, Slot, Value};

/// What all files gave in the rounds before, by the file that owns the slot. Between rounds one thread writes; in a
/// round all read.
pub(crate) type Known = Vec<RwLock<FxHashMap<Slot, Set>>>;

/// What is known of a slot.
pub(crate) fn look_up(known: &Known, slot: Slot) -> Set {
    let of_file = known[slot.file() as usize].read().unwrap_or_else(PoisonError::into_inner);
    of_file.get(&slot).cloned().unwrap_or_default()
}

/// The slots of a file.
pub(crate) struct Slots<'w> {
    number: u32,
    known: &'w Known,
    variables: Vec<Set>,
    symbols: Vec<Set>,
    returns: Vec<Set>,
    /// Slots of this file that are not in the lists above.
    others: FxHashMap<Slot, Set>,
    /// What goes to slots of other files.
    foreign: FxHashMap<Slot, Set>,
    /// Variables and symbols whose declared type is one of the project's: what flows to them is no surer.
    typed_variables: Vec<bool>,
    typed_symbols: Vec<bool>,
    /// The same for results: what a function itself is, its declared result does not say.
    typed_returns: Vec<bool>,
    /// Slots that changed in this round and that others may look into.
    changed: Vec<Slot>,
    /// Slots of other files that were read for the first time in this round.
    reads: Vec<Slot>,
}

/// What a round of a file gives to others.
pub(crate) struct Outcome {
    /// Values for slots that changed, this file's own included, sorted.
    pub(crate) gives: Vec<(Slot, Set)>,
    /// Slots of other files that are read from now on.
    pub(crate) reads: Vec<Slot>,
}

impl<'w> Slots<'w> {
    pub(crate) fn new(names: Names<'_, '_>, number: u32, known: &'w Known) -> Self {
        let world = names.world;
        let file = world.file(number);
        let facts = file.facts;
        let names = Names { typed: file.has_types(), ..names };
        let is_project_type = |declared: Option<ExprId>| {
            declared.is_some_and(|expr| {
                names.path(number, expr).iter().any(|one| match one.what {
                    Denoted::Symbol(symbol) => world.kind(symbol).is_type() && world.kind(symbol) != SymbolKind::Type,
                    _ => false,
                })
            })
        };
        let typed_variables = facts.variables.iter().map(|variable| {
            // Of a rest parameter the type is that of its elements.
            let is_rest = variable.parameter.is_some_and(|parameter| parameter.kind == ParameterKind::Rest);
            !is_rest && is_project_type(variable.declared)
        });
        let typed = |is: fn(SymbolKind) -> bool| -> Vec<bool> {
            facts.symbols.iter().map(|symbol| is(symbol.kind) && is_project_type(symbol.declared)).collect()
        };
        Self {
            number,
            known,
            variables: vec![Set::default(); facts.variables.len()],
            symbols: vec![Set::default(); facts.symbols.len()],
            returns: vec![Set::default(); facts.symbols.len()],
            others: FxHashMap::default(),
            foreign: FxHashMap::default(),
            typed_variables: typed_variables.collect(),
            typed_symbols: typed(SymbolKind::holds_value),
            typed_returns: typed(SymbolKind::is_callable),
            changed: Vec::new(),
            reads: Vec::new(),
        }
    }

    /// What a slot holds. Of another file's slot: what all gave in the rounds before.
    pub(crate) fn read(&self, slot: Slot) -> Set {
        if slot.file() != self.number {
            return look_up(self.known, slot);
        }
        match slot {
            Slot::Variable(_, variable) => self.variables[variable as usize].clone(),
            Slot::Symbol(symbol) => self.symbols[symbol.symbol.ix()].clone(),
            Slot::Return(symbol) => self.returns[symbol.symbol.ix()].clone(),
            other => self.others.get(&other).cloned().unwrap_or_default(),
        }
    }

    /// What others gave for a slot of this file.
    pub(crate) fn given(&self, slot: Slot) -> Set {
        look_up(self.known, slot)
    }

    pub(crate) fn note_read(&mut self, slot: Slot) {
        if slot.file() != self.number {
            self.reads.push(slot);
        }
    }

    /// Adds what a declaration says; says whether that changed the slot.
    pub(crate) fn declare(&mut self, slot: Slot, value: &Set) -> bool {
        let changes = self.place(slot).join(value);
        self.note_change(slot, changes)
    }

    /// Adds a value; says whether that changed the slot.
    pub(crate) fn write(&mut self, slot: Slot, value: &Set) -> bool {
        if value.is_empty() && !value.is_anything() {
            return false;
        }
        let typed = self.is_typed(slot);
        let place = self.place(slot);
        let mut changes = false;
        if typed {
            // The declaration says more than what happens to be assigned; functions are still worth knowing.
            for entry in value.iter().filter(|entry| matches!(entry.value, Value::Symbol(_) | Value::Bound(_))) {
                changes |= place.add(entry.value, entry.via);
            }
        } else {
            changes = place.join(value);
        }
        self.note_change(slot, changes)
    }

    fn is_typed(&self, slot: Slot) -> bool {
        if slot.file() != self.number {
            return false;
        }
        match slot {
            Slot::Variable(_, variable) => self.typed_variables[variable as usize],
            Slot::Symbol(symbol) => self.typed_symbols[symbol.symbol.ix()],
            Slot::Return(symbol) => self.typed_returns[symbol.symbol.ix()],
            _ => false,
        }
    }

    fn place(&mut self, slot: Slot) -> &mut Set {
        if slot.file() != self.number {
            return self.foreign.entry(slot).or_default();
        }
        match slot {
            Slot::Variable(_, variable) => &mut self.variables[variable as usize],
            Slot::Symbol(symbol) => &mut self.symbols[symbol.symbol.ix()],
            Slot::Return(symbol) => &mut self.returns[symbol.symbol.ix()],
            other => self.others.entry(other).or_default(),
        }
    }

    fn note_change(&mut self, slot: Slot, changes: bool) -> bool {
        // Nobody else names a file's variables.
        let private = matches!(slot, Slot::Variable(file, _) if file == self.number);
        if changes && !private {
            self.changed.push(slot);
        }
        changes
    }

    /// What the round gave.
    pub(crate) fn outcome(&mut self) -> Outcome {
        let mut changed = std::mem::take(&mut self.changed);
        changed.sort_unstable();
        changed.dedup();
        let gives = changed.into_iter().map(|slot| (slot, self.place(slot).clone())).collect();
        Outcome { gives, reads: std::mem::take(&mut self.reads) }
    }
}
