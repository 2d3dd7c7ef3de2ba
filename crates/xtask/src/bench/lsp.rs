//! `cargo xtask bench lsp`: what we add to a language server's own time, what ten clients cost, and how long a cold server
//! takes to its first complete answer.
//!
//! What the daemon took for a question, and how much of that the server took, is in the daemon's log (`VISE_LOG`); the
//! rest of the wall time is ours.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

use serde_json::Value;

use super::cost::median;
use crate::corpora::CORPORA;
use crate::run::{Result, create_dir, remove_dir, shown, write};
use crate::servers;

#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// How often each warm question is asked
    #[arg(long, default_value_t = 200, value_parser = clap::value_parser!(u32).range(1..=10000))]
    runs: u32,
    /// Measure this binary instead of building the one of this workspace
    #[arg(long, value_name = "FILE")]
    vise: Option<PathBuf>,
}

/// The servers whose cold start is measured on Django, each with its command below the folder of servers.
const PYTHON: [(&str, &[&str]); 4] = [
    ("ty", &["python/bin/ty", "server"]),
    ("pyright", &["pyright/node_modules/.bin/pyright-langserver", "--stdio"]),
    ("basedpyright", &["python/bin/basedpyright-langserver", "--stdio"]),
    ("pyrefly", &["python/bin/pyrefly", "lsp"]),
];

/// A symbol of Django that many files use.
const ASKED: [&str; 4] = ["lsp", "findReferences", "QuerySet", "--file"];
const FILE: &str = "django/db/models/query.py";

/// Somebody with settings of their own, at work in a checkout.
struct Desk<'d> {
    vise: &'d Path,
    folder: PathBuf,
    root: &'d Path,
}

impl<'d> Desk<'d> {
    fn new(vise: &'d Path, root: &'d Path, name: &str, server: &str, command: &[String]) -> Result<Desk<'d>> {
        let folder = std::env::temp_dir().join(format!("vise-bench-{}-{name}", std::process::id()));
        remove_dir(&folder)?;
        create_dir(&folder)?;
        let python = crate::target().join("tools/servers/python");
        let config = format!(
            "[lsp]\nready_timeout_seconds = 120\n[lsp.servers.{server}]\ncommand = {command:?}\nenv = {{ PYTHONPATH = {python:?} }}\n"
        );
        write(&folder.join("config/vise/config.toml"), &config)?;
        Ok(Desk { vise, folder, root })
    }

    fn command(&self, words: &[&str]) -> Command {
        let mut command = Command::new(self.vise);
        command.args(words).args(["--json", "--conversation", "bench"]).current_dir(self.root).stdin(Stdio::null());
        for (variable, name) in
            [("XDG_STATE_HOME", "state"), ("XDG_CONFIG_HOME", "config"), ("XDG_CACHE_HOME", "cache")]
        {
            command.env(variable, self.folder.join(name));
        }
        command.env_remove("XDG_RUNTIME_DIR").env_remove("VISE_TRUST").env("VISE_LOG", "debug");
        command.env("RUSTUP_DIST_SERVER", "http://127.0.0.1:9");
        command
    }

    /// The answer, and the seconds that it took.
    fn ask(&self, words: &[&str]) -> Result<(Value, f64)> {
        let mut command = self.command(words);
        let began = Instant::now();
        let output = command.output().map_err(|error| format!("cannot start `{}`: {error}", shown(&command)))?;
        let wall = began.elapsed().as_secs_f64();
        let answer: Value = serde_json::from_slice(&output.stdout)
            .map_err(|error| format!("`{}`: {error}: {}", shown(&command), String::from_utf8_lossy(&output.stderr)))?;
        match answer.get("error") {
            Some(error) => Err(format!("`{}`: {error}", shown(&command))),
            None => Ok((answer, wall)),
        }
    }

    /// Of each question to a server so far, the seconds that the daemon took and those of them that were the server's.
    fn log(&self) -> Vec<(f64, f64)> {
        let log = std::fs::read_to_string(self.folder.join("state/vise/daemon.log")).unwrap_or_default();
        let read = |line: &str| {
            let (all, server) = line.rsplit_once(": ")?.1.split_once(" us, ")?;
            let seconds = |text: &str| text.parse::<f64>().ok().map(|micros| micros / 1e6);
            Some((seconds(all)?, seconds(server.split_once(' ')?.0)?))
        };
        log.lines().filter_map(read).collect()
    }

    /// How many servers run here, and the bytes of memory that they take.
    fn servers(&self) -> Result<(usize, u64)> {
        let (status, _) = self.ask(&["daemon", "status"])?;
        let servers = status["servers"].as_array().cloned().unwrap_or_default();
        Ok((servers.len(), servers.iter().filter_map(|server| server["memory_bytes"].as_u64()).sum()))
    }
}

impl Drop for Desk<'_> {
    fn drop(&mut self) {
        // Nothing is left of a bench that failed, either.
        let _ = self.command(&["daemon", "stop"]).output();
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

pub(crate) fn run(arguments: &Arguments) -> Result {
    let vise = super::vise(arguments.vise.as_deref())?;
    let servers = servers::install()?;
    let django = CORPORA.iter().find(|corpus| corpus.name == "django").ok_or("there is no corpus `django`")?.ready()?;
    let command = |words: &[&str]| {
        let program = servers.folder.join(words[0]).display().to_string();
        std::iter::once(program).chain(words[1..].iter().map(|word| (*word).to_owned())).collect::<Vec<_>>()
    };
    println!("cold start to the first answer to findReferences, index included");
    let asked: Vec<&str> = ASKED.into_iter().chain([FILE]).collect();
    for (server, words) in PYTHON {
        let desk = Desk::new(&vise, &django, server, server, &command(words))?;
        cold(&desk, server, "django", &asked)?;
    }
    if servers.without_rust.is_none() {
        let root = crate::root();
        // A program below a workspace is taken for the project's own; this one is only linked there.
        let link = servers.folder.join("rust/rust-analyzer");
        let program = std::fs::read_link(&link).map_err(|error| format!("`{}` is no link: {error}", link.display()))?;
        let desk = Desk::new(&vise, &root, "rust", "rust-analyzer", &[program.display().to_string()])?;
        cold(
            &desk,
            "rust-analyzer",
            "this repository",
            &["lsp", "findReferences", "ToolError", "--file", "crates/tools/src/error.rs"],
        )?;
    }
    let ty = command(PYTHON[0].1);
    warm(&Desk::new(&vise, &django, "warm", "ty", &ty)?, arguments.runs)?;
    together(&vise, &django, &ty, &asked)
}

fn cold(desk: &Desk<'_>, server: &str, place: &str, asked: &[&str]) -> Result {
    let (answer, wall) = desk.ask(asked)?;
    let (_, memory) = desk.servers()?;
    let places = answer["locations"].as_array().map_or(0, Vec::len);
    let whole = if answer["incomplete"] == true { "INCOMPLETE" } else { "complete" };
    let shown = if answer["truncated"] == true { "+" } else { "" };
    println!("  {server:16} {place:16} {wall:6.2} s  {places}{shown} places, {whole}  {} MiB", memory >> 20);
    Ok(())
}

/// Asks a warm server the same again and again.
fn warm(desk: &Desk<'_>, runs: u32) -> Result {
    println!("what we add to a warm question (ty, django), in ms: median and 99th of a hundred, {runs} runs");
    for words in [
        &["lsp", "hover", "QuerySet", "--file", FILE][..],
        &["lsp", "goToDefinition", "QuerySet", "--file", "django/db/models/manager.py"],
        &["lsp", "documentSymbol", "--file", "django/db/models/manager.py"],
        &["lsp", "findReferences", "Manager", "--file", "django/db/models/manager.py"],
    ] {
        for _ in 0..3 {
            desk.ask(words)?;
        }
        let before = desk.log().len();
        let mut walls = Vec::new();
        for _ in 0..runs {
            walls.push(desk.ask(words)?.1);
        }
        let log = desk.log().split_off(before);
        if log.len() != walls.len() {
            return Err(format!("the daemon's log has {} lines for {} questions", log.len(), walls.len()));
        }
        let (mut cli, mut daemon, mut server) = (Vec::new(), Vec::new(), Vec::new());
        for (wall, (all, servers)) in walls.iter().zip(log) {
            cli.push((wall - servers) * 1e3);
            daemon.push((all - servers) * 1e3);
            server.push(servers * 1e3);
        }
        let both = |values: &[f64]| format!("{:5.2} {:6.2}", median(values.to_vec()), high(values.to_vec()));
        println!(
            "  {:16} through the CLI {}   in the daemon {}   (the server itself {})",
            words[1],
            both(&cli),
            both(&daemon),
            both(&server)
        );
    }
    Ok(())
}

/// The value that one in a hundred exceeds.
fn high(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    let at = (values.len() * 99).div_ceil(100);
    values[at.saturating_sub(1).min(values.len() - 1)]
}

/// Ten at once on one workspace, and ten that share nothing.
fn together(vise: &Path, root: &Path, command: &[String], asked: &[&str]) -> Result {
    let shared = Desk::new(vise, root, "shared", "ty", command)?;
    let answers: Vec<Result<(Value, f64)>> = std::thread::scope(|scope| {
        let running: Vec<_> = (0..10).map(|_| scope.spawn(|| shared.ask(asked))).collect();
        running.into_iter().map(|thread| thread.join().unwrap_or_else(|_| Err("a thread failed".to_owned()))).collect()
    });
    for answer in answers {
        answer?;
    }
    let (count, one) = shared.servers()?;
    drop(shared);
    let mut apart = Vec::new();
    for number in 0..10 {
        let desk = Desk::new(vise, root, &format!("apart{number}"), "ty", command)?;
        desk.ask(asked)?;
        apart.push(desk);
    }
    let (mut processes, mut all) = (0, 0);
    for desk in &apart {
        let (count, memory) = desk.servers()?;
        processes += count;
        all += memory;
    }
    #[expect(clippy::cast_precision_loss, reason = "bytes of memory are far below 2^52")]
    let ratio = all as f64 / one.max(1) as f64;
    println!(
        "ten clients (ty, django): {count} server, {} MiB; apart: {processes} servers, {} MiB ({ratio:.1} times)",
        one >> 20,
        all >> 20
    );
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_in_a_hundred_is_above() {
        assert!((high((1..=200).map(f64::from).collect()) - 198.0).abs() < 1e-9);
        assert!((high(vec![7.0]) - 7.0).abs() < 1e-9);
    }
}
