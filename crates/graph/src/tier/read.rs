//! A SCIP index as what compilers say of files.
//!
//! An index carries no hashes, so what it is about is what the files are now. Whether that can be is checked: every
//! position has to lie in its file's text, and names have to stand where the index says that they are defined.

use std::fmt;
use std::path::Path;

use protobuf::CodedInputStream;
use rustc_hash::FxHashMap;
use scip::types::occurrence::Typed_range;
use scip::types::{Document, Metadata, Occurrence, PositionEncoding, SymbolRole};
use vise_text::{ContentHash, LineIndex, Position, PositionEncoding as Encoding};

use super::{Definition, FileUses, ImportedFile, Use, hash_words};

/// A longer index is not read.
pub const MAX_INDEX_BYTES: u64 = 1 << 30;
/// A longer text is no name.
const MAX_NAME: usize = 200;
/// Fields of the format's outermost message, with the sign for what is in them.
const METADATA: u32 = 1 << 3 | 2;
const DOCUMENT: u32 = 2 << 3 | 2;

/// What an index says.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ScipIndex {
    /// The tool that made it, as the index says.
    pub tool: String,
    /// Its version.
    pub version: String,
    /// What it says of files of the workspace, sorted by path.
    pub files: Vec<ImportedFile>,
    /// Files of which it says something that is of no use, sorted by path.
    pub left_out: Vec<(String, LeftOut)>,
}

/// Why what is said of a file is of no use.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum LeftOut {
    /// It is none of the files of the code graph.
    NotIndexed,
    /// The index was made of another content.
    OtherContent,
}

impl LeftOut {
    /// The word for it in answers.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::NotIndexed => "not_indexed",
            Self::OtherContent => "other_content",
        }
    }
}

/// Why an index cannot be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ReadError {
    /// It is none, or it is cut short.
    NotAnIndex(String),
    /// A path in it is absolute or leads out of the workspace.
    Path(String),
    /// The format knows no such range.
    Range(String),
}

impl fmt::Display for ReadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotAnIndex(why) => write!(f, "it is no SCIP index, or only part of one: {why}"),
            Self::Path(path) => write!(f, "it speaks of `{path}`, which is not a path inside of its project"),
            Self::Range(path) => write!(f, "it has a range in `{path}` that is no range"),
        }
    }
}

impl std::error::Error for ReadError {}

/// Reads an index. `text` gives the text of a file of the code graph by its path from `root`, the workspace's.
///
/// # Errors
/// See [`ReadError`].
pub fn read_scip(bytes: &[u8], root: &Path, text: &dyn Fn(&str) -> Option<Vec<u8>>) -> Result<ScipIndex, ReadError> {
    let mut reader = Reader::default();
    let mut metadata = None;
    let broken = |error: protobuf::Error| ReadError::NotAnIndex(error.to_string());
    // The metadata come first, mostly, but nothing says that they must.
    each_message(bytes, METADATA, &mut |input| {
        metadata = Some(input.read_message::<Metadata>().map_err(broken)?);
        Ok(())
    })?;
    let Some(metadata) = metadata else {
        return Err(ReadError::NotAnIndex("it does not say what made it".to_owned()));
    };
    let inside = inside(root, &metadata.project_root);
    each_message(bytes, DOCUMENT, &mut |input| {
        let document = input.read_message::<Document>().map_err(broken)?;
        let path = path_of(&document.relative_path, &inside)?;
        reader.read(&document, path, text)
    })?;
    if reader.documents.is_empty() && reader.left_out.is_empty() {
        return Err(ReadError::NotAnIndex("it speaks of no file".to_owned()));
    }
    let (tool, version) = (metadata.tool_info.name.clone(), metadata.tool_info.version.clone());
    let files = reader.files();
    reader.left_out.sort();
    reader.left_out.dedup();
    Ok(ScipIndex { tool, version, files, left_out: reader.left_out })
}

/// Reads the messages in one field of the outermost message, one after the other.
fn each_message(
    bytes: &[u8],
    field: u32,
    read: &mut dyn FnMut(&mut CodedInputStream<'_>) -> Result<(), ReadError>,
) -> Result<(), ReadError> {
    let broken = |error: protobuf::Error| ReadError::NotAnIndex(error.to_string());
    let mut input = CodedInputStream::from_bytes(bytes);
    while let Some(tag) = input.read_raw_tag_or_eof().map_err(broken)? {
        if tag == field {
            read(&mut input)?;
        } else {
            let sort = protobuf::rt::WireType::new(tag & 7).filter(|_| tag >> 3 != 0);
            let sort = sort.ok_or_else(|| ReadError::NotAnIndex("a field has no number or no sort".to_owned()))?;
            input.skip_field(sort).map_err(broken)?;
        }
    }
    Ok(())
}

/// The folder of an index's project below the workspace's root, with a slash behind it; nothing where it was made
/// elsewhere, such as on another machine.
fn inside(root: &Path, uri: &str) -> String {
    let path = unescaped(uri.strip_prefix("file://").unwrap_or(uri));
    let folder = Path::new(&path).strip_prefix(root).ok().and_then(Path::to_str).unwrap_or_default();
    if folder.is_empty() { String::new() } else { format!("{}/", folder.trim_end_matches('/')) }
}

/// A URI's path without its escapes.
fn unescaped(uri: &str) -> String {
    let mut out = Vec::with_capacity(uri.len());
    let mut rest = uri.as_bytes();
    while let Some((byte, left)) = rest.split_first() {
        let digits = left.get(..2).and_then(|digits| std::str::from_utf8(digits).ok());
        match digits.and_then(|digits| u8::from_str_radix(digits, 16).ok()).filter(|_| *byte == b'%') {
            Some(escaped) => {
                out.push(escaped);
                rest = &left[2..];
            }
            None => {
                out.push(*byte);
                rest = left;
            }
        }
    }
    String::from_utf8_lossy(&out).into_owned()
}

/// A document's path from the workspace's root.
fn path_of(relative: &str, inside: &str) -> Result<String, ReadError> {
    let plain = |part: &str| !part.is_empty() && part != "." && part != "..";
    if relative.contains(['\\', '\0']) || !relative.split('/').all(plain) {
        return Err(ReadError::Path(relative.to_owned()));
    }
    Ok(format!("{inside}{relative}"))
}

#[derive(Default)]
struct Reader {
    /// Names, each once.
    texts: Interner,
    /// Symbols of the index, each once; local ones with the number of their document.
    symbols: Interner,
    /// Of each symbol: its definitions.
    definitions: FxHashMap<u32, Vec<Defined>>,
    documents: Vec<Read>,
    left_out: Vec<(String, LeftOut)>,
}

/// Where a symbol is defined.
struct Defined {
    document: u32,
    line: u32,
    column: usize,
    name: u32,
}

/// A document that was read.
struct Read {
    path: String,
    hash: [u8; 32],
    /// By line and name: the columns of definitions, sorted, each once.
    defined: FxHashMap<(u32, u32), Vec<usize>>,
    /// Line, column, name, symbol, whether it is an import.
    uses: Vec<(u32, usize, u32, u32, bool)>,
}

/// A name in a document.
struct Named<'t> {
    line: u32,
    column: usize,
    text: &'t str,
    symbol: String,
    roles: i32,
}

impl Reader {
    fn read(
        &mut self,
        document: &Document,
        path: String,
        text: &dyn Fn(&str) -> Option<Vec<u8>>,
    ) -> Result<(), ReadError> {
        let Some(text) = text(&path) else {
            self.left_out.push((path, LeftOut::NotIndexed));
            return Ok(());
        };
        let number = u32::try_from(self.documents.len()).unwrap_or(u32::MAX);
        let Some(names) = names(document, &path, number, &text)? else {
            self.left_out.push((path, LeftOut::OtherContent));
            return Ok(());
        };
        let mut uses = Vec::new();
        let mut defined: FxHashMap<(u32, u32), Vec<usize>> = FxHashMap::default();
        for name in names {
            let Named { line, column, text, symbol, roles } = name;
            let (text, symbol) = (self.texts.number(text), self.symbols.number(&symbol));
            if roles & SymbolRole::Definition as i32 != 0 {
                self.definitions.entry(symbol).or_default().push(Defined {
                    document: number,
                    line,
                    column,
                    name: text,
                });
                defined.entry((line, text)).or_default().push(column);
            } else {
                uses.push((line, column, text, symbol, roles & SymbolRole::Import as i32 != 0));
            }
        }
        for columns in defined.values_mut() {
            columns.sort_unstable();
            columns.dedup();
        }
        uses.sort_unstable();
        uses.dedup();
        self.documents.push(Read { path, hash: *ContentHash::of(&text).as_bytes(), defined, uses });
        Ok(())
    }

    /// What was read, with uses that lead to definitions in other documents put together.
    fn files(&mut self) -> Vec<ImportedFile> {
        let mut files: Vec<ImportedFile> =
            (0..).zip(&self.documents).map(|(number, document)| self.file(number, document)).collect();
        files.sort_by(|a, b| a.path.cmp(&b.path));
        // Of a file that comes twice what was said last counts.
        files.reverse();
        files.dedup_by(|a, b| a.path == b.path);
        files.reverse();
        files
    }

    fn file(&self, number: u32, document: &Read) -> ImportedFile {
        let mut said = FileUses::default();
        let (mut texts, mut files, mut targets) = (Interner::default(), Interner::default(), FxHashMap::default());
        for (line, column, name, symbol, import) in &document.uses {
            let Some(definitions) = self.definitions.get(symbol) else { continue };
            // Some tools say of a definition that it is a use too.
            let here = |one: &Defined| (one.document, one.line, one.column) == (number, *line, *column);
            if definitions.iter().any(here) {
                continue;
            }
            let target = *targets.entry(*symbol).or_insert_with(|| {
                let place = |one: &Defined| {
                    let of = &self.documents[one.document as usize];
                    let file = files.number(&of.path);
                    if file as usize == said.files.len() {
                        said.files.push((texts.number(&of.path), hash_words(&of.hash)));
                    }
                    let columns = of.defined.get(&(one.line, one.name)).map_or(&[][..], Vec::as_slice);
                    let word = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
                    let which = word(columns.partition_point(|column| *column < one.column));
                    let name = texts.number(self.texts.text(one.name));
                    Definition { file, line: one.line, name, which, of: word(columns.len()) }
                };
                said.targets.push(definitions.iter().map(place).collect());
                said.targets.len() - 1
            });
            let (name, target) = (texts.number(self.texts.text(*name)), u32::try_from(target).unwrap_or(u32::MAX));
            said.uses.push(Use { line: *line, name, target, import: *import });
        }
        said.texts = texts.texts;
        ImportedFile { path: document.path.clone(), hash: document.hash, uses: said }
    }
}

/// The names of a document in its text; none where it cannot be the text that the document is about.
fn names<'t>(
    document: &Document,
    path: &str,
    number: u32,
    text: &'t [u8],
) -> Result<Option<Vec<Named<'t>>>, ReadError> {
    if !document.text.is_empty() && document.text.as_bytes() != text {
        return Ok(None);
    }
    let encoding = match document.position_encoding.enum_value() {
        Ok(PositionEncoding::UTF8CodeUnitOffsetFromLineStart) => Encoding::Utf8,
        Ok(PositionEncoding::UTF32CodeUnitOffsetFromLineStart) => Encoding::Utf32,
        // What does not say is older than the field, and counted as editors do.
        _ => Encoding::Utf16,
    };
    let lines = LineIndex::new(text);
    let mut names = Vec::new();
    let (mut fitting, mut other) = (0_usize, 0_usize);
    for occurrence in &document.occurrences {
        let (start, end) = range(occurrence).ok_or_else(|| ReadError::Range(path.to_owned()))?;
        let offset = |(line, column)| lines.offset(text, Position { line, column }, encoding);
        let (Ok(from), Ok(to)) = (offset(start), offset(end)) else { return Ok(None) };
        let named = text.get(from..to).and_then(|name| std::str::from_utf8(name).ok());
        let Some(name) = named.filter(|name| name.len() <= MAX_NAME && !name.contains('\n')) else { continue };
        let definition = occurrence.symbol_roles & SymbolRole::Definition as i32 != 0;
        if occurrence.symbol.is_empty() || name.is_empty() && !(definition && start == (0, 0)) {
            continue;
        }
        if definition
            && !name.is_empty()
            && let Some(last) = last_part(&occurrence.symbol)
        {
            // What tells one of several with one name from the others stands behind a sign.
            let fits = last == name || last.strip_prefix(name).is_some_and(|rest| rest.starts_with('+'));
            *(if fits { &mut fitting } else { &mut other }) += 1;
        }
        let local = occurrence.symbol.starts_with("local ");
        names.push(Named {
            line: u32::try_from(start.0 + 1).unwrap_or(u32::MAX),
            column: start.1,
            text: name,
            symbol: if local { format!("{number} {}", occurrence.symbol) } else { occurrence.symbol.clone() },
            roles: occurrence.symbol_roles,
        });
    }
    // Some definitions have another name in the index than in the text, most do not.
    Ok((fitting >= other).then_some(names))
}

/// Start and end, each a line and a column, from 0; none where it is no range.
fn range(occurrence: &Occurrence) -> Option<((usize, usize), (usize, usize))> {
    let [start_line, start, end_line, end] = match &occurrence.typed_range {
        Some(Typed_range::SingleLineRange(range)) => {
            [range.line, range.start_character, range.line, range.end_character]
        }
        Some(Typed_range::MultiLineRange(range)) => {
            [range.start_line, range.start_character, range.end_line, range.end_character]
        }
        _ => match occurrence.range[..] {
            [line, start, end] => [line, start, line, end],
            [start_line, start, end_line, end] => [start_line, start, end_line, end],
            _ => return None,
        },
    };
    let place = |line: i32, column: i32| Some((usize::try_from(line).ok()?, usize::try_from(column).ok()?));
    let (start, end) = (place(start_line, start)?, place(end_line, end)?);
    (start <= end).then_some((start, end))
}

/// The last name in a symbol's spelling, where it is a plain one: `a b c d Store#save().` has `save`.
fn last_part(symbol: &str) -> Option<&str> {
    let body = symbol.strip_suffix(").").map_or_else(
        || symbol.strip_suffix(['.', '#', '!']),
        |method| method.rsplit_once('(').map(|(before, _)| before),
    )?;
    let in_name = |c: char| c.is_alphanumeric() || matches!(c, '_' | '+' | '-' | '$');
    let start = body.rfind(|c: char| !in_name(c)).map_or(0, |at| at + 1);
    // Between backticks anything goes.
    (start < body.len()).then(|| &body[start..])
}

/// Texts with numbers, each once.
#[derive(Default)]
struct Interner {
    numbers: FxHashMap<String, u32>,
    texts: Vec<String>,
}

impl Interner {
    fn number(&mut self, text: &str) -> u32 {
        if let Some(number) = self.numbers.get(text) {
            return *number;
        }
        let number = u32::try_from(self.texts.len()).unwrap_or(u32::MAX);
        self.numbers.insert(text.to_owned(), number);
        self.texts.push(text.to_owned());
        number
    }

    fn text(&self, number: u32) -> &str {
        self.texts.get(number as usize).map_or("", String::as_str)
    }
}
