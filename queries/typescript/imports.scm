; inherits: javascript

; import r = require("./r")
(import_statement (import_require_clause (identifier) @local source: (string) @source)) @import (#set! module)
; export = value
(export_statement "=" (_) @value) @export (#set! name "=")
; export as namespace N
(export_statement "as" "namespace") @ignore
