; Blocks that names are local to, and how variables get values.

; The body of a function is no scope of its own: parameters and body share one.
(if_statement consequence: (statement_block) @scope)
(else_clause (statement_block) @scope)
(for_statement) @scope
(while_statement body: (statement_block) @scope)
(do_statement body: (statement_block) @scope)
(try_statement body: (statement_block) @scope)
(finally_clause body: (statement_block) @scope)
(catch_clause) @scope
(switch_body) @scope
(class_static_block) @scope
(labeled_statement body: (statement_block) @scope)
(statement_block (statement_block) @scope)
(program (statement_block) @scope)

(for_in_statement kind: ["const" "let" "var"] left: (_) @target operator: "of" right: (_) @iterated) @loop (#set! declares) (#set! scope)
(for_in_statement kind: ["const" "let" "var"] left: (_) @target) @loop (#set! declares) (#set! scope)
(for_in_statement left: (_) @target operator: "of" right: (_) @iterated) @loop

(catch_clause parameter: (_) @parameter)

(variable_declaration (variable_declarator name: (_) @target value: (_)? @value) @assignment (#set! declares) (#set! hoisted))
(variable_declarator name: (_) @target value: (_)? @value) @assignment (#set! declares)

; Patterns that take a value apart, and defaults in them.
(object_pattern) @object
(array_pattern (_)* @element) @list (#set! holes)
(pair_pattern key: [(property_identifier) (string) (number)] @key value: (_) @value) @pair
(pair_pattern key: (computed_property_name) value: (_) @value) @pair
(object_assignment_pattern left: (_) @target right: (_) @value) @default
(shorthand_property_identifier_pattern) @pair
(assignment_pattern left: (_) @target right: (_) @value) @default
(rest_pattern (_) @value) @argument.spread

(augmented_assignment_expression left: (_) @target operator: ["||=" "&&=" "??="] right: (_) @value) @assignment
