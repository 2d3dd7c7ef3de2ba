//! What opens a scope beside definitions: functions and types without a name, objects, extensions.

use super::build::UNKNOWN;
use super::define::{all, value_of};
use super::matching::NONE;
use super::walk::{Frame, Given, Value, Walk, Want};
use crate::facts::{Expr, Extension, ExtensionIx, Place, ScopeKind, SymbolIx, flag};
use crate::kinds::SymbolKind;
use crate::rules::{Part, Pattern, Role, set};

impl<'d, 'r> Walk<'d, '_, 'r> {
    /// The symbol of the variable, outside functions, whose value the node on top is a part of. What has no name in that
    /// value belongs to it.
    pub(super) fn holder_around(&mut self) -> Option<SymbolIx> {
        let scope = self.b.at.scope;
        if !self.b.makes_symbols(scope) {
            return None;
        }
        for at in (0..self.frames.len() - 1).rev() {
            let frame = self.frames[at];
            let Some(pattern) = frame.pattern else { continue };
            let holds = match pattern.role {
                Role::Definition(_) => frame.symbol.is_none(),
                Role::Assignment => pattern.settings.has(set::DECLARES),
                Role::Call | Role::New | Role::Object | Role::Pair | Role::List | Role::NamedArgument => continue,
                Role::SpreadArgument | Role::Through | Role::Await | Role::Union | Role::Instance => continue,
                Role::Member | Role::Index | Role::Apply => continue,
                _ => false,
            };
            if !holds {
                return None;
            }
            if let Some(ix) = frame.reserved {
                return Some(ix);
            }
            let symbol = self.b.blank(SymbolKind::Variable);
            let ix = self.b.symbol(symbol, frame.node.start() as u32);
            self.frames[at].reserved = Some(ix);
            return Some(ix);
        }
        None
    }

    /// Gives up the symbol that was made early for the frame that was left, if it was not declared: what was to be its
    /// belongs to what is around.
    pub(super) fn drop_reserved(&mut self) {
        if let Some(ix) = self.frames.last_mut().and_then(|frame| frame.reserved.take()) {
            let owner = self.b.at.owner;
            self.b.ghosts.push((ix, owner));
        }
    }

    /// A type without a name, of which an instance is made where its members stand.
    pub(super) fn begin_anonymous(&mut self) {
        let Some(frame) = self.frames.last().copied() else { return };
        let holder = self.holder_around();
        let mut symbol = self.b.blank(SymbolKind::Class);
        let line = self.line(frame.node);
        (symbol.line, symbol.start_line, symbol.end_line) = (line, line, self.end_line(frame.node));
        symbol.flags = flag::ANONYMOUS;
        symbol.extension = None;
        symbol.container = holder.unwrap_or(symbol.container);
        let ix = self.b.symbol(symbol, frame.node.start() as u32);
        if let Some(frame) = self.frames.last_mut() {
            frame.symbol = Some(ix);
        }
        self.enter_symbol(ix, ScopeKind::Type);
        self.b.at.owner = holder.unwrap_or(self.b.at.owner);
    }

    /// Ends a type without a name.
    pub(super) fn end_anonymous(&mut self, frame: &Frame<'d, 'r>, ix: SymbolIx) -> Value {
        self.close_function(ix);
        if let Some(before) = frame.before {
            self.b.at = self.before[before as usize];
            self.before.truncate(before as usize);
        }
        let expr = self.b.expr(Expr::Symbol(ix));
        Value::new(expr, self.line(frame.node), frame.node.start() as u32)
    }

    /// A function without a name, or the one that a definition around is.
    pub(super) fn begin_lambda(&mut self, pattern: &Pattern) {
        let me = self.frames.len() as u32 - 1;
        let frame = self.frames[me as usize];
        let body = self.body_of(&frame);
        let linked = self.linked_symbol(&frame);
        let mut holder = None;
        let ix = match linked {
            Some(ix) => {
                self.b.facts.symbols[ix.ix()].flags |= pattern.settings.flags;
                ix
            }
            None => {
                holder = self.holder_around();
                let mut symbol = self.b.blank(SymbolKind::Function);
                symbol.container = holder.unwrap_or(symbol.container);
                let line = self.line(frame.node);
                (symbol.line, symbol.start_line, symbol.end_line) = (line, line, self.end_line(frame.node));
                symbol.flags = flag::ANONYMOUS | pattern.settings.flags;
                symbol.extension = None;
                self.b.symbol(symbol, frame.node.start() as u32)
            }
        };
        self.b.details[ix.ix()].body = body;
        self.frames[me as usize].symbol = Some(ix);
        let kind = if self.b.facts.symbols[ix.ix()].kind.is_type() { ScopeKind::Type } else { ScopeKind::Function };
        self.enter_symbol(ix, kind);
        self.b.at.owner = holder.unwrap_or(self.b.at.owner);
    }

    /// The symbol of the definition that wants this node as the function that it is.
    pub(super) fn linked_symbol(&self, frame: &Frame<'_, '_>) -> Option<SymbolIx> {
        let mut link = frame.links;
        while link != NONE {
            let found = self.links[link as usize];
            if matches!(found.want, Want::Part(Part::Lambda)) {
                return self.frames[found.frame as usize].symbol;
            }
            link = found.next;
        }
        None
    }

    /// Ends a function: its result, arity and labels.
    pub(super) fn end_function(&mut self, ix: SymbolIx, given: &[Given]) {
        for result in all(given, Part::Result) {
            self.b.flow(Place::Return(ix), result.value.expr);
        }
        let declared = self.declared_type(given);
        let closed = self.close_function(ix);
        let labels = closed.as_ref().filter(|f| !f.labels.is_empty()).map(|f| self.b.names.id(f.labels.as_bytes()));
        let words = self.modifiers(given);
        let symbol = &mut self.b.facts.symbols[ix.ix()];
        symbol.declared = declared.or(symbol.declared);
        symbol.flags |= words;
        if let Some(function) = closed {
            symbol.arity = function.arity;
            symbol.labels = labels.or(symbol.labels);
            if function.has_receiver {
                symbol.flags |= flag::SELF_PARAMETER;
            } else if self.rules.words.static_without_receiver && symbol.kind == SymbolKind::Method {
                symbol.flags |= flag::STATIC;
            }
        }
    }

    /// An object with definitions in it has members, which are not names of the scope around. They belong to the variable
    /// or type whose value it is.
    pub(super) fn begin_object(&mut self) {
        let Some(frame) = self.frames.last().copied() else { return };
        let defines = |number: u16| matches!(self.rules.patterns[usize::from(number)].role, Role::Definition(_));
        let has_members = self.m.children[frame.children()].iter().any(|child| {
            let mut link = child.links;
            while link != NONE {
                let found = self.links[link as usize];
                if matches!(found.want, Want::Role(_)) && defines(found.pattern) {
                    return true;
                }
                link = found.next;
            }
            self.rules.kind(child.kind).own.iter().any(|number| defines(*number))
        });
        if !has_members {
            return;
        }
        let typed = self.typed_by(&frame);
        let Some(symbol) = typed.or_else(|| self.holder_around()) else { return };
        self.remember();
        let scope = self.b.open(ScopeKind::Type, symbol, None);
        let body = &mut self.b.facts.symbols[symbol.ix()].body;
        // A type alias has a scope already, which is around this one.
        *body = if typed.is_some() { Some(scope) } else { body.or(Some(scope)) };
        (self.b.at.symbol, self.b.at.receiver, self.b.at.function) = (symbol, None, None);
    }

    /// The type that wants a node as what it stands for.
    pub(super) fn typed_by(&self, frame: &Frame<'d, 'r>) -> Option<crate::facts::SymbolIx> {
        let mut link = frame.links;
        while link != NONE {
            let found = self.links[link as usize];
            let around = &self.frames[found.frame as usize];
            if matches!(found.want, Want::Part(Part::Value | Part::Type)) {
                return around.symbol.filter(|ix| self.b.facts.symbols[ix.ix()].kind.is_type());
            }
            link = found.next;
        }
        None
    }

    pub(super) fn begin_extension(&mut self) {
        self.remember();
        let Some(frame) = self.frames.last().copied() else { return };
        let line = self.line(frame.node);
        let ix = ExtensionIx(self.b.facts.extensions.len() as u32);
        let symbol = self.b.at.symbol;
        let scope = self.b.open(ScopeKind::Type, symbol, Some(ix));
        (self.b.at.receiver, self.b.at.function) = (None, None);
        self.b.facts.extensions.push(Extension { target: UNKNOWN, implements: None, scope: Some(scope), line });
    }

    pub(super) fn end_extension(&mut self, given: &[Given]) {
        let scope = self.b.at.scope;
        let Some(ix) = self.b.facts.scopes[self.b.type_around(scope).unwrap_or(scope).ix()].extension else { return };
        let target = value_of(given, Part::Target);
        let mut implements =
            all(given, Part::Implements).map(|given| given.value).filter(|value| value.expr != UNKNOWN);
        let first = implements.next();
        let others: Vec<Value> = implements.collect();
        for value in target.iter().chain(&first).chain(&others) {
            self.unsite(value);
        }
        let extension = &mut self.b.facts.extensions[ix.ix()];
        if let Some(target) = target {
            (extension.target, extension.line) = (target.expr, target.line);
        }
        extension.implements = first.map(|value| value.expr);
        for value in others {
            // What an extension promises beyond the first stands in rows of their own, without members.
            let target = Self::or_unknown(target);
            let implements = Some(value.expr);
            self.b.facts.extensions.push(Extension { target, implements, scope: None, line: value.line });
        }
    }
}
