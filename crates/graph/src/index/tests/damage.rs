//! Stores that are damaged, in the way or not to be had.

use super::*;

const FILES: &[(&str, &str)] =
    &[("a.py", "def f\ncall g\n"), ("b/c.py", "def g\n"), ("d.py", "class K\n  def m\n  call f\n")];

#[track_caller]
fn warned(opened: &Opened, word: &str) {
    assert!(opened.warnings.iter().any(|warning| warning.contains(word)), "{:?}", opened.warnings);
}

/// Overwrites some of a file, from its first quarter on.
fn corrupt(path: &Path) {
    let mut bytes = fs::read(path).unwrap();
    let (start, step) = (bytes.len() / 4, (bytes.len() / 40).max(64));
    for piece in bytes[start..].chunks_mut(step) {
        let len = piece.len().min(48);
        piece[..len].fill(0xA5);
    }
    fs::write(path, bytes).unwrap();
}

fn truncate(path: &Path) {
    let len = fs::metadata(path).unwrap().len();
    fs::File::options().write(true).open(path).unwrap().set_len(len / 2).unwrap();
}

fn empty(path: &Path) {
    fs::write(path, "").unwrap();
}

const WAYS: [fn(&Path); 3] = [corrupt, truncate, empty];

#[test]
fn a_damaged_generation_is_made_anew_from_facts() {
    for way in WAYS {
        let bench = Bench::new(FILES);
        bench.check(3, 0, 0);
        way(&bench.stored("graph."));
        let opened = bench.open();
        warned(&opened, "damaged");
        assert_eq!((opened.report.parsed, opened.report.reused), (0, 3));
        bench.check(0, 3, 0);
        assert!(bench.names().contains(&"graph.damaged".to_owned()), "{:?}", bench.names());
    }
}

#[test]
fn a_damaged_tree_is_made_anew_from_rows() {
    for way in WAYS {
        let bench = Bench::new(FILES);
        bench.check(3, 0, 0);
        way(&bench.stored("tree."));
        let opened = bench.open();
        warned(&opened, "damaged");
        assert_eq!((opened.report.parsed, opened.report.reused), (0, 3));
        bench.check(0, 3, 0);
        assert!(bench.names().contains(&"tree.damaged".to_owned()), "{:?}", bench.names());
    }
}

#[test]
fn damaged_facts_are_made_anew_when_they_are_needed() {
    for way in WAYS {
        let bench = Bench::new(FILES);
        bench.check(3, 0, 0);
        way(&bench.store().join("facts.sqlite"));
        bench.write("a.py", "def f\n");
        assert!(bench.open().report.parsed >= 1);
        bench.check(0, 3, 0);
        bench.write("a.py", "def f\ncall g\n");
        bench.check(1, 2, 0);
    }
}

#[test]
fn facts_that_are_another_table() {
    let bench = Bench::new(FILES);
    bench.check(3, 0, 0);
    let connection = rusqlite::Connection::open(bench.store().join("facts.sqlite")).unwrap();
    connection.execute_batch("DROP TABLE file; CREATE TABLE file (id INTEGER)").unwrap();
    drop(connection);
    bench.write("a.py", "def f\n");
    let opened = bench.open();
    warned(&opened, "damaged");
    assert_eq!(opened.report.parsed, 3);
    assert!(bench.names().contains(&"facts.damaged".to_owned()), "{:?}", bench.names());
    bench.check(0, 3, 0);
}

#[test]
fn one_damaged_row_is_one_parsed_file() {
    let bench = Bench::new(FILES);
    bench.check(3, 0, 0);
    let connection = rusqlite::Connection::open(bench.store().join("facts.sqlite")).unwrap();
    connection.execute("UPDATE file SET facts = x'0102030405060708090a0b0c0d' WHERE path = 'd.py'", []).unwrap();
    connection
        .execute("UPDATE file SET facts = (SELECT facts FROM file WHERE path = 'a.py') WHERE path = 'b/c.py'", [])
        .unwrap();
    drop(connection);
    bench.write("a.py", "def f\n");
    bench.check(3, 0, 0);
}

#[test]
fn everything_is_damaged_at_once() {
    for way in WAYS {
        let bench = Bench::new(FILES);
        bench.check(3, 0, 0);
        for name in bench.names() {
            way(&bench.store().join(name));
        }
        warned(&bench.open(), "damaged");
        bench.check(0, 3, 0);
        bench.write("a.py", "def f\n");
        bench.check(1, 2, 0);
    }
}

#[test]
fn damage_that_comes_back_leaves_one_file_of_a_kind() {
    let bench = Bench::new(FILES);
    for _ in 0..3 {
        bench.open();
        truncate(&bench.store().join(graph_name(&bench)));
        bench.open();
    }
    let damaged = bench.names().iter().filter(|name| name.ends_with(".damaged")).count();
    assert_eq!(damaged, 1, "{:?}", bench.names());
}

fn graph_name(bench: &Bench) -> String {
    bench.names().into_iter().find(|name| name.starts_with("graph.") && name.ends_with(".bin")).unwrap()
}

#[test]
fn files_that_are_gone() {
    for gone in ["CURRENT", "tree.", "graph.", "facts.sqlite"] {
        let bench = Bench::new(FILES);
        bench.check(3, 0, 0);
        fs::remove_file(bench.stored(gone)).unwrap();
        bench.open();
        bench.check(0, 3, 0);
        bench.write("a.py", "def f\n");
        bench.open();
        bench.check(0, 3, 0);
    }
}

#[test]
fn what_others_left_lying_is_swept() {
    let bench = Bench::new(FILES);
    bench.check(3, 0, 0);
    for name in [".new-graph.9.bin", "graph.7.bin", "tree.8.bin"] {
        fs::write(bench.store().join(name), "left").unwrap();
    }
    bench.write("a.py", "def f\n");
    assert_eq!(bench.check(1, 2, 0).generation, 9);
    assert_eq!(bench.names(), ["CURRENT", "facts.sqlite", "graph.9.bin", "tree.9.bin", "writer.lock"]);
}

#[test]
fn a_file_in_the_way_of_the_folder() {
    let bench = Bench::new(FILES);
    let cache = bench.options.cache_home.clone().unwrap();
    for blocked in [cache.clone(), cache.join("vise"), cache.join("vise/graph")] {
        let _ = fs::remove_dir_all(&cache);
        fs::create_dir_all(blocked.parent().unwrap()).unwrap();
        fs::write(&blocked, "in the way\n").unwrap();
        for _ in 0..2 {
            let opened = bench.open();
            warned(&opened, "cannot be kept");
            assert_eq!((opened.report.parsed, opened.generation, opened.store_bytes), (3, 0, 0));
        }
        fs::remove_file(&blocked).unwrap();
    }
    bench.check(3, 0, 0);
}

#[test]
fn folders_in_the_way_of_files() {
    for name in ["CURRENT", "writer.lock", "facts.sqlite"] {
        let bench = Bench::new(FILES);
        bench.check(3, 0, 0);
        let path = bench.store().join(name);
        fs::remove_file(&path).unwrap();
        fs::create_dir(&path).unwrap();
        fs::write(path.join("x"), "").unwrap();
        bench.write("a.py", "def f\n");
        let opened = bench.open();
        assert!(!opened.warnings.is_empty(), "{name}");
        assert_eq!(callers(&bench.open().graph, "f"), ["m"]);
    }
}

#[test]
fn a_store_that_is_read_only() {
    use std::os::unix::fs::PermissionsExt;
    let bench = Bench::new(FILES);
    bench.check(3, 0, 0);
    bench.settle();
    let folder = bench.store();
    fs::set_permissions(&folder, fs::Permissions::from_mode(0o500)).unwrap();
    let opened = bench.check(0, 3, 0);
    assert_eq!(opened.generation, 1);
    bench.write("a.py", "def f\n");
    // The superuser may write anywhere.
    let opened = bench.open();
    assert_eq!(opened.generation == 0, fs::File::create(folder.join("probe")).is_err());
    fs::set_permissions(&folder, fs::Permissions::from_mode(0o700)).unwrap();
}

#[test]
fn nothing_is_kept_where_nothing_is_to_be_kept() {
    let mut bench = Bench::new(FILES);
    bench.options.cache_home = None;
    for _ in 0..2 {
        let opened = bench.check(3, 0, 0);
        assert_eq!((opened.generation, opened.store_bytes), (0, 0));
    }
}

#[test]
fn the_folder_is_the_users_own() {
    use std::os::unix::fs::PermissionsExt;
    let bench = Bench::new(FILES);
    bench.check(3, 0, 0);
    assert_eq!(fs::metadata(bench.store()).unwrap().permissions().mode() & 0o777, 0o700);
    for name in ["CURRENT", "graph.1.bin", "tree.1.bin"] {
        assert_eq!(fs::metadata(bench.store().join(name)).unwrap().permissions().mode() & 0o077, 0, "{name}");
    }
}
