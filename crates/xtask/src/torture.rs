//! `cargo xtask torture`: the edit gate under crashes, errors, power cuts and racing savers, with counts.
//!
//! First the tests of `crates/edit` that do so in one process, with nothing left out. Then the binary itself is killed at
//! each of its system calls, and each of them fails in turn, once and from then on; afterwards the workspace must be all
//! old or all new, whatever was cut short. That needs `strace`.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::run::{Result, cargo, create_dir, remove_dir, require, step, write};

/// System calls that a commit is made of; what else a program does at its start is of no interest here.
const CALLS: &[&str] = &[
    "openat",
    "read",
    "write",
    "rename",
    "renameat2",
    "unlink",
    "unlinkat",
    "mkdir",
    "mkdirat",
    "rmdir",
    "linkat",
    "fsync",
    "syncfs",
    "fchmod",
    "flock",
    "newfstatat",
    "statx",
    "lstat",
    "stat",
    "getdents64",
    "flistxattr",
    "close",
];
/// How a call fails.
const ERRORS: &[&str] = &["ENOSPC", "EIO", "EACCES", "EMFILE"];

#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// The binary to torture; the release binary, which is built, if there is none
    #[arg(long, value_name = "FILE")]
    binary: Option<PathBuf>,
    /// At most so many runs of the binary; scenarios are spread evenly
    #[arg(long, value_name = "N", default_value_t = 1600)]
    runs: usize,
    /// Only the binary, not the tests of the crate
    #[arg(long)]
    binary_only: bool,
}

pub(crate) fn run(arguments: &Arguments) -> Result {
    let strace =
        require("strace", "the binary is killed with it, at each of its system calls", "apt-get install strace")?;
    if !arguments.binary_only {
        let tests = ["--test", "faults", "--test", "crash", "--test", "power", "--test", "races"];
        let mut command = cargo();
        command.args(["test", "--release", "-p", "vise-edit"]).args(tests).args(["--", "--nocapture"]);
        step(command.env("VISE_TORTURE", "1"))?;
    }
    let binary = match &arguments.binary {
        Some(binary) => fs::canonicalize(binary).map_err(|error| format!("`{}`: {error}", binary.display()))?,
        None => {
            step(cargo().args(["build", "--release", "-p", "vise"]))?;
            crate::target().join("release").join("vise")
        }
    };
    Bench::new(strace, binary)?.torture(arguments.runs)
}

/// A file's bytes and whether it may be run.
type Tree = BTreeMap<PathBuf, (Vec<u8>, bool)>;

struct Bench {
    strace: PathBuf,
    binary: PathBuf,
    folder: PathBuf,
    proposal: String,
    old: Tree,
    new: Tree,
}

/// What is done to one run of the binary.
#[derive(Clone, Debug)]
struct Harm {
    call: &'static str,
    number: usize,
    /// The error; none to kill the process.
    error: Option<&'static str>,
    /// From then on, not once.
    stays: bool,
}

impl Harm {
    fn injection(&self) -> String {
        let what = self.error.map_or("signal=KILL".to_owned(), |error| format!("error={error}"));
        format!("inject={}:{what}:when={}{}", self.call, self.number, if self.stays { "+" } else { "" })
    }
}

#[derive(Default)]
struct Counts {
    old: usize,
    new: usize,
}

impl Bench {
    /// A workspace with a proposal that changes, makes, removes and moves files, kept aside to begin from again and again.
    fn new(strace: PathBuf, binary: PathBuf) -> Result<Bench> {
        let folder = crate::target().join("torture");
        remove_dir(&folder)?;
        let root = folder.join("root");
        for (path, text) in
            [("a", "one\ntwo\n"), ("d/b", "three\n"), ("gone", "four\n"), ("from", "five\n"), ("run", "six\n")]
        {
            write(&root.join(path), text)?;
        }
        write(&folder.join("patch"), PATCH)?;
        let mut bench = Bench { strace, binary, folder, proposal: String::new(), old: Tree::new(), new: Tree::new() };
        bench.old = bench.tree()?;
        let patch = fs::File::open(bench.folder.join("patch")).map_err(|error| error.to_string())?;
        let output = bench.vise(&["apply-patch", "--prepare", "--json"]).stdin(patch).output();
        let output = output.map_err(|error| format!("cannot start the binary: {error}"))?;
        let answer: serde_json::Value = serde_json::from_slice(&output.stdout)
            .map_err(|_| format!("no proposal: {}", String::from_utf8_lossy(&output.stderr)))?;
        bench.proposal = answer["proposal"].as_str().ok_or("the answer names no proposal")?.to_owned();
        for name in ["root", "state"] {
            copy(&bench.folder.join(name), &bench.folder.join("kept").join(name))?;
        }
        Ok(bench)
    }

    fn vise(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(&self.binary);
        command.args(arguments);
        self.at_home(&mut command);
        command
    }

    fn at_home(&self, command: &mut Command) {
        command.current_dir(self.folder.join("root")).stdin(Stdio::null());
        for (variable, name) in
            [("XDG_STATE_HOME", "state"), ("XDG_CACHE_HOME", "cache"), ("XDG_CONFIG_HOME", "config"), ("HOME", "home")]
        {
            command.env(variable, self.folder.join(name));
        }
    }

    /// Runs the binary under strace; says whether it ended well.
    fn traced(&self, options: &[&str], arguments: &[&str]) -> Result<bool> {
        let mut command = Command::new(&self.strace);
        command.args(["-f", "-qq", "-e", "signal=none"]).args(options).arg(&self.binary).args(arguments);
        self.at_home(&mut command);
        let status = command.stdout(Stdio::null()).stderr(Stdio::null()).status();
        status.map(|status| status.success()).map_err(|error| format!("cannot start strace: {error}"))
    }

    fn begin_again(&self) -> Result {
        for name in ["root", "state"] {
            remove_dir(&self.folder.join(name))?;
            copy(&self.folder.join("kept").join(name), &self.folder.join(name))?;
        }
        Ok(())
    }

    fn tree(&self) -> Result<Tree> {
        let root = self.folder.join("root");
        let mut tree = Tree::new();
        let mut folders = vec![root.clone()];
        let failed = |error: std::io::Error| format!("cannot read the workspace: {error}");
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(&folder).map_err(failed)? {
                let path = entry.map_err(failed)?.path();
                let metadata = path.symlink_metadata().map_err(failed)?;
                if metadata.is_dir() {
                    folders.push(path);
                } else {
                    let inside = path.strip_prefix(&root).unwrap_or(&path).to_owned();
                    let executable = metadata.permissions().mode() & 0o100 != 0;
                    tree.insert(inside, (fs::read(&path).map_err(failed)?, executable));
                }
            }
        }
        Ok(tree)
    }

    /// How often the calls are made by an accept that nobody disturbs, in its thread that makes the most of them.
    fn numbers(&mut self, arguments: &[&str]) -> Result<Vec<(&'static str, usize)>> {
        let trace = self.folder.join("trace");
        let filter = format!("trace={}", CALLS.iter().map(|call| format!("?{call}")).collect::<Vec<_>>().join(","));
        let ok = self.traced(&["-o", &trace.to_string_lossy(), "-e", &filter], arguments)?;
        let text = fs::read_to_string(&trace).map_err(|error| format!("no trace: {error}"))?;
        if !ok {
            return Err(format!("`vise {}` fails undisturbed", arguments.join(" ")));
        }
        let mut counts: BTreeMap<(&str, &str), usize> = BTreeMap::new();
        for line in text.lines() {
            let Some((process, rest)) = line.split_once(' ') else { continue };
            let Some((call, _)) = rest.trim_start().split_once('(') else { continue };
            *counts.entry((call, process)).or_default() += 1;
        }
        let most = |call: &'static str| {
            let most = counts.iter().filter(|((name, _), _)| *name == call).map(|(_, count)| *count).max();
            (call, most.unwrap_or(0))
        };
        Ok(CALLS.iter().map(|call| most(call)).filter(|(_, count)| *count > 0).collect())
    }

    fn torture(&mut self, runs: usize) -> Result {
        let proposal = self.proposal.clone();
        let accept = ["resolve", &proposal, "accept"];
        let numbers = self.numbers(&accept)?;
        self.new = self.tree()?;
        if self.new == self.old || self.new.len() != self.old.len() {
            return Err("the accept does not do what the patch says".to_owned());
        }
        let each = |error: Option<&'static str>, stays: bool| -> Vec<Harm> {
            let numbers = numbers.iter();
            numbers.flat_map(|(call, count)| (1..=*count).map(|number| Harm { call, number, error, stays })).collect()
        };
        let kills = each(None, false);
        let once: Vec<Harm> = ERRORS.iter().flat_map(|error| each(Some(error), false)).collect();
        let stays: Vec<Harm> = ERRORS.iter().flat_map(|error| each(Some(error), true)).collect();
        println!("torture: an accept makes {} calls of {} kinds that matter", kills.len(), numbers.len());
        // Kills are what counts: they come first, and all of them if there is room.
        let share = runs / 4;
        for (what, harms, share) in
            [("kills", &kills, share * 2), ("errors", &once, share), ("errors that stay", &stays, share / 2)]
        {
            let harms: Vec<&Harm> = spread(harms, share).collect();
            let counts = self.disturb(&accept, &harms)?;
            println!("torture: {what}: {} runs, {} old, {} new, 0 mixed trees", harms.len(), counts.old, counts.new);
        }
        self.disturb_twice(&accept, &kills, share / 2)
    }

    /// Runs with one harm each, and looks at what is left after the next command.
    fn disturb(&self, arguments: &[&str], harms: &[&Harm]) -> Result<Counts> {
        let mut counts = Counts::default();
        for harm in harms {
            self.begin_again()?;
            let ok = self.traced(&["-o", "/dev/null", "-e", &harm.injection()], arguments)?;
            self.judge(ok, &format!("{harm:?}"), &mut counts)?;
        }
        Ok(counts)
    }

    /// Kills the accept, and then the recovery.
    fn disturb_twice(&mut self, arguments: &[&str], kills: &[Harm], runs: usize) -> Result {
        let mutating = kills.iter().filter(|harm| harm.call.starts_with("rename") || harm.call.starts_with("unlink"));
        let firsts: Vec<Harm> = mutating.cloned().collect();
        let mut counts = Counts::default();
        let mut done = 0;
        let share = (runs / firsts.len().max(1)).max(1);
        for first in &firsts {
            let begin = |bench: &Bench| -> Result<bool> {
                bench.begin_again()?;
                bench.traced(&["-o", "/dev/null", "-e", &first.injection()], arguments)
            };
            begin(self)?;
            let seconds: Vec<Harm> = self
                .numbers(&["recover"])?
                .into_iter()
                .filter(|(call, _)| !matches!(*call, "openat" | "read" | "close" | "newfstatat" | "statx" | "lstat"))
                .flat_map(|(call, count)| {
                    (1..=count).map(move |number| Harm { call, number, error: None, stays: false })
                })
                .collect();
            for second in spread(&seconds, share) {
                begin(self)?;
                self.traced(&["-o", "/dev/null", "-e", &second.injection()], &["recover"])?;
                self.judge(false, &format!("{first:?}, then {second:?}"), &mut counts)?;
                done += 1;
            }
        }
        println!("torture: double kills: {done} runs, {} old, {} new, 0 mixed trees", counts.old, counts.new);
        Ok(())
    }

    /// Recovers and compares: all old or all new, and as the proposal's state says.
    fn judge(&self, ok: bool, harm: &str, counts: &mut Counts) -> Result {
        let output = self.vise(&["show", &self.proposal, "--format", "json"]).output();
        let output = output.map_err(|error| format!("cannot start the binary: {error}"))?;
        let answer: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap_or_default();
        let state = answer["state"].as_str().unwrap_or("unreadable").to_owned();
        let tree = self.tree()?;
        let wrong =
            |why: &str| Err(format!("{harm}: {why}; state {state}; files {:?}", tree.keys().collect::<Vec<_>>()));
        match state.as_str() {
            "accepted" if tree == self.new => counts.new += 1,
            "pending" if tree == self.old && !ok => counts.old += 1,
            "pending" if ok => return wrong("it ended well and nothing was accepted"),
            _ => return wrong("a mixed tree"),
        }
        Ok(())
    }
}

/// At most `count` of the items, evenly.
fn spread<T>(items: &[T], count: usize) -> impl Iterator<Item = &T> {
    items.iter().step_by(items.len().div_ceil(count.max(1)).max(1))
}

fn copy(from: &Path, to: &Path) -> Result {
    create_dir(to)?;
    let failed = |error: std::io::Error| format!("cannot copy `{}`: {error}", from.display());
    for entry in fs::read_dir(from).map_err(failed)? {
        let entry = entry.map_err(failed)?;
        let target = to.join(entry.file_name());
        if entry.file_type().map_err(failed)?.is_dir() {
            copy(&entry.path(), &target)?;
        } else {
            fs::copy(entry.path(), &target).map_err(failed)?;
        }
    }
    let permissions = fs::metadata(from).map_err(failed)?.permissions();
    fs::set_permissions(to, permissions).map_err(failed)
}

const PATCH: &str = "diff --git a/a b/a
--- a/a
+++ b/a
@@ -1,2 +1,2 @@
 one
-two
+2
diff --git a/d/b b/d/b
--- a/d/b
+++ b/d/b
@@ -1 +1 @@
-three
+3
diff --git a/gone b/gone
deleted file mode 100644
--- a/gone
+++ /dev/null
@@ -1 +0,0 @@
-four
diff --git a/from b/to
rename from from
rename to to
diff --git a/n/e/w b/n/e/w
new file mode 100644
--- /dev/null
+++ b/n/e/w
@@ -0,0 +1 @@
+made
diff --git a/run b/run
old mode 100644
new mode 100755
";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scenarios_are_spread_evenly() {
        let items: Vec<usize> = (0..10).collect();
        assert_eq!(spread(&items, 100).count(), 10);
        assert_eq!(spread(&items, 5).copied().collect::<Vec<_>>(), [0, 2, 4, 6, 8]);
        assert!(spread(&items, 3).count() <= 3 && spread(&items, 0).count() == 1);
    }

    #[test]
    fn harms_read_as_strace_wants_them() {
        let harm = Harm { call: "renameat2", number: 3, error: None, stays: false };
        assert_eq!(harm.injection(), "inject=renameat2:signal=KILL:when=3");
        let harm = Harm { error: Some("EIO"), stays: true, ..harm };
        assert_eq!(harm.injection(), "inject=renameat2:error=EIO:when=3+");
    }
}
