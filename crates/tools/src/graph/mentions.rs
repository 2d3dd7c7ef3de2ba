//! Names that texts mention: a function that no code calls may be called by its name, out of a string, a template or a
//! table of settings.

use std::path::Path;

use rayon::prelude::*;
use rustc_hash::FxHashSet;
use vise_graph::Graph as CodeGraph;
use vise_workspace::{ReadOptions, read, walk};

use crate::{Session, ToolError};

/// Longer files are data, not settings.
const LONGEST: u64 = 1 << 20;
/// Pages for people mention what they like.
const PAGES: [&str; 5] = ["md", "markdown", "rst", "txt", "adoc"];

/// Those of the names that some text mentions: in sources between quotes, in other files anywhere.
pub(super) fn mentioned<'n>(
    session: &Session,
    graph: &CodeGraph,
    names: FxHashSet<&'n str>,
) -> Result<FxHashSet<&'n str>, ToolError> {
    if names.is_empty() {
        return Ok(names);
    }
    let walked = walk(&session.root, &[], &session.walk, &|| session.stopped())?;
    let options = ReadOptions { max_bytes: LONGEST, named: false };
    let found = walked.files.par_iter().filter(|file| !is_page(&file.path)).map(|file| {
        let Ok(text) = read(&file.path, &options) else { return FxHashSet::default() };
        let quoted = graph.file_named(&file.shown).is_some() && !is_settings(session, &file.path);
        in_text(&text, &names, quoted)
    });
    let found = found.reduce(FxHashSet::default, |mut all, more| {
        all.extend(more);
        all
    });
    session.go_on()?;
    Ok(found)
}

fn is_page(path: &Path) -> bool {
    path.extension().and_then(|ending| ending.to_str()).is_some_and(|ending| PAGES.contains(&ending))
}

/// Whether the file is of a language for data, in which names need no quotes.
fn is_settings(session: &Session, path: &Path) -> bool {
    session.registry.by_path(path).is_some_and(|language| language.description.markup)
}

fn in_text<'n>(text: &[u8], names: &FxHashSet<&'n str>, quoted: bool) -> FxHashSet<&'n str> {
    let mut found = FxHashSet::default();
    for line in text.split(|byte| *byte == b'\n') {
        if quoted && !line.iter().any(|byte| QUOTES.contains(byte)) {
            continue;
        }
        for word in words(line, quoted) {
            let name = std::str::from_utf8(word).ok().and_then(|word| names.get(word));
            found.extend(name.copied());
        }
    }
    found
}

const QUOTES: [u8; 3] = *b"\"'`";

/// The words of a line; with `quoted` those inside quotes that were opened on it.
fn words(line: &[u8], quoted: bool) -> Vec<&[u8]> {
    let mut words = Vec::new();
    let mut open: Option<u8> = None;
    let mut start: Option<usize> = None;
    let mut escaped = false;
    for (at, byte) in line.iter().copied().chain([b' ']).enumerate() {
        let in_word = byte.is_ascii_alphanumeric() || byte == b'_' || byte >= 0x80;
        match (in_word, start) {
            (true, None) => start = Some(at),
            (false, Some(from)) => {
                if !quoted || open.is_some() {
                    words.push(&line[from..at]);
                }
                start = None;
            }
            _ => {}
        }
        if escaped {
            escaped = false;
        } else if byte == b'\\' {
            escaped = open.is_some();
        } else if QUOTES.contains(&byte) {
            match open {
                Some(quote) if quote == byte => open = None,
                Some(_) => {}
                None if byte != b'\'' || is_string(&line[..at], &line[at + 1..]) => open = Some(byte),
                None => {}
            }
        }
    }
    words
}

/// Whether a single quote begins a string, rather than being an apostrophe, a lifetime or a character's.
fn is_string(before: &[u8], after: &[u8]) -> bool {
    let plain = |byte: &u8| byte.is_ascii_alphanumeric() || b"_.:/- ".contains(byte) || *byte >= 0x80;
    let end = after.iter().position(|byte| *byte == b'\'');
    let inside = end.and_then(|end| after.get(..end));
    !before.last().is_some_and(u8::is_ascii_alphanumeric) && inside.is_some_and(|inside| inside.iter().all(plain))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_between_quotes() {
        let found = |line: &str, quoted| -> Vec<String> {
            let words = words(line.as_bytes(), quoted);
            words.into_iter().map(|word| String::from_utf8_lossy(word).into_owned()).collect()
        };
        assert_eq!(found("getattr(self, \"on_\" + 'save')  # gone", true), ["on_", "save"]);
        assert_eq!(found(r#"x = "a.b\"c" + d"#, true), ["a", "b", "c"]);
        assert_eq!(found("run: pkg.mod:main_loop", false), ["run", "pkg", "mod", "main_loop"]);
        assert_eq!(found("it's open, isn't it", true), [""; 0]);
        assert_eq!(found("fn name<'a>(other: &'a str)", true), [""; 0]);
    }

    #[test]
    fn only_the_names_that_were_asked_for() {
        let names: FxHashSet<&str> = ["save", "load"].into_iter().collect();
        let found = |text: &str, quoted| {
            let mut found: Vec<&str> = in_text(text.as_bytes(), &names, quoted).into_iter().collect();
            found.sort_unstable();
            found
        };
        assert_eq!(found("call('save')\nload()\nsaves", true), ["save"]);
        assert_eq!(found("steps: [save, load]", false), ["load", "save"]);
        assert_eq!(found("save", true), [""; 0]);
    }
}
