//! Parts on their way: from the node that is one to the node that wants it.

use vise_syntax::Node;

use super::build::UNKNOWN;
use super::matching::NONE;
use super::walk::{Frame, Given, Link, OWN, Value, Walk, Want};
use crate::rules::{Part, Role, set};

impl<'d, 'r> Walk<'d, '_, 'r> {
    /// The parts of a frame, those that it shares with others first; what was given to others stays.
    pub(super) fn take(&mut self, frame: &Frame<'d, 'r>) -> Vec<Given> {
        let me = self.frames.len() as u32 - 1;
        let mut taken = std::mem::take(&mut self.taken);
        taken.clear();
        if let Some(pattern) = frame.pattern.filter(|pattern| pattern.shared) {
            let outermost = me.saturating_sub(u32::from(pattern.depth));
            let first = self.frames[outermost as usize].given as usize;
            let each = pattern.settings.has(set::EACH);
            let shared = |given: &&Given| {
                given.frame >= outermost && given.pattern == frame.number && (!each || given.round == frame.round)
            };
            let here = self.given[first..frame.given as usize].iter().filter(shared);
            taken.extend(here.map(|given| Given { round: 0, ..*given }));
        }
        self.drop_given(frame, me, |given| {
            if given.pattern == OWN {
                taken.push(given);
            }
        });
        taken
    }

    /// Takes out what was given to the frame with this number; what was given to others stays, in its order.
    fn drop_given(&mut self, frame: &Frame<'d, 'r>, me: u32, mut each: impl FnMut(Given)) {
        let first = frame.given as usize;
        let mut kept = first;
        for at in first..self.given.len() {
            let given = self.given[at];
            if given.frame == me {
                each(given);
            } else {
                self.given[kept] = given;
                kept += 1;
            }
        }
        self.given.truncate(kept);
    }

    /// Drops what a node without a role holds for others.
    pub(super) fn forget_shared(&mut self, frame: &Frame<'d, 'r>) {
        let me = self.frames.len() as u32 - 1;
        if self.given[frame.given as usize..].iter().any(|given| given.frame == me) {
            self.drop_given(frame, me, |_| {});
        }
    }

    /// As [`Self::settle_frame`], for a node that was not opened.
    pub(super) fn settle(&mut self, value: Option<Value>, links: u32) {
        self.settle_frame(value, links, value.is_none(), false);
    }

    /// Gives the value of a node to those who want it, else to a node without a role around it.
    pub(super) fn settle_frame(&mut self, value: Option<Value>, links: u32, decorators_wait: bool, hands_down: bool) {
        if !decorators_wait && !self.pending.is_empty() {
            let parent = (self.frames.len() as u32).wrapping_sub(1);
            self.pending.retain(|(waiting, _)| *waiting != parent);
        }
        let mut wanted = false;
        let mut link = links;
        while link != NONE {
            let found = self.links[link as usize];
            link = found.next;
            if let Want::Part(part) = found.want {
                wanted = true;
                if hands_down && (part.is_text() || part == Part::Lambda) {
                    // The part that it stands for was given already.
                    continue;
                }
                let value = value.unwrap_or(Value::new(UNKNOWN, 0, 0));
                let Link { frame, pattern, round, .. } = found;
                let text =
                    if part.is_text() { self.text_of_value(&value, part, (frame, pattern, round)) } else { None };
                self.given.push(Given { frame, pattern, part, round, text, value });
            }
        }
        if let (false, Some(value), Some(parent)) = (wanted, value, self.frames.last_mut())
            && parent.pattern.is_none_or(|pattern| matches!(pattern.role, Role::Through | Role::Decorator))
        {
            parent.values += 1;
            parent.value = Some(value);
        }
    }

    /// Takes a node's text as a part.
    pub(super) fn give_text(&mut self, frame: u32, pattern: u16, part: Part, round: u16, node: Node<'d>) {
        let text = super::text::plain(self.m.text(node), part);
        let text = Some(self.b.name(text));
        let value = Value::new(UNKNOWN, self.line(node), node.start() as u32);
        self.given.push(Given { frame, pattern, part, round, text, value });
    }

    pub(super) fn mark(&mut self, frame: u32, pattern: u16, part: Part, round: u16, node: Node<'d>) {
        match part {
            Part::Body if pattern == OWN => self.frames[frame as usize].body = node.start() as u32,
            Part::All => {
                let value = Value::new(UNKNOWN, self.line(node), node.start() as u32);
                self.given.push(Given { frame, pattern, part, round, text: None, value });
            }
            _ => {}
        }
    }

    /// Gives a part that is there without a node of its own.
    pub(super) fn give(&mut self, frame: u32, part: Part, value: Value) {
        self.given.push(Given { frame, pattern: OWN, part, round: 0, text: None, value });
    }

    /// Gives a part on behalf of another one.
    pub(super) fn give_value(&mut self, (frame, pattern, round): (u32, u16, u16), part: Part, value: Value) {
        self.given.push(Given { frame, pattern, part, round, text: None, value });
    }

    /// Parts that were given to an open frame so far.
    pub(super) fn given_to(&self, frame: u32) -> impl Iterator<Item = &Given> {
        let first = self.frames[frame as usize].given as usize;
        self.given[first..].iter().filter(move |given| given.frame == frame && given.pattern == OWN)
    }
}
