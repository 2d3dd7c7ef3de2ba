//! Servers that behave as planned, in processes of their own.

#![cfg(unix)]

#[allow(dead_code, reason = "shared with the other tests; each uses its part")]
mod support;

use std::time::{Duration, Instant};

use serde_json::{Value, json};
use support::{Grep, World};
use vise_lsp::{CancellationToken, Error, Operation, Outcome, State};

const FILES: &[(&str, &str)] = &[
    (".git/HEAD", ""),
    ("a.py", "def greet(): pass\ngreet()\n"),
    ("b.py", "from a import greet\ngreet()\n"),
    ("c.py", "import a\na.greet()\n"),
    ("d.py", "x = 1\n"),
];

fn at(file: &str, line: u32, column: u32) -> Value {
    let start = json!({"line": line, "character": column});
    json!({"uri": format!("$R/{file}"), "range": {"start": start, "end": {"line": line, "character": column + 5}}})
}

fn all() -> Value {
    json!([at("a.py", 0, 4), at("a.py", 1, 0), at("b.py", 0, 14), at("b.py", 1, 0), at("c.py", 1, 2)])
}

const ALL: [&str; 5] = ["a.py:1:5", "a.py:2:1", "b.py:1:15", "b.py:2:1", "c.py:2:3"];

fn can(more: Value) -> Value {
    let mut capabilities = json!({"textDocumentSync": 1, "referencesProvider": true, "hoverProvider": true});
    capabilities.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    capabilities
}

#[test]
fn an_answer_from_one_file_alone_is_not_believed_while_others_hold_the_name() {
    // No progress, and a plateau of the same answer that outlasts any fixed number of repetitions.
    let only = json!([at("a.py", 0, 4), at("a.py", 1, 0)]);
    let on = json!({"textDocument/references": [{"until": 3.5, "result": only}, {"result": all()}]});
    let world = World::planned(FILES, "pyrefly", &json!({"capabilities": can(json!({})), "on": on}));
    let (places, answer) = world.places(Operation::FindReferences, "greet", "a.py", 1);
    assert_eq!((places, answer.incomplete, answer.notes), (ALL.map(str::to_owned).to_vec(), false, vec![]));
    // It is proven now, and asked once from here on.
    let before = world.count("textDocument/references");
    world.places(Operation::FindReferences, "greet", "a.py", 1);
    assert_eq!(world.count("textDocument/references"), before + 1);
}

#[test]
fn a_name_that_no_other_file_holds_is_answered_at_once() {
    let on = json!({"textDocument/references": [{"result": [at("d.py", 0, 0)]}]});
    let world = World::planned(FILES, "pyrefly", &json!({"capabilities": can(json!({})), "on": on}));
    let (places, answer) = world.places(Operation::FindReferences, "x", "d.py", 1);
    assert_eq!((places, answer.incomplete), (vec!["d.py:1:1".to_owned()], false));
    assert_eq!(world.count("textDocument/references"), 1);
}

#[test]
fn nothing_is_not_none_while_a_server_loads() {
    let status = |quiescent: bool, after: f64| json!({"after": after, "jsonrpc": "2.0", "method": "experimental/serverStatus", "params": {"quiescent": quiescent, "health": "ok"}});
    let plan = json!({
        "capabilities": can(json!({})),
        "told": [status(true, 0.0), status(false, 0.1), status(true, 1.5)],
        "on": {
            "textDocument/references": [{"until": 1.5, "result": []}, {"result": all()}],
            "textDocument/hover": [{"until": 1.5, "result": null}, {"result": {"contents": "def greet()"}}],
        },
    });
    let mut world = World::planned(FILES, "rust-analyzer", &plan);
    world.spec.extensions = [(".py".to_owned(), "python".to_owned())].into();
    let hover = world.ask(Operation::Hover, "greet", "a.py", 1).unwrap();
    assert_eq!(hover.outcome, Outcome::Hover(Some("def greet()".into())));
    let (places, answer) = world.places(Operation::FindReferences, "greet", "a.py", 1);
    assert_eq!((places.len(), answer.incomplete), (5, false));
}

#[test]
fn a_change_of_another_tool_is_sent_before_the_question() {
    let registered = json!({"id": 1, "jsonrpc": "2.0", "method": "client/registerCapability", "params": {"registrations": [
        {"id": "w", "method": "workspace/didChangeWatchedFiles", "registerOptions": {"watchers": [{"globPattern": "**/*.py"}]}},
    ]}});
    let plan = json!({
        "capabilities": can(json!({})),
        "on": {"textDocument/references": [{"times": 1, "ask": registered, "result": all()}, {"result": all()}]},
    });
    let world = World::planned(FILES, "ty", &plan);
    world.places(Operation::FindReferences, "greet", "a.py", 1);
    let received = world.received();
    let answer = received.iter().find(|(method, _)| method == "answer").unwrap();
    assert_eq!(answer.1, json!({"jsonrpc": "2.0", "id": 1, "result": null}));

    world.write("a.py", "# one more line\ndef greet(): pass\ngreet()\n");
    world.write("b.py", "from a import greet\n");
    world.write("new.py", "");
    world.write("notes.txt", "");
    std::fs::remove_file(world.root.join("d.py")).unwrap();
    let before = received.len();
    world.places(Operation::FindReferences, "greet", "a.py", 2);
    let since: Vec<(String, Value)> = world.received().split_off(before);
    let methods: Vec<&str> = since.iter().map(|(method, _)| method.as_str()).collect();
    assert_eq!(methods, ["workspace/didChangeWatchedFiles", "textDocument/didChange", "textDocument/references"]);
    assert_eq!(since[1].1["params"]["textDocument"]["version"], 2);
    let changes = since[0].1["params"]["changes"].as_array().unwrap();
    let mut names: Vec<(&str, i64)> = changes
        .iter()
        .map(|change| (change["uri"].as_str().unwrap().rsplit('/').next().unwrap(), change["type"].as_i64().unwrap()))
        .collect();
    names.sort();
    assert_eq!(names, [("a.py", 2), ("b.py", 2), ("d.py", 3), ("new.py", 1)]);
    assert_eq!(since[2].1["params"]["position"], json!({"line": 1, "character": 4}));
}

#[test]
fn a_server_that_never_answers_costs_its_time_and_nothing_else() {
    let plan = json!({
        "capabilities": can(json!({"callHierarchyProvider": true})),
        "on": {"textDocument/prepareCallHierarchy": [{"hang": true}], "textDocument/hover": [{"result": {"contents": "h"}}]},
    });
    let mut world = World::planned(FILES, "ty", &plan);
    world.spec.request_timeout_seconds = 1;
    let error = world.ask(Operation::IncomingCalls, "x", "d.py", 1).unwrap_err();
    assert_eq!(error, Error::Failed("`ty` did not answer `textDocument/prepareCallHierarchy` within 1 s".into()));
    let hover = world.ask(Operation::Hover, "greet", "a.py", 1).unwrap();
    assert_eq!(hover.outcome, Outcome::Hover(Some("h".into())));
    assert_eq!((world.count("$/cancelRequest"), world.count("initialize")), (1, 1));
    let error = world.ask(Operation::Supertypes, "greet", "a.py", 1).unwrap_err();
    assert!(
        matches!(&error, Error::Unsupported(why) if why.starts_with("`ty` does not offer `supertypes`")),
        "{error}"
    );
    assert_eq!(world.count("textDocument/prepareTypeHierarchy"), 0);
}

#[test]
fn what_is_ignored_is_counted_and_left_out_but_not_as_a_definition() {
    let files = [
        FILES,
        &[(".gitignore", "node_modules/\n"), ("node_modules/m.py", "greet = 1\n"), ("e.py", "é = '😀'; greet()\n")],
    ]
    .concat();
    let plan = json!({
        "capabilities": can(json!({"definitionProvider": true})),
        "on": {
            "textDocument/references": [{"result": [at("a.py", 0, 4), at("node_modules/m.py", 0, 0), at("e.py", 0, 10)]}],
            "textDocument/definition": [{"result": at("node_modules/m.py", 0, 0)}],
        },
    });
    let world = World::planned(&files, "ty", &plan);
    let (places, answer) = world.places(Operation::FindReferences, "greet", "e.py", 1);
    assert_eq!(places, ["a.py:1:5", "e.py:1:10"]);
    assert_eq!(answer.notes, ["1 references in ignored files or outside of the workspace are left out"]);
    assert_eq!(world.places(Operation::GoToDefinition, "greet", "e.py", 1).0, ["node_modules/m.py:1:1*"]);
    let position = world.received().into_iter().find(|(method, _)| method == "textDocument/definition").unwrap().1;
    assert_eq!(position["params"]["position"], json!({"line": 0, "character": 10}), "UTF-16 by default");
}

#[test]
fn a_place_that_means_nothing_is_followed_by_the_next() {
    let error = json!({"error": {"code": -32602, "message": "no identifier found"}});
    let plan = json!({
        "capabilities": can(json!({})),
        "on": {"textDocument/hover": [
            {"times": 1, "result": null}, {"times": 2, "error": error["error"]}, {"result": {"contents": ["x"]}},
        ]},
    });
    let world = World::planned(&[(".git/HEAD", ""), ("a.py", "# f\n'f'\nf()\nf()\n")], "ty", &plan);
    assert_eq!(world.ask(Operation::Hover, "m.f", "a.py", 1).unwrap().outcome, Outcome::Hover(Some("x".into())));
    let lines: Vec<Value> = world
        .received()
        .into_iter()
        .filter(|(method, _)| method == "textDocument/hover")
        .map(|(_, message)| message["params"]["position"]["line"].clone())
        .collect();
    assert_eq!(lines, [2, 3, 1], "code, then strings; the comment was not needed");
    let missing = world.ask(Operation::Hover, "g", "a.py", 1).unwrap_err();
    assert!(matches!(&missing, Error::NotFound(why) if why.starts_with("`g` does not stand in `")), "{missing}");
}

#[test]
fn a_dead_servers_question_is_asked_once_more() {
    let on = json!({"textDocument/hover": [{"exit": 3}]});
    let world = World::planned(FILES, "ty", &json!({"capabilities": can(json!({})), "on": on}));
    let error = world.ask(Operation::Hover, "greet", "a.py", 1).unwrap_err();
    assert_eq!(error, Error::Failed("`ty` is gone: it ended with exit code 3, and said: the end of it".into()));
    assert_eq!((world.count("initialize"), world.count("textDocument/hover")), (2, 2));
}

#[test]
fn a_server_that_does_not_start_is_left_alone_for_a_while() {
    let world = World::planned(FILES, "ty", &json!({"on": {"initialize": [{"exit": 1}]}}));
    let error = world.ask(Operation::Hover, "greet", "a.py", 1).unwrap_err();
    assert_eq!(
        error,
        Error::Unavailable("`ty` did not start: it ended with exit code 1, and said: the end of it".into())
    );
    let again = world.ask(Operation::Hover, "greet", "a.py", 1).unwrap_err();
    assert!(again.to_string().contains("it is tried again in"), "{again}");
    assert_eq!(world.count("initialize"), 1);
}

#[test]
fn eight_first_questions_and_two_spellings_of_the_root_are_one_process() {
    let on = json!({"textDocument/hover": [{"delay": 0.3, "result": {"contents": "h"}}]});
    let world = World::planned(FILES, "ty", &json!({"capabilities": can(json!({})), "on": on}));
    let link = world.folder.path().join("link");
    std::os::unix::fs::symlink(&world.root, &link).unwrap();
    std::thread::scope(|scope| {
        for at in 0..8 {
            let (world, link) = (&world, &link);
            scope.spawn(move || {
                let root = if at % 2 == 0 { world.root.clone() } else { link.clone() };
                let choice = [world.choice(&world.spec, root)];
                let query = world.query(Operation::Hover, "greet", "a.py", 1);
                let token = CancellationToken::new();
                let allowed = Duration::from_secs(30);
                let answer = world.pool.ask(&choice, &query, &Grep(&world.root), allowed, &token).unwrap();
                assert_eq!(answer.outcome, Outcome::Hover(Some("h".into())));
            });
        }
    });
    assert_eq!(world.count("initialize"), 1);
    assert_eq!(world.pool.status().len(), 1);
}

#[test]
fn a_question_can_be_called_off() {
    let on = json!({"textDocument/hover": [{"hang": true}]});
    let world = World::planned(FILES, "ty", &json!({"capabilities": can(json!({})), "on": on}));
    let choice = [world.choice(&world.spec, world.root.clone())];
    let query = world.query(Operation::Hover, "greet", "a.py", 1);
    let token = CancellationToken::new();
    world.ask(Operation::FindReferences, "x", "d.py", 1).unwrap();
    let began = Instant::now();
    let stop = token.clone();
    let waiter = std::thread::spawn(move || {
        std::thread::sleep(Duration::from_millis(800));
        stop.cancel();
    });
    let error = world.pool.ask(&choice, &query, &Grep(&world.root), Duration::from_secs(60), &token).unwrap_err();
    assert_eq!(error, Error::Cancelled);
    assert!(began.elapsed() < Duration::from_secs(20));
    waiter.join().unwrap();
    assert_eq!(world.pool.status()[0].waiting, 0);
}

#[test]
fn diagnostics_are_confirmed_or_said_not_to_be() {
    let publish = |messages: &[&str]| {
        let range = json!({"start": {"line": 0, "character": 0}, "end": {"line": 0, "character": 1}});
        let items: Vec<Value> = messages.iter().map(|message| json!({"message": message, "range": range})).collect();
        json!({"jsonrpc": "2.0", "method": "textDocument/publishDiagnostics", "params": {"uri": "$R/d.py", "diagnostics": items}})
    };
    let plan = json!({
        "capabilities": can(json!({})),
        "on": {
            "textDocument/didOpen": [{"send": [publish(&["old"])]}],
            // The old set once more, and the new one later.
            "textDocument/didChange": [{"times": 1, "send": [publish(&["old"])], "ask": {"id": 9, "jsonrpc": "2.0", "method": "x/wait"}}],
        },
    });
    let mut world = World::planned(FILES, "ty", &plan);
    world.spec.request_timeout_seconds = 5;
    let ask = |world: &World| {
        let answer = world.ask(Operation::Diagnostics, "", "d.py", 0).unwrap();
        let Outcome::Diagnostics(found, state) = answer.outcome else { panic!() };
        (found.into_iter().map(|d| d.message).collect::<Vec<_>>(), state, answer.notes.len())
    };
    assert_eq!(ask(&world), (vec!["old".to_owned()], State::Fresh, 0));
    world.write("d.py", "x = 2\n");
    assert_eq!(ask(&world), (vec!["old".to_owned()], State::Unconfirmed, 0));
    // Nothing comes at all: neither clean nor a finding.
    world.write("d.py", "x = 3\n");
    assert_eq!(ask(&world).1, State::Timeout);
    assert_eq!(world.count("textDocument/diagnostic"), 0);
}

#[test]
fn a_rename_waits_for_the_index_or_is_refused() {
    let edit = |version: Value| {
        let edits = |file: &str, places: &[(u32, u32)]| {
            let edits: Vec<Value> = places
                .iter()
                .map(|(line, column)| {
                    let range = at(file, *line, *column)["range"].clone();
                    json!({"range": range, "newText": "hello"})
                })
                .collect();
            json!({"textDocument": {"uri": format!("$R/{file}"), "version": version}, "edits": edits})
        };
        json!({"documentChanges": [edits("a.py", &[(0, 4), (1, 0), (1, 0)]), edits("b.py", &[(0, 14), (1, 0)])]})
    };
    let plan = json!({
        "capabilities": can(json!({"renameProvider": {"prepareProvider": true}})),
        "on": {
            "textDocument/references": [{"until": 1.0, "result": [at("a.py", 0, 4)]}, {"result": all()}],
            "textDocument/prepareRename": [{"result": at("a.py", 0, 4)["range"]}],
            "textDocument/rename": [
                {"times": 1, "error": {"code": -32801, "message": "content modified"}},
                {"times": 2, "result": edit(json!(0))},
                {"result": edit(json!(1))},
            ],
        },
    });
    let world = World::planned(FILES, "pyrefly", &plan);
    let rename = Operation::Rename { new_name: "hello".into() };
    let answer = world.ask(rename, "greet", "a.py", 1).unwrap();
    let Outcome::Change(ops) = answer.outcome else { panic!() };
    let edits: Vec<(String, usize)> = ops
        .iter()
        .map(|op| match op {
            vise_text::FileOp::Splice { path, edits, .. } => {
                (path.file_name().unwrap().to_string_lossy().into_owned(), edits.len())
            }
            other => panic!("{other:?}"),
        })
        .collect();
    assert_eq!(edits, [("a.py".to_owned(), 2), ("b.py".to_owned(), 2)]);
    assert_eq!(world.count("textDocument/rename"), 3);
    assert_eq!(std::fs::read_to_string(world.root.join("a.py")).unwrap(), FILES[1].1, "nothing is written");
}

#[test]
fn where_the_first_does_not_start_the_second_serves() {
    let on = json!({"textDocument/hover": [{"result": {"contents": "h"}}]});
    let world = World::planned(FILES, "ty", &json!({"capabilities": can(json!({})), "on": on}));
    let mut broken = world.spec.clone();
    broken.id = "pyright".into();
    broken.command = vec!["false".into()];
    let choices = [world.choice(&broken, world.root.clone()), world.choice(&world.spec, world.root.clone())];
    let query = world.query(Operation::Hover, "greet", "a.py", 1);
    let ask = || {
        let token = CancellationToken::new();
        world.pool.ask(&choices, &query, &Grep(&world.root), Duration::from_secs(30), &token).unwrap()
    };
    let answer = ask();
    assert_eq!((answer.server.as_str(), &answer.outcome), ("ty", &Outcome::Hover(Some("h".into()))));
    assert_eq!(answer.notes, ["`pyright` did not start: it ended with exit code 1"]);
    assert!(ask().notes[0].contains("it is tried again in"), "and it is left alone");
}

#[test]
fn a_server_that_does_not_answer_the_first_request_costs_no_more_than_its_time() {
    let mut world = World::planned(FILES, "ty", &json!({"on": {"initialize": [{"hang": true}]}}));
    world.spec.start_timeout_seconds = 1;
    let error = world.ask(Operation::Hover, "greet", "a.py", 1).unwrap_err();
    assert_eq!(error, Error::Unavailable("`ty` did not start: it did not answer `initialize` within 1 s".into()));
    assert!(world.ask(Operation::Hover, "greet", "a.py", 1).unwrap_err().to_string().contains("tried again"));
}

#[test]
fn an_idle_server_ends_and_a_busy_one_does_not() {
    let on = json!({"textDocument/hover": [{"delay": 1.5, "result": {"contents": "h"}}]});
    let mut world = World::planned(FILES, "ty", &json!({"capabilities": can(json!({})), "on": on}));
    world.spec.idle_seconds = 1;
    std::thread::scope(|scope| {
        let asked = scope.spawn(|| world.ask(Operation::Hover, "greet", "a.py", 1).unwrap());
        std::thread::sleep(Duration::from_millis(1200));
        world.pool.sweep();
        assert_eq!(asked.join().unwrap().outcome, Outcome::Hover(Some("h".into())));
    });
    world.pool.sweep();
    assert_eq!(world.pool.status().len(), 1, "it is idle since its answer");
    std::thread::sleep(Duration::from_millis(1100));
    world.pool.sweep();
    assert_eq!(world.pool.status().len(), 0);
    let said: Vec<String> = world.received().into_iter().map(|(method, _)| method).rev().take(2).collect();
    assert_eq!(said, ["exit", "shutdown"]);
}

#[test]
fn actions_are_listed_and_one_becomes_a_change() {
    let range = at("d.py", 0, 0)["range"].clone();
    let edit = json!({"changes": {"$R/d.py": [{"range": {"start": {"line": 0, "character": 0}, "end": {"line": 0, "character": 1}}, "newText": "y"}]}});
    let other = json!({"changes": {"$R/d.py": [{"range": {"start": {"line": 0, "character": 4}, "end": {"line": 0, "character": 5}}, "newText": "2"}]}});
    let diagnostic = json!({"range": range, "message": "x is bad"});
    let apply = json!({"id": 5, "jsonrpc": "2.0", "method": "workspace/applyEdit", "params": {"edit": other}});
    let plan = json!({
        "capabilities": can(json!({"codeActionProvider": {"resolveProvider": true}, "diagnosticProvider": {"identifier": "own"}})),
        "on": {
            "textDocument/diagnostic": [{"result": {"kind": "full", "items": [diagnostic]}}],
            "textDocument/codeAction": [{"result": [
                {"title": "Rename x", "kind": "quickfix", "data": 1},
                {"title": "Run", "kind": "refactor", "command": {"title": "Run", "command": "run.it", "arguments": [1]}},
                {"title": "Nothing", "command": "nothing"},
            ]}],
            "codeAction/resolve": [{"times": 1, "result": {"title": "Rename x", "edit": edit}},
                {"result": {"title": "Run", "command": {"title": "Run", "command": "run.it", "arguments": [1]}}}],
            "workspace/executeCommand": [{"times": 1, "ask": apply, "result": null}, {"result": null}],
        },
    });
    let world = World::planned(FILES, "ty", &plan);
    let ask = |kind: Option<&str>, apply| {
        world.ask(Operation::CodeActions { kind: kind.map(str::to_owned), apply }, "", "d.py", 1)
    };
    let Outcome::Actions(found) = ask(None, None).unwrap().outcome else { panic!() };
    let titles: Vec<String> = found.iter().map(|action| format!("{} {}", action.index, action.title)).collect();
    assert_eq!(titles, ["1 Rename x", "2 Run", "3 Nothing"]);
    let new_text = |answer: vise_lsp::Answer| {
        let Outcome::Change(ops) = answer.outcome else { panic!("{answer:?}") };
        let [vise_text::FileOp::Splice { edits, .. }] = &ops[..] else { panic!("{ops:?}") };
        (edits[0].edit.range.clone(), String::from_utf8(edits[0].edit.text.clone()).unwrap())
    };
    assert_eq!(new_text(ask(Some("quickfix"), Some(1)).unwrap()), (0..1, "y".into()));
    assert_eq!(new_text(ask(None, Some(2)).unwrap()), (4..5, "2".into()));
    assert!(matches!(ask(None, Some(3)), Err(Error::Refused(_))));
    assert!(matches!(ask(None, Some(4)), Err(Error::NotFound(_))));
    let received = world.received();
    let of = |method: &str| received.iter().find(|(received, _)| received == method).unwrap().1["params"].clone();
    assert_eq!(
        of("textDocument/codeAction")["context"]["diagnostics"],
        json!([{"range": at("d.py", 0, 0)["range"], "message": "x is bad"}])
    );
    assert_eq!(of("textDocument/diagnostic")["identifier"], "own");
    let refused = received.iter().find(|(method, message)| method == "answer" && message["id"] == 5).unwrap();
    assert_eq!(refused.1["result"]["applied"], false);
    assert_eq!(std::fs::read_to_string(world.root.join("d.py")).unwrap(), "x = 1\n");
}

#[test]
fn a_progress_that_ends_because_the_program_behind_died_starts_the_server_anew() {
    let progress =
        |value: Value| json!({"jsonrpc": "2.0", "method": "$/progress", "params": {"token": "p", "value": value}});
    let log = json!({"jsonrpc": "2.0", "method": "window/logMessage", "params": {"type": 1, "message": "[tsserver] Exited. Code: 134"}});
    let begin = progress(json!({"kind": "begin", "title": "Initializing JS/TS language features…"}));
    let plan = json!({
        "capabilities": can(json!({})),
        "on": {
            "initialized": [{"send": [begin, log, progress(json!({"kind": "end"}))]}],
            "textDocument/references": [{"result": []}],
        },
    });
    let mut world = World::planned(FILES, "typescript-language-server", &plan);
    world.spec.extensions = [(".py".to_owned(), "python".to_owned())].into();
    let error = world.ask(Operation::FindReferences, "greet", "a.py", 1).unwrap_err();
    assert_eq!(error, Error::Failed("`typescript-language-server` is gone: [tsserver] Exited. Code: 134".into()));
    assert_eq!(world.count("initialize"), 2, "it was tried once more");
}

#[test]
fn a_start_goes_on_although_nobody_waits_for_it() {
    let on = json!({"initialize": [{"delay": 2.0, "result": {"capabilities": can(json!({}))}}],
        "textDocument/hover": [{"result": {"contents": "h"}}]});
    let world = World::planned(FILES, "ty", &json!({"on": on}));
    let choice = [world.choice(&world.spec, world.root.clone())];
    let query = world.query(Operation::Hover, "greet", "a.py", 1);
    let ask = |allowed| {
        let token = CancellationToken::new();
        world.pool.ask(&choice, &query, &Grep(&world.root), Duration::from_millis(allowed), &token)
    };
    assert!(matches!(ask(500), Err(Error::Failed(why)) if why.contains("no answer within")));
    assert_eq!(ask(20_000).unwrap().outcome, Outcome::Hover(Some("h".into())));
    assert_eq!(world.count("initialize"), 1);
}
