//! How a stop becomes an answer: at most a dozen requests, sent together where they do not need each other.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use futures_util::future::join_all;
use serde_json::{Value, json};
use vise_syntax::adapters::Dialect;

use super::evaluate::{self, evaluate};
use super::live::{ANSWER, Live};
use crate::answer::{Capped, Exception, Expanded, Frame, SourceLine, Stop, Thread, Var};
use crate::cap::{self, middle};
use crate::error::Error;
use crate::frames::{self, Told};
use crate::redact;
use crate::session::Halt;
use crate::values;

/// What is wanted of a stop.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Want<'a> {
    /// What to evaluate.
    pub(crate) exprs: &'a [String],
    /// Whether that may change the program.
    pub(crate) effects: bool,
    /// The frame; else the first of the user's.
    pub(crate) focus: Option<usize>,
    /// Whether values are shown with their children.
    pub(crate) children: bool,
    /// What is expanded.
    pub(crate) expand: &'a [String],
}

/// What was found.
#[derive(Debug, Clone, Default)]
pub(crate) struct Shot {
    pub(crate) stop: Stop,
    pub(crate) notes: Vec<String>,
    pub(crate) capped: Vec<Capped>,
    pub(crate) expanded: Vec<Expanded>,
    /// Whether an expression was not answered, so that the adapter may be stuck.
    pub(crate) stuck: bool,
}

/// How many frames, the one in focus included, show their variables.
const WITH_LOCALS: usize = 3;
/// How many values are looked into.
const LOOKED_INTO: usize = 6;
/// How many lines of source are shown around a line.
const AROUND: usize = 3;
/// How many expressions are evaluated a call.
const EXPRS: usize = 8;

/// Looks at the stop where the program stands.
pub(crate) async fn shot(live: &Arc<Live>, root: &Path, want: Want<'_>) -> Result<Shot, Error> {
    let halt = live.see(|session| session.halt().clone());
    let ask = |what: &'static str, arguments: Value| live.request(halt.line, what, arguments, ANSWER);
    let thread = json!({"threadId": halt.thread});
    let stack = json!({"threadId": halt.thread, "startFrame": 0, "levels": cap::FETCHED});
    let info = live.see(|session| session.can(halt.line, "supportsExceptionInfoRequest")) && halt.reason == "exception";
    let info = async { if info { ask("exceptionInfo", thread.clone()).await.ok() } else { None } };
    let (stack, threads, info) = tokio::join!(ask("stackTrace", stack), ask("threads", Value::Null), info);
    let stack = stack.map_err(|why| why.error(live, "stackTrace"))?;
    let told = frames::read(&stack, root);
    let mut shot = Shot::default();
    let focus = match want.focus {
        Some(index) if index >= told.len() => {
            let count = told.len();
            return Err(Error::not_found(format!("there is no frame `{index}`; the stack has {count}"))
                .hint(format!("0 to {} would do", count.saturating_sub(1))));
        }
        Some(index) => index,
        None => {
            let first = told.iter().position(|frame| frame.user).unwrap_or(0);
            if first > 0 {
                let (shown, top) = (&told[first].function, &told[0].function);
                shot.notes
                    .push(format!("it stopped in `{top}`, which is a library's; shown is `{shown}`, which called it"));
            }
            first
        }
    };
    let callers = callers(&told, focus);
    let shown: Vec<&Told> = told.get(focus).into_iter().chain(callers).collect();
    let locals = join_all(shown.iter().take(WITH_LOCALS).map(|frame| locals(live, halt.line, frame.id))).await;
    let mut made: Vec<Frame> = shown.iter().map(|frame| frame_of(frame, root, halt.number)).collect();
    for (index, (frame, all)) in made.iter_mut().zip(locals).enumerate() {
        let most = if index == 0 { cap::VARS } else { cap::CALLER_VARS };
        let (of, handle) = (all.len(), frame.handle.clone());
        let mut vars: Vec<Var> = all.iter().take(most).map(|raw| values::var(raw, None)).collect();
        if index == 0 && want.children {
            look_into(live, halt.line, &all, &mut vars).await;
        }
        if of > most {
            let narrow = all.get(most).map(|raw| values::var(raw, None).path).unwrap_or_default();
            let narrow = if index == 0 {
                format!("vise debug look --expand {narrow}")
            } else {
                format!("vise debug look --frame {handle}")
            };
            shot.capped.push(Capped { what: "locals".to_owned(), shown: most, of, narrow });
        }
        frame.locals = Some(vars);
    }
    let mut made = made.into_iter();
    let mut at = made.next();
    if let Some(at) = &mut at {
        at.source = told.get(focus).and_then(|frame| source(frame.path.as_deref()?, frame.line));
    }
    let frame = told.get(focus).map(|frame| frame.id);
    let cpp = told.get(focus).and_then(|frame| frame.path.as_deref()).is_some_and(evaluate::overloads);
    let context = evaluate::Context { live, line: halt.line, frame, effects: want.effects, overloads: cpp };
    for expr in want.exprs.iter().take(EXPRS) {
        let value = evaluate(&context, expr).await;
        shot.stuck |= value.error.as_ref().is_some_and(|error| error.wedged);
        shot.stop.exprs.push(value);
    }
    if want.exprs.len() > EXPRS {
        let (of, narrow) = (want.exprs.len(), "vise debug look --expr …".to_owned());
        shot.capped.push(Capped { what: "exprs".to_owned(), shown: EXPRS, of, narrow });
    }
    for path in want.expand.iter().take(EXPRS) {
        shot.expanded.push(evaluate::expand(&context, path).await);
    }
    let total = stack["totalFrames"].as_u64().map_or(told.len(), |total| (total as usize).max(told.len()));
    let stop = &mut shot.stop;
    stop.hidden_frames = total.saturating_sub(1 + made.len());
    (stop.at, stop.frames) = (at, made.collect());
    stop.thread = thread_of(&threads.unwrap_or_default(), halt.thread);
    reason(live, &halt, &told, info, stop).await;
    Ok(shot)
}

/// The callers that are shown: the user's; where there are none, the nearest.
fn callers(told: &[Told], focus: usize) -> Vec<&Told> {
    let user: Vec<&Told> = told.iter().skip(focus + 1).filter(|frame| frame.user).take(cap::FRAMES).collect();
    if user.is_empty() && !told.get(focus).is_some_and(|frame| frame.user) {
        return told.iter().skip(focus + 1).take(4).collect();
    }
    user
}

fn frame_of(told: &Told, root: &Path, stop: u64) -> Frame {
    Frame {
        frame: told.index,
        handle: format!("{stop}.{}", told.index),
        function: told.function.clone(),
        file: told.path.as_deref().map(|path| shown(path, root)),
        line: told.line,
        source: None,
        locals: None,
    }
}

/// A file as answers name it.
pub(crate) fn shown(path: &Path, root: &Path) -> String {
    path.strip_prefix(root).unwrap_or(path).to_string_lossy().into_owned()
}

/// The lines around a line.
fn source(path: &Path, line: usize) -> Option<Vec<SourceLine>> {
    const LARGEST: u64 = 10 * 1024 * 1024;
    let small = std::fs::metadata(path).is_ok_and(|data| data.is_file() && data.len() <= LARGEST);
    let bytes = small.then(|| std::fs::read(path).ok()).flatten()?;
    let text = String::from_utf8_lossy(&bytes);
    let first = line.saturating_sub(AROUND).max(1);
    let lines = text.lines().enumerate().skip(first - 1).take(line + AROUND + 1 - first);
    let lines = lines.map(|(at, text)| SourceLine { line: at + 1, text: middle(text, 200).0, here: at + 1 == line });
    Some(lines.collect())
}

/// The variables of a frame, as the adapter tells them; an inner scope hides what an outer one calls the same.
async fn locals(live: &Arc<Live>, line: usize, frame: i64) -> Vec<Value> {
    let scopes = live.request(line, "scopes", json!({"frameId": frame}), ANSWER).await.unwrap_or_default();
    let scopes = scopes["scopes"].as_array().cloned().unwrap_or_default();
    let wanted = scopes.iter().filter(|scope| {
        let name = scope["name"].as_str().unwrap_or_default();
        let others = ["global", "static", "register"].iter().any(|other| name.to_lowercase().starts_with(other));
        scope["expensive"] != true && !others
    });
    let ask = wanted.filter_map(|scope| scope["variablesReference"].as_i64()).take(4);
    let answers = join_all(ask.map(|reference| variables(live, line, reference))).await;
    let mut all: Vec<Value> = Vec::new();
    for raw in answers.into_iter().flatten() {
        let known = all.iter().any(|other| other["name"] == raw["name"]);
        if !known && !values::is_pseudo(live.setup.dialect, &raw) {
            all.push(raw);
        }
    }
    all
}

/// What is in a value.
pub(crate) async fn variables(live: &Arc<Live>, line: usize, reference: i64) -> Vec<Value> {
    if reference <= 0 {
        return Vec::new();
    }
    let arguments = json!({"variablesReference": reference});
    let answer = live.request(line, "variables", arguments, Duration::from_secs(5)).await.unwrap_or_default();
    answer["variables"].as_array().cloned().unwrap_or_default()
}

async fn look_into(live: &Arc<Live>, line: usize, all: &[Value], vars: &mut [Var]) {
    let deep = all.iter().zip(vars.iter_mut()).filter(|(raw, var)| values::reference(raw) > 0 && !var.redacted);
    let deep: Vec<_> = deep.take(LOOKED_INTO).collect();
    let answers = join_all(deep.iter().map(|(raw, _)| variables(live, line, values::reference(raw)))).await;
    for ((_, var), answer) in deep.into_iter().zip(answers) {
        var.size = var.size.or_else(|| values::length(&answer));
        let children = answer.iter().filter(|raw| !values::is_pseudo(live.setup.dialect, raw));
        var.children = Some(children.take(cap::CHILDREN).map(|raw| values::var(raw, Some(&var.path))).collect());
    }
}

fn thread_of(threads: &Value, id: i64) -> Thread {
    let all = threads["threads"].as_array().map(Vec::as_slice).unwrap_or_default();
    let name = all.iter().find(|thread| thread["id"] == id).and_then(|thread| thread["name"].as_str());
    Thread { id, name: middle(name.unwrap_or_default(), 80).0, of: all.len().max(1) }
}

/// Why it stopped, in our words.
async fn reason(live: &Arc<Live>, halt: &Halt, told: &[Told], info: Option<Value>, stop: &mut Stop) {
    let top = told.first().map(|frame| frame.function.as_str()).unwrap_or_default();
    stop.breakpoint = halt.hit.first().copied();
    let dialect = live.setup.dialect;
    let native = matches!(dialect, Dialect::LldbDap | Dialect::Gdb);
    if native && top.contains("rust_panic") && halt.hit.is_empty() {
        stop.reason = "exception".to_owned();
        let said = |session: &crate::session::Session| values::panic_message(&session.output.text());
        // What it prints goes another way than the news that it stands still.
        let message = live.until(Duration::from_millis(500), said).await.unwrap_or_default();
        stop.exception = Some(exception("panic", &message));
    } else if native && top.contains("from_residual") && halt.hit.is_empty() {
        stop.reason = "exception".to_owned();
        let vars = match told.first() {
            Some(frame) => locals(live, halt.line, frame.id).await,
            None => Vec::new(),
        };
        let residual = vars.iter().find(|raw| raw["name"] == "residual").and_then(|raw| raw["value"].as_str());
        stop.exception = Some(exception("Err", residual.unwrap_or("an error was returned")));
    } else if dialect == Dialect::Delve && top == "testing.(*common).Fail" {
        stop.reason = "exception".to_owned();
        let said = |session: &crate::session::Session| values::go_message(&session.output.text());
        let message = live.until(Duration::from_millis(300), said).await.unwrap_or_default();
        stop.exception = Some(exception("test failure", &message));
    } else if let Some(signal) = values::signal(&halt.description).or_else(|| values::signal(&halt.text)) {
        // It is how some make a program stand still.
        let asked = signal == "SIGSTOP";
        stop.reason = if asked { "pause" } else { "signal" }.to_owned();
        stop.signal = (!asked).then_some(signal);
    } else {
        stop.reason = match halt.reason.as_str() {
            _ if halt.arrived => "step",
            "exception" => "exception",
            "breakpoint" | "function breakpoint" | "data breakpoint" | "instruction breakpoint" => "breakpoint",
            "step" | "goto" | "restart" => "step",
            "entry" => "entry",
            _ => "pause",
        }
        .to_owned();
        if stop.reason == "exception" {
            let (kind, message) = values::exception(&info.unwrap_or_default(), &halt.description, &halt.text);
            stop.exception = Some(exception(&kind, &message));
        }
    }
}

fn exception(kind: &str, message: &str) -> Exception {
    let message = redact::value(message).0;
    Exception { kind: middle(kind, 200).0, message: middle(&message, cap::MESSAGE).0 }
}
