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
mod daemon;
mod doctor;
mod environment;
mod graph;
mod mcp;
mod output;
mod plain;
mod progress;
mod run;
mod search;
mod setup;
mod stop;
mod tour;
mod trust;

use std::process::ExitCode;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    // Both come before anything else in this process opens a file or starts a thread.
    let arguments: Vec<_> = std::env::args_os().collect();
    if arguments.get(1).is_some_and(|first| first == "guard") {
        return vise_peer::guard_main(arguments.into_iter().skip(2));
    }
    if arguments.get(1).is_some_and(|first| first == "daemon") && arguments.get(2).is_some_and(|next| next == "serve") {
        vise_peer::close_inherited();
    }
    allocator::use_small_pages();
    allocator::give_back_soon();
    allocator::share_with_parser();
    run::main()
}
