(call_expression function: (_) @callee (_)* @argument) @call
(field_expression object: (_) @object member: (identifier) @property) @member
(field_expression !object) @ignore
(struct_initializer . (_) @type (initializer_list (_)* @argument)) @new
(index_expression object: (_) @object index: (_) @subscript) @index
(assignment_expression left: (_) @target operator: "=" right: (_) @value) @assignment
(return_expression (_) @value) @return
(try_expression (_) @through)
(parenthesized_expression (_) @through)
(error_union_type ok: (_) @through)
(pointer_type (_) @through)
(nullable_type (_) @through)
(dereference_expression (_) @through)
(if_statement condition: (_) body: (_)) @scope
(for_statement) @scope
(payload (identifier) @definition.variable)
(identifier) @reference
[(builtin_type) (string) (integer) (float) (boolean) (character) (multiline_string) (binary_expression) (unary_expression)] @literal
[(comment) (builtin_identifier)] @ignore
