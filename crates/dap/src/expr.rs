//! Which expressions change nothing: names, members, constant subscripts, arithmetic, comparison, `not and or`.
//!
//! Two adapters have no way to evaluate without effects, so what is sent to them is read here first. What is let through
//! can still run code of the program: a property, an overloaded operator.

/// Why an expression is not sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Refusal {
    /// It may have effects: the part that may.
    Effects(String),
    /// It cannot be read: where it stops making sense.
    Syntax(String),
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Token<'t> {
    Name(&'t str),
    Number(&'t str),
    Text(&'t str),
    Sign(&'t str),
}

/// What an adapter would take for a command of its own.
pub(crate) fn is_command(text: &str) -> bool {
    let text = text.trim_start();
    text.starts_with(['`', '/', '?', '!']) || text.starts_with("-exec")
}

/// Words that begin something which is no plain expression.
const WORDS: [&str; 24] = [
    "await", "lambda", "yield", "if", "else", "for", "del", "delete", "assert", "import", "from", "while", "with",
    "class", "def", "function", "return", "raise", "throw", "try", "new", "let", "var", "void",
];

/// Signs between two operands, longest first. `++` and `--` are none: they write.
const INFIX: [&str; 24] = [
    "===", "!==", "**", "//", "<<", ">>", "<=", ">=", "==", "!=", "&&", "||", "??", "+", "-", "*", "/", "%", "@", "<",
    ">", "&", "|", "^",
];

/// Other signs.
const OTHERS: [&str; 11] = ["->", "?.", "::", "~", "(", ")", "[", "]", ".", ",", ":"];

/// Whether an expression is one that changes nothing.
pub(crate) fn check(text: &str) -> Result<(), Refusal> {
    if is_command(text) {
        return Err(Refusal::Effects(text.trim_start().chars().next().unwrap_or('`').to_string()));
    }
    let tokens = tokens(text)?;
    if tokens.is_empty() {
        return Err(Refusal::Syntax("nothing".to_owned()));
    }
    let mut reader = Reader { tokens: &tokens, at: 0 };
    reader.expression()?;
    match reader.peek() {
        None => Ok(()),
        Some(token) => Err(Refusal::Syntax(shown(token))),
    }
}

fn shown(token: &Token<'_>) -> String {
    match token {
        Token::Name(text) | Token::Number(text) | Token::Text(text) | Token::Sign(text) => (*text).to_owned(),
    }
}

fn tokens(text: &str) -> Result<Vec<Token<'_>>, Refusal> {
    let mut tokens = Vec::new();
    let mut rest = text.trim();
    while let Some(first) = rest.chars().next() {
        let length = if first.is_alphabetic() || matches!(first, '_' | '$') {
            let length = rest.find(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '$'))).unwrap_or(rest.len());
            tokens.push(Token::Name(&rest[..length]));
            length
        } else if first.is_ascii_digit() {
            let length = number(rest);
            tokens.push(Token::Number(&rest[..length]));
            length
        } else if matches!(first, '\'' | '"') {
            let length = string(rest, first).ok_or_else(|| Refusal::Syntax(rest.to_owned()))?;
            tokens.push(Token::Text(&rest[..length]));
            length
        } else if let Some(sign) = ["++", "--", ":="].into_iter().find(|sign| rest.starts_with(sign)) {
            return Err(Refusal::Effects(sign.to_owned()));
        } else if let Some(sign) = OTHERS.into_iter().chain(INFIX).find(|sign| rest.starts_with(sign)) {
            // `+=` and its like end in a sign that is none of ours, and so does `=`.
            tokens.push(Token::Sign(sign));
            sign.len()
        } else if first == '=' {
            return Err(Refusal::Effects("=".to_owned()));
        } else if matches!(first, '\n' | '\r' | ';' | '{' | '}' | '`' | '!') {
            return Err(Refusal::Effects(first.escape_debug().to_string()));
        } else {
            return Err(Refusal::Syntax(first.to_string()));
        };
        rest = rest[length..].trim_start_matches([' ', '\t']);
    }
    Ok(tokens)
}

fn number(text: &str) -> usize {
    let bytes = text.as_bytes();
    let mut end = 0;
    while end < bytes.len() {
        let sign_of_exponent =
            matches!(bytes[end], b'+' | b'-') && matches!(bytes[end - 1], b'e' | b'E') && !text.starts_with("0x");
        if !(bytes[end].is_ascii_alphanumeric() || matches!(bytes[end], b'.' | b'_') || sign_of_exponent) {
            break;
        }
        end += 1;
    }
    end
}

fn string(text: &str, quote: char) -> Option<usize> {
    let mut escaped = false;
    for (at, character) in text.char_indices().skip(1) {
        match character {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '\n' | '\r' => return None,
            character if character == quote => return Some(at + 1),
            _ => {}
        }
    }
    None
}

/// How deep parentheses and signs before an operand may nest.
const DEPTH: usize = 64;

struct Reader<'t> {
    tokens: &'t [Token<'t>],
    at: usize,
}

impl<'t> Reader<'t> {
    fn peek(&self) -> Option<&'t Token<'t>> {
        self.tokens.get(self.at)
    }

    fn take(&mut self, sign: &str) -> bool {
        let found = matches!(self.peek(), Some(Token::Sign(found)) if *found == sign);
        self.at += usize::from(found);
        found
    }

    fn word(&mut self, word: &str) -> bool {
        let found = matches!(self.peek(), Some(Token::Name(found)) if *found == word);
        self.at += usize::from(found);
        found
    }

    /// Operands with operators between them. Which binds closer does not matter for what they may do, so parentheses are
    /// only counted, and nothing here recurses.
    fn expression(&mut self) -> Result<(), Refusal> {
        let mut open = 0;
        loop {
            let mut signs = 0;
            while self.word("not")
                || self.word("typeof")
                || ["-", "+", "~", "*", "&"].into_iter().any(|sign| self.take(sign))
                || (self.take("(") && {
                    open += 1;
                    true
                })
            {
                signs += 1;
                if signs > DEPTH || open > DEPTH {
                    return Err(Refusal::Syntax("(".to_owned()));
                }
            }
            self.operand()?;
            loop {
                if open > 0 && self.take(")") {
                    open -= 1;
                    self.suffixes()?;
                } else {
                    break;
                }
            }
            if !self.operator() {
                return if open == 0 { Ok(()) } else { Err(self.unexpected()) };
            }
        }
    }

    fn operator(&mut self) -> bool {
        if let Some(Token::Sign(sign)) = self.peek()
            && INFIX.contains(sign)
        {
            self.at += 1;
            return true;
        }
        if self.word("not") {
            return self.word("in");
        }
        if self.word("is") {
            self.word("not");
            return true;
        }
        ["and", "or", "in", "instanceof"].into_iter().any(|word| self.word(word))
    }

    fn unexpected(&self) -> Refusal {
        Refusal::Syntax(self.peek().map_or_else(|| "the end".to_owned(), shown))
    }

    fn operand(&mut self) -> Result<(), Refusal> {
        match self.peek() {
            Some(Token::Name(word)) if WORDS.contains(word) => return Err(Refusal::Effects((*word).to_owned())),
            Some(Token::Name("and" | "or" | "in" | "is" | "not" | "instanceof")) => return Err(self.unexpected()),
            Some(Token::Name(_) | Token::Number(_)) => self.at += 1,
            Some(Token::Text(_)) => {
                while matches!(self.peek(), Some(Token::Text(_))) {
                    self.at += 1;
                }
            }
            _ => return Err(self.unexpected()),
        }
        self.suffixes()
    }

    fn suffixes(&mut self) -> Result<(), Refusal> {
        loop {
            if ["->", "?.", "::", "."].into_iter().any(|sign| self.take(sign)) {
                match self.peek() {
                    Some(Token::Name(_) | Token::Number(_)) => self.at += 1,
                    _ => return Err(self.unexpected()),
                }
            } else if self.take("[") {
                self.constant()?;
                if !self.take("]") {
                    return Err(Refusal::Effects("a subscript that is no constant".to_owned()));
                }
            } else if self.take("(") {
                return Err(Refusal::Effects("a call".to_owned()));
            } else if matches!(self.peek(), Some(Token::Text(_))) {
                // `f"{g()}"` is a call in disguise.
                return Err(Refusal::Effects("a string with a prefix".to_owned()));
            } else {
                return Ok(());
            }
        }
    }

    /// What stands in a subscript: a number, a string, or a slice of numbers.
    fn constant(&mut self) -> Result<(), Refusal> {
        let start = self.at;
        loop {
            self.take("-");
            match self.peek() {
                Some(Token::Number(_) | Token::Text(_)) => self.at += 1,
                Some(Token::Sign(":" | "]")) => {}
                _ => return Err(Refusal::Effects("a subscript that is no constant".to_owned())),
            }
            if !self.take(":") && !self.take(",") {
                break;
            }
        }
        if self.at == start { Err(self.unexpected()) } else { Ok(()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_expressions_pass() {
        for text in [
            "n",
            "self.total",
            "xs[0].name",
            "d['k']",
            "d[\"k\"][-1]",
            "xs[1:3]",
            "m[0, 1]",
            "n + 1",
            "a*b - -c",
            "not x",
            "a and b or not c",
            "x is not None",
            "k not in d",
            "(a + b) * 2",
            "((n))",
            "p->next",
            "std::x",
            "a == b != c",
            "é.ü",
            "1e-3 + 0.5",
            "'it\\'s' == s",
            "a?.b",
            "*p",
            "$x === null",
            "-1.5e+3",
        ] {
            assert_eq!(check(text), Ok(()), "{text}");
        }
    }

    #[test]
    fn whatever_may_have_effects_is_refused() {
        for text in [
            "f()",
            "xs.pop()",
            "len(xs)",
            "x = 1",
            "x := 1",
            "x += 1",
            "i++",
            "--i",
            "await x",
            "lambda: 0",
            "[f() for x in y]",
            "d[f]",
            "d[f()]",
            "f\"{g()}\"",
            "`x`",
            "!x",
            "?x",
            "/nat x",
            "-exec p x",
            "a; b",
            "a\nb",
            "{}",
            "x!",
            "(f)(x)",
            "new X",
            "delete x.y",
            "a if b else c",
            "import os",
            "x[0]()",
            "x.y = 2",
            "(x)=1",
        ] {
            assert!(check(text).is_err(), "{text}");
        }
        assert_eq!(check("f()"), Err(Refusal::Effects("a call".to_owned())));
        assert_eq!(check("x = 1"), Err(Refusal::Effects("=".to_owned())));
    }

    #[test]
    fn nonsense_is_told_apart() {
        for text in ["", "a +", "a b", "(a", "a)", "1 2", "'x", "a..b", "#", "==", "x[", "and"] {
            assert!(matches!(check(text), Err(Refusal::Syntax(_)) | Err(Refusal::Effects(_))), "{text}");
        }
        assert_eq!(check("a +"), Err(Refusal::Syntax("the end".to_owned())));
        let deep = "(".repeat(100_000);
        assert!(check(&deep).is_err());
    }
}
