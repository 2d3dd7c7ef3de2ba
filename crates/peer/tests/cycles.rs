//! Many children, one after the other: nothing adds up. Alone in its binary, because it counts descriptors.

#![cfg(target_os = "linux")]

use std::time::Duration;
use support::{marked, new_mark, python, text};
use vise_peer::Peer;

mod support;

fn descriptors() -> usize {
    std::fs::read_dir("/proc/self/fd").unwrap().count()
}

/// Our children, those that have ended and were not reaped too.
fn children_of_ours() -> Vec<String> {
    let me = std::process::id().to_string();
    let stats = std::fs::read_dir("/proc")
        .unwrap()
        .filter_map(|entry| std::fs::read_to_string(entry.unwrap().path().join("stat")).ok());
    stats.filter(|stat| stat.rsplit_once(')').unwrap().1.split_ascii_whitespace().nth(1) == Some(&me)).collect()
}

#[tokio::test]
async fn fifty_children_leave_no_process_and_no_descriptor() {
    let mark = new_mark();
    let mut before = 0;
    for cycle in 0..51 {
        let (peer, mut incoming) = Peer::start(python(&mark, "write(1)\nwrite(read())")).await.unwrap();
        assert_eq!(text(&mut incoming).await, "1");
        if cycle % 2 == 0 {
            peer.stop(Duration::from_secs(2)).await;
            assert_eq!(children_of_ours(), [""; 0], "stopped means gone and reaped");
        } else {
            peer.send(b"2").await.unwrap();
            assert_eq!(text(&mut incoming).await, "2");
            assert_eq!(peer.ended().await.survivors, []);
        }
        drop((peer, incoming));
        // What the runtime keeps for itself is open after the first.
        if cycle == 0 {
            settle().await;
            before = descriptors();
        }
    }
    settle().await;
    assert_eq!(descriptors(), before);
    assert_eq!(marked(&mark), []);
    assert_eq!(children_of_ours(), [""; 0]);
}

/// Lets the tasks and threads of a peer that was dropped come to their end.
async fn settle() {
    let threads = || std::fs::read_dir("/proc/self/task").unwrap().count();
    for _ in 0..300 {
        tokio::time::sleep(Duration::from_millis(10)).await;
        if threads() <= 2 {
            return;
        }
    }
}
