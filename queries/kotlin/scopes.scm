; Blocks with names of their own; the last expression is a block's value.

(block (_)* @result) @scope
(catch_block) @scope
(catch_block (identifier) @definition.variable . (_) @type)

(lambda_literal (lambda_parameters) (_) @result .) @lambda
(lambda_literal (lambda_parameters)) @lambda
(lambda_literal (_) @result .) @lambda
(lambda_literal) @lambda
(anonymous_function
  (function_value_parameters)
  [(user_type) (nullable_type) (function_type) (parenthesized_type) (non_nullable_type)]? @type
  (function_body (_) @result)?) @lambda
(function_type (_) @type .) @lambda

(for_statement
  (variable_declaration (identifier) @target (_)? @type)
  . (_) @iterated
  (#set! declares)
  (#set! scope)) @loop

(for_statement
  (multi_variable_declaration) @target
  . (_) @iterated
  (#set! declares)
  (#set! scope)) @loop

; The subject of `when` has the type that was checked in the entry behind it.
(when_expression
  (when_subject (variable_declaration) (_) @value)
  (when_entry "->" (_) @result)*
  (#set! scope)) @match
(when_expression
  (when_subject (identifier) @value @target .)
  (when_entry "->" (_) @result)*) @match
(when_expression
  (when_subject (_) @value .)?
  (when_entry "->" (_) @result)*) @match

(when_entry condition: (type_test "is" (_) @type) (#set! declares)) @case
(when_entry) @scope
(when_subject
  (variable_declaration (identifier) @name (_)? @type)
  (_) @value) @definition.variable
