//! Which match stands in which: a forest of matches, each with the areas of the source that its replacement copies.

use std::ops::Range;

use rustc_hash::FxHashMap;

use super::template::Template;
use crate::matches::{Bound, Match};

/// The matches that are rewritten, outer ones before what stands in them.
pub(super) struct Forest<'m> {
    /// By start, longer first.
    pub live: Vec<Live<'m>>,
    /// Those that stand in no other.
    pub roots: Vec<usize>,
    /// Matches that overlap another without standing in it: the places in the given list.
    pub overlapping: Vec<usize>,
}

/// A match that is rewritten.
pub(super) struct Live<'m> {
    /// Its place in the given list.
    pub index: usize,
    pub found: &'m Match,
    /// What is replaced: the range of the match, and a terminator that a capture at its end takes in.
    pub range: Range<usize>,
    /// What metavariables stand for and what is kept, by start, disjoint.
    pub areas: Vec<Area>,
    /// The match that this one stands in.
    pub parent: Option<usize>,
}

/// A part of a match that can be copied.
pub(super) struct Area {
    pub range: Range<usize>,
    pub what: AreaOf,
    /// Whether the template copies it.
    pub used: bool,
    /// Matches in it, by start; only where it is used.
    pub children: Vec<usize>,
}

/// What an area is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum AreaOf {
    /// What this binding of the match stands for.
    Binding(usize),
    /// This kept child of the match.
    Kept(usize),
}

impl Live<'_> {
    /// The area of the metavariable with this name.
    pub(super) fn area_of(&self, name: &str) -> Option<usize> {
        let binding = self.found.bindings.iter().position(|binding| &*binding.name == name)?;
        self.areas.iter().position(|area| area.what == AreaOf::Binding(binding))
    }

    /// What an area is bound by.
    pub(super) fn bound(&self, area: usize) -> Option<&Bound> {
        match self.areas.get(area)?.what {
            AreaOf::Binding(binding) => self.found.bindings.get(binding).map(|binding| &binding.bound),
            AreaOf::Kept(_) => None,
        }
    }
}

impl<'m> Forest<'m> {
    /// Sorts out the matches for which `wanted` holds.
    pub(super) fn new(matches: &'m [Match], template: &Template, len: usize, wanted: impl Fn(usize) -> bool) -> Self {
        let mut order: Vec<usize> = (0..matches.len()).filter(|index| wanted(*index)).collect();
        order.sort_by_key(|index| {
            let range = &matches[*index].range;
            (range.start, std::cmp::Reverse(range.end), *index)
        });
        let mut forest = Self { live: Vec::new(), roots: Vec::new(), overlapping: Vec::new() };
        let mut open: Vec<usize> = Vec::new();
        for index in order {
            let found = &matches[index];
            let range = extent(found);
            if range.start > range.end || range.end > len {
                forest.overlapping.push(index);
                continue;
            }
            while open.last().is_some_and(|top| forest.live[*top].range.end <= range.start) {
                open.pop();
            }
            let mut parent = None;
            if let Some(&top) = open.last() {
                let outer = &forest.live[top];
                if outer.range == range {
                    continue;
                }
                if outer.range.end < range.end {
                    forest.overlapping.push(index);
                    continue;
                }
                let Some(area) = holding(&outer.areas, &range) else { continue };
                parent = Some((top, area));
            }
            let at = forest.live.len();
            match parent {
                Some((top, area)) => forest.live[top].areas[area].children.push(at),
                None => forest.roots.push(at),
            }
            let areas = areas(found, template);
            forest.live.push(Live { index, found, range, areas, parent: parent.map(|(top, _)| top) });
            open.push(at);
        }
        forest
    }

    /// For each match the outermost one that it stands in.
    pub(super) fn root_of_each(&self) -> Vec<usize> {
        let mut roots: Vec<usize> = Vec::with_capacity(self.live.len());
        for (at, live) in self.live.iter().enumerate() {
            // Outer matches come first.
            roots.push(live.parent.map_or(at, |parent| roots[parent]));
        }
        roots
    }

    /// For each byte whose owner differs from that of the byte before, the owner.
    pub(super) fn owners(&self) -> Owners {
        let mut owners = Owners { starts: Vec::new() };
        let mut open: Vec<(Range<usize>, Owner)> = Vec::new();
        let mut step = |range: &Range<usize>, owner: Owner| {
            if !range.is_empty() {
                owners.close(&mut open, range.start);
                owners.starts.push((range.start, owner));
                open.push((range.clone(), owner));
            }
        };
        // Each match with its next area and, in that area, its next child.
        let mut stack: Vec<(usize, usize, usize)> = Vec::new();
        for root in &self.roots {
            step(&self.live[*root].range, Owner::Match(*root));
            stack.push((*root, 0, 0));
            while let Some((live, area, child)) = stack.pop() {
                let Some(here) = self.live[live].areas.get(area) else { continue };
                if child == 0 {
                    step(&here.range, Owner::Area(live, area));
                }
                match here.children.get(child) {
                    Some(inner) => {
                        stack.push((live, area, child + 1));
                        step(&self.live[*inner].range, Owner::Match(*inner));
                        stack.push((*inner, 0, 0));
                    }
                    None => stack.push((live, area + 1, 0)),
                }
            }
        }
        owners.close(&mut open, usize::MAX);
        owners
    }
}

/// What a match replaces.
fn extent(found: &Match) -> Range<usize> {
    // A statement at the end of a match may be captured with its terminator, which is no part of the match's range.
    let far = found.bindings.iter().map(|binding| binding.bound.span().end).max().unwrap_or(0);
    found.range.start..found.range.end.max(far.min(found.whole.end))
}

fn areas(found: &Match, template: &Template) -> Vec<Area> {
    let bindings = found.bindings.iter().enumerate().map(|(at, binding)| {
        let used = template.holes.iter().any(|hole| hole.name == binding.name);
        Area { range: binding.bound.span(), what: AreaOf::Binding(at), used, children: Vec::new() }
    });
    let kept = found.kept.iter().enumerate().map(|(at, kept)| Area {
        range: kept.range.clone(),
        what: AreaOf::Kept(at),
        used: true,
        children: Vec::new(),
    });
    let mut areas: Vec<Area> = bindings.chain(kept).collect();
    areas.sort_by_key(|area| (area.range.start, area.range.end));
    let mut end = 0;
    areas.retain(|area| {
        let apart = area.range.start >= end;
        if apart {
            end = area.range.end;
        }
        apart
    });
    areas
}

/// The area that is copied and holds a range.
fn holding(areas: &[Area], range: &Range<usize>) -> Option<usize> {
    let after = areas.partition_point(|area| area.range.start <= range.start);
    // Areas without any text may lie behind the one that is sought.
    let at = areas[..after].iter().rposition(|area| area.range.end > range.start)?;
    (areas[at].used && areas[at].range.end >= range.end).then_some(at)
}

/// Whose text a byte is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Owner {
    /// Nobody's: it stays.
    Nobody,
    /// A match's own: the template replaces it.
    Match(usize),
    /// This area's of this match.
    Area(usize, usize),
}

/// The owner of every byte.
pub(super) struct Owners {
    starts: Vec<(usize, Owner)>,
}

impl Owners {
    /// The owner of a byte, and where it stops being that.
    pub(super) fn at(&self, offset: usize) -> (Owner, usize) {
        let after = self.starts.partition_point(|(start, _)| *start <= offset);
        let end = self.starts.get(after).map_or(usize::MAX, |(start, _)| *start);
        match after.checked_sub(1) {
            Some(at) => (self.starts[at].1, end),
            None => (Owner::Nobody, end),
        }
    }

    /// Whether some match's text lies in a range.
    pub(super) fn touch(&self, range: &Range<usize>) -> bool {
        let (owner, end) = self.at(range.start);
        owner != Owner::Nobody || end < range.end
    }

    fn close(&mut self, open: &mut Vec<(Range<usize>, Owner)>, until: usize) {
        while let Some((range, _)) = open.last()
            && range.end <= until
        {
            let end = range.end;
            open.pop();
            let owner = open.last().map_or(Owner::Nobody, |(_, owner)| *owner);
            self.starts.push((end, owner));
        }
    }
}

/// Groups places of a list by a key.
pub(super) fn by_key<K: std::hash::Hash + Eq, T>(rows: impl Iterator<Item = (K, T)>) -> FxHashMap<K, Vec<T>> {
    let mut map: FxHashMap<K, Vec<T>> = FxHashMap::default();
    for (key, row) in rows {
        map.entry(key).or_default().push(row);
    }
    map
}
