//! What agents are told of the tools: their pages, their schemas, and which to take for what.

use std::collections::HashSet;

use rmcp::model::{Tool as Listed, ToolAnnotations};
use serde_json::{Map, Value, json};
use vise_tools::{Effect, TOOLS, Tool};

/// What is here of what not every machine has.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Here {
    /// The language servers that serve files of the workspace; none where nobody does.
    pub(super) servers: Vec<String>,
    /// The debug adapters of this machine.
    pub(super) adapters: Vec<String>,
}

impl Here {
    /// Whether a tool can do anything here.
    fn offers(&self, tool: &Tool) -> bool {
        match tool.name {
            "lsp" => !self.servers.is_empty(),
            "debug" => !self.adapters.is_empty(),
            _ => true,
        }
    }

    /// Why a tool is absent, a line each.
    pub(super) fn absent(&self) -> String {
        let absent = TOOLS.iter().filter(|tool| !self.offers(tool));
        let why = |tool: &Tool| match tool.name {
            "debug" => "no debug adapter is installed",
            _ => "no language server here serves these files",
        };
        let line = |tool: &Tool| format!("`{}` is absent: {}.\n", tool.name, why(tool));
        absent.map(line).collect()
    }
}

/// The tools as they are listed.
pub(super) fn tools(here: &Here) -> Vec<Listed> {
    let mut said = HashSet::new();
    TOOLS.iter().filter(|tool| here.offers(tool)).map(|tool| listed(tool, here, &mut said)).collect()
}

/// Words of the schemas that stand in the list already: what a filter means is said once.
type Said = HashSet<(String, String)>;

fn listed(tool: &Tool, here: &Here, said: &mut Said) -> Listed {
    let mut description = tool.page.trim_end().to_owned();
    if tool.name == "lsp" {
        description.push_str(&format!("\n\nServers here: {}.", here.servers.join(" ")));
    }
    if tool.name == "debug" {
        description.push_str(&format!("\n\nAdapters here: {}.", here.adapters.join(" ")));
    }
    let annotations = match tool.effect {
        Effect::Reads | Effect::Proposes => ToolAnnotations::new().read_only(true),
        Effect::Writes => ToolAnnotations::new().read_only(false).destructive(true),
        Effect::Runs => ToolAnnotations::new().read_only(false).destructive(false),
    };
    let mut listed = Listed::new(tool.name, description, std::sync::Arc::new(schema(tool, said)));
    listed.annotations = Some(annotations.open_world(false));
    listed
}

/// Keys that say what they are; `docs/tools.md` has words for them too.
const PLAIN: [&str; 39] = [
    "op",
    "operation",
    "decision",
    "action",
    "file",
    "old",
    "new",
    "patch",
    "text",
    "template",
    "paths",
    "to",
    "max",
    "kind",
    "column",
    "line",
    "cwd",
    "module",
    "program",
    "arg",
    "timeout",
    "build",
    "wait",
    "lifetime",
    "adapter",
    "count",
    "keep",
    "all",
    "rev",
    "tokens",
    "check",
    "include_ignored",
    "framework",
    "exact",
    "env",
    "expr",
    "effects",
    "prepare",
    "sql",
];

/// A tool's schema, with the key that every tool takes over this protocol.
fn schema(tool: &Tool, said: &mut Said) -> Map<String, Value> {
    let mut schema = tool.schema();
    if let Some(Value::Object(properties)) = schema.get_mut("properties") {
        let words = "The workspace, if several are open";
        properties.insert("root".to_owned(), json!({ "type": "string", "description": words }));
        for (key, property) in properties.iter_mut() {
            let Value::Object(property) = property else { continue };
            if PLAIN.contains(&key.as_str()) {
                property.remove("description");
            }
            for words in ["description", "enum"] {
                let long = |value: &&Value| value.as_array().is_none_or(|list| list.len() > 4);
                let text = property.get(words).filter(long).map(Value::to_string);
                if text.is_some_and(|text| !said.insert((key.clone(), text))) {
                    property.remove(words);
                }
            }
        }
    }
    schema
}

/// What an agent should know before it takes the first tool.
pub(super) fn instructions(here: &Here, languages: &[&str]) -> String {
    format!(
        "Which tool: who depends on it, what is where, what a change reaches: `graph`. Code of a certain shape: `ast_grep`. \
         Types, exact references, does it compile: `lsp`. Plain words: your own text search.\n\
         Before changing a symbol that others use, look at its references (`graph` op `references`, or `lsp`) and tests. \
         Change many places with `ast_edit` or `lsp` rename: the answer is a proposal with a diff. Read it, then \
         `resolve` it: accept writes all files or none, and is `stale` if one changed meanwhile; then prepare again. \
         After a write, look at the new diagnostics in its answer.\n\
         Lines start at 1. Paths are relative to the workspace root, in inputs and answers. An answer that was cut says how to \
         narrow the question. Errors name their kind: bad_input (fix the call), not_found, stale, refused, unavailable, \
         unsupported, peer, internal.\n\
         Languages of `graph` and `ast_grep`: {}.\n{}",
        languages.join(" "),
        here.absent()
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn everything() -> (Here, Vec<String>) {
        let servers = ["rust-analyzer", "pyright", "typescript-language-server", "gopls", "clangd"];
        let languages = vise_tools::Registry::embedded().unwrap();
        let languages = languages.languages().map(|language| language.name().to_owned()).collect();
        let adapters = ["debugpy", "lldb-dap", "delve", "js-debug"].map(str::to_owned).into();
        (Here { servers: servers.map(str::to_owned).into(), adapters }, languages)
    }

    /// A client may load the list into every conversation, so every byte of it is paid for again and again.
    #[test]
    fn the_list_is_small() {
        let (here, languages) = everything();
        let languages: Vec<&str> = languages.iter().map(String::as_str).collect();
        let list = serde_json::to_string(&json!({ "tools": tools(&here) })).unwrap();
        assert!(list.len() <= 12_000, "{} bytes", list.len());
        assert!(instructions(&here, &languages).len() <= 2_000, "{} bytes", instructions(&here, &languages).len());
    }

    #[test]
    fn a_tool_is_listed_as_the_contract_says() {
        for listed in tools(&everything().0) {
            let listed = serde_json::to_value(listed).unwrap();
            let (schema, hints) = (&listed["inputSchema"], &listed["annotations"]);
            assert_eq!(schema["additionalProperties"], false, "{listed}");
            assert_eq!(schema["properties"]["root"]["type"], "string");
            assert!(listed.get("outputSchema").is_none());
            assert_eq!(hints["openWorldHint"], false);
            let looks = ["graph", "lsp", "ast_grep", "ast_edit"].contains(&listed["name"].as_str().unwrap());
            assert_eq!(hints["readOnlyHint"], looks, "{listed}");
            let destroys = !looks && listed["name"] != "debug";
            assert_eq!(hints["destructiveHint"] == true, destroys, "{listed}");
        }
    }

    #[test]
    fn a_tool_without_a_server_is_absent_and_that_is_said() {
        let nothing = Here::default();
        assert!(!tools(&nothing).iter().any(|tool| tool.name == "lsp"));
        assert!(instructions(&nothing, &[]).contains("`lsp` is absent"));
        assert!(!instructions(&everything().0, &[]).contains("absent"));
    }
}
