//! A view as SVG, light or dark as the reader likes it.

use std::io::{self, Write};

use crate::export::Escaped;
use crate::graph::Graph;
use crate::kinds::EdgeKind;

use super::layout::{HEIGHT, MARGIN, WIDTH};
use super::{Layout, View, dashes, label, steps};

/// The looks of the drawing, in a file of its own as in a page.
pub(super) const STYLE: &str = include_str!("drawing.css");
/// Height of a line of the legend.
const LEGEND_ROW: i32 = 20;
/// Letters that fit into a node's two lines.
const NAME_LETTERS: usize = 23;
const PLACE_LETTERS: usize = 28;

/// Writes a view as a file of its own.
///
/// # Errors
/// Those of `out`.
pub fn svg(graph: &Graph, view: &View, out: &mut dyn Write) -> io::Result<()> {
    let layout = Layout::of(view);
    let (lines, kinds) = (view.lines(), view.kinds());
    let rows = i32::try_from(lines.len().max(kinds.len()) + usize::from(view.note().is_some())).unwrap_or(0);
    let (width, height) = (layout.size.0.max(560), layout.size.1 + rows * LEGEND_ROW + MARGIN);
    write!(out, "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"drawing\" width=\"{width}\" height=\"{height}\" ")?;
    writeln!(out, "viewBox=\"0 0 {width} {height}\" role=\"img\">")?;
    writeln!(out, "<title>{}</title>", Escaped(&title(graph, view)))?;
    writeln!(out, "<style>\n{STYLE}</style>")?;
    writeln!(out, "<rect class=\"ground\" width=\"{width}\" height=\"{height}\"/>")?;
    drawing(graph, view, &layout, out)?;
    let mut y = layout.size.1 + LEGEND_ROW / 2;
    let top = y;
    for (dashes, names, meaning) in &lines {
        write!(out, "<path class=\"edge\" d=\"M{MARGIN} {y}h44\"{}/>", dash(*dashes))?;
        let text = format!("{names}: {meaning}");
        writeln!(out, "<text class=\"hint\" x=\"{}\" y=\"{}\">{}</text>", MARGIN + 54, y + 4, Escaped(&text))?;
        y += LEGEND_ROW;
    }
    let mut beside = top;
    for kind in &kinds {
        write!(out, "<path class=\"edge {}\" d=\"M350 {beside}h44\"/>", kind.as_str())?;
        writeln!(out, "<text class=\"hint\" x=\"404\" y=\"{}\">{}</text>", beside + 4, kind.as_str())?;
        beside += LEGEND_ROW;
    }
    if let Some(note) = view.note() {
        let y = y.max(beside) + 4;
        writeln!(out, "<text class=\"note\" x=\"{MARGIN}\" y=\"{y}\">{}</text>", Escaped(&note))?;
    }
    writeln!(out, "</svg>")
}

/// What the drawing is of.
pub(super) fn title(graph: &Graph, view: &View) -> String {
    let subjects: Vec<&str> =
        view.nodes.iter().filter(|node| node.column == 0).map(|node| graph.symbol(node.ix).qualified).collect();
    match subjects.as_slice() {
        [one] => (*one).to_owned(),
        several => format!("{} symbols called {}", several.len(), several.first().unwrap_or(&"")),
    }
}

/// The columns' heads, edges and nodes.
pub(super) fn drawing(graph: &Graph, view: &View, layout: &Layout, out: &mut dyn Write) -> io::Result<()> {
    writeln!(
        out,
        "<defs><marker id=\"tip\" viewBox=\"0 0 8 8\" refX=\"7.4\" refY=\"4\" markerWidth=\"7\" markerHeight=\"7\" \
         orient=\"auto-start-reverse\"><path d=\"M0 .6 7.4 4 0 7.4z\" fill=\"context-stroke\"/></marker>\
         <clipPath id=\"inside\"><rect width=\"{}\" height=\"{HEIGHT}\"/></clipPath></defs>",
        WIDTH - 6
    )?;
    writeln!(out, "<g class=\"edges{}\">", if view.is_dense() { " dense" } else { "" })?;
    for (at, line) in view.edges.iter().enumerate() {
        let edge = line.edge;
        let dash = dash(dashes(edge.evidence));
        let path = curve(layout.places[line.from], layout.places[line.to]);
        write!(out, "<path id=\"e{at}\" class=\"edge {}\" data-from=\"{}\" ", edge.kind.as_str(), line.from)?;
        write!(out, "data-to=\"{}\" d=\"{path}\"{dash} marker-end=\"url(#tip)\"><title>", line.to)?;
        let (from, to) = (label(graph, view.nodes[line.from].ix), label(graph, view.nodes[line.to].ix));
        let more = if line.uses > 1 { format!(" and {} more", line.uses - 1) } else { String::new() };
        let words = format!(
            "{from} {} {to} ({}, {}:{}{more})",
            verb(edge.kind),
            edge.evidence.as_str(),
            graph.file(edge.file).path,
            edge.line
        );
        writeln!(out, "{}</title></path>", Escaped(&words))?;
    }
    writeln!(out, "</g>\n<g class=\"nodes\">")?;
    for (at, node) in view.nodes.iter().enumerate() {
        let symbol = graph.symbol(node.ix);
        let (x, y) = layout.places[at];
        let here = if node.column == 0 { " here" } else { "" };
        let whole = label(graph, node.ix);
        let place = format!("{}:{}", symbol.file, symbol.line);
        let spoken = format!("{} {whole}, {place}", symbol.kind.as_str());
        write!(
            out,
            "<g id=\"n{at}\" class=\"node{here}\" data-column=\"{}\" tabindex=\"0\" role=\"button\" ",
            node.column
        )?;
        write!(out, "aria-label=\"{}\" transform=\"translate({x} {y})\">", Escaped(&spoken))?;
        write!(
            out,
            "<title>{}</title><rect width=\"{WIDTH}\" height=\"{HEIGHT}\" rx=\"7\"/>",
            Escaped(symbol.qualified)
        )?;
        // The type is said by the line below too, mostly; the name is what is looked for.
        let name = if whole.chars().count() > NAME_LETTERS { symbol.name } else { &whole };
        let name = Escaped(&beginning(name, NAME_LETTERS)).to_string();
        write!(out, "<g clip-path=\"url(#inside)\"><text class=\"name\" x=\"11\" y=\"17\">{name}</text>")?;
        let below = Escaped(&end(&place, PLACE_LETTERS)).to_string();
        writeln!(out, "<text class=\"place\" x=\"11\" y=\"31\">{below}</text></g></g>")?;
    }
    for (column, (x, y)) in &layout.ends {
        let count = view.left_out.get(column).copied().unwrap_or_default();
        let far = steps(column.unsigned_abs());
        let words = format!("{count} more, {far} away");
        let y = y + 22;
        writeln!(out, "<text class=\"note\" x=\"{x}\" y=\"{y}\" text-anchor=\"middle\">{}</text>", Escaped(&words))?;
    }
    writeln!(out, "</g>")
}

/// An edge as a sentence has it.
fn verb(kind: EdgeKind) -> &'static str {
    match kind {
        EdgeKind::Decorates => "is decorated by",
        kind => kind.as_str(),
    }
}

/// At most so many letters of the beginning.
fn beginning(text: &str, letters: usize) -> String {
    match text.char_indices().nth(letters) {
        Some(_) => text.chars().take(letters - 1).chain(['…']).collect(),
        None => text.to_owned(),
    }
}

/// At most so many letters of the end.
fn end(text: &str, letters: usize) -> String {
    match text.chars().count().checked_sub(letters) {
        Some(over) if over > 0 => std::iter::once('…').chain(text.chars().skip(over + 1)).collect(),
        _ => text.to_owned(),
    }
}

/// The attribute for a pattern of dashes.
pub(super) fn dash(dashes: Option<&str>) -> String {
    dashes.map(|dashes| format!(" stroke-dasharray=\"{dashes}\"")).unwrap_or_default()
}

/// A curve from one node to another: to the right it leaves at the right side and comes in at the left; within a column
/// it goes round the side, and back it goes below.
fn curve(from: (i32, i32), to: (i32, i32)) -> String {
    let middle = HEIGHT / 2;
    let ((x1, y1), (x2, y2)) = (from, to);
    if from == to {
        let (x, y) = (x1 + WIDTH, y1 + middle);
        return format!("M{x} {}c34 -16 34 32 0 {}", y - 8, 16);
    }
    if x2 >= x1 + WIDTH {
        let (start, end) = (x1 + WIDTH, x2);
        let bend = ((end - start) / 2).max(30);
        let (y1, y2) = (y1 + middle, y2 + middle);
        return format!("M{start} {y1}C{} {y1} {} {y2} {end} {y2}", start + bend, end - bend);
    }
    if x2 == x1 {
        let (x, y1, y2) = (x1 + WIDTH, y1 + middle + 6, y2 + middle - 6);
        let bend = (26 + (y2 - y1).abs() / 12).min(62);
        return format!("M{x} {y1}C{} {y1} {} {y2} {x} {y2}", x + bend, x + bend);
    }
    let (start, end) = (x1, x2 + WIDTH);
    let bend = ((start - end) / 2).max(30);
    let (y1, y2) = (y1 + middle + 9, y2 + middle + 9);
    format!("M{start} {y1}C{} {} {} {} {end} {y2}", start - bend, y1 + 34, end + bend, y2 + 34)
}
