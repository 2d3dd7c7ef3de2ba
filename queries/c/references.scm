; Forward declarations (`struct point;`) and what is no code.
(translation_unit [(struct_specifier !body) (union_specifier !body) (enum_specifier !body)] @ignore)
(declaration_list [(struct_specifier !body) (union_specifier !body) (enum_specifier !body)] @ignore)
(attribute_specifier) @ignore
(ms_declspec_modifier) @ignore

(call_expression function: (_) @callee arguments: (argument_list (_)* @argument)) @call
(field_expression argument: (_) @object field: (field_identifier) @property) @member
(subscript_expression argument: (_) @object index: [(string_literal) (number_literal) (char_literal)] @key) @index
(subscript_expression argument: (_) @object index: (_) @subscript) @index

(assignment_expression left: (_) @target operator: "=" right: (_) @value) @assignment
(return_statement (_) @value) @return

; `(handler_t)f` is still `f`.
(cast_expression type: (type_descriptor type: (primitive_type)) value: (_) @through)
(cast_expression type: (type_descriptor type: (type_identifier) @type !declarator) @instance)
(cast_expression type: (type_descriptor !declarator) @value value: (_) @value) @union
(cast_expression type: (_) @type) @instance
(compound_literal_expression type: (_) @type value: (initializer_list (_)* @argument)) @new
(initializer_pair designator: (field_designator (field_identifier) @key) value: (_) @value) @pair
(initializer_pair designator: (subscript_designator (_) @key) value: (_) @value) @pair
(initializer_list (initializer_pair)) @object
(initializer_list (_)* @element) @list

(conditional_expression consequence: (_) @value alternative: (_) @value) @union
(parenthesized_expression (_) @through)
(pointer_expression argument: (_) @through)
(comma_expression right: (_) @through)
(generic_expression (_)* @value) @union

(struct_specifier name: (_) @through)
(union_specifier name: (_) @through)
(enum_specifier name: (_) @through)
(type_descriptor type: (_) @through)
(macro_type_specifier name: (identifier) @call (#set! macro))

(type_identifier) @reference
(identifier) @reference
[(primitive_type) (sized_type_specifier)] @literal
[(string_literal) (concatenated_string) (char_literal) (number_literal) (true) (false) (null) (sizeof_expression)
  (alignof_expression) (binary_expression) (unary_expression) (update_expression)] @literal
[(comment) (statement_identifier) (preproc_directive)] @ignore
