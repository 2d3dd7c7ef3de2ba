; Namespaces, types and their members.

(file_scoped_namespace_declaration name: (_) @name) @package
(namespace_declaration name: (_) @name) @definition.namespace

(class_declaration
  (attribute_list (attribute) @decorator)*
  (modifier)* @modifiers
  name: (identifier) @name
  (base_list [(identifier) (qualified_name) (generic_name) (alias_qualified_name)] @base)?) @definition.class

(struct_declaration
  (attribute_list (attribute) @decorator)*
  (modifier)* @modifiers
  name: (identifier) @name
  (base_list [(identifier) (qualified_name) (generic_name) (alias_qualified_name)] @implements)?) @definition.struct

(record_declaration
  (attribute_list (attribute) @decorator)*
  (modifier)* @modifiers
  "struct"
  name: (identifier) @name
  (base_list [(identifier) (qualified_name) (generic_name) (alias_qualified_name)] @implements)?) @definition.struct

(record_declaration
  (attribute_list (attribute) @decorator)*
  (modifier)* @modifiers
  name: (identifier) @name
  (base_list
    [(identifier) (qualified_name) (generic_name) (alias_qualified_name) (primary_constructor_base_type)] @base)?)
  @definition.class
(primary_constructor_base_type type: (_) @through)

(interface_declaration
  (attribute_list (attribute) @decorator)*
  (modifier)* @modifiers
  name: (identifier) @name
  (base_list (_) @base)?) @definition.interface

(enum_declaration
  (attribute_list (attribute) @decorator)*
  (modifier)* @modifiers
  name: (identifier) @name) @definition.enum

(enum_declaration
  name: (identifier) @type
  body: (enum_member_declaration_list
    (enum_member_declaration
      (attribute_list (attribute) @decorator)*
      name: (identifier) @name) @definition.constant)
  (#set! static)
  (#set! exported))

(delegate_declaration
  (attribute_list (attribute) @decorator)*
  (modifier)* @modifiers
  name: (identifier) @name) @definition.type

; Type parameters; their bounds stand apart.
(type_parameter name: (identifier) @name) @type_parameter
(type_parameter_constraints_clause
  (identifier) @name
  (type_parameter_constraint type: (_) @type)) @bound

; Methods. An extension method belongs to the type of its `this` parameter.
(method_declaration
  (attribute_list (attribute) @decorator)*
  (modifier)* @modifiers
  returns: (_) @type
  name: (identifier) @name
  parameters: (parameter_list (parameter (modifier) @_this type: (_) @owner))
  body: (arrow_expression_clause (_) @result)
  (#eq? @_this "this")) @definition.method

(method_declaration
  (attribute_list (attribute) @decorator)*
  (modifier)* @modifiers
  returns: (_) @type
  name: (identifier) @name
  parameters: (parameter_list (parameter (modifier) @_this type: (_) @owner))
  (#eq? @_this "this")) @definition.method

(method_declaration
  (attribute_list (attribute) @decorator)*
  (modifier)* @modifiers
  returns: (_) @type
  name: (identifier) @name
  body: (arrow_expression_clause (_) @result)) @definition.method

(method_declaration
  (attribute_list (attribute) @decorator)*
  (modifier)* @modifiers
  returns: (_) @type
  name: (identifier) @name
  body: (block)) @definition.method

(method_declaration
  (attribute_list (attribute) @decorator)*
  (modifier)* @modifiers
  returns: (_) @type
  name: (identifier) @name
  (#set! abstract)) @definition.method

(local_function_statement
  (attribute_list (attribute) @decorator)*
  (modifier)* @modifiers
  type: (_) @type
  name: (identifier) @name
  body: (arrow_expression_clause (_) @result)) @definition.function

(local_function_statement
  (attribute_list (attribute) @decorator)*
  (modifier)* @modifiers
  type: (_) @type
  name: (identifier) @name) @definition.function

(operator_declaration
  (attribute_list (attribute) @decorator)*
  (modifier)* @modifiers
  type: (_) @type
  operator: [
    "!" "~" "++" "--" "true" "false" "+" "-" "*" "/" "%" "^" "|" "&" "<<" ">>" ">>>" "==" "!=" ">" "<" ">=" "<="
  ] @name) @definition.method

(conversion_operator_declaration
  (attribute_list (attribute) @decorator)*
  (modifier)* @modifiers
  ["implicit" "explicit"] @name
  type: (_) @type) @definition.method

(constructor_declaration
  (attribute_list (attribute) @decorator)*
  (modifier)* @modifiers
  name: (identifier) @name) @definition.constructor

(destructor_declaration "~" @name name: (identifier) @ignore) @definition.method

; Properties, indexers and events run code.
(property_declaration
  (attribute_list (attribute) @decorator)*
  (modifier)* @modifiers
  type: (_) @type
  name: (identifier) @name
  value: (arrow_expression_clause (_) @result)
  (#set! accessor)) @definition.property

(property_declaration
  (attribute_list (attribute) @decorator)*
  (modifier)* @modifiers
  type: (_) @type
  name: (identifier) @name
  value: (_)? @value
  (#set! accessor)) @definition.property

(indexer_declaration
  (attribute_list (attribute) @decorator)*
  (modifier)* @modifiers
  type: (_) @type
  "this" @name
  (#set! accessor)) @definition.property

(event_declaration
  (attribute_list (attribute) @decorator)*
  (modifier)* @modifiers
  type: (_) @type
  name: (identifier) @name
  (#set! accessor)) @definition.property

; Fields: attributes and modifiers stand around the declaration, the type around the declarators.
(event_field_declaration
  (attribute_list (attribute) @decorator)*
  (modifier)* @modifiers
  (variable_declaration
    type: (_) @type
    (variable_declarator name: (identifier) @name (_)? @value) @definition.field))

(field_declaration
  (attribute_list (attribute) @decorator)*
  (modifier)* @modifiers
  (modifier "const")
  (variable_declaration
    type: (_) @type
    (variable_declarator name: (identifier) @name (_)? @value) @definition.constant)
  (#set! static))

(field_declaration
  (attribute_list (attribute) @decorator)*
  (modifier)* @modifiers
  (variable_declaration
    type: (_) @type
    (variable_declarator name: (identifier) @name (_)? @value) @definition.field))

; A record's parameters are its properties, and the parameters of its constructor.
(record_declaration
  (parameter_list
    (parameter
      (attribute_list (attribute) @decorator)*
      type: (_) @type
      name: (identifier) @name) @definition.property)
  (#set! parameter)
  (#set! exported))

; Parameters.
(parameter
  (modifier) @_this
  type: (_) @type
  name: (identifier) @name
  (#eq? @_this "this")
  (#set! receiver)) @parameter
(parameter_list type: (_) @type name: (identifier) @parameter (#set! rest))
(bracketed_parameter_list type: (_) @type name: (identifier) @parameter (#set! rest))
(parameter type: (_)? @type name: (identifier) @name "=" (_) @value) @parameter
(parameter type: (_)? @type name: (identifier) @name) @parameter
(implicit_parameter) @parameter

; Local variables. `var` says that the type is the value's.
(variable_declaration
  type: (implicit_type)
  (variable_declarator name: (identifier) @name (_)? @value) @definition.variable)

(variable_declaration
  type: (_) @type
  (variable_declarator name: (identifier) @name (_)? @value) @definition.variable)

(catch_declaration type: (_) @type name: (identifier) @name) @definition.variable

(declaration_expression type: (implicit_type) name: (identifier) @name (#set! shadows)) @definition.variable
(declaration_expression type: (_) @type name: (identifier) @name (#set! shadows)) @definition.variable

; Patterns bind from where they stand to the end of the block.
(declaration_pattern type: (implicit_type) name: (identifier) @name (#set! shadows)) @definition.variable
(declaration_pattern type: (_) @type name: (identifier) @name (#set! shadows)) @definition.variable
(recursive_pattern type: (_)? @type name: (identifier) @name (#set! shadows)) @definition.variable
(var_pattern name: (identifier) @name (#set! shadows)) @definition.variable
