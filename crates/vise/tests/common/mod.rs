//! A folder with files, and the binary run in it away from anybody's settings.

#![allow(dead_code, reason = "each test file uses some of it")]

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use serde_json::Value;

/// A workspace with its own state and configuration folders, outside of it.
pub(crate) struct House {
    folder: tempfile::TempDir,
    pub(crate) root: PathBuf,
}

/// What a run of the binary gave.
#[derive(Debug)]
pub(crate) struct Run {
    pub(crate) code: i32,
    pub(crate) out: String,
    pub(crate) err: String,
}

pub(crate) fn house(files: &[(&str, &str)]) -> House {
    let folder = tempfile::tempdir().unwrap();
    let top = folder.path().canonicalize().unwrap();
    let root = top.join("root");
    fs::create_dir(&root).unwrap();
    let house = House { folder, root };
    for (name, text) in files {
        house.write(name, text.as_bytes());
    }
    house
}

impl House {
    pub(crate) fn write(&self, name: &str, text: &[u8]) {
        let path = self.root.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    pub(crate) fn read(&self, name: &str) -> String {
        fs::read_to_string(self.root.join(name)).unwrap()
    }

    /// `$XDG_CONFIG_HOME/vise`.
    pub(crate) fn config(&self) -> PathBuf {
        let config = self.folder.path().join("config/vise");
        fs::create_dir_all(&config).unwrap();
        config
    }

    /// A name beside the workspace.
    pub(crate) fn scratch(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_vise"));
        command.args(arguments).current_dir(&self.root).stdin(Stdio::null());
        for (variable, folder) in
            [("XDG_STATE_HOME", "state"), ("XDG_CONFIG_HOME", "config"), ("XDG_CACHE_HOME", "cache"), ("HOME", "home")]
        {
            command.env(variable, self.folder.path().join(folder));
        }
        // A socket's path is short, and nobody else's daemon is to be found.
        command.env_remove("XDG_RUNTIME_DIR").env_remove("VISE_CONVERSATION");
        command.env_remove("VISE_TRUST").env("NO_COLOR", "1");
        command
    }

    pub(crate) fn run(&self, arguments: &[&str]) -> Run {
        Run::of(self.command(arguments).output().unwrap())
    }

    pub(crate) fn run_in(&self, folder: &Path, arguments: &[&str]) -> Run {
        Run::of(self.command(arguments).current_dir(folder).output().unwrap())
    }

    pub(crate) fn run_with_input(&self, arguments: &[&str], input: &[u8]) -> Run {
        let mut command = self.command(arguments);
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        // A child that does not want its input may be gone already.
        let _ = child.stdin.take().unwrap().write_all(input);
        Run::of(child.wait_with_output().unwrap())
    }
}

impl Drop for House {
    fn drop(&mut self) {
        // A machine may have language servers; a daemon that keeps one goes with the house.
        let sockets = fs::read_dir(self.scratch("state/vise")).into_iter().flatten().flatten();
        if sockets.into_iter().any(|entry| entry.path().extension().is_some_and(|ending| ending == "sock")) {
            let _ = self.command(&["daemon", "stop"]).output();
        }
    }
}

impl Run {
    fn of(output: Output) -> Self {
        let run = Self {
            // A signal is no exit: it fails whatever was expected.
            code: output.status.code().unwrap_or(-1),
            out: String::from_utf8(output.stdout).unwrap(),
            err: String::from_utf8_lossy(&output.stderr).into_owned(),
        };
        assert!(!run.err.contains("panicked") && !run.out.contains("\"internal\""), "{run:?}");
        run
    }

    /// Fails unless the exit code is this one.
    #[track_caller]
    pub(crate) fn code(self, code: i32) -> Self {
        assert_eq!(self.code, code, "{self:#?}");
        self
    }

    #[track_caller]
    pub(crate) fn lines(&self) -> Vec<Value> {
        self.out.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }

    #[track_caller]
    pub(crate) fn object(&self) -> Value {
        let lines = self.lines();
        assert_eq!(lines.len(), 1, "{self:#?}");
        lines[0].clone()
    }

    /// The matches and the summary of a search.
    #[track_caller]
    pub(crate) fn search(&self) -> (Vec<Value>, Value) {
        let mut lines = self.lines();
        let last = lines.pop().unwrap_or_else(|| panic!("no output: {self:#?}"));
        assert!(last["summary"].is_object(), "no summary: {self:#?}");
        (lines, last["summary"].clone())
    }

    /// The kind and the words of the error, hint included.
    #[track_caller]
    pub(crate) fn error(&self) -> (String, String) {
        let error = &self.object()["error"];
        let text = |key: &str| error[key].as_str().unwrap_or_default().to_owned();
        assert!(!text("kind").is_empty(), "{self:#?}");
        (text("kind"), format!("{}\n{}", text("message"), text("hint")))
    }
}

/// Fails unless an error is of this kind and says all of these words.
#[track_caller]
pub(crate) fn says(run: &Run, kind: &str, words: &[&str]) {
    let (found, text) = run.error();
    assert_eq!(found, kind, "{text}");
    for word in words {
        assert!(text.contains(word), "`{word}` is not in: {text}");
    }
}
