; Words that look like calls and are none, and the heads of definitions.
(unary_operator operator: "@" operand: (call target: (identifier) @ignore))
(unary_operator operator: "@" operand: (call) @decorated)
(unary_operator operator: "@" operand: (identifier)) @ignore
(call target: (identifier) @_def (arguments . [(call target: (identifier) @ignore) (identifier) @ignore
  (binary_operator left: (call target: (identifier) @ignore) operator: "when")
  (binary_operator left: (identifier) @ignore operator: "when")])
  (#any-of? @_def "def" "defp" "defmacro" "defmacrop" "defguard" "defguardp" "defdelegate"))
(call target: (identifier) @ignore (#any-of? @ignore "def" "defp" "defmacro" "defmacrop" "defguard" "defguardp"
  "defdelegate" "defmodule" "defprotocol" "defimpl" "defstruct" "defexception" "use" "alias" "import" "require" "test"
  "describe" "case" "cond" "if" "unless" "with" "for" "fn" "receive" "try" "quote" "unquote"))

; Parameters are the arguments of the head.
(call target: (identifier) @_def (arguments . [(call (arguments (identifier) @parameter))
  (binary_operator left: (call (arguments (identifier) @parameter)) operator: "when")])
  (#any-of? @_def "def" "defp" "defmacro" "defmacrop" "defguard" "defguardp" "defdelegate"))
(call target: (identifier) @_def (arguments
  . (call (arguments (binary_operator left: (identifier) @name operator: "\\\\" right: (_) @value) @parameter)))
  (#any-of? @_def "def" "defp" "defmacro" "defmacrop" "defdelegate"))
(stab_clause left: (arguments (identifier) @parameter))
(anonymous_function) @lambda

(call target: (dot left: (_) @object right: (identifier) @property) (arguments (_)* @argument)?) @call
(call target: (dot left: (_) @callee !right) (arguments (_)* @argument)?) @call
(call target: (identifier) @callee (arguments (_)* @argument)?
  (#not-any-of? @callee "def" "defp" "defmacro" "defmacrop" "defguard" "defguardp" "defdelegate" "defmodule"
  "defprotocol" "defimpl" "defstruct" "defexception" "use" "alias" "import" "require" "test" "describe" "case" "cond"
  "if" "unless" "with" "for" "fn" "receive" "try" "quote" "unquote")) @call
(dot left: (_) @object right: (_) @property) @member
(unary_operator operator: "&" operand: (binary_operator left: (_) @through operator: "/"))
(binary_operator left: (_) @target operator: "=" right: (_) @value) @assignment (#set! declares)
(binary_operator left: (_) @value operator: "||" right: (_) @value) @union
[(alias) (identifier)] @reference
[(string) (charlist) (integer) (float) (atom) (boolean) (nil) (char) (sigil) (quoted_atom) (binary_operator)
  (unary_operator)] @literal
[(comment) (keyword)] @ignore
