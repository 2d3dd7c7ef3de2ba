//! What a name or a path stands for, by scopes, imports, exports and packages. No values, no types of receivers.

use smallvec::{SmallVec, smallvec};
use vise_syntax::rules::{ModuleSystem, PackageScope};

use crate::facts::{
    ExprId, ImportIx, Imported, OuterScope, ScopeId, ScopeKind, Symbol, SymbolIx, Target, VariableIx, flag,
};
use crate::kinds::{Evidence, SymbolKind};
use crate::resolution::GlobalSymbol;

use super::hierarchy::Hierarchy;
use super::imports::Asked;
use super::modules::Place;
use super::world::{Atom, File, World};

/// What a name stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Denoted {
    Symbol(GlobalSymbol),
    Module(u32),
    Package(u32),
    Variable(u32, VariableIx),
    /// The value of an expression that a file exports.
    Expr(u32, ExprId),
    TypeParameter(u32, ScopeId, Atom),
    External,
}

/// One thing that a name stands for, and how that is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Found {
    pub(crate) what: Denoted,
    pub(crate) via: Evidence,
}

/// All that a name stands for; empty if nothing is known of it.
pub(crate) type Denotation = SmallVec<[Found; 1]>;

/// How many imports, re-exports and aliases a name is followed through.
pub(crate) const MAX_HOPS: u32 = 24;

/// So many steps are left to a question near its beginning.
const NEAR: u32 = MAX_HOPS - 4;

pub(crate) fn found(what: Denoted, via: Evidence) -> Found {
    Found { what, via }
}

/// Looks names up in a world.
#[derive(Clone, Copy)]
pub(crate) struct Names<'w, 'a> {
    pub(crate) world: &'w World<'a>,
    /// Inherited members, once they are known.
    pub(crate) hierarchy: Option<&'w Hierarchy>,
    /// Where imports that are made use of are noted.
    pub(crate) asked: Option<&'w Asked>,
    /// Whether the name is called or read, in languages where that makes a difference for every name.
    pub(crate) called: Option<bool>,
    /// Whether the name stands in the place of a type.
    pub(crate) typed: bool,
}

impl<'w, 'a> Names<'w, 'a> {
    /// For names whose use says nothing of what they are.
    pub(crate) fn new(world: &'w World<'a>, hierarchy: Option<&'w Hierarchy>) -> Self {
        Self { world, hierarchy, asked: None, called: None, typed: false }
    }

    /// What a bare name means where it is used.
    pub(crate) fn lookup(&self, number: u32, scope: ScopeId, name: Atom) -> Denotation {
        self.lookup_within(number, scope, name, MAX_HOPS)
    }

    pub(crate) fn lookup_within(&self, number: u32, scope: ScopeId, name: Atom, hops: u32) -> Denotation {
        let found = self.look_outwards(number, scope, name, hops);
        // Where a type is wanted, what is no type is better than nothing.
        if self.typed && found.is_empty() {
            return Names { typed: false, ..*self }.look_outwards(number, scope, name, hops);
        }
        found
    }

    fn look_outwards(&self, number: u32, scope: ScopeId, name: Atom, hops: u32) -> Denotation {
        let file = self.world.file(number);
        if file.rules.modules == ModuleSystem::Rust
            && let Some(place) = self.rust_head(number, scope, self.world.atoms.text(name))
        {
            return place;
        }
        if file.rules.modules == ModuleSystem::Php && self.world.atoms.text(name).contains('\\') {
            return self.php_path(number, scope, self.world.atoms.text(name), hops);
        }
        let mut skip_to = None;
        for at in file.outwards(scope) {
            let kind = file.scope_kind(at);
            match skip_to {
                Some(OuterScope::File) if at != ScopeId::FILE => continue,
                Some(OuterScope::Enclosing) if kind != ScopeKind::Function => continue,
                _ => {}
            }
            // In Python and JavaScript the names of a class are seen by its own code only, not by its methods.
            // In others nobody sees them without a path.
            let members_only = file.hides_members();
            let closed = members_only || !file.rules.type_scopes_are_open && !self.directly_in(file, scope, at);
            if kind == ScopeKind::Type && closed {
                if let Some(inside) = self.type_parameters(number, at, name) {
                    return inside;
                }
                continue;
            }
            let mut here = Denotation::new();
            let mut outer = None;
            for binding in file.bound(at, name) {
                match binding.target {
                    Target::Outer(which) => outer = Some(which),
                    target if !self.may_mean(file, target) => {}
                    target => here.extend(self.target(number, at, name, target)),
                }
            }
            if !here.is_empty() {
                return here;
            }
            if let Some(which) = outer {
                skip_to = Some(which);
                continue;
            }
            skip_to = None;
            if kind == ScopeKind::Type && file.rules.implicit_receiver {
                let inherited = self.inherited(number, at, name);
                if !inherited.is_empty() {
                    return inherited;
                }
            }
            if kind == ScopeKind::Function && file.rules.implicit_receiver {
                let around = self.owner_member(number, at, name, hops);
                if !around.is_empty() {
                    return around;
                }
            }
            let open = self.open_imports(number, at, name, hops);
            if !open.is_empty() {
                return open;
            }
            if let Some(package) = self.world.package_of(number, at) {
                let near = self.package_member(package, name);
                if !near.is_empty() {
                    return near;
                }
                // In C# a namespace sees what is in those around it.
                let mut around = self.world.package_list.get(package as usize).and_then(|package| package.around);
                while let Some(outer) = around.filter(|_| file.rules.modules == ModuleSystem::Csharp) {
                    let near = self.package_member(outer, name);
                    if !near.is_empty() {
                        return near;
                    }
                    around = self.world.package_list[outer as usize].around;
                }
            }
            // A Rust module does not see what is around it.
            if kind == ScopeKind::Namespace && file.rules.modules == ModuleSystem::Rust && !self.is_macro(file, name) {
                break;
            }
        }
        self.outside(number, name)
    }

    /// Whether a name that is used in this way can be bound so.
    fn may_mean(&self, file: &File<'_>, target: Target) -> bool {
        if self.typed {
            return match target {
                Target::Variable(_) => false,
                Target::Symbol(symbol) => may_be_type(file.symbol(symbol)),
                _ => true,
            };
        }
        match (self.called, target) {
            (Some(called), Target::Variable(_) | Target::TypeParameter) => !called,
            (Some(called), Target::Symbol(symbol)) => fits_use(file.symbol(symbol), called),
            _ => true,
        }
    }

    /// Whether a scope is the type's own, blocks and comprehensions in it included.
    fn directly_in(&self, file: &File<'_>, scope: ScopeId, type_scope: ScopeId) -> bool {
        file.outwards(scope).take_while(|at| *at != type_scope).all(|at| file.scope_kind(at) == ScopeKind::Block)
    }

    fn type_parameters(&self, number: u32, scope: ScopeId, name: Atom) -> Option<Denotation> {
        let file = self.world.file(number);
        let is_parameter = file.bound(scope, name).any(|binding| binding.target == Target::TypeParameter);
        is_parameter.then(|| smallvec![found(Denoted::TypeParameter(number, scope, name), Evidence::Scope)])
    }

    fn is_macro(&self, file: &File<'_>, name: Atom) -> bool {
        file.bound(ScopeId::FILE, name).any(
            |binding| matches!(binding.target, Target::Symbol(symbol) if file.symbol(symbol).kind == SymbolKind::Macro),
        )
    }

    pub(crate) fn target(&self, number: u32, scope: ScopeId, name: Atom, target: Target) -> Denotation {
        let file = self.world.file(number);
        match target {
            Target::Symbol(symbol) => {
                let row = file.symbol(symbol);
                // A constructor that has its type's name is not what the name means.
                if row.kind == SymbolKind::Constructor && row.name == file.symbol(row.container).name {
                    return Denotation::new();
                }
                let hidden = row.flags & flag::STATIC == 0
                    && row.extension.is_some_and(|extension| file.facts.extensions[extension.ix()].scope.is_none());
                if hidden {
                    return Denotation::new();
                }
                smallvec![found(Denoted::Symbol(self.global(number, symbol)), Evidence::Scope)]
            }
            Target::Variable(variable) => smallvec![found(Denoted::Variable(number, variable), Evidence::Scope)],
            Target::TypeParameter => smallvec![found(Denoted::TypeParameter(number, scope, name), Evidence::Scope)],
            Target::Import(import) => self.import(number, import),
            Target::Outer(_) => Denotation::new(),
        }
    }

    /// A symbol under the number by which all its places are known.
    pub(crate) fn global(&self, file: u32, symbol: SymbolIx) -> GlobalSymbol {
        let global = GlobalSymbol { file, symbol };
        self.hierarchy.map_or(global, |hierarchy| hierarchy.first_place(global))
    }

    /// Members that the type of this scope inherits.
    fn inherited(&self, number: u32, scope: ScopeId, name: Atom) -> Denotation {
        let Some(hierarchy) = self.hierarchy else { return Denotation::new() };
        let Some(class) = hierarchy.type_around(self.world, number, scope) else { return Denotation::new() };
        let members = match self.called {
            Some(called) => hierarchy.members_used(self.world, class, name, called),
            None => hierarchy.members(self.world, class, name),
        };
        if members.is_empty() && hierarchy.has_external_base(class) {
            // Whether the base from outside has it is not known, so names further out still count.
            return Denotation::new();
        }
        // A constructor that has its type's name is not what the name means.
        let is_type_name = |member: &&GlobalSymbol| {
            let row = self.world.symbol(**member);
            let file = self.world.file(member.file);
            row.kind == SymbolKind::Constructor && row.name == file.symbol(row.container).name
        };
        let wanted = |member: &&GlobalSymbol| !self.typed || may_be_type(self.world.symbol(**member));
        let named = members.iter().filter(|member| !is_type_name(member) && wanted(member));
        named.map(|member| found(Denoted::Symbol(*member), Evidence::Receiver)).collect()
    }

    /// Members of the type, or namespace, that a function belongs to without standing in it (`void A::f() {}`).
    fn owner_member(&self, number: u32, scope: ScopeId, name: Atom, hops: u32) -> Denotation {
        let file = self.world.file(number);
        let row = file.symbol(file.facts.scopes[scope.ix()].owner);
        let Some(extension) = row.extension.filter(|_| row.body == Some(scope)) else { return Denotation::new() };
        let extension = &file.facts.extensions[extension.ix()];
        if extension.scope.is_some() {
            return Denotation::new();
        }
        let inherited = self.inherited(number, scope, name);
        if !inherited.is_empty() {
            return inherited;
        }
        let Some(hops) = hops.checked_sub(4) else { return Denotation::new() };
        let owners = self.path_within(number, extension.target, hops);
        let namespaces = owners.iter().filter(|one| match one.what {
            Denoted::Symbol(symbol) => self.world.kind(symbol) == SymbolKind::Namespace,
            Denoted::Package(_) => true,
            _ => false,
        });
        namespaces.flat_map(|one| self.member_within(one.what, name, hops)).collect()
    }

    /// What an import brings, or (of an import of everything) is from, each symbol under the number by which all its
    /// places are known.
    pub(crate) fn import(&self, number: u32, import: ImportIx) -> Denotation {
        if let Some(asked) = self.asked {
            asked.note(number, import);
        }
        let first = |one: &Found| match one.what {
            Denoted::Symbol(symbol) => found(Denoted::Symbol(self.global(symbol.file, symbol.symbol)), one.via),
            _ => *one,
        };
        self.world.imports.get(number, import).iter().map(first).collect()
    }

    /// What an import brings, found from what is known of the others.
    pub(crate) fn follow_import(&self, number: u32, import: ImportIx) -> Denotation {
        let file = self.world.file(number);
        let import = &file.facts.imports[import.ix()];
        let source = file.facts.name(import.source);
        let place = match import.what {
            Imported::All | Imported::Effects => return self.source(number, import.scope, source, MAX_HOPS),
            Imported::Name(name) => {
                let module = self.source(number, import.scope, source, MAX_HOPS);
                let name = file.atom(name);
                let mut all = Denotation::new();
                for one in &module {
                    all.extend(self.member(one.what, name));
                }
                if all.is_empty() && module.is_empty() {
                    all.push(found(Denoted::External, Evidence::Import));
                }
                all
            }
            Imported::Module => {
                let place = self.source(number, import.scope, source, MAX_HOPS);
                match place.first().map(|one| one.what) {
                    // What a file gives as a whole may be one value of it.
                    Some(Denoted::Module(other))
                        if matches!(file.rules.modules, ModuleSystem::Node | ModuleSystem::Path) =>
                    {
                        self.whole(other, MAX_HOPS)
                    }
                    _ => place,
                }
            }
            Imported::FirstPart => {
                let first = source.split('.').next().unwrap_or(source);
                self.source(number, import.scope, first, MAX_HOPS)
            }
            Imported::Path => self.source(number, import.scope, source, MAX_HOPS),
        };
        place.into_iter().map(|one| found(one.what, one.via.max(Evidence::Import))).collect()
    }

    /// What the source of an import names: a module, a package, or (in languages of paths) anything.
    pub(crate) fn source(&self, number: u32, scope: ScopeId, source: &str, hops: u32) -> Denotation {
        let file = self.world.file(number);
        match file.rules.modules {
            ModuleSystem::Rust => self.rust_path(number, scope, source, hops),
            ModuleSystem::Java | ModuleSystem::Csharp | ModuleSystem::Php => self.package_path(number, source, hops),
            // What is no header is a namespace or a name in one (`using a::b`).
            ModuleSystem::C if !source.contains(['.', '"', '<']) || source.contains("::") => {
                self.package_path(number, source, hops)
            }
            _ => match self.world.modules.find(self.world, number, source) {
                Place::File(found_in) => smallvec![found(Denoted::Module(found_in), Evidence::Import)],
                Place::Package(package) => smallvec![found(Denoted::Package(package), Evidence::Import)],
                Place::External => smallvec![found(Denoted::External, Evidence::Import)],
            },
        }
    }

    /// A member of a module, package, namespace or type, named by a path.
    pub(crate) fn member(&self, of: Denoted, name: Atom) -> Denotation {
        self.member_within(of, name, MAX_HOPS)
    }

    pub(crate) fn member_within(&self, of: Denoted, name: Atom, hops: u32) -> Denotation {
        let Some(hops) = hops.checked_sub(1) else { return Denotation::new() };
        if let Some(place) = self.rust_relative(of, name) {
            return place;
        }
        match of {
            Denoted::Module(file) => {
                // What is offered is found in the same way for all who ask; its use is looked at afterwards.
                let plain = Names { called: None, typed: false, ..*self };
                let offered = match self.hierarchy {
                    // Questions near their beginning are asked again and again, and answered as from the same distance.
                    Some(_) if hops >= NEAR => {
                        self.world.offered(file, name, || plain.export_within(file, name, NEAR, &mut Vec::new()))
                    }
                    _ => plain.export_within(file, name, hops, &mut Vec::new()),
                };
                if offered.is_empty() { self.submodule(file, name) } else { offered }
            }
            Denoted::Package(package) => self.package_member(package, name),
            Denoted::Symbol(symbol) => self.symbol_member(symbol, name, hops),
            Denoted::External => smallvec![found(Denoted::External, Evidence::Import)],
            Denoted::Variable(..) | Denoted::Expr(..) | Denoted::TypeParameter(..) => Denotation::new(),
        }
    }

    fn submodule(&self, number: u32, name: Atom) -> Denotation {
        let file = self.world.file(number);
        match file.rules.modules {
            ModuleSystem::Python if file.path.ends_with("__init__.py") || file.path.ends_with("__init__.pyi") => {
                let folder = self.world.modules.python_folder(file.folder());
                folder.map(|package| self.folder_member(package, name)).unwrap_or_default()
            }
            _ => Denotation::new(),
        }
    }

    fn folder_member(&self, package: u32, name: Atom) -> Denotation {
        match self.world.modules.python_child(package, name) {
            Some(Place::File(file)) => smallvec![found(Denoted::Module(file), Evidence::Import)],
            Some(Place::Package(package)) => smallvec![found(Denoted::Package(package), Evidence::Import)],
            _ => Denotation::new(),
        }
    }

    fn symbol_member(&self, symbol: GlobalSymbol, name: Atom, hops: u32) -> Denotation {
        let found_symbol = self.world.symbol(symbol);
        let Some(body) = found_symbol.body else { return Denotation::new() };
        if (found_symbol.kind.is_type() || found_symbol.kind == SymbolKind::Constant)
            && let Some(hierarchy) = self.hierarchy
        {
            let members = hierarchy.members(self.world, symbol, name);
            return members.iter().map(|member| found(Denoted::Symbol(*member), Evidence::Scope)).collect();
        }
        let file = self.world.file(symbol.file);
        let own: Denotation =
            file.bound(body, name).flat_map(|b| self.target(symbol.file, body, name, b.target)).collect();
        if !own.is_empty() {
            return own;
        }
        match self.world.package_of(symbol.file, body) {
            Some(package) => self.package_member(package, name),
            None => self.open_imports(symbol.file, body, name, hops),
        }
    }

    pub(crate) fn package_member(&self, package: u32, name: Atom) -> Denotation {
        let mut all = self.folder_member(package, name);
        let Some(row) = self.world.package_list.get(package as usize) else { return all };
        for (number, scope) in &row.scopes {
            let file = self.world.file(*number);
            for binding in file.bound(*scope, name) {
                // What a file imports is its own affair, except where the import is an export.
                let own = match binding.target {
                    Target::Import(import) => file.facts.imports[import.ix()].exported,
                    _ => true,
                };
                if own {
                    for one in self.target(*number, *scope, name, binding.target) {
                        let one = found(one.what, one.via.max(Evidence::Import));
                        if !all.contains(&one) {
                            all.push(one);
                        }
                    }
                }
            }
        }
        if all.is_empty() {
            let inside = row.inside.iter().filter(|(part, _)| *part == name);
            all.extend(inside.map(|(_, package)| found(Denoted::Package(*package), Evidence::Import)));
        }
        all
    }

    /// What `import everything` at this scope brings under a name.
    fn open_imports(&self, number: u32, scope: ScopeId, name: Atom, hops: u32) -> Denotation {
        let file = self.world.file(number);
        let mut all = Denotation::new();
        let Some(hops) = hops.checked_sub(1).filter(|_| self.world.is_known_name(file.family, name)) else {
            return all;
        };
        for (at, import_ix) in &file.open_imports {
            let import = &file.facts.imports[import_ix.ix()];
            if *at != scope || (import.what == Imported::Effects && file.rules.modules == ModuleSystem::Node) {
                continue;
            }
            let source = file.facts.name(import.source);
            if file.rules.modules == ModuleSystem::C && import.what == Imported::Effects {
                all.extend(self.included(number, source, name));
            } else {
                for one in self.import(number, *import_ix) {
                    if one.what != Denoted::External {
                        let more = match one.what {
                            Denoted::Module(other) if other == number && scope == ScopeId::FILE => continue,
                            what => self.member_within(what, name, hops),
                        };
                        all.extend(more.into_iter().map(|m| found(m.what, m.via.max(Evidence::Import))));
                    }
                }
            }
            if !all.is_empty() {
                break;
            }
        }
        all
    }

    /// What a header that a file includes, also indirectly, declares under a name.
    fn included(&self, number: u32, source: &str, name: Atom) -> Denotation {
        let Place::File(header) = self.world.modules.find(self.world, number, source) else {
            return Denotation::new();
        };
        for file_number in self.world.modules.includes(self.world, header) {
            let file = self.world.file(file_number);
            let here: Denotation = file
                .bound(ScopeId::FILE, name)
                .flat_map(|b| self.target(file_number, ScopeId::FILE, name, b.target))
                .map(|one| found(one.what, Evidence::Import))
                .collect();
            if !here.is_empty() {
                return here;
            }
        }
        Denotation::new()
    }

    /// Names that no scope and no import of the file has.
    fn outside(&self, number: u32, name: Atom) -> Denotation {
        let file = self.world.file(number);
        let text = self.world.atoms.text(name);
        if file.rules.modules == ModuleSystem::Rust
            && let Some(place) = self.rust_crate(text).or_else(|| self.rust_macro(number, name))
        {
            return place;
        }
        if file.rules.globals || file.rules.package_scope == PackageScope::All {
            let all: Denotation = {
                let mut places: Vec<GlobalSymbol> =
                    self.world.globals(file.family, name).iter().map(|g| self.global(g.file, g.symbol)).collect();
                places.sort_unstable();
                places.dedup();
                let via = match (places.len(), file.rules.package_scope) {
                    (1, PackageScope::All) => Evidence::Import,
                    (1, _) => Evidence::UniqueName,
                    _ => Evidence::Ambiguous,
                };
                places.into_iter().map(|place| found(Denoted::Symbol(place), via)).collect()
            };
            if !all.is_empty() {
                return all;
            }
        }
        if matches!(file.rules.modules, ModuleSystem::Java | ModuleSystem::Csharp | ModuleSystem::Php) {
            if let Some(package) = self.world.package(file.family, "") {
                let top = self.package_member(package, name);
                if !top.is_empty() {
                    return top;
                }
            }
            if let Some(package) = self.world.package(file.family, text) {
                return smallvec![found(Denoted::Package(package), Evidence::Import)];
            }
        }
        if file.rules.modules == ModuleSystem::Go
            && let Some(package) = self.go_package(number, text)
        {
            return smallvec![found(Denoted::Package(package), Evidence::Import)];
        }
        let known = self.world.modules.is_dependency(file.path, text)
            || file.rules.builtins.iter().chain(&file.rules.builtin_types).any(|builtin| builtin == text);
        if known { smallvec![found(Denoted::External, Evidence::Scope)] } else { Denotation::new() }
    }
}

/// Whether a symbol can be what is called, or what is read.
pub(crate) fn fits_use(symbol: &Symbol, called: bool) -> bool {
    let is_function = symbol.kind.is_callable() && symbol.flags & flag::ACCESSOR == 0;
    if called { is_function || symbol.kind.is_type() } else { !is_function }
}

/// Whether a symbol can stand in the place of a type.
fn may_be_type(symbol: &Symbol) -> bool {
    !symbol.kind.holds_value() && !matches!(symbol.kind, SymbolKind::Method | SymbolKind::Constructor)
}
