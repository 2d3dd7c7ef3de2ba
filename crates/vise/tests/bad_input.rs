//! Whatever is thrown at it: a clear error or a counted skip, never a panic, a hang, or "no match" where the truth is
//! "could not look".

mod common;

use std::fs;
use std::io::Read;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::process::Stdio;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use common::{House, Run, house, says};
use serde_json::json;

fn small() -> House {
    house(&[("a.py", "f(1)\n"), ("b.js", "f(1);\n")])
}

#[track_caller]
fn skipped(run: &Run, file: &str, why: &str) {
    let summary = run.search().1;
    assert!(
        summary["skipped"].as_array().unwrap().contains(&json!({"file": file, "why": why})),
        "no `{file}` {why} in {summary:#}"
    );
}

#[test]
fn patterns_that_do_not_parse() {
    let house = small();
    says(&house.run(&["grep", "--json", "f($A]"]).code(2), "bad_input", &["`python`", "`javascript`", "column"]);
    says(&house.run(&["grep", "--json", "-l", "py", "f($A]"]).code(2), "bad_input", &["`f($A]`", "python"]);
    says(&house.run(&["grep", "--json", "f($1)"]).code(2), "bad_input", &["$1", "$A1"]);
    says(&house.run(&["grep", "--json", ""]).code(2), "bad_input", &["empty"]);
    says(&house.run(&["grep", "--json", "f($A)", "--inside", "class ]"]).code(2), "bad_input", &["--inside"]);
    // Also where there is no file to try it on.
    let empty = common::house(&[]);
    says(&empty.run(&["grep", "--json", "f($1)"]).code(2), "bad_input", &["$A1"]);
    says(&empty.run(&["grep", "--json", "-l", "py", "f($A]"]).code(2), "bad_input", &["python"]);
    let words = house.run(&["grep", "-l", "py", "f($A]"]).code(2).err;
    assert!(words.contains("^ here"), "{words}");
}

#[test]
fn a_pattern_that_some_language_reads_is_no_error() {
    let house = small();
    let run = house.run(&["grep", "--json", "f($A);"]);
    assert_eq!(run.code, 0, "{run:?}");
    let house = common::house(&[("a.py", "x = 1\n"), ("b.js", "f(() => 1);\n")]);
    let run = house.run(&["grep", "--json", "f(() => $A)"]).code(0);
    assert_eq!(run.search().1["not_read_by"], json!(["python"]));
}

#[test]
fn names_that_do_not_exist() {
    let house = small();
    says(&house.run(&["grep", "--json", "-l", "pyhton", "x"]).code(2), "bad_input", &["`pyhton`", "`python`"]);
    says(&house.run(&["grep", "--json", "x", "gone"]).code(2), "bad_input", &["no such path", "gone"]);
    says(&house.run(&["ast-edit", "--json", "f($A)", "g($B)"]).code(2), "bad_input", &["$B", "$A"]);
    says(&house.run(&["grep", "--json", "--context", "sideways", "x"]).code(2), "bad_input", &["sideways"]);
    says(&house.run(&["grep", "--json", "--context", "case", "-l", "json", "[1]"]).code(2), "bad_input", &["json"]);
    says(&house.run(&["grep", "--json", "--kind", "calll", "f($A)"]).code(2), "bad_input", &["`calll`"]);
    says(&house.run(&["grep", "--json", "--where", "B=x", "f($A)"]).code(2), "bad_input", &["$B", "$A"]);
    says(&house.run(&["grep", "--json", "--where", "A=(", "f($A)"]).code(2), "bad_input", &["regular expression"]);
    says(&house.run(&["grep", "--json", "--where", "A", "f($A)"]).code(2), "bad_input", &["X=REGEX"]);
    says(&house.run(&["grep", "--json", "--glob", "a[", "f($A)"]).code(2), "bad_input", &["a["]);
    says(&house.run(&["--root", "gone", "--json", "grep", "x"]).code(2), "bad_input", &["gone"]);
    says(&house.run(&["grep", "--json"]).code(2), "bad_input", &["PATTERN"]);
    says(&house.run(&["nonsense", "--json"]).code(2), "bad_input", &["nonsense"]);
}

#[test]
fn a_path_in_the_place_of_the_pattern() {
    let house = common::house(&[("src/a.py", "f(1)\n")]);
    says(&house.run(&["grep", "--json", "src/"]).code(2), "bad_input", &["`src/` is a path", "PATTERN"]);
    says(&house.run(&["grep", "--json", "src/a.py"]).code(2), "bad_input", &["is a path"]);
}

#[test]
fn files_that_are_no_text() {
    let house = common::house(&[("ok.py", "f(1)\n")]);
    house.write("nul.py", b"f(1)\n\0");
    house.write("huge.py", &b"f(1)\n".repeat(2_200_000));
    house.write("bundle.js", format!("f(1);{}\n", "x;".repeat(60_000)).as_bytes());
    let run = house.run(&["grep", "--json", "f($A)"]).code(0);
    skipped(&run, "nul.py", "binary");
    skipped(&run, "huge.py", "too_large");
    skipped(&run, "bundle.js", "minified");
    assert_eq!(run.search().0.len(), 1);
    let words = house.run(&["grep", "f($A)"]).code(0).err;
    assert!(words.contains("skipped: 1 too large: `huge.py`"), "{words}");
    // Who names a minified file wants it searched; NUL bytes stay NUL bytes.
    assert_eq!(house.run(&["grep", "--json", "f($A)", "bundle.js"]).code(0).search().0.len(), 1);
    skipped(&house.run(&["grep", "--json", "f($A)", "nul.py"]).code(1), "nul.py", "binary");
}

#[test]
fn one_long_line_with_many_matches_is_not_repeated_for_each() {
    let house = common::house(&[]);
    house.write("bundle.js", "f(1);".repeat(40_000).as_bytes());
    let start = Instant::now();
    let run = house.run(&["grep", "--json", "f($A)", "bundle.js"]).code(0);
    assert_eq!(run.out.lines().count(), 40_001);
    assert!(run.out.len() < 200 << 20, "{} bytes", run.out.len());
    assert!(start.elapsed() < Duration::from_secs(60));
}

#[test]
fn files_that_are_not_utf8_are_searched_as_bytes_and_mentioned_once() {
    let house = common::house(&[]);
    house.write("a.py", b"x = 'caf\xe9'; f('\xff\xe9', 1)\n");
    house.write("b.py", b"f('\xff', 2)\n");
    let run = house.run(&["grep", "--json", "f($A, $B)"]).code(0);
    let (matches, summary) = run.search();
    assert_eq!(matches[0]["text"], "f('\u{fffd}\u{fffd}', 1)");
    assert_eq!(matches[0]["range"]["start"], json!({"line": 0, "column": 12}));
    assert_eq!(matches[0]["range"]["end"], json!({"line": 0, "column": 22}));
    assert_eq!(summary["not_utf8"], json!(["a.py", "b.py"]));
    let words = house.run(&["grep", "f($A, $B)"]).code(0).err;
    assert_eq!(words.matches("UTF-8").count(), 1, "{words}");
}

#[test]
fn folders_that_cannot_be_read_and_links_that_go_in_circles() {
    let house = small();
    fs::create_dir(house.root.join("locked")).unwrap();
    house.write("locked/c.py", b"f(1)\n");
    symlink(&house.root, house.root.join("circle")).unwrap();
    symlink("nowhere", house.root.join("dangling.py")).unwrap();
    fs::set_permissions(house.root.join("locked"), fs::Permissions::from_mode(0o0)).unwrap();
    let run = house.run(&["grep", "--json", "f($A)"]).code(0);
    // An administrator reads it all the same.
    if fs::read_dir(house.root.join("locked")).is_err() {
        skipped(&run, "locked", "unreadable");
    }
    assert!(!run.out.contains("circle"));
    fs::set_permissions(house.root.join("locked"), fs::Permissions::from_mode(0o755)).unwrap();
    says(&house.run(&["grep", "--json", "f($A)", "dangling.py"]).code(2), "bad_input", &["dangling.py"]);
    // A link that is named is followed.
    house.run(&["grep", "f($A)", "circle"]).code(0);
}

#[test]
fn a_pipe_is_no_file() {
    let house = small();
    let made = std::process::Command::new("mkfifo").arg(house.root.join("pipe.py")).status();
    if made.is_ok_and(|status| status.success()) {
        let run = house.run(&["grep", "--json", "f($A)", "pipe.py"]);
        skipped(&run.code(1), "pipe.py", "not_a_file");
        house.run(&["grep", "f($A)"]).code(0);
    }
}

#[test]
fn files_that_come_and_go_meanwhile() {
    let house = small();
    let done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let mut number = 0;
            while !done.load(Ordering::Relaxed) {
                let folder = house.root.join(format!("d{}", number % 5));
                let _ = fs::create_dir(&folder);
                for file in 0..20 {
                    let _ = fs::write(folder.join(format!("{file}.py")), "f(1)\n");
                }
                let _ = fs::remove_dir_all(&folder);
                number += 1;
            }
        });
        for _ in 0..20 {
            let run = house.run(&["grep", "--json", "f($A)"]).code(0);
            run.search();
        }
        done.store(true, Ordering::Relaxed);
    });
}

#[test]
fn absurd_patterns() {
    let house = small();
    let many = format!("f({})", vec!["$A"; 10_000].join(", "));
    says(&house.run(&["grep", "--json", &many]).code(2), "bad_input", &["10000 metavariables"]);
    let deep = format!("{}x{}", "(".repeat(20_000), ")".repeat(20_000));
    let run = house.run(&["grep", "--json", "-l", "py", &deep]);
    assert!(run.code == 1 || run.code == 2, "{}", run.code);
    let lists = format!("f({})", vec!["$$$A"; 30].join(", "));
    house.write("c.py", format!("f({}1)\n", "1, ".repeat(300)).as_bytes());
    let start = Instant::now();
    let run = house.run(&["grep", "--json", "-l", "py", &lists]);
    assert!(run.code <= 2 && start.elapsed() < Duration::from_secs(30), "{:?}", start.elapsed());
}

#[test]
fn absurd_sources() {
    let house = common::house(&[]);
    let deep = |depth| format!("f(1);\n{}1{};\n", "(".repeat(depth), ")".repeat(depth));
    house.write("a.js", deep(100_000).as_bytes());
    house.write("b.js", deep(20_000).as_bytes());
    let start = Instant::now();
    let run = house.run(&["grep", "--json", "f($A)", "a.js"]);
    // Searched, or listed as more work than a file of this size may take.
    let (matches, summary) = run.search();
    assert!(matches.len() == 1 || summary["skipped"][0]["why"] == "budget", "{summary}");
    // Matches that hold each other: what is printed stays within bounds.
    let run = house.run(&["grep", "--json", "($A)", "b.js"]);
    assert!(run.out.len() < 128 << 20, "{} bytes", run.out.len());
    assert_eq!(run.search().1["matches"].as_u64().unwrap_or(0) as usize, run.search().0.len());
    house.run(&["ast-edit", "--json", "f($A)", "g($A)", "a.js"]);
    house.run(&["dump", "a.js"]);
    assert!(start.elapsed() < Duration::from_secs(60), "{:?}", start.elapsed());
}

#[test]
fn a_closed_standard_output_is_no_failure() {
    let house = common::house(&[("a.py", &"f(1)\n".repeat(50_000))]);
    for arguments in [vec!["grep", "f($A)"], vec!["grep", "--json", "f($A)"], vec!["dump", "a.py"], vec!["--help"]] {
        let mut child = house.command(&arguments).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let mut first = [0; 10];
        let mut out = child.stdout.take().unwrap();
        let _ = out.read(&mut first);
        drop(out);
        let output = child.wait_with_output().unwrap();
        let words = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(0), "{arguments:?} {words}");
        assert!(!words.contains("panicked"), "{words}");
    }
}

#[test]
fn an_output_that_cannot_be_written_is_a_failure() {
    let Ok(full) = fs::OpenOptions::new().write(true).open("/dev/full") else { return };
    let house = common::house(&[("a.py", &"f(1)\n".repeat(1000))]);
    let output = house.command(&["grep", "f($A)"]).stdout(full).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("cannot be written"));
}

#[test]
fn an_interrupted_search_ends_with_130() {
    let house = common::house(&[]);
    for number in 0..400 {
        house.write(&format!("{number}.py"), &b"f(g(h(1, 2), 3), 4)\n".repeat(5_000));
    }
    let mut child = house
        .command(&["--threads", "1", "grep", "--json", "$A($$$B)"])
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    std::thread::sleep(Duration::from_millis(700));
    let killed = std::process::Command::new("kill").args(["-INT", &child.id().to_string()]).status();
    assert!(killed.is_ok_and(|status| status.success()));
    let start = Instant::now();
    let status = child.wait().unwrap();
    assert_eq!(status.code(), Some(130));
    assert!(start.elapsed() < Duration::from_secs(10));
}

#[test]
fn configuration_that_is_wrong_says_where() {
    let house = small();
    fs::write(house.config().join("config.toml"), "[search]\nmax_per_anser = 1\n").unwrap();
    says(
        &house.run(&["grep", "--json", "f($A)"]).code(2),
        "bad_input",
        &["max_per_anser", "max_per_answer", "config.toml"],
    );
    fs::write(house.config().join("config.toml"), "[search]\nmax_file_bytes = 3\n").unwrap();
    skipped(&house.run(&["grep", "--json", "f($A)"]).code(1), "a.py", "too_large");
    // The project's file wins over the user's.
    house.write("vise.toml", b"[search]\nmax_file_bytes = 1000\n");
    house.run(&["grep", "f($A)"]).code(0);
    // A checkout cannot make us load its code.
    house.write("vise.toml", b"[search]\nmax_file_bytes = 1000\n[languages.evil]\nlibrary = 'evil.so'\ndata = '.'\n");
    let run = house.run(&["grep", "f($A)"]).code(0);
    assert!(run.err.contains("not trusted") && run.err.contains("`evil`"), "{}", run.err);
    let output = house.command(&["grep", "--json", "f($A)"]).env("VISE_TRUST", "1").output().unwrap();
    assert_eq!(output.status.code(), Some(2), "{output:?}");
}

#[test]
fn help_names_what_works_and_nothing_else() {
    let house = small();
    let help = house.run(&["--help"]).code(0).out;
    for command in [
        "graph",
        "ast-grep",
        "ast-edit",
        "write",
        "edit",
        "apply-patch",
        "show",
        "proposals",
        "resolve",
        "undo",
        "recover",
        "lsp",
        "check",
        "daemon",
        "doctor",
        "trust",
        "debug",
        "mcp",
        "init",
        "dump",
        "tour",
    ] {
        assert!(help.contains(command), "{command}");
    }
    for later in ["review", "scan"] {
        assert!(!help.contains(&format!("\n  {later}")), "{later}");
    }
    house.run(&["grep", "--help"]).code(0);
    house.run(&["--version"]).code(0);
}
