//! The workspace as paths and texts, so that checks are functions of a value.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

use crate::run::{Result, output};

/// Paths (from the root, with `/`) and texts of the files that are, or are about to be, under version control.
pub(super) struct Tree {
    files: BTreeMap<String, String>,
}

impl Tree {
    #[cfg(test)]
    pub(super) fn of(files: &[(&str, &str)]) -> Tree {
        Tree { files: files.iter().map(|(path, text)| (path.to_string(), text.to_string())).collect() }
    }

    /// Asks git for the names, so that what is ignored is not looked at; an unpacked archive is walked instead.
    pub(super) fn read(root: &Path) -> Result<Tree> {
        let listed = output(Command::new("git").current_dir(root).env("GIT_OPTIONAL_LOCKS", "0").args([
            "-c",
            "core.fsmonitor=false",
            "ls-files",
            "-z",
            "--cached",
            "--others",
            "--exclude-standard",
        ]));
        let paths = match listed {
            Ok(paths) => paths.split('\0').filter(|path| !path.is_empty()).map(String::from).collect(),
            Err(_) => walk(root)?,
        };
        let mut files = BTreeMap::new();
        for path in paths {
            // A file that is deleted but not yet committed away is listed too; a folder is a nested checkout.
            if let Ok(bytes) = std::fs::read(root.join(&path)) {
                files.insert(path, String::from_utf8_lossy(&bytes).into_owned());
            }
        }
        Ok(Tree { files })
    }

    pub(super) fn get(&self, path: &str) -> Option<&str> {
        self.files.get(path).map(String::as_str)
    }

    /// Whether `path` is a file or a folder with files in it.
    pub(super) fn exists(&self, path: &str) -> bool {
        self.files.contains_key(path) || path.is_empty() || self.under(&format!("{path}/")).next().is_some()
    }

    pub(super) fn all(&self) -> impl Iterator<Item = (&str, &str)> {
        self.files.iter().map(|(path, text)| (path.as_str(), text.as_str()))
    }

    pub(super) fn under<'a>(&'a self, prefix: &'a str) -> impl Iterator<Item = (&'a str, &'a str)> {
        self.all().filter(move |(path, _)| path.starts_with(prefix))
    }

    /// The Rust files of the house.
    pub(super) fn rust(&self) -> impl Iterator<Item = (&str, &str)> {
        let folders = ["crates/", "tests/real/", "tests/corpus/"];
        folders.into_iter().flat_map(|folder| self.under(folder)).filter(|(path, _)| path.ends_with(".rs"))
    }

    /// The names of the folders right below `folder`, sorted.
    pub(super) fn folders(&self, folder: &str) -> Vec<&str> {
        let prefix = format!("{folder}/");
        let mut names: Vec<&str> = self
            .all()
            .filter_map(|(path, _)| path.strip_prefix(prefix.as_str())?.split_once('/'))
            .map(|(name, _)| name)
            .collect();
        names.dedup();
        names
    }
}

fn walk(root: &Path) -> Result<Vec<String>> {
    let mut found = Vec::new();
    let mut folders = vec![String::new()];
    while let Some(folder) = folders.pop() {
        for path in crate::corpora::entries(&root.join(&folder))? {
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            let relative = if folder.is_empty() { name.clone() } else { format!("{folder}/{name}") };
            if path.is_file() {
                found.push(relative);
            } else if path.is_dir() && !path.is_symlink() && name != ".git" && name != "target" {
                folders.push(relative);
            }
        }
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_are_listed_once() {
        let tree =
            Tree::of(&[("grammars/a/x", ""), ("grammars/a/y", ""), ("grammars/b/x", ""), ("grammars/README", "")]);
        assert_eq!(tree.folders("grammars"), ["a", "b"]);
        assert!(tree.exists("grammars/a") && tree.exists("grammars/README") && !tree.exists("grammars/ab"));
    }

    #[test]
    fn an_unpacked_archive_is_walked_without_target() {
        let paths = walk(&crate::root()).unwrap();
        assert!(paths.iter().any(|path| path == "crates/xtask/src/tidy/tree.rs"));
        assert!(!paths.iter().any(|path| path.starts_with("target/") || path.starts_with(".git/")));
    }
}
