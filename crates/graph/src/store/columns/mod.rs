//! Values as columns: every field of every kind of row by itself.
//!
//! A list of rows says much the same in each of its fields from row to row, so that fields laid one behind the other, and
//! where it is shorter only what each adds to the one before, pack to about half of what whole rows do. The layout
//! follows from the types, by way of `serde`: nothing here knows what is stored, and a type that changes needs the same
//! care as with any other form that does not describe itself.
//!
//! A place in the types (this field of that variant of the elements of that list) is a [`Places`] number. Both
//! directions pass the places in the same order, so the numbers are never stored.

mod read;
mod write;

use std::fmt;

pub(super) use read::read;
pub(super) use write::write;

/// Steps from a place to those below it.
mod step {
    /// The value of an option, the elements of a list.
    pub(super) const INSIDE: usize = 0;
    /// The bytes of a text.
    pub(super) const BYTES: usize = 1;
    /// A field of a structure.
    pub(super) fn field(field: usize) -> usize {
        2 + field
    }
    /// A field of a variant. A variant with more fields shares columns with the next, which costs room and nothing else.
    pub(super) fn of_variant(variant: u32, field: usize) -> usize {
        2 + variant as usize * 4 + field
    }
}

/// Numbers of places, given out as places are first passed.
struct Places {
    /// For each place, the places below it by step; 0 where none was passed yet.
    below: Vec<Vec<u32>>,
}

impl Places {
    const ROOT: u32 = 0;

    fn new() -> Self {
        Self { below: vec![Vec::new()] }
    }

    /// The place one step below another.
    fn below(&mut self, place: u32, step: usize) -> u32 {
        let next = self.below.len() as u32;
        let below = &mut self.below[place as usize];
        if below.len() <= step {
            below.resize(step + 1, 0);
        }
        if below[step] == 0 {
            below[step] = next;
            self.below.push(Vec::new());
        }
        self.below[place as usize][step]
    }
}

/// Bytes that are no columns, or a type that columns do not hold.
#[derive(Debug)]
pub(super) struct Unfit;

impl fmt::Display for Unfit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the value and its columns do not fit")
    }
}

impl std::error::Error for Unfit {}

impl serde::ser::Error for Unfit {
    fn custom<T: fmt::Display>(_: T) -> Self {
        Self
    }
}

impl serde::de::Error for Unfit {
    fn custom<T: fmt::Display>(_: T) -> Self {
        Self
    }
}

/// The difference of two numbers, with the small ones of either sign first.
fn difference(number: u64, before: u64) -> u64 {
    let difference = number.wrapping_sub(before).cast_signed();
    (difference << 1 ^ difference >> 63).cast_unsigned()
}

/// The other way round.
fn add(difference: u64, before: u64) -> u64 {
    before.wrapping_add(difference >> 1 ^ (difference & 1).wrapping_neg())
}

#[cfg(test)]
mod tests;
