//! Processes as Linux shows them, below `/proc`.
//!
//! One look reads every process's parent. The kernel also lists the children of a thread, but not reliably while they
//! come and go, and not everywhere.

use super::Process;
use rustix::io::Errno;
use rustix::process::{Pid, PidfdFlags, Signal, kill_process, pidfd_open, pidfd_send_signal};
use std::fs;

/// Every process that can be seen.
pub(crate) fn all() -> Vec<Process> {
    let Ok(entries) = fs::read_dir("/proc") else { return Vec::new() };
    let pids = entries.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok());
    // A process may end between the listing and the look; then it is none any more.
    pids.filter_map(one).collect()
}

fn one(pid: u32) -> Option<Process> {
    parse(pid, &fs::read(format!("/proc/{pid}/stat")).ok()?)
}

/// Reads `pid (name) state parent group session …`; the name may hold anything, blanks and parentheses too.
fn parse(pid: u32, stat: &[u8]) -> Option<Process> {
    let text = String::from_utf8_lossy(stat);
    let (name, rest) = text.split_once('(')?.1.rsplit_once(')')?;
    let fields: Vec<&str> = rest.split_ascii_whitespace().collect();
    // The first is the third of the manual page proc_pid_stat(5).
    let number = |field: usize| fields.get(field - 3)?.parse::<u64>().ok();
    Some(Process {
        pid,
        parent: u32::try_from(number(4)?).ok()?,
        session: u32::try_from(number(6)?).ok()?,
        start: number(22)?,
        ended: matches!(*fields.first()?, "Z" | "X" | "x"),
        memory: number(24)? * rustix::param::page_size() as u64,
        name: name.to_string(),
    })
}

/// What tells this process from every other of its id: when it started, since which boot, and in which space of ids.
pub(crate) fn identity(pid: u32) -> Option<String> {
    let boot = fs::read_to_string("/proc/sys/kernel/random/boot_id").ok()?;
    let space = fs::read_link("/proc/self/ns/pid").ok()?;
    Some(format!("{} {} {}", boot.trim(), space.display(), one(pid).filter(|process| !process.ended)?.start))
}

/// Whether it was started with this `NAME=value`. A process of another user does not tell.
pub(super) fn has_variable(pid: u32, variable: &str) -> bool {
    let Ok(environment) = fs::read(format!("/proc/{pid}/environ")) else { return false };
    environment.split(|byte| *byte == 0).any(|entry| entry == variable.as_bytes())
}

pub(super) fn first_argument(pid: u32) -> Option<String> {
    let line = fs::read(format!("/proc/{pid}/cmdline")).ok()?;
    let first = line.split(|byte| *byte == 0).next().filter(|first| !first.is_empty())?;
    Some(String::from_utf8_lossy(first).into_owned())
}

/// Sends a signal to that very process; to nobody when it is gone and its id is another's by now.
pub(crate) fn signal(process: &Process, signal: Signal) {
    let Some(pid) = i32::try_from(process.pid).ok().and_then(Pid::from_raw) else { return };
    // The descriptor holds on to whoever has the id now, so that after the comparison it cannot become another. Where
    // the system has none, or no more of them, the comparison alone must do.
    let handle = pidfd_open(pid, PidfdFlags::empty());
    if handle.as_ref().is_err_and(|error| *error == Errno::SRCH) {
        return;
    }
    if one(process.pid).is_some_and(|now| now.start == process.start) {
        // It may have ended meanwhile, which is what a signal would have been for.
        let _ = match handle {
            Ok(handle) => pidfd_send_signal(handle, signal),
            Err(_) => kill_process(pid, signal),
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_with_parentheses_and_blanks() {
        let stat = b"12 (a) b (c) S 3 12 5 0 -1 4 1 2 3 4 5 6 7 8 20 0 1 0 777 1000 25 18446744073709551615";
        let process = parse(12, stat).unwrap();
        assert_eq!((process.name.as_str(), process.parent, process.session, process.start), ("a) b (c", 3, 5, 777));
        assert_eq!(process.memory, 25 * rustix::param::page_size() as u64);
        assert!(!process.ended && parse(1, b"1 (x) Z 0 1 1 0 -1 4 1 2 3 4 5 6 7 8 20 0 1 0 7 0 0").unwrap().ended);
        assert_eq!(parse(1, b"1 (x) S 0"), None);
    }

    #[test]
    fn our_own_environment_and_name() {
        let me = std::process::id();
        let path = format!("PATH={}", std::env::var("PATH").unwrap());
        assert!(has_variable(me, &path) && !has_variable(me, &path[..path.len() - 1]));
        assert_eq!(first_argument(me), std::env::args().next());
        assert_eq!(identity(me), identity(me));
        assert_ne!(identity(me), identity(std::os::unix::process::parent_id()));
    }
}
