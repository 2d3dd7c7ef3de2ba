//! How a set of processes is ended, whichever way it is found.
//!
//! A process that is killed may have started another one a moment before. So all are stopped first, until a look finds
//! none that still runs; then they are killed; and then the look is repeated until there is none at all.

use super::wire::Named;
use crate::processes::{self, Process};
use rustix::process::Signal;
use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

/// How long killed processes may take to be gone.
pub(crate) const KILL: Duration = Duration::from_secs(2);

/// How long to wait before looking again.
pub(crate) const PAUSE: Duration = Duration::from_millis(5);

/// What a sweep did.
#[derive(Debug, Default)]
pub(crate) struct Swept {
    pub(crate) killed: Vec<Named>,
    pub(crate) survivors: Vec<Named>,
}

/// Asks every process that `find` finds to end.
pub(crate) fn terminate(find: impl Fn() -> Vec<Process>) {
    for process in find() {
        processes::signal(&process, Signal::TERM);
        // One that is stopped would not hear it.
        processes::signal(&process, Signal::CONT);
    }
}

/// Kills every process that `find` finds, those that appear meanwhile too, until none is left or [`KILL`] is over.
/// `pause` waits a moment, and reaps where the processes are ours to reap.
pub(crate) fn kill(find: impl Fn() -> Vec<Process>, mut pause: impl FnMut()) -> Swept {
    let deadline = Instant::now() + KILL;
    let mut killed: BTreeMap<u32, Named> = BTreeMap::new();
    loop {
        let alive = stop_all(&find, deadline);
        if alive.is_empty() || Instant::now() >= deadline {
            let survivors = alive.iter().map(Process::named).collect();
            let killed = killed.into_values().collect();
            return Swept { killed, survivors };
        }
        for process in &alive {
            killed.entry(process.pid).or_insert_with(|| process.named());
            processes::signal(process, Signal::KILL);
        }
        pause();
    }
}

/// Stops processes until a look finds none that was not told to stop before, so that none can start another.
fn stop_all(find: &impl Fn() -> Vec<Process>, deadline: Instant) -> Vec<Process> {
    let mut stopped = BTreeSet::new();
    loop {
        let alive = find();
        let mut fresh = false;
        for process in &alive {
            if stopped.insert((process.pid, process.start)) {
                fresh = true;
                processes::signal(process, Signal::STOP);
            }
        }
        if !fresh || Instant::now() >= deadline {
            return alive;
        }
    }
}
