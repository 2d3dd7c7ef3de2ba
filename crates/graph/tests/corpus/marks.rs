//! Caret lines: what a file says about the definitions and uses in it.

use super::fences::Problem;

/// A file without its caret lines, and what they said.
#[derive(Debug, PartialEq, Default)]
pub(crate) struct Marked {
    pub(crate) source: String,
    pub(crate) marks: Vec<Mark>,
}

/// One statement about what stands above a run of carets.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Mark {
    /// 1-based line of the carets in the Markdown.
    pub(crate) at: usize,
    /// 1-based line in the source.
    pub(crate) line: usize,
    /// Where the carets are, in characters from 0.
    pub(crate) start: usize,
    pub(crate) end: usize,
    /// The text above the carets; above a single one, the word around it.
    pub(crate) word: String,
    pub(crate) says: Says,
}

/// What a mark says.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Says {
    /// The definitions with this name on the line; none of them: there is no definition.
    Defines(Vec<Definition>),
    /// The edges of one kind from the line; none of them: there is no such edge.
    Edges { kind: EdgeWord, targets: Vec<Target> },
    /// What is named leads outside the project, or nowhere.
    Missed { external: bool },
    /// The definition is a further place of this symbol.
    Same(Target),
}

/// The kind of an edge as a mark writes it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct EdgeWord(pub(crate) &'static str);

/// Words of marks, each with the contract's word for the kind of edge.
pub(crate) const EDGE_WORDS: [(&str, &str); 10] = [
    ("calls", "calls"),
    ("instantiates", "instantiates"),
    ("refers", "references"),
    ("references", "references"),
    ("imports", "imports"),
    ("extends", "extends"),
    ("implements", "implements"),
    ("overrides", "overrides"),
    ("decorates", "decorates"),
    ("contains", "contains"),
];

impl EdgeWord {
    /// The kind that a word of a mark or a question stands for.
    pub(crate) fn read(word: &str) -> Option<EdgeWord> {
        EDGE_WORDS.iter().find(|(written, _)| *written == word).map(|(_, kind)| EdgeWord(kind))
    }

    /// As a mark writes it.
    pub(crate) fn written(self) -> &'static str {
        EDGE_WORDS.iter().find(|(_, kind)| *kind == self.0).map_or(self.0, |(written, _)| written)
    }
}

/// `method Shelf.get [static]`.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Definition {
    pub(crate) kind: String,
    pub(crate) name: String,
    /// Flags that must be there; `not_…` must not.
    pub(crate) flags: Vec<String>,
}

/// `pkg/mod.py::Shelf.get [receiver]`.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Target {
    pub(crate) name: String,
    pub(crate) evidence: Option<String>,
}

/// Signs that start a line comment somewhere. A caret line may begin with one, so that an editor shows it as a comment.
const LEADERS: [&str; 6] = ["//", "#", "--", ";", "%", "*"];

/// Takes the caret lines out of a fence's text, whose first line is line `first` (1-based) of the Markdown.
pub(crate) fn split(text: &str, first: usize) -> Result<Marked, Problem> {
    let mut source: Vec<&str> = Vec::new();
    let mut marks = Vec::new();
    for (index, line) in text.lines().enumerate() {
        let at = first + index;
        let Some((runs, note)) = runs(line) else {
            source.push(line);
            continue;
        };
        let Some(marked) = source.last() else {
            return Err(Problem::new(at, "carets mark the line above them, and there is none"));
        };
        let said = read_note(note).map_err(|message| {
            Problem::new(at, format!("{message} (is this line source? A caret may not be its first sign)"))
        })?;
        for (start, end) in runs {
            let word = word(marked, start, end);
            for says in &said {
                let says = says.clone();
                marks.push(Mark { at, line: source.len(), start, end, word: word.clone(), says });
            }
        }
    }
    let source = source.iter().flat_map(|line| [line, "\n"]).collect();
    Ok(Marked { source, marks })
}

/// The caret runs of a caret line, in columns, and the note behind them.
fn runs(line: &str) -> Option<(Vec<(usize, usize)>, &str)> {
    let indent = line.len() - line.trim_start().len();
    let leader = LEADERS.iter().find(|leader| line[indent..].starts_with(**leader)).map_or(0, |leader| leader.len());
    let mut found: Vec<(usize, usize)> = Vec::new();
    let mut rest = &line[indent + leader..];
    let mut column = line[..indent + leader].chars().count();
    loop {
        let spaces = rest.chars().take_while(|c| c.is_whitespace()).count();
        rest = rest.trim_start();
        column += spaces;
        let carets = rest.len() - rest.trim_start_matches('^').len();
        if carets == 0 {
            return (!found.is_empty()).then_some((found, rest.trim_end()));
        }
        found.push((column, column + carets));
        rest = &rest[carets..];
        column += carets;
    }
}

/// Whether a sign may be part of a name in some language.
fn in_name(sign: char) -> bool {
    sign.is_alphanumeric() || "_$@!?'-".contains(sign)
}

fn word(line: &str, start: usize, end: usize) -> String {
    let signs: Vec<char> = line.chars().collect();
    if end - start > 1 || !signs.get(start).is_some_and(|sign| in_name(*sign)) {
        return signs.iter().take(end).skip(start).collect();
    }
    let before = signs[..start].iter().rev().take_while(|sign| in_name(**sign)).count();
    signs[start - before..].iter().take_while(|sign| in_name(**sign)).collect()
}

/// Statements are separated by semicolons.
fn read_note(note: &str) -> Result<Vec<Says>, String> {
    if note.is_empty() {
        return Err("carets without a note".to_string());
    }
    pieces(note, ';').into_iter().map(read_statement).collect()
}

fn read_statement(text: &str) -> Result<Says, String> {
    let (word, rest) = text.split_once(':').map_or((text, None), |(word, rest)| (word, Some(rest.trim())));
    match (word.trim(), rest) {
        ("external", None) => Ok(Says::Missed { external: true }),
        ("unresolved", None) => Ok(Says::Missed { external: false }),
        ("same", Some(rest)) => Ok(Says::Same(read_target(rest)?)),
        ("defines", Some(rest)) => Ok(Says::Defines(list(rest, read_definition)?)),
        ("ambiguous", Some(rest)) => {
            let ambiguous = |target| Target { evidence: Some("ambiguous".to_string()), ..target };
            let targets = list(rest, read_target)?.into_iter().map(ambiguous).collect();
            Ok(Says::Edges { kind: EdgeWord("calls"), targets })
        }
        (word, Some(rest)) => match EdgeWord::read(word) {
            Some(kind) => Ok(Says::Edges { kind, targets: list(rest, read_target)? }),
            None => Err(unknown(word)),
        },
        (word, None) => Err(unknown(word)),
    }
}

fn unknown(word: &str) -> String {
    let kinds: Vec<String> = EDGE_WORDS.iter().map(|(word, _)| format!("`{word}: …`")).collect();
    format!(
        "cannot read the note at `{word}`; it may say `defines: KIND NAME`, `external`, `unresolved`, `ambiguous: …`, \
         `same: …`, {}",
        kinds.join(", ")
    )
}

/// A list of parts separated by commas, or `none`.
pub(crate) fn list<T>(text: &str, read: impl Fn(&str) -> Result<T, String>) -> Result<Vec<T>, String> {
    if text.trim() == "none" {
        return Ok(Vec::new());
    }
    pieces(text, ',').into_iter().map(read).collect()
}

/// Splits at a sign that stands outside ticks and brackets.
pub(crate) fn pieces(text: &str, separator: char) -> Vec<&str> {
    let mut found = Vec::new();
    let (mut start, mut quoted, mut depth) = (0, false, 0);
    for (at, sign) in text.char_indices() {
        match sign {
            '`' => quoted = !quoted,
            '[' | '(' if !quoted => depth += 1,
            ']' | ')' if !quoted => depth -= 1,
            _ if sign == separator && !quoted && depth == 0 => {
                found.push(text[start..at].trim());
                start = at + sign.len_utf8();
            }
            _ => {}
        }
    }
    found.push(text[start..].trim());
    found
}

/// The text before a bracket at the end, and what is inside.
fn bracketed(text: &str) -> (&str, Option<&str>) {
    let inside = text.strip_suffix(']').and_then(|text| text.rsplit_once(" ["));
    inside.map_or((text, None), |(before, inside)| (before.trim(), Some(inside)))
}

/// A name may stand between ticks, where it holds commas or spaces.
fn unquoted(text: &str) -> Result<String, String> {
    let text = text.trim();
    let name = text.strip_prefix('`').and_then(|text| text.strip_suffix('`')).unwrap_or(text);
    if name.is_empty() { Err("a name is missing".to_string()) } else { Ok(name.to_string()) }
}

pub(crate) fn read_target(text: &str) -> Result<Target, String> {
    let (name, evidence) = bracketed(text);
    Ok(Target { name: unquoted(name)?, evidence: evidence.map(String::from) })
}

fn read_definition(text: &str) -> Result<Definition, String> {
    let (text, flags) = bracketed(text);
    let (kind, name) = text.split_once(' ').ok_or_else(|| format!("`{text}` is not `KIND NAME`"))?;
    let flags = flags.map(|flags| pieces(flags, ',').into_iter().map(String::from).collect());
    Ok(Definition { kind: kind.to_string(), name: unquoted(name)?, flags: flags.unwrap_or_default() })
}
