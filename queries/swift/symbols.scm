; Types.
(class_declaration declaration_kind: "extension" name: (_) @target
  (inheritance_specifier inherits_from: (_) @implements)*) @extension
(class_declaration (modifiers)? @modifiers declaration_kind: ["class" "actor"] name: (_) @name
  (inheritance_specifier inherits_from: (_) @base)*) @definition.class
(class_declaration (modifiers)? @modifiers declaration_kind: "struct" name: (_) @name
  (inheritance_specifier inherits_from: (_) @base)*) @definition.struct
(class_declaration (modifiers)? @modifiers declaration_kind: "enum" name: (_) @name
  (inheritance_specifier inherits_from: (_) @base)*) @definition.enum
(protocol_declaration (modifiers)? @modifiers name: (_) @name
  (inheritance_specifier inherits_from: (_) @base)*) @definition.interface
(typealias_declaration (modifiers)? @modifiers name: (type_identifier) @name name: (_) @type) @definition.type
(associatedtype_declaration name: (type_identifier) @name name: (_)? @type) @type_parameter
(enum_entry name: (simple_identifier)+ @name) @definition.constant
(type_parameter (type_identifier) @name name: (_)? @type) @type_parameter
(type_constraint (inheritance_constraint constrained_type: (identifier . (simple_identifier) @name .)
  name: (_) @type)) @bound
(type_constraint) @ignore

; Functions. A function's result stands behind its parameters.
(init_declaration (modifiers)? @modifiers name: "init" @name) @definition.constructor
(deinit_declaration) @definition.method (#set! name "deinit")
(subscript_declaration (modifiers)? @modifiers name: (_)? @type) @definition.method (#set! name "subscript")
(function_declaration "class" name: (_) @name "->" name: (_) @type) @definition.function (#set! static)
(function_declaration "class" name: (_) @name) @definition.function (#set! static)
(function_declaration (modifiers)? @modifiers name: [(simple_identifier) (custom_operator) "==" "!=" "<" ">" "<=" ">="
  "+" "-" "*" "/" "%" "+=" "-="] @name "->" name: (_) @type body: (function_body
  (statements . (_) @result .))) @definition.function
(function_declaration (modifiers)? @modifiers name: [(simple_identifier) (custom_operator) "==" "!=" "<" ">" "<=" ">="
  "+" "-" "*" "/" "%" "+=" "-="] @name "->" name: (_) @type) @definition.function
(function_declaration (modifiers)? @modifiers name: [(simple_identifier) (custom_operator) "==" "!=" "<" ">" "<=" ">="
  "+" "-" "*" "/" "%" "+=" "-="] @name) @definition.function
(protocol_function_declaration (modifiers)? @modifiers name: (_) @name "->" name: (_) @type) @definition.method
  (#set! abstract)
(protocol_function_declaration (modifiers)? @modifiers name: (_) @name) @definition.method (#set! abstract)
(macro_declaration (simple_identifier) @name) @definition.macro

; Parameters; a default stands behind its parameter.
(parameter external_name: (_) @label name: (simple_identifier) @name name: (_) @type "...") @parameter (#set! rest)
(parameter name: (simple_identifier) @name name: (_) @type "...") @parameter (#set! rest) (#set! labeled)
(parameter external_name: (_) @label name: (simple_identifier) @name name: (_) @type) @parameter
(parameter name: (simple_identifier) @name name: (_) @type) @parameter (#set! labeled)
(lambda_parameter name: (simple_identifier) @name name: (_) @type) @parameter
(lambda_parameter name: (simple_identifier) @name) @parameter
(function_declaration default_value: (_) @default)
(init_declaration default_value: (_) @default)

; Properties. With a body they run code.
(protocol_property_declaration (modifiers)? @modifiers name: (pattern) @name
  (type_annotation name: (_) @type)) @definition.property (#set! abstract)
(property_declaration (modifiers)? @modifiers name: (pattern) @name (type_annotation name: (_) @type)?
  computed_value: (computed_property (statements . (_) @result .))) @definition.property (#set! accessor)
(property_declaration (modifiers)? @modifiers name: (pattern) @name (type_annotation name: (_) @type)?
  computed_value: (computed_property)) @definition.property (#set! accessor)
(property_declaration (modifiers)? @modifiers name: (pattern) @name (type_annotation name: (_) @type)?
  value: (_)? @value (willset_didset_block)) @definition.property (#set! accessor)
(protocol_property_declaration name: (pattern (value_binding_pattern) bound_identifier: (simple_identifier) @ignore))
(property_declaration name: (pattern (pattern)) @target value: (_) @value) @assignment (#set! declares)
(property_declaration (modifiers)? @modifiers name: (pattern) @name (type_annotation name: (_) @type)?
  value: (_)? @value) @definition.variable (#set! each)
(catch_block error: (pattern (pattern (value_binding_pattern) bound_identifier: (simple_identifier) @ignore)
  name: (_)))
(catch_block error: (pattern (pattern) @name name: (_) @type) @definition.variable)
(pattern (value_binding_pattern) bound_identifier: (simple_identifier) @definition.variable)
(pattern (value_binding_pattern) (pattern (simple_identifier) @definition.variable))

; `if let delegate = delegate` says nothing new.
(if_statement bound_identifier: (_) @target . condition: "=" condition: (_) @value
  (#not-eq? @target @value)) @assignment (#set! declares) (#set! each) (#set! scope)
(while_statement bound_identifier: (_) @target . condition: "=" condition: (_) @value
  (#not-eq? @target @value)) @assignment (#set! declares) (#set! each) (#set! scope)
(guard_statement bound_identifier: (_) @target . condition: "=" condition: (_) @value
  (#not-eq? @target @value)) @assignment (#set! declares) (#set! each)


; Attributes.
(attribute (user_type) (_)* @ignore) @decorator
