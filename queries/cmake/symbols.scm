(function_def (function_command (argument_list . (argument) @name))) @definition.function
(macro_def (macro_command (argument_list . (argument) @name))) @definition.macro
(normal_command (identifier) @_command (argument_list . (argument) @name)
  (#any-of? @_command "add_executable" "add_library" "add_custom_target" "ADD_EXECUTABLE" "ADD_LIBRARY"
  "ADD_CUSTOM_TARGET")) @definition.class
(normal_command (identifier) @_command (argument_list . (argument) @name)
  (#any-of? @_command "set" "option" "SET" "OPTION")) @definition.variable
