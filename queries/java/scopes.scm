; Blocks with names of their own.

(block) @scope
(constructor_body) @scope
(for_statement) @scope
(switch_rule) @scope
(switch_block_statement_group) @scope
(try_with_resources_statement) @scope
(catch_clause) @scope

(lambda_expression body: (block)) @lambda
(lambda_expression body: (_) @result) @lambda

(enhanced_for_statement
  type: (type_identifier) @_type
  name: (identifier) @target
  value: (_) @iterated
  (#eq? @_type "var")
  (#set! declares)
  (#set! scope)) @loop

(enhanced_for_statement
  type: (_) @type
  name: (identifier) @target
  value: (_) @iterated
  (#set! declares)
  (#set! scope)) @loop
