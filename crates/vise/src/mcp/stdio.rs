//! The standard input as the protocol reads it.
//!
//! The end of the input ends the server, but not before what was asked is answered: a script may write its questions and
//! close the pipe. Nobody waits for the answers of a client that is gone, which the other pipe tells.

use std::os::fd::AsFd;
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use tokio::io::{AsyncRead, AsyncWriteExt as _};

use super::call::Running;

/// How often it is looked whether the answers are still wanted.
const TICK: Duration = Duration::from_millis(50);

/// What comes from the standard input.
pub(super) fn input(running: Running) -> impl AsyncRead + Send + Unpin + 'static {
    let (ours, mut theirs) = tokio::io::duplex(1 << 16);
    tokio::spawn(async move {
        // Whatever ends the input, a read error too, ends the session.
        let _ = tokio::io::copy(&mut tokio::io::stdin(), &mut theirs).await;
        // A last line without its end is a message too.
        let _ = theirs.write_all(b"\n").await;
        // A call that was just read is not counted yet.
        let mut idle = 0;
        while idle < 2 && is_listened_to() {
            tokio::time::sleep(TICK).await;
            idle = if running.any() { 0 } else { idle + 1 };
        }
    });
    ours
}

/// Whether somebody may still read the standard output.
fn is_listened_to() -> bool {
    let stdout = std::io::stdout();
    let stdout = stdout.as_fd();
    let mut asked = [PollFd::new(&stdout, PollFlags::empty())];
    let now = Timespec { tv_sec: 0, tv_nsec: 0 };
    match poll(&mut asked, Some(&now)) {
        Ok(_) => !asked[0].revents().intersects(PollFlags::ERR | PollFlags::HUP | PollFlags::NVAL),
        // It cannot be told; the session's own limit on its last answers holds.
        Err(_) => false,
    }
}
