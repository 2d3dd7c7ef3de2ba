//! Where a workspace starts, and how its paths are spelt.

use crate::Error;
use std::fs;
use std::path::{Component, Path, PathBuf};

/// The root of the workspace: `explicit` where it is given, else the innermost folder around `cwd` that git calls its
/// own, else `cwd`. Links in it are resolved, so that one workspace has one name.
pub fn discover_root(cwd: &Path, explicit: Option<&Path>) -> Result<PathBuf, Error> {
    let start = match explicit {
        Some(root) => cwd.join(root),
        None => cwd.to_owned(),
    };
    let start = fs::canonicalize(&start).map_err(|source| Error::of_named(start, source))?;
    if !start.is_dir() {
        return Err(Error::NotAFolder(start));
    }
    if explicit.is_some() {
        return Ok(start);
    }
    // `.git` is a folder in a plain checkout and a file in a worktree or submodule.
    let enclosing = start.ancestors().find(|folder| folder.join(".git").symlink_metadata().is_ok());
    Ok(enclosing.unwrap_or(&start).to_owned())
}

/// `path` as an absolute path without `.` and `..`, relative paths taken from `base`. Only the spelling is looked at,
/// so links stay what they are.
pub fn absolute(base: &Path, path: &Path) -> PathBuf {
    let mut out = PathBuf::new();
    for component in base.join(path).components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir => {
                out.pop();
            }
            component => out.push(component),
        }
    }
    out
}

/// How an absolute `path` is called in answers: relative to `root` with `/`, absolute outside it. What is not UTF-8
/// shows as U+FFFD.
pub fn shown_path(root: &Path, path: &Path) -> String {
    match path.strip_prefix(root) {
        Ok(inside) if !inside.as_os_str().is_empty() => {
            let parts: Vec<_> = inside.components().map(|part| part.as_os_str().to_string_lossy()).collect();
            parts.join("/")
        }
        Ok(_) => ".".to_owned(),
        Err(_) => path.to_string_lossy().into_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_enclosing_git_root_is_found() {
        let dir = tempfile::tempdir().unwrap();
        let top = dir.path().canonicalize().unwrap();
        fs::create_dir_all(top.join("repo/.git")).unwrap();
        fs::create_dir_all(top.join("repo/a/b")).unwrap();
        fs::write(top.join("repo/file"), "").unwrap();
        assert_eq!(discover_root(&top.join("repo/a/b"), None).unwrap(), top.join("repo"));
        assert_eq!(discover_root(&top.join("repo"), Some(Path::new("a"))).unwrap(), top.join("repo/a"));
        assert!(matches!(discover_root(&top, Some(Path::new("gone"))), Err(Error::NoSuchPath(_))));
        assert!(matches!(discover_root(&top, Some(Path::new("repo/file"))), Err(Error::NotAFolder(_))));
    }

    #[test]
    fn a_worktree_has_a_git_file() {
        let dir = tempfile::tempdir().unwrap();
        let top = dir.path().canonicalize().unwrap();
        fs::create_dir_all(top.join("tree/a")).unwrap();
        fs::write(top.join("tree/.git"), "gitdir: /elsewhere").unwrap();
        assert_eq!(discover_root(&top.join("tree/a"), None).unwrap(), top.join("tree"));
    }

    #[test]
    fn spelling() {
        let root = Path::new("/w/root");
        assert_eq!(absolute(root, Path::new("./a/../b")), Path::new("/w/root/b"));
        assert_eq!(absolute(root, Path::new("../../../x")), Path::new("/x"));
        assert_eq!(shown_path(root, Path::new("/w/root/a/b")), "a/b");
        assert_eq!(shown_path(root, Path::new("/w/rooted")), "/w/rooted");
        assert_eq!(shown_path(root, root), ".");
    }
}
