//! Types: which symbols are one, what extends what, who has which members.

use rayon::prelude::*;
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;
use vise_syntax::rules::ModuleSystem;

use crate::facts::{ExtensionIx, ScopeId, ScopeKind, Symbol, SymbolIx, Target, flag};
use crate::kinds::{EdgeKind, SymbolKind};
use crate::resolution::GlobalSymbol;

use super::merge;
use super::names::{Denoted, Names, fits_use};
use super::world::{Atom, World};

/// The members that a name has in a type; several where it is overloaded.
pub(crate) type Members = SmallVec<[GlobalSymbol; 2]>;

/// A type's line of ancestors, itself first.
#[derive(Debug, Default)]
struct Line {
    types: Vec<GlobalSymbol>,
    /// Whether some ancestor is not among the files.
    external: bool,
}

/// A base as it was written.
#[derive(Debug, Clone, Copy)]
pub(crate) struct BaseEdge {
    pub(crate) from: GlobalSymbol,
    pub(crate) to: GlobalSymbol,
    pub(crate) kind: EdgeKind,
    pub(crate) line: u32,
    /// The file and symbol that the text stands in.
    pub(crate) at: GlobalSymbol,
}

/// What is known of types.
#[derive(Debug, Default)]
pub(crate) struct Hierarchy {
    /// Of a symbol that is another's second place: the first place.
    first: FxHashMap<GlobalSymbol, GlobalSymbol>,
    /// All places of a symbol that has several, the first included.
    places: FxHashMap<GlobalSymbol, Vec<GlobalSymbol>>,
    /// The types that extensions extend.
    targets: FxHashMap<(u32, ExtensionIx), GlobalSymbol>,
    /// The scopes of extensions, by type.
    scopes: FxHashMap<GlobalSymbol, Vec<(u32, ScopeId)>>,
    /// Members that stand alone outside their type.
    loose: FxHashMap<(GlobalSymbol, Atom), Members>,
    /// The names of a type's loose members.
    loose_names: FxHashMap<GlobalSymbol, Vec<Atom>>,
    bases: FxHashMap<GlobalSymbol, Vec<Option<GlobalSymbol>>>,
    derived: FxHashMap<GlobalSymbol, Vec<GlobalSymbol>>,
    lines: FxHashMap<GlobalSymbol, Line>,
    /// The trait that an extension fulfils.
    promises: FxHashMap<(u32, ExtensionIx), GlobalSymbol>,
    /// Interfaces that a type fulfils without saying so.
    fulfilled: FxHashMap<GlobalSymbol, Vec<GlobalSymbol>>,
    pub(crate) edges: Vec<BaseEdge>,
}

impl Hierarchy {
    /// Finds all types' bases, extensions and parts.
    pub(crate) fn new(world: &World<'_>) -> Self {
        let mut all = Self::default();
        all.join(merge::types_and_overloads(world));
        all.find_extensions(world);
        let prototypes = merge::prototypes(world, &all);
        all.join(prototypes);
        let members = merge::members(world, &all);
        all.join(members);
        all.find_bases(world);
        all.find_implicit_interfaces(world);
        all.draw_lines();
        all
    }

    fn join(&mut self, pairs: Vec<(GlobalSymbol, GlobalSymbol)>) {
        for (second, first) in pairs {
            if second != first {
                let first = self.first_place(first);
                self.first.insert(second, first);
                let places = self.places.entry(first).or_insert_with(|| vec![first]);
                places.push(second);
            }
        }
    }

    /// The number by which a symbol with several places is known.
    pub(crate) fn first_place(&self, symbol: GlobalSymbol) -> GlobalSymbol {
        self.first.get(&symbol).copied().unwrap_or(symbol)
    }

    /// All symbols that are another's second place, with the first.
    pub(crate) fn all_merged(&self) -> impl Iterator<Item = (GlobalSymbol, GlobalSymbol)> + '_ {
        self.first.iter().map(|(second, first)| (*second, self.first_place(*first)))
    }

    pub(crate) fn places(&self, symbol: GlobalSymbol) -> SmallVec<[GlobalSymbol; 1]> {
        match self.places.get(&symbol) {
            Some(places) => places.iter().copied().collect(),
            None => SmallVec::from_slice(&[symbol]),
        }
    }

    /// The type that an extension extends.
    pub(crate) fn target(&self, file: u32, extension: ExtensionIx) -> Option<GlobalSymbol> {
        self.targets.get(&(file, extension)).copied()
    }

    /// The type whose code a scope is in.
    pub(crate) fn type_around(&self, world: &World<'_>, number: u32, scope: ScopeId) -> Option<GlobalSymbol> {
        let file = world.file(number);
        for at in file.outwards(scope) {
            let row = &file.facts.scopes[at.ix()];
            let owner = GlobalSymbol { file: number, symbol: row.owner };
            match row.kind {
                ScopeKind::Type => {
                    return match row.extension {
                        Some(extension) => self.target(number, extension),
                        None => Some(self.first_place(owner)),
                    };
                }
                ScopeKind::Function => {
                    if let Some(extension) = file.symbol(row.owner).extension
                        && let Some(target) = self.target(number, extension)
                    {
                        return Some(target);
                    }
                    if let Some(instance) = self.function_class(world, number, row.owner) {
                        return Some(instance);
                    }
                }
                _ => {}
            }
        }
        None
    }

    /// A function that has members of its own (`this.x = …` in a JavaScript function) is a type as well.
    fn function_class(&self, world: &World<'_>, number: u32, function: SymbolIx) -> Option<GlobalSymbol> {
        let file = world.file(number);
        let symbol = GlobalSymbol { file: number, symbol: function };
        let is_class = file.rules.modules == ModuleSystem::Node
            && file.symbol(function).kind == SymbolKind::Function
            && (self.loose_names.contains_key(&symbol) || self.scopes.contains_key(&symbol));
        is_class.then_some(symbol)
    }

    fn find_extensions(&mut self, world: &World<'_>) {
        let names = Names::new(world, Some(self));
        let found: Vec<_> = (0..world.files.len() as u32)
            .into_par_iter()
            .flat_map_iter(|number| {
                let file = world.file(number);
                (0..file.facts.extensions.len() as u32).filter_map(move |at| {
                    let extension = &file.facts.extensions[at as usize];
                    let target = type_of(names, number, extension.target)?;
                    Some((number, ExtensionIx(at), target, extension.scope))
                })
            })
            .collect();
        for (number, extension, target, scope) in found {
            let target = self.first_place(target);
            self.targets.insert((number, extension), target);
            if let Some(scope) = scope {
                self.scopes.entry(target).or_default().push((number, scope));
            }
        }
        for (number, file) in world.files.iter().enumerate() {
            for (at, symbol) in file.facts.symbols.iter().enumerate() {
                let Some(extension) = symbol.extension else { continue };
                if file.facts.extensions[extension.ix()].scope.is_some() {
                    continue;
                }
                let Some(target) = self.target(number as u32, extension) else { continue };
                let member = GlobalSymbol { file: number as u32, symbol: SymbolIx(at as u32) };
                let name = file.atom(symbol.name);
                self.loose.entry((target, name)).or_default().push(member);
                self.loose_names.entry(target).or_default().push(name);
            }
        }
    }

    fn find_bases(&mut self, world: &World<'_>) {
        let this = &*self;
        let names = Names::new(world, Some(this));
        let found: Vec<_> = (0..world.files.len() as u32)
            .into_par_iter()
            .flat_map_iter(|number| {
                let file = world.file(number);
                let own = file.facts.bases.iter().map(move |base| {
                    let at = GlobalSymbol { file: number, symbol: base.symbol };
                    (at, this.first_place(at), type_of(names, number, base.base), base.implements, base.line, None)
                });
                let implemented = file.facts.extensions.iter().enumerate().filter_map(move |(at, extension)| {
                    let base = extension.implements?;
                    let target = this.target(number, ExtensionIx(at as u32))?;
                    let which = Some(ExtensionIx(at as u32));
                    let at = GlobalSymbol { file: number, symbol: SymbolIx::MODULE };
                    Some((at, target, type_of(names, number, base), true, extension.line, which))
                });
                own.chain(implemented)
            })
            .collect();
        for (at, from, to, implements, line, extension) in found {
            let to = to.map(|to| self.first_place(to));
            if let (Some(extension), Some(to)) = (extension, to) {
                self.promises.insert((at.file, extension), to);
            }
            self.bases.entry(from).or_default().push(to);
            let Some(to) = to.filter(|to| *to != from) else { continue };
            let derived = self.derived.entry(to).or_default();
            if !derived.contains(&from) {
                derived.push(from);
            }
            let interface = |kind| matches!(kind, SymbolKind::Interface | SymbolKind::Trait);
            let promise = implements || interface(world.kind(to)) && !interface(world.kind(from));
            let kind = if promise { EdgeKind::Implements } else { EdgeKind::Extends };
            self.edges.push(BaseEdge { from, to, kind, line, at });
        }
    }

    /// In Go a type implements an interface by having its methods.
    fn find_implicit_interfaces(&mut self, world: &World<'_>) {
        let mut having: FxHashMap<Atom, Vec<GlobalSymbol>> = FxHashMap::default();
        for (target, names) in &self.loose_names {
            if world.file(target.file).rules.modules == ModuleSystem::Go {
                for name in names {
                    having.entry(*name).or_default().push(*target);
                }
            }
        }
        let mut pairs = Vec::new();
        for (number, file) in world.files.iter().enumerate() {
            if file.rules.modules != ModuleSystem::Go {
                continue;
            }
            for (at, symbol) in file.facts.symbols.iter().enumerate() {
                if symbol.kind != SymbolKind::Interface {
                    continue;
                }
                let interface = GlobalSymbol { file: number as u32, symbol: SymbolIx(at as u32) };
                let methods = self.promised_methods(world, interface);
                let Some((first, rest)) = methods.split_first() else { continue };
                for candidate in having.get(first).into_iter().flatten() {
                    let same_family = world.file(candidate.file).family == file.family;
                    if same_family && rest.iter().all(|name| self.loose.contains_key(&(*candidate, *name))) {
                        pairs.push((*candidate, interface));
                    }
                }
            }
        }
        pairs.sort_unstable();
        pairs.dedup();
        for (from, to) in pairs {
            let at = from;
            let line = world.symbol(from).line;
            self.derived.entry(to).or_default().push(from);
            self.fulfilled.entry(from).or_default().push(to);
            self.edges.push(BaseEdge { from, to, kind: EdgeKind::Implements, line, at });
        }
    }

    /// The names of the methods of an interface, those of interfaces that it embeds included.
    fn promised_methods(&self, world: &World<'_>, interface: GlobalSymbol) -> Vec<Atom> {
        let mut names: Vec<Atom> = Vec::new();
        let mut open = vec![interface];
        let mut seen: FxHashSet<GlobalSymbol> = FxHashSet::default();
        while let Some(at) = open.pop() {
            if !seen.insert(at) {
                continue;
            }
            let file = world.file(at.file);
            if let Some(body) = world.symbol(at).body {
                let is_method = |target| matches!(target, Target::Symbol(s) if file.symbol(s).kind.is_callable());
                names.extend(file.bindings_of(body).filter(|(_, b)| is_method(b.target)).map(|(name, _)| name));
            }
            open.extend(self.bases.get(&at).into_iter().flatten().flatten());
        }
        names.sort_unstable();
        names.dedup();
        names
    }

    fn draw_lines(&mut self) {
        for derived in self.derived.values_mut() {
            derived.sort_unstable();
            derived.dedup();
        }
        self.edges.sort_by_key(|edge| (edge.at, edge.line, edge.from, edge.to));
        let types: Vec<GlobalSymbol> = self.bases.keys().copied().collect();
        let lines: Vec<(GlobalSymbol, Line)> =
            types.into_par_iter().map(|class| (class, self.line_of(class))).collect();
        self.lines.extend(lines);
    }

    /// The ancestors of a type in the order in which they are asked for a member: each behind all of its subtypes, as
    /// written from left to right. Cycles are cut.
    fn line_of(&self, class: GlobalSymbol) -> Line {
        let mut line = Line::default();
        // Children after all their parents, in post-order of a walk from right to left; reversed at the end.
        let mut done: FxHashSet<GlobalSymbol> = FxHashSet::default();
        let mut open: FxHashSet<GlobalSymbol> = FxHashSet::default();
        let mut stack = vec![(class, false)];
        while let Some((at, leave)) = stack.pop() {
            if leave {
                if done.insert(at) {
                    line.types.push(at);
                }
                continue;
            }
            if done.contains(&at) || !open.insert(at) {
                continue;
            }
            stack.push((at, true));
            for base in self.bases.get(&at).into_iter().flatten() {
                match base {
                    Some(base) => stack.push((*base, false)),
                    None => line.external = true,
                }
            }
        }
        line.types.reverse();
        line
    }

    /// A type and its ancestors.
    pub(crate) fn line(&self, class: GlobalSymbol) -> SmallVec<[GlobalSymbol; 4]> {
        match self.lines.get(&class) {
            Some(line) => line.types.iter().copied().collect(),
            None => SmallVec::from_slice(&[class]),
        }
    }

    /// Whether an ancestor is not among the files, so that members may come from there.
    pub(crate) fn has_external_base(&self, class: GlobalSymbol) -> bool {
        self.lines.get(&class).is_some_and(|line| line.external)
    }

    /// What a type itself, with all its parts and extensions, has under a name.
    pub(crate) fn own_members(&self, world: &World<'_>, class: GlobalSymbol, name: Atom) -> Members {
        let mut all = Members::new();
        let mut look = |number: u32, scope: ScopeId| {
            for binding in world.file(number).bound(scope, name) {
                if let Target::Symbol(symbol) = binding.target {
                    all.push(self.first_place(GlobalSymbol { file: number, symbol }));
                }
            }
        };
        for place in self.places(class) {
            if let Some(body) = world.symbol(place).body {
                look(place.file, body);
            }
        }
        for (number, scope) in self.scopes.get(&class).into_iter().flatten() {
            look(*number, *scope);
        }
        if let Some(loose) = self.loose.get(&(class, name)) {
            all.extend(loose.iter().map(|member| self.first_place(*member)));
        }
        all.sort_unstable();
        all.dedup();
        if all.len() > 1 && world.file(class.file).rules.later_replaces {
            all.retain(|member| !world.has_flag(*member, flag::REPLACED));
        }
        // What a type has itself comes before what it has for a trait.
        if all.len() > 1 && all.iter().any(|member| self.promise_of(world, *member).is_none()) {
            all.retain(|member| self.promise_of(world, *member).is_none());
        }
        all
    }

    /// The trait for whose sake a type has a member.
    pub(crate) fn promise_of(&self, world: &World<'_>, member: GlobalSymbol) -> Option<GlobalSymbol> {
        let file = world.file(member.file);
        let extension = file.facts.scopes[file.symbol(member.symbol).scope.ix()].extension?;
        self.promises.get(&(member.file, extension)).copied()
    }

    /// What a type has under a name, inherited if it has none itself.
    pub(crate) fn members(&self, world: &World<'_>, class: GlobalSymbol, name: Atom) -> Members {
        let line = self.line(class);
        let mut own = line.iter().map(|at| self.own_members(world, *at, name)).filter(|all| !all.is_empty());
        let Some(nearest) = own.next() else { return Members::new() };
        if !nearest.iter().all(|member| is_assigned(world.symbol(*member))) {
            return nearest;
        }
        // What is assigned to an accessor of a base goes through the accessor.
        let accessor = |all: &Members| all.iter().any(|member| world.has_flag(*member, flag::ACCESSOR));
        own.find(accessor).unwrap_or(nearest)
    }

    /// What a type has under a name that is called, or read, wherever the two are kept apart.
    pub(crate) fn members_used(&self, world: &World<'_>, class: GlobalSymbol, name: Atom, called: bool) -> Members {
        let own = |at: &GlobalSymbol| {
            let mut all = self.own_members(world, *at, name);
            all.retain(|member| fits_use(world.symbol(*member), called));
            all
        };
        self.line(class).iter().map(own).find(|all| !all.is_empty()).unwrap_or_default()
    }

    /// What the ancestors of a type have under a name.
    pub(crate) fn inherited_members(&self, world: &World<'_>, class: GlobalSymbol, name: Atom) -> Members {
        let line = self.line(class);
        line[1..].iter().map(|at| self.own_members(world, *at, name)).find(|all| !all.is_empty()).unwrap_or_default()
    }

    /// All subtypes of a type, itself left out, in a fixed order.
    pub(crate) fn subtypes(&self, class: GlobalSymbol) -> Vec<GlobalSymbol> {
        let mut seen = FxHashSet::from_iter([class]);
        let mut all = Vec::new();
        let mut stack = vec![class];
        while let Some(at) = stack.pop() {
            for below in self.derived.get(&at).into_iter().flatten() {
                if seen.insert(*below) {
                    all.push(*below);
                    stack.push(*below);
                }
            }
        }
        all.sort_unstable();
        all
    }

    /// Types with bases, in a fixed order.
    pub(crate) fn types_with_bases(&self) -> Vec<GlobalSymbol> {
        let mut all: Vec<GlobalSymbol> =
            self.bases.keys().copied().chain(self.derived.values().flatten().copied()).collect();
        all.sort_unstable();
        all.dedup();
        all
    }

    /// The names and symbols of a type's own members.
    pub(crate) fn all_members(&self, world: &World<'_>, class: GlobalSymbol) -> Vec<(Atom, GlobalSymbol)> {
        let mut scopes: Vec<(u32, ScopeId)> = Vec::new();
        for place in self.places(class) {
            scopes.extend(world.symbol(place).body.map(|body| (place.file, body)));
        }
        scopes.extend(self.scopes.get(&class).into_iter().flatten());
        let mut all: Vec<(Atom, GlobalSymbol)> = Vec::new();
        for (number, scope) in scopes {
            for (name, binding) in world.file(number).bindings_of(scope) {
                if let Target::Symbol(symbol) = binding.target {
                    all.push((name, self.first_place(GlobalSymbol { file: number, symbol })));
                }
            }
        }
        for name in self.loose_names.get(&class).into_iter().flatten() {
            let loose = self.loose.get(&(class, *name)).into_iter().flatten();
            all.extend(loose.map(|member| (*name, self.first_place(*member))));
        }
        all.sort_unstable();
        all.dedup();
        all
    }

    /// What a member of a type overrides: the nearest of its name in the ancestors, or (in Go) in the interfaces that the
    /// type fulfils.
    pub(crate) fn overridden(&self, world: &World<'_>, class: GlobalSymbol, name: Atom) -> Members {
        let inherited = self.inherited_members(world, class, name);
        if !inherited.is_empty() {
            return inherited;
        }
        let promised = self.fulfilled.get(&class).into_iter().flatten();
        promised.map(|base| self.own_members(world, *base, name)).find(|all| !all.is_empty()).unwrap_or_default()
    }
}

/// Whether a member is there only because a method assigns to it.
pub(crate) fn is_assigned(symbol: &Symbol) -> bool {
    symbol.flags & flag::ASSIGNED != 0 && symbol.declared.is_none()
}

/// The type that an expression in the place of a type names; aliases are followed.
pub(crate) fn type_of(names: Names<'_, '_>, file: u32, expr: crate::facts::ExprId) -> Option<GlobalSymbol> {
    let (mut file, mut expr) = (file, expr);
    let names = Names { typed: names.world.file(file).has_types(), ..names };
    for _ in 0..8 {
        let found = names.path(file, expr);
        // What is written for every type with a bound belongs to the bound.
        if let Some(Denoted::TypeParameter(home, scope, name)) = found.first().map(|one| one.what) {
            let facts = names.world.file(home).facts;
            let bound = facts
                .bounds
                .iter()
                .find(|bound| bound.scope == scope && names.world.file(home).atom(bound.name) == name)?;
            (file, expr) = (home, bound.bound);
            continue;
        }
        let symbol = found.iter().find_map(|one| match one.what {
            Denoted::Symbol(symbol) if names.world.kind(symbol).is_type() => Some(symbol),
            Denoted::Symbol(symbol) if names.world.kind(symbol) == SymbolKind::Function => Some(symbol),
            _ => None,
        })?;
        let row = names.world.symbol(symbol);
        match (row.kind, row.declared) {
            (SymbolKind::Type, Some(alias)) if row.flags & flag::ABSTRACT == 0 => (file, expr) = (symbol.file, alias),
            _ => return Some(symbol),
        }
    }
    None
}
