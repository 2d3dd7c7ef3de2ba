//! What a file offers to others: by name, by re-export, and as a whole.

use smallvec::smallvec;
use vise_syntax::rules::ModuleSystem;

use crate::facts::{Expr, ExprId, Imported, ScopeId, SymbolIx, Target, flag};
use crate::kinds::Evidence;

use super::names::{Denotation, Denoted, Names, found};
use super::world::Atom;

impl Names<'_, '_> {
    /// What a file offers under a name.
    pub(crate) fn export_within(&self, number: u32, name: Atom, hops: u32, seen: &mut Vec<u32>) -> Denotation {
        if seen.contains(&number) || seen.len() > 256 {
            return Denotation::new();
        }
        seen.push(number);
        let file = self.world.file(number);
        let named = self.exported_by_name(number, name, hops);
        if !named.is_empty() {
            return named;
        }
        if !self.world.is_known_name(file.family, name) {
            return named;
        }
        let node = file.rules.modules == ModuleSystem::Node;
        let nested = file.rules.modules == ModuleSystem::Rust && seen.len() > 1;
        let mut all = Denotation::new();
        for (scope, import_ix) in &file.open_imports {
            let import = &file.facts.imports[import_ix.ix()];
            // What a Rust module imports for itself is seen by those below it, who come here through `super`.
            let above = file.facts.name(import.source).starts_with("super");
            let own_affair = node || nested && !above;
            if *scope != ScopeId::FILE || import.what != Imported::All || own_affair && !import.exported {
                continue;
            }
            let Some(hops) = hops.checked_sub(1) else { break };
            for one in self.import(number, *import_ix) {
                let more = match one.what {
                    Denoted::Module(other) => self.export_within(other, name, hops, seen),
                    Denoted::External => continue,
                    other => self.member_within(other, name, hops),
                };
                all.extend(more.into_iter().filter(|one| !all.contains(one)).collect::<Denotation>());
            }
            if !all.is_empty() {
                break;
            }
        }
        all
    }

    fn exported_by_name(&self, number: u32, name: Atom, hops: u32) -> Denotation {
        let file = self.world.file(number);
        let mut all = Denotation::new();
        for export in file.facts.exports.iter().filter(|export| file.atom(export.name) == name) {
            all.extend(self.offered_value(number, export.value, hops));
        }
        if !all.is_empty() {
            return all;
        }
        let is_default = self.world.atoms.text(name) == "default";
        if file.rules.modules == ModuleSystem::Node {
            if is_default {
                let whole = file.facts.symbols.iter().position(|symbol| symbol.flags & flag::DEFAULT_EXPORT != 0);
                if let Some(at) = whole {
                    let symbol = self.global(number, SymbolIx(at as u32));
                    return smallvec![found(Denoted::Symbol(symbol), Evidence::Scope)];
                }
            }
            let commonjs = file.facts.exports.iter().find(|export| file.facts.name(export.name) == "=");
            if let Some(export) = commonjs {
                return self.commonjs(number, export.value, name, is_default, hops);
            }
        }
        for binding in file.bound(ScopeId::FILE, name) {
            let offered = file.rules.modules != ModuleSystem::Node
                || match binding.target {
                    Target::Symbol(symbol) => file.symbol(symbol).flags & flag::EXPORTED != 0,
                    Target::Import(import) => file.facts.imports[import.ix()].exported,
                    _ => false,
                };
            // The last definition of a list of statements is what the others see.
            let replaced =
                matches!(binding.target, Target::Symbol(symbol) if file.symbol(symbol).flags & flag::REPLACED != 0);
            if offered && !replaced {
                all.extend(self.target(number, ScopeId::FILE, name, binding.target));
            }
        }
        all
    }

    /// What an expression that is offered names, or else its value.
    fn offered_value(&self, number: u32, value: ExprId, hops: u32) -> Denotation {
        let file = self.world.file(number);
        match file.facts.expr(value) {
            Expr::Name { scope, name } => self.lookup_within(number, scope, file.atom(name), hops.saturating_sub(1)),
            Expr::Symbol(symbol) => smallvec![found(Denoted::Symbol(self.global(number, symbol)), Evidence::Scope)],
            _ => smallvec![found(Denoted::Expr(number, value), Evidence::Import)],
        }
    }

    /// A name of what `module.exports = …` gave.
    fn commonjs(&self, number: u32, value: ExprId, name: Atom, is_default: bool, hops: u32) -> Denotation {
        let file = self.world.file(number);
        if !is_default {
            if let Expr::Object(args) = file.facts.expr(value) {
                let slot = file.facts.arguments(args).iter().find(|arg| arg.name.map(|n| file.atom(n)) == Some(name));
                if let Some(slot) = slot {
                    return self.offered_value(number, slot.value, hops);
                }
            }
            return self
                .path_within(number, value, hops)
                .iter()
                .flat_map(|one| self.member_within(one.what, name, hops))
                .collect();
        }
        let path = self.path_within(number, value, hops);
        if path.is_empty() { smallvec![found(Denoted::Expr(number, value), Evidence::Import)] } else { path }
    }

    /// What a whole file gives where it is used as a value (`require`).
    pub(crate) fn whole(&self, number: u32, hops: u32) -> Denotation {
        let file = self.world.file(number);
        match file.facts.exports.iter().find(|export| file.facts.name(export.name) == "=") {
            Some(export) => self.commonjs(number, export.value, Atom(u32::MAX), true, hops),
            None => smallvec![found(Denoted::Module(number), Evidence::Import)],
        }
    }
}
