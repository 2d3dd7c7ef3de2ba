//! What debugpy shows of real programs.

#![cfg(target_os = "linux")]

use support::{World, at, local, place, stop};
use vise_dap::{How, Look, Op, State, Verdict};

#[allow(dead_code, reason = "shared with the other tests; each uses its part")]
mod support;

const STATS: &str =
    "def mean(xs):\n    n = len(xs)\n    total = 0\n    for x in xs:\n        total += x\n    return total / n\n";

const TESTS: &str = "import pytest
from stats import mean

def test_mean():
    got = mean([1, 2, 6])
    assert got == 4

def test_empty():
    mean([])

def test_good():
    with pytest.raises(ZeroDivisionError):
        mean([])
    assert mean([2]) == 2

@pytest.mark.skip
def test_skip():
    assert False

@pytest.mark.xfail
def test_xfail():
    assert False

class TestIn:
    @pytest.mark.parametrize('n', [1, 2])
    def test_par(self, n):
        assert n == 1
";

fn tests() -> World {
    let world = World::new();
    world.write("stats.py", STATS);
    world.write("test_stats.py", TESTS);
    world
}

#[test]
fn the_failure_of_a_test() {
    let world = tests();
    let report = world.failure("test_stats.py::test_mean", &["got + 1", "mean([3])"]);
    assert_eq!((report.verdict, report.state, report.exit_code), (Some(Verdict::Failed), State::Ended, Some(Some(1))));
    assert_eq!(place(&report), ("test_stats.py".to_owned(), 6, "test_mean".to_owned()));
    assert_eq!(local(&report, "got"), "3.0");
    let exception = stop(&report).exception.clone().unwrap();
    assert_eq!(exception.kind, "AssertionError");
    assert!(exception.message.starts_with("assert 3.0 == 4"), "{}", exception.message);
    let exprs = &stop(&report).exprs;
    assert_eq!(exprs[0].value.as_deref(), Some("4.0"));
    assert_eq!(exprs[1].error.as_ref().unwrap().kind, "refused");
    assert_eq!(report.resumable, Some(false));
    assert!(world.sessions.status().is_empty(), "nothing is kept");
}

#[test]
fn verdicts() {
    let world = tests();
    let report = world.failure("test_stats.py::test_empty", &[]);
    assert_eq!(place(&report), ("stats.py".to_owned(), 6, "mean".to_owned()));
    assert_eq!(local(&report, "n"), "0");
    assert_eq!(stop(&report).frames[0].function, "test_empty");
    for (test, verdict) in [
        ("test_good", Verdict::Passed),
        ("test_skip", Verdict::Skipped),
        ("test_xfail", Verdict::Passed),
        ("test_none", Verdict::NoSuchTest),
        ("TestIn::test_par[2]", Verdict::Failed),
        ("TestIn::test_par[1]", Verdict::Passed),
    ] {
        let report = world.failure(&format!("test_stats.py::{test}"), &[]);
        assert_eq!(report.verdict, Some(verdict), "{test}: {report:?}");
    }
    assert_eq!(world.failure("nothing.py::test_x", &[]).verdict, Some(Verdict::NoSuchTest));
    world.write("test_broken.py", "import nothing_of_the_kind\n\ndef test_x():\n    pass\n");
    let report = world.failure("test_broken.py::test_x", &[]);
    assert_eq!(report.verdict, Some(Verdict::Failed));
    assert!(report.output.as_ref().unwrap().text.contains("nothing_of_the_kind"), "{report:?}");
}

#[test]
fn a_breakpoint_steps_and_the_end() {
    let world = World::new();
    world.write("stats.py", STATS);
    world.write("app.py", "import sys\nfrom stats import mean\n\ndef main():\n    xs = [1, 2]\n    print('hello')\n    m = mean(xs)\n    sys.exit(int(m * 2))\n\nmain()\n");
    let report = world.launch("app.py", &[("stats.py", 5), ("app.py", 999)]);
    let moved = &report.breakpoints.as_ref().unwrap()[1];
    assert!(moved.moved && moved.verified && moved.line == Some(10), "{moved:?}");
    assert_eq!((place(&report).1, stop(&report).breakpoint), (10, Some(2)));
    let report = world.go(How::Continue);
    assert_eq!(place(&report), ("stats.py".to_owned(), 5, "mean".to_owned()));
    assert_eq!((stop(&report).reason.as_str(), stop(&report).breakpoint), ("breakpoint", Some(1)));
    assert_eq!(report.output.as_ref().unwrap().text, "hello\n");
    assert_eq!(
        stop(&report).frames.iter().map(|frame| frame.function.as_str()).collect::<Vec<_>>(),
        ["main", "<module>"]
    );
    let report = world.go(How::Over);
    assert_eq!((stop(&report).reason.as_str(), at(&report).line), ("step", 4));
    let changed = report.changed.as_ref().unwrap();
    assert_eq!(
        (changed[0].name.as_str(), changed[0].before.as_deref(), changed[0].after.as_deref()),
        ("total", Some("0"), Some("1"))
    );
    let report =
        world.look(Look { expand: vec!["xs".to_owned()], frame: Some("3.1".to_owned()), ..Look::default() }).unwrap();
    assert_eq!(at(&report).function, "main");
    let expanded = &report.expanded.as_ref().unwrap()[0];
    assert_eq!((expanded.size, expanded.children.len(), expanded.children[1].value.as_str()), (Some(2), 2, "2"));
    let stale = world.look(Look { frame: Some("1.0".to_owned()), ..Look::default() }).unwrap_err();
    assert_eq!(stale.kind, vise_dap::Kind::Stale);
    let report = world.ask(Op::Breaks { set: vec![], clear: vec!["all".to_owned()] }).unwrap();
    assert!(report.breakpoints.unwrap().is_empty());
    let report = world.go(How::Continue);
    assert_eq!((report.state, report.exit_code), (State::Exited, Some(Some(3))));
    assert_eq!(report.exit_code_from, Some(Some("adapter".to_owned())));
    assert_eq!(world.end().state, State::Exited);
}

#[test]
fn the_raise_that_nobody_handles() {
    let world = World::new();
    world.write(
        "app.py",
        "def f(n):\n    try:\n        int('x')\n    except ValueError:\n        pass\n    return 1 / n\n\nf(0)\n",
    );
    let report = world.launch("app.py", &[]);
    assert_eq!(place(&report), ("app.py".to_owned(), 6, "f".to_owned()));
    assert_eq!(stop(&report).exception.as_ref().unwrap().kind, "ZeroDivisionError");
    let report = world.go(How::Continue);
    assert_eq!((report.state, report.exit_code), (State::Exited, Some(Some(1))));
}
