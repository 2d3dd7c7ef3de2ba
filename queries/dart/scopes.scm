(function_expression body: (function_expression_body "=>" (_) @result)) @lambda
(function_expression) @lambda
(for_statement (for_loop_parts (type_identifier) @type (type_arguments (_)* @type_argument)? name: (_) @target "in"
  value: (_) @iterated)) @loop (#set! declares) (#set! scope)
(for_statement (for_loop_parts name: (_) @target "in" value: (_) @iterated)) @loop (#set! declares) (#set! scope)
(for_statement) @scope
(if_statement) @scope
(block) @scope
(switch_statement_case) @scope
(switch_expression_case) @scope
