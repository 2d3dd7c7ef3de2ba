; Arguments with labels.
(value_argument name: (value_argument_label (_) @key) value: (_) @value) @argument.named
(value_argument value: (_) @through)

; What has brackets is a subscript.
(call_expression . (_) @object (call_suffix (value_arguments "["
  (value_argument value: [(line_string_literal) (integer_literal)] @key)))) @index
(call_expression . (_) @object (call_suffix (value_arguments "[" (value_argument value: (_) @subscript)))) @index
(call_expression . (_) @through (call_suffix (value_arguments (value_argument reference_specifier: (_)))))
(call_expression . (simple_identifier) @_self (call_suffix (value_arguments (value_argument)* @argument))
  (#eq? @_self "Self")) @new
(call_expression . (_) @callee (call_suffix (value_arguments (value_argument)* @argument)?
  (lambda_literal)* @block)) @call
(constructor_expression constructed_type: (_) @type (constructor_suffix (value_arguments (value_argument)* @argument)?
  (lambda_literal)* @argument)) @new

(navigation_expression target: (_) @through suffix: (navigation_suffix suffix: (simple_identifier) @ignore)
  (#eq? @ignore "self"))
(navigation_expression target: (_) @object suffix: (navigation_suffix suffix: (simple_identifier) @property)) @member
(navigation_expression target: (_) @object suffix: (navigation_suffix suffix: (integer_literal) @key)) @index
(prefix_expression operation: "." target: (_)) @ignore
(prefix_expression target: (_) @through)
(postfix_expression target: (_) @through)
(as_expression name: (_) @type) @instance
(try_expression expr: (_) @through)
(await_expression expr: (_) @value) @await
(nil_coalescing_expression value: (_) @value if_nil: (_) @value) @union
(ternary_expression if_true: (_) @value if_false: (_) @value) @union
(tuple_expression . value: (_) @through .)
(tuple_expression value: (_)* @element) @list
(array_literal element: (_)* @element) @list
(dictionary_literal value: (_)* @element) @list
(selector_expression (_) @through)

(assignment target: (_) @target operator: "=" result: (_) @value) @assignment
(directly_assignable_expression (_) @through)
(pattern bound_identifier: (_) @through)
(pattern (pattern)+ @element) @list
(control_transfer_statement "return" result: (_) @value) @return

; Types.
(user_type (type_identifier) (type_identifier) (type_identifier) @type (type_arguments name: (_)* @argument)) @apply
(user_type (type_identifier) (type_identifier) @type (type_arguments name: (_)* @argument)) @apply
(user_type (type_identifier) @type (type_arguments name: (_)* @argument)) @apply
(user_type . (type_identifier) @object . (type_identifier) @property .) @member
(user_type . (type_identifier) @through .)
(user_type (type_identifier) @through .)
(optional_type wrapped: (_) @through)
(array_type name: (_) @element) @list
(dictionary_type name: (_) . name: (_) @element) @list
(opaque_type (_) @through)
(existential_type (_) @through)
(protocol_composition_type (_)+ @value) @union
(tuple_type . element: (tuple_type_item name: (_) @through) .)
(metatype (_) @through)
(function_type) @ignore
(type_annotation name: (_) @through)

(self_expression) @self
(super_expression) @super
(simple_identifier) @self (#eq? @self "self")
(simple_identifier) @self_type (#eq? @self_type "Self")
(type_identifier) @self_type (#eq? @self_type "Self")
(switch_pattern (pattern "." (simple_identifier) @ignore))
(if_statement condition: "." condition: (simple_identifier) @ignore)
(enum_type_parameters (simple_identifier) @ignore)
(call_suffix name: (_) @ignore)
(tuple_type_item name: (simple_identifier) @ignore)
[(simple_identifier) (type_identifier)] @reference
[(line_string_literal) (multi_line_string_literal) (raw_string_literal) (integer_literal) (real_literal)
  (boolean_literal) (hex_literal) (bin_literal) (oct_literal) (regex_literal) (additive_expression)
  (multiplicative_expression) (comparison_expression) (equality_expression) (conjunction_expression)
  (disjunction_expression) (range_expression) (check_expression)] @literal
[(comment) (multiline_comment) (directive) (capture_list) (shebang_line)] @ignore
