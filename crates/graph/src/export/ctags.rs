//! A tags file, sorted, with line numbers as addresses.

use std::io::{self, Write};

use crate::graph::Graph;
use crate::kinds::SymbolKind;

pub(super) fn write(graph: &Graph, out: &mut dyn Write) -> io::Result<()> {
    out.write_all(
        b"!_TAG_FILE_FORMAT\t2\t/extended format/\n!_TAG_FILE_SORTED\t1\t/0=unsorted, 1=sorted, 2=foldcase/\n",
    )?;
    let mut rows: Vec<u32> = (0..graph.symbols())
        .filter(|ix| {
            let symbol = graph.symbol(*ix);
            // A tag with a tab or line break in its name would be another tag's.
            symbol.kind != SymbolKind::Module && !symbol.name.is_empty() && !symbol.name.contains(['\t', '\n', '\r'])
        })
        .collect();
    rows.sort_by(|a, b| {
        let (a, b) = (graph.symbol(*a), graph.symbol(*b));
        (a.name.as_bytes(), a.file.as_bytes(), a.line).cmp(&(b.name.as_bytes(), b.file.as_bytes(), b.line))
    });
    for ix in rows {
        let symbol = graph.symbol(ix);
        let kind = symbol.kind.as_str();
        write!(out, "{}\t{}\t{};\"\tkind:{kind}\tline:{}", symbol.name, symbol.file, symbol.line, symbol.line)?;
        write!(out, "\tend:{}\tlanguage:{}", symbol.end_line, symbol.language)?;
        let container = symbol.container.map(|ix| graph.symbol(ix)).filter(|around| around.kind != SymbolKind::Module);
        if let Some(around) = container {
            write!(out, "\tscope:{}:{}", around.kind.as_str(), around.qualified.replace(['\t', '\n', '\r'], " "))?;
        }
        out.write_all(b"\n")?;
    }
    Ok(())
}
