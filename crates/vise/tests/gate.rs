//! `vise undo`, `recover` and `resolve --only`, and a process that is killed in the middle, end to end.

mod common;

use std::fs;
use std::process::Stdio;

use common::{House, house, says};
use serde_json::{Value, json};

fn prepare(house: &House) -> String {
    let plan = house.run(&["ast-edit", "--json", "old($A)", "nu($A)"]).code(0).object();
    plan["proposal"].as_str().unwrap().to_owned()
}

#[test]
fn a_part_is_accepted_and_taken_back() {
    let house = house(&[("a.js", "old(1);\nold(2);\n"), ("b.js", "old(3);\n")]);
    let id = prepare(&house);
    let answer = house.run(&["resolve", &id, "accept", "--only", "p2", "--json"]).code(0).object();
    let child = answer["proposal"].as_str().unwrap();
    assert_eq!((&answer["state"], &answer["files"]), (&json!("accepted"), &json!(["a.js"])));
    assert_ne!(child, id);
    assert_eq!((&answer["rest"]["proposal"], &answer["rest"]["places"]), (&json!(id), &json!(["p1", "p3"])));
    assert_eq!((house.read("a.js"), house.read("b.js")), ("old(1);\nnu(2);\n".to_owned(), "old(3);\n".to_owned()));
    let shown = house.run(&["show", &id, "--format", "json"]).code(0).object();
    assert_eq!((&shown["state"], &shown["digest"]), (&json!("pending"), &answer["rest"]["digest"]));
    says(&house.run(&["resolve", &id, "accept", "--only", "p2", "--json"]).code(2), "bad_input", &["`p2`"]);
    says(&house.run(&["resolve", &id, "discard", "--only", "p1", "--json"]).code(2), "bad_input", &["accepted"]);
    let text = house.run(&["resolve", &id, "accept", "--only", "b.js"]).code(0).out;
    assert!(text.contains("still waits, with 1 place in 1 file"), "{text}");
    house.run(&["undo"]).code(0);
    assert_eq!(house.read("b.js"), "old(3);\n");
    let undone = house.run(&["undo", child, "--json"]).code(0).object();
    assert_eq!((&undone["state"], &undone["files"]), (&json!("undone"), &json!(["a.js"])));
    assert!(undone["diagnostics"].is_null());
    assert_eq!(house.read("a.js"), "old(1);\nold(2);\n");
    says(&house.run(&["undo", "--json"]).code(1), "not_found", &["nothing was accepted"]);
}

#[test]
fn a_part_that_breaks_a_file_is_refused() {
    let lines = "f(1);\n".repeat(10);
    let house = house(&[("a.js", &lines)]);
    let patch = "--- a/a.js\n+++ b/a.js\n@@ -1,2 +1,3 @@\n+if (x) {\n f(1);\n f(1);\n@@ -9,2 +10,4 @@\n f(1);\n f(1);\n+}\n+g();\n";
    let plan = house.run_with_input(&["patch", "--prepare", "--json"], patch.as_bytes()).code(0).object();
    let id = plan["proposal"].as_str().unwrap();
    let run = house.run(&["resolve", id, "accept", "--only", "p1", "--json"]).code(2);
    says(&run, "refused", &["1 syntax errors, where there are 0"]);
    assert_eq!(house.read("a.js"), lines);
    house.run(&["resolve", id, "accept", "--only", "p1", "--only", "p2"]).code(0);
    assert_eq!(house.read("a.js"), format!("if (x) {{\n{lines}}}\ng();\n"));
}

#[test]
fn undo_says_what_changed_since() {
    let house = house(&[("a.txt", "one\n")]);
    house.run_with_input(&["write", "a.txt"], b"two\n").code(0);
    house.write("a.txt", b"three\n");
    let run = house.run(&["undo", "--json"]).code(2);
    says(&run, "stale", &["`a.txt`"]);
    assert_eq!(run.object()["error"]["files"], json!(["a.txt"]));
    assert_eq!(house.read("a.txt"), "three\n");
    assert_eq!(house.run(&["recover", "--json"]).code(0).object(), json!({"recovered": []}));
}

/// The state folder's journal, with a commit in it that was cut short: what a killed process leaves.
fn cut_short(house: &House) -> (String, Value) {
    let id = prepare(house);
    let strace = std::env::var_os("PATH")
        .and_then(|path| std::env::split_paths(&path).map(|folder| folder.join("strace")).find(|file| file.is_file()));
    if let Some(strace) = strace {
        // The second file is not swapped any more.
        let vise = env!("CARGO_BIN_EXE_vise");
        let mut command = house.command(&[]);
        let plain = command.get_envs().filter_map(|(key, value)| Some((key.to_owned(), value?.to_owned())));
        let envs: Vec<_> = plain.collect();
        let mut traced = std::process::Command::new(strace);
        traced.args([
            "-f",
            "-qq",
            "-o",
            "/dev/null",
            "-e",
            "trace=renameat2",
            "-e",
            "inject=renameat2:signal=KILL:when=2",
        ]);
        traced.args([vise, "resolve", &id, "accept"]).envs(envs).current_dir(&house.root);
        traced.stdout(Stdio::null()).stderr(Stdio::null());
        let _ = command.stdin(Stdio::null());
        let status = traced.status().unwrap();
        assert!(!status.success());
        return (id, json!("killed"));
    }
    (id, Value::Null)
}

#[test]
fn a_killed_accept_is_brought_back_by_the_next_command() {
    let house = house(&[("a.js", "old(1);\n"), ("b.js", "old(2);\n")]);
    let (id, killed) = cut_short(&house);
    if killed.is_null() {
        eprintln!("`strace` is not on PATH, so nothing was killed; `cargo xtask torture` needs it");
        return;
    }
    let mixed = [house.read("a.js"), house.read("b.js")];
    assert_eq!(mixed.iter().filter(|text| text.starts_with("nu")).count(), 1, "{mixed:?}");
    let run = house.run(&["proposals"]).code(0);
    assert!(run.err.contains("recovered") && run.err.contains("as before"), "{}", run.err);
    assert_eq!((house.read("a.js"), house.read("b.js")), ("old(1);\n".to_owned(), "old(2);\n".to_owned()));
    assert_eq!(fs::read_dir(&house.root).unwrap().count(), 2);
    house.run(&["resolve", &id, "accept"]).code(0);
    assert_eq!(house.read("b.js"), "nu(2);\n");
}
