//! The tables as SQLite sees them.

use std::borrow::Cow;
use std::ffi::{CStr, CString, c_int};
use std::sync::Arc;

use rusqlite::types::ValueRef;
use rusqlite::vtab::{
    Context, Filters, IndexConstraintOp, IndexInfo, Module, VTab, VTabConfig, VTabConnection, VTabCursor, sqlite3_vtab,
    sqlite3_vtab_cursor,
};
use rusqlite::{Connection, Result};

use super::rows::{Index, Kind, Source, TABLES, Walk};

/// A statement finds the tables by their names; nobody has to create them.
const MODULE: &Module<'static, GraphTable> = &Module::eponymous_only_module();

/// Lets a connection see the tables.
pub(super) fn create(connection: &Connection, source: &Arc<Source>) -> Result<()> {
    for (kind, table) in Kind::ALL.iter().zip(TABLES) {
        connection.create_module(table.name, MODULE, Some((*kind, Arc::clone(source))))?;
    }
    Ok(())
}

#[repr(C)]
pub(super) struct GraphTable {
    /// SQLite's part, which it finds by its being the first.
    base: sqlite3_vtab,
    kind: Kind,
    source: Arc<Source>,
}

// SAFETY: the structure is `repr(C)`, and SQLite's part is its first field.
unsafe impl VTab<'_> for GraphTable {
    type Aux = (Kind, Arc<Source>);
    type Cursor = GraphCursor;

    fn connect(
        db: &mut VTabConnection,
        aux: Option<&Self::Aux>,
        _module: &[u8],
        _database: &[u8],
        _table: &[u8],
        _arguments: &[&[u8]],
    ) -> Result<(Cow<'static, CStr>, Self)> {
        let (kind, source) = aux.ok_or_else(|| rusqlite::Error::ModuleError("a table without a graph".to_owned()))?;
        // Nothing that a table gives can do harm.
        db.config(VTabConfig::Innocuous)?;
        let columns = TABLES[*kind as usize].columns.iter().map(|(name, sort)| format!("\"{name}\" {sort}"));
        let schema = CString::new(format!("CREATE TABLE x({})", columns.collect::<Vec<_>>().join(", ")))?;
        let table = Self { base: sqlite3_vtab::default(), kind: *kind, source: Arc::clone(source) };
        Ok((Cow::Owned(schema), table))
    }

    fn best_index(&self, info: &mut IndexInfo) -> Result<bool> {
        let mut best: Option<(usize, Index)> = None;
        for (number, constraint) in info.constraints().enumerate() {
            let index = Index::of(self.kind, constraint.column());
            let by_value =
                constraint.is_usable() && constraint.operator() == IndexConstraintOp::SQLITE_INDEX_CONSTRAINT_EQ;
            // Texts are looked up byte by byte; another collation would want more of them.
            if let Some(index) = index
                && by_value
                && info.collation(number)?.eq_ignore_ascii_case("BINARY")
                && best.is_none_or(|(_, best)| index.rows() < best.rows())
            {
                best = Some((number, index));
            }
        }
        let rows = match best {
            Some((number, index)) => {
                info.constraint_usage(number).set_argv_index(1);
                info.set_idx_num(index as c_int);
                index.rows()
            }
            None => {
                info.set_idx_num(NO_INDEX);
                self.source.rows(self.kind)
            }
        };
        info.set_estimated_rows(i64::from(rows));
        info.set_estimated_cost(f64::from(rows));
        Ok(true)
    }

    fn open(&mut self) -> Result<GraphCursor> {
        let walk = Walk::over(self.kind, Arc::clone(&self.source));
        Ok(GraphCursor { base: sqlite3_vtab_cursor::default(), walk })
    }
}

/// Stands for a walk over all rows.
const NO_INDEX: c_int = -1;

#[repr(C)]
pub(super) struct GraphCursor {
    /// SQLite's part, which it finds by its being the first.
    base: sqlite3_vtab_cursor,
    walk: Walk,
}

// SAFETY: the structure is `repr(C)`, and SQLite's part is its first field.
unsafe impl VTabCursor for GraphCursor {
    fn filter(&mut self, index: c_int, _text: Option<&str>, values: &Filters<'_>) -> Result<()> {
        match Index::from_number(index) {
            None => self.walk.all(),
            // The columns are texts, so that SQLite compares numbers with them as texts too. What is no text equals none.
            Some(index) => match values.iter().next() {
                Some(ValueRef::Text(text)) => self.walk.only(index, &String::from_utf8_lossy(text)),
                Some(ValueRef::Integer(number)) => self.walk.only(index, &number.to_string()),
                Some(ValueRef::Real(_)) => self.walk.all(),
                _ => self.walk.nothing(),
            },
        }
        Ok(())
    }

    fn next(&mut self) -> Result<()> {
        self.walk.advance();
        Ok(())
    }

    fn eof(&self) -> bool {
        self.walk.is_done()
    }

    fn column(&self, context: &mut Context, column: c_int) -> Result<()> {
        context.set_result(self.walk.column(column))
    }

    fn rowid(&self) -> Result<i64> {
        Ok(self.walk.row_number())
    }
}
