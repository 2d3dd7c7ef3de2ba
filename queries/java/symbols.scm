; Packages, types and their members.

(package_declaration [(identifier) (scoped_identifier)] @name) @package

; Module descriptors name packages of other modules; only the services that they use or provide are code.
(requires_module_directive) @ignore
(exports_module_directive) @ignore
(opens_module_directive) @ignore
(module_declaration name: (_) @name) @definition.namespace

(class_declaration
  (modifiers ["public" "protected" "private" "static" "abstract"]* @modifiers)?
  name: (identifier) @name
  superclass: (superclass (_) @base)?
  interfaces: (super_interfaces (type_list (_)* @implements))?) @definition.class

(record_declaration
  (modifiers ["public" "protected" "private" "static" "abstract"]* @modifiers)?
  name: (identifier) @name
  interfaces: (super_interfaces (type_list (_)* @implements))?) @definition.class

(interface_declaration
  (modifiers ["public" "protected" "private" "static" "abstract"]* @modifiers)?
  name: (identifier) @name
  (extends_interfaces (type_list (_)* @base))?) @definition.interface

(annotation_type_declaration
  (modifiers ["public" "protected" "private" "static" "abstract"]* @modifiers)?
  name: (identifier) @name) @definition.interface

(enum_declaration
  (modifiers ["public" "protected" "private" "static" "abstract"]* @modifiers)?
  name: (identifier) @name
  interfaces: (super_interfaces (type_list (_)* @implements))?) @definition.enum

; Enumerators are of their enumeration's type; one with a body is a type of its own.
(enum_declaration
  name: (identifier) @base @type
  body: (enum_body
    (enum_constant
      name: (identifier) @name
      body: (class_body)) @definition.constant)
  (#set! scope)
  (#set! static)
  (#set! exported))

(enum_declaration
  name: (identifier) @type
  body: (enum_body (enum_constant name: (identifier) @name) @definition.constant)
  (#set! static)
  (#set! exported))

; Type parameters and their bounds.
(type_parameter (type_identifier) @name (type_bound (_)* @type)?) @type_parameter

; Annotations; they go up to the definition that they stand in.
(marker_annotation name: (_) @value) @decorator
(annotation name: (_) @value) @decorator
(element_value_pair key: (identifier) @key value: (_) @value) @argument.named

; Methods. Without a body they are filled in by implementors.
(program
  (method_declaration
    (modifiers ["public" "protected" "private" "static"]* @modifiers)?
    type: (_) @type
    name: (identifier) @name) @definition.function)

(interface_body
  (method_declaration
    (modifiers ["public" "private" "static"]* @modifiers)?
    type: (_) @type
    name: (identifier) @name
    !body) @definition.method
  (#set! abstract)
  (#set! exported))

(interface_body
  (method_declaration
    (modifiers ["public" "private" "static"]* @modifiers)?
    type: (_) @type
    name: (identifier) @name) @definition.method
  (#set! exported))

(method_declaration
  (modifiers
    (marker_annotation name: (identifier) @_override)
    ["public" "protected" "abstract"]* @modifiers)
  type: (_) @type
  name: (identifier) @name
  (#eq? @_override "Override")
  (#set! override)) @definition.method

(method_declaration
  (modifiers ["public" "protected" "private" "static" "abstract"]* @modifiers)?
  type: (_) @type
  name: (identifier) @name) @definition.method

(annotation_type_element_declaration
  (modifiers ["public" "abstract"]* @modifiers)?
  type: (_) @type
  name: (identifier) @name
  value: (_)? @value) @definition.method

(constructor_declaration
  (modifiers ["public" "protected" "private"]* @modifiers)?
  name: (identifier) @name) @definition.constructor

(compact_constructor_declaration
  (modifiers ["public" "protected" "private"]* @modifiers)?
  name: (identifier) @name) @definition.constructor

; Fields: one declaration may have several declarators.
(field_declaration
  (modifiers
    [
      (annotation) @decorator
      (marker_annotation) @decorator
      "public" @modifiers
      "protected" @modifiers
      "private" @modifiers
      "static" @modifiers
    ]*)?
  type: (_) @type
  declarator: (variable_declarator name: (identifier) @name value: (_)? @value) @definition.field)

(constant_declaration
  type: (_) @type
  declarator: (variable_declarator name: (identifier) @name value: (_)? @value) @definition.constant
  (#set! static)
  (#set! exported))

; A record's components are its fields, and the parameters of its constructor.
(record_declaration
  parameters: (formal_parameters
    (formal_parameter type: (_) @type name: (identifier) @name) @definition.field)
  (#set! parameter))

(record_declaration
  parameters: (formal_parameters
    (spread_parameter
      [
        (type_identifier) (generic_type) (scoped_type_identifier) (array_type)
        (integral_type) (floating_point_type) (boolean_type)
      ] @type
      (variable_declarator name: (identifier) @name)) @definition.field)
  (#set! parameter)
  (#set! rest))

; Parameters.
(receiver_parameter) @ignore

(formal_parameter type: (_) @type name: (identifier) @name) @parameter

(spread_parameter
  [
    (type_identifier) (generic_type) (scoped_type_identifier) (array_type)
    (integral_type) (floating_point_type) (boolean_type)
  ] @type
  (variable_declarator name: (identifier) @name)
  (#set! rest)) @parameter

(lambda_expression parameters: (identifier) @parameter)
(inferred_parameters (identifier) @parameter)

; Local variables. `var` says that the type is the value's.
(local_variable_declaration
  type: (type_identifier) @_type
  declarator: (variable_declarator name: (identifier) @name value: (_)? @value) @definition.variable
  (#eq? @_type "var"))

(local_variable_declaration
  type: (_) @type
  declarator: (variable_declarator name: (identifier) @name value: (_)? @value) @definition.variable)

(resource
  type: (type_identifier) @_type
  name: (identifier) @name
  value: (_) @value
  (#eq? @_type "var")) @definition.variable

(resource
  type: (_) @type
  name: (identifier) @name
  value: (_) @value) @definition.variable

(catch_formal_parameter (catch_type (_)* @type) name: (identifier) @name) @definition.variable

; Patterns bind from where they stand to the end of the block.
(instanceof_expression right: (_) @type name: (identifier) @name (#set! shadows)) @definition.variable

(type_pattern (type_identifier) @_type (identifier) @name (#eq? @_type "var")) @definition.variable
(type_pattern . (_) @type (identifier) @name .) @definition.variable

(record_pattern_component
  (type_identifier) @_type
  (identifier) @name
  (#eq? @_type "var")
  (#set! shadows)) @definition.variable
(record_pattern_component . (_) @type (identifier) @name . (#set! shadows)) @definition.variable
