//! `vise graph`: every question in its two forms, names that are not clear, files that change, limits.

mod common;

use std::fs;
use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};

use common::{House, house, says};
use serde_json::{Value, json};

const RATE: &str = "def rate(n):\n    return n\n";
const BILL: &str = "\
from app.rate import rate


class Bill:
    def __init__(self, n):
        self.n = n

    def total(self):
        return rate(self.n)


def bill(n):
    return Bill(n).total()


def forgotten():
    return 1
";
const TEST: &str = "from app.bill import bill\n\n\ndef test_bill():\n    assert bill(1) == 1\n";

fn shop() -> House {
    house(&[("app/__init__.py", ""), ("app/rate.py", RATE), ("app/bill.py", BILL), ("tests/test_bill.py", TEST)])
}

/// The answer to a question as JSON, with its exit code.
#[track_caller]
fn ask(house: &House, code: i32, question: &[&str]) -> Value {
    let arguments: Vec<&str> = ["graph"].iter().chain(question).chain(&["--json"]).copied().collect();
    house.run(&arguments).code(code).object()
}

/// The answer as text.
#[track_caller]
fn text(house: &House, code: i32, question: &[&str]) -> String {
    let arguments: Vec<&str> = ["graph"].iter().chain(question).copied().collect();
    house.run(&arguments).code(code).out
}

/// The names of the symbols of a list, as `file::name`.
#[track_caller]
fn names(list: &Value, at: &[&str]) -> Vec<String> {
    let name = |row: &Value| {
        let symbol = at.iter().fold(row, |row, key| &row[key]);
        format!("{}::{}", symbol["file"].as_str().unwrap(), symbol["name"].as_str().unwrap())
    };
    list.as_array().unwrap_or_else(|| panic!("no list: {list}")).iter().map(name).collect()
}

fn keys(object: &Value) -> Vec<&str> {
    object.as_object().unwrap().keys().map(String::as_str).collect()
}

#[test]
fn symbols_and_edges_have_the_contracts_keys() {
    let shop = shop();
    let answer = ask(&shop, 0, &["callers", "rate"]);
    assert_eq!(keys(&answer), ["symbol", "edges", "unresolved", "external", "truncated"]);
    let symbol = &answer["symbol"];
    let wanted = ["id", "name", "qualified", "kind", "language", "file", "line", "end_line", "signature", "container"];
    assert_eq!(keys(symbol), wanted);
    assert_eq!((symbol["qualified"].as_str(), symbol["line"].as_u64()), (Some("app.rate.rate"), Some(1)));
    let edge = &answer["edges"][0];
    assert_eq!(keys(edge), ["from", "to", "kind", "evidence", "file", "line"]);
    assert_eq!((&edge["kind"], &edge["evidence"], &edge["line"]), (&json!("calls"), &json!("import"), &json!(9)));
    assert_eq!(edge["from"]["container"], "app.bill.Bill");
    assert_eq!(names(&answer["edges"], &["from"]), ["app/bill.py::total"]);
}

#[test]
fn questions_about_a_symbol() {
    let shop = shop();
    let found = ask(&shop, 0, &["find", "Bill.total"]);
    assert_eq!(names(&found["symbols"], &[]), ["app/bill.py::total"]);
    let callers = ask(&shop, 0, &["callers", "Bill"]);
    assert_eq!(names(&callers["edges"], &["from"]), ["app/bill.py::bill"]);
    assert_eq!(callers["edges"][0]["kind"], "instantiates");
    let callees = ask(&shop, 0, &["callees", "bill"]);
    let called = names(&callees["edges"], &["to"]);
    assert_eq!(called, ["app/bill.py::Bill", "app/bill.py::__init__", "app/bill.py::total"]);
    let references = ask(&shop, 0, &["references", "rate"]);
    assert_eq!(names(&references["edges"], &["from"]), ["app/bill.py::bill", "app/bill.py::total"]);
    assert_eq!(references["edges"][0]["kind"], "imports");

    let impact = ask(&shop, 0, &["impact", "rate"]);
    assert_eq!(keys(&impact), ["symbol", "affected", "unresolved", "truncated"]);
    let affected: Vec<(String, u64)> = names(&impact["affected"], &["symbol"])
        .into_iter()
        .zip(impact["affected"].as_array().unwrap().iter().map(|row| row["depth"].as_u64().unwrap()))
        .collect();
    for (name, depth) in [("app/bill.py::total", 1), ("app/bill.py::bill", 2), ("tests/test_bill.py::test_bill", 3)] {
        assert!(affected.contains(&(name.to_owned(), depth)), "{name} {affected:?}");
    }
    let near = ask(&shop, 0, &["impact", "rate", "--depth", "1"]);
    assert!(near["affected"].as_array().unwrap().iter().all(|row| row["depth"] == 1));

    let tests = ask(&shop, 0, &["tests", "rate"]);
    assert_eq!(names(&tests["tests"], &["symbol"]), ["tests/test_bill.py::test_bill"]);
    assert_eq!(tests["tests"][0]["distance"], 3);
    let path = ask(&shop, 0, &["path", "test_bill", "rate"]);
    let steps = ["app/bill.py::bill", "app/bill.py::total", "app/rate.py::rate"];
    assert_eq!(names(&path["path"], &["to"]), steps);
}

#[test]
fn questions_about_the_whole() {
    let shop = shop();
    let outline = ask(&shop, 0, &["outline", "app/bill.py"]);
    assert_eq!(outline["file"], "app/bill.py");
    assert_eq!(names(&outline["symbols"], &[])[0], "app/bill.py::Bill");
    let members = names(&outline["symbols"][0]["children"], &[]);
    assert!(members.contains(&"app/bill.py::total".to_owned()), "{members:?}");
    let folder = ask(&shop, 0, &["outline", "app"]);
    assert_eq!((folder["path"].as_str(), folder["files"].as_array().unwrap().len()), (Some("app"), 2));

    let map = ask(&shop, 0, &["map", "--tokens", "300"]);
    assert_eq!(keys(&map), ["files", "tokens", "truncated"]);
    assert!(map["files"].as_array().unwrap().iter().any(|file| file["file"] == "app/rate.py"), "{map:#}");
    let hubs = ask(&shop, 0, &["hubs", "--max", "1"]);
    assert_eq!(hubs["hubs"].as_array().unwrap().len(), 1);
    assert_eq!(keys(&hubs["hubs"][0]), ["symbol", "rank", "callers"]);

    let context = ask(&shop, 0, &["context", "Bill.total"]);
    assert_eq!(context["source"], "    def total(self):\n        return rate(self.n)\n");
    assert_eq!(names(&context["callers"], &["from"]), ["app/bill.py::bill"]);
    assert_eq!(names(&context["callees"], &["to"]), ["app/rate.py::rate"]);
    assert_eq!(names(&context["tests"], &["symbol"]), ["tests/test_bill.py::test_bill"]);
    assert!(context["tokens"].as_u64().unwrap() > 10);

    let unused = ask(&shop, 0, &["unused"]);
    assert_eq!(names(&unused["unused"], &[]), ["app/bill.py::forgotten"]);
    assert_eq!(names(&unused["roots"], &[]), ["tests/test_bill.py::test_bill"]);
    assert_eq!(ask(&shop, 1, &["unused", "tests"])["unused"], json!([]));

    let status = ask(&shop, 0, &["status"]);
    let wanted = ["files", "symbols", "edges", "unresolved", "external", "generation", "store_bytes", "imports"];
    assert_eq!(keys(&status), [&wanted[..], &["skipped"]].concat());
    assert_eq!(status["files"], 4);
    assert!(status["store_bytes"].as_u64().unwrap() > 0);
}

#[test]
fn what_a_string_mentions_may_be_used() {
    let shop = shop();
    shop.write("settings.yml", b"on_start: app.bill.forgotten\n");
    let unused = ask(&shop, 0, &["unused"]);
    assert_eq!(names(&unused["unused"], &[]), [""; 0]);
    assert_eq!(names(&unused["unknown"], &[]), ["app/bill.py::forgotten"]);
}

#[test]
fn a_language_without_edges_says_so() {
    let pages = house(&[("a.md", "# One\n\n## Two\n"), ("a.css", ".box { color: red }\n")]);
    let run = pages.run(&["graph", "callers", "a.md", "--json"]).code(2);
    says(&run, "unsupported", &["`markdown`"]);
    assert_eq!(ask(&pages, 1, &["unused"])["unused"], json!([]));
}

#[test]
fn circles() {
    let none = shop();
    assert_eq!(ask(&none, 1, &["cycles"])["cycles"], json!([]));
    let ring = house(&[
        ("a.py", "import b\n\n\ndef even(n):\n    return b.odd(n)\n"),
        ("b.py", "import a\n\n\ndef odd(n):\n    return a.even(n)\n"),
    ]);
    assert_eq!(ask(&ring, 0, &["cycles"])["cycles"], json!([["a.py", "b.py"]]));
    let symbols = ask(&ring, 0, &["cycles", "--symbols"]);
    assert_eq!(names(&symbols["cycles"][0], &[]), ["a.py::even", "b.py::odd"]);
    assert!(text(&ring, 0, &["cycles"]).contains("a.py → b.py → a.py"));
}

#[test]
fn an_empty_answer_is_the_same_object_and_exit_code_1() {
    let shop = shop();
    assert_eq!(ask(&shop, 1, &["callers", "forgotten"])["edges"], json!([]));
    assert_eq!(ask(&shop, 1, &["impact", "forgotten"])["affected"], json!([]));
    assert_eq!(ask(&shop, 1, &["tests", "forgotten"])["tests"], json!([]));
    assert_eq!(ask(&shop, 1, &["path", "rate", "bill"]), json!({ "path": [] }));
    let empty = house(&[]);
    assert_eq!(ask(&empty, 1, &["map"])["files"], json!([]));
    assert_eq!(ask(&empty, 0, &["status"])["files"], 0);
}

#[test]
fn names_that_mean_several_symbols_or_none() {
    let twins = house(&[
        ("disk.py", "def save(x):\n    return x\n\n\ndef disk_user(x):\n    return save(x)\n"),
        ("net.py", "def save(x):\n    return x\n\n\ndef net_user(x):\n    return save(x)\n"),
    ]);
    let run = twins.run(&["graph", "callers", "save", "--json"]).code(2);
    says(&run, "bad_input", &["`save` means 2 symbols", "disk.py:1", "net.py:1", "FILE:LINE"]);
    assert_eq!(names(&run.object()["error"]["candidates"], &[]), ["disk.py::save", "net.py::save"]);
    let all = ask(&twins, 0, &["callers", "save", "--all"]);
    assert_eq!(all["symbol"], Value::Null);
    assert_eq!(names(&all["edges"], &["from"]), ["disk.py::disk_user", "net.py::net_user"]);
    assert_eq!(names(&all["edges"], &["to"]), ["disk.py::save", "net.py::save"]);
    for one in ["disk.save", "disk::save", "disk.py:2", "disk.py::save", "./disk.py:1:5"] {
        assert_eq!(names(&ask(&twins, 0, &["callers", one])["edges"], &["from"]), ["disk.py::disk_user"], "{one}");
    }
    let run = twins.run(&["graph", "callers", "sav", "--json"]).code(1);
    says(&run, "not_found", &["`sav`", "disk.save"]);
    assert_eq!(names(&run.object()["error"]["suggestions"], &[]), ["disk.py::save", "net.py::save"]);
    says(&twins.run(&["graph", "find", "saves", "--json"]).code(1), "not_found", &["disk.py:1"]);
    says(&twins.run(&["graph", "callers", "disk.py:99", "--json"]).code(1), "not_found", &["no line 99"]);
    says(&twins.run(&["graph", "callers", "gone.py:1", "--json"]).code(1), "not_found", &["gone.py"]);
    says(&twins.run(&["graph", "outline", "gone", "--json"]).code(2), "bad_input", &["no such path"]);
    assert_eq!(names(&ask(&twins, 0, &["find", "*_user"])["symbols"], &[]).len(), 2);
}

#[test]
fn files_are_named_from_the_current_folder_or_the_root() {
    let shop = shop();
    let app = shop.root.join("app");
    for place in ["rate.py:1", "app/rate.py:1"] {
        let run = shop.run_in(&app, &["--root", "..", "graph", "callers", place, "--json"]).code(0);
        assert_eq!(run.object()["symbol"]["file"], "app/rate.py");
    }
    let run = shop.run_in(&app, &["--root", "..", "graph", "outline", "rate.py", "--json"]).code(0);
    assert_eq!(run.object()["file"], "app/rate.py");
}

#[test]
fn every_answer_is_about_the_files_as_they_are() {
    let shop = shop();
    ask(&shop, 0, &["callers", "rate"]);
    let more = format!("\n\n{BILL}\n\ndef second(n):\n    return rate(n)\n");
    shop.write("app/bill.py", more.as_bytes());
    let callers = ask(&shop, 0, &["callers", "rate"]);
    assert_eq!(names(&callers["edges"], &["from"]), ["app/bill.py::total", "app/bill.py::second"]);
    assert_eq!(callers["edges"][0]["line"], 11);
    shop.write("new.py", b"from app.rate import rate\n\nrate(1)\n");
    assert_eq!(ask(&shop, 0, &["callers", "rate"])["edges"].as_array().unwrap().len(), 3);
    fs::remove_file(shop.root.join("app/bill.py")).unwrap();
    assert_eq!(ask(&shop, 0, &["callers", "rate"])["edges"].as_array().unwrap().len(), 1);
    says(&shop.run(&["graph", "find", "second", "--json"]).code(1), "not_found", &["`second`"]);
    let index = ask(&shop, 0, &["index"]);
    assert_eq!((&index["parsed"], &index["removed"]), (&json!(0), &json!(0)));
}

#[test]
fn a_budget_cuts_the_answer_and_says_so() {
    let mut users = "from core import hub\n".to_owned();
    for number in 0..200 {
        users.push_str(&format!("\n\ndef user_number_{number}(x):\n    return hub(x)\n"));
    }
    let crowd = house(&[("core.py", "def hub(x):\n    return x\n"), ("users.py", &users)]);
    let whole = ask(&crowd, 0, &["callers", "hub"]);
    assert_eq!((whole["edges"].as_array().unwrap().len(), &whole["truncated"]), (200, &json!(false)));
    let cut = ask(&crowd, 0, &["callers", "hub", "--tokens", "100"]);
    let kept = cut["edges"].as_array().unwrap().len();
    assert!(kept > 3 && kept < 30 && cut["truncated"] == true, "{kept}");
    let words = text(&crowd, 0, &["callers", "hub", "--tokens", "100"]);
    assert!(words.len() < 800 && words.contains("of 200 shown"), "{words}");
    assert_eq!(ask(&crowd, 0, &["impact", "hub", "--max", "7"])["affected"].as_array().unwrap().len(), 7);
    let map = ask(&crowd, 0, &["map", "--tokens", "50"]);
    assert!(map["tokens"].as_u64().unwrap() <= 50 && map["truncated"] == true, "{map}");
    let context = ask(&crowd, 0, &["context", "users.py", "--tokens", "200"]);
    assert!(context["tokens"].as_u64().unwrap() <= 220 && context["truncated"] == true, "{}", context["tokens"]);
}

#[test]
fn text_is_grouped_by_file_with_evidence_and_counts() {
    let shop = shop();
    let words = text(&shop, 0, &["callers", "rate"]);
    assert_eq!(
        words,
        "callers of app.rate.rate (app/rate.py:1): 1; 0 calls by that name unresolved\n\
         app/bill.py\n  9  Bill.total  calls import\n"
    );
    let words = text(&shop, 0, &["impact", "rate"]);
    assert!(words.starts_with("depend on app.rate.rate (app/rate.py:1): 5 symbols, of these 1 test;"), "{words}");
    assert!(words.contains("depth 3\n  tests/test_bill.py\n"), "{words}");
    let words = text(&shop, 0, &["context", "Bill.total"]);
    assert!(words.contains("\n9          return rate(self.n)\n") && words.contains("tests: 1\n"), "{words}");
    let words = text(&shop, 1, &["callers", "forgotten"]);
    assert!(words.contains(": 0;"), "{words}");
    let words = text(&shop, 0, &["outline", "app/bill.py"]);
    assert!(words.contains("\n  4-9  class Bill\n"), "{words}");
    for question in [&["status"][..], &["index"], &["map"], &["hubs"], &["unused"], &["find", "rate"], &["outline"]] {
        assert!(!text(&shop, 0, question).is_empty(), "{question:?}");
    }
}

fn git(house: &House, arguments: &[&str]) {
    let mut command = Command::new("git");
    command.args(["-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "commit.gpgSign=false"]);
    command.args(arguments).current_dir(&house.root).env("GIT_CONFIG_GLOBAL", "/dev/null");
    let output = command.output().unwrap();
    assert!(output.status.success(), "{arguments:?} {output:?}");
}

#[test]
fn what_a_diff_touches() {
    let shop = shop();
    says(&shop.run(&["graph", "diff", "--json"]).code(2), "bad_input", &["git checkout"]);
    git(&shop, &["init", "-q"]);
    git(&shop, &["add", "."]);
    git(&shop, &["commit", "-q", "-m", "one"]);
    assert_eq!(ask(&shop, 1, &["diff"])["symbols"], json!([]));
    shop.write("app/rate.py", b"def rate(n):\n    return n + 1\n");
    shop.write("app/fresh.py", b"def fresh():\n    return 1\n");
    let diff = ask(&shop, 0, &["diff"]);
    assert_eq!(keys(&diff), ["rev", "symbols", "dependents", "tests", "truncated"]);
    assert_eq!(diff["rev"], "HEAD");
    let touched = names(&diff["symbols"], &[]);
    assert!(touched.contains(&"app/rate.py::rate".to_owned()) && touched.contains(&"app/fresh.py::fresh".to_owned()));
    assert!(!touched.iter().any(|name| name.starts_with("app/bill.py")), "{touched:?}");
    let dependents = names(&diff["dependents"], &["symbol"]);
    assert!(dependents.contains(&"app/bill.py::total".to_owned()), "{dependents:?}");
    assert_eq!(names(&diff["tests"], &["symbol"]), ["tests/test_bill.py::test_bill"]);
    says(&shop.run(&["graph", "diff", "nothing", "--json"]).code(2), "bad_input", &["`nothing`"]);
    says(&shop.run(&["graph", "diff", "HEAD..HEAD", "--json"]).code(2), "bad_input", &["range"]);
    assert!(text(&shop, 0, &["diff", "HEAD"]).contains("changed since HEAD: "));
}

#[test]
fn limits_and_exclusions_of_the_configuration() {
    let shop = shop();
    shop.write("vise.toml", b"[graph]\nmax_files = 2\n");
    let run = shop.run(&["graph", "status", "--json"]).code(2);
    says(&run, "bad_input", &["max_files", "2", "--yes"]);
    // Indexed once because it was meant, it is not asked again.
    let files = ask(&shop, 0, &["status", "--yes"])["files"].as_u64().unwrap();
    assert!(files >= 4);
    shop.write("vise.toml", b"[graph]\nexclude = ['tests/**']\nmax_file_bytes = 100\n");
    let status = ask(&shop, 0, &["status"]);
    assert_eq!(status["skipped"], json!([{ "file": "app/bill.py", "why": "too_large" }]));
    says(&shop.run(&["graph", "find", "test_bill", "--json"]).code(1), "not_found", &["test_bill"]);
    let run = shop.run(&["graph", "outline", "app/bill.py", "--json"]).code(1);
    says(&run, "not_found", &["too large"]);
    shop.write("vise.toml", b"[graph]\nexcludes = ['x']\n");
    says(&shop.run(&["graph", "status", "--json"]).code(2), "bad_input", &["`graph.exclude`?"]);
}

#[test]
fn a_store_that_cannot_be_kept_is_a_warning() {
    let shop = shop();
    let cache = shop.root.with_file_name("cache");
    fs::write(&cache, "in the way").unwrap();
    let run = shop.run(&["graph", "callers", "rate"]).code(0);
    assert!(run.err.contains("warning: "), "{}", run.err);
    let run = shop.run(&["graph", "status", "--json", "-q"]).code(0);
    assert_eq!((&run.object()["generation"], run.err.as_str()), (&json!(0), ""));
}

#[test]
fn watching_answers_again_when_the_files_change() {
    let shop = shop();
    let mut command = shop.command(&["graph", "callers", "rate", "--json", "--watch"]);
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let mut next = || serde_json::from_str::<Value>(&lines.next().unwrap().unwrap()).unwrap();
    assert_eq!(next()["edges"].as_array().unwrap().len(), 1);
    shop.write("new.py", b"from app.rate import rate\n\nrate(1)\n");
    assert_eq!(next()["edges"].as_array().unwrap().len(), 2);
    fs::remove_file(shop.root.join("app/rate.py")).unwrap();
    assert_eq!(next()["error"]["kind"], "not_found");
    shop.write("app/rate.py", RATE.as_bytes());
    assert_eq!(next()["edges"].as_array().unwrap().len(), 2);
    let killed = Command::new("kill").args(["-INT", &child.id().to_string()]).status();
    assert!(killed.is_ok_and(|status| status.success()));
    assert_eq!(child.wait().unwrap().code(), Some(0));
}

#[test]
fn an_index_is_written_taken_over_and_forgotten() {
    let shop = shop();
    shop.run(&["graph", "export", "--format", "scip", "--out", "shop.scip"]).code(0);
    let before = ask(&shop, 0, &["callers", "rate"]);
    assert_eq!(before["edges"][0]["evidence"], "import");
    let imported = ask(&shop, 0, &["import", "shop.scip", "--tool", "oracle"]);
    assert_eq!(keys(&imported), ["tool", "version", "files", "left_out", "compiler_edges", "generation"]);
    assert_eq!(
        (&imported["tool"], &imported["files"], &imported["left_out"]),
        (&json!("oracle"), &json!(4), &json!([]))
    );
    assert!(imported["compiler_edges"].as_u64().unwrap() > 5, "{imported}");
    assert_eq!(ask(&shop, 0, &["callers", "rate"])["edges"][0]["evidence"], "compiler");
    shop.write("app/rate.py", format!("{RATE}\n").as_bytes());
    let tools = ask(&shop, 0, &["status"])["imports"].clone();
    let version = imported["version"].clone();
    assert_eq!(tools, json!([{ "tool": "oracle", "version": version, "files": 4, "matching": 3 }]));
    assert!(text(&shop, 0, &["status"]).contains(": 3 of 4 files are what they were\n"));
    assert_eq!(ask(&shop, 0, &["callers", "rate"])["edges"][0]["evidence"], "import");
    let run = shop.run(&["graph", "import", "--remove", "orakel", "--json"]).code(1);
    says(&run, "not_found", &["`orakel`", "`oracle`"]);
    let removed = ask(&shop, 0, &["import", "--remove", "oracle"]);
    assert_eq!((&removed["files"], &removed["compiler_edges"]), (&json!(4), &json!(0)));
    assert_eq!(ask(&shop, 0, &["status"])["imports"], json!([]));
    assert!(text(&shop, 0, &["import", "shop.scip"]).starts_with("imported    4 files of vise "));
}

#[test]
fn what_is_no_index_leaves_everything_as_it_was() {
    let shop = shop();
    shop.run(&["graph", "export", "--format", "scip", "--out", "shop.scip"]).code(0);
    let generation = ask(&shop, 0, &["status"])["generation"].clone();
    says(&shop.run(&["graph", "import", "gone.scip", "--json"]).code(2), "bad_input", &["no such file", "gone.scip"]);
    says(&shop.run(&["graph", "import", "app", "--json"]).code(2), "bad_input", &["not a file"]);
    says(&shop.run(&["graph", "import", "app/bill.py", "--json"]).code(2), "bad_input", &["no SCIP index"]);
    let whole = fs::read(shop.root.join("shop.scip")).unwrap();
    shop.write("half.scip", &whole[..whole.len() - 7]);
    says(&shop.run(&["graph", "import", "half.scip", "--json"]).code(2), "bad_input", &["only part of one"]);
    for arguments in [&["import"][..], &["import", "shop.scip", "--remove", "x"], &["import", "--tool", "x"]] {
        let arguments: Vec<&str> = ["graph", "--json"].iter().chain(arguments).copied().collect();
        says(&shop.run(&arguments).code(2), "bad_input", &[]);
    }
    let status = ask(&shop, 0, &["status"]);
    assert_eq!((&status["generation"], &status["imports"]), (&generation, &json!([])));
    // Where some files are others, the rest is taken over.
    shop.write("app/bill.py", b"");
    let imported = ask(&shop, 0, &["import", "shop.scip"]);
    assert_eq!(imported["left_out"], json!([{ "file": "app/bill.py", "why": "other_content" }]));
    let lone = house(&[("rate.py", RATE)]);
    lone.run(&["graph", "export", "--format", "scip", "--out", "lone.scip"]).code(0);
    lone.write("rate.py", b"");
    let run = lone.run(&["graph", "import", "lone.scip", "--json"]).code(2);
    says(&run, "stale", &["make the index again"]);
    assert_eq!(run.object()["error"]["files"], json!(["rate.py"]));
    let empty = house(&[]);
    empty.write("shop.scip", &whole);
    says(&empty.run(&["graph", "import", "shop.scip", "--json"]).code(2), "bad_input", &["`--root`"]);
}

#[test]
fn statements_over_the_tables() {
    let shop = shop();
    let callers = "SELECT from_name, line FROM references WHERE to_name = 'rate' AND kind = 'calls'";
    let found = ask(&shop, 0, &["sql", callers]);
    assert_eq!(found, json!({ "columns": ["from_name", "line"], "rows": [["total", 9]], "truncated": false }));
    assert_eq!(text(&shop, 0, &["sql", callers]), "from_name  line\ntotal         9\n");
    let nothing = ask(&shop, 1, &["sql", "SELECT name FROM symbols WHERE name = 'nobody'"]);
    assert_eq!(nothing, json!({ "columns": ["name"], "rows": [], "truncated": false }));
    let cut = ask(&shop, 0, &["sql", "SELECT path FROM files ORDER BY path", "--max", "2"]);
    assert_eq!((&cut["rows"], &cut["truncated"]), (&json!([["app/__init__.py"], ["app/bill.py"]]), &json!(true)));
    let run = shop.run(&["graph", "sql", "SELECT * FROM symbol", "--json"]).code(2);
    says(&run, "bad_input", &["no such table: symbol", "symbols(id name qualified", "files(path"]);
    says(&shop.run(&["graph", "sql", "SELECT nam FROM files", "--json"]).code(2), "bad_input", &["nam", "files(path"]);
    says(&shop.run(&["graph", "sql", "SELEKT", "--json"]).code(2), "bad_input", &["syntax error"]);
    says(&shop.run(&["graph", "sql", " ", "--json"]).code(2), "bad_input", &["`sql` is missing"]);
    let run = shop.run(&["graph", "sql", "ATTACH 'x.db' AS x", "--json"]).code(2);
    says(&run, "refused", &["`ATTACH`", "read-only"]);
    assert!(!shop.root.join("x.db").exists());
}
