; Calls, members, types, and where values go.

(end_marker) @ignore
(annotation name: (_) @through)

; A block, or a second list of arguments, behind a call is more arguments of it.
(call_expression
  function: (call_expression function: (_) @callee arguments: (arguments (_)* @argument))
  arguments: [(block) (case_block) (colon_argument)] @argument) @call
(call_expression
  function: (call_expression function: (_) @callee arguments: (arguments (_)* @argument))
  arguments: (arguments (_)* @argument)) @call
(call_expression function: (_) @callee arguments: (arguments (_)* @argument)) @call
(call_expression function: (_) @callee arguments: (_) @argument) @call

(infix_expression
  left: (_) @object
  operator: (_) @property
  right: (_) @argument
  (#not-any-of? @property "==" "!=" "&&" "||" "->" "eq" "ne" "to" "until" "by")) @call

(arguments (assignment_expression left: (identifier) @key right: (_) @value) @argument.named)
(vararg . (_) @value) @argument.spread

; An instance with a body is a type of its own.
(instance_expression
  [(type_identifier) (generic_type) (stable_type_identifier) (compound_type) (projected_type)] @type
  arguments: (arguments (_)* @argument)?
  (template_body)? @body) @new
(compound_type base: (_) @through)

; Members.
(generic_function
  function: (field_expression field: (identifier) @_cast)
  type_arguments: (type_arguments (_) @type)
  (#eq? @_cast "asInstanceOf")) @instance
(generic_function function: (_) @through)
(field_expression
  value: (identifier) @ignore
  field: (identifier) @property
  (#eq? @ignore "_root_")
  (#set! root)) @member
(field_expression value: (_) @object field: (_) @property) @member
(stable_identifier . (_) @object (identifier) @property .) @member
(stable_type_identifier . (_) @object (type_identifier) @property .) @member
(projected_type type: (_) @object selector: (_) @property) @member
(method_value . (_) @through)

; Where values go.
(assignment_expression left: (_) @target right: (_) @value) @assignment
(return_expression (_) @value) @return

; Values of other expressions.
(parenthesized_expression (_) @through)
(if_expression consequence: (_) @value alternative: (_) @value) @union
(try_expression body: (_) @value) @union
(ascription_expression type: (_) @type) @instance
(tuple_expression (_) @element) @list
(tuple_pattern (_) @element) @list

; Patterns are read backwards.
(case_class_pattern
  type: (type_identifier) @_type @ignore
  pattern: (_) @through
  (#any-of? @_type "Some" "Right" "Left" "Success"))
(case_class_pattern type: (_) @type pattern: (_)* @argument) @new
(capture_pattern name: (identifier) @value pattern: (_) @value) @union
(alternative_pattern (_) @value) @union
(repeat_pattern pattern: (_) @through)

(infix_pattern left: (_) @element right: (_) @element) @list

(infix_expression) @literal
(prefix_expression) @literal
(interpolated_string_expression) @literal
(string) @literal
(character_literal) @literal
(integer_literal) @literal
(floating_point_literal) @literal
(boolean_literal) @literal
(null_literal) @literal
(unit) @literal
(field_expression value: (wildcard) @reference)
(infix_expression left: (wildcard) @reference)
(wildcard) @opaque

; Types.
(generic_type type: (_) @type type_arguments: (type_arguments (_)* @argument)) @apply
(function_type return_type: (_) @type) @lambda
(lazy_parameter_type type: (_) @through)
(repeated_parameter_type type: (_) @element) @list
(annotated_type (_) @through)
(singleton_type (_) @type) @instance
(type_identifier) @reference

((identifier) @self (#eq? @self "this"))
((identifier) @super (#eq? @super "super"))
(interpolated_string_expression interpolator: (_) @ignore)
((identifier) @reference (#match? @reference "^[A-Z`]") (#set! fixed))
(identifier) @reference
