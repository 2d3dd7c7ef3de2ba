//! The facts under construction: names, scopes, symbols and bindings, and where the walk is among them.

use rustc_hash::{FxHashMap, FxHashSet};

use super::names::{Names, UNUSED};
use crate::facts::{
    Arg, Args, Binding, Expr, ExprId, ExtensionIx, FileFacts, Flow, Import, Imported, NameId, Place, Scope, ScopeId,
    ScopeKind, Site, SiteKind, Symbol, SymbolIx, Target, Variable, VariableIx, literal,
};
use crate::kinds::SymbolKind;

/// The expression of which nothing is known; the first in every file.
pub(super) const UNKNOWN: ExprId = ExprId(0);
/// A value of the language itself of no sort that matters; one serves for all.
pub(super) const LITERAL: ExprId = literal::OTHER;
/// The name without letters.
pub(super) const EMPTY: NameId = NameId(0);
/// No offset.
pub(super) const NOWHERE: u32 = u32::MAX;

/// Where the walk is.
#[derive(Debug, Clone, Copy)]
pub(super) struct Position {
    /// The scope.
    pub scope: ScopeId,
    /// The nearest symbol around, anonymous ones too.
    pub symbol: SymbolIx,
    /// The nearest symbol with a name.
    pub owner: SymbolIx,
    /// The function around in [`Builder::functions`], unless a type is nearer.
    pub function: Option<u32>,
    /// What the receiver is called here, and whether it is the type rather than an instance.
    pub receiver: Option<(NameId, bool)>,
}

/// A function, or a type with parameters, that is open.
#[derive(Debug)]
pub(super) struct Function {
    pub symbol: SymbolIx,
    pub scope: ScopeId,
    /// How many parameters there are so far.
    pub parameters: u16,
    /// How many of them must be given, and may be.
    pub arity: (u16, u16),
    pub labels: String,
    pub is_type: bool,
    /// Whether it has a parameter that is the receiver.
    pub has_receiver: bool,
}

/// A member of the receiver that was assigned to: a field, if the type has no member of its name.
#[derive(Debug)]
pub(super) struct ReceiverField {
    pub target: ExprId,
    pub scope: ScopeId,
    pub name: NameId,
    pub symbol: Symbol,
    pub start: u32,
}

/// What is known of a symbol beside its facts.
#[derive(Debug, Clone, Copy)]
pub(super) struct Detail {
    /// First byte of its definition.
    pub start: u32,
    /// First byte of its body.
    pub body: u32,
}

/// Facts under construction.
pub(super) struct Builder {
    pub facts: FileFacts,
    pub names: Names,
    pub at: Position,
    pub functions: Vec<Function>,
    pub details: Vec<Detail>,
    pub receiver_fields: Vec<ReceiverField>,
    /// Names that are declared where they stand, so that they are no uses.
    pub declared: FxHashSet<ExprId>,
    /// Names in targets that are uses.
    pub fixed: FxHashSet<ExprId>,
    /// Symbols that were made early and not declared after all, each with the one that takes its place.
    pub ghosts: Vec<(SymbolIx, SymbolIx)>,
    /// Instances in patterns, which are no calls.
    pub patterns: FxHashSet<ExprId>,
    /// Values of assignments, each with the target that it was assigned to.
    pub assigned: FxHashMap<ExprId, ExprId>,
    /// Members that functions give their instances.
    pub function_fields: FxHashSet<(SymbolIx, NameId)>,
    /// The last definition of a name in a scope and a list of statements, by the number of the list's node.
    pub defined: FxHashMap<(ScopeId, NameId, usize), SymbolIx>,
    /// Exports of names of this file.
    pub exported: Vec<(NameId, bool)>,
    /// The first binding of a name in a scope; further ones follow by `more`.
    first: FxHashMap<(ScopeId, NameId), u32>,
    more: Vec<u32>,
    /// For each scope the number of expressions when it was opened.
    opened: Vec<u32>,
    type_scopes_are_open: bool,
}

impl Builder {
    pub(super) fn new(type_scopes_are_open: bool) -> Self {
        let at = Position {
            scope: ScopeId::FILE,
            symbol: SymbolIx::MODULE,
            owner: SymbolIx::MODULE,
            function: None,
            receiver: None,
        };
        let mut builder = Self {
            facts: FileFacts { exprs: literal::first_exprs(), ..FileFacts::default() },
            names: Names::new(),
            at,
            functions: Vec::new(),
            details: Vec::new(),
            receiver_fields: Vec::new(),
            declared: FxHashSet::default(),
            fixed: FxHashSet::default(),
            ghosts: Vec::new(),
            patterns: FxHashSet::default(),
            assigned: FxHashMap::default(),
            function_fields: FxHashSet::default(),
            defined: FxHashMap::default(),
            exported: Vec::new(),
            first: FxHashMap::default(),
            more: Vec::new(),
            opened: Vec::new(),
            type_scopes_are_open,
        };
        builder.names.id(b"");
        builder.open(ScopeKind::File, SymbolIx::MODULE, None);
        builder
    }

    /// The number of a text.
    pub(super) fn name(&mut self, text: &[u8]) -> NameId {
        self.names.id(text)
    }

    /// Adds an expression.
    pub(super) fn expr(&mut self, expr: Expr) -> ExprId {
        let id = ExprId(self.facts.exprs.len() as u32);
        self.facts.exprs.push(expr);
        id
    }

    /// Adds a name as an expression, looked up from where the walk is.
    pub(super) fn name_expr(&mut self, name: NameId) -> ExprId {
        let scope = self.at.scope;
        let id = self.expr(Expr::Name { scope, name });
        let uses = &mut self.names.uses[name.ix()];
        *uses = [id.0, uses[0]];
        id
    }

    /// Adds a run of arguments.
    pub(super) fn args(&mut self, args: impl IntoIterator<Item = Arg>) -> Args {
        let start = self.facts.args.len() as u32;
        self.facts.args.extend(args);
        Args { start, len: self.facts.args.len() as u32 - start }
    }

    /// Adds a use.
    pub(super) fn site(&mut self, expr: ExprId, line: u32, kind: SiteKind) -> u32 {
        self.facts.sites.push(Site { expr, owner: self.at.owner, line, kind });
        self.facts.sites.len() as u32 - 1
    }

    /// Says where a value goes, unless nothing is known of it.
    pub(super) fn flow(&mut self, to: Place, value: ExprId) {
        if value != UNKNOWN {
            self.facts.flows.push(Flow { to, value });
        }
    }

    /// Opens a scope inside the present one, and goes there.
    pub(super) fn open(&mut self, kind: ScopeKind, owner: SymbolIx, extension: Option<ExtensionIx>) -> ScopeId {
        let scope = ScopeId(self.facts.scopes.len() as u32);
        self.facts.scopes.push(Scope { parent: self.at.scope, kind, owner, extension });
        self.opened.push(self.facts.exprs.len() as u32);
        self.at.scope = scope;
        scope
    }

    /// Adds a function whose parameters are to come.
    pub(super) fn open_function(&mut self, symbol: SymbolIx, scope: ScopeId, is_type: bool) {
        self.at.function = Some(self.functions.len() as u32);
        self.functions.push(Function {
            symbol,
            scope,
            parameters: 0,
            arity: (0, 0),
            labels: String::new(),
            is_type,
            has_receiver: false,
        });
    }

    /// The function that is open around, unless a type is nearer.
    pub(super) fn function(&mut self) -> Option<&mut Function> {
        let function = self.at.function? as usize;
        self.functions.get_mut(function)
    }

    /// The symbol of the nearest function around, for what it returns.
    pub(super) fn returning(&mut self) -> Option<SymbolIx> {
        self.function().filter(|function| !function.is_type).map(|function| function.symbol)
    }

    /// What a scope belongs to, blocks left out.
    pub(super) fn kind_around(&self, mut scope: ScopeId) -> (ScopeKind, ScopeId) {
        loop {
            let found = &self.facts.scopes[scope.ix()];
            if found.kind != ScopeKind::Block || found.parent == scope {
                return (found.kind, scope);
            }
            scope = found.parent;
        }
    }

    /// The nearest scope of a type around.
    pub(super) fn type_around(&self, mut scope: ScopeId) -> Option<ScopeId> {
        loop {
            let found = &self.facts.scopes[scope.ix()];
            if found.kind == ScopeKind::Type {
                return Some(scope);
            }
            if found.parent == scope {
                return None;
            }
            scope = found.parent;
        }
    }

    /// Whether what is declared in a scope is a symbol.
    pub(super) fn makes_symbols(&self, scope: ScopeId) -> bool {
        !matches!(self.facts.scopes[scope.ix()].kind, ScopeKind::Function | ScopeKind::Block)
    }

    /// Gives a name a meaning in a scope.
    pub(super) fn bind(&mut self, scope: ScopeId, name: NameId, target: Target) {
        if name == EMPTY {
            return;
        }
        let binding = self.facts.bindings.len() as u32;
        self.facts.bindings.push(Binding { scope, name, target });
        self.more.push(NOWHERE);
        let mut last = *self.first.entry((scope, name)).or_insert(binding);
        if last != binding {
            while self.more[last as usize] != NOWHERE {
                last = self.more[last as usize];
            }
            self.more[last as usize] = binding;
        }
    }

    /// What a name means in this very scope, as far as is known yet; the first of several.
    pub(super) fn bound(&self, scope: ScopeId, name: NameId) -> Option<Target> {
        self.first.get(&(scope, name)).map(|binding| self.facts.bindings[*binding as usize].target)
    }

    /// All that a name means in this very scope.
    pub(super) fn all_bound(&self, scope: ScopeId, name: NameId) -> impl Iterator<Item = Target> + '_ {
        let first = self.first.get(&(scope, name)).copied();
        let next = |at: &u32| Some(self.more[*at as usize]).filter(|next| *next != NOWHERE);
        std::iter::successors(first, next).map(|at| self.facts.bindings[at as usize].target)
    }

    /// What a name means from a scope, by the language's rules; the nearest scope that knows it.
    pub(super) fn look_up(&self, from: ScopeId, name: NameId) -> Option<Target> {
        let mut scope = from;
        loop {
            let found = &self.facts.scopes[scope.ix()];
            if found.kind != ScopeKind::Type || scope == from || self.type_scopes_are_open {
                match self.bound(scope, name) {
                    Some(Target::Outer(crate::facts::OuterScope::File)) => {
                        return self.bound(ScopeId::FILE, name);
                    }
                    Some(Target::Outer(crate::facts::OuterScope::Enclosing)) | None => {}
                    bound => return bound,
                }
            }
            if found.parent == scope {
                return None;
            }
            scope = found.parent;
        }
    }

    /// Adds a symbol that begins here.
    pub(super) fn symbol(&mut self, symbol: Symbol, start: u32) -> SymbolIx {
        let ix = SymbolIx(self.facts.symbols.len() as u32);
        self.facts.symbols.push(symbol);
        self.details.push(Detail { start, body: NOWHERE });
        ix
    }

    /// A symbol of a kind, with all else still to be said.
    pub(super) fn blank(&self, kind: SymbolKind) -> Symbol {
        Symbol {
            name: EMPTY,
            kind,
            container: self.at.symbol,
            scope: self.at.scope,
            body: None,
            line: 0,
            start_line: 0,
            end_line: 0,
            signature: EMPTY,
            declared: None,
            extension: self.facts.scopes[self.kind_around(self.at.scope).1.ix()].extension,
            arity: (0, 0),
            labels: None,
            flags: 0,
        }
    }

    /// Adds a variable and binds its name.
    pub(super) fn variable(&mut self, scope: ScopeId, variable: Variable) -> VariableIx {
        let ix = VariableIx(self.facts.variables.len() as u32);
        let name = variable.name;
        self.facts.variables.push(variable);
        self.bind(scope, name, Target::Variable(ix));
        ix
    }

    /// Adds an import and binds its name.
    pub(super) fn import(&mut self, import: Import, bound: bool) {
        let ix = crate::facts::ImportIx(self.facts.imports.len() as u32);
        let (scope, local) = (import.scope, import.local);
        self.facts.imports.push(import);
        if let Some(local) = local.filter(|_| bound) {
            self.bind(scope, local, Target::Import(ix));
        }
    }

    /// An import with nothing said but its source.
    pub(super) fn blank_import(&self, source: NameId, line: u32) -> Import {
        Import {
            scope: self.at.scope,
            source,
            what: Imported::Effects,
            local: None,
            exported: false,
            line,
            owner: self.at.owner,
        }
    }

    /// Opens a scope for a name that is declared from here on, unless the present one can take it: it does not know the
    /// name, and nothing in it used the name before. `target` is the name's own expression, which is no use.
    pub(super) fn shadow(&mut self, name: NameId, target: Option<ExprId>) {
        let scope = self.at.scope;
        let uses = self.names.uses[name.ix()];
        let last = if target.is_some_and(|target| target.0 == uses[0]) { uses[1] } else { uses[0] };
        let used = last != UNUSED && last >= self.opened[scope.ix()];
        if used || self.bound(scope, name).is_some() {
            self.open(ScopeKind::Block, self.at.symbol, None);
        }
    }
}
