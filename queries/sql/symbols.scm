(create_table (object_reference name: (_) @name)) @definition.class
(create_view (object_reference name: (_) @name)) @definition.class
(create_materialized_view (object_reference name: (_) @name)) @definition.class
(column_definition name: (_) @name) @definition.field
(alter_table (object_reference name: (_) @target)) @extension
(create_function (object_reference name: (_) @name)) @definition.function
(create_trigger . (keyword_create) . (keyword_trigger) . (object_reference name: (_) @name)) @definition.function
(create_type (object_reference name: (_) @name)) @definition.type
(create_sequence (object_reference name: (_) @name)) @definition.variable
(create_schema (identifier) @name) @definition.namespace
(create_database (identifier) @name) @definition.namespace
(create_index column: (_) @name) @definition.property
