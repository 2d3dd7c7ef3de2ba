//! Facts as text, for those who write queries.

use std::fmt::Write as _;

use crate::facts::{
    Args, Expr, ExprId, FileFacts, Imported, OuterScope, ParameterKind, Place, ScopeId, ScopeKind, SiteKind, SymbolIx,
    Target, flag,
};

/// Facts as text, one line each. Expressions are written out as far as they go.
pub fn dump(facts: &FileFacts) -> String {
    let mut out = String::new();
    // Writing to a string does not fail.
    let _ = write_all(&mut out, facts);
    out
}

/// The deepest expression that is written out; what lies deeper is `…`.
const MAX_DEPTH: usize = 12;

fn write_all(out: &mut String, facts: &FileFacts) -> std::fmt::Result {
    if let Some(package) = facts.package {
        writeln!(out, "package {}", facts.name(package))?;
    }
    writeln!(out, "symbols")?;
    for (ix, symbol) in facts.symbols.iter().enumerate() {
        let name = if symbol.name.0 == 0 { "<anonymous>" } else { facts.name(symbol.name) };
        write!(out, "  {ix} {} {name} :{}", symbol.kind.as_str(), symbol.line)?;
        write!(out, " [{}-{}]", symbol.start_line, symbol.end_line)?;
        if ix > 0 {
            write!(out, " in {}", label(facts, symbol.container))?;
        }
        write!(out, " scope {}", symbol.scope.0)?;
        if let Some(body) = symbol.body {
            write!(out, " body {}", body.0)?;
        }
        if symbol.arity != (0, 0) {
            let most = if symbol.arity.1 == u16::MAX { "*".to_owned() } else { symbol.arity.1.to_string() };
            write!(out, " arity {}..{most}", symbol.arity.0)?;
        }
        if let Some(labels) = symbol.labels {
            write!(out, " labels {}", facts.name(labels))?;
        }
        if let Some(declared) = symbol.declared {
            write!(out, " type {}", show(facts, declared))?;
        }
        if let Some(extension) = symbol.extension {
            write!(out, " extension {}", extension.0)?;
        }
        for (word, _) in flag::WORDS.iter().filter(|(_, bit)| symbol.flags & bit != 0) {
            write!(out, " {word}")?;
        }
        writeln!(out)?;
        if symbol.signature.0 != 0 {
            writeln!(out, "      `{}`", facts.name(symbol.signature))?;
        }
    }
    writeln!(out, "scopes")?;
    for (ix, scope) in facts.scopes.iter().enumerate() {
        let kind = match scope.kind {
            ScopeKind::File => "file",
            ScopeKind::Namespace => "namespace",
            ScopeKind::Type => "type",
            ScopeKind::Function => "function",
            ScopeKind::Block => "block",
        };
        write!(out, "  {ix} {kind} of {}", label(facts, scope.owner))?;
        if let Some(extension) = scope.extension {
            write!(out, " extension {}", extension.0)?;
        }
        if ix > 0 {
            write!(out, " in {}", scope.parent.0)?;
        }
        let bound: Vec<String> = facts
            .bindings
            .iter()
            .filter(|binding| binding.scope == ScopeId(ix as u32))
            .map(|binding| format!("{} = {}", facts.name(binding.name), target(facts, binding.target)))
            .collect();
        writeln!(out, "{}{}", if bound.is_empty() { "" } else { ": " }, bound.join(", "))?;
    }
    write_rows(out, facts)
}

fn write_rows(out: &mut String, facts: &FileFacts) -> std::fmt::Result {
    let title = |out: &mut String, word: &str, empty: bool| if empty { Ok(()) } else { writeln!(out, "{word}") };
    title(out, "variables", facts.variables.iter().all(|variable| variable.declared.is_none()))?;
    for (ix, variable) in facts.variables.iter().enumerate() {
        if let Some(declared) = variable.declared {
            writeln!(out, "  v{ix} {}: {}", facts.name(variable.name), show(facts, declared))?;
        }
    }
    title(out, "imports", facts.imports.is_empty())?;
    for import in &facts.imports {
        let what = match import.what {
            Imported::Module => "the module".to_owned(),
            Imported::FirstPart => "its first part".to_owned(),
            Imported::Name(name) => facts.name(name).to_owned(),
            Imported::All => "everything".to_owned(),
            Imported::Effects => "effects".to_owned(),
            Imported::Path => "by path".to_owned(),
        };
        write!(out, "  :{} {what} of `{}`", import.line, facts.name(import.source))?;
        if let Some(local) = import.local {
            write!(out, " as {}", facts.name(local))?;
        }
        let exported = if import.exported { " exported" } else { "" };
        writeln!(out, "{exported} in scope {} by {}", import.scope.0, label(facts, import.owner))?;
    }
    title(out, "exports", facts.exports.is_empty())?;
    for export in &facts.exports {
        writeln!(out, "  {} = {}", facts.name(export.name), show(facts, export.value))?;
    }
    title(out, "bases", facts.bases.is_empty())?;
    for base in &facts.bases {
        let word = if base.implements { "implements" } else { "extends" };
        writeln!(out, "  :{} {} {word} {}", base.line, label(facts, base.symbol), show(facts, base.base))?;
    }
    title(out, "extensions", facts.extensions.is_empty())?;
    for (ix, extension) in facts.extensions.iter().enumerate() {
        write!(out, "  {ix} :{} of {}", extension.line, show(facts, extension.target))?;
        if let Some(implements) = extension.implements {
            write!(out, " implements {}", show(facts, implements))?;
        }
        writeln!(out, "{}", extension.scope.map_or_else(String::new, |scope| format!(" scope {}", scope.0)))?;
    }
    title(out, "bounds", facts.bounds.is_empty())?;
    for bound in &facts.bounds {
        writeln!(out, "  {}: {} in scope {}", facts.name(bound.name), show(facts, bound.bound), bound.scope.0)?;
    }
    title(out, "decorators", facts.decorators.is_empty())?;
    for decorator in &facts.decorators {
        let value = show(facts, decorator.value);
        writeln!(out, "  :{} {value} on {}", decorator.line, label(facts, decorator.symbol))?;
    }
    title(out, "flows", facts.flows.is_empty())?;
    for flow in &facts.flows {
        let to = match flow.to {
            Place::Expr(expr) => show(facts, expr),
            Place::Variable(ix) => {
                format!("v{} {}", ix.0, facts.variables.get(ix.ix()).map_or("", |v| facts.name(v.name)))
            }
            Place::Symbol(ix) => label(facts, ix),
            Place::Return(ix) => format!("result of {}", label(facts, ix)),
            Place::Yield(ix) => format!("elements of the result of {}", label(facts, ix)),
        };
        writeln!(out, "  {to} <- {}", show(facts, flow.value))?;
    }
    title(out, "uses", facts.sites.is_empty())?;
    for site in &facts.sites {
        let word = if site.kind == SiteKind::Call { "call" } else { "name" };
        writeln!(out, "  :{} {word} {} by {}", site.line, show(facts, site.expr), label(facts, site.owner))?;
    }
    title(out, "errors", facts.errors.is_empty())?;
    facts.errors.iter().try_for_each(|(first, last)| writeln!(out, "  {first}-{last}"))
}

fn label(facts: &FileFacts, ix: SymbolIx) -> String {
    let name = facts.symbols.get(ix.ix()).map_or("?", |symbol| facts.name(symbol.name));
    format!("{}#{}", if name.is_empty() { "<anonymous>" } else { name }, ix.0)
}

fn target(facts: &FileFacts, target: Target) -> String {
    match target {
        Target::Symbol(ix) => format!("#{}", ix.0),
        Target::Variable(ix) => match facts.variables.get(ix.ix()).and_then(|variable| variable.parameter) {
            Some(parameter) => {
                let kind = match parameter.kind {
                    ParameterKind::Plain => "",
                    ParameterKind::Rest => " rest",
                    ParameterKind::RestKeywords => " rest keywords",
                    ParameterKind::Keyword => " keyword",
                    ParameterKind::Receiver => " receiver",
                };
                format!("v{} (parameter {}{kind} of #{})", ix.0, parameter.index, parameter.function.0)
            }
            None => format!("v{}", ix.0),
        },
        Target::Import(ix) => format!("import {}", ix.0),
        Target::TypeParameter => "type parameter".to_owned(),
        Target::Outer(OuterScope::File) => "global".to_owned(),
        Target::Outer(OuterScope::Enclosing) => "nonlocal".to_owned(),
    }
}

fn show(facts: &FileFacts, expr: ExprId) -> String {
    let mut out = String::new();
    let _ = write_expr(&mut out, facts, expr, MAX_DEPTH);
    out
}

/// Recurses on expressions, to a fixed depth.
fn write_expr(out: &mut String, facts: &FileFacts, expr: ExprId, depth: usize) -> std::fmt::Result {
    if depth == 0 {
        return write!(out, "…");
    }
    let inner = |out: &mut String, expr| write_expr(out, facts, expr, depth - 1);
    let list = |out: &mut String, args: Args| -> std::fmt::Result {
        for (number, arg) in facts.arguments(args).iter().enumerate() {
            write!(out, "{}", if number > 0 { ", " } else { "" })?;
            if arg.spread {
                write!(out, "...")?;
            }
            if let Some(name) = arg.name {
                write!(out, "{}=", facts.name(name))?;
            }
            write_expr(out, facts, arg.value, depth - 1)?;
        }
        Ok(())
    };
    match facts.expr(expr) {
        Expr::Unknown => write!(out, "?"),
        Expr::Name { scope, name } => write!(out, "{}@{}", facts.name(name), scope.0),
        Expr::Member { base, name } => {
            inner(out, base)?;
            write!(out, ".{}", facts.name(name))
        }
        Expr::Call { callee, args } => {
            inner(out, callee)?;
            write!(out, "(")?;
            list(out, args)?;
            write!(out, ")")
        }
        Expr::New { class, args } => {
            write!(out, "new ")?;
            inner(out, class)?;
            write!(out, "(")?;
            list(out, args)?;
            write!(out, ")")
        }
        Expr::Index { base, key } => {
            inner(out, base)?;
            write!(out, "[{}]", key.map_or("", |key| facts.name(key)))
        }
        Expr::Element { base } => {
            write!(out, "element of ")?;
            inner(out, base)
        }
        Expr::Await { base } => {
            write!(out, "await ")?;
            inner(out, base)
        }
        Expr::Literal => write!(out, "literal"),
        Expr::Symbol(ix) => write!(out, "{}", label(facts, ix)),
        Expr::Object(args) => {
            write!(out, "{{")?;
            list(out, args)?;
            write!(out, "}}")
        }
        Expr::List(args) => {
            write!(out, "[")?;
            list(out, args)?;
            write!(out, "]")
        }
        Expr::Union(args) => {
            write!(out, "any of (")?;
            list(out, args)?;
            write!(out, ")")
        }
        Expr::Receiver { scope } => write!(out, "self@{}", scope.0),
        Expr::ReceiverType { scope } => write!(out, "Self@{}", scope.0),
        Expr::Super { scope } => write!(out, "super@{}", scope.0),
        Expr::Instance { of } => {
            write!(out, "instance of ")?;
            inner(out, of)
        }
        Expr::Apply { base, args } => {
            inner(out, base)?;
            write!(out, "<")?;
            list(out, args)?;
            write!(out, ">")
        }
        Expr::Module { source } => write!(out, "module `{}`", facts.name(source)),
    }
}
