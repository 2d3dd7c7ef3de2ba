(function_call function: (_) @callee arguments: (arguments (argument)* @argument)) @call
(argument label: (_) @key value: (_) @value) @argument.named
(argument value: (_) @through)
(field_access record: (_) @object field: (_) @property) @member
(let pattern: (_) @target value: (_) @value) @assignment (#set! declares)
(anonymous_function) @lambda
(case_clause) @scope
(record_pattern) @ignore
[(identifier) (type_identifier) (constructor_name)] @reference
[(string) (integer) (float) (binary_expression)] @literal
[(comment) (module_comment) (statement_comment) (discard)] @ignore
