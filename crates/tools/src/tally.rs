//! Counting what a search finds, and deciding which reading of the pattern is meant.
//!
//! The first reading that accepted the pattern wins. Only when it has no match anywhere do another's count, so a file
//! in which only another matches has to wait until that is known.

use std::collections::VecDeque;
use std::sync::Arc;

use serde::Serialize;
use vise_search::{Match, ReadingName};
use vise_syntax::Language;
use vise_workspace::WalkedFile;

use crate::look::{FoundIn, Raw};
use crate::near::Near;
use crate::query::{LanguageId, Queries};

/// A file that was not looked at, or not to its end.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Skip {
    /// As answers name it.
    pub file: String,
    /// Why, as a word.
    pub why: &'static str,
}

/// A reading of the pattern with the number of its matches.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ReadingCount {
    /// The rung of the ladder.
    pub rung: &'static str,
    /// The kind of node.
    pub reading: String,
    /// Matches in all files.
    pub matches: usize,
    /// Whether only a header was given.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub partial: bool,
    /// Whether this reading's matches are among those given.
    #[serde(skip)]
    pub given: bool,
    /// Matches at places that are not among those given.
    #[serde(skip)]
    pub more: usize,
}

/// What a search amounts to.
#[derive(Debug, Clone, Default, Serialize)]
pub struct Summary {
    /// Matches, those that were not given because of a limit included.
    pub matches: usize,
    /// Files with matches.
    pub files: usize,
    /// Files looked at.
    pub files_searched: usize,
    /// Files that could not be looked at.
    pub skipped: Vec<Skip>,
    /// Every reading of the pattern.
    pub readings: Vec<ReadingCount>,
    /// Whether a limit kept matches back.
    pub truncated: bool,
    /// The first reading had no match, so another's are given.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub switched: bool,
    /// Languages of files here that do not read the pattern.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub not_read_by: Vec<String>,
    /// Files that are not UTF-8 and were searched as bytes.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub not_utf8: Vec<String>,
    /// Lines of ignore files that do not parse, folders without a name.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
    /// Where there is no match: what came nearest.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub near_miss: Option<Near>,
}

/// The counts of one language.
struct Standing {
    language: LanguageId,
    readings: Arc<[(ReadingName, usize)]>,
    matches: Vec<usize>,
    /// Matches where the first reading has none.
    more: Vec<usize>,
    /// The group of readings whose matches are given, once that is known.
    winner: Option<usize>,
}

struct Waiting {
    file: WalkedFile,
    language: Arc<Language>,
    standing: usize,
    raw: Raw,
}

pub(crate) struct Tally {
    may_switch: bool,
    all_readings: bool,
    pub files_searched: usize,
    pub skipped: Vec<Skip>,
    pub not_utf8: Vec<String>,
    pub warnings: Vec<String>,
    matches: usize,
    files: usize,
    switched: bool,
    standings: Vec<Standing>,
    waiting: VecDeque<Waiting>,
}

impl Tally {
    pub(crate) fn new(may_switch: bool, all_readings: bool) -> Self {
        Self {
            may_switch,
            all_readings,
            files_searched: 0,
            skipped: Vec::new(),
            not_utf8: Vec::new(),
            warnings: Vec::new(),
            matches: 0,
            files: 0,
            switched: false,
            standings: Vec::new(),
            waiting: VecDeque::new(),
        }
    }

    /// Counts the matches of a file and puts them at the end of the queue.
    pub(crate) fn take(
        &mut self,
        file: &WalkedFile,
        raw: Raw,
        language: &Arc<Language>,
        readings: &Arc<[(ReadingName, usize)]>,
    ) {
        let standing = self.standing(raw.language, readings);
        let Some(known) = self.standings.get_mut(standing) else { return };
        let first = known.readings.first().map_or(0, |(_, group)| *group);
        let in_first = |range: &std::ops::Range<usize>| {
            raw.readings.iter().zip(known.readings.iter()).filter(|(_, (_, group))| *group == first).any(
                |(matches, _)| {
                    let at = matches.partition_point(|found| {
                        (found.range.start, std::cmp::Reverse(found.range.end))
                            < (range.start, std::cmp::Reverse(range.end))
                    });
                    matches.get(at).is_some_and(|found| found.range == *range)
                },
            )
        };
        for (number, matches) in raw.readings.iter().enumerate() {
            known.matches[number] += matches.len();
            if known.readings[number].1 == first {
                if !matches.is_empty() {
                    known.winner = Some(first);
                }
            } else {
                known.more[number] += matches.iter().filter(|found| !in_first(&found.range)).count();
            }
        }
        self.waiting.push_back(Waiting { file: file.clone(), language: language.clone(), standing, raw });
    }

    fn standing(&mut self, language: LanguageId, readings: &Arc<[(ReadingName, usize)]>) -> usize {
        let known = self.standings.iter().position(|standing| standing.language == language);
        known.unwrap_or_else(|| {
            self.standings.push(Standing {
                language,
                readings: readings.clone(),
                matches: vec![0; readings.len()],
                more: vec![0; readings.len()],
                winner: None,
            });
            self.standings.len() - 1
        })
    }

    /// The files whose matches are decided, in order.
    pub(crate) fn ready(&mut self) -> Vec<FoundIn> {
        let mut ready = Vec::new();
        while let Some(front) = self.waiting.front() {
            if self.standings[front.standing].winner.is_none() && !self.all_readings {
                break;
            }
            let Some(front) = self.waiting.pop_front() else { break };
            ready.extend(self.decide(front));
        }
        ready
    }

    /// Decides for the rest: all files have been seen.
    pub(crate) fn finish(&mut self) -> Vec<FoundIn> {
        for standing in &mut self.standings {
            if standing.winner.is_none() {
                let other = standing.matches.iter().position(|matches| *matches > 0);
                let group = other.filter(|_| self.may_switch).map(|at| standing.readings[at].1);
                self.switched |= group.is_some() && !self.all_readings;
                // Where nothing may be switched, the first reading stays, with no match.
                standing.winner = Some(group.unwrap_or_else(|| standing.readings.first().map_or(0, |first| first.1)));
            }
        }
        self.ready()
    }

    fn decide(&mut self, waiting: Waiting) -> Option<FoundIn> {
        let standing = &self.standings[waiting.standing];
        let mut matches: Vec<(usize, Match)> = Vec::new();
        for (number, found) in waiting.raw.readings.into_iter().enumerate() {
            if self.all_readings || Some(standing.readings[number].1) == standing.winner {
                matches.extend(found.into_iter().map(|found| (number, found)));
            }
        }
        // Two readings may match one place; it is given once, as the earlier of them.
        matches.sort_by_key(|(number, found)| (found.range.start, std::cmp::Reverse(found.range.end), *number));
        matches.dedup_by(|later, first| later.1.range == first.1.range);
        self.matches += matches.len();
        self.files += usize::from(!matches.is_empty());
        (!matches.is_empty()).then(|| FoundIn {
            file: waiting.file.shown,
            path: waiting.file.path,
            named: waiting.file.named,
            language: waiting.language,
            readings: standing.readings.clone(),
            source: waiting.raw.source,
            matches,
        })
    }

    /// The sum, so far.
    pub(crate) fn summary(&mut self, queries: &Queries<'_>) -> Summary {
        let mut readings: Vec<ReadingCount> = Vec::new();
        for (id, query) in queries.accepted() {
            let standing = self.standings.iter().find(|standing| standing.language == id);
            for (number, (name, group)) in query.readings.iter().enumerate() {
                let matches = standing.map_or(0, |standing| standing.matches[number]);
                let more = standing.map_or(0, |standing| standing.more[number]);
                let winner = standing
                    .and_then(|standing| standing.winner)
                    .unwrap_or_else(|| query.readings.first().map_or(0, |first| first.1));
                let given = self.all_readings || *group == winner;
                let same = readings.iter_mut().find(|known| {
                    (known.rung, &known.reading, known.partial) == (name.rung.as_str(), &name.kind, name.partial)
                });
                match same {
                    Some(known) => {
                        known.matches += matches;
                        known.more += more;
                        known.given |= given;
                    }
                    None => readings.push(ReadingCount {
                        rung: name.rung.as_str(),
                        reading: name.kind.clone(),
                        matches,
                        partial: name.partial,
                        given,
                        more,
                    }),
                }
            }
        }
        let mut skipped = std::mem::take(&mut self.skipped);
        skipped.sort_by(|a, b| a.file.as_bytes().cmp(b.file.as_bytes()));
        let all_rejected = queries.rejected().map(|(language, _)| language.name().to_owned());
        Summary {
            matches: self.matches,
            files: self.files,
            files_searched: self.files_searched,
            skipped,
            readings,
            truncated: false,
            switched: self.switched,
            not_read_by: all_rejected.collect(),
            not_utf8: std::mem::take(&mut self.not_utf8),
            warnings: std::mem::take(&mut self.warnings),
            near_miss: None,
        }
    }
}
