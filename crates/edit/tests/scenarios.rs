//! What went wrong elsewhere, in small. Each test says what happened, and what must happen here.

mod support;

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::{MetadataExt, symlink};
use std::sync::{Arc, Mutex};
use support::{Bench, Hooked, NOW, create, delete, rename};
use vise_edit::{Decision, Draft, Error, Kind, Reason, State, Store, no_guard, prepare, resolve};
use vise_text::{ContentHash, Edit, FileOp, PlacedEdit};

fn insert(at: usize, text: &str) -> PlacedEdit {
    PlacedEdit::new(Edit { range: at..at, text: text.as_bytes().to_vec() })
}

#[test]
fn a_file_that_changed_stops_all_of_it_though_it_matches_as_often() {
    // The change was computed anew when it was accepted, and found as many places in another text.
    let bench = Bench::quick(&[("a", b"x x"), ("b", b"x")]);
    let proposal =
        bench.prepare(vec![bench.splice("a", &[(0..1, "y"), (2..3, "y")]), bench.splice("b", &[(0..1, "y")])]);
    bench.put("b", b"x ");
    let error = bench.accept(&proposal.unwrap()).unwrap_err();
    assert_eq!((error.kind(), error.files()), (Kind::Stale, &["b".to_owned()][..]));
    assert_eq!((bench.get("a"), bench.get("b")), (b"x x".to_vec(), b"x ".to_vec()));
}

#[test]
fn a_rename_carries_the_edits_before_and_after_it() {
    // The edits went to the old name, or the two texts changed places.
    let bench = Bench::quick(&[("f", b"1 2 3"), ("g", b"g")]);
    let edited = |path: &str, old: &str, range, text: &str| FileOp::Splice {
        path: path.into(),
        old: ContentHash::of(old.as_bytes()),
        edits: vec![PlacedEdit::new(Edit { range, text: text.into() })],
    };
    let ops = vec![
        edited("f", "1 2 3", 0..1, "one"),
        edited("g", "g", 0..1, "G"),
        edited("f", "one 2 3", 4..5, "two"),
        rename("f", "f2"),
        edited("f2", "one two 3", 8..9, "three"),
    ];
    bench.accept(&bench.prepare(ops).unwrap()).unwrap();
    assert_eq!((bench.get("f2"), bench.get("g")), (b"one two three".to_vec(), b"G".to_vec()));
    assert!(!bench.root.join("f").exists());
}

#[test]
fn a_file_that_is_reached_in_two_ways_is_edited_once() {
    // `A` became `ABB` where `AB` was meant.
    let bench = Bench::quick(&[("real/a", b"A")]);
    symlink("real", bench.root.join("link")).unwrap();
    let op = |path: &str| FileOp::Splice { path: path.into(), old: ContentHash::of(b"A"), edits: vec![insert(1, "B")] };
    let proposal = bench.prepare(vec![op("real/a"), op("link/a")]).unwrap();
    assert_eq!(proposal.files(), ["real/a"]);
    bench.accept(&proposal).unwrap();
    assert_eq!(bench.get("real/a"), b"AB");
}

#[test]
fn the_same_edit_twice_is_one() {
    // A server named a place twice, and the whole rename was given up.
    let bench = Bench::quick(&[("a", b"old old")]);
    let proposal = bench.prepare(vec![bench.splice("a", &[(0..3, "new"), (4..7, "new"), (0..3, "new")])]).unwrap();
    assert_eq!(proposal.places.len(), 2);
    bench.accept(&proposal).unwrap();
    assert_eq!(bench.get("a"), b"new new");
    let two = bench.splice("a", &[(0..3, "x"), (0..3, "y")]);
    assert_eq!(bench.prepare(vec![two]).unwrap_err().kind(), Kind::BadInput);
    let nested = bench.splice("a", &[(0..7, "x"), (2..3, "y")]);
    assert_eq!(bench.prepare(vec![nested]).unwrap_err().kind(), Kind::BadInput);
}

#[test]
fn edits_far_apart_change_nothing_in_between() {
    // The mark at the start was lost, and four inserts came as one hunk over everything.
    let lines: String = (0..80).map(|at| format!("line {at}\r\n")).collect();
    let text = format!("\u{feff}{lines}");
    let bench = Bench::quick(&[("a", text.as_bytes())]);
    let at = |line: usize| text.find(&format!("line {line}\r\n")).unwrap();
    let edits = [10, 30, 50, 70].map(|line| insert(at(line), "new\r\n")).to_vec();
    let op = FileOp::Splice { path: "a".into(), old: ContentHash::of(text.as_bytes()), edits };
    let proposal = bench.prepare(vec![op]).unwrap();
    let diff = String::from_utf8(proposal.diff()).unwrap();
    assert_eq!(diff.lines().filter(|line| line.starts_with("@@")).count(), 4);
    assert_eq!(diff.lines().filter(|line| line.starts_with('-')).count(), 1, "{diff}");
    bench.accept(&proposal).unwrap();
    let new = String::from_utf8(bench.get("a")).unwrap();
    assert!(new.starts_with('\u{feff}') && new.replace("new\r\n", "") == text);
}

#[test]
fn a_second_file_that_fails_leaves_the_first_alone() {
    // The first file, the new one and the removed one were done already, and the failing one was not brought back.
    let bench = Bench::quick(&[("a", b"1"), ("b", b"2"), ("gone", b"3")]);
    let old = bench.tree();
    let ops = || {
        vec![bench.splice("a", &[(0..1, "x")]), create("new", ""), delete("gone"), bench.splice("b", &[(0..1, "y")])]
    };
    for call in ["create_new", "write_all", "copy_metadata", "exchange"] {
        let proposal = bench.prepare(ops()).unwrap();
        let (root, staged) = (bench.root.clone(), Mutex::new(0));
        let files = Hooked::new(move |_, what, path| {
            // The second of its kind that is about the workspace.
            let mut staged = staged.lock().unwrap();
            *staged += usize::from(what == call && path.starts_with(&root));
            if *staged == 2 && what == call { Err(std::io::ErrorKind::PermissionDenied.into()) } else { Ok(()) }
        });
        resolve(&Store::with_files(&bench.state, files), &proposal.id, Decision::Accept, NOW).unwrap_err();
        assert_eq!(bench.tree(), old, "{call}");
    }
    bench.chmod("b", 0o444);
    let draft = Draft { ops: ops(), all_or_nothing: true, ..Draft::default() };
    let error = bench.prepare_draft(draft).unwrap_err();
    assert_eq!(error.refusals()[0].reason, Reason::ReadOnly);
}

#[test]
fn offsets_of_another_text_are_refused() {
    // A server counted in the unsaved text of an editor.
    let bench = Bench::quick(&[("a", b"saved")]);
    let op = FileOp::Splice { path: "a".into(), old: ContentHash::of(b"unsaved"), edits: vec![insert(7, "!")] };
    let error = bench.prepare(vec![op]).unwrap_err();
    assert_eq!((error.kind(), error.files()), (Kind::Stale, &["a".to_owned()][..]));
}

#[test]
fn a_name_that_changes_its_case_keeps_its_text() {
    let bench = Bench::quick(&[("myclass", b"class myclass")]);
    let proposal = bench.prepare(vec![bench.splice("myclass", &[(6..7, "M")]), rename("myclass", "Myclass")]).unwrap();
    bench.accept(&proposal).unwrap();
    assert_eq!(bench.get("Myclass"), b"class Myclass");
    assert_eq!(fs::read_dir(&bench.root).unwrap().count(), 1);
}

#[test]
fn turning_a_change_down_is_harmless() {
    // What the user had typed since was thrown away with it.
    let bench = Bench::quick(&[("a", b"1")]);
    let proposal = bench.prepare(vec![bench.splice("a", &[(0..1, "2")])]).unwrap();
    bench.put("a", b"mine");
    let before = fs::metadata(bench.root.join("a")).unwrap();
    resolve(&bench.store, &proposal.id, Decision::Discard, NOW).unwrap();
    let after = fs::metadata(bench.root.join("a")).unwrap();
    assert_eq!(
        (bench.get("a"), before.ino(), before.mtime_nsec()),
        (b"mine".to_vec(), after.ino(), after.mtime_nsec())
    );
    // What was turned down can still be read.
    let shown = bench.store.proposal(&proposal.id, NOW).unwrap();
    assert_eq!((shown.state, shown.diff().is_empty()), (State::Discarded, false));
}

#[test]
fn five_hundred_files_are_all_or_nothing() {
    let names: Vec<String> = (0..500).map(|at| format!("d{}/f{at}", at % 20)).collect();
    let files: Vec<(&str, &[u8])> = names.iter().map(|name| (name.as_str(), &b"old text\n"[..])).collect();
    let bench = Bench::quick(&files);
    let plain = Hooked::new(|_, _, _| Ok(()));
    let store = Store::with_files(&bench.state, plain);
    let ops = || names.iter().map(|name| bench.splice(name, &[(0..3, "new")])).collect();
    let draft = Draft { ops: ops(), ..Draft::default() };
    let proposal = prepare(&store, &bench.root, draft, NOW, &no_guard).unwrap();
    let old = bench.tree();
    bench.put("d7/f247", b"old text.");
    let error = resolve(&store, &proposal.id, Decision::Accept, NOW).unwrap_err();
    assert_eq!((error.kind(), error.files()), (Kind::Stale, &["d7/f247".to_owned()][..]));
    let now = bench.tree();
    assert!(old.iter().all(|(path, file)| path == "d7/f247" || now.get(path) == Some(file)));
    bench.put("d7/f247", b"old text\n");
    // What it costs, in calls: a number for each file that does not grow with the number of files, and few syncs.
    let counts: Arc<Mutex<BTreeMap<String, usize>>> = Arc::default();
    let seen = Arc::clone(&counts);
    let counting = Hooked::new(move |_, call, _| {
        *seen.lock().unwrap().entry(call.to_owned()).or_default() += 1;
        Ok(())
    });
    resolve(&Store::with_files(&bench.state, counting), &proposal.id, Decision::Accept, NOW).unwrap();
    assert!(names.iter().all(|name| bench.get(name) == b"new text\n"));
    let counts = counts.lock().unwrap().clone();
    println!("torture: 500 files: {counts:?}");
    let of = |call: &str| counts.get(call).copied().unwrap_or_default();
    assert_eq!((of("exchange"), of("create_new"), of("sync_device")), (500, 502, 1));
    assert!(of("sync_file") + of("sync") < 10 && of("sync_folder") < 40, "{counts:?}");
    assert!(counts.values().sum::<usize>() < 500 * 30, "{counts:?}");
}

#[test]
fn a_change_of_a_file_that_is_not_there_touches_nothing() {
    let bench = Bench::quick(&[("a", b"1")]);
    let before = fs::metadata(bench.root.join("a")).unwrap().ino();
    for (op, kind) in
        [(delete("b"), Kind::NotFound), (rename("b", "c"), Kind::NotFound), (create("a", "2"), Kind::Refused)]
    {
        let error: Error = bench.prepare(vec![op]).unwrap_err();
        assert_eq!(error.kind(), kind, "{error}");
    }
    assert_eq!((fs::metadata(bench.root.join("a")).unwrap().ino(), bench.get("a")), (before, b"1".to_vec()));
}
