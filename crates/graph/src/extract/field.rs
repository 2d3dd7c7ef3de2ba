//! Fields that are declared by assigning to them, slots, and modules that are assigned to names.

use super::build::{EMPTY, ReceiverField, UNKNOWN};
use super::define::Named;
use super::text::header;
use super::walk::{Frame, Value, Walk};
use crate::facts::{Expr, ExprId, Extension, ExtensionIx, Import, Imported, NameId, SymbolIx, flag};
use crate::kinds::SymbolKind;
use crate::rules::{Part, Pattern, set};

impl<'d, 'r> Walk<'d, '_, 'r> {
    pub(super) fn is_receiver(&self, expr: ExprId) -> bool {
        matches!(self.b.facts.exprs[expr.ix()], Expr::Receiver { .. } | Expr::ReceiverType { .. })
    }

    /// A member of the receiver as a target may be what declares a field.
    pub(super) fn flow_to_member(
        &mut self,
        frame: &Frame<'d, 'r>,
        pattern: &Pattern,
        target: ExprId,
        (base, name): (ExprId, NameId),
        declared: Option<ExprId>,
    ) {
        if pattern.settings.has(set::DECLARES_FIELDS) && self.is_receiver(base) && name != EMPTY {
            let named = self.name_at(frame, name);
            self.receiver_field(frame, target, base, named, declared);
        }
    }

    /// Remembers a field that a member of the receiver may be.
    pub(super) fn receiver_field(
        &mut self,
        frame: &Frame<'d, 'r>,
        target: ExprId,
        base: ExprId,
        named: Named,
        declared: Option<ExprId>,
    ) {
        let is_type = matches!(self.b.facts.exprs[base.ix()], Expr::ReceiverType { .. });
        let Some(scope) = self.b.type_around(self.b.at.scope) else {
            return self.function_field(frame, target, base, named, declared);
        };
        let mut symbol = self.b.blank(SymbolKind::Field);
        symbol.name = named.name;
        symbol.scope = scope;
        symbol.container = self.b.facts.scopes[scope.ix()].owner;
        symbol.line = named.line;
        (symbol.start_line, symbol.end_line) = (self.line(frame.node), self.end_line(frame.node));
        symbol.declared = declared;
        symbol.extension = self.b.facts.scopes[scope.ix()].extension;
        let line = header(self.m.text(frame.node), false);
        symbol.signature = self.b.name(line.as_bytes());
        let text = self.b.names.text(named.name).to_owned();
        symbol.flags = self.flags_of_name(&text) | flag::ASSIGNED | if is_type { flag::STATIC } else { 0 };
        let start = frame.node.start() as u32;
        self.b.receiver_fields.push(ReceiverField { target, scope, name: named.name, symbol, start });
    }

    /// A member of the receiver in a function that is in no type: the function makes instances (JavaScript).
    pub(super) fn function_field(
        &mut self,
        frame: &Frame<'d, 'r>,
        target: ExprId,
        base: ExprId,
        named: Named,
        declared: Option<ExprId>,
    ) {
        let owner = self.b.at.owner;
        if owner == SymbolIx::MODULE || owner != self.b.at.symbol || !self.b.function_fields.insert((owner, named.name))
        {
            return;
        }
        let extension = ExtensionIx(self.b.facts.extensions.len() as u32);
        self.b.facts.extensions.push(Extension { target: base, implements: None, scope: None, line: named.line });
        let mut symbol = self.b.blank(SymbolKind::Field);
        (symbol.name, symbol.line, symbol.declared) = (named.name, named.line, declared);
        (symbol.start_line, symbol.end_line) = (self.line(frame.node), self.end_line(frame.node));
        symbol.extension = Some(extension);
        let line = header(self.m.text(frame.node), false);
        symbol.signature = self.b.name(line.as_bytes());
        self.b.symbol(symbol, frame.node.start() as u32);
        self.b.declared.insert(target);
    }

    /// A module that is assigned to names is an import of it.
    pub(super) fn import_module(&mut self, pattern: &Pattern, target: ExprId, source: Option<ExprId>) -> bool {
        let Some((module, row)) = self.last_module else { return false };
        let Some(mut value) = source.filter(|_| pattern.settings.has(set::DECLARES)) else { return false };
        if let Expr::Await { base } = self.b.facts.exprs[value.ix()] {
            value = base;
        }
        let last = row + 1 == self.b.facts.imports.len();
        if value != module || !last {
            return false;
        }
        let base: Import = self.b.facts.imports[row].clone();
        let scope = self.scope_for(pattern);
        match self.b.facts.exprs[target.ix()] {
            Expr::Name { name, .. } => {
                self.b.facts.imports.pop();
                self.b.declared.insert(target);
                self.b.import(Import { scope, what: Imported::Module, local: Some(name), ..base }, true);
            }
            Expr::Object(args) => {
                self.b.facts.imports.pop();
                for arg in self.items(args) {
                    let Some(key) = arg.name else { continue };
                    if let Expr::Name { name, .. } = self.b.facts.exprs[arg.value.ix()] {
                        self.b.declared.insert(arg.value);
                        let what = Imported::Name(key);
                        self.b.import(Import { scope, what, local: Some(name), ..base.clone() }, true);
                    }
                }
            }
            _ => return false,
        }
        self.last_module = None;
        true
    }

    /// A slot of an object that nobody names: its type is all there is.
    pub(super) fn inline_slot(&mut self, named: Named, declared: Option<ExprId>) {
        let expr = declared.map_or(UNKNOWN, |of| self.b.expr(Expr::Instance { of }));
        self.give_slot(Value { name: Some(named.name), ..Value::new(expr, named.line, named.start) });
    }

    pub(super) fn give_slot(&mut self, value: Value) {
        if let Some(object) = self.object_around() {
            self.give(object, Part::Element, value);
        }
    }

    /// Adds a symbol, in the place of the one that was made early for the frame on top.
    pub(super) fn place_symbol(&mut self, symbol: crate::facts::Symbol, start: u32) -> SymbolIx {
        match self.frames.last_mut().and_then(|frame| frame.reserved.take()) {
            Some(ix) => {
                let body = self.b.facts.symbols[ix.ix()].body;
                self.b.facts.symbols[ix.ix()] = crate::facts::Symbol { body, ..symbol };
                self.b.details[ix.ix()].start = start;
                ix
            }
            None => self.b.symbol(symbol, start),
        }
    }
}
