//! The children of a node as the matcher sees them: what is an element, what may be passed over.

use rustc_hash::FxHashMap;
use vise_syntax::{Cursor, Document, FieldId, Injections, KindId, Language, Node};

use crate::compile::only_named_child;
use crate::strings;

/// A child of a node.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Item<'d> {
    pub node: Node<'d>,
    /// The expression in it, where it only holds one in the place of a statement.
    pub inner: Node<'d>,
    pub field: FieldId,
    /// Between elements, or after a statement: no element itself.
    pub separator: bool,
    /// How many items, this one first, a pattern may leave unmentioned together; 0 when it may not.
    pub optional: u8,
}

/// A list of items: the children of one node, or one node alone.
#[derive(Debug, Clone, Copy)]
pub(crate) struct List {
    pub kind: KindId,
    first: u32,
    len: u32,
    /// Where the list begins in the text, for a list with nothing in it.
    pub start: usize,
}

/// The lists of one document, each made when it is first asked for.
pub(crate) struct Lists<'d> {
    pub language: &'d Language,
    source: &'d [u8],
    exact: bool,
    items: Vec<Item<'d>>,
    lists: Vec<List>,
    by_node: FxHashMap<(usize, bool), u32>,
    cursor: Cursor<'d>,
    scratch: Vec<(Node<'d>, FieldId)>,
}

impl<'d> Lists<'d> {
    pub(crate) fn new(document: &'d Document<'_>, exact: bool) -> Self {
        Self {
            language: document.language,
            source: document.source,
            exact,
            items: Vec::new(),
            lists: Vec::new(),
            by_node: FxHashMap::default(),
            cursor: document.root().walk(),
            scratch: Vec::new(),
        }
    }

    pub(crate) fn list(&self, list: u32) -> List {
        self.lists[list as usize]
    }

    pub(crate) fn items(&self, list: u32) -> &[Item<'d>] {
        let list = self.list(list);
        &self.items[list.first as usize..(list.first + list.len) as usize]
    }

    /// A list of one node.
    pub(crate) fn single(&mut self, node: Node<'d>) -> u32 {
        let item = Item { node, inner: node, field: 0, separator: false, optional: 0 };
        self.add(0, node.start(), [item])
    }

    /// The children of a node.
    pub(crate) fn of(&mut self, node: Node<'d>) -> u32 {
        if let Some(list) = self.by_node.get(&(node.id(), false)) {
            return *list;
        }
        let mut children = std::mem::take(&mut self.scratch);
        children.clear();
        self.cursor.reset(node);
        self.cursor.children_into(&mut children);
        let list = self.build(node, &children);
        self.scratch = children;
        self.by_node.insert((node.id(), false), list);
        list
    }

    /// What a node's text was read as; `None` when it was not to be read.
    pub(crate) fn reread(&mut self, node: Node<'d>, injections: &Injections<'d, '_>) -> Option<u32> {
        if let Some(list) = self.by_node.get(&(node.id(), true)) {
            return Some(*list);
        }
        let holder = injections.read(node)?;
        let (start, end) = (node.start() + 1, node.end().saturating_sub(1));
        let children: Vec<_> =
            holder.children().into_iter().filter(|(child, _)| child.start() >= start && child.end() <= end).collect();
        let list = self.build(holder, &children);
        self.by_node.insert((node.id(), true), list);
        Some(list)
    }

    fn build(&mut self, parent: Node<'d>, children: &[(Node<'d>, FieldId)]) -> u32 {
        let (language, source) = (self.language, self.source);
        let kind = parent.kind_id();
        let significant = language.significant_separators.contains(kind);
        let in_string = language.strings.contains(kind);
        let mut items: Vec<Item<'d>> = Vec::with_capacity(children.len());
        for &(node, field) in children {
            let id = node.kind_id();
            if node.is_extra() && !node.is_error() || language.comments.contains(id) {
                continue;
            }
            if is_blank(node, source) && !in_string {
                continue;
            }
            let inner = if language.expression_statements.contains(id) {
                only_named_child(language, node).unwrap_or(node)
            } else {
                node
            };
            let quote = in_string && !node.is_named() && strings::is_quote(node.kind().as_bytes());
            let separator = quote || language.separators.contains(id) && !significant;
            let optional =
                !self.exact && (language.is_optional(kind, id, field) || language.open_attributes.contains(id));
            items.push(Item { node, inner, field, separator, optional: u8::from(optional) });
        }
        if !self.exact {
            // A marker (`->`) goes with the optional child behind it.
            for index in 1..items.len() {
                if items[index].optional == 1 && language.markers.contains(items[index - 1].node.kind_id()) {
                    items[index - 1].optional = 2;
                }
            }
        }
        self.add(kind, parent.start(), items)
    }

    fn add(&mut self, kind: KindId, start: usize, items: impl IntoIterator<Item = Item<'d>>) -> u32 {
        let first = self.items.len() as u32;
        self.items.extend(items);
        let len = self.items.len() as u32 - first;
        self.lists.push(List { kind, first, len, start });
        self.lists.len() as u32 - 1
    }

    /// Forgets the lists when there are very many: a search walks on and will not come back to them.
    pub(crate) fn trim(&mut self) {
        if self.items.len() > 1 << 16 {
            self.items.clear();
            self.lists.clear();
            self.by_node.clear();
        }
    }
}

/// Whether a node has no text, or is a token of nothing but white space: that says nothing about shape.
pub(crate) fn is_blank(node: Node<'_>, source: &[u8]) -> bool {
    node.child_count() == 0 && source[node.range()].iter().all(u8::is_ascii_whitespace)
}

/// The text of a node that none of its children holds, white space and separators apart (the digits in front of a
/// unit).
pub(crate) fn between(language: &Language, node: Node<'_>, source: &[u8]) -> Vec<u8> {
    let mut text = Vec::<u8>::new();
    let mut at = node.start();
    for (child, _) in node.children() {
        text.extend(source.get(at..child.start()).unwrap_or_default());
        at = at.max(child.end());
    }
    text.extend(source.get(at..node.end()).unwrap_or_default());
    let separates = |byte: u8| language.description.separators.iter().any(|known| known.as_bytes() == [byte]);
    text.retain(|byte| !byte.is_ascii_whitespace() && !separates(*byte));
    text
}
