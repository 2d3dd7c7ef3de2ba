//! How long an answer may take, and who may call it off.

use std::fmt;
use std::future::Future;
use std::time::Duration;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

/// The moment by which something must be done. It is made once a request and handed down, so that the parts of a
/// request share its time instead of each having their own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Deadline {
    at: Instant,
    allowed: Duration,
}

/// Why a wait ended without its answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cut {
    /// The deadline passed; this long was allowed.
    TimedOut(Duration),
    /// Whoever asked does not want the answer any more.
    Cancelled,
}

impl Deadline {
    /// The deadline that is `allowed` from now.
    pub fn after(allowed: Duration) -> Deadline {
        Deadline { at: Instant::now() + allowed, allowed }
    }

    /// How much time is left; zero once it passed.
    pub fn left(&self) -> Duration {
        self.at.saturating_duration_since(Instant::now())
    }

    /// The result of `work`, unless the deadline or `cancel` comes first; then `work` is dropped.
    ///
    /// # Errors
    /// Which of the two came first. Where the result is there at the same moment, the result wins.
    pub async fn cut<T>(&self, cancel: &CancellationToken, work: impl Future<Output = T>) -> Result<T, Cut> {
        tokio::select! {
            biased;
            done = work => Ok(done),
            () = cancel.cancelled() => Err(Cut::Cancelled),
            () = tokio::time::sleep_until(self.at) => Err(Cut::TimedOut(self.allowed)),
        }
    }
}

impl fmt::Display for Cut {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Cut::TimedOut(allowed) => {
                write!(f, "no answer within `{allowed:?}`; a later deadline or a narrower question may do")
            }
            Cut::Cancelled => f.write_str("cancelled"),
        }
    }
}

impl std::error::Error for Cut {}

#[cfg(test)]
mod tests {
    use super::*;
    use std::future::{pending, ready};

    fn block<T>(work: impl Future<Output = T>) -> T {
        tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap().block_on(work)
    }

    #[test]
    fn the_first_of_three_wins_and_the_result_wins_a_tie() {
        block(async {
            let token = CancellationToken::new();
            let soon = Deadline::after(Duration::from_millis(1));
            assert_eq!(soon.cut(&token, pending::<()>()).await, Err(Cut::TimedOut(Duration::from_millis(1))));
            assert_eq!(soon.left(), Duration::ZERO);
            token.cancel();
            assert_eq!(
                Deadline::after(Duration::from_secs(60)).cut(&token, pending::<()>()).await,
                Err(Cut::Cancelled)
            );
            assert_eq!(soon.cut(&token, ready(7)).await, Ok(7));
        });
    }
}
