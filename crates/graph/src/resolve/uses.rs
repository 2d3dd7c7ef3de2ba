//! How and where a file uses its names: what is called and what is read, and in which line.

use rustc_hash::FxHashMap;
use vise_syntax::rules::{Apart, GraphRules, ModuleSystem};

use crate::facts::{Expr, ExprId, FileFacts, ScopeId, ScopeKind, SiteKind, SymbolIx, Target, flag};

use super::names::{Denotation, Denoted, Found};
use super::world::{File, World};
use crate::kinds::SymbolKind;

/// What is known of the uses of one file's expressions, as far as its language's rules ask for it.
#[derive(Debug, Default)]
pub(crate) struct Uses {
    /// Whether each expression is called; empty where that makes no difference.
    called: Vec<bool>,
    /// The lines of uses; empty where no definition takes another's place.
    lines: FxHashMap<ExprId, u32>,
    /// Whether each expression stands in the place of a type; empty where that makes no difference.
    typed: Vec<bool>,
    /// Whether the file has types with parameters.
    pub(crate) generic: bool,
}

impl Uses {
    pub(crate) fn new(facts: &FileFacts, rules: &GraphRules) -> Self {
        let generic = rules.modules == ModuleSystem::Python
            || facts.bindings.iter().any(|binding| binding.target == Target::TypeParameter);
        let mut uses = Self { generic, ..Self::default() };
        if rules.functions_apart != Apart::None {
            uses.called = vec![false; facts.exprs.len()];
            for expr in &facts.exprs {
                if let Expr::Call { callee, .. } = expr {
                    uses.called[callee.ix()] = true;
                }
            }
        }
        if types_are_apart(rules.modules) {
            uses.typed = typed(facts);
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

    /// Whether an expression stands in the place of a type.
    pub(crate) fn typed(&self, expr: ExprId) -> bool {
        self.typed.get(expr.ix()).copied().unwrap_or(false)
    }
}

/// Whether a language's types are told from its values by where they stand.
fn types_are_apart(modules: ModuleSystem) -> bool {
    use ModuleSystem::{C, Csharp, Dart, Go, Java, Node, Php, Rust, Swift};
    matches!(modules, C | Csharp | Dart | Go | Java | Node | Php | Rust | Swift)
}

/// Which expressions stand in the place of a type: what is declared and what that is made of.
fn typed(facts: &FileFacts) -> Vec<bool> {
    let mut typed = vec![false; facts.exprs.len()];
    let instances = facts.exprs.iter().filter_map(|expr| match expr {
        Expr::Instance { of } => Some(*of),
        _ => None,
    });
    let mut open: Vec<ExprId> = instances.collect();
    open.extend(facts.variables.iter().filter_map(|variable| variable.declared));
    open.extend(facts.symbols.iter().filter_map(|symbol| symbol.declared));
    open.extend(facts.bases.iter().map(|base| base.base));
    open.extend(facts.bounds.iter().map(|bound| bound.bound));
    while let Some(expr) = open.pop() {
        if std::mem::replace(&mut typed[expr.ix()], true) {
            continue;
        }
        match facts.expr(expr) {
            Expr::Apply { base, args } => {
                open.push(base);
                open.extend(facts.arguments(args).iter().map(|arg| arg.value));
            }
            Expr::Union(args) | Expr::List(args) => open.extend(facts.arguments(args).iter().map(|arg| arg.value)),
            _ => {}
        }
    }
    typed
}

impl File<'_> {
    /// Whether the language tells types from values by where they stand.
    pub(crate) fn has_types(&self) -> bool {
        types_are_apart(self.rules.modules)
    }

    /// What is left of what a name means as a type or as a value, where one of each bears it (TypeScript).
    pub(crate) fn of_its_sort(&self, world: &World<'_>, id: ExprId, mut found: Denotation) -> Denotation {
        if found.len() < 2 || self.rules.modules != ModuleSystem::Node {
            return found;
        }
        let typed = self.uses.typed(id);
        let fits = |one: &Found| match one.what {
            Denoted::Symbol(symbol) => match world.kind(symbol) {
                SymbolKind::Interface | SymbolKind::Type => typed,
                kind => !typed || !kind.holds_value(),
            },
            _ => true,
        };
        if found.iter().any(fits) {
            found.retain(|one| fits(one));
        }
        found
    }

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
