//! What the graph found in a case, in the terms of marks and questions: symbols by name, edges and misses by line.

use vise_graph::facts::{Expr, ExprId, FileFacts, SymbolIx, flag};
use vise_graph::resolution::{GlobalSymbol, Resolution};
use vise_graph::{Evidence, SymbolKind};

/// What was found in all files of a case.
#[derive(Debug, Default)]
pub(crate) struct Seen {
    /// The files' paths.
    pub(crate) files: Vec<String>,
    /// All symbols with a name, in the order of files and text.
    pub(crate) symbols: Vec<Symbol>,
    pub(crate) edges: Vec<Edge>,
    pub(crate) misses: Vec<Miss>,
}

/// A number in [`Seen::symbols`].
pub(crate) type Id = usize;

#[derive(Debug)]
pub(crate) struct Symbol {
    pub(crate) file: usize,
    /// The names of the symbols around it and its own, joined by dots; of top-level code `<module>`.
    pub(crate) path: String,
    pub(crate) qualified: String,
    pub(crate) kind: SymbolKind,
    /// Line of its name, and the lines of its definition.
    pub(crate) line: usize,
    pub(crate) lines: std::ops::RangeInclusive<usize>,
    pub(crate) flags: u32,
    /// The symbol that this is a further place of.
    pub(crate) merged: Option<Id>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Edge {
    pub(crate) file: usize,
    pub(crate) line: usize,
    pub(crate) from: Id,
    pub(crate) kind: &'static str,
    pub(crate) to: Id,
    pub(crate) evidence: Evidence,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Miss {
    pub(crate) file: usize,
    pub(crate) line: usize,
    pub(crate) name: String,
    pub(crate) call: bool,
    pub(crate) external: bool,
}

impl Seen {
    pub(crate) fn new(files: &[(&str, &FileFacts)], resolution: &Resolution) -> Seen {
        let mut seen = Seen { files: files.iter().map(|(path, _)| (*path).to_string()).collect(), ..Seen::default() };
        // Anonymous functions have no number: nothing that is compared may lead to one.
        let mut ids: Vec<Vec<Option<Id>>> = Vec::new();
        for (file, (_, facts)) in files.iter().enumerate() {
            let qualified = resolution.files.get(file).map(|file| &file.qualified);
            let mut row = Vec::new();
            for (index, symbol) in facts.symbols.iter().enumerate() {
                if symbol.flags & flag::ANONYMOUS != 0 {
                    row.push(None);
                    continue;
                }
                row.push(Some(seen.symbols.len()));
                seen.symbols.push(Symbol {
                    file,
                    path: path(facts, SymbolIx(u32::try_from(index).unwrap_or(u32::MAX))),
                    qualified: qualified.and_then(|names| names.get(index)).cloned().unwrap_or_default(),
                    kind: symbol.kind,
                    line: symbol.line as usize,
                    lines: symbol.start_line as usize..=symbol.end_line as usize,
                    flags: symbol.flags,
                    merged: None,
                });
            }
            ids.push(row);
        }
        let id = |global: GlobalSymbol| ids.get(global.file as usize)?.get(global.symbol.ix()).copied().flatten();
        let here =
            |file: usize, symbol: SymbolIx| id(GlobalSymbol { file: u32::try_from(file).unwrap_or(u32::MAX), symbol });
        for (file, (resolved, (_, facts))) in resolution.files.iter().zip(files).enumerate() {
            for (symbol, first) in &resolved.merged {
                if let Some(symbol) = here(file, *symbol) {
                    seen.symbols[symbol].merged = id(*first);
                }
            }
            for edge in &resolved.edges {
                // An edge to or from an anonymous function would be a fault of resolution; it shows as missing.
                let (Some(from), Some(to)) = (here(file, edge.from), id(edge.to)) else { continue };
                let (line, kind) = (edge.line as usize, edge.kind.as_str());
                seen.edges.push(Edge { file, line, from, kind, to, evidence: edge.evidence });
            }
            seen.misses.extend(resolved.misses.iter().map(|miss| Miss {
                file,
                line: miss.line as usize,
                name: facts.name(miss.name).to_string(),
                call: miss.call,
                external: miss.external,
            }));
        }
        for edge in &mut seen.edges {
            edge.from = seen.symbols[edge.from].merged.unwrap_or(edge.from);
        }
        seen.edges.sort();
        seen.edges.dedup();
        seen
    }

    /// The one symbol that a name in a case stands for: `[FILE::]NAME[@LINE]`, the name a suffix of the full one.
    ///
    /// What is written in full, and what is in the file of the mark, comes before all else.
    pub(crate) fn symbol(&self, name: &str, near: Option<usize>) -> Result<Id, String> {
        let file =
            self.files.iter().position(|file| name.strip_prefix(file).is_some_and(|rest| rest.starts_with("::")));
        let rest = file.map_or(name, |file| &name[self.files[file].len() + 2..]);
        let at_line = rest.rsplit_once('@').and_then(|(name, line)| Some((name, line.parse::<usize>().ok()?)));
        let (rest, line) = at_line.map_or((rest, None), |(name, line)| (name, Some(line)));
        let first = |id: Id| self.symbols[id].merged.unwrap_or(id);
        let ids = 0..self.symbols.len();
        let allowed = |id: &Id| {
            let symbol = &self.symbols[*id];
            file.is_none_or(|file| file == symbol.file) && line.is_none_or(|line| symbol.lines.contains(&line))
        };
        let full = |id: &Id| self.symbols[*id].path == rest || self.symbols[*id].qualified == rest;
        let suffix = |id: &Id| {
            let wanted = parts(rest);
            [&self.symbols[*id].path, &self.symbols[*id].qualified].into_iter().any(|name| ends(&parts(name), &wanted))
        };
        let is_near = |id: &Id| near.is_none_or(|file| self.symbols[*id].file == file);
        let unique = |ids: Vec<Id>| {
            let mut ids: Vec<Id> = ids.into_iter().map(first).collect();
            ids.sort_unstable();
            ids.dedup();
            ids
        };
        let rounds = [
            unique(ids.clone().filter(allowed).filter(is_near).filter(full).collect()),
            unique(ids.clone().filter(allowed).filter(full).collect()),
            unique(ids.clone().filter(allowed).filter(is_near).filter(suffix).collect()),
            unique(ids.filter(allowed).filter(suffix).collect()),
        ];
        let mut found = rounds.into_iter().find(|round| !round.is_empty()).unwrap_or_default();
        if let (Some(line), true) = (line, found.len() > 1) {
            // A definition around another holds its line too; the innermost is meant.
            let starts = |id: &Id| self.symbols[*id].line == line;
            if found.iter().any(starts) {
                found.retain(starts);
            }
        }
        match found[..] {
            [id] => Ok(id),
            [] => Err(format!("there is no symbol `{name}`")),
            _ => {
                let names: Vec<String> = found.iter().map(|id| self.name(*id, None)).collect();
                Err(format!("`{name}` may be {}; say which", names.join(" or ")))
            }
        }
    }

    /// A name by which [`Seen::symbol`] finds the symbol, as short as a mark in a file needs it.
    pub(crate) fn name(&self, id: Id, near: Option<usize>) -> String {
        let symbol = &self.symbols[id];
        let file = &self.files[symbol.file];
        let local = near == Some(symbol.file) || (near.is_none() && self.files.len() == 1);
        let mut name = if local { symbol.path.clone() } else { format!("{file}::{}", symbol.path) };
        let twin = |(other, twin): (Id, &Symbol)| {
            other != id && twin.merged.is_none() && twin.file == symbol.file && twin.path == symbol.path
        };
        if self.symbols.iter().enumerate().any(twin) {
            name.push_str(&format!("@{}", symbol.line));
        }
        if name.contains([',', ' ', ';', '[', ':']) && !name.contains('`') && symbol.kind == SymbolKind::Test {
            name = format!("`{name}`");
        }
        name
    }
}

fn ends(name: &[&str], suffix: &[&str]) -> bool {
    !suffix.is_empty() && name.ends_with(suffix)
}

/// The parts of a qualified name, whatever separates them.
fn parts(name: &str) -> Vec<&str> {
    name.split(['.', ':', '/', '#']).filter(|part| !part.is_empty()).collect()
}

/// The names of the symbols around a symbol and its own.
fn path(facts: &FileFacts, symbol: SymbolIx) -> String {
    if symbol == SymbolIx::MODULE {
        return "<module>".to_string();
    }
    let mut names: Vec<String> = Vec::new();
    let mut at = symbol;
    while at != SymbolIx::MODULE {
        let Some(found) = facts.symbols.get(at.ix()) else { break };
        if found.flags & flag::ANONYMOUS == 0 {
            names.push(facts.name(found.name).to_string());
        }
        // A member that stands outside its type is named as if it stood inside.
        if let Some(extension) = found.extension.and_then(|extension| facts.extensions.get(extension.ix())) {
            let target = type_name(facts, extension.target);
            let around = facts.symbols.get(found.container.ix()).map(|around| facts.name(around.name));
            names.extend(target.filter(|target| around != Some(target)).map(String::from));
        }
        if found.container == at {
            break;
        }
        at = found.container;
    }
    names.reverse();
    names.join(".")
}

/// The last name of a type.
fn type_name(facts: &FileFacts, mut expr: ExprId) -> Option<&str> {
    loop {
        match facts.expr(expr) {
            Expr::Name { name, .. } | Expr::Member { name, .. } => return Some(facts.name(name)),
            Expr::Apply { base, .. } => expr = base,
            _ => return None,
        }
    }
}
