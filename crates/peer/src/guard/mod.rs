//! The guard: a process of ours between us and a child, which ends the child's whole tree when its time has come.
//!
//! One guard program serves language servers and debug adapters alike, and every tree has a guard of its own. It is a
//! subreaper, so whatever its tree starts and abandons becomes its own child and cannot get lost; and since it has one
//! tree only, it knows whose it is and when none is left. It starts the child with the child's own streams, which it
//! does not keep, and then does nothing until one of these: the child ends, we say so, the control socket closes because
//! we are gone, or it is itself asked to end by a signal.
//!
//! It has one thread and no runtime, because it waits for every process there is, which would take other people's
//! children from them anywhere else.

pub(crate) mod sweep;
mod wire;

pub use wire::{Exit, Named};
pub(crate) use wire::{Report, stop_line};

use crate::environment::NONCE;
use crate::processes;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use rustix::net::{RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, recvmsg};
use rustix::process::WaitOptions;
use signal_hook::consts::{SIGCHLD, SIGHUP, SIGINT, SIGQUIT, SIGTERM};
use std::ffi::OsString;
use std::io::{self, IoSliceMut, Read, Write};
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt;
use std::process::{Command, ExitCode, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// How long a tree may take to go by itself when nobody is there to say: we are gone, or its own child ended.
pub(crate) const GRACE: Duration = Duration::from_millis(500);

/// How many descriptors are handed over: standard input, output and error of the child.
pub(crate) const STREAMS: usize = 3;

/// Is the guard until its tree is gone. To be called first thing in `main`, on the main thread, when the hidden
/// subcommand is there; `arguments` are those behind it: the child's program and its arguments.
pub fn guard_main(arguments: impl IntoIterator<Item = OsString>) -> ExitCode {
    close_inherited();
    // Our own process may do without large pages; what it starts decides that for itself.
    #[cfg(target_os = "linux")]
    let _ = rustix::thread::disable_transparent_huge_pages(false);
    let handed_over = io::stdin().as_fd().try_clone_to_owned().map(UnixStream::from);
    match handed_over.and_then(|control| Ok((receive(&control)?, control))) {
        Ok((streams, control)) => serve(control, streams, &arguments.into_iter().collect::<Vec<_>>()),
        Err(error) => {
            eprintln!("this guards a child of another process of ours, and is started by that only: {error}");
            return ExitCode::from(2);
        }
    }
    ExitCode::SUCCESS
}

fn serve(control: UnixStream, streams: [OwnedFd; STREAMS], arguments: &[OsString]) {
    let mut guard = match Guard::new(control) {
        Ok(guard) => guard,
        Err((mut control, error)) => return tell(&mut control, &Report::Unable(error.to_string())),
    };
    match start(streams, arguments) {
        Ok(child) => {
            guard.child = child;
            guard.tell(&Report::Started(child));
            guard.run();
        }
        Err(error) => guard.tell(&Report::Failed(wire::error_number(&error))),
    }
    guard.tell(&Report::Swept);
}

/// Starts the child.
fn start([input, output, error]: [OwnedFd; STREAMS], arguments: &[OsString]) -> io::Result<u32> {
    let [program, arguments @ ..] = arguments else { return Err(io::ErrorKind::InvalidInput.into()) };
    // Our copies of the child's streams go with the command: their other ends wait for the last copy to be closed.
    let mut command = Command::new(program);
    command.args(arguments).stdin(Stdio::from(input)).stdout(Stdio::from(output)).stderr(Stdio::from(error));
    // A child that signals its own group must not reach the guard.
    command.process_group(0);
    #[cfg(target_os = "linux")]
    die_with_the_guard(&mut command);
    Ok(command.spawn()?.id())
}

/// Closes what we were given beyond the standard streams: whoever started us may have left descriptors open, and
/// neither the guard nor the child, nor a daemon, has any business with them. To be called first thing in `main`.
pub fn close_inherited() {
    let folder = if cfg!(target_os = "linux") { "/proc/self/fd" } else { "/dev/fd" };
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    let open: Vec<i32> = entries.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok()).collect();
    for descriptor in open.into_iter().filter(|descriptor| *descriptor > 2) {
        // SAFETY: this is the first thing the process does, so nothing in it owns a descriptor yet. The one by which
        // the folder was read is closed by now; closing it again fails, which does no harm.
        let _ = unsafe { rustix::io::try_close(descriptor) };
    }
}

struct Guard {
    control: UnixStream,
    /// Becomes readable when a signal came.
    wake: UnixStream,
    /// Whether we were asked to end by a signal.
    asked: Arc<AtomicBool>,
    child: u32,
    nonce: Option<String>,
    exited: bool,
    /// The unfinished line from the control socket.
    line: Vec<u8>,
    owner_gone: bool,
    /// How long the tree may take to go by itself, once somebody said that it must go.
    order: Option<Duration>,
}

impl Guard {
    /// Makes this process a guard that has no child yet.
    ///
    /// # Errors
    /// When the system does not let us be one. The socket is given back, to say so.
    fn new(control: UnixStream) -> Result<Guard, (UnixStream, io::Error)> {
        let asked = Arc::new(AtomicBool::new(false));
        let wake = match prepare(&asked) {
            Ok(wake) => wake,
            Err(error) => return Err((control, error)),
        };
        let nonce = std::env::var(NONCE).ok();
        let (child, exited, line, owner_gone, order) = (0, false, Vec::new(), false, None);
        Ok(Guard { control, wake, asked, child, nonce, exited, line, owner_gone, order })
    }

    fn run(&mut self) {
        let grace = loop {
            self.wait(None);
            self.reap();
            match self.order.take() {
                Some(grace) => break grace,
                None if self.exited => break GRACE,
                None => {}
            }
        };
        self.end(grace);
    }

    /// Ends the tree: asks, waits for `grace`, kills, and looks for what got away from it.
    fn end(&mut self, grace: Duration) {
        let me = std::process::id();
        let tree = || processes::below(processes::all(), me);
        if !grace.is_zero() {
            let mut deadline = Instant::now() + grace;
            sweep::terminate(tree);
            while !tree().is_empty() && Instant::now() < deadline {
                let left = deadline.saturating_duration_since(Instant::now());
                self.wait(Some(left.min(Duration::from_millis(50))));
                self.reap();
                if let Some(order) = self.order.take() {
                    deadline = deadline.min(Instant::now() + order);
                }
            }
        }
        let mut swept = sweep::kill(tree, || self.pause());
        if let Some(nonce) = self.nonce.clone() {
            let strays = sweep::kill(|| processes::marked(&nonce), || self.pause());
            swept.killed.extend(strays.killed);
            swept.survivors.extend(strays.survivors);
            swept.survivors.sort_by_key(|process| process.pid);
            swept.survivors.dedup();
        }
        self.reap();
        for process in swept.killed {
            self.tell(&Report::Killed(process));
        }
        for process in swept.survivors {
            self.tell(&Report::Survivor(process));
        }
    }

    fn pause(&mut self) {
        self.wait(Some(sweep::PAUSE));
        self.reap();
    }

    /// Waits until a signal or a word of the owner comes, at most for `timeout`.
    fn wait(&mut self, timeout: Option<Duration>) {
        let timeout = timeout.map(|timeout| Timespec {
            tv_sec: i64::try_from(timeout.as_secs()).unwrap_or(i64::MAX),
            tv_nsec: timeout.subsec_nanos().into(),
        });
        let mut watched = vec![PollFd::new(&self.wake, PollFlags::IN)];
        if !self.owner_gone {
            watched.push(PollFd::new(&self.control, PollFlags::IN));
        }
        // Where it fails, an interruption most likely, a look at both does no harm.
        let _ = poll(&mut watched, timeout.as_ref());
        let spoken = watched.get(1).is_some_and(|control| !control.revents().is_empty());
        while matches!((&self.wake).read(&mut [0; 64]), Ok(1..)) {}
        if spoken {
            self.listen();
        }
        if self.asked.swap(false, Ordering::Relaxed) {
            self.hasten(GRACE);
        }
    }

    fn listen(&mut self) {
        let mut chunk = [0; 256];
        match self.control.read(&mut chunk) {
            Ok(0) => self.lose_owner(),
            Ok(count) => self.line.extend_from_slice(&chunk[..count]),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(_) => self.lose_owner(),
        }
        while let Some(end) = self.line.iter().position(|byte| *byte == b'\n') {
            let line: Vec<u8> = self.line.drain(..=end).collect();
            if let Some(grace) = wire::parse_stop(String::from_utf8_lossy(&line).trim_end()) {
                self.hasten(grace);
            }
        }
    }

    fn lose_owner(&mut self) {
        self.owner_gone = true;
        self.hasten(GRACE);
    }

    /// Gives the tree at most `grace` from now on.
    fn hasten(&mut self, grace: Duration) {
        self.order = Some(self.order.map_or(grace, |order| order.min(grace)));
    }

    /// Takes leave of every process that has ended, be it the child or one that lost its parent.
    fn reap(&mut self) {
        loop {
            match rustix::process::wait(WaitOptions::NOHANG) {
                Ok(Some((pid, status))) => {
                    let is_child = u32::try_from(pid.as_raw_pid()).is_ok_and(|pid| pid == self.child);
                    if let Some(exit) = Exit::of(status).filter(|_| is_child) {
                        self.exited = true;
                        self.tell(&Report::Exited(exit));
                    }
                }
                Err(Errno::INTR) => {}
                Ok(None) | Err(_) => return,
            }
        }
    }

    fn tell(&mut self, report: &Report) {
        tell(&mut self.control, report);
    }
}

/// Tells the owner, if it still listens.
fn tell(control: &mut UnixStream, report: &Report) {
    let _ = control.write_all(report.line().as_bytes());
}

/// Makes this process the parent of whatever loses its own below it, and hears signals. What is answered becomes
/// readable when one came; `asked` is set when it was one that asks us to end.
fn prepare(asked: &Arc<AtomicBool>) -> io::Result<UnixStream> {
    // It fails only for who leads a group already, and then there is nothing to leave.
    let _ = rustix::process::setsid();
    #[cfg(target_os = "linux")]
    rustix::process::set_child_subreaper(Some(rustix::process::getpid()))?;
    let (wake, woken) = UnixStream::pair()?;
    wake.set_nonblocking(true)?;
    for signal in [SIGTERM, SIGINT, SIGHUP, SIGQUIT] {
        signal_hook::flag::register(signal, asked.clone())?;
        signal_hook::low_level::pipe::register(signal, woken.try_clone()?)?;
    }
    signal_hook::low_level::pipe::register(SIGCHLD, woken)?;
    // Who cannot see the processes there are would find none left to end.
    if !processes::all().iter().any(|process| process.pid == std::process::id()) {
        return Err(io::Error::other("the system does not show its processes; is /proc there?"));
    }
    Ok(wake)
}

/// The child's streams, as the owner hands them over.
fn receive(control: &UnixStream) -> io::Result<[OwnedFd; STREAMS]> {
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(STREAMS))];
    let mut ancillary = RecvAncillaryBuffer::new(&mut space);
    #[cfg(target_os = "linux")]
    let flags = RecvFlags::CMSG_CLOEXEC;
    #[cfg(not(target_os = "linux"))]
    let flags = RecvFlags::empty();
    recvmsg(control, &mut [IoSliceMut::new(&mut [0])], &mut ancillary, flags)?;
    let mut streams = Vec::new();
    for message in ancillary.drain() {
        if let RecvAncillaryMessage::ScmRights(descriptors) = message {
            streams.extend(descriptors);
        }
    }
    #[cfg(not(target_os = "linux"))]
    for stream in &streams {
        rustix::io::fcntl_setfd(stream, rustix::io::FdFlags::CLOEXEC)?;
    }
    streams.try_into().map_err(|_| io::Error::new(io::ErrorKind::InvalidInput, "the child's streams are missing"))
}

/// Has the system kill the child when the guard dies, whatever kills that.
#[cfg(target_os = "linux")]
fn die_with_the_guard(command: &mut Command) {
    use rustix::process::{Signal, getpid, getppid, set_parent_process_death_signal};
    let guard = getpid();
    let prepare = move || {
        set_parent_process_death_signal(Some(Signal::KILL))?;
        // The guard may have died before the wish was made.
        if getppid() == Some(guard) { Ok(()) } else { Err(Errno::SRCH.into()) }
    };
    // SAFETY: between the fork and the new program only two system calls are made; nothing allocates or locks.
    unsafe { command.pre_exec(prepare) };
}
