//! How a conversation begins: the order in which things are said, which is not the same with any two adapters.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};
use tokio::net::{TcpListener, UnixStream};
use vise_peer::{GuardProgram, Peer, Start};
use vise_syntax::adapters::{Dialect, Transport};

use super::find::Found;
use super::live::{ANSWER, Live, Unanswered, limits};
use crate::error::{Error, Kind};

/// What is said at the beginning.
#[derive(Debug, Clone)]
pub(crate) struct Setup {
    /// Whose words are used.
    pub(crate) dialect: Dialect,
    /// The arguments of `launch`.
    pub(crate) launch: Value,
    /// At which exceptions to stop: the adapter's names, of which only those it offers are said.
    pub(crate) filters: Vec<String>,
    /// The same with conditions.
    pub(crate) options: Vec<Value>,
    /// Functions to stop at.
    pub(crate) functions: Vec<String>,
    /// How long it may take until the program is there; some build it first.
    pub(crate) build: Duration,
}

/// What an adapter is started with.
pub(crate) struct Opening<'a> {
    pub(crate) guard: &'a GuardProgram,
    pub(crate) records: Option<&'a Path>,
    pub(crate) found: &'a Found,
    pub(crate) setup: Setup,
    /// The environment of the adapter, and so of the program.
    pub(crate) base: Vec<(OsString, OsString)>,
    pub(crate) env: Vec<(OsString, OsString)>,
    /// Where it works.
    pub(crate) folder: &'a Path,
    /// A folder that only we can read, for its socket.
    pub(crate) scratch: &'a Path,
}

/// Starts an adapter and opens the first line to it.
pub(crate) async fn open(opening: Opening<'_>) -> Result<Arc<Live>, Error> {
    let found = opening.found;
    let start = Start {
        guard: opening.guard.clone(),
        program: found.program.clone().into(),
        arguments: found.arguments.clone(),
        folder: opening.folder.to_owned(),
        base: Some(opening.base),
        env: found.env.iter().cloned().chain(opening.env).collect(),
        framed: found.preset.transport == Transport::Stdio,
        limits: vise_peer::Limits { frames: limits(), ..vise_peer::Limits::default() },
        records: opening.records.map(Path::to_owned),
    };
    let failed = |error: vise_peer::Error| Error::peer(format!("`{}`: {error}", found.preset.id));
    let io =
        |error: std::io::Error| Error::new(Kind::Internal, format!("no socket for `{}`: {error}", found.preset.id));
    match found.preset.transport {
        Transport::Stdio => {
            let (peer, incoming) = Peer::start(start).await.map_err(failed)?;
            let live = Live::new(Arc::new(peer), None, opening.setup, false);
            live.over_streams(incoming);
            Ok(live)
        }
        Transport::DialsUs => {
            // It dials an address that is ours already, so nobody can be there before it, and nobody after it.
            let listener = TcpListener::bind(("127.0.0.1", 0)).await.map_err(io)?;
            let address = listener.local_addr().map_err(io)?;
            let mut start = start;
            start.arguments.extend(["--client-addr".into(), address.to_string().into()]);
            let (peer, incoming) = Peer::start(start).await.map_err(failed)?;
            let live = Live::new(Arc::new(peer), None, opening.setup, true);
            live.take_output(incoming, true);
            tokio::select! {
                accepted = tokio::time::timeout(ANSWER, listener.accept()) => match accepted {
                    Ok(Ok((stream, _))) => live.over_socket(0, stream),
                    Ok(Err(error)) => return Err(io(error)),
                    Err(_) => return Err(live.lost("the adapter did not dial us within 15 s")),
                },
                exit = live.peer.exited() => return Err(live.lost(&format!("the adapter ended with {exit}"))),
            }
            Ok(live)
        }
        Transport::Socket => {
            let socket = opening.scratch.join("adapter");
            let mut start = start;
            start.arguments.push(socket.clone().into());
            let (peer, incoming) = Peer::start(start).await.map_err(failed)?;
            let live = Live::new(Arc::new(peer), Some(socket.clone()), opening.setup, false);
            live.take_output(incoming, false);
            let stream = dial(&live, &socket).await?;
            live.over_socket(0, stream);
            Ok(live)
        }
    }
}

/// A connection to an adapter that is about to listen.
async fn dial(live: &Arc<Live>, socket: &PathBuf) -> Result<UnixStream, Error> {
    let deadline = tokio::time::Instant::now() + ANSWER;
    loop {
        match UnixStream::connect(socket).await {
            Ok(stream) => return Ok(stream),
            Err(error) if tokio::time::Instant::now() > deadline => {
                return Err(live.lost(&format!("the adapter does not listen: {error}")));
            }
            Err(_) => {}
        }
        tokio::select! {
            exit = live.peer.exited() => return Err(live.lost(&format!("the adapter ended with {exit}"))),
            () = tokio::time::sleep(Duration::from_millis(20)) => {}
        }
    }
}

/// Another line, for a child of the program: without it the child waits for ever.
pub(crate) async fn child(live: Arc<Live>, request: String, configuration: Value) {
    let Some(socket) = live.socket.clone() else { return };
    let line = live.with(crate::session::Session::open);
    match dial(&live, &socket).await {
        Ok(stream) => live.over_socket(line, stream),
        Err(error) => return live.with(|session| session.close(line, &error.message)),
    }
    if let Err(why) = begin(&live, line, &request, configuration).await {
        let why = why.error(&live, "launch").message;
        live.with(|session| session.close(line, &why));
    }
}

/// Says everything that has to be said before the program runs. It runs when this is done.
pub(crate) async fn begin(live: &Arc<Live>, line: usize, request: &str, arguments: Value) -> Result<(), Unanswered> {
    let dialect = live.setup.dialect;
    let hello = json!({
        "clientID": "vise",
        "clientName": "vise",
        "adapterID": if dialect == Dialect::JsDebug { "pwa-node" } else { "vise" },
        "locale": "en",
        "pathFormat": "path",
        "linesStartAt1": true,
        "columnsStartAt1": true,
        "supportsVariableType": true,
        "supportsRunInTerminalRequest": false,
        "supportsStartDebuggingRequest": dialect == Dialect::JsDebug,
    });
    live.request(line, "initialize", hello, ANSWER).await?;
    let mut launch = live.send(line, request, &arguments);
    let mut launched = false;
    let allowed = live.setup.build;
    // Which of the two comes first differs; a launch that fails is not followed by the other.
    let ready = live.until(allowed, |session| {
        let ended = session.is_over(line).then(|| Err(session.gone(line).unwrap_or("the program ended").to_owned()));
        session.is_initialized(line).then_some(Ok(())).or(ended)
    });
    tokio::pin!(ready);
    let ready = loop {
        tokio::select! {
            biased;
            answer = &mut launch, if !launched => match answer {
                Ok(answer) => {
                    answer?;
                    launched = true;
                }
                Err(_) => return Err(Unanswered::Gone("the session ended".to_owned())),
            },
            ready = &mut ready => break ready,
        }
    };
    match ready {
        Some(Ok(())) => {}
        // The answer to the launch says more than the end of the line.
        Some(Err(why)) => {
            let answer = tokio::time::timeout(Duration::from_millis(200), launch).await;
            return Err(match answer {
                Ok(Ok(Err(failure))) => failure.into(),
                _ => Unanswered::Gone(why),
            });
        }
        None => return Err(Unanswered::Silent(allowed)),
    }
    for file in live.see(|session| session.table.files()) {
        set_breakpoints(live, line, &file).await?;
    }
    let functions: Vec<Value> = live.setup.functions.iter().map(|name| json!({"name": name})).collect();
    if !functions.is_empty() && live.see(|session| session.can(line, "supportsFunctionBreakpoints")) {
        // One that cannot be set is no reason to give up.
        let answer = live.request(line, "setFunctionBreakpoints", json!({"breakpoints": functions}), ANSWER).await;
        given_up(answer)?;
    }
    let offered = live.see(|session| session.filters(line));
    if !offered.is_empty() {
        let wanted = |name: &&String| offered.contains(name);
        let mut arguments = json!({"filters": live.setup.filters.iter().filter(wanted).collect::<Vec<_>>()});
        if live.see(|session| session.can(line, "supportsExceptionFilterOptions")) && !live.setup.options.is_empty() {
            arguments["filterOptions"] = live.setup.options.clone().into();
        }
        given_up(live.request(line, "setExceptionBreakpoints", arguments, ANSWER).await)?;
    }
    if live.see(|session| session.can(line, "supportsConfigurationDoneRequest")) {
        given_up(live.request(line, "configurationDone", Value::Null, ANSWER).await)?;
    }
    if !launched {
        match tokio::time::timeout(ANSWER, launch).await {
            Ok(Ok(answer)) => drop(answer?),
            Ok(Err(_)) => return Err(Unanswered::Gone("the session ended".to_owned())),
            Err(_) => return Err(Unanswered::Silent(ANSWER)),
        }
    }
    if line == live.see(|session| session.main()) && (line > 0 || dialect != Dialect::JsDebug) {
        live.with(crate::session::Session::started);
    }
    Ok(())
}

/// A refusal is borne, silence is not.
fn given_up(answer: Result<Value, Unanswered>) -> Result<(), Unanswered> {
    match answer {
        Ok(_) | Err(Unanswered::Refused(_)) => Ok(()),
        Err(other) => Err(other),
    }
}

/// Tells the adapter all breakpoints of a file.
pub(crate) async fn set_breakpoints(live: &Arc<Live>, line: usize, file: &Path) -> Result<(), Unanswered> {
    let hit = match live.setup.dialect {
        Dialect::Delve | Dialect::JsDebug => "== ",
        Dialect::Debugpy | Dialect::LldbDap | Dialect::Gdb => "",
    };
    let arguments = live.see(|session| session.table.arguments(file, hit));
    match live.request(line, "setBreakpoints", arguments, ANSWER).await {
        Ok(body) => {
            live.with(|session| session.table.answered(line, file, &body));
            Ok(())
        }
        Err(Unanswered::Refused(why)) => {
            live.with(|session| session.table.refused(file, &why));
            Ok(())
        }
        Err(other) => Err(other),
    }
}
