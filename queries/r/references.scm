(binary_operator lhs: (identifier) @target operator: ["<-" "<<-" "="] rhs: (_) @value) @assignment (#set! declares)
(binary_operator lhs: (_) @target operator: ["<-" "<<-" "="] rhs: (_) @value) @assignment
(call function: (_) @callee arguments: (arguments argument: (argument)* @argument)) @call
(argument name: (_) @key value: (_) @value) @argument.named
(argument value: (_) @through)
(namespace_operator rhs: (_) @through)
(extract_operator lhs: (_) @object rhs: (identifier) @property) @member
(parenthesized_expression (_) @through)
(identifier) @reference
[(string) (float) (integer) (complex) (true) (false) (null) (na) (binary_operator) (unary_operator)] @literal
(comment) @ignore
