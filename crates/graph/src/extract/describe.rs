//! What is said of a symbol: flags, header, bases, decorators.

use super::build::{EMPTY, NOWHERE, UNKNOWN};
use super::define::all;
use super::text::header;
use super::walk::{Frame, Given, Value, Walk};
use crate::facts::{Base, Decorator, Expr, ExprId, NameId, ScopeKind, SymbolIx, flag};
use crate::kinds::SymbolKind;
use crate::rules::Part;

impl<'d, 'r> Walk<'d, '_, 'r> {
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

    /// Flags of a definition in a scope of a kind: `static` may mean something else outside types.
    pub(super) fn settled(&self, flags: u32, scope: ScopeKind) -> u32 {
        let private = self.rules.words.static_is_private && scope != ScopeKind::Type && flags & flag::STATIC != 0;
        if private { flags & !flag::STATIC | flag::PRIVATE } else { flags }
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
    pub(super) fn header_start(&self, frame: &Frame<'d, 'r>, start: u32) -> u32 {
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
                Expr::Call { callee: base, .. } | Expr::New { class: base, .. } | Expr::Apply { base, .. } => {
                    expr = base
                }
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
    pub(super) fn open_name(&self, symbol: SymbolIx) -> String {
        let known = self.b.facts.symbols[symbol.ix()].name;
        if known != EMPTY {
            return self.b.names.text(known).to_owned();
        }
        let frame = self.frames.iter().rposition(|frame| frame.symbol == Some(symbol));
        let name = frame.and_then(|at| self.given_to(at as u32).find(|given| given.part == Part::Name)?.text);
        name.map_or_else(String::new, |name| self.b.names.text(name).to_owned())
    }
}
