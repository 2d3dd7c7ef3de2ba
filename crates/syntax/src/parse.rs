//! Parsing: always a tree, with its errors; never more work than a budget allows.

use std::cell::RefCell;
use std::ops::{ControlFlow, Range};

use tree_sitter::{ParseOptions, Parser, Point, Tree};

use crate::language::Language;
use crate::memory;
use crate::node::{Node, visit};

/// A parsed text.
#[derive(Debug)]
pub struct Document<'s> {
    /// The language that it was parsed as.
    pub language: &'s Language,
    /// The text, which need not be valid UTF-8.
    pub source: &'s [u8],
    tree: Tree,
}

/// Parsing was given up: it took more steps than a text of this size should.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OverBudget;

thread_local! {
    static PARSER: RefCell<Parser> = RefCell::new(Parser::new());
}

/// The most bytes that are parsed at once: tree-sitter counts bytes in 32 bits.
pub const MAX_BYTES: usize = u32::MAX as usize / 2;

/// Parses a text. Broken text gives a tree with errors in it.
///
/// # Errors
/// [`OverBudget`] when the parser's steps (counted, so that results are the same on every machine) exceed a
/// bound that grows with the size of the text.
pub fn parse<'s>(language: &'s Language, source: &'s [u8]) -> Result<Document<'s>, OverBudget> {
    within(language, source, Effort::Whole(20_000 + source.len()))
}

/// Parses a text that is short and either right or of no interest: little work is put into its errors.
///
/// # Errors
/// As [`parse`], with a smaller bound.
pub fn parse_fragment<'s>(language: &'s Language, source: &'s [u8]) -> Result<Document<'s>, OverBudget> {
    within(language, source, Effort::Whole(200 + source.len() / 4))
}

/// How much work is put into a text, in calls of the parser's progress callback.
#[derive(Clone, Copy)]
enum Effort {
    /// All of it, errors too.
    Whole(usize),
    /// Only until the parser is lost: a text with an error is of no use.
    FirstError(usize),
}

fn within<'s>(language: &'s Language, source: &'s [u8], effort: Effort) -> Result<Document<'s>, OverBudget> {
    let read = |offset: usize| source.get(offset..).unwrap_or_default();
    let tree = run(language, &[], source.len(), effort, read)?;
    Ok(Document { language, source, tree })
}

/// Parses a text, looks at it once, and drops the tree whole.
///
/// This is the cheap way for a text that is parsed for one question; see `memory.rs`. `look` must not wait for other
/// threads.
///
/// # Errors
/// As [`parse`].
pub fn parse_once<R>(
    language: &Language,
    source: &[u8],
    look: impl FnOnce(&Document<'_>) -> R,
) -> Result<R, OverBudget> {
    memory::scope(|| {
        // The tree's nodes need not be freed one by one: their memory goes with the scope.
        let document = std::mem::ManuallyDrop::new(parse(language, source)?);
        let seen = look(&document);
        if !memory::in_scope() {
            drop(std::mem::ManuallyDrop::into_inner(document));
        }
        Ok(seen)
    })
}

/// Parses a part of a text as if it stood between two other texts, so that the nodes keep the offsets of the whole.
///
/// `before` takes the place of the bytes in front of `part`, which must be at least as many. The parser is the caller's,
/// since texts in texts are many and short.
///
/// # Errors
/// As [`parse`]; also when there is no room for `before`.
pub(crate) fn parse_part(
    parser: &mut Parser,
    language: &Language,
    source: &[u8],
    part: Range<usize>,
    before: &str,
    after: &str,
) -> Result<Tree, OverBudget> {
    let start = part.start.checked_sub(before.len()).ok_or(OverBudget)?;
    let end = part.end + after.len();
    let range = tree_sitter::Range {
        start_byte: start,
        end_byte: end,
        start_point: Point::new(0, start),
        end_point: Point::new(0, end),
    };
    if end - start > MAX_BYTES {
        return Err(OverBudget);
    }
    run_with(parser, language, &[range], Effort::FirstError(20_000 + end - start), |offset| {
        if offset < part.start {
            before.as_bytes().get(offset.saturating_sub(start)..).unwrap_or_default()
        } else if offset < part.end {
            &source[offset..part.end]
        } else {
            after.as_bytes().get(offset - part.end..).unwrap_or_default()
        }
    })
}

fn run<'a>(
    language: &Language,
    ranges: &[tree_sitter::Range],
    bytes: usize,
    effort: Effort,
    read: impl FnMut(usize) -> &'a [u8],
) -> Result<Tree, OverBudget> {
    if bytes > MAX_BYTES {
        return Err(OverBudget);
    }
    if memory::in_scope() {
        // What a parser keeps between two texts must not lie in memory that goes with the scope.
        return run_with(&mut Parser::new(), language, ranges, effort, read);
    }
    PARSER.with_borrow_mut(|parser| run_with(parser, language, ranges, effort, read))
}

fn run_with<'a>(
    parser: &mut Parser,
    language: &Language,
    ranges: &[tree_sitter::Range],
    effort: Effort,
    mut read: impl FnMut(usize) -> &'a [u8],
) -> Result<Tree, OverBudget> {
    parser.set_language(&language.grammar).map_err(|_| OverBudget)?;
    parser.set_included_ranges(ranges).map_err(|_| OverBudget)?;
    // The callback comes once in about a hundred parser operations; ordinary text needs one operation or two a
    // byte, error recovery many more.
    let (mut left, first_error) = match effort {
        Effort::Whole(calls) => (calls, false),
        Effort::FirstError(calls) => (calls, true),
    };
    let mut progress = |state: &tree_sitter::ParseState| {
        left = left.saturating_sub(1);
        if left == 0 || first_error && state.has_error() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    let options = ParseOptions::new().progress_callback(&mut progress);
    let tree = parser.parse_with_options(&mut |offset, _| read(offset), None, Some(options));
    if tree.is_none() {
        parser.reset();
    }
    tree.ok_or(OverBudget)
}

impl<'s> Document<'s> {
    /// The node of the whole text.
    pub fn root(&self) -> Node<'_> {
        Node::new(self.tree.root_node())
    }

    /// The text of a range.
    pub fn text(&self, range: Range<usize>) -> &'s [u8] {
        &self.source[range]
    }

    /// Number of errors and made-up nodes in the tree.
    pub fn error_count(&self) -> usize {
        errors(self.root()).len()
    }
}

/// The ranges of errors and made-up nodes below a node, in order.
pub fn errors(root: Node<'_>) -> Vec<Node<'_>> {
    let mut found = Vec::new();
    visit(root, |node| {
        if node.is_error() || node.is_missing() {
            found.push(node);
        }
        node.has_error()
    });
    found
}
