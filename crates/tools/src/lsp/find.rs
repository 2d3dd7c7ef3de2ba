//! A symbol without a file: every server that is here is asked where it is.

use vise_lsp::{Operation, Outcome, Query, Symbol};
use vise_workspace::absolute;

use crate::living::{Living, ServedFiles};
use crate::{ErrorKind, Session, ToolError};

/// So many places are named in words; the error's JSON has all.
const SHOWN: usize = 20;

/// The question with the file and line of its symbol. For `workspaceSymbol` the file of a server will do.
pub(super) fn anchor(living: &dyn Living, query: Query, session: &Session) -> Result<Query, ToolError> {
    let servers = first_of_each(living.servers(session)?)?;
    let symbol = query.symbol.clone().unwrap_or_default();
    if query.operation == Operation::WorkspaceSymbol && servers.len() == 1 {
        return Ok(Query { file: Some(servers[0].sample.clone()), ..query });
    }
    let mut found: Vec<Symbol> = Vec::new();
    let (mut answered, mut trouble, mut notes) = (0, None, Vec::new());
    for served in &servers {
        let ask = Query {
            operation: Operation::WorkspaceSymbol,
            file: Some(served.sample.clone()),
            line: None,
            column: None,
            ..query.clone()
        };
        match living.ask(&ask, session) {
            Ok(answer) => {
                answered += 1;
                if let Outcome::Symbols(symbols) = answer.outcome {
                    if query.operation == Operation::WorkspaceSymbol && !symbols.is_empty() {
                        // The server that knows the name is the one to be asked.
                        return Ok(Query { file: ask.file, ..query });
                    }
                    found.extend(symbols.into_iter().filter(|found| is_meant(found, &symbol)));
                }
                notes.extend(answer.notes);
            }
            Err(error) => trouble = trouble.or(Some(error)),
        }
    }
    if let (0, Some(error)) = (answered, trouble) {
        return Err(error);
    }
    if query.operation == Operation::WorkspaceSymbol {
        return Ok(Query { file: Some(servers[0].sample.clone()), ..query });
    }
    found.sort_by(|a, b| (&a.file, a.line, a.column).cmp(&(&b.file, b.line, b.column)));
    found.dedup_by(|a, b| a.file == b.file && a.line == b.line);
    match &found[..] {
        [one] => {
            let (line, column) = (one.line, one.column);
            Ok(Query { file: Some(absolute(&session.root, one.file.as_ref())), line, column, ..query })
        }
        [] => {
            let asked: Vec<&str> = servers.iter().filter_map(|one| one.server.as_deref()).collect();
            let message = format!("{} knows no symbol `{symbol}` in this workspace", asked.join(" or "));
            let hint = notes.into_iter().next().unwrap_or_else(|| "name a file in which it stands (`file`)".to_owned());
            Err(ToolError::new(ErrorKind::NotFound, message).hint(hint))
        }
        several => {
            let place = |one: &Symbol| format!("{}:{}  {} {}", one.file, one.line.unwrap_or(1), one.kind, one.name);
            let shown: Vec<String> = several.iter().take(SHOWN).map(place).collect();
            Err(ToolError::bad_input(format!("{} symbols are called `{symbol}`", several.len()))
                .hint(format!("say which, by `file` and `line`:\n{}", shown.join("\n")))
                .with("candidates", several))
        }
    }
}

/// One kind of file for each server that is here.
fn first_of_each(served: Vec<ServedFiles>) -> Result<Vec<ServedFiles>, ToolError> {
    let mut unusable: Vec<String> = served.iter().flat_map(|one| one.unusable.clone()).collect();
    let mut servers: Vec<ServedFiles> = served.into_iter().filter(|one| one.server.is_some()).collect();
    servers.sort_by_key(|one| std::cmp::Reverse(one.files));
    let mut seen = std::collections::HashSet::new();
    servers.retain(|one| seen.insert((one.server.clone(), one.root.clone())));
    if servers.is_empty() {
        unusable.sort();
        unusable.dedup();
        let error = ToolError::new(ErrorKind::Unavailable, "no language server can be used for the files here");
        let hint = if unusable.is_empty() { "`vise doctor` says more".to_owned() } else { unusable.join("\n") };
        return Err(error.hint(hint));
    }
    Ok(servers)
}

/// Whether a symbol is the one that a name, qualified or not, means.
fn is_meant(symbol: &Symbol, name: &str) -> bool {
    let segments = |text: &str| -> Vec<String> {
        let parts = text.split(['.', ':', '#', '/']).map(|part| part.trim_end_matches("()").to_owned());
        parts.filter(|part| !part.is_empty()).collect()
    };
    let (wanted, own) = (segments(name), segments(&symbol.name));
    let Some((last, around)) = wanted.split_last() else { return false };
    if own.last() != Some(last) {
        return false;
    }
    // What is around it may be said by the container, by the name itself, or by the file.
    let mut known = segments(symbol.file.rsplit_once('.').map_or(&*symbol.file, |(stem, _)| stem));
    known.extend(symbol.container.iter().flat_map(|container| segments(container)));
    known.extend(own);
    around.iter().all(|part| known.contains(part))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_qualified_name_means_the_symbol_in_what_it_names() {
        let symbol = |name: &str, container: Option<&str>| Symbol {
            name: name.into(),
            kind: "method".into(),
            file: "src/store.py".into(),
            line: Some(1),
            column: Some(1),
            container: container.map(str::to_owned),
            children: Vec::new(),
        };
        assert!(is_meant(&symbol("save", Some("Store")), "Store.save"));
        assert!(is_meant(&symbol("save", Some("Store")), "store::Store#save"));
        assert!(is_meant(&symbol("save()", None), "save"));
        assert!(is_meant(&symbol("Store.save", None), "Store.save"));
        assert!(!is_meant(&symbol("save", Some("Cart")), "Store.save"));
        assert!(!is_meant(&symbol("save_all", Some("Store")), "save"));
        assert!(!is_meant(&symbol("save", None), ""));
    }
}
