(package (full_ident) @name) @package
(message (message_name) @name) @definition.class
(enum (enum_name) @name) @definition.enum
(service (service_name) @name) @definition.interface
(rpc (rpc_name) @name) @definition.method
(enum_field (identifier) @name) @definition.constant
[(field (identifier) @name) (map_field (identifier) @name) (oneof_field (identifier) @name)] @definition.field
(oneof (identifier) @name) @definition.union
