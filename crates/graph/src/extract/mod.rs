//! From a parsed file to its facts, in one walk.
//!
//! `walk` is the stack of open nodes (`place`: where they stand), `matching` finds the parts of patterns among children,
//! `parts` brings them to the nodes that want them, `build` holds the facts under construction. What the roles mean is in `value` (which knows all of
//! them), `define`, `open`, `parameter`, `describe`, `flow`, `field`, `import` and `expression`. `finish` says what only
//! the whole file can tell; `dump` shows it all.

mod build;
mod define;
mod describe;
mod dump;
mod expression;
mod field;
mod finish;
mod flow;
mod import;
mod matching;
mod names;
mod open;
mod parameter;
mod parts;
mod place;
mod text;
mod value;
mod walk;

use vise_syntax::{Document, Language, OverBudget, TreeArena, errors, parse_once};

use crate::facts::{FileFacts, ScopeId, flag};
use crate::kinds::SymbolKind;
use crate::rules::Rules;
use walk::Walk;

pub use dump::dump;

/// Ranges of errors beyond this number are not told.
const MAX_ERRORS: usize = 100;

/// What the text of a file says; its tree is made for this and dropped whole.
///
/// # Errors
/// [`OverBudget`] when the parser takes more steps than a text of this size should.
pub fn facts_of(language: &Language, rules: &Rules, text: &[u8], path: &str) -> Result<FileFacts, OverBudget> {
    parse_once(language, &rules.prepare(text), |document| extract(document, rules, path))
}

/// What a file says. `path` is the file's, from the root, with slashes.
pub fn extract(document: &Document<'_>, rules: &Rules, path: &str) -> FileFacts {
    let arena = TreeArena::new();
    let root = document.root();
    let is_test_file = rules.words.test_files.is_empty() || rules.words.test_files.fit_path(path);
    let mut walk = Walk::new(document, &arena, rules, is_test_file);
    let name = path.rsplit('/').next().unwrap_or(path);
    let stem = name.split_once('.').filter(|(stem, _)| !stem.is_empty()).map_or(name, |(stem, _)| stem);
    let mut module = walk.b.blank(SymbolKind::Module);
    module.name = walk.b.name(stem.as_bytes());
    module.body = Some(ScopeId::FILE);
    (module.line, module.start_line, module.end_line) = (1, 1, last_line(document.source));
    module.flags = flag::EXPORTED;
    walk.b.symbol(module, 0);
    walk.run(root);
    let mut facts = walk.b.finish(&rules.words);
    if root.has_error() {
        let lines = |node: vise_syntax::Node<'_>| (node.line() as u32, node.end_line() as u32);
        facts.errors = errors(root).into_iter().take(MAX_ERRORS).map(lines).collect();
    }
    facts
}

/// The number of lines, of which there is always one.
fn last_line(source: &[u8]) -> u32 {
    let ends = source.iter().filter(|byte| **byte == b'\n').count();
    let open = source.last().is_some_and(|byte| *byte != b'\n');
    (ends + usize::from(open)).max(1) as u32
}

#[cfg(test)]
mod tests;
