; inherits: javascript
; What TypeScript defines beside JavaScript: types everywhere, and definitions without a body.

; ── functions ──

(function_declaration "async"? @modifiers name: (_) @name return_type: (type_annotation (_) @type)?) @definition.function
(generator_function_declaration "async"? @modifiers name: (_) @name return_type: (type_annotation (_) @type)?)
  @definition.function (#set! generator)
(function_signature "async"? @modifiers name: (_) @name return_type: (type_annotation (_) @type)?)
  @definition.function (#set! declaration)

(variable_declarator name: (identifier) @name
  value: (as_expression [(arrow_function) (function_expression)] @lambda)) @definition.function
(variable_declarator name: (identifier) @name
  value: (satisfies_expression [(arrow_function) (function_expression)] @lambda)) @definition.function

(function_expression "async"? @modifiers name: (_) @name return_type: (type_annotation (_) @type)?)
  @definition.function (#set! inner)
(arrow_function "async"? @modifiers return_type: (type_annotation (_) @type)? body: (statement_block)) @lambda
(arrow_function "async"? @modifiers return_type: (type_annotation (_) @type)? body: (_) @result) @lambda
(function_expression "async"? @modifiers return_type: (type_annotation (_) @type)?) @lambda
(generator_function "async"? @modifiers name: (_) @name return_type: (type_annotation (_) @type)?)
  @definition.function (#set! inner) (#set! generator)
(generator_function "async"? @modifiers return_type: (type_annotation (_) @type)?) @lambda (#set! generator)
; Their parameters are not those of the function around.
(function_type return_type: (_) @type) @lambda
(constructor_type type: (_) @type) @lambda
(call_signature return_type: (type_annotation (_) @type)?) @lambda
(construct_signature type: (type_annotation (_) @type)?) @lambda

; ── classes ──

(class_declaration decorator: (_)* @decorator name: (_) @name
  (class_heritage (extends_clause)? @base (implements_clause (_)* @implements)?)?) @definition.class
(abstract_class_declaration decorator: (_)* @decorator "abstract" @modifiers name: (_) @name
  (class_heritage (extends_clause)? @base (implements_clause (_)* @implements)?)?) @definition.class
(variable_declarator name: (identifier) @name
  value: (class (class_heritage (extends_clause)? @base (implements_clause (_)* @implements)?)?) @lambda)
  @definition.class
(export_statement "default"
  value: (class !name (class_heritage (extends_clause)? @base (implements_clause (_)* @implements)?)?) @lambda)
  @definition.class (#set! name "default") (#set! exported) (#set! default_export)
(class decorator: (_)* @decorator name: (_) @name
  (class_heritage (extends_clause)? @base (implements_clause (_)* @implements)?)?)
  @definition.class (#set! inner)
(class decorator: (_)* @decorator
  (class_heritage (extends_clause)? @base (implements_clause (_)* @implements)?)?)
  @definition.class (#set! anonymous)
(extends_clause value: (_) @type type_arguments: (type_arguments (_) @argument)) @apply
(extends_clause value: (_) @through)

(class_body (decorator) @decorator)

(method_definition (accessibility_modifier)? @modifiers "static"? @modifiers (override_modifier)? @modifiers
  ["get" "set"] name: (_) @name return_type: (type_annotation (_) @type)?) @definition.property (#set! accessor)
(method_definition (accessibility_modifier)? @modifiers "static"? @modifiers (override_modifier)? @modifiers
  "async"? @modifiers "*" name: (_) @name return_type: (type_annotation (_) @type)?) @definition.method (#set! generator)
(method_definition (accessibility_modifier)? @modifiers "static"? @modifiers (override_modifier)? @modifiers
  "async"? @modifiers name: (_) @name return_type: (type_annotation (_) @type)?) @definition.method
(abstract_method_signature (accessibility_modifier)? @modifiers (override_modifier)? @modifiers ["get" "set"]
  name: (_) @name return_type: (type_annotation (_) @type)?) @definition.property (#set! accessor) (#set! abstract)
(abstract_method_signature (accessibility_modifier)? @modifiers (override_modifier)? @modifiers
  name: (_) @name return_type: (type_annotation (_) @type)?) @definition.method (#set! abstract)
; Overloads in a class; members of an interface or an object type.
(method_signature ["get" "set"] name: (_) @name return_type: (type_annotation (_) @type)?)
  @definition.property (#set! accessor) (#set! abstract)
(method_signature (accessibility_modifier)? @modifiers "static"? @modifiers (override_modifier)? @modifiers
  name: (_) @name return_type: (type_annotation (_) @type)?) @definition.method

(public_field_definition decorator: (_)* @decorator (accessibility_modifier)? @modifiers "static"? @modifiers
  (override_modifier)? @modifiers "abstract"? @modifiers name: (_) @name
  value: [(arrow_function) (function_expression) (generator_function)] @lambda) @definition.method
(public_field_definition decorator: (_)* @decorator (accessibility_modifier)? @modifiers "static"? @modifiers
  (override_modifier)? @modifiers "abstract"? @modifiers name: (_) @name type: (type_annotation (_) @type)?
  value: (_)? @value) @definition.field

; ── types ──

(interface_declaration name: (_) @name (extends_type_clause type: (_) @base)?) @definition.interface
(property_signature name: (_) @name type: (type_annotation (_) @type)?) @definition.property (#set! abstract)
(type_alias_declaration name: (_) @name value: (_) @type) @definition.type
(enum_declaration name: (_) @name) @definition.enum
(enum_body name: [(property_identifier) (string)] @definition.constant)
(enum_assignment name: (_) @name value: (_) @value) @definition.constant
(type_parameter name: (_) @name constraint: (constraint (_) @type)?) @type_parameter
(mapped_type_clause name: (_) @name) @type_parameter
(infer_type (type_identifier) @name) @type_parameter

; ── namespaces ──

(internal_module name: (identifier) @name) @definition.namespace
(module name: (identifier) @name) @definition.namespace
(internal_module name: (nested_identifier property: (_) @name) @opaque) @definition.namespace
(module name: (nested_identifier property: (_) @name) @opaque) @definition.namespace
; declare module "x": names of a package, of no concern to the file around.
(module name: (string)) @scope
(import_alias (identifier) @name (_) @value) @definition.constant

; ── parameters ──

; constructor(private db: Db): also a field
(required_parameter (accessibility_modifier) @modifiers pattern: (identifier) @name
  type: (type_annotation (_) @type)? value: (_)? @value) @parameter (#set! field)
(optional_parameter (accessibility_modifier) @modifiers pattern: (identifier) @name
  type: (type_annotation (_) @type)?) @parameter (#set! field)
(required_parameter "readonly" pattern: (identifier) @name
  type: (type_annotation (_) @type)? value: (_)? @value) @parameter (#set! field)
; this: T
(required_parameter pattern: (this)) @ignore
(required_parameter pattern: (identifier) @name type: (type_annotation (_) @type)? value: (_)? @value) @parameter
(required_parameter pattern: (rest_pattern (identifier) @name) type: (type_annotation (_) @type)?) @parameter (#set! rest)
(required_parameter pattern: (rest_pattern (_) @target) type: (type_annotation (_) @type)?) @parameter (#set! rest)
(required_parameter pattern: (_) @target type: (type_annotation (_) @type)? value: (_)? @value) @parameter
(optional_parameter pattern: (identifier) @name type: (type_annotation (_) @type)?) @parameter
(optional_parameter pattern: (_) @target type: (type_annotation (_) @type)?) @parameter
