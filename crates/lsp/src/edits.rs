//! A `WorkspaceEdit` to the file operations that the edit gate takes.
//!
//! All of it or none: an edit that cannot be made exactly as it was meant makes the whole change an error, since half a
//! rename is worse than none. Every step is planned on what the steps before it leave.

use std::collections::{BTreeMap, HashSet};
use std::fmt;
use std::path::{Path, PathBuf};

use serde_json::Value;
use vise_text::{ContentHash, Edit, Edits, FileOp, LineEnding, PlacedEdit, PositionEncoding};
use vise_text::{dominant_line_ending, with_line_ending};

use crate::convert::{At, Texts};
use crate::session::Text;
use crate::uri;

/// What a plan is made with.
pub(crate) struct Planner<'a> {
    pub(crate) root: &'a Path,
    pub(crate) encoding: PositionEncoding,
    pub(crate) texts: &'a dyn Texts,
    /// The version of a document that the server was last sent, if it is open.
    pub(crate) version: &'a dyn Fn(&Path) -> Option<i64>,
    /// What is done, for a reviewer; its edits are made together or not at all.
    pub(crate) what: &'a str,
}

/// A change that can be made.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Plan {
    pub(crate) ops: Vec<FileOp>,
    pub(crate) notes: Vec<String>,
}

/// Why a change cannot be made.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum PlanError {
    /// It is about an older text; a new one may be asked for.
    Stale(String),
    /// It must not or cannot be made.
    Refused(String),
}

impl fmt::Display for PlanError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (PlanError::Stale(why) | PlanError::Refused(why)) = self;
        f.write_str(why)
    }
}

impl Planner<'_> {
    /// Plans a change.
    ///
    /// # Errors
    /// When any part of it cannot be made, or should not.
    pub(crate) fn plan(&self, edit: &Value) -> Result<Plan, PlanError> {
        let mut work = Work { planner: self, files: BTreeMap::new(), plan: Plan::default() };
        work.confirmations(edit);
        // Where both are there, they say the same.
        match edit.get("documentChanges").and_then(Value::as_array) {
            Some(changes) => {
                for change in changes {
                    work.document_change(change)?;
                }
            }
            None => {
                let mut by_path: BTreeMap<PathBuf, Vec<&Value>> = BTreeMap::new();
                for (uri, edits) in edit.get("changes").and_then(Value::as_object).into_iter().flatten() {
                    let edits = edits.as_array().ok_or_else(|| broken("the edits of a file are no list"))?;
                    by_path.entry(self.path(uri)?).or_default().extend(edits);
                }
                for (path, edits) in by_path {
                    work.splice(&path, edits)?;
                }
            }
        }
        Ok(work.plan)
    }

    fn path(&self, uri: &str) -> Result<PathBuf, PlanError> {
        let path =
            uri::path(uri).ok_or_else(|| PlanError::Refused(format!("`{uri}` is no file that can be changed")))?;
        let outside = path.strip_prefix(self.root).map_or(true, |inside| {
            inside.components().any(|part| part.as_os_str() == ".git" || part.as_os_str() == "..")
        });
        if outside {
            let path = path.display();
            return Err(PlanError::Refused(format!("the change touches `{path}`, which is not of the workspace")));
        }
        Ok(path)
    }
}

struct Work<'a> {
    planner: &'a Planner<'a>,
    /// What the steps so far leave of each file that they touch; `None` where it is gone.
    files: BTreeMap<PathBuf, Option<Text>>,
    plan: Plan,
}

fn broken(what: &str) -> PlanError {
    PlanError::Refused(format!("the server's change is not understood: {what}"))
}

/// The annotations that the parts of an edit refer to.
fn annotations_of<'e>(edit: &'e Value, into: &mut HashSet<&'e str>) {
    let changes = edit.get("documentChanges").and_then(Value::as_array).into_iter().flatten();
    for change in changes {
        let edits = change.get("edits").and_then(Value::as_array).into_iter().flatten();
        into.extend(edits.chain([change]).filter_map(|part| part.get("annotationId")?.as_str()));
    }
}

impl Work<'_> {
    fn confirmations(&mut self, edit: &Value) {
        let annotations = edit.get("changeAnnotations").and_then(Value::as_object);
        let mut used = HashSet::new();
        annotations_of(edit, &mut used);
        // Some servers declare what no edit of theirs refers to.
        let used = annotations.into_iter().flatten().filter(|(id, _)| used.contains(id.as_str()));
        for (_, annotation) in used {
            if annotation.get("needsConfirmation").and_then(Value::as_bool) == Some(true) {
                let label = annotation.get("label").and_then(Value::as_str).unwrap_or_default();
                self.plan.notes.push(format!("the server wants this part to be looked at: {label}"));
            }
        }
    }

    fn document_change(&mut self, change: &Value) -> Result<(), PlanError> {
        let text = |key: &str| change.get(key).and_then(Value::as_str).ok_or_else(|| broken(key));
        let option = |key: &str| change.pointer(&format!("/options/{key}")).and_then(Value::as_bool).unwrap_or(false);
        match change.get("kind").and_then(Value::as_str) {
            Some("create") => {
                let path = self.planner.path(text("uri")?)?;
                self.create(path, option("overwrite"), option("ignoreIfExists"))
            }
            Some("rename") => {
                let (from, to) = (self.planner.path(text("oldUri")?)?, self.planner.path(text("newUri")?)?);
                self.rename(from, to, option("overwrite"), option("ignoreIfExists"))
            }
            Some("delete") => self.delete(self.planner.path(text("uri")?)?, option("ignoreIfNotExists")),
            Some(kind) => Err(broken(kind)),
            None => {
                let document = change.get("textDocument").ok_or_else(|| broken("textDocument"))?;
                let uri = document.get("uri").and_then(Value::as_str).ok_or_else(|| broken("uri"))?;
                let edits = change.get("edits").and_then(Value::as_array).ok_or_else(|| broken("edits"))?;
                let path = self.planner.path(uri)?;
                let sent = (self.planner.version)(&path);
                if let (Some(version), Some(sent)) = (document.get("version").and_then(Value::as_i64), sent)
                    && version != sent
                {
                    let path = path.display();
                    let why = format!("the server's change of `{path}` is of version {version}, the file is at {sent}");
                    return Err(PlanError::Stale(why));
                }
                self.splice(&path, edits.iter().collect())
            }
        }
    }

    fn at(&self, path: &Path) -> At {
        match self.files.get(path) {
            Some(Some(_)) => At::File,
            Some(None) => At::Nothing,
            None => self.planner.texts.at(path),
        }
    }

    fn text(&self, path: &Path) -> Result<Text, PlanError> {
        let text = match self.files.get(path) {
            Some(text) => text.clone(),
            None => self.planner.texts.text(path),
        };
        text.ok_or_else(|| PlanError::Refused(format!("`{}` cannot be read", path.display())))
    }

    fn create(&mut self, path: PathBuf, overwrite: bool, ignore: bool) -> Result<(), PlanError> {
        match self.at(&path) {
            At::File if overwrite => self.plan.ops.push(FileOp::Delete { path: path.clone() }),
            At::File if ignore => {
                self.plan.notes.push(format!("`{}` is there already and stays", path.display()));
                return Ok(());
            }
            At::Nothing => {}
            At::File | At::Folder => {
                return Err(PlanError::Refused(format!("`{}` is to be made and is there already", path.display())));
            }
        }
        self.files.insert(path.clone(), Some(Text::new(b"")));
        self.plan.ops.push(FileOp::Create { path, text: Vec::new(), executable: false });
        Ok(())
    }

    fn rename(&mut self, from: PathBuf, to: PathBuf, overwrite: bool, ignore: bool) -> Result<(), PlanError> {
        match self.at(&from) {
            At::File => {}
            At::Folder => {
                let from = from.display();
                return Err(PlanError::Refused(format!("`{from}` is a folder; only files can be renamed")));
            }
            At::Nothing => {
                return Err(PlanError::Refused(format!("`{}` is to be renamed and is not there", from.display())));
            }
        }
        match self.at(&to) {
            At::File if overwrite => self.plan.ops.push(FileOp::Delete { path: to.clone() }),
            At::File if ignore => {
                self.plan.notes.push(format!("`{}` is there already and stays", to.display()));
                return Ok(());
            }
            At::Nothing => {}
            At::File | At::Folder => {
                return Err(PlanError::Refused(format!("`{}` is there already", to.display())));
            }
        }
        let text = self.text(&from)?;
        self.files.insert(from.clone(), None);
        self.files.insert(to.clone(), Some(text));
        self.plan.ops.push(FileOp::Rename { from, to });
        Ok(())
    }

    fn delete(&mut self, path: PathBuf, ignore: bool) -> Result<(), PlanError> {
        match self.at(&path) {
            At::File => {
                self.files.insert(path.clone(), None);
                self.plan.ops.push(FileOp::Delete { path });
                Ok(())
            }
            At::Nothing if ignore => Ok(()),
            At::Nothing => Err(PlanError::Refused(format!("`{}` is to be removed and is not there", path.display()))),
            At::Folder => {
                let path = path.display();
                Err(PlanError::Refused(format!("`{path}` is a folder; only files can be removed")))
            }
        }
    }

    fn splice(&mut self, path: &Path, edits: Vec<&Value>) -> Result<(), PlanError> {
        // Some servers list every file that they looked at.
        if edits.is_empty() {
            return Ok(());
        }
        let text = self.text(path)?;
        let ending = dominant_line_ending(&text.bytes).unwrap_or(LineEnding::Lf);
        let mut list = Vec::new();
        for edit in edits {
            if edit.get("snippet").is_some() || edit.get("insertTextFormat").and_then(Value::as_u64) == Some(2) {
                return Err(PlanError::Refused("the server's change is a template with gaps to fill in".to_owned()));
            }
            let range = edit.get("range").cloned().unwrap_or_default();
            let range = serde_json::from_value(range).map_err(|_| broken("a range"))?;
            let new = edit.get("newText").and_then(Value::as_str).ok_or_else(|| broken("newText"))?;
            let range = text.lines.edit_range(&text.bytes, range, self.planner.encoding).map_err(|out| {
                PlanError::Refused(format!("the server's change of `{}` is out of range: {out}", path.display()))
            })?;
            list.push(Edit { range, text: with_line_ending(new.as_bytes(), ending) });
        }
        let edits = Edits::new(text.bytes.len(), list)
            .map_err(|conflict| PlanError::Refused(format!("`{}`: {conflict}", path.display())))?;
        let mark = text.mark;
        let whole = |text: &Text| {
            let mut bytes = if text.mark > 0 { b"\xEF\xBB\xBF".to_vec() } else { Vec::new() };
            bytes.extend_from_slice(&text.bytes);
            bytes
        };
        let old = ContentHash::of(&whole(&text));
        let placed = |edit: &Edit| PlacedEdit {
            edit: Edit { range: edit.range.start + mark..edit.range.end + mark, text: edit.text.clone() },
            group: Some(self.planner.what.to_owned()),
            what: self.planner.what.to_owned(),
            matches: 1,
        };
        let placed = edits.as_slice().iter().map(placed).collect();
        let new = Text { mark, ..Text::new(&edits.apply(&text.bytes)) };
        self.files.insert(path.to_owned(), Some(new));
        self.plan.ops.push(FileOp::Splice { path: path.to_owned(), old, edits: placed });
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;
    use std::collections::HashMap;

    struct Disk(HashMap<PathBuf, Vec<u8>>);

    impl Texts for Disk {
        fn text(&self, path: &Path) -> Option<Text> {
            self.0.get(path).map(|bytes| Text::new(bytes))
        }
        fn at(&self, path: &Path) -> At {
            if self.0.contains_key(path) { At::File } else { At::Nothing }
        }
    }

    fn plan_in(files: &[(&str, &str)], encoding: PositionEncoding, edit: &Value) -> Result<Plan, PlanError> {
        let disk = Disk(files.iter().map(|(path, text)| ((*path).into(), text.as_bytes().to_vec())).collect());
        let version = |_: &Path| Some(3);
        let root = Path::new("/r");
        Planner { root, encoding, texts: &disk, version: &version, what: "w" }.plan(edit)
    }

    /// The file's text after the edits of one document.
    fn after(text: &str, edits: Value) -> Result<String, PlanError> {
        let edit =
            json!({"documentChanges": [{"textDocument": {"uri": "file:///r/a", "version": null}, "edits": edits}]});
        let plan = plan_in(&[("/r/a", text)], PositionEncoding::Utf16, &edit)?;
        let mut bytes = text.as_bytes().to_vec();
        for op in &plan.ops {
            let FileOp::Splice { old, edits, .. } = op else { panic!("{op:?}") };
            assert_eq!(*old, ContentHash::of(&bytes));
            let edits: Vec<Edit> = edits.iter().map(|placed| placed.edit.clone()).collect();
            bytes = vise_text::apply(&bytes, &edits).unwrap();
        }
        Ok(String::from_utf8(bytes).unwrap())
    }

    fn edit(from: (u32, u32), to: (u32, u32), text: &str) -> Value {
        let at = |(line, character): (u32, u32)| json!({"line": line, "character": character});
        json!({"range": {"start": at(from), "end": at(to)}, "newText": text})
    }

    #[test]
    fn identical_edits_are_made_once_and_inserts_keep_their_order() {
        let twice = json!([edit((0, 0), (0, 1), "x"), edit((0, 0), (0, 1), "x")]);
        assert_eq!(after("abc", twice).unwrap(), "xbc");
        let inserts = json!([edit((0, 1), (0, 1), "B"), edit((0, 1), (0, 1), "A"), edit((0, 1), (0, 2), "C")]);
        assert_eq!(after("abc", inserts).unwrap(), "aBACc");
        let overlap = after("abc", json!([edit((0, 0), (0, 2), "x"), edit((0, 1), (0, 3), "y")])).unwrap_err();
        assert!(overlap.to_string().contains("overlap"), "{overlap}");
    }

    #[test]
    fn line_ends_and_the_mark_stay() {
        let text = "\u{FEFF}a\r\nbc\r\n";
        let edits = json!([edit((1, 2), (1, 2), "\nnew\n"), edit((0, 0), (0, 1), "é")]);
        assert_eq!(after(text, edits).unwrap(), "\u{FEFF}é\r\nbc\r\nnew\r\n\r\n");
        assert_eq!(after("a\r\nb\r\n", json!([edit((0, 0), (0, 9), "")])).unwrap(), "\r\nb\r\n");
    }

    #[test]
    fn out_of_range_refuses_all_but_the_whole_text() {
        let error = after("one line", json!([edit((0, 0), (0, 1), "x"), edit((5, 0), (5, 1), "y")])).unwrap_err();
        assert_eq!(
            error,
            PlanError::Refused(
                "the server's change of `/r/a` is out of range: line 6, column 1 of a text of 1 lines".into()
            )
        );
        assert_eq!(after("one\ntwo", json!([edit((0, 0), (9999, 0), "new")])).unwrap(), "new");
    }

    #[test]
    fn characters_before_the_symbol() {
        let text = "x = \"São 😀\" + old\n";
        for (encoding, column) in
            [(PositionEncoding::Utf8, 18), (PositionEncoding::Utf16, 15), (PositionEncoding::Utf32, 14)]
        {
            let edit = json!({"changes": {"file:///r/a": [edit((0, column), (0, column + 3), "new")]}});
            let plan = plan_in(&[("/r/a", text)], encoding, &edit).unwrap();
            let FileOp::Splice { edits, .. } = &plan.ops[0] else { panic!() };
            assert_eq!(&text[edits[0].edit.range.clone()], "old", "{encoding:?}");
        }
    }

    #[test]
    fn versions_are_ours_or_none() {
        let of = |version: Value| {
            let edits = json!([edit((0, 0), (0, 1), "x")]);
            let edit = json!({"documentChanges": [{"textDocument": {"uri": "file:///r/a", "version": version}, "edits": edits}]});
            plan_in(&[("/r/a", "abc")], PositionEncoding::Utf16, &edit)
        };
        assert!(of(json!(3)).is_ok() && of(Value::Null).is_ok());
        assert!(matches!(of(json!(2)), Err(PlanError::Stale(_))));
    }

    #[test]
    fn steps_see_what_the_steps_before_left() {
        let edit = json!({
            "changes": {"file:///r/a": [edit((0, 0), (0, 1), "twice")]},
            "documentChanges": [
                {"kind": "create", "uri": "file:///r/new"},
                {"textDocument": {"uri": "file:///r/new", "version": null}, "edits": [edit((0, 0), (0, 0), "n")]},
                {"textDocument": {"uri": "file:///r/a", "version": 3}, "edits": [edit((0, 0), (0, 1), "bb")]},
                {"kind": "rename", "oldUri": "file:///r/a", "newUri": "file:///r/b"},
                {"textDocument": {"uri": "file:///r/b", "version": null}, "edits": [edit((0, 2), (0, 2), "!")]},
                {"textDocument": {"uri": "file:///r/b", "version": null}, "edits": []},
                {"kind": "delete", "uri": "file:///r/gone", "options": {"ignoreIfNotExists": true}, "annotationId": "1"},
            ],
            "changeAnnotations": {
                "1": {"label": "in a comment", "needsConfirmation": true},
                "2": {"label": "that nothing refers to", "needsConfirmation": true},
            },
        });
        let plan = plan_in(&[("/r/a", "ac")], PositionEncoding::Utf16, &edit).unwrap();
        assert_eq!(plan.notes, ["the server wants this part to be looked at: in a comment"]);
        let kinds: Vec<_> = plan.ops.iter().map(|op| op.paths().0.display().to_string()).collect();
        assert_eq!(kinds, ["/r/new", "/r/new", "/r/a", "/r/a", "/r/b"]);
        let FileOp::Splice { old, edits, .. } = &plan.ops[4] else { panic!() };
        assert_eq!((*old, edits[0].edit.range.clone()), (ContentHash::of(b"bbc"), 2..2));
    }

    #[test]
    fn what_is_not_of_the_workspace_is_refused() {
        for uri in ["file:///elsewhere/a", "file:///rr/a", "file:///r/.git/config", "jdt://x", "file:///r/../a"] {
            let edit = json!({"changes": {uri: [edit((0, 0), (0, 0), "x")]}});
            assert!(matches!(plan_in(&[], PositionEncoding::Utf8, &edit), Err(PlanError::Refused(_))), "{uri}");
        }
        let mut snippet = edit((0, 0), (0, 0), "");
        snippet["snippet"] = json!({"kind": "snippet", "value": "$0"});
        assert!(after("a", json!([snippet])).unwrap_err().to_string().contains("gaps"));
        for change in [
            json!({"kind": "create", "uri": "file:///r/a"}),
            json!({"kind": "rename", "oldUri": "file:///r/a", "newUri": "file:///r/b"}),
            json!({"kind": "rename", "oldUri": "file:///r/none", "newUri": "file:///r/c"}),
            json!({"kind": "delete", "uri": "file:///r/none"}),
        ] {
            let edit = json!({"documentChanges": [change]});
            let plan = plan_in(&[("/r/a", ""), ("/r/b", "")], PositionEncoding::Utf8, &edit);
            assert!(matches!(plan, Err(PlanError::Refused(_))), "{edit}");
        }
        let over = json!({"documentChanges": [{"kind": "create", "uri": "file:///r/a", "options": {"overwrite": true, "ignoreIfExists": true}}]});
        assert_eq!(plan_in(&[("/r/a", "x")], PositionEncoding::Utf8, &over).unwrap().ops.len(), 2);
    }
}
