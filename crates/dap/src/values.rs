//! What adapters say of values, exceptions and signals, read tolerantly.

use std::sync::LazyLock;

use regex::Regex;
use serde_json::Value;
use vise_syntax::adapters::Dialect;

use crate::answer::Var;
use crate::{cap, expr, redact};

#[expect(clippy::unwrap_used, reason = "the patterns are constants, and a test compiles them")]
fn compiled(pattern: &str) -> Regex {
    Regex::new(pattern).unwrap()
}

static SIZE: LazyLock<Regex> = LazyLock::new(|| compiled(r"^(?:size=|.*?\blen: |\(|Array\(|Map\(|Set\()(\d+)\)?"));
static SIGNAL: LazyLock<Regex> = LazyLock::new(|| compiled(r"\b(SIG[A-Z0-9]+)\b"));
static GO_LINE: LazyLock<Regex> = LazyLock::new(|| compiled(r"(?m)^\s+\S+_test\.go:\d+: (.*)$"));
static NOTE: LazyLock<Regex> = LazyLock::new(|| compiled(r"(?s)\s*\(note: full exception trace.*$"));

/// The reference by which a value's parts are asked for; 0 where it has none.
pub(crate) fn reference(raw: &Value) -> i64 {
    raw["variablesReference"].as_i64().unwrap_or(0)
}

/// Whether this is no variable, but a heading of the adapter's or a helper of the runtime.
pub(crate) fn is_pseudo(dialect: Dialect, raw: &Value) -> bool {
    let name = raw["name"].as_str().unwrap_or_default();
    match dialect {
        Dialect::Debugpy => {
            let headings = ["special variables", "function variables", "class variables", "protected variables"];
            headings.contains(&name) || name == "len()" || name.starts_with("@py_")
        }
        Dialect::JsDebug => {
            ["exports", "require", "module", "__filename", "__dirname"].contains(&name) || name.starts_with("[[")
        }
        Dialect::LldbDap | Dialect::Delve | Dialect::Gdb => {
            name == "[raw]" || raw["presentationHint"]["kind"] == "virtual"
        }
    }
}

/// The number of elements that debugpy tells as one of them.
pub(crate) fn length(parts: &[Value]) -> Option<usize> {
    let told = parts.iter().find(|raw| raw["name"] == "len()")?;
    told["value"].as_str()?.parse().ok()
}

/// How many parts a value has, where that is told.
pub(crate) fn size(raw: &Value, value: &str) -> Option<usize> {
    let told = raw["indexedVariables"].as_u64().filter(|count| *count > 0).or_else(|| raw["namedVariables"].as_u64());
    told.map(|count| count as usize).or_else(|| SIZE.captures(value)?.get(1)?.as_str().parse().ok())
}

/// A variable as it is answered; `parent` is the path of what it is a part of.
pub(crate) fn var(raw: &Value, parent: Option<&str>) -> Var {
    let name = raw["name"].as_str().unwrap_or("?");
    let value = raw["value"].as_str().unwrap_or_default();
    let path = raw["evaluateName"].as_str().filter(|path| !path.is_empty() && expr::check(path).is_ok());
    let path = path.map(str::to_owned).unwrap_or_else(|| match parent {
        Some(parent) if name.starts_with('[') => format!("{parent}{name}"),
        Some(parent) if name.parse::<usize>().is_ok() => format!("{parent}[{name}]"),
        Some(parent) => format!("{parent}.{name}"),
        None => name.to_owned(),
    });
    let (shown, redacted) = match (redact::named(name, value), parent) {
        ((_, false), Some(parent)) => redact::named(parent, value),
        (own, _) => own,
    };
    let (shown, cut) = cap::middle(&shown, cap::VALUE);
    let kind = raw["type"].as_str().filter(|kind| !kind.is_empty()).map(|kind| cap::middle(kind, 120).0);
    let size = (reference(raw) > 0).then(|| size(raw, value)).flatten();
    Var { name: cap::middle(name, 120).0, value: shown, kind, path, size, children: None, cut, redacted }
}

/// The signal that a text names.
pub(crate) fn signal(text: &str) -> Option<String> {
    SIGNAL.captures(text).map(|found| found[1].to_owned())
}

/// The type and the message of an exception.
pub(crate) fn exception(info: &Value, description: &str, text: &str) -> (String, String) {
    let details = &info["details"];
    let told = |value: &Value| value.as_str().filter(|text| !text.is_empty()).map(str::to_owned);
    let whole =
        [told(&details["message"]), told(&info["description"]), told(&info["exceptionId"]), Some(text.to_owned())];
    // That it paused is no message; some put type and message where only the type belongs.
    let says = |text: &String| !text.is_empty() && !text.starts_with("Paused on ");
    let message = whole.into_iter().flatten().find(says).unwrap_or_else(|| description.to_owned());
    let kind = told(&details["typeName"]).or_else(|| told(&info["exceptionId"]));
    let is_type = |kind: &&String| !kind.contains(": ") && *kind != "Exception" && *kind != "Error";
    if kind.as_ref().filter(is_type).is_none()
        && let Some((first, rest)) = message.split_once(": ")
    {
        // `Uncaught TypeError`, and `AssertionError [ERR_ASSERTION]`: the word between is the type.
        let first = first.trim_start_matches("Uncaught ");
        let word = first.split(" [").next().unwrap_or(first);
        if !word.is_empty() && !word.contains(char::is_whitespace) {
            let rest: Vec<&str> = rest.lines().take_while(|line| !line.starts_with("    at ")).collect();
            return (word.to_owned(), rest.join("\n"));
        }
    }
    let kind = kind.unwrap_or_else(|| description.to_owned());
    (kind, NOTE.replace(&message, "").trim_end().to_owned())
}

/// What a Rust program printed when it panicked.
pub(crate) fn panic_message(output: &str) -> Option<String> {
    let (_, rest) = output.rsplit_once("panicked at ")?;
    let (_, message) = rest.split_once('\n')?;
    let ends = |line: &&str| !(line.starts_with("note: ") || line.starts_with("stack backtrace:"));
    let lines: Vec<&str> = message.lines().take_while(ends).collect();
    Some(lines.join("\n").trim().to_owned()).filter(|message| !message.is_empty())
}

/// What a Go test said last.
pub(crate) fn go_message(output: &str) -> Option<String> {
    GO_LINE.captures_iter(output).last().map(|found| found[1].trim().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn variables_with_their_paths_and_sizes() {
        let list = var(
            &json!({"name": "xs", "value": "[1, 2]", "type": "list", "evaluateName": "xs", "variablesReference": 3}),
            None,
        );
        assert_eq!((list.path.as_str(), list.kind.as_deref(), list.size), ("xs", Some("list"), None));
        let child = var(&json!({"name": "[0]", "value": "1"}), Some("v"));
        assert_eq!(child.path, "v[0]");
        assert_eq!(var(&json!({"name": "0", "value": "1"}), Some("v")).path, "v[0]");
        assert_eq!(var(&json!({"name": "a", "value": "1", "evaluateName": "f().a"}), Some("v")).path, "v.a");
        for (value, size) in [("size=3", 3), ("[]int len: 2, cap: 4, [1,2]", 2), ("(3) [1, 2, 3]", 3), ("Array(3)", 3)]
        {
            assert_eq!(var(&json!({"name": "v", "value": value, "variablesReference": 1}), None).size, Some(size));
        }
        assert!(var(&json!({"name": "0", "value": "'x'"}), Some("passwords")).redacted, "what is in a secret is one");
        assert_eq!(var(&json!({}), None).name, "?");
    }

    #[test]
    fn exceptions_of_every_adapter() {
        let debugpy = json!({"exceptionId": "ValueError", "description": "bad", "details": {"typeName": "ValueError", "message": "bad\n(note: full exception trace is shown but execution is paused at: f)"}});
        assert_eq!(exception(&debugpy, "", ""), ("ValueError".to_owned(), "bad".to_owned()));
        let delve = json!({"exceptionId": "panic", "description": "boom"});
        assert_eq!(exception(&delve, "panic", ""), ("panic".to_owned(), "boom".to_owned()));
        let node = json!({"exceptionId": "Exception", "description": "TypeError: no\n    at f (a.js:1)"});
        assert_eq!(exception(&node, "", ""), ("TypeError".to_owned(), "no".to_owned()));
        let assertion = json!({"exceptionId": "AssertionError [ERR_ASSERTION]: not equal:\n\n3 !== 4", "description": "Paused on exception"});
        assert_eq!(exception(&assertion, "", ""), ("AssertionError".to_owned(), "not equal:\n\n3 !== 4".to_owned()));
        assert_eq!(exception(&json!(null), "Paused on exception", "Error: x"), ("Error".to_owned(), "x".to_owned()));
    }

    #[test]
    fn what_runtimes_print() {
        let panic = "x\nthread 't' panicked at src/lib.rs:3:5:\nassertion failed\n  left: 3\n right: 4\nnote: run with `RUST_BACKTRACE=1`\n";
        assert_eq!(panic_message(panic).as_deref(), Some("assertion failed\n  left: 3\n right: 4"));
        assert_eq!(panic_message("thread 't' panicked at src/lib.rs:3:5:\n"), None, "not all there yet");
        assert_eq!(go_message("=== RUN   T\n    a_test.go:9: got 3\n").as_deref(), Some("got 3"));
        assert_eq!(signal("signal SIGSEGV: address not mapped").as_deref(), Some("SIGSEGV"));
    }
}
