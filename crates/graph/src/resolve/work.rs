//! What of a file has to be looked at (again): its expressions, then what its text does with them.
//!
//! Every expression and every action has a number, in the order of the text. Looking at one may change a value; whoever
//! depends on that value is due again. Dependence on parts is read off the facts once; dependence on slots is noted
//! when a slot is read. A sweep goes through all that is due from the first to the last, as often as needed.

use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use crate::facts::{Args, Expr, ExprId, FileFacts, Place};

use super::value::Slot;

/// Something to look at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Node {
    Expr(ExprId),
    Variable(u32),
    Symbol(u32),
    Flow(u32),
    Export(u32),
    Decorators,
}

/// Where the numbers of each sort begin.
#[derive(Debug, Clone, Copy)]
struct Numbers {
    variables: u32,
    symbols: u32,
    flows: u32,
    exports: u32,
    decorators: u32,
}

impl Numbers {
    fn new(facts: &FileFacts) -> Self {
        let variables = facts.exprs.len() as u32;
        let symbols = variables + facts.variables.len() as u32;
        let flows = symbols + facts.symbols.len() as u32;
        let exports = flows + facts.flows.len() as u32;
        Self { variables, symbols, flows, exports, decorators: exports + facts.exports.len() as u32 }
    }

    fn node(self, number: u32) -> Node {
        match number {
            n if n < self.variables => Node::Expr(ExprId(n)),
            n if n < self.symbols => Node::Variable(n - self.variables),
            n if n < self.flows => Node::Symbol(n - self.symbols),
            n if n < self.exports => Node::Flow(n - self.flows),
            n if n < self.decorators => Node::Export(n - self.exports),
            _ => Node::Decorators,
        }
    }
}

/// No node is being looked at: what is read now is read once.
const NOBODY: u32 = u32::MAX;

/// The work of one file.
#[derive(Debug)]
pub(crate) struct Work {
    numbers: Numbers,
    /// A bit a node.
    due: Vec<u64>,
    /// Of each expression, where in `users` its run begins.
    starts: Vec<u32>,
    users: Vec<u32>,
    readers: FxHashMap<Slot, SmallVec<[u32; 4]>>,
    /// Who looked at an expression that is no part of it.
    watchers: FxHashMap<ExprId, SmallVec<[u32; 4]>>,
    now: u32,
}

impl Work {
    /// Everything is due.
    pub(crate) fn new(facts: &FileFacts) -> Self {
        let numbers = Numbers::new(facts);
        let mut starts = vec![0u32; facts.exprs.len() + 1];
        each_part(facts, numbers, &mut |_, part| starts[part.ix()] += 1);
        let mut end = 0;
        for start in &mut starts {
            end += *start;
            *start = end;
        }
        // Each run is filled from its end, so that `starts` holds the beginnings when all are in.
        let mut users = vec![0u32; end as usize];
        each_part(facts, numbers, &mut |node, part| {
            let at = &mut starts[part.ix()];
            *at -= 1;
            users[*at as usize] = node;
        });
        let count = numbers.decorators as usize + 1;
        let mut due = vec![u64::MAX; count.div_ceil(64)];
        if let Some(last) = due.last_mut().filter(|_| !count.is_multiple_of(64)) {
            *last = (1 << (count % 64)) - 1;
        }
        Self { numbers, due, starts, users, readers: FxHashMap::default(), watchers: FxHashMap::default(), now: NOBODY }
    }

    /// The first node that is due at or after a number; it is due no longer. Gives the number to go on from as well.
    pub(crate) fn next(&mut self, from: u32) -> Option<(Node, u32)> {
        let mut word = from as usize / 64;
        let mut bits = self.due.get(word)? & (u64::MAX << (from % 64));
        while bits == 0 {
            word += 1;
            bits = *self.due.get(word)?;
        }
        let number = word as u32 * 64 + bits.trailing_zeros();
        self.due[word] &= !(1 << (number % 64));
        self.now = number;
        Some((self.numbers.node(number), number + 1))
    }

    /// Nothing is being looked at any more.
    pub(crate) fn rest(&mut self) {
        self.now = NOBODY;
    }

    fn mark(due: &mut [u64], node: u32) {
        due[node as usize / 64] |= 1 << (node % 64);
    }

    /// An expression has changed.
    pub(crate) fn expr_changed(&mut self, expr: ExprId) {
        let run = self.starts[expr.ix()] as usize..self.starts[expr.ix() + 1] as usize;
        let watchers = self.watchers.get(&expr).into_iter().flatten();
        for node in self.users[run].iter().chain(watchers) {
            Self::mark(&mut self.due, *node);
        }
    }

    /// A slot has changed.
    pub(crate) fn slot_changed(&mut self, slot: Slot) {
        for node in self.readers.get(&slot).into_iter().flatten() {
            Self::mark(&mut self.due, *node);
        }
    }

    /// Notes that what is being looked at has read a slot; says whether nobody in the file had before.
    pub(crate) fn note_read(&mut self, slot: Slot) -> bool {
        if self.now == NOBODY {
            return false;
        }
        let readers = self.readers.entry(slot).or_default();
        let first = readers.is_empty();
        note(readers, self.now);
        first
    }

    /// Notes that what is being looked at depends on an expression that is no part of it.
    pub(crate) fn watch(&mut self, expr: ExprId) {
        if self.now != NOBODY {
            note(self.watchers.entry(expr).or_default(), self.now);
        }
    }
}

fn note(list: &mut SmallVec<[u32; 4]>, node: u32) {
    if let Err(at) = list.binary_search(&node) {
        list.insert(at, node);
    }
}

/// Calls `each` with every node and each expression whose value it makes use of.
fn each_part(facts: &FileFacts, numbers: Numbers, each: &mut impl FnMut(u32, ExprId)) {
    for (at, expr) in facts.exprs.iter().enumerate() {
        each_part_of(facts, *expr, &mut |part| each(at as u32, part));
    }
    for (at, variable) in facts.variables.iter().enumerate() {
        variable.declared.iter().for_each(|declared| each(numbers.variables + at as u32, *declared));
    }
    for (at, symbol) in facts.symbols.iter().enumerate() {
        symbol.declared.iter().for_each(|declared| each(numbers.symbols + at as u32, *declared));
    }
    for (at, flow) in facts.flows.iter().enumerate() {
        let node = numbers.flows + at as u32;
        each(node, flow.value);
        let declared = match flow.to {
            Place::Expr(target) => {
                if let Expr::Member { base, .. } | Expr::Index { base, .. } = facts.expr(target) {
                    each(node, base);
                }
                None
            }
            Place::Variable(variable) => facts.variables[variable.ix()].declared,
            Place::Symbol(symbol) => facts.symbols[symbol.ix()].declared,
            Place::Return(_) | Place::Yield(_) => None,
        };
        // A literal fills the fields of the declared type.
        if let Some(declared) = declared {
            each(node, declared);
        }
    }
    for (at, export) in facts.exports.iter().enumerate() {
        each(numbers.exports + at as u32, export.value);
    }
    facts.decorators.iter().for_each(|decorator| each(numbers.decorators, decorator.value));
}

fn each_part_of(facts: &FileFacts, expr: Expr, each: &mut impl FnMut(ExprId)) {
    let all = |args: Args, each: &mut dyn FnMut(ExprId)| {
        facts.arguments(args).iter().for_each(|arg| each(arg.value));
    };
    match expr {
        Expr::Unknown
        | Expr::Literal
        | Expr::Name { .. }
        | Expr::Symbol(_)
        | Expr::Receiver { .. }
        | Expr::ReceiverType { .. }
        | Expr::Super { .. }
        | Expr::Module { .. } => {}
        Expr::Member { base, .. }
        | Expr::Index { base, .. }
        | Expr::Element { base }
        | Expr::Await { base }
        | Expr::Instance { of: base } => each(base),
        Expr::Call { callee, args } => {
            each(callee);
            // A method may give its receiver, or do something with the receiver's elements.
            if let Expr::Member { base, .. } = facts.expr(callee) {
                each(base);
            }
            all(args, each);
        }
        Expr::New { class: base, args } | Expr::Apply { base, args } => {
            each(base);
            all(args, each);
        }
        Expr::Object(args) | Expr::List(args) | Expr::Union(args) => all(args, each),
    }
}
