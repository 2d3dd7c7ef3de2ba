//! Qualified names, in each language's own spelling.

use vise_syntax::rules::{ModuleSystem, PackageScope};

use crate::facts::{SymbolIx, flag};

use super::world::{File, World, last_name};

/// The qualified name of each symbol of a file; empty for anonymous functions.
pub(crate) fn qualified(world: &World<'_>, number: u32) -> Vec<String> {
    let file = world.file(number);
    let separator = file.rules.separator.as_str();
    let prefix = prefix(world, file);
    let mut names: Vec<String> = Vec::with_capacity(file.facts.symbols.len());
    for (at, symbol) in file.facts.symbols.iter().enumerate() {
        let own = file.facts.name(symbol.name);
        if at == 0 {
            names.push(if prefix.is_empty() { stem(file.path).to_owned() } else { prefix.clone() });
            continue;
        }
        if symbol.flags & flag::ANONYMOUS != 0 {
            names.push(String::new());
            continue;
        }
        let owner = symbol
            .extension
            .and_then(|extension| last_name(file, file.facts.extensions[extension.ix()].target))
            .map(|name| file.facts.name(name));
        let container = file.facts.named_owner(symbol.container);
        let mut around = match container {
            SymbolIx::MODULE => prefix.clone(),
            // Symbols come after what contains them, so the name is there; a damaged list gives a short name.
            container => names.get(container.ix()).cloned().unwrap_or_default(),
        };
        for part in owner.into_iter().chain([own]) {
            if !around.is_empty() && !part.is_empty() {
                around.push_str(separator);
            }
            around.push_str(part);
        }
        names.push(around);
    }
    names
}

/// What stands before the names of a file's top level.
pub(crate) fn prefix(world: &World<'_>, file: &File<'_>) -> String {
    let path = stem(file.path);
    let package = file.facts.package.map_or("", |name| file.facts.name(name));
    match file.rules.modules {
        ModuleSystem::Python => {
            let path = path.strip_suffix("/__init__").unwrap_or(path);
            path.strip_prefix("src/").unwrap_or(path).replace('/', ".")
        }
        ModuleSystem::Node => path.to_owned(),
        ModuleSystem::Rust => rust_prefix(world, file),
        ModuleSystem::Go => {
            let folder = file.folder();
            world.modules.go_path(folder).unwrap_or_else(|| if folder.is_empty() { package } else { folder }.to_owned())
        }
        _ if file.rules.package_scope == PackageScope::Package => package.to_owned(),
        ModuleSystem::C | ModuleSystem::Ruby | ModuleSystem::Php | ModuleSystem::Swift => String::new(),
        _ => path.to_owned(),
    }
}

fn rust_prefix(world: &World<'_>, file: &File<'_>) -> String {
    let (name, folder) = world.modules.rust.crate_of(file.path).unwrap_or(("crate", ""));
    let path = stem(file.path);
    let inside = path.strip_prefix(folder).unwrap_or(path).trim_start_matches('/');
    let inside = inside.strip_prefix("src/").unwrap_or(inside);
    let parts = inside.split('/').filter(|part| !matches!(*part, "lib" | "main" | "mod"));
    std::iter::once(name).chain(parts).collect::<Vec<_>>().join("::")
}

/// A path without the ending of its file name.
fn stem(path: &str) -> &str {
    let name = path.rfind('/').map_or(0, |slash| slash + 1);
    match path[name..].rfind('.') {
        Some(dot) if dot > 0 => {
            let stem = &path[..name + dot];
            stem.strip_suffix(".d").unwrap_or(stem)
        }
        _ => path,
    }
}
