//! What every import brings, found in rounds.
//!
//! An import may lead to another (a re-export, a barrel, `use super::*`). Each round answers every import from what the
//! round before found for the others, so that a chain of imports takes a round a link and a circle ends by itself.
//! Whoever looks a name up afterwards finds the answer here and follows nothing.

use std::sync::{Mutex, PoisonError};

use rayon::prelude::*;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::facts::ImportIx;

use super::hierarchy::Hierarchy;
use super::names::{Denotation, MAX_HOPS, Names};
use super::world::World;

/// One import of one file.
type Key = (u32, ImportIx);

/// What imports bring, or (of an import of everything) are from.
#[derive(Debug, Default)]
pub(crate) struct Imports(Vec<Vec<Denotation>>);

/// The imports that an answer was made from.
#[derive(Debug, Default)]
pub(crate) struct Asked(Mutex<Vec<Key>>);

impl Asked {
    pub(crate) fn note(&self, file: u32, import: ImportIx) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push((file, import));
    }

    fn take(&self) -> Vec<Key> {
        std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Imports {
    /// A table of imports that bring nothing yet.
    pub(crate) fn new(counts: impl Iterator<Item = usize>) -> Self {
        Self(counts.map(|count| vec![Denotation::new(); count]).collect())
    }

    /// What an import was found to bring.
    pub(crate) fn get(&self, file: u32, import: ImportIx) -> &[super::names::Found] {
        &self.0[file as usize][import.ix()]
    }

    fn set(&mut self, (file, import): Key, brings: Denotation) -> bool {
        let place = &mut self.0[file as usize][import.ix()];
        let changes = *place != brings;
        if changes {
            *place = brings;
        }
        changes
    }

    /// Imports that bring nothing.
    fn empty(&self) -> Vec<Key> {
        self.keys().filter(|(file, import)| self.get(*file, *import).is_empty()).collect()
    }

    fn keys(&self) -> impl Iterator<Item = Key> + '_ {
        self.0
            .iter()
            .enumerate()
            .flat_map(|(file, all)| (0..all.len()).map(move |import| (file as u32, ImportIx(import as u32))))
    }
}

/// Follows all imports by scopes and exports alone.
pub(crate) fn follow(world: &mut World<'_>) {
    follow_these(world, None, world.imports.keys().collect());
}

/// Follows once more those that brought nothing: what a type inherits can be imported too.
pub(crate) fn follow_again(world: &mut World<'_>, hierarchy: &Hierarchy) {
    follow_these(world, Some(hierarchy), world.imports.empty());
}

fn follow_these(world: &mut World<'_>, hierarchy: Option<&Hierarchy>, mut due: Vec<Key>) {
    let mut users: FxHashMap<Key, FxHashSet<Key>> = FxHashMap::default();
    for _ in 0..MAX_HOPS {
        let answer = |keys: &[Key]| {
            let asked = Asked::default();
            let names = Names { asked: Some(&asked), ..Names::new(world, hierarchy) };
            let each = |key: &Key| (*key, names.follow_import(key.0, key.1), asked.take());
            keys.iter().map(each).collect::<Vec<_>>()
        };
        let answers: Vec<Vec<_>> = due.par_chunks(64).map(answer).collect();
        let mut next: FxHashSet<Key> = FxHashSet::default();
        let mut changed: Vec<Key> = Vec::new();
        for (key, brings, asked) in answers.into_iter().flatten() {
            for used in asked {
                users.entry(used).or_default().insert(key);
            }
            if world.imports.set(key, brings) {
                changed.push(key);
            }
        }
        for key in changed {
            next.extend(users.get(&key).into_iter().flatten());
        }
        if next.is_empty() {
            return;
        }
        due = next.into_iter().collect();
        due.sort_unstable();
    }
}
