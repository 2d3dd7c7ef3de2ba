//! Paths of Rust: `crate`, `self`, `super`, and what `use` names.

use smallvec::smallvec;
use vise_syntax::rules::ModuleSystem;

use crate::facts::{ScopeId, ScopeKind, Target};
use crate::kinds::Evidence;
use crate::resolution::GlobalSymbol;

use super::names::{Denotation, Denoted, Names, found};
use super::paths::split;
use super::world::Atom;

impl Names<'_, '_> {
    /// What `crate`, `self` and `super` stand for.
    pub(crate) fn rust_head(&self, number: u32, scope: ScopeId, text: &str) -> Option<Denotation> {
        if !matches!(text, "crate" | "self" | "super" | "$crate") {
            return None;
        }
        let rust = &self.world.modules.rust;
        let file = self.world.file(number);
        let around = |scope: ScopeId| {
            let inside = file.outwards(scope).find(|at| file.scope_kind(*at) == ScopeKind::Namespace);
            inside.map(|at| (at, GlobalSymbol { file: number, symbol: file.facts.scopes[at.ix()].owner }))
        };
        let what = match (text, around(scope)) {
            ("crate" | "$crate", _) => Denoted::Module(rust.root(number)),
            ("self", Some((_, namespace))) => Denoted::Symbol(namespace),
            ("self", None) => Denoted::Module(number),
            (_, Some((at, _))) => match around(file.facts.scopes[at.ix()].parent) {
                Some((_, namespace)) => Denoted::Symbol(namespace),
                None => Denoted::Module(number),
            },
            (_, None) => match rust.parent(number) {
                Some((parent, scope)) if scope != ScopeId::FILE => Denoted::Symbol(GlobalSymbol {
                    file: parent,
                    symbol: self.world.file(parent).facts.scopes[scope.ix()].owner,
                }),
                Some((parent, _)) => Denoted::Module(parent),
                None => return Some(Denotation::new()),
            },
        };
        Some(smallvec![found(what, Evidence::Import)])
    }

    pub(crate) fn rust_path(&self, number: u32, scope: ScopeId, source: &str, hops: u32) -> Denotation {
        let file = self.world.file(number);
        let parts = split(source, &file.rules.path_separators);
        let Some((head, rest)) = parts.split_first() else { return Denotation::new() };
        // `mod x;` names a file, which is not among the bindings that a path looks through.
        if let ("self", [child]) = (*head, rest)
            && let Some(child) = self.world.modules.rust.child(number, scope, child)
        {
            return smallvec![found(Denoted::Module(child), Evidence::Import)];
        }
        let mut here = match (self.rust_head(number, scope, head), self.world.atoms.get(head)) {
            (Some(place), _) => place,
            (None, Some(name)) => self.path_head(number, scope, name, source),
            (None, None) => {
                self.rust_crate(head).unwrap_or_else(|| smallvec![found(Denoted::External, Evidence::Import)])
            }
        };
        for part in rest {
            if here.iter().all(|one| one.what == Denoted::External) {
                return here;
            }
            // A part that no file names is none of ours.
            let Some(name) = self.world.atoms.get(part) else { return Denotation::new() };
            here = here.iter().flat_map(|one| self.member_within(one.what, name, hops)).collect();
        }
        here
    }

    /// The first part of a `use` path. The import itself binds that name too (`use a::a`), so imports whose own
    /// source begins with the name do not count.
    pub(crate) fn path_head(&self, number: u32, scope: ScopeId, name: Atom, source: &str) -> Denotation {
        let file = self.world.file(number);
        for at in file.outwards(scope) {
            let here: Denotation = file
                .bound(at, name)
                .filter(|binding| match binding.target {
                    Target::Import(import) => {
                        let import = &file.facts.imports[import.ix()];
                        let text = file.facts.name(import.source);
                        text != source && !text.starts_with(self.world.atoms.text(name))
                    }
                    _ => true,
                })
                .flat_map(|binding| self.target(number, at, name, binding.target))
                .collect();
            if !here.is_empty() {
                return here;
            }
            if file.scope_kind(at) == ScopeKind::Namespace {
                break;
            }
        }
        self.rust_crate(self.world.atoms.text(name))
            .unwrap_or_else(|| smallvec![found(Denoted::External, Evidence::Import)])
    }

    pub(crate) fn rust_crate(&self, name: &str) -> Option<Denotation> {
        let root = self.world.modules.rust.library(name)?;
        Some(smallvec![found(Denoted::Module(root), Evidence::Import)])
    }

    /// A macro is known by its text's order, and whether a module gives its macros to those beside it is not known; so one
    /// of this name in the crate will be it, or else one that another crate exports.
    pub(crate) fn rust_macro(&self, number: u32, name: Atom) -> Option<Denotation> {
        let file = self.world.file(number);
        let rust = &self.world.modules.rust;
        let is_builtin = file.rules.builtins.iter().any(|builtin| builtin == self.world.atoms.text(name));
        let mut near: Vec<GlobalSymbol> = Vec::new();
        let mut far: Vec<GlobalSymbol> = Vec::new();
        for one in self.world.macros(file.family, name) {
            let row = self.world.symbol(*one);
            // In this file the scopes around have been asked; in others a block keeps its macros to itself.
            if one.file == number || row.scope != ScopeId::FILE {
                continue;
            }
            if rust.is_above(one.file, number) || !is_builtin && rust.root(one.file) == rust.root(number) {
                near.push(*one);
            } else if !is_builtin && self.world.is_decorated(*one, "macro_export") {
                far.push(*one);
            }
        }
        let macros = if near.is_empty() { far } else { near };
        let via = if macros.len() == 1 { Evidence::Import } else { Evidence::Ambiguous };
        (!macros.is_empty()).then(|| macros.into_iter().map(|one| found(Denoted::Symbol(one), via)).collect())
    }

    /// `super` and `self` in the middle of a path.
    pub(crate) fn rust_relative(&self, of: Denoted, name: Atom) -> Option<Denotation> {
        let (number, scope) = match of {
            Denoted::Module(file) => (file, ScopeId::FILE),
            Denoted::Symbol(symbol) => (symbol.file, self.world.symbol(symbol).body?),
            _ => return None,
        };
        if self.world.file(number).rules.modules != ModuleSystem::Rust {
            return None;
        }
        match self.world.atoms.text(name) {
            "super" => self.rust_head(number, scope, "super"),
            "self" => Some(smallvec![found(of, Evidence::Import)]),
            _ => None,
        }
    }
}
