; Attributes go to the definition after them. What is in their parentheses is the attribute's own language.
(inner_attribute_item) @ignore
(attribute arguments: (token_tree) @ignore)
(attribute [(identifier) (scoped_identifier)] @through)
(attribute_item (attribute) @value) @decorator

; Modules. `mod x;` is a file, so it is an import.
(mod_item (visibility_modifier)? @modifiers name: (identifier) @name body: (_)) @definition.namespace

; Functions. Those in a trait without a body are its promises, those in an `extern` block are somebody else's.
(function_item
  (visibility_modifier)? @modifiers
  (function_modifiers "async" @modifiers)?
  name: (_) @name
  return_type: (_)? @type
  body: (_) @result) @definition.function
(function_signature_item
  (visibility_modifier)? @modifiers
  (function_modifiers "async" @modifiers)?
  name: (_) @name
  return_type: (_)? @type) @definition.function (#set! abstract)

(impl_item trait: (_)? @implements type: (_) @target) @extension

; Types
(struct_item (visibility_modifier)? @modifiers name: (_) @name) @definition.struct
(union_item (visibility_modifier)? @modifiers name: (_) @name) @definition.union
(enum_item (visibility_modifier)? @modifiers name: (_) @name) @definition.enum
(trait_item (visibility_modifier)? @modifiers name: (_) @name bounds: (trait_bounds (_) @base)?) @definition.trait
(type_item (visibility_modifier)? @modifiers name: (_) @name type: (_) @type) @definition.type
(associated_type name: (_) @name bounds: (trait_bounds (_) @type)?) @definition.type (#set! abstract)

; Members
(enum_variant name: (_) @name body: (_)) @definition.constant (#set! scope)
(enum_variant name: (_) @name value: (_)? @value) @definition.constant
(field_declaration (visibility_modifier)? @modifiers name: (_) @name type: (_) @type) @definition.field
(ordered_field_declaration_list type: (_) @type) @definition.field (#set! numbered)

; Values
(const_item (visibility_modifier)? @modifiers name: (_) @name type: (_) @type value: (_)? @value) @definition.constant
(static_item (visibility_modifier)? @modifiers name: (_) @name type: (_) @type value: (_)? @value) @definition.variable

(macro_definition name: (_) @name) @definition.macro
(token_tree_pattern) @ignore
(macro_rule right: (token_tree) @tokens)

; Tokens that make no sense when they are read again still show what is called: `f (`, `a::f (`, `a.f (`.
(token_tree
  [(crate) (identifier) (metavariable) (self) (super)] @object
  . ["::" "."]
  . (identifier) @call @property
  . (token_tree "(")
  (#set! each))
(token_tree ["::" "."] . (identifier) @opaque (#set! each))
(token_tree (identifier) @call @property . (token_tree "(") (#set! each))

; Parameters
(self_parameter) @parameter (#set! receiver)
(parameter pattern: (self) type: (_) @type) @parameter (#set! receiver)
(parameter pattern: (identifier) @name type: (_) @type) @parameter
(parameter pattern: (_) @target type: (_) @type) @parameter
(variadic_parameter pattern: (_)? @name) @parameter (#set! rest)
(closure_parameters
  [
    (identifier)
    (mut_pattern)
    (ref_pattern)
    (reference_pattern)
    (slice_pattern)
    (struct_pattern)
    (tuple_pattern)
    (tuple_struct_pattern)
  ] @parameter)

; Type parameters
(lifetime_parameter) @ignore
(type_parameter name: (_) @name bounds: (trait_bounds (_) @type)?) @type_parameter
(const_parameter name: (_) @name type: (_) @type) @type_parameter
(where_predicate left: (type_identifier) @name bounds: (trait_bounds (_) @type)) @bound
