//! `cargo xtask acceptance`: runs cases that live outside this repository against the release binary.

use std::path::PathBuf;
use std::process::Command;

use crate::run::{Result, cargo, require, step};

#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// Folder with `run_structural.py`, for example `../shared/cases`
    #[arg(long, value_name = "DIR")]
    cases: Option<PathBuf>,
    /// Words handed to the runner, after `--`: for example `-v --only C4`
    #[arg(last = true)]
    rest: Vec<String>,
}

pub(crate) fn run(arguments: &Arguments) -> Result {
    let Some(folder) = &arguments.cases else {
        eprintln!("nothing to run: the cases are not part of this repository; name their folder with --cases DIR");
        return Ok(());
    };
    let runner = folder.join("run_structural.py");
    if !runner.is_file() {
        return Err(format!("`{}` is not there; --cases wants the folder that holds it", runner.display()));
    }
    let python = require("python3", "the cases are run by a Python script", "apt-get install python3")?;
    step(cargo().args(["build", "--release", "-p", "vise"]))?;
    let vise = crate::target().join("release").join("vise");
    step(Command::new(python).arg(runner).args(["--engine", "vise"]).args(&arguments.rest).env("VISE", vise))
}
