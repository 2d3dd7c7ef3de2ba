//! Nothing of a child's tree is left, whoever dies first.

#![cfg(target_os = "linux")]

use rustix::process::Signal;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use support::{MARK, children, helper, is_alive, marked, new_mark, python, text};
use vise_peer::{Exit, Incoming, Janitor, Peer, Start, Status};

mod support;

const GRACE: Duration = Duration::from_millis(300);

/// What runs `tests/children/tree.py`.
fn tree(mark: &str, arguments: &[&str]) -> Start {
    let mut start = python(mark, "");
    start.arguments = vec!["-u".into(), "tree.py".into()];
    start.arguments.extend(arguments.iter().map(Into::into));
    start
}

/// Which of the ids is that of the child and the daemon without an environment.
const BARE_CHILD: usize = 4;
const BARE_DAEMON: usize = 5;

/// The ids that `tree.py` tells.
struct Told {
    /// The child first, and then one a kind.
    pids: Vec<u32>,
    guard: u32,
}

fn told(text: &str) -> Told {
    let numbers = |text: &str| -> Vec<u32> {
        text.split(|c: char| !c.is_ascii_digit())
            .filter(|word| !word.is_empty())
            .map(|word| word.parse().unwrap())
            .collect()
    };
    let (pids, guard) = text.split_once("guard").unwrap();
    let told = Told { pids: numbers(pids), guard: numbers(guard)[0] };
    assert_eq!(told.pids.len(), 6, "{text}");
    for pid in &told.pids {
        assert!(is_alive(*pid), "{pid} of {text}");
    }
    told
}

/// Waits for three seconds, which is what the house promises.
#[track_caller]
fn wait_for(holds: impl Fn() -> bool) {
    let deadline = Instant::now() + Duration::from_secs(3);
    while !holds() {
        assert!(Instant::now() < deadline, "not within three seconds");
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// Waits until nothing is left of a tree, its guard included.
#[track_caller]
fn assert_gone(mark: &str, told: &Told) {
    wait_for(|| marked(mark).is_empty() && !told.pids.iter().chain([&told.guard]).any(|pid| is_alive(*pid)));
}

fn kill(pid: u32, signal: rustix::process::Signal) {
    let pid = rustix::process::Pid::from_raw(i32::try_from(pid).unwrap()).unwrap();
    rustix::process::kill_process(pid, signal).unwrap();
}

/// A peer that runs `tree.py`, and what that tells.
async fn started_tree(mark: &str, arguments: &[&str]) -> (Peer, Incoming, Told) {
    let (peer, mut incoming) = Peer::start(tree(mark, arguments)).await.unwrap();
    let told = told(&text(&mut incoming).await);
    assert_eq!(told.pids[0], peer.pid());
    (peer, incoming, told)
}

#[tokio::test]
async fn stop_ends_a_tree_that_listens() {
    let mark = new_mark();
    let (peer, _incoming, told) = started_tree(&mark, &[]).await;
    assert_eq!(marked(&mark).len(), 5, "the guard and four of six processes; two have no environment");
    assert_eq!(peer.memory().processes, 6);
    assert!(peer.memory().bytes > 6 << 20, "{:?}", peer.memory());
    let ending = peer.stop(Duration::from_secs(5)).await;
    assert_eq!((ending.killed, ending.survivors, ending.guard_lost), (vec![], vec![], false));
    assert_eq!(peer.status(), Status::Exited(Exit::Signal(Signal::TERM.as_raw())));
    assert_eq!(peer.memory().processes, 0);
    assert_gone(&mark, &told);
    assert_eq!(peer.stop(GRACE).await.killed, [], "the second stop waits for the same end");
}

#[tokio::test]
async fn stop_kills_a_tree_that_does_not_listen() {
    let mark = new_mark();
    let (peer, _incoming, told) = started_tree(&mark, &["deaf"]).await;
    let ending = peer.stop(GRACE).await;
    let mut pids = told.pids.clone();
    pids.sort();
    assert_eq!(ending.killed.iter().map(|process| process.pid).collect::<Vec<_>>(), pids);
    assert!(ending.killed.iter().all(|process| process.name.contains("python")), "{:?}", ending.killed);
    assert_eq!((ending.survivors, ending.guard_lost), (vec![], false));
    assert_eq!(peer.exited().await, Exit::Signal(Signal::KILL.as_raw()));
    assert_gone(&mark, &told);
}

#[tokio::test]
async fn stop_without_a_grace_kills_at_once() {
    let mark = new_mark();
    let (peer, _incoming, told) = started_tree(&mark, &[]).await;
    assert_eq!(peer.stop(Duration::ZERO).await.killed.len(), 6);
    assert_gone(&mark, &told);
}

#[tokio::test]
async fn a_stop_is_overtaken_by_one_with_less_grace() {
    let mark = new_mark();
    let (peer, _incoming, told) = started_tree(&mark, &["deaf"]).await;
    let (patient, hasty) = tokio::join!(peer.stop(Duration::from_secs(300)), async {
        tokio::time::sleep(Duration::from_millis(50)).await;
        peer.stop(Duration::ZERO).await
    });
    assert_eq!(patient, hasty);
    assert_gone(&mark, &told);
}

#[tokio::test]
async fn a_stop_that_is_given_up_with_its_peer_waits_no_longer() {
    let mark = new_mark();
    let (peer, _incoming, told) = started_tree(&mark, &["deaf"]).await;
    let stop = tokio::time::timeout(Duration::from_millis(50), peer.stop(Duration::from_secs(300))).await;
    assert!(stop.is_err());
    drop(peer);
    assert_gone(&mark, &told);
}

#[tokio::test]
async fn a_process_outside_the_tree_that_bears_its_mark_is_ended_too() {
    let mark = new_mark();
    let (peer, _incoming, told) = started_tree(&mark, &[]).await;
    let environment = std::fs::read_to_string(format!("/proc/{}/environ", peer.pid())).unwrap();
    let session = environment.split('\0').find_map(|entry| entry.strip_prefix("VISE_SESSION=")).unwrap();
    let stray = |session: &str| Command::new("sleep").arg("300").env("VISE_SESSION", session).spawn().unwrap();
    let (mut ours, mut another) = (stray(session), stray(&"0".repeat(32)));
    let ending = peer.stop(GRACE).await;
    assert_eq!(ending.killed.iter().map(|process| process.pid).collect::<Vec<_>>(), [ours.id()]);
    assert_gone(&mark, &told);
    ours.wait().unwrap();
    assert_eq!(another.try_wait().unwrap(), None, "another tree's mark");
    another.kill().unwrap();
    another.wait().unwrap();
}

#[tokio::test]
async fn drop_ends_the_tree() {
    let mark = new_mark();
    let (peer, mut incoming, told) = started_tree(&mark, &["deaf"]).await;
    drop(peer);
    assert!(incoming.next().await.is_none());
    assert_gone(&mark, &told);
}

#[test]
fn a_runtime_that_goes_down_ends_the_tree() {
    let mark = new_mark();
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
    let told = runtime.block_on(async {
        let (peer, incoming, told) = started_tree(&mark, &["deaf"]).await;
        tokio::spawn(async move {
            let _both = (peer, incoming);
            std::future::pending::<()>().await;
        });
        told
    });
    drop(runtime);
    assert_gone(&mark, &told);
}

#[tokio::test]
async fn a_start_that_is_given_up_leaves_nothing() {
    let mark = new_mark();
    let start = tree(&mark, &["deaf"]);
    // One poll starts the guard; what follows is never asked for.
    let polled = tokio::time::timeout(Duration::ZERO, Peer::start(start)).await;
    assert!(polled.is_err());
    wait_for(|| marked(&mark).is_empty());
}

#[tokio::test]
async fn a_child_that_dies_takes_its_tree_along() {
    let mark = new_mark();
    let (peer, mut incoming) = Peer::start(tree(&mark, &["deaf", "die"])).await.unwrap();
    let text = text(&mut incoming).await;
    assert_eq!(peer.exited().await, Exit::Code(7));
    assert_eq!(peer.status(), Status::Exited(Exit::Code(7)));
    let ending = peer.ended().await;
    assert_eq!((ending.killed.len(), ending.survivors, ending.guard_lost), (5, vec![], false), "{text}");
    assert_eq!(marked(&mark), []);
    assert_eq!(
        peer.send(b"{}").await.unwrap_err().to_string(),
        "the child's standard input is closed; it must be started anew"
    );
}

#[tokio::test]
async fn a_killed_child_takes_its_tree_along() {
    let mark = new_mark();
    let (peer, _incoming, told) = started_tree(&mark, &["deaf"]).await;
    kill(peer.pid(), Signal::KILL);
    assert_eq!(peer.exited().await, Exit::Signal(9));
    assert_eq!(peer.ended().await.killed.len(), 5);
    assert_gone(&mark, &told);
}

#[tokio::test]
async fn the_owner_sweeps_when_the_guard_is_killed() {
    let mark = new_mark();
    let (peer, _incoming, told) = started_tree(&mark, &["deaf"]).await;
    // The one that hides from both nets: no environment, no session of ours, no parent. docs/peers.md says so.
    let hidden = told.pids[BARE_DAEMON];
    kill(told.guard, Signal::KILL);
    let ending = peer.ended().await;
    assert!(ending.guard_lost);
    assert_eq!(ending.survivors, []);
    assert_eq!(peer.status(), Status::Exited(Exit::Unknown));
    assert_eq!(marked(&mark), []);
    for pid in told.pids.iter().filter(|pid| **pid != hidden) {
        assert!(!is_alive(*pid), "{pid}");
    }
    assert!(is_alive(hidden));
    kill(hidden, Signal::KILL);
}

#[tokio::test]
async fn a_guard_that_stands_still_is_replaced() {
    let mark = new_mark();
    let (peer, _incoming, told) = started_tree(&mark, &["deaf"]).await;
    let hidden = told.pids[BARE_DAEMON];
    kill(told.guard, Signal::STOP);
    let ending = peer.stop(Duration::ZERO).await;
    assert!(ending.guard_lost);
    assert_eq!((marked(&mark), ending.survivors), (vec![], vec![]));
    kill(hidden, Signal::KILL);
}

#[tokio::test]
async fn a_guard_that_is_asked_to_end_ends_its_tree_first() {
    let mark = new_mark();
    let (peer, _incoming, told) = started_tree(&mark, &["deaf"]).await;
    kill(told.guard, Signal::TERM);
    let ending = peer.ended().await;
    assert_eq!((ending.killed.len(), ending.guard_lost), (6, false));
    assert_gone(&mark, &told);
}

/// Another process that owns a tree. A test that fails takes it along, and so its tree.
struct Owner(Child);

impl Drop for Owner {
    fn drop(&mut self) {
        // It may have ended as it was told.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// An owner that will end so, and what its tree tells.
fn owner(mark: &str, end: &str, records: &Path) -> (Owner, Told) {
    let mut owner = Command::new(helper())
        .args(["owner", end])
        .arg(records)
        .args(["python3", "-u", "tree.py", "deaf"])
        .current_dir(children())
        .env(MARK, mark)
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut line = String::new();
    BufReader::new(owner.stdout.take().unwrap()).read_line(&mut line).unwrap();
    (Owner(owner), told(&line))
}

#[test]
fn an_owner_may_end_in_any_way() {
    for end in ["panic", "abort", "exit", "killed"] {
        let (mark, records) = (new_mark(), tempfile::tempdir().unwrap());
        let (mut owner, told) = owner(&mark, end, records.path());
        if end == "killed" {
            kill(owner.0.id(), Signal::KILL);
        }
        owner.0.wait().unwrap();
        assert_gone(&mark, &told);
        // What is left is a record of the dead, which the next start takes away.
        assert_eq!(Janitor::new(records.path()).sweep().unwrap(), [], "{end}");
        assert_eq!(std::fs::read_dir(records.path()).unwrap().count(), 0, "{end}");
    }
}

#[test]
fn the_janitor_ends_what_outlived_owner_and_guard() {
    let (mark, records) = (new_mark(), tempfile::tempdir().unwrap());
    let (mut owner, told) = owner(&mark, "killed", records.path());
    let janitor = Janitor::new(records.path());
    assert_eq!(janitor.sweep().unwrap(), [], "its owner lives");
    kill(told.guard, Signal::STOP);
    kill(owner.0.id(), Signal::KILL);
    owner.0.wait().unwrap();
    kill(told.guard, Signal::KILL);
    // The child dies with the guard, without anybody's help.
    wait_for(|| !is_alive(told.pids[0]));
    let mut expected = told.pids[1..BARE_CHILD].to_vec();
    expected.sort();
    let killed: Vec<u32> = janitor.sweep().unwrap().iter().map(|process| process.pid).collect();
    assert_eq!(killed, expected);
    assert_eq!(marked(&mark), []);
    assert_eq!(std::fs::read_dir(records.path()).unwrap().count(), 0);
    for unknown in &told.pids[BARE_CHILD..] {
        kill(*unknown, Signal::KILL);
    }
}
