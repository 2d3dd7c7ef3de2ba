//! Which places of a file name which symbols: each definition and each edge gets the columns of its name.

use std::collections::BTreeMap;

use rustc_hash::{FxHashMap, FxHashSet};

use super::Unplaced;
use crate::graph::{Edge, FileView, Graph};
use crate::kinds::{EdgeKind, Evidence, SymbolKind};
use crate::places::{Page, first_word, is_word, places};

/// A name in a text: line from 1, columns in bytes from 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Place {
    pub(super) line: u32,
    pub(super) start: usize,
    pub(super) end: usize,
}

/// What stands in a place.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Role {
    pub(super) definition: bool,
    pub(super) import: bool,
}

/// What is named in a file, by place and symbol.
pub(super) type Named = BTreeMap<(Place, u32), Role>;

/// The edge kinds that say nothing of a name of their own: containment, and what relationships tell.
fn has_place(kind: EdgeKind) -> bool {
    !matches!(kind, EdgeKind::Contains | EdgeKind::Overrides)
}

/// Finds the places of a file's definitions and of the edges on its lines.
pub(super) fn named(graph: &Graph, file: &FileView<'_>, edges: &[Edge], page: &Page<'_>) -> (Named, Unplaced) {
    let aliases = aliases(graph, edges, page);
    let mut finder = Finder { graph, page, edges, named: Named::new(), unplaced: Unplaced::default(), aliases };
    for ix in file.symbols.clone() {
        finder.define(ix, ix == file.symbols.start);
    }
    let defined = finder.named.keys().map(|(place, _)| *place).collect();
    finder.use_names(&defined);
    (finder.named, finder.unplaced)
}

struct Finder<'a> {
    graph: &'a Graph,
    page: &'a Page<'a>,
    edges: &'a [Edge],
    named: Named,
    unplaced: Unplaced,
    /// Other names that imports of this file give to symbols.
    aliases: FxHashMap<u32, Vec<String>>,
}

impl Finder<'_> {
    fn define(&mut self, ix: u32, is_file: bool) {
        let symbol = self.graph.symbol(ix);
        let role = Role { definition: true, import: false };
        if is_file {
            // A file has no name in its text, so that its place is its beginning.
            self.named.insert((Place { line: 1, start: 0, end: 0 }, ix), role);
            return;
        }
        let line = symbol.line;
        let place = |start| Place { line, start, end: start + symbol.name.len() };
        let found = places(self.page.line(line), symbol.name).into_iter().map(place);
        let taken = |place: Place| self.named.range((place, 0)..=(place, u32::MAX)).next().is_some();
        let free = found.into_iter().find(|place| !taken(*place));
        match free {
            Some(place) => drop(self.named.insert((place, ix), role)),
            None => self.unplaced.definitions += 1,
        }
    }

    fn use_names(&mut self, defined: &FxHashSet<Place>) {
        let mut groups: BTreeMap<(u32, String), Vec<Edge>> = BTreeMap::new();
        for edge in self.edges.iter().filter(|edge| has_place(edge.kind)) {
            match self.name_on_line(edge) {
                Some(name) => groups.entry((edge.line, name)).or_default().push(*edge),
                None => self.unplaced.uses += 1,
            }
        }
        for ((line, name), edges) in groups {
            let place = |start| Place { line, start, end: start + name.len() };
            let found = places(self.page.line(line), &name).into_iter().map(place);
            let free: Vec<Place> = found.filter(|place| !defined.contains(place)).collect();
            self.share_out(&free, &edges);
        }
    }

    /// Gives the edges that use one name on one line their places, in order. What else a use may reach stands where the
    /// use does.
    fn share_out(&mut self, free: &[Place], edges: &[Edge]) {
        let Some(first) = free.first() else {
            self.unplaced.uses += edges.len();
            return;
        };
        let mut given: BTreeMap<(u32, u32), Place> = BTreeMap::new();
        let sure = |edge: &&Edge| edge.evidence != Evidence::Dispatch && edge.evidence != Evidence::Ambiguous;
        for edge in edges.iter().filter(sure) {
            let next = free.get(given.len()).or(free.last()).unwrap_or(first);
            given.entry((edge.from, edge.to)).or_insert(*next);
        }
        for edge in edges {
            let own = given.get(&(edge.from, edge.to));
            let of_same = || given.range((edge.from, 0)..=(edge.from, u32::MAX)).next().map(|(_, place)| place);
            let place = own.or_else(of_same).unwrap_or(first);
            self.named.entry((*place, edge.to)).or_default().import |= edge.kind == EdgeKind::Imports;
        }
    }

    /// The name by which an edge's target stands on its line.
    fn name_on_line(&self, edge: &Edge) -> Option<String> {
        let line = self.page.line(edge.line);
        let stands = |name: &&str| !places(line, name).is_empty();
        let aliases = self.aliases.get(&edge.to).map(Vec::as_slice).unwrap_or_default();
        // What is imported under another name goes by that one, but for where it is imported.
        let aliases = aliases.iter().map(String::as_str).filter(|_| edge.kind != EdgeKind::Imports);
        aliases.chain(self.names_of(edge.to)).find(stands).map(str::to_owned)
    }

    /// The names that a symbol goes by: its own, of a constructor that of its type, of a file what imports call it.
    fn names_of(&self, ix: u32) -> Vec<&str> {
        let symbol = self.graph.symbol(ix);
        let mut names = vec![symbol.name];
        match (symbol.kind, symbol.container) {
            (SymbolKind::Constructor, Some(class)) => names.push(self.graph.symbol(class).name),
            (SymbolKind::Module, None) => {
                let (folder, name) = symbol.file.rsplit_once('/').unwrap_or(("", symbol.file));
                let folder = folder.rsplit('/').next().unwrap_or_default();
                names.extend([name, name.split('.').next().unwrap_or(name), folder]);
            }
            _ => {}
        }
        names
    }
}

/// Other names that the imports of a file give to symbols.
fn aliases(graph: &Graph, edges: &[Edge], page: &Page<'_>) -> FxHashMap<u32, Vec<String>> {
    let mut aliases: FxHashMap<u32, Vec<String>> = FxHashMap::default();
    for edge in edges.iter().filter(|edge| edge.kind == EdgeKind::Imports) {
        let (line, name) = (page.line(edge.line), graph.symbol(edge.to).name);
        let found = places(line, name).into_iter().filter_map(|at| alias(line, at, at + name.len()));
        aliases.entry(edge.to).or_default().extend(found.map(str::to_owned));
    }
    aliases
}

/// The other name that an import gives to the one between two columns: `a as b`, `{ a: b }`, `b = x.a`.
fn alias(line: &[u8], start: usize, end: usize) -> Option<&str> {
    let after = line[end..].trim_ascii_start();
    let behind = after.strip_prefix(b"as").filter(|rest| rest.first().is_some_and(u8::is_ascii_whitespace));
    let behind = behind.or_else(|| after.strip_prefix(b":").filter(|rest| !rest.starts_with(b":")));
    if let Some(rest) = behind {
        return Some(first_word(rest.trim_ascii_start())).filter(|word| !word.is_empty());
    }
    let equals = line[..start].iter().rposition(|byte| *byte == b'=')?;
    let before = line[..equals].trim_ascii_end();
    let word = before.iter().rposition(|byte| !is_word(*byte)).map_or(0, |at| at + 1);
    std::str::from_utf8(&before[word..]).ok().filter(|word| !word.is_empty())
}

#[cfg(test)]
mod tests {
    use super::alias;

    #[test]
    fn imports_say_what_else_a_name_is_called() {
        let alias = |line: &'static str| {
            let at = line.find("rate").unwrap();
            alias(line.as_bytes(), at, at + 4)
        };
        assert_eq!(alias("from a import rate as r, b"), Some("r"));
        assert_eq!(alias("use a::{rate as r, b};"), Some("r"));
        assert_eq!(alias("const { rate: r } = require('a')"), Some("r"));
        assert_eq!(alias("using R = A.rate;"), Some("R"));
        assert_eq!(alias("use rate::Rate;"), None);
        assert_eq!(alias("from a import rate, assume"), None);
    }
}
