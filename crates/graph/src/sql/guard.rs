//! What a statement may do, and for how long.

use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use rusqlite::hooks::{AuthAction, AuthContext, Authorization};
use rusqlite::{Connection, ErrorCode};

use super::{Limits, SqlError};

/// So many of SQLite's steps are done between two looks at the clock; it does some ten million a second.
const STEPS: i32 = 1000;

const RUNNING: u8 = 0;
const TOO_LONG: u8 = 1;
const CANCELLED: u8 = 2;

/// Watches over a connection, and remembers why it stepped in.
#[derive(Debug, Default)]
pub(super) struct Guard {
    refused: Arc<Mutex<Option<String>>>,
    stopped: Arc<AtomicU8>,
}

impl Guard {
    /// From here on the connection reads, and nothing else, and no longer than it may.
    pub(super) fn watch(
        &self,
        connection: &mut Connection,
        limits: Limits,
        cancelled: Arc<AtomicBool>,
    ) -> rusqlite::Result<()> {
        let refused = Arc::clone(&self.refused);
        connection.authorizer(Some(move |context: AuthContext<'_>| match forbidden(&context.action) {
            None => Authorization::Allow,
            Some(what) => {
                refused.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(what);
                Authorization::Deny
            }
        }))?;
        let (stopped, start) = (Arc::clone(&self.stopped), Instant::now());
        let mut steps = 0_u64;
        connection.progress_handler(
            STEPS,
            Some(move || {
                steps += u64::from(STEPS.unsigned_abs());
                let why = if cancelled.load(Ordering::Relaxed) {
                    CANCELLED
                } else if steps > limits.steps || start.elapsed() > limits.time {
                    TOO_LONG
                } else {
                    RUNNING
                };
                stopped.store(why, Ordering::Relaxed);
                why != RUNNING
            }),
        )
    }

    /// What an error of SQLite means.
    pub(super) fn explain(&self, error: rusqlite::Error) -> SqlError {
        if let Some(what) = &*self.refused.lock().unwrap_or_else(PoisonError::into_inner) {
            return SqlError::Refused(format!("{what} is refused: the graph is read-only"));
        }
        if error.sqlite_error_code() == Some(ErrorCode::OperationInterrupted) {
            return match self.stopped.load(Ordering::Relaxed) {
                CANCELLED => SqlError::Cancelled,
                _ => SqlError::TooLong,
            };
        }
        let message = match error {
            rusqlite::Error::SqlInputError { msg, .. } => msg,
            rusqlite::Error::SqliteFailure(_, Some(message)) => message,
            error => error.to_string(),
        };
        if message.starts_with("no such table") || message.starts_with("no such column") {
            SqlError::Unknown(message)
        } else if message.contains(" may not be ") || message.contains("virtual table") {
            // SQLite says what cannot be done to such tables before it asks whether it may be.
            SqlError::Refused(message)
        } else {
            SqlError::Bad(message)
        }
    }
}

/// What an action is called that a statement may not do; none for reading.
fn forbidden(action: &AuthAction<'_>) -> Option<String> {
    Some(match action {
        AuthAction::Select | AuthAction::Read { .. } | AuthAction::Recursive => return None,
        AuthAction::Function { function_name } if !function_name.eq_ignore_ascii_case("load_extension") => return None,
        AuthAction::Function { function_name } => format!("`{function_name}`"),
        AuthAction::Pragma { pragma_name, .. } => format!("`PRAGMA {pragma_name}`"),
        AuthAction::Attach { .. } => "`ATTACH`".to_owned(),
        AuthAction::Detach { .. } => "`DETACH`".to_owned(),
        AuthAction::Insert { .. } => "`INSERT`".to_owned(),
        AuthAction::Update { .. } => "`UPDATE`".to_owned(),
        AuthAction::Delete { .. } => "`DELETE`".to_owned(),
        AuthAction::Transaction { .. } | AuthAction::Savepoint { .. } => "a transaction".to_owned(),
        _ => "a change of the schema".to_owned(),
    })
}
