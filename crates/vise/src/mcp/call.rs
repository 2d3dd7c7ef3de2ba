//! A call, from its arguments to its result.

use std::collections::HashMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use rmcp::ErrorData;
use rmcp::model::{CallToolRequestParams, CallToolResult, ContentBlock, JsonObject};
use rmcp::service::{RequestContext, RoleServer};
use serde_json::{Value, json};
use vise_tools::{Answer, Effect, Progress, Saying, TOOLS, Tool, ToolError, nearest, recover_first};

use super::server::{Server, Shared};
use super::telling;
use crate::run::bug;
use crate::stop;

/// A longer text is cut: an agent that reads it all has no room for anything else.
const MAX_TEXT: usize = 100_000;
/// What was told to stop may take so long to do so.
const GRACE: Duration = Duration::from_secs(2);

/// The calls that are being answered.
#[derive(Clone, Default)]
pub(super) struct Running(Arc<Calls>);

#[derive(Default)]
struct Calls {
    by_number: Mutex<Numbered>,
    one_ended: Condvar,
}

#[derive(Default)]
struct Numbered {
    next: u64,
    /// How each is stopped, and whether it writes.
    calls: HashMap<u64, (Arc<AtomicBool>, bool)>,
}

/// A call is counted for as long as this lives.
struct Counted {
    running: Running,
    number: u64,
}

impl Running {
    fn lock(&self) -> MutexGuard<'_, Numbered> {
        self.0.by_number.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn begin(&self, writes: bool) -> (Counted, Arc<AtomicBool>) {
        let stop = Arc::new(AtomicBool::new(false));
        let mut numbered = self.lock();
        let number = numbered.next;
        numbered.next += 1;
        numbered.calls.insert(number, (stop.clone(), writes));
        numbered.say_whether_writing();
        (Counted { running: self.clone(), number }, stop)
    }

    /// Whether anything is being answered.
    pub(super) fn any(&self) -> bool {
        !self.lock().calls.is_empty()
    }

    /// Tells everything to stop.
    pub(super) fn stop_all(&self) {
        self.lock().calls.values().for_each(|(stop, _)| stop.store(true, Ordering::Relaxed));
    }

    /// Waits until nothing writes any more, and a moment for the rest.
    pub(super) fn wait_for_writers(&self) {
        let over = Instant::now() + GRACE;
        let mut numbered = self.lock();
        while !numbered.calls.is_empty() && (numbered.writing() || Instant::now() < over) {
            let waited = self.0.one_ended.wait_timeout(numbered, Duration::from_millis(100));
            numbered = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
    }
}

impl Numbered {
    fn writing(&self) -> bool {
        self.calls.values().any(|(_, writes)| *writes)
    }

    /// While something writes, a signal may not end the process.
    fn say_whether_writing(&self) {
        stop::WRITING.store(self.writing(), Ordering::SeqCst);
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        let mut numbered = self.running.lock();
        numbered.calls.remove(&self.number);
        numbered.say_whether_writing();
        self.running.0.one_ended.notify_all();
    }
}

/// What a tool is run with.
struct Work {
    tool: &'static Tool,
    root: Option<Value>,
    input: JsonObject,
    clients: Vec<PathBuf>,
    conversation: String,
    stop: Arc<AtomicBool>,
    progress: Option<Progress>,
    saying: Option<Saying>,
}

/// Answers a call. A tool that fails is an answer too; an error of the protocol is only a tool that is not there, or a call
/// that was called off.
pub(super) async fn call(
    server: &Server,
    request: CallToolRequestParams,
    context: RequestContext<RoleServer>,
) -> Result<CallToolResult, ErrorData> {
    let tool = Tool::named(&request.name).ok_or_else(|| unknown(&request.name))?;
    let mut input = request.arguments.unwrap_or_default();
    let root = input.remove("root");
    let (counted, stop) = server.shared.running.begin(tool.effect == Effect::Writes);
    let clients = server.roots(&context.peer).await;
    let permit = match tool.effect {
        // What looks is bound by the processors; more at once would only wait for each other.
        Effect::Reads | Effect::Proposes => tokio::select! {
            permit = server.shared.turns.clone().acquire_owned() => permit.ok(),
            () = context.ct.cancelled() => return Err(called_off()),
        },
        Effect::Writes | Effect::Runs => None,
    };
    let told = context.meta.get_progress_token().map(|token| telling::progress(context.peer.clone(), token));
    let (progress, saying) = told.map_or((None, None), |told| (Some(told.progress), Some(told.saying)));
    let conversation = server.conversation.id.clone();
    let work = Work { tool, root, input, clients, conversation, stop: stop.clone(), progress, saying };
    let shared = server.shared.clone();
    let mut running = tokio::task::spawn_blocking(move || {
        let _held = (counted, permit);
        // What a tool breaks is its own call's; nothing is shared that could be half changed.
        catch_unwind(AssertUnwindSafe(|| run(work, &shared))).unwrap_or_else(|_| (Err(bug()), Vec::new()))
    });
    let ran = tokio::select! {
        ran = &mut running => ran,
        () = context.ct.cancelled() => {
            stop.store(true, Ordering::Relaxed);
            running.await
        }
    };
    let (outcome, warnings) = ran.unwrap_or_else(|_| (Err(bug()), Vec::new()));
    for warning in warnings {
        server.warn_once(&context.peer, warning).await;
    }
    let ok = outcome.is_ok();
    let result = match outcome {
        Ok(answer) => answered(answer),
        Err(error) => failed(&error),
    };
    let bytes = result.content.first().and_then(ContentBlock::as_text).map_or(0, |text| text.text.len());
    server.conversation.count(tool.name, bytes);
    let word = if ok { "answered" } else { "failed" };
    server.conversation.level.info(&context.peer, format!("{} {word}: {bytes} bytes", tool.name)).await;
    if ok {
        server.after(tool.effect, &context.peer).await;
    }
    Ok(result)
}

fn run(work: Work, shared: &Shared) -> (Result<Answer, ToolError>, Vec<String>) {
    let Work { tool, root, input, clients, conversation, stop, progress, saying } = work;
    let session = shared
        .workspaces
        .root_of(root.as_ref(), &input, &clients)
        .and_then(|root| shared.workspaces.session(root, &conversation, stop));
    let (mut session, mut warnings) = match session {
        Ok(found) => found,
        Err(error) => return (Err(error), Vec::new()),
    };
    // The files that a tool is about to look at are those of one side of a commit.
    let writing = shared.running.begin(true);
    match recover_first(&session) {
        Ok(report) if report.recovered.is_empty() => {}
        Ok(report) => warnings.push(report.to_string().trim_end().to_owned()),
        Err(error) => warnings.push(error.to_string()),
    }
    drop(writing);
    session.progress = progress;
    session.saying = saying;
    (tool.run(Value::Object(input), &session), warnings)
}

fn answered(answer: Answer) -> CallToolResult {
    let mut result = CallToolResult::success(vec![ContentBlock::text(cut(answer.text))]);
    result.structured_content = Some(answer.json);
    result
}

fn failed(error: &ToolError) -> CallToolResult {
    let mut words = format!("{}: {}", error.kind.as_str(), error.message);
    if let Some(hint) = &error.hint {
        words.push('\n');
        words.push_str(hint);
    }
    for (key, value) in &error.more {
        let list: Vec<&str> = value.as_array().into_iter().flatten().filter_map(Value::as_str).collect();
        // What the words say already is not said twice.
        if !list.is_empty() && !list.iter().all(|one| words.contains(one)) {
            words.push_str(&format!("\n{}: {}", key.replace('_', " "), list.join(", ")));
        }
    }
    let mut result = CallToolResult::error(vec![ContentBlock::text(cut(words))]);
    result.structured_content = Some(json!({ "error": error }));
    result
}

/// A text that an agent can read, the whole lines of it that fit.
fn cut(mut text: String) -> String {
    if text.len() <= MAX_TEXT {
        return text;
    }
    let whole = text.len();
    let mut end = MAX_TEXT;
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    // A single long line is cut anywhere.
    let end = text[..end].rfind('\n').map_or(end, |line| line + 1);
    text.truncate(end);
    text.push_str(&format!("… {} of {whole} bytes shown; ask about less\n", end));
    text
}

fn unknown(name: &str) -> ErrorData {
    let names = || TOOLS.iter().map(|tool| tool.name);
    let hint = match nearest(name, names()) {
        Some(nearest) => format!("did you mean `{nearest}`?"),
        None => format!("there are: {}", names().collect::<Vec<_>>().join(", ")),
    };
    ErrorData::invalid_params(format!("there is no tool `{name}`; {hint}"), None)
}

fn called_off() -> ErrorData {
    ErrorData::internal_error("called off, as asked", None)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_text_is_cut_between_lines() {
        let short = "a\n".repeat(10);
        assert_eq!(cut(short.clone()), short);
        let long = cut(format!("{}\n", "é".repeat(50)).repeat(2000));
        assert!(long.len() < MAX_TEXT + 200 && long.contains("é\n… 99990 of 202000 bytes shown"), "{}", long.len());
        assert!(cut("é".repeat(MAX_TEXT)).contains("é… 100000 of"));
    }

    #[test]
    fn an_error_says_its_kind_hint_and_candidates() {
        let error = ToolError::bad_input("`x` is two things").hint("say which").with("candidates", ["a.x", "b.x"]);
        let result = failed(&error);
        let text = result.content[0].as_text().unwrap().text.clone();
        assert_eq!(text, "bad_input: `x` is two things\nsay which\ncandidates: a.x, b.x");
        assert_eq!(result.structured_content.unwrap()["error"]["candidates"][1], "b.x");
        assert_eq!(result.is_error, Some(true));
    }

    #[test]
    fn calls_are_counted_until_they_end() {
        let running = Running::default();
        let (first, stop) = running.begin(false);
        let (second, _) = running.begin(false);
        drop(first);
        assert!(running.any());
        running.stop_all();
        assert!(!stop.load(Ordering::Relaxed), "it had ended");
        drop(second);
        assert!(!running.any());
        running.wait_for_writers();
    }
}
