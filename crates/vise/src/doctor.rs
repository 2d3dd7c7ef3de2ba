//! `vise doctor`: what works here, and why not.

use std::fmt::Write as _;

use serde::Serialize;
use serde_json::{Value, json};
use vise_dap::AdapterStatus;
use vise_tools::{ServedFiles, Session, shown, shown_path};

use crate::cli::Global;
use crate::daemon;
use crate::environment::{Around, configured, languages};
use crate::output::{Failure, Output};
use crate::run::{Exit, answer};

/// What was found.
#[derive(Debug, Serialize)]
struct Findings {
    version: &'static str,
    root: String,
    trusted: bool,
    languages: usize,
    servers: Vec<Value>,
    adapters: Vec<Value>,
    daemon: Value,
    warnings: Vec<String>,
}

pub(crate) fn run(global: &Global, session: &Session, output: &mut Output) -> Result<Exit, Failure> {
    let around = Around::ours();
    let registry = languages(global.data.as_deref())?;
    let configured = configured(&session.root, &around, &registry)?;
    let served = match &session.living {
        Some(living) => living.servers(session)?,
        None => Vec::new(),
    };
    let adapters = match &session.living {
        Some(living) => living.adapters(session)?,
        None => Vec::new(),
    };
    let findings = Findings {
        version: env!("CARGO_PKG_VERSION"),
        root: session.root.display().to_string(),
        trusted: configured.trusted,
        languages: session.registry.languages().count(),
        servers: served.iter().map(|one| server(one, session)).collect(),
        adapters: adapters.iter().map(adapter).collect(),
        daemon: daemon::status(global, session)?,
        warnings: configured.warnings,
    };
    answer(output, global.json, &findings, |_| words(&findings).into_bytes())?;
    Ok(Exit::Found)
}

fn server(one: &ServedFiles, session: &Session) -> Value {
    let inside = |path: &std::path::PathBuf| shown_path(&session.root, path);
    json!({
        "extension": one.extension,
        "files": one.files,
        "server": one.server,
        "root": one.root.as_ref().map(inside),
        "program": one.program,
        "unusable": one.unusable,
    })
}

fn adapter(one: &AdapterStatus) -> Value {
    let (program, why) = match &one.program {
        Ok(program) => (Some(program), None),
        Err(why) => (None, Some(why)),
    };
    json!({"adapter": one.id, "program": program, "unusable": why, "install": one.install})
}

fn words(findings: &Findings) -> String {
    let trust =
        if findings.trusted { "trusted" } else { "not trusted: servers run none of its code; `vise trust` allows it" };
    let mut out = format!(
        "vise {}\nworkspace {} ({trust})\n{} languages for search and graph\n\nlanguage servers\n",
        findings.version,
        shown(findings.root.as_bytes()),
        findings.languages
    );
    let text = |value: &Value| value.as_str().map(|text| shown(text.as_bytes()));
    if findings.servers.is_empty() {
        out.push_str("  no file here is of a kind that a known language server serves\n");
    }
    for one in &findings.servers {
        let extension = text(&one["extension"]).unwrap_or_default();
        match text(&one["server"]) {
            Some(server) => {
                let program = text(&one["program"]).unwrap_or_default();
                let _ = writeln!(out, "  {extension:<8} {} files  {server}  {program}", one["files"]);
            }
            None => {
                let _ = writeln!(out, "  {extension:<8} {} files  none can be used", one["files"]);
                for why in one["unusable"].as_array().into_iter().flatten().filter_map(&text) {
                    let _ = writeln!(out, "           {why}");
                }
            }
        }
    }
    out.push_str("\ndebug adapters\n");
    for one in &findings.adapters {
        let id = text(&one["adapter"]).unwrap_or_default();
        let _ = match text(&one["program"]) {
            Some(program) => writeln!(out, "  {id:<8} {program}"),
            None => {
                let (why, install) =
                    (text(&one["unusable"]).unwrap_or_default(), text(&one["install"]).unwrap_or_default());
                writeln!(out, "  {id:<8} {why} (install: {install})")
            }
        };
    }
    let daemon = &findings.daemon;
    let running = daemon["running"] == true;
    let _ = match daemon["pid"].as_u64().filter(|_| running) {
        Some(pid) => writeln!(out, "\ndaemon running, pid {pid}; `vise daemon status` says more"),
        None => writeln!(out, "\ndaemon not running; the first question to a server starts it"),
    };
    findings.warnings.iter().for_each(|warning| {
        let _ = writeln!(out, "warning: {}", shown(warning.as_bytes()));
    });
    out
}
