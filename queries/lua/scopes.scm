(block) @scope
(for_statement clause: (for_generic_clause (variable_list) @target
  (expression_list . (function_call arguments: (arguments . (_) @iterated .)) .))) @loop
  (#set! declares) (#set! scope) (#set! keyed)
(for_statement clause: (for_numeric_clause name: (identifier) @target)) @loop (#set! declares) (#set! scope)
(for_statement) @scope
