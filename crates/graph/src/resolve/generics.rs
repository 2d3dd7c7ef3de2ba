//! Type arguments of the project's own generic types: what a member gives whose declared type is a parameter of its type.

use crate::facts::{Args, Expr, ExprId, Target};
use crate::kinds::Evidence;
use crate::resolution::GlobalSymbol;

use super::eval::Eval;
use super::names::{Denoted, Names};
use super::value::{Set, Value};
use super::world::Atom;

impl Eval<'_, '_> {
    /// What a member gives where its declared type is a parameter of its own type, and the text says what the receiver's
    /// argument for it is: `box.get()` of a `Box<User>` gives a `User`.
    pub(crate) fn by_argument(&mut self, base: ExprId, member: GlobalSymbol) -> Set {
        let mut set = Set::default();
        if !self.world.file(member.file).uses.generic {
            return set;
        }
        let Some(at) = self.parameter_number(member) else { return set };
        let Some((file, args)) = self.type_arguments(base, member) else { return set };
        let Some(arg) = self.world.file(file).facts.arguments(args).get(at) else { return set };
        let names = Names { typed: true, ..self.names };
        for found in names.path(file, arg.value) {
            if let Denoted::Symbol(symbol) = found.what
                && self.world.kind(symbol).is_type()
            {
                set.add(Value::Instance(symbol, false), Evidence::Receiver);
            }
        }
        set
    }

    /// Which parameter of its type the declared type of a member is.
    fn parameter_number(&self, member: GlobalSymbol) -> Option<usize> {
        let home = self.world.file(member.file);
        let row = self.world.symbol(member);
        let Expr::Name { name, .. } = home.facts.expr(row.declared?) else { return None };
        let name = home.atom(name);
        let extension = row.extension.map(|extension| &home.facts.extensions[extension.ix()]);
        if let Some(Expr::Apply { args, .. }) = extension.map(|extension| home.facts.expr(extension.target)) {
            // `impl<T> Holder<T>`: where the extension's parameter stands among the type's arguments.
            return self.position(member.file, args, name);
        }
        let scope = extension.and_then(|extension| extension.scope).unwrap_or(row.scope);
        let parameters = home.bindings_of(scope).filter(|(_, binding)| binding.target == Target::TypeParameter);
        let mut in_order: Vec<(u32, Atom)> = parameters.map(|(atom, binding)| (binding.name.0, atom)).collect();
        in_order.sort_unstable();
        if let Some(at) = in_order.iter().position(|(_, atom)| *atom == name) {
            return Some(at);
        }
        // Python's `class Box(Generic[T])`.
        let class = row.container;
        let bases = home.facts.bases.iter().filter(|base| base.symbol == class);
        bases
            .filter_map(|base| match home.facts.expr(base.base) {
                Expr::Apply { args, .. } => self.position(member.file, args, name),
                _ => None,
            })
            .next()
    }

    fn position(&self, file: u32, args: Args, name: Atom) -> Option<usize> {
        let home = self.world.file(file);
        home.facts.arguments(args).iter().position(
            |arg| matches!(home.facts.expr(arg.value), Expr::Name { name: own, .. } if home.atom(own) == name),
        )
    }

    /// The arguments that the declared type of an expression has, if it is the type of a member.
    fn type_arguments(&mut self, base: ExprId, member: GlobalSymbol) -> Option<(u32, Args)> {
        let (file, declared) = self.declared_type(base)?;
        let Expr::Apply { base: class, args } = self.world.file(file).facts.expr(declared) else { return None };
        let container = GlobalSymbol { file: member.file, symbol: self.world.symbol(member).container };
        let row = self.world.symbol(member);
        let owner = row.extension.and_then(|extension| self.hierarchy.target(member.file, extension));
        let owner = owner.unwrap_or_else(|| self.hierarchy.first_place(container));
        let names = Names { typed: true, ..self.names };
        names.path(file, class).iter().any(|one| one.what == Denoted::Symbol(owner)).then_some((file, args))
    }

    /// The declared type of an expression, where it stands in the text.
    fn declared_type(&mut self, expr: ExprId) -> Option<(u32, ExprId)> {
        let world = self.world;
        let of_symbol = |symbol: GlobalSymbol| Some((symbol.file, world.symbol(symbol).declared?));
        match self.facts.expr(expr) {
            Expr::Name { .. } => self.denotation(expr).iter().find_map(|found| match found.what {
                Denoted::Variable(file, variable) => {
                    Some((file, self.world.file(file).facts.variables[variable.ix()].declared?))
                }
                Denoted::Symbol(symbol) if self.world.kind(symbol).holds_value() => of_symbol(symbol),
                _ => None,
            }),
            Expr::Member { base, name } => {
                let name = self.file.atom(name);
                self.distant_value(base).iter().find_map(|entry| match entry.value {
                    Value::Instance(class, _) => {
                        let members = self.members_used(class, name, false, self.file.uses.called(expr));
                        members.iter().find_map(|member| of_symbol(*member))
                    }
                    _ => None,
                })
            }
            Expr::Call { callee, .. } => self.distant_value(callee).iter().find_map(|entry| match entry.value {
                Value::Symbol(function) | Value::Bound(function) => of_symbol(function),
                _ => None,
            }),
            Expr::New { class, .. } => Some((self.number, class)),
            _ => None,
        }
    }
}
