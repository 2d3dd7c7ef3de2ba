//! A tool as it is declared: once, for the command line, for agents and for whoever else runs it.

use std::fmt;

use schemars::JsonSchema;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use crate::schema::{self, check};
use crate::{ApplyPatch, AstEdit, AstGrep, Debug, Edit, Graph, Lsp, Resolve, Session, ToolError, Write};

/// Every tool: the whole product.
pub const TOOLS: &[Tool] = &[
    Tool::of::<Graph>("graph", Effect::Reads, include_str!("graph.md")),
    Tool::of::<Lsp>("lsp", Effect::Proposes, include_str!("lsp.md")),
    Tool::of::<AstGrep>("ast_grep", Effect::Reads, include_str!("ast_grep.md")),
    Tool::of::<AstEdit>("ast_edit", Effect::Proposes, include_str!("ast_edit.md")),
    Tool::of::<Resolve>("resolve", Effect::Writes, include_str!("resolve.md")),
    Tool::of::<Write>("write", Effect::Writes, include_str!("write.md")),
    Tool::of::<Edit>("edit", Effect::Writes, include_str!("edit.md")),
    Tool::of::<ApplyPatch>("apply_patch", Effect::Writes, include_str!("apply_patch.md")),
    Tool::of::<Debug>("debug", Effect::Runs, include_str!("debug.md")),
];

/// What a tool does to the world.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Effect {
    /// It looks.
    Reads,
    /// It prepares a change, which somebody else decides on.
    Proposes,
    /// It changes files.
    Writes,
    /// It starts programs.
    Runs,
}

/// The input of a tool: one flat struct, which says what can be asked, and answers it.
pub trait Input: DeserializeOwned + JsonSchema {
    /// The answer: `Serialize` is the contract's JSON, `Display` what people and agents read.
    type Report: Serialize + fmt::Display;

    /// Answers, as an agent is answered: with no more than it can read.
    ///
    /// # Errors
    /// Says what is wrong with the question, or with what it is about.
    fn run(&self, session: &Session) -> Result<Self::Report, ToolError>;

    /// Whether nothing was found: the command line's exit code 1.
    fn found_nothing(_report: &Self::Report) -> bool {
        false
    }
}

/// A tool, as agents are told of it and run it.
#[derive(Debug, Clone, Copy)]
pub struct Tool {
    /// Its name; on the command line with dashes.
    pub name: &'static str,
    /// What it does to the world.
    pub effect: Effect,
    /// When to use it, when not, and one example.
    pub page: &'static str,
    schema: fn() -> Map<String, Value>,
    run: fn(Value, &Session) -> Result<Answer, ToolError>,
}

/// A report in both of its forms.
#[derive(Debug, Clone)]
pub struct Answer {
    /// What an agent reads.
    pub text: String,
    /// The contract's JSON.
    pub json: Value,
    /// Whether nothing was found.
    pub nothing: bool,
}

impl Tool {
    /// The tool that takes this input.
    pub const fn of<I: Input>(name: &'static str, effect: Effect, page: &'static str) -> Self {
        Self { name, effect, page, schema: schema::of::<I>, run: answer::<I> }
    }

    /// The tool of this name.
    pub fn named(name: &str) -> Option<&'static Self> {
        TOOLS.iter().find(|tool| tool.name == name)
    }

    /// The JSON Schema of its input: one plain object.
    pub fn schema(&self) -> Map<String, Value> {
        (self.schema)()
    }

    /// Runs it on an input as it came from somebody else.
    ///
    /// # Errors
    /// When the input is not one of this tool (the key is named, with the nearest that there is), and as the tool itself.
    pub fn run(&self, input: Value, session: &Session) -> Result<Answer, ToolError> {
        (self.run)(check(input, &self.schema())?, session)
    }
}

fn answer<I: Input>(input: Value, session: &Session) -> Result<Answer, ToolError> {
    let input: I = serde_json::from_value(input).map_err(|error| ToolError::bad_input(error.to_string()))?;
    let report = input.run(session)?;
    let json = serde_json::to_value(&report)
        .map_err(|error| ToolError::new(crate::ErrorKind::Internal, format!("the answer is no JSON: {error}")))?;
    Ok(Answer { text: report.to_string(), json, nothing: I::found_nothing(&report) })
}
