//! What compilers say, put over what resolving found.

use std::collections::BTreeMap;

use rustc_hash::{FxHashMap, FxHashSet};

use super::{Definition, FileUses, Hash, TierRow, Use, hash_words};
use crate::facts::{Expr, ExprId, FileFacts, Imported, Site, SiteKind, SymbolIx, flag};
use crate::kinds::{EdgeKind, Evidence, SymbolKind};
use crate::resolution::{GlobalSymbol, Miss, Resolution, ResolvedEdge};
use crate::source::SourceFile;
use crate::store::pack::unpack;

/// A name on a line.
type Spot<'n> = (u32, &'n str);

/// Puts the uses of rows over a resolution of `files`, whose contents have `hashes`. Rows of other contents say nothing.
/// The same rows give the same edges, in whatever order they come.
pub(crate) fn apply(files: &[SourceFile<'_>], hashes: &[[u8; 32]], rows: &[TierRow], resolution: &mut Resolution) {
    if rows.is_empty() {
        return;
    }
    let mut world = World::new(files, hashes, resolution);
    let mut rows: Vec<&TierRow> = rows.iter().collect();
    rows.sort_by_key(|row| (&row.path, &row.tool, &row.version));
    for row in rows {
        let Some(number) = world.number(&row.path).filter(|number| hashes[*number as usize] == row.hash) else {
            continue;
        };
        // What was damaged says nothing.
        let Some(uses) = unpack::<FileUses>(&row.packed, &row.hash) else { continue };
        let resolved = &mut resolution.files[number as usize];
        let mut over = Over::new(&mut world, number, &uses, std::mem::take(&mut resolved.edges));
        over.put(&mut resolved.misses);
        resolved.edges = over.done();
    }
}

/// What is known of all files.
struct World<'a> {
    files: &'a [SourceFile<'a>],
    hashes: Vec<Hash>,
    numbers: FxHashMap<&'a str, u32>,
    /// First places of symbols that have further ones.
    merged: FxHashMap<GlobalSymbol, GlobalSymbol>,
    /// Of members: what they take the place of.
    replaced: FxHashMap<GlobalSymbol, Vec<GlobalSymbol>>,
    /// Of files that were asked about: their symbols by line and name.
    spots: FxHashMap<u32, FxHashMap<Spot<'a>, Vec<SymbolIx>>>,
}

impl<'a> World<'a> {
    fn new(files: &'a [SourceFile<'a>], hashes: &[[u8; 32]], resolution: &Resolution) -> Self {
        let (mut merged, mut replaced) = (FxHashMap::default(), FxHashMap::default());
        for (file, resolved) in (0..).zip(&resolution.files) {
            let own = |symbol| GlobalSymbol { file, symbol };
            merged.extend(resolved.merged.iter().map(|(symbol, first)| (own(*symbol), *first)));
            for edge in resolved.edges.iter().filter(|edge| edge.kind == EdgeKind::Overrides) {
                replaced.entry(own(edge.from)).or_insert_with(Vec::new).push(edge.to);
            }
        }
        let numbers = (0..).zip(files).map(|(number, file)| (&*file.path, number)).collect();
        let hashes = hashes.iter().map(hash_words).collect();
        Self { files, hashes, numbers, merged, replaced, spots: FxHashMap::default() }
    }

    fn number(&self, path: &str) -> Option<u32> {
        self.numbers.get(path).copied()
    }

    fn facts(&self, file: u32) -> &'a FileFacts {
        &self.files[file as usize].facts
    }

    fn kind(&self, of: GlobalSymbol) -> SymbolKind {
        self.facts(of.file).symbols.get(of.symbol.ix()).map_or(SymbolKind::Module, |symbol| symbol.kind)
    }

    fn container(&self, of: GlobalSymbol) -> GlobalSymbol {
        let symbol = self.facts(of.file).symbols.get(of.symbol.ix());
        let symbol = symbol.map_or(SymbolIx::MODULE, |symbol| symbol.container);
        self.first(GlobalSymbol { symbol, ..of })
    }

    fn name(&self, of: GlobalSymbol) -> &'a str {
        let facts = self.facts(of.file);
        facts.symbols.get(of.symbol.ix()).map_or("", |symbol| facts.name(symbol.name))
    }

    fn first(&self, of: GlobalSymbol) -> GlobalSymbol {
        self.merged.get(&of).copied().unwrap_or(of)
    }

    /// The symbol of ours with a name on a line of a file; the file itself where there is no name. Of several the one that
    /// is meant, where we have as many as the compiler, else the first.
    fn symbol_at(&mut self, file: u32, name: &str, place: &Definition) -> Option<GlobalSymbol> {
        if name.is_empty() {
            return Some(GlobalSymbol { file, symbol: SymbolIx::MODULE });
        }
        let facts = self.facts(file);
        let spots = self.spots.entry(file).or_insert_with(|| {
            let mut spots: FxHashMap<Spot<'_>, Vec<SymbolIx>> = FxHashMap::default();
            for (ix, symbol) in (0..).map(SymbolIx).zip(&facts.symbols).skip(1) {
                if symbol.flags & flag::ANONYMOUS == 0 {
                    spots.entry((symbol.line, facts.name(symbol.name))).or_default().push(ix);
                }
            }
            spots
        });
        let found = spots.get(&(place.line, name))?;
        let which = if found.len() == place.of as usize { place.which as usize } else { 0 };
        let symbol = *found.get(which)?;
        Some(self.first(GlobalSymbol { file, symbol }))
    }

    /// Whether a member takes the place of another, near or far.
    fn replaces(&self, member: GlobalSymbol, other: GlobalSymbol) -> bool {
        let (mut seen, mut due) = (FxHashSet::default(), vec![member]);
        while let Some(next) = due.pop() {
            if next == other {
                return true;
            }
            if seen.insert(next) {
                due.extend(self.replaced.get(&next).into_iter().flatten());
            }
        }
        false
    }

    /// Whether one of two is the constructor of the other.
    fn is_constructor_of(&self, one: GlobalSymbol, other: GlobalSymbol) -> bool {
        let builds = |one, other| self.kind(one) == SymbolKind::Constructor && self.container(one) == other;
        builds(one, other) || builds(other, one)
    }

    /// The constructor of a type, where there is one and no more.
    fn constructor(&self, class: GlobalSymbol) -> Option<GlobalSymbol> {
        let symbols = (0..).map(SymbolIx).zip(&self.facts(class.file).symbols);
        let mut found = symbols
            .filter(|(_, symbol)| symbol.kind == SymbolKind::Constructor && symbol.container == class.symbol)
            .map(|(symbol, _)| GlobalSymbol { symbol, ..class });
        found.next().filter(|_| found.next().is_none())
    }
}

/// The uses of one file over what resolving found in it.
struct Over<'w, 'a> {
    world: &'w mut World<'a>,
    number: u32,
    facts: &'a FileFacts,
    uses: &'w FileUses,
    /// The edges, by line.
    edges: FxHashMap<u32, Vec<ResolvedEdge>>,
}

impl<'w, 'a> Over<'w, 'a> {
    fn new(world: &'w mut World<'a>, number: u32, uses: &'w FileUses, edges: Vec<ResolvedEdge>) -> Self {
        let mut by_line: FxHashMap<u32, Vec<ResolvedEdge>> = FxHashMap::default();
        for edge in edges {
            by_line.entry(edge.line).or_default().push(edge);
        }
        let facts = world.facts(number);
        Self { world, number, facts, uses, edges: by_line }
    }

    /// The edges as they are now, in order, each once.
    fn done(self) -> Vec<ResolvedEdge> {
        let mut edges: Vec<ResolvedEdge> = self.edges.into_values().flatten().collect();
        edges.sort_unstable_by_key(|edge| (edge.from, edge.line, edge.to, edge.kind, edge.evidence));
        edges.dedup_by_key(|edge| (edge.from, edge.line, edge.to, edge.kind));
        edges
    }

    /// Puts all uses over the edges. What missed and is known now is no miss any more.
    fn put(&mut self, misses: &mut Vec<Miss>) {
        let mut sites: FxHashMap<Spot<'_>, Vec<&Site>> = FxHashMap::default();
        for site in &self.facts.sites {
            if let Some(name) = used_name(self.facts, site.expr) {
                sites.entry((site.line, name)).or_default().push(site);
            }
        }
        let uses = self.uses;
        let mut spots: BTreeMap<Spot<'_>, Vec<&Use>> = BTreeMap::new();
        for one in &uses.uses {
            spots.entry((one.line, uses.text(one.name))).or_default().push(one);
        }
        let mut known: FxHashMap<Spot<'_>, usize> = FxHashMap::default();
        for (spot, uses) in spots {
            known.insert(spot, self.put_spot(spot, &uses, sites.get(&spot).map_or(&[], Vec::as_slice)));
        }
        misses.retain(|miss| {
            let left = known.get_mut(&(miss.line, self.facts.name(miss.name))).filter(|left| **left > 0);
            left.map(|left| *left -= 1).is_none()
        });
    }

    /// Puts the uses of a name on a line over the edges there. Says how many have one now.
    fn put_spot(&mut self, spot: Spot<'_>, uses: &[&Use], sites: &[&Site]) -> usize {
        let (mut known, mut targets) = (0, Vec::new());
        for (number, one) in uses.iter().enumerate() {
            let found = self.targets(one);
            if found.is_empty() {
                continue;
            }
            let site = sites.get(number).or(sites.last()).copied();
            if self.put_use(spot, one, site, &found) {
                known += 1;
                targets.extend(found);
            }
        }
        if known > 0 && known >= sites.len() {
            self.drop_others(spot, &targets);
        }
        known
    }

    /// The symbols of ours that a use means: several where one has several definitions.
    fn targets(&mut self, one: &Use) -> Vec<GlobalSymbol> {
        let mut found = Vec::new();
        for definition in self.uses.targets.get(one.target as usize).into_iter().flatten() {
            let Some((path, hash)) = self.uses.files.get(definition.file as usize) else { continue };
            let Some(file) = self.world.number(self.uses.text(*path)) else { continue };
            if self.world.hashes[file as usize] == *hash {
                let symbol = self.world.symbol_at(file, self.uses.text(definition.name), definition);
                found.extend(symbol.filter(|symbol| !found.contains(symbol)));
            }
        }
        found
    }

    /// Marks the edges that say what a use says, or adds one. Says whether there is one now.
    fn put_use(&mut self, (line, name): Spot<'_>, one: &Use, site: Option<&Site>, targets: &[GlobalSymbol]) -> bool {
        let mut is_there = false;
        for edge in self.edges.entry(line).or_default() {
            if targets.contains(&edge.to) && edge.kind != EdgeKind::Overrides {
                edge.evidence = Evidence::Compiler;
                is_there = true;
            }
        }
        let Some(&to) = targets.first().filter(|_| !is_there) else { return is_there };
        let kind = self.world.kind(to);
        let imported = site.is_none() && self.imports(line, name, one.import);
        if to.symbol == SymbolIx::MODULE && (!imported || to.file == self.number) {
            return false;
        }
        let from = match site {
            _ if imported => SymbolIx::MODULE,
            Some(site) => site.owner,
            None => self.around(line),
        };
        let called = site.is_some_and(|site| site.kind == SiteKind::Call);
        match (imported, called) {
            (true, _) => self.add(from, line, to, EdgeKind::Imports),
            (_, true) if kind.is_type() => {
                self.add(from, line, to, EdgeKind::Instantiates);
                if let Some(constructor) = self.world.constructor(to) {
                    self.add(from, line, constructor, EdgeKind::Calls);
                }
            }
            (_, true) if kind == SymbolKind::Constructor => {
                self.add(from, line, to, EdgeKind::Calls);
                let class = self.world.container(to);
                self.add(from, line, class, EdgeKind::Instantiates);
            }
            (_, true) if kind.is_callable() => self.add(from, line, to, EdgeKind::Calls),
            _ => self.add(from, line, to, EdgeKind::References),
        }
        true
    }

    fn add(&mut self, from: SymbolIx, line: u32, to: GlobalSymbol, kind: EdgeKind) {
        let own = GlobalSymbol { file: self.number, symbol: self.facts.named_owner(from) };
        let first = self.world.first(own);
        let from = if first.file == self.number { first.symbol } else { own.symbol };
        let edge = ResolvedEdge { from, line, to, kind, evidence: Evidence::Compiler };
        self.edges.entry(line).or_default().push(edge);
    }

    /// Removes the edges by a name on a line that lead somewhere else than the compiler says. What follows from what it
    /// says stays: who calls a type calls its constructor, and who calls a method may reach what takes its place.
    fn drop_others(&mut self, (line, name): Spot<'_>, targets: &[GlobalSymbol]) {
        let world = &*self.world;
        self.edges.entry(line).or_default().retain(|edge| {
            let other =
                edge.evidence != Evidence::Compiler && edge.kind != EdgeKind::Overrides && world.name(edge.to) == name;
            let follows = || {
                targets.iter().any(|target| {
                    world.is_constructor_of(edge.to, *target)
                        || edge.evidence == Evidence::Dispatch && world.replaces(edge.to, *target)
                })
            };
            !other || follows()
        });
    }

    /// Whether a name on a line is one that is imported there.
    fn imports(&self, line: u32, name: &str, said: bool) -> bool {
        self.facts.imports.iter().filter(|import| import.line == line).any(|import| {
            let source = self.facts.name(import.source);
            let last = source.rsplit(|c: char| !c.is_alphanumeric() && c != '_' && c != '$').next();
            let wanted = match import.what {
                Imported::Name(wanted) => Some(self.facts.name(wanted)),
                _ => last,
            };
            said || wanted == Some(name) || import.local.is_some_and(|local| self.facts.name(local) == name)
        })
    }

    /// The innermost symbol around a line that has an inside.
    fn around(&self, line: u32) -> SymbolIx {
        let symbols = (0..).map(SymbolIx).zip(&self.facts.symbols).skip(1);
        let around = symbols
            .filter(|(_, symbol)| symbol.body.is_some() && (symbol.start_line..=symbol.end_line).contains(&line));
        let innermost = around.min_by_key(|(ix, symbol)| (symbol.end_line - symbol.start_line, std::cmp::Reverse(*ix)));
        innermost.map_or(SymbolIx::MODULE, |(ix, _)| ix)
    }
}

/// The name that is used where an expression is.
fn used_name(facts: &FileFacts, expr: ExprId) -> Option<&str> {
    let mut at = expr;
    // A call of a generic function is an application in a call.
    for _ in 0..4 {
        match facts.expr(at) {
            Expr::Call { callee, .. } => at = callee,
            Expr::New { class, .. } => at = class,
            Expr::Apply { base, .. } => at = base,
            Expr::Name { name, .. } | Expr::Member { name, .. } => return Some(facts.name(name)),
            _ => return None,
        }
    }
    None
}
