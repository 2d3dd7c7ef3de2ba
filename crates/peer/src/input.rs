//! The task that writes to a child.

use crate::error::Error;
use std::os::fd::OwnedFd;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;
use tokio::io::AsyncWriteExt;
use tokio::net::unix::pipe;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, mpsc, oneshot};
use tokio::task::AbortHandle;

/// A frame that waits to be written.
struct Waiting {
    bytes: Vec<u8>,
    written: oneshot::Sender<Result<(), Error>>,
    _room: OwnedSemaphorePermit,
}

/// The way to a child's standard input.
#[derive(Debug)]
pub(crate) struct Input {
    queue: Mutex<Option<mpsc::Sender<Waiting>>>,
    room: Arc<Semaphore>,
    queue_bytes: usize,
    failure: Arc<OnceLock<Error>>,
    writer: AbortHandle,
}

impl Input {
    pub(crate) fn start(stream: OwnedFd, limits: &crate::Limits) -> Result<Input, Error> {
        let stream = pipe::Sender::from_owned_fd(stream).map_err(Error::io("write to a child"))?;
        let (sender, queue) = mpsc::channel(limits.queue_frames.max(1));
        let failure = Arc::new(OnceLock::new());
        let writer = tokio::spawn(write(stream, queue, limits.write, failure.clone())).abort_handle();
        let queue_bytes = limits.queue_bytes.clamp(1, u32::MAX as usize >> 4);
        let room = Arc::new(Semaphore::new(queue_bytes));
        Ok(Input { queue: Mutex::new(Some(sender)), room, queue_bytes, failure, writer })
    }

    pub(crate) async fn send(&self, body: &[u8]) -> Result<(), Error> {
        let bytes = vise_framing::encode(body);
        let share = bytes.len().min(self.queue_bytes) as u32;
        let Some(queue) = self.queue.lock().unwrap_or_else(PoisonError::into_inner).clone() else {
            return Err(self.refusal());
        };
        // While room is awaited the writer may give up; then nobody makes room any more.
        let room = tokio::select! {
            biased;
            () = queue.closed() => return Err(self.refusal()),
            room = self.room.clone().acquire_many_owned(share) => room.map_err(|_| self.refusal())?,
        };
        let (written, done) = oneshot::channel();
        queue.send(Waiting { bytes, written, _room: room }).await.map_err(|_| self.refusal())?;
        drop(queue);
        done.await.unwrap_or_else(|_| Err(self.refusal()))
    }

    /// Closes the stream once what waits is written; nothing more is taken.
    pub(crate) fn close(&self) {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner).take();
    }

    /// Closes the stream now.
    pub(crate) fn abort(&self) {
        self.close();
        self.writer.abort();
    }

    fn refusal(&self) -> Error {
        self.failure.get().cloned().unwrap_or(Error::InputClosed)
    }
}

async fn write(
    mut stream: pipe::Sender,
    mut queue: mpsc::Receiver<Waiting>,
    patience: Duration,
    failure: Arc<OnceLock<Error>>,
) {
    while let Some(waiting) = queue.recv().await {
        let result = write_frame(&mut stream, &waiting.bytes, patience).await;
        if let Err(error) = &result {
            // Half a frame may be in the pipe, so nothing can follow; what waits gets the same answer.
            let _ = failure.set(error.clone());
            queue.close();
        }
        let failed = result.is_err();
        // Whoever asked may have stopped waiting.
        let _ = waiting.written.send(result);
        if failed {
            break;
        }
    }
    let Some(error) = failure.get() else { return };
    while let Some(waiting) = queue.recv().await {
        let _ = waiting.written.send(Err(error.clone()));
    }
}

/// Writes all of `bytes`, as long as some are taken within `patience`.
async fn write_frame(stream: &mut pipe::Sender, bytes: &[u8], patience: Duration) -> Result<(), Error> {
    let mut written = 0;
    while written < bytes.len() {
        match tokio::time::timeout(patience, stream.write(&bytes[written..])).await {
            Ok(Ok(count)) if count > 0 => written += count,
            Ok(_) => return Err(Error::InputClosed),
            Err(_) => return Err(Error::InputStuck { waited: patience, written, length: bytes.len() }),
        }
    }
    Ok(())
}
