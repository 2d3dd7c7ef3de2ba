//! The tour's look at the code graph: what matters here, what depends on it, and that the answer follows an edit.

use serde_json::Value;
use vise_tools::{Graph, GraphOp, GraphReport, Session, ToolError};

use super::{Failure, Guide, SHOWN, did_not_hold, hold};
use crate::tour::scratch::Scratch;

/// How much of the map is shown.
const MAP_TOKENS: usize = 200;

/// For checkouts in which nothing calls anything.
const EXAMPLE: (&str, &str) = (
    "vise_tour_graph.py",
    "def price(item):\n    return item.cost\n\n\ndef total(items):\n    return sum(price(item) for item in items)\n",
);

/// A function that others call.
pub(super) struct Hub {
    /// `FILE:LINE`.
    place: String,
    pub(super) file: String,
    pub(super) line: u64,
    pub(super) name: String,
}

pub(super) fn graph(guide: &mut Guide<'_>, scratch: &Scratch, session: &Session) -> Result<(), Failure> {
    guide.heading("graph", "What depends on what: one pass over the files, and then questions are cheap")?;
    let mut hub = first_hub(session)?;
    if hub.is_none() {
        let (file, text) = EXAMPLE;
        scratch.write(file, text.as_bytes())?;
        guide.say(&format!("   Nothing here calls anything, so the copy gets a small file of its own: {file}"))?;
        hub = first_hub(session)?;
    }
    let Some(hub) = hub else { return Err(did_not_hold("the graph has no call, not even in the example")) };
    guide.command(&format!("graph map --tokens {MAP_TOKENS}"))?;
    let map = Graph { op: GraphOp::Map, tokens: Some(MAP_TOKENS), ..Graph::default() }.ask(session)?;
    hold(!map.is_empty(), "the map is empty")?;
    guide.lines(&map.text(guide.output.paint), SHOWN)?;

    guide.say(&format!("   `{}` is among what most depends on. Who would notice a change of it:", hub.name))?;
    guide.command(&format!("graph impact {}", hub.place))?;
    let impact = ask(session, GraphOp::Impact, &hub.place)?;
    hold(!impact.is_empty(), "nothing depends on a function that is called")?;
    guide.lines(&impact.text(guide.output.paint), SHOWN)?;

    guide.heading("fresh", "Its file is edited: the next answer is about the file as it is")?;
    let mut text = b"\n".to_vec();
    text.extend(scratch.read(&hub.file)?);
    scratch.write(&hub.file, &text)?;
    let moved = format!("{}:{}", hub.file, hub.line + 1);
    guide.say(&format!("   An empty line is put at the head of {}.", hub.file))?;
    guide.command(&format!("graph find {moved}"))?;
    let found = ask(session, GraphOp::Find, &moved)?;
    let symbol = &json(&found)["symbols"][0];
    hold(symbol["name"] == *hub.name && symbol["line"] == hub.line + 1, "the answer is about a file that was")?;
    guide.lines(&found.text(guide.output.paint), SHOWN)?;
    Ok(())
}

fn ask(session: &Session, op: GraphOp, symbol: &str) -> Result<GraphReport, ToolError> {
    Graph { op, symbol: Some(symbol.to_owned()), ..Graph::default() }.ask(session)
}

/// The contract's form of an answer. It is made of our values, which have string keys only, so it cannot fail.
fn json(report: &GraphReport) -> Value {
    serde_json::to_value(report).unwrap_or(Value::Null)
}

/// The first function that others call and that FILE:LINE alone means.
fn first_hub(session: &Session) -> Result<Option<Hub>, ToolError> {
    first_hub_that(session, &|_| true)
}

/// The first of them that will do.
pub(super) fn first_hub_that(session: &Session, will_do: &dyn Fn(&Hub) -> bool) -> Result<Option<Hub>, ToolError> {
    let hubs = json(&Graph { op: GraphOp::Hubs, max: Some(200), ..Graph::default() }.ask(session)?);
    for row in hubs["hubs"].as_array().into_iter().flatten() {
        let symbol = &row["symbol"];
        let callable = matches!(symbol["kind"].as_str(), Some("function" | "method"));
        let (Some(file), Some(line), Some(name)) =
            (symbol["file"].as_str(), symbol["line"].as_u64(), symbol["name"].as_str())
        else {
            continue;
        };
        let place = format!("{file}:{line}");
        let alone =
            || ask(session, GraphOp::Callers, &place).is_ok_and(|report| json(&report)["symbol"]["id"] == symbol["id"]);
        if callable && row["callers"].as_u64() > Some(0) && alone() {
            let hub = Hub { place, file: file.to_owned(), line, name: name.to_owned() };
            if will_do(&hub) {
                return Ok(Some(hub));
            }
        }
    }
    Ok(None)
}
