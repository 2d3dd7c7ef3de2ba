//! Real children, and what is left of them.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};
use vise_peer::{GuardProgram, Incoming, Limits, Start};

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

/// The Python that `python3` leads to: what stands on PATH may be a script that looks for it, every time anew.
fn interpreter() -> &'static str {
    static FOUND: OnceLock<String> = OnceLock::new();
    FOUND.get_or_init(|| {
        let output = Command::new("python3").args(["-c", "import sys; print(sys.executable)"]).output();
        String::from_utf8(output.expect("the tests need python3").stdout).unwrap().trim().to_string()
    })
}

/// What runs `python3 -c CODE`, with `frames.py` at hand.
pub(crate) fn python(mark: &str, code: &str) -> Start {
    Start {
        guard: GuardProgram { program: helper().into(), arguments: vec!["guard".into()] },
        program: interpreter().into(),
        arguments: vec![
            "-u".into(),
            "-c".into(),
            format!("import json, os, sys, time\nfrom frames import read, write\n{code}").into(),
        ],
        folder: children(),
        base: None,
        framed: true,
        env: vec![(MARK.into(), mark.into()), ("PYTHONPATH".into(), children().into())],
        limits: Limits::default(),
        records: None,
    }
}

pub(crate) async fn text(incoming: &mut Incoming) -> String {
    String::from_utf8(incoming.next().await.expect("a frame").expect("no error")).unwrap()
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
