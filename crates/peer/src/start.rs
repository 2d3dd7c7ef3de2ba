//! What is to be started, and how it is.

use crate::error::Error;
use crate::{NONCE, guard, scrubbed};
use rustix::net::{SendAncillaryBuffer, SendAncillaryMessage, SendFlags, sendmsg};
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io::{self, IoSlice, PipeReader, PipeWriter};
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::Duration;

/// How our own binary becomes a guard.
#[derive(Clone, Debug)]
pub struct GuardProgram {
    /// Its path. It is given and not looked up, because what runs may be the test binary of some crate.
    pub program: PathBuf,
    /// The hidden subcommand that leads to [`guard_main`](crate::guard_main).
    pub arguments: Vec<OsString>,
}

/// What a peer may use.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Of a frame, in both directions.
    pub frames: vise_framing::Limits,
    /// How long the child may take not one byte of what is written to it.
    pub write: Duration,
    /// How long the child may take until it runs.
    pub start: Duration,
    /// How many frames may wait, a direction.
    pub queue_frames: usize,
    /// How many bytes the waiting frames may have, a direction. A larger frame waits alone.
    pub queue_bytes: usize,
    /// How many bytes of standard error are kept.
    pub stderr_bytes: usize,
    /// How many lines of standard error are kept.
    pub stderr_lines: usize,
}

/// The framing's own limits, 10 s to write, 20 s to start, 64 frames or 16 MiB in a queue, 16 KiB or 200 lines of standard error.
impl Default for Limits {
    fn default() -> Limits {
        Limits {
            frames: vise_framing::Limits::default(),
            write: Duration::from_secs(10),
            start: Duration::from_secs(20),
            queue_frames: 64,
            queue_bytes: 16 * 1024 * 1024,
            stderr_bytes: 16 * 1024,
            stderr_lines: 200,
        }
    }
}

/// What is to be started.
#[derive(Clone, Debug)]
pub struct Start {
    /// Who guards it.
    pub guard: GuardProgram,
    /// The program: a path, or a name that is looked up in the child's `PATH`. No shell reads it.
    pub program: OsString,
    /// Its arguments, as they are.
    pub arguments: Vec<OsString>,
    /// The folder it works in.
    pub folder: PathBuf,
    /// The environment it starts from, in place of our own; it is [`scrubbed`] either way.
    pub base: Option<Vec<(OsString, OsString)>>,
    /// Added to that environment, once it is scrubbed.
    pub env: Vec<(OsString, OsString)>,
    /// Whether what it writes are frames. Where they are none, [`Incoming`](crate::Incoming) gives the bytes as they come.
    pub framed: bool,
    /// What it may use.
    pub limits: Limits,
    /// The folder of a [`Janitor`](crate::Janitor), which ends the tree when neither we nor the guard could.
    pub records: Option<PathBuf>,
}

/// Our ends of a child's streams.
pub(crate) struct Streams {
    pub(crate) input: PipeWriter,
    pub(crate) output: PipeReader,
    pub(crate) error: PipeReader,
}

/// A guard that was started.
pub(crate) struct Guarded {
    pub(crate) process: Child,
    pub(crate) control: UnixStream,
    pub(crate) streams: Streams,
}

impl Start {
    /// Starts the guard and hands it the child's streams. It bears the child's environment and works in its folder, so
    /// the child needs nothing but to inherit them.
    pub(crate) fn guard(&self, nonce: &str) -> Result<Guarded, Error> {
        if !self.folder.is_dir() {
            return Err(Error::NoFolder(self.folder.clone()));
        }
        let (control, theirs) = UnixStream::pair().map_err(Error::io("make a socket"))?;
        let pipe = || io::pipe().map_err(Error::io("make a pipe"));
        let ((child_input, input), (output, child_output), (error, child_error)) = (pipe()?, pipe()?, pipe()?);
        // They wait in the socket until the guard takes them.
        hand_over(&control, [child_input.into(), child_output.into(), child_error.into()])
            .map_err(Error::io("hand a child its streams"))?;
        let process = Command::new(&self.guard.program)
            .args(&self.guard.arguments)
            .arg(&self.program)
            .args(&self.arguments)
            .current_dir(&self.folder)
            .env_clear()
            .envs(self.environment(nonce))
            .stdin(Stdio::from(OwnedFd::from(theirs)))
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .map_err(|source| Error::NoGuard { program: self.guard.program.clone(), source: Arc::new(source) })?;
        Ok(Guarded { process, control, streams: Streams { input, output, error } })
    }

    fn environment(&self, nonce: &str) -> BTreeMap<OsString, OsString> {
        let given = self.env.iter().cloned();
        let mut environment = match &self.base {
            Some(base) => scrubbed(base.iter().cloned(), given),
            None => scrubbed(std::env::vars_os(), given),
        };
        environment.insert(NONCE.into(), nonce.into());
        environment
    }
}

fn hand_over(control: &UnixStream, streams: [OwnedFd; guard::STREAMS]) -> io::Result<()> {
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(guard::STREAMS))];
    let mut ancillary = SendAncillaryBuffer::new(&mut space);
    let borrowed = [streams[0].as_fd(), streams[1].as_fd(), streams[2].as_fd()];
    if !ancillary.push(SendAncillaryMessage::ScmRights(&borrowed)) {
        return Err(io::Error::other("no room for the descriptors"));
    }
    sendmsg(control, &[IoSlice::new(&[0])], &mut ancillary, SendFlags::empty())?;
    Ok(())
}

/// A mark that no other tree has.
pub(crate) fn new_nonce() -> Result<String, Error> {
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes).map_err(|error| Error::io("draw a random number")(io::Error::other(error)))?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}
