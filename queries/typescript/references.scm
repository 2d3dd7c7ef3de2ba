; inherits: javascript
; Types, and the expressions that only TypeScript has.

(call_expression function: (_) @callee type_arguments: (type_arguments (_) @type_argument)
  arguments: (arguments (_)* @argument)) @call
(new_expression constructor: (_) @type type_arguments: (type_arguments (_) @type_argument)
  arguments: (arguments (_)* @argument)) @new

(non_null_expression (_) @through)
(satisfies_expression (_) @through)
(instantiation_expression (_) @through)
(type_assertion (type_arguments (_) @type)) @instance
(as_expression [(type_identifier) (generic_type) (nested_type_identifier) (array_type) (tuple_type) (union_type)
  (intersection_type) (object_type) (function_type) (readonly_type) (parenthesized_type) (lookup_type)] @type) @instance

(type_identifier) @reference
(nested_type_identifier module: (_) @object name: (_) @property) @member
(nested_identifier object: (_) @object property: (_) @property) @member
(generic_type name: (_) @type type_arguments: (type_arguments (_) @argument)) @apply
(array_type (_) @element) @list
(tuple_type (_)* @element) @list
(union_type (_) @value) @union
(intersection_type (_) @value) @union
(conditional_type consequence: (_) @value alternative: (_) @value) @union
(parenthesized_type (_) @through)
(readonly_type (_) @through)
(optional_type (_) @through)
(object_type) @object
(this_type) @self_type
((predefined_type) @opaque (#any-of? @opaque "any" "unknown" "object"))
[(literal_type) (template_literal_type) (predefined_type) (index_type_query) (existential_type)] @literal

; Names that are labels only.
(index_signature name: (identifier) @ignore)
(required_parameter name: (identifier) @ignore)
(optional_parameter name: (identifier) @ignore)
(required_parameter name: (rest_pattern) @ignore)
(type_predicate name: (identifier) @ignore)
