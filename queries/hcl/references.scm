; `module.x`, `var.x`, `local.x` name what a block of this folder defines; `aws_instance.web` a resource.
(expression (variable_expr (identifier) @_kind) . (get_attr (identifier) @reference)
  (#any-of? @_kind "module" "var" "local"))
(expression (variable_expr (identifier) @_kind) . (get_attr) . (get_attr (identifier) @reference)
  (#eq? @_kind "data"))
(expression (variable_expr (identifier) @_kind) . (get_attr (identifier) @reference) (#match? @_kind "_"))
(comment) @ignore
