//! Marks compared with what was found.

use std::collections::BTreeSet;

use vise_graph::facts::flag;

use super::case::CaseFile;
use super::fences::Problem;
use super::marks::{Definition, EdgeWord, Mark, Says, Target};
use super::seen::{Edge, Id, Seen, Symbol};

/// What differs in one file. All that a line says of one kind is taken together: it must be all that is there.
pub(crate) fn differences(seen: &Seen, file: usize, of: &CaseFile) -> Vec<Problem> {
    let marks = &of.marked.marks;
    let lines: BTreeSet<usize> = marks.iter().map(|mark| mark.line).collect();
    let mut problems = Vec::new();
    for line in lines {
        let marks: Vec<&Mark> = marks.iter().filter(|mark| mark.line == line).collect();
        let line = Line { seen, file, line, marks };
        for kind in line.kinds() {
            line.compare_edges(kind, &mut problems);
        }
        line.compare_definitions(&mut problems);
        line.compare_misses(&mut problems);
    }
    problems
}

/// The definitions on a line that are no top-level code.
pub(crate) fn defined(seen: &Seen, file: usize, line: usize) -> impl Iterator<Item = (Id, &Symbol)> {
    let here = move |symbol: &Symbol| (symbol.file, symbol.line) == (file, line) && symbol.path != "<module>";
    seen.symbols.iter().enumerate().filter(move |(_, symbol)| here(symbol))
}

/// The edges of a kind from a line.
pub(crate) fn edges_at(seen: &Seen, file: usize, line: usize, kind: EdgeWord) -> impl Iterator<Item = &Edge> {
    seen.edges.iter().filter(move |edge| (edge.file, edge.line, edge.kind) == (file, line, kind.0))
}

/// A line of a file and what is said of it.
struct Line<'s> {
    seen: &'s Seen,
    file: usize,
    line: usize,
    marks: Vec<&'s Mark>,
}

impl Line<'_> {
    /// The kinds of edge that are compared here.
    fn kinds(&self) -> BTreeSet<EdgeWord> {
        let kinds = self.marks.iter().filter_map(|mark| match &mark.says {
            Says::Edges { kind, .. } => Some(*kind),
            // A call that leads nowhere is an edge less: what is called besides must be said.
            Says::Missed { .. } => Some(EdgeWord("calls")),
            Says::Defines(_) | Says::Same(_) => None,
        });
        kinds.collect()
    }

    fn compare_edges(&self, kind: EdgeWord, problems: &mut Vec<Problem>) {
        let found: Vec<&Edge> = edges_at(self.seen, self.file, self.line, kind).collect();
        let mut said: BTreeSet<Id> = BTreeSet::new();
        let mut last = 0;
        for mark in &self.marks {
            last = last.max(mark.at);
            let Says::Edges { kind: of, targets } = &mark.says else { continue };
            for target in targets.iter().filter(|_| *of == kind) {
                let wrong = match self.seen.symbol(&target.name, Some(self.file)) {
                    Ok(id) => {
                        said.insert(id);
                        wrong_edge(id, target, &found)
                    }
                    Err(message) => Some(message),
                };
                problems.extend(wrong.map(|message| Problem::new(mark.at, message)));
            }
        }
        for edge in found.iter().filter(|edge| !said.contains(&edge.to)) {
            let message = format!("not said: {}: {}", kind.written(), self.shown(edge));
            problems.push(Problem::new(last, message));
        }
    }

    fn shown(&self, edge: &Edge) -> String {
        format!("{} [{}]", self.seen.name(edge.to, Some(self.file)), edge.evidence.as_str())
    }

    fn compare_definitions(&self, problems: &mut Vec<Problem>) {
        let found: Vec<(Id, &Symbol)> = defined(self.seen, self.file, self.line).collect();
        let mut said: BTreeSet<Id> = BTreeSet::new();
        let mut last = None;
        for mark in &self.marks {
            let Says::Defines(definitions) = &mark.says else { continue };
            last = Some(mark.at);
            for definition in definitions {
                // Several of one name on one line (overloads) take one mark each.
                let named = |(id, symbol): &&(Id, &Symbol)| !said.contains(id) && is_called(symbol, &definition.name);
                let wrong = match found.iter().filter(named).min_by_key(|(_, symbol)| wrong_symbol(symbol, definition))
                {
                    Some((id, symbol)) => {
                        said.insert(*id);
                        wrong_symbol(symbol, definition)
                    }
                    None => Some(format!("`{}` is not defined here{}", definition.name, self.definitions(&found))),
                };
                problems.extend(wrong.map(|message| Problem::new(mark.at, message)));
            }
        }
        let Some(last) = last else { return };
        for (id, symbol) in found.iter().filter(|(id, _)| !said.contains(id)) {
            let message =
                format!("not said: defines: {} {}", symbol.kind.as_str(), self.seen.name(*id, Some(self.file)));
            problems.push(Problem::new(last, message));
        }
    }

    fn definitions(&self, found: &[(Id, &Symbol)]) -> String {
        let names: Vec<String> = found
            .iter()
            .map(|(id, symbol)| format!("{} {}", symbol.kind.as_str(), self.seen.name(*id, Some(self.file))))
            .collect();
        if names.is_empty() { String::new() } else { format!("; there is {}", names.join(", ")) }
    }

    fn compare_misses(&self, problems: &mut Vec<Problem>) {
        for mark in &self.marks {
            let wrong = match &mark.says {
                Says::Missed { external } => self.wrong_miss(&mark.word, *external),
                Says::Same(target) => self.wrong_place(&mark.word, target),
                Says::Defines(_) | Says::Edges { .. } => None,
            };
            problems.extend(wrong.map(|message| Problem::new(mark.at, message)));
        }
    }

    fn wrong_miss(&self, word: &str, external: bool) -> Option<String> {
        let misses: Vec<_> =
            self.seen.misses.iter().filter(|miss| (miss.file, miss.line) == (self.file, self.line)).collect();
        if misses.iter().any(|miss| miss.name == word && miss.external == external) {
            return None;
        }
        let word_for = |external| if external { "external" } else { "unresolved" };
        let said = word_for(external);
        if misses.iter().any(|miss| miss.name == word) {
            return Some(format!("`{word}` is {}, not {said}", word_for(!external)));
        }
        let edges = self.seen.edges.iter().filter(|edge| (edge.file, edge.line) == (self.file, self.line));
        let edges: Vec<String> = edges.map(|edge| format!("{}: {}", edge.kind, self.shown(edge))).collect();
        let misses: Vec<String> =
            misses.iter().map(|miss| format!("`{}` {}", miss.name, word_for(miss.external))).collect();
        let found = [edges, misses].concat();
        let found = if found.is_empty() { "nothing".to_string() } else { found.join("; ") };
        Some(format!("`{word}` is not {said}; this line has: {found}"))
    }

    fn wrong_place(&self, word: &str, target: &Target) -> Option<String> {
        let of = match self.seen.symbol(&target.name, Some(self.file)) {
            Ok(of) => of,
            Err(message) => return Some(message),
        };
        let mut here = defined(self.seen, self.file, self.line).filter(|(_, symbol)| is_called(symbol, word));
        match here.next().map(|(_, symbol)| symbol.merged) {
            None => Some(format!("`{word}` is not defined here")),
            Some(Some(first)) if first == of => None,
            Some(Some(first)) => Some(format!("`{word}` is the same as `{}`", self.seen.name(first, Some(self.file)))),
            Some(None) => Some(format!("`{word}` is a symbol of its own")),
        }
    }
}

fn wrong_edge(to: Id, target: &Target, found: &[&Edge]) -> Option<String> {
    let edges: Vec<&&Edge> = found.iter().filter(|edge| edge.to == to).collect();
    let Some(first) = edges.first() else {
        return Some(format!("no edge to `{}`", target.name));
    };
    let evidence = target.evidence.as_ref()?;
    let right = edges.iter().any(|edge| edge.evidence.as_str() == evidence);
    (!right).then(|| format!("the evidence for `{}` is {}, not {evidence}", target.name, first.evidence.as_str()))
}

/// Whether a name in a mark is a symbol's own, in full or its last parts.
fn is_called(symbol: &Symbol, name: &str) -> bool {
    symbol.path == name || symbol.path.strip_suffix(name).is_some_and(|rest| rest.ends_with('.'))
}

fn wrong_symbol(symbol: &Symbol, definition: &Definition) -> Option<String> {
    let Definition { kind, name, flags } = definition;
    if symbol.kind.as_str() != kind {
        return Some(format!("`{name}` is a {}, not a {kind}", symbol.kind.as_str()));
    }
    for flag in flags {
        let (word, wanted) = flag.strip_prefix("not_").map_or((flag.as_str(), true), |word| (word, false));
        let Some((_, bit)) = flag::WORDS.iter().find(|(known, _)| *known == word) else {
            let known: Vec<&str> = flag::WORDS.iter().map(|(word, _)| *word).collect();
            return Some(format!("there is no flag `{word}`; there are: {}", known.join(" ")));
        };
        if (symbol.flags & bit != 0) != wanted {
            return Some(format!("`{name}` is {}{word}", if wanted { "not " } else { "" }));
        }
    }
    None
}
