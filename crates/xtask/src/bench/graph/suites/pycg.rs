//! PyCG's micro-benchmark: `snippets/CATEGORY/CASE/callgraph.json`, `{caller: [callee…]}` in full Python names.
//!
//! Each case is read twice: as the suite has it, with lambdas and built-ins as functions; and `named`, where a lambda's
//! calls may be those of the function around it, and only functions of the project are callees. A lambda with a name
//! (`x = lambda: …`) is a function to us: its calls and those of it count in the first reading, not in the second.

use std::collections::BTreeSet;
use std::path::Path;

use serde_json::Value;

use super::super::score::{Counted, Expected, Place, Question};
use super::{Case, Reading, files_below, json, text};
use crate::run::Result;

pub(super) fn cases(suite: &Path) -> Result<Vec<Case>> {
    let mut cases = Vec::new();
    for category in crate::corpora::entries(&suite.join("micro-benchmark/snippets"))? {
        for folder in crate::corpora::entries(&category)?.into_iter().filter(|folder| folder.is_dir()) {
            let graph = folder.join("callgraph.json");
            if !graph.is_file() {
                continue;
            }
            let graph = json(&graph)?;
            let mut files = files_below(&folder)?;
            files.retain(|(_, path)| path.ends_with(".py"));
            let mut program = Program::default();
            for (file, path) in &files {
                program.add(path, &text(file)?);
            }
            let named = |path: &Path| path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            let name = format!("{}/{}", named(&category), named(&folder));
            let neutral = program.with_lambdas(&graph);
            let question = Question { expected: program.named(&graph), neutral, counted: Counted::Python };
            let readings =
                vec![Reading::new("", program.all(&graph), Counted::Python), Reading { suffix: " named", question }];
            cases.push(Case { group: "python".to_string(), name, files, readings });
        }
    }
    Ok(cases)
}

fn pairs(graph: &Value) -> impl Iterator<Item = (&str, &str)> {
    let callers = graph.as_object().into_iter().flatten();
    callers.flat_map(|(caller, callees)| {
        let callees = callees.as_array().into_iter().flatten().filter_map(Value::as_str);
        callees.map(move |callee| (caller.as_str(), callee))
    })
}

/// Modules, and where the lambdas of each scope stand.
#[derive(Default)]
struct Program {
    modules: Vec<String>,
    /// Scope, file and line, in the order of the text.
    lambdas: Vec<(String, String, u64)>,
}

impl Program {
    fn add(&mut self, path: &str, text: &str) {
        let module = path.trim_end_matches(".py").trim_end_matches("/__init__").replace('/', ".");
        let mut around: Vec<(usize, String)> = Vec::new();
        for (number, line) in (1..).zip(text.lines()) {
            let code = line.trim_start();
            let indent = line.len() - code.len();
            if !code.is_empty() {
                around.retain(|(outer, _)| *outer < indent);
            }
            let scope = around.last().map_or(&module, |(_, scope)| scope).clone();
            for _ in code.split("lambda").skip(1) {
                self.lambdas.push((scope.clone(), path.to_string(), number));
            }
            let name = code.strip_prefix("def ").or_else(|| code.strip_prefix("class "));
            if let Some(name) = name.and_then(|name| name.split(['(', ':']).next()) {
                around.push((indent, format!("{scope}.{}", name.trim())));
            }
        }
        self.modules.push(module);
    }

    /// `main.<lambda1>` is the first lambda of the scope `main`.
    fn place(&self, name: &str) -> Place {
        let lambda = name.rsplit_once(".<lambda").and_then(|(scope, number)| {
            let number: usize = number.trim_end_matches('>').parse().ok()?;
            let (_, file, line) = self.lambdas.iter().filter(|(of, ..)| of == scope).nth(number.checked_sub(1)?)?;
            Some(Place::Line { file: file.clone(), line: *line })
        });
        match lambda {
            Some(place) => place,
            None if name.contains('<') => Place::Unnamed(name.to_string()),
            None => Place::Dotted(name.to_string()),
        }
    }

    fn all(&self, graph: &Value) -> BTreeSet<Expected> {
        pairs(graph).map(|(caller, callee)| Expected { from: self.place(caller), to: self.place(callee) }).collect()
    }

    fn with_lambdas(&self, graph: &Value) -> BTreeSet<Expected> {
        let with = |edge: &Expected| [&edge.from, &edge.to].into_iter().any(|end| matches!(end, Place::Line { .. }));
        self.all(graph).into_iter().filter(with).collect()
    }

    fn named(&self, graph: &Value) -> BTreeSet<Expected> {
        let in_project = |name: &str| {
            let below = |module: &String| name.strip_prefix(module.as_str()).is_some_and(|rest| rest.starts_with('.'));
            !name.contains('<') && self.modules.iter().any(|module| module == name || below(module))
        };
        let edges = pairs(graph).filter(|(_, callee)| in_project(callee)).map(|(caller, callee)| {
            let from = match caller.split_once(".<lambda") {
                Some((around, _)) => {
                    Place::Either(Box::new(self.place(caller)), Box::new(Place::Dotted(around.to_string())))
                }
                None => self.place(caller),
            };
            Expected { from, to: self.place(callee) }
        });
        edges.collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lambdas_are_read_both_ways() {
        let mut program = Program::default();
        program.add("main.py", "def g(): ...\nx = lambda: g()\nx()\ndef f():\n    return lambda: 1\n");
        let places = [("main", 2), ("main.f", 5)].map(|(scope, line)| (scope.to_string(), "main.py".to_string(), line));
        assert_eq!(program.lambdas, places);
        let graph =
            serde_json::json!({"main": ["main.<lambda1>", "<builtin>.len", "ext.f"], "main.<lambda1>": ["main.g"]});
        let lambda = || Place::Line { file: "main.py".to_string(), line: 2 };
        let dotted = |name: &str| Place::Dotted(name.to_string());
        assert_eq!(program.all(&graph).len(), 4);
        assert!(program.all(&graph).contains(&Expected { from: dotted("main"), to: lambda() }));
        assert_eq!(program.with_lambdas(&graph).len(), 2);
        let from = Place::Either(Box::new(lambda()), Box::new(dotted("main")));
        assert_eq!(program.named(&graph).into_iter().collect::<Vec<_>>(), [Expected { from, to: dotted("main.g") }]);
    }
}
