//! JavaScript and TypeScript: relative files, index files, `paths` of tsconfig.json, packages of the same repository.

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;
use serde_json::Value;

use crate::source::ProjectFile;

use super::super::world::folder_of;
use super::{Paths, child, join, upwards};

/// What the project files say.
#[derive(Debug, Default)]
pub(crate) struct Node {
    /// By folder.
    configs: FxHashMap<String, Config>,
    /// By the package's name.
    packages: BTreeMap<String, Package>,
    /// The `imports` of package.json (`#x`), by folder.
    private: FxHashMap<String, Vec<(String, Vec<String>)>>,
}

#[derive(Debug, Default, Clone)]
struct Config {
    base: Option<String>,
    paths: Vec<(String, Vec<String>)>,
    /// The configuration that this one builds on, as written.
    extends: Option<String>,
}

#[derive(Debug, Default)]
struct Package {
    folder: String,
    /// Subpath (`.`, `./x`, `./x/*`) → files, in order of preference.
    exports: Vec<(String, Vec<String>)>,
    main: Vec<String>,
}

/// Endings that a specifier may leave out, in the order in which they are tried.
const ENDINGS: [&str; 11] = [".ts", ".tsx", ".d.ts", ".js", ".jsx", ".mjs", ".cjs", ".mts", ".cts", ".vue", ".svelte"];
/// What a specifier with an ending of compiled code may be written as.
const SOURCES: [(&str, &[&str]); 4] =
    [(".js", &[".ts", ".tsx", ".d.ts", ".jsx"]), (".mjs", &[".mts"]), (".cjs", &[".cts"]), (".jsx", &[".tsx"])];

impl Node {
    pub(crate) fn new(projects: &[ProjectFile]) -> Self {
        let mut node = Self::default();
        for project in projects {
            let name = project.path.rsplit('/').next().unwrap_or_default();
            let folder = folder_of(&project.path).to_owned();
            if name == "package.json" {
                if let Ok(json) = serde_json::from_str::<Value>(&project.text) {
                    node.add_package(folder, &json);
                }
            } else if name.ends_with(".json")
                && let Some(json) = relaxed(&project.text)
            {
                let config = Config::new(&folder, &json);
                let main = matches!(name, "tsconfig.json" | "jsconfig.json");
                if main {
                    node.configs.insert(folder, config.clone());
                }
                node.configs.insert(project.path.clone(), config);
            }
        }
        node
    }

    fn add_package(&mut self, folder: String, json: &Value) {
        let mut package = Package { folder: folder.clone(), ..Package::default() };
        if let Some(exports) = json.get("exports") {
            match exports {
                Value::Object(map) if map.keys().any(|key| key.starts_with('.')) => {
                    package.exports = map.iter().map(|(key, value)| (key.clone(), targets(value))).collect();
                }
                other => package.exports = vec![(".".to_owned(), targets(other))],
            }
        }
        for key in ["source", "types", "typings", "module", "main"] {
            package.main.extend(json.get(key).and_then(Value::as_str).map(str::to_owned));
        }
        if let Some(Value::Object(map)) = json.get("imports") {
            let rows = map.iter().map(|(key, value)| (key.clone(), targets(value))).collect();
            self.private.insert(folder, rows);
        }
        if let Some(name) = json.get("name").and_then(Value::as_str) {
            self.packages.insert(name.to_owned(), package);
        }
    }

    pub(crate) fn find(&self, paths: &Paths<'_>, from: &str, source: &str) -> Option<u32> {
        let folder = folder_of(from);
        if source == "." || source == ".." || source.starts_with("./") || source.starts_with("../") {
            return self.file(paths, &join(folder, source)?);
        }
        if source.starts_with('#') {
            return upwards(folder).find_map(|around| {
                let rows = self.private.get(around)?;
                self.mapped(paths, around, rows, source)
            });
        }
        let configured = upwards(folder).find_map(|around| self.configs.get(around).map(|config| (around, config)));
        if let Some((around, config)) = configured
            && let Some(file) = self.by_config(paths, around, config, source)
        {
            return Some(file);
        }
        self.by_package(paths, source)
    }

    fn by_config(&self, paths: &Paths<'_>, folder: &str, config: &Config, source: &str) -> Option<u32> {
        let (mut folder, mut config) = (folder.to_owned(), config);
        for _ in 0..8 {
            let base = config.base.clone().unwrap_or_else(|| folder.clone());
            if let Some(file) = self.mapped(paths, &base, &config.paths, source) {
                return Some(file);
            }
            if config.base.is_some()
                && let Some(file) = self.file(paths, &child(&base, source))
            {
                return Some(file);
            }
            let extends = config.extends.as_deref().filter(|text| text.starts_with('.'))?;
            let path = join(&folder, extends)?;
            let next = [path.clone(), format!("{path}.json"), format!("{path}/tsconfig.json")]
                .into_iter()
                .find_map(|path| self.configs.get(&path).map(|config| (path, config)))?;
            folder = folder_of(&next.0).to_owned();
            config = next.1;
        }
        None
    }

    /// A specifier through a table with at most one `*` a row; the longest fitting row wins.
    fn mapped(&self, paths: &Paths<'_>, base: &str, rows: &[(String, Vec<String>)], source: &str) -> Option<u32> {
        let mut fitting: Vec<(usize, &Vec<String>, &str)> = rows
            .iter()
            .filter_map(|(pattern, targets)| match pattern.split_once('*') {
                None => (pattern == source).then_some((usize::MAX, targets, "")),
                Some((before, after)) => {
                    let middle = source.strip_prefix(before)?.strip_suffix(after)?;
                    Some((before.len(), targets, middle))
                }
            })
            .collect();
        fitting.sort_by_key(|(length, ..)| std::cmp::Reverse(*length));
        fitting.into_iter().find_map(|(_, targets, middle)| {
            targets.iter().find_map(|target| self.file(paths, &join(base, &target.replace('*', middle))?))
        })
    }

    fn by_package(&self, paths: &Paths<'_>, source: &str) -> Option<u32> {
        let cut =
            if source.starts_with('@') { source.match_indices('/').nth(1) } else { source.match_indices('/').next() };
        let (name, rest) = match cut {
            Some((at, _)) => (&source[..at], &source[at + 1..]),
            None => (source, ""),
        };
        let package = self.packages.get(name)?;
        let subpath = if rest.is_empty() { ".".to_owned() } else { format!("./{rest}") };
        if let Some(file) = self.mapped(paths, &package.folder, &package.exports, &subpath) {
            return Some(file);
        }
        let below = |path: &str| join(&package.folder, path).and_then(|path| self.file(paths, &path));
        if rest.is_empty() {
            let named = package.main.iter().find_map(|main| below(main));
            return named.or_else(|| below("src")).or_else(|| below(""));
        }
        below(rest).or_else(|| below(&format!("src/{rest}")))
    }

    /// The file that a path without an ending, or with that of compiled code, stands for.
    fn file(&self, paths: &Paths<'_>, path: &str) -> Option<u32> {
        let written = |path: &str| {
            paths.get(path).or_else(|| {
                SOURCES.iter().find_map(|(compiled, sources)| {
                    let stem = path.strip_suffix(compiled)?;
                    sources.iter().find_map(|ending| paths.get(&format!("{stem}{ending}")))
                })
            })
        };
        let guessed = |path: &str| ENDINGS.iter().find_map(|ending| paths.get(&format!("{path}{ending}")));
        let found = written(path).or_else(|| guessed(path)).or_else(|| guessed(&child(path, "index")));
        // What a build puts into `dist` is written in `src`.
        found.or_else(|| {
            let (before, after) =
                ["dist/", "lib/", "build/", "out/", "es/", "esm/", "cjs/"].iter().find_map(|built| {
                    let at = path.find(built).filter(|at| *at == 0 || path.as_bytes()[at - 1] == b'/')?;
                    Some((&path[..at], &path[at + built.len()..]))
                })?;
            let source = format!("{before}src/{after}");
            written(&source).or_else(|| guessed(&source))
        })
    }
}

impl Config {
    fn new(folder: &str, json: &Value) -> Self {
        let options = json.get("compilerOptions");
        let base = options.and_then(|o| o.get("baseUrl")).and_then(Value::as_str).and_then(|base| join(folder, base));
        let paths = match options.and_then(|o| o.get("paths")) {
            Some(Value::Object(map)) => map.iter().map(|(key, value)| (key.clone(), targets(value))).collect(),
            _ => Vec::new(),
        };
        let extends = match json.get("extends") {
            Some(Value::String(text)) => Some(text.clone()),
            Some(Value::Array(all)) => all.last().and_then(Value::as_str).map(str::to_owned),
            _ => None,
        };
        Self { base, paths, extends }
    }
}

/// All files that a value of `exports` or `paths` names, source code first.
fn targets(value: &Value) -> Vec<String> {
    let mut all = Vec::new();
    let mut stack = vec![value];
    while let Some(value) = stack.pop() {
        match value {
            Value::String(text) => all.push(text.clone()),
            Value::Array(list) => stack.extend(list.iter().rev()),
            Value::Object(map) => {
                let preferred =
                    |key: &str| ["source", "development", "types", "import", "module"].iter().position(|p| *p == key);
                let mut rows: Vec<_> = map.iter().collect();
                rows.sort_by_key(|(key, _)| preferred(key).unwrap_or(usize::MAX));
                stack.extend(rows.into_iter().rev().map(|(_, value)| value));
            }
            _ => {}
        }
    }
    all
}

/// JSON with comments and trailing commas, as tsconfig.json may have.
fn relaxed(text: &str) -> Option<Value> {
    if let Ok(value) = serde_json::from_str(text) {
        return Some(value);
    }
    let mut clean = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    let mut in_string = false;
    while let Some(c) = chars.next() {
        match c {
            '\\' if in_string => {
                clean.push(c);
                clean.extend(chars.next());
            }
            '"' => {
                in_string = !in_string;
                clean.push(c);
            }
            '/' if !in_string && chars.peek() == Some(&'/') => {
                chars.by_ref().find(|c| *c == '\n');
                clean.push('\n');
            }
            '/' if !in_string && chars.peek() == Some(&'*') => {
                chars.next();
                let mut star = false;
                for c in chars.by_ref() {
                    if star && c == '/' {
                        break;
                    }
                    star = c == '*';
                }
            }
            '}' | ']' if !in_string => {
                let kept = clean.trim_end().len();
                if clean[..kept].ends_with(',') {
                    clean.truncate(kept - 1);
                }
                clean.push(c);
            }
            c => clean.push(c),
        }
    }
    serde_json::from_str(&clean).ok()
}
