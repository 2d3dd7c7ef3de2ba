//! Language servers that people use, asked through the binary, from cold, in workspaces of their own.
//!
//! Read one of the transcripts (`ty.txt`) first: what is typed stands at the line's beginning, what comes of it is indented
//! below. `UPDATE=1` writes down what came; look at the difference before you keep it. Servers differ in what they offer and in
//! what they take for a reference, so each has its own transcript; what one does not offer is in it as the error that it is.

mod desk;
mod ends;
mod projects;
mod shown;

use desk::Desk;
use projects::Project;

/// What comes of the commands of a transcript.
fn once(server: &'static str, project: &Project, expected: &str) -> String {
    let desk = Desk::new(server, project, false);
    let mut found = String::new();
    for line in expected.lines().filter(|line| !line.starts_with(' ')) {
        found.push_str(line);
        found.push('\n');
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        for line in desk.play(line) {
            found.push_str(&format!("    {line}\n"));
        }
    }
    desk.end();
    found
}

/// Whether what differs begins with an answer that says that it could not tell in time.
fn only_late(expected: &str, found: &str) -> bool {
    let differs = expected.lines().zip(found.lines()).find(|(one, other)| one != other);
    let late = ["not checked", "unconfirmed", "timeout", "incomplete", "indexing", "still checking"];
    differs.is_some_and(|(_, other)| late.iter().any(|word| other.contains(word)))
}

/// Plays a transcript: the same commands in the same order, and the same answers.
fn play(server: &'static str, project: &Project) {
    let file = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../../tests/real/servers/{server}.txt"));
    let expected = std::fs::read_to_string(&file).unwrap();
    let mut found = once(server, project, &expected);
    // A busy machine makes a server answer late, and then the answer says that it could not tell in time. That is no wrong
    // answer, and the transcript is played again; whatever else differs is wrong at once.
    for _ in 0..2 {
        if !only_late(&expected, &found) {
            break;
        }
        eprintln!("{server} was late, and said so; the transcript is played once more");
        found = once(server, project, &expected);
    }
    if std::env::var_os("UPDATE").is_some_and(|update| update == "1") {
        std::fs::write(&file, &found).unwrap();
    }
    let lines = |text: &str| text.lines().map(str::to_owned).collect::<Vec<_>>();
    let (expected, found) = (lines(&expected), lines(&found));
    let differs = expected.iter().zip(&found).position(|(one, other)| one != other);
    let at = differs.unwrap_or(expected.len().min(found.len()));
    let around = |lines: &[String]| lines[at.saturating_sub(4).min(lines.len())..(at + 4).min(lines.len())].join("\n");
    assert!(
        expected == found,
        "{}:{}\n-- expected\n{}\n-- found\n{}",
        file.display(),
        at + 1,
        around(&expected),
        around(&found)
    );
}

#[test]
#[ignore = "needs language servers; `cargo xtask test` installs them"]
fn ty() {
    play("ty", &projects::PYTHON);
}

#[test]
#[ignore = "needs language servers; `cargo xtask test` installs them"]
fn pyright() {
    play("pyright", &projects::PYTHON);
}

#[test]
#[ignore = "needs language servers; `cargo xtask test` installs them"]
fn basedpyright() {
    play("basedpyright", &projects::PYTHON);
}

#[test]
#[ignore = "needs language servers; `cargo xtask test` installs them"]
fn pyrefly() {
    play("pyrefly", &projects::PYTHON);
}

#[test]
#[ignore = "needs language servers; `cargo xtask test` installs them"]
fn typescript_7() {
    play("tsc", &projects::TYPESCRIPT);
}

#[test]
#[ignore = "needs language servers; `cargo xtask test` installs them"]
fn typescript_language_server() {
    play("typescript-language-server", &projects::TYPESCRIPT);
}

#[test]
#[ignore = "needs language servers; `cargo xtask test` installs them"]
fn vtsls() {
    play("vtsls", &projects::TYPESCRIPT);
}

#[test]
#[ignore = "needs language servers; `cargo xtask test` installs them"]
fn clangd() {
    play("clangd", &projects::CPP);
}

#[test]
#[ignore = "needs language servers; `cargo xtask test` installs them"]
fn rust_analyzer() {
    play("rust-analyzer", &projects::RUST);
}

#[test]
#[ignore = "needs language servers; `cargo xtask test` installs them"]
fn rust_analyzer_runs_the_build_only_where_it_is_trusted() {
    let question = "lsp findReferences discount --file src/price.rs";
    for trusted in [false, true] {
        let desk = Desk::new("rust-analyzer", &projects::RUST, trusted);
        assert_eq!(desk.play(question).len(), 4, "trusted: {trusted}");
        let ran = desk.root.join("ran").exists();
        desk.end();
        assert_eq!(ran, trusted, "the build script leaves a file when it runs");
    }
}
