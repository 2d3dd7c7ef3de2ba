//! The JSON Schema of a tool's input, and what is wrong with an input by it.
//!
//! A schema is one plain object without references: many clients know no more than that. Inputs are checked here rather
//! than by `serde`, which cannot refuse unknown keys of a flattened struct and names no place.

use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde_json::{Map, Value};

use crate::{ToolError, nearest};

/// The schema of an input.
pub(crate) fn of<I: JsonSchema>() -> Map<String, Value> {
    let settings = SchemaSettings::draft2020_12().with(|settings| {
        settings.inline_subschemas = true;
        settings.meta_schema = None;
    });
    let mut schema = settings.into_generator().into_root_schema_for::<I>().to_value();
    plain(&mut schema);
    let Value::Object(mut schema) = schema else { return Map::new() };
    // The page says what the tool is for.
    schema.remove("description");
    schema.insert("additionalProperties".to_owned(), Value::Bool(false));
    schema
}

/// Takes out what a model has to read and nobody needs, and writes an enum as the list of its words.
fn plain(schema: &mut Value) {
    let Value::Object(map) = schema else { return };
    for key in ["title", "format", "default", "minimum"] {
        map.remove(key);
    }
    let null = Value::from("null");
    if let Some(Value::Array(types)) = map.get_mut("type") {
        types.retain(|kind| *kind != null);
        if let [only] = types.as_slice() {
            let only = only.clone();
            map.insert("type".to_owned(), only);
        }
    }
    for key in ["anyOf", "oneOf"] {
        let Some(Value::Array(mut choices)) = map.remove(key) else { continue };
        choices.retain(|choice| choice["type"] != null);
        choices.iter_mut().for_each(plain);
        let words: Vec<Value> = choices.iter().flat_map(words_of).collect();
        if choices.iter().all(|choice| choice.get("enum").is_some() || choice.get("const").is_some()) {
            map.insert("type".to_owned(), "string".into());
            map.insert("enum".to_owned(), words.into());
        } else if let [Value::Object(only)] = choices.as_slice() {
            for (key, value) in only {
                // What is said of the key counts more than what is said of its type.
                map.entry(key).or_insert_with(|| value.clone());
            }
        } else {
            map.insert(key.to_owned(), choices.into());
        }
    }
    if let Some(Value::Array(words)) = map.get_mut("enum") {
        words.retain(|word| !word.is_null());
    }
    if let Some(Value::Object(properties)) = map.get_mut("properties") {
        properties.values_mut().for_each(plain);
    }
    if let Some(items) = map.get_mut("items") {
        plain(items);
        if let Value::Object(items) = items {
            items.remove("description");
        }
    }
}

fn words_of(choice: &Value) -> Vec<Value> {
    match (choice.get("enum"), choice.get("const")) {
        (Some(Value::Array(words)), _) => words.clone(),
        (_, Some(word)) => vec![word.clone()],
        _ => Vec::new(),
    }
}

/// The input as `serde` takes it. Small models leave keys empty with `null`, and give one thing where a list is wanted;
/// what they mean is plain, so it is taken.
pub(crate) fn check(input: Value, schema: &Map<String, Value>) -> Result<Value, ToolError> {
    let none = Map::new();
    let properties = schema.get("properties").and_then(Value::as_object).unwrap_or(&none);
    let mut given = match input {
        Value::Object(given) => given,
        Value::Null => Map::new(),
        other => return Err(ToolError::bad_input(format!("an input is an object, not `{}`", short(&other)))),
    };
    given.retain(|_, value| !value.is_null());
    let known = || properties.keys().map(String::as_str);
    for (key, value) in &mut given {
        let Some(property) = properties.get(key) else {
            let error = ToolError::bad_input(format!("there is no argument `{key}`"));
            return Err(match nearest(key, known()) {
                Some(nearest) => error.hint(format!("did you mean `{nearest}`?")),
                None => error.hint(format!("there are: {}", list(known()))),
            });
        };
        if property["type"] == "array" && !value.is_array() && fits(value, &property["items"]) {
            *value = Value::Array(vec![value.take()]);
        }
        one(key, value, property)?;
    }
    let mut required = schema.get("required").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str);
    if let Some(key) = required.find(|key| !given.contains_key(*key)) {
        let error = ToolError::bad_input(format!("`{key}` is missing"));
        return Err(match properties.get(key).and_then(|property| property["description"].as_str()) {
            Some(words) => error.hint(format!("`{key}`: {words}")),
            None => error,
        });
    }
    Ok(Value::Object(given))
}

/// Complains about a value that its key does not take.
fn one(key: &str, value: &Value, property: &Value) -> Result<(), ToolError> {
    if let Some(Value::Array(words)) = property.get("enum") {
        if words.contains(value) {
            return Ok(());
        }
        let words = || words.iter().filter_map(Value::as_str);
        let error = ToolError::bad_input(format!("`{key}` cannot be `{}`", short(value)));
        let near = value.as_str().and_then(|text| nearest(text, words()));
        let near = near.map(|near| format!("did you mean `{near}`? ")).unwrap_or_default();
        return Err(error.hint(format!("{near}it takes {}", list(words()))));
    }
    if !fits(value, property) {
        let wanted = named(&property["type"]);
        return Err(ToolError::bad_input(format!("`{key}` takes {wanted}, not `{}`", short(value))));
    }
    if let (Some(items), Value::Array(values)) = (property.get("items"), value) {
        values.iter().try_for_each(|value| one(key, value, items))?;
    }
    Ok(())
}

fn fits(value: &Value, property: &Value) -> bool {
    match property["type"].as_str() {
        Some("string") => value.is_string(),
        Some("integer") => value.is_u64(),
        Some("number") => value.is_number(),
        Some("boolean") => value.is_boolean(),
        Some("array") => value.is_array(),
        Some("object") => value.is_object(),
        _ => true,
    }
}

fn named(kind: &Value) -> &'static str {
    match kind.as_str() {
        Some("string") => "a text",
        Some("integer") => "a number, 0 or more",
        Some("number") => "a number",
        Some("boolean") => "`true` or `false`",
        Some("array") => "a list",
        _ => "an object",
    }
}

fn list<'w>(words: impl Iterator<Item = &'w str>) -> String {
    words.map(|word| format!("`{word}`")).collect::<Vec<_>>().join(", ")
}

/// A value as a message shows it.
fn short(value: &Value) -> String {
    let text = match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    match text.char_indices().nth(60) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::check;
    use crate::{TOOLS, Tool, ToolError};

    fn checked(tool: &str, input: Value) -> Result<Value, ToolError> {
        check(input, &Tool::named(tool).unwrap().schema())
    }

    #[track_caller]
    fn refused(tool: &str, input: Value, words: &str) {
        let error = checked(tool, input).unwrap_err();
        assert!(error.to_string().contains(words), "{error}");
    }

    #[test]
    fn schemas_are_plain_objects() {
        for tool in TOOLS {
            let schema = tool.schema();
            assert_eq!((&schema["type"], &schema["additionalProperties"]), (&json!("object"), &json!(false)));
            for (key, property) in schema["properties"].as_object().unwrap() {
                let place = format!("{} {key}: {property}", tool.name);
                assert!(property["type"].is_string() && property["description"].is_string(), "{place}");
                for other in ["$ref", "anyOf", "oneOf", "allOf", "format", "title", "default"] {
                    assert!(property.get(other).is_none(), "{place}");
                }
            }
        }
        let graph = Tool::named("graph").unwrap().schema();
        assert_eq!(graph["properties"]["op"]["enum"][2], "find");
        assert_eq!(graph["properties"]["depth"]["type"], "integer");
        let search = Tool::named("ast_grep").unwrap().schema();
        assert_eq!(search["properties"]["context"]["enum"][3], "top-level");
        assert_eq!(
            search["properties"]["lang"],
            json!({"type": "array", "items": {"type": "string"}, "description":
            search["properties"]["lang"]["description"]})
        );
        assert_eq!(search["required"], json!(["pattern"]));
    }

    #[test]
    fn an_unknown_key_is_refused_with_the_nearest() {
        refused("ast_grep", json!({"pattern": "f()", "path": "src"}), "did you mean `paths`?");
        refused("ast_grep", json!({"pattern": "f()", "colour": true}), "`not_inside`");
        refused("graph", json!({"op": "caller"}), "did you mean `callers`?");
        refused("graph", json!({"op": 3}), "`op` cannot be `3`");
    }

    #[test]
    fn what_is_missing_or_of_another_kind_is_named() {
        refused("ast_grep", json!({}), "`pattern` is missing");
        refused("ast_grep", json!({"pattern": null}), "`pattern` is missing");
        refused("ast_grep", json!({"pattern": "f()", "max": -1}), "`max` takes a number, 0 or more, not `-1`");
        refused("ast_grep", json!({"pattern": "f()", "exact": "yes"}), "`exact` takes `true` or `false`");
        refused("ast_grep", json!({"pattern": "f()", "lang": [1]}), "`lang` takes a text");
        refused("ast_grep", json!([1]), "an input is an object");
        refused("resolve", json!({"proposal": "é".repeat(100), "decision": "maybe"}), "`accept`, `discard`");
    }

    #[test]
    fn what_is_plainly_meant_is_taken() {
        let input = json!({"pattern": "f()", "paths": "src", "max": null});
        assert_eq!(checked("ast_grep", input).unwrap(), json!({"pattern": "f()", "paths": ["src"]}));
        assert_eq!(checked("graph", Value::Null).unwrap(), json!({}));
    }
}
