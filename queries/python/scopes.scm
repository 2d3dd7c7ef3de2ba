; Comprehensions have names of their own.
(list_comprehension body: (_) @value) @scope
(set_comprehension body: (_) @value) @scope
(generator_expression body: (_) @value) @scope
(dictionary_comprehension) @scope
