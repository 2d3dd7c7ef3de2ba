//! `resolve`, and the commands that look at proposals: `show` and `proposals`.

use std::fmt;
use std::fmt::Write as _;

use clap::ValueEnum;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use vise_edit::{Proposal, Recovered, Resolution, Side, State, Store, recover};
use vise_text::shown;

use crate::accept::{Diagnostics, NOT_CHECKED, ResolveReport, accept, discard, take_back};
use crate::lsp::diagnostic_text;
use crate::paint::{Paint, Role};
use crate::proposal_text::{self, DIFF_LINES};
use crate::text::count;
use crate::{Input, Session, ToolError};

/// Accept or discard a proposal: all of its files are written, or none.
#[derive(Debug, Clone, clap::Args, Deserialize, JsonSchema)]
pub struct Resolve {
    /// Its id, or the first 6 digits or more
    #[arg(value_name = "ID")]
    pub proposal: String,
    /// What to do with it
    #[arg(value_enum)]
    pub decision: Decision,
    /// Accept this place (p3) or file only, with what belongs to it (repeatable); the rest stays pending
    #[arg(long, value_name = "PLACE|FILE")]
    #[serde(default)]
    pub only: Vec<String>,
}

/// What to do with a proposal.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum, Deserialize, JsonSchema)]
#[value(rename_all = "snake_case")]
#[serde(rename_all = "snake_case")]
pub enum Decision {
    /// Write it, if every file is still what it was.
    Accept,
    /// Drop it; nothing is written.
    Discard,
}

impl Input for Resolve {
    type Report = ResolveReport;

    /// Decides. It is an error when files changed since the proposal was prepared (all are named, nothing is written),
    /// when it was decided the other way before, and when there is no such proposal.
    fn run(&self, session: &Session) -> Result<ResolveReport, ToolError> {
        let store = Store::open(&session.state_home);
        match self.decision {
            Decision::Accept => accept(session, &store, &self.proposal, &self.only),
            Decision::Discard if !self.only.is_empty() => {
                Err(ToolError::bad_input("a part is accepted, not discarded").hint("accept the rest, or leave it"))
            }
            Decision::Discard => discard(session, &store, &self.proposal),
        }
    }
}

impl fmt::Display for ResolveReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Resolution { proposal, state, files, notes, .. } = &self.resolution;
        match state {
            State::Accepted => {
                let s = if files.len() == 1 { "" } else { "s" };
                writeln!(f, "accepted {proposal}: {} file{s} written", files.len())?;
                files.iter().try_for_each(|file| writeln!(f, "  {}", shown(file.as_bytes())))?;
            }
            State::Undone => {
                let s = if files.len() == 1 { "" } else { "s" };
                writeln!(f, "undone {proposal}: {} file{s} as before", files.len())?;
                files.iter().try_for_each(|file| writeln!(f, "  {}", shown(file.as_bytes())))?;
            }
            state => writeln!(f, "{state} {proposal}: nothing was written")?,
        }
        if let Some(rest) = &self.resolution.rest {
            let places = count(rest.places.len(), "place", "places");
            writeln!(
                f,
                "{} still waits, with {places} in {}",
                rest.proposal,
                count(rest.files.len(), "file", "files")
            )?;
        }
        // That nobody could be asked is for programs, which might take silence for praise.
        let notes = notes.iter().filter(|note| !note.starts_with(NOT_CHECKED));
        notes.into_iter().try_for_each(|note| writeln!(f, "note: {}", shown(note.as_bytes())))?;
        let Diagnostics::Checked(new) = &self.diagnostics else { return Ok(()) };
        if !new.is_empty() {
            writeln!(f, "it brought {}:", count(new.len(), "new diagnostic", "new diagnostics"))?;
        }
        let mut text = String::new();
        new.iter().for_each(|one| diagnostic_text(&mut text, one, Paint::default()));
        f.write_str(&text)
    }
}

/// Show a proposal.
#[derive(Debug, Clone, clap::Args)]
pub struct Show {
    /// The proposal's id, or its first 6 digits or more
    #[arg(value_name = "ID")]
    pub proposal: String,
}

impl Show {
    /// Reads the proposal.
    ///
    /// # Errors
    /// When there is no such proposal, or more than one.
    pub fn run(&self, session: &Session) -> Result<ShowReport, ToolError> {
        let store = Store::open(&session.state_home);
        Ok(ShowReport { proposal: store.proposal(&self.proposal, (session.now)().into())? })
    }
}

/// A proposal.
#[derive(Debug)]
pub struct ShowReport {
    /// The proposal.
    pub proposal: Proposal,
}

impl ShowReport {
    /// The proposal as text. `limit`: the most lines of the diff that are shown.
    pub fn text(&self, paint: Paint, limit: Option<usize>) -> String {
        proposal_text::proposal(&self.proposal, paint, limit)
    }

    /// The diff, byte for byte, as `git apply` takes it.
    pub fn patch(&self) -> Vec<u8> {
        self.proposal.diff()
    }
}

impl Serialize for ShowReport {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.proposal.report().serialize(serializer)
    }
}

impl fmt::Display for ShowReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text(Paint::default(), Some(DIFF_LINES)))
    }
}

/// List the proposals of this workspace.
#[derive(Debug, Clone, Default, clap::Args)]
pub struct Proposals {}

/// The proposals of a workspace.
#[derive(Debug, Serialize)]
pub struct ProposalsReport {
    /// The proposals.
    pub proposals: Vec<vise_edit::Summary>,
}

impl Proposals {
    /// Reads the list.
    ///
    /// # Errors
    /// When the state folder cannot be read.
    pub fn run(&self, session: &Session) -> Result<ProposalsReport, ToolError> {
        let store = Store::open(&session.state_home);
        Ok(ProposalsReport { proposals: store.list(&session.root, (session.now)().into())? })
    }
}

impl ProposalsReport {
    /// The list as text, a line a proposal.
    pub fn text(&self, paint: Paint) -> String {
        let mut out = String::new();
        for one in &self.proposals {
            let first = one.files.first().map_or("", String::as_str);
            let more = match one.files.len() {
                0 | 1 => String::new(),
                files => format!(" and {} more", files - 1),
            };
            let _ = writeln!(
                out,
                "{}  {:<9}  {}  {}  {}{more}",
                paint.words(Role::Strong, &one.proposal),
                one.state.to_string(),
                one.created,
                count(one.changes, "change", "changes"),
                shown(first.as_bytes())
            );
        }
        if self.proposals.is_empty() {
            out.push_str("no proposals in this workspace\n");
        }
        out
    }
}

impl fmt::Display for ProposalsReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text(Paint::default()))
    }
}

/// Take back what was accepted: the old bytes of every file are written, or nothing is.
#[derive(Debug, Clone, clap::Args)]
pub struct Undo {
    /// The proposal's id, or its first 6 digits or more; the last one that was accepted here if there is none
    #[arg(value_name = "ID")]
    pub proposal: Option<String>,
}

impl Undo {
    /// Takes it back.
    ///
    /// # Errors
    /// When files changed since (all are named, nothing is written), or when nothing was accepted.
    pub fn run(&self, session: &Session) -> Result<ResolveReport, ToolError> {
        let store = Store::open(&session.state_home);
        take_back(session, &store, self.proposal.as_deref())
    }
}

/// Bring a commit to an end that was interrupted. Every command does so before anything else.
#[derive(Debug, Clone, Default, clap::Args)]
pub struct Recover {}

/// What was brought to an end.
#[derive(Debug, Serialize)]
pub struct RecoverReport {
    /// The commits.
    pub recovered: Vec<Recovered>,
}

impl Recover {
    /// Recovers, and waits for a commit that is just being made.
    ///
    /// # Errors
    /// When a file cannot be looked at; then nothing more is touched.
    pub fn run(&self, session: &Session) -> Result<RecoverReport, ToolError> {
        let store = Store::open(&session.state_home);
        Ok(RecoverReport { recovered: recover(&store, &session.root, true)? })
    }
}

/// Recovers before a command does anything else; one that is just being made is left alone.
///
/// # Errors
/// As [`Recover::run`].
pub fn recover_first(session: &Session) -> Result<RecoverReport, ToolError> {
    let store = Store::open(&session.state_home);
    Ok(RecoverReport { recovered: recover(&store, &session.root, false)? })
}

impl fmt::Display for RecoverReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for one in &self.recovered {
            let side = match one.to {
                Side::Old => "its files are as before",
                Side::New => "its files are as accepted",
            };
            writeln!(f, "recovered {}: an interrupted commit; {side}", one.proposal.as_deref().unwrap_or(&one.tx))?;
            for conflict in &one.conflicts {
                let file = shown(conflict.file.as_bytes());
                match &conflict.kept {
                    Some(kept) => {
                        writeln!(f, "  but `{file}`: somebody else wrote to it; bytes are in `{}`", kept.display())?
                    }
                    None => writeln!(f, "  but `{file}`: somebody else wrote to it, and it is left so")?,
                }
            }
        }
        if self.recovered.is_empty() {
            f.write_str("nothing to recover\n")?;
        }
        Ok(())
    }
}
