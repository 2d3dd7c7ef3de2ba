//! Python: packages, modules, and folders that are packages without saying so.

use rustc_hash::{FxHashMap, FxHashSet};
use vise_syntax::rules::ModuleSystem;

use super::super::paths::split;
use super::super::world::{Atom, File, folder_of};
use super::{Paths, Place, child, upwards};

/// Folders that hold Python files, at any depth. Their numbers are those of packages in a numbering of their own,
/// above all others.
#[derive(Debug, Default)]
pub(crate) struct Python {
    folders: FxHashMap<String, u32>,
    names: Vec<String>,
    children: FxHashMap<(u32, Atom), Place>,
    /// Folders that are where packages are looked for: the first one above a file that is no package.
    roots: FxHashSet<String>,
}

/// Numbers of folders begin here; those of packages that files declare are lower.
const FIRST: u32 = 1 << 31;

impl Python {
    pub(crate) fn new(files: &[File<'_>]) -> Self {
        let mut python = Self::default();
        let is_python = |file: &&File<'_>| file.rules.modules == ModuleSystem::Python;
        let packages: FxHashSet<&str> = files
            .iter()
            .filter(is_python)
            .filter(|file| stem(file.path) == "__init__")
            .map(|file| file.folder())
            .collect();
        for file in files.iter().filter(is_python) {
            for folder in upwards(file.folder()) {
                if python.folders.contains_key(folder) {
                    break;
                }
                let number = FIRST + python.names.len() as u32;
                python.folders.insert(folder.to_owned(), number);
                python.names.push(folder.to_owned());
            }
            let root = upwards(file.folder()).find(|folder| !packages.contains(folder)).unwrap_or_default();
            if !python.roots.contains(root) {
                python.roots.insert(root.to_owned());
            }
        }
        // Names by which a file may be asked for are names that some file mentions; others need no row.
        let mut known: FxHashMap<&str, Atom> = FxHashMap::default();
        for file in files.iter().filter(is_python) {
            for (name, atom) in file.facts.names.iter().zip(file.atoms()) {
                known.insert(name, *atom);
            }
        }
        for (number, file) in files.iter().enumerate().filter(|(_, file)| is_python(file)) {
            let (name, folder) = match stem(file.path) {
                "__init__" => {
                    let folder = file.folder();
                    (folder.rsplit('/').next().unwrap_or_default(), folder_of(folder))
                }
                name => (name, file.folder()),
            };
            let Some(atom) = known.get(name) else { continue };
            let Some(package) = python.folders.get(folder) else { continue };
            let place = Place::File(number as u32);
            let is_package = stem(file.path) == "__init__";
            if is_package || !matches!(python.children.get(&(*package, *atom)), Some(Place::File(_))) {
                python.children.insert((*package, *atom), place);
            }
        }
        for (at, folder) in python.names.iter().enumerate().filter(|(_, folder)| !folder.is_empty()) {
            let name = folder.rsplit('/').next().unwrap_or_default();
            let around = python.folders.get(folder_of(folder));
            if let (Some(atom), Some(around)) = (known.get(name), around) {
                python.children.entry((*around, *atom)).or_insert(Place::Package(FIRST + at as u32));
            }
        }
        python
    }

    pub(crate) fn folder(&self, folder: &str) -> Option<u32> {
        self.folders.get(folder).copied()
    }

    pub(crate) fn child(&self, package: u32, name: Atom) -> Option<Place> {
        self.children.get(&(package, name)).copied()
    }

    /// `a.b.c`, or `..b.c` from where the file is.
    pub(crate) fn find(&self, paths: &Paths<'_>, from: &str, source: &str) -> Option<Place> {
        let dots = source.len() - source.trim_start_matches('.').len();
        let parts = split(&source[dots..], &[".".to_owned()]);
        if dots > 0 {
            let folder = upwards(folder_of(from)).nth(dots - 1)?;
            return self.below(paths, folder, &parts);
        }
        let own = folder_of(from);
        // The nearest folder that is a place to look in, then those around it, then all that hold such a package.
        for folder in upwards(own) {
            if (self.roots.contains(folder) || folder == own && !self.has_init(paths, own) || folder.is_empty())
                && let Some(place) = self.below(paths, folder, &parts)
            {
                return Some(place);
            }
        }
        let first = parts.first()?;
        let mut roots: Vec<&String> = self.roots.iter().collect();
        roots.sort_unstable();
        roots
            .into_iter()
            .filter(|root| self.has_init(paths, &child(root, first)) || root.ends_with("src") || root.ends_with("lib"))
            .find_map(|root| self.below(paths, root, &parts))
    }

    fn has_init(&self, paths: &Paths<'_>, folder: &str) -> bool {
        paths.get(&child(folder, "__init__.py")).is_some()
    }

    fn below(&self, paths: &Paths<'_>, folder: &str, parts: &[&str]) -> Option<Place> {
        let path = match (folder, parts) {
            (folder, []) => folder.to_owned(),
            ("", parts) => parts.join("/"),
            (folder, parts) => format!("{folder}/{}", parts.join("/")),
        };
        let file = [
            format!("{path}/__init__.py"),
            format!("{path}.py"),
            format!("{path}/__init__.pyi"),
            format!("{path}.pyi"),
        ]
        .iter()
        .find_map(|name| paths.get(name.trim_start_matches('/')));
        let folder = || self.folders.get(&path).filter(|_| !path.is_empty()).map(|number| Place::Package(*number));
        file.map(Place::File).or_else(folder)
    }
}

fn stem(path: &str) -> &str {
    let name = path.rsplit('/').next().unwrap_or_default();
    name.split('.').next().unwrap_or_default()
}
