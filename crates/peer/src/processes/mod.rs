//! The processes of this machine: who started whom, who bears a mark, and signals to exactly those.

use crate::environment::NONCE;
use crate::guard::Named;
use std::collections::BTreeSet;

#[cfg(target_os = "linux")]
#[path = "linux.rs"]
mod system;
#[cfg(not(target_os = "linux"))]
#[path = "other.rs"]
mod system;

pub(crate) use system::{all, identity, signal};

/// A process at one moment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Process {
    pub(crate) pid: u32,
    pub(crate) parent: u32,
    /// The leader of its session.
    pub(crate) session: u32,
    /// When it started, in the system's own unit; with the id it names a process for good. Zero where it is not known.
    pub(crate) start: u64,
    /// Whether it has ended and is only waiting to be reaped.
    pub(crate) ended: bool,
    /// Resident memory in bytes.
    pub(crate) memory: u64,
    /// The system's short name for it.
    pub(crate) name: String,
}

impl Process {
    /// Whether it was started with the mark of that tree in its environment.
    pub(crate) fn bears(&self, nonce: &str) -> bool {
        system::has_variable(self.pid, &format!("{NONCE}={nonce}"))
    }

    pub(crate) fn named(&self) -> Named {
        Named { pid: self.pid, name: system::first_argument(self.pid).unwrap_or_else(|| self.name.clone()) }
    }
}

/// The processes below `root`, without it: its children, theirs, and so on. Those that have ended are left out.
pub(crate) fn below(all: Vec<Process>, root: u32) -> Vec<Process> {
    let mut inside = BTreeSet::from([root]);
    // Ids are no order of birth, so one pass is not enough; there are as many as the tree is deep.
    loop {
        let before = inside.len();
        inside.extend(
            all.iter()
                .filter(|process| inside.contains(&process.parent))
                .map(|process| process.pid)
                .collect::<Vec<_>>(),
        );
        if inside.len() == before {
            break;
        }
    }
    all.into_iter().filter(|process| process.pid != root && inside.contains(&process.pid) && !process.ended).collect()
}

/// The processes that bear the mark of a tree, but for ourselves. Those that have ended are left out.
pub(crate) fn marked(nonce: &str) -> Vec<Process> {
    let me = std::process::id();
    all().into_iter().filter(|process| process.pid != me && !process.ended && process.bears(nonce)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn process(pid: u32, parent: u32) -> Process {
        Process { pid, parent, session: 1, start: 0, ended: pid == 9, memory: 0, name: String::new() }
    }

    #[test]
    fn below_means_at_any_depth_and_alive() {
        let all = || {
            vec![
                process(1, 0),
                process(3, 5),
                process(5, 2),
                process(2, 1),
                process(9, 2),
                process(7, 9),
                process(8, 1),
            ]
        };
        let pids = |root| below(all(), root).iter().map(|process| process.pid).collect::<Vec<_>>();
        assert_eq!(pids(2), [3, 5, 7]);
        assert_eq!(pids(8), []);
    }

    #[test]
    fn we_are_among_all() {
        let me = all().into_iter().find(|process| process.pid == std::process::id()).unwrap();
        assert!(!me.ended && me.memory > 1 << 20 && me.parent > 0, "{me:?}");
        assert!(!me.bears("0123"));
    }
}
