//! What is left of a session, whatever ends it; and what it refuses.

#![cfg(target_os = "linux")]

use std::fs;
use std::time::Instant;

use support::{SECOND, World, failure, go, launch, stop};
use vise_dap::{CancellationToken, EndedBy, Go, How, Kind, Launch, Op, Report, State};

#[allow(dead_code, reason = "shared with the other tests; each uses its part")]
mod support;

/// Starts a plain child and one in a session of its own, both deaf, and then works for ever.
const FAMILY: &str = "import os, signal, subprocess, sys, time
deaf = 'import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); time.sleep(600)'
for alone in (False, True):
    subprocess.Popen([sys.executable, '-c', deaf], start_new_session=alone)
token = 'hunter2'
config = {'password': 'swordfish', 'n': 1}
n = 0
while True:
    n += 1
    time.sleep(0.01)
";

/// The processes that bear the mark of a test, which its environment has.
fn marked(mark: &str) -> Vec<u32> {
    let wanted = format!("DAP_TEST_MARK={mark}");
    let pids = fs::read_dir("/proc").unwrap().filter_map(|entry| entry.unwrap().file_name().to_str()?.parse().ok());
    let bears = |pid: &u32| {
        let environment = fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
        let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
        let lives = stat.rsplit_once(')').is_some_and(|(_, rest)| !rest.trim_start().starts_with(['Z', 'X']));
        lives && environment.split(|byte| *byte == 0).any(|entry| entry == wanted.as_bytes())
    };
    pids.filter(bears).collect()
}

fn family(mark: &str) -> (World, Launch) {
    let world = World::new();
    world.write("app.py", FAMILY);
    let breaks = vec![world.spot("app.py", 8)];
    let env = vec![("DAP_TEST_MARK".to_owned(), mark.to_owned())];
    (world, Launch { breaks, env, ..launch("app.py") })
}

fn started(mark: &str, change: impl FnOnce(&mut Launch)) -> (World, Report) {
    let (world, mut launch) = family(mark);
    change(&mut launch);
    let report = world.ask(Op::Launch(launch)).unwrap();
    assert_eq!(report.state, State::Stopped, "{report:?}");
    assert!(marked(mark).len() >= 4, "adapter, program and both children");
    (world, report)
}

/// Nothing is left, and the session knows why it ended.
fn is_over(world: &World, mark: &str, by: EndedBy) {
    let begun = Instant::now();
    let scratch = || fs::read_dir(world.folder.path().join("s")).into_iter().flatten().count();
    loop {
        let status = world.ask(Op::Status).unwrap();
        if status.state == State::Ended && marked(mark).is_empty() && scratch() == 0 {
            assert_eq!(status.ended_by, Some(by));
            break;
        }
        assert!(begun.elapsed() < 20 * SECOND, "{status:?} {:?}", marked(mark));
        std::thread::sleep(SECOND / 20);
    }
    assert!(world.sessions.status().is_empty());
}

#[test]
#[ignore = "needs the debug adapters; `DAP_TOOLS` names their folder"]
fn the_end_is_the_end_of_everybody() {
    let (world, report) = started("end", |_| ());
    let session = report.session.clone().unwrap();
    let refused = world.try_launch("app.py", &[]).unwrap_err();
    assert_eq!((refused.kind, refused.session.unwrap().session), (Kind::Refused, session));
    assert!(stop(&report).at.as_ref().unwrap().locals.as_ref().unwrap().iter().any(|var| var.redacted));
    let config = support::local(&report, "config");
    assert!(config.contains("[redacted]") && config.contains("'n': 1"), "{config}");
    assert!(world.eval("token", false).redacted);
    let end = world.end();
    assert_eq!((end.ended_by, end.survivors.clone()), (Some(EndedBy::End), Some(vec![])));
    assert!(end.killed.unwrap().len() >= 2);
    is_over(&world, "end", EndedBy::End);
    assert_eq!(world.ask(Op::Go(go(How::Continue))).unwrap_err().kind, Kind::NotFound);
    assert_eq!(world.end().state, State::Ended, "twice is no error");
}

#[test]
#[ignore = "needs the debug adapters; `DAP_TOOLS` names their folder"]
fn the_lifetime_is_not_made_longer_by_questions() {
    let (world, _) = started("life", |launch| launch.lifetime = Some(3 * SECOND));
    while world.ask(Op::Status).unwrap().state == State::Stopped {
        let _ = world.ask(Op::Breaks { set: vec![], clear: vec![] });
    }
    is_over(&world, "life", EndedBy::Lifetime);
}

#[test]
#[ignore = "needs the debug adapters; `DAP_TOOLS` names their folder"]
fn a_killed_adapter_frees_the_slot() {
    let (world, _) = started("adapter", |_| ());
    let pid = world.ask(Op::Status).unwrap().pids.unwrap().adapter.unwrap();
    assert!(std::process::Command::new("kill").args(["-9", &pid.to_string()]).status().unwrap().success());
    is_over(&world, "adapter", EndedBy::Adapter);
    world.write("b.py", "x = 1\n");
    assert_eq!(world.launch("b.py", &[]).state, State::Exited);
}

#[test]
#[ignore = "needs the debug adapters; `DAP_TOOLS` names their folder"]
fn a_client_that_goes_ends_what_it_began_and_nothing_else() {
    let (world, mut launch) = family("client");
    launch.breaks.clear();
    let cancel = CancellationToken::new();
    let token = cancel.clone();
    std::thread::spawn(move || {
        std::thread::sleep(3 * SECOND);
        token.cancel();
    });
    let error = world.sessions.call("c", &world.call_of(Op::Launch(launch)), &cancel).unwrap_err();
    assert_eq!(error.kind, Kind::Cancelled);
    is_over(&world, "client", EndedBy::Client);

    let (world, _) = started("going", |_| ());
    world.ask(Op::Breaks { set: vec![], clear: vec!["all".to_owned()] }).unwrap();
    let call = world.call_of(Op::Go(Go { wait: SECOND / 5, ..go(How::Continue) }));
    let report = world.sessions.call("c", &call, &CancellationToken::new()).unwrap();
    assert_eq!(report.state, State::Running);
    assert_eq!(world.look(vise_dap::Look::default()).unwrap_err().kind, Kind::Refused);
    let paused = world.ask(Op::Pause { exprs: vec!["n + 1".to_owned()] }).unwrap();
    assert_eq!(stop(&paused).reason, "pause");
    assert!(stop(&paused).exprs[0].value.is_some(), "{paused:?}");
    world.end();
    is_over(&world, "going", EndedBy::End);
}

#[test]
#[ignore = "needs the debug adapters; `DAP_TOOLS` names their folder"]
fn what_cannot_be_started_leaves_nothing() {
    let world = World::new();
    assert_eq!(world.try_launch("none.py", &[]).unwrap_err().kind, Kind::NotFound);
    world.write("notes.txt", "x");
    assert_eq!(world.try_launch("notes.txt", &[]).unwrap_err().kind, Kind::Unsupported);
    let nobody = vise_dap::Failure { cwd: Some("none".into()), ..failure("test_x.py::y", &[]) };
    assert_eq!(world.ask(Op::Failure(nobody)).unwrap_err().kind, Kind::BadInput);
    world.write("big.py", "xs = list(range(100000))\ntext = '\\u00e9\"' * 100000\nfor i in range(60):\n    globals()['v%d' % i] = text\nprint(text)\nbreakpoint_here = 1\n");
    let report = world.launch("big.py", &[("big.py", 6)]);
    assert_eq!(report.state, State::Stopped);
    assert!(report.capped.iter().any(|capped| capped.what == "locals"), "{:?}", report.capped);
    assert!(world.eval("xs.append(1)", false).error.is_some_and(|error| error.kind == "refused"));
    assert!(world.eval("xs.append(1)", true).error.is_none());
    let stuck = world.eval("[0 for _ in iter(int, 1)]", true);
    assert!(stuck.error.is_some(), "{stuck:?}");
    assert_eq!(world.end().survivors, Some(vec![]));
}
