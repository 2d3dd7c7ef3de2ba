//! What a child process costs: CPU and wall time, and the memory it needed.

use std::process::{Command, Stdio};
use std::time::Instant;

use crate::run::{Result, shown};

/// What a run cost.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Cost {
    /// Seconds, user and system together.
    pub(crate) cpu: f64,
    /// Seconds.
    pub(crate) wall: f64,
    /// Bytes of memory at the worst moment, of the greediest process.
    pub(crate) memory: u64,
}

/// Runs a command to its end. An exit status of 1 is an empty answer, not a failure.
pub(crate) fn cost(command: &mut Command, output: Stdio) -> Result<Cost> {
    let start = Instant::now();
    let child = command
        .stdin(Stdio::null())
        .stdout(output)
        .stderr(Stdio::null())
        .spawn()
        .map_err(|error| format!("cannot start `{}`: {error}", shown(command)))?;
    let (status, cpu, memory) = wait(child.id())?;
    let wall = start.elapsed().as_secs_f64();
    match status {
        0 | 1 => Ok(Cost { cpu, wall, memory }),
        status => Err(format!("`{}` failed with status {status}; run it by hand to see why", shown(command))),
    }
}

/// Waits for a child and gives its exit status (above 255: a signal), the CPU seconds it used, user and system, and its
/// greatest memory in bytes.
///
/// `std` waits without telling the cost, and the total over all children would count the ones before.
fn wait(id: u32) -> Result<(i32, f64, u64)> {
    let mut status = 0;
    // SAFETY: `rusage` is plain numbers, for which zero is a value.
    let mut used: libc::rusage = unsafe { std::mem::zeroed() };
    let id = libc::pid_t::try_from(id).map_err(|error| error.to_string())?;
    loop {
        // SAFETY: both pointers are to live values of the types that wait4 fills; the child is ours and nobody
        // else waits for it, since its `Child` is only dropped.
        let waited = unsafe { libc::wait4(id, &raw mut status, 0, &raw mut used) };
        if waited == id {
            break;
        }
        let error = std::io::Error::last_os_error();
        if error.kind() != std::io::ErrorKind::Interrupted {
            return Err(format!("cannot wait for a child: {error}"));
        }
    }
    #[expect(clippy::cast_precision_loss, reason = "seconds and microseconds are far below 2^52")]
    let seconds = |time: libc::timeval| time.tv_sec as f64 + time.tv_usec as f64 / 1e6;
    let code = if libc::WIFEXITED(status) { libc::WEXITSTATUS(status) } else { 256 + libc::WTERMSIG(status) };
    // Linux counts in KiB, macOS in bytes.
    let unit = if cfg!(target_os = "macos") { 1 } else { 1024 };
    let memory = u64::try_from(used.ru_maxrss).unwrap_or_default() * unit;
    Ok((code, seconds(used.ru_utime) + seconds(used.ru_stime), memory))
}

pub(crate) fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    let middle = values.len() / 2;
    if values.len() % 2 == 1 { values[middle] } else { f64::midpoint(values[middle - 1], values[middle]) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_median_of_an_even_number_is_between_the_middle_two() {
        assert!((median(vec![3.0, 1.0, 2.0]) - 2.0).abs() < 1e-9);
        assert!((median(vec![4.0, 1.0, 2.0, 3.0]) - 2.5).abs() < 1e-9);
    }

    #[test]
    #[expect(clippy::zombie_processes, reason = "`wait` is what this test is about")]
    fn a_child_is_waited_for_with_its_cost() {
        let child = Command::new("sh")
            .args(["-c", "i=0; while [ $i -lt 20000 ]; do i=$((i+1)); done; exit 3"])
            .spawn()
            .unwrap();
        let (status, cpu, memory) = wait(child.id()).unwrap();
        assert_eq!(status, 3);
        assert!(cpu > 0.0);
        assert!(memory > 10_000, "a shell needs some memory");
    }
}
