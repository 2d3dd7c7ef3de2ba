//! The documents that the server has open, and that it has the text of the disk: not another, and not an older one.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_json::{Value, json};
use vise_text::{ContentHash, PositionEncoding};

use super::Session;
use super::capabilities::SyncKind;
use crate::lines::Lines;
use crate::uri;

/// So many documents are open at once.
pub(crate) const MOST_OPEN: usize = 50;

/// A text as the server has it, with its lines.
#[derive(Debug, Clone)]
pub(crate) struct Text {
    /// Without the byte order mark that the file may begin with.
    pub(crate) bytes: Arc<[u8]>,
    pub(crate) lines: Arc<Lines>,
    /// How many bytes of a byte order mark the file has before the text: 3, or none.
    pub(crate) mark: usize,
}

const BYTE_ORDER_MARK: &[u8] = b"\xEF\xBB\xBF";

impl Text {
    /// The text of a file with these bytes.
    pub(crate) fn new(bytes: &[u8]) -> Text {
        let text = bytes.strip_prefix(BYTE_ORDER_MARK).unwrap_or(bytes);
        Text { mark: bytes.len() - text.len(), lines: Arc::new(Lines::new(text)), bytes: text.into() }
    }

    pub(crate) fn offset(&self, position: lsp_types::Position, encoding: PositionEncoding) -> usize {
        self.lines.offset(&self.bytes, position, encoding)
    }

    pub(crate) fn position(&self, offset: usize, encoding: PositionEncoding) -> lsp_types::Position {
        self.lines.position(&self.bytes, offset, encoding)
    }
}

#[derive(Debug)]
struct Document {
    uri: String,
    hash: ContentHash,
    text: Text,
    /// A count that says when the document was last asked about.
    used: u64,
}

/// The open documents.
#[derive(Debug, Default)]
pub(crate) struct Documents {
    open: HashMap<PathBuf, Document>,
    /// The last version of each document that was ever open: a number is never used again.
    versions: HashMap<PathBuf, i64>,
    clock: u64,
    /// So many more may be open: those that one check looks at together.
    more: usize,
}

impl Documents {
    pub(crate) fn is_open(&self, path: &Path) -> bool {
        self.open.contains_key(path)
    }

    /// The paths of the open documents, in order.
    pub(crate) fn paths(&self) -> Vec<PathBuf> {
        let mut paths: Vec<PathBuf> = self.open.keys().cloned().collect();
        paths.sort();
        paths
    }

    /// The text that the server has of an open document.
    pub(crate) fn text(&self, path: &Path) -> Option<Text> {
        self.open.get(path).map(|document| document.text.clone())
    }

    /// The version that was sent last.
    pub(crate) fn version(&self, path: &Path) -> Option<i64> {
        self.open.get(path).and_then(|_| self.versions.get(path).copied())
    }

    /// How the document was called when it was opened.
    pub(crate) fn uri(&self, path: &Path) -> String {
        self.open.get(path).map_or_else(|| uri::of(path), |document| document.uri.clone())
    }
}

/// A text cannot be sent: the protocol's texts are Unicode.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct NotUnicode;

impl Session {
    /// Sees to it that the server has this text of a file: opens it, sends the change, or does nothing where it has it.
    /// Says whether anything was sent.
    pub(crate) fn sync(&mut self, path: &Path, language: &str, bytes: &[u8]) -> Result<bool, NotUnicode> {
        let save = self.capabilities.save();
        self.send_text(path, language, bytes, save)
    }

    /// Sees to it that the server has this text in place of the file's. It is not told that it was saved, because it was
    /// not: what it would read of the disk then is the other text.
    pub(crate) fn overlay(&mut self, path: &Path, language: &str, bytes: &[u8]) -> Result<bool, NotUnicode> {
        self.send_text(path, language, bytes, None)
    }

    /// Sends a text. `save`: whether the server is told that it was saved, and whether with the text.
    fn send_text(&mut self, path: &Path, language: &str, bytes: &[u8], save: Option<bool>) -> Result<bool, NotUnicode> {
        let hash = ContentHash::of(bytes);
        self.documents.clock += 1;
        let used = self.documents.clock;
        if let Some(document) = self.documents.open.get_mut(path) {
            document.used = used;
            if document.hash == hash {
                // Servers publish nothing for a change that is none, so whoever waited for that would wait in vain.
                return Ok(false);
            }
        }
        let text = Text::new(bytes);
        let string = std::str::from_utf8(&text.bytes).map_err(|_| NotUnicode)?.to_owned();
        let version = self.documents.versions.get(path).map_or(1, |last| last + 1);
        self.documents.versions.insert(path.to_owned(), version);
        let known = self.documents.open.contains_key(path);
        if known && self.capabilities.sync() == SyncKind::None {
            self.close(path);
        }
        match self.documents.open.get_mut(path) {
            Some(document) => {
                document.hash = hash;
                document.text = text;
                let uri = document.uri.clone();
                self.notify(
                    "textDocument/didChange",
                    json!({
                        "textDocument": {"uri": uri, "version": version},
                        "contentChanges": [{"text": string}],
                    }),
                );
                if let Some(with_text) = save {
                    let mut params = json!({"textDocument": {"uri": uri}});
                    if with_text {
                        params["text"] = Value::String(string);
                    }
                    self.notify("textDocument/didSave", params);
                    self.checks.saved();
                }
            }
            None => {
                let uri = uri::of(path);
                self.notify(
                    "textDocument/didOpen",
                    json!({"textDocument": {"uri": uri, "languageId": language, "version": version, "text": string}}),
                );
                let document = Document { uri, hash, text, used };
                self.documents.open.insert(path.to_owned(), document);
                self.close_the_oldest();
            }
        }
        self.published.changed(path, version);
        Ok(true)
    }

    /// So many documents more than usual may be open, because they are looked at together; none, once that is done.
    pub(crate) fn keep_open(&mut self, more: usize) {
        self.documents.more = more;
        self.close_the_oldest();
    }

    fn close_the_oldest(&mut self) {
        while self.documents.open.len() > MOST_OPEN + self.documents.more {
            let oldest = self.documents.open.iter().min_by_key(|(_, document)| document.used);
            let Some(path) = oldest.map(|(path, _)| path.clone()) else { return };
            self.close(&path);
        }
    }

    /// Closes a document; its file may be gone.
    pub(crate) fn close(&mut self, path: &Path) {
        if let Some(document) = self.documents.open.remove(path) {
            self.published.closed(path);
            self.notify("textDocument/didClose", json!({"textDocument": {"uri": document.uri}}));
        }
    }
}
