//! Matches as JSON has them: the keys are those of the contract, to the letter.

use std::borrow::Cow;
use std::ops::Range;

use serde::Serialize;
use serde::ser::{SerializeMap, Serializer};
use vise_search::{Binding, Bound, Match};
use vise_text::lossy;

use crate::columns::Columns;
use crate::look::FoundIn;

/// A match in its file, as JSON.
#[derive(Serialize)]
pub(crate) struct MatchView<'a> {
    file: &'a str,
    text: Cow<'a, str>,
    range: RangeView,
    lines: Cow<'a, str>,
    language: &'a str,
    rung: &'static str,
    reading: &'a str,
    #[serde(rename = "metaVariables")]
    metavariables: Metavariables<'a>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    partial: bool,
    /// Long texts are cut; the ranges are true.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    cut: bool,
}

#[derive(Serialize)]
struct RangeView {
    #[serde(rename = "byteOffset")]
    bytes: Bytes,
    start: Place,
    end: Place,
}

#[derive(Serialize)]
struct Bytes {
    start: usize,
    end: usize,
}

#[derive(Serialize)]
struct Place {
    line: usize,
    column: usize,
}

#[derive(Serialize)]
struct Metavariables<'a> {
    single: Named<'a, Single>,
    multi: Named<'a, Multi>,
}

/// The bindings of one sort, as an object.
struct Named<'a, Sort> {
    source: &'a [u8],
    columns: &'a Columns<'a>,
    bindings: &'a [Binding],
    cut: bool,
    sort: std::marker::PhantomData<Sort>,
}

struct Single;
struct Multi;

#[derive(Serialize)]
struct Piece<'a> {
    text: Cow<'a, str>,
    range: RangeView,
}

/// A line of source longer than this is cut to what lies around the match: one line of a bundle may hold thousands of
/// matches, and repeating it for each would make gigabytes.
const LONGEST_LINES: usize = 1 << 16;
/// What is left to each side.
const AROUND: usize = 1 << 10;

/// When the lines of one file have come to this size, the texts of its further matches are cut: 100,000 parentheses in
/// each other are 100,000 matches that hold each other, 10 GB of text in a file of 200 kB.
const LARGE: usize = 16 << 20;
/// What is left of a text that is cut.
const CUT: usize = 256;

impl<'a> MatchView<'a> {
    /// A match as JSON has it. `written`: how many bytes there are already for the same file.
    pub(crate) fn new(
        found: &'a FoundIn,
        columns: &'a Columns<'a>,
        (reading, one): &'a (usize, Match),
        written: usize,
    ) -> Self {
        let name = found.readings.get(*reading).map(|(name, _)| name);
        let cut = written > LARGE && one.range.len() > CUT;
        let named = |range: Range<usize>| text(&found.source, range, cut);
        let lines = whole_lines(columns, &found.source, &one.range);
        Self {
            file: &found.file,
            text: named(one.range.clone()),
            range: RangeView::new(columns, &one.range),
            lines: named(lines),
            language: found.language.name(),
            rung: name.map_or("", |name| name.rung.as_str()),
            reading: name.map_or("", |name| &name.kind),
            metavariables: Metavariables {
                single: Named::new(&found.source, columns, &one.bindings, cut),
                multi: Named::new(&found.source, columns, &one.bindings, cut),
            },
            partial: one.partial,
            cut,
        }
    }
}

/// The lines that hold a range, from the start of the first to the end of the last.
pub(crate) fn whole_lines(columns: &Columns<'_>, source: &[u8], range: &Range<usize>) -> Range<usize> {
    let last = range.end.max(range.start + 1) - 1;
    let start = columns.lines.line_start(columns.lines.line_of(range.start)).unwrap_or(range.start);
    let end = columns.lines.line_content(source, columns.lines.line_of(last)).map_or(range.end, |line| line.end);
    let end = end.max(range.end);
    if (end - start) - range.len() <= LONGEST_LINES {
        return start..end;
    }
    let start = at_character(source, start.max(range.start.saturating_sub(AROUND)));
    start..at_character(source, end.min(range.end + AROUND))
}

/// This place, or the next that is not in the middle of a character.
pub(crate) fn at_character(source: &[u8], place: usize) -> usize {
    (place..place + 3).find(|at| source.get(*at).is_none_or(|byte| byte & 0xC0 != 0x80)).unwrap_or(place)
}

/// Text for JSON. Valid text is not copied.
fn text(source: &[u8], range: Range<usize>, cut: bool) -> Cow<'_, str> {
    let mut bytes = source.get(range).unwrap_or_default();
    if cut && bytes.len() > CUT {
        bytes = &bytes[..at_character(bytes, CUT).min(bytes.len())];
    }
    std::str::from_utf8(bytes).map_or_else(|_| Cow::Owned(lossy(bytes)), Cow::Borrowed)
}

impl RangeView {
    fn new(columns: &Columns<'_>, range: &Range<usize>) -> Self {
        let place = |offset| {
            let (line, column) = columns.place(offset);
            Place { line, column }
        };
        Self { bytes: Bytes { start: range.start, end: range.end }, start: place(range.start), end: place(range.end) }
    }
}

impl<'a, Sort> Named<'a, Sort> {
    fn new(source: &'a [u8], columns: &'a Columns<'a>, bindings: &'a [Binding], cut: bool) -> Self {
        Self { source, columns, bindings, cut, sort: std::marker::PhantomData }
    }

    fn piece(&self, range: &Range<usize>) -> Piece<'a> {
        Piece { text: text(self.source, range.clone(), self.cut), range: RangeView::new(self.columns, range) }
    }
}

impl Serialize for Named<'_, Single> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        for binding in self.bindings {
            match &binding.bound {
                Bound::One(node) => map.serialize_entry(&*binding.name, &self.piece(&node.range))?,
                Bound::Content(range) => map.serialize_entry(&*binding.name, &self.piece(range))?,
                Bound::Many { .. } => {}
            }
        }
        map.end()
    }
}

impl Serialize for Named<'_, Multi> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        for binding in self.bindings {
            if let Bound::Many { elements, .. } = &binding.bound {
                let pieces: Vec<_> = elements.iter().map(|element| self.piece(&element.range)).collect();
                map.serialize_entry(&*binding.name, &pieces)?;
            }
        }
        map.end()
    }
}

/// One JSON object and a line end.
pub(crate) fn line(out: &mut Vec<u8>, value: &impl Serialize) {
    // Writing to memory cannot fail, and our values have string keys only.
    if serde_json::to_writer(&mut *out, value).is_ok() {
        out.push(b'\n');
    }
}
