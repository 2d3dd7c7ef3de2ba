; Names that are no calls: of methods, and of what is assigned to.
(call method: [(identifier) (constant)] @ignore)
(assignment left: (identifier) @reference)
(operator_assignment left: (identifier) @reference)
(left_assignment_list (identifier) @reference)
(destructured_left_assignment (identifier) @reference)
(rest_assignment (identifier) @reference)
(for pattern: (identifier) @reference)

; Making an instance.
(call !receiver method: (identifier) @_raise arguments: (argument_list . [(constant) (scope_resolution)] @type
  (_)* @argument) (#any-of? @_raise "raise" "fail")) @new
(call !receiver method: (identifier) @_new arguments: (argument_list (_)* @argument)? (#eq? @_new "new")) @new
(call receiver: (_) @type method: (identifier) @_new arguments: (argument_list (_)* @argument)? block: (_)? @argument
  (#eq? @_new "new")) @new

; Calls by name, and methods as values.
(call receiver: (_)? @object method: (identifier) @_send arguments: (argument_list
  . [(simple_symbol) (string)] @property (_)* @argument)
  (#any-of? @_send "send" "public_send" "__send__" "try")) @call
(call receiver: (_) @object method: (identifier) @_method arguments: (argument_list . (simple_symbol) @property .)
  (#any-of? @_method "method" "public_method" "instance_method")) @member
(call !receiver method: (identifier) @_method arguments: (argument_list . (simple_symbol) @value .)
  (#eq? @_method "method")) @union
(call !receiver method: (identifier) @_method arguments: (argument_list (simple_symbol) @reference)
  (#any-of? @_method "method" "before_action" "after_action" "around_action" "skip_before_action"
  "prepend_before_action" "before_save" "after_save" "before_create" "after_create" "before_update" "after_update"
  "before_destroy" "after_destroy" "before_validation" "after_validation" "after_commit" "after_initialize" "validate"
  "helper_method" "private" "public" "protected" "module_function" "private_class_method" "memoize"))
(alias alias: (_) @reference)
(call method: (identifier) @_alias arguments: (argument_list . (simple_symbol) . (simple_symbol) @reference .)
  (#any-of? @_alias "alias_method" "alias_attribute"))
(call !receiver method: (identifier) @_lambda block: (_) @through (#any-of? @_lambda "lambda" "proc"))

; Calls. A name alone is a call, where it is no variable.
(call method: (super) @super)
(call method: (super) @callee arguments: (argument_list (_)* @argument)? block: (_)? @block) @call
(super) @call @callee
(super) @super
(call receiver: (_) @object method: (_) @property arguments: (argument_list (_)* @argument)? block: (_)? @block) @call
(call receiver: (_) @callee !method arguments: (argument_list (_)* @argument)) @call
(call !receiver method: (_) @property arguments: (argument_list (_)* @argument)? block: (_)? @block) @call
(yield (argument_list . (_) @value)) @yield
(identifier) @new (#eq? @new "new")
(identifier) @call (#set! unless_variable)

[(instance_variable) (class_variable)] @member (#set! receiver)
(scope_resolution scope: (_) @object name: (_) @property) @member
(scope_resolution !scope name: (_) @through)
(element_reference object: (_) @object . [(simple_symbol) (string) (integer)] @key .) @index
(element_reference object: (_) @object . (_) @subscript .) @index
[(constant) (global_variable)] @reference
(self) @self

(return (argument_list . (_) @value .)) @return
(return (argument_list (_)+ @value)) @return

; What an expression gives.
(if consequence: (_)? @value alternative: (_)? @value) @union
(unless consequence: (_)? @value alternative: (_)? @value) @union
(elsif consequence: (_)? @value alternative: (_)? @value) @union
(conditional consequence: (_) @value alternative: (_) @value) @union
(case (when body: (_) @value)* (else)? @value) @union
(case_match clauses: (in_clause body: (_) @value)* else: (_)? @value) @union
(then (_) @through .)
(else (_) @through .)
(begin (_) @through .)
(parenthesized_statements (_) @through .)
(if_modifier body: (_) @through)
(unless_modifier body: (_) @through)
(rescue_modifier body: (_) @value handler: (_) @value) @union
(binary left: (_) @value operator: ["||" "or"] right: (_) @value) @union
(binary operator: ["&&" "and"] right: (_) @through)

; Arguments and literals.
(pair key: [(hash_key_symbol) (simple_symbol) (string) (integer)] @key value: (_) @value) @pair
(pair key: (hash_key_symbol) @key) @pair
(splat_argument (_) @value) @argument.spread
(hash_splat_argument (_) @value) @argument.spread
(block_argument (simple_symbol)) @literal
(block_argument (_) @through)
(hash (_)* @element) @object
(array (_)* @element) @list
[(string) (string_array) (symbol_array) (chained_string) (heredoc_body) (heredoc_beginning) (simple_symbol)
  (delimited_symbol) (regex) (integer) (float) (true) (false) (nil) (range) (binary) (unary) (subshell) (character)
  (rational) (complex)] @literal
[(comment) (hash_key_symbol) (undef)] @ignore
