(define_directive name: (word) @name) @definition.macro
(variable_assignment name: (word) @name) @definition.variable
(rule (targets (word) @name (#not-match? @name "^\\."))) @definition.function
