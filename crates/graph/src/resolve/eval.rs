//! What the expressions of one file stand for, given what other files say about theirs.
//!
//! A pure function of the file's facts and of the values that other files gave in the round before: sets only grow, until
//! nothing changes, so the order of work has no influence on the outcome.

use std::cell::RefCell;

use rustc_hash::{FxHashMap, FxHashSet};
use vise_syntax::rules::Apart;

use crate::facts::{Arg, Args, Expr, ExprId, FileFacts, ParameterKind, Place, ScopeId, SymbolIx, VariableIx, flag};
use crate::kinds::{Evidence, SymbolKind};
use crate::resolution::GlobalSymbol;

use super::call::rest_list;
use super::hierarchy::{Hierarchy, Members};
use super::known::{RuleNames, add_bounds_of_extensions};
use super::names::{Denotation, Denoted, Found, Names};
use super::value::{Set, Slot, Value};
use super::world::{Atom, File, World};

/// What all files gave in the round before, by the file that owns the slot.
pub(crate) type Known = Vec<FxHashMap<Slot, Set>>;

/// How often a file is gone through before it is left as it is. Values travel one step backwards in the text a time.
const MAX_PASSES: usize = 16;

/// The evaluation of one file.
pub(crate) struct Eval<'w, 'a> {
    pub(crate) world: &'w World<'a>,
    pub(crate) hierarchy: &'w Hierarchy,
    pub(crate) names: Names<'w, 'a>,
    pub(crate) number: u32,
    pub(crate) file: &'w File<'a>,
    pub(crate) facts: &'a FileFacts,
    known: &'w Known,
    exprs: Vec<Set>,
    /// What each [`Expr::Name`] means.
    denoted: Vec<Option<Denotation>>,
    lookups: FxHashMap<(ScopeId, Atom, Option<bool>, bool), Denotation>,
    pub(crate) paths: FxHashMap<(Denoted, Atom), Denotation>,
    /// Members that were looked up, by type and name, and whether in the base part.
    pub(crate) seen_members: RefCell<FxHashMap<(GlobalSymbol, Atom, bool), Members>>,
    pub(crate) seen_constructors: RefCell<FxHashMap<GlobalSymbol, Members>>,
    /// Expressions that may still change, once all have been looked at.
    open: Vec<u32>,
    settled: Vec<bool>,
    variables: Vec<Set>,
    symbols: Vec<Set>,
    returns: Vec<Set>,
    /// Slots of this file that are not in the lists above.
    others: FxHashMap<Slot, Set>,
    /// What goes to slots of other files.
    foreign: FxHashMap<Slot, Set>,
    /// Slots of other files that were read.
    reads: FxHashSet<Slot>,
    /// Variables and symbols whose declared type is one of the project's: what flows to them is no surer.
    typed_variables: Vec<bool>,
    typed_symbols: Vec<bool>,
    typed_returns: Vec<bool>,
    bounds: FxHashMap<(ScopeId, Atom), Vec<ExprId>>,
    pub(crate) rules: RuleNames,
    changed: bool,
}

/// What an evaluation gives to others.
pub(crate) struct Outcome {
    /// Values for slots, this file's own included, sorted.
    pub(crate) gives: Vec<(Slot, Set)>,
    /// Slots of other files that were read.
    pub(crate) reads: FxHashSet<Slot>,
}

impl<'w, 'a> Eval<'w, 'a> {
    pub(crate) fn new(world: &'w World<'a>, hierarchy: &'w Hierarchy, number: u32, known: &'w Known) -> Self {
        let file = world.file(number);
        let facts = file.facts;
        let names = Names { world, hierarchy: Some(hierarchy), called: None, typed: false };
        let mut bounds: FxHashMap<_, Vec<ExprId>> = FxHashMap::default();
        for bound in &facts.bounds {
            bounds.entry((bound.scope, file.atom(bound.name))).or_default().push(bound.bound);
        }
        add_bounds_of_extensions(world, hierarchy, number, &mut bounds);
        let is_project_type = |declared: Option<ExprId>| {
            declared.is_some_and(|expr| {
                let names = Names { typed: file.has_types(), ..names };
                names.path(number, expr).iter().any(|one| match one.what {
                    Denoted::Symbol(symbol) => world.kind(symbol).is_type() && world.kind(symbol) != SymbolKind::Type,
                    _ => false,
                })
            })
        };
        Self {
            typed_variables: facts
                .variables
                .iter()
                .map(|variable| {
                    // Of a rest parameter the type is that of its elements.
                    let is_rest = variable.parameter.is_some_and(|parameter| parameter.kind == ParameterKind::Rest);
                    !is_rest && is_project_type(variable.declared)
                })
                .collect(),
            typed_symbols: facts
                .symbols
                .iter()
                .map(|symbol| symbol.kind.holds_value() && is_project_type(symbol.declared))
                .collect(),
            typed_returns: facts
                .symbols
                .iter()
                .map(|symbol| symbol.kind.is_callable() && is_project_type(symbol.declared))
                .collect(),
            exprs: vec![Set::default(); facts.exprs.len()],
            denoted: vec![None; facts.exprs.len()],
            lookups: FxHashMap::default(),
            paths: FxHashMap::default(),
            seen_members: RefCell::default(),
            seen_constructors: RefCell::default(),
            open: Vec::new(),
            settled: vec![false; facts.exprs.len()],
            variables: vec![Set::default(); facts.variables.len()],
            symbols: vec![Set::default(); facts.symbols.len()],
            returns: vec![Set::default(); facts.symbols.len()],
            others: FxHashMap::default(),
            foreign: FxHashMap::default(),
            reads: FxHashSet::default(),
            changed: false,
            world,
            hierarchy,
            names,
            number,
            file,
            facts,
            known,
            bounds,
            rules: RuleNames::new(world, file.rules),
        }
    }

    /// Goes through the file until nothing changes.
    pub(crate) fn run(&mut self) {
        for (slot, set) in &self.known[self.number as usize] {
            self.write(*slot, set);
        }
        for number in 0..MAX_PASSES {
            self.changed = false;
            if number == 0 {
                for at in 0..self.facts.exprs.len() {
                    self.look_at(at as u32);
                    self.settled[at] = self.settles(ExprId(at as u32));
                    if !self.settled[at] {
                        self.open.push(at as u32);
                    }
                }
            } else {
                let open = std::mem::take(&mut self.open);
                open.iter().for_each(|at| self.look_at(*at));
                self.open = open;
            }
            self.pass();
            if !self.changed {
                break;
            }
        }
    }

    fn look_at(&mut self, at: u32) {
        let set = self.expr(ExprId(at));
        self.changed |= self.exprs[at as usize].join(&set);
    }

    /// Whether an expression will stay what it is: what comes from outside the project, and what is made of nothing.
    fn settles(&self, id: ExprId) -> bool {
        let outside = |expr: ExprId| {
            self.settled[expr.ix()] && self.exprs[expr.ix()].iter().all(|entry| entry.value == Value::External)
        };
        match self.facts.expr(id) {
            Expr::Unknown | Expr::Literal | Expr::Symbol(_) => true,
            Expr::Name { .. } => self.denotation(id).iter().all(|found| match found.what {
                Denoted::External | Denoted::Module(_) | Denoted::Package(_) => true,
                Denoted::Symbol(symbol) => symbol.file != self.number,
                _ => false,
            }),
            Expr::Member { base, .. } | Expr::Await { base } => outside(base),
            Expr::Call { callee, args } | Expr::New { class: callee, args } => {
                outside(callee) && self.arguments(args).iter().all(|arg| outside(arg.value))
            }
            _ => false,
        }
    }

    fn pass(&mut self) {
        for (at, variable) in self.facts.variables.iter().enumerate() {
            let slot = Slot::Variable(self.number, at as u32);
            let is_rest = variable.parameter.is_some_and(|parameter| parameter.kind == ParameterKind::Rest);
            if is_rest {
                let list = rest_list(VariableIx(at as u32));
                self.write(slot, &Set::one(Value::Object(self.number, list), Evidence::Scope));
            }
            if let Some(declared) = variable.declared {
                let set = self.declared(declared);
                let place = if is_rest { Slot::All(self.number, rest_list(VariableIx(at as u32))) } else { slot };
                self.write_declared(place, &set);
            }
            if let Some(parameter) = variable.parameter.filter(|p| p.kind == ParameterKind::Receiver) {
                self.write_receiver(slot, parameter.function);
            }
        }
        for (at, symbol) in self.facts.symbols.iter().enumerate() {
            let own = self.own(SymbolIx(at as u32));
            if let Some(declared) = symbol.declared {
                let types = self.exprs[declared.ix()].clone();
                match symbol.kind {
                    SymbolKind::Type => self.write(Slot::Symbol(own), &types),
                    kind if kind.holds_value() => {
                        let set = self.declared(declared);
                        self.write_declared(Slot::Symbol(own), &set);
                    }
                    _ => {
                        let set = self.declared(declared);
                        if symbol.flags & flag::GENERATOR != 0 {
                            let inner = self.elements(&set);
                            self.write(Slot::Yield(own), &inner);
                        }
                        self.write_declared(Slot::Return(own), &set);
                    }
                }
            }
        }
        for flow in &self.facts.flows {
            let value = self.exprs[flow.value.ix()].clone();
            self.flow(flow.to, &value);
            self.fill_fields(flow.to, flow.value);
        }
        for export in &self.facts.exports {
            let value = self.exprs[export.value.ix()].clone();
            self.write(Slot::Expr(self.number, export.value), &value);
        }
        self.decorate();
    }

    /// Values of a declared type.
    fn declared(&self, declared: ExprId) -> Set {
        self.instances(&self.exprs[declared.ix()])
    }

    /// Writes what a declaration says, which nothing that happens to be assigned can change.
    fn write_declared(&mut self, slot: Slot, value: &Set) {
        let place = match slot {
            Slot::Variable(file, variable) if file == self.number => &mut self.variables[variable as usize],
            Slot::Symbol(symbol) if symbol.file == self.number => &mut self.symbols[symbol.symbol.ix()],
            Slot::Return(symbol) if symbol.file == self.number => &mut self.returns[symbol.symbol.ix()],
            _ => return self.write(slot, value),
        };
        self.changed |= place.join(value);
    }

    fn own(&self, symbol: SymbolIx) -> GlobalSymbol {
        self.hierarchy.first_place(GlobalSymbol { file: self.number, symbol })
    }

    fn write_receiver(&mut self, slot: Slot, function: SymbolIx) {
        let row = self.file.symbol(function);
        let Some(class) = row.body.and_then(|body| self.hierarchy.type_around(self.world, self.number, body)) else {
            return;
        };
        let value = match row.flags & flag::CLASS_METHOD {
            0 => Value::Instance(class, false),
            _ => Value::Symbol(class),
        };
        self.write(slot, &Set::one(value, Evidence::Receiver));
    }

    /// What a decorated function is afterwards: also what its decorators give back.
    fn decorate(&mut self) {
        let decorators = &self.facts.decorators;
        let mut at = decorators.len();
        while at > 0 {
            // The decorators of one symbol stand together; the last is applied first.
            let symbol = decorators[at - 1].symbol;
            let mut value = Set::one(Value::Symbol(self.own(symbol)), Evidence::Scope);
            let mut wrapped = false;
            while at > 0 && decorators[at - 1].symbol == symbol {
                at -= 1;
                let decorator = self.exprs[decorators[at].value.ix()].clone();
                let mut given = Set::default();
                for entry in decorator.iter() {
                    let (Value::Symbol(function) | Value::Bound(function)) = entry.value else { continue };
                    if self.world.kind(function).is_callable() {
                        let bound = matches!(entry.value, Value::Bound(_));
                        self.pass_value(function, 0, bound, &value.handed_over());
                        given.join(&self.read(Slot::Return(function)));
                    }
                }
                if !given.is_empty() {
                    value = given.handed_over();
                    wrapped = true;
                }
            }
            if wrapped {
                self.write(Slot::Symbol(self.own(symbol)), &value);
            }
        }
    }

    /// What an expression stands for, as found so far.
    pub(crate) fn value(&self, expr: ExprId) -> &Set {
        &self.exprs[expr.ix()]
    }

    fn expr(&mut self, id: ExprId) -> Set {
        match self.facts.expr(id) {
            Expr::Unknown => Set::default(),
            Expr::Literal => Set::one(Value::External, Evidence::Scope),
            Expr::Name { scope, name } => {
                self.resolve_name(id, scope, self.file.atom(name));
                let denotation = self.denoted[id.ix()].clone().unwrap_or_default();
                let set = self.all_values(&denotation);
                self.with_bare_results(set)
            }
            Expr::Member { base, name } => {
                let set = self.member(id, base, self.file.atom(name));
                self.with_bare_results(set)
            }
            Expr::Call { callee, args } => self.call(id, callee, args),
            Expr::New { class: class_expr, args } => {
                let class = self.exprs[class_expr.ix()].clone();
                let mut set = Set::default();
                for entry in class.iter() {
                    match entry.value {
                        Value::Symbol(symbol) if self.makes_instances(symbol) => {
                            set.add(Value::Instance(symbol, true), Evidence::Receiver);
                            self.construct(symbol, args);
                        }
                        Value::External | Value::Typed(..) => {
                            set.add(entry.value, Evidence::Import);
                        }
                        _ => {}
                    }
                }
                set.join(&self.typed_literal(id, class_expr, args));
                set
            }
            Expr::Index { base, key } => self.index(base, key.map(|key| self.file.atom(key))),
            Expr::Element { base } => self.elements(&self.exprs[base.ix()].clone()),
            Expr::Await { base } => self.exprs[base.ix()].clone(),
            Expr::Symbol(symbol) => Set::one(Value::Symbol(self.own(symbol)), Evidence::Scope),
            Expr::Object(args) | Expr::List(args) => {
                for (at, arg) in self.facts.arguments(args).iter().enumerate() {
                    let value = self.exprs[arg.value.ix()].clone();
                    if arg.spread {
                        let inner = self.elements(&value);
                        self.write(Slot::All(self.number, id), &inner);
                        self.write(Slot::AnyKey(self.number, id), &inner);
                        continue;
                    }
                    let key = match arg.name {
                        Some(name) => Some(self.file.atom(name)),
                        None => self.world.atoms.get(&at.to_string()),
                    };
                    let list = matches!(self.facts.expr(id), Expr::List(_));
                    match key.filter(|_| list || arg.name.is_some()) {
                        Some(key) => self.write(Slot::Key(self.number, id, key), &value),
                        None => self.write(Slot::AnyKey(self.number, id), &value),
                    }
                    self.write(Slot::All(self.number, id), &value);
                }
                Set::one(Value::Object(self.number, id), Evidence::Scope)
            }
            Expr::Union(args) => {
                let mut set = Set::default();
                for arg in self.facts.arguments(args) {
                    set.join(&self.exprs[arg.value.ix()]);
                }
                set
            }
            Expr::Receiver { scope } => {
                let class = self.hierarchy.type_around(self.world, self.number, scope);
                class.map(|class| Set::one(Value::Instance(class, false), Evidence::Receiver)).unwrap_or_default()
            }
            Expr::ReceiverType { scope } => {
                let class = self.hierarchy.type_around(self.world, self.number, scope);
                class.map(|class| Set::one(Value::Symbol(class), Evidence::Receiver)).unwrap_or_default()
            }
            Expr::Super { scope } => {
                let class = self.hierarchy.type_around(self.world, self.number, scope);
                class.map(|class| Set::one(Value::Super(class), Evidence::Receiver)).unwrap_or_default()
            }
            Expr::Instance { of } => self.instances(&self.exprs[of.ix()].clone()),
            Expr::Apply { base, args } => self.apply(id, base, args),
            Expr::Module { .. } => {
                let denotation = self.names.path(self.number, id);
                self.all_values(&denotation)
            }
        }
    }

    fn resolve_name(&mut self, id: ExprId, scope: ScopeId, name: Atom) {
        if self.denoted[id.ix()].is_none() {
            let anchor = self.file.anchor(scope, name);
            let called = self.file.uses.called(id).filter(|_| self.file.rules.functions_apart == Apart::Names);
            let typed = self.file.uses.typed(id);
            let found = match self.lookups.get(&(anchor, name, called, typed)) {
                Some(found) => found.clone(),
                None => {
                    let found = Names { called, typed, ..self.names }.lookup(self.number, anchor, name);
                    self.lookups.insert((anchor, name, called, typed), found.clone());
                    found
                }
            };
            self.denoted[id.ix()] =
                Some(self.file.in_order(self.number, id, scope, self.file.of_its_sort(self.world, id, found)));
        }
    }

    /// What a name expression means; empty for other expressions.
    pub(crate) fn denotation(&self, id: ExprId) -> &[Found] {
        self.denoted[id.ix()].as_ref().map_or(&[], |found| found.as_slice())
    }

    pub(crate) fn all_values(&mut self, denotation: &Denotation) -> Set {
        let mut set = Set::default();
        for found in denotation {
            let values = self.values_of(*found);
            set.join(&values);
        }
        set
    }

    /// What something that a name stands for is as a value.
    pub(crate) fn values_of(&mut self, found: Found) -> Set {
        match found.what {
            Denoted::Symbol(symbol) => self.symbol_value(symbol, found.via),
            Denoted::Variable(file, variable) => self.read(Slot::Variable(file, variable.0)),
            Denoted::Expr(file, expr) => self.read(Slot::Expr(file, expr)).at_most(found.via),
            Denoted::Module(file) => Set::one(Value::Module(file), found.via),
            Denoted::Package(package) => Set::one(Value::Package(package), found.via),
            Denoted::External => Set::one(Value::External, found.via),
            Denoted::TypeParameter(file, scope, name) => {
                let mut set = Set::default();
                if file == self.number {
                    for bound in self.bounds.get(&(scope, name)).cloned().unwrap_or_default() {
                        set.join(&self.exprs[bound.ix()]);
                    }
                }
                set
            }
        }
    }

    pub(crate) fn symbol_value(&mut self, symbol: GlobalSymbol, via: Evidence) -> Set {
        let row = self.world.symbol(symbol);
        match row.kind {
            SymbolKind::Module => Set::one(Value::Module(symbol.file), via),
            SymbolKind::Type => {
                let aliased = self.read(Slot::Symbol(symbol)).at_most(via);
                if aliased.is_empty() { Set::one(Value::Symbol(symbol), via) } else { aliased }
            }
            SymbolKind::Constant if self.is_enum_member(symbol) => {
                let container = GlobalSymbol { file: symbol.file, symbol: row.container };
                let mut set =
                    Set::one(Value::Instance(self.hierarchy.first_place(container), true), Evidence::Receiver);
                set.add(Value::Symbol(symbol), via);
                set
            }
            kind if kind.holds_value() => {
                let mut set = self.read(Slot::Symbol(symbol));
                for behind in self.behind_attribute(symbol) {
                    set.join(&self.read(Slot::Symbol(behind)));
                }
                set.at_most(via)
            }
            _ => {
                let mut set = self.read(Slot::Symbol(symbol)).at_most(via);
                set.add(Value::Symbol(symbol), via);
                set
            }
        }
    }

    pub(crate) fn is_enum_member(&self, symbol: GlobalSymbol) -> bool {
        let row = self.world.symbol(symbol);
        row.kind == SymbolKind::Constant
            && self.world.kind(GlobalSymbol { file: symbol.file, symbol: row.container }) == SymbolKind::Enum
    }

    fn flow(&mut self, to: Place, value: &Set) {
        match to {
            Place::Variable(VariableIx(variable)) => self.write(Slot::Variable(self.number, variable), value),
            Place::Symbol(symbol) => self.write(Slot::Symbol(self.own(symbol)), value),
            Place::Return(function) => self.write(Slot::Return(self.own(function)), value),
            Place::Yield(function) => self.write(Slot::Yield(self.own(function)), value),
            Place::Expr(target) => self.flow_to_expr(target, value),
        }
    }

    fn flow_to_expr(&mut self, target: ExprId, value: &Set) {
        match self.facts.expr(target) {
            Expr::Name { .. } => {
                for found in self.denoted[target.ix()].clone().unwrap_or_default() {
                    match found.what {
                        Denoted::Variable(file, variable) => self.write(Slot::Variable(file, variable.0), value),
                        Denoted::Symbol(symbol) => self.write(Slot::Symbol(symbol), value),
                        _ => {}
                    }
                }
            }
            Expr::Member { base, name } => {
                let name = self.file.atom(name);
                for entry in self.exprs[base.ix()].clone().iter() {
                    self.flow_to_member(entry, name, value);
                }
            }
            Expr::Index { base, key } => {
                for entry in self.exprs[base.ix()].clone().iter() {
                    let (Value::Object(file, object) | Value::Typed(file, object)) = entry.value else { continue };
                    match key {
                        Some(key) => self.write(Slot::Key(file, object, self.file.atom(key)), value),
                        None => self.write(Slot::AnyKey(file, object), value),
                    }
                    self.write(Slot::All(file, object), value);
                }
            }
            _ => {}
        }
    }

    pub(crate) fn read(&mut self, slot: Slot) -> Set {
        if slot.file() != self.number {
            self.reads.insert(slot);
            return self.known[slot.file() as usize].get(&slot).cloned().unwrap_or_default();
        }
        match slot {
            Slot::Variable(_, variable) => self.variables[variable as usize].clone(),
            Slot::Symbol(symbol) => self.symbols[symbol.symbol.ix()].clone(),
            Slot::Return(symbol) => self.returns[symbol.symbol.ix()].clone(),
            other => self.others.get(&other).cloned().unwrap_or_default(),
        }
    }

    pub(crate) fn write(&mut self, slot: Slot, value: &Set) {
        if value.is_empty() && !value.is_anything() {
            return;
        }
        if slot.file() != self.number {
            self.changed |= self.foreign.entry(slot).or_default().join(value);
            return;
        }
        let (place, typed) = match slot {
            Slot::Variable(_, variable) => {
                (&mut self.variables[variable as usize], self.typed_variables[variable as usize])
            }
            Slot::Symbol(symbol) => (&mut self.symbols[symbol.symbol.ix()], self.typed_symbols[symbol.symbol.ix()]),
            Slot::Return(symbol) => (&mut self.returns[symbol.symbol.ix()], self.typed_returns[symbol.symbol.ix()]),
            other => (self.others.entry(other).or_default(), false),
        };
        if typed {
            // The declaration says more than what happens to be assigned; functions are still worth knowing.
            for entry in value.iter() {
                if matches!(entry.value, Value::Symbol(_) | Value::Bound(_)) {
                    self.changed |= place.add(entry.value, entry.via);
                }
            }
        } else {
            self.changed |= place.join(value);
        }
    }

    /// What this file gives to others, once it has run.
    pub(crate) fn finish(self) -> Outcome {
        let mut gives: Vec<(Slot, Set)> = self.foreign.into_iter().chain(self.others).collect();
        let number = self.number;
        let own = |symbol: usize| GlobalSymbol { file: number, symbol: SymbolIx(symbol as u32) };
        gives.extend(self.symbols.into_iter().enumerate().map(|(at, set)| (Slot::Symbol(own(at)), set)));
        gives.extend(self.returns.into_iter().enumerate().map(|(at, set)| (Slot::Return(own(at)), set)));
        gives.retain(|(slot, set)| (!set.is_empty() || set.is_anything()) && !is_private(*slot, number));
        gives.sort_unstable_by_key(|(slot, _)| *slot);
        Outcome { gives, reads: self.reads }
    }

    pub(crate) fn arguments(&self, args: Args) -> &'a [Arg] {
        self.facts.arguments(args)
    }
}

/// Whether only the file itself ever looks into a slot: nobody else names its variables.
fn is_private(slot: Slot, number: u32) -> bool {
    matches!(slot, Slot::Variable(file, _) if file == number)
}
