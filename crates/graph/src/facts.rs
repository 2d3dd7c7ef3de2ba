//! What one file says, without a look at any other: symbols, scopes, names, expressions and how values flow.
//!
//! Facts are what the one walk over a tree leaves behind. They hold no identity from outside the file, so replacing a
//! file replaces its facts and nothing else. Every list is in the order of the text; an expression comes after those
//! that it is made of.

pub mod flag;

use serde::{Deserialize, Serialize};

use crate::kinds::SymbolKind;

pub use crate::texts::Texts;

/// Declares a number of one of the lists below.
macro_rules! index {
    ($($(#[$doc:meta])* $name:ident)*) => {$(
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        pub struct $name(pub u32);

        impl $name {
            /// As an index.
            pub fn ix(self) -> usize {
                self.0 as usize
            }
        }
    )*};
}

index! {
    /// A text in [`FileFacts::names`].
    NameId
    /// A symbol in [`FileFacts::symbols`]; 0 is the file's top-level code.
    SymbolIx
    /// A scope in [`FileFacts::scopes`]; 0 is the file's.
    ScopeId
    /// An expression in [`FileFacts::exprs`].
    ExprId
    /// A variable in [`FileFacts::variables`].
    VariableIx
    /// An import in [`FileFacts::imports`].
    ImportIx
    /// An extension in [`FileFacts::extensions`].
    ExtensionIx
}

impl SymbolIx {
    /// The symbol of the file's top-level code.
    pub const MODULE: Self = Self(0);
}

impl ScopeId {
    /// The scope of the file.
    pub const FILE: Self = Self(0);
}

/// A run of [`FileFacts::args`]: start and length.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Args {
    /// The first.
    pub start: u32,
    /// How many.
    pub len: u32,
}

/// Everything that one file says.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct FileFacts {
    /// Each name once.
    pub names: Texts,
    /// Definitions, also anonymous functions; the first is the top-level code.
    pub symbols: Vec<Symbol>,
    /// Scopes, parents first.
    pub scopes: Vec<Scope>,
    /// What names mean where.
    pub bindings: Vec<Binding>,
    /// Variables and parameters that are no symbols.
    pub variables: Vec<Variable>,
    /// Expressions, parts first.
    pub exprs: Vec<Expr>,
    /// Arguments, elements and slots of expressions.
    pub args: Vec<Arg>,
    /// Assignments, returns: where values go.
    pub flows: Vec<Flow>,
    /// Calls and references that may become edges.
    pub sites: Vec<Site>,
    /// Imports.
    pub imports: Vec<Import>,
    /// Names that the file offers under another name than a file-level binding's own.
    pub exports: Vec<Export>,
    /// Base types of this file's types.
    pub bases: Vec<Base>,
    /// Members of a type that stand outside its definition.
    pub extensions: Vec<Extension>,
    /// Bounds of type parameters.
    pub bounds: Vec<Bound>,
    /// Decorators of symbols, in the order of the text.
    pub decorators: Vec<Decorator>,
    /// The package or namespace that the whole file declares (`package a.b`).
    pub package: Option<NameId>,
    /// First and last line of each part that could not be parsed.
    pub errors: Vec<(u32, u32)>,
}

/// A definition.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Symbol {
    /// Its name; empty for an anonymous function.
    pub name: NameId,
    /// What it is.
    pub kind: SymbolKind,
    /// The symbol around it; the module for what stands on its own. The module's container is itself.
    pub container: SymbolIx,
    /// The scope that its name is bound in.
    pub scope: ScopeId,
    /// The scope that it opens, if any: of a function its parameters and body, of a type its members.
    pub body: Option<ScopeId>,
    /// Line of its name, from 1.
    pub line: u32,
    /// First line of its definition, decorators included.
    pub start_line: u32,
    /// Last line of its definition.
    pub end_line: u32,
    /// The header on one line, shortened.
    pub signature: NameId,
    /// The declared type, or of a function the declared result.
    pub declared: Option<ExprId>,
    /// Where it belongs to a type that is named and not around it (Go's receiver, C++ `A::f`, Rust's `impl`).
    pub extension: Option<ExtensionIx>,
    /// Parameters that must be given, and those that may be; `u16::MAX` for any number.
    pub arity: (u16, u16),
    /// Argument labels, one after the other (`flag:`), in languages where they are part of the name.
    pub labels: Option<NameId>,
    /// [`flag`] bits.
    pub flags: u32,
}

/// What a scope belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum ScopeKind {
    /// The file.
    File,
    /// A namespace or module inside a file.
    Namespace,
    /// The members of a type, or of an extension.
    Type,
    /// Parameters and body of a function.
    Function,
    /// A block.
    Block,
}

/// A region in which names have meanings.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Scope {
    /// The scope around it; the file's is its own parent.
    pub parent: ScopeId,
    /// What it belongs to.
    pub kind: ScopeKind,
    /// The nearest symbol around, anonymous functions included.
    pub owner: SymbolIx,
    /// Of the scope of an extension: which.
    pub extension: Option<ExtensionIx>,
}

/// What a name means in a scope. One name may have several bindings in one scope.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Binding {
    /// Where.
    pub scope: ScopeId,
    /// The name.
    pub name: NameId,
    /// What.
    pub target: Target,
}

/// What a binding leads to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Target {
    /// A symbol of this file.
    Symbol(SymbolIx),
    /// A variable or parameter.
    Variable(VariableIx),
    /// Something from another file.
    Import(ImportIx),
    /// A type parameter; see [`FileFacts::bounds`].
    TypeParameter,
    /// Python's `global` and `nonlocal`: go on looking outside, from the file's scope or the next one.
    Outer(OuterScope),
}

/// Where a name that was declared as somebody else's is to be looked up.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum OuterScope {
    /// In the file's scope.
    File,
    /// In the next function around.
    Enclosing,
}

/// A variable or parameter that is no symbol.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Variable {
    /// Its name.
    pub name: NameId,
    /// The declared type.
    pub declared: Option<ExprId>,
    /// Of a parameter: whose, and which.
    pub parameter: Option<Parameter>,
}

/// Which parameter of which function a variable is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Parameter {
    /// The function.
    pub function: SymbolIx,
    /// Position, from 0; Python's `self` counts.
    pub index: u16,
    /// How arguments reach it.
    pub kind: ParameterKind,
}

/// How arguments reach a parameter.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum ParameterKind {
    /// By position or by name.
    Plain,
    /// All that are left.
    Rest,
    /// All that are left and have a name.
    RestKeywords,
    /// By name only.
    Keyword,
    /// The receiver.
    Receiver,
}

/// An expression, in value or type position alike.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub enum Expr {
    /// Nothing is known about it.
    Unknown,
    /// A name, to be looked up from a scope. Rust's `crate`, `super` and `self` in paths are names too.
    Name {
        /// Where it is used.
        scope: ScopeId,
        /// The name.
        name: NameId,
    },
    /// `a.b`, `a::b`, `a->b`.
    Member {
        /// `a`.
        base: ExprId,
        /// `b`.
        name: NameId,
    },
    /// A call.
    Call {
        /// What is called.
        callee: ExprId,
        /// With what.
        args: Args,
    },
    /// Where the syntax says that an instance is made: `new T(…)`, `T { … }`.
    New {
        /// The type.
        class: ExprId,
        /// With what.
        args: Args,
    },
    /// `a[k]`; the key where it is a literal.
    Index {
        /// `a`.
        base: ExprId,
        /// `k`, as text.
        key: Option<NameId>,
    },
    /// What iterating over the base gives.
    Element {
        /// What is iterated over.
        base: ExprId,
    },
    /// What waiting for the base gives.
    Await {
        /// What is waited for.
        base: ExprId,
    },
    /// A value that belongs to the language, not to the project: text, numbers, regular expressions.
    Literal,
    /// A function or type expression of this file as a value.
    Symbol(SymbolIx),
    /// A dictionary or object literal; its arguments have names where the keys are literals.
    Object(Args),
    /// A list, array, set or tuple literal.
    List(Args),
    /// Any one of these.
    Union(Args),
    /// The instance that a method was called on; the nearest type or extension around the scope.
    Receiver {
        /// Where it is used.
        scope: ScopeId,
    },
    /// The type that a method belongs to (`Self`, `cls`, `static`).
    ReceiverType {
        /// Where it is used.
        scope: ScopeId,
    },
    /// The base of the type around (`super`).
    Super {
        /// Where it is used.
        scope: ScopeId,
    },
    /// A value of a declared type.
    Instance {
        /// The type.
        of: ExprId,
    },
    /// A generic type with its arguments: `Vec<T>`, `List[T]`.
    Apply {
        /// The type.
        base: ExprId,
        /// Its arguments.
        args: Args,
    },
    /// A module as a value: `require("…")`, `import("…")`.
    Module {
        /// The text that names it.
        source: NameId,
    },
}

/// The first expressions of every file: values of the language itself, by their sort.
pub mod literal {
    use super::{Expr, ExprId};

    /// Of no sort that matters.
    pub const OTHER: ExprId = ExprId(1);
    /// Text.
    pub const TEXT: ExprId = ExprId(2);
    /// A number.
    pub const NUMBER: ExprId = ExprId(3);
    /// True or false.
    pub const TRUTH: ExprId = ExprId(4);

    /// The expressions that every file begins with, the unknown one first.
    pub fn first_exprs() -> Vec<Expr> {
        vec![Expr::Unknown, Expr::Literal, Expr::Literal, Expr::Literal, Expr::Literal]
    }
}

/// An argument, element or slot.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Arg {
    /// Its keyword, key or label.
    pub name: Option<NameId>,
    /// Its value.
    pub value: ExprId,
    /// Whether it stands for many (`*args`, `...xs`).
    pub spread: bool,
}

/// Where a value goes.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Flow {
    /// The place.
    pub to: Place,
    /// The value.
    pub value: ExprId,
}

/// A place that values go to.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub enum Place {
    /// A name, member or slot: an [`Expr::Name`], [`Expr::Member`] or [`Expr::Index`].
    Expr(ExprId),
    /// A variable of this file.
    Variable(VariableIx),
    /// A symbol of this file.
    Symbol(SymbolIx),
    /// The result of a function.
    Return(SymbolIx),
    /// What iterating over the result of a function gives.
    Yield(SymbolIx),
}

/// A use that may become an edge.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Site {
    /// An [`Expr::Call`] or [`Expr::New`] for a call, else what is named.
    pub expr: ExprId,
    /// The nearest symbol with a name around.
    pub owner: SymbolIx,
    /// Line of the name that is used, from 1.
    pub line: u32,
    /// In which way.
    pub kind: SiteKind,
}

/// The way of a use.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum SiteKind {
    /// It is called.
    Call,
    /// It is named.
    Reference,
}

/// What is imported.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Import {
    /// The scope that it is imported into.
    pub scope: ScopeId,
    /// What names the module, as in the text without quotes: `./a`, `..pkg.mod`, `crate::a::b`, `com.x`, `stdio.h`.
    pub source: NameId,
    /// What of it.
    pub what: Imported,
    /// The name that it gets here; none where it gets no name of its own.
    pub local: Option<NameId>,
    /// Whether it is offered to other files at once (`pub use`, `export … from`).
    pub exported: bool,
    /// Line, from 1.
    pub line: u32,
    /// The nearest symbol with a name around.
    pub owner: SymbolIx,
}

/// What of a module is imported.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Imported {
    /// The module itself.
    Module,
    /// The module itself, of whose dotted path only the first part gets a name (`import a.b`).
    FirstPart,
    /// One name of it. `default` is JavaScript's default export.
    Name(NameId),
    /// All names.
    All,
    /// Its text (`#include`), or its effects only (`import "x"`).
    Effects,
    /// A name that may be a module's or one in a module (Rust's `use a::b`, Java's `import a.b`): the source's last
    /// part is the name.
    Path,
}

/// A name that a file offers.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Export {
    /// The name outside; `default` for the default export, `=` for `module.exports = …`.
    pub name: NameId,
    /// What it is here.
    pub value: ExprId,
}

/// A base of a type.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Base {
    /// The type.
    pub symbol: SymbolIx,
    /// Its base.
    pub base: ExprId,
    /// Whether the text says that it is an interface.
    pub implements: bool,
    /// Line of the base's name.
    pub line: u32,
}

/// Members of a type that stand elsewhere.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Extension {
    /// The type.
    pub target: ExprId,
    /// The interface or trait that they fulfil.
    pub implements: Option<ExprId>,
    /// The scope of the members, where there is one.
    pub scope: Option<ScopeId>,
    /// Line, from 1.
    pub line: u32,
}

/// A bound of a type parameter.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Bound {
    /// The scope in which the type parameter is bound.
    pub scope: ScopeId,
    /// The type parameter.
    pub name: NameId,
    /// What it promises.
    pub bound: ExprId,
}

/// A decorator, attribute or annotation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Decorator {
    /// What it decorates.
    pub symbol: SymbolIx,
    /// The decorator's value.
    pub value: ExprId,
    /// Line of its name.
    pub line: u32,
}

impl FileFacts {
    /// Gives back the room that the lists grew beyond their length: the facts of all files are held at once.
    pub(crate) fn shrink(&mut self) {
        self.names.shrink_to_fit();
        self.symbols.shrink_to_fit();
        self.scopes.shrink_to_fit();
        self.bindings.shrink_to_fit();
        self.variables.shrink_to_fit();
        self.exprs.shrink_to_fit();
        self.args.shrink_to_fit();
        self.flows.shrink_to_fit();
        self.sites.shrink_to_fit();
        self.imports.shrink_to_fit();
    }

    /// The text of a name.
    pub fn name(&self, id: NameId) -> &str {
        &self.names[id.ix()]
    }

    /// An expression.
    pub fn expr(&self, id: ExprId) -> Expr {
        self.exprs.get(id.ix()).copied().unwrap_or(Expr::Unknown)
    }

    /// The arguments of an expression.
    pub fn arguments(&self, args: Args) -> &[Arg] {
        let start = args.start as usize;
        self.args.get(start..start + args.len as usize).unwrap_or_default()
    }

    /// The nearest symbol with a name that holds this one, itself included.
    pub fn named_owner(&self, mut symbol: SymbolIx) -> SymbolIx {
        while let Some(found) = self.symbols.get(symbol.ix()) {
            if found.flags & flag::ANONYMOUS == 0 || found.container == symbol {
                break;
            }
            symbol = found.container;
        }
        symbol
    }
}
