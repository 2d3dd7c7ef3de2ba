//! Edges and misses of one file, once it is known what its expressions stand for.

use vise_syntax::rules::ModuleSystem;

use crate::facts::{Args, Expr, ExprId, ImportIx, ScopeId, Site, SiteKind, SymbolIx, flag};
use crate::kinds::{EdgeKind, Evidence, SymbolKind};
use crate::resolution::{GlobalSymbol, Miss, ResolvedEdge};

use super::eval::Eval;
use super::hierarchy::{Members, is_assigned};
use super::member::by_receiver;
use super::names::{Denoted, Found};
use super::value::{Entry, Set, Value};
use super::world::Atom;

/// More implementors or candidates than this are no answer.
const MAX_CANDIDATES: usize = 32;

/// The edges of one file, in the order in which they were found; some stand twice.
pub(crate) struct Emitted {
    pub(crate) edges: Vec<ResolvedEdge>,
    pub(crate) misses: Vec<Miss>,
}

struct Emitter<'e, 'w, 'a> {
    eval: &'e mut Eval<'w, 'a>,
    edges: Vec<ResolvedEdge>,
    misses: Vec<Miss>,
}

/// Emits the edges of a file that has been evaluated.
pub(crate) fn emit(eval: &mut Eval<'_, '_>) -> Emitted {
    let mut emitter = Emitter { eval, edges: Vec::new(), misses: Vec::new() };
    let facts = emitter.eval.facts;
    for site in &facts.sites {
        let before = emitter.edges.len();
        let outside = match site.kind {
            SiteKind::Call => emitter.call(site),
            SiteKind::Reference => emitter.reference(site),
        };
        if emitter.edges.len() == before {
            emitter.miss(site, outside);
        }
    }
    for at in 0..facts.imports.len() {
        emitter.import(ImportIx(at as u32));
    }
    emitter.decorators();
    let Emitter { edges, misses, .. } = emitter;
    Emitted { edges, misses }
}

impl Emitter<'_, '_, '_> {
    fn edge(&mut self, from: SymbolIx, to: GlobalSymbol, kind: EdgeKind, evidence: Evidence, line: u32) {
        let number = self.eval.number;
        let from = self.eval.facts.named_owner(from);
        let first = self.eval.hierarchy.first_place(GlobalSymbol { file: number, symbol: from });
        let from = if first.file == number { first.symbol } else { from };
        let to = self.eval.hierarchy.first_place(to);
        if self.eval.world.has_flag(to, flag::ANONYMOUS) {
            return;
        }
        self.edges.push(ResolvedEdge { from, line, to, kind, evidence });
    }

    fn miss(&mut self, site: &Site, external: bool) {
        let facts = self.eval.facts;
        let used = match facts.expr(site.expr) {
            Expr::Call { callee, .. } => callee,
            Expr::New { class, .. } => class,
            _ => site.expr,
        };
        let (Expr::Name { name, .. } | Expr::Member { name, .. }) = facts.expr(used) else { return };
        // Raising what a variable holds makes no instance, and a loop over a list calls nothing that has a name.
        let held = self.eval.value(used).iter().all(|entry| matches!(entry.value, Value::Instance(..)));
        if matches!(facts.expr(site.expr), Expr::New { .. }) && held && !self.eval.value(used).is_empty() {
            return;
        }
        let owner = facts.named_owner(site.owner);
        let call = site.kind == SiteKind::Call;
        self.misses.push(Miss { owner, line: site.line, name, call, external });
    }

    /// The edges of a call; says whether the call is known to lead outside.
    fn call(&mut self, site: &Site) -> bool {
        let (callee, args, is_new) = match self.eval.facts.expr(site.expr) {
            Expr::Call { callee, args } => (callee, args, false),
            Expr::New { class, args } => (class, args, true),
            Expr::Element { base } => return self.loop_over(site, base),
            _ => return false,
        };
        let mut entries = self.eval.fitting(self.eval.value(callee), args);
        let outside = entries.iter().any(|entry| matches!(entry.value, Value::External | Value::Typed(..)));
        // Candidates without end are no answer.
        if entries.iter().filter(|entry| entry.via == Evidence::Ambiguous).count() > MAX_CANDIDATES {
            entries.retain(|entry| entry.via != Evidence::Ambiguous);
        }
        if self.eval.takes_out(callee) {
            entries.retain(|entry| !matches!(entry.value, Value::Symbol(_) | Value::Bound(_)));
        }
        for entry in entries {
            self.call_of(site, entry, args, is_new);
        }
        self.call_of_holder(site, callee);
        if let (Expr::Member { base, name }, ModuleSystem::Ruby) =
            (self.eval.facts.expr(callee), self.eval.file.rules.modules)
        {
            self.attribute(site, base, self.eval.file.atom(name));
        }
        match self.eval.facts.expr(callee) {
            Expr::Member { base, name } => self.dispatch(site, base, self.eval.file.atom(name), args),
            Expr::Name { scope, name } if self.eval.file.rules.implicit_receiver => {
                self.dispatch_bare(site, callee, scope, self.eval.file.atom(name), args);
            }
            _ => {}
        }
        outside || self.is_unknown_bare_name(callee)
    }

    /// Naming an attribute of Ruby is a call to the syntax.
    fn attribute(&mut self, site: &Site, base: ExprId, name: Atom) {
        for entry in self.eval.value(base).clone().iter() {
            let Value::Instance(class, _) = entry.value else { continue };
            for member in self.eval.members_of(class, name, false) {
                if self.eval.world.kind(member) == SymbolKind::Property {
                    self.refer(site, member, by_receiver(entry.via));
                }
            }
        }
    }

    /// A loop over an instance calls what hands out its elements. Over anything else it calls nothing of the project's.
    fn loop_over(&mut self, site: &Site, base: ExprId) -> bool {
        for entry in self.eval.value(base).clone().iter() {
            if let Value::Instance(class, _) = entry.value {
                for member in self.eval.iterating_members(class) {
                    self.edge(site.owner, member, EdgeKind::Calls, Evidence::Receiver, site.line);
                }
            }
        }
        true
    }

    /// A call of a function without a name goes to the variable that holds it (`const f = debounce(() => …)`).
    fn call_of_holder(&mut self, site: &Site, callee: ExprId) {
        let is_anonymous = |entry: Entry| match entry.value {
            Value::Symbol(symbol) => self.eval.world.has_flag(symbol, flag::ANONYMOUS),
            Value::External => self.eval.file.rules.modules == ModuleSystem::Node,
            _ => false,
        };
        let value = self.eval.value(callee);
        if value.is_empty() || !value.iter().all(is_anonymous) {
            return;
        }
        for found in self.eval.denotation(callee).to_vec() {
            if let Denoted::Symbol(symbol) = found.what
                && self.eval.world.kind(symbol).holds_value()
            {
                self.edge(site.owner, symbol, EdgeKind::Calls, found.via, site.line);
            }
        }
    }

    /// A bare name that nothing in sight defines: in languages whose files must import what they use, it is the
    /// language's or the environment's own.
    fn is_unknown_bare_name(&self, callee: ExprId) -> bool {
        let Expr::Name { name, .. } = self.eval.facts.expr(callee) else { return false };
        self.eval.denotation(callee).is_empty()
            && !self.eval.value(callee).is_anything()
            && !self.eval.world.is_hidden(self.eval.file.family, self.eval.file.atom(name))
    }

    fn call_of(&mut self, site: &Site, entry: Entry, args: Args, is_new: bool) {
        let Entry { value, via } = entry;
        match value {
            Value::Symbol(symbol) => {
                let kind = self.eval.world.kind(symbol);
                if let Some(member) = self.eval.called_by_type(symbol).filter(|_| !is_new) {
                    self.edge(site.owner, member, EdgeKind::Calls, via, site.line);
                } else if is_new || kind.is_type() && self.eval.calls_make_instances(symbol) {
                    self.edge(site.owner, symbol, EdgeKind::Instantiates, via, site.line);
                    for constructor in self.eval.constructors(symbol) {
                        if self.eval.accepts(constructor, args, true) {
                            self.edge(site.owner, constructor, EdgeKind::Calls, via, site.line);
                        }
                    }
                } else if kind.is_callable() {
                    if let Some(class) = self.eval.constructed_by(symbol) {
                        self.edge(site.owner, class, EdgeKind::Instantiates, via, site.line);
                    }
                    self.edge(site.owner, symbol, EdgeKind::Calls, via, site.line);
                } else if kind.is_type() || self.eval.is_enum_member(symbol) {
                    self.edge(site.owner, symbol, EdgeKind::References, via, site.line);
                }
            }
            Value::Bound(method) => self.edge(site.owner, method, EdgeKind::Calls, via, site.line),
            Value::Instance(class, _) => {
                for member in self.eval.is_callable_member(class) {
                    self.edge(site.owner, member, EdgeKind::Calls, Evidence::Receiver, site.line);
                }
                let Expr::Call { callee, .. } = self.eval.facts.expr(site.expr) else { return };
                let others = self.eval.other_constructors(callee);
                let fitting: Vec<_> = others.into_iter().filter(|one| self.eval.accepts(*one, args, true)).collect();
                let via = if fitting.len() > 1 { Evidence::Ambiguous } else { Evidence::Scope };
                for constructor in fitting {
                    self.edge(site.owner, constructor, EdgeKind::Calls, via, site.line);
                }
            }
            Value::Super(class) => {
                let Expr::Call { callee, .. } = self.eval.facts.expr(site.expr) else { return };
                for member in self.eval.super_targets(callee, class) {
                    if self.eval.accepts(member, args, true) {
                        self.edge(site.owner, member, EdgeKind::Calls, Evidence::Receiver, site.line);
                    }
                }
            }
            _ => {}
        }
    }

    /// Calls of a method may reach what overrides it in subtypes of the receiver's type.
    fn dispatch(&mut self, site: &Site, base: ExprId, name: Atom, args: Args) {
        let by_type = matches!(self.eval.facts.expr(base), Expr::ReceiverType { .. });
        let classes: Vec<GlobalSymbol> = self
            .eval
            .value(base)
            .iter()
            .filter_map(|entry| match entry.value {
                Value::Instance(class, false) => Some(class),
                // `T::f()`, where T is known by its bound only; `static::f()`.
                Value::Symbol(class) if by_type || self.eval.world.kind(class) == SymbolKind::Trait => Some(class),
                _ => None,
            })
            .collect();
        let by_self = self.eval.is_receiver(base);
        self.dispatch_over(site, &classes, name, args, by_self);
    }

    /// The same for a bare name that is a member of the type around.
    fn dispatch_bare(&mut self, site: &Site, callee: ExprId, scope: ScopeId, name: Atom, args: Args) {
        let class = self.eval.hierarchy.type_around(self.eval.world, self.eval.number, scope);
        let Some(class) = class else { return };
        let members = self.eval.members_of(class, name, false);
        let is_member = |found: &Found| matches!(found.what, Denoted::Symbol(symbol) if members.contains(&symbol));
        if self.eval.denotation(callee).iter().any(is_member) {
            self.dispatch_over(site, &[class], name, args, false);
        }
    }

    fn dispatch_over(&mut self, site: &Site, classes: &[GlobalSymbol], name: Atom, args: Args, by_self: bool) {
        let mut reached: Vec<GlobalSymbol> = Vec::new();
        for class in classes {
            // In Go what embeds a type is no subtype of it.
            let go = self.eval.world.file(class.file).rules.modules == ModuleSystem::Go;
            if go && self.eval.world.kind(*class) != SymbolKind::Interface {
                continue;
            }
            let declared = self.eval.members_of(*class, name, false);
            // A base without the member that calls it on itself relies on its subclasses to have it.
            let relied_on = by_self && !self.eval.hierarchy.has_external_base(*class);
            if declared.is_empty() && !relied_on {
                continue;
            }
            for below in self.eval.hierarchy.subtypes(*class) {
                for member in self.eval.hierarchy.own_members(self.eval.world, below, name) {
                    let kind = self.eval.world.kind(member);
                    let callable = kind.is_callable() && kind != SymbolKind::Constructor;
                    // A member that is there for the sake of another trait is not what this trait's name means.
                    let promise = self.eval.hierarchy.promise_of(self.eval.world, member);
                    let meant = promise.is_none_or(|promise| self.eval.hierarchy.line(promise).contains(class));
                    let fits = callable && meant && self.eval.accepts(member, args, true);
                    if fits && !declared.contains(&member) && !reached.contains(&member) {
                        reached.push(member);
                    }
                }
            }
        }
        if reached.len() <= MAX_CANDIDATES {
            for member in reached {
                self.edge(site.owner, member, EdgeKind::Calls, Evidence::Dispatch, site.line);
            }
        }
    }

    fn reference(&mut self, site: &Site) -> bool {
        match self.eval.facts.expr(site.expr) {
            Expr::Name { .. } => {
                let found: Vec<_> = self.eval.denotation(site.expr).to_vec();
                let outside = found.is_empty() || found.iter().any(|one| one.what == Denoted::External);
                if found.len() <= MAX_CANDIDATES {
                    for one in found {
                        if let Denoted::Symbol(symbol) = one.what {
                            self.refer(site, symbol, one.via);
                        }
                    }
                }
                outside
            }
            Expr::Member { base, name } => self.member_reference(site, base, self.eval.file.atom(name)),
            Expr::Symbol(_) => true,
            Expr::ReceiverType { .. } | Expr::Receiver { .. } | Expr::Super { .. } => true,
            Expr::Module { .. } => true,
            _ => false,
        }
    }

    fn refer(&mut self, site: &Site, symbol: GlobalSymbol, via: Evidence) {
        if self.eval.world.kind(symbol) != SymbolKind::Module {
            let calls = self.eval.file.rules.bare_calls && self.eval.needs_no_argument(symbol);
            let kind = if calls { EdgeKind::Calls } else { EdgeKind::References };
            self.edge(site.owner, symbol, kind, via, site.line);
        }
    }

    fn member_reference(&mut self, site: &Site, base: ExprId, name: Atom) -> bool {
        let bases = self.eval.narrowed(self.eval.value(base), name);
        let mut outside = bases.has_external();
        for entry in bases.iter() {
            match entry.value {
                Value::Module(file) => self.path_reference(site, Denoted::Module(file), name, entry.via),
                Value::Package(package) => self.path_reference(site, Denoted::Package(package), name, entry.via),
                Value::Symbol(symbol) if self.eval.world.kind(symbol) == SymbolKind::Namespace => {
                    self.path_reference(site, Denoted::Symbol(symbol), name, entry.via);
                }
                Value::Symbol(class) => {
                    for member in self.read_members(site, class, name) {
                        self.refer(site, member, entry.via);
                    }
                    outside |= self.eval.hierarchy.has_external_base(class);
                }
                Value::Instance(class, _) => {
                    for member in self.read_members(site, class, name) {
                        self.refer(site, member, by_receiver(entry.via));
                    }
                    outside |= self.eval.hierarchy.has_external_base(class);
                }
                Value::Super(class) => {
                    for member in self.eval.members_of(class, name, true) {
                        self.refer(site, member, Evidence::Receiver);
                    }
                }
                Value::Typed(..) | Value::Listed(..) => outside = true,
                Value::Object(..) => {
                    for value in self.eval.value(site.expr).clone().iter() {
                        if let Value::Symbol(symbol) | Value::Bound(symbol) = value.value {
                            self.refer(site, symbol, value.via);
                        }
                    }
                }
                Value::External | Value::Bound(_) | Value::Iterator(_) => {}
            }
        }
        outside
    }

    /// What a name means in a type where it is not called: in Python what an ancestor declares, rather than what a method
    /// happens to assign.
    fn read_members(&self, site: &Site, class: GlobalSymbol, name: Atom) -> Members {
        let called = self.eval.file.uses.called(site.expr);
        let members = self.eval.members_used(class, name, false, called);
        let python = self.eval.world.file(class.file).rules.modules == ModuleSystem::Python;
        if !python || !members.iter().all(|member| is_assigned(self.eval.world.symbol(*member))) {
            return members;
        }
        let line = self.eval.hierarchy.line(class);
        let declared = line.iter().map(|at| {
            let mut own = self.eval.hierarchy.own_members(self.eval.world, *at, name);
            own.retain(|member| self.eval.world.symbol(*member).declared.is_some());
            own
        });
        declared.into_iter().find(|own| !own.is_empty()).unwrap_or(members)
    }

    fn path_reference(&mut self, site: &Site, of: Denoted, name: Atom, via: Evidence) {
        for found in self.eval.path_targets(of, name) {
            if let Denoted::Symbol(symbol) = found.what {
                self.refer(site, symbol, found.via.max(via));
            }
        }
    }

    fn import(&mut self, at: ImportIx) {
        let number = self.eval.number;
        let import = &self.eval.facts.imports[at.ix()];
        for one in self.eval.names.import(number, at) {
            let to = match one.what {
                Denoted::Symbol(symbol) => symbol,
                Denoted::Module(file) => GlobalSymbol { file, symbol: SymbolIx::MODULE },
                _ => continue,
            };
            let own = to.file == number && self.eval.file.rules.modules != ModuleSystem::Rust;
            if !own && to != (GlobalSymbol { file: number, symbol: SymbolIx::MODULE }) {
                self.edge(SymbolIx::MODULE, to, EdgeKind::Imports, Evidence::Import, import.line);
            }
        }
    }

    /// What a decorator's name with the language's suffix stands for (C#: `[Route]` is `RouteAttribute`).
    fn with_suffix(&mut self, named: ExprId) -> Set {
        let suffix = &self.eval.file.rules.decorator_suffix;
        let Expr::Name { scope, name } = self.eval.facts.expr(named) else { return Set::default() };
        let longer = format!("{}{suffix}", self.eval.facts.name(name));
        let Some(name) = self.eval.world.atoms.get(&longer).filter(|_| !suffix.is_empty()) else {
            return Set::default();
        };
        let denotation = self.eval.names.lookup(self.eval.number, scope, name);
        self.eval.all_values(&denotation)
    }

    fn decorators(&mut self) {
        let facts = self.eval.facts;
        for decorator in &facts.decorators {
            let named = match facts.expr(decorator.value) {
                Expr::Call { callee, .. } | Expr::New { class: callee, .. } => callee,
                _ => decorator.value,
            };
            let mut values = self.eval.value(named).clone();
            if values.is_empty() {
                values = self.with_suffix(named);
            }
            for entry in values.iter() {
                if let Value::Symbol(symbol) | Value::Bound(symbol) = entry.value {
                    self.edge(decorator.symbol, symbol, EdgeKind::Decorates, entry.via, decorator.line);
                }
            }
            // What decorates is called with what is decorated, where the definition stands.
            let owner = facts.symbols[decorator.symbol.ix()].container;
            for entry in self.eval.value(decorator.value).clone().iter() {
                match entry.value {
                    Value::Symbol(symbol) | Value::Bound(symbol) if self.eval.world.kind(symbol).is_callable() => {
                        self.edge(owner, symbol, EdgeKind::Calls, entry.via, decorator.line);
                    }
                    Value::Symbol(class) if self.eval.calls_make_instances(class) => {
                        self.edge(owner, class, EdgeKind::Instantiates, entry.via, decorator.line);
                    }
                    _ => {}
                }
            }
        }
    }
}
