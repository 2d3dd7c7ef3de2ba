; A block's value is its last expression, which has no semicolon. `if`, `match` and their like have none anyway.
(block
  [
    (array_expression) (async_block) (await_expression) (binary_expression) (block) (boolean_literal) (call_expression)
    (char_literal) (closure_expression) (const_block) (field_expression) (float_literal) (for_expression)
    (generic_function) (identifier) (if_expression) (index_expression) (integer_literal) (loop_expression)
    (macro_invocation) (match_expression) (metavariable) (parenthesized_expression) (range_expression)
    (raw_string_literal) (reference_expression) (scoped_identifier) (self) (string_literal) (struct_expression)
    (try_block) (try_expression) (tuple_expression) (type_cast_expression) (unary_expression) (unit_expression)
    (unsafe_block)
    (expression_statement [(block) (if_expression) (match_expression) (unsafe_block)])
  ] @result) @scope
(block) @scope
(expression_statement (_) @through)
(async_block (block) @through)
(unsafe_block (block) @through)
(const_block body: (_) @through)
(try_block (block) @through)
(gen_block) @opaque
(loop_expression) @opaque

(closure_expression return_type: (_)? @type body: (_) @result) @lambda
(function_type trait: (_) @ignore return_type: (_)? @type) @lambda
(function_type return_type: (_)? @type) @lambda

; Names in `let` patterns hold from there on.
(let_declaration pattern: (_) @target type: (_)? @type value: (_)? @value) @assignment (#set! declares) (#set! shadows)
(let_condition pattern: (_) @target value: (_) @value) @assignment (#set! declares) (#set! shadows)
(if_expression consequence: (_) @value alternative: (_)? @value) @union (#set! scope)
(else_clause (_) @through)
(while_expression) @scope
(for_expression pattern: (_) @target value: (_) @iterated) @loop (#set! declares) (#set! scope)

(match_expression value: (_) @value body: (match_block (match_arm value: (_) @result))) @match
(match_arm pattern: (match_pattern (_) @target)) @case (#set! declares)
(match_arm) @case

; Patterns are read backwards: what would make such a value takes it apart.
(tuple_struct_pattern type: (_) @_type [(_) "_"]* @element (#any-of? @_type "Some" "Ok" "Ready")) @unpack
(tuple_struct_pattern type: (_) @type [(_) "_"]* @argument) @new
(struct_pattern type: (_) @type (field_pattern)* @argument) @new
(field_pattern name: (_) @key pattern: (_) @value) @argument.named
(field_pattern name: (_) @key @value) @argument.named
(tuple_pattern [(_) "_"]* @element) @list
(slice_pattern (_) @element) @unpack
(or_pattern (_) @value) @union
(captured_pattern (_) @value) @union
(mut_pattern (_) @through)
(ref_pattern (_) @through)
(reference_pattern (_) @through)
(range_pattern) @literal
(remaining_field_pattern) @argument.spread
