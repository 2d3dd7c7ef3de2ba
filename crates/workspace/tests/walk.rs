//! Which files a walk finds.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use vise_workspace::{Error, ErrorKind, SkipReason, WalkOptions, walk};

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

#[track_caller]
fn check(root: &Path, paths: &[&str], options: &WalkOptions, expected: &[&str]) {
    let paths: Vec<PathBuf> = paths.iter().map(PathBuf::from).collect();
    let walk = walk(root, &paths, options, &|| false).unwrap();
    let found: Vec<String> =
        walk.files.iter().map(|file| format!("{}{}", if file.named { "!" } else { "" }, file.shown)).collect();
    assert_eq!(found, expected);
    assert_eq!(walk.skipped, []);
}

fn options(globs: &[&str]) -> WalkOptions {
    WalkOptions { globs: globs.iter().map(|glob| (*glob).to_owned()).collect(), ..WalkOptions::default() }
}

const FILES: &[(&str, &str)] = &[
    (".gitignore", "ignored\n/target/\n"),
    (".hidden/f", ""),
    (".git/config", ""),
    ("a.rs", ""),
    ("a/b.rs", ""),
    ("a.d/c.py", ""),
    ("ignored", ""),
    ("target/out.rs", ""),
    ("sub/.ignore", "local\n"),
    ("sub/local", ""),
    ("sub/seen", ""),
];

#[test]
fn ignore_rules_hold_without_git_and_order_is_bytewise() {
    let bench = bench(FILES);
    check(&bench.root, &[], &options(&[]), &["a.d/c.py", "a.rs", "a/b.rs", "sub/seen"]);
    fs::remove_dir_all(bench.root.join(".git")).unwrap();
    check(&bench.root, &[], &options(&[]), &["a.d/c.py", "a.rs", "a/b.rs", "sub/seen"]);
}

#[test]
fn ignored_and_hidden_files_when_asked() {
    let bench = bench(FILES);
    let hidden = WalkOptions { hidden: true, ..options(&[]) };
    let expected = [".gitignore", ".hidden/f", "a.d/c.py", "a.rs", "a/b.rs", "sub/.ignore", "sub/seen"];
    check(&bench.root, &[], &hidden, &expected);
    let all = WalkOptions { no_ignore: true, ..options(&[]) };
    let expected = ["a.d/c.py", "a.rs", "a/b.rs", "ignored", "sub/local", "sub/seen", "target/out.rs"];
    check(&bench.root, &[], &all, &expected);
}

#[test]
fn globs() {
    let bench = bench(FILES);
    check(&bench.root, &[], &options(&["*.rs"]), &["a.rs", "a/b.rs"]);
    check(&bench.root, &[], &options(&["!*.rs"]), &["a.d/c.py", "sub/seen"]);
    check(&bench.root, &[], &options(&["*.rs", "!a/**"]), &["a.rs"]);
    check(&bench.root, &[], &options(&["ignored"]), &["ignored"]);
    let error = walk(&bench.root, &[], &options(&["a["]), &|| false).unwrap_err();
    assert!(matches!(&error, Error::BadGlob { .. }), "{error}");
}

#[test]
fn named_files_are_always_taken() {
    let bench = bench(FILES);
    let expected = ["!.hidden/f", "!a.rs", "!ignored", "sub/seen"];
    check(&bench.root, &["ignored", ".hidden/f", "./a/../a.rs", "sub", "a.rs"], &options(&["!*.rs"]), &expected);
    // A named folder is entered although it is ignored; a file that was met and named counts as named.
    check(&bench.root, &["target", "a/b.rs", "a"], &options(&[]), &["!a/b.rs", "target/out.rs"]);
    check(&bench.root, &[".git/config"], &options(&[]), &["!.git/config"]);
    let error = walk(&bench.root, &["gone".into()], &options(&[]), &|| false).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::BadInput);
    assert!(error.to_string().contains("gone`"), "{error}");
    assert!(matches!(walk(&bench.root, &["a.rs/x".into()], &options(&[]), &|| false), Err(Error::NoSuchPath(_))));
}

#[test]
fn outside_the_root_names_are_absolute() {
    let bench = bench(&[("in/f", ""), ("out/g", "")]);
    let outside = bench.root.join("out/g");
    check(&bench.root.join("in"), &["../out", "."], &options(&[]), &[outside.to_str().unwrap(), "f"]);
}

#[test]
fn links_are_followed_only_when_named() {
    let bench = bench(&[("real/f", "")]);
    symlink("real", bench.root.join("dir")).unwrap();
    symlink("real/f", bench.root.join("file")).unwrap();
    symlink("..", bench.root.join("real/loop")).unwrap();
    symlink("nowhere", bench.root.join("dangling")).unwrap();
    check(&bench.root, &[], &options(&[]), &["real/f"]);
    check(&bench.root, &["dir", "file"], &options(&[]), &["dir/f", "!file"]);
}

#[test]
fn what_is_no_file_and_what_cannot_be_read_is_listed() {
    let bench = bench(&[("shut/f", ""), ("open", "")]);
    let pipe = bench.root.join("pipe");
    rustix::fs::mkfifoat(rustix::fs::CWD, &pipe, rustix::fs::Mode::RUSR).unwrap();
    let found = walk(&bench.root, &["pipe".into()], &options(&[]), &|| false).unwrap();
    assert_eq!((found.skipped[0].file.as_str(), found.skipped[0].why), ("pipe", SkipReason::NotAFile));
    let shut = bench.root.join("shut");
    fs::set_permissions(&shut, fs::Permissions::from_mode(0o000)).unwrap();
    // The superuser reads everything, so there is nothing to see for them.
    if fs::read_dir(&shut).is_err() {
        let found = walk(&bench.root, &[], &options(&[]), &|| false).unwrap();
        assert_eq!((found.skipped[0].file.as_str(), found.skipped[0].why), ("shut", SkipReason::Unreadable));
        assert_eq!(found.files.len(), 1);
    }
    fs::set_permissions(&shut, fs::Permissions::from_mode(0o755)).unwrap();
}

#[test]
fn a_bad_ignore_file_is_a_warning() {
    let bench = bench(&[(".gitignore", "[z-a]\n*.log\n"), ("x.log", ""), ("y", "")]);
    let found = walk(&bench.root, &[], &options(&[]), &|| false).unwrap();
    assert_eq!(found.files.len(), 1);
    assert_eq!(found.warnings.len(), 1, "{:?}", found.warnings);
}

#[test]
fn a_walk_can_be_stopped() {
    let files: Vec<String> = (0..200).map(|at| format!("d{}/f{at}", at % 20)).collect();
    let files: Vec<(&str, &str)> = files.iter().map(|path| (path.as_str(), "")).collect();
    let bench = bench(&files);
    let asked = AtomicUsize::new(0);
    let result = walk(&bench.root, &[], &options(&[]), &|| asked.fetch_add(1, Ordering::Relaxed) > 10);
    assert!(matches!(result, Err(Error::Cancelled)));
}

#[test]
fn threads_do_not_change_the_answer() {
    let files: Vec<String> = (0..300).map(|at| format!("d{}/e{}/f{at}", at % 7, at % 5)).collect();
    let files: Vec<(&str, &str)> = files.iter().map(|path| (path.as_str(), "")).collect();
    let bench = bench(&files);
    let shown = |threads| {
        let options = WalkOptions { threads, ..WalkOptions::default() };
        walk(&bench.root, &[], &options, &|| false).unwrap().files
    };
    let one = shown(1);
    assert_eq!(one.len(), 300);
    assert_eq!((shown(2), shown(8)), (one.clone(), one));
}
