(call !receiver method: (identifier) @_require arguments: (argument_list . (string) @source .)
  (#any-of? @_require "require" "load")) @import (#set! effects)
(call !receiver method: (identifier) @_require arguments: (argument_list . (string) @source .)
  (#eq? @_require "require_relative")) @import (#set! effects) (#set! prefix "./")
(call method: (identifier) @_autoload arguments: (argument_list . (simple_symbol) . (string) @source .)
  (#eq? @_autoload "autoload")) @import (#set! effects)

; What a module gives to a type is a base of it.
(call !receiver method: (identifier) @_include arguments: (argument_list (_)+ @base)
  (#any-of? @_include "include" "extend" "prepend")) @bases
