//! How much of an answer is given.

use super::answer::Rows;

/// Bytes of text that are about one token.
const TOKEN: usize = 4;

/// What is left of the room that an answer may take.
#[derive(Debug, Clone)]
pub(super) struct Budget {
    bytes: Option<usize>,
    rows: usize,
    taken: usize,
}

impl Budget {
    /// Room for so many tokens, and for so many rows of each list.
    pub(super) fn new(tokens: Option<usize>, rows: Option<usize>) -> Self {
        Self { bytes: tokens.map(|tokens| tokens.saturating_mul(TOKEN)), rows: rows.unwrap_or(usize::MAX), taken: 0 }
    }

    /// Takes room for a text, if there is any.
    pub(super) fn take(&mut self, bytes: usize) -> bool {
        match &mut self.bytes {
            Some(left) if *left < bytes => return false,
            Some(left) => *left -= bytes,
            None => {}
        }
        self.taken += bytes;
        true
    }

    /// Of the rows, the best first, those that there is room for. `bytes` is what the text of a row takes; the first
    /// row is always given, so that an answer says at least something.
    pub(super) fn keep<T>(&mut self, rows: Vec<T>, mut bytes: impl FnMut(&T) -> usize) -> Rows<T> {
        let total = rows.len();
        let mut kept = Vec::new();
        for row in rows {
            let fits = kept.len() < self.rows && (self.take(bytes(&row)) || kept.is_empty() && self.rows > 0);
            if !fits {
                break;
            }
            kept.push(row);
        }
        Rows { rows: kept, total }
    }

    /// Part of the room, to be shared out later.
    pub(super) fn part(&mut self, share: usize, of: usize) -> Self {
        let bytes = self.bytes.map(|left| left / of * share);
        Self { bytes, rows: self.rows, taken: 0 }
    }

    /// Tokens that were taken, rounded up.
    pub(super) fn tokens(&self) -> usize {
        self.taken.div_ceil(TOKEN)
    }

    /// Counts what a part took.
    pub(super) fn add(&mut self, part: &Self) {
        self.taken += part.taken;
        if let Some(left) = &mut self.bytes {
            *left = left.saturating_sub(part.taken);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_kept_while_there_is_room() {
        let mut budget = Budget::new(Some(10), None);
        let rows = budget.keep(vec![20, 20, 20], |bytes| *bytes);
        assert_eq!((rows.rows.len(), rows.total, rows.cut(), budget.tokens()), (2, 3, true, 10));
        // With no room left a list still says something.
        assert_eq!(budget.keep(vec![5, 5], |bytes| *bytes).rows.len(), 1);
        assert!(!Budget::new(None, None).keep(vec![1; 1000], |bytes| *bytes).cut());
        assert_eq!(Budget::new(None, Some(3)).keep(vec![1; 9], |bytes| *bytes).rows.len(), 3);
        assert_eq!(Budget::new(None, Some(0)).keep(vec![1; 9], |bytes| *bytes).rows.len(), 0);
    }
}
