//! `graph view`: a symbol and what is around it as a drawing.

use std::io;

use serde::{Serialize, Serializer};
use vise_graph::index::Opened;
use vise_graph::query::{EdgeJson, SymbolJson};
use vise_graph::view::{self, DEPTH, MAX_SHOWN, View};

use super::subject::subjects;
use super::{Graph, index};
use crate::{Session, ToolError};

/// How a drawing is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, clap::ValueEnum)]
#[value(rename_all = "lower")]
pub enum ViewForm {
    /// A page of its own: search, keys, details of each symbol
    #[default]
    Html,
    /// A picture
    Svg,
    /// Graphviz
    Dot,
}

/// A drawing.
#[derive(Debug)]
pub struct Drawn {
    opened: Opened,
    view: View,
    /// The name that its file gets unless there is another: `vise-view-save.html`.
    pub file_name: String,
    /// Where it was written.
    pub path: Option<String>,
}

impl Graph {
    /// Draws what is around `symbol`: `depth` steps each way, at most `max` symbols.
    ///
    /// # Errors
    /// When there is no symbol of the name, or several without `all`, or the files cannot be looked at.
    pub fn draw(&self, session: &Session, form: ViewForm) -> Result<Drawn, ToolError> {
        let opened = index::open(session)?;
        let text = self.symbol.as_deref().unwrap_or_default();
        let found = subjects(session, &opened.graph, text, self.all)?;
        let depth = self.depth.unwrap_or(DEPTH);
        let view = View::around(&opened.graph, &found, depth, self.max.unwrap_or(MAX_SHOWN));
        let name = found.first().map_or("", |ix| opened.graph.symbol(*ix).name);
        let file_name = format!("vise-view-{}.{}", plain(name), form.ending());
        Ok(Drawn { opened, view, file_name, path: None })
    }
}

impl ViewForm {
    fn ending(self) -> &'static str {
        match self {
            Self::Html => "html",
            Self::Svg => "svg",
            Self::Dot => "dot",
        }
    }
}

/// A name as part of a file's: letters and digits stay.
fn plain(name: &str) -> String {
    let plain: String =
        name.chars().map(|c| if c.is_ascii_alphanumeric() || c == '-' { c } else { '_' }).take(60).collect();
    if plain.is_empty() { "symbol".to_owned() } else { plain }
}

impl Drawn {
    /// Writes the drawing. `base` leads from where it will lie to the root of the workspace: empty, or ending in `/`.
    ///
    /// # Errors
    /// Those of `out`.
    pub fn write(&self, form: ViewForm, base: &str, out: &mut dyn io::Write) -> io::Result<()> {
        let (graph, view) = (&self.opened.graph, &self.view);
        match form {
            ViewForm::Html => view::html(graph, view, base, out),
            ViewForm::Svg => view::svg(graph, view, out),
            ViewForm::Dot => view::dot(graph, view, out),
        }
    }

    /// What went wrong without being in the way.
    pub fn warnings(&self) -> &[String] {
        &self.opened.warnings
    }

    /// What was written where, in a line or two.
    pub fn text(&self) -> String {
        let (nodes, edges) = (self.view.nodes.len(), self.view.edges.len());
        let plural = |count: usize| if count == 1 { "" } else { "s" };
        let path = self.path.as_deref().unwrap_or("-");
        let mut text = format!("{path}: {nodes} symbol{}, {edges} edge{}\n", plural(nodes), plural(edges));
        if let Some(note) = self.view.note() {
            text.push_str(&note);
            text.push_str("; `--max` shows more\n");
        }
        text
    }
}

impl Serialize for Drawn {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let graph = &self.opened.graph;
        let node = |node: &view::Node| NodeJson { symbol: SymbolJson { graph, ix: node.ix }, column: node.column };
        let left_out = self.view.left_out.values().sum();
        let json = DrawnJson {
            path: self.path.as_deref(),
            nodes: self.view.nodes.iter().map(node).collect(),
            edges: self.view.edges.iter().map(|line| EdgeJson { graph, edge: line.edge }).collect(),
            left_out,
            truncated: left_out > 0,
        };
        json.serialize(serializer)
    }
}

#[derive(Serialize)]
struct DrawnJson<'d> {
    path: Option<&'d str>,
    nodes: Vec<NodeJson<'d>>,
    edges: Vec<EdgeJson<'d>>,
    left_out: usize,
    truncated: bool,
}

#[derive(Serialize)]
struct NodeJson<'d> {
    symbol: SymbolJson<'d>,
    /// Steps from what the drawing is about: below 0 towards callers.
    column: i32,
}
