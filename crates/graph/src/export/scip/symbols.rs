//! Symbols as SCIP spells them: the file as namespaces, then what lies around, each part with a sign for what it is.

use std::collections::hash_map::Entry;

use rustc_hash::{FxHashMap, FxHashSet};
use scip::symbol::{SymbolFormatOptions, format_symbol_with};
use scip::types::descriptor::Suffix;
use scip::types::{Descriptor, Symbol};

use crate::graph::{Graph, SymbolView};
use crate::kinds::SymbolKind;

/// Whose symbols they are. We know no packages: names of symbols hold for this index.
const SCHEME: &str = "vise . . . ";
/// What lies deeper stands in its file directly, so that names do not grow without end.
const MAX_DEPTH: u8 = 64;

/// The spelling of every symbol, each another one.
pub(super) fn spell(graph: &Graph) -> Vec<String> {
    let count = graph.symbols() as usize;
    let mut speller = Speller {
        graph,
        spelled: vec![String::new(); count],
        depths: vec![0; count],
        taken: FxHashSet::default(),
        next: FxHashMap::default(),
    };
    let mut way = Vec::new();
    for ix in 0..graph.symbols() {
        let mut at = ix;
        while speller.spelled[at as usize].is_empty() {
            way.push(at);
            match graph.symbol(at).container {
                Some(container) => at = container,
                None => break,
            }
        }
        while let Some(at) = way.pop() {
            speller.spell(at);
        }
    }
    speller.spelled
}

struct Speller<'g> {
    graph: &'g Graph,
    /// Empty for what is to come.
    spelled: Vec<String>,
    depths: Vec<u8>,
    taken: FxHashSet<String>,
    /// By a spelling that is taken: the number to try for the next of its kind.
    next: FxHashMap<String, u32>,
}

impl Speller<'_> {
    /// Spells a symbol whose container is spelled already.
    fn spell(&mut self, ix: u32) {
        let symbol = self.graph.symbol(ix);
        let Some(container) = symbol.container else {
            let folders = symbol.file.split('/').map(|part| descriptor(part, Suffix::Namespace, ""));
            self.spelled[ix as usize] = format!("{SCHEME}{}", folders.collect::<String>());
            return;
        };
        let depth = self.depths[container as usize];
        let around = if depth < MAX_DEPTH { container } else { self.graph.file(symbol.file_ix).symbols.start };
        self.depths[ix as usize] = self.depths[around as usize] + 1;
        let around = self.spelled[around as usize].clone();
        let plain = around.clone() + &part(&symbol, 0);
        let mut spelled = plain.clone();
        while !self.taken.insert(spelled.clone()) {
            let number = match self.next.entry(plain.clone()) {
                Entry::Occupied(mut next) => {
                    *next.get_mut() += 1;
                    *next.get()
                }
                Entry::Vacant(next) => *next.insert(1),
            };
            spelled = around.clone() + &part(&symbol, number);
        }
        self.spelled[ix as usize] = spelled;
    }
}

/// The part of a symbol; of several with one name in one place each has another number.
fn part(symbol: &SymbolView<'_>, number: u32) -> String {
    let suffix = match symbol.kind {
        SymbolKind::Module | SymbolKind::Namespace => Suffix::Namespace,
        kind if kind.is_type() => Suffix::Type,
        SymbolKind::Macro => Suffix::Macro,
        kind if kind.is_callable() => Suffix::Method,
        _ => Suffix::Term,
    };
    // Nothing has no name in SCIP.
    let name = if symbol.name.is_empty() { "_" } else { symbol.name };
    match (number, suffix) {
        (0, _) => descriptor(name, suffix, ""),
        (_, Suffix::Method) => descriptor(name, suffix, &format!("+{number}")),
        // Only methods have something of their own to tell overloads apart by.
        _ => descriptor(&format!("{name}+{number}"), suffix, ""),
    }
}

fn descriptor(name: &str, suffix: Suffix, disambiguator: &str) -> String {
    let descriptor = Descriptor {
        name: name.to_owned(),
        disambiguator: disambiguator.to_owned(),
        suffix: suffix.into(),
        ..Descriptor::default()
    };
    let alone = SymbolFormatOptions {
        include_scheme: false,
        include_package_manager: false,
        include_package_name: false,
        include_package_version: false,
        include_descriptor: true,
    };
    format_symbol_with(Symbol { descriptors: vec![descriptor], ..Symbol::default() }, alone)
}
