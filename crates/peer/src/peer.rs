//! A child, as its owner sees it.

use crate::error::Error;
use crate::guard::{self, Exit, Named, sweep};
use crate::input::Input;
use crate::janitor::Janitor;
use crate::output::{self, Incoming};
use crate::processes;
use crate::start::{Start, new_nonce};
use crate::supervisor::{Refusal, Supervisor};
use crate::tail::{StderrTail, Tail};
use std::io::{self, Write};
use std::net::Shutdown;
use std::os::unix::net::UnixStream;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::sync::{oneshot, watch};
use tokio::task::AbortHandle;
use vise_framing::Junk;

/// How long a guard may take beyond what it was given before we do its work: two sweeps, and some time to be scheduled.
const MARGIN: Duration = Duration::from_secs(2);

/// A child that runs under a guard. When it is dropped its whole tree ends, within some three seconds and without
/// anybody waiting; [`Peer::stop`] does the same and tells.
#[derive(Debug)]
pub struct Peer {
    pid: u32,
    guard: u32,
    leash: Leash,
    input: Input,
    readers: [AbortHandle; 2],
    tail: Arc<Mutex<Tail>>,
    junk: Arc<Mutex<Junk>>,
    life: watch::Receiver<Life>,
}

/// What is known of a child's end so far.
#[derive(Debug, Default)]
pub(crate) struct Life {
    pub(crate) exit: Option<Exit>,
    pub(crate) ended: Option<Ending>,
}

/// Whether a child runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// It does.
    Running,
    /// It ended. What it had started is ended with it, which takes another moment.
    Exited(Exit),
}

/// How a whole tree ended.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Ending {
    /// The processes that did not go by themselves and were killed, in the order of their ids.
    pub killed: Vec<Named>,
    /// The processes that are still there although they were killed: the system does not let go of them.
    pub survivors: Vec<Named>,
    /// Whether the guard was gone before its work was done, so that we did it. A process that cleared its environment,
    /// left its session and lost its parent cannot be found then.
    pub guard_lost: bool,
}

/// What a tree takes of the machine's memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Memory {
    /// Resident bytes, added up over the processes; pages that several of them share are counted for each.
    pub bytes: u64,
    /// How many processes there are, the guard not counted.
    pub processes: usize,
}

impl Peer {
    /// Starts a child. It must be called in a runtime, whose tasks then do the reading and writing.
    ///
    /// # Errors
    /// When the child does not run. Then nothing does: also a future that is dropped half-way leaves no process.
    pub async fn start(start: Start) -> Result<(Peer, Incoming), Error> {
        let nonce = new_nonce()?;
        let record = match &start.records {
            Some(folder) => Some(Janitor::new(folder).record(&nonce).map_err(Error::io("record who owns a child"))?),
            None => None,
        };
        let guarded = start.guard(&nonce)?;
        let (started, running) = oneshot::channel();
        let (life, watched) = watch::channel(Life::default());
        let control = Arc::new(guarded.control);
        let guard = guarded.process.id();
        let supervisor = Supervisor { guard: guarded.process, control: control.clone(), nonce, record, life };
        std::thread::Builder::new()
            .name("guard".to_string())
            .spawn(move || supervisor.run(started))
            .map_err(Error::io("start a thread"))?;
        // From here on giving up, for whatever reason, ends the tree.
        let leash = Leash(control);
        let input = Input::start(guarded.streams.input.into(), &start.limits)?;
        let output = output::read(guarded.streams.output.into(), &start.limits, start.framed)?;
        let tail = Arc::new(Mutex::new(Tail::new(start.limits.stderr_bytes, start.limits.stderr_lines)));
        let error = output::read_tail(guarded.streams.error.into(), tail.clone())?;
        let pid = match tokio::time::timeout(start.limits.start, running).await {
            Ok(Ok(Ok(pid))) => pid,
            Ok(Ok(Err(Refusal::Guard(why)))) => {
                return Err(Error::NoGuard { program: start.guard.program, source: Arc::new(io::Error::other(why)) });
            }
            Ok(Ok(Err(Refusal::Program(number)))) => {
                let program = start.program.to_string_lossy().into_owned();
                return Err(Error::NotStarted { program, source: Arc::new(io::Error::from_raw_os_error(number)) });
            }
            Ok(Err(_)) => return Err(Error::GuardLost),
            Err(_) => {
                leash.cut();
                return Err(Error::StartTimedOut(start.limits.start));
            }
        };
        let readers = [output.reader, error];
        let peer = Peer { pid, guard, leash, input, readers, tail, junk: output.junk, life: watched };
        Ok((peer, output.incoming))
    }

    /// The child's process id.
    pub fn pid(&self) -> u32 {
        self.pid
    }

    /// The process id of its guard.
    pub fn guard(&self) -> u32 {
        self.guard
    }

    /// Sends a frame and waits until the child's pipe has taken all of it. Frames go in the order of the calls; a
    /// future that is dropped once its frame was queued does not take it back.
    ///
    /// # Errors
    /// When the child's standard input is closed or stuck, at that moment or since a frame before.
    pub async fn send(&self, body: &[u8]) -> Result<(), Error> {
        self.input.send(body).await
    }

    /// Closes the child's standard input once what was sent is written. It is how many are told to end.
    pub fn close_input(&self) {
        self.input.close();
    }

    /// Whether the child runs. It is the system that says so, never the end of a stream.
    pub fn status(&self) -> Status {
        self.life.borrow().exit.map_or(Status::Running, Status::Exited)
    }

    /// Waits until the child has ended.
    pub async fn exited(&self) -> Exit {
        let mut life = self.life.clone();
        let ended = life.wait_for(|life| life.exit.is_some()).await;
        ended.ok().and_then(|life| life.exit).unwrap_or(Exit::Unknown)
    }

    /// Waits until nothing of the child's tree is left, whatever ends it.
    pub async fn ended(&self) -> Ending {
        let mut life = self.life.clone();
        let ended = life.wait_for(|life| life.ended.is_some()).await;
        ended.ok().and_then(|life| life.ended.clone()).unwrap_or_default()
    }

    /// Ends the whole tree and waits for it: standard input is closed, every process is asked to end (SIGTERM), and
    /// after `grace` what is left is killed. It takes at most `grace` and some six seconds; without a grace, nobody is
    /// asked. A second call waits for the same end, and may shorten the grace.
    pub async fn stop(&self, grace: Duration) -> Ending {
        self.input.abort();
        // A guard that is gone has done its work, or it is being done.
        let _ = (&*self.leash.0).write_all(guard::stop_line(grace).as_bytes());
        let allowed = grace + 2 * sweep::KILL + MARGIN;
        if let Ok(ending) = tokio::time::timeout(allowed, self.ended()).await {
            return ending;
        }
        self.leash.cut();
        self.ended().await
    }

    /// The end of what the child wrote to standard error.
    pub fn stderr(&self) -> StderrTail {
        self.tail.lock().unwrap_or_else(PoisonError::into_inner).read()
    }

    /// What the child wrote to standard output outside frames.
    pub fn junk(&self) -> Junk {
        self.junk.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// What the tree takes of the machine's memory, at this moment. It reads what the system says of every process, so
    /// it is nothing to be asked in a loop.
    pub fn memory(&self) -> Memory {
        if self.life.borrow().ended.is_some() {
            return Memory::default();
        }
        let tree = processes::below(processes::all(), self.guard);
        Memory { bytes: tree.iter().map(|process| process.memory).sum(), processes: tree.len() }
    }
}

impl Drop for Peer {
    fn drop(&mut self) {
        self.input.abort();
        for reader in &self.readers {
            reader.abort();
        }
    }
}

/// The control socket of a guard. Dropped, it ends the tree: the guard hears the end of the socket, and its supervisor
/// still listens, and reaps it.
#[derive(Debug)]
struct Leash(Arc<UnixStream>);

impl Leash {
    /// Gives up on a guard that does not do its work: its supervisor hears the end of the socket, kills it and sweeps.
    fn cut(&self) {
        let _ = self.0.shutdown(Shutdown::Both);
    }
}

impl Drop for Leash {
    fn drop(&mut self) {
        // A guard that is gone needs no word.
        let _ = self.0.shutdown(Shutdown::Write);
    }
}
