; inherits: c
; Forward declarations.
(translation_unit [(class_specifier !body) (enum_specifier !body)] @ignore)
(declaration_list [(class_specifier !body) (enum_specifier !body)] @ignore)
(template_declaration [(class_specifier !body) (struct_specifier !body)] @ignore)
(friend_declaration [(type_identifier) (qualified_identifier)] @ignore)
[(access_specifier) (attribute_declaration)] @ignore
(class_specifier name: (_) @through)

; `std::make_unique<Foo>(1)` makes a Foo, `static_cast<Foo*>(x)` is one.
(call_expression function: (qualified_identifier name: (template_function name: (identifier) @_maker
  arguments: (template_argument_list . (_) @type))) arguments: (argument_list (_)* @argument)
  (#any-of? @_maker "make_unique" "make_shared")) @new
(call_expression function: (template_function name: (identifier) @_maker
  arguments: (template_argument_list . (_) @type)) arguments: (argument_list (_)* @argument)
  (#any-of? @_maker "make_unique" "make_shared")) @new
(call_expression function: (template_function name: (identifier) @_cast
  arguments: (template_argument_list . (_) @type))
  (#any-of? @_cast "static_cast" "dynamic_cast" "reinterpret_cast" "const_cast" "qobject_cast" "down_cast")) @instance
; `std::move(x)` is x.
(call_expression function: (qualified_identifier name: [(identifier) (template_function name: (_))] @_same)
  arguments: (argument_list . (_) @value .) (#match? @_same "^(move|forward|ref|cref)\\b")) @union

(new_expression type: (_) @type arguments: (argument_list (_)* @argument)?) @new
(new_expression type: (_) @type) @new
(compound_literal_expression type: [(type_identifier) (qualified_identifier) (template_type)] @type
  value: (initializer_list (_)* @argument)) @new

; A constructor's initialisers: bases begin with a capital.
(field_initializer (field_identifier) @reference)
(template_method name: (field_identifier) @reference)
(field_initializer [(template_method name: (_) @type) (qualified_identifier) @type]
  [(argument_list (_)* @argument) (initializer_list (_)* @argument)]) @new
(field_initializer (field_identifier) @type [(argument_list (_)* @argument) (initializer_list (_)* @argument)]
  (#match? @type "^[A-Z][a-z]")) @new
(field_initializer (field_identifier) @target [(argument_list . (_) @value .)
  (initializer_list . (_) @value .)]) @assignment

(lambda_expression) @lambda
(lambda_capture_initializer left: (_) @target right: (_) @value) @assignment (#set! declares)
(for_range_loop type: (placeholder_type_specifier) declarator: (_) @target right: (_) @iterated) @loop
  (#set! declares) (#set! scope)
(for_range_loop type: (_) @type declarator: (_) @target right: (_) @iterated) @loop (#set! declares) (#set! scope)

(field_expression argument: (_) @object field: (template_method name: (_) @property)) @member
(field_expression argument: (_) @object field: (dependent_name (template_method name: (_) @property))) @member
(field_expression argument: (_) @object field: (qualified_identifier name: (_) @property)) @member
(field_expression argument: (_) @object field: (destructor_name) @property) @member
(qualified_identifier scope: (_) @object name: (_) @property) @member
(qualified_identifier !scope name: (_) @through)
(template_type name: (_) @type arguments: (template_argument_list (_)* @argument)) @apply
(template_function name: (_) @through)
(template_method name: (_) @through)
(dependent_name (_) @through)
(dependent_type (_) @through)
(subscript_expression argument: (_) @object indices: (subscript_argument_list
  . [(string_literal) (number_literal) (char_literal)] @key .)) @index
(subscript_expression argument: (_) @object indices: (subscript_argument_list . (_) @subscript .)) @index
(parameter_pack_expansion pattern: (_) @through)
(co_await_expression argument: (_) @value) @await
(co_yield_statement (_) @value) @yield
(co_return_statement (_) @value) @return
(delete_expression (_) @through)
(throw_statement (_) @through)

(this) @self
(namespace_identifier) @reference
(placeholder_type_specifier) @ignore
(decltype) @ignore
[(raw_string_literal) (user_defined_literal)] @literal
