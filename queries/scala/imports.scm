; `import a.b.{C, D => E, _}`, `import a.b._`, `import a.b.C as D`, `import a.b.C`.

(import_declaration path: (_)* @source (namespace_selectors)) @import.group
(import_declaration path: (_)* @source (namespace_wildcard) @all) @import
(import_declaration path: (_)* @source (as_renamed_identifier)) @import.group
(import_declaration path: (_)* @source (#set! path)) @import

(namespace_selectors (identifier) @import (#set! path))
(arrow_renamed_identifier alias: (wildcard)) @ignore
(arrow_renamed_identifier name: (_) @source alias: (_) @local (#set! path)) @import
(as_renamed_identifier name: (_) @source alias: (_) @local (#set! path)) @import
(namespace_wildcard "given") @ignore
(namespace_wildcard "_" @all) @import
(namespace_wildcard "*" @all) @import
(export_declaration) @ignore
