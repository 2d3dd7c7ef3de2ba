//! What the expressions of one file stand for, given what other files say about theirs.
//!
//! A pure function of the file's facts and of the values that other files gave in the rounds before. An evaluation lives
//! through all rounds: sets only grow, and in each round only that is looked at again which depends on something new.

use std::cell::RefCell;

use rustc_hash::FxHashMap;
use vise_syntax::rules::Apart;

use crate::facts::{Arg, Args, Expr, ExprId, FileFacts, ParameterKind, ScopeId, SymbolIx, VariableIx, flag};
use crate::kinds::{Evidence, SymbolKind};
use crate::resolution::GlobalSymbol;

use super::call::rest_list;
use super::hierarchy::{Hierarchy, Members};
use super::known::{RuleNames, add_bounds_of_extensions};
use super::names::{Denotation, Denoted, Found, Names};
use super::slots::{Known, Outcome, Slots};
use super::value::{Set, Slot, Value};
use super::work::{Node, Work};
use super::world::{Atom, File, World};

/// How often a file is gone through in a round before it is left as it is. Values travel one step backwards in the text a
/// time.
const MAX_SWEEPS: usize = 16;

/// The evaluation of one file, which goes on from round to round.
pub(crate) struct Eval<'w, 'a> {
    pub(crate) world: &'w World<'a>,
    pub(crate) hierarchy: &'w Hierarchy,
    pub(crate) names: Names<'w, 'a>,
    pub(crate) number: u32,
    pub(crate) file: &'w File<'a>,
    pub(crate) facts: &'a FileFacts,
    pub(super) work: Work,
    pub(super) slots: Slots<'w>,
    pub(super) exprs: Vec<Set>,
    /// What each [`Expr::Name`] means, as a number in `denotations`; 0 is not looked up yet.
    denoted: Vec<u32>,
    denotations: Vec<Denotation>,
    /// By scope, name, and whether it is called and stands for a type.
    lookups: FxHashMap<(ScopeId, Atom, Option<bool>, bool), u32>,
    pub(crate) paths: FxHashMap<(Denoted, Atom), Denotation>,
    /// Members that were looked up, by type and name, and whether in the base part.
    pub(crate) seen_members: RefCell<FxHashMap<(GlobalSymbol, Atom, bool), Members>>,
    pub(crate) seen_constructors: RefCell<FxHashMap<GlobalSymbol, Members>>,
    bounds: FxHashMap<(ScopeId, Atom), Vec<ExprId>>,
    pub(crate) rules: RuleNames,
}

impl<'w, 'a> Eval<'w, 'a> {
    pub(crate) fn new(world: &'w World<'a>, hierarchy: &'w Hierarchy, number: u32, known: &'w Known) -> Self {
        let file = world.file(number);
        let facts = file.facts;
        let names = Names::new(world, Some(hierarchy));
        let mut bounds: FxHashMap<_, Vec<ExprId>> = FxHashMap::default();
        for bound in &facts.bounds {
            bounds.entry((bound.scope, file.atom(bound.name))).or_default().push(bound.bound);
        }
        add_bounds_of_extensions(world, hierarchy, number, &mut bounds);
        Self {
            work: Work::new(facts),
            slots: Slots::new(names, number, known),
            exprs: vec![Set::default(); facts.exprs.len()],
            denoted: vec![0; facts.exprs.len()],
            denotations: vec![Denotation::new()],
            lookups: FxHashMap::default(),
            paths: FxHashMap::default(),
            seen_members: RefCell::default(),
            seen_constructors: RefCell::default(),
            world,
            hierarchy,
            names,
            number,
            file,
            facts,
            bounds,
            rules: RuleNames::new(world, file.rules),
        }
    }

    /// One round: takes in which slots have changed since the last, and goes through what is due until nothing is.
    pub(crate) fn run(&mut self, changed: &[Slot]) -> Outcome {
        for slot in changed {
            if slot.file() == self.number {
                let given = self.slots.given(*slot);
                self.write(*slot, &given);
            } else {
                self.work.slot_changed(*slot);
            }
        }
        for _ in 0..MAX_SWEEPS {
            let (mut from, mut any) = (0, false);
            while let Some((node, next)) = self.work.next(from) {
                self.look_at(node);
                (from, any) = (next, true);
            }
            if !any {
                break;
            }
        }
        self.work.rest();
        self.forget_lookups();
        self.slots.outcome()
    }

    /// Frees what is looked up again as quickly.
    fn forget_lookups(&mut self) {
        self.lookups = FxHashMap::default();
        self.paths = FxHashMap::default();
        self.seen_members = RefCell::default();
        self.seen_constructors = RefCell::default();
    }

    fn look_at(&mut self, node: Node) {
        match node {
            Node::Expr(expr) => {
                let set = self.expr(expr);
                if self.exprs[expr.ix()].join(&set) {
                    self.work.expr_changed(expr);
                }
            }
            Node::Variable(at) => self.variable(at),
            Node::Symbol(at) => self.declared_symbol(SymbolIx(at)),
            Node::Flow(at) => {
                let flow = self.facts.flows[at as usize];
                let value = self.exprs[flow.value.ix()].clone();
                self.flow(flow.to, &value);
                self.fill_fields(flow.to, flow.value);
            }
            Node::Export(at) => {
                let value = self.facts.exports[at as usize].value;
                let set = self.exprs[value.ix()].clone();
                self.write(Slot::Expr(self.number, value), &set);
            }
            Node::Decorators => self.decorate(),
        }
    }

    fn variable(&mut self, at: u32) {
        let variable = &self.facts.variables[at as usize];
        let slot = Slot::Variable(self.number, at);
        let is_rest = variable.parameter.is_some_and(|parameter| parameter.kind == ParameterKind::Rest);
        if is_rest {
            let list = rest_list(VariableIx(at));
            self.write(slot, &Set::one(Value::Object(self.number, list), Evidence::Scope));
        }
        if let Some(declared) = variable.declared {
            let set = self.declared(declared);
            let place = if is_rest { Slot::All(self.number, rest_list(VariableIx(at))) } else { slot };
            self.write_declared(place, &set);
        }
        if let Some(parameter) = variable.parameter.filter(|p| p.kind == ParameterKind::Receiver) {
            self.write_receiver(slot, parameter.function);
        }
    }

    fn declared_symbol(&mut self, at: SymbolIx) {
        let symbol = self.file.symbol(at);
        let Some(declared) = symbol.declared else { return };
        let own = self.own(at);
        match symbol.kind {
            SymbolKind::Type => {
                let types = self.exprs[declared.ix()].clone();
                self.write(Slot::Symbol(own), &types);
            }
            kind => {
                let set = self.declared(declared);
                if symbol.flags & flag::GENERATOR != 0 {
                    let inner = self.elements(&set);
                    self.write(Slot::Yield(own), &inner);
                }
                let place = if kind.holds_value() { Slot::Symbol(own) } else { Slot::Return(own) };
                self.write_declared(place, &set);
            }
        }
    }

    /// What an expression stands for, as found so far.
    pub(crate) fn value(&self, expr: ExprId) -> &Set {
        &self.exprs[expr.ix()]
    }

    /// The same for an expression that is no direct part of what is being looked at.
    pub(crate) fn distant_value(&mut self, expr: ExprId) -> Set {
        self.work.watch(expr);
        self.exprs[expr.ix()].clone()
    }

    fn expr(&mut self, id: ExprId) -> Set {
        match self.facts.expr(id) {
            Expr::Unknown => Set::default(),
            Expr::Literal => Set::one(Value::External, Evidence::Scope),
            Expr::Name { scope, name } => {
                self.resolve_name(id, scope, self.file.atom(name));
                let denotation = self.denotations[self.denoted[id.ix()] as usize].clone();
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
        if self.denoted[id.ix()] != 0 {
            return;
        }
        let anchor = self.file.anchor(scope, name);
        let called = self.file.uses.called(id).filter(|_| self.file.rules.functions_apart == Apart::Names);
        let typed = self.file.uses.typed(id);
        let number = match self.lookups.get(&(anchor, name, called, typed)) {
            Some(found) => *found,
            None => {
                let names = Names { called, typed, ..self.names };
                let found = self.add_denotation(names.lookup(self.number, anchor, name));
                self.lookups.insert((anchor, name, called, typed), found);
                found
            }
        };
        let found = &self.denotations[number as usize];
        // Where it stands matters only for a name with several meanings.
        self.denoted[id.ix()] = if found.len() < 2 {
            number
        } else {
            let found = self.file.of_its_sort(self.world, id, found.clone());
            let found = self.file.in_order(self.number, id, scope, found);
            self.add_denotation(found)
        };
    }

    fn add_denotation(&mut self, found: Denotation) -> u32 {
        self.denotations.push(found);
        self.denotations.len() as u32 - 1
    }

    /// What a name expression means; empty for other expressions.
    pub(crate) fn denotation(&self, id: ExprId) -> &[Found] {
        &self.denotations[self.denoted[id.ix()] as usize]
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
                        let promised = self.distant_value(bound);
                        set.join(&promised);
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

    pub(crate) fn arguments(&self, args: Args) -> &'a [Arg] {
        self.facts.arguments(args)
    }
}
