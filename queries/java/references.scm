; Calls, members, types, and where values go.

; Names that are no references.
(labeled_statement . (identifier) @ignore)
(break_statement (identifier) @ignore)
(continue_statement (identifier) @ignore)

; Calls. `A.super.m()` calls the method of a base.
(method_invocation
  object: (_)
  (super) @object
  name: (identifier) @property
  arguments: (argument_list (_)* @argument)) @call

(method_invocation
  object: (_) @object
  name: (identifier) @property
  arguments: (argument_list (_)* @argument)) @call

(method_invocation
  name: (identifier) @callee
  arguments: (argument_list (_)* @argument)) @call

(explicit_constructor_invocation
  constructor: (_) @callee
  arguments: (argument_list (_)* @argument)) @call

; Instances. A body makes a type without a name.
(object_creation_expression
  type: (_) @type
  arguments: (argument_list (_)* @argument)
  (class_body)? @body) @new

(array_creation_expression value: (_) @through)
(array_creation_expression type: (_) @argument) @apply
(array_initializer (_)* @element) @list

; Members. `Outer.this` is an instance of `Outer`.
(field_access object: (_) @type field: (this)) @instance
(field_access object: (_) (super) @object field: (identifier) @property) @member
(field_access object: (_) @object field: (identifier) @property) @member
(scoped_identifier scope: (_) @object name: (identifier) @property) @member

(method_reference . (_) @through "new")
(method_reference . (_) @object (identifier) @property .) @member

(array_access array: (_) @object index: (_) @subscript) @index

; Where values go.
(assignment_expression left: (_) @target operator: "=" right: (_) @value) @assignment
(return_statement (_) @value) @return

; Values of other expressions.
(parenthesized_expression (_) @through)
(ternary_expression consequence: (_) @value alternative: (_) @value) @union
(switch_expression
  body: (switch_block (switch_rule (expression_statement (_) @value))*)) @union
(cast_expression type: (_) @type) @instance
(template_expression) @literal
(string_literal) @literal
(character_literal) @literal
(decimal_integer_literal) @literal
(hex_integer_literal) @literal
(octal_integer_literal) @literal
(binary_integer_literal) @literal
(decimal_floating_point_literal) @literal
(hex_floating_point_literal) @literal
(true) @literal
(false) @literal
(null_literal) @opaque
(binary_expression) @literal
(unary_expression) @literal
(update_expression) @literal
(instanceof_expression) @literal
(class_literal) @literal
(this) @self
(super) @super

; Types.
(integral_type) @literal
(floating_point_type) @literal
(boolean_type) @literal
(void_type) @opaque
(annotated_type (_) @through .)
(array_type element: (_) @element) @list
(generic_type . (_) @type (type_arguments (_)* @argument)) @apply
(wildcard (_) @through .)
(scoped_type_identifier . (_) @object (type_identifier) @property .) @member
((type_identifier) @ignore (#eq? @ignore "var"))
(type_identifier) @reference

(identifier) @reference
