[(exports) (fixity) (deriving)] @ignore
(type_params bind: (variable) @ignore)
(field_name) @ignore
(patterns (variable) @parameter)
(lambda patterns: (patterns (variable) @parameter)) @lambda
(lambda) @lambda
(function (infix left_operand: (variable) @parameter right_operand: (variable) @parameter))
(bind pattern: (_) @target arrow: "<-") @assignment (#set! declares)
(match expression: (_) @through)
; Arguments stand one behind the other: the innermost function is what is called.
(apply function: [(variable) (qualified) (constructor)] @callee argument: (_) @argument) @call
(apply function: (_) @through)
(infix left_operand: (_) operator: (infix_id (variable) @reference) right_operand: (_))
(qualified module: (module) @object id: (_) @property) @member
(module . (module_id) @reference .)
(parens expression: (_) @through)
(conditional then: (_) @value else: (_) @value) @union
[(variable) (name) (constructor)] @reference
[(literal) (infix)] @literal
[(comment) (haddock) (operator) (pragma)] @ignore
