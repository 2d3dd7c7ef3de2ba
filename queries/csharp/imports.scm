; `using A = B.C;`, `global using A.B;`, `using static A.B.C;`, `using A.B;`. Those of a namespace, and of a type with
; `static`, bring everything.

(using_directive name: (identifier) @name (generic_name) @type) @definition.type
(using_directive name: (identifier) @name (qualified_name name: (generic_name)) @type) @definition.type
(using_directive "global" name: (identifier) @local (_) @source . (#set! path) (#set! exported)) @import
(using_directive name: (identifier) @local (_) @source . (#set! path)) @import
(using_directive "global" "using" @all (_) @source . (#set! exported)) @import
(using_directive "using" @all (_) @source .) @import
(extern_alias_directive) @ignore
