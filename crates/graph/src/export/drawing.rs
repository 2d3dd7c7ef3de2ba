//! Drawings for Graphviz and Mermaid: of some symbols, or of the files of a graph that is too large for that.

use std::collections::BTreeMap;
use std::io::{self, Write};

use crate::graph::Graph;
use crate::kinds::{EdgeKind, Evidence};

/// More nodes than this are no drawing.
pub const MAX_DRAWN: usize = 400;

/// Nodes and the edges between them.
#[derive(Debug, Default)]
pub struct Drawing {
    /// Label and group (a file) of each node.
    nodes: Vec<(String, String)>,
    /// From, to, label; `true` for what is not sure.
    edges: Vec<(usize, usize, String, bool)>,
    /// What is left out, in words.
    note: Option<String>,
}

impl Drawing {
    /// A drawing of a whole graph: its symbols, or where they are too many its files.
    pub fn of(graph: &Graph) -> Self {
        let symbols: Vec<u32> = (0..graph.symbols()).collect();
        if symbols.len() <= MAX_DRAWN { Self::of_symbols(graph, &symbols) } else { Self::of_files(graph) }
    }

    /// A drawing of some symbols and what is between them.
    pub fn of_symbols(graph: &Graph, symbols: &[u32]) -> Self {
        let mut drawing = Self::default();
        let shown = &symbols[..symbols.len().min(MAX_DRAWN)];
        if shown.len() < symbols.len() {
            drawing.note = Some(format!("{} of {} symbols", shown.len(), symbols.len()));
        }
        let places: BTreeMap<u32, usize> = shown.iter().enumerate().map(|(at, ix)| (*ix, at)).collect();
        for ix in shown {
            let symbol = graph.symbol(*ix);
            let label = match symbol.container {
                Some(around) if graph.symbol(around).container.is_some() => {
                    format!("{}.{}", graph.symbol(around).name, symbol.name)
                }
                _ => symbol.name.to_owned(),
            };
            drawing.nodes.push((label, symbol.file.to_owned()));
        }
        let mut seen: BTreeMap<(usize, usize, EdgeKind), Evidence> = BTreeMap::new();
        for (ix, from) in &places {
            for edge in graph.out(*ix) {
                if let Some(to) = places.get(&edge.to) {
                    let known = seen.entry((*from, *to, edge.kind)).or_insert(edge.evidence);
                    *known = edge.evidence.min(*known);
                }
            }
        }
        for ((from, to, kind), evidence) in seen {
            let unsure = evidence >= Evidence::UniqueName;
            drawing.edges.push((from, to, kind.as_str().to_owned(), unsure));
        }
        drawing
    }

    /// A drawing of files: how many edges go from one to another. Of too many files, those with most edges.
    pub fn of_files(graph: &Graph) -> Self {
        let mut between: BTreeMap<(u32, u32), u32> = BTreeMap::new();
        let mut weight: BTreeMap<u32, u32> = BTreeMap::new();
        for ix in 0..graph.symbols() {
            let from = graph.symbol(ix).file_ix;
            for edge in graph.out(ix) {
                let to = graph.symbol(edge.to).file_ix;
                if from != to {
                    *between.entry((from, to)).or_default() += 1;
                    *weight.entry(from).or_default() += 1;
                    *weight.entry(to).or_default() += 1;
                }
            }
        }
        let mut files: Vec<u32> = weight.keys().copied().collect();
        files.sort_by_key(|file| (std::cmp::Reverse(weight[file]), *file));
        let mut drawing = Self::default();
        let all = graph.files() as usize;
        files.truncate(MAX_DRAWN);
        files.sort_unstable();
        drawing.note = Some(format!("files of {} symbols; {} of {all} files", graph.symbols(), files.len()));
        let places: BTreeMap<u32, usize> = files.iter().enumerate().map(|(at, file)| (*file, at)).collect();
        for file in &files {
            let path = graph.file(*file).path;
            let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
            drawing.nodes.push((name.to_owned(), folder.to_owned()));
        }
        for ((from, to), count) in between {
            if let (Some(from), Some(to)) = (places.get(&from), places.get(&to)) {
                drawing.edges.push((*from, *to, count.to_string(), false));
            }
        }
        drawing
    }

    /// Nodes by their groups, in order.
    fn groups(&self) -> BTreeMap<&str, Vec<usize>> {
        let mut groups: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
        for (at, (_, group)) in self.nodes.iter().enumerate() {
            groups.entry(group).or_default().push(at);
        }
        groups
    }

    /// Writes the drawing for Graphviz.
    ///
    /// # Errors
    /// Those of `out`.
    pub fn dot(&self, out: &mut dyn Write) -> io::Result<()> {
        writeln!(out, "digraph vise {{\n  rankdir=LR;\n  node [shape=box, fontname=\"sans-serif\"];")?;
        if let Some(note) = &self.note {
            writeln!(out, "  label={};", dot_quoted(note))?;
        }
        for (number, (group, nodes)) in self.groups().into_iter().enumerate() {
            writeln!(out, "  subgraph cluster_{number} {{\n    label={};", dot_quoted(group))?;
            for at in nodes {
                writeln!(out, "    n{at} [label={}];", dot_quoted(&self.nodes[at].0))?;
            }
            writeln!(out, "  }}")?;
        }
        for (from, to, label, unsure) in &self.edges {
            let style = if *unsure { ", style=dashed" } else { "" };
            writeln!(out, "  n{from} -> n{to} [label={}{style}];", dot_quoted(label))?;
        }
        writeln!(out, "}}")
    }

    /// Writes the drawing for Mermaid.
    ///
    /// # Errors
    /// Those of `out`.
    pub fn mermaid(&self, out: &mut dyn Write) -> io::Result<()> {
        // Mermaid has no escape within quotes but entities.
        let quoted =
            |text: &str| format!("\"{}\"", text.replace('&', "#amp;").replace('"', "#quot;").replace('\n', " "));
        writeln!(out, "flowchart LR")?;
        if let Some(note) = &self.note {
            writeln!(out, "  %% {note}")?;
        }
        for (number, (group, nodes)) in self.groups().into_iter().enumerate() {
            writeln!(out, "  subgraph g{number} [{}]", quoted(group))?;
            for at in nodes {
                writeln!(out, "    n{at}[{}]", quoted(&self.nodes[at].0))?;
            }
            writeln!(out, "  end")?;
        }
        for (from, to, label, unsure) in &self.edges {
            let arrow = if *unsure { "-.->" } else { "-->" };
            writeln!(out, "  n{from} {arrow}|{label}| n{to}")?;
        }
        Ok(())
    }
}

/// Text in quotes, as Graphviz reads it.
pub(crate) fn dot_quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\"").replace(['\n', '\r'], " "))
}
