//! The read view: one generation of the graph, as it was written, and never changed.
//!
//! A generation is a run of little tables of 32-bit numbers ([`layout`]), so opening one is a check of its sums, and a
//! question reads only the rows that it needs. Symbols and files are numbered without gaps; the numbers mean nothing
//! in another generation, [`SymbolView::id`] does.

mod build;
mod layout;

use std::fmt;
use std::ops::Range;
use std::sync::OnceLock;

pub use build::BuiltFile;
pub use layout::Damaged;

use crate::kinds::{EdgeKind, Evidence, SymbolKind};
use crate::resolution::Resolution;
use layout::{EdgeRow, FileRow, JOINED, MAX_JOINTS, MetaRow, NONE, NameRow, Section, SymbolRow, Tables, label_parts};

/// The graph of a workspace at one moment.
pub struct Graph {
    tables: Tables,
    meta: MetaRow,
    /// Qualified names that were asked for and are not stored as a whole, by symbol.
    joined: Box<[OnceLock<Box<str>>]>,
}

/// What is known of a symbol.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SymbolView<'g> {
    /// Its number in this generation.
    pub ix: u32,
    /// Its number in every generation, as long as it keeps its path, its names and its kind.
    pub id: u64,
    /// Its name; of a file's top-level code whatever the language calls it.
    pub name: &'g str,
    /// Its name in the language's own spelling, with what is around it.
    pub qualified: &'g str,
    /// What it is.
    pub kind: SymbolKind,
    /// Its language.
    pub language: &'g str,
    /// The path of its file, relative to the root with `/`.
    pub file: &'g str,
    /// The number of its file.
    pub file_ix: u32,
    /// Line of its name, from 1.
    pub line: u32,
    /// First line of its definition.
    pub start_line: u32,
    /// Last line of its definition.
    pub end_line: u32,
    /// Its header on one line, shortened.
    pub signature: &'g str,
    /// The symbol that it is a member of or stands in; none for a file's top-level code.
    pub container: Option<u32>,
    /// Bits of [`crate::facts::flag`].
    pub flags: u32,
}

/// What is known of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileView<'g> {
    /// Its number in this generation.
    pub ix: u32,
    /// Relative to the root, with `/`.
    pub path: &'g str,
    /// Its language.
    pub language: &'g str,
    /// Its symbols, in the order of the text; the first is its top-level code.
    pub symbols: Range<u32>,
    /// First and last line of each part that could not be parsed.
    pub errors: &'g [(u32, u32)],
    /// How many lines it has.
    pub lines: u32,
}

/// A dependency of one symbol on another.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Edge {
    /// The symbol that depends.
    pub from: u32,
    /// The symbol that it depends on.
    pub to: u32,
    /// In which way.
    pub kind: EdgeKind,
    /// How it was resolved.
    pub evidence: Evidence,
    /// The file of `line`: that of `from`, unless `from` has parts in several files.
    pub file: u32,
    /// Line of the name that is used, from 1.
    pub line: u32,
}

/// What is known of a generation as a whole.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Meta {
    /// The version of the stored form.
    pub schema: u32,
    /// How many edges there are, `contains` left out.
    pub edges: u32,
    /// How many calls could not be resolved, though they may lead to a symbol of the workspace.
    pub unresolved: u32,
    /// How many calls lead outside the workspace.
    pub external: u32,
}

impl Graph {
    /// The bytes of a generation, from what the files say and what resolving made of it.
    ///
    /// `resolution` has a row for each of `files`, in the same order. The same input gives the same bytes.
    pub fn build(files: &[BuiltFile<'_>], resolution: &Resolution) -> Vec<u8> {
        build::build(files, resolution)
    }

    /// Reads a generation.
    ///
    /// # Errors
    /// [`Damaged`] where the bytes are not what [`Graph::build`] gave.
    pub fn from_bytes(bytes: Vec<u8>) -> Result<Self, Damaged> {
        Self::from_held(Box::new(layout::aligned(bytes)))
    }

    /// Reads a generation from bytes that somebody else holds, such as a mapped file. They must start at an address
    /// that is a multiple of four.
    ///
    /// # Errors
    /// [`Damaged`] where the bytes are not what [`Graph::build`] gave.
    pub fn from_held(bytes: Box<dyn AsRef<[u8]> + Send + Sync>) -> Result<Self, Damaged> {
        let tables = Tables::open(bytes)?;
        let meta = tables.check()?;
        let joined = (0..meta.symbols).map(|_| OnceLock::new()).collect();
        Ok(Self { tables, meta, joined })
    }

    /// The bytes that it was read from.
    pub(crate) fn bytes(&self) -> &[u8] {
        self.tables.bytes()
    }

    /// What is known of the generation as a whole.
    pub fn meta(&self) -> Meta {
        let MetaRow { schema, edges, unresolved, external, .. } = self.meta;
        Meta { schema, edges, unresolved, external }
    }

    /// How many symbols there are; their numbers are those below it.
    pub fn symbols(&self) -> u32 {
        self.meta.symbols
    }

    /// How many files there are; their numbers are those below it, in the order of their paths' bytes.
    pub fn files(&self) -> u32 {
        self.meta.files
    }

    /// A symbol. A number that is none's gives a symbol without a name.
    pub fn symbol(&self, ix: u32) -> SymbolView<'_> {
        let row = self.symbol_row(ix);
        let file = self.file_row(row.file);
        SymbolView {
            ix,
            id: u64::from(row.id_low) | u64::from(row.id_high) << 32,
            name: self.text(row.name),
            qualified: self.qualified(ix, row),
            kind: u8::try_from(row.kind).ok().and_then(SymbolKind::from_number).unwrap_or(SymbolKind::Module),
            language: self.text(file.language),
            file: self.text(file.path),
            file_ix: row.file,
            line: row.line,
            start_line: row.start_line,
            end_line: row.end_line,
            signature: self.text(row.signature),
            container: (row.container != NONE).then_some(row.container),
            flags: row.flags,
        }
    }

    /// A file. A number that is none's gives a file without a path.
    pub fn file(&self, ix: u32) -> FileView<'_> {
        let row = self.file_row(ix);
        let next = self.file_row(ix.saturating_add(1));
        FileView {
            ix,
            path: self.text(row.path),
            language: self.text(row.language),
            symbols: row.symbols..next.symbols.max(row.symbols),
            errors: self.tables.errors().get(row.errors as usize..next.errors as usize).unwrap_or_default(),
            lines: row.lines,
        }
    }

    /// The file with this path.
    pub fn file_named(&self, path: &str) -> Option<u32> {
        let rows = self.tables.rows::<FileRow>(Section::Files);
        let rows = rows.get(..self.meta.files as usize)?;
        let found = rows.binary_search_by(|row| self.text(row.path).as_bytes().cmp(path.as_bytes())).ok()?;
        u32::try_from(found).ok()
    }

    /// The edges from a symbol, in the order of their files and lines.
    pub fn out(&self, ix: u32) -> impl Iterator<Item = Edge> {
        let range = self.symbol_row(ix).out..self.symbol_row(ix.saturating_add(1)).out;
        let file = self.symbol_row(ix).file;
        self.edges(range, [Section::Out, Section::OutLabels, Section::OutSites]).map(move |found| Edge {
            from: ix,
            to: found.other,
            kind: found.kind,
            evidence: found.evidence,
            file: found.file.unwrap_or(file),
            line: found.line,
        })
    }

    /// The edges to a symbol, in the order of the symbols that they come from.
    pub fn into(&self, ix: u32) -> impl Iterator<Item = Edge> {
        let range = self.symbol_row(ix).into..self.symbol_row(ix.saturating_add(1)).into;
        self.edges(range, [Section::In, Section::InLabels, Section::InSites]).map(move |found| Edge {
            from: found.other,
            to: ix,
            kind: found.kind,
            evidence: found.evidence,
            file: found.file.unwrap_or_else(|| self.symbol_row(found.other).file),
            line: found.line,
        })
    }

    /// The symbols with this name, in order.
    pub fn named(&self, name: &str) -> impl Iterator<Item = u32> {
        let range = self.name(name).map_or(0..0, |(row, next)| row.symbols..next.symbols);
        self.numbers(Section::NameSymbols, range)
    }

    /// The names of symbols, each once, in the order of their bytes.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        let rows = self.tables.rows::<NameRow>(Section::Names);
        let pairs = rows.iter().zip(rows.iter().skip(1));
        (0..).zip(pairs).filter(|(_, (row, next))| row.symbols < next.symbols).map(|(text, _)| self.text(text))
    }

    /// The symbols whose container this one is, in order.
    pub fn children(&self, ix: u32) -> impl Iterator<Item = u32> {
        let range = self.symbol_row(ix).children..self.symbol_row(ix.saturating_add(1)).children;
        self.numbers(Section::Children, range)
    }

    /// How many calls in a symbol have no edge: those that could not be resolved, and those that lead outside.
    pub fn misses(&self, ix: u32) -> (u32, u32) {
        let row = self.symbol_row(ix);
        (row.unresolved, row.external)
    }

    /// How many calls by this name, anywhere, could not be resolved. Those that lead outside are not among them.
    pub fn missed_calls(&self, name: &str) -> u32 {
        self.name(name).map_or(0, |(row, _)| row.missed_calls)
    }

    /// How many calls under a name of one of the symbols lead outside the workspace.
    pub fn external_calls(&self, name: &str) -> u32 {
        self.name(name).map_or(0, |(row, _)| row.external_calls)
    }

    /// How many uses of this name, calls and others, anywhere, could not be resolved. Those that lead outside are not
    /// among them.
    pub fn missed_names(&self, name: &str) -> u32 {
        self.name(name).map_or(0, |(row, _)| row.missed)
    }

    fn qualified(&self, ix: u32, row: SymbolRow) -> &str {
        if row.qualified & JOINED == 0 {
            return self.text(row.qualified);
        }
        let joined = self.joined.get(ix as usize);
        joined.map_or("", |joined| joined.get_or_init(|| self.join(row)))
    }

    /// The qualified name of a symbol of which only the joint with its container's is stored.
    fn join(&self, mut row: SymbolRow) -> Box<str> {
        let mut parts = Vec::new();
        while row.qualified & JOINED != 0 && parts.len() < 2 * MAX_JOINTS + 2 {
            parts.extend([self.text(row.name), self.text(row.qualified & !JOINED)]);
            row = self.symbol_row(row.container);
        }
        parts.push(self.text(row.qualified & !JOINED));
        parts.reverse();
        parts.concat().into()
    }

    fn symbol_row(&self, ix: u32) -> SymbolRow {
        self.tables.row(Section::Symbols, ix)
    }

    fn file_row(&self, ix: u32) -> FileRow {
        self.tables.row(Section::Files, ix)
    }

    fn text(&self, text: u32) -> &str {
        self.tables.text(text)
    }

    /// The row of a name and the next row. Names are the first texts, in the order of their bytes.
    fn name(&self, name: &str) -> Option<(NameRow, NameRow)> {
        let (mut low, mut high) = (0, self.meta.names);
        while low < high {
            let middle = low + (high - low) / 2;
            match self.text(middle).as_bytes().cmp(name.as_bytes()) {
                std::cmp::Ordering::Less => low = middle + 1,
                std::cmp::Ordering::Greater => high = middle,
                std::cmp::Ordering::Equal => {
                    return Some((
                        self.tables.row(Section::Names, middle),
                        self.tables.row(Section::Names, middle + 1),
                    ));
                }
            }
        }
        None
    }

    fn numbers(&self, section: Section, range: Range<u32>) -> impl Iterator<Item = u32> + use<'_> {
        let numbers = self.tables.rows::<u32>(section);
        numbers.get(range.start as usize..range.end as usize).unwrap_or_default().iter().copied()
    }

    fn edges(&self, range: Range<u32>, sections: [Section; 3]) -> impl Iterator<Item = HalfEdge> + use<'_> {
        let all = range.start as usize..range.end as usize;
        let rows = self.tables.rows::<EdgeRow>(sections[0]).get(all.clone()).unwrap_or_default();
        let labels = self.tables.rows::<u8>(sections[1]).get(all).unwrap_or_default();
        let sites = self.tables.rows::<[u32; 2]>(sections[2]);
        (range.start..).zip(rows).zip(labels).map(move |((number, row), label)| {
            let (kind, evidence) = label_parts(*label);
            let site = sites.binary_search_by_key(&number, |site| site[0]).ok().and_then(|found| sites.get(found));
            HalfEdge { other: row.other, kind, evidence, file: site.map(|site| site[1]), line: row.line }
        })
    }
}

/// An edge as it is kept with the symbol at one of its ends.
struct HalfEdge {
    other: u32,
    kind: EdgeKind,
    evidence: Evidence,
    /// Where it is not that of the edge's source.
    file: Option<u32>,
    line: u32,
}

impl fmt::Debug for Graph {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Graph").field("meta", &self.meta).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests;
