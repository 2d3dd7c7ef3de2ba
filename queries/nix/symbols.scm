(binding attrpath: (attrpath) @name expression: (function_expression)) @definition.function
(binding attrpath: (attrpath) @name) @definition.variable
(formal name: (identifier) @name) @parameter
(function_expression universal: (identifier) @parameter)
