; How PHP's variables get values. A function is their scope; blocks are none.

(assignment_expression left: (_) @target right: (_) @value) @assignment (#set! declares)
(reference_assignment_expression left: (_) @target right: (_) @value) @assignment (#set! declares)
(augmented_assignment_expression left: (_) @target operator: "??=" right: (_) @value) @assignment (#set! declares)
(static_variable_declaration name: (_) @target value: (_)? @value) @assignment (#set! declares)
(global_declaration (variable_name) @name) @global

(foreach_statement (_) @iterated (pair) @target) @loop (#set! declares) (#set! keyed)
(pair (_)* @element) @list
(foreach_statement (_) @iterated (_) @target body: (_)) @loop (#set! declares)
(catch_clause type: (_) @type name: (_) @target) @assignment (#set! declares)
(type_list (_) @value) @union

(list_literal [(variable_name) (list_literal) (by_ref) (member_access_expression) (scoped_property_access_expression)
  (subscript_expression)]* @element) @list
(by_ref (_) @through)
