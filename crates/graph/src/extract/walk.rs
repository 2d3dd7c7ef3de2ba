//! The one walk: a stack of open nodes, each with what it wants of the nodes below it.
//!
//! When a node is entered its children are listed once, its pattern is found among those of its kind, and each child
//! that somebody wants something of gets *links*. A link says: this child is a part of that open node; or: the
//! patterns for what is inside this child are these; or: this child has that role, by a pattern that began further out.
//! When a node is left its value is made of the parts that were given to it, and goes where its own links say.

use std::ops::Range;

use vise_syntax::{Document, Injections, Node, TreeArena};

use super::build::{Builder, NOWHERE, Position, UNKNOWN};
use super::matching::{Child, Match, Matcher, NONE};
use crate::facts::{ExprId, NameId, SymbolIx};
use crate::rules::{Alt, Part, Pattern, Role, Rules};

/// A number of a pattern that stands for the node's own.
pub(super) const OWN: u16 = u16::MAX;

/// What somebody wants of a node.
#[derive(Clone, Copy)]
pub(super) enum Want<'r> {
    /// It is a part.
    Part(Part),
    /// Its children are these parts.
    Inside(&'r Alt),
    /// It has the role of the pattern.
    Role(&'r Alt),
    /// This pattern is not for it.
    Except,
}

#[derive(Clone, Copy)]
pub(super) struct Link<'r> {
    pub want: Want<'r>,
    /// Who wants it.
    pub frame: u32,
    /// For which pattern; [`OWN`] where that is the frame's.
    pub pattern: u16,
    pub round: u16,
    pub next: u32,
}

/// A node that is open.
#[derive(Clone, Copy)]
pub(super) struct Frame<'d, 'r> {
    pub node: Node<'d>,
    pub pattern: Option<&'r Pattern>,
    /// Number of its pattern.
    pub number: u16,
    /// Which time the pattern fits, of one that begins further out.
    pub round: u16,
    /// The next child, and the end of its children.
    pub next: u32,
    pub end: u32,
    pub first: u32,
    /// What others want of it.
    pub links: u32,
    links_mark: u32,
    /// Where the parts that were given to it begin.
    pub given: u32,
    /// Where the walk was before, if this node changed that.
    pub before: Option<u32>,
    /// The one value among its children, for a node without a role.
    pub value: Option<Value>,
    pub values: u32,
    /// The symbol that it defines.
    pub symbol: Option<SymbolIx>,
    /// The symbol of what it will declare, made early because something in its value belongs to it.
    pub reserved: Option<SymbolIx>,
    /// Number of expressions when it was entered.
    pub exprs: u32,
    /// Flags of what it defines.
    pub flags: u32,
    /// First byte of its body, and of its definition with decorators.
    pub body: u32,
    pub start: u32,
    /// Whether its children stand in an injected tree.
    pub injected: bool,
    /// How often its pattern fits.
    pub rounds: u16,
}

/// What a node is worth.
#[derive(Debug, Clone, Copy)]
pub(super) struct Value {
    pub expr: ExprId,
    /// The use that stands for it; [`NONE`] for none.
    pub site: u32,
    /// Line of the name in it that counts.
    pub line: u32,
    /// First byte.
    pub start: u32,
    /// Of an argument: its name.
    pub name: Option<NameId>,
    /// Of an argument: whether it stands for many.
    pub spread: bool,
}

/// A part that was given to a frame.
#[derive(Debug, Clone, Copy)]
pub(super) struct Given {
    pub frame: u32,
    pub pattern: u16,
    pub part: Part,
    pub round: u16,
    /// Of a text part: the text.
    pub text: Option<NameId>,
    pub value: Value,
}

pub(super) struct Walk<'d, 's, 'r> {
    pub rules: &'r Rules,
    pub m: Matcher<'d, 's, 'r>,
    pub b: Builder,
    pub frames: Vec<Frame<'d, 'r>>,
    pub links: Vec<Link<'r>>,
    pub given: Vec<Given>,
    /// Room for the parts of the frame that is left.
    pub taken: Vec<Given>,
    pub before: Vec<Position>,
    /// Decorators that wait for the next definition, each with the frame that it stands in.
    pub pending: Vec<(u32, Value)>,
    /// Type parameters that wait for the next definition.
    pub pending_types: Vec<(NameId, Vec<ExprId>)>,
    /// Whether the file holds tests.
    pub is_test_file: bool,
    /// The last module that was named as a value, and its row among the imports.
    pub last_module: Option<(ExprId, usize)>,
    pub injections: Injections<'d, 's>,
    /// How many injected trees the walk is in.
    pub injected: u32,
    /// Offsets of line starts, made when an injected tree needs them.
    pub line_starts: Vec<u32>,
}

impl Frame<'_, '_> {
    /// The children that are still to come.
    pub(super) fn children(&self) -> Range<usize> {
        self.next as usize..self.end as usize
    }
}

impl Given {
    /// The same part with nothing known of it.
    pub(super) fn unknown(self) -> Self {
        Self { text: None, value: Value::new(UNKNOWN, 0, 0), ..self }
    }

    /// Whether it was given to a frame for a pattern.
    pub(super) fn belongs_to(&self, frame: u32, pattern: u16) -> bool {
        self.frame == frame && self.pattern == pattern
    }
}

impl Value {
    /// A value without a name that is used.
    pub(super) fn new(expr: ExprId, line: u32, start: u32) -> Self {
        Self { expr, site: NONE, line, start, name: None, spread: false }
    }
}

impl<'d, 's, 'r> Walk<'d, 's, 'r> {
    pub(super) fn new(document: &'d Document<'s>, arena: &'d TreeArena, rules: &'r Rules, is_test_file: bool) -> Self {
        Self {
            rules,
            m: Matcher::new(rules, document.source, document.root()),
            b: Builder::new(rules.words.type_scopes_are_open),
            frames: Vec::with_capacity(64),
            links: Vec::with_capacity(128),
            given: Vec::with_capacity(128),
            taken: Vec::new(),
            before: Vec::new(),
            pending: Vec::new(),
            pending_types: Vec::new(),
            is_test_file,
            last_module: None,
            injections: Injections::new(document, arena),
            injected: 0,
            line_starts: Vec::new(),
        }
    }

    /// Walks the whole tree.
    pub(super) fn run(&mut self, root: Node<'d>) {
        self.enter(Child { node: root, kind: root.kind_id(), field: 0, links: NONE, closed: false });
        while let Some(frame) = self.frames.last_mut() {
            if frame.next == frame.end {
                self.leave();
                continue;
            }
            let at = frame.next as usize;
            frame.next += 1;
            let child = self.m.children[at];
            if !child.closed || child.links != NONE {
                self.enter(child);
            }
        }
    }

    fn enter(&mut self, child: Child<'d>) {
        let kind = self.rules.kind(child.kind);
        let leaf = child.node.child_count() == 0;
        if leaf && kind.own.is_empty() && child.links == NONE {
            return;
        }
        let mark = self.m.found.len();
        let inside = if leaf { self.m.children.len()..self.m.children.len() } else { self.m.collect(child.node) };
        let chosen = self.choose(&child, inside.clone());
        let role = chosen.map(|(number, ..)| self.rules.patterns[usize::from(number)].role);
        if kind.redirects && child.links != NONE && self.is_text(&child, role) || role == Some(Role::Ignore) {
            self.m.children.truncate(inside.start);
            self.m.found.truncate(mark);
            return self.settle(None, NONE);
        }
        let mut frame = Frame {
            node: child.node,
            pattern: None,
            number: OWN,
            round: 0,
            next: inside.start as u32,
            end: inside.end as u32,
            first: inside.start as u32,
            links: child.links,
            links_mark: self.links.len() as u32,
            given: self.given.len() as u32,
            before: None,
            value: None,
            values: 0,
            symbol: None,
            reserved: None,
            exprs: self.b.facts.exprs.len() as u32,
            flags: 0,
            body: NOWHERE,
            start: child.node.start() as u32,
            injected: false,
            rounds: 1,
        };
        if let Some((number, alt, round)) = chosen {
            let pattern = &self.rules.patterns[usize::from(number)];
            frame.pattern = Some(pattern);
            frame.number = number;
            frame.round = round;
            if let (true, Some(value)) = (leaf && alt.parts.is_empty(), self.simple(pattern, child.node)) {
                return self.settle(Some(value), child.links);
            }
            let own_text =
                matches!(role, Some(Role::Import | Role::Package | Role::NamedArgument | Role::Pair | Role::Reference));
            if own_text && !alt.below && alt.parts.iter().all(|part| part.is_text()) {
                // Its text says it all.
                frame.end = frame.next;
            }
            if role == Some(Role::Tokens) {
                self.m.found.truncate(mark);
                self.read_tokens(&mut frame, child.node);
            }
            let again = self.open(frame, pattern, alt, mark);
            self.m.found.truncate(mark);
            if !again && !frame.injected {
                self.look_inside(&child, inside, mark);
            }
            self.begin(pattern);
        } else {
            self.frames.push(frame);
            self.m.found.truncate(mark);
            self.look_inside(&child, inside, mark);
            if self.holds_members(&child) {
                self.begin_anonymous();
            }
        }
    }

    /// Whether a node holds the members of a type without a name, of which an instance is made.
    fn holds_members(&self, child: &Child<'d>) -> bool {
        let mut link = child.links;
        while link != NONE {
            let found = self.links[link as usize];
            if matches!(found.want, Want::Part(Part::Body)) {
                return true;
            }
            link = found.next;
        }
        false
    }

    /// The pattern that gives a node its role: the first that fits of those for its kind and those from outside.
    fn choose(&mut self, child: &Child<'d>, inside: Range<usize>) -> Option<(u16, &'r Alt, u16)> {
        let rules = self.rules;
        let mut own = rules.kind(child.kind).own.iter().copied().peekable();
        // What a pattern goes through on the way to its parts is no value by itself.
        let mut passed = false;
        let mut except: Vec<u16> = Vec::new();
        let mut outside: Vec<(u16, &'r Alt, u16)> = Vec::new();
        let mut link = child.links;
        while link != NONE {
            let found = self.links[link as usize];
            match found.want {
                Want::Role(alt) => outside.push((found.pattern, alt, found.round)),
                Want::Except => except.push(found.pattern),
                Want::Inside(alt) => passed |= found.pattern == OWN && alt.parts.is_empty(),
                Want::Part(_) => {}
            }
            link = found.next;
        }
        outside.sort_by_key(|(number, ..)| *number);
        let mut outside = outside.into_iter().peekable();
        loop {
            let first_own = own.peek().is_some_and(|number| outside.peek().is_none_or(|(other, ..)| number < other));
            let (number, alt, round) = if first_own {
                let number = own.next()?;
                (number, &rules.patterns[usize::from(number)].root, 0)
            } else {
                outside.next()?
            };
            let pattern = &rules.patterns[usize::from(number)];
            let is_test = pattern.role == Role::Definition(crate::kinds::SymbolKind::Test);
            if except.contains(&number) || is_test && !self.is_test_file {
                continue;
            }
            if self.m.fits(pattern, alt, child, inside.clone()) {
                let is_value =
                    matches!(pattern.role, Role::Call | Role::New | Role::Member | Role::Index | Role::Apply);
                return Some((number, alt, round)).filter(|_| !(passed && is_value));
            }
        }
    }

    /// Gives the children of a node with a role their links. A node that is itself a part of its role is its own only
    /// child, for what else it is; that it says.
    fn open(&mut self, frame: Frame<'d, 'r>, pattern: &'r Pattern, alt: &'r Alt, mark: usize) -> bool {
        let me = self.frames.len() as u32;
        self.frames.push(frame);
        // The node itself may be a part: its text at once, its value by entering it once more for its other role.
        let own_value = alt.parts.iter().any(|part| !part.is_text() && !part.is_mark());
        let own_part = self.own_part(pattern, alt, frame.end > frame.next);
        let own_value = own_value || own_part.is_some();
        for part in &alt.parts {
            if part.is_text() {
                self.give_text(me, OWN, *part, 0, frame.node);
            } else if part.is_mark() {
                self.mark(me, OWN, *part, 0, frame.node);
            }
        }
        if own_value {
            self.m.found.truncate(mark);
            let first = self.m.children.len() as u32;
            let mut links = NONE;
            for part in alt.parts.iter().copied().filter(|part| !part.is_text()).chain(own_part) {
                links = self.link(Want::Part(part), me, OWN, 0, links);
            }
            links = self.link(Want::Except, me, frame.number, 0, links);
            let mut from_outside = frame.links;
            while from_outside != NONE {
                let found = self.links[from_outside as usize];
                from_outside = found.next;
                if matches!(found.want, Want::Inside(_) | Want::Except) {
                    links = self.link(found.want, found.frame, found.pattern, found.round, links);
                }
            }
            let kind = frame.node.kind_id();
            self.m.children.push(Child { node: frame.node, kind, field: 0, links, closed: false });
            let frame = &mut self.frames[me as usize];
            (frame.next, frame.end) = (first, first + 1);
            return true;
        }
        self.assign(mark, me, OWN, pattern);
        if pattern.role == Role::Through {
            self.hand_down(&frame, me);
        }
        false
    }

    /// The part that a node is of its own role without being captured.
    fn own_part(&self, pattern: &Pattern, alt: &Alt, has_children: bool) -> Option<Part> {
        match pattern.role {
            Role::Default if !alt.below => Some(Part::Value),
            // A pattern that is a parameter takes it apart.
            Role::Parameter if has_children && !pattern.has_name && !alt.below => Some(Part::Target),
            _ => None,
        }
    }

    /// What others want of a node as a text or a function goes on to the part that it stands for.
    fn hand_down(&mut self, frame: &Frame<'d, 'r>, me: u32) {
        let stands_for = |links: &[Link<'r>], mut link: u32| {
            while link != NONE {
                let found = links[link as usize];
                if matches!(found.want, Want::Part(Part::Through)) && found.frame == me {
                    return true;
                }
                link = found.next;
            }
            false
        };
        let mut children = frame.next as usize..frame.end as usize;
        let Some(at) = children.find(|at| stands_for(&self.links, self.m.children[*at].links)) else { return };
        // Where nobody wants a value the part is looked at for its text only.
        let wants_value = |want: Want<'r>| matches!(want, Want::Part(part) if !part.is_text() && part != Part::Lambda);
        let mut valued = frame.links == NONE;
        let mut link = frame.links;
        while link != NONE {
            valued |= wants_value(self.links[link as usize].want);
            link = self.links[link as usize].next;
        }
        let child = self.m.children[at];
        let mut links = if valued { child.links } else { NONE };
        let mut closed = child.closed || !valued;
        let mut link = frame.links;
        while link != NONE {
            let Link { want, frame, pattern, round, next } = self.links[link as usize];
            link = next;
            match want {
                Want::Part(part) if part.is_text() && !self.rules.kind(child.kind).redirects => {
                    self.give_text(frame, pattern, part, round, child.node);
                }
                Want::Part(part) if part.is_text() || part == Part::Lambda => {
                    links = self.link(want, frame, pattern, round, links);
                    closed = false;
                }
                _ => {}
            }
        }
        let child = &mut self.m.children[at];
        (child.links, child.closed) = (links, closed);
    }

    /// Turns what was found since `mark` into links.
    fn assign(&mut self, mark: usize, frame: u32, number: u16, pattern: &'r Pattern) {
        for at in mark..self.m.found.len() {
            let Match { child: at, alt, round } = self.m.found[at];
            if number == OWN {
                self.frames[frame as usize].rounds = self.frames[frame as usize].rounds.max(round + 1);
            }
            let child = self.m.children[at as usize];
            let mut links = child.links;
            let mut closed = child.closed;
            if alt.is_role && number != OWN {
                // Its parts are its own, and are found when it is entered.
                self.m.children[at as usize].links = self.link(Want::Role(alt), frame, number, round, links);
                continue;
            }
            for part in &alt.parts {
                if *part == Part::Body && pattern.role == Role::New {
                    links = self.link(Want::Part(*part), frame, number, round, links);
                } else if part.is_mark() {
                    closed |= *part == Part::Ignore;
                    self.mark(frame, number, *part, round, child.node);
                } else if part.is_text() && !(self.rules.kind(child.kind).redirects && hands_down(pattern, *part)) {
                    self.give_text(frame, number, *part, round, child.node);
                    closed |= *part != Part::Modifiers;
                } else {
                    links = self.link(Want::Part(*part), frame, number, round, links);
                }
            }
            if alt.below {
                links = self.link(Want::Inside(alt), frame, number, round, links);
            }
            let child = &mut self.m.children[at as usize];
            (child.links, child.closed) = (links, closed);
        }
    }

    pub(super) fn link(&mut self, want: Want<'r>, frame: u32, pattern: u16, round: u16, next: u32) -> u32 {
        self.links.push(Link { want, frame, pattern, round, next });
        self.links.len() as u32 - 1
    }

    /// What the links of a node and the patterns that begin at it say about what is inside.
    fn look_inside(&mut self, child: &Child<'d>, inside: Range<usize>, mark: usize) {
        let rules = self.rules;
        let mut link = child.links;
        while link != NONE {
            let found = self.links[link as usize];
            link = found.next;
            if let Want::Inside(alt) = found.want {
                let frame_number = self.frames[found.frame as usize].number;
                let number = if found.pattern == OWN { frame_number } else { found.pattern };
                let pattern = &rules.patterns[usize::from(number)];
                self.m.sequence(alt, inside.clone(), 0);
                for at in mark..self.m.found.len() {
                    self.m.found[at].round = found.round;
                }
                // What lies on the way to the node with the role holds the parts beside it.
                let holder = if alt.on_path { self.frames.len() as u32 - 1 } else { found.frame };
                self.assign(mark, holder, found.pattern, pattern);
                self.m.found.truncate(mark);
            }
        }
        let me = self.frames.len() as u32 - 1;
        for number in &rules.kind(child.kind).outer {
            let pattern = &rules.patterns[usize::from(*number)];
            if self.m.fits(pattern, &pattern.root, child, inside.clone()) {
                self.assign(mark, me, *number, pattern);
            }
            self.m.found.truncate(mark);
        }
    }

    /// Gives a text part whose node hands nothing down, if there is one; says whether the node is done with.
    fn is_text(&mut self, child: &Child<'d>, role: Option<Role>) -> bool {
        let hands_down = matches!(role, Some(Role::Through | Role::Member | Role::Apply));
        let mut others = false;
        let mut given = false;
        let mut link = child.links;
        while link != NONE {
            let found = self.links[link as usize];
            match found.want {
                Want::Part(part) if part.is_text() => {
                    if !hands_down {
                        self.give_text(found.frame, found.pattern, part, found.round, child.node);
                        given = true;
                    }
                }
                Want::Except => {}
                _ => others = true,
            }
            link = found.next;
        }
        given && !others
    }

    fn leave(&mut self) {
        let Some(frame) = self.frames.last().copied() else { return };
        let value = if let Some(pattern) = frame.pattern {
            let given = self.take(&frame);
            let value = self.finish(&frame, pattern, &given);
            self.taken = given;
            if let Some(before) = frame.before {
                self.restore(before, &frame, pattern);
            }
            value
        } else if let Some(ix) = frame.symbol {
            self.forget_shared(&frame);
            Some(self.end_anonymous(&frame, ix))
        } else {
            self.forget_shared(&frame);
            frame.value.filter(|_| frame.values == 1)
        };
        self.drop_reserved();
        let me = self.frames.len() as u32 - 1;
        self.frames.pop();
        if frame.injected {
            self.injected -= 1;
        }
        self.m.children.truncate(frame.first as usize);
        if frame.pattern.is_none_or(|pattern| pattern.role == Role::Decorator) {
            // A decorator inside a node that is nothing itself waits beside that node.
            for (waiting, _) in &mut self.pending {
                *waiting = (*waiting).min(me.saturating_sub(1));
            }
        } else {
            self.pending.retain(|(waiting, _)| *waiting < me);
        }
        let is_decorator = frame.pattern.is_some_and(|pattern| pattern.role == Role::Decorator);
        let still_waits = frame.pattern.is_none() && frame.values == 0;
        let hands_down = frame.pattern.is_some_and(|pattern| pattern.role == Role::Through);
        self.settle_frame(value, frame.links, is_decorator || still_waits, hands_down);
        self.links.truncate(frame.links_mark as usize);
    }
}

/// Whether a text part is looked for below a node that hands names down.
fn hands_down(pattern: &Pattern, part: Part) -> bool {
    matches!(part, Part::Name | Part::Property)
        && pattern.role != Role::Definition(crate::kinds::SymbolKind::Namespace)
        && matches!(
            pattern.role,
            Role::Definition(_) | Role::Parameter | Role::TypeParameter | Role::Member | Role::Call | Role::Through
        )
}
