//! What can be said only when the whole file has been walked: which fields there are, which names are uses.

use super::build::Builder;
use crate::facts::{Expr, FileFacts, Place, ScopeId, SiteKind, SymbolIx, Target, flag};
use crate::rules::Words;

impl Builder {
    /// The facts, with nothing left to be said.
    pub(super) fn finish(mut self, words: &Words) -> FileFacts {
        self.add_receiver_fields();
        self.mark_exports();
        self.mark_promised();
        self.drop_local_uses(words);
        self.sort_symbols();
        self.facts.names = self.names.texts;
        self.facts.shrink();
        self.facts
    }

    /// Members of the receiver that were assigned to are fields, unless their type has a member of that name.
    fn add_receiver_fields(&mut self) {
        for field in std::mem::take(&mut self.receiver_fields) {
            if self.bound(field.scope, field.name).is_none() {
                let ix = self.symbol(field.symbol, field.start);
                self.bind(field.scope, field.name, Target::Symbol(ix));
                self.declared.insert(field.target);
            }
        }
    }

    fn mark_exports(&mut self) {
        for (name, default) in std::mem::take(&mut self.exported) {
            let default = if default { flag::DEFAULT_EXPORT } else { 0 };
            for target in self.all_bound(ScopeId::FILE, name).collect::<Vec<_>>() {
                if let Target::Symbol(ix) = target {
                    self.facts.symbols[ix.ix()].flags |= flag::EXPORTED | default;
                }
            }
        }
    }

    /// Members that an extension has for the sake of an interface (`impl Trait for T`) take the place of the interface's.
    fn mark_promised(&mut self) {
        let FileFacts { symbols, scopes, extensions, .. } = &mut self.facts;
        for symbol in symbols.iter_mut().filter(|symbol| symbol.kind.is_callable()) {
            let extension = scopes[symbol.scope.ix()].extension.map(|extension| &extensions[extension.ix()]);
            if extension.is_some_and(|extension| extension.implements.is_some()) {
                symbol.flags |= flag::OVERRIDE;
            }
        }
    }

    /// Drops references to variables, type parameters and built-ins, and names that are declared where they stand.
    fn drop_local_uses(&mut self, words: &Words) {
        let is_builtin: Vec<bool> = self.names.texts.iter().map(|name| words.builtins.contains(name)).collect();
        let mut sites = std::mem::take(&mut self.facts.sites);
        sites.retain_mut(|site| {
            if site.kind == SiteKind::Call {
                // An instance in a pattern is taken apart, not made.
                let Expr::New { class, .. } = self.facts.exprs[site.expr.ix()] else { return true };
                if !self.patterns.contains(&site.expr) {
                    return true;
                }
                (site.expr, site.kind) = (class, SiteKind::Reference);
            }
            if self.declared.contains(&site.expr) {
                return false;
            }
            let Expr::Name { scope, name } = self.facts.exprs[site.expr.ix()] else { return true };
            match self.look_up(scope, name) {
                Some(Target::Variable(_) | Target::TypeParameter) => false,
                Some(_) => true,
                None => !is_builtin[name.ix()],
            }
        });
        // What lost its name on the way owns nothing.
        for site in &mut sites {
            site.owner = self.facts.named_owner(site.owner);
        }
        // Nearly in order: a call whose callee is no name stands behind its arguments.
        sites.sort_by_key(|site| site.line);
        self.facts.sites = sites;
    }

    /// Brings the symbols into the order of the text.
    fn sort_symbols(&mut self) {
        let starts: Vec<u32> = self.details.iter().map(|detail| detail.start).collect();
        if starts[1..].is_sorted() && self.ghosts.is_empty() {
            return;
        }
        let mut order: Vec<u32> = (0..starts.len() as u32).collect();
        order[1..].sort_by_key(|ix| starts[*ix as usize]);
        order.retain(|ix| !self.ghosts.iter().any(|(ghost, _)| ghost.0 == *ix));
        let mut place = vec![SymbolIx::MODULE; starts.len()];
        for (new, old) in order.iter().enumerate() {
            place[*old as usize] = SymbolIx(new as u32);
        }
        // What takes a ghost's place may be a ghost that was given up later.
        for (ghost, real) in self.ghosts.iter().rev() {
            place[ghost.ix()] = place[real.ix()];
        }
        let facts = &mut self.facts;
        let moved = |ix: &mut SymbolIx| *ix = place[ix.ix()];
        facts.symbols = order.iter().map(|old| facts.symbols[*old as usize].clone()).collect();
        facts.symbols.iter_mut().for_each(|symbol| moved(&mut symbol.container));
        facts.scopes.iter_mut().for_each(|scope| moved(&mut scope.owner));
        for binding in &mut facts.bindings {
            if let Target::Symbol(ix) = &mut binding.target {
                moved(ix);
            }
        }
        for parameter in facts.variables.iter_mut().filter_map(|variable| variable.parameter.as_mut()) {
            moved(&mut parameter.function);
        }
        for expr in &mut facts.exprs {
            if let Expr::Symbol(ix) = expr {
                moved(ix);
            }
        }
        for flow in &mut facts.flows {
            if let Place::Symbol(ix) | Place::Return(ix) | Place::Yield(ix) = &mut flow.to {
                moved(ix);
            }
        }
        facts.sites.iter_mut().for_each(|site| moved(&mut site.owner));
        facts.imports.iter_mut().for_each(|import| moved(&mut import.owner));
        facts.bases.iter_mut().for_each(|base| moved(&mut base.symbol));
        facts.decorators.iter_mut().for_each(|decorator| moved(&mut decorator.symbol));
    }
}
