//! `ast_edit`: replace each place of a shape, as a proposal that somebody decides on.

use std::collections::{HashMap, HashSet};
use std::fmt;
use std::ops::ControlFlow;
use std::path::PathBuf;

use rayon::prelude::*;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize, Serializer};
use vise_edit::{Candidate, Draft, DroppedComment, Proposal, Reason, Refusal, Store, prepare};
use vise_search::metavariable::{names, scan};
use vise_search::rewrite::{RewriteOptions, Rewritten, Template, rewrite};
use vise_syntax::{Language, errors, parse};
use vise_text::{ContentHash, FileOp, LineIndex, PlacedEdit, lossy};
use vise_workspace::{WalkOptions, walk};

use crate::filters::Filters;
use crate::foresee::{Foreseen, foresee, report};
use crate::look::{FoundIn, Question, look};
use crate::paint::Paint;
use crate::proposal_text::{self, DIFF_LINES};
use crate::query::{Queries, named_languages};
use crate::tally::{ReadingCount, Summary};
use crate::text::notes_of;
use crate::{ErrorKind, Input, Session, ToolError};

/// Prepare a rewrite of every match of a pattern: a proposal with its diff. Nothing is written.
#[derive(Debug, Clone, Default, clap::Args, Deserialize, JsonSchema)]
pub struct AstEdit {
    /// Code with metavariables ($X one node, $$$XS any number)
    #[arg(allow_hyphen_values = true)]
    pub pattern: String,
    /// What to put in its place; empty to delete
    #[arg(allow_hyphen_values = true)]
    pub template: String,
    /// Files and folders; the current folder by default
    #[arg(value_name = "PATH")]
    #[serde(default)]
    pub paths: Vec<PathBuf>,
    /// Which matches count
    #[command(flatten)]
    #[serde(flatten)]
    pub filters: Filters,
    /// More matches are an error
    #[arg(long, value_name = "N")]
    #[serde(default)]
    pub max: Option<usize>,
    /// Say what the change would break
    #[arg(long)]
    #[serde(default)]
    pub check: bool,
    /// Drop comments that have no place, instead of refusing
    #[arg(long)]
    #[serde(default)]
    pub allow_comment_loss: bool,
    /// Change files that may not be written too; they keep their mode
    #[arg(long)]
    #[serde(skip)]
    pub allow_read_only: bool,
}

/// What was prepared.
#[derive(Debug)]
pub struct AstEditReport {
    /// The proposal; none where there is nothing to change.
    pub proposal: Option<Proposal>,
    /// What it would break, where that was asked for.
    foreseen: Option<Foreseen>,
    /// The counts of the search.
    pub summary: Summary,
    /// What a reviewer should know where there is no proposal to hold it.
    pub notes: Vec<String>,
}

/// One file, rewritten.
struct Changed {
    found: FoundIn,
    rewritten: Rewritten,
    rematches: usize,
    /// Why the whole file is left as it is.
    refused: Option<Refusal>,
}

impl Input for AstEdit {
    type Report = AstEditReport;

    /// Prepares the proposal. It is an error when only another reading of the pattern matches, when there are more
    /// matches than `max`, and when every place is refused.
    fn run(&self, session: &Session) -> Result<AstEditReport, ToolError> {
        let queries = Queries::new(&session.registry, &self.pattern, &self.filters)?;
        self.check_template(session)?;
        let question = Question { queries: &queries, paths: &self.paths, may_switch: false, max: None };
        let mut found = Vec::new();
        let summary = look(&question, session, &mut |files| {
            found.extend(files);
            ControlFlow::Continue(())
        })?;
        if summary.matches == 0 {
            return match other_readings(&summary) {
                Some(error) => Err(error),
                None => Ok(AstEditReport { proposal: None, foreseen: None, notes: notes_of(&summary), summary }),
            };
        }
        if let Some(max) = self.max.filter(|max| summary.matches > *max) {
            let message = format!("there are {} matches, more than `--max {max}` allows", summary.matches);
            return Err(ToolError::bad_input(message)
                .hint("narrow the pattern, the paths or the filters, or raise the limit")
                .with("matches", summary.matches));
        }
        let ignored = self.ignored(&found, session)?;
        let changed: Vec<Changed> = found
            .into_par_iter()
            .map(|found| {
                session.go_on()?;
                self.change(found, &queries, &ignored)
            })
            .collect::<Result<_, _>>()?;
        session.go_on()?;
        self.propose(changed, summary, session)
    }

    fn found_nothing(report: &AstEditReport) -> bool {
        report.proposal.is_none()
    }
}

impl AstEdit {
    /// A metavariable that the pattern does not have is an error before any file is looked at.
    fn check_template(&self, session: &Session) -> Result<(), ToolError> {
        let known = names(&scan(&self.pattern).map_err(ToolError::bad_input)?);
        let named = named_languages(&session.registry, &self.filters.lang)?;
        let Some(language) = named.first().or_else(|| session.registry.languages().next()) else { return Ok(()) };
        let template = Template::parse(language, &self.template, &known);
        template.map(|_| ()).map_err(|why| ToolError::bad_input(format!("in the template: {why}")))
    }

    /// The found files that an ignore file leaves out: they were reached by a flag or through a named folder.
    fn ignored(&self, found: &[FoundIn], session: &Session) -> Result<HashSet<PathBuf>, ToolError> {
        let reached: Vec<&FoundIn> = found.iter().filter(|found| !found.named).collect();
        let flags = &session.walk;
        let plain = self.paths.is_empty() && !flags.no_ignore && flags.globs.is_empty();
        if reached.is_empty() || plain {
            return Ok(HashSet::new());
        }
        let options = WalkOptions { hidden: true, threads: flags.threads, ..WalkOptions::default() };
        let known = walk(&session.root, &[], &options, &|| session.stopped())?;
        let known: HashSet<PathBuf> = known.files.into_iter().map(|file| file.path).collect();
        // A path that goes through a link is not met by a walk; the gate looks at where it leads.
        let met = |path: &PathBuf| path.canonicalize().is_ok_and(|real| real == *path);
        Ok(reached
            .into_iter()
            .map(|found| &found.path)
            .filter(|path| path.starts_with(&session.root) && !known.contains(*path) && met(path))
            .cloned()
            .collect())
    }

    fn change(
        &self,
        mut found: FoundIn,
        queries: &Queries<'_>,
        ignored: &HashSet<PathBuf>,
    ) -> Result<Changed, ToolError> {
        let refuse = |found: FoundIn, reason, why: &str| {
            let refused = Some(Refusal::of_file(found.file.clone(), reason, why));
            Ok(Changed { found, rewritten: Rewritten::default(), rematches: 0, refused })
        };
        if ignored.contains(&found.path) {
            return refuse(
                found,
                Reason::Ignored,
                "an ignore file leaves it out; name the file to change it all the same",
            );
        }
        let id = queries.id(&found.language);
        let Some(Ok(query)) = id.map(|id| queries.query(id)) else {
            return refuse(found, Reason::Other, "its language does not read the pattern");
        };
        let language: &Language = &found.language;
        let template = Template::parse(&found.language, &self.template, &query.pattern.metavariables)
            .map_err(|why| ToolError::bad_input(format!("in the template: {why}")))?;
        let taken = std::mem::take(&mut found.matches);
        let readings: HashSet<usize> = taken.iter().map(|(reading, _)| *reading).collect();
        let matches: Vec<_> = taken.into_iter().map(|(_, one)| one).collect();
        let options = RewriteOptions { allow_comment_loss: self.allow_comment_loss };
        let outcome = parse(language, &found.source).ok().map(|document| {
            let rewritten = rewrite(&document, &matches, &template, &options);
            (errors(document.root()).len(), rewritten)
        });
        let Some((old_errors, rewritten)) = outcome else {
            return refuse(found, Reason::Other, "parsing it takes too many steps");
        };
        if rewritten.edits.is_empty() {
            return Ok(Changed { found, rewritten, rematches: 0, refused: None });
        }
        let checked = parse(language, &rewritten.text).ok().map(|document| {
            let again = query.find(&document).readings;
            let mut ranges: Vec<_> = readings
                .iter()
                .filter_map(|reading| again.get(*reading))
                .flatten()
                .map(|one| one.range.clone())
                .collect();
            ranges.sort_by_key(|range| (range.start, range.end));
            ranges.dedup();
            (errors(document.root()).len(), ranges.len())
        });
        let Some((new_errors, again)) = checked else {
            return refuse(found, Reason::SyntaxError, "the result cannot be parsed again within its budget");
        };
        if new_errors > old_errors {
            let why = format!("the result would have {new_errors} syntax errors, where there are {old_errors} now");
            return refuse(found, Reason::SyntaxError, &why);
        }
        // What was refused is still there; only what the result adds is news.
        let rematches = again.saturating_sub(rewritten.refused.len());
        Ok(Changed { found, rewritten, rematches, refused: None })
    }

    fn propose(&self, changed: Vec<Changed>, summary: Summary, session: &Session) -> Result<AstEditReport, ToolError> {
        let mut draft = Draft { allow_read_only: self.allow_read_only, notes: notes_of(&summary), ..Draft::default() };
        let mut checked: HashMap<String, ContentHash> = HashMap::new();
        for Changed { found, rewritten, rematches, refused } in changed {
            let lines = LineIndex::new(&found.source);
            let line = |offset| lines.line_of(offset) + 1;
            draft.refused.extend(refused);
            draft.refused.extend(rewritten.refused.into_iter().map(|refusal| Refusal {
                file: found.file.clone(),
                line: Some(line(refusal.offset)),
                why: refusal.why,
                reason: reason(refusal.reason),
            }));
            draft.dropped_comments.extend(rewritten.dropped_comments.into_iter().map(|dropped| DroppedComment {
                file: found.file.clone(),
                line: line(dropped.offset),
                text: lossy(&dropped.text),
            }));
            if rewritten.edits.is_empty() {
                continue;
            }
            draft.rematches += rematches;
            checked.insert(found.file, ContentHash::of(&rewritten.text));
            let places = rewritten.places.iter().map(|place| place.changes).chain(std::iter::repeat(1));
            let edits = rewritten.edits.into_iter().zip(places);
            draft.ops.push(FileOp::Splice {
                path: found.path,
                old: ContentHash::of(&found.source),
                edits: edits.map(|(edit, matches)| PlacedEdit { matches, ..PlacedEdit::new(edit) }).collect(),
            });
        }
        if draft.ops.is_empty() && !draft.refused.is_empty() {
            return Err(vise_edit::Error::Refused(draft.refused).into());
        }
        // Each file was parsed again above; the gate asks for the bytes that it is about to store.
        let guard = |candidate: &Candidate<'_>| {
            let same = candidate.new.is_some_and(|new| checked.get(candidate.file) == Some(&ContentHash::of(new)));
            if same {
                return Vec::new();
            }
            vec![Refusal::of_file(candidate.file, Reason::Other, "what would be written is not what was checked")]
        };
        let notes = draft.notes.clone();
        let store = Store::open(&session.state_home);
        match prepare(&store, &session.root, draft, (session.now)().into(), &guard) {
            Ok(proposal) => {
                let foreseen = self.check.then(|| foresee(&proposal, session));
                Ok(AstEditReport { proposal: Some(proposal), foreseen, summary, notes: Vec::new() })
            }
            Err(vise_edit::Error::NoChange) => {
                let mut report = AstEditReport { proposal: None, foreseen: None, summary, notes };
                report
                    .notes
                    .insert(0, format!("{} matches are what the template says already", report.summary.matches));
                Ok(report)
            }
            Err(error) => Err(error.into()),
        }
    }
}

/// The gate's word for why the rewriter left a place alone.
fn reason(word: &str) -> Reason {
    match word {
        "comment" => Reason::CommentLoss,
        "parse" | "broken" => Reason::SyntaxError,
        "overlap" => Reason::Overlap,
        "not_utf8_template" => Reason::NotUtf8Template,
        "ambiguous" => Reason::Ambiguous,
        "too_large" => Reason::TooLarge,
        _ => Reason::Other,
    }
}

/// The error to give when the first reading has no match and another has: a rewrite never switches by itself.
fn other_readings(summary: &Summary) -> Option<ToolError> {
    let first = summary.readings.iter().find(|reading| reading.given)?;
    let others: Vec<_> = summary.readings.iter().filter(|reading| !reading.given && reading.matches > 0).collect();
    let nearest = others.first()?;
    let describe =
        |other: &&ReadingCount| format!("`{}` ({} places, `--context {}`)", other.reading, other.matches, other.rung);
    let list: Vec<_> = others.iter().map(describe).collect();
    Some(
        ToolError::new(
            ErrorKind::BadInput,
            format!(
                "the pattern is read as `{}` (rung {}), and so nothing matches; it can also be read as {}",
                first.reading,
                first.rung,
                list.join(", ")
            ),
        )
        .hint(format!("say which is meant, for example `--context {}`", nearest.rung))
        .with("readings", &summary.readings),
    )
}

impl AstEditReport {
    /// The report as text. `limit`: the most lines of the diff that are shown.
    pub fn text(&self, paint: Paint, limit: Option<usize>) -> String {
        match &self.proposal {
            Some(proposal) => {
                let mut out = proposal_text::proposal(proposal, paint, limit);
                if let Some(foreseen) = &self.foreseen {
                    foreseen.write(&mut out, paint);
                }
                out
            }
            None => proposal_text::nothing(&self.summary, &self.notes, paint),
        }
    }
}

impl fmt::Display for AstEditReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text(Paint::default(), Some(DIFF_LINES)))
    }
}

impl Serialize for AstEditReport {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if let Some(proposal) = &self.proposal {
            return report(proposal, self.foreseen.as_ref()).serialize(serializer);
        }
        // The same keys, so that whoever reads them need not ask which answer this is.
        #[derive(Serialize)]
        struct Nothing<'a> {
            proposal: (),
            changes: usize,
            files: [(); 0],
            diff: &'static str,
            dropped_comments: [(); 0],
            refused: [(); 0],
            diagnostics: (),
            digest: (),
            state: (),
            places: [(); 0],
            not_converged: bool,
            rematches: usize,
            notes: &'a [String],
        }
        Nothing {
            proposal: (),
            changes: 0,
            files: [],
            diff: "",
            dropped_comments: [],
            refused: [],
            diagnostics: (),
            digest: (),
            state: (),
            places: [],
            not_converged: false,
            rematches: 0,
            notes: &self.notes,
        }
        .serialize(serializer)
    }
}
