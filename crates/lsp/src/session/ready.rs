//! Whether a server's answers are complete yet, as far as it says so itself.

use std::collections::BTreeSet;
use std::time::Duration;

use serde_json::Value;
use vise_syntax::servers::ReadyRule;

/// What is known of a server's index.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Phase {
    /// It says that it is complete.
    Ready,
    /// It does not say.
    Unknown,
    /// It is not complete. Where it must say so within some time, this is when that is over.
    Waiting(Option<Duration>),
}

/// How long a server that is to say that it began may be silent.
const GRACE: Duration = Duration::from_secs(5);

#[derive(Debug)]
pub(crate) struct Readiness {
    rule: ReadyRule,
    since: Duration,
    /// The work that the rule is about and that is under way.
    under_way: BTreeSet<String>,
    /// The signal's first half was seen: a begin, a false.
    begun: bool,
    /// The signal was seen, and not taken back.
    ready: bool,
    /// A trouble that the server reports of itself.
    trouble: Option<String>,
    proven: bool,
}

impl Readiness {
    pub(super) fn new(rule: ReadyRule) -> Readiness {
        Readiness {
            rule,
            since: Duration::ZERO,
            under_way: BTreeSet::new(),
            begun: false,
            ready: false,
            trouble: None,
            proven: false,
        }
    }

    pub(super) fn started(&mut self, now: Duration) {
        self.since = now;
    }

    /// What is known at this moment.
    pub(crate) fn phase(&self, now: Duration) -> Phase {
        if self.ready {
            return Phase::Ready;
        }
        let grace = match &self.rule {
            ReadyRule::Immediate => return Phase::Ready,
            ReadyRule::None => return Phase::Unknown,
            // A line of a log says that files were found, not that they were read.
            ReadyRule::Log { .. } if self.begun => return Phase::Unknown,
            ReadyRule::Value { .. } => return Phase::Waiting(None),
            ReadyRule::Progress { grace_ms, .. } => Duration::from_millis(*grace_ms),
            ReadyRule::Rising { .. } | ReadyRule::Log { .. } => GRACE,
        };
        if self.begun {
            return Phase::Waiting(None);
        }
        let over = self.since + grace;
        if now < over { Phase::Waiting(Some(over)) } else { Phase::Unknown }
    }

    /// Whether an answer that reached into other files was seen since the start, or since the index was last incomplete.
    pub(crate) fn is_proven(&self) -> bool {
        self.proven
    }

    pub(crate) fn prove(&mut self) {
        self.proven = true;
    }

    /// Whether the server is known to be complete from the beginning on.
    pub(crate) fn is_immediate(&self) -> bool {
        self.rule == ReadyRule::Immediate
    }

    /// What the server reports to be wrong with itself.
    pub(crate) fn trouble(&self) -> Option<&str> {
        self.trouble.as_deref()
    }

    pub(super) fn notified(&mut self, method: &str, params: &Value) {
        match &self.rule {
            ReadyRule::Rising { method: wanted, field } if wanted == method => {
                let trouble = match params["health"].as_str() {
                    Some("ok") | None => None,
                    Some(health) => Some(format!("{health}: {}", params["message"].as_str().unwrap_or_default())),
                };
                self.trouble = trouble;
                match params[field.as_str()].as_bool() {
                    // Before its first load a server has nothing to do and says so, too.
                    Some(true) => self.ready = self.begun,
                    Some(false) => {
                        self.begun = true;
                        self.ready = false;
                        self.proven = false;
                    }
                    None => {}
                }
            }
            ReadyRule::Value { method: wanted, field, values } if wanted == method => {
                let value = params[field.as_str()].as_str().unwrap_or_default();
                self.ready |= values.iter().any(|wanted| wanted == value);
            }
            _ => {}
        }
    }

    pub(super) fn logged(&mut self, text: &str) {
        if let ReadyRule::Log { starts } = &self.rule
            && text.trim_start().starts_with(starts.as_str())
        {
            self.begun = true;
        }
    }

    pub(super) fn began(&mut self, token: &str, title: &str) {
        if let ReadyRule::Progress { starts, .. } = &self.rule
            && starts.iter().any(|start| title.starts_with(start.as_str()) || token.starts_with(start.as_str()))
        {
            self.under_way.insert(token.to_owned());
            self.begun = true;
            self.ready = false;
        }
    }

    pub(super) fn ended(&mut self, token: &str) {
        if self.under_way.remove(token) && self.under_way.is_empty() {
            self.ready = true;
        }
    }
}
