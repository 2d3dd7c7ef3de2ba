//! Real children, and what is left of them.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};
use vise_peer::{GuardProgram, Incoming, Limits, Peer, Start};

/// A variable that is in the environment of a test's guard and of everything below it.
pub(crate) const MARK: &str = "PEER_TEST_MARK";

pub(crate) fn children() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/children")
}

pub(crate) fn helper() -> &'static str {
    env!("CARGO_BIN_EXE_peer-helper")
}

/// A mark that no other test has.
pub(crate) fn new_mark() -> String {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    format!("{}-{}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed))
}

/// What runs `python3 -c CODE`, with `frames.py` at hand.
pub(crate) fn python(mark: &str, code: &str) -> Start {
    Start {
        guard: GuardProgram { program: helper().into(), arguments: vec!["guard".into()] },
        program: "python3".into(),
        arguments: vec![
            "-u".into(),
            "-c".into(),
            format!("import json, os, sys, time\nfrom frames import read, write\n{code}").into(),
        ],
        folder: children(),
        env: vec![(MARK.into(), mark.into()), ("PYTHONPATH".into(), children().into())],
        limits: Limits::default(),
        records: None,
    }
}

/// What runs `tests/children/tree.py`.
pub(crate) fn tree(mark: &str, arguments: &[&str]) -> Start {
    let mut start = python(mark, "");
    start.arguments = vec!["-u".into(), "tree.py".into()];
    start.arguments.extend(arguments.iter().map(Into::into));
    start
}

pub(crate) async fn text(incoming: &mut Incoming) -> String {
    String::from_utf8(incoming.next().await.expect("a frame").expect("no error")).unwrap()
}

/// The ids that `tree.py` tells.
pub(crate) struct Told {
    pub(crate) pids: Vec<u32>,
    pub(crate) guard: u32,
}

pub(crate) fn told(text: &str) -> Told {
    let numbers = |text: &str| -> Vec<u32> {
        text.split(|c: char| !c.is_ascii_digit())
            .filter(|word| !word.is_empty())
            .map(|word| word.parse().unwrap())
            .collect()
    };
    let (pids, guard) = text.split_once("guard").unwrap();
    let told = Told { pids: numbers(pids), guard: numbers(guard)[0] };
    assert_eq!(told.pids.len(), 5, "{text}");
    for pid in &told.pids {
        assert!(is_alive(*pid), "{pid} of {text}");
    }
    told
}

/// Whether there is a process of this id that has not ended.
pub(crate) fn is_alive(pid: u32) -> bool {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    stat.rsplit_once(')').is_some_and(|(_, rest)| !rest.trim_start().starts_with(['Z', 'X']))
}

/// The living processes that bear a test's mark.
pub(crate) fn marked(mark: &str) -> Vec<u32> {
    let wanted = format!("{MARK}={mark}");
    let pids = fs::read_dir("/proc").unwrap().filter_map(|entry| entry.unwrap().file_name().to_str()?.parse().ok());
    let bears = |pid: &u32| {
        let environment = fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
        environment.split(|byte| *byte == 0).any(|entry| entry == wanted.as_bytes())
    };
    pids.filter(bears).filter(|pid| is_alive(*pid)).collect()
}

/// Waits until nothing is left of a tree, for three seconds, which is what the house promises.
#[track_caller]
pub(crate) fn assert_gone(mark: &str, told: &Told) {
    let deadline = Instant::now() + Duration::from_secs(3);
    let left = || {
        let mut left = marked(mark);
        left.extend(told.pids.iter().chain([&told.guard]).filter(|pid| is_alive(**pid)));
        left
    };
    while !left().is_empty() {
        assert!(Instant::now() < deadline, "still there: {:?}", left());
        std::thread::sleep(Duration::from_millis(10));
    }
}

pub(crate) fn kill(pid: u32, signal: rustix::process::Signal) {
    let pid = rustix::process::Pid::from_raw(i32::try_from(pid).unwrap()).unwrap();
    rustix::process::kill_process(pid, signal).unwrap();
}

/// A peer that runs `tree.py`, and what that tells.
pub(crate) async fn started_tree(mark: &str, arguments: &[&str]) -> (Peer, Incoming, Told) {
    let (peer, mut incoming) = Peer::start(tree(mark, arguments)).await.unwrap();
    let told = told(&text(&mut incoming).await);
    assert_eq!(told.pids[0], peer.pid());
    (peer, incoming, told)
}
