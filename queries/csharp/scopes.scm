; Blocks with names of their own.

(block) @scope
(for_statement) @scope
(using_statement) @scope
(fixed_statement) @scope
(switch_section) @scope
(switch_expression_arm) @scope
(catch_clause) @scope
(query_expression (select_clause (_) @element) (#set! scope)) @list
(query_expression) @scope

(lambda_expression body: (block)) @lambda
(lambda_expression body: (_) @result) @lambda
(anonymous_method_expression) @lambda

(foreach_statement
  type: (implicit_type)
  left: (_) @target
  right: (_) @iterated
  (#set! declares)
  (#set! scope)) @loop

(foreach_statement
  type: (_) @type
  left: (_) @target
  right: (_) @iterated
  (#set! declares)
  (#set! scope)) @loop

(foreach_statement left: (_) @target right: (_) @iterated) @loop

; Queries: a range variable is an element of what it ranges over.
(from_clause type: (_)? @type name: (identifier) @target (_) @iterated (#set! declares)) @loop
(join_clause (identifier) @target . (_) @iterated (#set! declares)) @loop
(let_clause . (identifier) @target (_) @value (#set! declares)) @assignment
