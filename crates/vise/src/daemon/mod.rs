//! The workspace's daemon: language servers live there, shared by every command and every agent that works on it.
//!
//! `serve.rs` is its process, `client.rs` whoever asks it; `wire.rs` is all that can be asked. A command finds it by its
//! socket (`place.rs`) and starts it where there is none; it goes by itself when nobody has asked for a while.

mod client;
mod place;
mod pools;
mod remote;
mod serve;
mod wire;

use std::fmt::Write as _;
use std::io::Write as _;
use std::sync::atomic::Ordering;

use clap::{Args, Subcommand};
use serde_json::{Value, json};
use vise_tools::{Session, ToolError};

use crate::cli::Global;
use crate::environment::Around;
use crate::output::{Failure, Output};
use crate::run::{Exit, answer};
use crate::stop;
use client::{Asking, Client};
use serve::serve;
use wire::What;

pub(crate) use remote::Remote;

#[derive(Debug, Args)]
pub(crate) struct Daemon {
    #[command(subcommand)]
    pub(crate) what: DaemonCommand,
}

#[derive(Debug, Clone, Copy, Subcommand)]
pub(crate) enum DaemonCommand {
    /// Show the daemon and its servers
    Status,
    /// End the daemon and everything that it started
    Stop,
    /// Be the daemon
    #[command(hide = true)]
    Serve,
}

/// Asks the daemon that is there something about itself.
fn ask(what: &What, client: &Client, session: &Session) -> Result<Option<Value>, ToolError> {
    let asking = Asking {
        conversation: &session.conversation,
        cwd: &session.folder,
        stopped: &|| session.stopped(),
        progress: &|_| (),
    };
    client.ask_running(what, &asking)
}

fn client(global: &Global, session: &Session) -> Client {
    Client { root: session.root.clone(), around: Around::ours(), data: global.data.clone() }
}

/// What the daemon says of itself; that there is none, where there is none.
pub(crate) fn status(global: &Global, session: &Session) -> Result<Value, ToolError> {
    let status = ask(&What::Status, &client(global, session), session)?;
    Ok(status.unwrap_or_else(|| json!({"running": false})))
}

/// `vise daemon`.
pub(crate) fn run(
    what: DaemonCommand,
    global: &Global,
    session: &Session,
    output: &mut Output,
) -> Result<Exit, Failure> {
    let report = match what {
        DaemonCommand::Status => status(global, session)?,
        DaemonCommand::Stop => {
            let client = client(global, session);
            match ask(&What::Stop { if_idle: false }, &client, session)? {
                Some(_) => {
                    client.wait_until_gone()?;
                    json!({"stopped": true})
                }
                None => json!({"running": false}),
            }
        }
        DaemonCommand::Serve => {
            // What a signal asks for is done in good order, and that takes a moment.
            stop::WRITING.store(true, Ordering::SeqCst);
            serve(session.root.clone(), global.data.as_deref(), &session.stop)?;
            return Ok(Exit::Found);
        }
    };
    let exit = if report["running"] == false { Exit::Nothing } else { Exit::Found };
    answer(output, global.json, &report, |_| words(&report).into_bytes())?;
    Ok(exit)
}

fn words(report: &Value) -> String {
    if report["stopped"] == true {
        return "the daemon has ended, and its servers with it\n".to_owned();
    }
    if report["running"] == false {
        return "no daemon is running for this workspace\n".to_owned();
    }
    let number = |value: &Value| value.as_u64().unwrap_or(0);
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let mut out = format!(
        "daemon {} ({}), up {} s, idle {} s, {} pending\n",
        number(&report["pid"]),
        text(&report["version"]),
        number(&report["age_seconds"]),
        number(&report["idle_seconds"]),
        number(&report["pending"])
    );
    for server in report["servers"].as_array().into_iter().flatten() {
        let busy = server["busy_with"].as_array().and_then(|busy| busy.first()).map(text);
        let _ = writeln!(
            out,
            "{}  pid {}  up {} s  {} MiB  {} pending  {}{}",
            text(&server["server"]),
            number(&server["pid"]),
            number(&server["age_seconds"]),
            number(&server["memory_bytes"]) >> 20,
            number(&server["pending"]),
            text(&server["root"]),
            busy.map(|busy| format!("  ({busy})")).unwrap_or_default()
        );
    }
    out
}

/// Writes a line to the log of the state folder, where `VISE_LOG` asks for one.
fn log(around: &Around, line: &str) {
    if std::env::var_os("VISE_LOG").is_none() {
        return;
    }
    let path = around.state_home.join("vise/daemon.log");
    let file = std::fs::OpenOptions::new().create(true).append(true).open(path);
    // A log that cannot be written is no reason to fail.
    let _ = file.and_then(|mut file| writeln!(file, "{} {line}", std::process::id()));
}
