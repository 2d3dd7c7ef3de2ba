//! Every call fails once, in turn: afterwards the workspace is all old or all new, and nothing of ours lies about.

mod support;

use std::fs;
use std::io;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use support::{Bench, Hooked, NOW, Tree, every_kind};
use vise_edit::{Decision, Draft, Durability, Error, Kind, Side, State, Store, no_guard, prepare, recover, resolve};

fn fail(kind: io::ErrorKind) -> io::Result<()> {
    Err(kind.into())
}

/// What is in the state folder beside proposals and their decisions.
fn litter(bench: &Bench) -> Vec<String> {
    fn visit(folder: &Path, found: &mut Vec<String>) {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.file_name().unwrap().to_string_lossy().starts_with('.') {
                found.push(path.to_string_lossy().into_owned());
            }
            if path.is_dir() {
                visit(&path, found);
            }
        }
    }
    let mut found = Vec::new();
    if bench.state.exists() {
        visit(&bench.state, &mut found);
    }
    found
}

/// The tree after an undisturbed accept.
fn all_new() -> (Tree, usize) {
    let (bench, ops) = every_kind();
    let proposal = bench.prepare(ops).unwrap();
    let files = Hooked::new(|_, _, _| Ok(()));
    let store = Store::with_files(&bench.state, files.clone());
    resolve(&store, &proposal.id, Decision::Accept, NOW).unwrap();
    (bench.tree(), files.calls())
}

fn single_faults(kind: io::ErrorKind) {
    let (new, calls) = all_new();
    assert!(calls > 80, "{calls}");
    for fault in 1..=calls {
        let (bench, ops) = every_kind();
        let old = bench.tree();
        let proposal = bench.prepare(ops).unwrap();
        let hook = move |number, _: &str, _: &Path| if number == fault { fail(kind) } else { Ok(()) };
        let store = Store::with_files(&bench.state, Hooked::new(hook));
        match resolve(&store, &proposal.id, Decision::Accept, NOW) {
            Ok(_) => assert_eq!(bench.tree(), new, "fault {fault}"),
            Err(error) => {
                assert!(!matches!(error, Error::HalfUndone { .. }), "fault {fault}: {error}");
                assert_eq!(bench.tree(), old, "fault {fault}: {error}");
                // Nothing was decided, so it can be tried again.
                assert_eq!(bench.store.proposal(&proposal.id, NOW).unwrap().state, State::Pending);
                let again = Store::with_files(&bench.state, Hooked::new(|_, _, _| Ok(())));
                resolve(&again, &proposal.id, Decision::Accept, NOW).unwrap();
                assert_eq!(bench.tree(), new);
            }
        }
        assert_eq!(litter(&bench), [""; 0], "fault {fault}");
    }
}

#[test]
fn a_full_disk_at_any_call() {
    single_faults(io::ErrorKind::StorageFull);
}

#[test]
fn a_denied_right_at_any_call() {
    single_faults(io::ErrorKind::PermissionDenied);
}

#[test]
fn an_unsupported_operation_at_any_call() {
    single_faults(io::ErrorKind::Unsupported);
}

#[test]
fn a_vanished_file_at_any_call() {
    single_faults(io::ErrorKind::NotFound);
}

#[test]
fn a_disk_that_stays_full() {
    // Only what takes space fails, from some call on; moving and removing goes on working.
    let (_, calls) = all_new();
    for fault in 1..=calls {
        let (bench, ops) = every_kind();
        let old = bench.tree();
        let proposal = bench.prepare(ops).unwrap();
        let hook = move |number, what: &str, _: &Path| {
            let takes_space = matches!(what, "create_new" | "write_all" | "make_folder" | "copy_metadata" | "sync");
            if number >= fault && takes_space { fail(io::ErrorKind::StorageFull) } else { Ok(()) }
        };
        let store = Store::with_files(&bench.state, Hooked::new(hook));
        if let Err(error) = resolve(&store, &proposal.id, Decision::Accept, NOW) {
            assert_eq!(error.kind(), Kind::Unavailable);
            assert_eq!(bench.tree(), old, "fault {fault}: {error}");
        }
        assert_eq!(litter(&bench), [""; 0], "fault {fault}");
    }
}

#[test]
fn a_disk_that_dies_says_what_is_left() {
    // From some call on everything fails, the way back too. Then nothing can be promised but a true report.
    let (new, calls) = all_new();
    for fault in 1..=calls {
        let (bench, ops) = every_kind();
        let old = bench.tree();
        let proposal = bench.prepare(ops).unwrap();
        let hook = move |number, _: &str, _: &Path| if number >= fault { fail(io::ErrorKind::Other) } else { Ok(()) };
        let store = Store::with_files(&bench.state, Hooked::new(hook));
        let tree = |bench: &Bench| -> Tree {
            bench.tree().into_iter().filter(|(path, _)| !path.contains(".vise-") && !path.starts_with('n')).collect()
        };
        match resolve(&store, &proposal.id, Decision::Accept, NOW) {
            Ok(_) => assert!(new.iter().all(|(path, file)| bench.tree().get(path) == Some(file)), "fault {fault}"),
            Err(Error::HalfUndone { files, kept, .. }) => {
                let now = tree(&bench);
                for path in ["a", "d/b", "gone", "from", "mode"] {
                    let changed = now.get(path) != old.get(path);
                    assert_eq!(changed, files.iter().any(|file| file == path), "fault {fault}: {path}");
                }
                for path in bench.tree().keys().filter(|path| path.contains(".vise-")) {
                    assert!(kept.contains(&bench.root.join(path)), "fault {fault}: {path} is not reported");
                }
            }
            Err(_) => assert_eq!(tree(&bench), old, "fault {fault}"),
        }
    }
}

#[test]
fn a_file_system_without_exchange() {
    let (new, _) = all_new();
    let lacks = |what: &str| if what == "exchange" { fail(io::ErrorKind::InvalidInput) } else { Ok(()) };
    let calls = {
        let (bench, ops) = every_kind();
        let proposal = bench.prepare(ops).unwrap();
        let files = Hooked::new(move |_, what, _| lacks(what));
        let store = Store::with_files(&bench.state, files.clone());
        resolve(&store, &proposal.id, Decision::Accept, NOW).unwrap();
        assert_eq!(bench.tree(), new);
        files.calls()
    };
    for fault in 1..=calls {
        let (bench, ops) = every_kind();
        let old = bench.tree();
        let proposal = bench.prepare(ops).unwrap();
        let hook = move |number, what: &str, _: &Path| {
            if number == fault { fail(io::ErrorKind::StorageFull) } else { lacks(what) }
        };
        let store = Store::with_files(&bench.state, Hooked::new(hook));
        let expected = match resolve(&store, &proposal.id, Decision::Accept, NOW) {
            Ok(_) => &new,
            Err(error) if matches!(error, Error::HalfUndone { .. }) => panic!("fault {fault}: {error}"),
            Err(_) => &old,
        };
        assert_eq!(&bench.tree(), expected, "fault {fault}");
    }
}

#[test]
fn preparing_leaves_the_workspace_alone() {
    let count = {
        let (bench, ops) = every_kind();
        let files = Hooked::new(|_, _, _| Ok(()));
        let store = Store::with_files(&bench.state, files.clone());
        prepare(&store, &bench.root, Draft { ops, ..Draft::default() }, NOW, &no_guard).unwrap();
        files.calls()
    };
    for fault in 1..=count {
        let (bench, ops) = every_kind();
        let old = bench.tree();
        let hook =
            move |number, _: &str, _: &Path| if number == fault { fail(io::ErrorKind::StorageFull) } else { Ok(()) };
        let store = Store::with_files(&bench.state, Hooked::new(hook));
        let prepared = prepare(&store, &bench.root, Draft { ops, ..Draft::default() }, NOW, &no_guard);
        assert_eq!(bench.tree(), old);
        assert_eq!(litter(&bench), [""; 0], "fault {fault}");
        let listed = bench.store.list(&bench.root, NOW).unwrap().len();
        assert_eq!(listed, usize::from(prepared.is_ok()), "fault {fault}");
    }
}

/// Accepts a change of `a` and `d/b` while somebody else acts just before the first call `what` on `a`.
#[track_caller]
fn race(
    what: &'static str,
    act: impl Fn(&Path) + Send + Sync + 'static,
) -> (Bench, Result<vise_edit::Resolution, Error>) {
    let (bench, ops) = every_kind();
    let proposal = bench.prepare(ops).unwrap();
    let target = bench.root.join("a");
    let done = Arc::new(AtomicBool::new(false));
    let happened = Arc::clone(&done);
    let files = Hooked::new(move |_, call, path| {
        if call == what && path == target && !done.swap(true, Ordering::SeqCst) {
            act(&target);
        }
        Ok(())
    });
    let store = Store::with_files(&bench.state, files);
    let result = resolve(&store, &proposal.id, Decision::Accept, NOW);
    assert!(happened.load(Ordering::SeqCst));
    (bench, result)
}

#[test]
fn a_save_just_before_the_swap_is_given_back() {
    let (bench, result) = race("exchange", |path| {
        let temporary = path.with_file_name("editor");
        fs::write(&temporary, "theirs").unwrap();
        fs::rename(&temporary, path).unwrap();
    });
    assert_eq!(result.unwrap_err().files(), ["a"]);
    assert_eq!(
        (bench.get("a"), bench.get("d/b"), bench.get("gone")),
        (b"theirs".to_vec(), b"two".to_vec(), b"three".to_vec())
    );
    assert_eq!(bench.tree().len(), 6);
}

#[test]
fn a_removal_just_before_the_swap_is_stale() {
    let (bench, result) = race("exchange", |path| fs::remove_file(path).unwrap());
    assert_eq!(result.unwrap_err().files(), ["a"]);
    assert_eq!((bench.get("d/b"), bench.get("from")), (b"two".to_vec(), b"four".to_vec()));
    assert_eq!(bench.tree().len(), 5);
}

#[test]
fn a_late_write_into_the_old_file_is_given_back() {
    // A writer that has held the file open since before the swap writes into what was displaced.
    let (bench, ops) = every_kind();
    let proposal = bench.prepare(ops).unwrap();
    let writer = fs::OpenOptions::new().write(true).open(bench.root.join("a")).unwrap();
    let done = AtomicBool::new(false);
    let files = Hooked::new(move |_, call, _| {
        if call == "sync_folder" && !done.swap(true, Ordering::SeqCst) {
            io::Write::write_all(&mut &writer, b"late").unwrap();
        }
        Ok(())
    });
    let store = Store::with_files(&bench.state, files);
    let error = resolve(&store, &proposal.id, Decision::Accept, NOW).unwrap_err();
    assert_eq!((error.kind(), error.files()), (Kind::Stale, &["a".to_owned()][..]));
    assert_eq!((bench.get("a"), bench.get("d/b")), (b"late\n".to_vec(), b"two".to_vec()));
}

#[test]
fn a_file_made_where_ours_should_go_is_kept() {
    let (bench, ops) = every_kind();
    let proposal = bench.prepare(ops).unwrap();
    let target = bench.root.join("n/e/w");
    let files = Hooked::new(move |_, call, path| {
        if call == "rename_new" && path == target {
            let _ = fs::write(&target, "theirs");
        }
        Ok(())
    });
    let store = Store::with_files(&bench.state, files);
    assert_eq!(resolve(&store, &proposal.id, Decision::Accept, NOW).unwrap_err().files(), ["n/e/w"]);
    assert_eq!((bench.get("n/e/w"), bench.get("a")), (b"theirs".to_vec(), b"one\r\n".to_vec()));
}

#[test]
fn a_save_during_the_way_back_is_kept() {
    let (bench, ops) = every_kind();
    let proposal = bench.prepare(ops).unwrap();
    let root = bench.root.clone();
    // The last folder sync fails, and on the way back somebody saves `a`.
    let files = Hooked::new(move |_, call, path| {
        if call == "sync_folder" {
            fs::write(root.join("editor"), "theirs").unwrap();
            fs::rename(root.join("editor"), root.join("a")).unwrap();
            return fail(io::ErrorKind::Other);
        }
        let _ = path;
        Ok(())
    });
    let store = Store::with_files(&bench.state, files);
    let error = resolve(&store, &proposal.id, Decision::Accept, NOW).unwrap_err();
    assert_eq!(error.kind(), Kind::Unavailable, "{error}");
    assert_eq!((bench.get("a"), bench.get("d/b")), (b"theirs".to_vec(), b"two".to_vec()));
    assert!(bench.tree().keys().all(|path| !path.contains(".vise-")));
}

#[test]
fn a_last_sync_that_fails_is_no_failure() {
    let (bench, ops) = every_kind();
    let proposal = bench.prepare(ops).unwrap();
    let state = bench.state.clone();
    let files = Hooked::new(move |_, call, path| {
        let is_last = call == "sync_folder" && path.starts_with(&state) && path.join("outcome.json").exists();
        if is_last { fail(io::ErrorKind::Other) } else { Ok(()) }
    });
    let store = Store::with_files(&bench.state, files);
    let resolution = resolve(&store, &proposal.id, Decision::Accept, NOW).unwrap();
    assert_eq!((resolution.state, resolution.durability), (State::Accepted, Durability::Unknown));
    assert_eq!(serde_json::to_value(&resolution).unwrap()["durability"], "unknown");
    assert_eq!(bench.tree(), all_new().0);
}

#[test]
fn a_displaced_file_that_cannot_be_removed_is_a_note() {
    let (bench, ops) = every_kind();
    let proposal = bench.prepare(ops).unwrap();
    let files = Hooked::new(|_, call, _| if call == "unlink" { fail(io::ErrorKind::Other) } else { Ok(()) });
    let store = Store::with_files(&bench.state, files);
    let resolution = resolve(&store, &proposal.id, Decision::Accept, NOW).unwrap();
    assert_eq!((resolution.state, resolution.notes.len()), (State::Accepted, 5));
    assert!(bench.tree().keys().any(|path| path.contains(".vise-")));
    // The next command sweeps up.
    let recovered = recover(&bench.store, &bench.root, true).unwrap();
    assert_eq!((recovered[0].to, recovered[0].conflicts.len()), (Side::New, 0));
    assert_eq!(bench.tree(), all_new().0);
}

#[test]
fn many_files_are_synced_by_their_device() {
    for supported in [true, false] {
        let names: Vec<String> = (0..20).map(|at| format!("f{at}")).collect();
        let bench = Bench::quick(&names.iter().map(|name| (name.as_str(), &b"1"[..])).collect::<Vec<_>>());
        let proposal = bench.prepare(names.iter().map(|name| bench.splice(name, &[(0..1, "2")])).collect()).unwrap();
        let counts = Arc::new([AtomicUsize::new(0), AtomicUsize::new(0)]);
        let counted = Arc::clone(&counts);
        let files = Hooked::new(move |_, call, _| {
            match call {
                "sync_device" => counted[0].fetch_add(1, Ordering::SeqCst),
                "sync_file" => counted[1].fetch_add(1, Ordering::SeqCst),
                _ => return Ok(()),
            };
            if call == "sync_device" && !supported { fail(io::ErrorKind::Unsupported) } else { Ok(()) }
        });
        let store = Store::with_files(&bench.state, files);
        resolve(&store, &proposal.id, Decision::Accept, NOW).unwrap();
        let counts = [&counts[0], &counts[1]].map(|count| count.load(Ordering::SeqCst));
        // The record of the commit is synced by itself; without the device also the two texts and the proposal.
        assert_eq!(counts, if supported { [1, 1] } else { [1, 24] });
        assert!(names.iter().all(|name| bench.get(name) == b"2"));
    }
}

#[test]
fn a_racing_saver_loses_nothing() {
    // Somebody saves `a` by rename, again and again, while a change of it is accepted. Whatever the accept says, the
    // last of their saves is what the file holds, or has been displaced by nothing but a later one.
    for round in 0..40 {
        let (bench, ops) = every_kind();
        let proposal = bench.prepare(ops).unwrap();
        let (root, stop) = (bench.root.clone(), Arc::new(AtomicBool::new(false)));
        let saver = std::thread::spawn({
            let stop = Arc::clone(&stop);
            move || {
                let mut last = None;
                for token in 0..1000 {
                    if stop.load(Ordering::SeqCst) && token > round % 3 {
                        break;
                    }
                    let token = format!("theirs {token}");
                    fs::write(root.join("editor"), &token).unwrap();
                    fs::rename(root.join("editor"), root.join("a")).unwrap();
                    last = Some(token);
                }
                last
            }
        });
        let store = Store::with_files(&bench.state, Hooked::new(|_, _, _| Ok(())));
        let result = resolve(&store, &proposal.id, Decision::Accept, NOW);
        stop.store(true, Ordering::SeqCst);
        let last = saver.join().unwrap().unwrap();
        assert_eq!(String::from_utf8(bench.get("a")).unwrap(), last, "round {round}: {result:?}");
        if let Err(error) = result {
            assert_eq!((error.kind(), error.files()), (Kind::Stale, &["a".to_owned()][..]));
            assert_eq!((bench.get("d/b"), bench.get("gone")), (b"two".to_vec(), b"three".to_vec()));
        }
    }
}

#[test]
fn two_accepts_at_once_are_one() {
    let (bench, ops) = every_kind();
    let proposal = bench.prepare(ops).unwrap();
    let accept = || resolve(&bench.store, &proposal.id, Decision::Accept, NOW);
    let (one, two) = std::thread::scope(|scope| {
        let (one, two) = (scope.spawn(accept), scope.spawn(accept));
        (one.join().unwrap().unwrap(), two.join().unwrap().unwrap())
    });
    assert_eq!(one, two);
    assert_eq!(bench.tree(), all_new().0);
}
