(import_statement name: (aliased_import name: (dotted_name) @source alias: (identifier) @local) @import) (#set! module)
(import_statement name: (dotted_name) @import) (#set! first_part)

(import_from_statement module_name: (_) @source) @import.group
(future_import_statement) @ignore
(import_from_statement name: (aliased_import name: (_) @name alias: (_) @local) @import)
(import_from_statement name: (dotted_name) @import)
(wildcard_import) @import (#set! all)
