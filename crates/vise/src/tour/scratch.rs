//! The tour's scratch copy: a small git checkout in a temporary folder, which goes away with it.

use std::collections::BTreeMap;
use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use vise_tools::{ErrorKind, Session, ToolError, WalkOptions, walk};

/// No more than this is copied.
const MAX_FILES: usize = 20_000;
const MAX_BYTES: u64 = 256 << 20;
/// A longer file is left out of the copy.
const MAX_FILE_BYTES: u64 = 1 << 20;

/// The copy.
pub(super) struct Scratch {
    folder: tempfile::TempDir,
    /// The checkout.
    pub(super) root: PathBuf,
    /// Files and bytes that were copied.
    pub(super) files: usize,
    pub(super) bytes: u64,
    /// There was more than is copied.
    pub(super) cut: bool,
}

impl Scratch {
    /// Copies the source files of the session's workspace.
    pub(super) fn new(session: &Session) -> Result<Self, ToolError> {
        let folder = tempfile::Builder::new().prefix("vise-tour-").tempdir().map_err(failed("making a folder"))?;
        let top = folder.path().canonicalize().map_err(failed("finding the folder"))?;
        let root = top.join("checkout");
        for name in ["checkout", "state", "cache"] {
            fs::create_dir(top.join(name)).map_err(failed("making a folder"))?;
        }
        let mut scratch = Self { folder, root, files: 0, bytes: 0, cut: false };
        let stop = session.stop.clone();
        let stopped = move || stop.load(std::sync::atomic::Ordering::Relaxed);
        let walked = walk(&session.root, &[], &WalkOptions::default(), &stopped)?;
        for file in walked.files {
            // A name that is no UTF-8 cannot be spelt by its shown name; such files are rare and not needed here.
            let known = session.registry.by_path(&file.path).is_some() && !file.shown.contains('\u{fffd}');
            let Some(size) = file.path.metadata().ok().map(|metadata| metadata.len()).filter(|_| known) else {
                continue;
            };
            if size > MAX_FILE_BYTES {
                continue;
            }
            if scratch.files >= MAX_FILES || scratch.bytes + size > MAX_BYTES {
                scratch.cut = true;
                break;
            }
            // A file that vanishes meanwhile is no concern of the tour.
            let Ok(text) = fs::read(&file.path) else { continue };
            scratch.write(&file.shown, &text)?;
            scratch.files += 1;
            scratch.bytes += size;
        }
        Ok(scratch)
    }

    /// Where proposals of the tour are kept: inside the scratch folder.
    pub(super) fn state(&self) -> PathBuf {
        self.root.with_file_name("state")
    }

    /// Where the tour's index is kept: there too.
    pub(super) fn cache(&self) -> PathBuf {
        self.root.with_file_name("cache")
    }

    pub(super) fn write(&self, name: &str, text: &[u8]) -> Result<(), ToolError> {
        let path = self.root.join(name);
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder).map_err(failed("making a folder"))?;
        }
        fs::write(&path, text).map_err(failed("writing a file"))
    }

    pub(super) fn read(&self, name: &str) -> Result<Vec<u8>, ToolError> {
        fs::read(self.root.join(name)).map_err(failed("reading a file"))
    }

    /// Adds to the end of a file, as somebody else might.
    pub(super) fn append(&self, name: &str, text: &[u8]) -> Result<(), ToolError> {
        let file = fs::OpenOptions::new().append(true).open(self.root.join(name));
        file.and_then(|mut file| file.write_all(text)).map_err(failed("writing a file"))
    }

    pub(super) fn commit(&self) -> Result<(), ToolError> {
        self.git(&["init", "--quiet"], None)?;
        self.git(&["add", "--all", "--force"], None)?;
        self.git(&["commit", "--quiet", "--allow-empty", "--no-verify", "--message", "the tour begins"], None)?;
        Ok(())
    }

    /// Runs git in the checkout, away from anybody's settings and hooks, and gives what it prints.
    pub(super) fn git(&self, arguments: &[&str], input: Option<&[u8]>) -> Result<String, ToolError> {
        let mut command = Command::new("git");
        // Variables of an enclosing git (a hook, a rebase) would lead it to another repository.
        for (name, _) in std::env::vars_os().filter(|(name, _)| name.to_string_lossy().starts_with("GIT_")) {
            command.env_remove(name);
        }
        let settings = [
            "core.fsmonitor=false",
            "core.hooksPath=/dev/null",
            "core.autocrlf=false",
            "commit.gpgSign=false",
            "user.name=vise tour",
            "user.email=tour@localhost",
            "init.defaultBranch=main",
            "gc.auto=0",
            "core.quotePath=false",
        ];
        command.args(settings.iter().flat_map(|setting| ["-c", setting])).args(arguments).current_dir(&self.root);
        command.env("GIT_CONFIG_NOSYSTEM", "1").env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_OPTIONAL_LOCKS", "0");
        command.stdin(if input.is_some() { Stdio::piped() } else { Stdio::null() });
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        let started = command.spawn().map_err(|error| {
            ToolError::new(ErrorKind::Unavailable, format!("git cannot be started: {error}"))
                .hint("the tour makes a real checkout; install git (`apt-get install git`)")
        });
        let mut child = started?;
        if let (Some(mut pipe), Some(input)) = (child.stdin.take(), input) {
            pipe.write_all(input).map_err(failed("talking to git"))?;
        }
        let out = child.wait_with_output().map_err(failed("waiting for git"))?;
        if out.status.success() {
            return Ok(String::from_utf8_lossy(&out.stdout).into_owned());
        }
        let words = String::from_utf8_lossy(&out.stderr);
        let message = format!("`git {}` failed: {}", arguments.join(" "), words.trim());
        Err(ToolError::new(ErrorKind::Unavailable, message))
    }

    /// A hash of every file of the checkout by its name, `.git` left out.
    pub(super) fn hashes(&self) -> Result<BTreeMap<PathBuf, u64>, ToolError> {
        let mut hashes = BTreeMap::new();
        let mut folders = vec![self.root.clone()];
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(&folder).map_err(failed("listing a folder"))? {
                let path = entry.map_err(failed("listing a folder"))?.path();
                if path.is_dir() {
                    if path != self.root.join(".git") {
                        folders.push(path);
                    }
                    continue;
                }
                let mut hasher = DefaultHasher::new();
                fs::read(&path).map_err(failed("reading a file"))?.hash(&mut hasher);
                hashes.insert(relative(&self.root, &path), hasher.finish());
            }
        }
        Ok(hashes)
    }

    /// Removes everything, and makes sure.
    pub(super) fn remove(self) -> Result<(), ToolError> {
        self.folder.close().map_err(failed("removing the scratch folder"))
    }
}

fn relative(root: &Path, path: &Path) -> PathBuf {
    path.strip_prefix(root).unwrap_or(path).to_owned()
}

fn failed(doing: &'static str) -> impl Fn(std::io::Error) -> ToolError {
    move |error| ToolError::new(ErrorKind::Unavailable, format!("{doing} for the tour failed: {error}"))
}
