//! A pattern in one language, compiled: its readings, what to look for, and what it finds.

use std::ops::Range;
use std::sync::Arc;

use regex::bytes::Regex;
use vise_syntax::{Document, Injections, Language, TreeArena};

use crate::describe::{DescribedReading, describe};
use crate::find;
use crate::ladder::{self, Context, NoReading, Reading};
use crate::machine::Conditions;
use crate::matches::{Found, Match, ReadingName};
use crate::metavariable::{Kind, names, scan};
use crate::prefilter::Prefilter;

/// The longest pattern, in bytes.
const MAX_PATTERN: usize = 1 << 16;
/// The most metavariables in one pattern.
const MAX_METAVARIABLES: usize = 1000;

/// How a pattern is read and matched.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// Which readings.
    pub context: Context,
    /// Nothing may go unmentioned.
    pub exact: bool,
    /// (name, regex, whether it must match).
    pub conditions: Vec<(String, Regex, bool)>,
}

/// A pattern in one language.
#[derive(Debug, Clone)]
pub struct Pattern {
    /// The language.
    pub language: Arc<Language>,
    /// The pattern as it was given.
    pub source: String,
    /// The metavariables, in the order of their first appearance.
    pub metavariables: Vec<(Arc<str>, Kind)>,
    exact: bool,
    readings: Vec<Reading>,
    prefilters: Vec<Prefilter>,
    conditions: Conditions,
}

/// Why there is no pattern.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PatternError {
    /// It is not a pattern in any language.
    Malformed(String),
    /// The language's ladder has no scaffold that accepts it.
    NoReading(NoReading),
}

/// The nearest thing to a match.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NearMiss {
    /// Where the node that nearly matched begins.
    pub root: usize,
    /// The part of the pattern that was not found.
    pub wanted: String,
    /// What stands there; empty at the end of a node.
    pub found: Range<usize>,
    /// How far the attempt came, in steps of the pattern.
    pub reach: usize,
}

impl Pattern {
    /// Reads and compiles a pattern.
    ///
    /// # Errors
    /// When it is malformed, or no scaffold of the language accepts it.
    pub fn compile(language: &Arc<Language>, source: &str, options: &Options) -> Result<Self, PatternError> {
        let text = dedent(source);
        if text.trim().is_empty() {
            return Err(PatternError::Malformed("the pattern is empty".to_owned()));
        }
        if text.len() > MAX_PATTERN {
            return Err(PatternError::Malformed(format!(
                "the pattern has {} bytes; at most {MAX_PATTERN} will do",
                text.len()
            )));
        }
        let pieces = scan(&text).map_err(PatternError::Malformed)?;
        let holes = pieces.iter().filter(|piece| matches!(piece, crate::metavariable::Piece::Hole(_))).count();
        if holes > MAX_METAVARIABLES {
            return Err(PatternError::Malformed(format!(
                "the pattern has {holes} metavariables; at most {MAX_METAVARIABLES} will do"
            )));
        }
        let metavariables = names(&pieces);
        let mut conditions = Conditions::default();
        for (name, regex, wanted) in &options.conditions {
            let slot = metavariables.iter().position(|(known, _)| **known == **name).ok_or_else(|| {
                PatternError::Malformed(format!(
                    "there is no metavariable `{name}` in the pattern; it has {}",
                    list(&metavariables)
                ))
            })?;
            conditions.on_slots.push((slot, regex.clone(), *wanted));
        }
        let readings = ladder::readings(language, &pieces, options.context, options.exact).map_err(|mut error| {
            // Offsets are those of the text as it was given.
            error.offset =
                (error.offset + source.find(text.lines().next().unwrap_or("")).unwrap_or(0)).min(source.len());
            PatternError::NoReading(error)
        })?;
        let prefilters = readings.iter().map(|reading| Prefilter::new(&reading.program)).collect();
        Ok(Self {
            language: language.clone(),
            source: source.to_owned(),
            metavariables,
            exact: options.exact,
            readings,
            prefilters,
            conditions,
        })
    }

    /// The readings in the order of the ladder, each with its group: readings of one group win together.
    pub fn readings(&self) -> impl Iterator<Item = (&ReadingName, usize)> {
        self.readings.iter().map(|reading| (&reading.program.name, reading.group))
    }

    /// The readings as they were compiled, in words, in the order of the ladder.
    pub fn described(&self) -> impl Iterator<Item = DescribedReading> {
        self.readings.iter().map(|reading| describe(&self.language, &reading.program))
    }

    /// Whether a text can hold a match at all: a look at its bytes.
    pub fn may_match(&self, text: &[u8]) -> bool {
        self.prefilters.iter().any(|prefilter| prefilter.passes(text))
    }

    /// Every match of every reading.
    pub fn find(&self, document: &Document<'_>) -> Found {
        let mut found = Found::default();
        let arena = TreeArena::new();
        let injections = Injections::new(document, &arena);
        let readings = self.readings.iter().map(|reading| &reading.program).zip(&self.prefilters);
        for finder in find::find(readings, &self.conditions, &injections, self.exact) {
            found.readings.push(finder.matches);
            found.over_budget |= finder.over_budget;
        }
        found
    }

    /// In a document without a match: the node that came nearest, and what differed first.
    pub fn near_miss(&self, document: &Document<'_>) -> Option<NearMiss> {
        let mut nearest: Option<NearMiss> = None;
        let arena = TreeArena::new();
        let injections = Injections::new(document, &arena);
        for (reading, prefilter) in self.readings.iter().zip(&self.prefilters) {
            let program = &reading.program;
            let Some(farthest) = find::farthest(program, prefilter, &self.conditions, &injections, self.exact) else {
                continue;
            };
            if nearest.as_ref().is_none_or(|known| farthest.pc > known.reach) {
                nearest = Some(NearMiss {
                    root: farthest.root,
                    wanted: program.shown[farthest.pc].to_string(),
                    found: farthest.found.0..farthest.found.1,
                    reach: farthest.pc,
                });
            }
        }
        nearest
    }
}

/// Keeps the matches that stand inside a match of another pattern, or that do not.
pub fn keep_inside(matches: &mut Vec<Match>, document: &Document<'_>, pattern: &Pattern, wanted: bool) {
    find::filter(matches, &all_ranges(document, pattern), true, wanted);
}

/// Keeps the matches that have a match of another pattern in them, or that do not.
pub fn keep_having(matches: &mut Vec<Match>, document: &Document<'_>, pattern: &Pattern, wanted: bool) {
    find::filter(matches, &all_ranges(document, pattern), false, wanted);
}

fn all_ranges(document: &Document<'_>, pattern: &Pattern) -> Vec<Range<usize>> {
    // A header stands for its whole node: code in the body is inside `def $F($A)`.
    pattern.find(document).readings.into_iter().flatten().map(|found| found.whole).collect()
}

fn list(metavariables: &[(Arc<str>, Kind)]) -> String {
    if metavariables.is_empty() {
        return "none".to_owned();
    }
    metavariables.iter().map(|(name, kind)| format!("`{}{name}`", kind.sigil())).collect::<Vec<_>>().join(", ")
}

/// A pattern without the indentation that all its lines share, and without blank ends.
fn dedent(source: &str) -> String {
    let lines: Vec<&str> = source.lines().collect();
    let first = lines.iter().position(|line| !line.trim().is_empty()).unwrap_or(0);
    let last = lines.iter().rposition(|line| !line.trim().is_empty()).map_or(0, |last| last + 1);
    let lines = lines.get(first..last).unwrap_or_default();
    let indent = |line: &&str| line.len() - line.trim_start().len();
    let shared = lines.iter().filter(|line| !line.trim().is_empty()).map(indent).min().unwrap_or(0);
    let mut text: Vec<&str> = lines.iter().map(|line| line.get(shared..).unwrap_or("")).collect();
    if let Some(last) = text.last_mut() {
        *last = last.trim_end();
    }
    text.join("\n")
}
