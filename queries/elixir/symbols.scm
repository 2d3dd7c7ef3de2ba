(call target: (identifier) @_def (arguments . (alias) @name) (#eq? @_def "defmodule")) @definition.namespace
(call target: (identifier) @_def (arguments . (alias) @name) (#eq? @_def "defprotocol")) @definition.interface
(call target: (identifier) @_def (arguments . (alias) @implements (keywords (pair value: (_) @target)))
  (#eq? @_def "defimpl")) @extension
(call target: (identifier) @_def (arguments . [(call target: (identifier) @name) (identifier) @name
  (binary_operator left: (call target: (identifier) @name) operator: "when")
  (binary_operator left: (identifier) @name operator: "when")])
  (#any-of? @_def "def" "defdelegate" "defguard")) @definition.function (#set! exported) (#set! partial)
(call target: (identifier) @_def (arguments . [(call target: (identifier) @name) (identifier) @name
  (binary_operator left: (call target: (identifier) @name) operator: "when")
  (binary_operator left: (identifier) @name operator: "when")])
  (#any-of? @_def "defp" "defguardp")) @definition.function (#set! private) (#set! partial)
(call target: (identifier) @_def (arguments . [(call target: (identifier) @name) (identifier) @name
  (binary_operator left: (call target: (identifier) @name) operator: "when")])
  (#any-of? @_def "defmacro" "defmacrop")) @definition.macro (#set! partial)
(call target: (identifier) @_def (arguments . (string) @name)
  (#any-of? @_def "test" "describe")) @definition.test (#set! unbound)
(unary_operator operator: "@" operand: (call target: (identifier) @_attribute
  (arguments . (binary_operator left: [(identifier) @name (call target: (identifier) @name)] operator: "::")))
  (#any-of? @_attribute "type" "typep" "opaque")) @definition.type
(unary_operator operator: "@" operand: (call target: (identifier) @_attribute
  (arguments . (binary_operator left: (call target: (identifier) @name) operator: "::")))
  (#any-of? @_attribute "callback" "macrocallback")) @definition.function (#set! abstract)
(unary_operator operator: "@" operand: (call target: (identifier) @_attribute)
  (#any-of? @_attribute "spec" "doc" "moduledoc" "impl")) @ignore
