//! `cargo xtask test`: the whole test command, from a clean clone.
//!
//! Everything is built in the release profile, once. The grammars are some 60 MB of generated C: a dev build beside
//! the release build would compile them twice, and the end-to-end tests, the corpus and the comparison with ast-grep
//! want the optimised binary anyway. The price is that `debug_assert!` and overflow checks sleep in this run;
//! `cargo test -p NAME` in the dev profile wakes them while one works on a crate.

use std::path::PathBuf;
use std::process::Command;

use crate::adapters::{self, Adapters};
use crate::run::{Result, cargo, require, step};
use crate::servers::{self, Servers};
use crate::{corpora, lock};

#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// Words handed to `cargo test`: a name to filter by, or `-p NAME`
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    filter: Vec<String>,
}

pub(crate) fn run(arguments: &Arguments) -> Result {
    require("git", "tests make real checkouts with it", "apt-get install git")?;
    let tools = Tools {
        vise: crate::target().join("release").join("vise"),
        ast_grep: lock::ast_grep()?,
        engines: lock::engines()?,
        mcp_client: lock::mcp_client()?,
        repositories: corpora::side_by_side()?,
        servers: servers::install()?,
        adapters: adapters::install()?,
    };

    // Binaries and tests in one go: apart, the binary would be built without the features that the tests' own
    // dependencies switch on in shared ones, and most of it a second time with them.
    step(cargo().args(["build", "--release", "--workspace", "--bins", "--tests"]))?;
    step(tools.name(cargo().args(["test", "--release", "--workspace", "--no-fail-fast"])).args(&arguments.filter))?;
    if !arguments.filter.is_empty() {
        return Ok(());
    }
    // The tests against real tools are marked `ignore`, so that a plain `cargo test` on a bare machine says that it
    // left them out. They come last; the final lines are theirs, in cargo's own words. Servers take a processor each, and an
    // index that is waited for should not wait for its neighbours.
    let mut real = cargo();
    tools.name(real.args(["test", "--release", "--workspace", "--test", "real", "--test", "servers"]));
    real.args(["--", "--ignored", "--test-threads", "2"]);
    if tools.servers.without_rust.is_some() {
        real.args(["--skip", "rust_analyzer"]);
    }
    step(&mut real)?;
    let mut debuggers = cargo();
    tools.name(debuggers.args(["test", "--release", "--workspace"]));
    debuggers.args(tools.adapters.tests.iter().flat_map(|test| ["--test", test]));
    step(debuggers.args(["--", "--ignored", "--test-threads", "2"]))?;
    for lacks in &tools.adapters.left_out {
        eprintln!("xtask: tests of debug adapters were NOT RUN: {lacks}");
    }
    if let Some(why) = &tools.servers.without_rust {
        eprintln!("xtask: the tests of rust-analyzer were NOT RUN: {why}");
    }
    Ok(())
}

/// What the tests against real tools work with.
struct Tools {
    vise: PathBuf,
    ast_grep: PathBuf,
    /// A folder of Python packages.
    engines: PathBuf,
    /// Another one.
    mcp_client: PathBuf,
    /// A folder of repositories.
    repositories: PathBuf,
    /// Language servers.
    servers: Servers,
    /// Debug adapters.
    adapters: Adapters,
}

impl Tools {
    /// Tells a command where they are.
    fn name<'c>(&self, command: &'c mut Command) -> &'c mut Command {
        let Self { vise, ast_grep, engines, mcp_client, repositories, servers, adapters } = self;
        command.env("VISE", vise).env("AST_GREP", ast_grep).env("ENGINES", engines);
        command.env("MCP_CLIENT", mcp_client).env("REPOSITORIES", repositories).env("DAP_TOOLS", &adapters.folder);
        // A proxy of rustup that a server meets must not fetch a toolchain.
        command.env("LSP_TOOLS", &servers.folder).env("RUSTUP_DIST_SERVER", "http://127.0.0.1:9")
    }
}
