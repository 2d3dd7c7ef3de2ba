; Every command may be a function of the project.
(command name: (command_name (word) @property) argument: (_)* @argument) @call
(command_name (word) @ignore)
(command name: (command_name (word) @_trap) argument: (word) @reference (#any-of? @_trap "trap" "complete"))
(variable_assignment name: (variable_name) @target value: (_)? @value) @assignment (#set! declares)
(simple_expansion (variable_name) @reference (#match? @reference "^[A-Za-z_]"))
(expansion (variable_name) @reference (#match? @reference "^[A-Za-z_]"))
[(word) (string) (raw_string) (number) (concatenation) (ansi_c_string) (simple_expansion) (expansion)] @literal
(comment) @ignore
