//! Facts of small Python files, as text.

use vise_syntax::{Language, Registry, parse};

use super::{dump, extract};
use crate::rules::Rules;

fn language(name: &str) -> std::sync::Arc<Language> {
    let registry = Registry::embedded().expect("the languages fit their grammars");
    registry.by_name(name).expect("the language is there").clone()
}

fn facts_of(name: &str, source: &str) -> String {
    let language = language(name);
    let rules = Rules::compile(&language).expect("the queries compile").expect("there are queries");
    let document = parse(&language, source.as_bytes()).expect("the text is short");
    dump(&extract(&document, &rules, "pkg/a.py"))
}

fn holds(facts: &str, lines: &[&str]) {
    for line in lines {
        assert!(facts.lines().any(|found| found.trim() == *line), "no line `{line}` in\n{facts}");
    }
}

#[test]
fn the_queries_of_every_language_compile() {
    let registry = Registry::embedded().expect("the languages fit their grammars");
    let mut compiled = 0;
    for language in registry.languages() {
        compiled += usize::from(Rules::compile(language).expect("they compile").is_some());
    }
    assert!(compiled > 0);
}

#[test]
fn fields_come_from_the_class_and_from_its_receiver() {
    let facts = facts_of(
        "python",
        "class C:\n    a = 1\n    def __init__(self, b):\n        self.a = 2\n        self.b = b\n        self.b = 3\n",
    );
    holds(
        &facts,
        &[
            "2 field a :2 [2-2] in C#1 scope 1",
            "3 constructor __init__ :3 [3-6] in C#1 scope 1 body 2 arity 2..2 entry self_parameter",
            "4 field b :5 [5-5] in C#1 scope 1 assigned",
            ":4 name self@2.a by __init__#3",
        ],
    );
    assert_eq!(facts.matches(" field ").count(), 2, "{facts}");
}

#[test]
fn a_called_name_is_a_call_and_local_names_are_no_uses() {
    let facts = facts_of("python", "def f(x):\n    y = g(x, k=x)\n    return len(y.z)\n");
    holds(&facts, &[":2 call g@1(x@1, k=x@1) by f#1", ":3 name y@1.z by f#1", "result of f#1 <- len@1(y@1.z)"]);
    assert!(!facts.contains("name x@1 by"), "{facts}");
}

#[test]
fn a_chain_over_lines_has_the_line_of_each_name() {
    let facts = facts_of("python", "def f(q):\n    return (q\n        .one()\n        .two())\n");
    holds(&facts, &[":3 call q@1.one() by f#1", ":4 call q@1.one().two() by f#1"]);
}

#[test]
fn decorators_belong_to_the_definition_inside() {
    let facts =
        facts_of("python", "class C:\n    @staticmethod\n    def f(x): pass\n    @property\n    def p(self): pass\n");
    holds(
        &facts,
        &[
            "2 method f :3 [2-3] in C#1 scope 1 body 2 arity 1..1 static",
            "3 property p :5 [4-5] in C#1 scope 1 body 3 arity 1..1 accessor self_parameter",
            ":2 staticmethod@1 on f#2",
        ],
    );
}

#[test]
fn what_is_taken_apart_gives_each_name_its_part() {
    let facts = facts_of("python", "def f():\n    a, (b, c) = g()\n    d, e = 1, a\n");
    holds(&facts, &["v0 a <- g@1()[0]", "v1 b <- g@1()[1][0]", "v4 e <- a@1"]);
}

#[test]
fn imports_keep_the_text_of_their_source() {
    let facts = facts_of("python", "import a.b\nfrom ..c.d import e as f, g\nfrom h import *\n");
    holds(
        &facts,
        &[
            ":1 its first part of `a.b` as a in scope 0 by a#0",
            ":2 e of `..c.d` as f in scope 0 by a#0",
            ":2 g of `..c.d` as g in scope 0 by a#0",
            ":3 everything of `h` in scope 0 by a#0",
        ],
    );
}

#[test]
fn two_functions_of_one_name_are_two_symbols() {
    let facts = facts_of("python", "def f(): pass\ndef f(): pass\n");
    assert_eq!(facts.matches(" function f ").count(), 2, "{facts}");
}

#[test]
fn rust_macros_are_read_again() {
    let facts = facts_of("rust", "fn f() {\n    println!(\"{}\",\n        g(1));\n}\n");
    holds(&facts, &[":3 call g@2(literal) by f#1"]);
}

#[test]
fn a_new_let_of_an_old_name_is_another_variable() {
    let facts = facts_of("rust", "fn f() { let x = g(); let y = x; let x = h(x); }\n");
    assert_eq!(facts.matches("x = v").count(), 2, "{facts}");
}

#[test]
fn deep_and_wide_trees_are_walked() {
    let deep = format!("x = {}1{}\n", "(".repeat(20_000), ")".repeat(20_000));
    assert!(facts_of("python", &deep).contains("variable x"));
    let wide = format!("x = [{}]\n", "1, ".repeat(50_000));
    assert!(facts_of("python", &wide).contains("variable x"));
}

#[test]
fn broken_text_tells_its_lines() {
    assert!(facts_of("python", "def f(:\n    pass\n").contains("errors"));
}
