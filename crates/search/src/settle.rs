//! Stand-ins for the metavariables of a fragment with which a scaffold parses.

use vise_syntax::Language;

use crate::metavariable::{Kind, Piece};
use crate::scaffold::{Badness, Choice, Scaffolded, alternatives, badness};

/// Metavariables for which other stand-ins are tried: a bound on work, not on patterns.
const REPAIRED_HOLES: usize = 16;
/// Bytes that are parsed in such trials for one climb of the ladder. A text with an error in it costs the parser
/// several times as much as one without.
const REPAIRED_BYTES: usize = 60_000;
/// The same once some rung has accepted the pattern: what is left is to find its other readings.
const REPAIRED_BYTES_AFTER: usize = 10_000;

/// Finds stand-ins, scaffold by scaffold, and remembers which ones served.
pub(crate) struct Settler<'a> {
    language: &'a Language,
    pieces: &'a [Piece],
    /// What each metavariable stands for.
    pub(crate) holes: Vec<Kind>,
    usual: Choice,
    accepted: Vec<Choice>,
    /// Bytes left for trials.
    bytes: usize,
}

/// No stand-ins were found: the best try.
pub(crate) struct Unsettled {
    pub choice: Choice,
    pub badness: Badness,
}

impl<'a> Settler<'a> {
    pub(crate) fn new(language: &'a Language, pieces: &'a [Piece]) -> Self {
        let holes = pieces
            .iter()
            .filter_map(|piece| match piece {
                Piece::Hole(hole) => Some(hole.kind),
                Piece::Text(..) => None,
            })
            .collect();
        let usual = usual(language, pieces);
        Self { language, pieces, holes, usual, accepted: Vec::new(), bytes: REPAIRED_BYTES }
    }

    /// Keeps a choice that a rung has accepted: others are likely to parse with it too.
    pub(crate) fn remember(&mut self, choice: &Choice) {
        self.bytes = self.bytes.min(REPAIRED_BYTES_AFTER);
        if !self.accepted.contains(choice) {
            self.accepted.push(choice.clone());
        }
    }

    /// Allows as many trials as at first.
    pub(crate) fn refill(&mut self) {
        self.bytes = if self.accepted.is_empty() { REPAIRED_BYTES } else { REPAIRED_BYTES_AFTER };
    }

    /// Stand-ins with which the scaffold parses. `repair`: others than the usual ones are looked for.
    pub(crate) fn settle(&mut self, around: (&str, &str), appended: &str, repair: bool) -> Result<Choice, Unsettled> {
        let mut choice = self.usual.clone();
        let Some(mut badness) = self.score(around, appended, &choice) else { return Ok(choice) };
        for known in &self.accepted {
            if self.score(around, appended, known).is_none() {
                return Ok(known.clone());
            }
        }
        while repair && !self.holes.is_empty() {
            // Of all changes of one stand-in, the one that helps most, again and again: what parses at one place
            // is not spoilt by what still stands at another.
            match self.best_change(around, appended, &choice, badness.amount) {
                Change::Clean(choice) => return Ok(choice),
                Change::Better(better, choice_then) => (badness, choice) = (better, choice_then),
                Change::None => break,
            }
        }
        Err(Unsettled { choice, badness })
    }

    fn best_change(&mut self, around: (&str, &str), appended: &str, choice: &Choice, amount: usize) -> Change {
        let mut best = Change::None;
        let mut least = amount;
        for number in 0..self.holes.len().min(REPAIRED_HOLES) {
            for other in 0..alternatives(self.language, self.holes[number]).len() {
                if other == choice[number] {
                    continue;
                }
                let mut trial = choice.clone();
                trial[number] = other;
                if !self.spend(around, appended) {
                    return best;
                }
                match self.score(around, appended, &trial) {
                    None => return Change::Clean(trial),
                    Some(score) if score.amount < least => {
                        least = score.amount;
                        best = Change::Better(score, trial);
                    }
                    Some(_) => {}
                }
            }
        }
        if matches!(best, Change::None) {
            // No single change helps: the same change at all places may.
            return self.same_for_all(around, appended, choice);
        }
        best
    }

    /// One stand-in for all metavariables of a kind.
    fn same_for_all(&mut self, around: (&str, &str), appended: &str, choice: &Choice) -> Change {
        for kind in [Kind::Many, Kind::One] {
            for other in 1..alternatives(self.language, kind).len() {
                let mut trial = choice.clone();
                for (number, _) in self.holes.iter().enumerate().filter(|(_, hole)| **hole == kind) {
                    trial[number] = other;
                }
                if !self.spend(around, appended) {
                    return Change::None;
                }
                if self.score(around, appended, &trial).is_none() {
                    return Change::Clean(trial);
                }
            }
        }
        Change::None
    }

    /// Takes the bytes of one more trial; false when there are none left.
    fn spend(&mut self, around: (&str, &str), appended: &str) -> bool {
        let length: usize = self.pieces.iter().map(|piece| piece.range().len()).sum();
        let cost = around.0.len() + around.1.len() + appended.len() + length;
        let enough = cost <= self.bytes;
        self.bytes = self.bytes.saturating_sub(cost);
        enough
    }

    /// How bad the scaffold is with these stand-ins; `None` when it parses.
    fn score(&self, around: (&str, &str), appended: &str, choice: &Choice) -> Option<Badness> {
        let text = Scaffolded::new(self.language, self.pieces, choice, around, appended);
        match text.parse(self.language) {
            Some(document) => badness(&document),
            None => Some(Badness { amount: text.text.len(), first: text.hole.start }),
        }
    }
}

enum Change {
    Clean(Choice),
    Better(Badness, Choice),
    None,
}

/// The first stand-in of each metavariable, but where one stands alone on its line or in braces that of a statement:
/// without its terminator it could be read as the beginning of the next line (`$$$B`, then `unlock()`).
fn usual(language: &Language, pieces: &[Piece]) -> Choice {
    let terminator = language.description.terminator.as_str();
    let text = |at: Option<usize>| match at.and_then(|at| pieces.get(at)) {
        Some(Piece::Text(text, _)) => text.as_str(),
        _ => "",
    };
    let holes = pieces.iter().enumerate().filter_map(|(at, piece)| match piece {
        Piece::Hole(hole) => Some((at, hole.kind)),
        Piece::Text(..) => None,
    });
    holes
        .map(|(at, kind)| {
            let before = text(at.checked_sub(1)).trim_end_matches([' ', '\t']);
            let after = text(Some(at + 1)).trim_start_matches([' ', '\t', '\r']);
            let begins = before.is_empty() || before.ends_with(['\n', ';', '{', '}']);
            let alone = begins && after.starts_with('\n') || before.ends_with('{') && after.starts_with('}');
            if !alone || terminator.is_empty() {
                return 0;
            }
            let statement = |form: &String| {
                let bare = form.strip_prefix("return ").unwrap_or(form);
                bare.strip_prefix('§') == Some(terminator)
            };
            alternatives(language, kind).iter().position(statement).unwrap_or(0)
        })
        .collect()
}
