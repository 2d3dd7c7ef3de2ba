(contract_declaration name: (_) @name (inheritance_specifier ancestor: (_) @base)*) @definition.class
(interface_declaration name: (_) @name (inheritance_specifier ancestor: (_) @base)*) @definition.interface
(library_declaration name: (_) @name) @definition.namespace
(struct_declaration name: (_) @name) @definition.struct
(struct_member type: (_) @type name: (_) @name) @definition.field
(enum_declaration name: (_) @name) @definition.enum
(enum_value) @definition.constant
(event_definition name: (_) @name) @definition.type
(error_declaration name: (_) @name) @definition.type
(modifier_definition name: (_) @name) @definition.macro
(constructor_definition) @definition.constructor (#set! name "constructor")
(fallback_receive_definition "receive") @definition.method (#set! name "receive") (#set! entry)
(fallback_receive_definition) @definition.method (#set! name "fallback") (#set! entry)
(function_definition name: (_) @name) @definition.function
(state_variable_declaration type: (_) @type name: (_) @name value: (_)? @value) @definition.field
(constant_variable_declaration type: (_) @type name: (_) @name value: (_)? @value) @definition.constant
(user_defined_type_definition name: (_) @name) @definition.type
(parameter type: (_) @type name: (_) @name) @parameter
(parameter type: (_) @type) @parameter
(return_type_definition) @ignore
