; A module is a namespace that all files see.
(haskell (header module: (module) @name)) @definition.namespace
(type_synonym name: (_) @name) @definition.type
(data_type name: (_) @name) @definition.enum
(newtype name: (_) @name) @definition.struct
(class name: (_) @name) @definition.interface
(instance name: (_) @implements patterns: (type_patterns . (_) @target)) @extension
(type_family name: (_) @name) @definition.type
(data_constructor constructor: (_ name: (constructor) @name)) @definition.constant
(newtype_constructor name: (constructor) @name) @definition.constant
(field name: (field_name) @name) @definition.field
(class_declarations (signature name: (_) @name) @definition.function (#set! abstract))
(signature) @ignore
(function name: (_) @name) @definition.function (#set! partial)
(function (infix operator: (_ [(variable) (operator)] @name))) @definition.function (#set! partial)
(declarations (bind name: (variable) @name) @definition.function (#set! partial))
(class_declarations (bind name: (variable) @name) @definition.function (#set! partial))
(instance_declarations (bind name: (variable) @name) @definition.function (#set! partial))
(pattern_synonym (equation synonym: (_) @name)) @definition.constant
(foreign_import signature: (signature name: (_) @name)) @definition.function
