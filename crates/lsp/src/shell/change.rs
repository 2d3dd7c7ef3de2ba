//! Questions whose answer is a change: it is planned on the texts that the server has, and written by nobody here.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use vise_text::FileOp;

use super::ask::{Asked, Place, Remarks, is_nothing, moved, position_params};
use super::judge::files_in;
use crate::answer::{Outcome, Query};
use crate::convert;
use crate::edits::{Plan, PlanError, Planner};
use crate::error::Error;
use crate::session::{Failure, Phase, Session};
use crate::uri;

/// A change that is about an older text is asked for anew, so often.
const PLANS: usize = 3;

impl Asked<'_> {
    fn plan(&self, edit: &Value, what: &str, remarks: &mut Remarks) -> Result<Vec<FileOp>, PlanError> {
        let texts = self.texts();
        let encoding = self.live.with(|session, _| session.encoding());
        let version = |path: &Path| self.live.with(|session, _| session.documents.version(path));
        let root = self.workspace;
        let Plan { ops, notes } = Planner { root, encoding, texts: &texts, version: &version, what }.plan(edit)?;
        remarks.notes.extend(notes);
        Ok(ops)
    }

    pub(super) async fn rename(&self, query: &Query, new_name: &str, remarks: &mut Remarks) -> Result<Outcome, Error> {
        let places = self.places(query)?;
        let ready = self.gate().await;
        let others = self.prove_by_references(&places).await?;
        let says_ready = self.live.with(|session, now| session.readiness.phase(now) == Phase::Ready);
        if !ready || (others > 0 && !says_ready) {
            let id = self.id();
            return Err(Error::Refused(format!(
                "{id} may still be indexing, and half a rename is worse than none: {others} files that it does not name \
                 contain the name; ask again in a moment"
            )));
        }
        let mut why = format!("{} sees nothing to rename there", self.id());
        for place in &places {
            if self.can("textDocument/prepareRename")
                && is_nothing(&self.at(place, "textDocument/prepareRename", json!({}), true).await?)
            {
                continue;
            }
            for _ in 0..PLANS {
                let more = json!({"newName": new_name});
                let mut stale = false;
                let prepare = |session: &mut Session| {
                    stale = place.is_stale(session);
                    position_params(session, place, more)
                };
                let edit = match self.timed("textDocument/rename", false, prepare).await {
                    _ if stale => return Err(moved()),
                    Ok(edit) => edit,
                    Err(Failure::Refused(error)) => {
                        why = format!("{} refuses to rename: {error}", self.id());
                        if error.code == crate::message::CONTENT_MODIFIED {
                            continue;
                        }
                        break;
                    }
                    Err(failure) => return Err(self.in_words("textDocument/rename", &failure)),
                };
                let old = place.name.as_deref().unwrap_or("it");
                match self.plan(&edit, &format!("rename `{old}` to `{new_name}`"), remarks) {
                    Ok(ops) if ops.is_empty() => break,
                    Ok(ops) => {
                        self.compare_with_references(place, &ops, remarks).await?;
                        return self.ours(ops, query);
                    }
                    Err(PlanError::Stale(stale)) => why = stale,
                    Err(error) => return Err(Error::Refused(error.to_string())),
                }
            }
        }
        Err(Error::Refused(why))
    }

    /// Says which files hold references and are not changed: some servers rename in open files alone.
    async fn compare_with_references(&self, place: &Place, ops: &[FileOp], remarks: &mut Remarks) -> Result<(), Error> {
        let method = "textDocument/references";
        if !self.can(method) {
            return Ok(());
        }
        let result = self.at(place, method, json!({"context": {"includeDeclaration": true}}), true).await?;
        let changed = |path: &PathBuf| ops.iter().any(|op| op.paths().0 == path || op.paths().1 == Some(path));
        let mut missed = files_in(&result);
        missed.retain(|path| path.starts_with(self.workspace) && self.is_ours(path, Path::new("")) && !changed(path));
        missed.sort();
        missed.dedup();
        if !missed.is_empty() {
            let names: Vec<String> =
                missed.iter().map(|path| vise_workspace::shown_path(self.workspace, path)).collect();
            remarks.notes.push(format!("files with references that are not changed: {}", names.join(", ")));
        }
        Ok(())
    }

    /// A change must not touch what the project ignores, unless that is meant.
    fn ours(&self, ops: Vec<FileOp>, query: &Query) -> Result<Outcome, Error> {
        let ignored: Vec<String> = ops
            .iter()
            .filter(|op| matches!(op, FileOp::Splice { .. } | FileOp::Delete { .. } | FileOp::Rename { .. }))
            .map(|op| op.paths().0)
            .filter(|path| !self.is_ours(path, Path::new("")) && path.exists())
            .map(|path| format!("`{}`", vise_workspace::shown_path(self.workspace, path)))
            .collect();
        if ignored.is_empty() || query.include_ignored {
            return Ok(Outcome::Change(ops));
        }
        Err(Error::Refused(format!("the change touches ignored files: {}", ignored.join(", "))))
    }

    pub(super) async fn rename_file(&self, query: &Query, to: &Path, remarks: &mut Remarks) -> Result<Outcome, Error> {
        let from = self.file_of(query)?;
        if !self.gate().await {
            let id = self.id();
            return Err(Error::Refused(format!(
                "{id} is still indexing and would miss references; ask again in a moment"
            )));
        }
        let params = json!({"files": [{"oldUri": uri::of(from), "newUri": uri::of(to)}]});
        let edit = self.request("workspace/willRenameFiles", false, |_| params).await?;
        let what = format!("move `{}`", vise_workspace::shown_path(self.workspace, from));
        let plan = if edit.is_null() { Ok(Vec::new()) } else { self.plan(&edit, &what, remarks) };
        let mut ops = plan.map_err(|error| Error::Refused(error.to_string()))?;
        // The edits are those of the files as they are called now; the file itself moves behind them.
        if !ops.iter().any(|op| matches!(op, FileOp::Rename { from: old, .. } if old == from)) {
            ops.push(FileOp::Rename { from: from.to_owned(), to: to.to_owned() });
        }
        self.ours(ops, query)
    }

    pub(super) async fn code_actions(
        &self,
        query: &Query,
        kind: Option<&str>,
        apply: Option<usize>,
        remarks: &mut Remarks,
    ) -> Result<Outcome, Error> {
        let path = self.file_of(query)?;
        let line = query.line.ok_or_else(|| Error::BadQuery("`codeActions` needs a line".to_owned()))?;
        // A quick fix belongs to a diagnostic, which the server wants to be shown.
        let (items, _) = self.raw_diagnostics(path, self.diagnostics).await?;
        let row = u64::try_from(line.saturating_sub(1)).unwrap_or(u64::MAX);
        let on_line = |item: &&Value| {
            let at = |end: &str| item.pointer(&format!("/range/{end}/line")).and_then(Value::as_u64);
            at("start").is_some_and(|start| start <= row) && at("end").is_some_and(|end| row <= end)
        };
        let diagnostics: Vec<Value> = items.iter().filter(on_line).cloned().collect();
        let prepare = |session: &mut Session| {
            let encoding = session.encoding();
            let (mut start, mut end) = Default::default();
            if let Some(text) = session.documents.text(path) {
                let content = vise_text::LineIndex::new(&text.bytes).line_content(&text.bytes, line - 1);
                let content = content.unwrap_or(text.bytes.len()..text.bytes.len());
                (start, end) = (text.position(content.start, encoding), text.position(content.end, encoding));
            }
            let mut context = json!({"diagnostics": diagnostics, "triggerKind": 1});
            if let Some(kind) = kind {
                context["only"] = json!([kind]);
            }
            let at = |position: lsp_types::Position| json!({"line": position.line, "character": position.character});
            json!({
                "textDocument": {"uri": session.documents.uri(path)},
                "range": {"start": at(start), "end": at(end)},
                "context": context,
            })
        };
        let result = self.request("textDocument/codeAction", true, prepare).await?;
        let found = self.read(remarks, |reader| convert::actions(&result, kind, reader));
        let Some(index) = apply else {
            return Ok(Outcome::Actions(found.into_iter().map(|(action, _)| action).collect()));
        };
        let count = found.len();
        let Some((action, raw)) = found.into_iter().find(|(action, _)| action.index == index) else {
            return Err(Error::NotFound(format!("there are {count} actions on line {line}, and no number {index}")));
        };
        let raw = if convert::edit_of(&raw).is_none() && self.can("codeAction/resolve") {
            self.request("codeAction/resolve", false, |_| raw).await?
        } else {
            raw
        };
        let edits = match convert::edit_of(&raw) {
            Some(edit) => vec![edit.clone()],
            None => self.edits_of_command(&raw).await?,
        };
        let [edit] = &edits[..] else {
            let title = &action.title;
            return Err(Error::Refused(format!(
                "`{title}` is no change of files, or several, which cannot be reviewed"
            )));
        };
        let ops = self.plan(edit, &action.title, remarks).map_err(|error| Error::Refused(error.to_string()))?;
        self.ours(ops, query)
    }

    /// The edits that the command of an action asks us to make. They are kept and not made.
    async fn edits_of_command(&self, action: &Value) -> Result<Vec<Value>, Error> {
        // A bare command has its name where an action has the whole.
        let command = if action["command"].is_string() { action } else { &action["command"] };
        let Some(name) = command["command"].as_str() else { return Ok(Vec::new()) };
        let params = json!({"command": name, "arguments": command["arguments"]});
        let result = self.request("workspace/executeCommand", false, |session| {
            session.collect_edits();
            params
        });
        let result = result.await;
        let edits = self.live.with(|session, _| session.collected_edits());
        // A command whose edit was not made at once may call itself failed; what counts is whether there is one.
        if edits.is_empty() {
            result?;
        }
        Ok(edits)
    }
}
