use std::collections::HashMap;

use serde_json::json;

use super::*;
use crate::answer::{Severity, Symbol};

struct Files(HashMap<PathBuf, &'static str>);

impl Texts for Files {
    fn text(&self, path: &Path) -> Option<Text> {
        self.0.get(path).map(|text| Text::new(text.as_bytes()))
    }
    fn at(&self, _: &Path) -> At {
        At::Nothing
    }
}

fn with<R>(work: impl FnOnce(&mut Reader<'_>) -> R) -> (R, usize) {
    let files = Files(HashMap::from([("/r/a.py".into(), "x = \"é😀\"; f()\r\ndef f(): pass\n")]));
    let mut reader = Reader::new(Path::new("/r"), PositionEncoding::Utf16, &files);
    let result = work(&mut reader);
    (result, reader.bad)
}

fn range(line: u32, start: u32, end: u32) -> Value {
    json!({"start": {"line": line, "character": start}, "end": {"line": line, "character": end}})
}

#[test]
fn places_of_every_shape_sorted_and_each_once() {
    let mixed = json!([
        {"uri": "file:///r/a.py", "range": range(1, 4, 5)},
        {"targetUri": "file:///r/a.py", "targetRange": range(1, 0, 14), "targetSelectionRange": range(1, 4, 5)},
        {"uri": "file:///r/a.py", "range": range(0, 10, 11)},
        {"uri": "file:///lib/b.py", "range": range(7, 3, 4)},
        {"uri": "jdt://contents/x.class?y", "range": range(2, 0, 1)},
        {"uri": "file:///r/a.py", "range": {"start": {"line": -1, "character": 0}}},
        {"uri": 7},
    ]);
    let (found, bad) = with(|reader| locations(&mixed, reader));
    let shown: Vec<String> =
        found.iter().map(|at| format!("{}:{}:{} {}", at.file, at.line, at.column, at.text)).collect();
    assert_eq!(
        shown,
        ["/lib/b.py:8:4 ", "a.py:1:10 x = \"é😀\"; f()", "a.py:2:5 def f(): pass", "jdt://contents/x.class?y:3:1 ",]
    );
    assert_eq!(found.iter().map(|at| at.outside_workspace).collect::<Vec<_>>(), [true, false, false, true]);
    assert_eq!(bad, 2);
    let one = json!({"uri": "file:///r/a%2Epy", "range": range(9, 9, 9)});
    let (found, _) = with(|reader| locations(&one, reader));
    assert_eq!((found[0].line, found[0].column), (3, 1), "past the end is the end");
    assert!(with(|reader| locations(&Value::Null, reader)).0.is_empty());
}

#[test]
fn hovers_of_every_shape() {
    for (result, text) in [
        (json!({"contents": {"kind": "markdown", "value": "**x**\n"}}), Some("**x**")),
        (json!({"contents": "bare"}), Some("bare")),
        (json!("barer"), Some("barer")),
        (json!({"contents": {"language": "go", "value": "func f()"}}), Some("```go\nfunc f()\n```")),
        (
            json!({"contents": ["a", {"language": "x", "value": ""}, {"kind": "plaintext", "value": "b"}]}),
            Some("a\n\nb"),
        ),
        (json!({"contents": []}), None),
        (json!({"contents": {"kind": "markdown", "value": " \n"}}), None),
        (Value::Null, None),
    ] {
        assert_eq!(hover(&result).as_deref(), text, "{result}");
    }
    let help = json!({"signatures": [{"label": "f(a)"}, {"label": "f(a, b)", "documentation": "two"}, {}], "activeSignature": 1});
    assert_eq!(signature(&help).as_deref(), Some("f(a, b)\ntwo\n\nf(a)"));
    assert_eq!(signature(&json!({"signatures": []})), None);
}

fn names(symbols: &[Symbol]) -> Vec<String> {
    let below = |symbol: &Symbol| {
        let children = names(&symbol.children).join(" ");
        let line = symbol.line.map_or("?".to_owned(), |line| line.to_string());
        format!("{}:{}:{line}[{children}]", symbol.kind, symbol.name)
    };
    symbols.iter().map(below).collect()
}

#[test]
fn symbols_nested_flat_and_without_a_place() {
    let nested = json!([
        {"name": "C", "kind": 5, "range": range(0, 0, 3), "selectionRange": range(1, 4, 5), "children": [
            {"name": "m", "kind": 6, "range": range(1, 0, 1), "children": [{"name": "x", "kind": 99, "range": range(0, 0, 0)}]},
            {"kind": 6},
        ]},
        {"name": "d", "kind": 12, "range": range(0, 0, 1)},
    ]);
    let (found, bad) = with(|reader| symbols(&nested, Some("file:///r/a.py"), reader));
    assert_eq!(names(&found), ["class:C:2[method:m:2[symbol:x:1[]]]", "function:d:1[]"]);
    assert_eq!(bad, 1);
    let flat = json!([
        {"name": "f", "kind": 12, "location": {"uri": "file:///r/a.py", "range": range(1, 4, 5)}, "containerName": "C"},
        {"name": "g", "kind": 12, "location": {"uri": "file:///r/b.py"}},
        {"name": "/r/b.py", "kind": 2, "location": {"uri": "file:///r/b.py"}},
    ]);
    let (found, bad) = with(|reader| symbols(&flat, None, reader));
    assert_eq!(
        (names(&found), bad),
        (["function:f:2[]", "function:g:?[]", "module:b.py:?[]"].map(str::to_owned).to_vec(), 0)
    );
    assert_eq!((found[0].container.as_deref(), found[1].file.as_str()), (Some("C"), "b.py"));
}

#[test]
fn deep_nesting_is_no_recursion() {
    let mut deep = json!({"name": "x", "kind": 5, "range": range(0, 0, 1)});
    for _ in 0..50 {
        deep = json!({"name": "x", "kind": 5, "range": range(0, 0, 1), "children": [deep]});
    }
    let (found, _) = with(|reader| symbols(&json!([deep]), Some("file:///r/a.py"), reader));
    let mut depth = 0;
    let mut at = &found;
    while let [one] = &at[..] {
        depth += 1;
        at = &one.children;
    }
    assert_eq!(depth, 51);
}

#[test]
fn names_in_the_spelling_of_servers() {
    for spelt in ["helper", "helper()", "(*T).helper", "helper/1", "T.helper", "m::helper", "helper<T>(x: a.b)"] {
        assert!(same_name(spelt, "helper") && same_name(spelt, "a.helper"), "{spelt}");
    }
    assert!(!same_name("helpers", "helper") && !same_name("(*helper).M", "helper"));
}

#[test]
fn calls_on_both_sides() {
    let other = json!({"name": "main", "kind": 12, "uri": "file:///r/a.py", "range": range(1, 0, 9), "selectionRange": range(1, 4, 5)});
    let incoming = json!([{"from": other, "fromRanges": [range(0, 10, 11), {}]}, {"from": {"name": "x"}}]);
    let (found, bad) = with(|reader| calls(&incoming, "from", "file:///r/here.py", reader));
    assert_eq!((found.len(), found[0].symbol.line, found[0].from[0].file.as_str(), bad), (1, Some(2), "a.py", 2));
    let outgoing = json!([{"to": other, "fromRanges": [range(3, 0, 1)]}]);
    let (found, _) = with(|reader| calls(&outgoing, "to", "file:///r/here.py", reader));
    assert_eq!((found[0].from[0].file.as_str(), found[0].from[0].line), ("here.py", 4));
}

#[test]
fn diagnostics_lose_a_member_and_not_the_whole() {
    let items = [
        json!({"range": range(1, 4, 5), "message": "m", "code": 1.0, "codeDescription": {"href": ":bad"}}),
        json!({"range": {"start": {"line": -1}}, "message": "n", "severity": 2, "code": {"value": "E1"}, "source": "x"}),
        json!({"range": range(0, 0, 1), "message": "unused", "severity": 4, "tags": [1]}),
        json!({"range": range(0, 0, 1)}),
        json!({"range": range(1, 4, 5), "message": "m", "code": 1}),
    ];
    let (found, bad) = with(|reader| diagnostics("file:///r/a.py", &items, reader));
    let shown: Vec<_> = found.iter().map(|d| (d.line, d.severity, d.code.as_deref(), d.message.as_str())).collect();
    assert_eq!(shown, [(1, Severity::Warning, Some("E1"), "n"), (2, Severity::Error, Some("1"), "m")]);
    assert_eq!(bad, 1);
}

#[test]
fn actions_by_kind() {
    let result = json!([
        {"title": "Import", "kind": "quickfix.import", "isPreferred": true, "edit": {}},
        {"title": "Off", "kind": "quickfix", "disabled": {"reason": "x"}},
        {"title": "Extract", "kind": "refactor.extract"},
        {"title": "Run", "command": "run"},
        {},
    ]);
    let titles = |kind| {
        let (found, _) = with(|reader| actions(&result, kind, reader));
        found.into_iter().map(|(action, _)| format!("{} {}", action.index, action.title)).collect::<Vec<_>>()
    };
    assert_eq!(titles(None), ["1 Import", "2 Extract", "3 Run"]);
    assert_eq!(titles(Some("quickfix")), ["1 Import"]);
    assert_eq!(titles(Some("quick")), [""; 0]);
    assert!(edit_of(&result[0]).is_some() && edit_of(&result[3]).is_none());
}

#[test]
fn what_typescript_calls_a_diagnostic() {
    let item = json!({
        "start": {"line": 2, "offset": 5}, "end": {"line": 2, "offset": 9}, "text": "no", "code": 2345, "category": "warning",
    });
    let ours = tsserver_diagnostic(&item);
    assert_eq!(ours["range"]["start"], json!({"line": 1, "character": 4}));
    assert_eq!((&ours["severity"], &ours["code"], &ours["message"]), (&json!(2), &json!(2345), &json!("no")));
    assert_eq!(tsserver_diagnostic(&json!({"category": "error"}))["severity"], 1);
}
