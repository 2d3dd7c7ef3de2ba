(call_expression function: (_) @callee (call_argument)* @argument) @call
(call_argument (_) @through)
(new_expression name: (_) @type) @new
(member_expression object: (_) @object property: (_) @property) @member
(array_access base: (_) @object index: (_) @subscript) @index
(assignment_expression left: (_) @target right: (_) @value) @assignment
(variable_declaration type: (_) @type name: (_) @name) @definition.variable
(emit_statement name: (_) @callee (call_argument)* @argument) @call
(revert_statement error: (_) @callee (call_argument)* @argument) @call
(modifier_invocation (identifier) @callee) @call
(return_statement (_) @value) @return
(ternary_expression (_) (_) @value) @union
(parenthesized_expression (_) @through)
(expression (_) @through)
(type_name (user_defined_type) @through)
(user_defined_type (_) @through)
(identifier) @self (#eq? @self "this")
(identifier) @super (#eq? @super "super")
(identifier) @reference
[(primitive_type) (string) (number_literal) (boolean_literal) (hex_string_literal) (binary_expression)
  (unary_expression)] @literal
[(comment) (pragma_directive) (visibility) (state_mutability)] @ignore
