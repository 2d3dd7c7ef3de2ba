//! Where values go: assignments, loops, what is taken apart, results.

use super::build::UNKNOWN;
use super::define::{Named, all, one, value_of};
use super::walk::{Frame, Given, Value, Walk};
use crate::facts::{
    Arg, Args, Expr, ExprId, Flow, NameId, OuterScope, Place, ScopeId, ScopeKind, SiteKind, SymbolIx, Target, Variable,
};
use crate::kinds::SymbolKind;
use crate::rules::{Part, Pattern, set};

impl<'d, 'r> Walk<'d, '_, 'r> {
    /// Ends a definition of what holds a value and has no scope of its own; one for each name.
    pub(super) fn end_holder(&mut self, frame: &Frame<'d, 'r>, pattern: &Pattern, given: &[Given], kind: SymbolKind) {
        let settings = &pattern.settings;
        let types: Vec<Value> = all(given, Part::Type).map(|given| given.value).collect();
        if settings.has(set::NUMBERED) {
            for (number, declared) in types.iter().enumerate() {
                let name = self.b.name(number.to_string().as_bytes());
                let named = Named { name, line: declared.line.max(1), start: declared.start };
                self.declare(frame, pattern, named, kind, Some(declared.expr), given);
            }
            return;
        }
        if frame.rounds > 1 {
            for round in 0..frame.rounds {
                let given: Vec<Given> = given.iter().filter(|given| given.round == round).copied().collect();
                let mut once = *frame;
                once.rounds = 1;
                self.end_holder(&once, pattern, &given, kind);
            }
            return;
        }
        let mut names = self.names_of(frame, pattern, given, Part::Name);
        if names.is_empty() && !pattern.has_name {
            names.push(self.own_name(frame, Part::Name));
        }
        let declared = self.declared_type(given);
        let values: Vec<ExprId> = all(given, Part::Value).map(|given| given.value.expr).collect();
        let count = names.len();
        for (number, named) in names.into_iter().enumerate() {
            let value = self.share(&values, count, number);
            if settings.has(set::SHADOWS) {
                self.b.shadow(named.name, None);
            }
            let Some(place) = self.declare(frame, pattern, named, kind, declared, given) else { continue };
            if let Some(value) = value {
                self.b.flow(place, value);
            }
            if settings.has(set::CONSTRUCTS) {
                self.construct(place, named, given);
            }
        }
    }

    /// Which value one of several names gets.
    fn share(&mut self, values: &[ExprId], names: usize, number: usize) -> Option<ExprId> {
        match values {
            [] => None,
            [one] if names == 1 => Some(*one),
            [one] => Some(self.item_of(*one, number)),
            several => several.get(number).copied(),
        }
    }

    /// An instance of a declared type is made with arguments, without a word for it.
    fn construct(&mut self, place: Place, named: Named, given: &[Given]) {
        let Some(class) = value_of(given, Part::Type) else { return };
        let args = self.arguments(given);
        let made = self.b.expr(Expr::New { class: class.expr, args });
        self.b.site(made, named.line, SiteKind::Call);
        self.b.flow(place, made);
    }

    /// Declares a name: a symbol outside functions, else a variable. None for `_`.
    pub(super) fn declare(
        &mut self,
        frame: &Frame<'d, 'r>,
        pattern: &Pattern,
        named: Named,
        kind: SymbolKind,
        declared: Option<ExprId>,
        given: &[Given],
    ) -> Option<Place> {
        let text = self.b.names.text(named.name);
        if text == "_" || text.is_empty() {
            return None;
        }
        let text = text.to_owned();
        let settings = &pattern.settings;
        let scope = self.scope_for(pattern);
        let slot = self.is_slot(frame);
        let owner = value_of(given, Part::Owner);
        if let Some(base) = owner.filter(|owner| self.is_receiver(owner.expr)) {
            // A member of the receiver is a field, unless its type has a member of that name.
            let target = self.b.expr(Expr::Member { base: base.expr, name: named.name });
            self.receiver_field(frame, target, base.expr, named, declared);
            return Some(Place::Expr(target));
        }
        let owner = owner.and_then(|_| self.owner_of(frame, given, &mut kind.clone()));
        let symbols = self.b.makes_symbols(scope) && !settings.has(set::LOCAL);
        if slot && !(symbols && self.b.facts.scopes[scope.ix()].kind == ScopeKind::Type) {
            self.inline_slot(named, declared);
            return None;
        }
        if !symbols && owner.is_none() {
            let variable = self.b.variable(scope, Variable { name: named.name, declared, parameter: None });
            return Some(Place::Variable(variable));
        }
        let me = self.frames.len() as u32 - 1;
        let around = self.around(me);
        let (scope_kind, _) = self.b.kind_around(scope);
        let is_upper = self.rules.words.upper_is_constant
            && text.chars().any(char::is_uppercase)
            && !text.chars().any(char::is_lowercase);
        let kind = match kind {
            SymbolKind::Variable if owner.is_some() || scope_kind == ScopeKind::Type => SymbolKind::Field,
            SymbolKind::Variable if settings.has(set::CONSTANT) || is_upper => SymbolKind::Constant,
            kind => kind,
        };
        let mut symbol = self.b.blank(kind);
        symbol.name = named.name;
        symbol.scope = scope;
        symbol.container = self.b.facts.scopes[scope.ix()].owner;
        symbol.line = named.line;
        let context = self.header_node(frame);
        symbol.start_line = around.start_line.unwrap_or_else(|| self.line(context));
        symbol.end_line = self.end_line(frame.node);
        symbol.declared = declared;
        symbol.extension = owner.or(symbol.extension);
        symbol.flags = settings.flags | frame.flags | around.flags | self.modifiers(given) | self.flags_of_name(&text);
        symbol.signature = self.signature(frame, context.start() as u32, super::build::NOWHERE);
        let start = around.start.unwrap_or(context.start() as u32).min(named.start);
        symbol.flags = if owner.is_some() { symbol.flags } else { self.settled(symbol.flags, scope_kind) };
        let ix = self.place_symbol(symbol, start);
        self.decorate(ix, given);
        self.test_and_entry(ix, &text);
        if slot {
            let expr = self.b.expr(Expr::Symbol(ix));
            self.give_slot(Value { name: Some(named.name), ..Value::new(expr, named.line, named.start) });
        }
        if owner.is_none() && !settings.has(set::UNBOUND) {
            self.b.bind(scope, named.name, Target::Symbol(ix));
            if settings.has(set::OUTSIDE) {
                self.b.bind(self.outside_type(scope), named.name, Target::Symbol(ix));
            }
        }
        self.export_definition(pattern, ix, named.name);
        if settings.has(set::PARAMETER) {
            self.parameter(pattern, named, declared, one(given, Part::Value).is_some(), given);
            let value = self.b.name_expr(named.name);
            self.b.flow(Place::Symbol(ix), value);
        }
        Some(Place::Symbol(ix))
    }

    /// The scope that a pattern's names are declared in.
    pub(super) fn scope_for(&self, pattern: &Pattern) -> ScopeId {
        let settings = &pattern.settings;
        if settings.has(set::HOISTED) { self.b.kind_around(self.b.at.scope).1 } else { self.b.at.scope }
    }

    /// Ends an assignment; gives its value.
    pub(super) fn end_assignment(
        &mut self,
        frame: &Frame<'d, 'r>,
        pattern: &Pattern,
        given: &[Given],
    ) -> Option<Value> {
        let mut last = None;
        for round in 0..frame.rounds {
            let given: Vec<Given> = given.iter().filter(|given| given.round == round).copied().collect();
            let declared = self.declared_type(&given);
            let values: Vec<Value> = all(&given, Part::Value).map(|given| given.value).collect();
            let targets: Vec<Value> = all(&given, Part::Target).map(|given| given.value).collect();
            let expressions: Vec<ExprId> = values.iter().map(|value| value.expr).collect();
            for (number, target) in targets.iter().enumerate() {
                let mut source = self.share(&expressions, targets.len(), number).filter(|value| *value != UNKNOWN);
                if pattern.settings.has(set::ELEMENTS) {
                    source = source.map(|base| self.b.expr(Expr::Element { base }));
                }
                if self.import_module(pattern, target.expr, source) {
                    continue;
                }
                if pattern.settings.has(set::COMMA_OK) {
                    self.comma_ok(frame, pattern, target.expr, source, declared);
                } else {
                    self.take_apart(frame, pattern, target.expr, source, declared);
                }
            }
            last = values.first().copied().or(targets.first().copied());
        }
        let value = last?;
        let target = value_of(given, Part::Target)?;
        if !self.is_wanted(frame) && target.name.is_none() {
            return None;
        }
        // Where it stands in a pattern the value is a default, and what counts is the target.
        let args = self.b.args([Arg { name: None, value: value.expr, spread: false }]);
        let expr = self.b.expr(Expr::Union(args));
        self.b.assigned.insert(expr, target.expr);
        Some(Value { name: target.name, ..Value::new(expr, value.line, value.start) })
    }

    /// `v, ok := m[k]`: the first name gets the value itself.
    fn comma_ok(
        &mut self,
        frame: &Frame<'d, 'r>,
        pattern: &Pattern,
        target: ExprId,
        source: Option<ExprId>,
        declared: Option<ExprId>,
    ) {
        let is_call = source.is_some_and(|source| matches!(self.b.facts.exprs[source.ix()], Expr::Call { .. }));
        match self.b.facts.exprs[target.ix()] {
            Expr::List(args) if args.len == 2 && !is_call && source.is_some_and(|source| !self.is_list(source)) => {
                let [first, second] = [0, 1].map(|at| self.b.facts.args[(args.start + at) as usize].value);
                self.take_apart(frame, pattern, first, source, declared);
                self.take_apart(frame, pattern, second, Some(super::build::LITERAL), None);
            }
            _ => self.take_apart(frame, pattern, target, source, declared),
        }
    }

    fn is_list(&self, expr: ExprId) -> bool {
        matches!(self.b.facts.exprs[expr.ix()], Expr::List(_))
    }

    /// Ends a loop: its target is an element of what it goes over.
    pub(super) fn end_loop(&mut self, frame: &Frame<'d, 'r>, pattern: &Pattern, given: &[Given]) {
        let declared = self.declared_type(given);
        let base = value_of(given, Part::Iterated).map(|value| value.expr);
        let targets: Vec<ExprId> = all(given, Part::Target).map(|given| given.value.expr).collect();
        for target in targets {
            let element = base.map(|base| self.b.expr(Expr::Element { base }));
            if let Some(element) = element.filter(|_| self.rules.words.loops_call) {
                self.b.site(element, frame.node.line() as u32, SiteKind::Call);
            }
            let pair = match self.b.facts.exprs[target.ix()] {
                Expr::List(args) if args.len == 2 && pattern.settings.has(set::KEYED) => {
                    Some([0, 1].map(|at| self.b.facts.args[(args.start + at) as usize].value))
                }
                _ => None,
            };
            match pair {
                Some([key, value]) => {
                    self.take_apart(frame, pattern, key, None, None);
                    self.take_apart(frame, pattern, value, element, declared);
                }
                None => self.take_apart(frame, pattern, target, element, declared),
            }
        }
    }

    /// What a rest among so many targets takes, or a target behind it: told by a literal alone. Of anything else the rest
    /// takes a list of the same things.
    fn item_behind_rest(&mut self, source: ExprId, (rest, number, many): (usize, usize, usize)) -> Option<ExprId> {
        let items = match self.b.facts.exprs[source.ix()] {
            Expr::List(args) => self.items(args),
            _ => Vec::new(),
        };
        let behind = many - rest - 1;
        if items.len() < rest + behind || items.iter().any(|arg| arg.spread) {
            return (number == rest).then_some(source);
        }
        if number > rest {
            return Some(items[items.len() - (many - number)].value);
        }
        let taken = self.b.args(items[rest..items.len() - behind].iter().copied());
        Some(self.b.expr(Expr::List(taken)))
    }

    /// The value at a place of a list: the expression that stands there, or an index.
    pub(super) fn item_of(&mut self, list: ExprId, number: usize) -> ExprId {
        if let Expr::List(args) = self.b.facts.exprs[list.ix()] {
            let run = &self.b.facts.args[args.start as usize..(args.start + args.len) as usize];
            if let Some(arg) = run.get(number).filter(|_| run.iter().take(number + 1).all(|arg| !arg.spread)) {
                return arg.value;
            }
        }
        let key = Some(self.b.name(number.to_string().as_bytes()));
        self.b.expr(Expr::Index { base: list, key })
    }

    /// The value of a slot: the expression that stands there, or a member.
    fn slot_of(&mut self, object: ExprId, name: NameId) -> ExprId {
        if let Expr::Object(args) = self.b.facts.exprs[object.ix()] {
            let run = &self.b.facts.args[args.start as usize..(args.start + args.len) as usize];
            if let Some(arg) = run.iter().find(|arg| arg.name == Some(name)) {
                return arg.value;
            }
        }
        self.b.expr(Expr::Member { base: object, name })
    }

    /// Gives a target its value, and its parts theirs. A target is an expression read backwards.
    pub(super) fn take_apart(
        &mut self,
        frame: &Frame<'d, 'r>,
        pattern: &Pattern,
        target: ExprId,
        source: Option<ExprId>,
        declared: Option<ExprId>,
    ) {
        let mut left = vec![(target, source, declared)];
        while let Some((target, source, declared)) = left.pop() {
            let target = self.b.assigned.get(&target).copied().unwrap_or(target);
            match self.b.facts.exprs[target.ix()] {
                Expr::Name { name, .. } => self.flow_to_name(frame, pattern, target, name, source, declared),
                Expr::Member { base, name } => {
                    self.flow_to_member(frame, pattern, target, (base, name), declared);
                    self.flow_to(target, source);
                }
                Expr::Index { .. } => self.flow_to(target, source),
                Expr::List(args) => {
                    let items = self.items(args);
                    let known = items.iter().position(|arg| arg.spread).unwrap_or(items.len());
                    let many = items.len();
                    for (number, arg) in items.into_iter().enumerate().rev() {
                        let item = match source {
                            Some(source) if number < known => Some(self.item_of(source, number)),
                            Some(source) => self.item_behind_rest(source, (known, number, many)),
                            _ => None,
                        };
                        left.push((arg.value, item, None));
                    }
                }
                Expr::Object(args) => {
                    for arg in self.items(args).into_iter().rev() {
                        let slot = match (source, arg.name) {
                            (Some(source), Some(name)) if !arg.spread => Some(self.slot_of(source, name)),
                            _ => None,
                        };
                        left.push((arg.value, slot, None));
                    }
                }
                Expr::New { class, args } => {
                    self.b.patterns.insert(target);
                    let of = self.b.expr(Expr::Instance { of: class });
                    let items = self.items(args);
                    let known = items.iter().position(|arg| arg.spread).unwrap_or(items.len());
                    for (number, arg) in items.into_iter().enumerate().rev() {
                        let told = arg.name.is_some() || number < known;
                        let number = self.b.name(number.to_string().as_bytes());
                        let name = arg.name.unwrap_or(number);
                        let member = self.b.expr(Expr::Member { base: of, name });
                        left.push((arg.value, Some(member).filter(|_| told && !arg.spread), None));
                    }
                }
                Expr::Union(args) => {
                    left.extend(self.items(args).into_iter().rev().map(|arg| (arg.value, source, declared)));
                }
                Expr::Element { base } => {
                    let element = source.map(|base| self.b.expr(Expr::Element { base }));
                    match self.b.facts.exprs[base.ix()] {
                        Expr::List(args) => {
                            left.extend(self.items(args).into_iter().rev().map(|arg| (arg.value, element, None)));
                        }
                        _ => left.push((base, element, None)),
                    }
                }
                _ => {}
            }
        }
    }

    pub(super) fn items(&self, args: Args) -> Vec<Arg> {
        self.b.facts.args[args.start as usize..(args.start + args.len) as usize].to_vec()
    }

    fn flow_to(&mut self, target: ExprId, source: Option<ExprId>) {
        if let Some(source) = source {
            self.b.flow(Place::Expr(target), source);
        }
    }

    /// A bare name as a target: declared if the pattern says so and its scope does not have it.
    fn flow_to_name(
        &mut self,
        frame: &Frame<'d, 'r>,
        pattern: &Pattern,
        target: ExprId,
        name: NameId,
        source: Option<ExprId>,
        declared: Option<ExprId>,
    ) {
        if self.b.fixed.contains(&target) {
            return;
        }
        if !pattern.settings.has(set::DECLARES) && !matches!(pattern.role, crate::rules::Role::Parameter) {
            return self.flow_to(target, source);
        }
        self.b.declared.insert(target);
        if pattern.settings.has(set::SHADOWS) {
            self.b.shadow(name, Some(target));
        }
        let scope = self.scope_for(pattern);
        let known = if pattern.settings.has(set::SHADOWS) { None } else { self.b.bound(scope, name) };
        // An interface and a constant may bear one name.
        let is_type =
            |ix: SymbolIx| matches!(self.b.facts.symbols[ix.ix()].kind, SymbolKind::Interface | SymbolKind::Type);
        let known = known.filter(|known| !matches!(known, Target::Symbol(ix) if is_type(*ix)));
        let place = match known {
            Some(Target::Symbol(ix)) if self.b.facts.symbols[ix.ix()].kind.holds_value() => {
                let symbol = &mut self.b.facts.symbols[ix.ix()];
                symbol.declared = symbol.declared.or(declared);
                if let Some(early) = self.frames.last_mut().and_then(|frame| frame.reserved.take()) {
                    self.b.ghosts.push((early, ix));
                }
                Place::Symbol(ix)
            }
            Some(Target::Variable(ix)) => {
                let variable = &mut self.b.facts.variables[ix.ix()];
                variable.declared = variable.declared.or(declared);
                Place::Variable(ix)
            }
            Some(Target::Outer(OuterScope::File)) if self.b.bound(ScopeId::FILE, name).is_none() => {
                let inside = self.b.at;
                (self.b.at.scope, self.b.at.symbol) = (ScopeId::FILE, SymbolIx::MODULE);
                let named = self.name_at(frame, name);
                let place = self.declare(frame, pattern, named, SymbolKind::Variable, declared, &[]);
                self.b.at = inside;
                place.unwrap_or(Place::Expr(target))
            }
            Some(Target::Outer(_)) => {
                self.b.declared.remove(&target);
                Place::Expr(target)
            }
            Some(_) => Place::Expr(target),
            None => {
                let named = self.name_at(frame, name);
                match self.declare(frame, pattern, named, SymbolKind::Variable, declared, &[]) {
                    Some(place) => place,
                    None => return,
                }
            }
        };
        if let Some(source) = source {
            self.b.facts.flows.extend((source != UNKNOWN).then_some(Flow { to: place, value: source }));
        }
    }

    /// A name that was found in a target, with the place of the node that declares it.
    pub(super) fn name_at(&mut self, frame: &Frame<'d, 'r>, name: NameId) -> Named {
        Named { name, line: self.line(frame.node), start: frame.node.start() as u32 }
    }
}
