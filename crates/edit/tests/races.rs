//! Somebody else writes to a file that is being changed, at each call of an accept in turn: what they wrote is what the
//! file holds in the end, or is kept under a name that the answer tells. A protocol that does not look again is caught.

mod support;

use std::fs::{self, File};
use std::io::{self, Seek, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use support::{Bench, Hooked, NOW, create, delete};
use vise_edit::{Decision, Draft, Error, Proposal, Resolution, State, Store, no_guard, prepare, resolve};

const THEIRS: &[u8] = b"theirs, and long enough";

/// How somebody saves `a`.
#[derive(Clone, Copy, Debug)]
enum Save {
    /// A new file that takes the name, as most editors do it.
    Rename,
    /// Into the file that has the name.
    InPlace,
    /// Into the file that had the name when the accept began.
    HeldOpen,
    /// Away with it, and a new one.
    Anew,
    /// The same bytes in another file: that is no change.
    Touch,
}

fn save(how: Save, root: &Path, held: &Mutex<File>) {
    let (path, other) = (root.join("a"), root.join("editor"));
    match how {
        Save::Rename => {
            fs::write(&other, THEIRS).unwrap();
            fs::rename(&other, &path).unwrap();
        }
        Save::InPlace => fs::write(&path, THEIRS).unwrap(),
        Save::HeldOpen => {
            let mut file = held.lock().unwrap();
            file.set_len(0).unwrap();
            file.rewind().unwrap();
            file.write_all(THEIRS).unwrap();
        }
        Save::Anew => {
            let _ = fs::remove_file(&path);
            fs::write(&path, THEIRS).unwrap();
        }
        Save::Touch => {
            let bytes = fs::read(&path).unwrap_or_default();
            fs::write(&other, bytes).unwrap();
            fs::rename(&other, &path).unwrap();
        }
    }
}

fn scene() -> (Bench, Proposal, Mutex<File>) {
    let bench = Bench::quick(&[("a", b"one"), ("b", b"two"), ("gone", b"three")]);
    let ops =
        vec![bench.splice("a", &[(0..3, "new")]), bench.splice("b", &[(0..3, "2")]), delete("gone"), create("n", "n")];
    let files = Hooked::new(|_, _, _| Ok(()));
    let store = Store::with_files(&bench.state, files);
    let proposal = prepare(&store, &bench.root, Draft { ops, ..Draft::default() }, NOW, &no_guard).unwrap();
    let held = Mutex::new(fs::OpenOptions::new().write(true).open(bench.root.join("a")).unwrap());
    (bench, proposal, held)
}

/// An accept during which `a` is saved before the call `at`; the names of the calls, too.
fn saved_at(how: Save, at: usize, blind: bool) -> (Bench, Result<Resolution, Error>, Vec<(String, PathBuf)>) {
    let (bench, proposal, held) = scene();
    let calls = Arc::new(Mutex::new(Vec::new()));
    let (root, seen) = (bench.root.clone(), Arc::clone(&calls));
    let hook = move |number, call: &str, path: &Path| {
        seen.lock().unwrap().push((call.to_owned(), path.to_owned()));
        if number == at {
            save(how, &root, &held);
        }
        Ok(())
    };
    let files = if blind { Hooked::blind(&[b"three", b"one", b"two"], hook) } else { Hooked::new(hook) };
    let store = Store::with_files(&bench.state, files);
    let result = resolve(&store, &proposal.id, Decision::Accept, NOW);
    let calls = calls.lock().unwrap().clone();
    (bench, result, calls)
}

/// Whether their bytes are somewhere to be found, and nothing is mixed.
fn is_kept(bench: &Bench, how: Save, result: &Result<Resolution, Error>) -> Result<(), String> {
    let live = bench.get("a");
    let others = (bench.get("b"), bench.root.join("gone").exists(), bench.root.join("n").exists());
    let accepted = match result {
        Ok(resolution) => resolution.state == State::Accepted,
        Err(_) => false,
    };
    let expected = if accepted { (b"2".to_vec(), false, true) } else { (b"two".to_vec(), true, false) };
    if others != expected {
        return Err(format!("the other files are {others:?}, and the answer is {result:?}"));
    }
    let fine = match how {
        Save::Touch => live == if accepted { b"new" } else { b"one" },
        _ => live == THEIRS || told(result).iter().any(|path| fs::read(path).is_ok_and(|bytes| bytes == THEIRS)),
    };
    if fine { Ok(()) } else { Err(format!("`a` is {:?}: {result:?}", String::from_utf8_lossy(&live))) }
}

/// The paths that an answer names as holding somebody else's bytes.
fn told(result: &Result<Resolution, Error>) -> Vec<PathBuf> {
    match result {
        Ok(resolution) => resolution.notes.iter().filter_map(|note| Some(note.split('`').nth(3)?.into())).collect(),
        Err(Error::HalfUndone { kept, .. }) => kept.clone(),
        Err(_) => Vec::new(),
    }
}

#[test]
fn a_save_at_any_call_is_kept() {
    let mut races = 0;
    for how in [Save::Rename, Save::InPlace, Save::HeldOpen, Save::Anew, Save::Touch] {
        let (_, _, calls) = saved_at(how, usize::MAX, false);
        // Whoever writes into a removed file writes for nobody, here as elsewhere.
        let removed =
            calls.iter().position(|(call, path)| call == "unlink" && path.to_string_lossy().contains(".vise-"));
        let end = if matches!(how, Save::HeldOpen) { removed.unwrap() } else { calls.len() };
        for at in 1..=end {
            let (bench, result, _) = saved_at(how, at, false);
            is_kept(&bench, how, &result)
                .unwrap_or_else(|why| panic!("{how:?} before call {at} {:?}: {why}", calls[at - 1]));
            races += 1;
        }
    }
    println!("torture: races: {races} saves at every call, 0 lost");
    assert!(races > 300, "{races}");
}

#[test]
fn a_protocol_that_does_not_look_again_is_caught() {
    // The displaced file is taken to be what it was captured as: no second look.
    let (_, _, calls) = saved_at(Save::Rename, usize::MAX, true);
    let lost = (1..=calls.len()).filter(|at| {
        let (bench, result, _) = saved_at(Save::Rename, *at, true);
        is_kept(&bench, Save::Rename, &result).is_err()
    });
    let lost = lost.count();
    println!("torture: broken on purpose, no second look: {lost} of {} saves are lost", calls.len());
    assert!(lost > 0);
}

#[test]
fn racing_savers_lose_nothing() {
    // As it comes: a saver that runs while accepts do.
    let rounds = if std::env::var_os("VISE_TORTURE").is_some() { 400 } else { 60 };
    let mut accepted = 0;
    for round in 0..rounds {
        let how = [Save::Rename, Save::InPlace, Save::Anew][round % 3];
        let (bench, proposal, held) = scene();
        let (stop, begun) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicBool::new(false)));
        let saver = std::thread::spawn({
            let (root, stop, begun) = (bench.root.clone(), Arc::clone(&stop), Arc::clone(&begun));
            move || {
                let mut saves = 0;
                begun.store(true, Ordering::SeqCst);
                // The first save comes somewhere in the middle of the accept.
                for _ in 0..(round * 37) % 1500 {
                    std::hint::black_box(fs::metadata(&root).is_ok());
                }
                while !stop.load(Ordering::SeqCst) || saves == 0 {
                    save(how, &root, &held);
                    saves += 1;
                }
            }
        });
        while !begun.load(Ordering::SeqCst) {
            std::thread::yield_now();
        }
        let store = Store::with_files(&bench.state, Hooked::new(|_, _, _| Ok::<(), io::Error>(())));
        let result = resolve(&store, &proposal.id, Decision::Accept, NOW);
        stop.store(true, Ordering::SeqCst);
        saver.join().unwrap();
        accepted += usize::from(result.is_ok());
        is_kept(&bench, how, &result).unwrap_or_else(|why| panic!("{how:?}, round {round}: {why}"));
    }
    println!("torture: races: {rounds} racing savers, {accepted} accepts, 0 lost");
}
