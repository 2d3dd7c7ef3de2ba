; Calls, members, types, and where values go.

; Names that are no references.
(labeled_expression (label) @_label (identifier) @ignore (#any-of? @_label "break@" "continue@"))

; A trailing lambda is one more argument of the call that it follows.
(call_expression
  (call_expression
    . (_) @callee
    (type_arguments (type_projection (_) @type_argument)*)?
    (value_arguments (value_argument)* @argument))
  (annotated_lambda (lambda_literal) @block)) @call

(call_expression
  . (_) @callee
  (type_arguments (type_projection (_) @type_argument)*)?
  (value_arguments (value_argument)* @argument)?
  (annotated_lambda (lambda_literal) @block)?) @call

; `f<T>(x)` and `f<T> { … }` read as comparisons.
(binary_expression
  left: (binary_expression left: (_) @callee operator: "<" right: (_) @type_argument)
  operator: ">"
  right: (parenthesized_expression (_) @argument)) @call
(binary_expression
  left: (binary_expression left: (_) @callee operator: "<" right: (_) @type_argument)
  operator: ">"
  right: (lambda_literal) @block) @call

(constructor_delegation_call ["this" "super"] @callee (value_arguments (value_argument)* @argument)) @call
(constructor_delegation_call "this" @self)
(constructor_delegation_call "super" @super)

(infix_expression
  . (_) @object
  . (identifier) @property
  . (_) @argument .
  (#not-any-of? @property "to" "until" "downTo" "step" "and" "or" "xor" "shl" "shr" "ushr")) @call

(value_argument . (identifier) @key "=" (_) @value) @argument.named
(value_argument (spread_expression (_) @value)) @argument.spread
(value_argument (_) @through)

; An anonymous object is of a type without a name.
(object_literal
  (delegation_specifiers (delegation_specifier (_) @type .)*)?
  (class_body) @body) @new

; Members and references to them.
(navigation_expression . (_) @through "::" (identifier) @_class @ignore . (#eq? @_class "class"))
(navigation_expression . (_) @object (identifier) @property .) @member
(callable_reference [(user_type) (nullable_type) (parenthesized_type)] @object (identifier) @property .) @member
(callable_reference (identifier) @through)
(index_expression . (_) @object (_) @subscript) @index

; Where values go.
(assignment left: (_) @target operator: "=" right: (_) @value) @assignment
(return_expression label: (identifier) @ignore (_)? @value) @return
(return_expression (_) @value) @return
(getter (function_body "=" (_) @value)) @return
(property_delegate (_) @through)

; Values of other expressions.
(parenthesized_expression (_) @through)
(annotated_expression (_) @through .)
(labeled_expression (_) @through .)
; A sign before a call reads as part of what is called: `!f(x)` is `(!f)(x)`.
(unary_expression argument: (_) @through)
(if_expression condition: (_) (_) @value (_) @value . (#set! scope)) @union
(if_expression condition: (_) (_) @value (#set! scope)) @union
(try_expression (block) @value (catch_block (block) @value)*) @union
(binary_expression left: (_) @value operator: "?:" right: (_) @value) @union
(as_expression right: (_) @type) @instance
(collection_literal (_)* @element) @list
(multi_variable_declaration (variable_declaration (identifier) @element)*) @list

(binary_expression) @literal
(in_expression) @literal
(range_expression) @literal
(is_expression) @literal
(string_literal) @literal
(multiline_string_literal) @literal
(character_literal) @literal
(number_literal) @literal
(float_literal) @literal
(throw_expression) @opaque

(this_expression "this@" (identifier) @type) @instance
(this_expression) @self
(super_expression) @super

; Types.
(nullable_type (_) @through .)
(non_nullable_type . (_) @through)
(parenthesized_type (_) @through)
(user_type . (identifier) @type . (type_arguments (type_projection (_) @argument)*)) @apply
(user_type . (identifier) @through .)
(user_type . (identifier) @object . (identifier) @property) @member
(user_type (identifier) @through)

((identifier) @opaque (#eq? @opaque "null"))
((identifier) @literal (#any-of? @literal "true" "false"))
((identifier) @ignore (#any-of? @ignore "break" "continue" "field"))
(identifier) @reference
