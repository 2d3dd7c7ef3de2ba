use std::path::Path;

use serde_json::{Value, json};

use super::*;
use crate::session::published::Freshness;

fn ms(ms: u64) -> Duration {
    Duration::from_millis(ms)
}

/// A session whose time and server are played by the test.
struct Play {
    session: Session,
    now: Duration,
    answers: Vec<(Ticket, Result<Value, Failure>)>,
    restarts: Vec<String>,
    started: Option<Result<(), Failure>>,
}

fn opening(ready: ReadyRule) -> Opening {
    Opening {
        server: "fake".into(),
        root: "/r".into(),
        process: 7,
        settings: json!({"python": {"analysis": {"mode": "open"}, "path": "x"}, "other": 1}),
        extensions: vec![".txt".into()],
        init_options: json!({"a": 1}),
        ready,
        fatal_logs: vec!["[tsserver] Exited".into()],
        check_progress: None,
        start: ms(60_000),
    }
}

impl Play {
    /// One that has begun, with a server that can this.
    fn of(ready: ReadyRule, capabilities: Value) -> Play {
        let mut play = Play {
            session: Session::new(opening(ready)),
            now: Duration::ZERO,
            answers: vec![],
            restarts: vec![],
            started: None,
        };
        play.session.initialize(play.now);
        let sent = play.sent();
        assert_eq!(sent[0]["method"], "initialize");
        play.hear(json!({"id": sent[0]["id"], "result": {"capabilities": capabilities}}));
        assert_eq!(play.started, None);
        let sent = play.sent();
        assert_eq!(play.started, Some(Ok(())));
        assert_eq!(methods(&sent), ["initialized", "workspace/didChangeConfiguration"]);
        assert_eq!(sent[0], json!({"jsonrpc": "2.0", "method": "initialized", "params": {}}));
        play
    }

    fn hear(&mut self, message: Value) {
        self.session.receive(message.to_string().as_bytes(), self.now);
    }

    fn pass(&mut self, time: u64) {
        self.now += ms(time);
        self.session.tick(self.now);
    }

    /// What was sent since the last call.
    fn sent(&mut self) -> Vec<Value> {
        let mut sent = Vec::new();
        for action in self.session.drain() {
            match action {
                Action::Send(message) => sent.push(message),
                Action::Answer(ticket, result) => self.answers.push((ticket, result)),
                Action::Started(result) => self.started = Some(result),
                Action::Restart(why) => self.restarts.push(why),
                Action::Log(_) => {}
            }
        }
        sent
    }

    fn ask(&mut self, method: &str, allowed: u64, again: bool) -> (Ticket, Value) {
        let asking = Asking { until: self.now + ms(allowed), again };
        let ticket = self.session.ask(method, json!({}), asking, self.now);
        (ticket, self.sent().pop().unwrap())
    }

    fn sync(&mut self, path: &str, text: &str) -> Vec<Value> {
        self.session.sync(Path::new(path), "python", text.as_bytes()).unwrap();
        self.sent()
    }

    fn publish(&mut self, version: Value, messages: &[&str]) {
        let items: Vec<Value> = messages.iter().map(|message| json!({"message": message})).collect();
        let params = json!({"uri": "file:///r/a.py", "version": version, "diagnostics": items});
        self.hear(json!({"method": "textDocument/publishDiagnostics", "params": params}));
    }

    fn freshness(&self) -> Freshness {
        self.session.published.freshness(Path::new("/r/a.py"), self.now)
    }

    fn phase(&self) -> Phase {
        self.session.readiness.phase(self.now)
    }
}

fn methods(messages: &[Value]) -> Vec<&str> {
    messages.iter().map(|message| message["method"].as_str().unwrap_or("answer")).collect()
}

fn fresh(messages: &[&str]) -> Freshness {
    Freshness::Fresh(messages.iter().map(|message| json!({"message": message})).collect())
}

fn full() -> Value {
    json!({"textDocumentSync": 1})
}

#[test]
fn a_text_is_sent_once_and_its_version_only_rises() {
    let mut play = Play::of(ReadyRule::None, json!({"textDocumentSync": {"change": 2, "save": true}}));
    let opened = play.sync("/r/a.py", "\u{FEFF}x = 1\n");
    assert_eq!(
        opened[0]["params"]["textDocument"],
        json!({"uri": "file:///r/a.py", "languageId": "python", "version": 1, "text": "x = 1\n"})
    );
    assert_eq!(play.sync("/r/a.py", "\u{FEFF}x = 1\n"), [Value::Null; 0]);
    let changed = play.sync("/r/a.py", "x = 2\n");
    assert_eq!(methods(&changed), ["textDocument/didChange", "textDocument/didSave"]);
    assert_eq!(changed[0]["params"]["textDocument"]["version"], 2);
    assert_eq!(changed[0]["params"]["contentChanges"], json!([{"text": "x = 2\n"}]));
    assert_eq!(changed[1]["params"], json!({"textDocument": {"uri": "file:///r/a.py"}}));
    play.session.close(Path::new("/r/a.py"));
    assert_eq!(methods(&play.sent()), ["textDocument/didClose"]);
    assert_eq!(play.sync("/r/a.py", "x = 2\n")[0]["params"]["textDocument"]["version"], 3);
    let refused = play.session.sync(Path::new("/r/b.py"), "python", b"caf\xE9");
    assert!(refused.is_err() && play.sent().is_empty());
}

#[test]
fn a_server_that_takes_no_changes_is_opened_anew_and_the_oldest_is_closed() {
    let mut play = Play::of(ReadyRule::None, json!({}));
    play.sync("/r/a.py", "1");
    assert_eq!(methods(&play.sync("/r/a.py", "2")), ["textDocument/didClose", "textDocument/didOpen"]);
    for at in 0..documents::MOST_OPEN - 1 {
        assert_eq!(methods(&play.sync(&format!("/r/{at}.py"), "")), ["textDocument/didOpen"]);
    }
    play.sync("/r/a.py", "2");
    let sent = play.sync("/r/last.py", "");
    assert_eq!(methods(&sent), ["textDocument/didOpen", "textDocument/didClose"]);
    assert_eq!(sent[1]["params"]["textDocument"]["uri"], "file:///r/0.py");
    assert_eq!(play.session.documents.paths().len(), documents::MOST_OPEN);
}

#[test]
fn files_that_changed_are_one_message_and_only_what_was_asked_for() {
    let mut play = Play::of(ReadyRule::None, full());
    let changes =
        [("/r/a.py", FileChange::Changed), ("/r/b.txt", FileChange::Created), ("/r/c.py", FileChange::Deleted)]
            .map(|(path, change)| (PathBuf::from(path), change));
    play.session.files_changed(&changes);
    assert_eq!(play.sent()[0]["params"]["changes"], json!([{"uri": "file:///r/b.txt", "type": 1}]));
    play.hear(json!({"id": "ts1", "method": "client/registerCapability", "params": {"registrations": [
        {"id": "w", "method": "workspace/didChangeWatchedFiles", "registerOptions": {"watchers": [{"globPattern": "**/*.py"}]}},
    ]}}));
    assert_eq!(play.sent(), [json!({"jsonrpc": "2.0", "id": "ts1", "result": null})]);
    play.session.files_changed(&changes);
    let sent = play.sent();
    assert_eq!(methods(&sent), ["workspace/didChangeWatchedFiles"]);
    assert_eq!(
        sent[0]["params"]["changes"],
        json!([{"uri": "file:///r/a.py", "type": 2}, {"uri": "file:///r/c.py", "type": 3}])
    );
    play.hear(json!({"id": 0, "method": "client/unregisterCapability", "params": {"unregisterations": [{"id": "w"}]}}));
    assert_eq!(play.sent(), [json!({"jsonrpc": "2.0", "id": 0, "result": null})]);
}

#[test]
fn every_request_of_a_server_is_answered() {
    let mut play = Play::of(ReadyRule::None, full());
    let root = json!([{"uri": "file:///r", "name": "r"}]);
    let refused = |why: &str| json!({"applied": false, "failureReason": why});
    for (method, params, result) in [
        (
            "workspace/configuration",
            json!({"items": [
                {"section": "python.analysis", "scopeUri": "file:///r/a.py"}, {"section": "unknown.x"}, {"section": "other"},
            ]}),
            json!([{"mode": "open"}, null, 1]),
        ),
        ("window/workDoneProgress/create", json!({"token": 3}), Value::Null),
        ("workspace/workspaceFolders", Value::Null, root),
        ("workspace/applyEdit", json!({"edit": {}}), refused("no command of this client is running")),
        ("window/showMessageRequest", json!({"message": "x", "actions": [{"title": "y"}]}), Value::Null),
        ("window/showDocument", json!({"uri": "x"}), json!({"success": false})),
        ("workspace/diagnostic/refresh", Value::Null, Value::Null),
        ("workspace/inlayHint/refresh", Value::Null, Value::Null),
    ] {
        play.hear(json!({"id": 1, "method": method, "params": params}));
        assert_eq!(play.sent(), [json!({"jsonrpc": "2.0", "id": 1, "result": result})], "{method}");
    }
    assert_eq!(play.session.published.refreshes(), 1);
    play.hear(json!({"id": 2, "method": "window/unheardOf"}));
    assert_eq!(play.sent()[0]["error"]["code"], -32601);
    play.session.collect_edits();
    play.hear(json!({"id": 4, "method": "workspace/applyEdit", "params": {"edit": {"changes": {}}}}));
    assert_eq!(play.sent()[0]["result"], refused("the change is prepared for review"));
    assert_eq!(play.session.collected_edits(), [json!({"changes": {}})]);
    play.hear(json!("no message"));
    assert!(play.sent().is_empty());
}

#[test]
fn a_request_of_the_server_may_bear_the_number_of_ours() {
    let mut play = Play::of(ReadyRule::None, full());
    let (ticket, request) = play.ask("textDocument/hover", 30_000, true);
    play.hear(json!({"id": request["id"], "method": "workspace/configuration", "params": {"items": []}}));
    assert_eq!(play.sent()[0]["result"], json!([]));
    assert!(play.answers.is_empty());
    play.hear(json!({"id": request["id"].to_string(), "result": {"contents": "x"}}));
    play.sent();
    assert_eq!(play.answers, [(ticket, Ok(json!({"contents": "x"})))]);
}

#[test]
fn what_takes_too_long_is_called_off_and_the_server_is_kept() {
    let mut play = Play::of(ReadyRule::None, full());
    let (ticket, request) = play.ask("textDocument/prepareCallHierarchy", 1000, true);
    assert_eq!(play.session.deadline(), Some(play.now + ms(1000)));
    play.pass(999);
    assert!(play.sent().is_empty());
    play.pass(1);
    let sent = play.sent();
    assert_eq!(sent, [json!({"jsonrpc": "2.0", "method": "$/cancelRequest", "params": {"id": request["id"]}})]);
    assert_eq!(play.answers, [(ticket, Err(Failure::TimedOut(ms(1000))))]);
    // The late answer is nobody's.
    play.hear(json!({"id": request["id"], "result": []}));
    let (hover, request) = play.ask("textDocument/hover", 1000, true);
    play.hear(json!({"id": request["id"], "result": null}));
    play.sent();
    assert_eq!(play.answers[1..], [(hover, Ok(Value::Null))]);
    assert!(play.restarts.is_empty());
    for _ in 0..2 {
        play.ask("textDocument/hover", 1000, true);
        play.pass(1000);
        play.sent();
    }
    assert_eq!(play.restarts, ["2 requests in a row had no answer"]);
}

#[test]
fn a_question_that_nobody_waits_for_is_called_off() {
    let mut play = Play::of(ReadyRule::None, full());
    let (ticket, request) = play.ask("textDocument/hover", 1000, true);
    play.session.cancel(ticket);
    assert_eq!(play.sent()[0]["params"], json!({"id": request["id"]}));
    play.session.cancel(ticket);
    play.pass(2000);
    assert!(play.sent().is_empty() && play.answers.is_empty());
    assert_eq!(play.session.waiting(), 0);
}

#[test]
fn a_text_that_changed_meanwhile_is_asked_about_again_but_no_change_is() {
    let modified =
        |id: &Value, code: i64, data: Value| json!({"id": id, "error": {"code": code, "message": "m", "data": data}});
    let mut play = Play::of(ReadyRule::None, full());
    let (ticket, request) = play.ask("textDocument/references", 30_000, true);
    play.hear(modified(&request["id"], -32801, Value::Null));
    assert!(play.sent().is_empty() && play.answers.is_empty());
    play.pass(199);
    assert!(play.sent().is_empty());
    play.pass(1);
    let second = play.sent().pop().unwrap();
    assert_eq!(second["method"], "textDocument/references");
    play.hear(modified(&second["id"], -32802, json!({"retriggerRequest": true})));
    play.pass(400);
    let third = play.sent().pop().unwrap();
    play.hear(json!({"id": third["id"], "result": [1]}));
    play.sent();
    assert_eq!(play.answers, [(ticket, Ok(json!([1])))]);

    for (method, again, code, data) in [
        ("textDocument/rename", false, -32801, Value::Null),
        ("textDocument/diagnostic", true, -32802, json!({"retriggerRequest": false})),
        ("textDocument/hover", true, -32603, Value::Null),
    ] {
        play.answers.clear();
        let (ticket, request) = play.ask(method, 30_000, again);
        play.hear(modified(&request["id"], code, data));
        play.sent();
        assert!(matches!(&play.answers[..], [(of, Err(Failure::Refused(_)))] if *of == ticket), "{method}");
    }
    // It ends with the time that was allowed.
    play.answers.clear();
    let (_, request) = play.ask("textDocument/hover", 100, true);
    play.hear(modified(&request["id"], -32801, Value::Null));
    play.sent();
    assert_eq!(play.answers.len(), 1);
}

#[test]
fn goodbye_has_no_params_and_everything_is_granted_meanwhile() {
    let mut play = Play::of(ReadyRule::None, full());
    play.session.shutdown(ms(2000), play.now);
    let shutdown = play.sent().pop().unwrap();
    assert_eq!(shutdown, json!({"jsonrpc": "2.0", "id": shutdown["id"], "method": "shutdown"}));
    play.hear(json!({"id": 9, "method": "client/registerCapability", "params": {"registrations": []}}));
    play.hear(json!({"id": 10, "method": "what/ever"}));
    assert!(play.sent().iter().all(|answer| answer["result"].is_null() && answer.get("error").is_none()));
    play.hear(json!({"id": shutdown["id"], "result": null}));
    assert_eq!(play.sent(), [json!({"jsonrpc": "2.0", "method": "exit"})]);
    assert!(play.session.is_stopped());

    let mut deaf = Play::of(ReadyRule::None, full());
    deaf.session.shutdown(ms(2000), deaf.now);
    deaf.pass(2000);
    assert_eq!(methods(&deaf.sent())[1..], ["$/cancelRequest", "exit"]);
}

#[test]
fn who_waits_hears_that_the_server_is_gone() {
    let mut play = Play::of(ReadyRule::None, full());
    let (ticket, _) = play.ask("textDocument/hover", 30_000, true);
    play.session.end("it ended", play.now);
    play.sent();
    assert_eq!(play.answers, [(ticket, Err(Failure::Gone("it ended".into())))]);

    let mut session = Session::new(opening(ReadyRule::None));
    session.initialize(ms(0));
    session.tick(ms(60_000));
    let last = session.drain().pop();
    assert_eq!(last, Some(Action::Started(Err(Failure::TimedOut(ms(60_000))))));
}

#[test]
fn diagnostics_are_pulled_while_they_are_offered_and_never_else() {
    let mut play = Play::of(ReadyRule::None, full());
    let method = "textDocument/diagnostic";
    assert!(!play.session.capabilities.supports(method));
    play.hear(json!({"id": 1, "method": "client/registerCapability", "params": {"registrations": [
        {"id": "d", "method": method, "registerOptions": {"identifier": "pyright"}},
    ]}}));
    let identifiers: Vec<_> = play.session.capabilities.options(method).map(|o| o["identifier"].clone()).collect();
    assert_eq!(identifiers, ["pyright"]);
    play.hear(json!({"id": 2, "method": "client/unregisterCapability", "params": {"unregisterations": [{"id": "d"}]}}));
    assert!(!play.session.capabilities.supports(method));
}

#[test]
fn a_versioned_set_counts_for_its_version_once_it_is_settled() {
    let mut play = Play::of(ReadyRule::None, full());
    play.sync("/r/a.py", "1");
    assert_eq!(play.freshness(), Freshness::Nothing);
    play.publish(json!(1), &["a"]);
    assert_eq!(play.freshness(), Freshness::Settling(play.now + ms(250)));
    play.now += ms(100);
    play.publish(json!(1), &["a", "b"]);
    play.now += ms(250);
    assert_eq!(play.freshness(), fresh(&["a", "b"]));
    play.sync("/r/a.py", "2");
    play.publish(json!(1), &["a", "b", "c"]);
    play.now += ms(250);
    assert_eq!(play.freshness(), Freshness::Nothing, "it is about the text before");
    play.publish(json!(2), &["a", "b", "c"]);
    play.now += ms(250);
    assert_eq!(play.freshness(), fresh(&["a", "b", "c"]));
}

#[test]
fn a_set_without_a_version_that_equals_the_one_before_is_not_fresh() {
    let mut play = Play::of(ReadyRule::None, full());
    play.sync("/r/a.py", "1");
    play.publish(Value::Null, &["old"]);
    play.now += ms(250);
    assert_eq!(play.freshness(), fresh(&["old"]));
    play.sync("/r/a.py", "2");
    play.publish(Value::Null, &["old"]);
    play.now += ms(400);
    assert!(matches!(play.freshness(), Freshness::Unconfirmed(_)));
    play.publish(Value::Null, &["new"]);
    play.now += ms(250);
    assert_eq!(play.freshness(), fresh(&["new"]));

    // The set of the first text comes late, after the change: nothing is known to compare it with.
    let mut late = Play::of(ReadyRule::None, full());
    late.sync("/r/a.py", "1");
    late.sync("/r/a.py", "2");
    late.publish(Value::Null, &["old"]);
    late.now += ms(300);
    assert!(matches!(late.freshness(), Freshness::Unconfirmed(_)));
    late.publish(Value::Null, &["new"]);
    late.now += ms(250);
    assert_eq!(late.freshness(), fresh(&["new"]));
}

#[test]
fn the_empty_set_after_a_close_says_nothing() {
    let mut play = Play::of(ReadyRule::None, full());
    play.sync("/r/a.py", "1");
    play.publish(json!(1), &["a"]);
    play.session.close(Path::new("/r/a.py"));
    play.publish(Value::Null, &[]);
    play.now += ms(250);
    assert_eq!(play.freshness(), Freshness::Nothing);
}

#[test]
fn quiescent_from_the_beginning_says_nothing() {
    let rule = ReadyRule::Rising { method: "experimental/serverStatus".into(), field: "quiescent".into() };
    let mut play = Play::of(rule, full());
    let status = |quiescent: bool, health: &str| {
        let params = json!({"quiescent": quiescent, "health": health, "message": "no project"});
        json!({"method": "experimental/serverStatus", "params": params})
    };
    play.hear(status(true, "warning"));
    assert_eq!(play.phase(), Phase::Waiting(Some(ms(5000))));
    assert_eq!(play.session.readiness.trouble(), Some("warning: no project"));
    play.hear(status(false, "ok"));
    play.now += ms(9000);
    assert_eq!(play.phase(), Phase::Waiting(None));
    play.hear(status(true, "ok"));
    assert_eq!((play.phase(), play.session.readiness.trouble()), (Phase::Ready, None));
    play.session.readiness.prove();
    play.hear(status(false, "ok"));
    assert_eq!((play.phase(), play.session.readiness.is_proven()), (Phase::Waiting(None), false));

    let rule = ReadyRule::Rising { method: "experimental/serverStatus".into(), field: "quiescent".into() };
    let mut alone = Play::of(rule, full());
    alone.hear(status(true, "warning"));
    alone.now += ms(5000);
    assert_eq!(alone.phase(), Phase::Unknown, "a folder without a project is not waited for");
}

#[test]
fn the_end_of_all_work_of_that_title_and_not_of_another() {
    let rule = ReadyRule::Progress { starts: vec!["Initializing".into(), "index".into()], grace_ms: 1000 };
    let mut play = Play::of(rule.clone(), full());
    let progress =
        |token: Value, value: Value| json!({"method": "$/progress", "params": {"token": token, "value": value}});
    let begin = |token: Value, title: &str| progress(token, json!({"kind": "begin", "title": title}));
    let end = |token: Value| progress(token, json!({"kind": "end"}));
    play.hear(begin(json!(1), "Something else"));
    play.hear(end(json!(1)));
    assert_eq!(play.phase(), Phase::Waiting(Some(ms(1000))));
    play.hear(begin(json!("t"), "Initializing JS/TS language features…"));
    play.hear(begin(json!("index-1"), "x"));
    play.now += ms(2000);
    assert_eq!(play.session.busy_with(), ["x", "Initializing JS/TS language features…"]);
    play.hear(end(json!("t")));
    assert_eq!(play.phase(), Phase::Waiting(None));
    play.hear(end(json!("index-1")));
    assert_eq!(play.phase(), Phase::Ready);

    let mut silent = Play::of(rule, full());
    silent.now += ms(1000);
    assert_eq!(silent.phase(), Phase::Unknown);
}

#[test]
fn other_signals() {
    let value = ReadyRule::Value {
        method: "language/status".into(),
        field: "type".into(),
        values: vec!["ServiceReady".into()],
    };
    let mut play = Play::of(value, full());
    play.hear(json!({"method": "language/status", "params": {"type": "Started"}}));
    assert_eq!(play.phase(), Phase::Waiting(None));
    play.hear(json!({"method": "language/status", "params": {"type": "ServiceReady"}}));
    assert_eq!(play.phase(), Phase::Ready);

    let mut log = Play::of(ReadyRule::Log { starts: "Found ".into() }, full());
    assert_eq!(log.phase(), Phase::Waiting(Some(ms(5000))));
    log.hear(json!({"method": "window/logMessage", "params": {"type": 3, "message": "Found 9 source files"}}));
    assert_eq!(log.phase(), Phase::Unknown, "found is not read");
    assert_eq!(Play::of(ReadyRule::Immediate, full()).phase(), Phase::Ready);
    assert_eq!(Play::of(ReadyRule::None, full()).phase(), Phase::Unknown);
}

#[test]
fn a_progress_that_ends_because_the_program_behind_died_is_no_success() {
    let mut play = Play::of(ReadyRule::Progress { starts: vec!["Init".into()], grace_ms: 0 }, full());
    let progress = |value: Value| json!({"method": "$/progress", "params": {"token": 1, "value": value}});
    play.hear(progress(json!({"kind": "begin", "title": "Init"})));
    play.hear(
        json!({"method": "window/logMessage", "params": {"type": 1, "message": "[tsserver] Exited. Code: 134\nmore"}}),
    );
    play.hear(progress(json!({"kind": "end"})));
    play.sent();
    assert_eq!(play.restarts, ["[tsserver] Exited. Code: 134"]);
}
