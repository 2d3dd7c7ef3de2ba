//! What a workspace offers: symbols under the paths by which others import them, re-exports included.

use rustc_hash::FxHashSet;
use serde_json::Value;
use vise_syntax::rules::{ModuleSystem, PackageScope};

use crate::facts::{Imported, ScopeId, SymbolIx, Target, flag};
use crate::kinds::SymbolKind;
use crate::resolution::GlobalSymbol;
use crate::source::ProjectFile;

use super::super::hierarchy::Hierarchy;
use super::super::modules::child;
use super::super::names::{Denoted, Names};
use super::super::qualify;
use super::super::world::{Atom, File};
use super::{Offer, Package};

/// Modules in modules are followed so far down; a re-export of what is around it goes round in a circle.
const MAX_DEPTH: usize = 16;

/// What the packages offer, sorted by path.
pub(super) fn offers(
    names: Names<'_, '_>,
    hierarchy: &Hierarchy,
    packages: &[Package],
    projects: &[ProjectFile],
) -> Vec<Offer> {
    let mut offerer = Offerer { names, hierarchy, offers: Vec::new() };
    for package in packages {
        match package.ecosystem {
            "pypi" => offerer.python(package),
            "npm" => offerer.node(package, projects),
            "crates" => offerer.rust(package),
            _ => {}
        }
    }
    for number in 0..names.world.files.len() as u32 {
        let file = names.world.file(number);
        match file.rules.modules {
            ModuleSystem::Go => offerer.go(number, packages),
            ModuleSystem::Python | ModuleSystem::Node | ModuleSystem::Rust => {}
            _ if file.rules.package_scope == PackageScope::Package => offerer.qualified(number),
            _ => {}
        }
    }
    let mut offers = offerer.offers;
    offers.sort_unstable();
    offers.dedup();
    offers
}

struct Offerer<'w, 'a> {
    names: Names<'w, 'a>,
    hierarchy: &'w Hierarchy,
    offers: Vec<Offer>,
}

impl Offerer<'_, '_> {
    /// A symbol, and of a type what an instance or the type itself has, inherited members included.
    fn offer(&mut self, package: &Package, path: &str, symbol: GlobalSymbol) {
        let world = self.names.world;
        let symbol = self.hierarchy.first_place(symbol);
        if world.has_flag(symbol, flag::ANONYMOUS | flag::TEST) {
            return;
        }
        let mut add = |path: String, symbol| {
            self.offers.push(Offer { path, package: package.name.clone(), symbol });
        };
        add(path.to_owned(), symbol);
        if !world.kind(symbol).is_type() {
            return;
        }
        let separator = &world.file(symbol.file).rules.separator;
        let mut seen: FxHashSet<Atom> = FxHashSet::default();
        for class in self.hierarchy.line(symbol) {
            let members = self.hierarchy.all_members(world, class);
            for (name, member) in &members {
                if !seen.contains(name) && !world.has_flag(*member, flag::ANONYMOUS) {
                    add(format!("{path}{separator}{}", world.atoms.text(*name)), *member);
                }
            }
            seen.extend(members.iter().map(|(name, _)| *name));
        }
    }

    /// The names that a file may offer: its own, and those of everything that it passes on whole.
    fn names_of(&self, number: u32, scope: ScopeId, seen: &mut Vec<u32>) -> FxHashSet<Atom> {
        let file = self.names.world.file(number);
        let mut all: FxHashSet<Atom> = file.bindings_of(scope).map(|(name, _)| name).collect();
        if scope == ScopeId::FILE {
            if seen.contains(&number) {
                return FxHashSet::default();
            }
            seen.push(number);
            all.extend(file.facts.exports.iter().map(|export| file.atom(export.name)));
        }
        for (at, import) in &file.open_imports {
            if *at != scope || file.facts.imports[import.ix()].what != Imported::All {
                continue;
            }
            for one in self.names.import(number, *import) {
                match one.what {
                    Denoted::Module(other) => all.extend(self.names_of(other, ScopeId::FILE, seen)),
                    Denoted::Symbol(symbol) => {
                        let body = self.names.world.symbol(symbol).body;
                        let file = self.names.world.file(symbol.file);
                        all.extend(body.into_iter().flat_map(|body| file.bindings_of(body)).map(|(name, _)| name));
                    }
                    _ => {}
                }
            }
        }
        all
    }

    fn python(&mut self, package: &Package) {
        let world = self.names.world;
        for number in 0..world.files.len() as u32 {
            let file = world.file(number);
            let (stem, ending) = file.path.rsplit_once('.').unwrap_or((file.path, ""));
            let inside = match file.path == package.folder {
                true => Some(""),
                false => stem.strip_prefix(package.folder.as_str()).filter(|rest| rest.starts_with('/')),
            };
            let Some(inside) = inside.filter(|_| matches!(ending, "py" | "pyi")) else { continue };
            if world.has_flag(GlobalSymbol { file: number, symbol: SymbolIx::MODULE }, flag::TEST) {
                continue;
            }
            let is_front = inside.ends_with("/__init__");
            let module = format!("{}{}", package.import, inside.trim_end_matches("/__init__").replace('/', "."));
            for name in self.names_of(number, ScopeId::FILE, &mut Vec::new()) {
                for one in self.names.member(Denoted::Module(number), name) {
                    let Denoted::Symbol(symbol) = one.what else { continue };
                    // What a module imports for its own use can be had from it, but few mean to.
                    if symbol.file == number || is_front {
                        self.offer(package, &format!("{module}.{}", world.atoms.text(name)), symbol);
                    }
                }
            }
            let whole = GlobalSymbol { file: number, symbol: SymbolIx::MODULE };
            self.offers.push(Offer { path: module, package: package.name.clone(), symbol: whole });
        }
    }

    fn node(&mut self, package: &Package, projects: &[ProjectFile]) {
        let Some(project) = projects.iter().find(|project| project.path == package.manifest) else { return };
        let Ok(manifest) = serde_json::from_str::<Value>(&project.text) else { return };
        let mut specifiers = vec![package.import.clone()];
        match manifest.get("exports") {
            Some(Value::Object(map)) => {
                let below = map.keys().filter_map(|key| key.strip_prefix('.'));
                specifiers.extend(below.map(|rest| format!("{}{rest}", package.import)));
            }
            // Without a list every file can be had by its path.
            None => specifiers.extend(self.node_files(package)),
            Some(_) => {}
        }
        specifiers.sort();
        specifiers.dedup();
        let from = child(&package.folder, "package.json");
        for specifier in specifiers {
            if let Some(file) = self.names.world.modules.node_file(&from, &specifier) {
                self.module(package, &specifier, Denoted::Module(file), &mut Vec::new());
            }
        }
    }

    fn node_files(&self, package: &Package) -> Vec<String> {
        let files = self.names.world.files.iter().filter(|file| file.rules.modules == ModuleSystem::Node);
        let below = files.filter_map(|file| {
            let stem = file.path.rsplit_once('.').map_or(file.path, |(stem, _)| stem);
            match package.folder.as_str() {
                "" => Some(stem),
                folder => stem.strip_prefix(folder)?.strip_prefix('/'),
            }
        });
        below.map(|stem| format!("{}/{stem}", package.import)).collect()
    }

    fn rust(&mut self, package: &Package) {
        if let Some(found) = self.names.rust_crate(&package.import) {
            for one in found {
                self.module(package, &package.import, one.what, &mut Vec::new());
            }
        }
    }

    /// All that a module or namespace lets others see.
    fn module(&mut self, package: &Package, path: &str, what: Denoted, seen: &mut Vec<Denoted>) {
        if seen.contains(&what) || seen.len() >= MAX_DEPTH {
            return;
        }
        seen.push(what);
        let world = self.names.world;
        let place = match what {
            Denoted::Module(file) => Some((file, ScopeId::FILE)),
            Denoted::Symbol(symbol) => world.symbol(symbol).body.map(|body| (symbol.file, body)),
            _ => None,
        };
        if let Some((number, scope)) = place {
            if let Denoted::Module(file) = what {
                let whole = GlobalSymbol { file, symbol: SymbolIx::MODULE };
                self.offers.push(Offer { path: path.to_owned(), package: package.name.clone(), symbol: whole });
            }
            let separator = &world.file(number).rules.separator;
            let mut all: Vec<Atom> = self.names_of(number, scope, &mut Vec::new()).into_iter().collect();
            all.extend(world.atoms.get("default").filter(|_| scope == ScopeId::FILE));
            all.sort_unstable();
            all.dedup();
            all.retain(|name| self.is_public(number, scope, *name));
            for name in all {
                let below = format!("{path}{separator}{}", world.atoms.text(name));
                for one in self.names.member(what, name) {
                    match one.what {
                        Denoted::Symbol(symbol) if world.kind(symbol) == SymbolKind::Namespace => {
                            self.module(package, &below, one.what, seen);
                        }
                        Denoted::Symbol(symbol) => self.offer(package, &below, symbol),
                        Denoted::Module(_) => self.module(package, &below, one.what, seen),
                        _ => {}
                    }
                }
            }
        }
        seen.pop();
    }

    /// Whether a module lets others see a name. What comes by an import of everything is looked at where it is.
    fn is_public(&self, number: u32, scope: ScopeId, name: Atom) -> bool {
        let file = self.names.world.file(number);
        if file.rules.modules != ModuleSystem::Rust {
            // What is exported as the default has its own name for the file alone, unless it is exported by it too.
            let is_default = |symbol: SymbolIx| file.symbol(symbol).flags & flag::DEFAULT_EXPORT != 0;
            let named = file.facts.exports.iter().any(|export| file.atom(export.name) == name);
            return named
                || !file
                    .bound(scope, name)
                    .any(|binding| matches!(binding.target, Target::Symbol(symbol) if is_default(symbol)));
        }
        let mut own = file.bound(scope, name).peekable();
        own.peek().is_none()
            || own.any(|binding| match binding.target {
                Target::Symbol(symbol) => file.symbol(symbol).flags & flag::EXPORTED != 0,
                Target::Import(import) => file.facts.imports[import.ix()].exported,
                _ => false,
            })
    }

    fn go(&mut self, number: u32, packages: &[Package]) {
        let file = self.names.world.file(number);
        let Some(path) = self.names.world.modules.go_path(file.folder()) else { return };
        let own = |package: &&Package| package.ecosystem == "go" && path.starts_with(&package.import);
        let Some(package) = packages.iter().filter(own).max_by_key(|package| package.import.len()) else { return };
        if file.facts.package.is_some_and(|name| file.facts.name(name).ends_with("_test")) {
            return;
        }
        self.tops(package, &path, number, |_, name| name.starts_with(char::is_uppercase));
    }

    /// Languages in which a qualified name says it all.
    fn qualified(&mut self, number: u32) {
        let file = self.names.world.file(number);
        let package = file.facts.package.map_or("", |name| file.facts.name(name));
        let nobody = Package {
            name: String::new(),
            ecosystem: "",
            import: String::new(),
            folder: String::new(),
            manifest: String::new(),
        };
        if !package.is_empty() {
            let visible = |file: &File<'_>, symbol: SymbolIx| file.symbol(symbol).flags & flag::PRIVATE == 0;
            let prefix = qualify::prefix(self.names.world, file);
            self.tops(&nobody, &prefix, number, |symbol, _| visible(file, symbol));
        }
    }

    /// The symbols at the top level of a file that others see.
    fn tops(&mut self, package: &Package, path: &str, number: u32, visible: impl Fn(SymbolIx, &str) -> bool) {
        let file = self.names.world.file(number);
        for (at, symbol) in file.facts.symbols.iter().enumerate().skip(1) {
            let at = SymbolIx(at as u32);
            let name = file.facts.name(symbol.name);
            if symbol.container == SymbolIx::MODULE && symbol.extension.is_none() && visible(at, name) {
                let path = format!("{path}{}{name}", file.rules.separator);
                self.offer(package, &path, GlobalSymbol { file: number, symbol: at });
            }
        }
    }
}
