//! `cargo xtask`: the checks and chores of people who work on the house.
//!
//! Read `Command` below first: it is the whole list. Each chore is one file; `tidy/` holds one file a group of checks.
//!
//! It never ships, never links a grammar or a crate of the house (so that it builds in seconds; where it needs
//! them it runs cargo or the built binary), and never asserts on time: `bench` prints ratios and leaves judging to
//! whoever reads them.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Parser, Subcommand};

mod acceptance;
mod adapters;
mod bench;
mod corpora;
mod language;
mod lock;
mod run;
mod servers;
mod test;
mod tidy;
mod torture;

/// Checks and chores for people who work on Vise
#[derive(Parser)]
#[command(name = "cargo xtask", bin_name = "cargo xtask")]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Install what the tests need, then run every test
    Test(test::Arguments),
    /// Check the rules of the house: sizes, words, arrows, links, dependencies
    Tidy,
    /// Lay out the folders of a new language
    NewLanguage(language::NewArguments),
    /// Run everything that is known about one language
    CheckLanguage(language::CheckArguments),
    /// Fetch real code to measure and try things on, into target/corpora
    Corpora,
    /// Measure against the tools installed beside us, as ratios
    Bench(bench::Arguments),
    /// Break the edit gate in every way we know, and count what came of it
    Torture(torture::Arguments),
    /// Run an outside folder of acceptance cases against the release binary
    Acceptance(acceptance::Arguments),
}

fn main() -> ExitCode {
    let outcome = match Arguments::parse().command {
        Command::Test(arguments) => test::run(&arguments),
        Command::Tidy => tidy::run(),
        Command::NewLanguage(arguments) => language::create(&arguments),
        Command::CheckLanguage(arguments) => language::check(&arguments),
        Command::Corpora => corpora::run(),
        Command::Bench(arguments) => bench::run(&arguments),
        Command::Torture(arguments) => torture::run(&arguments),
        Command::Acceptance(arguments) => acceptance::run(&arguments),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("xtask: {message}");
            ExitCode::FAILURE
        }
    }
}

/// The folder that holds the workspace's `Cargo.toml`.
fn root() -> PathBuf {
    // At run time cargo says where the package is; the compile-time value serves a binary that was started by hand.
    let package =
        std::env::var_os("CARGO_MANIFEST_DIR").map_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")), PathBuf::from);
    package.ancestors().nth(2).map(PathBuf::from).unwrap_or(package)
}

/// Cargo's target folder; tools, corpora and bench output live in it, so that a clean clone stays clean.
fn target() -> PathBuf {
    match std::env::var_os("CARGO_TARGET_DIR") {
        Some(folder) => root().join(folder),
        None => root().join("target"),
    }
}
