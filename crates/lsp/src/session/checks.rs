//! Checkers that a server runs on the files of the disk once one of them was saved: what they find comes after what the server
//! finds by itself, and they say by progress when they are done.

use std::collections::BTreeSet;
use std::time::Duration;

/// Whether such a checker still has something to say.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Checking {
    /// It has looked at what was saved last, or there is none.
    Done,
    /// It has not; where it should have begun by some time, this is when that is over.
    Waiting(Option<Duration>),
}

/// How long after a save it may take to begin.
const GRACE: Duration = Duration::from_millis(1500);

/// What is known of a server's checker.
#[derive(Debug, Default)]
pub(crate) struct Checks {
    /// How the tokens of its progress begin; none where there is no checker.
    token: Option<String>,
    running: BTreeSet<String>,
    /// A file was saved, and it has not begun since.
    saved: bool,
    /// When that was first looked at.
    since: Option<Duration>,
}

impl Checks {
    pub(super) fn new(token: Option<String>) -> Checks {
        Checks { token, ..Checks::default() }
    }

    /// Whether there is a checker at all.
    pub(crate) fn are_there(&self) -> bool {
        self.token.is_some()
    }

    pub(super) fn saved(&mut self) {
        (self.saved, self.since) = (self.token.is_some(), None);
    }

    pub(super) fn began(&mut self, token: &str) {
        if self.token.as_ref().is_some_and(|start| token.starts_with(start.as_str())) {
            self.running.insert(token.to_owned());
            self.saved = false;
        }
    }

    pub(super) fn ended(&mut self, token: &str) {
        self.running.remove(token);
    }

    /// What is to be waited for at this moment.
    pub(crate) fn phase(&mut self, now: Duration) -> Checking {
        if !self.running.is_empty() {
            return Checking::Waiting(None);
        }
        if !self.saved {
            return Checking::Done;
        }
        let over = *self.since.get_or_insert(now) + GRACE;
        if now < over {
            return Checking::Waiting(Some(over));
        }
        self.saved = false;
        Checking::Done
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(milliseconds: u64) -> Duration {
        Duration::from_millis(milliseconds)
    }

    #[test]
    fn a_save_is_waited_for_until_its_check_has_ended() {
        let mut checks = Checks::new(Some("check/".into()));
        assert_eq!(checks.phase(at(0)), Checking::Done);
        checks.saved();
        assert_eq!(checks.phase(at(100)), Checking::Waiting(Some(at(1600))));
        checks.began("index");
        assert_eq!(checks.phase(at(200)), Checking::Waiting(Some(at(1600))));
        checks.began("check/0");
        assert_eq!(checks.phase(at(2000)), Checking::Waiting(None));
        // Another save: the running check is called off, and a new one begins.
        checks.saved();
        checks.ended("check/0");
        assert_eq!(checks.phase(at(2100)), Checking::Waiting(Some(at(3600))));
        checks.began("check/0");
        checks.ended("check/0");
        assert_eq!(checks.phase(at(2200)), Checking::Done);
    }

    #[test]
    fn one_that_never_begins_is_waited_for_a_while() {
        let mut checks = Checks::new(Some("check/".into()));
        checks.saved();
        assert_eq!(checks.phase(at(0)), Checking::Waiting(Some(at(1500))));
        assert_eq!(checks.phase(at(1500)), Checking::Done);
        assert_eq!(checks.phase(at(1501)), Checking::Done);
        let mut none = Checks::new(None);
        none.saved();
        assert_eq!((none.phase(at(0)), none.are_there()), (Checking::Done, false));
    }
}
