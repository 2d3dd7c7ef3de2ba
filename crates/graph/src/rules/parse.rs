//! The dialect of `queries/`: a subset of tree-sitter's query syntax, read into trees of patterns.

use std::iter::Peekable;
use std::str::CharIndices;

/// One pattern with what is said about it.
#[derive(Debug)]
pub(crate) struct Item {
    /// Line on which it begins, from 1.
    pub line: usize,
    /// The pattern.
    pub pattern: Tree,
    /// Its predicates.
    pub predicates: Vec<Predicate>,
    /// Its settings.
    pub settings: Vec<Setting>,
}

/// A pattern for one node.
#[derive(Debug)]
pub(crate) struct Tree {
    /// Line on which it begins, from 1.
    pub line: usize,
    /// What the node must be.
    pub shape: Shape,
    /// The field that the node must have.
    pub field: Option<String>,
    /// Patterns of children.
    pub children: Vec<Tree>,
    /// Fields that no child may have.
    pub absent: Vec<String>,
    /// Names of captures.
    pub captures: Vec<String>,
    /// How often it is there.
    pub quantifier: Quantifier,
    /// Whether an anchor stands before it.
    pub anchored: bool,
    /// Whether an anchor stands behind the last child.
    pub last_anchored: bool,
}

/// What a node must be.
#[derive(Debug)]
pub(crate) enum Shape {
    /// A named node of this kind.
    Named(String),
    /// Any named node.
    Any,
    /// A token of this text.
    Token(String),
    /// What one of these is.
    OneOf(Vec<Tree>),
}

/// How often a part is there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Quantifier {
    /// At least once.
    Some,
    /// Perhaps.
    Maybe,
}

/// `(#eq? @c "text")`.
#[derive(Debug)]
pub(crate) struct Predicate {
    /// Line, from 1.
    pub line: usize,
    /// `eq`, `any-of`, `match`, less any `not-`.
    pub name: String,
    /// Whether the condition must not hold.
    pub negated: bool,
    /// The capture that it is about.
    pub capture: String,
    /// Texts to compare with.
    pub texts: Vec<String>,
    /// A capture to compare with.
    pub other: Option<String>,
}

/// `(#set! key "value")`.
#[derive(Debug)]
pub(crate) struct Setting {
    /// Line, from 1.
    pub line: usize,
    /// What is set.
    pub key: String,
    /// To what.
    pub value: Option<String>,
}

#[derive(Debug, Clone, PartialEq)]
enum Token {
    Open,
    Close,
    OpenList,
    CloseList,
    Anchor,
    Maybe,
    Star,
    Plus,
    /// `name`, and with a colon behind it a field.
    Name(String),
    Field(String),
    Absent(String),
    Text(String),
    Capture(String),
    Directive(String),
}

/// Patterns nest at most so deep; they come from people.
const MAX_DEPTH: usize = 60;

/// Reads a file of queries. The error begins with the line.
pub(crate) fn parse(text: &str) -> Result<Vec<Item>, String> {
    let tokens = tokens(text)?;
    let mut parser = Parser { tokens, next: 0, predicates: Vec::new(), settings: Vec::new() };
    let mut items: Vec<Item> = Vec::new();
    while let Some((line, token)) = parser.peek() {
        let line = *line;
        if *token == Token::Open && matches!(parser.tokens.get(parser.next + 1), Some((_, Token::Directive(_)))) {
            // A predicate or setting behind a pattern belongs to that pattern.
            parser.directive()?;
            let Some(item) = items.last_mut() else { return Err(format!("{line}: there is no pattern before it")) };
            item.predicates.append(&mut parser.predicates);
            item.settings.append(&mut parser.settings);
            continue;
        }
        let pattern = parser.pattern(0)?;
        let predicates = std::mem::take(&mut parser.predicates);
        let settings = std::mem::take(&mut parser.settings);
        items.push(Item { line, pattern, predicates, settings });
    }
    Ok(items)
}

struct Parser {
    tokens: Vec<(usize, Token)>,
    next: usize,
    predicates: Vec<Predicate>,
    settings: Vec<Setting>,
}

impl Parser {
    fn peek(&self) -> Option<&(usize, Token)> {
        self.tokens.get(self.next)
    }

    fn take(&mut self) -> Option<(usize, Token)> {
        let token = self.tokens.get(self.next).cloned();
        self.next += 1;
        token
    }

    fn is(&self, token: &Token) -> bool {
        self.peek().is_some_and(|(_, found)| found == token)
    }

    fn line(&self) -> usize {
        let last = self.next.min(self.tokens.len().saturating_sub(1));
        self.tokens.get(last).map_or(1, |(line, _)| *line)
    }

    /// One pattern with its field, captures and quantifier.
    fn pattern(&mut self, depth: usize) -> Result<Tree, String> {
        if depth > MAX_DEPTH {
            return Err(format!("{}: patterns nest too deep", self.line()));
        }
        let Some((line, token)) = self.take() else {
            return Err(format!("{}: a pattern was expected, but the file ends", self.line()));
        };
        let mut tree = Tree {
            line,
            shape: Shape::Any,
            field: None,
            children: Vec::new(),
            absent: Vec::new(),
            captures: Vec::new(),
            quantifier: Quantifier::Some,
            anchored: false,
            last_anchored: false,
        };
        match token {
            Token::Field(field) => {
                tree = self.pattern(depth + 1)?;
                tree.field = Some(field);
                return Ok(tree);
            }
            Token::Name(name) if name == "_" => {}
            Token::Text(text) => tree.shape = Shape::Token(text),
            Token::OpenList => {
                let mut choices = Vec::new();
                while !self.is(&Token::CloseList) {
                    choices.push(self.pattern(depth + 1)?);
                }
                self.next += 1;
                tree.shape = Shape::OneOf(choices);
            }
            Token::Open => tree = self.node(line, tree, depth)?,
            other => return Err(format!("{line}: a pattern was expected, found {}", shown(&other))),
        }
        loop {
            match self.peek() {
                Some((_, Token::Capture(name))) => tree.captures.push(name.clone()),
                Some((_, Token::Maybe | Token::Star)) => tree.quantifier = Quantifier::Maybe,
                Some((_, Token::Plus)) => {}
                _ => return Ok(tree),
            }
            self.next += 1;
        }
    }

    /// What is inside parentheses, up to the closing one.
    fn node(&mut self, line: usize, mut tree: Tree, depth: usize) -> Result<Tree, String> {
        match self.peek() {
            Some((_, Token::Name(name))) => {
                if name != "_" {
                    tree.shape = Shape::Named(name.clone());
                }
                self.next += 1;
            }
            // Parentheses around a pattern, so that predicates can stand beside it.
            Some((_, Token::Open | Token::OpenList | Token::Text(_))) => {
                tree = self.pattern(depth + 1)?;
                while self.is(&Token::Open) && matches!(self.tokens.get(self.next + 1), Some((_, Token::Directive(_))))
                {
                    self.directive()?;
                }
                return match self.take() {
                    Some((_, Token::Close)) => Ok(tree),
                    _ => Err(format!("{line}: several patterns in one pair of parentheses are not understood")),
                };
            }
            _ => return Err(format!("{line}: the kind of a node was expected behind `(`")),
        }
        let mut anchored = false;
        loop {
            match self.peek() {
                None => return Err(format!("{line}: `(` without `)`")),
                Some((_, Token::Close)) => {
                    self.next += 1;
                    tree.last_anchored = anchored;
                    return Ok(tree);
                }
                Some((_, Token::Anchor)) => {
                    anchored = true;
                    self.next += 1;
                }
                Some((_, Token::Absent(field))) => {
                    tree.absent.push(field.clone());
                    self.next += 1;
                }
                Some((_, Token::Open)) if matches!(self.tokens.get(self.next + 1), Some((_, Token::Directive(_)))) => {
                    self.directive()?;
                }
                Some(_) => {
                    let mut child = self.pattern(depth + 1)?;
                    child.anchored = std::mem::take(&mut anchored);
                    tree.children.push(child);
                }
            }
        }
    }

    /// `(#name …)`.
    fn directive(&mut self) -> Result<(), String> {
        self.next += 1;
        let Some((line, Token::Directive(name))) = self.take() else {
            return Err(format!("{}: `#` with a name was expected", self.line()));
        };
        let mut words = Vec::new();
        loop {
            match self.take() {
                Some((_, Token::Close)) => break,
                Some((_, word @ (Token::Name(_) | Token::Text(_) | Token::Capture(_)))) => words.push(word),
                _ => return Err(format!("{line}: `#{name}` takes captures and texts, and ends with `)`")),
            }
        }
        let plain = |word: &Token| match word {
            Token::Name(text) | Token::Text(text) => Ok(text.clone()),
            _ => Err(format!("{line}: `#{name}`: a text was expected")),
        };
        if name == "set!" {
            let (Some(key), None) = (words.first(), words.get(2)) else {
                return Err(format!("{line}: `#set!` takes a key and perhaps a value"));
            };
            let value = words.get(1).map(plain).transpose()?;
            self.settings.push(Setting { line, key: plain(key)?, value });
            return Ok(());
        }
        let (bare, negated) = match name.strip_suffix('?') {
            Some("eq") => ("eq", false),
            Some("not-eq") => ("eq", true),
            Some("any-of") => ("any-of", false),
            Some("not-any-of") => ("any-of", true),
            Some("match") => ("match", false),
            Some("not-match") => ("match", true),
            _ => return Err(format!("{line}: there is no predicate `#{name}`")),
        };
        let Some(Token::Capture(capture)) = words.first() else {
            return Err(format!("{line}: `#{name}` begins with a capture"));
        };
        let other = match words.get(1) {
            Some(Token::Capture(other)) if bare == "eq" => Some(other.clone()),
            _ => None,
        };
        let texts = match other {
            Some(_) => Vec::new(),
            None => words[1..].iter().map(plain).collect::<Result<Vec<_>, _>>()?,
        };
        if bare != "any-of" && words.len() != 2 || texts.is_empty() && other.is_none() {
            return Err(format!("{line}: `#{name}` takes a capture and a text"));
        }
        let capture = capture.clone();
        self.predicates.push(Predicate { line, name: bare.to_owned(), negated, capture, texts, other });
        Ok(())
    }
}

fn shown(token: &Token) -> String {
    match token {
        Token::Open => "`(`".to_owned(),
        Token::Close => "`)`".to_owned(),
        Token::OpenList => "`[`".to_owned(),
        Token::CloseList => "`]`".to_owned(),
        Token::Anchor => "`.`".to_owned(),
        Token::Maybe => "`?`".to_owned(),
        Token::Star => "`*`".to_owned(),
        Token::Plus => "`+`".to_owned(),
        Token::Name(name) => format!("`{name}`; a kind stands in parentheses"),
        Token::Field(name) => format!("`{name}:`"),
        Token::Absent(name) => format!("`!{name}`"),
        Token::Text(text) => format!("`\"{text}\"`"),
        Token::Capture(name) => format!("`@{name}`"),
        Token::Directive(name) => format!("`#{name}`"),
    }
}

fn tokens(text: &str) -> Result<Vec<(usize, Token)>, String> {
    let mut tokens = Vec::new();
    let mut line = 1;
    let mut signs = text.char_indices().peekable();
    while let Some((_, sign)) = signs.next() {
        let token = match sign {
            '\n' => {
                line += 1;
                continue;
            }
            ';' => {
                while signs.peek().is_some_and(|(_, sign)| *sign != '\n') {
                    signs.next();
                }
                continue;
            }
            sign if sign.is_whitespace() => continue,
            '(' => Token::Open,
            ')' => Token::Close,
            '[' => Token::OpenList,
            ']' => Token::CloseList,
            '?' => Token::Maybe,
            '*' => Token::Star,
            '+' => Token::Plus,
            '.' => Token::Anchor,
            '!' => Token::Absent(word(&mut signs, None, "")),
            '@' => Token::Capture(word(&mut signs, None, ".")),
            '#' => Token::Directive(word(&mut signs, None, "!?")),
            '"' => Token::Text(string(&mut signs).ok_or_else(|| format!("{line}: a text without its end"))?),
            sign if sign.is_alphanumeric() || sign == '_' => {
                let name = word(&mut signs, Some(sign), "");
                if signs.next_if(|(_, sign)| *sign == ':').is_some() { Token::Field(name) } else { Token::Name(name) }
            }
            sign => return Err(format!("{line}: `{sign}` is not understood")),
        };
        tokens.push((line, token));
    }
    Ok(tokens)
}

/// A name, of word signs, dashes and the others given.
fn word(signs: &mut Peekable<CharIndices<'_>>, first: Option<char>, others: &str) -> String {
    let mut word = String::from_iter(first);
    let inside = |sign: char| sign.is_alphanumeric() || "_-".contains(sign) || others.contains(sign);
    while let Some((_, sign)) = signs.next_if(|(_, sign)| inside(*sign)) {
        word.push(sign);
    }
    word
}

/// The rest of a text behind its opening quote.
fn string(signs: &mut Peekable<CharIndices<'_>>) -> Option<String> {
    let mut text = String::new();
    loop {
        match signs.next()?.1 {
            '"' => return Some(text),
            '\\' => match signs.next()?.1 {
                'n' => text.push('\n'),
                't' => text.push('\t'),
                // Other escapes are the sign itself, but regular expressions keep theirs.
                sign @ ('"' | '\\') => text.push(sign),
                sign => text.extend(['\\', sign]),
            },
            '\n' => return None,
            sign => text.push(sign),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_have_fields_captures_and_conditions() {
        let text = "; a comment\n(a name: (b) @name !c . [(d) \"e\"]? @x .) @y\n  (#eq? @name \"f\") (#set! g \"h\")\n((i) @j (#match? @j \"^k\\\\.\"))";
        let items = parse(text).expect("it is right");
        assert_eq!(items.len(), 2);
        let first = &items[0];
        assert_eq!((first.line, first.pattern.captures.as_slice()), (2, &["y".to_owned()][..]));
        assert_eq!(first.pattern.children[0].field.as_deref(), Some("name"));
        assert_eq!(first.pattern.absent, ["c"]);
        let last = &first.pattern.children[1];
        assert!(last.anchored && first.pattern.last_anchored && last.quantifier == Quantifier::Maybe);
        assert_eq!(first.predicates[0].texts, ["f"]);
        assert_eq!((first.settings[0].key.as_str(), first.settings[0].value.as_deref()), ("g", Some("h")));
        assert_eq!(items[1].predicates[0].texts, ["^k\\."]);
    }

    #[test]
    fn errors_begin_with_the_line() {
        for (text, error) in [
            ("(a", "1: `(` without `)`"),
            ("\n(a b)", "2: a pattern was expected, found `b`; a kind stands in parentheses"),
            ("(a) @b\n(#eq? @b)", "2: `#eq?` takes a capture and a text"),
            ("(a (#odd? @b))", "1: there is no predicate `#odd?`"),
            ("(#set! a)", "1: there is no pattern before it"),
            ("(a \"b)", "1: a text without its end"),
            ("((a) (b))", "1: several patterns in one pair of parentheses are not understood"),
            ("(a) %", "1: `%` is not understood"),
        ] {
            assert_eq!(parse(text).map(|_| ()), Err(error.to_owned()), "{text}");
        }
    }
}
