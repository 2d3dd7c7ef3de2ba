; Blocks with names of their own.

(block (_)* @result) @scope
(indented_block (_)* @result) @scope

(lambda_expression parameters: (_) (_)* @result) @lambda
(colon_argument lambda_start: (_) (indented_block) @result) @lambda
(call_expression arguments: (case_block (case_clause body: (_) @result .)*) @lambda)
(arguments (case_block (case_clause body: (_) @result .)*) @lambda)

; `xs.map(_.name)`: an argument with a gap is a function of what fills it.
(arguments (field_expression value: (wildcard)) @lambda @result)
(arguments
  (field_expression
    value: [
      (field_expression value: (wildcard))
      (call_expression function: (field_expression value: (wildcard)))
    ]) @lambda @result)
(arguments (call_expression function: (field_expression value: (wildcard))) @lambda @result)
(arguments
  (call_expression
    function: (field_expression
      value: [
        (field_expression value: (wildcard))
        (call_expression function: (field_expression value: (wildcard)))
      ])) @lambda @result)
(arguments (infix_expression left: (wildcard)) @lambda @result)
(arguments (infix_expression left: (field_expression value: (wildcard))) @lambda @result)

(for_expression body: (_) @element (#set! scope)) @list
(enumerator . (_) @target "<-" (_) @iterated (#set! declares)) @loop
(enumerator . (_) @target "=" (_) @value (#set! declares)) @assignment

(match_expression value: (_) @value body: (_ (case_clause body: (_) @result .)*)) @match
(case_clause pattern: (_) @target (#set! declares)) @case
