; A file of its own is imported from where it is declared.
(mod_item (visibility_modifier)? @modifiers name: (_) @source) @import (#set! module) (#set! prefix "self::")
(extern_crate_declaration (crate) @ignore)
(extern_crate_declaration
  (visibility_modifier)? @modifiers
  name: (_) @source
  alias: (identifier)? @local) @import (#set! module)

; A tree of imports: each list puts its path before what is in it.
(use_declaration (visibility_modifier)? @modifiers) @import.group
(scoped_use_list path: (_) @source) @import.group

(use_wildcard [(crate) (identifier) (scoped_identifier) (self) (super) (metavariable)] @source "*" @all) @import
(use_wildcard "*" @all) @import
(use_as_clause path: (self) alias: (_) @local) @import (#set! path) (#set! source "")
(use_as_clause path: (_) @source alias: (identifier) @local) @import (#set! path)
(use_as_clause path: (_) @source) @import (#set! path) (#set! local "_")
(use_list (self) @import (#set! path) (#set! source ""))
(use_list [(identifier) (scoped_identifier) (crate) (super)] @import (#set! path))
(use_declaration argument: [(identifier) (scoped_identifier) (crate) (self) (super)] @import (#set! path))
