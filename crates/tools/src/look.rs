//! The search pipeline: walk, language of each file, a look at its bytes, parse, match.
//!
//! Files are taken in the order of their names, a batch at a time, and each batch's matches are handed on before the
//! next is begun: memory holds one batch, and a reader that has seen enough stops the work.

use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use rayon::prelude::*;
use vise_search::{Found, Match, ReadingName};
use vise_syntax::{Language, parse_once};
use vise_workspace::{ReadOptions, WalkedFile, read, walk};

use crate::near;
use crate::query::{LanguageId, Queries, named_languages};
use crate::tally::{Skip, Summary, Tally};
use crate::{Session, ToolError};

/// The matches in one file.
#[derive(Debug)]
pub struct FoundIn {
    /// As answers name it.
    pub file: String,
    /// Where it is.
    pub path: PathBuf,
    /// The user named this very file.
    pub named: bool,
    /// The language that it was parsed as.
    pub language: Arc<Language>,
    /// The readings of the pattern in this language.
    pub readings: Arc<[(ReadingName, usize)]>,
    /// The text.
    pub source: Vec<u8>,
    /// The matches by start, longer first, each with the number of its reading.
    pub matches: Vec<(usize, Match)>,
}

/// What is looked for, and where.
pub(crate) struct Question<'a> {
    pub queries: &'a Queries<'a>,
    pub paths: &'a [PathBuf],
    /// Another reading's matches are given where the first has none.
    pub may_switch: bool,
    /// More matches than this are counted, not given.
    pub max: Option<usize>,
}

/// Files of one batch. Large enough that two threads seldom wait for each other at its end.
const BATCH: usize = 256;

/// Why a file is skipped that the user named and that nothing tells the language of.
const UNKNOWN_LANGUAGE: &str = "unknown_language";

/// A file to look at; without a language, its first line must say which.
struct Target {
    file: WalkedFile,
    language: Option<LanguageId>,
}

/// What a look at one file gave.
enum Look {
    /// Not a file of any wanted language.
    Passed,
    /// Could not be looked at.
    Skipped(&'static str),
    /// Looked at. `parsed`: its bytes passed the first look.
    Searched { language: LanguageId, parsed: bool, not_utf8: bool, over_budget: bool, found: Option<Raw> },
}

/// The matches of every reading in a file.
pub(crate) struct Raw {
    pub language: LanguageId,
    pub source: Vec<u8>,
    pub readings: Vec<Vec<Match>>,
}

/// Runs a search; `sink` gets the matches in order and may break off.
pub(crate) fn look(
    question: &Question<'_>,
    session: &Session,
    sink: &mut dyn FnMut(Vec<FoundIn>) -> ControlFlow<()>,
) -> Result<Summary, ToolError> {
    let queries = question.queries;
    let mut tally = Tally::new(question.may_switch, queries.all_readings());
    let targets = match &session.piped {
        Some(_) => vec![piped_target(question, session)?],
        None => targets(question, session, &mut tally)?,
    };
    let mut left = question.max.unwrap_or(usize::MAX);
    let mut near_misses = Vec::new();
    let done = AtomicUsize::new(0);
    for (number, batch) in targets.chunks(BATCH).enumerate() {
        let looks: Vec<Look> = batch
            .par_iter()
            .with_max_len(1)
            .map(|target| {
                if session.stopped() {
                    return Look::Passed;
                }
                let look = look_at(target, queries, session);
                session.report(done.fetch_add(1, Ordering::Relaxed) + 1, targets.len());
                look
            })
            .collect();
        session.go_on()?;
        for (at, (target, look)) in batch.iter().zip(looks).enumerate() {
            match look {
                Look::Passed => {}
                Look::Skipped(why) => tally.skipped.push(Skip { file: target.file.shown.clone(), why }),
                Look::Searched { language, parsed, not_utf8, over_budget, found } => {
                    tally.files_searched += 1;
                    if not_utf8 {
                        tally.not_utf8.push(target.file.shown.clone());
                    }
                    if over_budget {
                        tally.skipped.push(Skip { file: target.file.shown.clone(), why: "budget" });
                    }
                    if parsed && found.is_none() && near_misses.len() < near::CANDIDATES {
                        near_misses.push((number * BATCH + at, language));
                    }
                    if let Some(raw) = found
                        && let Ok(query) = queries.query(language)
                    {
                        tally.take(&target.file, raw, queries.language(language), &query.readings);
                    }
                }
            }
        }
        if hand_on(tally.ready(), &mut left, sink).is_break() {
            return Ok(tally.summary(queries));
        }
    }
    if let Some(error) = queries.no_language() {
        return Err(error);
    }
    let rest = tally.finish();
    let _ = hand_on(rest, &mut left, sink);
    let mut summary = tally.summary(queries);
    summary.truncated = question.max.is_some_and(|max| summary.matches > max);
    if summary.matches == 0 {
        let candidates = near_misses.iter().map(|(at, language)| (&targets[*at].file, *language));
        summary.near_miss = near::nearest(candidates.collect(), queries, session);
    }
    Ok(summary)
}

/// Gives matches away until `left` are given.
fn hand_on(
    mut files: Vec<FoundIn>,
    left: &mut usize,
    sink: &mut dyn FnMut(Vec<FoundIn>) -> ControlFlow<()>,
) -> ControlFlow<()> {
    for file in &mut files {
        file.matches.truncate(*left);
        *left -= file.matches.len();
    }
    files.retain(|file| !file.matches.is_empty());
    if files.is_empty() { ControlFlow::Continue(()) } else { sink(files) }
}

/// The text that came by the standard input, as a file called `-`.
fn piped_target(question: &Question<'_>, session: &Session) -> Result<Target, ToolError> {
    let queries = question.queries;
    let languages = named_languages(&session.registry, &queries.filters().lang)?;
    let [language] = languages.as_slice() else {
        return Err(ToolError::bad_input("`--stdin` needs one language, because there is no file name to tell it")
            .hint("add `-l LANG`"));
    };
    let language = queries.id(language);
    if let Some(language) = language {
        let _ = queries.query(language);
    }
    Ok(Target { file: WalkedFile { path: PathBuf::from("-"), shown: "-".to_owned(), named: true }, language })
}

/// The files to look at, in order. Compiles the pattern for their languages.
fn targets(question: &Question<'_>, session: &Session, tally: &mut Tally) -> Result<Vec<Target>, ToolError> {
    let queries = question.queries;
    let wanted: Vec<LanguageId> = named_languages(&session.registry, &queries.filters().lang)?
        .iter()
        .filter_map(|language| queries.id(language))
        .collect();
    let walked = walk(&session.root, &session.paths(question.paths), &session.walk, &|| session.stopped())?;
    tally.warnings = walked.warnings;
    tally
        .skipped
        .extend(walked.skipped.into_iter().map(|skipped| Skip { file: skipped.file, why: skipped.why.as_str() }));
    let mut targets = Vec::with_capacity(walked.files.len());
    for file in walked.files {
        let by_name = session.registry.by_path(&file.path).and_then(|language| queries.id(language));
        match by_name {
            Some(language) => {
                let wanted = match wanted.as_slice() {
                    [] => file.named || !queries.language(language).description.markup,
                    wanted => wanted.contains(&language),
                };
                if wanted {
                    targets.push(Target { file, language: Some(language) });
                }
            }
            None if file.named && !wanted.is_empty() => {
                targets.push(Target { language: wanted.first().copied(), file });
            }
            None if file.path.extension().is_none() => targets.push(Target { file, language: None }),
            None if file.named => tally.skipped.push(Skip { file: file.shown, why: UNKNOWN_LANGUAGE }),
            None => {}
        }
    }
    // A pattern that no language reads is an error before any file is read. What `-l` names is tried even where there
    // is no such file.
    let mut present: Vec<LanguageId> = targets.iter().filter_map(|target| target.language).chain(wanted).collect();
    present.sort_unstable();
    present.dedup();
    present.par_iter().for_each(|language| {
        let _ = queries.query(*language);
    });
    if let Some(error) = queries.no_language() {
        return Err(error);
    }
    if let (true, Some(skip)) = (targets.is_empty(), tally.skipped.iter().find(|skip| skip.why == UNKNOWN_LANGUAGE)) {
        let message = format!("no language is known for `{}`", skip.file);
        return Err(ToolError::bad_input(message).hint("add `-l LANG`"));
    }
    Ok(targets)
}

fn look_at(target: &Target, queries: &Queries<'_>, session: &Session) -> Look {
    if let Some(language) = target.language
        && queries.query(language).is_err()
    {
        return Look::Passed;
    }
    let options = ReadOptions { max_bytes: session.max_file_bytes, named: target.file.named };
    let source = match &session.piped {
        Some(text) => Ok(text.clone()),
        None => read(&target.file.path, &options),
    };
    let source = match source {
        Ok(source) => source,
        // Without a language it may be anything: an image, a lock file.
        Err(_) if target.language.is_none() && !target.file.named => return Look::Passed,
        Err(why) => return Look::Skipped(why.as_str()),
    };
    let Some(language) = target.language.or_else(|| by_first_line(&source, queries, session)) else {
        return if target.file.named { Look::Skipped(UNKNOWN_LANGUAGE) } else { Look::Passed };
    };
    let Ok(query) = queries.query(language) else { return Look::Passed };
    let searched = |parsed, over_budget, found: Option<Raw>, not_utf8| Look::Searched {
        language,
        parsed,
        not_utf8,
        over_budget,
        found,
    };
    if !query.may_match(&source) {
        return searched(false, false, None, false);
    }
    let not_utf8 = std::str::from_utf8(&source).is_err();
    let looked = parse_once(queries.language(language), &source, |document| query.find(document));
    let Ok(Found { readings: found, over_budget }) = looked else {
        return searched(true, true, None, not_utf8);
    };
    let found = found.iter().any(|matches| !matches.is_empty()).then_some(Raw { language, source, readings: found });
    searched(true, over_budget, found, not_utf8)
}

fn by_first_line(source: &[u8], queries: &Queries<'_>, session: &Session) -> Option<LanguageId> {
    let language = session.registry.by_first_line(source)?;
    let wanted = match queries.filters().lang.as_slice() {
        [] => !language.description.markup,
        names => named_languages(&session.registry, names).ok()?.iter().any(|known| Arc::ptr_eq(known, language)),
    };
    if wanted { queries.id(language) } else { None }
}
