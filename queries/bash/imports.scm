(command name: (command_name (word) @_source) argument: [(word) (string) (raw_string) (concatenation)] @source
  (#any-of? @_source "source" ".")) @import (#set! effects)
