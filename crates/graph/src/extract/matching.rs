//! Which children of a node are which parts of a pattern.

use std::ops::Range;

use vise_syntax::{Cursor, FieldId, KindId, Node};

use crate::rules::{Alt, Pattern, Piece, Rules, set};

/// No link.
pub(super) const NONE: u32 = u32::MAX;

/// A node that the walk will come to.
#[derive(Clone, Copy)]
pub(super) struct Child<'d> {
    pub node: Node<'d>,
    pub kind: KindId,
    pub field: FieldId,
    /// What others want of it; see `walk.rs`.
    pub links: u32,
    /// Whether it is not to be entered.
    pub closed: bool,
}

/// A child that is a part.
#[derive(Clone, Copy)]
pub(super) struct Match<'r> {
    /// Its place in the list of children.
    pub child: u32,
    /// The part.
    pub alt: &'r Alt,
    /// Which time the pattern fits, where it may several times.
    pub round: u16,
}

/// Compares nodes with patterns. Children are looked at through a cursor, each once for a pattern's level.
pub(super) struct Matcher<'d, 's, 'r> {
    pub rules: &'r Rules,
    pub source: &'s [u8],
    /// The children of all nodes that are entered, one node after the other.
    pub children: Vec<Child<'d>>,
    /// What was found, the last pattern's last.
    pub found: Vec<Match<'r>>,
    cursor: Cursor<'d>,
}

impl<'d, 's, 'r> Matcher<'d, 's, 'r> {
    pub(super) fn new(rules: &'r Rules, source: &'s [u8], root: Node<'d>) -> Self {
        Self { rules, source, children: Vec::with_capacity(256), found: Vec::with_capacity(64), cursor: root.walk() }
    }

    /// The text of a node.
    pub(super) fn text(&self, node: Node<'_>) -> &'s [u8] {
        self.source.get(node.range()).unwrap_or_default()
    }

    /// Appends the children of a node that the walk may need.
    pub(super) fn collect(&mut self, node: Node<'d>) -> Range<usize> {
        let first = self.children.len();
        self.cursor.reset(node);
        if self.cursor.first_child() {
            loop {
                let node = self.cursor.node();
                let kind = node.kind_id();
                if !self.rules.kind(kind).skipped {
                    let field = self.cursor.field();
                    self.children.push(Child { node, kind, field, links: NONE, closed: false });
                }
                if !self.cursor.next_sibling() {
                    break;
                }
            }
        }
        first..self.children.len()
    }

    /// Whether a node that has this kind fits, by its text and its children; what fits is appended to `found`.
    pub(super) fn fits(&mut self, pattern: &'r Pattern, alt: &'r Alt, child: &Child<'d>, inside: Range<usize>) -> bool {
        let mark = self.found.len();
        let fits = self.conditions(alt, child)
            && !self.has_absent(alt, inside.clone())
            && self.sequence(alt, inside.clone(), pattern.settings.bits)
            && self.pairs_hold(pattern, alt, child, inside);
        if !fits {
            self.found.truncate(mark);
        }
        fits
    }

    fn conditions(&self, alt: &Alt, child: &Child<'d>) -> bool {
        (alt.field == 0 || alt.field == child.field)
            && (alt.checks.is_empty() || {
                let text = self.text(child.node);
                alt.checks.iter().all(|check| check.holds(text))
            })
    }

    fn has_absent(&self, alt: &Alt, inside: Range<usize>) -> bool {
        !alt.absent.is_empty() && self.children[inside].iter().any(|child| alt.absent.contains(&child.field))
    }

    fn alt_fits(&mut self, alt: &'r Alt, at: usize) -> bool {
        let child = self.children[at];
        alt.kinds.contain(child.kind, self.rules.kind(child.kind).named)
            && self.conditions(alt, &child)
            && (!alt.strict || self.inside_fits(alt, child.node))
    }

    /// Looks ahead into a node that the walk has yet to enter.
    fn inside_fits(&mut self, alt: &'r Alt, node: Node<'d>) -> bool {
        let mark = self.found.len();
        let inside = self.collect(node);
        let first = inside.start;
        let fits = !self.has_absent(alt, inside.clone()) && self.sequence(alt, inside, 0);
        self.children.truncate(first);
        self.found.truncate(mark);
        fits
    }

    /// Finds the parts among the children, in order; the last that fits takes what is left. Of the settings those count
    /// that are about this.
    pub(super) fn sequence(&mut self, alt: &'r Alt, inside: Range<usize>, settings: u64) -> bool {
        let pieces = &alt.pieces[..];
        if pieces.is_empty() {
            return true;
        }
        let mark = self.found.len();
        let (fits, taken) = self.greedy(pieces, inside.clone(), settings, usize::MAX);
        if fits {
            return true;
        }
        self.found.truncate(mark);
        // A part that may be missing may have taken what another one needs.
        for given_up in (0..pieces.len().min(64)).rev() {
            if taken >> given_up & 1 == 1 && !pieces[given_up].required {
                if self.greedy(pieces, inside.clone(), settings, given_up).0 {
                    return true;
                }
                self.found.truncate(mark);
            }
        }
        false
    }

    fn greedy(&mut self, pieces: &'r [Piece], inside: Range<usize>, settings: u64, given_up: usize) -> (bool, u64) {
        let each = settings & set::EACH != 0;
        let adjacent = settings & set::ADJACENT != 0;
        let mark = self.found.len();
        let first = inside.start;
        let mut taken = 0_u64;
        let mut next = 0;
        let mut repeated = None;
        let mut round = 0;
        // Places among the named children; a token stands at the end of the place before it.
        let mut place = 0_i64;
        let mut last_taken: Option<i64> = None;
        let named = |matcher: &Self, at: usize| matcher.rules.kind(matcher.children[at].kind).named;
        let last =
            if pieces.iter().any(|piece| piece.last) { inside.clone().rev().find(|at| named(self, *at)) } else { None };
        for at in inside {
            let is_named = named(self, at);
            let mut behind = last_taken.map_or(place == 0, |taken| taken + 1 == place);
            if adjacent && behind {
                behind = self.found.last().is_none_or(|before| self.touch(before.child as usize, at));
            }
            let mut fitting = None;
            let mut piece = next;
            while piece < pieces.len() {
                if piece != given_up {
                    fitting = self.piece_fits(&pieces[piece], at, behind, last == Some(at)).map(|alt| (piece, alt));
                }
                if fitting.is_some() || pieces[piece].required {
                    break;
                }
                piece += 1;
            }
            if each
                && fitting.is_none()
                && next > 0
                && pieces.get(next).is_some_and(|piece| piece.required && piece.anchored)
            {
                // What began here does not go on: perhaps it begins again.
                self.found.retain(|found| found.round < round || (found.child as usize) < first);
                (next, last_taken) = (0, None);
                fitting = self.again(pieces, at, false, last == Some(at));
            }
            let complete = |next: usize| !pieces[next..].iter().any(|piece| piece.required);
            if fitting.is_none() && each && next > 0 && complete(next) {
                fitting = self.again(pieces, at, behind, last == Some(at));
                if let Some((first, _)) = fitting {
                    round += 1;
                    self.repeat(mark, pieces, first, round);
                }
            } else if fitting.is_none() && !each {
                let again = repeated.filter(|piece: &usize| !pieces[*piece].anchored);
                fitting = again.and_then(|piece| {
                    self.piece_fits(&pieces[piece], at, behind, last == Some(at)).map(|alt| (piece, alt))
                });
                if let Some((piece, alt)) = fitting {
                    // Not one step further: the piece was passed before.
                    self.found.push(Match { child: at as u32, alt, round });
                    last_taken = Some(place - i64::from(!is_named));
                    place += i64::from(is_named);
                    repeated = Some(piece);
                    continue;
                }
            }
            if let Some((piece, alt)) = fitting {
                self.found.push(Match { child: at as u32, alt, round });
                taken |= 1 << piece.min(63);
                next = piece + 1;
                repeated = Some(piece);
                last_taken = Some(place - i64::from(!is_named));
            }
            place += i64::from(is_named);
        }
        if each && round > 0 && pieces[next..].iter().any(|piece| piece.required) {
            // The last round began and did not end; those before it hold.
            self.found.retain(|found| found.round < round);
            return (true, taken);
        }
        (!pieces[next..].iter().any(|piece| piece.required), taken)
    }

    /// Whether only white space stands between two children.
    fn touch(&self, before: usize, at: usize) -> bool {
        let between = self.children[before].node.end()..self.children[at].node.start();
        self.source.get(between).is_some_and(|text| text.iter().all(u8::is_ascii_whitespace))
    }

    /// The piece with which a pattern begins again: the first, or one before which all may be missing.
    fn again(&mut self, pieces: &'r [Piece], at: usize, behind: bool, is_last: bool) -> Option<(usize, &'r Alt)> {
        for (number, piece) in pieces.iter().enumerate() {
            if let Some(alt) = self.piece_fits(piece, at, behind, is_last) {
                return Some((number, alt));
            }
            if piece.required {
                break;
            }
        }
        None
    }

    /// What stands before the piece with which a pattern begins again holds for this round as well.
    fn repeat(&mut self, mark: usize, pieces: &'r [Piece], first: usize, round: u16) {
        for at in mark..self.found.len() {
            let found = self.found[at];
            let before = |piece: &Piece| piece.alts.iter().any(|alt| std::ptr::eq(alt, found.alt));
            if found.round == 0 && pieces[..first].iter().any(before) {
                self.found.push(Match { round, ..found });
            }
        }
    }

    fn piece_fits(&mut self, piece: &'r Piece, at: usize, behind: bool, is_last: bool) -> Option<&'r Alt> {
        if piece.anchored && !behind || piece.last && !is_last {
            return None;
        }
        piece.alts.iter().find(|alt| self.alt_fits(alt, at))
    }

    /// Compares captures with each other, where a pattern asks for that.
    fn pairs_hold(&mut self, pattern: &'r Pattern, alt: &'r Alt, child: &Child<'d>, inside: Range<usize>) -> bool {
        pattern.pairs.iter().all(|pair| {
            let [a, b] = pair.captures.map(|id| self.captured(alt, child, inside.clone(), id));
            a.zip(b).is_none_or(|(a, b)| (self.text(a) == self.text(b)) != pair.differ)
        })
    }

    /// The first node with this number of a capture.
    fn captured(&mut self, alt: &'r Alt, child: &Child<'d>, inside: Range<usize>, id: u8) -> Option<Node<'d>> {
        if alt.ids.contains(&id) {
            return Some(child.node);
        }
        let mark = self.found.len();
        self.sequence(alt, inside, 0);
        let found: Vec<Match<'r>> = self.found.drain(mark..).collect();
        for part in found {
            let child = self.children[part.child as usize];
            let inside = self.collect(child.node);
            let first = inside.start;
            let node = self.captured(part.alt, &child, inside, id);
            self.children.truncate(first);
            if node.is_some() {
                return node;
            }
        }
        None
    }
}
