//! The packages that a workspace is the source of, by their manifests; in Python also by their folders.

use rustc_hash::FxHashSet;
use serde_json::Value;
use vise_syntax::rules::ModuleSystem;

use crate::source::ProjectFile;

use super::super::modules::child;
use super::super::world::{World, folder_of};
use super::Package;

/// Folders beside a Python package that are not part of what is installed.
const ASIDE: [&str; 11] =
    ["bench", "benchmarks", "build", "doc", "docs", "example", "examples", "scripts", "test", "tests", "tools"];

pub(super) fn packages(world: &World<'_>, projects: &[ProjectFile]) -> Vec<Package> {
    let mut all = Vec::new();
    for project in projects {
        let name = project.path.rsplit('/').next().unwrap_or_default();
        let found = match name {
            "Cargo.toml" => cargo(project),
            "package.json" => node(project),
            "go.mod" => go(project),
            _ => None,
        };
        all.extend(found);
    }
    python(world, projects, &mut all);
    all.sort();
    all.dedup();
    all
}

fn package(ecosystem: &'static str, name: &str, import: &str, project: &ProjectFile) -> Package {
    Package {
        name: name.to_owned(),
        ecosystem,
        import: import.to_owned(),
        folder: folder_of(&project.path).to_owned(),
        manifest: project.path.clone(),
    }
}

fn cargo(project: &ProjectFile) -> Option<Package> {
    let manifest: toml::Table = project.text.parse().ok()?;
    let text = |table: &str| manifest.get(table)?.get("name")?.as_str();
    let name = text("package")?;
    let import = text("lib").map_or_else(|| name.replace('-', "_"), str::to_owned);
    Some(package("crates", name, &import, project))
}

fn node(project: &ProjectFile) -> Option<Package> {
    let manifest: Value = serde_json::from_str(&project.text).ok()?;
    let name = manifest.get("name")?.as_str()?;
    Some(package("npm", name, name, project))
}

fn go(project: &ProjectFile) -> Option<Package> {
    let name = project.text.lines().find_map(|line| line.trim().strip_prefix("module "))?;
    let name = name.trim().trim_matches('"');
    Some(package("go", name, name, project))
}

/// Python's manifests seldom say what is imported, so folders do: those with an `__init__.py` beside the manifest, or
/// in `src` beside it.
fn python(world: &World<'_>, projects: &[ProjectFile], all: &mut Vec<Package>) {
    let is_python = |path: &str| matches!(path, "pyproject.toml" | "setup.cfg" | "setup.py");
    let mut named: Vec<(&str, String, &ProjectFile)> = Vec::new();
    for project in projects.iter().filter(|one| is_python(one.path.rsplit('/').next().unwrap_or_default())) {
        let folder = folder_of(&project.path);
        // The three say the same, if they say it; they come in the order in which they count.
        if let Some(name) = python_name(project)
            && named.iter().all(|(known, ..)| *known != folder)
        {
            named.push((folder, name, project));
        }
    }
    let tops = tops(world);
    let mut taken: FxHashSet<&str> = FxHashSet::default();
    // The deepest first, so that a package belongs to the nearest manifest.
    named.sort_by_key(|(folder, ..)| std::cmp::Reverse(folder.len()));
    for (folder, name, project) in &named {
        for base in [child(folder, "src"), (*folder).to_owned()] {
            for (place, import) in tops.iter().filter(|(place, _)| folder_of(place) == base) {
                if taken.insert(place) {
                    let found = package("pypi", name, import, project);
                    all.push(Package { folder: place.clone(), ..found });
                }
            }
        }
    }
    // Without any manifest what lies at the root is what there is.
    if named.is_empty() {
        for (place, import) in tops.iter().filter(|(place, _)| matches!(folder_of(place), "" | "src")) {
            let (name, import) = (import.clone(), import.clone());
            let (folder, manifest) = (place.clone(), String::new());
            all.push(Package { name, ecosystem: "pypi", import, folder, manifest });
        }
    }
}

/// Folders that are packages while those around them are none, and single modules beside them: place and name.
fn tops(world: &World<'_>) -> Vec<(String, String)> {
    let files = world.files.iter().filter(|file| file.rules.modules == ModuleSystem::Python);
    let paths: Vec<&str> = files.map(|file| file.path).collect();
    let packages: FxHashSet<&str> = paths
        .iter()
        .filter(|path| matches!(path.rsplit('/').next(), Some("__init__.py" | "__init__.pyi")))
        .map(|path| folder_of(path))
        .filter(|folder| !folder.is_empty())
        .collect();
    let is_top = |folder: &&&str| !packages.contains(folder_of(folder));
    let mut tops: Vec<(String, String)> = packages
        .iter()
        .filter(is_top)
        .map(|folder| ((*folder).to_owned(), folder.rsplit('/').next().unwrap_or_default().to_owned()))
        .collect();
    for path in paths.iter().filter(|path| !packages.contains(folder_of(path))) {
        let name = path.rsplit('/').next().unwrap_or_default();
        if let Some(name) = name.strip_suffix(".py").filter(|name| !matches!(*name, "setup" | "conftest" | "__init__"))
        {
            tops.push(((*path).to_owned(), name.to_owned()));
        }
    }
    tops.retain(|(place, name)| {
        let aside = folder_of(place).split('/').chain([name.as_str()]).any(|part| ASIDE.contains(&part));
        !aside && !name.starts_with("test_")
    });
    tops.sort();
    tops
}

fn python_name(project: &ProjectFile) -> Option<String> {
    if project.path.ends_with("pyproject.toml") {
        let manifest: toml::Table = project.text.parse().ok()?;
        let said = |table: &toml::Table| Some(table.get("name")?.as_str()?.to_owned());
        let plain = manifest.get("project").and_then(toml::Value::as_table).and_then(said);
        return plain.or_else(|| said(manifest.get("tool")?.get("poetry")?.as_table()?));
    }
    // `name = flask` below `[metadata]`, or `name="flask"` as an argument.
    project.text.lines().find_map(|line| {
        let value = line.trim().strip_prefix("name")?.trim_start().strip_prefix('=')?;
        let value = value.trim().trim_end_matches(',').trim_matches(['"', '\'']);
        let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
        (!value.is_empty() && value.chars().all(plain)).then(|| value.to_owned())
    })
}
