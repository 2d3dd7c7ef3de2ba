//! What nothing here uses.

use crate::facts::flag;
use crate::graph::{Graph, SymbolView};
use crate::kinds::{EdgeKind, SymbolKind};

/// Functions, methods, macros and types without a use, by what that means.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Unused {
    /// Nothing here uses them.
    pub unused: Vec<u32>,
    /// No edge leads to them, but a use that could not be resolved has their name, or a base that is not here may call
    /// them.
    pub unknown: Vec<u32>,
    /// No edge leads to them, and none need: they are run or imported from outside.
    pub roots: Vec<u32>,
}

/// Which symbols of these files (all of them if none are given) no edge leads to.
///
/// A use inside the symbol itself is none, nor is it one that a subclass takes a method's place; everything else is,
/// an import and an ambiguous edge too. A type is used where one of its members is. What is inside an unused symbol is
/// not listed beside it, and what takes the place of a method that is used counts as used. `is_code`: whether the
/// question has a meaning in a language.
pub fn unused(graph: &Graph, files: Option<&[u32]>, is_code: &dyn Fn(&str) -> bool) -> Unused {
    let mut look = Look { graph, listed: vec![false; graph.symbols() as usize], answer: Unused::default() };
    for file in 0..graph.files() {
        if files.is_none_or(|files| files.contains(&file)) && is_code(graph.file(file).language) {
            for ix in graph.file(file).symbols {
                look.at(ix);
            }
        }
    }
    look.answer
}

struct Look<'g> {
    graph: &'g Graph,
    /// Unused or perhaps so, with everything inside.
    listed: Vec<bool>,
    answer: Unused,
}

impl Look<'_> {
    fn at(&mut self, ix: u32) {
        let symbol = self.graph.symbol(ix);
        let inside_listed = self.containers(ix).any(|outer| self.listed.get(outer as usize) == Some(&true));
        if !is_candidate(&symbol) || self.is_associated(&symbol) || inside_listed || self.is_used(&symbol) {
            return;
        }
        let list = if self.is_root(&symbol) {
            &mut self.answer.roots
        } else {
            if let Some(listed) = self.listed.get_mut(ix as usize) {
                *listed = true;
            }
            if self.graph.missed_names(symbol.name) > 0 || self.may_be_called_by_a_base(&symbol) {
                &mut self.answer.unknown
            } else {
                &mut self.answer.unused
            }
        };
        list.push(ix);
    }

    /// Whether it is a type that an interface asks its implementors for: the language uses it.
    fn is_associated(&self, symbol: &SymbolView<'_>) -> bool {
        let inside_type = symbol.container.is_some_and(|outer| self.graph.symbol(outer).kind.is_type());
        symbol.kind == SymbolKind::Type && inside_type
    }

    fn containers(&self, ix: u32) -> impl Iterator<Item = u32> {
        let graph = self.graph;
        let outer = move |ix: u32| graph.symbol(ix).container.filter(|container| *container != ix);
        std::iter::successors(outer(ix), move |ix| outer(*ix)).take(graph.symbols() as usize)
    }

    fn is_used(&self, symbol: &SymbolView<'_>) -> bool {
        if self.has_use(symbol.ix, symbol.ix) {
            return true;
        }
        if symbol.kind.is_type() {
            return self.members(symbol.ix).into_iter().any(|member| self.has_use(member, symbol.ix));
        }
        // Upwards along the methods whose place it takes.
        let mut seen = vec![symbol.ix];
        let mut at = 0;
        while let Some(&method) = seen.get(at) {
            at += 1;
            for edge in self.graph.out(method).filter(|edge| edge.kind == EdgeKind::Overrides) {
                if self.has_use(edge.to, edge.to) {
                    return true;
                }
                if !seen.contains(&edge.to) {
                    seen.push(edge.to);
                }
            }
        }
        false
    }

    /// Whether something outside of `whole` uses the symbol.
    fn has_use(&self, ix: u32, whole: u32) -> bool {
        let is_use = |kind| !matches!(kind, EdgeKind::Contains | EdgeKind::Overrides);
        let outside = |from: u32| from != whole && !self.containers(from).any(|outer| outer == whole);
        self.graph.into(ix).any(|edge| is_use(edge.kind) && outside(edge.from))
    }

    fn members(&self, ix: u32) -> Vec<u32> {
        let mut all: Vec<u32> = self.graph.children(ix).collect();
        let mut at = 0;
        while let Some(&member) = all.get(at) {
            at += 1;
            all.extend(self.graph.children(member));
        }
        all
    }

    /// Whether it is run or imported from outside.
    fn is_root(&self, symbol: &SymbolView<'_>) -> bool {
        const CALLED: u32 = flag::ENTRY | flag::TEST | flag::DECORATED;
        if symbol.flags & CALLED != 0 || symbol.name == "main" || is_hook(symbol) {
            return true;
        }
        // A class of tests, of handlers.
        let is_called = |member: u32| self.graph.symbol(member).flags & CALLED != 0;
        if symbol.kind.is_type() && self.graph.children(symbol.ix).any(is_called) {
            return true;
        }
        // A method that says that it takes another's place, which is not here.
        let overrides = || self.graph.out(symbol.ix).any(|edge| edge.kind == EdgeKind::Overrides);
        if symbol.flags & flag::OVERRIDE != 0 && !overrides() {
            return true;
        }
        self.is_offered(symbol)
    }

    /// Whether it belongs to what a package offers to other projects.
    fn is_offered(&self, symbol: &SymbolView<'_>) -> bool {
        if symbol.flags & flag::PRIVATE != 0 {
            return false;
        }
        // A member is offered with its type, unless the language marks members one by one.
        let outer = symbol.container.map(|ix| self.graph.symbol(ix)).filter(|outer| outer.kind.is_type());
        let marked = symbol.flags & flag::EXPORTED != 0;
        match symbol.language {
            "rust" => marked && self.has_file_around(symbol.file, "lib.rs"),
            "go" => marked && !self.has_main(symbol),
            "python" => {
                let entry = symbol.file.rsplit('/').next() == Some("__init__.py");
                entry && !symbol.name.starts_with('_') && outer.is_none_or(|outer| !outer.name.starts_with('_'))
            }
            "javascript" | "typescript" | "tsx" => {
                let stem = symbol.file.rsplit('/').next().and_then(|name| name.split('.').next());
                let exported = |symbol: &SymbolView<'_>| symbol.flags & (flag::EXPORTED | flag::DEFAULT_EXPORT) != 0;
                stem == Some("index") && (exported(symbol) || outer.is_some_and(|outer| exported(&outer)))
            }
            _ => false,
        }
    }

    /// Whether a file of this name lies in the file's folder or one around it, up to a folder `src`.
    fn has_file_around(&self, file: &str, name: &str) -> bool {
        let mut folder = file;
        while let Some((outer, _)) = folder.rsplit_once('/') {
            folder = outer;
            if self.graph.file_named(&format!("{folder}/{name}")).is_some() {
                return true;
            }
            if folder.rsplit('/').next() == Some("src") {
                return false;
            }
        }
        self.graph.file_named(name).is_some()
    }

    /// Whether the symbol's folder has a function `main`, so that nobody imports it.
    fn has_main(&self, symbol: &SymbolView<'_>) -> bool {
        let folder = |file: &str| file.rsplit_once('/').map_or("", |(folder, _)| folder).to_owned();
        let own = folder(symbol.file);
        self.graph.named("main").any(|ix| {
            let main = self.graph.symbol(ix);
            main.kind == SymbolKind::Function && folder(main.file) == own
        })
    }

    /// Whether the type around has a base that is not here: it may call the method by its name.
    fn may_be_called_by_a_base(&self, symbol: &SymbolView<'_>) -> bool {
        let Some(around) = symbol.container.map(|ix| self.graph.symbol(ix)).filter(|outer| outer.kind.is_type()) else {
            return false;
        };
        let is_base = |kind| matches!(kind, EdgeKind::Extends | EdgeKind::Implements);
        let mut types = vec![around];
        let mut at = 0;
        while let Some(outer) = types.get(at).copied() {
            at += 1;
            let here: Vec<u32> =
                self.graph.out(outer.ix).filter(|edge| is_base(edge.kind)).map(|edge| edge.to).collect();
            if bases_said(&outer) > here.len() {
                return true;
            }
            for base in here {
                if types.iter().all(|known| known.ix != base) {
                    types.push(self.graph.symbol(base));
                }
            }
        }
        false
    }
}

/// Whether it is something of which the question can be asked: what is read like a value is not.
fn is_candidate(symbol: &SymbolView<'_>) -> bool {
    let kind =
        symbol.kind.is_type() || matches!(symbol.kind, SymbolKind::Function | SymbolKind::Method | SymbolKind::Macro);
    let empty = symbol.flags & (flag::ANONYMOUS | flag::ABSTRACT | flag::ACCESSOR) != 0;
    kind && !empty && !symbol.name.is_empty()
}

/// Names by which a language itself calls a function.
fn is_hook(symbol: &SymbolView<'_>) -> bool {
    symbol.name.starts_with("__") && (symbol.name.ends_with("__") || symbol.language == "php")
}

/// How many bases the header of a type names, as far as one line of it can tell.
fn bases_said(symbol: &SymbolView<'_>) -> usize {
    let header = super::subject::without_type_arguments(symbol.signature);
    let after_name = header.split_once(symbol.name).map_or("", |(_, rest)| rest);
    let without_parameters;
    let list = match symbol.language {
        "python" => after_name.split_once('(').map_or("", |(_, rest)| rest.split(')').next().unwrap_or_default()),
        "ruby" => after_name.split_once('<').map_or("", |(_, rest)| rest),
        _ => {
            without_parameters = without_parentheses(after_name);
            let after_name = without_parameters.as_str();
            let words = [" extends ", " implements ", ":", " with "];
            let starts = words.iter().filter_map(|word| after_name.find(word).map(|at| at + word.len()));
            starts.min().map_or("", |at| &after_name[at..])
        }
    };
    let is_base = |part: &&str| {
        let part = part.trim_matches(|c: char| c.is_whitespace() || matches!(c, '{' | ':'));
        !part.is_empty() && !part.contains('=') && part != "object"
    };
    let list = list.replace(" implements ", ",").replace(" with ", ",");
    list.split(',').filter(is_base).count()
}

/// The text without `(…)`: a header may have the parameters of a constructor, with their types.
fn without_parentheses(text: &str) -> String {
    let mut depth = 0usize;
    let mut outside = |c: &char| {
        depth += usize::from(*c == '(');
        let outside = depth == 0;
        depth -= usize::from(*c == ')' && depth > 0);
        outside
    };
    text.chars().filter(|c| outside(c)).collect()
}

#[cfg(test)]
mod tests {
    use super::super::testing::{graph, names};
    use super::*;

    #[track_caller]
    fn holds(text: &str, expected: &[&str], unknown: &[&str], roots: &[&str]) {
        let graph = graph(text);
        let found = unused(&graph, None, &|language| language != "cpp");
        assert_eq!(names(&graph, &found.unused), expected, "unused");
        assert_eq!(names(&graph, &found.unknown), unknown, "unknown");
        assert_eq!(names(&graph, &found.roots), roots, "roots");
    }

    #[test]
    fn roots_are_no_dead_code() {
        holds(
            "web.py
  function index 1-2 decorated
  function shown 3-4
  class Row 5-9
    method __repr__ 6-7
    method lost 8-9
  function bye 10-11
  function forgotten 12-13
  function main 14-15
t.py
  function test_shown 1-2 test
  class Tests 3-9
    method test_it 4-5 test
    method helper 6-7
u.cpp
  function lost 1-2
index > shown: calls scope @2
web.py > bye: references scope @11
main > Row: instantiates scope @15
",
            &["t.Tests.helper", "web.Row.lost", "web.forgotten"],
            &[],
            // In the order of the files: the test's comes first.
            &["t.test_shown", "t.Tests", "t.Tests.test_it", "web.index", "web.Row.__repr__", "web.main"],
        );
    }

    #[test]
    fn uses_from_inside_do_not_count_and_members_use_their_type() {
        holds(
            "a.py
  function loop 1-3
    function inner 2-2
  class Dead 5-9
    method one 6-7
    method two 8-9
  class Alive 11-14
    method make 12-13
  function user 15-16 entry
loop > loop: calls scope @1
loop.inner > loop: calls scope @2
Dead.one > Dead.two: calls scope @7
Dead.one > Dead: instantiates scope @7
user > Alive.make: calls scope @16
",
            &["a.loop", "a.Dead"],
            &[],
            &["a.user"],
        );
    }

    #[test]
    fn a_missed_use_of_the_name_makes_it_unknown() {
        holds(
            "a.py
  class Store 1-9
    method save 2-3
    method lost 4-5
  function user 11-12 entry
user > Store: instantiates scope @11
user ? save call @12
user ? lost external @12
",
            &["a.Store.lost"],
            &["a.Store.save"],
            &["a.user"],
        );
    }

    #[test]
    fn methods_in_the_place_of_others() {
        holds(
            "a.rs
  trait Shape 1-4
    method area 2-2 abstract
    method dead 3-3
  struct Square 5-6
    method area 7-8
    method dead 9-10
    method fmt 11-12 override
  function user 13-14 entry
user > Shape.area: calls receiver @14
user > Square: instantiates scope @14
Square > Shape: implements scope @7
Square.area > Shape.area: overrides scope @7
Square.dead > Shape.dead: overrides scope @9
",
            &["a.Shape.dead", "a.Square.dead"],
            &[],
            &["a.Square.fmt", "a.user"],
        );
    }

    #[test]
    fn what_a_package_offers_is_a_root() {
        holds(
            "index.ts
  function offered 1-2 exported
  function own 3-4
src/lib.rs
  function api 1-2 exported
src/deep/m.rs
  function api2 1-2 exported
  function own2 3-4
util.ts
  function spare 1-2 exported
x/main.go
  function main 1-2
  function Spare 3-4 exported
y/y.go
  function Offered 1-2 exported
",
            &["index.own", "m.own2", "util.spare", "main.Spare"],
            &[],
            &["index.offered", "m.api2", "lib.api", "main.main", "y.Offered"],
        );
    }

    #[test]
    fn bases_in_a_header() {
        let said = |language: &'static str, name: &'static str, signature: &'static str| {
            let graph = graph("a.py\n  class A 1-2\n");
            bases_said(&SymbolView { language, name, signature, ..graph.symbol(1) })
        };
        assert_eq!(said("python", "A", "class A(View, metaclass=Meta):"), 1);
        assert_eq!(said("python", "A", "class A(object)"), 0);
        assert_eq!(said("python", "A", "class A:"), 0);
        assert_eq!(said("typescript", "A", "export class A<T> extends B<T, U> implements C, D {"), 3);
        assert_eq!(said("kotlin", "A", "class A(val x: Int)"), 0);
        assert_eq!(said("kotlin", "A", "class A(val x: Int) : B(x), C"), 2);
        assert_eq!(said("cpp", "A", "class A : public B"), 1);
        assert_eq!(said("ruby", "A", "class A < B"), 1);
    }
}
