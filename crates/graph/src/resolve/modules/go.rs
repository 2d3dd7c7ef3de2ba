//! Go: a folder is a package, and `go.mod` says under which path.

use rustc_hash::FxHashMap;
use vise_syntax::rules::ModuleSystem;

use crate::facts::ScopeId;
use crate::source::ProjectFile;

use super::super::world::{File, World, folder_of};
use super::{Place, child, upwards};

/// Modules and the files of their packages.
#[derive(Debug, Default)]
pub(crate) struct Go {
    /// Module path → folder.
    modules: Vec<(String, String)>,
    /// A file of each folder whose package is the one to import (no `_test`).
    folders: FxHashMap<String, u32>,
}

impl Go {
    pub(crate) fn new(files: &[File<'_>], projects: &[ProjectFile]) -> Self {
        let mut go = Self::default();
        for project in projects.iter().filter(|project| project.path.rsplit('/').next() == Some("go.mod")) {
            let name = project.text.lines().find_map(|line| line.trim().strip_prefix("module "));
            if let Some(name) = name {
                let name = name.trim().trim_matches('"').to_owned();
                go.modules.push((name, folder_of(&project.path).to_owned()));
            }
        }
        go.modules.sort_by_key(|(name, _)| std::cmp::Reverse(name.len()));
        for (number, file) in files.iter().enumerate().filter(|(_, file)| file.rules.modules == ModuleSystem::Go) {
            let package = file.facts.package.map_or("", |name| file.facts.name(name));
            if !package.ends_with("_test") {
                go.folders.entry(file.folder().to_owned()).or_insert(number as u32);
            }
        }
        go
    }

    pub(crate) fn find(&self, world: &World<'_>, from: &str, source: &str) -> Option<Place> {
        let package = |folder: &str| {
            let file = *self.folders.get(folder)?;
            world.package_of(file, ScopeId::FILE).map(Place::Package)
        };
        for (module, folder) in &self.modules {
            if source == module {
                return package(folder);
            }
            if let Some(rest) = source.strip_prefix(module.as_str()).and_then(|rest| rest.strip_prefix('/')) {
                return package(&child(folder, rest));
            }
        }
        // Without a go.mod (an old tree, a vendored one) the path may be that of a folder.
        if self.modules.is_empty() || source.contains('.') {
            return upwards(folder_of(from)).find_map(|around| package(&child(around, source)));
        }
        None
    }

    /// The import path of a folder.
    pub(crate) fn path_of(&self, folder: &str) -> Option<String> {
        self.modules
            .iter()
            .filter(|(_, root)| root.is_empty() || folder == root || folder.starts_with(&format!("{root}/")))
            .max_by_key(|(_, root)| root.len())
            .map(|(name, root)| match folder.strip_prefix(root.as_str()).unwrap_or(folder).trim_start_matches('/') {
                "" => name.clone(),
                rest => format!("{name}/{rest}"),
            })
    }
}
