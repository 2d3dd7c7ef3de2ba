//! Questions whose answer is to be read: places, symbols, calls, types.

use std::path::Path;
use std::sync::PoisonError;

use serde_json::{Value, json};
use vise_syntax::servers::Quirk;

use super::ask::{Asked, Place, Remarks, is_nothing, position_params};
use crate::anchor;
use crate::answer::{Location, Operation, Outcome, Query, Symbol};
use crate::convert;
use crate::error::Error;
use crate::gate;
use crate::session::Session;
use crate::uri;

impl Asked<'_> {
    pub(super) async fn locations(&self, query: &Query, remarks: &mut Remarks) -> Result<Outcome, Error> {
        let method = query.operation.method();
        let references = query.operation == Operation::FindReferences;
        let more = if references { json!({"context": {"includeDeclaration": true}}) } else { json!({}) };
        let (result, place) = self.first(query, method, more, remarks).await?;
        let mut found = self.read(remarks, |reader| convert::locations(&result, reader));
        if references {
            let defined = self.definitions(&place, &found, remarks).await?;
            for location in &mut found {
                location.definition = defined.iter().any(|at| same_place(at, location));
            }
            self.keep_ours(&mut found, &place.path, remarks);
        } else if query.operation == Operation::GoToDefinition {
            found.iter_mut().for_each(|location| location.definition = true);
        }
        Ok(Outcome::Locations(found))
    }

    /// Where what stands at a place is defined. Asked at a definition, servers with declarations answer with the declaration
    /// instead, and the other way round; so they are asked at another of the references.
    pub(super) async fn definitions(
        &self,
        place: &Place,
        references: &[Location],
        remarks: &mut Remarks,
    ) -> Result<Vec<Location>, Error> {
        let method = "textDocument/definition";
        if !self.can(method) {
            return Ok(Vec::new());
        }
        let result = self.at(place, method, json!({}), true).await?;
        let defined = self.read(remarks, |reader| convert::locations(&result, reader));
        let here = self.location_of(place, remarks);
        if !self.can("textDocument/declaration") || defined.iter().any(|at| same_place(at, &here)) {
            return Ok(defined);
        }
        let known = |at: &&Location| same_place(at, &here) || defined.iter().any(|known| same_place(known, at));
        let Some(other) = references.iter().find(|at| !at.outside_workspace && !known(at)) else { return Ok(defined) };
        let path = self.workspace.join(&other.file);
        self.open(&path)?;
        let there = Query {
            operation: Operation::GoToDefinition,
            file: Some(path),
            symbol: None,
            line: Some(other.line),
            column: Some(other.column),
            max: usize::MAX,
            include_ignored: false,
        };
        let result = self.at(&self.places(&there)?[0], method, json!({}), true).await?;
        let at_use = self.read(remarks, |reader| convert::locations(&result, reader));
        Ok(if at_use.is_empty() { defined } else { at_use })
    }

    pub(super) fn location_of(&self, place: &Place, remarks: &mut Remarks) -> Location {
        let uri = uri::of(&place.path);
        let position = self.live.with(|session, _| position_params(session, place, json!({}))["position"].clone());
        let item = json!({"uri": uri, "range": {"start": position, "end": position}});
        self.read(remarks, |reader| convert::locations(&item, reader)).remove(0)
    }

    /// Drops references in files that are ignored or outside, and says how many.
    pub(super) fn keep_ours(&self, found: &mut Vec<Location>, anchor: &Path, remarks: &mut Remarks) {
        let before = found.len();
        found.retain(|location| self.is_ours(&self.workspace.join(&location.file), anchor));
        let dropped = before - found.len();
        if dropped > 0 {
            remarks
                .notes
                .push(format!("{dropped} references in ignored files or outside of the workspace are left out"));
        }
    }

    pub(super) fn is_ours(&self, path: &Path, anchor: &Path) -> bool {
        let files = self.server.files.lock().unwrap_or_else(PoisonError::into_inner);
        // Of what is beside the server's root, nothing is known but that it is of the workspace.
        let beside = !path.starts_with(&self.server.root) && path.starts_with(self.workspace);
        path == anchor || beside || files.has(path)
    }

    pub(super) async fn say(&self, query: &Query) -> Result<Outcome, Error> {
        let method = query.operation.method();
        let convert = if query.operation == Operation::Hover { convert::hover } else { convert::signature };
        let places = self.places(query)?;
        for waited in [false, true] {
            for place in &places {
                let mut place = place.clone();
                if query.operation == Operation::Signature
                    && let Some(name) = place.name.as_ref().filter(|_| query.column.is_none())
                {
                    // What a call takes is asked behind its parenthesis.
                    place.offset += name.len() + 1;
                }
                if let Some(text) = convert(&self.at(&place, method, json!({}), true).await?) {
                    return Ok(Outcome::Hover(Some(text)));
                }
            }
            if waited || self.is_settled() || !self.gate().await {
                break;
            }
        }
        Ok(Outcome::Hover(None))
    }

    pub(super) async fn document_symbols(&self, query: &Query, remarks: &mut Remarks) -> Result<Outcome, Error> {
        let path = self.file_of(query)?;
        let prepare = |session: &mut Session| json!({"textDocument": {"uri": session.documents.uri(path)}});
        let result = self.request("textDocument/documentSymbol", true, prepare).await?;
        let uri = uri::of(path);
        Ok(Outcome::Symbols(self.read(remarks, |reader| convert::symbols(&result, Some(&uri), reader))))
    }

    pub(super) async fn workspace_symbols(&self, query: &Query, remarks: &mut Remarks) -> Result<Outcome, Error> {
        let wanted = query.symbol.as_deref().map(anchor::last_segment).filter(|wanted| !wanted.is_empty());
        let Some(wanted) = wanted else {
            return Err(Error::BadQuery("`workspaceSymbol` needs a name to look for".to_owned()));
        };
        if self.has(Quirk::NeedsOpenFile) && self.live.with(|session, _| session.documents.paths().is_empty()) {
            let serves = |path: &Path| self.server.spec.language_of(path).is_some();
            let first = {
                let files = self.server.files.lock().unwrap_or_else(PoisonError::into_inner);
                files.first(serves).map(Path::to_owned)
            };
            if let Some(path) = first {
                self.open(&path)?;
            }
        }
        if !self.gate().await {
            self.incomplete(remarks, 0);
        }
        let params = json!({"query": wanted});
        let mut result = self.request("workspace/symbol", true, |_| params.clone()).await?;
        let proven = self.live.with(|session, _| session.readiness.is_proven());
        if is_nothing(&result) && !proven {
            let over = tokio::time::Instant::now() + self.ready;
            let holding = self.words.files_with(wanted).len();
            for attempt in 0.. {
                if holding == 0 || tokio::time::Instant::now() >= over || !is_nothing(&result) {
                    break;
                }
                tokio::time::sleep_until((tokio::time::Instant::now() + gate::pause(attempt)).min(over)).await;
                result = self.request("workspace/symbol", true, |_| params.clone()).await?;
            }
            if is_nothing(&result) && holding > 0 {
                self.live.with(|session, _| session.readiness.prove());
                self.incomplete(remarks, holding);
            }
        }
        let mut found: Vec<Symbol> = self.read(remarks, |reader| convert::symbols(&result, None, reader));
        let before = found.len();
        found.retain(|symbol| self.is_ours(&self.workspace.join(&symbol.file), Path::new("")));
        if found.len() < before {
            let dropped = before - found.len();
            remarks.notes.push(format!("{dropped} symbols in ignored files or outside of the workspace are left out"));
        }
        // The best match first: servers look for parts of names, too.
        found.sort_by_key(|symbol| !convert::same_name(&symbol.name, wanted));
        Ok(Outcome::Symbols(found))
    }

    pub(super) async fn hierarchy(&self, query: &Query, remarks: &mut Remarks) -> Result<Outcome, Error> {
        let prepare = query.operation.method();
        let (mut result, place) = self.first_item(query, prepare, remarks).await?;
        if is_nothing(&result) && self.can("textDocument/definition") {
            // At a use or an import some servers have no item, though they know where its definition is.
            let defined = self.at(&place, "textDocument/definition", json!({}), true).await?;
            let defined = self.read(remarks, |reader| convert::locations(&defined, reader));
            if let Some(at) = defined.iter().find(|at| !at.outside_workspace) {
                let path = self.workspace.join(&at.file);
                self.open(&path)?;
                let there = Query { file: Some(path), line: Some(at.line), column: Some(at.column), ..query.clone() };
                result = self.first_item(&there, prepare, remarks).await?.0;
            }
        }
        let items: Vec<Value> = convert::hierarchy(&result, place.name.as_deref()).into_iter().cloned().collect();
        if items.is_empty() {
            remarks.notes.push(format!("{} has no item of that name at this place", self.id()));
        }
        let (mut calls, mut types) = (Vec::new(), Vec::new());
        for item in items {
            let here = item.get("uri").and_then(Value::as_str).unwrap_or_default().to_owned();
            let (method, key) = match query.operation {
                Operation::IncomingCalls => ("callHierarchy/incomingCalls", "from"),
                Operation::OutgoingCalls => ("callHierarchy/outgoingCalls", "to"),
                Operation::Supertypes => ("typeHierarchy/supertypes", ""),
                _ => ("typeHierarchy/subtypes", ""),
            };
            let result = self.request(method, true, |_| json!({"item": item})).await?;
            if key.is_empty() {
                types.extend(self.read(remarks, |reader| convert::symbols(&result, None, reader)));
            } else {
                calls.extend(self.read(remarks, |reader| convert::calls(&result, key, &here, reader)));
            }
        }
        Ok(match query.operation {
            Operation::IncomingCalls | Operation::OutgoingCalls => Outcome::Calls(calls),
            _ => Outcome::Types(types),
        })
    }

    /// The items at the first place where there is one of the asked name. The index is waited for, but an item lies in its
    /// own file, so that it cannot be compared with the files that hold the name.
    pub(super) async fn first_item(
        &self,
        query: &Query,
        method: &str,
        remarks: &mut Remarks,
    ) -> Result<(Value, Place), Error> {
        let places = self.places(query)?;
        if !self.gate().await && !remarks.incomplete {
            self.incomplete(remarks, 0);
        }
        self.prove_by_references(&places).await?;
        for place in &places {
            let result = self.at(place, method, json!({}), true).await?;
            if !convert::hierarchy(&result, place.name.as_deref()).is_empty() {
                return Ok((result, place.clone()));
            }
        }
        Ok((Value::Null, places[0].clone()))
    }
}

fn same_place(one: &Location, other: &Location) -> bool {
    (&one.file, one.line, one.column) == (&other.file, other.line, other.column)
}
