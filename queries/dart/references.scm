; Arguments.
(argument (_) @through)
(named_argument (label (identifier) @key) (_) @value) @argument.named

; Instances that the syntax shows.
(new_expression (type_identifier) @type . "." . (identifier) @_constructor (arguments (_)* @argument)) @new
(new_expression (type_identifier) @type (arguments (_)* @argument)) @new
(const_object_expression (type_identifier) @type (arguments (_)* @argument)) @new

; Calls; in a cascade the receiver stands in front of the whole.
(cascade_expression target: (_) @object (unconditional_cascade_section
  (method_invocation function: (cascade_selector (identifier) @property)
  arguments: (argument_part (arguments (_)* @argument))) @call))
(cascade_expression target: (_) @object (conditional_cascade_section
  (method_invocation function: (cascade_selector (identifier) @property)
  arguments: (argument_part (arguments (_)* @argument))) @call))
(cascade_expression target: (_) @object (unconditional_cascade_section
  (assignment_expression_without_cascade left: (cascade_selector (identifier) @property) @member)))
(cascade_expression target: (_) @through)
(method_invocation function: [(unconditional_assignable_selector (_) @callee (assignable_operator)
  (identifier) @_call) (conditional_assignable_selector (_) @callee (assignable_operator) (identifier) @_call)]
  arguments: (argument_part (arguments (_)* @argument)) (#eq? @_call "call")) @call
(method_invocation function: (_) @callee arguments: (argument_part (type_arguments (_)* @type_argument)?
  (arguments (_)* @argument))) @call
(unconditional_assignable_selector . (_) @object (index_selector
  [(string_literal) (decimal_integer_literal)] @key)) @index
(unconditional_assignable_selector . (_) @object (index_selector (_) @subscript)) @index
(unconditional_assignable_selector . (_) @object (identifier) @property .) @member
(conditional_assignable_selector . (_) @object (identifier) @property .) @member
(dot_shorthand) @ignore

(assignment_expression left: (_) @target operator: (assignment_operator ["=" "??="]) right: (_) @value) @assignment
(assignment_expression_without_cascade left: (_) @target operator: (assignment_operator ["=" "??="])
  right: (_) @value) @assignment
(assignable_expression (_) @through)
(return_statement (_) @value) @return
(yield_statement (_) @value) @yield
(await_expression (_) @value) @await
(unary_expression (await_expression) @through)
(parenthesized_expression (_) @through)
(null_assertion_expression (_) @through)
(type_cast_expression (type_cast (type_identifier) @type)) @instance
(conditional_expression consequence: (_) @value alternative: (_) @value) @union
(if_null_expression first: (_) @value second: (_) @value) @union
(switch_expression body: (switch_expression_case (_) @value .)*) @union
(throw_expression (_) @through)
(list_literal (type_arguments)? (_)* @element) @list
(set_or_map_literal (pair)) @object
(set_or_map_literal (type_arguments)? (_)* @element) @list
(pair key: (string_literal) @key value: (_) @value) @pair
(pair value: (_) @value) @pair
(record_pattern (_)* @element) @list
(list_pattern (_)* @element) @list
(constant_pattern (identifier) @ignore (#eq? @ignore "_"))
(constant_pattern (_) @through)
(field_initializer (identifier) @target (_) @value) @assignment
(redirection (this) @callee (arguments (_)* @argument)) @call
(initializer_list_entry (super) @callee (arguments (_)* @argument)) @call

(function_type) @ignore
(label) @ignore
(this) @self
(super) @super
(type_identifier) @reference
[(identifier) (identifier_dollar_escaped)] @reference
[(string_literal) (decimal_integer_literal) (decimal_floating_point_literal) (hex_integer_literal) (true) (false)
  (null_literal) (symbol_literal) (additive_expression) (multiplicative_expression) (relational_expression)
  (equality_expression) (logical_and_expression) (logical_or_expression) (type_test_expression) (postfix_expression)
  (void_type)] @literal
[(comment) (documentation_comment) (assignable_operator)] @ignore
