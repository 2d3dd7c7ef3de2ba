//! What each file says, in SQLite: a row a file, so that a changed file changes a row.
//!
//! SQLite is chosen for what happens when a process is killed or two read at once, and because anybody can look inside.
//! No question about the graph reads it; it is what a new generation is made from.

use std::path::Path;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::Duration;

use rusqlite::{Connection, ErrorCode, OpenFlags, OptionalExtension, Row, params};

use crate::index::tree::{FileEntry, Stamp, Why};

/// Changes with the table.
const SCHEMA: i32 = 1;
/// How long one statement waits for another process's.
const BUSY: Duration = Duration::from_secs(5);
/// Rows a transaction: what a kill loses.
const BATCH: usize = 512;

const TABLE: &str = "
    CREATE TABLE file (
        id INTEGER PRIMARY KEY,
        path TEXT NOT NULL UNIQUE,
        language TEXT,
        size INTEGER NOT NULL,
        mtime_ns INTEGER NOT NULL,
        ctime_ns INTEGER NOT NULL,
        inode INTEGER NOT NULL,
        racy INTEGER NOT NULL,
        blake3 BLOB NOT NULL,
        extractor INTEGER NOT NULL,
        lines INTEGER NOT NULL,
        skipped TEXT,
        facts BLOB
    )";
const INSERT: &str = "
    INSERT INTO file (path, language, size, mtime_ns, ctime_ns, inode, racy, blake3, extractor, lines, skipped, facts)
    VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)
    ON CONFLICT (path) DO UPDATE SET
        language = ?2, size = ?3, mtime_ns = ?4, ctime_ns = ?5, inode = ?6, racy = ?7, blake3 = ?8, extractor = ?9,
        lines = ?10, skipped = ?11, facts = ?12";
const ENTRY: &str = "path, language, size, mtime_ns, ctime_ns, inode, racy, blake3, lines, skipped";

/// The facts of the files of a workspace.
#[derive(Debug)]
pub(crate) struct FactsStore {
    pub(super) connection: Connection,
    /// Rows of other extractors are none.
    extractor: i64,
}

/// What SQLite complains about.
#[derive(Debug)]
pub(crate) enum Trouble {
    /// The file is not what was written.
    Damaged,
    /// The system does not let us.
    Unusable(String),
}

impl From<rusqlite::Error> for Trouble {
    fn from(error: rusqlite::Error) -> Self {
        match error.sqlite_error_code() {
            Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => Self::Damaged,
            // A table that is missing, or columns that hold something else.
            Some(ErrorCode::Unknown | ErrorCode::TypeMismatch) => Self::Damaged,
            None => Self::Damaged,
            Some(_) => Self::Unusable(error.to_string()),
        }
    }
}

/// A row with its packed facts.
pub(crate) struct Stored {
    pub(crate) entry: FileEntry,
    /// None where the file is left out, or says nothing.
    pub(crate) facts: Option<Vec<u8>>,
}

impl FactsStore {
    /// The store in the file `path`, which is made where it is missing. Only one may be open for writing, which is what
    /// the writer's lock is for.
    pub(crate) fn open(path: &Path, extractor: u64) -> Result<Self, Trouble> {
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let connection = Connection::open_with_flags(path, flags)?;
        connection.busy_timeout(BUSY)?;
        connection.pragma_update_and_check(None, "journal_mode", "WAL", |_| Ok(()))?;
        connection.pragma_update(None, "synchronous", "NORMAL")?;
        connection.pragma_update_and_check(None, "journal_size_limit", 1 << 20, |_| Ok(()))?;
        let version: i32 = connection.pragma_query_value(None, "user_version", |row| row.get(0))?;
        if version != SCHEMA {
            connection.execute_batch(&format!("DROP TABLE IF EXISTS file; {TABLE}; PRAGMA user_version = {SCHEMA}"))?;
        }
        Ok(Self { connection, extractor: extractor.cast_signed() })
    }

    /// The store in the file `path`, which somebody else may be writing to.
    pub(crate) fn open_to_read(path: &Path, extractor: u64) -> Result<Self, Trouble> {
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let connection = Connection::open_with_flags(path, flags)?;
        connection.busy_timeout(BUSY)?;
        Ok(Self { connection, extractor: extractor.cast_signed() })
    }

    /// The entries of all files, without their facts.
    pub(crate) fn entries(&self) -> Result<Vec<FileEntry>, Trouble> {
        let mut statement = self.connection.prepare(&format!("SELECT {ENTRY} FROM file WHERE extractor = ?1"))?;
        let rows = statement.query_map([self.extractor], |row| Ok(entry(row)))?;
        let mut entries = Vec::new();
        for row in rows {
            entries.extend(row??);
        }
        Ok(entries)
    }

    /// The entries of those of some files that there are.
    pub(crate) fn entries_of<'p>(&self, paths: impl Iterator<Item = &'p str>) -> Result<Vec<FileEntry>, Trouble> {
        let sql = format!("SELECT {ENTRY} FROM file WHERE path = ?1 AND extractor = ?2");
        let mut statement = self.connection.prepare(&sql)?;
        let mut entries = Vec::new();
        for path in paths {
            let found = statement.query_row(params![path, self.extractor], |row| Ok(entry(row))).optional()?;
            entries.extend(found.transpose()?.flatten());
        }
        Ok(entries)
    }

    /// Hands over all rows with their facts, some at a time.
    pub(crate) fn scan(&self, mut take: impl FnMut(Vec<Stored>)) -> Result<(), Trouble> {
        let sql = format!("SELECT {ENTRY}, facts FROM file WHERE extractor = ?1");
        let mut statement = self.connection.prepare(&sql)?;
        let mut rows = statement.query([self.extractor])?;
        let mut batch = Vec::new();
        while let Some(row) = rows.next()? {
            if let Some(entry) = entry(row)? {
                batch.push(Stored { entry, facts: row.get("facts")? });
            }
            if batch.len() == BATCH {
                take(std::mem::take(&mut batch));
            }
        }
        take(batch);
        Ok(())
    }

    /// Does work that sends rows, and writes them meanwhile. Whatever goes wrong, the work is done.
    pub(crate) fn write_while<T>(&mut self, work: impl FnOnce(&Sender<Stored>) -> T) -> (T, Result<(), Trouble>) {
        let (send, receive) = channel();
        std::thread::scope(|scope| {
            let writer = scope.spawn(move || self.write_batches(&receive));
            let done = work(&send);
            drop(send);
            // A panic there loses rows, which are only a saving of time.
            (done, writer.join().unwrap_or(Ok(())))
        })
    }

    fn write_batches(&mut self, rows: &Receiver<Stored>) -> Result<(), Trouble> {
        while let Ok(first) = rows.recv() {
            let transaction = self.connection.transaction()?;
            {
                let mut insert = transaction.prepare(INSERT)?;
                for row in std::iter::once(first).chain(rows.iter().take(BATCH - 1)) {
                    let FileEntry { path, stamp, racy, hash, language, skipped, lines } = row.entry;
                    insert.execute(params![
                        path,
                        language,
                        stamp.size.cast_signed(),
                        stamp.modified,
                        stamp.changed,
                        stamp.inode.cast_signed(),
                        racy,
                        hash,
                        self.extractor,
                        lines,
                        skipped.map(Why::as_str),
                        row.facts
                    ])?;
                }
            }
            transaction.commit()?;
        }
        Ok(())
    }

    /// Removes the rows of files that are not among `kept`, which is sorted, and those of other extractors.
    pub(crate) fn keep_only(&mut self, kept: &[FileEntry]) -> Result<usize, Trouble> {
        let transaction = self.connection.transaction()?;
        let mut removed = Vec::new();
        {
            let mut statement = transaction.prepare("SELECT id, path, extractor FROM file")?;
            let mut rows = statement.query([])?;
            while let Some(row) = rows.next()? {
                let path = row.get_ref(1)?.as_bytes().map_err(rusqlite::Error::from)?;
                let known = kept.binary_search_by(|entry| entry.path.as_bytes().cmp(path)).is_ok();
                if !known || row.get::<_, i64>(2)? != self.extractor {
                    removed.push(row.get::<_, i64>(0)?);
                }
            }
            let mut delete = transaction.prepare("DELETE FROM file WHERE id = ?1")?;
            for id in &removed {
                delete.execute([id])?;
            }
        }
        transaction.commit()?;
        Ok(removed.len())
    }

    /// Puts what was written last where the rest is, so that the log takes no room.
    pub(crate) fn close(self) -> Result<(), Trouble> {
        self.connection.pragma_update_and_check(None, "wal_checkpoint", "TRUNCATE", |_| Ok(()))?;
        self.connection.close().map_err(|(_, error)| error.into())
    }
}

/// The entry in a row; none where a word in it is not known.
fn entry(row: &Row<'_>) -> rusqlite::Result<Option<FileEntry>> {
    let skipped: Option<String> = row.get("skipped")?;
    let why = skipped.as_deref().map(Why::from_word);
    if why == Some(None) {
        return Ok(None);
    }
    Ok(Some(FileEntry {
        path: row.get("path")?,
        stamp: Stamp {
            size: row.get::<_, i64>("size")?.cast_unsigned(),
            modified: row.get("mtime_ns")?,
            changed: row.get("ctime_ns")?,
            inode: row.get::<_, i64>("inode")?.cast_unsigned(),
        },
        racy: row.get("racy")?,
        hash: row.get("blake3")?,
        language: row.get("language")?,
        skipped: why.flatten(),
        lines: row.get("lines")?,
    }))
}
