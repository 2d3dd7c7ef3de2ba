//! The corpus format has tests of its own; the runner (`corpus`) has no harness to put them in.
//!
//! Read first: `docs/testing.md`, which explains the format that is tested here.
//!
//! Nothing here searches: only reading and comparing is tested.

#[path = "corpus/carets.rs"]
mod carets;
#[path = "../../../tests/corpus/fences.rs"]
mod fences;
#[path = "corpus/markdown.rs"]
mod markdown;

use carets::{End, Mark, Note, Seen, Value, differences, render, split};
use fences::Problem;
use markdown::{Kind, Text, cases, words};

const RUST: Kind<'_> = Kind::Corpus { language: "rust" };

fn problem(text: &str) -> String {
    let Problem { line, message } = cases(text, &RUST).unwrap_err();
    format!("{line}: {message}")
}

#[test]
fn headings_name_cases_and_fences_are_the_case() {
    let text = "# Calls\n\nProse.\n\n## One\n\nfixme: why\n\n```pattern\nf($X)\n```\n\n```options\n--exact\n```\n\n\
                ```rust\nf(1)\n```\n\n```readings\ncall_expression: 1\n```\n\n## Two\n\n```pattern\n$1\n```\n```error\nmetavariable\n```\n";
    let cases = cases(text, &RUST).unwrap();
    let [one, two] = &cases[..] else { panic!("{cases:?}") };
    assert_eq!((one.title.as_str(), one.line, one.fixme.as_deref()), ("One", 5, Some("why")));
    let step = &one.steps[0];
    assert_eq!((step.pattern.trimmed(), step.language.as_str(), step.pattern.line()), ("f($X)", "rust", 9));
    assert_eq!(step.options.as_ref().unwrap().lines().collect::<Vec<_>>(), ["--exact"]);
    assert_eq!(step.sources[0].fence.text, "f(1)\n");
    assert_eq!(step.sources[0].fence.body, 17..18);
    assert!(step.sources[0].readings.is_some() && step.sources[0].after.is_none());
    assert!(two.fixme.is_none() && two.steps[0].error.is_some());
}

#[test]
fn what_is_wrong_with_a_corpus_is_said_at_its_line() {
    assert_eq!(
        problem("# A\n```patern\n```\n"),
        "2: a fence here is tagged `pattern`, `options`, `template`, `error`, `readings`, `after`, `refused` or `rust`, not `patern`"
    );
    assert_eq!(problem("# A\n```rust\n```\n"), "2: this `rust` has no `pattern` before it");
    assert_eq!(problem("# A\n\n```pattern\n"), "3: this fence is not closed");
    assert_eq!(problem("# A\n```pattern\nx\n```\n"), "2: this pattern has neither a source nor an error");
    assert_eq!(problem("# A\n```pattern\nx\n```\n```after\n```\n"), "5: this `after` has no source before it");
    assert_eq!(
        problem("# A\n```pattern\n```\n```rust\n```\n```after\n```\n"),
        "4: this source has an `after`, but its pattern has no `template`"
    );
    assert_eq!(
        problem("# A\n```pattern\n```\n```error\n```\n```error\n```\n"),
        "6: a second `error`; repeat the `pattern` to start anew"
    );
    assert_eq!(problem("```pattern\n```\n"), "1: this pattern stands under no heading");
}

#[test]
fn a_manual_shows_other_things_too() {
    let languages = ["rust".to_string(), "python".to_string()];
    let text = "# A\n```sh\n$ ls\n```\n```python\nx = 1\n```\n## B\n1. Indented:\n\n   ```pattern\n   f($X)\n   ```\n\n   ```python\n   f(1)\n     g\n   ```\n```pattern rust\n$1\n```\n```error\nx\n```\n## C\n```pattern\nalone\n```\n";
    let cases = cases(text, &Kind::Manual { languages: &languages }).unwrap();
    let [b, c] = &cases[..] else { panic!("{cases:?}") };
    assert_eq!(b.steps.iter().map(|step| step.language.as_str()).collect::<Vec<_>>(), ["python", "rust"]);
    assert_eq!(b.steps[0].pattern.trimmed(), "f($X)");
    assert_eq!(b.steps[0].sources[0].fence.text, "f(1)\n  g\n");
    assert!(c.steps[0].sources.is_empty());
}

#[test]
fn options_are_split_as_in_a_shell() {
    let split = words(r#"--where 'X=^\w+ $' --inside "a \"b\" \d" a\ b '' "#).unwrap();
    assert_eq!(split, ["--where", r"X=^\w+ $", "--inside", r#"a "b" \d"#, "a b", ""]);
    assert!(words("'open").is_err());
}

fn mark(at: usize, line: usize, start: usize, end: End) -> Mark {
    Mark { at, line, start, end, note: Note::default() }
}

#[test]
fn carets_mark_the_line_above_them() {
    let marked =
        split("a b\n^\n  ^\nnext\n^^^^^ X = `1`, Y = [`a`, ``` `b` ```], Z = [], W = unbound, partial, as call\n", 10)
            .unwrap();
    assert_eq!(marked.source, "a b\nnext\n");
    let [a, b, next] = &marked.marks[..] else { panic!("{marked:?}") };
    assert_eq!(*a, mark(11, 0, 0, End::Column(1)));
    assert_eq!(*b, mark(12, 0, 2, End::OpenFrom(3)));
    assert_eq!((next.at, next.line, next.start, &next.end), (14, 1, 0, &End::OpenFrom(4)));
    let one = |name: &str, value| (name.to_string(), value);
    let many = Value::Many(vec!["a".into(), "`b`".into()]);
    let bindings =
        vec![one("X", Value::One("1".into())), one("Y", many), one("Z", Value::Many(vec![])), one("W", Value::Unbound)];
    assert_eq!(next.note, Note { partial: true, reading: Some("call".into()), bindings });
}

#[test]
fn carets_may_stand_in_a_comment_and_several_on_one_line() {
    let marked = split("    f(1) + é(2)\n//  ^^^^   ^^^^\n", 1).unwrap();
    assert_eq!(marked.marks, [mark(2, 0, 4, End::Column(8)), mark(2, 0, 11, End::OpenFrom(15))]);
    assert_eq!(split("# x\n// y\na ^ b\n#\n", 1).unwrap().source, "# x\n// y\na ^ b\n#\n");
}

#[test]
fn a_caret_line_that_is_none_is_a_problem() {
    let message = split("a\n  ^ b\n", 5).unwrap_err();
    assert_eq!(message.line, 6);
    assert!(message.message.starts_with("cannot read the note at `b`"), "{message:?}");
    assert_eq!(split("^ X = `1`\n", 5).unwrap_err().line, 5);
    assert!(split("a\n^ X = 1\n", 5).unwrap_err().message.starts_with("expected text between ticks"));
    assert!(split("a\n^ partial X = `1`\n", 5).unwrap_err().message.starts_with("expected a comma"));
}

fn seen(source: &str, text: &str, x: &str) -> Seen {
    let start = source.find(text).unwrap();
    let bindings = vec![("X".to_string(), Value::One(x.to_string()))];
    Seen { start, end: start + text.len(), partial: false, reading: "call".into(), bindings }
}

fn complaints(text: &str, seen: &[Seen]) -> Vec<String> {
    let problems = differences(&split(text, 1).unwrap(), seen, 1);
    problems.iter().map(|problem| format!("{}: {}", problem.line, problem.message)).collect()
}

#[test]
fn matches_are_compared_with_carets_in_both_directions() {
    let source = "é f(1) g\nf(\n2)\n";
    let found = [seen(source, "f(1)", "1"), seen(source, "f(\n2)", "2\n")];
    assert_eq!(complaints("é f(1) g\n  ^^^^ X = `1`\nf(\n^^ X = `2…`\n2)\n", &found), Vec::<String>::new());
    assert_eq!(
        complaints("é f(1) g\n  ^^^^ X = `2`, Y = `3`, as macro\nf(\n2)\n", &found),
        [
            "2: read as `call`, not as `macro`",
            "2: X = `1`, not `2`",
            "2: Y = unbound, not `3`",
            "3: a match without carets: `f(…`"
        ]
    );
    assert_eq!(
        complaints("é f(1) g\n  ^^^\nf(\n^^^^\n2)\n  ^\n", &found),
        [
            "2: no match where the carets are; a match starts there, but it is `f(1)`",
            "6: no match where the carets are"
        ]
    );
}

#[test]
fn matches_with_one_range_are_told_apart_by_their_bindings() {
    let source = "f(1)\n";
    let found = [seen(source, "f(1)", "a"), seen(source, "f(1)", "b")];
    assert_eq!(complaints("f(1)\n^^^^ X = `b`\n^^^^ X = `a`\n", &found), Vec::<String>::new());
}

#[test]
fn what_an_update_writes_is_what_the_next_run_expects() {
    let source = "\té f(1) g\nf(\n2)\n";
    let found = [seen(source, "f(1)", "`"), seen(source, "f(\n2)", "2\n")];
    let text = render(source, &found);
    assert_eq!(text, "\té f(1) g\n\t  ^^^^ X = ``` ` ```\nf(\n^^ X = `2…`\n2)\n");
    assert_eq!(complaints(&text, &found), Vec::<String>::new());
}
