//! What the files use from outside: each use with the path that leads to it.

use std::cell::RefCell;

use rayon::prelude::*;
use rustc_hash::FxHashMap;
use vise_syntax::rules::ModuleSystem;

use crate::facts::{
    Expr, ExprId, FileFacts, ImportIx, Imported, ParameterKind, Place, ScopeId, SiteKind, SymbolIx, Target, VariableIx,
};
use crate::kinds::{EdgeKind, Evidence};
use crate::resolution::GlobalSymbol;

use super::super::hierarchy::Hierarchy;
use super::super::names::{Denoted, Names};
use super::super::paths::split;
use super::super::world::{Atom, File};
use super::Use;

/// So many links (members, calls, assignments, re-exports) are followed from a use to an import.
const MAX_LINKS: u32 = 24;
/// A name that may be more things from outside than this says nothing of any of them.
const MAX_PLACES: usize = 4;

/// The uses of all files, in the order of the files and of the text.
pub(super) fn uses(names: Names<'_, '_>, hierarchy: &Hierarchy) -> Vec<Use> {
    let files: Vec<u32> = (0..names.world.files.len() as u32).collect();
    let found: Vec<Vec<Use>> = files.par_iter().map(|number| Taker::new(names, hierarchy, *number).take()).collect();
    found.concat()
}

/// A place outside: the path to it, and what of the path the import names.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Outside {
    path: String,
    module: String,
}

/// What an expression stands for, as far as it matters here.
#[derive(Debug, Clone, PartialEq, Eq)]
enum What {
    /// Something from outside, and how it was come by.
    Outside(Outside, Evidence),
    /// An instance of a type from outside.
    Instance(Outside),
    /// A module, package or type of the project.
    Inside(Denoted),
    /// An instance of a type of the project; its base part if `true`.
    Of(GlobalSymbol, bool),
}

/// A place that values are assigned to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Holder {
    Variable(VariableIx),
    Symbol(SymbolIx),
}

struct Taker<'w, 'a> {
    names: Names<'w, 'a>,
    hierarchy: &'w Hierarchy,
    number: u32,
    file: &'w File<'a>,
    facts: &'a FileFacts,
    /// What was assigned to what, in this file.
    assigned: FxHashMap<Holder, Vec<ExprId>>,
    /// What was found to be kept where; nothing while it is being looked for.
    known: RefCell<FxHashMap<Holder, Vec<What>>>,
}

impl<'w, 'a> Taker<'w, 'a> {
    fn new(names: Names<'w, 'a>, hierarchy: &'w Hierarchy, number: u32) -> Self {
        let mut taker = Self::without_values(names, hierarchy, number);
        for flow in &taker.facts.flows {
            for holder in taker.holders(flow.to) {
                taker.assigned.entry(holder).or_default().push(flow.value);
            }
        }
        taker
    }

    /// Without a look at what was assigned: enough for what names mean by imports alone.
    fn without_values(names: Names<'w, 'a>, hierarchy: &'w Hierarchy, number: u32) -> Self {
        let file = names.world.file(number);
        let (assigned, known) = (FxHashMap::default(), RefCell::default());
        Self { names, hierarchy, number, file, facts: file.facts, assigned, known }
    }

    /// The places of this file that a flow goes to.
    fn holders(&self, place: Place) -> Vec<Holder> {
        match place {
            Place::Variable(variable) => vec![Holder::Variable(variable)],
            Place::Symbol(symbol) => vec![Holder::Symbol(symbol)],
            Place::Return(_) | Place::Yield(_) => Vec::new(),
            Place::Expr(expr) => match self.facts.expr(expr) {
                Expr::Name { scope, name } => {
                    let found = self.names.lookup(self.number, scope, self.file.atom(name));
                    found.iter().filter_map(|one| self.holder(one.what)).collect()
                }
                Expr::Member { base, name } => {
                    let Some(class) = self.receiver(base) else { return Vec::new() };
                    let members = self.hierarchy.members(self.names.world, class, self.file.atom(name));
                    members.iter().filter_map(|member| self.holder(Denoted::Symbol(*member))).collect()
                }
                _ => Vec::new(),
            },
        }
    }

    fn holder(&self, what: Denoted) -> Option<Holder> {
        match what {
            Denoted::Variable(file, variable) if file == self.number => Some(Holder::Variable(variable)),
            Denoted::Symbol(symbol) if symbol.file == self.number => Some(Holder::Symbol(symbol.symbol)),
            _ => None,
        }
    }

    /// The type whose instance an expression is, where it is the receiver of the method around.
    fn receiver(&self, expr: ExprId) -> Option<GlobalSymbol> {
        match self.facts.expr(expr) {
            Expr::Receiver { scope } => self.hierarchy.type_around(self.names.world, self.number, scope),
            Expr::Name { scope, name } => {
                let found = self.names.lookup(self.number, scope, self.file.atom(name));
                found.iter().find_map(|one| match one.what {
                    Denoted::Variable(file, variable) if file == self.number => self.receiving(variable),
                    _ => None,
                })
            }
            _ => None,
        }
    }

    /// The type around, of a parameter that is the receiver.
    fn receiving(&self, variable: VariableIx) -> Option<GlobalSymbol> {
        let parameter = self.facts.variables[variable.ix()].parameter?;
        if parameter.kind != ParameterKind::Receiver {
            return None;
        }
        let body = self.file.symbol(parameter.function).body?;
        self.hierarchy.type_around(self.names.world, self.number, body)
    }

    fn take(self) -> Vec<Use> {
        let mut uses = Vec::new();
        for site in &self.facts.sites {
            let (used, kind) = match (site.kind, self.facts.expr(site.expr)) {
                (SiteKind::Call, Expr::Call { callee, .. }) => (callee, EdgeKind::Calls),
                (SiteKind::Call, Expr::New { class, .. }) => (class, EdgeKind::Instantiates),
                (SiteKind::Call, _) => continue,
                (SiteKind::Reference, _) => (site.expr, EdgeKind::References),
            };
            // A variable that holds something from outside is no use of it until it is called.
            let own = kind == EdgeKind::References && self.is_own_name(used);
            if !own {
                self.push(&mut uses, site.owner, site.line, used, kind);
            }
        }
        for (at, import) in self.facts.imports.iter().enumerate() {
            let path = match import.what {
                Imported::All | Imported::Effects => self.open(import.source, import.scope),
                _ => self.imported(self.number, ImportIx(at as u32), MAX_LINKS),
            };
            if let Some(outside) = path {
                uses.push(self.one(import.owner, import.line, outside, EdgeKind::Imports, Evidence::Import));
            }
        }
        for base in &self.facts.bases {
            let kind = if base.implements { EdgeKind::Implements } else { EdgeKind::Extends };
            self.push(&mut uses, base.symbol, base.line, base.base, kind);
        }
        for decorator in &self.facts.decorators {
            let used = match self.facts.expr(decorator.value) {
                Expr::Call { callee, .. } => callee,
                _ => decorator.value,
            };
            self.push(&mut uses, decorator.symbol, decorator.line, used, EdgeKind::Decorates);
        }
        uses.sort();
        uses.dedup();
        drop_parts(&mut uses, &self.file.rules.separator);
        uses
    }

    fn is_own_name(&self, expr: ExprId) -> bool {
        let Expr::Name { scope, name } = self.facts.expr(expr) else { return false };
        let found = self.names.lookup(self.number, scope, self.file.atom(name));
        found.iter().any(|one| self.holder(one.what).is_some())
    }

    fn push(&self, uses: &mut Vec<Use>, from: SymbolIx, line: u32, used: ExprId, kind: EdgeKind) {
        for what in self.what(used, MAX_LINKS) {
            if let What::Outside(outside, via) = what {
                uses.push(self.one(from, line, outside, kind, via));
            }
        }
    }

    fn one(&self, from: SymbolIx, line: u32, outside: Outside, kind: EdgeKind, evidence: Evidence) -> Use {
        let symbol = self.facts.named_owner(from);
        let from = self.hierarchy.first_place(GlobalSymbol { file: self.number, symbol });
        let Outside { path, module } = outside;
        Use { from, file: self.number, line, path, module, kind, evidence }
    }

    /// What an expression stands for.
    fn what(&self, expr: ExprId, links: u32) -> Vec<What> {
        let Some(links) = links.checked_sub(1) else { return Vec::new() };
        match self.facts.expr(expr) {
            Expr::Name { scope, name } => self.named(scope, self.file.atom(name), links),
            Expr::Member { base, name } => {
                let name = self.file.atom(name);
                self.what(base, links).into_iter().flat_map(|what| self.member(what, name, links)).collect()
            }
            Expr::Call { callee, .. } => {
                self.what(callee, links).into_iter().filter_map(|what| self.called(what)).collect()
            }
            Expr::New { class, .. } => {
                self.what(class, links).into_iter().filter_map(|what| self.instance(what)).collect()
            }
            Expr::Instance { of } => self.what(of, links).into_iter().filter_map(|what| self.instance(what)).collect(),
            Expr::Apply { base, .. } => self.what(base, links),
            Expr::Module { source } => self.open(source, ScopeId::FILE).map(direct).into_iter().collect(),
            Expr::Receiver { scope } => self.around(scope).map(|class| What::Of(class, false)).into_iter().collect(),
            Expr::Super { scope } => self.around(scope).map(|class| What::Of(class, true)).into_iter().collect(),
            Expr::ReceiverType { scope } => {
                self.around(scope).map(|class| What::Inside(Denoted::Symbol(class))).into_iter().collect()
            }
            _ => Vec::new(),
        }
    }

    fn around(&self, scope: ScopeId) -> Option<GlobalSymbol> {
        self.hierarchy.type_around(self.names.world, self.number, scope)
    }

    /// What a call gives. Of what comes from outside it is known only where the name is written as a type's is.
    fn called(&self, what: What) -> Option<What> {
        let as_type = |outside: &Outside| {
            let last = outside.path.rsplit(|c: char| !c.is_alphanumeric() && c != '_').next().unwrap_or_default();
            last.trim_start_matches('_').starts_with(char::is_uppercase)
        };
        match what {
            What::Outside(ref outside, _) if self.file.rules.calls_make_instances && as_type(outside) => {
                self.instance(what)
            }
            What::Inside(Denoted::Symbol(symbol)) if self.names.world.kind(symbol).is_type() => self.instance(what),
            _ => None,
        }
    }

    fn instance(&self, what: What) -> Option<What> {
        match what {
            What::Outside(outside, _) => Some(What::Instance(outside)),
            What::Inside(Denoted::Symbol(symbol)) if self.names.world.kind(symbol).is_type() => {
                Some(What::Of(symbol, false))
            }
            _ => None,
        }
    }

    /// What a name means where it is used.
    fn named(&self, scope: ScopeId, name: Atom, links: u32) -> Vec<What> {
        let mut all = Vec::new();
        for one in self.names.lookup(self.number, scope, name) {
            match one.what {
                Denoted::External => {
                    let path = self.bound(self.number, scope, name, links);
                    all.extend(path.or_else(|| self.dependency(name)).map(direct));
                }
                what => match self.holder(what) {
                    Some(holder) => all.extend(self.held(holder, links)),
                    None => all.push(What::Inside(what)),
                },
            }
        }
        if all.len() > MAX_PLACES { Vec::new() } else { all }
    }

    /// What is kept in a variable or symbol of this file: what its declaration says, else what was assigned to it.
    fn held(&self, holder: Holder, links: u32) -> Vec<What> {
        if let Some(known) = self.known.borrow().get(&holder) {
            return known.clone();
        }
        self.known.borrow_mut().insert(holder, Vec::new());
        let found = self.find_held(holder, links);
        self.known.borrow_mut().insert(holder, found.clone());
        found
    }

    fn find_held(&self, holder: Holder, links: u32) -> Vec<What> {
        let (declared, itself) = match holder {
            Holder::Variable(variable) => {
                if let Some(class) = self.receiving(variable) {
                    return vec![What::Of(class, false)];
                }
                (self.facts.variables[variable.ix()].declared, None)
            }
            Holder::Symbol(symbol) => {
                let row = self.file.symbol(symbol);
                let global = self.hierarchy.first_place(GlobalSymbol { file: self.number, symbol });
                if !row.kind.holds_value() {
                    return vec![What::Inside(Denoted::Symbol(global))];
                }
                (row.declared, Some(global))
            }
        };
        let mut all: Vec<What> = Vec::new();
        if let Some(declared) = declared {
            all.extend(self.what(declared, links).into_iter().filter_map(|what| self.instance(what)));
        }
        if all.is_empty() {
            for value in self.assigned.get(&holder).into_iter().flatten().take(MAX_PLACES + 1) {
                all.extend(self.what(*value, links));
            }
        }
        all.dedup();
        if all.is_empty() {
            all.extend(itself.map(|symbol| What::Inside(Denoted::Symbol(symbol))));
        }
        if all.len() > MAX_PLACES { Vec::new() } else { all }
    }

    fn member(&self, of: What, name: Atom, links: u32) -> Vec<What> {
        let world = self.names.world;
        let text = world.atoms.text(name);
        match of {
            What::Outside(outside, via) => vec![What::Outside(self.below(outside, text), via)],
            What::Instance(outside) => vec![What::Outside(self.below(outside, text), Evidence::Receiver)],
            What::Of(class, base_part) => {
                let members = match base_part {
                    true => self.hierarchy.inherited_members(world, class, name),
                    false => self.hierarchy.members(world, class, name),
                };
                if members.is_empty() {
                    let base = self.base_outside(class, links);
                    return base
                        .map(|base| What::Outside(self.below(base, text), Evidence::Receiver))
                        .into_iter()
                        .collect();
                }
                let held = members.iter().filter_map(|member| self.holder(Denoted::Symbol(*member)));
                held.flat_map(|holder| self.held(holder, links)).collect()
            }
            What::Inside(Denoted::Symbol(class)) if world.kind(class).is_type() => {
                self.member(What::Of(class, false), name, links)
            }
            What::Inside(what) => {
                let mut all = Vec::new();
                for one in self.names.member(what, name) {
                    match (one.what, what) {
                        (Denoted::External, Denoted::Module(file)) => {
                            all.extend(self.bound(file, ScopeId::FILE, name, links).map(direct));
                        }
                        (Denoted::External, _) => {}
                        (found, _) => all.push(What::Inside(found)),
                    }
                }
                all
            }
        }
    }

    fn below(&self, mut outside: Outside, name: &str) -> Outside {
        outside.path.push_str(&self.file.rules.separator);
        outside.path.push_str(name);
        outside
    }

    /// The one base from outside that a type of the project has, or inherits. Of several nobody knows which is meant.
    fn base_outside(&self, class: GlobalSymbol, links: u32) -> Option<Outside> {
        let links = links.checked_sub(1)?;
        if !self.hierarchy.has_external_base(class) {
            return None;
        }
        let mut found = Vec::new();
        for at in self.hierarchy.line(class) {
            let home;
            let taker = if at.file == self.number {
                self
            } else {
                home = Self::without_values(self.names, self.hierarchy, at.file);
                &home
            };
            for base in taker.facts.bases.iter().filter(|base| base.symbol == at.symbol) {
                found.extend(taker.what(base.base, links).into_iter().filter_map(|what| match what {
                    What::Outside(outside, _) => Some(outside),
                    _ => None,
                }));
            }
        }
        found.dedup();
        match <[Outside; 1]>::try_from(found) {
            Ok([one]) => Some(one),
            Err(_) => None,
        }
    }

    /// The path behind the import that gives a name its meaning in a scope.
    fn bound(&self, number: u32, scope: ScopeId, name: Atom, links: u32) -> Option<Outside> {
        let file = self.names.world.file(number);
        file.outwards(scope).find_map(|at| {
            file.bound(at, name).find_map(|binding| match binding.target {
                Target::Import(import) => self.imported(number, import, links),
                _ => None,
            })
        })
    }

    /// A crate that is named without an import.
    fn dependency(&self, name: Atom) -> Option<Outside> {
        let text = self.names.world.atoms.text(name);
        let is_crate = self.file.rules.modules == ModuleSystem::Rust && self.is_crate(self.file.path, text);
        is_crate.then(|| Outside { path: text.to_owned(), module: text.to_owned() })
    }

    fn is_crate(&self, path: &str, name: &str) -> bool {
        matches!(name, "std" | "core" | "alloc") || self.names.world.modules.is_dependency(path, name)
    }

    /// The path of what an import brings, where it leads outside.
    fn imported(&self, number: u32, import: ImportIx, links: u32) -> Option<Outside> {
        let links = links.checked_sub(1)?;
        let file = self.names.world.file(number);
        let import = &file.facts.imports[import.ix()];
        let source = file.facts.name(import.source);
        if file.rules.modules == ModuleSystem::Rust {
            return self.imported_path(number, import.scope, source, links);
        }
        let module = self.names.source(number, import.scope, source, links);
        match (module.first().map(|one| one.what)?, import.what) {
            (Denoted::Module(other), Imported::Name(name)) => self.bound(other, ScopeId::FILE, file.atom(name), links),
            (Denoted::External, what) => {
                let module = foreign(file, source)?;
                let path = match what {
                    Imported::FirstPart => module.split('.').next().unwrap_or_default().to_owned(),
                    Imported::Name(name) => format!("{module}{}{}", file.rules.separator, file.facts.name(name)),
                    _ => module.clone(),
                };
                Some(Outside { path, module })
            }
            _ => None,
        }
    }

    /// The same for a `use` path of Rust, whose first part is a crate, or leads to a module that imports one.
    fn imported_path(&self, number: u32, scope: ScopeId, source: &str, links: u32) -> Option<Outside> {
        let links = links.checked_sub(1)?;
        let file = self.names.world.file(number);
        let parts = split(source, &file.rules.path_separators);
        if self.is_crate(file.path, parts.first()?) {
            return Some(Outside { path: parts.join("::"), module: source.to_owned() });
        }
        let (last, before) = parts.split_last()?;
        let name = self.names.world.atoms.get(last)?;
        let around = self.names.source(number, scope, &before.join("::"), links);
        around.iter().find_map(|one| match one.what {
            Denoted::Module(other) => self.bound(other, ScopeId::FILE, name, links),
            _ => None,
        })
    }

    /// The module that an import of everything, or of nothing, is of.
    fn open(&self, source: crate::facts::NameId, scope: ScopeId) -> Option<Outside> {
        let text = self.facts.name(source);
        if self.file.rules.modules == ModuleSystem::Rust {
            return self.imported_path(self.number, scope, text, MAX_LINKS);
        }
        let outside = |what| what == Denoted::External;
        let found = self.names.source(self.number, scope, text, MAX_LINKS);
        let path = foreign(self.file, text).filter(|_| found.first().is_some_and(|one| outside(one.what)))?;
        Some(Outside { module: path.clone(), path })
    }
}

fn direct(outside: Outside) -> What {
    What::Outside(outside, Evidence::Import)
}

/// The text of an import of something from outside; none of what only looks so, since a file is not there.
fn foreign(file: &File<'_>, source: &str) -> Option<String> {
    let inside = match file.rules.modules {
        ModuleSystem::Python => source.starts_with('.'),
        ModuleSystem::Node => source.starts_with(['.', '/', '#', '~']) || source.starts_with("@/"),
        // A header says nothing of whose it is.
        ModuleSystem::C => true,
        ModuleSystem::Dart => !source.starts_with("package:"),
        _ => source.starts_with('.'),
    };
    (!inside && !source.is_empty()).then(|| source.trim_start_matches('\\').to_owned())
}

/// Removes names that are only a part of how something else is named there: `os` and `os.path` in a call of
/// `os.path.join`, and the name of what is called. `uses` are sorted.
fn drop_parts(uses: &mut Vec<Use>, separator: &str) {
    let is_part = |part: &Use, whole: &Use| match whole.path.strip_prefix(part.path.as_str()) {
        Some("") => whole.kind != EdgeKind::References,
        Some(rest) => whole.evidence == Evidence::Import && rest.starts_with(separator),
        None => false,
    };
    let near = |one: &Use, other: &Use| (one.from, one.file, one.line) == (other.from, other.file, other.line);
    let spare: Vec<bool> = (0..uses.len())
        .map(|at| {
            let one = &uses[at];
            let before = uses[..at].iter().rev().take_while(|other| near(one, other));
            let after = uses[at + 1..].iter().take_while(|other| near(one, other));
            let mut others = before.chain(after).filter(|other| other.kind != EdgeKind::Imports);
            one.kind == EdgeKind::References && others.any(|other| is_part(one, other))
        })
        .collect();
    let mut spare = spare.into_iter();
    uses.retain(|_| !spare.next().unwrap_or_default());
}
