; inherits: c
; Tests of googletest, Boost and Catch2, and other macros that make a function of what follows.
(function_definition !type declarator: (function_declarator declarator: (identifier) @_macro
  parameters: (parameter_list . (parameter_declaration type: (type_identifier) @owner)
  . (parameter_declaration type: (type_identifier) @name) .))) @definition.test
  (#any-of? @_macro "TEST_F" "TEST_P" "TYPED_TEST" "TYPED_TEST_P" "BOOST_FIXTURE_TEST_CASE")
(function_definition !type declarator: (function_declarator declarator: (identifier) @_macro
  parameters: (parameter_list . (parameter_declaration) . (parameter_declaration type: (type_identifier) @name)
  .))) @definition.test (#any-of? @_macro "TEST" "Test" "ParameterizedTest" "IN_PROC_BROWSER_TEST_F")
(function_definition !type declarator: (function_declarator declarator: (identifier) @_macro
  parameters: (parameter_list . (parameter_declaration type: (type_identifier) @name)))) @definition.test
  (#any-of? @_macro "BOOST_AUTO_TEST_CASE" "BOOST_DATA_TEST_CASE" "CASE")
(translation_unit (expression_statement (call_expression function: (identifier) @_macro
  arguments: (argument_list . (string_literal) @name))) . (compound_statement) @definition.test
  (#any-of? @_macro "TEST_CASE" "SCENARIO" "TEMPLATE_TEST_CASE" "DOCTEST_TEST_CASE") (#set! unbound))
(declaration_list (expression_statement (call_expression function: (identifier) @_macro
  arguments: (argument_list . (string_literal) @name))) . (compound_statement) @definition.test
  (#any-of? @_macro "TEST_CASE" "SCENARIO" "TEMPLATE_TEST_CASE" "DOCTEST_TEST_CASE") (#set! unbound))
(function_definition !type declarator: (function_declarator declarator: (identifier) @_macro
  parameters: (parameter_list . (parameter_declaration) . (parameter_declaration type: (type_identifier) @name)
  .))) @definition.function (#any-of? @_macro "TEST" "TEST_F" "TEST_P" "TYPED_TEST") (#set! test)
(translation_unit (function_definition !type declarator: (function_declarator declarator: (identifier) @_macro
  parameters: (parameter_list . (parameter_declaration type: (type_identifier) @name)))) @definition.function
  (#match? @_macro "^[A-Z][A-Z0-9_]+$"))
(declaration_list (function_definition !type declarator: (function_declarator declarator: (identifier) @_macro
  parameters: (parameter_list . (parameter_declaration type: (type_identifier) @name)))) @definition.function
  (#match? @_macro "^[A-Z][A-Z0-9_]+$"))

; Namespaces. What an anonymous one holds is this file's own.
(namespace_definition name: (_) @name) @definition.namespace
(namespace_definition !name) @decorated (#set! private)

; Types.
(class_specifier name: (_) @name (base_class_clause [(type_identifier) (qualified_identifier)
  (template_type)]* @base)? body: (_)) @definition.class
(struct_specifier name: (_) @name (base_class_clause [(type_identifier) (qualified_identifier)
  (template_type)]* @base)? body: (_)) @definition.struct
(union_specifier name: (_) @name body: (_)) @definition.union
(enum_specifier name: (_) @name body: (_)) @definition.enum
(enum_specifier ["class" "struct"] body: (enumerator_list (enumerator name: (identifier) @name
  value: (_)? @value) @definition.constant))
(enum_specifier !name body: (enumerator_list (enumerator name: (identifier) @name
  value: (_)? @value) @definition.constant))
(type_definition type: (class_specifier !name body: (_)) declarator: (type_identifier) @name) @definition.class
(alias_declaration name: (type_identifier) @name type: (_) @type) @definition.type
(concept_definition name: (identifier) @name) @definition.interface

; Templates: their parameters belong to what they are a template of.
(template_declaration) @decorated
(type_parameter_declaration (type_identifier) @name) @type_parameter
(optional_type_parameter_declaration name: (type_identifier) @name) @type_parameter
(variadic_type_parameter_declaration (type_identifier) @name) @type_parameter
(template_template_parameter_declaration (type_parameter_declaration (type_identifier) @name)) @type_parameter
(template_parameter_list (parameter_declaration type: (type_identifier) @type
  declarator: (identifier) @name) @type_parameter)
(template_parameter_list [(parameter_declaration) (optional_parameter_declaration)
  (variadic_parameter_declaration)] @ignore)

; Constructors and destructors have no type.
(function_definition !type declarator: (function_declarator declarator: (identifier)) @name) @definition.constructor
(declaration !type declarator: (function_declarator declarator: (identifier) @name) @definition.constructor
  (#set! declaration))
(function_definition !type declarator: (function_declarator declarator: (qualified_identifier
  name: (destructor_name))) @name) @definition.method
(function_definition !type declarator: (function_declarator
  declarator: (qualified_identifier)) @name) @definition.constructor
(function_definition !type declarator: (function_declarator declarator: (destructor_name)) @name) @definition.method
(declaration !type declarator: (function_declarator declarator: (destructor_name) @name) @definition.method
  (#set! declaration))
(function_definition declarator: (operator_cast type: (_) @type)) @definition.method (#set! name "operator cast")
(declaration declarator: (operator_cast type: (_) @type) @definition.method
  (#set! name "operator cast") (#set! declaration))
(field_declaration declarator: (operator_cast type: (_) @type) @definition.method
  (#set! name "operator cast") (#set! declaration))

; Functions.
(function_definition [(storage_class_specifier) "virtual"]* @modifiers type: (placeholder_type_specifier)
  declarator: (function_declarator (trailing_return_type (type_descriptor) @type)) @name) @definition.function
(function_definition [(storage_class_specifier) "virtual"]* @modifiers type: (_) @type
  declarator: (function_declarator (virtual_specifier)* @modifiers) @name) @definition.function
(function_definition [(storage_class_specifier) "virtual"]* @modifiers type: (_) @type
  declarator: (_) @name) @definition.function

; Members that are declared here and may be defined elsewhere.
(field_declaration declarator: (function_declarator declarator: (parenthesized_declarator) @name) @definition.field)
(field_declaration [(storage_class_specifier) "virtual"]* @modifiers type: (_) @type
  declarator: (function_declarator declarator: (_) @name) @definition.method default_value: (number_literal)
  (#set! abstract))
(field_declaration [(storage_class_specifier) "virtual"]* @modifiers type: (_) @type
  declarator: [(pointer_declarator declarator: (function_declarator) @name)
  (reference_declarator (function_declarator) @name)] @definition.method default_value: (number_literal)
  (#set! abstract))
(field_declaration [(storage_class_specifier) "virtual"]* @modifiers
  declarator: (function_declarator declarator: (_) @name (trailing_return_type
  (type_descriptor) @type)) @definition.method (#set! declaration))
(field_declaration [(storage_class_specifier) "virtual"]* @modifiers type: (_) @type
  declarator: (function_declarator declarator: (_) @name) @definition.method (#set! declaration))
(field_declaration [(storage_class_specifier) "virtual"]* @modifiers type: (_) @type
  declarator: [(pointer_declarator declarator: (function_declarator) @name)
  (reference_declarator (function_declarator) @name)] @definition.method (#set! declaration))
(field_declaration (type_qualifier) @_constant type: (_) @type declarator: (field_identifier) @name
  default_value: (_) @value (#any-of? @_constant "constexpr" "const")) @definition.constant (#set! static)
(field_declaration declarator: (field_identifier) @ignore default_value: (_))
(field_declaration declarator: (pointer_declarator declarator: [(field_identifier) (pointer_declarator)] @through)
  default_value: (_))
(field_declaration declarator: (array_declarator declarator: (_) @through) default_value: (_))
(field_declaration (storage_class_specifier)* @modifiers type: (_) @type
  declarator: [(field_identifier) (pointer_declarator declarator: [(field_identifier) (pointer_declarator)])
  (array_declarator) (reference_declarator (field_identifier))] @name default_value: (_) @value) @definition.field
(field_declaration !default_value (storage_class_specifier)* @modifiers type: (_) @type
  declarator: (field_identifier) @definition.field)
(field_declaration !default_value (storage_class_specifier)* @modifiers type: (_) @type
  declarator: [(pointer_declarator declarator: (_) @name) (array_declarator declarator: (_) @name)
  (reference_declarator (_) @name)] @definition.field)
(friend_declaration [(declaration) (function_definition)] @ignore)

; `if (auto x = f())`, and constants.
(declaration type: (_) @type declarator: (_) @target value: (_) @value) @assignment (#set! declares)
(declaration (type_qualifier) @_constant type: (_) @type declarator: (init_declarator declarator: (identifier) @name
  value: (_) @value) @definition.constant (#any-of? @_constant "constexpr" "constinit" "const"))

; Prototypes and variables. In a function, `Foo foo(a, b);` makes a Foo of two values.
(compound_statement (declaration type: [(type_identifier) (qualified_identifier) (template_type)] @type
  declarator: (function_declarator declarator: (identifier) @name
  parameters: (parameter_list (parameter_declaration type: (type_identifier) @argument
  !declarator))) @definition.variable) (#set! constructs))
(declaration type: (_) @type declarator: (reference_declarator (function_declarator) @name) @definition.function
  (#set! declaration))
(declaration type: [(type_identifier) (qualified_identifier) (template_type)] @type
  declarator: (init_declarator declarator: (identifier) @name
  value: (argument_list (_)* @argument)) @definition.variable (#set! constructs))
(declaration (storage_class_specifier)* @modifiers type: (_) @type
  declarator: (init_declarator declarator: (identifier) @name "=" value: (_) @value) @definition.variable)
(declaration type: [(type_identifier) (qualified_identifier) (template_type)] @type
  declarator: (init_declarator declarator: (identifier) @name
  value: (initializer_list (_)* @argument)) @definition.variable (#set! constructs))
(declaration !value (storage_class_specifier)* @modifiers type: (_) @type
  declarator: (reference_declarator (_) @name) @definition.variable)
(declaration !value (storage_class_specifier)* @modifiers type: [(type_identifier) (qualified_identifier)
  (template_type)] @type declarator: (identifier) @definition.variable (#set! constructs))
(declaration declarator: (init_declarator declarator: (structured_binding_declarator) @target
  value: (_) @value) @assignment (#set! declares))
(declaration declarator: (init_declarator declarator: (reference_declarator (structured_binding_declarator) @target)
  value: (_) @value) @assignment (#set! declares))
(structured_binding_declarator (identifier)* @element) @list

; Parameters.
(optional_parameter_declaration type: (_) @type declarator: [(identifier) (pointer_declarator)
  (reference_declarator)] @name default_value: (_) @value) @parameter
(optional_parameter_declaration type: (_) @type default_value: (_) @value) @parameter (#set! name "_")
(variadic_parameter_declaration declarator: [(variadic_declarator) (reference_declarator)] @name) @parameter
  (#set! rest)
(parameter_declaration type: (_) @type declarator: (reference_declarator) @name) @parameter

(reference_declarator (_) @through)
(variadic_declarator (_) @through)
