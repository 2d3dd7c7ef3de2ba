//! A view for Graphviz.

use std::collections::BTreeMap;
use std::io::{self, Write};

use crate::export::dot_quoted;
use crate::graph::Graph;
use crate::kinds::Evidence;

use super::{View, label};

/// Writes a view for Graphviz.
///
/// # Errors
/// Those of `out`.
pub fn dot(graph: &Graph, view: &View, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "digraph vise {{\n  rankdir=LR;\n  node [shape=box, style=rounded, fontname=\"sans-serif\"];")?;
    if let Some(note) = view.note() {
        writeln!(out, "  label={};", dot_quoted(&note))?;
    }
    let mut columns: BTreeMap<i32, Vec<usize>> = BTreeMap::new();
    for (at, node) in view.nodes.iter().enumerate() {
        columns.entry(node.column).or_default().push(at);
    }
    for (column, nodes) in columns {
        writeln!(out, "  {{ rank=same;")?;
        for at in nodes {
            let ix = view.nodes[at].ix;
            let symbol = graph.symbol(ix);
            let place = format!("{}:{}", symbol.file, symbol.line);
            let bold = if column == 0 { ", penwidth=2" } else { "" };
            let (text, hint) = (dot_quoted(&label(graph, ix)), dot_quoted(symbol.qualified));
            writeln!(out, "    n{at} [label={text}, xlabel={}, tooltip={hint}{bold}];", dot_quoted(&place))?;
        }
        writeln!(out, "  }}")?;
    }
    for line in &view.edges {
        let (kind, evidence) = (line.edge.kind.as_str(), line.edge.evidence);
        let style = match evidence {
            Evidence::Compiler | Evidence::Scope | Evidence::Import | Evidence::Receiver => "solid",
            Evidence::Dispatch | Evidence::Callback | Evidence::UniqueName => "dashed",
            Evidence::Ambiguous => "dotted",
        };
        let (from, to, evidence) = (line.from, line.to, evidence.as_str());
        writeln!(out, "  n{from} -> n{to} [label=\"{kind}\", tooltip=\"{evidence}\", style={style}];")?;
    }
    writeln!(out, "}}")
}
