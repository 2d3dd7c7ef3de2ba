//! The diagnostics that the server sent, and whether they are about the text that it has now.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_json::Value;

/// What is known of a file's diagnostics.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Freshness {
    /// They are about the present text.
    Fresh(Vec<Value>),
    /// They may be, once nothing more has come until then.
    Settling(Duration),
    /// A set without a version came that equals the one from before the change. It may be old, or the change changed
    /// nothing.
    Unconfirmed(Vec<Value>),
    /// Nothing came since the text was sent.
    Nothing,
}

/// A server may send several sets for one change; the last counts when nothing came for so long.
pub(crate) const SETTLE: Duration = Duration::from_millis(250);

#[derive(Debug, Default)]
struct File {
    /// The version of the text that the server was last sent.
    version: i64,
    /// The set from before that text; `None` where none was known.
    before: Option<Vec<Value>>,
    /// How many sets without a version may still be about older texts.
    owed: u32,
    /// The set from before was about the present text.
    doubted: bool,
    /// It was waited for a newer one, and none came.
    waited: bool,
    /// The last set that came since, with its version.
    latest: Option<(Option<i64>, Vec<Value>, Duration)>,
}

/// The diagnostics of all files.
#[derive(Debug, Default)]
pub(crate) struct Published {
    files: HashMap<PathBuf, File>,
    refreshes: u64,
}

impl Published {
    /// A text was sent.
    pub(super) fn changed(&mut self, path: &Path, version: i64) {
        let file = self.files.entry(path.to_owned()).or_default();
        file.version = version;
        if let Some((_, items, _)) = file.latest.take() {
            file.before = Some(items);
        }
        file.owed += 1;
        file.doubted = false;
    }

    /// Something else changed, so that what was said of texts that did not change may be old.
    pub(crate) fn doubt(&mut self) {
        for file in self.files.values_mut() {
            if let Some((_, items, _)) = file.latest.take() {
                file.before = Some(items);
                file.doubted = true;
            }
            file.waited = false;
        }
    }

    /// Whether the last set was said of the present text, before something else changed.
    pub(crate) fn is_doubted(&self, path: &Path) -> bool {
        self.files.get(path).is_some_and(|file| file.doubted && file.latest.is_none())
    }

    /// Whether it was waited for a newer set than the doubted one since something changed, and none came.
    pub(crate) fn was_waited_for(&self, path: &Path) -> bool {
        self.files.get(path).is_some_and(|file| file.waited)
    }

    /// It was waited for a newer set, and none came.
    pub(crate) fn waited(&mut self, path: &Path) {
        if let Some(file) = self.files.get_mut(path) {
            file.waited = true;
        }
    }

    pub(super) fn closed(&mut self, path: &Path) {
        self.files.remove(path);
    }

    /// A set came.
    pub(super) fn publish(&mut self, path: PathBuf, version: Option<i64>, items: Vec<Value>, now: Duration) {
        let file = self.files.entry(path).or_default();
        file.owed = file.owed.saturating_sub(1);
        if version.is_some_and(|version| version < file.version) {
            // It is about an older text, and so is what the next one is to be compared with.
            file.before = Some(items);
            return;
        }
        file.latest = Some((version, items, now));
    }

    /// All that was pulled is to be pulled again.
    pub(super) fn refresh(&mut self) {
        self.refreshes += 1;
    }

    /// A number that grows when what was pulled became old.
    pub(crate) fn refreshes(&self) -> u64 {
        self.refreshes
    }

    /// What is known of a file.
    pub(crate) fn freshness(&self, path: &Path, now: Duration) -> Freshness {
        let Some(file) = self.files.get(path) else { return Freshness::Nothing };
        let Some((version, items, at)) = &file.latest else {
            return match &file.before {
                Some(before) if file.doubted => Freshness::Unconfirmed(before.clone()),
                _ => Freshness::Nothing,
            };
        };
        if now < *at + SETTLE {
            return Freshness::Settling(*at + SETTLE);
        }
        let told_apart = match &file.before {
            Some(before) => before != items,
            None => file.owed == 0,
        };
        if version.is_some() || told_apart {
            Freshness::Fresh(items.clone())
        } else {
            Freshness::Unconfirmed(items.clone())
        }
    }

    /// The last set that is known of a file, old or new.
    pub(crate) fn latest(&self, path: &Path) -> &[Value] {
        let Some(file) = self.files.get(path) else { return &[] };
        file.latest.as_ref().map(|(_, items, _)| items).or(file.before.as_ref()).map_or(&[], Vec::as_slice)
    }
}
