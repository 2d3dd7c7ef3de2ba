//! The diff of a proposal is what `git apply` takes: forwards it does what accepting does, backwards it undoes it.

mod support;

use proptest::prelude::*;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use support::{Bench, Tree, create, delete, rename};
use vise_text::FileOp;

/// Runs `git apply` in `folder`, away from any repository around it.
#[track_caller]
fn git_apply(folder: &Path, arguments: &[&str], patch: &[u8]) {
    let mut git = Command::new("git")
        .args(["-c", "core.fsmonitor=false", "-c", "core.autocrlf=false", "apply", "--whitespace=nowarn"])
        .args(arguments)
        .current_dir(folder)
        .env("GIT_CEILING_DIRECTORIES", folder)
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .stdin(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    std::io::Write::write_all(&mut git.stdin.take().unwrap(), patch).unwrap();
    let output = git.wait_with_output().unwrap();
    let (message, patch) = (String::from_utf8_lossy(&output.stderr), String::from_utf8_lossy(patch));
    assert!(output.status.success(), "git apply {arguments:?}: {message}\n{patch}");
}

/// Files alone: git makes and removes folders as it needs them.
fn files(bench: &Bench) -> Tree {
    bench.tree().into_iter().filter(|(path, _)| !path.ends_with('/')).collect()
}

#[track_caller]
fn round_trip(bench: &Bench, ops: Vec<FileOp>) {
    let old = files(bench);
    let proposal = bench.prepare(ops).unwrap();
    let patch = proposal.diff();
    git_apply(&bench.root, &["--check"], &patch);
    git_apply(&bench.root, &[], &patch);
    let by_git = files(bench);
    git_apply(&bench.root, &["-R"], &patch);
    assert_eq!(files(bench), old);
    bench.accept(&proposal).unwrap();
    assert_eq!(files(bench), by_git);
}

#[test]
fn text_of_all_kinds() {
    let long: String = (0..60).map(|line| format!("line {line}\n")).collect();
    let bench = Bench::new(&[
        ("crlf", b"a\r\nb\r\nc\r\n"),
        ("open", b"a\nb"),
        ("legacy", b"caf\xE9\n\xFF\xFE\n"),
        ("bom", b"\xEF\xBB\xBFa\r\nb"),
        ("emptied", b"x\n"),
        ("filled", b""),
        ("long", long.as_bytes()),
        ("lone", b"a\rb\rc"),
        ("marks", b"--- a\n+++ b\n@@ -1 +1 @@\n\\ No newline\n"),
    ]);
    let end = long.len();
    let ops = vec![
        bench.splice("crlf", &[(3..4, "B"), (9..9, "d\r\n")]),
        bench.splice("open", &[(3..3, "\nc"), (0..1, "A")]),
        bench.splice("legacy", &[(0..1, "K")]),
        bench.splice("bom", &[(6..7, "B\r\n")]),
        bench.splice("emptied", &[(0..2, "")]),
        bench.splice("filled", &[(0..0, "y")]),
        bench.splice("long", &[(0..4, "LINE"), (200..204, "LINE"), (end - 1..end, "")]),
        bench.splice("lone", &[(2..3, "B")]),
        bench.splice("marks", &[(0..3, "+++"), (6..9, "---")]),
    ];
    round_trip(&bench, ops);
}

#[test]
fn files_made_moved_removed_and_modes() {
    let bench = Bench::new(&[
        ("gone", b"1\n2\n"),
        ("none", b""),
        ("from", b"x\ny"),
        ("a", b"A\n"),
        ("b", b"B\n"),
        ("m", b"m\n"),
    ]);
    // No mode but the usual one for what goes: `git apply -R` brings a removed file back without its mode.
    let tool = FileOp::Create { path: "tool".into(), text: b"#!/bin/sh\n".to_vec(), executable: true };
    let ops = vec![
        delete("gone"),
        delete("none"),
        rename("from", "d/to"),
        create("n/e/w", "text"),
        create("nothing", ""),
        tool,
        rename("a", "t"),
        rename("b", "a"),
        rename("t", "b"),
        FileOp::SetExecutable { path: "m".into(), executable: true },
    ];
    round_trip(&bench, ops);
}

#[test]
fn names_of_all_kinds() {
    let names = [
        "with blank",
        "tab\there",
        "quote\"d",
        "back\\slash",
        "new\nline",
        "é/µ",
        "-dash",
        "a b/c d",
        " lead",
        "trail ",
    ];
    let bench = Bench::new(&names.map(|name| (name, &b"x\n"[..])));
    let mut ops: Vec<FileOp> = names.iter().map(|name| bench.splice(name, &[(0..1, "y")])).collect();
    ops.extend(names.iter().map(|name| create(&format!("made/{name}"), "z\n")));
    round_trip(&bench, ops);
}

#[test]
fn a_name_that_is_not_utf8() {
    use std::os::unix::ffi::OsStrExt;
    let name = std::ffi::OsStr::from_bytes(b"caf\xE9 1%");
    let bench = Bench::new(&[]);
    fs::write(bench.root.join(name), "x\n").unwrap();
    let edits = vec![vise_text::PlacedEdit::new(vise_text::Edit { range: 0..1, text: b"y".to_vec() })];
    let op = FileOp::Splice { path: name.into(), old: vise_text::ContentHash::of(b"x\n"), edits };
    let proposal = bench.prepare(vec![op]).unwrap();
    git_apply(&bench.root, &[], &proposal.diff());
    assert_eq!(fs::read(bench.root.join(name)).unwrap(), b"y\n");
    git_apply(&bench.root, &["-R"], &proposal.diff());
    bench.accept(&proposal).unwrap();
    assert_eq!(fs::read(bench.root.join(name)).unwrap(), b"y\n");
}

fn any_text() -> impl Strategy<Value = Vec<u8>> {
    let lines: &[&[u8]] = &[b"a\n", b"b\n", b"\n", b"a\r\n", b"\xFF\n", b"-- \n", b"+\n", b"\\\n"];
    let ends: &[&[u8]] = &[b"", b"end", b"\r"];
    let line = proptest::sample::select(lines);
    let end = proptest::sample::select(ends);
    (proptest::collection::vec(line, 0..25), end).prop_map(|(lines, end)| [&lines.concat(), end].concat())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, failure_persistence: None, ..ProptestConfig::default() })]
    #[test]
    fn any_change_of_text(old in any_text(), new in any_text()) {
        if old != new {
            let bench = Bench::new(&[("d/f", &old)]);
            let edits = vec![vise_text::PlacedEdit::new(vise_text::Edit { range: 0..old.len(), text: new })];
            let op = FileOp::Splice { path: "d/f".into(), old: vise_text::ContentHash::of(&old), edits };
            round_trip(&bench, vec![op]);
        }
    }
}
