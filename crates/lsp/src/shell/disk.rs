//! The disk as servers and answers need it: which files there are, what changed, and which programs can be started.

use std::collections::{BTreeMap, HashMap};
use std::ffi::OsString;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use rayon::prelude::*;
use vise_syntax::servers::Packaged;
use vise_workspace::{Disk, Files as _, Kind, ReadOptions, WalkOptions, ignore_files, list, outer_ignore_files};

use crate::convert::{At, Texts};
use crate::preset::{ServerSpec, Surroundings};
use crate::session::{FileChange, Text};

/// Larger files are not sent to a server.
pub(crate) const MAX_BYTES: u64 = 10 << 20;

/// A file's bytes, as far as a server may have them.
pub(crate) fn read(path: &Path) -> Result<Vec<u8>, &'static str> {
    vise_workspace::read(path, &ReadOptions { max_bytes: MAX_BYTES, named: true }).map_err(|why| why.as_str())
}

/// What tells one state of a file or folder from another: when it changed, its length, and which it is.
type Stamp = (i128, u64, u64);

fn stamp(path: &Path) -> Option<Stamp> {
    let stat = Disk.stat(path).ok()?;
    Some((stat.modified.max(stat.changed), stat.len, stat.inode))
}

/// The files of a root, as they were when a server last heard of them.
#[derive(Debug, Default)]
pub(crate) struct FileTable {
    files: BTreeMap<PathBuf, Stamp>,
    /// The folders, and the files that say what is ignored: while they are as they were, the names are.
    others: BTreeMap<PathBuf, Option<Stamp>>,
    looked: bool,
    /// A folder changed so shortly before it was listed that it may have changed once more within the same tick.
    unsure: bool,
}

/// File systems count time in ticks of some milliseconds.
const TICK: Duration = Duration::from_millis(50);

impl FileTable {
    /// What changed since the last call; at the first, nothing. The folders are listed again only where one of them changed;
    /// else each file is asked when it changed.
    pub(crate) fn changes(&mut self, root: &Path) -> Vec<(PathBuf, FileChange)> {
        if self.looked && !self.unsure && self.others.par_iter().all(|(path, known)| stamp(path) == *known) {
            return self.contents();
        }
        let Some(files) = self.list(root) else { return Vec::new() };
        let before = std::mem::replace(&mut self.files, files);
        if !std::mem::replace(&mut self.looked, true) {
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

    /// The files whose content changed. One that went away meanwhile is found gone with its folder, the next time.
    fn contents(&mut self) -> Vec<(PathBuf, FileChange)> {
        let changed = self.files.par_iter_mut().filter_map(|(path, known)| {
            let now = stamp(path).filter(|now| now != known)?;
            *known = now;
            Some((path.clone(), FileChange::Changed))
        });
        changed.collect()
    }

    /// Lists all folders. A root that cannot be listed has no news; its files say so when they are read.
    fn list(&mut self, root: &Path) -> Option<BTreeMap<PathBuf, Stamp>> {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().saturating_sub(TICK).as_nanos();
        let found = list(root, &[root.to_owned()], true, &WalkOptions::default(), &|| false).ok()?;
        let ignoring = found.folders.iter().flat_map(|folder| ignore_files(folder)).chain(outer_ignore_files(root));
        let others = found.folders.iter().cloned().chain(ignoring);
        self.others = others.map(|path| (stamp(&path), path)).map(|(stamp, path)| (path, stamp)).collect();
        let recent =
            |stamp: &Option<Stamp>| stamp.is_some_and(|(at, _, _)| at >= i128::try_from(now).unwrap_or(i128::MAX));
        self.unsure = self.others.values().any(recent);
        // What went away since it was listed is not there.
        Some(
            found
                .files
                .into_iter()
                .filter_map(|file| Some((stamp(&file.path)?, file.path)))
                .map(|(stamp, path)| (path, stamp))
                .collect(),
        )
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

/// The programs of a machine, and what is known of them.
pub struct Machine {
    path: OsString,
    workspace: PathBuf,
    trusted: bool,
    known: Mutex<Known>,
}

/// Of each command and root, the program, or why there is none.
type Known = HashMap<(Vec<String>, PathBuf), Result<PathBuf, String>>;

/// Where projects keep programs of their own.
const OWN_PROGRAMS: [&str; 3] = ["node_modules/.bin", ".venv/bin", "venv/bin"];

/// The interpreter of a project's own environment.
pub(crate) fn interpreter(root: &Path) -> Option<PathBuf> {
    let candidates = [".venv/bin/python", "venv/bin/python"].map(|path| root.join(path));
    candidates.into_iter().find(|path| path.is_file())
}

/// The folder that a program of a distribution does not find by itself.
pub(crate) fn packaged(packaged: &Packaged, program: &Path) -> Option<PathBuf> {
    program.canonicalize().ok().filter(|program| program.starts_with(&packaged.program))?;
    let Some((start, end)) = packaged.folder.split_once('*') else {
        return Some(PathBuf::from(&packaged.folder)).filter(|folder| folder.is_dir());
    };
    let (folder, start) = start.rsplit_once('/')?;
    let names = Disk.list(Path::new(folder)).ok()?.into_iter();
    let names = names.filter(|name| name.to_string_lossy().starts_with(start));
    let found = names.map(|name| Path::new(folder).join(name).join(end.trim_start_matches('/')));
    found.filter(|folder| folder.is_dir()).max()
}

/// How long a program may take to say its version.
const VERSION: Duration = Duration::from_secs(10);

impl Machine {
    /// A machine with this `PATH`. Programs inside of the workspace are looked at only where it is trusted, and then come
    /// first.
    pub fn new(path: OsString, workspace: PathBuf, trusted: bool) -> Machine {
        Machine { path, workspace, trusted, known: Mutex::new(HashMap::new()) }
    }

    /// Forgets what is known, for when something was installed.
    pub fn look_again(&self) {
        self.known.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }

    fn find(&self, spec: &ServerSpec, root: &Path) -> Result<PathBuf, String> {
        let name = spec.command.first().map(String::as_str).unwrap_or_default();
        let is_program =
            |path: &PathBuf| path.metadata().is_ok_and(|data| data.is_file() && data.permissions().mode() & 0o111 != 0);
        let allowed = |path: &PathBuf| self.trusted || !path.starts_with(&self.workspace);
        let candidates: Vec<PathBuf> = if name.contains('/') {
            vec![root.join(name)]
        } else {
            let own = OWN_PROGRAMS.iter().flat_map(|folder| [root.join(folder), self.workspace.join(folder)]);
            own.chain(std::env::split_paths(&self.path)).map(|folder| folder.join(name)).collect()
        };
        let mut why = format!("there is no program `{name}`");
        for path in candidates.into_iter().filter(is_program) {
            if !allowed(&path) {
                why = format!("`{}` is the project's own; `vise trust` allows it", path.display());
                continue;
            }
            match is_right(&path, spec) {
                Ok(()) => return Ok(path),
                Err(wrong) => why = wrong,
            }
        }
        Err(why)
    }
}

/// Whether a program of the right name is the right program. It is asked only where there is doubt, since some servers
/// start at any word.
fn is_right(path: &Path, spec: &ServerSpec) -> Result<(), String> {
    let proxy = path.canonicalize().is_ok_and(|real| real.file_name().is_some_and(|name| name == "rustup"));
    if spec.minimum_major.is_none() && !proxy {
        return Ok(());
    }
    let shown = path.display();
    let mut child = Command::new(path)
        .arg("--version")
        .env("RUSTUP_AUTO_INSTALL", "0")
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(|error| format!("`{shown}` cannot be started: {error}"))?;
    let began = Instant::now();
    while child.try_wait().is_ok_and(|ended| ended.is_none()) {
        if began.elapsed() > VERSION {
            // It is waited for below.
            let _ = child.kill();
            break;
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    let said = child.wait_with_output().map_err(|error| format!("`{shown}` cannot be asked its version: {error}"))?;
    let (text, complaint) = (String::from_utf8_lossy(&said.stdout), String::from_utf8_lossy(&said.stderr));
    if !said.status.success() {
        let said = complaint.lines().chain(text.lines()).next().unwrap_or("it gives no reason").to_owned();
        return Err(format!("`{shown} --version` fails: {said}"));
    }
    let major = text.split(|c: char| !c.is_ascii_digit()).find_map(|digits| digits.parse::<u32>().ok());
    match spec.minimum_major {
        Some(minimum) if major.is_none_or(|major| major < minimum) => {
            let version = text.lines().next().unwrap_or("no version").trim();
            Err(format!("`{shown}` is `{version}`; it takes version {minimum}"))
        }
        _ => Ok(()),
    }
}

impl Surroundings for Machine {
    fn has(&self, folder: &Path, name: &str) -> bool {
        Disk.stat(&folder.join(name)).is_ok()
    }

    fn has_table(&self, file: &Path, table: &str) -> bool {
        let text = read(file).ok().and_then(|bytes| String::from_utf8(bytes).ok());
        let Some(parsed) = text.and_then(|text| text.parse::<toml::Table>().ok()) else { return false };
        table.split('.').try_fold(&parsed, |at, key| at.get(key)?.as_table()).is_some()
    }

    fn program(&self, spec: &ServerSpec, root: &Path) -> Result<PathBuf, String> {
        let key = (spec.command.clone(), root.to_owned());
        if let Some(known) = self.known.lock().unwrap_or_else(PoisonError::into_inner).get(&key) {
            return known.clone();
        }
        let found = self.find(spec, root);
        self.known.lock().unwrap_or_else(PoisonError::into_inner).insert(key, found.clone());
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::preset::presets;
    use std::fs;
    use vise_syntax::Registry;

    fn program(folder: &Path, name: &str, code: &str) -> PathBuf {
        fs::create_dir_all(folder).unwrap();
        let path = folder.join(name);
        fs::write(&path, format!("#!/bin/sh\n{code}\n")).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
        path
    }

    #[test]
    fn a_program_of_the_right_name_may_be_another() {
        let folder = tempfile::tempdir().unwrap();
        let (work, bin) = (folder.path().join("w"), folder.path().join("bin"));
        let specs = presets(&Registry::embedded().unwrap());
        let spec = |id: &str| specs.iter().find(|spec| spec.id == id).unwrap();
        program(&bin, "tsc", "echo Version 5.9.3");
        let broken = program(
            &folder.path().join("cargo"),
            "rustup",
            "echo \"error: 'rust-analyzer' is not installed\" >&2; exit 1",
        );
        std::os::unix::fs::symlink(broken, bin.join("rust-analyzer")).unwrap();
        let own = program(&work.join("node_modules/.bin"), "tsc", "echo Version 7.0.2");
        let pyright = program(&bin, "pyright-langserver", "sleep 60");

        let careful = Machine::new(bin.clone().into(), work.clone(), false);
        let why = careful.program(spec("tsc"), &work).unwrap_err();
        assert_eq!(why, format!("`{}` is `Version 5.9.3`; it takes version 7", bin.join("tsc").display()));
        let why = careful.program(spec("rust-analyzer"), &work).unwrap_err();
        assert!(why.ends_with("--version` fails: error: 'rust-analyzer' is not installed"), "{why}");
        assert_eq!(careful.program(spec("ty"), &work), Err("there is no program `ty`".into()));
        assert_eq!(careful.program(spec("pyright"), &work), Ok(pyright));
        let trusting = Machine::new(bin.into(), work.clone(), true);
        assert_eq!(trusting.program(spec("tsc"), &work), Ok(own));

        program(&folder.path().join("bin"), "ty", "");
        assert!(careful.program(spec("ty"), &work).is_err(), "what is known is not looked for again");
        careful.look_again();
        assert!(careful.program(spec("ty"), &work).is_ok());
    }

    #[test]
    fn a_distribution_keeps_a_folder_elsewhere() {
        let folder = tempfile::tempdir().unwrap();
        let top = folder.path().canonicalize().unwrap();
        let ours = program(&top.join("bin"), "analyzer", "");
        let theirs = program(&top.join("other"), "analyzer", "");
        let option =
            Packaged { program: top.join("bin").display().to_string(), folder: String::new(), option: "a.b".into() };
        let at = |folder: &str| Packaged { folder: format!("{}/{folder}", top.display()), ..option.clone() };
        assert_eq!(packaged(&at("src/rust-*/library"), &ours), None);
        for name in ["src/rust-1/library", "src/rust-2/library", "src/rust-3", "src/x-9/library"] {
            fs::create_dir_all(top.join(name)).unwrap();
        }
        assert_eq!(packaged(&at("src/rust-*/library"), &ours), Some(top.join("src/rust-2/library")));
        assert_eq!(packaged(&at("src/x-9"), &ours), Some(top.join("src/x-9")));
        assert_eq!(packaged(&at("src/rust-*/library"), &theirs), None);

        let specs = presets(&Registry::embedded().unwrap());
        let mut spec = specs.into_iter().find(|spec| spec.id == "rust-analyzer").unwrap();
        spec.use_packaged(Path::new("/library"));
        assert_eq!(spec.init_options["cargo"], serde_json::json!({"sysrootSrc": "/library", "targetDir": true}));
        spec.use_packaged(Path::new("/another"));
        assert_eq!(spec.init_options["cargo"]["sysrootSrc"], "/library", "what the user says stays");
    }

    #[test]
    fn tables_of_a_project_file() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("pyproject.toml");
        fs::write(&file, "[tool.ty.rules]\nx = 1\n").unwrap();
        let machine = Machine::new(OsString::new(), folder.path().to_owned(), false);
        let has = |table| machine.has_table(&file, table);
        assert_eq!(
            [has("tool.ty"), has("tool"), has("tool.pyright"), has("tool.ty.rules.x")],
            [true, true, false, false]
        );
    }

    #[test]
    fn what_changed_since_the_last_look() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        let write = |name: &str, text: &str| fs::write(root.join(name), text).unwrap();
        write("a", "1");
        write("b", "1");
        let mut table = FileTable::default();
        assert_eq!(table.changes(root), []);
        assert_eq!(table.changes(root), []);
        write("a", "22");
        write("c", "1");
        fs::remove_file(root.join("b")).unwrap();
        let expected = [("a", FileChange::Changed), ("c", FileChange::Created), ("b", FileChange::Deleted)];
        assert_eq!(table.changes(root), expected.map(|(name, change)| (root.join(name), change)));
        assert!(table.has(&root.join("c")) && !table.has(&root.join("b")));

        // Once everything is older than a tick, folders are listed only when they changed.
        std::thread::sleep(TICK + Duration::from_millis(10));
        assert_eq!(table.changes(root), []);
        assert!(!table.unsure);
        write("a", "333");
        assert_eq!(table.changes(root), [(root.join("a"), FileChange::Changed)]);
        fs::create_dir(root.join("d")).unwrap();
        write("d/e", "1");
        assert_eq!(table.changes(root), [(root.join("d/e"), FileChange::Created)]);
        std::thread::sleep(TICK + Duration::from_millis(10));
        table.changes(root);
        write("d/f", "1");
        assert_eq!(table.changes(root), [(root.join("d/f"), FileChange::Created)]);
        write(".ignore", "d/\n");
        let gone = ["d/e", "d/f"].map(|name| (root.join(name), FileChange::Deleted));
        assert_eq!(table.changes(root), gone);
    }
}
