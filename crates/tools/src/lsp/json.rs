//! Answers of language servers as JSON has them: the keys are those of the contract, to the letter.

use serde::Serializer;
use serde::ser::SerializeMap;
use serde_json::{Value, json};
use vise_lsp::{Answer, Call, Diagnostic, Location, Outcome, Severity, State, Symbol};

use super::LspOperation;

pub(super) fn answer<S: Serializer>(
    operation: LspOperation,
    answer: &Answer,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    let mut map = serializer.serialize_map(None)?;
    map.serialize_entry("operation", &operation)?;
    map.serialize_entry("server", &answer.server)?;
    let list = |items: Vec<Value>| Value::Array(items);
    match &answer.outcome {
        Outcome::Locations(found) => map.serialize_entry("locations", &list(found.iter().map(location).collect()))?,
        Outcome::Hover(text) => map.serialize_entry("hover", text)?,
        Outcome::Symbols(found) => map.serialize_entry("symbols", &list(found.iter().map(symbol).collect()))?,
        Outcome::Types(found) => map.serialize_entry("types", &list(found.iter().map(symbol).collect()))?,
        Outcome::Calls(found) => map.serialize_entry("calls", &list(found.iter().map(call).collect()))?,
        Outcome::Diagnostics(found, worth) => {
            map.serialize_entry("diagnostics", &list(found.iter().map(diagnostic).collect()))?;
            map.serialize_entry("state", state(*worth))?;
        }
        Outcome::Actions(found) => {
            let action = |one: &vise_lsp::CodeAction| json!({"index": one.index, "title": one.title, "kind": one.kind, "preferred": one.preferred});
            map.serialize_entry("actions", &list(found.iter().map(action).collect()))?;
        }
        // It became a proposal, or there is nothing to change.
        Outcome::Change(_) => map.serialize_entry("proposal", &Value::Null)?,
    }
    map.serialize_entry("truncated", &answer.truncated)?;
    map.serialize_entry("incomplete", &answer.incomplete)?;
    map.serialize_entry("notes", &answer.notes)?;
    map.end()
}

fn location(one: &Location) -> Value {
    json!({
        "file": one.file, "line": one.line, "column": one.column, "text": one.text,
        "definition": one.definition, "outside_workspace": one.outside_workspace,
    })
}

pub(super) fn symbol(one: &Symbol) -> Value {
    json!({
        "name": one.name, "kind": one.kind, "file": one.file, "line": one.line, "column": one.column,
        "container": one.container, "children": one.children.iter().map(symbol).collect::<Vec<_>>(),
    })
}

fn call(one: &Call) -> Value {
    json!({"symbol": symbol(&one.symbol), "from": one.from.iter().map(location).collect::<Vec<_>>()})
}

pub(super) fn diagnostic(one: &Diagnostic) -> Value {
    json!({
        "file": one.file, "line": one.line, "column": one.column, "severity": severity(one.severity),
        "code": one.code, "message": one.message, "source": one.source,
    })
}

pub(super) fn severity(one: Severity) -> &'static str {
    match one {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Information => "information",
        Severity::Hint => "hint",
    }
}

pub(crate) fn state(one: State) -> &'static str {
    match one {
        State::Fresh => "fresh",
        State::Unconfirmed => "unconfirmed",
        State::Timeout => "timeout",
    }
}
