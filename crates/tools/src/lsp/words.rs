//! Answers of language servers as people and agents read them: a line a place, with its text, so that nobody has to open a
//! file to see what it is.

use std::fmt::Write as _;

use vise_lsp::{Answer, Call, CodeAction, Diagnostic, Location, Outcome, Severity, State, Symbol};
use vise_text::shown;

use super::LspOperation;
use crate::foresee::Foreseen;
use crate::paint::{Paint, Role};
use crate::text::count;

/// Longer lines are cut.
const LINE: usize = 400;

pub(super) fn answer(operation: LspOperation, answer: &Answer, paint: Paint) -> String {
    let mut out = String::new();
    notes(&mut out, &answer.notes, paint);
    let before = out.len();
    match &answer.outcome {
        Outcome::Locations(found) => found.iter().for_each(|one| location(&mut out, one, "", paint)),
        Outcome::Hover(text) => {
            if let Some(text) = text {
                let _ = writeln!(out, "{}", shown(text.trim_end().as_bytes()));
            }
        }
        Outcome::Symbols(found) | Outcome::Types(found) => {
            let named = operation != LspOperation::DocumentSymbol;
            found.iter().for_each(|one| symbol(&mut out, one, 0, named, paint));
        }
        Outcome::Calls(found) => found.iter().for_each(|one| call(&mut out, one, paint)),
        Outcome::Diagnostics(found, state) => {
            found.iter().for_each(|one| diagnostic(&mut out, one, paint));
            if found.is_empty() && *state == State::Fresh {
                let _ = writeln!(out, "nothing is wrong, says {}", answer.server);
            }
        }
        Outcome::Actions(found) => found.iter().for_each(|one| action(&mut out, one, paint)),
        Outcome::Change(_) => {
            let _ = writeln!(out, "{} proposes no change", answer.server);
        }
    }
    if out.len() == before && !matches!(answer.outcome, Outcome::Diagnostics(..)) {
        let more = if answer.incomplete { ", so far" } else { "" };
        let _ = writeln!(out, "{} has nothing for `{}`{more}", answer.server, operation.name());
    }
    if answer.truncated {
        out.push_str("… there are more; raise `max`\n");
    }
    out
}

pub(super) fn notes(out: &mut String, notes: &[String], paint: Paint) {
    for note in notes {
        let note = note.strip_prefix("note: ").unwrap_or(note);
        let _ = writeln!(out, "{}: {}", paint.words(Role::Faint, "note"), shown(note.as_bytes()));
    }
}

/// `file:line:column  the line's text`
fn location(out: &mut String, one: &Location, indent: &str, paint: Paint) {
    let (line, column) = (one.line.to_string(), one.column.to_string());
    let mut text: String = one.text.trim().chars().take(LINE).collect();
    if text.len() < one.text.trim().len() {
        text.push('…');
    }
    let _ = write!(
        out,
        "{indent}{}:{}:{}  {}",
        paint.words(Role::Path, &shown(one.file.as_bytes())),
        paint.words(Role::Number, &line),
        paint.words(Role::Number, &column),
        shown(text.as_bytes())
    );
    if one.definition {
        out.push_str("  (definition)");
    }
    if one.outside_workspace {
        out.push_str("  (outside of the workspace)");
    }
    out.push('\n');
}

fn symbol(out: &mut String, one: &Symbol, depth: usize, named: bool, paint: Paint) {
    let _ = write!(out, "{:indent$}", "", indent = depth * 2);
    if named {
        let _ = write!(out, "{}:", paint.words(Role::Path, &shown(one.file.as_bytes())));
    }
    match (one.line, one.column) {
        (Some(line), Some(column)) => {
            let _ = write!(out, "{line}:{column}  ");
        }
        (Some(line), None) => {
            let _ = write!(out, "{line}  ");
        }
        _ => out.push_str("?  "),
    }
    let _ = write!(out, "{} {}", one.kind, shown(one.name.as_bytes()));
    if let Some(container) = &one.container {
        let _ = write!(out, "  in {}", shown(container.as_bytes()));
    }
    out.push('\n');
    one.children.iter().for_each(|child| symbol(out, child, depth + 1, named, paint));
}

fn call(out: &mut String, one: &Call, paint: Paint) {
    symbol(out, &one.symbol, 0, true, paint);
    one.from.iter().for_each(|at| location(out, at, "  ", paint));
}

/// `file:line:column  error: message [code]`
pub(crate) fn diagnostic(out: &mut String, one: &Diagnostic, paint: Paint) {
    let role = if one.severity == Severity::Error { Role::Error } else { Role::Warning };
    let code = one.code.as_ref().map(|code| format!(" [{code}]")).unwrap_or_default();
    let message = one.message.lines().map(str::trim).collect::<Vec<_>>().join("; ");
    let _ = writeln!(
        out,
        "{}:{}:{}  {}: {}{}",
        paint.words(Role::Path, &shown(one.file.as_bytes())),
        one.line,
        one.column,
        paint.words(role, severity(one.severity)),
        shown(message.as_bytes()),
        shown(code.as_bytes())
    );
}

fn action(out: &mut String, one: &CodeAction, paint: Paint) {
    let kind = one.kind.as_deref().unwrap_or("-");
    let number = paint.words(Role::Number, &one.index.to_string());
    let preferred = if one.preferred { "  (preferred)" } else { "" };
    let _ = writeln!(out, "{number}  {}  {}{preferred}", shown(kind.as_bytes()), shown(one.title.as_bytes()));
}

fn severity(one: Severity) -> &'static str {
    match one {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Information => "information",
        Severity::Hint => "hint",
    }
}

/// What a proposal would break.
pub(crate) fn foreseen(out: &mut String, foreseen: &Foreseen, paint: Paint) {
    match &foreseen.diagnostics {
        Some(new) if new.is_empty() => {
            let _ = writeln!(out, "check: it would break nothing, says {}", foreseen.by.join(", "));
        }
        Some(new) => {
            let number = count(new.len(), "new diagnostic", "new diagnostics");
            let by = foreseen.by.join(", ");
            let _ = writeln!(out, "{}: it would bring {number}, says {by}", paint.words(Role::Error, "check"));
            new.iter().for_each(|one| diagnostic(out, one, paint));
        }
        None => {
            let _ = writeln!(out, "{}: not checked", paint.words(Role::Warning, "check"));
        }
    }
    notes(out, &foreseen.notes, paint);
}
