//! The graph as `vise graph export --format jsonl` prints it.

use std::collections::{HashMap, HashSet};
use std::path::Path;
use std::process::Command;

use serde_json::Value;

use crate::run::{Result, output, shown};

/// A whole graph.
#[derive(Debug, Default)]
pub(crate) struct Export {
    pub(crate) symbols: Vec<Symbol>,
    pub(crate) edges: Vec<Edge>,
    /// The lines of each file on which symbols are defined.
    lines: HashMap<String, HashSet<u64>>,
}

#[derive(Debug)]
pub(crate) struct Symbol {
    pub(crate) name: String,
    pub(crate) qualified: String,
    pub(crate) kind: String,
    pub(crate) file: String,
    /// Line of its name, and the last of its definition, from 1.
    pub(crate) line: u64,
    pub(crate) end_line: u64,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct Edge {
    /// Numbers in [`Export::symbols`].
    pub(crate) from: usize,
    pub(crate) to: usize,
    pub(crate) kind: String,
    pub(crate) evidence: String,
    pub(crate) file: String,
    pub(crate) line: u64,
}

impl Export {
    /// Indexes a folder with its store in `state`, and reads the graph.
    pub(crate) fn of(vise: &Path, folder: &Path, state: &Path) -> Result<Export> {
        let mut command = vise_in(vise, folder, state);
        command.args(["graph", "export", "--format", "jsonl", "--root"]).arg(folder);
        let text = output(&mut command)?;
        Export::read(&text).map_err(|message| format!("`{}`: {message}", shown(&command)))
    }

    pub(crate) fn read(text: &str) -> Result<Export> {
        let mut export = Export::default();
        let mut numbers: HashMap<String, usize> = HashMap::new();
        for (number, line) in text.lines().enumerate() {
            let value: Value = serde_json::from_str(line).map_err(|error| format!("line {}: {error}", number + 1))?;
            match value["type"].as_str() {
                Some("symbol") => {
                    numbers.insert(value["id"].to_string(), export.symbols.len());
                    export.symbols.push(Symbol {
                        name: text_of(&value["name"]),
                        qualified: text_of(&value["qualified"]),
                        kind: text_of(&value["kind"]),
                        file: text_of(&value["file"]),
                        line: value["line"].as_u64().unwrap_or_default(),
                        end_line: value["end_line"].as_u64().unwrap_or_default(),
                    });
                }
                Some("edge") => {
                    let end = |key: &str| numbers.get(&value[key].to_string()).copied();
                    let (Some(from), Some(to)) = (end("from"), end("to")) else {
                        return Err(format!("line {}: an edge between symbols that are not listed", number + 1));
                    };
                    export.edges.push(Edge {
                        from,
                        to,
                        kind: text_of(&value["kind"]),
                        evidence: text_of(&value["evidence"]),
                        file: text_of(&value["file"]),
                        line: value["line"].as_u64().unwrap_or_default(),
                    });
                }
                _ => {}
            }
        }
        for symbol in &export.symbols {
            export.lines.entry(symbol.file.clone()).or_default().insert(symbol.line);
        }
        Ok(export)
    }

    /// Whether a symbol is defined on a line of a file.
    pub(crate) fn defines(&self, file: &str, line: u64) -> bool {
        self.lines.get(file).is_some_and(|lines| lines.contains(&line))
    }

    /// The type that a symbol is a member of: by its qualified name, else by the lines that hold it.
    pub(crate) fn type_around(&self, inner: usize) -> Option<usize> {
        const TYPES: [&str; 6] = ["class", "struct", "enum", "union", "interface", "trait"];
        let symbol = &self.symbols[inner];
        let parts = symbol.parts();
        let types =
            || self.symbols.iter().enumerate().filter(|(id, of)| *id != inner && TYPES.contains(&of.kind.as_str()));
        let owns = |of: &Symbol| parts.split_last().is_some_and(|(_, owner)| of.parts() == owner);
        let holds = |of: &Symbol| of.file == symbol.file && (of.line..=of.end_line).contains(&symbol.line);
        // The same name may be defined in several files; the own one is meant.
        let owner = types().filter(|(_, of)| owns(of)).max_by_key(|(_, of)| of.file == symbol.file);
        let innermost = || types().filter(|(_, of)| holds(of)).max_by_key(|(_, of)| of.line);
        owner.or_else(innermost).map(|(id, _)| id)
    }

    /// Whether a symbol is what runs when an instance is made.
    pub(crate) fn is_constructor(&self, id: usize) -> bool {
        const NAMES: [&str; 4] = ["__init__", "__new__", "constructor", "__construct"];
        let symbol = &self.symbols[id];
        symbol.kind == "constructor" || (symbol.kind == "method" && NAMES.contains(&symbol.name.as_str()))
    }
}

impl Symbol {
    /// The parts of its qualified name, whatever separates them.
    pub(crate) fn parts(&self) -> Vec<&str> {
        parts(&self.qualified)
    }
}

/// The parts of a name, whatever separates them; type arguments (`<i32>`) are no parts.
pub(crate) fn parts(name: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let (mut start, mut depth) = (0, 0_usize);
    for (at, sign) in name.char_indices() {
        let separates = ".:/#<>".contains(sign);
        if separates && depth == 0 && at > start {
            found.push(&name[start..at]);
        }
        match sign {
            '<' => depth += 1,
            '>' => depth = depth.saturating_sub(1),
            _ => {}
        }
        if separates || depth > 0 {
            start = at + sign.len_utf8();
        }
    }
    if start < name.len() {
        found.push(&name[start..]);
    }
    found
}

/// A run of the binary in a folder, with everything that it keeps in `state`.
pub(crate) fn vise_in(vise: &Path, folder: &Path, state: &Path) -> Command {
    let mut command = Command::new(vise);
    command.current_dir(folder);
    for variable in ["XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_RUNTIME_DIR"] {
        command.env(variable, state.join(variable));
    }
    command
}

fn text_of(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn symbols_and_edges_are_read_in_the_form_of_the_contract() {
        let text = r#"{"type":"meta","schema":1}
{"type":"symbol","id":"a1","name":"A","qualified":"m.A","kind":"class","file":"m.py","line":1,"end_line":9}
{"type":"symbol","id":7,"name":"__init__","qualified":"m.A.__init__","kind":"method","file":"m.py","line":2,"end_line":3}
{"type":"edge","from":7,"to":"a1","kind":"calls","evidence":"scope","file":"m.py","line":3}
"#;
        let export = Export::read(text).unwrap();
        assert_eq!(export.symbols.len(), 2);
        assert_eq!((export.edges[0].from, export.edges[0].to, export.edges[0].line), (1, 0, 3));
        assert_eq!(export.type_around(1), Some(0));
        assert!(export.is_constructor(1) && !export.is_constructor(0));
        assert!(Export::read("{").unwrap_err().starts_with("line 1"));
        let loose = r#"{"type":"edge","from":"x","to":"y"}"#;
        assert!(Export::read(loose).unwrap_err().contains("not listed"));
    }

    #[test]
    fn a_name_has_parts_whatever_separates_them() {
        assert_eq!(parts("krate::module::Type::method"), ["krate", "module", "Type", "method"]);
        assert_eq!(parts("src/mod.Class.method"), ["src", "mod", "Class", "method"]);
        assert_eq!(parts("a::GenericFooTrait<Vec<i32>>::method"), ["a", "GenericFooTrait", "method"]);
        assert_eq!(parts("generics::lib::impl_trait::<One>"), ["generics", "lib", "impl_trait"]);
    }
}
