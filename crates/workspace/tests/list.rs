//! A walk in parts.

use std::fs;
use std::path::{Path, PathBuf};
use vise_workspace::{Listing, SkipReason, WalkOptions, ignore_files, list, outer_ignore_files};

struct Bench {
    _dir: tempfile::TempDir,
    root: PathBuf,
}

fn bench(files: &[(&str, &str)]) -> Bench {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path().canonicalize().unwrap().join("root");
    fs::create_dir(&root).unwrap();
    for (path, text) in files {
        let path = root.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    Bench { _dir: dir, root }
}

impl Bench {
    fn list(&self, folders: &[&str], deep: bool, globs: &[&str]) -> Listing {
        let folders: Vec<PathBuf> = folders.iter().map(|folder| self.root.join(folder)).collect();
        let globs = globs.iter().map(|glob| (*glob).to_owned()).collect();
        list(&self.root, &folders, deep, &WalkOptions { globs, ..WalkOptions::default() }, &|| false).unwrap()
    }

    #[track_caller]
    fn check(&self, listing: &Listing, files: &[&str], folders: &[&str]) {
        let found: Vec<&str> = listing.files.iter().map(|file| file.shown.as_str()).collect();
        assert_eq!(found, files);
        let expected: Vec<PathBuf> = folders.iter().map(|folder| self.root.join(folder)).collect();
        let bare = |path: &PathBuf| path.components().collect::<PathBuf>();
        assert_eq!(listing.folders.iter().map(bare).collect::<Vec<_>>(), expected.iter().map(bare).collect::<Vec<_>>());
    }
}

const FILES: &[(&str, &str)] = &[
    (".gitignore", "*.log\n/a/built/\n"),
    ("a/one.rs", ""),
    ("a/one.log", ""),
    ("a/built/out.rs", ""),
    ("a/b/.ignore", "local.rs\n"),
    ("a/b/two.rs", ""),
    ("a/b/c/local.rs", ""),
    ("a/b/c/three.rs", ""),
    ("a/.hidden/x.rs", ""),
    ("z.rs", ""),
];

#[test]
fn one_folder_as_the_walk_of_the_root_sees_it() {
    let bench = bench(FILES);
    bench.check(&bench.list(&["a"], false, &[]), &["a/one.rs"], &["a", "a/b"]);
    bench.check(&bench.list(&["a/b/c"], false, &[]), &["a/b/c/three.rs"], &["a/b/c"]);
    bench.check(&bench.list(&["a", "a/b"], false, &["!a/b/*.rs"]), &["a/one.rs"], &["a", "a/b", "a/b/c"]);
}

#[test]
fn folders_and_all_below() {
    let bench = bench(FILES);
    let all = ["a/b/c/three.rs", "a/b/two.rs", "a/one.rs", "z.rs"];
    bench.check(&bench.list(&[""], true, &[]), &all, &["", "a", "a/b", "a/b/c"]);
    bench.check(&bench.list(&["a/b", "a/b/c"], true, &[]), &all[..2], &["a/b", "a/b/c"]);
}

#[test]
fn a_folder_that_is_gone_is_skipped() {
    let bench = bench(FILES);
    let listing = bench.list(&["gone", "a/b/c"], false, &[]);
    assert_eq!(listing.files.len(), 1);
    assert_eq!((listing.skipped[0].file.as_str(), listing.skipped[0].why), ("gone", SkipReason::Vanished));
}

#[test]
fn files_that_decide() {
    let bench = bench(FILES);
    assert_eq!(ignore_files(&bench.root), [bench.root.join(".gitignore")]);
    assert_eq!(ignore_files(&bench.root.join("a")), [] as [&Path; 0]);
    fs::create_dir(bench.root.join("a/.git")).unwrap();
    assert_eq!(ignore_files(&bench.root.join("a")), [bench.root.join("a/.git/info/exclude")]);
    // A worktree's `.git` names its own folder, which names the common one.
    let own = bench.root.join("main/.git/worktrees/w");
    fs::create_dir_all(&own).unwrap();
    fs::write(own.join("commondir"), "../..\n").unwrap();
    fs::write(bench.root.join("a/b/.git"), format!("gitdir: {}\n", own.display())).unwrap();
    let common = own.join("../../info/exclude");
    assert_eq!(ignore_files(&bench.root.join("a/b")), [bench.root.join("a/b/.ignore"), common.clone()]);
    let outer = outer_ignore_files(&bench.root.join("a/b/c"));
    assert!(outer.contains(&common) && outer.contains(&bench.root.join(".gitignore")), "{outer:?}");
    assert!(outer.contains(&PathBuf::from("/.ignore")), "{outer:?}");
}
