(call function: (identifier) @_source arguments: (arguments . argument: (argument value: (string) @source))
  (#eq? @_source "source")) @import (#set! effects)
