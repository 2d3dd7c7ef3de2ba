(function_call name: (identifier) @ignore (#any-of? @ignore "require" "setmetatable" "ipairs" "pairs"))
(function_call name: (identifier) @_require arguments: (arguments . (string) @source .)
  (#eq? @_require "require")) @module
(function_call name: (identifier) @_meta arguments: (arguments . (_) . (identifier) @type .)
  (#eq? @_meta "setmetatable")) @new
(function_call name: (method_index_expression table: (_) @object method: (_) @property)
  arguments: (arguments (_)* @argument)) @call
(function_call name: (_) @callee arguments: (arguments (_)* @argument)) @call
(dot_index_expression table: (_) @object field: (_) @property) @member
(bracket_index_expression table: (_) @object field: [(string) (number)] @key) @index
(bracket_index_expression table: (_) @object field: (_) @subscript) @index
(table_constructor (field name: (_))) @object
(table_constructor (field)* @element) @list
(field name: (_) @key value: (_) @value) @pair
(field value: (_) @through)
(return_statement (expression_list . (_) @value .)) @return
(binary_expression left: (_) @value operator: "or" right: (_) @value) @union
(binary_expression operator: "and" right: (_) @through)
(parenthesized_expression (_) @through)
(identifier) @self (#eq? @self "self")
(identifier) @reference
[(string) (number) (true) (false) (nil) (binary_expression) (unary_expression)] @literal
[(comment) (hash_bang_line) (label_statement) (goto_statement)] @ignore
