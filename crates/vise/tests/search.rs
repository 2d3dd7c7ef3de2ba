//! `vise ast-grep`, end to end: the contract's JSON, exit codes, filters, order.

mod common;

use common::{house, says};
use serde_json::{Value, json};

#[test]
fn a_match_line_is_the_contracts() {
    let house = house(&[("src/a.js", "x;\nf(aé, b);\n")]);
    let run = house.run(&["ast-grep", "-l", "js", "--json", "f($A, $$$REST)"]).code(0);
    let (matches, summary) = run.search();
    let range = |bytes: [usize; 2], line: usize, columns: [usize; 2]| {
        json!({
            "byteOffset": {"start": bytes[0], "end": bytes[1]},
            "start": {"line": line, "column": columns[0]},
            "end": {"line": line, "column": columns[1]},
        })
    };
    assert_eq!(
        matches,
        [json!({
            "file": "src/a.js",
            "text": "f(aé, b)",
            "range": range([3, 12], 1, [0, 8]),
            "lines": "f(aé, b);",
            "language": "javascript",
            "rung": "expression",
            "reading": "call_expression",
            "metaVariables": {
                "single": {"A": {"text": "aé", "range": range([5, 8], 1, [2, 4])}},
                "multi": {"REST": [{"text": "b", "range": range([10, 11], 1, [6, 7])}]},
            },
        })]
    );
    assert_eq!(summary["matches"], 1);
    assert_eq!(summary["files"], 1);
    assert_eq!(summary["files_searched"], 1);
    assert_eq!(summary["skipped"], json!([]));
    assert_eq!(summary["truncated"], false);
    let first = &summary["readings"][0];
    assert_eq!(
        (&first["rung"], &first["reading"], &first["matches"]),
        (&json!("expression"), &json!("call_expression"), &json!(1))
    );
}

#[test]
fn exit_codes_say_found_none_and_error() {
    let house = house(&[("a.rs", "fn main() { f(1); }\n")]);
    house.run(&["grep", "f(1)"]).code(0);
    let run = house.run(&["grep", "f(2)"]).code(1);
    assert_eq!(run.out, "");
    assert!(run.err.contains("no match in 1 file"), "{}", run.err);
    house.run(&["grep", "f(", "-l", "rust"]).code(2);
    let run = house.run(&["grep", "--json", "f(2)"]).code(1);
    assert_eq!(run.search().1["matches"], 0);
}

#[test]
fn text_is_for_people() {
    let house = house(&[("a.py", "def f():\n    x = g(1)\n    return x\n")]);
    let run = house.run(&["grep", "g($A)", "-C", "1"]).code(0);
    assert_eq!(run.out, "a.py-1-  def f():\na.py:2:9  x = g(1)\na.py-3-      return x\n");
    assert!(run.err.contains("1 match in 1 file (1 file searched); read as call"), "{}", run.err);
    assert_eq!(house.run(&["-q", "grep", "g($A)"]).err, "");
}

#[test]
fn commands_in_a_file_do_not_reach_the_terminal() {
    let house = house(&[("a.py", "f('\u{1b}[31m\u{202e}')\n")]);
    let run = house.run(&["grep", "f($A)"]).code(0);
    assert_eq!(run.out, "a.py:1:1  f('\\u{1b}[31m\\u{202e}')\n");
    let (matches, _) = house.run(&["grep", "--json", "f($A)"]).code(0).search();
    assert_eq!(matches[0]["text"], "f('\u{1b}[31m\u{202e}')");
}

#[test]
fn colours_come_when_asked_for() {
    let house = house(&[("a.py", "f(1)\n")]);
    assert!(house.run(&["grep", "f($A)", "--color", "always"]).out.contains("\u{1b}["));
    assert!(!house.run(&["grep", "f($A)", "--color", "never"]).out.contains('\u{1b}'));
    assert!(!house.run(&["grep", "f($A)"]).out.contains('\u{1b}'));
}

#[test]
fn order_is_by_path_and_place_whatever_the_threads_do() {
    let mut files = Vec::new();
    for number in 0..300 {
        files.push((format!("d{}/f{number}.py", number % 7), "f(g(1), f(2))\n".repeat(1 + number % 5)));
    }
    let files: Vec<_> = files.iter().map(|(name, text)| (name.as_str(), text.as_str())).collect();
    let house = house(&files);
    let one = house.run(&["--threads", "1", "grep", "--json", "f($$$A)"]).code(0);
    for threads in ["2", "3", "8"] {
        assert_eq!(house.run(&["--threads", threads, "grep", "--json", "f($$$A)"]).out, one.out);
    }
    let place = |found: &Value| {
        let start = found["range"]["byteOffset"]["start"].as_u64().unwrap();
        let end = found["range"]["byteOffset"]["end"].as_u64().unwrap();
        (found["file"].as_str().unwrap().to_owned(), start, std::cmp::Reverse(end))
    };
    let places: Vec<_> = one.search().0.iter().map(place).collect();
    assert!(places.is_sorted());
}

#[test]
fn max_caps_what_is_printed_and_counts_all() {
    let house = house(&[("a.py", "f(1)\nf(2)\nf(3)\n"), ("b.py", "f(4)\n")]);
    let (matches, summary) = house.run(&["grep", "--json", "--max", "2", "f($A)"]).code(0).search();
    assert_eq!((matches.len(), &summary["matches"], &summary["truncated"]), (2, &json!(4), &json!(true)));
    let (matches, summary) = house.run(&["grep", "--json", "--max", "0", "f($A)"]).code(0).search();
    assert_eq!((matches.len(), &summary["matches"]), (0, &json!(4)));
}

#[test]
fn files_and_counts() {
    let house = house(&[("a.py", "f(1)\nf(2)\n"), ("b.py", "g(4)\n"), ("c.py", "f(1)\n")]);
    let (lines, summary) = house.run(&["grep", "--json", "--count", "f($A)"]).code(0).search();
    assert_eq!(lines, [json!({"file": "a.py", "matches": 2}), json!({"file": "c.py", "matches": 1})]);
    assert_eq!((&summary["matches"], &summary["files"]), (&json!(3), &json!(2)));
    assert_eq!(house.run(&["grep", "--count", "f($A)"]).out, "a.py:2\nc.py:1\n");
    assert_eq!(house.run(&["grep", "--files", "f($A)"]).out, "a.py\nc.py\n");
    let (lines, summary) = house.run(&["grep", "--json", "--files", "--max", "1", "f($A)"]).code(0).search();
    assert_eq!((lines.len(), &summary["truncated"]), (1, &json!(true)));
}

#[test]
fn filters_narrow() {
    let text = "class A:\n    def m(self):\n        f(one)\n        f(two(3))\nf(one)\n";
    let house = house(&[("a.py", text)]);
    let lines = |filters: &[&str]| {
        let arguments: Vec<&str> = ["grep", "--json", "f($X)"].iter().chain(filters).copied().collect();
        let (matches, _) = house.run(&arguments).search();
        matches.iter().map(|one| one["range"]["start"]["line"].as_u64().unwrap() + 1).collect::<Vec<_>>()
    };
    assert_eq!(lines(&[]), [3, 4, 5]);
    assert_eq!(lines(&["--where", "X=^one$"]), [3, 5]);
    assert_eq!(lines(&["--not-where", "X=^one$"]), [4]);
    assert_eq!(lines(&["--inside", "class $C: $$$B"]), [3, 4]);
    assert_eq!(lines(&["--not-inside", "class $C: $$$B"]), [5]);
    assert_eq!(lines(&["--has", "two($Y)"]), [4]);
    assert_eq!(lines(&["--not-has", "two($Y)"]), [3, 5]);
    assert_eq!(lines(&["--kind", "call"]), [3, 4, 5]);
    assert_eq!(lines(&["--kind", "comment"]), [0_u64; 0]);
}

#[test]
fn which_files_are_looked_at() {
    let house = house(&[
        (".gitignore", "ignored/\n"),
        ("a.py", "f(1)\n"),
        ("ignored/b.py", "f(1)\n"),
        (".hidden/c.py", "f(1)\n"),
        ("d.unknown", "f(1)\n"),
        ("script", "#!/usr/bin/env python3\nf(1)\n"),
        ("e.json", "[1]\n"),
    ]);
    let files = |arguments: &[&str]| {
        let arguments: Vec<&str> = ["grep", "--files", "f($A)"].iter().chain(arguments).copied().collect();
        house.run(&arguments).out.lines().map(ToOwned::to_owned).collect::<Vec<_>>().join(" ")
    };
    assert_eq!(files(&[]), "a.py script");
    assert_eq!(files(&["--no-ignore"]), "a.py ignored/b.py script");
    assert_eq!(files(&["--hidden"]), ".hidden/c.py a.py script");
    assert_eq!(files(&["ignored/b.py"]), "ignored/b.py");
    assert_eq!(files(&["--glob", "!a.py"]), "script");
    assert_eq!(files(&["-l", "python", "d.unknown"]), "d.unknown");
    assert_eq!(files(&["-l", "rust"]), "");
    // Markup only when asked for.
    house.run(&["grep", "[$A]", "-l", "json"]).code(0);
    let run = house.run(&["grep", "[$A]"]).code(1);
    assert!(!run.out.contains("e.json"));
}

#[test]
fn paths_are_those_of_the_current_folder_and_answers_those_of_the_root() {
    let house = house(&[(".git/HEAD", ""), ("sub/a.py", "f(1)\n"), ("b.py", "f(1)\n")]);
    let sub = house.root.join("sub");
    assert_eq!(house.run_in(&sub, &["grep", "--files", "f($A)"]).out, "sub/a.py\n");
    assert_eq!(house.run_in(&sub, &["grep", "--files", "f($A)", ".."]).out, "b.py\nsub/a.py\n");
    assert_eq!(house.run_in(&sub, &["--root", ".", "grep", "--files", "f($A)"]).out, "a.py\n");
}

#[test]
fn the_standard_input_is_a_file_called_dash() {
    let house = house(&[]);
    let run = house.run_with_input(&["grep", "--stdin", "-l", "py", "--json", "f($A)"], b"f(1)\n").code(0);
    assert_eq!(run.search().0[0]["file"], "-");
    says(&house.run_with_input(&["grep", "--stdin", "--json", "f($A)"], b"f(1)\n").code(2), "bad_input", &["-l LANG"]);
}

#[test]
fn another_reading_is_named_and_used_where_the_first_finds_nothing() {
    let house = house(&[("a.js", "let o = { k: v };\n")]);
    let run = house.run(&["grep", "--json", "-l", "js", "k: $V"]).code(0);
    let (matches, summary) = run.search();
    assert_eq!(matches[0]["reading"], "pair");
    assert_eq!(summary["switched"], true);
    let text = house.run(&["grep", "-l", "js", "k: $V"]).err;
    assert!(text.contains("read as pair") && text.contains("labeled_statement"), "{text}");
    let run = house.run(&["grep", "--json", "-l", "js", "--context", "pair", "k: $V"]).code(0);
    assert!(run.search().1.get("switched").is_none());
}

#[test]
fn a_header_is_a_partial_match() {
    let house = house(&[("a.py", "def f(a):\n    return a\n")]);
    let (matches, _) = house.run(&["grep", "--json", "def $F($A):"]).code(0).search();
    assert_eq!((&matches[0]["partial"], &matches[0]["text"]), (&json!(true), &json!("def f(a):")));
}

#[test]
fn near_misses_say_what_differed() {
    let house = house(&[("a.py", "call(1, flag=True, more)\n")]);
    let run = house.run(&["grep", "--json", "call(1, flag=True)"]).code(1);
    let near = &run.search().1["near_miss"];
    assert_eq!((&near["file"], &near["line"], &near["found"]), (&json!("a.py"), &json!(1), &json!("more")), "{near}");
    let text = house.run(&["grep", "call(1, flag=True)"]).err;
    assert!(text.contains("nearest: a.py:1") && text.contains("`more`"), "{text}");
}

#[test]
fn language_files_are_read_at_run_time() {
    let house = house(&[("a.zzz", "f(1)\n")]);
    let grammar = "name = 'python'\ngrammar = 'python'\nextensions = ['zzz']\nexpression_statements = \
                   ['expression_statement']\n[[rung]]\nname = 'statement'\nscaffolds = ['§']\n";
    house.write("data/grammars/python/language.toml", grammar.as_bytes());
    house.run(&["--data", "data", "grep", "f($A)", "-l", "python", "a.zzz"]).code(0);
    let run = house.run(&["--data", "data", "grep", "--files", "f($A)"]).code(0);
    assert_eq!(run.out, "a.zzz\n");
    says(&house.run(&["--data", "nowhere", "--json", "grep", "f($A)"]).code(2), "bad_input", &["nowhere"]);
    house.write("data/grammars/python/language.toml", b"name = 'python'\ngrammar = 'nothing'\n");
    says(&house.run(&["--data", "data", "--json", "grep", "f($A)"]).code(2), "bad_input", &["`nothing`"]);
}

#[test]
fn dump_shows_trees_and_ladders() {
    let house = house(&[("a.py", "f(1\n")]);
    let run = house.run(&["dump", "a.py"]).code(0);
    assert!(run.out.contains("function: identifier [1:1 - 1:2] `f`") || run.out.contains("ERROR"), "{}", run.out);
    let tree = house.run(&["dump", "a.py", "--json"]).code(0).object();
    assert_eq!((&tree["language"], &tree["nodes"][0]["depth"]), (&json!("python"), &json!(0)));
    let run = house.run(&["dump", "--pattern", "f($A)", "-l", "python"]).code(0);
    assert!(run.out.starts_with("statement: read as call"), "{}", run.out);
    let run = house.run(&["dump", "--pattern", "f($A)", "-l", "python", "--json"]).code(0);
    assert_eq!(run.object()["rungs"][0]["readings"][0]["reading"], "call");
    house.run(&["dump", "--pattern", "f($A)"]).code(2);
    house.run(&["dump", "gone.py"]).code(2);
    house.run(&["dump"]).code(2);
}
