//! `vise write`, `edit` and `apply-patch`, end to end.

mod common;

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::process::Command;

use common::{House, house, says};
use serde_json::json;

#[test]
fn a_file_is_written_as_it_is() {
    let house = house(&[("a.txt", "old\n")]);
    fs::set_permissions(house.root.join("a.txt"), fs::Permissions::from_mode(0o755)).unwrap();
    let bytes = b"\xef\xbb\xbfone\r\ntwo\xff";
    let answer = house.run_with_input(&["write", "a.txt", "--json"], bytes).code(0).object();
    assert_eq!((&answer["state"], &answer["files"]), (&json!("accepted"), &json!(["a.txt"])));
    assert!(answer["diagnostics"].is_null() && answer["notes"][0].as_str().unwrap().contains("not checked"));
    assert_eq!(fs::read(house.root.join("a.txt")).unwrap(), bytes);
    assert_eq!(fs::metadata(house.root.join("a.txt")).unwrap().permissions().mode() & 0o777, 0o755);
    // The same again is done already, and a proposal stops where it is asked to.
    let again = house.run_with_input(&["write", "a.txt", "--json"], bytes).code(0).object();
    assert!(again["proposal"].is_null());
    house.run_with_input(&["write", "n/e/w", "--prepare"], b"").code(0);
    assert!(!house.root.join("n").exists());
    house.run_with_input(&["write", "n/e/w"], b"").code(0);
    assert_eq!(house.read("n/e/w"), "");
}

#[test]
fn what_may_not_be_written_is_refused() {
    let house = house(&[("a.txt", "old\n"), ("bin", "x\0y")]);
    symlink("/etc/passwd", house.root.join("out")).unwrap();
    symlink("a.txt", house.root.join("in")).unwrap();
    let write = |file: &str, text: &[u8]| house.run_with_input(&["write", file, "--json"], text).code(2);
    for (file, text, word) in [
        ("a.txt", &b"a\0b"[..], "\"binary\""),
        ("bin", b"text", "\"binary\""),
        ("out", b"x", "outside_workspace"),
        ("../x", b"x", "outside_workspace"),
        (".git/config", b"x", "protected"),
        (".", b"x", "not_a_file"),
        ("a.txt/b", b"x", "not_a_file"),
    ] {
        let run = write(file, text);
        assert!(run.out.contains(word) && run.out.contains("refused"), "{file}: {}", run.out);
    }
    house.run_with_input(&["write", "in"], b"new\n").code(0);
    assert_eq!(house.read("a.txt"), "new\n");
    assert!(house.root.join("in").is_symlink());
}

#[test]
fn a_text_is_replaced_where_it_stands_once() {
    let house = house(&[("a.c", "a();\r\nb();\r\na();\r\n")]);
    let run = house.run(&["edit", "a.c", "a();", "c();", "--json"]).code(2);
    says(&run, "refused", &["2 times", "lines 1, 3"]);
    assert_eq!(run.object()["error"]["lines"], json!([1, 3]));
    house.run(&["edit", "a.c", "a();\nb();", "x();\ny();\nz();"]).code(0);
    assert_eq!(house.read("a.c"), "x();\r\ny();\r\nz();\r\na();\r\n");
    house.run(&["edit", "a.c", "();", "(1);", "--all"]).code(0);
    assert_eq!(house.read("a.c"), "x(1);\r\ny(1);\r\nz(1);\r\na(1);\r\n");
    says(&house.run(&["edit", "a.c", "nowhere", "x", "--json"]).code(1), "not_found", &["not in `a.c`"]);
    says(&house.run(&["edit", "a.c", "x(1);\n y(1);", "x", "--json"]).code(1), "not_found", &["line 1", "white space"]);
    says(&house.run(&["edit", "gone.c", "x", "y", "--json"]).code(2), "bad_input", &["gone.c"]);
    says(&house.run(&["edit", "a.c", "x", "x", "--json"]).code(2), "bad_input", &["same"]);
    says(&house.run(&["edit", "a.c", "", "x", "--json"]).code(2), "bad_input", &["empty"]);
    // Text that looks like a flag is text.
    house.run(&["edit", "a.c", "x(1);", "--x;"]).code(0);
    assert!(house.read("a.c").starts_with("--x;\r\n"));
    // Bytes that are no UTF-8 stay, and what cannot be spelt in them is refused.
    house.write("l1", b"caf\xe9 = 1\n");
    house.run(&["edit", "l1", "1", "2"]).code(0);
    assert_eq!(fs::read(house.root.join("l1")).unwrap(), b"caf\xe9 = 2\n");
    let run = house.run(&["edit", "l1", "2", "é", "--json"]).code(2);
    assert_eq!(run.object()["error"]["refused"][0]["reason"], "not_utf8_template");
    // Overlapping places are several.
    house.write("o", b"foo\nfoo\nfoo\n");
    says(&house.run(&["edit", "o", "foo\nfoo\n", "x\n", "--json"]).code(2), "refused", &["lines 1, 2"]);
}

#[test]
fn a_symbol_is_changed() {
    let python = "class A:\n    def save(self):\n        return 1\n\n    def load(self):\n        return 2\n";
    let house = house(&[("a.py", python), ("b.py", "def save():\n    pass\n")]);
    let edit = |arguments: &[&str], text: &str| {
        let arguments: Vec<&str> = ["edit", "--json"].iter().chain(arguments).copied().collect();
        house.run_with_input(&arguments, text.as_bytes())
    };
    let run = edit(&["--symbol", "save", "--delete"], "").code(2);
    says(&run, "bad_input", &["2 symbols"]);
    assert_eq!(run.object()["error"]["candidates"].as_array().unwrap().len(), 2);
    edit(&["--symbol", "save", "--file", "a.py", "--replace"], "    def save(self):\n        return 3\n").code(0);
    edit(&["--symbol", "A.load", "--before"], "    # loads\n").code(0);
    edit(&["--symbol", "A.load", "--after"], "\n    def last(self):\n        pass\n").code(0);
    let expected = "class A:\n    def save(self):\n        return 3\n\n    # loads\n    def load(self):\n        return 2\n\n    \
                    def last(self):\n        pass\n";
    assert_eq!(house.read("a.py"), expected);
    edit(&["--symbol", "a.py:6", "--delete"], "").code(0);
    assert_eq!(
        house.read("a.py"),
        "class A:\n    def save(self):\n        return 3\n\n    def last(self):\n        pass\n"
    );
    says(&edit(&["--symbol", "gone", "--delete"], "").code(1), "not_found", &["gone"]);
    house.write("c.c", b"int a, b;\n");
    says(&edit(&["--symbol", "a", "--file", "c.c", "--delete"], "").code(2), "refused", &["shares"]);
}

const PATCH: &str = "diff --git a/run.sh b/run.sh\nold mode 100644\nnew mode 100755\n\
    diff --git a/a.txt b/b.txt\nsimilarity index 50%\nrename from a.txt\nrename to b.txt\n--- a/a.txt\n+++ b/b.txt\n\
    @@ -1,3 +1,4 @@\n one\n-two\n+2\n+2.5\n three\n\
    diff --git a/gone b/gone\ndeleted file mode 100644\n--- a/gone\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n\
    diff --git a/n/new b/n/new\nnew file mode 100644\n--- /dev/null\n+++ b/n/new\n@@ -0,0 +1 @@\n+n\n\
    \\ No newline at end of file\n";

fn patched() -> House {
    house(&[("run.sh", "#!\n"), ("a.txt", "one\ntwo\nthree\n"), ("gone", "x\n")])
}

#[test]
fn a_patch_is_applied_whole() {
    let house = patched();
    let answer = house.run_with_input(&["apply-patch", "--json"], PATCH.as_bytes()).code(0).object();
    assert_eq!(answer["files"], json!(["a.txt", "b.txt", "gone", "n/new", "run.sh"]));
    assert_eq!((house.read("b.txt"), house.read("n/new")), ("one\n2\n2.5\nthree\n".to_owned(), "n".to_owned()));
    assert!(!house.root.join("a.txt").exists() && !house.root.join("gone").exists());
    assert_eq!(fs::metadata(house.root.join("run.sh")).unwrap().permissions().mode() & 0o111, 0o111);
    // A second time it does not fit, and nothing is written.
    house.run_with_input(&["patch"], PATCH.as_bytes()).code(2);
    assert_eq!(house.read("b.txt"), "one\n2\n2.5\nthree\n");
}

#[test]
fn one_misfit_stops_all_of_it() {
    let house = patched();
    house.write("gone", b"y\n");
    let run = house.run_with_input(&["apply-patch", "--json"], PATCH.as_bytes()).code(2);
    says(&run, "stale", &["`gone`"]);
    assert_eq!(run.object()["error"]["files"], json!(["gone"]));
    assert!(house.root.join("a.txt").exists() && !house.root.join("n").exists());
    let twins = "--- a/t\n+++ b/t\n@@ -2 +2 @@\n-x\n+y\n";
    house.write("t", b"x\n\nx\n");
    let run = house.run_with_input(&["patch", "--json"], twins.as_bytes()).code(2);
    says(&run, "refused", &["2 places", "lines 1, 3"]);
    says(&house.run_with_input(&["patch", "--json"], b"hello\n").code(2), "bad_input", &["no change"]);
}

#[test]
fn the_form_of_agents() {
    let house = house(&[(
        "a.py",
        "class A:\n    def f(self):\n        return 1\n\nclass B:\n    def f(self):\n        return 1\n",
    )]);
    let patch = "*** Begin Patch\n*** Update File: a.py\n@@ class B\n     def f(self):\n-        return 1\n+        return 2\n\
        *** Add File: new.py\n+x = 1\n*** Delete File: old.py\n*** End Patch\n";
    house.write("old.py", b"nobody\nshows\nits lines\n");
    house.run_with_input(&["apply-patch"], patch.as_bytes()).code(0);
    assert_eq!(
        house.read("a.py"),
        "class A:\n    def f(self):\n        return 1\n\nclass B:\n    def f(self):\n        return 2\n"
    );
    assert_eq!(house.read("new.py"), "x = 1\n");
    assert!(!house.root.join("old.py").exists());
}

#[test]
fn what_git_makes_of_a_change_is_applied_as_git_does() {
    // Each pair is put into a checkout, and its diff applied by git and by us to two copies.
    let pairs: &[(&str, &str)] = &[
        ("", "a\n"),
        ("a\n", ""),
        ("a", "a\n"),
        ("a\nb", "a\nc"),
        ("a\r\nb\r\n", "a\r\nB\r\nc\n"),
        ("1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n11\n12\n", "0\n1\n2\n3\n4\n5\n6\n7\n8\n9\n11\n12"),
        ("é\n\n\n", "é\n\nx\n\n\n"),
    ];
    for (old, new) in pairs {
        let house = house(&[("f", old)]);
        let git = |arguments: &[&str]| {
            let mut command = Command::new("git");
            command.args(["-c", "user.name=t", "-c", "user.email=t@t", "-c", "core.autocrlf=false"]);
            command.args(arguments).current_dir(&house.root).env("GIT_CONFIG_GLOBAL", "/dev/null");
            let output = command.output().unwrap();
            assert!(output.status.success(), "{output:?}");
            output.stdout
        };
        git(&["init", "-q"]);
        git(&["add", "f"]);
        git(&["commit", "-qm", "x"]);
        house.write("f", new.as_bytes());
        let diff = git(&["diff"]);
        house.write("f", old.as_bytes());
        house.run_with_input(&["patch"], &diff).code(0);
        assert_eq!(house.read("f"), *new, "{old:?}");
    }
}
