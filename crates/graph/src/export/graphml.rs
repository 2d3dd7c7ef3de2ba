//! GraphML: nodes and edges with their attributes.

use std::io::{self, Write};

use crate::graph::Graph;
use crate::query::id_text;

use super::{Escaped, all_edges};

pub(super) fn write(graph: &Graph, out: &mut dyn Write) -> io::Result<()> {
    out.write_all(b"<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n")?;
    out.write_all(b"<graphml xmlns=\"http://graphml.graphdrawing.org/xmlns\">\n")?;
    for (of, name, kind) in [
        ("node", "name", "string"),
        ("node", "qualified", "string"),
        ("node", "kind", "string"),
        ("node", "language", "string"),
        ("node", "file", "string"),
        ("node", "line", "int"),
        ("edge", "evidence", "string"),
        ("edge", "kind", "string"),
        ("edge", "line", "int"),
    ] {
        let letter = &of[..1];
        writeln!(out, "  <key id=\"{letter}_{name}\" for=\"{of}\" attr.name=\"{name}\" attr.type=\"{kind}\"/>")?;
    }
    out.write_all(b"  <graph edgedefault=\"directed\">\n")?;
    for ix in 0..graph.symbols() {
        let symbol = graph.symbol(ix);
        write!(out, "    <node id=\"{}\">", id_text(symbol.id))?;
        let texts = [
            ("name", symbol.name),
            ("qualified", symbol.qualified),
            ("kind", symbol.kind.as_str()),
            ("language", symbol.language),
            ("file", symbol.file),
        ];
        for (key, text) in texts {
            write!(out, "<data key=\"n_{key}\">{}</data>", Escaped(text))?;
        }
        writeln!(out, "<data key=\"n_line\">{}</data></node>", symbol.line)?;
    }
    for edge in all_edges(graph) {
        let end = |ix: u32| id_text(graph.symbol(ix).id);
        let (from, to, kind, evidence) = (end(edge.from), end(edge.to), edge.kind.as_str(), edge.evidence.as_str());
        write!(out, "    <edge source=\"{from}\" target=\"{to}\"><data key=\"e_kind\">{kind}</data>")?;
        writeln!(out, "<data key=\"e_evidence\">{evidence}</data><data key=\"e_line\">{}</data></edge>", edge.line)?;
    }
    out.write_all(b"  </graph>\n</graphml>\n")
}
