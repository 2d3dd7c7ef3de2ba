//! What a server says of a symbol, as one text.

use serde_json::Value;

/// A hover's text: marked-up, bare, with a language, or several of them. Nothing but blanks is nothing.
pub(crate) fn hover(result: &Value) -> Option<String> {
    let text = content(result.get("contents").unwrap_or(result));
    let text = text.trim();
    (!text.is_empty()).then(|| text.to_owned())
}

fn content(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Array(parts) => {
            let parts: Vec<String> = parts.iter().map(content).filter(|part| !part.trim().is_empty()).collect();
            parts.join("\n\n")
        }
        Value::Object(object) => {
            let text = object.get("value").and_then(Value::as_str).unwrap_or_default();
            match object.get("language").and_then(Value::as_str) {
                Some(language) if !text.is_empty() => format!("```{language}\n{text}\n```"),
                _ => text.to_owned(),
            }
        }
        _ => String::new(),
    }
}

/// The signatures of a call, the active one first, each with what is said of it.
pub(crate) fn signature(result: &Value) -> Option<String> {
    let signatures = result.get("signatures")?.as_array()?;
    let active = result.get("activeSignature").and_then(Value::as_u64).and_then(|at| usize::try_from(at).ok());
    let mut order: Vec<usize> = (0..signatures.len()).collect();
    order.sort_by_key(|at| Some(*at) != active);
    let texts: Vec<String> = order
        .into_iter()
        .filter_map(|at| {
            let label = signatures[at].get("label")?.as_str()?;
            let said = signatures[at].get("documentation").map(content).unwrap_or_default();
            Some(format!("{label}\n{said}").trim_end().to_owned())
        })
        .collect();
    (!texts.is_empty()).then(|| texts.join("\n\n"))
}
