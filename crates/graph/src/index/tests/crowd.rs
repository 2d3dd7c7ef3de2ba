//! Several at once, and those who die while they write.
//!
//! Children are this test program again, told what to do by a variable of their environment.

use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use super::*;

const TASK: &str = "VISE_GRAPH_TEST_ROOT";

fn many(bench: &Bench, count: usize) {
    for n in 0..count {
        bench.write(&format!("d{}/f{n}.py", n % 17), format!("def f{n}\ncall f{}\ncall f{}\n", n / 2, n / 3));
    }
}

/// What a child does: it opens the index again and again, or once.
#[test]
fn child() {
    let Some(root) = std::env::var_os(TASK) else { return };
    let root = PathBuf::from(root);
    let options = options(root.parent().unwrap());
    loop {
        let opened = sample_open(&root, &options).unwrap();
        println!("opened {}", opened.graph.symbols());
    }
}

fn start(bench: &Bench) -> Child {
    Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "index::tests::crowd::child", "--nocapture"])
        .env(TASK, &bench.root)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap()
}

#[test]
fn killed_at_any_moment() {
    let bench = Bench::new(&[]);
    many(&bench, 300);
    for round in 0..25_u64 {
        bench.write("d1/changing.py", format!("def g{round}\ncall f1\n"));
        let mut child = start(&bench);
        std::thread::sleep(Duration::from_millis(3 + round * 7));
        child.kill().unwrap();
        child.wait().unwrap();
        if round % 3 == 0 {
            let opened = bench.open();
            assert_eq!(opened.warnings, [] as [&str; 0]);
            assert_eq!(opened.graph.named(&format!("g{round}")).count(), 1);
        }
    }
    bench.open();
    bench.check(0, 301, 0);
}

#[test]
fn two_at_once_index_once() {
    let bench = Bench::new(&[]);
    many(&bench, 300);
    let opened: Vec<Opened> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..4).map(|_| scope.spawn(|| bench.try_open().unwrap())).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    let parsed: usize = opened.iter().map(|opened| opened.report.parsed).sum();
    assert_eq!(parsed, 300);
    assert!(opened.iter().all(|opened| opened.warnings.is_empty() && opened.graph.symbols() == 600));
    bench.check(0, 300, 0);
}

#[test]
fn whoever_cannot_wait_answers_from_memory() {
    let mut bench = Bench::new(&[]);
    many(&bench, 20);
    bench.check(20, 0, 0);
    bench.write("new.py", "def new\n");
    let store = crate::store::Store::open(bench.options.cache_home.as_ref().unwrap(), &bench.root).unwrap();
    let lock = store.lock(Duration::ZERO, &|| false).unwrap();
    assert!(lock.is_some());
    bench.options.lock_wait = Duration::from_millis(30);
    for _ in 0..2 {
        let opened = bench.open();
        assert_eq!(opened.report, Report { parsed: 1, reused: 20, removed: 0 });
        assert!(opened.warnings[0].contains("another process"), "{:?}", opened.warnings);
        assert_eq!((opened.generation, opened.graph.named("new").count()), (0, 1));
    }
    drop(lock);
    bench.check(1, 20, 0);
}

#[test]
fn readers_wait_for_nobody() {
    let mut bench = Bench::new(&[]);
    many(&bench, 20);
    bench.open();
    bench.options.lock_wait = Duration::MAX;
    let store = crate::store::Store::open(bench.options.cache_home.as_ref().unwrap(), &bench.root).unwrap();
    let _lock = store.lock(Duration::ZERO, &|| false).unwrap().unwrap();
    // Nothing changed, so nothing is to be written, though all files are as young as can be.
    let opened = bench.try_open().unwrap();
    assert_eq!((opened.report.reused, opened.generation), (20, 1));
    assert_eq!(opened.warnings, [] as [&str; 0]);
}

#[test]
fn eight_readers_and_a_writer() {
    let bench = Bench::new(&[]);
    many(&bench, 60);
    bench.open();
    let done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| {
                while !done.load(Ordering::Relaxed) {
                    let opened = bench.try_open().unwrap();
                    assert_eq!(opened.warnings, [] as [&str; 0]);
                    // One of the two files is there at any moment, or both, or none between the two steps of a move; in
                    // every answer symbols and edges fit each other.
                    let moved = opened.graph.named("moving").count();
                    assert!(moved <= 2);
                    assert!(opened.graph.symbols() >= 120);
                    for ix in 0..opened.graph.symbols() {
                        assert!(opened.graph.out(ix).all(|edge| !opened.graph.symbol(edge.to).name.is_empty()));
                    }
                }
            });
        }
        let start = Instant::now();
        for round in 0..40 {
            let (from, to) = [("x/moving.py", "y/moving.py"), ("y/moving.py", "x/moving.py")][round % 2];
            bench.write(to, format!("def moving\ncall f{round}\n"));
            let _ = fs::remove_file(bench.at(from));
            bench.write("d3/f3.py", format!("def f3\ncall f{}\n", round % 50));
            let opened = bench.try_open().unwrap();
            assert_eq!(opened.graph.named("moving").count(), 1);
            let callers = callers(&opened.graph, &format!("f{}", round % 50));
            assert!(callers.contains(&"f3".to_owned()), "{callers:?}");
            if start.elapsed() > Duration::from_secs(60) {
                break;
            }
        }
        done.store(true, Ordering::Relaxed);
    });
    bench.open();
    bench.check(0, 61, 0);
}
