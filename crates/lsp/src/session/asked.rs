//! What the server says of its own accord: its requests, which are always answered, and its notifications.

use std::time::Duration;

use serde_json::{Value, json};

use super::{Action, Session, Stage};
use crate::message::{self, METHOD_NOT_FOUND};
use crate::uri;

impl Session {
    /// Answers a request. A server that gets no answer, or a wrong error, waits for ever or ends: every row here was
    /// seen to be needed by one.
    pub(super) fn asked(&mut self, id: &Value, method: &str, params: &Value) {
        let stopping = matches!(self.stage, Stage::Stopping(_) | Stage::Stopped);
        let result = match method {
            _ if stopping => Ok(Value::Null),
            "workspace/configuration" => Ok(configuration(&self.opening.settings, params)),
            "client/registerCapability" => {
                for registration in list(params, "registrations") {
                    self.register(registration);
                }
                Ok(Value::Null)
            }
            "client/unregisterCapability" => {
                // The protocol itself misspells the member.
                for one in list(params, "unregisterations").iter().chain(list(params, "unregistrations")) {
                    let id = one.get("id").and_then(Value::as_str).unwrap_or_default();
                    self.capabilities.unregister(id);
                    self.watched.unregister(id);
                }
                Ok(Value::Null)
            }
            "window/workDoneProgress/create" => {
                self.progress.entry(token(&params["token"])).or_default();
                Ok(Value::Null)
            }
            "workspace/workspaceFolders" => {
                let name = self.opening.root.file_name().unwrap_or_default().to_string_lossy();
                Ok(json!([{"uri": uri::of(&self.opening.root), "name": name}]))
            }
            "workspace/applyEdit" => Ok(match &mut self.collected {
                Some(collected) => {
                    collected.push(params["edit"].clone());
                    json!({"applied": false, "failureReason": "the change is prepared for review"})
                }
                None => json!({"applied": false, "failureReason": "no command of this client is running"}),
            }),
            "window/showMessageRequest" => {
                self.log(params["message"].as_str().unwrap_or_default());
                Ok(Value::Null)
            }
            "window/showDocument" => Ok(json!({"success": false})),
            "workspace/diagnostic/refresh" => {
                self.published.refresh();
                Ok(Value::Null)
            }
            "workspace/semanticTokens/refresh"
            | "workspace/codeLens/refresh"
            | "workspace/inlayHint/refresh"
            | "workspace/inlineValue/refresh"
            | "workspace/foldingRange/refresh"
            | "workspace/textDocumentContent/refresh" => Ok(Value::Null),
            _ => {
                self.log(&format!("it asked for `{method}`, which is not known here"));
                Err((METHOD_NOT_FOUND, format!("`{method}` is not supported")))
            }
        };
        self.send(message::answer(id, result));
    }

    fn register(&mut self, registration: &Value) {
        let text = |key: &str| registration.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
        let (id, method) = (text("id"), text("method"));
        let options = registration.get("registerOptions").cloned().unwrap_or_default();
        if method == "workspace/didChangeWatchedFiles" {
            for bad in self.watched.register(&id, &options) {
                self.log(&format!("a pattern of files that it wants to hear of is not understood: {bad}"));
            }
        }
        self.capabilities.register(id, method, options);
    }

    pub(super) fn told(&mut self, method: &str, params: &Value, now: Duration) {
        match method {
            "$/progress" => self.progressed(params),
            "textDocument/publishDiagnostics" => {
                let Some(path) = params["uri"].as_str().and_then(uri::path) else { return };
                let items = params["diagnostics"].as_array().cloned().unwrap_or_default();
                // The empty set that follows a close says nothing of the file.
                if !items.is_empty() || self.documents.is_open(&path) {
                    self.published.publish(path, params["version"].as_i64(), items, now);
                }
            }
            "window/logMessage" | "window/showMessage" => {
                let text = params["message"].as_str().unwrap_or_default();
                // A progress that ends because the program behind the server died looks like one that is done.
                let fatal = |text: &str| self.opening.fatal_logs.iter().any(|fatal| text.contains(fatal.as_str()));
                if params["type"].as_i64() == Some(1) && fatal(text) {
                    self.actions.push(Action::Restart(text.lines().next().unwrap_or_default().to_owned()));
                }
                self.readiness.logged(text);
                if method == "window/showMessage" && self.warned.insert(text.to_owned()) {
                    self.log(text);
                }
            }
            method => self.readiness.notified(method, params),
        }
    }

    fn progressed(&mut self, params: &Value) {
        let token = token(&params["token"]);
        let value = &params["value"];
        match value["kind"].as_str() {
            Some("begin") => {
                let title = value["title"].as_str().unwrap_or_default();
                self.progress.insert(token.clone(), title.to_owned());
                self.readiness.began(&token, title);
                self.checks.began(&token);
            }
            Some("end") => {
                self.progress.remove(&token);
                self.readiness.ended(&token);
                self.checks.ended(&token);
            }
            _ => {}
        }
    }

    /// What the server is busy with, in its own words.
    pub(crate) fn busy_with(&self) -> Vec<&str> {
        self.progress.values().map(String::as_str).filter(|title| !title.is_empty()).collect()
    }

    /// From here on edits that the server asks to apply are kept.
    pub(crate) fn collect_edits(&mut self) {
        self.collected = Some(Vec::new());
    }

    /// The edits that were kept; none are any more.
    pub(crate) fn collected_edits(&mut self) -> Vec<Value> {
        self.collected.take().unwrap_or_default()
    }
}

/// A number or a string, as one key.
fn token(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

fn list<'v>(params: &'v Value, key: &str) -> &'v [Value] {
    params.get(key).and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

/// One value an item, in order: what the settings hold under the item's section, `null` where they hold nothing. One root
/// has one set of settings, so an item's scope changes nothing.
fn configuration(settings: &Value, params: &Value) -> Value {
    let section = |item: &Value| match item.get("section").and_then(Value::as_str) {
        Some(section) if !section.is_empty() => {
            section.split('.').try_fold(settings, |at, key| at.get(key)).cloned().unwrap_or_default()
        }
        _ => settings.clone(),
    };
    Value::Array(list(params, "items").iter().map(section).collect())
}
