//! The one way by which a proposal is written, whichever tool asks for it.

use std::path::Path;

use serde::Serialize;
use vise_edit::{Candidate, Decision, Proposal, Reason, Refusal, Resolution, Store, accept_part, resolve, undo};
use vise_lsp::Diagnostic;
use vise_syntax::{errors, parse};

use crate::foresee::{Brought, before};
use crate::{Session, ToolError};

/// How a note begins that says why there are no diagnostics.
pub(crate) const NOT_CHECKED: &str = "not checked: ";

/// What was decided.
#[derive(Debug, Serialize)]
pub struct ResolveReport {
    /// The gate's answer.
    #[serde(flatten)]
    pub resolution: Resolution,
    /// What a language server says of a change that was written.
    #[serde(skip_serializing_if = "Diagnostics::is_beside_the_point")]
    pub diagnostics: Diagnostics,
}

/// What is known of problems that a change brings.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Diagnostics {
    /// Nothing was written, so there is nothing to ask.
    BesideThePoint,
    /// Nobody could look; a note says why.
    NotChecked(()),
    /// The new ones.
    Checked(Vec<Diagnostic>),
}

impl Diagnostics {
    fn is_beside_the_point(&self) -> bool {
        *self == Self::BesideThePoint
    }
}

/// Writes a proposal, all of it or nothing, and says what the language servers find wrong that was not wrong before. With
/// places or files in `only`, these alone are written, as a proposal of their own, and the rest stays pending.
///
/// # Errors
/// Those of the gate.
pub(crate) fn accept(
    session: &Session,
    store: &Store,
    proposal: &str,
    only: &[String],
) -> Result<ResolveReport, ToolError> {
    let now = (session.now)().into();
    let waiting = store.proposal(proposal, now)?;
    checked(session, &waiting, || {
        Ok(if only.is_empty() {
            resolve(store, proposal, Decision::Accept, now)?
        } else {
            let guard = |candidate: &Candidate<'_>| still_parses(session, candidate);
            accept_part(store, proposal, only, &guard, now)?
        })
    })
}

/// Writes, between two looks of the language servers at the proposal's files. One that was decided before writes nothing, and
/// so brings nothing.
fn checked(
    session: &Session,
    proposal: &Proposal,
    write: impl FnOnce() -> Result<Resolution, ToolError>,
) -> Result<ResolveReport, ToolError> {
    // The servers are those of a workspace, and a proposal is found from any folder.
    let is_here = proposal.root == session.root;
    let before = is_here.then(|| before(&proposal.files(), session));
    let mut resolution = write()?;
    let brought = before.map(|before| before.after(session)).unwrap_or_else(|| {
        let root = proposal.root.display();
        Brought { notes: vec![format!("{NOT_CHECKED}it belongs to the workspace `{root}`")], ..Brought::default() }
    });
    resolution.notes.extend(brought.notes);
    let diagnostics = brought.diagnostics.map_or(Diagnostics::NotChecked(()), Diagnostics::Checked);
    Ok(ResolveReport { resolution, diagnostics })
}

/// Drops a proposal.
///
/// # Errors
/// Those of the gate.
pub(crate) fn discard(session: &Session, store: &Store, proposal: &str) -> Result<ResolveReport, ToolError> {
    let resolution = resolve(store, proposal, Decision::Discard, (session.now)().into())?;
    Ok(ResolveReport { resolution, diagnostics: Diagnostics::BesideThePoint })
}

/// Takes an accepted proposal back, the last one if none is named.
///
/// # Errors
/// Those of the gate.
pub(crate) fn take_back(session: &Session, store: &Store, proposal: Option<&str>) -> Result<ResolveReport, ToolError> {
    let now = (session.now)().into();
    let id = match proposal {
        Some(id) => id.to_owned(),
        None => store.last_accepted(&session.root)?,
    };
    let written = store.proposal(&id, now)?;
    checked(session, &written, || Ok(undo(store, &session.root, Some(&id), now)?))
}

/// Refuses a text with more syntax errors than the one before: a part of a change need not be sound where the whole is.
fn still_parses(session: &Session, candidate: &Candidate<'_>) -> Vec<Refusal> {
    let (Some(old), Some(new)) = (candidate.old, candidate.new) else { return Vec::new() };
    let Some(language) = session.registry.by_path(Path::new(candidate.file)) else { return Vec::new() };
    let count = |text| parse(language, text).map(|document| errors(document.root()).len());
    let (Ok(before), Ok(after)) = (count(old), count(new)) else { return Vec::new() };
    if after <= before {
        return Vec::new();
    }
    let why = format!("with this part alone it would have {after} syntax errors, where there are {before} now");
    vec![Refusal::of_file(candidate.file, Reason::SyntaxError, why)]
}
