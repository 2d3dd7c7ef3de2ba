//! Tests against real tools: what another searcher finds, what git says of a diff, what engines make of tables.
//!
//! Read `cargo xtask test` (crates/xtask/src/test.rs) first: it installs the tools, builds the binary and names them
//! in `VISE`, `AST_GREP`, `ENGINES`, `MCP_CLIENT`, `REPOSITORIES` and `LSP_TOOLS`. Without them a test here could not say anything, so a plain `cargo test` ignores all of
//! them, by name.
//!
//! Nothing here goes to the network or writes outside a scratch folder.

mod agent;
mod scale;
#[cfg(target_os = "linux")]
mod servers;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::Value;

fn tool(variable: &str) -> Command {
    Command::new(named(variable))
}

/// Where a tool is.
fn named(variable: &str) -> PathBuf {
    std::env::var_os(variable)
        .unwrap_or_else(|| panic!("{variable} is not set; `cargo xtask test` installs what these tests need"))
        .into()
}

/// A git checkout of `tests/real/sample` in a folder of its own, removed in the end.
struct Checkout {
    folder: PathBuf,
}

impl Checkout {
    fn new() -> Checkout {
        static COUNT: AtomicUsize = AtomicUsize::new(0);
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let folder = std::env::temp_dir().join(format!("vise-real-{}-{number}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let checkout = Checkout { folder };
        let sample = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/real/sample");
        copy(&sample, &checkout.code());
        checkout.git(&["init", "--quiet", "."]);
        checkout.git(&["add", "."]);
        checkout.git(&["commit", "--quiet", "--message", "Sample"]);
        checkout
    }

    fn code(&self) -> PathBuf {
        self.folder.join("code")
    }

    fn git(&self, words: &[&str]) -> String {
        let mut git = Command::new("git");
        git.args(["-c", "user.name=test", "-c", "user.email=test@localhost", "-c", "commit.gpgSign=false"]).args(words);
        self.succeed(&mut git)
    }

    fn vise(&self, words: &[&str]) -> String {
        self.succeed(tool("VISE").args(words))
    }

    /// Runs in the checkout, with state folders of its own, and gives what it printed.
    fn succeed(&self, command: &mut Command) -> String {
        let output = self.run(command);
        let words = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{command:?}: {}\n{words}", output.status);
        String::from_utf8(output.stdout).unwrap()
    }

    fn run(&self, command: &mut Command) -> Output {
        for variable in
            ["XDG_STATE_HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME", "XDG_DATA_HOME", "XDG_RUNTIME_DIR", "HOME"]
        {
            command.env(variable, self.folder.join(variable.to_lowercase()));
        }
        command.current_dir(self.code()).output().unwrap()
    }

    fn read(&self, file: &str) -> String {
        std::fs::read_to_string(self.code().join(file)).unwrap()
    }

    /// Where ast-grep, or vise, finds a pattern: file, start and end in bytes.
    fn places(&self, command: &mut Command) -> BTreeSet<(String, u64, u64)> {
        let output = self.run(command);
        assert!(
            matches!(output.status.code(), Some(0 | 1)),
            "{command:?}: {}",
            String::from_utf8_lossy(&output.stderr)
        );
        let lines = String::from_utf8(output.stdout).unwrap();
        let places = lines.lines().filter_map(|line| {
            let line: Value = serde_json::from_str(line).unwrap();
            let file = line["file"].as_str()?.trim_start_matches("./").to_string();
            let offsets = &line["range"]["byteOffset"];
            Some((file, offsets["start"].as_u64().unwrap(), offsets["end"].as_u64().unwrap()))
        });
        places.collect()
    }
}

impl Drop for Checkout {
    fn drop(&mut self) {
        // A folder that stays behind in the system's scratch folder harms nobody.
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy(&entry.path(), &target);
        } else {
            std::fs::copy(entry.path(), target).unwrap();
        }
    }
}

#[test]
#[ignore = "needs ast-grep; `cargo xtask test` installs it"]
fn finds_what_ast_grep_finds() {
    let checkout = Checkout::new();
    let mut found = 0;
    // Left out is what ast-grep cannot say: `f($$$A, $B)` (its `$$$` does not go back), `fmt.Println($X)` in Go (it reads
    // a conversion to a type).
    for (language, pattern) in [
        ("python", "self.assertEqual($A, $B)"),
        ("python", "self.assertEqual($A, True)"),
        ("python", "$A == $A"),
        ("python", "len($X)"),
        ("python", "log.warning($$$ARGS)"),
        ("python", "price($A, $$$REST)"),
        ("python", "nothing_like_this($A)"),
        ("typescript", "log.info($$$ARGS)"),
        ("typescript", "log.info($A, $B)"),
        ("typescript", "$A != $A"),
        ("typescript", "this.items.push($X)"),
        ("go", "fmt.Errorf($F, $$$ARGS)"),
        ("go", "len($X)"),
    ] {
        let ours = checkout.places(tool("VISE").args(["ast-grep", "-l", language, "--json", pattern, "."]));
        let theirs = checkout.places(tool("AST_GREP").args([
            "run",
            "--lang",
            language,
            "--json=stream",
            "--pattern",
            pattern,
            ".",
        ]));
        assert_eq!(ours, theirs, "{language}: {pattern}");
        found += ours.len();
    }
    assert!(found > 15, "only {found} matches in all: the comparison compares nothing");
}

#[test]
#[ignore = "drives the release binary; `cargo xtask test` builds it"]
fn a_rewrite_is_a_diff_that_git_takes() {
    let checkout = Checkout::new();
    let before = checkout.read("shop.py");
    let answer = checkout.vise(&[
        "ast-edit",
        "-l",
        "python",
        "--json",
        "self.assertEqual($A, True)",
        "self.assertTrue($A)",
        ".",
    ]);
    let proposal: Value = serde_json::from_str(&answer).unwrap();
    assert_eq!(proposal["changes"], 1, "{answer}");
    assert_eq!(checkout.read("shop.py"), before, "a proposal writes nothing");

    let patch = checkout.folder.join("proposal.patch");
    std::fs::write(&patch, proposal["diff"].as_str().unwrap()).unwrap();
    let patch = patch.to_str().unwrap();
    checkout.git(&["apply", "--check", patch]);

    let id = proposal["proposal"].as_str().unwrap();
    checkout.vise(&["resolve", id, "accept", "--json"]);
    assert_eq!(
        checkout.read("shop.py"),
        before.replace("self.assertEqual(cart.open, True)", "self.assertTrue(cart.open)")
    );
    checkout.git(&["apply", "--check", "--reverse", patch]);
    assert_eq!(checkout.git(&["diff", "--name-only"]), "shop.py\n");
}

#[test]
#[ignore = "drives the release binary; `cargo xtask test` builds it"]
fn a_proposal_is_stale_once_its_file_has_changed() {
    let checkout = Checkout::new();
    let answer = checkout.vise(&["ast-edit", "-l", "go", "--json", "fmt.Println($$$A)", "log.Println($$$A)", "."]);
    let proposal: Value = serde_json::from_str(&answer).unwrap();
    assert_eq!(proposal["changes"], 3, "{answer}");
    let changed = format!("{}\n// changed behind the proposal's back\n", checkout.read("nested/shop.go"));
    std::fs::write(checkout.code().join("nested/shop.go"), &changed).unwrap();

    let output =
        checkout.run(tool("VISE").args(["resolve", proposal["proposal"].as_str().unwrap(), "accept", "--json"]));
    assert_eq!(output.status.code(), Some(2));
    let answer: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(answer["error"]["kind"], "stale", "{answer}");
    assert_eq!(answer["error"]["files"], serde_json::json!(["nested/shop.go"]), "{answer}");
    assert_eq!(checkout.read("nested/shop.go"), changed, "nothing is written");
}

#[test]
#[ignore = "drives the release binary; `cargo xtask test` builds it"]
fn the_tour_runs_on_a_real_checkout_and_leaves_it_alone() {
    let checkout = Checkout::new();
    checkout.vise(&["tour"]);
    assert_eq!(checkout.git(&["status", "--porcelain"]), "");
}
