//! Writing a generation: facts and what resolving made of them, in tables.

use rayon::slice::ParallelSliceMut;
use rustc_hash::{FxHashMap, FxHashSet};
use xxhash_rust::xxh3::Xxh3;

use super::layout::{
    EdgeRow, FileRow, JOINED, MAX_JOINTS, MetaRow, NONE, NameRow, SCHEMA, Section, SymbolRow, Writer, high, label, low,
    word,
};
use crate::facts::{FileFacts, Symbol, SymbolIx, flag};
use crate::kinds::EdgeKind;
use crate::resolution::{GlobalSymbol, Resolution};

/// A first place that is itself merged into another is followed; more often than this it goes round in a circle.
const MERGES: usize = 16;

/// A file as it is put into a generation.
#[derive(Debug, Clone, Copy)]
pub struct BuiltFile<'a> {
    /// Relative to the root, with `/`.
    pub path: &'a str,
    /// The name of its language.
    pub language: &'a str,
    /// How many lines it has.
    pub lines: u32,
    /// What it says.
    pub facts: &'a FileFacts,
}

pub(super) fn build(files: &[BuiltFile<'_>], resolution: &Resolution) -> Vec<u8> {
    let places = Places::new(files, resolution);
    let mut texts = Texts::new(&places);
    let file_rows = places.file_rows(&mut texts);
    let mut symbols = places.symbol_rows(&mut texts);
    break_circles(&mut symbols, &file_rows);
    places.write_qualified(&mut symbols, &mut texts);
    let mut names = vec![NameRow::default(); texts.names as usize + 1];
    let (unresolved, external) = places.count_misses(&texts, &mut symbols, &mut names);
    let edges = places.edges();
    let meta = MetaRow {
        schema: SCHEMA,
        symbols: word(places.kept.len()),
        files: word(files.len()),
        edges: word(edges.len()),
        names: texts.names,
        unresolved,
        external,
    };

    let containers: Vec<u32> = symbols.iter().map(|row| row.container).collect();
    let name_numbers: Vec<u32> = symbols.iter().map(|row| row.name).collect();
    // The row behind the last, which only ends the runs of the last.
    symbols.push(SymbolRow::default());
    let children = group(&containers, &mut symbols, |row, start| row.children = start);
    let by_name = group(&name_numbers, &mut names, |row, start| row.symbols = start);

    let a_name = size_of::<NameRow>() + size_of::<u32>();
    let a_symbol = size_of::<SymbolRow>() + 2 * size_of::<u32>();
    // Each edge stands in both directions; few have a site of their own.
    let an_edge = 2 * (size_of::<EdgeRow>() + 1) + size_of::<[u32; 2]>();
    let expected = names.len() * a_name + symbols.len() * a_symbol + edges.len() * an_edge + texts.bytes();
    let mut writer = Writer::new(expected);
    writer.section(Section::Meta, &[meta]);
    writer.section(Section::Files, &file_rows);
    writer.section(Section::Errors, &places.error_pairs());
    writer.section(Section::Names, &names);
    writer.section(Section::NameSymbols, &by_name);
    writer.section(Section::Children, &children);
    write_edges(&mut writer, &edges, &mut symbols);
    writer.section(Section::Symbols, &symbols);
    writer.section(Section::TextStarts, &texts.starts);
    writer.section(Section::Heap, &texts.heap);
    writer.finish()
}

/// Which symbols are kept, and the number of each.
struct Places<'a> {
    files: &'a [BuiltFile<'a>],
    resolution: &'a Resolution,
    /// Files in the order of their paths.
    order: Vec<usize>,
    /// The place of each file in `order`.
    ranks: Vec<u32>,
    /// Of each symbol of the facts of each file: its number, or [`NONE`] where it is not kept.
    numbers: Vec<Vec<u32>>,
    /// The symbols that have numbers, in order.
    kept: Vec<GlobalSymbol>,
    /// The first place of symbols that have one elsewhere.
    merged: FxHashMap<GlobalSymbol, GlobalSymbol>,
}

impl<'a> Places<'a> {
    fn new(files: &'a [BuiltFile<'a>], resolution: &'a Resolution) -> Self {
        let mut order: Vec<usize> = (0..files.len()).collect();
        order.sort_by_key(|file| files[*file].path.as_bytes());
        let mut ranks = vec![0; files.len()];
        for (rank, file) in order.iter().enumerate() {
            ranks[*file] = word(rank);
        }
        let mut merged = FxHashMap::default();
        for (file, resolved) in (0..).zip(&resolution.files) {
            for (symbol, first) in &resolved.merged {
                // A file's top-level code is its own, whatever is said of it.
                if *symbol != SymbolIx::MODULE {
                    merged.insert(GlobalSymbol { file, symbol: *symbol }, *first);
                }
            }
        }
        let mut numbers: Vec<Vec<u32>> = vec![Vec::new(); files.len()];
        let mut kept = Vec::new();
        for file in &order {
            let symbols = &files[*file].facts.symbols;
            let mut own = vec![NONE; symbols.len().max(1)];
            for (symbol, number) in (0..).map(SymbolIx).zip(&mut own) {
                let place = GlobalSymbol { file: word(*file), symbol };
                let named = symbols.get(symbol.ix()).is_none_or(|found| found.flags & flag::ANONYMOUS == 0);
                // The first symbol is always kept: it is the file's.
                if symbol == SymbolIx::MODULE || named && !merged.contains_key(&place) {
                    *number = word(kept.len());
                    kept.push(place);
                }
            }
            numbers[*file] = own;
        }
        Self { files, resolution, order, ranks, numbers, kept, merged }
    }

    /// The number of a symbol: of an anonymous function that of the named one around it, of a merged symbol that of
    /// its first place.
    fn number(&self, mut place: GlobalSymbol) -> Option<u32> {
        for _ in 0..MERGES {
            let file = place.file as usize;
            place.symbol = self.files.get(file)?.facts.named_owner(place.symbol);
            match self.merged.get(&place) {
                Some(first) => place = *first,
                None => {
                    let number = *self.numbers.get(file)?.get(place.symbol.ix())?;
                    return (number != NONE).then_some(number);
                }
            }
        }
        None
    }

    /// The qualified name of a symbol; its name where resolving gave it none.
    fn qualified(&self, place: GlobalSymbol) -> &'a str {
        let resolved = self.resolution.files.get(place.file as usize);
        let qualified = resolved.and_then(|resolved| resolved.qualified.get(place.symbol.ix()));
        let facts = self.files[place.file as usize].facts;
        let name = || facts.symbols.get(place.symbol.ix()).map_or("", |symbol| facts.name(symbol.name));
        qualified.map_or_else(name, String::as_str)
    }

    /// Writes down qualified names: most are their container's, something between the two, and the name, of which only
    /// what is between is written. All of them would be a quarter of a generation.
    fn write_qualified(&self, rows: &mut [SymbolRow], texts: &mut Texts<'a>) {
        for number in 0..rows.len() {
            let (place, row) = (self.kept[number], rows[number]);
            let qualified = self.qualified(place);
            let around = (row.container != NONE).then(|| self.qualified(self.kept[row.container as usize]));
            let rest = around.and_then(|around| qualified.strip_prefix(around));
            let between = rest.and_then(|rest| rest.strip_suffix(texts.text(row.name)));
            // Whoever reads goes up only so far, however deep a program may be.
            let deep = || up(rows, number).nth(MAX_JOINTS).is_some();
            rows[number].qualified = match between {
                Some(between) if between.len() < qualified.len() && !deep() => texts.add(between) | JOINED,
                _ => texts.add(qualified) & !JOINED,
            };
        }
    }

    fn file_rows(&self, texts: &mut Texts<'a>) -> Vec<FileRow> {
        let mut rows = Vec::with_capacity(self.order.len() + 1);
        let (mut symbols, mut errors) = (0, 0);
        for number in &self.order {
            let file = &self.files[*number];
            let path = texts.add(file.path);
            rows.push(FileRow { path, language: texts.add(file.language), lines: file.lines, symbols, errors });
            symbols += word(self.numbers[*number].iter().filter(|number| **number != NONE).count());
            errors += word(file.facts.errors.len());
        }
        rows.push(FileRow { symbols, errors, ..FileRow::default() });
        rows
    }

    fn error_pairs(&self) -> Vec<[u32; 2]> {
        let errors = self.order.iter().flat_map(|file| &self.files[*file].facts.errors);
        errors.map(|(first, last)| [*first, *last]).collect()
    }

    fn symbol_rows(&self, texts: &mut Texts<'a>) -> Vec<SymbolRow> {
        let mut ordinals: FxHashMap<u64, u32> = FxHashMap::default();
        let mut rows = Vec::with_capacity(self.kept.len() + 1);
        let mut extending = Vec::new();
        for (number, place) in (0..).zip(&self.kept) {
            let file = place.file as usize;
            if place.symbol == SymbolIx::MODULE {
                ordinals.clear();
            }
            let BuiltFile { path, facts, .. } = self.files[file];
            let mut row = SymbolRow { file: self.ranks[file], container: NONE, ..SymbolRow::default() };
            if let Some(symbol) = facts.symbols.get(place.symbol.ix()) {
                let name = facts.name(symbol.name);
                let qualified = self.qualified(*place);
                let id = id(path, qualified, symbol, name, &mut ordinals);
                row = SymbolRow {
                    id_low: low(id),
                    id_high: high(id),
                    name: texts.number(name),
                    signature: texts.add(facts.name(symbol.signature)),
                    kind: symbol.kind as u32,
                    line: symbol.line,
                    start_line: symbol.start_line,
                    end_line: symbol.end_line,
                    flags: symbol.flags,
                    ..row
                };
                if place.symbol != SymbolIx::MODULE {
                    let around = GlobalSymbol { symbol: symbol.container, ..*place };
                    let container = self.number(around).filter(|container| *container != number);
                    row.container = container.unwrap_or(self.numbers[file][0]);
                    if symbol.extension.is_some() {
                        extending.push((number, owner(qualified, name)));
                    }
                }
            }
            rows.push(row);
        }
        self.find_owners(&extending, &mut rows);
        rows
    }

    /// Puts members that stand outside of their type into it: that is the type which has the qualified name in front of
    /// the member's own, in the same file if there is one there, else the only one.
    fn find_owners(&self, members: &[(u32, &str)], rows: &mut [SymbolRow]) {
        let mut types: FxHashMap<&str, Vec<u32>> = members.iter().map(|(_, owner)| (*owner, Vec::new())).collect();
        for (number, place) in (0..).zip(&self.kept) {
            let symbol = self.files[place.file as usize].facts.symbols.get(place.symbol.ix());
            if symbol.is_some_and(|symbol| symbol.kind.is_type())
                && let Some(found) = types.get_mut(self.qualified(*place))
            {
                found.push(number);
            }
        }
        for (member, owner) in members {
            let found = types.get(owner).map_or(&[][..], Vec::as_slice);
            let file = rows[*member as usize].file;
            let near = found.iter().find(|found| rows[**found as usize].file == file);
            if let Some(owner) = near.or(found.first().filter(|_| found.len() == 1)) {
                rows[*member as usize].container = *owner;
            }
        }
    }

    /// Counts what was missed, for each owner and each name, and in all.
    fn count_misses(&self, texts: &Texts<'a>, symbols: &mut [SymbolRow], names: &mut [NameRow]) -> (u32, u32) {
        let (mut unresolved, mut external) = (0, 0);
        for (file, resolved) in (0..).zip(&self.resolution.files) {
            let Some(built) = self.files.get(file as usize) else { continue };
            for miss in &resolved.misses {
                // A name that no symbol has and under which nothing is unresolved is not in the list, nor asked for.
                let name = texts.known(built.facts.name(miss.name)).filter(|name| *name < texts.names);
                if let Some(name) = name {
                    let row = &mut names[name as usize];
                    match miss.external {
                        true => row.external_calls += u32::from(miss.call),
                        false => {
                            row.missed += 1;
                            row.missed_calls += u32::from(miss.call);
                        }
                    }
                }
                let Some(owner) = self.number(GlobalSymbol { file, symbol: miss.owner }) else { continue };
                let row = &mut symbols[owner as usize];
                let (own, all) = match miss.external {
                    true => (&mut row.external, &mut external),
                    false => (&mut row.unresolved, &mut unresolved),
                };
                *own += u32::from(miss.call);
                *all += u32::from(miss.call);
            }
        }
        (unresolved, external)
    }

    /// The edges, in the order in which they are written, each once.
    fn edges(&self) -> Vec<Built> {
        let mut edges = Vec::with_capacity(self.resolution.files.iter().map(|resolved| resolved.edges.len()).sum());
        for (file, resolved) in (0..).zip(&self.resolution.files) {
            let Some(rank) = self.ranks.get(file as usize) else { continue };
            for edge in &resolved.edges {
                let from = self.number(GlobalSymbol { file, symbol: edge.from });
                let (Some(from), Some(to)) = (from, self.number(edge.to)) else { continue };
                // Containment follows from containers.
                if edge.kind != EdgeKind::Contains {
                    let label = label(edge.kind, edge.evidence);
                    edges.push(Built { from, file: *rank, line: edge.line, to, label });
                }
            }
        }
        edges.par_sort_unstable();
        edges.dedup();
        edges
    }
}

/// An edge between numbers of this generation. The order is the one in which edges are written.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Built {
    from: u32,
    file: u32,
    line: u32,
    to: u32,
    label: u8,
}

fn write_edges(writer: &mut Writer, edges: &[Built], symbols: &mut [SymbolRow]) {
    let from: Vec<u32> = edges.iter().map(|edge| edge.from).collect();
    let to: Vec<u32> = edges.iter().map(|edge| edge.to).collect();
    let out = group(&from, symbols, |row, start| row.out = start);
    let into = group(&to, symbols, |row, start| row.into = start);
    let directions = [
        (out, [Section::Out, Section::OutLabels, Section::OutSites], true),
        (into, [Section::In, Section::InLabels, Section::InSites], false),
    ];
    for (order, [rows, labels, sites], outward) in directions {
        let sorted = || order.iter().map(|number| &edges[*number as usize]);
        let row = |edge: &Built| EdgeRow { other: if outward { edge.to } else { edge.from }, line: edge.line };
        writer.section(rows, &sorted().map(row).collect::<Vec<_>>());
        writer.section(labels, &sorted().map(|edge| edge.label).collect::<Vec<_>>());
        let elsewhere = (0_u32..).zip(sorted()).filter(|(_, edge)| edge.file != symbols[edge.from as usize].file);
        writer.section(sites, &elsewhere.map(|(number, edge)| [number, edge.file]).collect::<Vec<_>>());
    }
}

/// The numbers of things, sorted by the row that each belongs to, and the start of each row's run written into the row.
/// Things of one row keep their order; those that belong to no row are left out. The last row only gets the end.
fn group<Row>(rows_of: &[u32], rows: &mut [Row], mut set_start: impl FnMut(&mut Row, u32)) -> Vec<u32> {
    let mut ends = vec![0_u32; rows.len()];
    for row in rows_of {
        if let Some(count) = ends.get_mut(*row as usize) {
            *count += 1;
        }
    }
    let mut start = 0;
    for (row, count) in rows.iter_mut().zip(&mut ends) {
        set_start(row, start);
        start += std::mem::replace(count, start);
    }
    let mut things = vec![0; start as usize];
    for (thing, row) in (0..).zip(rows_of) {
        if let Some(end) = ends.get_mut(*row as usize) {
            things[*end as usize] = thing;
            *end += 1;
        }
    }
    things
}

/// Containers may go round in a circle where a symbol has places in several files; such a symbol is put into its file.
fn break_circles(symbols: &mut [SymbolRow], files: &[FileRow]) {
    let mut safe = vec![false; symbols.len()];
    let mut way = Vec::new();
    let mut seen = FxHashSet::default();
    for start in 0..symbols.len() {
        let mut at = start;
        while !safe[at] {
            if !seen.insert(at) {
                symbols[at].container = files[symbols[at].file as usize].symbols;
                break;
            }
            way.push(at);
            match symbols[at].container {
                NONE => break,
                container => at = container as usize,
            }
        }
        for passed in way.drain(..) {
            safe[passed] = true;
        }
        seen.clear();
    }
}

/// The containers of a symbol, from the inside out.
fn up(rows: &[SymbolRow], number: usize) -> impl Iterator<Item = u32> {
    let container = |number: usize| rows.get(number).map(|row| row.container).filter(|container| *container != NONE);
    std::iter::successors(container(number), move |at| container(*at as usize))
}

/// What stands in front of a name in its qualified name, without what is between the two.
fn owner<'q>(qualified: &'q str, name: &str) -> &'q str {
    let owner = qualified.strip_suffix(name).unwrap_or_default();
    owner.trim_end_matches(|c: char| !c.is_alphanumeric() && c != '_')
}

/// The number of a symbol that outlives this generation. Symbols that nothing else tells apart are counted.
fn id(path: &str, qualified: &str, symbol: &Symbol, name: &str, ordinals: &mut FxHashMap<u64, u32>) -> u64 {
    let mut hasher = Xxh3::new();
    for text in [path, qualified, name] {
        hasher.update(text.as_bytes());
        // No text holds this byte, so that no two lists of texts give the same bytes.
        hasher.update(&[0xFF]);
    }
    hasher.update(&[symbol.kind as u8]);
    let ordinal = ordinals.entry(hasher.digest()).or_default();
    hasher.update(&ordinal.to_le_bytes());
    *ordinal += 1;
    hasher.digest()
}

/// Each text once: first the names, in the order of their bytes, then the others as they come.
struct Texts<'a> {
    /// How many names there are.
    names: u32,
    numbers: FxHashMap<&'a str, u32>,
    starts: Vec<u32>,
    heap: Vec<u8>,
}

impl<'a> Texts<'a> {
    /// The names of symbols, and those under which something was looked for in vain.
    fn new(places: &Places<'a>) -> Self {
        let mut names = FxHashSet::default();
        // The text of whatever has none.
        names.insert("");
        for place in &places.kept {
            let facts = places.files[place.file as usize].facts;
            names.extend(facts.symbols.get(place.symbol.ix()).map(|symbol| facts.name(symbol.name)));
        }
        for (file, resolved) in places.files.iter().zip(&places.resolution.files) {
            names.extend(resolved.misses.iter().filter(|miss| !miss.external).map(|miss| file.facts.name(miss.name)));
        }
        let mut names: Vec<&str> = names.into_iter().collect();
        names.par_sort_unstable();
        let mut texts = Self { names: 0, numbers: FxHashMap::default(), starts: vec![0], heap: Vec::new() };
        for name in names {
            texts.add(name);
        }
        texts.names = word(texts.numbers.len());
        texts
    }

    /// The number of a text, if it was added.
    fn known(&self, text: &str) -> Option<u32> {
        self.numbers.get(text).copied()
    }

    /// The number of a text that was added.
    fn number(&self, text: &str) -> u32 {
        self.known(text).unwrap_or(0)
    }

    fn text(&self, number: u32) -> &str {
        let at = number as usize;
        let bytes = self.heap.get(self.starts[at] as usize..self.starts[at + 1] as usize).unwrap_or_default();
        std::str::from_utf8(bytes).unwrap_or_default()
    }

    /// How many bytes the texts and their starts take.
    fn bytes(&self) -> usize {
        self.heap.len() + self.starts.len() * size_of::<u32>()
    }

    /// Adds a text. One that numbers no longer reach, beyond 4 GiB, is empty.
    fn add(&mut self, text: &'a str) -> u32 {
        if let Some(number) = self.numbers.get(text) {
            return *number;
        }
        let Ok(end) = u32::try_from(self.heap.len() + text.len()) else { return 0 };
        let number = word(self.starts.len() - 1);
        self.heap.extend_from_slice(text.as_bytes());
        self.starts.push(end);
        self.numbers.insert(text, number);
        number
    }
}
