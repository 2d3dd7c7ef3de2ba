//! The power is cut between each two changes of an accept, and what is left of the files is any part of what was not
//! synced. After recovery the workspace is all old or all new, and from all new the old bytes can be had back.
//!
//! That the harness sees anything is shown by protocols with a step left out, made by files that lie.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use vise_edit::{Decision, Draft, Moment, Proposal, State, Store, no_guard, prepare, recover, resolve, undo};
use vise_text::{ContentHash, Edit, FileOp, PlacedEdit};
use vise_workspace::{Files, Lock, Memory, Stage, Stat};

const NOW: Moment = Moment { seconds: 1_800_000_000 };

type Tree = BTreeMap<PathBuf, Vec<u8>>;

/// Whether the sync with a number, of a path, is left out.
type Skips = Arc<dyn Fn(usize, &Path) -> bool + Send + Sync>;

/// Files of which some syncs do nothing.
struct Lying {
    inner: Memory,
    syncs: Arc<AtomicUsize>,
    skips: Skips,
}

impl Lying {
    fn sync(&self, path: &Path, sync: impl FnOnce() -> io::Result<()>) -> io::Result<()> {
        let number = self.syncs.fetch_add(1, Ordering::SeqCst);
        if (self.skips)(number, path) { Ok(()) } else { sync() }
    }
}

struct LyingStage {
    inner: Box<dyn Stage>,
    path: PathBuf,
    syncs: Arc<AtomicUsize>,
    skips: Skips,
}

impl Stage for LyingStage {
    fn write_all(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.inner.write_all(bytes)
    }

    fn copy_metadata(&mut self, from: &Path) -> io::Result<()> {
        self.inner.copy_metadata(from)
    }

    fn set_mode(&mut self, mode: u32) -> io::Result<()> {
        self.inner.set_mode(mode)
    }

    fn sync(&mut self) -> io::Result<()> {
        let number = self.syncs.fetch_add(1, Ordering::SeqCst);
        if (self.skips)(number, &self.path) { Ok(()) } else { self.inner.sync() }
    }
}

impl Files for Lying {
    fn stat(&self, path: &Path) -> io::Result<Stat> {
        self.inner.stat(path)
    }

    fn canonical(&self, path: &Path) -> io::Result<PathBuf> {
        self.inner.canonical(path)
    }

    fn is_writable(&self, path: &Path) -> io::Result<bool> {
        self.inner.is_writable(path)
    }

    fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
        self.inner.read(path)
    }

    fn list(&self, path: &Path) -> io::Result<Vec<OsString>> {
        self.inner.list(path)
    }

    fn create_new(&self, path: &Path, mode: u32) -> io::Result<Box<dyn Stage>> {
        let (syncs, skips) = (Arc::clone(&self.syncs), Arc::clone(&self.skips));
        Ok(Box::new(LyingStage { inner: self.inner.create_new(path, mode)?, path: path.to_owned(), syncs, skips }))
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        self.inner.rename(from, to)
    }

    fn rename_new(&self, from: &Path, to: &Path) -> io::Result<()> {
        self.inner.rename_new(from, to)
    }

    fn exchange(&self, a: &Path, b: &Path) -> io::Result<()> {
        self.inner.exchange(a, b)
    }

    fn link(&self, from: &Path, to: &Path) -> io::Result<()> {
        self.inner.link(from, to)
    }

    fn unlink(&self, path: &Path) -> io::Result<()> {
        self.inner.unlink(path)
    }

    fn make_folder(&self, path: &Path, mode: u32) -> io::Result<()> {
        self.inner.make_folder(path, mode)
    }

    fn remove_folder(&self, path: &Path) -> io::Result<()> {
        self.inner.remove_folder(path)
    }

    fn sync_file(&self, path: &Path) -> io::Result<()> {
        self.sync(path, || self.inner.sync_file(path))
    }

    fn sync_device(&self, folder: &Path) -> io::Result<()> {
        self.sync(folder, || self.inner.sync_device(folder))
    }

    fn sync_folder(&self, path: &Path) -> io::Result<()> {
        self.sync(path, || self.inner.sync_folder(path))
    }

    fn lock(&self, path: &Path) -> io::Result<Lock> {
        self.inner.lock(path)
    }

    fn try_lock(&self, path: &Path) -> io::Result<Option<Lock>> {
        self.inner.try_lock(path)
    }

    fn random(&self) -> io::Result<u64> {
        self.inner.random()
    }
}

fn store(files: Arc<dyn Files>) -> Store {
    Store::with_files(Path::new("/home/state"), files)
}

fn splice(path: &str, old: &str, new: &str) -> FileOp {
    let edit = Edit { range: 0..old.len(), text: new.as_bytes().to_vec() };
    FileOp::Splice { path: path.into(), old: ContentHash::of(old.as_bytes()), edits: vec![PlacedEdit::new(edit)] }
}

/// Files, and a proposal that changes, makes, removes and moves some of them; `many` so many that the device is synced.
/// Only the workspace is durable: what was prepared a moment ago may be lost like everything else.
fn scene(many: bool) -> (Memory, Proposal) {
    let files = Memory::new();
    let count = if many { 12 } else { 2 };
    for at in 0..count {
        files.put(Path::new(&format!("/w/d{}/f{at}", at % 3)), format!("old {at}").as_bytes()).unwrap();
    }
    for (path, text) in [("/w/gone", "gone"), ("/w/from", "from"), ("/w/same", "same"), ("/home/x", "")] {
        files.put(Path::new(path), text.as_bytes()).unwrap();
    }
    files.settle();
    let mut ops: Vec<FileOp> = (0..count)
        .map(|at| splice(&format!("d{}/f{at}", at % 3), &format!("old {at}"), &format!("new text {at}")))
        .collect();
    ops.push(FileOp::Delete { path: "gone".into() });
    ops.push(FileOp::Rename { from: "from".into(), to: "d0/to".into() });
    ops.push(FileOp::Create { path: "n/e/w".into(), text: b"made".to_vec(), executable: false });
    let draft = Draft { ops, ..Draft::default() };
    let proposal = prepare(&store(Arc::new(files.clone())), Path::new("/w"), draft, NOW, &no_guard).unwrap();
    (files, proposal)
}

/// Numbers that are the same each time.
struct Dice(u64);

impl Dice {
    fn below(&mut self, of: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap() % of
    }
}

/// What states came out of the cuts.
#[derive(Debug, Default)]
struct Count {
    states: usize,
    old: usize,
    new: usize,
    /// Hidden files of ours that were left beside all new files.
    left: usize,
    bad: usize,
    example: Option<String>,
}

/// The files of the user, and how many of ours are among them.
fn users(files: &Memory) -> (Tree, usize) {
    let tree = files.tree(Path::new("/w"));
    let all = tree.len();
    let hidden = |path: &Path| path.file_name().unwrap().to_string_lossy().starts_with(".vise-");
    let tree: Tree = tree.into_iter().filter(|(path, _)| !hidden(path)).collect();
    let left = all - tree.len();
    (tree, left)
}

/// Recovers what a cut left and says what is wrong with it.
fn judge(left: &Memory, proposal: &Proposal, old: &Tree, new: &Tree, count: &mut Count) -> Result<(), String> {
    let store = store(Arc::new(left.clone()));
    recover(&store, Path::new("/w"), true).map_err(|error| format!("recovery: {error}"))?;
    let (tree, hidden) = users(left);
    if &tree == old {
        count.old += 1;
        return if hidden == 0 {
            Ok(())
        } else {
            count.left += 1;
            Ok(())
        };
    }
    if &tree != new {
        return Err(format!("a mixed tree: {:?}", tree.keys().collect::<Vec<_>>()));
    }
    count.new += 1;
    count.left += usize::from(hidden > 0);
    let state = store.proposal(&proposal.id, NOW).map_err(|error| format!("new, and the proposal is lost: {error}"))?;
    if state.state != State::Accepted {
        return Err(format!("new, and the proposal is {}", state.state));
    }
    undo(&store, Path::new("/w"), Some(&proposal.id), NOW).map_err(|error| format!("old bytes are lost: {error}"))?;
    if &users(left).0 == old { Ok(()) } else { Err("undo does not give the old bytes".to_owned()) }
}

/// Cuts the power `samples` times between each two steps of an accept.
fn cuts(many: bool, samples: usize, skips: impl Fn(usize, &Path) -> bool + Send + Sync + 'static) -> (Count, usize) {
    let (files, proposal) = scene(many);
    let old = users(&files).0;
    let before = files.steps();
    let syncs = Arc::new(AtomicUsize::new(0));
    let lying = Lying { inner: files.clone(), syncs: Arc::clone(&syncs), skips: Arc::new(skips) };
    resolve(&store(Arc::new(lying)), &proposal.id, Decision::Accept, NOW).unwrap();
    let new = users(&files).0;
    assert_ne!(old, new);
    let mut count = Count::default();
    let mut dice = Dice(20_261_201);
    for at in before..=files.steps() {
        for sample in 0..samples {
            // Everything, nothing, and then by chance.
            let mut choose = |of: usize| match sample {
                0 => 0,
                1 => of - 1,
                _ => dice.below(of),
            };
            let left = files.after_power_cut(at, &mut choose);
            count.states += 1;
            if let Err(why) = judge(&left, &proposal, &old, &new, &mut count) {
                count.bad += 1;
                count.example.get_or_insert_with(|| format!("after step {at}, sample {sample}: {why}"));
            }
        }
    }
    (count, syncs.load(Ordering::SeqCst))
}

/// Bounded here; `cargo xtask torture` asks for more.
fn samples(bounded: usize) -> usize {
    if std::env::var_os("VISE_TORTURE").is_some() { bounded * 8 } else { bounded }
}

#[test]
fn any_power_cut_leaves_old_or_new() {
    for many in [false, true] {
        let (count, syncs) = cuts(many, samples(40), |_, _| false);
        println!(
            "torture: power cuts, {}: {} states, {} old, {} new, {} with hidden files left, {} bad; {syncs} syncs",
            if many { "many files" } else { "few files" },
            count.states,
            count.old,
            count.new,
            count.left,
            count.bad
        );
        assert_eq!(count.example, None);
        assert!(count.old > 100 && count.new > 10, "{count:?}");
    }
}

#[test]
fn a_protocol_without_its_syncs_is_caught() {
    let caught = |what: &str, many: bool, skips: fn(usize, &Path) -> bool| {
        let (count, _) = cuts(many, samples(20), skips);
        println!("torture: broken on purpose, {what}: {} of {} states are bad", count.bad, count.states);
        assert!(count.bad > 0, "{what} is not caught");
    };
    caught("no sync at all", false, |_, _| true);
    caught("no sync at all, many files", true, |_, _| true);
    let is_record = |_: usize, path: &Path| path.ends_with("tx") || path.extension().is_some_and(|end| end == "intent");
    caught("the record is not synced", false, is_record);
    let is_staged = |_: usize, path: &Path| path.file_name().unwrap().to_string_lossy().starts_with(".vise-");
    caught("new files are not synced", false, is_staged);
    caught("the folders of files are not synced", false, |_, path| path.starts_with("/w") && !is_hidden(path));
    caught("the old texts are not synced", false, |_, path| {
        path.starts_with("/home") && path.to_string_lossy().contains("texts/")
    });
    // The first three are of the folders above the journal.
    caught("the device is not synced", true, |number, _| number == 3);
}

fn is_hidden(path: &Path) -> bool {
    path.file_name().is_some_and(|name| name.to_string_lossy().starts_with(".vise-"))
}

#[test]
fn each_sync_is_left_out_in_turn() {
    let (_, syncs) = cuts(false, 1, |_, _| false);
    let mut needed = 0;
    for left_out in 0..syncs {
        let (count, _) = cuts(false, samples(10), move |number, _| number == left_out);
        needed += usize::from(count.bad > 0);
    }
    println!("torture: {syncs} syncs left out one at a time, {needed} of them are missed at once");
    // Some stand for the same thing: a folder that is synced before the swap and after it, say.
    assert!(needed * 4 >= syncs, "{needed} of {syncs}");
}
