//! What a client is told beside its answers: how far work has come, and log lines of the level that it wants.

#![expect(deprecated, reason = "clients of today are told log lines this way")]

use std::sync::atomic::{AtomicU8, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use rmcp::model::{LoggingLevel, LoggingMessageNotificationParam, ProgressNotificationParam, ProgressToken};
use rmcp::service::{Peer, RoleServer};
use tokio::sync::watch;

/// Progress is told no more often than this.
const PACE: Duration = Duration::from_millis(100);

/// The least level of log lines that a client wants.
#[derive(Debug)]
pub(super) struct Level(AtomicU8);

impl Default for Level {
    fn default() -> Self {
        Self(AtomicU8::new(LoggingLevel::Warning as u8))
    }
}

impl Level {
    pub(super) fn set(&self, level: LoggingLevel) {
        self.0.store(level as u8, Ordering::Relaxed);
    }

    /// Tells what was done.
    pub(super) async fn info(&self, peer: &Peer<RoleServer>, words: String) {
        self.log(peer, LoggingLevel::Info, words).await;
    }

    /// Tells what may be wrong.
    pub(super) async fn warning(&self, peer: &Peer<RoleServer>, words: String) {
        self.log(peer, LoggingLevel::Warning, words).await;
    }

    /// Sends a log line, if the client wants such.
    async fn log(&self, peer: &Peer<RoleServer>, level: LoggingLevel, words: String) {
        if level as u8 >= self.0.load(Ordering::Relaxed) {
            let line = LoggingMessageNotificationParam::new(level, words.into()).with_logger("vise");
            // A client that is gone reads no log.
            let _ = peer.notify_logging_message(line).await;
        }
    }
}

/// How far a call has come. Numbers only grow, though a tool may count several things one after the other.
#[derive(Debug, Clone, Default)]
struct Stand {
    done: usize,
    of: Option<usize>,
    words: Option<String>,
}

/// The two ends that a tool tells its progress to.
pub(super) struct Told {
    pub(super) progress: vise_tools::Progress,
    pub(super) saying: vise_tools::Saying,
}

/// Sends progress to a client that gave a token for it, until the tool is done and lets go of `Told`.
pub(super) fn progress(peer: Peer<RoleServer>, token: ProgressToken) -> Told {
    let (sender, mut receiver) = watch::channel(Stand::default());
    tokio::spawn(async move {
        while receiver.changed().await.is_ok() {
            let stand = receiver.borrow_and_update().clone();
            let mut param = ProgressNotificationParam::new(token.clone(), stand.done as f64);
            param.total = stand.of.map(|of| of as f64);
            param.message = stand.words;
            if peer.notify_progress(param).await.is_err() {
                break;
            }
            tokio::time::sleep(PACE).await;
        }
    });
    let sender = Arc::new(sender);
    let saying = sender.clone();
    let counter = Mutex::new(Counter::default());
    Told {
        progress: Arc::new(move |done, of| {
            let mut counter = counter.lock().unwrap_or_else(PoisonError::into_inner);
            let (done, of) = counter.count(done, of);
            sender.send_if_modified(|stand| {
                let more = done > stand.done;
                if more {
                    *stand = Stand { done, of: Some(of), words: stand.words.take() };
                }
                more
            });
        }),
        saying: Arc::new(move |words| {
            saying.send_modify(|stand| {
                stand.words = Some(words.to_owned());
                // The protocol wants a number that grows, and there is nothing to count.
                stand.done += 1;
                stand.of = stand.of.map(|of| of.max(stand.done));
            });
        }),
    }
}

/// Adds up what is counted one thing after the other.
#[derive(Debug, Default)]
struct Counter {
    before: usize,
    last: (usize, usize),
}

impl Counter {
    fn count(&mut self, done: usize, of: usize) -> (usize, usize) {
        if of != self.last.1 {
            self.before += self.last.0;
            self.last = (0, of);
        }
        // Threads may tell out of order.
        self.last.0 = self.last.0.max(done);
        (self.before + self.last.0, self.before + of)
    }
}

#[cfg(test)]
mod tests {
    use super::Counter;

    #[test]
    fn progress_only_grows() {
        let mut counter = Counter::default();
        let told = [(1, 10), (10, 10), (9, 10), (1, 3), (3, 3)].map(|(done, of)| counter.count(done, of));
        assert_eq!(told, [(1, 10), (10, 10), (10, 10), (11, 13), (13, 13)]);
    }
}
