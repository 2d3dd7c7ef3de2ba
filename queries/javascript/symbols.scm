; What JavaScript defines. TypeScript puts its own patterns before these.

; ── functions ──

(function_declaration "async"? @modifiers name: (_) @name) @definition.function
(generator_function_declaration "async"? @modifiers name: (_) @name) @definition.function (#set! generator)

; The variable, field or property that holds a function names it.
(variable_declarator name: (identifier) @name
  value: [(arrow_function) (function_expression) (generator_function)] @lambda) @definition.function

; Test blocks. They are tests in test files only; elsewhere the call is a call.
(call_expression function: (identifier) @_runner
  arguments: (arguments [(string) (template_string)] @title [(arrow_function) (function_expression)] @lambda)
  (#any-of? @_runner "describe" "it" "test" "suite" "context" "specify" "bench" "fdescribe" "xdescribe" "fit" "xit" "xtest"))
  @definition.test (#set! unbound)
; it.only("…", f), describe.skip("…", f), Deno.test("…", f), t.test("…", f)
(call_expression
  function: (member_expression object: (identifier) @_runner property: (_) @_way)
  arguments: (arguments [(string) (template_string)] @title [(arrow_function) (function_expression)] @lambda)
  (#any-of? @_runner "describe" "it" "test" "suite" "context" "specify" "bench" "Deno" "t")
  (#any-of? @_way "only" "skip" "concurrent" "sequential" "todo" "fails" "failing" "serial" "test" "describe" "parallel"
    "skipIf" "runIf"))
  @definition.test (#set! unbound)
; it.each(table)("…", f)
(call_expression
  function: (call_expression function: (member_expression object: (identifier) @_runner property: (_) @_way))
  arguments: (arguments [(string) (template_string)] @title [(arrow_function) (function_expression)] @lambda)
  (#any-of? @_runner "describe" "it" "test")
  (#any-of? @_way "each" "for" "skipIf" "runIf"))
  @definition.test (#set! unbound)

; Named function expressions: the name is known inside only.
(function_expression "async"? @modifiers name: (_) @name) @definition.function (#set! inner)
(generator_function "async"? @modifiers name: (_) @name) @definition.function (#set! inner) (#set! generator)

; ── classes ──

(class_declaration decorator: (_)* @decorator name: (_) @name (class_heritage (_) @base)?) @definition.class
(variable_declarator name: (identifier) @name value: (class (class_heritage (_) @base)?) @lambda) @definition.class
(class decorator: (_)* @decorator name: (_) @name (class_heritage (_) @base)?) @definition.class (#set! inner)
(class decorator: (_)* @decorator (class_heritage (_) @base)?) @definition.class (#set! anonymous)

(method_definition decorator: (_)* @decorator "static"? @modifiers ["get" "set"] name: (_) @name) @definition.property (#set! accessor)
(method_definition decorator: (_)* @decorator "static"? @modifiers "async"? @modifiers "*" name: (_) @name) @definition.method (#set! generator)
(method_definition decorator: (_)* @decorator "static"? @modifiers "async"? @modifiers name: (_) @name) @definition.method

(field_definition decorator: (_)* @decorator "static"? @modifiers property: (_) @name
  value: [(arrow_function) (function_expression) (generator_function)] @lambda) @definition.method
(field_definition decorator: (_)* @decorator "static"? @modifiers property: (_) @name value: (_)? @value) @definition.field

; ── members of objects ──

(pair key: [(property_identifier) (string) (number)] @name
  value: [(arrow_function) (function_expression) (generator_function)] @lambda) @definition.method

; ── functions and classes that are assigned ──

; module.exports = function () {}
(assignment_expression left: (member_expression object: (identifier) @_module property: (_) @_exports) @ignore
  right: [(arrow_function) (function_expression !name)] @lambda
  (#eq? @_module "module") (#eq? @_exports "exports"))
  @definition.function (#set! name "exports") (#set! unbound) (#set! export "=")
(assignment_expression left: (member_expression object: (identifier) @_module property: (_) @_exports) @ignore
  right: (class !name (class_heritage (_) @base)?) @lambda
  (#eq? @_module "module") (#eq? @_exports "exports"))
  @definition.class (#set! name "exports") (#set! unbound) (#set! export "=")
; exports.f = function () {}, module.exports.f = function () {}
(assignment_expression left: (member_expression object: (identifier) @_exports @ignore property: (_) @name) @opaque
  right: [(arrow_function) (function_expression) (generator_function)] @lambda
  (#eq? @_exports "exports"))
  @definition.function (#set! unbound) (#set! export)
(assignment_expression
  left: (member_expression object: (member_expression object: (identifier) @_module property: (_) @_exports) @ignore
    property: (_) @name) @opaque
  right: [(arrow_function) (function_expression) (generator_function)] @lambda
  (#eq? @_module "module") (#eq? @_exports "exports"))
  @definition.function (#set! unbound) (#set! export)
; Type.prototype.m = function () {}
(assignment_expression
  left: (member_expression object: (member_expression object: (_) @owner property: (_) @_prototype) @opaque
    property: (_) @name) @opaque
  right: [(arrow_function) (function_expression) (generator_function)] @lambda
  (#eq? @_prototype "prototype")) @definition.method
; Type.prototype.m = f
(assignment_expression
  left: (member_expression object: (member_expression object: (_) @owner property: (_) @_prototype) @opaque
    property: (_) @name) @opaque
  right: (_) @value
  (#eq? @_prototype "prototype")) @definition.field
; Type.prototype = { m() {} }
(assignment_expression left: (member_expression object: (_) @target property: (_) @_prototype)
  right: (object) @extension (#eq? @_prototype "prototype"))
; this.m = () => {}
(assignment_expression left: (member_expression object: (this) @owner property: (_) @name) @opaque
  right: [(arrow_function) (function_expression) (generator_function)] @lambda) @definition.method
; Type.m = function () {}
(assignment_expression left: (member_expression object: (identifier) @owner property: (_) @name) @opaque
  right: [(arrow_function) (function_expression) (generator_function)] @lambda
  (#not-any-of? @owner "module" "window" "globalThis" "global" "self")) @definition.method (#set! static)
; this.x = value
(assignment_expression left: (member_expression object: (this)) @target right: (_) @value)
  @assignment (#set! declares_fields)

; ── the default export without a name ──

(export_statement "default" value: [(arrow_function) (function_expression !name) (generator_function !name)] @lambda)
  @definition.function (#set! name "default") (#set! exported) (#set! default_export)
(export_statement "default" value: (class !name (class_heritage (_) @base)?) @lambda)
  @definition.class (#set! name "default") (#set! exported) (#set! default_export)
(export_statement "default" decorator: (_)* @decorator declaration: (_)) @exported (#set! default_export)
(export_statement decorator: (_)* @decorator declaration: (_)) @exported

; ── parameters ──

(formal_parameters (identifier) @parameter)
(formal_parameters (assignment_pattern left: (identifier) @name right: (_) @value) @parameter)
(formal_parameters (assignment_pattern left: (_) @target right: (_) @value) @parameter)
(formal_parameters (rest_pattern (identifier) @name) @parameter (#set! rest))
(formal_parameters (rest_pattern (_) @target) @parameter (#set! rest))
(formal_parameters (object_pattern) @parameter)
(formal_parameters (array_pattern) @parameter)
(arrow_function parameter: (identifier) @parameter)

(arrow_function "async"? @modifiers body: (statement_block)) @lambda
(arrow_function "async"? @modifiers body: (_) @result) @lambda
(function_expression "async"? @modifiers) @lambda
(generator_function "async"? @modifiers) @lambda (#set! generator)

; ── decorators ──

(decorator (_) @through)
