//! Resolution: from the facts of all files to edges with their evidence.
//!
//! **What it is.** Names first (`names`, `modules`): scopes, imports, exports, packages. Then types (`hierarchy`,
//! `merge`): bases, members, parts. Then values (`eval`, `call`): what each expression may stand for, in rounds. A round
//! is a pure function of the facts and of what files gave each other in the round before, so neither the order of work
//! nor the history of an index can change an answer. At last edges (`emit`).
//!
//! **What it will never do.** It answers no member call by the name alone, and leaves no family of languages.

pub mod border;
mod call;
mod callback;
mod emit;
mod eval;
mod exports;
mod flow;
mod generics;
mod hierarchy;
mod imports;
mod known;
mod literals;
mod member;
mod merge;
mod modules;
mod names;
mod packages;
mod paths;
mod qualify;
mod rust;
mod slots;
mod types;
mod uses;
mod value;
mod work;
mod world;

use std::sync::{OnceLock, PoisonError, RwLock};

use rayon::prelude::*;
use rustc_hash::FxHashMap;
use vise_syntax::rules::GraphRules;

use crate::kinds::{EdgeKind, Evidence, SymbolKind};
use crate::resolution::{GlobalSymbol, Resolution, ResolvedEdge, ResolvedFile};
use crate::source::{ProjectFile, SourceFile};

use emit::{Emitted, emit};
use eval::Eval;
use hierarchy::Hierarchy;
use slots::Known;
use value::Slot;
use world::World;

/// How many files a value is followed through.
const MAX_ROUNDS: usize = 8;

/// Resolves the facts of all files. The order of the files has no influence but on the order of the answer.
pub fn resolve(files: &[SourceFile<'_>], projects: &[ProjectFile]) -> Resolution {
    let (world, hierarchy) = looked_up(files, projects);
    let emitted = evaluate(&world, &hierarchy);
    let mut resolved: Vec<ResolvedFile> = emitted
        .into_par_iter()
        .enumerate()
        .map(|(number, emitted)| ResolvedFile {
            qualified: qualify::qualified(&world, number as u32),
            merged: Vec::new(),
            edges: emitted.edges,
            misses: emitted.misses,
        })
        .collect();
    for (second, first) in hierarchy.all_merged() {
        resolved[second.file as usize].merged.push((second.symbol, first));
    }
    add_type_edges(&world, &hierarchy, &mut resolved);
    Resolution { files: resolved }
}

/// All files with what their names and imports mean, and their types.
fn looked_up<'a>(files: &'a [SourceFile<'a>], projects: &'a [ProjectFile]) -> (World<'a>, Hierarchy) {
    let rules: Vec<&GraphRules> =
        files.iter().map(|file| file.language.description.graph.as_ref().unwrap_or_else(|| no_rules())).collect();
    let mut world = World::new(files, projects, &rules);
    imports::follow(&mut world);
    let hierarchy = Hierarchy::new(&world);
    imports::follow_again(&mut world, &hierarchy);
    world.forget_offered();
    (world, hierarchy)
}

/// For languages that say nothing about themselves: symbols only.
fn no_rules() -> &'static GraphRules {
    static NONE: OnceLock<GraphRules> = OnceLock::new();
    NONE.get_or_init(GraphRules::none)
}

/// Evaluates all files in rounds, each again for as long as something that it reads changes.
fn evaluate(world: &World<'_>, hierarchy: &Hierarchy) -> Vec<Emitted> {
    let count = world.files.len() as u32;
    let known: Known = (0..count).map(|_| RwLock::default()).collect();
    let mut evals: Vec<Eval<'_, '_>> =
        (0..count).into_par_iter().map(|number| Eval::new(world, hierarchy, number, &known)).collect();
    let mut readers: FxHashMap<Slot, Vec<u32>> = FxHashMap::default();
    // Of each file that is due, the slots that changed.
    let mut due: Vec<Option<Vec<Slot>>> = vec![Some(Vec::new()); count as usize];
    for _ in 0..MAX_ROUNDS {
        let outcomes: Vec<_> = evals
            .par_iter_mut()
            .zip(due.par_iter_mut())
            .filter_map(|(eval, due)| Some((eval.number, eval.run(&due.take()?))))
            .collect();
        let mut changed: Vec<Slot> = Vec::new();
        for (number, outcome) in outcomes {
            for slot in outcome.reads {
                readers.entry(slot).or_default().push(number);
            }
            for (slot, set) in outcome.gives {
                let mut owner = known[slot.file() as usize].write().unwrap_or_else(PoisonError::into_inner);
                if owner.entry(slot).or_default().join(&set) {
                    if slot.file() != number {
                        due[slot.file() as usize].get_or_insert_default().push(slot);
                    }
                    changed.push(slot);
                }
            }
        }
        changed.sort_unstable();
        changed.dedup();
        for slot in changed {
            for reader in readers.get(&slot).into_iter().flatten() {
                due[*reader as usize].get_or_insert_default().push(slot);
            }
        }
        if due.iter().all(Option::is_none) {
            break;
        }
    }
    evals.into_par_iter().map(|mut eval| emit(&mut eval)).collect()
}

/// Inheritance, and what overrides what.
fn add_type_edges(world: &World<'_>, hierarchy: &Hierarchy, resolved: &mut [ResolvedFile]) {
    let mut add = |from: GlobalSymbol, to: GlobalSymbol, kind: EdgeKind, evidence: Evidence, line: u32| {
        let edge = ResolvedEdge { from: from.symbol, line, to, kind, evidence };
        resolved[from.file as usize].edges.push(edge);
    };
    for edge in &hierarchy.edges {
        let evidence = if edge.from.file == edge.to.file { Evidence::Scope } else { Evidence::Import };
        add(edge.from, edge.to, edge.kind, evidence, edge.line);
    }
    for class in hierarchy.types_with_bases() {
        for (name, member) in hierarchy.all_members(world, class) {
            let row = world.symbol(member);
            let is_member = row.kind.is_callable() || row.kind == SymbolKind::Property;
            if !is_member || row.kind == SymbolKind::Constructor {
                continue;
            }
            let inherited = hierarchy.overridden(world, class, name);
            let callable: Vec<GlobalSymbol> = inherited
                .into_iter()
                .filter(|other| same_sort(world.kind(*other), row.kind) && *other != member)
                .collect();
            let fitting = callable.iter().find(|other| world.symbol(**other).arity == row.arity);
            if let Some(base) = fitting.or(callable.first()) {
                add(member, *base, EdgeKind::Overrides, Evidence::Receiver, row.line);
            }
        }
    }
    for file in resolved {
        file.merged.sort_unstable();
        file.misses.sort_unstable();
        // Of edges that differ by their evidence alone the surest stays.
        file.edges.sort_unstable_by_key(|edge| (edge.from, edge.line, edge.to, edge.kind, edge.evidence));
        file.edges.dedup_by_key(|edge| (edge.from, edge.line, edge.to, edge.kind));
    }
}

/// Whether a member of one kind can take the place of one of another.
fn same_sort(one: SymbolKind, other: SymbolKind) -> bool {
    one.is_callable() && other.is_callable() || one == other
}
