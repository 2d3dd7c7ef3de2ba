//! What an expression gives, in the way that changes the program least.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};
use vise_syntax::adapters::Dialect;

use super::live::{Live, Unanswered};
use super::look::variables;
use crate::answer::{Expanded, Expr, ExprError};
use crate::expr::{self, Refusal};
use crate::values;
use crate::{cap, redact};

/// How long an expression may take.
const PATIENCE: Duration = Duration::from_secs(5);
/// How many children are shown of what is expanded.
const EXPANDED: usize = 40;

/// Where expressions are evaluated.
pub(crate) struct Context<'a> {
    pub(crate) live: &'a Arc<Live>,
    pub(crate) line: usize,
    pub(crate) frame: Option<i64>,
    /// Whether they may change the program.
    pub(crate) effects: bool,
    /// Whether operators may be functions of the program.
    pub(crate) overloads: bool,
}

/// Whether operators of this language may call functions of the program when a native adapter evaluates them.
pub(crate) fn overloads(path: &Path) -> bool {
    let extension = path.extension().map(|extension| extension.to_string_lossy().to_lowercase());
    !matches!(extension.as_deref(), Some("rs" | "c" | "h"))
}

fn refused(message: String, hint: &str) -> ExprError {
    ExprError { kind: "refused".to_owned(), message, hint: Some(hint.to_owned()), wedged: false }
}

/// Why an expression is not sent at all.
fn objection(context: &Context<'_>, text: &str) -> Option<ExprError> {
    if text.trim().is_empty() {
        return Some(ExprError {
            kind: "bad_input".to_owned(),
            message: "an expression is empty".to_owned(),
            ..ExprError::default()
        });
    }
    if expr::is_command(text) {
        let message = format!("`{}` would be a command to the adapter", cap::middle(text, 80).0);
        return Some(refused(message, "an expression of the program's language would do"));
    }
    // These two have ways of their own that change nothing.
    let pure = matches!(context.live.setup.dialect, Dialect::LldbDap | Dialect::Gdb);
    if context.effects || pure {
        return None;
    }
    match expr::check(text) {
        Ok(()) => None,
        Err(Refusal::Effects(what)) => {
            let message = format!("`{}` may change the program: {what}", cap::middle(text, 80).0);
            Some(refused(message, "names, members, constant subscripts, arithmetic and comparison; or `--effects`"))
        }
        Err(Refusal::Syntax(at)) => {
            let message = format!("`{}` cannot be read at `{at}`", cap::middle(text, 80).0);
            Some(refused(message, "names, members, constant subscripts, arithmetic and comparison; or `--effects`"))
        }
    }
}

async fn ask(context: &Context<'_>, text: &str) -> Result<Value, ExprError> {
    if let Some(objection) = objection(context, text) {
        return Err(objection);
    }
    let native = matches!(context.live.setup.dialect, Dialect::LldbDap | Dialect::Gdb);
    // Never `repl`: that is a command line, and a variable's name may be a command.
    let way = if native && !context.effects { "hover" } else { "watch" };
    match send(context, text, way).await {
        // A path is all that `hover` reads there; operators on plain values are harmless in the other way, too.
        Err(error) if way == "hover" && !error.wedged && !context.overloads && expr::check(text).is_ok() => {
            send(context, text, "watch").await.map_err(|second| if second.wedged { second } else { error })
        }
        answer => answer,
    }
}

async fn send(context: &Context<'_>, text: &str, way: &str) -> Result<Value, ExprError> {
    let mut arguments = json!({"expression": text, "context": way});
    if let Some(frame) = context.frame {
        arguments["frameId"] = frame.into();
    }
    let peer = |message: String, wedged: bool| ExprError {
        kind: "peer".to_owned(),
        message: cap::middle(&message, 300).0,
        hint: wedged.then(|| "`vise debug end`, if the adapter does not recover".to_owned()),
        wedged,
    };
    match context.live.request(context.line, "evaluate", arguments, PATIENCE).await {
        Ok(body) => Ok(body),
        Err(Unanswered::Silent(_)) => Err(peer(format!("no answer within {} s", PATIENCE.as_secs()), true)),
        Err(Unanswered::Refused(why)) => Err(peer(last_line(&why), false)),
        Err(Unanswered::Gone(why)) => Err(peer(why, false)),
    }
}

/// Of a traceback the last line says what is wrong.
fn last_line(text: &str) -> String {
    let text = text.trim();
    if !text.starts_with("Traceback") {
        return text.to_owned();
    }
    text.lines().rev().find(|line| !line.trim().is_empty()).unwrap_or(text).to_owned()
}

/// What an expression gives.
pub(crate) async fn evaluate(context: &Context<'_>, text: &str) -> Expr {
    let mut answer = Expr { expr: cap::middle(text, 200).0, ..Expr::default() };
    match ask(context, text).await {
        Ok(body) => {
            let raw = body["result"].as_str().unwrap_or_default();
            let (shown, redacted) = redact::named(text, raw);
            let (value, cut) = cap::middle(&shown, cap::EXPR);
            (answer.value, answer.redacted, answer.cut) = (Some(value), redacted, cut);
            answer.kind = body["type"].as_str().map(|kind| cap::middle(kind, 120).0);
        }
        Err(error) => answer.error = Some(error),
    }
    answer
}

/// A value with its parts.
pub(crate) async fn expand(context: &Context<'_>, path: &str) -> Expanded {
    let mut answer =
        Expanded { path: path.to_owned(), value: None, kind: None, size: None, children: Vec::new(), error: None };
    let body = match ask(context, path).await {
        Ok(body) => body,
        Err(error) => {
            answer.error = Some(error);
            return answer;
        }
    };
    let (shown, redacted) = redact::named(path, body["result"].as_str().unwrap_or_default());
    answer.value = Some(cap::middle(&shown, cap::EXPR).0);
    answer.kind = body["type"].as_str().map(|kind| cap::middle(kind, 120).0);
    if redact::sounds_secret(path) && redacted {
        return answer;
    }
    let all = variables(context.live, context.line, values::reference(&body)).await;
    answer.size = values::size(&body, answer.value.as_deref().unwrap_or_default()).or_else(|| values::length(&all));
    let children = all.iter().filter(|raw| !values::is_pseudo(context.live.setup.dialect, raw));
    answer.children = children.take(EXPANDED).map(|raw| values::var(raw, Some(path))).collect();
    answer
}
