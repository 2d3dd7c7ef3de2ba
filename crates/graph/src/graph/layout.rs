//! How a generation lies in its bytes.
//!
//! A header, a table of sections, the sections; all of it 32-bit numbers in the order of this machine's bytes, which the
//! magic number shows. Each section has a checksum, and so has the header. Where a row of one table owns a run of another
//! (a symbol its edges), it holds the run's start, and the next row, of which there is always one more than there are
//! things, holds its end. Texts are numbers too: places in a list of starts into one heap. The first texts are the names,
//! sorted, so that a text's number is its name's.

use std::fmt;

use bytemuck::{Pod, Zeroable};
use xxhash_rust::xxh3::xxh3_64;

use crate::kinds::{EdgeKind, Evidence};

/// The version of this form; a generation of another version is none.
pub(super) const SCHEMA: u32 = 2;
/// Stands for no symbol.
pub(super) const NONE: u32 = u32::MAX;
/// A bit of [`SymbolRow::qualified`].
pub(super) const JOINED: u32 = 1 << 31;
/// So many containers have their part in a joined name at most.
pub(super) const MAX_JOINTS: usize = 64;

const MAGIC: u32 = u32::from_le_bytes(*b"vise");
const SECTIONS: usize = Section::InSites as usize + 1;
/// Magic number, schema, number of sections, a zero, the header's sum in two halves.
const PROLOGUE: usize = 6;
const HEADER_WORDS: usize = PROLOGUE + SECTIONS * 4;

/// The tables, in the order in which they lie.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Section {
    /// One [`MetaRow`].
    Meta,
    /// Where each text starts in the heap, and where the last ends.
    TextStarts,
    /// Bytes of texts.
    Heap,
    /// [`NameRow`]s and one more.
    Names,
    /// Symbols by name.
    NameSymbols,
    /// [`FileRow`]s and one more.
    Files,
    /// Pairs of first and last line.
    Errors,
    /// [`SymbolRow`]s and one more.
    Symbols,
    /// Symbols by container.
    Children,
    /// [`EdgeRow`]s by source.
    Out,
    /// A byte for each: kind and evidence.
    OutLabels,
    /// Pairs of an edge and the file of its line, where that is not its source's.
    OutSites,
    /// [`EdgeRow`]s by target.
    In,
    /// A byte for each.
    InLabels,
    /// As [`Section::OutSites`].
    InSites,
}

/// What holds for the whole.
#[derive(Clone, Copy, Debug, Default, Pod, Zeroable)]
#[repr(C)]
pub(super) struct MetaRow {
    pub(super) schema: u32,
    pub(super) symbols: u32,
    pub(super) files: u32,
    pub(super) edges: u32,
    pub(super) names: u32,
    pub(super) unresolved: u32,
    pub(super) external: u32,
}

/// A name, by the number of its text.
#[derive(Clone, Copy, Debug, Default, Pod, Zeroable)]
#[repr(C)]
pub(super) struct NameRow {
    /// Start in [`Section::NameSymbols`].
    pub(super) symbols: u32,
    pub(super) missed_calls: u32,
    /// Calls under this name that lead outside.
    pub(super) external_calls: u32,
    pub(super) missed: u32,
}

/// A file.
#[derive(Clone, Copy, Debug, Default, Pod, Zeroable)]
#[repr(C)]
pub(super) struct FileRow {
    pub(super) path: u32,
    pub(super) language: u32,
    pub(super) lines: u32,
    /// Its first symbol.
    pub(super) symbols: u32,
    /// Start in [`Section::Errors`].
    pub(super) errors: u32,
}

/// A symbol.
#[derive(Clone, Copy, Debug, Default, Pod, Zeroable)]
#[repr(C)]
pub(super) struct SymbolRow {
    pub(super) id_low: u32,
    pub(super) id_high: u32,
    pub(super) name: u32,
    /// With [`JOINED`] what is between the container's qualified name and the name, else the whole.
    pub(super) qualified: u32,
    pub(super) signature: u32,
    pub(super) kind: u32,
    pub(super) file: u32,
    pub(super) line: u32,
    pub(super) start_line: u32,
    pub(super) end_line: u32,
    pub(super) container: u32,
    pub(super) flags: u32,
    pub(super) unresolved: u32,
    pub(super) external: u32,
    /// Start in [`Section::Children`].
    pub(super) children: u32,
    /// Start in [`Section::Out`].
    pub(super) out: u32,
    /// Start in [`Section::In`].
    pub(super) into: u32,
}

/// An edge, kept with the symbol at one of its ends.
#[derive(Clone, Copy, Debug, Default, Pod, Zeroable)]
#[repr(C)]
pub(super) struct EdgeRow {
    /// The symbol at the other end.
    pub(super) other: u32,
    pub(super) line: u32,
}

/// Kind and evidence of an edge in a byte.
pub(super) fn label(kind: EdgeKind, evidence: Evidence) -> u8 {
    kind as u8 | (evidence as u8) << 4
}

/// The other way round. Checked generations hold no other bytes.
pub(super) fn label_parts(label: u8) -> (EdgeKind, Evidence) {
    let kind = EdgeKind::from_number(label & 15).unwrap_or(EdgeKind::References);
    (kind, Evidence::from_number(label >> 4).unwrap_or(Evidence::Ambiguous))
}

/// Bytes that are not a generation of the graph, or no longer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Damaged(pub(super) &'static str);

impl fmt::Display for Damaged {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the stored graph is damaged: {}", self.0)
    }
}

impl std::error::Error for Damaged {}

/// The same bytes at an address that numbers may be read from.
pub(super) fn aligned(bytes: Vec<u8>) -> Aligned {
    if bytemuck::try_cast_slice::<u8, u32>(&bytes).is_ok() || !bytes.len().is_multiple_of(4) {
        return Aligned::Bytes(bytes);
    }
    let mut words = vec![0_u32; bytes.len() / 4];
    bytemuck::cast_slice_mut(&mut words).copy_from_slice(&bytes);
    Aligned::Words(words)
}

/// Bytes that came as bytes or as numbers.
pub(super) enum Aligned {
    Bytes(Vec<u8>),
    Words(Vec<u32>),
}

impl AsRef<[u8]> for Aligned {
    fn as_ref(&self) -> &[u8] {
        match self {
            Self::Bytes(bytes) => bytes,
            Self::Words(words) => bytemuck::cast_slice(words),
        }
    }
}

/// Puts sections together.
pub(super) struct Writer {
    bytes: Vec<u8>,
    header: [u32; HEADER_WORDS],
}

impl Writer {
    /// `expected` bytes will be written, or somewhat less: a list that grows holds its bytes twice for a while.
    pub(super) fn new(expected: usize) -> Self {
        let mut header = [0; HEADER_WORDS];
        header[..3].copy_from_slice(&[MAGIC, SCHEMA, SECTIONS as u32]);
        let mut bytes = Vec::with_capacity(HEADER_WORDS * 4 + expected);
        bytes.resize(HEADER_WORDS * 4, 0);
        Self { bytes, header }
    }

    /// Appends a section; each once, in any order.
    pub(super) fn section<T: Pod>(&mut self, section: Section, rows: &[T]) {
        let rows: &[u8] = bytemuck::cast_slice(rows);
        let sum = xxh3_64(rows);
        // A section of 4 GiB or more is beyond what numbers of 32 bits can reach; its length is then wrong, so the
        // generation is refused when it is opened and answers come from memory.
        let row = [word(self.bytes.len() / 4), word(rows.len()), low(sum), high(sum)];
        let at = PROLOGUE + section as usize * 4;
        self.header[at..at + 4].copy_from_slice(&row);
        self.bytes.extend_from_slice(rows);
        self.bytes.resize(self.bytes.len().next_multiple_of(4), 0);
    }

    pub(super) fn finish(mut self) -> Vec<u8> {
        let sum = header_sum(&self.header);
        self.header[4..PROLOGUE].copy_from_slice(&[low(sum), high(sum)]);
        self.bytes[..HEADER_WORDS * 4].copy_from_slice(bytemuck::cast_slice(&self.header));
        self.bytes
    }
}

/// A number as it is stored; one that is too large becomes the largest, which no table reaches.
pub(super) fn word(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

pub(super) fn low(number: u64) -> u32 {
    (number & u64::from(u32::MAX)) as u32
}

pub(super) fn high(number: u64) -> u32 {
    (number >> 32) as u32
}

/// The sum of the header without the sum itself.
fn header_sum(words: &[u32]) -> u64 {
    let table: &[u8] = bytemuck::cast_slice(&words[PROLOGUE..HEADER_WORDS]);
    xxh3_64(table) ^ xxh3_64(bytemuck::cast_slice(&words[..4]))
}

/// The tables of a generation, read where they lie.
pub(super) struct Tables {
    bytes: Box<dyn AsRef<[u8]> + Send + Sync>,
    ranges: [(usize, usize); SECTIONS],
    /// Lines of errors, in pairs that Rust knows.
    errors: Vec<(u32, u32)>,
}

impl Tables {
    /// Finds the sections and checks their sums.
    pub(super) fn open(bytes: Box<dyn AsRef<[u8]> + Send + Sync>) -> Result<Self, Damaged> {
        let all = (*bytes).as_ref();
        let words: &[u32] = bytemuck::try_cast_slice(all).map_err(|_| Damaged("its length or place is odd"))?;
        let header = words.get(..HEADER_WORDS).ok_or(Damaged("it is too short"))?;
        if header[0] != MAGIC || header[1] != SCHEMA || header[2] as usize != SECTIONS {
            return Err(Damaged("it does not begin as one of this version"));
        }
        let sum = header_sum(header);
        if header[4..PROLOGUE] != [low(sum), high(sum)] {
            return Err(Damaged("its header does not have its sum"));
        }
        let mut ranges = [(0, 0); SECTIONS];
        for (range, row) in ranges.iter_mut().zip(header[PROLOGUE..].chunks_exact(4)) {
            let start = row[0] as usize * 4;
            let end = start.saturating_add(row[1] as usize);
            let section = all.get(start..end).ok_or(Damaged("a section is cut off"))?;
            let sum = xxh3_64(section);
            if row[2..] != [low(sum), high(sum)] {
                return Err(Damaged("a section does not have its sum"));
            }
            *range = (start, end);
        }
        let mut tables = Self { bytes, ranges, errors: Vec::new() };
        tables.errors = tables.rows::<[u32; 2]>(Section::Errors).iter().map(|pair| (pair[0], pair[1])).collect();
        Ok(tables)
    }

    /// Checks what sums do not say: that tables have the lengths that belong together, and that numbers lead to rows.
    pub(super) fn check(&self) -> Result<MetaRow, Damaged> {
        let meta: MetaRow = self.row(Section::Meta, 0);
        let (symbols, files, edges) = (meta.symbols as usize, meta.files as usize, meta.edges as usize);
        let rows = self.rows::<SymbolRow>(Section::Symbols);
        let file_rows = self.rows::<FileRow>(Section::Files);
        let names = self.rows::<NameRow>(Section::Names);
        let lengths = [
            (rows.len(), symbols + 1),
            (file_rows.len(), files + 1),
            (names.len(), meta.names as usize + 1),
            (self.rows::<EdgeRow>(Section::Out).len(), edges),
            (self.rows::<u8>(Section::OutLabels).len(), edges),
            (self.rows::<EdgeRow>(Section::In).len(), edges),
            (self.rows::<u8>(Section::InLabels).len(), edges),
        ];
        if lengths.iter().any(|(is, ought)| is != ought) {
            return Err(Damaged("its tables do not fit each other"));
        }
        let numbers = [Section::NameSymbols, Section::Children].map(|section| self.rows::<u32>(section));
        let edge_rows = [Section::Out, Section::In].map(|section| self.rows::<EdgeRow>(section));
        let sites = [Section::OutSites, Section::InSites].map(|section| self.rows::<[u32; 2]>(section));
        let right = numbers.iter().all(|list| list.iter().all(|number| *number < meta.symbols))
            && edge_rows.iter().all(|list| list.iter().all(|row| row.other < meta.symbols))
            && sites.iter().all(|list| list.iter().all(|site| site[1] < meta.files))
            && rows[..symbols]
                .iter()
                .all(|row| row.file < meta.files && (row.container == NONE || row.container < meta.symbols));
        if right { Ok(meta) } else { Err(Damaged("a number leads nowhere")) }
    }

    /// A table. A length that is no multiple of a row's gives an empty one.
    pub(super) fn rows<T: Pod>(&self, section: Section) -> &[T] {
        let (start, end) = self.ranges[section as usize];
        let bytes = (*self.bytes).as_ref().get(start..end).unwrap_or_default();
        bytemuck::try_cast_slice(bytes).unwrap_or_default()
    }

    /// A row; zeros where there is none.
    pub(super) fn row<T: Pod>(&self, section: Section, ix: u32) -> T {
        self.rows::<T>(section).get(ix as usize).copied().unwrap_or_else(T::zeroed)
    }

    /// A text; empty where there is none.
    pub(super) fn text(&self, text: u32) -> &str {
        let starts = self.rows::<u32>(Section::TextStarts);
        let at = text as usize;
        let (Some(start), Some(end)) = (starts.get(at), at.checked_add(1).and_then(|next| starts.get(next))) else {
            return "";
        };
        let bytes = self.rows::<u8>(Section::Heap).get(*start as usize..*end as usize).unwrap_or_default();
        std::str::from_utf8(bytes).unwrap_or_default()
    }

    pub(super) fn bytes(&self) -> &[u8] {
        (*self.bytes).as_ref()
    }

    pub(super) fn errors(&self) -> &[(u32, u32)] {
        &self.errors
    }
}

/// Gives changed words the sums that fit them.
#[cfg(test)]
pub(super) fn seal(words: &mut [u32]) {
    for at in (PROLOGUE..HEADER_WORDS).step_by(4) {
        let (start, len) = (words[at] as usize * 4, words[at + 1] as usize);
        let bytes: &[u8] = bytemuck::cast_slice(words);
        let sum = xxh3_64(bytes.get(start..start.saturating_add(len)).unwrap_or_default());
        words[at + 2..at + 4].copy_from_slice(&[low(sum), high(sum)]);
    }
    let sum = header_sum(words);
    words[4..PROLOGUE].copy_from_slice(&[low(sum), high(sum)]);
}
