; Packages, types and their members.

(package_header (qualified_identifier) @name) @package

; What a platform is expected to have, and what it has, are parts of one type.
(type_alias
  (modifiers (platform_modifier)* @modifiers)?
  type: (identifier) @name
  (_) @type .) @definition.type

(class_declaration
  (modifiers
    [(visibility_modifier) (platform_modifier)]* @modifiers
    (class_modifier "enum")
    [(visibility_modifier) (platform_modifier)]* @modifiers)
  name: (identifier) @name
  (delegation_specifiers (delegation_specifier (_) @implements .)*)?) @definition.enum

(class_declaration
  (modifiers [(visibility_modifier) (inheritance_modifier) (platform_modifier)]* @modifiers)?
  "interface"
  name: (identifier) @name
  (delegation_specifiers (delegation_specifier (_) @base .)*)?) @definition.interface

(class_declaration
  (modifiers [(visibility_modifier) (inheritance_modifier) (platform_modifier)]* @modifiers)?
  name: (identifier) @name
  (delegation_specifiers (delegation_specifier (_) @base .)*)?) @definition.class

; An object is a class with one instance, which has its name. A companion's members are members of the class around it
; as far as names are concerned, so it needs no pattern.
(object_declaration
  (modifiers [(visibility_modifier) (inheritance_modifier) (platform_modifier)]* @modifiers)?
  name: (identifier) @name
  (delegation_specifiers (delegation_specifier (_) @base .)*)?) @definition.class

(constructor_invocation . (_) @through)
(explicit_delegation . (_) @through)

; Enumerators are of their enumeration's type; one with a body is a type of its own.
(class_declaration
  name: (identifier) @base @type
  (enum_class_body
    (enum_entry (identifier) @name (class_body)) @definition.constant)
  (#set! scope)
  (#set! static))

(class_declaration
  name: (identifier) @type
  (enum_class_body (enum_entry (identifier) @name) @definition.constant)
  (#set! static))

; Type parameters and their bounds.
(type_parameter (identifier) @name (_)? @type) @type_parameter
(type_constraint (identifier) @name (_) @type) @bound

; Annotations; they go up to the definition that they stand in.
(annotation [(user_type) (constructor_invocation)] @value) @decorator

; Functions, extension functions first: the receiver's type stands before the name.
(function_declaration
  (modifiers [(visibility_modifier) (inheritance_modifier) (member_modifier) (function_modifier)]* @modifiers)?
  [(user_type) (nullable_type) (parenthesized_type)] @owner
  name: (identifier) @name
  [(user_type) (nullable_type) (function_type) (parenthesized_type) (non_nullable_type)]? @type
  (function_body (_) @result)?) @definition.function

; Without a body it is filled in elsewhere.
(function_declaration
  (modifiers [(visibility_modifier) (inheritance_modifier) (member_modifier) (function_modifier)]* @modifiers)?
  name: (identifier) @name
  [(user_type) (nullable_type) (function_type) (parenthesized_type) (non_nullable_type)]? @type
  (function_body (_) @result)) @definition.function

(function_declaration
  (modifiers [(visibility_modifier) (inheritance_modifier) (member_modifier) (function_modifier)]* @modifiers)?
  name: (identifier) @name
  [(user_type) (nullable_type) (function_type) (parenthesized_type) (non_nullable_type)]? @type
  (#set! abstract)) @definition.function

(secondary_constructor
  (modifiers (visibility_modifier)* @modifiers)?
  "constructor" @name) @definition.constructor

; Properties: with a receiver of their own, constants, made on first use, with accessors, others.
(property_declaration
  (modifiers [(visibility_modifier) (inheritance_modifier) (member_modifier)]* @modifiers)?
  [(user_type) (nullable_type) (parenthesized_type)] @owner
  (variable_declaration (identifier) @name (_)? @type)
  (#set! accessor)) @definition.property

(property_declaration
  (modifiers (property_modifier "const"))
  (variable_declaration (identifier) @name (_)? @type)
  "="
  (_) @value) @definition.constant

(property_declaration
  (modifiers [(visibility_modifier) (inheritance_modifier) (member_modifier)]* @modifiers)?
  (variable_declaration (identifier) @name (_)? @type)
  "="
  (_) @value
  [(getter (function_body)) (setter (function_body))]
  (#set! accessor)) @definition.property

(property_declaration
  (modifiers [(visibility_modifier) (inheritance_modifier) (member_modifier)]* @modifiers)?
  (variable_declaration (identifier) @name (_)? @type)
  [(getter (function_body)) (setter (function_body))]
  (#set! accessor)) @definition.property

(class_body
  (property_declaration
    (modifiers [(visibility_modifier) (inheritance_modifier) (member_modifier)]* @modifiers)?
    (variable_declaration (identifier) @name (_)? @type)
    "="
    (_) @value) @definition.property)

(class_body
  (property_declaration
    (modifiers [(visibility_modifier) (inheritance_modifier) (member_modifier)]* @modifiers)?
    (variable_declaration (identifier) @name (_)? @type)
    (property_delegate)? @value) @definition.property)

(enum_class_body
  (property_declaration
    (modifiers [(visibility_modifier) (inheritance_modifier) (member_modifier)]* @modifiers)?
    (variable_declaration (identifier) @name (_)? @type)
    "="
    (_) @value) @definition.property)

(enum_class_body
  (property_declaration
    (modifiers [(visibility_modifier) (inheritance_modifier) (member_modifier)]* @modifiers)?
    (variable_declaration (identifier) @name (_)? @type)
    (property_delegate)? @value) @definition.property)

(property_declaration
  (multi_variable_declaration) @target
  "="
  (_) @value
  (#set! declares)) @assignment

(property_declaration
  (modifiers (visibility_modifier)* @modifiers)?
  (variable_declaration (identifier) @name (_)? @type)
  "="
  (_) @value) @definition.variable

(property_declaration
  (modifiers (visibility_modifier)* @modifiers)?
  (variable_declaration (identifier) @name (_)? @type)
  (property_delegate)? @value) @definition.variable

; A constructor's parameters; those with `val` or `var` are properties too.
(class_parameter
  (modifiers [(visibility_modifier) (inheritance_modifier) (member_modifier)]* @modifiers)?
  ["val" "var"]
  (identifier) @name
  (_) @type
  (_)? @value
  (#set! parameter)) @definition.property

(class_parameter (identifier) @name (_) @type (_)? @value) @parameter

; Parameters: modifiers and defaults stand beside them.
(function_value_parameters
  (parameter_modifiers (parameter_modifier "vararg"))
  . (parameter (identifier) @name (_) @type) @parameter
  (#set! rest))
(function_value_parameters "=" (_) @default @value (#set! each))
(parameter (identifier) @name (_) @type) @parameter
(setter (identifier) @parameter)
(lambda_parameters (variable_declaration (identifier) @name (_)? @type) @parameter)
(lambda_parameters (multi_variable_declaration) @parameter @target)

; A type that was checked holds in what follows.
(if_expression
  condition: (is_expression left: (identifier) @name "is" right: (_) @type) @definition.variable
  (#set! shadows))
(if_expression
  condition: (binary_expression
    left: (is_expression left: (identifier) @name "is" right: (_) @type) @definition.variable
    operator: "&&")
  (#set! shadows))

; Tests with titles (Kotest).
(call_expression
  (string_literal) @title
  (annotated_lambda (lambda_literal) @lambda)) @definition.test

(call_expression
  (call_expression
    (identifier) @_f
    (value_arguments (value_argument (string_literal) @title)))
  (annotated_lambda (lambda_literal) @lambda)
  (#any-of? @_f
    "test" "describe" "it" "context" "should" "given" "expect" "feature" "scenario" "xtest" "xdescribe" "xit"))
  @definition.test
