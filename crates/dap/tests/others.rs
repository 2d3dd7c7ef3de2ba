//! What delve and js-debug show of real programs.

#![cfg(target_os = "linux")]

use support::{World, at, local, place, stop};
use vise_dap::{How, State, Verdict};

#[allow(dead_code, reason = "shared with the other tests; each uses its part")]
mod support;

const GO: &str = "package shop\n\nfunc Mean(xs []int) int {\n\ttotal := 0\n\tfor _, x := range xs {\n\t\ttotal += x\n\t}\n\treturn total / len(xs)\n}\n";

const GO_TEST: &str = "package shop\n\nimport \"testing\"\n\nfunc TestMean(t *testing.T) {\n\tgot := Mean([]int{1, 2, 6})\n\tif got != 4 {\n\t\tt.Errorf(\"got %d\", got)\n\t}\n}\n\nfunc TestEmpty(t *testing.T) {\n\tMean(nil)\n}\n\nfunc TestGood(t *testing.T) {\n\tif Mean([]int{2}) != 2 {\n\t\tt.Fatal(\"no\")\n\t}\n}\n\nfunc TestSkip(t *testing.T) {\n\tt.Skip(\"later\")\n}\n";

#[test]
fn tests_in_go() {
    let world = World::new();
    world.write("go.mod", "module shop\n\ngo 1.19\n");
    world.write("mean.go", GO);
    world.write("mean_test.go", GO_TEST);
    let report = world.failure("TestMean", &["got + 1"]);
    assert_eq!(report.verdict, Some(Verdict::Failed), "{report:?}");
    assert_eq!((place(&report).0.as_str(), place(&report).1), ("mean_test.go", 8), "{report:?}");
    assert_eq!(local(&report, "got"), "3");
    assert_eq!(stop(&report).exception.as_ref().unwrap().message, "got 3");
    assert_eq!(stop(&report).exprs[0].value.as_deref(), Some("4"));
    let report = world.failure("TestEmpty", &[]);
    assert_eq!((place(&report).0.as_str(), place(&report).1), ("mean.go", 8), "{report:?}");
    assert!(stop(&report).exception.as_ref().unwrap().message.contains("divide by zero"), "{report:?}");
    for (test, verdict) in
        [("TestGood", Verdict::Passed), ("TestSkip", Verdict::Skipped), ("TestNone", Verdict::NoSuchTest)]
    {
        let report = world.failure(test, &[]);
        assert_eq!(report.verdict, Some(verdict), "{test}: {report:?}");
    }
    world.write("mean.go", "package shop\n\nfunc Mean(xs []int) int { return \"no\" }\n");
    let report = world.failure("TestGood", &[]);
    assert_eq!(report.verdict, Some(Verdict::BuildFailed), "{report:?}");
    assert!(report.build.unwrap().text.unwrap().contains("mean.go:3"));
    let left: Vec<_> = std::fs::read_dir(&world.root).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(left.len(), 3, "{left:?}");
}

#[test]
fn a_program_in_go() {
    let world = World::new();
    world.write("go.mod", "module app\n\ngo 1.19\n");
    world.write("main.go", "package main\n\nimport (\n\t\"fmt\"\n\t\"os\"\n)\n\nfunc twice(n int) int {\n\tm := n * 2\n\treturn m\n}\n\nfunc main() {\n\tfmt.Println(\"hello\")\n\tos.Exit(twice(2))\n}\n");
    let report = world.launch("main.go", &[("main.go", 10)]);
    assert_eq!((place(&report).1, local(&report, "m").as_str()), (10, "4"), "{report:?}");
    assert_eq!(report.output.as_ref().unwrap().text, "hello\n");
    let report = world.go(How::Continue);
    assert_eq!((report.state, report.exit_code), (State::Exited, Some(Some(4))), "{report:?}");
    assert_eq!(report.exit_code_from, Some(Some("console".to_owned())));
}

const JS: &str = "const test = require('node:test');
const assert = require('node:assert');

function mean(xs) {
  const total = xs.reduce((a, b) => a + b, 0);
  return total / xs.length;
}

test('mean', () => {
  const got = mean([1, 2, 6]);
  assert.strictEqual(got, 4);
});

test('good', () => {
  assert.throws(() => { throw new Error('expected'); });
  assert.strictEqual(mean([2]), 2);
});

test('throws', () => {
  const n = 3;
  throw new TypeError('no ' + n);
});

test('skipped', { skip: true }, () => {});
";

#[test]
fn tests_in_node() {
    let world = World::new();
    world.write("a.test.js", JS);
    let report = world.failure("a.test.js::mean", &["got + 1"]);
    assert_eq!(report.verdict, Some(Verdict::Failed), "{report:?}");
    assert_eq!((place(&report).0.as_str(), place(&report).1), ("a.test.js", 11), "{report:?}");
    assert_eq!(local(&report, "got"), "3");
    assert!(stop(&report).exception.as_ref().unwrap().message.contains("3 !== 4"), "{report:?}");
    assert_eq!(stop(&report).exprs[0].value.as_deref(), Some("4"));
    let report = world.failure("a.test.js::throws", &[]);
    assert_eq!((place(&report).1, local(&report, "n").as_str()), (21, "3"), "{report:?}");
    assert_eq!(stop(&report).exception.as_ref().unwrap().kind, "TypeError");
    for (test, verdict) in [("good", Verdict::Passed), ("skipped", Verdict::Skipped), ("none", Verdict::NoSuchTest)] {
        let report = world.failure(&format!("a.test.js::{test}"), &[]);
        assert_eq!(report.verdict, Some(verdict), "{test}: {report:?}");
    }
}

#[test]
fn a_program_in_node() {
    let world = World::new();
    world.write("app.js", "function twice(n) {\n  const m = n * 2;\n  return m;\n}\nconsole.log('hello');\nconsole.log(twice(2));\nprocess.exit(3);\n");
    let report = world.launch("app.js", &[("app.js", 3)]);
    assert_eq!(place(&report), ("app.js".to_owned(), 3, "twice".to_owned()), "{report:?}");
    assert_eq!((local(&report, "m").as_str(), stop(&report).breakpoint), ("4", Some(1)));
    assert_eq!(report.output.as_ref().unwrap().text, "hello\n");
    assert!(report.breakpoints.as_ref().unwrap()[0].verified, "{report:?}");
    let report = world.go(How::Over);
    assert_eq!((at(&report).function.as_str(), at(&report).line), ("<anonymous>", 6));
    let report = world.go(How::Continue);
    assert_eq!(report.state, State::Exited, "{report:?}");
}
