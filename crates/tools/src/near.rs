//! When nothing matches: the place that came nearest, and what differed there first.

use serde::Serialize;
use vise_syntax::parse;
use vise_text::{LineIndex, lossy};
use vise_workspace::{ReadOptions, WalkedFile, read};

use crate::Session;
use crate::query::{LanguageId, Queries, shorten};

/// How many files that hold the pattern's words are looked at again.
pub(crate) const CANDIDATES: usize = 50;
/// Files longer than this are not looked at again: trying hard costs more than matching.
const MAX_BYTES: usize = 1 << 20;

/// What came nearest to a match.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Near {
    /// The file.
    pub file: String,
    /// The line on which the node begins that nearly matched, from 1.
    pub line: usize,
    /// That line.
    pub text: String,
    /// The part of the pattern that was not found.
    pub wanted: String,
    /// What stands in its place; empty at the end of a node.
    pub found: String,
    /// The line of what stands there, from 1.
    pub found_line: usize,
    /// How many files held the words of the pattern and were looked at.
    pub candidates: usize,
}

pub(crate) fn nearest(
    candidates: Vec<(&WalkedFile, LanguageId)>,
    queries: &Queries<'_>,
    session: &Session,
) -> Option<Near> {
    let number = candidates.len();
    let mut best: Option<(usize, Near)> = None;
    for (file, language) in candidates {
        if session.stopped() {
            break;
        }
        let Ok(query) = queries.query(language) else { continue };
        let options = ReadOptions { max_bytes: session.max_file_bytes, named: file.named };
        let source = match &session.piped {
            Some(text) => text.clone(),
            None => match read(&file.path, &options) {
                Ok(source) => source,
                Err(_) => continue,
            },
        };
        if source.len() > MAX_BYTES {
            continue;
        }
        let Ok(document) = parse(queries.language(language), &source) else { continue };
        let Some(near) = query.pattern.near_miss(&document) else { continue };
        if best.as_ref().is_some_and(|(reach, _)| *reach >= near.reach) {
            continue;
        }
        let lines = LineIndex::new(&source);
        let line = lines.line_of(near.root);
        let text = lines.line_content(&source, line).and_then(|range| source.get(range)).unwrap_or_default();
        best = Some((
            near.reach,
            Near {
                file: file.shown.clone(),
                line: line + 1,
                text: shorten(&lossy(text)),
                wanted: near.wanted.clone(),
                found: shorten(&lossy(source.get(near.found.clone()).unwrap_or_default())),
                found_line: lines.line_of(near.found.start) + 1,
                candidates: number,
            },
        ));
    }
    best.map(|(_, near)| near)
}
