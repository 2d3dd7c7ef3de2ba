//! The tree changes, and the next answer knows.

use std::fs::{self, File};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::symlink;

use proptest::prelude::*;

use super::*;

const FILES: &[(&str, &str)] = &[
    ("a.py", "def f\ncall g\ncall nowhere\ncall external\n"),
    ("b/c.py", "def g\n"),
    ("b/d/e.py", "class K\n  def m\n  call f\n"),
    ("data.json", "{}\n"),
    ("notes.xyz", "def never\n"),
];

#[test]
fn what_did_not_change_is_not_parsed() {
    let bench = Bench::new(FILES);
    let first = bench.check(4, 0, 0);
    assert_eq!((first.graph.files(), first.generation), (4, 1));
    assert_eq!(callers(&first.graph, "g"), ["f"]);
    assert_eq!((first.graph.missed_calls("nowhere"), first.graph.meta().external), (1, 1));
    let second = bench.check(0, 4, 0);
    assert_eq!(second.generation, 1);
    bench.settle();
    let tree = bench.stored("tree.");
    bench.check(0, 4, 0);
    // Nothing was written.
    assert_eq!(bench.stored("tree."), tree);
}

#[test]
fn edits() {
    let bench = Bench::new(FILES);
    bench.check(4, 0, 0);
    bench.write("b/c.py", "def h\n");
    let opened = bench.check(1, 3, 0);
    assert_eq!((opened.graph.missed_calls("g"), opened.generation), (1, 2));
    bench.write("a.py", "def f\ncall h\n");
    assert_eq!(callers(&bench.check(1, 3, 0).graph, "h"), ["f"]);
}

#[test]
fn an_edit_that_keeps_size_and_time() {
    let bench = Bench::new(FILES);
    bench.check(4, 0, 0);
    bench.settle();
    let time = fs::metadata(bench.at("b/c.py")).unwrap().modified().unwrap();
    bench.write("b/c.py", "def i\n");
    File::options().append(true).open(bench.at("b/c.py")).unwrap().set_modified(time).unwrap();
    assert_eq!(bench.check(1, 3, 0).graph.missed_calls("g"), 1);
}

#[test]
fn many_edits_within_one_tick_of_the_clock() {
    let bench = Bench::new(FILES);
    bench.check(4, 0, 0);
    for round in 0..20 {
        let name = ["g", "h"][round % 2];
        bench.write("b/c.py", format!("def {name}\n"));
        assert_eq!(bench.try_open().unwrap().graph.named(name).count(), 1);
        // The folder changes within the tick of its last listing.
        bench.write(&format!("b/new{round}.py"), "def n\n");
        assert_eq!(bench.try_open().unwrap().graph.named("n").count(), round + 1);
    }
    bench.open();
}

#[test]
fn a_touched_file_is_read_and_not_parsed() {
    let bench = Bench::new(FILES);
    let generation = bench.check(4, 0, 0).generation;
    bench.settle();
    bench.write("a.py", FILES[0].1);
    let tree = bench.stored("tree.");
    assert_eq!(bench.check(0, 4, 0).generation, generation);
    assert_ne!(bench.stored("tree."), tree);
    // Another file with the same content took its place.
    fs::copy(bench.at("a.py"), bench.at("copy")).unwrap();
    fs::rename(bench.at("copy"), bench.at("a.py")).unwrap();
    assert_eq!(bench.check(0, 4, 0).generation, generation);
}

#[test]
fn files_come_and_go() {
    let bench = Bench::new(FILES);
    bench.check(4, 0, 0);
    bench.settle();
    fs::remove_file(bench.at("b/c.py")).unwrap();
    assert_eq!(bench.check(0, 3, 1).graph.missed_calls("g"), 1);
    bench.write("b/x/y/z.py", "def g\n");
    assert_eq!(callers(&bench.check(1, 3, 0).graph, "g"), ["f"]);
    fs::rename(bench.at("b/x/y/z.py"), bench.at("z.py")).unwrap();
    assert_eq!(bench.check(1, 3, 1).graph.file(3).path, "z.py");
    fs::rename(bench.at("z.py"), bench.at("z.unknown")).unwrap();
    bench.check(0, 3, 1);
}

#[test]
fn folders_come_and_go() {
    let bench = Bench::new(FILES);
    bench.check(4, 0, 0);
    bench.settle();
    fs::rename(bench.at("b"), bench.at("moved")).unwrap();
    bench.check(2, 2, 2);
    // A folder that was deep comes to be at the root, in the place of one with other files.
    fs::rename(bench.at("moved/d"), bench.at("d")).unwrap();
    bench.check(1, 3, 1);
    fs::remove_dir_all(bench.at("moved")).unwrap();
    fs::rename(bench.at("d"), bench.at("moved")).unwrap();
    bench.check(1, 2, 2);
    fs::remove_dir_all(bench.at("moved")).unwrap();
    bench.write("moved", "now a file\n");
    bench.check(0, 2, 1);
    fs::remove_file(bench.at("moved")).unwrap();
    fs::create_dir(bench.at("moved")).unwrap();
    bench.write("moved/d/e.py", "def e\n");
    bench.check(1, 2, 0);
}

#[test]
fn a_git_checkout_changes_much_at_once() {
    let bench = Bench::new(&[]);
    for n in 0..60 {
        bench.write(&format!("d{}/f{n}.py", n % 9), format!("def f{n}\ncall f{}\n", n / 2));
    }
    bench.check(60, 0, 0);
    bench.settle();
    for n in (0..60).step_by(3) {
        fs::remove_file(bench.at(&format!("d{}/f{n}.py", n % 9))).unwrap();
        bench.write(&format!("d{}/g{n}.py", n % 7), format!("def g{n}\ncall f{}\n", n + 1));
    }
    bench.check(20, 40, 20);
}

#[test]
fn what_is_ignored_changes() {
    let bench = Bench::new(FILES);
    bench.check(4, 0, 0);
    bench.settle();
    bench.write(".gitignore", "d/\n");
    bench.check(0, 3, 1);
    bench.settle();
    bench.write(".gitignore", "c.py\n");
    bench.check(1, 2, 1);
    bench.settle();
    bench.write("b/.ignore", "!c.py\n");
    bench.check(1, 3, 0);
    fs::remove_file(bench.at("b/.ignore")).unwrap();
    bench.check(0, 3, 1);
    fs::remove_file(bench.at(".gitignore")).unwrap();
    bench.check(1, 3, 0);
    // Nothing about the folder shows when this one is written.
    fs::create_dir_all(bench.at(".git/info")).unwrap();
    bench.check(0, 4, 0);
    bench.settle();
    bench.write(".git/info/exclude", "a.py\n");
    bench.check(0, 3, 1);
    bench.settle();
    // Nor when it is around the root.
    fs::write(bench.root.parent().unwrap().join(".ignore"), "*.json\n").unwrap();
    bench.check(0, 2, 1);
}

#[test]
fn files_that_say_how_the_project_is_put_together() {
    let bench = Bench::new(FILES);
    bench.write("go.mod", "one.");
    let opened = bench.check(4, 0, 0);
    assert_eq!(opened.graph.symbol(opened.graph.named("g").next().unwrap()).qualified, "one.g");
    bench.write("go.mod", "two.");
    let opened = bench.check(0, 4, 0);
    assert_eq!(opened.graph.symbol(opened.graph.named("g").next().unwrap()).qualified, "two.g");
    bench.write("b/tsconfig.base.json", "three.");
    let opened = bench.check(1, 4, 0);
    assert_eq!(opened.graph.symbol(opened.graph.named("g").next().unwrap()).qualified, "three.two.g");
    fs::remove_file(bench.at("go.mod")).unwrap();
    let opened = bench.check(0, 5, 0);
    assert_eq!(opened.graph.symbol(opened.graph.named("g").next().unwrap()).qualified, "three.g");
}

#[test]
fn scripts_are_told_by_their_first_line() {
    let bench = Bench::new(&[("run", "#!/usr/bin/env python3\ndef f\n"), ("LICENSE", "def never\n")]);
    assert_eq!(bench.check(1, 0, 0).graph.symbol(1).language, "python");
    bench.settle();
    bench.write("LICENSE", "#!/bin/sh\ndef now\n");
    assert_eq!(bench.check(1, 1, 0).graph.named("now").count(), 1);
    bench.write("run", "def f\n");
    bench.check(0, 1, 1);
}

#[test]
fn links_are_not_followed() {
    let bench = Bench::new(FILES);
    symlink("a.py", bench.at("link.py")).unwrap();
    symlink("b", bench.at("folder")).unwrap();
    bench.check(4, 0, 0);
    bench.settle();
    // A file becomes a link to what it was.
    fs::rename(bench.at("a.py"), bench.at("real.xyz")).unwrap();
    symlink("real.xyz", bench.at("a.py")).unwrap();
    bench.check(0, 3, 1);
}

#[test]
fn names_that_are_no_text_are_listed() {
    let bench = Bench::new(FILES);
    let folder = bench.root.join(std::ffi::OsStr::from_bytes(b"caf\xE9"));
    if fs::create_dir(&folder).is_err() {
        return; // This file system has no such names.
    }
    fs::write(folder.join("x.py"), "def x\n").unwrap();
    let opened = bench.check(4, 0, 0);
    assert_eq!(opened.skipped, [Skipped { file: "caf\u{FFFD}/x.py".to_owned(), why: Why::NotUtf8Name }]);
    assert_eq!(bench.check(0, 4, 0).skipped.len(), 1);
}

#[test]
fn the_order_of_bytes_is_the_order_of_files() {
    let bench = Bench::new(&[("a/b.py", ""), ("a.py", ""), ("a-b.py", ""), ("é.py", ""), ("z.py", "")]);
    let graph = bench.check(5, 0, 0).graph;
    let paths: Vec<&str> = (0..5).map(|ix| graph.file(ix).path).collect();
    assert_eq!(paths, ["a-b.py", "a.py", "a/b.py", "z.py", "é.py"]);
}

/// One change of a tree.
#[derive(Debug, Clone)]
enum Change {
    Write(u8, u8),
    Remove(u8),
    Move(u8, u8),
    MoveFolder(u8, u8),
    RemoveFolder(u8),
    Ignore(u8),
    Open,
}

fn change() -> impl Strategy<Value = Change> {
    prop_oneof![
        4 => (0..24_u8, 0..6_u8).prop_map(|(place, text)| Change::Write(place, text)),
        2 => (0..24_u8).prop_map(Change::Remove),
        2 => (0..24_u8, 0..24_u8).prop_map(|(from, to)| Change::Move(from, to)),
        1 => (0..6_u8, 0..6_u8).prop_map(|(from, to)| Change::MoveFolder(from, to)),
        1 => (0..6_u8).prop_map(Change::RemoveFolder),
        1 => (0..4_u8).prop_map(Change::Ignore),
        3 => Just(Change::Open),
    ]
}

const FOLDERS: [&str; 6] = ["a", "b", "a/c", "a/c/d", "b/c", "e"];

impl Change {
    /// Errors are part of it: a folder cannot be moved into itself.
    fn make(&self, bench: &Bench) {
        let path = |place: &u8| {
            let folder = FOLDERS[usize::from(place % 6)];
            bench.at(&format!("{folder}/{}", ["f.py", "g.py", "package.json", "x.txt"][usize::from(place / 6)]))
        };
        let folder = |place: &u8| bench.at(FOLDERS[usize::from(*place)]);
        match self {
            Self::Write(place, text) => {
                let text = ["def f\ncall g\n", "def g\n", "", "class K\n  def f\n", "def g\ncall f\n", "too hard\n"]
                    [usize::from(*text)];
                let _ = fs::create_dir_all(path(place).parent().unwrap());
                let _ = fs::write(path(place), text);
            }
            Self::Remove(place) => drop(fs::remove_file(path(place))),
            Self::Move(from, to) => drop(fs::rename(path(from), path(to))),
            Self::MoveFolder(from, to) => drop(fs::rename(folder(from), folder(to))),
            Self::RemoveFolder(place) => drop(fs::remove_dir_all(folder(place))),
            Self::Ignore(rules) => {
                bench.write(".gitignore", ["", "c/\n", "g.py\n", "/a/\n!f.py\n"][usize::from(*rules)])
            }
            Self::Open => drop(bench.try_open().unwrap()),
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, max_shrink_iters: 200, ..ProptestConfig::default() })]

    /// Whatever the history, the graph is the one that an index made from nothing has.
    #[test]
    fn history_leaves_no_trace(changes in prop::collection::vec(change(), 1..30)) {
        let bench = Bench::new(&[("a/f.py", "def f\n"), ("b/c/g.py", "call f\n")]);
        for change in &changes {
            change.make(&bench);
        }
        bench.open();
        bench.open();
    }
}
