//! How and where a file uses its names: what is called and what is read, and in which line.

use rustc_hash::FxHashMap;
use vise_syntax::rules::{Apart, GraphRules};

use crate::facts::{Expr, ExprId, FileFacts, ScopeId, ScopeKind, SiteKind, SymbolIx, flag};

use super::names::{Denotation, Denoted};
use super::world::File;

/// What is known of the uses of one file's expressions, as far as its language's rules ask for it.
#[derive(Debug, Default)]
pub(crate) struct Uses {
    /// Whether each expression is called; empty where that makes no difference.
    called: Vec<bool>,
    /// The lines of uses; empty where no definition takes another's place.
    lines: FxHashMap<ExprId, u32>,
}

impl Uses {
    pub(crate) fn new(facts: &FileFacts, rules: &GraphRules) -> Self {
        let mut uses = Self::default();
        if rules.functions_apart != Apart::None {
            uses.called = vec![false; facts.exprs.len()];
            for expr in &facts.exprs {
                if let Expr::Call { callee, .. } = expr {
                    uses.called[callee.ix()] = true;
                }
            }
        }
        if facts.symbols.iter().any(|symbol| symbol.flags & flag::REPLACED != 0) {
            for site in &facts.sites {
                let used = match facts.expr(site.expr) {
                    Expr::Call { callee: used, .. } | Expr::New { class: used, .. } => used,
                    _ => site.expr,
                };
                if site.kind == SiteKind::Call || matches!(facts.expr(used), Expr::Name { .. }) {
                    uses.lines.insert(used, site.line);
                }
            }
        }
        uses
    }

    /// Whether an expression is called, where the language keeps functions apart from what is read.
    pub(crate) fn called(&self, expr: ExprId) -> Option<bool> {
        self.called.get(expr.ix()).copied()
    }
}

impl File<'_> {
    /// What is left of a name's definitions where the name stands: without those that others took the place of before,
    /// or will take only later.
    pub(crate) fn in_order(&self, number: u32, id: ExprId, scope: ScopeId, found: Denotation) -> Denotation {
        let own = |what: Denoted| match what {
            Denoted::Symbol(symbol) if symbol.file == number => Some(symbol.symbol),
            _ => None,
        };
        let is_replaced = |ix: SymbolIx| self.symbol(ix).flags & flag::REPLACED != 0;
        let mut all: Vec<SymbolIx> = found.iter().filter_map(|one| own(one.what)).collect();
        if all.len() < 2 || !all.iter().any(|ix| is_replaced(*ix)) {
            return found;
        }
        all.sort_unstable_by_key(|ix| self.symbol(*ix).line);
        let function = |scope: ScopeId| {
            self.outwards(scope).find(|at| matches!(self.scope_kind(*at), ScopeKind::Function | ScopeKind::File))
        };
        // Code in another function runs when all definitions have been made.
        let line = self.uses.lines.get(&id).filter(|_| function(scope) == function(self.symbol(all[0]).scope));
        let line = line.copied().unwrap_or(u32::MAX);
        let any_before = all.iter().any(|ix| self.symbol(*ix).line <= line);
        let holds = |ix: SymbolIx| {
            let after = all.iter().map(|other| self.symbol(*other).line).find(|other| *other > self.symbol(ix).line);
            let gone = is_replaced(ix) && after.is_some_and(|after| after <= line);
            !gone && (!any_before || self.symbol(ix).line <= line)
        };
        found.into_iter().filter(|one| own(one.what).is_none_or(holds)).collect()
    }
}
