; inherits: c
(if_statement) @scope
(while_statement) @scope
(switch_statement) @scope
(catch_clause) @scope
(requires_expression) @scope
