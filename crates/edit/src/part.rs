//! A part of a proposal: the places that somebody chose, as a proposal of their own, and what remains.
//!
//! Nothing is computed anew. Every place knows the bytes that it replaces and how long its new text is, so the texts of
//! both parts are cut from the stored ones. What belongs together (a group, a file and its move) goes together.

use crate::slot::digest;
use crate::{Error, New, Old, OldRange, Place, Proposal, Slot, Texts};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use vise_text::{ContentHash, Edit, Edits, LineIndex};

/// What a place needs beside what is shown of it, to be taken by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Piece {
    /// The text that its range is a range of.
    #[serde(with = "crate::record::hex")]
    pub base: ContentHash,
    /// How many bytes its new text has.
    pub len: usize,
    /// How many changes it counts for.
    pub changes: usize,
}

/// A proposal, cut in two.
pub(crate) enum Cut {
    /// All of it was chosen.
    Whole,
    /// The chosen part, without an id, and the rest, as the next revision of the whole.
    Parts { chosen: Box<Proposal>, rest: Box<Proposal> },
}

/// Cuts out the places and files that `only` names, and what belongs to them.
pub(crate) fn cut(proposal: &Proposal, only: &[String]) -> Result<Cut, Error> {
    let mut choice = Choice::new(proposal);
    for name in only {
        choice.choose(name)?;
    }
    choice.close();
    if choice.slots.iter().all(|taken| *taken == Taken::Whole) {
        return Ok(Cut::Whole);
    }
    let mut chosen = Proposal { slots: Vec::new(), places: Vec::new(), pieces: Vec::new(), ..proposal.clone() };
    chosen.texts = Texts::new();
    chosen.notes = Vec::new();
    let mut rest = Proposal { slots: Vec::new(), places: Vec::new(), pieces: Vec::new(), ..proposal.clone() };
    rest.texts = Texts::new();
    for (slot, taken) in proposal.slots.iter().zip(&choice.slots) {
        let places = proposal.places_of(slot);
        match taken {
            Taken::Whole | Taken::No => {
                let side = if *taken == Taken::Whole { &mut chosen } else { &mut rest };
                for at in places {
                    side.places.push(proposal.places[at].clone());
                    side.pieces.push(proposal.pieces[at]);
                }
                for hash in [slot.old.as_ref().map(|old| old.hash), slot.new.as_ref().map(|new| new.hash)] {
                    let text = hash.and_then(|hash| Some((hash, proposal.texts.get(&hash)?.clone())));
                    side.texts.extend(text);
                }
                side.slots.push(slot.clone());
            }
            Taken::Places => split(proposal, slot, &places, &choice.places, &mut chosen, &mut rest)?,
        }
    }
    for (at, place) in chosen.places.iter_mut().enumerate() {
        place.id = format!("p{}", at + 1);
    }
    for side in [&mut chosen, &mut rest] {
        side.digest = digest(&side.slots);
        let kept = |file: &str| side.slots.iter().any(|slot| slot.shown() == file);
        side.dropped_comments.retain(|dropped| kept(&dropped.file));
        side.refused.retain(|refusal| kept(&refusal.file));
    }
    Ok(Cut::Parts { chosen: Box::new(chosen), rest: Box::new(rest) })
}

/// Gives each side its text of one file: from the old text to one with the chosen places, and from there to the new.
fn split(
    proposal: &Proposal,
    slot: &Slot,
    places: &[usize],
    taken: &BTreeSet<usize>,
    chosen: &mut Proposal,
    rest: &mut Proposal,
) -> Result<(), Error> {
    let damaged = || Error::Damaged { id: proposal.id.clone(), why: format!("`{}` cannot be cut", slot.shown()) };
    let (Some(old), Some(new)) = (&slot.old, &slot.new) else { return Err(damaged()) };
    let (Some(before), Some(after)) = (proposal.old_text(slot), proposal.new_text(slot)) else { return Err(damaged()) };
    let edits = edits_of(proposal, slot, places).ok_or_else(damaged)?;
    let first = edits.iter().zip(places).filter(|(_, at)| taken.contains(at)).map(|(edit, _)| edit.clone());
    let first = Edits::new(before.len(), first.collect()).map_err(|_| damaged())?;
    let middle = first.apply(before);
    let hash = ContentHash::of(&middle);
    let lines = LineIndex::new(&middle);
    let changes = |side: bool| {
        places.iter().filter(|at| taken.contains(at) == side).map(|at| proposal.pieces[*at].changes).sum::<usize>()
    };
    for at in places {
        let (place, piece) = (&proposal.places[*at], proposal.pieces[*at]);
        if taken.contains(at) {
            chosen.places.push(place.clone());
            chosen.pieces.push(piece);
            continue;
        }
        let range = first.map_range(&(place.old_range.start..place.old_range.end));
        let line = lines.line_of(range.start) + 1;
        let old_range = OldRange { start: range.start, end: range.end };
        rest.places.push(Place { line, old_range, ..place.clone() });
        rest.pieces.push(Piece { base: hash, ..piece });
    }
    let len = middle.len() as u64;
    let (to, from) = (New { hash, len, ..new.clone() }, Old { hash, len, ..old.clone() });
    chosen.slots.push(Slot { new: Some(to), changes: changes(true), ..slot.clone() });
    rest.slots.push(Slot { old: Some(from), changes: changes(false), ..slot.clone() });
    chosen.texts.extend([(old.hash, before.to_vec()), (hash, middle.clone())]);
    rest.texts.extend([(hash, middle), (new.hash, after.to_vec())]);
    Ok(())
}

/// The edits that some places are, if they are all that differs between the two texts of a file.
fn edits_of(proposal: &Proposal, slot: &Slot, places: &[usize]) -> Option<Vec<Edit>> {
    let (old, new) = (slot.old.as_ref()?, slot.new.as_ref()?);
    let plain = new.like.as_ref() == Some(&slot.path) && new.executable.is_none() && new.mode.is_none();
    let (before, after) = (proposal.old_text(slot)?, proposal.new_text(slot)?);
    let mut edits = Vec::with_capacity(places.len());
    let (mut from, mut to) = (0usize, 0usize);
    for at in places {
        let (range, piece) = (proposal.places.get(*at)?.old_range, proposal.pieces.get(*at)?);
        if piece.base != old.hash || !plain {
            return None;
        }
        let start = to + range.start.checked_sub(from)?;
        let text = after.get(start..start.checked_add(piece.len)?)?.to_vec();
        (from, to) = (range.end, start + piece.len);
        edits.push(Edit { range: range.start..range.end, text });
    }
    let made = Edits::new(before.len(), edits.clone()).ok()?.apply(before);
    (made == after).then_some(edits)
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Taken {
    No,
    /// Some of its places.
    Places,
    Whole,
}

/// What is chosen so far.
struct Choice<'a> {
    proposal: &'a Proposal,
    slots: Vec<Taken>,
    places: BTreeSet<usize>,
}

impl<'a> Choice<'a> {
    fn new(proposal: &'a Proposal) -> Choice<'a> {
        Choice { proposal, slots: vec![Taken::No; proposal.slots.len()], places: BTreeSet::new() }
    }

    fn choose(&mut self, name: &str) -> Result<(), Error> {
        if let Some(at) = self.proposal.places.iter().position(|place| place.id == name) {
            self.places.insert(at);
            return Ok(());
        }
        let file = name.strip_prefix("./").unwrap_or(name);
        match self.proposal.slots.iter().position(|slot| slot.shown() == file) {
            Some(at) => self.slots[at] = Taken::Whole,
            None => {
                let why = format!("`{name}` is none of its places and none of its files");
                return Err(Error::BadChoice { id: self.proposal.id.clone(), why });
            }
        }
        Ok(())
    }

    /// Takes what belongs to what is taken, until nothing more does.
    fn close(&mut self) {
        let proposal = self.proposal;
        let places: Vec<Vec<usize>> = proposal.slots.iter().map(|slot| proposal.places_of(slot)).collect();
        let divides: Vec<bool> = proposal
            .slots
            .iter()
            .zip(&places)
            .map(|(slot, places)| !places.is_empty() && edits_of(proposal, slot, places).is_some())
            .collect();
        loop {
            let before = (self.places.len(), self.slots.clone());
            let groups: BTreeSet<&str> = self.places.iter().map(|at| proposal.places[*at].group.as_str()).collect();
            let grouped = proposal.places.iter().enumerate().filter(|(_, place)| groups.contains(&*place.group));
            let grouped: Vec<usize> = grouped.map(|(at, _)| at).collect();
            self.places.extend(grouped);
            for at in 0..proposal.slots.len() {
                let taken = places[at].iter().filter(|place| self.places.contains(place)).count();
                if taken > 0 && self.slots[at] == Taken::No {
                    self.slots[at] = Taken::Places;
                }
                if self.slots[at] == Taken::Places && (!divides[at] || taken == places[at].len()) {
                    self.slots[at] = Taken::Whole;
                }
                if self.slots[at] == Taken::Whole {
                    self.places.extend(&places[at]);
                    self.take_linked(at);
                }
            }
            if before == (self.places.len(), self.slots.clone()) {
                return;
            }
        }
    }

    /// A file that goes to another name, and the one that comes from it.
    fn take_linked(&mut self, at: usize) {
        let slots = &self.proposal.slots;
        let like = |slot: &Slot| slot.new.as_ref().and_then(|new| new.like.clone());
        for (other, slot) in slots.iter().enumerate() {
            let linked = like(slot).as_ref() == Some(&slots[at].path) || like(&slots[at]).as_ref() == Some(&slot.path);
            if linked && other != at {
                self.slots[other] = Taken::Whole;
            }
        }
    }
}
