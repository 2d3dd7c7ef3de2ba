; Calls, members, types, and where values go.

; Names that are no references.
(labeled_statement . (identifier) @ignore)
(goto_statement . (identifier) @ignore)
(subpattern . (identifier) @ignore ":")
(with_initializer . (identifier) @ignore)
(anonymous_object_creation_expression (identifier) @ignore "=")
(attribute_argument name: (identifier) @ignore)
(preproc_if condition: (_) @ignore)
(preproc_elif condition: (_) @ignore)

(attribute name: (_) @through)

; Calls.
(invocation_expression
  function: (generic_name . (identifier) @callee)
  arguments: (argument_list (argument)* @argument)) @call
(invocation_expression
  function: (_) @callee
  arguments: (argument_list (argument)* @argument)) @call

(constructor_initializer ["base" "this"] @callee (argument_list (argument)* @argument)) @call

(argument name: (identifier) @key ["this" "base" (_)] @value .) @argument.named
(argument ["this" "base" (_)] @through)

; Instances. An initializer names members of the type.
(initializer_expression (assignment_expression left: (identifier) @key right: (_) @value) @pair)
(object_creation_expression
  type: (_) @type
  arguments: (argument_list (argument)* @argument)?
  initializer: (initializer_expression (assignment_expression)* @slot)?) @new

; `new(…)` makes what is declared.
(variable_declaration
  type: (_) @type
  (variable_declarator
    (implicit_object_creation_expression
      (argument_list (argument)* @argument)
      (initializer_expression (assignment_expression)* @slot)?) @new))
(property_declaration
  type: (_) @type
  value: (implicit_object_creation_expression
    (argument_list (argument)* @argument)
    (initializer_expression (assignment_expression)* @slot)?) @new)
(method_declaration
  returns: (_) @type
  body: (arrow_expression_clause
    (implicit_object_creation_expression
      (argument_list (argument)* @argument)
      (initializer_expression (assignment_expression)* @slot)?) @new))
(implicit_object_creation_expression) @opaque

(array_creation_expression type: (_) @type) @instance
(implicit_array_creation_expression (initializer_expression) @through)
(initializer_expression (_)* @element) @list
(collection_expression (collection_element)* @element) @list
(collection_element (_) @through)
(expression_element (_) @through)
(spread_element (_) @value) @argument.spread
(tuple_expression (argument)* @element) @list
(tuple_pattern name: (identifier)* @element) @list

; Members.
(member_access_expression
  expression: ["this" "base" (_)] @object
  name: (generic_name . (identifier) @property)) @member
(member_access_expression expression: ["this" "base" (_)] @object name: (identifier) @property) @member
(conditional_access_expression
  condition: ["this" "base" (_)] @object
  (member_binding_expression name: (_) @property)) @member
(conditional_access_expression
  condition: (_) @object
  (element_binding_expression (argument) @subscript)) @index
(element_access_expression
  expression: ["this" "base" (_)] @object
  subscript: (bracketed_argument_list (argument) @subscript)) @index

(qualified_name qualifier: (_) @object name: (generic_name . (identifier) @property)) @member
(qualified_name qualifier: (_) @object name: (identifier) @property) @member
(alias_qualified_name alias: (identifier) @ignore name: (_) @through)

; Where values go. A handler that is added to an event flows into it.
(assignment_expression left: (_) @target operator: ["=" "??=" "+="] right: ["this" (_)] @value) @assignment
(variable_declarator (tuple_pattern) @target (_) @value (#set! declares)) @assignment
(return_statement (_) @value) @return
(return_statement "this" @value) @return
(yield_statement (_) @value) @yield
(accessor_declaration body: (arrow_expression_clause (_) @value)) @return

; Values of other expressions.
(parenthesized_expression ["this" "base" (_)] @through)
(checked_expression (_) @through)
(ref_expression (_) @through)
(postfix_unary_expression (_) @through "!")
(conditional_expression consequence: (_) @value alternative: (_) @value) @union
(binary_expression left: (_) @value operator: "??" right: (_) @value) @union
(switch_expression (switch_expression_arm (_) @value .)*) @union
(with_expression . (_) @through)
(await_expression (_) @value) @await
(cast_expression type: (_) @type) @instance
(as_expression right: (_) @type) @instance
(default_expression type: (_) @type) @instance
(refvalue_expression type: (_) @type) @instance

(binary_expression) @literal
(prefix_unary_expression) @literal
(postfix_unary_expression) @literal
(is_expression) @literal
(is_pattern_expression) @literal
(typeof_expression) @literal
(sizeof_expression) @literal
(interpolated_string_expression) @literal
(anonymous_object_creation_expression) @literal
(string_literal) @literal
(verbatim_string_literal) @literal
(raw_string_literal) @literal
(character_literal) @literal
(integer_literal) @literal
(real_literal) @literal
(boolean_literal) @literal
(null_literal) @opaque

"this" @self
"base" @super

; Types.
(predefined_type) @literal
(implicit_type) @ignore
(nullable_type type: (_) @through)
(pointer_type type: (_) @through)
(ref_type type: (_) @through)
(scoped_type type: (_) @through)
(array_type type: (_) @element) @list
(tuple_element name: (identifier) @ignore)
(tuple_type (tuple_element type: (_) @element)*) @list
(generic_name . (identifier) @type (type_argument_list (_)* @argument)) @apply

(identifier) @reference
