//! PyCG's micro-benchmark: `snippets/CATEGORY/CASE/callgraph.json`, `{caller: [callee…]}` in full Python names.
//!
//! Each case is read twice: as the suite has it, with lambdas and built-ins as functions; and `named`, where a lambda's
//! calls are those of the function around it, and only functions of the project are callees.

use std::collections::BTreeSet;
use std::path::Path;

use serde_json::Value;

use super::super::score::{Counted, Expected, Place};
use super::{Case, Reading, files_below, json};
use crate::run::Result;

pub(super) fn cases(suite: &Path) -> Result<Vec<Case>> {
    let mut cases = Vec::new();
    for category in crate::corpora::entries(&suite.join("micro-benchmark/snippets"))? {
        for folder in crate::corpora::entries(&category)?.into_iter().filter(|folder| folder.is_dir()) {
            let graph = folder.join("callgraph.json");
            if !graph.is_file() {
                continue;
            }
            let files = files_below(&folder)?.into_iter().filter(|(_, path)| path.ends_with(".py")).collect::<Vec<_>>();
            let graph = json(&graph)?;
            let named = |name: &str| name.replace(&format!("{}/", suite.display()), "");
            let name = named(&folder.display().to_string()).replace("micro-benchmark/snippets/", "");
            let reading = |suffix, expected| Reading { suffix, expected, counted: Counted::Python };
            let readings = vec![reading("", all(&graph)), reading(" named", named_only(&graph, &files))];
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

fn all(graph: &Value) -> BTreeSet<Expected> {
    let place = |name: &str| match name.contains('<') {
        true => Place::Unnamed(name.to_string()),
        false => Place::Dotted(name.to_string()),
    };
    pairs(graph).map(|(caller, callee)| Expected { from: place(caller), to: place(callee) }).collect()
}

fn named_only(graph: &Value, files: &[(std::path::PathBuf, String)]) -> BTreeSet<Expected> {
    let in_project = |name: &str| {
        let modules = files.iter().map(|(_, path)| path.trim_end_matches(".py").replace('/', "."));
        modules
            .map(|module| module.trim_end_matches(".__init__").to_string())
            .any(|module| name.strip_prefix(&module).is_some_and(|rest| rest.is_empty() || rest.starts_with('.')))
    };
    pairs(graph)
        .filter(|(_, callee)| !callee.contains('<') && in_project(callee))
        .map(|(caller, callee)| {
            let around = caller.split(".<lambda").next().unwrap_or(caller);
            Expected { from: Place::Dotted(around.to_string()), to: Place::Dotted(callee.to_string()) }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lambdas_are_read_both_ways() {
        let graph =
            serde_json::json!({"main": ["main.<lambda1>", "<builtin>.len", "ext.f"], "main.<lambda1>": ["main.g"]});
        assert_eq!(all(&graph).len(), 4);
        let files = [("x".into(), "main.py".to_string())];
        let named = named_only(&graph, &files);
        let dotted = |name: &str| Place::Dotted(name.to_string());
        assert_eq!(named.into_iter().collect::<Vec<_>>(), [Expected { from: dotted("main"), to: dotted("main.g") }]);
    }
}
