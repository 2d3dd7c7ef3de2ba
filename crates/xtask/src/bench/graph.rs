//! `cargo xtask bench graph`: the code graph's cost, beside parsing alone and the tools installed beside us; with
//! `--suite`, what it finds of the call graphs that others wrote down; with `--oracle`, what a compiler says of its edges.

use std::path::PathBuf;

use crate::run::Result;

mod export;
mod oracle;
mod scip;
mod score;
mod speed;
mod suites;

#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// Score against an outside suite in this folder, or against all that are folders in it (can be repeated)
    #[arg(long, value_name = "DIR", conflicts_with = "oracle")]
    suite: Vec<PathBuf>,
    /// Compare with what a compiler says: a SCIP index, and the folder that it was made of
    #[arg(long, num_args = 2, value_names = ["FILE.scip", "DIR"])]
    oracle: Option<Vec<PathBuf>>,
    /// List what is missing and what is wrong, at most this many a case or kind of edge
    #[arg(long, value_name = "N", default_value_t = 0)]
    differences: usize,
    /// Only cases, or corpora, whose name contains this
    #[arg(long, value_name = "TEXT", default_value = "")]
    only: String,
    /// How many times a run is measured
    #[arg(long, default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..=1000))]
    runs: u32,
    /// Measure this binary instead of building the one of this workspace
    #[arg(long, value_name = "FILE")]
    vise: Option<PathBuf>,
}

pub(crate) fn run(arguments: &Arguments) -> Result {
    let vise = super::vise(arguments.vise.as_deref())?;
    match &arguments.oracle {
        Some(paths) => match &paths[..] {
            [index, folder] => oracle::run(&vise, index, folder, arguments.differences),
            _ => Err("`--oracle` wants a SCIP index and a folder".to_string()),
        },
        None if arguments.suite.is_empty() => speed::run(&vise, &arguments.only, arguments.runs),
        None => suites::run(&vise, &arguments.suite, &arguments.only, arguments.differences),
    }
}
