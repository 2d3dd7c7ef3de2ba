; inherits: c
(using_declaration "namespace" [(identifier) (qualified_identifier)] @source @all) @import
(using_declaration "enum") @ignore
(using_declaration (qualified_identifier) @source) @import (#set! path)
(namespace_alias_definition name: (_) @local [(namespace_identifier) (nested_namespace_specifier)] @source) @import
  (#set! module)
