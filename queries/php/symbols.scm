; What PHP defines.

; ── namespaces ──

(namespace_definition name: (_) @name body: (_)) @definition.namespace
(namespace_definition name: (_) @name !body) @package

; ── functions ──

; Test blocks of Pest.
(function_call_expression function: (name) @_runner
  arguments: (arguments (argument (string) @title) (argument [(anonymous_function) (arrow_function)] @lambda))
  (#any-of? @_runner "it" "test" "describe")) @definition.test (#set! unbound)

(function_definition name: (_) @name return_type: (_)? @type) @definition.function
(anonymous_function return_type: (_)? @type) @lambda
(arrow_function return_type: (_)? @type body: (_) @result) @lambda

; ── types ──

(class_declaration (abstract_modifier)? @modifiers name: (_) @name
  (base_clause (_)* @base)? (class_interface_clause (_)* @implements)?) @definition.class
(anonymous_class (base_clause (_)* @base)? (class_interface_clause (_)* @implements)?) @definition.class (#set! anonymous)
(interface_declaration name: (_) @name (base_clause (_)* @base)?) @definition.interface
(trait_declaration name: (_) @name) @definition.trait
(enum_declaration name: (_) @name (class_interface_clause (_)* @implements)?) @definition.enum
(use_declaration (_) @base) @bases
(use_list) @ignore

(method_declaration name: (name) @name (#eq? @name "__construct")) @definition.constructor
(method_declaration
  [(visibility_modifier) (static_modifier) (abstract_modifier) (final_modifier)]* @modifiers
  name: (_) @name return_type: (_)? @type body: (_)) @definition.method
(method_declaration
  [(visibility_modifier) (static_modifier) (abstract_modifier) (final_modifier)]* @modifiers
  name: (_) @name return_type: (_)? @type) @definition.method (#set! abstract)

(property_declaration [(visibility_modifier) (static_modifier) (readonly_modifier)]* @modifiers type: (_)? @type
  (property_element name: (variable_name (name) @name) @opaque default_value: (_)? @value) @definition.field)
(declaration_list (const_declaration (const_element (name) @name (_) @value) @definition.constant))
(const_declaration (const_element (name) @name (_) @value) @definition.constant)
(enum_case name: (_) @name value: (_)? @value) @definition.constant

; ── parameters ──

(property_promotion_parameter [(visibility_modifier) (readonly_modifier)]* @modifiers type: (_)? @type
  name: (variable_name (name) @property) @name default_value: (_)? @value) @parameter (#set! field)
(simple_parameter type: (_)? @type name: (_) @name default_value: (_)? @value) @parameter
(variadic_parameter type: (_)? @type name: (_) @name) @parameter (#set! rest)

; ── attributes ──

(attribute [(name) (qualified_name) (relative_name)] @value) @decorator
