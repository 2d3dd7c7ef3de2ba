//! Random changes against a model that is too simple to be wrong.

mod support;

use proptest::prelude::*;
use std::collections::BTreeMap;
use std::path::PathBuf;
use support::{Bench, create, delete, rename};
use vise_edit::Kind;
use vise_text::{ContentHash, Edit, FileOp, PlacedEdit};

const NAMES: [&str; 4] = ["a", "b", "d/c", "d/e/f"];

#[derive(Clone, Debug)]
enum Action {
    Create(usize, String),
    Delete(usize),
    Rename(usize, usize),
    Insert(usize, usize, String),
    Replace(usize, usize, String),
}

fn any_action() -> impl Strategy<Value = Action> {
    let name = 0..NAMES.len();
    let text = "[ab\\r\\n]{0,4}";
    prop_oneof![
        (name.clone(), text).prop_map(|(at, text)| Action::Create(at, text)),
        name.clone().prop_map(Action::Delete),
        (name.clone(), name.clone()).prop_map(|(from, to)| Action::Rename(from, to)),
        (name.clone(), 0..6usize, text).prop_map(|(at, offset, text)| Action::Insert(at, offset, text)),
        (name, 0..6usize, text).prop_map(|(at, offset, text)| Action::Replace(at, offset, text)),
    ]
}

type Model = BTreeMap<&'static str, Vec<u8>>;

/// Does what can be done of `actions` to the model, and gives the steps that say the same.
fn act(model: &mut Model, actions: &[Action]) -> Vec<FileOp> {
    let mut ops = Vec::new();
    for action in actions {
        match action {
            Action::Create(at, text) if !model.contains_key(NAMES[*at]) => {
                model.insert(NAMES[*at], text.clone().into_bytes());
                ops.push(create(NAMES[*at], text));
            }
            Action::Delete(at) if model.remove(NAMES[*at]).is_some() => ops.push(delete(NAMES[*at])),
            Action::Rename(from, to) if model.contains_key(NAMES[*from]) && !model.contains_key(NAMES[*to]) => {
                let text = model.remove(NAMES[*from]).unwrap();
                model.insert(NAMES[*to], text);
                ops.push(rename(NAMES[*from], NAMES[*to]));
            }
            Action::Insert(at, offset, text) | Action::Replace(at, offset, text) => {
                let Some(file) = model.get_mut(NAMES[*at]) else { continue };
                let start = *offset.min(&file.len());
                let end = if matches!(action, Action::Replace(..)) { file.len().min(start + 2) } else { start };
                let old = ContentHash::of(file);
                file.splice(start..end, text.bytes());
                let edit = Edit { range: start..end, text: text.clone().into_bytes() };
                ops.push(FileOp::Splice { path: NAMES[*at].into(), old, edits: vec![PlacedEdit::new(edit)] });
            }
            _ => {}
        }
    }
    ops
}

fn start() -> (Bench, Model) {
    let files: [(&str, &[u8]); 3] = [("a", b"one\r\n"), ("d/c", b"two\n"), ("other", b"untouched")];
    (Bench::quick(&files), files[..2].iter().map(|(path, text)| (*path, text.to_vec())).collect())
}

fn files(bench: &Bench) -> BTreeMap<String, Vec<u8>> {
    let tree = bench.tree().into_iter().filter(|(path, _)| !path.ends_with('/') && path != "other");
    tree.map(|(path, (bytes, _))| (path, bytes)).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 150, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn accept_does_what_the_steps_say(actions in proptest::collection::vec(any_action(), 1..12)) {
        let (bench, mut model) = start();
        let before = model.clone();
        let ops = act(&mut model, &actions);
        match bench.prepare(ops) {
            Ok(proposal) => {
                bench.accept(&proposal).unwrap();
            }
            Err(error) => {
                prop_assert_eq!(error.kind(), Kind::NotFound, "{}", error);
                prop_assert_eq!(&before, &model);
            }
        }
        let expected: BTreeMap<String, Vec<u8>> =
            model.into_iter().map(|(path, bytes)| (path.to_owned(), bytes)).collect();
        prop_assert_eq!(files(&bench), expected);
        prop_assert_eq!(bench.get("other"), b"untouched");
    }

    #[test]
    fn one_diverged_file_stops_everything(
        actions in proptest::collection::vec(any_action(), 1..8),
        victim in any::<proptest::sample::Index>(),
        kind in 0..3,
    ) {
        let (bench, mut model) = start();
        let ops = act(&mut model, &actions);
        if let Ok(proposal) = bench.prepare(ops) {
            let slot = victim.get(&proposal.slots);
            let path: PathBuf = bench.root.join(&slot.path);
            match (&slot.old, kind) {
                (Some(_), 0) => std::fs::remove_file(&path).unwrap(),
                (Some(_), 1) => {
                    // The same length, so that only the bytes tell.
                    let flipped: Vec<u8> = std::fs::read(&path).unwrap().iter().map(|byte| byte ^ 1).collect();
                    std::fs::write(&path, flipped).unwrap();
                }
                _ => bench.put(&slot.shown(), b"theirs"),
            }
            let before = bench.tree();
            let error = bench.accept(&proposal).unwrap_err();
            prop_assert_eq!(error.kind(), Kind::Stale);
            prop_assert_eq!(error.files(), [slot.shown()]);
            prop_assert_eq!(bench.tree(), before);
        }
    }
}
