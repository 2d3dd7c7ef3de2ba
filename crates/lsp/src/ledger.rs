//! Which diagnostics are new. A diagnostic is known by what it says, not by where: inserting a line above old errors
//! brings no new one, and a second error like the first is one.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::answer::{Diagnostic, Severity};

/// What was last seen of each file.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct Ledger {
    files: BTreeMap<String, Vec<Known>>,
}

/// What makes a diagnostic the same as another.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
struct Known {
    severity: Severity,
    code: Option<String>,
    message: String,
}

impl Known {
    fn of(diagnostic: &Diagnostic) -> Known {
        let Diagnostic { severity, code, message, .. } = diagnostic;
        Known { severity: *severity, code: code.clone(), message: steady(message) }
    }
}

impl Ledger {
    /// Takes a file's fresh diagnostics, and gives back those that were not there before: of several alike, the last ones. A
    /// file that was never taken has nothing before.
    ///
    /// Only what is known to be about the present text may be given: what timed out is no clean file.
    pub fn take(&mut self, file: &str, diagnostics: &[Diagnostic]) -> Vec<Diagnostic> {
        let before = self.files.insert(file.to_owned(), known(diagnostics));
        beyond(before.unwrap_or_default(), diagnostics)
    }

    /// Takes a file's diagnostics from before and after a change of ours, and gives back those that the change brought. What
    /// was there before it and was never given back is still new to a later [`take`](Self::take).
    pub fn take_change(&mut self, file: &str, before: &[Diagnostic], after: &[Diagnostic]) -> Vec<Diagnostic> {
        let mut taken = known(after);
        if let Some(seen) = self.files.get(file) {
            for untold in beyond(seen.clone(), before) {
                let untold = Known::of(&untold);
                if let Some(at) = taken.iter().position(|known| *known == untold) {
                    taken.swap_remove(at);
                }
            }
        }
        self.files.insert(file.to_owned(), taken);
        beyond(known(before), after)
    }

    /// Whether the file was taken before.
    pub fn knows(&self, file: &str) -> bool {
        self.files.contains_key(file)
    }
}

fn known(diagnostics: &[Diagnostic]) -> Vec<Known> {
    diagnostics.iter().map(Known::of).collect()
}

/// The diagnostics that are not among the known ones, each of which accounts for one.
fn beyond(mut known: Vec<Known>, diagnostics: &[Diagnostic]) -> Vec<Diagnostic> {
    let accounted = |diagnostic: &&Diagnostic| {
        let this = Known::of(diagnostic);
        let at = known.iter().position(|known| *known == this);
        at.map(|at| known.swap_remove(at)).is_none()
    };
    diagnostics.iter().filter(accounted).cloned().collect()
}

/// A message without the numbers of lines in it, which move with the text.
fn steady(message: &str) -> String {
    let mut steady = String::with_capacity(message.len());
    let mut word = String::new();
    for part in message.split_inclusive([' ', '\n']) {
        let numbered = matches!(word.as_str(), "line" | "lines" | "Line" | "column" | "Column");
        word = part.trim_end().to_owned();
        let bare = word.trim_matches(|c: char| c.is_ascii_punctuation());
        if numbered && !bare.is_empty() && bare.chars().all(|c| c.is_ascii_digit()) {
            steady.push_str("# ");
        } else {
            steady.push_str(part);
        }
    }
    steady
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error(line: usize, message: &str) -> Diagnostic {
        Diagnostic {
            file: "a.py".into(),
            line,
            column: 1,
            severity: Severity::Error,
            code: Some("x".into()),
            message: message.into(),
            source: None,
        }
    }

    #[test]
    fn lines_above_bring_nothing_new_and_a_second_one_is_new() {
        let mut ledger = Ledger::default();
        assert!(!ledger.knows("a.py"));
        assert_eq!(ledger.take("a.py", &[error(1, "a"), error(2, "b")]).len(), 2);
        assert_eq!(ledger.take("a.py", &[error(6, "a"), error(7, "b")]), []);
        assert_eq!(ledger.take("a.py", &[error(6, "a"), error(7, "b"), error(9, "a")]), [error(9, "a")]);
        assert_eq!(ledger.take("a.py", &[]), []);
        assert_eq!(ledger.take("a.py", &[error(6, "a")]), [error(6, "a")]);
        assert_eq!(ledger.take("b.py", &[error(1, "a")]).len(), 1);
    }

    #[test]
    fn a_change_of_ours_brings_its_own_and_hides_nobody_elses() {
        let mut ledger = Ledger::default();
        ledger.take("a.py", &[error(1, "a")]);
        // Somebody else brought `b`; then we brought `c` and a second `a`.
        let before = [error(1, "a"), error(2, "b")];
        let after = [error(1, "a"), error(2, "b"), error(3, "c"), error(4, "a")];
        assert_eq!(ledger.take_change("a.py", &before, &after), [error(3, "c"), error(4, "a")]);
        assert_eq!(ledger.take("a.py", &after), [error(2, "b")]);
        assert_eq!(ledger.take("a.py", &after), []);
        // Of a file that was never seen, all that was there before is old.
        assert_eq!(ledger.take_change("n.py", &before, &after), [error(3, "c"), error(4, "a")]);
        assert_eq!(ledger.take("n.py", &after), []);
    }

    #[test]
    fn numbers_of_lines_in_a_message_move() {
        let mut ledger = Ledger::default();
        ledger.take("a.py", &[error(1, "first defined at line 3, here again")]);
        assert_eq!(ledger.take("a.py", &[error(6, "first defined at line 8, here again")]), []);
        assert_eq!(ledger.take("a.py", &[error(6, "takes 8 arguments")]).len(), 1);
    }
}
