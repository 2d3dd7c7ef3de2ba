//! The process ends before each call in turn: after recovery the workspace is all old or all new, as its record says, and
//! nothing of ours lies about. Then recovery is cut short in the same way.
//!
//! A process that is gone is one whose every further call fails: what was done before is on the disk, and nothing after.

mod support;

use std::fs;
use std::io;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use support::{Bench, Hooked, NOW, Tree, create, every_kind};
use vise_edit::{
    Decision, Draft, Kind, Proposal, Reason, Side, State, Store, no_guard, prepare, recover, resolve, undo,
};

fn bench() -> (Bench, Proposal) {
    let (bench, ops) = every_kind();
    let files = Hooked::new(|_, _, _| Ok(()));
    let store = Store::with_files(&bench.state, files);
    let draft = Draft { ops, ..Draft::default() };
    let proposal = prepare(&store, &bench.root, draft, NOW, &no_guard).unwrap();
    (bench, proposal)
}

/// Files that end before the call with a number; the exchange of names is missing where `exchanges` is false.
fn ending_at(fault: usize, exchanges: bool) -> Arc<Hooked> {
    Hooked::new(move |number, call, _| {
        if number >= fault {
            return Err(io::ErrorKind::Other.into());
        }
        if call == "exchange" && !exchanges { Err(io::ErrorKind::Unsupported.into()) } else { Ok(()) }
    })
}

/// What lies in the journal of the only workspace.
fn journal(bench: &Bench) -> usize {
    let workspaces = fs::read_dir(bench.state.join("vise")).unwrap();
    workspaces.map(|entry| fs::read_dir(entry.unwrap().path().join("tx")).map_or(0, Iterator::count)).sum()
}

#[derive(Clone, Copy)]
enum Act {
    Accept,
    Undo,
}

fn act(act: Act, store: &Store, bench: &Bench, proposal: &Proposal) -> Result<(), vise_edit::Error> {
    match act {
        Act::Accept => resolve(store, &proposal.id, Decision::Accept, NOW).map(|_| ()),
        Act::Undo => undo(store, &bench.root, Some(&proposal.id), NOW).map(|_| ()),
    }
}

/// A bench on which `act` is yet to be done, with the trees before and after it.
fn scene(todo: Act) -> (Bench, Proposal) {
    let (bench, proposal) = bench();
    if matches!(todo, Act::Undo) {
        act(Act::Accept, &Store::with_files(&bench.state, ending_at(usize::MAX, true)), &bench, &proposal).unwrap();
    }
    (bench, proposal)
}

/// Folders that a file was made in stay when the file goes again.
fn files(tree: Tree) -> Tree {
    tree.into_iter().filter(|(path, _)| !path.starts_with("n/") || path == "n/e/w").collect()
}

fn crashes(todo: Act, exchanges: bool, stride: usize) -> (usize, usize) {
    let (bench, proposal) = scene(todo);
    let all = ending_at(usize::MAX, exchanges);
    let old = files(bench.tree());
    act(todo, &Store::with_files(&bench.state, all.clone()), &bench, &proposal).unwrap();
    let (new, calls) = (files(bench.tree()), all.calls());
    assert!(calls > 80 && new != old, "{calls}");
    let mut counts = (0, 0);
    let after = if matches!(todo, Act::Accept) { State::Accepted } else { State::Undone };
    for fault in 1..=calls {
        // How many calls recovery takes from here is not known before it was done once.
        let mut ends = vec![usize::MAX];
        while let Some(end) = ends.pop() {
            let (bench, proposal) = scene(todo);
            let _ = act(todo, &Store::with_files(&bench.state, ending_at(fault, exchanges)), &bench, &proposal);
            let first = ending_at(end, exchanges);
            let _ = recover(&Store::with_files(&bench.state, first.clone()), &bench.root, true);
            if end == usize::MAX {
                counts.0 += 1;
                ends.extend((1..=first.calls()).step_by(stride));
            } else {
                counts.1 += 1;
            }
            let clean = Store::with_files(&bench.state, ending_at(usize::MAX, exchanges));
            let recovered = recover(&clean, &bench.root, true).unwrap();
            assert!(recovered.iter().all(|one| one.conflicts.is_empty()), "{fault} {end}: {recovered:?}");
            let state = clean.proposal(&proposal.id, NOW).unwrap().state;
            let expected = if state == after { &new } else { &old };
            assert_eq!(&files(bench.tree()), expected, "call {fault}, recovery {end}: {state}");
            assert_eq!(journal(&bench), 0, "call {fault}, recovery {end}");
            // Whatever came of it, it can be done now.
            act(todo, &clean, &bench, &proposal).unwrap();
            assert_eq!(files(bench.tree()), new);
        }
    }
    counts
}

/// Bounded here; `cargo xtask torture` asks for every one.
fn stride(bounded: usize) -> usize {
    if std::env::var_os("VISE_TORTURE").is_some() { 1 } else { bounded }
}

fn say(what: &str, counts: (usize, usize)) {
    println!("torture: {what}: {} crashes, {} double crashes, 0 mixed trees", counts.0, counts.1);
}

#[test]
fn an_accept_ends_at_any_call() {
    say("accept", crashes(Act::Accept, true, stride(29)));
}

#[test]
fn an_accept_without_exchange_ends_at_any_call() {
    say("accept without exchange", crashes(Act::Accept, false, stride(29)));
}

#[test]
fn an_undo_ends_at_any_call() {
    say("undo", crashes(Act::Undo, true, stride(37)));
}

/// Ends an accept right before the call `call` of the path with the name.
fn cut(bench: &Bench, proposal: &Proposal, call: &'static str, name: &'static str) {
    let met = AtomicUsize::new(0);
    let files = Hooked::new(move |_, what, path| {
        let here = what == call && path.file_name().is_some_and(|file| file == name);
        if here || met.load(Ordering::SeqCst) > 0 {
            met.fetch_add(1, Ordering::SeqCst);
            return Err(io::ErrorKind::Other.into());
        }
        Ok(())
    });
    let store = Store::with_files(&bench.state, files);
    resolve(&store, &proposal.id, Decision::Accept, NOW).unwrap_err();
}

#[test]
fn a_save_after_the_crash_is_kept() {
    let (bench, proposal) = bench();
    // The first change of a file is made, the second is not.
    cut(&bench, &proposal, "exchange", "b");
    assert_eq!(bench.get("a"), b"1\r\n");
    bench.put("a", b"theirs");
    let recovered = recover(&bench.store, &bench.root, true).unwrap();
    assert_eq!((recovered.len(), recovered[0].to), (1, Side::Old));
    let conflicts: Vec<&str> = recovered[0].conflicts.iter().map(|one| one.file.as_str()).collect();
    assert_eq!((conflicts, bench.get("a")), (vec!["a"], b"theirs".to_vec()));
    assert_eq!((bench.get("gone"), bench.get("from")), (b"three".to_vec(), b"four".to_vec()));
    assert!(bench.tree().keys().all(|path| !path.contains(".vise-")));
    assert_eq!(recover(&bench.store, &bench.root, true).unwrap(), []);
}

#[test]
fn a_write_into_the_displaced_file_is_kept() {
    let (bench, proposal) = bench();
    cut(&bench, &proposal, "exchange", "b");
    let hidden = bench.tree().into_keys().find(|path| path.starts_with(".vise-") && bench.get(path) == b"one\r\n");
    let hidden = hidden.unwrap();
    bench.put(&hidden, b"late");
    // Nobody saved `a`, so the late bytes are its text again.
    let recovered = recover(&bench.store, &bench.root, true).unwrap();
    assert_eq!((recovered[0].conflicts.len(), bench.get("a")), (0, b"late".to_vec()));
}

#[test]
fn every_accept_recovers_first() {
    let (bench, proposal) = bench();
    cut(&bench, &proposal, "exchange", "b");
    let other = bench.prepare(vec![create("x", "x")]).unwrap();
    bench.accept(&other).unwrap();
    assert_eq!(
        (bench.get("a"), bench.get("d/b"), bench.get("x")),
        (b"one\r\n".to_vec(), b"two".to_vec(), b"x".to_vec())
    );
    bench.accept(&proposal).unwrap();
}

#[test]
fn what_cannot_be_looked_at_is_not_touched() {
    let (bench, proposal) = bench();
    cut(&bench, &proposal, "exchange", "b");
    let before = bench.tree();
    let root = bench.root.clone();
    let files =
        Hooked::new(
            move |_, call, path| {
                if call == "read" && path == root.join("a") { Err(io::ErrorKind::Other.into()) } else { Ok(()) }
            },
        );
    let store = Store::with_files(&bench.state, files);
    let error = recover(&store, &bench.root, true).unwrap_err();
    assert_eq!((error.kind(), error.refusals()[0].reason), (Kind::Refused, Reason::RecoveryBlocked));
    let file = |tree: &Tree, path: &str| tree.get(path).cloned();
    let after = bench.tree();
    assert_eq!(file(&before, "a"), file(&after, "a"));
    // While it is so nothing else is written either.
    assert_eq!(resolve(&store, &proposal.id, Decision::Accept, NOW).unwrap_err().kind(), Kind::Refused);
    recover(&bench.store, &bench.root, true).unwrap();
    assert_eq!(bench.get("a"), b"one\r\n");
}

#[test]
fn a_record_leads_nowhere_else() {
    // A folder becomes a link that leads out of the workspace, after the crash and before the recovery.
    let (bench, proposal) = bench();
    cut(&bench, &proposal, "rename_new", "w");
    assert_eq!(bench.get("d/b"), b"2");
    let outside = tempfile::tempdir().unwrap();
    for entry in fs::read_dir(bench.root.join("d")).unwrap() {
        let path = entry.unwrap().path();
        fs::copy(&path, outside.path().join(path.file_name().unwrap())).unwrap();
    }
    fs::rename(bench.root.join("d"), bench.root.join("moved")).unwrap();
    std::os::unix::fs::symlink(outside.path(), bench.root.join("d")).unwrap();
    let recovered = recover(&bench.store, &bench.root, true).unwrap();
    assert_eq!(recovered[0].conflicts[0].file, "d/b");
    assert_eq!(fs::read(outside.path().join("b")).unwrap(), b"2");
    assert_eq!(bench.get("a"), b"one\r\n");
}

#[test]
fn a_commit_that_is_just_being_made_is_left_alone() {
    let (bench, proposal) = bench();
    let (state, root) = (bench.state.clone(), bench.root.clone());
    let seen = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&seen);
    let files = Hooked::new(move |_, call, path: &Path| {
        if call == "exchange" && path.ends_with("b") {
            // Another program starts now.
            let recovered = recover(&Store::open(&state), &root, false).unwrap();
            count.fetch_add(1 + recovered.len(), Ordering::SeqCst);
        }
        Ok(())
    });
    let store = Store::with_files(&bench.state, files);
    resolve(&store, &proposal.id, Decision::Accept, NOW).unwrap();
    assert_eq!((seen.load(Ordering::SeqCst), bench.get("d/b")), (1, b"2".to_vec()));
}
