; What defines something in Python.

(function_definition
  "async"? @modifiers
  name: (identifier) @name
  return_type: (type)? @type) @definition.function

(class_definition
  name: (identifier) @name
  superclasses: (argument_list
    [(identifier) (attribute) (subscript) (call)]* @base)?) @definition.class

; A signature of an overloaded function; its implementation follows, but for interfaces.
(decorated_definition (decorator (_) @decorator)* (decorator (_) @decorator @_overload) (decorator (_) @decorator)*)
  @decorated (#set! declaration) (#match? @_overload "(^|\\.)overload$")
(decorated_definition (decorator (_) @decorator)) @decorated

(type_alias_statement left: (type (identifier) @name) right: (type) @value) @definition.type
(type_alias_statement left: (type (generic_type (identifier) @name)) right: (type) @value) @definition.type

; A type variable with a bound stands for its bound.
(assignment left: (identifier) @name right: (call function: (_) @_var
  arguments: (argument_list (keyword_argument name: (identifier) @_bound value: (_) @value)))) @definition.type
  (#match? @_var "(^|\\.)TypeVar$") (#eq? @_bound "bound")

; `f = lambda x: …` is a function like others.
(assignment left: (identifier) @name right: (lambda) @lambda) @definition.function

(assignment left: (_) @target type: (type)? @type right: (_)? @value) @assignment
  (#set! declares) (#set! declares_fields)
(named_expression name: (_) @target value: (_) @value) @assignment (#set! declares)
; `for x in xs`, in statements and comprehensions.
(for_statement left: (_) @target right: (_) @iterated) @loop (#set! declares) (#set! declares_fields)
(for_in_clause left: (_) @target right: (_) @iterated) @loop (#set! declares)

; What is caught is an instance of what is named.
(except_clause value: (as_pattern (_) @type alias: (as_pattern_target (_) @target)) @assignment) (#set! declares)
(as_pattern (_) @value alias: (as_pattern_target (_) @target)) @assignment
  (#set! declares) (#set! declares_fields)

(lambda body: (_) @result) @lambda

; Parameters.
(parameters (identifier) @parameter)
(lambda_parameters (identifier) @parameter)
(typed_parameter . (identifier) @name type: (type) @type) @parameter
(default_parameter name: (_) @name value: (_) @value) @parameter (#set! outside)
(typed_default_parameter name: (_) @name type: (type) @type value: (_) @value) @parameter (#set! outside)
(typed_parameter . (list_splat_pattern (identifier) @name)) @parameter (#set! rest)
(typed_parameter . (dictionary_splat_pattern (identifier) @name)) @parameter (#set! rest_keywords)
(parameters (list_splat_pattern (identifier) @name) @parameter) (#set! rest)
(parameters (dictionary_splat_pattern (identifier) @name) @parameter) (#set! rest_keywords)
(lambda_parameters (list_splat_pattern (identifier) @name) @parameter) (#set! rest)
(lambda_parameters (dictionary_splat_pattern (identifier) @name) @parameter) (#set! rest_keywords)

(class_definition type_parameters: (type_parameter (type (identifier) @type_parameter)))
(function_definition type_parameters: (type_parameter (type (identifier) @type_parameter)))
(class_definition type_parameters: (type_parameter (type (constrained_type . (type) @name (type) @type) @type_parameter)))
(function_definition type_parameters: (type_parameter (type (constrained_type . (type) @name (type) @type) @type_parameter)))

(global_statement (identifier) @name) @global
(nonlocal_statement (identifier) @name) @nonlocal
