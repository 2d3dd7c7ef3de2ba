//! The conversation with an adapter, as a state machine without a process, a clock or a thread.
//!
//! There may be several lines to one adapter: one that starts children for the program asks for a line to each. Whatever
//! comes on any of them is one ordered log, and the last stop says which line is asked.

mod table;

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::{Value, json};

pub(crate) use table::Table;

use crate::ring::Ring;

/// How much of what the adapter says beside the program's output is kept, in bytes.
const CONSOLE: usize = 16 * 1024;

/// What Node writes because it is debugged.
const OF_THE_DEBUGGER: [&str; 2] = ["Debugger attached.", "Waiting for the debugger to disconnect..."];

/// A request that waits for its answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Ticket(u64);

/// Why a request has no answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Failure {
    /// The adapter refuses.
    Refused(String),
    /// The line is closed.
    Gone(String),
}

/// What is to be done.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Action {
    /// Send a message.
    Send(usize, Value),
    /// Tell whoever waits.
    Answer(Ticket, Result<Value, Failure>),
    /// Open another line for a child, and start it by this request with these arguments.
    Child(String, Value),
}

/// Where the program is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Run {
    /// It is being started.
    Starting,
    /// It runs.
    Running,
    /// It stands still.
    Stopped,
    /// It ended.
    Over,
}

/// A stop, as the adapter told of it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Halt {
    /// Which stop of the session it is, from 1.
    pub(crate) number: u64,
    /// The line on which it was told.
    pub(crate) line: usize,
    /// The thread.
    pub(crate) thread: i64,
    /// The protocol's word for the reason.
    pub(crate) reason: String,
    /// The adapter's words.
    pub(crate) description: String,
    /// More of them: the text of an exception.
    pub(crate) text: String,
    /// The breakpoints that were hit, by our numbers.
    pub(crate) hit: Vec<u64>,
    /// Whether it is at a breakpoint that was set for the way to a line.
    pub(crate) arrived: bool,
}

/// How the program ended.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct End {
    /// Its exit code.
    pub(crate) code: Option<i64>,
    /// Who told it.
    pub(crate) from: Option<&'static str>,
}

/// One connection.
#[derive(Debug, Default)]
struct Line {
    sequence: i64,
    pending: BTreeMap<i64, Ticket>,
    capabilities: Value,
    initialized: bool,
    over: bool,
    gone: Option<String>,
}

/// The state of a conversation.
#[derive(Debug)]
pub(crate) struct Session {
    lines: Vec<Line>,
    next_ticket: u64,
    run: Run,
    halt: Halt,
    stops: u64,
    /// How many `continued` events may still come because of what we asked.
    expected: u32,
    end: End,
    process: Option<u32>,
    actions: Vec<Action>,
    /// What the program wrote.
    pub(crate) output: Ring,
    /// What the adapter says beside that.
    pub(crate) console: String,
    /// The breakpoints.
    pub(crate) table: Table,
}

impl Session {
    /// A conversation on one line.
    pub(crate) fn new() -> Session {
        Session {
            lines: vec![Line::default()],
            next_ticket: 0,
            run: Run::Starting,
            halt: Halt::default(),
            stops: 0,
            expected: 0,
            end: End::default(),
            process: None,
            actions: Vec::new(),
            output: Ring::default(),
            console: String::new(),
            table: Table::default(),
        }
    }

    /// What is to be done since the last call.
    pub(crate) fn drain(&mut self) -> Vec<Action> {
        std::mem::take(&mut self.actions)
    }

    /// One more line; its number.
    pub(crate) fn open(&mut self) -> usize {
        self.lines.push(Line::default());
        self.lines.len() - 1
    }

    /// Makes a request.
    pub(crate) fn ask(&mut self, line: usize, command: &str, arguments: &Value) -> Ticket {
        let ticket = Ticket(self.next_ticket);
        self.next_ticket += 1;
        if let Some(why) = &self.lines[line].gone {
            self.actions.push(Action::Answer(ticket, Err(Failure::Gone(why.clone()))));
            return ticket;
        }
        let mut message = json!({"type": "request", "command": command});
        if !arguments.is_null() {
            message["arguments"] = arguments.clone();
        }
        let sequence = self.send(line, message);
        self.lines[line].pending.insert(sequence, ticket);
        ticket
    }

    fn send(&mut self, line: usize, mut message: Value) -> i64 {
        let it = &mut self.lines[line];
        it.sequence += 1;
        let sequence = it.sequence;
        message["seq"] = sequence.into();
        self.actions.push(Action::Send(line, message));
        sequence
    }

    /// The program goes on from its stop, if it still stands at that one.
    pub(crate) fn resume(&mut self, number: u64) -> bool {
        if self.run != Run::Stopped || self.stops != number {
            return false;
        }
        self.run = Run::Running;
        self.expected += 1;
        true
    }

    /// The program did not go on, because the adapter refused.
    pub(crate) fn stays(&mut self, number: u64) {
        if self.run == Run::Running && self.stops == number {
            self.run = Run::Stopped;
            self.expected = self.expected.saturating_sub(1);
        }
    }

    /// Everything that had to be said before the program runs is said.
    pub(crate) fn started(&mut self) {
        if self.run == Run::Starting {
            self.run = Run::Running;
        }
    }

    /// Where the program is.
    pub(crate) fn run(&self) -> Run {
        self.run
    }

    /// The last stop.
    pub(crate) fn halt(&self) -> &Halt {
        &self.halt
    }

    /// How many stops there were.
    pub(crate) fn stops(&self) -> u64 {
        self.stops
    }

    /// How the program ended.
    pub(crate) fn end(&self) -> &End {
        &self.end
    }

    /// The program's process.
    pub(crate) fn process(&self) -> Option<u32> {
        self.process
    }

    /// Whether the adapter can do an optional thing.
    pub(crate) fn can(&self, line: usize, what: &str) -> bool {
        self.lines[line].capabilities[what] == true
    }

    /// The exception filters of the adapter.
    pub(crate) fn filters(&self, line: usize) -> Vec<String> {
        let filters = self.lines[line].capabilities["exceptionBreakpointFilters"].as_array();
        let names = filters.into_iter().flatten().filter_map(|filter| filter["filter"].as_str());
        names.map(str::to_owned).collect()
    }

    /// Whether the adapter waits to be told of breakpoints.
    pub(crate) fn is_initialized(&self, line: usize) -> bool {
        self.lines[line].initialized
    }

    /// Whether everything on this line is over.
    pub(crate) fn is_over(&self, line: usize) -> bool {
        self.lines[line].over || self.lines[line].gone.is_some()
    }

    /// The stop is at this place: for adapters that do not say which breakpoint it was.
    pub(crate) fn found_at(&mut self, file: &Path, line: usize) {
        if self.table.is_visited(file, line) {
            self.halt.arrived = true;
        } else if let Some(id) = self.table.hit_at(file, line) {
            self.halt.hit.push(id);
        }
    }

    /// What the adapter said beside everything else of conditions that cannot be evaluated.
    pub(crate) fn read_condition_errors(&mut self) {
        let Some((_, told)) = self.console.rsplit_once("evaluating condition of breakpoint") else { return };
        let told = told.trim_start_matches(|c: char| c.is_ascii_digit() || matches!(c, ' ' | '.' | ':'));
        let why: String =
            told.lines().map(str::trim).filter(|line| !line.is_empty()).take(3).collect::<Vec<_>>().join(" ");
        for id in self.halt.hit.clone() {
            if let Some(row) = self.table.row(id).filter(|row| row.spot.condition.is_some()) {
                row.condition_error = Some(why.clone());
            }
        }
        self.console.clear();
    }

    /// Whether the adapter told of the end on this line.
    pub(crate) fn is_terminated(&self, line: usize) -> bool {
        self.lines[line].over
    }

    /// The last stop is none that counts; the program is to go on.
    pub(crate) fn forget_stop(&mut self) {
        self.stops = self.stops.saturating_sub(1);
        self.run = Run::Running;
        self.expected += 1;
    }

    /// How many lines there are.
    pub(crate) fn lines(&self) -> usize {
        self.lines.len()
    }

    /// Why a line is closed, if it is.
    pub(crate) fn gone(&self, line: usize) -> Option<&str> {
        self.lines[line].gone.as_deref()
    }

    /// A line is closed: whoever waits on it hears so.
    pub(crate) fn close(&mut self, line: usize, why: &str) {
        let it = &mut self.lines[line];
        it.gone.get_or_insert_with(|| why.to_owned());
        for ticket in std::mem::take(&mut it.pending).into_values() {
            self.actions.push(Action::Answer(ticket, Err(Failure::Gone(why.to_owned()))));
        }
        if line == 0 || line == self.main() {
            self.run = Run::Over;
        }
    }

    /// The line of the program: the first child's, where there are any.
    pub(crate) fn main(&self) -> usize {
        usize::from(self.lines.len() > 1)
    }

    /// What the program wrote, where that does not come by events.
    pub(crate) fn wrote(&mut self, bytes: &[u8]) {
        self.output.push(bytes);
    }

    /// Reads a message of the adapter. What cannot be read is no reason to give up.
    pub(crate) fn receive(&mut self, line: usize, body: &[u8]) {
        let Ok(message) = serde_json::from_slice::<Value>(body) else {
            return self.say("a message is no JSON");
        };
        match message["type"].as_str() {
            Some("response") => self.answered(line, &message),
            Some("event") => self.told(line, message["event"].as_str().unwrap_or_default(), &message["body"]),
            Some("request") => self.asked(line, &message),
            _ => self.say("a message has no type"),
        }
    }

    fn say(&mut self, text: &str) {
        self.console.push_str(text);
        if !text.ends_with('\n') {
            self.console.push('\n');
        }
        let mut excess = self.console.len().saturating_sub(CONSOLE);
        while !self.console.is_char_boundary(excess) {
            excess += 1;
        }
        self.console.drain(..excess);
    }

    fn answered(&mut self, line: usize, message: &Value) {
        let request = message["request_seq"].as_i64().unwrap_or(-1);
        let Some(ticket) = self.lines[line].pending.remove(&request) else { return };
        let body = &message["body"];
        if message["success"] == true {
            if message["command"] == "initialize" {
                self.lines[line].capabilities = body.clone();
            }
            self.actions.push(Action::Answer(ticket, Ok(body.clone())));
        } else {
            self.actions.push(Action::Answer(ticket, Err(Failure::Refused(refusal(message)))));
        }
    }

    fn asked(&mut self, line: usize, message: &Value) {
        let command = message["command"].as_str().unwrap_or_default();
        let child = command == "startDebugging";
        let mut response = json!({
            "type": "response",
            "request_seq": message["seq"],
            "command": command,
            "success": child,
        });
        if child {
            let arguments = &message["arguments"];
            let request = arguments["request"].as_str().unwrap_or("launch").to_owned();
            self.actions.push(Action::Child(request, arguments["configuration"].clone()));
        } else {
            response["message"] = "this client does not do that".into();
        }
        self.send(line, response);
    }

    fn told(&mut self, line: usize, event: &str, body: &Value) {
        match event {
            "initialized" => self.lines[line].initialized = true,
            "stopped" => self.stopped(line, body),
            "continued" => self.continued(line),
            "output" => self.wrote_event(body),
            "breakpoint" => self.table.told(line, &body["breakpoint"]),
            "process" => self.process = body["systemProcessId"].as_u64().and_then(|id| u32::try_from(id).ok()),
            "capabilities" => {
                if let (Some(new), Some(known)) =
                    (body["capabilities"].as_object(), self.lines[line].capabilities.as_object_mut())
                {
                    known.extend(new.clone());
                }
            }
            "exited" => {
                self.end = End { code: body["exitCode"].as_i64(), from: Some("adapter") };
                self.run = Run::Over;
            }
            "terminated" => {
                self.lines[line].over = true;
                if line == self.main() || line == 0 {
                    self.run = Run::Over;
                }
            }
            _ => {}
        }
    }

    fn stopped(&mut self, line: usize, body: &Value) {
        if self.run == Run::Over {
            return;
        }
        self.stops += 1;
        self.run = Run::Stopped;
        let text = |key: &str| body[key].as_str().unwrap_or_default().to_owned();
        let ids = body["hitBreakpointIds"].as_array().into_iter().flatten().filter_map(Value::as_i64);
        let (hit, arrived) = self.table.hit(line, ids);
        self.halt = Halt {
            number: self.stops,
            line,
            // Some say which thread only where there are several.
            thread: body["threadId"].as_i64().unwrap_or(self.halt.thread),
            reason: text("reason"),
            description: text("description"),
            text: text("text"),
            hit,
            arrived,
        };
    }

    /// The event may come before the stop that ends what we asked for, or behind it: then it says nothing new.
    fn continued(&mut self, line: usize) {
        if self.expected > 0 {
            self.expected -= 1;
        } else if self.run == Run::Stopped && self.halt.line == line {
            self.run = Run::Running;
        }
    }

    fn wrote_event(&mut self, body: &Value) {
        let text = body["output"].as_str().unwrap_or_default();
        match body["category"].as_str() {
            // What the runtime says of being debugged is no output of the program.
            Some("stderr") if OF_THE_DEBUGGER.contains(&text.trim_end()) => {}
            Some("stdout" | "stderr") => self.output.push(text.as_bytes()),
            Some("telemetry") => {}
            _ => {
                self.say(text);
                // The only place where some adapters tell the exit code.
                let status = text.split("has exited with status ").nth(1);
                let digits: String =
                    status.unwrap_or_default().chars().take_while(|c| c.is_ascii_digit() || *c == '-').collect();
                if let Ok(code) = digits.parse() {
                    self.end = End { code: Some(code), from: Some("console") };
                }
            }
        }
    }
}

/// Why an adapter refuses: in its message, or in the form of the error, with its variables put in.
fn refusal(message: &Value) -> String {
    let error = &message["body"]["error"];
    let mut format = error["format"].as_str().unwrap_or_default().to_owned();
    for (name, value) in error["variables"].as_object().into_iter().flatten() {
        format = format.replace(&format!("{{{name}}}"), value.as_str().unwrap_or_default());
    }
    match message["message"].as_str().filter(|text| !text.is_empty()) {
        Some(text) if format.is_empty() || format.contains(text) && format.len() < text.len() => text.to_owned(),
        Some(text) if format.is_empty() => text.to_owned(),
        None if format.is_empty() => "no reason was given".to_owned(),
        _ => format,
    }
}

#[cfg(test)]
mod tests;
