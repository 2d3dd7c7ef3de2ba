//! The disk as servers and answers need it: which files there are, what changed, and which programs can be started.

use std::collections::{BTreeMap, HashMap};
use std::ffi::OsString;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::{Mutex, PoisonError};

use vise_workspace::{Disk, Files as _, Kind, ReadOptions, Stat, WalkOptions, walk};

use crate::convert::{At, Texts};
use crate::preset::{ServerSpec, Surroundings};
use crate::session::{FileChange, Text};

/// Larger files are not sent to a server.
pub(crate) const MAX_BYTES: u64 = 10 << 20;

/// A file's bytes, as far as a server may have them.
pub(crate) fn read(path: &Path) -> Result<Vec<u8>, &'static str> {
    vise_workspace::read(path, &ReadOptions { max_bytes: MAX_BYTES, named: true }).map_err(|why| why.as_str())
}

/// The files of a root, as they were when a server last heard of them.
#[derive(Debug, Default)]
pub(crate) struct FileTable {
    files: BTreeMap<PathBuf, (i128, u64, u64)>,
}

impl FileTable {
    /// What changed since the last call; at the first, nothing.
    pub(crate) fn changes(&mut self, root: &Path) -> Vec<(PathBuf, FileChange)> {
        let stamp = |stat: Stat| (stat.modified.max(stat.changed), stat.len, stat.inode);
        let found = walk(root, &[], &WalkOptions { threads: 1, ..WalkOptions::default() }, &|| false);
        // A root that cannot be listed has no news; its files say so when they are read.
        let Ok(found) = found else { return Vec::new() };
        let files: BTreeMap<PathBuf, _> =
            found.files.into_iter().filter_map(|file| Some((Disk.stat(&file.path).map(stamp).ok()?, file.path))).map(|(stamp, path)| (path, stamp)).collect();
        let before = std::mem::replace(&mut self.files, files);
        if before.is_empty() {
            return Vec::new();
        }
        let mut changes = Vec::new();
        for (path, stamp) in &self.files {
            match before.get(path) {
                None => changes.push((path.clone(), FileChange::Created)),
                Some(old) if old != stamp => changes.push((path.clone(), FileChange::Changed)),
                Some(_) => {}
            }
        }
        let gone = before.into_keys().filter(|path| !self.files.contains_key(path));
        changes.extend(gone.map(|path| (path, FileChange::Deleted)));
        changes
    }

    /// Whether the file is one of the project: it is there and nothing ignores it.
    pub(crate) fn has(&self, path: &Path) -> bool {
        self.files.contains_key(path)
    }

    /// The first file that is one of the server's.
    pub(crate) fn first(&self, serves: impl Fn(&Path) -> bool) -> Option<&Path> {
        self.files.keys().map(PathBuf::as_path).find(|path| serves(path))
    }
}

/// Texts as a server has them, and where it has none, as they are on disk.
pub(crate) struct DiskTexts {
    pub(crate) open: HashMap<PathBuf, Text>,
}

impl Texts for DiskTexts {
    fn text(&self, path: &Path) -> Option<Text> {
        self.open.get(path).cloned().or_else(|| read(path).ok().map(|bytes| Text::new(&bytes)))
    }

    fn at(&self, path: &Path) -> At {
        match Disk.stat(path).map(|stat| stat.kind) {
            Ok(Kind::Folder) => At::Folder,
            Ok(_) => At::File,
            Err(_) => At::Nothing,
        }
    }
}

/// The programs on a `PATH`, and what is known of them.
pub struct Machine {
    path: OsString,
    /// Programs below this folder are the project's own and are not looked at.
    workspace: PathBuf,
    known: Mutex<HashMap<String, Result<PathBuf, String>>>,
}

impl Machine {
    /// A machine with this `PATH`, as seen from a workspace.
    pub fn new(path: OsString, workspace: PathBuf) -> Machine {
        Machine { path, workspace, known: Mutex::new(HashMap::new()) }
    }

    /// Forgets what is known, for when something was installed.
    pub fn look_again(&self) {
        self.known.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }

    /// The server's program.
    fn find(&self, spec: &ServerSpec) -> Result<PathBuf, String> {
        let name = spec.command.first().map(String::as_str).unwrap_or_default();
        let is_program = |path: &Path| {
            path.metadata().is_ok_and(|data| data.is_file() && data.permissions().mode() & 0o111 != 0)
        };
        let found = if name.contains('/') {
            Some(PathBuf::from(name)).filter(|path| is_program(path))
        } else {
            let folders = std::env::split_paths(&self.path).filter(|folder| !folder.starts_with(&self.workspace));
            folders.map(|folder| folder.join(name)).find(|path| is_program(path))
        };
        let found = found.ok_or_else(|| format!("there is no program `{name}`"))?;
        // What stands on `PATH` may be another program of that name, or lead to one that is not installed.
        let said = Command::new(&found)
            .arg("--version")
            .env("RUSTUP_AUTO_INSTALL", "0")
            .stdin(Stdio::null())
            .stderr(Stdio::piped())
            .output()
            .map_err(|error| format!("`{name}` cannot be started: {error}"))?;
        let text = String::from_utf8_lossy(&said.stdout);
        if let Some(minimum) = spec.minimum_major {
            let major = text.split(|c: char| !c.is_ascii_digit()).find_map(|digits| digits.parse::<u32>().ok());
            if major.is_none_or(|major| major < minimum) {
                let version = text.lines().next().unwrap_or("no version").trim().to_owned();
                return Err(format!("`{name}` is `{version}`; it takes version {minimum}"));
            }
        }
        let complaint = String::from_utf8_lossy(&said.stderr).into_owned();
        if !said.status.success() && complaint.contains("rustup") {
            return Err(complaint.lines().next().unwrap_or_default().to_owned());
        }
        Ok(found)
    }
}

impl Surroundings for Machine {
    fn has(&self, folder: &Path, name: &str) -> bool {
        Disk.stat(&folder.join(name)).is_ok()
    }

    fn has_table(&self, file: &Path, table: &str) -> bool {
        let text = read(file).ok().and_then(|bytes| String::from_utf8(bytes).ok());
        let Some(parsed) = text.and_then(|text| text.parse::<toml::Table>().ok()) else { return false };
        let mut at = Some(&toml::Value::Table(parsed)).cloned();
        for key in table.split('.') {
            at = at.and_then(|value| value.get(key).cloned());
        }
        at.is_some_and(|value| value.is_table())
    }

    fn runs(&self, spec: &ServerSpec) -> Result<(), String> {
        let key = spec.command.join("\0");
        if let Some(known) = self.known.lock().unwrap_or_else(PoisonError::into_inner).get(&key) {
            return known.clone().map(|_| ());
        }
        let found = self.find(spec);
        self.known.lock().unwrap_or_else(PoisonError::into_inner).insert(key, found.clone());
        found.map(|_| ())
    }
}
