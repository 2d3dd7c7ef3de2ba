//! Text that every match contains: what keeps files from being parsed, and where in a file to look.

use memchr::memmem::Finder;

use crate::program::{Literal, Program};

/// How many literals of a reading are looked for to find the rarest.
const WEIGHED: usize = 3;

/// The literals of one reading, ready to be looked for.
#[derive(Debug, Clone)]
pub(crate) struct Prefilter {
    needles: Vec<(Finder<'static>, Literal)>,
}

impl Prefilter {
    pub(crate) fn new(program: &Program) -> Self {
        let mut needles: Vec<(Finder<'static>, Literal)> = Vec::new();
        for literal in &program.literals {
            if !needles.iter().any(|(_, known)| known.text == literal.text) {
                needles.push((Finder::new(&literal.text).into_owned(), literal.clone()));
            }
        }
        Self { needles }
    }

    /// Whether a text holds all the literals.
    pub(crate) fn passes(&self, text: &[u8]) -> bool {
        self.needles.iter().all(|(finder, literal)| Occurrences::new(finder, literal, text).next().is_some())
    }

    /// The literal that is rarest in a text, with its places; `None` when the reading has no literal.
    ///
    /// `usable` says which literals can serve to find a match.
    pub(crate) fn rarest(&self, text: &[u8], usable: impl Fn(&Literal) -> bool) -> Option<(&Literal, Vec<usize>)> {
        let mut best: Option<(&Literal, Vec<usize>)> = None;
        for (finder, literal) in self.needles.iter().filter(|(_, literal)| usable(literal)).take(WEIGHED) {
            let limit = best.as_ref().map_or(usize::MAX, |(_, places)| places.len());
            let places: Vec<usize> = Occurrences::new(finder, literal, text).take(limit).collect();
            if places.len() < limit {
                best = Some((literal, places));
            }
        }
        best
    }
}

/// The places of a literal in a text, in order.
struct Occurrences<'a> {
    finder: &'a Finder<'static>,
    literal: &'a Literal,
    text: &'a [u8],
    at: usize,
}

impl<'a> Occurrences<'a> {
    fn new(finder: &'a Finder<'static>, literal: &'a Literal, text: &'a [u8]) -> Self {
        Self { finder, literal, text, at: 0 }
    }
}

impl Iterator for Occurrences<'_> {
    type Item = usize;

    fn next(&mut self) -> Option<usize> {
        let letter = |byte: Option<&u8>| byte.is_some_and(|b| b.is_ascii_alphanumeric() || *b == b'_');
        loop {
            let found = self.at + self.finder.find(self.text.get(self.at..)?)?;
            self.at = found + 1;
            let beside = found.checked_sub(1).and_then(|at| self.text.get(at));
            let behind = self.text.get(found + self.literal.text.len());
            if !self.literal.word || (!letter(beside) && !letter(behind)) {
                return Some(found);
            }
        }
    }
}
