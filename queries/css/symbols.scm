(keyframes_statement (keyframes_name) @name) @definition.function
(class_selector (class_name) @name) @definition.class
(id_selector (id_name) @name) @definition.constant
(declaration (property_name) @name (#match? @name "^--")) @definition.variable
