use std::collections::BTreeMap;

use super::layout::Layout;
use super::{View, dot, html, label, svg};
use crate::export::dot_quoted;
use crate::facts::{FileFacts, Scope, ScopeId, ScopeKind, SymbolIx};
use crate::graph::{BuiltFile, Graph};
use crate::kinds::{EdgeKind, Evidence, SymbolKind};
use crate::resolution::{GlobalSymbol, Resolution, ResolvedEdge, ResolvedFile};
use crate::sample::symbol;

/// A graph of functions in one file, each on its own line, with calls between them by name.
fn graph(path: &str, names: &[&str], calls: &[(usize, usize, Evidence)]) -> Graph {
    let mut facts = FileFacts::default();
    let mut add = |name: &str| {
        facts.names.push(name);
        crate::facts::NameId(u32::try_from(facts.names.len() - 1).unwrap())
    };
    let module = symbol(add("m"), SymbolKind::Module, SymbolIx::MODULE, 1);
    let mut symbols = vec![module];
    for (line, name) in (1..).zip(names) {
        symbols.push(symbol(add(name), SymbolKind::Function, SymbolIx::MODULE, line));
    }
    facts.symbols = symbols;
    let owner = SymbolIx::MODULE;
    facts.scopes.push(Scope { parent: ScopeId::FILE, kind: ScopeKind::File, owner, extension: None });
    let number = |at: usize| SymbolIx(u32::try_from(at + 1).unwrap());
    let mut edges: Vec<ResolvedEdge> = calls
        .iter()
        .map(|(from, to, evidence)| ResolvedEdge {
            from: number(*from),
            line: u32::try_from(*from + 1).unwrap(),
            to: GlobalSymbol { file: 0, symbol: number(*to) },
            kind: EdgeKind::Calls,
            evidence: *evidence,
        })
        .collect();
    edges.sort_unstable();
    let qualified = std::iter::once("m").chain(names.iter().copied()).map(str::to_owned).collect();
    let file = ResolvedFile { qualified, edges, ..ResolvedFile::default() };
    let built = BuiltFile { path, language: "python", lines: 9, facts: &facts };
    Graph::from_bytes(Graph::build(&[built], &Resolution { files: vec![file] })).unwrap()
}

fn named(graph: &Graph, name: &str) -> u32 {
    graph.named(name).next().unwrap()
}

/// The names of each column.
fn columns(graph: &Graph, view: &View) -> BTreeMap<i32, Vec<String>> {
    let mut columns: BTreeMap<i32, Vec<String>> = BTreeMap::new();
    for node in &view.nodes {
        columns.entry(node.column).or_default().push(label(graph, node.ix));
    }
    columns
}

fn text(write: impl Fn(&mut Vec<u8>) -> std::io::Result<()>) -> String {
    let mut bytes = Vec::new();
    write(&mut bytes).unwrap();
    String::from_utf8(bytes).unwrap()
}

const NAMES: [&str; 7] = ["far", "near", "other", "here", "below", "deep", "apart"];

fn small() -> Graph {
    use Evidence::{Ambiguous, Dispatch, Scope};
    let calls = [
        (0, 1, Scope),
        (1, 3, Scope),
        (2, 3, Dispatch),
        (3, 4, Scope),
        (4, 5, Ambiguous),
        (4, 3, Scope),
        (3, 3, Scope),
    ];
    graph("a.py", &NAMES, &calls)
}

#[test]
fn callers_are_to_the_left_and_callees_to_the_right() {
    let graph = small();
    let view = View::around(&graph, &[named(&graph, "here")], 2, 100);
    // What both calls and is called stands on the left, where it was met first.
    let expected = [(-2, vec!["far"]), (-1, vec!["near", "below", "other"]), (0, vec!["here"])];
    let mut found = columns(&graph, &view);
    let right: Vec<(i32, Vec<String>)> = found.split_off(&1).into_iter().collect();
    let expected: BTreeMap<i32, Vec<String>> =
        expected.map(|(column, names)| (column, names.into_iter().map(str::to_owned).collect())).into();
    assert_eq!(found, expected);
    assert_eq!(right, []);
    let edges: Vec<String> = view
        .edges
        .iter()
        .map(|line| {
            let name = |at: usize| label(&graph, view.nodes[at].ix);
            format!("{} > {} {}", name(line.from), name(line.to), line.edge.evidence.as_str())
        })
        .collect();
    assert_eq!(
        edges,
        [
            "here > here scope",
            "here > below scope",
            "near > here scope",
            "below > here scope",
            "other > here dispatch",
            "far > near scope"
        ]
    );
    assert_eq!(view.note(), None);
}

#[test]
fn a_cap_takes_from_both_sides_and_says_what_is_left_out() {
    let names: Vec<String> = (0..21).map(|number| format!("f{number}")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    // Ten callers and ten callees of f0.
    let mut calls: Vec<(usize, usize, Evidence)> = (1..11).map(|from| (from, 0, Evidence::Scope)).collect();
    calls.extend((11..21).map(|to| (0, to, Evidence::Scope)));
    let graph = graph("a.py", &names, &calls);
    let view = View::around(&graph, &[named(&graph, "f0")], 2, 7);
    assert_eq!(view.nodes.len(), 7);
    assert_eq!(view.left_out, BTreeMap::from([(-1, 7), (1, 7)]));
    assert_eq!(
        view.note().unwrap(),
        "not shown: 7 symbols 1 step to the left, 7 symbols 1 step to the right, and what lies behind"
    );
    let page = text(|out| html(&graph, &view, "", out));
    assert!(page.contains("not shown: 7 symbols") && page.contains(">7 more, 1 step away</text>"), "{page}");
    let one_sided = View::around(&graph, &[named(&graph, "f1")], 1, 7);
    assert_eq!((one_sided.nodes.len(), one_sided.left_out.len()), (2, 0));
    assert_eq!(View::around(&graph, &[named(&graph, "f0")], 0, 7).nodes.len(), 1);
}

#[test]
fn names_do_nothing_in_any_form() {
    let evil = ["</script><script>alert(1)</script>", "a\"b'c&d<e>", "\\\"];\n}", "--><!--", "here"];
    let calls: Vec<(usize, usize, Evidence)> = (0..4).map(|from| (from, 4, Evidence::Scope)).collect();
    let graph = graph("x/</title>\"&.py", &evil, &calls);
    let view = View::around(&graph, &[named(&graph, "here")], 1, 100);
    let page = text(|out| html(&graph, &view, "../", out));
    // The page's own: one for the data, one for the code.
    assert_eq!(page.matches("<script").count(), 2, "{page}");
    assert_eq!(page.matches("</script").count(), 2, "{page}");
    assert_eq!(page.matches("<!--").count(), 0, "{page}");
    let data = page.split("id=\"data\">").nth(1).unwrap().split("</script>").next().unwrap();
    let data: serde_json::Value = serde_json::from_str(data).unwrap();
    let labels: Vec<&str> = data["nodes"].as_array().unwrap().iter().map(|n| n["label"].as_str().unwrap()).collect();
    assert_eq!(labels, ["here", evil[0], evil[1], evil[2], evil[3]]);
    assert_eq!(data["base"], "../");
    let picture = text(|out| svg(&graph, &view, out));
    for name in ["&lt;/script&gt;", "a&quot;b'c&amp;d&lt;e&gt;"] {
        assert!(picture.contains(name) && page.contains(name), "{name}: {picture}");
    }
    assert!(!picture.contains("<script"), "{picture}");
    let drawing = text(|out| dot(&graph, &view, out));
    assert!(drawing.contains(&dot_quoted(evil[0])) && drawing.contains(r#"label="\\\"]; }""#), "{drawing}");
}

#[test]
fn graphviz_reads_what_is_written_for_it() {
    let graph = small();
    let view = View::around(&graph, &[named(&graph, "here")], 2, 100);
    assert_eq!(
        text(|out| dot(&graph, &view, out)),
        r#"digraph vise {
  rankdir=LR;
  node [shape=box, style=rounded, fontname="sans-serif"];
  { rank=same;
    n4 [label="far", xlabel="a.py:1", tooltip="far"];
  }
  { rank=same;
    n1 [label="near", xlabel="a.py:2", tooltip="near"];
    n2 [label="below", xlabel="a.py:5", tooltip="below"];
    n3 [label="other", xlabel="a.py:3", tooltip="other"];
  }
  { rank=same;
    n0 [label="here", xlabel="a.py:4", tooltip="here", penwidth=2];
  }
  n0 -> n0 [label="calls", tooltip="scope", style=solid];
  n0 -> n2 [label="calls", tooltip="scope", style=solid];
  n1 -> n0 [label="calls", tooltip="scope", style=solid];
  n2 -> n0 [label="calls", tooltip="scope", style=solid];
  n3 -> n0 [label="calls", tooltip="dispatch", style=dashed];
  n4 -> n1 [label="calls", tooltip="scope", style=solid];
}
"#
    );
}

#[test]
fn nodes_never_lie_on_each_other_and_the_bytes_are_the_same_each_time() {
    let names: Vec<String> = (0..400).map(|number| format!("f{number}")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let calls: Vec<(usize, usize, Evidence)> =
        (0..399_usize).flat_map(|at| [(at + 1, at / 3, Evidence::Import), (at, at / 2, Evidence::Callback)]).collect();
    let graph = graph("a.py", &names, &calls);
    let view = View::around(&graph, &[named(&graph, "f20")], 4, 300);
    let layout = Layout::of(&view);
    for (at, (x, y)) in layout.places.iter().enumerate() {
        assert!(*x >= 0 && *y >= 0 && x + 196 <= layout.size.0 && y + 40 <= layout.size.1, "{at}");
        for (other_x, other_y) in &layout.places[..at] {
            assert!((x - other_x).abs() >= 196 || (y - other_y).abs() >= 40, "{at}");
        }
    }
    let write = || text(|out| html(&graph, &View::around(&graph, &[named(&graph, "f20")], 4, 300), "", out));
    assert_eq!(write(), write());
}
