//! Markdown into cases: headings name them, prose is free, fences are files, and a `graph` fence asks questions.

use super::fences::{Block, Fence, Problem, blocks, fixme, heading};
use super::marks::{Marked, split};

/// What stands under one heading.
#[derive(Debug, PartialEq)]
pub(crate) struct Case {
    pub(crate) title: String,
    /// 1-based line of the heading.
    pub(crate) line: usize,
    /// Why the answer that is asserted is known to be wrong.
    pub(crate) fixme: Option<String>,
    /// The files, in the order of the text.
    pub(crate) files: Vec<CaseFile>,
    /// Fences with questions.
    pub(crate) questions: Vec<Fence>,
}

/// A file of a case.
#[derive(Debug, PartialEq)]
pub(crate) struct CaseFile {
    pub(crate) path: String,
    pub(crate) fence: Fence,
    /// Its text without caret lines, and what they said.
    pub(crate) marked: Marked,
}

impl Case {
    /// Whether anything is asserted.
    pub(crate) fn says_something(&self) -> bool {
        !self.questions.is_empty() || self.files.iter().any(|file| !file.marked.marks.is_empty())
    }
}

/// The cases of a Markdown file. `extension` gives the file name ending of a language, none where the tag names none.
pub(crate) fn cases(text: &str, extension: impl Fn(&str) -> Option<String>) -> Result<Vec<Case>, Problem> {
    let mut cases: Vec<Case> = Vec::new();
    let mut name: Option<&str> = None;
    for block in blocks(text)? {
        match block {
            Block::Prose(line, number) => {
                if let Some(title) = heading(line) {
                    let title = title.to_string();
                    cases.push(Case { title, line: number, fixme: None, files: Vec::new(), questions: Vec::new() });
                } else if let (Some(reason), Some(case)) = (fixme(line), cases.last_mut()) {
                    case.fixme = Some(reason.to_string());
                }
                // Blank lines may stand between a file's name and its fence.
                if !line.trim().is_empty() {
                    name = file_name(line);
                }
            }
            Block::Fence(fence) => {
                let at = fence.line();
                let Some(case) = cases.last_mut() else {
                    return Err(Problem::new(at, "this fence stands under no heading"));
                };
                let named = name.take();
                if named.is_none() && fence.tag == "graph" {
                    case.questions.push(fence);
                    continue;
                }
                let path = match named {
                    Some(path) => path.to_string(),
                    None => format!("main.{}", extension(&fence.tag).ok_or_else(|| no_language(&fence))?),
                };
                if case.files.iter().any(|file| file.path == path) {
                    let message = format!("a second `{path}`; write a line like `` `b/{path}`: `` above the fence");
                    return Err(Problem::new(at, message));
                }
                let marked = split(&fence.text, at + 1)?;
                case.files.push(CaseFile { path, fence, marked });
            }
        }
    }
    cases.retain(|case| !case.files.is_empty() || !case.questions.is_empty());
    match cases.iter().find(|case| case.files.is_empty()) {
        Some(case) => Err(Problem::new(case.line, "this case has questions but no files")),
        None => Ok(cases),
    }
}

/// The name in a line that names the file of the fence below it: `` `src/b.rs`: ``.
fn file_name(line: &str) -> Option<&str> {
    let name = line.trim().strip_suffix(':')?.strip_prefix('`')?.strip_suffix('`')?;
    (!name.is_empty() && !name.contains('`')).then_some(name)
}

fn no_language(fence: &Fence) -> Problem {
    let message = format!(
        "a fence here is tagged with a language's name or `graph`, not `{}`; any other file needs a line \
         like `` `package.json`: `` above it",
        fence.tag
    );
    Problem::new(fence.line(), message)
}
