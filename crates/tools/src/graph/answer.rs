//! Answers, as numbers of one generation: what is kept of them, and how much was left out.

use vise_graph::Edge;
use vise_graph::query::{Affected, Cycle, Hub, Outlined, TestReach};

use super::sql::Selected;

/// Rows of an answer, and how many there were before the answer was cut.
#[derive(Debug, Clone, Default)]
pub(super) struct Rows<T> {
    pub(super) rows: Vec<T>,
    pub(super) total: usize,
}

impl<T> Rows<T> {
    /// Whether some are left out.
    pub(super) fn cut(&self) -> bool {
        self.rows.len() < self.total
    }
}

/// An answer.
#[derive(Debug)]
pub(super) enum Answer {
    Status,
    Index,
    Find(Rows<u32>),
    Outline {
        /// As it was asked for; empty for the whole workspace.
        path: String,
        files: Rows<(u32, Vec<Outlined>)>,
    },
    Map {
        files: Vec<MapFile>,
        tokens: usize,
        /// Files and symbols that there was no room for.
        left_out: (usize, usize),
    },
    Hubs(Rows<Hub>),
    Context(Context),
    Uses {
        way: Way,
        subjects: Vec<u32>,
        edges: Rows<Edge>,
        unresolved: u32,
        external: u32,
    },
    Impact {
        subjects: Vec<u32>,
        affected: Rows<Affected>,
        unresolved: u32,
    },
    Path {
        from: Vec<u32>,
        to: Vec<u32>,
        edges: Vec<Edge>,
    },
    Tests {
        subjects: Vec<u32>,
        tests: Rows<TestReach>,
    },
    Unused {
        unused: Rows<u32>,
        unknown: Rows<u32>,
        roots: Rows<u32>,
    },
    Cycles {
        /// Of symbols, rather than files.
        symbols: bool,
        cycles: Rows<Cycle>,
    },
    Diff {
        revision: String,
        symbols: Rows<u32>,
        dependents: Rows<Affected>,
        tests: Rows<TestReach>,
    },
    Sql(Selected),
}

/// Which edges of a symbol were asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Way {
    Callers,
    Callees,
    References,
}

/// A file of the map.
#[derive(Debug)]
pub(super) struct MapFile {
    pub(super) file: u32,
    pub(super) rank: f64,
    /// In the order of the text.
    pub(super) symbols: Vec<u32>,
}

/// A symbol and what is around it.
#[derive(Debug)]
pub(super) struct Context {
    pub(super) symbol: u32,
    /// Its text, whole lines.
    pub(super) source: String,
    /// Lines at the end that there was no room for.
    pub(super) lines_left_out: usize,
    pub(super) callers: Rows<Edge>,
    pub(super) callees: Rows<Edge>,
    pub(super) tests: Rows<TestReach>,
    /// Calls that may be to it, and calls in it, that have no edge.
    pub(super) unresolved: (u32, u32),
    /// Calls in it that lead outside.
    pub(super) external: u32,
    pub(super) tokens: usize,
}

impl Answer {
    /// Whether nothing was found.
    pub(super) fn is_empty(&self) -> bool {
        match self {
            Self::Status | Self::Index | Self::Context(_) => false,
            Self::Find(rows) => rows.total == 0,
            Self::Outline { files, .. } => files.rows.iter().all(|(_, symbols)| symbols.is_empty()),
            Self::Map { files, .. } => files.is_empty(),
            Self::Hubs(rows) => rows.total == 0,
            Self::Uses { edges, .. } => edges.total == 0,
            Self::Impact { affected, .. } => affected.total == 0,
            Self::Path { edges, .. } => edges.is_empty(),
            Self::Tests { tests, .. } => tests.total == 0,
            Self::Unused { unused, unknown, .. } => unused.total + unknown.total == 0,
            Self::Cycles { cycles, .. } => cycles.total == 0,
            Self::Diff { symbols, .. } => symbols.total == 0,
            Self::Sql(selected) => selected.rows.total == 0,
        }
    }
}
