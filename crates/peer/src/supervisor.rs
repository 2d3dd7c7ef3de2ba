//! The thread that listens to a guard.
//!
//! It is a thread and no task, so that a guard is reaped, and a tree whose guard was killed is ended, also while the
//! runtime goes down.

use crate::guard::{Exit, Report, sweep};
use crate::janitor::Record;
use crate::peer::{Ending, Life};
use crate::processes;
use std::io::{BufRead, BufReader};
use std::os::unix::net::UnixStream;
use std::process::Child;
use std::sync::Arc;
use tokio::sync::{oneshot, watch};

pub(crate) struct Supervisor {
    pub(crate) guard: Child,
    pub(crate) control: Arc<UnixStream>,
    pub(crate) nonce: String,
    pub(crate) record: Option<Record>,
    pub(crate) life: watch::Sender<Life>,
}

/// Whether the child runs: its id, or why not. It is dropped when the guard is lost before it said so.
pub(crate) type Started = oneshot::Sender<Result<u32, Refusal>>;

/// Why a guard started no child.
pub(crate) enum Refusal {
    /// It cannot be a guard.
    Guard(String),
    /// The program cannot be started: the system's error number.
    Program(i32),
}

impl Supervisor {
    pub(crate) fn run(mut self, started: Started) {
        let mut started = Some(started);
        let mut ending = Ending::default();
        let mut swept = false;
        let mut answer = |result| {
            // Nobody waits where starting took too long; the peer is dropped then, and the tree ended.
            let _ = started.take().map(|started: Started| started.send(result));
        };
        for line in BufReader::new(&*self.control).lines() {
            let Ok(line) = line else { break };
            match Report::parse(&line) {
                Some(Report::Started(pid)) => answer(Ok(pid)),
                Some(Report::Unable(why)) => answer(Err(Refusal::Guard(why))),
                Some(Report::Failed(error)) => answer(Err(Refusal::Program(error))),
                Some(Report::Exited(exit)) => self.exited(exit),
                Some(Report::Killed(process)) => ending.killed.push(process),
                Some(Report::Survivor(process)) => ending.survivors.push(process),
                Some(Report::Swept) => swept = true,
                None => {}
            }
        }
        drop(started);
        if !swept {
            ending.guard_lost = true;
            self.sweep(&mut ending);
        }
        // It says so when it is done, and then only has to end.
        let _ = self.guard.wait();
        if let Some(record) = self.record.take().filter(|_| ending.survivors.is_empty()) {
            record.remove();
        }
        self.exited(Exit::Unknown);
        self.life.send_modify(|life| life.ended = Some(ending));
    }

    /// The first word on how the child ended is the last.
    fn exited(&self, exit: Exit) {
        self.life.send_if_modified(|life| {
            let news = life.exit.is_none();
            life.exit.get_or_insert(exit);
            news
        });
    }

    /// Does a lost guard's work: by the mark, and by the session, which finds also those that cleared their environment.
    ///
    /// The guard is not reaped yet, so its id, which names the session, cannot be another's.
    fn sweep(&mut self, ending: &mut Ending) {
        let _ = self.guard.kill();
        let guard = self.guard.id();
        let find = || {
            let ours = |process: &processes::Process| process.session == guard || process.bears(&self.nonce);
            let all = processes::all().into_iter();
            all.filter(|process| process.pid != guard && !process.ended && ours(process)).collect()
        };
        let swept = sweep::kill(find, || std::thread::sleep(sweep::PAUSE));
        ending.killed.extend(swept.killed);
        ending.survivors.extend(swept.survivors);
    }
}
