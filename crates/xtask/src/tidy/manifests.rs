//! Checks of the manifests: who may use whom, and what every dependency is for.

use std::collections::{BTreeMap, BTreeSet};

use toml::{Table, Value};

use super::{Complaint, Tree};

const MAP: &str = "ARCHITECTURE.md";
const DEPENDENCIES: &str = "docs/dependencies.md";

/// A row of the arrow table in ARCHITECTURE.md: `| crate | role | may use | IO |`.
struct Row<'t> {
    line: usize,
    name: &'t str,
    may_use: Vec<&'t str>,
    io: &'t str,
}

fn rows(tree: &Tree) -> Vec<Row<'_>> {
    let text = tree.get(MAP).unwrap_or_default();
    let mut rows = Vec::new();
    for (index, line) in text.lines().enumerate() {
        let cells: Vec<&str> = line.trim().trim_matches('|').split('|').map(str::trim).collect();
        let [name, _role, may_use, io] = cells[..] else { continue };
        let Some(name) = name.strip_prefix('`').and_then(|name| name.strip_suffix('`')) else { continue };
        let may_use =
            may_use.split(',').map(|name| name.trim().trim_matches('`')).filter(|name| *name != "–").collect();
        rows.push(Row { line: index + 1, name, may_use, io });
    }
    rows
}

/// One dependency as a manifest names it.
struct Dependency<'t> {
    manifest: &'t str,
    line: usize,
    /// The name in the registry, `package = "…"` followed.
    name: String,
}

fn manifests(tree: &Tree) -> impl Iterator<Item = (&str, &str)> {
    tree.under("crates/").filter(|(path, _)| path.matches('/').count() == 2 && path.ends_with("/Cargo.toml"))
}

/// Every dependency a manifest declares: for the code, its tests and its build script, on any target, or for the workspace.
fn dependencies<'t>(path: &'t str, text: &'t str) -> Vec<Dependency<'t>> {
    fn collect(table: &Table, found: &mut BTreeMap<String, String>) {
        for (key, value) in table {
            match value {
                Value::Table(inner) if key.ends_with("dependencies") => {
                    for (name, details) in inner {
                        let package = details.get("package").and_then(Value::as_str).unwrap_or(name);
                        found.insert(package.to_string(), name.clone());
                    }
                }
                Value::Table(inner) if ["workspace", "target"].contains(&key.as_str()) || key.starts_with("cfg(") => {
                    collect(inner, found);
                }
                _ => {}
            }
        }
    }
    let mut found = BTreeMap::new();
    collect(&text.parse().unwrap_or_default(), &mut found);
    let line_of = |key: &str| {
        let is_key = |line: &str| line.strip_prefix(key).is_some_and(|rest| rest.starts_with([' ', '=', '.']));
        text.lines().position(|line| is_key(line.trim_start_matches('"'))).map_or(0, |index| index + 1)
    };
    found.into_iter().map(|(name, key)| Dependency { manifest: path, line: line_of(&key), name }).collect()
}

/// The folder of an in-house dependency.
fn in_house<'d>(name: &'d str, folders: &[&'d str]) -> Option<&'d str> {
    let folder = name.strip_prefix("vise-").unwrap_or(name);
    let ours = name.starts_with("vise-") || ["vise", "xtask"].contains(&name);
    (ours && folders.contains(&folder)).then_some(folder)
}

pub(super) fn arrows(tree: &Tree) -> Vec<Complaint> {
    let rows = rows(tree);
    let folders = tree.folders("crates");
    let mut complaints = Vec::new();
    let mut above = Vec::new();
    for row in &rows {
        let mut say = |message| complaints.push(Complaint::new(MAP, row.line, message));
        if !folders.contains(&row.name) {
            say(format!("`{}` is in the arrow table, but there is no crates/{}", row.name, row.name));
        }
        for used in &row.may_use {
            if !above.contains(used) {
                say(format!("`{}` may use `{used}`, which is not a row above it; arrows go up only", row.name));
            }
        }
        above.push(row.name);
    }
    for folder in &folders {
        if !above.contains(folder) {
            complaints.push(Complaint::new(MAP, 0, format!("crates/{folder} has no row in the arrow table")));
        }
    }
    for (path, text) in manifests(tree) {
        let folder = path.split('/').nth(1).unwrap_or_default();
        let Some(row) = rows.iter().find(|row| row.name == folder) else { continue };
        for dependency in dependencies(path, text) {
            let Some(used) = in_house(&dependency.name, &folders) else { continue };
            if !row.may_use.contains(&used) {
                let message = format!("`{folder}` depends on `{used}`, which {MAP}:{} does not allow", row.line);
                complaints.push(Complaint::new(path, dependency.line, message));
            }
        }
    }
    complaints
}

/// Dependencies (by prefix) that only some crates may name, and why.
const OWNED: [(&str, &[&str], &str); 3] = [
    ("tree-sitter", &["syntax"], "the other crates see `vise_syntax::Node`"),
    ("lsp-types", &["lsp"], "the other crates see values of ours"),
    ("tokio", &["framing", "peer", "lsp", "dap", "vise"], "CPU work uses rayon, and tools are synchronous"),
];

pub(super) fn owned_dependencies(tree: &Tree) -> Vec<Complaint> {
    let mut complaints = Vec::new();
    for (path, text) in manifests(tree) {
        let folder = path.split('/').nth(1).unwrap_or_default();
        for dependency in dependencies(path, text) {
            for (prefix, owners, why) in OWNED {
                let rest = dependency.name.strip_prefix(prefix);
                if rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('-')) && !owners.contains(&folder) {
                    let owners = owners.iter().map(|owner| format!("`{owner}`")).collect::<Vec<_>>().join(", ");
                    let message = format!("`{}` is named in {owners} alone: {why}", dependency.name);
                    complaints.push(Complaint::new(path, dependency.line, message));
                }
            }
        }
    }
    complaints
}

pub(super) fn pure_crates(tree: &Tree) -> Vec<Complaint> {
    let wanted = "#![deny(clippy::disallowed_methods, clippy::disallowed_types)]";
    let mut complaints = Vec::new();
    for row in rows(tree).iter().filter(|row| row.io == "none") {
        let path = format!("crates/{}/src/lib.rs", row.name);
        let code = super::code::blanked(tree.get(&path).unwrap_or_default());
        if !code.split_whitespace().collect::<String>().contains(&wanted.replace(' ', "")) {
            let message = format!("{MAP}:{} says that `{}` does no IO, so it carries `{wanted}`", row.line, row.name);
            complaints.push(Complaint::new(&path, 0, message));
        }
    }
    complaints
}

pub(super) fn dependency_lines(tree: &Tree) -> Vec<Complaint> {
    let folders = tree.folders("crates");
    let foreign = |dependency: &Dependency<'_>| in_house(&dependency.name, &folders).is_none();
    let used: Vec<Dependency<'_>> =
        manifests(tree).flat_map(|(path, text)| dependencies(path, text)).filter(foreign).collect();
    let offered = dependencies("Cargo.toml", tree.get("Cargo.toml").unwrap_or_default());
    let names: BTreeSet<&str> = used.iter().map(|dependency| dependency.name.as_str()).collect();

    let mut complaints = Vec::new();
    for dependency in
        offered.iter().filter(|dependency| foreign(dependency) && !names.contains(dependency.name.as_str()))
    {
        let message = format!("no crate uses `{}`; remove the line", dependency.name);
        complaints.push(Complaint::new(dependency.manifest, dependency.line, message));
    }
    let text = tree.get(DEPENDENCIES).unwrap_or_default();
    let mut explained: Vec<(usize, &str)> = Vec::new();
    for (index, line) in text.lines().enumerate() {
        if let Some((name, _)) = line.strip_prefix("| `").and_then(|rest| rest.split_once('`')) {
            explained.push((index + 1, name));
        }
    }
    // `tree-sitter-*` explains a family, so that a new language is no new line.
    let explains = |line: &str, name: &str| match line.strip_suffix('*') {
        Some(family) => name.starts_with(family),
        None => line == name,
    };
    for dependency in &used {
        if !explained.iter().any(|(_, line)| explains(line, &dependency.name)) {
            let message = format!(
                "`{}` has no line in {DEPENDENCIES}: what does it do for us, why not our own?",
                dependency.name
            );
            complaints.push(Complaint::new(dependency.manifest, dependency.line, message));
        }
    }
    for (line, name) in explained {
        if !names.iter().any(|used| explains(name, used)) {
            complaints.push(Complaint::new(DEPENDENCIES, line, format!("no manifest names `{name}`; remove the line")));
        }
    }
    complaints
}

#[cfg(test)]
mod tests {
    use super::*;

    const TABLE: &str = "| crate | role | may use | IO |\n|---|---|---|---|\n\
                         | `text` | offsets | – | none |\n| `edit` | the gate | text | files |\n";

    fn messages(complaints: Vec<Complaint>) -> Vec<String> {
        complaints.into_iter().map(|complaint| complaint.to_string()).collect()
    }

    fn house<'t>(text: &'t str, edit: &'t str) -> Tree {
        Tree::of(&[(MAP, TABLE), ("crates/text/Cargo.toml", text), ("crates/edit/Cargo.toml", edit)])
    }

    #[test]
    fn a_dependency_within_the_table_is_fine() {
        assert!(arrows(&house("", "[dependencies]\nvise-text.workspace = true\nserde = \"1\"")).is_empty());
    }

    #[test]
    fn a_dependency_outside_the_table_is_named_at_its_line() {
        let tree = house("[package]\nname = \"x\"\n[dev-dependencies]\nvise-edit = { path = \"../edit\" }", "");
        let found = messages(arrows(&tree));
        assert_eq!(
            found,
            ["crates/text/Cargo.toml:4: `text` depends on `edit`, which ARCHITECTURE.md:3 does not allow"]
        );
    }

    #[test]
    fn rows_and_crates_are_the_same() {
        let table = TABLE.replace("| text |", "| text, graph |");
        let tree = Tree::of(&[(MAP, &table), ("crates/text/x", ""), ("crates/lsp/x", "")]);
        let found = messages(arrows(&tree));
        assert_eq!(found.len(), 3, "{found:?}");
        assert!(found[0].contains("there is no crates/edit"));
        assert!(found[1].contains("arrows go up only"));
        assert!(found[2].contains("crates/lsp has no row"));
    }

    #[test]
    fn owned_dependencies_stay_with_their_owner() {
        let text = "[target.'cfg(unix)'.dependencies]\ntokio-util = \"1\"\n[dependencies]\ntokiostar = \"1\"\nts = { package = \"tree-sitter-c\", version = \"1\" }";
        let found = messages(owned_dependencies(&house(text, "")));
        assert_eq!(found.len(), 2, "{found:?}");
        assert!(found[0].starts_with("crates/text/Cargo.toml:2: `tokio-util` is named in `framing`, "));
        assert!(found[1].starts_with("crates/text/Cargo.toml:5: `tree-sitter-c` is named in `syntax` alone"));
        assert!(
            owned_dependencies(&Tree::of(&[("crates/syntax/Cargo.toml", "[dependencies]\ntree-sitter = \"1\"")]))
                .is_empty()
        );
    }

    #[test]
    fn a_crate_without_io_says_so_in_its_code() {
        let pure = |code: &str| pure_crates(&Tree::of(&[(MAP, TABLE), ("crates/text/src/lib.rs", code)]));
        assert!(pure("//! x\n#![deny(\n    clippy::disallowed_methods, clippy::disallowed_types)]").is_empty());
        assert_eq!(pure("// #![deny(clippy::disallowed_methods, clippy::disallowed_types)]").len(), 1);
    }

    #[test]
    fn every_dependency_is_explained_and_every_explanation_is_used() {
        let tree = Tree::of(&[
            ("Cargo.toml", "[workspace.dependencies]\nserde = \"1\"\nvise-text = { path = \"x\" }\nunused = \"1\""),
            ("crates/text/Cargo.toml", "[dependencies]\nserde.workspace = true\nnew = \"1\"\ntree-sitter-c = \"1\""),
            (DEPENDENCIES, "| `serde` | x |\n| `tree-sitter-*` | x |\n| `left-over` | x |"),
        ]);
        let found = messages(dependency_lines(&tree));
        assert_eq!(found.len(), 3, "{found:?}");
        assert!(found[0].starts_with("Cargo.toml:4: no crate uses `unused`"));
        assert!(found[1].starts_with("crates/text/Cargo.toml:3: `new` has no line"));
        assert!(found[2].starts_with("docs/dependencies.md:3: no manifest names `left-over`"));
    }
}
