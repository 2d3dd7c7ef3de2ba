//! A view as a page of its own: nothing is fetched, and nothing but its own script runs.

use std::io::{self, Write};

use serde::Serialize;

use crate::export::Escaped;
use crate::graph::Graph;

use super::svg::{STYLE, dash, drawing, title};
use super::{Layout, View, label};

const PAGE_STYLE: &str = include_str!("page.css");
const SCRIPT: &str = include_str!("page.js");

/// What the script knows of a symbol.
#[derive(Serialize)]
struct Row<'g> {
    label: String,
    qualified: &'g str,
    kind: &'g str,
    signature: &'g str,
    file: &'g str,
    line: u32,
    column: i32,
}

/// What the script knows of an edge.
#[derive(Serialize)]
struct Way<'g> {
    from: usize,
    to: usize,
    kind: &'g str,
    evidence: &'g str,
    file: &'g str,
    line: u32,
    uses: usize,
}

#[derive(Serialize)]
struct Data<'g> {
    /// What stands before a file's path in a link.
    base: &'g str,
    nodes: Vec<Row<'g>>,
    edges: Vec<Way<'g>>,
}

/// Writes a view as a page. `base` leads from where the page will lie to the root of the workspace: empty, or ending in
/// `/`.
///
/// # Errors
/// Those of `out`.
pub fn html(graph: &Graph, view: &View, base: &str, out: &mut dyn Write) -> io::Result<()> {
    let layout = Layout::of(view);
    let title = title(graph, view);
    let name = Escaped(&title);
    // Even if a text got out of its place, it could load nothing.
    let policy = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; base-uri 'none'";
    writeln!(out, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">")?;
    writeln!(out, "<meta http-equiv=\"Content-Security-Policy\" content=\"{policy}\">")?;
    writeln!(out, "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">")?;
    writeln!(out, "<meta name=\"color-scheme\" content=\"light dark\">")?;
    writeln!(out, "<title>{name}</title>\n<style>\n{STYLE}{PAGE_STYLE}</style>\n</head>\n<body>")?;
    writeln!(out, "<header>\n<h1>{name}</h1>")?;
    let count = |count: usize, one: &str| format!("{count} {one}{}", if count == 1 { "" } else { "s" });
    let size = format!("{}, {}", count(view.nodes.len(), "symbol"), count(view.edges.len(), "edge"));
    writeln!(out, "<p class=\"size\">{size}</p>")?;
    writeln!(
        out,
        "<input id=\"search\" type=\"search\" placeholder=\"Find  ( / )\" aria-label=\"Find a symbol\" autocomplete=\"off\" \
         spellcheck=\"false\">\n<output id=\"hits\"></output>\n</header>"
    )?;
    if let Some(note) = view.note() {
        writeln!(
            out,
            "<p class=\"left-out\" role=\"note\">{}. <code>--max</code> shows more, <code>--depth</code> less.</p>",
            Escaped(&note)
        )?;
    }
    let (width, height) = layout.size;
    writeln!(
        out,
        "<main>\n<svg id=\"drawing\" class=\"drawing\" xmlns=\"http://www.w3.org/2000/svg\" \
                   data-width=\"{width}\" data-height=\"{height}\" aria-label=\"Callers to the left, callees to the right\">"
    )?;
    writeln!(out, "<g id=\"world\">")?;
    drawing(graph, view, &layout, out)?;
    writeln!(out, "</g>\n</svg>\n<aside id=\"details\" aria-live=\"polite\" hidden></aside>\n</main>")?;
    legend(view, out)?;
    writeln!(out, "<script type=\"application/json\" id=\"data\">{}</script>", json(&data(graph, view, base))?)?;
    writeln!(out, "<script>\n{SCRIPT}</script>\n</body>\n</html>")
}

fn legend(view: &View, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "<footer>\n<ul class=\"legend\">")?;
    for (dashes, names, meaning) in view.lines() {
        write!(out, "<li><svg class=\"drawing\" width=\"44\" height=\"8\"><path class=\"edge\" d=\"M0 4h44\"")?;
        writeln!(out, "{}/></svg><b>{names}</b> {meaning}</li>", dash(dashes))?;
    }
    for kind in view.kinds() {
        let kind = kind.as_str();
        write!(
            out,
            "<li><svg class=\"drawing\" width=\"22\" height=\"8\"><path class=\"edge {kind}\" d=\"M0 4h22\"/></svg>"
        )?;
        writeln!(out, "{kind}</li>")?;
    }
    writeln!(
        out,
        "</ul>\n<p class=\"keys\"><kbd>/</kbd> find <kbd>←</kbd><kbd>→</kbd> along an edge <kbd>↑</kbd><kbd>↓</kbd> in the \
         column <kbd>+</kbd><kbd>−</kbd> zoom <kbd>0</kbd> all <kbd>Esc</kbd> close</p>\n</footer>"
    )
}

fn data<'g>(graph: &'g Graph, view: &View, base: &'g str) -> Data<'g> {
    let nodes = view.nodes.iter().map(|node| {
        let symbol = graph.symbol(node.ix);
        Row {
            label: label(graph, node.ix),
            qualified: symbol.qualified,
            kind: symbol.kind.as_str(),
            signature: symbol.signature,
            file: symbol.file,
            line: symbol.line,
            column: node.column,
        }
    });
    let edges = view.edges.iter().map(|line| Way {
        from: line.from,
        to: line.to,
        kind: line.edge.kind.as_str(),
        evidence: line.edge.evidence.as_str(),
        file: graph.file(line.edge.file).path,
        line: line.edge.line,
        uses: line.uses,
    });
    Data { base, nodes: nodes.collect(), edges: edges.collect() }
}

/// JSON that may stand in a script: nothing in it can end the script, or begin a comment.
fn json(data: &Data<'_>) -> io::Result<String> {
    let text = serde_json::to_string(data)?;
    let text = text.replace('<', "\\u003c").replace('>', "\\u003e").replace('&', "\\u0026");
    Ok(text.replace('\u{2028}', "\\u2028").replace('\u{2029}', "\\u2029"))
}
