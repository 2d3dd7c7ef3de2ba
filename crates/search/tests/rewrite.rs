//! Rewriting, from pattern and template to the new text.

use std::sync::{Arc, OnceLock};

use vise_search::rewrite::{RewriteOptions, Rewritten, Template, rewrite};
use vise_search::{Options, Pattern};
use vise_syntax::{Document, Language, Registry, parse};

fn language(name: &str) -> Arc<Language> {
    static REGISTRY: OnceLock<Registry> = OnceLock::new();
    let registry = REGISTRY.get_or_init(|| Registry::embedded().expect("the languages fit their grammars"));
    registry.by_name(name).unwrap_or_else(|| panic!("no language {name}")).clone()
}

fn run_with(
    name: &str,
    pattern: &str,
    template: &str,
    text: &[u8],
    options: &Options,
    rewriting: &RewriteOptions,
) -> Rewritten {
    let language = language(name);
    let pattern = Pattern::compile(&language, pattern, options).expect("the pattern is read");
    let template = Template::parse(&language, template, &pattern.metavariables).expect("the template is read");
    let document: Document<'_> = parse(&language, text).expect("the text is parsed");
    let found = pattern.find(&document);
    let matches = found.readings.into_iter().find(|matches| !matches.is_empty()).unwrap_or_default();
    let new = rewrite(&document, &matches, &template, rewriting);
    assert_eq!(vise_text::apply(text, &new.edits).as_deref(), Ok(new.text.as_slice()), "edits and text agree");
    assert_eq!(new.edits.len(), new.places.len());
    new
}

fn run(name: &str, pattern: &str, template: &str, text: &str) -> Rewritten {
    run_with(name, pattern, template, text.as_bytes(), &Options::default(), &RewriteOptions::default())
}

#[track_caller]
fn check(name: &str, pattern: &str, template: &str, before: &str, after: &str) {
    let new = run(name, pattern, template, before);
    assert_eq!(String::from_utf8_lossy(&new.text), after, "refused: {:?}", new.refused);
    assert!(new.refused.is_empty(), "{:?}", new.refused);
}

#[track_caller]
fn refuses(name: &str, pattern: &str, template: &str, before: &str, reason: &str) {
    let new = run(name, pattern, template, before);
    assert_eq!(String::from_utf8_lossy(&new.text), before);
    let reasons: Vec<&str> = new.refused.iter().map(|refusal| refusal.reason).collect();
    assert!(!reasons.is_empty() && reasons.iter().all(|known| *known == reason), "{:?}", new.refused);
}

fn context(name: &str) -> Options {
    let rung = vise_syntax::RungName::ALL.into_iter().find(|rung| rung.as_str() == name).expect("a rung");
    Options { context: vise_search::Context::Rung(rung), ..Options::default() }
}

#[track_caller]
fn check_in(rung: &str, name: &str, pattern: &str, template: &str, before: &str, after: &str) {
    let new = run_with(name, pattern, template, before.as_bytes(), &context(rung), &RewriteOptions::default());
    assert_eq!(String::from_utf8_lossy(&new.text), after, "refused: {:?}", new.refused);
}

#[test]
fn case_b3() {
    check(
        "python",
        "from $M import $N",
        "import $M.$N as $N",
        "from a import b, c\nfrom d import e\n",
        "from a import b, c\nimport d.e as e\n",
    );
}

#[test]
fn case_b4() {
    check(
        "javascript",
        "let $X = $Y",
        "const $X = $Y",
        "let a = 1, b = 2;\nlet d = 3;\n",
        "let a = 1, b = 2;\nconst d = 3;\n",
    );
}

#[test]
fn case_b6() {
    check("python", "def $F($A)", "def $F(self, $A)", "def f(a):\n    return 1\n", "def f(self, a):\n    return 1\n");
}

#[test]
fn case_c3() {
    check(
        "php",
        "public function $F($$$P) { $$$B }",
        "protected function $F($$$P) { $$$B }",
        "<?php class A { public function f($x) { g(); } private $y; }\n",
        "<?php class A { protected function f($x) { g(); } private $y; }\n",
    );
}

#[test]
fn case_c8() {
    check_in(
        "type",
        "rust",
        "<$L as Add<$R>>::Output",
        "Sum<$L, $R>",
        "type N = <P1 as Add<P2>>::Output;\n",
        "type N = Sum<P1, P2>;\n",
    );
}

#[test]
fn case_c10() {
    check(
        "csharp",
        "$A + $B",
        "Add($A, $B)",
        "class C { int M(int a, int b) { return a + b; } async void F() { await G(); } }\n",
        "class C { int M(int a, int b) { return Add(a, b); } async void F() { await G(); } }\n",
    );
}

#[test]
fn case_c11() {
    check(
        "typescript",
        "$A as $B",
        "$A",
        "import { type T, U } from \"m\"; const q = v as string;\n",
        "import { type T, U } from \"m\"; const q = v;\n",
    );
}

#[test]
fn case_d2() {
    check(
        "java",
        "public W $N($$$P) { $$$B }",
        "public X $N($$$P) { $$$B }",
        "class M { public W a() { } @Bean public W b() { } }\n",
        "class M { public X a() { } @Bean public X b() { } }\n",
    );
}

#[test]
fn case_e7() {
    check(
        "rust",
        "$X.to_string()",
        "String::from($X)",
        "fn f() { let v = vec![a.to_string()]; b.to_string(); }\n",
        "fn f() { let v = vec![String::from(a)]; String::from(b); }\n",
    );
}

#[test]
fn case_f2() {
    check("javascript", "twice($X)", "$X * 2", "twice(p + 5);\ntwice(q);\n", "(p + 5) * 2;\nq * 2;\n");
}

#[test]
fn case_f4() {
    check("javascript", "id($X)", "$X", "id({a: 1});\n", "({a: 1});\n");
}

#[test]
fn case_f5() {
    check("javascript", "wrap($X)", "$X", "let a = 1\nwrap([1,2]).forEach(g)\n", "let a = 1\n;[1,2].forEach(g)\n");
}

#[test]
fn case_f6() {
    check("javascript", "foo($A, $B)", "bar($B, $A)", "foo(/* k */ a, b /* v */);\n", "bar(b /* v */, /* k */ a);\n");
}

#[test]
fn case_f8() {
    check(
        "javascript",
        "log($A)",
        "if (x) {\n  log($A)\n}",
        "function f() {\n    log(`l1\n    l2\n  l3`);\n}\n",
        "function f() {\n    if (x) {\n        log(`l1\n    l2\n  l3`)\n    };\n}\n",
    );
}

#[test]
fn case_f10() {
    check(
        "javascript",
        "foo($A)",
        "{\n  baz($A)\n}",
        "foo(() => {\r\n  bar();\r\n});\r\n",
        "{\r\n  baz(() => {\r\n    bar();\r\n  })\r\n};\r\n",
    );
}

#[test]
fn case_f11() {
    check(
        "python",
        "$B = lambda: $R",
        "def $B():\n    return $R",
        "def outer():\n    b = lambda: 123\n",
        "def outer():\n    def b():\n        return 123\n",
    );
}

#[test]
fn case_f13() {
    check(
        "typescript",
        "Drop",
        "",
        "import { a, Drop, b } from \"m\"; import { a, Drop } from \"m\";\n",
        "import { a, b } from \"m\"; import { a } from \"m\";\n",
    );
}

#[test]
fn case_f15() {
    check_in("type", "python", "None", "", "def f(self) -> None:\n    pass\n", "def f(self):\n    pass\n");
}

#[test]
fn case_f16() {
    check("javascript", "console.log($$$)", "", "a();\nconsole.log(1);\nb();\n", "a();\nb();\n");
}

#[test]
fn case_f17a() {
    check("python", "f($X)", "f($X, 1)", "f(x[0, 1:2])\n", "f(x[0, 1:2], 1)\n");
}

#[test]
fn case_f17b() {
    check("python", "print($E)", "log($E)", "print(f\"abc {z}\")\n", "log(f\"abc {z}\")\n");
}

#[test]
fn case_f19() {
    check(
        "java",
        "\"$S\"",
        "wrap(\"$S\")",
        "class A { String f() { return \"a\" + \"b\"; } }\n",
        "class A { String f() { return wrap(\"a\") + wrap(\"b\"); } }\n",
    );
}

#[test]
fn case_f20() {
    check("javascript", "old($A)", "nu($A)", "old(old(1));\n", "nu(nu(1));\n");
}

#[test]
fn case_f21() {
    check(
        "rust",
        "println!($F, $A)",
        "eprintln!($F, $A)",
        "fn main() {\n    println!(\"x: {}\", 1);\n}\n",
        "fn main() {\n    eprintln!(\"x: {}\", 1);\n}\n",
    );
}

#[test]
fn case_g1() {
    check("javascript", "foo($X)", "qux($X)", "foo(bar(foo(1)));\n", "qux(bar(qux(1)));\n");
}

#[test]
fn parentheses() {
    let js = |pattern, template, before, after| check("javascript", pattern, template, before, after);
    js("len($X)", "$X.length", "x = len(a || b);\n", "x = (a || b).length;\n");
    js("len($X)", "$X.length", "x = len(a.b);\n", "x = a.b.length;\n");
    js("sub($A, $B)", "$A - $B", "x = sub(a, c - d);\n", "x = a - (c - d);\n");
    js("sub($A, $B)", "$A - $B", "x = sub(a - b, c);\n", "x = a - b - c;\n");
    js("inc($X)", "$X + 1", "z = y * inc(x);\n", "z = y * (x + 1);\n");
    js("inc($X)", "$X + 1", "z = y + f(inc(x));\n", "z = y + f(x + 1);\n");
    js("twice($X)", "$X * 2", "twice((p + 5));\n", "(p + 5) * 2;\n");
    js("foo($X)", "$X.foo", "a = foo(1);\n", "a = (1).foo;\n");
    js("id($X)", "$X", "id(function () {});\n", "(function () {});\n");
    js("id($X)", "$X", "id(class {}).x();\n", "(class {}).x();\n");
    js("id($X)", "$X", "a = id({a: 1});\n", "a = {a: 1};\n");
    js("lazy($X)", "() => $X", "a = lazy({a: 1});\n", "a = () => ({a: 1});\n");
    js("id(id($X))", "$X", "id(id({a: 1}));\n", "({a: 1});\n");
    js("id($X)", "$X", "id(id({a: 1}));\n", "({a: 1});\n");
    js("f($X)", "g($X)", "f((a, b));\n", "g((a, b));\n");
    js("f($X)", "g($X, 1)", "f(a ? b : c);\n", "g(a ? b : c, 1);\n");
    js("not($X)", "!$X", "if (not(a && b)) {}\n", "if (!(a && b)) {}\n");
    js("inc($X)", "$X + 1", "z = y * inc(inc(x));\n", "z = y * (x + 1 + 1);\n");
    js("sub2($X)", "2 - $X", "z = sub2(sub2(x));\n", "z = 2 - (2 - x);\n");
    js(
        "await_($X)",
        "await $X",
        "async function f() { x = await_(a).b }\n",
        "async function f() { x = (await a).b }\n",
    );
    check("python", "sq($X)", "$X ** 2", "y = sq(a + b)\n", "y = (a + b) ** 2\n");
    check("python", "neg($X)", "not $X", "y = neg(a or b)\n", "y = not (a or b)\n");
    check("python", "f($X)", "g(x=$X)", "y = f(lambda: 1)\n", "y = g(x=lambda: 1)\n");
    check("rust", "$X.deref()", "*$X", "fn f() { a = p.deref().x; }\n", "fn f() { a = (*p).x; }\n");
    check("rust", "neg($X)", "!$X", "fn f() { a = neg(b == c); }\n", "fn f() { a = !(b == c); }\n");
    check_in("type", "rust", "Box<$T>", "&$T", "type A = Box<dyn B + C>;\n", "type A = &(dyn B + C);\n");
    check(
        "java",
        "len($X)",
        "$X.length()",
        "class A { int b = len(a + b); }\n",
        "class A { int b = (a + b).length(); }\n",
    );
    check("go", "len2($X)", "$X.Len()", "package a\n\nvar x = len2(a + b)\n", "package a\n\nvar x = (a + b).Len()\n");
}

#[test]
fn a_comma_is_no_expression() {
    check("javascript", "f($A)", "$A, 1", "g(f(x), 2);\n", "g(x, 1, 2);\n");
}

#[test]
fn terminators() {
    let js = |pattern, template, before, after| check("javascript", pattern, template, before, after);
    js("foo($A);", "bar($A);", "foo(1);\nfoo(2)\n", "bar(1);\nbar(2)\n");
    js("foo($A)", "bar($A);", "foo(1);\nx = foo(2);\n", "bar(1);\nx = bar(2);\n");
    js("wrap(() => { $$$S })", "{ $$$S; }", "wrap(() => { a(); });\n", "{ a(); };\n");
    js("old($A)", "nu($A)", "let a = 1\nold(b)\n;[c].d()\n", "let a = 1\nnu(b)\n;[c].d()\n");
    check("rust", "foo($A)", "bar($A)", "fn f() { foo(1); foo(2) }\n", "fn f() { bar(1); bar(2) }\n");
}

#[test]
fn statements_do_not_join() {
    let js = |pattern, template, before, after| check("javascript", pattern, template, before, after);
    js("wrap($X)", "$X", "wrap([1,2]).forEach(g)\n", "[1,2].forEach(g)\n");
    js("wrap($X)", "$X", "let a = 1;\nwrap([1,2]).forEach(g)\n", "let a = 1;\n[1,2].forEach(g)\n");
    js("wrap($X)", "$X", "let a = 1\nwrap(b).forEach(g)\n", "let a = 1\nb.forEach(g)\n");
    js("id($X)", "$X", "let a = 1\nid({a: 1})\n", "let a = 1\n;({a: 1})\n");
    js("if ($C) { $B }", "$C && $B", "if (a) { b }\n[c].d()\n", "a && b;\n[c].d()\n");
    js("if ($C) { $B }", "$C && $B", "if(a){b}c();\nif(d){e}f();\n", "a && b;c();\nd && e;f();\n");
    refuses("javascript", "foo($A)", "if (c) bar($A)", "if (a) foo(1); else b();\n", "parse");
    refuses("javascript", "foo($A)", "x();\ny($A)", "if (a) foo(1);\n", "parse");
    js("foo($A)", "x();\ny($A)", "{ foo(1); }\n", "{ x();\ny(1); }\n");
}

#[test]
fn lists_that_are_empty_or_hold_much() {
    let js = |pattern, template, before, after| check("javascript", pattern, template, before, after);
    js("foo($A, $$$R)", "bar($A, $$$R)", "foo(1);\nfoo(1, 2, 3);\n", "bar(1);\nbar(1, 2, 3);\n");
    js("foo($$$A)", "bar($$$A, b)", "foo();\nfoo(a);\n", "bar(b);\nbar(a, b);\n");
    js("foo($$$A)", "bar(x, $$$A, b)", "foo();\n", "bar(x, b);\n");
    js("foo($$$A)", "bar([$$$A], {})", "foo();\nfoo(1,2 , 3);\n", "bar([], {});\nbar([1,2 , 3], {});\n");
    js("function f() { $$$B }", "function g() {\n  $$$B\n}", "function f() {}\n", "function g() {\n}\n");
    js("foo($$$A)", "bar($$$A)", "foo(\n  1,\n  2,\n);\n", "bar(\n  1,\n  2,\n);\n");
    js("foo($A, $B)", "foo($B, $A)", "foo(\n  1,\n  2\n);\n", "foo(\n  2,\n  1\n);\n");
}

#[test]
fn comments_are_kept_or_the_place_is_refused() {
    let js = |pattern, template, before, after| check("javascript", pattern, template, before, after);
    js(
        "foo($A, $B)",
        "bar($A, $B)",
        "foo(\n  a, // first\n  b // second\n);\n",
        "bar(\n  a, // first\n  b // second\n);\n",
    );
    js(
        "foo($A, $B)",
        "bar($B, $A)",
        "foo(\n  a, // first\n  b // second\n);\n",
        "bar(\n  b, // second\n  a // first\n);\n",
    );
    js("foo($A)", "bar($A)", "foo(/* a */ x);\n", "bar(/* a */ x);\n");
    js("foo($A)", "bar(1, $A)", "foo(x /* a */);\n", "bar(1, x /* a */);\n");
    js(
        "if ($C) { $$$B }",
        "while ($C) { $$$B }",
        "if (a /* 1 */) { // 2\n  b(); // 3\n  // 4\n}\n",
        "while (a /* 1 */) { // 2\n  b(); // 3\n  // 4\n}\n",
    );
    refuses("javascript", "foo($A, $B)", "bar($B)", "foo(/* k */ a, b);\n", "comment");
    refuses("javascript", "foo()", "bar(1)", "foo(/* none */);\n", "comment");
    refuses("javascript", "console.log($$$)", "", "console.log(1 /* why */);\n", "comment");
    let lossy = RewriteOptions { allow_comment_loss: true };
    let new = run_with(
        "javascript",
        "foo($A, $B)",
        "bar($B)",
        b"foo(/* k */ a, b);\nfoo(1, 2);\n",
        &Options::default(),
        &lossy,
    );
    assert_eq!(String::from_utf8_lossy(&new.text), "bar(b);\nbar(2);\n");
    assert_eq!(new.dropped_comments.len(), 1);
    assert_eq!((new.dropped_comments[0].offset, new.dropped_comments[0].text.as_slice()), (4, b"/* k */".as_slice()));
}

#[test]
fn a_refused_place_leaves_the_others() {
    let new = run("javascript", "foo($A, $B)", "bar($B)", "foo(/* k */ a, b);\nfoo(1, 2);\n");
    assert_eq!(String::from_utf8_lossy(&new.text), "foo(/* k */ a, b);\nbar(2);\n");
    assert_eq!((new.changes, new.refused.len(), new.refused[0].offset), (1, 1, 0));
    let new = run("javascript", "foo($A)", "bar($A, ...)", "foo(1);\nfoo(2);\n");
    assert_eq!((new.changes, new.refused.len()), (0, 2));
}

#[test]
fn what_is_not_mentioned_is_kept() {
    check(
        "java",
        "public W $N($$$P) { $$$B }",
        "public X $N($$$P) { $$$B }",
        "class M {\n    @Bean\n    public W b() {\n        a();\n        b();\n    }\n}\n",
        "class M {\n    @Bean\n    public X b() {\n        a();\n        b();\n    }\n}\n",
    );
    check(
        "rust",
        "fn $F($$$P) { $$$B }",
        "fn $F($$$P) { log(); $$$B }",
        "pub fn a(x: u8) -> u8 { x }\n",
        "pub fn a(x: u8) -> u8 { log(); x }\n",
    );
    check(
        "typescript",
        "function $F($$$P) { $$$B }",
        "function $F($$$P) { log(); $$$B }",
        "export async function a<T>(x: T): T { return x; }\n",
        "export async function a<T>(x: T): T { log(); return x; }\n",
    );
    check(
        "python",
        "def $F($$$P):\n    $$$B",
        "def $F(self, $$$P):\n    $$$B",
        "@a\nasync def f(x) -> int:\n    return x\n",
        "@a\nasync def f(self, x) -> int:\n    return x\n",
    );
    refuses("java", "public W $N($$$P) { $$$B }", "W $N;", "class M { @Bean public W b() { } }\n", "kept_child");
}

#[test]
fn nested_matches() {
    let js = |pattern, template, before, after| check("javascript", pattern, template, before, after);
    assert_eq!(run("javascript", "old($A)", "nu($A)", "old(old(1)); old(2);\n").changes, 3);
    assert_eq!(run("javascript", "old($A)", "nu()", "old(old(1));\n").changes, 1);
    js("old($A)", "nu($A, $A)", "old(old(1));\n", "nu(nu(1, 1), nu(1, 1));\n");
    js("f($A, $B)", "g($B)", "f(f(1, 2), f(3, 4));\n", "g(g(4));\n");
    js("any($X)", "some($X)", "any(is(any(is(x))));\n", "some(is(some(is(x))));\n");
    js(
        "foo(() => { $$$B })",
        "bar(() => { $$$B })",
        "foo(() => {\n  foo(() => { a() });\n});\n",
        "bar(() => {\n  bar(() => { a() });\n});\n",
    );
}

#[test]
fn indentation() {
    check(
        "javascript",
        "log($A)",
        "if (x) {\n  log($A)\n}",
        "function f() {\n\tlog({\n\t\ta: 1\n\t});\n}\n",
        "function f() {\n\tif (x) {\n\t\tlog({\n\t\t\ta: 1\n\t\t})\n\t};\n}\n",
    );
    check(
        "javascript",
        "if ($C) {\n  $$$B\n}",
        "$$$B",
        "function f() {\n    if (a) {\n        b();\n\n        c();\n    }\n}\n",
        "function f() {\n    b();\n\n    c();\n}\n",
    );
    check(
        "python",
        "if $C:\n    $$$B",
        "while $C:\n    try:\n        $$$B\n    finally:\n        pass",
        "def f():\n  if a:\n    b()\n    c()\n  d()\n",
        "def f():\n  while a:\n    try:\n      b()\n      c()\n    finally:\n      pass\n  d()\n",
    );
    check(
        "python",
        "if $C:\n    $$$B",
        "while $C:\n    try:\n        $$$B\n    finally:\n        pass",
        "if not ssl:\n    a = b  # noqa\n\n\nc = d\n",
        "while not ssl:\n    try:\n        a = b\n    finally:\n        pass  # noqa\n\n\nc = d\n",
    );
    check("javascript", "f($A)", "g(`a\n  ${$A}\n    b`)", "{\n    f(x);\n}\n", "{\n    g(`a\n  ${x}\n    b`);\n}\n");
    check(
        "ruby",
        "if $C\n  $$$B\nend",
        "unless $C\n  $$$B\nend",
        "def f\n    if a\n        b\n        c\n    end\nend\n",
        "def f\n    unless a\n        b\n        c\n    end\nend\n",
    );
}

#[test]
fn line_ends_and_byte_order_marks() {
    check(
        "javascript",
        "f($A)",
        "g(\n  $A\n)",
        "\u{feff}f(1);\r\nf(2);\r\n",
        "\u{feff}g(\r\n  1\r\n);\r\ng(\r\n  2\r\n);\r\n",
    );
    check("javascript", "f($A)", "g($A)", "f(1)", "g(1)");
    check("javascript", "f($A)", "g(\n$A\n)", "a\r\nf(1)", "a\r\ng(\r\n1\r\n)");
}

#[test]
fn deletion() {
    let js = |pattern, before, after| check("javascript", pattern, "", before, after);
    js("console.log($$$)", "function f() {\n  console.log(1);\n}\n", "function f() {\n}\n");
    js("console.log($$$)", "a(); console.log(1); b();\n", "a(); b();\n");
    js("console.log($$$)", "console.log(1); // why\nb();\n", "// why\nb();\n");
    js("console.log($$$)", "a();\nconsole.log(1)", "a();");
    js("console.log($$$)", "a();\r\n  console.log(\r\n1);\r\nb();\r\n", "a();\r\nb();\r\n");
    js(
        "Drop",
        "f(a, Drop, b); f(Drop); f(Drop, a); f(a, Drop); f(Drop, Drop, a); f(a, Drop, Drop); f(Drop, Drop);\n",
        "f(a, b); f(); f(a); f(a); f(a); f(a); f();\n",
    );
    js(
        "Drop",
        "x = [\n  a,\n  Drop,\n  b,\n];\ny = [a, Drop,];\nz = [\n  a,\n  Drop\n];\n",
        "x = [\n  a,\n  b,\n];\ny = [a,];\nz = [\n  a\n];\n",
    );
    refuses("javascript", "foo($A)", "", "x = foo(1);\n", "parse");
    refuses("javascript", "foo($A)", "", "if (a) foo(1);\nb();\n", "parse");
    refuses("javascript", "foo($A)", "", "let a = 1\nfoo(1)\n[2].b()\n", "parse");
    refuses("python", "foo($A)", "", "def f():\n    foo(1)\n", "parse");
    check("python", "foo($A)", "", "def f():\n    foo(1)\n    bar()\n", "def f():\n    bar()\n");
    check_in("attribute", "javascript", "key={$K}", "", "x = <a b key={1} c=\"2\"/>;\n", "x = <a b c=\"2\"/>;\n");
}

#[test]
fn strings() {
    check(
        "javascript",
        "say(\"$S\")",
        "tell(\"$S!\")",
        "say('hi'); say(\"ho\"); say('');\n",
        "tell(\"hi!\"); tell(\"ho!\"); tell(\"!\");\n",
    );
    check("javascript", "say(\"$S\")", "tell(\"$S\")", "say('a'); say('\"a\"');\n", "tell(\"a\"); tell('\"a\"');\n");
    check("javascript", "f($X)", "g(\"$X\", $X)", "f(name);\n", "g(\"name\", name);\n");
    check("javascript", "$O.get($A)", "$O.fetch_$A()", "x.get(name);\n", "x.fetch_name();\n");
}

#[test]
fn broken_files() {
    let new = run("javascript", "foo($A)", "bar($A)", "foo(1);\nfunction ( {\nfoo(2);\n");
    assert!(new.changes >= 1, "{new:?}");
    let text = b"foo(\"\xe9\");\n";
    let all = (&Options::default(), &RewriteOptions::default());
    let new = run_with("javascript", "foo($A)", "bar($A)", text, all.0, all.1);
    assert_eq!(new.text, b"bar(\"\xe9\");\n");
    let new = run_with("javascript", "foo($A)", "b\u{e4}r($A)", text, all.0, all.1);
    assert_eq!((new.text.as_slice(), new.refused[0].reason), (text.as_slice(), "not_utf8_template"));
}

#[test]
fn template_errors() {
    let language = language("javascript");
    let pattern = Pattern::compile(&language, "f($A, $$$R)", &Options::default()).expect("a pattern");
    let error = |text: &str| Template::parse(&language, text, &pattern.metavariables).expect_err("an error");
    let unknown = error("g($B)");
    assert!(unknown.contains("`$B`") && unknown.contains("`$A`") && unknown.contains("`$$$R`"), "{unknown}");
    assert!(error("g($R)").contains("`$$$R`"));
    assert!(error("g($_)").contains("`$_`"));
    assert!(error("g($$$)").contains("`$$$`"));
    assert!(error("g($1)").contains("`$A1`"));
    assert!(error("g($$name)").contains("`$$NAME`"));
    let template = Template::parse(&language, "\\$a + $x + $Foo + $A", &pattern.metavariables).expect("a template");
    assert!(!template.is_empty());
}
