; Names, members, calls and the values of expressions.

; ── calls ──

; f(...) is the function, not its call.
(function_call_expression function: (_) @through arguments: (arguments (variadic_placeholder)))
(member_call_expression object: (_) @object name: (name) @property arguments: (arguments (variadic_placeholder))) @member
(scoped_call_expression scope: (_) @object name: (name) @property arguments: (arguments (variadic_placeholder))) @member

(function_call_expression function: (_) @callee arguments: (arguments (_)* @argument)) @call
(member_call_expression object: (_) @object name: (name) @property arguments: (arguments (_)* @argument)) @call
(nullsafe_member_call_expression object: (_) @object name: (name) @property arguments: (arguments (_)* @argument)) @call
(scoped_call_expression scope: (_) @object name: (name) @property arguments: (arguments (_)* @argument)) @call
(object_creation_expression (arguments (_)* @argument) (anonymous_class) @type) @new
(object_creation_expression [(name) (qualified_name) (relative_name) (variable_name) (member_access_expression)
  (scoped_property_access_expression) (parenthesized_expression)] @type (arguments (_)* @argument)) @new
(object_creation_expression (_) @type) @new
(argument name: (name) @key (_) @value) @argument.named
(argument (variadic_unpacking (_) @value)) @argument.spread
(argument (_) @through)
(variadic_unpacking (_) @value) @argument.spread

; ── names ──

(member_access_expression object: (_) @object name: (name) @property) @member
(nullsafe_member_access_expression object: (_) @object name: (name) @property) @member
(scoped_property_access_expression scope: (_) @object name: (variable_name (name) @property)) @member
; X::class names X.
(class_constant_access_expression (_) @through (name) @_class @ignore (#eq? @_class "class"))
(class_constant_access_expression (_) @object (name) @property) @member
(subscript_expression (_) @object [(string) (integer)] @key) @index
(subscript_expression (_) @object (_) @subscript) @index
(subscript_expression (_) @object) @index
(relative_scope) @super (#eq? @super "parent")
(relative_scope) @self_type
(named_type (name) @self_type (#any-of? @self_type "self" "static"))
(named_type (name) @super (#eq? @super "parent"))
(object_creation_expression (name) @self_type (#any-of? @self_type "self" "static"))
(object_creation_expression (name) @super (#eq? @super "parent"))
(variable_name (name) @ignore)
(qualified_name (name) @ignore)
(relative_name (name) @ignore)
(namespace_name) @ignore
((variable_name) @self (#eq? @self "$this"))
(variable_name) @reference
(dynamic_variable_name) @ignore
[(qualified_name) (relative_name)] @reference
(named_label_statement) @ignore
(goto_statement) @ignore
(declare_directive) @ignore
(name) @reference

; ── values ──

(array_creation_expression (array_element_initializer (_) (_))) @object
(array_creation_expression (_)* @element) @list
(array_element_initializer [(string) (integer)] @key (_) @value) @pair
(array_element_initializer (_) @subscript (_) @value) @pair
(array_element_initializer (_) @through)
(parenthesized_expression (_) @through)
(clone_expression (_) @through)
(error_suppression_expression (_) @through)
(conditional_expression body: (_) @value alternative: (_) @value) @union
(conditional_expression condition: (_) @value alternative: (_) @value) @union
(match_expression body: (match_block (_) @value)) @union
(match_conditional_expression return_expression: (_) @through)
(match_default_expression return_expression: (_) @through)
(binary_expression left: (_) @value operator: "??" right: (_) @value) @union
(binary_expression) @literal
(unary_op_expression) @literal
(update_expression) @literal
(cast_expression) @literal
[(string) (encapsed_string) (heredoc) (nowdoc) (integer) (float) (boolean) (null)] @literal
(shell_command_expression) @literal

; ── types ──

(optional_type (_) @through)
(union_type (_) @value) @union
(intersection_type (_) @value) @union
(disjunctive_normal_form_type (_) @value) @union
((primitive_type) @opaque (#any-of? @opaque "array" "callable" "iterable" "mixed" "object"))
[(primitive_type) (bottom_type) (cast_type)] @literal

(return_statement (_) @value) @return
(yield_expression (array_element_initializer (_) @value)) @yield
