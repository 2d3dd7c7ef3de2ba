//! The lines of an answer's text, one for each row. The same lines measure how much room a row takes.

use vise_graph::query::{Affected, Cycle, Hub, Outlined, TestReach, is_test};
use vise_graph::{Edge, Graph as CodeGraph, SymbolKind, SymbolView};
use vise_text::shown;

use super::answer::Way;
use crate::paint::{Paint, Role};

/// Makes lines, without their ends.
#[derive(Clone, Copy)]
pub(super) struct Lines<'g> {
    pub(super) graph: &'g CodeGraph,
    pub(super) paint: Paint,
}

impl<'g> Lines<'g> {
    /// Lines to be measured.
    pub(super) fn plain(graph: &'g CodeGraph) -> Self {
        Self { graph, paint: Paint::default() }
    }

    /// `FILE:LINE`.
    pub(super) fn place(self, file: &str, line: u32) -> String {
        let number = self.paint.words(Role::Number, &line.to_string());
        format!("{}:{number}", self.paint.words(Role::Path, &shown(file.as_bytes())))
    }

    /// Where a symbol is.
    pub(super) fn place_of(self, ix: u32) -> String {
        let symbol = self.graph.symbol(ix);
        self.place(symbol.file, symbol.line)
    }

    /// A file above its rows.
    pub(super) fn heading(self, file: u32) -> String {
        self.paint.words(Role::Path, &shown(self.graph.file(file).path.as_bytes()))
    }

    /// A symbol by its whole name.
    pub(super) fn name(self, ix: u32) -> String {
        let symbol = self.graph.symbol(ix);
        match symbol.kind {
            SymbolKind::Module => format!("top-level code of {}", shown(symbol.file.as_bytes())),
            _ => shown(symbol.qualified.as_bytes()),
        }
    }

    /// A symbol below its file: its name without what the file is called.
    pub(super) fn local(self, ix: u32) -> String {
        let symbol = self.graph.symbol(ix);
        if symbol.kind == SymbolKind::Module {
            return "top-level code".to_owned();
        }
        let file = self.graph.symbol(self.graph.file(symbol.file_ix).symbols.start);
        let inside = symbol.qualified.strip_prefix(file.qualified).filter(|_| !file.qualified.is_empty());
        let inside =
            inside.map(|rest| rest.trim_start_matches([':', '.', '#', '/', '\\'])).filter(|rest| !rest.is_empty());
        shown(inside.unwrap_or(symbol.qualified).as_bytes())
    }

    /// A symbol on its own.
    pub(super) fn symbol(self, ix: u32) -> String {
        let symbol = self.graph.symbol(ix);
        let head = format!("{}  {} {}", self.place_of(ix), symbol.kind.as_str(), self.name(ix));
        if symbol.signature.is_empty() {
            return head;
        }
        format!("{head}  {}", self.paint.words(Role::Faint, &shown(symbol.signature.as_bytes())))
    }

    /// A symbol of an outline.
    pub(super) fn outlined(self, ix: u32, level: usize) -> String {
        let symbol = self.graph.symbol(ix);
        let lines = match (symbol.start_line, symbol.end_line) {
            (first, last) if first < last => format!("{first}-{last}"),
            _ => symbol.line.to_string(),
        };
        let lines = self.paint.words(Role::Number, &lines);
        format!("{}{lines}  {}", "  ".repeat(level), self.header(&symbol))
    }

    fn header(self, symbol: &SymbolView<'_>) -> String {
        match symbol.signature {
            "" => format!("{} {}", symbol.kind.as_str(), shown(symbol.name.as_bytes())),
            signature => shown(signature.as_bytes()),
        }
    }

    /// All lines of an outline's file below its heading.
    pub(super) fn outline(self, symbols: &[Outlined]) -> Vec<String> {
        let mut lines = Vec::new();
        let mut open: Vec<(std::slice::Iter<'_, Outlined>, usize)> = vec![(symbols.iter(), 1)];
        while let Some((rest, level)) = open.last_mut() {
            let level = *level;
            match rest.next() {
                Some(one) => {
                    lines.push(self.outlined(one.symbol, level));
                    open.push((one.children.iter(), level + 1));
                }
                None => drop(open.pop()),
            }
        }
        lines
    }

    /// An edge below the file of the end that was asked for.
    pub(super) fn edge(self, way: Way, edge: &Edge, several: bool) -> String {
        let number = |line: u32| self.paint.words(Role::Number, &line.to_string());
        let label = self.paint.words(Role::Faint, &format!("{} {}", edge.kind.as_str(), edge.evidence.as_str()));
        match way {
            Way::Callers | Way::References => {
                let test = if is_test(&self.graph.symbol(edge.from)) { "  (test)" } else { "" };
                let to = if several { format!(" → {}", self.name(edge.to)) } else { String::new() };
                format!("  {}  {}{to}  {label}{test}", number(edge.line), self.local(edge.from))
            }
            Way::Callees => {
                let from = if several { format!("{} → ", self.local(edge.from)) } else { String::new() };
                let line = self.graph.symbol(edge.to).line;
                format!("  {}  {from}{}  {label}, at line {}", number(line), self.local(edge.to), number(edge.line))
            }
        }
    }

    /// A step of a path.
    pub(super) fn step(self, edge: &Edge) -> String {
        let label = self.paint.words(Role::Faint, &format!("{} {}", edge.kind.as_str(), edge.evidence.as_str()));
        let place = self.place(self.graph.file(edge.file).path, edge.line);
        format!("  {place}  {label} {}", self.name(edge.to))
    }

    /// Something that depends on the subject.
    pub(super) fn affected(self, one: &Affected) -> String {
        let symbol = self.graph.symbol(one.symbol);
        let number = self.paint.words(Role::Number, &symbol.line.to_string());
        let evidence = self.paint.words(Role::Faint, one.evidence.as_str());
        let test = if is_test(&symbol) { "  (test)" } else { "" };
        format!("    {number}  {}  {evidence}{test}", self.local(one.symbol))
    }

    /// A test.
    pub(super) fn test(self, test: &TestReach) -> String {
        let steps = match test.distance {
            0 => "changed itself".to_owned(),
            distance => crate::text::count(distance as usize, "step", "steps"),
        };
        format!(
            "{}  {}  {}",
            self.place_of(test.symbol),
            self.local(test.symbol),
            self.paint.words(Role::Faint, &steps)
        )
    }

    /// A symbol that much depends on.
    pub(super) fn hub(self, hub: &Hub) -> String {
        let (callers, rank) = (hub.callers, hub.rank);
        let label = self.paint.words(Role::Faint, &format!("used by {callers}, rank {rank:.4}"));
        format!(
            "{}  {} {}  {label}",
            self.place_of(hub.symbol),
            self.graph.symbol(hub.symbol).kind.as_str(),
            self.name(hub.symbol)
        )
    }

    /// A circle: a ring with arrows, a set in which all lead to all without.
    pub(super) fn cycle(self, symbols: bool, cycle: &Cycle) -> String {
        let member = |ix: &u32| match symbols {
            true => format!("{} ({})", self.name(*ix), self.place_of(*ix)),
            false => self.heading(*ix),
        };
        let members = cycle.members.iter();
        if cycle.ring {
            return members.chain(cycle.members.first()).map(member).collect::<Vec<String>>().join(" → ");
        }
        let count = cycle.members.len();
        format!("{count} that all lead to each other: {}", members.map(member).collect::<Vec<String>>().join(", "))
    }
}

/// The file under which an edge is listed.
pub(super) fn file_of(graph: &CodeGraph, way: Way, edge: &Edge) -> u32 {
    match way {
        Way::Callers | Way::References => edge.file,
        Way::Callees => graph.symbol(edge.to).file_ix,
    }
}
