//! Symbols: of a document, nested or flat; of the workspace; and those of calls and types.

use serde_json::Value;

use super::{Reader, start};
use crate::answer::{Call, Symbol};

const KINDS: [&str; 26] = [
    "file",
    "module",
    "namespace",
    "package",
    "class",
    "method",
    "property",
    "field",
    "constructor",
    "enum",
    "interface",
    "function",
    "variable",
    "constant",
    "string",
    "number",
    "boolean",
    "array",
    "object",
    "key",
    "null",
    "enum_member",
    "struct",
    "event",
    "operator",
    "type_parameter",
];

fn kind(item: &Value) -> &'static str {
    let number = item.get("kind").and_then(Value::as_u64).and_then(|kind| usize::try_from(kind).ok());
    number.and_then(|kind| KINDS.get(kind.checked_sub(1)?)).copied().unwrap_or("symbol")
}

/// An item with a name; where it has no place of its own, `uri` is its file.
fn symbol(item: &Value, uri: Option<&str>, reader: &mut Reader<'_>) -> Option<Symbol> {
    let name = item.get("name")?.as_str()?.to_owned();
    let location = item.get("location");
    let uri = item.get("uri").or_else(|| location?.get("uri")).and_then(Value::as_str).or(uri)?;
    // The name's own range, not the one of the whole that begins with comments and decorators.
    let range = item.get("selectionRange").or_else(|| item.get("range")).or_else(|| location?.get("range"));
    let (file, line, column) = match range.and_then(start) {
        Some(start) => {
            let place = reader.place(uri, start);
            (place.file, Some(place.line), Some(place.column))
        }
        None => (reader.file(uri).0, None, None),
    };
    // The top level of a file goes by the whole path in some servers.
    let is_file = crate::uri::path(uri).is_some_and(|path| path.as_os_str() == name.as_str());
    let name = if is_file { file.clone() } else { name };
    let container = item.get("containerName").and_then(Value::as_str).filter(|name| !name.is_empty());
    Some(Symbol {
        name,
        kind: kind(item).into(),
        file,
        line,
        column,
        container: container.map(str::to_owned),
        children: Vec::new(),
    })
}

/// The symbols of a result, in the server's order; `uri` is the document that was asked about.
pub(crate) fn symbols(result: &Value, uri: Option<&str>, reader: &mut Reader<'_>) -> Vec<Symbol> {
    // Nesting comes from outside and may be of any depth, so there is a list of what is left, and no recursion.
    struct Level<'v> {
        items: std::slice::Iter<'v, Value>,
        found: Vec<Symbol>,
    }
    let mut levels = vec![Level { items: Reader::items(result).iter(), found: Vec::new() }];
    loop {
        let Some(level) = levels.last_mut() else { return Vec::new() };
        match level.items.next() {
            Some(item) => match symbol(item, uri, reader) {
                Some(symbol) => {
                    level.found.push(symbol);
                    if let Some(children) = item.get("children").and_then(Value::as_array) {
                        levels.push(Level { items: children.iter(), found: Vec::new() });
                    }
                }
                None => reader.bad += 1,
            },
            None => {
                let done = levels.pop().map(|level| level.found).unwrap_or_default();
                match levels.last_mut().and_then(|level| level.found.last_mut()) {
                    Some(parent) => parent.children = done,
                    None => return done,
                }
            }
        }
    }
}

/// The items of a hierarchy that are about this name; all, where none is.
pub(crate) fn hierarchy<'v>(result: &'v Value, name: Option<&str>) -> Vec<&'v Value> {
    let items = Reader::items(result);
    let named = |item: &&Value| {
        let item = item.get("name").and_then(Value::as_str).unwrap_or_default();
        name.is_none_or(|name| same_name(item, name))
    };
    items.iter().filter(named).collect()
}

/// Whether two spellings are of one name: `helper()`, `(*T).helper` and `helper/1` are `helper`.
pub(crate) fn same_name(spelt: &str, name: &str) -> bool {
    let base = spelt.split(['(', '<', '[']).find(|part| !part.is_empty()).unwrap_or(spelt);
    // A receiver in parentheses comes first in some languages: `(*T).M`.
    let base = if spelt.starts_with('(') { spelt.rsplit(')').next().unwrap_or(base) } else { base };
    let base = base.split('/').next().unwrap_or(base).trim();
    let last = |text: &str| text.rsplit(['.', ':', '#', ' ', '/']).next().unwrap_or_default().to_owned();
    last(base) == last(name)
}

/// The calls of a result; `key` is `from` for those who call and `to` for those who are called. The places of calls by
/// others are in their files, those of our own in the file `here`.
pub(crate) fn calls(result: &Value, key: &str, here: &str, reader: &mut Reader<'_>) -> Vec<Call> {
    let mut found = Vec::new();
    for call in Reader::items(result) {
        let Some(other) = call.get(key) else {
            reader.bad += 1;
            continue;
        };
        let Some(symbol) = symbol(other, None, reader) else {
            reader.bad += 1;
            continue;
        };
        let uri = if key == "from" { other.get("uri").and_then(Value::as_str).unwrap_or(here) } else { here };
        let ranges = call.get("fromRanges").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
        let mut from = Vec::new();
        for range in ranges {
            match start(range) {
                Some(start) => from.push(reader.place(uri, start)),
                None => reader.bad += 1,
            }
        }
        from.sort();
        from.dedup();
        found.push(Call { symbol, from });
    }
    found.sort_by(|a, b| (&a.symbol.file, a.symbol.line).cmp(&(&b.symbol.file, b.symbol.line)));
    found
}
