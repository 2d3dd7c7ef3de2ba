//! Language servers through the binary: questions, writes that say what they broke, and the daemon's life. The server is one
//! of our own for files of words (`children/words.py`); real ones are asked in `tests/real`.

#![cfg(unix)]

mod common;

use std::fs;
use std::path::Path;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use common::{House, Run, house, says};
use serde_json::{Value, json};

const FILES: &[(&str, &str)] =
    &[("a.words", "def greet\nsay greet\n"), ("b.words", "use a\ngreet\n"), ("c.words", "hello\n")];

/// A house with a daemon, which goes with it.
struct Served(House);

impl Served {
    fn new(files: &[(&str, &str)], traits: &[&str], more: &str) -> Served {
        let house = house(files);
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/children/words.py");
        let mut command = vec![script.display().to_string(), house.scratch("log").display().to_string()];
        command.extend(traits.iter().map(|one| (*one).to_owned()));
        let words = format!("command = [\"python3\", \"-u\", {}]", json!(command).to_string().trim_matches(['[', ']']));
        // A machine that is busy with other tests starts a server slowly; what is asserted here is not how fast.
        let patient = if more.contains("[lsp]") { "" } else { "[lsp]\ndiagnostics_timeout_seconds = 30\n" };
        let config =
            format!("{more}\n{patient}[lsp.servers.words]\n{words}\nextensions = {{ \".words\" = \"words\" }}\n");
        fs::write(house.config().join("config.toml"), config).unwrap();
        Served(house)
    }

    fn run(&self, arguments: &[&str]) -> Run {
        self.0.run(&[arguments, &["--json", "--conversation", "c"]].concat())
    }

    fn start(&self, arguments: &[&str]) -> Child {
        let mut command = self.0.command(&[arguments, &["--json"]].concat());
        command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap()
    }

    /// What the servers noted of this kind, each with its process.
    fn noted(&self, kind: &str) -> Vec<(u64, Value)> {
        let log = fs::read_to_string(self.0.scratch("log")).unwrap_or_default();
        let lines = log.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
        lines
            .filter(|line| !line[kind].is_null())
            .map(|line| (line["pid"].as_u64().unwrap(), line[kind].clone()))
            .collect()
    }

    fn count(&self, method: &str) -> usize {
        self.noted("message").iter().filter(|(_, message)| message["method"] == method).count()
    }

    /// Every process that the servers were or started.
    fn processes(&self) -> Vec<u64> {
        let children = self.noted("child").into_iter().filter_map(|(_, child)| child.as_u64());
        self.noted("started").into_iter().map(|(pid, _)| pid).chain(children).collect()
    }

    #[track_caller]
    fn nothing_is_left(&self) {
        let processes = self.processes();
        assert!(!processes.is_empty());
        let over = Instant::now() + Duration::from_secs(3);
        let alive = || processes.iter().filter(|pid| is_alive(**pid)).copied().collect::<Vec<_>>();
        while !alive().is_empty() {
            assert!(Instant::now() < over, "still there: {:?}", alive());
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    fn daemon(&self) -> u64 {
        self.run(&["daemon", "status"]).code(0).object()["pid"].as_u64().unwrap()
    }
}

/// Whether a process is there and no zombie.
fn is_alive(pid: u64) -> bool {
    let state = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    state.rsplit_once(") ").is_some_and(|(_, rest)| !rest.starts_with('Z'))
}

fn signal(pid: u64, name: &str) {
    assert!(std::process::Command::new("kill").args([name, &pid.to_string()]).status().unwrap().success());
}

fn places(run: &Run) -> Vec<String> {
    let answer = run.object();
    let found = answer["locations"].as_array().unwrap_or_else(|| panic!("{answer}"));
    let place = |at: &Value| {
        let star = if at["definition"] == true { "*" } else { "" };
        format!("{}:{}:{}{star}", at["file"].as_str().unwrap(), at["line"], at["column"])
    };
    found.iter().map(place).collect()
}

/// The messages of the diagnostics; none where nobody looked.
fn brought(run: &Run) -> Option<Vec<String>> {
    let diagnostics = run.object()["diagnostics"].clone();
    let list = diagnostics.as_array()?;
    Some(list.iter().map(|one| one["message"].as_str().unwrap().to_owned()).collect())
}

#[test]
fn a_symbol_is_found_by_file_or_by_its_name_alone() {
    let served = Served::new(FILES, &[], "");
    let all = ["a.words:1:5*", "a.words:2:5", "b.words:2:1"];
    assert_eq!(
        places(&served.run(&["lsp", "findReferences", "greet", "--file", "a.words", "--line", "1"]).code(0)),
        all
    );
    assert_eq!(places(&served.run(&["lsp", "findReferences", "greet"]).code(0)), all);
    assert_eq!(places(&served.run(&["lsp", "goToDefinition", "greet", "--file", "b.words"])), ["a.words:1:5*"]);
    let hover = served.run(&["lsp", "hover", "greet"]).code(0).object();
    assert_eq!((&hover["hover"], &hover["server"]), (&json!("the word greet"), &json!("words")));
    assert_eq!(hover["incomplete"], json!(false));
    let text = served.0.run(&["lsp", "findReferences", "greet", "--max", "2"]).code(0).out;
    assert_eq!(text, "a.words:1:5  def greet  (definition)\na.words:2:5  say greet\n… there are more; raise `max`\n");
    assert_eq!(served.noted("started").len(), 1, "all of it is one process");
}

#[test]
fn what_cannot_be_asked_is_said() {
    let served = Served::new(FILES, &[], "");
    served.0.write("x.unheard", b"greet");
    served.0.write("build.zig", b"");
    let asked = |arguments: &[&str], code: i32, kind: &str, words: &[&str]| {
        says(&served.run(&[&["lsp"], arguments].concat()).code(code), kind, words);
    };
    asked(&["hover"], 2, "bad_input", &["`hover` needs `symbol`"]);
    asked(&["workspaceSymbol", ""], 2, "bad_input", &["text to search for"]);
    asked(&["rename", "greet", "--file", "a.words"], 2, "bad_input", &["`new_name`"]);
    asked(&["rename", "greet", "--file", "a.words", "--new-name", "a b"], 2, "bad_input", &["`a b` is no name"]);
    asked(&["codeActions", "--file", "a.words"], 2, "bad_input", &["`line`"]);
    asked(&["hover", "greet", "--file", "a.words", "--line", "0"], 2, "bad_input", &["counts from 1"]);
    asked(&["hover", "greet", "--file", "none.words"], 2, "bad_input", &["none.words"]);
    asked(&["hover", "x", "--file", "x.unheard"], 2, "unsupported", &["`.unheard`"]);
    asked(&["hover", "x", "--file", "build.zig"], 2, "unavailable", &["`zls`"]);
    asked(&["hover", "nobody", "--file", "a.words"], 1, "not_found", &["`nobody`"]);
    asked(&["hover", "nobody"], 1, "not_found", &["`nobody`"]);
    asked(&["supertypes", "greet", "--file", "a.words"], 2, "unsupported", &["words", "supertypes"]);
    asked(&["textDocument/hover", "greet"], 2, "bad_input", &["invalid value"]);
    served.0.write("d.words", b"def greet\n");
    let run = served.run(&["lsp", "hover", "greet"]).code(2);
    says(&run, "bad_input", &["2 symbols are called `greet`", "a.words:1", "d.words:1"]);
    assert_eq!(run.object()["error"]["candidates"].as_array().unwrap().len(), 2);
}

#[test]
fn a_rename_is_a_proposal_and_the_server_knows_when_it_is_written() {
    let served = Served::new(FILES, &[], "");
    let prepared = served.run(&["lsp", "rename", "greet", "--new-name", "hail"]).code(0).object();
    assert_eq!(
        (&prepared["changes"], &prepared["state"], &prepared["diagnostics"]),
        (&json!(3), &json!("pending"), &Value::Null)
    );
    assert_eq!(served.0.read("b.words"), "use a\ngreet\n");
    let id = prepared["proposal"].as_str().unwrap().to_owned();
    let accepted = served.run(&["resolve", &id, "accept"]).code(0);
    assert_eq!((accepted.object()["files"].clone(), brought(&accepted)), (json!(["a.words", "b.words"]), Some(vec![])));
    assert_eq!(served.0.read("b.words"), "use a\nhail\n");
    assert_eq!(places(&served.run(&["lsp", "findReferences", "hail"])).len(), 3);
    let again = served.run(&["resolve", &id, "accept"]).code(0).object();
    assert_eq!((&again["state"], &again["diagnostics"]), (&json!("accepted"), &json!([])));
}

#[test]
fn check_says_what_a_change_would_break_and_takes_it_back() {
    let served = Served::new(&[("a.words", "def greet\n"), ("b.words", "use a\n")], &[], "");
    let run = served.run(&["write", "b.words", "--prepare"]);
    assert_eq!(run.code, 0, "{run:?}");
    let broken = served.run(&["lsp", "rename", "a", "--file", "b.words", "--new-name", "nowhere", "--check"]).code(0);
    assert_eq!(brought(&broken), Some(vec!["there is no file nowhere".to_owned()]));
    assert!(broken.object()["notes"].to_string().contains("checked by words"), "{broken:?}");
    assert_eq!(served.0.read("b.words"), "use a\n");
    let harmless =
        served.run(&["lsp", "rename", "greet", "--file", "a.words", "--new-name", "hail", "--check"]).code(0);
    assert_eq!(brought(&harmless), Some(vec![]));
    let symbols = served.run(&["lsp", "documentSymbol", "--file", "a.words"]).object();
    assert_eq!(symbols["symbols"][0]["name"], "greet");
    assert_eq!(brought(&served.run(&["check", "b.words"]).code(0)), Some(vec![]));
}

#[test]
fn a_write_tells_what_it_brought_and_nothing_else() {
    let served = Served::new(&[("a.words", "one\nwrong: old\n"), ("b.words", "use a\n")], &[], "");
    let edit = |old: &str, new: &str| served.run(&["edit", "a.words", old, new]).code(0);
    assert_eq!(brought(&edit("one", "line\nline\nline\none")), Some(vec![]), "old errors that move are not new");
    assert_eq!(brought(&edit("one", "one\nwrong: mine")), Some(vec!["mine".to_owned()]));
    assert_eq!(brought(&edit("one", "one\nwrong: mine")), Some(vec!["mine".to_owned()]), "a second one alike is new");
    let somebody = served.0.read("a.words") + "wrong: theirs\n";
    served.0.write("a.words", somebody.as_bytes());
    assert_eq!(brought(&edit("one", "two")), Some(vec![]));
    let check = || served.run(&["check", "--new", "a.words"]);
    assert_eq!(brought(&check().code(1)), Some(vec!["theirs".to_owned()]), "what somebody else brought is told once");
    assert_eq!(brought(&check().code(0)), Some(vec![]));
    // One that depends on the written file and that the server has open is told of, too.
    served.run(&["check", "b.words"]).code(0);
    assert_eq!(brought(&edit("two", "three")), Some(vec![]));
    let plain = served.0.run_with_input(&["write", "x.unheard", "--json"], b"text\n").code(0);
    assert_eq!(brought(&plain), None);
    assert!(plain.object()["notes"].to_string().contains("not checked: "), "{plain:?}");
}

#[test]
fn what_is_new_is_new_to_a_conversation_and_begins_at_head() {
    let served = Served::new(&[("a.words", "wrong: old\n")], &[], "");
    let git = |arguments: &[&str]| {
        let mut command = std::process::Command::new("git");
        command.args(["-c", "user.name=a", "-c", "user.email=a@b"]).args(arguments).current_dir(&served.0.root);
        assert!(command.output().unwrap().status.success());
    };
    git(&["init", "-q"]);
    git(&["add", "-A"]);
    git(&["commit", "-qm", "x"]);
    served.0.write("a.words", b"above\nwrong: old\nwrong: new\n");
    served.0.write("n.words", b"wrong: untracked\n");
    assert_eq!(brought(&served.run(&["check"]).code(1)).unwrap().len(), 3);
    assert_eq!(brought(&served.run(&["check", "--new"]).code(1)), Some(vec!["new".to_owned(), "untracked".to_owned()]));
    assert_eq!(brought(&served.run(&["check", "--new"]).code(0)), Some(vec![]));
    let other = |arguments: &[&str]| served.0.run(&[arguments, &["--json", "--conversation", "other"]].concat());
    assert_eq!(brought(&other(&["check", "--prime"]).code(0)), Some(vec![]));
    assert_eq!(brought(&other(&["check", "--new"]).code(0)), Some(vec![]));
}

#[test]
fn a_server_that_says_nothing_is_neither_clean_nor_a_finding() {
    let served = Served::new(FILES, &["mute"], "[lsp]\ndiagnostics_timeout_seconds = 1");
    let checked = served.run(&["check", "c.words"]).code(0).object();
    assert_eq!((&checked["state"], &checked["incomplete"]), (&json!("timeout"), &json!(true)));
    let written = served.0.run_with_input(&["write", "c.words", "--json"], b"x\n").code(0);
    assert_eq!(brought(&written), None);
    assert!(written.object()["notes"].to_string().contains("in time"), "{written:?}");
}

#[test]
fn a_server_that_never_starts_keeps_no_file_from_being_written() {
    let served = Served::new(FILES, &["deaf"], "[lsp]\ndiagnostics_timeout_seconds = 1");
    for text in ["one\n", "two\n"] {
        let written = served.0.run_with_input(&["write", "c.words", "--json"], text.as_bytes()).code(0);
        assert_eq!((written.object()["state"].clone(), brought(&written)), (json!("accepted"), None));
        assert_eq!(served.0.read("c.words"), text);
    }
    served.run(&["daemon", "stop"]).code(0);
    served.nothing_is_left();
}

#[test]
fn eight_first_questions_are_one_daemon_and_one_server() {
    let served = Served::new(FILES, &[], "");
    let asking: Vec<Child> = (0..8).map(|_| served.start(&["lsp", "hover", "greet", "--file", "a.words"])).collect();
    for child in asking {
        let output = child.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{output:?}");
    }
    assert_eq!(served.noted("started").len(), 1);
    let status = served.run(&["daemon", "status"]).code(0).object();
    assert_eq!((&status["pending"], &status["servers"][0]["server"]), (&json!(0), &json!("words")));
    let name = status["socket"].as_str().unwrap();
    assert_eq!(Path::new(name).file_stem().unwrap().len(), 16, "{name}");
    served.run(&["daemon", "stop"]).code(0);
    assert!(!Path::new(name).exists());
    assert_eq!(served.run(&["daemon", "status"]).code(1).object(), json!({"running": false}));
    served.nothing_is_left();
}

#[test]
fn whatever_dies_leaves_no_process() {
    for how in ["stop", "-TERM", "-KILL"] {
        let served = Served::new(FILES, &["stubborn"], "");
        served.run(&["lsp", "hover", "greet", "--file", "a.words"]).code(0);
        assert_eq!(served.processes().len(), 2);
        match how {
            "stop" => drop(served.run(&["daemon", "stop"]).code(0)),
            name => signal(served.daemon(), name),
        }
        served.nothing_is_left();
        // The next question starts both anew.
        served.run(&["lsp", "hover", "greet", "--file", "a.words"]).code(0);
        assert_eq!(served.noted("started").len(), 2);
    }
}

#[test]
fn a_client_that_goes_calls_its_question_off() {
    let served = Served::new(FILES, &["slow"], "");
    served.run(&["lsp", "documentSymbol", "--file", "a.words"]).code(0);
    for name in ["-INT", "-KILL"] {
        let before = served.count("textDocument/hover");
        let mut child = served.start(&["lsp", "hover", "greet", "--file", "a.words"]);
        let over = Instant::now() + Duration::from_secs(10);
        while served.count("textDocument/hover") == before && Instant::now() < over {
            std::thread::sleep(Duration::from_millis(20));
        }
        signal(child.id().into(), name);
        let status = child.wait().unwrap();
        assert_eq!(status.code(), (name == "-INT").then_some(130));
        served.run(&["lsp", "documentSymbol", "--file", "a.words"]).code(0);
    }
    assert_eq!(served.count("$/cancelRequest"), 2);
    assert_eq!(served.noted("started").len(), 1);
}

#[test]
fn nobody_is_started_in_vain() {
    let served = Served::new(&[("x.unheard", "a"), ("build.zig", "")], &[], "");
    served.0.run_with_input(&["write", "x.unheard"], b"b").code(0);
    served.0.run_with_input(&["write", "build.zig"], b"b").code(0);
    served.run(&["lsp", "hover", "x", "--file", "build.zig"]).code(2);
    assert_eq!(served.run(&["daemon", "status"]).code(1).object(), json!({"running": false}));
}

#[test]
fn idle_servers_go_and_then_the_daemon() {
    let served = Served::new(FILES, &[], "[daemon]\nidle_seconds = 2");
    served.run(&["lsp", "hover", "greet", "--file", "a.words"]).code(0);
    let over = Instant::now() + Duration::from_secs(10);
    while served.run(&["daemon", "status"]).code == 0 {
        assert!(Instant::now() < over);
        std::thread::sleep(Duration::from_millis(100));
    }
    served.nothing_is_left();
}

#[test]
fn a_checkout_cannot_say_what_is_run_until_it_is_trusted() {
    let served = Served::new(FILES, &[], "");
    served.0.write(
        "vise.toml",
        b"[lsp.servers.own]\ncommand = ['sh', '-c', 'echo x > ran']\nextensions = { '.own' = 'own' }\n",
    );
    served.0.write("a.own", b"greet\n");
    let asked = || served.run(&["lsp", "hover", "greet", "--file", "a.own"]).code(2);
    let run = asked();
    says(&run, "unsupported", &["`.own`"]);
    assert!(run.err.contains("not trusted"), "{run:?}");
    served.run(&["trust"]).code(0);
    says(&asked(), "unavailable", &["`own`"]);
    assert!(served.0.root.join("ran").exists());
    served.0.write(
        "vise.toml",
        b"[lsp.servers.own]\ncommand = ['sh', '-c', 'echo x > ran2']\nextensions = { '.own' = 'own' }\n",
    );
    says(&asked(), "unsupported", &["`.own`"]);
    assert!(!served.0.root.join("ran2").exists());
}

#[test]
fn doctor_says_what_works_and_why_not() {
    let served = Served::new(&[("a.words", ""), ("build.zig", "")], &[], "");
    let found = served.run(&["doctor"]).code(0).object();
    let servers = found["servers"].as_array().unwrap();
    let of = |extension: &str| servers.iter().find(|one| one["extension"] == extension).unwrap();
    assert_eq!((&of(".words")["server"], &of(".zig")["server"]), (&json!("words"), &Value::Null));
    assert!(of(".zig")["unusable"].to_string().contains("zls"));
    assert_eq!((&found["trusted"], &found["daemon"]), (&json!(false), &json!({"running": false})));
    assert!(served.0.run(&["doctor"]).code(0).out.contains("none can be used"));
}
