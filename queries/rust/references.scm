; What has no names in it, or none that are looked up.
(line_comment) @ignore
(block_comment) @ignore
(visibility_modifier) @ignore
(extern_modifier) @ignore
(lifetime) @ignore
(label) @ignore
(for_lifetimes) @ignore
(use_bounds) @ignore
(removed_trait_bound) @ignore
(string_literal) @literal
(raw_string_literal) @literal
(char_literal) @literal
(boolean_literal) @literal
(integer_literal) @literal
(float_literal) @literal
(negative_literal) @literal
(unit_expression) @literal
(range_expression) @literal
(primitive_type) @literal
(unit_type) @literal
(never_type) @literal

; Names
((metavariable) @reference (#eq? @reference "$crate"))
(crate) @reference
(super) @reference
(scoped_identifier path: (self) @reference)
(self) @self
((identifier) @self_type (#eq? @self_type "Self"))
((type_identifier) @self_type (#eq? @self_type "Self"))
; A name with a capital in a pattern is a constant, not a new variable.
((identifier) @reference (#match? @reference "^[A-Z]") (#set! fixed))
(identifier) @reference
(type_identifier) @reference
(shorthand_field_identifier) @reference

; Paths
(scoped_identifier path: (_) @object name: (_) @property) @member
(scoped_type_identifier path: (_) @object name: (_) @property) @member
(scoped_identifier name: (_) @through)
(scoped_type_identifier name: (_) @through)
(bracketed_type (_) @through)
(qualified_type type: (_) @through alias: (_))

; Types
(generic_type
  type: (_) @type
  type_arguments: (type_arguments
    [
      (abstract_type) (array_type) (bounded_type) (dynamic_type) (function_type) (generic_type) (macro_invocation)
      (metavariable) (never_type) (pointer_type) (primitive_type) (reference_type) (scoped_type_identifier)
      (tuple_type) (type_identifier) (unit_type)
    ]* @argument
    (type_binding type: (_) @argument)*)) @apply
(generic_type_with_turbofish type: (_) @type type_arguments: (type_arguments (_) @argument)) @apply
(generic_function function: (_) @type type_arguments: (type_arguments (_) @argument)) @apply
(reference_type type: (_) @through)
(pointer_type type: (_) @through)
(dynamic_type trait: (_) @through)
(abstract_type trait: (_) @through)
(bracketed_type (_) @through)
(higher_ranked_trait_bound type: (_) @through)
(bounded_type (_) @value) @union
(tuple_type (_) @element) @list
(array_type element: (_) @element) @list

; Calls
(call_expression function: (_) @callee arguments: (arguments (_)* @argument)) @call
(macro_invocation macro: (identifier) @_macro (token_tree) @through (#eq? @_macro "vec"))
(macro_invocation macro: (_) @callee (token_tree)* @argument) @call (#set! macro)
(macro_invocation (token_tree) @tokens)
(struct_expression name: (_) @type body: (field_initializer_list (_)* @argument)) @new (#set! fields)
(field_initializer field: (_) @key value: (_) @value) @argument.named
(shorthand_field_initializer (identifier)) @argument.named
(base_field_initializer (_) @value) @argument.spread

; Expressions
(field_expression value: (_) @object field: (_) @property) @member
(index_expression (_) @object (_) @subscript) @index
(await_expression (_) @value) @await
(try_expression (_) @value) @unwrap
(unary_expression "*" (_) @through)
(unary_expression) @opaque
(reference_expression value: (_) @through)
(parenthesized_expression (_) @through)
(type_cast_expression type: (_) @type) @instance
(binary_expression operator: ["==" "!=" "<" ">" "<=" ">=" "&&" "||"]) @literal
(binary_expression) @opaque
(array_expression (_)* @element) @list
(tuple_expression (_)* @element) @list
(assignment_expression left: (_) @target right: (_) @value) @assignment
(compound_assignment_expr) @opaque
(return_expression (_)? @value) @return
(yield_expression (_)? @value) @yield
(break_expression) @opaque
