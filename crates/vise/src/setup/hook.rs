//! `vise hook post-edit`: an agent edited a file with its own tools, and is told what that broke.
//!
//! A hook must never be in the way: it is silent where nothing is new, where nobody can tell, and when its time is over.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use clap::{Args, Subcommand};
use serde_json::{Value, json};
use vise_tools::{CheckFiles, discover_root};

use super::said;
use crate::cli::{Global, Reach};
use crate::environment::{self, Place};
use crate::output::{Failure, Output};
use crate::run::Exit;

/// Answer an agent's hook
#[derive(Debug, Args)]
pub(crate) struct Hook {
    #[command(subcommand)]
    event: Event,
}

#[derive(Debug, Subcommand)]
enum Event {
    /// After an edit: what is newly wrong with the file
    PostEdit {
        /// Answer within so many seconds, or not at all
        #[arg(long, value_name = "S", default_value_t = 5.0, value_parser = seconds)]
        timeout: f64,
    },
}

/// What an agent may say to a hook, in bytes: the edited text is part of it.
const MOST: u64 = 64 << 20;

fn seconds(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(seconds) if seconds > 0.0 && seconds <= 600.0 => Ok(seconds),
        _ => Err("seconds are a number over 0, at most 600".to_owned()),
    }
}

/// What is known of an edit.
#[derive(Debug, PartialEq, Eq)]
struct Edited {
    event: String,
    conversation: Option<String>,
    folder: Option<PathBuf>,
    files: Vec<PathBuf>,
}

impl Edited {
    /// Reads what an agent says. Agents differ in where they name the file.
    fn of(said: &Value) -> Self {
        let text = |value: &Value| value.as_str().filter(|text| !text.is_empty()).map(ToOwned::to_owned);
        let first = |keys: &[&str]| keys.iter().find_map(|key| text(&said[*key]));
        let (input, response) = (&said["tool_input"], &said["tool_response"]);
        let edits = input["edits"].as_array().into_iter().flatten();
        let mut files = Vec::new();
        for place in [input, response, said].into_iter().chain(edits) {
            for key in ["file_path", "filePath", "notebook_path", "absolute_path", "path", "file"] {
                if let Some(file) = text(&place[key]).map(PathBuf::from).filter(|file| !files.contains(file)) {
                    files.push(file);
                }
            }
        }
        Self {
            event: first(&["hook_event_name"]).unwrap_or_else(|| "PostToolUse".to_owned()),
            conversation: first(&["session_id", "sessionId", "conversation_id"]),
            folder: first(&["cwd"]).map(PathBuf::from),
            files,
        }
    }
}

impl Hook {
    pub(crate) fn run(&self, global: &Global, stop: Arc<AtomicBool>, output: &mut Output) -> Result<Exit, Failure> {
        let Event::PostEdit { timeout } = self.event;
        let over = stop.clone();
        std::thread::spawn(move || {
            std::thread::sleep(Duration::from_secs_f64(timeout));
            over.store(true, Ordering::Relaxed);
        });
        let said = said(MOST)?;
        let Ok(said) = serde_json::from_slice::<Value>(&said) else { return Ok(Exit::Found) };
        let edited = Edited::of(&said);
        if let Some(words) = newly_wrong(&edited, global, stop) {
            let answer = json!({ "hookSpecificOutput": { "hookEventName": edited.event, "additionalContext": words } });
            output.data(format!("{answer}\n").as_bytes())?;
        }
        Ok(Exit::Found)
    }
}

/// What is newly wrong with the files; nothing where nobody can tell.
fn newly_wrong(edited: &Edited, global: &Global, stop: Arc<AtomicBool>) -> Option<String> {
    let cwd = std::env::current_dir().ok()?;
    let folder = edited.folder.clone().unwrap_or(cwd).canonicalize().ok()?;
    let root = discover_root(&folder, global.root.as_deref()).ok()?;
    // A file outside of the workspace is none of its servers' business.
    let inside = |file: &PathBuf| folder.join(file).canonicalize().ok().filter(|file| file.starts_with(&root));
    let files: Vec<PathBuf> = edited.files.iter().filter_map(inside).filter(|file| Path::is_file(file)).collect();
    if files.is_empty() {
        return None;
    }
    let conversation = edited.conversation.clone().or_else(|| global.conversation.clone());
    let place = Place { root, folder, conversation: conversation.unwrap_or_else(environment::conversation) };
    let languages = Arc::new(environment::languages(global.data.as_deref()).ok()?);
    let (session, _) = environment::session_at(place, &languages, global, &Reach::default(), stop).ok()?;
    let check = CheckFiles { files, new: true, ..CheckFiles::default() };
    let report = check.run(&session).ok()?;
    let none = report.is_clean();
    (!none).then(|| format!("New diagnostics after this edit:\n{report}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn agents_name_the_file_in_their_own_ways() {
        let of = |said: Value| Edited::of(&said);
        let said = json!({"session_id": "s", "cwd": "/w", "hook_event_name": "PostToolUse", "tool_name": "Edit",
            "tool_input": {"file_path": "/w/a.py", "old_string": "x"}, "tool_response": {"filePath": "/w/a.py"}});
        let expected = Edited {
            event: "PostToolUse".into(),
            conversation: Some("s".into()),
            folder: Some("/w".into()),
            files: vec!["/w/a.py".into()],
        };
        assert_eq!(of(said), expected);
        let said =
            json!({"hook_event_name": "AfterTool", "tool_input": {"edits": [{"path": "b.ts"}, {"path": "c.ts"}]}});
        assert_eq!(of(said).files, [PathBuf::from("b.ts"), "c.ts".into()]);
        assert_eq!(of(json!({"file_path": "d.go", "conversation_id": "c"})).files, [PathBuf::from("d.go")]);
        assert_eq!(of(json!([1])).files, [] as [PathBuf; 0]);
    }

    #[test]
    fn a_bound_is_one() {
        assert!(seconds("0.5").is_ok() && seconds("600").is_ok());
        assert!(["0", "-1", "inf", "NaN", "601", "x"].iter().all(|text| seconds(text).is_err()));
    }
}
