; `const x = @import("x.zig");` is a name for a file.
(variable_declaration (identifier) @local (builtin_function (builtin_identifier) @_import (arguments (string) @source))
  (#eq? @_import "@import")) @import (#set! module)
(variable_declaration (identifier) @name (struct_declaration)) @definition.struct
(variable_declaration (identifier) @name (enum_declaration)) @definition.enum
(variable_declaration (identifier) @name (union_declaration)) @definition.union
(variable_declaration (identifier) @name (opaque_declaration)) @definition.struct
(variable_declaration (identifier) @name (error_set_declaration)) @definition.enum
(error_set_declaration (identifier) @definition.constant)
(enum_declaration (container_field name: (identifier) @name) @definition.constant)
(container_field name: (identifier) @name type: (_)? @type) @definition.field
(function_declaration "pub"? @modifiers name: (identifier) @name type: (_)? @type) @definition.function
(test_declaration [(string) (identifier)] @name) @definition.test
(variable_declaration "const" . (identifier) @name type: (_)? @type (_)? @value .) @definition.constant
(variable_declaration (identifier) @name type: (_)? @type (_)? @value .) @definition.variable
(parameter name: (identifier) @name type: (_) @type) @parameter
