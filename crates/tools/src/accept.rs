//! The one way by which a proposal is written, whichever tool asks for it.

use serde::Serialize;
use serde_json::Value;
use vise_edit::{Decision, Resolution, Store, resolve};

use crate::{Session, ToolError};

/// Why there are no diagnostics beside an accepted change.
pub(crate) const NOT_CHECKED: &str = "diagnostics: not checked, no checker was asked";

/// What was decided.
#[derive(Debug, Serialize)]
pub struct ResolveReport {
    /// The gate's answer.
    #[serde(flatten)]
    pub resolution: Resolution,
    /// What a checker says of a change that was written.
    #[serde(skip_serializing_if = "Diagnostics::is_beside_the_point")]
    pub diagnostics: Diagnostics,
}

/// What is known of problems that a change brings.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Diagnostics {
    /// Nothing was written, so there is nothing to ask.
    BesideThePoint,
    /// Nobody was asked; a note says why.
    NotChecked(()),
    /// The new ones, each as the contract has it.
    Checked(Vec<Value>),
}

impl Diagnostics {
    fn is_beside_the_point(&self) -> bool {
        *self == Self::BesideThePoint
    }
}

/// Writes a proposal, all of it or nothing.
///
/// # Errors
/// Those of the gate.
pub(crate) fn accept(session: &Session, store: &Store, proposal: &str) -> Result<ResolveReport, ToolError> {
    let mut resolution = resolve(store, proposal, Decision::Accept, (session.now)().into())?;
    resolution.notes.push(NOT_CHECKED.to_owned());
    Ok(ResolveReport { resolution, diagnostics: Diagnostics::NotChecked(()) })
}

/// Drops a proposal.
///
/// # Errors
/// Those of the gate.
pub(crate) fn discard(session: &Session, store: &Store, proposal: &str) -> Result<ResolveReport, ToolError> {
    let resolution = resolve(store, proposal, Decision::Discard, (session.now)().into())?;
    Ok(ResolveReport { resolution, diagnostics: Diagnostics::BesideThePoint })
}
