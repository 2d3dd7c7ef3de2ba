//! The gate as its users see it.

mod support;

use std::fs;
use std::os::unix::fs::{MetadataExt, symlink};
use support::{Bench, NOW, create, delete, rename};
use vise_edit::{Decision, Draft, Kind, Moment, Reason, Refusal, State, no_guard, prepare, resolve};
use vise_text::{ContentHash, Edit, FileOp, PlacedEdit};
use vise_workspace::{Disk, Files};

fn later(days: u64) -> Moment {
    Moment { seconds: NOW.seconds + days * 86_400 + 1 }
}

fn reasons(refused: &[Refusal]) -> Vec<(&str, Reason)> {
    refused.iter().map(|refusal| (refusal.file.as_str(), refusal.reason)).collect()
}

#[test]
fn prepare_writes_nothing_and_accept_writes_all() {
    let bench = Bench::new(&[("a", b"one two"), ("d/b", b"x"), ("gone", b"bye")]);
    bench.chmod("a", 0o754);
    let before = bench.tree();
    let ops = vec![
        bench.splice("a", &[(4..7, "2"), (0..3, "1")]),
        create("n/m/new", "hi"),
        delete("gone"),
        rename("d/b", "d/c"),
    ];
    let proposal = bench.prepare(ops).unwrap();
    assert_eq!(bench.tree(), before);
    assert_eq!(proposal.changes(), 5);
    let resolution = bench.accept(&proposal).unwrap();
    assert_eq!(resolution.files, ["a", "d/b", "d/c", "gone", "n/m/new"]);
    assert_eq!((resolution.state, resolution.notes.len()), (State::Accepted, 0));
    let tree = bench.tree();
    let files: Vec<_> = tree.iter().filter(|(path, _)| !path.ends_with('/')).collect();
    assert_eq!(files.len(), 3, "{tree:?}");
    assert_eq!(tree["a"], (b"1 2".to_vec(), 0o754));
    assert_eq!((bench.get("d/c"), bench.get("n/m/new")), (b"x".to_vec(), b"hi".to_vec()));
}

#[test]
fn any_divergence_writes_nothing_and_names_all() {
    let bench = Bench::new(&[("a", b"1"), ("b", b"2"), ("c", b"3"), ("d", b"4")]);
    let ops = ["a", "b", "c"].map(|path| bench.splice(path, &[(0..0, "x")])).into_iter().chain([create("e", "")]);
    let proposal = bench.prepare(ops.collect()).unwrap();
    bench.put("b", b"9");
    fs::remove_file(bench.root.join("c")).unwrap();
    bench.put("e", b"theirs");
    let before = bench.tree();
    let error = bench.accept(&proposal).unwrap_err();
    assert_eq!((error.kind(), error.files()), (Kind::Stale, &["b", "c", "e"].map(String::from)[..]));
    assert!(error.to_string().contains("`b`, `c`, `e`"), "{error}");
    assert_eq!(bench.tree(), before);
    // It stays pending, and is good again once the files are what they were.
    bench.put("b", b"2");
    bench.put("c", b"3");
    fs::remove_file(bench.root.join("e")).unwrap();
    assert!(bench.accept(&proposal).is_ok());
}

#[test]
fn a_touched_file_is_not_stale() {
    let bench = Bench::new(&[("a", b"same")]);
    let proposal = bench.prepare(vec![bench.splice("a", &[(0..4, "new")])]).unwrap();
    bench.put("b", b"same");
    fs::rename(bench.root.join("b"), bench.root.join("a")).unwrap();
    bench.chmod("a", 0o600);
    bench.accept(&proposal).unwrap();
    assert_eq!(bench.tree()["a"], (b"new".to_vec(), 0o600));
}

#[test]
fn deciding_twice() {
    let bench = Bench::new(&[("a", b"1"), ("b", b"1")]);
    let one = bench.prepare(vec![bench.splice("a", &[(0..1, "2")])]).unwrap();
    let two = bench.prepare(vec![bench.splice("b", &[(0..1, "2")])]).unwrap();
    let decide = |id: &str, decision| resolve(&bench.store, id, decision, NOW);
    let first = decide(&one.id[..6], Decision::Accept).unwrap();
    bench.put("a", b"mine");
    assert_eq!(decide(&one.id, Decision::Accept).unwrap(), first);
    assert_eq!(bench.get("a"), b"mine");
    assert_eq!(decide(&one.id, Decision::Discard).unwrap_err().kind(), Kind::BadInput);
    assert_eq!(decide(&two.id, Decision::Discard).unwrap().state, State::Discarded);
    assert_eq!(decide(&two.id, Decision::Discard).unwrap().state, State::Discarded);
    assert_eq!(decide(&two.id, Decision::Accept).unwrap_err().kind(), Kind::BadInput);
    assert_eq!(bench.get("b"), b"1");
    assert_eq!(decide("abcdef", Decision::Accept).unwrap_err().kind(), Kind::NotFound);
    for bad in ["abc", "../../etc/pw", "xyzxyz", ""] {
        assert_eq!(decide(bad, Decision::Accept).unwrap_err().kind(), Kind::BadInput, "{bad}");
    }
}

#[test]
fn old_proposals_expire() {
    let bench = Bench::new(&[("a", b"1")]);
    let proposal = bench.prepare(vec![bench.splice("a", &[(0..1, "2")])]).unwrap();
    assert_eq!(bench.store.proposal(&proposal.id, later(6)).unwrap().state, State::Pending);
    assert_eq!(bench.store.proposal(&proposal.id, later(7)).unwrap().state, State::Expired);
    let error = resolve(&bench.store, &proposal.id, Decision::Accept, later(7)).unwrap_err();
    assert_eq!((error.kind(), error.files().len()), (Kind::Stale, 0));
    assert_eq!(bench.get("a"), b"1");
}

#[test]
fn proposals_are_listed_and_read_back() {
    let bench = Bench::new(&[("a", b"one\r\ntwo\r\n"), ("b", b"1")]);
    let mut op = bench.splice("a", &[(5..8, "2")]);
    if let FileOp::Splice { edits, .. } = &mut op {
        edits[0].what = "rule".to_owned();
        edits[0].matches = 3;
    }
    let proposal = bench.prepare(vec![op, delete("b")]).unwrap();
    let read = bench.store.proposal(&proposal.id, NOW).unwrap();
    assert_eq!(serde_json::to_value(read.report()).unwrap(), serde_json::to_value(proposal.report()).unwrap());
    let json = serde_json::to_value(read.report()).unwrap();
    assert_eq!(
        json["places"],
        serde_json::json!([{
            "id": "p1", "group": "g1", "file": "a", "line": 2, "old_range": {"start": 5, "end": 8}, "text": "2", "what": "rule",
        }])
    );
    assert_eq!((&json["changes"], &json["files"][0]["changes"]), (&4.into(), &3.into()));
    // The second file is deleted, so its hash is that of the old bytes: "1".
    assert_eq!(json["files"][1]["sha256"], "6b86b273ff34fce19d6b804eff5a3f5747ada4eaa22f1d49c01e52ddb7875b4b");
    let keys: Vec<&str> = json.as_object().unwrap().keys().map(String::as_str).collect();
    let expected = "proposal changes files diff dropped_comments refused diagnostics digest state places not_converged rematches notes";
    assert_eq!(keys.join(" "), expected);
    let list = serde_json::to_value(bench.store.list(&bench.root, NOW).unwrap()).unwrap();
    assert_eq!(
        list,
        serde_json::json!([{
            "proposal": proposal.id, "state": "pending", "changes": 4, "files": ["a", "b"], "created": "2027-01-15T08:00:00Z",
        }])
    );
    let resolution = serde_json::to_value(bench.accept(&proposal).unwrap()).unwrap();
    assert_eq!(resolution, serde_json::json!({"proposal": proposal.id, "state": "accepted", "files": ["a", "b"]}));
}

#[test]
fn the_state_folder_is_private() {
    let bench = Bench::new(&[("a", b"1")]);
    bench.prepare(vec![bench.splice("a", &[(0..1, "2")])]).unwrap();
    assert_eq!(fs::metadata(bench.state.join("vise")).unwrap().mode() & 0o777, 0o700);
}

#[test]
fn a_tampered_proposal_is_not_written() {
    let bench = Bench::new(&[("a", b"1")]);
    let proposal = bench.prepare(vec![bench.splice("a", &[(0..1, "2")])]).unwrap();
    let workspace = fs::read_dir(bench.state.join("vise")).unwrap().next().unwrap().unwrap().path();
    let folder = workspace.join("proposals").join(&proposal.id);
    let text = folder.join("texts").join(ContentHash::of(b"2").to_hex());
    fs::write(&text, b"evil").unwrap();
    assert_eq!(bench.accept(&proposal).unwrap_err().kind(), Kind::Internal);
    fs::write(&text, b"2").unwrap();
    let record = folder.join("record.json");
    let json = fs::read_to_string(&record).unwrap();
    fs::write(&record, json.replace("\"path\":\"a\"", "\"path\":\"../a\"")).unwrap();
    assert_eq!(bench.accept(&proposal).unwrap_err().kind(), Kind::Internal);
    fs::write(&record, "{").unwrap();
    assert_eq!(bench.accept(&proposal).unwrap_err().kind(), Kind::Internal);
    assert_eq!(bench.get("a"), b"1");
}

#[test]
fn what_the_gate_refuses() {
    let bench = Bench::new(&[("ok", b"1"), ("hard", b"1"), ("frozen", b"1"), ("bin", b"\0"), (".git/config", b"1")]);
    let outside = bench.state.with_file_name("outside");
    fs::write(&outside, "1").unwrap();
    symlink(&outside, bench.root.join("leak")).unwrap();
    symlink("nowhere", bench.root.join("dangling")).unwrap();
    fs::hard_link(bench.root.join("hard"), bench.root.join("hard2")).unwrap();
    bench.chmod("frozen", 0o444);
    let mut ops: Vec<FileOp> = ["ok", "hard", "frozen", "bin", ".git/config", "leak", "../outside"]
        .map(|path| bench.splice(path, &[(0..0, "x")]))
        .into();
    ops.push(create("dangling", "x"));
    ops.push(create("../escape", "x"));
    ops.push(create("ok/below", "x"));
    ops.push(create(".vise/x", "x"));
    ops.push(create("sub/.GIT/x", "x"));
    ops.push(FileOp::Create { path: bench.state.join("vise/x"), text: vec![], executable: false });
    let proposal = bench.prepare(ops.clone()).unwrap();
    let outside = |name: &str| bench.root.with_file_name(name).to_string_lossy().into_owned();
    let mut expected =
        ["escape", "outside", "state/vise/x"].map(|name| (outside(name), Reason::OutsideWorkspace)).to_vec();
    expected.extend(
        [
            (".git/config", Reason::Protected),
            (".vise/x", Reason::Protected),
            ("bin", Reason::Binary),
            ("dangling", Reason::OutsideWorkspace),
            ("frozen", Reason::ReadOnly),
            ("hard", Reason::HardLinked),
            ("leak", Reason::OutsideWorkspace),
            ("ok/below", Reason::NotAFile),
            ("sub/.GIT/x", Reason::Protected),
        ]
        .map(|(file, reason)| (file.to_owned(), reason)),
    );
    expected.sort_by(|a, b| a.0.cmp(&b.0));
    let refused: Vec<_> = proposal.refused.iter().map(|refusal| (refusal.file.clone(), refusal.reason)).collect();
    assert_eq!(refused, expected);
    assert_eq!(proposal.slots.len(), 1);
    let draft = Draft { ops: ops.clone(), all_or_nothing: true, ..Draft::default() };
    assert_eq!(bench.prepare_draft(draft).unwrap_err().kind(), Kind::Refused);
    assert_eq!(bench.prepare(ops[1..].to_vec()).unwrap_err().refusals().len(), 12);
    let allowed = Draft { ops: vec![ops[2].clone()], allow_read_only: true, ..Draft::default() };
    bench.accept(&bench.prepare_draft(allowed).unwrap()).unwrap();
    assert_eq!(bench.tree()["frozen"], (b"x1".to_vec(), 0o444));
}

#[test]
fn the_state_folder_below_the_root_is_refused() {
    let bench = Bench::new(&[("a", b"1")]);
    let store = vise_edit::Store::open(&bench.root.join("home"));
    let ops = vec![bench.splice("a", &[(0..1, "2")])];
    prepare(&store, &bench.root, Draft { ops, ..Draft::default() }, NOW, &no_guard).unwrap();
    let ops = vec![create("home/vise/x", "x")];
    let error = prepare(&store, &bench.root, Draft { ops, ..Draft::default() }, NOW, &no_guard).unwrap_err();
    assert_eq!(reasons(error.refusals()), [("home/vise/x", Reason::Protected)]);
}

#[test]
fn a_link_inside_is_followed_and_kept() {
    let bench = Bench::new(&[("real/a", b"A")]);
    symlink("real", bench.root.join("dir")).unwrap();
    symlink("real/a", bench.root.join("link")).unwrap();
    let ops = ["real/a", "dir/a", "link"].map(|path| bench.splice(path, &[(1..1, "B")])).into();
    let proposal = bench.prepare(ops).unwrap();
    assert_eq!((proposal.slots.len(), proposal.changes()), (1, 1));
    bench.accept(&proposal).unwrap();
    assert_eq!(bench.get("real/a"), b"AB");
    assert!(bench.root.join("link").symlink_metadata().unwrap().is_symlink());
    let error = bench.prepare(vec![delete("link")]).unwrap_err();
    assert_eq!(reasons(error.refusals()), [("link", Reason::NotAFile)]);
}

#[test]
fn a_folder_that_became_a_link_is_stale() {
    let bench = Bench::new(&[("d/a", b"1"), ("e/a", b"1")]);
    let proposal = bench.prepare(vec![bench.splice("d/a", &[(0..1, "2")])]).unwrap();
    fs::remove_dir_all(bench.root.join("d")).unwrap();
    symlink("e", bench.root.join("d")).unwrap();
    assert_eq!(bench.accept(&proposal).unwrap_err().files(), ["d/a"]);
    assert_eq!(bench.get("e/a"), b"1");
}

#[test]
fn a_folder_that_became_a_file_is_stale() {
    let bench = Bench::new(&[("d/a", b"1"), ("b", b"1")]);
    let ops = vec![bench.splice("d/a", &[(0..1, "2")]), create("n/new", "x"), bench.splice("b", &[(0..1, "2")])];
    let proposal = bench.prepare(ops).unwrap();
    fs::remove_dir_all(bench.root.join("d")).unwrap();
    bench.put("d", b"a file");
    bench.put("n", b"a file");
    let before = bench.tree();
    assert_eq!(bench.accept(&proposal).unwrap_err().files(), ["d/a", "n/new"]);
    assert_eq!(bench.tree(), before);
}

#[test]
fn a_hard_link_made_since_is_refused() {
    let bench = Bench::new(&[("a", b"1")]);
    let proposal = bench.prepare(vec![bench.splice("a", &[(0..1, "2")])]).unwrap();
    fs::hard_link(bench.root.join("a"), bench.root.join("b")).unwrap();
    assert_eq!(reasons(bench.accept(&proposal).unwrap_err().refusals()), [("a", Reason::HardLinked)]);
}

#[test]
fn a_group_goes_together() {
    let bench = Bench::new(&[("a", b"1\n1"), ("b", b"1"), ("hard", b"1")]);
    fs::hard_link(bench.root.join("hard"), bench.root.join("hard2")).unwrap();
    let placed = |at: usize, group: &str| PlacedEdit {
        group: Some(group.to_owned()),
        ..PlacedEdit::new(Edit { range: at..at + 1, text: b"2".to_vec() })
    };
    let splice =
        |path: &str, edits| FileOp::Splice { path: path.into(), old: ContentHash::of(&bench.get(path)), edits };
    let ops = vec![
        splice("a", vec![placed(0, "kept"), placed(2, "lost")]),
        splice("hard", vec![placed(0, "lost")]),
        splice("b", vec![placed(0, "kept")]),
    ];
    let proposal = bench.prepare(ops).unwrap();
    assert_eq!(reasons(&proposal.refused), [("a", Reason::Group), ("hard", Reason::HardLinked)]);
    assert_eq!(proposal.refused[0].line, Some(2));
    let groups: Vec<_> = proposal.places.iter().map(|place| (place.file.as_str(), place.group.as_str())).collect();
    assert_eq!(groups, [("a", "g1"), ("b", "g1")]);
    bench.accept(&proposal).unwrap();
    assert_eq!((bench.get("a"), bench.get("b")), (b"2\n1".to_vec(), b"2".to_vec()));
}

#[test]
fn a_guard_keeps_a_file_out() {
    let bench = Bench::new(&[("a", b"1"), ("b", b"1")]);
    let ops = ["a", "b"].map(|path| bench.splice(path, &[(0..1, "2")])).into();
    let guard = |candidate: &vise_edit::Candidate<'_>| {
        assert_eq!((candidate.old, candidate.new), (Some(&b"1"[..]), Some(&b"2"[..])));
        let refusal = Refusal::of_file(candidate.file, Reason::SyntaxError, "it would not parse");
        if candidate.file == "b" { vec![refusal] } else { vec![] }
    };
    let draft = Draft { ops, ..Draft::default() };
    let proposal = prepare(&bench.store, &bench.root, draft, NOW, &guard).unwrap();
    assert_eq!(reasons(&proposal.refused), [("b", Reason::SyntaxError)]);
    assert_eq!(proposal.slots.len(), 1);
}

#[test]
fn what_cannot_be_prepared() {
    let bench = Bench::new(&[("a", b"123"), ("b", b"1")]);
    let splice = bench.splice("a", &[(0..2, "x"), (1..3, "y")]);
    assert_eq!(bench.prepare(vec![splice]).unwrap_err().kind(), Kind::BadInput);
    assert_eq!(bench.prepare(vec![bench.splice("a", &[(0..3, "123")])]).unwrap_err().kind(), Kind::NotFound);
    assert_eq!(bench.prepare(vec![delete("gone")]).unwrap_err().kind(), Kind::NotFound);
    assert_eq!(reasons(bench.prepare(vec![create("a", "")]).unwrap_err().refusals()), [("a", Reason::Exists)]);
    assert_eq!(reasons(bench.prepare(vec![rename("a", "b")]).unwrap_err().refusals()), [("b", Reason::Exists)]);
    let splice = bench.splice("a", &[(0..1, "x")]);
    bench.put("a", b"new");
    let error = bench.prepare(vec![splice, bench.splice("b", &[(0..1, "x")])]).unwrap_err();
    assert_eq!((error.kind(), error.files()), (Kind::Stale, &["a".to_owned()][..]));
}

#[test]
fn metadata_is_kept() {
    let bench = Bench::new(&[("tool", b"#!/bin/sh\n")]);
    bench.chmod("tool", 0o2755);
    let path = bench.root.join("tool");
    let named = rustix::fs::setxattr(&path, "user.note", b"kept", rustix::fs::XattrFlags::empty()).is_ok();
    let ops = vec![bench.splice("tool", &[(0..0, "x")]), rename("tool", "moved")];
    bench.accept(&bench.prepare(ops).unwrap()).unwrap();
    assert_eq!(bench.tree()["moved"], (b"x#!/bin/sh\n".to_vec(), 0o2755));
    if named {
        let mut value = [0; 8];
        let len = rustix::fs::getxattr(bench.root.join("moved"), "user.note", &mut value).unwrap();
        assert_eq!(&value[..len], b"kept");
    }
}

#[test]
fn modes_change_when_asked() {
    let bench = Bench::new(&[("a", b"1"), ("b", b"1")]);
    bench.chmod("a", 0o640);
    bench.chmod("b", 0o755);
    let mode = |path: &str, executable| FileOp::SetExecutable { path: path.into(), executable };
    let tool = FileOp::Create { path: "tool".into(), text: b"x".to_vec(), executable: true };
    bench.accept(&bench.prepare(vec![mode("a", true), mode("b", false), tool]).unwrap()).unwrap();
    let tree = bench.tree();
    assert_eq!((tree["a"].1, tree["b"].1), (0o750, 0o644));
    assert_eq!(tree["tool"].1 & 0o100, 0o100);
    assert_eq!(bench.prepare(vec![mode("a", true)]).unwrap_err().kind(), Kind::NotFound);
}

#[test]
fn bytes_outside_edits_are_the_same_bytes() {
    let text = b"\xEF\xBB\xBFa\r\nb\xFF\xE9\r\n\tc \r\nlast";
    let bench = Bench::new(&[("a", text)]);
    let proposal = bench.prepare(vec![bench.splice("a", &[(3..4, "A"), (19..19, "!")])]).unwrap();
    bench.accept(&proposal).unwrap();
    assert_eq!(bench.get("a"), b"\xEF\xBB\xBFA\r\nb\xFF\xE9\r\n\tc \r\nlas!t");
}

#[test]
fn an_id_is_found_whatever_the_workspace() {
    let bench = Bench::new(&[("one/a", b"1"), ("two/a", b"1")]);
    let draft = |ops| Draft { ops, ..Draft::default() };
    let root = |name: &str| bench.root.join(name);
    let old = ContentHash::of(b"1");
    let op = FileOp::Splice {
        path: "a".into(),
        old,
        edits: vec![PlacedEdit::new(Edit { range: 0..1, text: b"2".to_vec() })],
    };
    let one = prepare(&bench.store, &root("one"), draft(vec![op.clone()]), NOW, &no_guard).unwrap();
    let two = prepare(&bench.store, &root("two"), draft(vec![op]), NOW, &no_guard).unwrap();
    bench.accept(&two).unwrap();
    assert_eq!((bench.get("one/a"), bench.get("two/a")), (b"1".to_vec(), b"2".to_vec()));
    assert_eq!(bench.store.list(&root("one"), NOW).unwrap().len(), 1);
    assert_eq!(bench.store.proposal(&one.id, NOW).unwrap().root, root("one"));
}

#[test]
fn a_folder_that_may_not_be_written_is_refused() {
    let bench = Bench::new(&[("shut/a", b"1"), ("b", b"1")]);
    bench.chmod("shut", 0o555);
    // The superuser writes everywhere.
    if !Disk.is_writable(&bench.root.join("shut")).unwrap() {
        let ops =
            vec![bench.splice("shut/a", &[(0..1, "2")]), create("shut/new", ""), bench.splice("b", &[(0..1, "2")])];
        let proposal = bench.prepare(ops.clone()).unwrap();
        assert_eq!(reasons(&proposal.refused), [("shut/a", Reason::ReadOnly), ("shut/new", Reason::ReadOnly)]);
        bench.chmod("shut", 0o755);
        let proposal = bench.prepare(ops).unwrap();
        bench.chmod("shut", 0o555);
        let before = bench.tree();
        assert_eq!(bench.accept(&proposal).unwrap_err().kind(), Kind::Unavailable);
        assert_eq!(bench.tree(), before);
    }
    bench.chmod("shut", 0o755);
}
