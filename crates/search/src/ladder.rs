//! The ladder: a fragment is read in one scaffold after the other, and what accepts it is a reading.

use rustc_hash::FxHashSet;
use vise_syntax::{FieldId, KindId, Language, RungName};

use crate::compile::{self, Rejected};
use crate::metavariable::{Kind, Piece};
use crate::program::Program;
use crate::scaffold::{Badness, Choice, Chosen, Scaffolded, alternatives, badness, choose, lacks_a_part};

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

/// Metavariables for which other stand-ins are tried when the first do not parse: a bound on work, not on patterns.
const REPAIRED_HOLES: usize = 16;
/// Bytes of pattern that are parsed in such trials for one scaffold: long patterns get fewer.
const REPAIRED_BYTES: usize = 8_000;

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
    let mut climb =
        Climb { language, pieces, context, exact, readings: Vec::new(), nearest: None, groups: 0, only: None };
    let terminator = language.description.terminator.as_str();
    let terminated = !terminator.is_empty() && ends_with(pieces, terminator);
    let mut appended = vec![""];
    if !terminator.is_empty() && !terminated {
        appended.push(terminator);
    }
    for (rung, scaffolds) in language.rungs() {
        if matches!(context, Context::Rung(only) if only != rung) {
            continue;
        }
        'rung: for scaffold in scaffolds {
            for text in &appended {
                if climb.step(rung, scaffold, text, terminated, false) {
                    break 'rung;
                }
            }
        }
    }
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
    /// The only kind of node that is accepted at present.
    only: Option<KindId>,
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
        let begins = |word: &String| {
            matches!(self.pieces.first(), Some(Piece::Text(text, _)) if
                text.strip_prefix(word.as_str()).is_some_and(|rest| !rest.starts_with(char::is_alphanumeric)))
        };
        let complete = first.is_some()
            && (ends_as_header(self.language, self.pieces) || !words.is_empty() && !words.iter().any(begins));
        if !may_be_header || terminated || complete {
            return;
        }
        let full = std::mem::take(&mut self.readings);
        for (rung, scaffolds) in self.language.rungs() {
            if matches!(self.context, Context::Rung(only) if only != rung) {
                continue;
            }
            'rung: for scaffold in scaffolds {
                for completion in &self.language.description.completions {
                    // White space completes a line, not a header.
                    let blank = completion.trim().is_empty();
                    if !(blank && first.is_some()) && self.step(rung, scaffold, completion, false, !blank) {
                        break 'rung;
                    }
                }
                for (kind, completions) in &self.language.description.completions_for {
                    self.only = self.language.kind_id(kind);
                    let accepted = completions.iter().any(|text| self.step(rung, scaffold, text, false, true));
                    self.only = None;
                    if accepted {
                        break 'rung;
                    }
                }
            }
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

    /// Tries one scaffold. True when it accepts.
    fn step(&mut self, rung: RungName, around: (&str, &str), appended: &str, terminated: bool, header: bool) -> bool {
        let Some(choice) = self.settle(rung, around, appended) else { return false };
        let group = self.groups;
        self.groups += 1;
        let accepted = self.accept(rung, around, appended, terminated, header, &choice, group);
        if accepted {
            // Trial operators of another kind (`<` beside `+`) are the same pattern.
            let holes = holes(self.pieces);
            for (number, kind) in holes.iter().enumerate().filter(|(_, kind)| **kind == Kind::Token).take(2) {
                for other in 0..alternatives(self.language, *kind).len() {
                    if other != choice[number] {
                        let mut choice = choice.clone();
                        choice[number] = other;
                        self.accept(rung, around, appended, terminated, header, &choice, group);
                    }
                }
            }
        }
        accepted
    }

    /// Finds stand-ins with which the scaffold parses.
    fn settle(&mut self, rung: RungName, around: (&str, &str), appended: &str) -> Option<Choice> {
        let holes = holes(self.pieces);
        let mut choice = self.first_choice(&holes);
        let mut best = self.score(around, appended, &choice)?;
        if best.is_some() {
            // Of all changes of one stand-in, the one that helps most, again and again: what parses at one place
            // is not spoilt by what still stands at another.
            let length: usize = self.pieces.iter().map(|piece| piece.range().len()).sum();
            let repaired = REPAIRED_HOLES.min(REPAIRED_BYTES / length.max(1));
            'rounds: while let Some(badness) = best {
                let mut step: Option<(Badness, Choice)> = None;
                for (number, kind) in holes.iter().enumerate().take(repaired) {
                    for other in 0..alternatives(self.language, *kind).len() {
                        if other == choice[number] {
                            continue;
                        }
                        let mut trial = choice.clone();
                        trial[number] = other;
                        match self.score(around, appended, &trial)? {
                            None => {
                                (best, choice) = (None, trial);
                                break 'rounds;
                            }
                            Some(score) if score.amount < step.as_ref().map_or(badness, |(b, _)| *b).amount => {
                                step = Some((score, trial));
                            }
                            Some(_) => {}
                        }
                    }
                }
                // No single change helps: the same change at all places may.
                let together = step.is_none().then(|| self.together(around, appended, &holes, &choice)).flatten();
                match (step, together) {
                    (_, Some(trial)) => {
                        (best, choice) = (None, trial);
                    }
                    (Some((score, trial)), None) => (best, choice) = (Some(score), trial),
                    (None, None) => break,
                }
            }
        }
        if let Some(badness) = best {
            self.note_failure(rung, around, appended, &choice, badness);
            return None;
        }
        Some(choice)
    }

    /// The first stand-in of each metavariable, but where one stands alone between lines that of a statement:
    /// without its terminator it could be read as the beginning of the next line (`$$$B⏎unlock()`).
    fn first_choice(&self, holes: &[Kind]) -> Choice {
        let terminator = self.language.description.terminator.as_str();
        let mut choice = vec![0; holes.len()];
        let places = (0..self.pieces.len()).filter(|at| matches!(self.pieces[*at], Piece::Hole(_)));
        for (number, at) in places.enumerate() {
            let text = |at: Option<usize>| match at.and_then(|at| self.pieces.get(at)) {
                Some(Piece::Text(text, _)) => text.as_str(),
                _ => "",
            };
            let before = text(at.checked_sub(1)).trim_end_matches([' ', '\t']);
            let after = text(Some(at + 1)).trim_start_matches([' ', '\t', '\r']);
            let begins = before.is_empty() || before.ends_with(['\n', ';', '{', '}']);
            if begins && after.starts_with('\n') && !terminator.is_empty() {
                let statement = |form: &String| form.strip_prefix('§') == Some(terminator);
                choice[number] =
                    alternatives(self.language, holes[number]).iter().position(statement).unwrap_or_default();
            }
        }
        choice
    }

    /// One stand-in for all metavariables of a kind, with which the scaffold parses.
    fn together(&self, around: (&str, &str), appended: &str, holes: &[Kind], choice: &Choice) -> Option<Choice> {
        for kind in [Kind::Many, Kind::One] {
            for other in 1..alternatives(self.language, kind).len() {
                let mut trial = choice.clone();
                for (number, _) in holes.iter().enumerate().filter(|(_, hole)| **hole == kind) {
                    trial[number] = other;
                }
                if self.score(around, appended, &trial)?.is_none() {
                    return Some(trial);
                }
            }
        }
        None
    }

    /// `None`: could not be parsed within its budget. `Some(None)`: clean.
    #[expect(clippy::option_option, reason = "two different answers, told apart by the caller")]
    fn score(&self, around: (&str, &str), appended: &str, choice: &Choice) -> Option<Option<Badness>> {
        let text = Scaffolded::new(self.language, self.pieces, choice, around, appended);
        let document = text.parse(self.language)?;
        Some(badness(&document))
    }

    #[expect(clippy::too_many_arguments, reason = "one step of the ladder, called from one place")]
    fn accept(
        &mut self,
        rung: RungName,
        around: (&str, &str),
        appended: &str,
        terminated: bool,
        header: bool,
        choice: &Choice,
        group: usize,
    ) -> bool {
        let text = Scaffolded::new(self.language, self.pieces, choice, around, appended);
        let Some(document) = text.parse(self.language) else { return false };
        if document.root().has_error() {
            return false;
        }
        let Some(chosen) = choose(self.language, &document, &text) else {
            self.note(rung, 0, "it is not one node, nor a run of them".to_owned(), 0);
            return false;
        };
        if header != lacks_a_part(&chosen, &text) {
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
            terminated,
            header,
            exact: self.exact,
        };
        match compile::compile(&request, &chosen) {
            Ok(program) => {
                if self.only.is_some() && program.root.kind() != self.only {
                    return false;
                }
                let parts = Parts::of(&chosen, &text);
                self.add(Reading { program, group, appended: chosen.needs_appended, parts });
                true
            }
            Err(Rejected { offset, because }) => {
                self.note(rung, offset, because, usize::MAX);
                false
            }
        }
    }

    fn add(&mut self, reading: Reading) {
        if !self.readings.iter().any(|known| known.program.same_as(&reading.program)) {
            self.readings.push(reading);
        }
    }

    fn note_failure(
        &mut self,
        rung: RungName,
        around: (&str, &str),
        appended: &str,
        choice: &Choice,
        badness: Badness,
    ) {
        let text = Scaffolded::new(self.language, self.pieces, choice, around, appended);
        let offset = text.pattern_offset(self.pieces, badness.first.clamp(text.hole.start, text.hole.end));
        let missing: FxHashSet<String> = text
            .parse(self.language)
            .map(|document| {
                vise_syntax::errors(document.root())
                    .iter()
                    .filter(|node| node.is_missing() && !node.kind().is_empty())
                    .map(|node| node.kind().to_owned())
                    .collect()
            })
            .unwrap_or_default();
        let mut missing: Vec<_> = missing.into_iter().collect();
        missing.sort();
        let because = match missing.first() {
            Some(kind) => format!("`{kind}` is missing"),
            None => "this is not expected here".to_owned(),
        };
        self.note(rung, offset, because, offset + 1);
    }

    /// Keeps the attempt that came farthest.
    fn note(&mut self, rung: RungName, offset: usize, because: String, reach: usize) {
        if self.nearest.as_ref().is_none_or(|(_, known)| reach > *known) {
            self.nearest = Some((NoReading { rung: Some(rung), offset, because }, reach));
        }
    }
}

fn holes(pieces: &[Piece]) -> Vec<Kind> {
    pieces
        .iter()
        .filter_map(|piece| match piece {
            Piece::Hole(hole) => Some(hole.kind),
            Piece::Text(..) => None,
        })
        .collect()
}
