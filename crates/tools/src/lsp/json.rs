//! Answers of language servers as JSON has them: the keys are those of the contract, to the letter.

use serde::Serializer;
use serde::ser::SerializeMap;
use vise_lsp::{Answer, Outcome};

use super::LspOperation;

pub(super) fn answer<S: Serializer>(
    operation: LspOperation,
    answer: &Answer,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    let mut map = serializer.serialize_map(None)?;
    map.serialize_entry("operation", &operation)?;
    map.serialize_entry("server", &answer.server)?;
    // What the client calls its fields is what the contract calls them.
    match &answer.outcome {
        Outcome::Locations(found) => map.serialize_entry("locations", found)?,
        Outcome::Hover(text) => map.serialize_entry("hover", text)?,
        Outcome::Symbols(found) => map.serialize_entry("symbols", found)?,
        Outcome::Types(found) => map.serialize_entry("types", found)?,
        Outcome::Calls(found) => map.serialize_entry("calls", found)?,
        Outcome::Diagnostics(found, state) => {
            map.serialize_entry("diagnostics", found)?;
            map.serialize_entry("state", state)?;
        }
        Outcome::Actions(found) => map.serialize_entry("actions", found)?,
        // It became a proposal, or there is nothing to change.
        Outcome::Change(_) => map.serialize_entry("proposal", &())?,
    }
    map.serialize_entry("truncated", &answer.truncated)?;
    map.serialize_entry("incomplete", &answer.incomplete)?;
    map.serialize_entry("notes", &answer.notes)?;
    map.end()
}
