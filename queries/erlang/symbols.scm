; A module is a namespace that all files see.
(source_file (module_attribute name: (_) @name)) @definition.namespace
(pp_define lhs: (macro_lhs name: (_) @name)) @definition.macro
(record_decl name: (_) @name) @definition.struct
(record_field name: (_) @name) @definition.field
(type_alias name: (type_name name: (_) @name)) @definition.type
(opaque name: (type_name name: (_) @name)) @definition.type
(callback fun: (_) @name) @definition.function (#set! abstract)
(fun_decl clause: (function_clause name: (_) @name)) @definition.function (#set! partial)
(spec) @ignore
