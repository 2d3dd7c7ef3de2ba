//! Rounds: write the text, parse it, repair what does not say what was meant, and again.

use std::ops::Range;

use rustc_hash::FxHashSet;
use vise_syntax::{Document, Injections, parse};
use vise_text::Edit;

use super::check::{Checker, Report, comment_text, comments_in};
use super::facts::{self, Facts};
use super::forest::Forest;
use super::guilt::{Budget, Trial};
use super::layout;
use super::plan::{self, Plan, kept_comments, shown};
use super::print::{Choices, Printed, Printer};
use super::template::Template;
use super::{Dropped, Place, RewriteOptions, Rewritten};
use crate::matches::Match;

/// What came of one attempt.
pub(super) enum Attempt {
    /// It worked.
    Done(Rewritten),
    /// These matches have to be left out.
    Refused(Rows),
}

/// Matches that are left out: place in the list, reason, why.
pub(super) type Rows = Vec<(usize, &'static str, String)>;

/// Rounds of repair.
const ROUNDS: usize = 8;
/// Pairs of parentheses that are looked at again.
const REVIEWED: usize = 32;
/// How much text is parsed for that at most.
const REVIEWED_BYTES: usize = 8 << 20;

/// Rewrites the matches for which `wanted` holds.
pub(super) fn attempt(
    injections: &Injections<'_, '_>,
    matches: &[Match],
    template: &Template,
    options: &RewriteOptions,
    budget: &Budget,
    wanted: &dyn Fn(usize) -> bool,
) -> Attempt {
    let document = injections.document();
    let source = document.source;
    let forest = Forest::new(matches, template, source.len(), wanted);
    let mut refused: Rows = forest
        .overlapping
        .iter()
        .map(|index| (*index, "overlap", "it overlaps a match that begins before it".to_owned()))
        .collect();
    let facts = facts::collect(injections, &forest);
    let mut plans = Vec::new();
    for (live, facts) in forest.live.iter().zip(&facts.matches) {
        if facts.place.broken {
            refused.push((live.index, "broken", "it stands in text that the grammar cannot read".to_owned()));
        }
        match plan::plan(source, live, facts, template) {
            Ok(plan) => {
                if let Some(comment) = plan.lost.first().filter(|_| !options.allow_comment_loss) {
                    let why = format!("the comment `{}` would be lost", shown(&source[comment.clone()]));
                    refused.push((live.index, "comment", why));
                }
                plans.push(plan);
            }
            Err(why) => {
                refused.push((live.index, why.reason, why.why));
                plans.push(Plan::default());
            }
        }
    }
    if !refused.is_empty() {
        return Attempt::Refused(refused);
    }
    let printer = Printer {
        source,
        template,
        forest: &forest,
        facts: &facts,
        plans: &plans,
        unit: layout::file_unit(source),
        lines: layout::line_starts(source),
    };
    let checker = Checker { template, forest: &forest, facts: &facts, source };
    let old_errors = document.error_count();
    Rounds { document, printer, checker, budget, old_errors, choices: Choices::default() }.run()
}

struct Rounds<'r> {
    document: &'r Document<'r>,
    printer: Printer<'r>,
    checker: Checker<'r>,
    budget: &'r Budget,
    old_errors: usize,
    choices: Choices,
}

/// Where parentheses do not help.
#[derive(Default)]
struct GivenUp {
    captures: FxHashSet<(usize, usize)>,
    wholes: FxHashSet<usize>,
}

/// A text that was written, and what the check says.
struct Round {
    printed: Printed,
    report: Report,
}

impl Rounds<'_> {
    fn run(mut self) -> Attempt {
        let mut given_up = GivenUp::default();
        let mut first_errors = None;
        let mut last = None;
        for phase in 0..2 {
            for _ in 0..ROUNDS {
                let now = match self.round(&self.choices) {
                    Ok(now) => now,
                    Err(refused) => return Attempt::Refused(refused),
                };
                first_errors.get_or_insert(now.report.errors.len());
                let repaired = self.repair(&now.report, &mut given_up);
                last = Some(now);
                if !repaired {
                    break;
                }
            }
            let failed = last.as_ref().is_some_and(|round| round.report.errors.len() > self.old_errors);
            if !failed || phase > 0 || !self.without_parentheses(last.as_ref(), &mut given_up) {
                break;
            }
        }
        let Some(mut round) = last else { return Attempt::Refused(Vec::new()) };
        self.review(&mut round, first_errors.is_some_and(|errors| errors > self.old_errors));
        if let Some(refused) = self.refuse(&round, &given_up) {
            return Attempt::Refused(refused);
        }
        self.finish(round)
    }

    /// Gives up the parentheses in the places that make errors. False when there are none.
    fn without_parentheses(&mut self, round: Option<&Round>, given_up: &mut GivenUp) -> bool {
        let Some(round) = round.filter(|_| !self.choices.captures.is_empty() || !self.choices.wholes.is_empty()) else {
            return false;
        };
        let guilty: FxHashSet<usize> = self.guilty(round).into_iter().collect();
        let roots = self.checker.forest.root_of_each();
        let before = (self.choices.captures.len(), self.choices.wholes.len());
        self.choices.captures.retain(|key| {
            let stays = !guilty.contains(&roots[key.0]);
            if !stays {
                given_up.captures.insert(*key);
            }
            stays
        });
        self.choices.wholes.retain(|live| {
            let stays = !guilty.contains(&roots[*live]);
            if !stays {
                given_up.wholes.insert(*live);
            }
            stays
        });
        before != (self.choices.captures.len(), self.choices.wholes.len())
    }

    fn round(&self, choices: &Choices) -> Result<Round, Rows> {
        let all = |reason: &'static str, why: &str| -> Rows {
            let roots = self.checker.forest.roots.iter();
            roots.map(|root| (self.checker.forest.live[*root].index, reason, why.to_owned())).collect()
        };
        let printed = self.printer.print(choices).map_err(|_| all("too_large", "the new text is far too large"))?;
        let document = parse(self.document.language, &printed.text)
            .map_err(|_| all("parse", "the new text takes too long to parse"))?;
        let report = self.checker.check(&document, &printed, choices);
        Ok(Round { printed, report })
    }

    /// Decides what to do differently in the next round. False when there is nothing more to do.
    fn repair(&mut self, report: &Report, given_up: &mut GivenUp) -> bool {
        let choices = &mut self.choices;
        let possible = !self.printer.template.language.description.parenthesis.is_empty();
        let mut repaired = false;
        let mut waiting: FxHashSet<usize> = FxHashSet::default();
        // What a statement in front has taken in looks like nothing that it is.
        for live in &report.joined {
            if choices.before.insert(*live) {
                waiting.insert(*live);
                repaired = true;
            }
        }
        for live in &report.joining {
            // What the statement behind is torn by may as well be what joins the one in front.
            if report.joined.is_empty() && choices.after.insert(*live) {
                waiting.insert(*live);
                repaired = true;
            }
        }
        let joined = waiting.clone();
        let mut added: FxHashSet<(usize, usize)> = FxHashSet::default();
        for &(live, item, _) in &report.captures {
            let key = (live, item);
            if given_up.captures.contains(&key) || added.contains(&key) || joined.contains(&live) {
                continue;
            }
            if possible && choices.captures.insert(key) {
                added.insert(key);
            } else {
                choices.captures.remove(&key);
                given_up.captures.insert(key);
            }
            waiting.insert(live);
            repaired = true;
        }
        for item in &report.verbatim {
            repaired |= choices.verbatim.insert(*item);
        }
        for key in &report.plain {
            repaired |= choices.plain.insert(*key);
        }
        let mut added: FxHashSet<usize> = FxHashSet::default();
        for (live, _) in &report.wholes {
            // With its captures in order, the whole may be in order too.
            if waiting.contains(live) || given_up.wholes.contains(live) || added.contains(live) {
                continue;
            }
            if possible && !self.printer.template.reading.expression.is_empty() && choices.wholes.insert(*live) {
                added.insert(*live);
            } else {
                choices.wholes.remove(live);
                given_up.wholes.insert(*live);
            }
            repaired = true;
        }
        repaired
    }

    /// Takes off what was put on only because another place had disturbed the parser, or because a match around or
    /// inside had no parentheses yet.
    fn review(&mut self, round: &mut Round, disturbed: bool) {
        let choices = &self.choices;
        let parent = |live: usize| self.checker.forest.live[live].parent;
        let captured: FxHashSet<usize> = choices.captures.iter().map(|key| key.0).collect();
        let linked: FxHashSet<usize> = choices
            .wholes
            .iter()
            .filter_map(|live| Some((*live, parent(*live)?)))
            .filter(|(_, parent)| choices.wholes.contains(parent) || captured.contains(parent))
            .flat_map(|(live, parent)| [live, parent])
            .collect();
        let doubtful = |live: &usize| disturbed || linked.contains(live) || choices.before.contains(live);
        let mut captures: Vec<(usize, usize)> =
            choices.captures.iter().filter(|key| doubtful(&key.0)).copied().collect();
        captures.sort_unstable();
        let mut wholes: Vec<usize> = choices.wholes.iter().filter(|live| doubtful(live)).copied().collect();
        wholes.sort_unstable();
        let both = |live: &&usize| disturbed || captured.contains(*live) || choices.wholes.contains(*live);
        let mut before: Vec<usize> = choices.before.iter().filter(both).copied().collect();
        before.sort_unstable();
        let budget = (REVIEWED_BYTES / self.document.source.len().max(1)).min(REVIEWED);
        let terminators = before.into_iter().map(|live| {
            Box::new(move |choices: &mut Choices| {
                choices.before.remove(&live);
            }) as Box<dyn Fn(&mut Choices)>
        });
        let trials = captures
            .into_iter()
            .map(|key| {
                move |choices: &mut Choices| {
                    choices.captures.remove(&key);
                }
            })
            .map(|trial| Box::new(trial) as Box<dyn Fn(&mut Choices)>)
            .chain(wholes.into_iter().map(|live| {
                Box::new(move |choices: &mut Choices| {
                    choices.wholes.remove(&live);
                }) as Box<dyn Fn(&mut Choices)>
            }))
            .chain(terminators);
        for trial in trials.take(budget) {
            let mut choices = self.choices.clone();
            trial(&mut choices);
            if self.budget.take(round.printed.text.len())
                && let Ok(now) = self.round(&choices)
                && now.report.errors.len() <= round.report.errors.len()
                && now.report.captures.len() <= round.report.captures.len()
                && now.report.wholes.len() <= round.report.wholes.len()
                && now.report.joined.len() <= round.report.joined.len()
                && now.report.joining.len() <= round.report.joining.len()
            {
                *round = now;
                self.choices = choices;
            }
        }
    }

    /// What has to be left out, if anything.
    fn refuse(&self, round: &Round, given_up: &GivenUp) -> Option<Rows> {
        let forest = self.checker.forest;
        let source = self.document.source;
        let mut refused: Rows = Vec::new();
        if round.report.errors.len() > self.old_errors {
            let why = "the new text would have an error here".to_owned();
            let guilty = self.guilty(round);
            refused.extend(guilty.into_iter().map(|root| (forest.live[root].index, "parse", why.clone())));
            return Some(refused);
        }
        for &(live, item, present) in &round.report.captures {
            if present && given_up.captures.contains(&(live, item)) {
                continue;
            }
            let name = match self.printer.template.items.get(item).map(|item| &item.what) {
                Some(super::template::What::Hole(hole)) => {
                    let hole = &self.printer.template.holes[*hole];
                    format!("{}{}", hole.kind.sigil(), hole.name)
                }
                _ => String::new(),
            };
            let area = forest.live[live].area_of(name.trim_start_matches('$'));
            let text = area.map_or(0..0, |area| forest.live[live].areas[area].range.clone());
            let why = format!("`{name}` is `{}`, which would not be one piece there", shown(&source[text]));
            refused.push((forest.live[live].index, "parse", why));
        }
        for &(live, bearable) in &round.report.wholes {
            if bearable && given_up.wholes.contains(&live) {
                continue;
            }
            let why = "the replacement would not be one piece here, but join what is around it".to_owned();
            refused.push((forest.live[live].index, "parse", why));
        }
        let why = "the replacement would join the statement beside it";
        for live in round.report.joined.iter().chain(&round.report.joining) {
            refused.push((forest.live[*live].index, "parse", why.to_owned()));
        }
        if refused.is_empty() {
            refused.extend(self.lost_comments(round));
        }
        (!refused.is_empty()).then_some(refused)
    }

    /// The outer matches that make errors.
    fn guilty(&self, round: &Round) -> Vec<usize> {
        let trial = Trial {
            document: self.document,
            printer: &self.printer,
            facts: self.checker.facts,
            choices: &self.choices,
            budget: self.budget,
            allowed: self.old_errors,
        };
        trial.guilty(&round.printed, &round.report.errors)
    }

    /// Outer matches in whose new text a comment is missing.
    fn lost_comments(&self, round: &Round) -> Rows {
        let forest = self.checker.forest;
        let facts: &Facts = self.checker.facts;
        let with: Vec<usize> = forest
            .roots
            .iter()
            .copied()
            .filter(|root| !kept_comments(facts, &forest.live[*root].range).is_empty())
            .collect();
        if with.is_empty() {
            return Vec::new();
        }
        let lost: FxHashSet<usize> =
            self.printer.plans.iter().flat_map(|plan| plan.lost.iter().map(|range| range.start)).collect();
        let sought: FxHashSet<usize> = with.iter().copied().collect();
        let mut wholes: Vec<(usize, Range<usize>)> = round
            .printed
            .wholes
            .iter()
            .filter(|whole| sought.contains(&whole.live))
            .map(|whole| (whole.live, whole.range.clone()))
            .collect();
        wholes.sort_by_key(|(_, range)| range.start);
        let Ok(new) = parse(self.document.language, &round.printed.text) else { return Vec::new() };
        let ranges: Vec<Range<usize>> = wholes.iter().map(|(_, range)| range.clone()).collect();
        let mut refused = Vec::new();
        for ((root, _), mut known) in wholes.into_iter().zip(comments_in(&new, &ranges)) {
            let live = &forest.live[root];
            for comment in kept_comments(facts, &live.range) {
                if lost.contains(&comment.start) {
                    continue;
                }
                let text = self.document.text(comment.clone());
                match known.get_mut(&comment_text(text)) {
                    Some(count) if *count > 0 => *count -= 1,
                    _ => {
                        let why = format!("the comment `{}` would be lost", shown(text));
                        refused.push((live.index, "comment", why));
                        break;
                    }
                }
            }
        }
        refused
    }

    fn finish(&self, round: Round) -> Attempt {
        let source = self.document.source;
        let forest = self.checker.forest;
        let text = &round.printed.text;
        let mut changed: FxHashSet<usize> = FxHashSet::default();
        let root_of = forest.root_of_each();
        let mut counts = vec![0_usize; forest.live.len()];
        let mut done = Rewritten::default();
        let mut roots: Vec<(usize, Range<usize>)> = Vec::new();
        for whole in &round.printed.wholes {
            let live = &forest.live[whole.live];
            if source[live.range.clone()] != text[whole.range.clone()] && changed.insert(whole.live) {
                counts[root_of[whole.live]] += 1;
            }
            if live.parent.is_none() {
                roots.push((whole.live, whole.range.clone()));
            }
        }
        for (root, range) in roots {
            let old = forest.live[root].range.clone();
            let new = text[range].to_vec();
            if source[old.clone()] != new[..] {
                done.changes += counts[root];
                done.edits.push(Edit { range: old.clone(), text: new.clone() });
                done.places.push(Place { range: old, text: new, changes: counts[root] });
            }
        }
        let mut lost: Vec<&Range<usize>> = self.printer.plans.iter().flat_map(|plan| &plan.lost).collect();
        lost.sort_by_key(|range| range.start);
        done.dropped_comments = lost
            .into_iter()
            .map(|range| Dropped { offset: range.start, text: self.document.text(range.clone()).to_vec() })
            .collect();
        done.text = round.printed.text;
        Attempt::Done(done)
    }
}
