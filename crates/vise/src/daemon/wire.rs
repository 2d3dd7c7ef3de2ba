//! What passes between a daemon and those who ask it: framed JSON, and a closed set of questions.

use std::io::{self, Read, Write};
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::time::UNIX_EPOCH;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use vise_dap::Call;
use vise_framing::{Decoder, Limits, encode};
use vise_lsp::{Check, Query};

use crate::environment::Around;

/// The protocol's version. A daemon of another one is not talked to.
pub(crate) const VERSION: u32 = 1;

/// What a daemon says first.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Greeting {
    pub(crate) v: u32,
    pub(crate) build: Build,
    pub(crate) pid: u32,
}

/// Which binary it is.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(crate) struct Build {
    /// Major, minor, patch.
    pub(crate) version: (u32, u32, u32),
    /// When the program's file was written, in nanoseconds: builds of one version are told apart by it.
    pub(crate) written: u64,
}

/// A question.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Request {
    pub(crate) v: u32,
    pub(crate) id: u64,
    pub(crate) conversation: String,
    pub(crate) root: PathBuf,
    pub(crate) cwd: PathBuf,
    pub(crate) env: Around,
    #[serde(flatten)]
    pub(crate) what: What,
}

/// What can be asked of a daemon.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(tag = "tool", content = "input", rename_all = "snake_case")]
pub(crate) enum What {
    /// A question to a language server.
    Lsp(Query),
    /// What is wrong with files as they are.
    Snapshot(Check),
    /// What would be wrong with them.
    Overlay(Check),
    /// Something to do with a debug session.
    Debug(Box<Call>),
    /// What is running.
    Status,
    /// End, at once or only where nobody is being answered.
    Stop {
        /// Only where nobody is being answered.
        if_idle: bool,
    },
}

impl What {
    /// What is asked, in a word.
    pub(crate) fn name(&self) -> &'static str {
        match self {
            What::Lsp(query) => query.operation.name(),
            What::Snapshot(_) => "snapshot",
            What::Debug(_) => "debug",
            What::Overlay(_) => "overlay",
            What::Status => "status",
            What::Stop { .. } => "stop",
        }
    }
}

/// A question is not wanted any more.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Cancel {
    pub(crate) v: u32,
    pub(crate) cancel: u64,
}

/// What a daemon answers, any number of times `progress`, then one of the others.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Reply {
    pub(crate) id: u64,
    #[serde(flatten)]
    pub(crate) what: Said,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Said {
    /// What is waited for.
    Progress(String),
    /// The answer.
    Report(Value),
    /// Why there is none: the error object of all answers.
    Error(Value),
}

impl Build {
    /// Ours.
    pub(crate) fn ours() -> Build {
        let mut numbers = env!("CARGO_PKG_VERSION").split('.').map(|part| part.parse().unwrap_or(0));
        let mut next = || numbers.next().unwrap_or(0);
        let version = (next(), next(), next());
        let written = std::env::current_exe().and_then(|program| program.metadata()?.modified());
        let since = written.ok().and_then(|at| at.duration_since(UNIX_EPOCH).ok());
        Build { version, written: since.and_then(|at| u64::try_from(at.as_nanos()).ok()).unwrap_or(0) }
    }

    /// As people know it.
    pub(crate) fn shown(&self) -> String {
        let (major, minor, patch) = self.version;
        format!("{major}.{minor}.{patch} of {}", self.written / 1_000_000_000)
    }
}

/// The frames that come from a stream.
pub(crate) struct Frames {
    stream: UnixStream,
    decoder: Decoder,
    held: Vec<u8>,
}

impl Frames {
    pub(crate) fn new(stream: UnixStream) -> Frames {
        Frames { stream, decoder: Decoder::new(Limits::default()), held: Vec::new() }
    }

    /// The next frame's body; none at the end of the stream.
    ///
    /// # Errors
    /// What the stream says, `WouldBlock` for a time limit included, after which it may be called again; and a frame that
    /// is none.
    pub(crate) fn next(&mut self) -> io::Result<Option<Vec<u8>>> {
        loop {
            let mut input = &self.held[..];
            let frame = self.decoder.decode(&mut input).map_err(|error| io::Error::other(error.to_string()))?;
            let used = self.held.len() - input.len();
            self.held.drain(..used);
            if frame.is_some() {
                return Ok(frame);
            }
            let mut chunk = [0; 16 * 1024];
            match self.stream.read(&mut chunk)? {
                0 => return Ok(None),
                read => self.held.extend_from_slice(&chunk[..read]),
            }
        }
    }
}

/// Sends one message.
pub(crate) fn send(stream: &mut UnixStream, message: &impl Serialize) -> io::Result<()> {
    stream.write_all(&encode(&serde_json::to_vec(message)?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_request_has_the_keys_of_the_contract() {
        let request = Request {
            v: VERSION,
            id: 7,
            conversation: "c".into(),
            root: "/r".into(),
            cwd: "/r/d".into(),
            env: Around::default(),
            what: What::Stop { if_idle: true },
        };
        let sent = serde_json::to_value(&request).unwrap();
        let keys: Vec<&str> = sent.as_object().unwrap().keys().map(String::as_str).collect();
        assert_eq!(keys, ["v", "id", "conversation", "root", "cwd", "env", "tool", "input"]);
        assert_eq!((&sent["tool"], &sent["input"]), (&json!("stop"), &json!({"if_idle": true})));
        let read: Request = serde_json::from_value(sent).unwrap();
        assert!(matches!(read.what, What::Stop { if_idle: true }));
        let reply = Reply { id: 7, what: Said::Progress("indexing".into()) };
        assert_eq!(serde_json::to_value(&reply).unwrap(), json!({"id": 7, "progress": "indexing"}));
        let status = json!({"v": 1, "id": 1, "conversation": "", "root": "/", "cwd": "/",
            "env": Around::default(), "tool": "status"});
        assert!(matches!(serde_json::from_value::<Request>(status).unwrap().what, What::Status));
        let other = json!({"v": 1, "id": 1, "conversation": "", "root": "/", "cwd": "/",
            "env": Around::default(), "tool": "textDocument/hover", "input": {}});
        assert!(serde_json::from_value::<Request>(other).is_err(), "there is no way to other requests");
    }

    #[test]
    fn frames_come_out_of_a_stream_however_they_are_cut() {
        let (mut ours, theirs) = UnixStream::pair().unwrap();
        let writer = std::thread::spawn(move || {
            for part in encode(b"{\"a\":1}").chunks(3) {
                ours.write_all(part).unwrap();
            }
            send(&mut ours, &json!([2])).unwrap();
        });
        let mut frames = Frames::new(theirs);
        assert_eq!(frames.next().unwrap().unwrap(), b"{\"a\":1}");
        assert_eq!(frames.next().unwrap().unwrap(), b"[2]");
        assert_eq!(frames.next().unwrap(), None);
        writer.join().unwrap();
    }
}
