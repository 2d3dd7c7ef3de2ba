(lambda body: [(block) (do_block)] @decorated)
(lambda body: [(block body: (block_body (_) @result .)) (do_block body: (body_statement (_) @result .))]) @lambda
(lambda) @lambda
(block body: (block_body (_) @result .)) @lambda
(do_block body: (body_statement (_) @result .)) @lambda
[(block) (do_block)] @lambda
(for pattern: (_) @target value: (in (_) @iterated)) @loop (#set! declares)
