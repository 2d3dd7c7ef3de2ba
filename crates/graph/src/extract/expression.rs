//! Members, calls, instances and arguments.

use super::build::{EMPTY, UNKNOWN};
use super::define::{all, one, value_of};
use super::matching::NONE;
use super::walk::{Frame, Given, Value, Walk};
use crate::facts::{Arg, Args, Base, Expr, ExprId, NameId, Place, ScopeId, SiteKind, Target};
use crate::rules::{Part, Pattern, Role, set};

impl<'d, 'r> Walk<'d, '_, 'r> {
    /// Arguments as they are called with, blocks behind them; what a macro's text was read as is taken apart.
    pub(super) fn arguments(&mut self, given: &[Given]) -> Args {
        let arg = |given: &Given| Arg { name: given.value.name, value: given.value.expr, spread: given.value.spread };
        let args: Vec<Arg> = all(given, Part::Argument).chain(all(given, Part::Block)).map(arg).collect();
        self.b.args(args)
    }

    pub(super) fn group_of(
        &mut self,
        frame: &Frame<'d, 'r>,
        given: &[Given],
        part: Part,
        make: fn(Args) -> Expr,
    ) -> Value {
        let args: Vec<Arg> = all(given, part)
            .map(|given| Arg { name: given.value.name, value: given.value.expr, spread: given.value.spread })
            .collect();
        let args = self.b.args(args);
        let expr = self.b.expr(make(args));
        Value::new(expr, self.line(frame.node), frame.node.start() as u32)
    }

    /// Elements of a list with those that are left out where commas stand side by side.
    pub(super) fn with_holes(&mut self, frame: &Frame<'d, 'r>, pattern: &Pattern, given: &[Given]) -> Vec<Given> {
        let mut elements = given.to_vec();
        if pattern.settings.has(set::HOLES) {
            let text = self.m.text(frame.node);
            let base = frame.node.start();
            let mut end = 0;
            let mut place = 0;
            for (node, _) in frame.node.children().into_iter().filter(|(node, _)| node.is_named() && !node.is_extra()) {
                let between = text.get(end..node.start() - base).unwrap_or_default();
                let commas = between.iter().filter(|byte| **byte == b',').count();
                for _ in usize::from(place > 0)..commas {
                    if let Some(hole) = elements.get(place).or(elements.last()).copied() {
                        elements.insert(place.min(elements.len()), hole.unknown());
                    }
                    place += 1;
                }
                end = node.end() - base;
                place += 1;
            }
        }
        elements
    }

    pub(super) fn end_member(&mut self, frame: &Frame<'d, 'r>, pattern: &Pattern, given: &[Given]) -> Option<Value> {
        let settings = &pattern.settings;
        let scope = self.b.at.scope;
        let object = value_of(given, Part::Object).or_else(|| self.cascade(settings.has(set::CASCADE)));
        if let Some(inner) = value_of(given, Part::Property) {
            if let Some(object) = object {
                self.graft(inner.expr, object.expr);
            }
            return Some(inner);
        }
        let named = self.names_of(frame, pattern, given, Part::Property).first().copied();
        let named = named.unwrap_or_else(|| self.own_name(frame, Part::Property));
        if named.name == EMPTY {
            return None;
        }
        let expr = match object {
            Some(object) => self.b.expr(Expr::Member { base: object.expr, name: named.name }),
            None if settings.has(set::ROOT) => self.b.expr(Expr::Name { scope: ScopeId::FILE, name: named.name }),
            None => {
                let base = if settings.has(set::RECEIVER) { self.b.expr(Expr::Receiver { scope }) } else { UNKNOWN };
                self.b.expr(Expr::Member { base, name: named.name })
            }
        };
        let site = self.b.site(expr, named.line, SiteKind::Reference);
        let start = object.map_or(named.start, |object| object.start);
        Some(Value { site, ..Value::new(expr, named.line, start) })
    }

    /// What the cascade around is about.
    pub(super) fn cascade(&self, wanted: bool) -> Option<Value> {
        let role = |frame: &Frame<'_, '_>| frame.pattern.is_some_and(|pattern| pattern.role == Role::Cascade);
        let around = self.frames.iter().rposition(role).filter(|_| wanted)?;
        self.given_to(around as u32).find(|given| given.part == Part::Object).map(|given| given.value)
    }

    /// Puts an object under the first name of a chain of members.
    pub(super) fn graft(&mut self, chain: ExprId, object: ExprId) {
        let mut at = chain;
        loop {
            match self.b.facts.exprs[at.ix()] {
                Expr::Member { base, .. } | Expr::Apply { base, .. } => at = base,
                Expr::Name { name, .. } if object < at => {
                    self.b.facts.exprs[at.ix()] = Expr::Member { base: object, name };
                    return;
                }
                _ => return,
            }
        }
    }

    pub(super) fn end_call(&mut self, frame: &Frame<'d, 'r>, pattern: &Pattern, given: &[Given]) -> Option<Value> {
        let settings = &pattern.settings;
        let callee = match value_of(given, Part::Callee) {
            Some(callee) => callee,
            None if one(given, Part::Callee).is_some() => {
                let (line, start) = (self.line(frame.node), frame.node.start() as u32);
                Value::new(UNKNOWN, line, start)
            }
            None if value_of(given, Part::Object).is_some()
                || settings.has(set::RECEIVER | set::CASCADE)
                || one(given, Part::Object).is_some() =>
            {
                self.end_member(frame, pattern, given)?
            }
            None => {
                let named = self.names_of(frame, pattern, given, Part::Property).first().copied();
                let named = named.unwrap_or_else(|| self.own_name(frame, Part::Property));
                if settings.has(set::UNLESS_VARIABLE) {
                    self.implicit_parameter(named.name);
                    let holds = match self.b.look_up(self.b.at.scope, named.name) {
                        Some(Target::Variable(_)) => true,
                        Some(Target::Symbol(ix)) => self.b.facts.symbols[ix.ix()].kind.holds_value(),
                        _ => false,
                    };
                    if holds {
                        return Some(self.named(named.name, named.line, named.start));
                    }
                }
                self.named(named.name, named.line, named.start)
            }
        };
        let args = if settings.has(set::MACRO) { self.macro_arguments(given) } else { self.arguments(given) };
        let expr = self.b.expr(Expr::Call { callee: callee.expr, args });
        self.called(expr, &callee);
        Some(Value::new(expr, callee.line, callee.start))
    }

    /// The arguments of a macro: what its text was read as.
    pub(super) fn macro_arguments(&mut self, given: &[Given]) -> Args {
        let mut args = Vec::new();
        for Given { value, .. } in all(given, Part::Argument) {
            match self.b.facts.exprs[value.expr.ix()] {
                Expr::List(list) => {
                    let list = list.start as usize..(list.start + list.len) as usize;
                    args.extend_from_slice(&self.b.facts.args[list]);
                }
                _ => args.push(Arg { name: value.name, value: value.expr, spread: value.spread }),
            }
        }
        self.b.args(args)
    }

    /// Makes the use of a name the call of it.
    pub(super) fn called(&mut self, call: ExprId, callee: &Value) {
        if callee.site != NONE {
            let site = &mut self.b.facts.sites[callee.site as usize];
            (site.expr, site.kind) = (call, SiteKind::Call);
        } else if callee.expr != UNKNOWN {
            self.b.site(call, callee.line, SiteKind::Call);
        }
    }

    pub(super) fn end_new(&mut self, frame: &Frame<'d, 'r>, pattern: &Pattern, given: &[Given]) -> Value {
        let scope = self.b.at.scope;
        let mut class = match value_of(given, Part::Type).or(value_of(given, Part::Callee)) {
            Some(class) => class,
            None if one(given, Part::Type).is_some() => {
                Value::new(UNKNOWN, self.line(frame.node), frame.node.start() as u32)
            }
            None => {
                let expr = self.b.expr(Expr::ReceiverType { scope });
                Value::new(expr, self.line(frame.node), frame.node.start() as u32)
            }
        };
        if let Some(typed) = self.typed(given, Part::Type).first() {
            class.expr = typed.expr;
        }
        let args = if pattern.settings.has(set::MACRO) { self.macro_arguments(given) } else { self.arguments(given) };
        let mut expr = self.b.expr(Expr::New { class: class.expr, args });
        self.called(expr, &class);
        let body = value_of(given, Part::Body).map(|value| self.b.facts.exprs[value.expr.ix()]);
        if let Some(Expr::Symbol(symbol)) = body {
            // The instance is one of the type without a name, whose bases are what the text names.
            for base in all(given, Part::Type).map(|given| given.value).filter(|value| value.expr != UNKNOWN) {
                self.b.facts.bases.push(Base { symbol, base: base.expr, implements: false, line: base.line });
            }
            let class = self.b.expr(Expr::Symbol(symbol));
            expr = self.b.expr(Expr::New { class, args });
        }
        if pattern.settings.has(set::FIELDS) {
            for field in all(given, Part::Argument).map(|given| given.value) {
                let Some(name) = field.name else { continue };
                let base = self.b.expr(Expr::Instance { of: class.expr });
                let member = self.b.expr(Expr::Member { base, name });
                self.b.site(member, field.line, SiteKind::Reference);
            }
        }
        for slot in all(given, Part::Slot).map(|given| given.value) {
            let Some(name) = slot.name else { continue };
            let member = self.b.expr(Expr::Member { base: expr, name });
            self.b.site(member, slot.line, SiteKind::Reference);
            self.b.flow(Place::Expr(member), slot.expr);
        }
        Value::new(expr, class.line, frame.node.start() as u32)
    }

    /// A value with a name: an argument, a slot. A node without parts is both.
    pub(super) fn end_named(&mut self, frame: &Frame<'d, 'r>, pattern: &Pattern, given: &[Given]) -> Option<Value> {
        let key = self.names_of(frame, pattern, given, Part::Key).first().copied();
        let Some(value) = one(given, Part::Value) else {
            let named = key.unwrap_or_else(|| self.own_name(frame, Part::Key));
            let value = self.named(named.name, named.line, named.start);
            return Some(Value { name: Some(named.name), ..value });
        };
        let line = key.map_or(value.value.line, |key| key.line);
        Some(Value { name: key.map(|key| key.name), line, ..value.value })
    }

    /// Says that the names of a path are no uses.
    pub(super) fn declare_path(&mut self, mut expr: ExprId) {
        loop {
            self.b.declared.insert(expr);
            match self.b.facts.exprs[expr.ix()] {
                Expr::Member { base, .. } | Expr::Apply { base, .. } => expr = base,
                _ => return,
            }
        }
    }

    /// The text of a node that was a text part and turned out to have a value: the last name in it.
    pub(super) fn text_of_value(&mut self, value: &Value, part: Part, to: (u32, u16, u16)) -> Option<NameId> {
        if part != Part::Name {
            return None;
        }
        let mut expr = value.expr;
        loop {
            match self.b.facts.exprs[expr.ix()] {
                Expr::Apply { base, .. } => expr = base,
                Expr::Name { name, .. } => {
                    self.unsite(value);
                    return Some(name);
                }
                Expr::Member { base, name } => {
                    self.unsite(value);
                    if base != UNKNOWN {
                        self.declare_path(base);
                        self.give_value(to, Part::Owner, Value { site: NONE, expr: base, ..*value });
                    }
                    return Some(name);
                }
                _ => return None,
            }
        }
    }
}
