//! `vise mcp` as a client sees it, over real pipes.

mod common;

use std::collections::VecDeque;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::process::{Child, ChildStdin, ChildStdout, Stdio};

use common::{House, house};
use serde_json::{Value, json};

/// A client and its server, which is killed should a test fail before it ends.
struct Client {
    child: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
    /// What came while something else was waited for.
    notes: Vec<Value>,
    asked: VecDeque<Value>,
    next: u64,
}

impl Drop for Client {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Client {
    fn start(house: &House, arguments: &[&str]) -> Client {
        let mut command = house.command(&[&["mcp"], arguments].concat());
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let (input, output) = (child.stdin.take(), BufReader::new(child.stdout.take().unwrap()));
        Client { child, input, output, notes: Vec::new(), asked: VecDeque::new(), next: 0 }
    }

    /// A client that has shaken hands.
    fn of(house: &House) -> Client {
        let mut client = Client::start(house, &[]);
        client.hello(json!({}));
        client
    }

    fn hello(&mut self, capabilities: Value) -> Value {
        let about = json!({"name": "test", "version": "1"});
        let version = "2025-11-25";
        let hello = json!({"protocolVersion": version, "capabilities": capabilities, "clientInfo": about});
        let answer = self.ask("initialize", hello);
        self.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
        answer["result"].clone()
    }

    fn send(&mut self, message: &Value) {
        self.raw(format!("{message}\n").as_bytes());
    }

    fn raw(&mut self, bytes: &[u8]) {
        self.input.as_mut().unwrap().write_all(bytes).unwrap();
    }

    /// Sends a question and does not wait; its id.
    fn begin(&mut self, method: &str, params: Value) -> u64 {
        self.next += 1;
        self.send(&json!({"jsonrpc": "2.0", "id": self.next, "method": method, "params": params}));
        self.next
    }

    fn ask(&mut self, method: &str, params: Value) -> Value {
        let id = self.begin(method, params);
        self.answer(id)
    }

    /// The next line that the server wrote; nothing but messages may stand there.
    fn line(&mut self) -> Option<Value> {
        let mut line = String::new();
        self.output.read_line(&mut line).unwrap();
        (!line.is_empty()).then(|| serde_json::from_str(&line).unwrap_or_else(|_| panic!("no message: {line}")))
    }

    fn answer(&mut self, id: u64) -> Value {
        loop {
            let message = self.line().unwrap_or_else(|| panic!("the server ended: {}", self.said()));
            if message.get("method").is_none() && message["id"] == id {
                return message;
            }
            if message.get("id").is_some() && message.get("method").is_some() {
                self.asked.push_back(message);
                self.answer_roots();
            } else {
                self.notes.push(message);
            }
        }
    }

    /// What a client with roots says when it is asked for them.
    fn answer_roots(&mut self) {
        let Some(asked) = self.asked.pop_front() else { return };
        assert_eq!(asked["method"], "roots/list");
        let folder = std::env::temp_dir();
        let roots = json!({"roots": [{"uri": format!("file://{}", folder.display())}]});
        self.send(&json!({"jsonrpc": "2.0", "id": asked["id"], "result": roots}));
    }

    fn call(&mut self, tool: &str, arguments: Value) -> Value {
        self.ask("tools/call", json!({"name": tool, "arguments": arguments}))["result"].clone()
    }

    /// A call that is answered: its text and its object.
    #[track_caller]
    fn good(&mut self, tool: &str, arguments: Value) -> (String, Value) {
        let result = self.call(tool, arguments);
        assert_eq!(result["isError"], false, "{result}");
        (result["content"][0]["text"].as_str().unwrap().to_owned(), result["structuredContent"].clone())
    }

    /// A call that fails: its text and its error object.
    #[track_caller]
    fn bad(&mut self, tool: &str, arguments: Value) -> (String, Value) {
        let result = self.call(tool, arguments);
        assert_eq!(result["isError"], true, "{result}");
        (result["content"][0]["text"].as_str().unwrap().to_owned(), result["structuredContent"]["error"].clone())
    }

    fn said(&mut self) -> String {
        let mut words = String::new();
        let _ = self.child.stderr.take().map(|mut stderr| stderr.read_to_string(&mut words));
        words
    }

    /// Closes the input, and gives the exit code, what still came, and the words.
    fn end(mut self) -> (i32, Vec<Value>, String) {
        drop(self.input.take());
        let rest = std::iter::from_fn(|| self.line()).collect();
        let code = self.child.wait().unwrap().code().unwrap_or(-1);
        (code, rest, self.said())
    }
}

const STORE: &str = "class Store:\n    def save(self):\n        return 1\n\n\ndef use():\n    return Store().save()\n";

/// The call on a tool's page.
fn example(page: &str) -> Value {
    serde_json::from_str(page.lines().find_map(|line| line.strip_prefix("    ")).unwrap()).unwrap()
}

#[test]
fn the_examples_on_the_pages_work() {
    let house = house(&[
        ("src/a.ts", "if (v != null) v.dispose()\nif (v != null) w.dispose()\n"),
        ("store.py", STORE),
        ("src/config.js", "timeout: 30\n"),
        ("tests/a.py", "class T:\n    def t(self):\n        self.assertEqual(f(1), True)\n"),
    ]);
    let mut client = Client::of(&house);
    let (text, answer) = client.good("graph", example(include_str!("../../tools/src/graph.md")));
    assert!(text.contains("store.py\n    6  use  receiver\n"), "{text}");
    assert_eq!(answer["affected"][0]["symbol"]["name"], "use");
    let (text, answer) = client.good("ast_grep", example(include_str!("../../tools/src/ast_grep.md")));
    assert!(text.starts_with("src/a.ts:1:1  if (v != null) v.dispose()\n1 match"), "{text}");
    assert_eq!((&answer["matches"][0]["file"], &answer["summary"]["matches"]), (&json!("src/a.ts"), &json!(1)));
    let (text, answer) = client.good("ast_edit", example(include_str!("../../tools/src/ast_edit.md")));
    assert!(text.contains("`resolve` accepts") && text.contains("+        self.assertTrue(f(1))"), "{text}");
    let mut resolve = example(include_str!("../../tools/src/resolve.md"));
    resolve["proposal"] = answer["proposal"].as_str().unwrap()[..6].into();
    assert_eq!(client.good("resolve", resolve).1["state"], "accepted");
    client.good("write", example(include_str!("../../tools/src/write.md")));
    assert_eq!(house.read("notes.txt"), "hello\n");
    client.good("edit", example(include_str!("../../tools/src/edit.md")));
    assert_eq!(house.read("src/config.js"), "timeout: 60\n");
    client.good("apply_patch", example(include_str!("../../tools/src/apply_patch.md")));
    assert_eq!(house.read("notes.txt"), "bye\n");
    let (code, rest, words) = client.end();
    assert_eq!((code, rest.len()), (0, 0));
    assert!(words.starts_with("vise mcp: calls: apply_patch 1, ast_edit 1, ast_grep 1, edit 1, graph 1"), "{words}");
}

#[test]
fn what_is_wrong_is_said_so_that_it_can_be_put_right() {
    let house = house(&[("store.py", STORE)]);
    let mut client = Client::of(&house);
    let (text, error) = client.bad("ast_grep", json!({"pattern": "f($A)", "path": "src"}));
    assert_eq!(text, "bad_input: there is no argument `path`\ndid you mean `paths`?");
    assert_eq!((&error["kind"], &error["hint"]), (&json!("bad_input"), &json!("did you mean `paths`?")));
    assert_eq!(client.bad("graph", json!({"op": "callers", "symbol": "nope"})).1["kind"], "not_found");
    assert_eq!(client.bad("resolve", json!({"proposal": "123456", "decision": "accept"})).1["kind"], "not_found");
    assert!(client.bad("graph", json!({"op": "map", "root": "/no/such/folder"})).0.contains("/no/such/folder"));
    let prepared = client.good("ast_edit", json!({"pattern": "Store()", "template": "Store(1)"})).1;
    house.write("store.py", b"x = 1\n");
    let resolve = json!({"proposal": prepared["proposal"], "decision": "accept"});
    assert_eq!(client.bad("resolve", resolve).1["files"], json!(["store.py"]));
    let unknown = client.ask("tools/call", json!({"name": "graf", "arguments": {}}));
    assert_eq!(unknown["error"]["message"], "there is no tool `graf`; did you mean `graph`?");
    // An error of a call is none of the connection.
    assert_eq!(client.good("graph", json!({})).1["files"], 1);
}

#[test]
fn long_matches_are_given_as_far_as_an_agent_can_read() {
    let long = format!("function f() {{\n{}}}\n", "  g(1);\n".repeat(5000));
    let house = house(&[("a.js", &long), ("b.js", &long), ("c.js", &long)]);
    let mut client = Client::of(&house);
    let (text, answer) = client.good("ast_grep", json!({"pattern": "function f() { $$$ALL }", "lang": ["js"]}));
    assert_eq!((&answer["summary"]["matches"], &answer["summary"]["truncated"]), (&json!(3), &json!(true)));
    assert_eq!(answer["matches"].as_array().unwrap().len(), 1);
    assert!(text.contains("1 of 3 shown; narrow `paths` or raise `max`"), "{text}");
}

#[test]
fn everything_else_of_the_protocol_is_there() {
    let house = house(&[("store.py", STORE)]);
    let mut client = Client::start(&house, &[]);
    let hello = client.hello(json!({}));
    assert_eq!(hello["serverInfo"]["name"], "vise");
    assert_eq!(hello["capabilities"]["tools"]["listChanged"], true);
    assert!(hello["instructions"].as_str().unwrap().contains("`ast_grep`"));
    let prepared = client.good("ast_edit", json!({"pattern": "Store()", "template": "Store(1)"})).1;
    assert_eq!(client.notes.pop().unwrap()["method"], "notifications/resources/list_changed");
    let uri = format!("vise://proposal/{}", prepared["proposal"].as_str().unwrap());
    let resources = client.ask("resources/list", json!({}))["result"]["resources"].clone();
    let uris: Vec<&str> = resources.as_array().unwrap().iter().filter_map(|one| one["uri"].as_str()).collect();
    assert_eq!(uris, ["vise://map", &uri]);
    let mut read = |uri: &str| client.ask("resources/read", json!({"uri": uri}));
    assert_eq!(read(&uri)["result"]["contents"][0]["text"], prepared["diff"]);
    assert!(read("vise://map")["result"]["contents"][0]["text"].as_str().unwrap().contains("def save(self)"));
    assert!(read("vise://map/7")["error"]["message"].is_string());
    assert_eq!(client.ask("prompts/list", json!({}))["result"]["prompts"].as_array().unwrap().len(), 3);
    let prompt = json!({"name": "understand", "arguments": {"what": "Store.save"}});
    let prompt = client.ask("prompts/get", prompt)["result"]["messages"][0]["content"]["text"].clone();
    assert!(prompt.as_str().unwrap().starts_with("Explain Store.save.\n"));
    // Log lines come from the level on that the client asks for.
    client.ask("logging/setLevel", json!({"level": "debug"}));
    client.good("graph", json!({"op": "status"}));
    let logged = client.notes.pop().unwrap();
    assert!(logged["params"]["data"].as_str().unwrap().starts_with("graph answered: "), "{logged}");
}

#[test]
fn progress_is_told_to_who_gives_a_token() {
    let house = house(&[]);
    for number in 0..300 {
        house.write(&format!("src/a{number}.py"), STORE.as_bytes());
    }
    let mut client = Client::of(&house);
    let call = json!({"name": "graph", "arguments": {"op": "index"}, "_meta": {"progressToken": "t"}});
    client.ask("tools/call", call);
    let told: Vec<f64> = client.notes.iter().filter_map(|note| note["params"]["progress"].as_f64()).collect();
    assert!(!told.is_empty() && told.is_sorted(), "{:?}", client.notes);
    assert!(client.notes.iter().all(|note| note["params"]["progressToken"] == "t"));
}

#[test]
fn a_client_with_roots_works_in_them() {
    let house = house(&[("store.py", STORE)]);
    let mut client = Client::start(&house, &[]);
    client.hello(json!({"roots": {"listChanged": true}}));
    // The client's root is another folder than the one that the server was started in.
    let file = house.root.join("store.py");
    let (_, answer) = client.good("graph", json!({"op": "outline", "path": file, "root": house.root}));
    assert_eq!(answer["file"], "store.py");
    let error = client.bad("edit", json!({"file": "store.py", "old": "Store", "new": "Shop"})).0;
    assert!(error.contains("store.py"), "{error}");
    assert_eq!(house.read("store.py"), STORE);
}

#[test]
fn a_script_that_closes_its_pipe_gets_its_answers() {
    let house = house(&[("store.py", STORE)]);
    let mut client = Client::of(&house);
    for number in 0..20 {
        client.begin("tools/call", json!({"name": "ast_grep", "arguments": {"pattern": format!("f{number}()")}}));
    }
    let last = client.next + 1;
    // The last message has no line end.
    let call = json!({"name": "graph", "arguments": {"op": "callers", "symbol": "save"}});
    let call = json!({"jsonrpc": "2.0", "id": last, "method": "tools/call", "params": call});
    client.raw(call.to_string().as_bytes());
    let (code, rest, _) = client.end();
    assert_eq!(code, 0);
    let ids: std::collections::BTreeSet<u64> = rest.iter().filter_map(|answer| answer["id"].as_u64()).collect();
    assert_eq!(ids.len(), 21, "{rest:?}");
    assert!(rest.iter().all(|answer| answer["result"]["isError"] == false));
}

#[test]
fn garbage_ends_nothing() {
    let house = house(&[("store.py", STORE)]);
    let mut client = Client::of(&house);
    client.raw(b"\n\r\n{\nnot json\n\xff\xfe\x00\n[]\n{\"jsonrpc\":\"2.0\"}\n\"x\"\n");
    client.raw(&vec![b'['; 100_000]);
    client.raw(b"\n");
    client.send(&json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 999}}));
    client.send(&json!({"jsonrpc": "2.0", "method": "no/such/notification"}));
    let unknown = client.ask("no/such/method", json!({}));
    assert_eq!(unknown["error"]["code"], -32601);
    let odd = client.ask("tools/call", json!({"name": "graph", "arguments": {"op": {"deep": [[[]]]}}}));
    assert_eq!(odd["result"]["isError"], true, "{odd}");
    assert_eq!(client.good("graph", json!({})).1["files"], 1);
    assert_eq!(client.end().0, 0);
}

#[test]
fn a_call_that_is_called_off_leaves_the_rest_alone() {
    let house = house(&[]);
    for number in 0..400 {
        house.write(&format!("src/a{number}.py"), STORE.repeat(20).as_bytes());
    }
    let mut client = Client::of(&house);
    let index = client.begin("tools/call", json!({"name": "graph", "arguments": {"op": "index"}}));
    client.send(&json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": index}}));
    let (_, answer) = client.good("ast_grep", json!({"pattern": "Store()", "max": 1}));
    assert_eq!(answer["summary"]["matches"], 8000);
    // What was called off half way is taken up again.
    assert_eq!(client.good("graph", json!({"op": "status"})).1["files"], 400);
}

#[test]
fn who_does_not_begin_as_the_protocol_says_is_told() {
    let house = house(&[]);
    let mut client = Client::start(&house, &["--json"]);
    client.raw(b"{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}\n");
    let (code, rest, words) = client.end();
    assert_eq!((code, rest.len()), (2, 0));
    assert!(words.contains("did not begin with `initialize`"), "{words}");
    let (code, rest, words) = Client::start(&house, &[]).end();
    assert_eq!((code, rest.len(), words.as_str()), (0, 0, ""));
}

/// What a server over HTTP answers to one request, headers and all.
fn http(address: &str, headers: &str, body: &str) -> String {
    let mut stream = std::net::TcpStream::connect(address).unwrap();
    let length = body.len();
    let request = format!(
        "POST /mcp HTTP/1.1\r\n{headers}Accept: application/json, text/event-stream\r\nContent-Type: application/json\r\n\
         Content-Length: {length}\r\nConnection: close\r\n\r\n{body}"
    );
    stream.write_all(request.as_bytes()).unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    answer
}

#[test]
fn over_http_only_who_knows_the_token_is_answered() {
    let house = house(&[("store.py", STORE)]);
    let mut client = Client::start(&house, &["--http", "127.0.0.1:0", "--json"]);
    let told = client.line().unwrap();
    let (url, token) = (told["url"].as_str().unwrap(), told["token"].as_str().unwrap());
    let address = url.strip_prefix("http://").unwrap().strip_suffix("/mcp").unwrap();
    assert_eq!(token.len(), 64);
    let hello = json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
        "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}});
    let hello = hello.to_string();
    let first = |headers: &str| http(address, headers, &hello).lines().next().unwrap_or_default().to_owned();
    let right = format!("Host: {address}\r\nAuthorization: Bearer {token}\r\n");
    assert_eq!(first(&right), "HTTP/1.1 200 OK");
    assert_eq!(first(&format!("Host: {address}\r\n")), "HTTP/1.1 401 Unauthorized");
    let guessed = format!("Host: {address}\r\nAuthorization: Bearer {}\r\n", "0".repeat(64));
    assert_eq!(first(&guessed), "HTTP/1.1 401 Unauthorized");
    // A page of a browser, and a name that was made to lead here.
    assert_eq!(first(&format!("{right}Origin: https://example.com\r\n")), "HTTP/1.1 403 Forbidden");
    let rebound = format!("Host: example.com\r\nAuthorization: Bearer {token}\r\n");
    assert_eq!(first(&rebound), "HTTP/1.1 403 Forbidden");

    let answer = http(address, &right, &hello);
    let session = answer.lines().find_map(|line| line.strip_prefix("mcp-session-id: ")).unwrap().to_owned();
    let call = json!({"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params":
        {"name": "graph", "arguments": {"op": "callers", "symbol": "save"}}});
    let answer = http(address, &format!("{right}Mcp-Session-Id: {session}\r\n"), &call.to_string());
    assert!(answer.contains("callers of store.Store.save"), "{answer}");
}

#[test]
fn http_stays_on_this_machine() {
    let house = house(&[]);
    let refused = house.run(&["mcp", "--http", "0.0.0.0:0"]).code(2);
    assert!(refused.err.contains("can be reached from other machines") && refused.out.is_empty(), "{refused:?}");
    let mut weak = house.command(&["mcp", "--http", "127.0.0.1:0"]);
    let weak = weak.env("VISE_MCP_TOKEN", "secret").output().unwrap();
    assert!(String::from_utf8_lossy(&weak.stderr).contains("32 visible ASCII characters or more"), "{weak:?}");
}
