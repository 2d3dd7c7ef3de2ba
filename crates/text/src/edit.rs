//! Edits of one text, all made against the same original.
//!
//! Offsets never shift while edits are applied: every range is a range of the original. The rules for ranges that
//! meet are few. Identical replacements are one replacement. Other overlaps are a [`Conflict`]. Inserts at one place
//! keep the order they were given in; an insert at the start of a replaced range comes before the replacement, one at
//! its end after it.

use serde::{Deserialize, Serialize};
use std::fmt;
use std::ops::Range;

/// Replaces `range` of a text by `text`. An empty range inserts, an empty text deletes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Edit {
    /// The replaced bytes of the original.
    pub range: Range<usize>,
    /// What stands there afterwards.
    pub text: Vec<u8>,
}

/// Why some edits cannot all be made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Conflict {
    /// Two edits change the same bytes in different ways.
    Overlap {
        /// The one that starts first.
        first: Range<usize>,
        /// The other.
        second: Range<usize>,
    },
    /// A range is reversed or ends past the end of the text.
    OutOfBounds {
        /// The range.
        range: Range<usize>,
        /// The length of the text.
        len: usize,
    },
}

/// Edits that are sorted, inside the text and disjoint.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Edits {
    list: Vec<Edit>,
}

/// Makes `edits` on `old`, in whatever order they come.
pub fn apply(old: &[u8], edits: &[Edit]) -> Result<Vec<u8>, Conflict> {
    Ok(Edits::new(old.len(), edits.to_vec())?.apply(old))
}

impl Edits {
    /// Sorts `edits` of a text of `len` bytes and checks that they are disjoint.
    pub fn new(len: usize, mut edits: Vec<Edit>) -> Result<Edits, Conflict> {
        if let Some(edit) = edits.iter().find(|edit| edit.range.start > edit.range.end || edit.range.end > len) {
            return Err(Conflict::OutOfBounds { range: edit.range.clone(), len });
        }
        // The sort is stable, so inserts at one place stay in order; an empty range sorts before a longer one that
        // starts with it.
        edits.sort_by_key(|edit| (edit.range.start, edit.range.end));
        edits.dedup_by(|next, kept| next == kept && !kept.range.is_empty());
        for pair in edits.windows(2) {
            if pair[1].range.start < pair[0].range.end {
                return Err(Conflict::Overlap { first: pair[0].range.clone(), second: pair[1].range.clone() });
            }
        }
        Ok(Edits { list: edits })
    }

    /// The edits in the order of the text.
    pub fn as_slice(&self) -> &[Edit] {
        &self.list
    }

    /// The text after the edits. `old` has the length that was given to [`Edits::new`]; of a shorter one, what lies
    /// past its end is left out.
    pub fn apply(&self, old: &[u8]) -> Vec<u8> {
        let grown: usize = self.list.iter().map(|edit| edit.text.len()).sum();
        let mut new = Vec::with_capacity(old.len() + grown);
        let mut at = 0;
        for edit in &self.list {
            new.extend_from_slice(old.get(at..edit.range.start).unwrap_or_default());
            new.extend_from_slice(&edit.text);
            at = edit.range.end;
        }
        new.extend_from_slice(old.get(at..).unwrap_or_default());
        new
    }

    /// Where `range` of the original lies in the new text. The range of an edit gives the range of its replacement;
    /// text inserted at either end of a range that is not empty stays outside. An end that lies inside a replaced
    /// range moves outwards to that replacement's end.
    pub fn map_range(&self, range: &Range<usize>) -> Range<usize> {
        let insert_here = range.is_empty();
        let start = self.map(range.start, |edit| {
            edit.range.end < range.start || (edit.range.end == range.start && !(insert_here && edit.range.is_empty()))
        });
        let end = self.map(range.end, |edit| {
            edit.range.start < range.end || (edit.range.start == range.end && insert_here && edit.range.is_empty())
        });
        start..end.max(start)
    }

    /// Where `offset` lies when the edits that lie before it are those that `before` holds for.
    fn map(&self, offset: usize, before: impl Fn(&Edit) -> bool) -> usize {
        let mut at = 0;
        let mut new = 0;
        for edit in &self.list {
            if !before(edit) {
                // Only the start of a place can lie inside an edit that is not before it; it moves to its start.
                return new + offset.min(edit.range.start).saturating_sub(at);
            }
            new += edit.range.start - at + edit.text.len();
            at = edit.range.end;
        }
        new + offset.saturating_sub(at)
    }
}

impl fmt::Display for Conflict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Conflict::Overlap { first, second } => write!(
                f,
                "the edits of bytes {}..{} and {}..{} overlap",
                first.start, first.end, second.start, second.end
            ),
            Conflict::OutOfBounds { range, len } => {
                write!(f, "bytes {}..{} are no range of a text of {len} bytes", range.start, range.end)
            }
        }
    }
}

impl std::error::Error for Conflict {}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn edit(range: Range<usize>, text: &str) -> Edit {
        Edit { range, text: text.as_bytes().to_vec() }
    }

    #[track_caller]
    fn check(old: &str, edits: &[Edit], expected: &str) {
        let new = apply(old.as_bytes(), edits).map(|new| String::from_utf8_lossy(&new).into_owned());
        assert_eq!(new.as_deref(), Ok(expected));
    }

    #[test]
    fn smoke() {
        check("one two three", &[edit(8..13, "3"), edit(0..3, "1")], "1 two 3");
    }

    #[test]
    fn inserts_at_one_place_keep_their_order() {
        check("abc", &[edit(1..1, "1"), edit(1..2, "B"), edit(1..1, "2"), edit(2..2, "3")], "a12B3c");
        check("abc", &[edit(1..1, "x"), edit(1..1, "x")], "axxbc");
    }

    #[test]
    fn an_identical_replacement_is_made_once() {
        check("abc", &[edit(1..2, "bb"), edit(1..2, "bb")], "abbc");
    }

    #[test]
    fn overlaps_are_conflicts() {
        for (first, second) in [(0..2, 1..3), (0..3, 1..2), (1..2, 1..2), (0..2, 1..1)] {
            let edits = [edit(second.clone(), "x"), edit(first.clone(), "y")];
            let error = apply(b"abc", &edits);
            if first == second {
                assert!(matches!(error, Err(Conflict::Overlap { .. })), "{error:?}");
            } else {
                assert_eq!(error, Err(Conflict::Overlap { first, second }));
            }
        }
    }

    #[test]
    #[expect(clippy::reversed_empty_ranges, reason = "a reversed range is the case")]
    fn a_bad_range_is_a_conflict() {
        assert!(matches!(apply(b"abc", &[edit(2..4, "")]), Err(Conflict::OutOfBounds { .. })));
        assert!(matches!(apply(b"abc", &[edit(2..1, "")]), Err(Conflict::OutOfBounds { .. })));
    }

    #[test]
    fn a_place_is_found_in_the_new_text() {
        let edits = [edit(0..0, "> "), edit(2..4, "XXXX"), edit(4..4, "!"), edit(6..7, "")];
        let edits = Edits::new(8, edits.to_vec()).unwrap_or_default();
        assert_eq!(edits.apply(b"abcdefgh"), b"> abXXXX!efh");
        assert_eq!(edits.map_range(&(2..4)), 4..8);
        assert_eq!(edits.map_range(&(0..0)), 0..2);
        assert_eq!(edits.map_range(&(0..2)), 2..4);
        assert_eq!(edits.map_range(&(4..4)), 8..9);
        assert_eq!(edits.map_range(&(4..6)), 9..11);
        assert_eq!(edits.map_range(&(6..7)), 11..11);
        assert_eq!(edits.map_range(&(7..8)), 11..12);
        assert_eq!(edits.map_range(&(3..3)), 4..8);
        assert_eq!(edits.map_range(&(1..7)), 3..11);
    }

    /// A text of tokens: what stands at each byte of the original, and what was inserted before it.
    fn naive(old: &[u8], edits: &[Edit]) -> Vec<u8> {
        let mut inserted: Vec<Vec<u8>> = vec![Vec::new(); old.len() + 1];
        let mut replaced: Vec<Option<Vec<u8>>> = old.iter().map(|byte| Some(vec![*byte])).collect();
        let mut starts: Vec<Vec<u8>> = vec![Vec::new(); old.len() + 1];
        for edit in edits {
            if edit.range.is_empty() {
                inserted[edit.range.start].extend_from_slice(&edit.text);
            } else {
                starts[edit.range.start] = edit.text.clone();
                replaced[edit.range.clone()].fill(None);
            }
        }
        let mut new = Vec::new();
        for at in 0..=old.len() {
            new.extend_from_slice(&inserted[at]);
            new.extend_from_slice(&starts[at]);
            new.extend(replaced.get(at).cloned().flatten().unwrap_or_default());
        }
        new
    }

    fn any_case() -> impl Strategy<Value = (Vec<u8>, Vec<Edit>)> {
        proptest::collection::vec(any::<u8>(), 0..30).prop_flat_map(|old| {
            let len = old.len();
            let edit = (0..=len, 0..4usize, proptest::collection::vec(any::<u8>(), 0..4))
                .prop_map(move |(start, length, text)| Edit { range: start..(start + length).min(len), text });
            (Just(old), proptest::collection::vec(edit, 0..6))
        })
    }

    proptest! {
        #[test]
        fn apply_agrees_with_the_naive_one((old, edits) in any_case()) {
            let overlap = edits.iter().enumerate().any(|(at, one)| edits[at + 1..].iter().any(|other| {
                let (one, other) = if one.range.start <= other.range.start { (one, other) } else { (other, one) };
                if one == other || one.range.is_empty() && other.range.is_empty() {
                    return false;
                }
                if one.range.start == other.range.start {
                    return !one.range.is_empty() && !other.range.is_empty();
                }
                other.range.start < one.range.end
            }));
            match apply(&old, &edits) {
                Ok(new) => {
                    prop_assert!(!overlap);
                    prop_assert_eq!(new, naive(&old, &edits));
                }
                Err(error) => prop_assert!(overlap, "{}", error),
            }
        }

        #[test]
        fn a_replaced_place_holds_its_text((old, edits) in any_case()) {
            if let Ok(disjoint) = Edits::new(old.len(), edits) {
                let new = disjoint.apply(&old);
                for edit in disjoint.as_slice() {
                    let place = &new[disjoint.map_range(&edit.range)];
                    if edit.range.is_empty() {
                        prop_assert!(edit.text.is_empty() || place.windows(edit.text.len()).any(|part| part == edit.text));
                    } else {
                        prop_assert_eq!(place, &edit.text);
                    }
                }
            }
        }
    }
}
