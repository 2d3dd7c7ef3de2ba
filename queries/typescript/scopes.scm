; inherits: javascript

(variable_declaration (variable_declarator name: (_) @target type: (type_annotation (_) @type)? value: (_)? @value)
  @assignment (#set! declares) (#set! hoisted))
(variable_declarator name: (_) @target type: (type_annotation (_) @type)? value: (_)? @value) @assignment (#set! declares)
