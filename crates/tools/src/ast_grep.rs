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
use crate::{Input, Session, ToolError};

/// Find code by its shape, with metavariables: `$X` one node, `$$$XS` any number, `$_` whatever.
#[derive(Debug, Clone, Default, clap::Args, Deserialize, JsonSchema)]
pub struct AstGrep {
    /// Code with metavariables ($X one node, $$$XS any number)
    #[arg(allow_hyphen_values = true)]
    pub pattern: String,
    /// Files and folders; the current folder by default
    #[arg(value_name = "PATH")]
    #[serde(default)]
    pub paths: Vec<PathBuf>,
    /// Which matches count
    #[command(flatten)]
    #[serde(flatten)]
    pub filters: Filters,
    /// Show so many matches; all are counted
    #[arg(long, value_name = "N")]
    #[serde(default)]
    pub max: Option<usize>,
}

/// The most bytes of matched text that an agent is given at once.
const MAX_BYTES: usize = 64 << 10;

/// What a search found.
#[derive(Debug)]
pub struct AstGrepReport {
    /// The files with matches, in order.
    pub files: Vec<FoundIn>,
    /// The counts.
    pub summary: Summary,
}

impl Input for AstGrep {
    type Report = AstGrepReport;

    /// Runs the search and collects what is found, at most as much as an agent can read.
    fn run(&self, session: &Session) -> Result<AstGrepReport, ToolError> {
        let mut files = Vec::new();
        let max = self.max.unwrap_or(session.max_per_answer);
        let (mut bytes, mut left_out) = (0, false);
        let mut summary = self.search(session, Some(max), &mut |found| {
            for mut found in found {
                // A match may be a whole class. The first is given however long it is.
                found.matches.retain(|(_, one)| {
                    left_out |= bytes > 0 && bytes + one.range.len() > MAX_BYTES;
                    bytes += one.range.len();
                    !left_out
                });
                if !found.matches.is_empty() {
                    files.push(found);
                }
            }
            ControlFlow::Continue(())
        })?;
        summary.truncated |= left_out;
        Ok(AstGrepReport { files, summary })
    }

    fn found_nothing(report: &AstGrepReport) -> bool {
        report.summary.matches == 0
    }
}

impl AstGrep {
    /// Runs the search and hands matches on as they come, in order, until `sink` breaks off.
    ///
    /// # Errors
    /// When no language reads the pattern, or something else in the input is wrong; before anything is handed on.
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
        let mut out = Vec::with_capacity(found.matches.len().min(1 << 14) * 512);
        for one in &found.matches {
            let written = out.len();
            json::line(&mut out, &MatchView::new(found, &columns, one, written));
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
                    for one in &found.matches {
                        list.serialize_element(&MatchView::new(found, &columns, one, 0))?;
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

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use clap::Args;
    use serde::de::DeserializeOwned;
    use serde_json::{Value, json};

    use crate::{AstEdit, AstGrep, Resolve, TOOLS};

    fn keys<Input: schemars::JsonSchema>() -> BTreeSet<String> {
        let schema = serde_json::to_value(schemars::schema_for!(Input)).unwrap();
        schema["properties"].as_object().unwrap().keys().cloned().collect()
    }

    /// An agent's input and the command line's are one struct with the same names.
    fn check<Input: schemars::JsonSchema + Args + DeserializeOwned>(expected: &str, example: Value) {
        let expected: BTreeSet<String> = expected.split(' ').map(ToOwned::to_owned).collect();
        assert_eq!(keys::<Input>(), expected);
        let command = Input::augment_args(clap::Command::new("x"));
        for key in &expected {
            let flag = key.replace('_', "-");
            let known = command.get_arguments().any(|argument| {
                argument.get_id() == key.as_str() || argument.get_long() == Some(&flag) || key == "paths"
            });
            assert!(known, "{key}");
        }
        let input: Result<Input, _> = serde_json::from_value(example);
        assert!(input.is_ok());
    }

    #[test]
    fn inputs_have_the_contracts_keys() {
        let search = "pattern paths lang context exact where not_where kind inside has not_inside not_has max";
        check::<AstGrep>(search, json!({"pattern": "f($A)", "lang": ["js"], "context": "top-level", "where": ["A=x"]}));
        check::<AstEdit>(
            &format!("{search} template check allow_comment_loss"),
            json!({"pattern": "f($A)", "template": "g($A)", "allow_comment_loss": true}),
        );
        check::<Resolve>("proposal decision only", json!({"proposal": "3f9c2a", "decision": "accept"}));
    }

    #[test]
    fn every_tool_has_a_page_with_an_example() {
        for tool in TOOLS {
            assert!(tool.page.contains("Use it ") && tool.page.contains("\n    {"), "{}", tool.name);
        }
    }
}
