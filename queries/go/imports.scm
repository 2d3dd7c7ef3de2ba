(import_spec name: (dot) @all path: (_) @source) @import
(import_spec name: (blank_identifier) path: (_) @source) @import (#set! effects)
(import_spec name: (package_identifier) @local path: (_) @source) @import (#set! module)
(import_spec path: (_) @source) @import (#set! module)
