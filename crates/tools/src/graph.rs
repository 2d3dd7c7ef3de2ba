//! `graph`: what is here, and what depends on it.

mod answer;
mod ask;
mod budget;
mod dependents;
mod export;
mod import;
mod index;
mod json;
mod lines;
mod locate;
mod mentions;
mod sql;
mod subject;
mod view;
mod words;

use std::fmt;
use std::path::PathBuf;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize, Serializer};
use vise_graph::index::Opened;

use crate::paint::Paint;
use crate::{Input, Session, ToolError};
use answer::Answer;

pub(crate) use dependents::dependents;
pub use export::{ExportForm, Exported, NamedFiles};
pub use import::{Import, ImportReport, MAX_INDEX_BYTES};
pub(crate) use locate::{Located, definitions, locate};
pub use view::{Drawn, ViewForm};

/// What an answer may take of an agent's attention, in tokens, unless the question says otherwise.
const AGENT_TOKENS: usize = 4000;

/// Ask the code graph what is here and what depends on it.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Graph {
    /// The question
    pub op: GraphOp,
    /// A name, the end of a qualified name (`Store.save`), or FILE:LINE
    pub symbol: Option<String>,
    /// `path`: where it leads
    pub to: Option<String>,
    /// `outline`, `map`, `unused`: a file or folder
    pub path: Option<PathBuf>,
    /// Steps of `impact`, levels of `outline`
    pub depth: Option<u32>,
    /// Cut the answer to about so many
    pub tokens: Option<usize>,
    /// Rows at most
    pub max: Option<usize>,
    /// All symbols of the name
    pub all: bool,
    /// `diff`: against this revision
    pub rev: Option<String>,
    /// `cycles` of symbols, not files
    pub symbols: bool,
    /// One SELECT
    pub sql: Option<String>,
}

/// A question to the code graph.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum GraphOp {
    /// What is indexed, and what is left out.
    #[default]
    Status,
    /// Index what changed; every question does so by itself.
    Index,
    /// Symbols by name.
    Find,
    /// What is in a file or folder.
    Outline,
    /// The files and symbols that matter most.
    Map,
    /// The symbols that most depends on.
    Hubs,
    /// A symbol with its source, callers, callees and tests.
    Context,
    /// Who calls it or makes instances of it.
    Callers,
    /// What it calls or makes instances of.
    Callees,
    /// Every use of it.
    References,
    /// Everything that depends on it, near and far.
    Impact,
    /// How one symbol comes to another.
    Path,
    /// What nothing uses.
    Unused,
    /// What depends on itself in a circle.
    Cycles,
    /// The tests that reach it.
    Tests,
    /// What the changes since a revision touch.
    Diff,
    /// A statement over tables of symbols, edges and files.
    Sql,
}

/// An answer of the code graph.
#[derive(Debug)]
pub struct GraphReport {
    /// The index that was asked. Numbers in the answer are its.
    opened: Opened,
    answer: Answer,
    /// Whether the files were other ones when the index was last written.
    pub changed: bool,
}

impl Input for Graph {
    type Report = GraphReport;

    /// Asks, as an agent does: with an answer of a few thousand tokens at most.
    fn run(&self, session: &Session) -> Result<GraphReport, ToolError> {
        let tokens = self.tokens.or(Some(AGENT_TOKENS));
        Self { tokens, ..self.clone() }.ask(session)
    }

    fn found_nothing(report: &GraphReport) -> bool {
        report.is_empty()
    }
}

impl Graph {
    /// Asks, for whoever has room: with the whole answer, unless the question sets a limit.
    ///
    /// # Errors
    /// When the question lacks something, when nothing or several things have the name, or when the files cannot be
    /// looked at.
    pub fn ask(&self, session: &Session) -> Result<GraphReport, ToolError> {
        let opened = index::open(session)?;
        let answer = ask::answer(self, session, &opened)?;
        let report = opened.report;
        Ok(GraphReport { opened, answer, changed: report.parsed + report.removed > 0 })
    }
}

impl GraphReport {
    /// What went wrong without being in the way.
    pub fn warnings(&self) -> &[String] {
        &self.opened.warnings
    }

    /// The number of the index's generation; 0 of one that could not be kept.
    pub fn generation(&self) -> u64 {
        self.opened.generation
    }

    /// Whether nothing was found.
    pub fn is_empty(&self) -> bool {
        self.answer.is_empty()
    }

    /// The answer as text.
    pub fn text(&self, paint: Paint) -> String {
        words::text(&self.opened, &self.answer, paint)
    }
}

impl Serialize for GraphReport {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        json::serialize(&self.opened, &self.answer, serializer)
    }
}

impl fmt::Display for GraphReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text(Paint::default()))?;
        self.warnings().iter().try_for_each(|warning| writeln!(f, "warning: {warning}"))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::{Graph, GraphOp};

    #[test]
    fn the_input_is_one_plain_object() {
        let schema = serde_json::to_value(schemars::schema_for!(Graph)).unwrap();
        assert_eq!(schema["type"], "object");
        let keys: Vec<&str> = schema["properties"].as_object().unwrap().keys().map(String::as_str).collect();
        assert_eq!(keys, ["op", "symbol", "to", "path", "depth", "tokens", "max", "all", "rev", "symbols", "sql"]);
        let input: Graph = serde_json::from_value(json!({ "op": "impact", "symbol": "a.b", "depth": 2 })).unwrap();
        assert_eq!((input.op, input.symbol.as_deref(), input.depth), (GraphOp::Impact, Some("a.b"), Some(2)));
        assert!(serde_json::from_value::<Graph>(json!({ "op": "no_such_question" })).is_err());
    }

    #[test]
    fn questions_are_one_word() {
        for op in [GraphOp::Status, GraphOp::References, GraphOp::Unused, GraphOp::Diff] {
            let Value::String(word) = serde_json::to_value(op).unwrap() else { panic!("{op:?}") };
            assert!(word.chars().all(|c| c.is_ascii_lowercase()), "{word}");
        }
    }
}
