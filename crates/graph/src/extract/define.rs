//! Definitions, parameters and what belongs to them.

use super::build::{EMPTY, Function, NOWHERE, Position, UNKNOWN};
use super::matching::NONE;
use super::walk::{Frame, Given, OWN, Value, Walk};
use crate::facts::{Bound, Expr, Extension, ExtensionIx, NameId, Place, ScopeId, ScopeKind, SymbolIx, Target, flag};
use crate::kinds::SymbolKind;
use crate::rules::{Part, Pattern, Role, set};

/// The first part of this kind.
pub(super) fn one(given: &[Given], part: Part) -> Option<&Given> {
    given.iter().find(|given| given.part == part)
}

/// The value of the first part of this kind that has one.
pub(super) fn value_of(given: &[Given], part: Part) -> Option<Value> {
    all(given, part).map(|given| given.value).find(|value| value.expr != UNKNOWN)
}

/// All parts of this kind.
pub(super) fn all(given: &[Given], part: Part) -> impl Iterator<Item = &Given> {
    given.iter().filter(move |given| given.part == part)
}

/// A name with its place.
#[derive(Clone, Copy)]
pub(super) struct Named {
    pub name: NameId,
    pub line: u32,
    pub start: u32,
}

/// What is around a definition and says something about it.
#[derive(Default)]
pub(super) struct Around {
    pub flags: u32,
    pub start: Option<u32>,
    pub start_line: Option<u32>,
}

impl<'d, 'r> Walk<'d, '_, 'r> {
    /// The names that a node declares: its parts, the constant of its pattern, else its own text.
    pub(super) fn names_of(
        &mut self,
        frame: &Frame<'_, '_>,
        pattern: &Pattern,
        given: &[Given],
        part: Part,
    ) -> Vec<Named> {
        if let Some((_, text)) = pattern.settings.constants.iter().find(|(known, _)| *known == part) {
            let name = self.b.name(text.as_bytes());
            return vec![Named { name, line: self.line(frame.node), start: frame.node.start() as u32 }];
        }
        let named = |given: &Given| {
            let Given { text, value, .. } = *given;
            text.map(|name| Named { name, line: value.line, start: value.start })
        };
        all(given, part).filter_map(named).collect()
    }

    /// The node's own text as a name.
    pub(super) fn own_name(&mut self, frame: &Frame<'_, '_>, part: Part) -> Named {
        let text = super::text::plain(self.m.text(frame.node), part);
        let name = self.b.name(text);
        Named { name, line: self.line(frame.node), start: frame.node.start() as u32 }
    }

    /// Remembers where the walk is, to come back when the node on top is left.
    pub(super) fn remember(&mut self) {
        let before = self.before.len() as u32;
        self.before.push(self.b.at);
        if let Some(frame) = self.frames.last_mut() {
            frame.before.get_or_insert(before);
        }
    }

    /// Goes back to where the walk was before a node.
    pub(super) fn restore(&mut self, before: u32, frame: &Frame<'_, '_>, pattern: &Pattern) {
        let inside = self.b.at.scope;
        self.b.at = self.before[before as usize];
        self.before.truncate(before as usize);
        // What shadows opens a scope that goes on behind its node.
        let declares = pattern.settings.has(set::SHADOWS) && frame.symbol.is_none();
        if declares && self.b.facts.scopes[inside.ix()].parent == self.b.at.scope {
            self.b.at.scope = inside;
        }
    }

    /// What decorated and exported nodes around the node on top say about it. Their decorators go to it.
    pub(super) fn around(&mut self, me: u32) -> Around {
        let mut around = Around::default();
        let scope = self.b.at.scope;
        for at in (me.saturating_sub(5)..me).rev() {
            let frame = self.frames[at as usize];
            let Some(pattern) = frame.pattern else { continue };
            if !matches!(pattern.role, Role::Decorated | Role::Exported)
                || frame.before.is_some_and(|_| scope == ScopeId::FILE)
            {
                break;
            }
            around.flags |= pattern.settings.flags;
            if pattern.role == Role::Exported {
                around.flags |= flag::EXPORTED;
                if pattern.settings.has(set::DEFAULT) {
                    around.flags |= flag::DEFAULT_EXPORT;
                }
            }
            around.start = Some(frame.start);
            around.start_line = Some(self.line(frame.node));
            let mut decorators = Vec::new();
            for given in &mut self.given[frame.given as usize..] {
                if given.is_for(at, Part::Decorator) {
                    decorators.push(given.value);
                    given.part = Part::Ignore;
                }
            }
            for value in decorators {
                self.give(me, Part::Decorator, value);
            }
        }
        around
    }

    /// Begins a definition: what it makes a symbol for has that symbol from here on.
    pub(super) fn begin_definition(&mut self, pattern: &Pattern, kind: SymbolKind) {
        let me = self.frames.len() as u32 - 1;
        let around = self.around(me);
        for (_, value) in std::mem::take(&mut self.pending) {
            self.give(me, Part::Decorator, value);
        }
        let frame = self.frames[me as usize];
        let flags = pattern.settings.flags | around.flags;
        let body = self.body_of(&frame);
        let header = self.header_node(&frame);
        let start = around.start.unwrap_or(header.start() as u32);
        {
            let frame = &mut self.frames[me as usize];
            (frame.flags, frame.body, frame.start) = (flags, body, start);
        }
        let scope_kind = opens(kind, flags & flag::ACCESSOR != 0, pattern.settings.has(set::SCOPE));
        let Some(scope_kind) = scope_kind else { return };
        if let Some(ix) = self.linked_symbol(&frame) {
            self.frames[me as usize].symbol = Some(ix);
            self.b.details[ix.ix()].body = body;
            self.b.facts.symbols[ix.ix()].flags |= flags & !flag::ANONYMOUS;
            return self.enter_symbol(ix, scope_kind);
        }
        let (scope_around, _) = self.b.kind_around(self.b.at.scope);
        let kind =
            if kind == SymbolKind::Function && scope_around == ScopeKind::Type { SymbolKind::Method } else { kind };
        let mut symbol = self.b.blank(kind);
        symbol.start_line = around.start_line.unwrap_or_else(|| self.line(header));
        symbol.end_line = self.end_line(frame.node);
        symbol.flags = flags;
        let ix = self.b.symbol(symbol, start);
        self.b.details[ix.ix()].body = body;
        self.frames[me as usize].symbol = Some(ix);
        if pattern.settings.has(set::INNER) {
            // A scope for the name alone, since members do not see the names of their type everywhere.
            self.remember();
            let symbol = self.b.at.symbol;
            self.b.open(ScopeKind::Block, symbol, None);
        }
        if !pattern.has_lambda && !pattern.settings.has(set::BODILESS) {
            self.enter_symbol(ix, scope_kind);
        }
    }

    /// First byte of the body of a node.
    pub(super) fn body_of(&self, frame: &Frame<'_, '_>) -> u32 {
        if frame.body != NOWHERE {
            return frame.body;
        }
        let Some(field) = self.rules.body else { return NOWHERE };
        let body = self.m.children[frame.children()].iter().find(|child| child.field == field);
        body.map_or(NOWHERE, |child| child.node.start() as u32)
    }

    /// Opens the scope of a symbol and goes there.
    pub(super) fn enter_symbol(&mut self, ix: SymbolIx, kind: ScopeKind) {
        self.remember();
        let flags = self.b.facts.symbols[ix.ix()].flags;
        let scope = self.b.open(kind, ix, None);
        self.b.facts.symbols[ix.ix()].body = Some(scope);
        self.b.at.symbol = ix;
        if flags & flag::ANONYMOUS == 0 {
            self.b.at.owner = ix;
        }
        match kind {
            ScopeKind::Function => self.b.open_function(ix, scope, false),
            ScopeKind::Type => {
                self.b.at.receiver = None;
                self.b.open_function(ix, scope, true);
            }
            _ => self.b.at.function = None,
        }
        for (name, bounds) in std::mem::take(&mut self.pending_types) {
            self.b.bind(scope, name, Target::TypeParameter);
            self.b.facts.bounds.extend(bounds.into_iter().map(|bound| Bound { scope, name, bound }));
        }
    }

    /// Closes the function of a frame, if it is the last one; gives what is known of its parameters.
    pub(super) fn close_function(&mut self, ix: SymbolIx) -> Option<Function> {
        self.b.functions.pop_if(|function| function.symbol == ix)
    }

    /// Ends a definition of what has a scope of its own.
    pub(super) fn end_definition(
        &mut self,
        frame: &Frame<'d, 'r>,
        pattern: &Pattern,
        given: &[Given],
        ix: SymbolIx,
    ) -> Value {
        self.end_function(ix, given);
        let inside = self.b.at;
        let outside = frame.before.map_or(inside, |before| self.before[before as usize]);
        let part = if self.b.facts.symbols[ix.ix()].kind == SymbolKind::Test { Part::Title } else { Part::Name };
        let mut names = self.names_of(frame, pattern, given, part);
        if names.is_empty() && part == Part::Title {
            names = self.names_of(frame, pattern, given, Part::Name);
        }
        if self.linked_symbol(frame).is_some() {
            return self.end_linked(frame, given, ix, names.first().copied());
        }
        let mut flags = self.modifiers(given) | self.b.facts.symbols[ix.ix()].flags;
        let named = names.first().copied().filter(|named| named.name != EMPTY);
        if named.is_none() {
            flags |= flag::ANONYMOUS;
        }
        let name =
            named.unwrap_or(Named { name: EMPTY, line: self.line(frame.node), start: frame.node.start() as u32 });
        let text = self.b.names.text(name.name).to_owned();
        flags |= self.flags_of_name(&text);
        let words = &self.rules.words;
        let mut kind = self.b.facts.symbols[ix.ix()].kind;
        if kind == SymbolKind::Method && words.constructors.contains(&text) {
            kind = SymbolKind::Constructor;
        }
        if words.class_methods.contains(&text) && kind == SymbolKind::Method {
            flags |= flag::CLASS_METHOD;
        }
        let body = self.b.details[ix.ix()].body;
        let bodiless = body == NOWHERE && one(given, Part::Result).is_none();
        let container = self.b.facts.symbols[ix.ix()].container;
        let container_kind = self.b.facts.symbols[container.ix()].kind;
        if bodiless && kind.is_callable() && kind != SymbolKind::Macro {
            if matches!(container_kind, SymbolKind::Interface | SymbolKind::Trait) {
                flags |= flag::ABSTRACT;
            } else if words.declarations {
                flags |= flag::DECLARATION;
            }
        }
        if kind == SymbolKind::Test {
            flags |= flag::TEST;
        }
        let extension = self.owner_of(frame, given, &mut kind);
        let (around, _) = self.b.kind_around(outside.scope);
        let frame_scope = self.b.facts.scopes[outside.scope.ix()].kind;
        let flags = if extension.is_some() { flags } else { self.settled(flags, around) };
        let signature = self.signature(frame, frame.start, body);
        let symbol = &mut self.b.facts.symbols[ix.ix()];
        (symbol.name, symbol.line, symbol.kind, symbol.flags, symbol.signature) =
            (name.name, name.line, kind, flags, signature);
        symbol.extension = extension.or(symbol.extension);
        self.decorate(ix, given);
        self.bases(ix, given);
        self.test_and_entry(ix, &text);
        self.b.at = outside;
        if named.is_some() {
            self.bind_definition(frame, pattern, ix, &outside);
        }
        self.export_definition(pattern, ix, name.name);
        self.b.at = inside;
        if let (Some(value), true) = (value_of(given, Part::Value), kind == SymbolKind::Type) {
            self.b.facts.symbols[ix.ix()].declared.get_or_insert(value.expr);
        } else if let Some(value) = value_of(given, Part::Value) {
            self.b.flow(Place::Symbol(ix), value.expr);
        }
        let expr = self.b.expr(Expr::Symbol(ix));
        if self.is_slot(frame) && bodiless && frame_scope != ScopeKind::Type {
            // A promise in an object that nobody names is nothing to look for.
            let symbol = &mut self.b.facts.symbols[ix.ix()];
            (symbol.name, symbol.flags) = (EMPTY, symbol.flags | flag::ANONYMOUS);
        }
        Value { name: Some(name.name), ..Value::new(expr, name.line, frame.node.start() as u32) }
    }

    /// Ends a node that a definition around it is: its name is known inside only.
    fn end_linked(&mut self, frame: &Frame<'d, 'r>, given: &[Given], ix: SymbolIx, name: Option<Named>) -> Value {
        self.decorate(ix, given);
        self.bases(ix, given);
        if let (Some(name), Some(scope)) = (name, self.b.facts.symbols[ix.ix()].body) {
            self.b.bind(scope, name.name, Target::Symbol(ix));
        }
        let expr = self.b.expr(Expr::Symbol(ix));
        Value::new(expr, self.line(frame.node), frame.node.start() as u32)
    }

    /// Marks the definition whose place this one takes: one of the same name, before it in the same list of statements.
    fn replace(&mut self, scope: ScopeId, name: NameId, ix: SymbolIx) {
        let mut around = self.frames.iter().rev().skip(1);
        let is_wrapper = |frame: &&Frame<'_, '_>| {
            frame.pattern.is_some_and(|pattern| matches!(pattern.role, Role::Decorated | Role::Exported))
        };
        let Some(list) = around.find(|frame| !is_wrapper(frame)) else { return };
        let before = self.b.defined.insert((scope, name, list.node.id()), ix);
        let apart = flag::DECLARATION | flag::PARTIAL | flag::ACCESSOR;
        let is_apart = |ix: SymbolIx| self.b.facts.symbols[ix.ix()].flags & apart != 0;
        if let Some(before) = before.filter(|before| *before != ix && !is_apart(*before) && !is_apart(ix)) {
            self.b.facts.symbols[before.ix()].flags |= flag::REPLACED;
        }
    }

    /// Binds the name of a definition where it belongs.
    fn bind_definition(&mut self, frame: &Frame<'_, '_>, pattern: &Pattern, ix: SymbolIx, outside: &Position) {
        let settings = &pattern.settings;
        let symbol = &self.b.facts.symbols[ix.ix()];
        let name = symbol.name;
        let own = symbol.body;
        let elsewhere = symbol.extension.is_some_and(|x| self.b.facts.extensions[x.ix()].scope.is_none());
        let in_object = self.b.facts.scopes[outside.scope.ix()].kind == ScopeKind::Type;
        if settings.has(set::UNBOUND) || elsewhere || self.is_slot(frame) && !in_object {
            return;
        }
        let scope = match (settings.has(set::INNER), own) {
            (true, Some(own)) => self.b.facts.scopes[own.ix()].parent,
            _ => outside.scope,
        };
        self.b.facts.symbols[ix.ix()].scope = scope;
        let accessor = |ix: SymbolIx| self.b.facts.symbols[ix.ix()].flags & flag::ACCESSOR != 0;
        let known = self.b.bound(scope, name).filter(|_| accessor(ix));
        if let Some(Target::Symbol(first)) = known.filter(|known| matches!(known, Target::Symbol(ix) if accessor(*ix)))
        {
            // A getter and its setter are one.
            let last = self.b.facts.symbols[ix.ix()].end_line;
            let symbol = &mut self.b.facts.symbols[first.ix()];
            symbol.end_line = symbol.end_line.max(last);
            return self.b.ghosts.push((ix, first));
        }
        if self.rules.words.later_replaces {
            self.replace(scope, name, ix);
        }
        self.b.bind(scope, name, Target::Symbol(ix));
        if settings.has(set::OUTSIDE) {
            self.b.bind(self.outside_type(scope), name, Target::Symbol(ix));
        }
    }

    /// The scope around the type that a scope is in.
    pub(super) fn outside_type(&self, scope: ScopeId) -> ScopeId {
        let around = self.b.type_around(scope);
        around.map_or(scope, |scope| self.b.facts.scopes[scope.ix()].parent)
    }

    /// Whether a definition is a slot of an object around it.
    pub(super) fn is_slot(&self, frame: &Frame<'_, '_>) -> bool {
        let below = self.frames.iter().rposition(|open| open.node == frame.node && open.number == frame.number);
        let around = self.frames[..below.unwrap_or(0)].iter().rev().find_map(|frame| frame.pattern);
        around.is_some_and(|pattern| pattern.role == Role::Object)
    }

    /// The type that a definition belongs to without being inside.
    pub(super) fn owner_of(
        &mut self,
        frame: &Frame<'_, '_>,
        given: &[Given],
        kind: &mut SymbolKind,
    ) -> Option<ExtensionIx> {
        let owner = value_of(given, Part::Owner)?;
        self.unsite(&owner);
        if *kind == SymbolKind::Function {
            *kind = SymbolKind::Method;
        }
        let line = self.line(frame.node);
        let ix = ExtensionIx(self.b.facts.extensions.len() as u32);
        self.b.facts.extensions.push(Extension { target: owner.expr, implements: None, scope: None, line });
        Some(ix)
    }

    /// Says that a name is no use where it stands, since something else stands for it.
    pub(super) fn unsite(&mut self, value: &Value) {
        if value.site != NONE {
            self.b.declared.insert(self.b.facts.sites[value.site as usize].expr);
        }
    }
}

impl Given {
    /// Whether it is this part of that frame.
    fn is_for(&self, frame: u32, part: Part) -> bool {
        self.part == part && self.belongs_to(frame, OWN)
    }
}

/// What kind of scope a definition opens, if any.
fn opens(kind: SymbolKind, accessor: bool, scope: bool) -> Option<ScopeKind> {
    match kind {
        kind if kind.is_type() => Some(ScopeKind::Type),
        SymbolKind::Module | SymbolKind::Namespace => Some(ScopeKind::Namespace),
        kind if kind.is_callable() => Some(ScopeKind::Function),
        _ if accessor => Some(ScopeKind::Function),
        _ if scope => Some(ScopeKind::Type),
        _ => None,
    }
}
