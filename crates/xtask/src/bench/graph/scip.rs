//! As much of a SCIP index as the oracle needs: documents, their occurrences, and where symbols are defined.
//!
//! The format is protobuf, of which three messages and six fields are read here. That is a page of code; a library for
//! all of it would be most of what `cargo xtask` has to build.

use std::collections::HashMap;
use std::path::Path;

use crate::run::Result;

/// Where symbols are used and defined, by file.
#[derive(Debug, Default)]
pub(crate) struct Index {
    pub(crate) documents: HashMap<String, Document>,
    /// File and line, from 1, of each symbol's definitions. Local symbols have their document's name in front.
    pub(crate) definitions: HashMap<String, Vec<(String, u64)>>,
}

#[derive(Debug, Default)]
pub(crate) struct Document {
    /// How columns count: 1 bytes, 3 characters, else units of UTF-16.
    pub(crate) encoding: u64,
    pub(crate) occurrences: Vec<Occurrence>,
}

/// A name in a text.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Occurrence {
    /// Line from 1, columns from 0.
    pub(crate) line: u64,
    pub(crate) columns: (u64, u64),
    pub(crate) symbol: String,
    pub(crate) roles: u64,
}

const DEFINITION: u64 = 1;

impl Occurrence {
    pub(crate) fn is_definition(&self) -> bool {
        self.roles & DEFINITION != 0
    }

    /// Whether it names a function: the last part of a symbol tells what it is.
    pub(crate) fn is_function(&self) -> bool {
        self.symbol.ends_with(").")
    }
}

impl Index {
    pub(crate) fn open(file: &Path) -> Result<Index> {
        let bytes = std::fs::read(file).map_err(|error| format!("`{}`: {error}", file.display()))?;
        Index::read(&bytes).ok_or_else(|| format!("`{}` is no SCIP index", file.display()))
    }

    fn read(bytes: &[u8]) -> Option<Index> {
        let mut index = Index::default();
        for field in fields(bytes) {
            let field = field?;
            if field.number == 2 {
                index.add(field.bytes)?;
            }
        }
        Some(index)
    }

    fn add(&mut self, bytes: &[u8]) -> Option<()> {
        let mut path = String::new();
        let mut document = Document::default();
        for field in fields(bytes) {
            let field = field?;
            match field.number {
                1 => path = String::from_utf8_lossy(field.bytes).into_owned(),
                2 => document.occurrences.extend(occurrence(field.bytes)?),
                6 => document.encoding = field.value,
                _ => {}
            }
        }
        for occurrence in &mut document.occurrences {
            if occurrence.symbol.starts_with("local ") {
                occurrence.symbol = format!("{path} {}", occurrence.symbol);
            }
            if occurrence.is_definition() {
                let places = self.definitions.entry(occurrence.symbol.clone()).or_default();
                places.push((path.clone(), occurrence.line));
            }
        }
        self.documents.insert(path, document);
        Some(())
    }
}

/// An occurrence; none where it names nothing.
fn occurrence(bytes: &[u8]) -> Option<Option<Occurrence>> {
    let (mut range, mut symbol, mut roles) = (Vec::new(), String::new(), 0);
    for field in fields(bytes) {
        let field = field?;
        match field.number {
            1 if field.bytes.is_empty() => range.push(field.value),
            1 => {
                let mut rest = field.bytes;
                while !rest.is_empty() {
                    range.push(varint(&mut rest)?);
                }
            }
            2 => symbol = String::from_utf8_lossy(field.bytes).into_owned(),
            3 => roles = field.value,
            _ => {}
        }
    }
    let (line, columns) = match range[..] {
        [line, start, end] => (line, (start, end)),
        // Over several lines: no name.
        _ => return Some(None),
    };
    Some((!symbol.is_empty()).then_some(Occurrence { line: line + 1, columns, symbol, roles }))
}

/// A field of a message: its number, and its value or bytes.
struct Field<'b> {
    number: u64,
    value: u64,
    bytes: &'b [u8],
}

/// The fields of a message; `None` where it is cut short or not protobuf.
fn fields(mut rest: &[u8]) -> impl Iterator<Item = Option<Field<'_>>> {
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let field = field(&mut rest);
        if field.is_none() {
            rest = &[];
        }
        Some(field)
    })
}

fn field<'b>(rest: &mut &'b [u8]) -> Option<Field<'b>> {
    let key = varint(rest)?;
    let mut field = Field { number: key >> 3, value: 0, bytes: &[] };
    match key & 7 {
        0 => field.value = varint(rest)?,
        1 => field.bytes = take(rest, 8)?,
        2 => {
            let length = usize::try_from(varint(rest)?).ok()?;
            field.bytes = take(rest, length)?;
        }
        5 => field.bytes = take(rest, 4)?,
        _ => return None,
    }
    Some(field)
}

fn take<'b>(rest: &mut &'b [u8], length: usize) -> Option<&'b [u8]> {
    let (taken, left) = rest.split_at_checked(length)?;
    *rest = left;
    Some(taken)
}

fn varint(rest: &mut &[u8]) -> Option<u64> {
    let mut value = 0_u64;
    for shift in (0..64).step_by(7) {
        let (byte, left) = rest.split_first()?;
        *rest = left;
        value |= u64::from(byte & 0x7f) << shift;
        if byte & 0x80 == 0 {
            return Some(value);
        }
    }
    None
}

/// Indexes made by hand, for tests.
#[cfg(test)]
pub(crate) mod made {
    /// A field with bytes.
    pub(crate) fn bytes(number: u8, content: &[u8]) -> Vec<u8> {
        let mut out = vec![number << 3 | 2];
        let mut length = content.len();
        while length >= 0x80 {
            out.push(u8::try_from(length & 0x7f).unwrap() | 0x80);
            length >>= 7;
        }
        out.push(u8::try_from(length).unwrap());
        out.extend(content);
        out
    }

    /// An occurrence on a line, from 0.
    pub(crate) fn occurrence(line: u8, columns: (u8, u8), symbol: &str, roles: u8) -> Vec<u8> {
        let range = bytes(1, &[line, columns.0, columns.1]);
        bytes(2, &[range, bytes(2, symbol.as_bytes()), vec![3 << 3, roles]].concat())
    }

    pub(crate) fn document(path: &str, occurrences: &[Vec<u8>]) -> Vec<u8> {
        bytes(2, &[bytes(1, path.as_bytes()), occurrences.concat()].concat())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn occurrences_and_definitions_are_read() {
        let a = made::document(
            "a.py",
            &[made::occurrence(4, (0, 3), "s f().", 1), made::occurrence(6, (2, 5), "local 1", 1)],
        );
        let b = made::document("b.py", &[made::occurrence(100, (1, 4), "s f().", 0)]);
        let index = Index::read(&[made::bytes(1, b"metadata"), a, b].concat()).unwrap();
        assert_eq!(index.definitions["s f()."], [("a.py".to_string(), 5)]);
        assert_eq!(index.definitions["a.py local 1"], [("a.py".to_string(), 7)]);
        let [used] = &index.documents["b.py"].occurrences[..] else { panic!() };
        assert_eq!((used.line, used.columns, used.is_definition()), (101, (1, 4), false));
    }

    #[test]
    fn what_is_cut_short_is_no_index() {
        let whole = made::document("a.py", &[made::occurrence(4, (0, 3), "s f().", 1)]);
        assert!(Index::read(&whole[..whole.len() - 1]).is_none());
        assert!(Index::read(&[0xff; 12]).is_none());
    }
}
