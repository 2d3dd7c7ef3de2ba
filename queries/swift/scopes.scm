(lambda_literal (statements . (_) @result .)) @lambda
(lambda_literal) @lambda
(for_statement item: (_) @target collection: (_) @iterated) @loop (#set! declares) (#set! scope)
(if_statement) @scope
(while_statement) @scope
(switch_entry) @scope
(do_statement) @scope
(catch_block) @scope
