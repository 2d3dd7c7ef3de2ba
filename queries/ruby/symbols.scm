; Modules and classes can be opened again. `Point = Struct.new(:x) do … end` is a class too.
(module name: (_) @name) @definition.trait (#set! partial)
(class name: (_) @name superclass: (superclass (_) @base)?) @definition.class (#set! partial)
(singleton_class) @decorated (#set! static)
(assignment left: (constant) @name right: (call receiver: (constant) @_struct
  method: (identifier) @_new)) @definition.class (#any-of? @_struct "Struct" "Data") (#any-of? @_new "new" "define")
(assignment left: (constant) @name right: (call receiver: (constant) @_class method: (identifier) @_new
  arguments: (argument_list . (_) @base .)?)) @definition.class (#eq? @_class "Class") (#eq? @_new "new")
(assignment left: (constant) @name right: (call receiver: (constant) @_class
  method: (identifier) @_new)) @definition.trait (#eq? @_class "Module") (#eq? @_new "new")
(call receiver: (constant) @_struct method: (identifier) @_new
  arguments: (argument_list (simple_symbol) @definition.property)
  (#any-of? @_struct "Struct" "Data") (#any-of? @_new "new" "define"))
(call receiver: (constant) @_class method: (identifier) @_new block: [(block) (do_block)] @decorated
  (#any-of? @_class "Struct" "Data" "Class" "Module") (#any-of? @_new "new" "define"))

; Methods.
(method name: (identifier) @name (#eq? @name "initialize")) @definition.constructor
(method name: (_) @name body: (body_statement (_) @result .)) @definition.function
(method name: (_) @name body: [(body_statement) (rescue_modifier)]) @definition.function
(method name: (_) @name body: (_) @result) @definition.function
(method name: (_) @name) @definition.function
(singleton_method object: (self) name: (_) @name body: (body_statement (_) @result .)) @definition.method
  (#set! static)
(singleton_method object: (self) name: (_) @name body: [(body_statement) (rescue_modifier)]) @definition.method
  (#set! static)
(singleton_method object: (self) name: (_) @name body: (_) @result) @definition.method (#set! static)
(singleton_method object: (self) name: (_) @name) @definition.method (#set! static)
(singleton_method object: (_) @owner name: (_) @name) @definition.method (#set! static)
(alias name: (_) @name alias: (_) @value) @definition.method
(call method: (identifier) @_alias arguments: (argument_list . (simple_symbol) @name . (simple_symbol) @value .)
  (#any-of? @_alias "alias_method" "alias_attribute")) @definition.method
(call method: (identifier) @_define arguments: (argument_list . [(simple_symbol) (string)] @name) block: (_) @lambda
  (#any-of? @_define "define_method" "def_delegator")) @definition.method
(call method: (identifier) @_define arguments: (argument_list . [(simple_symbol) (string)] @name) block: (_) @lambda
  (#eq? @_define "define_singleton_method")) @definition.method (#set! static)
(call method: (identifier) @_scope arguments: (argument_list . (simple_symbol) @name . (lambda) @lambda)
  (#eq? @_scope "scope")) @definition.method (#set! static)
(call method: (identifier) @_attribute arguments: (argument_list (simple_symbol)+ @name)
  (#any-of? @_attribute "attr_accessor" "attr_reader" "attr_writer" "attr" "cattr_accessor" "mattr_accessor"
  "class_attribute" "thread_mattr_accessor")) @definition.property
(call method: (identifier) @_task arguments: (argument_list . (simple_symbol) @name) block: (_) @lambda
  (#eq? @_task "task")) @definition.function (#set! entry)
(call method: (identifier) @_task arguments: (argument_list . (pair key: (hash_key_symbol) @name)) block: (_) @lambda
  (#eq? @_task "task")) @definition.function (#set! entry)

; Tests.
(call method: (identifier) @_test arguments: (argument_list . [(string) (constant) (scope_resolution)
  (simple_symbol)] @name) block: (_) @lambda
  (#any-of? @_test "describe" "context" "feature" "scenario" "it" "specify" "example" "test" "should"
  "shared_examples" "shared_context" "shared_examples_for" "xit" "fit" "xdescribe" "fdescribe")) @definition.test
  (#set! unbound)
(call method: (identifier) @_let arguments: (argument_list . (simple_symbol) @name .)
  block: [(block body: (block_body (_) @value .)) (do_block body: (body_statement (_) @value .))]
  (#any-of? @_let "let" "let!" "subject" "subject!")) @definition.variable
(call method: (identifier) @_subject !arguments block: [(block body: (block_body (_) @value .))
  (do_block body: (body_statement (_) @value .))]
  (#any-of? @_subject "subject" "subject!")) @definition.variable (#set! name "subject")

; Constants, variables, fields.
(assignment left: (constant) @name right: (_) @value) @definition.constant
(operator_assignment left: (constant) @name operator: "||=" right: (_) @value) @definition.constant
(assignment left: (identifier) @target right: (_) @value) @assignment (#set! declares) (#set! local)
(operator_assignment left: (identifier) @target operator: ["||=" "&&="] right: (_) @value) @assignment
  (#set! declares) (#set! local)
(assignment left: [(instance_variable) (class_variable) (global_variable) (left_assignment_list)] @target
  right: (_) @value) @assignment (#set! declares) (#set! declares_fields)
(operator_assignment left: [(instance_variable) (class_variable) (global_variable)] @target operator: ["||=" "&&="]
  right: (_) @value) @assignment (#set! declares) (#set! declares_fields)
(assignment left: (_) @target right: (_) @value) @assignment
(operator_assignment left: (_) @target operator: ["||=" "&&="] right: (_) @value) @assignment
[(left_assignment_list (_)* @element) (destructured_left_assignment (_)* @element)
  (right_assignment_list (_)* @element)] @list
(rest_assignment (_) @through)
(rescue exceptions: (exceptions (_) @type .) variable: (exception_variable (identifier) @definition.variable))
(as_pattern value: (_) @type name: (identifier) @name) @definition.variable

; Parameters.
(method_parameters (identifier) @parameter)
(block_parameters (identifier) @parameter)
(lambda_parameters (identifier) @parameter)
(block_parameters locals: (identifier) @definition.variable)
(optional_parameter name: (_) @name value: (_) @value) @parameter
(keyword_parameter name: (_) @name value: (_) @value) @parameter (#set! keyword)
(keyword_parameter name: (_) @name) @parameter (#set! keyword)
(splat_parameter name: (_)? @name) @parameter (#set! rest)
(hash_splat_parameter name: (_)? @name) @parameter (#set! rest_keywords)
(block_parameter "&" @value name: (_)? @name) @parameter
(method_parameters (destructured_parameter (_)* @element) @parameter)
(block_parameters (destructured_parameter (_)* @element) @parameter)
(destructured_parameter (identifier) @definition.variable)
