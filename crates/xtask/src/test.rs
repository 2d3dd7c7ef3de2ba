//! `cargo xtask test`: the whole test command, from a clean clone.
//!
//! Everything is built in the release profile, once. The grammars are some 60 MB of generated C: a dev build beside
//! the release build would compile them twice, and the end-to-end tests, the corpus and the comparison with ast-grep
//! want the optimised binary anyway. The price is that `debug_assert!` and overflow checks sleep in this run;
//! `cargo test -p NAME` in the dev profile wakes them while one works on a crate.

use std::path::Path;

use crate::lock;
use crate::run::{Result, cargo, require, step};
use crate::servers;

#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// Words handed to `cargo test`: a name to filter by, or `-p NAME`
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    filter: Vec<String>,
}

pub(crate) fn run(arguments: &Arguments) -> Result {
    require("git", "tests make real checkouts with it", "apt-get install git")?;
    let ast_grep = lock::ast_grep()?;

    // Binaries and tests in one go: apart, the binary would be built without the features that the tests' own
    // dependencies switch on in shared ones, and most of it a second time with them.
    step(cargo().args(["build", "--release", "--workspace", "--bins", "--tests"]))?;
    let vise = crate::target().join("release").join("vise");
    step(
        with_tools(cargo().args(["test", "--release", "--workspace", "--no-fail-fast"]), &vise, &ast_grep)
            .args(&arguments.filter),
    )?;
    if !arguments.filter.is_empty() {
        return Ok(());
    }
    // The tests against real tools are marked `ignore`, so that a plain `cargo test` on a bare machine says that it
    // left them out. They come last; the final lines are theirs, in cargo's own words.
    let servers = servers::install()?;
    step(
        with_tools(cargo().args(["test", "--release", "--workspace", "--test", "real"]), &vise, &ast_grep)
            .env("LSP_TOOLS", servers)
            .args(["--", "--ignored"]),
    )
}

fn with_tools<'c>(
    command: &'c mut std::process::Command,
    vise: &Path,
    ast_grep: &Path,
) -> &'c mut std::process::Command {
    command.env("VISE", vise).env("AST_GREP", ast_grep)
}
