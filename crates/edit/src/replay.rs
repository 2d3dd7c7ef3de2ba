//! Steps, in order, on files that exist only here.
//!
//! Replaying is how "edit, rename, edit again, make the old name anew" gets one meaning: what each path holds in the
//! end, against what was captured there, is its slot. Everything here is a function of values.

use crate::slot::{Identity, New, Old};
use crate::{Piece, Slot};
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::path::{Path, PathBuf};
use vise_text::{Conflict, ContentHash, Edit, Edits, FileOp, LineIndex, PlacedEdit, lossy};
use vise_workspace::{Stat, shown_path};

/// A file as it was captured.
#[derive(Clone, Debug)]
pub(crate) struct Captured {
    pub(crate) bytes: Vec<u8>,
    pub(crate) stat: Stat,
}

/// A step whose paths are relative to the root and free of links.
#[derive(Clone, Debug)]
pub(crate) struct Step {
    pub(crate) op: FileOp,
    /// The path as the producer wrote it, by which a file reached in two ways is known.
    pub(crate) given: PathBuf,
}

/// A replaced place, before places and groups get their ids.
#[derive(Clone, Debug)]
pub(crate) struct Placed {
    pub(crate) path: PathBuf,
    pub(crate) line: usize,
    pub(crate) range: Range<usize>,
    pub(crate) text: String,
    pub(crate) what: String,
    pub(crate) group: Option<String>,
    pub(crate) piece: Piece,
}

/// What became of the files.
#[derive(Debug, Default)]
pub(crate) struct Replayed {
    pub(crate) slots: Vec<Slot>,
    pub(crate) placed: Vec<Placed>,
    pub(crate) texts: BTreeMap<ContentHash, Vec<u8>>,
    /// Files to be made that are there already.
    pub(crate) exist: BTreeSet<PathBuf>,
}

/// Why there is no result at all.
#[derive(Debug)]
pub(crate) enum Stuck {
    /// Edits were made against other texts than these files have.
    Stale(BTreeSet<PathBuf>),
    /// A step needs a file that is not there.
    NoSuchFile(PathBuf),
    /// Edits of a file contradict each other.
    Overlap(PathBuf, Conflict),
}

/// A file on its way.
struct Node<'a> {
    bytes: Cow<'a, [u8]>,
    like: Option<PathBuf>,
    executable: Option<bool>,
    changes: usize,
    layer: Option<Layer<'a>>,
}

/// The last text that edits were made against, with those edits. A file reached by two paths brings its edits twice,
/// both against the same text.
struct Layer<'a> {
    base: Cow<'a, [u8]>,
    hash: ContentHash,
    /// By range, which is how they are sorted in the end; those of one range in the order they came, each with the
    /// path it came by.
    edits: BTreeMap<(usize, usize), Vec<(PathBuf, Edit)>>,
}

/// Replays `steps` on `captured`, which has an entry for every path that a step names.
pub(crate) fn replay(steps: &[Step], captured: &BTreeMap<PathBuf, Option<Captured>>) -> Result<Replayed, Stuck> {
    let mut tree: BTreeMap<PathBuf, Node<'_>> = BTreeMap::new();
    for (path, file) in captured {
        if let Some(file) = file {
            tree.insert(path.clone(), Node::captured(path, file));
        }
    }
    let mut out = Replayed::default();
    let mut stale = BTreeSet::new();
    // A move is one change, counted where the file comes to lie.
    let mut moved = BTreeSet::new();
    for step in steps {
        match &step.op {
            FileOp::Create { path, text, executable } => {
                if tree.contains_key(path) {
                    out.exist.insert(path.clone());
                    continue;
                }
                // A file that replaces one keeps that one's owner and mode.
                let like = captured.get(path).is_some_and(Option::is_some).then(|| path.clone());
                let node = Node {
                    bytes: Cow::Owned(text.clone()),
                    like,
                    executable: executable.then_some(true),
                    changes: 1,
                    layer: None,
                };
                tree.insert(path.clone(), node);
            }
            FileOp::Delete { path } => {
                tree.remove(path).ok_or_else(|| Stuck::NoSuchFile(path.clone()))?;
            }
            FileOp::Rename { from, to } => {
                if tree.contains_key(to) && from != to {
                    out.exist.insert(to.clone());
                    continue;
                }
                let mut node = tree.remove(from).ok_or_else(|| Stuck::NoSuchFile(from.clone()))?;
                node.changes += 1;
                tree.insert(to.clone(), node);
                moved.insert(from.clone());
                out.placed.iter_mut().filter(|placed| placed.path == *from).for_each(|placed| placed.path = to.clone());
            }
            FileOp::SetExecutable { path, executable } => {
                let node = tree.get_mut(path).ok_or_else(|| Stuck::NoSuchFile(path.clone()))?;
                node.executable = Some(*executable);
                node.changes += 1;
            }
            FileOp::Splice { path, old, edits } => {
                let Some(node) = tree.get_mut(path).filter(|node| node.takes(*old)) else {
                    stale.insert(path.clone());
                    continue;
                };
                let made =
                    node.splice(&step.given, *old, edits).map_err(|conflict| Stuck::Overlap(path.clone(), conflict))?;
                out.placed.extend(made.into_iter().map(|placed| Placed { path: path.clone(), ..placed }));
            }
        }
    }
    if !stale.is_empty() {
        return Err(Stuck::Stale(stale));
    }
    for (path, file) in captured {
        let mut slot = slot_of(path, file.as_ref(), tree.get(path));
        slot.changes = match tree.get(path) {
            Some(node) => node.changes,
            None => usize::from(!moved.contains(path)),
        };
        if slot.is_idle() {
            continue;
        }
        if let (Some(old), Some(file)) = (&slot.old, file) {
            out.texts.entry(old.hash).or_insert_with(|| file.bytes.clone());
        }
        if let (Some(new), Some(node)) = (&slot.new, tree.remove(path)) {
            out.texts.entry(new.hash).or_insert_with(|| node.bytes.into_owned());
        }
        out.slots.push(slot);
    }
    // Answers sort paths bytewise, which is not how paths compare.
    out.slots.sort_by(|a, b| a.path.as_os_str().cmp(b.path.as_os_str()));
    let changed: BTreeSet<&Path> = out.slots.iter().map(|slot| slot.path.as_path()).collect();
    out.placed.retain(|placed| changed.contains(placed.path.as_path()));
    out.placed.sort_by(|a, b| {
        let by_path = a.path.as_os_str().cmp(b.path.as_os_str());
        by_path.then(a.range.start.cmp(&b.range.start)).then(a.range.end.cmp(&b.range.end))
    });
    Ok(out)
}

fn slot_of(path: &Path, file: Option<&Captured>, node: Option<&Node<'_>>) -> Slot {
    Slot {
        path: path.to_owned(),
        old: file.map(|file| Old {
            hash: ContentHash::of(&file.bytes),
            len: file.bytes.len() as u64,
            identity: Identity::from(&file.stat),
        }),
        new: node.map(|node| New {
            hash: ContentHash::of(&node.bytes),
            len: node.bytes.len() as u64,
            like: node.like.clone(),
            executable: node.executable,
            mode: None,
        }),
        changes: 0,
    }
}

impl<'a> Node<'a> {
    fn captured(path: &Path, file: &'a Captured) -> Node<'a> {
        Node {
            bytes: Cow::Borrowed(&file.bytes),
            like: Some(path.to_owned()),
            executable: None,
            changes: 0,
            layer: None,
        }
    }

    /// Whether edits against the text with the hash `old` can be made here.
    fn takes(&self, old: ContentHash) -> bool {
        old == ContentHash::of(&self.bytes) || self.layer.as_ref().is_some_and(|layer| layer.hash == old)
    }

    fn splice(&mut self, given: &Path, old: ContentHash, edits: &[PlacedEdit]) -> Result<Vec<Placed>, Conflict> {
        // Edits against the text as it is now begin a new layer; only those against an earlier text belong to its layer.
        let again = self.layer.take().filter(|layer| layer.hash == old && ContentHash::of(&self.bytes) != old);
        let mut layer =
            again.unwrap_or_else(|| Layer { base: std::mem::take(&mut self.bytes), hash: old, edits: BTreeMap::new() });
        let lines = LineIndex::new(&layer.base);
        let mut placed = Vec::new();
        for PlacedEdit { edit, group, what, matches } in edits {
            // The same replacement twice is one; the same insertion twice is two, unless it came by another path.
            let here = layer.edits.entry((edit.range.start, edit.range.end)).or_default();
            if here.iter().any(|(by, known)| known == edit && (!edit.range.is_empty() || by != given)) {
                continue;
            }
            here.push((given.to_owned(), edit.clone()));
            self.changes += matches;
            placed.push(Placed {
                path: PathBuf::new(),
                line: lines.line_of(edit.range.start) + 1,
                range: edit.range.clone(),
                text: lossy(&edit.text),
                what: what.clone(),
                group: group.clone(),
                piece: Piece { base: old, len: edit.text.len(), changes: *matches },
            });
        }
        let all = layer.edits.values().flatten().map(|(_, edit)| edit.clone()).collect();
        self.bytes = Cow::Owned(Edits::new(layer.base.len(), all)?.apply(&layer.base));
        self.layer = Some(layer);
        Ok(placed)
    }
}

/// How answers call a path that is relative to the root, or outside of it and absolute.
pub(crate) fn shown(path: &Path) -> String {
    if path.is_absolute() { path.to_string_lossy().into_owned() } else { shown_path(Path::new(""), path) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use vise_workspace::Kind;

    fn file(text: &str) -> Option<Captured> {
        let stat = Stat {
            device: 1,
            inode: 1,
            kind: Kind::File,
            mode: 0o644,
            links: 1,
            owner: 0,
            group: 0,
            len: 0,
            modified: 0,
            changed: 0,
        };
        Some(Captured { bytes: text.into(), stat })
    }

    fn splice(path: &str, old: &str, range: Range<usize>, text: &str) -> Step {
        let edits = vec![PlacedEdit::new(Edit { range, text: text.into() })];
        step(FileOp::Splice { path: path.into(), old: ContentHash::of(old.as_bytes()), edits })
    }

    fn step(op: FileOp) -> Step {
        Step { given: op.paths().0.to_owned(), op }
    }

    fn rename(from: &str, to: &str) -> Step {
        step(FileOp::Rename { from: from.into(), to: to.into() })
    }

    /// What each path holds before and after, as `path:old>new`.
    #[track_caller]
    fn check(files: &[(&str, Option<&str>)], steps: &[Step], expected: &[&str]) {
        let captured = files.iter().map(|(path, text)| (PathBuf::from(path), text.and_then(file))).collect();
        let replayed = replay(steps, &captured).unwrap();
        let text = |hash: Option<ContentHash>| hash.map_or("-".into(), |hash| lossy(&replayed.texts[&hash]));
        let slots: Vec<String> = replayed
            .slots
            .iter()
            .map(|slot| {
                let (old, new) = (slot.old.as_ref().map(|old| old.hash), slot.new.as_ref().map(|new| new.hash));
                format!("{}:{}>{}", slot.path.display(), text(old), text(new))
            })
            .collect();
        assert_eq!(slots, expected);
    }

    #[test]
    fn a_rename_carries_edits() {
        let steps = [
            splice("f", "abc", 0..1, "A"),
            splice("f", "Abc", 2..3, "C"),
            rename("f", "g"),
            splice("g", "AbC", 1..2, "B"),
        ];
        check(&[("f", Some("abc")), ("g", None)], &steps, &["f:abc>-", "g:->ABC"]);
    }

    #[test]
    fn names_change_places() {
        let steps = [rename("a", "t"), rename("b", "a"), rename("t", "b")];
        check(&[("a", Some("1")), ("b", Some("2")), ("t", None)], &steps, &["a:1>2", "b:2>1"]);
    }

    #[test]
    fn the_old_name_is_made_anew() {
        let new = FileOp::Create { path: "a".into(), text: b"new".to_vec(), executable: false };
        check(&[("a", Some("1")), ("b", None)], &[rename("a", "b"), step(new)], &["a:1>new", "b:->1"]);
    }

    #[test]
    fn what_comes_to_nothing_is_no_slot() {
        check(&[("a", Some("1")), ("b", None)], &[rename("a", "b"), rename("b", "a")], &[]);
        check(&[("a", Some("1"))], &[splice("a", "1", 0..1, "1")], &[]);
    }

    #[test]
    fn a_file_reached_twice_is_edited_once() {
        let mut other = splice("a", "A", 1..1, "B");
        other.given = "link/a".into();
        check(&[("a", Some("A"))], &[splice("a", "A", 1..1, "B"), other], &["a:A>AB"]);
        // Two splices of one server answer against one text are one, and inserts keep their order.
        check(&[("a", Some("xy"))], &[splice("a", "xy", 1..1, "1"), splice("a", "xy", 0..1, "X")], &["a:xy>X1y"]);
    }

    #[test]
    fn an_edit_that_changed_nothing_is_over() {
        // Both edits name the same text, yet the second was made after the first.
        let steps = [splice("a", "xyz", 1..2, "y"), splice("a", "xyz", 0..2, "")];
        check(&[("a", Some("xyz"))], &steps, &["a:xyz>z"]);
    }

    #[test]
    fn an_edit_of_another_text_is_stale() {
        let captured = [(PathBuf::from("a"), file("now")), (PathBuf::from("b"), None)].into();
        let steps = [splice("a", "then", 0..1, ""), splice("b", "x", 0..1, "")];
        let Err(Stuck::Stale(files)) = replay(&steps, &captured) else { panic!("not stale") };
        assert_eq!(files.len(), 2);
    }
}
