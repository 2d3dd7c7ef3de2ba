//! Symbols with several places: prototypes and definitions, overload signatures, parts of a class.

use rustc_hash::FxHashMap;

use crate::facts::{Expr, ExprId, ScopeId, SymbolIx, Target, flag};
use crate::kinds::SymbolKind;
use crate::resolution::GlobalSymbol;

use super::hierarchy::Hierarchy;
use super::world::{Atom, File, World};

/// Pairs of second place and first place.
type Pairs = Vec<(GlobalSymbol, GlobalSymbol)>;

/// The names around a symbol and its own, outermost first.
fn chain(file: &File<'_>, symbol: SymbolIx) -> Vec<Atom> {
    let mut names = Vec::new();
    let mut at = symbol;
    while at != SymbolIx::MODULE {
        let row = file.symbol(at);
        names.push(file.atom(row.name));
        if row.container == at {
            break;
        }
        at = row.container;
    }
    names.reverse();
    names
}

/// The names of a path, outermost first.
fn path_names(file: &File<'_>, mut expr: ExprId) -> Option<Vec<Atom>> {
    let mut names = Vec::new();
    loop {
        match file.facts.expr(expr) {
            Expr::Name { name, .. } => names.push(file.atom(name)),
            Expr::Member { base, name } => {
                names.push(file.atom(name));
                expr = base;
                continue;
            }
            _ => return None,
        }
        names.reverse();
        return Some(names);
    }
}

/// Parts of one class, and signatures above the implementation in the same scope.
pub(crate) fn types_and_overloads(world: &World<'_>) -> Pairs {
    let mut parts: FxHashMap<(u16, String), Vec<GlobalSymbol>> = FxHashMap::default();
    let mut pairs = Pairs::new();
    for (number, file) in world.files.iter().enumerate() {
        for (at, symbol) in file.facts.symbols.iter().enumerate().skip(1) {
            let place = GlobalSymbol { file: number as u32, symbol: SymbolIx(at as u32) };
            if symbol.flags & flag::PARTIAL != 0 {
                // A namespace may be the whole file's or a block in it, so the parts are told by their full names.
                let package = file.facts.package.map(|name| file.facts.name(name));
                let names = chain(file, place.symbol).into_iter().map(|name| world.atoms.text(name));
                let full: Vec<&str> = package.into_iter().filter(|name| !name.is_empty()).chain(names).collect();
                parts.entry((file.family, full.join(&file.rules.separator))).or_default().push(place);
            }
            if symbol.flags & flag::ACCESSOR != 0
                && let Some(first) = first_accessor(file, place.symbol)
            {
                pairs.push((place, GlobalSymbol { file: place.file, symbol: first }));
            }
            let signature = symbol.flags & flag::DECLARATION != 0 && symbol.kind.is_callable();
            if signature
                && file.rules.declarations
                && symbol.extension.is_none()
                && let Some(first) = implementation(file, place.symbol)
            {
                pairs.push((place, GlobalSymbol { file: place.file, symbol: first }));
            }
        }
    }
    let mut groups: Vec<Vec<GlobalSymbol>> = parts.into_values().filter(|group| group.len() > 1).collect();
    groups.sort_unstable();
    for group in groups {
        pairs.extend(group[1..].iter().map(|second| (*second, group[0])));
    }
    pairs
}

/// The getter or setter of the same name that stands first.
fn first_accessor(file: &File<'_>, symbol: SymbolIx) -> Option<SymbolIx> {
    let row = file.symbol(symbol);
    let same = file.bound(row.scope, file.atom(row.name)).filter_map(|binding| match binding.target {
        Target::Symbol(other) if file.symbol(other).flags & flag::ACCESSOR != 0 => Some(other),
        _ => None,
    });
    same.min().filter(|first| *first != symbol)
}

/// What implements a signature in the same scope: the function with a body, or else the first signature.
fn implementation(file: &File<'_>, signature: SymbolIx) -> Option<SymbolIx> {
    let row = file.symbol(signature);
    let same = |other: SymbolIx| {
        let other = file.symbol(other);
        let fits = !file.rules.overloads || other.arity == row.arity && other.labels == row.labels;
        other.kind == row.kind && (other.flags ^ row.flags) & flag::STATIC == 0 && fits
    };
    let mut first = None;
    for binding in file.bound(row.scope, file.atom(row.name)) {
        let Target::Symbol(other) = binding.target else { continue };
        if !same(other) {
            continue;
        }
        if file.symbol(other).flags & flag::DECLARATION == 0 {
            return Some(other);
        }
        first = first.or(Some(other));
    }
    first
}

/// Prototypes of functions, and declared types and variables, that another file defines.
pub(crate) fn prototypes(world: &World<'_>, hierarchy: &Hierarchy) -> Pairs {
    type Key = (u16, Vec<Atom>, bool);
    let mut definitions: FxHashMap<Key, Vec<GlobalSymbol>> = FxHashMap::default();
    let mut declarations: Vec<(Key, GlobalSymbol)> = Vec::new();
    for (number, file) in world.files.iter().enumerate().filter(|(_, file)| file.rules.globals) {
        if !file.rules.declarations {
            continue;
        }
        for (at, symbol) in file.facts.symbols.iter().enumerate().skip(1) {
            let place = GlobalSymbol { file: number as u32, symbol: SymbolIx(at as u32) };
            let apart = symbol.flags & (flag::ANONYMOUS | flag::PRIVATE) != 0;
            if apart || !outside_types(file, symbol.scope) {
                continue;
            }
            let mut names = chain(file, place.symbol);
            if let Some(extension) = symbol.extension {
                // `int space::f()` stands for the function of a namespace, unless what is named is a type.
                let path = path_names(file, file.facts.extensions[extension.ix()].target);
                let (None, Some(path), Some(own)) = (hierarchy.target(place.file, extension), path, names.pop()) else {
                    continue;
                };
                names.extend(path);
                names.push(own);
            }
            let key = (file.family, names, symbol.kind.is_callable());
            if symbol.flags & flag::DECLARATION != 0 {
                declarations.push((key, place));
            } else {
                definitions.entry(key).or_default().push(place);
            }
        }
    }
    let mut pairs = Pairs::new();
    let mut orphans: FxHashMap<Key, Vec<GlobalSymbol>> = FxHashMap::default();
    for (key, place) in declarations {
        let row = world.symbol(place);
        let callable = row.kind.is_callable();
        let candidates = definitions.get(&key).map_or(&[][..], Vec::as_slice);
        let fitting: Vec<GlobalSymbol> =
            candidates.iter().copied().filter(|other| !callable || world.symbol(*other).arity == row.arity).collect();
        let fitting = if fitting.is_empty() && candidates.len() == 1 { candidates.to_vec() } else { fitting };
        match nearest(world, place, &fitting) {
            Some(first) => pairs.push((place, first)),
            None if fitting.is_empty() => orphans.entry(key).or_default().push(place),
            None => {}
        }
    }
    // Prototypes without a definition in sight are one symbol among themselves.
    let mut groups: Vec<Vec<GlobalSymbol>> = orphans.into_values().filter(|group| group.len() > 1).collect();
    groups.sort_unstable();
    for group in groups {
        let first = group[0];
        let same = group[1..].iter().filter(|other| world.symbol(**other).arity == world.symbol(first).arity);
        pairs.extend(same.map(|second| (*second, first)));
    }
    pairs
}

fn outside_types(file: &File<'_>, scope: ScopeId) -> bool {
    use crate::facts::ScopeKind::{File as Whole, Namespace};
    matches!(file.scope_kind(scope), Whole | Namespace)
}

/// The only definition, or the only one whose file has the same name or folder.
fn nearest(world: &World<'_>, place: GlobalSymbol, candidates: &[GlobalSymbol]) -> Option<GlobalSymbol> {
    if let [only] = candidates {
        return Some(*only);
    }
    let stem = |file: u32| {
        let name = world.file(file).path.rsplit('/').next().unwrap_or_default();
        name.split('.').next().unwrap_or_default()
    };
    let folder = |file: u32| world.file(file).folder();
    let by = |same: &dyn Fn(u32) -> bool| {
        let mut fitting = candidates.iter().copied().filter(|other| same(other.file));
        fitting.next().filter(|_| fitting.next().is_none())
    };
    by(&|file| stem(file) == stem(place.file) && folder(file) == folder(place.file))
        .or_else(|| by(&|file| stem(file) == stem(place.file)))
        .or_else(|| by(&|file| folder(file) == folder(place.file)))
}

/// Members that a class declares and another place defines (`void A::f() {}`).
pub(crate) fn members(world: &World<'_>, hierarchy: &Hierarchy) -> Pairs {
    let mut pairs = Pairs::new();
    for (number, file) in world.files.iter().enumerate() {
        if !file.rules.declarations {
            continue;
        }
        for (at, symbol) in file.facts.symbols.iter().enumerate().skip(1) {
            let Some(extension) = symbol.extension else { continue };
            if file.facts.extensions[extension.ix()].scope.is_some() || symbol.flags & flag::DECLARATION != 0 {
                continue;
            }
            let Some(class) = hierarchy.target(number as u32, extension) else { continue };
            let definition = GlobalSymbol { file: number as u32, symbol: SymbolIx(at as u32) };
            let Some(body) = world.symbol(class).body else { continue };
            let home = world.file(class.file);
            let declared: Vec<SymbolIx> = home
                .bound(body, file.atom(symbol.name))
                .filter_map(|binding| match binding.target {
                    Target::Symbol(other) if home.symbol(other).flags & flag::DECLARATION != 0 => Some(other),
                    Target::Symbol(other) if home.symbol(other).kind == SymbolKind::Field => Some(other),
                    _ => None,
                })
                .collect();
            let fitting: Vec<SymbolIx> =
                declared.iter().copied().filter(|other| home.symbol(*other).arity == symbol.arity).collect();
            let chosen = match (fitting.as_slice(), declared.as_slice()) {
                ([first, ..], _) => Some(*first),
                ([], [only]) => Some(*only),
                _ => None,
            };
            if let Some(declaration) = chosen {
                pairs.push((GlobalSymbol { file: class.file, symbol: declaration }, definition));
            }
        }
    }
    pairs.sort_unstable();
    pairs.dedup_by_key(|pair| pair.0);
    pairs
}
