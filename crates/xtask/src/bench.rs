//! `cargo xtask bench`: what our mechanisms cost and find, beside the tools and yardsticks of others.
//!
//! Read [`cost`] for how a run is measured; `search`, `graph` and `lsp` are the benches.

use std::path::{Path, PathBuf};

use crate::run::{Result, cargo, step};

mod cost;
mod graph;
mod lsp;
mod search;

#[derive(clap::Args)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    what: What,
}

#[derive(clap::Subcommand)]
enum What {
    /// Structural search against ast-grep
    Search(search::Arguments),
    /// The code graph: cost, outside suites, a compiler as oracle
    Graph(graph::Arguments),
    /// Language servers: what we add to their own time, memory of ten clients, cold starts
    Lsp(lsp::Arguments),
}

pub(crate) fn run(arguments: &Arguments) -> Result {
    match &arguments.what {
        What::Search(arguments) => search::run(arguments),
        What::Graph(arguments) => graph::run(arguments),
        What::Lsp(arguments) => lsp::run(arguments),
    }
}

/// The binary to measure: the one that was named, else this workspace's, built.
fn vise(named: Option<&Path>) -> Result<PathBuf> {
    match named {
        Some(file) => file.canonicalize().map_err(|error| format!("`{}`: {error}", file.display())),
        None => {
            step(cargo().args(["build", "--release", "-p", "vise"]))?;
            Ok(crate::target().join("release").join("vise"))
        }
    }
}
