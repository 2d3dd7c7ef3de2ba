; Terraform: a block's last label is its name; what `locals` holds are constants.
(config_file (body (block . (identifier) @_kind
  (body (attribute (identifier) @name (expression) @value) @definition.constant) (#eq? @_kind "locals"))))
(config_file (body (block . (identifier) @_kind . (string_lit) @name . (block_start)) @definition.variable
  (#any-of? @_kind "variable" "output")))
(config_file (body (block . (identifier) @_kind . (string_lit) @name . (block_start)) @definition.namespace
  (#any-of? @_kind "module" "provider")))
(config_file (body (block . (identifier) . (string_lit) . (string_lit) @name . (block_start)) @definition.class))
