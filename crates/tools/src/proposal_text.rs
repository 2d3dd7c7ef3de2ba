//! Proposals as people and agents read them.

use std::fmt::Write as _;

use vise_edit::{Proposal, State};
use vise_text::shown;

use crate::paint::{Paint, Role};
use crate::tally::Summary;
use crate::text::{self, count};

/// The longest diff, in lines, that an agent is shown.
pub(crate) const DIFF_LINES: usize = 400;

/// What stands at the top, the facts that a reviewer should know, and the diff. `limit`: the most lines of it that are
/// shown; agents have one, and decide with a tool rather than a command.
pub(crate) fn proposal(proposal: &Proposal, paint: Paint, limit: Option<usize>) -> String {
    let id = &proposal.id;
    let size = format!(
        "{} in {}",
        count(proposal.changes(), "change", "changes"),
        count(proposal.slots.len(), "file", "files")
    );
    let head = match proposal.state {
        State::Pending => {
            let way = match limit {
                Some(_) => "`resolve` accepts or discards it".to_owned(),
                None => {
                    format!("`vise resolve {id} accept` applies it, `vise resolve {id} discard` drops it")
                }
            };
            format!("{}: proposal {id}, {size}; {way}", paint.words(Role::Strong, "NOT applied yet"))
        }
        State::Accepted => format!("{}: proposal {id}, {size}", paint.words(Role::Strong, "applied")),
        State::Discarded => format!("{}: proposal {id}, {size}", paint.words(Role::Strong, "dropped, never applied")),
        State::Undone => {
            format!("{}: proposal {id}, {size}", paint.words(Role::Strong, "applied, and undone again"))
        }
        State::Expired => {
            format!("{}: proposal {id}, {size}; prepare it again", paint.words(Role::Strong, "too old, never applied"))
        }
    };
    let mut out = head;
    out.push('\n');
    facts(&mut out, proposal, paint);
    out.push('\n');
    diff(&mut out, &proposal.diff(), paint, limit, id);
    out
}

fn facts(out: &mut String, proposal: &Proposal, paint: Paint) {
    let warn = |words: &str| paint.words(Role::Warning, words);
    if !proposal.refused.is_empty() {
        let _ =
            writeln!(out, "{}: {}, left as it is", warn("refused"), count(proposal.refused.len(), "place", "places"));
        for refusal in proposal.refused.iter().take(10) {
            let _ = writeln!(out, "  {}", shown(refusal.to_string().as_bytes()));
        }
        if proposal.refused.len() > 10 {
            let _ = writeln!(out, "  … and {} more", proposal.refused.len() - 10);
        }
    }
    for dropped in &proposal.dropped_comments {
        let _ = writeln!(
            out,
            "{}: {}:{}  {}",
            warn("comment dropped"),
            shown(dropped.file.as_bytes()),
            dropped.line,
            shown(dropped.text.as_bytes())
        );
    }
    if proposal.rematches > 0 {
        let _ = writeln!(
            out,
            "{}: the result has {} of the pattern again",
            warn("note"),
            count(proposal.rematches, "match", "matches")
        );
    }
    for note in &proposal.notes {
        let _ = writeln!(out, "{}: {}", paint.words(Role::Faint, "note"), shown(note.as_bytes()));
    }
}

/// A diff in colours, its text made harmless for a terminal.
pub(crate) fn diff(out: &mut String, bytes: &[u8], paint: Paint, limit: Option<usize>, id: &str) {
    let text = shown(bytes);
    let lines = text.lines().count();
    let given = limit.map_or(lines, |limit| limit.min(lines));
    for line in text.lines().take(given) {
        let role = if line.starts_with("--- ") || line.starts_with("+++ ") || line.starts_with("diff ") {
            Role::Strong
        } else if line.starts_with("@@") {
            Role::Hunk
        } else if line.starts_with('-') {
            Role::Removed
        } else if line.starts_with('+') {
            Role::Added
        } else {
            let _ = writeln!(out, "{line}");
            continue;
        };
        let _ = writeln!(out, "{}", paint.words(role, line));
    }
    if given < lines {
        let _ = writeln!(out, "… {given} of {lines} lines of the diff are shown; `vise show {id}` shows all of them");
    }
}

/// What is said where nothing is to be changed.
pub(crate) fn nothing(summary: &Summary, notes: &[String], paint: Paint) -> String {
    if summary.matches == 0 {
        return text::summary(summary, paint);
    }
    notes.iter().fold(String::new(), |mut out, note| {
        let _ = writeln!(out, "{}", shown(note.as_bytes()));
        out
    })
}
