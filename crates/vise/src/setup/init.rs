//! `vise init`: an agent's entry for `vise mcp`, and its hook, as a proposal like every other change.

use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use serde_json::{Map, Value, json};
use vise_tools::{ErrorKind, PlainReport, Session, ToolError, propose_files};

use crate::output::{Failure, Output};
use crate::run::{Exit, answer};

/// Prepare an agent's entry for `vise mcp`, and its hook, as a proposal
#[derive(Debug, Args)]
pub(crate) struct Init {
    /// The agent
    #[arg(value_enum)]
    agent: Agent,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Agent {
    ClaudeCode,
    Codex,
    Opencode,
    Cursor,
    Vscode,
    Zed,
    Gemini,
}

/// A file of an agent, and what should stand in it.
struct Entry {
    file: &'static str,
    what: What,
}

enum What {
    /// An object: the keys that lead to it, and the value.
    Json(&'static [&'static str], Value),
    /// A hook: the event, and one element of its list.
    Hook(&'static str, Value),
    /// A table of TOML.
    Toml(&'static str, String),
}

impl Agent {
    fn entries(self, program: &str) -> Vec<Entry> {
        let server = || json!({ "command": program, "args": ["mcp"] });
        let json = |file, keys, value| Entry { file, what: What::Json(keys, value) };
        let run = json!({ "type": "command", "command": format!("{} hook post-edit", quoted(program)) });
        let hook = |matcher: &str| json!({ "matcher": matcher, "hooks": [run] });
        match self {
            Self::ClaudeCode => vec![
                json(".mcp.json", &["mcpServers", "vise"], server()),
                Entry {
                    file: ".claude/settings.json",
                    what: What::Hook("PostToolUse", hook("Edit|MultiEdit|Write|NotebookEdit")),
                },
            ],
            Self::Codex => {
                let table = format!("command = {}\nargs = [\"mcp\"]\n", toml::Value::from(program));
                vec![Entry { file: ".codex/config.toml", what: What::Toml("mcp_servers.vise", table) }]
            }
            Self::Opencode => {
                let server = json!({ "type": "local", "command": [program, "mcp"], "enabled": true });
                vec![json("opencode.json", &["mcp", "vise"], server)]
            }
            Self::Cursor => vec![json(".cursor/mcp.json", &["mcpServers", "vise"], server())],
            Self::Vscode => {
                let server = json!({ "type": "stdio", "command": program, "args": ["mcp"] });
                vec![json(".vscode/mcp.json", &["servers", "vise"], server)]
            }
            Self::Zed => vec![json(".zed/settings.json", &["context_servers", "vise"], server())],
            Self::Gemini => vec![
                json(".gemini/settings.json", &["mcpServers", "vise"], server()),
                Entry { file: ".gemini/settings.json", what: What::Hook("AfterTool", hook("write_file|replace")) },
            ],
        }
    }
}

impl Init {
    pub(crate) fn run(&self, session: &Session, json: bool, output: &mut Output) -> Result<Exit, Failure> {
        let mut files: Vec<(PathBuf, Vec<u8>)> = Vec::new();
        for entry in self.agent.entries(&program()) {
            let path = session.root.join(entry.file);
            // An agent may have both entries in one file.
            let known = files.iter().position(|(file, _)| *file == path);
            let old = match known {
                Some(at) => Some(files[at].1.clone()),
                None => read(&path)?,
            };
            if let Some(new) = entry.what.put(old.as_deref(), entry.file)? {
                match known {
                    Some(at) => files[at].1 = new,
                    None => files.push((path, new)),
                }
            }
        }
        let report = match files.is_empty() {
            true => PlainReport::Nothing("the agent knows vise already".to_owned()),
            false => propose_files(session, files)?,
        };
        answer(output, json, &report, |output| report.text(output.paint, None).into_bytes())?;
        Ok(if matches!(report, PlainReport::Nothing(_)) { Exit::Nothing } else { Exit::Found })
    }
}

/// How an agent should start us: by name where that leads to us, else by where we are.
fn program() -> String {
    let ours = std::env::current_exe().and_then(|path| path.canonicalize()).unwrap_or_else(|_| "vise".into());
    let path = std::env::var_os("PATH").unwrap_or_default();
    let first = std::env::split_paths(&path).map(|folder| folder.join("vise")).find(|file| file.is_file());
    let is_us = first.and_then(|file| file.canonicalize().ok()).is_some_and(|file| file == ours);
    if is_us { "vise".to_owned() } else { ours.display().to_string() }
}

/// A word as a shell takes it.
fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "/._-+".contains(c);
    if word.chars().all(plain) { word.to_owned() } else { format!("'{}'", word.replace('\'', r"'\''")) }
}

fn read(path: &Path) -> Result<Option<Vec<u8>>, ToolError> {
    match std::fs::read(path) {
        Ok(bytes) => Ok(Some(bytes)),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(error) => {
            Err(ToolError::new(ErrorKind::Unavailable, format!("`{}` cannot be read: {error}", path.display())))
        }
    }
}

impl What {
    /// The file with the entry in it; none where it is there already.
    fn put(&self, old: Option<&[u8]>, file: &str) -> Result<Option<Vec<u8>>, ToolError> {
        let text = std::str::from_utf8(old.unwrap_or_default());
        let text = text.map_err(|_| ToolError::bad_input(format!("`{file}` is not UTF-8")))?;
        match self {
            Self::Toml(table, body) => put_toml(text, table, body, file),
            Self::Json(keys, value) => change_json(text, file, self, |root| put_at(root, keys, value)),
            Self::Hook(event, hook) => change_json(text, file, self, |root| put_hook(root, event, hook)),
        }
    }

    /// What a person would have to write.
    fn by_hand(&self) -> String {
        let mut root = Value::Object(Map::new());
        match self {
            Self::Json(keys, value) => put_at(&mut root, keys, value),
            Self::Hook(event, hook) => put_hook(&mut root, event, hook),
            Self::Toml(table, body) => return format!("[{table}]\n{body}"),
        };
        root.to_string()
    }
}

/// Changes a file of JSON, and keeps its indentation, line ends and order. `change` says whether it did anything.
fn change_json(
    text: &str,
    file: &str,
    what: &What,
    change: impl FnOnce(&mut Value) -> Option<bool>,
) -> Result<Option<Vec<u8>>, ToolError> {
    let plain = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut root = match plain.trim().is_empty() {
        true => Value::Object(Map::new()),
        false => serde_json::from_str(plain).map_err(|error| {
            let error = ToolError::new(ErrorKind::Refused, format!("`{file}` is no plain JSON: {error}"));
            error.hint(format!("comments would be lost; put this into it by hand: {}", what.by_hand()))
        })?,
    };
    match change(&mut root) {
        None => {
            let error = ToolError::new(ErrorKind::Refused, format!("`{file}` has another shape than its agent's"));
            Err(error.hint(format!("put this into it by hand: {}", what.by_hand())))
        }
        Some(false) => Ok(None),
        Some(true) => {
            let indent = plain.lines().find_map(|line| {
                let width = line.len() - line.trim_start_matches([' ', '\t']).len();
                (width > 0 && width < line.len()).then(|| &line[..width])
            });
            let formatter = serde_json::ser::PrettyFormatter::with_indent(indent.unwrap_or("  ").as_bytes());
            let mut out = Vec::new();
            let mut serializer = serde_json::Serializer::with_formatter(&mut out, formatter);
            serde::Serialize::serialize(&root, &mut serializer)
                .map_err(|error| ToolError::new(ErrorKind::Internal, error.to_string()))?;
            out.push(b'\n');
            if plain.contains("\r\n") {
                out = String::from_utf8_lossy(&out).replace('\n', "\r\n").into_bytes();
            }
            Ok(Some(out))
        }
    }
}

/// Puts a value where the keys lead. None where something else than an object is in the way.
fn put_at(root: &mut Value, keys: &[&str], value: &Value) -> Option<bool> {
    let (last, path) = keys.split_last()?;
    let mut at = root;
    for key in path {
        at = at.as_object_mut()?.entry(*key).or_insert_with(|| Value::Object(Map::new()));
    }
    let at = at.as_object_mut()?;
    // An entry that somebody made their own stays so.
    if at.contains_key(*last) {
        return Some(false);
    }
    at.insert((*last).to_owned(), value.clone());
    Some(true)
}

fn put_hook(root: &mut Value, event: &str, hook: &Value) -> Option<bool> {
    let hooks = root.as_object_mut()?.entry("hooks").or_insert_with(|| Value::Object(Map::new()));
    let list = hooks.as_object_mut()?.entry(event).or_insert_with(|| Value::Array(Vec::new()));
    let list = list.as_array_mut()?;
    if list.iter().any(|one| one.to_string().contains(" hook post-edit")) {
        return Some(false);
    }
    list.push(hook.clone());
    Some(true)
}

fn put_toml(text: &str, table: &str, body: &str, file: &str) -> Result<Option<Vec<u8>>, ToolError> {
    let known: toml::Table =
        text.parse().map_err(|error| ToolError::bad_input(format!("`{file}` is no TOML: {error}")))?;
    let mut at = Some(&known);
    let (mut names, mut is_there) = (table.split('.').peekable(), false);
    while let (Some(name), Some(inner)) = (names.next(), at) {
        is_there = names.peek().is_none() && inner.contains_key(name);
        at = inner.get(name).and_then(toml::Value::as_table);
    }
    if is_there {
        return Ok(None);
    }
    let gap = match text {
        "" => "",
        text if text.ends_with('\n') => "\n",
        _ => "\n\n",
    };
    let mut added = format!("{gap}[{table}]\n{body}");
    if text.contains("\r\n") {
        added = added.replace('\n', "\r\n");
    }
    Ok(Some(format!("{text}{added}").into_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn put(agent: Agent, number: usize, old: &str) -> Result<Option<String>, String> {
        let entry = agent.entries("vise").remove(number);
        let new = entry.what.put(Some(old.as_bytes()), entry.file).map_err(|error| error.to_string())?;
        Ok(new.map(|bytes| String::from_utf8(bytes).unwrap()))
    }

    #[test]
    fn an_entry_is_put_beside_others() {
        let old = "{\r\n\t\"mcpServers\": {\r\n\t\t\"z\": {}\r\n\t},\r\n\t\"a\": 1\r\n}\r\n";
        let new = put(Agent::ClaudeCode, 0, old).unwrap().unwrap();
        assert!(
            new.starts_with("{\r\n\t\"mcpServers\": {\r\n\t\t\"z\": {},\r\n\t\t\"vise\": {\r\n\t\t\t\"command\""),
            "{new}"
        );
        assert!(new.ends_with("\t},\r\n\t\"a\": 1\r\n}\r\n"), "{new}");
        assert_eq!(put(Agent::ClaudeCode, 0, &new).unwrap(), None, "it is there already");
        let own = r#"{"mcpServers": {"vise": {"command": "mine"}}}"#;
        assert_eq!(put(Agent::Cursor, 0, own).unwrap(), None, "somebody made it their own");
    }

    #[test]
    fn a_hook_is_put_behind_others() {
        let old = r#"{"hooks": {"PostToolUse": [{"matcher": "Bash", "hooks": []}]}}"#;
        let new = put(Agent::ClaudeCode, 1, old).unwrap().unwrap();
        let hooks: Value = serde_json::from_str(&new).unwrap();
        assert_eq!(hooks["hooks"]["PostToolUse"][0]["matcher"], "Bash");
        assert_eq!(hooks["hooks"]["PostToolUse"][1]["hooks"][0]["command"], "vise hook post-edit");
        assert_eq!(put(Agent::ClaudeCode, 1, &new).unwrap(), None);
    }

    #[test]
    fn what_cannot_be_kept_is_not_touched() {
        let error = put(Agent::Zed, 0, "// mine\n{}\n").unwrap_err();
        assert!(error.contains("comments would be lost") && error.contains(r#"{"context_servers":{"vise""#), "{error}");
        assert!(put(Agent::Vscode, 0, "[]").unwrap_err().contains("another shape"));
        assert!(put(Agent::Opencode, 0, r#"{"mcp": 3}"#).unwrap_err().contains("another shape"));
        assert!(put(Agent::Codex, 0, "x = [").unwrap_err().contains("no TOML"));
    }

    #[test]
    fn a_table_is_put_at_the_end() {
        assert_eq!(
            put(Agent::Codex, 0, "").unwrap().unwrap(),
            "[mcp_servers.vise]\ncommand = \"vise\"\nargs = [\"mcp\"]\n"
        );
        let old = "# mine\nmodel = \"x\"\n\n[mcp_servers.other]\ncommand = \"o\"\n";
        let new = put(Agent::Codex, 0, old).unwrap().unwrap();
        assert!(new.starts_with(old) && new.parse::<toml::Table>().unwrap()["mcp_servers"]["vise"].is_table(), "{new}");
        assert_eq!(put(Agent::Codex, 0, &new).unwrap(), None);
        assert_eq!(put(Agent::Codex, 0, "mcp_servers.vise.command = 'v'").unwrap(), None);
    }

    #[test]
    fn a_path_with_blanks_is_quoted_for_the_shell() {
        assert_eq!(quoted("/usr/bin/vise"), "/usr/bin/vise");
        assert_eq!(quoted("/my tools/it's"), r"'/my tools/it'\''s'");
    }
}
