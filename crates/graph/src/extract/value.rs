//! What happens when a node with a role is entered and left, and what it is worth.

use vise_syntax::Node;

use super::build::{LITERAL, UNKNOWN};
use super::define::{all, one, value_of};
use super::matching::NONE;
use super::walk::{Frame, Given, Value, Walk, Want};
use crate::facts::{Bound, Expr, ExprId, NameId, OuterScope, Place, ScopeKind, SiteKind, Target, flag, literal};
use crate::rules::{Part, Pattern, Role, set};

/// A value of the language itself, of the sort that its text shows.
fn literal_of(text: &[u8]) -> ExprId {
    match text {
        b"true" | b"false" | b"True" | b"False" | b"bool" | b"boolean" => literal::TRUTH,
        b"string" | b"char" => literal::TEXT,
        b"int" | b"long" | b"short" | b"byte" | b"float" | b"double" | b"decimal" | b"uint" => literal::NUMBER,
        [b'"' | b'\'' | b'`', ..] => literal::TEXT,
        [b'0'..=b'9', ..] => literal::NUMBER,
        _ => LITERAL,
    }
}

impl<'d, 'r> Walk<'d, '_, 'r> {
    /// The value of a node without children and parts, where its role needs no more than that.
    pub(super) fn simple(&mut self, pattern: &Pattern, node: Node<'d>) -> Option<Value> {
        let scope = self.b.at.scope;
        let expr = match pattern.role {
            Role::Reference => return Some(self.reference(node, pattern.settings.has(set::FIXED))),
            Role::Literal => literal_of(self.m.text(node)),
            Role::SelfValue => self.b.expr(Expr::Receiver { scope }),
            Role::SelfType => self.b.expr(Expr::ReceiverType { scope }),
            Role::Super => self.b.expr(Expr::Super { scope }),
            _ => return None,
        };
        Some(Value::new(expr, self.line(node), node.start() as u32))
    }

    /// A name that is used.
    fn reference(&mut self, node: Node<'d>, fixed: bool) -> Value {
        let name = self.b.name(super::text::plain(self.m.text(node), Part::Name));
        let line = self.line(node);
        let value = self.named(name, line, node.start() as u32);
        if fixed {
            self.b.fixed.insert(value.expr);
        }
        value
    }

    /// A name as a value: the receiver where it is called so.
    pub(super) fn named(&mut self, name: NameId, line: u32, start: u32) -> Value {
        let scope = self.b.at.scope;
        if let Some((_, is_type)) = self.b.at.receiver.filter(|(receiver, _)| *receiver == name) {
            let expr = if is_type { Expr::ReceiverType { scope } } else { Expr::Receiver { scope } };
            return Value::new(self.b.expr(expr), line, start);
        }
        if !self.rules.words.implicit_parameters.is_empty() {
            self.implicit_parameter(name);
        }
        let expr = self.b.name_expr(name);
        if self.b.names.text(name) == "_" {
            return Value::new(expr, line, start);
        }
        let site = self.b.site(expr, line, SiteKind::Reference);
        Value { site, ..Value::new(expr, line, start) }
    }

    /// A name that is a parameter of the function around without being declared.
    pub(super) fn implicit_parameter(&mut self, name: NameId) {
        let text = self.b.names.text(name);
        let Some(index) = self.rules.words.implicit_parameters.iter().position(|known| known == text) else { return };
        let Some(function) = self.b.function() else { return };
        let (symbol, scope) = (function.symbol, function.scope);
        let is_anonymous = self.b.facts.symbols[symbol.ix()].flags & flag::ANONYMOUS != 0;
        let declared = self.b.functions.last().is_some_and(|function| function.parameters > 0);
        if is_anonymous && !declared && self.b.bound(scope, name).is_none() {
            let kind = crate::facts::ParameterKind::Plain;
            let index = index as u16;
            if let Some(function) = self.b.function() {
                function.arity.1 = function.arity.1.max(index + 1);
            }
            let parameter = Some(crate::facts::Parameter { function: symbol, index, kind });
            self.b.variable(scope, crate::facts::Variable { name, declared: None, parameter });
        }
    }

    /// What a node with a role does to where the walk is.
    pub(super) fn begin(&mut self, pattern: &Pattern) {
        match pattern.role {
            Role::Definition(kind) => self.begin_definition(pattern, kind),
            Role::Lambda => self.begin_lambda(pattern),
            Role::Extension => self.begin_extension(),
            Role::Object => self.begin_object(),
            Role::Scope | Role::Case => self.open_block(),
            _ if pattern.settings.has(set::SCOPE) => self.open_block(),
            _ => {}
        }
    }

    fn open_block(&mut self) {
        self.remember();
        let symbol = self.b.at.symbol;
        self.b.open(ScopeKind::Block, symbol, None);
    }

    /// What a node with a role leaves behind, and its value.
    pub(super) fn finish(&mut self, frame: &Frame<'d, 'r>, pattern: &Pattern, given: &[Given]) -> Option<Value> {
        let value = self.finished(frame, pattern, given);
        if let (
            Some(object),
            Role::Pair | Role::SpreadArgument | Role::Assignment | Role::Default | Role::Definition(_),
        ) = (self.object_around(), pattern.role)
        {
            let name = match pattern.role {
                Role::Definition(_) => value.and_then(|value| value.name),
                _ => value.and_then(|value| value.name),
            };
            if let Some(value) = value.filter(|_| !self.is_wanted(frame)) {
                self.give(object, Part::Element, Value { name, ..value });
                return None;
            }
        }
        value
    }

    /// Whether somebody wants a node's value as a part.
    pub(super) fn is_wanted(&self, frame: &Frame<'_, '_>) -> bool {
        let mut link = frame.links;
        while link != NONE {
            if matches!(self.links[link as usize].want, Want::Part(_)) {
                return true;
            }
            link = self.links[link as usize].next;
        }
        false
    }

    /// The object that the node on top is a slot of.
    pub(super) fn object_around(&self) -> Option<u32> {
        let mut outer = self.frames.len() - 1;
        while outer > 0 {
            outer -= 1;
            match self.frames[outer].pattern {
                None => {}
                Some(pattern) => return (pattern.role == Role::Object).then_some(outer as u32),
            }
        }
        None
    }

    fn finished(&mut self, frame: &Frame<'d, 'r>, pattern: &Pattern, given: &[Given]) -> Option<Value> {
        let settings = &pattern.settings;
        let scope = self.b.at.scope;
        let place = |walk: &mut Self| (walk.line(frame.node), frame.node.start() as u32);
        match pattern.role {
            Role::Definition(kind) => match frame.symbol {
                Some(ix) => return Some(self.end_definition(frame, pattern, given, ix)),
                None => self.end_holder(frame, pattern, given, kind),
            },
            Role::Lambda => {
                let ix = frame.symbol?;
                self.end_function(ix, given);
                self.decorate(ix, given);
                let (line, start) = place(self);
                let expr = self.b.expr(Expr::Symbol(ix));
                return Some(Value::new(expr, line, start));
            }
            Role::Assignment => return self.end_assignment(frame, pattern, given),
            Role::Loop => self.end_loop(frame, pattern, given),
            Role::Parameter => return self.end_parameter(frame, pattern, given),
            Role::TypeParameter => self.end_type_parameter(frame, pattern, given),
            Role::Bound => self.end_bound(frame, pattern, given),
            Role::Bases => self.end_bases(given),
            Role::Extension => self.end_extension(given),
            Role::Package => self.end_package(frame, given),
            Role::Decorator => return self.end_decorator(frame, given),
            Role::Default if one(given, Part::Target).is_some() => return self.end_assignment(frame, pattern, given),
            Role::Default => self.end_default(given),
            Role::Global => self.outer_names(frame, pattern, given, OuterScope::File),
            Role::Nonlocal => self.outer_names(frame, pattern, given, OuterScope::Enclosing),
            Role::Scope => {
                let last = given.iter().rfind(|given| given.part == Part::Result).map(|given| given.value);
                return last.or(value_of(given, Part::Value)).filter(|value| value.expr != UNKNOWN);
            }
            Role::Import => self.end_import(frame, pattern, given),
            Role::Export => self.end_export(frame, pattern, given),
            Role::Reference => return Some(self.reference(frame.node, settings.has(set::FIXED))),
            Role::Literal => {
                let (line, start) = place(self);
                return Some(Value::new(literal_of(self.m.text(frame.node)), line, start));
            }
            Role::SelfValue | Role::SelfType | Role::Super => {
                let expr = match pattern.role {
                    Role::SelfValue => Expr::Receiver { scope },
                    Role::SelfType => Expr::ReceiverType { scope },
                    _ => Expr::Super { scope },
                };
                let (line, start) = place(self);
                return Some(Value::new(self.b.expr(expr), line, start));
            }
            Role::Member => return self.end_member(frame, pattern, given),
            Role::Call => return self.end_call(frame, pattern, given),
            Role::New => return Some(self.end_new(frame, pattern, given)),
            Role::NamedArgument | Role::Pair => return self.end_named(frame, pattern, given),
            Role::SpreadArgument => {
                let value = value_of(given, Part::Value).or(frame.value)?;
                return Some(Value { spread: true, site: NONE, ..value });
            }
            Role::Index => {
                let base = value_of(given, Part::Object)?;
                let key = self.names_of(frame, pattern, given, Part::Key).first().map(|named| named.name);
                let expr = self.b.expr(Expr::Index { base: base.expr, key });
                return Some(Value::new(expr, base.line, base.start));
            }
            Role::Object => return Some(self.group_of(frame, given, Part::Element, Expr::Object)),
            Role::List => {
                let given = &self.with_holes(frame, pattern, given)[..];
                let mut elements = all(given, Part::Element);
                if let (Some(only), None, true) = (elements.next(), elements.next(), settings.has(set::SINGLE)) {
                    return Some(only.value);
                }
                return Some(self.group_of(frame, given, Part::Element, Expr::List));
            }
            Role::Tokens => return Some(self.group_of(frame, given, Part::Element, Expr::List)),
            Role::Unpack => {
                let list = self.group_of(frame, given, Part::Element, Expr::List);
                let expr = self.b.expr(Expr::Element { base: list.expr });
                return Some(Value { expr, ..list });
            }
            Role::Union | Role::Match => {
                let part = if pattern.role == Role::Union { Part::Value } else { Part::Result };
                let known: Vec<Given> = all(given, part).filter(|given| given.value.expr != UNKNOWN).copied().collect();
                return match known[..] {
                    [] => None,
                    [only] => Some(Value { site: NONE, ..only.value }),
                    _ => Some(self.group_of(frame, &known, part, Expr::Union)),
                };
            }
            Role::Case => self.end_case(frame, pattern, given),
            Role::Through => {
                return value_of(given, Part::Through).or(frame.value.filter(|_| frame.values == 1));
            }
            Role::Await | Role::Unwrap | Role::Instance => {
                let part = if pattern.role == Role::Instance { Part::Type } else { Part::Value };
                let last = given.iter().rfind(|given| given.part == part && given.value.expr != UNKNOWN)?.value;
                let expr = match pattern.role {
                    Role::Await => Expr::Await { base: last.expr },
                    Role::Unwrap => Expr::Element { base: last.expr },
                    _ => Expr::Instance { of: last.expr },
                };
                return Some(Value::new(self.b.expr(expr), last.line, last.start));
            }
            Role::Apply => {
                let args = self.arguments(given);
                let Some(base) = value_of(given, Part::Type) else {
                    let (line, start) = place(self);
                    return Some(Value::new(self.b.expr(Expr::List(args)), line, start));
                };
                let expr = self.b.expr(Expr::Apply { base: base.expr, args });
                return Some(Value { expr, ..base });
            }
            Role::Module => return self.end_module(frame, given),
            Role::Return | Role::Yield => self.end_return(pattern, given),
            Role::Cascade => return value_of(given, Part::Object),
            Role::Decorated | Role::Exported | Role::ImportGroup | Role::Ignore | Role::Opaque => {}
        }
        None
    }

    fn end_type_parameter(&mut self, frame: &Frame<'d, 'r>, pattern: &Pattern, given: &[Given]) {
        let mut names = self.names_of(frame, pattern, given, Part::Name);
        if names.is_empty() {
            names.push(self.own_name(frame, Part::Name));
        }
        let bounds: Vec<ExprId> =
            all(given, Part::Type).map(|given| given.value.expr).filter(|expr| *expr != UNKNOWN).collect();
        let around = self.frames[..self.frames.len() - 1].iter().rev().find_map(|frame| frame.pattern);
        let waits = around.is_some_and(|pattern| pattern.role == Role::Decorated);
        let scope = self.b.at.scope;
        for named in names {
            if waits {
                self.pending_types.push((named.name, bounds.clone()));
                continue;
            }
            self.b.bind(scope, named.name, Target::TypeParameter);
            let name = named.name;
            self.b.facts.bounds.extend(bounds.iter().map(|bound| Bound { scope, name, bound: *bound }));
        }
    }

    fn end_bound(&mut self, frame: &Frame<'d, 'r>, pattern: &Pattern, given: &[Given]) {
        let Some(named) = self.names_of(frame, pattern, given, Part::Name).first().copied() else { return };
        let mut scope = self.b.at.scope;
        while !matches!(self.b.bound(scope, named.name), Some(Target::TypeParameter)) {
            let parent = self.b.facts.scopes[scope.ix()].parent;
            if parent == scope {
                scope = self.b.at.scope;
                break;
            }
            scope = parent;
        }
        for bound in all(given, Part::Type).map(|given| given.value.expr).filter(|expr| *expr != UNKNOWN) {
            self.b.facts.bounds.push(Bound { scope, name: named.name, bound });
        }
    }

    fn end_bases(&mut self, given: &[Given]) {
        let Some(scope) = self.b.type_around(self.b.at.scope) else { return };
        let symbol = self.b.facts.scopes[scope.ix()].owner;
        self.bases(symbol, given);
    }

    /// A decorator that no pattern around asked for goes up to the definition whose name is still to come, or waits for
    /// the next one.
    fn end_decorator(&mut self, frame: &Frame<'d, 'r>, given: &[Given]) -> Option<Value> {
        let value = value_of(given, Part::Value).or(frame.value)?;
        if self.is_wanted(frame) {
            return Some(value);
        }
        let me = self.frames.len() - 1;
        let around = (0..me).rev().find_map(|at| self.frames[at].pattern.map(|pattern| (at as u32, pattern.role)));
        if let Some((at, Role::Definition(_))) = around {
            let name = self.given_to(at).find(|given| matches!(given.part, Part::Name | Part::Title));
            // A name that is not among its parts tells no place, but a body does.
            let limit = name.map_or(self.frames[at as usize].body, |name| name.value.start);
            if value.start < limit {
                self.give(at, Part::Decorator, value);
                return None;
            }
        }
        if !matches!(around, Some((_, Role::Parameter))) {
            self.pending.push((me as u32, value));
        }
        None
    }

    fn end_default(&mut self, given: &[Given]) {
        let Some(value) = value_of(given, Part::Value) else { return };
        let last = self.b.facts.variables.len();
        let Some(function) = self.b.function() else { return };
        function.arity.0 = function.arity.0.saturating_sub(1);
        let symbol = function.symbol;
        let parameter = |at: &usize| self.b.facts.variables[*at].parameter.is_some_and(|p| p.function == symbol);
        if let Some(at) = (0..last).rev().take(8).find(parameter) {
            self.b.flow(Place::Variable(crate::facts::VariableIx(at as u32)), value.expr);
        }
    }

    fn outer_names(&mut self, frame: &Frame<'d, 'r>, pattern: &Pattern, given: &[Given], outer: OuterScope) {
        let (_, scope) = self.b.kind_around(self.b.at.scope);
        for named in self.names_of(frame, pattern, given, Part::Name) {
            self.b.bind(scope, named.name, Target::Outer(outer));
        }
    }

    fn end_return(&mut self, pattern: &Pattern, given: &[Given]) {
        let Some(ix) = self.b.returning() else { return };
        let is_yield = pattern.role == Role::Yield;
        if is_yield {
            self.b.facts.symbols[ix.ix()].flags |= flag::GENERATOR;
        }
        let values: Vec<ExprId> =
            all(given, Part::Value).map(|given| given.value.expr).filter(|expr| *expr != UNKNOWN).collect();
        for mut value in values {
            if pattern.settings.has(set::ELEMENTS) {
                value = self.b.expr(Expr::Element { base: value });
            }
            let place = if is_yield { Place::Yield(ix) } else { Place::Return(ix) };
            self.b.flow(place, value);
        }
    }

    /// A case takes apart what the match around it is about.
    fn end_case(&mut self, frame: &Frame<'d, 'r>, pattern: &Pattern, given: &[Given]) {
        let matched = self.frames.iter().rposition(|frame| frame.pattern.is_some_and(|p| p.role == Role::Match));
        let of_match = |walk: &Self, part: Part| -> Option<ExprId> {
            let mut parts = walk.given_to(matched? as u32).filter(|given| given.part == part);
            parts.find(|given| given.value.expr != UNKNOWN).map(|given| given.value.expr)
        };
        let mut source = of_match(self, Part::Value);
        let types: Vec<ExprId> =
            all(given, Part::Type).map(|given| given.value.expr).filter(|expr| *expr != UNKNOWN).collect();
        if let [of] = types[..] {
            source = Some(self.b.expr(Expr::Instance { of }));
        }
        let own: Vec<ExprId> = all(given, Part::Target).map(|given| given.value.expr).collect();
        let shared = if own.is_empty() { of_match(self, Part::Target) } else { None };
        if own.is_empty() && shared.is_none() && types.len() == 1 {
            // A bare name that is matched is an instance of the case's type inside the case.
            let matched = of_match(self, Part::Value).map(|value| self.b.facts.exprs[value.ix()]);
            if let (Some(Expr::Name { name, .. }), Some(source)) = (matched, source) {
                let scope = self.b.at.scope;
                let variable = crate::facts::Variable { name, declared: None, parameter: None };
                let variable = self.b.variable(scope, variable);
                self.b.flow(Place::Variable(variable), source);
            }
        }
        for target in own.into_iter().chain(shared) {
            self.take_apart(frame, pattern, target, source, None);
        }
    }
}
