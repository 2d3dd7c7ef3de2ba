//! Comparing the text of nodes as its tokens: white space and comments do not count.

use vise_syntax::{Cursor, Document, Node};

/// Whether two nodes have the same tokens. Strings are one token each, quotes included.
pub(crate) fn same(document: &Document<'_>, a: Node<'_>, b: Node<'_>) -> bool {
    if document.source[a.range()] == document.source[b.range()] {
        return true;
    }
    let mut left = Tokens::new(document, a);
    let mut right = Tokens::new(document, b);
    loop {
        match (left.next(), right.next()) {
            (None, None) => return true,
            (Some(x), Some(y)) if x == y => {}
            _ => return false,
        }
    }
}

/// The tokens of a node, in order.
pub(crate) struct Tokens<'d, 's, 't> {
    document: &'d Document<'s>,
    cursor: Option<Cursor<'t>>,
}

impl<'d, 's, 't> Tokens<'d, 's, 't> {
    pub(crate) fn new(document: &'d Document<'s>, node: Node<'t>) -> Self {
        Self { document, cursor: Some(node.walk()) }
    }

    /// Moves on in preorder, not below the current node.
    fn leave(&mut self) {
        if let Some(cursor) = &mut self.cursor {
            while !cursor.next_sibling() {
                if !cursor.parent() {
                    self.cursor = None;
                    return;
                }
            }
        }
    }
}

impl<'s> Iterator for Tokens<'_, 's, '_> {
    type Item = &'s [u8];

    fn next(&mut self) -> Option<&'s [u8]> {
        let language = self.document.language;
        loop {
            let cursor = self.cursor.as_mut()?;
            let node = cursor.node();
            let kind = node.kind_id();
            let comment = language.comments.contains(kind) || node.is_extra() && !node.is_error();
            if !comment && !language.strings.contains(kind) && cursor.first_child() {
                continue;
            }
            self.leave();
            if !comment && node.start() < node.end() {
                return Some(self.document.text(node.range()));
            }
        }
    }
}
