//! The tasks that read what a child writes.

use crate::error::Error;
use crate::tail::Tail;
use std::os::fd::OwnedFd;
use std::sync::{Arc, Mutex, PoisonError};
use tokio::io::AsyncReadExt;
use tokio::net::unix::pipe;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, mpsc};
use tokio::task::AbortHandle;
use vise_framing::{Decoder, Junk};

/// How much is read at once, in bytes: a pipe holds as much.
const CHUNK: usize = 64 * 1024;

/// The frames that a child writes, in order.
#[derive(Debug)]
pub struct Incoming {
    frames: mpsc::Receiver<Result<(Vec<u8>, OwnedSemaphorePermit), Error>>,
}

impl Incoming {
    /// The next frame's body; `None` once the child's standard output has ended, which does not mean that the child has.
    /// Dropping the future loses nothing.
    ///
    /// # Errors
    /// When what the child writes are no frames. Nothing comes after that: the child is to be stopped.
    pub async fn next(&mut self) -> Option<Result<Vec<u8>, Error>> {
        // What was taken waits no more and makes room for the next.
        Some(self.frames.recv().await?.map(|(body, _room)| body))
    }
}

pub(crate) struct Output {
    pub(crate) incoming: Incoming,
    pub(crate) junk: Arc<Mutex<Junk>>,
    pub(crate) reader: AbortHandle,
}

pub(crate) fn read(stream: OwnedFd, limits: &crate::Limits, framed: bool) -> Result<Output, Error> {
    let stream = pipe::Receiver::from_owned_fd(stream).map_err(Error::io("read from a child"))?;
    let (sender, frames) = mpsc::channel(limits.queue_frames.max(1));
    let junk = Arc::new(Mutex::new(Junk::default()));
    let reader = Reader { limits: *limits, sender, junk: junk.clone() };
    let reader = tokio::spawn(reader.read(stream, framed)).abort_handle();
    Ok(Output { incoming: Incoming { frames }, junk, reader })
}

struct Reader {
    limits: crate::Limits,
    sender: mpsc::Sender<Result<(Vec<u8>, OwnedSemaphorePermit), Error>>,
    junk: Arc<Mutex<Junk>>,
}

impl Reader {
    async fn read(self, mut stream: pipe::Receiver, framed: bool) {
        let read = if framed { self.frames(&mut stream).await } else { self.bytes(&mut stream).await };
        if let Err(error) = read {
            // Nobody listens when the peer was dropped.
            let _ = self.sender.send(Err(error)).await;
        }
    }

    /// The bytes, in pieces.
    async fn bytes(&self, stream: &mut pipe::Receiver) -> Result<(), Error> {
        let room = self.room();
        let mut chunk = vec![0; CHUNK];
        loop {
            let count = stream.read(&mut chunk).await.map_err(Error::io("read from a child"))?;
            if count == 0 || !self.hand_on(chunk[..count].to_vec(), &room).await {
                return Ok(());
            }
        }
    }

    async fn frames(&self, stream: &mut pipe::Receiver) -> Result<(), Error> {
        let room = self.room();
        let mut decoder = Decoder::new(self.limits.frames);
        let mut chunk = vec![0; CHUNK];
        loop {
            let count = stream.read(&mut chunk).await.map_err(Error::io("read from a child"))?;
            let mut input = &chunk[..count];
            let ended = if count == 0 { Some(decoder.finish()) } else { None };
            loop {
                let frame = decoder.decode(&mut input);
                self.note(decoder.junk());
                let Some(body) = frame.map_err(Error::Framing)? else { break };
                if !self.hand_on(body, &room).await {
                    return Ok(());
                }
            }
            if let Some(ended) = ended {
                return ended.map_err(Error::Framing);
            }
        }
    }

    fn queue_bytes(&self) -> usize {
        self.limits.queue_bytes.clamp(1, u32::MAX as usize >> 4)
    }

    fn room(&self) -> Arc<Semaphore> {
        Arc::new(Semaphore::new(self.queue_bytes()))
    }

    /// Whether somebody still listens.
    async fn hand_on(&self, body: Vec<u8>, room: &Arc<Semaphore>) -> bool {
        let share = body.len().min(self.queue_bytes()) as u32;
        // The semaphore is never closed; where nobody listens there is nothing to read for.
        let Ok(room) = room.clone().acquire_many_owned(share).await else { return false };
        self.sender.send(Ok((body, room))).await.is_ok()
    }

    fn note(&self, junk: &Junk) {
        let mut known = self.junk.lock().unwrap_or_else(PoisonError::into_inner);
        if known.lines != junk.lines {
            known.clone_from(junk);
        }
    }
}

/// Keeps the end of what comes, for as long as something comes: a child whose standard error is not read stands still.
pub(crate) fn read_tail(stream: OwnedFd, tail: Arc<Mutex<Tail>>) -> Result<AbortHandle, Error> {
    let mut stream = pipe::Receiver::from_owned_fd(stream).map_err(Error::io("read from a child"))?;
    let reader = async move {
        let mut chunk = vec![0; CHUNK];
        while let Ok(count @ 1..) = stream.read(&mut chunk).await {
            tail.lock().unwrap_or_else(PoisonError::into_inner).push(&chunk[..count]);
        }
    };
    Ok(tokio::spawn(reader).abort_handle())
}
