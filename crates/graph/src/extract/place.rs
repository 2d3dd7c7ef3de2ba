//! Where things stand: lines, headers, and texts that are read again.

use vise_syntax::Node;

use super::matching::{Child, NONE};
use super::walk::{Frame, OWN, Walk, Want};
use crate::rules::{Part, Role};

impl<'d, 'r> Walk<'d, '_, 'r> {
    /// Reads a node's text again; the children of what it was read as take the place of its own.
    pub(super) fn read_tokens(&mut self, frame: &mut Frame<'d, 'r>, node: Node<'d>) {
        // Literals and signs alone are not worth a second look.
        let worth = |child: &Child<'d>| {
            let own = &self.rules.kind(child.kind).own[..];
            own.iter().any(|number| self.rules.patterns[usize::from(*number)].role != Role::Literal)
        };
        if !self.m.children[frame.children()].iter().any(worth) {
            return;
        }
        let Some(holder) = self.injections.read(node) else { return };
        self.m.children.truncate(frame.first as usize);
        let inside = self.m.collect(holder);
        let mut at = inside.start;
        while at < self.m.children.len() {
            let found = self.m.children[at].node;
            if found.start() < node.start() || found.end() > node.end() || found.start() == found.end() {
                self.m.children.remove(at);
            } else {
                at += 1;
            }
        }
        let me = self.frames.len() as u32;
        for at in inside.start..self.m.children.len() {
            if self.rules.kind(self.m.children[at].kind).named {
                self.m.children[at].links = self.link(Want::Part(Part::Element), me, OWN, 0, NONE);
            }
        }
        frame.end = self.m.children.len() as u32;
        frame.injected = true;
        self.injected += 1;
    }

    /// The node at which the definition of a frame begins: its own, or what it shares its header with.
    pub(super) fn header_node(&self, frame: &Frame<'d, 'r>) -> Node<'d> {
        let levels = frame.pattern.map_or(0, |pattern| u32::from(pattern.header));
        let me = self.frames.len() as u32 - 1;
        let around = &self.frames[me.saturating_sub(levels) as usize];
        // What another definition is around shares its parts, but begins where it stands.
        let is_definition = around.pattern.is_some_and(|pattern| matches!(pattern.role, Role::Definition(_)));
        if levels == 0 || is_definition { frame.node } else { around.node }
    }

    /// The line of a node's first byte.
    pub(super) fn line(&mut self, node: Node<'_>) -> u32 {
        if self.injected == 0 { node.line() as u32 } else { self.line_at(node.start()) }
    }

    /// The line of a node's last byte.
    pub(super) fn end_line(&mut self, node: Node<'_>) -> u32 {
        if self.injected == 0 { node.end_line() as u32 } else { self.line_at(node.end()) }
    }

    /// The line of an offset, from 1.
    pub(super) fn line_at(&mut self, offset: usize) -> u32 {
        if self.line_starts.is_empty() {
            self.line_starts.push(0);
            let ends = self.m.source.iter().enumerate().filter(|(_, byte)| **byte == b'\n');
            self.line_starts.extend(ends.map(|(at, _)| at as u32 + 1));
        }
        self.line_starts.partition_point(|start| *start as usize <= offset) as u32
    }
}
