(keyword_argument name: (identifier) @key value: (_) @value) @argument.named
(argument_list (list_splat (_) @value) @argument.spread)
(argument_list (dictionary_splat (_) @value) @argument.spread)
(dictionary (dictionary_splat (_) @value) @argument.spread)
(list_splat (_) @value) @argument.spread
(list_splat_pattern (_) @value) @argument.spread
(parenthesized_list_splat (_) @through)

((call function: (identifier) @_f) @super (#eq? @_f "super"))
(call function: (_) @callee arguments: (generator_expression) @argument) @call
(call function: (_) @callee arguments: (argument_list (_) @argument)?) @call

(attribute object: (_) @object attribute: (identifier) @property) @member
; A part of a list is a list of the same things.
(subscript value: (_) @through subscript: (slice)) @through
(class_definition superclasses: (argument_list (subscript value: (_) @type subscript: (_) @argument) @apply))
(subscript value: (_) @object subscript: [(string) (integer)] @key !subscript) @index
(subscript value: (_) @object subscript: [(string) (integer)] @key) @index
(subscript value: (_) @object) @index

(dictionary) @object
(dictionary (pair key: (string) @key value: (_) @value) @pair)
(dictionary (pair value: (_) @value) @pair)
(dictionary_comprehension body: (pair value: (_) @through))
(list (_) @element) @list
(tuple (_) @element) @list
(set (_) @element) @list
(expression_list (_) @element) @list
(pattern_list (_) @element) @list
(tuple_pattern (_) @element) @list
(list_pattern (_) @element) @list
(list) @list
(tuple) @list
(set) @list

(conditional_expression . (_) @value (_) (_) @value .) @union
(boolean_operator left: (_) @value right: (_) @value) @union
(parenthesized_expression (_) @through)
(await (_) @value) @await
(yield "from" (_) @value) @yield (#set! elements)
(yield (_) @value) @yield
(return_statement (_) @value) @return

; A type that is written as text, because what it names comes later.
(type (string (string_content) @through @_name)) (#match? @_name "^[A-Za-z_][A-Za-z_0-9]*$")
(type (string (string_content) @reference (#match? @reference "^[A-Za-z_][A-Za-z_0-9]*$")))
[(string) (concatenated_string) (integer) (float) (true) (false) (none) (comparison_operator) (not_operator)] @literal
[(binary_operator) (unary_operator)] @opaque

; Types.
(generic_type (identifier) @type (type_parameter (type) @argument)) @apply
(member_type (type) @object (identifier) @property) @member
(union_type (type) @value) @union
(binary_operator left: (_) @value operator: "|" right: (_) @value) @union

(identifier) @reference
; `raise Missing` makes an instance, as `raise Missing()` does.
(raise_statement [(identifier) (attribute)] @type) @new
