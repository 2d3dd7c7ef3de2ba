//! ops-codegraph-tool's resolution fixtures: a folder a language with `expected-edges.json`, names and base names of
//! files; and its import of Jelly's micro tests, of which, as there, only edges between named functions count.

use std::collections::BTreeSet;
use std::path::Path;

use serde_json::Value;

use super::super::score::{Counted, Expected, Place};
use super::{Case, Reading, files_below, json};
use crate::run::Result;

pub(super) fn cases(suite: &Path) -> Result<Vec<Case>> {
    let fixtures = suite.join("tests/benchmarks/resolution/fixtures");
    let mut cases = Vec::new();
    for folder in crate::corpora::entries(&fixtures)? {
        let name = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if folder.join("expected-edges.json").is_file() {
            cases.push(case(&folder, &name, &name)?);
            continue;
        }
        for inner in crate::corpora::entries(&folder)? {
            if inner.join("expected-edges.json").is_file() {
                let inner_name = inner.file_name().unwrap_or_default().to_string_lossy().into_owned();
                cases.push(case(&inner, &name, &inner_name)?);
            }
        }
    }
    cases.retain(|case| case.readings.iter().any(|reading| !reading.question.expected.is_empty()));
    Ok(cases)
}

fn case(folder: &Path, group: &str, name: &str) -> Result<Case> {
    // The driver runs the fixture for their tracer; it is no part of it.
    const LEFT_OUT: [&str; 2] = ["expected-edges.json", "driver.mjs"];
    let files = files_below(folder)?.into_iter().filter(|(_, path)| !LEFT_OUT.contains(&path.as_str())).collect();
    let expected = expected(&json(&folder.join("expected-edges.json"))?);
    let readings = vec![Reading::new("", expected, Counted::Functions)];
    Ok(Case { group: group.to_string(), name: name.to_string(), files, readings })
}

fn expected(manifest: &Value) -> BTreeSet<Expected> {
    let place = |end: &Value| {
        let (name, file) = (end["name"].as_str()?, end["file"].as_str()?);
        (!name.starts_with('<')).then(|| Place::Named { file: file.to_string(), name: name.to_string() })
    };
    let edges = manifest["edges"].as_array().into_iter().flatten();
    let edges = edges.filter_map(|edge| Some(Expected { from: place(&edge["source"])?, to: place(&edge["target"])? }));
    let all: BTreeSet<Expected> = edges.collect();
    // A type and its constructor, where both are expected of one caller, are one call.
    let is_twin = |edge: &Expected| {
        let of_type = constructed(&edge.to).map(|to| Expected { from: edge.from.clone(), to });
        of_type.is_some_and(|twin| all.contains(&twin))
    };
    all.iter().filter(|edge| !is_twin(edge)).cloned().collect()
}

/// The type that a constructor's name makes instances of.
fn constructed(place: &Place) -> Option<Place> {
    let Place::Named { file, name } = place else { return None };
    let (of, last) = name.rsplit_once('.')?;
    let is_constructor = ["__init__", "constructor", "__construct", of].contains(&last);
    is_constructor.then(|| Place::Named { file: file.clone(), name: of.to_string() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edges_between_named_functions_count() {
        let manifest = serde_json::json!({"edges": [
            {"source": {"name": "run", "file": "main.py"}, "target": {"name": "A.f", "file": "a.py"}},
            {"source": {"name": "run", "file": "main.py"}, "target": {"name": "B", "file": "a.py"}},
            {"source": {"name": "run", "file": "main.py"}, "target": {"name": "B.__init__", "file": "a.py"}},
            {"source": {"name": "<root>", "file": "main.py"}, "target": {"name": "run", "file": "main.py"}},
        ]});
        let edges = expected(&manifest);
        assert_eq!(edges.len(), 2, "a constructor is no second call");
        assert_eq!(edges.first().unwrap().to, Place::Named { file: "a.py".to_string(), name: "A.f".to_string() });
    }
}
