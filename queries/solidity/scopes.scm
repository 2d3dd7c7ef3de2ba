(block_statement) @scope
(for_statement) @scope
