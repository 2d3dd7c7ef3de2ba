//! A walk over a tree that also goes into what is read again (a macro's arguments), without recursion.

use vise_syntax::{FieldId, Injections, Language, Node};

/// A node whose children are being visited.
pub(super) struct Level<'d> {
    /// The node.
    pub parent: Node<'d>,
    /// Its children, each with its field.
    pub children: Vec<(Node<'d>, FieldId)>,
    /// The place of the next child; the one being visited is in front of it.
    next: usize,
    /// This node or one above it is an error.
    pub broken: bool,
    /// The level of the nearest node, this one included, whose children are statements, members or items.
    pub listing: usize,
}

impl<'d> Level<'d> {
    /// The level of a node below others. What holds of those above is kept with each, so that no one climbs.
    fn below(levels: &[Self], language: &Language, parent: Node<'d>, children: Vec<(Node<'d>, FieldId)>) -> Self {
        let above = levels.last();
        let listing = match above {
            Some(above) if !language.containers.contains(parent.kind_id()) => above.listing,
            _ => levels.len(),
        };
        let broken = parent.is_error() || above.is_some_and(|above| above.broken);
        Self { parent, children, next: 0, broken, listing }
    }

    /// The place of the child that is being visited.
    pub(super) fn index(&self) -> usize {
        self.next.saturating_sub(1)
    }

    /// The child that is being visited.
    pub(super) fn current(&self) -> Option<Node<'d>> {
        self.children.get(self.index()).map(|(node, _)| *node)
    }
}

/// Visits nodes in the order of the text, parents first. `enter` gets the levels above a node and says whether to go
/// below it.
///
/// What can be read again is, where one of the `points` (sorted) lies in it: elsewhere its bare tokens will do, and
/// reading all of them would take long where they stand in each other.
pub(super) fn walk<'d>(
    injections: &Injections<'d, '_>,
    points: &[usize],
    mut enter: impl FnMut(&[Level<'d>], Node<'d>) -> bool,
) {
    let (root, language) = (injections.document().root(), injections.document().language);
    let mut levels: Vec<Level<'d>> = Vec::new();
    if enter(&levels, root) {
        levels.push(Level::below(&[], language, root, root.children()));
    }
    while let Some(level) = levels.last_mut() {
        let Some(&(node, _)) = level.children.get(level.next) else {
            levels.pop();
            continue;
        };
        level.next += 1;
        if enter(&levels, node) {
            let children = children(injections, points, node);
            if !children.is_empty() {
                let level = Level::below(&levels, language, node, children);
                levels.push(level);
            }
        }
    }
}

fn children<'d>(injections: &Injections<'d, '_>, points: &[usize], node: Node<'d>) -> Vec<(Node<'d>, FieldId)> {
    let raw = node.children();
    let inside = points.get(points.partition_point(|point| *point <= node.start()));
    if !injections.covers(node) || inside.is_none_or(|point| *point >= node.end()) {
        return raw;
    }
    let (Some(first), Some(last), Some(holder)) = (raw.first(), raw.last(), injections.read(node)) else { return raw };
    let (start, end) = (first.0.end(), last.0.start());
    let inside = holder.children().into_iter().filter(|(child, _)| child.start() >= start && child.end() <= end);
    std::iter::once(*first).chain(inside).chain(std::iter::once(*last)).collect()
}
