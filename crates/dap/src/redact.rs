//! What is withheld: values that look like credentials, and those of names that sound like them.

use std::borrow::Cow;
use std::sync::LazyLock;

use regex::Regex;

/// What stands for a value that is withheld.
pub(crate) const REDACTED: &str = "[redacted]";

/// A name that sounds like a credential. `pwd` does not: it is a folder.
const NAME: &str = "password|passwd|secret|token|api_?key|credential|private_?key";

#[expect(clippy::unwrap_used, reason = "the patterns are constants, and a test compiles them")]
fn compiled(pattern: &str) -> Regex {
    Regex::new(pattern).unwrap()
}

static NAMES: LazyLock<Regex> = LazyLock::new(|| {
    compiled(&format!(r"(?i)(?:{NAME})|(?:^|[^A-Za-z0-9_])_*(?:authorization|cookie)_*(?:$|[^A-Za-z0-9_])"))
});

/// Values that are credentials by their shape.
static SHAPES: LazyLock<Regex> = LazyLock::new(|| {
    compiled(concat!(
        r"\bsk-[A-Za-z0-9_-]{8,}",
        r"|\bgh[pousr]_[A-Za-z0-9]{8,}",
        r"|\bgithub_pat_[A-Za-z0-9_]{8,}",
        r"|\bxox[A-Za-z]-[A-Za-z0-9-]{6,}",
        r"|\bAKIA[0-9A-Z]{12,}",
        r"|\beyJ[A-Za-z0-9_-]{4,}\.[A-Za-z0-9_-]{4,}\.[A-Za-z0-9_-]*",
        r"|-----BEGIN [A-Z ]*PRIVATE KEY-----(?s:.*?-----END [A-Z ]*PRIVATE KEY-----|.*)",
        r"|\b[A-Za-z][A-Za-z0-9+.-]*://[^\s/:@'\x22]*:[^\s/@'\x22]+@",
    ))
});

/// A key that sounds like a credential and its value, inside the text of a container.
static PAIRS: LazyLock<Regex> = LazyLock::new(|| {
    compiled(&format!(
        r#"(?i)(['"]?\b[A-Za-z0-9_-]*(?:{NAME}|\bauthorization|\bcookie)[A-Za-z0-9_-]*['"]?\s*(?:[:=]|=>)\s*)('(?:[^'\\]|\\.)*'?|"(?:[^"\\]|\\.)*"?|[^\s,;)\]}}]+)"#
    ))
});

/// Whether a variable of this name, or an expression, is about a credential.
pub(crate) fn sounds_secret(name: &str) -> bool {
    NAMES.is_match(name)
}

/// The value as it may be shown, and whether something of it is withheld.
pub(crate) fn value(text: &str) -> (Cow<'_, str>, bool) {
    if !SHAPES.is_match(text) && !PAIRS.is_match(text) {
        return (Cow::Borrowed(text), false);
    }
    let shaped = SHAPES.replace_all(text, REDACTED);
    let all = PAIRS.replace_all(&shaped, format!("${{1}}{REDACTED}")).into_owned();
    let bare = all.trim_matches(['\'', '"', '`']);
    (Cow::Owned(if bare == REDACTED { REDACTED.to_owned() } else { all }), true)
}

/// The value of something of this name as it may be shown.
pub(crate) fn named<'t>(name: &str, text: &'t str) -> (Cow<'t, str>, bool) {
    if sounds_secret(name) { (Cow::Borrowed(REDACTED), true) } else { value(text) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_sound_like_credentials() {
        for name in [
            "password",
            "DB_PASSWORD",
            "userPasswd",
            "client_secret",
            "accessToken",
            "API_KEY",
            "apikey",
            "Authorization",
            "cookie",
            "aws_credentials",
            "private_key",
            "cfg.password",
            "d[\"api_key\"]",
            "headers['Cookie']",
        ] {
            assert!(sounds_secret(name), "{name}");
        }
        for name in ["pwd", "cookies_eaten", "author", "path", "key", "keyboard", "monkey"] {
            assert!(!sounds_secret(name), "{name}");
        }
    }

    #[test]
    fn values_that_are_credentials() {
        for text in [
            "'sk-abcdef0123456789'",
            "\"ghp_0123456789abcdef0123\"",
            "github_pat_0123456789abc",
            "'xoxb-123456789-abc'",
            "AKIAIOSFODNN7EXAMPLE",
            "'eyJhbGciOi.eyJzdWIiOiIx.c2ln'",
            "'-----BEGIN RSA PRIVATE KEY-----\\nabc\\n-----END RSA PRIVATE KEY-----'",
        ] {
            assert_eq!(value(text), (REDACTED.into(), true), "{text}");
        }
        assert_eq!(value("'https://me:hunter2@example.org/x'").0, "'[redacted]example.org/x'");
        for text in ["'risk-averse-people'", "[1, 2]", "'https://example.org:80/x'", "'mask-12345678'"] {
            assert_eq!(value(text), (text.into(), false));
        }
    }

    #[test]
    fn inside_a_container_only_the_value_goes() {
        let shown = value("{'user': 'bob', 'password': 'it\\'s', 'n': 1}");
        assert_eq!(shown, ("{'user': 'bob', 'password': [redacted], 'n': 1}".into(), true));
        assert_eq!(value("Config(api_key='x', port=1)").0, "Config(api_key=[redacted], port=1)");
        assert_eq!(value("['ghp_0123456789abcdef0123', 2]").0, "['[redacted]', 2]");
        assert_eq!(named("token", "7"), (REDACTED.into(), true));
    }
}
