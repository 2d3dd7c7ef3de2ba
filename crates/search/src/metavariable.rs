//! The metavariables in a pattern or template: `$X`, `$$OP`, `$$$ARGS`, and what only looks like one.

use std::ops::Range;
use std::sync::Arc;

/// What a metavariable stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Kind {
    /// `$X`: one named node.
    One,
    /// `$$X`: one node, unnamed ones too.
    Token,
    /// `$$$X`: any number of siblings.
    Many,
}

impl Kind {
    /// The dollars in front of the name.
    pub fn sigil(self) -> &'static str {
        match self {
            Self::One => "$",
            Self::Token => "$$",
            Self::Many => "$$$",
        }
    }
}

/// A metavariable at one place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Metavariable {
    /// The name; `None` for those that bind nothing (`$_`, `$_ANY`, `$$$`).
    pub name: Option<Arc<str>>,
    /// What it stands for.
    pub kind: Kind,
    /// Where it is in the pattern or template.
    pub range: Range<usize>,
}

/// A part of a pattern or template.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Piece {
    /// Text of the language; `\$` is a dollar here already. The range is that of the pattern.
    Text(String, Range<usize>),
    /// A metavariable.
    Hole(Metavariable),
}

impl Piece {
    /// Where the piece is in the pattern or template.
    pub fn range(&self) -> Range<usize> {
        match self {
            Self::Text(_, range) => range.clone(),
            Self::Hole(hole) => hole.range.clone(),
        }
    }
}

/// Splits a pattern or template.
///
/// # Errors
/// `$1`, `$$name`, `$$$name` and more dollars than three, with the right spelling; a name used with two
/// numbers of dollars.
pub fn scan(text: &str) -> Result<Vec<Piece>, String> {
    let bytes = text.as_bytes();
    let mut pieces: Vec<Piece> = Vec::new();
    let mut plain = String::new();
    let mut plain_start = 0;
    let mut at = 0;
    while let Some(found) = memchr::memchr2(b'$', b'\\', &bytes[at..]) {
        let here = at + found;
        plain.push_str(&text[at..here]);
        if bytes[here] == b'\\' {
            let dollar = bytes.get(here + 1) == Some(&b'$');
            plain.push(if dollar { '$' } else { '\\' });
            at = here + 1 + usize::from(dollar);
            continue;
        }
        let dollars = bytes[here..].iter().take_while(|byte| **byte == b'$').count();
        let name_start = here + dollars;
        let word_end = name_start
            + text[name_start..]
                .char_indices()
                .find(|(_, c)| !c.is_alphanumeric() && *c != '_')
                .map_or(text.len() - name_start, |(index, _)| index);
        let word = &text[name_start..word_end];
        match classify(dollars, word)? {
            None => {
                plain.push_str(&text[here..word_end]);
                at = word_end;
            }
            Some((kind, name)) => {
                if !plain.is_empty() {
                    pieces.push(Piece::Text(std::mem::take(&mut plain), plain_start..here));
                }
                let end = if kind == Kind::Many && word.is_empty() { name_start } else { word_end };
                pieces.push(Piece::Hole(Metavariable { name, kind, range: here..end }));
                at = end;
                plain_start = end;
            }
        }
    }
    plain.push_str(&text[at..]);
    if !plain.is_empty() {
        pieces.push(Piece::Text(plain, plain_start..text.len()));
    }
    one_kind_a_name(&pieces)?;
    Ok(pieces)
}

type Classified = Option<(Kind, Option<Arc<str>>)>;

fn classify(dollars: usize, word: &str) -> Result<Classified, String> {
    let is_name = word.starts_with(|c: char| c.is_ascii_uppercase() || c == '_')
        && word.chars().all(|c| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_');
    let kind = match dollars {
        1 => Kind::One,
        2 => Kind::Token,
        3 => Kind::Many,
        _ => return Err(format!("`{}{word}` has too many dollars: `$X`, `$$OP` or `$$$ARGS`", "$".repeat(dollars))),
    };
    if is_name {
        let name = if word.starts_with('_') { None } else { Some(Arc::from(word)) };
        return Ok(Some((kind, name)));
    }
    let sigil = kind.sigil();
    if word.is_empty() {
        return Ok(if kind == Kind::Many { Some((kind, None)) } else { None });
    }
    if word.starts_with(|c: char| c.is_ascii_digit()) {
        return Err(format!(
            "`{sigil}{word}` is no metavariable: a name has capital letters, digits and `_`, and starts with a \
             letter (`{sigil}A{word}`); write `\\$` for a dollar"
        ));
    }
    if kind == Kind::One {
        // `$x`, `$Foo`: text of the language.
        return Ok(None);
    }
    Err(format!(
        "`{sigil}{word}` is no metavariable: a name has capital letters (`{sigil}{}`); write `\\$` for a dollar",
        word.to_uppercase()
    ))
}

fn one_kind_a_name(pieces: &[Piece]) -> Result<(), String> {
    let mut known: rustc_hash::FxHashMap<&str, Kind> = rustc_hash::FxHashMap::default();
    for piece in pieces {
        if let Piece::Hole(Metavariable { name: Some(name), kind, .. }) = piece {
            let first = *known.entry(name).or_insert(*kind);
            if first != *kind {
                return Err(format!(
                    "`{}{name}` and `{}{name}` are one name for two things: choose another name for one",
                    first.sigil(),
                    kind.sigil()
                ));
            }
        }
    }
    Ok(())
}

/// The named metavariables in the order of their first appearance.
pub fn names(pieces: &[Piece]) -> Vec<(Arc<str>, Kind)> {
    let mut names: Vec<(Arc<str>, Kind)> = Vec::new();
    let mut known: rustc_hash::FxHashSet<&str> = rustc_hash::FxHashSet::default();
    for piece in pieces {
        if let Piece::Hole(Metavariable { name: Some(name), kind, .. }) = piece
            && known.insert(name)
        {
            names.push((name.clone(), *kind));
        }
    }
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str) -> String {
        match scan(text) {
            Err(error) => format!("error: {error}"),
            Ok(pieces) => pieces
                .iter()
                .map(|piece| match piece {
                    Piece::Text(text, _) => format!("[{text}]"),
                    Piece::Hole(hole) => {
                        format!("<{}{}>", hole.kind.sigil(), hole.name.as_deref().unwrap_or("_"))
                    }
                })
                .collect(),
        }
    }

    #[test]
    fn finds_metavariables() {
        assert_eq!(shown("f($A, $$$REST)"), "[f(]<$A>[, ]<$$$REST>[)]");
        assert_eq!(shown("$A $$OP $B"), "<$A>[ ]<$$OP>[ ]<$B>");
        assert_eq!(shown("$_ $_A $$$"), "<$_>[ ]<$_>[ ]<$$$_>");
        assert_eq!(shown("${$X}"), "[${]<$X>[}]");
    }

    #[test]
    fn leaves_other_dollars_alone() {
        assert_eq!(shown("$x.hide()"), "[$x.hide()]");
        assert_eq!(shown("$Foo"), "[$Foo]");
        assert_eq!(shown(r"echo \$HOME \n"), r"[echo $HOME \n]");
        assert_eq!(shown("$('a') $$('b') $"), "[$('a') $$('b') $]");
    }

    #[test]
    fn says_the_right_spelling() {
        assert!(shown("foo($1)").contains("`$A1`"));
        assert!(shown("$$name").contains("`$$NAME`"));
        assert!(shown("$$$args").contains("`$$$ARGS`"));
        assert!(shown("$$$$A").contains("too many dollars"));
        assert!(shown("f($A, $$$A)").contains("two things"));
    }
}
