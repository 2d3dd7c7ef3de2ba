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
(variable_declaration "const" . (identifier) @name type: (_)? @type) @definition.constant
(variable_declaration (identifier) @name type: (_)? @type) @definition.variable
(parameter name: (identifier) @name type: (_) @type) @parameter
