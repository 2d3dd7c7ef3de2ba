//! Transcripts: what adapters were seen to send, in the order in which they sent it.

use std::path::{Path, PathBuf};

use super::*;
use crate::call::Spot;

/// A session that was told these messages on its first line.
fn told(messages: &[Value]) -> Session {
    let mut session = Session::new();
    tell(&mut session, 0, messages);
    session
}

fn tell(session: &mut Session, line: usize, messages: &[Value]) {
    for message in messages {
        session.receive(line, message.to_string().as_bytes());
    }
}

fn event(event: &str, body: Value) -> Value {
    json!({"seq": 1, "type": "event", "event": event, "body": body})
}

fn sent(session: &mut Session) -> Vec<Value> {
    let send = |action| if let Action::Send(_, message) = action { Some(message) } else { None };
    session.drain().into_iter().filter_map(send).collect()
}

#[test]
fn answers_find_their_request_whatever_their_order() {
    let mut session = Session::new();
    let first = session.ask(0, "threads", &Value::Null);
    let second = session.ask(0, "scopes", &json!({"frameId": 0}));
    let sent = sent(&mut session);
    assert_eq!((sent[0]["seq"].as_i64(), sent[1]["seq"].as_i64()), (Some(1), Some(2)));
    assert!(sent[0].get("arguments").is_none(), "null is no object");
    tell(
        &mut session,
        0,
        &[
            json!({"type": "response", "request_seq": 2, "success": true, "command": "scopes", "body": {"scopes": []}}),
            json!({"type": "response", "request_seq": 1, "success": false, "command": "threads",
                   "body": {"error": {"id": 1, "format": "no {what}", "variables": {"what": "process"}}}}),
            json!({"type": "response", "request_seq": 77, "success": true, "command": "x"}),
        ],
    );
    assert_eq!(
        session.drain(),
        [
            Action::Answer(second, Ok(json!({"scopes": []}))),
            Action::Answer(first, Err(Failure::Refused("no process".to_owned()))),
        ]
    );
}

#[test]
fn unknown_things_are_no_errors() {
    let mut session = told(&[
        event("debugpySockets", json!({"sockets": []})),
        event("stopped", json!({"reason": "some new reason", "threadId": 0, "x": [1]})),
        json!({"type": "surprise"}),
        json!([1]),
    ]);
    session.receive(0, b"\xff no json");
    assert_eq!((session.run(), session.halt().thread, session.stops()), (Run::Stopped, 0, 1));
    assert_eq!(session.halt().reason, "some new reason");
}

#[test]
fn a_reverse_request_is_answered_at_once() {
    let mut session = told(&[
        json!({"type": "request", "seq": 9, "command": "runInTerminal", "arguments": {"args": ["sh"]}}),
        json!({"type": "request", "seq": 10, "command": "startDebugging",
               "arguments": {"request": "launch", "configuration": {"__pendingTargetId": "t1"}}}),
    ]);
    let actions = session.drain();
    let Action::Send(0, refused) = &actions[0] else { panic!("{actions:?}") };
    assert_eq!((&refused["success"], &refused["request_seq"]), (&json!(false), &json!(9)));
    assert_eq!(actions[1], Action::Child("launch".to_owned(), json!({"__pendingTargetId": "t1"})));
    let Action::Send(0, accepted) = &actions[2] else { panic!("{actions:?}") };
    assert_eq!((&accepted["success"], &accepted["request_seq"]), (&json!(true), &json!(10)));
}

#[test]
fn continued_before_and_behind_the_stop_are_the_same() {
    let stop = event("stopped", json!({"reason": "step", "threadId": 1}));
    let continued = event("continued", json!({"threadId": 1}));
    for order in [[&continued, &stop], [&stop, &continued]] {
        let mut session = told(std::slice::from_ref(&stop));
        assert!(session.resume(1));
        assert_eq!(session.run(), Run::Running);
        order.iter().for_each(|message| tell(&mut session, 0, &[(*message).clone()]));
        assert_eq!((session.run(), session.stops()), (Run::Stopped, 2));
        // One that nobody asked for does count.
        tell(&mut session, 0, std::slice::from_ref(&continued));
        assert_eq!(session.run(), Run::Running);
    }
}

#[test]
fn nothing_is_resumed_twice_or_from_another_stop() {
    let mut session = told(&[event("stopped", json!({"reason": "pause", "threadId": 1}))]);
    assert!(!session.resume(2));
    assert!(session.resume(1));
    assert!(!session.resume(1));
    session.stays(1);
    assert_eq!(session.run(), Run::Stopped, "the adapter refused");
}

#[test]
fn the_end_is_the_first_word_of_it() {
    let session = told(&[event("exited", json!({"exitCode": 3})), event("terminated", json!({}))]);
    assert_eq!((session.run(), session.end().code, session.end().from), (Run::Over, Some(3), Some("adapter")));
    let session = told(&[
        event("output", json!({"category": "console", "output": "Process 12 has exited with status 2\n"})),
        event("terminated", json!({})),
        event("terminated", json!({})),
        event("stopped", json!({"reason": "breakpoint", "threadId": 1})),
    ]);
    assert_eq!((session.run(), session.end().code, session.end().from), (Run::Over, Some(2), Some("console")));
    let mut session = Session::new();
    let ticket = session.ask(0, "threads", &Value::Null);
    session.drain();
    session.close(0, "it died");
    assert_eq!(session.drain(), [Action::Answer(ticket, Err(Failure::Gone("it died".to_owned())))]);
    assert_eq!(session.run(), Run::Over);
    let late = session.ask(0, "threads", &Value::Null);
    assert_eq!(session.drain(), [Action::Answer(late, Err(Failure::Gone("it died".to_owned())))]);
}

#[test]
fn a_childs_line_is_the_programs() {
    let mut session = Session::new();
    assert_eq!((session.main(), session.open(), session.main()), (0, 1, 1));
    tell(&mut session, 1, &[event("stopped", json!({"reason": "breakpoint", "threadId": 0}))]);
    assert_eq!((session.halt().line, session.run()), (1, Run::Stopped));
    // A second child, a worker say, may end without the program.
    session.open();
    tell(&mut session, 2, &[event("terminated", json!({}))]);
    assert_eq!(session.run(), Run::Stopped);
    tell(&mut session, 1, &[event("terminated", json!({}))]);
    assert_eq!(session.run(), Run::Over);
}

#[test]
fn output_is_the_programs_and_the_rest_is_the_adapters() {
    let session = told(&[
        event("output", json!({"category": "telemetry", "output": "ptvsd", "data": {}})),
        event("output", json!({"category": "stdout", "output": "one\r\n"})),
        event("output", json!({"category": "stderr", "output": "two\n"})),
        event("output", json!({"output": "hello from the adapter"})),
        event("output", json!({"category": "important"})),
    ]);
    assert_eq!(session.output.text(), "one\ntwo\n");
    assert!(session.console.starts_with("hello from the adapter\n"));
}

fn spot(line: usize) -> Spot {
    Spot { asked: format!("a.py:{line}"), file: "/w/a.py".into(), line, by_line: true, ..Spot::default() }
}

#[test]
fn breakpoints_move_are_verified_late_and_count_their_hits() {
    let mut session = Session::new();
    let file: PathBuf = "/w/a.py".into();
    assert!(session.table.set(&Spot { hit: Some(3), condition: Some("n > 1".to_owned()), ..spot(4) }));
    assert!(session.table.set(&spot(9999)));
    assert!(session.table.set(&spot(9999)), "the same place is the same breakpoint");
    let arguments = session.table.arguments(&file, "== ");
    assert_eq!(
        arguments["breakpoints"],
        json!([{"line": 4, "condition": "n > 1", "hitCondition": "== 3"}, {"line": 9999}])
    );
    // js-debug tells of them before it answers.
    tell(&mut session, 0, &[event("breakpoint", json!({"breakpoint": {"id": 8, "verified": true, "line": 22}}))]);
    let body =
        json!({"breakpoints": [{"id": 7, "verified": false, "message": "unbound"}, {"id": 8, "verified": false}]});
    session.table.answered(0, &file, &body);
    let show = |path: &Path| path.display().to_string();
    let rows: Vec<_> = session.table.rows().iter().map(|row| row.answer(&show)).collect();
    assert_eq!((rows[0].verified, rows[0].moved, rows[0].message.as_deref()), (false, false, Some("unbound")));
    assert_eq!((rows[1].verified, rows[1].moved, rows[1].line), (true, true, Some(22)));
    tell(
        &mut session,
        0,
        &[event("stopped", json!({"reason": "breakpoint", "threadId": 1, "hitBreakpointIds": [7, 99]}))],
    );
    assert_eq!((session.halt().hit.as_slice(), session.table.rows()[0].hits), ([1].as_slice(), 1));
    assert_eq!(session.table.hit_at(Path::new("/w/a.py"), 22), Some(2));
    assert_eq!(session.table.clear(1), Some(file));
    assert_eq!(session.table.clear(1), None);
    for line in 1..100 {
        session.table.set(&spot(line));
    }
    assert_eq!(session.table.rows().len(), 64);
}
