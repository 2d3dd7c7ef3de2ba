//! `vise ast-edit`, `show`, `proposals`, `resolve`, end to end.

mod common;

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::process::{Command, Stdio};

use common::{House, house, says};
use serde_json::{Value, json};

/// Prepares a rewrite and gives the JSON.
#[track_caller]
fn prepare(house: &House, arguments: &[&str]) -> Value {
    let arguments: Vec<&str> = ["ast-edit", "--json"].iter().chain(arguments).copied().collect();
    house.run(&arguments).code(0).object()
}

fn id(plan: &Value) -> &str {
    plan["proposal"].as_str().unwrap()
}

#[test]
fn a_proposal_is_the_contracts() {
    let house = house(&[("a.js", "old(1);\nold(old(2));\n"), ("b.js", "x;\n")]);
    let plan = prepare(&house, &["old($A)", "nu($A)"]);
    let keys: Vec<&str> = plan.as_object().unwrap().keys().map(String::as_str).collect();
    assert_eq!(
        keys,
        [
            "proposal",
            "changes",
            "files",
            "diff",
            "dropped_comments",
            "refused",
            "diagnostics",
            "digest",
            "state",
            "places",
            "not_converged",
            "rematches",
            "notes"
        ]
    );
    let hex = |text: &str| text.chars().all(|c| c.is_ascii_hexdigit());
    assert!(id(&plan).len() == 12 && hex(id(&plan)));
    assert_eq!(plan["changes"], 3);
    assert_eq!((&plan["files"][0]["path"], &plan["files"][0]["changes"]), (&json!("a.js"), &json!(3)));
    assert!(hex(plan["files"][0]["sha256"].as_str().unwrap()));
    assert_eq!(
        plan["diff"],
        "--- a/a.js\n+++ b/a.js\n@@ -1,2 +1,2 @@\n-old(1);\n-old(old(2));\n+nu(1);\n+nu(nu(2));\n"
    );
    assert_eq!(
        (&plan["state"], &plan["diagnostics"], &plan["rematches"]),
        (&json!("pending"), &Value::Null, &json!(0))
    );
    let place = &plan["places"][0];
    assert_eq!((&place["id"], &place["file"], &place["line"]), (&json!("p1"), &json!("a.js"), &json!(1)));
    assert_eq!(place["old_range"], json!({"start": 0, "end": 6}));
    // Nothing is written before it is accepted.
    assert_eq!(house.read("a.js"), "old(1);\nold(old(2));\n");

    let shown = house.run(&["show", id(&plan), "--format", "json"]).code(0).object();
    assert_eq!(shown, plan);
    let list = house.run(&["proposals", "--json"]).code(0).object();
    let first = &list["proposals"][0];
    assert_eq!(
        (&first["proposal"], &first["state"], &first["files"]),
        (&plan["proposal"], &json!("pending"), &json!(["a.js"]))
    );

    // The first six digits will do, from any folder.
    let elsewhere = tempfile::tempdir().unwrap();
    let run = house.run_in(elsewhere.path(), &["resolve", &id(&plan)[..6], "accept", "--json"]).code(0);
    let answer = run.object();
    let expected = json!({
        "proposal": id(&plan),
        "state": "accepted",
        "files": ["a.js"],
        "diagnostics": null,
        "notes": [format!("not checked: it belongs to the workspace `{}`", house.root.display())],
    });
    assert_eq!(answer, expected);
    assert_eq!(house.read("a.js"), "nu(1);\nnu(nu(2));\n");
    // Twice gives the recorded answer.
    let again = house.run_in(elsewhere.path(), &["resolve", id(&plan), "accept", "--json"]);
    assert_eq!(again.code(0).object(), answer);
    says(&house.run(&["resolve", id(&plan), "discard", "--json"]).code(2), "bad_input", &["accepted already"]);
}

#[test]
fn a_discarded_proposal_writes_nothing() {
    let house = house(&[("a.js", "old(1);\n")]);
    let plan = prepare(&house, &["old($A)", "nu($A)"]);
    for _ in 0..2 {
        let answer = house.run(&["resolve", id(&plan), "discard", "--json"]).code(0).object();
        assert_eq!((&answer["state"], &answer["files"]), (&json!("discarded"), &json!([])));
    }
    says(&house.run(&["resolve", id(&plan), "accept", "--json"]).code(2), "bad_input", &["discarded already"]);
    assert_eq!(house.read("a.js"), "old(1);\n");
    says(&house.run(&["resolve", "abcdef123456", "accept", "--json"]).code(1), "not_found", &["`abcdef123456`"]);
    says(&house.run(&["show", "zz", "--json"]).code(2), "bad_input", &["`zz`"]);
}

#[test]
fn text_says_first_that_nothing_is_applied() {
    let house = house(&[("a.js", "old(1);\n")]);
    let run = house.run(&["rewrite", "old($A)", "nu($A)"]).code(0);
    let first = run.out.lines().next().unwrap();
    assert!(first.starts_with("NOT applied yet: proposal ") && first.contains("1 change in 1 file"), "{first}");
    let id = first.split([' ', ',']).nth(4).unwrap();
    assert!(first.contains(&format!("`vise resolve {id} accept`")), "{first}");
    assert!(run.out.contains("\n-old(1);\n+nu(1);\n"), "{}", run.out);
    let patch = house.run(&["show", id, "--format", "patch"]).code(0).out;
    assert_eq!(patch, "--- a/a.js\n+++ b/a.js\n@@ -1 +1 @@\n-old(1);\n+nu(1);\n");
    assert!(house.run(&["proposals"]).code(0).out.starts_with(id));
    assert!(house.run(&["resolve", id, "accept"]).code(0).out.starts_with("accepted "));
    assert!(house.run(&["show", id]).code(0).out.starts_with("applied"));
}

#[test]
fn a_file_that_changed_is_named_and_nothing_is_written() {
    let house = house(&[("a.js", "old(1);\n"), ("b.js", "old(2);\n"), ("c.js", "old(3);\n")]);
    let plan = prepare(&house, &["old($A)", "nu($A)"]);
    house.write("b.js", b"old(22);\n");
    fs::remove_file(house.root.join("c.js")).unwrap();
    let run = house.run(&["resolve", id(&plan), "accept", "--json"]).code(2);
    says(&run, "stale", &["`b.js`", "`c.js`"]);
    assert_eq!(run.object()["error"]["files"], json!(["b.js", "c.js"]));
    assert_eq!((house.read("a.js"), house.read("b.js")), ("old(1);\n".to_owned(), "old(22);\n".to_owned()));
    // Touching a file is no change.
    let plan = prepare(&house, &["old($A)", "nu($A)"]);
    house.write("a.js", b"old(1);\n");
    house.run(&["resolve", id(&plan), "accept"]).code(0);
}

#[test]
fn nothing_to_change_is_an_empty_answer() {
    let house = house(&[("a.js", "x;\n")]);
    let run = house.run(&["ast-edit", "--json", "old($A)", "nu($A)"]).code(1);
    let plan = run.object();
    assert_eq!((&plan["proposal"], &plan["changes"], &plan["files"]), (&Value::Null, &json!(0), &json!([])));
    let run = house.run(&["ast-edit", "--json", "x", "x"]).code(1);
    assert_eq!((&run.object()["proposal"], &run.object()["changes"]), (&Value::Null, &json!(0)));
    let run = house.run(&["proposals", "--json"]).code(1);
    assert_eq!(run.object(), json!({"proposals": []}));
    assert!(house.run(&["rewrite", "old($A)", "nu($A)"]).code(1).out.starts_with("no match"));
}

#[test]
fn a_rewrite_never_switches_its_reading() {
    let house = house(&[("a.js", "let o = { k: v };\n")]);
    let run = house.run(&["ast-edit", "--json", "-l", "js", "k: $V", "k: f($V)"]).code(2);
    says(&run, "bad_input", &["`pair`", "--context pair", "labeled_statement"]);
    let plan = prepare(&house, &["-l", "js", "--context", "pair", "k: $V", "k: f($V)"]);
    assert_eq!(plan["changes"], 1);
}

#[test]
fn more_matches_than_the_limit_are_an_error() {
    let house = house(&[("a.js", "old(1);\nold(2);\n")]);
    let run = house.run(&["ast-edit", "--json", "--max", "1", "old($A)", "nu($A)"]).code(2);
    says(&run, "bad_input", &["2 matches", "--max 1"]);
    house.run(&["proposals"]).code(1);
    prepare(&house, &["--max", "2", "old($A)", "nu($A)"]);
}

#[test]
fn comments_are_lost_only_with_consent() {
    let house = house(&[("a.js", "old(1, /* why */ 2);\nold(3, 4);\n")]);
    let plan = prepare(&house, &["old($A, $B)", "nu()", "--allow-comment-loss"]);
    assert_eq!(
        (&plan["changes"], &plan["dropped_comments"]),
        (&json!(2), &json!([{"file": "a.js", "line": 1, "text": "/* why */"}]))
    );
    let plan = house.run(&["ast-edit", "--json", "old($A, $B)", "nu()"]);
    // Either the comment found a place in the new code, or its match is refused; lost it is not.
    let plan = plan.code(0).object();
    let refused = plan["refused"].as_array().unwrap();
    assert!(plan["diff"].as_str().unwrap().contains("why") || refused[0]["reason"] == "comment_loss", "{plan:#}");
    assert_eq!(plan["dropped_comments"], json!([]));
}

#[test]
fn ignored_files_are_refused_unless_named() {
    let house = house(&[(".gitignore", "gen/\n"), ("a.js", "old(1);\n"), ("gen/b.js", "old(2);\n")]);
    let plan = prepare(&house, &["old($A)", "nu($A)"]);
    assert_eq!(plan["files"].as_array().unwrap().len(), 1);
    let plan = prepare(&house, &["--no-ignore", "old($A)", "nu($A)"]);
    assert_eq!(plan["files"].as_array().unwrap().len(), 1);
    let refused = &plan["refused"][0];
    assert_eq!((&refused["file"], &refused["reason"]), (&json!("gen/b.js"), &json!("ignored")));
    says(&house.run(&["ast-edit", "--json", "old($A)", "nu($A)", "gen"]).code(2), "refused", &["gen/b.js"]);
    let plan = prepare(&house, &["old($A)", "nu($A)", "gen/b.js"]);
    assert_eq!(plan["files"][0]["path"], "gen/b.js");
}

#[test]
fn read_only_files_are_refused_unless_allowed() {
    let house = house(&[("a.js", "old(1);\n")]);
    let path = house.root.join("a.js");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o444)).unwrap();
    let run = house.run(&["ast-edit", "--json", "old($A)", "nu($A)"]).code(2);
    says(&run, "refused", &["a.js"]);
    assert_eq!(run.object()["error"]["refused"][0]["reason"], "read_only");
    let plan = prepare(&house, &["--allow-read-only", "old($A)", "nu($A)"]);
    house.run(&["resolve", id(&plan), "accept"]).code(0);
    assert_eq!(house.read("a.js"), "nu(1);\n");
    assert_eq!(path.metadata().unwrap().permissions().mode() & 0o777, 0o444);
}

#[test]
fn a_file_outside_of_the_root_is_refused() {
    let house = house(&[("in/a.js", "old(1);\n"), ("b.js", "old(2);\n")]);
    let run = house.run(&["--root", "in", "ast-edit", "--json", "old($A)", "nu($A)", "../b.js"]);
    let run = run.code(2);
    says(&run, "refused", &["b.js"]);
    assert_eq!(run.object()["error"]["refused"][0]["reason"], "outside_workspace");
}

#[test]
fn two_processes_prepare_at_once() {
    let house = house(&[("a.js", "old(1);\n"), ("b.js", "two(1);\n")]);
    let start = |pattern: &str, template: &str| {
        let mut command: Command = house.command(&["ast-edit", "--json", pattern, template]);
        command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
    };
    let children: Vec<_> = (0..4).flat_map(|_| [start("old($A)", "nu($A)"), start("two($A)", "zwei($A)")]).collect();
    let plans: Vec<Value> = children
        .into_iter()
        .map(|child| {
            let output = child.wait_with_output().unwrap();
            assert!(output.status.success(), "{output:?}");
            serde_json::from_slice(&output.stdout).unwrap()
        })
        .collect();
    let mut ids: Vec<&str> = plans.iter().map(id).collect();
    ids.sort_unstable();
    ids.dedup();
    assert_eq!(ids.len(), 8);
    // The first of each kind is accepted; the others find that the file is not what it was.
    house.run(&["resolve", id(&plans[0]), "accept"]).code(0);
    house.run(&["resolve", id(&plans[1]), "accept"]).code(0);
    for plan in &plans[2..] {
        says(&house.run(&["resolve", id(plan), "accept", "--json"]).code(2), "stale", &[".js"]);
    }
    assert_eq!((house.read("a.js"), house.read("b.js")), ("nu(1);\n".to_owned(), "zwei(1);\n".to_owned()));
}

#[test]
fn bytes_outside_of_edits_stay_bytes() {
    let house = house(&[]);
    house.write("a.py", b"\xef\xbb\xbfold(1)  # caf\xe9\r\nx = '\xff'\r\nold(2)");
    let plan = prepare(&house, &["old($A)", "nu($A)"]);
    assert!(plan["diff"].as_str().unwrap().contains("caf\u{fffd}"));
    house.run(&["resolve", id(&plan), "accept"]).code(0);
    let now = fs::read(house.root.join("a.py")).unwrap();
    assert_eq!(now, b"\xef\xbb\xbfnu(1)  # caf\xe9\r\nx = '\xff'\r\nnu(2)");
}

#[test]
fn a_hyphen_may_begin_a_pattern_and_a_template() {
    let house = house(&[("a.js", "f(-x);\n")]);
    let plan = prepare(&house, &["-l", "js", "-x", "-y"]);
    assert!(plan["diff"].as_str().unwrap().contains("+f(-y);"));
    let plan = prepare(&house, &["-l", "js", "f($A)", ""]);
    assert!(plan["diff"].as_str().unwrap().contains("-f(-x);"));
}
