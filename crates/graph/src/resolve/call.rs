//! What calling something does: where arguments go and what comes back.

use vise_syntax::rules::ModuleSystem;

use crate::facts::{Arg, Args, Expr, ExprId, Parameter, ParameterKind, ScopeKind, VariableIx, flag, literal};
use crate::kinds::{Evidence, SymbolKind};
use crate::resolution::GlobalSymbol;

use super::eval::Eval;
use super::hierarchy::Members;
use super::value::{Entry, Set, Slot, Value};
use super::world::last_name;

impl Eval<'_, '_> {
    /// Whether a symbol is a type, or may be used like one.
    pub(crate) fn makes_instances(&self, symbol: GlobalSymbol) -> bool {
        let kind = self.world.kind(symbol);
        kind.is_type() || kind == SymbolKind::Function
    }

    /// The value of a call. Arguments go to the parameters of whatever is called.
    pub(crate) fn call(&mut self, id: ExprId, callee: ExprId, args: Args) -> Set {
        let callees = self.fitting(self.value(callee), args);
        let mut set = Set::default();
        if let Expr::Member { base, name } = self.facts.expr(callee) {
            self.add_elements(base, self.file.atom(name), args);
            set.join(&self.known_result(callee, base));
        }
        set.join(&self.outside_call(id, callee, args));
        set.join(&self.wrapped(callee, args));
        let takes_out = self.takes_out(callee);
        for entry in callees {
            match entry.value {
                Value::Symbol(_) | Value::Bound(_) if takes_out => {
                    set.join(&Set::one(entry.value, entry.via).handed_over());
                }
                Value::Symbol(symbol) => {
                    let kind = self.world.kind(symbol);
                    if kind.is_callable() {
                        self.pass_arguments(symbol, args, false);
                        match self.constructed_by(symbol) {
                            Some(class) => {
                                set.add(Value::Instance(class, true), Evidence::Receiver);
                            }
                            None => {
                                set.join(&self.result_of(symbol));
                            }
                        }
                    } else if let Some(member) = self.called_by_type(symbol) {
                        self.pass_arguments(member, args, true);
                        set.join(&self.result_of(member));
                    } else if kind.is_type() && self.calls_make_instances(symbol) {
                        set.add(Value::Instance(symbol, true), Evidence::Receiver);
                        self.construct(symbol, args);
                    }
                }
                Value::Bound(method) => {
                    self.pass_arguments(method, args, true);
                    set.join(&self.result_of(method));
                    set.join(&self.fluent_result(callee, method));
                    if let Expr::Member { base, .. } = self.facts.expr(callee) {
                        set.join(&self.by_argument(base, method));
                    }
                }
                Value::Instance(class, _) => {
                    for member in self.is_callable_member(class) {
                        self.pass_arguments(member, args, true);
                        set.join(&self.result_of(member));
                    }
                    for constructor in self.other_constructors(callee) {
                        if self.accepts(constructor, args, true) {
                            self.pass_arguments(constructor, args, true);
                        }
                    }
                    // A call of an enumeration's member makes one of it.
                    // An attribute of Ruby is called where it is named.
                    if self.world.kind(class) == SymbolKind::Enum || self.file.rules.modules == ModuleSystem::Ruby {
                        set.add(entry.value, entry.via);
                    }
                }
                Value::Super(class) => {
                    for member in self.super_targets(callee, class) {
                        self.pass_arguments(member, args, true);
                        set.join(&self.result_of(member));
                    }
                }
                Value::External => {
                    set.add(Value::External, entry.via);
                }
                Value::Typed(file, list)
                    if self.rules.callable.iter().any(|name| self.rules.element.contains(name)) =>
                {
                    set.join(&self.read(Slot::All(file, list)));
                }
                Value::Typed(..) => {
                    set.add(entry.value, entry.via);
                }
                Value::Module(_) | Value::Package(_) | Value::Object(..) | Value::Listed(..) | Value::Iterator(_) => {}
            }
        }
        set
    }

    /// The type that a constructor, called by its own name, makes an instance of (Dart's `Shape.square(1)`).
    pub(crate) fn constructed_by(&self, constructor: GlobalSymbol) -> Option<GlobalSymbol> {
        let row = self.world.symbol(constructor);
        let makes = row.kind == SymbolKind::Constructor && row.flags & flag::SELF_PARAMETER == 0;
        let class = GlobalSymbol { file: constructor.file, symbol: row.container };
        (makes && self.world.kind(class).is_type()).then(|| self.hierarchy.first_place(class))
    }

    pub(crate) fn calls_make_instances(&self, class: GlobalSymbol) -> bool {
        self.file.rules.calls_make_instances || self.world.file(class.file).rules.calls_make_instances
    }

    /// The member that a call of a type's name runs, where the language has it so (Scala's `apply` of an object).
    pub(crate) fn called_by_type(&self, class: GlobalSymbol) -> Option<GlobalSymbol> {
        let home = self.world.file(class.file);
        if !home.rules.types_are_called || !self.world.kind(class).is_type() {
            return None;
        }
        self.is_callable_member(class).into_iter().find(|member| self.world.kind(*member).is_callable())
    }

    /// What known members of values from outside give when they are called: an element, or the same again.
    fn known_result(&self, callee: ExprId, base: ExprId) -> Set {
        let is_outside = self.value(base).iter().any(|entry| match entry.value {
            Value::Typed(..) | Value::Object(..) | Value::Listed(..) => true,
            Value::Instance(..) => self.value(callee).iter().any(|same| same == entry),
            _ => false,
        });
        let mut set = Set::default();
        if is_outside {
            for entry in
                self.value(callee).iter().filter(|entry| !matches!(entry.value, Value::Symbol(_) | Value::Bound(_)))
            {
                set.add(entry.value, entry.via);
            }
        }
        set
    }

    /// `list.append(x)`: the arguments become elements.
    fn add_elements(&mut self, base: ExprId, name: super::world::Atom, args: Args) {
        if !self.rules.adding.contains(&name) {
            return;
        }
        for entry in self.value(base).clone().iter() {
            let (Value::Object(file, object) | Value::Typed(file, object)) = entry.value else { continue };
            for arg in self.arguments(args) {
                let value = self.value(arg.value).clone();
                self.write(Slot::All(file, object), &value);
                self.write(Slot::AnyKey(file, object), &value);
            }
        }
    }

    /// What `super(…)` calls: the base's constructor, or the base's member of the name of the function around.
    pub(crate) fn super_targets(&self, callee: ExprId, class: GlobalSymbol) -> Members {
        let Expr::Super { scope } = self.facts.expr(callee) else { return Members::new() };
        let around = self.file.outwards(scope).find(|at| {
            let row = &self.facts.scopes[at.ix()];
            row.kind == ScopeKind::Function && self.file.symbol(row.owner).flags & flag::ANONYMOUS == 0
        });
        let function = around.map(|at| self.file.symbol(self.facts.scopes[at.ix()].owner));
        match function {
            Some(function) if function.kind != SymbolKind::Constructor => {
                let name = self.file.atom(function.name);
                let same = self.hierarchy.inherited_members(self.world, class, name);
                if !same.is_empty() || !self.rules.constructors.contains(&name) {
                    return same;
                }
                self.base_constructors(class)
            }
            _ => self.base_constructors(class),
        }
    }

    fn base_constructors(&self, class: GlobalSymbol) -> Members {
        self.hierarchy.line(class).get(1).map(|base| self.constructors(*base)).unwrap_or_default()
    }

    pub(crate) fn result_of(&mut self, function: GlobalSymbol) -> Set {
        if self.world.has_flag(function, flag::GENERATOR) {
            return Set::one(Value::Iterator(function), Evidence::Receiver);
        }
        self.read(Slot::Return(function)).handed_over()
    }

    /// A method whose declared result is its own type gives the receiver's type, be it a subtype.
    fn fluent_result(&mut self, callee: ExprId, method: GlobalSymbol) -> Set {
        let mut set = Set::default();
        let Expr::Member { base, .. } = self.facts.expr(callee) else { return set };
        let Some(declared) = self.world.symbol(method).declared else { return set };
        if matches!(self.world.file(method.file).facts.expr(declared), Expr::ReceiverType { .. }) {
            for entry in self.value(base).iter().filter(|entry| matches!(entry.value, Value::Instance(..))) {
                set.add(entry.value, entry.via);
            }
        }
        set
    }

    /// Hands arguments to whatever makes an instance of a type.
    pub(crate) fn construct(&mut self, class: GlobalSymbol, args: Args) {
        if self.world.kind(class) == SymbolKind::Function {
            self.pass_arguments(class, args, false);
            return;
        }
        // A type with parameters of its own (Kotlin, Scala, records) takes them first.
        if !self.world.file(class.file).parameters(class.symbol).is_empty() {
            self.pass_arguments(class, args, false);
        }
        // `T { name: value }` fills the field of that name.
        for arg in self.arguments(args) {
            let Some(name) = arg.name else { continue };
            let value = self.value(arg.value).clone();
            for field in self.members_of(class, self.file.atom(name), false) {
                if self.world.kind(field).holds_value() {
                    self.write(Slot::Symbol(field), &value);
                }
            }
        }
        for constructor in self.constructors(class) {
            if self.accepts(constructor, args, true) {
                self.pass_arguments(constructor, args, true);
            }
        }
    }

    /// Hands arguments to the parameters of a function.
    pub(crate) fn pass_arguments(&mut self, function: GlobalSymbol, args: Args, bound: bool) {
        for (at, arg) in self.arguments(args).iter().enumerate() {
            let value = self.value(arg.value).clone();
            if value.is_empty() || only_external(&value) {
                continue;
            }
            if arg.spread {
                let inner = self.elements(&value).handed_over();
                for position in at..at + 4 {
                    self.pass_value(function, position, bound, &inner);
                }
                continue;
            }
            match arg.name.map(|name| self.file.atom(name)) {
                Some(name) => self.pass_named(function, name, at, bound, &value.handed_over()),
                None => self.pass_value(function, at, bound, &value.handed_over()),
            }
        }
    }

    fn pass_named(&mut self, function: GlobalSymbol, name: super::world::Atom, at: usize, bound: bool, value: &Set) {
        let home = self.world.file(function.file);
        let named = home
            .parameters(function.symbol)
            .iter()
            .find(|(_, _, variable)| home.atom(home.facts.variables[variable.ix()].name) == name)
            .map(|(_, _, variable)| *variable);
        match named {
            Some(variable) => self.write(Slot::Variable(function.file, variable.0), value),
            // A label that is not the parameter's own name (Swift) leaves the position.
            None => self.pass_value(function, at, bound, value),
        }
    }

    /// Hands a value to the parameter at a position.
    pub(crate) fn pass_value(&mut self, function: GlobalSymbol, at: usize, bound: bool, value: &Set) {
        match self.parameter_at(function, at, bound) {
            Some((variable, parameter)) if parameter.kind == ParameterKind::Rest => {
                let (file, list) = (function.file, rest_list(variable));
                self.write(Slot::All(file, list), value);
                self.write(Slot::AnyKey(file, list), value);
            }
            Some((variable, parameter)) if parameter.kind == ParameterKind::Plain => {
                self.write(Slot::Variable(function.file, variable.0), value);
            }
            _ => {}
        }
    }

    fn parameter_at(&self, function: GlobalSymbol, at: usize, bound: bool) -> Option<(VariableIx, Parameter)> {
        let home = self.world.file(function.file);
        let all = home.parameters(function.symbol).iter().filter_map(|(_, _, variable)| {
            home.facts.variables[variable.ix()].parameter.map(|parameter| (*variable, parameter))
        });
        let taken = all.filter(|(_, parameter)| !bound || parameter.kind != ParameterKind::Receiver);
        let rest = |(_, parameter): &(VariableIx, Parameter)| parameter.kind == ParameterKind::Rest;
        let mut last = None;
        for (number, one) in taken.enumerate() {
            if number == at || rest(&one) {
                return Some(one);
            }
            last = Some(one);
        }
        last.filter(rest)
    }

    /// Whether a function takes these arguments, as far as their number and labels tell.
    pub(crate) fn accepts(&self, function: GlobalSymbol, args: Args, bound: bool) -> bool {
        let row = self.world.symbol(function);
        let args = self.arguments(args);
        let home = self.world.file(function.file);
        if !home.rules.overloads {
            return true;
        }
        if let Some(labels) = row.labels {
            let label = |arg: &Arg| arg.name.map(|name| self.facts.name(name));
            let is_closure = |arg: &Arg| matches!(self.facts.expr(arg.value), Expr::Symbol(_));
            if !labels_fit(home.facts.name(labels), args, label, is_closure) {
                return false;
            }
        }
        if args.iter().any(|arg| arg.spread) {
            return true;
        }
        let given = args.len() + usize::from(bound && row.flags & flag::SELF_PARAMETER != 0);
        let (least, most) = row.arity;
        given >= usize::from(least) && (most == u16::MAX || given <= usize::from(most))
    }

    /// What of a callee's values can take these arguments. Where overloads are told apart by more than we know, all that
    /// are left become candidates.
    pub(crate) fn fitting(&self, callees: &Set, args: Args) -> Vec<Entry> {
        let mut all: Vec<Entry> = callees.iter().collect();
        if all.len() < 2 {
            return all;
        }
        let function = |entry: &Entry| match entry.value {
            Value::Symbol(symbol) if self.world.kind(symbol).is_callable() => Some((symbol, false)),
            Value::Bound(symbol) => Some((symbol, true)),
            _ => None,
        };
        let fits = |entry: &Entry| function(entry).is_none_or(|(symbol, bound)| self.accepts(symbol, args, bound));
        if all.iter().any(|entry| function(entry).is_some() && fits(entry)) {
            all.retain(fits);
        }
        let is_variadic =
            |entry: &Entry| function(entry).is_some_and(|(symbol, _)| self.world.symbol(symbol).arity.1 == u16::MAX);
        if self.file.rules.overloads && all.iter().any(|entry| function(entry).is_some() && !is_variadic(entry)) {
            all.retain(|entry| !is_variadic(entry));
        }
        let typed: Vec<Entry> = all
            .iter()
            .copied()
            .filter(|entry| function(entry).is_none_or(|(symbol, bound)| self.types_fit(symbol, args, bound)))
            .collect();
        if typed.iter().any(|entry| function(entry).is_some()) {
            all = typed;
        }
        let twins = |one: &Entry, other: &Entry| match (function(one), function(other)) {
            (Some((one, _)), Some((other, _))) if one != other => {
                let (a, b) = (self.world.symbol(one), self.world.symbol(other));
                let (home, there) = (self.world.file(one.file), self.world.file(other.file));
                home.atom(a.name) == there.atom(b.name)
                    && (one.file, a.container, a.scope) == (other.file, b.container, b.scope)
                    && a.flags & flag::ANONYMOUS == 0
            }
            _ => false,
        };
        let ambiguous: Vec<bool> = all.iter().map(|one| all.iter().any(|other| twins(one, other))).collect();
        for (entry, ambiguous) in all.iter_mut().zip(ambiguous) {
            if ambiguous {
                entry.via = entry.via.max(Evidence::Ambiguous);
            }
        }
        all
    }

    /// The sort of a value, where that is known.
    fn sort_of_value(&self, value: ExprId) -> Option<Sort> {
        sort_of_literal(value).or_else(|| {
            let mut all = self.value(value).iter().peekable();
            all.peek()?;
            all.all(|entry| matches!(entry.value, Value::Instance(..))).then_some(Sort::Instance)
        })
    }

    /// Whether the arguments whose types are known are of the declared types of the parameters.
    fn types_fit(&self, function: GlobalSymbol, args: Args, bound: bool) -> bool {
        let home = self.world.file(function.file);
        if !home.rules.overloads {
            return true;
        }
        self.arguments(args).iter().enumerate().all(|(at, arg)| {
            let Some((variable, _)) = self.parameter_at(function, at, bound) else { return true };
            let Some(declared) = home.facts.variables[variable.ix()].declared else { return true };
            let named = || last_name(home, declared).and_then(|name| sort_of(home.facts.name(name)));
            if let Some(wanted) = sort_of_literal(declared).or_else(named)
                && let Some(given) = self.sort_of_value(arg.value)
            {
                return given == wanted;
            }
            let Some(wanted) = super::hierarchy::type_of(self.names, function.file, declared) else { return true };
            let mut known = self.value(arg.value).iter().filter_map(|entry| match entry.value {
                Value::Instance(class, _) => Some(class),
                _ => None,
            });
            let Some(first) = known.next() else { return !matches!(self.facts.expr(arg.value), Expr::Literal) };
            std::iter::once(first).chain(known).any(|class| self.hierarchy.line(class).contains(&wanted))
        })
    }
}

/// The sorts of values that languages have literals for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Sort {
    Text,
    Number,
    Truth,
    /// An instance of one of the project's types.
    Instance,
}

/// The sort of a literal, or of one of the language's own types where its word is read as one.
fn sort_of_literal(expr: ExprId) -> Option<Sort> {
    match expr {
        literal::TEXT => Some(Sort::Text),
        literal::NUMBER => Some(Sort::Number),
        literal::TRUTH => Some(Sort::Truth),
        _ => None,
    }
}

/// The sort of a type that languages have literals for, whatever they call it.
fn sort_of(name: &str) -> Option<Sort> {
    Some(match name {
        "bool" | "Bool" | "boolean" | "Boolean" => Sort::Truth,
        "String" | "string" | "str" | "char" | "Char" | "CharSequence" | "Character" | "string_view" | "wstring" => {
            Sort::Text
        }
        "int" | "Int" | "Integer" | "uint" | "UInt" | "long" | "Long" | "short" | "Short" | "byte" | "Byte"
        | "float" | "Float" | "double" | "Double" | "decimal" | "number" | "Number" | "num" | "size_t" => Sort::Number,
        _ => return None,
    })
}

/// The number of the list that holds what is left for a rest parameter. No expression has so high a number.
pub(crate) fn rest_list(variable: VariableIx) -> ExprId {
    ExprId(u32::MAX - variable.0)
}

fn only_external(value: &Set) -> bool {
    value.iter().all(|entry| entry.value == Value::External)
}

/// Whether a call's labels are those of a declaration, defaults left out: `flag:name:` and `(flag: x, name: y)`.
fn labels_fit<'t>(
    declared: &str,
    args: &[Arg],
    label: impl Fn(&Arg) -> Option<&'t str>,
    is_closure: impl Fn(&Arg) -> bool,
) -> bool {
    let mut declared = declared.split(':').filter(|part| !part.is_empty());
    args.iter().all(|arg| match label(arg) {
        // What stands between may have a default; a closure behind the parentheses has no label.
        Some(label) => declared.any(|wanted| wanted == label),
        None => is_closure(arg) || declared.any(|wanted| wanted == "_"),
    })
}
