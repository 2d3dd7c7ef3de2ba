//! What a type has for the language's own purposes: constructors, and members that calls and loops reach.

use crate::facts::{Expr, ExprId, ParameterKind};
use crate::kinds::SymbolKind;
use crate::resolution::GlobalSymbol;

use super::eval::Eval;
use super::hierarchy::Members;
use super::names::Denoted;

impl Eval<'_, '_> {
    /// What is called when an instance is called.
    pub(crate) fn is_callable_member(&self, class: GlobalSymbol) -> Members {
        self.rules.callable.iter().flat_map(|name| self.members_of(class, *name, false)).collect()
    }

    /// What is called when a loop goes over an instance.
    pub(crate) fn iterating_members(&self, class: GlobalSymbol) -> Members {
        let names = self.file.rules.iterating_members.iter().filter_map(|name| self.world.atoms.get(name));
        names.flat_map(|name| self.members_of(class, name, false)).collect()
    }

    /// Whether an expression is the receiver of the method around.
    pub(crate) fn is_receiver(&self, expr: ExprId) -> bool {
        match self.facts.expr(expr) {
            Expr::Receiver { .. } => true,
            Expr::Name { .. } => self.denotation(expr).iter().any(|found| match found.what {
                Denoted::Variable(file, variable) if file == self.number => {
                    let parameter = self.facts.variables[variable.ix()].parameter;
                    parameter.is_some_and(|parameter| parameter.kind == ParameterKind::Receiver)
                }
                _ => false,
            }),
            _ => false,
        }
    }

    /// The constructors that a type has or inherits.
    pub(crate) fn constructors(&self, class: GlobalSymbol) -> Members {
        if let Some(known) = self.seen_constructors.borrow().get(&class) {
            return known.clone();
        }
        let all = self.find_constructors(class);
        self.seen_constructors.borrow_mut().insert(class, all.clone());
        all
    }

    /// The other constructors of the type around that `this(…)` in a constructor may call.
    pub(crate) fn other_constructors(&self, callee: ExprId) -> Members {
        let Expr::Receiver { scope } = self.facts.expr(callee) else { return Members::new() };
        let around = self.file.outwards(scope).map(|at| self.facts.scopes[at.ix()].owner);
        let inside = around.into_iter().find(|owner| self.file.symbol(*owner).kind == SymbolKind::Constructor);
        let (Some(inside), Some(class)) = (inside, self.hierarchy.type_around(self.world, self.number, scope)) else {
            return Members::new();
        };
        let own = GlobalSymbol { file: self.number, symbol: inside };
        let mut all = self.constructors(class);
        all.retain(|constructor| *constructor != own);
        all
    }

    fn find_constructors(&self, class: GlobalSymbol) -> Members {
        let mut all: Members =
            self.rules.constructors.iter().flat_map(|name| self.members_of(class, *name, false)).collect();
        all.retain(|member| self.world.kind(*member).is_callable());
        if all.is_empty() {
            let name = self.world.file(class.file).atom(self.world.symbol(class).name);
            for at in self.hierarchy.line(class) {
                let own = self.hierarchy.all_members(self.world, at).into_iter().map(|(_, member)| member);
                all.extend(own.filter(|member| self.world.kind(*member) == SymbolKind::Constructor));
                if !all.is_empty() {
                    break;
                }
            }
            // Where constructors have names of their own, the one without is called by the type's.
            let named_so =
                |member: &GlobalSymbol| self.world.file(member.file).atom(self.world.symbol(*member).name) == name;
            if all.iter().any(named_so) {
                all.retain(|member| named_so(member));
            }
        }
        all
    }
}
