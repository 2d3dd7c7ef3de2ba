//! Literals of declared types: what they put into fields, lists and maps.

use crate::facts::{Args, Expr, ExprId, Place};
use crate::kinds::Evidence;
use crate::resolution::GlobalSymbol;

use super::eval::Eval;
use super::value::{Set, Slot, Value};

impl Eval<'_, '_> {
    /// A literal of a list or map type, as Go writes it (`[]Command{…}`, `map[string]func(){…}`): a list with these elements.
    /// Elements without a type of their own are of the list's.
    pub(crate) fn typed_literal(&mut self, id: ExprId, class: ExprId, args: Args) -> Set {
        let mut set = Set::default();
        if !matches!(self.facts.expr(class), Expr::List(_) | Expr::Apply { .. }) {
            return set;
        }
        let mut classes: Vec<GlobalSymbol> = Vec::new();
        for entry in self.instances(&self.value(class).clone()).iter() {
            if matches!(entry.value, Value::Listed(..) | Value::Typed(..)) {
                let inner = self.elements(&Set::one(entry.value, entry.via));
                classes.extend(inner.iter().filter_map(|one| match one.value {
                    Value::Instance(class, _) => Some(class),
                    _ => None,
                }));
                set.add(entry.value, entry.via);
            }
        }
        if set.is_empty() {
            return set;
        }
        for arg in self.arguments(args) {
            let value = self.value(arg.value).handed_over();
            match arg.name {
                Some(name) => self.write(Slot::Key(self.number, id, self.file.atom(name)), &value),
                None => self.write(Slot::AnyKey(self.number, id), &value),
            }
            self.write(Slot::All(self.number, id), &value);
            for class in &classes {
                let mut stack = vec![arg.value];
                while let Some(literal) = stack.pop() {
                    self.fill(*class, literal, &mut stack);
                }
            }
        }
        set.add(Value::Object(self.number, id), Evidence::Receiver);
        set
    }

    /// A literal that goes to a place of a declared type fills that type's fields (C's tables of functions).
    pub(crate) fn fill_fields(&mut self, to: Place, value: ExprId) {
        let (Expr::Object(_) | Expr::List(_)) = self.facts.expr(value) else { return };
        let declared = match to {
            Place::Variable(variable) => self.facts.variables[variable.ix()].declared,
            Place::Symbol(symbol) => self.file.symbol(symbol).declared,
            Place::Expr(_) | Place::Return(_) | Place::Yield(_) => None,
        };
        let Some(declared) = declared else { return };
        let classes: Vec<GlobalSymbol> = self
            .value(declared)
            .iter()
            .filter_map(|entry| match entry.value {
                Value::Symbol(class) if self.world.kind(class).is_type() => Some(class),
                _ => None,
            })
            .collect();
        for class in classes {
            let mut stack = vec![value];
            while let Some(literal) = stack.pop() {
                self.fill(class, literal, &mut stack);
            }
        }
    }

    fn fill(&mut self, class: GlobalSymbol, literal: ExprId, stack: &mut Vec<ExprId>) {
        let (Expr::Object(args) | Expr::List(args)) = self.facts.expr(literal) else { return };
        let fields: Vec<GlobalSymbol> = {
            let mut all: Vec<GlobalSymbol> =
                self.hierarchy.all_members(self.world, class).into_iter().map(|(_, member)| member).collect();
            all.retain(|member| self.world.kind(*member).holds_value());
            all.sort_unstable();
            all
        };
        for (at, arg) in self.arguments(args).iter().enumerate() {
            if arg.name.is_none() && matches!(self.facts.expr(arg.value), Expr::Object(_) | Expr::List(_)) {
                // A list of such values; a nested one fills a field that is a type of its own, which we leave.
                stack.push(arg.value);
                continue;
            }
            let target = match arg.name {
                Some(name) => self.members_of(class, self.file.atom(name), false).first().copied(),
                None => fields.get(at).copied(),
            };
            if let Some(target) = target {
                let value = self.distant_value(arg.value).handed_over();
                self.write(Slot::Symbol(target), &value);
            }
        }
    }
}
