//! Files that say how a project is put together, which resolving reads.

/// Whole names of such files.
const NAMES: &[&str] = &[
    "Cargo.toml",
    "Package.swift",
    "composer.json",
    "deno.json",
    "deno.jsonc",
    "go.mod",
    "go.work",
    "package.json",
    "pnpm-workspace.yaml",
    "pubspec.yaml",
    "pyproject.toml",
    "setup.cfg",
    "setup.py",
];
/// Beginnings of such names, whose ending is `.json`: `tsconfig.build.json`.
const JSON: &[&str] = &["jsconfig", "tsconfig"];

/// Whether a file with this name is one.
pub(super) fn is_project_file(name: &str) -> bool {
    NAMES.contains(&name) || name.ends_with(".json") && JSON.iter().any(|start| name.starts_with(start))
}
