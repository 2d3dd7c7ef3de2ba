//! Names of one file, each once.

use std::hash::Hasher;

use rustc_hash::FxHasher;

use crate::facts::NameId;
use crate::texts::Texts;

/// Texts with numbers. The table is one of numbers, so that looking up a text that is known allocates nothing.
#[derive(Debug)]
pub(super) struct Names {
    table: Vec<u32>,
    pub texts: Texts,
    /// For each name the number of expressions that were there at its last use as a name, and the one before.
    pub uses: Vec<[u32; 2]>,
}

/// No use so far.
pub(super) const UNUSED: u32 = u32::MAX;
const FREE: u32 = u32::MAX;

impl Names {
    pub(super) fn new() -> Self {
        Self { table: vec![FREE; 256], texts: Texts::default(), uses: Vec::with_capacity(64) }
    }

    /// The number of a text.
    pub(super) fn id(&mut self, text: &[u8]) -> NameId {
        let mask = self.table.len() - 1;
        let mut slot = hash(text) & mask;
        loop {
            match self.table[slot] {
                FREE => break,
                found if self.texts[found as usize].as_bytes() == text => return NameId(found),
                _ => slot = (slot + 1) & mask,
            }
        }
        let id = self.texts.len() as u32;
        let Ok(known) = std::str::from_utf8(text) else {
            // Bytes that are no text would never be found again under their own hash.
            return self.id(String::from_utf8_lossy(text).as_bytes());
        };
        self.texts.push(known);
        self.uses.push([UNUSED; 2]);
        self.table[slot] = id;
        if self.texts.len() * 2 > self.table.len() {
            self.grow();
        }
        NameId(id)
    }

    fn grow(&mut self) {
        let mask = self.table.len() * 4 - 1;
        self.table.clear();
        self.table.resize(mask + 1, FREE);
        for (id, text) in self.texts.iter().enumerate() {
            let mut slot = hash(text.as_bytes()) & mask;
            while self.table[slot] != FREE {
                slot = (slot + 1) & mask;
            }
            self.table[slot] = id as u32;
        }
    }

    /// The text of a name.
    pub(super) fn text(&self, id: NameId) -> &str {
        &self.texts[id.ix()]
    }
}

fn hash(text: &[u8]) -> usize {
    let mut hasher = FxHasher::default();
    hasher.write(text);
    hasher.finish() as usize
}
