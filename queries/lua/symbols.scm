; A table that begins empty is a module or a class; `function M.f()` and `function M:m()` are its members.
(chunk (variable_declaration (assignment_statement (variable_list . name: (identifier) @name .)
  (expression_list . value: (table_constructor) @_table .)) @definition.class (#match? @_table "^\\{\\s*\\}$")))
(chunk (assignment_statement (variable_list . name: (identifier) @name .)
  (expression_list . value: (table_constructor) @_table .)) @definition.class (#match? @_table "^\\{\\s*\\}$"))
(chunk (variable_declaration (assignment_statement (variable_list . name: (identifier) @name .)
  (expression_list . value: (function_call name: (identifier) @_meta
  arguments: (arguments (table_constructor) (table_constructor
  (field name: (identifier) @_index value: (identifier) @base)))) .)) @definition.class
  (#eq? @_meta "setmetatable") (#eq? @_index "__index")))
(function_declaration name: (dot_index_expression table: (identifier) @owner field: (_) @name)) @definition.function
(function_declaration name: (dot_index_expression field: (_) @name)) @definition.function
(function_declaration name: (method_index_expression table: (identifier) @owner method: (_) @name)) @definition.method
(function_declaration name: (method_index_expression method: (_) @name)) @definition.method
(function_declaration name: (identifier) @name) @definition.function
(assignment_statement (variable_list . name: (dot_index_expression table: (identifier) @owner field: (_) @name) .)
  (expression_list . value: (function_definition) @lambda .)) @definition.function
(assignment_statement (variable_list . name: (identifier) @name .)
  (expression_list . value: (function_definition) @lambda .)) @definition.function
(field name: (identifier) @name value: (function_definition) @lambda) @definition.function
(variable_declaration (assignment_statement (variable_list) @target (expression_list) @value) @assignment
  (#set! declares))
(chunk (assignment_statement (variable_list (identifier)) @target (expression_list) @value) @assignment
  (#set! declares))
(assignment_statement (variable_list) @target (expression_list) @value) @assignment
(variable_list name: (_)* @element) @list (#set! single)
(expression_list (_)* @element) @list (#set! single)
(variable_declaration name: (identifier) @definition.variable)
(parameters name: (identifier) @parameter)
(parameters (vararg_expression) @parameter (#set! rest))
(function_definition) @lambda
(chunk (return_statement (expression_list . (_) @value .)) @export (#set! name "="))
