//! What a rewrite makes of a source, and what must hold of every rewrite whatever the case says.

use std::ops::Range;

use vise_search::rewrite::{RewriteOptions, Rewritten, Template, rewrite};
use vise_search::{Context, Match};
use vise_syntax::{Document, parse};

use super::check::differs;
use super::fences::Problem;
use super::markdown::{Source, Text};
use super::options::Search;
use super::runner::Outcome;

pub(crate) fn template(search: &Search, text: &str) -> Result<Template, String> {
    Template::parse(&search.pattern.language, text, &search.pattern.metavariables)
}

/// Rewrites the matches of the winning reading: a rewrite never switches to another one.
pub(crate) fn check(
    search: &Search,
    template: &Template,
    source: &Source,
    document: &Document<'_>,
    readings: &[Vec<Match>],
    outcome: &mut Outcome,
) {
    let groups: Vec<usize> = search.pattern.readings().map(|(_, group)| group).collect();
    let wins = |reading: usize| search.context == Context::Any || groups.get(reading) == groups.first();
    let mut matches: Vec<Match> = Vec::new();
    for (reading, found) in readings.iter().enumerate() {
        if wins(reading) {
            matches.extend(found.iter().cloned());
        }
    }
    if matches.is_empty() && readings.iter().any(|found| !found.is_empty()) {
        let message = "the first reading matches nothing, another does; a rewrite needs `--context` to choose it";
        outcome.problems.push(Problem::new(source.fence.line(), message));
        return;
    }
    matches.sort_by_key(|found| (found.range.start, std::cmp::Reverse(found.range.end)));
    matches.dedup_by(|a, b| a.range == b.range);

    let options = RewriteOptions { allow_comment_loss: search.allow_comment_loss };
    let done = rewrite(document, &matches, template, &options);
    if let Err(message) = invariants(document, &done) {
        outcome.problems.push(Problem::new(source.fence.line(), message));
    }

    let text = String::from_utf8_lossy(&done.text).into_owned();
    let before = String::from_utf8_lossy(document.source);
    match &source.after {
        Some(after) if after.text != text => {
            differs(outcome, after, format!("the source becomes\n{text}"), text);
        }
        Some(_) => {}
        None if source.refused.is_none() => {
            let message = "a rewrite has an `after` or a `refused` below its source";
            outcome.problems.push(Problem::new(source.fence.line(), message));
        }
        None if text != before => {
            let message = format!("everything was to be refused, but the source becomes\n{text}");
            outcome.problems.push(Problem::new(source.fence.line(), message));
        }
        None => {}
    }

    let reasons: Vec<String> = done.refused.iter().map(|row| format!("{}: {}", row.reason, row.why)).collect();
    match &source.refused {
        Some(fence) => {
            if let Some(missing) = fence.lines().find(|piece| !reasons.iter().any(|reason| reason.contains(piece))) {
                let message = format!("no place is refused for `{missing}`; refused are: {}", shown(&reasons));
                differs(outcome, fence, message, reasons.iter().map(|reason| format!("{reason}\n")).collect());
            }
        }
        None if !reasons.is_empty() => {
            let message = format!("a place is refused, which the case does not say: {}", shown(&reasons));
            outcome.problems.push(Problem::new(source.fence.line(), message));
        }
        None => {}
    }
}

fn shown(reasons: &[String]) -> String {
    if reasons.is_empty() { "none".to_string() } else { reasons.join(" | ") }
}

/// What no rewrite may break.
fn invariants(document: &Document<'_>, done: &Rewritten) -> Result<(), String> {
    let applied = vise_text::apply(document.source, &done.edits).map_err(|error| format!("the edits: {error}"))?;
    if applied != done.text {
        return Err(format!("the edits and the text differ; the edits make\n{}", String::from_utf8_lossy(&applied)));
    }
    let after = parse(document.language, &done.text).map_err(|_| "the result uses up the parser's budget")?;
    if after.error_count() > document.error_count() {
        return Err(format!(
            "the result has {} parse errors, the source {}",
            after.error_count(),
            document.error_count()
        ));
    }
    let places: Vec<&Range<usize>> = done.places.iter().map(|place| &place.range).collect();
    let edits: Vec<&Range<usize>> = done.edits.iter().map(|edit| &edit.range).collect();
    if places != edits {
        return Err(format!("places {places:?} are not the edits' {edits:?}"));
    }
    Ok(())
}
