(import_specification [(configurable_uri (uri (string_literal) @source)) (uri (string_literal) @source)]
  (identifier) @local (combinator "show" (identifier)*)?) @import (#set! module)
(import_specification [(configurable_uri (uri (string_literal) @source)) (uri (string_literal) @source)]
  (combinator "show")) @import.group
(import_specification . [(configurable_uri) (uri)] . (combinator "show" (identifier) @import @name))
(combinator (identifier) @ignore)
(import_specification [(configurable_uri (uri (string_literal) @source)) (uri (string_literal) @source)] @all) @import
(library_export [(configurable_uri (uri (string_literal) @source)) (uri (string_literal) @source)]
  (combinator "show" (identifier)+ @name)) @import (#set! exported)
(library_export [(configurable_uri (uri (string_literal) @source)) (uri (string_literal) @source)] @all) @export
(part_directive (uri (string_literal) @source) @all) @import
(part_of_directive (uri (string_literal) @source) @all) @import
(part_of_directive) @ignore
(library_name) @ignore
