(comment) @ignore
(label_name) @ignore
(interpreted_string_literal) @literal
(raw_string_literal) @literal
(rune_literal) @literal
(int_literal) @literal
(float_literal) @literal
(imaginary_literal) @literal
(true) @literal
(false) @literal
(nil) @literal
(iota) @literal

(identifier) @reference
(type_identifier) @reference
(package_identifier) @reference
(qualified_type package: (_) @object name: (_) @property) @member

; Types
(pointer_type (_) @through)
(parenthesized_type (_) @through)
(negated_type (_) @through)
(type_elem (_) @through)
(generic_type type: (_) @type type_arguments: (type_arguments (_) @argument)) @apply
(type_instantiation_expression type: (_) @type (_) @argument) @apply
(slice_type element: (_) @element) @list
(array_type element: (_) @element) @list
(implicit_length_array_type element: (_) @element) @list
(map_type value: (_) @element) @list
(channel_type value: (_) @element) @list

; Calls. Some of the language's own functions take a type, or give back what they were given.
(call_expression
  function: (identifier) @_new
  arguments: (argument_list . (_) @type)
  (#eq? @_new "new")) @new
(call_expression
  function: (identifier) @_make
  arguments: (argument_list . (_) @type)
  (#eq? @_make "make")) @instance
(call_expression
  function: (identifier) @_append
  arguments: (argument_list . (_) @value)
  (#eq? @_append "append")) @union
(call_expression function: (_) @callee arguments: (argument_list (_)* @argument)) @call
(variadic_argument (_) @value) @argument.spread
(type_conversion_expression type: (generic_type) @callee operand: (_) @argument) @call
(type_conversion_expression type: (_) @type) @instance

; Literals of types. Keys are fields, except in maps and lists.
(composite_literal
  type: [(type_identifier) (qualified_type) (generic_type)] @type
  body: (literal_value (keyed_element)* @argument)) @new (#set! fields)
(composite_literal type: (_) @type body: (literal_value (_)* @argument)) @new
(composite_literal
  type: [(array_type) (implicit_length_array_type) (map_type) (slice_type)]
  body: (literal_value
    (keyed_element
      key: (literal_element [(identifier) (selector_expression) (composite_literal) (call_expression) (literal_value)])
      value: (literal_element) @through)))
(literal_element (literal_value (keyed_element key: (literal_element (_) @key) value: (_) @value) @pair))
(literal_element (literal_value (keyed_element)) @object)
(literal_element (literal_value (_)* @element) @list)
(keyed_element key: (literal_element (_) @key) value: (_) @value) @argument.named
(literal_element (_) @through)

; Expressions
(selector_expression operand: (_) @object field: (_) @property) @member
; A call of `F[T]` is one of a generic function, where F and T look like one.
(call_expression
  function: (index_expression operand: (_) @type index: (identifier) @argument) @apply
  (#match? @apply "^(?:\\w+\\.)?[A-Z]\\w*\\[[A-Z]|\\[(?:any|bool|byte|error|float32|float64|u?int(?:8|16|32|64)?|rune|string)\\]$"))
(index_expression operand: (_) @object index: (_) @subscript) @index
(slice_expression operand: (_) @through)
(parenthesized_expression (_) @through)
(type_assertion_expression type: (_) @type) @instance
(unary_expression operator: ["&" "*"] operand: (_) @through)
(unary_expression operator: "<-" operand: (_) @value) @unwrap
(unary_expression operator: ["!" "+" "-" "^"]) @literal
(binary_expression) @literal
(expression_list (_) @element) @list (#set! single)
(return_statement (_)? @value) @return
