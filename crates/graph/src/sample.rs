//! A language for tests that is read line by line, and a way to resolve it. It stands in for queries and grammars where
//! only files, stores and generations matter.
//!
//! `class A`, `def f` (indented: a member of the class above), `call g` (from the definition above), `lambda` (an
//! anonymous function), `too hard` (more than can be parsed).

use rustc_hash::FxHashMap;
use vise_syntax::{Language, OverBudget};

use crate::facts::{
    Expr, ExprId, FileFacts, NameId, Scope, ScopeId, ScopeKind, Site, SiteKind, Symbol, SymbolIx, flag,
};
use crate::kinds::{EdgeKind, Evidence, SymbolKind};
use crate::resolution::{GlobalSymbol, Miss, Resolution, ResolvedEdge, ResolvedFile};
use crate::source::{ProjectFile, SourceFile};

/// A symbol of which only the given is said.
pub(crate) fn symbol(name: NameId, kind: SymbolKind, container: SymbolIx, line: u32) -> Symbol {
    Symbol {
        name,
        kind,
        container,
        scope: ScopeId::FILE,
        body: None,
        line,
        start_line: line,
        end_line: line,
        signature: name,
        declared: None,
        extension: None,
        arity: (0, 0),
        labels: None,
        flags: 0,
    }
}

fn name(facts: &mut FileFacts, text: &str) -> NameId {
    let found = facts.names.iter().position(|known| known == text);
    NameId(
        u32::try_from(found.unwrap_or_else(|| {
            facts.names.push(text);
            facts.names.len() - 1
        }))
        .unwrap(),
    )
}

pub(crate) fn extract(_: &Language, text: &[u8], path: &str) -> Result<Option<FileFacts>, OverBudget> {
    let mut facts = FileFacts::default();
    let module = name(&mut facts, path);
    facts.symbols.push(symbol(module, SymbolKind::Module, SymbolIx::MODULE, 1));
    let owner = SymbolIx::MODULE;
    facts.scopes.push(Scope { parent: ScopeId::FILE, kind: ScopeKind::File, owner, extension: None });
    let (mut class, mut owner) = (SymbolIx::MODULE, SymbolIx::MODULE);
    let text = String::from_utf8_lossy(text);
    for (line, words) in (1..).zip(text.lines()) {
        let is_member = words.starts_with(' ');
        let next = SymbolIx(u32::try_from(facts.symbols.len()).unwrap());
        match words.split_whitespace().collect::<Vec<_>>()[..] {
            ["class", word] => {
                let word = name(&mut facts, word);
                facts.symbols.push(symbol(word, SymbolKind::Class, SymbolIx::MODULE, line));
                (class, owner) = (next, next);
            }
            ["def", word] => {
                let word = name(&mut facts, word);
                let kind = if is_member { SymbolKind::Method } else { SymbolKind::Function };
                facts.symbols.push(symbol(word, kind, if is_member { class } else { SymbolIx::MODULE }, line));
                owner = next;
            }
            ["lambda"] => {
                let word = name(&mut facts, "");
                let flags = flag::ANONYMOUS;
                facts.symbols.push(Symbol { flags, ..symbol(word, SymbolKind::Function, owner, line) });
            }
            ["call", word] => {
                let word = name(&mut facts, word);
                let expr = ExprId(u32::try_from(facts.exprs.len()).unwrap());
                facts.exprs.push(Expr::Name { scope: ScopeId::FILE, name: word });
                facts.sites.push(Site { expr, owner, line, kind: SiteKind::Call });
            }
            ["too", "hard"] => return Err(OverBudget),
            _ => {}
        }
    }
    Ok(Some(facts))
}

/// Calls go to whatever has the name, anywhere. What begins with `ext` is elsewhere. The texts of project files stand
/// before qualified names.
pub(crate) fn resolve(files: &[SourceFile<'_>], projects: &[ProjectFile]) -> Resolution {
    let prefix: String = projects.iter().map(|project| project.text.trim()).collect();
    let mut named: FxHashMap<&str, Vec<GlobalSymbol>> = FxHashMap::default();
    for (number, file) in (0..).zip(files) {
        for (ix, symbol) in (0..).map(SymbolIx).zip(&file.facts.symbols).skip(1) {
            let place = GlobalSymbol { file: number, symbol: ix };
            named.entry(file.facts.name(symbol.name)).or_default().push(place);
        }
    }
    let resolved = files.iter().map(|file| {
        let facts = &file.facts;
        let qualified = facts.symbols.iter().map(|symbol| format!("{prefix}{}", facts.name(symbol.name))).collect();
        let mut resolved = ResolvedFile { qualified, ..ResolvedFile::default() };
        for site in &facts.sites {
            let Expr::Name { name, .. } = facts.expr(site.expr) else { continue };
            let targets = named.get(facts.name(name)).map_or(&[][..], Vec::as_slice);
            let evidence = if targets.len() > 1 { Evidence::Ambiguous } else { Evidence::UniqueName };
            let (from, line, kind) = (site.owner, site.line, EdgeKind::Calls);
            resolved.edges.extend(targets.iter().map(|to| ResolvedEdge { from, line, to: *to, kind, evidence }));
            if targets.is_empty() {
                let external = facts.name(name).starts_with("ext");
                resolved.misses.push(Miss { owner: site.owner, line, name, call: true, external });
            }
        }
        resolved
    });
    Resolution { files: resolved.collect() }
}
