//! `vise mcp`: the tools, offered to agents over the Model Context Protocol.
//!
//! `server.rs` is what the protocol asks of us, `list.rs` what agents are told of the tools, `call.rs` a call from its
//! arguments to its result. `workspaces.rs` finds the workspace that a call is about; `stdio.rs` and `http.rs` are the two
//! ways in. The protocol itself is `rmcp`'s.

mod call;
mod http;
mod list;
mod prompts;
mod resources;
mod roots;
mod server;
mod stdio;
mod telling;
mod workspaces;

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use clap::Args;
use rmcp::ServiceExt as _;
use rmcp::service::ServerInitializeError;
use tokio::runtime::Runtime;
use tokio_util::sync::CancellationToken;
use vise_tools::{ErrorKind, ToolError};

use crate::cli::Global;
use crate::output::Failure;
use crate::run::Exit;
use crate::stop;
use server::{Server, Shared};

/// Serve the tools to an agent over the Model Context Protocol, on the standard input and output
#[derive(Debug, Args)]
pub(crate) struct Mcp {
    /// Serve over HTTP instead, on a loopback address and port; 0 takes any free port
    #[arg(long, value_name = "ADDR")]
    http: Option<SocketAddr>,
}

/// Serves until the client goes, or a signal comes.
pub(crate) fn run(mcp: &Mcp, global: &Global, stopped: Arc<AtomicBool>) -> Result<Exit, Failure> {
    let runtime = runtime()?;
    let ended = CancellationToken::new();
    let end = ended.clone();
    stop::also(move || end.cancel());
    let shared = Arc::new(Shared::new(global.clone(), ended)?);
    let outcome = match mcp.http {
        Some(address) => runtime.block_on(http::serve(address, &shared, global)),
        None => runtime.block_on(serve(&shared)),
    };
    // What still runs was told to stop; what writes finishes first.
    shared.running.stop_all();
    shared.running.wait_for_writers();
    // A read of the standard input may hang for ever; it ends with the process.
    runtime.shutdown_background();
    match outcome {
        Ok(()) if stopped.load(std::sync::atomic::Ordering::Relaxed) => {
            Err(ToolError::new(ErrorKind::Unavailable, "ended by a signal").into())
        }
        Ok(()) => Ok(Exit::Found),
        Err(failure) => Err(failure),
    }
}

fn runtime() -> Result<Runtime, ToolError> {
    // Two threads carry messages; the work itself is done on others.
    tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .map_err(|error| ToolError::new(ErrorKind::Unavailable, format!("no threads can be started: {error}")))
}

/// Serves the one client of the standard input and output.
async fn serve(shared: &Arc<Shared>) -> Result<(), Failure> {
    let server = Server::new(shared.clone());
    let counted = server.clone();
    let input = stdio::input(shared.running.clone());
    let ended = shared.ended.clone();
    match server.serve_with_ct((input, tokio::io::stdout()), ended).await {
        Ok(running) => {
            let _ = running.waiting().await;
        }
        // A client that goes before it says anything wants nothing.
        Err(ServerInitializeError::ConnectionClosed(_) | ServerInitializeError::Cancelled) => return Ok(()),
        Err(ServerInitializeError::ExpectedInitializeRequest(_)) => {
            let error = ToolError::bad_input("the client did not begin with `initialize`");
            return Err(error.hint("`vise mcp` is started by an agent; `vise init` writes its entry").into());
        }
        Err(error) => return Err(Failure::Output(io::Error::other(error.to_string()))),
    }
    counted.say_counts();
    Ok(())
}
