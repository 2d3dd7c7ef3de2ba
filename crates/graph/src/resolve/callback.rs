//! Functions that are handed to code outside the project, of which something is known all the same: `list.map(f)`.

use crate::facts::{Args, Expr, ExprId};
use crate::kinds::Evidence;

use super::eval::Eval;
use super::value::{Set, Slot, Value};
use super::world::Atom;

impl Eval<'_, '_> {
    /// What happens to the functions among the arguments of a member call from outside; gives what the call gives.
    pub(crate) fn outside_call(&mut self, id: ExprId, callee: ExprId, args: Args) -> Set {
        let mut set = Set::default();
        let Some(name) = self.callee_name(callee) else { return set };
        let base = match self.facts.expr(callee) {
            Expr::Member { base, .. } => self.value(base).clone(),
            _ => Set::default(),
        };
        let elements = self.rules.element_callbacks.contains(&name);
        let values = self.rules.value_callbacks.contains(&name);
        let maps = self.rules.mapping.contains(&name);
        let results = self.rules.results.contains(&name);
        if elements || values || maps || results {
            let given = match (elements, values) {
                (true, _) => self.elements(&base),
                (false, true) => base.clone(),
                _ => Set::default(),
            };
            for arg in self.arguments(args) {
                for entry in self.value(arg.value).clone().iter() {
                    let (Value::Symbol(function) | Value::Bound(function)) = entry.value else { continue };
                    if !self.world.kind(function).is_callable() {
                        continue;
                    }
                    let bound = matches!(entry.value, Value::Bound(_));
                    self.pass_value(function, 0, bound, &given);
                    let result = self.result_of(function);
                    if maps {
                        // Lists that the function gives are taken as their elements (`flatMap`).
                        let inner = self.elements(&result);
                        let all = Slot::All(self.number, id);
                        self.write(all, if inner.is_empty() { &result } else { &inner });
                    }
                    if results {
                        set.join(&result);
                    }
                }
            }
            if maps {
                set.add(Value::Object(self.number, id), Evidence::Receiver);
            }
        }
        if self.rules.instances.contains(&name) {
            // `T::default()`, where nothing in the text declares it.
            for entry in base.iter() {
                if let Value::Symbol(class) = entry.value {
                    let is_type = self.world.kind(class).is_type();
                    if is_type && self.members_of(class, name, false).is_empty() {
                        set.add(Value::Instance(class, true), Evidence::Receiver);
                    }
                }
            }
        }
        set
    }

    /// Functions from outside that give their first argument back, in some form (`memo(f)`, `partial(f)`).
    pub(crate) fn wrapped(&mut self, callee: ExprId, args: Args) -> Set {
        let Some(name) = self.callee_name(callee) else { return Set::default() };
        // `next(xs)` gives an element, `sorted(xs)` the same things.
        let element = matches!(self.facts.expr(callee), Expr::Name { .. }) && self.rules.element.contains(&name);
        if !element && !self.rules.wrapping.contains(&name)
            || !self.value(callee).iter().all(|entry| entry.value == Value::External)
        {
            return Set::default();
        }
        let Some(first) = self.arguments(args).first() else { return Set::default() };
        let value = self.value(first.value).clone();
        if element { self.elements(&value) } else { value }
    }

    /// The name that a call is written with.
    fn callee_name(&self, callee: ExprId) -> Option<Atom> {
        match self.facts.expr(callee) {
            Expr::Member { name, .. } | Expr::Name { name, .. } => Some(self.file.atom(name)),
            _ => None,
        }
    }
}
