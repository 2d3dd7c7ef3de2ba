(package_clause (package_identifier) @name) @package

; Functions. A method's receiver says whose member it is.
(function_declaration name: (_) @name result: (_)? @type) @definition.function
(method_declaration
  receiver: (parameter_list (parameter_declaration type: (_) @owner))
  name: (_) @name
  result: (_)? @type) @definition.method
(method_elem name: (_) @name result: (_)? @type) @definition.method (#set! abstract)

; Types. What stands in a type without a name is its base.
(type_spec
  name: (_) @name
  type: (struct_type (field_declaration_list (field_declaration !name type: (_) @base)*))) @definition.struct
(type_spec name: (_) @name type: (interface_type (type_elem (_) @base)*)) @definition.interface
(type_spec name: (_) @name type: (_) @type) @definition.type
(type_alias name: (_) @name type: (_) @type) @definition.type
(type_spec type: (struct_type (field_declaration_list) @through))
(type_spec type: (interface_type) @opaque)
(struct_type) @object
(interface_type) @opaque

; Fields; an embedded one has the name of its type.
(field_declaration name: (_) @name type: (_) @type) @definition.field
(field_declaration type: (type_identifier) @name @type) @definition.field
(field_declaration type: (qualified_type name: (_) @name) @type) @definition.field
(field_declaration type: (generic_type type: (type_identifier) @name) @type) @definition.field
(field_declaration type: (generic_type type: (qualified_type name: (_) @name)) @type) @definition.field

; A constant without type and value repeats what is above it.
(const_declaration
  . (const_spec type: (_) @type)
  (const_spec name: (identifier) @name !type !value) @definition.constant)
(const_spec name: (identifier) @name type: (_)? @type value: (expression_list (_) @value)?) @definition.constant
(var_spec name: (identifier) @name type: (_)? @type value: (expression_list (_) @value)?) @definition.variable

; Receivers, results and parameters look alike; what is around them tells.
(method_declaration
  receiver: (parameter_list
    (parameter_declaration name: (_)? @name type: (_) @type) @parameter (#set! receiver)))
(function_declaration
  result: (parameter_list (parameter_declaration name: (_) @name type: (_) @type) @definition.variable))
(method_declaration
  result: (parameter_list (parameter_declaration name: (_) @name type: (_) @type) @definition.variable))
(func_literal result: (parameter_list (parameter_declaration name: (_) @name type: (_) @type) @definition.variable))
(function_declaration result: (parameter_list (parameter_declaration type: (_) @through)))
(method_declaration result: (parameter_list (parameter_declaration type: (_) @through)))
(method_elem result: (parameter_list (parameter_declaration type: (_) @through)))
(func_literal result: (parameter_list (parameter_declaration type: (_) @through)))
(function_type result: (parameter_list (parameter_declaration type: (_) @through)))
(function_declaration result: (parameter_list (parameter_declaration type: (_) @element)) @list)
(method_declaration result: (parameter_list (parameter_declaration type: (_) @element)) @list)
(method_elem result: (parameter_list (parameter_declaration type: (_) @element)) @list)
(func_literal result: (parameter_list (parameter_declaration type: (_) @element)) @list)
(function_type result: (parameter_list (parameter_declaration type: (_) @element)) @list)
(parameter_declaration name: (_)? @name type: (_) @type) @parameter
(variadic_parameter_declaration name: (_)? @name type: (_) @type) @parameter (#set! rest)
(type_parameter_declaration name: (_) @name type: (type_constraint (_) @type)) @type_parameter
