//! Rewriting, over random programs.

use std::collections::BTreeMap;
use std::sync::{Arc, LazyLock, Mutex};

use vise_search::rewrite::{RewriteOptions, Rewritten, Template, rewrite};
use vise_search::{Options, Pattern};
use vise_syntax::{Language, Registry, parse};

static JAVASCRIPT: LazyLock<Arc<Language>> = LazyLock::new(|| {
    let registry = Registry::embedded().expect("the languages fit their grammars");
    registry.by_name("javascript").expect("JavaScript is there").clone()
});

type Compiled = Arc<(Pattern, Template)>;
static COMPILED: Mutex<BTreeMap<(&str, &str), Compiled>> = Mutex::new(BTreeMap::new());

fn run(pattern: &'static str, template: &'static str, text: &str) -> Rewritten {
    let compiled = COMPILED
        .lock()
        .expect("no test panics while it holds this")
        .entry((pattern, template))
        .or_insert_with(|| {
            let pattern = Pattern::compile(&JAVASCRIPT, pattern, &Options::default()).expect("a pattern");
            let template = Template::parse(&JAVASCRIPT, template, &pattern.metavariables).expect("a template");
            Arc::new((pattern, template))
        })
        .clone();
    let document = parse(&JAVASCRIPT, text.as_bytes()).expect("the text is parsed");
    let found = compiled.0.find(&document);
    let matches = found.readings.into_iter().find(|matches| !matches.is_empty()).unwrap_or_default();
    let new = rewrite(&document, &matches, &compiled.1, &RewriteOptions::default());
    assert_eq!(vise_text::apply(text.as_bytes(), &new.edits).as_deref(), Ok(new.text.as_slice()));
    new
}

/// A call, a list or a name, with white space and comments that no formatter would leave.
fn expression() -> impl proptest::strategy::Strategy<Value = String> {
    use proptest::prelude::*;
    let gap = prop_oneof![
        4 => Just(""), 3 => Just(" "), 1 => Just("\n  "), 1 => Just(" /* c */ "), 1 => Just("// d\n"), 1 => Just("\t")
    ];
    let name = prop_oneof![
        Just("a"),
        Just("b.c"),
        Just("'s'"),
        Just("\"\\\"\""),
        Just("`t\n  ${u}`"),
        Just("1"),
        Just("/r/"),
        Just("{k: 1}")
    ];
    let leaf = name.prop_map(str::to_owned);
    leaf.prop_recursive(4, 40, 4, move |inner| {
        let list = proptest::collection::vec((gap.clone(), inner.clone(), gap.clone()), 0..4).prop_map(|parts| {
            let parts: Vec<String> = parts.into_iter().map(|(a, part, b)| format!("{a}{part}{b}")).collect();
            parts.join(",")
        });
        prop_oneof![
            (gap.clone(), list.clone()).prop_map(|(gap, list)| format!("foo{gap}({list})")),
            (list.clone(), any::<bool>())
                .prop_map(|(list, more)| { format!("[{list}{}]", if more && !list.is_empty() { "," } else { "" }) }),
            (inner.clone(), inner.clone()).prop_map(|(a, b)| format!("{a} + {b}")),
            (inner.clone(), inner).prop_map(|(a, b)| format!("({a} || {b})")),
        ]
    })
}

fn program() -> impl proptest::strategy::Strategy<Value = String> {
    use proptest::prelude::*;
    let line = prop_oneof![Just(";\n"), Just("\n"), Just(";\r\n"), Just("; ")];
    let indent = prop_oneof![Just(""), Just("\t"), Just("    ")];
    proptest::collection::vec((indent, expression(), line), 1..5).prop_map(|statements| {
        statements.into_iter().map(|(indent, expression, end)| format!("{indent}x = {expression}{end}")).collect()
    })
}

proptest::proptest! {
    #![proptest_config(proptest::prelude::ProptestConfig { cases: 400, failure_persistence: None, ..Default::default() })]

    #[test]
    fn the_same_template_changes_nothing(text in program()) {
        for pattern in ["foo($A)", "foo($$$A)", "foo($A, $$$R)", "$A + $B", "[$$$A]", "($A || $B)"] {
            let new = run(pattern, pattern, &text);
            proptest::prop_assert_eq!(String::from_utf8_lossy(&new.text), text.as_str());
            proptest::prop_assert_eq!((new.changes, new.refused.len()), (0, 0));
        }
    }

    #[test]
    fn nothing_is_lost(text in program()) {
        let language = &*JAVASCRIPT;
        let errors = parse(language, text.as_bytes()).expect("the text is parsed").error_count();
        for (pattern, template) in [
            ("foo($A)", "$A"),
            ("foo($A)", "-$A.x"),
            ("foo($A, $B)", "bar($B, $A)"),
            ("foo($A, $B)", "$A * $B"),
            ("foo($$$A)", "[\n  $$$A,\n  1\n]"),
            ("$A + $B", "sum($A, $B)"),
            ("[$$$A]", "list($$$A)"),
        ] {
            let new = run(pattern, template, &text);
            let document = parse(language, &new.text).expect("the text is parsed");
            proptest::prop_assert!(document.error_count() <= errors);
            let count = |text: &str, what: &str| text.matches(what).count();
            let after = String::from_utf8_lossy(&new.text).into_owned();
            for comment in ["/* c */", "// d"] {
                proptest::prop_assert!(count(&after, comment) >= count(&text, comment), "{after}");
            }
        }
    }
}

#[test]
fn many_matches_take_little_time() {
    let text: String = (0..10_000).map(|n| format!("foo({n} + 1, [a, b]);\n")).collect();
    let start = std::time::Instant::now();
    let new = run("foo($A, $B)", "bar($B, $A * 2)", &text);
    println!("10,000 lines: {:?}", start.elapsed());
    assert_eq!((new.changes, new.refused.len()), (10_000, 0));
    assert!(new.text.starts_with(b"bar([a, b], (0 + 1) * 2);\n"));
    let text: String = (0..10_000).map(|n| format!("foo({n}, 2);")).collect();
    let start = std::time::Instant::now();
    assert_eq!(run("foo($A, $B)", "{\n  bar($B, $A)\n}", &text).changes, 10_000);
    println!("10,000 in a line: {:?}", start.elapsed());
    let text = format!("{}1{};\n", "f(".repeat(3_000), ")".repeat(3_000));
    let start = std::time::Instant::now();
    assert_eq!(run("f($A)", "g($A)", &text).changes, 3_000);
    println!("3,000 deep: {:?}", start.elapsed());
    let text: String = (0..10_000).map(|_| "foo(1, 2);\n").collect();
    let start = std::time::Instant::now();
    assert_eq!(run("foo($A, $B)", "", &text).changes, 10_000);
    println!("10,000 deleted: {:?}", start.elapsed());
}
