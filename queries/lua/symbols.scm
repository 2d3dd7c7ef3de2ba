; `function M.f()` and `function M:m()` belong to what they are put into.
(function_declaration name: (dot_index_expression table: (_) @owner field: (_) @name)) @definition.function
(function_declaration name: (method_index_expression table: (_) @owner method: (_) @name)) @definition.method
(function_declaration name: (identifier) @name) @definition.function
(assignment_statement (variable_list . name: (dot_index_expression table: (_) @owner field: (_) @name) .)
  (expression_list . value: (function_definition) @lambda .)) @definition.function
(assignment_statement (variable_list . name: (identifier) @name .) (expression_list . value: (function_definition) @lambda .)) @definition.function
(field name: (identifier) @name value: (function_definition) @lambda) @definition.function
(chunk (variable_declaration (assignment_statement (variable_list name: (identifier)+ @name) (expression_list value: (_)* @value))
  @definition.variable))
(chunk (assignment_statement (variable_list name: (identifier)+ @name) (expression_list value: (_)* @value)) @definition.variable)
(parameters name: (identifier) @parameter)
(function_definition) @lambda
