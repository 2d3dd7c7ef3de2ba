; What JavaScript takes from other files and offers to them.

; import d, { a as b } from "./x"
(import_statement (import_clause) source: (string) @source) @import.group
(import_statement source: (string) @source) @import (#set! effects)
(import_clause (identifier) @local) @import (#set! name "default")
(namespace_import (identifier) @local) @import (#set! module)
(import_specifier name: (_) @name alias: (_)? @local) @import

; export { a as b } from "./x", export * from "./x", export * as n from "./x"
(export_statement (export_clause) source: (string) @source) @import.group
(export_statement (namespace_export [(identifier) (string)] @local) source: (string) @source)
  @import (#set! module) (#set! exported)
(export_statement "*" @all source: (string) @source) @export
(export_statement (export_clause (export_specifier name: (_) @name alias: (_)? @local) @import) source: (string))
  (#set! exported)
(export_specifier name: (_) @local alias: (_)? @name) @export
(export_statement "default" value: (_) @value) @export (#set! default)

; require("./x"), import("./x")
(call_expression function: (import) arguments: (arguments (string) @source)) @module
(call_expression function: (identifier) @_require arguments: (arguments (string) @source) (#eq? @_require "require")) @module

; module.exports = v, exports.x = v, module.exports.x = v
(assignment_expression left: (member_expression object: (identifier) @_module property: (_) @_exports) @ignore right: (_) @value
  (#eq? @_module "module") (#eq? @_exports "exports")) @export (#set! name "=")
(assignment_expression left: (member_expression object: (identifier) @_exports property: (_) @name) @opaque right: (_) @value
  (#eq? @_exports "exports")) @export
(assignment_expression
  left: (member_expression object: (member_expression object: (identifier) @_module property: (_) @_exports) property: (_) @name)
    @opaque
  right: (_) @value
  (#eq? @_module "module") (#eq? @_exports "exports")) @export
