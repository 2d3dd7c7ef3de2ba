//! Results to values of ours, item by item: an item that is not understood is counted and costs no other.

mod actions;
mod diagnostics;
mod hover;
mod locations;
mod symbols;

#[cfg(test)]
mod tests;

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use lsp_types::Position;
use serde_json::Value;
use vise_text::{LineIndex, PositionEncoding};

use crate::answer::Location;
use crate::session::Text;
use crate::uri;

pub(crate) use actions::{actions, edit_of};
pub(crate) use diagnostics::{diagnostics, tsserver_diagnostic};
pub(crate) use hover::{hover, signature};
pub(crate) use locations::locations;
pub(crate) use symbols::{calls, hierarchy, same_name, symbols};

/// The texts of files, as the server has them or as they are on disk.
pub(crate) trait Texts {
    /// The text of a file; `None` where it cannot be read.
    fn text(&self, path: &Path) -> Option<Text>;

    /// What is at a path.
    fn at(&self, path: &Path) -> At;
}

/// What is at a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum At {
    Nothing,
    File,
    Folder,
}

/// What a conversion needs to know, and what it notes on the way.
pub(crate) struct Reader<'a> {
    pub(crate) root: &'a Path,
    pub(crate) encoding: PositionEncoding,
    texts: &'a dyn Texts,
    seen: HashMap<PathBuf, Option<Text>>,
    /// How many items were not understood.
    pub(crate) bad: usize,
}

impl<'a> Reader<'a> {
    pub(crate) fn new(root: &'a Path, encoding: PositionEncoding, texts: &'a dyn Texts) -> Reader<'a> {
        Reader { root, encoding, texts, seen: HashMap::new(), bad: 0 }
    }

    pub(crate) fn text(&mut self, path: &Path) -> Option<Text> {
        if let Some(known) = self.seen.get(path) {
            return known.clone();
        }
        let text = self.texts.text(path);
        self.seen.insert(path.to_owned(), text.clone());
        text
    }

    /// How a URI's file is called, and whether it is outside of the workspace.
    fn file(&self, uri: &str) -> (String, Option<PathBuf>, bool) {
        match uri::path(uri) {
            Some(path) => {
                let outside = !path.starts_with(self.root);
                (vise_workspace::shown_path(self.root, &path), Some(path), outside)
            }
            None => (uri.to_owned(), None, true),
        }
    }

    /// The place of a position. Where the file cannot be read, the server's numbers have to do.
    fn place(&mut self, uri: &str, position: Position) -> Location {
        let (file, path, outside_workspace) = self.file(uri);
        let text = path.and_then(|path| self.text(&path));
        let (line, column, text) = match &text {
            Some(text) => {
                let offset = text.offset(position, self.encoding);
                let index = LineIndex::new(&text.bytes);
                let line = index.line_of(offset);
                let content = index.line_content(&text.bytes, line).unwrap_or(0..0);
                let shown = String::from_utf8_lossy(text.bytes.get(content).unwrap_or_default()).into_owned();
                (line + 1, index.column_scalar(&text.bytes, offset) + 1, shown)
            }
            None => (position.line as usize + 1, position.character as usize + 1, String::new()),
        };
        Location { file, line, column, text, definition: false, outside_workspace }
    }

    /// The items of a result that may be one, many or none.
    fn items(value: &Value) -> &[Value] {
        match value {
            Value::Array(items) => items,
            Value::Null => &[],
            one => std::slice::from_ref(one),
        }
    }

    /// A sentence about what was not understood.
    pub(crate) fn note(&self) -> Option<String> {
        (self.bad > 0).then(|| format!("{} items of the server's answer were not understood and left out", self.bad))
    }
}

/// A range's start, whatever else is wrong with it.
fn start(range: &Value) -> Option<Position> {
    let start = range.get("start")?;
    let number = |key: &str| start.get(key)?.as_u64().and_then(|number| u32::try_from(number).ok());
    Some(Position::new(number("line")?, number("character")?))
}
