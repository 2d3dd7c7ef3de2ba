//! The corpus format has tests of its own; the runner (`corpus`) has no harness to put them in.
//!
//! Read first: `docs/testing.md`, which explains the format that is tested here.
//!
//! Nothing here parses a program: facts and edges are made by hand.

use vise_graph::facts::{FileFacts, NameId, ScopeId, Symbol, SymbolIx, flag};
use vise_graph::resolution::{GlobalSymbol, Miss, Resolution, ResolvedEdge, ResolvedFile};
use vise_graph::{EdgeKind, Evidence, SymbolKind};

#[path = "corpus/case.rs"]
mod case;
#[path = "corpus/compare.rs"]
mod compare;
#[path = "../../../tests/corpus/fences.rs"]
mod fences;
#[path = "corpus/marks.rs"]
mod marks;
#[path = "corpus/questions.rs"]
mod questions;
#[path = "corpus/seen.rs"]
mod seen;
#[path = "corpus/update.rs"]
mod update;

use case::{Case, cases};
use fences::Problem;
use marks::{EdgeWord, Says, split};
use seen::Seen;

fn read(text: &str) -> Result<Vec<Case>, String> {
    let extension = |tag: &str| (tag == "python").then(|| "py".to_string());
    cases(text, extension).map_err(|Problem { line, message }| format!("{line}: {message}"))
}

#[test]
fn fences_are_files_and_questions() {
    let text = "# Calls\n\n## One\n\nfixme: why\n\n```python\nf()\n```\n\n`b/c.toml`:\n\n```toml\nx = 1\n```\n\n\
                ```graph\nedges\n```\n\n## Empty\n";
    let cases = read(text).unwrap();
    let [case] = &cases[..] else { panic!("{cases:?}") };
    assert_eq!((case.title.as_str(), case.line, case.fixme.as_deref()), ("One", 3, Some("why")));
    let paths: Vec<&str> = case.files.iter().map(|file| file.path.as_str()).collect();
    assert_eq!(paths, ["main.py", "b/c.toml"]);
    assert_eq!(case.questions.len(), 1);
}

#[test]
fn what_is_wrong_with_a_corpus_is_said_at_its_line() {
    assert_eq!(read("```python\n```\n").unwrap_err(), "1: this fence stands under no heading");
    assert!(read("# A\n```toml\n```\n").unwrap_err().starts_with("2: a fence here is tagged with a language's name"));
    assert!(read("# A\n```python\n```\n```python\n```\n").unwrap_err().starts_with("4: a second `main.py`"));
    assert_eq!(read("# A\n```graph\n```\n").unwrap_err(), "1: this case has questions but no files");
    assert!(
        read("# A\n```python\nf()\n^ cals: f\n```\n").unwrap_err().starts_with("4: cannot read the note at `cals`")
    );
    assert_eq!(read("# A\n```python\nf()\n```\n").unwrap().len(), 1, "an update will say what is in it");
}

#[test]
fn a_note_is_about_the_word_above_its_carets() {
    let marked =
        split("x = get_it(1)\n#   ^^^^^^ calls: a.py::get_it [import]; instantiates: none\n#     ^ external\n", 7);
    let marked = marked.unwrap();
    assert_eq!(marked.source, "x = get_it(1)\n");
    let [calls, makes, external] = &marked.marks[..] else { panic!("{:?}", marked.marks) };
    assert_eq!((calls.at, calls.line, calls.word.as_str()), (8, 1, "get_it"));
    let Says::Edges { kind, targets } = &calls.says else { panic!("{calls:?}") };
    assert_eq!((*kind, targets[0].name.as_str()), (EdgeWord("calls"), "a.py::get_it"));
    assert_eq!(targets[0].evidence.as_deref(), Some("import"));
    assert_eq!(makes.says, Says::Edges { kind: EdgeWord("instantiates"), targets: Vec::new() });
    assert_eq!((external.word.as_str(), &external.says), ("get_it", &Says::Missed { external: true }));
}

/// `class Shelf` with `get` in a.py; `read` in b.py, which calls `Shelf.get` and something unknown on its line 2.
fn seen() -> Seen {
    let shelf =
        facts(&[("", SymbolKind::Module, 0, 0), ("Shelf", SymbolKind::Class, 0, 1), ("get", SymbolKind::Method, 1, 2)]);
    let mut reader = facts(&[("", SymbolKind::Module, 0, 0), ("read", SymbolKind::Function, 0, 1)]);
    reader.names.push("put");
    let put = NameId(2);
    let edge = ResolvedEdge {
        from: SymbolIx(1),
        line: 2,
        to: GlobalSymbol { file: 0, symbol: SymbolIx(2) },
        kind: EdgeKind::Calls,
        evidence: Evidence::Receiver,
    };
    let miss = Miss { owner: SymbolIx(1), line: 2, name: put, call: true, external: false };
    let resolution = Resolution {
        files: vec![
            ResolvedFile {
                qualified: ["a", "a.Shelf", "a.Shelf.get"].map(String::from).into(),
                ..ResolvedFile::default()
            },
            ResolvedFile {
                qualified: ["b", "b.read"].map(String::from).into(),
                edges: vec![edge],
                misses: vec![miss],
                ..ResolvedFile::default()
            },
        ],
    };
    Seen::new(&[("a.py", &shelf), ("b.py", &reader)], &resolution)
}

fn facts(symbols: &[(&str, SymbolKind, u32, u32)]) -> FileFacts {
    let mut facts = FileFacts::default();
    for (index, (name, kind, container, line)) in symbols.iter().enumerate() {
        facts.names.push(name);
        facts.symbols.push(Symbol {
            name: NameId(u32::try_from(index).unwrap()),
            kind: *kind,
            container: SymbolIx(*container),
            scope: ScopeId::FILE,
            body: None,
            line: *line,
            start_line: *line,
            end_line: *line,
            signature: NameId(0),
            declared: None,
            extension: None,
            arity: (0, 0),
            labels: None,
            flags: if *kind == SymbolKind::Method { flag::STATIC } else { 0 },
        });
    }
    facts
}

const SHELF: &str = "class Shelf:\n    def get(self): ...\n";
const READ: &str = "def read(shelf):\n    shelf.get(put())\n";

/// What differs when the two files say this, and what an update makes of the second.
fn check(shelf: &str, read_text: &str) -> (Vec<String>, String) {
    let text = format!("# A\n`a.py`:\n```python\n{shelf}```\n`b.py`:\n```python\n{read_text}```\n");
    let case = read(&text).unwrap().remove(0);
    let seen = seen();
    let mut problems: Vec<String> = Vec::new();
    let mut updated = String::new();
    for (file, of) in case.files.iter().enumerate() {
        let found = compare::differences(&seen, file, of);
        updated = update::render(&seen, file, of, &found, !case.says_something());
        problems.extend(found.into_iter().map(|Problem { line, message }| format!("{line}: {message}")));
    }
    (problems, updated)
}

#[test]
fn right_marks_have_no_problems_and_stay_as_they_are() {
    let shelf = "class Shelf:\n#     ^^^^^ defines: class Shelf\n    def get(self): ...\n    #   ^^^ defines: method Shelf.get [static]\n";
    let read = "def read(shelf):\n    shelf.get(put())\n    #     ^^^ calls: Shelf.get [receiver]\n    #         ^ unresolved\n";
    assert_eq!(check(shelf, read), (Vec::new(), read.to_string()));
    let short = "def read(shelf):\n    shelf.get(put())\n    #     ^^^ calls: get; instantiates: none\n";
    assert_eq!(check(SHELF, short), (Vec::new(), short.to_string()));
}

#[test]
fn wrong_marks_are_told_and_updated() {
    let read = "def read(shelf):\n    shelf.get(put())\n    #     ^^^ calls: none\n    #         ^^^ external\n";
    let (problems, updated) = check(SHELF, read);
    assert_eq!(problems, ["12: not said: calls: a.py::Shelf.get [receiver]", "12: `put` is unresolved, not external"]);
    let right = "def read(shelf):\n    shelf.get(put())\n    #     ^^^ calls: a.py::Shelf.get [receiver]\n    #         ^^^ unresolved\n";
    assert_eq!(updated, right);

    let read = "def read(shelf):\n    shelf.get(put())\n    #     ^^^ calls: Shelf.get [import], put; extends: Shelf\n";
    let (problems, _) = check(SHELF, read);
    let expected = [
        "11: the evidence for `Shelf.get` is receiver, not import",
        "11: there is no symbol `put`",
        "11: no edge to `Shelf`",
    ];
    assert_eq!(problems, expected);

    let shelf =
        "class Shelf:\n#     ^^^^^ defines: struct Shelf\n    def get(self): ...\n    #   ^^^ defines: method put\n";
    let (problems, _) = check(shelf, READ);
    let expected = [
        "5: `Shelf` is a class, not a struct",
        "7: `put` is not defined here; there is method Shelf.get",
        "7: not said: defines: method Shelf.get",
    ];
    assert_eq!(problems, expected);
}

#[test]
fn an_update_of_a_case_that_says_nothing_says_everything() {
    let (problems, updated) = check(SHELF, READ);
    assert!(problems.is_empty());
    let expected = "def read(shelf):\n    shelf.get(put())\n    #     ^^^ calls: a.py::Shelf.get [receiver]\n    #         ^^^ unresolved\n";
    assert_eq!(updated, expected);
}

/// Problems and the updated text of a `graph` fence.
fn ask(questions: &str) -> (Vec<String>, String) {
    let text = format!("# A\n`a.py`:\n```python\n```\n```graph\n{questions}```\n");
    let case = read(&text).unwrap().remove(0);
    let (problems, text) = questions::check(&seen(), &case.questions[0]);
    (problems.into_iter().map(|Problem { line, message }| format!("{line}: {message}")).collect(), text)
}

#[test]
fn questions_are_about_the_whole_case() {
    let right = "callers Shelf.get: b.py::read\ncallees read: Shelf.get [receiver]\ncallees get: none\n\
                 edge read > get\nno edge get > read\nedge read > get: calls [receiver]\n\
                 edges\n  b.py::read > a.py::Shelf.get: calls [receiver]\n\n\
                 symbols\n  class a.py::Shelf\n  method a.py::Shelf.get\n  function b.py::read\n";
    assert_eq!(ask(right), (Vec::new(), right.to_string()));

    let (problems, text) =
        ask("callers get: none\nedge read > get: imports\nno edge read > get\nedges\n  a > b: calls\n");
    let expected = [
        "6: not said: b.py::read [receiver]",
        "7: there is no such edge; there is calls [receiver]",
        "8: there is one: calls [receiver]",
        "10: there is no `a > b: calls`",
        "9: not said: b.py::read > a.py::Shelf.get: calls [receiver]",
    ];
    assert_eq!(problems, expected);
    assert!(text.starts_with("callers get: b.py::read [receiver]\n"), "{text}");
    assert!(text.ends_with("edges\n  b.py::read > a.py::Shelf.get: calls [receiver]\n"), "{text}");
    assert_eq!(ask("callers nobody: none\n").0, ["6: there is no symbol `nobody`"]);
    assert!(ask("who calls\n").0[0].starts_with("6: cannot read `who calls`"));
}

#[test]
fn a_name_that_may_be_several_symbols_is_a_problem() {
    let mut seen = seen();
    seen.symbols[4].path = "Box.get".to_string();
    assert_eq!(seen.symbol("get", None).unwrap_err(), "`get` may be a.py::Shelf.get or b.py::Box.get; say which");
    assert_eq!(seen.symbol("get", Some(1)), Ok(4), "the own file comes first");
    assert_eq!(seen.symbol("a.py::get", Some(1)), Ok(2));
    assert_eq!(seen.symbol("get@2", None), Ok(2));
    assert_eq!(seen.symbol("a.py::<module>", None), Ok(0));
}
