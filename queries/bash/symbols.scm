(function_definition name: (word) @name) @definition.function
(program (declaration_command (variable_assignment name: (variable_name) @name
  value: (_)? @value) @definition.variable))
(program (variable_assignment name: (variable_name) @name value: (_)? @value) @definition.variable)
