//! The example on each tool's page is a command that works.

mod common;

use common::house;

/// The words of the command on a page, quotes taken off.
fn example(page: &str) -> Vec<String> {
    let line = page
        .lines()
        .find_map(|line| line.strip_prefix("    vise ").or(line.split_once("| vise ").map(|(_, rest)| rest)))
        .unwrap();
    let mut words = Vec::new();
    for (number, piece) in line.split('\'').enumerate() {
        if number % 2 == 1 {
            words.push(piece.to_owned());
        } else {
            words.extend(piece.split_whitespace().map(ToOwned::to_owned));
        }
    }
    words
}

#[test]
fn examples_work() {
    let house = house(&[
        ("src/a.ts", "if (v != null) v.dispose()\nif (v != null) w.dispose()\n"),
        (
            "store.py",
            "class Store:\n    def save(self):\n        return 1\n\n\ndef use():\n    return Store().save()\n",
        ),
        ("src/config.js", "timeout: 30\n"),
        ("tests/a.py", "class T:\n    def t(self):\n        self.assertEqual(f(1), True)\n"),
    ]);
    let run = |words: &[String]| house.run(&words.iter().map(String::as_str).collect::<Vec<_>>()).code(0);

    let depend = run(&example(include_str!("../../tools/src/graph.md"))).out;
    assert!(depend.contains("store.py\n    6  use  receiver\n"), "{depend}");
    let found = run(&example(include_str!("../../tools/src/ast_grep.md"))).out;
    assert_eq!(found, "src/a.ts:1:1  if (v != null) v.dispose()\n");
    let prepared = run(&example(include_str!("../../tools/src/ast_edit.md"))).out;
    assert!(prepared.contains("+        self.assertTrue(f(1))"), "{prepared}");
    let id = prepared.split([' ', ',']).nth(4).unwrap().to_owned();
    let mut words = example(include_str!("../../tools/src/resolve.md"));
    words[1] = id[..6].to_owned();
    assert!(run(&words).out.starts_with("accepted"));

    // What comes by the standard input comes from another command, or a file.
    let fed = |page: &str, input: &str| {
        let mut words = example(page);
        words.truncate(words.iter().position(|word| word == "<" || word == "|").unwrap_or(words.len()));
        house.run_with_input(&words.iter().map(String::as_str).collect::<Vec<_>>(), input.as_bytes()).code(0)
    };
    fed(include_str!("../../tools/src/write.md"), "hello\n");
    assert_eq!(house.read("notes.txt"), "hello\n");
    run(&example(include_str!("../../tools/src/edit.md")));
    assert_eq!(house.read("src/config.js"), "timeout: 60\n");
    fed(
        include_str!("../../tools/src/apply_patch.md"),
        "--- a/notes.txt\n+++ b/notes.txt\n@@ -1 +1 @@\n-hello\n+bye\n",
    );
    assert_eq!(house.read("notes.txt"), "bye\n");
}
