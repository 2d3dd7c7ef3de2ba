//! What was accepted can be taken back, all of it or nothing.

mod support;

use std::fs;
use std::os::unix::fs::PermissionsExt;
use support::{Bench, NOW, create, delete, rename};
use vise_edit::{Decision, Kind, State, resolve, undo};
use vise_text::FileOp;

fn bench() -> Bench {
    let bench = Bench::quick(&[("a", b"one"), ("gone", b"two"), ("from", b"three"), ("mode", b"four")]);
    bench.chmod("gone", 0o750);
    bench.chmod("from", 0o700);
    bench
}

#[test]
fn undo_writes_the_old_bytes_and_modes() {
    let bench = bench();
    let old = bench.tree();
    let ops = vec![
        bench.splice("a", &[(0..3, "1")]),
        delete("gone"),
        rename("from", "to"),
        create("new", "x"),
        FileOp::SetExecutable { path: "mode".into(), executable: true },
    ];
    let proposal = bench.prepare(ops).unwrap();
    let new = {
        bench.accept(&proposal).unwrap();
        bench.tree()
    };
    assert_ne!(old, new);
    // A mode that was changed since is nobody's business.
    bench.chmod("a", 0o600);
    let undone = undo(&bench.store, &bench.root, None, NOW).unwrap();
    assert_eq!((undone.proposal.as_str(), undone.state), (proposal.id.as_str(), State::Undone));
    assert_eq!(undone.files, proposal.files());
    assert_eq!(fs::metadata(bench.root.join("a")).unwrap().permissions().mode() & 0o777, 0o600);
    bench.chmod("a", old["a"].1);
    assert_eq!(bench.tree(), old);
    // Twice is once, and then there is nothing left.
    assert_eq!(undo(&bench.store, &bench.root, Some(&proposal.id), NOW).unwrap(), undone);
    assert_eq!(undo(&bench.store, &bench.root, None, NOW).unwrap_err().kind(), Kind::NotFound);
    let again = resolve(&bench.store, &proposal.id, Decision::Accept, NOW).unwrap_err();
    assert_eq!(again.kind(), Kind::BadInput);
}

#[test]
fn a_later_edit_stops_all_of_it() {
    let bench = bench();
    let proposal = bench.prepare(vec![bench.splice("a", &[(0..3, "1")]), delete("gone")]).unwrap();
    bench.accept(&proposal).unwrap();
    bench.put("a", b"later");
    let error = undo(&bench.store, &bench.root, None, NOW).unwrap_err();
    assert_eq!((error.kind(), error.files()), (Kind::Stale, &["a".to_owned()][..]));
    assert!(!bench.root.join("gone").exists());
    bench.put("a", b"1");
    undo(&bench.store, &bench.root, None, NOW).unwrap();
    assert_eq!((bench.get("a"), bench.get("gone")), (b"one".to_vec(), b"two".to_vec()));
}

#[test]
fn the_last_one_goes_first() {
    let bench = bench();
    for text in ["1", "12", "123"] {
        let len = bench.get("a").len();
        let proposal = bench.prepare(vec![bench.splice("a", &[(0..len, text)])]).unwrap();
        bench.accept(&proposal).unwrap();
    }
    for text in ["12", "1", "one"] {
        undo(&bench.store, &bench.root, None, NOW).unwrap();
        assert_eq!(bench.get("a"), text.as_bytes());
    }
}

#[test]
fn only_what_was_accepted() {
    let bench = bench();
    let proposal = bench.prepare(vec![delete("gone")]).unwrap();
    let kind = |id: Option<&str>| undo(&bench.store, &bench.root, id, NOW).unwrap_err().kind();
    assert_eq!(kind(Some(&proposal.id)), Kind::BadInput);
    assert_eq!(kind(None), Kind::NotFound);
    resolve(&bench.store, &proposal.id, Decision::Discard, NOW).unwrap();
    assert_eq!(kind(Some(&proposal.id)), Kind::BadInput);
    assert_eq!(kind(Some("0123456789ab")), Kind::NotFound);
}
