//! The breakpoints of a session, and where the adapter has them.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::answer::Break;
use crate::call::Spot;

/// How many breakpoints there may be.
pub(crate) const MOST: usize = 64;

/// A breakpoint.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Row {
    /// Its number, from 1.
    pub(crate) id: u64,
    /// What was asked for.
    pub(crate) spot: Spot,
    /// Where it is.
    pub(crate) line: Option<usize>,
    /// Whether it can be reached.
    pub(crate) verified: bool,
    /// How often it was hit.
    pub(crate) hits: u64,
    /// What the adapter says of it.
    pub(crate) message: Option<String>,
    /// What is wrong with its condition.
    pub(crate) condition_error: Option<String>,
    /// The adapter's numbers of it, by line.
    ids: BTreeMap<usize, i64>,
}

/// All breakpoints.
#[derive(Debug, Default)]
pub(crate) struct Table {
    rows: Vec<Row>,
    next: u64,
    /// One that stands for the time of a `go to`: its file and line, and the adapter's numbers.
    temporary: Option<(PathBuf, usize, BTreeMap<usize, i64>)>,
    /// News of breakpoints that the adapter has not told us the number of yet.
    early: Vec<(usize, Value)>,
}

impl Table {
    /// Takes a new one; a second for the same place takes the first one's place.
    pub(crate) fn set(&mut self, spot: &Spot) -> bool {
        if let Some(row) = self.rows.iter_mut().find(|row| row.spot.file == spot.file && row.spot.line == spot.line) {
            row.spot = spot.clone();
            return true;
        }
        if self.rows.len() >= MOST {
            return false;
        }
        self.next += 1;
        self.rows.push(Row {
            id: self.next,
            spot: spot.clone(),
            line: None,
            verified: false,
            hits: 0,
            message: None,
            condition_error: None,
            ids: BTreeMap::new(),
        });
        true
    }

    /// Takes one away, and gives its file.
    pub(crate) fn clear(&mut self, id: u64) -> Option<PathBuf> {
        let at = self.rows.iter().position(|row| row.id == id)?;
        Some(self.rows.remove(at).spot.file)
    }

    /// All of them.
    pub(crate) fn rows(&self) -> &[Row] {
        &self.rows
    }

    /// One of them.
    pub(crate) fn row(&mut self, id: u64) -> Option<&mut Row> {
        self.rows.iter_mut().find(|row| row.id == id)
    }

    /// Sets or takes away the one for the time of a `go to`.
    pub(crate) fn visit(&mut self, place: Option<(PathBuf, usize)>) {
        self.temporary = place.map(|(file, line)| (file, line, BTreeMap::new()));
    }

    /// The file of that one.
    pub(crate) fn visiting(&self) -> Option<PathBuf> {
        self.temporary.as_ref().map(|(file, ..)| file.clone())
    }

    /// Whether that one is here.
    pub(crate) fn is_visited(&self, file: &Path, line: usize) -> bool {
        self.temporary.as_ref().is_some_and(|(of, at, _)| of == file && *at == line)
    }

    /// The files that have any.
    pub(crate) fn files(&self) -> Vec<PathBuf> {
        let temporary = self.temporary.iter().map(|(file, ..)| file.clone());
        let mut files: Vec<PathBuf> = self.rows.iter().map(|row| row.spot.file.clone()).chain(temporary).collect();
        files.sort();
        files.dedup();
        files
    }

    /// What `setBreakpoints` says of a file. `hit` says how an adapter writes that it is to stop at a hit.
    pub(crate) fn arguments(&self, file: &Path, hit: &str) -> Value {
        let rows = self.rows.iter().filter(|row| row.spot.file == file).map(|row| {
            let mut one = json!({"line": row.spot.line});
            if let Some(condition) = &row.spot.condition {
                one["condition"] = condition.clone().into();
            }
            if let Some(count) = row.spot.hit {
                one["hitCondition"] = format!("{hit}{count}").into();
            }
            one
        });
        let temporary = self.temporary.iter().filter(|(of, ..)| of == file).map(|(_, line, _)| json!({"line": line}));
        let all: Vec<Value> = rows.chain(temporary).collect();
        let name = file.file_name().map(|name| name.to_string_lossy().into_owned());
        json!({"source": {"path": file, "name": name}, "breakpoints": all, "sourceModified": false})
    }

    /// Reads the answer to that: one item for each, in the order of the request.
    pub(crate) fn answered(&mut self, line: usize, file: &Path, body: &Value) {
        let told = body["breakpoints"].as_array().map(Vec::as_slice).unwrap_or_default();
        let rows = self.rows.iter_mut().filter(|row| row.spot.file == file);
        let mut at = 0;
        for (row, one) in rows.zip(told) {
            row.update(one);
            row.ids.extend(one["id"].as_i64().map(|id| (line, id)));
            at += 1;
        }
        if let Some((of, _, ids)) = &mut self.temporary
            && of == file
        {
            ids.extend(told.get(at).and_then(|one| one["id"].as_i64()).map(|id| (line, id)));
        }
        // What was told of them before we knew their numbers.
        for (line, one) in std::mem::take(&mut self.early) {
            self.told(line, &one);
        }
    }

    /// The adapter refuses those of a file.
    pub(crate) fn refused(&mut self, file: &Path, why: &str) {
        for row in self.rows.iter_mut().filter(|row| row.spot.file == file) {
            row.verified = false;
            row.message = Some(why.to_owned());
        }
    }

    /// News of one.
    pub(crate) fn told(&mut self, line: usize, one: &Value) {
        let Some(id) = one["id"].as_i64() else { return };
        match self.rows.iter_mut().find(|row| row.ids.get(&line) == Some(&id)) {
            Some(row) => row.update(one),
            None if self.early.len() < MOST => self.early.push((line, one.clone())),
            None => {}
        }
    }

    /// Counts a hit of those with the adapter's numbers, and gives ours; and whether the visitor was among them.
    pub(crate) fn hit(&mut self, line: usize, ids: impl Iterator<Item = i64>) -> (Vec<u64>, bool) {
        let (mut hit, mut arrived) = (Vec::new(), false);
        for id in ids {
            arrived |= self.temporary.as_ref().is_some_and(|(_, _, ids)| ids.get(&line) == Some(&id));
            if let Some(row) = self.rows.iter_mut().find(|row| row.ids.get(&line) == Some(&id)) {
                row.hits += 1;
                row.verified = true;
                hit.push(row.id);
            }
        }
        (hit, arrived)
    }

    /// The one at this place, counted as hit; for adapters that do not say which it was.
    pub(crate) fn hit_at(&mut self, file: &Path, line: usize) -> Option<u64> {
        let at = |row: &&mut Row| row.spot.file == file && row.line.unwrap_or(row.spot.line) == line;
        let row = self.rows.iter_mut().find(at)?;
        row.hits += 1;
        row.verified = true;
        Some(row.id)
    }
}

impl Row {
    fn update(&mut self, one: &Value) {
        self.verified = one["verified"].as_bool().unwrap_or(self.verified);
        if let Some(line) = one["line"].as_u64() {
            self.line = Some(line as usize);
        }
        self.message = one["message"].as_str().map(str::to_owned).filter(|text| !text.is_empty());
    }

    /// Whether it is on another line than asked.
    pub(crate) fn moved(&self) -> bool {
        self.spot.by_line && self.line.is_some_and(|line| line != self.spot.line)
    }

    /// As it is answered; `show` makes a path what answers call it.
    pub(crate) fn answer(&self, show: &dyn Fn(&Path) -> String) -> Break {
        Break {
            id: self.id,
            asked: self.spot.asked.clone(),
            file: show(&self.spot.file),
            asked_line: self.spot.by_line.then_some(self.spot.line),
            line: self.line.or_else(|| self.verified.then_some(self.spot.line)),
            verified: self.verified,
            moved: self.moved(),
            hits: self.hits,
            condition: self.spot.condition.clone(),
            condition_error: self.condition_error.clone(),
            message: self.message.clone(),
        }
    }
}
