//! Checks of Rust files, and of every file's text.

use super::code::{blanked, words};
use super::{Complaint, Tree};

const MAX_LINES: usize = 600;

pub(super) fn file_sizes(tree: &Tree) -> Vec<Complaint> {
    tree.rust()
        .filter_map(|(path, text)| {
            let lines = text.lines().count();
            let message = || format!("{lines} lines; a file has at most {MAX_LINES}, so split it by what it is about");
            (lines > MAX_LINES).then(|| Complaint::new(path, 0, message()))
        })
        .collect()
}

/// Macros that mark unfinished or temporary code, without their exclamation mark.
const UNFINISHED: [&str; 3] = ["todo", "unimplemented", "dbg"];

pub(super) fn leftovers(tree: &Tree) -> Vec<Complaint> {
    let mut complaints = Vec::new();
    for (path, text) in tree.rust() {
        let code = blanked(text);
        for name in UNFINISHED {
            for at in occurrences(&code, &format!("{name}!")) {
                let message = format!("`{name}!` does not land; finish it or leave the feature out");
                complaints.push(Complaint::new(path, line_at(&code, at), message));
            }
        }
        for (at, attribute) in attributes(&code) {
            let line = line_at(&code, at);
            let name = attribute.split(|c: char| !c.is_alphanumeric()).next().unwrap_or_default();
            match name {
                "ignore" if !attribute.contains('=') => {
                    complaints.push(Complaint::new(path, line, "`ignore` needs a reason: `#[ignore = \"why\"]`"));
                }
                "allow" | "expect" if !attribute.contains("reason") => {
                    let message = format!("`{name}` needs a reason: `#[{name}(lint, reason = \"why\")]`");
                    complaints.push(Complaint::new(path, line, message));
                }
                _ => {}
            }
        }
    }
    complaints
}

/// The attributes of blanked code: where each starts, and the text between its brackets.
fn attributes(code: &str) -> Vec<(usize, &str)> {
    let mut found = Vec::new();
    for (at, _) in code.match_indices('#') {
        let rest = code[at + 1..].strip_prefix('!').unwrap_or(&code[at + 1..]);
        let Some(inside) = rest.strip_prefix('[') else { continue };
        let mut depth = 1;
        let end = inside.char_indices().find(|(_, c)| {
            depth += i32::from(*c == '[') - i32::from(*c == ']');
            depth == 0
        });
        found.push((at, end.map_or(inside, |(end, _)| &inside[..end]).trim()));
    }
    found
}

/// Where `word` starts without being the end of a longer word.
fn occurrences(code: &str, word: &str) -> Vec<usize> {
    let inside_word = |at: usize| code[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_');
    code.match_indices(word).map(|(at, _)| at).filter(|at| !inside_word(*at)).collect()
}

fn line_at(text: &str, offset: usize) -> usize {
    text[..offset].matches('\n').count() + 1
}

/// Words that lost to another one, with the one that won ("Words" in docs/glossary.md).
pub(super) const LOSERS: [(&str, &str); 10] = [
    ("wildcard", "metavariable"),
    ("placeholder", "metavariable"),
    ("expando", "stand-in"),
    ("wrapper", "scaffold"),
    ("entity", "symbol"),
    ("usage", "reference"),
    ("relation", "edge"),
    ("confidence", "evidence"),
    ("patch set", "proposal"),
    ("packet", "frame or message"),
];

/// The losing word in a sequence of words, in singular or plural, and its winner.
pub(super) fn loser_in(words: &[String]) -> Option<(&'static str, &'static str)> {
    let text = format!(" {} ", words.join(" "));
    LOSERS.into_iter().find(|(loser, _)| {
        let plural = match loser.strip_suffix('y') {
            Some(stem) => format!("{stem}ies"),
            None => format!("{loser}s"),
        };
        text.contains(&format!(" {loser} ")) || text.contains(&format!(" {plural} "))
    })
}

pub(super) fn losing_words(tree: &Tree) -> Vec<Complaint> {
    let mut complaints = Vec::new();
    for (path, text) in tree.rust() {
        for (line, name) in public_names(&blanked(text)) {
            if let Some((loser, winner)) = loser_in(&words(&name)) {
                let message = format!("`{name}`: the house's word for `{loser}` is `{winner}` (docs/glossary.md)");
                complaints.push(Complaint::new(path, line, message));
            }
        }
    }
    complaints
}

/// Names of public items, public fields and the variants of public enums in blanked code.
fn public_names(code: &str) -> Vec<(usize, String)> {
    let mut names = Vec::new();
    let mut tokens = tokens(code).into_iter().peekable();
    // The depth of braces, and the depth at which the variants of the innermost public enum stand.
    let mut depth = 0;
    let mut variants_at = None;
    let mut before = String::new();
    while let Some((line, token)) = tokens.next() {
        match token.as_str() {
            "{" | "(" | "[" => depth += 1,
            "}" | ")" | "]" => {
                depth -= 1;
                variants_at = variants_at.filter(|at| depth >= *at);
            }
            "pub" => {
                // Skip `(crate)` and the words between `pub` and the name.
                if tokens.peek().is_some_and(|(_, token)| token == "(") {
                    while tokens.next().is_some_and(|(_, token)| token != ")") {}
                }
                let mut is_enum = false;
                let mut renamed = false;
                while let Some((line, token)) = tokens.next() {
                    match token.as_str() {
                        "async" | "unsafe" | "extern" | "const" | "static" | "mut" | "fn" | "struct" | "union"
                        | "trait" | "type" | "mod" | "\"" => {}
                        "enum" => is_enum = true,
                        "use" => renamed = true,
                        // In `pub use a::b as c` the new name is ours.
                        _ if renamed => match token.as_str() {
                            ";" => break,
                            "as" => names.extend(tokens.next()),
                            _ => {}
                        },
                        _ => {
                            names.push((line, token));
                            break;
                        }
                    }
                }
                if is_enum {
                    variants_at = Some(depth + 1);
                }
            }
            name if variants_at == Some(depth)
                && ["{", ",", "]", ""].contains(&before.as_str())
                && name.starts_with(|c: char| c.is_alphabetic()) =>
            {
                names.push((line, name.to_string()));
            }
            _ => {}
        }
        before = token;
    }
    names
}

/// Identifiers and single signs, with their lines.
fn tokens(code: &str) -> Vec<(usize, String)> {
    let mut tokens = Vec::new();
    for (index, line) in code.lines().enumerate() {
        let mut rest = line.trim_start();
        while let Some(first) = rest.chars().next() {
            let is_word = |c: char| c.is_alphanumeric() || c == '_';
            let end = if is_word(first) { rest.find(|c| !is_word(c)).unwrap_or(rest.len()) } else { first.len_utf8() };
            tokens.push((index + 1, rest[..end].to_string()));
            rest = rest[end..].trim_start();
        }
    }
    tokens
}

/// Folders that exist on somebody's machine only. Put together at compile time, so that this file passes its own check.
const MACHINE_PATHS: [&str; 3] = [concat!("/wo", "rk/"), concat!("/ro", "ot/"), concat!("/Us", "ers/")];

pub(super) fn machine_paths(tree: &Tree) -> Vec<Complaint> {
    let mut complaints = Vec::new();
    for (path, text) in tree.all() {
        for (index, line) in text.lines().enumerate() {
            for machine in MACHINE_PATHS {
                // In the middle of a longer path or an address the name is innocent.
                let starts = |at: usize| !line[..at].ends_with(|c: char| c.is_alphanumeric() || "/._-~*".contains(c));
                if line.match_indices(machine).any(|(at, _)| starts(at)) {
                    let message = format!("`{machine}…` exists on one machine only; name it relative to the root");
                    complaints.push(Complaint::new(path, index + 1, message));
                }
            }
        }
    }
    complaints
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(check: fn(&Tree) -> Vec<Complaint>, text: &str) -> Vec<(usize, String)> {
        let complaints = check(&Tree::of(&[("crates/a/src/lib.rs", text)]));
        complaints.into_iter().map(|complaint| (complaint.line, complaint.message)).collect()
    }

    fn lines(complaints: Vec<(usize, String)>) -> Vec<usize> {
        complaints.into_iter().map(|(line, _)| line).collect()
    }

    #[test]
    fn a_long_file_is_split() {
        assert!(check(file_sizes, &"\n".repeat(600)).is_empty());
        let complaints = check(file_sizes, &"\n".repeat(601));
        assert!(complaints[0].1.starts_with("601 lines"), "{complaints:?}");
    }

    #[test]
    fn unfinished_code_does_not_land() {
        assert_eq!(lines(check(leftovers, "fn f() {\n    todo!()\n}\nfn g() { dbg!(1); }")), [2, 4]);
        assert!(check(leftovers, "// todo!()\nlet s = \"dbg!\"; my_todo!();").is_empty());
    }

    #[test]
    fn exceptions_have_reasons() {
        assert_eq!(lines(check(leftovers, "#[test]\n#[ignore]\nfn f() {}\n#[allow(dead_code)]\nfn g() {}")), [2, 4]);
        let good =
            "#[ignore = \"slow\"]\n#![allow(dead_code, reason = \"why\")]\n#[expect(\n    a,\n    reason = \"b\"\n)]";
        assert!(check(leftovers, good).is_empty());
    }

    #[test]
    fn public_names_use_the_words_that_won() {
        let text = "pub fn count_wildcards() {}\n\
                    pub(crate) struct PatchSet { pub usage: u8 }\n\
                    fn wrapper() {}\n\
                    pub enum Kind { Plain(Vec<u8>), Entity { a: u8 }, Other = 3 }\n\
                    pub use a::b as packet;\n\
                    pub const fn fine(placeholder: u8) {}\n\
                    // pub fn relation() {}\n\
                    pub enum Two { #[doc = \"x\"] Relations }";
        let complaints = check(losing_words, text);
        assert_eq!(lines(complaints.clone()), [1, 2, 2, 4, 5, 8], "{complaints:?}");
        assert!(complaints[0].1.contains("`metavariable`"));
    }

    #[test]
    fn machine_paths_are_found_where_they_start() {
        let machine = MACHINE_PATHS[0];
        let text = format!("a {machine}x\nhttps://example.org{machine}x\n`{machine}`\n..{machine}");
        assert_eq!(lines(check(machine_paths, &text)), [1, 3]);
    }
}
