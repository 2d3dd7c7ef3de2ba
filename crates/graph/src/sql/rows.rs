//! The rows of the tables, and the ways to those of one value.

use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};

use rusqlite::types::{ToSqlOutput, Value, ValueRef};
use rustc_hash::FxHashMap;
use xxhash_rust::xxh3::Xxh3;

use super::Table;
use crate::graph::{Edge, Graph};
use crate::kinds::{EdgeKind, Evidence};
use crate::query::id_text;

const TEXT: &str = "TEXT";
const NUMBER: &str = "INTEGER";

/// In the order of [`Kind::ALL`].
pub(super) const TABLES: &[Table] = &[
    Table {
        name: "symbols",
        columns: &[
            ("id", TEXT),
            ("name", TEXT),
            ("qualified", TEXT),
            ("kind", TEXT),
            ("language", TEXT),
            ("file", TEXT),
            ("line", NUMBER),
            ("end_line", NUMBER),
            ("signature", TEXT),
            ("container", TEXT),
            ("container_id", TEXT),
            ("unresolved", NUMBER),
            ("external", NUMBER),
        ],
    },
    Table {
        name: "edges",
        columns: &[
            ("from_id", TEXT),
            ("to_id", TEXT),
            ("from_name", TEXT),
            ("to_name", TEXT),
            ("kind", TEXT),
            ("evidence", TEXT),
            ("file", TEXT),
            ("line", NUMBER),
        ],
    },
    Table {
        name: "references",
        columns: &[
            ("from_id", TEXT),
            ("to_id", TEXT),
            ("from_name", TEXT),
            ("to_name", TEXT),
            ("kind", TEXT),
            ("evidence", TEXT),
            ("file", TEXT),
            ("line", NUMBER),
            ("from_qualified", TEXT),
            ("from_kind", TEXT),
            ("to_qualified", TEXT),
            ("to_kind", TEXT),
            ("to_file", TEXT),
            ("to_line", NUMBER),
        ],
    },
    Table {
        name: "files",
        columns: &[("path", TEXT), ("language", TEXT), ("lines", NUMBER), ("symbols", NUMBER), ("skipped", TEXT)],
    },
];

/// A table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Symbols,
    Edges,
    References,
    Files,
}

impl Kind {
    pub(super) const ALL: [Self; 4] = [Self::Symbols, Self::Edges, Self::References, Self::Files];
}

/// A way to the rows of one value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Index {
    Id,
    Path,
    Name,
    From,
    To,
    Container,
    FromName,
    ToName,
    File,
}

impl Index {
    const ALL: [Self; 9] = [
        Self::Id,
        Self::Path,
        Self::Name,
        Self::From,
        Self::To,
        Self::Container,
        Self::FromName,
        Self::ToName,
        Self::File,
    ];

    /// The one over a column, if there is one.
    pub(super) fn of(kind: Kind, column: i32) -> Option<Self> {
        let columns = TABLES[kind as usize].columns;
        let (name, _) = usize::try_from(column).ok().and_then(|column| columns.get(column))?;
        Some(match (kind, *name) {
            (Kind::Symbols, "id") => Self::Id,
            (Kind::Symbols, "name") => Self::Name,
            (Kind::Symbols, "container_id") => Self::Container,
            (Kind::Edges | Kind::References, "from_id") => Self::From,
            (Kind::Edges | Kind::References, "to_id") => Self::To,
            (Kind::Edges | Kind::References, "from_name") => Self::FromName,
            (Kind::Edges | Kind::References, "to_name") => Self::ToName,
            (Kind::Symbols | Kind::Edges | Kind::References, "file") => Self::File,
            (Kind::Files, "path") => Self::Path,
            _ => return None,
        })
    }

    pub(super) fn from_number(number: i32) -> Option<Self> {
        usize::try_from(number).ok().and_then(|number| Self::ALL.get(number)).copied()
    }

    /// About how many rows have one value.
    pub(super) fn rows(self) -> u32 {
        match self {
            Self::Id | Self::Path => 1,
            Self::Name => 3,
            Self::From | Self::To | Self::Container => 10,
            Self::FromName | Self::ToName => 30,
            Self::File => 200,
        }
    }
}

/// What the tables show.
pub(super) struct Source {
    graph: Arc<Graph>,
    left_out: Vec<(String, &'static str)>,
    visited: Arc<AtomicU64>,
    by_id: OnceLock<FxHashMap<u64, u32>>,
    /// Symbols some of whose edges are on lines of another file than their own.
    elsewhere: OnceLock<Vec<u32>>,
}

impl Source {
    pub(super) fn new(graph: Arc<Graph>, left_out: Vec<(String, &'static str)>, visited: Arc<AtomicU64>) -> Self {
        Self { graph, left_out, visited, by_id: OnceLock::new(), elsewhere: OnceLock::new() }
    }

    /// About how many rows a table has.
    pub(super) fn rows(&self, kind: Kind) -> u32 {
        match kind {
            Kind::Symbols => self.graph.symbols(),
            Kind::Edges => self.graph.meta().edges.saturating_add(self.graph.symbols()),
            Kind::References => self.graph.meta().edges,
            Kind::Files => self.graph.files(),
        }
    }

    fn symbol(&self, id: &str) -> Option<u32> {
        let by_id =
            self.by_id.get_or_init(|| (0..self.graph.symbols()).map(|ix| (self.graph.symbol(ix).id, ix)).collect());
        by_id.get(&u64::from_str_radix(id, 16).ok()?).copied()
    }

    fn elsewhere(&self) -> &[u32] {
        let has = |ix: &u32| {
            let own = self.graph.symbol(*ix).file_ix;
            self.graph.out(*ix).any(|edge| edge.file != own)
        };
        self.elsewhere.get_or_init(|| (0..self.graph.symbols()).filter(has).collect())
    }
}

/// A walk over rows of a table.
pub(super) struct Walk {
    kind: Kind,
    source: Arc<Source>,
    /// Symbols or files to come.
    coming: Coming,
    /// Whether the edges of what is to come are those that lead to it.
    into: bool,
    /// Edges of the last symbol, in reverse.
    edges: Vec<Edge>,
    row: Option<Current>,
}

enum Coming {
    Run(Range<u32>),
    List(std::vec::IntoIter<u32>),
}

impl Iterator for Coming {
    type Item = u32;

    fn next(&mut self) -> Option<u32> {
        match self {
            Self::Run(run) => run.next(),
            Self::List(list) => list.next(),
        }
    }
}

#[derive(Clone, Copy)]
enum Current {
    /// A symbol, or a file; those that are left out come behind the graph's.
    Number(u32),
    Edge(Edge),
}

impl Walk {
    pub(super) fn over(kind: Kind, source: Arc<Source>) -> Self {
        Self { kind, source, coming: Coming::Run(0..0), into: false, edges: Vec::new(), row: None }
    }

    /// Goes over all rows, from the first.
    pub(super) fn all(&mut self) {
        let graph = &self.source.graph;
        let count = match self.kind {
            Kind::Files => graph.files() + u32::try_from(self.source.left_out.len()).unwrap_or(0),
            _ => graph.symbols(),
        };
        self.start(Coming::Run(0..count), false);
    }

    /// Goes over no row.
    pub(super) fn nothing(&mut self) {
        self.start(Coming::Run(0..0), false);
    }

    /// Goes over the rows of one value, and perhaps some more: SQLite looks at each again.
    pub(super) fn only(&mut self, index: Index, value: &str) {
        let graph = &self.source.graph;
        let list = |all: Vec<u32>| Coming::List(all.into_iter());
        let coming = match index {
            Index::Id | Index::From | Index::To => list(self.source.symbol(value).into_iter().collect()),
            Index::Name | Index::FromName | Index::ToName => list(graph.named(value).collect()),
            Index::Container => list(self.source.symbol(value).map_or(Vec::new(), |ix| graph.children(ix).collect())),
            Index::File => {
                let own = graph.file_named(value).map_or(0..0, |file| graph.file(file).symbols);
                match self.kind {
                    Kind::Edges | Kind::References => {
                        let others = self.source.elsewhere().iter().copied().filter(|ix| !own.contains(ix));
                        list(own.clone().chain(others).collect())
                    }
                    _ => Coming::Run(own),
                }
            }
            Index::Path => {
                let left_out = (graph.files()..).zip(&self.source.left_out).filter(|(_, (path, _))| path == value);
                list(graph.file_named(value).into_iter().chain(left_out.map(|(number, _)| number)).collect())
            }
        };
        self.start(coming, matches!(index, Index::To | Index::ToName));
    }

    fn start(&mut self, coming: Coming, into: bool) {
        (self.coming, self.into) = (coming, into);
        self.edges.clear();
        self.advance();
    }

    pub(super) fn is_done(&self) -> bool {
        self.row.is_none()
    }

    /// Goes to the next row.
    pub(super) fn advance(&mut self) {
        loop {
            self.source.visited.fetch_add(1, Ordering::Relaxed);
            if let Some(edge) = self.edges.pop() {
                self.row = Some(Current::Edge(edge));
                return;
            }
            let Some(number) = self.coming.next() else {
                self.row = None;
                return;
            };
            match self.kind {
                Kind::Symbols | Kind::Files => {
                    self.row = Some(Current::Number(number));
                    return;
                }
                Kind::Edges | Kind::References => self.find_edges(number),
            }
        }
    }

    fn find_edges(&mut self, ix: u32) {
        let graph: &Graph = &self.source.graph;
        let contains = |from: u32, to: u32| {
            let symbol = graph.symbol(to);
            let (kind, evidence) = (EdgeKind::Contains, Evidence::Scope);
            Edge { from, to, kind, evidence, file: symbol.file_ix, line: symbol.line }
        };
        if self.kind == Kind::Edges {
            match self.into {
                true => self.edges.extend(graph.symbol(ix).container.map(|around| contains(around, ix))),
                false => self.edges.extend(graph.children(ix).map(|inside| contains(ix, inside))),
            }
        }
        match self.into {
            true => self.edges.extend(graph.into(ix)),
            false => self.edges.extend(graph.out(ix)),
        }
        self.edges.reverse();
    }

    /// A number for the row that is its own, however it was come by: SQLite tells rows apart by it.
    pub(super) fn row_number(&self) -> i64 {
        match self.row {
            None => 0,
            Some(Current::Number(number)) => i64::from(number),
            Some(Current::Edge(Edge { from, to, kind, evidence, file, line })) => {
                let mut hasher = Xxh3::new();
                for part in [from, to, file, line, kind as u32, evidence as u32] {
                    hasher.update(&part.to_le_bytes());
                }
                hasher.digest().cast_signed()
            }
        }
    }

    pub(super) fn column(&self, column: i32) -> ToSqlOutput<'_> {
        let columns = TABLES[self.kind as usize].columns;
        let name = usize::try_from(column).ok().and_then(|column| columns.get(column)).map_or("", |(name, _)| *name);
        match (self.row, self.kind) {
            (Some(Current::Edge(edge)), _) => self.edge(&edge, name),
            (Some(Current::Number(number)), Kind::Files) => self.file(number, name),
            (Some(Current::Number(ix)), _) => self.symbol(ix, name),
            (None, _) => null(),
        }
    }

    fn symbol(&self, ix: u32, column: &str) -> ToSqlOutput<'_> {
        let graph = &self.source.graph;
        let symbol = graph.symbol(ix);
        match column {
            "id" => owned(id_text(symbol.id)),
            "name" => text(symbol.name),
            "qualified" => text(symbol.qualified),
            "kind" => text(symbol.kind.as_str()),
            "language" => text(symbol.language),
            "file" => text(symbol.file),
            "line" => number(symbol.line),
            "end_line" => number(symbol.end_line),
            "signature" => text(symbol.signature),
            "container" => symbol.container.map_or_else(null, |around| text(graph.symbol(around).qualified)),
            "container_id" => symbol.container.map_or_else(null, |around| owned(id_text(graph.symbol(around).id))),
            "unresolved" => number(graph.misses(ix).0),
            "external" => number(graph.misses(ix).1),
            _ => null(),
        }
    }

    fn edge(&self, edge: &Edge, column: &str) -> ToSqlOutput<'_> {
        let graph = &self.source.graph;
        let (from, to) = (graph.symbol(edge.from), graph.symbol(edge.to));
        match column {
            "from_id" => owned(id_text(from.id)),
            "to_id" => owned(id_text(to.id)),
            "from_name" => text(from.name),
            "to_name" => text(to.name),
            "kind" => text(edge.kind.as_str()),
            "evidence" => text(edge.evidence.as_str()),
            "file" => text(graph.file(edge.file).path),
            "line" => number(edge.line),
            "from_qualified" => text(from.qualified),
            "from_kind" => text(from.kind.as_str()),
            "to_qualified" => text(to.qualified),
            "to_kind" => text(to.kind.as_str()),
            "to_file" => text(to.file),
            "to_line" => number(to.line),
            _ => null(),
        }
    }

    fn file(&self, file: u32, column: &str) -> ToSqlOutput<'_> {
        let graph = &self.source.graph;
        if let Some(left_out) = file.checked_sub(graph.files()) {
            let row = self.source.left_out.get(left_out as usize);
            return match (column, row) {
                ("path", Some((path, _))) => text(path),
                ("skipped", Some((_, why))) => text(why),
                _ => null(),
            };
        }
        let file = graph.file(file);
        match column {
            "path" => text(file.path),
            "language" => text(file.language),
            "lines" => number(file.lines),
            "symbols" => number(u32::try_from(file.symbols.len()).unwrap_or(u32::MAX)),
            _ => null(),
        }
    }
}

fn text(text: &str) -> ToSqlOutput<'_> {
    ToSqlOutput::Borrowed(ValueRef::Text(text.as_bytes()))
}

fn owned<'t>(text: String) -> ToSqlOutput<'t> {
    ToSqlOutput::Owned(Value::Text(text))
}

fn number(number: u32) -> ToSqlOutput<'static> {
    ToSqlOutput::Owned(Value::Integer(i64::from(number)))
}

fn null<'t>() -> ToSqlOutput<'t> {
    ToSqlOutput::Owned(Value::Null)
}
