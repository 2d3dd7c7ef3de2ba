//! A workspace and a store in a scratch folder, and files that fail when told to.
#![allow(dead_code, reason = "each test file uses its part")]

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs;
use std::io;
use std::ops::Range;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use vise_edit::{Decision, Draft, Error, Moment, Proposal, Resolution, Store, no_guard, prepare, resolve};
use vise_text::{ContentHash, Edit, FileOp, PlacedEdit};
use vise_workspace::{Disk, Files, Lock, Stage, Stat};

pub(crate) const NOW: Moment = Moment { seconds: 1_800_000_000 };

/// Everything below a root: each path with its bytes and mode.
pub(crate) type Tree = BTreeMap<String, (Vec<u8>, u32)>;

pub(crate) struct Bench {
    _dir: tempfile::TempDir,
    pub(crate) root: PathBuf,
    pub(crate) state: PathBuf,
    pub(crate) store: Store,
}

impl Bench {
    pub(crate) fn new(files: &[(&str, &[u8])]) -> Bench {
        Bench::within(&std::env::temp_dir(), files)
    }

    /// A bench that lies in memory where that is to be had: some disks take milliseconds to remove a file, and tests
    /// that fail each call in turn make thousands.
    pub(crate) fn quick(files: &[(&str, &[u8])]) -> Bench {
        let memory = Path::new("/dev/shm");
        if tempfile::tempdir_in(memory).is_ok() { Bench::within(memory, files) } else { Bench::new(files) }
    }

    fn within(folder: &Path, files: &[(&str, &[u8])]) -> Bench {
        let dir = tempfile::tempdir_in(folder).unwrap();
        let top = dir.path().canonicalize().unwrap();
        let (root, state) = (top.join("root"), top.join("state"));
        fs::create_dir(&root).unwrap();
        let bench = Bench { _dir: dir, root, store: Store::open(&state), state };
        for (path, bytes) in files {
            bench.put(path, bytes);
        }
        bench
    }

    pub(crate) fn put(&self, path: &str, bytes: &[u8]) {
        let path = self.root.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
    }

    pub(crate) fn get(&self, path: &str) -> Vec<u8> {
        fs::read(self.root.join(path)).unwrap()
    }

    pub(crate) fn chmod(&self, path: &str, mode: u32) {
        fs::set_permissions(self.root.join(path), fs::Permissions::from_mode(mode)).unwrap();
    }

    pub(crate) fn tree(&self) -> Tree {
        let mut tree = Tree::new();
        collect(&self.root, &self.root, &mut tree);
        tree
    }

    /// A splice of the file as it is now.
    pub(crate) fn splice(&self, path: &str, edits: &[(Range<usize>, &str)]) -> FileOp {
        let edits = edits
            .iter()
            .map(|(range, text)| PlacedEdit::new(Edit { range: range.clone(), text: text.as_bytes().to_vec() }));
        FileOp::Splice { path: path.into(), old: ContentHash::of(&self.get(path)), edits: edits.collect() }
    }

    pub(crate) fn prepare(&self, ops: Vec<FileOp>) -> Result<Proposal, Error> {
        self.prepare_draft(Draft { ops, ..Draft::default() })
    }

    pub(crate) fn prepare_draft(&self, draft: Draft) -> Result<Proposal, Error> {
        prepare(&self.store, &self.root, draft, NOW, &no_guard)
    }

    pub(crate) fn accept(&self, proposal: &Proposal) -> Result<Resolution, Error> {
        resolve(&self.store, &proposal.id, Decision::Accept, NOW)
    }
}

fn collect(root: &Path, folder: &Path, tree: &mut Tree) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.strip_prefix(root).unwrap().to_string_lossy().into_owned();
        let metadata = path.symlink_metadata().unwrap();
        let mode = metadata.permissions().mode() & 0o7777;
        if metadata.is_dir() {
            tree.insert(name + "/", (Vec::new(), mode));
            collect(root, &path, tree);
        } else if metadata.is_symlink() {
            tree.insert(name + "@", (fs::read_link(&path).unwrap().into_os_string().into_encoded_bytes(), 0));
        } else {
            tree.insert(name, (fs::read(&path).unwrap(), mode));
        }
    }
}

/// A workspace, and a step of every kind on it.
pub(crate) fn every_kind() -> (Bench, Vec<FileOp>) {
    let bench =
        Bench::quick(&[("a", b"one\r\n"), ("d/b", b"two"), ("gone", b"three"), ("from", b"four"), ("mode", b"five")]);
    bench.chmod("d/b", 0o755);
    let ops = vec![
        bench.splice("a", &[(0..3, "1")]),
        bench.splice("d/b", &[(0..3, "2")]),
        delete("gone"),
        rename("from", "to"),
        create("n/e/w", "new"),
        FileOp::SetExecutable { path: "mode".into(), executable: true },
    ];
    (bench, ops)
}

pub(crate) fn create(path: &str, text: &str) -> FileOp {
    FileOp::Create { path: path.into(), text: text.as_bytes().to_vec(), executable: false }
}

pub(crate) fn delete(path: &str) -> FileOp {
    FileOp::Delete { path: path.into() }
}

pub(crate) fn rename(from: &str, to: &str) -> FileOp {
    FileOp::Rename { from: from.into(), to: to.into() }
}

/// What a call does, told before it is done.
pub(crate) type Hook = Box<dyn Fn(usize, &str, &Path) -> io::Result<()> + Send + Sync>;

/// The real files, with a hook that is asked before every call and may fail it or do mischief of its own. Nothing is
/// synced, since no test here cuts the power and hundreds of syncs are slow.
pub(crate) struct Hooked {
    calls: Arc<AtomicUsize>,
    hook: Arc<Hook>,
    /// Files under hidden names of ours show this content, by the number at the name's end, whatever they hold.
    shows: Vec<Vec<u8>>,
}

impl Hooked {
    pub(crate) fn new(hook: impl Fn(usize, &str, &Path) -> io::Result<()> + Send + Sync + 'static) -> Arc<Hooked> {
        Arc::new(Hooked { calls: Arc::default(), hook: Arc::new(Box::new(hook)), shows: Vec::new() })
    }

    pub(crate) fn blind(
        shows: &[&[u8]],
        hook: impl Fn(usize, &str, &Path) -> io::Result<()> + Send + Sync + 'static,
    ) -> Arc<Hooked> {
        let hook: Arc<Hook> = Arc::new(Box::new(hook));
        Arc::new(Hooked { calls: Arc::default(), hook, shows: shows.iter().map(|text| text.to_vec()).collect() })
    }

    pub(crate) fn calls(&self) -> usize {
        self.calls.load(Ordering::SeqCst)
    }

    fn call(&self, what: &str, path: &Path) -> io::Result<()> {
        let number = self.calls.fetch_add(1, Ordering::SeqCst) + 1;
        (self.hook)(number, what, path)
    }
}

struct HookedStage {
    inner: Box<dyn Stage>,
    path: PathBuf,
    calls: Arc<AtomicUsize>,
    hook: Arc<Hook>,
}

impl HookedStage {
    fn call(&self, what: &str) -> io::Result<()> {
        let number = self.calls.fetch_add(1, Ordering::SeqCst) + 1;
        (self.hook)(number, what, &self.path)
    }
}

impl Stage for HookedStage {
    fn write_all(&mut self, bytes: &[u8]) -> io::Result<()> {
        if let Err(error) = self.call("write_all") {
            // A full disk takes a part.
            self.inner.write_all(&bytes[..bytes.len() / 2])?;
            return Err(error);
        }
        self.inner.write_all(bytes)
    }

    fn copy_metadata(&mut self, from: &Path) -> io::Result<()> {
        self.call("copy_metadata")?;
        self.inner.copy_metadata(from)
    }

    fn set_mode(&mut self, mode: u32) -> io::Result<()> {
        self.call("set_mode")?;
        self.inner.set_mode(mode)
    }

    fn sync(&mut self) -> io::Result<()> {
        self.call("sync")
    }
}

impl Files for Hooked {
    fn stat(&self, path: &Path) -> io::Result<Stat> {
        self.call("stat", path)?;
        Disk.stat(path)
    }

    fn canonical(&self, path: &Path) -> io::Result<PathBuf> {
        self.call("canonical", path)?;
        Disk.canonical(path)
    }

    fn is_writable(&self, path: &Path) -> io::Result<bool> {
        self.call("is_writable", path)?;
        Disk.is_writable(path)
    }

    fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
        self.call("read", path)?;
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let number = name.strip_prefix(".vise-").and_then(|rest| rest.split('-').nth(1)?.parse::<usize>().ok());
        match number.and_then(|number| self.shows.get(number)) {
            Some(text) => Ok(text.clone()),
            None => Disk.read(path),
        }
    }

    fn list(&self, path: &Path) -> io::Result<Vec<OsString>> {
        self.call("list", path)?;
        Disk.list(path)
    }

    fn create_new(&self, path: &Path, mode: u32) -> io::Result<Box<dyn Stage>> {
        self.call("create_new", path)?;
        let inner = Disk.create_new(path, mode)?;
        let (calls, hook) = (Arc::clone(&self.calls), Arc::clone(&self.hook));
        Ok(Box::new(HookedStage { inner, path: path.to_owned(), calls, hook }))
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        self.call("rename", to)?;
        Disk.rename(from, to)
    }

    fn rename_new(&self, from: &Path, to: &Path) -> io::Result<()> {
        self.call("rename_new", to)?;
        Disk.rename_new(from, to)
    }

    fn exchange(&self, a: &Path, b: &Path) -> io::Result<()> {
        self.call("exchange", b)?;
        Disk.exchange(a, b)
    }

    fn link(&self, from: &Path, to: &Path) -> io::Result<()> {
        self.call("link", to)?;
        Disk.link(from, to)
    }

    fn unlink(&self, path: &Path) -> io::Result<()> {
        self.call("unlink", path)?;
        Disk.unlink(path)
    }

    fn make_folder(&self, path: &Path, mode: u32) -> io::Result<()> {
        self.call("make_folder", path)?;
        Disk.make_folder(path, mode)
    }

    fn remove_folder(&self, path: &Path) -> io::Result<()> {
        self.call("remove_folder", path)?;
        Disk.remove_folder(path)
    }

    fn sync_file(&self, path: &Path) -> io::Result<()> {
        self.call("sync_file", path)
    }

    fn sync_device(&self, folder: &Path) -> io::Result<()> {
        self.call("sync_device", folder)
    }

    fn sync_folder(&self, path: &Path) -> io::Result<()> {
        self.call("sync_folder", path)
    }

    fn lock(&self, path: &Path) -> io::Result<Lock> {
        self.call("lock", path)?;
        Disk.lock(path)
    }

    fn try_lock(&self, path: &Path) -> io::Result<Option<Lock>> {
        self.call("try_lock", path)?;
        Disk.try_lock(path)
    }

    fn random(&self) -> io::Result<u64> {
        self.call("random", Path::new(""))?;
        Disk.random()
    }
}
