//! Runs a program at one place: a backtracking machine without recursion.
//!
//! A frame says how far a list of children has been accounted for; frames are never changed, so that a choice point
//! is three numbers. What was bound lies on a trail that a failed choice cuts back.

use rustc_hash::{FxHashSet, FxHasher};
use std::hash::{Hash, Hasher};
use vise_syntax::{Document, Injections, Node};

use crate::items::{self, Item, Lists};
use crate::matches::Match;
use crate::program::{Content, Op, Program, Slot};
use crate::strings;
use crate::tokens;

/// Steps at one place before it is given up.
pub(crate) const MAX_STEPS: usize = 1_000_000;

/// What metavariables must and must not look like.
#[derive(Debug, Clone, Default)]
pub(crate) struct Conditions {
    /// (slot, regex, whether it must match).
    pub on_slots: Vec<(Slot, regex::bytes::Regex, bool)>,
}

#[derive(Clone, Copy)]
pub(super) struct Frame {
    pub(super) list: u32,
    /// The next item.
    at: u32,
    /// Behind the last item that was not passed over.
    pub(super) done: u32,
    parent: u32,
    /// Items that an attribute step took, of the first 64.
    taken: u64,
}

#[derive(Clone, Copy)]
enum Resume {
    /// Run the step.
    Step,
    /// Leave the optional item unmentioned, then run the step.
    Skip,
    /// `$$$` takes one more item, and has begun at `from`.
    Longer { from: u32 },
    /// An attribute step looks on from this item.
    Attribute { from: u32 },
}

#[derive(Clone, Copy)]
struct Choice {
    pc: u32,
    frame: u32,
    trail: u32,
    resume: Resume,
}

#[derive(Clone)]
pub(super) enum Mark<'d> {
    One(Slot, Node<'d>),
    Content(Slot, usize, usize),
    Many { slot: Slot, list: u32, from: u32, to: u32, taken: u64 },
    Kept { list: u32, at: u32, count: u32, pc: u32 },
}

/// The outcome at one place.
pub(crate) enum Outcome {
    Match(Box<Match>),
    No,
    OverBudget,
}

/// How far the best failed attempt came: for the report when nothing matches.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Farthest {
    pub pc: usize,
    /// Where the item that did not fit begins and ends; the end of the list when one was missing.
    pub found: (usize, usize),
    pub root: usize,
}

pub(crate) struct Machine<'p, 'd, 's> {
    pub(super) program: &'p Program,
    conditions: &'p Conditions,
    pub(super) document: &'d Document<'s>,
    injections: &'p Injections<'d, 's>,
    pub lists: Lists<'d>,
    pub(super) frames: Vec<Frame>,
    choices: Vec<Choice>,
    pub(super) trail: Vec<Mark<'d>>,
    tried: FxHashSet<(u32, u32, u32, u64)>,
    pub farthest: Option<Farthest>,
}

impl<'p, 'd, 's> Machine<'p, 'd, 's> {
    pub(crate) fn new(
        program: &'p Program,
        conditions: &'p Conditions,
        injections: &'p Injections<'d, 's>,
        exact: bool,
    ) -> Self {
        let document = injections.document();
        Self {
            program,
            conditions,
            document,
            injections,
            lists: Lists::new(document, exact),
            frames: Vec::new(),
            choices: Vec::new(),
            trail: Vec::new(),
            tried: FxHashSet::default(),
            farthest: None,
        }
    }

    /// Tries the program with `node` as its root.
    pub(crate) fn at_node(&mut self, node: Node<'d>) -> Outcome {
        self.lists.trim();
        let list = self.lists.single(node);
        self.run(list, 0)
    }

    /// Tries the program on siblings, from one of them on.
    pub(crate) fn at_sibling(&mut self, list: u32, at: u32) -> Outcome {
        self.run(list, at)
    }

    fn run(&mut self, list: u32, at: u32) -> Outcome {
        self.frames.clear();
        self.choices.clear();
        self.trail.clear();
        self.tried.clear();
        self.frames.push(Frame { list, at, done: at, parent: u32::MAX, taken: 0 });
        let (mut pc, mut frame) = (0usize, 0u32);
        let mut resume = Resume::Step;
        for _ in 0..MAX_STEPS {
            let next = self.step(pc, frame, resume);
            resume = Resume::Step;
            match next {
                Some((next_pc, next_frame)) => (pc, frame) = (next_pc, next_frame),
                None => match self.choices.pop() {
                    None => return Outcome::No,
                    Some(choice) => {
                        self.trail.truncate(choice.trail as usize);
                        (pc, frame, resume) = (choice.pc as usize, choice.frame, choice.resume);
                    }
                },
            }
            if matches!(self.program.ops[pc], Op::Done) {
                return Outcome::Match(Box::new(self.harvest(list, at, frame)));
            }
        }
        Outcome::OverBudget
    }

    /// One step. `None` when it fails.
    fn step(&mut self, pc: usize, frame: u32, resume: Resume) -> Option<(usize, u32)> {
        let program = self.program;
        match &program.ops[pc] {
            Op::Jump { to } => Some((*to, frame)),
            Op::Either { other } => {
                self.choose(*other, frame, Resume::Step);
                Some((pc + 1, frame))
            }
            Op::Close { rest } => self.close(pc, frame, *rest),
            Op::Many { slot, container } => match (resume, container) {
                (Resume::Longer { from }, _) => self.longer(pc, frame, *slot, from),
                (_, Some(kind)) => self.filled(pc, frame, *slot, *kind),
                (_, None) => self.many(pc, frame, *slot),
            },
            Op::Attribute { kind } => {
                let from = if let Resume::Attribute { from } = resume { from } else { 0 };
                self.attribute(pc, frame, *kind, from)
            }
            Op::Attributes { slot } => self.attributes(pc, frame, *slot),
            Op::Done => None,
            op => self.item(pc, frame, op, matches!(resume, Resume::Skip)),
        }
    }

    /// A step that accounts for one item.
    fn item(&mut self, pc: usize, frame: u32, op: &Op, skip: bool) -> Option<(usize, u32)> {
        let here = self.skip_separators(frame);
        let Some(item) = self.lists.items(here.list).get(here.at as usize).copied() else {
            self.missed(pc, here, None);
            return None;
        };
        let count = u32::from(item.optional);
        if skip {
            self.trail.push(Mark::Kept { list: here.list, at: here.at, count, pc: pc as u32 });
            return Some((pc, self.push_frame(Frame { at: here.at + count, ..here })));
        }
        if count > 0 {
            let frame = self.push_frame(here);
            self.choose(pc, frame, Resume::Skip);
        }
        let result = self.fits(pc, here, item, op);
        if result.is_none() && count == 0 {
            self.missed(pc, here, Some(item));
        }
        result
    }

    fn fits(&mut self, pc: usize, here: Frame, item: Item<'d>, op: &Op) -> Option<(usize, u32)> {
        let behind = Frame { at: here.at + 1, done: here.at + 1, ..here };
        let field_fits = |field| field == 0 || item.field == 0 || field == item.field;
        match op {
            Op::Open { kind, field, between } => {
                let node = item.inner;
                if node.kind_id() != *kind || !field_fits(*field) {
                    return None;
                }
                if !between.is_empty()
                    && items::between(self.document.language, node, self.document.source) != **between
                {
                    return None;
                }
                let list = self.lists.of(node);
                Some((pc + 1, self.enter(list, behind)))
            }
            Op::Reread { kind, field } => {
                let node = item.inner;
                if node.kind_id() != *kind || !field_fits(*field) {
                    return None;
                }
                let list = self.lists.reread(node, self.injections)?;
                Some((pc + 1, self.enter(list, behind)))
            }
            Op::Leaf { kind, field, text, quote } => {
                let node = item.inner;
                if node.kind_id() != *kind || !field_fits(*field) || node.child_count() > 0 {
                    return None;
                }
                if text.is_empty() && !*quote {
                    return Some((pc + 1, self.push_frame(behind)));
                }
                let found = &self.document.source[node.range()];
                let found = if *quote { strings::without_quotes(found) } else { found };
                (found == &**text).then(|| (pc + 1, self.push_frame(behind)))
            }
            Op::Unnamed { kind, field } => {
                let same = item.node.kind_id() == *kind && field_fits(*field);
                same.then(|| (pc + 1, self.push_frame(behind)))
            }
            Op::Text { kind, field, prefix, content } => {
                let node = item.inner;
                let styles = &self.document.language.quote_styles;
                let style = styles.contains(*kind) && styles.contains(node.kind_id());
                if node.kind_id() != *kind && !style || !field_fits(*field) || !strings::is_plain(node) {
                    return None;
                }
                let text = &self.document.source[node.range()];
                let string = strings::split(text)?;
                if string.prefix != &**prefix {
                    return None;
                }
                let range = string.content.start + node.start()..string.content.end + node.start();
                match content {
                    Content::Literal(wanted) if self.document.source[range.clone()] != **wanted => return None,
                    Content::Any(Some(slot)) => self.bind(Mark::Content(*slot, range.start, range.end))?,
                    Content::Literal(_) | Content::Any(None) => {}
                }
                Some((pc + 1, self.push_frame(behind)))
            }
            Op::One { slot, field, not } => {
                let node = item.node;
                let fits = node.is_named() && !node.is_error() && !self.separates(item);
                if !fits || !field_fits(*field) || not.contains(&item.field) {
                    return None;
                }
                if let Some(slot) = slot {
                    self.bind(Mark::One(*slot, node))?;
                }
                Some((pc + 1, self.push_frame(behind)))
            }
            Op::Token { slot, field } => {
                if item.separator || item.node.is_error() || !field_fits(*field) {
                    return None;
                }
                if let Some(slot) = slot {
                    self.bind(Mark::One(*slot, item.node))?;
                }
                Some((pc + 1, self.push_frame(behind)))
            }
            _ => None,
        }
    }

    /// The end of a node: nothing but separators and what is optional may be left.
    fn close(&mut self, pc: usize, frame: u32, rest: bool) -> Option<(usize, u32)> {
        let mut here = self.frames[frame as usize];
        if rest {
            return Some((pc + 1, frame));
        }
        let len = self.lists.items(here.list).len() as u32;
        while here.at < len {
            let item = self.lists.items(here.list)[here.at as usize];
            if item.separator || self.is_taken(here) {
                here.at += 1;
            } else if item.optional > 0 {
                let count = u32::from(item.optional);
                self.trail.push(Mark::Kept { list: here.list, at: here.at, count, pc: pc as u32 });
                here.at += count;
            } else {
                self.missed(pc, here, Some(item));
                return None;
            }
        }
        Some((pc + 1, here.parent))
    }

    /// `$$$`: no item at first; one more each time that what follows fails.
    fn many(&mut self, pc: usize, frame: u32, slot: Option<Slot>) -> Option<(usize, u32)> {
        let here = self.skip_separators(frame);
        if let Some(bound) = slot.and_then(|slot| self.bound(slot)) {
            return self.repeated(pc, here, bound);
        }
        let frame = self.push_frame(here);
        self.extend_or_go(pc, frame, slot, here.at)
    }

    fn longer(&mut self, pc: usize, frame: u32, slot: Option<Slot>, from: u32) -> Option<(usize, u32)> {
        let here = self.skip_separators(frame);
        let item = *self.lists.items(here.list).get(here.at as usize)?;
        if self.document.language.clauses.contains(item.node.kind_id()) {
            return None;
        }
        let bare = self.document.language.token_lists.contains(self.lists.list(here.list).kind);
        if !item.node.is_named() && item.optional == 0 && !bare && !self.separates(item) {
            return None;
        }
        let frame = self.push_frame(Frame { at: here.at + 1, done: here.at + 1, ..here });
        self.extend_or_go(pc, frame, slot, from)
    }

    fn extend_or_go(&mut self, pc: usize, frame: u32, slot: Option<Slot>, from: u32) -> Option<(usize, u32)> {
        let here = self.frames[frame as usize];
        if here.at < self.lists.items(here.list).len() as u32 {
            self.choose(pc, frame, Resume::Longer { from });
        }
        // Coming to the same place with the same bindings again cannot end better than the first time.
        let key = (pc as u32, here.list, here.at, self.live_bindings(pc + 1, slot, here.list, from, here.at));
        if !self.tried.insert(key) {
            return None;
        }
        if let Some(slot) = slot {
            self.bind(Mark::Many { slot, list: here.list, from, to: here.at, taken: here.taken })?;
        }
        Some((pc + 1, frame))
    }

    /// `$$$` that is all of a list without delimiters: the list's items, or no list.
    fn filled(&mut self, pc: usize, frame: u32, slot: Option<Slot>, kind: vise_syntax::KindId) -> Option<(usize, u32)> {
        let here = self.skip_separators(frame);
        let item = self.lists.items(here.list).get(here.at as usize).copied();
        let (list, to, behind) = match item {
            Some(item) if item.node.kind_id() == kind => {
                let list = self.lists.of(item.node);
                let len = self.lists.items(list).len() as u32;
                (list, len, Frame { at: here.at + 1, done: here.at + 1, ..here })
            }
            _ => (here.list, here.at, here),
        };
        let from = if list == here.list { here.at } else { 0 };
        if let Some(slot) = slot {
            self.bind(Mark::Many { slot, list, from, to, taken: 0 })?;
        }
        Some((pc + 1, self.push_frame(behind)))
    }

    /// `$$$X` for the second time: the same elements, one by one.
    fn repeated(&mut self, pc: usize, here: Frame, bound: Mark<'d>) -> Option<(usize, u32)> {
        let Mark::Many { list, from, to, .. } = bound else { return None };
        let mut here = here;
        for index in from..to {
            let wanted = self.lists.items(list)[index as usize];
            if self.separates(wanted) {
                continue;
            }
            while self.lists.items(here.list).get(here.at as usize).is_some_and(|item| self.separates(*item)) {
                here.at += 1;
            }
            let item = *self.lists.items(here.list).get(here.at as usize)?;
            if !tokens::same(self.document, wanted.node, item.node) {
                return None;
            }
            here.at += 1;
            here.done = here.at;
        }
        Some((pc + 1, self.push_frame(here)))
    }

    fn attribute(&mut self, pc: usize, frame: u32, kind: vise_syntax::KindId, from: u32) -> Option<(usize, u32)> {
        let here = self.frames[frame as usize];
        let items = self.lists.items(here.list);
        let index = (from..items.len() as u32).find(|index| {
            items[*index as usize].node.kind_id() == kind && (*index >= 64 || here.taken >> index & 1 == 0)
        });
        let Some(index) = index else {
            self.missed(pc, here, None);
            return None;
        };
        let node = items[index as usize].node;
        self.choose(pc, frame, Resume::Attribute { from: index + 1 });
        let taken = here.taken | 1u64.checked_shl(index).unwrap_or(0);
        let list = self.lists.of(node);
        Some((pc + 1, self.enter(list, Frame { taken, ..here })))
    }

    fn attributes(&mut self, pc: usize, frame: u32, slot: Option<Slot>) -> Option<(usize, u32)> {
        let here = self.skip_separators(frame);
        let language = self.document.language;
        let items = self.lists.items(here.list);
        let open = |item: &Item<'d>| language.open_attributes.contains(item.node.kind_id());
        let Some(from) = items.iter().position(open) else {
            if let Some(slot) = slot {
                self.bind(Mark::Many { slot, list: here.list, from: here.at, to: here.at, taken: 0 })?;
            }
            return Some((pc + 1, self.push_frame(here)));
        };
        let to = items.iter().rposition(open).map_or(from, |last| last + 1) as u32;
        if let Some(slot) = slot {
            let mark = Mark::Many { slot, list: here.list, from: from as u32, to, taken: here.taken };
            self.bind(mark)?;
        }
        let mask = (from as u32..to.min(64)).fold(here.taken, |mask, index| mask | 1 << index);
        Some((pc + 1, self.push_frame(Frame { taken: mask, ..here })))
    }

    fn enter(&mut self, list: u32, behind: Frame) -> u32 {
        let parent = self.push_frame(behind);
        self.push_frame(Frame { list, at: 0, done: 0, parent, taken: 0 })
    }

    fn push_frame(&mut self, frame: Frame) -> u32 {
        self.frames.push(frame);
        self.frames.len() as u32 - 1
    }

    fn choose(&mut self, pc: usize, frame: u32, resume: Resume) {
        self.choices.push(Choice { pc: pc as u32, frame, trail: self.trail.len() as u32, resume });
    }

    /// The frame, moved on to an item that counts.
    fn skip_separators(&self, frame: u32) -> Frame {
        let mut here = self.frames[frame as usize];
        let items = self.lists.items(here.list);
        while items.get(here.at as usize).is_some_and(|item| item.separator) || self.is_taken(here) {
            here.at += 1;
        }
        here
    }

    fn is_taken(&self, here: Frame) -> bool {
        here.at < 64 && here.taken >> here.at & 1 == 1
    }

    /// Whether an item is no element, even where the choice of separator has a meaning.
    pub(super) fn separates(&self, item: Item<'_>) -> bool {
        item.separator || self.document.language.separators.contains(item.node.kind_id())
    }

    fn bound(&self, slot: Slot) -> Option<Mark<'d>> {
        self.trail
            .iter()
            .find(|mark| match mark {
                Mark::One(known, _) | Mark::Content(known, ..) | Mark::Many { slot: known, .. } => *known == slot,
                Mark::Kept { .. } => false,
            })
            .cloned()
    }

    /// Binds a metavariable, or compares with what it is bound to; and looks at the conditions.
    fn bind(&mut self, mark: Mark<'d>) -> Option<()> {
        let slot = match &mark {
            Mark::One(slot, _) | Mark::Content(slot, ..) | Mark::Many { slot, .. } => *slot,
            Mark::Kept { .. } => return Some(()),
        };
        if let Some(bound) = self.bound(slot) {
            return self.same(&bound, &mark).then_some(());
        }
        let range = self.range(&mark);
        for (_, regex, wanted) in self.conditions.on_slots.iter().filter(|(on, ..)| *on == slot) {
            if regex.is_match(&self.document.source[range.clone()]) != *wanted {
                return None;
            }
        }
        self.trail.push(mark);
        Some(())
    }

    fn same(&self, a: &Mark<'d>, b: &Mark<'d>) -> bool {
        match (a, b) {
            (Mark::One(_, a), Mark::One(_, b)) => tokens::same(self.document, *a, *b),
            _ => self.document.source[self.range(a)] == self.document.source[self.range(b)],
        }
    }

    fn range(&self, mark: &Mark<'d>) -> std::ops::Range<usize> {
        match mark {
            Mark::One(_, node) => node.range(),
            Mark::Content(_, start, end) => *start..*end,
            Mark::Many { list, from, to, .. } | Mark::Kept { list, at: from, pc: to, .. } => {
                let to = if let Mark::Kept { count, .. } = mark { from + count } else { *to };
                self.span(*list, *from, to)
            }
        }
    }

    /// From the first of these items to the last; empty behind the one before when there is none.
    pub(super) fn span(&self, list: u32, from: u32, to: u32) -> std::ops::Range<usize> {
        let items = self.lists.items(list);
        let (mut from, mut to) = (from as usize, to as usize);
        while from < to && self.separates(items[from]) {
            from += 1;
        }
        while from < to && self.separates(items[to - 1]) {
            to -= 1;
        }
        if from < to {
            return items[from].node.start()..items[to - 1].node.end();
        }
        let at = match from.checked_sub(1) {
            Some(before) => items[before].node.end(),
            None => items.get(from).map_or(self.lists.list(list).start, |item| item.node.start()),
        };
        at..at
    }

    /// A hash of what is bound so far and looked at later, `slot` as it is about to be bound included.
    fn live_bindings(&self, pc: usize, slot: Option<Slot>, list: u32, from: u32, to: u32) -> u64 {
        let live = &self.program.live[pc];
        if live.is_empty() {
            return 0;
        }
        let mut hasher = FxHasher::default();
        for wanted in live {
            if slot == Some(*wanted) {
                self.span(list, from, to).hash(&mut hasher);
            } else if let Some(mark) = self.bound(*wanted) {
                self.range(&mark).hash(&mut hasher);
            }
        }
        hasher.finish()
    }

    fn missed(&mut self, pc: usize, here: Frame, item: Option<Item<'d>>) {
        if let Some(farthest) = &mut self.farthest
            && pc >= farthest.pc
        {
            let items = self.lists.items(here.list);
            let end = items.last().map_or(self.lists.list(here.list).start, |last| last.node.end());
            let found = item.map_or((end, end), |item| (item.node.start(), item.node.end()));
            let root = self.lists.items(self.frames[0].list).first().map_or(0, |item| item.node.start());
            if pc > farthest.pc || farthest.found == (0, 0) {
                *farthest = Farthest { pc, found, root };
            }
        }
    }
}
