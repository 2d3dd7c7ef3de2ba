//! A generation says what was put into it, and damaged bytes say so.

use proptest::prelude::*;
use rustc_hash::{FxHashMap, FxHashSet};

use super::*;
use crate::facts::{ExtensionIx, FileFacts, NameId, Symbol, SymbolIx, flag};
use crate::resolution::{GlobalSymbol, Miss, Resolution, ResolvedEdge, ResolvedFile};
use crate::sample::symbol;

const NAMES: [&str; 5] = ["", "alpha", "beta", "gämma", "delta"];

fn facts(symbols: Vec<Symbol>) -> FileFacts {
    FileFacts { names: NAMES.into_iter().collect(), symbols, ..FileFacts::default() }
}

fn module() -> Symbol {
    symbol(NameId(1), SymbolKind::Module, SymbolIx::MODULE, 1)
}

fn open(files: &[(&str, FileFacts)], resolution: &Resolution) -> Graph {
    let files: Vec<BuiltFile<'_>> =
        files.iter().map(|(path, facts)| BuiltFile { path, language: "python", lines: 9, facts }).collect();
    Graph::from_bytes(Graph::build(&files, resolution)).unwrap()
}

fn place(file: u32, symbol: u32) -> GlobalSymbol {
    GlobalSymbol { file, symbol: SymbolIx(symbol) }
}

fn edge(from: u32, to: GlobalSymbol, line: u32) -> ResolvedEdge {
    ResolvedEdge { from: SymbolIx(from), line, to, kind: EdgeKind::Calls, evidence: Evidence::Scope }
}

#[test]
fn nothing_is_a_graph_too() {
    let graph = &open(&[], &Resolution::default());
    assert_eq!((graph.symbols(), graph.files(), graph.names().count()), (0, 0, 0));
    assert_eq!(graph.symbol(7).name, "");
    assert_eq!(graph.file(7).path, "");
    assert_eq!(graph.out(7).count() + graph.into(7).count() + graph.children(u32::MAX).count(), 0);
    assert_eq!(graph.named("alpha").count(), 0);
    assert_eq!((graph.misses(3), graph.missed_calls("x"), graph.file_named("a")), ((0, 0), 0, None));
}

#[test]
fn a_file_without_symbols_has_its_module() {
    let graph = &open(&[("a.py", FileFacts::default())], &Resolution::default());
    assert_eq!((graph.symbols(), graph.symbol(0).file, graph.symbol(0).container), (1, "a.py", None));
}

#[test]
fn files_are_in_the_order_of_their_paths() {
    let errors = |line| FileFacts { errors: vec![(line, line + 1)], ..facts(vec![module()]) };
    let graph = &open(&[("b/x.py", errors(1)), ("b.py", errors(3)), ("a.py", errors(5))], &Resolution::default());
    let files: Vec<_> = (0..3).map(|ix| graph.file(ix)).collect();
    assert_eq!(files.iter().map(|file| file.path).collect::<Vec<_>>(), ["a.py", "b.py", "b/x.py"]);
    assert_eq!(files.iter().map(|file| file.errors).collect::<Vec<_>>(), [[(5, 6)], [(3, 4)], [(1, 2)]]);
    assert_eq!((files[1].symbols.clone(), files[1].lines, files[1].language), (1..2, 9, "python"));
    assert_eq!(graph.file_named("b.py"), Some(1));
    assert_eq!(graph.file_named("c.py"), None);
}

#[test]
fn anonymous_functions_are_left_out() {
    let lambda = Symbol { flags: flag::ANONYMOUS, ..symbol(NameId(0), SymbolKind::Function, SymbolIx(1), 3) };
    let inner = symbol(NameId(3), SymbolKind::Function, SymbolIx(2), 4);
    let outer = symbol(NameId(2), SymbolKind::Function, SymbolIx(0), 2);
    let files = [("a.py", facts(vec![module(), outer, lambda, inner]))];
    let resolved = ResolvedFile {
        edges: vec![edge(2, place(0, 3), 5)],
        misses: vec![Miss { owner: SymbolIx(2), line: 5, name: NameId(4), call: true, external: false }],
        ..ResolvedFile::default()
    };
    let graph = &open(&files, &Resolution { files: vec![resolved] });
    assert_eq!(graph.symbols(), 3);
    assert_eq!((graph.symbol(2).name, graph.symbol(2).container), ("gämma", Some(1)));
    assert_eq!(graph.children(1).collect::<Vec<_>>(), [2]);
    assert_eq!(graph.out(1).map(|edge| (edge.to, edge.line)).collect::<Vec<_>>(), [(2, 5)]);
    assert_eq!((graph.misses(1), graph.missed_calls("delta"), graph.missed_names("delta")), ((1, 0), 1, 1));
    assert!(!graph.names().any(|name| name == "delta" || name.is_empty()));
}

#[test]
fn what_has_several_places_is_at_the_first() {
    let class = |line| symbol(NameId(2), SymbolKind::Class, SymbolIx(0), line);
    let method = |line| symbol(NameId(3), SymbolKind::Method, SymbolIx(1), line);
    let files =
        [("a.cs", facts(vec![module(), class(1), method(2)])), ("b.cs", facts(vec![module(), class(1), method(2)]))];
    let merged = ResolvedFile {
        merged: vec![(SymbolIx(1), place(0, 1))],
        edges: vec![edge(1, place(0, 2), 7), edge(2, place(1, 1), 8)],
        ..ResolvedFile::default()
    };
    let graph = &open(&files, &Resolution { files: vec![ResolvedFile::default(), merged] });
    // Module, class and method of the first file; module and method of the second.
    assert_eq!(graph.symbols(), 5);
    assert_eq!(graph.children(1).collect::<Vec<_>>(), [2, 4]);
    assert_eq!((graph.symbol(4).file, graph.symbol(4).container), ("b.cs", Some(1)));
    // A line of the second place is one of its file, seen from either end.
    let expected = Edge { from: 1, to: 2, kind: EdgeKind::Calls, evidence: Evidence::Scope, file: 1, line: 7 };
    assert_eq!(graph.out(1).collect::<Vec<_>>(), [expected]);
    assert_eq!(graph.into(2).collect::<Vec<_>>(), [expected]);
    assert_eq!(graph.into(1).map(|edge| (edge.from, edge.file)).collect::<Vec<_>>(), [(4, 1)]);
}

#[test]
fn members_outside_of_their_type_are_in_it() {
    let member = |name| {
        let extension = Some(ExtensionIx(0));
        Symbol { extension, ..symbol(NameId(name), SymbolKind::Method, SymbolIx::MODULE, 4) }
    };
    let class = |name| symbol(NameId(name), SymbolKind::Struct, SymbolIx::MODULE, 2);
    // Named by NAMES: beta is in both files, delta in one, alpha in none.
    let files = [
        ("a.rs", facts(vec![module(), class(2), class(4), member(3)])),
        ("b.rs", facts(vec![module(), class(2), member(3), member(3), member(3)])),
    ];
    let qualified = |names: &[&str]| ResolvedFile {
        qualified: names.iter().map(|name| (*name).to_owned()).collect(),
        ..ResolvedFile::default()
    };
    let resolution = Resolution {
        files: vec![
            qualified(&["m", "m::beta", "m::delta", "m::beta::gämma"]),
            qualified(&["m", "m::beta", "m::beta::gämma", "m::delta.gämma", "m::alpha::gämma"]),
        ],
    };
    let graph = &open(&files, &resolution);
    let containers: Vec<_> = graph.named("gämma").map(|ix| graph.symbol(ix).container).collect();
    assert_eq!(containers, [Some(1), Some(5), Some(2), Some(4)]);
    assert_eq!(graph.children(2).collect::<Vec<_>>(), [7]);
}

#[test]
fn qualified_names_are_what_they_were() {
    // Each function stands in the one before, deeper than anybody looks up.
    let depth = 200_u32;
    let inner = (1..depth).map(|n| symbol(NameId(2), SymbolKind::Function, SymbolIx(n - 1), n));
    let symbols: Vec<Symbol> = std::iter::once(module()).chain(inner).collect();
    let mut names: Vec<String> = (0..depth as usize).map(|n| format!("m{}", "::beta".repeat(n))).collect();
    // A name that is not made of its container's, one without anything between, and one that is all its container's.
    names[7] = "other.beta".to_owned();
    names[9] = format!("{}beta", names[8]);
    names[11] = String::new();
    let resolved = ResolvedFile { qualified: names.clone(), ..ResolvedFile::default() };
    let graph = &open(&[("a.rs", facts(symbols))], &Resolution { files: vec![resolved] });
    for round in 0..2 {
        for (ix, name) in (0..).zip(&names) {
            assert_eq!(graph.symbol(ix).qualified, name, "{ix} in round {round}");
        }
    }
}

#[test]
fn containers_never_go_round() {
    // Each of the two says that it is in the other's place.
    let a = facts(vec![
        module(),
        symbol(NameId(2), SymbolKind::Class, SymbolIx(2), 1),
        symbol(NameId(3), SymbolKind::Class, SymbolIx(1), 2),
    ]);
    let graph = &open(&[("a.py", a)], &Resolution::default());
    for start in 0..graph.symbols() {
        let mut at = start;
        let mut steps = 0;
        while let Some(container) = graph.symbol(at).container {
            at = container;
            steps += 1;
            assert!(steps < 4);
        }
    }
}

#[test]
fn ids_outlive_what_comes_before() {
    let function = |name, line| symbol(NameId(name), SymbolKind::Function, SymbolIx(0), line);
    let ids = |symbols: Vec<Symbol>| {
        let graph = &open(&[("a.py", facts(symbols))], &Resolution::default());
        (0..graph.symbols()).map(|ix| (graph.symbol(ix).name.to_owned(), graph.symbol(ix).id)).collect::<Vec<_>>()
    };
    let before = ids(vec![module(), function(2, 1), function(2, 5)]);
    let after = ids(vec![module(), function(4, 1), function(2, 11), function(2, 15)]);
    assert_eq!(before[1..], after[2..]);
    assert_ne!(before[1].1, before[2].1);
}

/// File and symbol at either end.
type Ends = (u8, u8, u8, u8);

/// Symbols as (name, kind, container, anonymous), merges, edges and misses, with numbers to be taken modulo.
#[derive(Debug, Clone)]
struct Sketch {
    files: Vec<Vec<(u8, u8, u8, bool)>>,
    merged: Vec<(u8, u8, u8, u8)>,
    edges: Vec<(Ends, (u8, u8, u8))>,
    misses: Vec<(u8, u8, u8, bool, bool)>,
}

fn sketch() -> impl Strategy<Value = Sketch> {
    let file = prop::collection::vec((0..5_u8, any::<u8>(), any::<u8>(), prop::bool::weighted(0.2)), 0..8);
    let byte = any::<u8>;
    (
        prop::collection::vec(file, 1..5),
        prop::collection::vec((byte(), byte(), byte(), byte()), 0..3),
        prop::collection::vec(((byte(), byte(), byte(), byte()), (byte(), byte(), 0..4_u8)), 0..30),
        prop::collection::vec((byte(), byte(), 0..5_u8, any::<bool>(), any::<bool>()), 0..10),
    )
        .prop_map(|(files, merged, edges, misses)| Sketch { files, merged, edges, misses })
}

fn of<T: Copy>(list: &[T], number: u8) -> T {
    list[usize::from(number) % list.len()]
}

impl Sketch {
    fn facts(&self) -> Vec<FileFacts> {
        let file = |symbols: &Vec<(u8, u8, u8, bool)>| {
            let mut list = vec![module()];
            for (at, (name, kind, container, anonymous)) in (1_u32..).zip(symbols) {
                let container = SymbolIx(u32::from(*container) % at);
                let symbol = symbol(NameId(u32::from(*name)), of(SymbolKind::ALL, *kind), container, at);
                list.push(Symbol { flags: u32::from(*anonymous) * flag::ANONYMOUS, ..symbol });
            }
            facts(list)
        };
        self.files.iter().map(file).collect()
    }

    fn place(&self, file: u8, symbol: u8) -> GlobalSymbol {
        let file = usize::from(file) % self.files.len();
        let symbol = usize::from(symbol) % (self.files[file].len() + 1);
        place(u32::try_from(file).unwrap(), u32::try_from(symbol).unwrap())
    }

    /// A name that may be made of the container's.
    fn qualified(&self, file: usize, symbol: usize) -> String {
        let Some((name, kind, container, _)) = symbol.checked_sub(1).map(|ix| self.files[file][ix]) else {
            return format!("m{file}");
        };
        let around = self.qualified(file, usize::from(container) % symbol);
        match kind % 4 {
            0 => NAMES[usize::from(name)].to_owned(),
            1 => format!("{around}::{}", NAMES[usize::from(name)]),
            2 => format!("{around}{}", NAMES[usize::from(name)]),
            _ => format!("{around}.x"),
        }
    }

    fn resolution(&self) -> Resolution {
        let names = |file: usize| (0..=self.files[file].len()).map(|ix| self.qualified(file, ix)).collect();
        let mut files: Vec<ResolvedFile> = (0..self.files.len())
            .map(|file| ResolvedFile { qualified: names(file), ..ResolvedFile::default() })
            .collect();
        let mut firsts = FxHashSet::default();
        for (file, symbol, first_file, first) in &self.merged {
            let (place, first) = (self.place(*file, *symbol), self.place(*first_file, *first));
            // As in life: what is a first place has a name and is not merged, and nothing is merged twice.
            let named = first.symbol.ix().checked_sub(1).is_none_or(|ix| !self.files[first.file as usize][ix].3);
            let list = &files[place.file as usize].merged;
            let twice = list.iter().any(|(symbol, _)| *symbol == place.symbol);
            let merged = files[first.file as usize].merged.iter().any(|(symbol, _)| *symbol == first.symbol);
            if named && place != first && !twice && !merged && !firsts.contains(&place) {
                firsts.insert(first);
                files[place.file as usize].merged.push((place.symbol, first));
            }
        }
        for ((file, from, to_file, to), (kind, evidence, line)) in &self.edges {
            let from = self.place(*file, *from);
            files[from.file as usize].edges.push(ResolvedEdge {
                from: from.symbol,
                line: u32::from(*line),
                to: self.place(*to_file, *to),
                kind: of(EdgeKind::ALL, *kind),
                evidence: of(Evidence::ALL, *evidence),
            });
        }
        for (file, owner, name, call, external) in &self.misses {
            let owner = self.place(*file, *owner);
            let name = NameId(u32::from(*name));
            let miss = Miss { owner: owner.symbol, line: 1, name, call: *call, external: *external };
            files[owner.file as usize].misses.push(miss);
        }
        Resolution { files }
    }
}

fn path(file: usize) -> String {
    // Not in the order in which they are given.
    format!("{}.py", 9 - file)
}

fn bytes(sketch: &Sketch) -> Vec<u8> {
    let facts = sketch.facts();
    let paths: Vec<String> = (0..facts.len()).map(path).collect();
    let files: Vec<BuiltFile<'_>> =
        facts.iter().zip(&paths).map(|(facts, path)| BuiltFile { path, language: "python", lines: 1, facts }).collect();
    Graph::build(&files, &sketch.resolution())
}

/// The edges of all symbols, asked for in both directions; whatever a graph says must be said without a panic.
fn walk(graph: &Graph) -> (Vec<Edge>, Vec<Edge>) {
    let all = 0..graph.symbols() + 2;
    for ix in all.clone() {
        let _ = (graph.symbol(ix), graph.misses(ix), graph.children(ix).count(), graph.file(ix));
        assert_eq!(
            graph.named(graph.symbol(ix).name).filter(|found| *found == ix).count(),
            usize::from(ix < graph.symbols())
        );
    }
    (all.clone().flat_map(|ix| graph.out(ix)).collect(), all.flat_map(|ix| graph.into(ix)).collect())
}

proptest! {
    #[test]
    fn says_what_was_put_in(sketch in sketch()) {
        let (facts, resolution) = (sketch.facts(), sketch.resolution());
        let graph = Graph::from_bytes(bytes(&sketch)).unwrap();
        // Where each symbol of the facts is, found by what a view says of it.
        let mut numbers = FxHashMap::default();
        for (file, facts) in facts.iter().enumerate() {
            let view = graph.file(graph.file_named(&path(file)).unwrap());
            let mut next = view.symbols.clone();
            for (ix, symbol) in facts.symbols.iter().enumerate() {
                let merged = resolution.files[file].merged.iter().any(|(merged, _)| merged.ix() == ix);
                if ix == 0 || symbol.flags & flag::ANONYMOUS == 0 && !merged {
                    let number = next.next().unwrap();
                    let view = graph.symbol(number);
                    prop_assert_eq!(view.qualified, sketch.qualified(file, ix));
                    prop_assert_eq!(
                        (view.name, view.kind, view.line, view.flags, view.file, view.container.is_none()),
                        (facts.name(symbol.name), symbol.kind, symbol.line, symbol.flags, &*path(file), ix == 0)
                    );
                    numbers.insert((file, ix), number);
                }
            }
            prop_assert_eq!(next.next(), None);
        }
        let find = |file: usize, symbol: SymbolIx| {
            let mut at = (file, facts[file].named_owner(symbol).ix());
            let merged = resolution.files[file].merged.iter().find(|(merged, _)| merged.ix() == at.1 && at.1 != 0);
            if let Some((_, first)) = merged {
                at = (first.file as usize, facts[first.file as usize].named_owner(first.symbol).ix());
            }
            numbers.get(&at).copied()
        };
        let mut expected: FxHashSet<Edge> = FxHashSet::default();
        for (file, resolved) in resolution.files.iter().enumerate() {
            for edge in resolved.edges.iter().filter(|edge| edge.kind != EdgeKind::Contains) {
                let (from, to) = (find(file, edge.from), find(edge.to.file as usize, edge.to.symbol));
                if let (Some(from), Some(to)) = (from, to) {
                    let file = graph.file_named(&path(file)).unwrap();
                    let ResolvedEdge { kind, evidence, line, .. } = *edge;
                    expected.insert(Edge { from, to, kind, evidence, file, line });
                }
            }
        }
        let (out, into) = walk(&graph);
        prop_assert_eq!(out.len(), graph.meta().edges as usize);
        prop_assert_eq!(out.len(), into.len());
        prop_assert_eq!(&expected, &out.into_iter().collect::<FxHashSet<_>>());
        prop_assert_eq!(&expected, &into.into_iter().collect::<FxHashSet<_>>());

        for ix in 0..graph.symbols() {
            let children = (0..graph.symbols()).filter(|child| graph.symbol(*child).container == Some(ix));
            prop_assert_eq!(graph.children(ix).collect::<Vec<_>>(), children.collect::<Vec<_>>());
        }
        for name in NAMES {
            let named = (0..graph.symbols()).filter(|ix| graph.symbol(*ix).name == name);
            prop_assert_eq!(graph.named(name).collect::<Vec<_>>(), named.collect::<Vec<_>>());
            let missed = resolution.files.iter().flat_map(|file| &file.misses);
            let missed = missed.filter(|miss| !miss.external && NAMES[miss.name.ix()] == name);
            let calls = missed.clone().filter(|miss| miss.call).count();
            prop_assert_eq!((graph.missed_calls(name) as usize, graph.missed_names(name) as usize), (calls, missed.count()));
        }
        let names: Vec<&str> = graph.names().collect();
        prop_assert!(names.is_sorted() && names.iter().all(|name| graph.named(name).next().is_some()));
        let ids: FxHashSet<u64> = (0..graph.symbols()).map(|ix| graph.symbol(ix).id).collect();
        prop_assert_eq!(ids.len(), graph.symbols() as usize);
    }

    #[test]
    fn the_same_input_gives_the_same_bytes(sketch in sketch()) {
        prop_assert_eq!(bytes(&sketch), bytes(&sketch));
    }

    #[test]
    fn damaged_bytes_are_an_error(sketch in sketch(), place in any::<prop::sample::Index>(), change in 1..=255_u8) {
        let whole = bytes(&sketch);
        let mut flipped = whole.clone();
        flipped[place.index(whole.len())] ^= change;
        // Nothing reads the bytes that fill up a section's last number.
        if let Ok(graph) = Graph::from_bytes(flipped) {
            prop_assert_eq!(walk(&graph), walk(&Graph::from_bytes(whole.clone()).unwrap()));
        }
        let cut = Graph::from_bytes(whole[..place.index(whole.len())].to_vec());
        prop_assert!(cut.is_err() || whole.len() - place.index(whole.len()) < 4);
        let mut longer = whole;
        longer.insert(place.index(longer.len()), change);
        prop_assert!(Graph::from_bytes(longer).is_err());
    }

    #[test]
    fn any_bytes_are_an_error(bytes in prop::collection::vec(any::<u8>(), 0..600)) {
        prop_assert!(Graph::from_bytes(bytes).is_err());
    }
}

/// Whoever writes a sum that fits can still not make a graph point into nowhere.
#[test]
fn numbers_that_lead_nowhere_are_an_error_or_nothing() {
    let files = [("a.py", facts(vec![module(), symbol(NameId(2), SymbolKind::Class, SymbolIx(0), 1)]))];
    let resolved = ResolvedFile { edges: vec![edge(1, place(0, 0), 7)], ..ResolvedFile::default() };
    let built = [BuiltFile { path: "a.py", language: "python", lines: 1, facts: &files[0].1 }];
    let bytes = Graph::build(&built, &Resolution { files: vec![resolved] });
    let words: Vec<u32> = bytes.chunks_exact(4).map(|word| u32::from_ne_bytes(word.try_into().unwrap())).collect();
    for at in 0..words.len() {
        for value in [u32::MAX, 1 << 20, 5] {
            let mut changed = words.clone();
            changed[at] = value;
            layout::seal(&mut changed);
            let graph = Graph::from_bytes(bytemuck::cast_slice(&changed).to_vec());
            if let Ok(graph) = &graph {
                for ix in 0..graph.symbols().min(9) {
                    let seen = graph.out(ix).chain(graph.into(ix)).map(|edge| graph.symbol(edge.to).line);
                    let _ = (seen.count(), graph.symbol(ix), graph.children(ix).count(), graph.file(ix));
                }
                let _ = (graph.names().count(), graph.file_named("a.py"), graph.missed_calls("beta"));
            }
        }
    }
}
