//! Files that exist only here, and what a power cut may leave of them.
//!
//! Every change of a name or a content is one entry of a log. A sync makes durable what it covers: of a file its content,
//! of a folder the names in it. At a power cut everything that is durable is there, and of the rest any part: each change of
//! names happened or did not, and a content that was not synced is the old one, the new one, a beginning of it, or zeros.
//! That is more than a real file system does to anybody, so what survives here has reason to survive there.

use crate::files::{Files, Kind, Lock, Stage, Stat};
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io;
use std::path::{Component, Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The number of the folder `/`.
const TOP: u64 = 1;
/// The device that everything lies on.
const DEVICE: u64 = 1;

/// Files in memory. Clones are the same files.
#[derive(Clone, Debug, Default)]
pub struct Memory {
    state: Arc<Mutex<State>>,
}

#[derive(Clone, Debug)]
struct State {
    nodes: BTreeMap<u64, Node>,
    /// What was there when the log began, all of it durable.
    base: BTreeMap<u64, Node>,
    log: Vec<Op>,
    random: u64,
}

#[derive(Clone, Debug)]
enum Node {
    File { bytes: Vec<u8>, mode: u32 },
    Folder { names: BTreeMap<OsString, u64>, mode: u32 },
}

/// A change, or a sync.
#[derive(Clone, Debug)]
enum Op {
    /// Names of folders that come to mean other things, all in one step.
    Names(Vec<(u64, OsString, Option<u64>)>),
    /// What a file holds from here on.
    Content(u64, Vec<u8>),
    SyncFile(u64),
    SyncFolder(u64),
    SyncAll,
}

impl Default for State {
    fn default() -> State {
        let nodes = BTreeMap::from([(TOP, Node::Folder { names: BTreeMap::new(), mode: 0o755 })]);
        State { base: nodes.clone(), nodes, log: Vec::new(), random: 0 }
    }
}

fn not_found() -> io::Error {
    io::ErrorKind::NotFound.into()
}

impl State {
    fn names(&self, folder: u64) -> io::Result<&BTreeMap<OsString, u64>> {
        match self.nodes.get(&folder) {
            Some(Node::Folder { names, .. }) => Ok(names),
            Some(Node::File { .. }) => Err(io::ErrorKind::NotADirectory.into()),
            None => Err(not_found()),
        }
    }

    fn find(&self, path: &Path) -> io::Result<u64> {
        let mut at = TOP;
        for part in path.components() {
            match part {
                Component::Normal(name) => at = *self.names(at)?.get(name).ok_or_else(not_found)?,
                Component::RootDir | Component::CurDir => {}
                _ => return Err(io::ErrorKind::InvalidInput.into()),
            }
        }
        Ok(at)
    }

    /// The folder that a path lies in, and its name there.
    fn place(&self, path: &Path) -> io::Result<(u64, OsString)> {
        let name = path.file_name().ok_or(io::ErrorKind::InvalidInput)?;
        let folder = self.find(path.parent().unwrap_or(Path::new("/")))?;
        self.names(folder)?;
        Ok((folder, name.to_owned()))
    }

    fn get(&self, place: &(u64, OsString)) -> Option<u64> {
        self.names(place.0).ok()?.get(&place.1).copied()
    }

    fn free_place(&self, path: &Path) -> io::Result<(u64, OsString)> {
        let place = self.place(path)?;
        if self.get(&place).is_some() { Err(io::ErrorKind::AlreadyExists.into()) } else { Ok(place) }
    }

    fn taken_place(&self, path: &Path) -> io::Result<((u64, OsString), u64)> {
        let place = self.place(path)?;
        let node = self.get(&place).ok_or_else(not_found)?;
        Ok((place, node))
    }

    fn change(&mut self, names: Vec<(u64, OsString, Option<u64>)>) {
        set(&mut self.nodes, &names);
        self.log.push(Op::Names(names));
    }

    fn add(&mut self, path: &Path, node: Node) -> io::Result<u64> {
        let place = self.free_place(path)?;
        let number = TOP + 1 + self.nodes.len() as u64;
        self.nodes.insert(number, node);
        self.change(vec![(place.0, place.1, Some(number))]);
        Ok(number)
    }

    fn write(&mut self, number: u64, more: &[u8]) {
        if let Some(Node::File { bytes, .. }) = self.nodes.get_mut(&number) {
            bytes.extend_from_slice(more);
            let content = bytes.clone();
            self.log.push(Op::Content(number, content));
        }
    }

    fn is_empty_folder(&self, node: u64) -> bool {
        matches!(self.nodes.get(&node), Some(Node::Folder { names, .. }) if names.is_empty())
    }

    fn links(&self, node: u64) -> u64 {
        let names = self.nodes.values().filter_map(|node| match node {
            Node::Folder { names, .. } => Some(names.values()),
            Node::File { .. } => None,
        });
        names.flatten().filter(|number| **number == node).count() as u64
    }

    /// Whether a sync before `end` covers the entry `at` of the log.
    fn is_durable(&self, at: usize, end: usize) -> bool {
        let covers = |sync: &Op| match (sync, &self.log[at]) {
            (Op::SyncAll, _) => true,
            (Op::SyncFile(file), Op::Content(of, _)) => file == of,
            // A change of two folders is one step of the file system's journal: to sync either is to sync both.
            (Op::SyncFolder(folder), Op::Names(names)) => names.iter().any(|(of, ..)| of == folder),
            _ => false,
        };
        self.log[at..end].iter().any(covers)
    }
}

fn set(nodes: &mut BTreeMap<u64, Node>, changes: &[(u64, OsString, Option<u64>)]) {
    for (folder, name, node) in changes {
        if let Some(Node::Folder { names, .. }) = nodes.get_mut(folder) {
            match node {
                Some(node) => names.insert(name.clone(), *node),
                None => names.remove(name),
            };
        }
    }
}

impl Memory {
    /// Nothing but the folder `/`.
    pub fn new() -> Memory {
        Memory::default()
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Makes a file with the folders above it, or gives it another content.
    ///
    /// # Errors
    /// Where a file is on its way.
    pub fn put(&self, path: &Path, bytes: &[u8]) -> io::Result<()> {
        let mut state = self.state();
        let mut folders: Vec<&Path> = path.ancestors().skip(1).collect();
        folders.reverse();
        for folder in folders {
            if state.find(folder).is_err() {
                state.add(folder, Node::Folder { names: BTreeMap::new(), mode: 0o755 })?;
            }
        }
        let number = match state.find(path) {
            Ok(number) => number,
            Err(_) => state.add(path, Node::File { bytes: Vec::new(), mode: 0o644 })?,
        };
        if let Some(Node::File { bytes, .. }) = state.nodes.get_mut(&number) {
            bytes.clear();
        }
        state.write(number, bytes);
        Ok(())
    }

    /// Makes everything durable and begins a new log.
    pub fn settle(&self) {
        let mut state = self.state();
        state.base = state.nodes.clone();
        state.log.clear();
    }

    /// How many entries the log has; between each two of them the power may be cut.
    pub fn steps(&self) -> usize {
        self.state().log.len()
    }

    /// What is left after a power cut before the entry `at` of the log: `choose` is given a number and gives a smaller one.
    pub fn after_power_cut(&self, at: usize, choose: &mut dyn FnMut(usize) -> usize) -> Memory {
        let state = self.state();
        let mut nodes = state.base.clone();
        for (number, node) in &state.nodes {
            // What was made since is there if a name leads to it, and empty.
            nodes.entry(*number).or_insert_with(|| match node {
                Node::File { mode, .. } => Node::File { bytes: Vec::new(), mode: *mode },
                Node::Folder { mode, .. } => Node::Folder { names: BTreeMap::new(), mode: *mode },
            });
        }
        for (entry, op) in state.log[..at].iter().enumerate() {
            let durable = state.is_durable(entry, at);
            match op {
                Op::Names(names) if durable || choose(2) == 0 => set(&mut nodes, names),
                Op::Content(number, content) => {
                    let content = match if durable { 0 } else { choose(4) } {
                        0 => content.clone(),
                        1 => content[..choose(content.len() + 1)].to_vec(),
                        2 => vec![0; content.len()],
                        _ => continue,
                    };
                    if let Some(Node::File { bytes, .. }) = nodes.get_mut(number) {
                        *bytes = content;
                    }
                }
                _ => {}
            }
        }
        let state = State { base: nodes.clone(), nodes, log: Vec::new(), random: state.random };
        Memory { state: Arc::new(Mutex::new(state)) }
    }

    /// Every file below a folder, by its path from there.
    pub fn tree(&self, folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
        let state = self.state();
        let mut found = BTreeMap::new();
        let mut waiting: Vec<(PathBuf, u64)> =
            state.find(folder).ok().map(|at| (PathBuf::new(), at)).into_iter().collect();
        while let Some((path, node)) = waiting.pop() {
            match state.nodes.get(&node) {
                Some(Node::File { bytes, .. }) => {
                    found.insert(path, bytes.clone());
                }
                Some(Node::Folder { names, .. }) => {
                    waiting.extend(names.iter().map(|(name, node)| (path.join(name), *node)));
                }
                None => {}
            }
        }
        found
    }
}

impl Files for Memory {
    fn stat(&self, path: &Path) -> io::Result<Stat> {
        let state = self.state();
        let inode = state.find(path)?;
        let (kind, mode, len) = match &state.nodes[&inode] {
            Node::File { bytes, mode } => (Kind::File, *mode, bytes.len() as u64),
            Node::Folder { mode, .. } => (Kind::Folder, *mode, 0),
        };
        let links = state.links(inode);
        Ok(Stat { device: DEVICE, inode, kind, mode, links, owner: 0, group: 0, len, modified: 0, changed: 0 })
    }

    fn canonical(&self, path: &Path) -> io::Result<PathBuf> {
        self.state().find(path).map(|_| path.to_owned())
    }

    fn is_writable(&self, path: &Path) -> io::Result<bool> {
        self.state().find(path).map(|_| true)
    }

    fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
        let state = self.state();
        match &state.nodes[&state.find(path)?] {
            Node::File { bytes, .. } => Ok(bytes.clone()),
            Node::Folder { .. } => Err(io::ErrorKind::InvalidInput.into()),
        }
    }

    fn list(&self, path: &Path) -> io::Result<Vec<OsString>> {
        let state = self.state();
        Ok(state.names(state.find(path)?)?.keys().cloned().collect())
    }

    fn create_new(&self, path: &Path, mode: u32) -> io::Result<Box<dyn Stage>> {
        let number = self.state().add(path, Node::File { bytes: Vec::new(), mode })?;
        Ok(Box::new(MemoryStage { memory: self.clone(), number }))
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        let mut state = self.state();
        let ((folder, name), node) = state.taken_place(from)?;
        let to = state.place(to)?;
        let replaced = state.get(&to);
        if replaced == Some(node) {
            return Ok(());
        }
        if replaced
            .is_some_and(|node| matches!(state.nodes[&node], Node::Folder { .. }) && !state.is_empty_folder(node))
        {
            return Err(io::ErrorKind::DirectoryNotEmpty.into());
        }
        state.change(vec![(folder, name, None), (to.0, to.1, Some(node))]);
        Ok(())
    }

    fn rename_new(&self, from: &Path, to: &Path) -> io::Result<()> {
        let mut state = self.state();
        let ((folder, name), node) = state.taken_place(from)?;
        let to = state.free_place(to)?;
        state.change(vec![(folder, name, None), (to.0, to.1, Some(node))]);
        Ok(())
    }

    fn exchange(&self, a: &Path, b: &Path) -> io::Result<()> {
        let mut state = self.state();
        let ((a, b), (one, two)) = {
            let ((a, one), (b, two)) = (state.taken_place(a)?, state.taken_place(b)?);
            ((a, b), (one, two))
        };
        state.change(vec![(a.0, a.1, Some(two)), (b.0, b.1, Some(one))]);
        Ok(())
    }

    fn link(&self, from: &Path, to: &Path) -> io::Result<()> {
        let mut state = self.state();
        let (_, node) = state.taken_place(from)?;
        let to = state.free_place(to)?;
        state.change(vec![(to.0, to.1, Some(node))]);
        Ok(())
    }

    fn unlink(&self, path: &Path) -> io::Result<()> {
        let mut state = self.state();
        let ((folder, name), _) = state.taken_place(path)?;
        state.change(vec![(folder, name, None)]);
        Ok(())
    }

    fn make_folder(&self, path: &Path, mode: u32) -> io::Result<()> {
        self.state().add(path, Node::Folder { names: BTreeMap::new(), mode }).map(|_| ())
    }

    fn remove_folder(&self, path: &Path) -> io::Result<()> {
        let mut state = self.state();
        let ((folder, name), node) = state.taken_place(path)?;
        if !state.is_empty_folder(node) {
            return Err(io::ErrorKind::DirectoryNotEmpty.into());
        }
        state.change(vec![(folder, name, None)]);
        Ok(())
    }

    fn sync_file(&self, path: &Path) -> io::Result<()> {
        let mut state = self.state();
        let number = state.find(path)?;
        state.log.push(Op::SyncFile(number));
        Ok(())
    }

    fn sync_device(&self, _: &Path) -> io::Result<()> {
        self.state().log.push(Op::SyncAll);
        Ok(())
    }

    fn sync_folder(&self, path: &Path) -> io::Result<()> {
        let mut state = self.state();
        let number = state.find(path)?;
        state.log.push(Op::SyncFolder(number));
        Ok(())
    }

    fn lock(&self, _: &Path) -> io::Result<Lock> {
        Ok(Lock(None))
    }

    fn try_lock(&self, _: &Path) -> io::Result<Option<Lock>> {
        Ok(Some(Lock(None)))
    }

    /// The numbers 1, 2, 3, …, well spread: the same calls give the same files.
    fn random(&self) -> io::Result<u64> {
        let mut state = self.state();
        state.random += 1;
        Ok(state.random.wrapping_mul(0x9e37_79b9_7f4a_7c15))
    }
}

struct MemoryStage {
    memory: Memory,
    number: u64,
}

impl Stage for MemoryStage {
    fn write_all(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.memory.state().write(self.number, bytes);
        Ok(())
    }

    fn copy_metadata(&mut self, from: &Path) -> io::Result<()> {
        let mode = self.memory.stat(from)?.mode;
        self.set_mode(mode)
    }

    fn set_mode(&mut self, wanted: u32) -> io::Result<()> {
        if let Some(Node::File { mode, .. }) = self.memory.state().nodes.get_mut(&self.number) {
            *mode = wanted;
        }
        Ok(())
    }

    fn sync(&mut self) -> io::Result<()> {
        let number = self.number;
        self.memory.state().log.push(Op::SyncFile(number));
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn path(text: &str) -> &Path {
        Path::new(text)
    }

    #[test]
    fn names_behave() {
        let files = Memory::new();
        files.put(path("/a/x"), b"1").unwrap();
        files.put(path("/a/y"), b"2").unwrap();
        files.exchange(path("/a/x"), path("/a/y")).unwrap();
        assert_eq!(files.read(path("/a/x")).unwrap(), b"2");
        assert_eq!(files.rename_new(path("/a/x"), path("/a/y")).unwrap_err().kind(), io::ErrorKind::AlreadyExists);
        files.link(path("/a/x"), path("/b")).unwrap();
        assert_eq!(files.stat(path("/b")).unwrap().links, 2);
        assert_eq!(files.remove_folder(path("/a")).unwrap_err().kind(), io::ErrorKind::DirectoryNotEmpty);
        files.unlink(path("/a/y")).unwrap();
        files.rename(path("/a/x"), path("/c")).unwrap();
        files.remove_folder(path("/a")).unwrap();
        assert_eq!(files.tree(path("/")).len(), 2);
        assert_eq!(files.create_new(path("/c"), 0).err().unwrap().kind(), io::ErrorKind::AlreadyExists);
        assert_eq!(files.stat(path("/c/d")).unwrap_err().kind(), io::ErrorKind::NotADirectory);
    }

    #[test]
    fn what_is_not_synced_may_be_lost() {
        let files = Memory::new();
        files.put(path("/a"), b"old").unwrap();
        files.settle();
        let mut stage = files.create_new(path("/b"), 0o600).unwrap();
        stage.write_all(b"new").unwrap();
        files.rename(path("/b"), path("/a")).unwrap();
        let steps = files.steps();
        let left = |choice: usize| files.after_power_cut(steps, &mut |of| choice.min(of - 1)).tree(path("/"));
        assert_eq!(left(0), [("a".into(), b"new".to_vec())].into());
        assert_eq!(left(9), [("a".into(), b"old".to_vec())].into());
        // The name is there and the content is not: what a forgotten sync does.
        let mut choices = [0, 3, 0].into_iter();
        let torn = files.after_power_cut(steps, &mut |_| choices.next().unwrap()).tree(path("/"));
        assert_eq!(torn, [("a".into(), Vec::new())].into());
        stage.sync().unwrap();
        files.sync_folder(path("/")).unwrap();
        let synced = files.after_power_cut(files.steps(), &mut |of| of - 1).tree(path("/"));
        assert_eq!(synced, [("a".into(), b"new".to_vec())].into());
    }
}
