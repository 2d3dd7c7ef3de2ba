//! What compilers say of files, beside what the files say: a table of its own, in which nothing is derived.
//!
//! A row is about one content of one file, so that a file that changes has none, and has it again when it changes back.

use rusqlite::{Row, params};

use super::facts::{FactsStore, Trouble};
use crate::tier::TierRow;

const TABLE: &str = "
    CREATE TABLE IF NOT EXISTS tier (
        path TEXT NOT NULL,
        blake3 BLOB NOT NULL,
        tool TEXT NOT NULL,
        version TEXT NOT NULL,
        uses BLOB NOT NULL,
        PRIMARY KEY (path, blake3, tool, version)
    )";

impl FactsStore {
    /// Keeps rows in the place of what the same tools said of the same files before.
    pub(crate) fn add_tier(&mut self, rows: &[TierRow]) -> Result<(), Trouble> {
        let transaction = self.connection.transaction()?;
        transaction.execute_batch(TABLE)?;
        {
            let mut delete = transaction.prepare("DELETE FROM tier WHERE path = ?1 AND tool = ?2")?;
            let mut insert = transaction.prepare("INSERT INTO tier VALUES (?1, ?2, ?3, ?4, ?5)")?;
            for TierRow { path, hash, tool, version, packed } in rows {
                delete.execute(params![path, tool])?;
                insert.execute(params![path, hash, tool, version, packed])?;
            }
        }
        transaction.commit()?;
        Ok(())
    }

    /// Removes what a tool said; gives the number of files.
    pub(crate) fn remove_tier(&mut self, tool: &str) -> Result<usize, Trouble> {
        if !self.has_tiers()? {
            return Ok(0);
        }
        Ok(self.connection.execute("DELETE FROM tier WHERE tool = ?1", [tool])?)
    }

    /// What all tools say, in the order of tools and paths.
    pub(crate) fn tiers(&self) -> Result<Vec<TierRow>, Trouble> {
        if !self.has_tiers()? {
            return Ok(Vec::new());
        }
        let sql = "SELECT path, blake3, tool, version, uses FROM tier ORDER BY tool, version, path, blake3";
        let mut statement = self.connection.prepare(sql)?;
        let rows = statement.query_map([], row)?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// The table is there from the first import on.
    fn has_tiers(&self) -> Result<bool, Trouble> {
        let mut statement = self.connection.prepare("SELECT 1 FROM sqlite_master WHERE name = 'tier'")?;
        Ok(statement.exists([])?)
    }
}

fn row(row: &Row<'_>) -> rusqlite::Result<TierRow> {
    Ok(TierRow { path: row.get(0)?, hash: row.get(1)?, tool: row.get(2)?, version: row.get(3)?, packed: row.get(4)? })
}
