; Packages, types and their members.

(package_clause name: (package_identifier) @name body: (_)) @definition.namespace
(package_clause name: (package_identifier) @name) @package
(package_object name: (_) @name) @definition.namespace

; A class and the object of its name are one symbol: both are reached through that name.
(class_definition
  (annotation)* @decorator
  (modifiers)? @modifiers
  name: (_) @name
  extend: (extends_clause
    type: [
      (type_identifier) (generic_type) (stable_type_identifier) (projected_type) (applied_constructor_type)
    ]* @base)?
  (#set! partial)) @definition.class

(trait_definition
  (annotation)* @decorator
  (modifiers)? @modifiers
  name: (_) @name
  extend: (extends_clause
    type: [
      (type_identifier) (generic_type) (stable_type_identifier) (projected_type) (applied_constructor_type)
    ]* @base)?
  (#set! partial)) @definition.trait

(object_definition
  (annotation)* @decorator
  (modifiers)? @modifiers
  name: (_) @name
  extend: (extends_clause
    type: [
      (type_identifier) (generic_type) (stable_type_identifier) (projected_type) (applied_constructor_type)
    ]* @base)?
  (#set! partial)) @definition.class

(enum_definition
  (annotation)* @decorator
  (modifiers)? @modifiers
  name: (_) @name
  extend: (extends_clause
    type: [
      (type_identifier) (generic_type) (stable_type_identifier) (projected_type) (applied_constructor_type)
    ]* @base)?
  (#set! partial)) @definition.enum

; Cases of an enumeration are of its type.
(enum_definition
  name: (_) @type
  body: (enum_body (enum_case_definitions (simple_enum_case name: (_) @name) @definition.constant))
  (#set! static))
(enum_definition
  name: (_) @base
  body: (enum_body (enum_case_definitions (full_enum_case name: (_) @name) @definition.class)))

(applied_constructor_type . (_) @through)

; Type parameters; a list of them is flat, so each is told by its name, and a bound belongs to the name before it.
(type_parameters name: (identifier) @name . bound: (upper_bound type: (_) @type) @bound)
(type_parameters name: (identifier) @type_parameter)
(covariant_type_parameter name: (identifier) @name bound: (upper_bound type: (_) @type)?) @type_parameter
(contravariant_type_parameter name: (identifier) @name bound: (upper_bound type: (_) @type)?) @type_parameter

; Type members.
(type_definition name: (_) @name type: (_) @type) @definition.type
(type_definition name: (_) @name (#set! abstract)) @definition.type

; Constructors besides the first are called `this`.
(function_definition
  (annotation)* @decorator
  (modifiers)? @modifiers
  name: (identifier) @name
  (#eq? @name "this")) @definition.constructor

(function_definition
  (annotation)* @decorator
  (modifiers)? @modifiers
  name: (_) @name
  return_type: (_)? @type
  body: (_) @result) @definition.function

(function_declaration
  (annotation)* @decorator
  (modifiers)? @modifiers
  name: (_) @name
  return_type: (_)? @type
  (#set! abstract)) @definition.function

; Extension methods.
(extension_definition
  parameters: (parameters (parameter type: (_) @target))) @extension

; Givens that have a name.
(given_definition
  name: (_) @name
  return_type: [(type_identifier) (generic_type) (stable_type_identifier)]* @base
  body: (with_template_body)) @definition.class
(given_definition
  name: (_) @name
  return_type: [(type_identifier) (generic_type) (stable_type_identifier)]? @type
  body: (_)? @value) @definition.variable

; Parameters. Lists behind the first, and those that the compiler fills in, may be left out of a call.
(class_parameter
  (annotation)* @decorator
  (modifiers)? @modifiers
  name: (_) @name
  type: (_)? @type
  default_value: (_)? @value
  (#set! parameter)) @definition.field

(parameters
  ["implicit" "using"]
  (parameter name: (_) @name type: (_)? @type) @parameter
  (#set! optional))
(function_definition
  parameters: (parameters)
  parameters: (parameters (parameter name: (_) @name type: (_)? @type) @parameter)
  (#set! optional))
(function_declaration
  parameters: (parameters)
  parameters: (parameters (parameter name: (_) @name type: (_)? @type) @parameter)
  (#set! optional))
(parameter name: (_) @name type: (repeated_parameter_type type: (_) @type) (#set! rest)) @parameter
(parameter name: (_) @name type: (_)? @type default_value: (_)? @value) @parameter

(lambda_expression parameters: (identifier) @parameter)
(binding name: (_) @name type: (_)? @type) @parameter
(colon_argument lambda_start: (identifier) @parameter)

; Values.
(val_definition
  (annotation)* @decorator
  (modifiers)? @modifiers
  pattern: (identifiers (identifier)* @name)
  type: (_)? @type
  value: (_) @value) @definition.variable
(val_definition
  (annotation)* @decorator
  (modifiers)? @modifiers
  pattern: (identifier) @name
  type: (_)? @type
  value: (_) @value) @definition.variable
(val_definition pattern: (_) @target value: (_) @value (#set! declares)) @assignment

(var_definition
  (annotation)* @decorator
  (modifiers)? @modifiers
  pattern: (identifier) @name
  type: (_)? @type
  value: (_) @value) @definition.variable
(var_definition pattern: (_) @target value: (_) @value (#set! declares)) @assignment

(val_declaration
  (annotation)* @decorator
  (modifiers)? @modifiers
  name: (identifier)* @name
  type: (_) @type
  (#set! abstract)) @definition.variable
(var_declaration
  (annotation)* @decorator
  (modifiers)? @modifiers
  name: (identifier)* @name
  type: (_) @type
  (#set! abstract)) @definition.variable

; Patterns with types.
(typed_pattern pattern: (identifier) @name type: (_) @type) @definition.variable
(capture_pattern
  name: (identifier) @name
  pattern: (case_class_pattern type: (_) @type pattern: (wildcard))) @definition.variable
(self_type . (identifier) @name (_) @type) @definition.variable

; Tests with titles (ScalaTest, munit, specs2, uTest).
(infix_expression
  left: (call_expression function: (identifier) @_f arguments: (arguments (string) @title))
  operator: (operator_identifier) @_minus
  (#eq? @_f "test")
  (#eq? @_minus "-")) @definition.test
(call_expression
  function: (call_expression
    function: (identifier) @_f
    arguments: (arguments (string) @title))
  arguments: [(block) (case_block) (colon_argument)] @lambda
  (#any-of? @_f "test" "it" "describe" "property" "feature" "scenario" "Feature" "Scenario" "they" "testAsync"))
  @definition.test
(infix_expression
  left: (infix_expression left: (_) operator: (identifier) @_should right: (string) @title)
  operator: (identifier) @_in
  right: (block) @lambda
  (#any-of? @_should "should" "must" "can")
  (#any-of? @_in "in" "ignore")) @definition.test
(infix_expression
  left: (string) @title
  operator: [(identifier) (operator_identifier)] @_in
  right: (block) @lambda
  (#any-of? @_in "in" "should" "when" "must" "can" "which" "that" ">>" "!")) @definition.test
