//! What a successful run of the machine has found: the match, from the frames and the trail.

use vise_syntax::Node;

use crate::items::is_blank;
use crate::machine::{Machine, Mark};
use crate::matches::{Before, Binding, Bound, Captured, Kept, Match};
use crate::program::{Op, Root, Slot};

impl<'d> Machine<'_, 'd, '_> {
    pub(super) fn harvest(&self, list: u32, at: u32, frame: u32) -> Match {
        let program = self.program;
        let here = self.frames[frame as usize];
        let items = self.lists.items(list);
        let first = items.get(at as usize);
        let node = first.map_or(self.document.root(), |item| item.node);
        let partial = program.name.partial;
        let (whole, end) = if partial {
            // The frame is that of the header's own children still.
            let done = here.done.checked_sub(1).and_then(|last| self.lists.items(here.list).get(last as usize));
            (node.range(), done.map_or(node.end(), |item| item.node.end()))
        } else if matches!(program.root, Root::Run { .. }) {
            let last = here.done.checked_sub(1).and_then(|last| items.get(last as usize));
            let last = last.map_or(node, |item| item.node);
            (node.start()..last.end(), self.trimmed_end(last))
        } else {
            (node.range(), self.trimmed_end(node))
        };
        let bindings = self.trail.iter().filter_map(|mark| self.binding(mark)).collect::<Vec<_>>();
        let kept = self.trail.iter().filter_map(|mark| self.kept(mark)).collect();
        let mut bindings: Vec<(Slot, Bound)> = bindings;
        bindings.sort_by_key(|(slot, _)| *slot);
        Match {
            range: node.start()..end - self.blanks_before(end),
            whole,
            kind: node.kind_id(),
            siblings: if matches!(program.root, Root::Run { .. }) { here.done.saturating_sub(at) as usize } else { 1 },
            partial,
            bindings: bindings
                .into_iter()
                .map(|(slot, bound)| Binding { name: self.program.slots[slot].clone(), bound })
                .collect(),
            kept,
        }
    }

    /// The white space with a line break in it that ends a node, such as a preprocessor's line.
    fn blanks_before(&self, end: usize) -> usize {
        let blanks = self.document.source[..end].iter().rev().take_while(|byte| byte.is_ascii_whitespace()).count();
        if self.document.source[end - blanks..end].contains(&b'\n') { blanks } else { 0 }
    }

    /// The end of a node without the terminator or separator that it ends with, nor a comment behind it.
    fn trimmed_end(&self, node: Node<'d>) -> usize {
        let language = self.document.language;
        let passed = |node: Node<'_>| {
            language.separators.contains(node.kind_id())
                || language.comments.contains(node.kind_id())
                || is_blank(node, self.document.source)
        };
        let mut cursor = node.walk();
        // The terminator may be that of the node's last child (a declaration in an export).
        loop {
            let node = cursor.node();
            if !cursor.last_child() || cursor.node().end() != node.end() {
                return node.end();
            }
            if passed(cursor.node()) {
                let mut children = node.children();
                while children.len() > 1 && children.last().is_some_and(|(last, _)| passed(*last)) {
                    children.pop();
                }
                match children.last() {
                    Some((last, _)) if last.end() == node.end() => cursor.reset(*last),
                    last => return last.map_or(node.end(), |(last, _)| last.end()),
                }
            }
        }
    }

    fn binding(&self, mark: &Mark<'d>) -> Option<(Slot, Bound)> {
        let captured = |node: Node<'d>| Captured {
            range: node.start()..node.end() - self.blanks_before(node.end()).min(node.range().len()),
            kind: node.kind_id(),
        };
        let bare = |list| self.document.language.token_lists.contains(self.lists.list(list).kind);
        match mark {
            Mark::One(slot, node) => Some((*slot, Bound::One(captured(*node)))),
            Mark::Content(slot, start, end) => Some((*slot, Bound::Content(*start..*end))),
            Mark::Many { slot, list, from, to, taken } => {
                let items = &self.lists.items(*list)[*from as usize..*to as usize];
                let elements = items
                    .iter()
                    .zip(*from..)
                    .filter(|(item, _)| !self.separates(**item) && (item.node.is_named() || bare(*list)))
                    .filter(|(_, index)| *index >= 64 || taken >> index & 1 == 0)
                    .map(|(item, _)| captured(item.node))
                    .collect();
                Some((*slot, Bound::Many { elements, span: self.span(*list, *from, *to) }))
            }
            Mark::Kept { .. } => None,
        }
    }

    fn kept(&self, mark: &Mark<'d>) -> Option<Kept> {
        let Mark::Kept { list, at, count, pc } = mark else { return None };
        let range = self.span(*list, *at, at + count);
        let mut pc = *pc as usize;
        let before = loop {
            match &self.program.ops[pc] {
                Op::Done => break Before::End,
                Op::Leaf { .. } | Op::Unnamed { .. } | Op::Text { .. } => {
                    break Before::Token(self.program.shown[pc].to_string());
                }
                Op::One { slot, .. } | Op::Token { slot, .. } | Op::Many { slot, .. } | Op::Attributes { slot } => {
                    if let Some(slot) = slot {
                        break Before::Metavariable(self.program.slots[*slot].to_string());
                    }
                    pc += 1;
                }
                Op::Jump { to } => pc = *to,
                _ => pc += 1,
            }
        };
        Some(Kept { range, before })
    }
}
