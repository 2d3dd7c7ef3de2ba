//! Rewriting: what replaces each match of a document.
//!
//! What it is: a [`Template`] is text of the language with the metavariables of a pattern; [`rewrite`] puts it in the
//! place of matches and gives the edits. Captured text is copied byte for byte; comments and what the pattern does not
//! mention are kept; parentheses and terminators are added where the new text, parsed again, does not say what was
//! meant without them. A place that cannot be rewritten so is refused, and the others are not.
//!
//! Read first: `template` (what a template is), `plan` (what one replacement consists of), `print` (how the text is
//! written), `rounds` (how it is parsed and repaired), `delete` (an empty template).
//!
//! It never reads or writes a file and never recurses on the depth of a tree.

use std::ops::Range;

use rustc_hash::FxHashMap;
use vise_syntax::{Document, Injections, TreeArena};
use vise_text::Edit;

use crate::matches::Match;

mod align;
mod check;
mod delete;
mod facts;
mod forest;
mod guilt;
mod layout;
mod plan;
mod print;
mod reading;
mod rounds;
mod template;
mod walk;

pub use template::Template;

use guilt::Budget;
use rounds::Attempt;

/// What may be lost.
#[derive(Debug, Clone, Default)]
pub struct RewriteOptions {
    /// A comment for which there is no place is dropped and listed, instead of the place being refused.
    pub allow_comment_loss: bool,
}

/// A rewritten document.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Rewritten {
    /// What changes, sorted and disjoint.
    pub edits: Vec<Edit>,
    /// The whole new text.
    pub text: Vec<u8>,
    /// Number of replaced matches, those in the captures of others included.
    pub changes: usize,
    /// One for each edit.
    pub places: Vec<Place>,
    /// Comments that are gone, where that is allowed.
    pub dropped_comments: Vec<Dropped>,
    /// Matches that are left as they were, by their place.
    pub refused: Vec<Refusal>,
}

/// An edit and what it stands for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// What is replaced.
    pub range: Range<usize>,
    /// What replaces it.
    pub text: Vec<u8>,
    /// Number of matches.
    pub changes: usize,
}

/// A comment that is gone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Dropped {
    /// Where it was.
    pub offset: usize,
    /// What it said.
    pub text: Vec<u8>,
}

/// A match that is left as it was.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal {
    /// Where the match begins.
    pub offset: usize,
    /// One of a few words: `comment`, `parse`, `kept_child`, `overlap`, `broken`, `not_utf8_template`, `ambiguous`,
    /// `unbound`, `too_large`.
    pub reason: &'static str,
    /// The reason in words.
    pub why: String,
}

/// How often a rewrite begins anew without what had to be refused.
const MAX_ATTEMPTS: usize = 12;

/// Puts a template in the place of matches.
///
/// A match in a capture that the template copies is rewritten too; one in text that is replaced vanishes with it.
pub fn rewrite(document: &Document<'_>, matches: &[Match], template: &Template, options: &RewriteOptions) -> Rewritten {
    let mut refused: FxHashMap<usize, Refusal> = FxHashMap::default();
    let refuse_all = |refused: &mut FxHashMap<usize, Refusal>, reason: &'static str, why: &str| {
        for (index, found) in matches.iter().enumerate() {
            refused.entry(index).or_insert_with(|| Refusal { offset: found.range.start, reason, why: why.to_owned() });
        }
    };
    if !template.source.is_ascii() && std::str::from_utf8(document.source).is_err() {
        refuse_all(
            &mut refused,
            "not_utf8_template",
            "the file is not UTF-8, so the template may only have ASCII characters",
        );
    }
    let arena = TreeArena::new();
    let injections = Injections::new(document, &arena);
    let budget = Budget::new(GUILTY_BYTES.max(6 * document.source.len()));
    for _ in 0..MAX_ATTEMPTS {
        if refused.len() == matches.len() {
            break;
        }
        let wanted = |index: usize| !refused.contains_key(&index);
        let attempt = if template.is_empty() {
            delete::attempt(&injections, matches, template, options, &budget, &wanted)
        } else {
            rounds::attempt(&injections, matches, template, options, &budget, &wanted)
        };
        match attempt {
            Attempt::Done(mut done) => {
                done.refused = sorted(refused);
                return done;
            }
            Attempt::Refused(rows) if rows.is_empty() => break,
            Attempt::Refused(rows) => {
                for (index, reason, why) in rows {
                    refused.entry(index).or_insert(Refusal { offset: matches[index].range.start, reason, why });
                }
            }
        }
    }
    refuse_all(&mut refused, "parse", "the places of this file could not be told apart");
    Rewritten { text: document.source.to_vec(), refused: sorted(refused), ..Rewritten::default() }
}

fn sorted(refused: FxHashMap<usize, Refusal>) -> Vec<Refusal> {
    let mut rows: Vec<(usize, Refusal)> = refused.into_iter().collect();
    rows.sort_by_key(|(index, row)| (row.offset, *index));
    rows.into_iter().map(|(_, row)| row).collect()
}

/// How much text is parsed at most to find what is guilty.
const GUILTY_BYTES: usize = 2 << 20;
