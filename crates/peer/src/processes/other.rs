//! Processes as other Unix systems show them: through `ps`. Untested; Linux is what we run on.
//!
//! There is no subreaper here, so a process whose parent has ended belongs to the system's first one, and only its
//! mark tells that it was ours.

use super::Process;
use rustix::process::{Pid, Signal, kill_process};
use std::process::{Command, Stdio};

/// What `ps` prints for these columns, which have no title.
fn ps(arguments: &[&str]) -> String {
    let output = Command::new("ps").args(arguments).stdin(Stdio::null()).stderr(Stdio::null()).output();
    output.map(|output| String::from_utf8_lossy(&output.stdout).into_owned()).unwrap_or_default()
}

/// Every process that can be seen.
pub(crate) fn all() -> Vec<Process> {
    let table = ps(&["-A", "-o", "pid=,ppid=,pgid=,rss=,stat=,comm="]);
    table.lines().filter_map(parse).collect()
}

fn parse(line: &str) -> Option<Process> {
    let mut words = line.split_ascii_whitespace();
    let mut number = || words.next()?.parse::<u32>().ok();
    let (pid, parent, group, kilobytes) = (number()?, number()?, number()?, number()?);
    let ended = words.next()?.starts_with('Z');
    let name = words.collect::<Vec<_>>().join(" ");
    let memory = u64::from(kilobytes) * 1024;
    // The session is not shown everywhere, the group is.
    Some(Process { pid, parent, session: group, start: 0, ended, memory, name })
}

/// What tells this process from every other of its id: when it started.
pub(crate) fn identity(pid: u32) -> Option<String> {
    let start = ps(&["-p", &pid.to_string(), "-o", "lstart="]);
    (!start.trim().is_empty()).then(|| start.trim().to_string())
}

/// Whether it was started with this `NAME=value`.
pub(super) fn has_variable(pid: u32, variable: &str) -> bool {
    ps(&["-E", "-ww", "-p", &pid.to_string(), "-o", "command="]).split_ascii_whitespace().any(|word| word == variable)
}

pub(super) fn first_argument(pid: u32) -> Option<String> {
    let line = ps(&["-ww", "-p", &pid.to_string(), "-o", "args="]);
    line.split_ascii_whitespace().next().map(str::to_string)
}

/// Sends a signal to the process that has this id.
pub(crate) fn signal(process: &Process, signal: Signal) {
    if let Some(pid) = i32::try_from(process.pid).ok().and_then(Pid::from_raw) {
        let _ = kill_process(pid, signal);
    }
}
