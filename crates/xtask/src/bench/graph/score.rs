//! The scorer: what a suite expects against what the graph has, as precision and recall.
//!
//! An expectation names its ends in the suite's own way; [`Place`] says which symbols that may be. Nothing is scored
//! by text alone, so that a suite's spelling of a name costs nothing.

use std::collections::BTreeSet;

use super::export::{Edge, Export, parts};

/// One end of an expected edge.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Place {
    /// A Python name with the module's full path: `pkg.mod.Class.method`.
    Dotted(String),
    /// A name in a file, of which the folder is not told; the name a suffix of the full one.
    Named { file: String, name: String },
    /// A function by its first and last line; line 0 to 0 is the file's top-level code.
    Lines { file: String, first: u64, last: u64 },
    /// A function whose name is on this line.
    Line { file: String, line: u64 },
    /// One or the other.
    Either(Box<Place>, Box<Place>),
    /// Whatever is used on these lines.
    Used { file: String, first: u64, last: u64 },
    /// A path whose last parts name it: `structs::lib::Two::add_one`.
    Path(String),
    /// Something that no graph of named symbols has: a lambda, a built-in.
    Unnamed(String),
}

/// An expected edge.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Expected {
    pub(crate) from: Place,
    pub(crate) to: Place,
}

/// What is expected of a case, and how it is compared.
pub(crate) struct Question {
    pub(crate) expected: BTreeSet<Expected>,
    /// Edges that are neither right nor wrong.
    pub(crate) neutral: BTreeSet<Expected>,
    pub(crate) counted: Counted,
}

/// Which edges of the graph are compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Counted {
    /// Calls as Python makes them: `__init__` stands for an instance made, a decorator is called where it stands.
    Python,
    /// Calls from functions and methods; a constructor and its type are one, literals of structures are none.
    Functions,
    /// Calls of functions and constructors, from anything; a constructor and its type are one.
    All,
    /// Calls on the lines that the expectations are about, dispatch and callbacks left out.
    Lines,
}

/// What a case, or several, came to.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Score {
    pub(crate) cases: usize,
    pub(crate) expected: usize,
    pub(crate) found: usize,
    /// Expected edges that were found.
    pub(crate) right: usize,
    /// Found edges that are expected.
    pub(crate) true_found: usize,
}

impl Score {
    pub(crate) fn add(&mut self, other: Score) {
        self.cases += other.cases;
        self.expected += other.expected;
        self.found += other.found;
        self.right += other.right;
        self.true_found += other.true_found;
    }

    pub(crate) fn precision(&self) -> Option<f64> {
        ratio(self.true_found, self.found)
    }

    pub(crate) fn recall(&self) -> Option<f64> {
        ratio(self.right, self.expected)
    }
}

#[expect(clippy::cast_precision_loss, reason = "numbers of edges are far below 2^52")]
fn ratio(part: usize, whole: usize) -> Option<f64> {
    (whole > 0).then(|| part as f64 / whole as f64)
}

/// A score, and in words what is missing and what is wrong.
pub(crate) struct Scored {
    pub(crate) score: Score,
    pub(crate) missing: Vec<String>,
    pub(crate) wrong: Vec<String>,
}

/// An edge of the graph as it is compared.
struct Call<'e> {
    from: usize,
    to: usize,
    edge: &'e Edge,
}

/// An expected edge with the symbols that its ends may be.
struct Ends<'e> {
    from: BTreeSet<usize>,
    to: BTreeSet<usize>,
    expected: &'e Expected,
}

impl Ends<'_> {
    fn of<'e>(export: &Export, expected: &'e BTreeSet<Expected>, counted: Counted) -> Vec<Ends<'e>> {
        let ends = expected.iter().map(|expected| {
            let from = symbols(export, &expected.from).into_iter().map(|id| calling(export, id, counted));
            let to = symbols(export, &expected.to).into_iter().filter_map(|id| called(export, id, counted));
            Ends { from: from.collect(), to: to.collect(), expected }
        });
        ends.collect()
    }

    fn fit(&self, call: &Call<'_>) -> bool {
        let from = match &self.expected.from {
            Place::Used { file, first, last } => call.edge.file == *file && (*first..=*last).contains(&call.edge.line),
            _ => self.from.contains(&call.from),
        };
        from && self.to.contains(&call.to)
    }
}

pub(crate) fn score(export: &Export, question: &Question) -> Scored {
    let Question { expected, neutral, counted } = question;
    let ends = Ends::of(export, expected, *counted);
    let neutral = Ends::of(export, neutral, *counted);
    let is_expected = |call: &Call<'_>| ends.iter().any(|end| end.fit(call));
    let mut calls = calls(export, expected, *counted);
    calls.retain(|call| is_expected(call) || !neutral.iter().any(|end| end.fit(call)));
    let is_found = |end: &&Ends<'_>| calls.iter().any(|call| end.fit(call));
    let missing = ends.iter().filter(|end| !is_found(end));
    let missing = missing.map(|end| format!("{} > {}", shown(&end.expected.from), shown(&end.expected.to)));
    let missing: Vec<String> = missing.collect();
    let wrong: Vec<&Call<'_>> = calls.iter().filter(|call| !is_expected(call)).collect();
    let score = Score {
        cases: 1,
        expected: expected.len(),
        found: calls.len(),
        right: expected.len() - missing.len(),
        true_found: calls.len() - wrong.len(),
    };
    let wrong = wrong.into_iter().map(|call| {
        let name = |id: usize| export.symbols[id].qualified.as_str();
        format!(
            "{} > {} [{}] {}:{}",
            name(call.from),
            name(call.to),
            call.edge.evidence,
            call.edge.file,
            call.edge.line
        )
    });
    Scored { score, missing, wrong: wrong.collect() }
}

/// The edges that are compared, each pair of ends once.
fn calls<'e>(export: &'e Export, expected: &BTreeSet<Expected>, counted: Counted) -> Vec<Call<'e>> {
    let mut seen = BTreeSet::new();
    let mut calls = Vec::new();
    for edge in &export.edges {
        let kind_of = |id: usize| export.symbols[id].kind.as_str();
        let from_kind = kind_of(edge.from);
        let is_function = |id: usize| ["function", "method", "constructor"].contains(&kind_of(id));
        let holds_value = |id: usize| ["variable", "constant", "field", "property"].contains(&kind_of(id));
        let on_line = |place: &Place| match place {
            Place::Used { file, first, last } => *file == edge.file && (*first..=*last).contains(&edge.line),
            _ => false,
        };
        let is_call = ["calls", "instantiates"].contains(&edge.kind.as_str());
        let runs = |id: usize| if holds_value(id) { running(export, id) } else { Some(id) };
        let from = match counted {
            Counted::Python if edge.kind == "decorates" => running(export, edge.from).filter(|_| is_function(edge.to)),
            // A value may be called, but what is called are functions.
            Counted::Python if is_call && !holds_value(edge.to) => {
                if holds_value(edge.from) {
                    running(export, edge.from)
                } else {
                    Some(edge.from)
                }
            }
            Counted::Python => None,
            Counted::Functions => {
                let calls = ["function", "method", "constructor"].contains(&from_kind);
                // A literal of a structure makes an instance, but calls nothing.
                let is_literal =
                    edge.kind == "instantiates" && [".go", ".rs"].iter().any(|end| edge.file.ends_with(end));
                (is_call && calls && !is_literal).then_some(edge.from)
            }
            Counted::All if is_call && !holds_value(edge.to) => {
                // An instance of a type without a constructor is made, but nothing is called.
                let constructs = |id: usize| export.is_constructor(id) && export.type_around(id) == Some(edge.to);
                let calls = edge.kind != "instantiates" || (0..export.symbols.len()).any(constructs);
                runs(edge.from).filter(|_| calls)
            }
            Counted::All => None,
            Counted::Lines => {
                let meant = is_call && !["dispatch", "callback"].contains(&edge.evidence.as_str());
                (meant && expected.iter().any(|expected| on_line(&expected.from))).then_some(edge.from)
            }
        };
        let Some(from) = from else { continue };
        let Some(to) = called(export, edge.to, counted) else { continue };
        let from = calling(export, from, counted);
        let line = if counted == Counted::Lines { edge.line } else { 0 };
        if seen.insert((from, to, line)) {
            calls.push(Call { from, to, edge });
        }
    }
    calls
}

/// The code that runs where a definition stands: a decorator is called there, a variable gets its value.
fn running(export: &Export, inner: usize) -> Option<usize> {
    let symbol = &export.symbols[inner];
    let around = export.symbols.iter().enumerate().filter(|(id, around)| {
        let holds = around.kind == "module" || (around.line..=around.end_line).contains(&symbol.line);
        let runs = ["module", "function", "method", "constructor"].contains(&around.kind.as_str());
        *id != inner && around.file == symbol.file && holds && runs
    });
    let innermost = around.max_by_key(|(_, around)| if around.kind == "module" { 0 } else { around.line });
    innermost.map(|(id, _)| id)
}

/// What stands for a symbol where it is called: in Python a class's `__init__`, elsewhere a constructor's class.
fn called(export: &Export, id: usize, counted: Counted) -> Option<usize> {
    match counted {
        Counted::Python if export.symbols[id].kind == "class" => {
            let is_its =
                |init: &usize| export.symbols[*init].name == "__init__" && export.type_around(*init) == Some(id);
            (0..export.symbols.len()).find(is_its)
        }
        _ => Some(calling(export, id, counted)),
    }
}

/// What stands for a symbol where it calls.
fn calling(export: &Export, id: usize, counted: Counted) -> usize {
    let type_of = || export.type_around(id).unwrap_or(id);
    if counted != Counted::Python && export.is_constructor(id) { type_of() } else { id }
}

/// The symbols that a place may be.
fn symbols(export: &Export, place: &Place) -> BTreeSet<usize> {
    let all = || export.symbols.iter().enumerate();
    match place {
        Place::Dotted(name) => all()
            .filter(|(_, symbol)| match symbol.kind.as_str() {
                "module" => module_path(&symbol.file) == *name,
                _ => symbol.qualified == *name,
            })
            .map(|(id, _)| id)
            .collect(),
        Place::Named { file, name } => {
            let wanted = parts(name);
            let in_file = |file_of: &str| file_of.rsplit('/').next() == Some(file);
            let here = || all().filter(|(_, symbol)| in_file(&symbol.file) && symbol.kind != "module");
            let full: BTreeSet<usize> =
                here().filter(|(_, symbol)| symbol.parts().ends_with(&wanted)).map(|(id, _)| id).collect();
            // A container that we do not have (a table, a module inside the file) is no reason to miss the name.
            let last: BTreeSet<usize> =
                here().filter(|(_, symbol)| Some(&symbol.name.as_str()) == wanted.last()).map(|(id, _)| id).collect();
            if full.is_empty() && last.len() == 1 { last } else { full }
        }
        Place::Lines { file, first: 0, last: 0 } => {
            all().filter(|(_, symbol)| symbol.kind == "module" && symbol.file == *file).map(|(id, _)| id).collect()
        }
        Place::Lines { file, first, last } => all()
            .filter(|(_, symbol)| {
                let callable = ["function", "method", "constructor", "property", "class"];
                callable.contains(&symbol.kind.as_str())
                    && symbol.file == *file
                    && (symbol.line, symbol.end_line) == (*first, *last)
            })
            .map(|(id, _)| id)
            .collect(),
        Place::Line { file, line } => all()
            .filter(|(_, symbol)| symbol.kind == "function" && (&symbol.file, symbol.line) == (file, *line))
            .map(|(id, _)| id)
            .collect(),
        Place::Either(one, other) => symbols(export, one).union(&symbols(export, other)).copied().collect(),
        Place::Path(path) => {
            let wanted = parts(path);
            // Crates are folders here, so the last two parts tell the symbols apart well enough.
            let wanted = wanted[wanted.len().saturating_sub(2)..].to_vec();
            all().filter(|(_, symbol)| symbol.parts().ends_with(&wanted)).map(|(id, _)| id).collect()
        }
        Place::Used { .. } | Place::Unnamed(_) => BTreeSet::new(),
    }
}

/// `pkg/mod.py` is `pkg.mod`, `pkg/__init__.py` is `pkg`.
fn module_path(file: &str) -> String {
    let stem = file.strip_suffix(".py").unwrap_or(file);
    stem.strip_suffix("/__init__").unwrap_or(stem).replace('/', ".")
}

fn shown(place: &Place) -> String {
    match place {
        Place::Dotted(name) | Place::Path(name) | Place::Unnamed(name) => name.clone(),
        Place::Named { file, name } => format!("{file}::{name}"),
        Place::Line { file, line } => format!("{file}:{line}"),
        Place::Either(one, other) => format!("{} or {}", shown(one), shown(other)),
        Place::Lines { file, first: 0, .. } => format!("{file} (top level)"),
        Place::Lines { file, first, last } | Place::Used { file, first, last } => format!("{file}:{first}-{last}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = r#"{"type":"symbol","id":0,"name":"main","qualified":"main","kind":"module","file":"main.py","line":1,"end_line":9}
{"type":"symbol","id":1,"name":"A","qualified":"main.A","kind":"class","file":"main.py","line":1,"end_line":4}
{"type":"symbol","id":2,"name":"__init__","qualified":"main.A.__init__","kind":"method","file":"main.py","line":2,"end_line":2}
{"type":"symbol","id":3,"name":"f","qualified":"main.f","kind":"function","file":"main.py","line":6,"end_line":7}
{"type":"symbol","id":4,"name":"dec","qualified":"main.dec","kind":"function","file":"main.py","line":8,"end_line":9}
{"type":"edge","from":3,"to":1,"kind":"instantiates","evidence":"scope","file":"main.py","line":7}
{"type":"edge","from":3,"to":2,"kind":"calls","evidence":"scope","file":"main.py","line":7}
{"type":"edge","from":0,"to":3,"kind":"calls","evidence":"scope","file":"main.py","line":9}
{"type":"edge","from":3,"to":4,"kind":"decorates","evidence":"scope","file":"main.py","line":5}
"#;

    fn expect(pairs: &[(Place, Place)]) -> BTreeSet<Expected> {
        pairs.iter().map(|(from, to)| Expected { from: from.clone(), to: to.clone() }).collect()
    }

    fn ask(expected: BTreeSet<Expected>, counted: Counted) -> Question {
        Question { expected, neutral: BTreeSet::new(), counted }
    }

    fn dotted(name: &str) -> Place {
        Place::Dotted(name.to_string())
    }

    fn named(name: &str) -> Place {
        Place::Named { file: "main.py".to_string(), name: name.to_string() }
    }

    #[test]
    fn python_counts_init_and_decorators_as_calls() {
        let export = Export::read(TEXT).unwrap();
        let expected = expect(&[
            (dotted("main.f"), dotted("main.A.__init__")),
            (dotted("main"), dotted("main.f")),
            (dotted("main"), dotted("main.dec")),
            (dotted("main"), Place::Unnamed("<builtin>.len".to_string())),
        ]);
        let scored = score(&export, &ask(expected, Counted::Python));
        assert_eq!(scored.score, Score { cases: 1, expected: 4, found: 3, right: 3, true_found: 3 });
        assert_eq!(scored.missing, ["main > <builtin>.len"]);
    }

    #[test]
    fn a_constructor_and_its_type_are_one_edge() {
        let export = Export::read(TEXT).unwrap();
        let expected = expect(&[(named("f"), named("A")), (named("f"), named("A.__init__"))]);
        let scored = score(&export, &ask(expected.clone(), Counted::Functions));
        assert_eq!(scored.score, Score { cases: 1, expected: 2, found: 1, right: 2, true_found: 1 });
        let scored = score(&export, &ask(expected, Counted::All));
        assert_eq!(scored.wrong, ["main > main.f [scope] main.py:9"]);
    }

    #[test]
    fn neutral_edges_are_neither_right_nor_wrong() {
        let export = Export::read(TEXT).unwrap();
        let line = Place::Line { file: "main.py".to_string(), line: 6 };
        let expected =
            expect(&[(Place::Either(Box::new(line.clone()), Box::new(dotted("main"))), dotted("main.A.__init__"))]);
        let neutral = expect(&[(dotted("main"), line)]);
        let scored = score(&export, &Question { expected, neutral, counted: Counted::Python });
        assert_eq!(scored.score, Score { cases: 1, expected: 1, found: 2, right: 1, true_found: 1 });
        assert_eq!(scored.wrong, ["main > main.dec [scope] main.py:5"]);
    }

    #[test]
    fn places_may_be_lines() {
        let export = Export::read(TEXT).unwrap();
        let lines = |first, last| Place::Lines { file: "main.py".to_string(), first, last };
        let expected = expect(&[(lines(0, 0), lines(6, 7)), (lines(6, 7), lines(1, 4))]);
        assert_eq!(score(&export, &ask(expected, Counted::All)).score.right, 2);
        let used = Place::Used { file: "main.py".to_string(), first: 6, last: 7 };
        let scored = score(&export, &ask(expect(&[(used, Place::Path("main::A".to_string()))]), Counted::Lines));
        assert_eq!(scored.score, Score { cases: 1, expected: 1, found: 1, right: 1, true_found: 1 });
    }
}
