//! What became of a test, by what it wrote and how it ended.

use std::sync::LazyLock;

use regex::Regex;

use crate::answer::Verdict;
use crate::call::Framework;

/// How a run of a test ended.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Outcome<'o> {
    /// Whether it stopped where it may have failed.
    pub(crate) stopped: bool,
    /// Whether it ended within its time.
    pub(crate) in_time: bool,
    /// Its exit code.
    pub(crate) code: Option<i64>,
    /// What it wrote.
    pub(crate) output: &'o str,
}

#[expect(clippy::unwrap_used, reason = "the patterns are constants, and a test compiles them")]
fn compiled(pattern: &str) -> Regex {
    Regex::new(pattern).unwrap()
}

static PYTEST: LazyLock<Regex> = LazyLock::new(|| compiled(r"(?m)^(?:=+ )?(?:\d+ \w+(?:, )?)+ in [\d.]+s"));
static NODE: LazyLock<Regex> =
    LazyLock::new(|| compiled(r"(?m)^(?:#|ℹ) (tests|pass|fail|skipped|cancelled|todo) (\d+)\s*$"));

/// The verdict.
pub(crate) fn judge(framework: Framework, outcome: &Outcome<'_>) -> Verdict {
    if !outcome.in_time {
        return Verdict::Timeout;
    }
    match framework {
        Framework::Pytest => pytest(outcome),
        Framework::Cargo => match (outcome.code, outcome.stopped) {
            (Some(0), _) => Verdict::Passed,
            (_, true) => Verdict::Failed,
            _ => Verdict::DidNotStop,
        },
        Framework::Go => go(outcome),
        Framework::Node => node(outcome),
    }
}

fn pytest(outcome: &Outcome<'_>) -> Verdict {
    if outcome.stopped {
        return Verdict::Failed;
    }
    let summary = PYTEST.find_iter(outcome.output).last().map_or("", |found| found.as_str());
    match outcome.code {
        Some(0) if summary.contains(" skipped") && !summary.contains(" passed") => Verdict::Skipped,
        Some(0) => Verdict::Passed,
        // It was collected, and what is to be imported could not be.
        Some(2) => Verdict::Failed,
        // What cannot be imported has no tests in it, but that is not what is wrong with it.
        Some(4) if ["ERROR collecting", "while loading conftest"].iter().any(|text| outcome.output.contains(text)) => {
            Verdict::Failed
        }
        Some(4) if outcome.output.contains("not found: ") || outcome.output.contains("no match in any of") => {
            Verdict::NoSuchTest
        }
        Some(5) => Verdict::NoSuchTest,
        _ => Verdict::DidNotStop,
    }
}

fn go(outcome: &Outcome<'_>) -> Verdict {
    let says = |text: &str| outcome.output.contains(text);
    if says("no tests to run") {
        Verdict::NoSuchTest
    } else if outcome.stopped {
        Verdict::Failed
    } else if says("--- SKIP: ") && !says("--- FAIL: ") {
        Verdict::Skipped
    } else if outcome.code == Some(0) || says("\nPASS\n") && !says("--- FAIL: ") {
        Verdict::Passed
    } else {
        Verdict::DidNotStop
    }
}

fn node(outcome: &Outcome<'_>) -> Verdict {
    let count = |word: &str| {
        let found = NODE.captures_iter(outcome.output).filter(|found| &found[1] == word).last();
        found.and_then(|found| found[2].parse::<u64>().ok()).unwrap_or(0)
    };
    if count("fail") + count("cancelled") > 0 {
        return if outcome.stopped { Verdict::Failed } else { Verdict::DidNotStop };
    }
    // Those with other titles count as skipped, too.
    let others = outcome.output.matches("test name does not match pattern").count() as u64;
    match (count("pass"), (count("skipped") + count("todo")).saturating_sub(others)) {
        (1.., _) => Verdict::Passed,
        (0, 1..) => Verdict::Skipped,
        (0, 0) if NODE.is_match(outcome.output) => Verdict::NoSuchTest,
        // Without a word of the runner the file itself failed.
        _ if outcome.stopped => Verdict::Failed,
        _ => Verdict::DidNotStop,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn judged(framework: Framework, stopped: bool, code: Option<i64>, output: &str) -> Verdict {
        judge(framework, &Outcome { stopped, in_time: true, code, output })
    }

    #[test]
    fn pytest_by_its_exit_code_and_summary() {
        let of = |stopped, code, output: &str| judged(Framework::Pytest, stopped, Some(code), output);
        assert_eq!(of(true, 1, "1 failed in 0.01s"), Verdict::Failed);
        assert_eq!(of(false, 0, ".\n1 passed in 0.01s\n"), Verdict::Passed);
        assert_eq!(of(false, 0, "s\n1 skipped in 0.01s\n"), Verdict::Skipped);
        assert_eq!(of(false, 0, "1 passed, 1 skipped in 0.01s\n"), Verdict::Passed);
        assert_eq!(of(false, 0, "x\n1 xfailed in 0.01s\n"), Verdict::Passed);
        assert_eq!(of(false, 2, "1 error during collection"), Verdict::Failed);
        assert_eq!(of(false, 4, "ERROR: not found: /w/t.py::x"), Verdict::NoSuchTest);
        assert_eq!(of(false, 4, "unrecognized arguments: -n"), Verdict::DidNotStop);
        assert_eq!(of(false, 5, ""), Verdict::NoSuchTest);
        let late = Outcome { stopped: false, in_time: false, code: None, output: "" };
        assert_eq!(judge(Framework::Pytest, &late), Verdict::Timeout);
    }

    #[test]
    fn the_others_by_what_they_write() {
        assert_eq!(judged(Framework::Cargo, true, Some(0), ""), Verdict::Passed, "it should panic");
        assert_eq!(judged(Framework::Cargo, true, Some(101), ""), Verdict::Failed);
        assert_eq!(judged(Framework::Cargo, false, Some(101), ""), Verdict::DidNotStop);
        assert_eq!(
            judged(Framework::Go, false, Some(0), "testing: warning: no tests to run\nPASS\n"),
            Verdict::NoSuchTest
        );
        assert_eq!(judged(Framework::Go, false, Some(0), "--- SKIP: T (0.00s)\nPASS\n"), Verdict::Skipped);
        assert_eq!(judged(Framework::Go, false, None, "--- PASS: T (0.00s)\nPASS\n"), Verdict::Passed);
        assert_eq!(judged(Framework::Go, true, Some(1), "--- FAIL: T"), Verdict::Failed);
        assert_eq!(judged(Framework::Node, true, None, "ℹ tests 1\nℹ pass 0\nℹ fail 1\n"), Verdict::Failed);
        assert_eq!(
            judged(Framework::Node, true, None, "ℹ tests 1\nℹ pass 1\nℹ fail 0\n"),
            Verdict::Passed,
            "it handled it"
        );
        let others = "﹣ b # test name does not match pattern\nℹ tests 2\nℹ pass 0\nℹ fail 0\n";
        let skipped = |count: u64| judged(Framework::Node, false, None, &format!("{others}ℹ skipped {count}\n"));
        assert_eq!((skipped(1), skipped(2)), (Verdict::NoSuchTest, Verdict::Skipped));
        assert_eq!(judged(Framework::Node, false, None, "# tests 0\n# pass 0\n# fail 0\n"), Verdict::NoSuchTest);
    }
}
