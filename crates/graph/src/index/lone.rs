//! Facts of a file in a language of which nothing is looked for: that it is there.

use super::tree::name;
use crate::facts::{FileFacts, NameId, Scope, ScopeId, ScopeKind, Symbol, SymbolIx};
use crate::kinds::SymbolKind;

/// The facts of a file that is only its top-level code.
pub(super) fn facts(path: &str, lines: u32) -> FileFacts {
    let file_name = name(path);
    let stem = file_name.split_once('.').map_or(file_name, |(stem, _)| stem);
    let module = Symbol {
        name: NameId(0),
        kind: SymbolKind::Module,
        container: SymbolIx::MODULE,
        scope: ScopeId::FILE,
        body: Some(ScopeId::FILE),
        line: 1,
        start_line: 1,
        end_line: lines.max(1),
        signature: NameId(1),
        declared: None,
        extension: None,
        arity: (0, 0),
        labels: None,
        flags: 0,
    };
    let scope = Scope { parent: ScopeId::FILE, kind: ScopeKind::File, owner: SymbolIx::MODULE, extension: None };
    FileFacts {
        names: [if stem.is_empty() { file_name } else { stem }, ""].into_iter().collect(),
        symbols: vec![module],
        scopes: vec![scope],
        ..FileFacts::default()
    }
}
