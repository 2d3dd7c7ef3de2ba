//! What a server offers to do.

use serde_json::Value;

use super::Reader;
use crate::answer::CodeAction;

/// The actions that can be taken, numbered, each with what the server sent of it.
pub(crate) fn actions(result: &Value, kind: Option<&str>, reader: &mut Reader<'_>) -> Vec<(CodeAction, Value)> {
    let mut found = Vec::new();
    for item in Reader::items(result) {
        let Some(title) = item.get("title").and_then(Value::as_str) else {
            reader.bad += 1;
            continue;
        };
        let of = item.get("kind").and_then(Value::as_str);
        let below = |of: &str, kind: &str| {
            of.strip_prefix(kind).is_some_and(|rest| rest.is_empty() || rest.starts_with('.') || kind.is_empty())
        };
        if item.get("disabled").is_some_and(|reason| !reason.is_null())
            || kind.is_some_and(|kind| !below(of.unwrap_or_default(), kind))
        {
            continue;
        }
        let preferred = item.get("isPreferred").and_then(Value::as_bool).unwrap_or(false);
        let (title, kind) = (title.to_owned(), of.map(str::to_owned));
        found.push((CodeAction { index: found.len() + 1, title, kind, preferred }, item.clone()));
    }
    found
}

/// The edit of an action; `None` where it has none yet.
pub(crate) fn edit_of(action: &Value) -> Option<&Value> {
    action.get("edit").filter(|edit| edit.is_object())
}
