(block) @scope
(func_literal result: (_)? @type) @lambda
(function_type result: (_)? @type) @lambda

; Each of these is a block of its own, which the names in its head belong to.
(if_statement) @scope
(for_statement) @scope
(expression_switch_statement) @scope
(expression_case) @scope
(default_case) @scope
(communication_case) @scope

(short_var_declaration left: (_) @target right: (_) @value) @assignment
  (#set! declares) (#set! shadows) (#set! comma_ok)
(receive_statement left: (_) @target ":=" right: (_) @value) @assignment (#set! declares) (#set! comma_ok)
(receive_statement left: (_) @target right: (_) @value) @assignment (#set! comma_ok)
(assignment_statement left: (_) @target operator: "=" right: (_) @value) @assignment (#set! comma_ok)
(range_clause left: (_) @target ":=" right: (_) @iterated) @loop (#set! declares) (#set! keyed)
(range_clause left: (_) @target right: (_) @iterated) @loop (#set! keyed)

; In `switch t := x.(type)` the name has another type in each case.
(type_switch_statement alias: (expression_list (identifier) @target) value: (_) @value) @match (#set! declares)
(type_switch_statement value: (_) @value) @match
(type_case type: (_) @type) @case (#set! declares)
(type_switch_statement (default_case) @case (#set! declares))
