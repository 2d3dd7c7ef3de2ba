; Macros. The name that guards a header against a second reading is none.
(preproc_ifdef name: (identifier) @_guard (preproc_def name: (identifier) @_defined !value) @ignore
  (#eq? @_guard @_defined))
(preproc_function_def name: (identifier) @name parameters: (preproc_params)
  value: (preproc_arg)? @tokens) @definition.macro
(preproc_def name: (identifier) @name value: (preproc_arg)? @tokens) @definition.macro
(preproc_params (identifier) @parameter)

; A macro that makes a function of what follows: `NATIVE_FN(get_version) { … }`, `TEST(Suite, name) { … }`.
(function_definition type: (type_identifier) declarator: (parenthesized_declarator
  (identifier) @name)) @definition.function
(translation_unit (expression_statement (call_expression function: (identifier) @_macro
  arguments: (argument_list . (identifier) . (identifier) @name .))) . (compound_statement) @body @definition.test
  (#match? @_macro "^(Test|TEST|TEST_F|TEST_P|ParameterizedTest)$") (#set! each))
(translation_unit (expression_statement (call_expression function: (identifier) @_macro
  arguments: (argument_list . (identifier) @name))) . (compound_statement) @body @definition.function
  (#match? @_macro "^[A-Z][A-Z0-9_]+$") (#set! each))

(function_definition (attribute_specifier (argument_list (identifier) @_attribute))
  (storage_class_specifier)* @modifiers type: (_) @type declarator: (_) @name
  (#any-of? @_attribute "constructor" "destructor" "used" "interrupt")) @definition.function (#set! entry)
(function_definition (storage_class_specifier)* @modifiers type: (_) @type
  (attribute_specifier (argument_list (identifier) @_attribute)) declarator: (_) @name
  (#any-of? @_attribute "constructor" "destructor" "used" "interrupt")) @definition.function (#set! entry)
(function_definition (storage_class_specifier)* @modifiers type: (_) @type declarator: (_) @name) @definition.function

; Prototypes. What has a pointer in parentheses declares a variable.
(declaration (storage_class_specifier)* @modifiers declarator: (function_declarator
  declarator: (parenthesized_declarator (pointer_declarator declarator: [(identifier)
  (array_declarator)])) @name) @definition.variable)
(declaration (storage_class_specifier)* @modifiers type: (_) @type
  declarator: (function_declarator declarator: (_) @name) @definition.function (#set! declaration))
(declaration (storage_class_specifier)* @modifiers type: (_) @type
  declarator: (pointer_declarator declarator: (function_declarator
  declarator: (identifier)) @name) @definition.function (#set! declaration))
(declaration (storage_class_specifier)* @modifiers type: (_) @type
  declarator: (pointer_declarator declarator: (pointer_declarator
  declarator: (function_declarator declarator: (identifier)) @name)) @definition.function (#set! declaration))

; Variables.
(declaration (storage_class_specifier)* @modifiers declarator: (init_declarator
  declarator: (function_declarator) @name value: (_) @value) @definition.variable)
(declaration (storage_class_specifier)* @modifiers type: (_) @type
  declarator: (init_declarator declarator: (_) @name value: (_) @value) @definition.variable)
(declaration (storage_class_specifier) @_extern type: (_) @type declarator: (identifier) @definition.variable
  (#eq? @_extern "extern") (#set! declaration))
(declaration (storage_class_specifier) @_extern type: (_) @type
  declarator: [(pointer_declarator declarator: (_) @name) (array_declarator
  declarator: (_) @name)] @definition.variable (#eq? @_extern "extern") (#set! declaration))
(declaration !value (storage_class_specifier)* @modifiers type: (_) @type
  declarator: (identifier) @definition.variable)
(declaration !value (storage_class_specifier)* @modifiers type: (_) @type
  declarator: [(pointer_declarator declarator: (_) @name) (array_declarator declarator: (_) @name)
  (parenthesized_declarator (_) @name) (attributed_declarator . (_) @name)] @definition.variable)

; Types. `typedef struct { … } name;` names the structure, `typedef struct name name;` says nothing.
(type_definition type: (struct_specifier !name body: (_)) declarator: (type_identifier) @name) @definition.struct
(type_definition type: (union_specifier !name body: (_)) declarator: (type_identifier) @name) @definition.union
(type_definition type: (enum_specifier !name body: (_)) declarator: (type_identifier) @name) @definition.enum
(type_definition type: (struct_specifier name: (_) @_tag) declarator: (type_identifier) @ignore (#eq? @_tag @ignore))
(type_definition type: (union_specifier name: (_) @_tag) declarator: (type_identifier) @ignore (#eq? @_tag @ignore))
(type_definition type: (enum_specifier name: (_) @_tag) declarator: (type_identifier) @ignore (#eq? @_tag @ignore))
(type_definition declarator: (function_declarator declarator: (_) @name) @definition.type)
(type_definition declarator: (pointer_declarator declarator: (function_declarator) @name) @definition.type)
(type_definition type: [(type_identifier) (primitive_type) (sized_type_specifier) (struct_specifier name: (_))
  (union_specifier name: (_)) (enum_specifier name: (_)) (macro_type_specifier)] @type
  declarator: (type_identifier) @name @definition.type)
(type_definition type: (_) @type declarator: [(pointer_declarator declarator: (_) @name)
  (array_declarator declarator: (_) @name) (parenthesized_declarator (_) @name)] @definition.type)

(field_declaration type: (struct_specifier !name body: (_)) @definition.struct declarator: (_) (#set! anonymous))
(field_declaration type: (union_specifier !name body: (_)) @definition.union declarator: (_) (#set! anonymous))
(declaration type: (struct_specifier !name body: (_)) @definition.struct declarator: (_) (#set! anonymous))
(declaration type: (union_specifier !name body: (_)) @definition.union declarator: (_) (#set! anonymous))
(struct_specifier name: (type_identifier) @name body: (_)) @definition.struct (#set! outside)
(union_specifier name: (type_identifier) @name body: (_)) @definition.union (#set! outside)
(enum_specifier name: (type_identifier) @name body: (_)) @definition.enum (#set! outside)
(enumerator name: (identifier) @name value: (_)? @value) @definition.constant (#set! outside)

; Fields.
(field_declaration declarator: (function_declarator declarator: (_) @name) @definition.field)
(field_declaration declarator: (pointer_declarator declarator: (function_declarator) @name) @definition.field)
(field_declaration type: (_) @type declarator: (field_identifier) @definition.field)
(field_declaration type: (_) @type declarator: [(pointer_declarator declarator: (_) @name)
  (array_declarator declarator: (_) @name) (parenthesized_declarator (_) @name)] @definition.field)

; Parameters. Those of a function pointer are nobody's.
(function_declarator declarator: (parenthesized_declarator (pointer_declarator)) parameters: (parameter_list) @ignore)
(abstract_function_declarator parameters: (parameter_list) @ignore)
(parameter_declaration type: (primitive_type) @_void !declarator (#eq? @_void "void")) @ignore
(parameter_declaration declarator: (function_declarator) @name) @parameter
(parameter_declaration type: (_) @type declarator: [(identifier) (pointer_declarator) (array_declarator)
  (parenthesized_declarator) (attributed_declarator)] @name) @parameter
(parameter_declaration type: (_) @type) @parameter (#set! name "_")
(variadic_parameter) @parameter (#set! rest) (#set! name "_")
(parameter_list (identifier) @parameter)

; A name is where its declarator says.
(function_declarator declarator: (_) @through)
(pointer_declarator declarator: (_) @through)
(array_declarator declarator: (_) @through)
(parenthesized_declarator (_) @through)
(attributed_declarator . (_) @through)
