//! `ast_grep`: where does this shape occur.

use std::fmt;
use std::ops::ControlFlow;
use std::path::PathBuf;

use rayon::prelude::*;
use schemars::JsonSchema;
use serde::ser::{SerializeSeq, SerializeStruct, Serializer};
use serde::{Deserialize, Serialize};

use crate::columns::Columns;
use crate::filters::Filters;
use crate::json::{self, MatchView};
use crate::look::{FoundIn, Question, look};
use crate::paint::Paint;
use crate::query::Queries;
use crate::tally::Summary;
use crate::text::{self, TextOptions};
use crate::{Session, ToolError};

/// Find code by its shape, with metavariables: `$X` one node, `$$$XS` any number, `$_` whatever.
#[derive(Debug, Clone, Default, clap::Args, Deserialize, JsonSchema)]
pub struct AstGrep {
    /// Code of the language, with metavariables ($X one node, $$$XS any number of them)
    #[arg(allow_hyphen_values = true)]
    pub pattern: String,
    /// Files and folders to search; the current folder if there are none
    #[arg(value_name = "PATH")]
    #[serde(default)]
    pub paths: Vec<PathBuf>,
    /// Which matches count
    #[command(flatten)]
    #[serde(flatten)]
    pub filters: Filters,
    /// Show at most so many matches; all are counted
    #[arg(long, value_name = "N")]
    #[serde(default)]
    pub max: Option<usize>,
}

/// What a search found.
#[derive(Debug)]
pub struct AstGrepReport {
    /// The files with matches, in order.
    pub files: Vec<FoundIn>,
    /// The counts.
    pub summary: Summary,
}

impl AstGrep {
    /// Runs the search and collects what is found, at most as much as an agent can read.
    ///
    /// # Errors
    /// When no language reads the pattern, or something else in the input is wrong.
    pub fn run(&self, session: &Session) -> Result<AstGrepReport, ToolError> {
        let mut files = Vec::new();
        let max = self.max.unwrap_or(session.max_per_answer);
        let summary = self.search(session, Some(max), &mut |found| {
            files.extend(found);
            ControlFlow::Continue(())
        })?;
        Ok(AstGrepReport { files, summary })
    }

    /// Runs the search and hands matches on as they come, in order, until `sink` breaks off.
    ///
    /// # Errors
    /// As [`run`](Self::run); with no language for the pattern, before anything is handed on.
    pub fn search(
        &self,
        session: &Session,
        max: Option<usize>,
        sink: &mut dyn FnMut(Vec<FoundIn>) -> ControlFlow<()>,
    ) -> Result<Summary, ToolError> {
        let queries = Queries::new(&session.registry, &self.pattern, &self.filters)?;
        let question = Question { queries: &queries, paths: &self.paths, may_switch: true, max };
        let summary = look(&question, session, sink).map_err(|error| self.perhaps_a_path(session, error))?;
        if summary.matches == 0 && self.names_a_path(session) {
            return Err(self.is_a_path());
        }
        Ok(summary)
    }

    /// Whether the pattern, of which there is no match, is the name of a file or folder.
    fn names_a_path(&self, session: &Session) -> bool {
        let looks_so = self.paths.is_empty() && !self.pattern.is_empty() && self.pattern.contains(['/', '.']);
        looks_so && !self.pattern.contains('$') && session.folder.join(&self.pattern).exists()
    }

    fn perhaps_a_path(&self, session: &Session, error: ToolError) -> ToolError {
        if self.names_a_path(session) { self.is_a_path() } else { error }
    }

    fn is_a_path(&self) -> ToolError {
        let name = &self.pattern;
        ToolError::bad_input(format!("`{name}` is a path here; as a pattern it matches nothing"))
            .hint(format!("the pattern comes first: `vise ast-grep PATTERN {name}`"))
    }
}

/// The matches of some files as lines of JSON, in order.
pub fn json_lines(found: &[FoundIn]) -> Vec<Vec<u8>> {
    let one = |found: &FoundIn| {
        let columns = Columns::new(&found.source);
        let mut out = Vec::with_capacity(found.matches.len() * 512);
        for (reading, one) in &found.matches {
            json::line(&mut out, &MatchView::new(found, &columns, *reading, one));
        }
        out
    };
    found.par_iter().map(one).collect()
}

/// The matches of some files as text, in order.
pub fn text_of(found: &[FoundIn], options: &TextOptions) -> Vec<Vec<u8>> {
    found.par_iter().map(|found| text::matches(found, options)).collect()
}

/// The last line of a search's JSON.
pub fn summary_line(summary: &Summary) -> Vec<u8> {
    #[derive(Serialize)]
    struct Last<'a> {
        summary: &'a Summary,
    }
    let mut out = Vec::new();
    json::line(&mut out, &Last { summary });
    out
}

impl Serialize for AstGrepReport {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        struct Matches<'a>(&'a [FoundIn]);
        impl Serialize for Matches<'_> {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                let mut list = serializer.serialize_seq(None)?;
                for found in self.0 {
                    let columns = Columns::new(&found.source);
                    for (reading, one) in &found.matches {
                        list.serialize_element(&MatchView::new(found, &columns, *reading, one))?;
                    }
                }
                list.end()
            }
        }
        let mut report = serializer.serialize_struct("AstGrepReport", 2)?;
        report.serialize_field("matches", &Matches(&self.files))?;
        report.serialize_field("summary", &self.summary)?;
        report.end()
    }
}

impl fmt::Display for AstGrepReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let options = TextOptions { match_lines: Some(8), ..TextOptions::default() };
        for text in text_of(&self.files, &options) {
            f.write_str(&String::from_utf8_lossy(&text))?;
        }
        if self.summary.truncated {
            let shown: usize = self.files.iter().map(|found| found.matches.len()).sum();
            let all = self.summary.matches;
            writeln!(f, "{shown} of {all} shown; narrow `paths` or raise `max`")?;
        }
        f.write_str(&text::summary(&self.summary, Paint::default()))
    }
}
