(type_definition (visibility_modifier)? @modifiers (type_name name: (_) @name)) @definition.enum
(type_alias (visibility_modifier)? @modifiers (type_name name: (_) @name)) @definition.type
(data_constructor name: (_) @name) @definition.constant
(constant (visibility_modifier)? @modifiers name: (_) @name value: (_)? @value) @definition.constant
(function (visibility_modifier)? @modifiers name: (_) @name) @definition.function
(external_function (visibility_modifier)? @modifiers name: (_) @name) @definition.function
(function_parameter label: (_)? @label name: (_) @name) @parameter
