//! A compiler as oracle: our edges beside a SCIP index of the same tree.
//!
//! An edge says: on this line this name is used, and it is that definition. Where the index has an occurrence of that
//! name on that line and its definition is in the project, the two places are compared. Dispatch and callbacks are
//! answers to another question than a compiler's, so they have rows of their own.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::Path;

use crate::run::{Result, remove_dir};

use super::export::{Edge, Export, Symbol};
use super::scip::{Document, Index, Occurrence};

/// Kinds of edge that use a name.
const USES: [&str; 6] = ["calls", "instantiates", "references", "extends", "implements", "decorates"];
/// Evidence that has to hold before a compiler.
const SURE: [&str; 3] = ["scope", "import", "receiver"];

pub(super) fn run(vise: &Path, index: &Path, folder: &Path, differences: usize) -> Result {
    let folder = folder.canonicalize().map_err(|error| format!("`{}`: {error}", folder.display()))?;
    let index = Index::open(index)?;
    let state = crate::target().join("bench").join("oracle");
    remove_dir(&state)?;
    let export = Export::of(vise, &folder, &state)?;
    let texts = |file: &str| std::fs::read_to_string(folder.join(file)).ok();
    let compared = compare(&export, &index, texts);
    print!("{}", compared.table(differences));
    Ok(())
}

/// What one edge came to.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Verdict {
    Right,
    /// Where the oracle says that the definition is.
    Wrong(String),
    /// The oracle knows no definition in the project.
    Outside(String),
    /// The oracle has no such name on the line: an alias, a file it did not read.
    Unseen,
}

#[derive(Debug, Default, Clone, Copy)]
struct Row {
    edges: usize,
    right: usize,
    wrong: usize,
    outside: usize,
}

#[derive(Debug, Default)]
struct Compared {
    /// By evidence and kind.
    rows: BTreeMap<(String, String), Row>,
    mistakes: BTreeMap<(String, String), Vec<String>>,
    /// The oracle's uses of functions of the project, how many of them have an edge, and which do not.
    uses: usize,
    with_edge: usize,
    missing: Vec<String>,
}

fn compare(export: &Export, index: &Index, text: impl Fn(&str) -> Option<String>) -> Compared {
    let mut compared = Compared::default();
    let mut by_file: BTreeMap<&str, Vec<&Edge>> = BTreeMap::new();
    for edge in &export.edges {
        by_file.entry(&edge.file).or_default().push(edge);
    }
    // Where the index defines functions: what stands there is known to it as that one.
    let functions: HashSet<(&str, u64)> = index
        .definitions
        .iter()
        .filter(|(symbol, _)| symbol.ends_with(")."))
        .flat_map(|(_, places)| places.iter().map(|(file, line)| (file.as_str(), *line)))
        .collect();
    for (file, document) in &index.documents {
        let Some(text) = text(file) else { continue };
        let names = Names::new(document, &text);
        let elsewhere = |target: &Symbol| !functions.contains(&(target.file.as_str(), target.line));
        let edges = by_file.get(file.as_str()).map(Vec::as_slice).unwrap_or_default();
        for edge in edges.iter().filter(|edge| USES.contains(&edge.kind.as_str())) {
            compared.add(export, edge, &verdict(export, index, &names, edge, elsewhere(&export.symbols[edge.to])));
        }
        compared.count_uses(export, index, (file, document), edges, elsewhere);
    }
    compared
}

/// The names of a document, by line.
struct Names<'d> {
    by_line: HashMap<u64, Vec<(String, &'d Occurrence)>>,
}

impl<'d> Names<'d> {
    fn new(document: &'d Document, text: &str) -> Names<'d> {
        let lines: Vec<&str> = text.lines().collect();
        let mut by_line: HashMap<u64, Vec<(String, &Occurrence)>> = HashMap::new();
        for occurrence in document.occurrences.iter().filter(|occurrence| !occurrence.is_definition()) {
            let number = usize::try_from(occurrence.line - 1).unwrap_or(usize::MAX);
            let Some(line) = lines.get(number) else { continue };
            let name = slice(line, occurrence.columns, document.encoding);
            by_line.entry(occurrence.line).or_default().push((name, occurrence));
        }
        Names { by_line }
    }

    fn called<'n>(&'n self, line: u64, name: &'n str) -> impl Iterator<Item = &'d Occurrence> + 'n {
        let here = self.by_line.get(&line).into_iter().flatten();
        here.filter(move |(text, _)| text == name).map(|(_, occurrence)| *occurrence)
    }
}

fn slice(line: &str, (start, end): (u64, u64), encoding: u64) -> String {
    let width = |sign: char| match encoding {
        1 => sign.len_utf8(),
        3 => 1,
        _ => sign.len_utf16(),
    };
    let mut column = 0;
    let mut name = String::new();
    for sign in line.chars() {
        if (start..end).contains(&column) {
            name.push(sign);
        }
        column += width(sign) as u64;
    }
    name
}

/// `elsewhere`: the index defines nothing where our target stands.
fn verdict(export: &Export, index: &Index, names: &Names<'_>, edge: &Edge, elsewhere: bool) -> Verdict {
    let target = &export.symbols[edge.to];
    // A constructor is written as its type; whether an index means the type or the constructor is its own habit.
    let owner = if export.is_constructor(edge.to) { export.type_around(edge.to) } else { None };
    let type_of = owner.or_else(|| (edge.kind == "instantiates").then_some(edge.to));
    let name = owner.map_or(target.name.as_str(), |owner| export.symbols[owner].name.as_str());
    let fits = |(file, line): &(String, u64)| {
        let is_target = (file, *line) == (&target.file, target.line);
        let in_type = type_of
            .map(|id| &export.symbols[id])
            .is_some_and(|class| *file == class.file && (class.line..=class.end_line).contains(line));
        is_target || in_type || is_place_of(export, edge.to, file, *line)
    };
    // Overload signatures and their implementation are one symbol to us, and an index may mean any of them.
    let is_unknown_place =
        |(file, line): &(String, u64)| elsewhere && *file == target.file && !export.defines(file, *line);
    let mut seen = Verdict::Unseen;
    for occurrence in names.called(edge.line, name) {
        match index.definitions.get(&occurrence.symbol) {
            Some(places) if places.iter().any(fits) => return Verdict::Right,
            Some(places) if occurrence.is_function() && places.iter().all(is_unknown_place) => return Verdict::Right,
            Some(places) => {
                let places: Vec<String> = places.iter().map(|(file, line)| format!("{file}:{line}")).collect();
                seen = Verdict::Wrong(places.join(" or "));
            }
            None if seen == Verdict::Unseen => seen = Verdict::Outside(occurrence.symbol.clone()),
            None => {}
        }
    }
    seen
}

/// Whether a place is another one of a symbol: the getter and the setter of a property are one thing to a reader, and for
/// Python an index has one symbol for all definitions of a name in a scope, and names the first.
fn is_place_of(export: &Export, id: usize, file: &str, line: u64) -> bool {
    let target = &export.symbols[id];
    let several = target.kind == "property" || target.file.ends_with(".py");
    let twin = |twin: &Symbol| {
        twin.line == line && twin.file == file && file == target.file && twin.qualified == target.qualified
    };
    several && export.symbols.iter().any(twin)
}

impl Compared {
    fn add(&mut self, export: &Export, edge: &Edge, verdict: &Verdict) {
        let key = (edge.evidence.clone(), edge.kind.clone());
        let row = self.rows.entry(key.clone()).or_default();
        row.edges += 1;
        let instead = match verdict {
            Verdict::Right => {
                row.right += 1;
                return;
            }
            Verdict::Wrong(instead) => {
                row.wrong += 1;
                instead
            }
            Verdict::Outside(instead) => {
                row.outside += 1;
                instead
            }
            Verdict::Unseen => return,
        };
        let target = &export.symbols[edge.to];
        let mistake = format!(
            "{}:{} `{}` is not {}:{} but {instead}",
            edge.file, edge.line, target.name, target.file, target.line
        );
        self.mistakes.entry(key).or_default().push(mistake);
    }

    /// How many of the oracle's uses of functions and methods we have as an edge of any kind.
    fn count_uses(
        &mut self,
        export: &Export,
        index: &Index,
        of: (&str, &Document),
        edges: &[&Edge],
        elsewhere: impl Fn(&Symbol) -> bool,
    ) {
        let (path, document) = of;
        let mut targets: HashMap<u64, Vec<&Symbol>> = HashMap::new();
        for edge in edges {
            targets.entry(edge.line).or_default().push(&export.symbols[edge.to]);
        }
        let uses =
            document.occurrences.iter().filter(|occurrence| !occurrence.is_definition() && occurrence.is_function());
        for occurrence in uses {
            let Some(places) = index.definitions.get(&occurrence.symbol) else { continue };
            self.uses += 1;
            let here = targets.get(&occurrence.line).map(Vec::as_slice).unwrap_or_default();
            let is_here = |(file, line): &(String, u64)| {
                let known = export.defines(file, *line);
                let named =
                    |target: &Symbol| elsewhere(target) && occurrence.symbol.contains(&format!("{}(", target.name));
                here.iter().any(|one| one.file == *file && if known { one.line == *line } else { named(one) })
            };
            let found = places.iter().any(is_here);
            self.with_edge += usize::from(found);
            if !found {
                let definition = places.first().map(|(file, line)| format!("{file}:{line}"));
                self.missing.push(format!("{path}:{} uses {}", occurrence.line, definition.unwrap_or_default()));
            }
        }
    }

    fn table(&self, differences: usize) -> String {
        let mut text = format!(
            "{:<12} {:<13} {:>7} {:>9} {:>7} {:>6} {:>8} {:>9}\n",
            "evidence", "kind", "edges", "compared", "right", "wrong", "outside", "precision"
        );
        let mut sure = Row::default();
        for ((evidence, kind), row) in &self.rows {
            text.push_str(&line_of(evidence, kind, row));
            if SURE.contains(&evidence.as_str()) {
                sure.edges += row.edges;
                sure.right += row.right;
                sure.wrong += row.wrong;
                sure.outside += row.outside;
            }
        }
        text.push_str(&line_of("sure", "all", &sure));
        text.push_str("\"outside\": the oracle knows no definition in the project; left out of the precision.\n");
        let share = line_of_uses(self.with_edge, self.uses);
        text.push_str(&format!("Uses of functions of the project that the oracle knows: {}; {share}\n", self.uses));
        for ((evidence, kind), mistakes) in &self.mistakes {
            if differences > 0 {
                text.push_str(&format!("{evidence} {kind}:\n"));
                spread(mistakes, differences).for_each(|mistake| text.push_str(&format!("    {mistake}\n")));
            }
        }
        if differences > 0 {
            text.push_str("uses without an edge:\n");
            spread(&self.missing, differences).for_each(|missing| text.push_str(&format!("    {missing}\n")));
        }
        text
    }
}

/// So many of a list, from all over it: neighbours are alike.
fn spread(list: &[String], many: usize) -> impl Iterator<Item = &String> {
    let step = list.len().div_ceil(many.max(1)).max(1);
    list.iter().step_by(step)
}

#[expect(clippy::cast_precision_loss, reason = "numbers of edges are far below 2^52")]
fn line_of(evidence: &str, kind: &str, row: &Row) -> String {
    let Row { edges, right, wrong, outside } = *row;
    let compared = right + wrong;
    let precision = if compared == 0 { "-".to_string() } else { format!("{:.4}", right as f64 / compared as f64) };
    format!("{evidence:<12} {kind:<13} {edges:>7} {compared:>9} {right:>7} {wrong:>6} {outside:>8} {precision:>9}\n")
}

#[expect(clippy::cast_precision_loss, reason = "numbers of edges are far below 2^52")]
fn line_of_uses(with_edge: usize, uses: usize) -> String {
    match uses {
        0 => "none".to_string(),
        uses => format!("{with_edge} have an edge ({:.3})", with_edge as f64 / uses as f64),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn symbol(id: u64, name: &str, kind: &str, line: u64, end: u64) -> String {
        format!(
            r#"{{"type":"symbol","id":{id},"name":"{name}","qualified":"a.{name}","kind":"{kind}","file":"a.py","line":{line},"end_line":{end}}}"#
        )
    }

    fn edge(to: u64, kind: &str, evidence: &str, line: u64) -> String {
        format!(
            r#"{{"type":"edge","from":0,"to":{to},"kind":"{kind}","evidence":"{evidence}","file":"b.py","line":{line}}}"#
        )
    }

    #[test]
    fn edges_are_compared_where_the_index_knows_the_name() {
        let text = [
            symbol(0, "f", "function", 1, 2),
            symbol(1, "A", "class", 4, 8),
            symbol(2, "__init__", "method", 5, 6),
            edge(0, "calls", "import", 1),
            edge(0, "calls", "unique_name", 2),
            edge(1, "instantiates", "import", 3),
            edge(2, "calls", "import", 3),
            edge(0, "calls", "import", 4),
            edge(0, "calls", "import", 9),
        ]
        .join("\n");
        let export = Export::read(&text).unwrap();
        let occurrences = [
            occurrence(1, (0, 1), "a f()."),
            occurrence(2, (0, 1), "c f()."),
            occurrence(3, (0, 1), "a A#"),
            occurrence(4, (0, 1), "lib f()."),
        ];
        let mut index = Index::default();
        index.documents.insert("b.py".to_string(), Document { encoding: 0, occurrences: occurrences.to_vec() });
        for (symbol, line) in [("a f().", 1), ("c f().", 7), ("a A#", 4)] {
            index.definitions.insert(symbol.to_string(), vec![("a.py".to_string(), line)]);
        }
        let compared = compare(&export, &index, |_| Some("f()\nf()\nA()\nf()\n".to_string()));
        let row = |evidence: &str, kind: &str| compared.rows[&(evidence.to_string(), kind.to_string())];
        let calls = row("import", "calls");
        assert_eq!((calls.edges, calls.right, calls.wrong, calls.outside), (4, 2, 0, 1));
        assert_eq!(row("import", "instantiates").right, 1);
        assert_eq!(row("unique_name", "calls").wrong, 1);
        assert_eq!((compared.uses, compared.with_edge), (2, 1));
        let table = compared.table(5);
        assert!(table.contains("b.py:2 `f` is not a.py:1 but a.py:7"), "{table}");
    }

    fn occurrence(line: u64, columns: (u64, u64), symbol: &str) -> Occurrence {
        Occurrence { line, columns, symbol: symbol.to_string(), roles: 0 }
    }

    #[test]
    fn columns_are_counted_as_the_index_says() {
        assert_eq!(slice("é𝄞f()", (3, 4), 0), "f");
        assert_eq!(slice("é𝄞f()", (6, 7), 1), "f");
        assert_eq!(slice("é𝄞f()", (2, 3), 3), "f");
    }
}
