//! Parameters, and the types that declarations name.

use super::build::{EMPTY, UNKNOWN};
use super::define::{Named, one, value_of};
use super::walk::{Frame, Given, Value, Walk};
use crate::facts::{
    Arg, Expr, ExprId, Flow, NameId, Parameter, ParameterKind, Place, ScopeKind, Target, Variable, VariableIx, flag,
};
use crate::kinds::SymbolKind;
use crate::rules::{Part, Pattern, set};

impl<'d, 'r> Walk<'d, '_, 'r> {
    /// Ends a parameter.
    pub(super) fn end_parameter(&mut self, frame: &Frame<'d, 'r>, pattern: &Pattern, given: &[Given]) -> Option<Value> {
        let settings = &pattern.settings;
        let mut names = self.names_of(frame, pattern, given, Part::Name);
        let mut target = value_of(given, Part::Target);
        if let Some(value) =
            target.filter(|value| !pattern.has_name && matches!(self.b.facts.exprs[value.expr.ix()], Expr::Name { .. }))
        {
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
    pub(super) fn look_outside(&mut self, frame: &Frame<'_, '_>, name: NameId, default: ExprId) {
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
        let method = self.receives();
        let label =
            one(given, Part::Label).and_then(|given| given.text).or(settings.has(set::LABELED).then_some(named.name));
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
    pub(super) fn receives(&mut self) -> Option<bool> {
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

    /// A parameter that is a field of the type around its constructor.
    pub(super) fn parameter_field(
        &mut self,
        frame: &Frame<'d, 'r>,
        pattern: &Pattern,
        named: Named,
        declared: Option<ExprId>,
        variable: VariableIx,
        given: &[Given],
    ) {
        let Some(scope) = self.b.type_around(self.b.at.scope) else { return };
        let text = self.b.names.text(named.name).trim_start_matches('$').to_owned();
        let name = self.b.name(text.as_bytes());
        let mut symbol = self.b.blank(SymbolKind::Field);
        symbol.name = name;
        symbol.scope = scope;
        symbol.container = self.b.facts.scopes[scope.ix()].owner;
        symbol.line = named.line;
        (symbol.start_line, symbol.end_line) = (self.line(frame.node), self.end_line(frame.node));
        symbol.declared = declared;
        symbol.flags = pattern.settings.flags | self.modifiers(given) | self.flags_of_name(&text);
        symbol.signature = self.signature(frame, frame.node.start() as u32, super::build::NOWHERE);
        let ix = self.b.symbol(symbol, frame.node.start() as u32);
        self.b.bind(scope, name, Target::Symbol(ix));
        let scope = self.b.at.scope;
        let name = self.b.facts.variables[variable.ix()].name;
        let value = self.b.expr(Expr::Name { scope, name });
        self.b.flow(Place::Symbol(ix), value);
    }
}
