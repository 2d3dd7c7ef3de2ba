//! All files at once: their names as numbers, their scopes as tables, their paths and packages.

use std::sync::{Mutex, PoisonError};

use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;
use vise_syntax::rules::{GraphRules, ModuleSystem, PackageScope};

use crate::facts::{
    Binding, ExprId, FileFacts, ImportIx, Imported, NameId, ScopeId, ScopeKind, Symbol, SymbolIx, VariableIx, flag,
};
use crate::kinds::SymbolKind;
use crate::resolution::GlobalSymbol;
use crate::source::{ProjectFile, SourceFile};

use super::imports::Imports;
use super::modules::Modules;
use super::names::Denotation;
use super::uses::Uses;

/// A name, as a number that is the same in all files.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Atom(pub(crate) u32);

/// The names of all files.
#[derive(Debug, Default)]
pub(crate) struct Atoms<'a> {
    numbers: FxHashMap<&'a str, Atom>,
    texts: Vec<&'a str>,
}

impl<'a> Atoms<'a> {
    fn intern(&mut self, text: &'a str) -> Atom {
        let Self { numbers, texts } = self;
        *numbers.entry(text).or_insert_with(|| {
            texts.push(text);
            Atom(u32::try_from(texts.len() - 1).unwrap_or(u32::MAX))
        })
    }

    /// The number of a name that some file has.
    pub(crate) fn get(&self, text: &str) -> Option<Atom> {
        self.numbers.get(text).copied()
    }

    pub(crate) fn text(&self, atom: Atom) -> &'a str {
        self.texts[atom.0 as usize]
    }
}

/// A file with tables over its facts.
pub(crate) struct File<'a> {
    pub(crate) path: &'a str,
    pub(crate) facts: &'a FileFacts,
    pub(crate) rules: &'a GraphRules,
    /// Files of one family may have edges between them.
    pub(crate) family: u16,
    atoms: Vec<Atom>,
    /// By scope, of each sorted by name.
    bindings: Vec<(Atom, u32)>,
    /// Of each scope, where in `bindings` its run begins; one more at the end.
    starts: Vec<u32>,
    /// The parameters of each function, in order of their index; sorted by function.
    parameters: Vec<(SymbolIx, u16, VariableIx)>,
    /// Imports of everything, by scope.
    pub(crate) open_imports: Vec<(ScopeId, ImportIx)>,
    pub(crate) uses: Uses,
}

impl<'a> File<'a> {
    fn new(source: &'a SourceFile<'_>, rules: &'a GraphRules, family: u16, atoms: &mut Atoms<'a>) -> Self {
        let facts = &source.facts;
        let numbers: Vec<Atom> = facts.names.iter().map(|name| atoms.intern(name)).collect();
        let mut sorted: Vec<(ScopeId, Atom, u32)> = facts
            .bindings
            .iter()
            .enumerate()
            .map(|(at, binding)| (binding.scope, numbers[binding.name.ix()], at as u32))
            .collect();
        sorted.sort_unstable();
        let mut starts = vec![0; facts.scopes.len() + 1];
        for (scope, _, _) in &sorted {
            starts[scope.ix() + 1] += 1;
        }
        for at in 1..starts.len() {
            starts[at] += starts[at - 1];
        }
        let bindings = sorted.into_iter().map(|(_, name, at)| (name, at)).collect();
        let mut parameters: Vec<(SymbolIx, u16, VariableIx)> = facts
            .variables
            .iter()
            .enumerate()
            .filter_map(|(at, variable)| variable.parameter.map(|p| (p.function, p.index, VariableIx(at as u32))))
            .collect();
        parameters.sort_unstable();
        let open_imports = facts
            .imports
            .iter()
            .enumerate()
            .filter(|(_, import)| matches!(import.what, Imported::All | Imported::Effects))
            .map(|(at, import)| (import.scope, ImportIx(at as u32)))
            .collect();
        let uses = Uses::new(facts, rules);
        Self {
            path: &source.path,
            facts,
            rules,
            family,
            atoms: numbers,
            bindings,
            starts,
            parameters,
            open_imports,
            uses,
        }
    }

    pub(crate) fn atom(&self, name: NameId) -> Atom {
        self.atoms[name.ix()]
    }

    /// The numbers of the file's names, in the order of `facts.names`.
    pub(crate) fn atoms(&self) -> &[Atom] {
        &self.atoms
    }

    pub(crate) fn symbol(&self, symbol: SymbolIx) -> &'a Symbol {
        &self.facts.symbols[symbol.ix()]
    }

    /// What a name means in exactly this scope.
    pub(crate) fn bound(&self, scope: ScopeId, name: Atom) -> impl Iterator<Item = &'a Binding> + use<'a, '_> {
        let run = self.run_of(scope);
        let start = run.partition_point(|row| row.0 < name);
        run[start..].iter().take_while(move |row| row.0 == name).map(|row| &self.facts.bindings[row.1 as usize])
    }

    /// All bindings of a scope.
    pub(crate) fn bindings_of(&self, scope: ScopeId) -> impl Iterator<Item = (Atom, &'a Binding)> + use<'a, '_> {
        self.run_of(scope).iter().map(|row| (row.0, &self.facts.bindings[row.1 as usize]))
    }

    fn run_of(&self, scope: ScopeId) -> &[(Atom, u32)] {
        &self.bindings[self.starts[scope.ix()] as usize..self.starts[scope.ix() + 1] as usize]
    }

    /// The parameters of a function, in order.
    pub(crate) fn parameters(&self, function: SymbolIx) -> &[(SymbolIx, u16, VariableIx)] {
        let start = self.parameters.partition_point(|row| row.0 < function);
        let end = self.parameters.partition_point(|row| row.0 <= function);
        &self.parameters[start..end]
    }

    /// The folder of the file, without a slash at its end; empty at the root.
    pub(crate) fn folder(&self) -> &'a str {
        folder_of(self.path)
    }

    /// Scopes from this one outwards, the file's last.
    pub(crate) fn outwards(&self, scope: ScopeId) -> impl Iterator<Item = ScopeId> + use<'a> {
        let facts = self.facts;
        let mut next = Some(scope);
        std::iter::from_fn(move || {
            let scope = next?;
            next = facts.scopes.get(scope.ix()).and_then(|found| (found.parent != scope).then_some(found.parent));
            Some(scope)
        })
    }

    /// Whether members of a type are never bare names, not even for the type's own code.
    pub(crate) fn hides_members(&self) -> bool {
        use ModuleSystem::{Go, Node, Php, Rust};
        matches!(self.rules.modules, Rust | Go | Node | Php)
    }

    /// The scope furthest out from which a name means the same: blocks and functions that say nothing of it are many.
    pub(crate) fn anchor(&self, scope: ScopeId, name: Atom) -> ScopeId {
        let members_only = self.hides_members();
        let mut at = scope;
        loop {
            let row = &self.facts.scopes[at.ix()];
            let passable = match row.kind {
                ScopeKind::Block => true,
                ScopeKind::Function => self.symbol(row.owner).extension.is_none() || !self.rules.implicit_receiver,
                ScopeKind::Type => members_only,
                ScopeKind::File | ScopeKind::Namespace => false,
            };
            let says_nothing =
                self.bound(at, name).next().is_none() && self.open_imports.iter().all(|(open, _)| *open != at);
            // Whether code stands directly in a type may matter, so the way to a type that hides nothing ends below it.
            let below = members_only || self.facts.scopes[row.parent.ix()].kind != ScopeKind::Type;
            if !passable || !says_nothing || !below || row.parent == at {
                return at;
            }
            at = row.parent;
        }
    }

    pub(crate) fn scope_kind(&self, scope: ScopeId) -> ScopeKind {
        self.facts.scopes[scope.ix()].kind
    }
}

/// The folder of a path; empty at the root.
pub(crate) fn folder_of(path: &str) -> &str {
    path.rfind('/').map_or("", |slash| &path[..slash])
}

/// A package: one name, declared by many files or parts of files.
#[derive(Debug, Default)]
pub(crate) struct Package {
    /// Its full name.
    pub(crate) name: String,
    /// The scopes that make it up.
    pub(crate) scopes: Vec<(u32, ScopeId)>,
    /// The package around it.
    pub(crate) around: Option<u32>,
    /// The packages directly inside, by the last part of their names.
    pub(crate) inside: Vec<(Atom, u32)>,
}

/// Everything that is resolved together.
pub(crate) struct World<'a> {
    pub(crate) files: Vec<File<'a>>,
    pub(crate) atoms: Atoms<'a>,
    pub(crate) modules: Modules<'a>,
    /// By family and full name.
    packages: FxHashMap<(u16, String), u32>,
    pub(crate) package_list: Vec<Package>,
    /// The package that each scope of a namespace or file is part of.
    package_of: FxHashMap<(u32, ScopeId), u32>,
    /// Definitions at the top level of files, by family and name, in families where a bare name may mean any of them.
    globals: FxHashMap<(u16, Atom), SmallVec<[GlobalSymbol; 2]>>,
    /// Names that some file of the family keeps to itself.
    hidden: FxHashSet<(u16, Atom)>,
    macros: FxHashMap<(u16, Atom), SmallVec<[GlobalSymbol; 2]>>,
    /// Names that something outside functions has, by family. Others cannot come from an import of everything.
    known_names: FxHashSet<(u16, Atom)>,
    /// What files offer, as far as somebody asked; in parts, so that threads seldom wait for each other.
    offered: Vec<Mutex<FxHashMap<(u32, Atom), Denotation>>>,
    pub(crate) imports: Imports,
}

impl<'a> World<'a> {
    /// Builds the tables. `rules` has the constants of each file's language.
    pub(crate) fn new(sources: &'a [SourceFile<'a>], projects: &'a [ProjectFile], rules: &[&'a GraphRules]) -> Self {
        let mut atoms = Atoms::default();
        let mut families: Vec<&str> = Vec::new();
        let mut files = Vec::with_capacity(sources.len());
        for (source, rules) in sources.iter().zip(rules) {
            let family = families.iter().position(|known| *known == rules.family).unwrap_or_else(|| {
                families.push(&rules.family);
                families.len() - 1
            });
            files.push(File::new(source, rules, family as u16, &mut atoms));
        }
        let modules = Modules::new(&files, projects);
        let mut world = Self {
            files,
            atoms,
            modules,
            packages: FxHashMap::default(),
            package_list: Vec::new(),
            package_of: FxHashMap::default(),
            globals: FxHashMap::default(),
            hidden: FxHashSet::default(),
            macros: FxHashMap::default(),
            known_names: FxHashSet::default(),
            offered: (0..64).map(|_| Mutex::default()).collect(),
            imports: Imports::new(sources.iter().map(|source| source.facts.imports.len())),
        };
        world.find_packages();
        world.find_globals();
        world
    }

    /// What a file offers under a name, found by `find` when it is asked for first. `find` must give the same whoever asks.
    pub(crate) fn offered(&self, file: u32, name: Atom, find: impl FnOnce() -> Denotation) -> Denotation {
        let part = &self.offered[(file.wrapping_add(name.0) % 64) as usize];
        if let Some(known) = part.lock().unwrap_or_else(PoisonError::into_inner).get(&(file, name)) {
            return known.clone();
        }
        let found = find();
        part.lock().unwrap_or_else(PoisonError::into_inner).insert((file, name), found.clone());
        found
    }

    /// Forgets what files offer: what is known of types has changed it.
    pub(crate) fn forget_offered(&self) {
        for part in &self.offered {
            part.lock().unwrap_or_else(PoisonError::into_inner).clear();
        }
    }

    pub(crate) fn file(&self, file: u32) -> &File<'a> {
        &self.files[file as usize]
    }

    pub(crate) fn symbol(&self, symbol: GlobalSymbol) -> &'a Symbol {
        self.file(symbol.file).symbol(symbol.symbol)
    }

    pub(crate) fn kind(&self, symbol: GlobalSymbol) -> SymbolKind {
        self.symbol(symbol).kind
    }

    pub(crate) fn has_flag(&self, symbol: GlobalSymbol, bit: u32) -> bool {
        self.symbol(symbol).flags & bit != 0
    }

    /// A package by its full name.
    pub(crate) fn package(&self, family: u16, name: &str) -> Option<u32> {
        self.packages.get(&(family, name.to_owned())).copied()
    }

    /// The package that a scope is directly part of.
    pub(crate) fn package_of(&self, file: u32, scope: ScopeId) -> Option<u32> {
        self.package_of.get(&(file, scope)).copied()
    }

    /// Top-level definitions of this name anywhere in the family.
    pub(crate) fn globals(&self, family: u16, name: Atom) -> &[GlobalSymbol] {
        self.globals.get(&(family, name)).map_or(&[], |found| found.as_slice())
    }

    /// Whether some file of the family has a top-level definition of this name that others do not see.
    pub(crate) fn is_hidden(&self, family: u16, name: Atom) -> bool {
        self.hidden.contains(&(family, name))
    }

    /// Whether a symbol has a decorator of this name.
    pub(crate) fn is_decorated(&self, symbol: GlobalSymbol, name: &str) -> bool {
        let file = self.file(symbol.file);
        let own = file.facts.decorators.iter().filter(|decorator| decorator.symbol == symbol.symbol);
        own.filter_map(|decorator| last_name(file, decorator.value)).any(|known| file.facts.name(known) == name)
    }

    /// Macros of this name anywhere in the family.
    pub(crate) fn macros(&self, family: u16, name: Atom) -> &[GlobalSymbol] {
        self.macros.get(&(family, name)).map_or(&[], |found| found.as_slice())
    }

    fn find_packages(&mut self) {
        for number in 0..self.files.len() {
            let file = &self.files[number];
            let (family, separator) = (file.family, file.rules.separator.clone());
            let declared = match file.rules.package_scope {
                PackageScope::None | PackageScope::All => None,
                PackageScope::Folder => {
                    let name = file.facts.package.map_or("", |name| file.facts.name(name));
                    Some(format!("{}:{name}", file.folder()))
                }
                PackageScope::Package => Some(file.facts.package.map_or("", |name| file.facts.name(name)).to_owned()),
            };
            let outer = declared.as_deref().filter(|_| file.rules.package_scope == PackageScope::Package);
            let mut scopes: Vec<(String, ScopeId)> = Vec::new();
            for (at, symbol) in file.facts.symbols.iter().enumerate().skip(1) {
                if let (SymbolKind::Namespace, Some(body)) = (symbol.kind, symbol.body) {
                    let name = self.namespace_name(number as u32, SymbolIx(at as u32), &separator, outer);
                    scopes.push((name, body));
                }
            }
            scopes.extend(declared.map(|name| (name, ScopeId::FILE)));
            for (name, scope) in scopes {
                let package = self.add_package(family, &name, &separator);
                self.package_list[package as usize].scopes.push((number as u32, scope));
                self.package_of.insert((number as u32, scope), package);
            }
        }
    }

    /// The full name of a namespace: those around it, then its own, which may have several parts.
    fn namespace_name(&self, file: u32, symbol: SymbolIx, separator: &str, outer: Option<&str>) -> String {
        let file = self.file(file);
        let mut parts = Vec::new();
        let mut at = symbol;
        loop {
            let found = file.symbol(at);
            if found.container == at || at == SymbolIx::MODULE {
                break;
            }
            parts.push(file.facts.name(found.name));
            at = found.container;
        }
        parts.extend(outer.filter(|name| !name.is_empty()));
        parts.reverse();
        parts.join(separator)
    }

    /// The package of this name, made together with those around it.
    fn add_package(&mut self, family: u16, name: &str, separator: &str) -> u32 {
        if let Some(found) = self.packages.get(&(family, name.to_owned())) {
            return *found;
        }
        let number = self.package_list.len() as u32;
        self.package_list.push(Package { name: name.to_owned(), ..Package::default() });
        self.packages.insert((family, name.to_owned()), number);
        if let Some(at) = name.rfind(separator).filter(|_| !separator.is_empty()) {
            let around = self.add_package(family, &name[..at], separator);
            self.package_list[number as usize].around = Some(around);
            if let Some(atom) = self.atoms.get(&name[at + separator.len()..]) {
                self.package_list[around as usize].inside.push((atom, number));
            }
        }
        number
    }

    /// Whether anything outside functions has this name.
    pub(crate) fn is_known_name(&self, family: u16, name: Atom) -> bool {
        self.known_names.contains(&(family, name))
    }

    fn find_globals(&mut self) {
        for (number, file) in self.files.iter().enumerate() {
            for binding in &file.facts.bindings {
                let kind = file.scope_kind(binding.scope);
                if !matches!(kind, ScopeKind::Function | ScopeKind::Block) {
                    self.known_names.insert((file.family, file.atom(binding.name)));
                }
            }
            self.known_names.extend(file.facts.exports.iter().map(|export| (file.family, file.atom(export.name))));
            let shared = file.rules.globals || file.rules.package_scope == PackageScope::All;
            for (at, symbol) in file.facts.symbols.iter().enumerate().skip(1) {
                let key = (file.family, file.atom(symbol.name));
                let global = GlobalSymbol { file: number as u32, symbol: SymbolIx(at as u32) };
                if symbol.kind == SymbolKind::Macro {
                    self.macros.entry(key).or_default().push(global);
                }
                let is_top = symbol.container == SymbolIx::MODULE && symbol.scope == ScopeId::FILE;
                if !shared || !is_top || symbol.extension.is_some() || symbol.flags & flag::ANONYMOUS != 0 {
                    continue;
                }
                if symbol.flags & flag::PRIVATE != 0 {
                    self.hidden.insert(key);
                } else {
                    self.globals.entry(key).or_default().push(global);
                }
            }
        }
    }
}

/// The last name of a type or path expression: `c` of `a.b.c<d>`.
pub(crate) fn last_name(file: &File<'_>, expr: ExprId) -> Option<NameId> {
    use crate::facts::Expr;
    match file.facts.expr(expr) {
        Expr::Name { name, .. } | Expr::Member { name, .. } => Some(name),
        Expr::Apply { base, .. } | Expr::Instance { of: base } => last_name_of(file, base),
        _ => None,
    }
}

fn last_name_of(file: &File<'_>, expr: ExprId) -> Option<NameId> {
    use crate::facts::Expr;
    match file.facts.expr(expr) {
        Expr::Name { name, .. } | Expr::Member { name, .. } => Some(name),
        _ => None,
    }
}
