//! What resolving the facts of all files gives: edges, what could not be resolved, and names.

use crate::facts::{NameId, SymbolIx};
use crate::kinds::{EdgeKind, Evidence};

/// A symbol of any file: the file's place in the list that was resolved, and the symbol in its facts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct GlobalSymbol {
    /// Which file.
    pub file: u32,
    /// Which symbol of it.
    pub symbol: SymbolIx,
}

/// What resolving gives, a row for each file, in the order of the input.
#[derive(Debug, Default)]
pub struct Resolution {
    /// The files.
    pub files: Vec<ResolvedFile>,
}

/// What resolving gives for one file.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ResolvedFile {
    /// Qualified name of each symbol of the facts; empty for anonymous functions.
    pub qualified: Vec<String>,
    /// Of symbols that are another's second place (a prototype, a further part of a class): the first place.
    pub merged: Vec<(SymbolIx, GlobalSymbol)>,
    /// Edges from symbols of this file, `contains` left out, each once, in order.
    pub edges: Vec<ResolvedEdge>,
    /// Calls and references that have no edge.
    pub misses: Vec<Miss>,
}

/// An edge from a symbol of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct ResolvedEdge {
    /// Its source, never an anonymous function.
    pub from: SymbolIx,
    /// Line of the name that is used.
    pub line: u32,
    /// Its target, never an anonymous function, never a symbol that is merged into another.
    pub to: GlobalSymbol,
    /// What it says.
    pub kind: EdgeKind,
    /// How it was resolved.
    pub evidence: Evidence,
}

/// A use that led nowhere.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Miss {
    /// The symbol around it, never an anonymous function.
    pub owner: SymbolIx,
    /// Line of the name that is used.
    pub line: u32,
    /// The name that is used.
    pub name: NameId,
    /// Whether it is a call, rather than a reference.
    pub call: bool,
    /// Whether it is known to lead outside the project (a package, the standard library, a built-in).
    pub external: bool,
}
