//! Definitions, parameters and what belongs to them.

use super::build::{EMPTY, Function, NOWHERE, Position, UNKNOWN};
use super::matching::NONE;
use super::text::header;
use super::walk::{Frame, Given, OWN, Value, Walk, Want};
use crate::facts::{
    Arg, Base, Bound, Decorator, Expr, ExprId, Extension, ExtensionIx, Flow, NameId, Parameter, ParameterKind, Place, ScopeId,
    ScopeKind, SymbolIx, Target, Variable, flag,
};
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
    pub(super) fn names_of(&mut self, frame: &Frame<'_, '_>, pattern: &Pattern, given: &[Given], part: Part) -> Vec<Named> {
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
            if !matches!(pattern.role, Role::Decorated | Role::Exported) || frame.before.is_some_and(|_| scope == ScopeId::FILE) {
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
        let kind = if kind == SymbolKind::Function && scope_around == ScopeKind::Type { SymbolKind::Method } else { kind };
        let mut symbol = self.b.blank(kind);
        symbol.start_line = around.start_line.unwrap_or_else(|| self.line(header));
        symbol.end_line = self.end_line(frame.node);
        symbol.flags = flags;
        let ix = self.b.symbol(symbol, start);
        self.b.details[ix.ix()].body = body;
        self.frames[me as usize].symbol = Some(ix);
        if !pattern.has_lambda && !pattern.settings.has(set::BODILESS) {
            self.enter_symbol(ix, scope_kind);
        }
    }

    /// First byte of the body of a node.
    fn body_of(&self, frame: &Frame<'_, '_>) -> u32 {
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
    pub(super) fn begin_anonymous(&mut self, _made_by: u32) {
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

    /// Flags that modifiers stand for.
    pub(super) fn modifiers(&self, given: &[Given]) -> u32 {
        let mut flags = 0;
        for text in all(given, Part::Modifiers).filter_map(|given| given.text) {
            for word in self.b.names.text(text).split_whitespace() {
                flags |= self.rules.words.modifiers.get(word).copied().unwrap_or_default();
            }
        }
        flags
    }

    /// Ends a definition of what has a scope of its own.
    pub(super) fn end_definition(&mut self, frame: &Frame<'d, 'r>, pattern: &Pattern, given: &[Given], ix: SymbolIx) -> Value {
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
        let name = named.unwrap_or(Named { name: EMPTY, line: self.line(frame.node), start: frame.node.start() as u32 });
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
            (true, Some(own)) => own,
            _ if settings.has(set::OUTSIDE) => self.outside_type(outside.scope),
            _ => outside.scope,
        };
        self.b.facts.symbols[ix.ix()].scope = scope;
        let accessor = |ix: SymbolIx| self.b.facts.symbols[ix.ix()].flags & flag::ACCESSOR != 0;
        if let Some(Target::Symbol(first)) = self.b.bound(scope, name).filter(|_| accessor(ix)) {
            if accessor(first) {
                // A getter and its setter are one.
                let last = self.b.facts.symbols[ix.ix()].end_line;
                let symbol = &mut self.b.facts.symbols[first.ix()];
                symbol.end_line = symbol.end_line.max(last);
                return self.b.ghosts.push((ix, first));
            }
        }
        self.b.bind(scope, name, Target::Symbol(ix));
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
    pub(super) fn owner_of(&mut self, frame: &Frame<'_, '_>, given: &[Given], kind: &mut SymbolKind) -> Option<ExtensionIx> {
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

    /// Flags of a definition in a scope of a kind: `static` may mean something else outside types.
    pub(super) fn settled(&self, flags: u32, scope: ScopeKind) -> u32 {
        let private = self.rules.words.static_is_private && scope != ScopeKind::Type && flags & flag::STATIC != 0;
        if private { flags & !flag::STATIC | flag::PRIVATE } else { flags }
    }

    /// What a name alone says.
    pub(super) fn flags_of_name(&self, name: &str) -> u32 {
        if self.rules.words.capitals_are_exported {
            let exported = name.chars().next().is_some_and(char::is_uppercase);
            return if exported { flag::EXPORTED } else { flag::PRIVATE };
        }
        let prefix = &self.rules.words.private_prefix;
        let private = !prefix.is_empty() && name.starts_with(prefix.as_str()) && !name.ends_with("__");
        if private { flag::PRIVATE } else { 0 }
    }

    /// The header of a definition.
    pub(super) fn signature(&mut self, frame: &Frame<'d, 'r>, start: u32, body: u32) -> NameId {
        let end = frame.node.end() as u32;
        let has_body = body != NOWHERE && body > start && body <= end;
        let first = self.header_start(frame, start);
        let stop = if has_body { body } else { end };
        let text = self.m.source.get(first as usize..stop as usize).unwrap_or_default();
        let line = header(text, has_body);
        self.b.name(line.as_bytes())
    }

    /// Where a definition begins without its decorators: at its node, or at what it shares its header with.
    fn header_start(&self, frame: &Frame<'d, 'r>, start: u32) -> u32 {
        (self.header_node(frame).start() as u32).max(start)
    }

    /// Base types of a type.
    pub(super) fn bases(&mut self, symbol: SymbolIx, given: &[Given]) {
        for part in [Part::Base, Part::Implements] {
            for value in self.typed(given, part) {
                self.unsite(&value);
                let implements = part == Part::Implements;
                // A definition and the node that it is may both name a base.
                let known = |base: &Base| base.symbol == symbol && base.base == value.expr;
                if self.b.facts.bases.iter().rev().take(8).any(known) {
                    continue;
                }
                self.b.facts.bases.push(Base { symbol, base: value.expr, implements, line: value.line });
            }
        }
    }

    /// Decorators of a symbol, and the flags that they stand for.
    pub(super) fn decorate(&mut self, symbol: SymbolIx, given: &[Given]) {
        let words = &self.rules.words;
        let mut flags = 0;
        for given in all(given, Part::Decorator) {
            let Some(path) = self.path_of(given.value.expr) else { continue };
            let last = path.rsplit('.').next().unwrap_or_default();
            let among = |set: &rustc_hash::FxHashSet<String>| set.contains(last) || set.contains(path.as_str());
            let mut known = false;
            for (set, flag) in [
                (&words.static_decorators, flag::STATIC),
                (&words.class_decorators, flag::CLASS_METHOD),
                (&words.accessor_decorators, flag::ACCESSOR),
                (&words.test_attributes, flag::TEST),
                (&words.entry_attributes, flag::ENTRY),
            ] {
                if among(set) {
                    flags |= flag;
                    known = true;
                }
            }
            if !known && words.entry_decorated {
                flags |= flag::DECORATED;
            }
        }
        for given in all(given, Part::Decorator).filter(|given| given.value.expr != UNKNOWN) {
            self.unsite(&given.value);
            let Value { expr, line, .. } = given.value;
            self.b.facts.decorators.push(Decorator { symbol, value: expr, line });
        }
        let symbol = &mut self.b.facts.symbols[symbol.ix()];
        symbol.flags |= flags;
        if flags & flag::ACCESSOR != 0 && symbol.kind == SymbolKind::Method {
            symbol.kind = SymbolKind::Property;
        }
    }

    /// The dotted text of a name, a member, or what is called.
    pub(super) fn path_of(&self, mut expr: ExprId) -> Option<String> {
        let mut parts = Vec::new();
        loop {
            match self.b.facts.exprs[expr.ix()] {
                Expr::Name { name, .. } => {
                    parts.push(self.b.names.text(name));
                    break;
                }
                Expr::Member { base, name } => {
                    parts.push(self.b.names.text(name));
                    expr = base;
                }
                Expr::Call { callee: base, .. } | Expr::New { class: base, .. } | Expr::Apply { base, .. } => expr = base,
                _ => break,
            }
        }
        parts.reverse();
        (!parts.is_empty()).then(|| parts.join("."))
    }

    /// Whether a symbol is a test, or runs without a caller in sight.
    pub(super) fn test_and_entry(&mut self, ix: SymbolIx, name: &str) {
        let words = &self.rules.words;
        let symbol = &self.b.facts.symbols[ix.ix()];
        let mut flags = 0;
        if words.entry_names.fit_name(name) {
            flags |= flag::ENTRY;
        }
        if self.is_test_file && symbol.kind.is_callable() && words.test_names.fit_name(name) {
            let container = &self.b.facts.symbols[symbol.container.ix()];
            let is_test = match container.kind {
                kind if kind.is_type() => {
                    let name = self.open_name(symbol.container);
                    words.test_types.is_empty() || words.test_types.fit_name(&name)
                }
                kind => matches!(kind, SymbolKind::Module | SymbolKind::Namespace),
            };
            flags |= if is_test { flag::TEST } else { 0 };
        }
        self.b.facts.symbols[ix.ix()].flags |= flags;
    }

    /// The name of a symbol that may still be open.
    fn open_name(&self, symbol: SymbolIx) -> String {
        let known = self.b.facts.symbols[symbol.ix()].name;
        if known != EMPTY {
            return self.b.names.text(known).to_owned();
        }
        let frame = self.frames.iter().rposition(|frame| frame.symbol == Some(symbol));
        let name = frame.and_then(|at| self.given_to(at as u32).find(|given| given.part == Part::Name)?.text);
        name.map_or_else(String::new, |name| self.b.names.text(name).to_owned())
    }

    /// Ends a parameter.
    pub(super) fn end_parameter(&mut self, frame: &Frame<'d, 'r>, pattern: &Pattern, given: &[Given]) -> Option<Value> {
        let settings = &pattern.settings;
        let mut names = self.names_of(frame, pattern, given, Part::Name);
        let mut target = value_of(given, Part::Target);
        if let Some(value) = target.filter(|value| !pattern.has_name && matches!(self.b.facts.exprs[value.expr.ix()], Expr::Name { .. })) {
            // What was to be taken apart is a bare name.
            if let Expr::Name { name, .. } = self.b.facts.exprs[value.expr.ix()] {
                self.b.declared.insert(value.expr);
                names.push(Named { name, line: value.line, start: value.start });
                target = None;
            }
        }
        if names.is_empty() && target.is_none() {
            let own = !pattern.has_name && one(given, Part::Target).is_none();
            let none = Named { name: EMPTY, line: self.line(frame.node), start: frame.node.start() as u32 };
            names.push(if own { self.own_name(frame, Part::Name) } else { none });
        }
        let declared = self.declared_type(given);
        let default = value_of(given, Part::Value);
        let has_default = one(given, Part::Value).is_some() || settings.has(set::OPTIONAL);
        if let (true, Some(default), [named]) = (settings.has(set::OUTSIDE), default, &names[..]) {
            self.look_outside(frame, named.name, default.expr);
        }
        let place = Named { name: EMPTY, line: self.line(frame.node), start: frame.node.start() as u32 };
        if let Some(target) = target {
            // A parameter that is taken apart has a name that no text can have.
            let number = self.b.function().map_or(0, |function| function.parameters);
            let name = self.b.name(format!("#{number}").as_bytes());
            let variable = self.parameter(pattern, Named { name, ..place }, declared, has_default, given);
            let source = self.b.name_expr(name);
            self.take_apart(frame, pattern, target.expr, Some(source), None);
            if let Some(default) = default {
                self.b.facts.flows.push(Flow { to: Place::Variable(variable), value: default.expr });
            }
            return None;
        }
        for named in names {
            let variable = self.parameter(pattern, named, declared, has_default, given);
            if let Some(default) = default {
                self.b.flow(Place::Variable(variable), default.expr);
            }
            if settings.has(set::FIELD) {
                self.parameter_field(frame, pattern, named, declared, variable, given);
            }
        }
        None
    }

    /// The type of a declaration, with its arguments where they stand beside it.
    pub(super) fn declared_type(&mut self, given: &[Given]) -> Option<ExprId> {
        self.typed(given, Part::Type).first().map(|value| value.expr)
    }

    /// Parts that are types, each with the arguments that stand behind it.
    pub(super) fn typed(&mut self, given: &[Given], part: Part) -> Vec<Value> {
        let mut types = Vec::new();
        for (number, found) in given.iter().enumerate().filter(|(_, found)| found.part == part) {
            if found.value.expr == UNKNOWN {
                continue;
            }
            let behind = given[number + 1..].iter();
            let args: Vec<Arg> = behind
                .take_while(|given| !matches!(given.part, Part::Type | Part::Base | Part::Implements))
                .filter(|given| given.part == Part::TypeArgument)
                .map(|given| Arg { name: None, value: given.value.expr, spread: false })
                .collect();
            let mut value = found.value;
            if !args.is_empty() {
                let args = self.b.args(args);
                value.expr = self.b.expr(Expr::Apply { base: value.expr, args });
            }
            types.push(value);
        }
        types
    }

    /// The default of a parameter is worked out outside its function: there its own name means something else.
    fn look_outside(&mut self, frame: &Frame<'_, '_>, name: NameId, default: ExprId) {
        let inside = self.b.at.scope;
        let outside = self.b.facts.scopes[inside.ix()].parent;
        let made = self.b.facts.exprs.get_mut(frame.exprs as usize..=default.ix());
        for expr in made.into_iter().flatten() {
            if *expr == (Expr::Name { scope: inside, name }) {
                *expr = Expr::Name { scope: outside, name };
            }
        }
    }

    /// A parameter of the function around, or a variable where there is none.
    pub(super) fn parameter(
        &mut self,
        pattern: &Pattern,
        named: Named,
        declared: Option<ExprId>,
        has_default: bool,
        given: &[Given],
    ) -> crate::facts::VariableIx {
        let settings = &pattern.settings;
        let scope = self.b.at.scope;
        let is_block = self.b.facts.scopes[scope.ix()].kind == ScopeKind::Block;
        let first = self.rules.words.first_is_receiver;
        let method = self.receives(named.name);
        let label = one(given, Part::Label).and_then(|given| given.text).or(settings.has(set::LABELED).then_some(named.name));
        let label = label.map(|label| self.b.names.text(label).to_owned());
        let Some(function) = self.b.function().filter(|_| !is_block) else {
            return self.b.variable(scope, Variable { name: named.name, declared, parameter: None });
        };
        let index = function.parameters;
        let kind = if settings.has(set::RECEIVER) || first && index == 0 && method.is_some() {
            ParameterKind::Receiver
        } else if settings.has(set::REST) {
            ParameterKind::Rest
        } else if settings.has(set::REST_KEYWORDS) {
            ParameterKind::RestKeywords
        } else if settings.has(set::KEYWORD) {
            ParameterKind::Keyword
        } else {
            ParameterKind::Plain
        };
        function.parameters += 1;
        let (required, most) = &mut function.arity;
        match kind {
            ParameterKind::Rest | ParameterKind::RestKeywords => *most = u16::MAX,
            _ => {
                *most = most.saturating_add(1);
                *required += u16::from(!has_default);
            }
        }
        function.has_receiver |= kind == ParameterKind::Receiver;
        if let Some(label) = label {
            function.labels.push_str(&label);
            function.labels.push(':');
        }
        let (symbol, scope) = (function.symbol, function.scope);
        if kind == ParameterKind::Receiver {
            self.b.at.receiver = Some((named.name, method == Some(true)));
        } else if self.b.at.receiver.is_some_and(|(name, _)| name == named.name) {
            self.b.at.receiver = None;
        }
        let parameter = Some(Parameter { function: symbol, index, kind });
        self.b.variable(scope, Variable { name: named.name, declared, parameter })
    }

    /// Whether the function around is a method that is handed its receiver first, and whether that is the type.
    fn receives(&mut self, _name: NameId) -> Option<bool> {
        let function = self.b.function().filter(|function| !function.is_type && function.parameters == 0)?.symbol;
        let symbol = &self.b.facts.symbols[function.ix()];
        if symbol.kind != SymbolKind::Method || symbol.flags & flag::STATIC != 0 {
            return None;
        }
        let frame = self.frames.iter().rposition(|frame| frame.symbol == Some(function))? as u32;
        let words = &self.rules.words;
        let decorators: Vec<ExprId> =
            self.given_to(frame).filter(|given| given.part == Part::Decorator).map(|given| given.value.expr).collect();
        let mut is_type = words.class_methods.contains(&self.open_name(function));
        for path in decorators.into_iter().filter_map(|decorator| self.path_of(decorator)) {
            if words.static_decorators.contains(&path) {
                return None;
            }
            is_type |= words.class_decorators.contains(&path);
        }
        Some(is_type)
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
