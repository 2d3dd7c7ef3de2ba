//! Which diagnostics are new. A diagnostic is known by what it says, not by where: inserting a line above old errors
//! brings no new one, and a second error like the first is one.

use std::collections::HashMap;

use crate::answer::{Diagnostic, Severity};

type Key = (Severity, Option<String>, String);

/// What was last seen of each file.
#[derive(Debug, Clone, Default)]
pub struct Ledger {
    files: HashMap<String, HashMap<Key, usize>>,
}

impl Ledger {
    /// Takes a file's fresh diagnostics, and gives back those that were not there before: of several alike, the last ones. A
    /// file that was never taken has nothing before.
    ///
    /// Only what is known to be about the present text may be given: what timed out is no clean file.
    pub fn take(&mut self, file: &str, diagnostics: &[Diagnostic]) -> Vec<Diagnostic> {
        let mut left = self.files.remove(file).unwrap_or_default();
        let mut seen: HashMap<Key, usize> = HashMap::new();
        let mut new = Vec::new();
        for diagnostic in diagnostics {
            let key = (diagnostic.severity, diagnostic.code.clone(), steady(&diagnostic.message));
            *seen.entry(key.clone()).or_default() += 1;
            match left.get_mut(&key) {
                Some(count) if *count > 0 => *count -= 1,
                _ => new.push(diagnostic.clone()),
            }
        }
        self.files.insert(file.to_owned(), seen);
        new
    }

    /// Whether the file was taken before.
    pub fn knows(&self, file: &str) -> bool {
        self.files.contains_key(file)
    }
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
    fn numbers_of_lines_in_a_message_move() {
        let mut ledger = Ledger::default();
        ledger.take("a.py", &[error(1, "first defined at line 3, here again")]);
        assert_eq!(ledger.take("a.py", &[error(6, "first defined at line 8, here again")]), []);
        assert_eq!(ledger.take("a.py", &[error(6, "takes 8 arguments")]).len(), 1);
    }
}
