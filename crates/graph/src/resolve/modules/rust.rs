//! Rust: crates of a workspace, and the files that `mod` names.

use rustc_hash::FxHashMap;
use vise_syntax::rules::ModuleSystem;

use crate::facts::{Imported, ScopeId, ScopeKind};
use crate::source::ProjectFile;

use super::super::world::{File, folder_of};
use super::{Paths, child, join, upwards};

/// The tree of modules.
#[derive(Debug, Default)]
pub(crate) struct Rust {
    /// The file and scope whose `mod` names a file.
    parents: FxHashMap<u32, (u32, ScopeId)>,
    /// The files that a scope's `mod`s name.
    children: FxHashMap<(u32, ScopeId), Vec<(String, u32)>>,
    /// The name under which a library is used → its first file.
    libraries: FxHashMap<String, u32>,
    /// Folder of a Cargo.toml → name of its crate.
    crates: FxHashMap<String, String>,
    /// Folder of a Cargo.toml → names of the crates that it depends on.
    dependencies: FxHashMap<String, Vec<String>>,
}

impl Rust {
    pub(crate) fn new(files: &[File<'_>], projects: &[ProjectFile], paths: &Paths<'_>) -> Self {
        let mut rust = Self::default();
        for project in projects.iter().filter(|project| project.path.rsplit('/').next() == Some("Cargo.toml")) {
            rust.add_crate(project, paths);
        }
        for (number, file) in files.iter().enumerate().filter(|(_, file)| file.rules.modules == ModuleSystem::Rust) {
            for import in &file.facts.imports {
                let name = file.facts.name(import.source).strip_prefix("self::");
                let (Imported::Module, Some(name)) = (import.what, name) else { continue };
                let Some(found) = named_file(file, import.scope, name, paths) else { continue };
                let scope = file
                    .outwards(import.scope)
                    .find(|at| matches!(file.scope_kind(*at), ScopeKind::Namespace | ScopeKind::File))
                    .unwrap_or(ScopeId::FILE);
                rust.parents.entry(found).or_insert((number as u32, scope));
                rust.children.entry((number as u32, scope)).or_default().push((name.to_owned(), found));
            }
        }
        rust
    }

    fn add_crate(&mut self, project: &ProjectFile, paths: &Paths<'_>) {
        let Ok(manifest) = project.text.parse::<toml::Table>() else { return };
        let folder = folder_of(&project.path);
        let tables = ["dependencies", "dev-dependencies", "build-dependencies"];
        let named = tables.iter().filter_map(|table| manifest.get(*table)?.as_table());
        let names = named.flat_map(|table| table.keys().map(|name| name.replace('-', "_"))).collect();
        self.dependencies.insert(folder.to_owned(), names);
        let text = |table: &str, key: &str| manifest.get(table)?.get(key)?.as_str().map(str::to_owned);
        let Some(name) = text("package", "name") else { return };
        let library = text("lib", "name").unwrap_or_else(|| name.replace('-', "_"));
        self.crates.insert(folder.to_owned(), library.clone());
        let path = text("lib", "path").unwrap_or_else(|| "src/lib.rs".to_owned());
        if let Some(root) = join(folder, &path).and_then(|path| paths.get(&path)) {
            self.libraries.insert(library, root);
        }
    }

    /// The first file of the crate that a file belongs to.
    pub(crate) fn root(&self, file: u32) -> u32 {
        let mut at = file;
        for _ in 0..64 {
            match self.parents.get(&at) {
                Some((parent, _)) if *parent != file => at = *parent,
                _ => break,
            }
        }
        at
    }

    /// The file and scope that declares a file to be a module.
    pub(crate) fn parent(&self, file: u32) -> Option<(u32, ScopeId)> {
        self.parents.get(&file).copied()
    }

    /// Whether a file's module is around another's.
    pub(crate) fn is_above(&self, file: u32, other: u32) -> bool {
        let above = std::iter::successors(self.parent(other), |(at, _)| self.parent(*at));
        above.take(64).any(|(at, _)| at == file)
    }

    /// The file that `mod name;` in a scope stands for.
    pub(crate) fn child(&self, file: u32, scope: ScopeId, name: &str) -> Option<u32> {
        let found = self.children.get(&(file, scope))?.iter().find(|(known, _)| known == name);
        found.map(|(_, number)| *number)
    }

    /// The first file of a library of the workspace.
    pub(crate) fn library(&self, name: &str) -> Option<u32> {
        self.libraries.get(name).copied()
    }

    /// Whether the nearest Cargo.toml names a crate.
    pub(crate) fn is_dependency(&self, path: &str, name: &str) -> bool {
        let nearest = upwards(folder_of(path)).find_map(|folder| self.dependencies.get(folder));
        nearest.is_some_and(|names| names.iter().any(|known| known == name))
    }

    /// The name of the crate whose folder holds a path, and that folder.
    pub(crate) fn crate_of<'s>(&'s self, path: &'s str) -> Option<(&'s str, &'s str)> {
        upwards(folder_of(path)).find_map(|folder| self.crates.get(folder).map(|name| (name.as_str(), folder)))
    }
}

/// The file that `mod name;` names: beside a crate's first file or a `mod.rs`, else in the folder named like the file.
fn named_file(file: &File<'_>, scope: ScopeId, name: &str, paths: &Paths<'_>) -> Option<u32> {
    let mut inside: Vec<&str> = file
        .outwards(scope)
        .filter(|at| file.scope_kind(*at) == ScopeKind::Namespace)
        .map(|at| file.facts.name(file.symbol(file.facts.scopes[at.ix()].owner).name))
        .collect();
    inside.reverse();
    let stem = file.path.rsplit('/').next().unwrap_or_default().trim_end_matches(".rs");
    let beside = file.folder().to_owned();
    let below = child(&beside, stem);
    let inside = inside.join("/");
    let first = matches!(stem, "lib" | "main" | "mod");
    let folders = if first { [beside, below] } else { [below, beside] };
    folders.iter().find_map(|folder| {
        let folder = if inside.is_empty() { folder.clone() } else { child(folder, &inside) };
        paths
            .get(&child(&folder, &format!("{name}.rs")))
            .or_else(|| paths.get(&child(&folder, &format!("{name}/mod.rs"))))
    })
}
