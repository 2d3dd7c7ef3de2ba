//! How the source of an import finds a file or a package. One file a module system.

mod c;
mod dart;
mod go;
mod node;
mod python;
mod rust;

use rustc_hash::FxHashMap;
use vise_syntax::rules::ModuleSystem;

use crate::source::ProjectFile;

use super::world::{Atom, File, World};

/// Where an import leads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Place {
    /// To a file.
    File(u32),
    /// To a package.
    Package(u32),
    /// Out of the project.
    External,
}

/// What is known about where modules are.
pub(crate) struct Modules<'a> {
    paths: Paths<'a>,
    node: node::Node,
    go: go::Go,
    python: python::Python,
    c: c::C,
    pub(crate) rust: rust::Rust,
}

/// Files by their path.
#[derive(Debug, Default)]
pub(crate) struct Paths<'a>(FxHashMap<&'a str, u32>);

impl Paths<'_> {
    /// The file with this path.
    pub(crate) fn get(&self, path: &str) -> Option<u32> {
        self.0.get(path).copied()
    }
}

impl<'a> Modules<'a> {
    pub(crate) fn new(files: &[File<'a>], projects: &'a [ProjectFile]) -> Self {
        let paths = Paths(files.iter().enumerate().map(|(number, file)| (file.path, number as u32)).collect());
        let has = |system| files.iter().any(|file| file.rules.modules == system);
        Self {
            node: if has(ModuleSystem::Node) { node::Node::new(projects) } else { node::Node::default() },
            go: go::Go::new(files, projects),
            python: python::Python::new(files),
            c: c::C::new(files),
            rust: rust::Rust::new(files, projects, &paths),
            paths,
        }
    }

    /// Where the source of an import of a file leads.
    pub(crate) fn find(&self, world: &World<'a>, file: u32, source: &str) -> Place {
        let from = world.file(file);
        let place = match from.rules.modules {
            ModuleSystem::Python => self.python.find(&self.paths, from.path, source),
            ModuleSystem::Node => self.node.find(&self.paths, from.path, source).map(Place::File),
            ModuleSystem::Go => self.go.find(world, from.path, source),
            ModuleSystem::C => self.c.find(&self.paths, from.path, source).map(Place::File),
            ModuleSystem::Ruby => ruby(&self.paths, from.path, source).map(Place::File),
            ModuleSystem::Path => by_path(&self.paths, from.path, source, &from.rules.path_separators).map(Place::File),
            ModuleSystem::Dart => dart::find(&self.paths, from.path, source).map(Place::File),
            _ => None,
        };
        place.unwrap_or(Place::External)
    }

    /// Whether a name is that of a package that the file's project depends on.
    pub(crate) fn is_dependency(&self, path: &str, name: &str) -> bool {
        self.rust.is_dependency(path, name)
    }

    /// A header and all that it includes, itself first.
    pub(crate) fn includes(&self, world: &World<'a>, header: u32) -> Vec<u32> {
        c::closure(world, header, |from, source| self.c.find(&self.paths, from, source))
    }

    /// The import path of a folder of Go files, where a `go.mod` says it.
    pub(crate) fn go_path(&self, folder: &str) -> Option<String> {
        self.go.path_of(folder)
    }

    /// The file that a specifier of JavaScript names in a file beside `from`.
    pub(crate) fn node_file(&self, from: &str, specifier: &str) -> Option<u32> {
        self.node.find(&self.paths, from, specifier)
    }

    /// The package that stands for a folder of Python files.
    pub(crate) fn python_folder(&self, folder: &str) -> Option<u32> {
        self.python.folder(folder)
    }

    /// A module or folder in a folder of Python files.
    pub(crate) fn python_child(&self, package: u32, name: Atom) -> Option<Place> {
        self.python.child(package, name)
    }
}

/// Joins a folder and a relative path; `None` if it leads out of the root.
pub(crate) fn join(folder: &str, path: &str) -> Option<String> {
    let mut parts: Vec<&str> = folder.split('/').filter(|part| !part.is_empty()).collect();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop()?;
            }
            part => parts.push(part),
        }
    }
    Some(parts.join("/"))
}

/// A folder and those around it, the root last.
pub(crate) fn upwards(folder: &str) -> impl Iterator<Item = &str> {
    let mut next = Some(folder);
    std::iter::from_fn(move || {
        let folder = next?;
        next = match folder.rfind('/') {
            Some(slash) => Some(&folder[..slash]),
            None if folder.is_empty() => None,
            None => Some(""),
        };
        Some(folder)
    })
}

/// `folder/name`, or the name alone at the root.
pub(crate) fn child(folder: &str, name: &str) -> String {
    if folder.is_empty() { name.to_owned() } else { format!("{folder}/{name}") }
}

/// `require_relative` names a file beside this one, `require` one below a folder of the load path.
fn ruby(paths: &Paths<'_>, from: &str, source: &str) -> Option<u32> {
    let name = if source.ends_with(".rb") { source.to_owned() } else { format!("{source}.rb") };
    let folder = super::world::folder_of(from);
    let beside = join(folder, &name).and_then(|path| paths.get(&path));
    beside.or_else(|| {
        upwards(folder)
            .flat_map(|around| [child(around, "lib"), around.to_owned(), child(around, "app")])
            .find_map(|around| paths.get(&child(&around, &name)))
    })
}

/// Languages whose imports are paths: beside the file or below a folder around it, with the file's own ending or without.
fn by_path(paths: &Paths<'_>, from: &str, source: &str, separators: &[String]) -> Option<u32> {
    let ending = from.rsplit('/').next().and_then(|name| name.rsplit_once('.')).map_or("", |(_, ending)| ending);
    let source = source.trim_start_matches('@');
    let mut written = source.to_owned();
    let is_file = source.ends_with(&format!(".{ending}"));
    for separator in separators.iter().filter(|separator| !is_file && !separator.is_empty() && *separator != "/") {
        written = written.replace(separator.as_str(), "/");
    }
    let names = [source.to_owned(), format!("{written}.{ending}"), format!("{written}/init.{ending}"), written];
    upwards(super::world::folder_of(from))
        .flat_map(|around| [around.to_owned(), child(around, "src"), child(around, "lib")])
        .find_map(|around| names.iter().find_map(|name| join(&around, name).and_then(|path| paths.get(&path))))
}
