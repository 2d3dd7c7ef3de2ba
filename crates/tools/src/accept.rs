//! The one way by which a proposal is written, whichever tool asks for it.

use serde::Serialize;
use vise_edit::{Decision, Resolution, State, Store, resolve};
use vise_lsp::Diagnostic;

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

/// Writes a proposal, all of it or nothing, and says what the language servers find wrong that was not wrong before.
///
/// # Errors
/// Those of the gate.
pub(crate) fn accept(session: &Session, store: &Store, proposal: &str) -> Result<ResolveReport, ToolError> {
    let now = (session.now)().into();
    let waiting = store.proposal(proposal, now)?;
    // Deciding again writes nothing, and so brings nothing.
    let before = (waiting.state == State::Pending).then(|| before(&waiting.files(), session));
    let mut resolution = resolve(store, proposal, Decision::Accept, now)?;
    let brought = match before {
        Some(before) => before.after(session),
        None => Brought { notes: vec![format!("{NOT_CHECKED}it was accepted before")], ..Brought::default() },
    };
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
