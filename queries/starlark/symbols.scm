; inherits: python
(call function: (identifier) arguments: (argument_list (keyword_argument name: (identifier) @_name
  value: (string) @name)) (#eq? @_name "name")) @definition.variable
