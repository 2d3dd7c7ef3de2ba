//! Read-only SQL over one generation.
//!
//! The tables of [`TABLES`] are virtual: SQLite asks for rows and columns, and gets them from the graph as it lies. What
//! names a symbol, a file or the end of an edge is looked up (`table`), so that joins over them do not go through
//! everything again for each row. The connection is one in memory with nothing in it. An authorizer lets it read and
//! nothing else (`guard`), and it is stopped when it has worked for too long.

mod guard;
mod rows;
mod table;

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use rusqlite::fallible_iterator::FallibleIterator as _;
use rusqlite::limits::Limit;
use rusqlite::types::ValueRef;
use rusqlite::{Batch, Connection, OpenFlags, Row};

use crate::graph::Graph;
use guard::Guard;
use rows::Source;

/// How long a statement may work unless it is said otherwise.
pub const TIME: Duration = Duration::from_secs(10);
/// The most rows of an answer, whoever asks.
pub const MAX_ROWS: usize = 1_000_000;
/// The most bytes of text in an answer.
const MAX_BYTES: usize = 256 << 20;
/// The longest text or blob that a statement may make.
const MAX_VALUE: i32 = 16 << 20;
/// The longest statement.
const MAX_SQL: i32 = 1 << 20;

/// A table that can be asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Table {
    /// Its name.
    pub name: &'static str,
    /// Its columns with SQLite's types for them.
    pub columns: &'static [(&'static str, &'static str)],
}

/// The tables that there are.
pub const TABLES: &[Table] = rows::TABLES;

/// What a statement may take.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// It is stopped after this time.
    pub time: Duration,
    /// It is stopped after about so many of SQLite's steps.
    pub steps: u64,
    /// Of its rows so many are given.
    pub rows: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self { time: TIME, steps: u64::MAX, rows: MAX_ROWS }
    }
}

/// A value in an answer.
#[derive(Debug, Clone, PartialEq)]
pub enum Cell {
    /// Nothing.
    Null,
    /// A whole number.
    Integer(i64),
    /// Another number.
    Real(f64),
    /// A text; what is not UTF-8 in it shows as U+FFFD.
    Text(String),
    /// Bytes.
    Blob(Vec<u8>),
}

/// What a statement gave.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Found {
    /// The names of the columns.
    pub columns: Vec<String>,
    /// The rows, each with a value for each column.
    pub rows: Vec<Vec<Cell>>,
    /// Whether there are more rows.
    pub truncated: bool,
    /// How many rows of the graph were looked at.
    pub visited: u64,
}

/// Why a statement has no answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SqlError {
    /// SQLite does not understand it, or it fails while it works.
    Bad(String),
    /// It names a table or column that is not there.
    Unknown(String),
    /// It would do something else than read.
    Refused(String),
    /// It worked for too long.
    TooLong,
    /// The caller asked to stop.
    Cancelled,
}

impl fmt::Display for SqlError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Bad(message) | Self::Unknown(message) | Self::Refused(message) => f.write_str(message),
            Self::TooLong => f.write_str("the statement worked for too long and was stopped"),
            Self::Cancelled => f.write_str("cancelled"),
        }
    }
}

impl std::error::Error for SqlError {}

/// Runs one statement. `left_out` are files that are not in the graph, each with the reason; `cancelled` stops it.
///
/// # Errors
/// See [`SqlError`].
pub fn query(
    graph: &Arc<Graph>,
    left_out: Vec<(String, &'static str)>,
    sql: &str,
    limits: Limits,
    cancelled: &Arc<AtomicBool>,
) -> Result<Found, SqlError> {
    let visited = Arc::new(AtomicU64::new(0));
    let source = Arc::new(Source::new(Arc::clone(graph), left_out, Arc::clone(&visited)));
    let guard = Guard::default();
    let explain = |error: rusqlite::Error| guard.explain(error);
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let mut connection = Connection::open_in_memory_with_flags(flags).map_err(explain)?;
    // What a sort puts aside stays in memory: nothing is written.
    connection.pragma_update(None, "temp_store", "MEMORY").map_err(explain)?;
    for (limit, value) in [
        (Limit::SQLITE_LIMIT_LENGTH, MAX_VALUE),
        (Limit::SQLITE_LIMIT_SQL_LENGTH, MAX_SQL),
        (Limit::SQLITE_LIMIT_ATTACHED, 0),
    ] {
        connection.set_limit(limit, value).map_err(explain)?;
    }
    table::create(&connection, &source).map_err(explain)?;
    guard.watch(&mut connection, limits, Arc::clone(cancelled)).map_err(explain)?;

    let sql = with_references_quoted(sql);
    let mut batch = Batch::new(&connection, &sql);
    let Some(mut statement) = batch.next().map_err(explain)? else {
        return Err(SqlError::Bad("there is no statement".to_owned()));
    };
    // Whatever the authorizer has no word for: what writes, and what is no question.
    if !statement.readonly() || statement.column_count() == 0 {
        return Err(SqlError::Refused("the statement asks for nothing, and the graph is read-only".to_owned()));
    }
    if batch.next().map_err(explain)?.is_some() {
        return Err(SqlError::Bad("there is more than one statement".to_owned()));
    }
    let mut answer = Found { columns: statement.column_names().map(str::to_owned).collect(), ..Found::default() };
    let width = answer.columns.len();
    let mut bytes = 0;
    let mut rows = statement.query([]).map_err(explain)?;
    while let Some(row) = rows.next().map_err(explain)? {
        if answer.rows.len() >= limits.rows.min(MAX_ROWS) || bytes > MAX_BYTES {
            answer.truncated = true;
            break;
        }
        let cells = cells(row, width).map_err(explain)?;
        bytes += cells.iter().map(Cell::bytes).sum::<usize>();
        answer.rows.push(cells);
    }
    answer.visited = visited.load(Ordering::Relaxed);
    Ok(answer)
}

fn cells(row: &Row<'_>, width: usize) -> rusqlite::Result<Vec<Cell>> {
    (0..width).map(|column| row.get_ref(column).map(Cell::from)).collect()
}

impl Cell {
    /// About what it takes in memory.
    fn bytes(&self) -> usize {
        size_of::<Self>()
            + match self {
                Self::Text(text) => text.len(),
                Self::Blob(blob) => blob.len(),
                Self::Null | Self::Integer(_) | Self::Real(_) => 0,
            }
    }
}

impl From<ValueRef<'_>> for Cell {
    fn from(value: ValueRef<'_>) -> Self {
        match value {
            ValueRef::Null => Self::Null,
            ValueRef::Integer(number) => Self::Integer(number),
            ValueRef::Real(number) => Self::Real(number),
            ValueRef::Text(text) => Self::Text(String::from_utf8_lossy(text).into_owned()),
            ValueRef::Blob(blob) => Self::Blob(blob.to_vec()),
        }
    }
}

/// `REFERENCES` is a word of SQL, though of no statement that reads, so that the table of this name gets its quotes here.
fn with_references_quoted(sql: &str) -> String {
    let mut out = String::with_capacity(sql.len() + 2);
    let mut rest = sql;
    while let Some(c) = rest.chars().next() {
        let end =
            |closing: &str, from: usize| rest[from..].find(closing).map_or(rest.len(), |at| from + at + closing.len());
        let length = match c {
            '\'' | '"' | '`' => end(&c.to_string(), 1),
            '[' => end("]", 1),
            '-' if rest.starts_with("--") => end("\n", 2),
            '/' if rest.starts_with("/*") => end("*/", 2),
            c if is_word(c) => rest.find(|c| !is_word(c)).unwrap_or(rest.len()),
            c => c.len_utf8(),
        };
        let (token, left) = rest.split_at(length);
        if token.eq_ignore_ascii_case("references") {
            out.push_str("\"references\"");
        } else {
            out.push_str(token);
        }
        rest = left;
    }
    out
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_' || c == '$'
}

#[cfg(test)]
mod tests;
