; Types.
(class_definition (mixin_application_class . (identifier) @name
  (mixin_application (type_identifier) @base (mixins (type_identifier)* @base)
  (interfaces (type_identifier)* @implements)?))) @definition.class
(class_definition (abstract)? @modifiers (interface)? @modifiers name: (_) @name
  superclass: (superclass (type_identifier)? @base (type_arguments (_)* @type_argument)?
  (mixins (type_identifier)* @base)?)? interfaces: (interfaces (type_identifier)* @implements)?) @definition.class
(mixin_declaration (identifier) @name (type_identifier)* @base
  (interfaces (type_identifier)* @implements)?) @definition.trait
(enum_declaration name: (_) @name (mixins (type_identifier)* @base)?
  (interfaces (type_identifier)* @implements)?) @definition.enum
(enum_constant name: (_) @name) @definition.constant
(extension_declaration name: (_)? @ignore class: (_) @target) @extension
(extension_type_declaration name: (_) @name (interfaces (type_identifier)* @implements)?) @definition.struct
(representation_declaration type: (_) @type name: (_) @name) @definition.field
(type_alias . (type_identifier) @name (function_type)) @definition.type
(type_alias [(type_identifier) (void_type)] (type_identifier) @name (formal_parameter_list) @ignore) @definition.type
(type_alias (type_identifier) @name (formal_parameter_list) @ignore) @definition.type
(type_alias . (type_identifier) @name (type_parameters)? (type_identifier) @type
  (type_arguments (_)* @type_argument)?) @definition.type
(type_parameter (type_identifier) @name (type_bound (type_identifier) @type)?) @type_parameter

; Constructors. `Shape.named` is a member of Shape.
(method_declaration signature: (method_signature [(constructor_signature) (factory_constructor_signature)] @name)
  body: (function_body "=>" (_) @result)) @definition.constructor
(method_declaration signature: (method_signature [(constructor_signature)
  (factory_constructor_signature)] @name)) @definition.constructor
(declaration [(constructor_signature) (constant_constructor_signature) (factory_constructor_signature)
  (redirecting_factory_constructor_signature)] @name) @definition.constructor
(constructor_signature name: (identifier) name: "." name: (identifier) @through)
(constructor_signature name: (identifier) @through)
(constant_constructor_signature (identifier) "." (identifier) @through)
(constant_constructor_signature (identifier) @through)
(factory_constructor_signature (identifier) "." (identifier) @through)
(factory_constructor_signature (identifier) @through)
(redirecting_factory_constructor_signature (identifier) "." (identifier) @through)
(redirecting_factory_constructor_signature (identifier) @through)

; Getters and setters.
(method_declaration signature: (method_signature "static"? @modifiers
  (getter_signature (type_identifier)? @type (type_arguments (_)* @type_argument)? name: (_) @name))
  body: (function_body "=>" (_) @result)) @definition.property (#set! accessor)
(method_declaration signature: (method_signature "static"? @modifiers
  (getter_signature (type_identifier)? @type (type_arguments (_)* @type_argument)?
  name: (_) @name))) @definition.property (#set! accessor)
(method_declaration signature: (method_signature "static"? @modifiers
  (setter_signature name: (_) @name))) @definition.property (#set! accessor)
(declaration (getter_signature (type_identifier)? @type (type_arguments (_)* @type_argument)?
  name: (_) @name)) @definition.property (#set! abstract) (#set! accessor)
(declaration (setter_signature name: (_) @name)) @definition.property (#set! abstract) (#set! accessor)
(function_declaration signature: (getter_signature (type_identifier)? @type name: (_) @name)
  body: (function_body "=>" (_) @result)) @definition.property (#set! accessor)
(function_declaration signature: (getter_signature (type_identifier)? @type name: (_) @name)) @definition.property
  (#set! accessor)
(function_declaration signature: (setter_signature name: (_) @name)) @definition.property (#set! accessor)

; Methods and functions.
(method_declaration signature: (method_signature "static"? @modifiers
  (function_signature (type_identifier)? @type (type_arguments (_)* @type_argument)? name: (_) @name))
  body: (function_body "async"? @modifiers "=>" (_) @result)) @definition.method
(method_declaration signature: (method_signature "static"? @modifiers
  (function_signature (type_identifier)? @type (type_arguments (_)* @type_argument)? name: (_) @name))
  body: (function_body "async"? @modifiers)) @definition.method
(method_declaration signature: (method_signature (operator_signature (type_identifier)? @type
  [(binary_operator) "[]" "[]=" "~"] @name))) @definition.method
(declaration "static"? @modifiers "external"? (function_signature (type_identifier)? @type
  (type_arguments (_)* @type_argument)? name: (_) @name)) @definition.method (#set! abstract)
(declaration (operator_signature (type_identifier)? @type [(binary_operator) "[]" "[]="
  "~"] @name)) @definition.method (#set! abstract)
(function_declaration signature: (function_signature (type_identifier)? @type (type_arguments (_)* @type_argument)?
  name: (_) @name) body: (function_body "async"? @modifiers "=>" (_) @result)) @definition.function
(function_declaration signature: (function_signature (type_identifier)? @type (type_arguments (_)* @type_argument)?
  name: (_) @name) body: (function_body "async"? @modifiers)) @definition.function
(local_function_declaration (lambda_expression parameters: (function_signature (type_identifier)? @type
  (type_arguments (_)* @type_argument)? name: (_) @name) body: (function_body "=>" (_) @result))) @definition.function
(local_function_declaration (lambda_expression parameters: (function_signature (type_identifier)? @type
  (type_arguments (_)* @type_argument)? name: (_) @name))) @definition.function
(program (function_signature (type_identifier)? @type name: (_) @name) @definition.function (#set! declaration))

; Tests.
(method_invocation function: (identifier) @_test arguments: (argument_part
  (arguments . (argument (string_literal) @name) . (argument (function_expression) @lambda)))
  (#any-of? @_test "test" "group" "testWidgets" "blocTest" "testGoldens")) @definition.test (#set! unbound)

; Fields and variables. Their type is a list of nodes in front.
(declaration (const_builtin) (type_identifier)? @type (type_arguments (_)* @type_argument)?
  (static_final_declaration_list (static_final_declaration (identifier) @name (_) @value))) @definition.constant
  (#set! static) (#set! each)
(declaration "static" @modifiers (type_identifier)? @type (type_arguments (_)* @type_argument)?
  (static_final_declaration_list (static_final_declaration (identifier) @name (_) @value))) @definition.field
  (#set! each)
(declaration "static"? @modifiers (type_identifier)? @type (type_arguments (_)* @type_argument)?
  (initialized_identifier_list (initialized_identifier (identifier) @name (_)? @value))) @definition.field
  (#set! each)
(program (const_builtin) . (type_identifier)? . (static_final_declaration_list
  (static_final_declaration (identifier) @name (_) @value) @definition.constant))
(program (static_final_declaration_list (static_final_declaration (identifier) @name
  (_) @value) @definition.variable))
(program (initialized_identifier_list (initialized_identifier (identifier) @name (_)? @value) @definition.variable))
(initialized_variable_definition (type_identifier)? @type (type_arguments (_)* @type_argument)? name: (_) @name
  value: (_)? @value (initialized_identifier (identifier) @name (_)? @value)) @definition.variable (#set! each)
(initialized_variable_definition (type_identifier)? @type (type_arguments (_)* @type_argument)? name: (_) @name
  value: (_)? @value) @definition.variable
(pattern_variable_declaration [(record_pattern) (list_pattern) (object_pattern) (map_pattern)] @target
  (_) @value) @assignment (#set! declares)
(pattern_assignment (_) @target (_) @value) @assignment
(variable_pattern (type_identifier)? @type (identifier) @name) @definition.variable
(catch_parameters (identifier) @definition.variable)

; Parameters.
(formal_parameter (constructor_param (identifier) @name)) @parameter
(formal_parameter (super_formal_parameter (identifier) @name)) @parameter
(formal_parameter (type_identifier) @type (type_arguments (_)* @type_argument)? name: (_) @name) @parameter
(formal_parameter name: (_) @name) @parameter
(formal_parameter (function_type)? (identifier) @name) @parameter

(annotation name: (_) @decorator)
