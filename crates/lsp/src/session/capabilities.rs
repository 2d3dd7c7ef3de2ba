//! What we say that we can do, and what the server can: from its first answer, and from what it registers later.

use std::collections::BTreeMap;

use serde_json::{Value, json};
use vise_text::PositionEncoding;

/// What the server can. The first answer is kept as it came: the types know too little of newer servers.
#[derive(Debug, Default)]
pub(crate) struct Capabilities {
    raw: Value,
    registered: BTreeMap<String, (String, Value)>,
}

/// The member of the first answer that stands for each method.
const PROVIDERS: [(&str, &str); 18] = [
    ("textDocument/definition", "definitionProvider"),
    ("textDocument/declaration", "declarationProvider"),
    ("textDocument/typeDefinition", "typeDefinitionProvider"),
    ("textDocument/implementation", "implementationProvider"),
    ("textDocument/references", "referencesProvider"),
    ("textDocument/hover", "hoverProvider"),
    ("textDocument/signatureHelp", "signatureHelpProvider"),
    ("textDocument/documentSymbol", "documentSymbolProvider"),
    ("workspace/symbol", "workspaceSymbolProvider"),
    ("textDocument/prepareCallHierarchy", "callHierarchyProvider"),
    ("textDocument/prepareTypeHierarchy", "typeHierarchyProvider"),
    ("textDocument/rename", "renameProvider"),
    ("textDocument/prepareRename", "renameProvider/prepareProvider"),
    ("textDocument/codeAction", "codeActionProvider"),
    ("codeAction/resolve", "codeActionProvider/resolveProvider"),
    ("textDocument/diagnostic", "diagnosticProvider"),
    ("workspace/willRenameFiles", "workspace/fileOperations/willRename"),
    ("textDocument/didSave", "textDocumentSync/save"),
];

/// How much of a changed text the server wants to be sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SyncKind {
    /// Nothing: it reads a text only when the document is opened.
    None,
    /// The text. A server that takes ranges takes a whole text too.
    Full,
}

impl Capabilities {
    pub(super) fn set(&mut self, raw: Value) {
        self.raw = raw;
    }

    pub(super) fn register(&mut self, id: String, method: String, options: Value) {
        self.registered.insert(id, (method, options));
    }

    pub(super) fn unregister(&mut self, id: &str) {
        self.registered.remove(id);
    }

    /// Whether the server said that it answers this. What it did not say it is not asked: there are servers that end.
    pub(crate) fn supports(&self, method: &str) -> bool {
        self.options(method).next().is_some()
    }

    /// What it said of a method: once at the start, and once for each registration.
    pub(crate) fn options<'s>(&'s self, method: &'s str) -> impl Iterator<Item = &'s Value> {
        let member = PROVIDERS.iter().find(|(known, _)| *known == method).map(|(_, member)| *member);
        let fixed = member.and_then(|member| self.raw.pointer(&format!("/{member}")));
        let fixed = fixed.filter(|value| value.as_bool().unwrap_or(!value.is_null()));
        let registered = self.registered.values().filter(move |(known, _)| known == method).map(|(_, options)| options);
        // A registration of `prepareRename` and the like hides in the options of the main one.
        let nested = member.and_then(|member| member.split_once('/')).and_then(|(provider, inner)| {
            let outer = PROVIDERS.iter().find(|(_, member)| *member == provider).map(|(method, _)| *method)?;
            let options = self.registered.values().find(|(known, _)| known == outer).map(|(_, options)| options)?;
            options.get(inner).filter(|value| value.as_bool().unwrap_or(!value.is_null()))
        });
        fixed.into_iter().chain(registered).chain(nested)
    }

    /// What columns count. `offsetEncoding` is how a server said so before the protocol did.
    pub(super) fn encoding(&self) -> PositionEncoding {
        let said = self.raw["positionEncoding"].as_str().or_else(|| self.raw["offsetEncoding"].as_str());
        match said {
            Some("utf-8") => PositionEncoding::Utf8,
            Some("utf-32") => PositionEncoding::Utf32,
            _ => PositionEncoding::Utf16,
        }
    }

    pub(super) fn sync(&self) -> SyncKind {
        let sync = &self.raw["textDocumentSync"];
        let registered = self.registered.values().any(|(method, _)| method == "textDocument/didChange");
        match sync.as_i64().or_else(|| sync["change"].as_i64()) {
            Some(1 | 2) => SyncKind::Full,
            _ if registered => SyncKind::Full,
            _ => SyncKind::None,
        }
    }

    /// Whether it wants to hear of saves, and whether with the text.
    pub(super) fn save(&self) -> Option<bool> {
        let mut wanted = None;
        for options in self.options("textDocument/didSave") {
            let text = options.get("includeText").and_then(Value::as_bool).unwrap_or(false);
            wanted = Some(wanted.unwrap_or(false) || text);
        }
        wanted
    }
}

/// What we can. A server's answers change with it; each member is here because something reads what it brings.
pub(super) fn declared() -> Value {
    let dynamic = || json!({"dynamicRegistration": true});
    let linked = || json!({"dynamicRegistration": true, "linkSupport": true});
    let symbol_kinds = json!({"valueSet": (1..=26).collect::<Vec<_>>()});
    json!({
        "general": {
            "positionEncodings": ["utf-8", "utf-32", "utf-16"],
            "staleRequestSupport": {
                "cancel": true,
                "retryOnContentModified": [
                    "textDocument/definition", "textDocument/references", "textDocument/hover",
                    "textDocument/documentSymbol", "workspace/symbol",
                ],
            },
        },
        "workspace": {
            "applyEdit": true,
            "configuration": true,
            "workspaceFolders": true,
            "didChangeConfiguration": dynamic(),
            "didChangeWatchedFiles": {"dynamicRegistration": true, "relativePatternSupport": true},
            "symbol": {"dynamicRegistration": true, "symbolKind": symbol_kinds},
            "fileOperations": {"dynamicRegistration": true, "willRename": true, "didRename": true},
            "workspaceEdit": {
                "documentChanges": true,
                "resourceOperations": ["create", "rename", "delete"],
                "failureHandling": "transactional",
                "normalizesLineEndings": false,
                "changeAnnotationSupport": {"groupsOnLabel": false},
            },
            "diagnostic": {"refreshSupport": true},
        },
        "textDocument": {
            "synchronization": {"dynamicRegistration": true, "didSave": true},
            "definition": linked(),
            "declaration": linked(),
            "typeDefinition": linked(),
            "implementation": linked(),
            "references": dynamic(),
            "hover": {"dynamicRegistration": true, "contentFormat": ["markdown", "plaintext"]},
            "signatureHelp": {
                "dynamicRegistration": true,
                "signatureInformation": {"documentationFormat": ["markdown", "plaintext"]},
            },
            "documentSymbol": {
                "dynamicRegistration": true,
                "hierarchicalDocumentSymbolSupport": true,
                "symbolKind": symbol_kinds,
            },
            "callHierarchy": dynamic(),
            "typeHierarchy": dynamic(),
            "rename": {"dynamicRegistration": true, "prepareSupport": true, "honorsChangeAnnotations": true},
            "codeAction": {
                "dynamicRegistration": true,
                "isPreferredSupport": true,
                "disabledSupport": true,
                "dataSupport": true,
                "resolveSupport": {"properties": ["edit"]},
                "codeActionLiteralSupport": {"codeActionKind": {"valueSet": [
                    "", "quickfix", "refactor", "refactor.extract", "refactor.inline", "refactor.rewrite", "source",
                    "source.organizeImports", "source.fixAll",
                ]}},
            },
            "publishDiagnostics": {
                "relatedInformation": true,
                "versionSupport": true,
                "tagSupport": {"valueSet": [1, 2]},
            },
            "diagnostic": {
                "dynamicRegistration": true,
                "relatedDocumentSupport": true,
                "tagSupport": {"valueSet": [1, 2]},
            },
        },
        "window": {"workDoneProgress": true, "showDocument": {"support": false}},
        "experimental": {"serverStatusNotification": true},
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_member_that_we_declare_is_one_of_the_protocol() {
        let mut declared = declared();
        let typed: lsp_types::ClientCapabilities = serde_json::from_value(declared.clone()).unwrap();
        // Newer than the types.
        for (at, member) in [("/workspace", "diagnostic"), ("/textDocument/diagnostic", "tagSupport")] {
            declared.pointer_mut(at).and_then(Value::as_object_mut).unwrap().remove(member).unwrap();
        }
        let typed = serde_json::to_value(typed).unwrap();
        fn known(ours: &Value, typed: &Value, at: &str) {
            let Some(members) = ours.as_object() else {
                assert_eq!(ours, typed, "{at}");
                return;
            };
            for (key, value) in members {
                known(value, &typed[key.as_str()], &format!("{at}/{key}"));
            }
        }
        known(&declared, &typed, "");
    }

    #[test]
    fn what_a_server_can() {
        let mut can = Capabilities::default();
        can.set(json!({
            "hoverProvider": false, "referencesProvider": {}, "renameProvider": {"prepareProvider": true},
            "definitionProvider": true, "textDocumentSync": {"change": 2, "save": {"includeText": true}},
            "offsetEncoding": "utf-8", "callHierarchyProvider": null,
        }));
        let supported = |can: &Capabilities| {
            PROVIDERS.iter().map(|(method, _)| *method).filter(|method| can.supports(method)).collect::<Vec<_>>()
        };
        assert_eq!(
            supported(&can),
            [
                "textDocument/definition",
                "textDocument/references",
                "textDocument/rename",
                "textDocument/prepareRename",
                "textDocument/didSave"
            ]
        );
        assert_eq!((can.encoding(), can.sync(), can.save()), (PositionEncoding::Utf8, SyncKind::Full, Some(true)));
        can.register("1".into(), "textDocument/codeAction".into(), json!({"resolveProvider": true}));
        assert!(can.supports("textDocument/codeAction") && can.supports("codeAction/resolve"));
        can.unregister("1");
        assert!(!can.supports("codeAction/resolve"));
        assert_eq!(Capabilities::default().sync(), SyncKind::None);
    }
}
