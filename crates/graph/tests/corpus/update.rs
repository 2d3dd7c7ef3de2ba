//! What an update writes: the file again, with caret lines that say what was found.

use std::collections::{BTreeMap, BTreeSet};

use super::case::CaseFile;
use super::compare::{defined, edges_at};
use super::fences::Problem;
use super::marks::{EDGE_WORDS, EdgeWord, Mark, Says};
use super::seen::{Edge, Seen};

/// Where a note stands: its columns in the line above.
type Place = (usize, usize);

/// The text of a file's fence. Caret lines without a problem stay as they are; with `all`, every use gets one.
pub(crate) fn render(seen: &Seen, file: usize, of: &CaseFile, problems: &[Problem], all: bool) -> String {
    let wrong: BTreeSet<usize> = problems.iter().map(|problem| problem.line).collect();
    let written: Vec<&str> = of.fence.text.lines().collect();
    let first = of.fence.line() + 1;
    let mut out = String::new();
    for (index, text) in of.marked.source.lines().enumerate() {
        out.push_str(text);
        out.push('\n');
        let marks: Vec<&Mark> = of.marked.marks.iter().filter(|mark| mark.line == index + 1).collect();
        let line = Line { seen, file, line: index + 1, text, marks };
        if all || line.marks.iter().any(|mark| wrong.contains(&mark.at)) {
            let leader = leader(&of.path);
            line.notes(all)
                .into_iter()
                .for_each(|(place, notes)| out.push_str(&caret_line(text, place, leader, &notes)));
        } else {
            let kept: BTreeSet<usize> = line.marks.iter().map(|mark| mark.at).collect();
            for at in kept {
                out.push_str(written.get(at - first).copied().unwrap_or_default());
                out.push('\n');
            }
        }
    }
    out
}

struct Line<'s> {
    seen: &'s Seen,
    file: usize,
    line: usize,
    text: &'s str,
    marks: Vec<&'s Mark>,
}

impl Line<'_> {
    /// What is found of the kinds that the marks are about, or of all kinds.
    fn notes(&self, all: bool) -> BTreeMap<Place, Vec<String>> {
        let mut notes: BTreeMap<Place, Vec<String>> = BTreeMap::new();
        let mut kinds: Vec<EdgeWord> = Vec::new();
        for (_, kind) in EDGE_WORDS {
            let kind = EdgeWord(kind);
            let said = |mark: &&Mark| match &mark.says {
                Says::Edges { kind: of, .. } => *of == kind,
                Says::Missed { .. } => kind.0 == "calls",
                Says::Defines(_) | Says::Same(_) => false,
            };
            if (all || self.marks.iter().any(said)) && !kinds.contains(&kind) {
                kinds.push(kind);
            }
        }
        for kind in kinds {
            self.edge_notes(kind, &mut notes);
        }
        if self.marks.iter().any(|mark| matches!(mark.says, Says::Defines(_))) {
            self.definition_notes(&mut notes);
        }
        self.miss_notes(all, &mut notes);
        notes
    }

    fn edge_notes(&self, kind: EdgeWord, notes: &mut BTreeMap<Place, Vec<String>>) {
        let old = self.marks.iter().filter_map(|mark| match &mark.says {
            Says::Edges { kind: of, targets } if *of == kind => Some((*mark, targets)),
            _ => None,
        });
        let old: Vec<_> = old.collect();
        let mut found: Vec<&Edge> = Vec::new();
        for edge in edges_at(self.seen, self.file, self.line, kind) {
            if !found.iter().any(|known| (known.to, known.evidence) == (edge.to, edge.evidence)) {
                found.push(edge);
            }
        }
        let mut targets: BTreeMap<Place, Vec<String>> = BTreeMap::new();
        for edge in &found {
            let id = |name: &str| self.seen.symbol(name, Some(self.file)).ok();
            let said = old.iter().find_map(|(mark, targets)| {
                let target = targets.iter().find(|target| id(&target.name) == Some(edge.to))?;
                Some((*mark, target))
            });
            let only = if let [(mark, _)] = &old[..] { Some(*mark) } else { None };
            let place = said.map(|(mark, _)| mark).or(only).map(|mark| (mark.start, mark.end));
            let name = said.map_or_else(|| self.seen.name(edge.to, Some(self.file)), |(_, target)| target.name.clone());
            let plain = said.is_some_and(|(_, target)| target.evidence.is_none());
            let evidence = if plain { String::new() } else { format!(" [{}]", edge.evidence.as_str()) };
            let path = &self.seen.symbols[edge.to].path;
            let last = path.rsplit('.').next().unwrap_or(path);
            targets.entry(place.unwrap_or_else(|| self.place_of(last))).or_default().push(name + &evidence);
        }
        for (place, names) in targets {
            notes.entry(place).or_default().push(format!("{}: {}", kind.written(), names.join(", ")));
        }
        if let ([], [(mark, _), ..]) = (&found[..], &old[..]) {
            notes.entry((mark.start, mark.end)).or_default().push(format!("{}: none", kind.written()));
        }
    }

    fn definition_notes(&self, notes: &mut BTreeMap<Place, Vec<String>>) {
        let found: Vec<_> = defined(self.seen, self.file, self.line).collect();
        for (_, symbol) in &found {
            let old = self.marks.iter().find(|mark| match &mark.says {
                Says::Defines(definitions) => definitions.iter().any(|said| symbol.path.ends_with(&said.name)),
                _ => false,
            });
            let name = symbol.path.rsplit('.').next().unwrap_or_default();
            let place = old.map_or_else(|| self.place_of(name), |mark| (mark.start, mark.end));
            notes.entry(place).or_default().push(format!("defines: {} {}", symbol.kind.as_str(), symbol.path));
        }
        let old = self.marks.iter().find(|mark| matches!(mark.says, Says::Defines(_)));
        if let (true, Some(mark)) = (found.is_empty(), old) {
            notes.entry((mark.start, mark.end)).or_default().push("defines: none".to_string());
        }
    }

    fn miss_notes(&self, all: bool, notes: &mut BTreeMap<Place, Vec<String>>) {
        let word = |external| if external { "external" } else { "unresolved" };
        let misses = self.seen.misses.iter().filter(|miss| (miss.file, miss.line) == (self.file, self.line));
        let mut found: BTreeMap<Place, &str> = BTreeMap::new();
        for miss in misses {
            let old = |mark: &&&Mark| matches!(mark.says, Says::Missed { .. }) && mark.word == miss.name;
            match self.marks.iter().find(old) {
                Some(mark) => found.insert((mark.start, mark.end), word(miss.external)),
                None if all && miss.call => found.insert(self.place_of(&miss.name), word(miss.external)),
                None => None,
            };
        }
        for (place, word) in found {
            notes.entry(place).or_default().push(word.to_string());
        }
        for mark in &self.marks {
            let Says::Same(target) = &mark.says else { continue };
            let of = self.seen.symbol(&target.name, Some(self.file)).ok();
            let here = defined(self.seen, self.file, self.line);
            for first in here.filter_map(|(_, symbol)| symbol.merged) {
                let name = self.seen.name(first, Some(self.file));
                let name = if of == Some(first) { target.name.clone() } else { name };
                notes.entry((mark.start, mark.end)).or_default().push(format!("same: {name}"));
            }
        }
    }

    /// Where a name stands in the line as a word; else where the line begins.
    fn place_of(&self, name: &str) -> Place {
        let length = name.chars().count();
        let in_word = |sign: char| sign.is_alphanumeric() || sign == '_';
        let found = self.text.match_indices(name).find(|(at, _)| {
            let (before, after) = (&self.text[..*at], &self.text[at + name.len()..]);
            !name.is_empty() && !before.ends_with(in_word) && !after.starts_with(in_word)
        });
        match found {
            Some((at, _)) => {
                let start = self.text[..at].chars().count();
                (start, start + length)
            }
            None => {
                let indent = self.text.chars().take_while(|sign| sign.is_whitespace()).count();
                (indent, indent + 1)
            }
        }
    }
}

/// The comment sign of a language, by its files' ending; it only makes editors show carets as comments.
fn leader(path: &str) -> &'static str {
    match path.rsplit('.').next().unwrap_or_default() {
        "py" | "pyi" | "rb" | "sh" | "bash" | "ex" | "exs" | "r" | "R" | "nix" | "ps1" | "yml" | "yaml" | "toml"
        | "bzl" | "star" | "mk" | "cmake" | "graphql" => "#",
        "lua" | "sql" | "hs" => "--",
        "erl" => "%",
        _ => "//",
    }
}

fn caret_line(above: &str, (start, end): Place, leader: &str, notes: &[String]) -> String {
    // Tabs stay tabs, so that the carets stand below what they mark.
    let blank: Vec<char> = above.chars().take(start).map(|sign| if sign == '\t' { '\t' } else { ' ' }).collect();
    let indent = above.chars().take_while(|sign| sign.is_whitespace()).count();
    let width = leader.chars().count();
    // The sign stands where the line begins, else in front, and where neither has room the carets stand alone.
    let at = if indent + width < start { Some(indent) } else { (width < start && !blank.contains(&'\t')).then_some(0) };
    let before: String = match at {
        Some(at) => {
            blank[..at].iter().copied().chain(leader.chars()).chain(blank[at + width..].iter().copied()).collect()
        }
        None => blank.into_iter().collect(),
    };
    format!("{before}{} {}\n", "^".repeat((end - start).max(1)), notes.join("; "))
}
