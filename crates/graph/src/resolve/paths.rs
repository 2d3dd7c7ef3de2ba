//! Paths as expressions: `a.b.c`, `a::b`, and what stands at their head.

use smallvec::smallvec;
use vise_syntax::rules::ModuleSystem;

use crate::facts::{Expr, ExprId, ScopeId, ScopeKind, flag};
use crate::kinds::{Evidence, SymbolKind};
use crate::resolution::GlobalSymbol;

use super::names::{Denotation, Denoted, MAX_HOPS, Names, found};

impl Names<'_, '_> {
    /// In JavaScript `this` in a plain function may be what `new` makes of the function.
    fn function_around(&self, number: u32, scope: ScopeId) -> Option<GlobalSymbol> {
        let file = self.world.file(number);
        let at = file.outwards(scope).find(|at| file.scope_kind(*at) == ScopeKind::Function)?;
        let symbol = file.facts.scopes[at.ix()].owner;
        let named =
            file.symbol(symbol).kind == SymbolKind::Function && file.symbol(symbol).flags & flag::ANONYMOUS == 0;
        (file.rules.modules == ModuleSystem::Node && named).then(|| self.global(number, symbol))
    }

    /// What a path expression names, without looking at values.
    pub(crate) fn path(&self, number: u32, expr: ExprId) -> Denotation {
        self.path_within(number, expr, MAX_HOPS)
    }

    pub(crate) fn path_within(&self, number: u32, expr: ExprId, hops: u32) -> Denotation {
        let Some(hops) = hops.checked_sub(1) else { return Denotation::new() };
        let file = self.world.file(number);
        // A path is as long as its source says, so it is walked down by hand.
        let mut names = Vec::new();
        let mut at = expr;
        let mut here = loop {
            match file.facts.expr(at) {
                Expr::Name { scope, name } => break self.lookup_within(number, scope, file.atom(name), hops),
                Expr::Member { base, name } => {
                    names.push(file.atom(name));
                    at = base;
                }
                Expr::Apply { base, .. } | Expr::Instance { of: base } => at = base,
                Expr::Symbol(symbol) => {
                    break smallvec![found(Denoted::Symbol(self.global(number, symbol)), Evidence::Scope)];
                }
                Expr::ReceiverType { scope } | Expr::Receiver { scope } => {
                    let class = self.hierarchy.and_then(|h| h.type_around(self.world, number, scope));
                    let class = class.or_else(|| self.function_around(number, scope));
                    break class.map(|c| found(Denoted::Symbol(c), Evidence::Scope)).into_iter().collect();
                }
                Expr::Module { source } => {
                    let place = self.source(number, ScopeId::FILE, file.facts.name(source), hops);
                    break place
                        .into_iter()
                        .flat_map(|one| match one.what {
                            Denoted::Module(other) => self.whole(other, hops),
                            _ => smallvec![one],
                        })
                        .collect();
                }
                _ => return Denotation::new(),
            }
        };
        for name in names.into_iter().rev() {
            here = here
                .iter()
                .flat_map(|one| {
                    let via = one.via;
                    self.member_within(one.what, name, hops).into_iter().map(move |m| found(m.what, m.via.max(via)))
                })
                .collect();
        }
        here
    }
}

/// The parts of a path, whatever separates them.
pub(crate) fn split<'t>(path: &'t str, separators: &[String]) -> Vec<&'t str> {
    let mut parts = vec![path];
    for separator in separators.iter().filter(|separator| !separator.is_empty()) {
        parts = parts.into_iter().flat_map(|part| part.split(separator.as_str())).collect();
    }
    parts.retain(|part| !part.is_empty());
    parts
}
