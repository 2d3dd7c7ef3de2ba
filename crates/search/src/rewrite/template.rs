//! Templates: text of the language with the metavariables of a pattern.

use std::ops::Range;
use std::sync::Arc;

use vise_syntax::Language;

use super::layout::{self, Unit};
use super::reading::{self, Reading};
use crate::metavariable::{Kind, Piece, scan};

/// What is put in the place of a match.
#[derive(Debug)]
pub struct Template {
    /// The template as it was given.
    pub source: String,
    /// The language that it is written in.
    pub language: Arc<Language>,
    pub(super) items: Vec<Item>,
    pub(super) holes: Vec<Hole>,
    /// All words, one after the other; items hold ranges of it.
    pub(super) words: String,
    /// The step of the template's own indentation.
    pub(super) unit: Option<Unit>,
    pub(super) reading: Reading,
}

/// A word, a sign or a metavariable, with the white space in front of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Item {
    pub gap: Gap,
    pub what: What,
}

/// White space in front of an item.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Gap {
    /// As it is in the template, with `\n` for line ends.
    pub text: String,
    /// Number of line breaks.
    pub breaks: usize,
}

impl Gap {
    /// What follows the last line break.
    pub(super) fn indent(&self) -> &str {
        self.text.rfind('\n').map_or("", |at| &self.text[at + 1..])
    }
}

/// What an item is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum What {
    /// A range of the template's words.
    Word(Range<usize>),
    /// The place of a hole in the template's list.
    Hole(usize),
}

/// A metavariable at one place of the template.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Hole {
    pub name: Arc<str>,
    pub kind: Kind,
    /// It stands in the text of a string or a comment.
    pub in_text: bool,
    /// It touches a word or another metavariable, so that it makes one word with it.
    pub glued: bool,
    /// It is all that stands between two quotes: the items of the opening and of the closing ones.
    pub quotes: Option<(Range<usize>, Range<usize>)>,
}

impl Template {
    /// Whether the template ends with the language's terminator.
    pub(super) fn ends_statement(&self) -> bool {
        let terminator = self.language.description.terminator.as_str();
        !terminator.is_empty() && self.source.trim_end().ends_with(terminator)
    }

    /// Reads a template. `variables` are those of the pattern.
    ///
    /// # Errors
    /// A metavariable that the pattern does not have, or has as something else, and what [`scan`] complains about.
    pub fn parse(language: &Arc<Language>, text: &str, variables: &[(Arc<str>, Kind)]) -> Result<Self, String> {
        let pieces = scan(&text.replace("\r\n", "\n"))?;
        let mut template = Self {
            source: text.to_owned(),
            language: language.clone(),
            items: Vec::new(),
            holes: Vec::new(),
            words: String::new(),
            unit: None,
            reading: Reading::default(),
        };
        let mut gap = String::new();
        for piece in &pieces {
            match piece {
                Piece::Text(text, _) => template.push_text(text, &mut gap),
                Piece::Hole(variable) => {
                    let sigil = variable.kind.sigil();
                    let Some(name) = &variable.name else {
                        return Err(format!(
                            "a template cannot use `{}`, which stands for nothing that has a name; give it one in the \
                             pattern (`{sigil}A`)",
                            text.get(variable.range.clone()).unwrap_or(sigil)
                        ));
                    };
                    check(name, variable.kind, variables)?;
                    template.items.push(Item { gap: Gap::new(&mut gap), what: What::Hole(template.holes.len()) });
                    template.holes.push(Hole {
                        name: name.clone(),
                        kind: variable.kind,
                        in_text: false,
                        glued: false,
                        quotes: None,
                    });
                }
            }
        }
        template.trim();
        template.look_around();
        template.reading = reading::read(language, &template);
        for hole in 0..template.holes.len() {
            template.holes[hole].in_text = match template.reading.in_text.get(hole) {
                Some(known) => *known,
                None => template.holes[hole].quotes.is_some(),
            };
        }
        Ok(template)
    }

    /// Whether the template says to delete.
    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    /// The text of a word.
    pub(super) fn word(&self, item: usize) -> Option<&str> {
        match self.items.get(item).map(|item| &item.what) {
            Some(What::Word(range)) => Some(&self.words[range.clone()]),
            _ => None,
        }
    }

    fn push_text(&mut self, text: &str, gap: &mut String) {
        let mut chars = text.char_indices().peekable();
        while let Some((at, first)) = chars.next() {
            if first.is_ascii_whitespace() {
                gap.push(first);
                continue;
            }
            let mut end = at + first.len_utf8();
            if is_word(first) {
                while let Some((_, next)) = chars.next_if(|(_, c)| is_word(*c)) {
                    end += next.len_utf8();
                }
            }
            let start = self.words.len();
            self.words.push_str(&text[at..end]);
            self.items.push(Item { gap: Gap::new(gap), what: What::Word(start..self.words.len()) });
        }
    }

    /// Takes off white space at the start, which is the depth that the other lines are relative to.
    fn trim(&mut self) {
        let Some(first) = self.items.first_mut() else { return };
        let base = std::mem::take(&mut first.gap);
        let base = if base.breaks > 0 { base.indent().to_owned() } else { base.text };
        if !base.is_empty() {
            for item in &mut self.items {
                if item.gap.breaks > 0
                    && let Some(rest) = item.gap.indent().strip_prefix(base.as_str())
                {
                    let lines = item.gap.text.len() - item.gap.indent().len();
                    item.gap.text = format!("{}{rest}", &item.gap.text[..lines]);
                }
            }
        }
        let indents = self.items.iter().filter(|item| item.gap.breaks > 0).map(|item| item.gap.indent());
        self.unit = layout::template_unit(std::iter::once("").chain(indents));
    }

    /// Finds what each hole touches.
    fn look_around(&mut self) {
        for item in 0..self.items.len() {
            let What::Hole(hole) = self.items[item].what else { continue };
            let touches = |a: usize, b: usize| {
                let word = |at: usize| self.word(at).is_none_or(|word| word.chars().all(is_word));
                b < self.items.len() && self.items[b].gap.text.is_empty() && word(a) && word(b)
            };
            self.holes[hole].glued =
                item.checked_sub(1).is_some_and(|before| touches(before, item)) || touches(item, item + 1);
            self.holes[hole].quotes = self.quotes(item);
        }
    }

    /// The quotes right around a hole.
    fn quotes(&self, hole: usize) -> Option<(Range<usize>, Range<usize>)> {
        let quote = self.word(hole.checked_sub(1)?)?;
        if !matches!(quote, "\"" | "'" | "`") {
            return None;
        }
        let joined = |at: usize| self.items.get(at).is_some_and(|item| item.gap.text.is_empty());
        if !joined(hole) {
            return None;
        }
        let mut start = hole - 1;
        while start > 0 && joined(start) && self.word(start - 1) == Some(quote) {
            start -= 1;
        }
        let width = hole - start;
        if !(hole + 1..=hole + width).all(|at| joined(at) && self.word(at) == Some(quote)) {
            return None;
        }
        let mut end = hole + width + 1;
        while start > 0
            && joined(start)
            && self.word(start - 1) == Some("#")
            && joined(end)
            && self.word(end) == Some("#")
        {
            start -= 1;
            end += 1;
        }
        if start > 0
            && joined(start)
            && self.word(start - 1).is_some_and(|word| word.len() <= 2 && word.chars().all(|c| c.is_ascii_alphabetic()))
        {
            start -= 1;
        }
        Some((start..hole, hole + 1..end))
    }
}

impl Gap {
    fn new(text: &mut String) -> Self {
        let text = std::mem::take(text);
        Self { breaks: text.matches('\n').count(), text }
    }
}

/// Whether a character makes a word with its neighbours.
pub(super) fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_' || !c.is_ascii()
}

fn check(name: &Arc<str>, kind: Kind, variables: &[(Arc<str>, Kind)]) -> Result<(), String> {
    let sigil = kind.sigil();
    match variables.iter().find(|(known, _)| known == name) {
        Some((_, known)) if *known == kind => Ok(()),
        Some((_, known)) => Err(format!(
            "the template writes `{sigil}{name}` where the pattern has `{}{name}`: use the same dollars",
            known.sigil()
        )),
        None if variables.is_empty() => {
            Err(format!("the template uses `{sigil}{name}`, and the pattern has no metavariable with a name"))
        }
        None => {
            let known: Vec<String> = variables.iter().map(|(name, kind)| format!("`{}{name}`", kind.sigil())).collect();
            Err(format!(
                "the template uses `{sigil}{name}`, which the pattern does not have: it has {}",
                known.join(", ")
            ))
        }
    }
}
