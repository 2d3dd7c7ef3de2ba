//! For the tests: a guard, and an owner that comes to a bad end.
//!
//! `guard PROGRAM ARGUMENT…` · `owner END RECORDS PROGRAM ARGUMENT…`

#![cfg(unix)]

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::ExitCode;
use vise_peer::{GuardProgram, Limits, Peer, Start, guard_main};

fn main() -> ExitCode {
    let mut arguments = std::env::args_os().skip(1);
    match arguments.next().and_then(|word| word.into_string().ok()).as_deref() {
        Some("guard") => guard_main(arguments),
        Some("owner") => owner(arguments),
        _ => ExitCode::from(2),
    }
}

/// Starts a child, prints its first frame and the guard's id, and ends as it was told.
fn owner(mut arguments: impl Iterator<Item = OsString>) -> ExitCode {
    let end = arguments.next().and_then(|end| end.into_string().ok()).unwrap_or_default();
    let records = arguments.next().map(PathBuf::from);
    let start = Start {
        guard: GuardProgram { program: std::env::current_exe().unwrap(), arguments: vec!["guard".into()] },
        program: arguments.next().unwrap(),
        arguments: arguments.collect(),
        folder: std::env::current_dir().unwrap(),
        base: None,
        framed: true,
        env: Vec::new(),
        limits: Limits::default(),
        records,
    };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let (_peer, mut incoming) = Peer::start(start).await.unwrap();
        let first = incoming.next().await.unwrap().unwrap();
        println!("{}", String::from_utf8(first).unwrap());
        match end.as_str() {
            "panic" => panic!("as told"),
            "abort" => std::process::abort(),
            "exit" => std::process::exit(0),
            _ => {
                tokio::time::sleep(std::time::Duration::from_secs(300)).await;
                ExitCode::FAILURE
            }
        }
    })
}
