//! One case run: what differs from what it says, and what an update would write instead.

use std::collections::BTreeMap;
use std::ops::Range;

use vise_search::rewrite::Template;
use vise_search::{Bound, Context, Match};
use vise_syntax::{Document, Registry, parse};

use super::carets::{Seen, Value, differences, render, split};
use super::fences::{Fence, Problem};
use super::markdown::{Case, Source, Step, Text};
use super::options::Search;
use super::rewriting;
use super::runner::Outcome;

/// Says what is wrong with a fence, and what an update writes instead of it.
pub(crate) fn differs(outcome: &mut Outcome, fence: &Fence, message: impl Into<String>, instead: String) {
    outcome.problems.push(Problem::new(fence.line(), message));
    outcome.update(fence, instead);
}

pub(crate) fn run(registry: &Registry, case: &Case) -> Outcome {
    let mut outcome = Outcome::default();
    for step in &case.steps {
        if let Err(problem) = run_step(registry, step, &mut outcome) {
            outcome.problems.push(problem);
        }
    }
    outcome
}

fn run_step(registry: &Registry, step: &Step, outcome: &mut Outcome) -> Result<(), Problem> {
    let at = step.pattern.line();
    if step.language.is_empty() {
        // A manual's pattern that stands for itself.
        return Ok(());
    }
    let language = registry.by_name(&step.language);
    let language = language.ok_or_else(|| Problem::new(at, format!("there is no language `{}`", step.language)))?;
    let compiled = Search::compile(language, step.pattern.trimmed(), step.options.as_ref()).and_then(|search| {
        let template = step.template.as_ref().map(|fence| rewriting::template(&search, fence.trimmed())).transpose()?;
        Ok((search, template))
    });
    match (&step.error, compiled) {
        (None, Ok((search, template))) => {
            for source in &step.sources {
                check_source(&search, template.as_ref(), source, outcome)?;
            }
            Ok(())
        }
        (None, Err(message)) => Err(Problem::new(at, message)),
        (Some(error), Ok(_)) => Err(Problem::new(error.line(), "there is no error")),
        (Some(error), Err(message)) => {
            if let Some(missing) = error.lines().find(|piece| !message.contains(piece)) {
                let wrong = format!("the message does not say `{missing}`; it is: {message}");
                differs(outcome, error, wrong, first_line(&message));
            }
            Ok(())
        }
    }
}

fn first_line(message: &str) -> String {
    format!("{}\n", message.lines().next().unwrap_or_default())
}

fn check_source(
    search: &Search,
    template: Option<&Template>,
    source: &Source,
    outcome: &mut Outcome,
) -> Result<(), Problem> {
    let fence = &source.fence;
    let marked = split(&fence.text, fence.line() + 1)?;
    let language = &search.pattern.language;
    let document = parse(language, marked.source.as_bytes())
        .map_err(|_| Problem::new(fence.line(), "the parser's budget is used up"))?;
    let readings = search.find(&document);
    let names: Vec<_> = search.pattern.readings().collect();
    let won = winners(&names.iter().map(|(_, group)| *group).collect::<Vec<_>>(), &readings, search.context);

    // A rewrite is told by its result; carets in it are compared where there are any.
    if template.is_none() || !marked.marks.is_empty() {
        let mut seen: Vec<Seen> = Vec::new();
        for reading in &won {
            seen.extend(readings[*reading].iter().map(|found| see(found, &names[*reading].0.kind, &marked.source)));
        }
        seen.sort_by(|a, b| (a.start, b.end).cmp(&(b.start, a.end)));
        // In the union of all readings a place counts once.
        seen.dedup_by(|a, b| (a.start, a.end, &a.bindings) == (b.start, b.end, &b.bindings));
        let problems = differences(&marked, &seen, fence.line() + 1);
        if !problems.is_empty() {
            outcome.problems.extend(problems);
            if seen.is_empty() {
                outcome.problems.extend(nearest(search, &document, fence));
            }
            outcome.update(fence, render(&marked.source, &seen));
        }
    }
    if let Some(expected) = &source.readings {
        check_readings(
            expected,
            &names.iter().map(|(name, _)| name.kind.as_str()).zip(readings.iter().map(Vec::len)).collect::<Vec<_>>(),
            outcome,
        );
    }
    if let Some(template) = template {
        rewriting::check(search, template, source, &document, &readings, outcome);
    }
    Ok(())
}

/// Where nothing matches, what came nearest helps most.
fn nearest(search: &Search, document: &Document<'_>, fence: &Fence) -> Option<Problem> {
    let miss = search.pattern.near_miss(document)?;
    let text = |range: Range<usize>| String::from_utf8_lossy(document.text(range)).into_owned();
    let root = text(miss.root..document.source.len());
    let root = root.lines().next().unwrap_or_default();
    let message = format!("nearest: at `{root}` the pattern wants `{}` and finds `{}`", miss.wanted, text(miss.found));
    Some(Problem::new(fence.line(), message))
}

/// The readings whose matches are the answer: the first that accepts, or where it finds nothing, the first that does.
fn winners(groups: &[usize], readings: &[Vec<Match>], context: Context) -> Vec<usize> {
    let all = 0..groups.len();
    if context == Context::Any {
        return all.collect();
    }
    let finds = all.clone().find(|reading| !readings[*reading].is_empty()).unwrap_or(0);
    all.filter(|reading| groups.get(finds) == Some(&groups[*reading])).collect()
}

fn see(found: &Match, reading: &str, source: &str) -> Seen {
    let text = |range: &Range<usize>| source.get(range.clone()).unwrap_or_default().to_string();
    let bindings = found.bindings.iter().map(|binding| {
        let value = match &binding.bound {
            Bound::One(node) => Value::One(text(&node.range)),
            Bound::Content(range) => Value::One(text(range)),
            Bound::Many { elements, .. } => Value::Many(elements.iter().map(|node| text(&node.range)).collect()),
        };
        (binding.name.to_string(), value)
    });
    Seen {
        start: found.range.start,
        end: found.range.end,
        partial: found.partial,
        reading: reading.to_string(),
        bindings: bindings.collect(),
    }
}

fn check_readings(expected: &Fence, found: &[(&str, usize)], outcome: &mut Outcome) {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for (kind, count) in found {
        *counts.entry(kind).or_default() += count;
    }
    for line in expected.lines() {
        let wanted =
            line.split_once(':').and_then(|(kind, count)| Some((kind.trim(), count.trim().parse::<usize>().ok()?)));
        let wrong = match wanted {
            None => format!("`{line}` is not `kind: N`"),
            Some((kind, count)) => match counts.get(kind) {
                Some(found) if *found == count => continue,
                Some(found) => format!("`{kind}` finds {found}, not {count}"),
                None => format!("the pattern is not read as `{kind}`"),
            },
        };
        let instead = counts.iter().map(|(kind, count)| format!("{kind}: {count}\n")).collect();
        return differs(outcome, expected, wrong, instead);
    }
}
