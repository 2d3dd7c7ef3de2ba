//! The graph in other programs' forms. The same graph always gives the same bytes.
//!
//! [`write`] writes the forms that are one stream; [`parquet`] gives the tables by which many repositories are joined,
//! [`write_scip`] an index with the columns of names. Nothing here opens a file.

mod ctags;
mod drawing;
mod graphml;
mod jsonl;
#[cfg(feature = "parquet")]
pub mod parquet;
#[cfg(feature = "scip")]
mod scip;

use std::fmt;
use std::io::{self, Write};

use crate::graph::{Edge, Graph};
use crate::kinds::{EdgeKind, Evidence};

#[cfg(feature = "scip")]
pub use self::scip::{Head, Unplaced, write_scip};
pub(crate) use drawing::dot_quoted;
pub use drawing::{Drawing, MAX_DRAWN};
pub use jsonl::SCHEMA;

/// A form that is one stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// One JSON object a line: `meta`, then symbols, then edges.
    Jsonl,
    /// GraphML, for Gephi, yEd and NetworkX.
    Graphml,
    /// Graphviz; of a large graph its files, rather than its symbols.
    Dot,
    /// Mermaid; of a large graph its files, rather than its symbols.
    Mermaid,
    /// A tags file for editors.
    Ctags,
}

/// Writes a graph.
///
/// # Errors
/// Those of `out`.
pub fn write(graph: &Graph, form: Form, out: &mut dyn Write) -> io::Result<()> {
    match form {
        Form::Jsonl => jsonl::write(graph, out),
        Form::Graphml => graphml::write(graph, out),
        Form::Dot => Drawing::of(graph).dot(out),
        Form::Mermaid => Drawing::of(graph).mermaid(out),
        Form::Ctags => ctags::write(graph, out),
    }
}

/// All edges in the order of their sources, containment among them.
pub(crate) fn all_edges(graph: &Graph) -> impl Iterator<Item = Edge> + '_ {
    (0..graph.symbols()).flat_map(move |ix| {
        let inside = graph.children(ix).map(move |child| {
            let symbol = graph.symbol(child);
            let (kind, evidence) = (EdgeKind::Contains, Evidence::Scope);
            Edge { from: ix, to: child, kind, evidence, file: symbol.file_ix, line: symbol.line }
        });
        inside.chain(graph.out(ix))
    })
}

/// Text for XML and HTML, in elements and in quoted attributes; control characters, which XML cannot hold, become U+FFFD.
pub(crate) struct Escaped<'t>(pub(crate) &'t str);

impl fmt::Display for Escaped<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for c in self.0.chars() {
            match c {
                '&' => f.write_str("&amp;")?,
                '<' => f.write_str("&lt;")?,
                '>' => f.write_str("&gt;")?,
                '"' => f.write_str("&quot;")?,
                c if c.is_control() && !matches!(c, '\t' | '\n' | '\r') => f.write_str("\u{fffd}")?,
                c => write!(f, "{c}")?,
            }
        }
        Ok(())
    }
}
