//! Ends: whatever is killed, nothing of a server is left; and however many ask, there is one.

use super::desk::Desk;
use super::projects::{self, Project};

/// One question that a cold server of this project has to answer, and how many lines the answer has.
fn question(project: &Project) -> &'static str {
    let has = |name: &str| project.files.iter().any(|(file, _)| *file == name);
    match () {
        () if has("main.py") => "lsp findReferences discount --file shop/price.py --line 6",
        () if has("src/price.ts") => "lsp findReferences discount --file src/price.ts --line 5",
        () if has("shop.cc") => "lsp findReferences discount --file shop.cc --line 4",
        () => "lsp findReferences discount --file src/price.rs --line 10",
    }
}

fn signal(pid: u32, name: &str) {
    let status = std::process::Command::new("kill").args([name, &pid.to_string()]).status();
    assert!(status.unwrap().success(), "kill {name} {pid}");
}

fn daemon(desk: &Desk) -> u32 {
    desk.run(&["daemon", "status"]).answer["pid"].as_u64().unwrap().try_into().unwrap()
}

/// Kills the daemon while its server runs, and while it is being asked; then the client; and stops it in good order.
fn kills(server: &'static str, project: &Project) {
    let desk = Desk::new(server, project, false);
    let question = question(project);
    assert!(desk.play(question).len() > 2);
    signal(daemon(&desk), "-KILL");
    desk.nothing_is_left();

    // A client that is killed takes nothing with it, and the next one is answered.
    let mut client = desk.start(&question.split(' ').collect::<Vec<_>>());
    let begun = std::time::Instant::now();
    while desk.processes().len() < 3 && begun.elapsed().as_secs() < 20 {
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    client.kill().unwrap();
    client.wait().unwrap();
    assert!(desk.play(question).len() > 2, "{server}: after a client that was killed");

    // The server itself dies: the next question starts another one.
    let status = desk.run(&["daemon", "status"]).answer;
    signal(status["servers"][0]["pid"].as_u64().unwrap().try_into().unwrap(), "-KILL");
    assert!(desk.play(question).len() > 2, "{server}: after its server was killed");
    desk.end();
}

macro_rules! kills {
    ($($name:ident $server:literal $project:ident;)*) => {$(
        #[test]
        #[ignore = "needs language servers; `cargo xtask test` installs them"]
        fn $name() {
            kills($server, &projects::$project);
        }
    )*};
}

kills! {
    nothing_of_ty_is_left "ty" PYTHON;
    nothing_of_pyright_is_left "pyright" PYTHON;
    nothing_of_basedpyright_is_left "basedpyright" PYTHON;
    nothing_of_pyrefly_is_left "pyrefly" PYTHON;
    nothing_of_typescript_7_is_left "tsc" TYPESCRIPT;
    nothing_of_typescript_language_server_is_left "typescript-language-server" TYPESCRIPT;
    nothing_of_vtsls_is_left "vtsls" TYPESCRIPT;
    nothing_of_clangd_is_left "clangd" CPP;
    nothing_of_rust_analyzer_is_left "rust-analyzer" RUST;
}

#[test]
#[ignore = "needs language servers; `cargo xtask test` installs them"]
fn ten_clients_at_once_are_served_by_one_process() {
    for (server, project) in [("pyright", &projects::PYTHON), ("tsc", &projects::TYPESCRIPT)] {
        let desk = Desk::new(server, project, false);
        let question = question(project);
        let answers: Vec<Vec<String>> = std::thread::scope(|scope| {
            let running: Vec<_> = (0..10)
                .map(|number| {
                    let desk = &desk;
                    scope.spawn(move || {
                        // Each is somebody else, with its own conversation.
                        let who = number.to_string();
                        let words: Vec<&str> = question.split(' ').chain(["--max", "100"]).collect();
                        let ran = desk.run_as(&who, &words);
                        super::shown::answer(&ran.answer, &desk.root)
                    })
                })
                .collect();
            running.into_iter().map(|thread| thread.join().unwrap()).collect()
        });
        assert!(answers[0].len() > 2 && answers.iter().all(|answer| *answer == answers[0]), "{answers:?}");
        let status = desk.run(&["daemon", "status"]).answer;
        assert_eq!(status["servers"].as_array().unwrap().len(), 1, "{status}");
        let program = status["servers"][0]["pid"].as_u64().unwrap();
        let same = desk.processes().into_iter().filter(|(pid, _)| u64::from(*pid) == program).count();
        assert_eq!(same, 1);
        desk.end();
    }
}
