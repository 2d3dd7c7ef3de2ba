//! The other side of the socket: a daemon is found or started, and asked.

use std::io;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use serde::de::DeserializeOwned;
use serde_json::Value;
use vise_tools::{ErrorKind, ToolError};

use super::place::Place;
use super::wire::{self, Build, Cancel, Frames, Greeting, Reply, Request, Said, VERSION, What};
use crate::environment::Around;

/// How long a daemon may take until it listens.
const START: Duration = Duration::from_secs(10);
/// How long one that was asked to end may take.
const END: Duration = Duration::from_secs(15);
/// How long a daemon may take to say who it is.
const GREETING: Duration = Duration::from_secs(5);
/// How often it is looked whether the answer is still wanted.
const TICK: Duration = Duration::from_millis(50);

/// Who asks, and about what.
#[derive(Debug, Clone)]
pub(crate) struct Client {
    pub(crate) root: PathBuf,
    pub(crate) around: Around,
    pub(crate) data: Option<PathBuf>,
}

/// A daemon on the line.
pub(crate) struct Line {
    stream: UnixStream,
    frames: Frames,
    greeting: Greeting,
}

/// Who wants the answer.
pub(crate) struct Asking<'a> {
    pub(crate) conversation: &'a str,
    pub(crate) cwd: &'a Path,
    /// Whether the answer is not wanted any more.
    pub(crate) stopped: &'a dyn Fn() -> bool,
    /// Told what is waited for.
    pub(crate) progress: &'a dyn Fn(&str),
}

/// Why a question was not answered.
enum Trouble {
    /// The daemon went away meanwhile.
    Gone(io::Error),
    /// It said why.
    Said(ToolError),
}

impl Client {
    /// The daemon's files.
    pub(crate) fn place(&self) -> Result<Place, ToolError> {
        Place::of(&self.root, &self.around).map_err(|error| unavailable(format!("the daemon has no place: {error}")))
    }

    /// The daemon, if one is there.
    pub(crate) fn running(&self) -> Result<Option<Line>, ToolError> {
        let place = self.place()?;
        match UnixStream::connect(&place.socket) {
            Ok(stream) => Ok(greet(stream).ok()),
            Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::ConnectionRefused) => {
                Ok(None)
            }
            Err(error) => Err(unavailable(format!("`{}` cannot be used: {error}", place.socket.display()))),
        }
    }

    /// Asks the daemon, which is started where there is none. One that goes away under the question is started again, once.
    pub(crate) fn ask<T: DeserializeOwned>(&self, what: &What, asking: &Asking<'_>) -> Result<T, ToolError> {
        let mut again = true;
        loop {
            let line = self.line(asking)?;
            match line.ask(self.request(what, asking), asking) {
                Ok(report) => {
                    return serde_json::from_value(report).map_err(|error| {
                        ToolError::new(ErrorKind::Internal, format!("the daemon's answer is not understood: {error}"))
                    });
                }
                Err(Trouble::Said(error)) => return Err(error),
                Err(Trouble::Gone(_)) if again => again = false,
                Err(Trouble::Gone(error)) => {
                    return Err(ToolError::new(
                        ErrorKind::Peer,
                        format!("the daemon ended before it answered: {error}"),
                    ));
                }
            }
        }
    }

    /// Asks a daemon that is there; none where there is none.
    pub(crate) fn ask_running(&self, what: &What, asking: &Asking<'_>) -> Result<Option<Value>, ToolError> {
        let Some(line) = self.running()? else { return Ok(None) };
        match line.ask(self.request(what, asking), asking) {
            Ok(report) => Ok(Some(report)),
            Err(Trouble::Said(error)) => Err(error),
            Err(Trouble::Gone(_)) => Ok(None),
        }
    }

    fn request(&self, what: &What, asking: &Asking<'_>) -> Request {
        Request {
            v: VERSION,
            id: 1,
            conversation: asking.conversation.to_owned(),
            root: self.root.clone(),
            cwd: asking.cwd.to_owned(),
            env: self.around.clone(),
            what: what.clone(),
        }
    }

    /// A daemon that we can talk with. An older one that nobody needs makes room for ours.
    fn line(&self, asking: &Asking<'_>) -> Result<Line, ToolError> {
        let line = match self.running()? {
            Some(line) => line,
            None => self.start(asking)?,
        };
        let (ours, theirs) = (Build::ours(), line.greeting.build.clone());
        if line.greeting.v == VERSION && theirs >= ours {
            return Ok(line);
        }
        let (ours, theirs) = (ours.shown(), theirs.shown());
        if line.greeting.v > VERSION {
            return Err(unavailable(format!("the daemon is of a newer version ({theirs}) than this one ({ours})")));
        }
        match line.ask(self.request(&What::Stop { if_idle: true }, asking), asking) {
            Ok(_) | Err(Trouble::Gone(_)) => {}
            Err(Trouble::Said(error)) => {
                return Err(unavailable(format!(
                    "a daemon of version {theirs} is in the way of ours ({ours}): {}",
                    error.message
                ))
                .hint("`vise daemon stop` ends it"));
            }
        }
        self.wait_until_gone()?;
        self.start(asking)
    }

    /// Waits until no daemon is there: it ends its servers, then itself.
    pub(crate) fn wait_until_gone(&self) -> Result<(), ToolError> {
        let place = self.place()?;
        let over = Instant::now() + END;
        while Instant::now() < over {
            let free = std::fs::File::open(&place.lock).map_or(true, |file| file.try_lock().is_ok());
            if free {
                return Ok(());
            }
            std::thread::sleep(Duration::from_millis(10));
        }
        Err(unavailable(format!("the daemon did not end within {} s", END.as_secs())))
    }

    /// Starts a daemon and waits until it listens. Of many who come at once, one starts it.
    fn start(&self, asking: &Asking<'_>) -> Result<Line, ToolError> {
        let place = self.place()?;
        let cannot = |error: io::Error| unavailable(format!("no daemon can be started: {error}"));
        let turn = std::fs::OpenOptions::new().create(true).truncate(false).write(true).open(&place.start);
        let turn = turn.map_err(cannot)?;
        let over = Instant::now() + 2 * START;
        while turn.try_lock().is_err() {
            if (asking.stopped)() {
                return Err(ToolError::cancelled());
            }
            if Instant::now() > over {
                return Err(unavailable(
                    "another process is starting the daemon, and does not come to an end".to_owned(),
                ));
            }
            std::thread::sleep(Duration::from_millis(5));
        }
        if let Some(line) = self.running()? {
            return Ok(line);
        }
        let program = std::env::current_exe().map_err(cannot)?;
        let mut command = Command::new(program);
        command.args(["daemon", "serve", "--root"]).arg(&self.root).current_dir("/");
        if let Some(data) = &self.data {
            command.arg("--data").arg(std::path::absolute(data).unwrap_or_else(|_| data.clone()));
        }
        // It has to find the place that we look at.
        let Around { config_home, state_home, cache_home, runtime, .. } = &self.around;
        command.env("XDG_CONFIG_HOME", config_home).env("XDG_STATE_HOME", state_home).env("XDG_CACHE_HOME", cache_home);
        match runtime {
            Some(runtime) => command.env("XDG_RUNTIME_DIR", runtime),
            None => command.env_remove("XDG_RUNTIME_DIR"),
        };
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        let mut child = command.spawn().map_err(cannot)?;
        let over = Instant::now() + START;
        loop {
            if let Some(line) = self.running()? {
                // Somebody has to wait for it, should it end before we do.
                std::thread::spawn(move || child.wait());
                return Ok(line);
            }
            match child.try_wait().map_err(cannot)? {
                Some(status) if !status.success() => {
                    return Err(unavailable(format!("the daemon ended with {status}"))
                        .hint("`vise daemon serve --root .` says why"));
                }
                // It found the lock taken, by one that was about to end or by somebody who looked for that.
                Some(_) => child = command.spawn().map_err(cannot)?,
                None => {}
            }
            if (asking.stopped)() || Instant::now() > over {
                // It may still come; then it serves the next one.
                std::thread::spawn(move || child.wait());
                let late = format!("the daemon did not listen within {} s", START.as_secs());
                return Err(if (asking.stopped)() { ToolError::cancelled() } else { unavailable(late) });
            }
            std::thread::sleep(Duration::from_millis(2));
        }
    }
}

impl Line {
    /// Sends a question and waits for its answer.
    fn ask(mut self, request: Request, asking: &Asking<'_>) -> Result<Value, Trouble> {
        wire::send(&mut self.stream, &request).map_err(Trouble::Gone)?;
        self.stream.set_read_timeout(Some(TICK)).map_err(Trouble::Gone)?;
        loop {
            let frame = match self.frames.next() {
                Ok(Some(frame)) => frame,
                Ok(None) => return Err(Trouble::Gone(io::ErrorKind::UnexpectedEof.into())),
                Err(error) if matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut) => {
                    if (asking.stopped)() {
                        // The daemon calls off what a client that is gone has asked, too.
                        let _ = wire::send(&mut self.stream, &Cancel { v: VERSION, cancel: request.id });
                        return Err(Trouble::Said(ToolError::cancelled()));
                    }
                    continue;
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => return Err(Trouble::Gone(error)),
            };
            let reply: Reply = serde_json::from_slice(&frame).map_err(|error| Trouble::Gone(error.into()))?;
            match reply.what {
                Said::Progress(what) => (asking.progress)(&what),
                Said::Report(report) => return Ok(report),
                Said::Error(error) => return Err(Trouble::Said(ToolError::from_json(&error))),
            }
        }
    }
}

fn greet(stream: UnixStream) -> io::Result<Line> {
    stream.set_read_timeout(Some(GREETING))?;
    let mut frames = Frames::new(stream.try_clone()?);
    let frame = frames.next()?.ok_or(io::ErrorKind::UnexpectedEof)?;
    Ok(Line { stream, frames, greeting: serde_json::from_slice(&frame)? })
}

fn unavailable(message: String) -> ToolError {
    ToolError::new(ErrorKind::Unavailable, message)
}
