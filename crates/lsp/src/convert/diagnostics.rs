//! Diagnostics. A member that is odd is left out, not the whole.

use serde_json::{Value, json};

use super::{Reader, start};
use crate::answer::{Diagnostic, Severity};

/// A diagnostic of TypeScript's own server in the words of the protocol: it counts lines and columns from 1.
pub(crate) fn tsserver_diagnostic(item: &Value) -> Value {
    let at = |end: &str| {
        let count = |key: &str| item[end][key].as_u64().unwrap_or(1).saturating_sub(1);
        json!({"line": count("line"), "character": count("offset")})
    };
    let severity = match item["category"].as_str() {
        Some("warning") => 2,
        Some("message") => 3,
        Some("suggestion") => 4,
        _ => 1,
    };
    json!({
        "range": {"start": at("start"), "end": at("end")},
        "severity": severity,
        "code": item["code"],
        "message": item["text"],
        "source": "typescript",
    })
}

/// The diagnostics of a file, sorted, each once. Hints that only grey a text out are left away.
pub(crate) fn diagnostics(uri: &str, items: &[Value], reader: &mut Reader<'_>) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    for item in items {
        let message = match item.get("message") {
            Some(Value::String(message)) => message.clone(),
            // Marked-up messages came with a later protocol.
            Some(Value::Object(message)) => message.get("value").and_then(Value::as_str).unwrap_or_default().to_owned(),
            _ => {
                reader.bad += 1;
                continue;
            }
        };
        let severity = match item.get("severity").and_then(Value::as_u64) {
            Some(2) => Severity::Warning,
            Some(3) => Severity::Information,
            Some(4) => Severity::Hint,
            _ => Severity::Error,
        };
        let tags = item.get("tags").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
        if severity == Severity::Hint && tags.iter().any(|tag| matches!(tag.as_u64(), Some(1 | 2))) {
            continue;
        }
        let code = match item.get("code") {
            Some(Value::String(code)) => Some(code.clone()),
            Some(Value::Number(code)) => Some(code.as_i64().map_or_else(
                || code.as_f64().map_or_else(|| code.to_string(), |code| format!("{code}")),
                |code| code.to_string(),
            )),
            Some(Value::Object(code)) => match code.get("value") {
                Some(Value::String(code)) => Some(code.clone()),
                Some(Value::Number(code)) => Some(code.to_string()),
                _ => None,
            },
            _ => None,
        };
        let place = reader.place(uri, item.get("range").and_then(start).unwrap_or_default());
        let source = item.get("source").and_then(Value::as_str).filter(|source| !source.is_empty());
        found.push(Diagnostic {
            file: place.file,
            line: place.line,
            column: place.column,
            severity,
            code,
            message,
            source: source.map(str::to_owned),
        });
    }
    let key = |d: &Diagnostic| (d.line, d.column, d.severity, d.code.clone(), d.message.clone());
    found.sort_by_key(key);
    found.dedup_by(|a, b| key(a) == key(b));
    found
}
