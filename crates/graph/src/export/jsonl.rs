//! One JSON object a line, in a stable order: what scripts read, and what two indexes are compared by.

use std::io::{self, Write};

use serde::Serialize;

use crate::graph::Graph;
use crate::query::{SymbolJson, id_text};

use super::all_edges;

/// The version of the lines' form.
pub const SCHEMA: u32 = 1;

#[derive(Serialize)]
#[serde(tag = "type", rename_all = "lowercase")]
enum Line<'g> {
    Meta { schema: u32, files: u32, symbols: u32, edges: u32, unresolved: u32, external: u32 },
    Symbol(SymbolJson<'g>),
    Edge { from: String, to: String, kind: &'static str, evidence: &'static str, file: &'g str, line: u32 },
}

pub(super) fn write(graph: &Graph, out: &mut dyn Write) -> io::Result<()> {
    let meta = graph.meta();
    let first = Line::Meta {
        schema: SCHEMA,
        files: graph.files(),
        symbols: graph.symbols(),
        edges: meta.edges,
        unresolved: meta.unresolved,
        external: meta.external,
    };
    line(out, &first)?;
    for ix in 0..graph.symbols() {
        line(out, &Line::Symbol(SymbolJson { graph, ix }))?;
    }
    for edge in all_edges(graph) {
        let end = |ix: u32| id_text(graph.symbol(ix).id);
        let row = Line::Edge {
            from: end(edge.from),
            to: end(edge.to),
            kind: edge.kind.as_str(),
            evidence: edge.evidence.as_str(),
            file: graph.file(edge.file).path,
            line: edge.line,
        };
        line(out, &row)?;
    }
    Ok(())
}

fn line(out: &mut dyn Write, line: &Line<'_>) -> io::Result<()> {
    serde_json::to_writer(&mut *out, line)?;
    out.write_all(b"\n")
}
