(binary_operator lhs: [(identifier) (string)] @name operator: ["<-" "<<-" "="]
  rhs: (function_definition) @lambda) @definition.function
(binary_operator lhs: (function_definition) @lambda operator: ["->" "->>"]
  rhs: [(identifier) (string)] @name) @definition.function
(call function: (identifier) @_class arguments: (arguments . argument: (argument value: (string) @name))
  (#any-of? @_class "setClass" "setRefClass" "R6Class" "new_class")) @definition.class
(call function: (identifier) @_generic arguments: (arguments . argument: (argument value: (string) @name))
  (#any-of? @_generic "setGeneric" "setMethod" "setValidity")) @definition.function
(call function: (identifier) @_test arguments: (arguments . argument: (argument value: (string) @name))
  (#any-of? @_test "test_that" "describe" "it")) @definition.test (#set! unbound)
(argument name: (identifier) @name value: (function_definition) @lambda) @definition.function
(program (binary_operator lhs: (identifier) @name operator: ["<-" "<<-" "="] rhs: (_) @value) @definition.variable)
(parameter name: (identifier) @name default: (_)? @value) @parameter
(function_definition) @lambda
