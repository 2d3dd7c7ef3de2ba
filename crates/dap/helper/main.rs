//! For the tests: a guard.

#![cfg(unix)]

use std::process::ExitCode;

fn main() -> ExitCode {
    vise_peer::guard_main(std::env::args_os().skip(2))
}
