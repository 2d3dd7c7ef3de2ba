//! The ladder: a fragment is read in one scaffold after the other, and what accepts it is a reading.

use vise_syntax::{Document, FieldId, KindId, Language, RungName};

use crate::compile::{self, Rejected};
use crate::metavariable::{Kind, Piece};
use crate::program::Program;
use crate::scaffold::{Badness, Choice, Chosen, Scaffolded, alternatives, choose, lacks_a_part};
use crate::settle::{Settler, Unsettled};

/// Which readings of a pattern are wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Context {
    /// The first that accepts; the others are counted.
    #[default]
    First,
    /// The first on this rung.
    Rung(RungName),
    /// All of them.
    Any,
}

/// A reading with its place in the ladder.
#[derive(Debug, Clone)]
pub(crate) struct Reading {
    /// What was compiled.
    pub program: Program,
    /// Readings of one group differ by a trial operator only, and win together.
    pub group: usize,
    /// The place of its rung in the ladder.
    order: usize,
    /// It needs the terminator that was appended.
    appended: bool,
    /// The parts of its node that the fragment has, and (of a header) that it lacks.
    parts: Parts,
}

/// Children of a node, by their field or else their kind.
#[derive(Debug, Clone, Default)]
struct Parts {
    given: Vec<(FieldId, KindId)>,
    lacking: Vec<(FieldId, KindId)>,
}

impl Parts {
    fn of(chosen: &Chosen<'_>, text: &Scaffolded) -> Self {
        let mut parts = Self::default();
        if let [node] = chosen.nodes[..] {
            for (child, field) in node.children().into_iter().filter(|(child, _)| child.is_named()) {
                let part = (field, if field == 0 { child.kind_id() } else { 0 });
                if child.start() < text.hole.end { parts.given.push(part) } else { parts.lacking.push(part) }
            }
        }
        parts
    }
}

/// Why no scaffold accepts a fragment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NoReading {
    /// The rung that came nearest.
    pub rung: Option<RungName>,
    /// The byte of the pattern at which that rung was lost.
    pub offset: usize,
    /// What would complete the fragment, or why it was rejected.
    pub because: String,
}

/// All distinct readings, in order.
///
/// # Errors
/// When no scaffold accepts: the one that came nearest.
pub(crate) fn readings(
    language: &Language,
    pieces: &[Piece],
    context: Context,
    exact: bool,
) -> Result<Vec<Reading>, NoReading> {
    let mut climb = Climb {
        language,
        pieces,
        context,
        exact,
        readings: Vec::new(),
        nearest: None,
        groups: 0,
        settler: Settler::new(language, pieces),
    };
    let terminator = language.description.terminator.as_str();
    let terminated = !terminator.is_empty() && ends_with(pieces, terminator);
    let mut endings = vec![Ending { text: "", header: false, only: None, terminated }];
    if !terminator.is_empty() && !terminated {
        endings.push(Ending { text: terminator, header: false, only: None, terminated });
    }
    climb.rungs(&endings);
    climb.headers(terminated);
    if climb.readings.is_empty() {
        return Err(climb.nearest.map_or_else(
            || NoReading { rung: None, offset: 0, because: "the language has no such rung".to_owned() },
            |(nearest, _)| nearest,
        ));
    }
    let mut readings = climb.readings;
    let last_resort = &language.description.last_resort;
    readings.sort_by_key(|reading| last_resort.contains(&reading.program.name.kind));
    Ok(readings)
}

/// Whether a fragment ends in what ends a header.
pub(crate) fn ends_as_header(language: &Language, pieces: &[Piece]) -> bool {
    language.description.header_ends.iter().any(|end| ends_with(pieces, end))
}

/// Whether a fragment begins with one of these words.
fn begins_with(pieces: &[Piece], words: &[String]) -> bool {
    let Some(Piece::Text(text, _)) = pieces.first() else { return false };
    let rest = |word: &String| text.strip_prefix(word.as_str()).map(|rest| rest.chars().next());
    words.iter().any(|word| rest(word).is_some_and(|next| !next.is_some_and(|c| c.is_alphanumeric() || c == '_')))
}

fn ends_with(pieces: &[Piece], text: &str) -> bool {
    matches!(pieces.last(), Some(Piece::Text(last, _)) if last.trim_end().ends_with(text))
}

struct Climb<'a> {
    language: &'a Language,
    pieces: &'a [Piece],
    context: Context,
    exact: bool,
    readings: Vec<Reading>,
    nearest: Option<(NoReading, usize)>,
    groups: usize,
    settler: Settler<'a>,
}

/// A way to end a fragment.
struct Ending<'a> {
    /// What is appended.
    text: &'a str,
    /// What is appended completes a header.
    header: bool,
    /// The only kind of node that it completes.
    only: Option<KindId>,
    /// The fragment itself ends with the language's terminator.
    terminated: bool,
}

/// One try: a scaffold and an ending.
struct Step<'a> {
    rung: RungName,
    /// The rung's place in the ladder.
    order: usize,
    around: (&'a str, &'a str),
    ending: &'a Ending<'a>,
}

impl Climb<'_> {
    /// Tries a fragment as a header, where nothing else accepts it or what does may be a header too.
    fn headers(&mut self, terminated: bool) {
        let last_resort = &self.language.description.last_resort;
        let first = (self.readings.iter().map(|reading| &reading.program))
            .find(|program| !last_resort.contains(&program.name.kind))
            .map(|program| program.root.kind());
        let may_be_header = first.is_none_or(|kind| kind.is_some_and(|kind| self.language.header_kinds.contains(kind)));
        let words = &self.language.description.header_words;
        let complete = first.is_some()
            && (ends_as_header(self.language, self.pieces) || !words.is_empty() && !begins_with(self.pieces, words));
        if !may_be_header || terminated || complete {
            return;
        }
        let full = std::mem::take(&mut self.readings);
        let description = &self.language.description;
        let mut endings = Vec::new();
        for text in &description.completions {
            // White space completes a line, not a header.
            let blank = text.trim().is_empty();
            if !blank || first.is_none() {
                endings.push(Ending { text, header: !blank, only: None, terminated: false });
            }
        }
        self.rungs(&endings);
        if self.readings.is_empty() {
            endings.clear();
            for (kind, texts) in &description.completions_for {
                let only = self.language.kind_id(kind);
                endings.extend(texts.iter().map(|text| Ending { text, header: true, only, terminated: false }));
            }
            self.rungs(&endings);
        }
        // A whole node of the same kind may have what would complete it already.
        if let Some(whole) = full.first().filter(|whole| !whole.appended) {
            self.readings.retain(|header| {
                header.program.root.kind() != whole.program.root.kind()
                    || header.parts.lacking.iter().any(|part| !whole.parts.given.contains(part))
            });
        }
        for reading in full {
            self.add(reading);
        }
    }

    /// Tries all rungs with each of these endings.
    fn rungs(&mut self, endings: &[Ending<'_>]) {
        // Trying other stand-ins is dear: first it is seen which rungs accept the usual ones.
        self.settler.refill();
        let accepted = self.pass(endings, &[], false);
        self.pass(endings, &accepted, true);
        self.readings.sort_by_key(|reading| reading.order);
    }

    /// Tries the rungs but those of `done`. The rungs that accept.
    fn pass(&mut self, endings: &[Ending<'_>], done: &[usize], repair: bool) -> Vec<usize> {
        let mut accepted = Vec::new();
        for (order, (rung, scaffolds)) in self.language.rungs().enumerate() {
            let unless = &self.language.description.rungs[order].unless;
            let unwanted = match self.context {
                Context::Rung(only) => only != rung,
                Context::First | Context::Any => begins_with(self.pieces, unless),
            };
            if done.contains(&order) || unwanted {
                continue;
            }
            'rung: for around in scaffolds {
                for ending in endings {
                    if self.step(&Step { rung, order, around, ending }, repair) {
                        accepted.push(order);
                        break 'rung;
                    }
                }
            }
        }
        accepted
    }

    /// True when the scaffold accepts.
    fn step(&mut self, step: &Step<'_>, repair: bool) -> bool {
        let choice = match self.settler.settle(step.around, step.ending.text, repair) {
            Ok(choice) => choice,
            Err(Unsettled { choice, badness }) => {
                self.note_failure(step, &choice, badness);
                return false;
            }
        };
        let group = self.groups;
        self.groups += 1;
        let accepted = self.accept(step, &choice, group);
        if accepted {
            self.settler.remember(&choice);
            // Trial operators of another kind (`<` beside `+`) are the same pattern.
            let holes = self.settler.holes.clone();
            for (number, kind) in holes.iter().enumerate().filter(|(_, kind)| **kind == Kind::Token).take(2) {
                for other in 0..alternatives(self.language, *kind).len() {
                    if other != choice[number] {
                        let mut choice = choice.clone();
                        choice[number] = other;
                        self.accept(step, &choice, group);
                    }
                }
            }
        }
        accepted
    }

    fn accept(&mut self, step: &Step<'_>, choice: &Choice, group: usize) -> bool {
        let Step { rung, around, ending, .. } = *step;
        let text = Scaffolded::new(self.language, self.pieces, choice, around, ending.text);
        let Some(document) = text.parse(self.language) else { return false };
        if document.root().has_error() {
            return false;
        }
        let Some(chosen) = choose(self.language, &document, &text) else {
            self.note(rung, 0, "it is not one node, nor a run of them".to_owned(), 0);
            return false;
        };
        if ending.header != lacks_a_part(&chosen, &text) {
            self.note(rung, usize::MAX, "a part of it is missing".to_owned(), 1);
            return false;
        }
        let request = compile::Request {
            language: self.language,
            pieces: self.pieces,
            rung,
            text: &text,
            document: &document,
            widest: matches!(self.context, Context::Rung(_)),
            terminated: ending.terminated,
            header: ending.header,
            exact: self.exact,
        };
        match compile::compile(&request, &chosen) {
            Ok(program) => {
                if ending.only.is_some() && program.root.kind() != ending.only {
                    return false;
                }
                let parts = Parts::of(&chosen, &text);
                self.add(Reading { program, group, order: step.order, appended: chosen.needs_appended, parts });
                true
            }
            Err(Rejected { offset, because }) => {
                self.note(rung, offset, because, usize::MAX);
                false
            }
        }
    }

    fn add(&mut self, reading: Reading) {
        match self.readings.iter_mut().find(|known| known.program.same_as(&reading.program)) {
            None => self.readings.push(reading),
            // An expression that was accepted in the place of a statement is an expression.
            Some(known) if reading.program.name.rung == RungName::Expression => {
                known.program.name.rung = RungName::Expression;
            }
            Some(_) => {}
        }
    }

    fn note_failure(&mut self, step: &Step<'_>, choice: &Choice, badness: Badness) {
        let text = Scaffolded::new(self.language, self.pieces, choice, step.around, step.ending.text);
        let offset = text.pattern_offset(self.pieces, badness.first.clamp(text.hole.start, text.hole.end));
        let document = text.parse(self.language);
        let brackets = document.as_ref().and_then(|document| bracket_trouble(document, &text));
        let missing = document.as_ref().and_then(|document| {
            let errors = vise_syntax::errors(document.root());
            errors.iter().find(|node| node.is_missing()).map(|node| node.kind().to_owned())
        });
        let (offset, because) = match (brackets, missing) {
            (Some((at, because)), _) => (text.pattern_offset(self.pieces, at), because),
            (None, Some(kind)) => (offset, format!("`{kind}` is missing")),
            (None, None) => (offset, "this is not expected here".to_owned()),
        };
        self.note(step.rung, offset, because, offset + 1);
    }

    /// Keeps the attempt that came farthest.
    fn note(&mut self, rung: RungName, offset: usize, because: String, reach: usize) {
        if self.nearest.as_ref().is_none_or(|(_, known)| reach > *known) {
            self.nearest = Some((NoReading { rung: Some(rung), offset, because }, reach));
        }
    }
}

/// The first bracket of the fragment that closes nothing, or else the last that is never closed.
fn bracket_trouble(document: &Document<'_>, text: &Scaffolded) -> Option<(usize, String)> {
    let mut open: Vec<(&str, usize)> = Vec::new();
    let mut stray = None;
    vise_syntax::visit(document.root(), |node| {
        let inside = node.start() >= text.hole.start && node.end() <= text.hole.end && !node.is_missing();
        if node.child_count() == 0 && !node.is_named() && inside && stray.is_none() {
            let wanted = match node.kind() {
                "(" | "[" | "{" => {
                    open.push((node.kind(), node.start()));
                    return true;
                }
                ")" => "(",
                "]" => "[",
                "}" => "{",
                _ => return true,
            };
            match open.pop() {
                Some((bracket, _)) if bracket == wanted => {}
                Some((bracket, _)) => {
                    stray = Some((node.start(), format!("`{}` does not close `{bracket}`", node.kind())));
                }
                None => stray = Some((node.start(), format!("`{}` closes nothing", node.kind()))),
            }
        }
        true
    });
    stray.or_else(|| open.pop().map(|(bracket, at)| (at, format!("`{bracket}` is not closed"))))
}
