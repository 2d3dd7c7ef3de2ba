//! Rust source with everything blanked that is not code, so that checks can look for plain text.

/// The same text, line for line and column for column, with comments and the insides of strings and characters as spaces.
pub(super) fn blanked(source: &str) -> String {
    let mut rest = source;
    let mut out = String::with_capacity(source.len());
    while let Some(c) = rest.chars().next() {
        let before = out.chars().next_back();
        let (keep, blank, keep_after) = token(rest, before.is_some_and(|c| c.is_alphanumeric() || c == '_'), c);
        out.push_str(&rest[..keep]);
        out.extend(rest[keep..keep + blank].chars().map(|c| if c == '\n' { '\n' } else { ' ' }));
        out.push_str(&rest[keep + blank..keep + blank + keep_after]);
        rest = &rest[keep + blank + keep_after..];
    }
    out
}

/// How many bytes to keep, then to blank, then to keep, at the start of `rest`; always more than none.
fn token(rest: &str, in_word: bool, c: char) -> (usize, usize, usize) {
    if rest.starts_with("//") {
        return (0, rest.find('\n').unwrap_or(rest.len()), 0);
    }
    if rest.starts_with("/*") {
        return (0, block_comment(rest), 0);
    }
    // r"…", br#"…"#, c"…": the prefix is kept with its quote.
    let prefix = if in_word { 0 } else { rest.len() - rest.trim_start_matches(['b', 'c', 'r']).len() };
    let raw = rest[..prefix].ends_with('r');
    let hashes = if raw { rest[prefix..].len() - rest[prefix..].trim_start_matches('#').len() } else { 0 };
    if prefix <= 2 && rest[prefix + hashes..].starts_with('"') {
        let open = prefix + hashes + 1;
        let inside = if raw {
            let close = format!("\"{}", "#".repeat(hashes));
            rest[open..].find(&close).unwrap_or(rest.len() - open)
        } else {
            string(&rest[open..])
        };
        return (open, inside, (rest.len() - open - inside).min(1));
    }
    if c == '\'' {
        // A character, unless it is a lifetime: no quote follows the one character.
        let inside = &rest[1..];
        let length = match inside.strip_prefix('\\') {
            // The escaped sign itself may be a quote.
            Some(escaped) => escaped.char_indices().skip(1).find(|(_, c)| *c == '\'').map(|(at, _)| at + 1),
            None => inside.chars().next().map(char::len_utf8).filter(|length| inside[*length..].starts_with('\'')),
        };
        if let Some(length) = length {
            return (1, length, 1);
        }
    }
    (c.len_utf8(), 0, 0)
}

fn block_comment(rest: &str) -> usize {
    let mut depth = 0;
    let mut at = 0;
    while at < rest.len() {
        if rest[at..].starts_with("/*") {
            depth += 1;
            at += 2;
        } else if rest[at..].starts_with("*/") {
            depth -= 1;
            at += 2;
            if depth == 0 {
                return at;
            }
        } else {
            at += rest[at..].chars().next().map_or(1, char::len_utf8);
        }
    }
    rest.len()
}

/// The length of a string's inside, up to its closing quote.
fn string(inside: &str) -> usize {
    let mut escaped = false;
    for (at, c) in inside.char_indices() {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '"' => return at,
            _ => {}
        }
    }
    inside.len()
}

/// The words of an identifier: `PatchSet`, `patch_set` and `PATCH_SET` are all `patch set`.
pub(super) fn words(identifier: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    let mut lower_before = false;
    for c in identifier.chars() {
        if c == '_' {
            lower_before = false;
            words.push(String::new());
            continue;
        }
        if words.is_empty() || (c.is_uppercase() && lower_before) {
            words.push(String::new());
        }
        lower_before = !c.is_uppercase();
        if let Some(word) = words.last_mut() {
            word.extend(c.to_lowercase());
        }
    }
    words.retain(|word| !word.is_empty());
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_and_strings_are_blanked_in_place() {
        for (source, expected) in [
            ("a // b\nc", "a     \nc"),
            ("a /* b /* c */ d */ e", "a                   e"),
            (r#"f("x\"y", 'z')"#, r#"f("    ", ' ')"#),
            ("r#\"a\"b\"# + c", "r#\"   \"# + c"),
            ("fn f<'a>(x: &'a str) -> '\\'' {}", "fn f<'a>(x: &'a str) -> '  ' {}"),
            ("b\"x\" br\"y\" var\"z\"", "b\" \" br\" \" var\" \""),
            ("\"two\nlines\" x", "\"   \n     \" x"),
            ("'\"' \"'\"", "' ' \" \""),
            ("\"open", "\"    "),
        ] {
            assert_eq!(blanked(source), expected, "{source}");
        }
    }

    #[test]
    fn identifiers_split_into_words() {
        assert_eq!(words("PatchSet"), ["patch", "set"]);
        assert_eq!(words("PATCH_SET"), ["patch", "set"]);
        assert_eq!(words("_patch_set2"), ["patch", "set2"]);
        assert_eq!(words("HTTPServer"), ["httpserver"]);
    }
}
