//! `graph sql`: a statement over the tables of the graph.

use serde::ser::{Serialize, SerializeStruct, Serializer};
use vise_graph::index::Opened;
use vise_graph::sql::{self, Cell, Found, Limits, SqlError, TABLES};
use vise_text::shown;

use super::Graph;
use super::answer::Rows;
use super::budget::Budget;
use crate::{ErrorKind, Session, ToolError};

/// What a statement gave.
#[derive(Debug)]
pub(super) struct Selected {
    pub(super) columns: Vec<String>,
    pub(super) rows: Rows<Vec<Cell>>,
    /// Whether there are more rows than were counted.
    pub(super) more: bool,
}

impl Selected {
    pub(super) fn cut(&self) -> bool {
        self.more || self.rows.cut()
    }
}

/// Runs the statement of a question.
pub(super) fn select(
    ask: &Graph,
    session: &Session,
    opened: &Opened,
    budget: &mut Budget,
) -> Result<Selected, ToolError> {
    let text = ask.sql.as_deref().filter(|text| !text.trim().is_empty()).ok_or_else(|| {
        ToolError::bad_input("`sql` is missing, and this question is a statement")
            .hint(format!("the tables are {}", tables()))
    })?;
    let left_out = opened.skipped.iter().map(|skipped| (skipped.file.clone(), skipped.why.as_str())).collect();
    let limits = Limits { rows: ask.max.unwrap_or(sql::MAX_ROWS), ..Limits::default() };
    let found = sql::query(&opened.graph, left_out, text, limits, &session.stop).map_err(|error| explain(&error))?;
    let Found { columns, rows, truncated, .. } = found;
    let rows = budget.keep(rows, |row| row.iter().map(|cell| word(cell).len() + 2).sum());
    Ok(Selected { columns, rows, more: truncated })
}

fn explain(error: &SqlError) -> ToolError {
    let answer = ToolError::bad_input(error.to_string());
    match error {
        SqlError::Bad(_) => answer,
        SqlError::Unknown(_) => answer.hint(format!("the tables are {}", tables())),
        SqlError::Refused(_) => {
            ToolError { kind: ErrorKind::Refused, ..answer }.hint("a statement is one SELECT, or WITH … SELECT")
        }
        SqlError::TooLong => answer.hint(format!(
            "it may take {} seconds; a condition on an id, a name or a file makes it look up instead of walking",
            sql::TIME.as_secs()
        )),
        SqlError::Cancelled => ToolError::cancelled(),
    }
}

/// The tables with their columns, in words.
fn tables() -> String {
    let table = |table: &sql::Table| {
        let columns: Vec<&str> = table.columns.iter().map(|(name, _)| *name).collect();
        format!("{}({})", table.name, columns.join(" "))
    };
    TABLES.iter().map(table).collect::<Vec<_>>().join(", ")
}

/// A value in text.
fn word(cell: &Cell) -> String {
    match cell {
        Cell::Null => String::new(),
        Cell::Integer(number) => number.to_string(),
        Cell::Real(number) => number.to_string(),
        Cell::Text(text) => shown(text.as_bytes()),
        Cell::Blob(blob) => blob.iter().map(|byte| format!("{byte:02x}")).collect(),
    }
}

/// The lines of an answer: a heading, then the rows, numbers to the right.
pub(super) fn lines(selected: &Selected) -> Vec<String> {
    let heading: Vec<String> = selected.columns.iter().map(|name| shown(name.as_bytes())).collect();
    let rows: Vec<Vec<String>> = selected.rows.rows.iter().map(|row| row.iter().map(word).collect()).collect();
    let mut widths: Vec<usize> = heading.iter().map(|name| name.chars().count()).collect();
    for (column, cell) in rows.iter().flat_map(|row| row.iter().enumerate()) {
        widths[column] = widths[column].max(cell.chars().count());
    }
    let is_number = |column: usize| {
        let mut cells =
            selected.rows.rows.iter().filter_map(|row| row.get(column)).filter(|cell| **cell != Cell::Null).peekable();
        cells.peek().is_some() && cells.all(|cell| matches!(cell, Cell::Integer(_) | Cell::Real(_)))
    };
    let to_right: Vec<bool> = (0..widths.len()).map(is_number).collect();
    let line = |cells: &Vec<String>| {
        let mut line = String::new();
        for ((cell, width), to_right) in cells.iter().zip(&widths).zip(&to_right) {
            let gap = " ".repeat(width - cell.chars().count());
            let (before, behind) = if *to_right { (&*gap, "") } else { ("", &*gap) };
            line.push_str(&format!("{before}{cell}{behind}  "));
        }
        line.trim_end().to_owned()
    };
    std::iter::once(&heading).chain(&rows).map(line).collect()
}

impl Serialize for Selected {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut object = serializer.serialize_struct("Selected", 3)?;
        object.serialize_field("columns", &self.columns)?;
        let rows: Vec<Vec<Value<'_>>> = self.rows.rows.iter().map(|row| row.iter().map(Value).collect()).collect();
        object.serialize_field("rows", &rows)?;
        object.serialize_field("truncated", &self.cut())?;
        object.end()
    }
}

/// A value in JSON; bytes are a text of their digits.
struct Value<'c>(&'c Cell);

impl Serialize for Value<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0 {
            Cell::Null => serializer.serialize_none(),
            Cell::Integer(number) => serializer.serialize_i64(*number),
            Cell::Real(number) => serializer.serialize_f64(*number),
            Cell::Text(text) => serializer.serialize_str(text),
            Cell::Blob(_) => serializer.serialize_str(&word(self.0)),
        }
    }
}
