//! A list of texts in one piece of memory: the names of all files are held at once, and most are a few bytes long.

use std::fmt;
use std::ops::Index;

use serde::de::{SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Texts, by their number. At most 4 GiB of them.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Texts {
    heap: String,
    ends: Vec<u32>,
}

impl Texts {
    /// How many there are.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// The text with a number, from 0.
    pub fn get(&self, number: usize) -> Option<&str> {
        let end = *self.ends.get(number)? as usize;
        let start = number.checked_sub(1).map_or(0, |before| self.ends[before] as usize);
        self.heap.get(start..end)
    }

    /// Adds a text behind the others. Beyond 4 GiB it is empty.
    pub fn push(&mut self, text: &str) {
        if u32::try_from(self.heap.len() + text.len()).is_ok() {
            self.heap.push_str(text);
        }
        self.ends.push(u32::try_from(self.heap.len()).unwrap_or(u32::MAX));
    }

    /// All, in order.
    pub fn iter(&self) -> impl Iterator<Item = &str> {
        (0..self.len()).map(|number| &self[number])
    }

    /// Gives back the room that it grew beyond its length.
    pub fn shrink_to_fit(&mut self) {
        self.heap.shrink_to_fit();
        self.ends.shrink_to_fit();
    }
}

impl Index<usize> for Texts {
    type Output = str;

    /// The text with a number; empty where there is none.
    fn index(&self, number: usize) -> &str {
        self.get(number).unwrap_or_default()
    }
}

impl<T: AsRef<str>> FromIterator<T> for Texts {
    fn from_iter<I: IntoIterator<Item = T>>(texts: I) -> Self {
        let mut all = Self::default();
        texts.into_iter().for_each(|text| all.push(text.as_ref()));
        all
    }
}

impl Serialize for Texts {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.iter())
    }
}

impl<'de> Deserialize<'de> for Texts {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Whole;
        impl<'de> Visitor<'de> for Whole {
            type Value = Texts;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a list of texts")
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut all: A) -> Result<Texts, A::Error> {
                let mut texts = Texts::default();
                while let Some(text) = all.next_element::<&str>()? {
                    texts.push(text);
                }
                Ok(texts)
            }
        }
        deserializer.deserialize_seq(Whole)
    }
}
