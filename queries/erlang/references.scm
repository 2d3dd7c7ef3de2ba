(function_clause name: (_) @ignore)
(function_clause args: (expr_args args: (var) @parameter))
(fun_clause args: (expr_args args: (var) @parameter))
(anonymous_fun) @lambda
(remote module: (remote_module module: (_) @object) fun: (call expr: (_) @property
  args: (expr_args args: (_)* @argument))) @call
(remote fun: (call) @decorated)
(call expr: (atom) @callee args: (expr_args args: (_)* @argument)) @call
(call expr: (_) @callee args: (expr_args args: (_)* @argument)) @call
(call expr: (atom) @reference)
(remote_module module: (atom) @reference)
(internal_fun fun: (atom) @reference)
(external_fun module: (module module: (_) @object) fun: (_) @property) @member
(macro_call_expr name: (_) @property) @call (#set! macro)
(record_expr name: (record_name name: (_) @type)) @new
(match_expr lhs: (var) @target rhs: (_) @value) @assignment (#set! declares)
(paren_expr expr: (_) @through)
(var) @reference
[(string) (integer) (float) (char) (binary)] @literal
[(comment) (export_attribute) (export_type_attribute) (compile_options_attribute) (wild_attribute)] @ignore
