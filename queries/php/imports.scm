; What PHP takes from other files and namespaces.

(namespace_use_declaration (namespace_name) @source body: (_)) @import.group
(namespace_use_clause [(name) (qualified_name)] @source alias: (name) @local) @import (#set! path)
(namespace_use_clause [(name) (qualified_name)] @source !alias) @import (#set! path)

(require_expression (string) @source) @import (#set! effects)
(require_once_expression (string) @source) @import (#set! effects)
(include_expression (string) @source) @import (#set! effects)
(include_once_expression (string) @source) @import (#set! effects)
; require __DIR__ . "/x.php"
(require_expression (binary_expression right: (string) @source)) @import (#set! effects)
(require_once_expression (binary_expression right: (string) @source)) @import (#set! effects)
(include_expression (binary_expression right: (string) @source)) @import (#set! effects)
(include_once_expression (binary_expression right: (string) @source)) @import (#set! effects)
