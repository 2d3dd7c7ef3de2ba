//! Locations and links, one or many, mixed as they come.

use serde_json::Value;

use super::{Reader, start};
use crate::answer::Location;

/// The places of a result, sorted, each once. A link is to the symbol's name and not to all of it.
pub(crate) fn locations(result: &Value, reader: &mut Reader<'_>) -> Vec<Location> {
    let mut found = Vec::new();
    for item in Reader::items(result) {
        let link = item.get("targetUri").and_then(Value::as_str);
        let place = match link {
            Some(uri) => {
                let range = item.get("targetSelectionRange").or_else(|| item.get("targetRange"));
                range.and_then(start).map(|start| (uri, start))
            }
            None => item.get("uri").and_then(Value::as_str).zip(item.get("range").and_then(start)),
        };
        match place {
            Some((uri, start)) => found.push(reader.place(uri, start)),
            None => reader.bad += 1,
        }
    }
    found.sort();
    found.dedup();
    found
}
