//! C and C++: included headers.

use rustc_hash::{FxHashMap, FxHashSet};
use vise_syntax::rules::ModuleSystem;

use crate::facts::Imported;

use super::super::world::{File, World, folder_of};
use super::{Paths, join};

/// Headers by the last part of their path.
#[derive(Debug, Default)]
pub(crate) struct C {
    by_name: FxHashMap<String, Vec<(String, u32)>>,
}

impl C {
    pub(crate) fn new(files: &[File<'_>]) -> Self {
        let mut by_name: FxHashMap<String, Vec<(String, u32)>> = FxHashMap::default();
        for (number, file) in files.iter().enumerate().filter(|(_, file)| file.rules.modules == ModuleSystem::C) {
            let name = file.path.rsplit('/').next().unwrap_or_default();
            by_name.entry(name.to_owned()).or_default().push((file.path.to_owned(), number as u32));
        }
        Self { by_name }
    }

    /// Beside the file, else the one header whose path ends so; of several the one that shares most folders.
    pub(crate) fn find(&self, paths: &Paths<'_>, from: &str, source: &str) -> Option<u32> {
        let source = source.trim_matches(['<', '>', '"']);
        if let Some(beside) = join(folder_of(from), source).and_then(|path| paths.get(&path)) {
            return Some(beside);
        }
        let name = source.rsplit('/').next()?;
        let tail = format!("/{source}");
        let fitting = self.by_name.get(name)?.iter().filter(|(path, _)| path == source || path.ends_with(&tail));
        let shared = |path: &str| from.split('/').zip(path.split('/')).take_while(|(a, b)| a == b).count();
        fitting.max_by_key(|(path, _)| (shared(path), std::cmp::Reverse(path.clone()))).map(|(_, number)| *number)
    }
}

/// A header and all that it includes, itself first, breadth first.
pub(crate) fn closure(world: &World<'_>, header: u32, find: impl Fn(&str, &str) -> Option<u32>) -> Vec<u32> {
    let mut seen = FxHashSet::from_iter([header]);
    let mut all = vec![header];
    let mut at = 0;
    while at < all.len() && all.len() < 512 {
        let file = world.file(all[at]);
        at += 1;
        for (_, import) in &file.open_imports {
            let import = &file.facts.imports[import.ix()];
            if (import.what == Imported::Effects || import.what == Imported::All)
                && let Some(next) = find(file.path, file.facts.name(import.source))
                && seen.insert(next)
            {
                all.push(next);
            }
        }
    }
    all
}
