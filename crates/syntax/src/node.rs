//! Our view of a tree: nodes and a cursor. No other crate names tree-sitter.

use std::ops::Range;

/// A kind of node, by its number in the grammar.
pub type KindId = u16;
/// A field of a node's child, by its number in the grammar; 0 is no field.
pub type FieldId = u16;

/// A node of a syntax tree: a small `Copy` handle.
///
/// There is no `parent`: tree-sitter finds a parent by a search from the root, so code descends once
/// with a [`Cursor`] and keeps the path.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[repr(transparent)]
pub struct Node<'t>(tree_sitter::Node<'t>);

impl<'t> Node<'t> {
    pub(crate) fn new(node: tree_sitter::Node<'t>) -> Self {
        Self(node)
    }

    /// An identity that is unique within one tree.
    pub fn id(self) -> usize {
        self.0.id()
    }

    /// The number of the kind.
    pub fn kind_id(self) -> KindId {
        self.0.kind_id()
    }

    /// The name of the kind; for an unnamed node, its text.
    pub fn kind(self) -> &'t str {
        self.0.kind()
    }

    /// Whether the grammar names this node (`identifier`), rather than spelling it (`"+"`).
    pub fn is_named(self) -> bool {
        self.0.is_named()
    }

    /// Whether the parser could not make sense of this part of the text.
    pub fn is_error(self) -> bool {
        self.0.is_error()
    }

    /// Whether the parser made this node up to be able to go on.
    pub fn is_missing(self) -> bool {
        self.0.is_missing()
    }

    /// Whether there is an error in or below this node.
    pub fn has_error(self) -> bool {
        self.0.has_error()
    }

    /// Whether the node may stand anywhere, as comments do.
    pub fn is_extra(self) -> bool {
        self.0.is_extra()
    }

    /// First byte.
    pub fn start(self) -> usize {
        self.0.start_byte()
    }

    /// The byte after the last.
    pub fn end(self) -> usize {
        self.0.end_byte()
    }

    /// Bytes from [`start`](Self::start) to [`end`](Self::end).
    pub fn range(self) -> Range<usize> {
        self.0.byte_range()
    }

    /// Line of the first byte, from 1. In a tree that was injected it is meaningless.
    pub fn line(self) -> usize {
        self.0.start_position().row + 1
    }

    /// Line of the last byte's end, from 1. In a tree that was injected it is meaningless.
    pub fn end_line(self) -> usize {
        self.0.end_position().row + 1
    }

    /// Number of children, named or not.
    pub fn child_count(self) -> usize {
        self.0.child_count() as usize
    }

    /// Number of nodes at and below this one.
    pub fn descendant_count(self) -> usize {
        self.0.descendant_count()
    }

    /// A cursor on this node.
    pub fn walk(self) -> Cursor<'t> {
        Cursor(self.0.walk())
    }

    /// All children in order, each with its field.
    pub fn children(self) -> Vec<(Node<'t>, FieldId)> {
        let mut cursor = self.walk();
        let mut children = Vec::with_capacity(self.child_count());
        cursor.children_into(&mut children);
        children
    }
}

/// A place in a tree that moves: the cheap way to visit nodes.
#[derive(Clone)]
pub struct Cursor<'t>(tree_sitter::TreeCursor<'t>);

impl<'t> Cursor<'t> {
    /// The node under the cursor.
    pub fn node(&self) -> Node<'t> {
        Node(self.0.node())
    }

    /// The field under which the parent holds this node; 0 for none.
    pub fn field(&self) -> FieldId {
        self.0.field_id().map_or(0, |id| id.get())
    }

    /// Moves to the first child, if there is one.
    pub fn first_child(&mut self) -> bool {
        self.0.goto_first_child()
    }

    /// Moves to the last child, if there is one.
    pub fn last_child(&mut self) -> bool {
        self.0.goto_last_child()
    }

    /// Moves to the next sibling, if there is one.
    pub fn next_sibling(&mut self) -> bool {
        self.0.goto_next_sibling()
    }

    /// Moves to the parent, unless this is where the cursor began.
    pub fn parent(&mut self) -> bool {
        self.0.goto_parent()
    }

    /// Moves to another node of the same tree, which becomes the cursor's root.
    pub fn reset(&mut self, node: Node<'t>) {
        self.0.reset(node.0);
    }

    /// Appends the children of the current node, each with its field; the cursor comes back.
    pub fn children_into(&mut self, out: &mut Vec<(Node<'t>, FieldId)>) {
        if self.first_child() {
            loop {
                out.push((self.node(), self.field()));
                if !self.next_sibling() {
                    break;
                }
            }
            self.parent();
        }
    }
}

/// Visits a node and all that lies below it, parents first, without recursion.
///
/// `visit` says whether to go below the node that it is given.
pub fn visit<'t>(root: Node<'t>, mut visit: impl FnMut(Node<'t>) -> bool) {
    let mut cursor = root.walk();
    loop {
        if visit(cursor.node()) && cursor.first_child() {
            continue;
        }
        while !cursor.next_sibling() {
            if !cursor.parent() {
                return;
            }
        }
    }
}
