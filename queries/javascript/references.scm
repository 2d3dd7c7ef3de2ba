; Names, members, calls and the values of expressions.

(assignment_expression left: (_) @target right: (_) @value) @assignment

; ── calls ──

(call_expression function: (_) @callee arguments: (template_string)) @call
(call_expression function: (_) @callee arguments: (arguments (_)* @argument)) @call
(new_expression constructor: (_) @type arguments: (arguments (_)* @argument)) @new
(new_expression constructor: (_) @type) @new
(spread_element (_) @value) @argument.spread

; An element of JSX calls its component; lower-case names are the platform's own elements.
(jsx_opening_element name: (identifier) @ignore (#match? @ignore "^[a-z]"))
(jsx_self_closing_element name: (identifier) @ignore (#match? @ignore "^[a-z]"))
(jsx_opening_element name: (identifier) @callee (#match? @callee "^[^a-z]")) @call
(jsx_self_closing_element name: (identifier) @callee (#match? @callee "^[^a-z]")) @call
(jsx_opening_element name: (member_expression) @callee) @call
(jsx_self_closing_element name: (member_expression) @callee) @call
(jsx_closing_element) @ignore
(jsx_namespace_name) @ignore

; ── names ──

(member_expression object: (_) @object property: (_) @property) @member
(subscript_expression object: (_) @object index: [(string) (number)] @key) @index
(subscript_expression object: (_) @object index: (_) @subscript) @index
(identifier) @reference
(this) @self
(super) @super

; ── values ──

(object) @object
(pair key: [(property_identifier) (string) (number)] @key value: (_) @value) @pair
(pair key: (computed_property_name) value: (_) @value) @pair
(shorthand_property_identifier) @pair
(array (_)* @element) @list
(parenthesized_expression (_) @through)
(await_expression (_) @value) @await
(ternary_expression consequence: (_) @value alternative: (_) @value) @union
(binary_expression left: (_) @value operator: ["||" "??"] right: (_) @value) @union
(binary_expression operator: "&&" right: (_) @through)
(binary_expression) @literal
(sequence_expression (_) @value) @union
(unary_expression) @literal
(update_expression) @literal
[(string) (template_string) (number) (regex) (true) (false) (null) (undefined) (meta_property)] @literal

(return_statement (_) @value) @return
(yield_expression (_) @value) @yield
