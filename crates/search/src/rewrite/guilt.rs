//! Which places make the errors of a new text.

use std::cell::Cell;
use std::ops::Range;

use rustc_hash::{FxHashMap, FxHashSet};
use vise_syntax::{Document, Language, parse};

use super::facts::Facts;
use super::print::{Choices, Printed, Printer, Whole};

/// Number of errors that a text has; many where it cannot be parsed.
pub(super) fn errors_in(language: &Language, text: &[u8]) -> usize {
    parse(language, text).map_or(usize::MAX, |document| document.error_count())
}

/// How much text may still be parsed to find out what is guilty, over all attempts.
pub(super) struct Budget(Cell<usize>);

impl Budget {
    /// A budget of this many bytes.
    pub(super) fn new(bytes: usize) -> Self {
        Self(Cell::new(bytes))
    }

    /// Takes the parsing of a text from what is left. False when that is too little.
    pub(super) fn take(&self, bytes: usize) -> bool {
        match self.0.get().checked_sub(bytes) {
            Some(left) => {
                self.0.set(left);
                true
            }
            None => false,
        }
    }
}

/// Finds which of some suspects raise the number of errors. `errors` gives the number with some of them left out, or
/// nothing where there is no budget for it: then all that is left counts as guilty.
pub(super) fn guilty(
    suspects: &[usize],
    allowed: usize,
    mut errors: impl FnMut(&FxHashSet<usize>) -> Option<usize>,
) -> Vec<usize> {
    let mut out: FxHashSet<usize> = suspects.iter().copied().collect();
    let mut stack: Vec<&[usize]> = vec![suspects];
    while let Some(part) = stack.pop() {
        let mut trial = out.clone();
        for suspect in part {
            trial.remove(suspect);
        }
        match errors(&trial) {
            None => break,
            Some(errors) if errors <= allowed => out = trial,
            Some(_) if part.len() > 1 => {
                let (front, back) = part.split_at(part.len() / 2);
                stack.push(back);
                stack.push(front);
            }
            Some(_) => {}
        }
    }
    let mut out: Vec<usize> = out.into_iter().collect();
    out.sort_unstable();
    out
}

/// A search for the outer matches that make errors.
pub(super) struct Trial<'t> {
    pub document: &'t Document<'t>,
    pub printer: &'t Printer<'t>,
    pub facts: &'t Facts,
    pub choices: &'t Choices,
    pub budget: &'t Budget,
    /// The number of errors that the old text had.
    pub allowed: usize,
}

impl Trial<'_> {
    /// The outer matches that make errors.
    pub(super) fn guilty(&self, printed: &Printed, errors: &[Range<usize>]) -> Vec<usize> {
        let language = self.document.language;
        let mut known = self.guilty_alone(printed);
        let known_set: FxHashSet<usize> = known.iter().copied().collect();
        if !known.is_empty() && self.errors(&known_set).is_some_and(|errors| errors <= self.allowed) {
            known.sort_unstable();
            return known;
        }
        // What is near an error is suspected first; what is near those that are left without it, next.
        let roots: FxHashSet<usize> = self.printer.forest.roots.iter().copied().collect();
        let mut suspects: FxHashSet<usize> = near(&printed.wholes, errors, &roots);
        suspects.extend(known);
        let mut settled = false;
        for _ in 0..SUSPECTED {
            if suspects.is_empty() || settled {
                break;
            }
            let Some(printed) = self.print(&suspects) else { break };
            let Ok(document) = parse(language, &printed.text) else { break };
            let errors: Vec<Range<usize>> =
                vise_syntax::errors(document.root()).iter().map(|node| node.range()).collect();
            settled = errors.len() <= self.allowed;
            if !settled {
                let more = near(&printed.wholes, &errors, &roots);
                if more.is_empty() {
                    break;
                }
                suspects.extend(more);
            }
        }
        let mut suspects: Vec<usize> =
            if settled { suspects.into_iter().collect() } else { self.printer.forest.roots.clone() };
        suspects.sort_unstable();
        guilty(&suspects, self.allowed, |left_out| self.errors(left_out))
    }

    fn print(&self, left_out: &FxHashSet<usize>) -> Option<Printed> {
        let choices = Choices { disabled: left_out.clone(), ..self.choices.clone() };
        self.printer.print(&choices).ok().filter(|printed| self.budget.take(printed.text.len()))
    }

    fn errors(&self, left_out: &FxHashSet<usize>) -> Option<usize> {
        self.print(left_out).map(|printed| errors_in(self.document.language, &printed.text))
    }

    /// The outer matches whose statement, parsed alone, has more errors than it had.
    ///
    /// This finds nearly all at the price of parsing the text once or twice; a statement that cannot be parsed alone
    /// says nothing.
    fn guilty_alone(&self, printed: &Printed) -> Vec<usize> {
        let language = self.document.language;
        let forest = self.printer.forest;
        let mut by_statement: FxHashMap<(usize, usize), Vec<usize>> = FxHashMap::default();
        for root in &forest.roots {
            let around = &self.facts.matches[*root].place.around;
            let range = &forest.live[*root].range;
            if around.start <= range.start && range.end <= around.end && !range.is_empty() {
                by_statement.entry((around.start, around.end)).or_default().push(*root);
            }
        }
        let mut statements: Vec<((usize, usize), Vec<usize>)> = by_statement.into_iter().collect();
        statements.sort_unstable();
        let new = NewPlaces::new(self.printer, printed, &FxHashSet::default());
        let mut found = Vec::new();
        for ((start, end), roots) in statements {
            let Some(range) = new.map(start..end) else { continue };
            if !self.budget.take(2 * range.len()) {
                break;
            }
            if errors_in(language, self.document.text(start..end)) > 0 {
                continue;
            }
            let Ok(document) = parse(language, &printed.text[range.clone()]) else { continue };
            let errors: Vec<Range<usize>> = vise_syntax::errors(document.root())
                .iter()
                .map(|node| node.start() + range.start..node.end() + range.start)
                .collect();
            if errors.is_empty() {
                continue;
            }
            if let [root] = roots.as_slice() {
                found.push(*root);
                continue;
            }
            let trial = |left_out: &FxHashSet<usize>| {
                let choices = Choices { disabled: left_out.clone(), ..self.choices.clone() };
                let printed = self.printer.print(&choices).ok()?;
                let range = NewPlaces::new(self.printer, &printed, left_out).map(start..end)?;
                // Writing is not for nothing either.
                let cost = range.len() + printed.text.len() / 16;
                self.budget.take(cost).then(|| errors_in(language, &printed.text[range]))
            };
            let suspects = near(&printed.wholes, &errors, &roots.iter().copied().collect());
            let mut sorted: Vec<usize> = suspects.iter().copied().collect();
            sorted.sort_unstable();
            match trial(&suspects) {
                None => break,
                Some(0) => found.extend(guilty(&sorted, 0, trial)),
                // Elsewhere the circle is made wider; here that would take long for a long statement.
                Some(_) if end - start > LONG => {}
                Some(_) => found.extend(guilty(&roots, 0, trial)),
            }
        }
        found
    }
}

/// The outer matches with where they were and where they are.
struct NewPlaces {
    rows: Vec<(Range<usize>, Range<usize>)>,
}

impl NewPlaces {
    fn new(printer: &Printer<'_>, printed: &Printed, left_out: &FxHashSet<usize>) -> Self {
        let new: FxHashMap<usize, &Whole> = printed.wholes.iter().map(|whole| (whole.live, whole)).collect();
        let live = &printer.forest.live;
        let roots = printer.forest.roots.iter().filter(|root| !left_out.contains(root));
        let rows = roots.filter_map(|root| Some((live[*root].range.clone(), new.get(root)?.range.clone()))).collect();
        Self { rows }
    }

    /// Where a range of the old text is that is no part of a match.
    fn map(&self, range: Range<usize>) -> Option<Range<usize>> {
        let before = self.rows.partition_point(|(old, _)| old.end <= range.start);
        let start = match before.checked_sub(1) {
            Some(at) => self.rows[at].1.end + (range.start - self.rows[at].0.end),
            None => range.start,
        };
        let until = self.rows.partition_point(|(old, _)| old.end <= range.end);
        let end = match until.checked_sub(1) {
            Some(at) => self.rows[at].1.end + (range.end - self.rows[at].0.end),
            None => range.end,
        };
        (start <= end).then_some(start..end)
    }
}

/// Statements of more bytes than this are long.
const LONG: usize = 1 << 12;

/// How often the circle of suspects is made wider.
const SUSPECTED: usize = 4;

/// The outer matches whose new text touches an error.
fn near(wholes: &[Whole], errors: &[Range<usize>], roots: &FxHashSet<usize>) -> FxHashSet<usize> {
    let mut sorted: Vec<&Range<usize>> = errors.iter().collect();
    sorted.sort_by_key(|error| error.start);
    // Errors may stand in errors: how far those that begin no later reach.
    let mut reach = 0;
    let reaches: Vec<usize> = sorted
        .iter()
        .map(|error| {
            reach = reach.max(error.end);
            reach
        })
        .collect();
    let touched = |range: &Range<usize>| {
        let until = sorted.partition_point(|error| error.start <= range.end + 1);
        until.checked_sub(1).is_some_and(|at| reaches[at] + 1 >= range.start)
    };
    wholes.iter().filter(|whole| roots.contains(&whole.live) && touched(&whole.range)).map(|whole| whole.live).collect()
}
