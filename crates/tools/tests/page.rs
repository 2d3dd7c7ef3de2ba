//! `docs/tools.md` is written from the tools' declarations: `UPDATE=1 cargo test -p vise-tools --test page`.

use std::fmt::Write as _;
use std::path::Path;

use serde_json::Value;
use vise_tools::{Effect, TOOLS, Tool};

const HEAD: &str = "\
# Tools

What agents call, over MCP (`vise mcp`, [agents.md](agents.md)) as on a command line ([cli.md](cli.md)). This page is written from
the declarations in `crates/tools`; change those, and `UPDATE=1 cargo test -p vise-tools --test page` writes it anew.

Every tool also takes `root`: the workspace, where several are open; its folder, or the last name of one that is open. Paths are
relative to it, lines start at 1. A key that is not here is an error that names the nearest; `null` is as good as no key,
and a text does where a list of texts is wanted.

An answer has a text, which is made to be read, and an object, whose form is below. A call that fails is an answer too, with
`isError` and `{\"error\":{\"kind\",\"message\",\"hint\",…}}`: `bad_input` (fix the call), `not_found` (look elsewhere), `stale` (prepare
again), `refused` (we will not, and why), `unavailable` (this machine lacks it), `unsupported` (the server or language cannot),
`peer` (a server or adapter failed), `internal` (our bug).
";

fn answer<'t>(answers: &'t str, name: &str) -> &'t str {
    let heading = format!("\n## {name}\n");
    let (_, rest) = answers
        .split_once(&heading)
        .unwrap_or_else(|| panic!("crates/tools/src/answers.md has no section `## {name}`: the form of its answers"));
    rest.split("\n## ").next().unwrap_or_default().trim()
}

fn kind(property: &Value) -> String {
    match (property["type"].as_str(), &property["enum"]) {
        (_, Value::Array(words)) => {
            let words: Vec<&str> = words.iter().filter_map(Value::as_str).collect();
            format!("`{}`", words.join("` `"))
        }
        (Some("array"), _) => "list of texts".to_owned(),
        (Some("string"), _) => "text".to_owned(),
        (Some("integer" | "number"), _) => "number".to_owned(),
        (other, _) => other.unwrap_or("any").to_owned(),
    }
}

fn section(tool: &Tool, answers: &str) -> String {
    let effect = match tool.effect {
        Effect::Reads => "It only looks.",
        Effect::Proposes => "It prepares at most: nothing is written before `resolve`.",
        Effect::Writes => "It writes files, through the gate ([edits.md](edits.md)).",
        Effect::Runs => "It runs programs.",
    };
    let mut out = format!(
        "\n## {}\n\n{}\n\n{effect}\n\n| input | type | what it is |\n|---|---|---|\n",
        tool.name,
        tool.page.trim()
    );
    let schema = tool.schema();
    let required = schema.get("required").and_then(Value::as_array).cloned().unwrap_or_default();
    for (key, property) in schema["properties"].as_object().into_iter().flatten() {
        let must = if required.iter().any(|one| one == key) { ", required" } else { "" };
        let words = property["description"].as_str().unwrap_or_default().replace('|', "\\|");
        let _ = writeln!(out, "| `{key}` | {}{must} | {words} |", kind(property));
    }
    let _ = writeln!(out, "\n{}", answer(answers, tool.name));
    out
}

#[test]
fn the_page_is_what_the_tools_declare() {
    let answers = include_str!("../src/answers.md");
    let page: String =
        std::iter::once(HEAD.to_owned()).chain(TOOLS.iter().map(|tool| section(tool, answers))).collect();
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/tools.md");
    if std::env::var_os("UPDATE").is_some() {
        std::fs::write(&path, &page).unwrap();
    }
    let found = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(found == page, "docs/tools.md is not what the tools declare; `UPDATE=1` writes it");
}
