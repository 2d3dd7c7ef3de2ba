//! Where the values of a file go: declarations, assignments, decorators, slots.

use crate::facts::{Expr, ExprId, Place, SymbolIx, VariableIx, flag};
use crate::kinds::Evidence;
use crate::resolution::GlobalSymbol;

use super::eval::Eval;
use super::names::Denoted;
use super::value::{Set, Slot, Value};

impl Eval<'_, '_> {
    /// Values of a declared type.
    pub(super) fn declared(&self, declared: ExprId) -> Set {
        self.instances(&self.exprs[declared.ix()])
    }

    /// Writes what a declaration says, which nothing that happens to be assigned can change.
    pub(super) fn write_declared(&mut self, slot: Slot, value: &Set) {
        if self.slots.declare(slot, value) {
            self.work.slot_changed(slot);
        }
    }

    pub(super) fn own(&self, symbol: SymbolIx) -> GlobalSymbol {
        self.hierarchy.first_place(GlobalSymbol { file: self.number, symbol })
    }

    pub(super) fn write_receiver(&mut self, slot: Slot, function: SymbolIx) {
        let row = self.file.symbol(function);
        let Some(class) = row.body.and_then(|body| self.hierarchy.type_around(self.world, self.number, body)) else {
            return;
        };
        let value = match row.flags & flag::CLASS_METHOD {
            0 => Value::Instance(class, false),
            _ => Value::Symbol(class),
        };
        self.write(slot, &Set::one(value, Evidence::Receiver));
    }

    /// What a decorated function is afterwards: also what its decorators give back.
    pub(super) fn decorate(&mut self) {
        let decorators = &self.facts.decorators;
        let mut at = decorators.len();
        while at > 0 {
            // The decorators of one symbol stand together; the last is applied first.
            let symbol = decorators[at - 1].symbol;
            let mut value = Set::one(Value::Symbol(self.own(symbol)), Evidence::Scope);
            let mut wrapped = false;
            while at > 0 && decorators[at - 1].symbol == symbol {
                at -= 1;
                let decorator = self.exprs[decorators[at].value.ix()].clone();
                let mut given = Set::default();
                for entry in decorator.iter() {
                    let (Value::Symbol(function) | Value::Bound(function)) = entry.value else { continue };
                    if self.world.kind(function).is_callable() {
                        let bound = matches!(entry.value, Value::Bound(_));
                        self.pass_value(function, 0, bound, &value.handed_over());
                        given.join(&self.read(Slot::Return(function)));
                    }
                }
                if !given.is_empty() {
                    value = given.handed_over();
                    wrapped = true;
                }
            }
            if wrapped {
                self.write(Slot::Symbol(self.own(symbol)), &value);
            }
        }
    }

    pub(super) fn flow(&mut self, to: Place, value: &Set) {
        match to {
            Place::Variable(VariableIx(variable)) => self.write(Slot::Variable(self.number, variable), value),
            Place::Symbol(symbol) => self.write(Slot::Symbol(self.own(symbol)), value),
            Place::Return(function) => self.write(Slot::Return(self.own(function)), value),
            Place::Yield(function) => self.write(Slot::Yield(self.own(function)), value),
            Place::Expr(target) => self.flow_to_expr(target, value),
        }
    }

    fn flow_to_expr(&mut self, target: ExprId, value: &Set) {
        match self.facts.expr(target) {
            Expr::Name { .. } => {
                for found in self.denotation(target).to_vec() {
                    match found.what {
                        Denoted::Variable(file, variable) => self.write(Slot::Variable(file, variable.0), value),
                        Denoted::Symbol(symbol) => self.write(Slot::Symbol(symbol), value),
                        _ => {}
                    }
                }
            }
            Expr::Member { base, name } => {
                let name = self.file.atom(name);
                for entry in self.exprs[base.ix()].clone().iter() {
                    self.flow_to_member(entry, name, value);
                }
            }
            Expr::Index { base, key } => {
                for entry in self.exprs[base.ix()].clone().iter() {
                    let (Value::Object(file, object) | Value::Typed(file, object)) = entry.value else { continue };
                    match key {
                        Some(key) => self.write(Slot::Key(file, object, self.file.atom(key)), value),
                        None => self.write(Slot::AnyKey(file, object), value),
                    }
                    self.write(Slot::All(file, object), value);
                }
            }
            _ => {}
        }
    }

    pub(crate) fn read(&mut self, slot: Slot) -> Set {
        if self.work.note_read(slot) {
            self.slots.note_read(slot);
        }
        self.slots.read(slot)
    }

    pub(crate) fn write(&mut self, slot: Slot, value: &Set) {
        if self.slots.write(slot, value) && slot.file() == self.number {
            self.work.slot_changed(slot);
        }
    }
}
