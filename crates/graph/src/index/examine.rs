//! Looking at new and changed files: read, hash, and parse those whose content is not known.

use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::Sender;
use std::sync::{Arc, Mutex, PoisonError};

use rayon::prelude::*;
use regex::bytes::Regex;
use vise_syntax::{Language, Registry};
use vise_text::ContentHash;
use vise_workspace::{Disk, Files, Kind, ReadOptions, SkipReason, read};

use super::survey::Look;
use super::tree::{FileEntry, Stamp, Why, name};
use super::{Error, Extract, lone, project};
use crate::facts::FileFacts;
use crate::store::facts::Stored;
use crate::store::pack::pack;

/// A script without an ending is shorter; what is longer and has neither ending nor dot is no text at all, mostly.
const MAX_SCRIPT_BYTES: u64 = 1 << 20;

/// What a look at a file gave.
#[derive(Debug)]
pub(super) struct Examined {
    pub(super) entry: FileEntry,
    /// Where the content was not known and says something.
    pub(super) facts: Option<FileFacts>,
}

/// What looking at files needs to know.
pub(super) struct Examiner<'a> {
    pub(super) root: &'a Path,
    pub(super) registry: &'a Registry,
    /// Languages that have files of another's ending.
    pub(super) also: Vec<Also<'a>>,
    pub(super) extract: &'a Extract<'a>,
    pub(super) max_file_bytes: u64,
    /// The time before anything was looked at.
    pub(super) recorded: i64,
    pub(super) progress: &'a (dyn Fn(usize, usize) + Sync),
    pub(super) cancelled: &'a (dyn Fn() -> bool + Sync),
}

impl Examiner<'_> {
    /// Looks at all of them, the largest first, so that none is left to one thread at the end. Those that are gone are
    /// left out. What is new is sent on, to be kept.
    pub(super) fn examine(&self, looks: Vec<Look>, keep: Option<&Sender<Stored>>) -> Result<Vec<Examined>, Error> {
        let stat = |look: Look| {
            let stamp = Disk.stat(&self.root.join(&look.path)).map(|stat| (stat.kind, Stamp::of(&stat)));
            (look, stamp)
        };
        let mut looks: Vec<_> = looks.into_par_iter().map(stat).collect();
        looks.sort_by_key(|(_, stamp)| std::cmp::Reverse(stamp.as_ref().map_or(0, |(_, stamp)| stamp.size)));
        let (next, done) = (AtomicUsize::new(0), AtomicUsize::new(0));
        let found = Mutex::new(Vec::with_capacity(looks.len()));
        let stopped = rayon::broadcast(|_| {
            let mut own = Vec::new();
            while let Some((look, stamp)) = looks.get(next.fetch_add(1, Ordering::Relaxed)) {
                if (self.cancelled)() {
                    return true;
                }
                match stamp {
                    Ok((Kind::File, stamp)) => own.extend(self.examine_one(look, *stamp, keep)),
                    Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                        own.extend(self.examine_one(look, Stamp::default(), keep));
                    }
                    _ => {}
                }
                (self.progress)(done.fetch_add(1, Ordering::Relaxed) + 1, looks.len());
            }
            found.lock().unwrap_or_else(PoisonError::into_inner).extend(own);
            false
        });
        if stopped.contains(&true) {
            return Err(Error::Cancelled);
        }
        Ok(found.into_inner().unwrap_or_else(PoisonError::into_inner))
    }

    fn examine_one(&self, look: &Look, stamp: Stamp, keep: Option<&Sender<Stored>>) -> Option<Examined> {
        let mut entry = FileEntry {
            path: look.path.clone(),
            stamp,
            racy: stamp.is_racy(self.recorded),
            hash: [0; 32],
            language: None,
            skipped: None,
            lines: 0,
        };
        let file_name = name(&look.path);
        let by_path = self.registry.by_path(Path::new(file_name));
        let is_project_file = project::is_project_file(file_name);
        let maybe_script = by_path.is_none() && !is_project_file;
        let max_bytes = if maybe_script { self.max_file_bytes.min(MAX_SCRIPT_BYTES) } else { self.max_file_bytes };
        let text = match read(&self.root.join(&look.path), &ReadOptions { max_bytes, named: is_project_file }) {
            Ok(text) => text,
            Err(SkipReason::Vanished) => return None,
            // It is not known to be anything, so nothing is missing.
            Err(_) if maybe_script => return Some(Examined { entry, facts: None }),
            Err(why) => {
                entry.language = by_path.map(|language| language.name().to_owned());
                entry.skipped = Some(why.into());
                return Some(Examined { entry, facts: None });
            }
        };
        entry.hash = *ContentHash::of(&text).as_bytes();
        let by_text = self.also.iter().find(|also| also.is_one(file_name, &text)).map(|also| also.language);
        let Some(language) = by_text.or(by_path).or_else(|| self.registry.by_first_line(&text)) else {
            return Some(Examined { entry, facts: None });
        };
        entry.language = Some(language.name().to_owned());
        entry.lines = lines(&text);
        if let Some(old) = &look.old
            && (old.hash, &old.language) == (entry.hash, &entry.language)
            && old.skipped.is_none_or(Why::is_lasting)
        {
            entry.skipped = old.skipped;
            return Some(Examined { entry, facts: None });
        }
        Some(self.parse(entry, language, &text, keep))
    }

    fn parse(&self, mut entry: FileEntry, language: &Language, text: &[u8], keep: Option<&Sender<Stored>>) -> Examined {
        let facts = match (self.extract)(language, text, &entry.path) {
            Ok(facts) => Some(facts.unwrap_or_else(|| lone::facts(&entry.path, entry.lines))),
            Err(_) => {
                entry.skipped = Some(Why::Budget);
                None
            }
        };
        if let Some(keep) = keep {
            let packed = facts.as_ref().map(|facts| pack(facts, &entry.hash));
            // What cannot be packed is parsed again another time. If nobody receives, what went wrong is known there.
            if packed != Some(None) {
                let _ = keep.send(Stored { entry: entry.clone(), facts: packed.flatten() });
            }
        }
        Examined { entry, facts }
    }
}

/// How many lines a text has; a line end at its end begins no line.
fn lines(text: &[u8]) -> u32 {
    let ends = text.iter().filter(|byte| **byte == b'\n').count();
    let open = usize::from(text.last().is_some_and(|last| *last != b'\n'));
    u32::try_from(ends + open).unwrap_or(u32::MAX)
}

/// A language that has files of another's ending, told by their text.
pub(super) struct Also<'a> {
    language: &'a Arc<Language>,
    extensions: &'a [String],
    pattern: Regex,
}

impl<'a> Also<'a> {
    /// All such languages. A pattern that is no regular expression has no files; its language's tests find that out.
    pub(super) fn all(registry: &'a Registry) -> Vec<Self> {
        let also = |language: &'a Arc<Language>| {
            let also = language.description.graph.as_ref()?.also.as_ref()?;
            Some(Self { language, extensions: &also.extensions, pattern: Regex::new(&also.pattern).ok()? })
        };
        registry.languages().filter_map(also).collect()
    }

    fn is_one(&self, file_name: &str, text: &[u8]) -> bool {
        let ending = file_name.rsplit_once('.').map_or("", |(_, ending)| ending);
        self.extensions.iter().any(|known| known == ending) && self.pattern.is_match(text)
    }
}
