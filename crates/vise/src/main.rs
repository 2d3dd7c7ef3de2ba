//! `vise`, the code-intelligence workbench: the binary.
//!
//! **What it is.** The command line around the tools of `vise_tools`: it reads arguments, environment and
//! configuration, shows reports in colour or as JSON, and turns errors into words and exit codes.
//!
//! **What to read first.** `cli.rs` (what can be typed), then `run.rs` (what happens then).
//!
//! **What it will never do.** It decides nothing about code: what a command finds or changes is said by its tool, so
//! that an agent and a person get the same answer.

mod allocator;
mod cli;
mod config;
mod environment;
mod graph;
mod output;
mod plain;
mod progress;
mod run;
mod search;
mod stop;
mod tour;

use std::process::ExitCode;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    allocator::use_small_pages();
    allocator::give_back_soon();
    allocator::share_with_parser();
    run::main()
}
