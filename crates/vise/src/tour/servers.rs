//! The tour's look at language servers: what is its type, who really refers to it, what would a rename break. Where no server
//! can be used here, it says why.

use std::path::Path;
use std::sync::Arc;

use serde_json::Value;
use vise_tools::{Decision, Edit, Input as _, Living as _, Lsp, LspOperation, Resolve, Session};

use super::graph::Hub;
use super::{Failure, Guide, SHOWN, hold};
use crate::daemon::Remote;
use crate::tour::scratch::Scratch;

pub(super) fn servers(
    guide: &mut Guide<'_>,
    scratch: &Scratch,
    session: &Session,
    remote: &Arc<Remote>,
) -> Result<(), Failure> {
    guide.heading(
        "servers",
        "What a compiler knows: the file's language server is asked, and started when it is first needed",
    )?;
    let mut served = remote.servers(session)?;
    served.sort_by_key(|one| std::cmp::Reverse(one.files));
    let hub = served.iter().filter(|one| one.server.is_some()).find_map(|one| {
        let ending = |hub: &Hub| hub.file.ends_with(&one.extension);
        super::graph::first_hub_that(session, &ending).ok().flatten()
    });
    let Some(hub) = hub else {
        guide.say("   No language server can be used for what is here. `vise doctor` says why:")?;
        guide.command("doctor")?;
        let why: Vec<&str> = served.iter().flat_map(|one| &one.unusable).map(String::as_str).collect();
        return Ok(guide.lines(&why.join("\n"), SHOWN)?);
    };
    let session = Session { living: Some(remote.clone()), ..session.clone() };
    let outcome = ask(guide, scratch, &session, &hub);
    // Also after a question that failed: the copy's daemon has no business without the copy.
    remote.end(&session)?;
    outcome
}

fn ask(guide: &mut Guide<'_>, scratch: &Scratch, session: &Session, hub: &Hub) -> Result<(), Failure> {
    let place = |operation: LspOperation| Lsp {
        operation,
        symbol: Some(hub.name.clone()),
        file: Some(hub.file.clone().into()),
        line: usize::try_from(hub.line).ok(),
        ..Lsp::default()
    };
    for (operation, name) in [(LspOperation::Hover, "hover"), (LspOperation::FindReferences, "findReferences")] {
        guide.command(&format!("lsp {name} {} --file {} --line {}", hub.name, hub.file, hub.line))?;
        match place(operation).run(session) {
            Ok(report) => guide.lines(&report.text(guide.output.paint, None), SHOWN)?,
            // What a server cannot do is no fault of the tour.
            Err(error) => return Ok(guide.lines(&error.to_string(), SHOWN)?),
        }
    }
    let before = scratch.hashes()?;
    let new_name = format!("{}_renamed", hub.name);
    guide.command(&format!(
        "lsp rename {} --file {} --line {} --new-name {new_name} --check",
        hub.name, hub.file, hub.line
    ))?;
    match (Lsp { new_name: Some(new_name), check: true, ..place(LspOperation::Rename) }).run(session) {
        Ok(report) => {
            guide.lines(&report.text(guide.output.paint, None), SHOWN)?;
            let json = serde_json::to_value(&report).unwrap_or(Value::Null);
            if let Some(id) = json["proposal"].as_str() {
                Resolve { proposal: id.to_owned(), decision: Decision::Discard, only: Vec::new() }.run(session)?;
            }
        }
        Err(error) => guide.lines(&error.to_string(), SHOWN)?,
    }
    hold(scratch.hashes()? == before, "to prepare a rename wrote into the checkout")?;
    broken(guide, scratch, session, hub)
}

/// The definition alone is renamed by hand, which breaks whoever uses it: the write says so.
fn broken(guide: &mut Guide<'_>, scratch: &Scratch, session: &Session, hub: &Hub) -> Result<(), Failure> {
    guide.heading("broken", "A careless edit: the answer tells what it broke, and only that")?;
    let text = scratch.read(&hub.file)?;
    let text = String::from_utf8_lossy(&text).into_owned();
    let line = usize::try_from(hub.line.saturating_sub(1)).ok().and_then(|line| text.lines().nth(line));
    let Some(line) = line.filter(|line| text.matches(*line).count() == 1) else {
        return Ok(guide.say("   The definition's line stands there twice, so it is left alone.")?);
    };
    let careless = line.replacen(&hub.name, &format!("{}_renamed", hub.name), 1);
    let edit = |old: &str, new: &str| {
        let (file, old, new) = (Some(Path::new(&hub.file).to_owned()), Some(old.to_owned()), Some(new.to_owned()));
        Edit { file, old, new, ..Edit::default() }.run(session)
    };
    guide.command(&format!("edit {} '{}' '{}'", hub.file, line.trim(), careless.trim()))?;
    let report = edit(line, &careless)?;
    guide.lines(&report.to_string(), SHOWN)?;
    edit(&careless, line)?;
    hold(scratch.read(&hub.file)? == text.as_bytes(), "the edit could not be taken back")
}
