//! Members, elements and instances: what `.`, `[]`, iteration and declared types lead to.

use vise_syntax::rules::ModuleSystem;

use crate::facts::{Args, Expr, ExprId, SymbolIx, flag};
use crate::kinds::{Evidence, SymbolKind};
use crate::resolution::GlobalSymbol;

use super::eval::Eval;
use super::hierarchy::Members;
use super::names::{Denotation, Denoted, Found, fits_use};
use super::value::{Entry, Set, Slot, Value};
use super::world::{Atom, last_name};

impl Eval<'_, '_> {
    /// `base.name`.
    pub(crate) fn member(&mut self, id: ExprId, base: ExprId, name: Atom) -> Set {
        let bases = self.narrowed(self.value(base), name);
        let called = self.file.uses.called(id);
        let mut set = Set::default();
        for entry in bases.iter() {
            match entry.value {
                Value::Module(file) => set.join(&self.path_member(id, Denoted::Module(file), name, entry.via)),
                Value::Package(package) => set.join(&self.path_member(id, Denoted::Package(package), name, entry.via)),
                Value::Symbol(symbol) if self.invokes(symbol, name, &bases) => set.add(entry.value, Evidence::Callback),
                Value::Bound(symbol) if self.invokes(symbol, name, &bases) => set.add(entry.value, Evidence::Callback),
                Value::Symbol(function) | Value::Bound(function)
                    if self.rules.same.contains(&name) && self.world.kind(function).is_callable() =>
                {
                    let own = self.static_member(id, function, name, entry);
                    if own.is_empty() { set.add(entry.value, entry.via) } else { set.join(&own) }
                }
                Value::Symbol(symbol) => set.join(&self.static_member(id, symbol, name, entry)),
                Value::Instance(class, _) => {
                    let changed = set.join(&self.instance_member((class, false), name, called, entry));
                    let generic = self.world.file(class.file).uses.generic;
                    let fields =
                        if generic { self.members_used(class, name, false, called) } else { Members::default() };
                    let mut given = Set::default();
                    for field in fields.iter().filter(|field| self.world.kind(**field).holds_value()) {
                        given.join(&self.by_argument(base, *field));
                    }
                    set.join(&given) | changed
                }
                Value::Super(class) => set.join(&self.instance_member((class, true), name, called, entry)),
                Value::Object(file, object) => {
                    let known = self.known_member(entry, name, Slot::All(file, object));
                    let mut changed = set.join(&known);
                    for slot in [Slot::Key(file, object, name), Slot::AnyKey(file, object)] {
                        changed |= set.join(&self.read(slot).at_most(entry.via));
                    }
                    // What a literal's type is known to have, its language gave it.
                    if self.is_known_member(name) || self.file.rules.modules == ModuleSystem::Python {
                        changed |= set.add(Value::External, Evidence::Receiver);
                    }
                    changed
                }
                Value::Listed(file, object) => {
                    let known = self.known_member(entry, name, Slot::All(file, object));
                    let slot = self.read(Slot::Key(file, object, name));
                    let inner = self.instances(&slot);
                    if known.is_empty() && inner.is_empty() {
                        set.add(Value::External, Evidence::Receiver);
                    }
                    set.join(&known) | set.join(&inner)
                }
                Value::Typed(file, object) => {
                    let known = self.known_member(entry, name, Slot::All(file, object));
                    if known.is_empty() {
                        set.add(Value::External, Evidence::Receiver);
                    }
                    set.join(&known)
                }
                Value::External => set.add(Value::External, entry.via),
                Value::Bound(_) | Value::Iterator(_) => false,
            };
        }
        set
    }

    /// Whether a call takes out what is called: an element of a container (`handlers.get(name)`), or the function itself
    /// (`f.bind(x)`), which does not run by that.
    pub(crate) fn takes_out(&mut self, callee: ExprId) -> bool {
        let Expr::Member { base, name } = self.facts.expr(callee) else { return false };
        let name = self.file.atom(name);
        let (element, same) = (self.rules.element.contains(&name), self.rules.same.contains(&name));
        if !element && !same {
            return false;
        }
        let bases = self.value(base).clone();
        // What one of the project's types has may be called so too.
        if bases.iter().any(|entry| matches!(entry.value, Value::Instance(..) | Value::Super(_) | Value::Module(_))) {
            return false;
        }
        bases.iter().any(|entry| match entry.value {
            Value::Object(file, object) => self.read(Slot::Key(file, object, name)).is_empty(),
            Value::Typed(..) | Value::Listed(..) => true,
            Value::Symbol(function) | Value::Bound(function) => {
                same && self.world.kind(function).is_callable() && self.read(Slot::Attribute(function, name)).is_empty()
            }
            _ => false,
        })
    }

    /// Whether naming this member of a function calls the function: by its name, or because the function stands for an
    /// instance of an interface that has just this method.
    fn invokes(&self, function: GlobalSymbol, name: Atom, beside: &Set) -> bool {
        if !self.world.kind(function).is_callable() {
            return false;
        }
        self.rules.invoking.contains(&name)
            || beside.iter().any(|entry| match entry.value {
                Value::Instance(class, false) => {
                    self.world.kind(class) == SymbolKind::Interface
                        && self.members_of(class, name, false).iter().any(|m| self.world.kind(*m).is_callable())
                }
                _ => false,
            })
    }

    /// Members of lists and of generic types from outside that give back an element or the same again.
    fn known_member(&mut self, entry: Entry, name: Atom, all: Slot) -> Set {
        if self.rules.element.contains(&name) {
            return self.element_slot(entry.value, all);
        }
        if self.rules.same.contains(&name) {
            return Set::one(entry.value, entry.via);
        }
        Set::default()
    }

    fn is_known_member(&self, name: Atom) -> bool {
        let rules = &self.rules;
        let lists =
            [&rules.element, &rules.same, &rules.adding, &rules.mapping, &rules.element_callbacks, &rules.numbering];
        lists.into_iter().any(|list| list.contains(&name))
    }

    fn element_slot(&mut self, of: Value, slot: Slot) -> Set {
        let set = self.read(slot);
        if matches!(of, Value::Listed(..)) { self.instances(&set) } else { set }
    }

    /// What a path leads to from a module, package or namespace.
    pub(crate) fn path_targets(&mut self, of: Denoted, name: Atom) -> Denotation {
        if let Some(found) = self.paths.get(&(of, name)) {
            return found.clone();
        }
        let found = self.names.member(of, name);
        self.paths.insert((of, name), found.clone());
        found
    }

    fn path_member(&mut self, id: ExprId, of: Denoted, name: Atom, via: Evidence) -> Set {
        let found = self.file.of_its_sort(self.world, id, self.path_targets(of, name));
        let mut set = Set::default();
        for one in found {
            let values = self.values_of(Found { what: one.what, via: one.via.max(via) });
            set.join(&values);
        }
        if let Denoted::Module(file) = of {
            let module = GlobalSymbol { file, symbol: SymbolIx::MODULE };
            set.join(&self.read(Slot::Attribute(module, name)));
        }
        set
    }

    fn static_member(&mut self, id: ExprId, symbol: GlobalSymbol, name: Atom, entry: Entry) -> Set {
        let kind = self.world.kind(symbol);
        let mut set = self.read(Slot::Attribute(symbol, name));
        if kind == SymbolKind::Namespace {
            set.join(&self.path_member(id, Denoted::Symbol(symbol), name, entry.via));
            return set;
        }
        let members = self.members_used(symbol, name, false, self.file.uses.called(id));
        for member in &members {
            let class_method = self.world.has_flag(*member, flag::CLASS_METHOD);
            let value = self.symbol_value(*member, entry.via);
            for one in value.iter() {
                let value = match one.value {
                    Value::Symbol(function) if class_method && function == *member => Value::Bound(function),
                    other => other,
                };
                set.add(value, one.via);
            }
        }
        if members.is_empty() && self.hierarchy.has_external_base(symbol) {
            set.add(Value::External, Evidence::Receiver);
        }
        set
    }

    /// The members that a name has in an instance of a type, or in its base part.
    pub(crate) fn members_of(&self, class: GlobalSymbol, name: Atom, base_part: bool) -> Members {
        if let Some(known) = self.seen_members.borrow().get(&(class, name, base_part)) {
            return known.clone();
        }
        let members = if base_part {
            self.hierarchy.inherited_members(self.world, class, name)
        } else {
            self.hierarchy.members(self.world, class, name)
        };
        self.seen_members.borrow_mut().insert((class, name, base_part), members.clone());
        members
    }

    /// The same, where it is known whether the member is called or read.
    pub(crate) fn members_used(
        &self,
        class: GlobalSymbol,
        name: Atom,
        base_part: bool,
        called: Option<bool>,
    ) -> Members {
        let members = self.members_of(class, name, base_part);
        match called {
            Some(called)
                if !members.iter().all(|member| fits_use(self.world.symbol(*member), called)) && !base_part =>
            {
                let fitting = self.hierarchy.members_used(self.world, class, name, called);
                if fitting.is_empty() { members } else { fitting }
            }
            _ => members,
        }
    }

    fn instance_member(
        &mut self,
        (class, base_part): (GlobalSymbol, bool),
        name: Atom,
        called: Option<bool>,
        entry: Entry,
    ) -> Set {
        let members = self.members_used(class, name, base_part, called);
        let via = by_receiver(entry.via);
        let mut set = self.read(Slot::Attribute(class, name));
        for member in &members {
            let row = self.world.symbol(*member);
            if row.flags & flag::ACCESSOR != 0 {
                set.join(&self.read(Slot::Return(*member)));
                set.join(&self.read(Slot::Symbol(*member)));
                for behind in self.behind(class, name) {
                    set.join(&self.read(Slot::Symbol(behind)));
                }
            } else if row.kind.is_callable() {
                set.join(&self.read(Slot::Symbol(*member)));
                let value = if row.flags & flag::STATIC != 0 { Value::Symbol(*member) } else { Value::Bound(*member) };
                set.add(value, via);
            } else {
                // A function in a field was put there by somebody.
                set.join(&self.symbol_value(*member, via).handed_over());
                for behind in self.behind(class, name) {
                    set.join(&self.read(Slot::Symbol(behind)));
                }
            }
        }
        if members.is_empty() {
            if self.rules.same.contains(&name) {
                set.add(entry.value, entry.via);
            }
            if self.hierarchy.has_external_base(class) {
                set.add(Value::External, Evidence::Receiver);
            }
        }
        set
    }

    /// The instance variable that an attribute of Ruby reads and writes.
    fn behind(&self, class: GlobalSymbol, name: Atom) -> Members {
        if self.world.file(class.file).rules.modules != ModuleSystem::Ruby {
            return Members::new();
        }
        let variable = self.world.atoms.get(&format!("@{}", self.world.atoms.text(name)));
        variable.map(|variable| self.members_of(class, variable, false)).unwrap_or_default()
    }

    /// The same for an attribute that is named alone.
    pub(crate) fn behind_attribute(&self, attribute: GlobalSymbol) -> Members {
        let row = self.world.symbol(attribute);
        if row.kind != SymbolKind::Property {
            return Members::new();
        }
        let class = GlobalSymbol { file: attribute.file, symbol: row.container };
        self.behind(self.hierarchy.first_place(class), self.world.file(attribute.file).atom(row.name))
    }

    /// Stores a value under a member.
    pub(crate) fn flow_to_member(&mut self, entry: Entry, name: Atom, value: &Set) {
        match entry.value {
            Value::Instance(class, _) | Value::Symbol(class) if self.world.kind(class) != SymbolKind::Namespace => {
                let mut members = self.members_of(class, name, false);
                members.extend(self.behind(class, name));
                for member in &members {
                    self.write(Slot::Symbol(*member), value);
                }
                if members.is_empty() {
                    self.write(Slot::Attribute(class, name), value);
                }
            }
            Value::Module(file) => {
                let targets = self.path_targets(Denoted::Module(file), name);
                for found in &targets {
                    if let Denoted::Symbol(symbol) = found.what {
                        self.write(Slot::Symbol(symbol), value);
                    }
                }
                if targets.is_empty() {
                    let module = GlobalSymbol { file, symbol: SymbolIx::MODULE };
                    self.write(Slot::Attribute(module, name), value);
                }
            }
            Value::Object(file, object) => {
                self.write(Slot::Key(file, object, name), value);
                self.write(Slot::All(file, object), value);
            }
            _ => {}
        }
    }

    /// `base[key]`.
    pub(crate) fn index(&mut self, base: ExprId, key: Option<Atom>) -> Set {
        let mut set = self.part_of_pair(base, key);
        let bases = self.value(base).clone();
        for entry in bases.iter() {
            match (entry.value, key) {
                (Value::Object(file, object), Some(key)) => {
                    set.join(&self.read(Slot::Key(file, object, key)));
                    set.join(&self.read(Slot::AnyKey(file, object)));
                }
                (Value::Listed(file, object), Some(key)) if !self.is_single(file, object) => {
                    let inner = self.element_slot(entry.value, Slot::Key(file, object, key));
                    set.join(&inner);
                }
                (Value::Object(file, object) | Value::Typed(file, object) | Value::Listed(file, object), _) => {
                    let inner = self.element_slot(entry.value, Slot::All(file, object));
                    set.join(&inner);
                }
                (Value::Instance(class, _), _) => {
                    let inner = self.behind_alias(class);
                    set.join(&inner);
                    // A pointer is an array as well.
                    if self.world.file(class.file).rules.modules == ModuleSystem::C {
                        set.add(entry.value, entry.via);
                    }
                }
                (Value::External, _) => {
                    set.add(Value::External, entry.via);
                }
                _ => {}
            }
        }
        set.handed_over()
    }

    /// Elements of what a named type over a list holds (`type Set []S`).
    fn behind_alias(&mut self, class: GlobalSymbol) -> Set {
        let aliased = self.read(Slot::Symbol(class));
        let mut lists = Set::default();
        for entry in self.instances(&aliased).iter() {
            if matches!(entry.value, Value::Typed(..) | Value::Listed(..)) {
                lists.add(entry.value, entry.via);
            }
        }
        // Lists have no elements of a named type's own, so this goes no deeper.
        if lists.is_empty() { lists } else { self.elements(&lists) }
    }

    fn is_single(&self, file: u32, list: ExprId) -> bool {
        matches!(self.world.file(file).facts.expr(list), Expr::List(args) if args.len == 1)
    }

    /// `pair[1]`, where the pair is what iterating over a map, or over a numbered list, gave.
    fn part_of_pair(&mut self, base: ExprId, key: Option<Atom>) -> Set {
        let mut set = Set::default();
        let (Expr::Element { base: whole }, Some(key)) = (self.facts.expr(base), key) else { return set };
        if let Expr::Call { callee, .. } = self.facts.expr(whole)
            && let Expr::Member { base: list, name } = self.facts.expr(callee)
        {
            let numbers = self.rules.numbering.contains(&self.file.atom(name));
            if numbers && self.world.atoms.text(key) == "1" {
                let numbered = self.distant_value(list);
                let inner = self.elements(&numbered);
                set.join(&inner);
            }
        }
        if let Expr::Call { callee, args } = self.facts.expr(whole)
            && let (Expr::Name { name, .. }, Some(list)) = (self.facts.expr(callee), self.arguments(args).first())
            && self.rules.numbering.contains(&self.file.atom(name))
            && self.world.atoms.text(key) == "1"
        {
            let numbered = self.distant_value(list.value);
            let inner = self.elements(&numbered);
            set.join(&inner);
        }
        for entry in self.distant_value(whole).iter() {
            if let Value::Typed(file, map) = entry.value {
                set.join(&self.read(Slot::Key(file, map, key)));
            }
        }
        set
    }

    /// What iterating gives.
    pub(crate) fn elements(&mut self, base: &Set) -> Set {
        let mut set = Set::default();
        for entry in base.iter() {
            match entry.value {
                Value::Object(file, object) | Value::Typed(file, object) | Value::Listed(file, object) => {
                    let inner = self.element_slot(entry.value, Slot::All(file, object));
                    set.join(&inner);
                }
                Value::Iterator(function) => {
                    set.join(&self.read(Slot::Yield(function)));
                }
                Value::Instance(class, _) => {
                    let inner = self.behind_alias(class);
                    set.join(&inner);
                    if self.world.file(class.file).rules.modules == ModuleSystem::C {
                        set.add(entry.value, entry.via);
                    }
                }
                Value::External => {
                    set.add(Value::External, entry.via);
                }
                _ => {}
            }
        }
        set
    }

    /// Instances of types.
    pub(crate) fn instances(&self, types: &Set) -> Set {
        let mut set = Set::default();
        for entry in types.iter() {
            match entry.value {
                // A function type: calling a value of it gives the declared result.
                Value::Symbol(symbol) if self.world.has_flag(symbol, flag::ANONYMOUS) => {
                    set.add(entry.value, entry.via);
                }
                Value::Symbol(symbol) if self.world.kind(symbol) != SymbolKind::Namespace => {
                    set.add(Value::Instance(symbol, false), Evidence::Receiver.max(entry.via));
                }
                Value::Object(file, list) => {
                    set.add(Value::Listed(file, list), Evidence::Receiver);
                }
                Value::Typed(..) | Value::External => {
                    set.add(entry.value, entry.via);
                }
                _ => {}
            }
        }
        // Of several types a value is one or another. What is only a name for others is none beside them.
        let is_type = |entry: &Entry| matches!(entry.value, Value::Instance(class, _) if !self.is_mere_alias(class));
        if set.iter().filter(is_type).count() > 1 { set.at_most(Evidence::Ambiguous) } else { set }
    }

    /// Whether a type is a name for others and has no members itself.
    fn is_mere_alias(&self, class: GlobalSymbol) -> bool {
        let row = self.world.symbol(class);
        let has_members = |body| self.world.file(class.file).bindings_of(body).next().is_some();
        row.kind == SymbolKind::Type && !row.body.is_some_and(has_members)
    }

    /// What a member is asked of, where a value may be of several types: if only one of them has such a member, or all
    /// have the same from a common base, it is known which is meant.
    pub(crate) fn narrowed(&self, bases: &Set, name: Atom) -> Set {
        let unsure = |entry: &Entry| match entry.value {
            Value::Instance(class, _) if entry.via == Evidence::Ambiguous => Some(class),
            _ => None,
        };
        let mut having: Vec<(GlobalSymbol, Members)> = Vec::new();
        if bases.iter().filter(|entry| unsure(entry).is_some()).count() > 1 {
            let members = bases.iter().filter_map(|entry| unsure(&entry)).map(|c| (c, self.members_of(c, name, false)));
            having.extend(members.filter(|(_, members)| !members.is_empty()));
        }
        let Some((_, first)) = having.first() else { return bases.clone() };
        if having.iter().any(|(_, members)| members != first) {
            return bases.clone();
        }
        let mut set = Set::default();
        for entry in bases.iter() {
            match unsure(&entry) {
                Some(class) if having.iter().any(|(known, _)| *known == class) => {
                    set.add(entry.value, Evidence::Receiver);
                }
                Some(_) => {}
                None => {
                    set.add(entry.value, entry.via);
                }
            }
        }
        set
    }

    /// A generic type with its arguments.
    pub(crate) fn apply(&mut self, id: ExprId, base: ExprId, args: Args) -> Set {
        let types = self.value(base).clone();
        // `table[name](…)` of Go reads like a function with a type argument.
        if self.file.rules.modules == ModuleSystem::Go
            && types.iter().any(|entry| matches!(entry.value, Value::Object(..)))
        {
            return self.index(base, None);
        }
        let mut set = Set::default();
        let mut outside = types.is_empty();
        for entry in types.iter() {
            match entry.value {
                Value::External => outside = true,
                Value::Symbol(_) | Value::Typed(..) => {
                    set.add(entry.value, entry.via);
                }
                _ => {}
            }
        }
        let name = last_name(self.file, base).map(|name| self.facts.name(name));
        let Some(name) = name.filter(|_| outside) else { return set };
        let (args, rules) = (self.arguments(args), self.file.rules);
        let is_in = |list: &[String]| list.iter().any(|known| known == name);
        if is_in(&rules.transparent) {
            for arg in args {
                let inner = self.value(arg.value).clone();
                set.join(&inner);
            }
        }
        let which = rules.containers.iter().find_map(|known| match known.split_once('.') {
            Some((known, number)) => (known == name).then(|| number.parse::<usize>().ok()).flatten(),
            None => (known == name).then(|| args.len().saturating_sub(1)),
        });
        let which = which.or_else(|| is_in(&rules.maps).then(|| args.len().saturating_sub(1)));
        if let Some(arg) = which.and_then(|which| args.get(which)) {
            let inner = self.instances(&self.value(arg.value).clone());
            self.write(Slot::All(self.number, id), &inner);
            if is_in(&rules.maps) {
                for (at, arg) in args.iter().enumerate() {
                    if let Some(key) = self.world.atoms.get(&at.to_string()) {
                        let part = self.instances(&self.value(arg.value).clone());
                        self.write(Slot::Key(self.number, id, key), &part);
                    }
                }
            }
            set.add(Value::Typed(self.number, id), Evidence::Import);
        } else if set.is_empty() {
            set.add(Value::External, Evidence::Import);
        }
        set
    }

    /// In languages in which naming a function may call it, what the function gives counts as well.
    pub(crate) fn with_bare_results(&mut self, mut set: Set) -> Set {
        if !self.file.rules.bare_calls {
            return set;
        }
        for entry in set.clone().iter() {
            if let Value::Symbol(function) | Value::Bound(function) = entry.value
                && self.needs_no_argument(function)
            {
                set.join(&self.result_of(function));
            }
        }
        set
    }

    /// Whether a function can be called without an argument.
    pub(crate) fn needs_no_argument(&self, function: GlobalSymbol) -> bool {
        let row = self.world.symbol(function);
        row.kind.is_callable() && row.arity.0 == 0
    }
}

/// The evidence of a member whose receiver is known so well.
pub(crate) fn by_receiver(via: Evidence) -> Evidence {
    if via == Evidence::Ambiguous { via } else { Evidence::Receiver }
}
