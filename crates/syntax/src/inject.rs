//! Nodes whose text the grammar leaves unread (a macro's arguments), read again in a scaffold.

use std::cell::RefCell;

use rustc_hash::FxHashMap;
use tree_sitter::{Parser, Tree};

use crate::node::Node;
use crate::parse::{Document, parse_part};

/// Where injected trees live while a document is searched.
pub type TreeArena = typed_arena::Arena<Tree>;

/// The injected trees of one document, each made when it is first asked for.
pub struct Injections<'d, 's> {
    document: &'d Document<'s>,
    arena: &'d TreeArena,
    known: RefCell<FxHashMap<usize, Option<Node<'d>>>>,
    /// One for all of them; it goes with them, as its memory may be that of the document's scope.
    parser: RefCell<Option<Parser>>,
}

impl<'d, 's> Injections<'d, 's> {
    /// No trees yet.
    pub fn new(document: &'d Document<'s>, arena: &'d TreeArena) -> Self {
        Self { document, arena, known: RefCell::default(), parser: RefCell::default() }
    }

    /// The document that the trees belong to.
    pub fn document(&self) -> &'d Document<'s> {
        self.document
    }

    /// Whether nodes of this kind are read again at all.
    pub fn covers(&self, node: Node<'_>) -> bool {
        self.document.language.injections.iter().any(|(kind, _)| *kind == node.kind_id())
    }

    /// The node whose children are what the inside of `node` was read as, with the offsets of the document.
    ///
    /// `None` where no scaffold reads it without an error.
    pub fn read(&self, node: Node<'d>) -> Option<Node<'d>> {
        if let Some(known) = self.known.borrow().get(&node.id()) {
            return *known;
        }
        let read = self.read_anew(node);
        self.known.borrow_mut().insert(node.id(), read);
        read
    }

    fn read_anew(&self, node: Node<'d>) -> Option<Node<'d>> {
        let language = self.document.language;
        let (_, scaffolds) = language.injections.iter().find(|(kind, _)| *kind == node.kind_id())?;
        let children = node.children();
        let (first, last) = (children.first()?.0, children.last()?.0);
        let inside = first.end()..last.start();
        if inside.start >= inside.end {
            return None;
        }
        for (before, after) in scaffolds {
            let mut parser = self.parser.borrow_mut();
            let parser = parser.get_or_insert_with(Parser::new);
            let Ok(tree) = parse_part(parser, language, self.document.source, inside.clone(), before, after) else {
                continue;
            };
            if tree.root_node().has_error() {
                continue;
            }
            let root = Node::new(self.arena.alloc(tree).root_node());
            return Some(holder(root, inside.start, inside.end));
        }
        None
    }
}

/// The deepest node that spans more than the hole: the one whose children stand in it.
fn holder(root: Node<'_>, start: usize, end: usize) -> Node<'_> {
    let mut node = root;
    loop {
        let below = node.children().into_iter().map(|(child, _)| child);
        match below.into_iter().find(|child| child.start() < start && child.end() > end) {
            Some(child) => node = child,
            None => return node,
        }
    }
}
