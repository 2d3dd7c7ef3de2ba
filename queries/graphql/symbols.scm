(object_type_definition (name) @name (implements_interfaces (named_type) @implements)?) @definition.class
(object_type_extension (name) @target) @extension
(interface_type_definition (name) @name) @definition.interface
(input_object_type_definition (name) @name) @definition.struct
(enum_type_definition (name) @name) @definition.enum
(enum_value_definition (enum_value) @name) @definition.constant
(union_type_definition (name) @name) @definition.union
(scalar_type_definition (name) @name) @definition.type
(directive_definition (name) @name) @definition.macro
(operation_definition (name) @name) @definition.function
(fragment_definition (fragment_name) @name) @definition.function
(field_definition (name) @name (type) @type) @definition.field
(input_fields_definition (input_value_definition (name) @name (type) @type) @definition.field)
